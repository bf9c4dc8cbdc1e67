//! Wires that cross themselves: there the gradient vanishes and no choice of dependent coordinates works. A bead
//! goes straight on along its own branch; where no branch goes on (a cusp) the motion ends and says so.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use holonom::analysis::{Model, Request};
use holonom::solver::{FlagKind, Method, Motion, SolverError, Stiff};
use holonom::system::System;
use std::sync::atomic::AtomicBool;

/// A free unit mass on a wire through the origin, in every method and with both steppers.
fn each(wire: &str, start: &str, until: f64, look: impl Fn(&Motion, &str)) {
    let text = format!(
        "coordinates: [x, y]\nlagrangian: 1/2*(x'^2 + y'^2)\nconstraints: {{wire: {wire}}}\nstart: {{{start}}}\nrun: {{until: {until}}}\n"
    );
    let model = Model::new(System::parse(&text, "test", &[]).unwrap());
    for method in [Method::Inverse, Method::Multipliers, Method::Tangents] {
        for stiff in [Stiff::Never, Stiff::Always] {
            let request = Request {
                method: Some(method),
                stiff: Some(stiff),
                ..Request::default()
            };
            let motion = model.simulate(&request, &AtomicBool::new(false)).unwrap();
            look(&motion, &format!("{wire} {method} {stiff:?}"));
        }
    }
}

/// It went on to the end, past these instants, at constant speed and on the wire.
fn went_on(motion: &Motion, instants: &[f64], what: &str) {
    assert_eq!(motion.because, None, "{what}");
    let ranks: Vec<f64> = motion
        .flags
        .iter()
        .filter(|flag| flag.kind == FlagKind::Rank)
        .map(|flag| flag.t)
        .collect();
    assert_eq!(ranks.len(), instants.len(), "{what}: {ranks:?}");
    for (found, known) in ranks.iter().zip(instants) {
        assert!((found - known).abs() < 1e-6, "{what}: {ranks:?}");
    }
    for sample in &motion.samples {
        assert!(
            sample.residual < 1e-12,
            "{what}: {} at {}",
            sample.residual,
            sample.t
        );
    }
}

#[test]
fn straight_lines_that_cross_are_gone_along_without_a_turn() {
    // two lines, three lines, a line and a curve that touches it: the free motion on the line is exact
    for (wire, start, velocity) in [
        ("x*y", "x: 1, y: 0, x': -1, y': 0", [-1.0, 0.0]),
        ("x*y*(x - y)", "x: 1, y: 1, x': -1, y': -1", [-1.0, -1.0]),
        ("y*(y - x^3)", "x: 1, y: 0, x': -1, y': 0", [-1.0, 0.0]),
    ] {
        each(wire, start, 3.0, |motion, what| {
            went_on(motion, &[1.0], what);
            for sample in &motion.samples {
                for (x, v) in sample.x.iter().zip(&velocity) {
                    let begin = if *v == 0.0 { 0.0 } else { 1.0 };
                    let exact = begin + v * sample.t;
                    assert!(
                        (x - exact).abs() < 1e-7,
                        "{what}: {:?} at {}",
                        sample.x,
                        sample.t
                    );
                }
            }
        });
    }
}

#[test]
fn a_loop_is_gone_round_and_left_along_the_other_branch() {
    // y^2 = x^2 (x + 1): x = s^2 - 1, y = s (s^2 - 1) goes on through both crossings, s = 1 and s = -1
    each(
        "y^2 - x^2*(x + 1)",
        "x: 1, y: 1.4142135623730951, x': -1",
        6.0,
        |motion, what| {
            assert_eq!(motion.because, None, "{what}");
            let mut s = 2.0_f64.sqrt();
            for sample in &motion.samples {
                // the parameter goes down all the way
                let now = if sample.x[0].abs() > 1e-3 {
                    sample.x[1] / sample.x[0]
                } else {
                    continue;
                };
                assert!(now < s + 1e-9, "{what}: {now} after {s} at {}", sample.t);
                s = now;
            }
            assert!(s < -1.2, "{what}: {s}");
        },
    );
}

#[test]
fn at_a_cusp_nothing_goes_on() {
    // y^2 = x^3 comes to the origin and has no smooth continuation
    each("y^2 - x^3", "x: 1, y: 1, x': -1", 3.0, |motion, what| {
        let Some(SolverError::RankLost { t, .. }) = &motion.because else {
            panic!("{what}: {:?}", motion.because);
        };
        // arc length (13^(3/2) - 8)/27 at the speed sqrt(1 + 9/4)
        let known = (13.0_f64.powf(1.5) - 8.0) / 27.0 / 3.25_f64.sqrt();
        assert!((t - known).abs() < 1e-5, "{what}: {t} for {known}");
        assert_eq!(motion.flags.last().unwrap().kind, FlagKind::Rank);
        assert!(
            motion
                .because
                .as_ref()
                .unwrap()
                .to_string()
                .contains("no smooth way on")
        );
        assert!(motion.samples.iter().all(|sample| sample.t <= known + 1e-9));
    });
}
