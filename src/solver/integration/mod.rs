//! A motion on its way: step after step, each with its samples, its flags and its chart.

mod crossing;
mod discontinuity;
mod energy;
mod growth;
mod leap;
mod release;
mod rows;
mod stop;

use std::sync::atomic::Ordering;

use super::ahead::{Ahead, bend, reach};
use super::between::sort_by_time;
use super::chart;
use super::dop853::Dop853;
use super::error::SolverError;
use super::events::Watch;
use super::linear::Lu;
use super::linearised::Stop;
use super::method::RightHandSide;
use super::motion::{Motion, Options, Outside, Sample};
use super::progress::Progress;
use super::radau::Radau;
use super::rank::InUse;
use super::start::Start;
use super::step::{Attempt, Knot, Tolerance, grow, larger};
use super::stepper::Stepper;
use crate::geometry::{Constraints, Groups, largest, length_scales, sizes, spread};
use crate::system::Stiff;
use crossing::Foreseen;
use energy::ConstantEnergy;
use growth::Pace;
pub(super) use release::Departure;
use release::{Event, Sides};

/// The kinetic energy is asked for after so many steps each, where M varies: it takes as long as a step of a small system.
const MEASURED: usize = 16;
/// A coordinate that has grown so many times as large is measured anew.
const OUTGROWN: f64 = 1024.0;
/// The smallest step is this many units in the last place of the time.
const STEP_ULPS: f64 = 16.0;
/// A time counts as no smaller than this part of the whole run, when the smallest step is set.
const TIME_PART: f64 = 1e-3;

/// Behind so many states beside its samples a longer motion is known less well between these.
const MOST_BETWEEN: usize = 200_000;

/// A motion that in so many attempted steps
const STALLED_ATTEMPTS: usize = 2000;
/// comes no further than this part of its way would take more steps than [`super::MAX_STEPS`] for all of it.
const STALLED_PART: f64 = 1e-8;

/// A motion that has not left its start after so many attempts may be held there.
const HELD_ATTEMPTS: usize = 64;

/// The implicit stepper is taken where more explicit steps are left than this many for each coordinate of its own, for its
/// Jacobians, and for each pair of them, for its factors.
const JACOBIANS: f64 = 4.0;
const FACTORS: f64 = 0.4;

/// The times at which samples are due.
pub(super) struct Grid {
    start: f64,
    end: f64,
    count: usize,
    due: usize,
    /// Times beside these, and how many of them are past.
    also: Vec<f64>,
    past: usize,
    /// Times at which steps end, and those at which others begin then.
    ends: Vec<[f64; 2]>,
}

/// The decimal number of few digits that a number is but for its rounding, which is that of numbers of this size: 5.86 and
/// not 5.859999999999999.
pub(crate) fn meant(t: f64, size: f64) -> f64 {
    // a power of ten up to here is exact, and a whole number divided by it is the nearest to the decimal
    const POWERS: [f64; 14] = [
        1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13,
    ];
    let power = POWERS.into_iter().rev().find(|power| power * size < 1e13);
    let decimal = power.map_or(t, |power| (t * power).round() / power);
    if (decimal - t).abs() <= 2.0 * f64::EPSILON * size {
        decimal
    } else {
        t
    }
}

impl Grid {
    pub(super) fn new(start: f64, options: &Options) -> Self {
        Self {
            start,
            end: options.until,
            count: options.samples.max(1),
            due: 1,
            also: options.also.clone(),
            past: 0,
            ends: options.ends.clone(),
        }
    }

    fn moment(&self, i: usize) -> f64 {
        if i == self.count {
            self.end
        } else {
            let t = self.start + (self.end - self.start) * (i as f64 / self.count as f64);
            meant(t, self.start.abs().max(self.end.abs()))
        }
    }

    /// The time that a step from t goes no further than.
    fn next_end(&self, t: f64) -> f64 {
        let floor = floor(t, self.end - self.start);
        let way = if self.end > self.start { 1.0 } else { -1.0 };
        let ends = self.ends.iter().map(|[end, _]| *end);
        let mut ahead = ends.filter(|end| way * (end - t) > floor);
        let next = ahead.next().filter(|end| way * (self.end - end) > floor);
        next.unwrap_or(self.end)
    }

    /// The time at which the motion goes on where a step ended at t, if that is another.
    fn onward(&self, t: f64) -> Option<f64> {
        let ends = self
            .ends
            .iter()
            .find(|[end, next]| *end == t && next != end)?;
        Some(ends[1]).filter(|next| (next < &self.end) == (self.start < self.end))
    }

    /// Whether what depends on time changes suddenly at a time where a step ended.
    fn ends_at(&self, t: f64) -> bool {
        self.ends.iter().any(|[end, _]| *end == t)
    }

    /// Whether sample i is due once the time t is reached.
    fn reached(&self, i: usize, t: f64) -> bool {
        i <= self.count && self.is_past(self.moment(i), t)
    }

    /// The part of the run that a step of this length is.
    fn share(&self, step: f64) -> f64 {
        (step / (self.end - self.start)).abs().min(1.0)
    }

    /// The times of the samples that are due once the time t is reached.
    fn due_by(&self, t: f64) -> impl Iterator<Item = f64> {
        let due = (self.due..).take_while(move |i| self.reached(*i, t));
        due.map(|i| self.moment(i))
    }

    fn is_past(&self, moment: f64, t: f64) -> bool {
        moment == t || (moment < t) == (self.end > self.start)
    }
}

/// The smallest step at t in a run of length `span`.
fn floor(t: f64, span: f64) -> f64 {
    STEP_ULPS * f64::EPSILON * t.abs().max(TIME_PART * span.abs())
}

/// Where a motion has come to: the end of the step in memory where that was taken, else its start.
fn reached(stepper: &Stepper, taken: bool) -> Knot<'_> {
    if taken {
        stepper.end()
    } else {
        stepper.start()
    }
}

/// A motion on its way.
pub(super) struct Integration<'a> {
    /// The constraints in use.
    pub(super) set: InUse<'a>,
    pub(super) rhs: RightHandSide<'a>,
    watch: Watch<'a>,
    /// The system's own choice of dependent coordinates.
    pub(super) own: &'a [usize],
    pub(super) stepper: Stepper,
    /// The one-sided constraints.
    pub(super) sides: Sides,
    /// What ends the leg in the step in memory.
    event: Option<Event>,
    /// Where the step in memory led before it was brought back to the constraints, if one may.
    proposed: Vec<f64>,
    /// A jump of a gradient on the way there.
    kinked: Option<SolverError>,
    pub(super) tolerance: Tolerance,
    /// The energy, where it is constant.
    pub(super) energy: Option<ConstantEnergy>,
    stiff: Stiff,
    /// Whether no state is marked at a flag.
    pub(super) brief: bool,
    /// Evaluations before the stepper in use began.
    evaluated: usize,
    pub(super) block: Lu,
    /// Looks out for singular configurations.
    pub(super) ahead: Option<Ahead<'a>>,
    /// D'Alembert's form, for the passage of one.
    tangents: Option<RightHandSide<'a>>,
    /// The rate of the accelerations over the last step.
    jerk: Vec<f64>,
    /// Where was looked ahead last.
    looked: f64,
    /// Before this time no passage is tried again; and the step that was to be taken when that was found.
    again: Option<(f64, f64)>,
    /// The largest of the steps so far, the last ones foremost.
    stride: f64,
    /// How many steps ahead a singular configuration is looked for, and the part of the way that the last term of a path may
    /// be for one to be passed.
    reach: f64,
    bend: f64,
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
    /// Where the rows in use took over from others, if they did, and the time of the place that they were chosen for.
    pub(super) chosen: Option<(f64, f64)>,
    /// The largest size of each coordinate so far.
    pub(super) size: Vec<f64>,
    /// The sizes by which they were measured last, if they are.
    measured: Vec<f64>,
    pub(super) fresh: Vec<Sample>,
    /// States at flags and events in the step in memory.
    pub(super) marked: Vec<Sample>,
    /// So many states of each step are kept beside the samples, and those of the step in memory.
    closely: usize,
    between: Vec<Sample>,
    /// Whether the step in memory begins behind a jump.
    leapt: bool,
    /// The last values, other than 0, of the functions at whose zeros L may jump.
    beside: Vec<f64>,
    /// Singular configurations in it: from when to when.
    cores: Vec<[f64; 2]>,
}

impl<'a> Integration<'a> {
    pub(super) fn new(
        (set, own, released): (InUse<'a>, &'a [usize], &[usize]),
        rhs: RightHandSide<'a>,
        (tolerance, options): (Tolerance, &Options),
    ) -> Self {
        let n = set.problem.dynamics.coordinates();
        let mut explicit = Dop853::new(2 * n, tolerance).linking(linked(set));
        if options.stiff == Stiff::Auto {
            explicit = explicit.judging_stiffness();
        }
        Self {
            set,
            rhs,
            watch: Watch::new(set, own, (tolerance, options.brief)),
            own,
            stepper: Stepper::Explicit(Box::new(explicit)),
            sides: Sides::new(&options.one_sided, set, released),
            event: None,
            proposed: vec![0.0; n],
            kinked: None,
            energy: ConstantEnergy::new(tolerance),
            tolerance,
            stiff: options.stiff,
            brief: options.brief,
            evaluated: 0,
            block: Lu::new(own.len()),
            jerk: vec![0.0; n],
            ahead: Ahead::new(set),
            tangents: None,
            looked: f64::NAN,
            seen: f64::NAN,
            unpassed: None,
            again: None,
            stride: 0.0,
            reach: reach(tolerance.rtol),
            bend: bend(tolerance.rtol),
            range: f64::INFINITY,
            scaled: 0,
            taken: false,
            chosen: None,
            size: vec![0.0; n],
            measured: Vec::new(),
            fresh: Vec::new(),
            marked: Vec::new(),
            between: Vec::new(),
            closely: options.closely,
            leapt: false,
            beside: Vec::new(),
            cores: Vec::new(),
        }
    }

    /// How often everything was evaluated.
    pub(super) fn evaluations(&self) -> usize {
        let others = self.tangents.as_ref().map_or(0, RightHandSide::instants);
        self.rhs.instants() + others
    }

    /// The first sample, the first chart, the flag of a zero at the start.
    pub(super) fn begin(&mut self, start: &Start, motion: &mut Motion) -> Result<(), SolverError> {
        let set = self.set;
        let (at, known) = (
            (start.t, start.x.as_slice()),
            spread(&start.x, &start.correction),
        );
        if self.ahead.is_some() || self.rhs.takes_measure() {
            // what is no more than rounding of the largest has no length of its own
            let rounding = f64::EPSILON * largest(&start.x);
            let nothing: Vec<f64> = known.iter().map(|k| k.max(rounding)).collect();
            self.size = length_scales(&set, at, (&set.blurred(at, &nothing), &nothing));
            self.size.truncate(start.x.len());
            self.measure(self.size.clone());
            if let Stepper::Explicit(dop853) = &mut self.stepper {
                dop853.size(&self.size);
            }
        } else {
            self.size = sizes(&start.x);
        }
        let y: Vec<f64> = start.x.iter().chain(&start.v).copied().collect();
        self.rhs.measure((start.t, &y));
        let first = self.rhs.evaluate(start.t, &y).map(|_| ());
        if first == Err(Stop::Singular) || self.rhs.stretch() > chart::GAIN {
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
        motion
            .flags
            .extend(self.watch.start(&mut self.rhs, at, &known));
        Ok(())
    }

    /// Measures coordinates that go so far, where charts or bases are compared.
    fn measure(&mut self, ways: Vec<f64>) {
        if self.rhs.takes_measure() {
            self.rhs.measure_by(&ways);
            self.measured = ways;
        }
    }

    /// The state that the motion came to where no step leads on: a sample, where it is one as any other.
    pub(super) fn end_here(&mut self, because: &SolverError, motion: &mut Motion) {
        if let SolverError::ForceJump { held: true, .. } = because {
            return;
        }
        let Knot { t, y, .. } = reached(&self.stepper, self.taken);
        let y = y.to_vec();
        let way = t - motion.samples.first().map_or(t, |first| first.t);
        let is_new = |(_, end): (f64, f64)| (t - end) * way > 0.0;
        if motion.ends().is_some_and(is_new)
            && let Ok(sample) = self.sample(t, &y)
        {
            let list = if because.is_regular() {
                &mut motion.samples
            } else {
                &mut motion.marks
            };
            list.push(sample);
        }
    }

    /// The state at what ends the leg in the step that was just accepted: a sample, where it ends the motion.
    pub(super) fn mark_event(&mut self) {
        let Some((t, outcome)) = &self.event else {
            return;
        };
        let t = *t;
        if !matches!(&**outcome, Ok(departure) if !departure.ends) {
            self.end_at(t);
        } else if let Ok(sample) = self.within(t) {
            self.marked.push(sample);
        }
    }

    /// Makes a time in the step that was just accepted the last sample.
    fn end_at(&mut self, t: f64) {
        if let Ok(sample) = self.within(t)
            && self.fresh.last().is_none_or(|last| last.t != t)
        {
            self.fresh.push(sample);
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
            self.restart((start.t, &y), (end, f64::INFINITY))
        };
        motion.work.push(self.stepper.work());
        begun.map_err(|stop| self.reason(stop, (start.t, &y), 0.0))?;
        let progress = Progress::watched();
        let mut reached = start.t;
        let mut mark = (motion.steps + motion.rejected, reached);
        let mut pace = Pace::new(mark);
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
                && let Some(because) = self.leaves_bounds((start.t, end), motion)
            {
                return Err(because);
            } else if attempts - mark.0 == HELD_ATTEMPTS
                && mark.1 == start.t
                && self.is_held((start.t, &y), end - start.t)
            {
                let t = start.t;
                return Err(SolverError::ForceJump { t, held: true });
            } else if attempts - mark.0 > STALLED_ATTEMPTS {
                self.stepper.limit(0.0);
                if let Some(departure) = self.other_rows_here() {
                    return Ok(Some(departure));
                }
                self.retreat(Stop::Rejected, end - start.t, motion)?;
                // another chart may do better
                mark = (attempts, reached);
            }
            let at = (attempts, reached);
            if let Some(departure) = self.keep_pace(&mut pace, at, (start.t, end), motion)? {
                return Ok(Some(departure));
            }
            let flags = motion.flags.len();
            let outcome = match self.look_ahead(grid) {
                Ok(Foreseen::Singular(passage)) => self.cross(*passage, grid, motion),
                Ok(Foreseen::OtherRows(departure)) => return Ok(Some(*departure)),
                Ok(Foreseen::Nothing) => self.step(grid, motion),
                Err(stop) => Err(stop),
            };
            match outcome {
                Ok(()) => {
                    motion.steps += 1;
                    let parted = self.part(motion);
                    self.hand_over(motion);
                    outside.pass_on(motion);
                    parted?;
                    reached = self.stepper.end().t;
                    if let Some(progress) = &progress {
                        progress.set((reached - grid.start) / (grid.end - grid.start));
                    }
                    if let Some(work) = motion.work.last_mut() {
                        work.steps += 1;
                    }
                    if let Some((_, outcome)) = self.event.take() {
                        return (*outcome).map(Some);
                    }
                    // a passage may end later
                    if (reached - end) * (end - start.t) >= 0.0 {
                        return Ok(None);
                    }
                    if let Some(departure) = self.other_than_worn_rows() {
                        return Ok(Some(departure));
                    }
                    if let Some(next) = grid.onward(reached) {
                        self.leap(next, end)?;
                        reached = next;
                    } else if self.is_stiff(end) {
                        self.go_over(end, motion)?;
                    }
                }
                Err(stop) => {
                    motion.flags.truncate(flags);
                    if let Some(departure) = self.refused(stop, end - start.t, motion)? {
                        return Ok(Some(departure));
                    }
                }
            }
        }
    }

    /// After a step that was not taken: other rows, another chart or a shorter step.
    fn refused(
        &mut self,
        stop: Stop,
        span: f64,
        motion: &mut Motion,
    ) -> Result<Option<Departure>, SolverError> {
        self.taken = false;
        motion.rejected += 1;
        let start = self.stepper.start();
        let collapsed = self.stepper.next().abs() < floor(start.t, span);
        self.rhs.judge_rounding(start);
        if let Some(work) = motion.work.last_mut() {
            work.rejected += 1;
        }
        let may_be = collapsed || matches!(stop, Stop::Position | Stop::Singular);
        if let Some(departure) = may_be.then(|| self.other_rows_here()).flatten() {
            return Ok(Some(departure));
        }
        let plain = collapsed && self.kinked.is_none() && self.unpassed.is_none();
        if let Some(departure) = plain.then(|| self.without_chart()).flatten() {
            return Ok(Some(departure));
        }
        self.retreat(stop, span, motion).map(|()| None)
    }

    /// Ends the motion where a constraint in force is not met any more: what others implied at the start they may not later.
    fn part(&mut self, motion: &mut Motion) -> Result<(), SolverError> {
        // behind a release all is asked anew
        let parted = self.event.is_none().then(|| self.parted()).flatten();
        let Some((row, t)) = parted else {
            return Ok(());
        };
        let way = self.stepper.taken().signum();
        let is_past = |moment: f64| (moment - t) * way > 0.0;
        self.fresh.retain(|sample| !is_past(sample.t));
        self.marked.retain(|sample| !is_past(sample.t));
        self.between.retain(|sample| !is_past(sample.t));
        motion.flags.retain(|flag| !is_past(flag.t));
        self.end_at(t);
        Err(SolverError::Parted {
            constraint: self.set.problem.constraint(row),
            t,
        })
    }

    /// Gives the motion the states of the step that was taken.
    fn hand_over(&mut self, motion: &mut Motion) {
        self.keep_sides();
        if !self.marked.is_empty() {
            let way = self.stepper.taken().signum();
            sort_by_time(way, &mut self.marked, |mark| mark.t);
            motion.marks.append(&mut self.marked);
        }
        motion.samples.append(&mut self.fresh);
        motion.between.append(&mut self.between);
        if motion.between.len() > MOST_BETWEEN {
            self.closely = 1;
        }
        self.leapt = false;
        motion.cores.append(&mut self.cores);
    }

    /// Whether the motion is stiff, and the implicit stepper takes less to come to its end.
    fn is_stiff(&mut self, end: f64) -> bool {
        let Self { stepper, rhs, .. } = self;
        let mut accelerations = |t: f64, y: &[f64], out: &mut [f64]| {
            let (_, a, _) = rhs.evaluate(t, y)?;
            out.copy_from_slice(a);
            Ok::<(), Stop>(())
        };
        stepper.is_stiff(&mut accelerations) && {
            let left = (end - stepper.end().t) / stepper.next();
            let own = rhs.own().len() as f64;
            left > own * (JACOBIANS + FACTORS * own)
        }
    }

    /// Goes over to the implicit stepper where the motion is found to be stiff, unless it may be its charts that are.
    fn go_over(&mut self, end: f64, motion: &mut Motion) -> Result<(), SolverError> {
        let Knot { t, y, .. } = self.stepper.end();
        let (y, next) = (y.to_vec(), self.stepper.next());
        if self.rhs.was_rough() && self.remeasure((t, &y), (end, next.abs()), motion) {
            return Ok(());
        }
        self.settle_accounts(motion);
        motion.stiff_from = Some(t);
        let begun = self.stiffen((t, &y), (end, Some(next)));
        motion.work.push(self.stepper.work());
        begun.map_err(|stop| self.reason(stop, (t, &y), 0.0))
    }

    /// Goes over to the implicit stepper, from (t, y) towards `end`, with the first step given.
    fn stiffen(&mut self, start: (f64, &[f64]), target: (f64, Option<f64>)) -> Result<(), Stop> {
        let n = self.size.len();
        let Some(mut radau) = Radau::new(n, &self.rhs.own(), self.tolerance) else {
            return Ok(());
        };
        self.rhs.settle_to_rounding();
        let rhs = &mut self.rhs;
        let begun = radau.begin(start, target, &mut |t, y: &[f64], dy: &mut [f64]| {
            rhs.derivative(t, y, dy)
        });
        self.stepper = Stepper::Implicit(Box::new(radau));
        self.taken = false;
        begun
    }

    /// Begins again at (t, y), towards an end with a first step of no more than this.
    fn restart(&mut self, start: (f64, &[f64]), towards: (f64, f64)) -> Result<(), Stop> {
        let Self { stepper, rhs, .. } = self;
        stepper.restart(start, towards, &mut |t, y: &[f64], dy: &mut [f64]| {
            rhs.derivative(t, y, dy)
        })
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
        let end = grid.next_end(reached(&self.stepper, self.taken).t);
        let Self { stepper, rhs, .. } = self;
        rhs.set_out();
        let at_once = stepper.attempt_at_once(end, |from| rhs.stages(from));
        let mut derivative = |t: f64, y: &[f64], dy: &mut [f64]| rhs.derivative(t, y, dy);
        match at_once.unwrap_or_else(|| stepper.attempt(end, &mut derivative)) {
            Attempt::Proposed => {}
            Attempt::Rejected => return Err(Stop::Rejected),
            Attempt::Failed(stop) => return Err(stop),
        }
        // behind a jump of a gradient the way back may lead before it
        let Knot { t, y, .. } = stepper.end();
        if self.ahead.as_ref().is_some_and(Ahead::may_jump) {
            self.proposed.copy_from_slice(&y[..n]);
        }
        stepper.accept(&mut |t, y: &mut [f64], dy: &mut [f64]| rhs.land(t, y, dy))?;
        if let Some(ahead) = &mut self.ahead {
            ahead.arrive((stepper.start().t, t), rhs.pivots());
        }
        let mut stretch = rhs.stretch_in_turn();
        if rhs.judge_chart() {
            stretch = rhs.stretch();
        }
        let Knot { t, y, .. } = self.stepper.end();
        let grown = self.size.iter().zip(y);
        let grown = grown.map(|(size, x)| larger(*size, x.abs()));
        let mut parts = grown.clone().zip(&self.measured);
        if parts.any(|(size, last)| size > OUTGROWN * last) {
            let grown = grown.collect();
            self.measure(grown);
        }
        if motion.steps.is_multiple_of(MEASURED) && self.rhs.measure((t, self.stepper.end().y)) {
            stretch = self.rhs.stretch();
        }
        self.kinked = self.kink();
        if self.kinked.is_some() || self.skips() {
            self.stepper.refuse();
            return Err(Stop::Rejected);
        }
        let told = motion.flags.len();
        let seen = self.side_event(grid);
        let seen = seen.and_then(|event| self.discontinuity(grid, event));
        let seen = seen.and_then(|event| {
            self.event = event;
            self.look_back(grid, motion)
        });
        if let Err(stop) = seen {
            self.event = None;
            self.stepper.refuse();
            return Err(stop);
        }
        self.mark(motion.flags.get_mut(told..).unwrap_or_default());
        self.mark_event();
        let Knot { t, y, .. } = self.stepper.end();
        grow(&mut self.size, y);
        self.taken = true;
        if stretch > chart::GAIN {
            let x = y[..n].to_vec();
            motion.chart_changes += self.change_chart(t, &x);
        }
        Ok(())
    }

    /// Samples and flags of the step that was just accepted.
    fn look_back(&mut self, grid: &mut Grid, motion: &mut Motion) -> Result<(), Stop> {
        self.fresh.clear();
        self.marked.clear();
        self.between.clear();
        self.cores.clear();
        let told = motion.flags.len();
        let span = self.stepper.taken();
        let reached = self.stepper.end().t;
        let reached = self.event.as_ref().map_or(reached, |(t, _)| *t);
        let mut next = grid.due;
        for moment in grid.due_by(reached) {
            let sample = self.within(moment)?;
            if self.turns(&sample) && self.strays(&sample) {
                return Err(Stop::Rejected);
            }
            self.fresh.push(sample);
            next += 1;
        }
        let mut past = grid.past;
        while let Some(moment) = grid.also.get(past).filter(|at| grid.is_past(**at, reached)) {
            let sample = self.within(*moment)?;
            self.marked.push(sample);
            past += 1;
        }
        if self.closely > 0 {
            self.look_closely(grid, reached)?;
        }
        self.watch.step(
            &mut self.stepper,
            &mut self.rhs,
            grid.end,
            &mut motion.flags,
        )?;
        if !self.set.velocity.is_empty() {
            self.stepped_over(grid.end, motion)?;
            if let Some(fresh) = motion.flags.get_mut(told..) {
                sort_by_time(span.signum(), fresh, |flag| flag.t);
            }
        }
        if motion.flags.len() > told {
            let mut fresh = motion.flags.split_off(told);
            fresh.retain(|flag| (flag.t - reached) * span <= 0.0);
            motion.flags.append(&mut fresh);
        }
        (grid.due, grid.past) = (next, past);
        Ok(())
    }

    /// Goes over to the best chart at a position, in the method that has charts; how many changes that
    /// makes.
    fn change_chart(&mut self, t: f64, x: &[f64]) -> usize {
        let Some(count) = self.rhs.chart().map(<[usize]>::len) else {
            return 0;
        };
        let n = x.len();
        let mut rows = self.rhs.jacobian(t, x).to_vec();
        for row in rows.chunks_exact_mut(n.max(1)) {
            for (e, unit) in row.iter_mut().zip(&self.rhs.units().scales.each) {
                *e *= unit;
            }
        }
        let Some(best) = chart::best(rows, n, count) else {
            return 0;
        };
        self.rhs.change_chart(&best);
        if let Some(ahead) = &mut self.ahead {
            ahead.leave();
        }
        self.stepper.depends_on(&self.rhs.own());
        1
    }
}

/// The coordinates that constraints on positions link with each other; without a pattern any may be.
fn linked(set: InUse<'_>) -> Vec<Vec<usize>> {
    let dynamics = set.dynamics();
    let mut groups = Groups::new(dynamics.coordinates());
    let mut join = |entries: &mut dyn Iterator<Item = usize>| {
        if let Some(first) = entries.next() {
            entries.for_each(|k| groups.join(first, k));
        }
    };
    for b in set.rows {
        match dynamics.pattern() {
            Some(pattern) => {
                let own = pattern.jacobian.iter().filter(|(row, _)| row == b);
                join(&mut own.map(|(_, k)| *k));
            }
            None => join(&mut (0..dynamics.coordinates())),
        }
    }
    let mut list = groups.list();
    list.retain(|group| group.len() > 1);
    list
}
