//! The constraints of a problem as the room `geometry` sees them.

pub use crate::geometry::{Redundant, Structure};
pub(super) use crate::geometry::{sizes, spread};

use nalgebra::{DMatrix, DVector};

use super::dynamics::{ConstraintValue, Problem, VelocityValue};
use super::error::{Quantity, SolverError};
use crate::geometry::{Constraints, Meeting, Rows, around, meeting};

/// Some of the constraints of a problem, position and velocity constraints alike.
#[derive(Clone, Copy)]
pub(super) struct InUse<'a> {
    pub(super) problem: &'a Problem<'a>,
    /// The position constraints.
    pub(super) rows: &'a [usize],
    /// The velocity constraints.
    pub(super) velocity: &'a [usize],
}

impl<'a> InUse<'a> {
    /// Position constraints alone.
    pub(super) fn positions(problem: &'a Problem<'a>, rows: &'a [usize]) -> Self {
        Self {
            problem,
            rows,
            velocity: &[],
        }
    }

    /// The number of row b among all constraints of the problem.
    fn number(&self, b: usize) -> usize {
        let m = self.problem.dynamics.constraints();
        let velocity = || m + self.velocity[b - self.rows.len()];
        self.rows.get(b).copied().unwrap_or_else(velocity)
    }
}

impl Constraints for InUse<'_> {
    fn coordinates(&self) -> usize {
        self.problem.dynamics.coordinates()
    }

    fn positions(&self) -> usize {
        self.rows.len()
    }

    fn rows(&self, t: f64, x: &[f64]) -> Rows {
        let dynamics = self.problem.dynamics;
        let (n, r) = (dynamics.coordinates(), self.rows.len());
        let value = ConstraintValue::at(dynamics, t, x);
        let mut speeds = VelocityValue::of(dynamics);
        if !self.velocity.is_empty() {
            dynamics.velocity(t, x, &mut speeds);
        }
        if self.velocity.is_empty() && r == dynamics.constraints() {
            return Rows {
                residual: value.residual,
                scale: value.scale,
                rates: value.f_t,
                gradients: value.jacobian,
            };
        }
        let count = r + self.velocity.len();
        let pick = |own: &DVector<f64>, other: &dyn Fn(usize) -> f64| {
            DVector::from_fn(count, |b, _| match self.rows.get(b) {
                Some(&row) => own[row],
                None => other(self.velocity[b - r]),
            })
        };
        Rows {
            residual: pick(&value.residual, &|_| 0.0),
            scale: pick(&value.scale, &|_| 1.0),
            rates: pick(&value.f_t, &|j| speeds.b[j]),
            gradients: DMatrix::from_fn(count, n, |b, k| match self.rows.get(b) {
                Some(&row) => value.jacobian[(row, k)],
                None => speeds.rows[(self.velocity[b - r], k)],
            }),
        }
    }

    fn may_move(&self) -> bool {
        self.problem.dynamics.may_move()
    }

    fn blur(&self, (t, x): (f64, &[f64]), reach: &[f64]) -> DMatrix<f64> {
        let m = self.problem.dynamics.constraints();
        if let Some(all) = self.problem.dynamics.blur((t, x), reach) {
            let velocity = self.velocity.iter().map(|j| m + j);
            let rows: Vec<usize> = self.rows.iter().copied().chain(velocity).collect();
            return all.select_rows(&rows);
        }
        crate::geometry::blur_by_differences(&|t, x| self.rows(t, x).gradients, (t, x), reach)
    }
}

/// Looks at the rank of the position constraints at a point of the set and round it.
///
/// # Errors
/// A constraint or gradient that is not finite there.
pub fn position_structure(
    problem: &Problem<'_>,
    at: (f64, &[f64]),
    correction: &[f64],
) -> Result<Structure, SolverError> {
    let all: Vec<usize> = (0..problem.dynamics.constraints()).collect();
    structure(InUse::positions(problem, &all), at, correction)
}

/// What meets at a singular configuration of the position constraints.
pub fn branches(
    problem: &Problem<'_>,
    (t, x): (f64, &[f64]),
    correction: &[f64],
) -> Option<Meeting> {
    let all: Vec<usize> = (0..problem.dynamics.constraints()).collect();
    meeting(
        &InUse::positions(problem, &all),
        (t, x),
        &spread(x, correction),
    )
}

/// Looks at the rank of the rows at the start and round it; rows are numbered as they are in use, those that others imply
/// as all constraints of the problem are.
pub(super) fn structure(
    set: InUse<'_>,
    (t, x): (f64, &[f64]),
    correction: &[f64],
) -> Result<Structure, SolverError> {
    if let Some(b) = set.rows(t, x).not_finite() {
        let name = set.problem.constraint(set.number(b));
        let what = if b < set.rows.len() {
            Quantity::Constraint(name)
        } else {
            Quantity::VelocityConstraint(name)
        };
        return Err(SolverError::NotFinite { what, t });
    }
    let mut found = around(&set, (t, x), &spread(x, correction));
    if let Structure::Redundant { others, .. } = &mut found {
        for Redundant { constraint, parts } in others {
            *constraint = set.number(*constraint);
            parts.iter_mut().for_each(|(c, _)| *c = set.number(*c));
        }
    }
    Ok(found)
}
