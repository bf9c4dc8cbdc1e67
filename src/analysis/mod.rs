//! The questions that both faces ask of a system, answered once.
//!
//! A [`Model`] is a system with its equations, the theorem prepared for it, and its compiled form.
//! [`Model::check`], [`Model::derive`] and [`Model::simulate`] answer the commands; [`Analysis`]
//! is what the workbench shows.

mod account;
mod along;
mod at_rest;
mod balance;
mod branches;
mod check;
mod choices;
mod compiled;
mod design;
mod domain;
mod equilibria;
mod expect;
mod failure;
mod inverse;
mod levels;
mod live;
mod motion;
mod nearest;
mod oscillation;
mod plots;
mod points;
mod region;
mod rolling;
mod sweep;
mod vary;
mod walk;
mod when;

pub use account::{Account, Count};
pub use along::{Along, Pair, along};
pub use at_rest::{AtRest, ClosedForm};
pub use balance::{Closure, Terms};
pub use branches::BranchesAnswer;
pub use check::{Check, Meeting, SingularEntry, Site};
pub use choices::{Choice, Choices, Solvable};
pub use compiled::CompiledSystem;
pub use design::DesignAnswer;
pub use domain::{Argument, BrokenCondition, DomainOfG, End, Ending, Reach, Spot};
pub use equilibria::Where;
pub use expect::{Evidence, Finding, Unjudged};
pub use failure::flagged_to;
pub use inverse::{Excluded, InverseAnswer, InverseRequest, InverseValue, LevelVariation};
pub use levels::{LevelLine, Levels, Slice, Touch};
pub use live::{
    Analysis, BranchLine, Broken, Drawing, PlotData, PointAnalysis, SingularLine, Underway,
    analyse, condition_text,
};
pub use motion::{Request, Run, Table, simulate_table, split_columns};
pub use nearest::NearestFailure;
pub use oscillation::Oscillation;
pub use plots::PlotNames;
pub use points::SymbolicPoints;
pub use region::{AtlasAnswer, AtlasChart, LeftOver, MapAnswer, Part};
pub use rolling::BoundVelocities;
pub use sweep::{
    Axis, ColumnReduction, Design, Drawn, Outcome, Plan, PlanError, Range, Shard, Sweep, SweepRow,
    read_table,
};
pub use vary::{
    ActionAt, Conjugate, Returned, Shape, Size, Unconjugated, Varied, VaryError, VaryRequest,
};
pub use walk::Walker;
pub use when::{Condition, is_condition};

pub use crate::statics::{Extent as Followed, Over};

use crate::expr::{Expr, Extent, FOR_A_DERIVATION, Interval, Matrix, asked, asked_within, within};
use crate::interval;
use crate::mechanics::{
    Derivation, Eliminated, Equations, Holonomy, MultiplierBlock, Written, holonomy,
};
use crate::solver::{self, Dynamics, Given, Problem, Redundant, SolverError, Structure};
use crate::system::{Diagnostic, System, Unvalued};
use crate::theorem::{
    Chart, FOR_FORMS, InBranch, Inverse, Reduction, SymbolicDeterminant, Theorem, forms, ranked,
    scattered, turns_matter,
};
use rustc_hash::FxHashMap;
use std::cell::OnceCell;
use thiserror::Error;

/// A request that a system cannot meet.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum RequestError {
    /// A name that is no coordinate.
    #[error("`{name}` is no coordinate of this system; {help}")]
    NoCoordinate {
        /// The name.
        name: String,
        /// The nearest coordinate, or all.
        help: String,
    },
    /// A name that is no coordinate and no parameter.
    #[error("`{name}` is no coordinate and no parameter of this system; {help}")]
    NoVariable {
        /// The name.
        name: String,
        /// The nearest of both, or all.
        help: String,
    },
    /// Not as many dependent coordinates as constraints.
    #[error("{wanted} dependent coordinates are needed, one a constraint, and {given} named")]
    WrongCount {
        /// How many were named.
        given: usize,
        /// How many there must be.
        wanted: usize,
    },
    /// A coordinate named twice.
    #[error("`{name}` is named twice among the dependent coordinates")]
    Twice {
        /// The coordinate.
        name: String,
    },
    /// A column that is neither a column of the motion nor an expression.
    #[error("column `{text}`: {why}")]
    Column {
        /// As asked for.
        text: String,
        /// What is wrong with it.
        why: String,
    },
    /// The start or the motion.
    #[error("{}", .0.at_length())]
    Solver(#[from] SolverError),
}

/// Values that replace those of a file's start.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overrides {
    /// The time.
    pub t: Option<f64>,
    /// Coordinates by index.
    pub x: Vec<(usize, f64)>,
    /// Velocities by index.
    pub v: Vec<(usize, f64)>,
}

impl Overrides {
    /// Reads `name = value` pairs: `t`, coordinates, velocities with a prime.
    pub fn new(system: &System, pairs: &[(String, f64)]) -> Result<Self, RequestError> {
        let mut overrides = Self::default();
        for (name, value) in pairs {
            if name == "t" {
                overrides.t = Some(*value);
            } else if let Some(bare) = name.strip_suffix('\'') {
                overrides.v.push((coordinate(system, bare)?, *value));
            } else {
                overrides.x.push((coordinate(system, name)?, *value));
            }
        }
        Ok(overrides)
    }

    /// Is nothing replaced?
    pub fn is_empty(&self) -> bool {
        self.t.is_none() && self.x.is_empty() && self.v.is_empty()
    }
}

/// The index of a coordinate by name.
pub fn coordinate(system: &System, name: &str) -> Result<usize, RequestError> {
    system.coordinate(name).ok_or_else(|| {
        let names = system.coordinates.iter().map(|c| c.name.as_str());
        RequestError::NoCoordinate {
            name: crate::system::sanitize(name),
            help: crate::system::nearest_or_all(name, names),
        }
    })
}

/// What is said of a name that is no coordinate and no parameter.
pub fn no_variable(system: &System, name: &str) -> RequestError {
    let coordinates = system.coordinates.iter().map(|c| c.name.as_str());
    let names = coordinates.chain(system.parameters.iter().map(|p| p.name.as_str()));
    RequestError::NoVariable {
        name: crate::system::sanitize(name),
        help: crate::system::nearest_or_all(name, names),
    }
}

/// The indices of dependent coordinates by name, as many as constraints and distinct.
pub fn dependent_indices(system: &System, names: &[String]) -> Result<Vec<usize>, RequestError> {
    let mut list = Vec::new();
    for name in names {
        let k = coordinate(system, name)?;
        if list.contains(&k) {
            return Err(RequestError::Twice { name: name.clone() });
        }
        list.push(k);
    }
    if list.len() != system.constraints.len() {
        return Err(RequestError::WrongCount {
            given: list.len(),
            wanted: system.constraints.len(),
        });
    }
    Ok(list)
}

/// A system, prepared.
#[derive(Clone, Debug)]
pub struct Model {
    /// The system.
    pub system: System,
    /// Its equations.
    pub equations: Equations,
    /// The theorem, prepared for it.
    pub theorem: Theorem,
    /// Were all equations simplified?
    pub extent: Extent,
    variable_names: Vec<String>,
    /// the parameters that range
    ranging: Vec<usize>,
    constraint_names: Vec<String>,
    multiplier_names: Vec<String>,
    holonomy: OnceCell<Vec<Holonomy>>,
    base: OnceCell<CompiledSystem>,
    bounds: OnceCell<Bounds>,
    angles: OnceCell<Vec<(usize, f64)>>,
}

/// The constraints over boxes.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// f - c as functions of the variables.
    pub equations: interval::Equations,
    /// The coordinates, the parameters that range, and t.
    pub variables: Vec<Expr>,
    /// The other parameters, known to half an ulp.
    pub constants: Vec<(Expr, Interval)>,
    f: Vec<Expr>,
    /// df/dx, a row a constraint
    gradients: Matrix,
    /// parameters that are worked out of those that range, by these and constants
    following: FxHashMap<Expr, Expr>,
}

/// What `derive` says.
#[derive(Clone, Debug)]
pub struct Derived {
    /// E_k - sum lambda_b J_bk, n.
    pub standard: Vec<Expr>,
    /// The forms for this choice of dependent coordinates.
    pub derivation: Derivation,
    /// The inverse functions.
    pub inverse: Inverse,
    /// The reduced equations without the dependent accelerations.
    pub eliminated: Option<Eliminated>,
    /// The equations in the independent coordinates, where the inverse is closed.
    pub in_branches: Option<Vec<InBranch>>,
    /// With velocity constraints, the forms for all constraints together, W = [J; A] in the place of J and
    /// as many more dependent coordinates: multipliers of both kinds, equations without any, ker W.
    pub whole: Option<Derivation>,
    /// Was all simplified and tried?
    pub extent: Extent,
    /// Where det J_D is zero because some constraints imply others: the forms are those of the independent ones.
    pub redundancy: Option<Redundancy>,
    /// What the reader should know.
    pub notes: Vec<Remark>,
}

/// What is to be said beside equations.
#[derive(Clone, Debug, PartialEq)]
pub enum Remark {
    /// The equations tell the turns of a coordinate apart, which its inverse function does not: they are not given
    /// in the independent coordinates alone.
    TurnsMatter {
        /// The coordinate.
        coordinate: usize,
    },
    /// The multipliers are long in closed form: they are given one from another.
    Recursion,
    /// J_D has a block too large to solve in symbols: its multipliers are given by their equations.
    LargeBlock {
        /// The constraints of the largest.
        constraints: usize,
    },
    /// The file gives the name of a force column to something else, which it then stands for.
    Taken {
        /// The name.
        name: String,
    },
    /// det J_D is zero everywhere.
    Vanishes {
        /// The choice.
        dependent: Vec<usize>,
        /// Is there another choice with a determinant that is not?
        another: bool,
    },
}

impl Derived {
    /// The equations without the dependent accelerations, and their forms for a reader, where these
    /// are not too long.
    pub fn eliminated_written(&self, model: &Model) -> Option<(&Eliminated, &Written)> {
        let e = self.eliminated.as_ref()?;
        Some((e, e.written(&model.system)?))
    }
}

impl Model {
    /// Prepares a system.
    pub fn new(system: System) -> Self {
        let prepared = || {
            let equations = Equations::new(&system);
            let theorem = Theorem::new(&system, &equations);
            (equations, theorem)
        };
        let ((equations, theorem), extent) = asked(prepared);
        Self {
            extent,
            variable_names: system.coordinates.iter().map(|c| c.name.clone()).collect(),
            ranging: Vec::new(),
            constraint_names: system.constraints.iter().map(|c| c.name.clone()).collect(),
            multiplier_names: {
                let own = system.constraints.iter().map(|c| &c.name);
                let velocity = system.velocity_constraints.iter().map(|c| &c.name);
                own.chain(velocity).cloned().collect()
            },
            system,
            equations,
            theorem,
            holonomy: OnceCell::new(),
            base: OnceCell::new(),
            bounds: OnceCell::new(),
            angles: OnceCell::new(),
        }
    }

    /// The same with parameters that range over intervals: in boxes they come after the coordinates.
    #[must_use]
    pub fn ranging(mut self, parameters: &[usize]) -> Self {
        self.variable_names.truncate(self.system.coordinates.len());
        let list = parameters.iter().map(|p| &self.system.parameters[*p]);
        self.variable_names.extend(list.map(|p| p.name.clone()));
        self.ranging = parameters.to_vec();
        (self.bounds, self.angles) = (OnceCell::new(), OnceCell::new());
        self
    }

    /// The names of the coordinates.
    pub fn coordinate_names(&self) -> &[String] {
        &self.variable_names[..self.system.coordinates.len()]
    }

    /// The names of the coordinates, and of the parameters that range.
    pub fn variable_names(&self) -> &[String] {
        &self.variable_names
    }

    /// The parameters that range.
    pub fn ranging_parameters(&self) -> &[usize] {
        &self.ranging
    }

    /// The names of the constraints.
    pub fn constraint_names(&self) -> &[String] {
        &self.constraint_names
    }

    /// The names of the constraints, then those of the velocity constraints: each has a multiplier.
    pub fn multiplier_names(&self) -> &[String] {
        &self.multiplier_names
    }

    /// Which velocity constraints are holonomic ones in disguise.
    pub fn holonomy(&self) -> &[Holonomy] {
        self.holonomy
            .get_or_init(|| asked(|| holonomy(&self.system)).0)
    }

    /// Do the constraints depend on time?
    pub fn rheonomic(&self) -> bool {
        let zero = self.system.pool.zero();
        self.equations.f_t.iter().any(|e| *e != zero)
    }

    /// The names of these coordinates.
    pub fn names(&self, list: &[usize]) -> Vec<String> {
        list.iter()
            .filter_map(|&k| self.variable_names.get(k).cloned())
            .collect()
    }

    /// The system compiled for the solver, watching det J_D of this choice.
    pub fn compiled(&self, dependent: &[usize]) -> CompiledSystem {
        let determinant = || SymbolicDeterminant::new(&self.system, &self.equations, dependent);
        let own = asked(determinant).0;
        let parts = (&self.system, &self.equations);
        self.base().watching(parts, &own, dependent)
    }

    /// The system compiled, once.
    fn base(&self) -> &CompiledSystem {
        self.base
            .get_or_init(|| CompiledSystem::new(&self.system, &self.equations).with(&self.theorem))
    }

    /// The constraints over boxes.
    pub fn bounds(&self) -> &Bounds {
        self.bounds.get_or_init(|| {
            let system = &self.system;
            let pool = &system.pool;
            let ranges = |place: usize| self.ranging.contains(&place);
            let symbols = self.ranging.iter().map(|p| system.parameters[*p].symbol);
            let own = system.coordinates.iter().map(|c| c.x);
            let variables: Vec<Expr> = own.chain(symbols).chain([system.t]).collect();
            let all = system.parameters.iter().enumerate();
            let constants = all.clone().filter(|(place, _)| !ranges(*place));
            let constants: Vec<(Expr, Interval)> = constants
                .map(|(_, p)| (p.symbol, Interval::nearest(p.value)))
                .collect();
            // what is worked out of parameters that range goes with them
            let mut following = FxHashMap::default();
            for (place, p) in all.filter(|_| !self.ranging.is_empty()) {
                let given = pool.substitute(p.given, &following);
                if !ranges(place) && pool.contains_any(given, &variables) {
                    following.insert(p.symbol, given);
                }
            }
            let along = |e: Expr| {
                if following.is_empty() {
                    return e;
                }
                pool.substitute(e, &following)
            };
            let levels = system.constraints.iter();
            let f: Vec<Expr> = levels.map(|c| along(pool.sub(c.f, c.c))).collect();
            let gradients = self.equations.gradients.iter();
            let gradients: Matrix = gradients
                .map(|row| row.iter().map(|e| along(*e)).collect())
                .collect();
            let slopes = gradients.iter().zip(&f).zip(&self.equations.f_t);
            let slopes: Matrix = slopes
                .map(|((row, f), f_t)| {
                    let symbols = &variables[row.len()..variables.len() - 1];
                    let by = symbols.iter().map(|p| pool.derivative(*f, *p));
                    let f_t = [along(*f_t)];
                    row.iter().copied().chain(by).chain(f_t).collect()
                })
                .collect();
            let equations =
                interval::Equations::with_gradients(pool, &variables, &constants, &f, &slopes);
            Bounds {
                equations,
                variables,
                constants,
                f,
                gradients,
                following,
            }
        })
    }

    /// The constraints together with det J_D = 0, over boxes; `None` where the determinant is too large to
    /// write out.
    pub fn with_determinant(&self, dependent: &[usize]) -> Option<interval::Equations> {
        let det = SymbolicDeterminant::new(&self.system, &self.equations, dependent);
        let pool = &self.system.pool;
        let bounds = self.bounds();
        let square_free = if self.ranging.is_empty() {
            pool.product(det.factors.iter().copied())
        } else {
            // what depends on parameters alone vanishes for some of them
            let blocks = det.blocks.iter().map(|(.., value)| *value);
            let blocks = blocks.collect::<Option<Vec<Expr>>>()?;
            let factors = blocks.into_iter().flat_map(|value| {
                let value = pool.substitute(value, &bounds.following);
                let found = pool.factors(value);
                let bases = found.factors.into_iter().map(|(factor, _)| factor);
                bases.chain([found.unit]).collect::<Vec<Expr>>()
            });
            pool.product(factors)
        };
        det.whole.filter(|_| !det.vanishes)?;
        let list: Vec<Expr> = bounds.f.iter().copied().chain([square_free]).collect();
        Some(interval::Equations::new(
            pool,
            &bounds.variables,
            &bounds.constants,
            &list,
        ))
    }

    /// A choice of dependent coordinates, prepared for proofs.
    pub fn chart(&self, dependent: &[usize]) -> Chart {
        let bounds = self.bounds();
        Chart::new(
            &self.system.pool,
            &bounds.variables,
            &bounds.constants,
            &bounds.gradients,
            dependent,
        )
    }

    /// The problem as the solver sees it.
    pub fn problem<'a>(&'a self, compiled: &'a CompiledSystem, dependent: &[usize]) -> Problem<'a> {
        Problem {
            dynamics: compiled,
            dependent: Some(dependent.to_vec()),
            coordinates: self.coordinate_names(),
            constraints: &self.multiplier_names,
        }
    }

    /// What the file gives of the start, with single values replaced.
    pub fn given(&self, overrides: &Overrides) -> Given {
        let start = &self.system.start;
        let mut given = Given {
            t: overrides.t.unwrap_or(start.t),
            x: start.x.clone(),
            v: start.v.clone(),
            guess_x: self.system.guess.x.clone(),
            guess_v: self.system.guess.v.clone(),
        };
        for &(k, value) in &overrides.x {
            given.x[k] = Some(value);
        }
        for &(k, value) in &overrides.v {
            given.v[k] = Some(value);
        }
        given
    }

    /// Have all values of the start that are not replaced a finite number?
    ///
    /// # Errors
    /// Those that have none.
    pub fn unvalued(&self, overrides: &Overrides) -> Result<(), SolverError> {
        let given = |list: &[(usize, f64)], k: usize| list.iter().any(|(own, _)| *own == k);
        let stands = |of: Unvalued| match of {
            Unvalued::Time => overrides.t.is_none(),
            Unvalued::Coordinate(k) => !given(&overrides.x, k),
            Unvalued::Velocity(k) => !given(&overrides.v, k),
        };
        let faults = self.system.start.faults.iter();
        let faults = faults.filter(|(of, _)| stands(*of));
        let faults: Vec<Diagnostic> = faults.map(|(_, fault)| fault.clone()).collect();
        if faults.is_empty() {
            return Ok(());
        }
        Err(SolverError::Unvalued { faults })
    }

    /// A time and a place to look about, and why they are not the start where it cannot be made: then they are what is
    /// given of it, and where its search would begin.
    pub fn around(&self, overrides: &Overrides) -> ((f64, Vec<f64>), Option<RequestError>) {
        match self.site(overrides) {
            Ok(site) => ((site.t, site.x), None),
            Err(why) => {
                let given = self.given(overrides);
                let places = given.x.iter().zip(&given.guess_x);
                let x = places.map(|(x, guess)| x.unwrap_or(*guess));
                ((given.t, x.collect()), Some(why))
            }
        }
    }

    /// The consistent start.
    pub fn start(&self, overrides: &Overrides) -> Result<solver::Start, SolverError> {
        self.unvalued(overrides)?;
        let mut start = solver::consistent_start(&self.unwatched(), &self.given(overrides))?;
        let place = (start.t, start.x.as_slice());
        let rough = self.theorem.rough(&self.system, place, &start.correction);
        start.rough = rough.map(|rough| rough.constraint);
        Ok(start)
    }

    /// The account of a start made of these values: what was moved, solved for, and found beside it.
    pub fn assembly(&self, overrides: &Overrides, start: &solver::Start) -> solver::Assembly {
        solver::assembly(
            &self.unwatched(),
            &self.given(overrides),
            start,
            self.angles(),
        )
    }

    /// The problem of a start, which watches no determinant.
    pub(super) fn unwatched(&self) -> Problem<'_> {
        Problem {
            dependent: None,
            ..self.problem(self.base(), &[])
        }
    }

    /// The dependent coordinates to use at a position: the user's, else the file's, else the best
    /// conditioned there, else (where no choice works) the first that works somewhere.
    pub fn choice(
        &self,
        asked: Option<&[usize]>,
        (t, x): (f64, &[f64]),
        corrections: &[f64],
    ) -> Vec<usize> {
        if let Some(list) = asked.or(self.system.dependent.as_deref()) {
            return list.to_vec();
        }
        self.theorem
            .best_choice(&self.system, t, x, corrections)
            .unwrap_or_else(|| self.generic_choice())
    }

    /// A choice that works at some scattered point; the first coordinates where none does.
    fn generic_choice(&self) -> Vec<usize> {
        let n = self.system.coordinates.len();
        (0..8)
            .find_map(|index| {
                let x: Vec<f64> = (0..n).map(|k| 3.0 * scattered(index, k) - 1.3).collect();
                let t = self.system.start.t;
                let ranking = self.theorem.choices(&self.system, t, &x, &[]);
                // the first in the order of the coordinates reads best
                ranking.choices.into_iter().min()
            })
            .unwrap_or_else(|| (0..self.system.constraints.len()).collect())
    }

    /// The equations of motion for a choice of dependent coordinates: the user's, the file's, or the
    /// best conditioned at the start.
    ///
    /// ```
    /// use holonom::analysis::Model;
    /// use holonom::system::{System, find};
    ///
    /// let text = find("bead_on_parabola").expect("it is built in").text;
    /// let model = Model::new(System::parse(text, "bead", &[]).expect("it is right"));
    /// let derived = model.derive(None);
    /// // E_k - lambda df/dx_k, an expression a coordinate
    /// assert_eq!(derived.standard.len(), 2);
    /// assert!(model.system.pool.print(derived.standard[1]).contains("lambda_wire"));
    /// ```
    pub fn derive(&self, dependent: Option<&[usize]>) -> Derived {
        let (derived, extent) = asked_within(FOR_A_DERIVATION, || self.derived(dependent));
        Derived { extent, ..derived }
    }

    fn derived(&self, asked: Option<&[usize]>) -> Derived {
        let dependent = match asked.or(self.system.dependent.as_deref()) {
            Some(list) => list.to_vec(),
            None => match self.start(&Overrides::default()) {
                Ok(start) => self.choice(None, (start.t, &start.x), &start.correction),
                Err(_) => self.generic_choice(),
            },
        };
        let equations = &self.equations;
        let Reduction {
            mut derivation,
            inverse,
            eliminated,
            in_branches,
        } = forms(&self.system, equations, &dependent);
        let (mut notes, mut found) = (Vec::new(), None);
        if let Some(k) = turns_matter(&self.system, &derivation, inverse.branches()) {
            notes.push(Remark::TurnsMatter { coordinate: k });
        }
        let taken = self.system.taken.iter();
        notes.extend(taken.map(|name| Remark::Taken { name: name.clone() }));
        if derivation.multipliers.is_none() {
            let det = SymbolicDeterminant::new(&self.system, &self.equations, &dependent);
            if !det.vanishes {
                notes.extend(derivation.recursion.as_deref().map(Remark::of_blocks));
            } else if let Some(redundancy) = self.redundancy() {
                derivation = self.without_redundant(&redundancy);
                found = Some(redundancy);
            } else {
                // constraints that contradict each other may leave no choice at all
                let other = self.generic_choice();
                let other = SymbolicDeterminant::new(&self.system, &self.equations, &other);
                notes.push(Remark::Vanishes {
                    dependent: dependent.clone(),
                    another: !other.vanishes,
                });
            }
        }
        Derived {
            standard: self.equations.standard(&self.system),
            derivation,
            inverse,
            eliminated,
            in_branches,
            whole: self.whole_derivation(&dependent),
            extent: Extent::Whole,
            redundancy: found,
            notes,
        }
    }

    /// The forms for W = [J; A], with the dependent coordinates and as many others as there are velocity
    /// constraints: those that are best conditioned at the start, or at a scattered point.
    fn whole_derivation(&self, dependent: &[usize]) -> Option<Derivation> {
        let system = &self.system;
        let (n, m) = (system.coordinates.len(), system.constraints.len());
        let p = system.velocity_constraints.len();
        if p == 0 || dependent.len() != m {
            return None;
        }
        let scattered_places = (0..4).map(|index| {
            let x: Vec<f64> = (0..n).map(|k| 3.0 * scattered(index, k) - 1.3).collect();
            (system.start.t, x)
        });
        let start = self.start(&Overrides::default()).ok();
        let places = start
            .map(|s| (s.t, s.x))
            .into_iter()
            .chain(scattered_places);
        let all = places
            .into_iter()
            .find_map(|(t, x)| self.with_velocities(dependent, (t, &x)))?;
        let (own, velocity) = (&self.equations, &self.equations.velocity);
        let both = |a: &Matrix, b: &Matrix| a.iter().chain(b).cloned().collect::<Matrix>();
        let ends = |a: &[Expr], b: &[Expr]| a.iter().chain(b).copied().collect::<Vec<Expr>>();
        let equations = Equations {
            left_to_constraints: own.euler_lagrange.clone(),
            jacobian: both(&own.jacobian, &velocity.rows),
            gradients: both(&own.gradients, &velocity.rows),
            f_t: ends(&own.f_t, &velocity.b),
            gamma: ends(&own.gamma, &velocity.gamma),
            ..own.clone()
        };
        Some(within(FOR_FORMS, || {
            let mut whole = Derivation::new(system, &equations, &all);
            // what is zero by the constraints is put in, where that is no longer
            let eliminated = Eliminated::new(system, &equations, &whole);
            let written = eliminated.as_ref().and_then(|e| e.written(system));
            if let (Some(list), Some(written)) = (&mut whole.reduced, written) {
                for (own, other) in list.iter_mut().zip(&written.equations) {
                    if system.pool.cost(*other) <= system.pool.cost(*own) {
                        *own = *other;
                    }
                }
            }
            whole
        }))
    }

    /// Dependent coordinates for W at a position: these, and the best others in A B.
    fn with_velocities(&self, dependent: &[usize], (t, x): (f64, &[f64])) -> Option<Vec<usize>> {
        let (n, m) = (x.len(), dependent.len());
        let p = self.system.velocity_constraints.len();
        let mut value = solver::ConstraintValue::new(n, m);
        let mut speeds = solver::VelocityValue::new(n, p);
        let base = self.base();
        base.constraint(t, x, &mut value);
        base.velocity(t, x, &mut speeds);
        let free: Vec<usize> = (0..n).filter(|k| !dependent.contains(k)).collect();
        let block = value.jacobian.select_columns(dependent).try_inverse()?;
        let slopes = block * value.jacobian.select_columns(&free);
        let along =
            speeds.rows.select_columns(&free) - speeds.rows.select_columns(dependent) * slopes;
        let best = solver::best_choice(&along)?;
        let mut all: Vec<usize> = best.into_iter().map(|i| free[i]).collect();
        all.extend(dependent);
        all.sort_unstable();
        Some(all)
    }

    /// The reduced equations of a system with redundant constraints: those of an independent subset.
    /// Its multipliers are left out: those of the whole system are not unique.
    fn without_redundant(&self, redundancy: &Redundancy) -> Derivation {
        let pick = |list: &[Expr]| redundancy.rows.iter().map(|&b| list[b]).collect();
        let pick_rows = |rows: &Matrix| redundancy.rows.iter().map(|&b| rows[b].clone()).collect();
        let equations = Equations {
            jacobian: pick_rows(&self.equations.jacobian),
            gradients: pick_rows(&self.equations.gradients),
            f_t: pick(&self.equations.f_t),
            gamma: pick(&self.equations.gamma),
            ..self.equations.clone()
        };
        let mut derivation = Derivation::new(&self.system, &equations, &redundancy.dependent);
        derivation.multipliers = None;
        derivation.recursion = None;
        for step in &mut derivation.stepwise {
            step.constraint = redundancy.rows[step.constraint];
        }
        derivation
    }

    /// Constraints that others imply on the constraint set round the start, or round the point of it next to what is
    /// given where that is none; `None` where there are no such.
    pub fn redundancy(&self) -> Option<Redundancy> {
        let problem = self.unwatched();
        let given = self.given(&Overrides::default());
        let start = solver::consistent_position(&problem, &given).or_else(|_| {
            let places = given.x.iter().zip(&given.guess_x);
            let guess_x = places.map(|(x, guess)| x.unwrap_or(*guess)).collect();
            let nothing = Given::nothing(given.t, given.x.len());
            solver::consistent_position(&problem, &Given { guess_x, ..nothing })
        });
        let start = start.ok()?;
        let at = (start.t, start.x.as_slice());
        let Structure::Redundant { rows, others } =
            solver::position_structure(&problem, at, &start.correction).ok()?
        else {
            return None;
        };
        let local = self
            .theorem
            .local(&self.system, at.0, at.1, &start.correction);
        let dependent = ranked(&local.rows(&rows)).choices.into_iter().next()?;
        Some(Redundancy {
            rows,
            dependent,
            others,
        })
    }
}

impl Remark {
    /// Why the multipliers are given one from another.
    fn of_blocks(blocks: &[MultiplierBlock]) -> Self {
        let unsolved = blocks.iter().filter(|b| b.multipliers.is_none());
        let most = unsolved.map(|b| b.constraints.len()).max();
        most.map_or(Remark::Recursion, |constraints| Remark::LargeBlock {
            constraints,
        })
    }

    /// What kind of remark it is, as JSON names it.
    pub fn name(&self) -> &'static str {
        match self {
            Remark::TurnsMatter { .. } => "turns_matter",
            Remark::Recursion => "recursion",
            Remark::LargeBlock { .. } => "large_block",
            Remark::Taken { .. } => "name_taken",
            Remark::Vanishes { .. } => "determinant_zero",
        }
    }
}

/// Redundant constraints.
#[derive(Clone, Debug, PartialEq)]
pub struct Redundancy {
    /// A largest set of constraints with independent gradients.
    pub rows: Vec<usize>,
    /// Dependent coordinates for these.
    pub dependent: Vec<usize>,
    /// The others.
    pub others: Vec<Redundant>,
}
