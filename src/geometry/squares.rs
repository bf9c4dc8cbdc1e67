//! The shortest of the x that leave least of W x - r, and the directions in which W does next to nothing, of matrices of
//! any shape.

use super::Split;
use nalgebra::{DMatrix, DVector};

/// A matrix by its singular values: W = sum s_i u_i v_i^T.
pub struct LeastSquares {
    split: Split,
    /// Was it the columns that were turned?
    tall: bool,
    /// What the matrix was divided by.
    unit: f64,
}

impl LeastSquares {
    /// `None` where an entry is not finite.
    pub fn new(matrix: &DMatrix<f64>) -> Option<Self> {
        let unit = unit(matrix)?;
        let tall = matrix.nrows() > matrix.ncols();
        let scaled = matrix / unit;
        let split = Split::new(&if tall { scaled.transpose() } else { scaled })?;
        Some(Self { split, tall, unit })
    }

    /// The largest singular value.
    pub fn largest(&self) -> f64 {
        self.split.sizes.first().map_or(0.0, |s| s * self.unit)
    }

    /// How many singular values are above this part of the largest.
    pub fn rank(&self, part: f64) -> usize {
        let cut = part * self.largest();
        let sizes = self.split.sizes.iter();
        sizes.filter(|s| *s * self.unit > cut).count()
    }

    /// The shortest of the best x, without directions of singular values up to `cut`; `None` where it is not finite.
    pub fn solve(&self, right: &DVector<f64>, cut: f64) -> Option<DVector<f64>> {
        let sizes = self.split.sizes.iter();
        self.along(right, sizes.filter(|s| *s * self.unit > cut).count())
    }

    /// The same along the directions of so many of the largest singular values.
    pub fn along(&self, right: &DVector<f64>, count: usize) -> Option<DVector<f64>> {
        // of the two one has its singular values in it
        let (to, from) = if self.tall {
            (&self.split.left, &self.split.right)
        } else {
            (&self.split.right, &self.split.left)
        };
        let mut x = DVector::zeros(to.nrows());
        for (i, size) in self.split.sizes.iter().take(count).enumerate() {
            let part = from.column(i).dot(right) / size / self.unit;
            x.axpy(part / size, &to.column(i), 1.0);
        }
        x.iter().all(|v| v.is_finite()).then_some(x)
    }

    /// The same without directions of singular values below this part of the largest.
    pub fn shortest(&self, right: &DVector<f64>, part: f64) -> Option<DVector<f64>> {
        self.solve(right, part * self.largest())
    }
}

/// An orthonormal basis, a column a vector, of the directions in which a matrix is below this part of its largest singular
/// value; `None` where an entry is not finite.
pub fn null_vectors(matrix: &DMatrix<f64>, part: f64) -> Option<DMatrix<f64>> {
    let split = Split::new(&(matrix / unit(matrix)?).transpose())?;
    let largest = split.sizes.first().copied().unwrap_or(0.0);
    let sizes = split.sizes.iter().enumerate();
    let null: Vec<usize> = sizes
        .filter(|e| *e.1 <= part * largest)
        .map(|e| e.0)
        .collect();
    Some(split.left.select_columns(&null))
}

/// A power of two that brings a matrix to a size of about 1: its squares then neither overflow nor underflow.
fn unit(matrix: &DMatrix<f64>) -> Option<f64> {
    if !matrix.iter().all(|v| v.is_finite()) {
        return None;
    }
    let top = if matrix.is_empty() {
        0.0
    } else {
        matrix.amax()
    };
    Some(if top > 0.0 {
        top.log2().floor().clamp(-1000.0, 1000.0).exp2()
    } else {
        1.0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_agree_to_rounding_spoil_no_solution() {
        // three rows that are one but for rounding, and one more: x = (1, 1, 1, 0) is the shortest
        let row = [0.1, 0.2, 0.3, 0.0];
        let matrix = DMatrix::from_fn(4, 4, |i, k| match i {
            3 => [1.0, 1.0, -1.0, 0.0][k],
            _ => row[k] * (1.0 + i as f64 * f64::EPSILON),
        });
        let planted = DVector::from_column_slice(&[0.1, 0.2, 0.3, 0.0]) * 5.0
            + DVector::from_column_slice(&[1.0, 1.0, -1.0, 0.0]);
        for unit in [1.0, 1e-200, 1e200] {
            for list in [vec![0, 1, 2, 3], vec![0, 3], vec![0, 0, 1, 1, 2, 3, 3]] {
                let wide = matrix.select_rows(&list) * unit;
                let found = LeastSquares::new(&wide).unwrap();
                let found = found.shortest(&(&wide * &planted), 1e-12).unwrap();
                assert!((&found - &planted).amax() < 1e-14, "{list:?}: {found}");
                let null = null_vectors(&wide, 1e-12).unwrap();
                assert_eq!(null.ncols(), 2);
                assert!((&wide * &null).amax() < 1e-15 * unit);
                let one = null.transpose() * &null;
                assert!((one - DMatrix::identity(2, 2)).amax() < 1e-14);
            }
        }
    }

    #[test]
    fn what_cannot_be_met_is_missed_by_the_least() {
        let tall = DMatrix::from_row_slice(3, 2, &[1.0, 0.0, 1.0, 0.0, 0.0, 2.0]);
        let right = DVector::from_column_slice(&[1.0, 3.0, 4.0]);
        let found = LeastSquares::new(&tall).unwrap();
        let found = found.shortest(&right, 1e-12).unwrap();
        assert!((found - DVector::from_column_slice(&[2.0, 2.0])).amax() < 1e-15);
        let none = LeastSquares::new(&DMatrix::zeros(0, 3)).unwrap();
        assert_eq!(none.shortest(&DVector::zeros(0), 1e-12).unwrap().len(), 3);
        assert_eq!(
            null_vectors(&DMatrix::zeros(0, 3), 1e-12).unwrap().ncols(),
            3
        );
        assert!(LeastSquares::new(&DMatrix::from_element(1, 1, f64::NAN)).is_none());
    }
}
