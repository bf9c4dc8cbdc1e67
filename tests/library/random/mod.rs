//! Random expressions, as text in the grammar of system files, and how their values are compared.

#![allow(
    dead_code,
    clippy::expect_used,
    missing_docs,
    clippy::range_plus_one,
    clippy::manual_is_multiple_of
)] // each test file uses a part

pub mod system;

use holonom::expr::{Expr, NameError, Pool, SymbolKind, parse};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// The names that random expressions use.
pub const NAMES: [&str; 3] = ["x", "y", "z"];

/// Which functions an expression may contain.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// + - * and whole powers
    Polynomial,
    /// quotients as well
    Rational,
    /// and sin, cos, tan, sinh, cosh
    Smooth,
    /// and everything else: roots, abs, sign, logarithms, inverse functions
    Any,
}

fn leaf() -> BoxedStrategy<String> {
    prop_oneof![
        6 => prop::sample::select(&NAMES[..]).prop_map(str::to_owned),
        2 => (1..6_i32).prop_map(|n| n.to_string()),
        1 => (1..8_i32, 2..7_i32).prop_map(|(a, b)| format!("({a}/{b})")),
        1 => prop::sample::select(&["0.5", "9.81", "1.5e-1", "pi/3"][..]).prop_map(|s| format!("({s})")),
    ]
    .boxed()
}

/// An expression of [`NAMES`], fully parenthesised.
pub fn expression(kind: Kind, depth: u32) -> BoxedStrategy<String> {
    leaf()
        .prop_recursive(depth, 24, 3, move |inner| {
            let pair = (inner.clone(), inner.clone());
            let plain = prop_oneof![
                3 => pair.clone().prop_map(|(a, b)| format!("({a} + {b})")),
                3 => pair.clone().prop_map(|(a, b)| format!("({a} - {b})")),
                4 => pair.clone().prop_map(|(a, b)| format!("({a})*({b})")),
                2 => (inner.clone(), 2..4_i32).prop_map(|(a, n)| format!("({a})^{n}")),
                1 => inner.clone().prop_map(|a| format!("(-({a}))")),
            ];
            if kind == Kind::Polynomial {
                return plain.boxed();
            }
            let quotient = prop_oneof![
                2 => pair.clone().prop_map(|(a, b)| format!("({a})/({b})")),
                1 => (inner.clone(), 1..4_i32).prop_map(|(a, n)| format!("({a})^-{n}")),
            ];
            if kind == Kind::Rational {
                return prop_oneof![3 => plain, 1 => quotient].boxed();
            }
            let smooth = (prop::sample::select(&["sin", "cos", "tan", "sinh", "cosh"][..]), inner.clone())
                .prop_map(|(f, a)| format!("{f}({a})"));
            if kind == Kind::Smooth {
                return prop_oneof![5 => plain, 1 => quotient, 3 => smooth].boxed();
            }
            let powers = prop::sample::select(&["1/2", "3/2", "-1/2", "1/3", "2/3", "-3/2", "5/2", "-2/3", "1/4"][..]);
            let rough = prop_oneof![
                3 => inner.clone().prop_map(|a| format!("sqrt({a})")),
                3 => inner.clone().prop_map(|a| format!("abs({a})")),
                2 => inner.clone().prop_map(|a| format!("sign({a})")),
                3 => (inner.clone(), powers).prop_map(|(a, q)| format!("({a})^({q})")),
                1 => pair.clone().prop_map(|(a, b)| format!("(1 + abs({a}))^({b})")),
                2 => (prop::sample::select(&["asin", "acos", "atan", "tanh", "exp", "log"][..]), inner.clone())
                    .prop_map(|(f, a)| format!("{f}({a})")),
                1 => pair.prop_map(|(a, b)| format!("atan2({a}, {b})")),
            ];
            prop_oneof![5 => plain, 2 => quotient, 2 => smooth, 4 => rough].boxed()
        })
        .boxed()
}

/// A pool with [`NAMES`] as coordinates.
pub fn pool() -> (Pool, Vec<Expr>) {
    let pool = Pool::new();
    let symbols = NAMES
        .iter()
        .enumerate()
        .map(|(index, name)| pool.symbol(name, SymbolKind::Coordinate { index, order: 0 }))
        .collect();
    (pool, symbols)
}

/// Reads an expression of declared names; `None` where it has no value at all (a division by 0).
pub fn read(pool: &Pool, text: &str) -> Option<Expr> {
    let names = |name: &str, primes: usize| {
        let full = format!("{name}{}", "'".repeat(primes));
        pool.lookup(&full).ok_or(NameError::Unknown {
            name: full.clone(),
            help: None,
        })
    };
    parse(pool, text, &names).ok()
}

/// The value at a point of the coordinates.
pub fn value(pool: &Pool, e: Expr, at: &[f64]) -> f64 {
    pool.evaluate(e, &|kind| match kind {
        SymbolKind::Coordinate { index, .. } => at[index],
        _ => f64::NAN,
    })
}

/// The value at a point and how much it changes when the point moves by 1e-7 (relative); `None` where
/// it has none, is huge, or changes so much that rounding could spoil a comparison.
pub fn steady(pool: &Pool, e: Expr, at: &[f64]) -> Option<(f64, f64)> {
    let v = value(pool, e, at);
    let mut change = 0.0_f64;
    for i in 0..8_u32 {
        let near: Vec<f64> = at
            .iter()
            .enumerate()
            .map(|(k, x)| x * (1.0 + 1e-7 * f64::from((i * 7 + 3 * k as u32) % 9) - 4e-7))
            .collect();
        change = change.max((value(pool, e, &near) - v).abs());
    }
    (v.abs() < 1e8 && change <= 1e-3 * v.abs().max(1e-3)).then_some((v, change))
}

/// A pool with names that are traps: derivatives, digits, other alphabets, Greek names, Python's words.
pub fn traps() -> Pool {
    let p = Pool::new();
    for (index, name) in ["x1", "theta", "длина", "θ", "角", "x_1", "lambda", "e1"]
        .iter()
        .enumerate()
    {
        for order in 0..3_u8 {
            let full = format!("{name}{}", "'".repeat(usize::from(order)));
            p.symbol(&full, SymbolKind::Coordinate { index, order });
        }
    }
    for (index, name) in ["m", "_", "__import__", "lambda_wire", "e"]
        .iter()
        .enumerate()
    {
        p.symbol(name, SymbolKind::Parameter(index));
    }
    p
}

/// Points away from 0, where nothing special happens.
const POINTS: [[f64; 3]; 3] = [
    [0.73, 1.19, 0.41],
    [-0.57, 0.83, 1.37],
    [0.91, -1.43, -0.67],
];

/// What a formula was written as, read `again` in the grammar, has its value.
pub fn says_the_same(p: &Pool, e: Expr, written: &str, again: &str) -> Result<(), TestCaseError> {
    let back = read(p, again);
    prop_assert!(back.is_some(), "{} read as {}", written, again);
    for at in POINTS {
        let Some((v, change)) = steady(p, e, &at) else {
            continue;
        };
        let w = value(p, back.unwrap_or(e), &at);
        prop_assert!(
            (v - w).abs() <= 1e-7 * v.abs().max(1e-3) + 10.0 * change,
            "{} is {} is {}: {v} and {w}",
            p.print(e),
            written,
            again
        );
    }
    Ok(())
}

/// A number that the environment asks for: a seed, or how many.
pub fn given(name: &str, usual: u64) -> u64 {
    let value = std::env::var(name).ok();
    value.map_or(usual, |v| v.parse().expect("a number"))
}

/// Those of a campaign: from SEED on, COUNT of them.
pub fn seeds() -> std::ops::Range<u64> {
    let (seed, count) = (given("SEED", 1), given("COUNT", 3000));
    seed..seed + count
}

/// So many cases, the same ones each time; `PROPTEST_RNG_SEED` and `PROPTEST_CASES` ask for others.
pub fn cases(cases: u32) -> ProptestConfig {
    let mut config = ProptestConfig::default();
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = cases;
    }
    if config.rng_seed == RngSeed::Random {
        config.rng_seed = RngSeed::Fixed(6001);
    }
    config.failure_persistence = None;
    config.max_global_rejects = 100_000;
    config
}

/// The operations of a text in the grammar: binary and leading signs, `* / ^`, function calls.
pub fn operations(text: &str) -> u32 {
    let mut count = 0;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let word = rest
            .find(|c: char| !(c.is_alphanumeric() || "_.'".contains(c)))
            .unwrap_or(rest.len());
        if word == 0 {
            count += u32::from("+-*/^".contains(c));
            rest = &rest[c.len_utf8()..];
            continue;
        }
        let after = &rest[word..];
        // 1.5e-9 is one number
        if c.is_ascii_digit() && rest[..word].ends_with('e') && after.starts_with('-') {
            rest = &after[1..];
            continue;
        }
        count += u32::from(after.starts_with('('));
        rest = after;
    }
    count
}
