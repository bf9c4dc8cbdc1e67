//! Arithmetic modulo a prime of one machine word, and what is computed through it: gcds of
//! polynomials by sparse interpolation. Nothing found modulo a prime is believed before it has been
//! verified over the integers.
//!
//! A probabilistic step gives `None` where its choices were unlucky or there is nothing to find, and when it is out of effort:
//! who tries again asks for that.

mod dense;
mod gcd;
mod sample;

pub(super) use dense::{ByDegree, Dense};
pub(super) use sample::{
    Sampler, Skeleton, Sparse, bases, image, in_order, residues, tail_evaluated,
};

use super::number::Number;
use dashu_base::RemEuclid;
use dashu_int::IBig;

/// The largest primes below 2^62, descending.
pub(super) const LARGE_PRIMES: [u64; 10] = [
    (1 << 62) - 57,
    (1 << 62) - 87,
    (1 << 62) - 117,
    (1 << 62) - 143,
    (1 << 62) - 153,
    (1 << 62) - 167,
    (1 << 62) - 171,
    (1 << 62) - 195,
    (1 << 62) - 203,
    (1 << 62) - 273,
];

/// Primes as large as that, as many as a coefficient of four thousand bits takes. Those after [`LARGE_PRIMES`] have passed
/// Fermat's test: what is found modulo a number that is none is not believed either.
fn large_primes() -> impl Iterator<Item = u64> {
    let last = LARGE_PRIMES[LARGE_PRIMES.len() - 1];
    let further = (1..).map(move |k| last - 2 * k);
    let further = further.filter(|&p| Field::new(p).pow(2, p - 1) == 1);
    LARGE_PRIMES.into_iter().chain(further).take(64)
}

/// The residue that is not negative.
pub(super) fn non_negative(k: IBig, modulus: &IBig) -> IBig {
    IBig::from(k.rem_euclid(modulus))
}

/// The residue of least size.
pub(super) fn symmetric(k: IBig, modulus: &IBig) -> IBig {
    let rest = non_negative(k, modulus);
    if &rest * 2 > *modulus {
        rest - modulus
    } else {
        rest
    }
}

/// The integers modulo an odd prime below 2^62.
///
/// Products are reduced by Barrett's method (A. Menezes, P. van Oorschot, S. Vanstone, Handbook of
/// Applied Cryptography, algorithm 14.42): the quotient by p comes from a product with floor(4^n/p).
#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    p: u64,
    bits: u32,
    inverse: u128,
}

impl Field {
    pub(super) fn new(p: u64) -> Self {
        assert!(p > 2 && p < 1 << 62);
        let bits = u64::BITS - p.leading_zeros();
        Self {
            p,
            bits,
            inverse: (1_u128 << (2 * bits)) / u128::from(p),
        }
    }

    pub(super) fn prime(self) -> u64 {
        self.p
    }

    /// The number of bits of the prime.
    pub(super) fn bits(self) -> usize {
        self.bits as usize
    }

    pub(super) fn add(self, a: u64, b: u64) -> u64 {
        let sum = a + b;
        if sum >= self.p { sum - self.p } else { sum }
    }

    pub(super) fn sub(self, a: u64, b: u64) -> u64 {
        if a >= b { a - b } else { a + self.p - b }
    }

    pub(super) fn neg(self, a: u64) -> u64 {
        if a == 0 { 0 } else { self.p - a }
    }

    pub(super) fn mul(self, a: u64, b: u64) -> u64 {
        let product = u128::from(a) * u128::from(b);
        let quotient = ((product >> (self.bits - 1)) * self.inverse) >> (self.bits + 1);
        // below 3 p, which fits
        let mut rest = (product as u64).wrapping_sub((quotient as u64).wrapping_mul(self.p));
        if rest >= self.p {
            rest -= self.p;
        }
        if rest >= self.p {
            rest -= self.p;
        }
        rest
    }

    pub(super) fn pow(self, mut base: u64, mut exponent: u64) -> u64 {
        let mut result = 1;
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = self.mul(result, base);
            }
            base = self.mul(base, base);
            exponent >>= 1;
        }
        result
    }

    /// The inverse; `None` for zero.
    pub(super) fn recip(self, a: u64) -> Option<u64> {
        // extended Euclid; the cofactors stay below p in size
        let (mut r, mut next_r) = (self.p.cast_signed(), a.cast_signed());
        let (mut t, mut next_t) = (0_i64, 1_i64);
        while next_r != 0 {
            let q = r / next_r;
            (r, next_r) = (next_r, r - q * next_r);
            (t, next_t) = (next_t, t - q * next_t);
        }
        (r == 1).then(|| t.rem_euclid(self.p.cast_signed()).cast_unsigned())
    }

    /// A signed word.
    pub(super) fn residue_of(self, value: i64) -> u64 {
        let size = value.unsigned_abs() % self.p;
        if value < 0 { self.neg(size) } else { size }
    }

    /// A whole number; `None` for a fraction.
    pub(super) fn whole(self, value: &Number) -> Option<u64> {
        let (size, negative) = value.residue(self.p)?;
        Some(if negative { self.neg(size) } else { size })
    }

    /// Has the (non-zero) residue no square root? (Euler's criterion)
    pub(super) fn is_non_residue(self, a: u64) -> bool {
        self.pow(a, self.p / 2) == self.p - 1
    }
}

/// A fixed sequence of numbers without pattern: Sebastiano Vigna's splitmix64. Probabilistic
/// algorithms take their choices from here, so the same input makes the same choices.
#[derive(Clone, Debug)]
pub(crate) struct Sequence(u64);

impl Sequence {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A residue, not zero.
    pub(super) fn residue(&mut self, field: Field) -> u64 {
        1 + self.next() % (field.prime() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Miller-Rabin to the first twelve prime bases decides for 64-bit numbers.
    fn is_prime(n: u64) -> bool {
        let field = Field::new(n);
        let (d, s) = (
            (n - 1) >> (n - 1).trailing_zeros(),
            (n - 1).trailing_zeros(),
        );
        [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37]
            .iter()
            .all(|&a| {
                let mut x = field.pow(a, d);
                x == 1
                    || (0..s).any(|_| {
                        let hit = x == n - 1;
                        x = field.mul(x, x);
                        hit
                    })
            })
    }

    #[test]
    fn the_table_holds_primes() {
        for p in LARGE_PRIMES {
            assert!(is_prime(p), "{p}");
        }
    }

    proptest! {
        #[test]
        fn products_and_inverses(a: u64, b: u64, which in 0_usize..13) {
            let p = [3, 5, 7, 101, 10_007, 65_537, 2_147_483_647, LARGE_PRIMES[0], LARGE_PRIMES[1],
                     LARGE_PRIMES[9], (1 << 61) - 1, 4_294_967_291, 1_000_003][which];
            let field = Field::new(p);
            let (a, b) = (a % p, b % p);
            let wanted = (u128::from(a) * u128::from(b) % u128::from(p)) as u64;
            prop_assert_eq!(field.mul(a, b), wanted);
            prop_assert_eq!(field.add(a, field.neg(a)), 0);
            if a != 0 {
                prop_assert_eq!(field.mul(a, field.recip(a).unwrap()), 1);
            }
            prop_assert!(a == 0 || !field.is_non_residue(field.mul(a, a)));
        }
    }
}
