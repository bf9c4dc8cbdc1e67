//! Matrices of intervals.

use crate::expr::{INTERVAL, Interval, block_triangular, calculate};
use nalgebra::DMatrix;

/// Operations on numbers that a term of an expansion along a column takes.
const TERM: usize = INTERVAL;
/// Up to this size the vertex test is made, which is exact.
const VERTICES_UP_TO: usize = 4;

/// A matrix of intervals: every real matrix with entries in them.
#[derive(Clone, Debug, PartialEq)]
pub struct IntervalMatrix(DMatrix<Interval>);

impl IntervalMatrix {
    /// Zero.
    pub fn zeros(rows: usize, columns: usize) -> Self {
        Self(DMatrix::repeat(rows, columns, Interval::ZERO))
    }

    /// Its entries.
    pub fn from_fn(rows: usize, columns: usize, entry: impl Fn(usize, usize) -> Interval) -> Self {
        Self(DMatrix::from_fn(rows, columns, entry))
    }

    /// Rows and columns.
    pub fn shape(&self) -> (usize, usize) {
        self.0.shape()
    }

    /// An entry.
    pub fn at(&self, i: usize, j: usize) -> Interval {
        self.0[(i, j)]
    }

    /// Replaces an entry.
    pub fn set(&mut self, i: usize, j: usize, value: Interval) {
        self.0[(i, j)] = value;
    }

    /// Some of its rows and columns, in this order.
    #[must_use]
    pub fn block(&self, rows: &[usize], columns: &[usize]) -> Self {
        Self::from_fn(rows.len(), columns.len(), |i, j| {
            self.at(rows[i], columns[j])
        })
    }

    /// All rows of some columns.
    #[must_use]
    pub fn of_columns(&self, columns: &[usize]) -> Self {
        Self::from_fn(self.0.nrows(), columns.len(), |i, j| self.at(i, columns[j]))
    }

    /// The middles of its entries; `None` where one is without bound.
    pub fn middle(&self) -> Option<DMatrix<f64>> {
        self.is_bounded().then(|| self.0.map(Interval::middle))
    }

    fn is_bounded(&self) -> bool {
        self.0.iter().all(|e| e.is_bounded())
    }

    /// Is every real matrix with entries in these intervals non-singular? Sufficient: a `false` says
    /// that it could not be shown (up to blocks of size 4, that it is not so).
    ///
    /// A block triangular matrix is regular if its diagonal blocks are.
    ///
    /// # Panics
    /// The matrix is not square.
    pub fn is_regular(&self) -> bool {
        assert!(self.0.is_square());
        let size = self.0.nrows();
        if self.0.iter().any(|e| e.is_empty()) {
            return false;
        }
        let Some(blocks) = block_triangular(size, |i, j| self.at(i, j) != Interval::ZERO) else {
            return false;
        };
        blocks
            .iter()
            .all(|b| self.block(&b.rows, &b.columns).irreducible_is_regular())
    }

    fn irreducible_is_regular(&self) -> bool {
        match self.0.nrows() {
            // each entry stands once: the bounds are sharp
            ..=2 => misses_zero(self.determinant()),
            size => {
                self.is_regular_preconditioned()
                    || size <= VERTICES_UP_TO && self.is_bounded() && self.vertices_agree()
            }
        }
    }

    /// Is A J a P-matrix for every J of a set of matrices in these intervals, for one regular A? That set is
    /// connected, holds `there`, and none in it is singular: this is for the caller to know. Sufficient.
    ///
    /// A is [`IntervalMatrix::turned`] of the middle of `there`. The principal minors of A J but for the
    /// last are bounded by intervals; the last has the sign of det A det `there`.
    pub fn is_made_p_matrix(&self, there: &Self, widths: &[f64]) -> bool {
        let size = self.0.nrows();
        let Some(middle) = there.middle() else {
            return false;
        };
        let sign = there.determinant();
        if !misses_zero(sign) {
            return false;
        }
        let turned = self.turned(&middle, widths);
        if turned.iter().any(|e| !e.is_finite()) {
            return false;
        }
        let det = Self::from_fn(size, size, |i, j| Interval::point(turned[(i, j)])).determinant();
        if !misses_zero(det) || (det.lo > 0.0) != (sign.lo > 0.0) {
            return false;
        }
        let product = self.weighed(&turned);
        (1..(1_usize << size) - 1).all(|which| {
            let chosen: Vec<usize> = (0..size).filter(|k| which >> k & 1 == 1).collect();
            let minor = product.block(&chosen, &chosen);
            minor.determinant().lo > 0.0
        })
    }

    /// The transpose of one of the matrices with its columns in units of `widths` and its rows in units of what they can
    /// be: neither units of variables nor of equations matter.
    pub fn turned(&self, middle: &DMatrix<f64>, widths: &[f64]) -> DMatrix<f64> {
        let size = self.0.nrows();
        let unit = |j: usize| widths[j].max(f64::MIN_POSITIVE);
        let length = |i: usize| -> f64 {
            let entries = (0..size).map(|j| (self.at(i, j).magnitude() * unit(j)).powi(2));
            entries.sum()
        };
        let lengths: Vec<f64> = (0..size).map(length).collect();
        DMatrix::from_fn(size, size, |i, j| middle[(j, i)] * unit(i) / lengths[j])
    }

    /// A J for a matrix A of numbers.
    #[must_use]
    pub fn weighed(&self, a: &DMatrix<f64>) -> Self {
        let (rows, columns) = self.shape();
        Self::from_fn(rows, columns, |i, j| weighed(a.row(i), |k| self.at(k, j)))
    }

    /// With C an inverse of the middle, is the spectral radius of |1 - C A| below one? It is where
    /// |1 - C A| v < v for some v > 0 (Neumaier, theorem 4.1.2 and corollary 3.2.3).
    fn is_regular_preconditioned(&self) -> bool {
        let size = self.0.nrows();
        let Some(inverse) = self.middle().and_then(nalgebra::Matrix::try_inverse) else {
            return false;
        };
        let rest = self.distance_to_one(&inverse);
        let mut v = vec![1.0_f64; size];
        for _ in 0..6 {
            let image: Vec<f64> = (0..size)
                .map(|i| {
                    let row = (0..size).map(|j| rest.at(i, j).mul(Interval::point(v[j])));
                    row.fold(Interval::ZERO, Interval::add).hi
                })
                .collect();
            if image.iter().zip(&v).all(|(new, old)| new < old) {
                return true;
            }
            // towards the Perron vector, kept positive
            let top = image.iter().copied().fold(0.0, f64::max);
            if !top.is_finite() || top == 0.0 {
                return false;
            }
            for (v, new) in v.iter_mut().zip(image) {
                *v = (new / top).max(1e-6);
            }
        }
        false
    }

    /// |1 - C A| as intervals [0, bound].
    fn distance_to_one(&self, inverse: &DMatrix<f64>) -> Self {
        calculate(2 * INTERVAL * self.0.nrows().pow(3));
        let (rows, columns) = self.shape();
        Self::from_fn(rows, columns, |i, j| self.off_one(inverse, (i, j)))
    }

    /// An entry of |1 - C A| as an interval [0, bound].
    pub fn off_one(&self, inverse: &DMatrix<f64>, (i, j): (usize, usize)) -> Interval {
        let start = if i == j {
            Interval::ONE
        } else {
            Interval::ZERO
        };
        let entry = (0..self.0.nrows()).fold(start, |sum, k| {
            sum.sub(Interval::point(inverse[(i, k)]).mul(self.at(k, j)))
        });
        Interval::new(0.0, entry.magnitude())
    }

    /// Do the determinants of the vertex matrices A_c - T_y R T_z agree in sign? Exact (J. Rohn, 1989):
    /// they do if and only if every matrix is non-singular.
    fn vertices_agree(&self) -> bool {
        let size = self.0.nrows();
        let mut sign = None;
        for y in 0..1_usize << (size - 1) {
            for z in 0..1_usize << size {
                let vertex = Self::from_fn(size, size, |i, j| {
                    let e = self.at(i, j);
                    let same = (y >> i & 1) == (z >> j & 1);
                    Interval::point(if same { e.lo } else { e.hi })
                });
                let det = vertex.determinant();
                if !misses_zero(det) {
                    return false;
                }
                if *sign.get_or_insert(det.lo > 0.0) != (det.lo > 0.0) {
                    return false;
                }
            }
        }
        true
    }

    /// The determinant, by expansion.
    pub fn determinant(&self) -> Interval {
        self.minor((1 << self.0.nrows()) - 1, 0)
    }

    /// The determinant of these rows, a bit each, and the columns from this one on, by expansion along them.
    fn minor(&self, rows: usize, column: usize) -> Interval {
        if rows.is_power_of_two() {
            return self.at(rows.trailing_zeros() as usize, column);
        }
        calculate(TERM * rows.count_ones() as usize);
        let mut sum = Interval::ZERO;
        let (mut left, mut adds) = (rows, true);
        while left != 0 {
            let row = left.trailing_zeros() as usize;
            left &= left - 1;
            let entry = self.at(row, column);
            if entry != Interval::ZERO {
                let term = entry.mul(self.minor(rows & !(1 << row), column + 1));
                sum = if adds { sum.add(term) } else { sum.sub(term) };
            }
            adds = !adds;
        }
        sum
    }
}

/// The sum of values with these weights; what has none is not asked for.
pub fn weighed<'a>(
    weights: impl IntoIterator<Item = &'a f64>,
    of: impl Fn(usize) -> Interval,
) -> Interval {
    let terms = weights.into_iter().enumerate().filter(|(_, w)| **w != 0.0);
    // most slopes are zero
    let terms = terms
        .map(|(k, w)| (*w, of(k)))
        .filter(|(_, v)| *v != Interval::ZERO);
    terms.fold(Interval::ZERO, |sum, (w, v)| {
        sum.add(Interval::point(w).mul(v))
    })
}

/// Is there a number in it, and none of them zero?
pub fn misses_zero(e: Interval) -> bool {
    !e.is_empty() && !e.contains(0.0)
}

/// A combination of rows in which a column stands that none of the others has.
pub struct Combination {
    /// One weight a row.
    pub weights: Vec<f64>,
    /// The column; none where the rows depend on each other.
    pub column: Option<usize>,
}

/// What elimination by complete pivoting, in units of the box, makes of rows: as many combinations, those with a column first.
pub fn combinations(matrix: &DMatrix<f64>, sides: &[Interval]) -> Vec<Combination> {
    let (m, n) = matrix.shape();
    // what is left of the rows, and beside it what it is made of
    let mut a = DMatrix::from_fn(m, n + m, |i, j| match j.checked_sub(n) {
        Some(row) => f64::from(u8::from(row == i)),
        None => matrix[(i, j)] * sides[j].width(),
    });
    // what each row is rounded by is a part of it
    let mut sizes: Vec<f64> = (0..m).map(|i| a.row(i).columns(0, n).amax()).collect();
    let mut rows: Vec<usize> = (0..m).collect();
    let mut solved: Vec<(usize, usize)> = Vec::new();
    while let Some((place, column)) = largest_left(&a, &rows, &solved, &sizes, n) {
        let pivot = rows.swap_remove(place);
        for i in (0..m).filter(|i| *i != pivot) {
            let factor = a[(i, column)] / a[(pivot, column)];
            if factor == 0.0 {
                continue;
            }
            for j in 0..n + m {
                a[(i, j)] -= factor * a[(pivot, j)];
            }
            a[(i, column)] = 0.0;
            sizes[i] = sizes[i].max(factor.abs() * sizes[pivot]);
        }
        solved.push((pivot, column));
    }
    let weights = |i: usize, by: f64| (0..m).map(|k| a[(i, n + k)] / by).collect();
    let with_column = solved.iter().map(|&(i, column)| Combination {
        weights: weights(i, a[(i, column)] / sides[column].width()),
        column: Some(column),
    });
    let without = rows.iter().map(|&i| Combination {
        weights: weights(i, 1.0),
        column: None,
    });
    with_column.chain(without).collect()
}

/// The place among the rows left, and the column, of the entry to eliminate by next.
fn largest_left(
    a: &DMatrix<f64>,
    rows: &[usize],
    solved: &[(usize, usize)],
    sizes: &[f64],
    n: usize,
) -> Option<(usize, usize)> {
    let mut best = None;
    let mut size = 0.0;
    for (place, &i) in rows.iter().enumerate() {
        for j in (0..n).filter(|j| solved.iter().all(|(_, column)| column != j)) {
            let entry = a[(i, j)].abs();
            if entry > size && entry > 64.0 * f64::EPSILON * sizes[i] {
                (best, size) = (Some((place, j)), entry);
            }
        }
    }
    best
}

/// As many columns as rows, by elimination with complete pivoting in units of the box.
pub fn pivots(matrix: &DMatrix<f64>, sides: &[Interval]) -> Option<Vec<usize>> {
    let columns = combinations(matrix, sides).into_iter();
    let mut columns: Vec<usize> = columns.map(|c| c.column).collect::<Option<_>>()?;
    columns.sort_unstable();
    Some(columns)
}
