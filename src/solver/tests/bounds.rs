//! Runs that end early, and say why.

use std::sync::atomic::AtomicBool;

use super::systems::*;
use super::*;

#[test]
fn no_time_is_one_row() {
    let motion = Case::new(pendulum(), Some(&[0])).run(
        &[1.0, 0.0],
        &[0.0, 0.0],
        &options(0.0, Method::Inverse, 1e-9),
    );
    assert!(motion.finished);
    assert_eq!(motion.samples.len(), 1);
    assert_eq!(motion.steps, 0);
}

#[test]
fn cancelled_before_the_first_step() {
    let case = Case::new(pendulum(), Some(&[0]));
    let start = Start {
        t: 0.0,
        x: vec![1.0, 0.0],
        v: vec![0.0; 2],
        correction: vec![0.0; 2],
        notes: vec![],
        rough: None,
    };
    let motion = simulate(
        &case.problem(),
        &start,
        &Options::default(),
        &AtomicBool::new(true),
    );
    assert_eq!(motion.because, Some(SolverError::Cancelled { t: 0.0 }));
    assert_eq!(motion.samples.len(), 1);
}

#[test]
fn too_many_steps() {
    let case = Case::new(pendulum(), Some(&[0]));
    let options = Options {
        max_steps: 20,
        ..Options::default()
    };
    let motion = case.run(&[1.0, 0.0], &[0.0, 0.0], &options);
    assert!(matches!(motion.because, Some(SolverError::TooManySteps { steps: 20, t }) if t > 0.0));
    assert!(motion.samples.len() > 2);
}

#[test]
fn a_singularity_of_the_motion_ends_it_with_the_time() {
    // from rest at 1: the centre is reached at pi / (2 sqrt 2)
    let case = Case::new(falling_into_a_centre(), None);
    for (method, stiff) in each() {
        let motion = case.run(&[1.0], &[0.0], &with(stiff, options(3.0, method, 1e-9)));
        let t = match motion.because {
            Some(SolverError::StepCollapsed { t, .. } | SolverError::NotFinite { t, .. }) => t,
            other => panic!("{method} {stiff:?}: {other:?}"),
        };
        assert!(
            (t - std::f64::consts::PI / 8.0_f64.sqrt()).abs() < 1e-6,
            "{method} {stiff:?}: {t}"
        );
        assert_eq!(motion.samples.len(), 4);
    }
}

#[test]
fn a_motion_that_runs_to_infinity_is_told_as_such() {
    for (method, stiff) in each() {
        let case = Case::new(running_away(), None);
        let motion = case.run(&[1.0], &[2.0], &with(stiff, options(3.0, method, 1e-9)));
        println!(
            "{method} {stiff:?}: {} {} {}",
            motion.steps, motion.rejected, motion.evaluations
        );
        match &motion.because {
            Some(SolverError::Unbounded { t, what }) => {
                assert!((t - 1.0).abs() < 1e-7, "{method} {stiff:?}: {t}");
                assert_eq!(what.name, "x1");
            }
            other => panic!("{method} {stiff:?}: {other:?}"),
        }
        assert_eq!(motion.samples.len(), 4);
        let case = Case::new(running_away_on_a_wire(), Some(&[1]));
        let motion = case.run(
            &[1.0, 1.0],
            &[0.0; 2],
            &with(stiff, options(30.0, method, 1e-9)),
        );
        println!(
            "wire {method} {stiff:?}: {} {} {}",
            motion.steps, motion.rejected, motion.evaluations
        );
        assert!(
            matches!(&motion.because, Some(SolverError::Unbounded { t, .. }) if *t > 0.5 && *t < 10.0),
            "{method} {stiff:?}: {:?}",
            motion.because
        );
        let case = Case::new(growing(), None);
        let motion = case.run(&[1.0], &[1.0], &with(stiff, options(2000.0, method, 1e-6)));
        println!(
            "grow {method} {stiff:?}: {} {} {}",
            motion.steps, motion.rejected, motion.evaluations
        );
        assert!(
            matches!(&motion.because, Some(SolverError::Unbounded { t, .. }) if *t > 200.0),
            "{method} {stiff:?}: {:?}",
            motion.because
        );
    }
}

#[test]
fn the_edge_of_a_domain_ends_it_with_the_time() {
    let case = Case::new(edge_of_a_domain(), None);
    let motion = case.run(&[1.0], &[0.0], &options(3.0, Method::Multipliers, 1e-9));
    assert!(
        matches!(motion.because, Some(SolverError::NotFinite { t, .. }) if t > 1.0 && t < 1.2),
        "{:?}",
        motion.because
    );
}

#[test]
fn a_coordinate_without_kinetic_energy_is_named() {
    let case = Case::new(massless_coordinate(), Some(&[0]));
    for (method, stiff) in each() {
        let motion = case.run(
            &[1.0, 0.0, 0.0],
            &[0.0; 3],
            &with(stiff, options(1.0, method, 1e-9)),
        );
        assert_eq!(
            motion.because,
            Some(SolverError::NoInertia {
                direction: vec![Placed {
                    name: "x3".into(),
                    value: 1.0
                }],
                t: 0.0
            }),
            "{method} {stiff:?}"
        );
    }
}

#[test]
fn options_that_cannot_be_used() {
    let case = Case::new(pendulum(), Some(&[0]));
    for (rtol, atol, until) in [
        (0.0, 1e-9, 1.0),
        (f64::NAN, 1e-9, 1.0),
        (1e-9, -1.0, 1.0),
        (1e-9, 1e-9, f64::INFINITY),
    ] {
        let options = Options {
            until,
            rtol,
            atol,
            ..Options::default()
        };
        let motion = case.run(&[1.0, 0.0], &[0.0, 0.0], &options);
        assert!(matches!(motion.because, Some(SolverError::Option { .. })));
    }
    let motion = case.run(&[1.0, 0.1], &[0.0, 0.0], &Options::default());
    assert!(matches!(motion.because, Some(SolverError::Missed { .. })));
    let motion = case.run(&[1.0], &[0.0], &Options::default());
    assert!(matches!(motion.because, Some(SolverError::Shape { .. })));
}

#[test]
fn units_change_nothing_but_the_numbers() {
    // the pendulum with a mass of 1e-26: same motion, multipliers in proportion
    let mut light = pendulum();
    light.motion = |t, x, v, out| {
        (pendulum().motion)(t, x, v, out);
        out.mass *= 1e-26;
        out.bias *= 1e-26;
        out.energy *= 1e-26;
    };
    let (light, heavy) = (
        Case::new(light, Some(&[0])),
        Case::new(pendulum(), Some(&[0])),
    );
    for (method, stiff) in each() {
        let a = light.run(
            &[1.0, 0.0],
            &[0.0, 0.0],
            &with(stiff, options(3.0, method, 1e-9)),
        );
        let b = heavy.run(
            &[1.0, 0.0],
            &[0.0, 0.0],
            &with(stiff, options(3.0, method, 1e-9)),
        );
        assert_eq!(a.because, None, "{method} {stiff:?}");
        let (a, b) = (a.samples.last().unwrap(), b.samples.last().unwrap());
        assert!(apart(&a.x, &b.x) < 1e-9);
        assert!((a.lambda[0] * 1e26 / b.lambda[0] - 1.0).abs() < 1e-8);
    }
}

#[test]
fn the_tightest_tolerances_come_to_an_end() {
    let case = Case::new(pendulum(), Some(&[0]));
    for (method, stiff) in each() {
        for (rtol, atol) in [(1e-13, 1e-16), (1e-14, 1e-16), (1e-16, 0.0), (1e-9, 0.0)] {
            let options = Options {
                rtol,
                atol,
                stiff,
                ..options(3.0, method, 1e-9)
            };
            let motion = case.run(&[1.0, 0.0], &[0.0, 0.0], &options);
            println!(
                "{method} {stiff:?} {rtol:e} {atol:e} {:?} {} {}",
                motion.because, motion.steps, motion.rejected
            );
            assert!(
                motion.finished,
                "{method} {stiff:?} {rtol:e} {atol:e} {:?}",
                motion.because
            );
            assert!(
                motion.steps < 5000,
                "{method} {stiff:?} {rtol:e}: {}",
                motion.steps
            );
        }
    }
}

#[test]
fn a_time_too_long_for_its_steps_is_no_singularity() {
    for until in [1e13, 1e20, 1e300] {
        for method in Method::ALL {
            let motion = Case::new(pendulum(), Some(&[1])).run(
                &[0.6, -0.8],
                &[0.0, 0.0],
                &options(until, method, 1e-9),
            );
            let because = &motion.because;
            assert!(
                matches!(because, Some(SolverError::TooSlow { grown: None, .. })),
                "{until:e} {method} {because:?}"
            );
        }
    }
}

#[test]
fn a_motion_that_rounding_brings_to_a_crawl_is_stopped_and_says_so() {
    // the steps shrink with the rounding of forces that grow and nearly cancel
    let x = 0.5_f64;
    let motion = Case::new(pushed_along_an_exponential(), Some(&[1])).run(
        &[x, x.exp()],
        &[0.0, 0.0],
        &options(10.0, Method::Multipliers, 1e-9),
    );
    let Some(SolverError::TooSlow { t, steps, part, .. }) = motion.because else {
        panic!("{:?}", motion.because);
    };
    assert!(t > 2.5 && t < 3.5 && part < 1e-3, "{t} {part}");
    assert!(motion.steps < 3 * steps, "{} {steps}", motion.steps);
    assert!(motion.samples.len() > 2 && motion.samples.iter().all(|s| s.t <= t));
}
