//! Solutions that are none: places to which the multipliers run off without end.
//!
//! Newton's method on S = J^T lambda also comes to rest where the gradients of the constraints become
//! dependent: lambda grows as the way left shrinks, and beside the terms of J^T lambda the residual seems to
//! vanish. F. John's form
//!
//! ```text
//! mu S = J^T u,  f = c,  mu^2 + |u|^2 = 1,  lambda = u/mu
//! ```
//!
//! is bounded there: solved from such a place it says whether mu is zero (the multipliers diverge, and the
//! place is a singular configuration, held by no finite forces) or only small.

use super::numeric::{Local, Numeric, Scales, Settled};
use nalgebra::{DMatrix, DVector};

/// Multipliers that carry more than this many times the forces are looked at.
const LARGE: f64 = 1e4;
/// So large they are taken for divergent where Newton's method in F. John's form does not settle it.
const ENDLESS: f64 = 1e7;
/// At an equilibrium mu stays as it is; where it falls below this part of what it was, it runs to zero.
const FALLEN: f64 = 0.1;
/// A singular place is an equilibrium where the best multipliers leave no more than this part of the forces.
const HELD: f64 = 1e-6;
/// Gradients count as dependent there at this part of the largest singular value.
const DEPENDENT: f64 = 1e-5;
/// Newton steps.
const STEPS: usize = 60;

/// What the units of forces and constraints are, held while Newton's method runs.
struct Units {
    force: f64,
    level: DVector<f64>,
}

/// A point in F. John's form.
struct Bounded {
    x: Vec<f64>,
    mu: f64,
    u: DVector<f64>,
}

impl Numeric<'_> {
    /// The singular configuration where the multipliers of a solution diverge; `None` where it is an equilibrium.
    pub fn divergence(&self, found: &Settled, scales: &Scales) -> Option<Vec<f64>> {
        let (n, m) = (found.x.len(), found.lambda.len());
        let local = self.at(&found.x, m);
        let units = units(&local, scales)?;
        let carried = DVector::from_fn(m, |b, _| found.lambda[b] * units.level[b] / units.force);
        let size = carried.norm();
        if size.is_nan() || size < LARGE {
            return None;
        }
        let norm = size.hypot(1.0);
        let start = Bounded {
            x: found.x.clone(),
            mu: 1.0 / norm,
            u: carried / norm,
        };
        let before = start.mu;
        let at = match self.bounded(start, &units, scales) {
            Some(end) if end.mu.abs() > FALLEN * before => return None,
            Some(end) => end.x,
            None if size < ENDLESS => return None,
            None => found.x.clone(),
        };
        // with dependent gradients there may be multipliers all the same
        let there = self.at(&at, m);
        let rows = DMatrix::from_fn(n, m, |k, b| {
            there.jacobian[(b, k)] * scales.width[k] / units.level[b]
        });
        let right = there.force.component_mul(&scales.width) / units.force;
        let svd = rows.clone().try_svd(true, true, f64::EPSILON, 400)?;
        let cut = DEPENDENT * svd.singular_values.max();
        let lambda = svd.solve(&right, cut).ok()?;
        let rest = (right - rows * lambda).amax();
        (rest.is_nan() || rest > HELD).then_some(at)
    }

    /// Newton's method in F. John's form; `None` where it does not come to rest nearby.
    fn bounded(&self, start: Bounded, units: &Units, scales: &Scales) -> Option<Bounded> {
        let (n, m) = (start.x.len(), start.u.len());
        let w = &scales.width;
        let mut at = start;
        let mut gone = 0.0;
        for _ in 0..STEPS {
            let local = self.at(&at.x, m);
            let a = DMatrix::from_fn(n, m, |k, b| local.jacobian[(b, k)] * w[k] / units.level[b]);
            let s = local.force.component_mul(w) / units.force;
            let bent = local.bent(
                at.mu / units.force,
                &DVector::from_fn(m, |b, _| at.u[b] / units.level[b]),
            );
            let mut matrix = DMatrix::zeros(n + m + 1, n + m + 1);
            let mut right = DVector::zeros(n + m + 1);
            let rest = &s * at.mu - &a * &at.u;
            for i in 0..n {
                for j in 0..n {
                    matrix[(i, j)] = bent[(i, j)] * w[i] * w[j];
                }
                for b in 0..m {
                    matrix[(i, n + b)] = -a[(i, b)];
                    matrix[(n + b, i)] = a[(i, b)];
                }
                matrix[(i, n + m)] = s[i];
                right[i] = rest[i];
            }
            for b in 0..m {
                right[n + b] = local.level[b] / units.level[b];
                matrix[(n + m, n + b)] = at.u[b];
            }
            matrix[(n + m, n + m)] = at.mu;
            right[n + m] = 0.5 * (at.mu * at.mu + at.u.norm_squared() - 1.0);
            let step = matrix.full_piv_lu().solve(&right)?;
            let longest = step.amax();
            if !longest.is_finite() {
                return None;
            }
            gone += longest;
            if gone > 0.5 {
                return None;
            }
            for k in 0..n {
                at.x[k] -= step[k] * w[k];
            }
            for b in 0..m {
                at.u[b] -= step[n + b];
            }
            at.mu -= step[n + m];
            if longest < 1e-12 {
                return Some(at);
            }
        }
        None
    }
}

/// The work of the forces, and of a unit of each constraint, over the widths; `None` where there is no force.
fn units(local: &Local, scales: &Scales) -> Option<Units> {
    let w = &scales.width;
    let force = local.force_size.component_mul(w).amax();
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
    (force > 0.0 && force.is_finite() && level.iter().all(|v| v.is_finite()))
        .then_some(Units { force, level })
}
