//! Null vectors that can be read: of a matrix sampled at scattered points, by Gauss and Jordan's elimination.

use nalgebra::{DMatrix, DVector};

/// An entry that is this part of the largest of its row is what rounding leaves of nothing.
const ZERO: f64 = 1e-9;

/// Each column that is a combination of those before it, and the vector that says so: it has a 1 at that column and
/// zeros at the others of them.
pub fn combinations_of_columns(mut matrix: DMatrix<f64>) -> Vec<(usize, DVector<f64>)> {
    let (m, n) = matrix.shape();
    for mut row in matrix.row_iter_mut() {
        let largest = row.amax();
        if largest > 0.0 {
            row /= largest;
        }
    }
    let mut pivots: Vec<usize> = Vec::new();
    let mut found = Vec::new();
    for column in 0..n {
        let rank = pivots.len();
        let rest = matrix.view((rank, column), (m - rank, 1));
        let best = (!rest.is_empty()).then(|| rank + rest.icamax_full().0);
        let Some(best) = best.filter(|&i| matrix[(i, column)].abs() > ZERO) else {
            let mut vector = DVector::zeros(n);
            vector[column] = 1.0;
            for (row, &pivot) in pivots.iter().enumerate() {
                vector[pivot] = -matrix[(row, column)];
            }
            found.push((column, vector));
            continue;
        };
        matrix.swap_rows(rank, best);
        let pivot = matrix[(rank, column)];
        for k in column..n {
            matrix[(rank, k)] /= pivot;
        }
        let factors = matrix.column(column).into_owned();
        for k in column..n {
            let own = matrix[(rank, k)];
            if own != 0.0 {
                for (i, factor) in factors.iter().enumerate().filter(|e| e.0 != rank) {
                    matrix[(i, k)] -= factor * own;
                }
            }
        }
        pivots.push(column);
    }
    found
}
