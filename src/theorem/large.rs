//! The numbers of a large Jacobian, by sparse factors.
//!
//! A determinant is judged relative to itself. With C = det A^-T the matrix of cofactors,
//!
//! ```text
//! |det| <= 8 eps sum |C_ij| |a_ij| + sum_k reach_k |sum_ij C_ij da_ij/dx_k|
//! ```
//!
//! divided by |det| needs the entries of the inverse at the places of A alone: one solution a row.

use super::numbers::{LocalJacobian, Minor, ZERO};
use crate::sparse::{Lu, Sparse, condition};

impl LocalJacobian {
    /// As [`LocalJacobian::minor`], for a large Jacobian.
    pub(super) fn large_minor(&self, columns: &[usize]) -> Minor {
        let sizes = self.row_sizes();
        let singular = Minor {
            determinant: 0.0,
            scaled: 0.0,
            is_zero: true,
        };
        let block = self.sparse().select(columns).unscaled(&sizes);
        let Some(factors) = Lu::new(&block) else {
            return singular;
        };
        let m = sizes.len();
        let mut place = vec![usize::MAX; self.value.ncols()];
        for (j, &c) in columns.iter().enumerate() {
            place[c] = j;
        }
        let mut slopes: Vec<Vec<(usize, usize, f64)>> = vec![Vec::new(); m];
        for &(i, j, k, v) in &self.slopes {
            if place[j] != usize::MAX {
                slopes[i].push((place[j], k, v / sizes[i]));
            }
        }
        let mut terms = 0.0;
        let mut moved = vec![0.0; self.reach.len()];
        let mut unit = vec![0.0; m];
        for i in 0..m {
            unit[i] = 1.0;
            // column i of the inverse: C_ij / det is its entry j
            let inverse = factors.solve(&unit);
            unit[i] = 0.0;
            for (j, &c) in columns.iter().enumerate() {
                let size = self.magnitude[(i, c)];
                if size != 0.0 {
                    terms += (inverse[j] * size / sizes[i]).abs();
                }
            }
            for &(j, k, v) in &slopes[i] {
                moved[k] += inverse[j] * v;
            }
        }
        let moved = moved.iter().zip(&self.reach).map(|(s, r)| (s * r).abs());
        let relative = ZERO * terms + moved.sum::<f64>();
        Minor {
            determinant: factors.determinant(&sizes),
            scaled: factors.determinant(&vec![1.0; m]),
            // a NaN is no proof that the theorem holds
            is_zero: relative >= 1.0 || relative.is_nan(),
        }
    }

    /// The condition number of a regular block, and |det J_D| / sqrt(det J J^T).
    pub(super) fn large_measures(&self, columns: &[usize]) -> (Option<f64>, Option<f64>) {
        let sizes = self.row_sizes();
        let whole = self.sparse();
        let block = whole.select(columns);
        let condition = Lu::new(&block).and_then(|factors| condition(&block, &factors));
        let whole = whole.unscaled(&sizes);
        let quality = || {
            let volume = Lu::new(&whole.gram())?.log_determinant();
            let own = Lu::new(&whole.select(columns))?.log_determinant();
            let quality = (own - 0.5 * volume).exp().min(1.0);
            quality.is_finite().then_some(quality)
        };
        (condition, quality())
    }

    /// The entries of J that are not zero.
    pub(super) fn sparse(&self) -> Sparse {
        Sparse::new(&self.value)
    }
}
