//! Powers, with the rules of the reals: `(x^2)^(1/2)` is `abs(x)`.

use super::function::Function;
use super::number::Number;
use super::pool::{Expr, Factors, Node, Pool};

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
        if exponent == self.zero() || base == self.one() {
            return self.one();
        }
        if let Some(q) = self.as_number(exponent) {
            return self.pow_number(base, &q, exponent);
        }
        self.intern(Node::Product {
            coefficient: Number::ONE,
            factors: smallvec::smallvec![(base, exponent)],
        })
    }

    pub(super) fn pow_number(&self, base: Expr, q: &Number, exponent: Expr) -> Expr {
        let plain = |base| {
            self.intern(Node::Product {
                coefficient: Number::ONE,
                factors: smallvec::smallvec![(base, exponent)],
            })
        };
        let node = self.owned(base);
        match node {
            Node::Number(n) => self.number_power(&n, q).unwrap_or_else(|| plain(base)),
            Node::Product {
                coefficient,
                factors,
            } if q.is_integer() => {
                let Some(power) = q.to_i64().and_then(|k| coefficient.pow(k)) else {
                    return plain(base);
                };
                let mut coefficient = power;
                let mut raised = Factors::new();
                for (b, e) in factors {
                    let e = self.scale(e, q);
                    let part = self.pow(b, e);
                    self.gather(part, &mut coefficient, &mut raised);
                }
                self.finish_product(coefficient, raised)
            }
            Node::Product {
                coefficient,
                factors,
            } => self.product_root(&coefficient, factors, q),
            Node::Sum { .. } if q.is_integer() => match self.primitive(base) {
                Some((content, bare)) => match q.to_i64().and_then(|k| content.pow(k)) {
                    Some(power) => {
                        let bare = self.pow_number(bare, q, exponent);
                        self.scale_product(bare, &power)
                    }
                    None => plain(base),
                },
                None => plain(base),
            },
            Node::Sum { .. } => {
                // a positive content comes out of a root
                match self.primitive(base) {
                    Some((content, bare)) => {
                        let (size, bare) = if content.is_negative() {
                            (content.neg(), self.neg(bare))
                        } else {
                            (content, bare)
                        };
                        match self.number_power(&size, q) {
                            Some(power)
                                if self.as_number(power).is_some() && size != Number::ONE =>
                            {
                                let root = self.pow_number(bare, q, exponent);
                                self.mul(power, root)
                            }
                            _ => plain(base),
                        }
                    }
                    None => plain(base),
                }
            }
            Node::Apply(Function::Abs, ref args) if q.is_integer() => {
                // abs(u)^(2k + r) = u^(2k) abs(u)^r with r of the sign of the exponent
                if q.is_even() {
                    return self.pow(args[0], exponent);
                }
                let rest = if q.is_negative() { -1 } else { 1 };
                if q.to_i64() == Some(rest) {
                    return plain(base);
                }
                let even = self.number(q.sub(&Number::from(rest)));
                let even = self.pow(args[0], even);
                let rest = self.powi(base, rest);
                self.mul(even, rest)
            }
            _ => plain(base),
        }
    }

    /// `factor * e` without distributing over a sum that is a power.
    pub(super) fn scale_product(&self, e: Expr, factor: &Number) -> Expr {
        let number = self.number(factor.clone());
        self.mul(number, e)
    }

    /// The power of a number by a rational: the exact value, or whole part and a root of what is left.
    pub(super) fn number_power(&self, n: &Number, q: &Number) -> Option<Expr> {
        if let Some(k) = q.to_i64() {
            return n.pow(k).map(|v| self.number(v));
        }
        if n.is_zero() {
            return q.is_positive().then(|| self.zero());
        }
        if n.is_negative() {
            return None;
        }
        let degree = u32::try_from(q.denominator().to_i64()?).ok()?;
        let top = q.numerator().to_i64()?;
        let powered = n.pow(top)?;
        if let Some(root) = powered.root(degree) {
            return Some(self.number(root));
        }
        // sqrt(p/q) = sqrt(p q)/q, then square factors come out: sqrt(8) = 2 sqrt(2)
        let d = powered.denominator();
        let inside = powered.numerator().mul(&d.pow(i64::from(degree) - 1)?);
        let (mut outside, mut rest) = (d.recip()?, inside.to_i64()?);
        for p in 2..200_i64 {
            let Some(power) = p.checked_pow(degree) else {
                break;
            };
            while rest % power == 0 {
                rest /= power;
                outside = outside.mul(&Number::from(p));
            }
        }
        let rest = self.number(rest);
        let root = self.number(Number::ratio(1, i64::from(degree))?);
        Some(self.product_of(outside, smallvec::smallvec![(rest, root)]))
    }

    /// A fractional power of a product: positive numbers and even powers come out of it.
    pub(super) fn product_root(&self, coefficient: &Number, factors: Factors, q: &Number) -> Expr {
        let mut outside = Vec::new();
        let mut inside = Vec::new();
        let (size, sign) = (coefficient.abs(), coefficient.is_negative());
        match self.number_power(&size, q) {
            Some(power) => outside.push(power),
            None => inside.push(self.number(size)),
        }
        let single = factors.len() == 1 && !sign;
        for (base, exponent) in factors {
            match self.as_number(exponent) {
                Some(e) if e.is_even() => {
                    let magnitude = self.apply(Function::Abs, base);
                    let power = self.number(e.mul(q));
                    outside.push(self.pow(magnitude, power));
                }
                // a fractional power is already that of a non-negative base
                Some(e) if single && !e.is_integer() => {
                    let power = self.number(e.mul(q));
                    outside.push(self.pow(base, power));
                }
                _ => inside.push(self.pow(base, exponent)),
            }
        }
        let mut inside = self.product(inside);
        if sign {
            inside = self.neg(inside);
        }
        let exponent = self.number(q.clone());
        let root = if inside == self.one() {
            self.one()
        } else {
            match self
                .as_number(inside)
                .and_then(|n| self.number_power(&n, q))
            {
                Some(value) => value,
                None => self.intern(Node::Product {
                    coefficient: Number::ONE,
                    factors: smallvec::smallvec![(inside, exponent)],
                }),
            }
        };
        outside.push(root);
        self.product(outside)
    }
}
