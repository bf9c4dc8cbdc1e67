//! A matrix each entry of which is known to within its blur.
//!
//! Gaussian elimination that carries the blur along. A pivot is the largest entry among those that are certain not to
//! be zero, in units of rows and columns in which the certain entries are about 1 on geometric average: with s_b the unit
//! of row b and u_k that of column k,
//!
//! ```text
//! sum over certain entries of (log |w_bk| - log s_b - log u_k)^2 = min
//! ```
//!
//! (Curtis and Reid, On the automatic scaling of matrices for Gaussian elimination, 1972). The scaled matrix is the same
//! whatever units the rows and columns are given in, and so are the pivots and all that follows from them.

use super::ULPS;
use crate::sparse::{Fixed, Sparse};
use nalgebra::{DMatrix, DVector};

/// Rounds of the alternating means that find the units; they end where nothing moves by more than this part of a power
/// of two.
const ROUNDS: usize = 60;
const SETTLED: f64 = 1e-6;
/// Rows whose distances from the span of the others are above this part of their lengths are surely independent.
const SURELY_FULL: f64 = 1e-5;

/// An entry that is this part of the largest of its row is what rounding leaves of nothing.
const DUST: f64 = 1e-12;

/// A combination of rows: each with its coefficient.
pub type Combination = Vec<(usize, f64)>;

/// A matrix whose entries may be off by their blur.
#[derive(Clone, Debug, PartialEq)]
pub struct Blurred {
    /// The entries.
    pub value: DMatrix<f64>,
    /// What each may be off by.
    pub blur: DMatrix<f64>,
}

/// A constraint that others imply.
#[derive(Clone, Debug, PartialEq)]
pub struct Redundant {
    /// Which one.
    pub constraint: usize,
    /// Its row as a combination of those of others, at the point that was looked at.
    pub parts: Combination,
}

/// Which rows are independent of those before them, and the others as combinations of them.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Independent {
    /// The first rows that are independent of those before them.
    pub rows: Vec<usize>,
    /// Each of the others, as a combination of these.
    pub others: Vec<Redundant>,
}

impl Blurred {
    /// Entries that are known to rounding.
    pub fn rounded(value: DMatrix<f64>) -> Self {
        let blur = value.abs() * ULPS;
        Self { value, blur }
    }

    /// Some of the rows, in the order given.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        Self {
            value: self.value.select_rows(rows),
            blur: self.blur.select_rows(rows),
        }
    }

    /// Some of the columns, in the order given.
    #[must_use]
    pub fn columns(&self, columns: &[usize]) -> Self {
        Self {
            value: self.value.select_columns(columns),
            blur: self.blur.select_columns(columns),
        }
    }

    /// Is every entry a finite number, known to a finite one?
    pub fn is_finite(&self) -> bool {
        self.value.iter().chain(&self.blur).all(|v| v.is_finite())
    }

    /// The rank: 0 where an entry is not finite.
    pub fn rank(&self) -> usize {
        self.eliminated().rank()
    }

    /// Are the rows independent? Large matrices mostly show it without the whole of the elimination.
    pub fn is_full(&self) -> bool {
        self.far_from_each_other() || self.rank() == self.value.nrows()
    }

    /// Rows scaled to length one whose pivots in W W^T (the squares of their distances from the span of those before
    /// them) are far from zero, and blur that is nothing beside that.
    fn far_from_each_other(&self) -> bool {
        let (m, n) = self.value.shape();
        if m > n || !crate::sparse::is_large(m, n) || !self.is_finite() {
            return false;
        }
        let lengths: Vec<f64> = self.value.row_iter().map(|row| row.norm()).collect();
        let small = |b: usize| self.blur.row(b).sum() * m as f64 <= 0.1 * SURELY_FULL * lengths[b];
        if !(0..m).all(small) {
            return false;
        }
        let gram = Sparse::new(&self.value).unscaled(&lengths).gram();
        let entries = gram.rows.iter().enumerate();
        let places: Vec<(usize, usize)> = entries
            .flat_map(|(b, row)| row.iter().map(move |e| (b, e.0)))
            .collect();
        let mut fixed = Fixed::new(m, &places);
        for (slot, e) in fixed.values().iter_mut().zip(gram.rows.iter().flatten()) {
            *slot = e.1;
        }
        fixed.factor() > SURELY_FULL * SURELY_FULL
    }

    /// Units of the rows and columns in which the certain entries are about 1, as logarithms to base two.
    fn units(&self) -> (Vec<f64>, Vec<f64>) {
        let (m, n) = self.value.shape();
        let certain = (0..n).flat_map(|k| (0..m).map(move |b| (b, k)));
        let certain = certain.filter(|&p| self.value[p].abs() > self.blur[p]);
        let sizes: Vec<(usize, usize, f64)> = certain
            .map(|p| (p.0, p.1, self.value[p].abs().log2()))
            .collect();
        let (mut rows, mut columns) = (vec![0.0; m], vec![0.0; n]);
        let mut counts = (vec![0.0; m], vec![0.0; n]);
        for &(b, k, _) in &sizes {
            counts.0[b] += 1.0;
            counts.1[k] += 1.0;
        }
        for _ in 0..ROUNDS {
            let mut sums = vec![0.0; m];
            for &(b, k, size) in &sizes {
                sums[b] += size - columns[k];
            }
            mean(&mut rows, &sums, &counts.0);
            let mut sums = vec![0.0; n];
            for &(b, k, size) in &sizes {
                sums[k] += size - rows[b];
            }
            if mean(&mut columns, &sums, &counts.1) <= SETTLED {
                break;
            }
        }
        (rows, columns)
    }

    /// So many rows, ascending, that are far from dependent: those of the first pivots; `None` where there are not so many.
    pub fn rows(&self, count: usize) -> Option<Vec<usize>> {
        let done = self.eliminated();
        let mut list: Vec<usize> = done.pivots.get(..count)?.iter().map(|p| p.0).collect();
        list.sort_unstable();
        Some(list)
    }

    /// The elimination with complete pivoting.
    pub fn eliminated(&self) -> Elimination {
        self.eliminated_in(self.units())
    }

    /// The same with pivots that are largest in these units of the rows and columns, given as logarithms to base two.
    fn eliminated_in(&self, (row_unit, column_unit): (Vec<f64>, Vec<f64>)) -> Elimination {
        let (m, n) = self.value.shape();
        // powers of two: scaling by them rounds nothing, and products neither overflow nor underflow
        let whole =
            |list: &[f64]| -> Vec<f64> { list.iter().map(|u| (-u.round()).exp2()).collect() };
        let (row, column) = (whole(&row_unit), whole(&column_unit));
        let rest =
            |list: &[f64]| -> Vec<f64> { list.iter().map(|u| (u.round() - u).exp2()).collect() };
        let (row_rest, column_rest) = (rest(&row_unit), rest(&column_unit));
        let scaled =
            |w: &DMatrix<f64>| DMatrix::from_fn(m, n, |b, k| w[(b, k)] * row[b] * column[k]);
        let mut done = Elimination {
            a: scaled(&self.value),
            blur: scaled(&self.blur),
            row,
            column,
            pivots: Vec::new(),
            rows: (0..m).collect(),
            columns: (0..n).collect(),
            ratio: 1.0,
        };
        if self.is_finite() && done.a.iter().chain(&done.blur).all(|v| v.is_finite()) {
            done.run(&row_rest, &column_rest);
        }
        done
    }

    /// The first rows that are independent of those before them, and the others as combinations of them.
    pub fn independent(&self) -> Independent {
        let m = self.value.nrows();
        let mut found = Independent::default();
        for b in 0..m {
            let mut with = found.rows.clone();
            with.push(b);
            let local = self.select(&with).eliminated();
            if local.rank() == with.len() {
                found.rows = with;
                continue;
            }
            let mut parts = Combination::new();
            if let [vanishing] = local.combinations().as_slice() {
                let own = vanishing.iter().find(|e| e.0 + 1 == with.len());
                let own = own.map_or(1.0, |e| e.1);
                let others = vanishing.iter().filter(|e| e.0 + 1 < with.len());
                parts.extend(others.map(|&(i, c)| (with[i], -c / own)));
            }
            found.others.push(Redundant {
                constraint: b,
                parts,
            });
        }
        found
    }

    /// A basis of ker W, a vector a column; entries that are zero are exactly 0.
    pub fn kernel(&self) -> DMatrix<f64> {
        self.eliminated().kernel()
    }
}

/// Columns of a matrix that are independent and well conditioned in these units, ascending: as many as it has rows where
/// these are.
pub fn independent_columns(matrix: &DMatrix<f64>, unit: &[f64]) -> Vec<usize> {
    let mut size = matrix.abs();
    for (mut column, unit) in size.column_iter_mut().zip(unit) {
        column *= *unit;
    }
    let tops: Vec<f64> = size.row_iter().map(|row| row.amax()).collect();
    let blur = DMatrix::from_fn(size.nrows(), unit.len(), |b, k| DUST * tops[b] / unit[k]);
    let rows = tops
        .iter()
        .map(|top| if *top > 0.0 { top.log2() } else { 0.0 });
    let value = matrix.clone();
    let units = (rows.collect(), unit.iter().map(|u| -u.log2()).collect());
    Blurred { value, blur }.eliminated_in(units).columns()
}

/// Powers of two, one for each row and column, that bring the entries to about 1 on geometric average whatever the units
/// they are given in. What may be zero plays no part: an average would take rounding for an entry.
pub fn balance(matrix: &DMatrix<f64>, radius: &DMatrix<f64>) -> (Vec<f64>, Vec<f64>) {
    let (rows, columns) = Blurred {
        value: matrix.clone(),
        blur: radius.clone(),
    }
    .units();
    let power = |u: &f64| (-u.round()).clamp(-900.0, 900.0).exp2();
    (
        rows.iter().map(power).collect(),
        columns.iter().map(power).collect(),
    )
}

/// Sets each number to sum / count where something was counted; the largest change.
fn mean(list: &mut [f64], sums: &[f64], counts: &[f64]) -> f64 {
    let mut most = 0.0_f64;
    for ((value, sum), count) in list.iter_mut().zip(sums).zip(counts) {
        if *count > 0.0 {
            let next = sum / count;
            most = most.max((next - *value).abs());
            *value = next;
        }
    }
    most
}

/// W eliminated: W scaled = L U in the order of the pivots, with the blur that the entries gathered.
#[derive(Clone, Debug)]
pub struct Elimination {
    /// U at and right of the pivots, the factors L below them.
    a: DMatrix<f64>,
    blur: DMatrix<f64>,
    /// What rows and columns were multiplied by.
    row: Vec<f64>,
    column: Vec<f64>,
    /// The pivots' rows and columns, in turn.
    pivots: Vec<(usize, usize)>,
    /// The rows and columns without.
    rows: Vec<usize>,
    columns: Vec<usize>,
    ratio: f64,
}

impl Elimination {
    fn run(&mut self, row_rest: &[f64], column_rest: &[f64]) {
        let (mut first, mut last) = (0.0, 0.0);
        loop {
            let mut best: Option<(f64, usize, usize)> = None;
            for (j, &k) in self.columns.iter().enumerate() {
                for (i, &b) in self.rows.iter().enumerate() {
                    let (size, blur) = (self.a[(b, k)].abs(), self.blur[(b, k)]);
                    let weighed = size * row_rest[b] * column_rest[k];
                    if size > blur && best.is_none_or(|(top, ..)| weighed > top) {
                        best = Some((weighed, i, j));
                    }
                }
            }
            let Some((size, i, j)) = best else { break };
            let (p, q) = (self.rows.remove(i), self.columns.remove(j));
            if self.pivots.is_empty() {
                first = size;
            }
            last = size;
            self.pivots.push((p, q));
            self.clear(p, q);
        }
        self.ratio = match (self.rows.is_empty(), first > 0.0) {
            (true, true) => last / first,
            (true, false) => 1.0,
            _ => 0.0,
        };
    }

    /// Takes the pivot's row out of the others.
    fn clear(&mut self, p: usize, q: usize) {
        let (pivot, pivot_blur) = (self.a[(p, q)], self.blur[(p, q)]);
        for &b in &self.rows {
            if self.a[(b, q)] == 0.0 && self.blur[(b, q)] == 0.0 {
                continue;
            }
            let factor = self.a[(b, q)] / pivot;
            let doubt = (self.blur[(b, q)] + factor.abs() * pivot_blur) / pivot.abs();
            (self.a[(b, q)], self.blur[(b, q)]) = (factor, doubt);
            for &k in &self.columns {
                let (above, above_blur) = (self.a[(p, k)], self.blur[(p, k)]);
                if above == 0.0 && above_blur == 0.0 {
                    continue;
                }
                let change = factor * above;
                self.a[(b, k)] -= change;
                self.blur[(b, k)] +=
                    factor.abs() * above_blur + above.abs() * doubt + f64::EPSILON * change.abs();
            }
        }
    }

    /// How many rows are certain to be independent.
    pub fn rank(&self) -> usize {
        self.pivots.len()
    }

    /// The smallest pivot in parts of the largest; 0 where the rows are dependent, 1 where there are none.
    pub fn ratio(&self) -> f64 {
        self.ratio
    }

    /// The columns of the pivots, ascending: these columns of the rows are independent.
    pub fn columns(&self) -> Vec<usize> {
        let mut list: Vec<usize> = self.pivots.iter().map(|p| p.1).collect();
        list.sort_unstable();
        list
    }

    /// A basis of the kernel, a vector a column: one of its entries is 1, and what is zero is exactly 0.
    pub fn kernel(&self) -> DMatrix<f64> {
        let n = self.column.len();
        let mut basis = DMatrix::zeros(n, self.columns.len());
        for (place, &free) in self.columns.iter().enumerate() {
            let mut doubt = DVector::zeros(n);
            let mut x = basis.column_mut(place);
            x[free] = 1.0;
            for (r, &(p, q)) in self.pivots.iter().enumerate().rev() {
                let behind = self.pivots.iter().skip(r + 1).map(|s| s.1).chain([free]);
                let sum = behind.map(|k| [(self.a[(p, k)], self.blur[(p, k)]), (x[k], doubt[k])]);
                (x[q], doubt[q]) = solved(sum, self.a[(p, q)], self.blur[(p, q)]);
            }
            // the first of the units: its own coordinate has size one
            for (k, e) in x.iter_mut().enumerate() {
                *e *= self.column[k] / self.column[free];
            }
        }
        basis
    }

    /// The combinations of rows that vanish, one for each row without a pivot; what is zero is left out.
    pub fn combinations(&self) -> Vec<Combination> {
        let m = self.row.len();
        self.rows
            .iter()
            .map(|&own| {
                let (mut y, mut doubt) = (vec![0.0; m], vec![0.0; m]);
                y[own] = 1.0;
                for (r, &(p, q)) in self.pivots.iter().enumerate().rev() {
                    let behind = self.pivots.iter().skip(r + 1).map(|s| s.0).chain([own]);
                    let sum =
                        behind.map(|b| [(self.a[(b, q)], self.blur[(b, q)]), (y[b], doubt[b])]);
                    (y[p], doubt[p]) = solved(sum, 1.0, 0.0);
                }
                let entries = y.iter().enumerate().filter(|e| *e.1 != 0.0);
                entries
                    .map(|(b, c)| (b, c * self.row[b] / self.row[own]))
                    .collect()
            })
            .collect()
    }
}

/// -sum a x / pivot and what it may be off by, exactly 0 where that may be all of it; the sum over pairs a and x, each with its doubt.
fn solved(sum: impl Iterator<Item = [(f64, f64); 2]>, pivot: f64, blur: f64) -> (f64, f64) {
    let (mut total, mut doubt) = (0.0, 0.0);
    for [(a, a_blur), (x, x_doubt)] in sum {
        if x == 0.0 && x_doubt == 0.0 {
            continue;
        }
        total += a * x;
        doubt += a_blur * x.abs() + a.abs() * x_doubt + f64::EPSILON * (a * x).abs();
    }
    let value = -total / pivot;
    let doubt = (doubt + value.abs() * blur) / pivot.abs();
    if value.abs() <= doubt {
        (0.0, 0.0)
    } else {
        (value, doubt)
    }
}
