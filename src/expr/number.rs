//! Exact rational numbers.
//!
//! A number in a system file stays what it is: `9.81` is the fraction 981/100 through every
//! derivation and prints as `9.81` again. Fractions of 64-bit integers are handled inline;
//! beyond that they are `dashu` rationals. Sizes are bounded by [`MAX_BITS`].

use dashu_base::{BitTest, Gcd, Sign, UnsignedAbs};
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use std::cmp::Ordering;
use std::fmt;

/// The longest numerator or denominator, in bits, that arithmetic may produce by taking powers.
pub const MAX_BITS: usize = 4096;
/// The most digits read: those of the largest whole number, so that what is printed can be read.
const MAX_DIGITS: usize = 1234;
/// The largest decimal exponent read (`1e400` is refused: it is no f64 either).
const MAX_EXPONENT: i64 = 330;

/// An exact rational number in lowest terms, denominator positive.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Number(Repr);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    Small(i64, i64),
    Big(Box<RBig>),
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        if let (Ok(a), Ok(b)) = (u64::try_from(a), u64::try_from(b)) {
            return u128::from(gcd_of_words(a, b));
        }
        (a, b) = (b, a % b);
    }
    a
}

/// The same for machine words, whose division is one instruction.
fn gcd_of_words(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl Number {
    /// Zero.
    pub const ZERO: Self = Self(Repr::Small(0, 1));
    /// One.
    pub const ONE: Self = Self(Repr::Small(1, 1));
    /// Minus one.
    pub const MINUS_ONE: Self = Self(Repr::Small(-1, 1));
    /// One half.
    pub const HALF: Self = Self(Repr::Small(1, 2));

    /// The fraction `numerator / denominator`; `None` where the denominator is zero.
    pub fn ratio(numerator: i64, denominator: i64) -> Option<Self> {
        (denominator != 0).then(|| Self::from_i128(i128::from(numerator), i128::from(denominator)))
    }

    fn from_i128(numerator: i128, denominator: i128) -> Self {
        // words are divided much faster
        if let (Ok(n), Ok(d)) = (i64::try_from(numerator), i64::try_from(denominator))
            && n != i64::MIN
            && d != i64::MIN
        {
            let divisor = gcd_of_words(n.unsigned_abs(), d.unsigned_abs()).max(1);
            let sign = if d < 0 { -1 } else { 1 };
            if divisor == 1 {
                return Self(Repr::Small(n * sign, d * sign));
            }
            #[allow(clippy::cast_possible_wrap)] // it divides an i64 that is not its minimum
            let divisor = divisor as i64 * sign;
            return Self(Repr::Small(n / divisor, d / divisor));
        }
        let divisor = gcd(numerator.unsigned_abs(), denominator.unsigned_abs()).max(1);
        let sign = if denominator < 0 { -1 } else { 1 };
        #[allow(clippy::cast_possible_wrap)] // the divisor divides an i128 that is not its minimum
        let divisor = divisor as i128 * sign;
        let (n, d) = (numerator / divisor, denominator / divisor);
        match (i64::try_from(n), i64::try_from(d)) {
            (Ok(n), Ok(d)) => Self(Repr::Small(n, d)),
            _ => Self(Repr::Big(Box::new(RBig::from_parts_signed(
                IBig::from(n),
                IBig::from(d),
            )))),
        }
    }

    fn from_big(value: RBig) -> Self {
        if value.numerator().bit_len() <= 64
            && value.denominator().bit_len() <= 64
            && let (Ok(n), Ok(d)) = (
                i64::try_from(value.numerator()),
                i64::try_from(value.denominator()),
            )
        {
            return Self(Repr::Small(n, d));
        }
        Self(Repr::Big(Box::new(value)))
    }

    fn big(&self) -> RBig {
        match &self.0 {
            Repr::Small(n, d) => RBig::from_parts_signed(IBig::from(*n), IBig::from(*d)),
            Repr::Big(value) => (**value).clone(),
        }
    }

    /// Is it 0?
    pub fn is_zero(&self) -> bool {
        matches!(self.0, Repr::Small(0, _))
    }

    /// Is it 1?
    pub fn is_one(&self) -> bool {
        matches!(self.0, Repr::Small(1, 1))
    }

    /// Is it -1?
    pub fn is_minus_one(&self) -> bool {
        matches!(self.0, Repr::Small(-1, 1))
    }

    /// Is it a whole number?
    pub fn is_integer(&self) -> bool {
        match &self.0 {
            Repr::Small(_, d) => *d == 1,
            Repr::Big(value) => value.is_int(),
        }
    }

    /// Is it below zero?
    pub fn is_negative(&self) -> bool {
        match &self.0 {
            Repr::Small(n, _) => *n < 0,
            Repr::Big(value) => value.sign() == Sign::Negative,
        }
    }

    /// Is it above zero?
    pub fn is_positive(&self) -> bool {
        !self.is_negative() && !self.is_zero()
    }

    /// The whole number it is, where it is one of 64 bits.
    pub fn to_i64(&self) -> Option<i64> {
        match self.0 {
            Repr::Small(n, 1) => Some(n),
            _ => None,
        }
    }

    /// The size of a whole number modulo `p`, and whether the number is negative; `None` for a fraction.
    pub(super) fn residue(&self, p: u64) -> Option<(u64, bool)> {
        match &self.0 {
            Repr::Small(n, 1) => Some((n.unsigned_abs() % p, *n < 0)),
            Repr::Big(value) if value.is_int() => {
                let size = value.numerator().clone().unsigned_abs();
                Some((size % p, value.sign() == Sign::Negative))
            }
            _ => None,
        }
    }

    /// The whole number it is, of any size.
    pub(super) fn integer(&self) -> Option<IBig> {
        match &self.0 {
            Repr::Small(n, 1) => Some(IBig::from(*n)),
            Repr::Big(value) if value.is_int() => Some(value.numerator().clone()),
            _ => None,
        }
    }

    /// A whole number of any size.
    pub(super) fn from_integer(value: IBig) -> Self {
        match i64::try_from(&value) {
            Ok(n) => Self(Repr::Small(n, 1)),
            Err(_) => Self::from_big(RBig::from(value)),
        }
    }

    /// Is it a whole even number?
    pub fn is_even(&self) -> bool {
        match &self.0 {
            Repr::Small(n, d) => *d == 1 && n % 2 == 0,
            Repr::Big(value) => value.is_int() && !value.numerator().bit(0),
        }
    }

    /// The numerator, with the sign.
    #[must_use]
    pub fn numerator(&self) -> Self {
        match &self.0 {
            Repr::Small(n, _) => Self(Repr::Small(*n, 1)),
            Repr::Big(value) => Self::from_big(RBig::from(value.numerator().clone())),
        }
    }

    /// The denominator, positive.
    #[must_use]
    pub fn denominator(&self) -> Self {
        match &self.0 {
            Repr::Small(_, d) => Self(Repr::Small(*d, 1)),
            Repr::Big(value) => Self::from_big(RBig::from(value.denominator().clone())),
        }
    }

    /// The nearest f64; infinite beyond its range.
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)] // checked just below
    pub fn to_f64(&self) -> f64 {
        if let Repr::Small(n, d) = self.0 {
            let (a, b) = (n as f64, d as f64);
            if a as i128 == i128::from(n) && b as i128 == i128::from(d) {
                return a / b;
            }
        }
        self.big().to_f64().value()
    }

    /// Sum.
    #[must_use]
    pub fn add(&self, other: &Self) -> Self {
        if let (Repr::Small(a, b), Repr::Small(c, d)) = (&self.0, &other.0) {
            let (a, b, c, d) = (*a, *b, *c, *d);
            if b == 1
                && d == 1
                && let Some(sum) = a.checked_add(c)
            {
                return Self(Repr::Small(sum, 1));
            }
            let (a, b, c, d) = (i128::from(a), i128::from(b), i128::from(c), i128::from(d));
            if let Some(numerator) = (a * d).checked_add(c * b) {
                return Self::from_i128(numerator, b * d);
            }
        }
        Self::from_big(self.big() + other.big())
    }

    /// Difference.
    #[must_use]
    pub fn sub(&self, other: &Self) -> Self {
        self.add(&other.neg())
    }

    /// Product.
    #[must_use]
    pub fn mul(&self, other: &Self) -> Self {
        if let (Repr::Small(a, b), Repr::Small(c, d)) = (&self.0, &other.0) {
            if *b == 1
                && *d == 1
                && let Some(product) = a.checked_mul(*c)
            {
                return Self(Repr::Small(product, 1));
            }
            let (n, d) = (
                i128::from(*a) * i128::from(*c),
                i128::from(*b) * i128::from(*d),
            );
            return Self::from_i128(n, d);
        }
        Self::from_big(self.big() * other.big())
    }

    /// The negative.
    #[must_use]
    pub fn neg(&self) -> Self {
        match &self.0 {
            Repr::Small(n, d) => match n.checked_neg() {
                Some(n) => Self(Repr::Small(n, *d)),
                None => Self::from_i128(-i128::from(*n), i128::from(*d)),
            },
            Repr::Big(value) => Self::from_big(-(**value).clone()),
        }
    }

    /// The absolute value.
    #[must_use]
    pub fn abs(&self) -> Self {
        if self.is_negative() {
            self.neg()
        } else {
            self.clone()
        }
    }

    /// The reciprocal; `None` for zero.
    pub fn recip(&self) -> Option<Self> {
        match &self.0 {
            Repr::Small(0, _) => None,
            Repr::Small(n, d) => Some(Self::from_i128(i128::from(*d), i128::from(*n))),
            Repr::Big(value) => {
                let (n, d) = (**value).clone().into_parts();
                Some(Self::from_big(RBig::from_parts_signed(IBig::from(d), n)))
            }
        }
    }

    /// The quotient; `None` where `other` is zero.
    pub fn div(&self, other: &Self) -> Option<Self> {
        other.recip().map(|r| self.mul(&r))
    }

    /// Words of 64 bits beyond the first that numerator and denominator take.
    pub(super) fn words(&self) -> usize {
        match &self.0 {
            Repr::Small(..) => 0,
            Repr::Big(big) => (big.numerator().bit_len() + big.denominator().bit_len()) / 64,
        }
    }

    /// A whole power; `None` for a negative power of zero or a result of more than [`MAX_BITS`] bits.
    pub fn pow(&self, exponent: i64) -> Option<Self> {
        if exponent == 0 || self.is_one() {
            return Some(Self::ONE);
        }
        if self.is_zero() {
            return (exponent > 0).then_some(Self::ZERO);
        }
        let base = if exponent < 0 {
            self.recip()?
        } else {
            self.clone()
        };
        let times = exponent.unsigned_abs();
        if let (Repr::Small(n, d), Ok(times)) = (&base.0, u32::try_from(times))
            && let (Some(n), Some(d)) = (n.checked_pow(times), d.checked_pow(times))
        {
            return Some(Self(Repr::Small(n, d)));
        }
        if base.is_minus_one() {
            return Some(if times.is_multiple_of(2) {
                Self::ONE
            } else {
                base
            });
        }
        let big = base.big();
        let bits = big.numerator().bit_len().max(big.denominator().bit_len());
        let times = usize::try_from(times).ok()?;
        if bits.saturating_sub(1).checked_mul(times)? > MAX_BITS {
            return None;
        }
        Some(Self::from_big(big.pow(isize::try_from(times).ok()?)))
    }

    /// The exact root of degree `degree`, where it is rational.
    pub fn root(&self, degree: u32) -> Option<Self> {
        if self.is_negative() || degree == 0 {
            return None;
        }
        let big = self.big();
        let degree = usize::try_from(degree).ok()?;
        let exact = |value: UBig| -> Option<UBig> {
            let root = value.nth_root(degree);
            (root.pow(degree) == value).then_some(root)
        };
        let n = exact(big.numerator().clone().unsigned_abs())?;
        let d = exact(big.denominator().clone())?;
        Some(Self::from_big(RBig::from_parts(IBig::from(n), d)))
    }

    /// The content of two coefficients: gcd of the numerators over lcm of the denominators,
    /// not negative. Dividing a list of numbers by their content leaves whole numbers without a common factor.
    #[must_use]
    pub fn content(&self, other: &Self) -> Self {
        if self.is_zero() {
            return other.abs();
        }
        if other.is_zero() {
            return self.abs();
        }
        if let (Repr::Small(a, b), Repr::Small(c, d)) = (&self.0, &other.0) {
            let n = u128::from(gcd_of_words(a.unsigned_abs(), c.unsigned_abs()));
            if *b == 1
                && *d == 1
                && let Ok(n) = i64::try_from(n)
            {
                return Self(Repr::Small(n, 1));
            }
            let (b, d) = (u128::from(b.unsigned_abs()), u128::from(d.unsigned_abs()));
            let lcm = b / gcd(b, d) * d;
            #[allow(clippy::cast_possible_wrap)] // products of two positive i64
            return Self::from_i128(n as i128, lcm as i128);
        }
        let (a, c) = (self.big(), other.big());
        let n = a.numerator().gcd(c.numerator());
        let (b, d) = (a.denominator().clone(), c.denominator().clone());
        let lcm = (&b / (&b).gcd(&d)) * &d;
        Self::from_big(RBig::from_parts(IBig::from(n), lcm))
    }

    /// Reads a decimal literal such as `12`, `.5`, `9.81` or `1.5e-3` exactly; `None` where it is none
    /// or its exponent is out of range.
    pub fn parse(text: &str) -> Option<Self> {
        let (mantissa, exponent) = match text.find(['e', 'E']) {
            Some(place) => (&text[..place], text[place + 1..].parse::<i64>().ok()?),
            None => (text, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits: String = [whole, fraction].concat();
        if digits.is_empty()
            || digits.len() > MAX_DIGITS
            || !digits.bytes().all(|b| b.is_ascii_digit())
        {
            return None;
        }
        let exponent = exponent.checked_sub(i64::try_from(fraction.len()).ok()?)?;
        if exponent.abs() > MAX_EXPONENT {
            return None;
        }
        let digits = IBig::from_str_radix(&digits, 10).ok()?;
        let ten = RBig::from(IBig::from(10));
        let scale = ten.pow(isize::try_from(exponent.unsigned_abs()).ok()?);
        let value = RBig::from(digits);
        Some(Self::from_big(if exponent < 0 {
            value / scale
        } else {
            value * scale
        }))
    }

    /// A double as a file writes it: 0.1 is 1/10.
    pub fn written(value: f64) -> Option<Self> {
        let size = Self::parse(&value.abs().to_string())?;
        Some(if value < 0.0 { size.neg() } else { size })
    }

    /// The exact value of a finite f64.
    pub fn from_f64(value: f64) -> Option<Self> {
        RBig::try_from(value).ok().map(Self::from_big)
    }

    /// The terminating decimal it is, where the denominator has only the factors 2 and 5 and at
    /// least one 5 (so 1/2 and 3/4 stay fractions, which read better in a formula).
    fn decimal(&self) -> Option<String> {
        let Repr::Small(n, d) = self.0 else {
            return None;
        };
        if d % 5 != 0 {
            return None;
        }
        let (mut rest, mut twos, mut fives) = (d, 0_u32, 0_u32);
        while rest % 2 == 0 {
            (rest, twos) = (rest / 2, twos + 1);
        }
        while rest % 5 == 0 {
            (rest, fives) = (rest / 5, fives + 1);
        }
        if rest != 1 {
            return None;
        }
        let places = twos.max(fives);
        let scaled = i128::from(n).checked_mul(10_i128.checked_pow(places)?)? / i128::from(d);
        let digits = scaled.unsigned_abs().to_string();
        let sign = if n < 0 { "-" } else { "" };
        let places = usize::try_from(places).ok()?;
        if places > 8 && digits.len() + 4 < places {
            let (first, rest) = digits.split_at(1);
            let exponent = places + 1 - digits.len();
            let rest = rest.trim_end_matches('0');
            let point = if rest.is_empty() { "" } else { "." };
            return Some(format!("{sign}{first}{point}{rest}e-{exponent}"));
        }
        let padded = format!("{digits:0>width$}", width = places + 1);
        let (whole, fraction) = padded.split_at(padded.len() - places);
        Some(format!("{sign}{whole}.{fraction}"))
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Self {
        Self(Repr::Small(value, 1))
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.0, &other.0) {
            (Repr::Small(a, b), Repr::Small(c, d)) => {
                (i128::from(*a) * i128::from(*d)).cmp(&(i128::from(*c) * i128::from(*b)))
            }
            _ => self.big().cmp(&other.big()),
        }
    }
}

impl fmt::Display for Number {
    /// As a whole number, a terminating decimal or a fraction `p/q`; reads back as the same number.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(decimal) = self.decimal() {
            return f.write_str(&decimal);
        }
        match &self.0 {
            Repr::Small(n, 1) => write!(f, "{n}"),
            Repr::Small(n, d) => write!(f, "{n}/{d}"),
            Repr::Big(value) if value.is_int() => write!(f, "{}", value.numerator()),
            Repr::Big(value) => write!(f, "{}/{}", value.numerator(), value.denominator()),
        }
    }
}

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn number(text: &str) -> Number {
        Number::parse(text).unwrap()
    }

    #[test]
    fn decimals_are_exact_and_print_as_written() {
        for text in ["9.81", "0.1", "12", "0.05", "2.5e-12", "0.0001", "1.25e-9"] {
            let shown = number(text).to_string();
            assert_eq!(number(&shown), number(text), "{text} printed as {shown}");
        }
        assert_eq!(number("9.81").to_string(), "9.81");
        assert_eq!(number("0.5").to_string(), "1/2");
        assert_eq!(number("2.5e-12").to_string(), "2.5e-12");
        assert_eq!(number("1.50").to_string(), "3/2");
    }

    #[test]
    fn powers_and_roots_are_bounded_and_exact() {
        let nine = Number::from(9);
        assert_eq!(nine.pow(-2).unwrap(), Number::ratio(1, 81).unwrap());
        assert!(nine.pow(387_420_489).is_none());
        assert_eq!(Number::ratio(4, 9).unwrap().root(2), Number::ratio(2, 3));
        assert_eq!(Number::from(2).root(2), None);
        assert_eq!(Number::ZERO.pow(-1), None);
    }

    #[test]
    fn big_numbers_fall_back_and_come_back() {
        let big = Number::from(i64::MAX).mul(&Number::from(i64::MAX));
        assert_eq!(
            big.div(&Number::from(i64::MAX)).unwrap(),
            Number::from(i64::MAX)
        );
        assert_eq!(Number::from(i64::MIN).neg().neg(), Number::from(i64::MIN));
        assert!((number("0.2222222222222222").to_f64() - 0.222_222_222_222_222_2).abs() == 0.0);
    }

    proptest! {
        #[test]
        fn arithmetic_is_a_field(a in -1000_i64..1000, b in 1_i64..1000, c in -1000_i64..1000, d in 1_i64..1000) {
            let x = Number::ratio(a, b).unwrap();
            let y = Number::ratio(c, d).unwrap();
            prop_assert_eq!(x.add(&y).sub(&y), x.clone());
            if !y.is_zero() {
                prop_assert_eq!(x.mul(&y).div(&y).unwrap(), x.clone());
            }
            prop_assert_eq!(Number::parse(&x.abs().to_string()).unwrap_or_else(|| x.abs()), x.abs());
            prop_assert!((x.add(&y).to_f64() - (x.to_f64() + y.to_f64())).abs() < 1e-9);
        }

        #[test]
        fn literals_round_to_the_nearest_f64(value in 1e-6_f64..1e6) {
            let text = format!("{value:?}");
            prop_assert_eq!(number(&text).to_f64(), value);
        }
    }
}
