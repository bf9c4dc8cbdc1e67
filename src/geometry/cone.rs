//! What meets where the gradients are dependent: the tangent cone of the constraint set at frozen t.
//!
//! ```text
//! J v = 0,   u^T (v^T H v) = 0   for u with u^T J = 0,   H_b = d2 f_b / dx dx
//! ```
//!
//! Where one combination u of gradients vanishes, and with N a basis of ker J the form Q = N^T (u^T H) N is regular, the set
//! is next to the point what z^T Q z = 0 is next to 0, up to a smooth change of coordinates (the lemma of Morse, on the
//! manifold of the other constraints): the point alone where Q is definite, two curves that cross where it is not and
//! ker J is a plane, else a cone.

use super::{Constraints, length_scales};
use nalgebra::{DMatrix, DVector};

/// Steps of the differences along ker J, in parts of a long way.
const STEP: f64 = 1e-5;
/// An eigenvalue of Q below this part of the largest is zero as far as differences tell.
const NOTHING: f64 = 1e-6;
/// What differences leave of the terms where they do not change.
const ROUNDED: f64 = 1e-11;
/// Rounds of the search of eigenvalues.
const ROUNDS: usize = 1000;

/// The constraint set next to a place where one combination of gradients vanishes.
#[derive(Clone, Debug, PartialEq)]
pub enum Meeting {
    /// The place is alone.
    Alone,
    /// Two curves cross: their directions, the largest component of each 1.
    Two([Vec<f64>; 2]),
    /// A cone of this dimension.
    Cone(usize),
}

/// What meets at a point whose coordinates are known to `reach`; `None` where more or less than one combination of the
/// gradients of position constraints vanishes, or the second derivatives do not tell.
pub fn meeting(set: &dyn Constraints, (t, x): (f64, &[f64]), reach: &[f64]) -> Option<Meeting> {
    let n = x.len();
    let here = set.blurred((t, x), reach);
    let positions: Vec<usize> = (0..set.positions()).collect();
    let done = here.select(&positions).eliminated();
    let combinations = done.combinations();
    let [combination] = combinations.as_slice() else {
        return None;
    };
    let ways = length_scales(set, (t, x), (&here, reach));
    let kernel = done.kernel();
    let kernel = DMatrix::from_fn(n, kernel.ncols(), |k, j| kernel[(k, j)] / ways[k]);
    let kernel = orthonormal(&kernel);
    // the combination of gradients a little off, in units of the ways
    let beside = |direction: &[f64], side: f64| {
        let parts = x.iter().zip(&ways).zip(direction);
        let place: Vec<f64> = parts
            .map(|((x, way), d)| x + side * STEP * way * d)
            .collect();
        let rows = set.rows(t, &place).gradients;
        let (mut sum, mut most) = (DVector::zeros(n), 0.0_f64);
        for &(b, c) in combination {
            let row = rows.row(b);
            for (slot, (e, way)) in sum.iter_mut().zip(row.iter().zip(&ways)) {
                *slot += c * e * way;
                most = most.max((c * e * way).abs());
            }
        }
        (sum, most)
    };
    let mut size = 0.0_f64;
    let mut form = DMatrix::zeros(kernel.ncols(), kernel.ncols());
    for (j, direction) in kernel.column_iter().enumerate() {
        let direction: Vec<f64> = direction.iter().copied().collect();
        let ((ahead, most), (back, _)) = (beside(&direction, 1.0), beside(&direction, -1.0));
        size = size.max(most);
        form.set_column(j, &kernel.tr_mul(&(ahead - back)));
    }
    let form = (&form + form.transpose()) * 0.5;
    if !form.iter().all(|e| e.is_finite()) {
        return None;
    }
    let eigen = form.try_symmetric_eigen(f64::EPSILON, ROUNDS)?;
    let (values, top) = (&eigen.eigenvalues, eigen.eigenvalues.amax());
    if top <= ROUNDED * size || values.iter().any(|e| e.abs() <= NOTHING * top) {
        return None;
    }
    let positive: Vec<usize> = (0..values.len()).filter(|&i| values[i] > 0.0).collect();
    Some(match (values.len(), positive.as_slice()) {
        (d, list) if list.is_empty() || list.len() == d => Meeting::Alone,
        (2, &[p]) => {
            let along = |i: usize, side: f64| {
                eigen.eigenvectors.column(i) * (side * values[1 - i].abs().sqrt())
            };
            Meeting::Two([1.0, -1.0].map(|side| {
                let z = along(p, 1.0) + along(1 - p, side);
                let v = (&kernel * z).component_mul(&DVector::from_column_slice(&ways[..n]));
                let most = v
                    .iter()
                    .fold(0.0_f64, |top, e| if e.abs() > top.abs() { *e } else { top });
                v.iter().map(|e| e / most).collect()
            }))
        }
        (d, _) => Meeting::Cone(d - 1),
    })
}

/// An orthonormal basis of the span of independent columns; columns that are square to each other stay as they are.
pub fn orthonormal(columns: &DMatrix<f64>) -> DMatrix<f64> {
    let mut basis = columns.clone();
    for j in 0..basis.ncols() {
        let mut own = basis.column(j).into_owned();
        // the second time takes away what rounding left
        for _ in 0..2 {
            for i in 0..j {
                let part = basis.column(i).dot(&own);
                if part != 0.0 {
                    own -= basis.column(i) * part;
                }
            }
        }
        basis.set_column(j, &(&own / own.norm()));
    }
    basis
}
