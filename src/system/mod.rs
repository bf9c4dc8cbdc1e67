//! The YAML system file: from its text to a [`System`], or to [`Diagnostic`]s that point into the text.
//!
//! A Lagrangian `L(x, x'; t)` is given as it is, as `T - V`, or by bodies, and holonomic constraints
//! `f_b(x; t) = c_b` by name. `schema` turns the text into a tree with places, `build` gives the tree
//! its meaning, `names` knows what may stand where, `library` holds the built-in systems.

// an error ends the reading of a file: its size costs nothing
#![allow(clippy::result_large_err)]

mod diagnostic;
mod exact;
mod expect;
mod library;
mod measured;
mod names;
mod reduced;
mod schema;
mod semantics;

pub use diagnostic::{Diagnostic, quote, sanitize, shown, spelled};
pub use expect::{Claim, Expectation, Instant, Known, KnownEquilibrium};
#[cfg(feature = "workbench")]
pub(crate) use library::decode;
pub use library::{Builtin, Input, LoadError, builtin, find, load};
pub use measured::{Measured, MeasuredError, Separator};
pub(crate) use names::{Context, Reach};
pub use names::{body_meant, nearest, nearest_or_all, velocity_meant};
pub use reduced::Reduced;
pub use schema::{MAX_FILE, text_of};
pub use semantics::{KEYS as FILE_KEYS, PART_KEYS};

use crate::expr::{Expr, Interval, NameError, Number, Pool, SymbolKind};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A system to begin a new file with: complete, and explained line by line.
pub const TEMPLATE: &str = include_str!("template.yaml");

/// The time a run ends at where the file does not say.
pub const DEFAULT_UNTIL: f64 = 10.0;
/// The relative tolerance of a run where the file does not say.
pub const DEFAULT_RTOL: f64 = 1e-9;
/// The absolute tolerance of a run where the file does not say.
pub const DEFAULT_ATOL: f64 = 1e-12;
/// The number of sample intervals of a run where the file does not say.
pub const DEFAULT_SAMPLES: usize = 1000;
/// The largest number of sample intervals.
pub const MAX_SAMPLES: usize = 1_000_000;
/// The largest number of coordinates.
pub const MAX_COORDINATES: usize = 2000;

/// What is changed of a system as it is read.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Changes {
    /// Parameters with their values, before those that depend on them are evaluated.
    pub set: Vec<(String, String)>,
    /// Parameters that become coordinates, or constraints whose level `c_NAME` does. Each is held at its value by a constraint
    /// `free_NAME`, whose multiplier is the force that holds it.
    pub free: Vec<String>,
    /// The parameter that varies: it stays a symbol in exponents that it makes whole.
    pub varies: Option<String>,
    /// What was measured of it.
    pub measured: Option<Arc<Measured>>,
}

impl Changes {
    /// Is this parameter freed?
    pub fn frees(&self, name: &str) -> bool {
        self.free.iter().any(|free| free == name)
    }
}

/// A mechanical system, as its file says it.
#[derive(Clone, Debug)]
pub struct System {
    /// The expressions of the system.
    pub pool: Pool,
    /// What it is called; the name of the file where it does not say.
    pub name: String,
    /// Where it is from.
    pub source: Option<String>,
    /// A few words about it.
    pub about: Option<String>,
    /// The coordinates, in the order of the columns everywhere.
    pub coordinates: Vec<Coordinate>,
    /// The symbol of the time.
    pub t: Expr,
    /// The parameters with their values, in the order of the file.
    pub parameters: Vec<Parameter>,
    /// L = T - V, whatever way it was written.
    pub lagrangian: Expr,
    /// Is it a constrained optimum? Then L is minus the objective, and there is no motion.
    pub objective: bool,
    /// The bodies, where the file gives L by them.
    pub bodies: Vec<Body>,
    /// The applied forces Q by coordinate, zero where none.
    pub forces: Vec<Expr>,
    /// The constraints, in the order of the file.
    pub constraints: Vec<Constraint>,
    /// The velocity constraints, in the order of the file.
    pub velocity_constraints: Vec<VelocityConstraint>,
    /// The dependent coordinates, where the file chooses them: as many as there are constraints.
    pub dependent: Option<Vec<usize>>,
    /// What is given of the start.
    pub start: Start,
    /// Where the search for the rest of the start begins.
    pub guess: Guess,
    /// How to run it.
    pub run: Run,
    /// Plots that the file proposes.
    pub plots: Vec<PlotSpec>,
    /// The drawing of the moving system.
    pub picture: Option<Picture>,
    /// What is known about it from elsewhere.
    pub expectations: Vec<Expectation>,
    /// The outputs that plots may use besides the names of the system and `lambda_NAME`.
    pub outputs: Vec<Output>,
    /// The force of each constraint, of these and of the multipliers.
    pub force_columns: Vec<Named>,
    /// The names of `define`.
    pub defined: Vec<Named>,
    /// Names of such columns that stand for something else in this file.
    pub taken: Vec<String>,
    /// What was measured: its columns stand beside the motion as `data.NAME`.
    pub measured: Option<Arc<Measured>>,
    /// The values that were worked out of parameters, and of what.
    pub(crate) worked_out: Vec<(ValueOf, Expr)>,
    /// What the equations of motion are made of, as it is written.
    pub written: Vec<Written>,
}

/// An expression of the file that the equations of motion are made of.
#[derive(Clone, Debug)]
pub struct Written {
    /// What it is.
    pub part: Part,
    /// The expression.
    pub e: Expr,
    /// Where it stands; nothing is said there.
    pub place: Box<Diagnostic>,
}

/// A part of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Part {
    /// The expression of a key: `lagrangian`, `kinetic`, `potential`.
    Key(&'static str),
    /// The force on a coordinate.
    Force(String),
    /// A body.
    Body(String),
    /// A constraint.
    Constraint(String),
    /// A velocity constraint.
    VelocityConstraint(String),
}

/// What a value that was worked out is the value of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ValueOf {
    /// What is given of the start.
    Start(Unvalued),
    /// Where the search for the rest of it begins.
    Guess(Unvalued),
    /// The end of the run.
    Until,
    /// What is known of the system from elsewhere.
    Expected,
    /// An exponent of parameters. Where that is whole, its number stands in the expressions.
    Exponent,
    /// Something else.
    Other,
}

/// A name with what it stands for.
#[derive(Clone, Debug)]
pub struct Named {
    /// The name.
    pub name: String,
    /// Of the symbols of the system and their derivatives, and of multipliers.
    pub expr: Expr,
}

/// A coordinate and its time derivatives.
#[derive(Clone, Debug)]
pub struct Coordinate {
    /// Its name.
    pub name: String,
    /// The symbol x.
    pub x: Expr,
    /// The symbol x'.
    pub v: Expr,
    /// The symbol x''.
    pub a: Expr,
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its symbol.
    pub symbol: Expr,
    /// Its value, finite.
    pub value: f64,
    /// What is given of it: a number, or an expression of the parameters before it.
    pub given: Expr,
    /// What it is exactly, where the file makes it a fraction of whole numbers: `0.1` and `1/3`, not `sqrt(2)`.
    pub exact: Option<Number>,
    /// How it is made of the parameters before it.
    pub written: Expr,
}

/// A body: a point mass, or a planar rigid body with its centre of mass at `at`.
#[derive(Clone, Debug)]
pub struct Body {
    /// Its name.
    pub name: String,
    /// Its mass, of parameters.
    pub mass: Expr,
    /// Its position, one to three components of coordinates, parameters and t.
    pub at: Vec<Expr>,
    /// How it turns, for a planar rigid body.
    pub rotation: Option<Rotation>,
}

/// The rotation of a planar rigid body.
#[derive(Clone, Copy, Debug)]
pub struct Rotation {
    /// Its moment of inertia about the centre of mass, of parameters.
    pub inertia: Expr,
    /// Its angle, of coordinates, parameters and t.
    pub angle: Expr,
}

/// A holonomic constraint f(x; t) = c.
#[derive(Clone, Debug)]
pub struct Constraint {
    /// Its name.
    pub name: String,
    /// f, of coordinates, parameters and t; it contains a coordinate.
    pub f: Expr,
    /// c, of parameters.
    pub c: Expr,
    /// Its two sides as the file has them: f and c, or others where the right one contains coordinates.
    pub typed: (Expr, Expr),
    /// The value of c, finite.
    pub c_value: f64,
    /// The symbol `y_NAME`.
    pub level: Expr,
    /// The symbol `lambda_NAME`.
    pub multiplier: Expr,
    /// One-sided?
    pub side: Option<Side>,
    /// What a motion does where the multiplier of a one-sided constraint would have to pull.
    pub release: Release,
    /// Where the file gives it; nothing is said there.
    pub place: Option<Box<Diagnostic>>,
}

/// A velocity constraint A(x; t) x' + b(x; t) = 0, linear in the velocities.
#[derive(Clone, Debug)]
pub struct VelocityConstraint {
    /// Its name; constraints of both kinds share their names.
    pub name: String,
    /// The row A, one entry a coordinate, of coordinates, parameters and t.
    pub row: Vec<Expr>,
    /// b, of coordinates, parameters and t.
    pub b: Expr,
    /// The symbol `lambda_NAME`.
    pub multiplier: Expr,
}

/// What a motion does where the multiplier of a one-sided constraint would have to pull.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Release {
    /// It goes on without the constraint.
    #[default]
    Go,
    /// It ends.
    Stop,
}

/// The sides of a one-sided constraint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// f >= c: the multiplier can only push, lambda >= 0.
    AtLeast,
}

/// What is given of the start, by coordinate; the rest is to be solved for.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Start {
    /// The time, 0 where not given.
    pub t: f64,
    /// Coordinates.
    pub x: Vec<Option<f64>>,
    /// Velocities.
    pub v: Vec<Option<f64>>,
    /// Values, of the guess too, that the file gives and that are no finite numbers: they count as not given, and a motion
    /// cannot start.
    pub faults: Vec<(Unvalued, Diagnostic)>,
    /// Where the file gives it, for what is wrong with all of it; nothing is said there.
    pub place: Option<Diagnostic>,
}

/// A value of a start that is no finite number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unvalued {
    /// The time.
    Time,
    /// That of a coordinate.
    Coordinate(usize),
    /// That of a velocity.
    Velocity(usize),
}

/// Where the search for what the start leaves out begins: 0 where not given.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Guess {
    /// Coordinates.
    pub x: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
}

/// How to run a system.
#[derive(Clone, PartialEq, Debug)]
pub struct Run {
    /// The time at the end (not a duration); [`DEFAULT_UNTIL`] where not given.
    pub until: f64,
    /// The method.
    pub method: Method,
    /// The relative tolerance of a step.
    pub rtol: f64,
    /// The absolute tolerance of a step.
    pub atol: f64,
    /// The number of equal intervals between the times written out.
    pub samples: usize,
    /// When the implicit stepper is used.
    pub stiff: Stiff,
}

impl Default for Run {
    fn default() -> Self {
        Self {
            until: DEFAULT_UNTIL,
            method: Method::default(),
            rtol: DEFAULT_RTOL,
            atol: DEFAULT_ATOL,
            samples: DEFAULT_SAMPLES,
            stiff: Stiff::default(),
        }
    }
}

named! {
    /// The ways to solve the equations of motion.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub enum Method as all {
        /// The reduced equations with the inverse functions: the state is that of the independent coordinates.
        #[default]
        Inverse = "inverse",
        /// Accelerations and multipliers from one linear system, with projection.
        Multipliers = "multipliers",
        /// An orthonormal basis of the virtual displacements.
        Tangents = "tangents",
    }
}

impl std::fmt::Display for Method {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

named! {
    /// When the implicit stepper is used.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum Stiff as all {
        /// From where the motion is found to be stiff.
        #[default]
        Auto = "auto",
        /// From the start.
        Always = "always",
        /// Not at all.
        Never = "never",
    }
}

/// An expression that a plot shows.
#[derive(Clone, Debug)]
pub struct OutputExpr {
    /// As the file writes it, sanitised.
    pub text: String,
    /// Of the names of the system, multipliers and [`Output`]s.
    pub expr: Expr,
}

/// A plot that the file proposes.
#[derive(Clone, Debug)]
pub struct PlotSpec {
    /// What runs along; t where not given.
    pub x: OutputExpr,
    /// What is shown over it, at least one.
    pub y: Vec<OutputExpr>,
    /// The title.
    pub title: Option<String>,
}

/// A drawing of the moving system: expressions of coordinates, parameters and t.
#[derive(Clone, Debug, Default)]
pub struct Picture {
    /// Points.
    pub points: Vec<[Expr; 2]>,
    /// Lines through two or more points.
    pub lines: Vec<Vec<[Expr; 2]>>,
}

impl Picture {
    /// The bodies in their plane, or in that of their first two components; `None` where there are none.
    fn of(bodies: &[Body], zero: Expr) -> Option<Self> {
        let place = |body: &Body| [0, 1].map(|k| body.at.get(k).copied().unwrap_or(zero));
        let points: Vec<[Expr; 2]> = bodies.iter().map(place).collect();
        (!points.is_empty()).then(|| Self {
            points,
            lines: Vec::new(),
        })
    }

    /// Both components of all places: points, then lines.
    pub fn places(&self) -> Vec<Expr> {
        let places = self.points.iter().chain(self.lines.iter().flatten());
        places.flatten().copied().collect()
    }
}

/// A value of its own that a plot may use.
#[derive(Clone, Debug)]
pub struct Output {
    /// Its symbol.
    pub symbol: Expr,
    /// What it is.
    pub kind: OutputKind,
}

/// The outputs besides the names of the system and the multipliers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OutputKind {
    /// `R_NAME`: the force of constraint on the coordinate of this index.
    Reaction(usize),
    /// `det`: the determinant of the dependent block.
    Determinant,
    /// `energy`: sum x' dL/dx' - L.
    Energy,
    /// `residual`: max |f - c|.
    Residual,
}

impl OutputKind {
    /// Those of the system as a whole, in the order of the columns everywhere.
    pub const OF_SYSTEM: [(&str, Self); 3] = [
        ("det", Self::Determinant),
        ("energy", Self::Energy),
        ("residual", Self::Residual),
    ];
}

impl System {
    /// Reads a system file. `set` replaces parameters by name before those that depend on them are evaluated.
    /// Errors: at least one and at most twenty diagnostics, in the order of the text.
    ///
    /// ```
    /// use holonom::system::System;
    ///
    /// let text = "coordinates: [x]\nparameters: {m: 1}\nlagrangian: m*x'^2/2 - k*x^2/2";
    /// let faults = System::parse(text, "spring.yaml", &[]).unwrap_err();
    /// assert_eq!(faults[0].message, "unknown name `k`");
    /// assert_eq!((faults[0].line, faults[0].column), (3, 24));
    ///
    /// let text = text.replace("{m: 1}", "{m: 1, k: 9}");
    /// let heavy = [("m".to_owned(), "2".to_owned())];
    /// let system = System::parse(&text, "spring.yaml", &heavy).expect("now it has a value");
    /// assert_eq!(system.parameter_values(), [2.0, 9.0]);
    /// ```
    pub fn parse(
        text: &str,
        file: &str,
        set: &[(String, String)],
    ) -> Result<Self, Vec<Diagnostic>> {
        let changes = Changes {
            set: set.to_vec(),
            ..Changes::default()
        };
        Self::changed(text, file, &changes)
    }

    /// As [`System::parse`], with parameters freed besides: they become coordinates.
    pub fn changed(text: &str, file: &str, changes: &Changes) -> Result<Self, Vec<Diagnostic>> {
        let system = semantics::build(schema::Source { file, text }, changes)?;
        Ok(system.beside(changes.measured.clone()))
    }

    /// The same beside what was measured: its run goes at least as far.
    #[must_use]
    pub fn beside(mut self, measured: Option<Arc<Measured>>) -> Self {
        if let Some((first, last)) = measured.as_ref().and_then(|data| data.span()) {
            let until = &mut self.run.until;
            *until = if *until < self.start.t {
                until.min(first)
            } else {
                until.max(last)
            };
        }
        self.measured = measured;
        self
    }

    /// What a name stands for beside a motion: a symbol, a definition, the force of a constraint, a measured column.
    pub fn named(&self, name: &str) -> Option<Expr> {
        let own = self.defined.iter().chain(&self.force_columns);
        let own = || own.clone().find(|own| own.name == name).map(|own| own.expr);
        let measured = || self.measured_columns().find(|column| column.0 == name);
        let symbol = self.pool.lookup(name).or_else(own);
        symbol.or_else(|| measured().map(|column| column.1))
    }

    /// What a name with so many primes stands for in a text outside of the file. `help` says what to try in the place of one that
    /// is not known.
    pub(crate) fn resolve(
        &self,
        (name, primes): (&str, usize),
        place: Context,
        help: impl FnOnce(&str) -> Option<String>,
    ) -> Result<Expr, NameError> {
        let full = format!("{name}{}", "'".repeat(primes));
        let name = quote(&full);
        let Some(found) = self.named(&full) else {
            let help = help(&full);
            return Err(NameError::Unknown { name, help });
        };
        let inside = self.pool.symbols_of(found);
        let kinds = inside.iter().map(|s| self.pool.symbol_kind(*s));
        if kinds.map(Reach::of).any(|reach| reach > place.reach) {
            return Err(place.refuses(name));
        }
        Ok(found)
    }

    /// The measured columns: what they are called beside the motion, and the symbols that stand for them.
    pub fn measured_columns(&self) -> impl Iterator<Item = (String, Expr)> {
        let columns = self.measured.iter().flat_map(|data| &data.columns);
        columns.enumerate().map(|(k, (name, _))| {
            let name = format!("data.{name}");
            let symbol = self
                .pool
                .symbol(&name, SymbolKind::Other(usize::MAX / 5 - k));
            (name, symbol)
        })
    }

    /// The same with another value of a parameter, and of all that is made of it; start values stay.
    #[must_use]
    pub fn with_parameter(&self, index: usize, value: f64) -> Self {
        let mut same = self.clone();
        same.parameters = self.parameters_at(&[(index, value)]);
        let values = same.parameter_values();
        for c in &mut same.constraints {
            c.c_value = self.value_at(c.c, &values);
        }
        same
    }

    /// Gives parameters other values, and all that is made of them, as if the file were read anew with these. Where that may
    /// be more than other numbers, nothing is changed: a parameter becomes zero or not positive, a value is not finite. What is
    /// expected of it is left out where numbers are in it.
    #[must_use]
    pub fn set_parameters(&mut self, changes: &[(usize, f64)]) -> bool {
        let parameters = self.parameters_at(changes);
        let values: Vec<f64> = parameters.iter().map(|p| p.value).collect();
        let positive = self.pool.told_positive();
        let alike = |(old, new): (&Parameter, &Parameter)| {
            new.value.is_finite()
                && (old.value == 0.0) == (new.value == 0.0)
                && (new.value > 0.0 || !positive.contains(&new.symbol))
        };
        let worked_out: Vec<(ValueOf, f64)> = self
            .worked_out
            .iter()
            .map(|(place, e)| (*place, self.value_at(*e, &values)))
            .collect();
        let own = self.parameter_values();
        let old = |e| self.value_at(e, &own);
        let is_whole = |value: f64| value.fract() == 0.0;
        let stays = |((of, new), (_, e)): (&(ValueOf, f64), &(ValueOf, Expr))| match of {
            ValueOf::Other => *new == old(*e),
            ValueOf::Exponent => *new == old(*e) || !is_whole(*new) && !is_whole(old(*e)),
            ValueOf::Start(_) | ValueOf::Guess(_) | ValueOf::Until => new.is_finite(),
            ValueOf::Expected => true,
        };
        let levels: Vec<f64> = self
            .constraints
            .iter()
            .map(|c| self.value_at(c.c, &values))
            .collect();
        if !self.parameters.iter().zip(&parameters).all(alike)
            || !worked_out.iter().zip(&self.worked_out).all(stays)
            || !levels.iter().all(|level| level.is_finite())
            || !self.start.faults.is_empty()
        {
            return false;
        }
        self.parameters = parameters;
        for (c, level) in self.constraints.iter_mut().zip(levels) {
            c.c_value = level;
        }
        for (place, value) in worked_out {
            match place {
                ValueOf::Start(Unvalued::Time) => self.start.t = value,
                ValueOf::Start(Unvalued::Coordinate(k)) => self.start.x[k] = Some(value),
                ValueOf::Start(Unvalued::Velocity(k)) => self.start.v[k] = Some(value),
                ValueOf::Guess(Unvalued::Coordinate(k)) => self.guess.x[k] = value,
                ValueOf::Guess(Unvalued::Velocity(k)) => self.guess.v[k] = value,
                ValueOf::Until => self.run.until = value,
                ValueOf::Expected => self.expectations.clear(),
                ValueOf::Guess(Unvalued::Time) | ValueOf::Exponent | ValueOf::Other => {}
            }
        }
        true
    }

    /// Does its value stand in the expressions, as a whole exponent or a part of one?
    pub fn is_in_exponent(&self, parameter: Expr) -> bool {
        let own = self.parameter_values();
        self.worked_out.iter().any(|(of, e)| {
            let holds = *of == ValueOf::Exponent && self.pool.contains_any(*e, &[parameter]);
            holds && self.value_at(*e, &own).fract() == 0.0
        })
    }

    /// The parameters where some of them have other values.
    fn parameters_at(&self, changes: &[(usize, f64)]) -> Vec<Parameter> {
        let pool = &self.pool;
        let mut exact: FxHashMap<Expr, Expr> = FxHashMap::default();
        let mut values: Vec<f64> = Vec::new();
        let mut parameters = self.parameters.clone();
        for (i, p) in parameters.iter_mut().enumerate() {
            let change = changes.iter().find(|(index, _)| *index == i);
            if let Some((_, value)) = change {
                p.value = *value;
                p.exact = Number::written(*value);
            } else {
                p.value = self.value_at(p.written, &values);
                p.exact = pool.as_number(pool.substitute(p.written, &exact));
            }
            if let Some(number) = &p.exact {
                exact.insert(p.symbol, pool.number(number.clone()));
            }
            if change.is_some()
                && let Some(e) = exact.get(&p.symbol)
            {
                p.written = *e;
            }
            values.push(p.value);
        }
        parameters
    }

    /// The value of an expression of parameters.
    fn value_at(&self, e: Expr, parameters: &[f64]) -> f64 {
        self.pool.evaluate(e, &|kind| match kind {
            SymbolKind::Parameter(i) => parameters.get(i).copied().unwrap_or(f64::NAN),
            _ => f64::NAN,
        })
    }

    /// As [`System::parse`], from bytes that may not be UTF-8.
    pub fn read(
        bytes: &[u8],
        file: &str,
        set: &[(String, String)],
    ) -> Result<Self, Vec<Diagnostic>> {
        let text = library::decode(bytes, file).map_err(|error| vec![error])?;
        Self::parse(text, file, set)
    }

    /// The system, where all values of its start are finite numbers.
    ///
    /// # Errors
    /// What is wrong with those that are not.
    pub fn with_start(self) -> Result<Self, Vec<Diagnostic>> {
        if self.start.faults.is_empty() {
            return Ok(self);
        }
        let faults = self.start.faults.into_iter();
        Err(faults.map(|(_, fault)| fault).collect())
    }

    /// The index of the coordinate of a name.
    pub fn coordinate(&self, name: &str) -> Option<usize> {
        self.coordinates.iter().position(|c| c.name == name)
    }

    /// The values of the parameters, in their order.
    pub fn parameter_values(&self) -> Vec<f64> {
        self.parameters.iter().map(|p| p.value).collect()
    }

    /// Bounds on what the parameters are, in their order: on fractions, and on what the others are made of. A value computed in
    /// doubles may be off by many units in the last place; it lies within the bounds too.
    pub fn parameter_bounds(&self) -> Vec<Interval> {
        let mut list: Vec<Interval> = Vec::with_capacity(self.parameters.len());
        for p in &self.parameters {
            let own = match &p.exact {
                Some(number) => Interval::of_number(number),
                None => self
                    .bounded(p.written, &list)
                    .hull(Interval::nearest(p.value)),
            };
            list.push(own);
        }
        list
    }

    /// Bounds on an expression of parameters that are within these bounds.
    pub fn bounded(&self, e: Expr, parameters: &[Interval]) -> Interval {
        self.pool.bounds(e, &|kind| match kind {
            SymbolKind::Parameter(index) => parameters.get(index).copied().unwrap_or(Interval::ALL),
            _ => Interval::ALL,
        })
    }

    /// The symbols `lambda_NAME`: those of the constraints, then those of the velocity constraints.
    pub fn multipliers(&self) -> impl Iterator<Item = Expr> + '_ {
        let own = self.constraints.iter().map(|c| c.multiplier);
        own.chain(self.velocity_constraints.iter().map(|c| c.multiplier))
    }

    /// Is this one of the constraints, with those of velocities after them, and one-sided?
    pub fn is_one_sided(&self, constraint: usize) -> bool {
        let constraint = self.constraints.get(constraint);
        constraint.is_some_and(|c| c.side.is_some())
    }

    /// The one-sided constraints.
    pub fn one_sided(&self) -> Vec<usize> {
        let all = 0..self.constraints.len();
        all.filter(|b| self.is_one_sided(*b)).collect()
    }

    /// f - c of each constraint.
    pub fn residuals(&self) -> impl Iterator<Item = Expr> + '_ {
        let constraints = self.constraints.iter();
        constraints.map(|c| self.pool.sub(c.f, c.c))
    }

    /// x, a symbol a coordinate.
    pub fn positions(&self) -> Vec<Expr> {
        self.coordinates.iter().map(|c| c.x).collect()
    }

    /// x of these coordinates.
    pub fn positions_of(&self, list: &[usize]) -> Vec<Expr> {
        list.iter().map(|&k| self.coordinates[k].x).collect()
    }

    /// x' -> 0, x'' -> 0: what is at rest.
    pub fn at_rest(&self) -> FxHashMap<Expr, Expr> {
        let zero = self.pool.zero();
        let of = |c: &Coordinate| [(c.v, zero), (c.a, zero)];
        self.coordinates.iter().flat_map(of).collect()
    }

    /// The parts `row_k` x_k', those of zeros left out.
    pub fn along_velocities(&self, row: &[Expr]) -> impl Iterator<Item = Expr> {
        let pairs = row.iter().zip(&self.coordinates);
        let pairs = pairs.filter(|(e, _)| **e != self.pool.zero());
        pairs.map(|(&e, c)| self.pool.mul(e, c.v))
    }

    /// x -> x', x' -> x'', t -> 1: what the total time derivative needs.
    pub fn rates(&self) -> Vec<(Expr, Expr)> {
        let of = |c: &Coordinate| [(c.x, c.v), (c.v, c.a)];
        let motion = self.coordinates.iter().flat_map(of);
        motion.chain([(self.t, self.pool.one())]).collect()
    }
}

#[cfg(test)]
mod tests;
