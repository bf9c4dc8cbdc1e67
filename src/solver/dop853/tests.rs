//! The tableau against the order conditions; steps and dense output against exact solutions.

use std::convert::Infallible;

use super::tableau::Row;
use super::*;
use crate::solver::step::still;

fn close(a: f64, b: f64, tolerance: f64) {
    assert!(
        (a - b).abs() <= tolerance,
        "{a} and {b} differ by more than {tolerance}"
    );
}

fn weight(row: Row, s: usize) -> f64 {
    row.iter()
        .find(|(stage, _)| *stage == s)
        .map_or(0.0, |(_, a)| *a)
}

#[test]
fn rows_of_the_tableau_sum_to_the_nodes() {
    for s in 0..ALL {
        close(A[s].iter().map(|(_, a)| a).sum(), C[s], 1e-14);
        assert!(A[s].iter().all(|(stage, _)| *stage < s), "explicit");
    }
}

#[test]
fn weights_satisfy_the_quadrature_conditions_to_order_eight() {
    let b = A[STAGES];
    for k in 0..8 {
        let sum: f64 = b.iter().map(|&(s, b)| b * C[s].powi(k)).sum();
        close(sum, 1.0 / f64::from(k + 1), 1e-14);
    }
    let ninth: f64 = b.iter().map(|&(s, b)| b * C[s].powi(8)).sum();
    assert!((ninth - 1.0 / 9.0).abs() > 1e-7, "order nine would be news");
}

#[test]
fn weights_satisfy_conditions_of_branched_trees() {
    // sum b_i c_i^p a_ij c_j^q = 1 / ((q + 1) (p + q + 2)) for p + q + 2 <= 8, and the chains
    let b = A[STAGES];
    for p in 0..6 {
        for q in 1..=(6 - p) {
            let sum: f64 = b
                .iter()
                .map(|&(i, b)| {
                    b * C[i].powi(p) * A[i].iter().map(|&(j, a)| a * C[j].powi(q)).sum::<f64>()
                })
                .sum();
            close(sum, 1.0 / f64::from((q + 1) * (p + q + 2)), 1e-13);
        }
    }
    // the tall tree of each order: b A^k 1 = 1 / (k + 1)!
    let mut column: Vec<f64> = vec![1.0; STAGES];
    let mut factorial = 1.0;
    for order in 1..=8 {
        factorial *= f64::from(order);
        let sum: f64 = (0..STAGES).map(|i| weight(b, i) * column[i]).sum();
        close(sum, 1.0 / factorial, 1e-14);
        column = (0..STAGES)
            .map(|i| A[i].iter().map(|&(j, a)| a * column[j]).sum())
            .collect();
    }
}

#[test]
fn error_estimates_vanish_on_low_orders() {
    for k in 0..3 {
        close(E3.iter().map(|&(s, e)| e * C[s].powi(k)).sum(), 0.0, 1e-14);
    }
    for k in 0..5 {
        close(E5.iter().map(|&(s, e)| e * C[s].powi(k)).sum(), 0.0, 1e-14);
    }
}

/// y1' = -y2 + (t-dependent), with the exact solution y = (cos t^2, sin t^2): not autonomous, not linear in t.
#[allow(clippy::unnecessary_wraps)]
fn turning(t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Infallible> {
    let r = (y[0] * y[0] + y[1] * y[1]).sqrt();
    dy[0] = -2.0 * t * y[1] / r;
    dy[1] = 2.0 * t * y[0] * r;
    Ok(())
}

fn exact(t: f64) -> [f64; 2] {
    [(t * t).cos(), (t * t).sin()]
}

/// The end error and the largest dense error of `count` equal steps from 0.5 to 1.5.
fn equal_steps(count: u32) -> (f64, f64) {
    let loose = Tolerance {
        rtol: 1e3,
        atol: 1e3,
    };
    let mut stepper = Dop853::new(2, loose);
    let h = 1.0 / f64::from(count);
    stepper
        .begin((0.5, &exact(0.5)), 1.5, &mut turning)
        .unwrap();
    let mut dense = 0.0_f64;
    for _ in 0..count {
        stepper.step.next = h;
        assert_eq!(stepper.attempt(1.5, &mut turning), Attempt::Proposed);
        stepper.accept(&mut still(&mut turning)).unwrap();
        // the local error of the dense output, from the exact start of a step
        let mut fresh = Dop853::new(2, loose);
        let t = stepper.start().t;
        fresh.begin((t, &exact(t)), 1.5, &mut turning).unwrap();
        fresh.step.next = h;
        fresh.attempt(t + h, &mut turning);
        fresh.accept(&mut still(&mut turning)).unwrap();
        fresh.prepare(&mut turning).unwrap();
        for part in [0.13, 0.37, 0.5, 0.71, 0.94] {
            let mut y = [0.0; 2];
            fresh.interpolate(part, &mut y);
            let truth = exact(t + part * fresh.step.taken);
            dense = dense
                .max((y[0] - truth[0]).abs())
                .max((y[1] - truth[1]).abs());
        }
    }
    let Knot { t, y, .. } = stepper.end();
    close(t, 1.5, 1e-12);
    let truth = exact(1.5);
    ((y[0] - truth[0]).abs().max((y[1] - truth[1]).abs()), dense)
}

#[test]
fn steps_converge_with_order_eight_and_dense_output_with_order_seven() {
    let (coarse, coarse_dense) = equal_steps(5);
    let (fine, fine_dense) = equal_steps(10);
    let order = (coarse / fine).log2();
    assert!(
        order > 7.6 && order < 10.5,
        "steps: {coarse:e} -> {fine:e}, order {order}"
    );
    let order = (coarse_dense / fine_dense).log2();
    assert!(
        order > 7.3 && order < 9.5,
        "dense (local): {coarse_dense:e} -> {fine_dense:e}, order {order}"
    );
}

fn run(start: f64, end: f64, tolerance: f64) -> (f64, usize) {
    let mut stepper = Dop853::new(
        2,
        Tolerance {
            rtol: tolerance,
            atol: tolerance,
        },
    );
    stepper
        .begin((start, &exact(start)), end, &mut turning)
        .unwrap();
    let mut steps = 0;
    loop {
        steps += 1;
        assert!(steps < 10_000);
        if stepper.attempt(end, &mut turning) == Attempt::Proposed {
            stepper.accept(&mut still(&mut turning)).unwrap();
            if stepper.end().t == end {
                break;
            }
        }
    }
    let Knot { y, .. } = stepper.end();
    let truth = exact(end);
    ((y[0] - truth[0]).abs().max((y[1] - truth[1]).abs()), steps)
}

#[test]
fn step_control_keeps_the_tolerance_forward_and_backward() {
    for tolerance in [1e-6, 1e-9, 1e-12] {
        for (start, end) in [(0.0, 3.0), (3.0, -1.0)] {
            let (error, _) = run(start, end, tolerance);
            assert!(
                error < 100.0 * tolerance,
                "{start} -> {end} at {tolerance:e}: {error:e}"
            );
        }
    }
}

#[test]
fn a_right_hand_side_that_fails_halves_the_step() {
    let mut stepper = Dop853::new(
        2,
        Tolerance {
            rtol: 1e-6,
            atol: 1e-6,
        },
    );
    let mut wall = |t: f64, _: &[f64], dy: &mut [f64]| {
        dy.fill(1.0);
        if t > 0.5 { Err(t) } else { Ok(()) }
    };
    stepper.begin((0.0, &[0.0; 2]), 1.0, &mut wall).unwrap();
    stepper.step.next = 0.6;
    assert!(matches!(
        stepper.attempt(1.0, &mut wall),
        Attempt::Failed(_)
    ));
    close(stepper.step.next, 0.3, 1e-15);
    assert_eq!(stepper.attempt(1.0, &mut wall), Attempt::Proposed);
}

#[test]
fn an_accepted_state_may_be_moved() {
    let mut stepper = Dop853::new(
        2,
        Tolerance {
            rtol: 1e-6,
            atol: 1e-6,
        },
    );
    let mut decay = |_: f64, y: &[f64], dy: &mut [f64]| -> Result<(), Infallible> {
        dy.copy_from_slice(&[-y[0], -y[1]]);
        Ok(())
    };
    stepper.begin((0.0, &[1.0; 2]), 1.0, &mut decay).unwrap();
    assert_eq!(stepper.attempt(1.0, &mut decay), Attempt::Proposed);
    stepper
        .accept(&mut |t, y: &mut [f64], dy: &mut [f64]| {
            y.fill(2.0);
            decay(t, y, dy)
        })
        .unwrap();
    assert_eq!(stepper.end().slope, &[-2.0; 2]);
    stepper.prepare(&mut decay).unwrap();
    let mut y = [0.0; 2];
    stepper.interpolate(1.0, &mut y);
    close(y[0], 2.0, 1e-15);
}
