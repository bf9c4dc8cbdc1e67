//! What a failure of the theorem looks like.

use super::check::{Site, search_region};
use super::{Model, Part};
use crate::expr::Expr;
use crate::interval::Scratch;
use crate::solver::{Flag, FlagKind, Motion, SolverError};
use crate::theorem::{SymbolicDeterminant, Turn, Vanishing, project};

/// The position of a flag is known to this part of max(1, |x|).
const FLAGGED: f64 = 1e-7;
/// Steps along the constraints at which the determinant is looked at, in units of max(1, |x|).
const STEPS: [f64; 4] = [1e-4, 1e-3, 4e-3, 1e-2];

/// What the position of a flag is known to, or a place that Newton's method found on a fold or a crossing.
pub fn flagged_to(x: &[f64]) -> Vec<f64> {
    x.iter().map(|v| FLAGGED * v.abs().max(1.0)).collect()
}

impl Model {
    /// Is a flagged loss of rank one of W = [J; A] alone? The gradients of the constraints are independent then: the
    /// theorem applies, and the multipliers are not determined.
    pub fn is_of_velocities(&self, flag: &Flag) -> bool {
        let system = &self.system;
        if flag.kind != FlagKind::Rank || system.velocity_constraints.is_empty() {
            return false;
        }
        let known_to = flagged_to(&flag.x);
        let local = self.theorem.local(system, flag.t, &flag.x, &known_to);
        local.blurred().rank() == system.constraints.len()
    }

    /// Whether the theorem holds all the way of a motion; nothing where there is no way or no constraint.
    pub fn holds_along(&self, motion: &Motion) -> Option<bool> {
        let rough = matches!(motion.because, Some(SolverError::RoughStart { .. }));
        let mut flags = motion.flags.iter();
        let fails = rough || flags.any(|flag| !self.is_of_velocities(flag));
        let there = !motion.samples.is_empty() && !self.system.constraints.is_empty();
        there.then_some(!fails)
    }

    /// How the branches of g meet at a chart failure; `None` where more than one degree of freedom is left, or
    /// the determinant is zero along the constraints, or it could not be seen.
    pub fn turn(&self, (t, x): (f64, &[f64]), dependent: &[usize]) -> Option<Turn> {
        let n = x.len();
        if n != dependent.len() + 1 {
            return None;
        }
        let units: Vec<f64> = x.iter().map(|v| v.abs().max(1.0)).collect();
        let free = self.directions((t, x), &units)?;
        if free.ncols() != 1 {
            return None;
        }
        let tangent = free.column(0);
        let region = Part::new(search_region(x), t).sides();
        let mut work = Scratch::default();
        // at a point off the constraints there is nothing to tell
        let here = [x, &[t]].concat();
        let on = project(&self.bounds().equations, &region, here, &mut work)?;
        let off = |k: usize| (on[k] - x[k]).abs() / units[k];
        if (0..n).any(|k| off(k) > 0.1 * STEPS[0]) {
            return None;
        }
        let mut sign = |step: f64| {
            let moved = (0..n).map(|k| x[k] + step * tangent[k] * units[k]);
            let start = moved.chain([t]).collect();
            let at = project(&self.bounds().equations, &region, start, &mut work)?;
            let minor = self
                .theorem
                .local(&self.system, t, &at[..n], &[])
                .minor(dependent);
            (!minor.is_zero).then_some(minor.scaled > 0.0)
        };
        let mut seen = None;
        for step in STEPS {
            let (Some(ahead), Some(behind)) = (sign(step), sign(-step)) else {
                continue;
            };
            let turn = if ahead == behind {
                Turn::InfiniteSlope
            } else {
                Turn::Fold
            };
            if *seen.get_or_insert(turn) != turn {
                return None;
            }
        }
        seen
    }

    /// How the determinant vanishes at a place where only the choice fails.
    pub(super) fn vanishing(
        &self,
        dependent: &[usize],
        determinant: &SymbolicDeterminant,
        site: &Site,
    ) -> Vanishing {
        let system = &self.system;
        let pool = &system.pool;
        let here = site.spot();
        let value = |e: Expr| here.value(system, &[], e);
        // zero by all but rounding
        let is_zero = |f: &Expr| {
            let size = value(pool.rounding(*f)).abs();
            let moved = site.corrections.iter().zip(&system.coordinates);
            let near: f64 = moved
                .map(|(c, own)| (c * value(pool.derivative(*f, own.x))).abs())
                .sum();
            value(*f).abs() <= 64.0 * f64::EPSILON * size + near
        };
        let everywhere = determinant.vanishes;
        let turn = (!everywhere).then(|| self.turn((site.t, &site.x), dependent));
        Vanishing {
            factors: determinant
                .factors
                .iter()
                .copied()
                .filter(is_zero)
                .collect(),
            everywhere,
            turn: turn.flatten(),
        }
    }
}
