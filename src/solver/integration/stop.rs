//! A step that was not taken: another chart, a shorter step, or the end of the motion and why.

use super::{ConstantEnergy, Integration, floor};
use crate::geometry::largest;
use crate::solver::ahead::Ahead;
use crate::solver::chart;
use crate::solver::error::{Dependent, Halt, SolverError};
use crate::solver::events::{Flag, RANK_DOUBT};
use crate::solver::linearised::Stop;
use crate::solver::motion::Motion;
use crate::solver::onward::{Stopped, halt};
use crate::solver::reason::{reason, unbounded};
use crate::solver::step::Knot;

/// Where steps collapse, a jump is looked for so many smallest steps ahead.
const PROBES: [f64; 4] = [8.0, 64.0, 4096.0, 1e6];

/// and a zero of the determinant no farther than so many.
const AHEAD: f64 = 64.0;

/// Steps have collapsed where they became so many times shorter than they were on the average.
const LONG: f64 = 1e6;

/// Accelerations that change by this part jump where they are the same on both sides but for this part of it.
const JUMPS: f64 = 0.1;
const ALIKE: f64 = 1e-2;

/// Where steps collapse, one nearer than this part of the size of the coordinates is to blame.
const CLOSE: f64 = 1e-2;

impl Integration<'_> {
    /// Why the step that was just accepted is none: a gradient jumps in it.
    pub(super) fn kink(&mut self) -> Option<SolverError> {
        let ahead = self.ahead.as_mut()?;
        let n = self.size.len();
        let Knot { t, y, .. } = self.stepper.start();
        let t_new = self.stepper.end().t;
        ahead.jump((t, &y[..n]), (t_new, &self.proposed))
    }

    /// A jump of a gradient just ahead of (t, y), where no step leads on: a chart may fail where it jumps.
    pub(super) fn kink_ahead(
        &mut self,
        (t, y): (f64, &[f64]),
        span: f64,
        floor: f64,
    ) -> Option<SolverError> {
        let ahead = self.ahead.as_mut()?;
        let (x, v) = y.split_at(self.size.len());
        let probe = |s: &f64| {
            let s = s * span.signum();
            let place: Vec<f64> = x.iter().zip(v).map(|(x, v)| x + s * v).collect();
            ahead.jump((t, x), (t + s, &place))
        };
        let reaches = PROBES.map(|part| part * floor);
        reaches.iter().find_map(probe)
    }

    /// Whether the accelerations are other ones just ahead of (t, y), where no step leads on, and behind that and before y the same
    /// as there.
    fn accelerations_jump(&mut self, (t, y): (f64, &[f64]), floor: f64) -> bool {
        let n = self.size.len();
        let mut at = |s: f64, slope: &[f64]| -> Option<Vec<f64>> {
            let place = y.iter().zip(slope).map(|(y, slope)| y + s * slope);
            let (_, a, _) = self.rhs.evaluate(t + s, &place.collect::<Vec<_>>()).ok()?;
            Some(a.to_vec())
        };
        let Some(a) = at(0.0, y) else { return false };
        let slope: Vec<f64> = y[n..].iter().chain(&a).copied().collect();
        let apart = |a: &[f64], b: &[f64]| {
            let pairs = a.iter().zip(b);
            pairs.fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()))
        };
        PROBES.iter().any(|part| {
            let s = part * floor;
            let list = [-s, s, 2.0 * s].map(|s| at(s, &slope));
            let [Some(before), Some(after), Some(beyond)] = list else {
                return false;
            };
            let jump = apart(&after, &a);
            let size = apart(&after, &vec![0.0; n]).max(apart(&a, &vec![0.0; n]));
            let same = |a: &[f64], b: &[f64]| apart(a, b) <= ALIKE * jump;
            jump > JUMPS * size && same(&before, &a) && same(&beyond, &after)
        })
    }

    /// Whether a motion that begins at (t, y) is held there: on either side of its velocity the accelerations lead back to it, as
    /// those by dry friction do at rest.
    pub(super) fn is_held(&mut self, (t, y): (f64, &[f64]), span: f64) -> bool {
        let n = self.size.len();
        let mut behind = |s: f64, a: &[f64]| -> Option<Vec<f64>> {
            let faster = y[n..].iter().zip(a).map(|(v, a)| v + s * a);
            let state = y[..n].iter().copied().chain(faster);
            let (_, a, _) = self.rhs.evaluate(t, &state.collect::<Vec<_>>()).ok()?;
            Some(a.to_vec())
        };
        let Some(a) = behind(0.0, &vec![0.0; n]) else {
            return false;
        };
        let smallest = floor(t, span).copysign(span);
        PROBES.iter().any(|part| {
            let s = part * smallest;
            let Some(there) = behind(s, &a) else {
                return false;
            };
            let list = [behind(0.5 * s, &a), behind(s, &there)];
            let [Some(half), Some(back)] = list else {
                return false;
            };
            let jump: Vec<f64> = there.iter().zip(&back).map(|(a, b)| a - b).collect();
            let along = |a: &[f64]| a.iter().zip(&jump).map(|(a, d)| a * d).sum::<f64>();
            let change: Vec<f64> = there.iter().zip(&half).map(|(a, b)| a - b).collect();
            let jumps = largest(&jump) > JUMPS * largest(&there).max(largest(&back))
                && largest(&change) <= ALIKE * largest(&jump);
            jumps && along(&a) * along(&there) < 0.0 && along(&there) * along(&back) < 0.0
        })
    }

    /// Goes on from (t, y) to `end` with first steps up to some length, with charts that are compared by what the tolerances leave
    /// unknown; whether it did not before.
    pub(super) fn remeasure(
        &mut self,
        (t, y): (f64, &[f64]),
        towards: (f64, f64),
        motion: &mut Motion,
    ) -> bool {
        if !self.rhs.measure_by_tolerance() {
            return false;
        }
        motion.chart_changes += self.change_chart(t, &y[..self.size.len()]);
        self.taken = false;
        self.restart((t, y), towards).is_ok()
    }

    /// The coordinate that leaves every bound where a motion has come to, that began at a time and is to end at another. A zero of
    /// the determinant that is reached with it is none.
    pub(super) fn leaves_bounds(
        &self,
        (begun, end): (f64, f64),
        motion: &mut Motion,
    ) -> Option<SolverError> {
        let place = self.stepper.start();
        let t = place.t;
        let because = unbounded(self.set.problem, &self.size, place, t - begun)?;
        let near = AHEAD * floor(t, end - t);
        motion.flags.retain(|flag| (flag.t - t).abs() > near);
        Some(because)
    }

    /// After a step that was not taken: another chart, a shorter step, or the end of the motion.
    pub(super) fn retreat(
        &mut self,
        stop: Stop,
        span: f64,
        motion: &mut Motion,
    ) -> Result<(), SolverError> {
        if let Some(kink) = self.kinked.take() {
            return Err(kink);
        }
        let Knot { t, y, .. } = self.stepper.start();
        let n = self.size.len();
        if stop == Stop::Branch
            && self.rhs.evaluate(t, y).is_ok()
            && self.rhs.stretch() > chart::BETTER
        {
            // another chart is better from the start of the step on
            let x = y[..n].to_vec();
            motion.chart_changes += self.change_chart(t, &x);
            self.stepper.again();
            return Ok(());
        }
        let least = floor(t, span);
        if self.stepper.next().abs() >= least {
            return Ok(());
        }
        let y = y.to_vec();
        // what the coordinates are measured in must not end a motion
        if self.remeasure((t, &y), (t + span, f64::INFINITY), motion) {
            return Ok(());
        }
        let begun = motion.legs.first().map_or(t, |leg| leg.from);
        if let Some(because) = self.leaves_bounds((begun, t + span), motion) {
            return Err(because);
        }
        let gone = (t - begun).abs();
        let by_span = least > floor(t, 0.0);
        if by_span && gone > 0.0 && gone <= LONG * least * motion.steps as f64 {
            // the time that is asked for leaves no short steps: that they became so short shows nothing
            return Err(SolverError::TooSlow {
                t,
                steps: motion.steps,
                part: gone / (t + span - begun).abs(),
                grown: None,
            });
        }
        Err(self.ending(stop, (t, &y), span, motion))
    }

    /// Why steps have become so many that a motion is given up: it may be what all but ends it.
    pub(super) fn too_slow(
        &mut self,
        slow: SolverError,
        span: f64,
        motion: &mut Motion,
    ) -> SolverError {
        let Knot { t, y, .. } = self.stepper.start();
        let y = y.to_vec();
        match self.reason(Stop::Rejected, (t, &y), floor(t, span)) {
            SolverError::RankLost { .. } => self.ending(Stop::Rejected, (t, &y), span, motion),
            // to and fro over a jump, by what the tolerances allow
            _ if self.accelerations_jump((t, &y), self.stepper.next()) => {
                SolverError::ForceJump { t, held: false }
            }
            _ => slow,
        }
    }

    /// Why the motion cannot be carried on from (t, y), flagged where the theorem fails there.
    fn ending(
        &mut self,
        stop: Stop,
        (t, y): (f64, &[f64]),
        span: f64,
        motion: &mut Motion,
    ) -> SolverError {
        let (n, floor) = (self.size.len(), floor(t, span));
        let mut reason = match (self.kink_ahead((t, y), span, floor), self.not_passed(y)) {
            (Some(kink), _) => kink,
            (None, Some((seen, there))) => {
                // its time was extrapolated from farther off: the motion may be beyond that by now
                let at = if (seen - t) * span < 0.0 { t } else { seen };
                self.reason(stop, (at, &there), floor)
            }
            (None, None) => self.reason(stop, (t, y), floor),
        };
        self.tell(&mut reason, (t, y), span);
        let collapsed = matches!(reason, SolverError::StepCollapsed { .. });
        if collapsed && self.energy.as_ref().is_some_and(ConstantEnergy::is_lost) {
            reason = SolverError::EnergyLost { t };
        } else if collapsed && self.accelerations_jump((t, y), floor.copysign(span)) {
            reason = SolverError::ForceJump { t, held: false };
        } else if collapsed {
            // what the motion stops at may be where its chart fails
            let zero = self.watch.collapse(&mut self.rhs, (t, y), AHEAD * floor);
            motion.flags.extend(zero);
        }
        if matches!(reason, SolverError::RankLost { .. }) {
            self.flag_rank((t, &y[..n]), AHEAD * floor, motion);
        }
        reason
    }

    /// The one flag where the rank is lost that ends a motion: the last steps may have met the same zero, once or more.
    fn flag_rank(&mut self, (t, x): (f64, &[f64]), near: f64, motion: &mut Motion) {
        let spread = self.watch.spread_at((t, x), RANK_DOUBT);
        let same = |flag: &Flag| {
            let at = (flag.x.as_slice(), x);
            let mut ways = flag.x.iter().zip(x).zip(&spread);
            let there = self.tolerance.are_near(at, &self.size, RANK_DOUBT)
                || ways.all(|((a, b), spread)| (a - b).abs() <= *spread);
            (flag.t - t).abs() <= near && there
        };
        let met = motion.flags.iter().filter(|flag| same(flag));
        let mut factors: Vec<usize> = met.flat_map(|flag| flag.factors.clone()).collect();
        factors.sort_unstable();
        factors.dedup();
        motion.flags.retain(|flag| !same(flag));
        let flag = Flag::rank(t, self.own, x);
        motion.flags.push(Flag { factors, ..flag });
    }

    /// Adds what ends the motion at the singular configuration next to (t, y).
    pub(super) fn tell(&mut self, reason: &mut SolverError, (t, y): (f64, &[f64]), span: f64) {
        let set = self.set;
        let (x, v) = y.split_at(self.size.len());
        let place = Stopped {
            t,
            x,
            v,
            sizes: &self.size,
            span,
        };
        let find = |ahead: &mut Option<Ahead<'_>>| halt(ahead.as_mut()?, set, &place);
        match reason {
            SolverError::RankLost { halt, .. } => {
                *halt = find(&mut self.ahead).unwrap_or(Halt::NotDecided);
            }
            // the speed grows so that steps collapse before the rank is lost
            SolverError::StepCollapsed { .. } => {
                if let Some(halt @ Halt::InfiniteSpeed) = find(&mut self.ahead) {
                    let (of, ratio) = (Dependent::Gradients, 0.0);
                    *reason = SolverError::RankLost { of, t, ratio, halt };
                }
            }
            _ => {}
        }
    }

    /// A singular configuration next to y that could not be passed: its time and state.
    pub(super) fn not_passed(&self, y: &[f64]) -> Option<(f64, Vec<f64>)> {
        let (t, x) = self.unpassed.as_ref()?;
        let n = x.len();
        let near = (0..n).all(|k| (x[k] - y[k]).abs() <= CLOSE * self.size[k]);
        near.then(|| (*t, x.iter().chain(&y[n..]).copied().collect()))
    }

    pub(super) fn reason(&self, stop: Stop, at: (f64, &[f64]), floor: f64) -> SolverError {
        reason(self.set, &self.size, stop, at, floor)
    }
}
