//! Unilateral constraints W a >= gamma among dependent ones, by Gauss' principle of least constraint.
//!
//! Where the gradients of constraints are dependent many multipliers give the same force of constraint R = W^T lambda, and which
//! of those that can only push would have to pull is not read off one of them. The accelerations are unique all the same: with
//! M = L L^T those that the constraints leave come from
//!
//! ```text
//! min 1/2 |L^-1 (W^T lambda - R)|^2,    lambda_b >= 0 for the one-sided ones
//! ```
//!
//! If it is zero, all constraints may hold. Else its gradient is W (a - a'), a' with all of them: how fast each parts.
//! Sources: C. F. Gauss (1829); J. J. Moreau (1966); C. L. Lawson and R. J. Hanson, Solving Least Squares Problems, chapter 23.

use super::LeastNorm;
use nalgebra::{DMatrix, DVector};

/// A multiplier or a gradient below this part of the force is zero.
const NOTHING: f64 = 1e-12;
/// Singular values below this part of the largest are those of dependent rows.
const CUT: f64 = 1e-10;

/// What one-sided constraints among dependent ones do.
#[derive(Clone, Debug, PartialEq)]
pub struct Unilateral {
    /// Multipliers of which none pulls, one a row: they give the reaction where nothing parts.
    pub multipliers: DVector<f64>,
    /// How fast each row parts, in parts of the forces per length of its gradient, both by the kinetic energy; not negative but for
    /// rounding, and 0 for those that hold.
    pub parting: DVector<f64>,
}

/// Of constraints `rows`, of which some are `sided`, that hold all together with the force of constraint `reaction`, M a = reaction -
/// `bias`. `None` where M is not positive or a number is not finite.
pub fn unilateral(
    mass: &DMatrix<f64>,
    (rows, sided): (&DMatrix<f64>, &[bool]),
    (reaction, bias): (&DVector<f64>, &DVector<f64>),
) -> Option<Unilateral> {
    let lower = mass.clone().cholesky()?.unpack();
    let right = lower.solve_lower_triangular(reaction)?;
    let free = lower.solve_lower_triangular(bias)?;
    let unit = free.norm().max((&right - &free).norm());
    let mut columns = lower.solve_lower_triangular(&rows.transpose())?;
    let lengths: Vec<f64> = columns.column_iter().map(|c| c.norm()).collect();
    let scale = |b: usize| if lengths[b] > 0.0 { lengths[b] } else { 1.0 };
    for (b, mut column) in columns.column_iter_mut().enumerate() {
        column /= scale(b);
    }
    if !unit.is_finite() || unit == 0.0 || lengths.iter().any(|l| !l.is_finite()) {
        return (unit == 0.0).then(|| Unilateral {
            multipliers: DVector::zeros(lengths.len()),
            parting: DVector::zeros(lengths.len()),
        });
    }
    let found = not_negative((&columns, &(right / unit)), sided)?;
    Some(Unilateral {
        multipliers: DVector::from_fn(lengths.len(), |b, _| found.0[b] * unit / scale(b)),
        parting: found.1,
    })
}

/// min |A x - b|^2 / 2 with `x_i` >= 0 for the `signed` ones, and its gradient, by Lawson's and Hanson's active sets.
fn not_negative(
    (a, b): (&DMatrix<f64>, &DVector<f64>),
    signed: &[bool],
) -> Option<(DVector<f64>, DVector<f64>)> {
    let mut used: Vec<usize> = (0..signed.len()).filter(|i| !signed[*i]).collect();
    let mut x: DVector<f64> = DVector::zeros(signed.len());
    let mut rounds = 3 * signed.len();
    // each adds one, and none comes twice: the error falls
    loop {
        loop {
            let best: DVector<f64> = best(a, b, &used)?;
            let crosses = |i: &usize| signed[*i] && best[*i] <= 0.0;
            let Some(part) = used
                .iter()
                .filter(|i| crosses(i))
                .map(|i| x[*i] / (x[*i] - best[*i]).max(f64::MIN_POSITIVE))
                .min_by(f64::total_cmp)
            else {
                x = best;
                break;
            };
            x += (best - &x) * part;
            used.retain(|i| !signed[*i] || x[*i] > NOTHING);
            for i in 0..signed.len() {
                if !used.contains(&i) {
                    x[i] = 0.0;
                }
            }
        }
        let gradient = a.tr_mul(&(a * &x - b));
        let rest = (0..signed.len()).filter(|i| !used.contains(i));
        let next = rest.min_by(|i, j| gradient[*i].total_cmp(&gradient[*j]));
        match next {
            Some(i) if gradient[i] < -NOTHING && rounds > 0 => used.push(i),
            _ => return Some((x, gradient)),
        }
        rounds -= 1;
    }
}

/// The shortest of the best x that is zero but for the `used` entries.
fn best(a: &DMatrix<f64>, b: &DVector<f64>, used: &[usize]) -> Option<DVector<f64>> {
    let mut x = DVector::zeros(a.ncols());
    if !used.is_empty() {
        let part = LeastNorm::new(&a.select_columns(used))?.shortest(b, CUT)?;
        for (i, value) in used.iter().zip(part.iter()) {
            x[*i] = *value;
        }
    }
    Some(x)
}
