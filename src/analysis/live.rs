//! What the workbench shows: everything about a system and its motion, with the theorem ready to be
//! asked at any time shown.

use super::check::search_region;
use super::{
    BoundVelocities, Choice, Model, Request, RequestError, SingularEntry, Solvable, flagged_to,
};
use crate::expr::{Expr, Style, Tape, asked};
use crate::geometry::{binomial, sizes};
use crate::solver::{Flag, Moment, Motion, Outside, Sample, Start};
use crate::system::{Diagnostic, Picture, System};
use crate::theorem::{
    Branch, Cause, Chart, Condition, Failure, FailureKind, LocalJacobian, Neighbourhood,
    SymbolicDeterminant, Turn, Verdict, arguments, inputs, ranked,
};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A sample of a motion is known to this part of the size of each coordinate, at best.
const SAMPLED: f64 = 1e-12;

/// The drawing at one sample: points and polylines in the plane.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drawing {
    /// Points.
    pub points: Vec<[f64; 2]>,
    /// Lines.
    pub lines: Vec<Vec<[f64; 2]>>,
}

impl Drawing {
    /// The values of [`Picture::places`] in their order.
    pub fn laid_out(picture: &Picture, values: impl Iterator<Item = f64>) -> Self {
        let mut values = values;
        let mut next = || values.next().unwrap_or(f64::NAN);
        let mut place = || [next(), next()];
        Self {
            points: picture.points.iter().map(|_| place()).collect(),
            lines: picture
                .lines
                .iter()
                .map(|line| line.iter().map(|_| place()).collect())
                .collect(),
        }
    }
}

/// A system analysed and run.
pub struct Analysis {
    /// The coordinates as formulas show them: x₁.
    pub shown: Vec<String>,
    /// What the picture measures across and up.
    pub axes: [String; 2],
    /// The dependent coordinates of the system's own choice.
    pub dependent: Vec<usize>,
    /// J in symbols, m by n, pretty.
    pub jacobian: Vec<Vec<String>>,
    /// det J_D, pretty; `None` where it is too large to write out.
    pub determinant: Option<String>,
    /// Its factors that can vanish, and where they meet the constraints about the start.
    pub singular: Vec<SingularEntry>,
    /// When that was looked for, where the constraints depend on time.
    pub searched_at: Option<f64>,
    /// How the choices of dependent coordinates invert, as far as they were looked at.
    pub choices: Vec<Choice>,
    /// The motion.
    pub motion: Motion,
    /// The drawing, sample by sample; empty where the file has none.
    pub drawings: Vec<Drawing>,
    /// What velocity constraints bind at the start, where there are any.
    pub bound: Option<BoundVelocities>,
    /// Where the motion did not come to its end, what is not C^1 there.
    pub edge: Option<Failure>,
    /// What is still to come.
    pub underway: Option<Underway>,
    /// What is derived of it for its own choice of dependent coordinates.
    pub derived: super::Derived,
    /// The balance of the energy along the motion.
    pub closure: Option<super::Closure>,
    model: Model,
    factors: Vec<Expr>,
    chart: Chart,
    conditions: ConditionTape,
}

/// The conditions of the branches, compiled.
struct ConditionTape {
    tape: Tape,
    conditions: Vec<Vec<Condition>>,
}

impl ConditionTape {
    fn new(system: &System, branches: &[Branch]) -> Self {
        let list: Vec<Expr> = branches
            .iter()
            .flat_map(|b| b.conditions.iter().map(|c| c.expression))
            .collect();
        Self {
            tape: Tape::new(&system.pool, &inputs(system), &list),
            conditions: branches.iter().map(|b| b.conditions.clone()).collect(),
        }
    }

    /// The branch in force.
    fn at(&self, values: &[f64]) -> Option<usize> {
        let out = self.tape.values(values);
        let mut rest = out.as_slice();
        self.conditions.iter().position(|list| {
            let (own, others) = rest.split_at(list.len());
            rest = others;
            list.iter().zip(own).all(|(c, v)| c.admits(*v))
        })
    }
}

/// The theorem at a time shown.
#[derive(Clone, Debug)]
pub struct PointAnalysis {
    /// What it says of the system's own choice.
    pub verdict: Verdict,
    /// Other choices that work, best first.
    pub alternatives: Vec<Vec<usize>>,
    /// Which of the branches is in force.
    pub branch: Option<usize>,
    /// Where the theorem holds, a box on which F is proven to be one-to-one.
    pub neighbourhood: Option<Neighbourhood>,
}

impl PointAnalysis {
    /// How it fails.
    pub fn kind(&self) -> Option<FailureKind> {
        self.verdict.failure.as_ref().map(Failure::kind)
    }

    /// Where only the choice fails, how the branches of g meet.
    pub fn turn(&self) -> Option<Turn> {
        match &self.verdict.failure.as_ref()?.cause {
            Cause::Chart(vanishing) => vanishing.turn,
            _ => None,
        }
    }
}

/// Why there is nothing to show.
#[derive(Clone, Debug)]
pub enum Broken {
    /// The text has errors.
    Text(Vec<Diagnostic>),
    /// The start cannot be made consistent, or the like.
    Request(RequestError),
    /// The work was cancelled: something newer is wanted.
    Cancelled,
}

/// Instructions that a proof shown in a frame may cost.
const FOR_A_FRAME: usize = 250_000;

/// Places that are nearer to each other are one place on the screen.
const GRAIN: f64 = 1.0 / 134_217_728.0;

/// Between two tellings of a part at least so many times what one takes.
const DUTY: u32 = 9;

/// What the coordinates of a state of a motion are known to.
fn sampled(x: &[f64]) -> Vec<f64> {
    sizes(x).iter().map(|size| SAMPLED * size).collect()
}

/// What is still to come of an analysis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Underway {
    /// The motion: this part of it is there.
    Motion(f64),
    /// The places where the theorem fails, and the choices of dependent coordinates.
    Failures,
}

/// A system that is derived; its motion and the search for failures take their time.
struct Prepared {
    model: Model,
    start: Start,
    dependent: Vec<usize>,
    derived: super::Derived,
    determinant: SymbolicDeterminant,
}

impl Prepared {
    fn new(system: System, cancel: &AtomicBool) -> Result<Self, Broken> {
        let model = Model::new(system);
        let start = model
            .start(&Request::default().overrides)
            .map_err(|e| Broken::Request(e.into()))?;
        let dependent = model.choice(None, (start.t, &start.x), &start.correction);
        called_off(cancel)?;
        let derived = model.derive(Some(&dependent));
        called_off(cancel)?;
        let (determinant, _) =
            asked(|| SymbolicDeterminant::new(&model.system, &model.equations, &dependent));
        Ok(Self {
            model,
            start,
            dependent,
            derived,
            determinant,
        })
    }

    /// How the choices of dependent coordinates invert, and where the determinant meets the constraints.
    fn failures(&self) -> (Vec<Choice>, Vec<SingularEntry>) {
        let at = (self.start.t, self.start.x.as_slice());
        let region = search_region(at.1);
        let own = (self.dependent.as_slice(), &self.derived.inverse);
        let search = || {
            let choices = self.model.all_choices(at, &self.start.correction, own).list;
            let singular = self.model.singular(&self.determinant, at.0, &region);
            (choices, singular)
        };
        asked(search).0
    }

    /// What there is to show with this motion and these failures.
    fn shown(
        &self,
        motion: Motion,
        (choices, singular): (Vec<Choice>, Vec<SingularEntry>),
        underway: Option<Underway>,
    ) -> Analysis {
        // every part of an analysis has it from here
        self.model.account();
        let model = self.model.clone();
        let (derived, dependent) = (self.derived.clone(), self.dependent.clone());
        let system = &model.system;
        let pool = &system.pool;
        let pretty = |e: Expr| pool.print_as(e, Style::Pretty);
        let conditions = ConditionTape::new(system, derived.inverse.branches());
        Analysis {
            shown: system.coordinates.iter().map(|c| pretty(c.x)).collect(),
            axes: axes(&model),
            jacobian: model
                .equations
                .jacobian
                .iter()
                .map(|row| row.iter().map(|&e| pretty(e)).collect())
                .collect(),
            determinant: self.determinant.whole.map(pretty),
            singular,
            searched_at: model.rheonomic().then_some(self.start.t),
            factors: self.determinant.factors.clone(),
            drawings: drawings(&model, &motion.samples),
            bound: model
                .bound_velocities(&derived.derivation.dependent, (self.start.t, &self.start.x)),
            // a motion that is on its way has not stopped
            edge: match underway {
                Some(Underway::Motion(_)) => None,
                _ => model.edge(&motion),
            },
            underway,
            choices,
            closure: model.closure(&motion.samples),
            chart: model.chart(&dependent),
            dependent,
            motion,
            conditions,
            derived,
            model,
        }
    }
}

/// An error where the work was called off.
fn called_off(cancel: &AtomicBool) -> Result<(), Broken> {
    if cancel.load(Ordering::Relaxed) {
        return Err(Broken::Cancelled);
    }
    Ok(())
}

impl Analysis {
    /// Analyses and runs a system.
    pub fn new(system: System, cancel: &AtomicBool) -> Result<Self, Broken> {
        Self::in_parts(system, cancel, (Duration::MAX, &mut |_| {}))
    }

    /// The same; where it takes longer than `patience`, what there is of it is told on the way, again and again.
    pub fn in_parts(
        system: System,
        cancel: &AtomicBool,
        (patience, tell): (Duration, &mut dyn FnMut(Self)),
    ) -> Result<Self, Broken> {
        let begun = Instant::now();
        let prepared = Prepared::new(system, cancel)?;
        let (from, until) = (prepared.start.t, prepared.model.system.run.until);
        let none = || (Vec::new(), Vec::new());
        let (mut told, mut pause) = (begun, patience);
        let mut glance = |motion: &Motion| {
            if told.elapsed() < pause {
                return;
            }
            let before = Instant::now();
            if let Some(last) = motion.samples.last().filter(|_| motion.samples.len() > 1) {
                let part = (last.t - from) / (until - from);
                let underway = Some(Underway::Motion(part));
                tell(prepared.shown(motion.clone(), none(), underway));
                told = Instant::now();
                // a long motion is not told more than it is computed
                pause = patience.max(DUTY * (told - before).min(patience));
            }
        };
        let start = (&prepared.start, prepared.dependent.as_slice());
        let outside = Outside::calling_off(cancel).seen_by(&mut glance);
        let model = &prepared.model;
        let motion = model.simulate_from(start, &Request::default(), outside);
        called_off(cancel)?;
        if begun.elapsed() > patience {
            tell(prepared.shown(motion.clone(), none(), Some(Underway::Failures)));
        }
        let failures = prepared.failures();
        called_off(cancel)?;
        Ok(prepared.shown(motion, failures, None))
    }

    /// The theorem's numbers and verdict at a time and position.
    pub fn at_point(&self, t: f64, x: &[f64]) -> PointAnalysis {
        let unknown = self.model.unknown_by((t, x), &sampled(x));
        self.point_analysis((t, x), &unknown)
    }

    /// The place on the constraints that a state of the motion stands for: itself, or what lies next to it, in these units, where it
    /// left some of them; `None` where nothing is found.
    pub fn on_constraints(&self, t: f64, x: &[f64], units: &[f64]) -> Option<Vec<f64>> {
        if self.model.missed((t, x), &sampled(x)).is_empty() {
            return Some(x.to_vec());
        }
        self.model.back_to_constraints(t, units, x.to_vec())
    }

    /// The same at a flag, whose position is known as well as the motion is.
    pub fn at_flag(&self, flag: &Flag) -> PointAnalysis {
        self.point_analysis((flag.t, &flag.x), &flagged_to(&flag.x))
    }

    fn point_analysis(&self, (t, x): (f64, &[f64]), known_to: &[f64]) -> PointAnalysis {
        let system = &self.model.system;
        let theorem = &self.model.theorem;
        let mut verdict = theorem.verdict(system, (t, x), known_to, &self.dependent);
        let prove = |x: &[f64]| self.model.neighbourhood((t, x), &self.chart, FOR_A_FRAME);
        // what rounding makes of one place has one neighbourhood
        let round = |v: &f64| (v / GRAIN).round() * GRAIN;
        let rounded: Vec<f64> = x.iter().map(round).collect();
        let here = |found: &Neighbourhood| {
            let mut sides = x.iter().zip(&found.sides);
            sides.all(|(v, (lo, hi))| lo <= v && v <= hi)
        };
        let holds = verdict.holds();
        let near = holds.then(|| prove(&rounded)).flatten().filter(here);
        let neighbourhood = near.or_else(|| holds.then(|| prove(x)).flatten());
        if let Some(Failure {
            cause: Cause::Chart(vanishing),
            ..
        }) = &mut verdict.failure
        {
            vanishing.turn = self.model.turn((t, x), &self.dependent);
        }
        let alternatives = match &verdict.failure {
            Some(f) => f.alternatives.clone(),
            None => self.others(&verdict.local),
        };
        PointAnalysis {
            verdict,
            alternatives,
            branch: self.conditions.at(&arguments(system, t, x, &[])),
            neighbourhood,
        }
    }

    /// The other choices that work, best first; none are looked for where there are many.
    fn others(&self, local: &LocalJacobian) -> Vec<Vec<usize>> {
        const FEW: usize = 60;
        let (m, n) = local.value.shape();
        if m == 0 || binomial(n, m) > FEW {
            return Vec::new();
        }
        let mut own = self.dependent.clone();
        own.sort_unstable();
        let mut list = ranked(local).choices;
        list.retain(|choice| *choice != own);
        list
    }

    /// The system with its equations.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The names of the coordinates.
    pub fn coordinates(&self) -> &[String] {
        self.model.coordinate_names()
    }

    /// The names of the constraints.
    pub fn constraints(&self) -> &[String] {
        self.model.constraint_names()
    }

    /// The motion at a time; `None` outside of it.
    pub fn moment(&self, t: f64) -> Option<Moment> {
        self.model.moment(&self.motion, t, &Request::default())
    }

    /// The picture of the file at a state; `None` where it has none.
    pub fn drawing(&self, sample: &Sample) -> Option<Drawing> {
        drawings(&self.model, std::slice::from_ref(sample)).pop()
    }

    /// The values of expressions at a state.
    pub fn at(&self, sample: &Sample, list: &[Expr]) -> Vec<f64> {
        let values = self.model.evaluate(std::slice::from_ref(sample), list);
        values.into_iter().flatten().collect()
    }

    /// Which of the factors that a flag names; `None` where the determinant is zero everywhere.
    pub fn factor(&self, singular: &SingularEntry) -> Option<usize> {
        let mut factors = self.factors.iter();
        factors.position(|own| Some(*own) == singular.factor)
    }

    /// How a choice of dependent coordinates inverts, where that was looked at.
    pub fn solvable(&self, dependent: &[usize]) -> Option<Solvable> {
        let mut choices = self.choices.iter();
        choices
            .find(|c| c.dependent == dependent)
            .map(|c| c.inverse)
    }

    /// The names of the columns of the motion.
    pub fn columns(&self) -> Vec<String> {
        self.model.all_columns()
    }

    /// A column of the motion by name, or any expression of the names of the system.
    pub fn column(&self, name: &str) -> Option<Vec<f64>> {
        self.model
            .column_values(&self.motion.samples, &[name.to_owned()])
            .ok()?
            .pop()
    }
}

/// Columns of the longest name of an axis of the picture.
const AXIS_NAME: usize = 18;

/// What the picture measures across and up: the components of its points, as the file has them, or the first
/// two coordinates where it has no picture.
fn axes(model: &Model) -> [String; 2] {
    let system = &model.system;
    let pretty = |e: Expr| system.pool.print_as(e, Style::Pretty);
    let Some(picture) = &system.picture else {
        let name = |k: usize| system.coordinates.get(k).map(|c| pretty(c.x));
        return [0, 1].map(|k| name(k).unwrap_or_default());
    };
    [0, 1].map(|k| {
        let mut names: Vec<String> = Vec::new();
        for point in &picture.points {
            let name = pretty(point[k]);
            // a number measures nothing
            if name.parse::<f64>().is_err() && !names.contains(&name) {
                names.push(name);
            }
        }
        let name = names.join(", ");
        // where it is not said it is a length all the same
        let short = name.chars().count() <= AXIS_NAME;
        if short { name } else { String::new() }
    })
}

fn drawings(model: &Model, samples: &[Sample]) -> Vec<Drawing> {
    let Some(picture) = &model.system.picture else {
        return Vec::new();
    };
    let values = model.evaluate(samples, &picture.places());
    (0..samples.len())
        .map(|i| Drawing::laid_out(picture, values.iter().map(|column| column[i])))
        .collect()
}
