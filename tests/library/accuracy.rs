//! The global error of every method against reference states, as a table: `cargo test --test library accuracy
//! -- --nocapture` prints it.
//!
//! The states in `tests/reference/trajectories.json` were made by an extrapolation integrator in quadruple
//! precision, in two formulations and at two tolerances that agree to the digits each state is marked
//! with (18 and more); its `about` says in which coordinates. rtol = atol = the tolerance; an error is
//! relative to max(1, |value|), and each column of the table is in units of the tolerance.

#![allow(clippy::unwrap_used, clippy::cast_precision_loss, clippy::panic)]

use holonom::analysis::{CompiledSystem, Model, Request};
use holonom::solver::{ConstraintValue, Dynamics, Method, Motion, Sample, Stiff};
use holonom::system::{System, find};
use serde_json::Value;
use std::fmt::Write;
use std::sync::atomic::AtomicBool;

/// The global error stays within so many tolerances.
const WITHIN: f64 = 100.0;
/// Units in the last place of its terms that a residual may be, beyond those of the evaluation itself.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

static GO: AtomicBool = AtomicBool::new(false);

struct State {
    t: f64,
    x: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
    lambda: Vec<f64>,
}

/// The reference states of a motion, the start first.
fn states(name: &str) -> Vec<State> {
    let file: Value = serde_json::from_str(include_str!("../reference/trajectories.json")).unwrap();
    let list = |v: &Value| -> Vec<f64> {
        let entries = v.as_array().unwrap().iter();
        entries.map(|e| e.as_f64().unwrap()).collect()
    };
    let states = file["trajectories"][name]["states"].as_array().unwrap();
    let read = |s: &Value| State {
        t: s["t"].as_f64().unwrap(),
        x: list(&s["q"]),
        v: list(&s["v"]),
        a: list(&s["a"]),
        lambda: list(&s["lambda"]),
    };
    states.iter().map(read).collect()
}

/// The masses and rods of `Chain` in the reference, as a file.
pub fn chain(links: usize) -> String {
    let join = |each: &dyn Fn(usize) -> String, between: &str| {
        let parts: Vec<String> = (1..=links).map(each).collect();
        parts.join(between)
    };
    let rods = join(
        &|i| match i {
            1 => "  rod1: {f: x1^2 + y1^2, c: 1}".to_owned(),
            _ => format!(
                "  rod{i}: {{f: (x{i} - x{0})^2 + (y{i} - y{0})^2, c: 1}}",
                i - 1
            ),
        },
        "\n",
    );
    format!(
        "coordinates: [{}]\nparameters: {{g: 9.81}}\nkinetic: {}\npotential: {}\nconstraints:\n{rods}\nstart: {{{}}}\n",
        join(&|i| format!("x{i}, y{i}"), ", "),
        join(&|i| format!("(x{i}'^2 + y{i}'^2)/2"), " + "),
        join(&|i| format!("g*y{i}"), " + "),
        join(&|i| format!("x{i}: {i}, y{i}: 0"), ", "),
    )
}

const BEAD: &str = "coordinates: [x1, x2]
kinetic: (x1'^2 + x2'^2)/2
potential: 9.81*x2
constraints: {wire: x2 - x1^2}
dependent: [x1]
start: {x1: 1, x2: 1}
";

const PRODUCT_AND_SUM: &str = "coordinates: [x1, x2, x3]
kinetic: (x1'^2 + x2'^2 + x3'^2)/2
potential: (x1^2 + x2^2 + x3^2)/2
constraints: {product: {f: x1*x2*x3, c: 1/2}, sum: {f: x1 + x2, c: 3}}
dependent: [x1, x2]
start: {x1: (3 + sqrt(7))/2, x2: (3 - sqrt(7))/2, x3: 1}
";

const PENDULUM: &str = "coordinates: [x1, x2]
kinetic: (x1'^2 + x2'^2)/2
potential: 9.81*x2
constraints: {rod: {f: x1^2 + x2^2, c: 1}}
start: {x1: 1, x2: 0}
";

/// A system, its reference, and how finely it is looked at.
struct Case {
    reference: &'static str,
    text: String,
    /// Equal parts of the run such that every reference state is a sample.
    samples: usize,
    /// Kept along the motion; its first value is that at the start.
    balance: &'static str,
    tolerances: &'static [f64],
    steppers: &'static [Stiff],
}

const ALL: [f64; 7] = [1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11];
const BOTH: [Stiff; 2] = [Stiff::Auto, Stiff::Always];

/// max |a - b| / max(1, |b|).
fn apart(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    let pairs = a.iter().zip(b);
    pairs
        .map(|(a, b)| (a - b).abs() / b.abs().max(1.0))
        .fold(0.0, f64::max)
}

/// max |a - b| relative to the largest of b.
fn relative(a: &[f64], b: &[f64]) -> f64 {
    let size = b.iter().fold(f64::MIN_POSITIVE, |m, e| m.max(e.abs()));
    let pairs = a.iter().zip(b);
    pairs.map(|(a, b)| (a - b).abs() / size).fold(0.0, f64::max)
}

/// Position and velocity are on the constraints to rounding.
fn on_the_constraints(dynamics: &dyn Dynamics, sample: &Sample, what: &str) {
    let (n, m) = (sample.x.len(), sample.lambda.len());
    let mut here = ConstraintValue::new(n, m);
    dynamics.constraint(sample.t, &sample.x, &mut here);
    for b in 0..m {
        let off = here.residual[b].abs() / here.scale[b];
        assert!(off <= ROUNDING, "{what} t = {}: f {off:e}", sample.t);
        let terms = (0..n).map(|k| here.jacobian[(b, k)] * sample.v[k]);
        let (sum, size) = terms.fold((here.f_t[b], here.f_t[b].abs()), |(sum, size), e| {
            (sum + e, size + e.abs())
        });
        // velocities are carried to rounding of the largest
        let fastest = sample.v.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
        let steepest = here.jacobian.row(b).amax();
        let off = sum.abs() / size.max(fastest * steepest).max(f64::MIN_POSITIVE);
        assert!(off <= ROUNDING, "{what} t = {}: f' {off:e}", sample.t);
    }
}

/// How far a kept quantity strays, relative to the largest kinetic energy.
fn imbalance(model: &Model, motion: &Motion, balance: &str) -> f64 {
    let values = model.column_values(&motion.samples, &[balance.to_owned(), "energy".to_owned()]);
    let [kept, energy] = values.unwrap().try_into().unwrap();
    let lagrangian = model
        .evaluate(&motion.samples, &[model.system.lagrangian])
        .remove(0);
    let kinetic = energy.iter().zip(&lagrangian).map(|(h, l)| 0.5 * (h + l));
    let size = kinetic.fold(0.0, f64::max);
    let stray = kept.iter().map(|e| (e - kept[0]).abs());
    stray.fold(0.0, f64::max) / size
}

fn check(case: &Case) {
    let states = states(case.reference);
    let system = System::parse(&case.text, case.reference, &[]);
    let model = Model::new(system.unwrap_or_else(|e| panic!("{}", e[0])));
    let compiled = CompiledSystem::new(&model.system, &model.equations, &model.theorem);
    let until = states.last().unwrap().t;
    let mut table = String::new();
    let mut failed = false;
    for method in Method::ALL {
        for &stiff in case.steppers {
            for &tolerance in case.tolerances {
                let request = Request {
                    until: Some(until),
                    method: Some(method),
                    rtol: Some(tolerance),
                    atol: Some(tolerance),
                    samples: Some(case.samples),
                    stiff: Some(stiff),
                    ..Request::default()
                };
                let motion = model.simulate(&request, &GO).unwrap();
                let what = format!("{} {method} {tolerance:e}", case.reference);
                assert_eq!(motion.because, None, "{what}");
                let mut worst = [0.0_f64; 4];
                for state in &states {
                    let part = state.t / until * case.samples as f64;
                    let sample = &motion.samples[part.round() as usize];
                    assert!((sample.t - state.t).abs() <= 1e-15 * until);
                    let errors = [
                        apart(&sample.x, &state.x),
                        apart(&sample.v, &state.v),
                        relative(&sample.a, &state.a),
                        // at rest in free fall there are none to compare with
                        if state.lambda.iter().all(|l| *l == 0.0) {
                            0.0
                        } else {
                            relative(&sample.lambda, &state.lambda)
                        },
                    ];
                    for (w, e) in worst.iter_mut().zip(errors) {
                        *w = w.max(e / tolerance);
                    }
                }
                for sample in &motion.samples {
                    on_the_constraints(&compiled, sample, &what);
                }
                let balance = imbalance(&model, &motion, case.balance) / tolerance;
                let [x, v, a, lambda] = worst;
                let _ = writeln!(
                    table,
                    "{:<22} {method:<11} {:<6} {tolerance:.0e} {x:>9.3} {v:>9.3} {a:>9.3} {lambda:>9.3} {balance:>9.3} {:>6} {:>7}",
                    case.reference, motion.work[0].stepper, motion.steps, motion.evaluations
                );
                let right = x.max(v) <= WITHIN
                    && lambda <= 10.0 * a.max(1.0)
                    && a <= 3.0 * WITHIN
                    && balance <= WITHIN;
                failed |= !right;
            }
        }
    }
    println!(
        "system                 method      stepper  tol   x         v         a    lambda    energy  steps   evals\n{table}"
    );
    assert!(!failed, "\n{table}");
}

#[test]
fn bead_on_a_parabola() {
    check(&Case {
        reference: "nrl_10_parabola",
        text: BEAD.to_owned(),
        samples: 10,
        balance: "energy",
        tolerances: &ALL,
        steppers: &BOTH,
    });
}

#[test]
fn product_and_sum() {
    check(&Case {
        reference: "nrl_12_product_and_sum",
        text: PRODUCT_AND_SUM.to_owned(),
        samples: 10,
        balance: "energy",
        tolerances: &ALL,
        steppers: &BOTH,
    });
}

#[test]
fn pendulum() {
    check(&Case {
        reference: "pendulum",
        text: PENDULUM.to_owned(),
        samples: 10,
        balance: "energy",
        tolerances: &ALL,
        steppers: &BOTH,
    });
}

#[test]
fn chain_of_2() {
    check(&Case {
        reference: "chain_2",
        text: chain(2),
        samples: 5,
        balance: "energy",
        tolerances: &ALL,
        steppers: &BOTH,
    });
}

#[test]
fn chain_of_10() {
    check(&Case {
        reference: "chain_10",
        text: chain(10),
        samples: 5,
        balance: "energy",
        tolerances: &ALL,
        steppers: &[Stiff::Auto],
    });
}

#[test]
fn chain_of_50() {
    check(&Case {
        reference: "chain_50",
        text: chain(50),
        samples: 4,
        balance: "energy",
        tolerances: &ALL,
        steppers: &[Stiff::Auto],
    });
}

#[test]
fn andrews() {
    check(&Case {
        reference: "andrews",
        text: find("andrews").unwrap().text.to_owned(),
        samples: 3,
        balance: "energy - mom*be",
        tolerances: &ALL,
        steppers: &BOTH,
    });
}

/// y = 1/(1 - t), or y' so, held by two rows that become parallel at t = 1: the steps see no rounding of what the equations
/// with both multipliers leave after M is eliminated.
#[test]
fn rows_that_become_parallel_cost_no_steps() {
    let own = "coordinates: [x, y]\nkinetic: (x'^2 + y'^2)/2\nrun: {until: 0.99999, samples: 2}\n";
    let held = "constraints: {a: x = 0, b: x + (1 - t)*y = 1}\n";
    let rolled = "velocity_constraints: {a: x' = 0, b: x' + (1 - t)*y' = 1}\nstart: {y: 0}\n";
    for (text, rolls) in [(held, false), (rolled, true)] {
        let model = Model::new(System::parse(&format!("{own}{text}"), "test", &[]).unwrap());
        for method in Method::ALL {
            for rtol in [1e-6, 1e-8, 1e-11] {
                let request = Request {
                    method: Some(method),
                    rtol: Some(rtol),
                    stiff: Some(Stiff::Never),
                    ..Request::default()
                };
                let motion = model.simulate(&request, &GO).unwrap();
                let what = format!("{text}{method} {rtol}: {} steps", motion.steps);
                assert!(motion.finished && motion.steps < 1500, "{what}");
                let last = motion.samples.last().unwrap();
                let (y, known) = if rolls {
                    (last.v[1], 1e5)
                } else {
                    (last.x[1], 1e5)
                };
                assert!((y / known - 1.0).abs() < 1e-6, "{what}: {y}");
            }
        }
    }
}

#[test]
fn a_force_that_comes_and_goes_within_a_step_is_seen_where_samples_lie() {
    let pulse = |f: &str| {
        format!(
            "coordinates: [x]\nlagrangian: x'^2/2\nforces: {{x: \"{f}\"}}\nstart: {{x: 0, x': 0}}\nrun: {{until: 10}}\n"
        )
    };
    for (f, speed) in [
        ("(1 - sign((t - 5.01)^2 - 0.01))/2", 0.2),
        (
            "exp(-((t - 5.01)/0.02)^2)",
            0.02 * std::f64::consts::PI.sqrt(),
        ),
    ] {
        let model = Model::new(System::parse(&pulse(f), "pulse", &[]).unwrap());
        let motion = model
            .simulate(&Request::default(), &AtomicBool::new(false))
            .unwrap();
        let end = motion.samples.last().unwrap();
        assert!((end.v[0] - speed).abs() < 1e-8, "{f}: {}", end.v[0]);
    }
}

#[test]
fn a_motion_far_from_the_origin_of_time_is_the_same() {
    for start in [0.0, 1.7e9, -3e11] {
        let text = format!(
            "coordinates: [x]\nlagrangian: x'^2/2 - 50*x^2\nstart: {{t: {start}, x: 1, x': 0}}\nrun: {{until: {start} + 10, samples: 100}}\n"
        );
        let model = Model::new(System::parse(&text, "far", &[]).unwrap());
        let motion = model.simulate(&Request::default(), &GO).unwrap();
        for sample in &motion.samples {
            let off = sample.x[0] - (10.0 * (sample.t - start)).cos();
            assert!(off.abs() < 1e-7, "{start}: {off} at {}", sample.t - start);
        }
    }
}
