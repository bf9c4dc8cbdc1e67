//! Branches of the inverse functions on which y = c is nowhere.
//!
//! The conditions of a branch are on x, and y is f(x): a branch may hold for other y alone. With acos(p) - q = 0 the branch q < 0
//! gives back every point with acos(p) - q = y, of which none has y = 0. Numbers tell, at places about the start.

use super::Branch;
use super::trial::scattered_in;
use crate::expr::{Expr, Tape};
use crate::geometry::{largest, sizes};
use crate::system::System;
use crate::theorem::numbers::{arguments, inputs};
use rustc_hash::FxHashMap;

/// Places at which a branch is tried,
const PLACES: u64 = 600;
/// how far they are from the start and from zero, in sizes of the coordinates, one after the other; from zero also in that of the
/// largest, as a coordinate may be small at the start by chance,
const REACHES: [f64; 4] = [0.2, 1.0, 4.0, 20.0];
/// and at how many of them it must have a value for anything to be said.
const VALUES: usize = 50;
/// f counts as c where a change of a coordinate by this part of its size, or this part of the terms, explains the difference.
const MOVED: f64 = 1e-6;
const ROUNDED: f64 = 1e-9;

/// What a place in the independent coordinates tells of a branch.
#[derive(Clone, Copy, PartialEq)]
enum Told {
    /// It has a configuration there, with y = c.
    Met,
    /// Its functions have a value there that is no configuration of it with y = c.
    Missed,
    /// Something has no value.
    Nothing,
}

/// The constraints at y = c, compiled, and what belongs to all branches.
struct Level<'a> {
    system: &'a System,
    dependent: &'a [usize],
    /// f - c, then c.
    constraints: Tape,
    /// The time and a position on the constraints about which is tried, and the sizes of the coordinates there.
    start: (f64, &'a [f64]),
    units: Vec<f64>,
}

/// A branch at y = c: its functions, and its conditions, in x.
struct AtLevel<'a> {
    branch: &'a Branch,
    functions: Tape,
    conditions: Tape,
}

impl<'a> Level<'a> {
    fn new(system: &'a System, dependent: &'a [usize], start: (f64, &'a [f64])) -> Self {
        let constraints = &system.constraints;
        let misses = constraints.iter().map(|c| system.pool.sub(c.f, c.c));
        let levels = constraints.iter().map(|c| c.c);
        let outputs: Vec<Expr> = misses.chain(levels).collect();
        Self {
            system,
            dependent,
            constraints: Tape::new(&system.pool, &inputs(system), &outputs),
            start,
            units: sizes(start.1),
        }
    }

    fn branch<'b>(&self, branch: &'b Branch) -> AtLevel<'b> {
        let (pool, constraints) = (&self.system.pool, &self.system.constraints);
        let levels: FxHashMap<Expr, Expr> = constraints.iter().map(|c| (c.level, c.c)).collect();
        let functions = pool.substitute_all(&branch.functions, &levels);
        let conditions: Vec<Expr> = branch.conditions.iter().map(|c| c.expression).collect();
        let inputs = inputs(self.system);
        AtLevel {
            branch,
            functions: Tape::new(pool, &inputs, &functions),
            conditions: Tape::new(pool, &inputs, &conditions),
        }
    }

    fn values(&self, of: &Tape, t: f64, x: &[f64]) -> Vec<f64> {
        of.values(&arguments(self.system, t, x, &[]))
    }

    /// What a branch tells at the independent coordinates of x.
    fn told(&self, at: &AtLevel<'_>, t: f64, mut x: Vec<f64>) -> Told {
        let functions = self.values(&at.functions, t, &x);
        for (&k, value) in self.dependent.iter().zip(functions) {
            x[k] = value;
        }
        let here = self.values(&self.constraints, t, &x);
        let conditions = self.values(&at.conditions, t, &x);
        let mut all = here.iter().chain(&conditions).chain(&x);
        if !all.all(|v| v.is_finite()) {
            return Told::Nothing;
        }
        if !at.branch.admits(&conditions) {
            return Told::Missed;
        }
        let (misses, levels) = here.split_at(here.len() / 2);
        let terms = misses.iter().zip(levels);
        let mut explained: Vec<f64> = terms
            .map(|(miss, c)| ROUNDED * (miss.abs() + c.abs()))
            .collect();
        for k in 0..x.len() {
            let own = x[k];
            x[k] += MOVED * own.abs().max(self.units[k]);
            let beside = self.values(&self.constraints, t, &x);
            x[k] = own;
            let changes = beside
                .iter()
                .zip(misses)
                .map(|(new, old)| (new - old).abs());
            for (most, change) in explained.iter_mut().zip(changes) {
                if change.is_nan() {
                    return Told::Nothing;
                }
                *most = most.max(change);
            }
        }
        let mut rows = misses.iter().zip(&explained);
        if rows.all(|(miss, explained)| miss.abs() <= *explained) {
            Told::Met
        } else {
            Told::Missed
        }
    }

    fn is_met_at_start(&self, at: &AtLevel<'_>) -> bool {
        let (t, x) = self.start;
        self.told(at, t, x.to_vec()) == Told::Met
    }

    /// Was no configuration found, at so many places about the start?
    fn misses(&self, at: &AtLevel<'_>) -> bool {
        let (t, start) = self.start;
        let mut missed = 0;
        let all_alike = vec![largest(&self.units); self.units.len()];
        for index in 0..PLACES {
            let reach = REACHES[(index % 4) as usize];
            let about_start = index / 4 % 3 == 0;
            let units = match index / 4 % 3 {
                2 => &all_alike,
                _ => &self.units,
            };
            let sides = start.iter().zip(units).map(|(x, unit)| {
                let origin = if about_start { *x } else { 0.0 };
                (origin - reach * unit, origin + reach * unit)
            });
            let mut x = scattered_in(sides.chain([(0.0, 2.0)]), index);
            let later = x.pop().unwrap_or_default();
            let t = if about_start { t } else { t + later };
            match self.told(at, t, x) {
                Told::Met => return false,
                Told::Missed => missed += 1,
                Told::Nothing => {}
            }
        }
        missed >= VALUES
    }
}

/// The branches on which no configuration with y = c was found, where one was on another: the start, a time and a position on the
/// constraints. Nothing is said of branches on a set where a factor is zero.
pub fn off_level<'b>(
    system: &System,
    dependent: &[usize],
    branches: &'b [Branch],
    start: (f64, &[f64]),
) -> Vec<&'b Branch> {
    if branches.len() < 2 {
        return Vec::new();
    }
    let level = Level::new(system, dependent, start);
    let compiled = branches.iter().map(|branch| level.branch(branch));
    let (met, others): (Vec<_>, Vec<_>) = compiled.partition(|at| level.is_met_at_start(at));
    if met.is_empty() {
        return Vec::new();
    }
    let others = others
        .iter()
        .filter(|at| at.branch.is_open() && level.misses(at));
    others.map(|at| at.branch).collect()
}
