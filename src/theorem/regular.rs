//! Whether the rows of W = [J; A] are independent at every configuration: proven by their shape.
//!
//! In a combination of rows that is zero a row has no part if its entries in the columns that no other row has entries in
//! cannot all be zero where f = c. It is taken away, and others have columns of their own then: the rods of a chain go one by
//! one, from its free end.
//!
//! That the entries of a row are not all zero is shown by bounds over all numbers on one of them or on the sum of their squares,
//! or because they and the row's own constraint contradict each other: 2 x = 0 and 2 y = 0 leave 0 = l^2 of x^2 + y^2 = l^2.
//! The constraints of other rows play no part: what is shown is true of any selection of the constraints. Where some parameters
//! have no value yet, as in a sweep, it may be that an expression of them alone must not be zero, as l^2 here.

use super::elimination::Elimination;
use super::everywhere::has_no_zero;
use super::smooth::may_kink;
use crate::expr::{Expr, Node, Number, Pool};
use crate::system::System;
use rustc_hash::FxHashMap;

/// So often a product that is zero is taken apart.
const CASES: usize = 3;

/// That some rows are independent at every configuration.
#[derive(Clone, Debug, Default)]
pub struct IndependentEverywhere {
    /// Where these expressions of parameters are not zero.
    if_not_zero: Vec<Expr>,
}

impl IndependentEverywhere {
    /// So with the values that the parameters of the system have now?
    pub fn holds(&self, system: &System) -> bool {
        self.if_not_zero.is_empty() || {
            let parameters = system.parameter_bounds();
            let mut all = self.if_not_zero.iter();
            all.all(|e| !system.bounded(*e, &parameters).contains(0.0))
        }
    }
}

/// Are these rows independent at every configuration: the gradients of all constraints, J, and after them any of A? None where that
/// is not shown. The parameters `open` may have any values, the others have those of the system. Gradients must not jump.
pub fn independent_everywhere(
    system: &System,
    rows: &[&Vec<Expr>],
    open: &[Expr],
) -> Option<IndependentEverywhere> {
    let pool = &system.pool;
    let fixed = system.exact_parameters(open);
    let unknowns: Vec<Expr> = system.positions();
    let shape = Shape {
        pool,
        fixed,
        unknowns: &unknowns,
        open,
    };
    let mut found = IndependentEverywhere::default();
    let residuals: Vec<Expr> = system.residuals().collect();
    if rows.iter().any(|row| may_kink(pool, row)) {
        return None;
    }
    let columns = rows.iter().map(|row| {
        let entries = (0..row.len()).filter(|k| row[*k] != pool.zero());
        entries.collect::<Vec<usize>>()
    });
    let columns: Vec<Vec<usize>> = columns.collect();
    let mut holders = vec![0; unknowns.len()];
    columns.iter().flatten().for_each(|k| holders[*k] += 1);
    // rows that are left, and how many columns of its own each had when it was looked at last
    let mut left: Vec<(usize, usize)> = (0..rows.len()).rev().map(|b| (b, 0)).collect();
    loop {
        let before = left.len();
        left.retain_mut(|(b, looked_at)| {
            let own = columns[*b].iter().filter(|k| holders[**k] == 1);
            let own: Vec<Expr> = own.map(|k| rows[*b][*k]).collect();
            if own.len() == *looked_at {
                return true;
            }
            *looked_at = own.len();
            let conditions = shape.cannot_vanish(own, residuals.get(*b).copied());
            let Some(conditions) = conditions else {
                return true;
            };
            found.if_not_zero.extend(conditions);
            columns[*b].iter().for_each(|k| holders[*k] -= 1);
            false
        });
        if left.is_empty() {
            return Some(found);
        }
        if left.len() == before {
            return None;
        }
    }
}

/// What is known of a system beside its rows.
struct Shape<'a> {
    pool: &'a Pool,
    /// The parameters with their values.
    fixed: FxHashMap<Expr, Expr>,
    unknowns: &'a [Expr],
    /// Those without.
    open: &'a [Expr],
}

impl Shape<'_> {
    /// What must not be zero for not all of these to be zero where the constraint is met, if there is one; none where that is
    /// not shown.
    fn cannot_vanish(&self, entries: Vec<Expr>, constraint: Option<Expr>) -> Option<Vec<Expr>> {
        let pool = self.pool;
        let mut equations = entries;
        let count = equations.len();
        equations.extend(constraint);
        let equations = pool.substitute_all(&equations, &self.fixed);
        let entries = &equations[..count];
        let squares = || {
            let two = pool.number(Number::from(2));
            let squares = entries.iter().map(|e| pool.pow(*e, two));
            pool.simplify(pool.sum(squares))
        };
        if entries.iter().any(|e| has_no_zero(pool, *e)) {
            return Some(Vec::new());
        }
        self.contradict(equations.clone(), CASES)
            .or_else(|| has_no_zero(pool, squares()).then(Vec::new))
    }

    /// Where these equations have no solution, products of them taken apart so often: what must not be zero for that.
    fn contradict(&self, equations: Vec<Expr>, cases: usize) -> Option<Vec<Expr>> {
        let pool = self.pool;
        let elimination = Elimination {
            pool,
            unknowns: self.unknowns,
            simple: Pool::reduced,
        };
        let Some(left) = elimination.run(equations) else {
            return Some(Vec::new());
        };
        let equations = left.equations;
        let mut of_parameters = equations.iter().filter(|e| {
            let inside = pool.symbols_of(**e);
            let is_open = |e: &Expr| self.open.contains(e) || *e == pool.pi();
            !inside.is_empty() && inside.iter().all(is_open)
        });
        let written = equations.iter().map(|e| pool.simplify(*e));
        if written
            .chain(equations.iter().copied())
            .any(|e| has_no_zero(pool, e))
        {
            return Some(Vec::new());
        }
        if let Some(e) = of_parameters.next() {
            return Some(vec![*e]);
        }
        if cases == 0 {
            return None;
        }
        let parts = equations.iter().enumerate();
        let mut parts = parts.filter_map(|(i, e)| Some((i, self.factors(*e)?)));
        let (i, factors) = parts.next()?;
        let each = factors.into_iter().map(|factor| {
            let mut equations = equations.clone();
            equations[i] = factor;
            self.contradict(equations, cases - 1)
        });
        let each: Option<Vec<Vec<Expr>>> = each.collect();
        Some(each?.concat())
    }

    /// Of a product or a power, what is zero where it is.
    fn factors(&self, e: Expr) -> Option<Vec<Expr>> {
        let node = self.pool.node(e);
        let Node::Product(_, factors) = &*node else {
            return None;
        };
        let is_power = |exponent: &Expr| {
            let exponent = self.pool.as_number(*exponent);
            exponent.is_some_and(|p| p.is_positive())
        };
        let bases = factors.iter().map(|(base, _)| *base);
        factors
            .iter()
            .all(|(_, exponent)| is_power(exponent))
            .then(|| bases.collect())
    }
}

#[cfg(test)]
mod tests;
