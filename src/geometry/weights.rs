//! How large the terms are that multipliers come from.

use nalgebra::{DMatrix, DVector};

/// What each multiplier would be if no terms of the equations cancelled: a change of every term by some part of itself changes the
/// multiplier by at most that part of this. With
///
/// ```text
/// K = [ M  W^T ]    z = [    a    ]    r = [  -h   ]
///     [ W   0  ]        [ -lambda ]        [ gamma ]
/// ```
///
/// it is the last part of |K^-1| (|K| |z| + |r|), whatever the units of coordinates and constraints. `None` where K is singular.
/// Source: R. D. Skeel, Scaling for numerical stability in Gaussian elimination, J. ACM 26 (1979).
pub fn weights_of_multipliers(
    (mass, rows): (&DMatrix<f64>, &DMatrix<f64>),
    (a, lambda): (&[f64], &[f64]),
    (bias, gamma): (&[f64], &[f64]),
) -> Option<DVector<f64>> {
    let (n, m) = (mass.nrows(), rows.nrows());
    // each unknown in a unit in which its column is about one
    let unit = |size: f64| if size > 0.0 { 1.0 / size } else { 1.0 };
    let mut units: Vec<f64> = (0..n).map(|k| unit(mass[(k, k)].abs().sqrt())).collect();
    for b in 0..m {
        let size = (0..n).map(|k| (rows[(b, k)] * units[k]).abs());
        units.push(unit(size.fold(0.0, f64::max)));
    }
    let entry = |i: usize, j: usize| match (i < n, j < n) {
        (true, true) => mass[(i, j)],
        (true, false) => rows[(j - n, i)],
        (false, true) => rows[(i - n, j)],
        (false, false) => 0.0,
    };
    let matrix = DMatrix::from_fn(n + m, n + m, |i, j| units[i] * entry(i, j) * units[j]);
    let solution = DVector::from_iterator(n + m, a.iter().chain(lambda).copied());
    let right = DVector::from_iterator(n + m, bias.iter().chain(gamma).copied());
    let units = DVector::from_vec(units);
    let terms =
        matrix.abs() * solution.component_div(&units).abs() + right.component_mul(&units).abs();
    let all = (matrix.try_inverse()?.abs() * terms).component_mul(&units);
    let own = all.rows(n, m).into_owned();
    own.iter().all(|w| w.is_finite()).then_some(own)
}
