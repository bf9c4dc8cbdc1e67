//! Where the rows of velocity constraints become dependent on the way: an isolated loss of the rank of W = [J; A]
//! between two steps, whose multipliers are not determined there.
//!
//! With T an orthonormal basis of ker W at one end of a step,
//!
//! ```text
//! d(x; t) = det [W(x; t); T^T]        rows of W divided by their lengths at that end
//! ```
//!
//! is zero where W loses rank, and where ker W has turned by a right angle. Its zeros and touched zeros are
//! found on the dense output as those of the determinant are (see [`super::events`]); a zero counts where the
//! rank of W is lost within what the tolerances leave unknown of the coordinates.
//!
//! Up to [`MOST`] coordinates: the price grows with the cube.

use nalgebra::DMatrix;

use super::ahead::golden;
use super::dynamics::Problem;
use super::events::{Flag, FlagKind, quintic};
use super::method::{Machine, Stop};
use super::rank::InUse;
use super::stepper::{Stepper, Tolerance};
use crate::geometry::{Blurred, Constraints, orthonormal};

/// Systems of more coordinates are not watched.
const MOST: usize = 64;
/// Places inside a step that are looked at first.
const PROBES: usize = 4;
/// Intervals of a step that is looked at closely.
const FINE: usize = 16;
/// d below this part of its largest value in a step is looked at closely.
const NEAR_ZERO: f64 = 0.1;
/// The rank counts as lost where this many times the tolerance of each coordinate can make it so,
const RANK_DOUBT: f64 = 100.0;
/// or so small a part of the step: a touched zero is known to the root of the rounding unit only.
const PLACE: (f64, f64) = (1e-9, 1e-6);
/// Zeros nearer than this part of a step are one.
const MERGE: f64 = 1e-5;
/// Halvings of an interval with a zero, and steps of the golden section.
const TURNS: usize = 60;
/// A row shorter than this part of the largest at an end of a step takes the other end for bearings.
const SHORT: f64 = 1e-6;
/// Where the rows are dependent within this part of their entries, the other end is taken too.
const KERNEL: f64 = 1e-9;

/// Watches the rank of W from step to step.
pub(super) struct Rows<'a> {
    set: InUse<'a>,
    from: &'a [usize],
    tolerance: Tolerance,
    /// The largest size of each coordinate so far.
    size: Vec<f64>,
    y: Vec<f64>,
}

/// From where d is measured.
struct Bearings {
    weights: Vec<f64>,
    /// T^T
    kernel: DMatrix<f64>,
}

impl<'a> Rows<'a> {
    /// `None` where there are no velocity constraints, or too many coordinates.
    pub(super) fn new(
        problem: &'a Problem<'a>,
        tolerance: Tolerance,
        in_use: (&'a [usize], &'a [usize]),
        from: &'a [usize],
    ) -> Option<Self> {
        let n = problem.dynamics.coordinates();
        let count = in_use.0.len() + in_use.1.len();
        (!in_use.1.is_empty() && n <= MOST && count <= n).then(|| Self {
            set: InUse {
                problem,
                rows: in_use.0,
                velocity: in_use.1,
            },
            from,
            tolerance,
            size: vec![0.0; n],
            y: vec![0.0; 2 * n],
        })
    }

    /// W.
    fn rows(&self, t: f64, x: &[f64]) -> DMatrix<f64> {
        self.set.rows(t, x).gradients
    }

    /// The bearings at a place where the rows are independent.
    fn stand(&self, t: f64, x: &[f64]) -> Option<Bearings> {
        let rows = self.rows(t, x);
        let lengths: Vec<f64> = rows.row_iter().map(|row| row.norm()).collect();
        let longest = lengths.iter().copied().fold(0.0, f64::max);
        let usable = |l: &f64| l.is_finite() && *l > SHORT * longest;
        if !lengths.iter().all(usable) {
            return None;
        }
        let (count, n) = rows.shape();
        let scaled = DMatrix::from_fn(count, n, |b, k| rows[(b, k)] / lengths[b]);
        let blur = scaled.abs() * KERNEL;
        let kernel = Blurred {
            value: scaled,
            blur,
        };
        let kernel = orthonormal(&kernel.kernel());
        (kernel.ncols() == n - count).then(|| Bearings {
            weights: lengths.iter().map(|l| l.recip()).collect(),
            kernel: kernel.transpose(),
        })
    }

    /// d at a place.
    fn regularity(&self, bearings: &Bearings, t: f64, x: &[f64]) -> f64 {
        let rows = self.rows(t, x);
        let (count, n) = rows.shape();
        let square = DMatrix::from_fn(n, n, |b, k| {
            if b < count {
                rows[(b, k)] * bearings.weights[b]
            } else {
                bearings.kernel[(b - count, k)]
            }
        });
        square.determinant()
    }

    /// (x, x') at a part of the step, into `y`; without dense output by the quintic.
    fn state(&mut self, stepper: &Stepper, part: f64, dense: bool) {
        let n = self.size.len();
        if part <= 0.0 {
            self.y.copy_from_slice(stepper.start().1);
        } else if part >= 1.0 {
            self.y.copy_from_slice(stepper.end().1);
        } else if dense {
            stepper.interpolate(part, &mut self.y);
        } else if !stepper.glance(part, &mut self.y) {
            let ((_, start, slope), (_, end, end_slope)) = (stepper.start(), stepper.end());
            let h = stepper.taken();
            for k in 0..n {
                self.y[k] = quintic(
                    part,
                    [start[k], h * start[n + k], h * h * slope[n + k]],
                    [end[k], h * end[n + k], h * h * end_slope[n + k]],
                );
            }
        }
    }

    fn value(&mut self, stepper: &Stepper, bearings: &Bearings, part: f64, dense: bool) -> f64 {
        self.state(stepper, part, dense);
        let t = stepper.start().0 + part * stepper.taken();
        self.regularity(bearings, t, &self.y[..self.size.len()])
    }

    /// The losses of rank in the step that was just accepted; `end` is the end of the motion, where none is told.
    pub(super) fn step(
        &mut self,
        stepper: &mut Stepper,
        machine: &mut Machine<'_>,
        end: f64,
        flags: &mut Vec<Flag>,
    ) -> Result<(), Stop> {
        let n = self.size.len();
        let (t, h, t_new) = (stepper.start().0, stepper.taken(), stepper.end().0);
        for (size, x) in self.size.iter_mut().zip(stepper.end().1) {
            *size = size.max(x.abs());
        }
        let bearings = self
            .stand(t, &stepper.start().1[..n])
            .or_else(|| self.stand(t_new, &stepper.end().1[..n]));
        let Some(bearings) = bearings else {
            return Ok(());
        };
        let first: Vec<f64> = (0..=PROBES + 1)
            .map(|i| {
                let part = i as f64 / (PROBES + 1) as f64;
                self.value(stepper, &bearings, part, false)
            })
            .collect();
        if !is_suspicious(&first) {
            return Ok(());
        }
        stepper.prepare(&mut |t, y: &[f64], dy: &mut [f64]| machine.derivative(t, y, dy))?;
        let column: Vec<f64> = (0..=FINE)
            .map(|i| {
                let part = i as f64 / FINE as f64;
                self.value(stepper, &bearings, part, true)
            })
            .collect();
        if column.iter().any(|d| !d.is_finite()) {
            return Ok(());
        }
        let mut found: Vec<f64> = Vec::new();
        for (part, wide) in self.candidates(stepper, &bearings, &column) {
            // one at the start belongs to the step before, one exactly at the end of the motion is none
            let at_the_end = part >= 1.0 - MERGE && t_new == end;
            let known = found.iter().any(|other| (other - part).abs() <= MERGE);
            if part <= MERGE || at_the_end || known || !self.is_lost(stepper, part, wide) {
                continue;
            }
            found.push(part);
            let moment = if part >= 1.0 { t_new } else { t + part * h };
            let mut told = flags.iter().filter(|f| f.kind == FlagKind::Rank);
            if told.any(|f| (f.t - moment).abs() <= MERGE * h.abs()) {
                continue;
            }
            self.state(stepper, part, true);
            flags.push(Flag {
                t: moment,
                kind: FlagKind::Rank,
                from: self.from.to_vec(),
                to: None,
                factors: Vec::new(),
                x: self.y[..n].to_vec(),
            });
        }
        Ok(())
    }

    /// Zeros by sign change, and places where |d| is least; whether the place is known to the root of the
    /// rounding unit only.
    fn candidates(
        &mut self,
        stepper: &Stepper,
        bearings: &Bearings,
        column: &[f64],
    ) -> Vec<(f64, f64)> {
        let part = |i: usize| i as f64 / FINE as f64;
        let largest = column.iter().fold(0.0_f64, |most, d| most.max(d.abs()));
        let mut list = Vec::new();
        for i in 0..FINE {
            let (left, right) = (column[i], column[i + 1]);
            if right == 0.0 {
                list.push((part(i + 1), PLACE.0));
            } else if left * right < 0.0 {
                let (mut low, mut high) = (part(i), part(i + 1));
                for _ in 0..TURNS {
                    let middle = f64::midpoint(low, high);
                    let d = self.value(stepper, bearings, middle, true);
                    if d * left > 0.0 {
                        low = middle;
                    } else {
                        high = middle;
                    }
                }
                list.push((f64::midpoint(low, high), PLACE.0));
            }
        }
        for i in 0..=FINE {
            let size = column[i].abs();
            let before = i.checked_sub(1).map(|j| column[j]);
            let after = column.get(i + 1).copied();
            let beside =
                |other: Option<f64>| other.is_none_or(|d| d.abs() >= size && d * column[i] > 0.0);
            if size == 0.0 || size > NEAR_ZERO * largest || !beside(before) || !beside(after) {
                continue;
            }
            let (from, to) = (part(i.saturating_sub(1)), part((i + 1).min(FINE)));
            let sign = column[i].signum();
            list.push((self.least(stepper, bearings, (from, to), sign), PLACE.1));
        }
        list.sort_by(|a, b| a.0.total_cmp(&b.0));
        list
    }

    /// Where sign times d is least (golden section).
    fn least(
        &mut self,
        stepper: &Stepper,
        bearings: &Bearings,
        between: (f64, f64),
        sign: f64,
    ) -> f64 {
        let value = |part: f64| sign * self.value(stepper, bearings, part, true);
        golden(between, TURNS, value).0
    }

    /// Is the rank lost at a part of the step, or within `wide` parts of the step of it?
    fn is_lost(&mut self, stepper: &Stepper, part: f64, wide: f64) -> bool {
        let n = self.size.len();
        self.state(stepper, part, true);
        let x = self.y[..n].to_vec();
        let h = stepper.taken();
        let t = stepper.start().0 + part * h;
        let spread: Vec<f64> = self
            .size
            .iter()
            .map(|s| RANK_DOUBT * self.tolerance.of(*s))
            .collect();
        let here = self.rows(t, &x);
        let mut doubt = self.set.blur((t, &x), &spread);
        for side in [-wide, wide] {
            let other = (part + side).clamp(0.0, 1.0);
            self.state(stepper, other, true);
            let there = self.rows(stepper.start().0 + other * h, &self.y[..n]);
            doubt += (there - &here).abs();
        }
        let both = Blurred {
            value: here,
            blur: doubt,
        };
        !both.is_full()
    }
}

/// Does it change sign or come near zero?
fn is_suspicious(column: &[f64]) -> bool {
    let largest = column.iter().fold(0.0_f64, |most, d| most.max(d.abs()));
    let smallest = column
        .iter()
        .fold(f64::INFINITY, |least, d| least.min(d.abs()));
    let positive = column.iter().any(|d| *d > 0.0);
    let negative = column.iter().any(|d| *d < 0.0);
    positive && negative || smallest <= NEAR_ZERO * largest
}
