//! The equations of motion for a choice of dependent coordinates, with what is to be said beside them.

use super::{DomainOfG, Model, Overrides};
use crate::expr::{Expr, Extent, FOR_A_DERIVATION, Matrix, asked_within, within};
use crate::mechanics::{Derivation, Eliminated, Equations, MultiplierBlock, Written, jumps};
use crate::solver::{self, Dynamics, Given, Problem, Redundant, SolverError, Start, Structure};
use crate::system::System;
use crate::theorem::{
    Condition, FOR_FORMS, InBranch, Inverse, Reduction, SymbolicDeterminant, best, forms,
    off_level, ranked, scattered, turns_matter,
};
use std::cell::OnceCell;

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
    domain: OnceCell<Option<DomainOfG>>,
}

named! {
    /// What is to be said beside equations.
    #[derive(Clone, Debug, PartialEq)]
    pub enum Remark {
        /// The equations tell the turns of a coordinate apart, which its inverse function does not: they are not given
        /// in the independent coordinates alone.
        TurnsMatter {
            /// The coordinate.
            coordinate: usize,
        } = "turns_matter",
        /// No configuration with y = c was found on a branch: nothing is given in its independent coordinates.
        OffLevel {
            /// Where the branch is the right one.
            conditions: Vec<Condition>,
        } = "off_level",
        /// The multipliers are long in closed form: they are given one from another.
        Recursion = "recursion",
        /// J_D has a block too large to solve in symbols: its multipliers are given by their equations.
        LargeBlock {
            /// The constraints of the largest.
            constraints: usize,
        } = "large_block",
        /// The file gives the name of a force column to something else, which it then stands for.
        Taken {
            /// The name.
            name: String,
        } = "name_taken",
        /// L or a constraint may jump, which no derivative tells.
        Steps = "steps",
        /// det J_D is zero everywhere.
        Vanishes {
            /// The choice.
            dependent: Vec<usize>,
            /// Is there another choice with a determinant that is not?
            another: bool,
        } = "determinant_zero",
    }
}

/// How many equations the usual form has, and how many are left (section 12 of the report).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Count {
    /// Differential equations of the usual form: one a coordinate.
    pub differential: usize,
    /// Its algebraic equations: one a constraint. The unknowns are as many as both together.
    pub algebraic: usize,
    /// Those of them that are inverted: all, unless some constraints imply others.
    pub inverted: usize,
    /// Differential equations that are left when the constraints are inverted.
    pub left: usize,
}

impl Derived {
    /// The number of equations and unknowns.
    pub fn count(&self, system: &System) -> Count {
        let d = &self.derivation;
        Count {
            differential: system.coordinates.len(),
            algebraic: system.constraints.len(),
            inverted: d.dependent.len(),
            left: d.independent.len(),
        }
    }

    /// The equations without the dependent accelerations, and their forms for a reader, where these
    /// are not too long.
    pub fn eliminated_written(&self, model: &Model) -> Option<(&Eliminated, &Written)> {
        let e = self.eliminated.as_ref()?;
        Some((e, e.written(&model.system)?))
    }

    /// Where g is defined round the start, `F[N]`; worked out once.
    pub fn domain(&self, model: &Model) -> Option<&DomainOfG> {
        let dependent = &self.derivation.dependent;
        let found = || model.domain_at_start(dependent);
        self.domain.get_or_init(found).as_ref()
    }
}

impl Model {
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
        let start = self.start(&Overrides::default()).ok();
        let local = |s: &Start| self.theorem.local(&self.system, s.t, &s.x, &s.correction);
        let there = start.as_ref().and_then(|s| best(&local(s)));
        // gradients may be dependent on the constraints where they are not elsewhere
        let redundancy = (there.is_none()).then(|| self.redundancy()).flatten();
        let dependent = match (asked.or(self.system.dependent.as_deref()), there) {
            (Some(list), _) => list.to_vec(),
            (None, Some(best)) => best,
            (None, None) => self.generic_choice(),
        };
        let equations = &self.equations;
        let mut own = match &redundancy {
            Some(found) => Reduction {
                derivation: self.without_redundant(found),
                inverse: Inverse::Nowhere,
                eliminated: None,
                in_branches: None,
            },
            None => forms(&self.system, equations, &dependent),
        };
        let mut notes = Vec::new();
        if let (Some(start), Some(list)) = (&start, &mut own.in_branches) {
            let (branches, at) = (own.inverse.branches(), (start.t, start.x.as_slice()));
            for branch in off_level(&self.system, &own.derivation.dependent, branches, at) {
                let conditions = &branch.conditions;
                list.retain(|one| one.conditions != *conditions);
                notes.push(Remark::OffLevel {
                    conditions: conditions.clone(),
                });
            }
        }
        if let Some(k) = turns_matter(&self.system, &own.derivation, own.inverse.branches()) {
            notes.push(Remark::TurnsMatter { coordinate: k });
        }
        if jumps(&self.system, &[]) {
            notes.push(Remark::Steps);
        }
        let taken = self.system.taken.iter();
        notes.extend(taken.map(|name| Remark::Taken { name: name.clone() }));
        if redundancy.is_none() && own.derivation.multipliers.is_none() {
            let vanishes = |dependent: &[usize]| {
                SymbolicDeterminant::new(&self.system, equations, dependent).vanishes
            };
            if vanishes(&dependent) {
                // constraints that contradict each other may leave no choice at all
                notes.push(Remark::Vanishes {
                    dependent: dependent.clone(),
                    another: !vanishes(&self.generic_choice()),
                });
            } else {
                notes.extend(own.derivation.recursion.as_deref().map(Remark::of_blocks));
            }
        }
        let Reduction {
            derivation,
            inverse,
            eliminated,
            in_branches,
        } = own;
        Derived {
            standard: self.equations.standard(&self.system),
            derivation,
            inverse,
            eliminated,
            in_branches,
            whole: self.whole_derivation(&dependent),
            extent: Extent::Whole,
            redundancy,
            notes,
            domain: OnceCell::new(),
        }
    }

    /// The dependent coordinates and as many others as there are velocity constraints: those that are best conditioned at
    /// the start, or at a scattered point.
    pub(super) fn whole_choice(&self, dependent: &[usize]) -> Option<Vec<usize>> {
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
        places
            .into_iter()
            .find_map(|(t, x)| self.with_velocities(dependent, (t, &x)))
    }

    /// The forms for W = [J; A].
    fn whole_derivation(&self, dependent: &[usize]) -> Option<Derivation> {
        let system = &self.system;
        let all = self.whole_choice(dependent)?;
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
        let (n, p) = (x.len(), self.system.velocity_constraints.len());
        let value = self.constraint_value(t, x);
        let mut speeds = solver::VelocityValue::new(n, p);
        self.base().velocity(t, x, &mut speeds);
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

    /// Position constraints that others imply on the constraint set round the start, or round the point of it next to what is
    /// given where that is none; `None` where there are no such.
    pub fn redundancy(&self) -> Option<Redundancy> {
        let start = self.somewhere()?;
        let (rows, others) = self.redundant(&start, solver::position_structure)?;
        let local = self
            .theorem
            .local(&self.system, start.t, &start.x, &start.correction);
        let dependent = ranked(&local.rows(&rows)).choices.into_iter().next()?;
        Some(Redundancy {
            rows,
            dependent,
            others,
        })
    }

    /// The same of all constraints, those on velocities behind those on positions: a largest set with independent gradients, and
    /// the others.
    pub fn redundancy_of_all(&self) -> Option<(Vec<usize>, Vec<Redundant>)> {
        self.redundant(&self.somewhere()?, solver::whole_structure)
    }

    /// A point of the constraint set: the start, or the one next to what is given.
    fn somewhere(&self) -> Option<Start> {
        let problem = self.unwatched();
        let given = self.given(&Overrides::default());
        let start = solver::consistent_position(&problem, &given).or_else(|_| {
            let places = given.x.iter().zip(&given.guess_x);
            let guess_x = places.map(|(x, guess)| x.unwrap_or(*guess)).collect();
            let nothing = Given::nothing(given.t, given.x.len());
            solver::consistent_position(&problem, &Given { guess_x, ..nothing })
        });
        start.ok()
    }

    /// Independent constraints, and what others follow from them.
    fn redundant(&self, start: &Start, structure: Look) -> Option<(Vec<usize>, Vec<Redundant>)> {
        match structure(&self.unwatched(), (start.t, &start.x), &start.correction) {
            Ok(Structure::Redundant { rows, others }) => Some((rows, others)),
            _ => None,
        }
    }
}

/// How the rank of constraints is looked at.
type Look = fn(&Problem<'_>, (f64, &[f64]), &[f64]) -> Result<Structure, SolverError>;

impl Remark {
    /// Why the multipliers are given one from another.
    fn of_blocks(blocks: &[MultiplierBlock]) -> Self {
        let unsolved = blocks.iter().filter(|b| b.multipliers.is_none());
        let most = unsolved.map(|b| b.constraints.len()).max();
        most.map_or(Remark::Recursion, |constraints| Remark::LargeBlock {
            constraints,
        })
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
