//! The table of rules.

use super::When::{
    All, Always, Congruent, Even, Fraction, NonNegative, NonZero, Odd, Positive, Within,
};
use super::{Rule, Stage, When};

const fn rule(name: &'static str, from: &'static str, to: &'static str, when: When) -> Rule {
    Rule {
        name,
        from,
        to,
        when,
        stage: Stage::Building,
    }
}

/// A rule whose right side has a value at more points than its left.
const fn wider(name: &'static str, from: &'static str, to: &'static str, when: When) -> Rule {
    Rule {
        stage: Stage::Simplifying,
        ..rule(name, from, to, when)
    }
}

/// The exact values of one function at multiples of pi.
macro_rules! turns {
    ($name:literal, $from:literal, $modulus:literal, $($residues:expr => $to:literal),+ $(,)?) => {
        &[$(rule($name, $from, $to, Congruent("k", $modulus, $residues))),+]
    };
}

/// The rules, by the function they rewrite; the first that applies is taken.
pub(super) static RULES: &[&[Rule]] = &[
    SINE,
    SINE_VALUES,
    COSINE,
    COSINE_VALUES,
    TANGENT,
    TANGENT_VALUES,
    INVERSES,
    HYPERBOLIC,
    EXPONENTIAL,
    MAGNITUDE,
    SIGN,
    POWERS,
    PRODUCTS,
];

const SINE: &[Rule] = &[
    rule("sin at 0", "sin(0)", "0", Always),
    rule("sin is odd", "sin(-u)", "-sin(u)", Always),
    rule("sin of acos", "sin(acos(u))", "sqrt(1 - u^2)", Always),
    rule("sin of atan", "sin(atan(u))", "u/sqrt(1 + u^2)", Always),
    wider("sin of asin", "sin(asin(u))", "u", Always),
    // atan2(0, 0) is 0, and so is its sine, but the quotient has no value there
    wider(
        "sin of atan2",
        "sin(atan2(u, v))",
        "u/sqrt(u^2 + v^2)",
        Positive("u^2 + v^2"),
    ),
];

const SINE_VALUES: &[Rule] = turns!["sin of a multiple of pi", "sin(k*pi)", 2,
    &[(0, 1), (1, 1)] => "0",
    &[(1, 6), (5, 6)] => "1/2",
    &[(1, 4), (3, 4)] => "sqrt(2)/2",
    &[(1, 3), (2, 3)] => "sqrt(3)/2",
    &[(1, 2)] => "1",
    &[(7, 6), (11, 6)] => "-1/2",
    &[(5, 4), (7, 4)] => "-sqrt(2)/2",
    &[(4, 3), (5, 3)] => "-sqrt(3)/2",
    &[(3, 2)] => "-1",
];

const COSINE: &[Rule] = &[
    rule("cos at 0", "cos(0)", "1", Always),
    rule("cos is even", "cos(-u)", "cos(u)", Always),
    rule("cos of asin", "cos(asin(u))", "sqrt(1 - u^2)", Always),
    rule("cos of atan", "cos(atan(u))", "1/sqrt(1 + u^2)", Always),
    wider("cos of acos", "cos(acos(u))", "u", Always),
    // atan2(0, 0) is 0 and its cosine 1
    wider(
        "cos of atan2",
        "cos(atan2(u, v))",
        "v/sqrt(u^2 + v^2)",
        Positive("u^2 + v^2"),
    ),
];

const COSINE_VALUES: &[Rule] = turns!["cos of a multiple of pi", "cos(k*pi)", 2,
    &[(1, 2), (3, 2)] => "0",
    &[(1, 3), (5, 3)] => "1/2",
    &[(1, 4), (7, 4)] => "sqrt(2)/2",
    &[(1, 6), (11, 6)] => "sqrt(3)/2",
    &[(0, 1)] => "1",
    &[(2, 3), (4, 3)] => "-1/2",
    &[(3, 4), (5, 4)] => "-sqrt(2)/2",
    &[(5, 6), (7, 6)] => "-sqrt(3)/2",
    &[(1, 1)] => "-1",
];

const TANGENT: &[Rule] = &[
    rule("tan at 0", "tan(0)", "0", Always),
    rule("tan is odd", "tan(-u)", "-tan(u)", Always),
    rule("tan of atan", "tan(atan(u))", "u", Always),
    rule("tan of asin", "tan(asin(u))", "u/sqrt(1 - u^2)", Always),
    rule("tan of acos", "tan(acos(u))", "sqrt(1 - u^2)/u", Always),
];

const TANGENT_VALUES: &[Rule] = turns!["tan of a multiple of pi", "tan(k*pi)", 1,
    &[(0, 1)] => "0",
    &[(1, 6)] => "sqrt(3)/3",
    &[(1, 4)] => "1",
    &[(1, 3)] => "sqrt(3)",
    &[(2, 3)] => "-sqrt(3)",
    &[(3, 4)] => "-1",
    &[(5, 6)] => "-sqrt(3)/3",
];

const INVERSES: &[Rule] = &[
    rule("asin at 0", "asin(0)", "0", Always),
    rule("asin is odd", "asin(-u)", "-asin(u)", Always),
    rule("asin at 1/2", "asin(1/2)", "pi/6", Always),
    rule("asin at sqrt(2)/2", "asin(sqrt(2)/2)", "pi/4", Always),
    rule("asin at sqrt(3)/2", "asin(sqrt(3)/2)", "pi/3", Always),
    rule("asin at 1", "asin(1)", "pi/2", Always),
    rule(
        "asin of sin",
        "asin(sin(u))",
        "u",
        Within("u", "-pi/2", "pi/2"),
    ),
    rule("acos at -1", "acos(-1)", "pi", Always),
    rule("acos at -sqrt(3)/2", "acos(-sqrt(3)/2)", "5*pi/6", Always),
    rule("acos at -sqrt(2)/2", "acos(-sqrt(2)/2)", "3*pi/4", Always),
    rule("acos at -1/2", "acos(-1/2)", "2*pi/3", Always),
    rule("acos at 0", "acos(0)", "pi/2", Always),
    rule("acos at 1/2", "acos(1/2)", "pi/3", Always),
    rule("acos at sqrt(2)/2", "acos(sqrt(2)/2)", "pi/4", Always),
    rule("acos at sqrt(3)/2", "acos(sqrt(3)/2)", "pi/6", Always),
    rule("acos at 1", "acos(1)", "0", Always),
    rule("acos of cos", "acos(cos(u))", "u", Within("u", "0", "pi")),
    rule("atan at 0", "atan(0)", "0", Always),
    rule("atan is odd", "atan(-u)", "-atan(u)", Always),
    rule("atan at sqrt(3)/3", "atan(sqrt(3)/3)", "pi/6", Always),
    rule("atan at 1", "atan(1)", "pi/4", Always),
    rule("atan at sqrt(3)", "atan(sqrt(3))", "pi/3", Always),
    // at the ends tan has no value
    rule(
        "atan of tan",
        "atan(tan(u))",
        "u",
        Within("u", "-pi/2", "pi/2"),
    ),
    rule("atan2 to the right", "atan2(0, u)", "0", Positive("u")),
    rule("atan2 to the left", "atan2(0, u)", "pi", Positive("-u")),
    rule("atan2 upwards", "atan2(u, 0)", "pi/2", Positive("u")),
    rule("atan2 downwards", "atan2(u, 0)", "-pi/2", Positive("-u")),
];

const HYPERBOLIC: &[Rule] = &[
    rule("sinh at 0", "sinh(0)", "0", Always),
    rule("sinh is odd", "sinh(-u)", "-sinh(u)", Always),
    rule("cosh at 0", "cosh(0)", "1", Always),
    rule("cosh is even", "cosh(-u)", "cosh(u)", Always),
    rule("tanh at 0", "tanh(0)", "0", Always),
    rule("tanh is odd", "tanh(-u)", "-tanh(u)", Always),
];

const EXPONENTIAL: &[Rule] = &[
    rule("erf at 0", "erf(0)", "0", Always),
    rule("erf is odd", "erf(-u)", "-erf(u)", Always),
    rule("exp at 0", "exp(0)", "1", Always),
    wider("exp of log", "exp(log(u))", "u", Always),
    wider("exp of a multiple of log", "exp(u*log(v))", "v^u", Always),
    rule("log at 1", "log(1)", "0", Always),
    rule("log of exp", "log(exp(u))", "u", Always),
    // log(u^n) for an even n is n*log(abs(u)), which is longer
    rule("log of an odd power", "log(u^n)", "n*log(u)", Odd("n")),
    rule("log of a root", "log(u^n)", "n*log(u)", Fraction("n")),
];

const MAGNITUDE: &[Rule] = &[
    rule(
        "abs of what is not negative",
        "abs(u)",
        "u",
        NonNegative("u"),
    ),
    rule("abs is even", "abs(-u)", "abs(u)", Always),
    rule("abs of an odd power", "abs(u^n)", "abs(u)^n", Odd("n")),
    rule("abs of a product", "abs(u*v)", "u*abs(v)", NonNegative("u")),
    rule("abs of sign", "abs(sign(u))", "1", NonZero("u")),
];

const SIGN: &[Rule] = &[
    rule("sign at 0", "sign(0)", "0", Always),
    rule("sign of what is positive", "sign(u)", "1", Positive("u")),
    rule("sign is odd", "sign(-u)", "-sign(u)", Always),
    rule("sign of a product", "sign(u*v)", "sign(v)", Positive("u")),
    rule(
        "sign of an odd power",
        "sign(u^n)",
        "sign(u)",
        All(&[Odd("n"), Positive("n")]),
    ),
    rule("sign of sign", "sign(sign(u))", "sign(u)", Always),
];

const POWERS: &[Rule] = &[
    rule("even power of abs", "abs(u)^n", "u^n", Even("n")),
    rule(
        "odd power of abs",
        "abs(u)^n",
        "u^(n - 1)*abs(u)",
        All(&[Odd("n"), Positive("n - 1")]),
    ),
    rule(
        "odd power of abs below",
        "abs(u)^n",
        "u^(n + 1)/abs(u)",
        All(&[Odd("n"), Positive("-1 - n")]),
    ),
    rule(
        "even power of sign",
        "sign(u)^n",
        "1",
        All(&[Even("n"), NonZero("u")]),
    ),
    rule(
        "odd power of sign",
        "sign(u)^n",
        "sign(u)",
        All(&[Odd("n"), Positive("n - 1")]),
    ),
    rule(
        "high even power of sign",
        "sign(u)^n",
        "sign(u)^2",
        All(&[Even("n"), Positive("n - 2")]),
    ),
    rule(
        "odd power of sign below",
        "sign(u)^n",
        "1/sign(u)",
        All(&[Odd("n"), Positive("-1 - n")]),
    ),
    rule(
        "high even power of sign below",
        "sign(u)^n",
        "1/sign(u)^2",
        All(&[Even("n"), Positive("-2 - n")]),
    ),
    rule(
        "root of an even power",
        "(u^n)^k",
        "abs(u)^(n*k)",
        All(&[Even("n"), Fraction("k")]),
    ),
    // a root has a value only where what stands under it is not negative
    rule(
        "root of a root",
        "(u^n)^k",
        "u^(n*k)",
        All(&[Fraction("n"), Fraction("n*k")]),
    ),
    wider(
        "power of a root",
        "(u^n)^k",
        "u^(n*k)",
        All(&[Fraction("n"), Fraction("k")]),
    ),
    rule(
        "root of an odd power",
        "(u^n)^k",
        "u^(n*k)",
        All(&[Odd("n"), Fraction("n*k")]),
    ),
    wider(
        "odd root of an odd power",
        "(u^n)^k",
        "u^(n*k)",
        All(&[Odd("n"), Fraction("k")]),
    ),
];

const PRODUCTS: &[Rule] = &[
    rule("what has a sign", "u*sign(u)", "abs(u)", Always),
    rule("abs with its sign", "abs(u)*sign(u)", "u", Always),
];
