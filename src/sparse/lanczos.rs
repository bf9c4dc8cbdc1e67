//! The 2-norm condition number of a sparse regular matrix.
//!
//! Lanczos' method gives the largest eigenvalue of A^T A and of its inverse: after k steps with full
//! reorthogonalisation A^T A is a tridiagonal matrix on the space that they span, whose largest
//! eigenvalue is found by bisection on Sturm's sign counts. It ends when ten steps change the value
//! by no more than a part of 1e-9, or after as many steps as the matrix has rows.

use super::{Lu, Sparse};

/// At most so many steps.
const STEPS: usize = 160;
/// A relative change over [`CHECK`] steps that ends the iteration.
const SETTLED: f64 = 1e-9;
/// Steps between two looks at the value.
const CHECK: usize = 10;

/// sigma_max / sigma_min; `None` where it is not finite.
pub fn condition(matrix: &Sparse, factors: &Lu) -> Option<f64> {
    let n = matrix.rows.len();
    let top = largest(n, |x| matrix.transposed_times(&matrix.times(x)));
    let low = largest(n, |x| factors.solve(&factors.solve_transposed(x)));
    let value = (top * low).sqrt();
    value.is_finite().then_some(value)
}

/// The largest eigenvalue of a positive semidefinite operator.
fn largest(n: usize, apply: impl Fn(&[f64]) -> Vec<f64>) -> f64 {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    // no entry zero, no symmetry
    let mut q: Vec<f64> = (0..n).map(|i| 1.0 + 0.5 * (i as f64 + 0.3).sin()).collect();
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let (mut alpha, mut beta): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
    let mut last = 0.0;
    for step in 1..=n.min(STEPS) {
        let length = dot(&q, &q).sqrt();
        if let Some(&first) = alpha.first() {
            // nothing left: the space is invariant
            if length <= 1e-13 * f64::abs(first) {
                break;
            }
            beta.push(length);
        }
        if !(length.is_finite() && length > 0.0) {
            return f64::NAN;
        }
        for v in &mut q {
            *v /= length;
        }
        let mut next = apply(&q);
        alpha.push(dot(&q, &next));
        basis.push(std::mem::take(&mut q));
        for _ in 0..2 {
            for old in &basis {
                let along = dot(old, &next);
                for (v, o) in next.iter_mut().zip(old) {
                    *v -= along * o;
                }
            }
        }
        q = next;
        if step.is_multiple_of(CHECK) {
            let value = tridiagonal_top(&alpha, &beta);
            if (value - last).abs() <= SETTLED * value {
                return value;
            }
            last = value;
        }
    }
    tridiagonal_top(&alpha, &beta)
}

/// The largest eigenvalue of the symmetric tridiagonal matrix with this diagonal and these entries
/// beside it.
fn tridiagonal_top(alpha: &[f64], beta: &[f64]) -> f64 {
    let beside = |i: usize| beta.get(i).copied().unwrap_or(0.0).abs();
    let before = |i: usize| if i > 0 { beside(i - 1) } else { 0.0 };
    let discs = alpha.iter().enumerate();
    let mut high = discs
        .map(|(i, a)| a + beside(i) + before(i))
        .fold(f64::NEG_INFINITY, f64::max);
    let mut low = alpha.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if !(low.is_finite() && high.is_finite()) {
        return f64::NAN;
    }
    // all eigenvalues are below x where every pivot of T - x is negative
    let below = |x: f64| {
        let mut pivot = -1.0;
        for (i, a) in alpha.iter().enumerate() {
            let b = before(i);
            pivot = a - x - b * b / pivot;
            if pivot >= 0.0 {
                return false;
            }
        }
        true
    };
    for _ in 0..200 {
        let middle = low + 0.5 * (high - low);
        if middle <= low || middle >= high {
            break;
        }
        if below(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::super::tests::scattered;
    use super::*;

    #[test]
    fn the_condition_number_is_that_of_the_singular_values() {
        for n in [1, 3, 12, 60] {
            let dense = scattered(n, n);
            let sparse = Sparse::new(&dense);
            let found = condition(&sparse, &Lu::new(&sparse).unwrap()).unwrap();
            let values = dense.singular_values();
            let wanted = values.max() / values.min();
            assert!((found - wanted).abs() < 1e-7 * wanted, "{found} {wanted}");
        }
    }
}
