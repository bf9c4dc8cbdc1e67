//! When something happens on a motion, told the same way wherever it is asked for; times as they are written.

#![allow(clippy::unwrap_used, clippy::panic)]

use assert_cmd::Command;
use serde_json::Value;

fn said(words: &str, input: &str) -> (Option<i32>, String) {
    let mut program = Command::cargo_bin("holonom").unwrap();
    let words = words.split(' ');
    let output = program.args(words).write_stdin(input).output().unwrap();
    (
        output.status.code(),
        String::from_utf8(output.stdout).unwrap(),
    )
}

#[test]
fn a_plot_marks_where_something_happens() {
    let (_, table) = said("simulate pendulum --when x>0.5 --columns t --csv", "");
    let times: Vec<f64> = table.lines().skip(1).map(|t| t.parse().unwrap()).collect();
    let (code, plot) = said("plot pendulum --when x>0.5 --y F_rod --json", "");
    assert_eq!(code, Some(0));
    let plot: Value = serde_json::from_str(&plot).unwrap();
    let marks = plot["plots"][0]["marks"].as_array().unwrap().iter();
    let marks = marks.filter(|mark| mark["label"] == "x>0.5");
    let marks: Vec<f64> = marks.map(|mark| mark["x"].as_f64().unwrap()).collect();
    assert!(!times.is_empty());
    assert_eq!(marks, times);
    let (_, text) = said("plot pendulum --when x>0.5 --y F_rod --ascii", "");
    assert!(text.contains("x>0.5"), "{text}");
}

#[test]
fn an_expectation_holds_where_a_condition_begins() {
    let text = |when: &str, is: &str| {
        format!(
            "coordinates: [x]\nkinetic: x'^2/2\npotential: x^2/2\nstart: {{x: 0.5, x': 0}}\nrun: {{until: 9}}\n\
             expect:\n- {{fact: a cosine, value: t, is: {is}, when: {when}}}\n"
        )
    };
    // 0.5 cos(t) is above 0.25 at first, falls below it, and comes back
    for (when, is) in [
        ("x = 0.25", "pi/3"),
        ("x < 0.25", "pi/3"),
        ("x > 0.25", "5*pi/3"),
    ] {
        let (code, out) = said("verify -", &text(when, is));
        assert_eq!(code, Some(0), "{when}: {out}");
    }
    let (code, _) = said("verify -", &text("x > 0.25", "pi/3"));
    assert_eq!(code, Some(1));
}

#[test]
fn times_are_written_as_they_are_meant() {
    for (words, digits) in [
        ("--until 10 --samples 1000", 4),
        ("--until 1.1 --samples 11", 3),
        ("--until -3 --samples 30", 4),
        ("--at t=-0.7 --until 0.7 --samples 14", 4),
    ] {
        let words = format!("simulate pendulum {words} --columns t --csv");
        let (_, table) = said(&words, "");
        assert!(table.lines().count() > 10);
        for t in table.lines().skip(1) {
            assert!(t.len() <= digits, "{words}: {t}");
        }
    }
    // no decimal number is meant here: the nearest double stays
    let (_, table) = said(
        "simulate pendulum --until 1 --samples 3 --columns t --csv",
        "",
    );
    assert_eq!(table, "t\n0\n0.3333333333333333\n0.6666666666666666\n1\n");
}

#[test]
fn one_wording_tells_how_often_the_theorem_fails() {
    let (_, one) = said("simulate pendulum --until 0.5", "");
    assert!(
        one.starts_with("DONE from t = 0 to 0.5; the theorem FAILS for y at 1 time: t = 0.344261"),
        "{one}"
    );
    let (_, two) = said("simulate pendulum --until 1.2", "");
    assert!(
        two.starts_with(
            "DONE from t = 0 to 1.2; the theorem FAILS for y at 2 times: t = 0.344261,"
        ),
        "{two}"
    );
    let (_, many) = said("simulate pendulum", "");
    assert!(many.contains(" times: t = 0.344261, 1.03278,"), "{many}");
}
