//! `holonom atlas` and `holonom map`: the built-in systems by snapshot, JSON by its names, bad requests by
//! their messages.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use assert_cmd::Command;
use holonom::system::builtin;
use serde_json::Value;
use std::time::Duration;

struct Said {
    code: i32,
    out: String,
    err: String,
}

fn holonom(arguments: &[&str], input: &str) -> Said {
    let output = Command::cargo_bin("holonom")
        .unwrap()
        .args(arguments)
        .write_stdin(input)
        .timeout(Duration::from_secs(60))
        .output()
        .unwrap();
    Said {
        code: output.status.code().expect("it was killed"),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

fn json(arguments: &[&str]) -> Value {
    let said = holonom(&[arguments, &["--json"]].concat(), "");
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    serde_json::from_str(&said.out).unwrap()
}

#[test]
fn atlases_and_maps_of_the_built_in_systems_read_like_this() {
    for one in builtin() {
        for (command, options) in [
            ("atlas", &[][..]),
            ("map", &["--size", "60x20", "--ascii"][..]),
        ] {
            let said = holonom(&[&[command, one.name], options].concat(), "");
            assert_eq!((said.code, said.err.as_str()), (0, ""), "{command}");
            assert!(said.out.lines().all(|line| line.chars().count() <= 80));
            assert!(said.out.is_ascii(), "{}", said.out);
            insta::with_settings!({ omit_expression => true }, {
                insta::assert_snapshot!(format!("{command}_{}", one.name), said.out);
            });
        }
    }
}

#[test]
fn questions_that_need_no_start_are_answered_without_one() {
    // sqrt(l^2 - a^2) of the start is no number for a > l
    let longer = ["slider_crank", "--set", "a=1.3"];
    let ask = |command: &[&str], rest: &[&str]| holonom(&[command, &longer, rest].concat(), "");
    for command in ["atlas", "map", "equilibria"] {
        let said = ask(&[command], &["--json"]);
        assert_eq!(said.code, 0, "{command}: {}", said.err);
        assert!(said.err.contains("there is no start: the value of `phi`"));
        let told: Value = serde_json::from_str(&said.out).unwrap();
        assert!(told["no_start"].as_str().unwrap().contains("NaN"));
    }
    assert_eq!(json(&["atlas", "slider_crank"])["no_start"], Value::Null);
    // at a place that is told whole; the crank is longer than the rod
    let at = ["--at", "theta=0.5,phi=-0.546,x=2.1664"];
    assert_eq!(ask(&["check"], &at).code, 0);
    let said = ask(&["inverse"], &["--at", "x=2.1664"]);
    assert_eq!(said.code, 0, "{}", said.err);
    for (command, rest) in [
        ("simulate", &[][..]),
        ("plot", &[]),
        ("check", &[]),
        ("check", &["--at", "x=2"]),
        ("inverse", &["--y", "along=0.1"]),
        ("verify", &[]),
    ] {
        let said = ask(&[command], rest);
        assert_eq!(said.code, 2, "{command}: {}", said.err);
        let place = "the value of `phi` is not a finite number: it is NaN";
        assert!(said.err.contains(place), "{command}: {}", said.err);
        assert!(said.err.contains("-asin(a/l)"), "{command}: {}", said.err);
    }
}

#[test]
fn one_choice_has_its_half_lines_and_its_failure() {
    let region = ["--box", "x1=-2:2,x2=-1:4"];
    let one = [
        &["atlas", "bead_on_parabola", "--dependent", "x1"],
        &region[..],
    ]
    .concat();
    let value = json(&one);
    let names: Vec<&String> = value.as_object().unwrap().keys().collect();
    let wanted = [
        "system",
        "t",
        "no_start",
        "box",
        "complete",
        "charts",
        "left",
        "boxes",
        "more",
        "all_looked_at",
        "no_choice",
        "schema",
    ];
    assert_eq!(names, wanted);
    // all is looked at, and what is left is told: the pieces alone do not hold all
    assert_eq!(value["complete"], false);
    assert_eq!(value["all_looked_at"], true);
    assert!(
        value["boxes"].as_u64().unwrap() <= 13 + 6,
        "{}",
        value["boxes"]
    );
    let pieces = value["charts"][0]["pieces"].as_array().unwrap();
    assert_eq!(pieces.len(), 2);
    assert!(pieces.iter().any(|p| p["x1"][1] == 2.0) && pieces.iter().any(|p| p["x1"][0] == -2.0));
    let left = value["left"].as_array().unwrap();
    assert_eq!(left.len(), 1);
    assert!(left[0]["fails_at"]["x1"].as_f64().unwrap().abs() < 1e-9);
    let said = holonom(&one, "");
    assert!(
        said.out.contains("x1 fails at (0, 0) (certified)"),
        "{}",
        said.out
    );
    // and with every choice, the whole by x2
    let value = json(&["atlas", "bead_on_parabola"]);
    assert_eq!(value["charts"][0]["dependent"][0], "x2");
    assert_eq!(value["left"].as_array().unwrap().len(), 0);
}

#[test]
fn a_map_has_its_names_and_its_vectors() {
    let value = json(&["map", "product_and_sum", "--box", "x1=-5:5,x2=-5:5,x3=-5:5"]);
    assert_eq!(value["complete"], true);
    assert_eq!(value["singular_complete"], true);
    let singular = value["singular"].as_array().unwrap();
    assert_eq!(singular.len(), 1);
    assert_eq!(singular[0]["certified"], true);
    assert!((singular[0]["point"]["x1"].as_f64().unwrap() - 1.5).abs() < 1e-9);
    let boxes = value["boxes"].as_array().unwrap();
    for mark in [1, -1] {
        assert!(
            boxes
                .iter()
                .any(|b| b["mark"] == "regular" && b["sign"] == mark)
        );
    }
    let said = holonom(&["map", "pendulum", "--svg"], "");
    assert!(said.out.starts_with("<svg") && said.out.contains("(1, 0)"));
}

#[test]
fn what_no_constraint_depends_on_takes_no_boxes_of_a_map() {
    let boxes = |more: &str| {
        let text = format!(
            "name: ring\ncoordinates: [x, y{more}]\nlagrangian: x'^2 + y'^2\nconstraints: {{c: x^2 + y^2 = 1}}\n\
             start: {{x: 1}}\n"
        );
        let value: Value =
            serde_json::from_str(&holonom(&["map", "-", "--json"], &text).out).unwrap();
        assert_eq!(value["complete"], true, "{more}");
        value["boxes"].as_array().unwrap().len()
    };
    assert_eq!(boxes(""), boxes(", a, b, d, e"));
}

#[test]
fn a_region_that_cannot_be_used_is_told() {
    for (arguments, wanted) in [
        (&["atlas", "pendulum", "--box", "x=1:-1"][..], "low end"),
        (&["atlas", "pendulum", "--box", "x=1"], "LOW:HIGH"),
        (&["map", "pendulum", "--box", "z=1:2"], "z"),
        (&["map", "pendulum", "--box", "x=a:2"], "a"),
        (&["map", "pendulum", "--x", "x", "--y", "x"], "--y"),
        (&["map", "pendulum", "--x", "q"], "q"),
        (
            &["map", "pendulum", "--dependent", "x,y"],
            "as many as constraints: 1",
        ),
        (&["atlas", "pendulum", "--dependent", "q"], "q"),
        (
            &["check", "pendulum", "--at", "x=1,x=2"],
            "`x` is given twice",
        ),
        (
            &["simulate", "pendulum", "--vel", "x=1,x'=2"],
            "`x'` is given twice",
        ),
    ] {
        let said = holonom(arguments, "");
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{arguments:?}");
        assert!(said.err.contains(wanted), "{arguments:?}: {}", said.err);
    }
    let line =
        "name: one\ncoordinates: [x]\nlagrangian: x'^2\nconstraints: {c: x^2 - 1}\nstart: {x: 1}\n";
    let said = holonom(&["map", "-"], line);
    assert_eq!(said.code, 2, "{}", said.out);
    assert!(said.err.contains("no plane"), "{}", said.err);
}

#[test]
fn edges_read_well() {
    let line =
        "name: one\ncoordinates: [x]\nlagrangian: x'^2\nconstraints: {c: x^2 - 1}\nstart: {x: 1}\n";
    let said = holonom(&["atlas", "-"], line);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(
        said.out
            .contains("all of the constraint set in the box (certified)"),
        "{}",
        said.out
    );
    let free = "name: free\ncoordinates: [x, y]\nlagrangian: x'^2 + y'^2\n";
    let said = holonom(&["atlas", "-"], free);
    assert!(said.out.contains("No constraints"), "{}", said.out);
    let said = holonom(&["map", "-", "--size", "40x10"], free);
    assert!(said.out.contains("No constraints"), "{}", said.out);
    let empty = "name: none\ncoordinates: [x, y]\nlagrangian: x'^2 + y'^2\nconstraints: {c: x^2 + y^2 - 1}\nstart: {x: 1, y: 0}\n";
    let far = ["--box", "x=3:4,y=3:4"];
    for command in ["atlas", "map"] {
        let said = holonom(&[&[command, "-"], &far[..]].concat(), empty);
        assert_eq!(said.code, 0, "{}", said.err);
        assert!(said.out.contains("has no point in the box"), "{}", said.out);
    }
    // a time that is held
    let said = holonom(&["atlas", "rotating_rod", "--at", "t=0.5"], "");
    assert!(said.out.contains("t = 0.5"), "{}", said.out);
}

#[test]
fn planes_with_free_coordinates_have_their_pieces() {
    let text = "name: planes\ncoordinates: [x, y, z]\nlagrangian: (x'^2 + y'^2 + z'^2)/2\n\
                constraints: {c: x^2 = 2}\nstart: {x: 1.4142135623730951}\n";
    let value: serde_json::Value =
        serde_json::from_str(&holonom(&["atlas", "-", "--json"], text).out).unwrap();
    assert_eq!(value["complete"], true);
    assert_eq!(value["charts"][0]["pieces"].as_array().unwrap().len(), 2);
}
