//! Conjugate points: where motions that begin at one place with other velocities meet the motion again.

use super::{Model, Request};
use crate::analysis::balance::THROUGH;
use crate::analysis::motion::interpolated;
use crate::analysis::when::crossings;
use crate::geometry::{complement, singular_values};
use crate::solver::{Instant, Sample};
use nalgebra::{DMatrix, DVector, SymmetricEigen};
use std::sync::atomic::AtomicBool;

/// More directions than this are not followed.
const MOST: usize = 6;
/// How far the velocity of a neighbour is changed, in parts of its size (at least 1).
const APART: f64 = 1e-4;
/// What counts as zero where the determinant touches it, in parts of its largest value.
const TOUCHES: f64 = 1e-7;
/// The same for a singular value.
const VANISHES: f64 = 1e-4;

/// A conjugate point.
#[derive(Clone, Debug, PartialEq)]
pub struct Conjugate {
    /// When.
    pub t: f64,
    /// In how many directions neighbours meet there.
    pub multiplicity: usize,
}

/// Why no conjugate points were looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unconjugated {
    /// Forces without a potential act: the motion is no stationary path of an action.
    Forces,
    /// Velocity constraints hold: the same.
    VelocityConstraints,
    /// M is not positive definite on the virtual displacements.
    Mass,
    /// There are too many directions.
    Many,
    /// A neighbouring motion could not be computed.
    Neighbour,
}

impl Unconjugated {
    /// Its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Forces => "forces",
            Self::VelocityConstraints => "velocity_constraints",
            Self::Mass => "mass",
            Self::Many => "many",
            Self::Neighbour => "neighbour",
        }
    }
}

impl Model {
    /// The conjugate points of the first time of a motion; under forces without a potential, where there are none, the
    /// places where its neighbours meet it all the same, by the linearised equations of motion.
    pub(super) fn conjugate_points(
        &self,
        motion: (&[Sample], &[usize]),
        run: &Request,
        cancel: &AtomicBool,
    ) -> (Result<Vec<Conjugate>, Unconjugated>, Option<Vec<Conjugate>>) {
        let zero = self.system.pool.zero();
        match self.meetings(motion, run, cancel) {
            Err(Unconjugated::VelocityConstraints) => {
                (Err(Unconjugated::VelocityConstraints), None)
            }
            found if self.system.forces.iter().any(|q| *q != zero) => {
                (Err(Unconjugated::Forces), found.ok())
            }
            found => (found, None),
        }
    }

    /// Where neighbours of a motion that begin at its first place with other velocities meet it.
    fn meetings(
        &self,
        (samples, rows): (&[Sample], &[usize]),
        run: &Request,
        cancel: &AtomicBool,
    ) -> Result<Vec<Conjugate>, Unconjugated> {
        let system = &self.system;
        if !system.velocity_constraints.is_empty() {
            return Err(Unconjugated::VelocityConstraints);
        }
        let n = system.coordinates.len();
        let free = n - rows.len();
        let Some(first) = samples.first() else {
            return Ok(Vec::new());
        };
        if free > MOST {
            return Err(Unconjugated::Many);
        }
        let every = (samples.len() / 20).max(1);
        if !samples
            .iter()
            .step_by(every)
            .all(|s| self.is_definite(s, rows))
        {
            return Err(Unconjugated::Mass);
        }
        let tangents = kernel(&self.gradients_at(first, rows));
        let speed = first.v.iter().fold(1.0_f64, |most, v| most.max(v.abs()));
        let step = APART * speed;
        let mut along: Vec<Vec<DVector<f64>>> = Vec::new();
        for direction in tangents.column_iter() {
            let neighbour = |sign: f64| {
                let mut request = run.clone();
                for (k, v) in &mut request.overrides.v {
                    *v += sign * step * direction[*k];
                }
                let found = self.simulate(&request, cancel);
                let found = found.map_err(|_| Unconjugated::Neighbour)?;
                let whole = found.finished && found.samples.len() == samples.len();
                whole
                    .then_some(found.samples)
                    .ok_or(Unconjugated::Neighbour)
            };
            let (plus, minus) = (neighbour(1.0)?, neighbour(-1.0)?);
            let pairs = plus.iter().zip(&minus);
            let column =
                pairs.map(|(a, b)| DVector::from_fn(n, |k, _| (a.x[k] - b.x[k]) / (2.0 * step)));
            along.push(column.collect());
        }
        // [dx/dv_0, J^T], its first columns by the time that passed
        let matrices: Vec<DMatrix<f64>> = samples
            .iter()
            .enumerate()
            .map(|(i, s)| {
                let j = self.gradients_at(s, rows);
                let size = (&j * j.transpose()).determinant().abs().sqrt();
                let unit = size.powf(-1.0 / rows.len().max(1) as f64);
                let passed = s.t - first.t;
                DMatrix::from_fn(n, n, |k, c| match c.checked_sub(free) {
                    None if i == 0 => tangents[(k, c)],
                    None => along[c][i][k] / passed,
                    Some(b) => unit * j[(b, k)],
                })
            })
            .collect();
        let times: Vec<f64> = samples.iter().map(|s| s.t).collect();
        let determinants: Vec<f64> = matrices.iter().map(DMatrix::determinant).collect();
        Ok(zeros(&times, &determinants)
            .into_iter()
            .map(|t| Conjugate {
                t,
                multiplicity: multiplicity(&times, &matrices, t),
            })
            .collect())
    }

    pub(super) fn gradients_at(&self, s: &Sample, rows: &[usize]) -> DMatrix<f64> {
        let value = self.constraint_value(s.t, &s.x);
        value.jacobian.select_rows(rows)
    }

    /// Is M positive definite on the virtual displacements (Legendre)?
    fn is_definite(&self, s: &Sample, rows: &[usize]) -> bool {
        let problem = self.unwatched();
        let mut instant = Instant::of(problem.dynamics);
        problem.dynamics.instant(s.t, &s.x, &s.v, &mut instant);
        let z = kernel(&self.gradients_at(s, rows));
        let own = SymmetricEigen::new(z.transpose() * instant.mass * z).eigenvalues;
        let largest = own.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
        own.iter().all(|v| *v > 1e-12 * largest)
    }
}

/// An orthonormal basis of the kernel of J, whose rows are independent.
fn kernel(j: &DMatrix<f64>) -> DMatrix<f64> {
    let mut rows = j.clone();
    for mut row in rows.row_iter_mut() {
        row.normalize_mut();
    }
    complement(&rows)
}

/// Where a smooth function of samples is zero, with or without a change of its sign.
fn zeros(t: &[f64], y: &[f64]) -> Vec<f64> {
    let way = t.last().zip(t.first()).map_or(1.0, |(to, from)| to - from);
    let at = |time: f64| {
        let i = t.partition_point(|own| (own - time) * way < 0.0);
        interpolated(t, |j| y[j], (i.clamp(1, t.len() - 1), THROUGH), time)
    };
    let (found, _) = crossings((t, y), TOUCHES, &at);
    found.iter().map(|crossing| crossing.t).collect()
}

/// How many singular values are zero there; one at least.
fn multiplicity(t: &[f64], matrices: &[DMatrix<f64>], at: f64) -> usize {
    let i = t
        .iter()
        .position(|own| (own - at) * (at - t[0]) >= 0.0)
        .unwrap_or(1)
        .max(1);
    let Some(first) = matrices.first() else {
        return 1;
    };
    let (rows, columns) = first.shape();
    let there = DMatrix::from_fn(rows, columns, |k, c| {
        interpolated(t, |j| matrices[j][(k, c)], (i, THROUGH), at)
    });
    let values = singular_values(&there).unwrap_or_default();
    // at the first time its columns are of unit length
    let largest = singular_values(first).and_then(|list| list.first().copied());
    let largest = largest.unwrap_or(0.0);
    let zero = values.iter().filter(|v| **v <= VANISHES * largest).count();
    zero.max(1)
}
