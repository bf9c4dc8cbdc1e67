//! The Inverse Function Theorem: verdicts, inverse functions and singular points against cases known
//! by hand, brute force and motions.

#![allow(
    clippy::unwrap_used,
    clippy::format_collect,
    clippy::type_complexity,
    clippy::approx_constant, // typed to 16 digits, as a user would
    clippy::semicolon_if_nothing_returned,
    clippy::cast_possible_wrap,
    clippy::expect_used,
    clippy::panic,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss
)]

use crate::random::system::Place;
use holonom::analysis::{Check, Model, Overrides, Remark, Request, Site};
use holonom::solver::{FlagKind, Method, Structure};
use holonom::system::System;
use holonom::theorem::{Branch, Failure, FailureKind, Inverse, Relation, Verdict, invert};
use nalgebra::DMatrix;
use proptest::prelude::*;
use std::f64::consts::{FRAC_PI_2, PI};
use std::fmt::Write as _;
use std::sync::atomic::AtomicBool;

/// Free particles of mass 1 under these constraints.
fn model(coordinates: &str, constraints: &[&str]) -> Model {
    let kinetic: Vec<String> = coordinates.split(' ').map(|c| format!("{c}'^2")).collect();
    let mut text = format!(
        "coordinates: [{}]\nparameters: {{a: 2, b: 3, w: 1.3}}\nlagrangian: 1/2*({})\nconstraints:\n",
        coordinates.replace(' ', ", "),
        kinetic.join(" + ")
    );
    for (i, c) in constraints.iter().enumerate() {
        let _ = writeln!(text, "  c{i}: {c}");
    }
    if constraints.is_empty() {
        text = text.replace("constraints:\n", "");
    }
    Model::new(System::parse(&text, "test.yaml", &[]).unwrap_or_else(|e| panic!("{text}{e:?}")))
}

fn verdict_at(model: &Model, t: f64, x: &[f64], dependent: &[usize]) -> Verdict {
    model.theorem.verdict(&model.system, (t, x), &[], dependent)
}

/// `holds`, `chart`, `rank` or `smoothness`.
fn says(
    coordinates: &str,
    constraints: &[&str],
    t: f64,
    x: &[f64],
    dependent: &[usize],
) -> &'static str {
    let model = model(coordinates, constraints);
    verdict_at(&model, t, x, dependent)
        .failure
        .map_or("holds", |f| f.kind().name())
}

// ------------------------------------------------------------------ verdicts

#[test]
fn the_three_failures_are_told_apart() {
    let nearly = 1.570_796_326_794_896_6; // pi/2 to 16 digits
    #[rustfmt::skip]
    let cases: &[(&str, &[&str], f64, &[f64], &[usize], &str)] = &[
        // folds and inflections
        ("x y", &["y - x^2"], 0.0, &[0.0, 0.0], &[0], "chart"),
        ("x y", &["y - x^2"], 0.0, &[0.0, 0.0], &[1], "holds"),
        ("x y", &["y - x^2"], 0.0, &[1e-9, 1e-18], &[0], "holds"),
        ("x y", &["y - x^3"], 0.0, &[0.0, 0.0], &[0], "chart"),
        ("x y", &["y - x^3"], 0.0, &[1e-9, 1e-27], &[0], "holds"),
        ("x y", &["y - (x - 3)^2"], 0.0, &[3.0, 0.0], &[0], "chart"),
        ("x y", &["y - (x - 3)^2"], 0.0, &[3.0 + 1e-9, 0.0], &[0], "holds"),
        ("x y", &["y - (x - 0.1)^3"], 0.0, &[0.1, 0.0], &[0], "chart"),
        ("x y", &["x^2 + y^2 = 25"], 0.0, &[0.0, 5.0], &[0], "chart"),
        ("x y", &["x^2 + y^2 = 25"], 0.0, &[5.0, 0.0], &[1], "chart"),
        ("x y", &["x^2 + y^2 = 25"], 0.0, &[3.0, 4.0], &[0], "holds"),
        ("x y", &["x^2 + y^2"], 0.0, &[0.0, 0.0], &[0], "rank"),
        // what is typed to 16 digits
        ("x th", &["x - sin(th)"], 0.0, &[1.0, nearly], &[1], "chart"),
        ("x th", &["x - sin(th)"], 0.0, &[1.0, nearly + 1e-9], &[1], "holds"),
        ("x th", &["x - sin(th)"], 0.0, &[1.0, 3.0 * FRAC_PI_2], &[1], "chart"),
        ("x th", &["x - cos(th)"], 0.0, &[-1.0, PI], &[1], "chart"),
        ("x th", &["x - cos(2*th)"], 0.0, &[-1.0, FRAC_PI_2], &[1], "chart"),
        ("x th", &["x - sin(th)^3"], 0.0, &[1.0, nearly], &[1], "chart"),
        ("x th", &["x - cos(th)^2"], 0.0, &[0.0, nearly], &[1], "chart"),
        ("x y", &["y - x^3 + 0.3*x^2 - 0.03*x"], 0.0, &[0.1, 0.001], &[0], "chart"),
        // branches that cross, gradients that vanish or depend on each other
        ("x y", &["x*y"], 0.0, &[0.0, 0.0], &[0], "rank"),
        ("x y", &["x*y"], 0.0, &[0.0, 1.0], &[0], "holds"),
        ("x y", &["x*y"], 0.0, &[0.0, 1.0], &[1], "chart"),
        ("x y", &["y^2 - x^3"], 0.0, &[0.0, 0.0], &[1], "rank"),
        ("x y z", &["x + y", "2*x + 2*y"], 0.0, &[1.0, -1.0, 3.0], &[0, 1], "rank"),
        ("x y z", &["x + y", "0.1*x + 0.1*y"], 0.0, &[0.3, -0.3, 3.0], &[0, 2], "rank"),
        ("x y z", &["x^2 + y^2 + z^2 = 1", "z = 1"], 0.0, &[0.0, 0.0, 1.0], &[0, 2], "rank"),
        ("x y z", &["x^2 + y^2 + z^2 = 1", "z = 0.5"], 0.0, &[(0.75_f64).sqrt(), 0.0, 0.5], &[0, 2], "holds"),
        ("x y z", &["x^2 + y^2 + z^2 = 1", "z = 0.5"], 0.0, &[(0.75_f64).sqrt(), 0.0, 0.5], &[1, 2], "chart"),
        ("x y z", &["x^2 + y^2 + z^2 = 1", "z = 0.5"], 0.0, &[(0.75_f64).sqrt(), 0.0, 0.5], &[0, 1], "chart"),
        // as many constraints as coordinates, and none
        ("x y", &["x + y = 1", "x - y = 0"], 0.0, &[0.5, 0.5], &[0, 1], "holds"),
        ("x y", &["x*y = 1", "x + y = 2"], 0.0, &[1.0, 1.0], &[0, 1], "rank"),
        ("x y", &[], 0.0, &[0.5, 0.5], &[], "holds"),
        // moving constraints
        ("x y", &["x*cos(t) - y*sin(t)"], FRAC_PI_2, &[1.0, 0.0], &[0], "chart"),
        ("x y", &["x*cos(t) - y*sin(t)"], FRAC_PI_2, &[1.0, 0.0], &[1], "holds"),
        ("x y", &["x*cos(t) - y*sin(t)"], 1.0, &[1.0, 0.6], &[0], "holds"),
        ("x y", &["t*(x + y)"], 0.0, &[0.0, 0.0], &[0], "rank"),
        ("x y", &["x - (y - t)^2"], 2.5, &[0.0, 2.5], &[1], "chart"),
        // C^1 or not
        ("x y", &["x*abs(x) - y"], 0.0, &[0.0, 0.0], &[1], "holds"),
        ("x y", &["x*abs(x) - y"], 0.0, &[0.0, 0.0], &[0], "chart"),
        ("x y", &["abs(x) - y"], 0.0, &[0.0, 0.0], &[1], "smoothness"),
        ("x y", &["abs(x) - y"], 0.0, &[1e-9, 1e-9], &[0], "holds"),
        ("x y", &["abs(x)*x^2 - y"], 0.0, &[0.0, 0.0], &[1], "holds"),
        ("x y", &["abs(x)*abs(y) + x"], 0.0, &[0.0, 0.0], &[0], "holds"),
        ("x y", &["abs(x)*abs(y) + x + y"], 0.0, &[0.0, 1.0], &[0], "smoothness"),
        ("x y", &["abs(x) - abs(x) + x + y"], 0.0, &[0.0, 0.0], &[0], "holds"),
        ("x y", &["abs(x) - abs(-x) + x + y"], 0.0, &[0.0, 0.0], &[0], "holds"),
        ("x y", &["abs(2*x) - 2*abs(x) + x + y"], 0.0, &[0.0, 0.0], &[0], "holds"),
        ("x y", &["x*sign(x) - y"], 0.0, &[0.0, 0.0], &[1], "smoothness"),
        ("x y", &["x^2*sign(x) - y"], 0.0, &[0.0, 0.0], &[1], "holds"),
        ("x y", &["sign(x)*y - x"], 0.0, &[0.0, 1.0], &[1], "smoothness"),
        ("x y", &["sqrt(x) - y"], 0.0, &[0.0, 0.0], &[1], "smoothness"),
        ("x y", &["sqrt(x) - y"], 0.0, &[1e-6, 1e-3], &[0], "holds"),
        ("x y", &["sqrt(x^2) - y"], 0.0, &[0.0, 0.0], &[1], "smoothness"),
        ("x y", &["(x^2)^(3/2) - y"], 0.0, &[0.0, 0.0], &[1], "holds"),
        ("x y", &["(x^2)^(3/2) - y"], 0.0, &[0.0, 0.0], &[0], "chart"),
        ("x y", &["abs(x - 1)*(x - 1) + y"], 0.0, &[1.0, 0.0], &[1], "holds"),
        ("x y", &["abs(x - y) + x + y"], 0.0, &[0.5, 0.5], &[0], "smoothness"),
        ("x y", &["log(x) + y"], 0.0, &[0.0, 0.0], &[1], "smoothness"),
        ("x y", &["log(x) + y"], 0.0, &[-1.0, 0.0], &[1], "smoothness"),
        ("x y", &["1/x + y"], 0.0, &[0.0, 0.0], &[1], "smoothness"),
        ("x y", &["asin(x) - y"], 0.0, &[1.0, FRAC_PI_2], &[1], "smoothness"),
        ("x y", &["acos(x) - y"], 0.0, &[-1.0, PI], &[1], "smoothness"),
        ("x y", &["tan(x) - y"], 0.0, &[nearly, 0.0], &[1], "smoothness"),
        ("x y z", &["atan2(y, x) - z"], 0.0, &[-1.0, 0.0, PI], &[2], "smoothness"),
        ("x y z", &["atan2(y, x) - z"], 0.0, &[1.0, 0.0, 0.0], &[2], "holds"),
        ("x y z", &["atan2(y, x) - z"], 0.0, &[0.0, 0.0, 0.0], &[2], "smoothness"),
        ("x y", &["sqrt(x^2 + y^2) = 1"], 0.0, &[0.0, 0.0], &[1], "smoothness"),
        ("x y", &["sqrt(x^2 + y^2) = 1"], 0.0, &[0.0, 1.0], &[0], "chart"),
        // smoothness goes before the other two
        ("x y", &["abs(x) + y^2"], 0.0, &[0.0, 0.0], &[0], "smoothness"),
        ("x y z", &["abs(x) + y", "x*y*z"], 0.0, &[0.0, 0.0, 0.0], &[0, 1], "smoothness"),
    ];
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|(coordinates, constraints, t, x, dependent, wanted)| {
            let said = says(coordinates, constraints, *t, x, dependent);
            (said != *wanted).then(|| {
                format!("{constraints:?} at {x:?}, D = {dependent:?}: {said}, not {wanted}")
            })
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_simplification_loses_no_failure_of_smoothness() {
    // sin(asin(x)) is x, and exp(log(x)) too, but a constraint is defined where it was written to be
    for (term, x, smooth) in [
        ("asin(x)", 1.0, false),
        ("asin(x)", 0.5, true),
        ("sin(asin(x))", 1.0, false),
        ("cos(acos(x))", 2.0, false),
        ("cos(asin(x))", 1.0, false),
        ("cos(asin(x))", 0.5, true),
        ("exp(log(x))", 0.0, false),
        ("exp(2*log(x))", -1.0, false),
        ("(x^3)^(1/3)", 0.0, false),
        ("(x^(2/3))^(3/2)", 0.0, false),
        ("sqrt(x^3)", 0.0, false),
        ("log(x^3)", 0.0, false),
        // 1 on both sides of 0, 0 on it
        ("sign(x)^2", 0.0, false),
        ("sign(abs(x))", 0.0, false),
        ("x*sign(x)^2", 0.0, true),
        ("x*abs(x)", 0.0, true),
        ("abs(x)*sign(x)", 0.0, true),
    ] {
        let written = format!("y - {term}");
        let said = says("x y", &[&written], 0.0, &[x, 0.0], &[1]);
        let wanted = if smooth { "holds" } else { "smoothness" };
        assert_eq!(said, wanted, "{term} at {x}");
    }
}

#[test]
fn units_do_not_change_a_verdict() {
    // every coordinate in other units, every constraint times a number
    let systems: &[(&str, &[&str], &[&[f64]])] = &[
        (
            "x y",
            &["y - x^2"],
            &[&[0.0, 0.0], &[1.0, 1.0], &[1e-9, 0.0]],
        ),
        (
            "x y",
            &["y - (x - 0.7)^2"],
            &[&[0.7, 0.0], &[0.7 + 1e-9, 0.0]],
        ),
        ("x y", &["x*y"], &[&[0.0, 0.0], &[0.0, 1.0]]),
        (
            "x y z",
            &["x^2 + y^2 + z^2 - 1", "z - 0.6"],
            &[&[0.8, 0.0, 0.6], &[0.0, 0.8, 0.6], &[0.48, 0.64, 0.6]],
        ),
        (
            "x y z",
            &["x + y + z", "x + y + z + x*y"],
            &[&[0.0, 0.0, 0.0], &[1.0, -1.0, 0.0], &[1.0, 1.0, -2.0]],
        ),
    ];
    for (names, constraints, points) in systems {
        let plain = model(names, constraints);
        let (n, m) = (names.split(' ').count(), constraints.len());
        for (scales, factor) in [
            ([1e6, 1.0, 1e-6], 1.0),
            ([1e-6; 3], 1e6),
            ([1.0, 1e6, 1e6], 1e-6),
            ([3e5, 7e-5, 0.3], 1e12),
        ] {
            let scaled: Vec<String> = constraints
                .iter()
                .map(|c| {
                    let mut text = format!("{factor}*({c})");
                    for (k, name) in names.split(' ').enumerate() {
                        text = text.replace(name, &format!("(#{k}/{})", scales[k]));
                    }
                    for (k, name) in names.split(' ').enumerate() {
                        text = text.replace(&format!("#{k}"), name);
                    }
                    text
                })
                .collect();
            let other = model(
                names,
                &scaled.iter().map(String::as_str).collect::<Vec<_>>(),
            );
            for x in *points {
                let far: Vec<f64> = x.iter().zip(scales).map(|(x, s)| x * s).collect();
                for choice in choices(n, m) {
                    let (a, b) = (
                        verdict_at(&plain, 0.0, x, &choice),
                        verdict_at(&other, 0.0, &far, &choice),
                    );
                    let kind = |v: &Verdict| v.failure.as_ref().map(Failure::kind);
                    assert_eq!(
                        kind(&a),
                        kind(&b),
                        "{constraints:?} at {x:?} scaled by {scales:?} and {factor}, D = {choice:?}"
                    );
                    assert_eq!(a.rank(), b.rank());
                }
            }
        }
    }
}

/// All choices of m from n, ascending, in lexicographic order.
fn choices(n: usize, m: usize) -> Vec<Vec<usize>> {
    (0..1_usize << n)
        .map(|bits| (0..n).filter(|k| bits >> k & 1 == 1).collect::<Vec<_>>())
        .filter(|c| c.len() == m)
        .collect::<std::collections::BTreeSet<_>>()
        .into_iter()
        .collect()
}

proptest! {
    #![proptest_config(crate::random::cases(150))]

    #[test]
    fn choices_are_ranked_by_their_determinants(entries in prop::collection::vec(-3..=3_i32, 10), m in 1..=3_usize) {
        // constraints linear in the coordinates: J is the matrix itself
        let n = 5;
        let names = ["p", "q", "r", "u", "v"];
        let rows: Vec<Vec<f64>> = (0..m).map(|b| (0..n).map(|k| f64::from(entries[(3 * b + b * b + k * (b + 1)) % 10])).collect()).collect();
        let constraints: Vec<String> = rows.iter().map(|row| {
            row.iter().zip(names).map(|(a, name)| format!("{a}*{name}")).collect::<Vec<_>>().join(" + ")
        }).collect();
        prop_assume!(rows.iter().all(|r| r.iter().any(|v| *v != 0.0)));
        let model = model(&names.join(" "), &constraints.iter().map(String::as_str).collect::<Vec<_>>());
        let j = DMatrix::from_fn(m, n, |b, k| rows[b][k]);
        let mut wanted: Vec<(f64, Vec<usize>)> = choices(n, m)
            .into_iter()
            .map(|c| (DMatrix::from_fn(m, m, |b, i| j[(b, c[i])]).determinant().abs().round(), c))
            .filter(|(d, _)| *d > 0.5)
            .collect();
        wanted.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        let got = model.theorem.choices(&model.system, 0.0, &[0.3, -1.2, 0.7, 2.0, 0.1], &[]);
        prop_assert_eq!(&got.choices, &wanted.iter().map(|(_, c)| c.clone()).collect::<Vec<_>>(), "{:?}", constraints);
        prop_assert!(!got.more);
        let volume = (&j * j.transpose()).determinant();
        for c in choices(n, m) {
            let verdict = verdict_at(&model, 0.0, &[0.3, -1.2, 0.7, 2.0, 0.1], &c);
            let det = DMatrix::from_fn(m, m, |b, i| j[(b, c[i])]).determinant();
            prop_assert!((verdict.determinant - det).abs() < 1e-9);
            prop_assert_eq!(verdict.holds(), det.abs() > 0.5);
            let rank = j.clone().svd(false, false).rank(1e-9);
            prop_assert_eq!(verdict.rank(), Some(rank));
            match verdict.failure {
                None => prop_assert!((verdict.quality.unwrap() - det.abs() / volume.sqrt()).abs() < 1e-9),
                Some(failure) => {
                    prop_assert_eq!(failure.kind(), if rank < m { FailureKind::Rank } else { FailureKind::Chart });
                    prop_assert_eq!(&failure.alternatives, &got.choices);
                }
            }
        }
    }
}

// ---------------------------------------------------------- inverse functions

/// Constraints in two dependent coordinates u, v and independent r, s; what they are not made for is numeric.
const FIRST: [&str; 16] = [
    "u - r^2",
    "u^2 - r",
    "u^2 + r^2 + s^2 = 4",
    "a*u^2 + r*u + s",
    "r*u - s",
    "(1 + r^2)*u^2 - b*u + s",
    "u*cos(t) - r*sin(t)",
    "u - b*cos(r)",
    "(u - r)^2 + (s - 1)^2 = b",
    "u^2 - 2*u*r + s",
    "u/(1 + s) - r",
    "u^4 - r",
    "exp(r)*u + u^2 = 1",
    "1/u - r",
    "-u^2 + s*u",
    "u^2*s + r",
];
const SECOND: [&str; 18] = [
    "v - s",
    "v + u - r",
    "v*u - s",
    "v^2 - u",
    "v^2 + u*v - r",
    "u^2 + v^2 = 9",
    "v - u*r + u^2",
    "(v - r)^2 + (u - s)^2 = 1",
    "v*r^2 + u",
    "u + v + r + s",
    "v^2*u - s",
    "(v + u)^2 - r",
    "v - sqrt(r^2 + 1)*u",
    "u*v",
    "u^2 - v^2 - r",
    "v*sin(t) - u*cos(t) - b",
    "v^2 - u^2",
    "abs(v) - u",
];

/// The branches that claim a point, and whether some condition is within `edge` of its edge.
fn claims<'a>(
    model: &Model,
    branches: &'a [Branch],
    place: &Place,
    edge: f64,
) -> (Vec<&'a Branch>, bool) {
    let mut near = false;
    let claimed = branches
        .iter()
        .filter(|branch| {
            branch
                .conditions
                .iter()
                .map(|c| {
                    let v = place.value(&model.system, c.expression);
                    near |= v.abs() < edge || v.is_nan();
                    c.admits(v)
                })
                .collect::<Vec<_>>()
                .into_iter()
                .all(|ok| ok)
        })
        .collect();
    (claimed, near)
}

fn with_levels(model: &Model, x: Vec<f64>, t: f64) -> Option<Place> {
    let mut place = Place {
        t,
        v: vec![0.0; x.len()],
        x,
        ..Place::default()
    };
    place.levels = model
        .system
        .constraints
        .iter()
        .map(|c| place.value(&model.system, c.f))
        .collect();
    place.levels.iter().all(|y| y.is_finite()).then_some(place)
}

/// One branch claims the point and gives it back.
fn gives_back(
    model: &Model,
    dependent: &[usize],
    branches: &[Branch],
    place: &Place,
    edge: f64,
) -> Result<(), String> {
    let (claimed, near) = claims(model, branches, place, edge);
    if near {
        return Ok(());
    }
    let [branch] = claimed.as_slice() else {
        return Err(format!("{} branches claim {:?}", claimed.len(), place.x));
    };
    let size = place.x.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
    for (&k, &g) in dependent.iter().zip(&branch.functions) {
        let mut back = place.value(&model.system, g);
        if let Some(period) = branch.period(k) {
            let period = place.value(&model.system, period);
            back -= period * ((back - place.x[k]) / period).round();
        }
        if (back - place.x[k]).abs().is_nan() || (back - place.x[k]).abs() > 1e-5 * size * size {
            return Err(format!(
                "{} gives {back} for {:?}",
                model.system.pool.print(g),
                place.x
            ));
        }
    }
    Ok(())
}

fn shown(model: &Model, inverse: &Inverse) -> String {
    let pool = &model.system.pool;
    inverse
        .branches()
        .iter()
        .map(|b| {
            let sign = |r| match r {
                Relation::Positive => ">",
                Relation::Negative => "<",
                Relation::NonZero => "!=",
                Relation::AtLeast => ">=",
                Relation::Zero => "=",
            };
            let conditions: Vec<String> = b
                .conditions
                .iter()
                .map(|c| format!("{} {} 0", pool.print(c.expression), sign(c.relation)))
                .collect();
            let functions: Vec<String> = b.functions.iter().map(|g| pool.print(*g)).collect();
            format!(
                "[{}] where {}\n",
                functions.join(", "),
                conditions.join(", ")
            )
        })
        .collect()
}

#[test]
fn exactly_one_branch_claims_each_point_and_gives_it_back() {
    let mut closed = 0;
    let mut wrong = Vec::new();
    for (i, first) in FIRST.iter().enumerate() {
        for second in SECOND {
            for dependent in [vec![0, 1], vec![1, 0]] {
                let model = model("u v r s", &[first, second]);
                let inverse = invert(&model.system, &dependent);
                if matches!(inverse, Inverse::Numeric(_)) {
                    continue;
                }
                closed += 1;
                let mut bad = None;
                for index in 0..150_u32 {
                    let part = |k: u32| {
                        (0.37 + f64::from(index * (k + 3)) * (0.618_033 + 0.1173 * f64::from(k)))
                            .fract()
                    };
                    let wide = if index % 3 == 0 { 12.0 } else { 3.0 };
                    let x: Vec<f64> = (0..4).map(|k| wide * (2.0 * part(k) - 1.0)).collect();
                    let Some(place) = with_levels(&model, x, 3.0 * part(4)) else {
                        continue;
                    };
                    bad = bad
                        .or(gives_back(&model, &dependent, inverse.branches(), &place, 1e-4).err());
                    // to the edge of each condition along a line, then just this side and that of it
                    for condition in inverse.branches().iter().flat_map(|b| &b.conditions) {
                        let along = |s: f64| {
                            let x: Vec<f64> = (0..4)
                                .map(|k| place.x[k as usize] + s * (2.0 * part(k + 5) - 1.0))
                                .collect();
                            with_levels(&model, x, place.t)
                        };
                        let value = |s: f64| {
                            along(s)
                                .map_or(f64::NAN, |p| p.value(&model.system, condition.expression))
                        };
                        let (mut lo, mut hi) = (0.0, 2.0);
                        if index % 10 != 0
                            || value(lo) * value(hi) >= 0.0
                            || value(lo).is_nan()
                            || value(hi).is_nan()
                        {
                            continue;
                        }
                        for _ in 0..60 {
                            let middle = 0.5 * (lo + hi);
                            if value(lo) * value(middle) <= 0.0 {
                                hi = middle
                            } else {
                                lo = middle
                            }
                        }
                        for s in [lo - 1e-3, hi + 1e-3] {
                            if let Some(place) = along(s) {
                                bad = bad.or(gives_back(
                                    &model,
                                    &dependent,
                                    inverse.branches(),
                                    &place,
                                    1e-7,
                                )
                                .err());
                            }
                        }
                    }
                }
                if let Some(bad) = bad {
                    wrong.push(format!(
                        "{first}, {second}, D = {dependent:?}: {bad}\n{}",
                        shown(&model, &inverse)
                    ));
                }
                if i > 0 && closed % 7 == 0 && dependent[0] == 1 {
                    break;
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    println!("{closed} closed");
    assert!(closed > 300, "{closed} closed");
}

// ------------------------------------------------------------ singular points

/// What is found for each factor that can vanish, in the default box round x.
fn look(
    coordinates: &str,
    constraints: &[&str],
    t: f64,
    x: &[f64],
    dependent: &[usize],
) -> (Model, Check) {
    let model = model(coordinates, constraints);
    let check = model.check(site(t, x), Some(dependent), &[]);
    (model, check)
}

fn site(t: f64, x: &[f64]) -> Site {
    Site {
        t,
        x: x.to_vec(),
        corrections: vec![0.0; x.len()],
        notes: Vec::new(),
        assembly: None,
        kept: Vec::new(),
    }
}

/// The singular points of all factors together; every one must satisfy its equations.
fn singular(
    coordinates: &str,
    constraints: &[&str],
    t: f64,
    x: &[f64],
    dependent: &[usize],
) -> Option<Vec<Vec<f64>>> {
    let (model, check) = look(coordinates, constraints, t, x, dependent);
    let mut all: Vec<Vec<f64>> = Vec::new();
    for entry in &check.singular {
        if !entry.found.is_listed() {
            return None;
        }
        for point in entry.found.points() {
            let point = &point.x;
            let place = Place {
                t,
                x: point.clone(),
                ..Place::default()
            };
            let pool = &model.system.pool;
            let mut equations = vec![entry.factor.unwrap()];
            equations.extend(model.system.constraints.iter().map(|c| pool.sub(c.f, c.c)));
            for e in equations {
                let (v, size) = (
                    place.value(&model.system, e),
                    place.value(&model.system, pool.magnitude(e)),
                );
                assert!(
                    v.abs() <= 1e-9 * size.max(1.0),
                    "{constraints:?}: {} is {v} at {point:?}",
                    pool.print(e)
                );
            }
            if !all
                .iter()
                .any(|p| p.iter().zip(point).all(|(a, b)| (a - b).abs() < 1e-6))
            {
                all.push(point.clone());
            }
        }
    }
    Some(all)
}

#[test]
fn singular_points_are_where_they_are_known_to_be() {
    let r = 0.5_f64.sqrt();
    let z = (3.0_f64 / 8.0).sqrt(); // lemniscate (x^2 + y^2)^2 = x^2 - y^2: tops at x^2 = 3/8, y^2 = 1/8
    let y = (1.0_f64 / 8.0).sqrt();
    #[rustfmt::skip]
    let cases: &[(&str, &[&str], f64, &[f64], &[usize], &[&[f64]])] = &[
        ("x y", &["y - x^2"], 0.0, &[1.0, 1.0], &[0], &[&[0.0, 0.0]]),
        ("x y", &["y - x^2"], 0.0, &[1.0, 1.0], &[1], &[]),
        ("x y", &["y - x^3"], 0.0, &[1.0, 1.0], &[0], &[&[0.0, 0.0]]),
        ("x y", &["y - x^3 + 3*x"], 0.0, &[1.0, 1.0], &[0], &[&[1.0, -2.0], &[-1.0, 2.0]]),
        ("x y", &["x^2 + y^2 = 25"], 0.0, &[3.0, 4.0], &[0], &[&[0.0, 5.0], &[0.0, -5.0]]),
        ("x y", &["x^2 + y^2 = 25"], 0.0, &[3.0, 4.0], &[1], &[&[5.0, 0.0], &[-5.0, 0.0]]),
        ("x y", &["x^2/4 + y^2/9 = 1"], 0.0, &[2.0, 0.0], &[1], &[&[2.0, 0.0], &[-2.0, 0.0]]),
        ("x y", &["x^2 + x*y + y^2 = 3"], 0.0, &[1.0, 1.0], &[0], &[&[1.0, -2.0], &[-1.0, 2.0]]),
        ("x y", &["(x^2 + y^2)^2 - x^2 + y^2"], 0.0, &[1.0, 0.0], &[0], &[&[z, y], &[z, -y], &[-z, y], &[-z, -y], &[0.0, 0.0]]),
        ("x y", &["x^2 - y^2 = 1"], 0.0, &[1.0, 0.0], &[0], &[]),
        ("x y", &["x^2 - y^2 = 1"], 0.0, &[1.0, 0.0], &[1], &[&[1.0, 0.0], &[-1.0, 0.0]]),
        ("x y", &["x*y = 1"], 0.0, &[1.0, 1.0], &[0], &[]),
        ("x y", &["exp(x) - y"], 0.0, &[0.0, 1.0], &[0], &[]),
        ("x y", &["cosh(x) - y"], 0.0, &[0.0, 1.0], &[0], &[&[0.0, 1.0]]),
        ("x y", &["(1 + x^2)*y = 1"], 0.0, &[0.0, 1.0], &[0], &[&[0.0, 1.0]]),
        // two constraints
        ("x y z", &["x^2 + y^2 + z^2 = 1", "x + y + z"], 0.0, &[r, -r, 0.0], &[0, 1],
            &[&[1.0 / 6.0_f64.sqrt(), 1.0 / 6.0_f64.sqrt(), -2.0 / 6.0_f64.sqrt()], &[-1.0 / 6.0_f64.sqrt(), -1.0 / 6.0_f64.sqrt(), 2.0 / 6.0_f64.sqrt()]]),
        ("x y z", &["x^2 + y^2 = 1", "y^2 + z^2 = 1"], 0.0, &[1.0, 0.0, 1.0], &[0, 2],
            &[&[0.0, 1.0, 0.0], &[0.0, -1.0, 0.0]]),
        ("x y z", &["z - x*y", "x^2 + y^2 = 2"], 0.0, &[1.0, 1.0, 1.0], &[0, 2], &[&[0.0, 2.0_f64.sqrt(), 0.0], &[0.0, -(2.0_f64.sqrt()), 0.0]]),
        ("x y z", &["x*y", "x + y + z"], 0.0, &[1.0, 0.0, -1.0], &[0, 1], &[&[0.0, 0.0, 0.0]]),
        // at a time
        ("x y", &["y - (x - 2*t)^2"], 1.5, &[1.0, 4.0], &[0], &[&[3.0, 0.0]]),
    ];
    let mut wrong = Vec::new();
    for (coordinates, constraints, t, x, dependent, wanted) in cases {
        let got = singular(coordinates, constraints, *t, x, dependent);
        let same = got.as_ref().is_some_and(|got| {
            got.len() == wanted.len()
                && wanted.iter().all(|w| {
                    got.iter()
                        .any(|g| g.iter().zip(*w).all(|(a, b)| (a - b).abs() < 1e-6))
                })
        });
        if !same {
            wrong.push(format!(
                "{constraints:?} D = {dependent:?}: {got:?}, not {wanted:?}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

proptest! {
    #![proptest_config(crate::random::cases(40))]

    #[test]
    fn no_fold_of_a_plane_curve_is_missed(k in prop::collection::vec(-3..=3_i32, 10), trigonometric in any::<bool>()) {
        // f = a cubic (or with sin x in place of x): folds are f = 0, df/dx = 0
        let k: Vec<f64> = k.into_iter().map(f64::from).collect();
        let powers = [(0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2), (3, 0), (2, 1), (1, 2), (0, 3)];
        let base = if trigonometric { "sin(x)" } else { "x" };
        let text: Vec<String> = powers.iter().zip(&k).map(|((i, j), k)| format!("{k}*({base})^{i}*y^{j}")).collect();
        let text = text.join(" + ");
        let value = |x: f64, y: f64| {
            let (u, du, ddu) = if trigonometric { (x.sin(), x.cos(), -x.sin()) } else { (x, 1.0, 0.0) };
            let (mut f, mut fu, mut fy, mut fuu, mut fuy) = (0.0, 0.0, 0.0, 0.0, 0.0);
            for ((i, j), k) in powers.iter().zip(&k) {
                let p = |b: f64, n: i32, d: i32| if n < d { 0.0 } else { (0..d).map(|m| f64::from(n - m)).product::<f64>() * b.powi(n - d) };
                f += k * p(u, *i, 0) * p(y, *j, 0);
                fu += k * p(u, *i, 1) * p(y, *j, 0);
                fy += k * p(u, *i, 0) * p(y, *j, 1);
                fuu += k * p(u, *i, 2) * p(y, *j, 0);
                fuy += k * p(u, *i, 1) * p(y, *j, 1);
            }
            (f, fu * du, fy, fuu * du * du + fu * ddu, fuy * du)
        };
        let depends = powers.iter().zip(&k).any(|((i, _), k)| *i > 0 && *k != 0.0);
        prop_assume!(depends);
        let Some(found) = singular("x y", &[&text], 0.0, &[0.0, 0.0], &[0]) else { return Ok(()) };
        for a in 0..24 {
            for b in 0..24 {
                let (mut x, mut y) = (-6.0 + 0.5 * f64::from(a) + 0.01, -6.0 + 0.5 * f64::from(b) + 0.02);
                for _ in 0..40 {
                    let (f, fx, fy, fxx, fxy) = value(x, y);
                    let det = fx * fxy - fy * fxx;
                    x -= (f * fxy - fy * fx) / det;
                    y -= (fx * fx - f * fxx) / det;
                }
                let (f, fx, fy, fxx, fxy) = value(x, y);
                let regular = (fx * fxy - fy * fxx).abs() > 1e-3;
                if !(f.abs() < 1e-10 && fx.abs() < 1e-10 && regular && x.abs() < 9.0 && y.abs() < 9.0) {
                    continue;
                }
                let known = found.iter().any(|p| {
                    let turns = if trigonometric { ((p[0] - x) / (2.0 * PI)).round() * 2.0 * PI } else { 0.0 };
                    (p[0] - turns - x).abs() < 1e-5 && (p[1] - y).abs() < 1e-5
                });
                prop_assert!(known, "{text}: ({x}, {y}) is not in {found:?}");
            }
        }
    }
}

#[test]
fn angles_repeat_and_are_given_once() {
    #[rustfmt::skip]
    let cases: &[(&str, &[&str], &[f64], &[usize], f64, &[&[f64]])] = &[
        ("x y", &["y - sin(x)"], &[0.0, 0.0], &[0], 2.0 * PI, &[&[FRAC_PI_2, 1.0], &[-FRAC_PI_2, -1.0]]),
        ("x y", &["y - sin(2*x)"], &[0.0, 0.0], &[0], PI, &[&[FRAC_PI_2 / 2.0, 1.0], &[-FRAC_PI_2 / 2.0, -1.0]]),
        ("x y", &["y - cos(x)"], &[0.0, 1.0], &[0], 2.0 * PI, &[&[0.0, 1.0], &[PI, -1.0]]),
        ("x y", &["y - cos(x)^2"], &[1.0, 0.0], &[0], 2.0 * PI, &[&[0.0, 1.0], &[PI, 1.0], &[FRAC_PI_2, 0.0], &[-FRAC_PI_2, 0.0]]),
    ];
    for (coordinates, constraints, x, dependent, period, wanted) in cases {
        let (_, check) = look(coordinates, constraints, 0.0, x, dependent);
        for entry in &check.singular {
            assert_eq!(entry.found.periods.len(), 1, "{constraints:?}");
            assert!((entry.found.periods[0].1 - period).abs() < 1e-12);
        }
        let got = singular(coordinates, constraints, 0.0, x, dependent).unwrap();
        let same = got.len() == wanted.len()
            && wanted.iter().all(|w| {
                got.iter()
                    .any(|g| g.iter().zip(*w).all(|(a, b)| (a - b).abs() < 1e-6))
            });
        assert!(same, "{constraints:?}: {got:?}, not {wanted:?}");
    }
}

/// A parameter that is no fraction is what it is made of, not its nearest double: a cross is none of two branches beside it.
#[test]
fn points_where_parameters_are_no_fractions_are_not_rounded_away() {
    for (parameters, constraint, count) in [
        ("a: sqrt(2)", "y^2 - x^2 - a^2 = -2", 1),
        ("a: sqrt(2)", "y^2 - x^2 - a^2 = -1", 0),
        ("a: sqrt(2)", "x^2 - y^2 + a^2 = 4", 2),
        ("a: sqrt(3), b: a^2", "y^2 - x^2 = b - 3", 1),
        ("a: pi/6", "y^2 - x^2 = sin(a) - 1/2", 1),
        ("a: sqrt(2), b: sqrt(8)", "y^2 - x^2 = 2*a - b", 1),
    ] {
        let text = format!(
            "coordinates: [x, y]\nparameters: {{{parameters}}}\nkinetic: x'^2 + y'^2\n\
             constraints: {{f: {constraint}}}\n"
        );
        let model = Model::new(System::parse(&text, "exact", &[]).unwrap());
        let check = model.check(site(0.0, &[3.0, 3.0]), Some(&[1]), &[]);
        let found: Vec<_> = check.singular.iter().map(|entry| &entry.found).collect();
        let points: usize = found.iter().map(|found| found.points().len()).sum();
        assert_eq!(points, count, "{parameters}, {constraint}: {found:?}");
    }
}

#[test]
fn what_is_a_curve_or_cannot_be_decided_is_not_given_as_points() {
    for (coordinates, constraints, dependent) in [
        ("x y z", &["x^2 + y^2 + z^2 = 1"] as &[&str], vec![0]),
        ("x y z", &["z - x*y"], vec![0]),
        ("x y", &["(y - x)^2"], vec![0]),
        ("x y z", &["x*y", "x*z"], vec![0, 1]),
    ] {
        let x = vec![0.5; coordinates.split(' ').count()];
        assert_eq!(
            singular(coordinates, constraints, 0.0, &x, &dependent),
            None,
            "{constraints:?}"
        );
    }
    let (_, check) = look(
        "x y z",
        &["x + y", "2*x + 2*y + 0*z"],
        0.0,
        &[0.5; 3],
        &[0, 1],
    );
    assert!(check.determinant.vanishes && check.singular[0].factor.is_none());
}

// ------------------------------------------------- equations along a motion

/// Systems with a closed inverse, as files.
const MOVING: [&str; 8] = [
    "coordinates: [x1, x2]\nparameters: {m: 2, g: 9.81}\nlagrangian: 1/2*m*(x1'^2 + x2'^2) - m*g*x2\nconstraints: {wire: x2 - x1^2}\ndependent: [x1]\nstart: {x1: 1, x1': -0.5}\n",
    "coordinates: [x1, x2]\nparameters: {m: 2, g: 9.81}\nlagrangian: 1/2*m*(x1'^2 + x2'^2) - m*g*x2\nconstraints: {wire: x2 - x1^2}\ndependent: [x2]\nstart: {x1: 1, x1': -0.5}\n",
    "coordinates: [x, y]\nparameters: {m: 1, g: 9.81, l: 2}\nlagrangian: 1/2*m*(x'^2 + y'^2) - m*g*y\nforces: {x: -0.3*x'}\nconstraints: {rod: x^2 + y^2 = l^2}\ndependent: [y]\nstart: {x: 1, x': 0.5}\nguess: {y: -1}\n",
    "coordinates: [x, y, r]\nparameters: {m: 1, w: 1.3}\nlagrangian: 1/2*m*(x'^2 + y'^2)\nconstraints: {a: x - r*cos(w*t), b: y - r*sin(w*t)}\ndependent: [x, y]\nstart: {r: 1, r': 0}\n",
    "coordinates: [x, y, r]\nparameters: {m: 1, w: 1.3}\nlagrangian: 1/2*m*(x'^2 + y'^2) - m*y\nconstraints: {a: x - r*cos(w*t), b: y - r*sin(w*t)}\ndependent: [r, y]\nstart: {r: 1, r': 0}\n",
    "coordinates: [x, y, z]\nparameters: {m: 1, g: 9.81}\nlagrangian: 1/2*m*(x'^2 + 2*y'^2 + z'^2) - m*g*z\nconstraints: {cone: z^2 - x^2 - y^2 = 1, plane: z - x - 2 = 0}\ndependent: [z, x]\nstart: {x: -0.7, x': 0.2}\nguess: {y: 0.5, z: 2}\n",
    "coordinates: [x, y, z]\nparameters: {m: 1, g: 9.81}\nlagrangian: 1/2*m*(x'^2 + y'^2 + z'^2) + x*y'/2 - m*g*z\nconstraints: {ball: x^2 + y^2 + z^2 = 1 + 0.0}\ndependent: [z]\nstart: {x: 0.5, y: 0.1, x': 0.2, y': 1}\nguess: {z: -1}\n",
    "coordinates: [x, y]\nparameters: {m: 1, g: 9.81}\nlagrangian: 1/2*m*(x'^2 + (1 + x^2)*y'^2) - m*g*y\nconstraints: {a: y - x^2 - sin(t)}\ndependent: [x]\nstart: {x: -1, x': 0.1}\n",
];

/// Runs a system and puts the motion into the equations that were derived for it.
fn holds_along_its_motion(file: &str, until: Option<f64>, closed: bool) {
    let model =
        Model::new(System::parse(file, "moving.yaml", &[]).unwrap_or_else(|e| panic!("{e:?}")));
    let derived = model.derive(None);
    let branches = derived.in_branches.as_ref().map_or(&[][..], Vec::as_slice);
    assert!(
        !closed || !branches.is_empty(),
        "{file} has no closed inverse"
    );
    let request = Request {
        until,
        method: Some(Method::Tangents),
        samples: Some(12),
        ..Request::default()
    };
    let motion = model.simulate(&request, &AtomicBool::new(false)).unwrap();
    // a motion may end where the constraints do not determine how it goes on
    let ends = motion.flags.iter().any(|f| f.kind == FlagKind::Rank);
    assert!(motion.finished || ends, "{file}{:?}", motion.because);
    let mut seen = 0;
    // the equations are those with every constraint: up to where a one-sided one is released
    let released = motion.releases.first().map_or(f64::INFINITY, |r| r.t);
    // where the rank drops there are no multipliers
    let at_flag = |t: f64| {
        let mut ranks = motion.flags.iter().filter(|f| f.kind == FlagKind::Rank);
        // a zero of third order is known to the cube root of rounding
        ranks.any(|f| (f.t - t).abs() < 1e-4)
    };
    for sample in motion.samples.iter().filter(|s| s.t < released) {
        if at_flag(sample.t) {
            continue;
        }
        let place = Place {
            t: sample.t,
            x: sample.x.clone(),
            v: sample.v.clone(),
            a: sample.a.clone(),
            levels: model.system.constraints.iter().map(|c| c.c_value).collect(),
            multipliers: sample.lambda.clone(),
        };
        let near = sample.determinant.abs() < 1e-2;
        let size = sample.lambda.iter().fold(1.0_f64, |m, l| m.max(l.abs()));
        for row in &derived.standard {
            let v = place.value(&model.system, *row);
            assert!(
                v.abs() < 1e-7 * size,
                "{file}{} is {v}",
                model.system.pool.print(*row)
            );
        }
        for branch in branches {
            if near
                || !branch
                    .conditions
                    .iter()
                    .all(|c| c.admits(place.value(&model.system, c.expression)))
            {
                continue;
            }
            seen += 1;
            for &e in &branch.equations {
                let v = place.value(&model.system, e);
                let pool = &model.system.pool;
                let scale = place.value(&model.system, pool.magnitude(e)).max(1.0);
                assert!(
                    v.abs() <= 1e-6 * scale,
                    "{file}at {}: {} is {v}",
                    sample.t,
                    pool.print(e)
                );
                assert!(derived.derivation.dependent.iter().all(|&k| {
                    let c = &model.system.coordinates[k];
                    !pool.contains_any(e, &[c.x, c.v, c.a])
                }));
            }
            for (b, &e) in branch.multipliers.iter().enumerate() {
                let v = place.value(&model.system, e);
                assert!(
                    (v - sample.lambda[b]).abs() <= 1e-6 * size,
                    "{file}at {}: {} is {v}, not {}",
                    sample.t,
                    model.system.pool.print(e),
                    sample.lambda[b]
                );
            }
        }
    }
    assert!(!closed || seen >= 10, "{file}{seen} samples in a branch");
}

#[test]
fn equations_in_independent_coordinates_hold_along_motions() {
    for file in MOVING {
        holds_along_its_motion(file, Some(0.6), true);
    }
}

#[test]
fn equations_of_every_system_at_hand_hold_along_its_motion() {
    for folder in ["systems", "tests/systems"] {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let mut files: Vec<_> = std::fs::read_dir(folder)
            .unwrap()
            .map(|f| f.unwrap().path())
            .collect();
        files.sort();
        for file in files {
            let text = std::fs::read_to_string(&file).unwrap();
            // an objective has no motion
            if !text.contains("\nobjective:") {
                holds_along_its_motion(&text, None, false);
            }
        }
    }
}

#[test]
fn a_start_solved_for_on_a_fold_is_on_the_fold() {
    for (start, guess, wanted) in [
        ("{y: 5}", "{x: 1}", "chart"),
        ("{y: 5}", "{x: -0.01}", "chart"),
        ("{y: 5}", "{}", "chart"),
        ("{y: -5}", "{x: 3}", "chart"),
        ("{y: 4.9999999999}", "{x: 1}", "holds"),
        ("{y: 3}", "{x: 1}", "holds"),
        ("{x: 0}", "{y: 3}", "chart"),
    ] {
        let text = format!(
            "coordinates: [x, y]\nlagrangian: x'^2 + y'^2\nconstraints: {{ring: x^2 + y^2 = 25}}\ndependent: [x]\nstart: {start}\nguess: {guess}\n"
        );
        let model = Model::new(System::parse(&text, "ring.yaml", &[]).unwrap());
        let site = model.site(&Overrides::default()).unwrap();
        let verdict = model.check(site, None, &[]).verdict;
        let said = verdict.failure.map_or("holds", |f| f.kind().name());
        assert_eq!(said, wanted, "start {start} guess {guess}");
    }
}

#[test]
fn many_choices_are_not_all_tried_but_good_ones_are_found() {
    let (n, m) = (15, 7);
    let names: Vec<String> = (0..n).map(|k| format!("q{k}")).collect();
    for seed in 1..4 {
        let j = DMatrix::from_fn(m, n, |b, k| {
            f64::from(((b * 7 + k * 13 + b * k * seed + k * k) % 11) as i32 - 5)
        });
        let constraints: Vec<String> = j
            .row_iter()
            .map(|row| {
                row.iter()
                    .zip(&names)
                    .map(|(a, q)| format!("{a}*{q}"))
                    .collect::<Vec<_>>()
                    .join(" + ")
            })
            .collect();
        let model = model(
            &names.join(" "),
            &constraints.iter().map(String::as_str).collect::<Vec<_>>(),
        );
        let got = model
            .theorem
            .choices(&model.system, 0.0, &vec![0.5; n], &[]);
        assert!(got.more && !got.choices.is_empty() && got.choices.len() <= 8);
        let det = |c: &[usize]| {
            DMatrix::from_fn(m, m, |b, i| j[(b, c[i])])
                .determinant()
                .abs()
        };
        let best = choices(n, m).iter().map(|c| det(c)).fold(0.0, f64::max);
        let sizes: Vec<f64> = got.choices.iter().map(|c| det(c)).collect();
        assert!(
            sizes.windows(2).all(|w| w[0] >= w[1] * (1.0 - 1e-9)),
            "{sizes:?}"
        );
        assert!(
            sizes[0] >= 0.3 * best && sizes.iter().all(|d| *d > 0.5),
            "{sizes:?}, best {best}"
        );
        // a singular choice among so many: the last column repeated
        let verdict = verdict_at(&model, 0.0, &vec![0.5; n], &got.choices[0]);
        assert!(verdict.holds() && verdict.rank() == Some(m));
    }
}

#[test]
fn a_gradient_that_is_zero_but_for_rounding_leaves_the_others_theirs() {
    // quadrics with their vertices at decimal points, written out: what cancels there is rounding
    let mut random = fastrand::Rng::with_seed(20_261_126);
    for _ in 0..300 {
        let n = random.usize(2..5);
        let p: Vec<f64> = (0..n)
            .map(|_| f64::from(random.i32(-3000..3000)) / 100.0)
            .collect();
        let mut quadric = || {
            let (mut f, mut c) = (String::new(), 0.0);
            for i in 0..n {
                for j in i..n {
                    let a = f64::from(random.i32(-2..3));
                    if a == 0.0 && i != j {
                        continue;
                    }
                    let a = if a == 0.0 { 1.0 } else { a };
                    let (x, y) = (p[i], p[j]);
                    // a (x_i - x)(x_j - y)
                    let _ = write!(
                        f,
                        " + ({a})*x{i}*x{j} + ({:?})*x{j} + ({:?})*x{i}",
                        -a * x,
                        -a * y
                    );
                    c -= a * x * y;
                }
            }
            (f, c)
        };
        let (f, c) = quadric();
        let (g, d) = quadric();
        let slope = f64::from(random.i32(1..5));
        let names: Vec<String> = (0..n).map(|k| format!("x{k}")).collect();
        let text = format!(
            "coordinates: [{}]\nlagrangian: \"{}\"\nconstraints:\n  flat: \"{} = {c:?}\"\n  slope: \"{} + {slope}*x0 = {:?}\"\n",
            names.join(", "),
            names
                .iter()
                .map(|x| format!("{x}'^2"))
                .collect::<Vec<_>>()
                .join(" + "),
            f.trim_start_matches(" + "),
            g.trim_start_matches(" + "),
            d + slope * p[0],
        );
        let model = Model::new(System::parse(&text, "quadrics", &[]).unwrap());
        let check = model.check(site(0.0, &p), None, &[]);
        assert_eq!(check.verdict.rank(), Some(1), "{text} at {p:?}");
    }
}

#[test]
fn a_whole_number_as_a_parameter_is_the_same_exponent() {
    // also where the base is negative
    for n in ["2", "3", "-2", "4/2", "n"] {
        let told = |exponent: &str| {
            let text = format!(
                "coordinates: [x, y]\nparameters: {{n: 2}}\nlagrangian: 1/2*(x'^2 + y'^2) - y\nconstraints: {{c: y = x^({exponent})}}\n\
                 dependent: [y]\nstart: {{x: -1.5, x': 0.2}}\nrun: {{until: 0.5, samples: 4}}\n"
            );
            let set = [("n".to_owned(), n.replace('n', "2"))];
            let system = System::parse(&text, "test.yaml", &set).unwrap();
            let model = Model::new(system);
            let start = model.start(&Overrides::default()).unwrap();
            let failure = verdict_at(&model, 0.0, &start.x, &[1]).failure;
            assert!(failure.is_none(), "{n} {exponent}: {failure:?}");
            let motion = model.simulate(&Request::default(), &AtomicBool::new(false));
            let motion = motion.unwrap();
            assert!(motion.finished, "{n} {exponent}: {:?}", motion.because);
            motion.samples.last().unwrap().x.clone()
        };
        let (own, other) = (told(&n.replace('n', "2")), told("n"));
        for (a, b) in own.iter().zip(&other) {
            assert!((a - b).abs() < 1e-9, "{n}: {own:?} {other:?}");
        }
    }
    // which 1/2 is not
    let text = "coordinates: [x, y]\nparameters: {n: 1/2}\nlagrangian: 1/2*(x'^2 + y'^2)\nconstraints: {c: y = x^n}\nstart: {x: -1}\n";
    let model = Model::new(System::parse(text, "test.yaml", &[]).unwrap());
    assert!(
        verdict_at(&model, 0.0, &[-1.0, 1.0], &[1])
            .failure
            .is_some()
    );
}

#[test]
fn a_kink_is_named_where_its_argument_is_zero_only() {
    // on x < 0, y < x the first is 0; rounding leaves of its gradient what says nothing of the place
    let flat = model("x y", &["exp(x)*(abs(x) + max(y, x))"]);
    let places = [[-0.1, -0.7], [-0.7, -0.9], [-2.0, -5.0], [-0.3, -0.31]];
    // 1 - cos(u) is C^1 at a kink of u where u is 0, in all units
    let even = model("x y", &["1 - cos(max(x - 1, y - 0.1))"]);
    let other = model("x y", &["1 - cos(max(x*1e-6 - 1, y*1e-6 - 0.1))"]);
    let flat = places.map(|place| (&flat, place));
    for (model, place) in flat
        .into_iter()
        .chain([(&even, [1.0, 0.1]), (&other, [1e6, 1e5])])
    {
        let check = model.check(site(0.0, &place), None, &[]);
        let failure = check.verdict.failure.as_ref().map(Failure::kind);
        assert_eq!(failure, Some(FailureKind::Rank), "{place:?}");
        assert_eq!(check.verdict.rank(), Some(0));
    }
}

#[test]
fn where_a_constraint_is_not_smooth_no_rank_is_defined() {
    for constraint in [
        "abs(x) - y",
        "3*abs(x) - 3*y",
        "y + abs(x*1e-6)",
        "sqrt(x) - y",
    ] {
        for order in ["x y", "y x"] {
            let model = model(order, &[constraint]);
            let check = model.check(site(0.0, &[0.0, 0.0]), None, &[]);
            let failure = check.verdict.failure.as_ref().map(Failure::kind);
            assert_eq!(failure, Some(FailureKind::Smoothness), "{constraint}");
            assert_eq!(check.verdict.rank(), None, "{constraint} {order}");
        }
    }
}

#[test]
fn a_constraint_that_is_constant_about_a_place_is_redundant_there_however_far_its_kinks_are() {
    let places = [
        [-30.0, -100.0],
        [-1e-3, -100.0],
        [-30.0, -30.001],
        [-1.0, -1e6],
    ];
    for (factor, place) in ["", "exp(x/50)*", "(2 + sin(y))*"]
        .into_iter()
        .flat_map(|factor| places.map(|place| (factor, place)))
    {
        let model = model("x y", &[&format!("{factor}(abs(x) + max(y, x))")]);
        let check = model.check(site(0.0, &place), None, &[]);
        assert!(
            matches!(check.structure, Some(Structure::Redundant { .. })),
            "{factor} {place:?}: {:?}",
            check.structure
        );
    }
}

/// A branch on which f = y has solutions for other y than c alone has no equations in the independent coordinates, and that is said;
/// one that is met far from the start keeps them.
#[test]
fn a_branch_without_a_configuration_is_told() {
    let off = |constraints: &str, rest: &str| {
        let file = format!(
            "coordinates: [q, p, s]\nlagrangian: 1/2*(q'^2 + p'^2 + s'^2)\nconstraints: {constraints}\n{rest}\n"
        );
        let model =
            Model::new(System::parse(&file, "off.yaml", &[]).unwrap_or_else(|e| panic!("{e:?}")));
        let derived = model.derive(None);
        let told = derived
            .notes
            .iter()
            .filter(|note| matches!(note, Remark::OffLevel { .. }))
            .count();
        let given = derived.in_branches.as_ref().map_or(0, Vec::len);
        assert_eq!(told + given, derived.inverse.branches().len(), "{file}");
        told
    };
    for k in ["1", "1000", "1/1000"] {
        // acos is never negative, nor is the root
        let choice = "dependent: [q, p]\nstart: {s: 1.2}\nguess: {q: 1.58, p: 0}";
        assert_eq!(off("{a: acos(p) = q, b: q^2*s = 3}", choice), 1);
        let choice = format!(
            "dependent: [q, p]\nparameters: {{k: {k}}}\nstart: {{s: 0.3*k}}\nguess: {{q: k, p: k}}"
        );
        assert_eq!(
            off(
                "{a: q^2 + p^2 + s^2 = 4*k^2, b: q - sqrt(p^2 + 0.49*k^2)}",
                &choice
            ),
            2,
            "{k}"
        );
        // all four are met
        assert_eq!(
            off(
                "{a: q^2 + p^2 + s^2 = 4*k^2, b: q^2 - p^2 = 0.49*k^2}",
                &choice
            ),
            0,
            "{k}"
        );
        // the one far from the start
        let choice = format!(
            "dependent: [q, p]\nparameters: {{k: {k}}}\nstart: {{s: 0.3*k, q: 0.7*k}}\nguess: {{p: k}}"
        );
        assert_eq!(
            off("{a: q*(q - 3*k) = s*k - 1.91*k^2, b: p - q}", &choice),
            0,
            "{k}"
        );
    }
}
