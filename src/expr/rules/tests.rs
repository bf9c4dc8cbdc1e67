//! Every rule of the table, no exceptions: that it is true, that its precondition is needed, that it fires
//! where the precondition is shown and not elsewhere.

#![allow(clippy::float_cmp)]

use super::pattern::{Binding, Pattern, VARIABLES};
use super::*;
use crate::expr::{Node, Parity, SymbolKind};
use std::f64::consts::PI;

/// A deterministic sequence in [0, 1): xorshift.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// The value of a pattern, by f64 alone: no expression is built.
fn value(p: &Pattern, at: &[f64; 5]) -> f64 {
    match p {
        Pattern::Variable(place) => at[*place],
        Pattern::Number(n) => n.to_f64(),
        Pattern::Pi => PI,
        Pattern::Negative(p) => -value(p, at),
        Pattern::Sum(parts) => parts.iter().map(|p| value(p, at)).sum(),
        Pattern::Product(pair) => value(&pair.0, at) * value(&pair.1, at),
        Pattern::Power(pair) => {
            let (b, x) = (value(&pair.0, at), value(&pair.1, at));
            if x.fract() != 0.0 && (x * 60.0 - (x * 60.0).round()).abs() < 1e-9 && b < 0.0 {
                f64::NAN
            } else {
                b.powf(x)
            }
        }
        Pattern::Apply(f, args) => {
            let args: Vec<f64> = args.iter().map(|a| value(a, at)).collect();
            f.value(args[0], args.get(1).copied().unwrap_or(0.0))
        }
    }
}

/// Does a precondition hold in numbers?
fn holds(c: &Condition, at: &[f64; 5]) -> bool {
    let whole = |v: f64| (v - v.round()).abs() < 1e-9;
    c.0.iter().all(|(when, of)| {
        let of: Vec<f64> = of.iter().map(|p| value(p, at)).collect();
        match (when, of.as_slice()) {
            (When::Always, []) => true,
            (When::NonNegative(_), [v]) => *v >= 0.0,
            (When::Positive(_), [v]) => *v > 0.0,
            (When::NonZero(_), [v]) => *v != 0.0,
            (When::Within(..), [v, lo, hi]) => (lo..=hi).contains(&v),
            (When::Even(_), [v]) => whole(v / 2.0),
            (When::Odd(_), [v]) => whole(*v) && !whole(v / 2.0),
            (When::Fraction(_), [v]) => !whole(*v),
            (When::Congruent(_, modulus, residues), [v]) => residues
                .iter()
                .any(|&(a, b)| whole((v - a as f64 / b as f64) / *modulus as f64)),
            _ => panic!("{when:?} is asked of {} numbers", of.len()),
        }
    })
}

fn every_rule() -> impl Iterator<Item = (&'static Rule, Pattern, Pattern, Condition)> {
    table::RULES.iter().copied().flatten().map(|rule| {
        let read = |text: &str| {
            Pattern::read(text).unwrap_or_else(|| panic!("{}: {text} is no pattern", rule.name))
        };
        let when = Condition::read(rule.when);
        let when = when.unwrap_or_else(|| panic!("{}: {:?}", rule.name, rule.when));
        (rule, read(rule.from), read(rule.to), when)
    })
}

/// Values of the variables: u, v, w anywhere, at special places too; n and k fractions, whole half the time.
fn point(random: &mut Random) -> [f64; 5] {
    let mut at = [0.0; 5];
    for place in &mut at[..3] {
        let r = random.next();
        *place = match (random.next() * 8.0) as usize {
            0 => (r * 7.0).floor() - 3.0,
            1 | 2 => 20.0 * r - 10.0,
            _ => 3.0 * r - 1.5,
        };
    }
    for place in &mut at[3..] {
        let parts = [1.0, 1.0, 2.0, 3.0, 4.0, 6.0, 12.0][(random.next() * 7.0) as usize];
        *place = ((random.next() * 8.0 - 4.0) * parts).round() / parts;
    }
    at
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
}

/// tan at its poles, and what rounding turns from a pole into something large.
fn has_value(v: f64) -> bool {
    v.abs() < 1e9
}

#[test]
fn every_rule_holds_where_its_left_side_has_a_value() {
    for (rule, from, to, when) in every_rule() {
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        let (mut met, mut tried) = (0, 0);
        while met < 300 && tried < 200_000 {
            tried += 1;
            let at = point(&mut random);
            let a = value(&from, &at);
            if !has_value(a) || !holds(&when, &at) {
                continue;
            }
            met += 1;
            let b = value(&to, &at);
            assert!(
                close(a, b),
                "{}: {} = {a}, {} = {b} at {at:?}",
                rule.name,
                rule.from,
                rule.to
            );
        }
        assert!(met >= 300, "{}: {met} points", rule.name);
    }
}

#[test]
fn a_rule_of_building_keeps_the_domain() {
    for (rule, from, to, when) in every_rule() {
        let mut random = Random(77);
        let mut widened = false;
        for _ in 0..20_000 {
            let at = point(&mut random);
            if holds(&when, &at) {
                let (a, b) = (value(&from, &at), value(&to, &at));
                widened |= !has_value(a) && has_value(b) && a.abs() != 1e9;
            }
        }
        if rule.stage == Stage::Building {
            assert!(!widened, "{}", rule.name);
        } else {
            let domain = ["sin of atan2", "cos of atan2"];
            assert!(
                widened || domain.contains(&rule.name),
                "{}: may be applied in building",
                rule.name
            );
        }
    }
}

/// Where a precondition is not met and the two sides differ (or the right one has no value), by the
/// name of the rule: u, v, w, n, k.
const WITNESSES: &[(&str, [f64; 5])] = &[
    ("sin of atan2", [0.0, 0.0, 0.0, 0.0, 0.0]),
    ("cos of atan2", [0.0, 0.0, 0.0, 0.0, 0.0]),
    ("sin of a multiple of pi", [0.0, 0.0, 0.0, 0.0, 0.2]),
    ("cos of a multiple of pi", [0.0, 0.0, 0.0, 0.0, 0.2]),
    ("tan of a multiple of pi", [0.0, 0.0, 0.0, 0.0, 0.2]),
    ("asin of sin", [2.0, 0.0, 0.0, 0.0, 0.0]),
    ("acos of cos", [-1.0, 0.0, 0.0, 0.0, 0.0]),
    ("atan of tan", [2.0, 0.0, 0.0, 0.0, 0.0]),
    ("atan2 to the right", [-1.0, 0.0, 0.0, 0.0, 0.0]),
    ("atan2 to the left", [1.0, 0.0, 0.0, 0.0, 0.0]),
    ("atan2 upwards", [-1.0, 0.0, 0.0, 0.0, 0.0]),
    ("atan2 downwards", [1.0, 0.0, 0.0, 0.0, 0.0]),
    ("log of an odd power", [-2.0, 0.0, 0.0, 2.0, 0.0]),
    ("log of a root", [-2.0, 0.0, 0.0, 2.0, 0.0]),
    ("abs of what is not negative", [-1.0, 0.0, 0.0, 0.0, 0.0]),
    ("abs of an odd power", [-2.0, 0.0, 0.0, 0.5, 0.0]),
    ("abs of a product", [-1.0, 2.0, 0.0, 0.0, 0.0]),
    ("abs of sign", [0.0, 0.0, 0.0, 0.0, 0.0]),
    ("sign of what is positive", [0.0, 0.0, 0.0, 0.0, 0.0]),
    ("sign of a product", [-1.0, 1.0, 0.0, 0.0, 0.0]),
    ("sign of an odd power", [-2.0, 0.0, 0.0, 2.0, 0.0]),
    ("even power of abs", [-2.0, 0.0, 0.0, 3.0, 0.0]),
    ("odd power of abs", [-2.0, 0.0, 0.0, 2.0, 0.0]),
    ("odd power of abs below", [-2.0, 0.0, 0.0, -2.0, 0.0]),
    ("even power of sign", [0.0, 0.0, 0.0, 2.0, 0.0]),
    ("odd power of sign", [-2.0, 0.0, 0.0, 2.0, 0.0]),
    ("high even power of sign", [-2.0, 0.0, 0.0, 3.0, 0.0]),
    ("odd power of sign below", [-2.0, 0.0, 0.0, -2.0, 0.0]),
    ("high even power of sign below", [-2.0, 0.0, 0.0, -3.0, 0.0]),
    ("root of an even power", [-2.0, 0.0, 0.0, 3.0, 1.0]),
    ("root of a root", [-2.0, 0.0, 0.0, 2.0, 0.25]),
    ("power of a root", [-2.0, 0.0, 0.0, 2.0, 0.5]),
    ("root of an odd power", [-2.0, 0.0, 0.0, 2.0, 0.5]),
    ("odd root of an odd power", [-2.0, 0.0, 0.0, 2.0, 0.5]),
];

#[test]
fn every_precondition_is_needed() {
    for (rule, from, to, when) in every_rule() {
        if matches!(rule.when, When::Always) {
            continue;
        }
        let (_, at) = WITNESSES
            .iter()
            .find(|(name, _)| *name == rule.name)
            .unwrap_or_else(|| panic!("{} has no witness", rule.name));
        assert!(
            !holds(&when, at),
            "{}: its witness meets the precondition",
            rule.name
        );
        let (a, b) = (value(&from, at), value(&to, at));
        assert!(
            !(has_value(a) && has_value(b) && close(a, b)),
            "{}: {a} and {b}",
            rule.name
        );
    }
    for (name, _) in WITNESSES {
        assert!(
            every_rule().any(|(rule, ..)| rule.name == *name),
            "no rule {name}"
        );
    }
}

/// Candidates for u and v: some of them meet a precondition, others do not, or not provably.
fn candidates(p: &Pool) -> Vec<Expr> {
    let [x, y] = [0, 1].map(|index| {
        p.symbol(
            ["x", "y"][index],
            SymbolKind::Coordinate { index, order: 0 },
        )
    });
    let of = |f, e| p.apply(f, e);
    vec![
        x,
        p.sub(y, x),
        p.add(p.powi(x, 2), p.one()),
        of(Function::Exp, y),
        of(Function::Abs, x),
        p.number(Number::HALF),
        p.number(-3),
        p.neg(of(Function::Cosh, x)),
        of(Function::Atan, x),
        p.neg(p.mul(x, y)),
        p.sqrt(p.add(x, y)),
    ]
}

/// The parts of the left side: arguments, base and exponent, two factors.
fn sides(pattern: &Pattern) -> Vec<Pattern> {
    match pattern {
        Pattern::Apply(_, args) => args.clone(),
        Pattern::Power(pair) | Pattern::Product(pair) => vec![pair.0.clone(), pair.1.clone()],
        _ => unreachable!(),
    }
}

/// Those parts built.
fn built(p: &Pool, from: &Pattern, binding: &Binding) -> Vec<Expr> {
    let sides = sides(from);
    sides.iter().map(|s| s.build(p, binding).unwrap()).collect()
}

/// The left side built by the constructors, of its parts.
fn made(p: &Pool, from: &Pattern, binding: &Binding) -> Expr {
    let parts = built(p, from, binding);
    match from {
        Pattern::Apply(f, _) => p.function(*f, parts.as_slice().into()),
        Pattern::Power(_) => p.pow(parts[0], parts[1]),
        _ => p.mul(parts[0], parts[1]),
    }
}

fn numbers() -> Vec<Number> {
    let mut list: Vec<Number> = (-8..=8).map(Number::from).collect();
    for d in [2, 3, 4, 5, 6] {
        list.extend(
            (-13..=13)
                .filter(|n| n % d != 0)
                .filter_map(|n| Number::ratio(n, d)),
        );
    }
    list
}

fn bindings(p: &Pool, rule: &Rule) -> Vec<Binding> {
    let uses = |name: &str| {
        Pattern::read(rule.from).is_some_and(|_| {
            let text = rule
                .from
                .replace("sinh", "")
                .replace("sin", "")
                .replace("tanh", "")
                .replace("tan", "");
            let text = text.replace("sign", "").replace("atan2", "");
            text.split(|c: char| !c.is_ascii_alphanumeric())
                .any(|word| word == name)
        })
    };
    let mut exprs: Vec<Option<Expr>> = candidates(p).into_iter().map(Some).collect();
    if rule.from.contains("sign") {
        // not 0 where it has a value, and of either sign
        exprs.push(p.lookup("x").map(|x| p.powi(x, -1)));
    }
    let exact: Vec<Option<Expr>> = numbers().into_iter().map(|n| Some(p.number(n))).collect();
    let mut all: Vec<Binding> = vec![Binding::default()];
    for (place, name) in VARIABLES.iter().enumerate() {
        if !uses(name) {
            continue;
        }
        let values = if place < 3 { &exprs } else { &exact };
        all = all
            .iter()
            .flat_map(|b| {
                values.iter().map(|v| {
                    let mut b = *b;
                    b[place] = *v;
                    b
                })
            })
            .collect();
    }
    // two numbers and an expression make many: every seventh will do
    let step = if all.len() > 20_000 { 7 } else { 1 };
    all.into_iter().step_by(step).collect()
}

#[test]
fn every_rule_fires_where_its_precondition_is_shown() {
    for (rule, from, to, when) in every_rule() {
        let p = Pool::new();
        let (mut fired, mut held) = (0, 0);
        for binding in bindings(&p, rule) {
            let shown = when.holds(&p, &binding);
            if !shown {
                held += 1;
                continue;
            }
            // building the arguments may have used other rules
            let (parts, sides) = (built(&p, &from, &binding), sides(&from));
            // a rule on products looks at the bases of one
            let base = |e: &Expr| !matches!(&*p.node(*e), Node::Product(..));
            if matches!(from, Pattern::Product(_)) && !parts.iter().all(base) {
                continue;
            }
            let mut free = Binding::default();
            let mut still = |free: &mut Binding| (*free == binding).then(|| p.one());
            if Pattern::all_match(&p, &sides, &parts, &mut free, &mut still).is_none() {
                continue;
            }
            fired += 1;
            let (Some(right), left) = (to.build(&p, &binding), made(&p, &from, &binding)) else {
                panic!("{}", rule.name)
            };
            // a part may have no value: log(-3)
            if p.is_undefined(left) || p.is_undefined(right) {
                continue;
            }
            // logarithms of numbers have no one form
            let none = |_| f64::NAN;
            if close(p.evaluate(left, &none), p.evaluate(right, &none)) {
                continue;
            }
            let same = match rule.stage {
                Stage::Building => left == right,
                Stage::Simplifying => p.simplify(left) == p.simplify(right),
            };
            assert!(
                same,
                "{}: {} and {}",
                rule.name,
                p.print(left),
                p.print(right)
            );
        }
        assert!(fired > 0, "{} never fires", rule.name);
        assert!(
            matches!(rule.when, When::Always) || held > 0,
            "{} always fires",
            rule.name
        );
    }
}

#[test]
fn no_rule_fires_where_its_precondition_is_not_shown() {
    let rules: Vec<_> = every_rule().collect();
    // with nothing known of u and v; n and k are numbers, and known
    for (rule, from, to, _) in &rules {
        if matches!(rule.when, When::Always) {
            continue;
        }
        let p = Pool::new();
        let [x, y] = [0, 1].map(|index| {
            p.symbol(
                ["x", "y"][index],
                SymbolKind::Coordinate { index, order: 0 },
            )
        });
        for n in numbers() {
            let n = Some(p.number(n));
            for k in [-3_i64, 2]
                .map(Number::from)
                .into_iter()
                .chain(numbers().into_iter().step_by(5))
            {
                let binding = [Some(x), Some(y), None, n, Some(p.number(k))];
                // the same equation may stand there with another precondition
                let by_another = rules.iter().any(|(other, _, _, when)| {
                    (other.from, other.to) == (rule.from, rule.to) && when.holds(&p, &binding)
                });
                // whole powers of a power are arithmetic
                let arithmetic = matches!(&from, Pattern::Power(pair) if matches!(pair.0, Pattern::Power(_)))
                    && binding[4]
                        .and_then(|k| p.as_number(k))
                        .is_some_and(|k| k.is_integer());
                if by_another || arithmetic {
                    continue;
                }
                let left = made(&p, from, &binding);
                let at = [-1.37, -0.61, 0.0].map(Some);
                let value = |e: Expr| {
                    p.evaluate(e, &|kind| match kind {
                        SymbolKind::Coordinate { index, .. } => at[index].unwrap_or(0.0),
                        _ => f64::NAN,
                    })
                };
                // what is made means what was asked for, whatever other rules do
                let numbers = [-1.37, -0.61, 0.0, 0.0, 0.0];
                let mut numbers = numbers;
                for (place, e) in [(3, binding[3]), (4, binding[4])] {
                    numbers[place] = e.and_then(|e| p.as_number(e)).map_or(0.0, |n| n.to_f64());
                }
                let (got, wanted) = (value(left), super::tests::value(from, &numbers));
                assert!(
                    !has_value(wanted) || close(got, wanted),
                    "{}: {} is {got}, not {wanted}",
                    rule.name,
                    p.print(left)
                );
                let right = to.build(&p, &binding).unwrap();
                assert!(
                    left != right || has_value(wanted),
                    "{}: {}",
                    rule.name,
                    p.print(left)
                );
            }
        }
    }
}

#[test]
fn a_sign_comes_out_of_a_function_as_its_row_says() {
    let p = Pool::new();
    let x = p.symbol("x", SymbolKind::Coordinate { index: 0, order: 0 });
    for f in Function::ALL.into_iter().filter(|f| f.arity() == 1) {
        let (own, mirrored) = (p.apply(f, x), p.apply(f, p.neg(x)));
        let expected = match f.row().parity {
            Parity::Odd => p.neg(own),
            Parity::Even => own,
            Parity::Neither => {
                assert!(mirrored != own && mirrored != p.neg(own), "{f:?}");
                continue;
            }
        };
        assert_eq!(mirrored, expected, "{f:?}");
    }
}
