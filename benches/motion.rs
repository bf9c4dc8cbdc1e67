//! How dear the general way is: systems from their files against the same equations written by hand,
//! on the same stepper, in one run, as ratios; and what a keystroke in the workbench costs.
//!
//! `cargo bench` prints a table; nothing is asserted.

use holonom::analysis::{Analysis, Model, Overrides};
use holonom::solver::{
    ConstraintValue, Dynamics, Instant, Method, Options, Problem, Start, consistent_start, simulate,
};
use holonom::system::{System, builtin};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The bead on x2 = x1^2, m = 1, by hand.
struct Bead;

impl Dynamics for Bead {
    fn coordinates(&self) -> usize {
        2
    }
    fn constraints(&self) -> usize {
        1
    }
    fn constraint(&self, _t: f64, x: &[f64], out: &mut ConstraintValue) {
        out.residual[0] = x[1] - x[0] * x[0];
        out.scale[0] = x[1].abs() + x[0] * x[0] + f64::MIN_POSITIVE;
        out.f_t[0] = 0.0;
        out.jacobian[(0, 0)] = -2.0 * x[0];
        out.jacobian[(0, 1)] = 1.0;
    }
    fn instant(&self, t: f64, x: &[f64], v: &[f64], out: &mut Instant) {
        self.constraint(t, x, &mut out.constraint);
        out.mass.fill_with_identity();
        out.bias[0] = 0.0;
        out.bias[1] = 9.81;
        out.gamma[0] = 2.0 * v[0] * v[0];
        out.energy = 0.5 * (v[0] * v[0] + v[1] * v[1]) + 9.81 * x[1];
    }
    fn factors(&self, _t: f64, x: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.push(x[0]);
    }
}

/// x1 x2 x3 = 1/2, x1 + x2 = 3, m = k = 1, by hand.
struct ProductAndSum;

impl Dynamics for ProductAndSum {
    fn coordinates(&self) -> usize {
        3
    }
    fn constraints(&self) -> usize {
        2
    }
    fn constraint(&self, _t: f64, x: &[f64], out: &mut ConstraintValue) {
        let product = x[0] * x[1] * x[2];
        out.residual[0] = product - 0.5;
        out.residual[1] = x[0] + x[1] - 3.0;
        out.scale[0] = product.abs() + 0.5;
        out.scale[1] = x[0].abs() + x[1].abs() + 3.0;
        out.f_t.fill(0.0);
        out.jacobian[(0, 0)] = x[1] * x[2];
        out.jacobian[(0, 1)] = x[0] * x[2];
        out.jacobian[(0, 2)] = x[0] * x[1];
        out.jacobian[(1, 0)] = 1.0;
        out.jacobian[(1, 1)] = 1.0;
        out.jacobian[(1, 2)] = 0.0;
    }
    fn instant(&self, t: f64, x: &[f64], v: &[f64], out: &mut Instant) {
        self.constraint(t, x, &mut out.constraint);
        out.mass.fill_with_identity();
        let mut energy = 0.0;
        for k in 0..3 {
            out.bias[k] = x[k];
            energy += 0.5 * (v[k] * v[k] + x[k] * x[k]);
        }
        out.gamma[0] = -2.0 * (x[2] * v[0] * v[1] + x[1] * v[0] * v[2] + x[0] * v[1] * v[2]);
        out.gamma[1] = 0.0;
        out.energy = energy;
    }
    fn factors(&self, _t: f64, x: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.push(x[2]);
        out.push(x[0] - x[1]);
    }
}

/// The median time of several runs, in turn with others.
fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64()
}

fn timed(mut run: impl FnMut()) -> Duration {
    let begin = std::time::Instant::now();
    run();
    begin.elapsed()
}

fn against_hand(name: &str, by_hand: &dyn Dynamics, until: f64) {
    let Some(found) = builtin().iter().find(|b| b.name == name) else {
        return;
    };
    let Ok(system) = System::parse(found.text, name, &[]) else {
        return;
    };
    let model = Model::new(system);
    let Ok(start) = model.start(&Overrides::default()) else {
        return;
    };
    let dependent = model.choice(None, (start.t, &start.x), &start.correction);
    let compiled = model.compiled(&dependent);
    let problem = model.problem(&compiled, &dependent);
    let hand = Problem {
        dynamics: by_hand,
        ..problem.clone()
    };
    for method in Method::ALL {
        let options = Options {
            until,
            method,
            samples: 1,
            ..Options::default()
        };
        let run = |problem: &Problem<'_>, start: &Start| {
            let motion = simulate(problem, start, &options, &AtomicBool::new(false));
            std::hint::black_box(motion.steps);
        };
        let (mut file, mut code) = (Vec::new(), Vec::new());
        for _ in 0..31 {
            file.push(timed(|| run(&problem, &start)));
            code.push(timed(|| run(&hand, &start)));
        }
        let (file, code) = (median(file), median(code));
        println!(
            "{name:<18} {method:<12} file {:>7.3} ms   by hand {:>7.3} ms   ratio {:.2}",
            1e3 * file,
            1e3 * code,
            file / code
        );
    }
    std::hint::black_box(consistent_start(&hand, &model.given(&Overrides::default())).is_ok());
}

fn main() {
    println!("whole runs, from the file and by hand, rtol 1e-9");
    against_hand("bead_on_parabola", &Bead, 10.0);
    against_hand("product_and_sum", &ProductAndSum, 5.0);
    println!("\na keystroke: text to new analysis and motion (1001 samples)");
    for system in builtin() {
        let times = (0..31)
            .map(|_| {
                timed(|| {
                    if let Ok(parsed) = System::parse(system.text, system.name, &[]) {
                        let analysis = Analysis::new(parsed, &AtomicBool::new(false));
                        std::hint::black_box(analysis.is_ok());
                    }
                })
            })
            .collect();
        println!("{:<18} {:>7.2} ms", system.name, 1e3 * median(times));
    }
}
