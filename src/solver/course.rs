//! A motion on its way: step after step, each with its samples, its flags and its chart.

use std::sync::atomic::Ordering;

use super::ahead::{Ahead, Before, Path, bend, golden, pace, reach};
use super::chart;
use super::dop853::Dop853;
use super::dynamics::Problem;
use super::error::SolverError;
use super::events::{Flag, FlagKind, RANK_DOUBT, Watch};
use super::linear::Lu;
use super::method::{Machine, Method, Stop};
use super::motion::{Motion, Options, Outside, Sample};
use super::note::Note;
use super::passage::{Passage, Refused, passage};
use super::progress;
use super::radau::Radau;
use super::rank;
use super::reason::{reason, unbounded};
use super::release::{Departure, Event, Sides};
use super::start::Start;
use super::stepper::{Attempt, Stepper, Stiff, Tolerance};

/// The smallest step is this many units in the last place of the time.
const STEP_ULPS: f64 = 16.0;
/// A time counts as no smaller than this part of the whole run, when the smallest step is set.
const TIME_PART: f64 = 1e-3;

/// Before a singular configuration that could not be passed, a step goes this part of the way to it.
const NEARER: f64 = 0.5;
/// A passage is tried where this part of a step would lead to where it is to be tried again.
const THERE: f64 = 0.1;
/// What is more than this many times so far ahead as steps are looked ahead of is not tried to be passed;
const DISTANT: f64 = 4.0;
/// the steps that count shrink no faster than by this each: they do towards a singular configuration.
const SHRINKING: f64 = 0.97;
/// What may be a zero of the regularity is below this part of it here, if it is not one to rounding.
const LOW: f64 = 0.02;
/// A singular configuration that could not be passed ends the motion at this part of the size of the coordinates
/// from it.
const LAST: f64 = 1e-7;
/// Turns of the golden section that finds where a step comes nearest to it.
const TURNS: usize = 40;
/// One that was not passed from many steps ahead is tried to be passed from this part of the way.
const AGAIN: f64 = 0.7;
/// Where steps collapse, one nearer than this part of the size of the coordinates is to blame.
const CLOSE: f64 = 1e-2;
/// Zeros of the determinant within this part of a passage are those of the singular configuration.
const SAME: f64 = 1e-3;
/// One nearer to the end of the motion than this part of a passage is at the end.
const AT_END: f64 = 1e-9;

/// Scales of rows and columns are taken anew after so many looks ahead.
const SCALED: usize = 64;

/// Where steps collapse, a jump is looked for so many smallest steps ahead.
const PROBES: [f64; 4] = [8.0, 64.0, 4096.0, 1e6];

/// A motion that in so many attempted steps
const STALLED_ATTEMPTS: usize = 2000;
/// comes no further than this part of its way would take more steps than [`super::MAX_STEPS`] for all of it.
const STALLED_PART: f64 = 1e-8;

/// One that in so many attempted steps
const SLOW_ATTEMPTS: usize = 100_000;
/// comes no further than this part of its way does not come to the end of it either, if not so soon.
const SLOW_PART: f64 = 1e-4;

/// The times at which samples are due.
pub(super) struct Grid {
    start: f64,
    end: f64,
    count: usize,
    due: usize,
}

impl Grid {
    pub(super) fn new(start: f64, options: &Options) -> Self {
        Self {
            start,
            end: options.until,
            count: options.samples.max(1),
            due: 1,
        }
    }

    fn moment(&self, i: usize) -> f64 {
        if i == self.count {
            self.end
        } else {
            self.start + (self.end - self.start) * (i as f64 / self.count as f64)
        }
    }

    /// Whether sample i is due once the time t is reached.
    fn reached(&self, i: usize, t: f64) -> bool {
        let moment = self.moment(i);
        i <= self.count && (moment == t || (moment < t) == (self.end > self.start))
    }
}

/// The smallest step at t in a run of length `span`.
fn floor(t: f64, span: f64) -> f64 {
    STEP_ULPS * f64::EPSILON * t.abs().max(TIME_PART * span.abs())
}

/// A motion on its way.
pub(super) struct Course<'a> {
    pub(super) problem: &'a Problem<'a>,
    pub(super) machine: Machine<'a>,
    watch: Watch<'a>,
    /// The constraints in use.
    pub(super) rows: &'a [usize],
    /// The velocity constraints in use.
    pub(super) velocity: &'a [usize],
    /// The system's own choice of dependent coordinates.
    pub(super) own: &'a [usize],
    pub(super) stepper: Stepper,
    /// The one-sided constraints.
    pub(super) sides: Sides,
    /// What ends the leg in the step in memory.
    event: Option<Event>,
    /// A jump of a gradient in the step in memory.
    kinked: Option<SolverError>,
    pub(super) tolerance: Tolerance,
    stiff: Stiff,
    /// Evaluations before the stepper in use began.
    evaluated: usize,
    pub(super) block: Lu,
    /// Looks out for singular configurations.
    pub(super) ahead: Option<Ahead<'a>>,
    /// D'Alembert's form, for the passage of one.
    tangents: Option<Machine<'a>>,
    /// The rate of the accelerations over the last step.
    jerk: Vec<f64>,
    /// Where was looked ahead last.
    looked: f64,
    /// Before this time no passage is tried again.
    again: Option<f64>,
    /// The largest of the steps so far, the last ones foremost.
    stride: f64,
    /// From how far the last passage could be taken, in times in which the configuration changes by its size.
    range: f64,
    /// The singular configuration ahead that could not be passed from here, or not yet.
    unpassed: Option<(f64, Vec<f64>)>,
    /// Looks ahead for which the scales taken last will do.
    scaled: usize,
    /// Up to when was looked ahead.
    seen: f64,
    /// Whether the step in memory was taken.
    taken: bool,
    /// The largest size of each coordinate so far.
    pub(super) size: Vec<f64>,
    /// How much better another chart is at the start of the step.
    stretch: f64,
    fresh: Vec<Sample>,
    /// States at flags and events in the step in memory.
    pub(super) marked: Vec<Sample>,
    /// Singular configurations in it: from when to when.
    cores: Vec<[f64; 2]>,
}

impl<'a> Course<'a> {
    pub(super) fn new(
        problem: &'a Problem<'a>,
        (machine, watch): (Machine<'a>, Watch<'a>),
        (rows, velocity, own): (&'a [usize], &'a [usize], &'a [usize]),
        (tolerance, stiff): (Tolerance, Stiff),
    ) -> Self {
        let n = problem.dynamics.coordinates();
        Self {
            problem,
            machine,
            watch,
            rows,
            velocity,
            own,
            stepper: Stepper::Explicit(Dop853::new(2 * n, tolerance)),
            sides: Sides::default(),
            event: None,
            kinked: None,
            tolerance,
            stiff,
            evaluated: 0,
            block: Lu::new(own.len()),
            jerk: vec![0.0; problem.dynamics.coordinates()],
            ahead: Ahead::new(problem, (rows, velocity)),
            tangents: None,
            looked: f64::NAN,
            seen: f64::NAN,
            unpassed: None,
            again: None,
            stride: 0.0,
            range: f64::INFINITY,
            scaled: 0,
            taken: false,
            size: vec![0.0; n],
            stretch: 1.0,
            fresh: Vec::new(),
            marked: Vec::new(),
            cores: Vec::new(),
        }
    }

    /// How often everything was evaluated.
    pub(super) fn evaluations(&self) -> usize {
        let others = self.tangents.as_ref().map_or(0, Machine::instants);
        self.machine.instants() + others
    }

    /// The first sample, the first chart, the flag of a zero at the start.
    pub(super) fn begin(&mut self, start: &Start, motion: &mut Motion) -> Result<(), SolverError> {
        self.size = rank::sizes(&start.x);
        let y: Vec<f64> = start.x.iter().chain(&start.v).copied().collect();
        let first = self.machine.evaluate(start.t, &y).map(|_| ());
        if first == Err(Stop::Singular) || self.machine.stretch() > chart::GAIN {
            // the system's own choice fails here, or nearly so
            self.change_chart(start.t, &start.x);
        }
        let sample = self.sample(start.t, &y);
        let sample = sample.map_err(|stop| self.reason(stop, (start.t, &y), 0.0))?;
        if motion.samples.is_empty() {
            motion.samples.push(sample);
        } else {
            motion.marks.push(sample);
        }
        let spread = rank::spread(&start.x, &start.correction);
        motion
            .flags
            .extend(self.watch.start(start.t, &start.x, &spread));
        Ok(())
    }

    /// The state that the motion came to where it stopped.
    pub(super) fn end_here(&mut self, motion: &mut Motion) {
        let (t, y, _) = if self.taken {
            self.stepper.end()
        } else {
            self.stepper.start()
        };
        let y = y.to_vec();
        let way = t - motion.samples.first().map_or(t, |first| first.t);
        let is_new = |(_, end): (f64, f64)| (t - end) * way > 0.0;
        if motion.ends().is_some_and(is_new)
            && let Ok(sample) = self.sample(t, &y)
        {
            motion.marks.push(sample);
        }
    }

    /// Steps to the end.
    pub(super) fn travel(
        &mut self,
        start: &Start,
        (options, outside): (&Options, &mut Outside<'_>),
        grid: &mut Grid,
        motion: &mut Motion,
    ) -> Result<Option<Departure>, SolverError> {
        let end = options.until;
        let y: Vec<f64> = start.x.iter().chain(&start.v).copied().collect();
        let begun = if self.stiff == Stiff::Always {
            self.stiffen((start.t, &y), (end, None))
        } else {
            let mut explicit = Dop853::new(y.len(), self.tolerance);
            let begun = explicit.begin((start.t, &y), end, &mut |t, y: &[f64], dy: &mut [f64]| {
                self.machine.derivative(t, y, dy)
            });
            self.stepper = Stepper::Explicit(explicit);
            begun
        };
        begun.map_err(|stop| self.reason(stop, (start.t, &y), 0.0))?;
        motion.work.push(self.stepper.work());
        let mut reached = start.t;
        self.stretch = 1.0;
        let mut mark = (motion.steps + motion.rejected, reached);
        let mut milestone = mark;
        loop {
            if outside.cancel.load(Ordering::Relaxed) {
                return Err(SolverError::Cancelled { t: reached });
            }
            if motion.steps >= options.max_steps {
                return Err(SolverError::TooManySteps {
                    t: reached,
                    steps: motion.steps,
                });
            }
            let attempts = motion.steps + motion.rejected;
            if (reached - mark.1).abs() > STALLED_PART * (end - start.t).abs() {
                mark = (attempts, reached);
            } else if (attempts - mark.0).is_multiple_of(STALLED_ATTEMPTS / 4)
                && attempts > mark.0
                && let Some(because) = unbounded(
                    self.problem,
                    &self.size,
                    self.stepper.start(),
                    end - start.t,
                )
            {
                return Err(because);
            } else if attempts - mark.0 > STALLED_ATTEMPTS {
                self.stepper.limit(0.0);
                self.retreat(Stop::Rejected, end - start.t, motion)?;
            }
            if attempts - milestone.0 >= SLOW_ATTEMPTS {
                let part = (reached - milestone.1) / (end - start.t);
                if part.abs() < SLOW_PART {
                    return Err(SolverError::TooSlow {
                        t: reached,
                        steps: attempts - milestone.0,
                        part,
                    });
                }
                milestone = (attempts, reached);
            }
            let flags = motion.flags.len();
            let outcome = match self.look_ahead(grid) {
                Ok(Some(passage)) => self.cross(passage, grid, motion),
                Ok(None) => self.step(grid, motion),
                Err(stop) => Err(stop),
            };
            match outcome {
                Ok(()) => {
                    motion.steps += 1;
                    self.hand_over(motion);
                    outside.pass_on(motion);
                    reached = self.stepper.end().0;
                    progress::reached((reached - grid.start) / (grid.end - grid.start));
                    if let Some(work) = motion.work.last_mut() {
                        work.steps += 1;
                    }
                    if let Some(event) = self.event.take() {
                        return self.departure(event).map(Some);
                    }
                    // a passage may end later
                    if (reached - end) * (end - start.t) >= 0.0 {
                        return Ok(None);
                    }
                    if self.stiff == Stiff::Auto && self.stepper.stiff() {
                        self.settle_accounts(motion);
                        motion.stiff_from = Some(reached);
                        let next = self.stepper.next();
                        let y = self.stepper.end().1.to_vec();
                        let begun = self.stiffen((reached, &y), (end, Some(next)));
                        motion.work.push(self.stepper.work());
                        begun.map_err(|stop| self.reason(stop, (reached, &y), 0.0))?;
                    }
                }
                Err(stop) => {
                    self.taken = false;
                    motion.flags.truncate(flags);
                    motion.rejected += 1;
                    if let Some(work) = motion.work.last_mut() {
                        work.rejected += 1;
                    }
                    self.retreat(stop, end - start.t, motion)?;
                }
            }
        }
    }

    /// Gives the motion the states of the step that was taken.
    fn hand_over(&mut self, motion: &mut Motion) {
        motion.samples.append(&mut self.fresh);
        motion.marks.append(&mut self.marked);
        motion.cores.append(&mut self.cores);
    }

    /// Goes over to the implicit stepper, from (t, y) towards `end`, with the first step given.
    fn stiffen(&mut self, start: (f64, &[f64]), target: (f64, Option<f64>)) -> Result<(), Stop> {
        let n = self.size.len();
        let Some(mut radau) = Radau::new(n, &self.machine.own(), self.tolerance) else {
            return Ok(());
        };
        self.machine.settle_to_rounding();
        let machine = &mut self.machine;
        let begun = radau.begin(start, target, &mut |t, y: &[f64], dy: &mut [f64]| {
            machine.derivative(t, y, dy)
        });
        self.stepper = Stepper::Implicit(Box::new(radau));
        self.taken = false;
        begun
    }

    /// Writes down what the stepper in use has done.
    pub(super) fn settle_accounts(&mut self, motion: &mut Motion) {
        let evaluations = self.evaluations();
        if let Some(work) = motion.work.last_mut() {
            work.evaluations = evaluations - self.evaluated;
            (work.jacobians, work.factorisations) = self.stepper.counts();
        }
        self.evaluated = evaluations;
    }

    /// One step with all that belongs to it, or the reason why it cannot be taken.
    fn step(&mut self, grid: &mut Grid, motion: &mut Motion) -> Result<(), Stop> {
        let n = self.size.len();
        let Self {
            stepper, machine, ..
        } = self;
        let mut derivative = |t: f64, y: &[f64], dy: &mut [f64]| machine.derivative(t, y, dy);
        match stepper.attempt(grid.end, &mut derivative) {
            Attempt::Proposed => {}
            Attempt::Rejected => return Err(Stop::Rejected),
            Attempt::Failed(stop) => return Err(stop),
        }
        let (t, y) = stepper.proposed();
        if let Err(stop) = machine.project(t, y) {
            stepper.refuse();
            return Err(stop);
        }
        stepper.accept(&mut |t, y: &[f64], dy: &mut [f64]| machine.derivative(t, y, dy))?;
        let stretch = machine.stretch();
        self.kinked = self.kink();
        if self.kinked.is_some() || self.skips() {
            self.stepper.refuse();
            return Err(Stop::Rejected);
        }
        let told = motion.flags.len();
        let seen = self.side_event().and_then(|event| {
            self.event = event;
            self.look_back(grid, motion)
        });
        if let Err(stop) = seen {
            self.event = None;
            self.stepper.refuse();
            return Err(stop);
        }
        self.mark(motion.flags.get_mut(told..).unwrap_or_default());
        if let Some(event) = &self.event
            && let Ok(sample) = self.within(event.t())
        {
            self.marked.push(sample);
        }
        let (t, y, _) = self.stepper.end();
        for (size, x) in self.size.iter_mut().zip(y) {
            *size = size.max(x.abs());
        }
        self.stretch = stretch;
        self.taken = true;
        if stretch > chart::GAIN {
            let x = y[..n].to_vec();
            motion.chart_changes += self.change_chart(t, &x);
        }
        Ok(())
    }

    /// Whether the step that was just accepted goes through a singular configuration that could not be passed: rounding
    /// alone would choose the branch that it came out on.
    fn skips(&self) -> bool {
        let Some((_, x)) = &self.unpassed else {
            return false;
        };
        let mut y = vec![0.0; 2 * x.len()];
        let (_, nearest) = golden((0.0, 1.0), TURNS, |part| {
            self.stepper.glance(part, &mut y);
            let parts = x.iter().zip(&y).zip(&self.size);
            parts.fold(0.0_f64, |most, ((x, y), size)| {
                most.max((x - y).abs() / size)
            })
        });
        nearest <= LAST
    }

    /// Why the step that was just accepted is none: a gradient jumps in it.
    fn kink(&mut self) -> Option<SolverError> {
        let ahead = self.ahead.as_mut()?;
        let n = self.size.len();
        let (t, y, _) = self.stepper.start();
        let (t_new, y_new, _) = self.stepper.end();
        let (part, b) = ahead.jump((t, &y[..n]), (t_new, &y_new[..n]))?;
        let constraint = self.problem.constraint(b);
        let t = t + part * (t_new - t);
        Some(SolverError::Kink { constraint, t })
    }

    /// A jump of a gradient just ahead of (t, y), where no step leads on: a chart may fail where it jumps.
    fn kink_ahead(&mut self, (t, y): (f64, &[f64]), span: f64, floor: f64) -> Option<SolverError> {
        let ahead = self.ahead.as_mut()?;
        let (x, v) = y.split_at(self.size.len());
        let probe = |s: &f64| {
            let s = s * span.signum();
            let place: Vec<f64> = x.iter().zip(v).map(|(x, v)| x + s * v).collect();
            let (part, b) = ahead.jump((t, x), (t + s, &place))?;
            Some((b, t + part * s))
        };
        let reaches = PROBES.map(|part| part * floor);
        let (b, t) = reaches.iter().find_map(probe)?;
        let constraint = self.problem.constraint(b);
        Some(SolverError::Kink { constraint, t })
    }

    /// The passage of a singular configuration, where the next steps would meet one. Where it cannot be
    /// passed from here, or not yet, the next step is shortened.
    fn look_ahead(&mut self, grid: &Grid) -> Result<Option<Passage>, Stop> {
        let (end, span) = (grid.end, grid.end - grid.start);
        let Some(ahead) = &mut self.ahead else {
            return Ok(None);
        };
        let (t0, _, slope0) = self.stepper.start();
        let (t, y, slope) = if self.taken {
            self.stepper.end()
        } else {
            self.stepper.start()
        };
        // once at a place; what is tried again there is shorter
        if t == self.looked {
            return Ok(None);
        }
        self.looked = t;
        if let Some(wait) = self.again.map(|again| (again - t) * span.signum())
            && wait > THERE * self.stepper.next().abs()
        {
            self.stepper.limit(wait.copysign(span));
            return Ok(None);
        }
        self.again = None;
        self.stride = self.stepper.next().abs().max(SHRINKING * self.stride);
        let n = self.size.len();
        let far = end - t;
        let horizon = reach(self.tolerance.rtol) * self.stepper.next();
        let horizon = if horizon.abs() > far.abs() {
            far
        } else {
            horizon
        };
        self.jerk.fill(0.0);
        if self.taken && t != t0 {
            for (k, j) in self.jerk.iter_mut().enumerate() {
                *j = (slope[n + k] - slope0[n + k]) / (t - t0);
            }
        }
        let path = Path {
            t,
            x: &y[..n],
            v: &y[n..],
            a: &slope[n..],
            jerk: &self.jerk,
        };
        // a place at the middle of the reach sees zeros from a third of it on
        if self.scaled == 0 || !self.taken {
            ahead
                .rows
                .stand_wide((t, &y[..n]), &self.size, pace(&self.size, &y[n..]));
            self.scaled = SCALED;
        }
        self.scaled -= 1;
        let known = self.taken && (self.seen - t - horizon / 3.0) * span >= 0.0;
        let before = if known {
            Before::Steps
        } else {
            Before::Nothing
        };
        self.seen = t + horizon;
        let Some((s, least)) = ahead.next(&path, (horizon, before)) else {
            return Ok(None);
        };
        let is_far = s.abs() > horizon.abs();
        // how far it is, is an estimate
        self.seen = f64::NAN;
        if s.abs() > DISTANT * reach(self.tolerance.rtol) * self.stride {
            return Ok(None);
        }
        let mut there = vec![0.0; 2 * n];
        path.at(s, &mut there);
        let pace = pace(&self.size, &there[n..]);
        // the last one tells from how far this one may be passed, and the path how far it may be followed
        let bent = path.bend(s, &self.size) > bend(self.tolerance.rtol);
        if is_far && (bent || s.abs() > self.range * pace) {
            return Ok(None);
        }
        self.unpassed = ahead.singular((t + s, &there[..n]), &self.size, pace);
        let (dynamics, tolerance) = (self.problem.dynamics, self.tolerance);
        let tangents = self.tangents.get_or_insert_with(|| {
            let rows = (self.rows, self.velocity);
            Machine::new(dynamics, (Method::Tangents, tolerance), rows, &[])
        });
        // a near miss is no passage
        let found = if self.unpassed.is_some() || least < LOW {
            passage(tangents, ahead, &path, (s, tolerance, &self.size))
        } else {
            Err(Refused::Astray)
        };
        match found {
            Ok(found) => {
                self.range = found.reach() / pace;
                Ok(Some(found))
            }
            Err(refused) => self
                .put_off(refused, (t, s), (horizon, floor(t, span)))
                .map(|()| None),
        }
    }

    /// Sets when the singular configuration at the time `s` ahead of t is tried to be passed again, no further ahead than
    /// steps are looked ahead of; none where that is too near.
    fn put_off(
        &mut self,
        refused: Refused,
        (t, s): (f64, f64),
        (horizon, floor): (f64, f64),
    ) -> Result<(), Stop> {
        let part = match refused {
            Refused::Clear => {
                self.again = Some(t + s);
                return Ok(());
            }
            Refused::Long(part) => part,
            Refused::Astray if s.abs() > horizon.abs() => AGAIN,
            Refused::Astray => NEARER,
        };
        // so near to a singular configuration rounding alone may turn a motion off on to another branch
        let y = if self.taken {
            self.stepper.end().1
        } else {
            self.stepper.start().1
        };
        let at = |x: &[f64]| {
            let mut parts = x.iter().zip(y).zip(&self.size);
            parts.all(|((x, y), size)| (x - y).abs() <= LAST * size)
        };
        if self.unpassed.as_ref().is_some_and(|(_, x)| at(x)) {
            self.stepper.limit(0.0);
            return Err(Stop::Singular);
        }
        let next = ((1.0 - part) * s.abs()).min(horizon.abs()).copysign(s);
        self.again = Some(t + next);
        self.stepper.limit(next);
        if next.abs() < floor {
            return Err(Stop::Singular);
        }
        Ok(())
    }

    /// Takes a passage for a step, with its samples and flags, and begins again after it.
    fn cross(
        &mut self,
        passage: Passage,
        grid: &mut Grid,
        motion: &mut Motion,
    ) -> Result<(), Stop> {
        let n = self.size.len();
        let (t, y) = (passage.end().0, passage.end().1.to_vec());
        let h = passage.taken();
        let singular: Vec<(f64, Vec<f64>)> = passage.singular().collect();
        let cores: Vec<[f64; 2]> = passage.cores().collect();
        if !self.sides.idle() {
            motion.notes.push(Note::Unwatched {
                from: passage.start().0,
                to: t,
            });
        }
        let across = Stepper::Across(Box::new(passage));
        let mut stepper = std::mem::replace(&mut self.stepper, across);
        if let Some(tangents) = &mut self.tangents {
            std::mem::swap(&mut self.machine, tangents);
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
            let there = |flag: &Flag| (flag.t - moment).abs() <= SAME * h.abs();
            let mut factors: Vec<usize> = fresh
                .iter()
                .filter(|flag| there(flag))
                .flat_map(|flag| flag.factors.iter().copied())
                .collect();
            factors.sort_unstable();
            factors.dedup();
            fresh.retain(|flag| !there(flag));
            if !ended(moment) {
                passed.push(Flag {
                    t: moment,
                    kind: FlagKind::Rank,
                    from: self.own.to_vec(),
                    to: None,
                    factors,
                    x: place[..n].to_vec(),
                });
            }
        }
        fresh.append(&mut passed);
        fresh.sort_by(|a, b| (a.t * h.signum()).total_cmp(&(b.t * h.signum())));
        self.mark(&mut fresh);
        self.cores = cores;
        motion.flags.append(&mut fresh);
        if let Some(tangents) = &mut self.tangents {
            std::mem::swap(&mut self.machine, tangents);
        }
        let before = self.machine.chart().map(<[usize]>::to_vec);
        self.change_chart(t, &y[..n]);
        if before.as_deref() != self.machine.chart() {
            motion.chart_changes += 1;
        }
        let machine = &mut self.machine;
        let begun = stepper.restart(
            (t, &y),
            (grid.end, 0.5 * h),
            &mut |t, y: &[f64], dy: &mut [f64]| machine.derivative(t, y, dy),
        );
        stepper.depends_on(&self.machine.own());
        self.stepper = stepper;
        self.taken = false;
        self.unpassed = None;
        self.again = None;
        for (size, x) in self.size.iter_mut().zip(&y) {
            *size = size.max(x.abs());
        }
        seen.and(begun)
    }

    /// Samples and flags of the step that was just accepted.
    fn look_back(&mut self, grid: &mut Grid, motion: &mut Motion) -> Result<(), Stop> {
        self.fresh.clear();
        self.marked.clear();
        self.cores.clear();
        let told = motion.flags.len();
        let span = self.stepper.taken();
        let reached = self.stepper.end().0;
        let reached = self.event.as_ref().map_or(reached, Event::t);
        let mut next = grid.due;
        while grid.reached(next, reached) {
            let sample = self.within(grid.moment(next))?;
            self.fresh.push(sample);
            next += 1;
        }
        self.watch.step(
            &mut self.stepper,
            &mut self.machine,
            grid.end,
            &mut motion.flags,
        )?;
        if !self.velocity.is_empty() {
            self.stepped_over(grid.end, motion)?;
            if let Some(fresh) = motion.flags.get_mut(told..) {
                fresh.sort_by(|a, b| (a.t * span.signum()).total_cmp(&(b.t * span.signum())));
            }
        }
        let mut flag = 0;
        motion.flags.retain(|f| {
            flag += 1;
            flag <= told || (f.t - reached) * span <= 0.0
        });
        grid.due = next;
        Ok(())
    }

    /// Flags of singular configurations in the step that was just accepted: where no force depends on a velocity
    /// constraint steps may be too long to see one from before them.
    fn stepped_over(&mut self, end: f64, motion: &mut Motion) -> Result<(), Stop> {
        let Some(ahead) = &mut self.ahead else {
            return Ok(());
        };
        let places = ahead.within(&self.stepper);
        if places.is_empty() {
            return Ok(());
        }
        let machine = &mut self.machine;
        let prepared = |t: f64, y: &[f64], dy: &mut [f64]| machine.derivative(t, y, dy);
        self.stepper.prepare(&mut { prepared })?;
        let spread = |s: &f64| RANK_DOUBT * self.tolerance.of(*s);
        let spread: Vec<f64> = self.size.iter().map(spread).collect();
        let h = self.stepper.taken().abs();
        for between in places {
            let Some((t, mut x)) = ahead.met(&self.stepper, between, (&self.size, &spread)) else {
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
            x.truncate(self.size.len());
            motion.flags.push(Flag {
                t,
                kind: FlagKind::Rank,
                from: self.own.to_vec(),
                to: None,
                factors: Vec::new(),
                x,
            });
        }
        Ok(())
    }

    /// After a step that was not taken: another chart, a shorter step, or the end of the motion.
    fn retreat(&mut self, stop: Stop, span: f64, motion: &mut Motion) -> Result<(), SolverError> {
        if let Some(kink) = self.kinked.take() {
            return Err(kink);
        }
        let (t, y, _) = self.stepper.start();
        let n = self.size.len();
        if stop == Stop::Branch && self.stretch > chart::BETTER {
            // another chart is better from the start of the step on
            let x = y[..n].to_vec();
            motion.chart_changes += self.change_chart(t, &x);
            self.stepper.again();
            return Ok(());
        }
        let floor = floor(t, span);
        if self.stepper.next().abs() >= floor {
            return Ok(());
        }
        let y = y.to_vec();
        if let Some(because) = unbounded(self.problem, &self.size, self.stepper.start(), span) {
            return Err(because);
        }
        let reason = match (self.kink_ahead((t, &y), span, floor), self.not_passed(&y)) {
            (Some(kink), _) => kink,
            (None, Some((t, there))) => self.reason(stop, (t, &there), floor),
            (None, None) => self.reason(stop, (t, &y), floor),
        };
        if matches!(
            reason,
            SolverError::RankLost { .. } | SolverError::VelocityRankLost { .. }
        ) {
            let (from, x) = (self.own.to_vec(), y[..n].to_vec());
            motion.flags.push(Flag {
                t,
                kind: FlagKind::Rank,
                from,
                to: None,
                factors: Vec::new(),
                x,
            });
        }
        Err(reason)
    }

    /// A singular configuration next to y that could not be passed: its time and state.
    fn not_passed(&self, y: &[f64]) -> Option<(f64, Vec<f64>)> {
        let (t, x) = self.unpassed.as_ref()?;
        let n = x.len();
        let near = (0..n).all(|k| (x[k] - y[k]).abs() <= CLOSE * self.size[k]);
        near.then(|| (*t, x.iter().chain(&y[n..]).copied().collect()))
    }

    fn reason(&self, stop: Stop, at: (f64, &[f64]), floor: f64) -> SolverError {
        let rows = (self.rows, self.velocity);
        reason(self.problem, (rows, &self.size), stop, at, floor)
    }

    /// Goes over to the best chart at a position, in the method that has charts; how many changes that
    /// makes.
    fn change_chart(&mut self, t: f64, x: &[f64]) -> usize {
        self.stretch = 1.0;
        let Some(count) = self.machine.chart().map(<[usize]>::len) else {
            return 0;
        };
        let Some(best) = chart::best(self.machine.jacobian(t, x), x.len(), count) else {
            return 0;
        };
        self.machine.change_chart(&best);
        self.stepper.depends_on(&self.machine.own());
        1
    }
}
