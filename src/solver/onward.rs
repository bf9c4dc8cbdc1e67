//! What ends a motion at a singular configuration (t*, x*), as far as numbers show it.
//!
//! ```text
//! u^T W = 0,  u^T r /= 0      W x' = -r has no solution: no motion has a finite speed there
//! f(x; t* + s) = c            solutions are found next to x* for small -s, none for small s: the set ends
//! f(x) = c, |x - x*| = rho    on small spheres points of the curve are found where the motion comes from, two at
//!                             least, and none where it goes: a cusp
//! ```
//!
//! with r the parts of the derivatives of the constraints that have no velocities (f_t, b). Solutions are looked for by Newton's
//! method from many places.

use nalgebra::{DMatrix, DVector};

use super::ahead::{Ahead, pace};
use super::error::Halt;
use super::rank::InUse;
use crate::geometry::{Constraints, Evaluation, NewtonBack, Next, Split, number};

/// Singular values below this part of a row vanish.
const VANISHING: f64 = 1e-5;
/// The place is no further from the last state than this part of the size of each coordinate.
const NEXT_TO: f64 = 1e-4;
/// A combination has no part of a row whose share, rows scaled to size one, is below this;
const SHARE: f64 = 1e-4;
/// its right side is not zero above this part of its terms, and if it moves a row by this part of its size in the run.
const LEFT: f64 = 1e-3;
const COUNTS: f64 = 1e-6;
/// Distances from the place, in parts of the sizes of the coordinates, or of the time in which they change by it.
const RADII: [f64; 3] = [3e-2, 1e-2, 3e-3];
/// Newton's method: steps, its cut, and what it comes to in parts of the distance.
const STEPS: usize = 80;
const CUT: f64 = 1e-13;
const MET: f64 = 1e-7;
/// Starts at each distance, for each dimension of the kernel.
const STARTS: usize = 25;
/// Points further apart than this part of the distance are two.
const APART: f64 = 1e-5;
/// A point is ahead, or behind, where the cosine to the velocity, or against it, is above this.
const AHEAD: f64 = 0.5;
/// A solution is near up to this part of the sizes.
const NEAR: f64 = 0.3;

/// A place where a motion stops, and how it came there.
#[derive(Clone, Copy)]
pub(super) struct Stopped<'a> {
    pub(super) t: f64,
    pub(super) x: &'a [f64],
    pub(super) v: &'a [f64],
    pub(super) sizes: &'a [f64],
    /// The time of the whole run, negative backwards.
    pub(super) span: f64,
}

/// What ends the motion at the singular configuration next to a state; `None` where there is none.
pub(super) fn halt(ahead: &mut Ahead<'_>, set: InUse<'_>, state: &Stopped<'_>) -> Option<Halt> {
    let (n, r) = (state.x.len(), set.rows.len());
    let beat = pace(state.sizes, state.v);
    let (t, x) = ahead.singular((state.t, state.x), state.sizes, beat)?;
    let near = |k: usize| (x[k] - state.x[k]).abs() <= NEXT_TO * state.sizes[k];
    if !(0..n).all(near) {
        return None;
    }
    let rows = set.rows(t, &x);
    let weights = &ahead.rows.weights;
    let mut scaled = rows.gradients;
    for (k, mut column) in scaled.column_iter_mut().enumerate() {
        let entries = column.iter_mut().zip(weights);
        entries.for_each(|(e, weight)| *e *= weight * state.sizes[k]);
    }
    let vanishing = |split: &Split| {
        let top = split.sizes.first().map_or(1.0, |top| top.max(1.0));
        let first = split.sizes.iter().position(|s| *s <= VANISHING * top);
        first.unwrap_or(split.sizes.len())
    };
    let whole = Split::new(&scaled)?;
    for u in whole.left.column_iter().skip(vanishing(&whole)) {
        let rates = rows.rates.iter().zip(weights).zip(&u);
        let own = rates.filter(|(_, share)| share.abs() > SHARE);
        let terms = own.map(|((rate, weight), share)| rate * weight * share);
        let (sum, all) = terms.fold((0.0, 0.0), |(sum, all), e| (sum + e, all + e.abs()));
        if sum.abs() > LEFT * all && sum.abs() * state.span.abs() > COUNTS {
            return Some(Halt::InfiniteSpeed);
        }
    }
    let positions = Split::new(&scaled.rows(0, r).into_owned())?;
    let rank = vanishing(&positions);
    if rank == r {
        return Some(Halt::NotDecided);
    }
    let mut kept = positions.right.columns(0, rank).into_owned();
    for (mut column, size) in kept.column_iter_mut().zip(&positions.sizes) {
        column /= *size;
    }
    let place = Stopped { t, x: &x, ..*state };
    let set = InUse::positions(set.problem, set.rows);
    let search = OnwardSearch { set, place, kept };
    let aside = search.start(0, NEAR);
    let shown = if set.rows(t, &aside).rates.iter().any(|rate| *rate != 0.0) {
        search.end(beat)
    } else if n == r + 1 {
        search.cusp()
    } else {
        None
    };
    Some(shown.unwrap_or(Halt::NotDecided))
}

/// The position constraints next to their singular configuration.
struct OnwardSearch<'a> {
    set: InUse<'a>,
    place: Stopped<'a>,
    /// Orthonormal: what their gradients reach, a column each, in units of the sizes.
    kept: DMatrix<f64>,
}

impl OnwardSearch<'_> {
    /// A place that looks random, so far off in the kernel.
    fn start(&self, which: usize, radius: f64) -> Vec<f64> {
        let Stopped { x, sizes, .. } = self.place;
        let way = self.within(DVector::from_fn(x.len(), |k, _| number(k, which)));
        let parts = x.iter().zip(sizes).zip(&way);
        let at = parts.map(|((x, size), part)| x + radius * size * part);
        at.collect()
    }

    /// The part of a direction in the kernel, of length one.
    fn within(&self, mut way: DVector<f64>) -> DVector<f64> {
        // the second time takes away what rounding left
        for _ in 0..2 {
            way -= &self.kept * self.kept.tr_mul(&way);
        }
        way.normalize()
    }

    fn offset(&self, x: &[f64]) -> DVector<f64> {
        let Stopped { x: from, sizes, .. } = self.place;
        DVector::from_fn(x.len(), |k, _| (x[k] - from[k]) / sizes[k])
    }

    /// Where Newton's method comes to a point of the set at a time, on a sphere where one is given.
    fn back(&self, (t, start): (f64, Vec<f64>), sphere: Option<f64>) -> Option<DVector<f64>> {
        let sizes = self.place.sizes;
        let unit = sphere.unwrap_or(1.0);
        let newton = NewtonBack {
            widths: sizes,
            longest: NEAR * unit,
            cut: CUT,
            steps: STEPS,
        };
        let look = |x: &[f64]| {
            let rows = self.set.rows(t, x);
            let (mut residual, mut gradients) = (rows.residual, rows.gradients);
            if let Some(radius) = sphere {
                let offset = self.offset(x);
                let r = residual.len();
                residual = residual.insert_row(r, offset.norm_squared() - radius * radius);
                gradients = gradients.insert_row(r, 0.0);
                let slopes = offset.iter().zip(sizes).map(|(e, size)| 2.0 * e / size);
                let slots = gradients.row_mut(r);
                slots.into_iter().zip(slopes).for_each(|(e, s)| *e = s);
            }
            // rows of length one: residuals are distances
            for (mut row, f) in gradients.row_iter_mut().zip(residual.iter_mut()) {
                let squares = row.iter().zip(sizes).map(|(e, s)| (e * s) * (e * s));
                let length = squares.sum::<f64>().sqrt();
                if !(length > 0.0 && f.is_finite()) {
                    return None;
                }
                *f /= length;
                row /= length;
            }
            Some(Evaluation {
                residual,
                gradients,
            })
        };
        let ended = newton.run(start, look, |step| {
            if step.length <= MET * unit && step.residual.amax() <= MET * unit {
                Next::There
            } else {
                Next::Go
            }
        })?;
        Some(self.offset(&ended.x))
    }

    /// Whether points are found next to the place just before its time, and none just after it.
    fn end(&self, beat: f64) -> Option<Halt> {
        let found = |s: f64| {
            (0..STARTS).any(|i| {
                let start = self.start(i, [NEAR * NEAR, NEAR * NEAR * NEAR][i % 2]);
                let met = self.back((self.place.t + s, start), None);
                met.is_some_and(|offset| offset.norm() <= NEAR)
            })
        };
        let times = RADII.map(|part| part * beat.copysign(self.place.span));
        let shown = times.iter().all(|s| found(-s) && !found(*s));
        shown.then_some(Halt::End {
            within: times[0].abs(),
        })
    }

    /// Whether two points of a curve at least are found behind the place and none ahead.
    fn cusp(&self) -> Option<Halt> {
        let Stopped { v, sizes, span, .. } = self.place;
        let along = DVector::from_fn(v.len(), |k, _| v[k] * span.signum() / sizes[k]);
        let along = self.within(along);
        let dimension = v.len() - self.kept.ncols();
        let mut branches = usize::MAX;
        for radius in RADII {
            let mut behind: Vec<DVector<f64>> = Vec::new();
            for i in 0..STARTS * dimension {
                let start = self.start(i, radius);
                let Some(point) = self.back((self.place.t, start), Some(radius)) else {
                    continue;
                };
                let cosine = point.dot(&along) / radius;
                if cosine > AHEAD {
                    return None;
                }
                let apart = |known: &DVector<f64>| (known - &point).norm() > APART * radius;
                if cosine < -AHEAD && behind.iter().all(apart) {
                    behind.push(point);
                }
            }
            branches = branches.min(behind.len());
        }
        (branches >= 2).then_some(Halt::Cusp {
            branches,
            within: RADII[0],
        })
    }
}
