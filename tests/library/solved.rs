//! The equations solved for accelerations and multipliers: what the solver gives, and what mechanics knows.

#![allow(clippy::unwrap_used, clippy::panic)]

use holonom::analysis::{Model, Request, Solved};
use holonom::system::{System, builtin};
use std::sync::atomic::AtomicBool;

fn model(name: &str, text: &str) -> Model {
    Model::new(System::parse(text, name, &[]).unwrap())
}

/// What the formulas are off by along the motion, in parts of the largest values.
fn off(model: &Model, solved: &Solved) -> f64 {
    let request = Request {
        samples: Some(60),
        rtol: Some(1e-12),
        ..Request::default()
    };
    let motion = model.simulate(&request, &AtomicBool::new(false)).unwrap();
    let end = motion.releases.first().map_or(f64::INFINITY, |r| r.t);
    let samples: Vec<_> = motion.samples.into_iter().filter(|s| s.t < end).collect();
    let list = [
        solved.accelerations.as_slice(),
        &solved.multipliers,
        &[solved.determinant],
    ];
    let mut values = model.evaluate(&samples, &list.concat());
    let determinant = values.pop().unwrap();
    let usual = determinant
        .iter()
        .fold(0.0, |most: f64, d| most.max(d.abs()));
    let mut worst = 0.0_f64;
    for (k, values) in values.iter().enumerate() {
        let own = |i: usize| {
            let s = &samples[i];
            let n = s.a.len();
            if k < n { s.a[k] } else { s.lambda[k - n] }
        };
        let size = (0..samples.len())
            .map(|i| own(i).abs())
            .fold(1e-3, f64::max);
        for (i, value) in values.iter().enumerate() {
            // where it is zero the formulas do not hold
            if determinant[i].abs() > 1e-3 * usual {
                worst = worst.max((value - own(i)).abs() / size);
            }
        }
    }
    worst
}

#[test]
fn formulas_of_built_in_systems_are_what_the_solver_gives() {
    let mut given = Vec::new();
    for known in builtin()
        .iter()
        .filter(|s| !s.text.contains("\nobjective:"))
    {
        let model = model(known.name, known.text);
        let Ok(solved) = model.solved() else {
            continue;
        };
        let miss = off(&model, &solved);
        assert!(miss < 1e-7, "{}: off by {miss}", known.name);
        given.push(known.name);
    }
    for known in [
        "bead_on_parabola",
        "pendulum",
        "atwood_machine",
        "rotating_rod",
        "rolling_disc",
    ] {
        assert!(given.contains(&known), "{known}: {given:?}");
    }
    assert!(given.len() >= 15, "{given:?}");
}

#[test]
fn what_lecturers_know_is_what_is_written() {
    let written = |text: &str| -> Vec<String> {
        let model = model("known", text);
        let solved = model.solved().unwrap();
        assert!(off(&model, &solved) < 1e-8);
        let all = solved.accelerations.iter().chain(&solved.multipliers);
        all.map(|e| model.system.pool.print(*e)).collect()
    };
    // Atwood's machine, and a pendulum with its length in the place of x^2 + y^2
    let atwood = written(
        "coordinates: [y1, y2]\nparameters: {m: 1, M: 2, g: 9.81, l: 3}\npositive: [m, M]\n\
         lagrangian: 1/2*m*y1'^2 + 1/2*M*y2'^2 - m*g*y1 - M*g*y2\nconstraints: {rope: y1 + y2 = l}\n\
         start: {y1: 1, y1': 0}\nrun: {until: 1}\n",
    );
    assert_eq!(atwood[2], "2*m*M*g/(m + M)");
    let pendulum = written(
        "coordinates: [x, y]\nparameters: {m: 1, g: 9.81, l: 2}\npositive: [m, l]\n\
         lagrangian: 1/2*m*(x'^2 + y'^2) - m*g*y\nconstraints: {rod: x^2 + y^2 = l^2}\n\
         start: {x: 1, x': 0}\nguess: {y: -1}\nrun: {until: 1}\n",
    );
    assert!(
        pendulum[2].contains("l^2") && !pendulum[2].contains("x^2"),
        "{pendulum:?}"
    );
    // a hoop on a cylinder that it rolls on
    let hoop = written(
        "coordinates: [r, th, ph]\nparameters: {m: 1, R: 2, a: 0.5, g: 9.81}\npositive: [m, R, a]\n\
         lagrangian: 1/2*m*(r'^2 + r^2*th'^2) + 1/2*m*a^2*ph'^2 - m*g*r*cos(th)\n\
         constraints: {touch: r = R + a, roll: (R + a)*th = a*ph}\nstart: {th: 0.1, th': 0}\nrun: {until: 0.5}\n",
    );
    assert_eq!(hoop[1], "g*sin(th)/(2*(R + a))");
}
