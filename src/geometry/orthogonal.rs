//! Householder's orthogonal factorisation in place, on flat storage that is kept from step to step. Matrices are stored by
//! rows; nothing here allocates once it was made.

use nalgebra::DMatrix;
use std::iter::Sum;
use std::ops::Mul;

/// A pivot below this part of the largest entries of its row and column is rounding: the matrix
/// counts as singular (a hundred units in the last place).
pub const PIVOT_LOST: f64 = 1e-14;

/// Householder's factorisation of J^T (n by m, m <= n): Q^T J^T = [R; 0].
///
/// The first m columns of Q span the row space of J, the others are an orthonormal basis of ker J.
#[derive(Debug, Clone)]
pub struct Orthogonal {
    n: usize,
    m: usize,
    /// Row b holds reflector b from entry b on.
    reflectors: Vec<f64>,
    /// 2 / |reflector|^2.
    scale: Vec<f64>,
    /// R^T, m by m by rows: row b holds R's column b.
    r: Vec<f64>,
}

impl Orthogonal {
    /// Room for m rows of n entries.
    pub fn new(n: usize, m: usize) -> Self {
        Self {
            n,
            m,
            reflectors: vec![0.0; n * m],
            scale: vec![0.0; m],
            r: vec![0.0; m * m],
        }
    }

    /// Factors the Jacobian given by rows. Returns the smallest |`R_bb`| relative to the length of its
    /// row, 0 where the rows are dependent, NaN where they are not numbers.
    pub fn factor(&mut self, jacobian: &[f64]) -> f64 {
        let (n, m) = (self.n, self.m);
        self.reflectors.copy_from_slice(jacobian);
        let mut smallest = f64::INFINITY;
        for b in 0..m {
            let (above, below) = self.reflectors.split_at_mut(b * n);
            let row = &mut below[..n];
            let length = dot(row, row).sqrt();
            if !length.is_finite() {
                return f64::NAN;
            }
            for (c, reflector) in above.chunks_exact(n).enumerate() {
                reflect(&reflector[c..], self.scale[c], &mut row[c..]);
            }
            self.r[b * m..b * m + b].copy_from_slice(&row[..b]);
            let tail = &mut row[b..];
            let norm = dot(tail, tail).sqrt();
            if norm == 0.0 || length == 0.0 {
                return 0.0;
            }
            smallest = smallest.min(norm / length);
            let diagonal = if tail[0] > 0.0 { -norm } else { norm };
            self.r[b * m + b] = diagonal;
            tail[0] -= diagonal;
            self.scale[b] = 2.0 / dot(tail, tail);
        }
        smallest
    }

    /// The diagonal of R: up to sign the distance of each row from the span of those before it.
    pub fn diagonal(&self) -> impl Iterator<Item = f64> {
        self.r.iter().step_by(self.m + 1).copied()
    }

    /// Factors the Jacobian given by rows; whether its rows are independent.
    pub fn regular(&mut self, jacobian: &[f64]) -> bool {
        self.factor(jacobian) > PIVOT_LOST
    }

    /// y = Q^T y in place.
    pub fn turn(&self, y: &mut [f64]) {
        for (b, reflector) in self
            .reflectors
            .chunks_exact(self.n.max(1))
            .enumerate()
            .take(self.m)
        {
            reflect(&reflector[b..], self.scale[b], &mut y[b..]);
        }
    }

    /// y = Q y in place.
    pub fn turn_back(&self, y: &mut [f64]) {
        for b in (0..self.m).rev() {
            let reflector = &self.reflectors[b * self.n..(b + 1) * self.n];
            reflect(&reflector[b..], self.scale[b], &mut y[b..]);
        }
    }

    /// Solves R^T y = y in place (first m entries).
    pub fn solve_lower(&self, y: &mut [f64]) {
        for b in 0..self.m {
            let row = &self.r[b * self.m..(b + 1) * self.m];
            let sum = dot(&row[..b], &y[..b]);
            y[b] = (y[b] - sum) / row[b];
        }
    }

    /// Solves R y = y in place (first m entries).
    pub fn solve_upper(&self, y: &mut [f64]) {
        for b in (0..self.m).rev() {
            y[b] /= self.r[b * self.m + b];
            let (head, tail) = y.split_at_mut(b);
            for (c, h) in head.iter_mut().enumerate() {
                *h -= self.r[b * self.m + c] * tail[0];
            }
        }
    }

    /// The shortest x with J x = r: r in the first m entries of `x`, which has n.
    pub fn shortest(&self, x: &mut [f64]) {
        self.solve_lower(x);
        x[self.m..].fill(0.0);
        self.turn_back(x);
    }
}

/// y less its part along the reflector, twice.
fn reflect(reflector: &[f64], scale: f64, y: &mut [f64]) {
    let along = scale * dot(reflector, y);
    for (e, r) in y.iter_mut().zip(reflector) {
        *e -= along * r;
    }
}

/// The product of a row and a column of one length, real or complex (nothing is conjugated).
pub fn dot<T: Copy + Mul<Output = T> + Sum>(a: &[T], b: &[T]) -> T {
    a.iter().zip(b).map(|(a, b)| *a * *b).sum()
}

/// An orthonormal basis, a column a vector, of what is square to independent rows.
pub fn complement(rows: &DMatrix<f64>) -> DMatrix<f64> {
    let (m, n) = rows.shape();
    let mut factors = Orthogonal::new(n, m);
    factors.factor(rows.transpose().as_slice());
    let mut basis = DMatrix::zeros(n, n - m);
    for (k, mut column) in basis.column_iter_mut().enumerate() {
        column[m + k] = 1.0;
        factors.turn_back(column.as_mut_slice());
    }
    basis
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Deterministic numbers in (-1, 1).
    fn numbers(count: usize, seed: f64) -> Vec<f64> {
        (0..count)
            .map(|i| (((i as f64 + seed) * 12.9898).sin() * 43_758.545).fract())
            .collect()
    }

    #[test]
    fn orthogonal_gives_the_shortest_solution_and_a_basis_of_the_kernel() {
        let (n, m) = (6, 3);
        let j = numbers(n * m, 1.7);
        let mut q = Orthogonal::new(n, m);
        let smallest = q.factor(&j);
        assert!(smallest > 1e-3, "{smallest} {j:?}");
        let dense = nalgebra::DMatrix::from_row_slice(m, n, &j);
        let mut x = numbers(n, 0.2);
        let r = x[..m].to_vec();
        q.shortest(&mut x);
        let back = &dense * nalgebra::DVector::from_row_slice(&x);
        for b in 0..m {
            assert!((back[b] - r[b]).abs() < 1e-13);
        }
        for k in m..n {
            let mut basis = vec![0.0; n];
            basis[k] = 1.0;
            q.turn_back(&mut basis);
            assert!((dot(&basis, &basis) - 1.0).abs() < 1e-13);
            assert!(
                dot(&basis, &x).abs() < 1e-13,
                "the shortest has no part in the kernel"
            );
            let image = &dense * nalgebra::DVector::from_row_slice(&basis);
            assert!(image.norm() < 1e-13);
            q.turn(&mut basis);
            assert!((basis[k] - 1.0).abs() < 1e-13);
        }
    }
}
