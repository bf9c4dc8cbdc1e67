//! Branches of the inverse functions on which y = c is nowhere.
//!
//! The conditions of a branch are on x, and y is f(x): a branch may hold for other y alone. With acos(p) - q = 0 the branch q < 0
//! gives back every point with acos(p) - q = y, of which none has y = 0. Numbers tell, at places about the start.

use super::Branch;
use super::condition::Relation;
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

/// The constraints and a branch at y = c, compiled.
struct AtLevel<'a> {
    system: &'a System,
    dependent: &'a [usize],
    branch: &'a Branch,
    functions: Tape,
    /// f - c, then c, then the conditions.
    tests: Tape,
    units: Vec<f64>,
}

impl<'a> AtLevel<'a> {
    fn new(system: &'a System, dependent: &'a [usize], branch: &'a Branch, units: &[f64]) -> Self {
        let pool = &system.pool;
        let constraints = &system.constraints;
        let levels: FxHashMap<Expr, Expr> = constraints.iter().map(|c| (c.level, c.c)).collect();
        let functions = pool.substitute_all(&branch.functions, &levels);
        let misses = constraints.iter().map(|c| pool.sub(c.f, c.c));
        let sizes = constraints.iter().map(|c| c.c);
        let conditions = branch.conditions.iter().map(|c| c.expression);
        let tests: Vec<Expr> = misses.chain(sizes).chain(conditions).collect();
        let inputs = inputs(system);
        Self {
            system,
            dependent,
            branch,
            functions: Tape::new(pool, &inputs, &functions),
            tests: Tape::new(pool, &inputs, &tests),
            units: units.to_vec(),
        }
    }

    fn tested(&self, t: f64, x: &[f64]) -> Vec<f64> {
        self.tests.values(&arguments(self.system, t, x, &[]))
    }

    /// What is told at the independent coordinates of x.
    fn at(&self, t: f64, mut x: Vec<f64>) -> Told {
        let values = self.functions.values(&arguments(self.system, t, &x, &[]));
        for (&k, value) in self.dependent.iter().zip(values) {
            x[k] = value;
        }
        let m = self.system.constraints.len();
        let here = self.tested(t, &x);
        if here.iter().chain(&x).any(|v| !v.is_finite()) {
            return Told::Nothing;
        }
        let mut conditions = self.branch.conditions.iter().zip(&here[2 * m..]);
        if !conditions.all(|(condition, value)| condition.admits(*value)) {
            return Told::Missed;
        }
        let mut explained: Vec<f64> = (0..m)
            .map(|b| ROUNDED * (here[b].abs() + here[m + b].abs()))
            .collect();
        for k in 0..x.len() {
            let mut beside = x.clone();
            beside[k] += MOVED * x[k].abs().max(self.units[k]);
            for (most, (new, old)) in explained
                .iter_mut()
                .zip(self.tested(t, &beside).iter().zip(&here))
            {
                let change = (new - old).abs();
                if change.is_nan() {
                    return Told::Nothing;
                }
                *most = most.max(change);
            }
        }
        let mut rows = here.iter().zip(&explained);
        if rows.all(|(miss, explained)| miss.abs() <= *explained) {
            Told::Met
        } else {
            Told::Missed
        }
    }

    /// Was no configuration found, at so many places about a start?
    fn is_nowhere(&self, (t, start): (f64, &[f64])) -> bool {
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
            match self.at(t, x) {
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
    let units = sizes(start.1);
    let compiled = branches
        .iter()
        .map(|branch| AtLevel::new(system, dependent, branch, &units));
    let compiled: Vec<AtLevel<'_>> = compiled.collect();
    let at_start = |one: &AtLevel<'_>| one.at(start.0, start.1.to_vec()) == Told::Met;
    if !compiled.iter().any(at_start) {
        return Vec::new();
    }
    let across = |one: &&AtLevel<'_>| {
        let mut conditions = one.branch.conditions.iter();
        conditions.all(|c| c.relation != Relation::Zero)
    };
    let others = compiled
        .iter()
        .zip(branches)
        .filter(|(one, _)| across(one) && !at_start(one));
    others
        .filter(|(one, _)| one.is_nowhere(start))
        .map(|(_, branch)| branch)
        .collect()
}
