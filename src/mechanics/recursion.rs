//! The multipliers one from another, for systems whose closed form nobody would read.
//!
//! J_D^T lambda = E_D in its block triangular form: the equations of a block contain its own
//! multipliers and those of blocks before it. With K the coordinates and b the constraints of a
//! block,
//!
//! ```text
//! lambda_b = (J_bK)^-T (E_K - sum J_cK^T lambda_c)        c of the blocks before
//! ```
//!
//! where the multipliers before stand as symbols. All of it is as long as J_D has entries (a chain
//! of N links takes N lines), where the closed form is as long as the square of that or worse. The
//! equation of motion of an independent coordinate is then its row of the usual form.

use super::equations::{Equations, less};
use crate::expr::{Expr, LARGEST_BLOCK, block_of, block_triangular};
use crate::system::System;

/// Multipliers longer than this stay as the cofactors give them: simplifying takes long.
const SIMPLIFY_UP_TO: usize = 300;

/// One block of J_D^T lambda = E_D.
#[derive(Clone, Debug)]
pub struct MultiplierBlock {
    /// Its constraints, ascending.
    pub constraints: Vec<usize>,
    /// Its coordinates, ascending, as many.
    pub coordinates: Vec<usize>,
    /// Their multipliers, one a constraint, in the multipliers of blocks before; `None` where the
    /// block is too large to solve in symbols: then they are the solution of its equations.
    pub multipliers: Option<Vec<Expr>>,
    /// E_k - sum lambda_b J_bk, one a coordinate, zero along every motion.
    pub equations: Vec<Expr>,
}

/// The blocks in the order of solution; `None` where det J_D vanishes identically.
pub fn recursion(
    system: &System,
    equations: &Equations,
    dependent: &[usize],
) -> Option<Vec<MultiplierBlock>> {
    let pool = &system.pool;
    let zero = pool.zero();
    let symbols: Vec<Expr> = system.multipliers().collect();
    let transposed = equations.columns_as_rows(dependent);
    // E_k less the part of the multipliers of the other constraints
    let less = |r: usize, without: &[usize]| {
        let (k, others) = (dependent[r], (0..dependent.len()));
        let others = others.filter(|c| !without.contains(c));
        let acting = others.map(|c| (symbols[c], &equations.jacobian[c]));
        less(pool, equations.left_to_constraints[k], acting, k)
    };
    let blocks = block_triangular(dependent.len(), |r, c| transposed[r][c] != zero)?;
    blocks
        .iter()
        .map(|block| {
            let coordinates: Vec<usize> = block.rows.iter().map(|&r| dependent[r]).collect();
            let mut multipliers = None;
            if block.rows.len() <= LARGEST_BLOCK {
                let (det, cofactors) = pool.cofactors(&block_of(&transposed, block));
                if det == zero {
                    return None;
                }
                let rest: Vec<Expr> = block
                    .rows
                    .iter()
                    .map(|&r| less(r, &block.columns))
                    .collect();
                let solved = (0..block.columns.len()).map(|i| {
                    let parts = rest.iter().zip(&cofactors);
                    let parts = parts.map(|(&e, row)| pool.mul(row[i], e));
                    let top = pool.sum(parts.collect::<Vec<_>>());
                    if pool.size(top) > SIMPLIFY_UP_TO {
                        return pool.div(top, det);
                    }
                    let whole = pool.div(pool.simplify(top), det);
                    // cancelling may split a fraction into many
                    let short = pool.simplify(whole);
                    if pool.size(short) < pool.size(whole) {
                        short
                    } else {
                        whole
                    }
                });
                multipliers = Some(solved.collect());
            }
            Some(MultiplierBlock {
                equations: block.rows.iter().map(|&r| less(r, &[])).collect(),
                constraints: block.columns.clone(),
                coordinates,
                multipliers,
            })
        })
        .collect()
}
