//! Powers, with the rules of the reals: `(x^2)^(1/2)` is `abs(x)`.

use super::number::Number;
use super::pool::{Expr, Factors, Node, Pool, SymbolKind};
use super::rules::{Head, Stage};

impl Pool {
    /// A whole power.
    pub fn powi(&self, base: Expr, exponent: i64) -> Expr {
        let exponent = self.number(exponent);
        self.pow(base, exponent)
    }

    /// The square root, `base^(1/2)`.
    pub fn sqrt(&self, base: Expr) -> Expr {
        let half = self.number(Number::HALF);
        self.pow(base, half)
    }

    /// A power, with the rules of the reals: `(x^2)^(1/2)` is `abs(x)`.
    pub fn pow(&self, base: Expr, exponent: Expr) -> Expr {
        if exponent == self.one() {
            return base;
        }
        if exponent == self.zero() && self.is_undefined(base) {
            return self.no_value();
        }
        if exponent == self.zero() || base == self.one() && !self.is_undefined(exponent) {
            return self.one();
        }
        if let Some(q) = self.as_number(exponent) {
            return self.pow_number(base, &q, exponent);
        }
        self.plain_power(base, exponent)
    }

    /// The radicands of the square roots in these expressions, in the order met.
    pub fn square_roots_in(&self, list: &[Expr]) -> Vec<Expr> {
        let mut roots = Vec::new();
        self.visit(list, &mut |_, node| {
            if let Node::Product(_, factors) = node {
                let own = factors.iter().filter(|p| self.is_half_odd(p.1));
                for (base, _) in own {
                    if !roots.contains(base) {
                        roots.push(*base);
                    }
                }
            }
        });
        roots
    }

    /// Is the expression rational in symbols, smooth functions of them, and this one square root that
    /// stands inside of nothing else? An equation between two such holds with the other sign of the root
    /// too, unless the radicand is a square of such an expression.
    pub fn is_rational_with_root(&self, e: Expr, radicand: Expr) -> bool {
        let mut rational = true;
        self.visit(&[e], &mut |_, node| match node {
            Node::Product(_, factors) => {
                rational &= factors.iter().all(|&(base, x)| {
                    self.as_number(x).is_some_and(|q| q.is_integer())
                        || (base == radicand && self.is_half_odd(x))
                });
            }
            Node::Apply(f, args) => {
                rational &= f.row().meromorphic && self.square_roots_in(args).is_empty();
            }
            Node::Number(_) | Node::Symbol(_) | Node::Sum(..) => {}
        });
        rational
    }

    fn is_half_odd(&self, exponent: Expr) -> bool {
        let twice = self
            .as_number(exponent)
            .map(|q| q.mul(&Number::from(2)))
            .filter(Number::is_integer);
        twice.is_some_and(|q| !q.is_even())
    }

    /// The expression with the square roots of these radicands replaced by minus them.
    pub fn with_roots_turned(&self, e: Expr, radicands: &[Expr]) -> Expr {
        self.with_roots_times(e, radicands, self.number(-1))
    }

    /// The expression with the square roots of these radicands multiplied by the sign in which two branches differ.
    pub fn with_roots_signed(&self, e: Expr, radicands: &[Expr]) -> Expr {
        self.with_roots_times(e, radicands, self.plus_minus())
    }

    /// With the square roots of these radicands multiplied by something whose square is one.
    fn with_roots_times(&self, e: Expr, radicands: &[Expr], sign: Expr) -> Expr {
        self.rewritten(e, |node, mut value| {
            if let Node::Product(_, factors) = node {
                let turned = factors
                    .iter()
                    .filter(|(base, x)| radicands.contains(base) && self.is_half_odd(*x));
                if turned.count() % 2 == 1 {
                    value = self.mul(sign, value);
                }
            }
            if self.symbol_kind(sign) == Some(SymbolKind::Sign) {
                value = self.with_one_sign(value);
            }
            value
        })
    }

    /// A product in which the sign of two branches stands once: its square is one, and before a sum that has it in a
    /// term it goes in.
    fn with_one_sign(&self, e: Expr) -> Expr {
        let Node::Product(_, factors) = &*self.node(e) else {
            return e;
        };
        let sign = self.plus_minus();
        let Some(&(_, power)) = factors.iter().find(|(base, _)| *base == sign) else {
            return e;
        };
        let times = self.as_number(power).and_then(|n| n.to_i64()).unwrap_or(1);
        let bare = self.div(e, self.powi(sign, times));
        if times % 2 == 0 {
            return bare;
        }
        let inside = factors.iter().find_map(|&(base, x)| {
            let unit = self.as_number(x).is_some_and(|q| q.abs().is_one());
            let Node::Sum(constant, terms) = &*self.node(base) else {
                return None;
            };
            let signed = |t: Expr| self.as_product(t).1.iter().any(|(b, _)| *b == sign);
            if !unit || !terms.iter().any(|(t, _)| signed(*t)) {
                return None;
            }
            let list = terms.iter().map(|(t, k)| {
                let other = if signed(*t) {
                    self.div(*t, sign)
                } else {
                    self.mul(*t, sign)
                };
                self.scale(other, k)
            });
            let sum = self.sum(list.chain([self.scale(sign, constant)]));
            Some(self.mul(self.div(bare, self.pow(base, x)), self.pow(sum, x)))
        });
        inside.unwrap_or_else(|| self.mul(bare, sign))
    }

    /// A power that no rule rewrites; the exponent is not 1.
    pub(super) fn plain_power(&self, base: Expr, exponent: Expr) -> Expr {
        self.product_of(Number::ONE, smallvec::smallvec![(base, exponent)])
    }

    pub(super) fn pow_number(&self, base: Expr, q: &Number, exponent: Expr) -> Expr {
        let whole = Node::Product(Number::ONE, smallvec::smallvec![(base, exponent)]);
        // what was made before is what no rule rewrites
        if let Some(known) = self.interned(&whole) {
            return known;
        }
        let node = self.owned(base);
        let ruled = match &node {
            Node::Apply(..) => true,
            Node::Product(coefficient, factors) => {
                coefficient.is_one() && factors.len() == 1 && !q.is_integer()
            }
            _ => false,
        };
        if ruled
            && let Some(simpler) = self.by_rule(Head::Power, &[base, exponent], Stage::Building)
        {
            return simpler;
        }
        let simpler = match node {
            Node::Number(n) => self.number_power(&n, q),
            Node::Product(coefficient, factors) if q.is_integer() => {
                self.product_power(&coefficient, factors, q)
            }
            Node::Product(coefficient, factors) => {
                Some(self.product_root(&coefficient, factors, q))
            }
            Node::Sum(..) => self.sum_power(base, q, exponent),
            _ => None,
        };
        simpler.unwrap_or_else(|| self.intern(whole))
    }

    /// A whole power of a product; `None` where a number would be too large.
    fn product_power(&self, coefficient: &Number, factors: Factors, q: &Number) -> Option<Expr> {
        let mut coefficient = coefficient.pow(q.to_i64()?)?;
        let mut raised = Factors::new();
        for (b, e) in factors {
            let e = self.scale(e, q);
            let part = self.pow(b, e);
            self.gather(part, &mut coefficient, &mut raised);
        }
        Some(self.finish_product(coefficient, raised))
    }

    /// A power of a sum with its content taken out, of a root a positive one; `None` where nothing comes out.
    fn sum_power(&self, base: Expr, q: &Number, exponent: Expr) -> Option<Expr> {
        let (content, bare) = self.primitive(base)?;
        if q.is_integer() {
            let power = content.pow(q.to_i64()?)?;
            let bare = self.pow_number(bare, q, exponent);
            return Some(self.mul(self.number(power), bare));
        }
        let (size, bare) = if content.is_negative() {
            (content.neg(), self.neg(bare))
        } else {
            (content, bare)
        };
        let power = self.number_power(&size, q)?;
        if self.as_number(power).is_none() || size.is_one() {
            return None;
        }
        let root = self.pow_number(bare, q, exponent);
        Some(self.mul(power, root))
    }

    /// A fractional power of a product: positive numbers and even powers come out of it.
    pub(super) fn product_root(&self, coefficient: &Number, factors: Factors, q: &Number) -> Expr {
        let exponent = self.number(q.clone());
        let (size, sign) = (coefficient.abs(), coefficient.is_negative());
        let single = factors.len() == 1 && !sign;
        let plain = |inside| self.plain_power(inside, exponent);
        let number = |base| self.as_number(base).filter(Number::is_positive);
        let numeric = |&(b, x): &(Expr, Expr)| number(b).is_some() && self.as_number(x).is_some();
        if single && size.is_one() && !factors.iter().any(numeric) {
            // a power of a power that no rule rewrites
            return plain(self.product_of(size, factors));
        }
        let mut outside = Vec::new();
        let mut inside = Vec::new();
        match self.number_power(&size, q) {
            Some(power) => outside.push(power),
            None => inside.push(self.number(size)),
        }
        for (base, power) in factors {
            let part = self.pow(base, power);
            let even = self.as_number(power).is_some_and(|e| e.is_even());
            if let (Some(n), Some(e)) = (number(base), self.as_number(power)) {
                let root = self.number_power(&n, &e.mul(q));
                outside.push(root.unwrap_or_else(|| plain(part)));
            } else if single || even {
                outside.push(self.pow_number(part, q, exponent));
            } else {
                inside.push(part);
            }
        }
        let mut inside = self.product(inside);
        if sign {
            inside = self.neg(inside);
        }
        outside.push(if inside == self.one() {
            inside
        } else {
            let number = self.as_number(inside);
            number
                .and_then(|n| self.number_power(&n, q))
                .unwrap_or_else(|| plain(inside))
        });
        self.product(outside)
    }
}
