//! Times near which what depends on time alone changes suddenly: steps of a motion end there, so that none goes over a pulse.
//!
//! Where something jumps a step ends right before and the next begins right behind, if the constraints allow the same state there.

use crate::expr::{Expr, Interval, SymbolKind};
use crate::interval::sudden;
use crate::mechanics::Equations;
use crate::system::System;
use crate::theorem::value_at;
use rustc_hash::FxHashSet;

/// Steps that such a place is divided into, where it is no jump.
const STEPS: usize = 4;
/// A place of so many units in the last place of the times is a jump.
const JUMP: f64 = 64.0 * f64::EPSILON;
/// Values on both sides of a jump differ by more than this part of them.
const DIFFERS: f64 = 1e-6;

/// What depends on time alone.
#[derive(Clone, Copy, Debug)]
pub(super) struct OfTime(Expr);

impl OfTime {
    /// These times on the way from a time to another, in the order of the motion, each with that at which it continues.
    pub(super) fn sudden_times(
        timed: &[Self],
        system: &System,
        (from, until): (f64, f64),
    ) -> Vec<[f64; 2]> {
        let range = Interval::new(from.min(until), from.max(until));
        if timed.is_empty() || !range.is_bounded() {
            return Vec::new();
        }
        let parameters = system.parameters.iter();
        let parameters: Vec<(Expr, f64)> = parameters.map(|p| (p.symbol, p.value)).collect();
        let mut times: Vec<[f64; 2]> = Vec::new();
        for Self(e) in timed {
            for place in sudden(&system.pool, *e, (system.t, range), &parameters) {
                if place.width() > JUMP * range.magnitude() {
                    let part = place.width() / STEPS as f64;
                    let inner = (0..=STEPS).map(|k| place.lo + k as f64 * part);
                    times.extend(inner.map(|t| [t, t]));
                } else {
                    times.push([place.lo, place.hi]);
                }
            }
        }
        if until < from {
            for pair in &mut times {
                pair.reverse();
            }
        }
        let way = (until - from).signum();
        times.sort_by(|a, b| (way * a[0]).total_cmp(&(way * b[0])));
        times.dedup();
        times
    }

    /// Those of these jumps at which momenta dL/dx' jump: their rates are no forces there.
    pub(super) fn walls(system: &System, jumps: &[[f64; 2]]) -> Vec<f64> {
        if jumps.iter().all(|[before, after]| before == after) {
            return Vec::new(); // as nearly always: each run of a sweep asks
        }
        let pool = &system.pool;
        let velocities = system.coordinates.iter().map(|c| c.v);
        let momenta = velocities.map(|v| pool.derivative(system.lagrangian, v));
        let parts = of_time_alone(system, momenta.collect());
        let value = |e: Expr, time: f64| {
            let of = |kind| {
                if kind == SymbolKind::Time {
                    time
                } else {
                    f64::NAN
                }
            };
            value_at(system, e, &of)
        };
        let differs = |[before, after]: [f64; 2]| {
            parts.iter().any(|e| {
                let (a, b) = (value(*e, before), value(*e, after));
                (a - b).abs() > DIFFERS * (a.abs() + b.abs())
            })
        };
        let walls = jumps
            .iter()
            .filter(|pair| pair[0] != pair[1] && differs(**pair));
        walls.map(|pair| pair[0]).collect()
    }

    /// All that depends on time alone in a system and in what its constraints are differentiated to, where a kink is a jump.
    pub(super) fn all(system: &System, equations: &Equations) -> Vec<Self> {
        let rates = equations.f_t.iter().chain(&equations.gamma).copied();
        let velocities = system.velocity_constraints.iter();
        let velocities = velocities.flat_map(|c| c.row.iter().copied().chain([c.b]));
        let forces = system.forces.iter().copied();
        let roots = forces.chain([system.lagrangian]).chain(system.residuals());
        let found = of_time_alone(system, roots.chain(velocities).chain(rates).collect());
        found.into_iter().map(Self).collect()
    }
}

/// What these are made of that depends on time and on nothing that moves, each once.
fn of_time_alone(system: &System, roots: Vec<Expr>) -> Vec<Expr> {
    let pool = &system.pool;
    let mut open = roots;
    open.reverse();
    let moving = system.coordinates.iter().flat_map(|c| [c.x, c.v]);
    let moving: FxHashSet<Expr> = moving.collect();
    let (mut seen, mut found) = (FxHashSet::default(), Vec::new());
    while let Some(e) = open.pop() {
        let inside = pool.symbols_of(e);
        if !inside.contains(&system.t) || e == system.t || !seen.insert(e) {
            continue;
        }
        if inside.is_disjoint(&moving) {
            found.push(e);
        }
        open.extend(pool.children(e));
    }
    found
}
