//! A rank that is not full: everywhere near by, or at the point only?
//!
//! If some of the constraints imply the others on a whole neighbourhood, the others are *redundant*: the motion is
//! the same without them, the multipliers are not unique. If the rows are independent round the point, it is a
//! *singular configuration*. Points of the set beside the point tell: what is implied has no residual there, and the
//! rank is what it was.

use super::{Blurred, Constraints, Independent, LeastNorm, Rows, sizes};
use crate::sparse::is_large;
use nalgebra::{DMatrix, DVector};

/// How far the points lie, relative to the size of the coordinates.
const NEAR: f64 = 1e-3;
/// A constraint that the others imply is satisfied there to this part of its terms.
const IMPLIED: f64 = 1e-9;
/// What its entries may be off by there, relative to themselves: a step of [`NEAR`] changes by more what is not constant.
const FUZZ: f64 = 1e-9;
/// Points looked at.
const POINTS: usize = 6;
/// Newton's steps to each, and the part of its terms that a constraint misses there at most.
const STEPS: usize = 30;
const SOLVED: f64 = 1e-12;
/// Singular values below this part of the largest are left out of a step.
const CUT: f64 = 1e-14;

/// The rank of the rows at a point and round it.
#[derive(Clone, Debug, PartialEq)]
pub enum Around {
    /// All rows are independent.
    Independent,
    /// Some rows imply the others.
    Redundant(Independent),
    /// The rank drops at the point, or the rows contradict each other round it.
    Singular {
        /// The rank there.
        rank: usize,
        /// The largest rank seen near by.
        around: usize,
    },
}

/// A deterministic number in (-1, 1), from two indices.
pub fn number(i: usize, j: usize) -> f64 {
    let golden = 0.618_033_988_749_894_9;
    let root = 0.754_877_666_246_692_7;
    let part = ((i + 1) as f64 * golden + (j + 1) as f64 * root).fract();
    2.0 * part - 1.0
}

/// Looks at the rank at a point, whose coordinates are known to `reach`, and round it.
pub fn around(set: &dyn Constraints, (t, x): (f64, &[f64]), reach: &[f64]) -> Around {
    let rows = set.rows(t, x);
    let (count, n) = rows.gradients.shape();
    // where the derivatives of a large W need not be asked for
    if is_large(count, n) && Blurred::rounded(rows.gradients.clone()).is_full() {
        return Around::Independent;
    }
    let here = Blurred {
        blur: set.blur((t, x), reach),
        value: rows.gradients,
    };
    let rank = here.rank();
    if rank == count {
        return Around::Independent;
    }
    let found = here.independent();
    let kept: Vec<usize> = found
        .rows
        .iter()
        .copied()
        .filter(|&b| b < set.positions())
        .collect();
    let (mut most, mut implied, mut looked) = (rank, found.rows.len() == rank, 0);
    for point in 0..POINTS {
        let Some(there) = near(set, (t, x), &kept, point) else {
            continue;
        };
        looked += 1;
        let others = found
            .others
            .iter()
            .map(|e| e.0)
            .filter(|&b| b < set.positions());
        implied &= others
            .into_iter()
            .all(|b| there.residual[b].abs() <= IMPLIED * there.scale[b]);
        if count > set.positions() {
            // the parts without velocities belong to the combinations too
            let mut whole = there.gradients.clone().insert_column(n, 0.0);
            whole.set_column(n, &there.rates);
            implied &= fuzzy(whole).rank() == rank;
        }
        most = most.max(fuzzy(there.gradients).rank());
    }
    if implied && most == rank && looked > 0 {
        Around::Redundant(found)
    } else {
        Around::Singular { rank, around: most }
    }
}

fn fuzzy(value: DMatrix<f64>) -> Blurred {
    Blurred {
        blur: value.abs() * FUZZ,
        value,
    }
}

/// The rows at a point near (t, x) where the constraints `kept` are satisfied.
fn near(
    set: &dyn Constraints,
    (t, x): (f64, &[f64]),
    kept: &[usize],
    point: usize,
) -> Option<Rows> {
    let sizes = sizes(x);
    let moment = if point.is_multiple_of(2) {
        t
    } else {
        t + NEAR * 0.1 * t.abs().max(1.0)
    };
    let n = x.len();
    let mut place: Vec<f64> = (0..n)
        .map(|k| x[k] + NEAR * sizes[k] * number(point * n + k, point + 1))
        .collect();
    let all: Vec<usize> = (0..n).collect();
    let weights = DVector::repeat(kept.len(), 1.0);
    for _ in 0..STEPS {
        let rows = set.rows(moment, &place);
        if rows.not_finite().is_some() {
            return None;
        }
        let met = |&b: &usize| rows.residual[b].abs() <= SOLVED * rows.scale[b];
        if kept.iter().all(met) {
            return Some(rows);
        }
        let residual = rows.residual.select_rows(kept);
        let factors = LeastNorm::new(&rows.gradients.select_rows(kept), &all, (&weights, CUT))?;
        let step = factors.solve(&residual)?;
        place.iter_mut().zip(&step).for_each(|(x, d)| *x -= d);
    }
    None
}
