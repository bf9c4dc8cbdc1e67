//! A rank that is not full: everywhere near by, or at the point only?
//!
//! If some of the constraints imply the others on a whole neighbourhood, the others are *redundant*: the motion is
//! the same without them, the multipliers are not unique. If the rows are independent round the point, it is a
//! *singular configuration*. Points of the set beside the point tell: what is implied has no residual there, and the
//! rank is what it was.

use super::{
    Blurred, Constraints, Ended, Evaluation, Independent, NewtonBack, Next, Redundant, Rows, Step,
    length_scales,
};
use crate::sparse::is_large;

/// How far the points lie, relative to what is a long way for each coordinate: two of each, one of them at another time.
const NEAR: [f64; 3] = [1e-3, 3e-2, 0.3];
/// That time, relative to the rest.
const LATER: f64 = 0.1;
/// A constraint that the others imply is satisfied there to this part of its terms.
const IMPLIED: f64 = 1e-10;
/// What is missed by so many times that from one place to another that is hardly further off is missed on another piece: the ways to
/// these are halved until they differ by 6 per mille, in which no power below 400 grows so.
const SUDDEN: f64 = 10.0;
const CLOSE: f64 = 1.006;
/// The piece that a point is on may be so much smaller than the ways: a coordinate that changes nothing may go as far as one pleases.
const NEARER: [f64; 4] = [NEAR[0], 1e-5, 1e-7, 1e-9];
/// What its entries may be off by there, relative to themselves: steps that long change by more what is not constant.
const FUZZ: f64 = 1e-10;
/// A point of the set that is this part of where it was looked for off the point is another one, and not more than so many
/// times as far off is near by; so it is known, and so regular are the rows there.
const APART: f64 = 1e-3;
const BY: f64 = 2.0;
const KNOWN: f64 = 1e-4;
const REGULAR: f64 = 1e-7;
/// Newton's steps to each, and the last of them, in parts of the ways; where it gets no shorter.
const STEPS: usize = 30;
const SOLVED: f64 = 1e-12;
const STUCK: f64 = 1e-9;
/// Singular values below this part of the largest are left out of a step.
const CUT: f64 = 1e-14;

/// The rank of the rows at a point and round it.
#[derive(Clone, Debug, PartialEq)]
pub enum Structure {
    /// All rows are independent.
    Regular,
    /// Some imply the others.
    Redundant {
        /// Those, as they are numbered in the list of rows.
        rows: Vec<usize>,
        /// The others.
        others: Vec<Redundant>,
    },
    /// The rank drops at the point, or the rows contradict each other round it.
    Singular {
        /// The rank there.
        rank: usize,
        /// The largest rank seen near by at points of the set.
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
pub fn around(set: &dyn Constraints, (t, x): (f64, &[f64]), reach: &[f64]) -> Structure {
    let rows = set.rows(t, x);
    let (count, n) = rows.gradients.shape();
    // where the derivatives of a large W need not be asked for
    if is_large(count, n) && Blurred::rounded(rows.gradients.clone()).is_full() {
        return Structure::Regular;
    }
    let here = Blurred {
        blur: set.blur((t, x), reach),
        value: rows.gradients,
    };
    let rank = here.rank();
    if rank == count {
        return Structure::Regular;
    }
    let found = here.independent();
    let ways = length_scales(set, (t, x), (&here, reach));
    let kept: Vec<usize> = found
        .rows
        .iter()
        .copied()
        .filter(|&b| b < set.positions())
        .collect();
    // what the steps left
    let off: Vec<f64> = ways.iter().map(|way| FUZZ * way).collect();
    let (mut most, mut implied, mut looked) = (rank, found.rows.len() == rank, 0);
    for point in 0..2 * NEAR.len() {
        let probe = |far: f64| {
            let (moment, ended) = near(set, (t, x), (&kept, &ways), (point, far))?;
            Probe::at(set, (moment, &ended.x), &off)
        };
        let far = NEAR[point / 2];
        let Some(there) = probe(far) else {
            continue;
        };
        let as_here = |there: &Probe| there.is_implied(rank);
        looked += 1;
        // on this piece it is as here
        if !as_here(&there) && is_another_piece(probe, as_here, far) {
            continue;
        }
        implied &= as_here(&there);
        most = most.max(there.rank);
    }
    if implied && most == rank && looked > 0 {
        let Independent { rows, others } = found;
        Structure::Redundant { rows, others }
    } else {
        let all: Vec<usize> = (0..set.positions()).collect();
        let others = (0..2 * NEAR.len()).filter_map(|point| {
            let far = NEAR[point / 2];
            let (moment, ended) = near(set, (t, x), (&all, &ways), (point, far))?;
            let place = &ended.x;
            let moved = (0..x.len()).map(|k| (place[k] - x[k]).abs() / ways[k]);
            let moved = moved.fold(0.0, f64::max);
            let there = set.rows(moment, place);
            // where gradients are nearly dependent the last steps said nothing
            let another = (APART * far..BY * far).contains(&moved)
                && (all.len() < 2 || ended.least() > REGULAR)
                && there.not_finite().is_none()
                && there.missed(&off).relative <= IMPLIED;
            // where gradients vanish on the set, what is left of them is as far as the point is off
            let off: Vec<f64> = ways.iter().map(|way| KNOWN * far * way).collect();
            another.then(|| fuzzy(set, (moment, place), (&there, &off)).rank())
        });
        let around = others.fold(rank, usize::max);
        Structure::Singular { rank, around }
    }
}

/// What the rows are like at a point of the set that some of them make.
struct Probe {
    /// What is missed of the others, in parts of their terms.
    missed: f64,
    /// The rank,
    rank: usize,
    /// and with the parts without velocities: rows that move apart are not implied, however slow that looks in the unit of time.
    with_rates: usize,
}

impl Probe {
    /// `None` where rows have no value.
    fn at(set: &dyn Constraints, (t, x): (f64, &[f64]), off: &[f64]) -> Option<Self> {
        let there = set.rows(t, x);
        if there.not_finite().is_some() {
            return None;
        }
        let blurred = fuzzy(set, (t, x), (&there, off));
        let rank = blurred.rank();
        let last = blurred.value.ncols();
        let mut whole = Blurred {
            value: blurred.value.insert_column(last, 0.0),
            blur: blurred.blur.insert_column(last, 0.0),
        };
        whole.value.set_column(last, &there.rates);
        whole.blur.set_column(last, &(there.rates.abs() * FUZZ));
        Some(Self {
            missed: there.missed(off).relative,
            rank,
            with_rates: whole.rank(),
        })
    }

    /// Do the rows imply the others here too? Next to a place the rank is no less than there; where it is, this says nothing.
    fn is_implied(&self, rank: usize) -> bool {
        self.missed <= IMPLIED && self.with_rates <= rank
    }
}

/// Does what some rows make end, or meet another piece of it, before a point is so far off that the others are missed there? On one
/// piece what is missed grows from nothing, by no more than a power, wherever it is looked at.
fn is_another_piece(
    probe: impl Fn(f64) -> Option<Probe>,
    as_here: impl Fn(&Probe) -> bool,
    far: f64,
) -> bool {
    let is_as_here = |low: &f64| probe(*low).is_some_and(|there| as_here(&there));
    let nearer = NEARER.iter().copied().filter(|low| *low < far);
    let Some(mut low) = nearer.into_iter().find(is_as_here) else {
        return false;
    };
    let mut high = far;
    let mut missed = f64::INFINITY;
    while high > CLOSE * low {
        let middle = (low * high).sqrt();
        match probe(middle) {
            Some(there) if as_here(&there) => low = middle,
            there => {
                missed = there.map_or(f64::INFINITY, |there| there.missed);
                high = middle;
            }
        }
    }
    missed > SUDDEN * IMPLIED
}

/// W at a point of which steps are known that were left: entries that cancel on the set are known to these too.
fn fuzzy(set: &dyn Constraints, at: (f64, &[f64]), (rows, off): (&Rows, &[f64])) -> Blurred {
    Blurred {
        blur: set.blur(at, off) + rows.gradients.abs() * FUZZ,
        value: rows.gradients.clone(),
    }
}

/// A point so far from (t, x), in the direction of its number, where the constraints `kept` are satisfied; `ways` are long.
fn near(
    set: &dyn Constraints,
    (t, x): (f64, &[f64]),
    (kept, ways): (&[usize], &[f64]),
    (point, far): (usize, f64),
) -> Option<(f64, Ended)> {
    let (time, widths) = ways.split_last()?;
    let moment = if point.is_multiple_of(2) {
        t
    } else {
        t + far * LATER * time
    };
    let n = x.len();
    let place: Vec<f64> = (0..n)
        .map(|k| x[k] + far * widths[k] * number(point * n + k, point + 1))
        .collect();
    let found = if kept.is_empty() {
        Ended {
            x: place,
            gradients: nalgebra::DMatrix::zeros(0, n),
        }
    } else {
        let back = NewtonBack {
            widths,
            longest: f64::INFINITY,
            cut: CUT,
            steps: STEPS,
        };
        let look = |x: &[f64]| {
            let rows = set.rows(moment, x);
            if rows.not_finite().is_some() {
                return None;
            }
            let mut residual = rows.residual.select_rows(kept);
            let mut gradients = rows.gradients.select_rows(kept);
            for (row, mut gradient) in gradients.row_iter_mut().enumerate() {
                let terms = gradient
                    .iter()
                    .zip(widths)
                    .map(|(w, width)| (w * width).abs());
                let unit = terms.sum::<f64>();
                if unit > 0.0 {
                    gradient /= unit;
                    residual[row] /= unit;
                }
            }
            Some(Evaluation {
                residual,
                gradients,
            })
        };
        let judge = |step: &Step<'_>| {
            if step.length <= SOLVED || (step.length <= STUCK && step.length >= step.last) {
                Next::There
            } else {
                Next::Go
            }
        };
        back.run(place, look, judge)?
    };
    Some((moment, found))
}
