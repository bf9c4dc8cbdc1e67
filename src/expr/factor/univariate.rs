//! Irreducible factors of polynomials in one variable over the integers.
//!
//! H. Zassenhaus's way (Modern Computer Algebra, chapter 15): factor modulo a small prime, lift the
//! factors to a power of it that exceeds twice any coefficient of a factor (Hensel), and try which
//! products of them divide. Primes tell more together: the degree of a factor over the integers is a
//! sum of degrees of factors modulo each prime.

use crate::effort::Effort;
use crate::expr::modular::{ByDegree, Dense, Field, Sequence, non_negative, symmetric};
use dashu_base::{BitTest, Gcd, Sign, UnsignedAbs};
use dashu_int::{IBig, UBig};

/// Good primes that are looked at; the one with the fewest factors is lifted.
const PRIMES: usize = 5;
/// The first number tried as a prime.
const FIRST_PRIME: u64 = 4_099;
/// Primes that are tried at most.
const TRIED: usize = 60;

/// Coefficients, lowest power first, the last not zero.
pub(super) type Whole = Vec<IBig>;

/// The degrees that a factor may have.
#[derive(Clone, Debug)]
pub(super) struct Degrees(Vec<bool>);

impl Degrees {
    /// Nothing is known.
    pub(super) fn all(degree: usize) -> Self {
        Self(vec![true; degree + 1])
    }

    /// Only sums of these degrees, which sum to the whole.
    pub(super) fn restrict(&mut self, parts: &[usize]) {
        let mut sums = vec![false; self.0.len()];
        sums[0] = true;
        for &part in parts {
            for d in (part..sums.len()).rev() {
                sums[d] |= sums[d - part];
            }
        }
        for (known, sum) in self.0.iter_mut().zip(sums) {
            *known &= sum;
        }
    }

    pub(super) fn admits(&self, degree: usize) -> bool {
        self.0.get(degree).copied().unwrap_or(false)
    }

    /// No proper factor is possible.
    pub(super) fn irreducible(&self) -> bool {
        let inner = 1..self.0.len().saturating_sub(1);
        inner.into_iter().all(|d| !self.0[d])
    }
}

/// Factors of a polynomial in one variable.
#[derive(Clone, Debug)]
pub(super) struct Split {
    pub(super) factors: Vec<Whole>,
    /// False where the last one might split further.
    pub(super) complete: bool,
}

impl Split {
    fn whole(p: &[IBig], complete: bool) -> Self {
        Self {
            factors: vec![p.to_vec()],
            complete,
        }
    }
}

/// The degrees of the factors modulo a prime of a square-free polynomial.
pub(super) fn degrees_of(parts: &[(usize, Dense)]) -> Vec<usize> {
    parts
        .iter()
        .flat_map(|(d, part)| vec![*d; (part.len() - 1) / d])
        .collect()
}

/// The small primes from [`FIRST_PRIME`] on.
pub(super) fn small_primes() -> impl Iterator<Item = u64> {
    (FIRST_PRIME..).step_by(2).filter(|n| {
        (3..)
            .step_by(2)
            .take_while(|d| d * d <= *n)
            .all(|d| n % d != 0)
    })
}

/// The factors of a primitive square-free polynomial with positive lead; `None` where not even one
/// prime could be looked at.
pub(super) fn irreducibles(p: &[IBig], effort: &Effort) -> Option<Split> {
    let degree = p.len().checked_sub(1)?;
    if degree < 2 {
        return Some(Split::whole(p, true));
    }
    let lead = p.last()?;
    let mut possible = Degrees::all(degree);
    let mut best: Option<(Field, ByDegree, usize)> = None;
    let mut looked = 0;
    for q in small_primes().take(TRIED) {
        let field = Field::new(q);
        let residues = reduced(p, q);
        if residue(lead, q) == 0 || !field.is_square_free(&residues) {
            continue;
        }
        let parts = field.by_degree(&field.poly_monic(&residues), effort)?;
        let degrees = degrees_of(&parts);
        possible.restrict(&degrees);
        if possible.irreducible() {
            return Some(Split::whole(p, true));
        }
        if best
            .as_ref()
            .is_none_or(|(_, _, count)| degrees.len() < *count)
        {
            best = Some((field, parts, degrees.len()));
        }
        looked += 1;
        if looked == PRIMES {
            break;
        }
    }
    let (field, parts, count) = best?;
    let mut sequence = Sequence::new(degree as u64);
    let mut factors = Vec::with_capacity(count);
    for (d, part) in parts {
        factors.extend(field.equal_degree(&part, d, &mut sequence, effort)?);
    }
    factors.sort();
    Some(match lift(p, field, &factors, effort) {
        Some(lifted) => recombine(p, lifted, &possible, effort),
        None => Split::whole(p, false),
    })
}

/// The residue of an integer.
pub(super) fn residue(k: &IBig, p: u64) -> u64 {
    let size = k.clone().unsigned_abs() % p;
    if k.sign() == Sign::Negative && size > 0 {
        p - size
    } else {
        size
    }
}

/// The residues of a polynomial.
pub(super) fn reduced(p: &[IBig], prime: u64) -> Dense {
    Field::trim(p.iter().map(|k| residue(k, prime)).collect())
}

/// A power of a prime, and factors with lead 1 modulo it.
type Lifted = (IBig, Vec<Whole>);

/// A bound for twice the lead times any coefficient of a factor, in bits: a factor of degree d has
/// coefficients of size at most 2^d |p|_2 (M. Mignotte).
fn bits_needed(p: &[IBig]) -> usize {
    let largest = p.iter().map(BitTest::bit_len).max().unwrap_or(0);
    let lead = p.last().map_or(0, BitTest::bit_len);
    let length = usize::BITS - p.len().leading_zeros();
    p.len() + largest + lead + length as usize / 2 + 3
}

/// The inverse of an integer modulo a power of a prime, by Newton's iteration.
fn inverse(k: &IBig, field: Field, modulus: &IBig) -> Option<IBig> {
    let mut x = IBig::from(field.recip(residue(k, field.prime()))?);
    let mut known = IBig::from(field.prime());
    while known < *modulus {
        known = &known * &known;
        let error: IBig = IBig::from(2) - k * &x;
        x = non_negative(x * error, &known);
    }
    Some(non_negative(x, modulus))
}

/// Lifts a factorization modulo a prime, a digit at a time. With f = prod g_i + p^k e and cofactors
/// s_i (sum s_i prod_{j != i} g_j = 1 mod p) the next digit of g_i is e s_i mod g_i.
fn lift(p: &[IBig], field: Field, factors: &[Dense], effort: &Effort) -> Option<Lifted> {
    let prime = field.prime();
    let digits = bits_needed(p) / (field.bits() - 1) + 1;
    let modulus = IBig::from(prime).pow(digits);
    let unit = inverse(p.last()?, field, &modulus)?;
    let target: Whole = p
        .iter()
        .map(|k| non_negative(k * &unit, &modulus))
        .collect();
    let cofactors = cofactors(field, factors)?;
    let mut lifted: Vec<Whole> = factors
        .iter()
        .map(|f| f.iter().map(|k| IBig::from(*k)).collect())
        .collect();
    let mut power = IBig::from(prime);
    for step in 1..digits {
        effort.spend(p.len() * p.len() * (1 + step * field.bits() / 512))?;
        let next = &power * prime;
        let product = lifted.iter().fold(vec![IBig::ONE], |all, f| {
            multiply(&all, f)
                .into_iter()
                .map(|k| k % &next)
                .collect::<Whole>()
        });
        let error: Whole = target
            .iter()
            .zip(&product)
            .map(|(a, b)| (a - b) / &power)
            .collect();
        let error = reduced(&error, prime);
        if !error.is_empty() {
            for ((g, f), s) in lifted.iter_mut().zip(factors).zip(&cofactors) {
                let digit = field.poly_rest(&field.poly_mul(&error, s), f)?;
                for (place, d) in g.iter_mut().zip(digit) {
                    *place += &power * d;
                }
            }
        }
        power = next;
    }
    Some((modulus, lifted))
}

/// s_i with sum s_i prod_{j != i} f_j = 1 and deg s_i < deg f_i; `None` where two share a factor.
pub(super) fn cofactors(field: Field, factors: &[Dense]) -> Option<Vec<Dense>> {
    factors
        .iter()
        .enumerate()
        .map(|(i, f)| {
            let mut others = vec![1];
            for (j, g) in factors.iter().enumerate() {
                if i != j {
                    others = field.poly_rest(&field.poly_mul(&others, g), f)?;
                }
            }
            field.poly_recip(&others, f)
        })
        .collect()
}

fn multiply(a: &[IBig], b: &[IBig]) -> Whole {
    if a.is_empty() || b.is_empty() {
        return Whole::new();
    }
    let mut product = vec![IBig::ZERO; a.len() + b.len() - 1];
    for (i, x) in a.iter().enumerate() {
        for (place, y) in product[i..].iter_mut().zip(b) {
            *place += x * y;
        }
    }
    product
}

/// The quotient, where `b` divides `a` over the integers.
pub(super) fn quotient(a: &[IBig], b: &[IBig]) -> Option<Whole> {
    let lead = b.last()?;
    let mut rest = a.to_vec();
    let mut quotient = vec![IBig::ZERO; (a.len() + 1).checked_sub(b.len())?];
    for k in (0..quotient.len()).rev() {
        let top = &rest[k + b.len() - 1];
        let q = top / lead;
        if &q * lead != *top {
            return None;
        }
        for (place, y) in rest[k..].iter_mut().zip(b) {
            *place -= &q * y;
        }
        quotient[k] = q;
    }
    rest.iter().all(|k| *k == IBig::ZERO).then_some(quotient)
}

/// The gcd of the coefficients, with the sign of the lead.
pub(super) fn content(p: &[IBig]) -> IBig {
    let size = p
        .iter()
        .filter(|k| **k != IBig::ZERO) // gcd(0, 0) is refused
        .fold(UBig::ZERO, |g, k| g.gcd(k.clone().unsigned_abs()));
    let sign = p.last().map_or(Sign::Positive, IBig::sign);
    IBig::from_parts(sign, size)
}

/// Tries which products of the lifted factors divide, small numbers of them first.
fn recombine(
    p: &[IBig],
    (modulus, mut factors): Lifted,
    possible: &Degrees,
    effort: &Effort,
) -> Split {
    let mut left = p.to_vec();
    let mut found = Vec::new();
    let mut size = 1;
    let mut complete = true;
    while complete && 2 * size <= factors.len() {
        match divisor(&left, (&modulus, &factors), size, possible, effort) {
            Some((which, factor, rest)) => {
                found.push(factor);
                left = rest;
                let mut places = 0..;
                factors.retain(|_| places.next().is_some_and(|k| !which.contains(&k)));
            }
            None if effort.spend(0).is_none() => complete = false,
            None => size += 1,
        }
    }
    found.push(left);
    Split {
        factors: found,
        complete,
    }
}

/// A divisor that is a product of so many lifted factors: which these are, it and the quotient.
fn divisor(
    p: &[IBig],
    (modulus, factors): (&IBig, &[Whole]),
    size: usize,
    possible: &Degrees,
    effort: &Effort,
) -> Option<(Vec<usize>, Whole, Whole)> {
    let lead = p.last()?;
    let ends = lead * &p[0];
    let words = 1 + modulus.bit_len() / 64;
    let mut which: Vec<usize> = (0..size).collect();
    loop {
        effort.spend(size * (1 + words / 4))?;
        let degree: usize = which.iter().map(|&i| factors[i].len() - 1).sum();
        if possible.admits(degree) {
            // the lead times the constant term of a divisor divides the lead times that of p
            let end = which
                .iter()
                .fold(lead.clone(), |all, &i| all * &factors[i][0] % modulus);
            let end = symmetric(end, modulus);
            let ends_fit = ends == IBig::ZERO || (end != IBig::ZERO && &ends % &end == IBig::ZERO);
            if ends_fit {
                effort.spend(p.len() * p.len() * words)?;
                let product = which.iter().fold(vec![lead.clone()], |all, &i| {
                    let product = multiply(&all, &factors[i]);
                    product.into_iter().map(|k| k % modulus).collect::<Whole>()
                });
                let product: Whole = product.into_iter().map(|k| symmetric(k, modulus)).collect();
                let unit = content(&product);
                let candidate: Whole = product.iter().map(|k| k / &unit).collect();
                if let Some(rest) = quotient(p, &candidate) {
                    return Some((which, candidate, rest));
                }
            }
        }
        // the next choice in lexicographic order
        let mut places = (0..size).rev();
        let place = places.find(|&k| which[k] < factors.len() - size + k)?;
        which[place] += 1;
        for k in place + 1..size {
            which[k] = which[k - 1] + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn whole(list: &[i64]) -> Whole {
        list.iter().map(|k| IBig::from(*k)).collect()
    }

    fn split(p: &[IBig]) -> Split {
        let found = irreducibles(p, &Effort::new(2_000_000)).unwrap();
        let product = found
            .factors
            .iter()
            .fold(whole(&[1]), |all, f| multiply(&all, f));
        assert_eq!(product, p);
        found
    }

    /// x^n - 1 has a factor for each divisor of n.
    #[test]
    fn cyclotomic_polynomials() {
        for n in 1_usize..=36 {
            let mut p = vec![IBig::ZERO; n + 1];
            p[0] = IBig::NEG_ONE;
            p[n] = IBig::ONE;
            let found = split(&p);
            assert!(found.complete, "x^{n} - 1");
            let divisors = (1..=n).filter(|d| n % d == 0).count();
            assert_eq!(found.factors.len(), divisors, "x^{n} - 1");
        }
    }

    /// (x - 1)(x - 2)...(x - 20)
    #[test]
    fn wilkinson() {
        let p = (1..=20).fold(whole(&[1]), |all, k| multiply(&all, &whole(&[-k, 1])));
        let found = split(&p);
        assert!(found.complete);
        assert_eq!(found.factors.len(), 20);
    }

    /// The polynomial with the roots +-sqrt(2) +- sqrt(3) +- ...: irreducible, but modulo every prime a
    /// product of factors of degree 1 and 2.
    fn swinnerton_dyer(radicands: &[i64]) -> Whole {
        let mut p = whole(&[0, 1]);
        for &n in radicands {
            // p(x + r) p(x - r) = a^2 - n b^2 with p(x + r) = a + r b, r^2 = n
            let (mut a, mut b) = (Whole::new(), Whole::new());
            for k in p.iter().rev() {
                // (a + r b)(x + r) + k
                let mut next_a = vec![IBig::ZERO; a.len().max(b.len()) + 1];
                let mut next_b = next_a.clone();
                for (i, v) in a.iter().enumerate() {
                    next_a[i + 1] += v;
                    next_b[i] += v;
                }
                for (i, v) in b.iter().enumerate() {
                    next_b[i + 1] += v;
                    next_a[i] += v * IBig::from(n);
                }
                next_a[0] += k;
                (a, b) = (next_a, next_b);
            }
            let (aa, bb) = (multiply(&a, &a), multiply(&b, &b));
            p = aa
                .iter()
                .zip(&bb)
                .map(|(x, y)| x - y * IBig::from(n))
                .collect();
            while p.last() == Some(&IBig::ZERO) {
                p.pop();
            }
        }
        p
    }

    #[test]
    fn swinnerton_dyer_polynomials_end() {
        for count in 2..=4 {
            let p = swinnerton_dyer(&[2, 3, 5, 7][..count]);
            assert_eq!(p.len(), (1 << count) + 1);
            let found = split(&p);
            assert!(found.complete);
            assert_eq!(found.factors.len(), 1);
        }
        let p = swinnerton_dyer(&[2, 3, 5, 7, 11, 13]);
        let found = irreducibles(&p, &Effort::new(400_000)).unwrap();
        assert!(!found.complete);
        assert_eq!(found.factors, [p]);
    }

    proptest! {
        #[test]
        fn products_come_apart(
            list in proptest::collection::vec(proptest::collection::vec(-9_i64..10, 2..6), 2..5),
        ) {
            let mut parts: Vec<Whole> = Vec::new();
            for mut k in list {
                let lead = k.pop().unwrap_or(1);
                k.push(if lead == 0 { 1 } else { lead.abs() });
                let p = whole(&k);
                let unit = content(&p);
                let p: Whole = p.iter().map(|k| k / &unit).collect();
                if !parts.contains(&p) {
                    parts.push(p);
                }
            }
            let product = parts.iter().fold(whole(&[1]), |all, f| multiply(&all, f));
            prop_assume!(Field::new((1 << 61) - 1).is_square_free(&reduced(&product, (1 << 61) - 1)));
            let found = split(&product);
            prop_assert!(found.complete);
            prop_assert!(found.factors.len() >= parts.len());
            // each is irreducible by itself, and each given one is a product of some
            for f in &found.factors {
                prop_assert_eq!(split(f).factors.len(), 1);
                prop_assert!(f.len() < 2 || parts.iter().any(|p| quotient(p, f).is_some()));
            }
        }
    }
}
