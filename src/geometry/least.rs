//! The shortest solution of W dx = r, in the sense of least squares where there is none, and singular values that are
//! safe to ask for.

use crate::sparse::{Shortest, Sparse, is_large};
use nalgebra::{DMatrix, DVector, Dyn, SVD};

/// Rounds that the decomposition may take for each row and column.
const ROUNDS: usize = 100;

/// A matrix factored for least norm solutions, its rows divided by weights.
pub struct LeastNorm {
    weights: DVector<f64>,
    cut: f64,
    factors: Factors,
}

enum Factors {
    Dense(SVD<f64, Dyn, Dyn>),
    Sparse(Shortest),
}

impl LeastNorm {
    /// Factors the `unknown` columns; directions with singular values below the part `cut` of the largest are left
    /// out. `None` where there is nothing to factor, or an entry in units of its weight is not finite.
    pub fn new(
        matrix: &DMatrix<f64>,
        unknown: &[usize],
        (weights, cut): (&DVector<f64>, f64),
    ) -> Option<Self> {
        if unknown.is_empty() || matrix.iter().any(|e| !e.is_finite()) {
            return None;
        }
        let rows = matrix.nrows();
        let factors = if is_large(rows, unknown.len()) {
            let sparse = Sparse::new(matrix).select(unknown);
            Factors::Sparse(Shortest::new(&sparse.unscaled(weights.as_slice()))?)
        } else {
            let scaled = DMatrix::from_fn(rows, unknown.len(), |b, k| {
                matrix[(b, unknown[k])] / weights[b]
            });
            Factors::Dense(decomposed(scaled)?)
        };
        Some(Self {
            weights: weights.clone(),
            cut,
            factors,
        })
    }

    /// All columns of a small matrix, rows as they are.
    pub fn whole(matrix: DMatrix<f64>, cut: f64) -> Option<Self> {
        Some(Self {
            weights: DVector::repeat(matrix.nrows(), 1.0),
            cut,
            factors: Factors::Dense(decomposed(matrix)?),
        })
    }

    /// The least norm solution.
    pub fn solve(&self, right: &DVector<f64>) -> Option<DVector<f64>> {
        let weighed = right.component_div(&self.weights);
        if weighed.iter().any(|e| !e.is_finite()) {
            return None;
        }
        match &self.factors {
            Factors::Dense(svd) => {
                let cut = svd.singular_values.max() * self.cut;
                svd.solve(&weighed, cut).ok()
            }
            Factors::Sparse(factors) => factors.solve(weighed.as_slice()).map(DVector::from_vec),
        }
    }

    /// The smallest singular value of a small matrix in parts of the largest.
    pub fn least(&self) -> f64 {
        match &self.factors {
            Factors::Dense(svd) => svd.singular_values.min() / svd.singular_values.max(),
            Factors::Sparse(_) => f64::NAN,
        }
    }
}

/// The singular value decomposition; `None` of a matrix with an entry that is not finite, or whose squares overflow.
fn decomposed(matrix: DMatrix<f64>) -> Option<SVD<f64, Dyn, Dyn>> {
    let sum: f64 = matrix.iter().map(|e| e * e).sum();
    if !sum.is_finite() {
        return None;
    }
    let rounds = ROUNDS * (matrix.nrows() + matrix.ncols());
    let svd = matrix.try_svd(true, true, f64::EPSILON, rounds)?;
    svd.singular_values
        .iter()
        .all(|s| s.is_finite())
        .then_some(svd)
}

/// The singular values of a matrix, the largest first; `None` where an entry is not finite. The matrix is scaled by its
/// largest entry on the way.
pub fn singular_values(matrix: &DMatrix<f64>) -> Option<Vec<f64>> {
    if matrix.is_empty() {
        return Some(Vec::new());
    }
    let top = matrix.amax();
    if !matrix.iter().all(|e| e.is_finite()) {
        return None;
    }
    if top == 0.0 {
        return Some(vec![0.0; matrix.nrows().min(matrix.ncols())]);
    }
    let scaled = matrix.map(|e| e / top);
    let rounds = ROUNDS * (matrix.nrows() + matrix.ncols());
    let svd = scaled.try_svd(false, false, f64::EPSILON, rounds)?;
    let mut list: Vec<f64> = svd.singular_values.iter().map(|s| s * top).collect();
    list.sort_by(|a, b| b.total_cmp(a));
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
