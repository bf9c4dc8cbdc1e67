//! The formulas that the sources print, held against ours: NRL Memorandum Report 6001, sections 4 to 12.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use holonom::analysis::{Argument, Ending, InverseRequest, Model, Overrides};
use holonom::expr::{Expr, NameError, Style, parse};
use holonom::mechanics::{Derivation, MapF};
use holonom::report::{Handout, Layout, Route};
use holonom::system::{System, find};

fn built_in(name: &str) -> Model {
    Model::new(System::parse(find(name).unwrap().text, name, &[]).unwrap())
}

/// Reads a formula in the names of a system, `E_x1` for the Euler-Lagrange expression of x1.
fn read(model: &Model, text: &str) -> Expr {
    let system = &model.system;
    let names = |name: &str, primes: usize| {
        let own = name.strip_prefix("E_").and_then(|x| system.coordinate(x));
        let full = format!("{name}{}", "'".repeat(primes));
        let symbol = own.map(|k| system.pool.euler_lagrange(&system.coordinates[k].name, k));
        let found = symbol.or_else(|| system.pool.lookup(&full));
        found.ok_or(NameError::Unknown {
            name: full,
            help: None,
        })
    };
    parse(&system.pool, text, &names).unwrap()
}

fn same(model: &Model, e: Expr, text: &str) {
    let pool = &model.system.pool;
    let difference = pool.sub(e, read(model, text));
    assert_eq!(
        pool.is_zero(difference),
        Some(true),
        "{} is not {text}",
        pool.print(e)
    );
}

fn derivation(model: &Model, dependent: &[usize]) -> Derivation {
    Derivation::new(&model.system, &model.equations, dependent)
}

fn whole_map(model: &Model, dependent: &[usize], rows: &[&[&str]], sign: i8) {
    let map = MapF::new(
        &model.system,
        &model.equations,
        &derivation(model, dependent),
    );
    assert_eq!(map.sign, sign);
    assert_eq!(map.jacobian.len(), rows.len());
    for (own, wanted) in map.jacobian.iter().zip(rows) {
        assert_eq!(own.len(), wanted.len());
        for (e, text) in own.iter().zip(*wanted) {
            same(model, *e, text);
        }
    }
    // the determinant of all of it is that of J_D, up to the sign
    let pool = &model.system.pool;
    let determinant = |matrix: &Vec<Vec<Expr>>| {
        let found = pool.determinant(matrix);
        let blocks = found.blocks.iter().map(|(_, e)| e.unwrap());
        pool.product([pool.number(found.sign)].into_iter().chain(blocks))
    };
    let whole = determinant(&map.jacobian);
    let block: Vec<Vec<Expr>> = model
        .equations
        .jacobian
        .iter()
        .map(|row| dependent.iter().map(|&k| row[k]).collect())
        .collect();
    let sign = pool.number(i64::from(sign));
    let difference = pool.sub(whole, pool.mul(sign, determinant(&block)));
    assert_eq!(pool.is_zero(difference), Some(true));
}

#[test]
fn the_whole_map_of_sections_10_to_12() {
    // the report's 2 x1 is -2 x1
    let bead = built_in("bead_on_parabola");
    whole_map(
        &bead,
        &[0],
        &[&["-2*x1", "1", "0"], &["0", "1", "0"], &["0", "0", "1"]],
        1,
    );
    whole_map(
        &bead,
        &[1],
        &[&["-2*x1", "1", "0"], &["1", "0", "0"], &["0", "0", "1"]],
        -1,
    );
    let rod = built_in("rotating_rod");
    whole_map(
        &rod,
        &[0, 1],
        &[
            &["1", "0", "-cos(w*t)", "w*x3*sin(w*t)"],
            &["0", "1", "-sin(w*t)", "-w*x3*cos(w*t)"],
            &["0", "0", "1", "0"],
            &["0", "0", "0", "1"],
        ],
        1,
    );
    let both = built_in("product_and_sum");
    let rows: [&[&str]; 4] = [
        &["x2*x3", "x1*x3", "x1*x2", "0"],
        &["1", "1", "0", "0"],
        &["0", "0", "1", "0"],
        &["0", "0", "0", "1"],
    ];
    whole_map(&both, &[0, 1], &rows, 1);
}

#[test]
fn derivatives_of_g_by_the_levels() {
    let check = |name: &str, dependent: &[usize], rows: &[&[&str]]| {
        let model = built_in(name);
        let derivation = derivation(&model, dependent);
        let own = derivation
            .by_levels(&model.system, &model.equations)
            .unwrap();
        for (row, wanted) in own.iter().zip(rows) {
            for (e, text) in row.iter().zip(*wanted) {
                same(&model, *e, text);
            }
        }
    };
    // section 10: x1 = sqrt(x2 - y)
    check("bead_on_parabola", &[0], &[&["-1/(2*x1)"]]);
    check("rotating_rod", &[0, 1], &[&["1", "0"], &["0", "1"]]);
    // section 12: the roots of a quadratic
    check(
        "product_and_sum",
        &[0, 1],
        &[
            &["1/(x3*(x2 - x1))", "-x1/(x2 - x1)"],
            &["-1/(x3*(x2 - x1))", "x2/(x2 - x1)"],
        ],
    );
}

#[test]
fn equations_4_and_5_of_the_report() {
    let check = |name: &str, wanted: &[(&str, &str, &str)]| {
        let model = built_in(name);
        let dependent = model.system.dependent.clone().unwrap();
        let derivation = derivation(&model, &dependent);
        let own = derivation
            .together(&model.system, &model.equations)
            .unwrap();
        assert_eq!(own.len(), wanted.len());
        for (own, (by, sum, equals)) in own.iter().zip(wanted) {
            same(&model, own.by, by);
            same(&model, own.sum, sum);
            same(&model, own.equals, equals);
        }
    };
    check(
        "bead_on_parabola",
        &[
            ("y_wire", "-E_x1/(2*x1)", "lambda_wire"),
            ("x2", "E_x2 + E_x1/(2*x1)", "0"),
        ],
    );
    check(
        "rotating_rod",
        &[
            ("y_along_x", "E_x1", "lambda_along_x"),
            ("y_along_y", "E_x2", "lambda_along_y"),
            ("x3", "E_x3 + E_x1*cos(w*t) + E_x2*sin(w*t)", "0"),
        ],
    );
    check(
        "product_and_sum",
        &[
            (
                "y_product",
                "(E_x1 - E_x2)/(x3*(x2 - x1))",
                "lambda_product",
            ),
            ("y_sum", "(E_x2*x2 - E_x1*x1)/(x2 - x1)", "lambda_sum"),
            ("x3", "E_x3 + x1*x2*(E_x2 - E_x1)/(x3*(x2 - x1))", "0"),
        ],
    );
}

#[test]
fn g_is_defined_on_its_certified_box_and_ends_where_the_root_does() {
    let model = built_in("bead_on_parabola");
    let answer = model.inverse_at(&InverseRequest::default()).unwrap();
    let domain = answer.found.unwrap().domain.unwrap();
    // x1 = sqrt(x2 - y): at x2 = 1 to y = 1, at y = 0 down to x2 = 0
    let end = |along: Argument, up: usize| {
        let reach = domain.extents.iter().find(|r| r.along == along).unwrap();
        reach.ends[up].clone()
    };
    let (value, why) = end(Argument::Level(0), 1).unwrap();
    assert!((value - 1.0).abs() < 1e-6);
    assert!(matches!(why, Ending::Determinant(Some(e)) if model.system.pool.print(e) == "x1"));
    assert!(end(Argument::Coordinate(1), 0).unwrap().0.abs() < 1e-6);
    assert_eq!(end(Argument::Coordinate(1), 1), None);
    let proven = domain.proven.unwrap();
    let (_, high) = proven.levels[0];
    let (k, (low, _)) = proven.sides[0];
    assert_eq!(k, 1);
    // at every corner the root is real
    assert!(low - high > 0.0 && high > 0.0 && low < 1.0);
}

#[test]
fn an_end_where_all_gradients_vanish_is_one_of_the_determinant() {
    let text = "coordinates: [x, z]\nlagrangian: (x'^2 + z'^2)/2\nconstraints: {c: (x - 2)^2 + z^2 = 1}\ndependent: [z]\nstart: {x: 2, z: 1, x': 1}\n";
    let model = Model::new(System::parse(text, "circle", &[]).unwrap());
    let answer = model.inverse_at(&InverseRequest::default()).unwrap();
    let domain = answer.found.unwrap().domain.unwrap();
    let reach = &domain.extents[0];
    assert_eq!(reach.along, Argument::Level(0));
    let (value, why) = reach.ends[0].clone().unwrap();
    assert!(value.abs() < 1e-6);
    assert!(
        matches!(why, Ending::Determinant(Some(e)) if model.system.pool.print(e) == "z"),
        "{why:?}"
    );
    // and an edge of f is none
    let text = "coordinates: [x, z]\nlagrangian: (x'^2 + z'^2)/2\nconstraints: {c: z - sqrt(x) = 1}\ndependent: [z]\nstart: {x: 4, x': 1}\n";
    let model = Model::new(System::parse(text, "edge", &[]).unwrap());
    let answer = model.inverse_at(&InverseRequest::default()).unwrap();
    let reach = answer.found.unwrap().domain.unwrap().extents[1].clone();
    let (value, why) = reach.ends[0].clone().unwrap();
    assert!(value.abs() < 1e-6 && why == Ending::Undefined, "{why:?}");
}

#[test]
fn g_ends_where_branches_meet_where_its_slope_is_infinite_and_where_two_factors_vanish() {
    let ends = |text: &str, along: Argument| {
        let model = Model::new(System::parse(text, "ends", &[]).unwrap());
        let answer = model.inverse_at(&InverseRequest::default()).unwrap();
        let domain = answer.found.unwrap().domain.unwrap();
        let reach = domain.extents.into_iter().find(|r| r.along == along);
        reach.unwrap().ends
    };
    let near = |end: &Option<(f64, Ending)>, wanted: f64| {
        let (value, why) = end.as_ref().unwrap();
        assert!((value - wanted).abs() < 1e-6, "{value} for {wanted}");
        assert!(matches!(why, Ending::Determinant(Some(_))), "{why:?}");
    };
    let two = |constraint: &str, rest: &str| {
        format!(
            "coordinates: [x, z]\nlagrangian: (x'^2 + z'^2)/2\nconstraints: {{c: {constraint}}}\n{rest}\n"
        )
    };
    // s = 2 cos th meets s = 0
    let right = std::f64::consts::FRAC_PI_2;
    let crank = two(
        "x^2 - 2*x*cos(z) = 0",
        "dependent: [x]\nstart: {z: 0.5}\nguess: {x: 1.7}",
    );
    let found = ends(&crank, Argument::Coordinate(1));
    near(&found[0], -right);
    near(&found[1], right);
    // x = cbrt(z), and on a cusp
    for (constraint, start) in [("x^3 = z", 1.0), ("x^3 = z^2", 1.0)] {
        let rest = format!("dependent: [x]\nstart: {{z: {start}}}\nguess: {{x: 1}}");
        let found = ends(&two(constraint, &rest), Argument::Coordinate(1));
        near(&found[0], 0.0);
        assert_eq!(found[1], None);
    }
    // x and y turn back at once: det J_D = 4 x y keeps its sign
    let text = "coordinates: [x, y, z]\nlagrangian: (x'^2 + y'^2 + z'^2)/2\nconstraints: {a: x^2 = z, b: y^2 = z}\ndependent: [x, y]\nstart: {z: 1}\nguess: {x: 1, y: 1}\n";
    near(&ends(text, Argument::Coordinate(2))[0], 0.0);
}

#[test]
fn the_certified_domain_of_g_holds_at_its_corners() {
    for name in [
        "rotating_rod",
        "product_and_sum",
        "pendulum",
        "conical_pendulum",
        "slider_crank",
        "four_bar",
    ] {
        let model = built_in(name);
        let answer = model.inverse_at(&InverseRequest::default()).unwrap();
        let found = answer.found.clone().unwrap();
        let sides = found.neighbourhood.clone().unwrap().sides;
        let Some(proven) = found.domain.and_then(|d| d.proven) else {
            panic!("{name}: nothing proven");
        };
        let count = proven.levels.len() + proven.sides.len();
        for corner in 0..1_usize << count {
            let pick = |i: usize, (lo, hi): (f64, f64)| if corner >> i & 1 == 1 { hi } else { lo };
            let mut at = Overrides::default();
            for (i, (k, side)) in proven.sides.iter().enumerate() {
                let value = pick(proven.levels.len() + i, *side);
                if *k == model.system.coordinates.len() {
                    at.t = Some(value);
                } else {
                    at.x.push((*k, value));
                }
            }
            let levels = proven.levels.iter().enumerate();
            let request = InverseRequest {
                y: levels.map(|(b, side)| (b, pick(b, *side))).collect(),
                near: answer
                    .dependent
                    .iter()
                    .copied()
                    .zip(found.value.iter().copied())
                    .collect(),
                dependent: Some(answer.dependent.clone()),
                region: answer.dependent.iter().map(|&k| (k, sides[k])).collect(),
                at,
            };
            let there = model.inverse_at(&request).unwrap();
            assert!(there.found.is_some(), "{name} corner {corner}");
        }
    }
}

#[test]
fn a_place_outside_says_which_condition_is_broken() {
    let model = built_in("bead_on_parabola");
    let request = InverseRequest {
        y: vec![(0, 0.5)],
        at: Overrides {
            x: vec![(1, 0.25)],
            ..Overrides::default()
        },
        ..InverseRequest::default()
    };
    let answer = model.inverse_at(&request).unwrap();
    assert!(answer.found.is_none());
    assert_eq!(answer.broken.len(), 1);
    same(&model, answer.broken[0].needed, "x2 - y_wire");
    assert!((answer.broken[0].value + 0.25).abs() < 1e-15);
    let end = answer.end.unwrap();
    // on the line from (y, x2) = (0, 1) to (0.5, 0.25)
    assert!((end.part - 0.8).abs() < 1e-6);
    assert!((end.y[0] - 0.4).abs() < 1e-6 && (end.spot.x[1] - 0.4).abs() < 1e-6);
}

/// The formulas of a step, as they are printed.
fn formulas(steps: &serde_json::Value, name: &str) -> Vec<String> {
    let mut steps = steps.as_array().unwrap().iter();
    let step = steps.find(|step| step["name"] == name).unwrap();
    let list = step["formulas"].as_array().unwrap().iter();
    list.map(|f| f.as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_equations_from_the_action() {
    let bead = built_in("bead_on_parabola");
    let steps = Handout::new(&bead, &bead.derive(None), Route::Action).json();
    // section 5 and 10: dx1 = dx2/(2 x1), so the bracket of dx2 vanishes
    assert_eq!(formulas(&steps, "The varied paths"), ["dx1 = dx2/(2*x1)"]);
    let brackets = formulas(&steps, "The bracket of each independent coordinate");
    assert_eq!(brackets[0], "E_x2 + E_x1/(2*x1) = 0");
    // Salas: the ratios are equal, and are lambda
    let ratios = formulas(&steps, "Equal ratios define lambda");
    assert_eq!(ratios, ["-E_x1/(2*x1) = lambda_wire", "E_x2 = lambda_wire"]);
    // two constraints have no ratios
    let both = built_in("salas_two_constraints");
    let steps = Handout::new(&both, &both.derive(None), Route::Action).json();
    assert!(formulas(&steps, "The multipliers").is_empty());
    // without constraints every bracket is an equation of motion
    let free = Model::new(
        System::parse(
            "coordinates: [x]\nlagrangian: x'^2/2 - x^2/2\n",
            "free",
            &[],
        )
        .unwrap(),
    );
    let steps = Handout::new(&free, &free.derive(None), Route::Action).json();
    assert_eq!(formulas(&steps, "The brackets"), ["E_x = x'' + x = 0"]);
}

#[test]
fn the_sign_of_the_reports_section_10_is_remarked() {
    let layout = Layout {
        width: 200,
        style: Style::Plain,
    };
    let said = |model: &Model| Handout::new(model, &model.derive(None), Route::Report).text(layout);
    assert!(said(&built_in("bead_on_parabola")).contains("The report prints it as 2*x1"));
    assert!(!said(&built_in("pendulum")).contains("The report prints it"));
}
