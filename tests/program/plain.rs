//! Answers claim no more than they know, fit on a page, and are refused before the work where they cannot be given.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::told::told;
use serde_json::Value;

/// Words with single blanks between them.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

const CONE: &str = "
coordinates: [x, y, z]
lagrangian: 1/2*(x'^2 + y'^2 + z'^2) - 9.81*z
constraints: {cone: sqrt(x^2 + y^2) = z}
start: {x: 1, y: 0, x': 0, y': 3}
";

#[test]
fn a_rank_is_not_told_where_an_entry_of_the_jacobian_has_no_value() {
    let (code, out, _) = told(&["check", "-", "--at", "x=0,y=0,z=0"], CONE);
    assert_eq!(code, 1);
    assert!(out.contains("rank not defined here"), "{out}");
    assert!(!out.contains("rank 0"), "{out}");
    let (_, out, _) = told(&["check", "-", "--at", "x=0,y=0,z=0", "--json"], CONE);
    let value: Value = serde_json::from_str(&out).unwrap();
    assert!(value["jacobian"]["rank"].is_null(), "{out}");
    assert_eq!(value["failure"]["reason"], "edge");
}

#[test]
fn a_claim_that_cannot_be_read_is_refused_before_the_work() {
    for (command, claim, why) in [
        (
            &["simulate", "pendulum", "--csv"][..],
            "max(nope) < 1",
            "unknown name `nope`",
        ),
        (&["simulate", "pendulum", "--csv"], "covers", "not a claim"),
        (&["equilibria", "pendulum"], "count is 2", "`count = N`"),
        (
            &["atlas", "pendulum"],
            "holds for z over 0:1",
            "`z` is not a coordinate",
        ),
        (&["map", "pendulum"], "covers", "`never singular`"),
    ] {
        let (code, out, err) = told(&[command, &["--assert", claim]].concat(), "");
        assert_eq!((code, out.as_str()), (2, ""), "{command:?}: {err}");
        assert!(err.contains(why), "{command:?}: {err}");
    }
}

#[test]
fn what_came_of_claims_is_in_json() {
    for (line, holds, verdict) in [
        ("equilibria pendulum --assert count=2", true, "proven"),
        ("equilibria pendulum --assert count=3", false, "not proven"),
        ("map pendulum --assert never_singular", false, "not proven"),
        ("atlas pendulum --assert covers", true, "proven"),
        ("simulate pendulum --assert max(y)<2", true, "held"),
        ("simulate pendulum --assert max(y)<-2", false, "not held"),
    ] {
        let words: Vec<String> = line.split(' ').map(|word| word.replace('_', " ")).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).chain(["--json"]).collect();
        let (code, out, _) = told(&words, "");
        let told: Value = serde_json::from_str(&out).unwrap();
        let [one] = told["assertions"].as_array().unwrap().as_slice() else {
            panic!("{line}: {told}");
        };
        let claim = one["claim"].as_str().unwrap();
        assert!(words.contains(&claim), "{line}: {one}");
        assert_eq!(
            (&one["holds"], &one["verdict"]),
            (&holds.into(), &verdict.into()),
            "{line}"
        );
        assert_eq!(one["missing"].is_null(), holds, "{line}: {one}");
        assert_eq!(code, i32::from(!holds), "{line}");
    }
}

/// A ring of this radius, in units in which all else is of that size too.
fn ring(radius: &str) -> String {
    format!(
        "coordinates: [x, y]\nparameters: {{r: {radius}}}\nlagrangian: (x'^2 + y'^2)/2 - r*y\n\
         constraints: {{ring: x^2 + y^2 = r^2}}\nstart: {{x: 0.6*r, y: -0.8*r, x': 0}}\n\
         run: {{until: 3, samples: 10}}\n"
    )
}

#[test]
fn small_numbers_are_not_shown_as_0() {
    for radius in ["1e-6", "1"] {
        let file = ring(radius);
        let (_, out, _) = told(&["check", "-"], &file);
        let line = out.lines().find(|line| line.contains("Nearest failure"));
        assert!(!line.unwrap().contains("(0, 0)"), "{radius}: {out}");
        let (_, out, _) = told(&["simulate", "-"], &file);
        let rows = out
            .lines()
            .filter(|line| line.trim_start().starts_with(|c: char| c.is_ascii_digit()));
        let cells: Vec<&str> = rows.flat_map(str::split_whitespace).skip(1).collect();
        assert!(cells.len() > 20, "{radius}: {out}");
        // x' alone, at the start
        let zeros = cells
            .iter()
            .filter(|cell| matches!(**cell, "0" | "0.0000"))
            .count();
        assert!(zeros <= 2, "{radius}: {out}");
    }
}

#[test]
fn points_of_a_line_are_not_told_as_all_points() {
    for constraint in [
        "x*(exp(y) - 1)",
        "x*sin(y)",
        "x*(y^2 - 2) + 0*y",
        "x*tanh(y)",
    ] {
        let file = format!(
            "coordinates: [x, y]\nlagrangian: (x'^2 + y'^2)/2\nconstraints: {{c: \"{constraint}\"}}\n\
             dependent: [x]\nstart: {{x: 1}}\nguess: {{y: 1.4}}\n"
        );
        let (_, out, _) = told(&["check", "-", "--json"], &file);
        let check: Value = serde_json::from_str(&out).unwrap();
        for entry in check["singular_set"].as_array().unwrap() {
            assert!(entry["on_constraints"].is_null(), "{constraint}: {entry}");
        }
    }
}

#[test]
fn a_bound_at_rounding_distance_is_said_to_be_too_near() {
    let claim = ["--assert", "max(F_rod) < 4.905"];
    let (code, _, err) = told(
        &[&["simulate", "pendulum", "--csv"], &claim[..]].concat(),
        "",
    );
    assert_eq!(code, 1);
    assert!(
        err.contains("not held: max(F_rod) < 4.905: computed as 4.90"),
        "{err}"
    );
    assert!(err.contains("too near to the bound to tell"), "{err}");
}

#[test]
fn a_one_sided_maximum_is_not_told_as_a_saddle() {
    let file = "
coordinates: [x, y]
lagrangian: 1/2*(x'^2 + y'^2) - 9.81*y
constraints: {s: {f: x^2 + y^2, c: 1, side: \">=\"}}
start: {x: 0, x': 0.001}
guess: {y: 1}
";
    let (_, out, _) = told(&["equilibria", "-"], file);
    let out = flat(&out);
    let wanted = "a maximum along the constraints (0 positive, 0 zero, 1 negative); V rises where contact is lost";
    assert!(out.contains(wanted), "{out}");
}

/// Two redundant cranks: the equilibria are found by numbers only.
const CRANKS: &str = "
coordinates: [a, b, c, X, Y, p]
lagrangian: 1/2*(a'^2 + b'^2 + c'^2 + X'^2 + Y'^2 + p'^2) - sin(a) - sin(b) - sin(c) - Y
constraints:
  x1: cos(a) = X
  y1: sin(a) = Y
  x2: 2 + cos(b) = X + 2*cos(p)
  y2: sin(b) = Y + 2*sin(p)
  x3: 4 + cos(c) = X + 4*cos(p)
  y3: sin(c) = Y + 4*sin(p)
start: {a: 1, b: 1, c: 1, p: 0, a': 0}
run: {until: 1}
";

#[test]
fn an_estimate_is_not_called_degenerate() {
    let (_, out, _) = told(&["equilibria", "-"], CRANKS);
    let out = flat(&out);
    assert!(out.contains("not judged, estimated"), "{out}");
    assert!(
        out.contains("estimated second variation (1 positive"),
        "{out}"
    );
    assert!(
        !out.contains("degenerate") && !out.contains("no minimum"),
        "{out}"
    );
}

/// Links in a row: its Jacobian is written by entries.
const CHAIN: &str = "
coordinates: [x1, y1, x2, y2, x3, y3, x4, y4]
lagrangian: 1/2*(x1'^2 + y1'^2 + x2'^2 + y2'^2 + x3'^2 + y3'^2 + x4'^2 + y4'^2) - y1 - y2 - y3 - y4
constraints:
  r1: x1^2 + y1^2 = 1
  r2: (x2 - x1)^2 + (y2 - y1)^2 = 1
  r3: (x3 - x2)^2 + (y3 - y2)^2 = 1
  r4: (x4 - x3)^2 + (y4 - y3)^2 = 1
  r5: (3 - x4)^2 + y4^2 = 1
guess: {x1: 0.5, y1: -1, x2: 1, y2: -1.5, x3: 2, y3: -1.5, x4: 2.5, y4: -1}
";

#[test]
fn what_rounding_leaves_of_a_zero_is_0_in_a_jacobian_by_entries() {
    let (_, out, _) = told(&["check", "-"], CHAIN);
    assert!(flat(&out).contains("y2: 2*(y2 - y3) = 0,"), "{out}");
    assert!(!out.contains("e-16"), "{out}");
}

#[test]
fn a_reason_that_many_equilibria_have_is_told_once() {
    let file = "
coordinates: [x, y, u]
lagrangian: 1/2*(x'^2 + y'^2) - 9.81*y
constraints: {cx: x = u + sin(u), cy: y = 1 - cos(u)}
start: {u: 1, u': 0}
";
    let (_, out, _) = told(&["equilibria", "-", "--box", "u=-20:20"], file);
    let out = flat(&out);
    let why = "the kinetic energy is not shown to be positive for every virtual displacement";
    assert_eq!(out.matches(why).count(), 1, "{out}");
    assert!(
        out.contains(&format!(", 3, 5: {why}")) || out.contains(&format!(": {why}")),
        "{out}"
    );
}

#[test]
fn other_configurations_are_told_by_what_differs() {
    let file = "
coordinates: [x, a, b, c]
lagrangian: 1/2*(x'^2 + a'^2 + b'^2 + c'^2)
constraints: {fa: a^2 = x^2 + 1, fb: b^2 = x^2 + 4, fc: c^2 = x^2 + 9}
start: {x: 0, x': 1}
guess: {a: 1, b: 1, c: 1}
run: {until: 1}
";
    let (_, out, _) = told(&["check", "-"], file);
    let out = flat(&out);
    assert_eq!(out.matches("also found").count(), 2, "{out}");
    assert!(out.contains("and the rest as above, from guess"), "{out}");
    assert!(
        out.contains("more configurations (--json has all)"),
        "{out}"
    );
}

#[test]
fn flags_beside_a_table_are_bounded() {
    let (code, _, err) = told(&["simulate", "pendulum", "--until", "60", "--csv"], "");
    assert_eq!(code, 0, "{err}");
    assert!(err.lines().count() < 20, "{err}");
    assert!(err.contains("more (--json has all)"), "{err}");
}

#[test]
fn a_sweep_says_what_to_name_its_lines() {
    let arguments = ["sweep", "pendulum", "--over", "g=1:2:2", "-o", "runs.json"];
    let (code, _, err) = told(&arguments, "");
    assert_eq!(code, 2);
    assert!(err.contains("runs.jsonl"), "{err}");
}

#[test]
fn forces_that_cannot_be_written_so_have_advice() {
    let file = |force: &str| {
        format!(
            "coordinates: [x, y]\nlagrangian: 1/2*(x'^2 + y'^2) - y\nconstraints: {{floor: y = 0}}\nforces: {{x: \"{force}\"}}\nstart: {{x: 0, x': 3}}\n"
        )
    };
    let (code, _, err) = told(&["check", "-"], &file("-abs(lambda_floor)*sign(x')"));
    assert_eq!(code, 2);
    assert!(
        err.contains("write the normal force in coordinates"),
        "{err}"
    );
    let (code, _, err) = told(&["check", "-"], &file("if(x > 0, 1, 0)"));
    assert_eq!(code, 2);
    assert!(
        err.contains("write `c + (b - c)*step(a)` for `if(a > 0, b, c)`"),
        "{err}"
    );
}

#[test]
fn a_force_over_coordinates_of_several_kinds_is_told_as_what_it_is() {
    let file = "
coordinates: [s, phi]
parameters: {a: 0.1, m: 2}
lagrangian: 1/2*m*s'^2 + 1/4*m*a^2*phi'^2 - m*s
constraints: {roll: s = a*phi}
start: {s: 0, s': 0}
";
    let (_, out, _) = told(&["derive", "-", "--full"], file);
    assert!(
        flat(&out).contains("a force only if these have the same unit"),
        "{out}"
    );
}

#[test]
fn an_empty_list_of_points_is_told_where_there_are_none_and_null_where_that_is_open() {
    let entry = |constraint: &str, start: &str, factor: &str| {
        let file = format!(
            "coordinates: [x, y]\nlagrangian: (x'^2 + y'^2)/2\nconstraints: {{c: \"{constraint}\"}}\n\
             dependent: [x]\n{start}\n"
        );
        let (_, out, _) = told(&["check", "-", "--json"], &file);
        let check: Value = serde_json::from_str(&out).unwrap();
        let entries = check["singular_set"].as_array().unwrap().clone();
        let own = entries.into_iter().find(|e| e["equation"] == factor);
        own.unwrap_or_else(|| panic!("{out}"))
    };
    let open = entry(
        "exp(y + 1/2)*cosh(x^2) = 5.006",
        "start: {y: 0.89}\nguess: {x: -0.83}",
        "sinh(x^2) = 0",
    );
    assert!(open["on_constraints"].is_null(), "{open}");
    assert!(!open["undecided"].as_array().unwrap().is_empty(), "{open}");
    let none = entry("x*y = 1", "start: {x: 1}", "y = 0");
    assert_eq!(none["on_constraints"], serde_json::json!([]), "{none}");
}

#[test]
fn a_large_angle_is_no_angle_in_degrees_and_no_number_has_hundreds_of_digits() {
    let file = "coordinates: [x, y]\nlagrangian: (x'^2 + y'^2)/2\nconstraints: {c: sin(x) + y = 1}\nstart: {x: 1e300}\n";
    let (_, out, _) = told(&["check", "-"], file);
    assert!(!out.contains("degrees") && !out.contains("000000"), "{out}");
    let (_, out, _) = told(&["check", "-"], &file.replace("1e300", "90"));
    assert!(out.contains("for 90 degrees write 90*deg"), "{out}");
}
