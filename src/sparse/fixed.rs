//! A = L U of matrices whose entries stand at fixed places and change their values.
//!
//! The order of the pivots is found once, from the values at the first factorisation (Markowitz' rule
//! with threshold pivoting, see [`Lu`]), and with it the places where entries fill in. After
//! that a factorisation runs row by row through lists of places: it costs as many multiplications as
//! there are products of entries, and allocates nothing (Gilbert and Peierls 1988; Davis and Natarajan's
//! KLU refactors so). The matrix is first scaled by the largest entry of each row, then of each column.
//!
//! A fixed order may become a bad one: where a product taken from an entry exceeds [`GROWTH`] times the
//! largest entries of the scaled matrix (one), or a pivot is lost, the order is found anew.

use super::{Lu, Sparse};

/// Products up to this size leave all but two digits of the entries that they are taken from.
const GROWTH: f64 = 100.0;
/// A pivot below this part of the largest entries of its row and column is rounding: the order is found
/// anew before the matrix counts as singular.
const LOST: f64 = 1e-14;
/// What stands for a zero when the order is found: its place may fill later, but is no pivot now.
const ABSENT: f64 = 1e-60;

/// Right-hand sides that [`Fixed::solve_together`] takes at once.
pub const TOGETHER: usize = 8;

/// A square matrix with entries at fixed places and, after [`Fixed::factor`], its factors.
#[derive(Clone, Debug)]
pub struct Fixed {
    n: usize,
    /// The values, place by place as given.
    values: Vec<f64>,
    /// By rows: where its entries begin in `entries`.
    starts: Vec<usize>,
    /// (column, place) by rows.
    entries: Vec<(usize, usize)>,
    row_scale: Vec<f64>,
    column_scale: Vec<f64>,
    /// The row, and the column, of each step.
    rows: Vec<usize>,
    columns: Vec<usize>,
    /// The step of each column.
    step: Vec<usize>,
    /// The signs of both orders together.
    parity: f64,
    /// L below its diagonal of ones, U above its diagonal, by rows, columns ascending.
    lower: Triangle,
    upper: Triangle,
    pivots: Vec<f64>,
    /// The largest entry of each row of U.
    tops: Vec<f64>,
    /// A product larger than this asks for a new order.
    limit: f64,
    work: Vec<f64>,
    wide: Vec<[f64; TOGETHER]>,
}

/// The entries of a triangle by rows.
#[derive(Clone, Debug, Default)]
struct Triangle {
    starts: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<f64>,
}

impl Triangle {
    fn clear(&mut self) {
        self.starts.clear();
        self.starts.push(0);
        self.columns.clear();
    }

    fn row(&self, k: usize) -> impl DoubleEndedIterator<Item = (usize, f64)> {
        let places = self.starts[k]..self.starts[k + 1];
        let columns = self.columns[places.clone()].iter().copied();
        columns.zip(self.values[places].iter().copied())
    }
}

impl Fixed {
    /// An n by n matrix with entries at these (row, column), each place once.
    pub fn new(n: usize, places: &[(usize, usize)]) -> Self {
        let mut by_rows: Vec<Vec<(usize, usize)>> = vec![Vec::new(); n];
        for (place, &(row, column)) in places.iter().enumerate() {
            by_rows[row].push((column, place));
        }
        let mut starts = vec![0];
        let mut entries = Vec::with_capacity(places.len());
        for mut row in by_rows {
            row.sort_unstable();
            entries.append(&mut row);
            starts.push(entries.len());
        }
        Self {
            n,
            values: vec![0.0; places.len()],
            starts,
            entries,
            row_scale: vec![1.0; n],
            column_scale: vec![1.0; n],
            rows: Vec::new(),
            columns: Vec::new(),
            step: Vec::new(),
            parity: 1.0,
            lower: Triangle::default(),
            upper: Triangle::default(),
            pivots: vec![0.0; n],
            tops: vec![0.0; n],
            limit: GROWTH,
            work: vec![0.0; n],
            wide: Vec::new(),
        }
    }

    /// The values in the order of the places, to be filled before [`Fixed::factor`].
    pub fn values(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// Factors. Returns the smallest pivot relative to the largest entries of its row and column (a number
    /// that no change of units moves), 0 for a singular matrix, NaN for one with entries that are not
    /// numbers. Factors are of use only where it is positive.
    pub fn factor(&mut self) -> f64 {
        if let Err(verdict) = self.scale() {
            return verdict;
        }
        if !self.rows.is_empty() || self.n == 0 {
            let (smallest, growth) = self.eliminate();
            if smallest > LOST && growth <= self.limit {
                return smallest;
            }
        }
        if !self.arrange() {
            return 0.0;
        }
        let (smallest, growth) = self.eliminate();
        // no order does better than the one just found by much
        self.limit = if smallest > LOST {
            GROWTH.max(4.0 * growth)
        } else {
            GROWTH
        };
        smallest
    }

    /// Row and column scales; the verdict on a matrix that has none.
    fn scale(&mut self) -> Result<(), f64> {
        self.column_scale.fill(0.0);
        for (row, scale) in self.row_scale.iter_mut().enumerate() {
            let entries = &self.entries[self.starts[row]..self.starts[row + 1]];
            let (mut sum, mut most) = (0.0, 0.0_f64);
            for &(_, place) in entries {
                let size = self.values[place].abs();
                // max forgets NaN, a sum does not
                sum += size;
                most = most.max(size);
            }
            if !f64::is_finite(sum) {
                return Err(f64::NAN);
            }
            if most == 0.0 {
                return Err(0.0);
            }
            *scale = most.recip();
            for &(column, place) in entries {
                let size = (self.values[place] * *scale).abs();
                self.column_scale[column] = self.column_scale[column].max(size);
            }
        }
        for scale in &mut self.column_scale {
            if *scale == 0.0 {
                return Err(0.0);
            }
            *scale = scale.recip();
        }
        Ok(())
    }

    /// The scaled entries of a row.
    fn scaled(&self, row: usize) -> impl Iterator<Item = (usize, f64)> {
        let entries = &self.entries[self.starts[row]..self.starts[row + 1]];
        let scale = self.row_scale[row];
        entries.iter().map(move |&(column, place)| {
            let value = self.values[place] * scale * self.column_scale[column];
            (column, value)
        })
    }

    /// Finds an order of pivots for the values there are, and where entries fill in; whether there is one.
    fn arrange(&mut self) -> bool {
        let sparse = Sparse {
            rows: (0..self.n)
                .map(|row| {
                    let entries = self.scaled(row);
                    entries
                        .map(|(c, v)| (c, if v == 0.0 { ABSENT } else { v }))
                        .collect()
                })
                .collect(),
            columns: self.n,
        };
        let Some(found) = Lu::new(&sparse) else {
            return false;
        };
        (self.rows, self.columns) = found.order().unzip();
        self.step = vec![0; self.n];
        for (k, &column) in self.columns.iter().enumerate() {
            self.step[column] = k;
        }
        self.parity = found.parity();
        self.lower.clear();
        self.upper.clear();
        // row k is filled where it has entries and where the rows that are taken from it have
        let mut mark = vec![usize::MAX; self.n];
        let mut inside: std::collections::BTreeSet<usize> = std::collections::BTreeSet::new();
        for k in 0..self.n {
            let row = self.rows[k];
            mark[k] = k;
            for &(column, _) in &self.entries[self.starts[row]..self.starts[row + 1]] {
                let step = self.step[column];
                if step != k {
                    mark[step] = k;
                    inside.insert(step);
                }
            }
            while let Some(step) = inside.pop_first() {
                if step > k {
                    self.upper.columns.push(step);
                    continue;
                }
                self.lower.columns.push(step);
                let taken = self.upper.starts[step]..self.upper.starts[step + 1];
                for &column in &self.upper.columns[taken] {
                    if mark[column] != k {
                        mark[column] = k;
                        inside.insert(column);
                    }
                }
            }
            self.lower.starts.push(self.lower.columns.len());
            self.upper.starts.push(self.upper.columns.len());
        }
        self.lower.values = vec![0.0; self.lower.columns.len()];
        self.upper.values = vec![0.0; self.upper.columns.len()];
        true
    }

    /// The factors in the order known: the smallest pivot, and the largest product on the way.
    fn eliminate(&mut self) -> (f64, f64) {
        let (mut smallest, mut growth) = (f64::INFINITY, 0.0_f64);
        let Self {
            lower,
            upper,
            work,
            pivots,
            tops,
            ..
        } = self;
        for k in 0..self.n {
            let below = lower.starts[k]..lower.starts[k + 1];
            let above = upper.starts[k]..upper.starts[k + 1];
            for &column in &lower.columns[below.clone()] {
                work[column] = 0.0;
            }
            work[k] = 0.0;
            for &column in &upper.columns[above.clone()] {
                work[column] = 0.0;
            }
            let row = self.rows[k];
            let scale = self.row_scale[row];
            for &(column, place) in &self.entries[self.starts[row]..self.starts[row + 1]] {
                work[self.step[column]] = self.values[place] * scale * self.column_scale[column];
            }
            for place in below {
                let from = lower.columns[place];
                let factor = work[from] * pivots[from];
                lower.values[place] = factor;
                if factor == 0.0 {
                    continue;
                }
                growth = growth.max((factor * tops[from]).abs());
                let taken = upper.starts[from]..upper.starts[from + 1];
                for (&column, value) in upper.columns[taken.clone()]
                    .iter()
                    .zip(&upper.values[taken])
                {
                    work[column] -= factor * value;
                }
            }
            let size = work[k].abs();
            let mut top = size;
            for place in above {
                let value = work[upper.columns[place]];
                upper.values[place] = value;
                top = top.max(value.abs());
            }
            tops[k] = top;
            pivots[k] = work[k].recip();
            // NaN is the smallest of all
            if size.is_nan() || size < smallest {
                smallest = size;
            }
            if size.is_nan() || size == 0.0 {
                return (0.0, f64::INFINITY);
            }
        }
        (smallest, growth)
    }

    /// Solves A x = b in place.
    pub fn solve(&mut self, b: &mut [f64]) {
        for (k, &row) in self.rows.iter().enumerate() {
            let below = self.lower.row(k);
            let taken: f64 = below.map(|(c, v)| v * self.work[c]).sum();
            self.work[k] = b[row] * self.row_scale[row] - taken;
        }
        for k in (0..self.n).rev() {
            let above = self.upper.row(k);
            let known: f64 = above.map(|(c, v)| v * self.work[c]).sum();
            self.work[k] = (self.work[k] - known) * self.pivots[k];
        }
        for (x, &column) in self.work.iter().zip(&self.columns) {
            b[column] = x * self.column_scale[column];
        }
    }

    /// Solves A X = B in place for [`TOGETHER`] right-hand sides, row by row.
    pub fn solve_together(&mut self, b: &mut [[f64; TOGETHER]]) {
        self.wide.resize(self.n, [0.0; TOGETHER]);
        let work = &mut self.wide;
        for (k, &row) in self.rows.iter().enumerate() {
            let mut rest = b[row].map(|e| e * self.row_scale[row]);
            for (c, v) in self.lower.row(k) {
                for (r, w) in rest.iter_mut().zip(&work[c]) {
                    *r -= v * w;
                }
            }
            work[k] = rest;
        }
        for k in (0..self.n).rev() {
            let mut rest = work[k];
            for (c, v) in self.upper.row(k) {
                for (r, w) in rest.iter_mut().zip(&work[c]) {
                    *r -= v * w;
                }
            }
            work[k] = rest.map(|e| e * self.pivots[k]);
        }
        for (x, &column) in work.iter().zip(&self.columns) {
            b[column] = x.map(|e| e * self.column_scale[column]);
        }
    }

    /// Solves A^T y = d in place.
    pub fn solve_transposed(&mut self, d: &mut [f64]) {
        let Self {
            work, lower, upper, ..
        } = self;
        for (w, &column) in work.iter_mut().zip(&self.columns) {
            *w = d[column] * self.column_scale[column];
        }
        for k in 0..self.n {
            let value = work[k] * self.pivots[k];
            work[k] = value;
            if value != 0.0 {
                for (c, v) in upper.row(k) {
                    work[c] -= v * value;
                }
            }
        }
        for k in (0..self.n).rev() {
            let value = work[k];
            if value != 0.0 {
                for (c, v) in lower.row(k) {
                    work[c] -= v * value;
                }
            }
        }
        for (y, &row) in work.iter().zip(&self.rows) {
            d[row] = y * self.row_scale[row];
        }
    }

    /// The sign of det A.
    pub fn sign(&self) -> f64 {
        let pivots = self.pivots.iter();
        pivots.fold(self.parity, |sign, p| sign * p.signum())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::scattered;
    use super::*;
    use nalgebra::{DMatrix, DVector};

    /// The places of the entries that are not zero.
    fn places(dense: &DMatrix<f64>) -> Vec<(usize, usize)> {
        let (rows, columns) = dense.shape();
        let all = (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j)));
        all.filter(|&(i, j)| dense[(i, j)] != 0.0).collect()
    }

    fn solves(fixed: &mut Fixed, dense: &DMatrix<f64>) {
        let n = dense.nrows();
        let b = DVector::from_fn(n, |k, _| (k as f64 * 0.7).sin() + 0.1);
        let mut x = b.as_slice().to_vec();
        fixed.solve(&mut x);
        let size = dense.clone().try_inverse().unwrap().amax();
        assert!((dense * DVector::from_vec(x) - &b).amax() < 1e-12 * size.max(1.0));
        let mut y = b.as_slice().to_vec();
        fixed.solve_transposed(&mut y);
        assert!((dense.transpose() * DVector::from_vec(y) - &b).amax() < 1e-12 * size.max(1.0));
        assert_eq!(fixed.sign(), dense.determinant().signum());
        let mut many: Vec<[f64; TOGETHER]> = (0..n)
            .map(|k| std::array::from_fn(|i| b[k] * i as f64))
            .collect();
        fixed.solve_together(&mut many);
        let mut one = b.as_slice().to_vec();
        fixed.solve(&mut one);
        for (many, one) in many.iter().zip(&one) {
            for (i, e) in many.iter().enumerate() {
                let off = (e - one * i as f64).abs();
                assert!(off <= 1e-12 * size.max(1.0), "{off:e}");
            }
        }
    }

    #[test]
    fn values_change_and_the_places_stay() {
        for n in [1, 2, 5, 17, 40] {
            let mut dense = scattered(n, n);
            if n > 4 {
                dense.swap_rows(0, 3);
            }
            let places = places(&dense);
            let mut fixed = Fixed::new(n, &places);
            for turn in 0..6 {
                for (i, (value, &(b, c))) in fixed.values().iter_mut().zip(&places).enumerate() {
                    *value = dense[(b, c)] * (1.0 + 0.3 * ((i + turn) as f64).sin());
                }
                let now = {
                    let mut now = DMatrix::zeros(n, n);
                    for (value, &(b, c)) in fixed.values().iter().zip(&places) {
                        now[(b, c)] = *value;
                    }
                    now
                };
                assert!(fixed.factor() > 1e-6);
                solves(&mut fixed, &now);
            }
        }
    }

    #[test]
    fn an_order_that_has_become_a_bad_one_is_found_anew() {
        let places = [(0, 0), (0, 1), (1, 0), (1, 1), (1, 2), (2, 1), (2, 2)];
        let mut fixed = Fixed::new(3, &places);
        for small in [1.0, 1e-3, 1e-9, 0.0, 1e-17] {
            // the diagonal vanishes: what was a good pivot is none
            let values = [small, 2.0, 3.0, small, 1.0, 1.5, small + 0.5];
            fixed.values().copy_from_slice(&values);
            assert!(fixed.factor() > 1e-3, "{small}");
            let mut dense = DMatrix::zeros(3, 3);
            for (v, &(b, c)) in values.iter().zip(&places) {
                dense[(b, c)] = *v;
            }
            solves(&mut fixed, &dense);
        }
    }

    #[test]
    fn singular_matrices_are_seen_in_any_units_and_do_no_harm() {
        let places = [(0, 0), (0, 1), (1, 0), (1, 1)];
        let mut fixed = Fixed::new(2, &places);
        for units in [1e-150, 1.0, 1e120] {
            fixed
                .values()
                .copy_from_slice(&[1.0, 2.0 * units, 0.1, 0.2 * units]);
            assert!(fixed.factor() < LOST);
            fixed
                .values()
                .copy_from_slice(&[1.0, 2.0 * units, 0.1, 0.3 * units]);
            assert!(fixed.factor() > 1e-3);
        }
        fixed.values().copy_from_slice(&[0.0, 0.0, 1.0, 1.0]);
        assert_eq!(fixed.factor(), 0.0);
        fixed.values().copy_from_slice(&[f64::NAN, 0.0, 1.0, 1.0]);
        assert!(fixed.factor().is_nan());
        fixed.values().copy_from_slice(&[1.0, 0.0, 1.0, 1.0]);
        assert!(fixed.factor() > 0.1);
        assert_eq!(Fixed::new(0, &[]).factor(), f64::INFINITY);
    }
}
