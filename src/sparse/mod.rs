//! Linear algebra for large systems: a constraint touches few coordinates, so that the Jacobian of a
//! chain of N links has 4N entries of 2N^2, and factors cost about as much as they have entries.
//!
//! Small systems use dense factors, which are faster there: see [`is_large`].

mod cholesky;
mod fixed;
mod lanczos;
mod lu;
mod shortest;

pub use cholesky::Cholesky;
pub use fixed::{Fixed, TOGETHER};
pub use lanczos::condition;
pub use lu::Lu;
pub use shortest::Shortest;

use nalgebra::DMatrix;

/// A dense matrix of more entries than this is worth being treated as a sparse one.
const DENSE_UP_TO: usize = 2_048;

/// Is a matrix of this shape large?
pub fn is_large(rows: usize, columns: usize) -> bool {
    rows.saturating_mul(columns) > DENSE_UP_TO
}

/// A matrix by its entries that are not zero.
#[derive(Clone, Debug, PartialEq)]
pub struct Sparse {
    /// The entries of each row as (column, value), columns ascending.
    pub rows: Vec<Vec<(usize, f64)>>,
    /// The number of columns.
    pub columns: usize,
}

impl Sparse {
    /// The entries of a dense matrix.
    pub fn new(dense: &DMatrix<f64>) -> Self {
        Self::of_columns(dense, 0..dense.ncols())
    }

    /// The entries of some columns of a dense matrix, in the order given.
    pub fn of_columns(dense: &DMatrix<f64>, columns: impl ExactSizeIterator<Item = usize>) -> Self {
        let mut own = Self {
            rows: vec![Vec::new(); dense.nrows()],
            columns: columns.len(),
        };
        for (place, k) in columns.enumerate() {
            for (row, v) in own.rows.iter_mut().zip(&dense.column(k)) {
                if *v != 0.0 {
                    row.push((place, *v));
                }
            }
        }
        own
    }

    /// Those of some columns of a dense matrix that stand at these places.
    pub fn of_entries(dense: &DMatrix<f64>, places: &[(usize, usize)], columns: &[usize]) -> Self {
        let mut rows = vec![Vec::new(); dense.nrows()];
        for &(b, k) in places.iter().filter(|at| dense[**at] != 0.0) {
            rows[b].push((k, dense[(b, k)]));
        }
        let all = Self {
            rows,
            columns: dense.ncols(),
        };
        all.select(columns)
    }

    /// Some of the columns, in the order given.
    #[must_use]
    pub fn select(&self, columns: &[usize]) -> Self {
        let mut place = vec![usize::MAX; self.columns];
        for (j, &c) in columns.iter().enumerate() {
            place[c] = j;
        }
        let rows = self.rows.iter().map(|row| {
            let kept = row.iter().filter(|(c, _)| place[*c] != usize::MAX);
            let mut kept: Vec<(usize, f64)> = kept.map(|&(c, v)| (place[c], v)).collect();
            kept.sort_unstable_by_key(|e| e.0);
            kept
        });
        Self {
            rows: rows.collect(),
            columns: columns.len(),
        }
    }

    /// The determinant of a square matrix; 0 where it has no factors.
    pub fn determinant(&self) -> f64 {
        let one = vec![1.0; self.rows.len()];
        Lu::new(self).map_or(0.0, |lu| lu.determinant(&one))
    }

    /// The same with row b divided by `by[b]`.
    #[must_use]
    pub fn unscaled(&self, by: &[f64]) -> Self {
        let rows = self.rows.iter().zip(by);
        Self {
            rows: rows
                .map(|(row, s)| row.iter().map(|(c, v)| (*c, v / s)).collect())
                .collect(),
            columns: self.columns,
        }
    }

    /// The entries by columns.
    #[must_use]
    pub fn transposed(&self) -> Self {
        let mut rows = vec![Vec::new(); self.columns];
        for (b, row) in self.rows.iter().enumerate() {
            for &(c, v) in row {
                rows[c].push((b, v));
            }
        }
        Self {
            rows,
            columns: self.rows.len(),
        }
    }

    /// A A^T.
    #[must_use]
    pub fn gram(&self) -> Self {
        let transposed = self.transposed();
        let mut sums = vec![0.0; self.rows.len()];
        let mut touched = vec![usize::MAX; self.rows.len()];
        let rows = self.rows.iter().enumerate().map(|(b, row)| {
            let mut inside = Vec::new();
            for &(c, v) in row {
                for &(other, w) in &transposed.rows[c] {
                    if touched[other] != b {
                        touched[other] = b;
                        sums[other] = 0.0;
                        inside.push(other);
                    }
                    sums[other] += v * w;
                }
            }
            inside.sort_unstable();
            inside.into_iter().map(|c| (c, sums[c])).collect()
        });
        Self {
            rows: rows.collect(),
            columns: self.rows.len(),
        }
    }

    /// A x.
    pub fn times(&self, x: &[f64]) -> Vec<f64> {
        let dot = |row: &Vec<(usize, f64)>| row.iter().map(|(c, v)| v * x[*c]).sum();
        self.rows.iter().map(dot).collect()
    }

    /// A^T y.
    pub fn transposed_times(&self, y: &[f64]) -> Vec<f64> {
        let mut x = vec![0.0; self.columns];
        for (row, s) in self.rows.iter().zip(y) {
            for (c, v) in row {
                x[*c] += v * s;
            }
        }
        x
    }

    /// The columns chosen one a row by elimination with complete pivoting, ascending; `None` where
    /// the rows are dependent.
    pub fn pivoted(&self) -> Option<Vec<usize>> {
        let mut rows = self.rows.clone();
        let mut open: Vec<usize> = (0..rows.len()).collect();
        let mut chosen = Vec::new();
        while !open.is_empty() {
            // the largest entry; of equal ones that of the first column, then of the last row
            let mut best: Option<(f64, usize, usize)> = None;
            for (place, &b) in open.iter().enumerate() {
                for &(c, v) in &rows[b] {
                    let size = v.abs();
                    let better = best
                        .is_none_or(|(top, _, column)| size > top || (size == top && c <= column));
                    if size > 0.0 && better {
                        best = Some((size, place, c));
                    }
                }
            }
            let (_, place, column) = best?;
            let pivot_row = std::mem::take(&mut rows[open.remove(place)]);
            let pivot = lu::entry(&pivot_row, column);
            chosen.push(column);
            for &b in &open {
                let value = lu::entry(&rows[b], column);
                if value != 0.0 {
                    rows[b] = lu::eliminated(&rows[b], &pivot_row, value / pivot, column);
                }
            }
        }
        chosen.sort_unstable();
        Some(chosen)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use nalgebra::DVector;

    /// A sparse matrix of deterministic numbers in (-1, 1), regular on its diagonal.
    pub(crate) fn scattered(rows: usize, columns: usize) -> DMatrix<f64> {
        DMatrix::from_fn(rows, columns, |i, j| {
            let noise = (((3 * i + 7 * j + 1) as f64) * 12.9898).sin() * 43_758.545;
            let v = 2.0 * noise.rem_euclid(1.0) - 1.0;
            match (i * 5 + j * 3) % 7 {
                _ if i == j => 2.0 + v,
                0 | 3 => v,
                _ => 0.0,
            }
        })
    }

    #[test]
    fn products_are_those_of_the_dense_matrix() {
        let dense = scattered(6, 9);
        let sparse = Sparse::new(&dense);
        let x: Vec<f64> = (0..9).map(|k| f64::from(k) - 3.5).collect();
        let wanted = &dense * DVector::from_row_slice(&x);
        assert!((DVector::from_vec(sparse.times(&x)) - wanted).amax() < 1e-14);
        let y = &x[..6];
        let wanted = dense.transpose() * DVector::from_row_slice(y);
        assert!((DVector::from_vec(sparse.transposed_times(y)) - wanted).amax() < 1e-14);
        let gram = &dense * dense.transpose();
        for (i, row) in sparse.gram().rows.iter().enumerate() {
            for &(j, v) in row {
                assert!((gram[(i, j)] - v).abs() < 1e-14);
            }
        }
        let columns = [7, 2, 4];
        let picked = sparse.select(&columns);
        let places: Vec<(usize, usize)> = (0..dense.nrows())
            .flat_map(|b| (0..dense.ncols()).map(move |k| (b, k)))
            .collect();
        assert_eq!(Sparse::of_columns(&dense, columns.into_iter()), picked);
        assert_eq!(Sparse::of_entries(&dense, &places, &columns), picked);
        for (i, row) in picked.rows.iter().enumerate() {
            for &(j, v) in row {
                assert_eq!(dense[(i, columns[j])], v);
            }
        }
    }

    #[test]
    fn complete_pivoting_finds_independent_columns() {
        let dense = scattered(8, 12);
        let chosen = Sparse::new(&dense).pivoted().unwrap();
        assert_eq!(chosen.len(), 8);
        assert!(dense.select_columns(&chosen).determinant().abs() > 1e-3);
        let mut dependent = dense.clone();
        let row = dense.row(0) + dense.row(1);
        dependent.set_row(5, &row);
        dependent.set_row(0, &(dense.row(1) * 0.0));
        assert!(Sparse::new(&dependent).pivoted().is_none());
    }
}
