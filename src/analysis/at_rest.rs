//! Equilibria as a derivation has them: the multipliers eliminated from the equations at rest, and closed forms where there are any.
//!
//! At rest E becomes P = dV/dx - Q, and with A = J^T
//!
//! ```text
//! P_k - sum_b lambda_b df_b/dx_k = 0,   f = c            n + m equations
//! det [P_D P_j; J_D J_j] = 0,           f = c            without lambda: one for each independent x_j, no division
//! ```
//!
//! The last are the reduced equations times det J_D, so they hold where the choice fails, too. Their factors, each with f = c, are solved
//! in closed form as inverse functions are, at y = c; what comes out is kept where multipliers hold the forces there.

use super::{Derived, Model, Spot};
use crate::expr::{Expr, asked_within};
use crate::geometry::{LeastNorm, binomial, combinations, independent_columns};
use crate::mechanics::{equation, readable};
use crate::theorem::{FOR_FORMS, SymbolicDeterminant, can_vanish, invert};
use nalgebra::{DMatrix, DVector};

/// More coordinates than this are not solved for in closed form.
const MOST: usize = 6;
/// Choices, of factors and of dependent coordinates, that are tried.
const CHOICES: usize = 16;
/// What multipliers by another choice may be long, in operations.
const LONGEST: usize = 2_000;
/// What the equations may miss at a closed form, in parts of their terms.
const MISS: f64 = 1e-9;
/// Gradients below this part of the largest hold nothing.
const CUT: f64 = 1e-12;

/// The derivation at rest.
#[derive(Clone, Debug)]
pub struct AtRest {
    /// P - J^T lambda, one a coordinate.
    pub usual: Vec<Expr>,
    /// lambda at rest, by the equations of one choice; `None` where it has none.
    pub multipliers: Option<RestMultipliers>,
    /// Without lambda, one an independent coordinate; `None` where they would be too long.
    pub eliminated: Option<Vec<(usize, Expr)>>,
    /// Equilibria in closed form.
    pub closed: Vec<ClosedForm>,
}

/// The multipliers at rest by the equations of one choice of dependent coordinates.
#[derive(Clone, Debug)]
pub struct RestMultipliers {
    /// The choice.
    pub dependent: Vec<usize>,
    /// lambda = J_D^-T P_D, one a constraint.
    pub list: Vec<Expr>,
    /// Whether that choice works at every configuration, as a zero of the chosen one's determinant may be the only equilibrium.
    pub everywhere: bool,
}

/// An equilibrium in closed form, checked at the values of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct ClosedForm {
    /// The coordinates.
    pub x: Vec<Expr>,
    /// The multipliers, by numbers.
    pub multipliers: Vec<f64>,
    /// Its coordinates at the values of the file.
    pub at: Vec<f64>,
    /// One-sided constraints that would have to pull there: with them in contact it is no equilibrium.
    pub pulled: Vec<usize>,
}

impl Model {
    /// The equations at rest, and what becomes of them.
    pub fn derive_at_rest(&self, derived: &Derived) -> AtRest {
        let system = &self.system;
        let d = &derived.derivation;
        let at_rest = || {
            let usual = derived.standard.iter();
            let usual = usual.map(|e| equation(system, self.rested(*e))).collect();
            let multipliers = self.multipliers_at_rest(derived);
            let eliminated = self.without_lambda(&d.dependent, &d.independent);
            let closed = eliminated.as_deref().map(|list| self.closed_forms(list));
            AtRest {
                usual,
                multipliers,
                closed: closed.unwrap_or_default(),
                eliminated,
            }
        };
        asked_within(FOR_FORMS, at_rest).0
    }

    /// An expression at rest.
    fn rested(&self, e: Expr) -> Expr {
        self.system.pool.substitute(e, &self.system.at_rest())
    }

    /// lambda by the choice of the derivation or, where that may fail, by one that does not, if there is one.
    fn multipliers_at_rest(&self, derived: &Derived) -> Option<RestMultipliers> {
        let system = &self.system;
        let pool = &system.pool;
        let d = &derived.derivation;
        let (n, m) = (system.coordinates.len(), system.constraints.len());
        let works = |choice: &[usize]| {
            let det = SymbolicDeterminant::new(system, &self.equations, choice);
            det.whole.is_some()
                && !det.vanishes
                && !det.factors.iter().any(|f| can_vanish(system, *f))
        };
        let own = |everywhere: bool| {
            let list = d.multipliers.as_ref()?.iter();
            Some(RestMultipliers {
                dependent: d.dependent.clone(),
                list: list.map(|e| readable(pool, self.rested(*e))).collect(),
                everywhere,
            })
        };
        if works(&d.dependent) {
            return own(true);
        }
        let few = d.dependent.len() == m && binomial(n, m) <= CHOICES;
        let mut others = few.then(|| combinations(n, m)).into_iter().flatten();
        let Some(choice) = others.find(|choice| works(choice)) else {
            return own(false);
        };
        let right = choice
            .iter()
            .map(|&k| vec![self.rested(self.equations.left_to_constraints[k])]);
        let rows = self.equations.columns_as_rows(&choice);
        let Some(found) = pool.solve_linear(&rows, &right.collect(), LONGEST) else {
            return own(false);
        };
        Some(RestMultipliers {
            list: found.iter().map(|row| readable(pool, row[0])).collect(),
            dependent: choice,
            everywhere: true,
        })
    }

    /// det [P_D P_j; J_D J_j] for each independent x_j.
    fn without_lambda(
        &self,
        dependent: &[usize],
        independent: &[usize],
    ) -> Option<Vec<(usize, Expr)>> {
        let system = &self.system;
        let pool = &system.pool;
        if dependent.len() != system.constraints.len() || !system.velocity_constraints.is_empty() {
            return None;
        }
        let p = self.equations.euler_lagrange.iter();
        let p: Vec<Expr> = p.map(|e| self.rested(*e)).collect();
        let minor = |&j: &usize| {
            let mut columns = dependent.to_vec();
            columns.push(j);
            let row = |row: &[Expr]| -> Vec<Expr> { columns.iter().map(|&k| row[k]).collect() };
            let rows = self.equations.jacobian.iter().map(|own| row(own));
            let matrix: Vec<Vec<Expr>> = rows.chain([row(&p)]).collect();
            let found = pool.determinant(&matrix);
            Some((j, equation(system, found.unsigned(pool)?)))
        };
        independent.iter().map(minor).collect()
    }

    fn closed_forms(&self, eliminated: &[(usize, Expr)]) -> Vec<ClosedForm> {
        let system = &self.system;
        let pool = &system.pool;
        let n = system.coordinates.len();
        if n > MOST {
            return Vec::new();
        }
        let x: Vec<Expr> = system.positions();
        // the factors of each equation: one of them is zero
        let mut choices: Vec<Vec<Expr>> = vec![Vec::new()];
        for (_, e) in eliminated {
            let mut factors = Vec::new();
            pool.factors(*e).vanishing(pool, &mut factors);
            factors.retain(|f| pool.contains_any(*f, &x));
            if factors.is_empty() {
                return Vec::new();
            }
            choices = choices
                .iter()
                .flat_map(|own| {
                    factors
                        .iter()
                        .map(|f| own.iter().copied().chain([*f]).collect::<Vec<Expr>>())
                })
                .collect();
            if choices.len() > CHOICES {
                return Vec::new();
            }
        }
        let all: Vec<usize> = (0..n).collect();
        let mut list: Vec<ClosedForm> = Vec::new();
        for factors in choices {
            let own = self.with_factors(&factors);
            let levels = own.constraints.iter().map(|c| (c.level, c.c)).collect();
            for branch in invert(&own, &all).branches() {
                let there = branch.functions.iter();
                let there = there.map(|g| own.pool.substitute(*g, &levels));
                // of a copy of the system: taken over by their text
                let x = there.map(|e| self.read_configuration(&own.pool.print(e)).ok());
                let x = x.collect::<Option<Vec<Expr>>>().unwrap_or_default();
                if x.len() != n {
                    continue;
                }
                let Some(found) = self.holding(x) else {
                    continue;
                };
                let same = |other: &ClosedForm| {
                    let mut pairs = other.at.iter().zip(&found.at);
                    pairs.all(|(a, b)| (a - b).abs() <= MISS * a.abs().max(1.0))
                };
                if !list.iter().any(same) {
                    list.push(found);
                }
            }
        }
        list
    }

    /// A closed form where multipliers hold the forces, at the values of the file.
    fn holding(&self, x: Vec<Expr>) -> Option<ClosedForm> {
        let system = &self.system;
        let nowhere = Spot {
            t: system.start.t,
            x: Vec::new(),
        };
        let at = x.iter().map(|e| nowhere.value(system, &[], *e));
        let here = Spot {
            x: at.collect(),
            ..nowhere
        };
        if !here.x.iter().all(|v| v.is_finite()) {
            return None;
        }
        let value = |e: Expr| here.value(system, &[], e);
        let (n, m) = (here.x.len(), system.constraints.len());
        let on = system.constraints.iter().all(|c| {
            let size = value(system.pool.magnitude(c.f)).abs();
            let size = size.max(c.c_value.abs()).max(1e-300);
            (value(c.f) - c.c_value).abs() <= MISS * size
        });
        if !on {
            return None;
        }
        let p = DVector::from_fn(n, |k, _| {
            value(self.rested(self.equations.euler_lagrange[k]))
        });
        let j = DMatrix::from_fn(m, n, |b, k| value(self.equations.jacobian[b][k]));
        let lambda = if m == 0 {
            DVector::zeros(0)
        } else {
            LeastNorm::new(&j.transpose())?.shortest(&p, CUT)?
        };
        let miss = (&p - j.transpose() * &lambda).amax();
        let size = p
            .amax()
            .max(j.amax() * if m == 0 { 0.0 } else { lambda.amax() })
            .max(1e-300);
        // where the gradients are dependent others may push
        let unique = independent_columns(&j, &vec![1.0; n]).len() == m;
        let pulls = |b: &usize| unique && lambda[*b] < -MISS * lambda.amax();
        (miss <= MISS * size.max(1e-12)).then(|| ClosedForm {
            pulled: system.one_sided().into_iter().filter(pulls).collect(),
            multipliers: lambda.iter().copied().collect(),
            x,
            at: here.x,
        })
    }
}
