//! A motion as a table: the columns of `simulate`, and any expression of them.

use super::integral::{THROUGH, integral, interpolated};
use super::undefined::State;
use super::{Closure, ColumnFault, Model, Overrides, RequestError};
use crate::expr::{Expr, Tape, Workspace, parse};
use crate::solver::{
    self, Comparison, HeldChart, HeldSample, Interpolation, Moment, Motion, Note, Options, Outside,
    Sample, sort_by_time,
};
use crate::system::{
    Body, Context, Named, OutputKind, Reach, System, body_meant, nearest_or_all, velocity_meant,
};
use crate::theorem::{Failure, FailureKind};
use std::borrow::Cow;
use std::sync::atomic::AtomicBool;

/// A chart held on to has parted from the motion where they differ by this part of the coordinates.
const APART: f64 = 1e-3;

/// Takes the values of some rows, a list a column.
pub type Rows<'a> = dyn FnMut(&[Vec<f64>]) + 'a;

/// A run asked for.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Values that replace those of the start.
    pub overrides: Overrides,
    /// The dependent coordinates asked for.
    pub dependent: Option<Vec<usize>>,
    /// How to run; what the file says where a part is left out.
    pub until: Option<f64>,
    /// The method.
    pub method: Option<solver::Method>,
    /// Relative tolerance.
    pub rtol: Option<f64>,
    /// Absolute tolerance.
    pub atol: Option<f64>,
    /// Number of sample intervals.
    pub samples: Option<usize>,
    /// When the implicit stepper is used.
    pub stiff: Option<solver::Stiff>,
    /// Times at which the state is wanted beside the samples, in the order of the motion.
    pub times: Vec<f64>,
    /// Whether states are wanted in each step beside the samples ([`Motion::between`]).
    pub closely: bool,
    /// Whether flags are wanted for their times alone ([`Options::brief`]).
    pub brief: bool,
}

impl Model {
    fn options(&self, request: &Request) -> Options {
        let run = &self.system.run;
        Options {
            until: request.until.unwrap_or(run.until),
            method: request.method.unwrap_or(run.method),
            rtol: request.rtol.unwrap_or(run.rtol),
            atol: request.atol.unwrap_or(run.atol),
            samples: request.samples.unwrap_or(run.samples),
            stiff: request.stiff.unwrap_or(run.stiff),
            one_sided: self.one_sided(),
            also: request.times.clone(),
            ends: self.sudden_times(self.span(request)),
            closely: if request.closely { IN_A_STEP } else { 0 },
            brief: request.brief,
            ..Options::default()
        }
    }

    /// From when to when a motion goes.
    pub fn span(&self, request: &Request) -> (f64, f64) {
        let from = request.overrides.t.unwrap_or(self.system.start.t);
        (from, request.until.unwrap_or(self.system.run.until))
    }

    /// Times in the order of a motion, each once.
    pub fn in_order(&self, request: &Request, mut list: Vec<f64>) -> Vec<f64> {
        let (from, until) = self.span(request);
        let way = if until < from { -1.0 } else { 1.0 };
        sort_by_time(way, &mut list, |t| *t);
        list.dedup();
        list
    }

    fn one_sided(&self) -> Vec<solver::OneSided> {
        let constraints = self.system.constraints.iter().enumerate();
        constraints
            .filter(|(_, c)| c.side.is_some())
            .map(|(constraint, c)| solver::OneSided {
                constraint,
                release: c.release,
            })
            .collect()
    }

    /// The consistent start and the dependent coordinates of a run.
    fn prepared(&self, request: &Request) -> Result<(solver::Start, Vec<usize>), RequestError> {
        let start = self.start(&request.overrides)?;
        let dependent = self.choice(
            request.dependent.as_deref(),
            (start.t, &start.x),
            &start.correction,
        );
        Ok((start, dependent))
    }

    /// Runs the system.
    pub fn simulate(&self, request: &Request, cancel: &AtomicBool) -> Result<Motion, RequestError> {
        let (start, dependent) = self.prepared(request)?;
        let outside = Outside::calling_off(cancel);
        Ok(self.simulate_from((&start, &dependent), request, outside))
    }

    /// Runs the system with further samples in each step, so that what lies between them is known about as well as they are.
    pub fn simulate_closely(
        &self,
        request: &Request,
        cancel: &AtomicBool,
    ) -> Result<Motion, RequestError> {
        let closely = Request {
            closely: true,
            ..request.clone()
        };
        let mut motion = self.simulate(&closely, cancel)?;
        motion.take_between();
        Ok(motion)
    }

    /// Runs the system, with all that is said of the motion.
    pub fn run(
        &self,
        request: &Request,
        columns: Option<&[String]>,
        cancel: &AtomicBool,
    ) -> Result<Run, RequestError> {
        let (start, dependent) = self.prepared(request)?;
        let closely =
            columns.is_some_and(Self::takes_all) || self.energy_terms().is_any(&self.system.pool);
        let request = &Request {
            closely,
            ..request.clone()
        };
        let outside = Outside::calling_off(cancel);
        let mut motion = self.simulate_from((&start, &dependent), request, outside);
        let asked = motion.samples.iter().map(|sample| sample.t).collect();
        motion.take_between();
        Ok(Run {
            asked,
            table: simulate_table(self, &motion, columns)?,
            assembly: self.assembly(&request.overrides, &start),
            closure: self.closure(&motion.samples),
            held: None,
            motion,
        })
    }

    /// Runs the system with its rows handed on as they come, in constant memory: `take` gets the values of some rows,
    /// a list a column. The motion has no more than its last samples.
    pub fn stream(
        &self,
        request: &Request,
        columns: &[String],
        (cancel, take): (&AtomicBool, &mut Rows<'_>),
    ) -> Result<Motion, RequestError> {
        /// Numbers that wait to be handed on.
        const WAITING: usize = 1 << 20;
        let (start, dependent) = self.prepared(request)?;
        self.columns_known(columns)?;
        let each = 5 * self.system.coordinates.len() + 8;
        let count = (WAITING / each).clamp(64, 4096);
        let mut hand_on = |samples: &[Sample]| {
            if let Ok(values) = self.column_values(samples, columns) {
                take(&values);
            }
        };
        let outside = Outside::calling_off(cancel).handing_on(count, &mut hand_on);
        let motion = self.simulate_from((&start, &dependent), request, outside);
        hand_on(&motion.samples);
        Ok(motion)
    }

    /// Whether a column takes the whole motion, not a sample at a time.
    pub fn takes_all(columns: &[String]) -> bool {
        let special = columns
            .iter()
            .filter_map(|text| Special::named(text.trim()));
        special.into_iter().any(Special::takes_all)
    }

    /// Runs the system from a start and with a choice of dependent coordinates that are known already.
    pub(super) fn simulate_from(
        &self,
        (start, dependent): (&solver::Start, &[usize]),
        request: &Request,
        outside: Outside<'_>,
    ) -> Motion {
        let compiled = self.compiled(dependent);
        let problem = self.problem(&compiled, dependent);
        let mut options = self.options(request);
        if let Some(data) = &self.system.measured {
            let within =
                |t: &&f64| **t != start.t && (**t - start.t) * (options.until - **t) >= 0.0;
            let way = if options.until < start.t { -1.0 } else { 1.0 };
            options.also.extend(data.times.iter().filter(within));
            sort_by_time(way, &mut options.also, |t| *t);
        }
        let mut motion = solver::simulate_into(&problem, start, &options, outside);
        if let Some(data) = &self.system.measured {
            motion.sample_at(&data.times);
        }
        if self.system.objective {
            motion.because = Some(solver::SolverError::Objective);
        }
        // on the way the state where it ended is not the one that has no value
        if motion.steps == 0 {
            let (t, x, v) = (start.t, start.x.as_slice(), start.v.as_slice());
            let because = motion.because.take();
            motion.because = because.map(|error| self.blamed(error, State { t, x, v }));
        }
        motion
    }

    /// The same run in the chart of a motion's own choice, held on to, beside that motion: its values become
    /// columns `held_x1`, ... and `held_residual` of the table, what it shows a note of the motion.
    pub fn hold_chart(
        &self,
        request: &Request,
        run: &mut Run,
        cancel: &AtomicBool,
    ) -> Result<(), RequestError> {
        let Run { motion, table, .. } = run;
        if !self.system.velocity_constraints.is_empty() {
            motion.notes.push(Note::VelocityInChart);
            return Ok(());
        }
        let (start, _) = self.prepared(request)?;
        let compiled = self.compiled(&motion.dependent);
        let problem = self.problem(&compiled, &motion.dependent);
        let held = solver::hold_chart(&problem, &start, &self.options(request), cancel);
        let Some((mut held, samples)) = held else {
            motion.notes.push(Note::NoChart);
            return Ok(());
        };
        let names = self.coordinate_names();
        table
            .columns
            .extend(names.iter().map(|name| format!("held_{name}")));
        table.columns.push("held_residual".to_owned());
        for (i, row) in table.rows.iter_mut().enumerate() {
            match samples.get(i) {
                Some(sample) => {
                    row.extend(&sample.x);
                    row.push(sample.residual);
                }
                None => row.extend(vec![f64::NAN; names.len() + 1]),
            }
        }
        held.apart = parting(motion, &samples);
        motion.notes.push(Note::Held(held.clone()));
        run.held = Some(held);
        Ok(())
    }

    /// Where a motion did not come to its end: is a constraint not C^1 within reach of the last sample?
    pub fn edge(&self, motion: &Motion) -> Option<Failure> {
        let [.., before, last] = motion.samples.as_slice() else {
            return None;
        };
        if motion.finished {
            return None;
        }
        // as far as the next two samples would have been
        let reach: Vec<f64> = last
            .v
            .iter()
            .map(|v| (2.0 * v * (last.t - before.t)).abs())
            .collect();
        let place = (last.t, last.x.as_slice());
        let verdict = self
            .theorem
            .verdict(&self.system, place, &reach, &motion.dependent);
        verdict
            .failure
            .filter(|failure| failure.kind() == FailureKind::Smoothness)
    }

    /// Runs every method on the same start.
    pub fn compare(
        &self,
        request: &Request,
        cancel: &AtomicBool,
    ) -> Result<Comparison, RequestError> {
        let (start, dependent) = self.prepared(request)?;
        let compiled = self.compiled(&dependent);
        let problem = self.problem(&compiled, &dependent);
        Ok(solver::compare(
            &problem,
            &start,
            &self.options(request),
            cancel,
        ))
    }

    /// A motion at a time, with tolerances of the request that it came of; `None` outside of it.
    pub fn moment(&self, motion: &Motion, t: f64, request: &Request) -> Option<Moment> {
        self.between(motion, request, |motion| motion.moment(t))
    }

    /// The same at as many times as wanted.
    pub(super) fn between<R>(
        &self,
        motion: &Motion,
        request: &Request,
        look: impl FnOnce(&mut Interpolation<'_>) -> R,
    ) -> R {
        let (problem, options) = (self.unwatched(), self.options(request));
        look(&mut motion.between(&problem, &options))
    }

    /// The standard columns: t, coordinates, velocities, multipliers, constraint forces, det, energy, residual.
    pub fn columns(&self) -> Vec<String> {
        let coordinates = &self.system.coordinates;
        let mut list = vec!["t".to_owned()];
        list.extend(coordinates.iter().map(|c| c.name.clone()));
        list.extend(coordinates.iter().map(|c| format!("{}'", c.name)));
        list.extend(
            self.multiplier_names()
                .iter()
                .map(|b| format!("lambda_{b}")),
        );
        list.extend(coordinates.iter().map(|c| format!("R_{}", c.name)));
        list.extend(OutputKind::OF_SYSTEM.map(|(name, _)| name.to_owned()));
        list
    }

    /// The standard columns, the forces of the constraints, what the file defines, and what was measured.
    pub fn all_columns(&self) -> Vec<String> {
        let forces = self.system.force_columns.iter().map(|c| c.name.clone());
        let measured = self.system.measured_columns();
        let measured = measured.map(|(name, _)| name);
        let moving = |own: &&Named| !self.system.pool.is_constant(own.expr);
        let defined = self.system.defined.iter().filter(moving);
        let defined = defined.map(|own| own.name.clone());
        let own = self.columns().into_iter().chain(forces);
        own.chain(defined).chain(measured).collect()
    }

    /// The values of columns along a motion, one list a column. Besides the standard columns: x'',
    /// `residual_velocity` (max |J x' + f_t|, |A x' + b|), `power_R` (R . x'), `power_Q` (Q . x'), `action` (the integral
    /// of L), `balance` (what the balance of the energy leaves over), and any expression of the others.
    pub fn column_values(
        &self,
        samples: &[Sample],
        columns: &[String],
    ) -> Result<Vec<Vec<f64>>, RequestError> {
        let mut plain = Vec::new();
        let mut parts: Vec<Result<usize, Special>> = Vec::new();
        for text in columns {
            if let Some(special) = Special::named(text.trim()) {
                parts.push(Err(special));
            } else {
                parts.push(Ok(plain.len()));
                plain.push(self.output(text)?);
            }
        }
        let mut values = self.evaluate(samples, &plain);
        Ok(parts
            .into_iter()
            .map(|part| match part {
                Ok(place) => std::mem::take(&mut values[place]),
                Err(special) => self.special(samples, special),
            })
            .collect())
    }

    /// The columns of a table of a motion at other times of which the state is known, a row a time; `None` where it is
    /// not. What takes the whole motion is told from its values beside that time.
    pub fn rows_at(&self, motion: &Motion, table: &Table, times: &[f64]) -> Vec<Option<Vec<f64>>> {
        let known: Vec<Option<&Sample>> = times.iter().map(|t| motion.known(*t)).collect();
        let samples: Vec<Sample> = known.iter().flatten().copied().cloned().collect();
        let column = |(place, name): (usize, &String)| {
            let special = Special::named(name.trim()).is_some_and(Special::takes_all);
            if special {
                let t: Vec<f64> = motion.samples.iter().map(|s| s.t).collect();
                let y: Vec<f64> = table.rows.iter().map(|row| row[place]).collect();
                return samples.iter().map(|s| beside(&t, &y, s.t)).collect();
            }
            let own = self.column_values(&samples, std::slice::from_ref(name));
            // a chart that is held on to has no state there
            own.ok()
                .and_then(|mut own| own.pop())
                .unwrap_or_else(|| vec![f64::NAN; samples.len()])
        };
        let columns: Vec<Vec<f64>> = table.columns.iter().enumerate().map(column).collect();
        let mut at = 0;
        let mut row = |_: &Sample| {
            at += 1;
            columns.iter().map(|values| values[at - 1]).collect()
        };
        known.into_iter().map(|known| known.map(&mut row)).collect()
    }

    /// Can these columns be read? Says so before there is a motion.
    pub fn columns_known(&self, columns: &[String]) -> Result<(), RequestError> {
        columns
            .iter()
            .filter(|text| Special::named(text.trim()).is_none())
            .try_for_each(|text| self.output(text).map(drop))
    }

    /// Reads an expression of the names and outputs of the system.
    pub fn output(&self, text: &str) -> Result<Expr, RequestError> {
        const COLUMN: Context = Context::new("a column", Reach::Outputs);
        let moves = |name: &str| self.system.coordinate(name).is_some();
        let help = |name: &str| {
            let columns = self.all_columns();
            let columns = columns.iter().map(String::as_str);
            let body = || body_meant(name, columns.clone(), &self.placed_bodies());
            let meant = velocity_meant(name, moves).or_else(body);
            meant.or_else(|| Some(nearest_or_all(name, columns.clone())))
        };
        let names = |name: &str, primes: usize| {
            let measured = name.strip_prefix(MEASURED);
            let name = measured.map_or(Cow::Borrowed(name), |column| {
                format!("data.{column}").into()
            });
            self.system.resolve((&name, primes), COLUMN, help)
        };
        // a point is no part of a name in the grammar
        let read = text.replace("data.", MEASURED);
        parse(&self.system.pool, &read, &names).map_err(|e| RequestError::Column {
            text: text.to_owned(),
            why: ColumnFault::Expression(e),
        })
    }

    /// The bodies with their positions as they are written.
    fn placed_bodies(&self) -> Vec<(&str, String)> {
        let pool = &self.system.pool;
        let placed = |body: &Body| {
            let parts: Vec<String> = body.at.iter().map(|e| pool.print(*e)).collect();
            format!("[{}]", parts.join(", "))
        };
        let bodies = self.system.bodies.iter();
        bodies
            .map(|body| (body.name.as_str(), placed(body)))
            .collect()
    }

    /// The values of expressions of the names and outputs of the system at these samples, a list an expression.
    pub fn evaluate(&self, samples: &[Sample], list: &[Expr]) -> Vec<Vec<f64>> {
        self.outputs(list).along(&self.system, samples)
    }

    /// Expressions of the names and outputs of the system, compiled: for whatever values its parameters have.
    pub(super) fn outputs(&self, list: &[Expr]) -> Outputs {
        let system = &self.system;
        let mut symbols = sample_symbols(system);
        symbols.extend(system.measured_columns().map(|(_, e)| e));
        Outputs {
            tape: Tape::new(&system.pool, &symbols, list),
            count: list.len(),
        }
    }

    fn special(&self, samples: &[Sample], special: Special) -> Vec<f64> {
        match special {
            Special::PowerOfReaction => samples
                .iter()
                .map(|s| s.reaction.iter().zip(&s.v).map(|(r, v)| r * v).sum())
                .collect(),
            Special::PowerOfForces => {
                let power = self.energy_terms().forces;
                self.evaluate(samples, &[power]).swap_remove(0)
            }
            Special::Balance => self
                .closure(samples)
                .map_or_else(|| vec![f64::NAN; samples.len()], |closure| closure.residual),
            Special::VelocityResidual => {
                let rows = self.equations.rows().zip(self.equations.rates());
                let speeds = rows.map(|(row, rate)| {
                    let parts = self.system.along_velocities(row);
                    self.system.pool.sum(parts.chain([rate]))
                });
                let speeds: Vec<Expr> = speeds.collect();
                let values = self.evaluate(samples, &speeds);
                (0..samples.len())
                    .map(|i| values.iter().map(|v| v[i].abs()).fold(0.0, f64::max))
                    .collect()
            }
            Special::Action => {
                let values = self.evaluate(samples, &[self.system.lagrangian]);
                let times: Vec<f64> = samples.iter().map(|s| s.t).collect();
                integral(&times, &values[0], &self.breaks(&times))
            }
        }
    }
}

/// Expressions of the names and outputs of a system, compiled.
#[derive(Clone, Debug)]
pub(super) struct Outputs {
    tape: Tape,
    count: usize,
}

impl Outputs {
    /// Their values at samples of a motion of the system, a list each.
    pub(super) fn along<'a>(
        &self,
        system: &System,
        samples: impl IntoIterator<Item = &'a Sample>,
    ) -> Vec<Vec<f64>> {
        let samples = samples.into_iter();
        let mut reader = self.reader(system);
        let mut values = vec![Vec::with_capacity(samples.size_hint().0); self.count];
        for sample in samples {
            for (column, v) in values.iter_mut().zip(reader.values(sample)) {
                column.push(*v);
            }
        }
        values
    }

    /// What gives their values at one sample after another.
    pub(super) fn reader<'a>(&'a self, system: &'a System) -> OutputReader<'a> {
        OutputReader {
            outputs: self,
            system,
            work: Workspace::default(),
            inputs: Vec::new(),
            out: vec![0.0; self.count],
        }
    }
}

/// Outputs at samples of a motion, with the memory they take.
pub(super) struct OutputReader<'a> {
    outputs: &'a Outputs,
    system: &'a System,
    work: Workspace,
    inputs: Vec<f64>,
    out: Vec<f64>,
}

impl OutputReader<'_> {
    /// Their values at a sample.
    pub(super) fn values(&mut self, sample: &Sample) -> &[f64] {
        sample_values(self.system, sample, &mut self.inputs);
        if let Some(data) = &self.system.measured {
            self.inputs.extend(data.at(sample.t));
        }
        let tape = &self.outputs.tape;
        tape.eval(&self.inputs, &mut self.work, &mut self.out);
        &self.out
    }
}

named! {
    /// Columns that are no expression of a single sample.
    #[derive(Clone, Copy)]
    pub enum Special as all {
        VelocityResidual = "residual_velocity",
        PowerOfReaction = "power_R",
        PowerOfForces = "power_Q",
        Action = "action",
        Balance = "balance",
    }
}

impl Special {
    /// Does it take the whole motion?
    fn takes_all(self) -> bool {
        matches!(self, Self::Action | Self::Balance)
    }
}

/// What samples say of a time between two of them.
fn beside(t: &[f64], y: &[f64], at: f64) -> f64 {
    let n = t.len().min(y.len());
    let (Some(first), Some(last)) = (t.first(), t.get(n.saturating_sub(1))) else {
        return f64::NAN;
    };
    if (at - first) * (at - last) > 0.0 {
        return f64::NAN;
    }
    let i = t[..n].partition_point(|t| (t - at) * (last - first) < 0.0);
    interpolated(&t[..n], |j| y[j], (i, THROUGH), at)
}

/// The polynomial of degree 5 between samples is then as good as steps of order 8 are at usual tolerances.
const IN_A_STEP: usize = 4;

/// What a measured column is called while it is read.
const MEASURED: &str = "data__";

/// The symbols that have a value at a sample.
fn sample_symbols(system: &System) -> Vec<Expr> {
    let c = &system.coordinates;
    c.iter()
        .map(|c| c.x)
        .chain(c.iter().map(|c| c.v))
        .chain(c.iter().map(|c| c.a))
        .chain([system.t])
        .chain(system.parameters.iter().map(|p| p.symbol))
        .chain(system.multipliers())
        .chain(system.outputs.iter().map(|o| o.symbol))
        .collect()
}

fn sample_values(system: &System, s: &Sample, into: &mut Vec<f64>) {
    into.clear();
    into.extend(&s.x);
    into.extend(&s.v);
    into.extend(&s.a);
    into.push(s.t);
    into.extend(system.parameters.iter().map(|p| p.value));
    into.extend(&s.lambda);
    into.extend(system.outputs.iter().map(|o| match o.kind {
        OutputKind::Reaction(k) => s.reaction.get(k).copied().unwrap_or(f64::NAN),
        OutputKind::Determinant => s.determinant,
        OutputKind::Energy => s.energy,
        OutputKind::Residual => s.residual,
    }));
}

/// Columns and rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows, a number a column.
    pub rows: Vec<Vec<f64>>,
}

/// A motion with all that is said of it.
#[derive(Clone, Debug)]
pub struct Run {
    /// The motion.
    pub motion: Motion,
    /// The columns asked for.
    pub table: Table,
    /// What was made of the start.
    pub assembly: solver::Assembly,
    /// How well the balance of the energy closes.
    pub closure: Option<Closure>,
    /// What came of a chart that was held on to.
    pub held: Option<HeldChart>,
    /// The times of the samples that were asked for, and where the motion stopped: integrals over a motion take more.
    asked: Vec<f64>,
}

impl Run {
    /// Leaves the samples that were asked for, and where the motion stopped.
    pub fn thin(&mut self) {
        let mut due = self.asked.iter().peekable();
        let times = self.motion.samples.iter();
        let is_asked = times.map(|sample| due.next_if(|t| **t == sample.t).is_some());
        let is_asked: Vec<bool> = is_asked.collect();
        let mut of_samples = is_asked.iter();
        let samples = &mut self.motion.samples;
        samples.retain(|_| of_samples.next() == Some(&true));
        let mut of_rows = is_asked.iter();
        let rows = &mut self.table.rows;
        rows.retain(|_| of_rows.next() == Some(&true));
    }
}

/// When a chart that is held on to has parted from the motion.
fn parting(motion: &Motion, held: &[HeldSample]) -> Option<f64> {
    let mut pairs = held.iter().zip(&motion.samples);
    pairs.find_map(|(h, s)| {
        let size = s.x.iter().fold(1.0_f64, |most, x| most.max(x.abs()));
        let mut parts = h.x.iter().zip(&s.x);
        parts
            .any(|(a, b)| (a - b).abs() > APART * size)
            .then_some(h.t)
    })
}

/// A motion as a table of these columns; the standard ones where none are asked for.
pub fn simulate_table(
    model: &Model,
    motion: &Motion,
    columns: Option<&[String]>,
) -> Result<Table, RequestError> {
    let standard = model.columns();
    let columns = columns.map_or(standard, <[String]>::to_vec);
    let values = model.column_values(&motion.samples, &columns)?;
    let rows = (0..motion.samples.len())
        .map(|i| values.iter().map(|column| column[i]).collect())
        .collect();
    Ok(Table { columns, rows })
}

/// Splits a list at the commas outside parentheses: `x1, atan2(y, x)`.
pub fn split_columns(text: &str) -> Vec<String> {
    let mut depth = 0_i32;
    let mut parts = vec![String::new()];
    for c in text.chars() {
        depth += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        if c == ',' && depth == 0 {
            parts.push(String::new());
        } else if let Some(last) = parts.last_mut() {
            last.push(c);
        }
    }
    parts
        .into_iter()
        .map(|p| p.trim().to_owned())
        .filter(|p| !p.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_motion_that_stops_at_a_kink_names_it() {
        let text = "coordinates: [x, y]\nkinetic: 1/2*(x'^2 + y'^2)\npotential: 9.81*y\nconstraints: {c: y - abs(x)}\nstart: {x: 1}\nrun: {until: 2}\n";
        for dependent in ["", "dependent: [x]\n", "dependent: [y]\n"] {
            let text = format!("{text}{dependent}");
            stops_at_the_kink(&Model::new(System::parse(&text, "kink", &[]).unwrap()));
        }
    }

    fn stops_at_the_kink(model: &Model) {
        for method in solver::Method::ALL {
            for stiff in [solver::Stiff::Never, solver::Stiff::Always] {
                let request = Request {
                    method: Some(method),
                    stiff: Some(stiff),
                    ..Request::default()
                };
                let motion = model.simulate(&request, &AtomicBool::new(false)).unwrap();
                // x = 1 - g t^2 / 4 comes to the kink
                let t = match motion.because {
                    Some(solver::SolverError::Kink { t, .. }) => t,
                    other => panic!("{method} {stiff:?}: {other:?}"),
                };
                assert!(
                    (t - (4.0_f64 / 9.81).sqrt()).abs() < 1e-2,
                    "{method} {stiff:?}: {t}"
                );
                let edge = model.edge(&motion).map(|failure| failure.cause.name());
                assert_eq!(edge, Some("kink"));
            }
        }
    }

    #[test]
    fn columns_split_outside_parentheses() {
        assert_eq!(
            split_columns("x1, atan2(y, x) ,det"),
            ["x1", "atan2(y, x)", "det"]
        );
    }
}
