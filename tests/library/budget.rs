//! Systems that nobody would write and that cost what nobody would wait for: every question ends within its budget.
//!
//! Nothing is timed. The work of a question is counted, the same on every machine; what was not counted took minutes
//! here (deep orders, long products, gcds of a thousand parameters), so that a test that ends is one that passes.

#![allow(clippy::unwrap_used)]

use holonom::analysis::{InverseRequest, Model, Overrides, Part, Where};
use holonom::expr::{
    Extent, FOR_A_DERIVATION, FOR_A_QUESTION, Style, calculated, calculating, work,
};
use holonom::report::{Layout, check_text, derive_json, derive_text};
use holonom::system::{System, find};
use holonom::theorem::Inverse;

/// What one question may take beyond its budget: each small expression is simplified all the same.
const BEYOND: u64 = FOR_A_QUESTION / 2;

/// A system of x and y on one constraint.
fn held(lagrangian: &str, f: &str) -> String {
    format!(
        "coordinates: [x, y]\nlagrangian: {lagrangian}\nconstraints: {{a: {{f: '{f}', c: 1}}}}\nguess: {{x: 0.5, y: 0.5}}\n"
    )
}

const LAYOUT: Layout = Layout {
    width: 80,
    style: Style::Plain,
};

const FREE: &str = "(x'^2 + y'^2)/2";

fn joined(sign: &str, count: usize, part: impl Fn(usize) -> String) -> String {
    (1..=count).map(part).collect::<Vec<_>>().join(sign)
}

fn nested(depth: usize, first: &str, around: impl Fn(&str) -> String) -> String {
    (0..depth).fold(first.to_owned(), |e, _| around(&e))
}

/// Each definition contains the one before it twice.
fn doublings(count: usize) -> String {
    let lines = (1..=count).map(|k| format!("  d{k}: d{} + sin(d{})\n", k - 1, k - 1));
    let lines: String = lines.collect();
    format!(
        "coordinates: [x, y]\ndefine:\n  d0: x + y\n{lines}lagrangian: {FREE} - d{count}\nconstraints: {{a: {{f: x + y^2, c: 1}}}}\nguess: {{x: 0.5, y: 0.5}}\n"
    )
}

/// A product of functions with as many parameters as are given.
fn weighed(count: usize) -> String {
    let names = joined(", ", count, |k| format!("p{k}: {k}"));
    let sum = joined(" + ", count, |k| format!("p{k}"));
    format!(
        "coordinates: [x, y]\nparameters: {{{names}}}\nlagrangian: {FREE} - ({sum})*y\nconstraints: {{a: {{f: x^2 + y^2, c: p1}}}}\nguess: {{x: 0.5, y: 0.5}}\n"
    )
}

/// Answers a question; its work is within the budget.
fn counted<R>(what: &str, most: u64, run: impl FnOnce() -> R) -> R {
    let before = work();
    let answer = run();
    let spent = work() - before;
    println!("{what}: {spent}");
    assert!(spent <= most + BEYOND, "{what} took {spent}");
    answer
}

fn asked(name: &str, text: &str) {
    let system = System::parse(text, name, &[]).unwrap();
    let model = counted(name, FOR_A_QUESTION, || Model::new(system));
    if let Ok(site) = model.site(&Overrides::default()) {
        let check = counted(&format!("{name}, check"), FOR_A_QUESTION, || {
            model.check(site, None, &[])
        });
        let told = check_text(&model, &check, 80).contains("effort");
        assert!(told || check.extent == Extent::Whole, "{name}");
    }
    let derived = counted(&format!("{name}, derive"), FOR_A_DERIVATION, || {
        model.derive(None)
    });
    let json = derive_json(&model, &derived);
    let account = counted(&format!("{name}, account"), FOR_A_QUESTION, || {
        model.account()
    });
    let cut = [model.extent, derived.extent, account.extent].contains(&Extent::CutShort);
    // the account is worked out twice here: what the first stopped at the second may end
    assert!(json.get("extent").is_some() || !cut, "{name}");
    derive_text(&model, &derived, LAYOUT);
}

#[test]
fn long_and_deep_systems_are_answered_within_the_budget() {
    let roots = nested(18, "x^2 + 1", |e| format!("sqrt({e} + y^2)"));
    asked("nested roots", &held(FREE, &roots));
    asked("doublings", &doublings(8));
    asked("parameters", &weighed(150));
    let sines = joined(" + ", 150, |k| format!("sin({k}*x + y)"));
    asked("sines", &held(FREE, &sines));
    let product = joined("*", 120, |k| format!("(x + {k}*y + {k})"));
    asked("a product", &held(FREE, &product));
}

#[test]
#[ignore = "minutes"]
fn very_long_and_very_deep_systems_are_answered_within_the_budget() {
    for depth in [60, 150] {
        let roots = nested(depth, "x + 2", |e| format!("sqrt({e} + x*y)"));
        asked("nested roots", &held(FREE, &roots));
        let fractions = nested(depth, "x", |e| format!("1/(1 + {e})"));
        asked("fractions", &held(FREE, &format!("{fractions} + y")));
    }
    asked("doublings", &doublings(10));
    asked("parameters", &weighed(1000));
    for count in [12, 60, 300] {
        let sums = joined("*", count, |k| format!("(sin({k}*x) + cos(y) + {k})"));
        asked("a product", &held(FREE, &sums));
        let roots = joined(" + ", count, |k| format!("sqrt(x^2 + {k})"));
        asked("roots", &held(FREE, &format!("{roots} + y")));
        let mass = joined("*", count, |k| format!("(x^2 + {k}*y^2 + {k})"));
        asked("a mass", &held(&format!("{FREE}*{mass}"), "x + y"));
    }
    for power in ["0.5", "0.1", "(1/3)"] {
        let text = find("double_pendulum").unwrap().text;
        let text = text.split("expect:").next().unwrap();
        asked(
            "a power",
            &text.replacen("x1^2 + y1^2", &format!("x1^{power} + y1^2"), 1),
        );
    }
}

#[test]
fn no_closed_form_within_the_effort_is_told() {
    // each term alone can be undone; all together would need a polynomial of degree 2^9
    let f = joined(" + ", 9, |k| format!("sqrt(x + {k}*y + {k})"));
    let model = Model::new(System::parse(&held(FREE, &f), "roots", &[]).unwrap());
    let derived = model.derive(None);
    assert!(matches!(derived.inverse, Inverse::Numeric(_)));
    let text = derive_text(&model, &derived, LAYOUT);
    let within = matches!(derived.inverse, Inverse::Numeric(Extent::CutShort));
    assert_eq!(
        text.contains("no closed form found within the effort"),
        within,
        "{text}"
    );
}

/// Quadratic forms in eight coordinates, four of them constraints.
fn dense() -> String {
    let names = joined(", ", 8, |k| format!("x{k}"));
    let squares = joined(" + ", 8, |k| format!("x{k}'^2"));
    let row = |b: usize| {
        let terms = joined(" + ", 8, |k| {
            format!("{}*x{k}*x{}", 1 + (k * b) % 7, 1 + (k * (b + 2)) % 8)
        });
        format!("  c{b}: {{f: {terms}, c: 1}}\n")
    };
    let rows = joined("", 4, row);
    let guess = joined(", ", 8, |k| format!("x{k}: 0.5"));
    format!(
        "coordinates: [{names}]\nlagrangian: ({squares})/2 - x1\nconstraints:\n{rows}guess: {{{guess}}}\n"
    )
}

#[test]
fn boxes_and_numbers_are_counted_and_what_was_not_looked_at_is_told() {
    const ALLOWED: u64 = 20_000_000;
    let model = Model::new(System::parse(&dense(), "dense", &[]).unwrap());
    let site = model.site(&Overrides::default()).unwrap();
    let within = |what: &str, ask: &dyn Fn() -> bool| {
        let before = calculated();
        let complete = calculating(ALLOWED, ask);
        let spent = calculated() - before;
        println!("{what}: {spent}");
        // a step that was begun is ended
        assert!(spent <= ALLOWED + ALLOWED / 4, "{what} took {spent}");
        assert!(!complete, "{what}");
    };
    within("atlas", &|| {
        let region = model.default_region(&site.x, &[]);
        model.atlas(Part::new(region, site.t), None).complete
    });
    within("equilibria", &|| {
        model.equilibria(&Where::default()).complete()
    });
    within("inverse", &|| {
        let answer = model.inverse_at(&InverseRequest::default());
        answer.is_ok_and(|answer| answer.complete)
    });
}
