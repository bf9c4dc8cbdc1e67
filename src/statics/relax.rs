//! Equilibria of large systems: downhill to where the potential is least, and from there by turning what pulls
//! into what pushes.
//!
//! *Downhill* is pseudo-transient continuation: with sizes in parts of virtual work, each step solves
//!
//! ```text
//! (K + sigma) dx - W^T dlambda = -(S - W^T lambda),   J dx = 0
//! ```
//!
//! and goes back onto the constraints: an implicit step of length 1/sigma of the motion against the force. sigma falls as the residual does, so that the
//! last steps are Newton's; it grows where a step would go too far or the wrong way. Uphill is the same with -sigma. Source: C. T. Kelley and D. E. Keyes (1998).
//!
//! *Turning*: where S - W^T lambda = 0 determines x for given multipliers (K regular), other signs of single
//! multipliers lead to other equilibria: a link of a hanging chain that stands up carries the same load, pushed
//! in place of pulled. A start that is none costs a few steps of Newton's method.

use super::numeric::{Numeric, Scaled, Settled, Widths, augmented, solve};
use crate::expr::is_over;
use crate::geometry::largest;
use nalgebra::{DMatrix, DVector};

/// Steps downhill.
const STEPS: usize = 600;
/// A step moves no coordinate by more than this part of its width.
const LONGEST: f64 = 0.02;
/// sigma at first, in parts of the largest stiffness.
const FIRST: f64 = 1.0;
/// sigma falls with the residual, by no more than this factor in a step.
const FALLS: f64 = 0.2;
/// It falls by this factor where a step was short.
const EASED: f64 = 0.6;
/// How often sigma grows in a step.
const TRIES: usize = 24;
/// Steps back onto the constraints.
const RETURNING: usize = 8;
/// So near to the constraints, in parts of the step, is on them.
const NEAR: f64 = 1e-3;
/// Levels missed by this part of what they change by across the box are those of a start that is off.
const FAR_OFF: f64 = 1e-4;
/// A residual of this part of the virtual work is left to Newton's method.
const AT_REST: f64 = 1e-7;
/// Steps for coordinates from multipliers.
const TURNING: usize = 8;

/// Which way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sense {
    /// To where the potential is least.
    Down,
    /// To where it is greatest.
    Up,
}

/// Where a way downhill is.
struct Stand {
    x: Vec<f64>,
    sigma: f64,
    /// how far a step may go, in parts of the widths
    radius: f64,
}

impl Numeric<'_> {
    /// Goes downhill or uphill on the constraints; `None` where it comes to no rest.
    pub fn relax(&self, start: &[f64], widths: &Widths, way: Sense) -> Option<Settled> {
        let sign = if way == Sense::Down { 1.0 } else { -1.0 };
        let mut stand = Stand {
            x: start.to_vec(),
            sigma: FIRST,
            radius: LONGEST,
        };
        let mut last = f64::INFINITY;
        for _ in 0..STEPS {
            if is_over() {
                return None;
            }
            let local = self.at(&stand.x);
            if !local.is_finite() {
                return None;
            }
            let lambda = local.multipliers(widths);
            let scaled = Self::scaled(&stand.x, &local, &lambda, widths);
            let rest = scaled.right.amax();
            if rest < AT_REST {
                break;
            }
            if rest < last {
                stand.sigma *= (rest / last).max(FALLS);
            }
            last = rest;
            self.walk(&mut stand, &scaled, widths, sign)?;
        }
        self.settle(&stand.x, widths)
    }

    /// A step along the constraints that goes the right way and not too far, and back onto them: sigma grows and the
    /// radius shrinks until it does.
    fn walk(&self, stand: &mut Stand, scaled: &Scaled, widths: &Widths, sign: f64) -> Option<()> {
        let n = stand.x.len();
        let mut along = scaled.right.clone();
        along.rows_mut(n, scaled.right.len() - n).fill(0.0);
        for _ in 0..TRIES {
            let mut matrix = scaled.matrix.clone();
            for k in 0..n {
                matrix[(k, k)] += sign * stand.sigma;
            }
            let Some(step) = solve(&matrix, &along) else {
                stand.sigma *= 4.0;
                continue;
            };
            let far = largest(step.rows(0, n).iter());
            if !far.is_finite() {
                return None;
            }
            let work: f64 = (0..n).map(|k| step[k] * along[k]).sum();
            if work * sign < 0.0 {
                stand.sigma *= 4.0;
                continue;
            }
            if far > stand.radius {
                stand.sigma *= (far / stand.radius).clamp(1.5, 100.0);
                continue;
            }
            let moved: Vec<f64> = (0..n).map(|k| stand.x[k] - step[k] * widths[k]).collect();
            // at the start it may be a long way to the constraints
            let most = if scaled.right.rows(n, scaled.right.len() - n).amax() > FAR_OFF {
                1.0
            } else {
                0.7 * far
            };
            let Some(x) = self.restored(moved, widths, (far, most)) else {
                stand.sigma *= 2.0;
                stand.radius *= 0.4;
                continue;
            };
            stand.x = x;
            if far < 0.5 * stand.radius {
                stand.sigma *= EASED;
            }
            stand.radius = (1.5 * stand.radius).min(LONGEST);
            return Some(());
        }
        None
    }

    /// The nearest point of the constraints, where it is no further than `most` and easily found; as near as a part of
    /// `far` is enough.
    fn restored(
        &self,
        mut x: Vec<f64>,
        widths: &Widths,
        (far, most): (f64, f64),
    ) -> Option<Vec<f64>> {
        let n = x.len();
        for _ in 0..RETURNING {
            let local = self.at(&x);
            if !local.is_finite() {
                return None;
            }
            let rows: Vec<usize> = (0..local.climbs.nrows())
                .filter(|b| local.climbs.row(*b).iter().any(|v| *v != 0.0))
                .collect();
            if rows.is_empty() {
                return Some(x);
            }
            let columns = DMatrix::from_fn(n, rows.len(), |k, place| {
                local.climbs[(rows[place], k)] * widths[k]
            });
            let levels = DVector::from_fn(rows.len(), |place, _| local.level[rows[place]]);
            let way = augmented(&columns, &DVector::zeros(n), &levels)?;
            let longest = largest(way.rows(0, n).iter());
            if longest > most {
                return None;
            }
            for k in 0..n {
                x[k] -= way[k] * widths[k];
            }
            if longest <= NEAR * far || longest <= 1e-12 {
                return Some(x);
            }
        }
        None
    }

    /// The equilibrium where the multipliers are about these.
    pub fn turned(
        &self,
        near: &Settled,
        lambda: &DVector<f64>,
        widths: &Widths,
    ) -> Option<Settled> {
        let n = near.x.len();
        let mut x = near.x.clone();
        for _ in 0..TURNING {
            let local = self.at(&x);
            if !local.is_finite() {
                return None;
            }
            let scaled = Self::scaled(&x, &local, lambda, widths);
            let stiffness = scaled.matrix.view((0, 0), (n, n)).into_owned();
            let rest = scaled.right.rows(0, n).into_owned();
            if rest.norm() < 1e-12 {
                break;
            }
            let step = solve(&stiffness, &rest)?;
            if !step.iter().all(|v| v.is_finite() && v.abs() < 1.0) {
                return None;
            }
            for k in 0..n {
                x[k] -= step[k] * widths[k];
            }
        }
        self.settle(&x, widths)
    }
}
