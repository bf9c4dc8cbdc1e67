//! The order in which factors and terms are written.
//!
//! In a product numbers, parameters, multipliers, coordinates, functions, sums; in a sum the highest time derivatives
//! first, then higher powers.

use crate::expr::memo::{TermRank, remembered};
use crate::expr::number::Number;
use crate::expr::pool::{Expr, Node, Pool, SymbolKind};
use std::cmp::Ordering;
use std::sync::Arc;

/// The order of the first entries of two lists that differ, as far as both go.
pub(in crate::expr) fn first_difference<T>(
    x: &[T],
    y: &[T],
    order: impl Fn(&T, &T) -> Ordering,
) -> Ordering {
    let mut orders = x.iter().zip(y).map(|(p, q)| order(p, q));
    orders.find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
}

impl Pool {
    /// Where a factor stands in a product.
    pub(super) fn factor_rank(&self, base: Expr) -> (u8, usize, usize) {
        match &*self.node(base) {
            Node::Number(_) => (0, 0, 0),
            Node::Symbol(_) => match self.symbol_kind(base) {
                Some(SymbolKind::Pi | SymbolKind::Sign) => (1, 0, 0),
                Some(SymbolKind::Parameter(i)) => (2, i, 0),
                Some(SymbolKind::Multiplier(i)) => (3, i, 0),
                Some(SymbolKind::Level(i)) => (4, i, 0),
                Some(SymbolKind::Time) => (5, 0, 0),
                Some(SymbolKind::Coordinate { index, order }) => (6, usize::from(order), index),
                Some(SymbolKind::Other(i)) => (7, i, 0),
                Some(SymbolKind::Differential(i)) => (12, i, 0),
                None => (8, 0, 0),
            },
            Node::Apply(..) => (9, 0, 0),
            Node::Product(..) => (10, 0, 0),
            // a sum of parameters is a parameter of its own: (M + m)*x''
            Node::Sum(..) if self.is_constant(base) => (2, usize::MAX, 0),
            Node::Sum(..) => (11, 0, 0),
        }
    }

    pub(in crate::expr) fn factor_order(&self, a: (Expr, Expr), b: (Expr, Expr)) -> Ordering {
        self.structural_order(a.0, b.0)
            .then_with(|| self.structural_order(a.1, b.1))
    }

    /// An order of expressions that does not depend on when they were made.
    pub fn structural_order(&self, a: Expr, b: Expr) -> Ordering {
        const DEEP: usize = 4;
        if a == b {
            return Ordering::Equal;
        }
        if self.depth(a).min(self.depth(b)) < DEEP {
            return self.compared(a, b);
        }
        if let Some(&known) = self.memory.orders.borrow().get(&(a, b)) {
            return known;
        }
        let order = self.compared(a, b);
        let mut orders = self.memory.orders.borrow_mut();
        orders.insert((a, b), order);
        orders.insert((b, a), order.reverse());
        order
    }

    fn compared(&self, a: Expr, b: Expr) -> Ordering {
        let ranks = self.factor_rank(a).cmp(&self.factor_rank(b));
        if ranks != Ordering::Equal {
            return ranks;
        }
        let (left, right) = (self.owned(a), self.owned(b));
        let pairs = |x: &[(Expr, Expr)], y: &[(Expr, Expr)]| -> Ordering {
            let sorted = |list: &[(Expr, Expr)]| {
                let mut list = list.to_vec();
                list.sort_by(|p, q| self.factor_order(*p, *q));
                list
            };
            let (x, y) = (sorted(x), sorted(y));
            let order = first_difference(&x, &y, |p, q| self.factor_order(*p, *q));
            order.then_with(|| x.len().cmp(&y.len()))
        };
        match (left, right) {
            (Node::Number(x), Node::Number(y)) => x.cmp(&y),
            (Node::Apply(f, x), Node::Apply(g, y)) => f
                .cmp(&g)
                .then_with(|| first_difference(&x, &y, |p, q| self.structural_order(*p, *q))),
            (Node::Product(k, x), Node::Product(l, y)) => pairs(&x, &y).then_with(|| k.cmp(&l)),
            (Node::Sum(c, x), Node::Sum(d, y)) => {
                let sorted = |mut list: Vec<(Expr, Number)>| {
                    list.sort_by(|p, q| self.term_order(p.0, q.0));
                    list
                };
                let (x, y) = (sorted(x), sorted(y));
                let order = |p: &(Expr, Number), q: &(Expr, Number)| {
                    self.term_order(p.0, q.0).then_with(|| q.1.cmp(&p.1))
                };
                first_difference(&x, &y, order)
                    .then_with(|| y.len().cmp(&x.len()))
                    .then_with(|| c.cmp(&d))
            }
            _ => a.cmp(&b),
        }
    }

    /// Where a term stands in a sum: highest time derivative first, then the higher power, then by its factors.
    pub(in crate::expr) fn term_order(&self, a: Expr, b: Expr) -> Ordering {
        if a == b {
            return Ordering::Equal;
        }
        let (x, y) = (self.rank_of_term(a), self.rank_of_term(b));
        let powers = (y.derivative, &y.degree).cmp(&(x.derivative, &x.degree));
        powers.then_with(|| {
            let (x, y) = (&x.factors, &y.factors);
            let order = |p: &(Expr, Expr), q: &(Expr, Expr)| {
                self.structural_order(p.0, q.0)
                    .then_with(|| self.structural_order(q.1, p.1))
            };
            first_difference(x, y, order).then_with(|| y.len().cmp(&x.len()))
        })
    }

    /// The highest time derivative in a term of a sum, and how often it is a factor.
    pub(in crate::expr) fn derivative_of_term(&self, e: Expr) -> (u8, u32) {
        let (order, times, _) = self.rank_of_term(e).derivative;
        (order, times)
    }

    /// The highest time derivative in a factor, and how often it is one of a term there.
    fn derivative_in(&self, base: Expr) -> (u8, u32) {
        match (self.symbol_kind(base), &*self.node(base)) {
            (Some(SymbolKind::Coordinate { order, .. }), _) if order > 0 => (order, 1),
            (_, Node::Sum(_, terms)) => {
                let ranks = terms.iter().map(|(t, _)| self.derivative_of_term(*t));
                ranks.max().unwrap_or_default()
            }
            _ => (0, 0),
        }
    }

    fn rank_of_term(&self, e: Expr) -> Arc<TermRank> {
        remembered(&self.memory.term_ranks, e, || Arc::new(self.term_rank(e)))
    }

    fn term_rank(&self, e: Expr) -> TermRank {
        let (_, mut factors) = self.as_product(e);
        let constant = |e: Expr| {
            let made = matches!(&*self.node(e), Node::Apply(..) | Node::Sum(..));
            made && self.is_constant(e)
                || matches!(
                    self.symbol_kind(e),
                    Some(SymbolKind::Parameter(_) | SymbolKind::Pi | SymbolKind::Sign)
                )
        };
        let mut derivative = (0_u8, 0_u32, false);
        let mut degree = Number::ZERO;
        for &(b, x) in &factors {
            let (order, times) = self.derivative_in(b);
            let own = order > 0 && self.symbol_kind(b).is_some();
            let power = self.as_number(x).and_then(|q| q.to_i64());
            let times = times.saturating_mul(power.map_or(1, |n| n.unsigned_abs() as u32));
            derivative = match order.cmp(&derivative.0) {
                Ordering::Greater => (order, times, own),
                Ordering::Equal if order > 0 => (
                    order,
                    derivative.1.saturating_add(times),
                    own || derivative.2,
                ),
                _ => derivative,
            };
            if !constant(b)
                && let Some(q) = self.as_number(x)
            {
                degree = degree.add(&q);
            }
        }
        // the sign of two branches moves no term
        factors.retain(|(b, _)| self.symbol_kind(*b) != Some(SymbolKind::Sign));
        factors.sort_by(|p, q| {
            let varying_first = constant(p.0).cmp(&constant(q.0));
            varying_first.then_with(|| self.factor_order(*p, *q))
        });
        TermRank {
            derivative,
            degree,
            factors,
        }
    }
}
