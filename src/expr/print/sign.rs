//! Where the sign of a product goes: before it, or into one of its sums.

use crate::expr::number::Number;
use crate::expr::pool::{Expr, Node, Pool, SymbolKind};

/// Where the sign of a product goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Turning {
    /// Into a sum that has a negative term: `a*(cos(u) - 1)`.
    Short,
    /// Before a sum with a number that is to be positive: `- a*(1 - cos(u))`.
    OneFirst,
}

impl Pool {
    /// Do these terms stand behind a number they are added to? Functions and parameters do, coordinates do not.
    pub(super) fn stands_behind_one(&self, terms: &[(Expr, Number)]) -> bool {
        let varies = |base: &Expr| {
            let kind = self.symbol_kind(*base);
            kind.is_some_and(|k| !matches!(k, SymbolKind::Parameter(_) | SymbolKind::Pi))
        };
        let behind = |base: &Expr, x: &Expr| {
            !varies(base) || self.as_number(*x).is_some_and(|q| q.is_negative())
        };
        let mut factors = terms.iter().flat_map(|(e, _)| self.as_product(*e).1);
        factors.all(|(b, x)| behind(&b, &x))
    }

    /// Is a factor a sum such as `1 - cos(u)` or `cos(u) - 1`, with two signs?
    pub(super) fn is_one_and_more(&self, (base, exponent): (Expr, Expr)) -> bool {
        let Node::Sum(constant, terms) = &*self.node(base) else {
            return false;
        };
        let other = |(_, k): &(Expr, Number)| k.is_negative() != constant.is_negative();
        let unit = self.as_number(exponent).is_some_and(|q| q.abs().is_one());
        unit && !constant.is_zero() && terms.iter().all(other) && self.stands_behind_one(terms)
    }

    /// Has a term of a sum such a factor?
    pub(super) fn has_one(&self, term: Expr) -> bool {
        match &*self.node(term) {
            Node::Product(_, factors) => factors.iter().any(|f| self.is_one_and_more(*f)),
            _ => false,
        }
    }

    /// Is the number in a sum negative?
    pub(super) fn is_less_one(&self, sum: Expr) -> bool {
        matches!(&*self.node(sum), Node::Sum(constant, _) if constant.is_negative())
    }

    /// Has a sum a term with a minus? So has a product of unit powers of such sums its minus in one of them.
    pub(in crate::expr) fn has_minus(&self, e: Expr) -> bool {
        matches!(&*self.node(e), Node::Sum(constant, terms)
            if constant.is_negative() || terms.iter().any(|(_, k)| k.is_negative()))
    }

    /// Can a sum be written with all signs turned and no minus before it?
    pub(in crate::expr) fn turns(&self, e: Expr) -> bool {
        let turns = |t: Expr| match &*self.node(t) {
            Node::Product(_, factors) => factors
                .iter()
                .any(|f| self.is_unit(*f) && self.has_minus(f.0)),
            _ => false,
        };
        self.has_minus(e)
            || matches!(&*self.node(e), Node::Sum(_, terms) if terms.iter().any(|(t, _)| turns(*t)))
    }

    fn is_unit(&self, (_, exponent): (Expr, Expr)) -> bool {
        self.as_number(exponent).is_some_and(|q| q.abs().is_one())
    }

    /// The factor that takes in the minus sign of a product: `-x3*(x1 - x2)` is written `x3*(x2 - x1)`.
    pub(in crate::expr) fn turnable(&self, factors: &[(Expr, Expr)]) -> Option<usize> {
        factors
            .iter()
            .enumerate()
            .filter(|(_, f)| self.is_unit(**f) && self.turns(f.0))
            .min_by(|(_, a), (_, b)| {
                let sizes = self.size(a.0).cmp(&self.size(b.0));
                sizes.then_with(|| self.structural_order(a.0, b.0))
            })
            .map(|(place, _)| place)
    }
}
