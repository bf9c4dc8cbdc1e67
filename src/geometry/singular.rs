//! The singular configuration next to a point: a place where rows of W = [J; A] become linearly dependent.
//!
//! ```text
//! f = c,   U^T W(x; t) N = 0        U the k left singular vectors that vanish, N the kernel of W with them
//! ```
//!
//! (the Schur complement of the part of W that stays regular), one equation more than unknowns or many: Gauss-Newton's
//! method finds it to rounding where there is one, and comes to no solution where there is none.

use super::{Constraints, LeastNorm, Split, complement};
use nalgebra::{DMatrix, DVector};
use std::ops::ControlFlow;

/// Corrections of a singular configuration.
const CORRECTIONS: usize = 40;
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
/// Equations of a singular configuration at most.
const MOST_EQUATIONS: usize = 4000;

/// The units of W: rows and columns are about one in them, next to a singular configuration too.
pub struct Scales<'a> {
    /// What each row is multiplied by.
    pub rows: &'a [f64],
    /// What each column is multiplied by.
    pub columns: &'a [f64],
    /// The size of each coordinate,
    pub sizes: &'a [f64],
    /// and a time in which they change by it.
    pub pace: f64,
}

/// What was found next to a point.
#[derive(Debug, Clone, PartialEq)]
pub enum Singular {
    /// A singular configuration: its time and position.
    Met(f64, Vec<f64>),
    /// None.
    None,
    /// There are too many equations to tell.
    TooLarge,
}

/// The singular configuration next to (t, x).
pub fn singular(set: &dyn Constraints, (t, x): (f64, &[f64]), scales: &Scales<'_>) -> Singular {
    let mut search = SingularNewton {
        set,
        scales,
        t,
        x: x.to_vec(),
        lost: None,
        last: f64::INFINITY,
        slow: 0,
    };
    for _ in 0..CORRECTIONS {
        match search.correct() {
            Some(ControlFlow::Continue(())) => {}
            Some(ControlFlow::Break(found)) => return found,
            None => return Singular::None,
        }
    }
    Singular::None
}

struct SingularNewton<'a> {
    set: &'a dyn Constraints,
    scales: &'a Scales<'a>,
    t: f64,
    x: Vec<f64>,
    /// How many singular values vanish.
    lost: Option<usize>,
    /// What the correction before left.
    last: f64,
    /// The corrections in a row that left not much less.
    slow: usize,
}

impl SingularNewton<'_> {
    /// W in its scales.
    fn rows(&self, t: f64, x: &[f64]) -> DMatrix<f64> {
        let mut w = self.set.rows(t, x).gradients;
        for (k, mut column) in w.column_iter_mut().enumerate() {
            let own = column.iter_mut().zip(self.scales.rows);
            own.for_each(|(e, row)| *e *= row * self.scales.columns[k]);
        }
        w
    }

    /// The change of W with coordinate c, or with t for c = n, where those change by their units.
    fn change(&self, c: usize) -> DMatrix<f64> {
        let n = self.x.len();
        let mut moved = self.x.clone();
        let mut side = |side: f64| {
            if c < n {
                moved[c] = self.x[c] + side * DIFFERENCE * self.scales.sizes[c];
                self.rows(self.t, &moved)
            } else {
                self.rows(self.t + side * DIFFERENCE * self.scales.pace, &self.x)
            }
        };
        let change = (side(1.0) - side(-1.0)) / (2.0 * DIFFERENCE);
        if c < n {
            change * (self.scales.columns[c] / self.scales.sizes[c])
        } else {
            change
        }
    }

    /// A step of Gauss and Newton; none where nothing is to be found.
    fn correct(&mut self) -> Option<ControlFlow<Singular>> {
        let (n, r) = (self.x.len(), self.set.positions());
        let here = self.set.rows(self.t, &self.x);
        let w = self.rows(self.t, &self.x);
        if w.iter().any(|e| !e.is_finite()) {
            return None;
        }
        let split = Vanishing::of(&w, self.lost)?;
        let (k, free) = (split.left.ncols(), split.right.ncols());
        self.lost = Some(k);
        if r + k * free > MOST_EQUATIONS {
            return Some(ControlFlow::Break(Singular::TooLarge));
        }
        let weights = self.scales.rows;
        // terms may all be next to zero: then the size of the row is what counts
        let meets =
            |b: usize| here.residual[b].abs() <= MET * here.scale[b].max(weights[b].recip());
        if split.ratio <= VANISHING && (0..r).all(meets) {
            let found = Singular::Met(self.t, self.x.clone());
            return Some(ControlFlow::Break(found));
        }
        let mut matrix = DMatrix::zeros(r + k * free, n + 1);
        let mut residual = DVector::zeros(r + k * free);
        matrix.view_mut((0, 0), (r, n)).copy_from(&w.rows(0, r));
        for b in 0..r {
            residual[b] = here.residual[b] * weights[b];
            matrix[(b, n)] = here.rates[b] * weights[b] * self.scales.pace;
        }
        let merit = residual.rows(0, r).amax().max(split.ratio);
        self.slow = if merit > SLOW * self.last {
            self.slow + 1
        } else {
            0
        };
        if self.slow > PATIENCE {
            return None;
        }
        self.last = merit;
        let left_over = split.left.tr_mul(&(&w * &split.right));
        residual
            .rows_mut(r, k * free)
            .copy_from_slice(left_over.as_slice());
        for c in 0..=n {
            let bent = split.left.tr_mul(&(self.change(c) * &split.right));
            matrix
                .view_mut((r, c), (k * free, 1))
                .copy_from_slice(bent.as_slice());
        }
        if matrix.iter().chain(&residual).any(|e| !e.is_finite()) {
            return None;
        }
        // as many equations as unknowns have the same solution
        let qr = matrix.qr();
        let change = LeastNorm::new(&qr.r())?.shortest(&qr.q().tr_mul(&residual), NEGLIGIBLE)?;
        for (c, x) in self.x.iter_mut().enumerate() {
            *x -= change[c] * self.scales.columns[c];
        }
        self.t -= change[n] * self.scales.pace;
        Some(ControlFlow::Continue(()))
    }
}

/// The parts of W that vanish at a singular configuration nearby.
struct Vanishing {
    /// The left singular vectors that vanish, a column each.
    left: DMatrix<f64>,
    /// The kernel of W where they do.
    right: DMatrix<f64>,
    /// The largest singular value that vanishes.
    ratio: f64,
}

impl Vanishing {
    /// `lost` of them vanish; where that is not known, those below the widest gap.
    fn of(w: &DMatrix<f64>, lost: Option<usize>) -> Option<Self> {
        let count = w.nrows();
        let split = Split::new(w)?;
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
        let mut kept = split.right.columns(0, rank).into_owned();
        for (i, mut column) in kept.column_iter_mut().enumerate() {
            column /= value(i);
        }
        Some(Self {
            left: split.left.columns(rank, count - rank).into_owned(),
            right: complement(&kept.transpose()),
            ratio: value(rank),
        })
    }
}
