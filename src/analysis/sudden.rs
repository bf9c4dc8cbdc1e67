//! Times near which what depends on time alone changes suddenly: steps of a motion end there, so that none goes over a pulse.
//!
//! Where something jumps a step ends right before and the next begins right behind, if the constraints allow the same state there.

use crate::expr::{Expr, Interval, Tape};
use crate::interval::sudden;
use crate::mechanics::Equations;
use crate::system::System;
use crate::theorem::inputs;
use rustc_hash::FxHashSet;

/// Steps that such a place is divided into, where it is no jump.
const STEPS: usize = 4;
/// A place of so many units in the last place of the times is a jump.
const JUMP: f64 = 64.0 * f64::EPSILON;

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

/// Where L may jump: functions of (x; t) at whose zeros it may, and what is to be compared on both sides.
#[derive(Debug)]
pub(super) struct LagrangianJumps {
    pub(super) surfaces: Tape,
    /// L, what it is rounded by, dL/dx'; the gradient of each surface and its derivative with respect to t.
    pub(super) beside: Tape,
}

impl LagrangianJumps {
    /// None where L jumps nowhere.
    pub(super) fn of(system: &System) -> Option<Self> {
        let (pool, l, t) = (&system.pool, system.lagrangian, system.t);
        let x: Vec<Expr> = system.coordinates.iter().map(|c| c.x).collect();
        let v: Vec<Expr> = system.coordinates.iter().map(|c| c.v).collect();
        let places: Vec<Expr> = x.iter().copied().chain([t]).collect();
        if !pool.may_jump(l, &places) {
            return None;
        }
        let mut surfaces = pool.jumps_at_zeros_of(l, &x);
        surfaces.retain(|g| !pool.contains_any(*g, &v));
        let slopes = surfaces
            .iter()
            .flat_map(|g| places.iter().map(|s| pool.derivative(*g, *s)));
        let momenta = v.iter().map(|v| pool.derivative(l, *v));
        let own = [l, pool.rounding(l)].into_iter();
        let beside: Vec<Expr> = own.chain(momenta).chain(slopes).collect();
        let symbols = inputs(system);
        Some(Self {
            surfaces: Tape::new(pool, &symbols, &surfaces),
            beside: Tape::new(pool, &symbols, &beside),
        })
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
