//! The coefficients against their conditions; steps and dense output against exact solutions.

use std::convert::Infallible;

use super::*;
use crate::solver::step::still;

const LOOSE_TOLERANCE: Tolerance = Tolerance {
    rtol: 1e3,
    atol: 1e3,
};

fn close(a: f64, b: f64, tolerance: f64) {
    assert!(
        (a - b).abs() <= tolerance,
        "{a} and {b} differ by more than {tolerance}"
    );
}

#[test]
fn three_stages_are_the_published_ones() {
    let tableau = Tableau::new(3).unwrap();
    let root = 6.0_f64.sqrt();
    let nodes = [(4.0 - root) / 10.0, (4.0 + root) / 10.0, 1.0];
    let matrix = [
        (88.0 - 7.0 * root) / 360.0,
        (296.0 - 169.0 * root) / 1800.0,
        (-2.0 + 3.0 * root) / 225.0,
        (296.0 + 169.0 * root) / 1800.0,
        (88.0 + 7.0 * root) / 360.0,
        (-2.0 - 3.0 * root) / 225.0,
        (16.0 - root) / 36.0,
        (16.0 + root) / 36.0,
        1.0 / 9.0,
    ];
    for (a, b) in tableau.c.iter().zip(nodes) {
        close(*a, b, 1e-15);
    }
    for (a, b) in tableau.a.iter().zip(matrix) {
        close(*a, b, 1e-15);
    }
    // 1/gamma, alpha, beta of RADAU5
    let third = |x: f64| x.cbrt();
    let g = (6.0 + third(81.0) - third(9.0)) / 30.0;
    close(tableau.real.value, 1.0 / g, 1e-13);
    let alpha = (12.0 - third(81.0) + third(9.0)) / 60.0;
    let beta = (third(81.0) + third(9.0)) * 3.0_f64.sqrt() / 60.0;
    let size = alpha * alpha + beta * beta;
    close(tableau.complex[0].value.re, alpha / size, 1e-13);
    close(tableau.complex[0].value.im, beta / size, 1e-13);
    let weights = [-13.0 - 7.0 * root, -13.0 + 7.0 * root, -1.0];
    for (e, w) in tableau.e.iter().zip(weights) {
        close(*e, g * w / 3.0, 1e-13);
    }
}

#[test]
fn coefficients_satisfy_their_conditions() {
    for stages in [3, 5, 7] {
        let tableau = Tableau::new(stages).unwrap();
        let Tableau { c, a, inverse, .. } = &tableau;
        for i in 0..stages {
            for q in 0..stages {
                let power = i32::try_from(q).unwrap();
                let sum: f64 = (0..stages)
                    .map(|j| a[i * stages + j] * c[j].powi(power))
                    .sum();
                close(sum, c[i].powi(power + 1) / f64::from(power + 1), 1e-14);
                let identity: f64 = (0..stages)
                    .map(|j| a[i * stages + j] * inverse[j * stages + q])
                    .sum();
                close(identity, f64::from(u8::from(i == q)), 1e-13);
            }
        }
        // quadrature of order 2s - 1, not 2s
        let last = (stages - 1) * stages;
        for q in 0..2 * stages {
            let power = i32::try_from(q).unwrap();
            let sum: f64 = (0..stages).map(|j| a[last + j] * c[j].powi(power)).sum();
            let error = (sum - 1.0 / f64::from(power + 1)).abs();
            assert_eq!(error < 1e-14, q < 2 * stages - 1, "{stages} {q} {error:e}");
        }
        // V diag V^-1 = A^-1: it needs to be near only, Newton's method does the rest
        for i in 0..stages {
            for j in 0..stages {
                let real = &tableau.real;
                let mut sum = real.column[i] * real.value * real.row[j];
                for mode in &tableau.complex {
                    sum += 2.0 * (mode.column[i] * mode.value * mode.row[j]).re;
                }
                close(sum, inverse[i * stages + j], 1e-9);
            }
        }
    }
}

/// x = (cos t^2, sin t^2): not autonomous, not linear, with velocities.
#[allow(clippy::unnecessary_wraps)]
fn turning(t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Infallible> {
    let r = (y[0] * y[0] + y[1] * y[1]).sqrt();
    dy[0] = y[2];
    dy[1] = y[3];
    dy[2] = y[2] / t - 4.0 * t * t * y[0] * r;
    dy[3] = y[3] / t - 4.0 * t * t * y[1] / r;
    Ok(())
}

fn exact(t: f64) -> [f64; 4] {
    let (s, c) = (t * t).sin_cos();
    [c, s, -2.0 * t * s, 2.0 * t * c]
}

fn apart(a: &[f64], b: &[f64]) -> f64 {
    a.iter()
        .zip(b)
        .fold(0.0, |most, (a, b)| most.max((a - b).abs()))
}

fn stepper(stages: usize, tolerance: Tolerance) -> Radau {
    Radau::with_stages(stages, (2, &[0, 1]), tolerance).unwrap()
}

/// The end error and the largest local error of the dense output of `count` equal steps from 1/2 to 3/2.
fn equal_steps(stages: usize, count: u32) -> (f64, f64) {
    let h = 1.0 / f64::from(count);
    let fixed = |t: f64| {
        let mut stepper = stepper(stages, LOOSE_TOLERANCE);
        // Newton's method to rounding, all the same
        stepper.exactness = 1e-16;
        stepper
            .begin((t, &exact(t)), (1.5, Some(h)), &mut turning)
            .unwrap();
        stepper
    };
    let mut whole = fixed(0.5);
    let mut dense = 0.0_f64;
    for _ in 0..count {
        whole.step.next = h;
        assert_eq!(whole.attempt(1.5, &mut turning), Attempt::Proposed);
        whole.accept(&mut still(&mut turning)).unwrap();
        let t = whole.start().t;
        let mut fresh = fixed(t);
        assert_eq!(fresh.attempt(t + h, &mut turning), Attempt::Proposed);
        fresh.accept(&mut still(&mut turning)).unwrap();
        for part in [0.13, 0.37, 0.5, 0.71, 0.94] {
            let mut y = [0.0; 4];
            fresh.interpolate(part, &mut y);
            dense = dense.max(apart(&y, &exact(t + part * fresh.step.taken)));
        }
    }
    let Knot { t, y, .. } = whole.end();
    close(t, 1.5, 1e-12);
    (apart(y, &exact(1.5)), dense)
}

#[test]
fn steps_converge_with_order_2s_less_1_and_dense_output_with_order_s() {
    for (stages, counts, dense) in [(3, [20, 40], [20, 40]), (5, [4, 8], [12, 24])] {
        let (coarse, fine) = (
            equal_steps(stages, counts[0]).0,
            equal_steps(stages, counts[1]).0,
        );
        let (coarse_dense, fine_dense) = (
            equal_steps(stages, dense[0]).1,
            equal_steps(stages, dense[1]).1,
        );
        let s = stages as f64;
        let order = (coarse / fine).log2();
        println!("{stages} steps: {coarse:e} -> {fine:e}, order {order}");
        assert!(order > 2.0 * s - 1.4 && order < 2.0 * s + 0.5);
        // the local error: one order more
        let order = (coarse_dense / fine_dense).log2();
        println!("{stages} dense (local): {coarse_dense:e} -> {fine_dense:e}, order {order}");
        assert!(order > s + 0.6 && order < s + 1.6);
    }
}

#[test]
fn step_control_keeps_the_tolerance_forward_and_backward() {
    for stages in [3, 5] {
        for tolerance in [1e-4, 1e-6, 1e-9, 1e-11] {
            for (from, to) in [(0.5, 3.0), (3.0, 0.5)] {
                let both = Tolerance {
                    rtol: tolerance,
                    atol: tolerance,
                };
                let mut stepper = stepper(stages, both);
                stepper
                    .begin((from, &exact(from)), (to, None), &mut turning)
                    .unwrap();
                let (mut tried, mut worst, mut y) = (0, 0.0_f64, [0.0; 4]);
                let mut arrived = false;
                while !arrived {
                    tried += 1;
                    assert!(tried < 20_000);
                    if stepper.attempt(to, &mut turning) == Attempt::Proposed {
                        stepper.accept(&mut still(&mut turning)).unwrap();
                        arrived = stepper.end().t == to;
                        stepper.interpolate(0.6, &mut y);
                        let middle = stepper.start().t + 0.6 * stepper.step.taken;
                        worst = worst.max(apart(&y, &exact(middle)));
                    }
                }
                let error = apart(stepper.end().y, &exact(to)).max(worst);
                println!(
                    "{stages} stages, {from} -> {to}: {:.2} x {tolerance:e}, {tried} steps, {:?}",
                    error / tolerance,
                    stepper.counts()
                );
                assert!(error < 100.0 * tolerance, "{error:e}");
            }
        }
    }
}

/// x'' = -k (x - cos t) - c x' on its slow manifold is near cos t for any k.
#[test]
fn stiff_steps_follow_the_slow_manifold_and_not_the_eigenvalue() {
    for k in [1e4, 1e8, 1e12] {
        let c = 2.0 * f64::sqrt(k);
        // the periodic solution is known: a cos t + b sin t
        let (p, q) = (k - 1.0, c);
        let size = p * p + q * q;
        let (a, b) = (k * p / size, k * q / size);
        let exact = |t: f64| [a * t.cos() + b * t.sin(), b * t.cos() - a * t.sin()];
        let mut pull = |t: f64, y: &[f64], dy: &mut [f64]| -> Result<(), Infallible> {
            dy[0] = y[1];
            dy[1] = -k * (y[0] - t.cos()) - c * y[1];
            Ok(())
        };
        let both = Tolerance {
            rtol: 1e-7,
            atol: 1e-7,
        };
        let mut stepper = Radau::new(1, &[0], both).unwrap();
        stepper
            .begin((0.0, &exact(0.0)), (10.0, None), &mut pull)
            .unwrap();
        let mut tried = 0;
        let mut arrived = false;
        while !arrived {
            tried += 1;
            assert!(tried < 1000);
            if stepper.attempt(10.0, &mut pull) == Attempt::Proposed {
                stepper.accept(&mut still(&mut pull)).unwrap();
                arrived = stepper.end().t == 10.0;
            }
        }
        let error = apart(stepper.end().y, &exact(10.0));
        println!(
            "k = {k:e}: {error:e} after {tried} steps, {:?}",
            stepper.counts()
        );
        assert!(error < 1e-6 && tried < 200);
    }
}

#[test]
fn a_right_hand_side_that_fails_halves_the_step() {
    let mut wall = |t: f64, y: &[f64], dy: &mut [f64]| {
        dy[0] = y[1];
        dy[1] = 0.0;
        if t > 0.5 { Err(t) } else { Ok(()) }
    };
    let mut stepper = Radau::with_stages(3, (1, &[0]), LOOSE_TOLERANCE).unwrap();
    stepper
        .begin((0.0, &[0.0, 1.0]), (1.0, Some(0.6)), &mut wall)
        .unwrap();
    assert!(matches!(stepper.attempt(1.0, &mut wall), Attempt::Failed(t) if t == 0.6));
    close(stepper.step.next, 0.3, 1e-15);
    assert_eq!(stepper.attempt(1.0, &mut wall), Attempt::Proposed);
    close(stepper.end().y[0], 0.3, 1e-15);
}

#[test]
fn an_accepted_state_may_be_moved_and_a_step_taken_back() {
    let mut free = |_: f64, y: &[f64], dy: &mut [f64]| -> Result<(), Infallible> {
        dy[0] = y[1];
        dy[1] = -y[0];
        Ok(())
    };
    let mut stepper = Radau::with_stages(3, (1, &[0]), LOOSE_TOLERANCE).unwrap();
    stepper
        .begin((0.0, &[1.0, 0.0]), (1.0, Some(0.25)), &mut free)
        .unwrap();
    assert_eq!(stepper.attempt(1.0, &mut free), Attempt::Proposed);
    stepper
        .accept(&mut |t, y: &mut [f64], dy: &mut [f64]| {
            y[0] = 2.0;
            free(t, y, dy)
        })
        .unwrap();
    assert_eq!(stepper.end().slope[1], -2.0);
    let mut y = [0.0; 2];
    stepper.interpolate(1.0, &mut y);
    close(y[0], 2.0, 1e-14);
    stepper.refuse();
    assert_eq!(stepper.step.next, 0.125);
    assert_eq!(stepper.attempt(1.0, &mut free), Attempt::Proposed);
    assert_eq!(stepper.start().t, 0.0);
    close(stepper.end().y[0], 0.125_f64.cos(), 1e-5);
}

/// The second coordinate follows from the first, whatever is carried for it.
#[test]
fn components_that_nothing_depends_on_follow_by_quadrature() {
    let mut chart = |_: f64, y: &[f64], dy: &mut [f64]| -> Result<(), Infallible> {
        let (x, v) = (y[0], y[2]);
        dy[0] = v;
        dy[1] = 2.0 * x * v;
        dy[2] = -x;
        dy[3] = 2.0 * (v * v - x * x);
        Ok(())
    };
    let both = Tolerance {
        rtol: 1e-9,
        atol: 1e-9,
    };
    let mut stepper = Radau::new(2, &[0], both).unwrap();
    stepper
        .begin((0.0, &[1.0, 1.0, 0.0, 0.0]), (3.0, None), &mut chart)
        .unwrap();
    let mut arrived = false;
    while !arrived {
        if stepper.attempt(3.0, &mut chart) == Attempt::Proposed {
            stepper.accept(&mut still(&mut chart)).unwrap();
            arrived = stepper.end().t == 3.0;
        }
    }
    let (s, c) = 3.0_f64.sin_cos();
    let truth = [c, c * c, -s, -2.0 * s * c];
    assert!(apart(stepper.end().y, &truth) < 1e-8);
}
