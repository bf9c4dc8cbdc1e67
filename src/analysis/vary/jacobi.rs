//! Conjugate points: where motions that begin at one place with other velocities meet the motion again.
//!
//! With Y(t) = dx/dv_0 on the virtual displacements, in coordinates in which M is one at a sample a, Y(t) Y(a)^-1 is one at a. Where forces
//! have a potential its eigenvalues are real up to the next sample, and each goes through zero once where neighbours of one direction meet the
//! motion (the action is a minimum over so short a time: Bohner's and Došlý's focal points of symplectic differences). So each conjugate point
//! is the zero of an eigenvalue of its own, however close two of them are, and nothing is asked of how near zero a determinant comes.

use super::{Model, Request, SAMPLES};
use crate::analysis::integral::{THROUGH, interpolated};
use crate::geometry::{complement, largest};
use crate::solver::{Instant, Sample, root};
use crate::statics::eigenvalues;
use nalgebra::{DMatrix, DVector};
use std::sync::atomic::AtomicBool;

/// Samples in a step: at even distances, so that neighbours have theirs at the same times; and of a longer motion in all.
const IN_A_STEP: usize = 4;
const MOST_SAMPLES: usize = 200_000;
/// More directions than this are not followed.
const MOST: usize = 6;
/// How far the velocity of a neighbour is changed, in parts of the largest
const APART: f64 = 1e-4;
/// in this part of the motion, from its beginning: it may begin at rest, and become very fast later.
const BEGUN: usize = 10;
/// What an eigenvalue may miss zero by at the last time, in parts of what it falls by between two samples,
const AT_THE_END: f64 = 1e-5;
/// and its imaginary part at any: under forces without a potential a pair may go by.
const REAL: f64 = 1e-3;
/// Two times are one within this part of the time that passed.
const SAME: f64 = 1e-7;

/// A conjugate point.
#[derive(Clone, Debug, PartialEq)]
pub struct Conjugate {
    /// When.
    pub t: f64,
    /// In how many directions neighbours meet there.
    pub multiplicity: usize,
}

named! {
    /// Why no conjugate points were looked for.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Unconjugated {
        /// Forces without a potential act: the motion is no stationary path of an action.
        Forces = "forces",
        /// Velocity constraints hold: the same.
        VelocityConstraints = "velocity_constraints",
        /// M is not positive definite on the virtual displacements.
        Mass = "mass",
        /// There are too many directions.
        Many = "many",
        /// A neighbouring motion could not be computed.
        Neighbour = "neighbour",
    }
}

impl Model {
    /// The conjugate points of the first time of a motion; under forces without a potential, where there are none, the
    /// places where its neighbours meet it all the same, by the linearised equations of motion.
    pub(super) fn conjugate_points(
        &self,
        rows: &[usize],
        run: &Request,
        cancel: &AtomicBool,
    ) -> (Result<Vec<Conjugate>, Unconjugated>, Option<Vec<Conjugate>>) {
        let zero = self.system.pool.zero();
        match self.meetings(rows, run, cancel) {
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
        rows: &[usize],
        run: &Request,
        cancel: &AtomicBool,
    ) -> Result<Vec<Conjugate>, Unconjugated> {
        let system = &self.system;
        if !system.velocity_constraints.is_empty() {
            return Err(Unconjugated::VelocityConstraints);
        }
        let n = system.coordinates.len();
        let free = n - rows.len();
        let mut run = run.clone();
        run.samples = run.samples.map(|own| own.max(SAMPLES));
        let motion = |run: &Request| {
            let found = self.simulate(run, cancel);
            let found = found.map_err(|_| Unconjugated::Neighbour)?;
            let whole = found.finished.then_some(found.samples);
            whole.ok_or(Unconjugated::Neighbour)
        };
        let found = self.simulate(&run, cancel);
        let mut found = found.map_err(|_| Unconjugated::Neighbour)?;
        let closer = (IN_A_STEP * found.steps).min(MOST_SAMPLES);
        if closer >= found.samples.len() {
            run.samples = Some(closer);
            let again = self.simulate(&run, cancel);
            found = again.map_err(|_| Unconjugated::Neighbour)?;
        }
        let samples = found.samples;
        run.samples = Some(samples.len().saturating_sub(1));
        let Some(first) = samples.first() else {
            return Ok(Vec::new());
        };
        if free > MOST {
            return Err(Unconjugated::Many);
        }
        let frames: Option<Vec<_>> = samples.iter().map(|s| self.frame(s, rows)).collect();
        let frames = frames.ok_or(Unconjugated::Mass)?;
        let tangents = kernel(&self.gradients_at(first, rows));
        // in whatever units; of a motion that rests any speed will do
        let begun = samples.iter().take(1 + samples.len() / BEGUN);
        let speed = largest(begun.flat_map(|s| &s.v));
        let step = if speed > 0.0 { APART * speed } else { APART };
        let mut along: Vec<Vec<DVector<f64>>> = Vec::new();
        for direction in tangents.column_iter() {
            let neighbour = |sign: f64| {
                let mut request = run.clone();
                for (k, v) in &mut request.overrides.v {
                    *v += sign * step * direction[*k];
                }
                let found = motion(&request)?;
                let same = found.len() == samples.len();
                same.then_some(found).ok_or(Unconjugated::Neighbour)
            };
            let (plus, minus) = (neighbour(1.0)?, neighbour(-1.0)?);
            let pairs = plus.iter().zip(&minus);
            let column =
                pairs.map(|(a, b)| DVector::from_fn(n, |k, _| (a.x[k] - b.x[k]) / (2.0 * step)));
            along.push(column.collect());
        }
        let times: Vec<f64> = samples.iter().map(|s| s.t).collect();
        // dx/dv_0 by the time that passed
        let displacement = |i: usize, (k, c): (usize, usize)| match times[i] - first.t {
            0.0 => tangents[(k, c)],
            passed => along[c][i][k] / passed,
        };
        let mut found: Vec<Conjugate> = Vec::new();
        for i in 1..times.len() {
            let y = |t: f64| {
                let x = |k, c| interpolated(&times, |j| displacement(j, (k, c)), (i, THROUGH), t);
                &frames[i - 1] * DMatrix::from_fn(n, free, x)
            };
            let is_last = i + 1 == times.len();
            let met = meetings_between([times[i - 1], times[i]], &y, is_last);
            for t in met.ok_or(Unconjugated::Neighbour)? {
                match found.last_mut() {
                    Some(last) if (t - last.t).abs() <= SAME * (t - first.t).abs() => {
                        last.multiplicity += 1;
                    }
                    _ => found.push(Conjugate { t, multiplicity: 1 }),
                }
            }
        }
        Ok(found)
    }

    pub(super) fn gradients_at(&self, s: &Sample, rows: &[usize]) -> DMatrix<f64> {
        let value = self.constraint_value(s.t, &s.x);
        value.jacobian.select_rows(rows)
    }

    /// What takes a virtual displacement to coordinates in which M is one; `None` where it is not positive definite there (Legendre).
    fn frame(&self, s: &Sample, rows: &[usize]) -> Option<DMatrix<f64>> {
        let problem = self.unwatched();
        let mut instant = Instant::of(problem.dynamics);
        problem.dynamics.instant(s.t, &s.x, &s.v, &mut instant);
        let z = kernel(&self.gradients_at(s, rows));
        let root = (z.transpose() * instant.mass * &z).cholesky()?.unpack();
        let pivots = root.diagonal();
        (pivots.min() > 1e-6 * pivots.max()).then(|| root.transpose() * z.transpose())
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

/// When neighbours meet the motion between two samples, once for each direction, in the motion's order: zeros of the eigenvalues of
/// Y(t) Y(a)^-1. `None` where these are no numbers.
fn meetings_between(
    [a, b]: [f64; 2],
    y: &dyn Fn(f64) -> DMatrix<f64>,
    is_last: bool,
) -> Option<Vec<f64>> {
    // a conjugate point at a itself is the one of the samples before
    let beside = || y(a + 1e-3 * (b - a)).try_inverse();
    let back = y(a).try_inverse().or_else(beside)?;
    let factors = |t: f64| {
        let mut list = eigenvalues(&(y(t) * &back))?;
        list.sort_by(|a, b| a.re.total_cmp(&b.re));
        Some(list)
    };
    let near = if is_last { AT_THE_END } else { 0.0 };
    let mut met = Vec::new();
    for (c, at_b) in factors(b)?.iter().enumerate() {
        let own = |t: f64| factors(t).map(|list| list[c]);
        let t = if at_b.re < -near {
            let re = |t: f64| own(t).map_or(f64::NAN, |factor| factor.re);
            root((a, 1.0), (b, at_b.re), re)
        } else if at_b.re <= near {
            b
        } else {
            break;
        };
        let is_met = own(t)?.im.abs() < REAL;
        met.extend(is_met.then_some(t));
    }
    met.sort_by(|s, t| (s - a).abs().total_cmp(&(t - a).abs()));
    Some(met)
}
