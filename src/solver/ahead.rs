//! Looking ahead for a singular configuration: a place where the gradients of the constraints become
//! linearly dependent on the way.
//!
//! With T an orthonormal basis of ker J at a point of the motion, the *regularity*
//!
//! ```text
//! d(x; t) = det [J(x; t); T^T]        rows of J divided by their lengths at the point
//! ```
//!
//! is a smooth function that knows no chart. It is the volume spanned by the gradients at the point and
//! changes sign where the smooth continuation of a motion passes a simple crossing of two branches of
//! the constraint set: with f = (a.x)(b.x) near it, J = (b.x) a + (a.x) b changes sign along either
//! branch, but keeps the sign of d for a motion that turns off on to the other one.
//!
//! A zero of d ahead may be one of the basis (the motion turns by a right angle) or a near miss (the
//! branches do not quite meet). A singular configuration is a solution of f = c, J^T u = 0 with |u| = 1,
//! one equation more than unknowns: Gauss-Newton's method finds it to rounding where there is one, and
//! comes to no solution where there is none.

use nalgebra::{DMatrix, DVector};

use super::dynamics::{ConstraintValue, Problem};
use super::linear::{Lu, Orthogonal};
use super::rank;

/// Up to this many coordinates the regularity is followed; its price grows with the cube.
const MOST: usize = 64;
/// Zeros up to this many steps ahead are looked for, at tolerances down to [`LOOSE`];
const REACH: f64 = 3.2;
const LOOSE: f64 = 1e-9;
/// further ahead below it, as steps get shorter by their own order and a passage by order 16.
const FURTHER: f64 = 0.1;
/// The regularity is looked at closely where half way it is below this part of that here.
const FALLING: f64 = 0.5;
/// Places ahead where it is then looked at.
const PLACES: usize = 16;
/// A minimum below this part of the regularity here may be a zero that is touched.
const TOUCHED: f64 = 1e-2;
/// Where d is zero ahead, the gradients are dependent only if their smallest pivot falls to this part.
const DEPENDENT: f64 = 0.2;
/// A gradient that changes by this part of its length in a step may jump;
const JUMP: f64 = 0.5;
/// it does if it still does after the step was halved so often.
const HALVINGS: usize = 40;
/// Corrections of a singular configuration.
const CORRECTIONS: usize = 12;
/// The constraints hold there to this part of their terms.
const MET: f64 = 1e-13;
/// The combination of gradients is zero there to this part of their length at the point.
const VANISHING: f64 = 1e-11;
/// Part of the size of a coordinate for a central difference.
const DIFFERENCE: f64 = 1e-5;

/// How many steps ahead a singular configuration is looked for at this tolerance.
pub(super) fn reach(rtol: f64) -> f64 {
    REACH * (LOOSE / rtol).powf(FURTHER).max(1.0)
}

/// A smooth path ahead of a point: x, v, a and the rate of a there.
pub(super) struct Path<'a> {
    pub(super) t: f64,
    pub(super) x: &'a [f64],
    pub(super) v: &'a [f64],
    pub(super) a: &'a [f64],
    pub(super) jerk: &'a [f64],
}

impl Path<'_> {
    /// (x, v) after the time `s`.
    pub(super) fn at(&self, s: f64, y: &mut [f64]) {
        let n = self.x.len();
        for k in 0..n {
            let (v, a, j) = (self.v[k], self.a[k], self.jerk[k]);
            y[k] = self.x[k] + s * (v + s * (a / 2.0 + s * j / 6.0));
            y[n + k] = v + s * (a + s * j / 2.0);
        }
    }
}

/// The regularity relative to a point.
pub(super) struct Ahead<'a> {
    problem: &'a Problem<'a>,
    /// The constraints in use.
    rows: &'a [usize],
    value: ConstraintValue,
    gradients: Vec<f64>,
    /// The gradients at the start of a step.
    before: Vec<f64>,
    /// One over the length of each gradient at the point.
    weights: Vec<f64>,
    orthogonal: Orthogonal,
    /// The basis of ker J at the point, by rows.
    basis: Vec<f64>,
    square: Lu,
    /// d and the smallest pivot at the point.
    here: f64,
    pivot: f64,
    y: Vec<f64>,
}

/// By how much a row of two matrices with n columns differs.
fn change(n: usize, a: &[f64], b: &[f64], row: usize) -> f64 {
    let pairs = a[row * n..(row + 1) * n].iter().zip(&b[row * n..]);
    pairs.map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

impl<'a> Ahead<'a> {
    /// None for systems that are too large, and where there is nothing to look for.
    pub(super) fn new(problem: &'a Problem<'a>, rows: &'a [usize]) -> Option<Self> {
        let (n, m) = (
            problem.dynamics.coordinates(),
            problem.dynamics.constraints(),
        );
        let r = rows.len();
        (r > 0 && r <= n && n <= MOST).then(|| Self {
            problem,
            rows,
            value: ConstraintValue::new(n, m),
            gradients: vec![0.0; r * n],
            before: vec![0.0; r * n],
            weights: vec![1.0; r],
            orthogonal: Orthogonal::new(n, r),
            basis: vec![0.0; (n - r) * n],
            square: Lu::new(n),
            here: 0.0,
            pivot: 0.0,
            y: vec![0.0; 2 * n],
        })
    }

    /// A constraint whose gradient jumps on the way from one position to another, and the part of the way
    /// where it does: halving the way does not make its change smaller.
    pub(super) fn jump(
        &mut self,
        (t, x): (f64, &[f64]),
        (t_new, x_new): (f64, &[f64]),
    ) -> Option<(f64, usize)> {
        let n = x.len();
        if !self.stand(t, x) {
            return None;
        }
        // as good as always nothing jumps: no memory is taken for that
        self.look(t, x);
        let mut before = std::mem::take(&mut self.before);
        before.copy_from_slice(&self.gradients);
        self.look(t_new, x_new);
        let jumps = (0..self.rows.len()).any(|row| change(n, &before, &self.gradients, row) > JUMP);
        self.before = before;
        if !jumps {
            return None;
        }
        let mut at = |part: f64| {
            let place: Vec<f64> = x
                .iter()
                .zip(x_new)
                .map(|(a, b)| a + part * (b - a))
                .collect();
            self.look(t + part * (t_new - t), &place);
            self.gradients.clone()
        };
        let change = |a: &[f64], b: &[f64], row: usize| change(n, a, b, row);
        let (first, last) = (at(0.0), at(1.0));
        let row = (0..first.len() / n).find(|&row| change(&first, &last, row) > JUMP)?;
        let (mut low, mut high) = ((0.0, first), (1.0, last));
        for _ in 0..HALVINGS {
            let part = f64::midpoint(low.0, high.0);
            let middle = at(part);
            let (left, right) = (change(&low.1, &middle, row), change(&middle, &high.1, row));
            // also where it is not a number
            if left.max(right).is_nan() || left.max(right) <= 0.5 * JUMP {
                return None;
            }
            if left > right {
                high = (part, middle);
            } else {
                low = (part, middle);
            }
        }
        let row = self.rows.get(row).copied()?;
        Some((low.0, row))
    }

    /// The gradients of the constraints in use, weighed.
    fn look(&mut self, t: f64, x: &[f64]) {
        self.problem.dynamics.constraint(t, x, &mut self.value);
        let n = x.len();
        for (i, &b) in self.rows.iter().enumerate() {
            for k in 0..n {
                self.gradients[i * n + k] = self.weights[i] * self.value.jacobian[(b, k)];
            }
        }
    }

    /// Takes its bearings at a point; whether the gradients are independent there.
    pub(super) fn stand(&mut self, t: f64, x: &[f64]) -> bool {
        let (n, r) = (x.len(), self.rows.len());
        self.weights.fill(1.0);
        self.look(t, x);
        for (row, weight) in self.gradients.chunks_exact_mut(n).zip(&mut self.weights) {
            let length = row.iter().map(|e| e * e).sum::<f64>().sqrt();
            if !(length.is_finite() && length > 0.0) {
                return false;
            }
            *weight = length.recip();
            for e in row {
                *e *= *weight;
            }
        }
        self.pivot = self.orthogonal.factor(&self.gradients);
        if self.pivot.is_nan() || self.pivot <= 0.0 {
            return false;
        }
        for (k, vector) in self.basis.chunks_exact_mut(n).enumerate() {
            vector.fill(0.0);
            vector[r + k] = 1.0;
            self.orthogonal.turn_back(vector);
        }
        self.here = 1.0;
        let here = self.regularity(t, x);
        self.here = here;
        here.is_finite() && here != 0.0
    }

    /// d at a place, in units of that at the point.
    pub(super) fn regularity(&mut self, t: f64, x: &[f64]) -> f64 {
        self.look(t, x);
        let n = x.len();
        let entries = self.square.entries();
        let (upper, lower) = entries.split_at_mut(self.rows.len() * n);
        upper.copy_from_slice(&self.gradients);
        lower.copy_from_slice(&self.basis);
        let smallest = self.square.factor();
        if smallest > 0.0 {
            self.square.determinant() / self.here
        } else if smallest == 0.0 {
            0.0
        } else {
            f64::NAN
        }
    }

    fn along(&mut self, path: &Path<'_>, s: f64) -> f64 {
        let mut y = std::mem::take(&mut self.y);
        path.at(s, &mut y);
        let d = self.regularity(path.t + s, &y[..path.x.len()]);
        self.y = y;
        d
    }

    /// The time from the point to the next place on its path where the gradients seem to be dependent, no
    /// more than `reach` ahead.
    pub(super) fn next(&mut self, path: &Path<'_>, reach: f64) -> Option<f64> {
        if !self.stand(path.t, path.x) {
            return None;
        }
        // also looked at closely where it is not a number
        if self.along(path, 0.5 * reach) > FALLING {
            return None;
        }
        let mut before = (0.0, 1.0);
        let mut earlier = before;
        let mut found = None;
        for i in 1..=PLACES {
            let s = reach * i as f64 / PLACES as f64;
            let d = self.along(path, s);
            if d.is_nan() {
                return None;
            }
            if d <= 0.0 {
                found = Some(self.root(path, before, (s, d)));
                break;
            }
            if before.1 < TOUCHED.max(d.min(earlier.1) * 0.5) && before.1 < d {
                found = Some(before.0);
                break;
            }
            (earlier, before) = (before, (s, d));
        }
        let s = found?;
        let mut y = std::mem::take(&mut self.y);
        path.at(s, &mut y);
        self.look(path.t + s, &y[..path.x.len()]);
        self.y = y;
        // in units of the lengths at the point: a gradient may vanish itself
        let pivot = self.orthogonal.least(&self.gradients);
        (pivot < DEPENDENT * self.pivot).then_some(s)
    }

    /// The zero of d on the path between two places where its signs differ, by regula falsi (Illinois).
    fn root(
        &mut self,
        path: &Path<'_>,
        (mut a, mut at_a): (f64, f64),
        (mut b, mut at_b): (f64, f64),
    ) -> f64 {
        for _ in 0..30 {
            let s = (a * at_b - b * at_a) / (at_b - at_a);
            let d = self.along(path, s);
            if d == 0.0 || (b - a).abs() <= 1e-6 * b.abs() {
                return s;
            }
            if d * at_b < 0.0 {
                (a, at_a) = (b, at_b);
            } else {
                at_a *= 0.5;
            }
            (b, at_b) = (s, d);
        }
        b
    }

    /// The singular configuration nearest to (t, x), where there is one: its time and position.
    pub(super) fn singular(&mut self, t: f64, x: &[f64]) -> Option<(f64, Vec<f64>)> {
        let (n, r) = (x.len(), self.rows.len());
        let (mut t, mut x) = (t, x.to_vec());
        let sizes = rank::sizes(&x);
        self.look(t, &x);
        let j = DMatrix::from_row_slice(r, n, &self.gradients);
        let svd = j.transpose().svd(false, true);
        let (least, _) = svd.singular_values.argmin();
        let mut u: DVector<f64> = svd.v_t?.row(least).transpose();
        for _ in 0..CORRECTIONS {
            self.look(t, &x);
            let j = DMatrix::from_row_slice(r, n, &self.gradients);
            let pull = j.tr_mul(&u);
            let mut residual = DVector::zeros(r + n);
            let mut met = true;
            for (i, &b) in self.rows.iter().enumerate() {
                residual[i] = self.value.residual[b] * self.weights[i];
                met &= self.value.residual[b].abs() <= MET * self.value.scale[b];
            }
            residual.rows_mut(r, n).copy_from(&pull);
            // also where a gradient vanishes itself: its length at the point is one
            if met && pull.amax() <= VANISHING * j.amax().max(1.0) {
                return Some((t, x));
            }
            let mut full = DMatrix::zeros(r + n, n + r + 1);
            full.view_mut((0, 0), (r, n)).copy_from(&j);
            full.view_mut((r, n), (n, r)).copy_from(&j.transpose());
            for (i, &b) in self.rows.iter().enumerate() {
                full[(i, n + r)] = self.value.f_t[b] * self.weights[i];
            }
            let mut moved = x.clone();
            for k in 0..=n {
                let step = DIFFERENCE * sizes.get(k).copied().unwrap_or(t.abs().max(1.0));
                let mut column = DVector::zeros(n);
                for side in [1.0, -1.0] {
                    if k < n {
                        moved[k] = x[k] + side * step;
                        self.look(t, &moved);
                        moved[k] = x[k];
                    } else {
                        self.look(t + side * step, &x);
                    }
                    let j = DMatrix::from_row_slice(r, n, &self.gradients);
                    column += j.tr_mul(&u) * (side / (2.0 * step));
                }
                let place = if k < n { k } else { n + r };
                full.view_mut((r, place), (n, 1)).copy_from(&column);
            }
            if full.iter().chain(&residual).any(|e| !e.is_finite()) {
                return None;
            }
            let change = full.svd(true, true).solve(&residual, 1e-9).ok()?;
            for k in 0..n {
                x[k] -= change[k];
            }
            t -= change[n + r];
            u -= change.rows(n, r);
            u /= u.norm();
        }
        None
    }
}
