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

/// Steps of the differences along ker J, in parts of a long way: what is of a higher order than the second differs in
/// them.
const STEPS: [f64; 2] = [1e-5, 1e-3];
/// A place where terms of third order are the lowest is known to this part of a long way only.
const BESIDE: f64 = 1e-4;
/// An eigenvalue of Q is not zero where it is this many times what Q is unsure by.
const SURE: f64 = 10.0;
/// The coefficients of the combination are known to this part.
const CANCELLED: f64 = 1e-5;
/// What terms of a gradient are rounded to, a part of them.
const ROUNDED: f64 = 1e-15;
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
    let ways = DVector::from_column_slice(&ways[..n]);
    let centre = DVector::from_column_slice(x);
    // the gradients of the combination so far off, in units of the ways
    let combined = |off: &DVector<f64>| {
        let place = &centre + off.component_mul(&ways);
        let rows = set.rows(t, place.as_slice()).gradients;
        let parts = combination.iter();
        let parts = parts.map(|&(b, c)| rows.row(b).transpose().component_mul(&ways) * c);
        let parts: Vec<DVector<f64>> = parts.collect();
        let most = parts.iter().fold(0.0_f64, |most, row| most.max(row.amax()));
        (parts, most)
    };
    let (mut size, mut terms) = (0.0_f64, 0.0_f64);
    let mut form = |off: &DVector<f64>, step: f64| {
        let mut form = DMatrix::zeros(kernel.ncols(), kernel.ncols());
        for (j, direction) in kernel.column_iter().enumerate() {
            let (ahead, most) = combined(&(off + direction * step));
            let (back, _) = combined(&(off - direction * step));
            size = size.max(most / step);
            let mut sum = DVector::zeros(n);
            for (ahead, back) in ahead.iter().zip(&back) {
                let change = (ahead - back) / (2.0 * step);
                terms = terms.max(kernel.tr_mul(&change).amax());
                sum += change;
            }
            form.set_column(j, &kernel.tr_mul(&sum));
        }
        (&form + form.transpose()) * 0.5
    };
    let [short, long] = STEPS;
    let here = form(&DVector::zeros(n), short);
    let mut unsure = (form(&DVector::zeros(n), long) - &here).amax();
    for direction in kernel.column_iter() {
        for side in [BESIDE, -BESIDE] {
            unsure = unsure.max((form(&(direction * side), short) - &here).amax());
        }
    }
    // where the second derivatives cancel, the combination may be off by what is left
    unsure = unsure.max(ROUNDED * size).max(CANCELLED * terms);
    if !unsure.is_finite() {
        return None;
    }
    let eigen = here.try_symmetric_eigen(f64::EPSILON, ROUNDS)?;
    let values = &eigen.eigenvalues;
    if values.iter().any(|e| e.abs() <= SURE * unsure) {
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
                let v = (&kernel * z).component_mul(&ways);
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
