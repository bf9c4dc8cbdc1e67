//! Looking ahead for a singular configuration: a place where the rows of W = [J; A] become linearly dependent on
//! the way.
//!
//! The regularity of [`super::regularity`] falls to zero there. A minimum of it ahead may also be a near miss (the
//! branches of the constraint set do not quite meet). A singular configuration is a solution of
//!
//! ```text
//! f = c,   U^T W(x; t) N = 0        U the k left singular vectors that vanish, N the kernel of W with them
//! ```
//!
//! (the Schur complement of the part of W that stays regular), one equation more than unknowns or many: Gauss-Newton's
//! method finds it to rounding where there is one, and comes to no solution where there is none.

use nalgebra::{DMatrix, DVector};

use super::dynamics::Problem;
use super::linear::Orthogonal;
use super::regularity::Regularity;
use crate::geometry::{self, LeastNorm};

/// Zeros up to this many steps ahead are looked for, at tolerances down to [`LOOSE`];
const REACH: f64 = 3.2;
const LOOSE: f64 = 1e-9;
/// further ahead below it, as steps get shorter by their own order and a passage by a higher one.
const FURTHER: f64 = 0.1;
/// Where the regularity falls so that it is zero within this many times that, it is looked at closely,
const FAR: f64 = 6.0;
/// to this many times as far: a zero of order k is k times as far as one of order one that begins to fall alike.
const BEYOND: f64 = 3.5;
/// The regularity is looked at closely where half way it is below this part of that here.
const FALLING: f64 = 0.5;
/// Parts of the reach that are looked at where nothing is known from the step before.
const AT_FIRST: [f64; 4] = [1.0, 0.4, 0.16, 0.064];
/// Places ahead where it is then looked at, and turns of the golden section.
const PLACES: usize = 16;
const TURNS: usize = 40;
/// A minimum below this part of the regularity here may be a zero.
const DEPENDENT: f64 = 0.2;
/// A gradient that changes by this part of its length in a step may jump;
const JUMP: f64 = 0.5;
/// it does if it still does after the step was halved so often.
const HALVINGS: usize = 40;
/// Two places are as good as one where they are nearer to each other than this, relative to the size of the positions
/// where that is above 1.
const NEAR: f64 = 1e-6;
/// Corrections of a singular configuration.
const CORRECTIONS: usize = 20;
/// A correction that leaves more than this part is slow (at a zero of order k it leaves (k - 1)/k), and after so many there
/// is none to be found.
const SLOW: f64 = 0.8;
const PATIENCE: usize = 2;
/// The constraints hold there to this part of their terms,
const MET: f64 = 1e-13;
/// and the singular values that vanish are this part of the largest at most.
const VANISHING: f64 = 1e-11;
/// A singular value that may vanish is below this part of the largest.
const SMALL: f64 = 0.3;
/// Part of the size of a coordinate for a central difference.
const DIFFERENCE: f64 = 1e-5;
/// Singular values of its equations below this part of the largest leave a direction free.
const NEGLIGIBLE: f64 = 1e-9;
/// Equations of a singular configuration at most; of larger systems the regularity alone is asked.
const MOST_EQUATIONS: usize = 4000;
/// It is then below this.
const LOST: f64 = 1e-6;

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

/// What the last steps tell of the way ahead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Before {
    /// Nothing: the motion begins here.
    Nothing,
    /// Steps of about this length, looked ahead of.
    Steps,
}

/// The look-out on the way.
pub(super) struct Ahead<'a> {
    pub(super) rows: Regularity<'a>,
    /// The rows at the start of a step.
    before: Vec<f64>,
    y: Vec<f64>,
}

/// By how much a row of two matrices with n columns differs.
fn change(n: usize, a: &[f64], b: &[f64], row: usize) -> f64 {
    let pairs = a[row * n..(row + 1) * n].iter().zip(&b[row * n..]);
    pairs.map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

impl<'a> Ahead<'a> {
    /// None where there is nothing to look for.
    pub(super) fn new(
        problem: &'a Problem<'a>,
        in_use: (&'a [usize], &'a [usize]),
    ) -> Option<Self> {
        let n = problem.dynamics.coordinates();
        let rows = Regularity::new(problem.dynamics, in_use)?;
        Some(Self {
            before: vec![0.0; rows.entries.len()],
            rows,
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
        if !self.rows.stand(t, x) {
            return None;
        }
        // as good as always nothing jumps: no memory is taken for that
        let mut before = std::mem::take(&mut self.before);
        before.copy_from_slice(&self.rows.entries);
        self.rows.look(t_new, x_new);
        let positions = self.rows.positions().len();
        let jumps = (0..positions).find(|&row| change(n, &before, &self.rows.entries, row) > JUMP);
        self.before = before;
        let row = jumps?;
        let mut at = |part: f64| {
            let place: Vec<f64> = x
                .iter()
                .zip(x_new)
                .map(|(a, b)| a + part * (b - a))
                .collect();
            self.rows.look(t + part * (t_new - t), &place);
            self.rows.entries.clone()
        };
        let (mut low, mut high) = ((0.0, at(0.0)), (1.0, at(1.0)));
        for _ in 0..HALVINGS {
            let part = f64::midpoint(low.0, high.0);
            let middle = at(part);
            let left = change(n, &low.1, &middle, row);
            let right = change(n, &middle, &high.1, row);
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
        // of a way so long that this is still no small part of it nothing is known
        let size = |x: &[f64]| x.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        let way: Vec<f64> = x.iter().zip(x_new).map(|(a, b)| b - a).collect();
        if (high.0 - low.0) * size(&way) > NEAR * size(x).max(1.0) {
            return None;
        }
        let b = self.rows.positions().get(row).copied()?;
        Some((low.0, b))
    }

    fn along(&mut self, path: &Path<'_>, s: f64) -> f64 {
        let mut y = std::mem::take(&mut self.y);
        path.at(s, &mut y);
        let q = self.rows.at(path.t + s, &y[..path.x.len()]);
        self.y = y;
        q
    }

    /// The time from the point to the next place on its path where the rows seem to be dependent, no more than
    /// `reach` ahead.
    pub(super) fn next(&mut self, path: &Path<'_>, (reach, before): (f64, Before)) -> Option<f64> {
        let left = self.rows.stand_on_way(path.t, path.x)?;
        let probes: &[f64] = match before {
            Before::Nothing => &AT_FIRST,
            Before::Steps => &[0.5],
        };
        // also looked at closely where it is not a number
        let calm = |q: f64| q > FALLING;
        let mut all_calm = || {
            probes
                .iter()
                .all(|part| calm(self.along(path, part * reach)))
        };
        let reach = if left <= FAR * reach.abs() {
            // steps get shorter on the way there: off the constraints the accelerations have a pole
            reach.signum() * reach.abs().max(BEYOND * left)
        } else if all_calm() {
            return None;
        } else {
            reach
        };
        // places get denser towards the point: a zero may be next to it
        let place = |i: usize| reach * (i as f64 / PLACES as f64).powi(2);
        let (mut earlier, mut last) = (1.0, self.along(path, place(1)));
        for i in 2..=PLACES {
            let q = self.along(path, place(i));
            if q.is_nan() {
                return None;
            }
            if last <= earlier && last < q && last < FALLING {
                let (s, least) = self.least(path, (place(i - 2), place(i)));
                if least < DEPENDENT {
                    return Some(s);
                }
            }
            (earlier, last) = (last, q);
        }
        None
    }

    /// Where q is least on the path between two places (golden section), and q there.
    fn least(&mut self, path: &Path<'_>, (from, to): (f64, f64)) -> (f64, f64) {
        golden((from, to), TURNS, |s| self.along(path, s))
    }

    /// The singular configuration nearest to (t, x), where there is one: its time and position. `pace` is a time in
    /// which the configuration changes by its size.
    pub(super) fn singular(
        &mut self,
        (t, x): (f64, &[f64]),
        sizes: &[f64],
        pace: f64,
    ) -> Option<(f64, Vec<f64>)> {
        let n = x.len();
        let (mut t, mut x) = (t, x.to_vec());
        self.rows.stand_wide((t, &x), sizes, pace);
        let positions = self.rows.positions().to_vec();
        let (r, count) = (positions.len(), self.rows.weights.len());
        let mut lost = None;
        let (mut best, mut slow) = (f64::INFINITY, 0);
        for _ in 0..CORRECTIONS {
            self.rows.look(t, &x);
            let w = DMatrix::from_row_slice(count, n, &self.rows.entries);
            if w.iter().any(|e| !e.is_finite()) {
                return None;
            }
            let split = Split::new(&w, lost)?;
            let k = split.left.ncols();
            lost = Some(k);
            if r + k * split.right.ncols() > MOST_EQUATIONS {
                let q = self.rows.at(t, &x);
                return (q < LOST).then_some((t, x));
            }
            let value = &self.rows.value;
            // terms may all be next to zero: then the size of the row is what counts
            let met = positions
                .iter()
                .zip(&self.rows.weights)
                .all(|(&b, weight)| {
                    value.residual[b].abs() <= MET * value.scale[b].max(weight.recip())
                });

            if met && split.ratio <= VANISHING {
                return Some((t, x));
            }
            let off = positions.iter().zip(&self.rows.weights);
            let off = off.map(|(&b, weight)| (value.residual[b] * weight).abs());
            let merit = off.fold(split.ratio, f64::max);
            slow = if merit > SLOW * best { slow + 1 } else { 0 };
            if slow > PATIENCE {
                return None;
            }
            best = best.min(merit);
            let free = split.right.ncols();
            let mut matrix = DMatrix::zeros(r + k * free, n + 1);
            let mut residual = DVector::zeros(r + k * free);
            matrix.view_mut((0, 0), (r, n)).copy_from(&w.rows(0, r));
            for (i, &b) in positions.iter().enumerate() {
                residual[i] = value.residual[b] * self.rows.weights[i];
                matrix[(i, n)] = value.f_t[b] * self.rows.weights[i] * pace;
            }
            let left_over = split.left.tr_mul(&(&w * &split.right));
            residual
                .rows_mut(r, k * free)
                .copy_from_slice(left_over.as_slice());
            let mut moved = x.clone();
            for c in 0..=n {
                let mut column = DMatrix::zeros(count, n);
                for side in [1.0, -1.0] {
                    if c < n {
                        moved[c] = x[c] + side * DIFFERENCE * sizes[c];
                        self.rows.look(t, &moved);
                        moved[c] = x[c];
                    } else {
                        self.rows.look(t + side * DIFFERENCE * pace, &x);
                    }
                    column += DMatrix::from_row_slice(count, n, &self.rows.entries)
                        * (side / (2.0 * DIFFERENCE));
                }
                if c < n {
                    column *= self.rows.columns[c] / sizes[c];
                }
                let bent = split.left.tr_mul(&(column * &split.right));
                matrix
                    .view_mut((r, c), (k * free, 1))
                    .copy_from_slice(bent.as_slice());
            }
            if matrix.iter().chain(&residual).any(|e| !e.is_finite()) {
                return None;
            }
            // as many equations as unknowns have the same solution
            let qr = matrix.qr();
            let change = LeastNorm::whole(&qr.r(), NEGLIGIBLE)?.solve(&qr.q().tr_mul(&residual))?;
            for c in 0..n {
                x[c] -= change[c] * self.rows.columns[c];
            }
            t -= change[n] * pace;
        }
        None
    }
}

/// The parts of W that vanish at a singular configuration nearby.
struct Split {
    /// The left singular vectors that vanish, a column each.
    left: DMatrix<f64>,
    /// The kernel of W where they do.
    right: DMatrix<f64>,
    /// The largest singular value that vanishes.
    ratio: f64,
}

impl Split {
    /// `lost` of them vanish; where that is not known, those below the widest gap.
    fn new(w: &DMatrix<f64>, lost: Option<usize>) -> Option<Self> {
        let (count, n) = w.shape();
        let split = geometry::Split::new(w)?;
        // rows have lengths of about one in regular places
        let value = |i: usize| split.sizes[i].max(f64::MIN_POSITIVE);
        let first = || {
            let gap = |i: usize| if i == 0 { 1.0 } else { value(i - 1) } / value(i);
            (0..count)
                .filter(|&i| value(i) < SMALL)
                .max_by(|&a, &b| gap(a).total_cmp(&gap(b)))
                .unwrap_or(count - 1)
        };
        let rank = lost.map_or_else(first, |k| count.saturating_sub(k));
        let mut kept = Orthogonal::new(n, rank);
        let rows: Vec<f64> = (0..rank)
            .flat_map(|i| split.right.column(i).iter().copied().collect::<Vec<_>>())
            .collect();
        if kept.factor(&rows).is_nan() {
            return None;
        }
        let mut right = DMatrix::zeros(n, n - rank);
        for (i, mut column) in right.column_iter_mut().enumerate() {
            let mut vector = vec![0.0; n];
            vector[rank + i] = 1.0;
            kept.turn_back(&mut vector);
            column.copy_from_slice(&vector);
        }
        Some(Self {
            left: split.left.columns(rank, count - rank).into_owned(),
            right,
            ratio: value(rank),
        })
    }
}

/// Where a function is least between two places (golden section), and its value there.
pub(super) fn golden(
    (mut from, mut to): (f64, f64),
    turns: usize,
    mut value: impl FnMut(f64) -> f64,
) -> (f64, f64) {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let (mut a, mut b) = (to - GOLDEN * (to - from), from + GOLDEN * (to - from));
    let (mut at_a, mut at_b) = (value(a), value(b));
    for _ in 0..turns {
        if at_a <= at_b {
            (to, b, at_b) = (b, a, at_a);
            a = to - GOLDEN * (to - from);
            at_a = value(a);
        } else {
            (from, a, at_a) = (a, b, at_b);
            b = from + GOLDEN * (to - from);
            at_b = value(b);
        }
    }
    if at_a <= at_b { (a, at_a) } else { (b, at_b) }
}

/// A time in which a configuration that moves like this changes by its size.
pub(super) fn pace(sizes: &[f64], v: &[f64]) -> f64 {
    let rate = sizes
        .iter()
        .zip(v)
        .map(|(s, v)| v.abs() / s)
        .fold(0.0, f64::max);
    if rate > 0.0 { rate.recip() } else { 1.0 }
}
