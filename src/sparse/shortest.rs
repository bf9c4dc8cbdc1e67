//! The shortest x with A x = r for a wide sparse matrix A, in the sense of least squares.
//!
//! With the rows of A scaled to length one,
//!
//! ```text
//! x = A^T (A A^T + mu)^-1 r,   then   x += A^T (A A^T + mu)^-1 (r - A x)
//! ```
//!
//! The second line, repeated, takes away what mu and the squared condition number spoil where A has
//! full rank. Where it has not, directions with singular values below sqrt(mu) are left out, as a
//! truncated pseudo-inverse would.

use super::{Lu, Sparse};

/// mu, for rows of length one: singular values below 1e-7 count as zero.
const DAMPING: f64 = 1e-14;
/// Corrections of a solution.
const CORRECTIONS: usize = 3;

/// A factored for the shortest solutions.
#[derive(Clone, Debug)]
pub struct Shortest {
    scaled: Sparse,
    lengths: Vec<f64>,
    factors: Lu,
}

impl Shortest {
    /// Factors; `None` where an entry is not finite.
    pub fn new(matrix: &Sparse) -> Option<Self> {
        let length = |row: &Vec<(usize, f64)>| {
            // scaled against overflow
            let most = row.iter().fold(0.0_f64, |most, e| most.max(e.1.abs()));
            let sum: f64 = row.iter().map(|e| (e.1 / most).powi(2)).sum();
            if most > 0.0 { most * sum.sqrt() } else { 1.0 }
        };
        let lengths: Vec<f64> = matrix.rows.iter().map(length).collect();
        let scaled = matrix.unscaled(&lengths);
        let mut gram = scaled.gram();
        for (b, row) in gram.rows.iter_mut().enumerate() {
            if let Some(e) = row.iter_mut().find(|e| e.0 == b) {
                e.1 += DAMPING;
            } else {
                row.push((b, DAMPING)); // a row of zeros
                row.sort_unstable_by_key(|e| e.0);
            }
        }
        Some(Self {
            factors: Lu::new(&gram)?,
            scaled,
            lengths,
        })
    }

    /// The shortest solution; `None` where it is not finite.
    pub fn solve(&self, r: &[f64]) -> Option<Vec<f64>> {
        let wanted: Vec<f64> = r.iter().zip(&self.lengths).map(|(r, l)| r / l).collect();
        let mut x = self.scaled.transposed_times(&self.factors.solve(&wanted));
        for _ in 0..CORRECTIONS {
            let reached = self.scaled.times(&x);
            let missed: Vec<f64> = wanted.iter().zip(&reached).map(|(w, r)| w - r).collect();
            let change = self.scaled.transposed_times(&self.factors.solve(&missed));
            for (x, d) in x.iter_mut().zip(&change) {
                *x += d;
            }
        }
        x.iter().all(|v| v.is_finite()).then_some(x)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::scattered;
    use super::*;
    use nalgebra::DVector;

    #[test]
    fn the_shortest_solution_is_that_of_the_pseudo_inverse() {
        let dense = scattered(20, 33);
        let r: Vec<f64> = (0..20).map(|k| f64::from(k).cos()).collect();
        let wanted = dense.clone().svd(true, true);
        let wanted = wanted.solve(&DVector::from_row_slice(&r), 1e-12).unwrap();
        let found = Shortest::new(&Sparse::new(&dense)).unwrap();
        let found = DVector::from_vec(found.solve(&r).unwrap());
        assert!((&found - &wanted).amax() < 1e-12);
    }

    #[test]
    fn dependent_rows_are_met_where_they_agree() {
        let mut dense = scattered(20, 33);
        let sum = dense.row(2) + dense.row(7) * 3.0;
        dense.set_row(11, &sum);
        let mut r: Vec<f64> = (0..20).map(|k| f64::from(k).cos()).collect();
        r[11] = r[2] + 3.0 * r[7];
        let shortest = Shortest::new(&Sparse::new(&dense)).unwrap();
        let found = DVector::from_vec(shortest.solve(&r).unwrap());
        let missed = &dense * &found - DVector::from_row_slice(&r);
        assert!(missed.amax() < 1e-10, "{}", missed.amax());
        let wanted = dense.clone().svd(true, true);
        let wanted = wanted.solve(&DVector::from_row_slice(&r), 1e-10).unwrap();
        assert!((&found - &wanted).amax() < 1e-7);
    }
}
