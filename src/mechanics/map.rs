//! The map F = (f, x_I, t) of the report's section 4 as a whole, and what its inverse makes of the equations.
//!
//! ```text
//!                    [ J_D  J_I  f_t ]
//! dF/d(x_D, x_I, t) = [ 0    1    0   ]      det dF = +-det J_D: the rows of x_I and t have a single 1 each
//!                    [ 0    0    1   ]
//!
//! sum_k E_k dx_k/dz = lambda_b  for z = y_b,   0  for z = x_j independent          (its equations 2, 4 and 5)
//! ```
//!
//! with x = (g(y, x_I; t), x_I): one system that has the equations of the independent coordinates and those of the
//! multipliers together, at y = c.

use super::derivation::{Derivation, solved};
use super::equations::Equations;
use crate::expr::{Expr, Matrix, parity};
use crate::system::System;

/// More dependent coordinates than this are not inverted in symbols here.
const MOST: usize = 12;
/// Entries of dg/dy may take so many operations in all.
const LONGEST: usize = 20_000;

/// F with its Jacobian, rows and columns in their order: constraints, x_I, t by coordinates, t.
#[derive(Clone, Debug)]
pub struct MapF {
    /// f, x_I, t.
    pub values: Vec<Expr>,
    /// What each row is the derivative of: `y_NAME`, x_I, t.
    pub rows: Vec<Expr>,
    /// The coordinates and t.
    pub columns: Vec<Expr>,
    /// dF, n + 1 by n + 1.
    pub jacobian: Matrix,
    /// det dF = sign det J_D, -1 or 1.
    pub sign: i8,
}

impl MapF {
    /// The map of a choice of dependent coordinates.
    pub fn new(system: &System, equations: &Equations, derivation: &Derivation) -> Self {
        let pool = &system.pool;
        let (dependent, independent) = (&derivation.dependent, &derivation.independent);
        let mut columns: Vec<Expr> = system.positions();
        columns.push(system.t);
        let kept = independent.iter().map(|&k| columns[k]).chain([system.t]);
        let kept: Vec<Expr> = kept.collect();
        let own = equations.jacobian.iter().zip(&equations.f_t);
        let own = own.map(|(row, f_t)| row.iter().chain([f_t]).copied().collect());
        let unit = |e: &Expr| {
            let entry = |c: &Expr| if c == e { pool.one() } else { pool.zero() };
            columns.iter().map(entry).collect()
        };
        let order: Vec<usize> = dependent.iter().chain(independent).copied().collect();
        let levels = system.constraints.iter().map(|c| c.level);
        let values = system.constraints.iter().map(|c| c.f);
        Self {
            jacobian: own.chain(kept.iter().map(unit)).collect(),
            sign: parity(&order),
            values: values.chain(kept.iter().copied()).collect(),
            rows: levels.chain(kept.iter().copied()).collect(),
            columns,
        }
    }
}

/// One of the equations that hold together: sum = lambda_b, or sum = 0.
#[derive(Clone, Copy, Debug)]
pub struct Together {
    /// y_b, or an independent coordinate.
    pub by: Expr,
    /// sum_k E_k dx_k/dz, with symbols for E_k.
    pub sum: Expr,
    /// lambda_b, or 0.
    pub equals: Expr,
}

impl Derivation {
    /// dg/dy = J_D^-1, a row a dependent coordinate, a column a constraint; `None` where it would be too long.
    pub fn by_levels(&self, system: &System, equations: &Equations) -> Option<&Matrix> {
        let found = || self.inverted(system, equations);
        self.by_levels.get_or_init(found).as_ref()
    }

    fn inverted(&self, system: &System, equations: &Equations) -> Option<Matrix> {
        let pool = &system.pool;
        let size = self.dependent.len();
        if size > MOST || size != system.constraints.len() {
            return None;
        }
        let unit = |i| {
            let entry = move |j| if i == j { pool.one() } else { pool.zero() };
            (0..size).map(entry).collect()
        };
        let one: Matrix = (0..size).map(unit).collect();
        solved(pool, (equations, &self.dependent), &one, LONGEST)
    }

    /// The equations of the multipliers, then those of the independent coordinates, in E_k.
    pub fn together(&self, system: &System, equations: &Equations) -> Option<&[Together]> {
        let found = || self.summed(system, equations);
        self.together.get_or_init(found).as_deref()
    }

    fn summed(&self, system: &System, equations: &Equations) -> Option<Vec<Together>> {
        let pool = &system.pool;
        let by_levels = self.by_levels(system, equations)?;
        let by_independent = self.displacements.as_ref()?;
        let e = |k: usize| pool.euler_lagrange(&system.coordinates[k].name, k);
        // sum_a E_a (column of dg)
        let along = |matrix: &Matrix, column: usize| -> Vec<Expr> {
            let rows = self.dependent.iter().zip(matrix);
            rows.map(|(&a, row)| pool.mul(e(a), row[column])).collect()
        };
        let multipliers = system.constraints.iter().enumerate();
        let multipliers = multipliers.map(|(b, c)| Together {
            by: c.level,
            sum: pool.sum(along(by_levels, b)),
            equals: c.multiplier,
        });
        let rest = self.independent.iter().enumerate();
        let rest = rest.map(|(column, &j)| Together {
            by: system.coordinates[j].x,
            sum: pool.sum([e(j)].into_iter().chain(along(by_independent, column))),
            equals: pool.zero(),
        });
        Some(multipliers.chain(rest).collect())
    }
}
