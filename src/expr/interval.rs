//! Intervals of real numbers, rounded outward.
//!
//! Every operation returns bounds that hold for the exact real result. Sums are rounded in their direction
//! by their exact error (Knuth's two-sum), products, quotients and roots by one ulp, and the elementary
//! functions, taken from `libm` for the same bits on every machine, by [`SLACK`] relative, many times
//! their largest known error. Extrema and poles of the trigonometric functions are found with an enclosed
//! pi. A function is taken over the part of its argument that lies in its domain; nothing left is
//! [`Interval::EMPTY`].

use super::function::Function;
use super::number::Number;
use std::f64::consts::PI as PI_BELOW;

/// Relative widening of elementary functions: 16 ulp.
const SLACK: f64 = 1.0 / (1_u64 << 48) as f64;
/// Absolute widening, for results among the denormal numbers.
const TINY: f64 = 2e-322;

/// A closed interval; infinite ends are allowed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub lo: f64,
    /// Upper end.
    pub hi: f64,
}

/// A number rounded up or down to so many digits; as it is where rounding does not lead that way.
pub fn rounded(v: f64, digits: i32, upward: bool) -> f64 {
    if v == 0.0 || !v.is_finite() {
        return v;
    }
    let shift = digits - 1 - v.abs().log10().floor() as i32;
    let scaled = v * 10.0_f64.powi(shift);
    let whole = if upward {
        scaled.ceil()
    } else {
        scaled.floor()
    };
    let of = |whole: f64| -> f64 { format!("{whole:.0}e{}", -shift).parse().unwrap_or(v) };
    let found = of(whole);
    // what is one rounding beside a short number is not that number
    if upward && found < v {
        v.max(of(whole + 1.0))
    } else if !upward && found > v {
        v.min(of(whole - 1.0))
    } else {
        found
    }
}

/// A sum rounded down.
fn add_down(a: f64, b: f64) -> f64 {
    let (sum, error) = two_sum(a, b);
    // with an unbounded end it is exact, and no NaN: no lower end is +inf
    if error >= 0.0 || a.is_infinite() || b.is_infinite() {
        sum
    } else {
        down(sum)
    }
}

fn add_up(a: f64, b: f64) -> f64 {
    -add_down(-a, -b)
}

/// A sum and its exact error (NaN where it overflows).
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let part = sum - a;
    (sum, (a - (sum - part)) + (b - part))
}

/// The least and the largest of numbers.
fn extremes([a, b, c, d]: [f64; 4]) -> (f64, f64) {
    let least = |x: f64, y: f64| if x < y { x } else { y };
    let most = |x: f64, y: f64| if x > y { x } else { y };
    (
        least(least(a, b), least(c, d)),
        most(most(a, b), most(c, d)),
    )
}

/// A product with 0 times an unbounded end as 0: the end itself is not attained.
fn times(x: f64, y: f64) -> f64 {
    if x == 0.0 || y == 0.0 { 0.0 } else { x * y }
}

/// A number below, the next where it is not among the denormal ones (S. M. Rump, P. Zimmermann, S. Boldo, G. Melquiond, 2009).
fn down(v: f64) -> f64 {
    /// The rounding unit and a little.
    const PART: f64 = 0.5 * f64::EPSILON * (1.0 + f64::EPSILON);
    // an overflow is a number beyond the largest, not infinity
    let v = if v > f64::MAX { f64::MAX } else { v };
    v - (PART * v.abs() + f64::from_bits(1))
}

/// The same of what is not negative.
fn down_to_zero(v: f64) -> f64 {
    if v == 0.0 { 0.0 } else { down(v) }
}

fn up(v: f64) -> f64 {
    -down(-v)
}

// methods, not operators: chains of them are written in the order of evaluation
#[allow(clippy::should_implement_trait)]
impl Interval {
    /// The whole line.
    pub const ALL: Self = Self {
        lo: f64::NEG_INFINITY,
        hi: f64::INFINITY,
    };
    /// No number.
    pub const EMPTY: Self = Self {
        lo: f64::INFINITY,
        hi: f64::NEG_INFINITY,
    };
    /// Zero.
    pub const ZERO: Self = Self { lo: 0.0, hi: 0.0 };
    /// One.
    pub const ONE: Self = Self { lo: 1.0, hi: 1.0 };
    /// pi: the double next below it and the next.
    pub const PI: Self = Self {
        lo: PI_BELOW,
        hi: PI_BELOW.next_up(),
    };

    /// From end to end, in either order; the whole line where one is not a number.
    pub fn new(a: f64, b: f64) -> Self {
        if a.is_nan() || b.is_nan() {
            return Self::ALL;
        }
        Self {
            lo: a.min(b),
            hi: a.max(b),
        }
    }

    /// A single number.
    pub fn point(a: f64) -> Self {
        Self::new(a, a)
    }

    /// A number known to half an ulp, such as a decimal read as a double.
    pub fn nearest(a: f64) -> Self {
        if a == 0.0 || a.fract() == 0.0 && a.abs() < 9e15 {
            Self::point(a)
        } else {
            Self::outward(a, a)
        }
    }

    /// An exact number: a point where a double holds it.
    pub fn of_number(n: &Number) -> Self {
        let value = n.to_f64();
        if Number::from_f64(value).as_ref() == Some(n) {
            Self::point(value)
        } else {
            Self::outward(value, value)
        }
    }

    /// Is nothing inside?
    pub fn is_empty(self) -> bool {
        self.lo
            .partial_cmp(&self.hi)
            .is_none_or(std::cmp::Ordering::is_gt)
    }

    /// Is the number inside?
    pub fn contains(self, a: f64) -> bool {
        self.lo <= a && a <= self.hi
    }

    /// Are both ends finite?
    pub fn is_bounded(self) -> bool {
        self.lo.is_finite() && self.hi.is_finite()
    }

    /// Upper end less lower end, rounded up.
    pub fn width(self) -> f64 {
        if self.is_empty() {
            0.0
        } else {
            add_up(self.hi, -self.lo)
        }
    }

    /// A number inside, about the middle.
    pub fn middle(self) -> f64 {
        if self.lo == self.hi {
            return self.lo;
        }
        match (self.lo.is_finite(), self.hi.is_finite()) {
            (true, true) => (0.5 * self.lo + 0.5 * self.hi).clamp(self.lo, self.hi),
            (true, false) => self.lo.max(0.0) * 2.0 + 1.0,
            (false, true) => self.hi.min(0.0) * 2.0 - 1.0,
            (false, false) => 0.0,
        }
    }

    /// The largest absolute value.
    pub fn magnitude(self) -> f64 {
        self.lo.abs().max(self.hi.abs())
    }

    /// The smallest absolute value.
    pub fn mignitude(self) -> f64 {
        if self.contains(0.0) {
            0.0
        } else {
            self.lo.abs().min(self.hi.abs())
        }
    }

    /// The number that it is, where it is a single one.
    pub fn number(self) -> Option<Number> {
        Number::from_f64(self.lo).filter(|_| self.lo == self.hi)
    }

    /// What is in both.
    #[must_use]
    pub fn meet(self, other: Self) -> Self {
        Self {
            lo: self.lo.max(other.lo),
            hi: self.hi.min(other.hi),
        }
    }

    /// The smallest interval that holds both.
    #[must_use]
    pub fn hull(self, other: Self) -> Self {
        if self.is_empty() {
            return other;
        }
        if other.is_empty() {
            return self;
        }
        Self {
            lo: self.lo.min(other.lo),
            hi: self.hi.max(other.hi),
        }
    }

    /// Is all of it in the other?
    pub fn is_within(self, other: Self) -> bool {
        self.is_empty() || other.lo <= self.lo && self.hi <= other.hi
    }

    /// Is all of it in the other's interior?
    pub fn is_inside(self, other: Self) -> bool {
        self.is_empty() || other.lo < self.lo && self.hi < other.hi
    }

    fn outward(lo: f64, hi: f64) -> Self {
        if lo.is_nan() || hi.is_nan() {
            return Self::ALL;
        }
        Self {
            lo: down(lo),
            hi: up(hi),
        }
    }

    fn widened(lo: f64, hi: f64) -> Self {
        // an overflow is a number beyond the largest, not infinity
        let (lo, hi) = (lo.min(f64::MAX), hi.max(f64::MIN));
        Self::outward(lo - SLACK * lo.abs() - TINY, hi + SLACK * hi.abs() + TINY)
    }

    /// An end that is exact where the argument has the end `at`.
    fn exactly(self, at: bool, value: f64) -> Self {
        if at { Self::point(value) } else { self }
    }

    /// A function of two numbers at the ends of two intervals.
    fn at_ends(self, b: Self, f: impl Fn(f64, f64) -> f64) -> [f64; 4] {
        [
            f(self.lo, b.lo),
            f(self.lo, b.hi),
            f(self.hi, b.lo),
            f(self.hi, b.hi),
        ]
    }

    /// The sum.
    #[must_use]
    pub fn add(self, b: Self) -> Self {
        if self.is_empty() || b.is_empty() {
            return Self::EMPTY;
        }
        Self {
            lo: add_down(self.lo, b.lo),
            hi: add_up(self.hi, b.hi),
        }
    }

    /// The difference.
    #[must_use]
    pub fn sub(self, b: Self) -> Self {
        self.add(b.neg())
    }

    /// The negative.
    #[must_use]
    pub fn neg(self) -> Self {
        Self {
            lo: -self.hi,
            hi: -self.lo,
        }
    }

    /// The product.
    #[must_use]
    pub fn mul(self, b: Self) -> Self {
        if self.is_empty() || b.is_empty() {
            return Self::EMPTY;
        }
        if self == Self::ONE || b == Self::ZERO {
            return b;
        }
        if b == Self::ONE || self == Self::ZERO {
            return self;
        }
        let mut all = self.at_ends(b, |x, y| x * y);
        if all.iter().any(|v| v.is_nan()) {
            all = self.at_ends(b, times);
        }
        self.between(b, all)
    }

    /// What products or quotients with another interval lie between, by those of the ends. One of signs known keeps
    /// its sign, also where it underflows.
    fn between(self, b: Self, at_ends: [f64; 4]) -> Self {
        let (lo, hi) = extremes(at_ends);
        let same = || self.lo >= 0.0 && b.lo >= 0.0 || self.hi <= 0.0 && b.hi <= 0.0;
        let opposite = || self.lo >= 0.0 && b.hi <= 0.0 || self.hi <= 0.0 && b.lo >= 0.0;
        Self {
            lo: if lo == 0.0 && same() { 0.0 } else { down(lo) },
            hi: if hi == 0.0 && opposite() { 0.0 } else { up(hi) },
        }
    }

    /// The quotient; the hull of what it can be where the divisor has a zero inside.
    #[must_use]
    pub fn div(self, b: Self) -> Self {
        if self.is_empty() || b.is_empty() || b == Self::ZERO {
            return Self::EMPTY;
        }
        if b == Self::ONE {
            return self;
        }
        if b.lo > 0.0 || b.hi < 0.0 {
            let part = |x: f64, y: f64| {
                if x == 0.0 || y.is_infinite() && x.is_finite() {
                    0.0
                } else {
                    x / y
                }
            };
            let all = self.at_ends(b, part);
            if all.iter().any(|v| v.is_nan()) {
                return Self::ALL;
            }
            return self.between(b, all);
        }
        if b.hi == 0.0 {
            return self.neg().div(b.neg());
        }
        // the divisor holds zero: half a line where both have a sign
        let quotient = |x: f64, y: f64| if y.is_infinite() { 0.0 } else { x / y };
        if self.lo > 0.0 && b.lo == 0.0 {
            Self::new(down(quotient(self.lo, b.hi)).max(0.0), f64::INFINITY)
        } else if self.hi < 0.0 && b.lo == 0.0 {
            Self::new(f64::NEG_INFINITY, up(quotient(self.hi, b.hi)).min(0.0))
        } else {
            Self::ALL
        }
    }

    /// The numbers x of `within` for which x b meets this one: the quotient with the gap that a zero
    /// inside the divisor leaves.
    #[must_use]
    pub fn div_within(self, b: Self, within: Self) -> Self {
        if self.is_empty() || b.is_empty() {
            return Self::EMPTY;
        }
        if self.contains(0.0) && b.contains(0.0) {
            return within;
        }
        if !(b.lo < 0.0 && b.hi > 0.0) {
            return self.div(b).meet(within);
        }
        let left = self.div(Self::new(b.lo, 0.0)).meet(within);
        let right = self.div(Self::new(0.0, b.hi)).meet(within);
        left.hull(right)
    }

    /// The reciprocal.
    #[must_use]
    pub fn recip(self) -> Self {
        Self::ONE.div(self)
    }

    /// The absolute value.
    #[must_use]
    pub fn abs(self) -> Self {
        if self.lo >= 0.0 || self.is_empty() {
            self
        } else if self.hi <= 0.0 {
            self.neg()
        } else {
            Self {
                lo: 0.0,
                hi: self.magnitude(),
            }
        }
    }

    /// A whole power.
    #[must_use]
    pub fn powi(self, n: i32) -> Self {
        if self.is_empty() || n == 1 {
            return self;
        }
        if n <= 0 {
            return match n {
                0 => Self::ONE,
                _ => n.checked_neg().map_or(Self::ALL, |n| self.powi(n)).recip(),
            };
        }
        let base = if n % 2 == 0 { self.abs() } else { self };
        // products of one number, each rounded
        let power = |v: f64, round: fn(f64) -> f64| {
            if v == 0.0 || v == 1.0 || v.is_infinite() {
                return v;
            }
            let (mut power, mut square, mut left) = (1.0, v, n);
            loop {
                if left % 2 == 1 {
                    let more = power * square;
                    power = if power == 1.0 { more } else { round(more) };
                }
                left /= 2;
                if left == 0 {
                    return power;
                }
                square = round(square * square);
            }
        };
        Self {
            lo: if base.lo < 0.0 {
                -power(-base.lo, up)
            } else {
                power(base.lo, down_to_zero)
            },
            hi: if base.hi < 0.0 {
                -power(-base.hi, down_to_zero)
            } else {
                power(base.hi, up)
            },
        }
    }

    /// The square root of what is not negative.
    #[must_use]
    pub fn sqrt(self) -> Self {
        let base = self.meet(Self::new(0.0, f64::INFINITY));
        if base.is_empty() {
            return Self::EMPTY;
        }
        let exact = |v: f64| v == 0.0 || v == 1.0 || v.is_infinite();
        let (lo, hi) = (base.lo.sqrt(), base.hi.sqrt());
        Self {
            lo: if exact(base.lo) { lo } else { lo.next_down() },
            hi: if exact(base.hi) { hi } else { hi.next_up() },
        }
    }

    /// A power with a fixed exponent that is no whole number, of what is not negative. `exponent` is
    /// known to half an ulp.
    #[must_use]
    pub fn powf(self, exponent: f64) -> Self {
        let base = self.meet(Self::new(0.0, f64::INFINITY));
        if base.is_empty() {
            return Self::EMPTY;
        }
        if exponent < 0.0 {
            return base.powf(-exponent).recip();
        }
        // the error of the exponent is multiplied by the logarithm
        let slack = |v: f64| SLACK * (1.0 + (exponent * v.ln()).abs());
        let end = |v: f64, sign: f64| {
            if v == 0.0 || v == 1.0 || v.is_infinite() {
                v
            } else {
                let power = libm::pow(v, exponent);
                if power.is_infinite() && sign < 0.0 {
                    return f64::MAX * 0.5;
                }
                power + sign * (power * slack(v) + TINY)
            }
        };
        Self {
            lo: end(base.lo, -1.0).max(0.0),
            hi: end(base.hi, 1.0),
        }
    }

    /// A power whose base and exponent both vary: exp(y log x).
    #[must_use]
    pub fn pow(self, exponent: Self) -> Self {
        if exponent.lo == exponent.hi {
            let p = exponent.lo;
            return match i32::try_from(p as i64) {
                Ok(n) if f64::from(n) == p => self.powi(n),
                // a whole power too large to be multiplied out has a value below zero too
                _ if p.fract() == 0.0 && self.lo < 0.0 => Self::ALL,
                _ => self.powf(p),
            };
        }
        if self.lo < 0.0 && exponent.lo.ceil() <= exponent.hi {
            return Self::ALL;
        }
        let power = exponent.mul(self.apply(Function::Log)).apply(Function::Exp);
        // the logarithm has no value at zero, the power has
        if self.contains(0.0) && exponent.hi > 0.0 {
            power.hull(Self::ZERO)
        } else {
            power
        }
    }

    /// An increasing function by its values at the ends.
    fn increasing(self, f: impl Fn(f64) -> f64) -> Self {
        Self::widened(f(self.lo), f(self.hi))
    }

    /// The places in units of pi: k is in it where k pi + `phase` pi may be in the interval.
    fn in_half_turns(self, phase: f64) -> Self {
        self.div(Self::PI).sub(Self::point(phase))
    }

    /// sine or cosine: with `phase` 1/2 or 0, extrema at (k + phase) pi, maxima at even k.
    fn circular(self, phase: f64, f: impl Fn(f64) -> f64) -> Self {
        let whole = Self::new(-1.0, 1.0);
        if !self.is_bounded() {
            return whole;
        }
        let turns = self.in_half_turns(phase);
        let (first, last) = (turns.lo.ceil(), turns.hi.floor());
        if last - first >= 1.0 || first.abs().max(last.abs()) > 4e15 {
            return whole;
        }
        let (a, b) = (f(self.lo), f(self.hi));
        let mut range = Self::widened(a.min(b), a.max(b));
        if first == last {
            if first.rem_euclid(2.0) == 0.0 {
                range.hi = 1.0;
            } else {
                range.lo = -1.0;
            }
        }
        range.meet(whole)
    }

    /// Is the interval free of poles of the tangent?
    pub(crate) fn has_no_pole(self) -> bool {
        let turns = self.in_half_turns(0.5);
        self.is_bounded() && turns.lo.ceil() > turns.hi.floor() && turns.magnitude() < 4e15
    }

    /// A function of one argument over the part in its domain.
    #[must_use]
    pub fn apply(self, f: Function) -> Self {
        if self.is_empty() {
            return Self::EMPTY;
        }
        let zero = self == Self::ZERO;
        let (unit, positive) = (Self::new(-1.0, 1.0), Self::new(0.0, f64::INFINITY));
        let odd = |x: Self, f: fn(f64) -> f64| x.increasing(f).exactly(zero, 0.0);
        match f {
            Function::Sin => self.circular(0.5, libm::sin).exactly(zero, 0.0),
            Function::Cos => self.circular(0.0, libm::cos).exactly(zero, 1.0),
            Function::Tan if self.has_no_pole() => odd(self, libm::tan),
            Function::Tan | Function::Atan2 => Self::ALL,
            Function::Asin => self.in_unit(|x| odd(x, libm::asin)),
            Function::Acos => self.in_unit(|x| {
                Self::widened(libm::acos(x.hi), libm::acos(x.lo)).meet(Self::new(0.0, Self::PI.hi))
            }),
            Function::Atan => odd(self, libm::atan),
            Function::Sinh => odd(self, libm::sinh),
            Function::Tanh => odd(self, libm::tanh).meet(unit),
            Function::Erf => odd(self, libm::erf).meet(unit),
            Function::Cosh => self
                .abs()
                .increasing(libm::cosh)
                .meet(Self::new(1.0, f64::INFINITY))
                .exactly(zero, 1.0),
            Function::Exp => self.increasing(libm::exp).meet(positive).exactly(zero, 1.0),
            Function::Log => {
                if self.hi <= 0.0 {
                    return Self::EMPTY;
                }
                let x = self.meet(positive);
                x.increasing(libm::log).exactly(self == Self::ONE, 0.0)
            }
            Function::Abs => self.abs(),
            // at a zero it stands for both sides, if only one is inside: what rests at a kink on the side of a box is held by both
            Function::Sign => Self {
                lo: if self.lo > 0.0 { 1.0 } else { -1.0 },
                hi: if self.hi < 0.0 { -1.0 } else { 1.0 },
            },
        }
    }

    fn in_unit(self, f: impl Fn(Self) -> Self) -> Self {
        let inside = self.meet(Self::new(-1.0, 1.0));
        if inside.is_empty() {
            Self::EMPTY
        } else {
            f(inside)
        }
    }

    /// `atan2(y, x)` with `self` as y.
    #[must_use]
    pub fn atan2(self, x: Self) -> Self {
        if self.is_empty() || x.is_empty() {
            return Self::EMPTY;
        }
        if !self.misses_cut(x) {
            return Self::new(-Self::PI.hi, Self::PI.hi);
        }
        // off the cut and the origin the extreme angles are those of corners
        let (lo, hi) = extremes(self.at_ends(x, libm::atan2));
        Self::widened(lo, hi)
    }

    /// Does the box of y = `self` and x keep off the cut y = 0, x <= 0 of atan2?
    pub(crate) fn misses_cut(self, x: Self) -> bool {
        self.lo > 0.0 || self.hi < 0.0 || x.lo > 0.0
    }

    /// The numbers of `within` whose sine may be in this interval.
    #[must_use]
    pub fn asin_within(self, within: Self) -> Self {
        let first = self.apply(Function::Asin);
        // branch k of the sine is monotone round k pi
        first.on_branches(within, |k| {
            if k.rem_euclid(2.0) == 0.0 {
                first
            } else {
                first.neg()
            }
        })
    }

    /// The numbers of `within` whose tangent may be in this interval: a pole is none of them where it is bounded.
    #[must_use]
    pub fn atan_within(self, within: Self) -> Self {
        let first = self.apply(Function::Atan);
        first.on_branches(within, |_| first)
    }

    /// The numbers of `within` that are k pi + branch(k) for a whole k; a branch spans a half turn at most.
    fn on_branches(self, within: Self, branch: impl Fn(f64) -> Self) -> Self {
        if !within.is_bounded() || within.magnitude() > 1e9 {
            return within;
        }
        if self.is_empty() {
            return Self::EMPTY;
        }
        let branch = |k: f64| Self::PI.mul(Self::point(k)).add(branch(k)).meet(within);
        let low = (within.lo / PI_BELOW).round() - 1.0;
        let high = (within.hi / PI_BELOW).round() + 1.0;
        let rising = (0..4)
            .map(|i| low + f64::from(i))
            .take_while(|k| *k <= high);
        let falling = (0..4)
            .map(|i| high - f64::from(i))
            .take_while(|k| *k >= low);
        let Some(least) = rising.map(branch).find(|b| !b.is_empty()) else {
            // no branch among the first four: each spans less than a half turn, so none is met
            return if high - low < 4.0 {
                Self::EMPTY
            } else {
                within
            };
        };
        let most = falling
            .map(branch)
            .find(|b| !b.is_empty())
            .unwrap_or(within);
        least.hull(most)
    }
}
