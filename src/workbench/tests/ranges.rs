//! The view Range: a parameter over a range.

use super::called_off::Real;
use super::*;
use crate::plot::Charset;
use crate::workbench::range::{chosen, figure, known, working};
use crate::workbench::worker::Found;
use insta::assert_snapshot;

const SIZE: (u16, u16) = (80, 24);

/// The bead on a rotating hoop, in the angle: it leaves the bottom where w^2 = g/R = 1.
pub const HOOP: &str = "\
name: Hoop
coordinates: [q, p]
parameters: {w: 2, g: 1}
lagrangian: 1/2*(q'^2 + p'^2 - p^2 + w^2*sin(q)^2) + g*cos(q)
start: {q: 1}
run: {until: 0.5, samples: 10}
";

fn pitchfork(bench: &Bench) -> f64 {
    let place = figure(&bench.state).unwrap().places.iter();
    let mut place = place.filter(|place| place.label.as_deref() == Some("pitchfork"));
    place.next().unwrap().at[0]
}

#[test]
fn a_bifurcation_diagram_at_80_by_24_and_larger() {
    let mut bench = Bench::paused(HOOP, SIZE, 0.0);
    bench.keys("J");
    assert_snapshot!("range", bench.screen());
    assert!((pitchfork(&bench) - 1.0).abs() < 1e-9);
    bench.keys("N");
    assert_eq!(chosen(&bench.state).unwrap().1, "pitchfork");
    bench.send(Event::Resize(120, 40));
    assert_snapshot!("range_large", bench.screen());
    bench.send(Event::Resize(40, 12));
    bench.state.theme = Theme {
        scheme: Scheme::Mono,
        charset: Charset::Ascii,
    };
    assert_snapshot!("range_small", bench.screen());
}

#[test]
fn enter_on_a_point_sets_the_parameter_there() {
    let mut bench = Bench::paused(HOOP, SIZE, 0.0);
    bench.keys("p J right right");
    let (at, _) = chosen(&bench.state).unwrap();
    assert!(at[0] > 2.0 && at[0] < 2.3, "{at:?}");
    bench.keys("enter");
    assert!(bench.state.dialog.is_none());
    let set: f64 = bench.state.changes.set[0].1.parse().unwrap();
    assert_eq!((bench.state.changes.set[0].0.as_str(), set), ("w", at[0]));
    let analysis = bench.state.analysis.as_ref().unwrap();
    assert_eq!(analysis.model().system.parameters[0].value, at[0]);
    // it is still known, whatever the value of the parameter is
    bench.answering = false;
    bench.keys("J");
    assert!(known(&bench.state).is_some() && working(&bench.state).is_none());
}

#[test]
fn enter_before_a_point_is_chosen_changes_nothing() {
    let mut bench = Bench::paused(HOOP, SIZE, 0.0);
    bench.keys("J");
    // on the line, between two of its points
    assert_eq!(chosen(&bench.state).unwrap().0[0], 2.0);
    assert!(bench.screen().contains("w = 2, "));
    bench.keys("enter");
    assert!(bench.state.dialog.is_none() && bench.state.changes.set.is_empty());
}

#[test]
fn a_range_where_nothing_is_to_be_drawn_says_why() {
    // it turns
    let turning = "{coordinates: [q], parameters: {a: 5}, lagrangian: q'^2/2 + cos(q), start: {q: 0, q': a}, run: {until: 20}}";
    let mut bench = Bench::paused(turning, SIZE, 0.0);
    bench.keys("J e");
    bench.clear_line();
    bench.write("a=4:5 period(q)");
    bench.keys("enter");
    let screen = bench.screen();
    assert!(
        screen.contains("period(q) has no value in these motions"),
        "{screen}"
    );
    assert!(
        screen.contains("that of its") && !screen.contains('┤'),
        "{screen}"
    );
    // everywhere in equilibrium
    let free = "{coordinates: [q, p], parameters: {a: 1}, lagrangian: q'^2/2 + p'^2/2 - a*q^2}";
    let mut bench = Bench::paused(free, SIZE, 0.0);
    bench.keys("J");
    let screen = bench.screen();
    assert!(screen.contains("not followed: families"), "{screen}");
    assert!(!screen.contains('┤'), "{screen}");
    // nowhere
    let falling = "{coordinates: [q], parameters: {a: 1}, lagrangian: q'^2/2 - a*q}";
    let mut bench = Bench::paused(falling, SIZE, 0.0);
    bench.keys("J");
    let screen = bench.screen();
    assert!(screen.contains("no equilibrium was found"), "{screen}");
}

#[test]
fn a_range_is_asked_for_again_after_the_worker_dropped_it() {
    let mut bench = Bench::paused(HOOP, SIZE, 0.0);
    bench.answering = false;
    bench.keys("J");
    assert!(working(&bench.state).is_some());
    // the same text is analysed anew, and what the worker was asked is dropped
    bench.answering = true;
    bench.send(Event::Disk {
        path: "mine.yaml".into(),
        text: Ok(None),
    });
    assert!(known(&bench.state).is_some() && working(&bench.state).is_none());
}

#[test]
fn a_range_that_is_known_is_not_waited_for_behind_another() {
    let mut bench = Bench::paused(HOOP, SIZE, 0.0);
    bench.keys("J");
    bench.answering = false;
    bench.keys("f");
    assert!(working(&bench.state).is_some());
    bench.keys("f f f f f f");
    assert!(known(&bench.state).is_some() && working(&bench.state).is_none());
    assert!(matches!(bench.withdrawn[..], [Question::Range(_)]));
}

#[test]
fn the_points_above_and_below_are_those_of_other_branches() {
    let mut bench = Bench::paused(HOOP, SIZE, 0.0);
    bench.keys("J");
    let mut seen = Vec::new();
    for _ in 0..6 {
        bench.keys("down");
    }
    for _ in 0..6 {
        let (at, what) = chosen(&bench.state).unwrap();
        assert!((at[0] - 2.0).abs() < 0.1, "{at:?}");
        let what = what.to_owned();
        seen.push(what);
        bench.keys("up");
    }
    assert!(seen.windows(2).any(|two| two[0] != two[1]), "{seen:?}");
}

#[test]
fn a_number_of_each_motion_over_a_range_that_is_typed() {
    let text = "{coordinates: [q], parameters: {a: 1}, lagrangian: q'^2/2 + cos(q), start: {q: a}, run: {until: 20}}";
    let mut bench = Bench::paused(text, SIZE, 0.0);
    bench.keys("J e");
    bench.clear_line();
    bench.write("a=pi/2:2 period(q)");
    bench.keys("enter");
    let points = &figure(&bench.state).unwrap().series[0].points;
    assert_eq!(points.len(), 129);
    // 4 K(sin^2(pi/4))
    let [a, period] = points[0];
    assert!((a - std::f64::consts::FRAC_PI_2).abs() < 1e-15);
    assert!((period - 7.416_298_709_205_487).abs() < 1e-8, "{period}");
    assert!(points.windows(2).all(|two| two[0][1] < two[1][1]));
    assert_snapshot!("range_period", bench.screen());
    bench.keys("e");
    bench.clear_line();
    bench.write("a=1:2 nothing(q)");
    bench.keys("enter");
    let screen = bench.screen();
    assert!(screen.contains("wanted min(X)"), "{screen}");
    let wanted = "NAME=FROM:TO, behind it equilibria, failures, or a number";
    for (wrong, said) in [
        ("b=1:2", "`b` is not a parameter; available: a"),
        ("a=2:1", "`2:1`: "),
        ("a=1:2:3", wanted),
        ("a", wanted),
        ("period(q)", wanted),
        ("a=1:z", "`z`: "),
    ] {
        bench.keys("e");
        bench.clear_line();
        bench.write(wrong);
        bench.keys("enter");
        let notice = bench.state.notice.as_ref().unwrap();
        assert!(
            notice.wrong && notice.text.contains(said),
            "{wrong}: {}",
            notice.text
        );
        assert!(!notice.text.contains("--over"), "{}", notice.text);
        bench.keys("esc");
    }
}

#[test]
fn what_is_found_over_a_range_is_written_as_the_commands_write_it() {
    let mut bench = Bench::paused(HOOP, SIZE, 0.0);
    let mut written = |keys: &str, name: &str| {
        bench.keys(keys);
        bench.keys("E");
        assert!(bench.screen().contains("-over-w.csv"));
        bench.clear_line();
        bench.write(name);
        bench.keys("enter");
        assert!(matches!(
            bench.state.dialog,
            Some(crate::workbench::dialog::Dialog::Range(_))
        ));
        bench.disk[std::path::Path::new(name)].clone()
    };
    let csv = written("J", "hoop.csv");
    assert!(csv.starts_with("branch,w,"), "{}", &csv[..80]);
    let json: serde_json::Value = serde_json::from_str(&written("", "hoop.json")).unwrap();
    assert!(!json["branches"].as_array().unwrap().is_empty());
    assert!(written("", "hoop.svg").starts_with("<svg"));
    let csv = written("f f", "period.csv");
    let mut lines = csv.lines();
    let head = "w,exit,verdict,failures,failure_times,period(q),reason";
    assert_eq!(lines.next(), Some(head));
    assert_eq!(lines.count(), 129);
    let json: serde_json::Value = serde_json::from_str(&written("", "period.json")).unwrap();
    assert_eq!(json.as_array().unwrap().len(), 129);
}

#[test]
fn failures_over_a_range_and_what_has_no_motion() {
    let mut bench = Bench::paused("pendulum", SIZE, 0.0);
    bench.keys("J e");
    bench.clear_line();
    bench.write("l=-1:1 failures");
    bench.keys("enter");
    let screen = bench.screen();
    assert!(screen.contains("did not finish"), "{screen}");
    assert!(!figure(&bench.state).unwrap().series[0].points.is_empty());
}

#[test]
fn it_fills_in_and_is_called_off_and_left() {
    let text = "{coordinates: [q], parameters: {g: 1}, lagrangian: q'^2/2 + g*cos(q), start: {q: 1}, run: {until: 2000}}";
    let mut real = Real::new(text);
    real.keys("J f f");
    real.at(|at| matches!(at, Question::Range(_)));
    // the first that is heard of it is a part; before that there may be answers to what was asked on the way
    while known(&real.bench.state).is_none() {
        real.hear();
    }
    let screen = real.bench.screen();
    assert!(known(&real.bench.state).unwrap().underway, "{screen}");
    assert!(
        screen.contains("working") && screen.contains("of 129 runs"),
        "{screen}"
    );
    real.keys("esc");
    let screen = real.bench.screen();
    assert!(
        screen.contains("cancelled after ") && screen.contains("Range: g"),
        "{screen}"
    );
    // what is asked for next is not kept waiting
    real.keys("f");
    assert!(known(&real.bench.state).is_none());
    real.keys("esc esc W");
    assert!(real.bench.state.dialog.is_none());
    while real.bench.state.report.written().is_none() {
        real.hear();
    }
}

#[test]
fn what_belongs_to_another_text_is_dropped() {
    let mut bench = Bench::paused(HOOP, SIZE, 0.0);
    bench.answering = false;
    bench.keys("J");
    assert!(bench.screen().contains("working"));
    let old = bench.state.asked.clone().unwrap();
    bench.answering = true;
    bench.keys("esc");
    assert!(matches!(bench.withdrawn[..], [Question::Range(_)]));
    bench.keys("esc e ctrl-end backspace esc J");
    let before = known(&bench.state).unwrap().clone();
    // as it would come late
    let wanted = bench.state.ranges.wanted_of(&old);
    let answer = Box::new(crate::workbench::range::RangeAnswer::none(String::new()));
    bench.send(Event::Replied(Found::Range(wanted, answer)));
    assert!(Rc::ptr_eq(&before, known(&bench.state).unwrap()));
}
