//! What can be told of a value from the form of its expression: its sign, its range, whether there is one.
//!
//! The tests are sufficient, not necessary: `false` means "not shown". Nothing is assumed of a symbol
//! but pi. "Where it has a value" is understood everywhere: `sqrt(x)` is not negative.

use super::function::{Function, Smooth, Values};
use super::interval::Interval;
use super::number::Number;
use super::pool::{Expr, Node, Pool, SymbolKind};

impl Pool {
    /// Is the first coefficient of an expression negative?
    pub fn leads_negative(&self, e: Expr) -> bool {
        match &*self.node(e) {
            Node::Number(n) => n.is_negative(),
            Node::Product(coefficient, _) => coefficient.is_negative(),
            Node::Sum(_, terms) => terms.first().is_some_and(|(_, k)| k.is_negative()),
            _ => false,
        }
    }

    /// Is an expression known to be >= 0 wherever it has a value?
    pub fn is_non_negative(&self, e: Expr) -> bool {
        match &*self.node(e) {
            Node::Number(n) => !n.is_negative(),
            Node::Symbol(_) => self.is_positive_symbol(e),
            Node::Sum(constant, terms) => {
                !constant.is_negative()
                    && terms
                        .iter()
                        .all(|(t, k)| !k.is_negative() && self.is_non_negative(*t))
            }
            Node::Product(coefficient, factors) => {
                !coefficient.is_negative()
                    && factors.iter().all(|(b, e)| match self.as_number(*e) {
                        Some(q) => q.is_even() || !q.is_integer() || self.is_non_negative(*b),
                        None => self.is_non_negative(*b),
                    })
            }
            Node::Apply(Function::Abs | Function::Exp | Function::Cosh | Function::Acos, _) => true,
            Node::Apply(..) => false,
        }
    }

    /// Is an expression known to be > 0 wherever it has a value?
    pub fn is_positive(&self, e: Expr) -> bool {
        match &*self.node(e) {
            Node::Number(n) => n.is_positive(),
            Node::Symbol(_) => self.is_positive_symbol(e),
            Node::Sum(constant, terms) => {
                self.is_non_negative(e)
                    && (constant.is_positive() || terms.iter().any(|(t, _)| self.is_positive(*t)))
            }
            Node::Product(coefficient, factors) => {
                coefficient.is_positive()
                    && factors.iter().all(|(b, e)| {
                        self.is_positive(*b)
                            || self.as_number(*e).is_some_and(|q| {
                                // 1/x^2 and 1/sqrt(x) are not 0 where they have a value
                                q.is_even() && (q.is_negative() || self.is_not_zero(*b))
                                    || q.is_negative() && !q.is_integer()
                            })
                    })
            }
            Node::Apply(Function::Exp | Function::Cosh, _) => true,
            Node::Apply(Function::Abs, args) => self.is_not_zero(args[0]),
            Node::Apply(..) => false,
        }
    }

    fn is_positive_symbol(&self, e: Expr) -> bool {
        self.symbol_kind(e) == Some(SymbolKind::Pi) || self.positive.borrow().contains(&e)
    }

    /// Is an expression known not to be 0 wherever it has a value?
    pub fn is_not_zero(&self, e: Expr) -> bool {
        if self.is_positive(e) {
            return true;
        }
        match &*self.node(e) {
            Node::Number(n) => !n.is_zero(),
            Node::Sum(..) => self.is_positive(self.neg(e)),
            Node::Product(_, factors) => factors.iter().all(|(b, x)| {
                self.as_number(*x).is_some_and(|q| q.is_negative()) || self.is_not_zero(*b)
            }),
            Node::Apply(Function::Sign, args) => self.is_not_zero(args[0]),
            _ => false,
        }
    }

    /// Is an expression known to lie in the closed interval from `lo` to `hi`, constants without symbols,
    /// wherever it has a value?
    pub(super) fn is_within(&self, e: Expr, lo: Expr, hi: Expr) -> bool {
        let pi = self.pi();
        let half = self.scale(pi, &Number::HALF);
        let range = match &*self.node(e) {
            Node::Apply(f, _) => match f.row().values {
                Values::Any => None,
                Values::Unit => Some((self.number(Number::MINUS_ONE), self.one())),
                Values::RightAngles => Some((self.neg(half), half)),
                Values::HalfTurn => Some((self.zero(), pi)),
            },
            _ => None,
        };
        let none = |_| Interval::ALL;
        let (low, high) = (self.bounds(lo, &none), self.bounds(hi, &none));
        let (below, above) = match range {
            Some((l, h)) if l == lo && h == hi => return true,
            Some((l, h)) => (self.bounds(l, &none).lo, self.bounds(h, &none).hi),
            None => {
                let own = self.bounds(e, &none);
                (own.lo, own.hi)
            }
        };
        low.hi <= below && above <= high.lo
    }

    /// Has a node no value whatever its symbols are, given which of its children have none?
    /// `1/0`, `log(0)`, `sqrt(-1)`, `asin(2)`, `tan(pi/2)`, and what contains them.
    pub(super) fn lacks_value(&self, node: &Node, child: &dyn Fn(Expr) -> bool) -> bool {
        let mut lost = false;
        node.each_child(|e| lost |= child(e));
        lost || match node {
            Node::Number(_) | Node::Symbol(_) | Node::Sum(..) => false,
            Node::Product(_, factors) => {
                factors
                    .iter()
                    .any(|(b, x)| match (self.as_number(*b), self.as_number(*x)) {
                        (Some(b), Some(x)) => {
                            b.is_zero() && x.is_negative() || b.is_negative() && !x.is_integer()
                        }
                        _ => false,
                    })
            }
            Node::Apply(f, args) => {
                let number = || self.as_number(args[0]);
                match f.smooth() {
                    Smooth::Positive => number().is_some_and(|n| !n.is_positive()),
                    Smooth::InsideUnit => number().is_some_and(|n| n.abs() > Number::ONE),
                    Smooth::BetweenPoles => self.quarter_turns(args[0]).is_some_and(|n| n % 2 != 0),
                    Smooth::Everywhere | Smooth::NotZero | Smooth::OffCut => false,
                }
            }
        }
    }

    /// The whole number k where `e = k*pi/2`.
    fn quarter_turns(&self, e: Expr) -> Option<i64> {
        let (turns, factors) = self.as_product(e);
        match factors.as_slice() {
            [(b, x)] if *x == self.one() && self.symbol_kind(*b) == Some(SymbolKind::Pi) => {
                turns.mul(&Number::from(2)).to_i64()
            }
            _ => None,
        }
    }

    /// What stands for an expression that has no value whatever its symbols are: `1/0`.
    pub(super) fn no_value(&self) -> Expr {
        self.plain_power(self.zero(), self.number(Number::MINUS_ONE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_are_told_only_where_they_are_known() {
        let p = Pool::new();
        let x = p.symbol("x", SymbolKind::Coordinate { index: 0, order: 0 });
        let of = |f, e| p.apply(f, e);
        let magnitude = of(Function::Abs, x);
        let square = p.powi(x, 2);
        for (e, non_negative, positive, not_zero) in [
            (x, false, false, false),
            (p.pi(), true, true, true),
            (magnitude, true, false, false),
            (square, true, false, false),
            (p.powi(x, -2), true, true, true),
            (p.powi(x, -1), false, false, true),
            (p.sqrt(x), true, false, false),
            (p.powi(p.sqrt(x), -1), true, true, true),
            (p.add(square, p.one()), true, true, true),
            (p.sub(p.neg(square), p.one()), false, false, true),
            (p.sub(square, p.one()), false, false, false),
            (p.neg(of(Function::Exp, x)), false, false, true),
            (p.mul(x, of(Function::Cosh, x)), false, false, false),
            (of(Function::Acos, x), true, false, false),
        ] {
            let got = (p.is_non_negative(e), p.is_positive(e), p.is_not_zero(e));
            assert_eq!(got, (non_negative, positive, not_zero), "{}", p.print(e));
        }
    }

    #[test]
    fn nothing_is_made_of_what_has_no_value() {
        let p = Pool::new();
        let x = p.symbol("x", SymbolKind::Coordinate { index: 0, order: 0 });
        let half_pi = p.scale(p.pi(), &Number::HALF);
        let two = p.number(2);
        for e in [
            p.powi(p.zero(), -1),
            p.apply(Function::Tan, half_pi),
            p.apply(
                Function::Tan,
                p.scale(p.pi(), &Number::ratio(-3, 2).unwrap()),
            ),
            p.apply(Function::Log, p.zero()),
            p.apply(Function::Asin, two),
            p.sqrt(p.number(-1)),
        ] {
            for whole in [
                p.mul(e, p.zero()),
                p.mul(p.zero(), p.add(x, e)),
                p.scale(p.mul(x, e), &Number::ZERO),
                p.sub(e, e),
                p.pow(e, p.zero()),
                p.simplify(p.sub(p.add(x, e), p.add(e, p.scale(x, &Number::from(2))))),
            ] {
                assert!(p.is_undefined(whole), "{}: {}", p.print(e), p.print(whole));
            }
        }
        assert!(!p.is_undefined(p.apply(Function::Tan, x)));
        assert!(!p.is_undefined(p.powi(x, -1)));
    }
}
