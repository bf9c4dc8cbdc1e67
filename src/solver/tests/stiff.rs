//! Stiff motions: found to be so, followed on their slow manifolds, at the tolerance asked for; and what
//! both steppers cost on the reference systems.

use std::fmt::Write;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::systems::*;
use super::*;

/// Bead on x2 = x1^2 with a spring of k = 1e8 to x1 = 1, damped.
fn spring() -> Written {
    Written {
        motion: |t, x, v, out| {
            (parabola().motion)(t, x, v, out);
            out.bias[0] = 1e8 * (x[0] - 1.0) + 2e4 * v[0];
            out.energy += 0.5e8 * (x[0] - 1.0).powi(2);
        },
        ..parabola()
    }
}

/// The pendulum, with a third coordinate that is pulled after its first one: k = 1e8, damped.
fn follower() -> Written {
    Written {
        n: 3,
        constraint: |_, x, out| {
            let square = x[0] * x[0] + x[1] * x[1];
            out.residual[0] = square - 1.0;
            out.scale[0] = square + 1.0;
            out.f_t[0] = 0.0;
            for (k, e) in [2.0 * x[0], 2.0 * x[1], 0.0].into_iter().enumerate() {
                out.jacobian[(0, k)] = e;
            }
        },
        motion: |_, x, v, out| {
            out.mass.fill_with_identity();
            out.bias[0] = 0.0;
            out.bias[1] = G;
            out.bias[2] = 1e8 * (x[2] - x[0]) + 2e4 * (v[2] - v[0]);
            out.gamma[0] = -2.0 * (v[0] * v[0] + v[1] * v[1]);
            out.energy = 0.5 * v.iter().map(|v| v * v).sum::<f64>() + G * x[1];
        },
        ..pendulum()
    }
}

/// van der Pol's oscillator in the scaling of the test set for IVP solvers: mu = 1000.
fn van_der_pol() -> Written {
    Written {
        n: 1,
        m: 0,
        constraint: |_, _, _| {},
        motion: |_, x, v, out| {
            out.mass.fill_with_identity();
            out.bias[0] = -((1.0 - x[0] * x[0]) * v[0] - x[0]) / 1e-6;
            out.energy = 0.5 * v[0] * v[0];
        },
        factors: |_, _, _| {},
    }
}

const STIFF: [Stiff; 2] = [Stiff::Auto, Stiff::Always];

fn told(motion: &Motion, stiff: Stiff, steps: usize) {
    assert_eq!(motion.because, None);
    assert_eq!(motion.stiff_from.is_some(), stiff == Stiff::Auto);
    let last = motion.work.last().unwrap();
    assert_eq!(last.stepper, "radau");
    assert!(last.jacobians > 0 && last.factorisations >= last.jacobians);
    let sum = |part: fn(&Work) -> usize| motion.work.iter().map(part).sum::<usize>();
    assert_eq!(sum(|w| w.steps), motion.steps);
    assert_eq!(sum(|w| w.rejected), motion.rejected);
    assert_eq!(sum(|w| w.evaluations), motion.evaluations);
    assert!(motion.steps < steps, "{} steps", motion.steps);
}

#[test]
fn a_bead_on_a_hard_spring_comes_to_rest_where_the_forces_balance() {
    let case = Case::new(spring(), Some(&[1]));
    for method in Method::ALL {
        for stiff in STIFF {
            let x = 1.001;
            let options = with(stiff, options(10.0, method, 1e-9));
            let motion = case.run(&[x, x * x], &[0.0; 2], &options);
            told(&motion, stiff, 400);
            // (1 + 4 x^2) x'' + 4 x x'^2 + c x' + k (x - 1) + 2 g x = 0 at rest
            let rest = 1e8 / (1e8 + 2.0 * G);
            let last = motion.samples.last().unwrap();
            assert!((last.x[0] - rest).abs() < 1e-14, "{method}: {last:?}");
            assert!(motion.samples.iter().all(|s| s.residual < 1e-14));
        }
    }
}

#[test]
fn a_coordinate_that_follows_a_pendulum_costs_no_more_than_the_pendulum() {
    let case = Case::new(follower(), Some(&[0]));
    for method in Method::ALL {
        for stiff in STIFF {
            for tolerance in [1e-5, 1e-7, 1e-9, 1e-10] {
                let options = with(stiff, options(10.0, method, tolerance));
                let motion = case.run(&[1.0, 0.0, 0.9], &[0.0; 3], &options);
                println!(
                    "{method} {stiff:?} {tolerance:e}: {} steps, {} rejected, {} evaluations, stiff from {:?}",
                    motion.steps, motion.rejected, motion.evaluations, motion.stiff_from
                );
                told(&motion, stiff, 4000);
                let last = motion.samples.last().unwrap();
                let (x, v) = (
                    [0.2750874625761169, -0.961419205099125],
                    [-4.175598100951729, -1.1947490545604753],
                );
                let error = apart(&last.x[..2], &x).max(apart(&last.v[..2], &v));
                assert!(
                    error < 100.0 * tolerance,
                    "{method} {tolerance:e}: {error:e}"
                );
                for sample in &motion.samples[1..] {
                    // on the slow manifold z = x - x''/k + ...
                    let slow = sample.x[0] - sample.a[0] / 1e8;
                    assert!((sample.x[2] - slow).abs() < 10.0 * tolerance);
                    assert!(sample.residual < 1e-14);
                }
            }
        }
    }
}

#[test]
fn van_der_pol_has_the_published_state() {
    let case = Case::new(van_der_pol(), None);
    for stiff in STIFF {
        for tolerance in [1e-6, 1e-9] {
            let options = with(stiff, options(2.0, Method::Inverse, tolerance));
            let motion = case.run(&[2.0], &[0.0], &options);
            told(&motion, stiff, 3000);
            let last = motion.samples.last().unwrap();
            // Mazzia and Magherini, Test Set for Initial Value Problem Solvers, vdpol
            let error =
                apart(&last.x, &[1.706167732170483]).max(apart(&last.v, &[-0.8928097010247975]));
            println!("{stiff:?} {tolerance:e}: {error:e}, {} steps", motion.steps);
            assert!(error < 100.0 * tolerance, "{error:e}");
        }
    }
}

#[test]
fn the_change_of_stepper_leaves_no_trace() {
    let case = Case::new(follower(), Some(&[0]));
    for method in Method::ALL {
        let run = |stiff| {
            let mut options = with(stiff, options(0.02, method, 1e-8));
            options.samples = 400;
            case.run(&[1.0, 0.0, 0.999], &[0.0; 3], &options)
        };
        let (auto, explicit) = (run(Stiff::Auto), run(Stiff::Never));
        let changed = auto.stiff_from.unwrap();
        assert!(changed > 0.0 && changed < 0.02 && explicit.stiff_from.is_none());
        assert_eq!(explicit.work.len(), 1);
        assert_eq!(auto.samples.len(), explicit.samples.len());
        for (a, b) in auto.samples.iter().zip(&explicit.samples) {
            assert_eq!(a.t, b.t);
            let error = apart(&a.x, &b.x).max(apart(&a.v, &b.v));
            assert!(error < 1e-7, "{method} at t = {}: {error:e}", a.t);
        }
    }
}

/// What both steppers cost: a change that makes them dearer shows here.
#[test]
fn counts_of_steps_and_evaluations() {
    let root = 7.0_f64.sqrt();
    let roots = [f64::midpoint(3.0, root), f64::midpoint(3.0, -root), 1.0];
    let chain: Vec<f64> = (1..=5).flat_map(|i| [f64::from(i), 0.0]).collect();
    let chart: Vec<usize> = (0..5).map(|i| 2 * i + 1).collect();
    let mut table = String::new();
    let mut rows = |name: &str, run: &dyn Fn(Method, Stiff) -> Motion| {
        for (method, stiff) in each() {
            let motion = run(method, stiff);
            assert!(motion.finished);
            let w = &motion.work[0];
            writeln!(
                table,
                "{name:16} {:12} {:7} {:5} steps {:3} rejected {:6} evaluations {:4} Jacobians {:5} factorisations",
                method.name(),
                w.stepper,
                w.steps,
                w.rejected,
                w.evaluations,
                w.jacobians,
                w.factorisations
            )
            .unwrap();
        }
    };
    rows("parabola", &|method, stiff| {
        Case::new(parabola(), Some(&[0])).run(
            &[1.0, 1.0],
            &[0.0; 2],
            &with(stiff, options(10.0, method, 1e-9)),
        )
    });
    rows("pendulum", &|method, stiff| {
        Case::new(pendulum(), Some(&[0])).run(
            &[1.0, 0.0],
            &[0.0; 2],
            &with(stiff, options(10.0, method, 1e-9)),
        )
    });
    rows("product and sum", &|method, stiff| {
        Case::new(product_and_sum(), Some(&[0, 1])).run(
            &roots,
            &[0.0; 3],
            &with(stiff, options(10.0, method, 1e-9)),
        )
    });
    rows("chain of five", &|method, stiff| {
        Case::new(Chain(5), Some(&chart)).run(
            &chain,
            &[0.0; 10],
            &with(stiff, options(1.0, method, 1e-9)),
        )
    });
    insta::assert_snapshot!(table);
}

/// A system that cancels its own run after so many evaluations.
struct Cancelling<'a> {
    inner: Written,
    left: AtomicUsize,
    cancel: &'a AtomicBool,
}

impl Dynamics for Cancelling<'_> {
    fn coordinates(&self) -> usize {
        self.inner.n
    }

    fn constraints(&self) -> usize {
        self.inner.m
    }

    fn constraint(&self, t: f64, x: &[f64], out: &mut ConstraintValue) {
        self.inner.constraint(t, x, out);
    }

    fn instant(&self, t: f64, x: &[f64], v: &[f64], out: &mut Instant) {
        if self.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.cancel.store(true, Ordering::Relaxed);
        }
        self.inner.instant(t, x, v, out);
    }

    fn factors(&self, t: f64, x: &[f64], out: &mut Vec<f64>) {
        self.inner.factors(t, x, out);
    }
}

#[test]
fn a_cancelled_run_gives_what_it_has() {
    for (method, stiff) in each() {
        let cancel = AtomicBool::new(false);
        let case = Case::new(
            Cancelling {
                inner: pendulum(),
                left: AtomicUsize::new(3000),
                cancel: &cancel,
            },
            Some(&[0]),
        );
        let start = Start {
            t: 0.0,
            x: vec![1.0, 0.0],
            v: vec![0.0; 2],
            correction: vec![0.0; 2],
            notes: vec![],
            rough: None,
        };
        let mut options = with(stiff, options(10.0, method, 1e-9));
        options.samples = 1000;
        let motion = simulate(&case.problem(), &start, &options, &cancel);
        let Some(SolverError::Cancelled { t }) = motion.because else {
            panic!("{method} {stiff:?}: {:?}", motion.because);
        };
        assert!(t > 0.0 && t < 10.0 && motion.evaluations < 3200);
        let last = motion.samples.last().unwrap();
        assert!(last.t <= t && t - last.t <= 0.01 && motion.samples.len() > 100);
        assert_eq!(motion.work[0].evaluations, motion.evaluations);
    }
}
