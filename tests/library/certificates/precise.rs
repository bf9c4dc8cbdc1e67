//! Elementary functions in double-double arithmetic: about 31 digits, by series and argument reduction of
//! their own, as a reference for bounds.

/// The unevaluated sum of two doubles.
#[derive(Clone, Copy, Debug)]
pub struct Twofold {
    pub hi: f64,
    pub lo: f64,
}

fn two_sum(a: f64, b: f64) -> Twofold {
    let hi = a + b;
    let part = hi - a;
    Twofold {
        hi,
        lo: (a - (hi - part)) + (b - part),
    }
}

fn quick(a: f64, b: f64) -> Twofold {
    let hi = a + b;
    Twofold {
        hi,
        lo: b - (hi - a),
    }
}

impl Twofold {
    pub fn of(v: f64) -> Self {
        Self { hi: v, lo: 0.0 }
    }

    pub fn add(self, b: Self) -> Self {
        let (s, t) = (two_sum(self.hi, b.hi), two_sum(self.lo, b.lo));
        let s = quick(s.hi, s.lo + t.hi);
        quick(s.hi, s.lo + t.lo)
    }

    pub fn neg(self) -> Self {
        Self {
            hi: -self.hi,
            lo: -self.lo,
        }
    }

    pub fn sub(self, b: Self) -> Self {
        self.add(b.neg())
    }

    pub fn mul(self, b: Self) -> Self {
        let hi = self.hi * b.hi;
        let error = self.hi.mul_add(b.hi, -hi);
        quick(hi, error + (self.hi * b.lo + self.lo * b.hi))
    }

    pub fn div(self, b: Self) -> Self {
        let first = self.hi / b.hi;
        let rest = self.sub(b.mul(Self::of(first)));
        let second = rest.hi / b.hi;
        let rest = rest.sub(b.mul(Self::of(second)));
        quick(first, second).add(Self::of(rest.hi / b.hi))
    }

    pub fn times(self, power_of_two: f64) -> Self {
        Self {
            hi: self.hi * power_of_two,
            lo: self.lo * power_of_two,
        }
    }

    /// Is it in an interval?
    pub fn is_in(self, lo: f64, hi: f64) -> bool {
        let above = |end: f64| self.hi > end || self.hi == end && self.lo >= 0.0;
        let below = |end: f64| self.hi < end || self.hi == end && self.lo <= 0.0;
        above(lo) && below(hi)
    }
}

/// ln 2 and pi / 2, to three doubles.
const LN_2: [f64; 3] = [
    std::f64::consts::LN_2,
    2.319_046_813_846_299_6e-17,
    5.707_708_438_416_212e-34,
];
const QUARTER: [f64; 3] = [
    std::f64::consts::FRAC_PI_2,
    6.123_233_995_736_766e-17,
    -1.497_384_904_859_169_6e-33,
];

/// x - k c, for a whole number k.
fn reduced(x: Twofold, k: f64, c: [f64; 3]) -> Twofold {
    c.iter()
        .fold(x, |x, part| x.sub(Twofold::of(*part).mul(Twofold::of(k))))
}

/// The sum of `first`, first a / n(1), first a^2 / (n(1) n(2)), ...
fn series(first: Twofold, a: Twofold, n: impl Fn(f64) -> f64) -> Twofold {
    let (mut sum, mut term) = (first, first);
    for k in 1..40 {
        term = term.mul(a).div(Twofold::of(n(f64::from(k))));
        sum = sum.add(term);
        if term.hi.abs() < 1e-34 * sum.hi.abs() {
            break;
        }
    }
    sum
}

/// For results that are no denormal numbers.
pub fn exp(x: Twofold) -> Twofold {
    let k = (x.hi / LN_2[0]).round();
    let r = reduced(x, k, LN_2);
    let value = series(Twofold::of(1.0), r, |k| k);
    let half = (0.5 * k).trunc();
    value.times(half.exp2()).times((k - half).exp2())
}

pub fn log(x: Twofold) -> Twofold {
    // a step of Newton's method doubles the digits
    let first = Twofold::of(x.hi.ln());
    let quotient = x.mul(exp(first.neg())).sub(Twofold::of(1.0));
    // log(1 + q)
    first.add(quotient).sub(quotient.mul(quotient).times(0.5))
}

/// The error function: 2/sqrt(pi) exp(-x^2) sum 2^n x^(2n+1)/(2n+1)!!, without cancellation.
pub fn erf(x: Twofold) -> Twofold {
    let square = x.mul(x);
    let sum = series(x, square.times(2.0), |k| 2.0 * k + 1.0);
    let scale = Twofold {
        hi: std::f64::consts::FRAC_2_SQRT_PI,
        lo: 1.533_545_961_316_588e-17,
    };
    scale.mul(exp(square.neg())).mul(sum)
}

/// Sine and cosine.
pub fn sin_cos(x: Twofold) -> (Twofold, Twofold) {
    let k = (x.hi / QUARTER[0]).round();
    let r = reduced(x, k, QUARTER);
    let square = r.mul(r).neg();
    let sin = series(r, square, |k| 2.0 * k * (2.0 * k + 1.0));
    let cos = series(Twofold::of(1.0), square, |k| 2.0 * k * (2.0 * k - 1.0));
    match k.rem_euclid(4.0) as u8 {
        0 => (sin, cos),
        1 => (cos, sin.neg()),
        2 => (sin.neg(), cos.neg()),
        _ => (cos.neg(), sin),
    }
}

pub fn atan(x: Twofold) -> Twofold {
    let first = Twofold::of(x.hi.atan());
    let (s, c) = sin_cos(first);
    // tan(y - first), as small as an ulp
    let tangent = x.mul(c).sub(s).div(c.add(x.mul(s)));
    first.add(tangent)
}

/// For |x| well below one.
pub fn asin(x: Twofold) -> Twofold {
    let first = Twofold::of(x.hi.asin());
    let (s, c) = sin_cos(first);
    let d = x.sub(s).div(c);
    first.add(d).add(d.mul(d).mul(s.div(c)).times(0.5))
}

pub fn sinh(x: Twofold) -> Twofold {
    if x.hi.abs() < 0.5 {
        return series(x, x.mul(x), |k| 2.0 * k * (2.0 * k + 1.0));
    }
    exp(x).times(0.5).sub(exp(x.neg()).times(0.5))
}

pub fn cosh(x: Twofold) -> Twofold {
    exp(x).times(0.5).add(exp(x.neg()).times(0.5))
}

/// How well it agrees with the standard library, and with identities.
#[test]
fn the_reference_is_right() {
    for i in 1..2000 {
        let v = f64::from(i) * 0.013 - 13.0;
        let x = Twofold::of(v);
        let one = |t: Twofold| {
            (t.hi - 1.0).abs() + t.lo.abs() < 1e-29 || (t.hi - 1.0 + t.lo).abs() < 1e-29
        };
        let (s, c) = sin_cos(x);
        assert!((s.hi - v.sin()).abs() < 1e-15 && (c.hi - v.cos()).abs() < 1e-15);
        assert!(one(s.mul(s).add(c.mul(c))), "{v}");
        assert!(one(exp(x).mul(exp(x.neg()))), "{v}");
        assert!((exp(x).hi / v.exp() - 1.0).abs() < 1e-15);
        let back = log(exp(x)).sub(x);
        assert!(back.hi.abs() < 1e-29 * v.abs().max(1.0), "{v} {back:?}");
        let (s, c) = sin_cos(atan(x));
        assert!(
            s.div(c).div(x).sub(Twofold::of(1.0)).hi.abs() < 1e-28 || v == 0.0,
            "{v}"
        );
        let small = x.times(1.0 / 16.0);
        let (s, _) = sin_cos(asin(small));
        assert!(s.sub(small).hi.abs() < 1e-30, "{v}");
        let (sh, ch) = (sinh(small), cosh(small));
        assert!(one(ch.mul(ch).sub(sh.mul(sh))), "{v}");
    }
}
