//! The forces of constraints as columns, F = lambda |grad f| (the lecture note), held against the forces of mechanics.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use holonom::analysis::{Model, Request};
use holonom::solver::Method;
use holonom::system::{System, find};
use std::sync::atomic::AtomicBool;

fn model(text: &str) -> Model {
    Model::new(System::parse(text, "forces", &[]).unwrap())
}

fn columns(model: &Model, columns: &[&str]) -> Vec<Vec<f64>> {
    let columns: Vec<String> = columns.iter().map(|c| (*c).to_owned()).collect();
    let motion = model
        .simulate(&Request::default(), &AtomicBool::new(false))
        .unwrap();
    assert!(motion.finished);
    model.column_values(&motion.samples, &columns).unwrap()
}

fn same(a: &[f64], b: &[f64]) {
    assert!(!a.is_empty() && a.len() == b.len());
    for (a, b) in a.iter().zip(b) {
        assert!((a - b).abs() < 1e-7 * (1.0 + a.abs()), "{a} {b}");
    }
}

#[test]
fn the_tension_of_a_rod_is_weight_along_it_and_centripetal_force() {
    let model = model(find("pendulum").unwrap().text);
    let list = columns(&model, &["F_rod", "m*g*y/l - m*(x'^2 + y'^2)/l"]);
    // a pull is against the gradient
    same(&list[0], &list[1]);
    assert!(list[0].iter().any(|f| *f < -10.0));
}

#[test]
fn a_rod_between_two_bodies_pulls_at_both() {
    let model = model(
        "coordinates: [x, y, u, v]\nparameters: {m: 1, M: 3, l: 2}\nbodies: {a: {mass: m, at: [x, y]}, b: {mass: M, at: [u, v]}}\nconstraints: {rod: (x - u)^2 + (y - v)^2 = l^2}\nstart: {x: 2, y: 0, u: 0, v: 0, x': 0, y': 3, u': 0, v': 0}\nrun: {until: 2}\n",
    );
    // turns at omega = v/l about the common centre: m M/(m + M) omega^2 l
    let list = columns(
        &model,
        &[
            "F_rod",
            "F_rod_a",
            "F_rod_b",
            "F_rod_a_x",
            "F_rod_b_x",
            "F_rod_a_y",
            "m*y''",
        ],
    );
    let pull = -0.75 * 9.0 / 2.0;
    same(&list[1], &vec![pull; list[1].len()]);
    same(&list[2], &list[1]);
    same(&list[0], &vec![pull * 2.0_f64.sqrt(); list[0].len()]);
    let opposite: Vec<f64> = list[4].iter().map(|f| -f).collect();
    same(&list[3], &opposite);
    same(&list[5], &list[6]);
}

#[test]
fn a_velocity_constraint_has_a_force_too() {
    let model = model(
        "coordinates: [x, y]\nparameters: {m: 2, g: 3}\nlagrangian: m/2*(x'^2 + y'^2) - m*g*y\nvelocity_constraints: {slope: y' = x'}\nstart: {x: 0, y: 0, x': 0}\nrun: {until: 1}\n",
    );
    let list = columns(&model, &["F_slope", "m*g/sqrt(2)"]);
    same(&list[0], &list[1]);
}

#[test]
fn a_name_of_the_file_goes_before_a_column() {
    let text = "coordinates: [x, y]\nparameters: {F_rod: 7}\nlagrangian: x'^2/2 + y'^2/2 - F_rod*y\nconstraints: {rod: x^2 + y^2 = 1}\nstart: {x: 1, y: 0, x': 0}\nplots: [{y: [F_rod]}]\n";
    let model = model(text);
    assert_eq!(columns(&model, &["F_rod"])[0][5], 7.0);
    assert_eq!(model.system.taken, ["F_rod"]);
    let notes = model.derive(None).notes;
    assert!(notes.iter().any(|note| note.name() == "name_taken"));
    // defined names too, in the plots of the file
    let text = text.replace("parameters: {F_rod: 7}", "define: {F_rod: 2*y}");
    let model = self::model(&text);
    let drawn = model.system.plots[0].y[0].expr;
    assert_eq!(model.system.pool.print(drawn), "2*y");
}

#[test]
fn a_plot_of_the_file_may_have_a_force() {
    let text = find("pendulum")
        .unwrap()
        .text
        .replace("y: [-2*lambda_rod*l]", "y: [-F_rod]");
    let model = model(&text);
    let drawn = model.system.pool.print(model.system.plots[1].y[0].expr);
    assert_eq!(drawn, "-2*lambda_rod*sqrt(x^2 + y^2)");
}

#[test]
fn a_gradient_that_vanishes_on_its_surface_divides_nothing() {
    for (constraint, lagrangian) in [
        ("(x - y)^2 = 0", "x + 2*y"),
        ("x^2 = 0", "x*y"),
        ("cos(x) = 1", "x"),
        ("x^2*y = 0", "x"),
    ] {
        let text = format!(
            "coordinates: [x, y]\nlagrangian: x'^2 + y'^2 - {lagrangian}\nconstraints: {{c: \"{constraint}\"}}\ndependent: [x]\nstart: {{x: 0, y: 0, y': 1}}\n"
        );
        let model = model(&text);
        let derived = model.derive(None);
        let pool = &model.system.pool;
        let forces = model.account().forces.iter();
        let parts = forces.flat_map(|f| f.direction.iter().map(|d| d.1).chain([f.magnitude]));
        assert!(
            parts.into_iter().all(|e| !pool.is_undefined(e)),
            "{constraint}"
        );
        let branches = derived.in_branches.iter().flatten();
        let all = branches.flat_map(|b| b.equations.iter().chain(&b.multipliers));
        assert!(
            all.into_iter().all(|e| !pool.is_undefined(*e)),
            "{constraint}"
        );
    }
}

/// A step went over all of it, and the balance closed to 0.
#[test]
fn no_step_goes_over_a_force_that_acts_for_a_thousandth() {
    let speed = |force: &str, (from, until): (f64, f64), method: Method| {
        let text = format!(
            "coordinates: [x]\nparameters: {{a: 50.0123}}\nlagrangian: 1/2*x'^2\nforces: {{x: \"{force}\"}}\n\
             start: {{t: {from}, x: 0, x': 0}}\nrun: {{until: {until}}}\n"
        );
        let model = model(&text);
        let request = Request {
            method: Some(method),
            ..Request::default()
        };
        let motion = model.simulate(&request, &AtomicBool::new(false)).unwrap();
        assert!(motion.finished, "{force}: {:?}", motion.because);
        let closure = model.closure(&motion.samples).unwrap();
        assert!(closure.is_doubtful(), "{force}: the samples do not see it");
        motion.samples.last().unwrap().v[0]
    };
    let bell = "1000*exp(-((t - a)/0.001)^2)";
    let box_ = "1000*(sign(t - a) - sign(t - a - 0.001))/2";
    for method in Method::ALL {
        let moved = speed(bell, (0.0, 100.0), method);
        assert!(
            (moved - std::f64::consts::PI.sqrt()).abs() < 1e-8,
            "{moved}"
        );
        let moved = speed(box_, (0.0, 100.0), method);
        assert!((moved - 1.0).abs() < 1e-8, "{moved}");
        let back = speed(box_, (100.0, 0.0), method);
        assert!((back + 1.0).abs() < 1e-8, "{back}");
    }
    let switched = speed("sign(sin(t))", (0.0, 100.0), Method::default());
    let known = 32.0 * std::f64::consts::PI - 100.0;
    assert!((switched - known).abs() < 1e-9, "{switched}");
}
