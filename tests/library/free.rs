//! A parameter made a coordinate: the multiplier of what holds it, against forces worked out by hand.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use holonom::analysis::{Model, Overrides, Request, Where};
use holonom::system::{Changes, Diagnostic, System};
use std::sync::atomic::AtomicBool;

fn freed(text: &str, names: &[&str]) -> Result<Model, Vec<Diagnostic>> {
    let changes = Changes {
        set: Vec::new(),
        free: names.iter().map(|name| (*name).to_owned()).collect(),
        ..Changes::default()
    };
    System::changed(text, "test", &changes).map(Model::new)
}

const PLANE: &str = "
coordinates: [th]
parameters: {m: 2, l: 0.5, g: 9.81}
bodies: {bob: {mass: m, at: [l*sin(th), -l*cos(th)]}}
gravity: [0, -g]
start: {th: pi/3, th': 0.4}
run: {until: 2}
";

/// Rows of these columns.
fn motion(model: &Model, columns: &[&str]) -> Vec<Vec<f64>> {
    let names: Vec<String> = columns.iter().map(|c| (*c).to_owned()).collect();
    let go = AtomicBool::new(false);
    let run = model.run(&Request::default(), Some(&names), &go).unwrap();
    run.table.rows
}

#[test]
fn a_rod_pulls_with_weight_and_centripetal_force() {
    let model = freed(PLANE, &["l"]).unwrap();
    let names: Vec<&str> = model.system.coordinates.iter().map(|c| &*c.name).collect();
    assert_eq!(names, ["th", "l"]);
    assert_eq!(model.system.constraints[0].name, "free_l");
    let (m, l, g) = (2.0, 0.5, 9.81);
    let rows = motion(&model, &["th", "th'", "lambda_free_l", "l", "l'"]);
    assert!(rows.len() > 100);
    for row in rows {
        let pull = m * l * row[1] * row[1] + m * g * row[0].cos();
        assert!(
            (row[2] + pull).abs() < 1e-9 * pull.abs().max(1.0),
            "{row:?}"
        );
        assert!((row[3] - l).abs() < 1e-12 && row[4].abs() < 1e-12);
    }
}

#[test]
fn an_equilibrium_tells_what_holds_a_length() {
    let model = freed(PLANE, &["l"]).unwrap();
    let found = model.equilibria(&Where {
        overrides: Overrides::default(),
        region: vec![(0, (-4.0, 4.0))],
    });
    assert!(found.complete());
    assert_eq!(found.list.len(), 2);
    for e in &found.list {
        let wanted = -2.0 * 9.81 * e.x[0].cos();
        assert!((e.multipliers[0] - wanted).abs() < 1e-9, "{e:?}");
        // dV/dl: what virtual work says
        let v = |l: f64| -2.0 * 9.81 * l * e.x[0].cos();
        let slope = (v(0.5 + 1e-4) - v(0.5 - 1e-4)) / 2e-4;
        assert!((e.multipliers[0] - slope).abs() < 1e-6);
    }
}

/// The terms of l' in T count: both lengths of a double pendulum in angles, against Newton's law on the bobs.
#[test]
fn lengths_of_a_double_pendulum_by_the_forces_in_the_rods() {
    let text = "
coordinates: [a, b]
parameters: {m: 1.5, n: 0.7, k: 1.2, l: 0.8, g: 9.81}
bodies:
  upper: {mass: m, at: [k*sin(a), -k*cos(a)]}
  lower: {mass: n, at: [k*sin(a) + l*sin(b), -k*cos(a) - l*cos(b)]}
gravity: [0, -g]
start: {a: 1, b: -0.5, a': 0.3, b': 2}
run: {until: 2, samples: 200}
";
    let model = freed(text, &["k", "l"]).unwrap();
    let columns = [
        "a",
        "b",
        "a'",
        "b'",
        "a''",
        "b''",
        "lambda_free_k",
        "lambda_free_l",
    ];
    let (m, n, k, l, g) = (1.5, 0.7, 1.2, 0.8, 9.81);
    for row in motion(&model, &columns) {
        let [a, b, da, db, dda, ddb, of_k, of_l] = row[..] else {
            panic!()
        };
        // accelerations of the bobs
        let turn = |r: f64, th: f64, d: f64, dd: f64| {
            [
                r * (dd * th.cos() - d * d * th.sin()),
                r * (dd * th.sin() + d * d * th.cos()),
            ]
        };
        let upper = turn(k, a, da, dda);
        let arm = turn(l, b, db, ddb);
        let lower = [upper[0] + arm[0], upper[1] + arm[1]];
        // force on the lower bob but weight, along the lower rod; on both bobs, along the upper rod
        let low = [n * lower[0], n * (lower[1] + g)];
        let both = [m * upper[0] + low[0], m * (upper[1] + g) + low[1]];
        let wanted_l = low[0] * b.sin() - low[1] * b.cos();
        let wanted_k = both[0] * a.sin() - both[1] * a.cos();
        assert!((of_l - wanted_l).abs() < 1e-7, "{of_l} {wanted_l}");
        assert!((of_k - wanted_k).abs() < 1e-7, "{of_k} {wanted_k}");
    }
}

/// A hoop's radius, in bodies that stand on it and in the constraint of another.
#[test]
fn a_radius_of_a_hoop() {
    let text = "
coordinates: [th, x, y]
parameters: {m: 1.5, M: 2, R: 0.7, g: 9.81}
bodies:
  bead: {mass: m, at: [R*cos(th), R*sin(th)]}
  other: {mass: M, at: [x, y]}
gravity: [0, -g]
constraints: {hoop: x^2 + y^2 = R^2}
start: {th: 0.3, x: 0.7*R/0.7, y: 0, th': 1}
run: {until: 1}
";
    let model = freed(text, &["R"]).unwrap();
    let columns = ["th", "th'", "y", "x'", "y'", "lambda_hoop", "lambda_free_R"];
    let (m, big, radius, g) = (1.5, 2.0, 0.7, 9.81);
    for row in motion(&model, &columns) {
        let [th, dth, y, dx, dy, hoop, of_r] = row[..] else {
            panic!()
        };
        let bead = -m * radius * dth * dth + m * g * th.sin();
        let other = -big * (dx * dx + dy * dy) / radius + big * g * y / radius;
        assert!((of_r - bead - other).abs() < 1e-7, "{row:?}");
        // the other bead's part is what its own constraint says, times d(R^2)/dR
        assert!((2.0 * radius * hoop - other).abs() < 1e-7, "{row:?}");
    }
}

#[test]
fn the_motion_is_that_of_the_system_as_it_was() {
    let plain = Model::new(System::parse(PLANE, "test", &[]).unwrap());
    let model = freed(PLANE, &["l"]).unwrap();
    let (a, b) = (
        motion(&plain, &["th", "th'"]),
        motion(&model, &["th", "th'"]),
    );
    for (p, q) in a.iter().zip(&b) {
        assert!((p[0] - q[0]).abs() < 1e-8 && (p[1] - q[1]).abs() < 1e-8);
    }
}

#[test]
fn a_shadow_price_of_an_optimum() {
    // the largest area of a rectangle of perimeter p: d(area)/dp = p/8
    let text = "
coordinates: [a, b]
parameters: {p: 12}
objective: -a*b
constraints: {rope: 2*a + 2*b = p}
start: {a: 2, b: 4}
";
    let model = freed(text, &["p"]).unwrap();
    let found = model.equilibria(&Where::default());
    assert_eq!(found.list.len(), 1);
    assert!((found.list[0].multipliers[1] + 12.0 / 8.0).abs() < 1e-9);
}

#[test]
fn what_cannot_be_freed_is_refused_at_its_place() {
    let cases: [(&str, &str, &str); 9] = [
        (
            PLANE,
            "q",
            "--free:1:1: the system has no parameter or constraint `q` to free",
        ),
        (
            PLANE,
            "m",
            "test:4:1: `m` cannot be freed: it stands in the mass",
        ),
        (
            PLANE,
            "g",
            "--free:1:1: `g` cannot be freed: it stands in no position",
        ),
        (
            "coordinates: [th]\nparameters: {l: 1}\nlagrangian: 1/2*l^2*th'^2 + l*cos(th)\n",
            "l",
            "test:3:1: `l` cannot be freed: `lagrangian` was written with l constant",
        ),
        (
            "coordinates: [th]\nparameters: {l: 1}\nkinetic: 1/2*l^2*th'^2\n",
            "l",
            "test:3:1: `l` cannot be freed: `kinetic` was written with l constant",
        ),
        (
            "coordinates: [x, th]\nparameters: {r: 1}\nbodies: {b: {mass: 1, at: [x], inertia: 1, angle: th}}\nvelocity_constraints: {roll: x' = r*th'}\n",
            "r",
            "test:4:1: `r` cannot be freed: the velocity constraint `roll`",
        ),
        (
            "coordinates: [th]\nparameters: {l: 1}\nbodies: {b: {mass: 1, at: [l*th, l]}}\nforces: {th: -th'}\n",
            "l",
            "test:4:1: `l` cannot be freed: `forces` gives forces by coordinate",
        ),
        (
            "coordinates: [th]\nparameters: {l: 1, k: 2*l}\nbodies: {b: {mass: 1, at: [l*th, k]}}\n",
            "l",
            "test:2:25: `l` cannot be used in a parameter",
        ),
        (
            "coordinates: [th]\nparameters: {l: 1}\nbodies: {b: {mass: 1, at: [l*th, l]}}\npotential: th*th'\n",
            "l",
            "test:4:15: `th'` cannot be used in the potential of a system with a freed parameter",
        ),
    ];
    for (text, name, wanted) in cases {
        let errors = freed(text, &[name]).err().unwrap_or_default();
        let said: Vec<String> = errors
            .iter()
            .map(|e| format!("{}:{}:{}: {}", e.file, e.line, e.column, e.message))
            .collect();
        assert!(
            said.iter().any(|s| s.starts_with(wanted)),
            "{wanted}: {said:?}"
        );
    }
}

#[test]
fn the_level_of_a_constraint_is_freed_where_l_is_written_out() {
    let text = "
coordinates: [x, y]
parameters: {m: 2, l: 0.5, g: 9.81}
lagrangian: m/2*(x'^2 + y'^2) - m*g*y
constraints:
  rod: {f: sqrt(x^2 + y^2), c: l}
dependent: [y]
start: {x: 0.3, x': 0}
guess: {y: -1}
run: {until: 2}
";
    let model = freed(text, &["rod"]).unwrap();
    let names: Vec<&str> = model.system.coordinates.iter().map(|c| &*c.name).collect();
    assert_eq!(names, ["x", "y", "c_rod"]);
    let names: Vec<&str> = model.system.constraints.iter().map(|c| &*c.name).collect();
    assert_eq!(names, ["rod", "free_rod"]);
    let rows = motion(
        &model,
        &[
            "lambda_free_rod",
            "m*g*y/l - m*(x'^2 + y'^2)/l",
            "c_rod",
            "lambda_rod",
        ],
    );
    assert!(rows.len() > 100);
    for row in rows {
        // f is the distance: its multiplier is the tension itself, in newtons
        assert!((row[0] - row[1]).abs() < 1e-6 * row[1].abs(), "{row:?}");
        assert!((row[2] - 0.5).abs() < 1e-12 && (row[0] - row[3]).abs() < 1e-9);
    }
}

#[test]
fn a_constraint_that_cannot_be_freed_says_why() {
    let text = "coordinates: [x, y]\nlagrangian: (x'^2 + y'^2)/2\nconstraints: {floor: {f: y, c: 0, side: \">=\"}}\n";
    let said = |text: &str, name: &str| freed(text, &[name]).unwrap_err()[0].message.clone();
    assert!(said(text, "floor").contains("one-sided"));
    let two = text.replace(", side: \">=\"", "");
    assert!(freed(&two, &["floor"]).is_ok());
    let taken = two.replace("lagrangian", "parameters: {c_floor: 1}\nlagrangian");
    assert!(said(&taken, "floor").contains("`c_floor`"));
    let rolls =
        "coordinates: [x, y]\nlagrangian: (x'^2 + y'^2)/2\nvelocity_constraints: {roll: x' = y'}\n";
    assert!(said(rolls, "roll").contains("no level"));
    assert!(said(rolls, "rolls").contains("no parameter or constraint"));
}
