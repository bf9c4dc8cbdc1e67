//! Solutions that are none: places to which the multipliers run off without end.
//!
//! Newton's method on S = J^T lambda also comes to rest where the gradients of the constraints become
//! dependent: lambda grows as the way left shrinks, and beside the terms of J^T lambda the residual seems to
//! vanish. F. John's form mu S = J^T u, |u| = 1, lambda = u/mu is bounded there, and mu is zero at such a place:
//! it is a singular configuration,
//!
//! ```text
//! J^T u = 0,  f = c,  |u| = 1
//! ```
//!
//! one equation more than unknowns. Where multipliers are large, Gauss and Newton's method looks for one nearby.
//! An equilibrium that is only close to one (a toggle nearly straight) misses these equations by about 1/lambda^2.

use super::numeric::{Local, Numeric, Settled, Widths, diagonal_form};
use crate::geometry::LeastNorm;
use nalgebra::{DMatrix, DVector};

/// Multipliers that carry more than this many times the forces are looked at.
const LARGE: f64 = 1e4;
/// An equilibrium misses the equations of a singular configuration by more than this part of 1/lambda^2.
const NEARER: f64 = 1e-4;
/// What rounding leaves of these equations.
const ROUNDING: f64 = 4e-15;
/// A singular place is an equilibrium where the best multipliers leave no more than this part of the forces.
const HELD: f64 = 1e-6;
/// A force that is less than this part of what it becomes over the widths may be rounding: it is measured by that part.
const FAINT: f64 = 1e-6;
/// Gradients count as dependent there at this part of the largest singular value.
const DEPENDENT: f64 = 1e-5;
/// A singular configuration farther than this part of the widths is another place.
const NEARBY: f64 = 1e-2;
/// Steps of Gauss and Newton's method.
const STEPS: usize = 60;

/// A point where the gradients of the constraints are dependent.
pub struct Singular {
    /// The coordinates.
    pub x: Vec<f64>,
    /// Multipliers that hold the forces there, if any do.
    pub held: Option<DVector<f64>>,
}

/// What the units of forces and constraints are, held while the method runs.
struct Units {
    force: f64,
    level: DVector<f64>,
}

impl Units {
    /// J^T in these units, over the widths.
    fn pushes(&self, local: &Local, widths: &Widths) -> DMatrix<f64> {
        let (m, n) = local.jacobian.shape();
        DMatrix::from_fn(n, m, |k, b| {
            local.jacobian[(b, k)] * widths[k] / self.level[b]
        })
    }
}

impl Numeric<'_> {
    /// The singular configuration where the multipliers of a solution diverge; `None` where it is an equilibrium.
    pub fn divergence(&self, found: &Settled, widths: &Widths) -> Option<Vec<f64>> {
        let m = found.lambda.len();
        let local = self.at(&found.x);
        let units = units(&local, widths)?;
        let carried = DVector::from_fn(m, |b, _| found.lambda[b] * units.level[b] / units.force);
        let size = carried.norm();
        if size.is_nan() || size < LARGE {
            return None;
        }
        let (at, missed) = self.singular_near(&found.x, carried / size, &units, widths)?;
        if missed > (NEARER / (size * size)).max(ROUNDING) {
            return None;
        }
        let there = self.at(&at);
        held(&there, &units, widths).is_none().then_some(at)
    }

    /// The singular point next to one that is suspected; `None` where none is found.
    pub fn singular_at(&self, x: &[f64], widths: &Widths) -> Option<Singular> {
        let local = self.at(x);
        let units = units(&local, widths)?;
        // u of the least J^T u
        let rows = units.pushes(&local, widths).transpose();
        let squares = diagonal_form(&(&rows * rows.transpose()))?;
        let least = squares.eigenvalues.imin();
        let start = squares.eigenvectors.column(least).into_owned();
        let (x, missed) = self.singular_near(x, start, &units, widths)?;
        let there = self.at(&x);
        (missed <= ROUNDING).then(|| Singular {
            held: held(&there, &units, widths),
            x,
        })
    }

    /// The nearest point to a singular configuration by Gauss and Newton's method, and by how much it misses its
    /// equations; `None` where none is nearby.
    fn singular_near(
        &self,
        start: &[f64],
        mut u: DVector<f64>,
        units: &Units,
        w: &Widths,
    ) -> Option<(Vec<f64>, f64)> {
        let (n, m) = (start.len(), u.len());
        let mut x = start.to_vec();
        let mut best: Option<(Vec<f64>, f64)> = None;
        for _ in 0..STEPS {
            let local = self.at(&x);
            let a = units.pushes(&local, w);
            let scaled = DVector::from_fn(m, |b, _| -u[b] / units.level[b]);
            let bent = local.bent(0.0, &scaled);
            let mut matrix = DMatrix::zeros(n + m + 1, n + m);
            let mut right = DVector::zeros(n + m + 1);
            let rest = &a * &u;
            for i in 0..n {
                for j in 0..n {
                    matrix[(i, j)] = bent[(i, j)] * w[i] * w[j];
                }
                for b in 0..m {
                    matrix[(i, n + b)] = a[(i, b)];
                    matrix[(n + b, i)] = local.climbs[(b, i)] * w[i] / units.level[b];
                }
                right[i] = rest[i];
            }
            for b in 0..m {
                right[n + b] = local.level[b] / units.level[b];
                matrix[(n + m, n + b)] = u[b];
            }
            right[n + m] = 0.5 * (u.norm_squared() - 1.0);
            let missed = right.amax();
            if !missed.is_finite() || matrix.iter().any(|v| !v.is_finite()) {
                return None;
            }
            if best.as_ref().is_some_and(|(_, least)| missed >= *least) {
                break;
            }
            best = Some((x.clone(), missed));
            let step = LeastNorm::new(&matrix)?.shortest(&right, 1e-13)?;
            for k in 0..n {
                x[k] -= step[k] * w[k];
            }
            for b in 0..m {
                u[b] -= step[n + b];
            }
            let gone = (0..n).map(|k| ((x[k] - start[k]) / w[k]).abs());
            if gone.fold(0.0, f64::max) > NEARBY {
                return None;
            }
        }
        best
    }
}

/// With dependent gradients there may be multipliers that hold the forces all the same.
fn held(there: &Local, units: &Units, widths: &Widths) -> Option<DVector<f64>> {
    let rows = units.pushes(there, widths);
    let right = there.force.component_mul(widths) / units.force;
    let squares = LeastNorm::new(&rows)?;
    // beside what a gradient is over the widths
    let cut = DEPENDENT * squares.largest().max(DEPENDENT);
    let lambda = squares.solve(&right, cut)?;
    let rest = (right - rows * &lambda).amax();
    let carried = (lambda * units.force).component_div(&units.level);
    (rest <= HELD).then_some(carried)
}

/// The work of the forces, and of a unit of each constraint, over the widths; `None` where one is no number.
fn units(local: &Local, w: &Widths) -> Option<Units> {
    let grown = local.slopes.abs() * w * FAINT;
    let force = (&local.force_size + grown).component_mul(w).amax();
    // a gradient may vanish just there: what it becomes over the widths counts too
    let mut level = DVector::zeros(local.level.len());
    for b in 0..level.len() {
        let row = local.jacobian.row(b);
        let sum: f64 = row.iter().zip(w.iter()).map(|(j, w)| j.abs() * w).sum();
        level[b] = sum + local.curvature(b, w);
        if level[b] == 0.0 {
            level[b] = 1.0;
        }
    }
    let force = if force == 0.0 { 1.0 } else { force };
    (force.is_finite() && level.iter().all(|v| v.is_finite())).then_some(Units { force, level })
}
