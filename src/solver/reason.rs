//! Why a motion cannot be carried on.

use nalgebra::DMatrix;

use super::dynamics::{Instant, Problem};
use super::error::{Dependent, Halt, Placed, Quantity, SolverError};
use super::linearised::{Linearised, Stop};
use super::rank::InUse;
use super::step::Knot;
use crate::geometry::{Constraints, Split};

/// Where steps collapse, the rank is to blame if a change of the coordinates by this part of their
/// size can lower it.
const COLLAPSE_DOUBT: f64 = 1e-6;
/// M is singular on ker J where the scaled equations have a singular value below this part of the
/// largest.
const MASSLESS: f64 = 1e-10;
/// The accelerations have no part in a combination of rows that vanishes where theirs is below this part of it.
const ROWS_ALONE: f64 = 1e-3;
/// A coordinate of this size has left every bound.
const HUGE: f64 = 1e50;
/// A motion runs away where its velocity grows by its own size in this part of the time so far,
const SUDDEN: f64 = 1e-6;
/// and takes the coordinate this part of its size further in that time.
const FURTHER: f64 = 1e-3;
/// It is as large as it ever was, or nearly.
const GROWN: f64 = 0.9;
/// Components of a direction below this part of the largest are left out of a message.
const NEGLIGIBLE: f64 = 1e-6;

/// The coordinate that runs to infinity from (t, y) with derivative `dy`, where steps have become too
/// short after a time `so_far`.
///
/// Near a pole x ~ s^-p, s the time that is left, and near a logarithm, v/a ~ s and v^2/a stays
/// comparable to x; at a singularity with a finite x, v^2/a goes to zero with s. What runs to infinity is as
/// large as it ever was (`size`), not next to zero.
pub(super) fn unbounded(
    problem: &Problem<'_>,
    size: &[f64],
    Knot { t, y, slope: dy }: Knot<'_>,
    so_far: f64,
) -> Option<SolverError> {
    let n = problem.dynamics.coordinates();
    // backwards in time velocities point the other way
    let runs = |k: usize| {
        let (x, v, a) = (y[k], dy[k] * so_far.signum(), dy[n + k]);
        let sudden = v.abs() <= SUDDEN * so_far.abs() * a.abs() && v * v >= FURTHER * (a * x).abs();
        x.abs() >= HUGE || (x.abs() >= GROWN * size[k] && x * v > 0.0 && a * v > 0.0 && sudden)
    };
    let k = (0..n)
        .filter(|&k| runs(k))
        .max_by(|&i, &k| y[i].abs().total_cmp(&y[k].abs()))?;
    let what = Placed {
        name: problem.coordinate(k),
        value: y[k],
    };
    Some(SolverError::Unbounded { t, what })
}

/// Why the motion cannot be carried on from (t, y): `size` are the sizes of the coordinates so far, `floor` is the
/// smallest step.
pub(super) fn reason(
    set: InUse<'_>,
    size: &[f64],
    stop: Stop,
    (t, y): (f64, &[f64]),
    floor: f64,
) -> SolverError {
    let x = &y[..size.len()];
    match stop {
        Stop::Constraint(b) => return set.problem.not_finite(b, t),
        Stop::Equations => {
            let what = Quantity::Equations;
            return SolverError::NotFinite { what, t };
        }
        Stop::Singular | Stop::Position | Stop::Branch | Stop::Rejected => {}
    }
    let spread: Vec<f64> = size.iter().map(|s| COLLAPSE_DOUBT * s).collect();
    let lost = |of, ratio| SolverError::RankLost {
        of,
        t,
        ratio,
        // what ends it there is looked for elsewhere
        halt: Halt::NotDecided,
    };
    let both = set.blurred((t, x), &spread);
    let own: Vec<usize> = (0..set.rows.len()).collect();
    let (gradients, whole) = (both.select(&own).eliminated(), both.eliminated());
    if gradients.rank() < set.rows.len() {
        return lost(Dependent::Gradients, gradients.ratio());
    }
    if whole.rank() < set.count() {
        return lost(Dependent::All, whole.ratio());
    }
    match degenerate(set, (t, y)) {
        Some(Degenerate::Energy(direction)) => SolverError::NoInertia { direction, t },
        Some(Degenerate::Rows(of, ratio)) => lost(of, ratio),
        None => SolverError::StepCollapsed { t, step: floor },
    }
}

/// Why the equations of motion with the multipliers beside the accelerations are singular, or nearly so.
enum Degenerate {
    /// The kinetic energy has no part along a direction of ker W, in coordinates.
    Energy(Vec<Placed>),
    /// Rows are dependent.
    Rows(Dependent, f64),
}

/// (v, lambda) with M v = W^T lambda and W v = 0 tells which: where M has a part along all of ker W, v is zero and
/// the combination lambda of rows vanishes.
fn degenerate(set: InUse<'_>, (t, y): (f64, &[f64])) -> Option<Degenerate> {
    let InUse { problem, rows, .. } = set;
    let n = problem.dynamics.coordinates();
    let at = Instant::at(problem.dynamics, (t, &y[..n], &y[n..]));
    let r = set.count();
    let across = set.rows(t, &y[..n]).gradients.transpose();
    let gradients = across.as_slice();
    let linear = Linearised::new(gradients, set, &at);
    let mut scale = vec![1.0; n + r];
    linear.blocks().scales(n, &mut scale);
    let full = DMatrix::from_fn(n + r, n + r, |i, k| {
        let entry = match (i < n, k < n) {
            (true, true) => at.mass[(i, k)],
            (true, false) => gradients[(k - n) * n + i],
            (false, true) => gradients[(i - n) * n + k],
            (false, false) => 0.0,
        };
        entry * scale[i] * scale[k]
    });
    let split = Split::new(&full)?;
    let ratio = split.sizes.last()? / split.sizes.first()?;
    if ratio > MASSLESS {
        return None;
    }
    // symmetric: what the combination of rows is, the direction is
    let v = split.left.column(split.left.ncols().checked_sub(1)?);
    let part = |from: usize, to: usize| (from..to).fold(0.0_f64, |most, k| most.max(v[k].abs()));
    let of_velocities = part(n + rows.len(), n + r);
    if part(0, n) <= ROWS_ALONE * of_velocities.max(part(n, n + rows.len())) {
        let of = if of_velocities <= ROWS_ALONE {
            Dependent::Gradients
        } else {
            Dependent::All
        };
        return Some(Degenerate::Rows(of, ratio));
    }
    let mut direction: Vec<f64> = (0..n).map(|k| v[k] * scale[k]).collect();
    let most = direction.iter().fold(
        0.0_f64,
        |most, e| if e.abs() > most.abs() { *e } else { most },
    );
    for e in &mut direction {
        *e /= most;
    }
    let parts = direction
        .iter()
        .enumerate()
        .filter(|(_, e)| e.abs() > NEGLIGIBLE);
    let part = |(k, e): (usize, &f64)| Placed {
        name: problem.coordinate(k),
        value: *e,
    };
    Some(Degenerate::Energy(parts.map(part).collect()))
}
