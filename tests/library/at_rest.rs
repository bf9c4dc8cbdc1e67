//! The multipliers eliminated at rest, and equilibria in closed form.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use holonom::analysis::Model;
use holonom::system::{System, find};

fn model(text: &str) -> Model {
    Model::new(System::parse(text, "rest", &[]).unwrap())
}

/// Closed forms as text, their values and multipliers, in the order of the values.
fn closed(model: &Model) -> Vec<(Vec<String>, Vec<f64>, Vec<f64>)> {
    let rest = model.derive_at_rest(&model.derive(None));
    let mut list: Vec<_> = rest
        .closed
        .iter()
        .map(|own| {
            let x = own.x.iter().map(|e| model.system.pool.print(*e)).collect();
            (x, own.at.clone(), own.multipliers.clone())
        })
        .collect();
    list.sort_by(|a: &(Vec<String>, Vec<f64>, Vec<f64>), b| {
        a.1.iter()
            .zip(&b.1)
            .map(|(a, b)| a.total_cmp(b))
            .find(|o| o.is_ne())
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    list
}

#[test]
fn a_pendulum_hangs_or_stands() {
    let model = model(find("pendulum").unwrap().text);
    let rest = model.derive_at_rest(&model.derive(None));
    let pool = &model.system.pool;
    // P + lambda A = 0 without lambda: x * m g = 0, no division by y
    let (_, e) = rest.eliminated.as_ref().unwrap()[0];
    assert_eq!(
        pool.print(
            pool.factors(e)
                .factors
                .iter()
                .map(|(f, _)| *f)
                .find(|f| *f == model.system.coordinates[0].x)
                .unwrap()
        ),
        "x"
    );
    let list = closed(&model);
    assert_eq!(list.len(), 2, "{list:?}");
    for ((_, at, lambda), y) in list.iter().zip([-1.0, 1.0]) {
        assert!(at[0].abs() < 1e-12 && (at[1] - y).abs() < 1e-12);
        assert!((lambda[0] - 9.81 / (2.0 * y)).abs() < 1e-9);
    }
}

#[test]
fn an_equilibrium_where_the_choice_fails_is_not_lost() {
    // with x1 dependent the bottom of the wire is where the theorem fails
    let model = model(find("bead_on_parabola").unwrap().text);
    let list = closed(&model);
    assert_eq!(list.len(), 1);
    assert_eq!(list[0].0, ["0", "0"]);
    assert!((list[0].2[0] - 9.81).abs() < 1e-9);
}

#[test]
fn closed_forms_are_those_of_the_parameters() {
    let text = "coordinates: [x, y]\nparameters: {m: 2, g: 9.81, a: 0.7}\npositive: [a]\nlagrangian: m/2*(x'^2 + y'^2) - m*g*y\nconstraints: {hoop: x^2 + y^2 = a^2}\n";
    let list = closed(&model(text));
    assert_eq!(list.len(), 2);
    assert_eq!(list[0].0, ["0", "-a"]);
    assert_eq!(list[1].0, ["0", "a"]);
}

#[test]
fn the_extrema_of_an_objective_in_closed_form() {
    let list = closed(&model(
        "coordinates: [x, y]\nobjective: x*y\nconstraints: {circle: x^2 + y^2 = 2}\n",
    ));
    assert_eq!(list.len(), 4, "{list:?}");
    for (_, at, lambda) in &list {
        // grad (x y) = lambda grad (x^2 + y^2)
        assert!((at[0].abs() - 1.0).abs() < 1e-12 && (at[1].abs() - 1.0).abs() < 1e-12);
        assert!((lambda[0] - 0.5 * at[0] * at[1]).abs() < 1e-12);
    }
}

/// What is told of equilibria in closed form: whether each pushes.
fn pushes(model: &Model) -> Vec<(Vec<f64>, bool)> {
    let rest = model.derive_at_rest(&model.derive(None));
    let all = rest.closed.iter();
    all.map(|own| (own.at.clone(), own.pulled.is_empty()))
        .collect()
}

#[test]
fn a_one_sided_constraint_that_would_have_to_pull_holds_no_equilibrium() {
    let text = |level: &str| {
        format!(
            "coordinates: [x, y]\nkinetic: (x'^2 + y'^2)/2\npotential: y\nconstraints: {{w: {{{level}}}}}\n"
        )
    };
    for (level, wanted) in [
        ("f: x^2 + y^2, c: 1, side: '>='", [true, false]),
        ("f: -x^2 - y^2, c: -1, side: '>='", [false, true]),
        ("f: x^2 + y^2, c: 1", [true, true]),
    ] {
        let model = model(&text(level));
        let mut list = pushes(&model);
        list.sort_by(|a, b| b.0[1].total_cmp(&a.0[1]));
        let own: Vec<bool> = list.iter().map(|(_, pushes)| *pushes).collect();
        assert_eq!(own, wanted, "{level}: {list:?}");
    }
}
