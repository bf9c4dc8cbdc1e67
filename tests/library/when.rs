//! When something happens on a motion: against closed forms.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use holonom::analysis::{Model, Request};
use holonom::system::System;
use std::f64::consts::PI;
use std::sync::atomic::AtomicBool;

/// x = a cos t + b sin t
fn oscillator(a: f64, b: f64, until: f64) -> Model {
    let text = format!(
        "coordinates: [x]\nlagrangian: x'^2/2 - x^2/2\nstart: {{x: {a}, x': {b}}}\nrun: {{until: {until}, samples: 200}}\n"
    );
    Model::new(System::parse(&text, "when", &[]).unwrap())
}

fn times(model: &Model, text: &str) -> Vec<f64> {
    let condition = model.condition(text).unwrap();
    let go = AtomicBool::new(false);
    model.happens(&Request::default(), &condition, &go).unwrap()
}

fn assert_near(found: &[f64], wanted: &[f64]) {
    assert_eq!(found.len(), wanted.len(), "{found:?} {wanted:?}");
    for (a, b) in found.iter().zip(wanted) {
        assert!((a - b).abs() < 2e-9, "{found:?} {wanted:?}");
    }
}

#[test]
fn a_value_is_met_rising_and_falling() {
    let model = oscillator(1.0, 0.0, 10.0);
    let half = PI / 2.0;
    assert_near(&times(&model, "x = 0"), &[half, 3.0 * half, 5.0 * half]);
    assert_near(&times(&model, "x > 0"), &[3.0 * half]);
    assert_near(&times(&model, "x < 0"), &[half, 5.0 * half]);
    // an expression of both sides, and of the outputs
    assert_near(&times(&model, "x = x'"), &[0.75 * PI, 1.75 * PI, 2.75 * PI]);
    // backwards in the order of the motion, rising as t grows
    let back = oscillator(1.0, 0.0, -10.0);
    assert_near(&times(&back, "x > 0"), &[-half, -5.0 * half]);
    // where it starts it does not happen
    assert_near(&times(&oscillator(0.0, 1.0, 4.0), "x = 0"), &[PI]);
}

#[test]
fn a_value_that_is_touched_is_met_and_one_that_is_jumped_over_is_not() {
    let model = oscillator(1.0, 0.0, 10.0);
    for t in times(&model, "x^2 = 0") {
        assert!((t / (PI / 2.0) - (t / (PI / 2.0)).round()).abs() < 1e-5);
    }
    assert_eq!(times(&model, "x^2 = 0").len(), 3);
    assert!(times(&model, "x^2 = -0.001").is_empty());
    // twice between two samples
    let close = times(&model, "x = 0.9999");
    let off = 0.9999_f64.acos();
    assert_near(&close, &[off, 2.0 * PI - off, 2.0 * PI + off]);
    assert!(times(&model, "x/abs(x) = 0.5").is_empty());
    assert_eq!(times(&model, "x/abs(x) > 0.5").len(), 1);
}

#[test]
fn values_at_random_are_met_where_the_closed_form_has_them() {
    let mut seed = 7_u64;
    let mut random = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 11) as f64 / (1_u64 << 53) as f64
    };
    for _ in 0..40 {
        let (size, phase, value) = (
            0.2 + 2.0 * random(),
            2.0 * PI * random(),
            0.99 * (2.0 * random() - 1.0),
        );
        // x = size cos(t - phase) = size value
        let model = oscillator(size * phase.cos(), size * phase.sin(), 12.0);
        let own = value.acos();
        let mut wanted: Vec<f64> = (-3..4)
            .flat_map(|k| [own, -own].map(|a| a + phase + 2.0 * PI * f64::from(k)))
            .filter(|t| (1e-6..12.0).contains(t))
            .collect();
        wanted.sort_by(f64::total_cmp);
        assert_near(&times(&model, &format!("x = {}", size * value)), &wanted);
    }
}

#[test]
fn a_long_run_is_asked_between_close_samples() {
    // 800 time units and a thousand samples: eight a period
    let text =
        "coordinates: [x]\nlagrangian: x'^2/2 - x^2/2\nstart: {x: 0, x': 1}\nrun: {until: 800}\n";
    let model = Model::new(System::parse(text, "when", &[]).unwrap());
    // x + x' = sqrt(2) sin(t + pi/4) and x x' = sin(2 t)/2, twice a period and four times
    assert_eq!(times(&model, "x + x' = 1.41421").len(), 256);
    assert_eq!(times(&model, "x*x' = 0.499999").len(), 510);
}

#[test]
fn what_comes_before_a_motion_leaves_every_bound_is_seen() {
    // x'^2/2 = 1/2 + 10/3*(x^3 - 1/1000): x = 0.2 after the integral of 1/x' from 0.1, by Simpson's rule
    let text = "coordinates: [x]\nlagrangian: x'^2/2\nforces: {x: 10*x^2}\nstart: {x: 0.1, x': 1}\nrun: {until: 10, samples: 4}\n";
    let model = Model::new(System::parse(text, "when", &[]).unwrap());
    let slow = |x: f64| (1.0 + 20.0 / 3.0 * (x * x * x - 1e-3)).sqrt().recip();
    let exact = (slow(0.1) + 4.0 * slow(0.15) + slow(0.2)) / 60.0;
    let found = times(&model, "x = 0.2");
    assert!(
        found.len() == 1 && (found[0] - exact).abs() < 1e-6,
        "{found:?} {exact}"
    );
}

#[test]
fn what_happens_early_is_found_in_a_motion_that_goes_far() {
    let model = |text: &str| Model::new(System::parse(text, "far", &[]).unwrap());
    // x = cosh(10 t), to 1e21
    let text =
        "coordinates: [x]\nlagrangian: x'^2/2 + 50*x^2\nstart: {x: 1, x': 0}\nrun: {until: 5}\n";
    let early = 2.0_f64.acosh() / 10.0;
    for condition in ["x = 2", "x > 2", "(x - 2)^2 = 0"] {
        let found = times(&model(text), condition);
        assert!(
            found.len() == 1 && (found[0] - early).abs() < 1e-8,
            "{condition}: {found:?}"
        );
    }
    // x = cosh(10 t - 3) is never below 1
    let text = "coordinates: [x]\nlagrangian: x'^2/2 + 50*x^2\nstart: {x: cosh(3), x': -10*sinh(3)}\nrun: {until: 5}\n";
    for condition in ["x = 0", "x = 0.9", "x < 0.9"] {
        assert!(times(&model(text), condition).is_empty(), "{condition}");
    }
    // a ball is thrown, and falls for very long
    let text = "coordinates: [x]\nlagrangian: x'^2/2 - 9.81*x\nstart: {x: 0, x': 100}\nrun: {until: 1e6}\n";
    assert_near(&times(&model(text), "x = 0"), &[200.0 / 9.81]);
}

#[test]
fn facts_know_every_instant() {
    let text = "coordinates: [x]\nlagrangian: x'^2/2 - 2*x^2\nstart: {x: 1, x': 0}\nrun: {until: 10}\nexpect:\n\
        \x20 - {fact: touched, value: t, is: pi/2, when: x = -1}\n\
        \x20 - {fact: again, value: t, is: pi, when: x = 1}\n\
        \x20 - {fact: later, value: t, is: 5, when: (x + 1)*(t - 5) = 0}\n";
    let model = Model::new(System::parse(text, "facts", &[]).unwrap());
    let found = model.verify(&AtomicBool::new(false)).unwrap();
    let holds: Vec<bool> = found.iter().map(|finding| finding.holds).collect();
    assert_eq!(holds, [true, true, false]);
}

#[test]
fn names_of_definitions_are_columns() {
    let text = "coordinates: [x]\ndefine: {T: \"x'^2/2\", V: x^2/2}\nlagrangian: T - V\nstart: {x: 1, x': 0}\n\
        plots: [{y: [T, V]}]\nrun: {until: 3}\n";
    let model = Model::new(System::parse(text, "names", &[]).unwrap());
    assert_near(&times(&model, "T = V"), &[PI / 4.0, 0.75 * PI]);
    assert!(model.all_columns().contains(&"T".to_owned()));
    assert_eq!(model.file_plots()[0].y, ["T", "V"]);
    assert!(model.read_level("V").is_ok() && model.read_level("T").is_err());
}
