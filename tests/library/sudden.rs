//! What changes suddenly with time: nothing that is told between samples, integrated over them or kept by constraints goes over it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use holonom::analysis::{ColumnReduction, Model, Request, VaryError, VaryRequest};
use holonom::solver::{Jump, Method, SolverError};
use holonom::system::System;
use std::sync::atomic::AtomicBool;

fn model(text: &str) -> Model {
    Model::new(System::parse(text, "test", &[]).unwrap())
}

fn request(samples: usize) -> Request {
    Request {
        samples: Some(samples),
        ..Request::default()
    }
}

/// x'' = -1 and, from 1.1951 to 1.1954, 9999: x' falls from 2 to 0.8049, rises to 3.8046 and falls again.
const PULSE: &str = "coordinates: [x]\nlagrangian: x'^2/2 - x\n\
    forces: {x: \"5000*(sign(t - 1.1951) - sign(t - 1.1954))\"}\nstart: {x: 0, x': 2}\nrun: {until: 4}\n";

#[test]
fn what_is_told_of_a_motion_with_a_pulse_is_that_of_the_motion_whatever_its_samples() {
    let model = model(PULSE);
    let rise = 1.1951 + (3.0 - 0.8049) / 9999.0;
    for (text, known) in [
        ("max(x')", 3.8046),
        ("min(x')", 0.8049),
        ("max(x'')", 9999.0),
        ("count(x'=0.5)", 0.0),
        ("count(x'=3)", 2.0),
        ("when(x'=3, t)", rise),
        ("mean(x'')", -0.25),
    ] {
        for samples in [7, 20, 1000] {
            let request = request(samples);
            let motion = model.simulate_closely(&request, &AtomicBool::new(false));
            let reduction = ColumnReduction::read(&model, text).unwrap();
            let found = reduction.of(&model, &motion.unwrap(), &request);
            assert!((found - known).abs() < 1e-6, "{text}, {samples}: {found}");
        }
    }
}

#[test]
fn integrals_of_a_motion_with_a_pulse_are_right_at_each_sample() {
    let columns = ["t", "action", "balance"].map(str::to_owned);
    for (potential, exact) in [
        ("-2*x*(1 + sign(t - 2.0037))", None),
        ("x*40*exp(-((t - 2.0037)/1e-3)^2)", None),
        // x = t - t^2/4: the integral of (1 - t/2)^2/2 - x/2
        ("x*1/2", Some(-0.75)),
    ] {
        let text = format!(
            "coordinates: [x]\nkinetic: x'^2/2\npotential: {potential}\nstart: {{x: 0, x': 1}}\nrun: {{until: 3}}\n"
        );
        let model = model(&text);
        let told = |samples: usize| {
            let run = model.run(&request(samples), Some(&columns), &AtomicBool::new(false));
            let mut run = run.unwrap();
            run.thin();
            assert_eq!(run.table.rows.len(), samples + 1, "{potential}");
            run.table.rows
        };
        let (few, many) = (told(12), told(6000));
        for (i, row) in few.iter().enumerate() {
            let other = &many[500 * i];
            assert!(
                (row[1] - other[1]).abs() < 1e-6,
                "{potential}: {row:?} {other:?}"
            );
            assert!(row[2].abs() < 1e-5, "{potential}: {row:?}");
        }
        if let Some(exact) = exact {
            assert!((few[12][1] - exact).abs() < 1e-9, "{potential}");
        }
    }
}

#[test]
fn a_motion_is_stationary_under_forces_that_jump_or_pulse() {
    for potential in [
        "x^2/2 + x*10*sign(t - 2.0037)",
        "x^2/2 + x*4000*exp(-((t - 2.0037)/1e-4)^2)",
    ] {
        let text = format!(
            "coordinates: [x]\nkinetic: x'^2/2\npotential: {potential}\nstart: {{x: 0, x': 1}}\nrun: {{until: 3}}\n"
        );
        let found = model(&text).vary(&VaryRequest::default(), &AtomicBool::new(false));
        let found = found.unwrap();
        assert!(found.is_stationary(), "{potential}: {}", found.slope);
        assert!(found.slope.abs() < 1e-4, "{potential}: {}", found.slope);
    }
}

#[test]
fn a_constraint_that_jumps_there_and_back_within_a_step_ends_the_motion_at_its_first_jump() {
    let pulse = "(sign(t - 1.0305) - sign(t - 1.0375))";
    let coordinates = "coordinates: [x, y]\nlagrangian: (x'^2 + y'^2)/2\n";
    for (constraint, start, jump) in [
        (
            format!("constraints: {{wire: \"y - x - {pulse}\"}}"),
            "{x: 0, x': 1}",
            Jump::Value,
        ),
        (
            format!("constraints: {{wire: \"y - x*(1 + {pulse})\"}}"),
            "{x: 0, x': 1}",
            Jump::Value,
        ),
        (
            "constraints: {wire: \"y - x - abs(t - 1.0305) + abs(t - 1.0375)\"}".to_owned(),
            "{x: 0, x': 1}",
            Jump::Gradient,
        ),
        (
            format!("velocity_constraints: {{belt: \"y' - x' - 100*{pulse}\"}}"),
            "{x: 0, y: 0, x': 1}",
            Jump::Gradient,
        ),
        (
            format!("velocity_constraints: {{belt: \"y' - (2 + {pulse})*x'\"}}"),
            "{x: 0, y: 0, x': 1}",
            Jump::Gradient,
        ),
    ] {
        let model = model(&format!("{coordinates}{constraint}\nstart: {start}\n"));
        for method in holonom::solver::Method::ALL {
            let request = Request {
                method: Some(method),
                ..request(10)
            };
            let motion = model.simulate(&request, &AtomicBool::new(false)).unwrap();
            assert!(
                matches!(&motion.because, Some(SolverError::Kink { of, t, .. })
                    if *of == jump && (t - 1.0305).abs() < 1e-9),
                "{constraint}, {method}: {:?}",
                motion.because
            );
        }
    }
}

#[test]
fn over_what_jumps_and_lets_the_state_be_the_motion_goes_on() {
    // a belt that changes under a body at rest, and a force
    for text in [
        "coordinates: [x, y]\nlagrangian: (x'^2 + y'^2)/2 + x*sign(t - 1)\nconstraints: {wire: y - x/2}\nstart: {x: 0, x': 0}\n",
        "coordinates: [x, y]\nlagrangian: (x'^2 + y'^2)/2\nvelocity_constraints: {belt: \"y' - (2 + sign(t - 1))*x'\"}\nstart: {x: 0, y: 0, x': 0}\n",
    ] {
        let model = model(text);
        let motion = model.simulate(&request(10), &AtomicBool::new(false));
        let motion = motion.unwrap();
        assert!(motion.finished, "{text}: {:?}", motion.because);
        assert!(motion.samples.iter().all(|s| s.residual < 1e-8));
    }
}

#[test]
fn where_momenta_jump_with_time_no_motion_goes_on() {
    for (lagrangian, goes_on) in [
        ("(2 + sign(t - 3.01))*x'^2/2", false),
        ("x'^2/2 + x'*sign(t - 3.01)", false),
        ("(2 + tanh((t - 3.01)/1e-4))*x'^2/2", true),
        ("x'^2/2 + x*sign(t - 3.01)", true),
        ("x'^2/2*(1 + abs(t - 3.01))", true),
    ] {
        let text = format!(
            "coordinates: [x]\nlagrangian: \"{lagrangian}\"\nstart: {{x: 0, x': 0.3}}\nrun: {{until: 5}}\n"
        );
        let motion = model(&text).simulate(&request(10), &AtomicBool::new(false));
        let because = motion.unwrap().because;
        let stopped =
            matches!(because, Some(SolverError::MomentumJump { t }) if (t - 3.01).abs() < 1e-12);
        assert_eq!(stopped, !goes_on, "{lagrangian}: {because:?}");
        assert_eq!(because.is_none(), goes_on, "{lagrangian}: {because:?}");
    }
}

#[test]
fn of_kinks_no_curvature_of_the_action_is_given_and_of_steps_no_slope() {
    let vary = |potential: &str| {
        let text = format!(
            "coordinates: [x, y]\nkinetic: (x'^2 + y'^2)/2\npotential: {potential}\nstart: {{x: -0.3, x': 1, y: 0, y': 0.2}}\nrun: {{until: 1}}\n"
        );
        model(&text).vary(&VaryRequest::default(), &AtomicBool::new(false))
    };
    assert!(vary("abs(x)").unwrap().curvature.is_nan());
    assert!(vary("x^2").unwrap().curvature.is_finite());
    assert!(vary("abs(t - 0.5)*x").unwrap().curvature.is_finite());
    assert!(matches!(vary("y*sign(x)/100"), Err(VaryError::Steps)));
}

/// The motions of a system, by each method: where L makes them stop.
fn walls(text: &str) -> Vec<Option<f64>> {
    let model = model(text);
    let ended = |method| {
        let request = Request {
            method: Some(method),
            ..Request::default()
        };
        let motion = model.simulate(&request, &AtomicBool::new(false)).unwrap();
        match &motion.because {
            Some(SolverError::LagrangianJump { t }) => {
                let last = motion.samples.last().unwrap();
                assert_eq!(last.t, *t, "{text} {method}");
                Some(*t)
            }
            other => {
                assert!(other.is_none(), "{text} {method}: {other:?}");
                None
            }
        }
    };
    Method::ALL.into_iter().map(ended).collect()
}

#[test]
fn a_motion_ends_where_the_lagrangian_jumps_so_that_it_would_have_to_be_reflected() {
    let free =
        "coordinates: [x, y]\nstart: {x: -1, x': 3, y: 0, y': 1}\nrun: {until: 2, samples: 7}\n";
    // high and low steps, with damping and without, masses, fields; at x = 0, where they are on either side of what t moves
    let third = |t: f64| (t - 1.0 / 3.0).abs() < 1e-9;
    for l in [
        "(x'^2 + y'^2)/2 - 3*sign(x)",
        "(x'^2 + y'^2)/2 + 0.01*sign(x)",
        "(x'^2 + y'^2)/2 - 1000 - 0.01*x/abs(x)",
        "(x'^2 + y'^2)/2 + sign(x)*sin(t)",
        "(x'^2 + y'^2)*(1 + sign(x)/2)/2",
        "(x'^2 + y'^2)/2 + sign(x)*y'",
        "(x'^2 + y'^2)/2 + sign(x)*(x' + y')",
        "(x'^2 + y'^2)/2 - sign(x) + sign(x - 0.001)",
    ] {
        let found = walls(&format!("{free}lagrangian: {l}\n"));
        assert!(found.iter().all(|t| t.is_some_and(third)), "{l}: {found:?}");
    }
    let damped = walls(&format!(
        "{free}lagrangian: (x'^2 + y'^2)/2 - sign(x)\nforces: {{x: -0.1*x'}}\n"
    ));
    let when = -(1.0_f64 - 0.1 / 3.0).ln() / 0.1;
    let at = |t: f64| (t - when).abs() < 1e-7;
    assert!(
        damped.iter().all(|t| t.is_some_and(at)),
        "{damped:?} {when}"
    );
    // what jumps without an exchange, or is nowhere met: a total derivative, a bend, a cut on the other side, a wall beside the way
    for l in [
        "(x'^2 + y'^2)/2 + sign(x)*x'",
        "(x'^2 + y'^2)/2 + sign(x - sin(t))*(x' - cos(t))",
        "(x'^2 + y'^2)/2 - x*sign(x)",
        "(x'^2 + y'^2)/2 - x^2*sign(x)",
        "(x'^2 + y'^2)/2 - 0.1*atan2(y, x + 3)",
        "(x'^2 + y'^2)/2 - sign(y + 0.1)",
    ] {
        let found = walls(&format!("{free}lagrangian: {l}\n"));
        assert!(found.iter().all(Option::is_none), "{l}: {found:?}");
    }
    // the reaction takes what the momenta change by: along y = 2 x it is a total derivative too
    let led = "coordinates: [x, y]\nstart: {x: -1, x': 3}\nrun: {until: 2}\nlagrangian: (x'^2 + y'^2)/2 + sign(x)*y'\nconstraints: {c: y - 2*x = 0}\n";
    assert!(walls(led).iter().all(Option::is_none));
    let held = led.replace("y - 2*x", "x - 3*t + 1");
    let held = format!("{held}guess: {{x: -1}}\n").replace("x: -1, x': 3", "y: 0");
    assert!(walls(&held).iter().all(|t| t.is_some_and(third)));
    // a prescribed motion of the mass goes over any step of the potential
    let carried = held.replace("sign(x)*y'", "sign(x)");
    assert!(walls(&carried).iter().all(Option::is_none));
}

#[test]
fn a_lagrangian_that_does_not_jump_where_it_is_written_with_a_step_ends_no_motion() {
    // momenta that are zero at the same place: a pendulum with a spring to one side of it
    for (potential, x) in [
        ("5*x^2*step(x)", -0.5),
        ("5*x^2*step(x)", -0.6),
        ("5*abs(x)^n", -0.7),
        ("5*x^n", -0.3),
    ] {
        let text = format!(
            "coordinates: [x, y]\nparameters: {{n: 2}}\nlagrangian: (x'^2 + y'^2)/2 - 9.81*y - {potential}\n\
             constraints: {{c: x^2 + y^2 = 1}}\nstart: {{x: {x}, x': 0}}\nguess: {{y: -1}}\nrun: {{until: 5, samples: 7}}\n"
        );
        assert_eq!(walls(&text), [None; 3], "{text}");
    }
    // constraints that hold a coordinate where L jumps with it
    let held = "coordinates: [x, y, z]\nlagrangian: (x'^2 + y'^2 + z'^2)/2 - 3*sign(x) - z\n\
         constraints: {c: x*cos(0.3) + (y - t)*sin(0.3) = 0, d: \"y - t + 0.1*(x*z) = 0\"}\nstart: {z: 0.4, z': 0.2}\nrun: {until: 2}\n";
    assert_eq!(walls(held), [None; 3]);
}

#[test]
fn the_first_wall_is_found_however_long_the_steps_are() {
    let near = |text: &str, when: f64| {
        for t in walls(text) {
            assert!(
                t.is_some_and(|t| (t - when).abs() < 1e-6),
                "{text}: {t:?} for {when}"
            );
        }
    };
    // one that moves back and forth within a step, and one that is left again within it
    near(
        "coordinates: [x]\nlagrangian: x'^2/2 - 3*sign(x - sin(5*t))\nstart: {x: -2, x': 1}\nrun: {until: 4, samples: 4}\n",
        1.904_154_22,
    );
    let disc = "coordinates: [x, y]\nlagrangian: \"(x'^2 + y'^2)/2 - 5*step(0.1^2 - x^2 - y^2)\"\n\
         start: {x: -1, x': 3, y: 0, y': 0}\nrun: {until: 2, samples: 7}\n";
    near(disc, 0.3);
    near(
        &format!("{disc}forces: {{x: -0.1*x', y: -0.1*y'}}\n"),
        -10.0 * (1.0_f64 - 0.03).ln(),
    );
    // slowly beside a fast motion along it; where it lies exactly at the end of a step
    near(
        "coordinates: [x, y]\nlagrangian: (x'^2 + y'^2)/2 - 1e-8*sign(x)\nstart: {x: -1e-4, x': 1e-4, y: 0, y': 1}\nrun: {until: 2}\n",
        1.0,
    );
    // in the passage of a flat parallelogram
    let flat = "coordinates: [a, b, c]\nlagrangian: (a'^2 + b'^2 + c'^2)/2 - 3*sign(a + AT)\n\
         constraints:\n  u: cos(a) + 1.5*cos(b) - cos(c) - 1.5\n  w: sin(a) + 1.5*sin(b) - sin(c)\n\
         forces: {a: -0.2*a'}\nstart: {a: -1, a': 2}\nguess: {b: 0, c: -1}\nrun: {until: 1.5, samples: 30}\n";
    // a = c: 2 a'' = -0.2 a'
    for at in [0.5, 0.001, -0.3] {
        let way: f64 = 1.0 - at;
        near(
            &flat.replace("AT", &format!("({at})")),
            -10.0 * (1.0 - way / 20.0).ln(),
        );
    }
}
