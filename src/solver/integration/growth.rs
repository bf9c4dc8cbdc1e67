//! A motion that grows without bound and never comes to its end.
//!
//! Where speeds grow exponentially, as with a damper of the wrong sign, the steps that follow an oscillation or a turn of them shrink as
//! fast: n steps come as far as the logarithm of n, and each doubling of their number takes the time on by no more than the one before.
//! A motion that repeats itself gains twice the time with twice the steps, one that is driven evenly the square root of that. So a motion is
//! given up where the last doublings gained no more each, many more of them are needed, and the kinetic energy has grown all along.

use super::{Departure, Integration};
use crate::solver::dynamics::Instant;
use crate::solver::error::SolverError;
use crate::solver::motion::Motion;
use crate::solver::step::Knot;

/// Attempted steps after which the kinetic energy is that of the beginning,
const BEGINNING: usize = 20;
/// and after which is looked first; then at twice as many each time.
const FIRST: usize = 5000;
/// A doubling gains no more than the one before if it gains less than so many times that.
const GAINS: f64 = 1.2;
/// So many in a row.
const ROW: usize = 2;
/// More doublings than these do not come.
const DOUBLINGS: f64 = 20.0;
/// What the kinetic energy grows by at least, so that it is that which grows.
const GROWN: f64 = 1e6;

/// A motion that in so many attempted steps
const SLOW_ATTEMPTS: usize = 100_000;
/// comes no further than this part of its way does not come to the end of it either, if not so soon.
const SLOW_PART: f64 = 1e-4;

/// What is known of the pace of a motion.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// The attempts and the time from which it is measured.
    milestone: (usize, f64),
    growth: Growth,
}

impl Pace {
    /// Begins after so many attempts at a time.
    pub(super) fn new(at: (usize, f64)) -> Self {
        Self {
            milestone: at,
            growth: Growth::new(at.0, at.1),
        }
    }
}

/// What is known of the growth of a motion.
#[derive(Clone, Copy, Debug)]
struct Growth {
    /// Attempts when it began.
    begun: usize,
    /// The kinetic energy at the beginning.
    first: Option<f64>,
    /// At how many attempts it is looked at next.
    next: usize,
    /// Where the motion was at the last look, what it had gained and what kinetic energy it had.
    last: (f64, f64, f64),
    /// How many doublings in a row gained no more.
    row: usize,
}

/// What a look found.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Diverging {
    /// The attempts of the last doubling.
    steps: usize,
    /// What they gained.
    gain: f64,
    /// What the kinetic energy has grown by.
    grown: f64,
}

impl Growth {
    /// Begins at a time after so many attempts.
    fn new(attempts: usize, t: f64) -> Self {
        Self {
            begun: attempts,
            first: None,
            next: BEGINNING,
            last: (t, f64::INFINITY, 0.0),
            row: 0,
        }
    }

    /// Is it time to look?
    fn is_due(&self, attempts: usize) -> bool {
        attempts - self.begun >= self.next
    }

    /// Looks at a time, with so much left of the way and this kinetic energy.
    fn look(&mut self, (t, left): (f64, f64), kinetic: f64) -> Option<Diverging> {
        let Some(first) = self.first else {
            self.first = Some(kinetic);
            self.next = FIRST;
            return None;
        };
        let (before, gained, energy) = self.last;
        let gain = (t - before).abs();
        let worse = gain <= GAINS * gained && gained.is_finite() && kinetic > energy;
        self.row = if worse { self.row + 1 } else { 0 };
        let steps = self.next / 2;
        self.last = (t, gain, kinetic);
        self.next *= 2;
        let grown = kinetic / first;
        let never = left.abs() > DOUBLINGS * gain;
        (self.row >= ROW && never && grown >= GROWN && first > 0.0).then_some(Diverging {
            steps,
            gain,
            grown,
        })
    }
}

impl Integration<'_> {
    /// Ends a motion, on its way between two times, that after so many attempts has come no further than to a time from which it does not
    /// reach its end; unless other rows do better.
    pub(super) fn keep_pace(
        &mut self,
        pace: &mut Pace,
        (attempts, t): (usize, f64),
        (begun, end): (f64, f64),
        motion: &mut Motion,
    ) -> Result<Option<Departure>, SolverError> {
        if pace.growth.is_due(attempts)
            && let Some(because) = self.diverges(&mut pace.growth, (begun, end))
        {
            return Err(because);
        }
        let steps = attempts - pace.milestone.0;
        if steps < SLOW_ATTEMPTS {
            return Ok(None);
        }
        let part = (t - pace.milestone.1) / (end - begun);
        if part.abs() < SLOW_PART {
            if let Some(departure) = self.other_rows_here() {
                return Ok(Some(departure));
            }
            let slow = SolverError::TooSlow {
                t,
                steps,
                part,
                grown: None,
            };
            return Err(self.too_slow(slow, end - begun, motion));
        }
        pace.milestone = (attempts, t);
        Ok(None)
    }

    /// Why a motion is given up that grows without bound, on its way between two times.
    fn diverges(&self, growth: &mut Growth, (begun, end): (f64, f64)) -> Option<SolverError> {
        let Knot { t, y, .. } = self.stepper.start();
        let found = growth.look((t, end - t), self.kinetic(t, y))?;
        Some(SolverError::TooSlow {
            t,
            steps: found.steps,
            part: found.gain / (end - begun).abs(),
            grown: Some(found.grown),
        })
    }

    /// The kinetic energy x'.M x'/2 of a state.
    fn kinetic(&self, t: f64, y: &[f64]) -> f64 {
        let (x, v) = y.split_at(y.len() / 2);
        let at = Instant::at(self.set.problem.dynamics, (t, x, v));
        let columns = at.mass.column_iter().zip(v);
        let parts = columns.map(|(column, own)| {
            let pairs = column.iter().zip(v);
            own * pairs.map(|(m, v)| m * v).sum::<f64>()
        });
        parts.sum::<f64>() / 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is found on the way of a motion to t = 1000 that is at t after n steps and has a kinetic energy there.
    fn found(at: impl Fn(f64) -> (f64, f64)) -> Option<Diverging> {
        let mut growth = Growth::new(0, 0.0);
        (0..2_000_000).find_map(|attempts| {
            let (t, kinetic) = at(attempts as f64);
            growth
                .is_due(attempts)
                .then(|| growth.look((t, 1000.0 - t), kinetic))?
        })
    }

    #[test]
    fn exponential_growth_diverges_and_what_is_driven_or_repeats_does_not() {
        // speeds e^t, turns that take n = e^t steps
        let grows = found(|n| ((1.0 + n).ln(), (1.0 + n).powi(2)));
        assert!(
            grows.is_some_and(|found| found.steps <= 20_000),
            "{grows:?}"
        );
        // an even torque: n = t^2, energy t^2
        assert_eq!(found(|n| (0.1 * n.sqrt(), 1e3 * n * n)), None);
        assert_eq!(found(|n| (1e-4 * n, 1.0 + n.powi(4))), None);
        // next to a pole of a bounded motion the energy does not grow
        assert_eq!(found(|n| ((1.0 + n).ln(), 1.0)), None);
    }
}
