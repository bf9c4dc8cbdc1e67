//! Closed mechanisms assemble from rough guesses, on the branch of the guess; what is said of a start.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use holonom::analysis::{Model, Overrides, Request};
use holonom::solver::{Assembly, Given, Note, SolverError, Start, assembly, consistent_start};
use holonom::system::{System, find};
use std::f64::consts::{PI, TAU};
use std::sync::atomic::AtomicBool;

const FOUR_BAR: &str = "coordinates: [a, b, c]\nkinetic: 1/2*(a'^2 + b'^2 + c'^2)\nconstraints:\n  across: cos(a) + 3*cos(b) - 2*cos(c) - 3\n  up: sin(a) + 3*sin(b) - 2*sin(c)\nstart: {a: 1, a': 1}\nguess: {b: 0.6, c: 1.5}\n";
const CRANK: &str = "coordinates: [th, s]\nparameters: {r: 1, l: 2.5}\nkinetic: 1/2*(th'^2 + s'^2)\nconstraints:\n  rod: {f: (s - r*cos(th))^2 + (r*sin(th))^2, c: l^2}\nstart: {th: 1, th': 4}\nguess: {s: 3}\n";

fn model(text: &str) -> Model {
    Model::new(System::parse(text, "test", &[]).unwrap())
}

/// The start and its account from these given values and guesses.
fn assemble(model: &Model, given: &Given) -> (Start, Assembly) {
    let choice: Vec<usize> = (0..model.constraint_names().len()).collect();
    let compiled = model.compiled(&choice);
    let problem = holonom::solver::Problem {
        dependent: None,
        ..model.problem(&compiled, &choice)
    };
    let start = consistent_start(&problem, given).unwrap();
    let account = assembly(&problem, given, &start, model.angles());
    (start, account)
}

/// Largest difference of angles up to turns.
fn apart(a: &[f64], b: &[f64]) -> f64 {
    let turned = |d: f64| d - TAU * (d / TAU).round();
    a.iter()
        .zip(b)
        .fold(0.0, |most, (a, b)| turned(a - b).abs().max(most))
}

/// A guess off by 0.3 in each unknown, the signs those of the bits of `which`.
fn off(x: &[f64], unknown: &[usize], which: usize) -> Vec<f64> {
    let mut guess = x.to_vec();
    for (i, &k) in unknown.iter().enumerate() {
        guess[k] += if which >> i & 1 == 0 { 0.3 } else { -0.3 };
    }
    guess
}

/// From guesses off by 0.3 the mechanism comes to the configuration itself.
fn comes_back(model: &Model, x: &[f64], known: usize, within: f64) {
    let n = x.len();
    let unknown: Vec<usize> = (0..n).filter(|&k| k != known).collect();
    for which in 0..1 << unknown.len() {
        let mut given = Given::nothing(0.0, n);
        given.x[known] = Some(x[known]);
        given.guess_x = off(x, &unknown, which);
        let (start, account) = assemble(model, &given);
        assert!(apart(&start.x, x) < within, "{which}: {:?}", start.x);
        assert_eq!(account.solved.len(), unknown.len());
        assert_eq!((account.free, account.moved.len()), (0, 0));
    }
}

#[test]
fn a_slider_crank_assembles_on_the_side_of_its_guess() {
    let model = model(CRANK);
    let (th, l): (f64, f64) = (1.0, 2.5);
    let root = (l * l - th.sin().powi(2)).sqrt();
    for s in [th.cos() + root, th.cos() - root] {
        comes_back(&model, &[th, s], 0, 1e-13);
    }
}

/// b and c of the four-bar from its crank by the law of cosines, on one side of the diagonal.
fn four_bar(a: f64, side: f64) -> [f64; 3] {
    // from the end of the crank, P, to the fixed pivot (3, 0): the coupler has 3, the rocker 2
    let (x, y) = (3.0 - a.cos(), -a.sin());
    let d = x.hypot(y);
    let turn = side * ((d * d + 9.0 - 4.0) / (6.0 * d)).acos();
    let b = y.atan2(x) + turn;
    let (px, py) = (a.cos() + 3.0 * b.cos() - 3.0, a.sin() + 3.0 * b.sin());
    [a, b, py.atan2(px)]
}

#[test]
fn a_four_bar_assembles_on_the_side_of_its_guess() {
    let model = model(FOUR_BAR);
    for a in [0.7, 1.0, 2.5] {
        for side in [1.0, -1.0] {
            comes_back(&model, &four_bar(a, side), 0, 1e-12);
        }
    }
}

#[test]
fn andrews_mechanism_assembles_from_a_rough_guess() {
    let system = System::parse(find("andrews").unwrap().text, "andrews", &[]).unwrap();
    let x: Vec<f64> = system.start.x.iter().map(|x| x.unwrap()).collect();
    comes_back(&Model::new(system), &x, 1, 1e-11);
}

#[test]
fn both_sides_of_a_four_bar_are_named_and_reached() {
    let model = model(FOUR_BAR);
    let start = model.start(&Overrides::default()).unwrap();
    let account = model.assembly(&Overrides::default(), &start);
    let (here, there) = (four_bar(1.0, 1.0), four_bar(1.0, -1.0));
    assert!(apart(&start.x, &here) < 1e-13);
    let [other] = account.others.as_slice() else {
        panic!("{account:?}");
    };
    let values: Vec<f64> = other.values.iter().map(|p| p.value).collect();
    assert!(apart(&values, &there[1..]) < 1e-11, "{values:?}");
    // the guess that is named leads there
    let guess: Vec<String> = other
        .guess
        .iter()
        .map(|p| format!("{}: {}", p.name, p.value))
        .collect();
    let text = FOUR_BAR.replace("b: 0.6, c: 1.5", &guess.join(", "));
    let moved = self::model(&text).start(&Overrides::default()).unwrap();
    assert!(apart(&moved.x, &there) < 1e-12, "{:?}", moved.x);
}

#[test]
fn solutions_a_turn_apart_are_one_and_a_free_coordinate_has_no_others() {
    // sin(2 a) = 0.6 has two solutions a turn
    let text =
        "coordinates: [a, b]\nkinetic: 1/2*(a'^2 + b'^2)\nconstraints: {c: sin(2*a) = 0.6}\n";
    let model = model(&format!("{text}start: {{b: 1}}\n"));
    let start = model.start(&Overrides::default()).unwrap();
    let others = model.assembly(&Overrides::default(), &start).others;
    let mut found: Vec<f64> = others.iter().map(|o| o.values[0].value).collect();
    found.push(start.x[0]);
    let first = 0.6_f64.asin() / 2.0;
    let wanted = [first, PI / 2.0 - first, first + PI, 1.5 * PI - first];
    assert_eq!(found.len(), wanted.len(), "{found:?}");
    for w in wanted {
        assert!(found.iter().any(|f| apart(&[*f], &[w]) < 1e-11), "{w}");
    }
    // b is free as well: the solutions are no points
    let free = self::model(text);
    let start = free.start(&Overrides::default()).unwrap();
    let account = free.assembly(&Overrides::default(), &start);
    assert_eq!((account.free, account.others.len()), (1, 0));
    assert_eq!(account.free_velocities, 1);
}

#[test]
fn what_was_moved_is_told_with_its_values() {
    let model = model(
        "coordinates: [x, y]\nlagrangian: 1/2*(x'^2 + y'^2)\nconstraints: {c: x^2 + y^2 = 1}\nstart: {x: 0.6, y: 0.8000001, x': 0, y': 0}\n",
    );
    let start = model.start(&Overrides::default()).unwrap();
    let account = model.assembly(&Overrides::default(), &start);
    assert!(account.solved.is_empty() && account.others.is_empty());
    let names: Vec<&str> = account.moved.iter().map(|m| m.name.as_str()).collect();
    assert_eq!(names, ["x", "y"]);
    for (moved, (from, x)) in account
        .moved
        .iter()
        .zip([0.6, 0.800_000_1].iter().zip(&start.x))
    {
        assert_eq!((moved.from, moved.to), (*from, *x));
        assert!((moved.to - moved.from).abs() < 1e-7);
    }
    // on a fold two solutions are one
    let text = "coordinates: [x, y]\nlagrangian: 1/2*(x'^2 + y'^2)\nconstraints: {c: x^2 + y^2 = 1}\nstart: {x: 1}\n";
    let fold = self::model(text);
    let start = fold.start(&Overrides::default()).unwrap();
    assert!(
        fold.assembly(&Overrides::default(), &start)
            .others
            .is_empty()
    );
}

/// The balance of a system has these terms (Q.x', -lambda.f_t, -dL/dt), and closes in every method.
fn closes(text: &str, has: [bool; 3]) {
    let model = model(text);
    let zero = model.system.pool.zero();
    for method in holonom::solver::Method::ALL {
        let request = Request {
            method: Some(method),
            ..Request::default()
        };
        let run = model.run(&request, None, &AtomicBool::new(false)).unwrap();
        assert!(run.motion.finished, "{:?}", run.motion.because);
        let closure = run.closure.unwrap();
        let terms = closure.terms;
        let present = [terms.forces, terms.constraints, terms.explicit].map(|e| e != zero);
        assert_eq!(present, has);
        assert!(!closure.is_doubtful());
        let relative = closure.relative();
        assert!(relative < 1e-8, "{method}: {relative:e}\n{text}");
        // there is something to balance, and the integral is what does it
        let samples = &run.motion.samples;
        let gained = samples.last().unwrap().energy - samples[0].energy;
        if has.contains(&true) {
            assert!(gained.abs() > 1e-2 * closure.scale, "{method}: {gained}");
        }
        assert!((gained - closure.work).abs() <= closure.largest * (1.0 + 1e-9));
        let last = closure.residual.last().unwrap();
        assert!((gained - closure.work - last).abs() <= 1e-12 * closure.scale);
    }
}

#[test]
fn the_balance_of_the_energy_closes_to_the_tolerance() {
    closes(find("pendulum").unwrap().text, [false; 3]);
    closes(find("rotating_rod").unwrap().text, [false, true, false]);
    closes(find("rotating_hoop").unwrap().text, [false, true, false]);
    let friction = CRANK.replace("constraints:", "forces: {th: -0.05*th'}\nconstraints:");
    let smooth = "run: {until: 3, samples: 6000}\n";
    closes(&format!("{friction}{smooth}"), [true, false, false]);
    // a spring that gets stiffer, pushed, on a moving wire
    let all = "coordinates: [x, y]\nlagrangian: 1/2*(x'^2 + y'^2) - 1/2*(1 + t)*x^2\nforces: {x: -0.3*x' + cos(t)}\nconstraints: {wire: y - x^2 - sin(t)}\nstart: {x: 1}\nrun: {until: 5}\n";
    closes(all, [true, true, true]);
    closes(
        &all.replace("run: {until: 5}", "run: {until: -2}"),
        [true, true, true],
    );
}

#[test]
fn a_wrong_force_or_too_few_samples_show_in_the_balance() {
    let text = "coordinates: [x, y]\nlagrangian: 1/2*(x'^2 + y'^2) - 9.81*y\nforces: {x: -0.3*x', y: -0.3*y'}\nconstraints: {rod: x^2 + y^2 = 1}\nstart: {x: 1, y: 0}\nrun: {until: 5}\n";
    let model = self::model(text);
    let go = AtomicBool::new(false);
    let mut motion = model.simulate(&Request::default(), &go).unwrap();
    assert!(model.closure(&motion.samples).unwrap().relative() < 1e-8);
    // speeds a thousandth too large
    for sample in &mut motion.samples {
        sample.v.iter_mut().for_each(|v| *v *= 1.001);
    }
    assert!(model.closure(&motion.samples).unwrap().relative() > 1e-4);
    for few in [12, 7, 6, 4, 3, 2, 1] {
        let few = Request {
            samples: Some(few),
            ..Request::default()
        };
        motion = model.simulate(&few, &go).unwrap();
        assert!(model.closure(&motion.samples).unwrap().is_doubtful());
    }
    // as columns
    let names = ["power_Q", "power_R", "balance"].map(str::to_owned);
    let motion = model.simulate(&Request::default(), &go).unwrap();
    let values = model.column_values(&motion.samples, &names).unwrap();
    for (i, sample) in motion.samples.iter().enumerate() {
        let speed: f64 = sample.v.iter().map(|v| v * v).sum();
        assert!((values[0][i] + 0.3 * speed).abs() < 1e-12 * (1.0 + speed));
        assert!(values[1][i].abs() < 1e-9 && values[2][i].abs() < 1e-7);
    }
}

#[test]
fn what_newton_leaves_of_a_zero_refuses_no_start() {
    let ball = "coordinates: [x, y, z]\nkinetic: 1/2*(x'^2 + y'^2 + z'^2)\nconstraints: {ball: x^2+y^2+z^2 = 1, plane: x*sin(t) = y}\nstart: {x: 0.5}\nrun: {until: 0.5}\n";
    let wire = "coordinates: [x, y, z]\nkinetic: 1/2*(x'^2 + y'^2 + z'^2)\nconstraints: {s: z + x^2, w: y - x}\nstart: {x: 0}\nguess: {z: 1}\nrun: {until: 0.5}\n";
    for text in [ball, wire] {
        let model = model(text);
        let start = model.start(&Overrides::default()).unwrap();
        assert_eq!(start.x[1], 0.0, "{:?}", start.x);
        let motion = model.simulate(&Request::default(), &AtomicBool::new(false));
        assert_eq!(motion.unwrap().because, None);
    }
    // what is small for other reasons stays
    let text = "coordinates: [x, y]\nkinetic: 1/2*(x'^2 + y'^2)\nconstraints: {c: y*1e20 = 3}\nstart: {x: 1}\nguess: {y: 1}\n";
    let start = model(text).start(&Overrides::default()).unwrap();
    assert!((start.x[1] / 3e-20 - 1.0).abs() < 1e-10, "{:?}", start.x);
}

#[test]
fn a_velocity_of_rounding_breaks_no_constraint() {
    let text = "coordinates: [x, y]\nkinetic: 1/2*(x'^2 + y'^2)\nconstraints: {c: x = 0}\nstart: {x: 0, y: 0, x': -3.2e-16, y': 0}\n";
    let start = model(text).start(&Overrides::default()).unwrap();
    assert_eq!(start.v, [0.0, 0.0]);
    let wrong = text.replace("-3.2e-16", "1e-3");
    assert!(model(&wrong).start(&Overrides::default()).is_err());
}

/// What a velocity may miss is a matter of its terms, and of the forces: not of the unit.
#[test]
fn a_velocity_that_breaks_a_constraint_does_so_in_all_units() {
    let start = |unit: f64, v: [f64; 2]| {
        let text = format!(
            "coordinates: [x, y]\nparameters: {{u: {unit:e}}}\nlagrangian: (x'^2 + y'^2)/2 - 9.81*u*y\n\
             constraints: {{wire: y = 2*x}}\nstart: {{x: u, y: 2*u, x': {:e}, y': {:e}}}\n",
            unit * v[0],
            unit * v[1]
        );
        model(&text).start(&Overrides::default())
    };
    for unit in [1e-12, 1e-6, 1.0, 1e9] {
        assert!(start(unit, [1.0, 3.0]).is_err(), "{unit}");
        assert!(start(unit, [1e-9, 3e-9]).is_err(), "{unit}");
        let moved = start(unit, [1e-13, -1e-13]).unwrap();
        assert!(moved.v[0].abs() < 1e-12 * unit, "{unit}");
        assert_eq!(moved.notes.len(), 2, "{unit}: {:?}", moved.notes);
        assert!(start(unit, [1.0, 2.0]).unwrap().notes.is_empty(), "{unit}");
    }
}

#[test]
fn where_no_velocity_satisfies_the_constraints_no_given_one_is_blamed() {
    let text = "coordinates: [x, y]\nkinetic: 1/2*(x'^2 + y'^2)\nconstraints: {c: x^2 + y^2 = t}\nstart: {x: 0, y: 0}\n";
    let model = model(text);
    let refused = model.start(&Overrides::default()).unwrap_err();
    assert!(
        matches!(refused, SolverError::NoVelocity { .. }),
        "{refused}"
    );
    // the theorem is one of positions
    let site = model.site(&Overrides::default()).unwrap();
    let check = model.check(site, None, &[]);
    assert_eq!(check.verdict.rank(), Some(0));
    assert!(check.off.is_empty());
}

#[test]
fn a_point_off_the_constraints_is_told_so_also_where_numbers_overflow() {
    let text = "coordinates: [x, y]\nkinetic: 1/2*(x'^2 + y'^2)\nconstraints: {c: x^2 + y^2 = 1}\nstart: {x: 1, y: 0}\n";
    let model = model(text);
    for (y, off) in [
        (0.0, false),
        (1e-13, false),
        (1e-3, true),
        (1e155, true),
        (1e300, true),
    ] {
        let at = Overrides {
            x: vec![(1, y)],
            ..Overrides::default()
        };
        let check = model.check(model.site(&at).unwrap(), None, &[]);
        assert_eq!(!check.off.is_empty(), off, "{y}");
    }
}

#[test]
fn a_constraint_that_only_dies_away_has_no_start() {
    let start = |f: &str, x: &str| {
        let text = format!(
            "coordinates: [x, y]\nkinetic: x'^2 + y'^2\nconstraints: {{a: {{f: {f}, c: 0}}}}\nguess: {{x: {x}, y: 1}}\n"
        );
        let model = model(&text);
        model.start(&Overrides::default()).map(|start| start.x[0])
    };
    for f in [
        "1 + erf(x)",
        "exp(x)",
        "1 + tanh(x)",
        "1/x",
        "sqrt(x^2 + 1) - x",
        "1/(1 + x^2 + y^2)",
        // in other units, also where the guess has no value
        "exp(300*x)/(1 + exp(300*x))",
        "(151*x - y)^2 + exp(151*x) + 10",
        "x - sqrt(x^2 - 1)",
        // what is lost in rounding far away
        "(x - y)^2 + exp(x) + 0.001",
        "sin(2.361*x)*cos(y) - 1.5",
        "x^4 + y^2 - x*y/9 + 10",
    ] {
        for guess in ["0.5", "-2", "3"] {
            let found = start(f, guess);
            assert!(
                matches!(
                    found,
                    Err(SolverError::NoStart { .. } | SolverError::NotFinite { .. })
                ),
                "{f}: {found:?}"
            );
        }
    }
    // zeros of any order are starts, however far from the guess
    for (f, zero) in [
        ("x^2", 0.0),
        ("(x - 1/3)^4", 1.0 / 3.0),
        ("(x - 40)^3", 40.0),
        ("1 - cos(x - 1)", 1.0),
    ] {
        for guess in ["0.5", "-2", "3"] {
            let found = start(f, guess).unwrap();
            let off = (found - zero) / TAU;
            let turns = if f.contains("cos") { off.round() } else { 0.0 };
            assert!((off - turns).abs() < 1e-2, "{f}: {found}");
        }
    }
}

#[test]
fn a_start_is_found_whatever_its_lengths_are_and_no_level_is_called_empty() {
    for size in [1e-9, 1e-3, 1.0, 1e3, 3.84e8, 1e12] {
        for circle in ["(x/R)^2 + (y/R)^2 = 1", "x^2 + y^2 = R^2", "x + y = R"] {
            let text = format!(
                "coordinates: [x, y]\nparameters: {{R: {size:e}}}\nlagrangian: x'^2 + y'^2\nconstraints: {{a: {circle}}}\n"
            );
            let start = model(&text).start(&Overrides::default());
            let x = start.unwrap_or_else(|e| panic!("{text}: {e:?}")).x;
            let length = if circle.contains('^') {
                x[0].hypot(x[1])
            } else {
                x[0] + x[1]
            };
            assert!((length / size - 1.0).abs() < 1e-9, "{text}: {x:?}");
        }
    }
}

#[test]
fn a_start_that_is_not_found_beside_a_velocity_constraint_is_told() {
    let model = model(
        "coordinates: [x, y, z]\nkinetic: x'^2 + y'^2 + z'^2\nconstraints: {a: {f: x^2 + y^2, c: -1}}\nvelocity_constraints: {v: \"y*x' + z'\"}\nguess: {x: 1, y: 0.5, z: 1}\n",
    );
    let found = model.start(&Overrides::default());
    assert!(
        matches!(found, Err(SolverError::NoStart { .. })),
        "{found:?}"
    );
}

#[test]
fn what_has_no_solution_has_no_start() {
    // terms of guesses farther off are large enough to hide what is missed
    for (constraint, start, guess) in [
        ("x - y^10 = 3", "x: 0.7", "y: 2"),
        ("x - y^10 = 3", "x: 0.7", "y: 20"),
        ("x^3 - y^20 + sin(y) + cos(y) = 3", "x: 0.7", "y: 2"),
        ("x - y^20 + y = 3", "x: 0.7", "y: 2"),
        ("y^2 + 1e-10 + x = 0", "x: 0", "y: 1"),
        ("x^2 + y^2 + 1e-9 = 0", "x: 0", "y: 0.5"),
        ("-acos(-y - 0.3) + tan(x/3) = 1", "x: 1.2", "y: -0.4"),
    ] {
        let text = format!(
            "coordinates: [x, y]\nlagrangian: (x'^2 + y'^2)/2\nconstraints: {{c: \"{constraint}\"}}\nstart: {{{start}}}\nguess: {{{guess}}}\n"
        );
        let model = model(&text);
        let start = model.start(&Overrides::default());
        assert!(start.is_err(), "{text}: {:?}", start.map(|s| s.x));
    }
    // and roots of a high order are still found
    for (constraint, order) in [
        ("y^2 = 0", 2.0),
        ("(y - 1)^3*(x + 1) = 0", 3.0),
        ("(y^2 - 2)^4 = 0", 4.0),
    ] {
        let text = format!(
            "coordinates: [x, y]\nlagrangian: (x'^2 + y'^2)/2\nconstraints: {{c: \"{constraint}\"}}\nstart: {{x: 0}}\nguess: {{y: 3}}\n"
        );
        let start = model(&text).start(&Overrides::default());
        assert!(start.is_ok(), "{text} {order}");
    }
}

#[test]
fn what_is_given_next_to_a_double_root_is_as_uncertain_as_that() {
    // s^2 - 2 s = -1 is met by all s within 1e-8 of 1, as far as numbers tell
    for (constraint, s, y) in [
        ("s^2 - 2*s = -1", 1.000_000_003, 0.0),
        ("cos(s - y) = 1", 0.5, 0.500_000_01),
    ] {
        let model = model(&format!(
            "coordinates: [s, y]\nlagrangian: s'^2 + y'^2 - y\nconstraints: {{c: \"{constraint}\"}}\nstart: {{s: {s}, y: {y}}}\n"
        ));
        let motion = model.simulate(&Request::default(), &AtomicBool::new(false));
        let because = motion.unwrap().because;
        assert!(
            matches!(
                because,
                Some(SolverError::SingularConfiguration { rank: 0, .. })
            ),
            "{constraint}: {because:?}"
        );
    }
    // what is as near to a fold of its terms' own size is where it is given
    let cusp = model(
        "coordinates: [x, y]\nlagrangian: x'^2 + y'^2\nconstraints: {c: y^2 - x^3}\nstart: {x: 1e-10, y: 1e-15}\n",
    );
    let start = cusp.start(&Overrides::default()).unwrap();
    assert!(start.correction[0] < 1e-20, "{:?}", start.correction);
}

#[test]
fn a_double_root_leaves_no_more_unknown_than_it_is_flat() {
    // a has no gradient at 1/2, and is met within 1e-8 of that: other rows are known so well; x may be in other units
    for (others, rank) in [
        ("b: X^2 - 1/4", 1),
        ("b: y, c: X^3 - 1/8", 2),
        ("b: X + y - 1/2", 1),
        ("b: y - z", 1),
        ("b: cos(pi*X/2)*2 - X*z - sqrt(2), c: y + z", 2),
    ] {
        for unit in [1e-3, 1.0, 1e3] {
            let others = others.replace('X', &format!("(x/{unit:e})"));
            let text = format!(
                "coordinates: [x, y, z]\nlagrangian: x'^2 + y'^2 + z'^2\n\
                 constraints: {{a: sin(pi*x/{unit:e}) - 1, {others}}}\nstart: {{x: {:e}, y: 0, z: 0}}\n",
                0.5 * unit
            );
            let model = model(&text);
            let site = model.site(&Overrides::default()).unwrap();
            let check = model.check(site, None, &[]);
            assert_eq!(check.verdict.rank(), Some(rank), "{text}");
        }
    }
}

#[test]
fn velocities_that_are_consistent_are_taken_next_to_a_change_point() {
    // sin(a) and sin(c) are not told from zero there, and are the same
    let text = "coordinates: [a, b, c, e, f]\nlagrangian: a'^2/2 + b'^2/2 + c'^2/2 + e'^2/2 + f'^2/2\n\
         constraints:\n  l1: cos(a) + 2*cos(b) - cos(c) - 2\n  u1: sin(a) + 2*sin(b) - sin(c)\n  l2: cos(c) + 2*cos(e) - cos(f) - 2\n  u2: sin(c) + 2*sin(e) - sin(f)\n\
         start: {a: -1e-7, b: 0, c: -1e-7, e: 0, f: -1e-7, a': 0.05, b': 0, c': 0.05, e': 0, f': 0.05}\n";
    let start = model(text).start(&Overrides::default()).unwrap();
    assert_eq!(start.v, [0.05, 0.0, 0.05, 0.0, 0.05]);
}

/// Whether a motion comes with the note that its kinetic energy may be negative.
fn told_of_negative_energy(text: &str) -> bool {
    let motion = model(text).simulate(&Request::default(), &AtomicBool::new(false));
    motion.unwrap().notes.contains(&Note::NegativeKineticEnergy)
}

#[test]
fn a_kinetic_energy_that_the_constraints_leave_negative_is_told_and_no_other() {
    let text = |kinetic: &str, constraint: &str| {
        format!(
            "coordinates: [x, y]\nkinetic: {kinetic}\npotential: -x\n{constraint}start: {{x: 1}}\nrun: {{until: 0.1}}\n"
        )
    };
    let wire = "constraints: {w: y - x/2}\n";
    assert!(told_of_negative_energy(&text("-(x'^2 + y'^2)", wire)));
    assert!(told_of_negative_energy(&text(
        "1e-12*(x'^2 - 9*y'^2)",
        wire
    )));
    assert!(told_of_negative_energy(&text("x'^2 - y'^2", "")));
    // along the wire it is positive, whatever it is across
    assert!(!told_of_negative_energy(&text("x'^2 - y'^2", wire)));
    assert!(!told_of_negative_energy(&text(
        "1e12*x'^2 - 1e-6*y'^2",
        wire
    )));
    // a coordinate without mass
    assert!(!told_of_negative_energy(&text("x'^2", wire)));
    // only the velocity constraint keeps to what is positive
    let skate = "velocity_constraints: {s: \"y' - x'/2\"}\n";
    assert!(!told_of_negative_energy(&text("x'^2 - y'^2", skate)));
}
