//! Roots of numbers in one form: `r * prod n_f^f`, r rational, exponents f in (0, 1), all different, and
//! the n_f whole, coprime and free of squares.
//!
//! Each prime p of a product of powers of rationals has an exponent in all; its floor goes to r, and the
//! primes with the same rest f make up n_f. That is unique, and denominators are rational:
//! `sqrt(8) = 2*sqrt(2)`, `1/sqrt(2) = sqrt(2)/2`, `sqrt(2)*sqrt(3) = sqrt(6)`,
//! `(5/2)^(1/4) = 8^(1/4)*5^(1/4)/2 = 2^(3/4)*5^(1/4)/2`.
//!
//! Primes are found by trial division up to [`LARGEST_DIVISOR`]. What is left over counts as prime (as the root of
//! it where it is a perfect power): the form is right then, though perhaps not unique.

use super::number::Number;
use super::pool::{Expr, Factors, Pool};
use std::collections::BTreeMap;

/// Trial division ends here; what is left is prime up to the square of this.
const LARGEST_DIVISOR: i64 = 4096;
/// What is left is tested for being a power up to this one.
const LARGEST_POWER: u32 = 64;

/// The prime factors of a whole number > 0 with their powers; see the module for large ones.
pub(super) fn primes(n: &Number) -> Vec<(Number, i64)> {
    let mut found = Vec::new();
    let mut rest = n.clone();
    let mut small = rest.to_i64();
    let mut p = 2_i64;
    while p <= LARGEST_DIVISOR && !rest.is_one() {
        let prime = Number::from(p);
        let mut count = 0;
        if let Some(value) = &mut small {
            while *value % p == 0 {
                *value /= p;
                count += 1;
            }
            rest = Number::from(*value);
            if *value < p * p {
                if count > 0 {
                    found.push((prime, count));
                }
                break;
            }
        } else {
            while let Some(quotient) = rest.div(&prime).filter(Number::is_integer) {
                rest = quotient;
                count += 1;
            }
            small = rest.to_i64();
        }
        if count > 0 {
            found.push((prime, count));
        }
        p += if p == 2 { 1 } else { 2 };
    }
    if !rest.is_one() {
        let power = (2..=LARGEST_POWER)
            .rev()
            .find_map(|k| rest.root(k).map(|root| (root, i64::from(k))));
        found.push(power.unwrap_or((rest, 1)));
    }
    found
}

/// The product of powers of positive numbers: the rational before it and its roots; `None` where it is too large,
/// or one of them is not positive.
pub(super) fn radical(powers: &[(Number, Number)]) -> Option<(Number, Vec<(Number, Number)>)> {
    if !powers.iter().all(|(n, _)| n.is_positive()) {
        return None;
    }
    let mut exponents: BTreeMap<Number, Number> = BTreeMap::new();
    for (n, q) in powers {
        let parts = [(n.numerator(), q.clone()), (n.denominator(), q.neg())];
        for (whole, q) in parts {
            for (p, k) in primes(&whole) {
                let total = exponents.entry(p).or_insert(Number::ZERO);
                *total = total.add(&q.mul(&Number::from(k)));
            }
        }
    }
    let mut outside = Number::ONE;
    let mut inside: BTreeMap<Number, Number> = BTreeMap::new();
    for (p, q) in exponents {
        let floor = floor(&q)?;
        outside = outside.mul(&p.pow(floor)?);
        let rest = q.sub(&Number::from(floor));
        if !rest.is_zero() {
            let under = inside.entry(rest).or_insert(Number::ONE);
            *under = under.mul(&p);
        }
    }
    let roots = inside.into_iter().map(|(f, n)| (n, f)).collect();
    Some((outside, roots))
}

fn floor(q: &Number) -> Option<i64> {
    let (top, bottom) = (q.numerator().to_i64()?, q.denominator().to_i64()?);
    Some(top.div_euclid(bottom))
}

impl Pool {
    /// The power of a number by a rational, in its one form; `None` where it has none or is too large.
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
        let (outside, roots) = radical(&[(n.clone(), q.clone())])?;
        Some(self.product_of(outside, self.roots(roots)))
    }

    fn roots(&self, roots: Vec<(Number, Number)>) -> Factors {
        let mut factors: Factors = roots
            .into_iter()
            .map(|(n, f)| (self.number(n), self.number(f)))
            .collect();
        factors.sort_by_key(|(n, _)| *n);
        factors
    }

    /// Brings the roots of numbers among the factors of a product to their one form. Were they not in it?
    pub(super) fn gather_roots(&self, coefficient: &mut Number, factors: &mut Factors) -> bool {
        let root = |(b, x): &(Expr, Expr)| {
            let b = self.as_number(*b).filter(Number::is_positive)?;
            let x = self.as_number(*x).filter(|x| !x.is_integer())?;
            Some((b, x))
        };
        let powers: Vec<(Number, Number)> = factors.iter().filter_map(root).collect();
        if powers.len() < 2 {
            return false;
        }
        let Some((outside, roots)) = radical(&powers) else {
            return false;
        };
        let roots = self.roots(roots);
        let same = roots.len() == powers.len() && roots.iter().all(|r| factors.contains(r));
        if same {
            return false;
        }
        *coefficient = coefficient.mul(&outside);
        factors.retain(|factor| root(factor).is_none());
        factors.extend(roots);
        factors.sort_by_key(|(b, _)| *b);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ratio(a: i64, b: i64) -> Number {
        Number::ratio(a, b).unwrap()
    }

    #[test]
    fn roots_of_numbers_have_one_form() {
        let p = Pool::new();
        let power = |a: i64, b: i64, q: Number| p.pow(p.number(ratio(a, b)), p.number(q));
        let shown = |e| p.print(e);
        assert_eq!(shown(power(8, 1, Number::HALF)), "2*sqrt(2)");
        assert_eq!(shown(power(1, 2, Number::HALF)), "sqrt(2)/2");
        assert_eq!(shown(power(12, 1, ratio(1, 3))), "2^(2/3)*3^(1/3)");
        let fourth = power(5, 2, ratio(1, 4));
        let e = p.pow(fourth, p.number(ratio(-3, 2)));
        assert_eq!(e, power(5, 2, ratio(-3, 8)));
        let (two, three) = (power(2, 1, Number::HALF), power(3, 1, Number::HALF));
        assert_eq!(p.mul(two, three), power(6, 1, Number::HALF));
        assert_eq!(
            p.mul(two, power(6, 1, Number::HALF)),
            p.scale(three, &Number::from(2))
        );
        assert_eq!(
            p.mul(power(2, 1, ratio(1, 3)), power(4, 1, ratio(1, 3))),
            p.number(2)
        );
    }

    #[test]
    fn a_root_of_a_power_with_an_unknown_exponent_stays() {
        let p = Pool::new();
        let x = p.symbol(
            "x",
            crate::expr::SymbolKind::Coordinate { index: 0, order: 0 },
        );
        let power = p.pow(p.number(2), x);
        assert_eq!(p.print(p.sqrt(power)), "sqrt(2^x)");
        assert_eq!(
            p.print(p.sqrt(p.scale(power, &Number::from(12)))),
            "2*sqrt(3)*sqrt(2^x)"
        );
    }

    #[test]
    fn large_numbers_are_taken_as_far_as_they_go() {
        // 10^40 + 1 has large primes; (2^61 - 1)^2 is the square of one
        let ten = Number::from(10);
        let n = ten.pow(40).unwrap();
        let p = Pool::new();
        let root = p.number_power(&n.mul(&ten), &Number::HALF).unwrap();
        assert_eq!(p.print(root), "100000000000000000000*sqrt(10)");
        let prime = Number::from((1 << 61) - 1);
        let square = prime.mul(&prime);
        assert_eq!(
            p.number_power(&square, &Number::HALF),
            Some(p.number(prime))
        );
        let big = n.add(&Number::ONE);
        let root = p.number_power(&big, &Number::HALF).unwrap();
        assert_eq!(p.mul(root, root), p.number(big));
    }

    proptest! {
        #[test]
        fn powers_of_numbers_are_exact(a in 1_i64..2000, b in 1_i64..200, c in -9_i64..9, d in 1_i64..9, e in -9_i64..9, f in 1_i64..9) {
            let p = Pool::new();
            let (n, q, r) = (ratio(a, b), ratio(c, d), ratio(e, f));
            let x = p.pow(p.number(n.clone()), p.number(q.clone()));
            let none = |_| f64::NAN;
            let value = p.evaluate(x, &none);
            prop_assert!((value / n.to_f64().powf(q.to_f64()) - 1.0).abs() < 1e-12);
            // powers of powers, products of powers
            prop_assert_eq!(p.pow(x, p.number(r.clone())), p.pow(p.number(n.clone()), p.number(q.mul(&r))));
            let y = p.pow(p.number(n.clone()), p.number(r.clone()));
            prop_assert_eq!(p.mul(x, y), p.pow(p.number(n), p.number(q.add(&r))));
        }

        #[test]
        fn products_of_roots_are_the_root_of_the_product(a in 1_i64..500, b in 1_i64..500, c in 1_i64..7, d in 2_i64..7) {
            let p = Pool::new();
            let q = p.number(ratio(c, d));
            let [x, y, xy] = [a, b, a * b].map(|n| p.pow(p.number(n), q));
            prop_assert_eq!(p.mul(x, y), xy);
        }
    }
}
