//! Accuracy: states against those of a quadruple-precision extrapolation integrator, exact
//! solutions, energy, residual, method against method.

use proptest::prelude::*;

use super::systems::*;
use super::*;

struct State {
    t: f64,
    q: &'static [f64],
    v: &'static [f64],
    lambda: &'static [f64],
}

/// Runs every method with both steppers to every state, at several tolerances, and holds the error within 100 times.
fn against<D: Dynamics>(case: &Case<D>, start: &[f64], states: &[State], tolerances: &[f64]) {
    let rest = vec![0.0; start.len()];
    let mut worst = (0.0_f64, 0.0_f64);
    for &tolerance in tolerances {
        for (method, stiff) in Method::ALL
            .into_iter()
            .flat_map(|m| [(m, Stiff::Auto), (m, Stiff::Always)])
        {
            for state in states {
                let options = Options {
                    stiff,
                    ..options(state.t, method, tolerance)
                };
                let motion = case.run(start, &rest, &options);
                assert_eq!(motion.because, None, "{method} at {tolerance:e}");
                assert_eq!(motion.stiff_from, None, "not a stiff motion");
                let stepper = motion.work[0].stepper;
                let last = motion.samples.last().unwrap();
                let error = apart(&last.x, state.q).max(apart(&last.v, state.v));
                let force = apart(&last.lambda, state.lambda);
                println!(
                    "{method} {stepper} {tolerance:e} t = {}: {:.1} x tolerance, lambda {:.1}, {} steps, {} rejected, {} charts, {} evaluations",
                    state.t,
                    error / tolerance,
                    force / tolerance,
                    motion.steps,
                    motion.rejected,
                    motion.chart_changes,
                    motion.evaluations
                );
                worst.0 = worst.0.max(error / tolerance);
                worst.1 = worst.1.max(force / tolerance);
                for sample in &motion.samples {
                    assert!(
                        sample.residual < 1e-13,
                        "{method}: residual {:e}",
                        sample.residual
                    );
                }
            }
        }
    }
    assert!(
        worst.0 <= 100.0 && worst.1 <= 300.0,
        "in units of the tolerance: {worst:?}"
    );
}

const USUAL: [f64; 4] = [1e-5, 1e-6, 1e-9, 1e-11];

#[test]
fn parabola_states() {
    let states = [
        State {
            t: 1.0,
            q: &[-0.9273598815892766, 0.859996349981277],
            v: &[-0.7865537566820883, 1.4588367973206042],
            lambda: &[2.488146385456077],
        },
        State {
            t: 10.0,
            q: &[0.43541916077177645, 0.18958984556719807],
            v: &[-3.0071017059813685, -2.6186994023475694],
            lambda: &[15.864402704889075],
        },
    ];
    against(
        &Case::new(parabola(), Some(&[0])),
        &[1.0, 1.0],
        &states,
        &USUAL,
    );
}

#[test]
fn pendulum_states() {
    let states = [
        State {
            t: 1.0,
            q: &[-0.9862917511318753, -0.16501085312554117],
            v: &[-0.2969055159163158, 1.7746436411126556],
            lambda: &[-2.428134703742338],
        },
        State {
            t: 10.0,
            q: &[0.2750874625761169, -0.961419205099125],
            v: &[-4.175598100951729, -1.1947490545604753],
            lambda: &[-14.147283603033625],
        },
    ];
    against(
        &Case::new(pendulum(), Some(&[0])),
        &[1.0, 0.0],
        &states,
        &USUAL,
    );
}

#[test]
fn product_and_sum_states() {
    let root = 7.0_f64.sqrt();
    let states = [State {
        t: 10.0,
        q: &[0.28080466902267026, 2.7191953309773296, 0.6548250334690826],
        v: &[-0.4151437005060035, 0.4151437005060035, 0.868125037796248],
        lambda: &[0.2888245348552165, 1.216305696445111],
    }];
    let case = Case::new(product_and_sum(), Some(&[0, 1]));
    against(
        &case,
        &[f64::midpoint(3.0, root), f64::midpoint(3.0, -root), 1.0],
        &states,
        &USUAL,
    );
}

#[test]
fn chain_of_two_states() {
    let states = [State {
        t: 2.0,
        q: &[
            -0.464412868699514,
            -0.8856188160751148,
            -1.4341248174642767,
            -1.129870195647158,
        ],
        v: &[
            2.7146768995930746,
            -1.423559282671555,
            3.4350405438200173,
            -4.283503142503697,
        ],
        lambda: &[-13.48918170864358, -6.670901799900733],
    }];
    against(
        &Case::new(Chain(2), Some(&[1, 3])),
        &[1.0, 0.0, 2.0, 0.0],
        &states,
        &USUAL,
    );
}

#[test]
fn chain_of_ten_states() {
    let states = [State {
        t: 1.0,
        q: &[
            0.4838002602085865,
            -0.8751784436456967,
            0.9971988736633329,
            -1.7333287007118727,
            1.5525539557122527,
            -2.564942032039863,
            2.1723437393903327,
            -3.3497099111278636,
            2.8128103931150394,
            -4.1176958911214285,
            3.6524379418423143,
            -4.660858462934167,
            4.631760823275289,
            -4.863161932755661,
            5.631041496116962,
            -4.901084707038,
            6.631034541110956,
            -4.904814314403283,
            7.631034524506942,
            -4.904996545094761,
        ],
        v: &[
            -0.74644873096844,
            -0.4126382372611311,
            -1.274041648692981,
            -0.72827698490231,
            -2.504219143065854,
            -1.549794988024282,
            -3.0596741323345764,
            -1.9884792624645808,
            -4.540049531363029,
            -3.223047474347921,
            -6.717570837910745,
            -6.589087352273096,
            -7.228178708995238,
            -9.060868839926512,
            -7.2532967014709575,
            -9.722738237271452,
            -7.2536038091243205,
            -9.8050808459343,
            -7.253604686308608,
            -9.809894438341292,
        ],
        lambda: &[
            -69.33126069424095,
            -64.71251051099185,
            -60.019150359502426,
            -54.48430730745423,
            -48.906769255608054,
            -43.450566830094914,
            -34.505608398114894,
            -25.67555585892684,
            -17.10921873700103,
            -8.554561335898809,
        ],
    }];
    let start: Vec<f64> = (1..=10).flat_map(|i| [f64::from(i), 0.0]).collect();
    let dependent: Vec<usize> = (0..10).map(|i| 2 * i + 1).collect();
    against(
        &Case::new(Chain(10), Some(&dependent)),
        &start,
        &states,
        &[1e-6, 1e-9],
    );
}

#[test]
fn rod_that_turns_has_the_exact_motion() {
    // x3'' = w^2 x3: x3 = cosh(w t), lambda_2 = 2 m w x3' cos(w t) (the other terms cancel)
    let case = Case::new(rotating_rod(), Some(&[0, 1]));
    for (method, stiff) in each() {
        let motion = case.run(
            &[1.0, 0.0, 1.0],
            &[0.0, 2.0, 0.0],
            &with(stiff, options(2.0, method, 1e-10)),
        );
        assert_eq!(motion.because, None, "{method} {stiff:?}");
        for sample in &motion.samples {
            let (s, c) = (2.0 * sample.t).sin_cos();
            let (r, dr) = ((2.0 * sample.t).cosh(), 2.0 * (2.0 * sample.t).sinh());
            assert!(
                apart(&sample.x, &[r * c, r * s, r]) < 1e-8,
                "{method} {stiff:?} {sample:?}"
            );
            assert!(
                apart(&sample.lambda, &[-4.0 * dr * s, 4.0 * dr * c]) < 1e-8,
                "{method} {stiff:?} {sample:?}"
            );
            // R has no part along the virtual displacement (cos, sin, 1)
            let along = sample.reaction[0] * c + sample.reaction[1] * s + sample.reaction[2];
            assert!(along.abs() < 1e-9 * r);
        }
        assert!(motion.flags.is_empty());
    }
}

#[test]
fn oscillator_without_constraints_forward_and_backward() {
    let case = Case::new(oscillator(), None);
    for (method, stiff) in each() {
        for until in [7.0, -7.0] {
            let motion = case.run(&[1.0], &[0.5], &with(stiff, options(until, method, 1e-9)));
            assert!(motion.finished && motion.flags.is_empty());
            assert_eq!(motion.samples.len(), 11);
            for (i, sample) in motion.samples.iter().enumerate() {
                assert!((sample.t - until * i as f64 / 10.0).abs() < 1e-12);
                let (s, c) = sample.t.sin_cos();
                assert!(apart(&sample.x, &[c + 0.5 * s]) < 1e-7);
                assert!((sample.a[0] + sample.x[0]).abs() < 1e-14);
                assert_eq!(sample.determinant, 1.0);
                assert_eq!(sample.residual, 0.0);
            }
        }
    }
}

#[test]
fn no_freedom_left_is_a_driven_motion() {
    let case = Case::new(driven(), None);
    for (method, stiff) in each() {
        let motion = case.run(
            &[1.0, 0.0],
            &[0.0, 1.0],
            &with(stiff, options(20.0, method, 1e-8)),
        );
        assert_eq!(motion.because, None, "{method} {stiff:?}");
        assert!(motion.flags.is_empty(), "{:?}", motion.flags);
        for sample in &motion.samples {
            let (s, c) = sample.t.sin_cos();
            assert!(
                apart(&sample.x, &[c, s]) < 1e-13,
                "{method} {stiff:?}: to rounding, not to the tolerance"
            );
            assert!(apart(&sample.v, &[-s, c]) < 1e-12);
            assert!(
                apart(&sample.reaction, &[-c, G - s]) < 1e-11,
                "{method} {stiff:?} {sample:?}"
            );
        }
    }
}

#[test]
fn moving_wire_in_every_method() {
    let case = Case::new(moving_wire(), Some(&[0]));
    let fine = case.run(
        &[1.0, 1.0],
        &[0.0, 1.0],
        &options(10.0, Method::Multipliers, 1e-12),
    );
    for (method, stiff) in each() {
        for tolerance in [1e-6, 1e-9] {
            let motion = case.run(
                &[1.0, 1.0],
                &[0.0, 1.0],
                &with(stiff, options(10.0, method, tolerance)),
            );
            assert!(motion.finished);
            for (a, b) in motion.samples.iter().zip(&fine.samples) {
                let error = apart(&a.x, &b.x)
                    .max(apart(&a.v, &b.v))
                    .max(0.1 * apart(&a.lambda, &b.lambda));
                assert!(
                    error < 100.0 * tolerance,
                    "{method} {stiff:?} at {tolerance:e}, t = {}: {error:e}",
                    a.t
                );
                assert!(a.residual < 1e-14);
            }
        }
    }
}

#[test]
fn pendulum_keeps_energy_and_constraint_for_200_seconds() {
    let case = Case::new(pendulum(), Some(&[0]));
    for (method, stiff) in each() {
        let motion = case.run(
            &[1.0, 0.0],
            &[0.0, 0.0],
            &with(stiff, options(200.0, method, 1e-9)),
        );
        assert!(motion.finished);
        for sample in &motion.samples {
            assert!(
                sample.energy.abs() < 3e-7,
                "{method} {stiff:?}: energy {:e}",
                sample.energy
            );
            assert!(sample.residual < 1e-15);
            let rate = sample.x[0] * sample.v[0] + sample.x[1] * sample.v[1];
            assert!(
                rate.abs() < 2e-15,
                "{method} {stiff:?}: velocity residual {rate:e}"
            );
        }
    }
}

#[test]
fn redundant_constraint_is_carried_on_with_the_least_multipliers() {
    let single = Case::new(pendulum(), Some(&[0]));
    let double = Case::new(doubled_pendulum(), None);
    for (method, stiff) in each() {
        let options = with(stiff, options(3.0, method, 1e-9));
        let one = single.run(&[1.0, 0.0], &[0.0, 0.0], &options);
        let two = double.run(&[1.0, 0.0], &[0.0, 0.0], &options);
        assert_eq!(two.because, None);
        assert_eq!(two.flags.len(), 1);
        assert_eq!((two.flags[0].kind, two.flags[0].t), (FlagKind::Rank, 0.0));
        let left = Redundant {
            constraint: 1,
            parts: vec![(0, -3.0)],
        };
        assert_eq!(two.redundant, [left]);
        for (a, b) in one.samples.iter().zip(&two.samples) {
            assert!(apart(&a.x, &b.x) < 1e-12 && apart(&a.reaction, &b.reaction) < 1e-9);
            // lambda_1 - 3 lambda_2 = l with the least norm
            assert!(apart(&b.lambda, &[a.lambda[0] / 10.0, -3.0 * a.lambda[0] / 10.0]) < 1e-9);
            assert_eq!(b.determinant, 0.0);
        }
    }
}

#[test]
fn chart_changes_leave_no_trace() {
    let case = Case::new(pendulum(), Some(&[0]));
    let mut options = options(10.0, Method::Inverse, 1e-9);
    options.samples = 2000;
    let inverse = case.run(&[1.0, 0.0], &[0.0, 0.0], &options);
    assert!(
        inverse.chart_changes > 10 && inverse.chart_changes < 60,
        "{}",
        inverse.chart_changes
    );
    options.method = Method::Multipliers;
    let multipliers = case.run(&[1.0, 0.0], &[0.0, 0.0], &options);
    for (a, b) in inverse.samples.iter().zip(&multipliers.samples) {
        assert!(
            apart(&a.x, &b.x).max(apart(&a.v, &b.v)) < 3e-8,
            "t = {}",
            a.t
        );
        assert!(
            apart(&a.a, &b.a).max(apart(&a.lambda, &b.lambda)) < 3e-7,
            "t = {}",
            a.t
        );
    }
}

#[test]
fn compare_says_that_the_methods_agree() {
    let case = Case::new(product_and_sum(), Some(&[0, 1]));
    let root = 7.0_f64.sqrt();
    let start = Start {
        t: 0.0,
        x: vec![f64::midpoint(3.0, root), f64::midpoint(3.0, -root), 1.0],
        v: vec![0.0; 3],
        correction: vec![0.0; 3],
        notes: vec![],
        rough: None,
    };
    let options = Options {
        samples: 100,
        ..Options::default()
    };
    let comparison = compare(&case.problem(), &start, &options, &GO_ON);
    assert!(
        comparison.agree && !comparison.chaotic,
        "{:?}",
        comparison.differences
    );
    assert_eq!(comparison.until, 10.0);
    assert_eq!(comparison.differences.len(), 3 + 3 + 2 + 3);
    assert!(
        comparison
            .differences
            .iter()
            .all(|d| d.max > 0.0 && d.max < 1e-6)
    );
}

#[test]
fn compare_ends_where_the_motion_is_chaotic() {
    let case = Case::new(Chain(3), None);
    let start = Start {
        t: 0.0,
        x: vec![1.0, 0.0, 2.0, 0.0, 3.0, 0.0],
        v: vec![0.0; 6],
        correction: vec![0.0; 6],
        notes: vec![],
        rough: None,
    };
    let options = Options {
        samples: 100,
        until: 40.0,
        rtol: 1e-6,
        atol: 1e-9,
        ..Options::default()
    };
    let comparison = compare(&case.problem(), &start, &options, &GO_ON);
    assert!(
        comparison.chaotic && comparison.until < 40.0 && comparison.until > 1.0,
        "{}",
        comparison.until
    );
    assert!(
        comparison.agree,
        "up to there: {:?}",
        comparison.differences
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn methods_agree_on_beads(x in -1.5..1.5_f64, v in -3.0..3.0_f64) {
        let case = Case::new(parabola(), Some(&[0]));
        let run = |method| case.run(&[x, x * x], &[v, 2.0 * x * v], &options(3.0, method, 1e-9));
        let motions: Vec<Motion> = Method::ALL.into_iter().map(run).collect();
        for other in &motions[1..] {
            prop_assert!(other.finished);
            prop_assert_eq!(other.flags.len(), motions[0].flags.len());
            for (a, b) in motions[0].samples.iter().zip(&other.samples) {
                prop_assert!(apart(&a.x, &b.x).max(apart(&a.v, &b.v)) < 2e-7);
            }
        }
    }
}
