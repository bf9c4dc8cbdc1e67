//! The constraints of a problem as the room `geometry` sees them.

pub(super) use crate::geometry::{sizes, spread};

use nalgebra::{DMatrix, DVector};

use super::dynamics::{ConstraintValue, Problem, VelocityValue};
use super::error::{SolverError, combination};
use crate::geometry::{Around, Combination, Constraints, Rows, around};

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
    fn number(&self, b: usize) -> Option<usize> {
        let m = self.problem.dynamics.constraints();
        let velocity = || self.velocity.get(b - self.rows.len()).map(|j| m + j);
        self.rows.get(b).copied().or_else(velocity)
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
        let mut value = ConstraintValue::new(n, dynamics.constraints());
        let mut speeds = VelocityValue::new(n, dynamics.velocity_constraints());
        dynamics.constraint(t, x, &mut value);
        if !self.velocity.is_empty() {
            dynamics.velocity(t, x, &mut speeds);
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

/// Which constraints the dynamics use.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Structure {
    /// All: their gradients are independent.
    Regular,
    /// These rows imply the others; a sentence for each of the others.
    Redundant {
        rows: Vec<usize>,
        notes: Vec<String>,
    },
    /// The rank drops at the start only.
    Singular { rank: usize, around: usize },
}

/// Looks at the rank of the rows at the start and round it; rows are numbered as they are in use.
pub(super) fn structure(
    set: InUse<'_>,
    (t, x): (f64, &[f64]),
    correction: &[f64],
) -> Result<Structure, SolverError> {
    if let Some(b) = set.rows(t, x).not_finite() {
        let name = set
            .number(b)
            .map(|b| set.problem.constraint(b))
            .unwrap_or_default();
        let what = if b < set.rows.len() {
            format!("the constraint `{name}` or its gradient")
        } else {
            format!("the velocity constraint `{name}`")
        };
        return Err(SolverError::NotFinite { what, t });
    }
    Ok(match around(&set, (t, x), &spread(x, correction)) {
        Around::Independent => Structure::Regular,
        Around::Redundant(found) => Structure::Redundant {
            notes: found
                .others
                .iter()
                .map(|(b, parts)| sentence(set, *b, parts))
                .collect(),
            rows: found.rows,
        },
        Around::Singular { rank, around } => Structure::Singular { rank, around },
    })
}

/// `the constraint `b` is redundant: its gradient is 2 times that of `a` ...`.
fn sentence(set: InUse<'_>, b: usize, parts: &Combination) -> String {
    let name = |b: usize| {
        set.number(b)
            .map(|b| set.problem.constraint(b))
            .unwrap_or_default()
    };
    let own = name(b);
    if b >= set.rows.len() {
        return format!(
            "the velocity constraint `{own}` is redundant: the others imply it; the motion is that without it, the multipliers are those of least norm"
        );
    }
    if parts.is_empty() {
        return format!("the constraint `{own}` is redundant: its gradient is zero");
    }
    let terms = parts
        .iter()
        .map(|&(c, factor)| (factor, format!("grad {}", name(c))));
    let sum = combination(terms);
    format!(
        "the constraint `{own}` is redundant: grad {own} = {sum} at the start; the motion is that without it, \
         the multipliers are those of least norm"
    )
}
