//! Singular configurations on the way: looked out for, passed, or kept off.

use super::release::{Departure, Event};
use super::{Grid, Integration, floor, reached};
use crate::solver::ahead::{AT_FIRST, Ahead, Look, Path, pace};
use crate::solver::between::sort_by_time;
use crate::solver::events::{Flag, FlagKind, RANK_DOUBT};
use crate::solver::linearised::Stop;
use crate::solver::method::{Method, RightHandSide};
use crate::solver::minimum::{Spacing, least, may_touch};
use crate::solver::motion::Motion;
use crate::solver::note::Note;
use crate::solver::passage::{Passage, Refused, passage};
use crate::solver::step::{Knot, grow};
use crate::solver::stepper::Stepper;

/// Parts of a step between which it is looked at.
const WITHIN: usize = 8;

/// Three neighbouring places of them.
const WINDOW: Spacing<3> = Spacing::of([0.0, 1.0, 2.0]);

/// Before a singular configuration that could not be passed, a step goes this part of the way to it.
const NEARER: f64 = 0.5;
/// A passage is tried where this part of a step would lead to where it is to be tried again.
const THERE: f64 = 0.1;
/// It is tried sooner where steps have become shorter than this part of what they were then.
const SHRUNK: f64 = 0.3;
/// What is more than this many times so far ahead as steps are looked ahead of is not tried to be passed;
const DISTANT: f64 = 4.0;
/// the steps that count shrink no faster than by this each: they do towards a singular configuration.
const SHRINKING: f64 = 0.97;
/// What may be a zero of the regularity is below this part of it here, if it is not one to rounding.
const LOW: f64 = 0.02;
/// A singular configuration that could not be passed ends the motion at this part of the size of the coordinates
/// from it.
pub(super) const LAST: f64 = 1e-7;
/// Sections of the search for where a step comes nearest to it.
const TURNS: i32 = 40;
/// One that was not passed from many steps ahead is tried to be passed from this part of the way.
const AGAIN: f64 = 0.7;
/// Zeros of the determinant within this part of a passage are those of the singular configuration.
const SAME: f64 = 1e-3;
/// and a loss of rank is if it is nearer than this and at one place, as far as the tolerances tell.
const BESIDE: f64 = 1e-2;
/// One nearer to the end of the motion than this part of a passage is at the end.
const AT_END: f64 = 1e-9;
/// A path is followed so many times as far as it is straight, but so many steps at least.
const FOLLOWED: f64 = 2.0;
const LEAST_REACH: f64 = 1.5;
/// Where so much of the steps that are looked ahead of was seen to be clear and no pivot falls, the next look can wait.
const COVERED: f64 = 0.6;
/// Scales of rows and columns that are older than so many looks ahead are taken anew.
const SCALED: usize = 64;

/// The mean rate of the accelerations between two places.
fn rates(out: &mut [f64], from: Knot<'_>, to: Knot<'_>) {
    let (n, time) = (out.len(), (to.t - from.t).recip());
    let ends = from.slope[n..].iter().zip(&to.slope[n..]);
    for (out, (from, to)) in out.iter_mut().zip(ends) {
        *out = time * (to - from);
    }
}

/// What is seen of the steps ahead.
pub(super) enum Foreseen {
    /// No singular configuration, or none that is passed from here.
    Nothing,
    /// One, and the way across.
    Singular(Box<Passage>),
    /// None but of the rows in use.
    OtherRows(Box<Departure>),
}

impl Integration<'_> {
    /// Whether the step that was just accepted goes through a singular configuration that could not be passed: rounding
    /// alone would choose the branch that it came out on.
    pub(super) fn skips(&self) -> bool {
        let Some((_, x)) = &self.unpassed else {
            return false;
        };
        let mut y = vec![0.0; 2 * x.len()];
        let (_, nearest) = least((0.0, 1.0), (TURNS, 0.0), |part| {
            self.stepper.glance(part, &mut y);
            let parts = x.iter().zip(&y).zip(&self.size);
            parts.fold(0.0_f64, |most, ((x, y), size)| {
                most.max((x - y).abs() / size)
            })
        });
        nearest <= LAST
    }

    /// The passage of a singular configuration, where the next steps would meet one. Where it cannot be
    /// passed from here, or not yet, the next step is shortened.
    pub(super) fn look_ahead(&mut self, grid: &Grid) -> Result<Foreseen, Stop> {
        let (end, span) = (grid.end, grid.end - grid.start);
        let Some(ahead) = &mut self.ahead else {
            return Ok(Foreseen::Nothing);
        };
        let begin = self.stepper.start();
        let Knot { t, y, slope } = reached(&self.stepper, self.taken);
        // once at a place; what is tried again there is shorter
        if t == self.looked {
            return Ok(Foreseen::Nothing);
        }
        self.looked = t;
        if let Some((again, step)) = self.again.take() {
            let (wait, next) = ((again - t) * span.signum(), self.stepper.next().abs());
            // steps that get shorter by themselves tell of something nearer
            if wait > THERE * next && next > SHRUNK * step {
                self.again = Some((again, step));
                self.stepper.limit(wait.copysign(span));
                return Ok(Foreseen::Nothing);
            }
        }
        let (far, next) = (end - t, self.stepper.next().abs());
        self.stride = next.max(SHRINKING * self.stride);
        let reach = self.reach * next;
        let covered = (self.seen - t) * far.signum() >= COVERED * reach;
        if self.taken && covered && ahead.nothing_falls(t, reach) {
            return Ok(Foreseen::Nothing);
        }
        let n = self.size.len();
        if self.taken && t != begin.t {
            rates(&mut self.jerk, begin, Knot { t, y, slope });
        } else {
            self.jerk.fill(0.0);
        }
        let ((x, v), a, jerk) = (y.split_at(n), &slope[n..], self.jerk.as_slice());
        let path = Path { t, x, v, a, jerk };
        // the path tells how far it may be followed
        let straight = path.straight(self.bend, &self.size);
        let most = (FOLLOWED * straight).max(LEAST_REACH * next);
        let horizon = reach.min(most).min(far.abs());
        let horizon = horizon.copysign(far);
        // a place at the middle of the reach sees zeros from a third of it on
        let known = self.taken && (self.seen - t - horizon / 3.0) * span >= 0.0;
        let probes: &[f64] = if known { &[0.5] } else { &AT_FIRST };
        self.seen = t + horizon;
        let look = Look {
            reach: horizon,
            farthest: straight.min(DISTANT * self.reach * self.stride),
            probes,
        };
        self.scaled = self.scaled.saturating_sub(1);
        if self.taken && ahead.is_clear(&mut self.rhs, &path, look) {
            return Ok(Foreseen::Nothing);
        }
        if self.scaled == 0 || !self.taken {
            ahead
                .rows
                .stand_wide((t, x), &self.size, pace(&self.size, v));
            self.scaled = SCALED;
        }
        if self.taken && !ahead.rows.stood_at(begin.t) {
            ahead.rows.stand_on_way(begin.t, &begin.y[..n]);
        }
        let Some((s, least)) = ahead.next(&path, look) else {
            return Ok(Foreseen::Nothing);
        };
        let is_far = s.abs() > horizon.abs();
        // how far it is, is an estimate
        self.seen = f64::NAN;
        if s.abs() > DISTANT * self.reach * self.stride {
            return Ok(Foreseen::Nothing);
        }
        self.meet((s, least), (horizon, is_far.then_some(straight)), span)
    }

    /// What is at the time `s` ahead, where the regularity is so small: looked for no further than the first bound; where there is a
    /// second, passed from no further than that and than the last one was.
    fn meet(
        &mut self,
        (s, least): (f64, f64),
        (horizon, straight): (f64, Option<f64>),
        span: f64,
    ) -> Result<Foreseen, Stop> {
        let n = self.size.len();
        let Some(ahead) = &mut self.ahead else {
            return Ok(Foreseen::Nothing);
        };
        let Knot { t, y, slope } = reached(&self.stepper, self.taken);
        let ((x, v), a, jerk) = (y.split_at(n), &slope[n..], self.jerk.as_slice());
        let path = Path { t, x, v, a, jerk };
        let mut there = vec![0.0; 2 * n];
        path.at(s, &mut there);
        let pace = pace(&self.size, &there[n..]);
        // the last one tells from how far this one may be passed
        if straight.is_some_and(|straight| s.abs() > straight.min(self.range * pace)) {
            return Ok(Foreseen::Nothing);
        }
        self.unpassed = ahead.singular((t + s, &there[..n]), &self.size, pace);
        // a near miss is no passage
        if self.unpassed.is_none() && least >= LOW {
            return self.put_off(Refused::Astray, (t, s), (horizon, floor(t, span)));
        }
        let place = self.unpassed.as_ref();
        let place = place.map_or((t + s, &there[..n]), |(t, x)| (*t, x.as_slice()));
        if let Some(departure) = self.other_rows(place) {
            return Ok(Foreseen::OtherRows(Box::new(departure)));
        }
        let (set, tolerance) = (self.set, self.tolerance);
        let tangents = self
            .tangents
            .get_or_insert_with(|| RightHandSide::new(set, (Method::Tangents, tolerance), &[]));
        let Some(ahead) = &mut self.ahead else {
            return Ok(Foreseen::Nothing);
        };
        match passage(tangents, ahead, &path, s, (tolerance, &self.size)) {
            Ok(found) => {
                self.range = found.reach() / pace;
                Ok(Foreseen::Singular(Box::new(found)))
            }
            Err(refused) => self.put_off(refused, (t, s), (horizon, floor(t, span))),
        }
    }

    /// Sets when the singular configuration at the time `s` ahead of t is tried to be passed again, no further ahead than
    /// steps are looked ahead of; none where that is too near.
    pub(super) fn put_off(
        &mut self,
        refused: Refused,
        (t, s): (f64, f64),
        (horizon, floor): (f64, f64),
    ) -> Result<Foreseen, Stop> {
        let part = match refused {
            Refused::Clear => {
                self.again = Some((t + s, self.stepper.next().abs()));
                return Ok(Foreseen::Nothing);
            }
            Refused::Long(part) => part,
            Refused::Astray if s.abs() > horizon.abs() => AGAIN,
            Refused::Astray => NEARER,
        };
        // so near to a singular configuration rounding alone may turn a motion off on to another branch
        let y = reached(&self.stepper, self.taken).y;
        let at = |x: &[f64]| {
            let mut parts = x.iter().zip(y).zip(&self.size);
            parts.all(|((x, y), size)| (x - y).abs() <= LAST * size)
        };
        if self.unpassed.as_ref().is_some_and(|(_, x)| at(x)) {
            self.stepper.limit(0.0);
            return Err(Stop::Singular);
        }
        let next = ((1.0 - part) * s.abs()).min(horizon.abs()).copysign(s);
        self.stepper.limit(next);
        self.again = Some((t + next, self.stepper.next().abs()));
        if next.abs() < floor {
            return Err(Stop::Singular);
        }
        Ok(Foreseen::Nothing)
    }

    /// Takes a passage for a step, with its samples and flags, and begins again after it.
    pub(super) fn cross(
        &mut self,
        passage: Passage,
        grid: &mut Grid,
        motion: &mut Motion,
    ) -> Result<(), Stop> {
        let n = self.size.len();
        let (t, y) = (passage.end().t, passage.end().y.to_vec());
        let h = passage.step.taken;
        let is_one = |(t, x): &(f64, Vec<f64>)| self.rows_at((*t, &x[..n])).is_none();
        let singular: Vec<(f64, Vec<f64>)> = passage.singular().filter(is_one).collect();
        let step = passage.step;
        let cores = passage.cores(1.0);
        let mut cores: Vec<[f64; 2]> = cores.map(|core| core.map(|part| step.time(part))).collect();
        let across = Stepper::Across(Box::new(passage));
        let mut stepper = std::mem::replace(&mut self.stepper, across);
        if let Some(tangents) = &mut self.tangents {
            std::mem::swap(&mut self.rhs, tangents);
        }
        let watched = self.side_event(grid);
        let watched = watched.and_then(|event| self.discontinuity(grid, event));
        let whole = watched.is_err().then_some([step.t, t]);
        // a passage may reach past the end
        let due = |event: &Event| (event.0 - grid.end) * h < 0.0;
        self.event = watched.unwrap_or_default().filter(due);
        let ends = self.event.as_ref().map_or(t, |(t, _)| *t);
        let is_past = |moment: f64| (moment - ends) * h > 0.0;
        cores.retain(|core| !is_past(core[0]));
        if !self.sides.idle() {
            let unwatched = whole.map_or_else(
                || {
                    let cores = self.stepper.cores().into_iter();
                    let times = cores.map(|core| core.map(|part| step.time(part)));
                    times.filter(|core| !is_past(core[0])).collect()
                },
                |whole| vec![whole],
            );
            let notes = unwatched.into_iter().map(|[from, to]| {
                let to = if is_past(to) { ends } else { to };
                Note::Unwatched { from, to }
            });
            motion.notes.extend(notes);
        }
        let flags = motion.flags.len();
        let seen = self.look_back(grid, motion);
        // one exactly at the end is none
        let ended = |t: f64| (t - grid.end) * h.signum() >= -AT_END * h.abs();
        motion.flags.retain(|flag| !ended(flag.t));
        // the zeros of the determinant there are those of the rank
        let mut fresh = motion.flags.split_off(flags.min(motion.flags.len()));
        let mut passed = Vec::new();
        for (moment, place) in singular {
            // within what the tolerances leave unknown a rank is lost once
            let same = |flag: &Flag| {
                flag.kind == FlagKind::Rank
                    && (flag.t - moment).abs() <= BESIDE * h.abs()
                    && self
                        .tolerance
                        .are_near((&flag.x, &place), &self.size, RANK_DOUBT)
            };
            let there = |flag: &Flag| (flag.t - moment).abs() <= SAME * h.abs() || same(flag);
            let mut factors: Vec<usize> = fresh
                .iter()
                .filter(|flag| there(flag))
                .flat_map(|flag| flag.factors.iter().copied())
                .collect();
            factors.sort_unstable();
            factors.dedup();
            fresh.retain(|flag| !there(flag));
            if !ended(moment) && !is_past(moment) {
                let flag = Flag::rank(moment, self.own, &place[..n]);
                passed.push(Flag { factors, ..flag });
            }
        }
        fresh.append(&mut passed);
        sort_by_time(h.signum(), &mut fresh, |flag| flag.t);
        self.mark(&mut fresh);
        self.mark_event();
        self.cores = cores;
        motion.flags.append(&mut fresh);
        if let Some(tangents) = &mut self.tangents {
            std::mem::swap(&mut self.rhs, tangents);
        }
        let before = self.rhs.chart().map(<[usize]>::to_vec);
        self.change_chart(t, &y[..n]);
        if before.as_deref() != self.rhs.chart() {
            motion.chart_changes += 1;
        }
        let rhs = &mut self.rhs;
        let begun = stepper.restart(
            (t, &y),
            (grid.end, 0.5 * h),
            &mut |t, y: &[f64], dy: &mut [f64]| rhs.derivative(t, y, dy),
        );
        stepper.depends_on(&self.rhs.own());
        self.stepper = stepper;
        self.taken = false;
        self.unpassed = None;
        self.again = None;
        grow(&mut self.size, &y);
        if seen.is_err() {
            self.event = None;
        }
        if self.event.is_some() {
            seen
        } else {
            seen.and(begun)
        }
    }

    /// Flags of singular configurations in the step that was just accepted: where no force depends on a velocity
    /// constraint steps may be too long to see one from before them.
    pub(super) fn stepped_over(&mut self, end: f64, motion: &mut Motion) -> Result<(), Stop> {
        let Some(ahead) = &mut self.ahead else {
            return Ok(());
        };
        let places = ahead.within(&self.stepper);
        if places.is_empty() {
            return Ok(());
        }
        let rhs = &mut self.rhs;
        let prepared = |t: f64, y: &[f64], dy: &mut [f64]| rhs.derivative(t, y, dy);
        self.stepper.prepare(&mut { prepared })?;
        let spread = |s: &f64| RANK_DOUBT * self.tolerance.of(*s);
        let spread: Vec<f64> = self.size.iter().map(spread).collect();
        let h = self.stepper.taken().abs();
        for between in places {
            let Some((t, y)) = ahead.met(&self.stepper, between, (&self.size, &spread)) else {
                continue;
            };
            let same = |time: f64| (time - t).abs() <= SAME * h;
            // one at the end of the motion is none
            if same(end)
                || motion
                    .flags
                    .iter()
                    .any(|f| f.kind == FlagKind::Rank && same(f.t))
            {
                continue;
            }
            let n = self.size.len();
            motion.flags.push(Flag::rank(t, self.own, &y[..n]));
        }
        Ok(())
    }
}

impl Ahead<'_> {
    /// The parts of a step, whose positions are known roughly, where the rows seem to become dependent; nothing is known
    /// of its ends.
    pub(super) fn within(&mut self, stepper: &Stepper) -> Vec<(f64, f64)> {
        let (t, h, n) = (stepper.start().t, stepper.taken(), self.y.len() / 2);
        if !self.rows.stand(t, &stepper.start().y[..n]) {
            return Vec::new();
        }
        let part = |i: usize| i as f64 / WITHIN as f64;
        let mut y = std::mem::take(&mut self.y);
        let mut q = [1.0; WITHIN + 1];
        for (i, q) in q.iter_mut().enumerate().skip(1) {
            stepper.glance(part(i), &mut y);
            *q = self.rows.at(t + part(i) * h, &y[..n]);
        }
        self.y = y;
        let largest = q.iter().fold(0.0, |most: f64, q| most.max(*q));
        let least = |i: &usize| {
            let window = [q[i - 1], q[*i], q[i + 1]];
            q[*i] <= q[i - 1] && q[*i] <= q[i + 1] && may_touch(&window, &WINDOW, largest)
        };
        let places = (1..WITHIN).filter(least);
        places.map(|i| (part(i - 1), part(i + 1))).collect()
    }

    /// The singular configuration between two parts of a step with dense output, where there is one within what the
    /// coordinates are unknown by: its time and state.
    pub(super) fn met(
        &mut self,
        stepper: &Stepper,
        between: (f64, f64),
        (sizes, spread): (&[f64], &[f64]),
    ) -> Option<(f64, Vec<f64>)> {
        let (t, h, n) = (stepper.start().t, stepper.taken(), sizes.len());
        let mut y = vec![0.0; 2 * n];
        let (part, _) = least(between, (TURNS, 0.0), |part| {
            stepper.interpolate(part, &mut y);
            self.rows.at(t + part * h, &y[..n])
        });
        stepper.interpolate(part, &mut y);
        let pace = pace(sizes, &y[n..]);
        let (_, found) = self.singular((t + part * h, &y[..n]), sizes, pace)?;
        let near = (0..n).all(|k| (found[k] - y[k]).abs() <= spread[k]);
        near.then_some((t + part * h, y))
    }
}
