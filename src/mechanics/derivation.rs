//! Multipliers, reduced equations, the one-constraint-at-a-time construction and d'Alembert's form
//! for one choice of dependent coordinates.

use super::equations::{Equations, equation, less, readable};
use super::map::Together;
use super::recursion::{MultiplierBlock, recursion};
use crate::expr::{Expr, LARGEST_BLOCK, Matrix, Pool, SymbolKind};
use crate::system::System;
use rustc_hash::FxHashMap;
use std::cell::{Cell, OnceCell};

/// What may be written out in closed form, in operations.
struct Limits {
    /// all multipliers
    multipliers: usize,
    /// all virtual displacements
    displacements: usize,
    /// what the steps of the one-at-a-time construction may simplify
    steps: usize,
}

impl Limits {
    /// A few constraints are always written out. Of many, multipliers that are long are given one from
    /// another (see [`recursion`]): nobody reads them, and simplifying them is dear.
    fn new(constraints: usize) -> Self {
        if constraints <= LARGEST_BLOCK {
            Self {
                multipliers: 100_000,
                displacements: 100_000,
                steps: usize::MAX,
            }
        } else {
            Self {
                multipliers: 1_200,
                displacements: 2_000,
                steps: 6_000,
            }
        }
    }
}

/// One step of the construction that takes the constraints one at a time.
#[derive(Clone, Debug)]
pub struct Step {
    /// The constraint taken in this step.
    pub constraint: usize,
    /// The dependent coordinate it eliminates.
    pub eliminates: usize,
    /// The pivot: this order of steps fails where it is zero.
    pub pivot: Expr,
    /// Its distinct factors that can vanish: where one of them is zero the step fails.
    pub fails: Vec<Expr>,
    /// The multiplier as it stands after this step; provisional in all but the last.
    pub multiplier: Expr,
}

/// The equations for one choice of dependent coordinates.
#[derive(Clone, Debug)]
pub struct Derivation {
    /// The dependent coordinates, as many as constraints, in column order.
    pub dependent: Vec<usize>,
    /// The others.
    pub independent: Vec<usize>,
    /// lambda = J_D^-T E_D, one a constraint (equation 4 of the report), E less the forces A^T mu of
    /// velocity constraints; `None` where the
    /// determinant vanishes identically, a diagonal block of J_D is too large to write out, or they
    /// would be too long.
    pub multipliers: Option<Vec<Expr>>,
    /// The same one from another, where `multipliers` is `None` because they would be too long or a
    /// block is too large.
    pub recursion: Option<Vec<MultiplierBlock>>,
    /// E_I - J_I^T lambda, one an independent coordinate (its equation 2).
    pub reduced: Option<Vec<Expr>>,
    /// Salas' construction, a constraint a step; as many steps as have a pivot, none beyond 40 constraints.
    pub stepwise: Vec<Step>,
    /// The virtual displacements of the dependent coordinates, -J_D^-1 J_I: one row a dependent
    /// coordinate, one column an independent one; `None` where they would be too long.
    pub displacements: Option<Matrix>,
    pub(super) by_levels: OnceCell<Option<Matrix>>,
    pub(super) together: OnceCell<Option<Vec<Together>>>,
}

impl Derivation {
    /// Are the virtual displacements the same everywhere, as for affine constraints? Then the motion is
    /// that of a pure differential system in fixed directions (Gekeler).
    pub fn displacements_are_constant(&self, system: &System) -> bool {
        self.displacements.as_ref().is_some_and(|rows| {
            let mut entries = rows.iter().flatten();
            entries.all(|&e| system.pool.is_constant(e))
        })
    }

    /// The multiplier of a constraint, where it is written.
    fn multiplier(&self, constraint: usize) -> Option<Expr> {
        let own = self.multipliers.as_ref().map(|list| list[constraint]);
        own.or_else(|| {
            self.recursion.iter().flatten().find_map(|block| {
                let place = block.constraints.iter().position(|b| *b == constraint)?;
                block.multipliers.as_ref().map(|list| list[place])
            })
        })
    }

    /// Is the multiplier of a step as it is with all constraints?
    pub fn is_final(&self, step: &Step) -> bool {
        self.multiplier(step.constraint) == Some(step.multiplier)
    }

    /// Derives the forms of the report for the dependent coordinates `dependent` (as many as
    /// constraints, distinct).
    pub fn new(system: &System, equations: &Equations, dependent: &[usize]) -> Self {
        let pool = &system.pool;
        let n = system.coordinates.len();
        let independent: Vec<usize> = (0..n).filter(|k| !dependent.contains(k)).collect();
        let marks = placeholders(pool, n);
        let limits = Limits::new(dependent.len());
        // J_D^T lambda = E_D
        let transposed = equations.columns_as_rows(dependent);
        let right: Matrix = dependent.iter().map(|&k| vec![marks[k]]).collect();
        let formal = pool.solve_linear(&transposed, &right, limits.multipliers);
        let actual = marks.iter().zip(&equations.left_to_constraints);
        let actual: FxHashMap<Expr, Expr> = actual.map(|(&mark, &e)| (mark, e)).collect();
        let written = formal.map(|rows| {
            let list: Vec<Expr> = rows.iter().map(|row| row[0]).collect();
            pool.substitute_all(&list, &actual)
        });
        let size = |list: &[Expr]| list.iter().map(|e| pool.size(*e)).sum::<usize>();
        let multipliers: Option<Vec<Expr>> = written
            .filter(|list| size(list) <= limits.multipliers)
            .map(|list| list.into_iter().map(|e| equation(system, e)).collect());
        let recursion = if multipliers.is_none() {
            recursion(system, equations, dependent)
        } else {
            None
        };
        let reduced = multipliers.as_ref().map(|lambda| {
            independent
                .iter()
                .map(|&k| {
                    let acting = lambda.iter().copied().zip(&equations.jacobian);
                    let e = equations.left_to_constraints[k];
                    equation(system, less(pool, e, acting, k))
                })
                .collect()
        });
        let displacements = displacements(pool, equations, (dependent, &independent), &limits);
        let stepwise = stepwise(pool, equations, dependent, &marks, &actual);
        Self {
            dependent: dependent.to_vec(),
            independent,
            multipliers,
            recursion,
            reduced,
            stepwise,
            displacements,
            by_levels: OnceCell::new(),
            together: OnceCell::new(),
        }
    }
}

/// Symbols that stand for the Euler-Lagrange expressions while a linear system is solved.
fn placeholders(pool: &Pool, n: usize) -> Vec<Expr> {
    // a name that no file can use
    let symbol = |k| pool.symbol(&format!("E#{k}"), SymbolKind::Other(usize::MAX - k));
    (0..n).map(symbol).collect()
}

fn displacements(
    pool: &Pool,
    equations: &Equations,
    (dependent, independent): (&[usize], &[usize]),
    limits: &Limits,
) -> Option<Matrix> {
    const MOST: usize = 400;
    if dependent.len() * independent.len() > MOST {
        return None;
    }
    let mut right = equations.columns(independent);
    for e in right.iter_mut().flatten() {
        *e = pool.neg(*e);
    }
    solved(pool, (equations, dependent), &right, limits.displacements)
}

/// J_D^-1 times this matrix, simplified for reading; `None` as for [`Pool::solve_linear`].
pub(super) fn solved(
    pool: &Pool,
    (equations, dependent): (&Equations, &[usize]),
    right: &Matrix,
    largest: usize,
) -> Option<Matrix> {
    let mut solved = pool.solve_linear(&equations.columns(dependent), right, largest)?;
    for e in solved.iter_mut().flatten() {
        *e = readable(pool, *e);
    }
    Some(solved)
}

/// The distinct factors of an expression that are no constants.
fn vanishing(pool: &Pool, e: Expr) -> Vec<Expr> {
    let mut list = Vec::new();
    pool.factors(e).vanishing(pool, &mut list);
    list
}

/// Gaussian elimination on J_D^T lambda = E_D, a constraint a step: step b eliminates the first
/// dependent coordinate left whose pivot is not identically zero (Salas, sections 2 and 3).
fn stepwise(
    pool: &Pool,
    equations: &Equations,
    dependent: &[usize],
    marks: &[Expr],
    actual: &FxHashMap<Expr, Expr>,
) -> Vec<Step> {
    const LONGEST: usize = 2_000;
    const MOST: usize = 40;
    // where elimination fills the matrix in, the steps end early
    let limits = Limits::new(dependent.len());
    let spent = Cell::new(0_usize);
    let simple = |e: Expr| {
        spent.set(spent.get().saturating_add(pool.size(e)));
        readable(pool, e)
    };
    let m = dependent.len();
    if m > MOST {
        return Vec::new(); // elimination fills the matrix in: nobody reads that
    }
    let columns = dependent.iter().zip(equations.columns_as_rows(dependent));
    let mut rows: Vec<(usize, Vec<Expr>, Expr)> =
        columns.map(|(&k, row)| (k, row, marks[k])).collect();
    let mut steps = Vec::new();
    for b in 0..m {
        let Some(place) = rows
            .iter()
            .position(|(_, row, _)| pool.is_zero(row[b]) == Some(false))
        else {
            break;
        };
        let (k, pivot_row, pivot_right) = rows.remove(place);
        let pivot = simple(pivot_row[b]);
        let multiplier = pool.substitute(pool.div(pivot_right, pivot), actual);
        steps.push(Step {
            constraint: b,
            eliminates: k,
            pivot,
            fails: vanishing(pool, pivot),
            multiplier: simple(multiplier),
        });
        for (_, row, right) in &mut rows {
            if row[b] == pool.zero() {
                continue;
            }
            let factor = simple(pool.div(row[b], pivot));
            for c in b..m {
                let change = pool.mul(factor, pivot_row[c]);
                row[c] = simple(pool.sub(row[c], change));
            }
            *right = simple(pool.sub(*right, pool.mul(factor, pivot_right)));
            if pool.size(*right) > LONGEST || spent.get() > limits.steps {
                return steps;
            }
        }
    }
    steps
}
