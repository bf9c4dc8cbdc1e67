//! Where motions are found to be stiff.

#![allow(clippy::unwrap_used, clippy::cast_precision_loss)]

use crate::quick::motion;
use holonom::analysis::Model;
use holonom::solver::{Method, Motion, Options, Stiff};
use holonom::system::System;

fn model(text: &str) -> Model {
    Model::new(System::parse(text, "stiff", &[]).unwrap())
}

fn run(model: &Model, options: &Options) -> Motion {
    motion(model, options, None).unwrap()
}

/// Far from the origin positions are rounded so that a stiff force makes noise of it, and two stages at one time agree to the
/// last digit: explicit steps would take millions.
#[test]
fn a_stiff_motion_far_from_the_origin_is_stiff() {
    let systems = [
        // a heavy point on a hard spring with a damper
        "coordinates: [x, y]
parameters: {k: 3e8, c: 2e4, g: 9.81}
kinetic: (x'^2 + y'^2)/2
potential: g*y + k*(sqrt((x - 100)^2 + y^2) - 1)^2/2
forces: {x: -c*x', y: -c*y'}
start: {x: 100.6, y: -0.8}
",
        // an angle that follows what goes far
        "coordinates: [X, th]
parameters: {k: 5e9, c: 2e3}
kinetic: (X'^2 + th'^2)/2
potential: k*(th - (X - 1e4)/1000)^2/2 + (X - 1e4)^2/2
forces: {th: -c*th'}
start: {X: 10001, th: 0.001}
",
        // a coordinate that is solved for from another
        "coordinates: [x, y]
parameters: {k: 1e4, c: 2e4}
kinetic: (x'^2 + y'^2)/2
potential: k*(x - 1e4)^2/2 + y
forces: {x: -c*x'}
constraints: {g: y - sin(x)}
dependent: [y]
guess: {x: 10000.01, y: 0}
",
    ];
    for text in systems {
        let model = model(text);
        for method in Method::ALL {
            let [own, always] = [Stiff::Auto, Stiff::Always].map(|stiff| {
                let options = Options {
                    until: 1.0,
                    samples: 1,
                    method,
                    stiff,
                    max_steps: 2000,
                    ..Options::default()
                };
                run(&model, &options)
            });
            assert_eq!((&own.because, own.stiff_from.is_some()), (&None, true));
            assert_eq!(always.because, None);
            let [a, b] = [own, always].map(|motion| motion.samples.last().unwrap().clone());
            for (a, b) in a.x.iter().zip(&b.x) {
                assert!(
                    (a - b).abs() < 1e-8 * b.abs().max(1.0),
                    "{method}: {a} {b}\n{text}"
                );
            }
        }
    }
}

/// A long chain pulled aside: its first link is near the origin and its last one far from there, and what that is rounded by is
/// no noise of the first one's forces.
#[test]
fn a_long_chain_is_not_stiff() {
    let text = crate::accuracy::chain(200);
    let (parts, _) = text.split_once("start").unwrap();
    let (sine, cosine) = 0.3_f64.sin_cos();
    let place = |i: usize| format!("x{i}: {}, y{i}: {}", i as f64 * sine, -(i as f64) * cosine);
    let places: Vec<String> = (1..=200).map(place).collect();
    let text = format!("{parts}guess: {{{}}}\n", places.join(", "));
    let model = Model::new(System::parse(&text, "chain", &[]).unwrap());
    for method in [Method::Inverse, Method::Multipliers] {
        let options = Options {
            until: 0.2,
            samples: 1,
            method,
            ..Options::default()
        };
        let motion = run(&model, &options);
        assert_eq!((motion.stiff_from, motion.finished), (None, true));
        assert!(motion.steps < 100, "{method}: {} steps", motion.steps);
    }
}
