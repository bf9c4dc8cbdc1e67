//! A matrix by its singular values, and what is safe to ask of it then: the shortest solution of W dx = r, in the sense of
//! least squares where there is none, the directions in which W does next to nothing, its condition.

use super::orthogonal::{Orthogonal, dot};
use crate::effort::calculate;
use crate::sparse::{Shortest, Sparse, is_large};
use nalgebra::{DMatrix, DVector};

/// Rounds of turning every pair of rows, at most: a few do.
const SWEEPS: usize = 40;

/// What a pair of rows takes beside its entries, in operations on numbers.
const PAIR: usize = 16;

/// A square of a length that falls below this part of what it was is taken from the entries anew.
const CANCELLED: f64 = 0.1;

/// Where each row is farther than this part of the longest from the span of those before it, no singular value is next to zero.
const CLEAR: f64 = 1e-6;

/// The cofactors of a matrix of more rows are taken from its inverse, where it has one.
const BY_MINORS: usize = 4;

/// A matrix by its singular values. Its rows are turned until they are square to each other: with u orthogonal, u^T W has
/// rows of lengths s_i (Hestenes' one-sided Jacobi method). Rows that agree to rounding leave one that is next to
/// nothing, however many there are.
pub struct Split {
    /// The singular values, one for each row, the largest first.
    pub sizes: Vec<f64>,
    /// The left singular vectors, a column each.
    pub left: DMatrix<f64>,
    /// The right singular vectors times their values, a column each.
    pub right: DMatrix<f64>,
}

impl Split {
    /// Of a matrix whose squares do not overflow; `None` where an entry is not finite.
    pub fn new(matrix: &DMatrix<f64>) -> Option<Self> {
        if !matrix.norm_squared().is_finite() {
            return None;
        }
        let m = matrix.nrows();
        let mut rows = matrix.transpose();
        let mut turns = DMatrix::identity(m, m);
        let mut squares = vec![0.0; m];
        for _ in 0..SWEEPS {
            let mut turned = false;
            for (square, row) in squares.iter_mut().zip(rows.column_iter()) {
                *square = row.norm_squared();
            }
            for i in 0..m {
                calculate((m - i) * (rows.nrows() + PAIR) / 4);
                for j in i + 1..m {
                    let (a, b) = pair(&mut rows, (i, j));
                    let (p, q, r) = (squares[i], squares[j], dot(a, b));
                    if r.abs() <= f64::EPSILON * (p * q).sqrt() || r == 0.0 {
                        continue;
                    }
                    turned = true;
                    calculate(m + a.len() + PAIR);
                    let zeta = (q - p) / (2.0 * r);
                    let tangent = zeta.signum() / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
                    let cosine = (1.0 + tangent * tangent).sqrt().recip();
                    turn((a, b), (cosine, cosine * tangent));
                    // what is left of a row that is turned into another is known from its entries only
                    let left = |before: f64, after: f64, row: &[f64]| {
                        if after > CANCELLED * before {
                            after
                        } else {
                            dot(row, row)
                        }
                    };
                    squares[i] = left(p, p - tangent * r, a);
                    squares[j] = left(q, q + tangent * r, b);
                    turn(pair(&mut turns, (i, j)), (cosine, cosine * tangent));
                }
            }
            if !turned {
                break;
            }
        }
        let sizes: Vec<f64> = rows.column_iter().map(|row| row.norm()).collect();
        let mut order: Vec<usize> = (0..m).collect();
        order.sort_by(|&a, &b| sizes[b].total_cmp(&sizes[a]));
        Some(Self {
            sizes: order.iter().map(|&i| sizes[i]).collect(),
            left: turns.select_columns(&order),
            right: rows.select_columns(&order),
        })
    }
}

/// Two columns, the first before the second.
fn pair(matrix: &mut DMatrix<f64>, (i, j): (usize, usize)) -> (&mut [f64], &mut [f64]) {
    let n = matrix.nrows();
    let (before, from) = matrix.as_mut_slice().split_at_mut(j * n);
    (&mut before[i * n..(i + 1) * n], &mut from[..n])
}

/// Turns two vectors in their plane.
fn turn((first, second): (&mut [f64], &mut [f64]), (cosine, sine): (f64, f64)) {
    for (a, b) in first.iter_mut().zip(second) {
        (*a, *b) = (cosine * *a - sine * *b, sine * *a + cosine * *b);
    }
}

/// A matrix of any shape, factored for least norm solutions.
pub enum LeastNorm {
    /// By its singular values.
    Dense {
        /// Of the matrix or, where it is taller than wide, of its transpose, divided by the unit.
        split: Split,
        /// Was it the columns that were turned?
        tall: bool,
        /// What the matrix was divided by.
        unit: f64,
    },
    /// A large one by sparse factors: small singular values are left out as it does.
    Sparse(Shortest),
}

impl LeastNorm {
    /// By singular values; `None` where an entry is not finite.
    pub fn new(matrix: &DMatrix<f64>) -> Option<Self> {
        let unit = unit(matrix)?;
        let tall = matrix.nrows() > matrix.ncols();
        let scaled = matrix / unit;
        let split = Split::new(&if tall { scaled.transpose() } else { scaled })?;
        Some(Self::Dense { split, tall, unit })
    }

    /// The same, of a large matrix by sparse factors.
    pub fn quick(matrix: &DMatrix<f64>) -> Option<Self> {
        if !is_large(matrix.nrows(), matrix.ncols()) {
            return Self::new(matrix);
        }
        unit(matrix)?;
        Shortest::new(&Sparse::new(matrix)).map(Self::Sparse)
    }

    /// The singular values, the largest first; none of a large matrix.
    pub fn sizes(&self) -> Vec<f64> {
        match self {
            Self::Dense { split, unit, .. } => split.sizes.iter().map(|s| s * unit).collect(),
            Self::Sparse(_) => Vec::new(),
        }
    }

    /// The largest of them.
    pub fn largest(&self) -> f64 {
        self.sizes().first().copied().unwrap_or(0.0)
    }

    /// The smallest in parts of the largest; NaN of a large matrix.
    pub fn least(&self) -> f64 {
        let sizes = self.sizes();
        sizes.last().map_or(f64::NAN, |least| least / sizes[0])
    }

    /// How many singular values are above this part of the largest.
    pub fn rank(&self, part: f64) -> usize {
        self.above(part * self.largest())
    }

    fn above(&self, cut: f64) -> usize {
        self.sizes().iter().filter(|s| **s > cut).count()
    }

    /// The shortest of the best x, without directions of singular values up to `cut`; `None` where it is not finite.
    pub fn solve(&self, right: &DVector<f64>, cut: f64) -> Option<DVector<f64>> {
        self.along(right, self.above(cut))
    }

    /// The same without directions of singular values below this part of the largest.
    pub fn shortest(&self, right: &DVector<f64>, part: f64) -> Option<DVector<f64>> {
        self.along(right, self.rank(part))
    }

    /// The same along the directions of so many of the largest singular values.
    pub fn along(&self, right: &DVector<f64>, count: usize) -> Option<DVector<f64>> {
        let (split, tall, unit) = match self {
            Self::Dense { split, tall, unit } => (split, tall, unit),
            Self::Sparse(factors) => {
                return factors.solve(right.as_slice()).map(DVector::from_vec);
            }
        };
        // of the two one has its singular values in it
        let (to, from) = if *tall {
            (&split.left, &split.right)
        } else {
            (&split.right, &split.left)
        };
        let mut x = DVector::zeros(to.nrows());
        for (i, size) in split.sizes.iter().take(count).enumerate() {
            let part = from.column(i).dot(right) / size / unit;
            x.axpy(part / size, &to.column(i), 1.0);
        }
        x.iter().all(|v| v.is_finite()).then_some(x)
    }
}

/// The factors of rows that are independent by far, where that shows without singular values: so is each one's part across those
/// before it, against the longest row.
fn independent(matrix: &DMatrix<f64>, part: f64) -> Option<Orthogonal> {
    let (m, n) = matrix.shape();
    if m > n || is_large(m, n) {
        return None;
    }
    calculate(m * m * n / 4);
    let rows = matrix.transpose();
    let mut factors = Orthogonal::new(n, m);
    let least = factors.factor(rows.as_slice());
    let longest = rows.column_iter().map(|row| row.norm()).fold(0.0, f64::max);
    let clear = CLEAR.max(part) * longest;
    let all = least > 0.0 && longest.is_finite() && factors.diagonal().all(|r| r.abs() > clear);
    all.then_some(factors)
}

/// The shortest of the best x with W x = r, without directions of singular values below this part of the largest; `None` where
/// it is not finite. Singular values are worked out only where independent rows do not show that they are not needed.
pub fn shortest(matrix: &DMatrix<f64>, right: &DVector<f64>, part: f64) -> Option<DVector<f64>> {
    if let Some(factors) = independent(matrix, part) {
        let mut x = right.clone().resize_vertically(matrix.ncols(), 0.0);
        factors.shortest(x.as_mut_slice());
        return x.iter().all(|v| v.is_finite()).then_some(x);
    }
    LeastNorm::quick(matrix)?.shortest(right, part)
}

/// The sizes of what the shortest x with W x = r may be where each entry of r has either sign, coordinate by coordinate: the sum
/// over the rows. `None` where one is not finite.
pub fn shortest_within(matrix: &DMatrix<f64>, right: &[f64]) -> Option<Vec<f64>> {
    let (m, n) = matrix.shape();
    let mut sizes = vec![0.0; n];
    let mut add = |x: &[f64]| {
        let pairs = sizes.iter_mut().zip(x);
        pairs.for_each(|(size, x)| *size += x.abs());
    };
    if let Some(factors) = independent(matrix, 0.0) {
        let mut x = vec![0.0; n];
        for (b, right) in right.iter().enumerate() {
            x.fill(0.0);
            x[b] = *right;
            factors.shortest(&mut x);
            add(&x);
        }
    } else {
        let factors = LeastNorm::new(matrix)?;
        for (b, own) in right.iter().enumerate() {
            let right = DVector::from_fn(m, |i, _| if i == b { *own } else { 0.0 });
            add(factors.solve(&right, 0.0)?.as_slice());
        }
    }
    sizes.iter().all(|v| v.is_finite()).then_some(sizes)
}

/// An orthonormal basis, a column a vector, of the directions in which a matrix is below this part of its largest singular
/// value; `None` where an entry is not finite.
pub fn null_vectors(matrix: &DMatrix<f64>, part: f64) -> Option<DMatrix<f64>> {
    let split = Split::new(&(matrix / unit(matrix)?).transpose())?;
    let largest = split.sizes.first().copied().unwrap_or(0.0);
    let kept = split.sizes.iter().filter(|s| **s > part * largest).count();
    let null = split.sizes.len() - kept;
    Some(split.left.columns(kept, null).into_owned())
}

/// The singular values of a matrix, the largest first; `None` where an entry or one of them is not finite.
pub fn singular_values(matrix: &DMatrix<f64>) -> Option<Vec<f64>> {
    let list = LeastNorm::new(matrix)?.sizes();
    list.iter().all(|s| s.is_finite()).then_some(list)
}

/// The condition number of a square matrix in the 2-norm; `None` where it is infinite or cannot be told.
pub fn condition(matrix: &DMatrix<f64>) -> Option<f64> {
    let list = singular_values(matrix)?;
    let (Some(top), Some(low)) = (list.first(), list.last()) else {
        return Some(1.0);
    };
    (*low > 0.0 && (top / low).is_finite()).then(|| top / low)
}

/// The matrix of cofactors of a square matrix with this determinant, C_ij = d det/d a_ij; right for singular matrices too.
pub fn cofactors(a: &DMatrix<f64>, determinant: f64) -> DMatrix<f64> {
    let m = a.nrows();
    if m > BY_MINORS
        && determinant != 0.0
        && let Some(inverse) = a.clone().try_inverse()
        && inverse.iter().all(|v| v.is_finite())
    {
        return inverse.transpose() * determinant;
    }
    DMatrix::from_fn(m, m, |i, j| {
        let minor = a.clone().remove_row(i).remove_column(j);
        let det = if m == 1 { 1.0 } else { minor.determinant() };
        if (i + j) % 2 == 0 { det } else { -det }
    })
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
                let found = LeastNorm::new(&wide).unwrap();
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
        let found = LeastNorm::new(&tall).unwrap();
        let found = found.shortest(&right, 1e-12).unwrap();
        assert!((found - DVector::from_column_slice(&[2.0, 2.0])).amax() < 1e-15);
        let none = LeastNorm::new(&DMatrix::zeros(0, 3)).unwrap();
        assert_eq!(none.shortest(&DVector::zeros(0), 1e-12).unwrap().len(), 3);
        assert_eq!(
            null_vectors(&DMatrix::zeros(0, 3), 1e-12).unwrap().ncols(),
            3
        );
        assert!(LeastNorm::new(&DMatrix::from_element(1, 1, f64::NAN)).is_none());
    }
}
