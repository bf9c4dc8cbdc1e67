//! The derived equations against SymPy's: never longer, and the same.
//!
//! `tests/sympy/sizes.json` holds what SymPy's `LagrangesMethod` and `simplify` make of every system
//! file, written in our grammar by `tests/sympy/sizes.py`. Lengths are operations and characters, counted
//! the same way on both texts; that both texts mean the same is tried at random points.

#![allow(clippy::unwrap_used, clippy::panic)]

use crate::random::operations;
use holonom::analysis::Model;
use holonom::expr::{Expr, Pool, SymbolKind};
use holonom::system::System;
use holonom::theorem::scattered;
use serde_json::Value;

/// An expression of ours beside SymPy's.
struct Pair {
    what: String,
    ours: Expr,
    theirs: String,
}

fn pairs(model: &Model, known: &Value) -> Vec<Pair> {
    let dependent: Vec<usize> = known["dependent"]
        .as_array()
        .unwrap()
        .iter()
        .map(|d| model.system.coordinate(d.as_str().unwrap()).unwrap())
        .collect();
    // a redundant constraint has no dependent coordinate of its own
    let whole = dependent.len() == model.system.constraints.len();
    let derived = model.derive(whole.then_some(dependent.as_slice()));
    let mut list = Vec::new();
    let mut add = |what: String, ours: &[Expr], theirs: &Value| {
        let Some(theirs) = theirs.as_array() else {
            return;
        };
        assert_eq!(ours.len(), theirs.len(), "{what}");
        for (i, (&ours, theirs)) in ours.iter().zip(theirs).enumerate() {
            if let Some(theirs) = theirs.as_str() {
                list.push(Pair {
                    what: format!("{what}[{i}]"),
                    ours,
                    theirs: theirs.to_owned(),
                });
            }
        }
    };
    let forms = &derived.derivation;
    add(
        "euler_lagrange".into(),
        &model.equations.euler_lagrange,
        &known["euler_lagrange"],
    );
    add(
        "energy".into(),
        &[model.equations.energy],
        &Value::Array(vec![known["energy"].clone()]),
    );
    add("standard".into(), &derived.standard, &known["standard"]);
    add(
        "multipliers".into(),
        forms.multipliers.as_deref().unwrap_or_default(),
        &known["multipliers"],
    );
    add(
        "reduced".into(),
        forms.reduced.as_deref().unwrap_or_default(),
        &known["reduced"],
    );
    for (b, row) in model.equations.jacobian.iter().enumerate() {
        add(format!("jacobian[{b}]"), row, &known["jacobian"][b]);
    }
    for (b, row) in forms.displacements.iter().flatten().enumerate() {
        add(
            format!("displacements[{b}]"),
            row,
            &known["displacements"][b],
        );
    }
    for (i, branch) in derived.in_branches.iter().flatten().enumerate() {
        let known = &known["branches"][i];
        add(
            format!("branches[{i}].equations"),
            &branch.equations,
            &known["equations"],
        );
        add(
            format!("branches[{i}].multipliers"),
            &branch.multipliers,
            &known["multipliers"],
        );
    }
    list
}

/// Values at a few points; what has none there is NaN.
fn values(pool: &Pool, e: Expr) -> Vec<f64> {
    (0..12)
        .map(|index| {
            pool.evaluate(e, &|kind| {
                let place = match kind {
                    SymbolKind::Coordinate { index, order } => 3 * index + usize::from(order),
                    SymbolKind::Parameter(i) => 100 + i,
                    SymbolKind::Multiplier(i) => 200 + i,
                    _ => 300,
                };
                // lengths of links must be long enough for the roots to exist
                let size = if matches!(kind, SymbolKind::Parameter(_)) {
                    2.0
                } else {
                    1.4
                };
                size * (scattered(index, place) - if size > 1.5 { 0.0 } else { 0.5 })
            })
        })
        .collect()
}

#[test]
fn no_equation_is_longer_than_sympys() {
    let fixture = include_str!("../sympy/sizes.json");
    let fixture: Value = serde_json::from_str(fixture).unwrap();
    let (mut longer, mut wrong, mut count) = (Vec::new(), Vec::new(), 0);
    let mut totals = [0_usize; 4];
    for (file, known) in fixture["systems"].as_object().unwrap() {
        let path = format!("{}/{file}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).unwrap();
        let system = System::parse(&text, file, &[]).unwrap();
        let model = Model::new(system);
        let pool = &model.system.pool;
        for Pair { what, ours, theirs } in pairs(&model, known) {
            count += 1;
            let shown = pool.print(ours);
            let (a, b) = (
                (operations(&shown) as usize, shown.len()),
                (operations(&theirs) as usize, theirs.len()),
            );
            for (total, n) in totals.iter_mut().zip([a.0, a.1, b.0, b.1]) {
                *total += n;
            }
            // the kinetic and the potential energy stand apart, where one fraction would save an operation
            let apart = if what.starts_with("energy") {
                (1, 3)
            } else {
                (0, 0)
            };
            if a.0 > b.0 + apart.0 || a.1 > b.1 + apart.1 {
                longer.push(format!(
                    "{file} {what}: {a:?} {b:?}\n    {shown}\n    {theirs}"
                ));
            }
            let other = crate::random::read(pool, &theirs).unwrap_or_else(|| panic!("{theirs}"));
            let mut seen = 0;
            for (x, y) in values(pool, ours).into_iter().zip(values(pool, other)) {
                if x.is_finite() && y.is_finite() {
                    seen += 1;
                    if (x - y).abs() > 1e-7 * x.abs().max(y.abs()).max(1e-3) {
                        wrong.push(format!("{file} {what}: {x} {y}\n    {shown}\n    {theirs}"));
                        break;
                    }
                }
            }
            if seen == 0 {
                wrong.push(format!("{file} {what}: no point\n    {shown}"));
            }
        }
    }
    println!(
        "{count} expressions: ours {} operations, {} characters; SymPy's {}, {}",
        totals[0], totals[1], totals[2], totals[3]
    );
    assert!(wrong.is_empty(), "not the same:\n{}", wrong.join("\n"));
    assert!(
        longer.is_empty(),
        "{} of {count} are longer:\n{}",
        longer.len(),
        longer.join("\n")
    );
}

#[test]
fn what_simplify_makes_of_sympys_is_what_we_derive() {
    // a third way: their text, through our normal form, differs from ours by zero
    let fixture: Value = serde_json::from_str(include_str!("../sympy/sizes.json")).unwrap();
    for (file, known) in fixture["systems"].as_object().unwrap() {
        let path = format!("{}/{file}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).unwrap();
        let model = Model::new(System::parse(&text, file, &[]).unwrap());
        let pool = &model.system.pool;
        for Pair { what, ours, theirs } in pairs(&model, known) {
            let other = crate::random::read(pool, &theirs).unwrap();
            let zero = pool.is_zero(pool.sub(ours, other));
            assert_ne!(
                zero,
                Some(false),
                "{file} {what}: {} is not {theirs}",
                pool.print(ours)
            );
        }
    }
}
