//! The determinant of the square block J_D in symbols: its blocks, its distinct factors.

use super::everywhere::vanishes_here;
use crate::expr::{Expr, Matrix};
use crate::mechanics::Equations;
use crate::system::System;

/// det J_D for one choice of dependent coordinates.
#[derive(Clone, Debug)]
pub struct SymbolicDeterminant {
    /// The whole determinant, its factors apart; `None` where a diagonal block is too large to write out.
    pub whole: Option<Expr>,
    /// The distinct factors that depend on coordinates or t, of the blocks that could be written out,
    /// each up to a positive number.
    pub factors: Vec<Expr>,
    /// False where a factor might split further, or a block was too large.
    pub complete: bool,
    /// Is it zero everywhere?
    pub vanishes: bool,
    /// The diagonal blocks: rows (constraints), columns (coordinates) and the determinant, where written out.
    pub blocks: Vec<(Vec<usize>, Vec<usize>, Option<Expr>)>,
}

impl SymbolicDeterminant {
    /// The determinant of the columns `dependent` of the Jacobian, rows in the order of the constraints.
    pub fn new(system: &System, equations: &Equations, dependent: &[usize]) -> Self {
        Self::of(system, equations.jacobian.iter(), dependent)
    }

    /// The determinant of the columns `dependent` of as many rows.
    pub fn of<'a>(
        system: &System,
        rows: impl Iterator<Item = &'a Vec<Expr>>,
        dependent: &[usize],
    ) -> Self {
        let pool = &system.pool;
        let block: Matrix = rows
            .map(|row| dependent.iter().map(|&k| row[k]).collect())
            .collect();
        let det = pool.determinant(&block);
        let mut parts = vec![pool.number(det.sign)];
        let mut factors: Vec<Expr> = Vec::new();
        let mut complete = true;
        let mut written = true;
        let mut vanishes = det.sign == 0;
        let mut blocks = Vec::new();
        for (place, value) in det.blocks {
            let columns = place.columns.iter().map(|&c| dependent[c]).collect();
            blocks.push((place.rows, columns, value));
            let Some(value) = value else {
                written = false;
                complete = false;
                continue;
            };
            if value == pool.zero() {
                vanishes = true;
                continue;
            }
            let found = pool.factors(value);
            complete &= found.complete;
            parts.push(found.unit);
            found.vanishing(pool, &mut factors);
            let powers = found.factors.into_iter();
            parts.extend(powers.map(|(factor, times)| pool.powi(factor, i64::from(times))));
        }
        let whole = match (vanishes, written) {
            (true, _) => Some(pool.zero()),
            (false, true) => Some(pool.product(parts)),
            (false, false) => None,
        };
        // a parameter that is 0 may take all of it away
        vanishes |= system.parameters.iter().any(|p| p.value == 0.0)
            && whole.is_some_and(|e| vanishes_here(system, e));
        if vanishes {
            factors.clear();
        }
        Self {
            whole,
            factors,
            complete,
            vanishes,
            blocks,
        }
    }
}
