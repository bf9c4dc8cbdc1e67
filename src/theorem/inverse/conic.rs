//! Two equations of the second degree in two unknowns, of which a combination is linear: a line and a
//! conic, or two circles. With the line p u + q v = k and N = p^2 + q^2
//!
//! ```text
//! u = (k p - q s)/N,   v = (k q + p s)/N,   s = p v - q u
//! ```
//!
//! and the conic is a quadratic in s. N = 0 makes a row of the Jacobian zero: nothing else is divided by.

use super::solve::Solution;
use super::solver::Solver;
use crate::expr::{Expr, Number};

/// `a u^2 + b u v + c v^2 + d u + e v + f`, coefficients without u and v.
struct Conic {
    second: [Expr; 3],
    first: [Expr; 2],
    rest: Expr,
}

impl Solver<'_> {
    /// Solves a line and a conic.
    pub(super) fn line_and_conic(
        &self,
        equations: &[Expr],
        unknowns: &[Expr],
    ) -> Option<Vec<Solution>> {
        let (&[first, second], &[u, v]) = (equations, unknowns) else {
            return None;
        };
        let pool = self.pool();
        let [one, other] = [self.conic(first, (u, v))?, self.conic(second, (u, v))?];
        let (line, conic) = if one.second == [pool.zero(); 3] {
            (one, other)
        } else if other.second == [pool.zero(); 3] {
            (other, one)
        } else {
            (self.difference(&one, &other)?, one)
        };
        let ([p, q], k) = (line.first, pool.neg(line.rest));
        if p == pool.zero() || q == pool.zero() {
            return None; // no block of two
        }
        let n = pool.reduced(pool.add(pool.powi(p, 2), pool.powi(q, 2)));
        let s = self.standing_for(pool.sub(pool.mul(p, v), pool.mul(q, u)));
        let at = |own, across| pool.div(pool.add(pool.mul(k, own), across), n);
        let by = [
            (u, at(p, pool.neg(pool.mul(q, s)))),
            (v, at(q, pool.mul(p, s))),
        ];
        let [a, b, c] = conic.second;
        let [d, e] = conic.first;
        let (ku, kv) = (by[0].1, by[1].1);
        let whole = pool.sum([
            pool.product([a, ku, ku]),
            pool.product([b, ku, kv]),
            pool.product([c, kv, kv]),
            pool.mul(d, ku),
            pool.mul(e, kv),
            conic.rest,
        ]);
        // times N: for a circle the first coefficient is then a number
        let coefficients: Vec<Expr> = (0..3)
            .map(|order| {
                let mut slope = whole;
                for _ in 0..order {
                    slope = pool.derivative(slope, s);
                }
                let value = pool.mul(pool.without(slope, &[s]), n);
                let value = if order == 2 {
                    pool.scale(value, &Number::HALF)
                } else {
                    value
                };
                pool.reduced(value)
            })
            .collect();
        if coefficients[2] == pool.zero() {
            return None;
        }
        let ways = self.polynomial(&coefficients, s)?;
        Some(
            ways.iter()
                .filter_map(|way| self.settled(s, way))
                .map(|solution| solution.with(&by))
                .collect(),
        )
    }

    fn conic(&self, equation: Expr, (u, v): (Expr, Expr)) -> Option<Conic> {
        let pool = self.pool();
        let slopes = [u, v].map(|x| pool.reduced(pool.derivative(equation, x)));
        let second = [
            pool.scale(pool.derivative(slopes[0], u), &Number::HALF),
            pool.derivative(slopes[0], v),
            pool.scale(pool.derivative(slopes[1], v), &Number::HALF),
        ]
        .map(|e| pool.reduced(e));
        let bends = second.iter().any(|e| pool.contains_any(*e, &[u, v]));
        if bends || pool.may_jump(equation, &[u, v]) {
            return None;
        }
        let at_zero = |e| pool.reduced(pool.without(e, &[u, v]));
        Some(Conic {
            second,
            first: slopes.map(at_zero),
            rest: at_zero(equation),
        })
    }

    /// One minus a multiple of the other without terms of the second degree.
    fn difference(&self, one: &Conic, other: &Conic) -> Option<Conic> {
        let pool = self.pool();
        let zero = pool.zero();
        let place = (0..3).find(|&i| other.second[i] != zero)?;
        let factor = pool.reduced(pool.div(one.second[place], other.second[place]));
        if factor == zero || !pool.is_constant(factor) {
            return None;
        }
        let less = |a: Expr, b: Expr| pool.reduced(pool.sub(a, pool.mul(factor, b)));
        let pairs = one.second.iter().zip(&other.second);
        if pairs.into_iter().any(|(&a, &b)| less(a, b) != zero) {
            return None;
        }
        Some(Conic {
            second: [zero; 3],
            first: [0, 1].map(|i| less(one.first[i], other.first[i])),
            rest: less(one.rest, other.rest),
        })
    }
}
