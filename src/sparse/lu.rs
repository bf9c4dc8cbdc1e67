//! A = L U of a sparse square matrix, pivots chosen so that little fills in.
//!
//! Each step takes the shortest row left, and in it, among the entries of at least a tenth of its
//! largest, the one whose column is shortest (Markowitz' rule with threshold pivoting). Row
//! operations then change no entry by more than ten times the one that is eliminated.

use super::Sparse;

/// An entry is a pivot from this part of the largest of its row on.
const THRESHOLD: f64 = 0.1;

/// One step of the elimination.
#[derive(Clone, Debug)]
struct Step {
    row: usize,
    column: usize,
    pivot: f64,
    /// the rest of the pivot row
    upper: Vec<(usize, f64)>,
    /// rows and the multiples of the pivot row that were taken from them
    lower: Vec<(usize, f64)>,
}

/// The factors of a regular matrix.
#[derive(Clone, Debug)]
pub struct Lu {
    steps: Vec<Step>,
    sign: f64,
}

/// The entry of a row in a column.
pub(super) fn entry(row: &[(usize, f64)], column: usize) -> f64 {
    row.binary_search_by_key(&column, |e| e.0)
        .map_or(0.0, |place| row[place].1)
}

/// `row - factor * pivot`, its entry in `column` left out.
pub(super) fn eliminated(
    row: &[(usize, f64)],
    pivot: &[(usize, f64)],
    factor: f64,
    column: usize,
) -> Vec<(usize, f64)> {
    let mut result = Vec::with_capacity(row.len() + pivot.len());
    let (mut a, mut b) = (row.iter().peekable(), pivot.iter().peekable());
    loop {
        let next = match (a.peek(), b.peek()) {
            (Some(x), Some(y)) => x.0.min(y.0),
            (Some(x), None) => x.0,
            (None, Some(y)) => y.0,
            (None, None) => break,
        };
        let own = a.next_if(|e| e.0 == next).map_or(0.0, |e| e.1);
        let taken = b.next_if(|e| e.0 == next).map_or(0.0, |e| factor * e.1);
        let value = own - taken;
        if next != column && value != 0.0 {
            result.push((next, value));
        }
    }
    result
}

impl Lu {
    /// Factors a square matrix; `None` where a pivot is zero or an entry is not finite.
    pub fn new(matrix: &Sparse) -> Option<Self> {
        let n = matrix.rows.len();
        let mut rows = matrix.rows.clone();
        if matrix.columns != n || rows.iter().flatten().any(|e| !e.1.is_finite()) {
            return None;
        }
        // the rows that have an entry in a column, and some that had one
        let mut holders: Vec<Vec<usize>> = vec![Vec::new(); n];
        let mut counts = vec![0_usize; n];
        for (r, row) in rows.iter().enumerate() {
            for &(c, _) in row {
                holders[c].push(r);
                counts[c] += 1;
            }
        }
        let mut open: Vec<usize> = (0..n).collect();
        let mut steps = Vec::with_capacity(n);
        while !open.is_empty() {
            let place = (0..open.len()).min_by_key(|&p| (rows[open[p]].len(), open[p]))?;
            let r = open.swap_remove(place);
            let row = std::mem::take(&mut rows[r]);
            let largest = row.iter().fold(0.0_f64, |most, e| most.max(e.1.abs()));
            let candidates = row.iter().filter(|e| e.1.abs() >= THRESHOLD * largest);
            let &(column, pivot) = candidates.min_by(|a, b| {
                let short = counts[a.0].cmp(&counts[b.0]);
                short.then(b.1.abs().total_cmp(&a.1.abs()))
            })?;
            if pivot == 0.0 || !pivot.is_finite() {
                return None;
            }
            for &(c, _) in &row {
                counts[c] -= 1;
            }
            let mut lower = Vec::new();
            for i in std::mem::take(&mut holders[column]) {
                let value = entry(&rows[i], column);
                if value == 0.0 {
                    continue;
                }
                let factor = value / pivot;
                let new = eliminated(&rows[i], &row, factor, column);
                for &(c, _) in &rows[i] {
                    counts[c] -= 1;
                }
                for &(c, _) in &new {
                    counts[c] += 1;
                    if entry(&rows[i], c) == 0.0 {
                        holders[c].push(i);
                    }
                }
                rows[i] = new;
                lower.push((i, factor));
            }
            let upper = row.into_iter().filter(|e| e.0 != column).collect();
            steps.push(Step {
                row: r,
                column,
                pivot,
                upper,
                lower,
            });
        }
        let sign = parity(&steps);
        Some(Self { steps, sign })
    }

    /// Solves A x = b.
    pub fn solve(&self, b: &[f64]) -> Vec<f64> {
        let mut rest = b.to_vec();
        for step in &self.steps {
            let own = rest[step.row];
            if own != 0.0 {
                for (i, factor) in &step.lower {
                    rest[*i] -= factor * own;
                }
            }
        }
        let mut x = vec![0.0; b.len()];
        for step in self.steps.iter().rev() {
            let known: f64 = step.upper.iter().map(|(c, v)| v * x[*c]).sum();
            x[step.column] = (rest[step.row] - known) / step.pivot;
        }
        x
    }

    /// Solves A^T y = d.
    pub fn solve_transposed(&self, d: &[f64]) -> Vec<f64> {
        let mut rest = d.to_vec();
        let mut y = vec![0.0; d.len()];
        for step in &self.steps {
            let value = rest[step.column] / step.pivot;
            y[step.row] = value;
            if value != 0.0 {
                for (c, v) in &step.upper {
                    rest[*c] -= v * value;
                }
            }
        }
        for step in self.steps.iter().rev() {
            let taken: f64 = step.lower.iter().map(|(i, factor)| factor * y[*i]).sum();
            y[step.row] -= taken;
        }
        y
    }

    /// det A with row b multiplied by `rows[b]`.
    pub fn determinant(&self, rows: &[f64]) -> f64 {
        let pivots = self.steps.iter().map(|s| s.pivot * rows[s.row]);
        pivots.fold(self.sign, |a, b| a * b)
    }

    /// The row and the column of each pivot, in turn.
    pub(super) fn order(&self) -> impl Iterator<Item = (usize, usize)> {
        self.steps.iter().map(|step| (step.row, step.column))
    }

    /// The sign of the permutation that sends the pivots' rows to their columns.
    pub(super) fn parity(&self) -> f64 {
        self.sign
    }

    /// log |det A|, which neither overflows nor underflows.
    pub fn log_determinant(&self) -> f64 {
        self.steps.iter().map(|s| s.pivot.abs().ln()).sum()
    }
}

/// The sign of the permutation that sends the pivots' rows to their columns.
fn parity(steps: &[Step]) -> f64 {
    let mut to = vec![0; steps.len()];
    for step in steps {
        to[step.row] = step.column;
    }
    let mut sign = 1.0;
    let mut seen = vec![false; to.len()];
    for start in 0..to.len() {
        let (mut at, mut length) = (start, 0_usize);
        while !seen[at] {
            seen[at] = true;
            at = to[at];
            length += 1;
        }
        if length > 0 && length.is_multiple_of(2) {
            sign = -sign;
        }
    }
    sign
}

#[cfg(test)]
mod tests {
    use super::super::tests::scattered;
    use super::*;
    use nalgebra::{DMatrix, DVector};

    #[test]
    fn solutions_and_determinants_are_those_of_dense_factors() {
        for n in [1, 2, 5, 17, 40] {
            let mut dense = scattered(n, n);
            if n > 4 {
                dense.swap_rows(0, 3); // no pivot on the diagonal
            }
            let lu = Lu::new(&Sparse::new(&dense)).unwrap();
            let b: Vec<f64> = (0..n).map(|k| (k as f64 * 0.7).sin() + 0.1).collect();
            let vector = DVector::from_row_slice(&b);
            let x = DVector::from_vec(lu.solve(&b));
            assert!((&dense * x - &vector).amax() < 1e-11, "{n}");
            let y = DVector::from_vec(lu.solve_transposed(&b));
            assert!((dense.transpose() * y - &vector).amax() < 1e-11, "{n}");
            let wanted = dense.determinant();
            let found = lu.determinant(&vec![1.0; n]);
            assert!((found - wanted).abs() < 1e-10 * wanted.abs());
            assert!((lu.log_determinant() - wanted.abs().ln()).abs() < 1e-10);
        }
    }

    #[test]
    fn a_singular_matrix_has_no_factors() {
        let dense = DMatrix::from_row_slice(3, 3, &[1.0, 2.0, 0.0, 2.0, 4.0, 0.0, 0.0, 1.0, 1.0]);
        assert!(Lu::new(&Sparse::new(&dense)).is_none());
        let empty = DMatrix::from_row_slice(2, 2, &[1.0, 1.0, 0.0, 0.0]);
        assert!(Lu::new(&Sparse::new(&empty)).is_none());
    }
}
