//! Small dense linear algebra in place, on flat storage that is kept from step to step: LU with
//! scaled partial pivoting.
//!
//! Matrices are stored by rows. Nothing here allocates once it was made.

use crate::geometry::{PIVOT_LOST, dot};
use nalgebra::ComplexField;
use std::iter::Sum;

/// What entries are: real numbers or complex ones.
pub(super) trait Entry: ComplexField<RealField = f64> + Copy + Sum {}

impl<T: ComplexField<RealField = f64> + Copy + Sum> Entry for T {}

/// A square matrix and, after [`Lu::factor`], its triangular factors: P A = L U.
#[derive(Debug, Clone)]
pub(super) struct Lu<T = f64> {
    n: usize,
    a: Vec<T>,
    /// Row exchanged with row k at step k.
    swaps: Vec<usize>,
    rows: Vec<f64>,
    columns: Vec<f64>,
    sign: f64,
}

impl<T: Entry> Lu<T> {
    /// Room for an n by n matrix.
    pub(super) fn new(n: usize) -> Self {
        Self {
            n,
            a: vec![T::zero(); n * n],
            swaps: vec![0; n],
            rows: vec![0.0; n],
            columns: vec![0.0; n],
            sign: 1.0,
        }
    }

    /// The entries, by rows, to be filled before [`Lu::factor`].
    pub(super) fn entries(&mut self) -> &mut [T] {
        &mut self.a
    }

    /// Factors in place. Returns the smallest pivot relative to the largest entries of its row and
    /// column (a number that no change of units moves), 0 for a singular matrix, NaN for one with
    /// entries that are not numbers. Factors are of use only where it is positive.
    pub(super) fn factor(&mut self) -> f64 {
        let n = self.n;
        self.sign = 1.0;
        for (row, entries) in self.rows.iter_mut().zip(self.a.chunks_exact(n.max(1))) {
            // max forgets NaN, a sum does not
            let sum: f64 = entries.iter().map(|e| e.norm1()).sum();
            if !sum.is_finite() {
                return f64::NAN;
            }
            if sum == 0.0 {
                return 0.0;
            }
            *row = entries
                .iter()
                .fold(0.0_f64, |most, e| most.max(e.norm1()))
                .recip();
        }
        self.columns.fill(0.0);
        for (entries, row) in self.a.chunks_exact(n.max(1)).zip(&self.rows) {
            for (column, e) in self.columns.iter_mut().zip(entries) {
                *column = column.max(e.norm1() * row);
            }
        }
        let mut smallest = f64::INFINITY;
        for k in 0..n {
            let mut best = (k, 0.0);
            for i in k..n {
                let size = self.a[i * n + k].norm1() * self.rows[i];
                if size > best.1 {
                    best = (i, size);
                }
            }
            if best.1 == 0.0 {
                return 0.0;
            }
            smallest = smallest.min(best.1 / self.columns[k]);
            self.swaps[k] = best.0;
            if best.0 != k {
                self.sign = -self.sign;
                self.rows.swap(k, best.0);
                for j in 0..n {
                    self.a.swap(k * n + j, best.0 * n + j);
                }
            }
            let (above, below) = self.a.split_at_mut((k + 1) * n);
            let pivot_row = &above[k * n..];
            let inverse = pivot_row[k].recip();
            for row in below.chunks_exact_mut(n) {
                if row[k] == T::zero() {
                    continue;
                }
                let factor = row[k] * inverse;
                row[k] = factor;
                for (e, p) in row[k + 1..].iter_mut().zip(&pivot_row[k + 1..]) {
                    *e -= factor * *p;
                }
            }
        }
        smallest
    }

    /// Factors in place; whether the matrix is regular.
    pub(super) fn regular(&mut self) -> bool {
        self.factor() > PIVOT_LOST
    }

    /// Solves A x = b in place.
    pub(super) fn solve(&self, b: &mut [T]) {
        let n = self.n;
        for k in 0..n {
            b.swap(k, self.swaps[k]);
        }
        for i in 1..n {
            let (done, rest) = b.split_at_mut(i);
            let row = &self.a[i * n..i * n + i];
            rest[0] -= dot(row, done);
        }
        for i in (0..n).rev() {
            let (head, tail) = b.split_at_mut(i + 1);
            let row = &self.a[i * n..(i + 1) * n];
            head[i] = (head[i] - dot(&row[i + 1..], tail)) / row[i];
        }
    }
}

impl Lu {
    /// Solves A^T x = b in place.
    pub(super) fn solve_transposed(&self, b: &mut [f64]) {
        let n = self.n;
        for i in 0..n {
            let row = &self.a[i * n..(i + 1) * n];
            b[i] /= row[i];
            let (head, tail) = b.split_at_mut(i + 1);
            for (t, u) in tail.iter_mut().zip(&row[i + 1..]) {
                *t -= u * head[i];
            }
        }
        for i in (1..n).rev() {
            let row = &self.a[i * n..i * n + i];
            let (head, tail) = b.split_at_mut(i);
            for (t, l) in head.iter_mut().zip(row) {
                *t -= l * tail[0];
            }
        }
        for k in (0..n).rev() {
            b.swap(k, self.swaps[k]);
        }
    }

    /// The determinant of these columns of a matrix, given by its entries; 0 where it has no pivots.
    pub(super) fn determinant_of(
        &mut self,
        columns: &[usize],
        entry: impl Fn(usize, usize) -> f64,
    ) -> f64 {
        for (b, row) in self.a.chunks_exact_mut(self.n.max(1)).enumerate() {
            for (slot, &k) in row.iter_mut().zip(columns) {
                *slot = entry(b, k);
            }
        }
        if self.factor() > 0.0 {
            self.determinant()
        } else {
            0.0
        }
    }

    /// det A.
    pub(super) fn determinant(&self) -> f64 {
        (0..self.n).fold(self.sign, |product, k| product * self.a[k * self.n + k])
    }

    /// The sign of det A, safe from overflow.
    pub(super) fn sign(&self) -> f64 {
        (0..self.n).fold(self.sign, |sign, k| sign * self.a[k * self.n + k].signum())
    }
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
    fn lu_solves_both_ways_and_its_determinant_is_that_of_nalgebra() {
        for n in 1..8 {
            let a = numbers(n * n, 0.3 + n as f64);
            let mut lu = Lu::new(n);
            lu.entries().copy_from_slice(&a);
            let smallest = lu.factor();
            assert!(smallest > 1e-6, "{smallest} {a:?}");
            let dense = nalgebra::DMatrix::from_row_slice(n, n, &a);
            assert!((lu.determinant() - dense.determinant()).abs() < 1e-13);
            assert_eq!(lu.sign(), dense.determinant().signum());
            let x = numbers(n, 5.5);
            let vector = nalgebra::DVector::from_row_slice(&x);
            let mut b = (&dense * &vector).as_slice().to_vec();
            lu.solve(&mut b);
            let mut c = (dense.transpose() * &vector).as_slice().to_vec();
            lu.solve_transposed(&mut c);
            for k in 0..n {
                assert!((b[k] - x[k]).abs() < 1e-12 && (c[k] - x[k]).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn complex_solutions_multiply_out() {
        use nalgebra::Complex;
        let n = 6;
        let entry = |i: usize, j: usize| {
            let phase = (i * i * 7 + i * j * j + j * 3) as f64;
            Complex::new((1.3 * phase).sin(), (0.7 * phase + 1.0).cos())
                * 10_f64.powf(i as f64 - 3.0)
        };
        let mut lu = Lu::new(n);
        for i in 0..n {
            for j in 0..n {
                lu.entries()[i * n + j] = entry(i, j);
            }
        }
        assert!(lu.factor() > 0.0);
        let x: Vec<_> = (0..n)
            .map(|i| Complex::new(i as f64, 1.0 - i as f64))
            .collect();
        let mut b: Vec<_> = (0..n)
            .map(|i| (0..n).map(|j| entry(i, j) * x[j]).sum())
            .collect();
        lu.solve(&mut b);
        for (a, b) in x.iter().zip(&b) {
            assert!((*a - *b).norm() < 1e-10, "{a} {b}");
        }
        let mut lu = Lu::new(2);
        lu.entries().fill(Complex::new(1.0, 2.0));
        assert_eq!(lu.factor(), 0.0);
        lu.entries().fill(Complex::new(f64::NAN, 0.0));
        assert!(lu.factor().is_nan());
    }

    #[test]
    fn lu_sees_singular_matrices_in_any_units() {
        let mut lu = Lu::new(2);
        for units in [1e-150, 1.0, 1e120] {
            lu.entries()
                .copy_from_slice(&[1.0, 2.0 * units, 0.1, 0.2 * units]);
            assert!(lu.factor() < PIVOT_LOST);
            lu.entries()
                .copy_from_slice(&[1.0, 2.0 * units, 0.1, 0.3 * units]);
            assert!(lu.factor() > 1e-3);
        }
        lu.entries().copy_from_slice(&[0.0, 0.0, 1.0, 1.0]);
        assert_eq!(lu.factor(), 0.0);
        lu.entries().copy_from_slice(&[f64::NAN, 0.0, 1.0, 1.0]);
        assert!(lu.factor().is_nan());
    }
}
