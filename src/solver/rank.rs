//! The constraints of a problem as the room `geometry` sees them.

pub use crate::geometry::{Redundant, Structure};
pub(super) use crate::geometry::{sizes, spread};

use nalgebra::{DMatrix, DVector};

use super::dynamics::{ConstraintValue, Dynamics, Instant, Problem, VelocityValue, stacked};
use super::error::SolverError;
use crate::geometry::{Constraints, Meeting, Rows, around, meeting, weights_of_multipliers};

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
    pub(super) fn new(problem: &'a Problem<'a>, rows: &'a [usize], velocity: &'a [usize]) -> Self {
        Self {
            problem,
            rows,
            velocity,
        }
    }

    /// Position constraints alone.
    pub(super) fn positions(problem: &'a Problem<'a>, rows: &'a [usize]) -> Self {
        Self::new(problem, rows, &[])
    }

    /// The equations of the problem.
    pub(super) fn dynamics(&self) -> &'a dyn Dynamics {
        self.problem.dynamics
    }

    /// How many rows these are.
    pub(super) fn count(&self) -> usize {
        self.rows.len() + self.velocity.len()
    }

    /// Are these all constraints of the problem?
    pub(super) fn is_all(&self) -> bool {
        self.rows.len() == self.dynamics().constraints()
            && self.velocity.len() == self.dynamics().velocity_constraints()
    }

    /// The numbers of the rows among all constraints of the problem, those on velocities behind all on positions.
    pub(super) fn numbers(&self) -> impl Iterator<Item = usize> + Clone + use<'a> {
        let m = self.dynamics().constraints();
        let velocity = self.velocity.iter().map(move |j| m + j);
        self.rows.iter().copied().chain(velocity)
    }

    /// How large the terms are that the multipliers come from, with these accelerations and multipliers: see
    /// [`weights_of_multipliers`]. `None` where the equations are singular, or too many for a full matrix.
    pub(super) fn weights(
        &self,
        at: &Instant,
        (a, lambda): (&[f64], &[f64]),
    ) -> Option<DVector<f64>> {
        /// A matrix of more columns than this is not inverted for it.
        const MANY: usize = 150;
        if a.len() + self.count() > MANY {
            return None;
        }
        let positions = at.constraint.jacobian.select_rows(self.rows);
        let rows = stacked(&positions, &at.velocity.rows.select_rows(self.velocity));
        let gamma = self.rows.iter().map(|b| at.gamma[*b]);
        let rolling = self.velocity.iter().map(|j| at.velocity_gamma[*j]);
        let gamma: Vec<f64> = gamma.chain(rolling).collect();
        weights_of_multipliers((&at.mass, &rows), (a, lambda), (at.bias.as_slice(), &gamma))
    }

    /// The parts without velocities of W x' + (f_t; b) = 0.
    pub(super) fn rates(
        &self,
        value: &ConstraintValue,
        speeds: &VelocityValue,
    ) -> impl Iterator<Item = f64> {
        let positions = self.rows.iter().map(|&b| value.f_t[b]);
        positions.chain(self.velocity.iter().map(|&j| speeds.b[j]))
    }
}

impl Constraints for InUse<'_> {
    fn coordinates(&self) -> usize {
        self.dynamics().coordinates()
    }

    fn positions(&self) -> usize {
        self.rows.len()
    }

    fn rows(&self, t: f64, x: &[f64]) -> Rows {
        let dynamics = self.dynamics();
        let value = ConstraintValue::at(dynamics, t, x);
        let mut speeds = VelocityValue::of(dynamics);
        if !self.velocity.is_empty() {
            dynamics.velocity(t, x, &mut speeds);
        }
        if self.is_all() && self.velocity.is_empty() {
            return Rows {
                residual: value.residual,
                scale: value.scale,
                rates: value.f_t,
                gradients: value.jacobian,
            };
        }
        let count = self.count();
        let pick = |own: &DVector<f64>, other: f64| {
            DVector::from_fn(count, |b, _| {
                self.rows.get(b).map_or(other, |row| own[*row])
            })
        };
        Rows {
            residual: pick(&value.residual, 0.0),
            scale: pick(&value.scale, 1.0),
            rates: DVector::from_iterator(count, self.rates(&value, &speeds)),
            gradients: stacked(
                &value.jacobian.select_rows(self.rows),
                &speeds.rows.select_rows(self.velocity),
            ),
        }
    }

    fn may_move(&self) -> bool {
        self.dynamics().may_move()
    }

    fn blur(&self, (t, x): (f64, &[f64]), reach: &[f64]) -> DMatrix<f64> {
        if let Some(all) = self.dynamics().blur((t, x), reach) {
            return all.select_rows(&self.numbers().collect::<Vec<_>>());
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

/// Looks at the rank of all constraints, those on velocities behind those on positions.
///
/// # Errors
/// A constraint or gradient that is not finite there.
pub fn whole_structure(
    problem: &Problem<'_>,
    at: (f64, &[f64]),
    correction: &[f64],
) -> Result<Structure, SolverError> {
    let rows: Vec<usize> = (0..problem.dynamics.constraints()).collect();
    let velocity: Vec<usize> = (0..problem.dynamics.velocity_constraints()).collect();
    structure(InUse::new(problem, &rows, &velocity), at, correction)
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
    let numbers: Vec<usize> = set.numbers().collect();
    if let Some(b) = set.rows(t, x).not_finite() {
        return Err(set.problem.not_finite(numbers[b], t));
    }
    let mut found = around(&set, (t, x), &spread(x, correction));
    if let Structure::Redundant { others, .. } = &mut found {
        for Redundant { constraint, parts } in others {
            *constraint = numbers[*constraint];
            for (c, _) in parts {
                *c = numbers[*c];
            }
        }
    }
    Ok(found)
}
