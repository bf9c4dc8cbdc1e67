//! Velocity constraints: exact motions, derived equations, balance of energy, methods against each other, starts, rank.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use holonom::analysis::{Model, Overrides, Request, RequestError};
use holonom::report::holonomic_notes;
use holonom::solver::{Dependent, FlagKind, Method, Missing, Motion, SolverError, Stiff};
use holonom::system::{System, find};
use std::sync::atomic::AtomicBool;

static GO: AtomicBool = AtomicBool::new(false);

fn model(text: &str) -> Model {
    let system = System::parse(text, "test", &[]);
    Model::new(system.unwrap_or_else(|errors| panic!("{}", errors[0].render())))
}

fn held(name: &str) -> Model {
    model(find(name).unwrap().text)
}

fn run(model: &Model, method: Method, stiff: Stiff) -> Motion {
    let request = Request {
        method: Some(method),
        stiff: Some(stiff),
        ..Request::default()
    };
    let motion = model.simulate(&request, &GO).unwrap();
    assert!(motion.finished, "{method} {stiff:?}: {:?}", motion.because);
    motion
}

fn each() -> impl Iterator<Item = (Method, Stiff)> {
    let both = |method| [Stiff::Never, Stiff::Always].map(|stiff| (method, stiff));
    Method::ALL.into_iter().flat_map(both)
}

fn column(model: &Model, motion: &Motion, text: &str) -> Vec<f64> {
    let columns = [text.to_owned()];
    model
        .column_values(&motion.samples, &columns)
        .unwrap()
        .swap_remove(0)
}

fn largest(list: &[f64]) -> f64 {
    list.iter().fold(0.0, |most, e| {
        assert!(e.is_finite());
        most.max(e.abs())
    })
}

/// So many times the tolerance of a step, for all steps together.
const STEPS: f64 = 100.0;

fn follows(model: &Model, exact: &[(&str, &str)]) {
    for (method, stiff) in each() {
        let motion = run(model, method, stiff);
        assert!(motion.flags.is_empty(), "{method}");
        for (value, formula) in exact {
            let off = largest(&column(model, &motion, &format!("{value} - ({formula})")));
            let size = largest(&column(model, &motion, formula)).max(1.0);
            assert!(
                off <= STEPS * 1e-9 * size,
                "{method} {stiff:?}: {value} is off by {off:e} of {size}"
            );
        }
        assert!(
            largest(&column(model, &motion, "residual_velocity")) < 1e-12,
            "{method}"
        );
        let closure = model.closure(&motion.samples).unwrap();
        assert!(
            closure.relative() < 1e-8,
            "{method} {stiff:?}: {}",
            closure.relative()
        );
    }
}

#[test]
fn a_knife_edge_moves_on_a_cycloid() {
    follows(
        &held("knife_edge"),
        &[
            ("x", "g*sin(alpha)*sin(w*t)^2/(2*w^2)"),
            ("y", "g*sin(alpha)*(2*w*t - sin(2*w*t))/(4*w^2)"),
            ("phi", "w*t"),
            ("lambda_edge", "-2*m*g*sin(alpha)*sin(w*t)"),
            ("R_x", "-2*m*g*sin(alpha)*sin(w*t)^2"),
        ],
    );
}

#[test]
fn a_sleigh_ends_straight_ahead() {
    let k = "sqrt(a^2 + I/m)";
    let ahead = format!("{k}*w*tanh(a*w*t/{k})");
    let turning = format!("w/cosh(a*w*t/{k})");
    let angle = format!("2*{k}/a*atan(tanh(a*w*t/(2*{k})))");
    let force = format!("I*w^2/{k}*tanh(a*w*t/{k})/cosh(a*w*t/{k})");
    follows(
        &held("chaplygin_sleigh"),
        &[
            ("x'*cos(theta) + y'*sin(theta)", &ahead),
            ("theta'", &turning),
            ("theta", &angle),
            ("lambda_blade", &force),
        ],
    );
}

#[test]
fn a_disc_rolls_on_circles_and_straight_ahead() {
    let text = find("rolling_disc").unwrap().text;
    let circle = [
        ("x", "r*W/w*sin(w*t)"),
        ("y", "r*W/w*(1 - cos(w*t))"),
        ("theta", "W*t"),
        ("lambda_along", "-m*r*W*w*sin(w*t)"),
        ("lambda_across", "m*r*W*w*cos(w*t)"),
    ];
    follows(&model(text), &circle);
    let straight = text
        .replace("phi: 0,", "phi: 0.4,")
        .replace("phi': w", "phi': 0");
    let exact = [
        ("x", "r*W*t*cos(0.4)"),
        ("y", "r*W*t*sin(0.4)"),
        ("phi", "0.4"),
        ("lambda_along", "0"),
        ("lambda_across", "0"),
    ];
    follows(&model(&straight), &exact);
}

#[test]
fn a_hoop_that_rolls_is_recognised_as_holonomic() {
    let model = held("hoop_on_incline");
    follows(
        &model,
        &[
            ("x", "g*sin(alpha)*t^2/4"),
            ("lambda_roll", "-m*g*sin(alpha)/2"),
            ("lambda_plane", "m*g*cos(alpha)"),
        ],
    );
    let notes = holonomic_notes(&model, holonom::expr::Style::Plain);
    assert_eq!(notes, ["roll: this is holonomic: x - r*theta = const"]);
    for name in ["knife_edge", "chaplygin_sleigh", "rolling_disc"] {
        let notes = holonomic_notes(&held(name), holonom::expr::Style::Plain);
        assert!(notes.is_empty(), "{name}: {notes:?}");
    }
    // the same as a holonomic constraint has the same motion and forces
    let text = find("hoop_on_incline").unwrap().text;
    let text = text.replace(
        "velocity_constraints:\n  roll: x' = r*theta'",
        "  roll: x = r*theta",
    );
    let other = self::model(&text);
    let (a, b) = (
        run(&model, Method::Inverse, Stiff::Never),
        run(&other, Method::Inverse, Stiff::Never),
    );
    for (p, q) in a.samples.iter().zip(&b.samples) {
        for (p, q) in p
            .reaction
            .iter()
            .chain(&p.x)
            .zip(q.reaction.iter().chain(&q.x))
        {
            assert!((p - q).abs() < 1e-9 * p.abs().max(1.0));
        }
    }
}

/// Every expression that is said to be zero along every motion is so, every multiplier is its formula.
fn equations_hold(model: &Model, motion: &Motion) {
    let derived = model.derive(None);
    let mut zeros = derived.standard.clone();
    let pool = &model.system.pool;
    let symbols: Vec<_> = model.system.multipliers().collect();
    let mut named = |list: &Option<Vec<holonom::expr::Expr>>| {
        for (e, symbol) in list.iter().flatten().zip(&symbols) {
            zeros.push(pool.sub(*e, *symbol));
        }
    };
    named(&derived.derivation.multipliers);
    let whole = derived.whole.as_ref();
    if let Some(whole) = whole {
        named(&whole.multipliers);
    }
    zeros.extend(derived.derivation.reduced.iter().flatten());
    zeros.extend(whole.and_then(|w| w.reduced.as_ref()).into_iter().flatten());
    if let Some((_, written)) = derived.eliminated_written(model) {
        zeros.extend(&written.equations);
    }
    for branch in derived
        .in_branches
        .iter()
        .flatten()
        .filter(|b| b.conditions.is_empty())
    {
        zeros.extend(&branch.equations);
    }
    // A x'' = gamma
    for (row, gamma) in model
        .equations
        .velocity
        .rows
        .iter()
        .zip(&model.equations.velocity.gamma)
    {
        let parts = row.iter().zip(&model.system.coordinates);
        let parts = parts.map(|(&a, c)| pool.mul(a, c.a));
        zeros.push(pool.sub(pool.sum(parts.collect::<Vec<_>>()), *gamma));
    }
    let scale = motion
        .samples
        .iter()
        .flat_map(|s| s.lambda.iter().chain(&s.a));
    let scale = scale.fold(1.0_f64, |most, e| most.max(e.abs()));
    for (values, e) in model.evaluate(&motion.samples, &zeros).iter().zip(&zeros) {
        let off = largest(values);
        assert!(
            off < 1e-7 * scale,
            "{} is {off:e} of {scale}",
            pool.print(*e)
        );
    }
    // virtual displacements lie in ker W
    let whole = whole.unwrap();
    if let Some(rows) = &whole.displacements {
        let all = model
            .equations
            .jacobian
            .iter()
            .chain(&model.equations.velocity.rows);
        for row in all {
            for (column, &own) in whole.independent.iter().enumerate() {
                let parts = whole.dependent.iter().zip(rows);
                let parts = parts
                    .map(|(&k, d)| pool.mul(row[k], d[column]))
                    .chain([row[own]]);
                let e = pool.sum(parts.collect::<Vec<_>>());
                assert_eq!(pool.is_zero(e), Some(true), "{}", pool.print(e));
            }
        }
    }
}

/// The accelerations are the rates of the velocities, these of the positions.
fn rates_hold(motion: &Motion) {
    let h = motion.samples[1].t - motion.samples[0].t;
    for three in motion.samples.windows(3) {
        for k in 0..three[0].x.len() {
            let v = (three[2].x[k] - three[0].x[k]) / (2.0 * h);
            let a = (three[2].v[k] - three[0].v[k]) / (2.0 * h);
            let size = three
                .iter()
                .fold(1.0_f64, |m, s| m.max(s.a[k].abs()).max(s.v[k].abs()));
            assert!((v - three[1].v[k]).abs() < 2e-3 * size);
            assert!((a - three[1].a[k]).abs() < 2e-3 * size);
        }
    }
}

const LAGRANGIANS: [&str; 3] = [
    "1/2*(x'^2 + 2*y'^2 + 3*z'^2 + s'^2) - 9.81*z",
    "1/2*((2 + sin(y))*x'^2 + y'^2 + (1 + x^2)*z'^2 + s'^2) + x'*s'/3 - (x - y)^2 - z^2 + t*y'",
    "1/2*(x'^2 + y'^2 + z'^2 + (1 + t^2/4)*s'^2) + y*s' - cos(x)*s",
];
const HOLONOMIC: [&str; 4] = [
    "",
    "{f: x^2 + y^2 + z^2 = 4}",
    "{f: z = x*y + t*x}",
    "{f: s - sin(y)*x = 0.1*t^2}",
];
const VELOCITY: [&str; 5] = [
    "{a: y' = s*x'}",
    "{a: x'*sin(s) - y'*cos(s) = 0.2*s'}",
    "{a: s' = z*x' - x*y' + sin(t)}",
    "{a: (1 + x^2)*s' + t*y' = y, b: x' + z' = s*y'}",
    "{a: y' = exp(-s)*z' + x*cos(t)}",
];

fn mixed() -> Vec<String> {
    let mut list = Vec::new();
    for (i, lagrangian) in LAGRANGIANS.iter().enumerate() {
        for (j, f) in HOLONOMIC.iter().enumerate() {
            for (k, velocity) in VELOCITY.iter().enumerate() {
                if (i + j + k) % 2 == 1 && j > 0 {
                    continue;
                }
                let f = if f.is_empty() {
                    String::new()
                } else {
                    format!("constraints: {f}\n")
                };
                list.push(format!(
                    "coordinates: [x, y, z, s]\nlagrangian: {lagrangian}\n{f}velocity_constraints: {velocity}\nforces: {{x: -0.1*x' + sin(t)}}\nguess: {{x: 1.1, y: 0.7, z: 1.2, s: 0.5, x': 0.4, y': -0.3, z': 0.2, s': 0.1}}\nrun: {{until: 1.5, samples: 600}}\n"
                ));
            }
        }
    }
    list
}

#[test]
fn mixed_systems_agree_balance_and_satisfy_their_equations() {
    let mut finished = 0;
    for text in mixed() {
        let model = model(&text);
        let compared = model.compare(&Request::default(), &GO).unwrap();
        if let Some(because) = &compared.because {
            // a named singularity on the way, in every method or none
            assert!(
                compared.motions.iter().all(|m| !m.finished),
                "{text}\n{because}"
            );
            continue;
        }
        assert!(compared.agree, "{text}\n{:?}", compared.differences);
        finished += 1;
        for motion in &compared.motions {
            assert!(
                largest(&column(&model, motion, "residual_velocity")) < 1e-11,
                "{text}"
            );
            assert!(
                largest(&column(&model, motion, "residual")) < 1e-11,
                "{text}"
            );
            let closure = model.closure(&motion.samples).unwrap();
            assert!(
                closure.relative() < 1e-7,
                "{text}\n{}: {}",
                motion.method,
                closure.relative()
            );
        }
        rates_hold(&compared.motions[0]);
        equations_hold(&model, &compared.motions[0]);
        // R.x' = -lambda.f_t - mu.b
        let powers = column(&model, &compared.motions[0], "power_R");
        let terms = model.energy_terms();
        let same = model
            .evaluate(&compared.motions[0].samples, &[terms.constraints])
            .swap_remove(0);
        for (a, b) in powers.iter().zip(same) {
            assert!((a - b).abs() < 1e-8 * a.abs().max(1.0), "{text}: {a} {b}");
        }
    }
    assert!(finished >= 30, "{finished}");
}

#[test]
fn what_is_built_in_satisfies_its_equations() {
    for name in [
        "knife_edge",
        "chaplygin_sleigh",
        "rolling_disc",
        "hoop_on_incline",
    ] {
        let model = held(name);
        equations_hold(&model, &run(&model, Method::Inverse, Stiff::Never));
    }
}

const SKATE: &str = "coordinates: [x, y, phi]\nlagrangian: 1/2*(x'^2 + y'^2 + phi'^2)\nvelocity_constraints: {edge: x'*sin(phi) = y'*cos(phi)}\n";

#[test]
fn velocities_left_out_are_solved_for_and_given_ones_are_moved_or_refused() {
    let start = |velocities: &str| {
        let text = format!("{SKATE}start: {{x: 0, y: 0, phi: 0.5, phi': 1, {velocities}}}\n");
        model(&text).start(&Overrides::default())
    };
    let solved = start("x': 2").unwrap();
    assert!((solved.v[1] - 2.0 * 0.5_f64.tan()).abs() < 1e-14);
    let moved = start("x': 0.8775825, y': 0.4794255").unwrap();
    assert_eq!(moved.notes.len(), 2, "{:?}", moved.notes);
    assert!((moved.v[0] * 0.5_f64.sin() - moved.v[1] * 0.5_f64.cos()).abs() < 1e-15);
    match start("x': 1, y': 1") {
        Err(SolverError::Missed {
            by: Missing::VelocityConstraint,
            constraint,
            residual,
            nearest,
            ..
        }) => {
            assert_eq!(constraint, "edge");
            assert!((residual - (0.5_f64.sin() - 0.5_f64.cos())).abs() < 1e-12);
            assert_eq!(nearest.len(), 3);
        }
        other => panic!("{other:?}"),
    }
    // of both kinds together
    let model = model(
        "coordinates: [x, y, z]\nlagrangian: 1/2*(x'^2 + y'^2 + z'^2)\nconstraints: {f: z = x*y + t}\nvelocity_constraints: {a: y' = z*x' + 1}\nstart: {x: 1, y: 2, x': 3}\n",
    );
    let start = model.start(&Overrides::default()).unwrap();
    assert_eq!(start.x[2], 2.0);
    assert!((start.v[1] - 7.0).abs() < 1e-13 && (start.v[2] - (6.0 + 7.0 + 1.0)).abs() < 1e-13);
    let account = model.assembly(&Overrides::default(), &start);
    assert_eq!(account.free_velocities, 0);
}

#[test]
fn redundant_velocity_constraints_are_left_out_with_a_flag_and_the_verdict_does_not_mind() {
    let once = model(&format!(
        "{SKATE}start: {{x: 0, y: 0, phi: 0.5, phi': 1, x': 1}}\nforces: {{x: 1}}\n"
    ));
    let twice = SKATE.replace("{edge:", "{again: 2*x'*sin(phi) = 2*y'*cos(phi), edge:");
    let twice = model(&format!(
        "{twice}start: {{x: 0, y: 0, phi: 0.5, phi': 1, x': 1}}\nforces: {{x: 1}}\n"
    ));
    for method in Method::ALL {
        let (a, b) = (
            run(&once, method, Stiff::Auto),
            run(&twice, method, Stiff::Auto),
        );
        assert_eq!(b.flags.len(), 1);
        assert_eq!(b.flags[0].kind, FlagKind::Rank);
        let left: Vec<usize> = b.redundant.iter().map(|r| r.constraint).collect();
        assert_eq!(twice.multiplier_names()[left[0]], "edge");
        assert_eq!(left.len(), 1);
        for (p, q) in a.samples.iter().zip(&b.samples) {
            for k in 0..3 {
                assert!((p.x[k] - q.x[k]).abs() < 1e-8);
                assert!((p.reaction[k] - q.reaction[k]).abs() < 1e-8);
            }
            // of least norm: (2, 1) lambda / 5
            assert!((q.lambda[0] - 0.4 * p.lambda[0]).abs() < 1e-8);
            assert!((q.lambda[1] - 0.2 * p.lambda[0]).abs() < 1e-8);
        }
    }
    let site = twice.site(&Overrides::default()).unwrap();
    assert!(twice.check(site, None, &[]).verdict.holds());
    // implied by a holonomic one
    let rolls = "coordinates: [x, theta]\nlagrangian: 1/2*(x'^2 + theta'^2) + x\nconstraints: {f: x = 2*theta}\nvelocity_constraints: {a: x' = 2*theta'}\n";
    let refused = System::parse(rolls, "test", &[]);
    // two constraints on two coordinates leave nothing to move, and these are one
    let motion = model(rolls).simulate(&Request::default(), &GO).unwrap();
    assert!(refused.is_ok() && motion.finished, "{:?}", motion.because);
    assert_eq!(motion.flags[0].kind, FlagKind::Rank);
    let last = motion.samples.last().unwrap();
    assert!(
        (last.x[0] - 0.5 * 0.8 * last.t * last.t).abs() < 1e-7,
        "{}",
        last.x[0]
    );
}

#[test]
fn velocity_constraints_that_contradict_each_other_are_refused() {
    let text = "coordinates: [x, y]\nlagrangian: x'^2 + y'^2\nvelocity_constraints: {a: x' = 1, b: x' = 2}\n";
    match model(text).simulate(&Request::default(), &GO) {
        Err(RequestError::Solver(SolverError::NoVelocity { residual, .. })) => {
            assert!((residual.abs() - 0.5).abs() < 1e-12);
        }
        other => panic!("{other:?}"),
    }
    // at the start they do not, later they do
    let text = "coordinates: [x, y]\nlagrangian: x'^2 + y'^2\nvelocity_constraints: {a: x' = 1, b: x' = 1 + t}\n";
    let motion = model(text).simulate(&Request::default(), &GO).unwrap();
    assert!(
        matches!(motion.because, Some(SolverError::DependentStart { .. })),
        "{:?}",
        motion.because
    );
    assert_eq!(motion.flags[0].kind, FlagKind::Rank);
}

#[test]
fn a_momentum_is_conserved_only_where_no_velocity_constraint_acts() {
    let model = held("rolling_disc");
    let balance = &model.account().balance;
    let kept: Vec<bool> = balance
        .momenta
        .iter()
        .map(|p| p.is_conserved(&model.system.pool))
        .collect();
    assert_eq!(kept, [false, false, true, false]);
    let skate = self::model(&format!("{SKATE}start: {{x': 1, phi': 1}}\n"));
    assert!(skate.account().symmetries.is_empty());
}

/// Two rows that become parallel on the way, in a motion that goes on: x and y rest, z falls.
fn rows_that_meet(second: &str) -> Model {
    model(&format!(
        "coordinates: [x, y, z]\nlagrangian: 1/2*(x'^2 + y'^2 + z'^2) - 9.81*z\n\
         velocity_constraints: {{a: x' = 0, b: {second}}}\n\
         start: {{x: 0, y: 0, z: 1, x': 0, y': 0, z': 0}}\nrun: {{until: 2, samples: 10}}\n"
    ))
}

#[test]
fn rows_that_become_parallel_between_steps_are_flagged() {
    // at a time, crossing and touching, and at a place of the falling coordinate
    let fallen = (2.0 * 0.6217_f64 / 9.81).sqrt();
    for (second, moment, known_to) in [
        ("x' + (t - 1.03456)*y' = 0", 1.03456, 1e-9),
        ("x' + (t - 1.03456)^2*y' = 0", 1.03456, 1e-5),
        ("x' + (z - 0.3783)*y' = 0", fallen, 1e-7),
    ] {
        let model = rows_that_meet(second);
        for (method, stiff) in each() {
            let motion = run(&model, method, stiff);
            let flags: Vec<_> = motion.flags.iter().map(|f| (f.kind, f.t)).collect();
            assert_eq!(flags.len(), 1, "{second} {method} {stiff:?} {flags:?}");
            assert_eq!(flags[0].0, FlagKind::Rank);
            assert!((flags[0].1 - moment).abs() < known_to, "{second} {flags:?}");
            let z = column(&model, &motion, "z - (1 - 9.81*t^2/2)");
            assert!(largest(&z) < 1e-7);
        }
    }
}

#[test]
fn rows_that_only_come_near_or_turn_are_not_flagged() {
    for second in [
        "x' + ((t - 1.03456)^2 + 0.001)*y' = 0",
        "cos(7*t)*y' + sin(7*t)*z' = 0",
    ] {
        let model = rows_that_meet(second);
        for (method, stiff) in each() {
            let request = Request {
                method: Some(method),
                stiff: Some(stiff),
                ..Request::default()
            };
            let motion = model.simulate(&request, &GO).unwrap();
            assert!(motion.flags.is_empty(), "{second} {:?}", motion.flags);
        }
    }
    // parallel exactly at the end: the motion comes there, or the rows are to blame, in every method
    let model = rows_that_meet("x' + (t - 2)*y' = 0");
    for (method, stiff) in each() {
        let request = Request {
            method: Some(method),
            stiff: Some(stiff),
            ..Request::default()
        };
        let motion = model.simulate(&request, &GO).unwrap();
        let blamed = matches!(
            motion.because,
            Some(SolverError::RankLost {
                of: Dependent::All,
                ..
            })
        );
        assert!(motion.finished || blamed, "{method} {:?}", motion.because);
        assert_eq!(motion.flags.len(), usize::from(blamed));
    }
}
