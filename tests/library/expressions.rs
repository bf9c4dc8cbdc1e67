//! The symbolic engine against numbers, and against itself by other ways.

#![allow(clippy::unwrap_used, clippy::panic, clippy::cast_possible_truncation)]

use crate::random::{Kind, expression, pool, read, steady, value};
use holonom::expr::{Expr, Function, Interval, Pool, SymbolKind, Tape};
use proptest::prelude::*;
use rustc_hash::FxHashMap;

/// Points away from 0, where nothing special happens.
const POINTS: [[f64; 3]; 5] = [
    [0.73, 1.19, 0.41],
    [1.61, 0.37, 2.23],
    [-0.57, 0.83, 1.37],
    [0.91, -1.43, -0.67],
    [-1.27, -0.29, 0.53],
];

proptest! {
    #![proptest_config(crate::random::cases(600))]

    #[test]
    fn simplified_means_the_same(text in expression(Kind::Any, 4)) {
        let (p, _) = pool();
        let Some(e) = read(&p, &text) else { return Ok(()) };
        let s = p.simplify(e);
        for at in POINTS {
            let Some((v, change)) = steady(&p, e, &at) else { continue };
            let w = value(&p, s, &at);
            // a power of a root may come out multiplied out: its terms then cancel
            let rounding = 1e-13 * value(&p, p.magnitude(s), &at);
            prop_assert!((v - w).abs() <= 1e-7 * v.abs().max(1e-3) + 10.0 * change + rounding,
                "{} became {}: {v} became {w} at {at:?}", p.print(e), p.print(s));
        }
    }

    #[test]
    fn what_is_printed_reads_back(text in expression(Kind::Any, 4)) {
        let (p, _) = pool();
        let Some(e) = read(&p, &text) else { return Ok(()) };
        for e in [e, p.simplify(e)] {
            let shown = p.print(e);
            let back = read(&p, &shown);
            prop_assert_eq!(back, Some(e), "{} read back as {:?}", &shown, back.map(|b| p.print(b)));
        }
    }

    #[test]
    fn the_cost_is_that_of_the_text(text in expression(Kind::Any, 4)) {
        let (p, _) = pool();
        // decimals move between a product and the sums in it
        let decimals = [
            format!("({text})*(5*x - 2)/5"),
            format!("({text})*(x - 0.4)^2*(0.25*y + z)/(1000*y - 251)"),
            format!("z - (({text}) - 0.05)*(y + 1.2)*(2*x - 3*z)^-2/3"),
        ];
        let list = decimals.iter().chain([&text]).filter_map(|text| read(&p, text));
        for e in list.flat_map(|e| [e, p.simplify(e)]) {
            let (shown, cost) = (p.print(e), p.cost(e));
            prop_assert_eq!(cost.operations, crate::random::operations(&shown), "{}", &shown);
            prop_assert_eq!(cost.characters as usize, shown.chars().count(), "{}", &shown);
        }
    }

    #[test]
    fn building_again_changes_nothing(text in expression(Kind::Any, 4)) {
        let (p, _) = pool();
        let Some(e) = read(&p, &text) else { return Ok(()) };
        prop_assert_eq!(p.substitute(e, &FxHashMap::default()), e, "{}", p.print(e));
    }

    #[test]
    fn a_tape_gives_the_same_numbers(text in expression(Kind::Any, 4)) {
        let (p, symbols) = pool();
        let Some(e) = read(&p, &text) else { return Ok(()) };
        let list = [e, p.derivative(e, symbols[0]), p.magnitude(e)];
        let tape = Tape::new(&p, &symbols, &list);
        for at in POINTS {
            for (got, &e) in tape.values(&at).into_iter().zip(&list) {
                let Some((v, change)) = steady(&p, e, &at) else { continue };
                prop_assert!((got - v).abs() <= 1e-9 * v.abs() + change + 1e-12, "{}: {v} {got} at {at:?}", p.print(e));
            }
        }
    }

    #[test]
    fn derivatives_are_limits_of_differences(text in expression(Kind::Any, 3)) {
        let (p, symbols) = pool();
        let Some(e) = read(&p, &text) else { return Ok(()) };
        for (k, &by) in symbols.iter().enumerate() {
            let d = p.derivative(e, by);
            for at in POINTS {
                let slope = |h: f64| {
                    let (mut a, mut b) = (at, at);
                    a[k] += h;
                    b[k] -= h;
                    (value(&p, e, &a) - value(&p, e, &b)) / (2.0 * h)
                };
                let (rough, fine) = (slope(2e-4), slope(1e-4));
                let best = (4.0 * fine - rough) / 3.0;
                let size = value(&p, p.magnitude(e), &at).abs().max(1.0);
                // only where the differences themselves have settled
                if !best.is_finite() || (fine - rough).abs() > 1e-4 * fine.abs().max(1e-2) || size > 1e4 {
                    continue;
                }
                let v = value(&p, d, &at);
                // on a stretch where a root is 0 its derivative has no value
                if v.is_nan() && fine == 0.0 {
                    continue;
                }
                prop_assert!((v - best).abs() <= 1e-4 * best.abs().max(1e-2) + 1e-8 * size,
                    "d/d{} {} = {}: {v}, differences {best} at {at:?}", p.print(by), p.print(e), p.print(d));
            }
        }
    }

    #[test]
    fn bounds_hold_every_value(text in expression(Kind::Any, 4), width in 0.0_f64..1.5, part in 0.0_f64..=1.0) {
        let (p, _) = pool();
        let Some(e) = read(&p, &text) else { return Ok(()) };
        for at in POINTS {
            let side = |k: usize| Interval::new(at[k], at[k] + width * [1.0, 0.3, 0.7][k]);
            let bounds = p.bounds(e, &|kind| match kind {
                SymbolKind::Coordinate { index, .. } => side(index),
                _ => Interval::ALL,
            });
            let point: Vec<f64> = (0..3).map(|k| {
                let r = [part, 1.0 - part, part * part][k];
                (side(k).lo + r * (side(k).hi - side(k).lo)).min(side(k).hi)
            }).collect();
            let v = value(&p, e, &point);
            prop_assert!(!v.is_finite() || bounds.contains(v) , "{}: {v} not in {bounds:?} at {point:?}", p.print(e));
        }
    }
}

proptest! {
    #![proptest_config(crate::random::cases(250))]

    #[test]
    fn laws_of_algebra_are_seen(a in expression(Kind::Smooth, 2), b in expression(Kind::Rational, 2), c in expression(Kind::Polynomial, 2)) {
        let (p, _) = pool();
        for (left, right) in [
            (format!("({a})*(({b}) + ({c}))"), format!("({a})*({b}) + ({c})*({a})")),
            (format!("(({a}) - ({c}))*(({a}) + ({c}))"), format!("({a})^2 - ({c})^2")),
            (format!("({a})/({c}) + ({b})"), format!("(({a}) + ({b})*({c}))/({c})")),
            (format!("sin({a})^2*({c}) + ({c})*cos({a})^2"), format!("({c})*(cosh({b})^2 - sinh({b})^2)")),
            (format!("tan({c})*cos({c}) + ({b})"), format!("({b}) + sin({c})")),
        ] {
            let (Some(l), Some(r)) = (read(&p, &left), read(&p, &right)) else { continue };
            let (l, r) = (p.simplify(l), p.simplify(r));
            // tan of a number may stand on a pole
            let constant = read(&p, &c).is_none_or(|c| p.is_constant(c));
            if constant && left.starts_with("tan") {
                continue;
            }
            // where too much work was asked the expression comes back as it was
            if p.size(l) < 300 && p.size(r) < 300 && value(&p, l, &POINTS[0]).is_finite() {
                prop_assert_eq!(p.simplify(p.sub(l, r)), p.zero(), "{} and {}: {} and {}", left, right, p.print(l), p.print(r));
            }
        }
    }

    #[test]
    fn a_product_has_the_factors_it_was_made_of(a in expression(Kind::Polynomial, 2), b in expression(Kind::Smooth, 2)) {
        let (p, _) = pool();
        let Some(e) = read(&p, &format!("({a})*({b})")) else { return Ok(()) };
        let found = p.factors(e);
        let mut parts = vec![found.unit];
        parts.extend(found.factors.iter().map(|(f, k)| p.powi(*f, i64::from(*k))));
        let product = p.product(parts);
        for at in POINTS {
            let Some((v, change)) = steady(&p, e, &at) else { continue };
            let w = value(&p, product, &at);
            prop_assert!((v - w).abs() <= 1e-7 * v.abs().max(1e-3) + 10.0 * change, "{}: {}", p.print(e), p.print(product));
        }
    }
}

/// What two random expressions are combined to, in forms that are equal.
fn rational_twins(a: &str, b: &str, c: &str) -> Vec<(String, String)> {
    vec![
        (format!("({a}) + ({b})"), format!("({b}) + ({a})")),
        (format!("({a})*({b})*({c})"), format!("({c})*(({b})*({a}))")),
        (
            format!("({a})*(({b}) + ({c}))"),
            format!("({b})*({a}) + ({a})*({c})"),
        ),
        (
            format!("({a})^2 - ({b})^2"),
            format!("(({b}) + ({a}))*(({a}) - ({b}))"),
        ),
        (
            format!("(({a}) + ({b}))^3"),
            format!("({a})^3 + 3*({a})^2*({b}) + 3*({a})*({b})^2 + ({b})^3"),
        ),
        (format!("({a}) + ({c}) - ({c})"), a.to_owned()),
        (format!("({a})*(({c})^2 + 1)/(({c})^2 + 1)"), a.to_owned()),
        (
            format!("({a})/(({b})^2 + 2)"),
            format!("({a})*(({c})^2 + 3)/((({b})^2 + 2)*(({c})^2 + 3))"),
        ),
        (
            format!("({a})/(({b})^2 + 1) + ({c})"),
            format!("(({a}) + ({c})*(1 + ({b})^2))/(({b})^2 + 1)"),
        ),
    ]
}

/// Reads both; `None` where one has no value at all, or is beyond the bounded work of simplifying.
fn both(p: &Pool, left: &str, right: &str) -> Option<(Expr, Expr)> {
    let (l, r) = (read(p, left)?, read(p, right)?);
    (!p.is_undefined(l) && !p.is_undefined(r)).then_some((l, r))
}

/// Are the simplified forms the same expression? What was written may be shorter than the normal form
/// (`sin(x + 4*pi/3)`, `1 + y/((x - z)^4 + 1)`) and comes back then; the difference must be seen to be 0.
fn one(p: &Pool, left: Expr, right: Expr) -> bool {
    let (l, r) = (p.simplify(left), p.simplify(right));
    let kept = l == left || r == right;
    l == r || kept && p.simplify(p.sub(left, right)) == p.zero()
}

proptest! {
    #![proptest_config(crate::random::cases(300))]

    #[test]
    fn equal_rational_functions_are_one_expression(a in expression(Kind::Rational, 2), b in expression(Kind::Polynomial, 2), c in expression(Kind::Polynomial, 1)) {
        let (p, _) = pool();
        for (left, right) in rational_twins(&a, &b, &c) {
            let Some((l, r)) = both(&p, &left, &right) else { continue };
            prop_assert!(one(&p, l, r), "{} and {}: {} and {}", left, right, p.print(p.simplify(l)), p.print(p.simplify(r)));
        }
    }

    #[test]
    fn identities_of_sines_give_one_expression(a in expression(Kind::Polynomial, 1), b in expression(Kind::Polynomial, 1), c in expression(Kind::Rational, 2)) {
        let (p, _) = pool();
        // the sines of some multiples of pi are numbers with relations of their own
        if [&a, &b].iter().any(|e| read(&p, e).is_none_or(|e| p.is_constant(e))) {
            return Ok(());
        }
        for (left, right) in [
            (format!("({c})*(sin({a})^2 + cos({a})^2)"), c.clone()),
            (format!("({c})*(cosh({a})^2 - sinh({a})^2)"), c.clone()),
            (format!("sin(2*({a}))"), format!("2*sin({a})*cos({a})")),
            (format!("cos(2*({a}))"), format!("1 - 2*sin({a})^2")),
            (format!("cos(2*({a}))"), format!("cos({a})^2 - sin({a})^2")),
            (format!("sin(({a}) + ({b}))"), format!("sin({a})*cos({b}) + cos({a})*sin({b})")),
            (format!("cos(({a}) - ({b}))"), format!("sin({a})*sin({b}) + cos({a})*cos({b})")),
            (format!("sinh(({a}) + ({b}))"), format!("sinh({a})*cosh({b}) + cosh({a})*sinh({b})")),
            (format!("cos({a})*tan({a})"), format!("sin({a})")),
        ] {
            let Some((l, r)) = both(&p, &left, &right) else { continue };
            prop_assert!(one(&p, l, r), "{} and {}: {} and {}", left, right, p.print(p.simplify(l)), p.print(p.simplify(r)));
        }
    }

    #[test]
    fn simplifying_twice_is_simplifying_once(text in expression(Kind::Any, 3)) {
        let (p, _) = pool();
        let Some(e) = read(&p, &text) else { return Ok(()) };
        let once = p.simplify(e);
        // in a pool that does not remember it
        let (fresh, _) = pool();
        let shown = p.print(once);
        let Some(again) = read(&fresh, &shown) else { return Ok(()) };
        let twice = fresh.simplify(again);
        prop_assert_eq!(again, twice, "{}: {}, {}", text, shown, fresh.print(twice));
    }

    #[test]
    fn rules_change_no_value(text in expression(Kind::Any, 2), f in prop::sample::select(&["sin", "cos", "tan", "exp", "log", "abs", "sign", "asin", "acos", "atan"][..]), g in prop::sample::select(&["asin", "acos", "atan", "log", "exp", "abs", "sign", "sin", "sqrt"][..])) {
        let (p, _) = pool();
        let whole = format!("{f}({g}({text}))*{f}({g}(-({text})))");
        let (Some(inner), Some(e)) = (read(&p, &text), read(&p, &whole)) else { return Ok(()) };
        let s = p.simplify(e);
        for at in POINTS {
            let Some((u, change)) = steady(&p, inner, &at) else { continue };
            // exp(-800) is 0 in f64
            if u.abs() > 30.0 {
                continue;
            }
            // by f64 alone
            let call = |name: &str, v: f64| match Function::named(name) {
                Some(f) => f.value(v, 0.0),
                None => v.sqrt(),
            };
            let at_value = |u: f64| call(f, call(g, u))*call(f, call(g, -u));
            let wanted = at_value(u);
            let spread = (at_value(u + change + 1e-12*u.abs()) - wanted).abs() + (at_value(u - change - 1e-12*u.abs()) - wanted).abs();
            if !wanted.is_finite() || wanted.abs() > 1e8 || !spread.is_finite() || spread > 1e-3 {
                continue;
            }
            for e in [e, s] {
                let v = value(&p, e, &at);
                prop_assert!((v - wanted).abs() <= 1e-6*wanted.abs().max(1e-3) + 10.0*spread, "{}: {} is {} not {}", whole, p.print(e), v, wanted);
            }
        }
    }
}

#[test]
fn a_wire_in_the_shape_of_the_error_function_is_derived_printed_and_run() {
    use holonom::analysis::{Model, Overrides, Request, simulate_table};
    use holonom::expr::Language;
    use holonom::report::{derive_code, derive_latex};
    use holonom::system::System;

    let text = "coordinates: [x, y]\nlagrangian: (x'^2 + y'^2)/2 - 9.81*y\n\
                constraints: {wire: y = erf(x)}\ndependent: [y]\n\
                start: {x: -1, y: erf(-1), x': 7}\nrun: {until: 1, samples: 50}\n";
    let model = Model::new(System::parse(text, "wire", &[]).unwrap());
    let derived = model.derive(None);
    assert!(derive_latex(&model, &derived).contains("\\operatorname{erf}"));
    assert!(derive_code(&model, &derived, Language::Python).contains("math.erf("));
    let check = model.check(model.site(&Overrides::default()).unwrap(), None, &[]);
    assert!(check.verdict.holds());
    let go = std::sync::atomic::AtomicBool::new(false);
    let motion = model.simulate(&Request::default(), &go).unwrap();
    assert!(motion.finished);
    let columns = ["x", "y", "energy"].map(str::to_owned);
    let table = simulate_table(&model, &motion, Some(&columns)).unwrap();
    for row in &table.rows {
        let [x, y, energy] = row[..] else { panic!() };
        assert!((y - libm::erf(x)).abs() < 1e-11, "{x} {y}");
        assert!((energy - table.rows[0][2]).abs() < 1e-6, "{x} {energy}");
    }
    assert!(table.rows.last().unwrap()[0] > 1.0);
}
