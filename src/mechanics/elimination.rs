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
use super::equations::{Equations, apart, equation, readable};
use crate::expr::{Expr, is_spent, within};
use crate::system::{Coordinate, System};
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

/// More dependent coordinates than this are not eliminated: nobody reads what comes out.
const MOST_DEPENDENT: usize = 8;
/// More independent ones.
const MOST_INDEPENDENT: usize = 8;
/// Expressions longer than this are not given.
const LARGEST: usize = 6_000;
/// Nor are equations and multipliers that are longer in all: simplifying them is dear.
const LARGEST_IN_ALL: usize = 3_000;

/// What writing the equations may cost (see `within`(crate::expr::Pool::within)).
const FOR_WRITING: u64 = 800_000;

/// The motion in the independent accelerations alone, as it comes; see [`Eliminated::written`].
#[derive(Clone, Debug)]
pub struct Eliminated {
    /// x_D' as functions of x and x_I', one a dependent coordinate.
    pub velocities: Vec<Expr>,
    /// The reduced equations, one an independent coordinate; zero along every motion. Not simplified.
    pub equations: Vec<Expr>,
    /// lambda, one a constraint. Not simplified.
    pub multipliers: Vec<Expr>,
    /// x_D'', each with what it is.
    accelerations: Vec<(Expr, Expr)>,
    /// The reduced equations and the multipliers before x_D'' was put in.
    before: (Vec<Expr>, Vec<Expr>),
    lagrangian: Expr,
    written: OnceLock<Option<Written>>,
}

/// The same in the shortest forms, for a reader.
#[derive(Clone, Debug)]
pub struct Written {
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
        let block = equations.columns(dependent);
        let small = |list: &[Expr]| list.iter().all(|e| pool.size(*e) <= LARGEST);
        // J_D^-1 (rest - J_I u), for u the independent velocities or accelerations
        let solved = |rate: fn(&Coordinate) -> Expr, rest: &dyn Fn(usize) -> Expr| {
            let rows = equations.jacobian.iter().enumerate();
            let right = rows.map(|(b, row)| {
                let moved = independent.iter();
                let moved = moved.map(|&k| pool.neg(pool.mul(row[k], rate(&coordinates[k]))));
                let mut parts: Vec<Expr> = moved.collect();
                parts.push(rest(b));
                vec![pool.sum(parts)]
            });
            let rows = pool.solve_linear(&block, &right.collect(), usize::MAX)?;
            let list: Vec<Expr> = rows.iter().map(|row| row[0]).collect();
            small(&list).then_some(list)
        };
        let velocities: Vec<Expr> = solved(|c| c.v, &|b| pool.neg(equations.f_t[b]))?
            .into_iter()
            .map(|e| readable(pool, e))
            .collect();
        let second = dependent.iter().map(|&k| coordinates[k].a);
        let accelerations = second.zip(solved(|c| c.a, &|b| equations.gamma[b])?);
        let accelerations: Vec<(Expr, Expr)> = accelerations.collect();
        let by: FxHashMap<Expr, Expr> = accelerations.iter().copied().collect();
        let before = (reduced.clone(), multipliers.clone());
        let put = |list: &[Expr]| pool.substitute_all(list, &by);
        let (reduced, multipliers) = (put(reduced), put(multipliers));
        let lists = reduced.iter().chain(&multipliers);
        if lists.map(|e| pool.size(*e)).sum::<usize>() > LARGEST_IN_ALL {
            return None;
        }
        let first = dependent.iter().map(|&k| coordinates[k].v);
        let rates: FxHashMap<Expr, Expr> = first.zip(velocities.iter().copied()).collect();
        let lagrangian = pool.substitute(system.lagrangian, &rates);
        if !small(&[lagrangian]) {
            return None;
        }
        Some(Self {
            velocities,
            equations: reduced,
            multipliers,
            accelerations,
            before,
            lagrangian,
            written: OnceLock::new(),
        })
    }

    /// The forms for a reader, made when they are first asked for; `None` where that would take too
    /// much work: then they are too long to be read.
    pub fn written(&self, system: &System) -> Option<&Written> {
        let write = || {
            let pool = &system.pool;
            within(FOR_WRITING, || {
                let read = |(x, e): &(Expr, Expr)| (*x, readable(pool, *e));
                let accelerations: Vec<(Expr, Expr)> =
                    self.accelerations.iter().map(read).collect();
                // tidy accelerations put in come out tidier
                let by: FxHashMap<Expr, Expr> = accelerations.iter().copied().collect();
                let simple = |list: &[Expr]| -> Vec<Expr> {
                    let list = pool.substitute_all(list, &by);
                    list.into_iter().map(|e| equation(system, e)).collect()
                };
                let written = Written {
                    accelerations: accelerations.into_iter().map(|(_, e)| e).collect(),
                    lagrangian: apart(system, self.lagrangian),
                    equations: simple(&self.before.0),
                    multipliers: simple(&self.before.1),
                };
                (!is_spent()).then_some(written)
            })
        };
        self.written.get_or_init(write).as_ref()
    }
}
