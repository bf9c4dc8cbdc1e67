#![allow(clippy::format_collect)] // short texts, made once

use super::*;
use crate::expr::SymbolKind;
use proptest::prelude::*;

/// A pool with a few coordinates, each with up to two primes.
struct World {
    pool: Pool,
}

impl World {
    fn new() -> Self {
        let pool = Pool::new();
        for order in 0..3_u8 {
            for (index, name) in ["x", "y", "z", "été", "x_1"].into_iter().enumerate() {
                let name = format!("{name}{}", "'".repeat(usize::from(order)));
                pool.symbol(&name, SymbolKind::Coordinate { index, order });
            }
        }
        Self { pool }
    }

    fn read(&self, text: &str) -> Result<Expr, ParseError> {
        let names = |name: &str, primes: usize| {
            let full = format!("{name}{}", "'".repeat(primes));
            let known = self.pool.lookup(&full);
            known.ok_or(NameError::Unknown {
                name: full,
                help: None,
            })
        };
        parse(&self.pool, text, &names)
    }

    fn error(&self, text: &str) -> (ParseErrorKind, String, String) {
        let error = self.read(text).unwrap_err();
        let place = text[error.span.clone()].to_owned();
        (error.kind, place, error.help.unwrap_or_default())
    }
}

#[test]
fn operators_bind_as_the_grammar_says() {
    let world = World::new();
    let equal = [
        ("x + y*z^2", "x + (y*(z^2))"),
        ("x - y - z", "(x - y) - z"),
        ("x/y/z*x", "((x/y)/z)*x"),
        ("-x^2", "-(x^2)"),
        ("2^-1", "1/2"),
        ("2^3^2", "512"),
        ("x^y^z", "x^(y^z)"),
        ("x^-y^z", "x^(-(y^z))"),
        ("x*-y", "-(x*y)"),
        ("- - +x", "x"),
        ("x--y", "x + y"),
        (" 9.81\n*\tx ", "981/100*x"),
        ("1.5e-3 + .5 + 2.", "2.5015"),
        ("sqrt(x*x)", "abs(x)"),
        ("max(x, y)", "(x + y + abs(x - y))/2"),
        ("min(x, 2) + max(x, 2)", "x + 2"),
        ("step(x)", "(1 + sign(x))/2"),
        ("pow(hypot(x, y), 2)", "x^2 + y^2"),
        ("90*deg", "pi/2"),
        ("atan2(x, y + 1)", "atan2(x,1+y)"),
        ("été'' + x_1'", "x_1' + été''"),
        ("sin(pi)", "0"),
    ];
    for (a, b) in equal {
        assert_eq!(world.read(a), world.read(b), "{a} and {b}");
        assert!(world.read(a).is_ok(), "{a}");
    }
}

#[test]
#[rustfmt::skip]
fn errors_have_a_place_and_a_remedy() {
    const POWER: &str = "`^` binds to the right; a power that large is `exp(n*log(x))`";
    use ParseErrorKind as K;
    let world = World::new();
    let unknown = |name: &str| K::Name(NameError::Unknown { name: name.into(), help: None });
    let missing = |before: &str| K::MissingOperator(before.into());
    let character = |c: &str| K::Character(c.into());
    let arguments = |name, expected, found| K::Arguments { name, expected, found };
    let cases = [
        ("", K::Empty, "", ""),
        ("x +", K::Ends, "", ""),
        ("x * / y", K::NoOperand("/".into()), "/", ""),
        ("()", K::NoOperand(")".into()), ")", ""),
        ("2x", missing("x"), "x", "write `2*x` for a product"),
        ("2 x", missing("x"), "x", "write `2*x` for a product"),
        ("(x) (y)", missing("("), "(", "write `)*(` for a product"),
        ("x(y)", missing("("), "(", "write `x*(` for a product"),
        ("x**2", K::DoubleStar, "**", ""),
        ("(x + (y)", K::Unclosed, "(", "add `)`"),
        ("x + y)", K::Unopened, ")", ""),
        ("x, y", K::Comma, ",", ""),
        ("9,81", K::Comma, ",", "decimals are written with a point, as in 9.81"),
        ("9,x", K::Comma, ",", ""),
        ("x = y", K::Relation("=".into()), "=", ""),
        ("x >= y", K::Relation(">=".into()), ">=", "`step(x - y)` is 1 where the relation holds and 0 where it does not"),
        ("x + w'*y", unknown("w'"), "w'", ""),
        ("x'''", unknown("x'''"), "x'''", ""),
        ("2'", K::Prime, "'", ""),
        ("x − y", character("−"), "−", "write `-`"),
        ("x·y", character("·"), "·", "write `*`"),
        ("x × y", character("×"), "×", "write `*`"),
        ("x²", character("²"), "²", "write `^2`"),
        ("x′", character("′"), "′", "write `'`"),
        ("x + \u{1b}[0m", character("\\u{1b}"), "\u{1b}", ""),
        ("x + .", character("."), ".", ""),
        ("sin x", K::BareFunction("sin".into()), "sin", "write `sin(x)`"),
        ("sin^2(x)", K::BareFunction("sin".into()), "sin", "write `sin(x)^2` for the square of `sin(x)`"),
        ("1 + sin(x, y)", arguments("sin", 1, 2), "sin(x, y)", ""),
        ("atan2(x)", arguments("atan2", 2, 1), "atan2(x)", ""),
        ("sqrt()", arguments("sqrt", 1, 0), "sqrt()", ""),
        ("ln(x)", K::NoFunction("ln".into()), "ln", "write `log`, the natural logarithm"),
        ("1 + arcsin(x)", K::NoFunction("arcsin".into()), "arcsin", "did you mean `asin`?"),
        ("1 + cbrt(x)", K::NoFunction("cbrt".into()), "cbrt", "write `a^(1/3)` for `cbrt(a)`"),
        ("1 + max(x)", arguments("max", 2, 1), "max(x)", ""),
        ("step(x, y)", arguments("step", 1, 2), "step(x, y)", ""),
        ("cot(x - x)", K::DivisionByZero, "cot(x - x)", ""),
        ("snh(x)", K::NoFunction("snh".into()), "snh", "did you mean `sinh`?"),
        ("x/0", K::DivisionByZero, "0", ""),
        ("x/(y - y)", K::DivisionByZero, "(y - y)", ""),
        ("0^-1", K::DivisionByZero, "0^-1", ""),
        ("x^1001", K::Power, "1001", POWER),
        ("x^999999999", K::Power, "999999999", POWER),
        ("(x^1000)^2", K::Power, "(x^1000)^2", POWER),
        ("9^9^9^9", K::Power, "9^9", POWER),
        ("(10^300)^100", K::NumberTooLarge, "(10^300)^100", ""),
        ("(10^300*x)^100", K::NumberTooLarge, "(10^300*x)^100", ""),
        ("(10^300*(x+y))^100", K::NumberTooLarge, "(10^300*(x+y))^100", ""),
        ("1e999", K::Number, "1e999", "choose units in which it is nearer to 1, or give it fewer digits"),
    ];
    for (text, kind, place, help) in cases {
        assert_eq!(world.error(text), (kind, place.to_owned(), help.to_owned()), "{text}");
    }
}

#[test]
fn hostile_texts_are_refused_at_once() {
    let world = World::new();
    let repeated = |a: &str, n: usize, b: &str| format!("{}x{}", a.repeat(n), b.repeat(n));
    let start = std::time::Instant::now();
    for text in [
        repeated("(", 10_000, ")"),
        repeated("sin(", 10_000, ")"),
        repeated("x^", 10_000, ""),
        repeated("-(", 10_000, ")"),
        repeated("2^(1+", 5_000, ")"),
    ] {
        assert_eq!(world.error(&text).0, ParseErrorKind::TooDeep);
    }
    let product = "9e300*".repeat(10_000);
    let error = world.error(&format!("{product}1"));
    assert_eq!(error.0, ParseErrorKind::NumberTooLarge);
    let sum: String = (3..9000).map(|i| format!("1/{i}+")).collect();
    let error = world.error(&format!("{sum}1"));
    assert_eq!(error.0, ParseErrorKind::NumberTooLarge);
    let long = "x+".repeat(40_000);
    assert_eq!(world.error(&long).0, ParseErrorKind::TooLong(80_000));
    assert!(start.elapsed().as_secs() < 2, "{:?}", start.elapsed());
}

#[test]
fn long_flat_texts_are_fine() {
    let world = World::new();
    let sum = format!("{}x", "x^2*y+".repeat(10_000));
    assert_eq!(world.read(&sum), world.read("10000*x^2*y + x"));
    let signs = format!("{}x", "-".repeat(60_000));
    assert_eq!(world.read(&signs), world.read("x"));
    assert!(world.read(&wide()).is_ok());
}

/// A sum of 7000 distinct terms.
fn wide() -> String {
    (0..7000)
        .map(|i| format!("+x^.{i:04}1"))
        .collect::<String>()
        + "+y"
}

#[test]
fn definitions_that_double_are_refused_when_they_grow_too_large() {
    let world = World::new();
    let meter = Meter::default();
    let last = std::cell::Cell::new(world.read("x + y").unwrap());
    let names = |_: &str, _: usize| Ok(last.get());
    let grown = (0..1000).try_for_each(|_| {
        let next = parse_within(&world.pool, "sin(d) + cos(d)", &names, &|e| e, &meter)?;
        last.set(next);
        Ok::<(), ParseError>(())
    });
    assert_eq!(grown.unwrap_err().kind, ParseErrorKind::TooLarge);
}

#[test]
fn wide_definitions_cannot_fill_the_memory() {
    let world = World::new();
    let meter = Meter::default();
    let wide = world.read(&wide()).unwrap();
    let x = world.read("x").unwrap();
    let names = |name: &str, _: usize| Ok(if name == "d" { wide } else { x });
    let text: String = (0..4000).map(|i| format!("*(d+x^{})", i % 1000)).collect();
    let error = parse_within(&world.pool, &format!("1{text}"), &names, &|e| e, &meter).unwrap_err();
    assert_eq!(error.kind, ParseErrorKind::TooMany);
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused_at_a_place(
        text in "(x|y'|sin|atan2|sqrt|[0-9.]|[-+*/^(),]|\\(|\\)| |=|²|\\PC){0,30}",
    ) {
        if let Err(error) = World::new().read(&text) {
            prop_assert!(text.get(error.span).is_some());
        }
    }

    #[test]
    fn numbers_have_the_value_of_float_arithmetic(
        a in 1..50_i32, b in 1..50_i32, c in 1..50_i32, d in 1..5_i32,
    ) {
        let world = World::new();
        let e = world.read(&format!("{a} - {b}/{c}*{d} + -{a}^{d}/{b}")).unwrap();
        let (fa, fb, fc) = (f64::from(a), f64::from(b), f64::from(c));
        let expected = fa - fb / fc * f64::from(d) - fa.powi(d) / fb;
        let value = world.pool.as_number(e).unwrap().to_f64();
        prop_assert!((value - expected).abs() <= 1e-12 * (1.0 + fa.powi(d)));
    }
}

#[test]
fn what_other_notations_write_is_told_in_the_grammar() {
    let world = World::new();
    for (text, help) in [
        (
            "9.81 m/s^2",
            "there are no units: write `9.81` alone, in units that go together",
        ),
        (
            "-2kg*x",
            "there are no units: write `2` alone, in units that go together",
        ),
        (
            "9.81 [m/s^2]",
            "there are no units: write `9.81` alone, in units that go together",
        ),
        ("30 deg", "angles are in radians: write `30*deg`"),
        ("30°", "angles are in radians: write `30*deg`"),
        ("2x", "write `2*x` for a product"),
        ("2xy", "write `2*x*y` for a product"),
        ("2 xz'", "write `2*x*z'` for a product"),
        ("1/2 x", "write `1/2*x`, or `1/(2*x)`"),
        ("y/2x", "write `y/2*x`, or `y/(2*x)`"),
        (
            "x < 1",
            "`step(1 - x)` is 1 where the relation holds and 0 where it does not",
        ),
        (
            "x >= 0",
            "`step(x)` is 1 where the relation holds and 0 where it does not",
        ),
        (
            "2*(x < 1)",
            "`step(1 - t)`, for t < 1, is 1 where the relation holds and 0 where it does not",
        ),
        (
            "if(x > 1, 1, 0)",
            "write `c + (b - c)*step(a)` for `if(a > 0, b, c)`; t < 1 is 1 - t > 0",
        ),
        (
            "clamp(x, 0, 1)",
            "write `max(b, min(c, a))` for `clamp(a, b, c)`",
        ),
        ("2q", "write `2*q` for a product"),
        ("1e-3y", "write `1e-3*y` for a product"),
        ("x - 2.5E+03y", "write `2.5E+03*y` for a product"),
        ("x - 3y", "write `3*y` for a product"),
        ("9_81", "a number is written without `_`, as in 9.81"),
        ("0x10", "a number is written in decimal digits, as in 9.81"),
        ("\\dot{x}^2", "write `x'`"),
        ("\\ddot x", "write `x''`"),
        ("\\theta", "write `theta`, without the `\\`"),
        ("d(x)/dt", "write `x'` for the velocity of `x`"),
        ("diff(x, t)", "write `x'` for the velocity of `x`"),
        (
            "diff(q, t)",
            "the derivative of a coordinate `x` by the time is written `x'`",
        ),
        ("x'(t)", "`x'` is a function of t as it is: write `x'`"),
        ("x(t + 1)", "write `x*(` for a product"),
        ("e^y", "write `exp(y)`"),
        ("e^(x + y)", "write `exp(…)`"),
        ("9.81 // gravity", "a comment begins with `#`"),
    ] {
        assert_eq!(world.error(text).2, help, "{text}");
    }
    for (text, parts) in [
        ("piecewise(x)", ["`b*step(1 - t) + c*step(t - 1)`", "t < 1"]),
        ("mod(x, 2)", ["`step(t - 1)`", "`atan2(sin(x), cos(x))`"]),
        ("foo(x)", ["sin, cos", "max, min, step, heaviside"]),
    ] {
        let help = world.error(text).2;
        assert!(parts.iter().all(|part| help.contains(part)), "{help}");
    }
    // signs one after the other stay what they are
    assert!(world.read("x - +y").is_ok() && world.read("x + -y").is_ok());
}
