//! The equations of motion in the independent coordinates alone, branch by branch.
//!
//! x_D = g(c, x_I; t) and its time derivatives go into the reduced equations and the multipliers.

use super::inverse::{Branch, Condition, Relation, drift, undone};
use crate::expr::Expr;
use crate::mechanics::{Derivation, equation, readable};
use crate::system::System;
use rustc_hash::FxHashMap;

/// Equations longer than this are not given: nobody reads them.
const LARGEST: usize = 4_000;

/// The equations on one branch of the inverse.
#[derive(Clone, Debug)]
pub struct InBranch {
    /// Where the branch is the right one.
    pub conditions: Vec<Condition>,
    /// One an independent coordinate, zero along every motion.
    pub equations: Vec<Expr>,
    /// lambda, one a constraint.
    pub multipliers: Vec<Expr>,
}

/// Puts the inverse functions into a derivation; `None` where there is no closed form or it is too long.
pub fn independent_equations(
    system: &System,
    derivation: &Derivation,
    branches: &[Branch],
) -> Option<Vec<InBranch>> {
    let (reduced, multipliers) = (
        derivation.reduced.as_ref()?,
        derivation.multipliers.as_ref()?,
    );
    if branches.is_empty() || turns_matter(system, derivation, branches).is_some() {
        return None;
    }
    // on the set where a factor is zero functions have no derivatives across it
    let across = |b: &&Branch| b.conditions.iter().all(|c| c.relation != Relation::Zero);
    branches
        .iter()
        .filter(across)
        .map(|branch| {
            let by = dependent_values(system, derivation, branch)?;
            let pool = &system.pool;
            let put = |list: &[Expr]| -> Option<Vec<Expr>> {
                pool.substitute_all(list, &by)
                    .into_iter()
                    .map(|e| {
                        let e = equation(system, undone(pool, e));
                        (pool.size(e) <= LARGEST).then_some(e)
                    })
                    .collect()
            };
            Some(InBranch {
                conditions: branch.conditions.clone(),
                equations: put(reduced)?,
                multipliers: put(multipliers)?,
            })
        })
        .collect()
}

/// The coordinate whose turns the equations tell apart, so that they cannot be written by its inverse.
pub fn turns_matter(
    system: &System,
    derivation: &Derivation,
    branches: &[Branch],
) -> Option<usize> {
    let lists = [
        derivation.reduced.as_deref()?,
        derivation.multipliers.as_deref()?,
    ];
    let mut periods = branches.iter().flat_map(|b| &b.periods);
    periods
        .find(|&&(k, period)| repeats(system, (k, period), lists).is_none())
        .map(|(k, _)| *k)
}

/// A coordinate that repeats with a period is known up to that: `None` where the equations tell its
/// turns apart.
fn repeats(system: &System, (k, period): (usize, Expr), lists: [&[Expr]; 2]) -> Option<()> {
    let pool = &system.pool;
    for &e in lists.into_iter().flatten() {
        if drift(pool, e, system.coordinates[k].x, period)? != pool.zero() {
            return None;
        }
    }
    Some(())
}

/// x_D, x_D' and x_D'' as functions of the independent coordinates, at y = c.
fn dependent_values(
    system: &System,
    derivation: &Derivation,
    branch: &Branch,
) -> Option<FxHashMap<Expr, Expr>> {
    let pool = &system.pool;
    let levels: FxHashMap<Expr, Expr> = system.constraints.iter().map(|c| (c.level, c.c)).collect();
    let rates = system.rates();
    let mut by = FxHashMap::default();
    for (&k, &g) in derivation.dependent.iter().zip(&branch.functions) {
        let coordinate = &system.coordinates[k];
        let written = |e| readable(pool, undone(pool, e));
        let x = written(pool.substitute(g, &levels));
        let v = written(pool.total_derivative(x, &rates));
        let a = written(pool.total_derivative(v, &rates));
        if pool.size(a) > LARGEST {
            return None;
        }
        by.insert(coordinate.x, x);
        by.insert(coordinate.v, v);
        by.insert(coordinate.a, a);
    }
    Some(by)
}
