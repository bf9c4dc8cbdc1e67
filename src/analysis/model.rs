//! A system with what is derived of it once for all questions.

use super::sudden::OfTime;
use super::{Account, Bounds, CompiledSystem};
use crate::expr::{Expr, Extent, asked};
use crate::interval;
use crate::mechanics::{Equations, Holonomy, holonomy};
use crate::solver::{ConstraintValue, Dynamics, Problem};
use crate::system::System;
use crate::theorem::{Chart, SymbolicDeterminant, Theorem, best, scattered};
use std::cell::OnceCell;

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
    multiplier_names: Vec<String>,
    holonomy: OnceCell<Vec<Holonomy>>,
    base: OnceCell<CompiledSystem>,
    account: OnceCell<Account>,
    bounds: OnceCell<Bounds>,
    pub(super) angles: OnceCell<Vec<(usize, f64)>>,
    pub(super) timed: OnceCell<Vec<OfTime>>,
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
            account: OnceCell::new(),
            bounds: OnceCell::new(),
            angles: OnceCell::new(),
            timed: OnceCell::new(),
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
        &self.multiplier_names[..self.system.constraints.len()]
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

    /// Momenta, energy, forces; worked out once.
    pub fn account(&self) -> &Account {
        self.account
            .get_or_init(|| Account::new(&self.system, &self.equations))
    }

    /// The constraints over boxes.
    pub fn bounds(&self) -> &Bounds {
        self.bounds
            .get_or_init(|| Bounds::new(&self.system, &self.equations, &self.ranging))
    }

    /// The constraints together with det J_D = 0, over boxes; `None` where the determinant is too large to
    /// write out.
    pub fn with_determinant(&self, dependent: &[usize]) -> Option<interval::Equations> {
        let det = SymbolicDeterminant::new(&self.system, &self.equations, dependent);
        self.bounds().with_determinant(&self.system.pool, &det)
    }

    /// A choice of dependent coordinates, prepared for proofs.
    pub fn chart(&self, dependent: &[usize]) -> Chart {
        self.bounds().chart(&self.system.pool, dependent)
    }

    /// Do the constraints depend on time?
    pub fn rheonomic(&self) -> bool {
        self.equations.rheonomic(&self.system)
    }

    /// The names of these coordinates.
    pub fn names(&self, list: &[usize]) -> Vec<String> {
        list.iter()
            .filter_map(|&k| self.variable_names.get(k).cloned())
            .collect()
    }

    /// The names of these constraints, velocity constraints after the others.
    pub fn constraints_named(&self, list: &[usize]) -> Vec<String> {
        let name = |b: &usize| self.multiplier_names.get(*b).cloned();
        list.iter().filter_map(name).collect()
    }

    /// The system compiled for the solver, watching det J_D of this choice.
    pub fn compiled(&self, dependent: &[usize]) -> CompiledSystem {
        let parts = (&self.system, &self.equations);
        self.base().watching(parts, dependent)
    }

    /// f - c and its derivatives at a position.
    pub(super) fn constraint_value(&self, t: f64, x: &[f64]) -> ConstraintValue {
        let mut value = ConstraintValue::new(x.len(), self.system.constraints.len());
        self.base().constraint(t, x, &mut value);
        value
    }

    /// The system compiled, once.
    pub(super) fn base(&self) -> &CompiledSystem {
        self.base
            .get_or_init(|| CompiledSystem::new(&self.system, &self.equations, &self.theorem))
    }

    /// The same for systems that differ in the values of these parameters: one code for all of them.
    #[must_use]
    pub fn changing(self, parameters: &[usize]) -> Self {
        let pool = &self.system.pool;
        let mut changing: Vec<Expr> = Vec::new();
        for (index, p) in self.system.parameters.iter().enumerate() {
            if parameters.contains(&index) || pool.contains_any(p.written, &changing) {
                changing.push(p.symbol);
            }
        }
        let base = self.base().clone().changing(changing);
        Self {
            base: OnceCell::from(base),
            ..self
        }
    }

    /// Gives parameters other values ([`System::set_parameters`]). Nothing is derived anew.
    #[must_use]
    pub fn set_parameters(&mut self, changes: &[(usize, f64)]) -> bool {
        if !self.system.set_parameters(changes) {
            return false;
        }
        if let Some(base) = self.base.get_mut() {
            base.take_parameters(&self.system);
        }
        (self.bounds, self.angles) = (OnceCell::new(), OnceCell::new());
        (self.account, self.holonomy) = (OnceCell::new(), OnceCell::new());
        true
    }

    /// Near what depends on time alone and changes suddenly: times at which steps of a motion end, and those at which the next
    /// ones begin.
    pub(super) fn sudden_times(&self, span: (f64, f64)) -> Vec<[f64; 2]> {
        let timed = self
            .timed
            .get_or_init(|| OfTime::all(&self.system, &self.equations));
        OfTime::sudden_times(timed, &self.system, span)
    }

    /// The same from the first to the last of some times of a motion.
    fn sudden_among(&self, times: &[f64]) -> Vec<[f64; 2]> {
        let ends = times.first().zip(times.last());
        ends.map_or_else(Vec::new, |(first, last)| self.sudden_times((*first, *last)))
    }

    /// The same one after the other.
    pub fn breaks(&self, times: &[f64]) -> Vec<f64> {
        let mut list = self.sudden_among(times).concat();
        list.dedup();
        list
    }

    /// Those of them at which something jumps: the times right behind.
    pub(super) fn jumps(&self, times: &[f64]) -> Vec<f64> {
        let pairs = self.sudden_among(times).into_iter();
        let jumps = pairs.filter(|[a, b]| a != b);
        jumps.map(|[_, behind]| behind).collect()
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
        let local = self.theorem.local(&self.system, t, x, corrections);
        best(&local).unwrap_or_else(|| self.generic_choice())
    }

    /// A choice that works at some scattered point; the first coordinates where none does.
    pub(super) fn generic_choice(&self) -> Vec<usize> {
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
}
