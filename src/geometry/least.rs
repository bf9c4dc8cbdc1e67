//! The shortest solution of W dx = r, in the sense of least squares where there is none, and singular values that are
//! safe to ask for.

use crate::effort::calculate;
use crate::sparse::{Shortest, Sparse, is_large};
use nalgebra::{DMatrix, DVector};

/// Rounds of turning every pair of rows, at most: a few do.
const SWEEPS: usize = 40;

/// What a pair of rows takes beside its entries, in operations on numbers.
const PAIR: usize = 16;

/// A square of a length that falls below this part of what it was is taken from the entries anew.
const CANCELLED: f64 = 0.1;

/// A matrix factored for least norm solutions, its rows divided by weights.
pub struct LeastNorm {
    weights: DVector<f64>,
    cut: f64,
    factors: Factors,
}

enum Factors {
    Dense(Turned),
    Sparse(Shortest),
}

impl Factors {
    /// The largest singular value; 0 where it is not asked for.
    fn largest(&self) -> f64 {
        match self {
            Self::Dense(turned) => turned.largest(),
            Self::Sparse(_) => 0.0,
        }
    }
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
            let sparse = Sparse::of_columns(matrix, unknown.iter().copied());
            Factors::Sparse(Shortest::new(&sparse.unscaled(weights.as_slice()))?)
        } else {
            let scaled = DMatrix::from_fn(rows, unknown.len(), |b, k| {
                matrix[(b, unknown[k])] / weights[b]
            });
            Factors::Dense(Turned::new(&scaled)?)
        };
        Some(Self {
            weights: weights.clone(),
            cut: cut * factors.largest(),
            factors,
        })
    }

    /// All columns of a small matrix, rows as they are.
    pub fn whole(matrix: &DMatrix<f64>, cut: f64) -> Option<Self> {
        let mut whole = Self::above(matrix, 0.0)?;
        whole.cut = cut * whole.factors.largest();
        Some(whole)
    }

    /// All columns of a small matrix, rows as they are; directions with singular values up to `cut` itself are left out.
    pub fn above(matrix: &DMatrix<f64>, cut: f64) -> Option<Self> {
        Some(Self {
            weights: DVector::repeat(matrix.nrows(), 1.0),
            cut,
            factors: Factors::Dense(Turned::new(matrix)?),
        })
    }

    /// The least norm solution.
    pub fn solve(&self, right: &DVector<f64>) -> Option<DVector<f64>> {
        let weighed = right.component_div(&self.weights);
        if weighed.iter().any(|e| !e.is_finite()) {
            return None;
        }
        match &self.factors {
            Factors::Dense(turned) => Some(turned.solve(&weighed, self.cut)),
            Factors::Sparse(factors) => factors.solve(weighed.as_slice()).map(DVector::from_vec),
        }
    }

    /// The smallest singular value of a small matrix in parts of the largest.
    pub fn least(&self) -> f64 {
        match &self.factors {
            Factors::Dense(turned) => {
                let list = turned.values();
                list.last()
                    .map_or(f64::NAN, |least| least / turned.largest())
            }
            Factors::Sparse(_) => f64::NAN,
        }
    }
}

/// Rows turned until they are square to each other: with q orthogonal, q^T W has rows a_i, of lengths s_i, the singular
/// values, and the shortest solution is sum a_i (q_i . r) / s_i^2 (Hestenes' one-sided Jacobi method). Rows that agree to
/// rounding leave one that is next to nothing, however many there are.
struct Turned {
    /// a_i, a column each.
    rows: DMatrix<f64>,
    /// q_i, a column each.
    turns: DMatrix<f64>,
    sizes: Vec<f64>,
}

impl Turned {
    /// `None` of a matrix with an entry that is not finite, or whose squares overflow.
    fn new(matrix: &DMatrix<f64>) -> Option<Self> {
        let sum: f64 = matrix.iter().map(|e| e * e).sum();
        if !sum.is_finite() {
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
        let sizes = rows.column_iter().map(|row| row.norm()).collect();
        Some(Self { rows, turns, sizes })
    }

    /// The singular values, as many as the smaller side of the matrix, the largest first.
    fn values(&self) -> Vec<f64> {
        let mut list = self.sizes.clone();
        list.sort_by(|a, b| b.total_cmp(a));
        list.truncate(self.rows.nrows());
        list
    }

    fn largest(&self) -> f64 {
        self.sizes.iter().fold(0.0, |most, s| s.max(most))
    }

    /// The shortest solution, without directions of singular values up to `cut`.
    fn solve(&self, right: &DVector<f64>, cut: f64) -> DVector<f64> {
        let mut x = DVector::zeros(self.rows.nrows());
        for (i, size) in self.sizes.iter().enumerate().filter(|e| *e.1 > cut) {
            let part = self.turns.column(i).dot(right) / size;
            x.axpy(part / size, &self.rows.column(i), 1.0);
        }
        x
    }
}

/// Two columns, the first before the second.
fn pair(matrix: &mut DMatrix<f64>, (i, j): (usize, usize)) -> (&mut [f64], &mut [f64]) {
    let n = matrix.nrows();
    let (before, from) = matrix.as_mut_slice().split_at_mut(j * n);
    (&mut before[i * n..(i + 1) * n], &mut from[..n])
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Turns two vectors in their plane.
fn turn((first, second): (&mut [f64], &mut [f64]), (cosine, sine): (f64, f64)) {
    for (a, b) in first.iter_mut().zip(second) {
        (*a, *b) = (cosine * *a - sine * *b, sine * *a + cosine * *b);
    }
}

/// A matrix of m rows and no more of them than columns by its singular values, the largest first.
pub struct Split {
    /// The singular values, m.
    pub sizes: Vec<f64>,
    /// The left singular vectors, a column each.
    pub left: DMatrix<f64>,
    /// The right singular vectors times their values, a column each.
    pub right: DMatrix<f64>,
}

impl Split {
    /// `None` where an entry is not finite.
    pub fn new(matrix: &DMatrix<f64>) -> Option<Self> {
        let turned = Turned::new(matrix)?;
        let mut order: Vec<usize> = (0..turned.sizes.len()).collect();
        order.sort_by(|&a, &b| turned.sizes[b].total_cmp(&turned.sizes[a]));
        Some(Self {
            sizes: order.iter().map(|&i| turned.sizes[i]).collect(),
            left: turned.turns.select_columns(&order),
            right: turned.rows.select_columns(&order),
        })
    }
}

/// The singular values of a matrix, the largest first; `None` where an entry is not finite. The matrix is scaled by its
/// largest entry on the way.
pub fn singular_values(matrix: &DMatrix<f64>) -> Option<Vec<f64>> {
    if matrix.is_empty() {
        return Some(Vec::new());
    }
    if !matrix.iter().all(|e| e.is_finite()) {
        return None;
    }
    let top = matrix.amax();
    let unit = if top > 0.0 { top } else { 1.0 };
    let turned = Turned::new(&matrix.map(|e| e / unit))?;
    let list: Vec<f64> = turned.values().iter().map(|s| s * unit).collect();
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
