//! A motion: from a consistent start, step by step, to samples and flags.

use std::sync::atomic::{AtomicBool, Ordering};

use nalgebra::{DMatrix, DVector};

use super::chart;
use super::dop853::{Attempt, Dop853, Tolerance};
use super::dynamics::{ConstraintValue, Instant, Problem};
use super::error::SolverError;
use super::events::{Flag, FlagKind, Watch};
use super::linear::Lu;
use super::method::{Linearised, Machine, Method, Stop};
use super::multipliers;
use super::rank::{self, Structure};
use super::start::{MOVABLE, Start};

/// Steps after which a run is given up.
pub const MAX_STEPS: usize = 10_000_000;
/// The smallest step is this many units in the last place of the time.
const STEP_ULPS: f64 = 16.0;
/// A time counts as no smaller than this part of the whole run, when the smallest step is set.
const TIME_PART: f64 = 1e-3;
/// The smallest rtol of use: below it the error estimate is rounding.
const LEAST_RTOL: f64 = 1e-14;
/// Where steps collapse, the rank is to blame if a change of the coordinates by this part can lower it.
const COLLAPSE_DOUBT: f64 = 1e-6;

/// How a motion is computed.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// The time to run to (not a duration); before the start's t the run goes backwards.
    pub until: f64,
    /// The method.
    pub method: Method,
    /// The relative tolerance of a step.
    pub rtol: f64,
    /// The absolute tolerance of a step.
    pub atol: f64,
    /// N gives N + 1 samples at equal distances, both ends included.
    pub samples: usize,
    /// The bound on the number of steps.
    pub max_steps: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            until: 10.0,
            method: Method::default(),
            rtol: 1e-9,
            atol: 1e-12,
            samples: 1000,
            max_steps: MAX_STEPS,
        }
    }
}

/// A motion at a time, on the constraints to rounding.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// The time.
    pub t: f64,
    /// The n coordinates.
    pub x: Vec<f64>,
    /// The n velocities.
    pub v: Vec<f64>,
    /// The n accelerations.
    pub a: Vec<f64>,
    /// The m multipliers; of least norm where constraints are redundant.
    pub lambda: Vec<f64>,
    /// The n components of the constraint force R = J^T lambda.
    pub reaction: Vec<f64>,
    /// det `J_D` of the system's own choice, rows in the order of the constraints, columns in that of the
    /// choice; 1 without constraints, 0 with redundant ones.
    pub determinant: f64,
    /// x' . dL/dx' - L.
    pub energy: f64,
    /// max |`f_b` - `c_b`|.
    pub residual: f64,
}

/// What was computed of a motion.
#[derive(Debug, Clone, PartialEq)]
pub struct Motion {
    /// The method it was computed with.
    pub method: Method,
    /// The system's own choice of dependent coordinates that determinant and flags refer to.
    pub dependent: Vec<usize>,
    /// The samples, as far as the motion came.
    pub samples: Vec<Sample>,
    /// Where charts or ranks failed, in the order of the motion.
    pub flags: Vec<Flag>,
    /// Steps taken.
    pub steps: usize,
    /// Steps tried and not taken.
    pub rejected: usize,
    /// Changes of the chart (method `inverse`).
    pub chart_changes: usize,
    /// Evaluations of the whole system at an instant.
    pub evaluations: usize,
    /// Whether the motion came to the end.
    pub finished: bool,
    /// Why it did not.
    pub because: Option<SolverError>,
    /// What should be said beside the numbers.
    pub notes: Vec<String>,
}

/// Runs a motion from a consistent start. Never fails: what was computed is in the motion, with the
/// reason where it ended early.
pub fn simulate(
    problem: &Problem<'_>,
    start: &Start,
    options: &Options,
    cancel: &AtomicBool,
) -> Motion {
    let mut motion = Motion {
        method: options.method,
        dependent: Vec::new(),
        samples: Vec::new(),
        flags: Vec::new(),
        steps: 0,
        rejected: 0,
        chart_changes: 0,
        evaluations: 0,
        finished: false,
        because: None,
        notes: start.notes.clone(),
    };
    motion.because = run(problem, start, options, (cancel, &mut motion)).err();
    motion.finished = motion.because.is_none();
    motion
}

fn check(problem: &Problem<'_>, start: &Start, options: &Options) -> Result<(), SolverError> {
    let (n, m) = (
        problem.dynamics.coordinates(),
        problem.dynamics.constraints(),
    );
    let dependent = problem.dependent.as_ref().map_or(m, Vec::len);
    let lists = [
        ("coordinates of the start", n, start.x.len()),
        ("velocities of the start", n, start.v.len()),
        ("corrections of the start", n, start.correction.len()),
        ("dependent coordinates", m, dependent),
    ];
    for (what, expected, found) in lists {
        if expected != found {
            return Err(SolverError::Shape {
                what,
                expected,
                found,
            });
        }
    }
    for k in problem.dependent.iter().flatten() {
        if *k >= n {
            return Err(SolverError::Shape {
                what: "the index of a dependent coordinate",
                expected: n,
                found: *k,
            });
        }
    }
    let positive = |value: f64| value.is_finite() && value > 0.0;
    if !positive(options.rtol) || options.rtol >= 1.0 {
        return Err(SolverError::Option {
            option: "rtol",
            value: options.rtol,
            needs: "a number between 0 and 1",
        });
    }
    if !(options.atol.is_finite() && options.atol >= 0.0) {
        return Err(SolverError::Option {
            option: "atol",
            value: options.atol,
            needs: "a number not below 0",
        });
    }
    if !options.until.is_finite() {
        return Err(SolverError::Option {
            option: "until",
            value: options.until,
            needs: "a finite time",
        });
    }
    if let Some(k) = (0..n).find(|&k| !(start.x[k].is_finite() && start.v[k].is_finite())) {
        return Err(SolverError::NotFinite {
            what: format!("the start of {}", problem.coordinate(k)),
            t: start.t,
        });
    }
    let mut value = ConstraintValue::new(n, m);
    problem.dynamics.constraint(start.t, &start.x, &mut value);
    if let Some(b) = value.not_finite() {
        let what = format!("the constraint `{}` or its gradient", problem.constraint(b));
        return Err(SolverError::NotFinite { what, t: start.t });
    }
    for b in 0..m {
        let relative = value.residual[b].abs() / value.scale[b];
        if relative > MOVABLE {
            let constraint = problem.constraint(b);
            return Err(SolverError::Position {
                constraint,
                residual: value.residual[b],
                relative,
                nearest: Vec::new(),
            });
        }
    }
    Ok(())
}

fn run(
    problem: &Problem<'_>,
    start: &Start,
    options: &Options,
    (cancel, motion): (&AtomicBool, &mut Motion),
) -> Result<(), SolverError> {
    check(problem, start, options)?;
    let (n, m) = (
        problem.dynamics.coordinates(),
        problem.dynamics.constraints(),
    );
    if options.rtol < LEAST_RTOL {
        motion.notes.push(format!(
            "rtol {:e} is below what numbers resolve; {LEAST_RTOL:e} is used",
            options.rtol
        ));
    }
    let tolerance = Tolerance {
        rtol: options.rtol.max(LEAST_RTOL),
        atol: options.atol.max(f64::MIN_POSITIVE * 1e16),
    };
    let mut here = ConstraintValue::new(n, m);
    problem.dynamics.constraint(start.t, &start.x, &mut here);
    let own = problem
        .dependent
        .clone()
        .or_else(|| chart::best_choice(&here.jacobian))
        .unwrap_or_default();
    motion.dependent.clone_from(&own);

    let mut y = start.x.clone();
    y.extend_from_slice(&start.v);
    let rank_flag = |x: &[f64]| Flag {
        t: start.t,
        kind: FlagKind::Rank,
        from: own.clone(),
        to: None,
        factors: Vec::new(),
        x: x.to_vec(),
    };
    let rows = match rank::structure(problem, start.t, &start.x, &start.correction)? {
        Structure::Regular => (0..m).collect(),
        Structure::Redundant { rows, notes } => {
            motion.notes.extend(notes);
            motion.flags.push(rank_flag(&start.x));
            rows
        }
        Structure::Singular { rank, around } => {
            motion.flags.push(rank_flag(&start.x));
            motion.samples.push(bare(problem, start, &here));
            return Err(SolverError::SingularConfiguration {
                t: start.t,
                rank,
                around,
                constraints: m,
            });
        }
    };
    let regular = rows.len() == m;
    let first = if regular && own.len() == m {
        own.clone()
    } else {
        chart::best_choice(&here.jacobian.select_rows(&rows)).unwrap_or_default()
    };
    let mut machine = Machine::new(problem.dynamics, (options.method, tolerance), &rows, &first);
    let mut course = Course {
        problem,
        rows: &rows,
        own: &own,
        block: Lu::new(own.len()),
        tolerance,
        size: rank::sizes(&start.x),
    };
    if machine.evaluate(start.t, &y) == Err(Stop::Singular) && machine.chart().is_some() {
        // the own choice fails right here
        let best = chart::best(machine.jacobian(start.t, &start.x), n, rows.len());
        machine.change_chart(&best.unwrap_or_default());
    }
    let sample = course
        .sample(&mut machine, start.t, &y)
        .map_err(|stop| course.reason(stop, (start.t, &y), None))?;
    motion.samples.push(sample);
    if machine
        .chart()
        .is_some_and(|(_, stretch)| stretch > chart::GAIN)
    {
        change_chart(&mut machine, (start.t, &start.x), motion);
    }
    let mut watch = Watch::new(problem, tolerance, &rows, &own);
    let spread = rank::spread(&start.x, &start.correction);
    motion.flags.extend(watch.start(start.t, &start.x, &spread));

    let outcome = if options.until == start.t {
        Ok(())
    } else {
        course.travel(
            &mut machine,
            (start.t, &mut y),
            &mut watch,
            (options, cancel, motion),
        )
    };
    motion.evaluations = machine.instants();
    outcome
}

/// The start alone, where nothing more can be said of it.
fn bare(problem: &Problem<'_>, start: &Start, here: &ConstraintValue) -> Sample {
    let (n, m) = (
        problem.dynamics.coordinates(),
        problem.dynamics.constraints(),
    );
    let mut at = Instant::new(n, m);
    problem
        .dynamics
        .instant(start.t, &start.x, &start.v, &mut at);
    Sample {
        t: start.t,
        x: start.x.clone(),
        v: start.v.clone(),
        a: vec![f64::NAN; n],
        lambda: vec![f64::NAN; m],
        reaction: vec![f64::NAN; n],
        determinant: 0.0,
        energy: at.energy,
        residual: here.largest(),
    }
}

/// Goes over to a better chart where there is one, as of the machine's last evaluation.
fn change_chart(machine: &mut Machine<'_>, (t, x): (f64, &[f64]), motion: &mut Motion) {
    let Some((_, stretch)) = machine.chart() else {
        return;
    };
    if stretch <= chart::GAIN {
        return;
    }
    let count = machine.chart().map_or(0, |(dependent, _)| dependent.len());
    if let Some(best) = chart::best(machine.jacobian(t, x), x.len(), count) {
        machine.change_chart(&best);
        motion.chart_changes += 1;
    }
}

/// A motion on its way.
struct Course<'a> {
    problem: &'a Problem<'a>,
    rows: &'a [usize],
    own: &'a [usize],
    block: Lu,
    tolerance: Tolerance,
    /// The largest size of each coordinate so far.
    size: Vec<f64>,
}

impl Course<'_> {
    /// Steps to the end.
    fn travel(
        &mut self,
        machine: &mut Machine<'_>,
        (t, y): (f64, &mut Vec<f64>),
        watch: &mut Watch<'_>,
        (options, cancel, motion): (&Options, &AtomicBool, &mut Motion),
    ) -> Result<(), SolverError> {
        let n = self.problem.dynamics.coordinates();
        let end = options.until;
        let mut stepper = Dop853::new(2 * n, self.tolerance);
        let begun = stepper.begin((t, y), end, &mut |t, y: &[f64], dy: &mut [f64]| {
            machine.derivative(t, y, dy)
        });
        begun.map_err(|stop| self.reason(stop, (t, y), None))?;
        let count = options.samples.max(1);
        let moment = |i: usize| {
            if i == count {
                end
            } else {
                t + (end - t) * (i as f64 / count as f64)
            }
        };
        let forward = end > t;
        let mut due = 1;
        let mut fresh: Vec<Sample> = Vec::new();
        let mut flags = motion.flags.len();
        // how much better another chart is at the start of the step
        let mut start_stretch = machine.chart().map_or(1.0, |(_, stretch)| stretch);
        loop {
            let (now, _, _) = stepper.start();
            let reached = if motion.steps == 0 {
                now
            } else {
                stepper.end().0
            };
            if cancel.load(Ordering::Relaxed) {
                return Err(SolverError::Cancelled { t: reached });
            }
            if motion.steps >= options.max_steps {
                return Err(SolverError::TooManySteps {
                    t: reached,
                    steps: motion.steps,
                });
            }
            let mut derivative = |t: f64, y: &[f64], dy: &mut [f64]| machine.derivative(t, y, dy);
            let attempt = stepper.attempt(end, &mut derivative);
            let outcome = match attempt {
                Attempt::Proposed => {
                    let (t_new, y_new) = stepper.proposed();
                    machine.project(t_new, y_new).and_then(|()| {
                        stepper.accept(&mut |t: f64, y: &[f64], dy: &mut [f64]| {
                            machine.derivative(t, y, dy)
                        })
                    })
                }
                Attempt::Rejected => Err(Stop::Position),
                Attempt::Failed(stop) => Err(stop),
            };
            let stretch = machine.chart().map_or(1.0, |(_, stretch)| stretch);
            let outcome = outcome.and_then(|()| {
                fresh.clear();
                let mut next = due;
                let t_new = stepper.end().0;
                while next <= count && (moment(next) == t_new || (moment(next) < t_new) == forward)
                {
                    fresh.push(self.within(machine, &mut stepper, moment(next))?);
                    next += 1;
                }
                watch.step(&mut stepper, machine, end, &mut motion.flags)?;
                due = next;
                Ok(())
            });
            if let Err(stop) = outcome {
                motion.flags.truncate(flags);
                motion.rejected += 1;
                if stop == Stop::Branch && start_stretch > chart::BETTER {
                    // another chart is better from the start of the step on
                    let (now, y, _) = stepper.start();
                    change_chart(machine, (now, &y[..n]), motion);
                    start_stretch = 1.0;
                    stepper.again();
                    continue;
                }
                if !matches!(attempt, Attempt::Rejected | Attempt::Failed(_)) {
                    stepper.refuse();
                }
                let (now, y, _) = stepper.start();
                let floor = floor(now, end - t);
                if stepper.next().abs() < floor {
                    let reason = self.reason(stop, (now, y), Some(floor));
                    if matches!(reason, SolverError::RankLost { .. }) {
                        let (kind, x) = (FlagKind::Rank, y[..n].to_vec());
                        motion.flags.push(Flag {
                            t: now,
                            kind,
                            from: self.own.to_vec(),
                            to: None,
                            factors: Vec::new(),
                            x,
                        });
                    }
                    return Err(reason);
                }
                continue;
            }
            motion.steps += 1;
            for (size, x) in self.size.iter_mut().zip(stepper.end().1) {
                *size = size.max(x.abs());
            }
            motion.samples.append(&mut fresh);
            flags = motion.flags.len();
            let (t_new, y_new, _) = stepper.end();
            if t_new == end {
                return Ok(());
            }
            if stepper.next().abs() < floor(t_new, end - t) {
                return Err(self.reason(
                    Stop::Position,
                    (t_new, y_new),
                    Some(floor(t_new, end - t)),
                ));
            }
            start_stretch = stretch;
            if stretch > chart::GAIN {
                change_chart(machine, (t_new, &y_new[..n]), motion);
                start_stretch = 1.0;
            }
        }
    }

    /// The sample at a time within the step that was just accepted.
    fn within(
        &mut self,
        machine: &mut Machine<'_>,
        stepper: &mut Dop853,
        moment: f64,
    ) -> Result<Sample, Stop> {
        let (t, _, _) = stepper.start();
        let (t_new, y_new, _) = stepper.end();
        if moment == t_new {
            let y = y_new.to_vec();
            return self.sample(machine, moment, &y);
        }
        stepper.prepare(&mut |t, y: &[f64], dy: &mut [f64]| machine.derivative(t, y, dy))?;
        let mut y = vec![0.0; 2 * self.problem.dynamics.coordinates()];
        stepper.interpolate((moment - t) / stepper.taken(), &mut y);
        machine.project(moment, &mut y)?;
        self.sample(machine, moment, &y)
    }

    /// Everything at (t, y), y on the constraints.
    fn sample(&mut self, machine: &mut Machine<'_>, t: f64, y: &[f64]) -> Result<Sample, Stop> {
        let n = self.problem.dynamics.coordinates();
        let (at, a, active) = machine.evaluate(t, y)?;
        let j = &at.constraint.jacobian;
        let m = j.nrows();
        let mut reaction = vec![0.0; n];
        for (&b, l) in self.rows.iter().zip(active) {
            for (k, force) in reaction.iter_mut().enumerate() {
                *force += l * j[(b, k)];
            }
        }
        let lambda = if self.rows.len() == m {
            active.to_vec()
        } else {
            least_norm(j, &reaction, self.rows.len())
        };
        let determinant = if self.rows.len() < m || self.own.len() < m {
            0.0
        } else {
            let entries = self.block.entries();
            for b in 0..m {
                for (slot, &d) in entries[b * m..(b + 1) * m].iter_mut().zip(self.own) {
                    *slot = j[(b, d)];
                }
            }
            if m == 0 || self.block.factor() > 0.0 {
                self.block.determinant()
            } else {
                0.0
            }
        };
        if !at.energy.is_finite() {
            return Err(Stop::Equations);
        }
        Ok(Sample {
            t,
            x: y[..n].to_vec(),
            v: y[n..].to_vec(),
            a: a.to_vec(),
            lambda,
            reaction,
            determinant,
            energy: at.energy,
            residual: at.constraint.largest(),
        })
    }

    /// Why the motion cannot be carried on from (t, y).
    fn reason(&self, stop: Stop, (t, y): (f64, &[f64]), floor: Option<f64>) -> SolverError {
        let n = self.problem.dynamics.coordinates();
        let x = &y[..n];
        match stop {
            Stop::Constraint(b) => {
                let what = format!(
                    "the constraint `{}` or its gradient",
                    self.problem.constraint(b)
                );
                return SolverError::NotFinite { what, t };
            }
            Stop::Equations => {
                return SolverError::NotFinite {
                    what: "a term of the equations of motion".to_owned(),
                    t,
                };
            }
            Stop::Singular | Stop::Position | Stop::Branch => {}
        }
        let mut value = ConstraintValue::new(n, self.problem.dynamics.constraints());
        self.problem.dynamics.constraint(t, x, &mut value);
        let spread: Vec<f64> = self.size.iter().map(|s| COLLAPSE_DOUBT * s).collect();
        let doubt = rank::unknown(self.problem, (t, x), &spread).select_rows(self.rows);
        let (rank, ratio) = rank::rank(&value.jacobian.select_rows(self.rows), &doubt);
        if rank < self.rows.len() {
            return SolverError::RankLost { t, ratio };
        }
        if let Some(direction) = self.massless(t, y) {
            return SolverError::NoInertia { direction, t };
        }
        SolverError::StepCollapsed {
            t,
            step: floor.unwrap_or(0.0),
        }
    }

    /// The direction of ker J along which the kinetic energy has no part, in coordinates.
    fn massless(&self, t: f64, y: &[f64]) -> Option<String> {
        let (n, m) = (
            self.problem.dynamics.coordinates(),
            self.problem.dynamics.constraints(),
        );
        let mut at = Instant::new(n, m);
        self.problem.dynamics.instant(t, &y[..n], &y[n..], &mut at);
        let r = self.rows.len();
        let rows: Vec<f64> = self
            .rows
            .iter()
            .flat_map(|&b| {
                at.constraint
                    .jacobian
                    .row(b)
                    .iter()
                    .copied()
                    .collect::<Vec<_>>()
            })
            .collect();
        let linear = Linearised::new(&rows, self.rows, &at);
        let mut scale = vec![1.0; n + r];
        multipliers::scales(&linear, &mut scale);
        let full = DMatrix::from_fn(n + r, n + r, |i, k| {
            let entry = match (i < n, k < n) {
                (true, true) => at.mass[(i, k)],
                (true, false) => at.constraint.jacobian[(self.rows[k - n], i)],
                (false, true) => at.constraint.jacobian[(self.rows[i - n], k)],
                (false, false) => 0.0,
            };
            entry * scale[i] * scale[k]
        });
        if full.iter().any(|e| !e.is_finite()) {
            return None;
        }
        let svd = full.svd(false, true);
        let (place, least) = svd.singular_values.argmin();
        if least > 1e-10 * svd.singular_values.max() {
            return None;
        }
        let v = svd.v_t?;
        let mut direction: Vec<f64> = (0..n).map(|k| v[(place, k)] * scale[k]).collect();
        let most = direction.iter().fold(
            0.0_f64,
            |most, e| if e.abs() > most.abs() { *e } else { most },
        );
        direction.iter_mut().for_each(|e| *e /= most);
        let mut words = String::new();
        for (k, e) in direction.iter().enumerate().filter(|(_, e)| e.abs() > 1e-6) {
            let name = self.problem.coordinate(k);
            let sign = match (words.is_empty(), *e < 0.0) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            };
            let size = (e.abs() * 1e6).round() / 1e6;
            let times = if (size - 1.0).abs() < 1e-6 {
                String::new()
            } else {
                format!("{size} ")
            };
            words.push_str(&format!("{sign}{times}{name}"));
        }
        Some(words)
    }
}

/// The multipliers of least norm with J^T lambda = R.
fn least_norm(j: &DMatrix<f64>, reaction: &[f64], rank: usize) -> Vec<f64> {
    let m = j.nrows();
    let svd = j.transpose().svd(true, true);
    let mut sizes: Vec<f64> = svd.singular_values.iter().copied().collect();
    sizes.sort_by(|a, b| b.total_cmp(a));
    let last = rank
        .checked_sub(1)
        .and_then(|k| sizes.get(k))
        .copied()
        .unwrap_or(0.0);
    let solved = svd.solve(&DVector::from_column_slice(reaction), 0.5 * last);
    solved.map_or_else(|_| vec![f64::NAN; m], |lambda| lambda.as_slice().to_vec())
}

/// The smallest step at a time.
fn floor(t: f64, span: f64) -> f64 {
    STEP_ULPS * f64::EPSILON * t.abs().max(TIME_PART * span.abs())
}
