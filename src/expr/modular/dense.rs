//! Polynomials in one variable modulo a prime.

use super::{Field, Sequence};
use crate::effort::Effort;

/// Coefficients, lowest power first, the last not zero.
pub(in crate::expr) type Dense = Vec<u64>;

/// Degrees, and the products of the irreducible factors of these degrees.
pub(in crate::expr) type ByDegree = Vec<(usize, Dense)>;

impl Field {
    /// Without zeros at the end.
    pub(in crate::expr) fn trim(mut a: Dense) -> Dense {
        while a.last() == Some(&0) {
            a.pop();
        }
        a
    }

    fn each(a: &[u64], b: &[u64], of: impl Fn(u64, u64) -> u64) -> Dense {
        let mut list = a.to_vec();
        list.resize(a.len().max(b.len()), 0);
        for (s, t) in list.iter_mut().zip(b) {
            *s = of(*s, *t);
        }
        Self::trim(list)
    }

    pub(in crate::expr) fn poly_add(self, a: &[u64], b: &[u64]) -> Dense {
        Self::each(a, b, |s, t| self.add(s, t))
    }

    pub(in crate::expr) fn poly_sub(self, a: &[u64], b: &[u64]) -> Dense {
        Self::each(a, b, |s, t| self.sub(s, t))
    }

    pub(in crate::expr) fn poly_scale(self, a: &[u64], factor: u64) -> Dense {
        Self::trim(a.iter().map(|k| self.mul(*k, factor)).collect())
    }

    pub(in crate::expr) fn poly_mul(self, a: &[u64], b: &[u64]) -> Dense {
        if a.is_empty() || b.is_empty() {
            return Dense::new();
        }
        let mut product = vec![0; a.len() + b.len() - 1];
        for (i, &x) in a.iter().enumerate().filter(|(_, x)| **x != 0) {
            for (place, &y) in product[i..].iter_mut().zip(b) {
                *place = self.add(*place, self.mul(x, y));
            }
        }
        Self::trim(product)
    }

    /// Quotient and remainder; `None` for division by zero.
    pub(in crate::expr) fn poly_divide(self, a: &[u64], b: &[u64]) -> Option<(Dense, Dense)> {
        let inverse = self.recip(*b.last()?)?;
        let mut rest = a.to_vec();
        let mut quotient = vec![0; (a.len() + 1).saturating_sub(b.len())];
        for k in (0..quotient.len()).rev() {
            let q = self.mul(rest[k + b.len() - 1], inverse);
            if q != 0 {
                quotient[k] = q;
                for (place, &y) in rest[k..].iter_mut().zip(b) {
                    *place = self.sub(*place, self.mul(q, y));
                }
            }
        }
        rest.truncate(b.len() - 1);
        Some((Self::trim(quotient), Self::trim(rest)))
    }

    pub(in crate::expr) fn poly_rest(self, a: &[u64], b: &[u64]) -> Option<Dense> {
        if a.len() < b.len() {
            return Some(a.to_vec());
        }
        self.poly_divide(a, b).map(|(_, rest)| rest)
    }

    /// With lead 1; zero stays zero.
    pub(in crate::expr) fn poly_monic(self, a: &[u64]) -> Dense {
        match a.last().and_then(|lead| self.recip(*lead)) {
            Some(inverse) => self.poly_scale(a, inverse),
            None => Dense::new(),
        }
    }

    /// The greatest common divisor with lead 1.
    pub(in crate::expr) fn poly_gcd(self, a: &[u64], b: &[u64]) -> Dense {
        let (mut a, mut b) = (a.to_vec(), b.to_vec());
        // multiples instead of quotients: an inverse costs a hundred products
        while let Some(&lead) = b.last() {
            while a.len() >= b.len() {
                let top = a[a.len() - 1];
                let shift = a.len() - b.len();
                for k in &mut a[..shift] {
                    *k = self.mul(*k, lead);
                }
                for (x, y) in a[shift..].iter_mut().zip(&b) {
                    *x = self.sub(self.mul(*x, lead), self.mul(top, *y));
                }
                a = Self::trim(a);
            }
            (a, b) = (b, a);
        }
        self.poly_monic(&a)
    }

    pub(in crate::expr) fn poly_derivative(self, a: &[u64]) -> Dense {
        let mut powers = 0;
        let terms = a.iter().skip(1).map(|k| {
            powers = self.add(powers, 1);
            self.mul(*k, powers)
        });
        Self::trim(terms.collect())
    }

    /// `a^-1` modulo `m`, where they are coprime.
    pub(in crate::expr) fn poly_recip(self, a: &[u64], m: &[u64]) -> Option<Dense> {
        let (mut r, mut next_r) = (m.to_vec(), self.poly_rest(a, m)?);
        let (mut t, mut next_t) = (Dense::new(), vec![1]);
        while !next_r.is_empty() {
            let (q, rest) = self.poly_divide(&r, &next_r)?;
            let new_t = self.poly_sub(&t, &self.poly_mul(&q, &next_t));
            (r, next_r) = (next_r, rest);
            (t, next_t) = (next_t, new_t);
        }
        let [unit] = r.as_slice() else {
            return None;
        };
        self.poly_rest(&self.poly_scale(&t, self.recip(*unit)?), m)
    }

    pub(in crate::expr) fn poly_pow(self, base: &[u64], exponent: u64, m: &[u64]) -> Option<Dense> {
        let mut result = vec![1];
        for bit in (0..u64::BITS - exponent.leading_zeros()).rev() {
            result = self.poly_rest(&self.poly_mul(&result, &result), m)?;
            if exponent >> bit & 1 == 1 {
                result = self.poly_rest(&self.poly_mul(&result, base), m)?;
            }
        }
        Some(result)
    }

    pub(in crate::expr) fn poly_value(self, a: &[u64], x: u64) -> u64 {
        a.iter()
            .rev()
            .fold(0, |sum, k| self.add(self.mul(sum, x), *k))
    }

    pub(in crate::expr) fn is_square_free(self, a: &[u64]) -> bool {
        self.poly_gcd(a, &self.poly_derivative(a)).len() == 1
    }

    /// The coefficients of `a(x + s)`.
    pub(in crate::expr) fn poly_shift(self, a: &[u64], s: u64) -> Dense {
        let mut shifted = a.to_vec();
        for start in 0..shifted.len() {
            for k in (start..shifted.len() - 1).rev() {
                shifted[k] = self.add(shifted[k], self.mul(s, shifted[k + 1]));
            }
        }
        shifted
    }

    /// What a power to the exponent p takes modulo a polynomial of this length, in operations on words.
    fn power_cost(self, length: usize) -> usize {
        4 * length * length * self.bits()
    }

    /// The products of the irreducible factors of each degree, of a square-free polynomial with lead 1.
    ///
    /// x^(p^d) - x is the product of all irreducible polynomials of the degrees that divide d (J. von
    /// zur Gathen, J. Gerhard, Modern Computer Algebra, algorithm 14.3).
    pub(in crate::expr) fn by_degree(self, a: &[u64], effort: &Effort) -> Option<ByDegree> {
        let mut parts = Vec::new();
        let mut left = a.to_vec();
        let mut power = vec![0, 1];
        let mut degree = 0;
        while left.len() > 2 * (degree + 1) {
            degree += 1;
            effort.spend_words(self.power_cost(left.len()))?;
            power = self.poly_pow(&self.poly_rest(&power, &left)?, self.prime(), &left)?;
            let part = self.poly_gcd(&left, &self.poly_sub(&power, &[0, 1]));
            if part.len() > 1 {
                left = self.poly_divide(&left, &part)?.0;
                parts.push((degree, part));
            }
        }
        if left.len() > 1 {
            parts.push((left.len() - 1, left));
        }
        Some(parts)
    }

    /// Splits a product of different irreducible factors of one degree (D. Cantor, H. Zassenhaus;
    /// Modern Computer Algebra, algorithm 14.8).
    pub(in crate::expr) fn equal_degree(
        self,
        a: &[u64],
        degree: usize,
        sequence: &mut Sequence,
        effort: &Effort,
    ) -> Option<Vec<Dense>> {
        let mut done = Vec::new();
        let mut open = vec![a.to_vec()];
        // each try splits with probability above 4/9: the bound is never met
        for _ in 0..64 * a.len() {
            let Some(part) = open.pop() else { break };
            if part.len() == degree + 1 {
                done.push(part);
                continue;
            }
            effort.spend_words(degree * self.power_cost(part.len()))?;
            let base: Dense = Self::trim(
                (1..part.len())
                    .map(|_| sequence.next() % self.prime())
                    .collect(),
            );
            // base^((p^d - 1)/2) = (base^(1 + p + ... + p^(d-1)))^((p - 1)/2)
            let (mut norm, mut conjugate) = (base.clone(), base);
            for _ in 1..degree {
                conjugate = self.poly_pow(&conjugate, self.prime(), &part)?;
                norm = self.poly_rest(&self.poly_mul(&norm, &conjugate), &part)?;
            }
            let root = self.poly_pow(&norm, self.prime() / 2, &part)?;
            let common = self.poly_gcd(&part, &self.poly_sub(&root, &[1]));
            if common.len() > 1 && common.len() < part.len() {
                open.push(self.poly_divide(&part, &common)?.0);
                open.push(common);
            } else {
                open.push(part);
            }
        }
        open.is_empty().then_some(done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn field() -> Field {
        Field::new(10_007)
    }

    fn poly() -> impl Strategy<Value = Dense> {
        proptest::collection::vec(0_u64..10_007, 1..9).prop_map(Field::trim)
    }

    proptest! {
        #[test]
        fn quotients_gcds_and_inverses(a in poly(), b in poly(), c in poly()) {
            prop_assume!(b.len() > 1 && !c.is_empty());
            let f = field();
            let (q, r) = f.poly_divide(&a, &b).unwrap();
            prop_assert_eq!(f.poly_add(&f.poly_mul(&q, &b), &r), a.clone());
            let g = f.poly_gcd(&f.poly_mul(&a, &c), &f.poly_mul(&b, &c));
            prop_assert!(f.poly_rest(&g, &f.poly_monic(&c)).unwrap().is_empty());
            if let Some(inverse) = f.poly_recip(&a, &b) {
                prop_assert_eq!(f.poly_rest(&f.poly_mul(&inverse, &a), &b).unwrap(), vec![1]);
            } else {
                prop_assert!(f.poly_gcd(&a, &b).len() != 1);
            }
            let shifted = f.poly_shift(&a, 5);
            prop_assert_eq!(f.poly_value(&shifted, 7), f.poly_value(&a, 12));
        }

        #[test]
        fn factors_of_one_degree_multiply_out(roots in proptest::collection::btree_set(0_u64..10_007, 1..8)) {
            let f = field();
            let product = roots.iter().fold(vec![1], |all, r| f.poly_mul(&all, &[f.neg(*r), 1]));
            let parts = f.by_degree(&product, &Effort::new(100_000)).unwrap();
            prop_assert_eq!(parts.len(), 1);
            let found = f.equal_degree(&product, 1, &mut Sequence::new(1), &Effort::new(100_000)).unwrap();
            let mut again: Vec<u64> = found.iter().map(|p| f.neg(p[0])).collect();
            again.sort_unstable();
            prop_assert_eq!(again, roots.into_iter().collect::<Vec<_>>());
        }
    }
}
