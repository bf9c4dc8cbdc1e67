//! LU of a complex matrix in place, on flat storage by rows.

use nalgebra::Complex;

type C = Complex<f64>;

/// A square matrix and, after [`ComplexLu::factor`], its triangular factors: P A = L U.
#[derive(Debug, Clone)]
pub(super) struct ComplexLu {
    n: usize,
    a: Vec<C>,
    swaps: Vec<usize>,
    scale: Vec<f64>,
}

impl ComplexLu {
    /// Room for an n by n matrix.
    pub(super) fn new(n: usize) -> Self {
        Self {
            n,
            a: vec![C::new(0.0, 0.0); n * n],
            swaps: vec![0; n],
            scale: vec![0.0; n],
        }
    }

    /// The entries, by rows, to be filled before [`ComplexLu::factor`].
    pub(super) fn entries(&mut self) -> &mut [C] {
        &mut self.a
    }

    /// Factors in place with scaled partial pivoting; whether the matrix is regular and finite.
    pub(super) fn factor(&mut self) -> bool {
        let n = self.n;
        for (scale, row) in self.scale.iter_mut().zip(self.a.chunks_exact(n.max(1))) {
            let sum: f64 = row.iter().map(Complex::l1_norm).sum();
            if !(sum.is_finite() && sum > 0.0) {
                return false;
            }
            *scale = sum.recip();
        }
        for k in 0..n {
            let mut best = (k, 0.0);
            for i in k..n {
                let size = self.a[i * n + k].l1_norm() * self.scale[i];
                if size > best.1 {
                    best = (i, size);
                }
            }
            if best.1 == 0.0 {
                return false;
            }
            self.swaps[k] = best.0;
            if best.0 != k {
                self.scale.swap(k, best.0);
                for j in 0..n {
                    self.a.swap(k * n + j, best.0 * n + j);
                }
            }
            let (above, below) = self.a.split_at_mut((k + 1) * n);
            let pivot_row = &above[k * n..];
            let inverse = pivot_row[k].inv();
            for row in below.chunks_exact_mut(n) {
                if row[k] == C::new(0.0, 0.0) {
                    continue;
                }
                let factor = row[k] * inverse;
                row[k] = factor;
                for (e, p) in row[k + 1..].iter_mut().zip(&pivot_row[k + 1..]) {
                    *e -= factor * p;
                }
            }
        }
        true
    }

    /// Solves A x = b in place.
    pub(super) fn solve(&self, b: &mut [C]) {
        let n = self.n;
        for k in 0..n {
            b.swap(k, self.swaps[k]);
        }
        for i in 1..n {
            let (done, rest) = b.split_at_mut(i);
            rest[0] -= dot(&self.a[i * n..i * n + i], done);
        }
        for i in (0..n).rev() {
            let (head, tail) = b.split_at_mut(i + 1);
            let row = &self.a[i * n..(i + 1) * n];
            head[i] = (head[i] - dot(&row[i + 1..], tail)) / row[i];
        }
    }
}

fn dot(a: &[C], b: &[C]) -> C {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solutions_multiply_out() {
        let n = 6;
        let entry = |i: usize, j: usize| {
            let phase = (i * i * 7 + i * j * j + j * 3) as f64;
            C::new((1.3 * phase).sin(), (0.7 * phase + 1.0).cos()) * 10_f64.powf(i as f64 - 3.0)
        };
        let mut lu = ComplexLu::new(n);
        for i in 0..n {
            for j in 0..n {
                lu.entries()[i * n + j] = entry(i, j);
            }
        }
        assert!(lu.factor());
        let x: Vec<C> = (0..n).map(|i| C::new(i as f64, 1.0 - i as f64)).collect();
        let mut b: Vec<C> = (0..n)
            .map(|i| (0..n).map(|j| entry(i, j) * x[j]).sum())
            .collect();
        lu.solve(&mut b);
        for (a, b) in x.iter().zip(&b) {
            assert!((a - b).norm() < 1e-10, "{a} {b}");
        }
    }

    #[test]
    fn singular_and_infinite_matrices_are_refused() {
        let mut lu = ComplexLu::new(2);
        lu.entries().fill(C::new(1.0, 2.0));
        assert!(!lu.factor());
        lu.entries().fill(C::new(f64::NAN, 0.0));
        assert!(!lu.factor());
    }
}
