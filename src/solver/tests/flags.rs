//! Where charts and ranks fail along a motion.

use super::systems::*;
use super::*;

/// Crossings of x1 = 0, from a quadruple-precision extrapolation integrator.
const CROSSINGS: [f64; 8] = [
    0.5949238427,
    1.7847715281,
    2.9746192136,
    4.164466899,
    5.3543145844,
    6.5441622699,
    7.7340099553,
    8.9238576407,
];

#[test]
fn bead_crosses_its_fold_eight_times() {
    let case = Case::new(parabola(), Some(&[0]));
    for (method, stiff) in each() {
        for tolerance in [1e-5, 1e-9, 1e-11] {
            let motion = case.run(
                &[1.0, 1.0],
                &[0.0, 0.0],
                &with(stiff, options(10.0, method, tolerance)),
            );
            assert_eq!(motion.flags.len(), 8, "{method} {stiff:?} {tolerance:e}");
            for (flag, t) in motion.flags.iter().zip(CROSSINGS) {
                let error = (flag.t - t).abs();
                println!("{method} {stiff:?} {tolerance:e}: {error:e}");
                assert!(
                    error < (10.0 * tolerance).max(2e-10),
                    "{method} {stiff:?}: {} for {t}",
                    flag.t
                );
                assert_eq!(flag.kind, FlagKind::Chart);
                assert_eq!(
                    (flag.from.as_slice(), flag.to.as_deref()),
                    ([0].as_slice(), Some([1].as_slice()))
                );
                assert_eq!(flag.factors, [0]);
                assert!(flag.x[0].abs() < 10.0 * tolerance);
            }
        }
    }
}

#[test]
fn product_and_sum_crosses_three_times() {
    let root = 7.0_f64.sqrt();
    let case = Case::new(product_and_sum(), Some(&[0, 1]));
    let start = [f64::midpoint(3.0, root), f64::midpoint(3.0, -root), 1.0];
    for (method, stiff) in each() {
        let motion = case.run(
            &start,
            &[0.0; 3],
            &with(stiff, options(10.0, method, 1e-10)),
        );
        let times: Vec<f64> = motion.flags.iter().map(|flag| flag.t).collect();
        assert!(
            apart(&times, &[1.7869903149, 5.3609709447, 8.9349515745]) < 3e-10,
            "{times:?}"
        );
        assert!(
            motion
                .flags
                .iter()
                .all(|flag| flag.factors == [1] && flag.kind == FlagKind::Chart)
        );
        // the determinant in the samples is that of the system's own choice
        for sample in &motion.samples {
            let expected = -sample.x[2] * (sample.x[0] - sample.x[1]);
            assert!((sample.determinant - expected).abs() < 1e-13);
        }
    }
}

#[test]
fn a_zero_at_the_start_is_a_flag_and_one_at_the_end_is_not() {
    let case = Case::new(parabola(), Some(&[0]));
    for (method, stiff) in each() {
        let motion = case.run(
            &[0.0, 0.0],
            &[2.0, 0.0],
            &with(stiff, options(1.0, method, 1e-9)),
        );
        assert!(motion.finished, "{:?}", motion.because);
        assert_eq!(motion.flags[0].t, 0.0);
        let period = motion.flags.get(1).map_or(1.0, |flag| flag.t);
        assert!(period > 0.1);
        let until_there = case.run(
            &[0.0, 0.0],
            &[2.0, 0.0],
            &with(stiff, options(period, method, 1e-9)),
        );
        assert_eq!(until_there.flags.len(), 1, "{:?}", until_there.flags);
        let past = case.run(
            &[0.0, 0.0],
            &[2.0, 0.0],
            &with(stiff, options(period + 1e-4, method, 1e-9)),
        );
        assert_eq!(past.flags.len(), 2);
    }
}

#[test]
fn a_start_solved_for_on_the_fold_is_a_flag() {
    // x1^2 + x2^2 = 1 with x2 = 1 given: x1 is solved for from 1 and stops near 1e-8
    let case = Case::new(pendulum(), Some(&[0]));
    let mut given = Given::nothing(0.0, 2);
    given.x[1] = Some(-1.0);
    given.guess_x[0] = 1.0;
    given.v[0] = Some(1.0);
    let start = consistent_start(&case.problem(), &given).unwrap();
    assert!(start.x[0].abs() < 1e-6 && start.correction[0] >= start.x[0].abs());
    assert_eq!(start.correction[1], 0.0);
    let motion = simulate(
        &case.problem(),
        &start,
        &options(0.3, Method::Inverse, 1e-9),
        &GO_ON,
    );
    assert_eq!(motion.flags.len(), 1, "{:?}", motion.flags);
    assert_eq!(motion.flags[0].t, 0.0);
}

#[test]
fn a_bead_that_stays_on_the_fold_is_flagged_once() {
    let case = Case::new(parabola(), Some(&[0]));
    for (method, stiff) in each() {
        let motion = case.run(
            &[0.0, 0.0],
            &[0.0, 0.0],
            &with(stiff, options(5.0, method, 1e-9)),
        );
        assert!(motion.finished);
        assert_eq!(motion.flags.len(), 1);
    }
}

#[test]
fn what_stays_zero_to_rounding_is_flagged_once() {
    // the outer links of a level chain stay level to higher and higher orders of t: what is seen of them is rounding
    let links = 8;
    let x: Vec<f64> = (1..=links).flat_map(|i| [f64::from(i), 0.0]).collect();
    let level: Vec<usize> = (0..links as usize).map(|i| 2 * i + 1).collect();
    let case = Case::new(Chain(links as usize), Some(&level));
    let flags = |method, tolerance| {
        let motion = case.run(&x, &vec![0.0; x.len()], &options(2.0, method, tolerance));
        let flags = motion.flags.into_iter();
        flags.map(|flag| (flag.factors, flag.t)).collect::<Vec<_>>()
    };
    let wanted = flags(Method::Multipliers, 1e-11);
    assert_eq!((wanted[0].0.len(), wanted[0].1), (links as usize, 0.0));
    assert!(wanted[1..].iter().all(|(_, t)| *t > 0.5), "{wanted:?}");
    for (method, tolerance) in [
        (Method::Inverse, 1e-9),
        (Method::Tangents, 1e-9),
        (Method::Multipliers, 1e-6),
    ] {
        let found = flags(method, tolerance);
        assert_eq!(found.len(), wanted.len(), "{method}: {found:?} {wanted:?}");
        for (found, wanted) in found.iter().zip(&wanted) {
            assert_eq!(found.0, wanted.0);
            assert!(
                (found.1 - wanted.1).abs() < 1e3 * tolerance,
                "{found:?} {wanted:?}"
            );
        }
    }
}

#[test]
fn a_zero_without_change_of_sign_is_found() {
    // x1 = cos t - 1.0 from t = 0: zero at 0, 2 pi, 4 pi
    let case = Case::new(touching(), Some(&[0]));
    for (method, stiff) in each() {
        for tolerance in [1e-6, 1e-9] {
            let motion = case.run(
                &[0.0, 0.0],
                &[0.0, 0.0],
                &with(stiff, options(14.0, method, tolerance)),
            );
            assert!(motion.finished, "{:?}", motion.because);
            let times: Vec<f64> = motion.flags.iter().map(|flag| flag.t).collect();
            let turn = std::f64::consts::TAU;
            assert!(
                !times.is_empty()
                    && times[0] == 0.0
                    && times[1..]
                        .iter()
                        .all(|t| (t / turn - (t / turn).round()).abs() < 1e-2),
                "{method} {stiff:?} {tolerance:e} {times:?}"
            );
            assert!(
                times.iter().any(|t| (t - turn).abs() < 1e-2)
                    && times.iter().any(|t| (t - 2.0 * turn).abs() < 1e-2)
            );
        }
    }
}

#[test]
fn coinciding_zeros_of_two_factors_are_one_flag() {
    let mut system = parabola();
    system.factors = |_, x, out| out.extend([x[0], -3.0 * x[0]]);
    let case = Case::new(system, Some(&[0]));
    let motion = case.run(
        &[1.0, 1.0],
        &[0.0, 0.0],
        &options(10.0, Method::Inverse, 1e-9),
    );
    assert_eq!(motion.flags.len(), 8);
    assert!(motion.flags.iter().all(|flag| flag.factors == [0, 1]));
}

#[test]
fn crossing_lines_are_a_rank_failure() {
    // along x2 = 0 towards the crossing at x1 = 0
    let case = Case::new(crossing_lines(), Some(&[1]));
    for (method, stiff) in each() {
        let motion = case.run(
            &[1.0, 0.0],
            &[-1.0, 0.0],
            &with(stiff, options(2.0, method, 1e-9)),
        );
        println!(
            "{method} {stiff:?}: {:?} {:?}",
            motion.because, motion.flags
        );
        let last = motion.samples.last().unwrap();
        assert!(last.x.iter().all(|x| x.is_finite()));
        if !motion.finished {
            assert!(
                matches!(motion.because, Some(SolverError::RankLost { t, .. }) if (t - 1.0).abs() < 1e-6),
                "{:?}",
                motion.because
            );
            assert_eq!(motion.flags.last().unwrap().kind, FlagKind::Rank);
            assert!(last.t > 0.7);
        }
    }
    // and a start right there
    let motion = case.run(
        &[0.0, 0.0],
        &[0.0, 0.0],
        &options(1.0, Method::Inverse, 1e-9),
    );
    assert!(matches!(
        motion.because,
        Some(SolverError::SingularConfiguration {
            rank: 0,
            around: 1,
            ..
        })
    ));
    assert_eq!(motion.flags.len(), 1);
    assert_eq!(motion.samples.len(), 1);
}

#[test]
fn backwards_the_same_crossings_are_met() {
    let case = Case::new(parabola(), Some(&[0]));
    for (method, stiff) in each() {
        let motion = case.run(
            &[1.0, 1.0],
            &[0.0, 0.0],
            &with(stiff, options(-10.0, method, 1e-9)),
        );
        let times: Vec<f64> = motion.flags.iter().map(|flag| -flag.t).collect();
        assert!(apart(&times, &CROSSINGS) < 1e-8, "{times:?}");
    }
}

#[test]
fn a_start_within_rounding_of_the_fold_is_not_computed_in_its_chart() {
    // x1 as an angle of pi / 2 leaves it
    let case = Case::new(pendulum(), Some(&[0]));
    let x1 = std::f64::consts::FRAC_PI_2.cos();
    let motion = case.run(
        &[x1, -1.0],
        &[1.0, x1],
        &options(1.0, Method::Inverse, 1e-9),
    );
    assert!(motion.finished);
    // lambda = -(g + v^2) / 2 at the bottom, since R = 2 lambda x
    assert!((motion.samples[0].lambda[0] + 0.5 * (G + 1.0)).abs() < 1e-14);
}

/// Two rods of length one and a coupler that keeps them parallel: a parallelogram linkage.
#[test]
fn parallelogram_is_flagged_as_a_rank_failure_where_it_is_flat() {
    let case = Case::new(parallelogram(), Some(&[1, 2, 3]));
    for (method, stiff) in Method::ALL.map(|m| (m, Stiff::Never)) {
        let motion = case.run(
            &[0.0, 1.0, 2.0, 1.0],
            &[1.0, 0.0, 1.0, 0.0],
            &with(stiff, options(2.5, method, 1e-9)),
        );
        println!("{method} {stiff:?}: {:?}", motion.because);
        let flat = std::f64::consts::FRAC_PI_2;
        let flag = motion.flags.iter().find(|flag| flag.kind == FlagKind::Rank);
        assert!(
            flag.is_some_and(|flag| (flag.t - flat).abs() < 1e-4),
            "{method} {stiff:?}: {:?}",
            motion.flags
        );
        for sample in motion.samples.iter().filter(|sample| sample.t < 1.5) {
            let (s, c) = sample.t.sin_cos();
            assert!(apart(&sample.x, &[s, c, 2.0 + s, c]) < 1e-7);
        }
    }
}
