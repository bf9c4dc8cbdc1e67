//! The reduced equations with the dependent accelerations eliminated.
//!
//! The constraints, differentiated once and twice, give them without knowing g:
//!
//! ```text
//! x_D'  = J_D^-1 (-J_I x_I' - f_t)
//! x_D'' = J_D^-1 (gamma - J_I x_I'')
//! ```
//!
//! What is left are n - m equations in x_I'', their coefficients functions of all coordinates and
//! velocities, with x_D standing for the inverse functions and x_D' for the first line: as one would
//! write them by hand, one form for all branches, closed or not.

use super::derivation::Derivation;
use super::equations::{Equations, equation, readable};
use crate::expr::{Expr, Matrix};
use crate::system::System;
use rustc_hash::FxHashMap;

/// More dependent coordinates than this are not eliminated: nobody reads what comes out.
const MOST_DEPENDENT: usize = 8;
/// More independent ones.
const MOST_INDEPENDENT: usize = 8;
/// Expressions longer than this are not given.
const LARGEST: usize = 6_000;
/// Nor are equations and multipliers that are longer in all: simplifying them is dear.
const LARGEST_IN_ALL: usize = 3_000;

/// The motion in the independent accelerations alone.
#[derive(Clone, Debug)]
pub struct Eliminated {
    /// x_D' as functions of x and x_I', one a dependent coordinate.
    pub velocities: Vec<Expr>,
    /// x_D'' as functions of x, x' and x_I'', one a dependent coordinate.
    pub accelerations: Vec<Expr>,
    /// L_1 with x_D left to stand for g.
    pub lagrangian: Expr,
    /// The reduced equations, one an independent coordinate; zero along every motion.
    pub equations: Vec<Expr>,
    /// lambda, one a constraint.
    pub multipliers: Vec<Expr>,
}

impl Eliminated {
    /// Eliminates x_D''; `None` where there are no multipliers in closed form, or where it
    /// is too long.
    pub fn new(system: &System, equations: &Equations, derivation: &Derivation) -> Option<Self> {
        let pool = &system.pool;
        let (reduced, multipliers) = (
            derivation.reduced.as_ref()?,
            derivation.multipliers.as_ref()?,
        );
        let (dependent, independent) = (&derivation.dependent, &derivation.independent);
        if dependent.is_empty()
            || dependent.len() > MOST_DEPENDENT
            || independent.len() > MOST_INDEPENDENT
        {
            return None;
        }
        let coordinates = &system.coordinates;
        let block: Matrix = equations
            .jacobian
            .iter()
            .map(|row| dependent.iter().map(|&k| row[k]).collect())
            .collect();
        // -J_I u, for u the independent velocities or accelerations
        let moved = |row: &[Expr], rate: &dyn Fn(usize) -> Expr| -> Vec<Expr> {
            let parts = independent.iter();
            parts
                .map(|&k| pool.neg(pool.mul(row[k], rate(k))))
                .collect()
        };
        let right: Matrix = equations
            .jacobian
            .iter()
            .zip(&equations.f_t)
            .map(|(row, &f_t)| {
                let mut parts = moved(row, &|k| coordinates[k].v);
                parts.push(pool.neg(f_t));
                vec![pool.sum(parts)]
            })
            .collect();
        let small = |list: &[Expr]| list.iter().all(|e| pool.size(*e) <= LARGEST);
        let solved = |right: &Matrix| -> Option<Vec<Expr>> {
            let rows = pool.solve_linear(&block, right)?;
            let list: Vec<Expr> = rows.iter().map(|row| row[0]).collect();
            if !small(&list) {
                return None;
            }
            Some(list.iter().map(|e| readable(pool, *e)).collect())
        };
        let velocities = solved(&right)?;
        let right: Matrix = equations
            .jacobian
            .iter()
            .zip(&equations.gamma)
            .map(|(row, &gamma)| {
                let mut parts = moved(row, &|k| coordinates[k].a);
                parts.push(gamma);
                vec![pool.sum(parts)]
            })
            .collect();
        let accelerations = solved(&right)?;
        let by: FxHashMap<Expr, Expr> = dependent
            .iter()
            .map(|&k| coordinates[k].a)
            .zip(accelerations.iter().copied())
            .collect();
        let put = |list: &[Expr]| pool.substitute_all(list, &by);
        let (reduced, multipliers) = (put(reduced), put(multipliers));
        let lists = reduced.iter().chain(&multipliers);
        if lists.map(|e| pool.size(*e)).sum::<usize>() > LARGEST_IN_ALL {
            return None;
        }
        let simple = |list: Vec<Expr>| -> Vec<Expr> {
            list.into_iter().map(|e| equation(system, e)).collect()
        };
        let first = dependent.iter().map(|&k| coordinates[k].v);
        let rates: FxHashMap<Expr, Expr> = first.zip(velocities.iter().copied()).collect();
        let lagrangian = pool.substitute(system.lagrangian, &rates);
        if !small(&[lagrangian]) {
            return None;
        }
        Some(Self {
            lagrangian: readable(pool, lagrangian),
            equations: simple(reduced),
            multipliers: simple(multipliers),
            velocities,
            accelerations,
        })
    }
}
