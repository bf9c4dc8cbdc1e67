//! Polynomial equations in one unknown: linear, quadratic, and those that become so in a power of
//! the unknown, shifted or not: `a (v + s)^2k + b (v + s)^k + c`.

use super::condition::{Raw, Relation, Zeros};
use super::isolate::Isolation;
use super::solver::Solver;
use crate::expr::{Expr, Function, Number};
use rustc_hash::FxHashMap;

/// Polynomials of a higher degree are left to numbers.
const MAX_DEGREE: usize = 12;

impl Solver<'_> {
    /// The roots of `sum c_k z^k`, with conditions in z.
    pub(super) fn polynomial(&self, c: &[Expr], z: Expr) -> Option<Vec<Isolation>> {
        let pool = self.pool();
        let degree = c.len().checked_sub(1)?;
        if degree == 0 || degree > MAX_DEGREE {
            return None;
        }
        let step = self.common_step(c);
        if step > 1 {
            return self.in_power(c, z, step);
        }
        let lead = c[degree];
        let zeros = self.zeros(lead);
        let always = divisor(lead, zeros);
        let over = |e: Expr| pool.reduced(pool.div(e, lead));
        match c {
            [c, _] => (zeros != Zeros::Elsewhere)
                .then(|| vec![Isolation::new(over(pool.neg(*c)), always)]),
            [c, b, _] => Some(match self.sign(self.in_coordinates(*b)) {
                Some(negative) if zeros == Zeros::Elsewhere => {
                    self.bending([*c, *b, lead], z, negative)
                }
                _ => self.quadratic([*c, *b, lead], z, zeros),
            }),
            _ if zeros == Zeros::Elsewhere => None,
            _ => self.shifted(c, z),
        }
    }

    /// A quadratic.
    fn quadratic(&self, [c, b, a]: [Expr; 3], z: Expr, zeros: Zeros) -> Vec<Isolation> {
        let pool = self.pool();
        let over = |e: Expr| pool.reduced(pool.div(e, a));
        let middle = pool.scale(over(b), &Number::HALF.neg());
        let inside = pool.reduced(pool.sub(pool.powi(middle, 2), over(c)));
        let (mut root, mut side) = (pool.sqrt(inside), pool.sub(z, middle));
        // the sign of the derivative 2 a z + b tells the roots apart as well
        let twice = pool.scale(a, &Number::from(2));
        let slope = pool.add(pool.mul(twice, z), b);
        let size = |e| pool.size(self.in_coordinates(e));
        if zeros == Zeros::Elsewhere || size(slope) < size(side) {
            (root, side) = (pool.div(self.discriminant([c, b, a]), twice), slope);
        }
        let values = [pool.add(middle, root), pool.sub(middle, root)];
        let mut ways = Isolation::by_sign(side, values, &divisor(a, zeros), None);
        if zeros == Zeros::Elsewhere {
            // where it is linear; the derivative b is not zero there, off the singular set
            let value = pool.reduced(pool.neg(pool.div(c, b)));
            ways.push(Isolation::new(value, vec![(a, Relation::Zero)]));
        }
        ways
    }

    /// A quadratic whose first coefficient may vanish and whose second has one sign: the root that
    /// stays finite there is `-2c/(b +- sqrt(b^2 - 4ac))`, and the other one is never where a = 0.
    fn bending(&self, [c, b, a]: [Expr; 3], z: Expr, negative: bool) -> Vec<Isolation> {
        let pool = self.pool();
        let root = self.discriminant([c, b, a]);
        let twice = |e| pool.scale(e, &Number::from(2));
        let slope = pool.add(pool.mul(twice(a), z), b);
        let outer = pool.add(b, if negative { pool.neg(root) } else { root });
        let finite = pool.neg(pool.div(twice(c), outer));
        let other = pool.neg(pool.div(outer, twice(a)));
        if !negative {
            return Isolation::by_sign(slope, [finite, other], &[], None);
        }
        let mut ways = Isolation::by_sign(slope, [other, finite], &[], None);
        ways.reverse();
        ways
    }

    /// `sqrt(b^2 - 4ac)`.
    fn discriminant(&self, [c, b, a]: [Expr; 3]) -> Expr {
        let pool = self.pool();
        let four = pool.scale(pool.mul(a, c), &Number::from(4));
        pool.sqrt(pool.reduced(pool.sub(pool.powi(b, 2), four)))
    }

    /// The greatest number that divides every exponent.
    fn common_step(&self, c: &[Expr]) -> usize {
        let zero = self.pool().zero();
        let exponents = c.iter().enumerate().filter(|(_, e)| **e != zero);
        exponents.fold(0, |step, (k, _)| {
            let (mut a, mut b) = (step, k);
            while b != 0 {
                (a, b) = (b, a % b);
            }
            a
        })
    }

    /// A polynomial in z^step.
    fn in_power(&self, c: &[Expr], z: Expr, step: usize) -> Option<Vec<Isolation>> {
        let pool = self.pool();
        let coefficients: Vec<Expr> = c.iter().copied().step_by(step).collect();
        let exponent = i64::try_from(step).ok()?;
        // the conditions are stated in the power, which is no unknown of its own
        let power = pool.powi(z, exponent);
        let w = self.standing_for(power);
        let power = FxHashMap::from_iter([(w, power)]);
        let mut ways = Vec::new();
        for way in self.polynomial(&coefficients, w)? {
            let conditions = way.conditions_with(pool, &power);
            if step % 2 == 1 {
                let value = self.signed_root(way.value, exponent)?;
                ways.push(Isolation::new(value, conditions));
                continue;
            }
            let root = pool.pow(way.value, pool.number(Number::ratio(1, exponent)?));
            let values = [root, pool.neg(root)];
            ways.extend(Isolation::by_sign(z, values, &conditions, None));
        }
        Some(ways)
    }

    /// The real root of odd degree: a fractional power is that of a number that is not negative.
    fn signed_root(&self, e: Expr, degree: i64) -> Option<Expr> {
        let pool = self.pool();
        let e = pool.reduced(e);
        let exponent = pool.number(Number::ratio(1, degree)?);
        if pool.is_non_negative(e) {
            return Some(pool.pow(e, exponent));
        }
        let size = pool.pow(pool.apply(Function::Abs, e), exponent);
        Some(pool.mul(pool.apply(Function::Sign, e), size))
    }

    /// `z = w - c_(d-1)/(d c_d)` takes the second term away; what is left may be one in a power of w.
    fn shifted(&self, c: &[Expr], z: Expr) -> Option<Vec<Isolation>> {
        let pool = self.pool();
        let degree = c.len() - 1;
        let by = Number::ratio(1, i64::try_from(degree).ok()?)?;
        let shift = pool.reduced(pool.scale(pool.div(c[degree - 1], c[degree]), &by));
        if shift == pool.zero() {
            return None;
        }
        let back = pool.add(z, shift);
        let w = self.standing_for(back);
        let back = FxHashMap::from_iter([(w, back)]);
        let moved = pool.sub(w, shift);
        let parts: Vec<Expr> = c
            .iter()
            .zip(0..)
            .map(|(&e, k)| pool.mul(e, pool.powi(moved, k)))
            .collect();
        let (coefficients, _) = pool.polynomial_in(pool.sum(parts), w)?;
        if self.common_step(&coefficients) < 2 {
            return None;
        }
        let ways = self.polynomial(&coefficients, w)?;
        let moved_back = |way: &Isolation| {
            let value = pool.sub(way.value, shift);
            Isolation::new(value, way.conditions_with(pool, &back))
        };
        Some(ways.iter().map(moved_back).collect())
    }
}

/// What there is to ask of something that is divided by.
fn divisor(e: Expr, zeros: Zeros) -> Vec<Raw> {
    match zeros {
        Zeros::Nowhere => Vec::new(),
        Zeros::Singular | Zeros::Elsewhere => vec![(e, Relation::NonZero)],
    }
}
