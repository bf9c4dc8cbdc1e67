//! Motions with constraints that others imply: which of them are in use is a choice, and none that is seen.

#![allow(clippy::unwrap_used, clippy::panic)]

use crate::continuation::asked;
use holonom::analysis::{Model, Overrides, Request, Where};
use holonom::solver::{FlagKind, Method, Motion, SolverError};
use holonom::statics::Place;
use holonom::system::System;
use std::sync::atomic::AtomicBool;

fn motion(text: &str, until: f64, method: Method) -> Motion {
    let system = System::parse(text, "test.yaml", &[]).unwrap_or_else(|e| panic!("{text}\n{e:?}"));
    let request = Request {
        until: Some(until),
        samples: Some(100),
        method: Some(method),
        ..Request::default()
    };
    let motion = Model::new(system)
        .simulate(&request, &AtomicBool::new(false))
        .unwrap();
    assert!(motion.finished, "{text}\n{method:?}: {:?}", motion.because);
    motion
}

/// The times at which the rank is lost, after the start, where it is told once that constraints are redundant.
fn ranks(motion: &Motion) -> Vec<f64> {
    let flags = motion.flags.iter().filter(|f| f.kind == FlagKind::Rank);
    flags.map(|f| f.t).filter(|t| *t > 0.0).collect()
}

/// A bead on a circle, told twice: beside it stands y times it, in this order.
fn circle(order: [usize; 2], potential: &str) -> String {
    let levels = ["f: y*(x^2 + y^2 - 1) = 0", "g: x^2 + y^2 = 1"];
    let [first, second] = order.map(|b| levels[b]);
    format!(
        "coordinates: [x, y]\nlagrangian: (x'^2 + y'^2)/2 - {potential}\nconstraints: {{{first}, {second}}}\nstart: {{x: 0.6, y: 0.8, x': -0.8, y': 0.6}}\n"
    )
}

#[test]
fn a_constraint_times_a_coordinate_implies_it_but_where_that_is_zero() {
    for order in [[0, 1], [1, 0]] {
        let text = circle(order, "0");
        for method in Method::ALL {
            let motion = motion(&text, 7.0, method);
            assert_eq!(ranks(&motion), [0.0; 0], "{method:?}");
            for s in &motion.samples {
                let (sin, cos) = (s.t + 0.8_f64.atan2(0.6)).sin_cos();
                assert!((s.x[0] - cos).abs() < 1e-7 && (s.x[1] - sin).abs() < 1e-7);
                // of all with y lambda_f + lambda_g = -1/2 the least
                let share = -0.5 / (1.0 + s.x[1] * s.x[1]);
                let [f, g] = [0, 1].map(|b| s.lambda[order[b]]);
                assert!(
                    (f - share * s.x[1]).abs() < 1e-6,
                    "{method:?} {}: {f} {g}",
                    s.t
                );
                assert!((g - share).abs() < 1e-6, "{method:?} {}: {f} {g}", s.t);
            }
        }
    }
}

#[test]
fn a_linkage_with_a_bar_to_spare_starts_next_to_its_flat_position_and_passes_it() {
    // a parallelogram with a third crank turns by 1 rad a unit of time
    for degrees in [1.0_f64, 3.0, 6.0, 9.0, 15.0, 150.0, 171.0, 178.0] {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let (c, s) = (1.5 * cos, 1.5 * sin);
        let text = format!(
            "coordinates: [x, y, u, w, p, r]\nlagrangian: (x'^2 + y'^2 + u'^2 + w'^2 + p'^2 + r'^2)/2\n\
             constraints:\n  r1: x^2 + y^2 = 9/4\n  r2: (u - x)^2 + (w - y)^2 = 1\n  r3: (u - 1)^2 + w^2 = 9/4\n  \
             mx: p = (x + u)/2\n  my: r = (y + w)/2\n  r4: (p - 1/2)^2 + r^2 = 9/4\n\
             start: {{x: {c}, y: {s}, u: {}, w: {s}, p: {}, r: {s}, x': {}, y': {c}, u': {}, w': {c}, p': {}, r': {c}}}\n",
            c + 1.0,
            c + 0.5,
            -s,
            -s,
            -s
        );
        for method in Method::ALL {
            let motion = motion(&text, 3.5, method);
            let turns = [1.0, 2.0].map(|k| k * std::f64::consts::PI - degrees.to_radians());
            let flat: Vec<f64> = turns.into_iter().filter(|t| *t < 3.5).collect();
            let told = ranks(&motion);
            assert_eq!(told.len(), flat.len(), "{degrees} {method:?}: {told:?}");
            for (told, flat) in told.iter().zip(&flat) {
                assert!((told - flat).abs() < 1e-6, "{degrees} {method:?}: {told}");
            }
            for s in &motion.samples {
                let (sin, cos) = (s.t + degrees.to_radians()).sin_cos();
                let off = (s.x[2] - 1.0 - 1.5 * cos)
                    .abs()
                    .max((s.x[3] - 1.5 * sin).abs());
                assert!(off < 1e-6, "{degrees} {method:?} {}: {off}", s.t);
            }
        }
    }
}

/// Bennett's linkage: two points and the directions of two hinges, and three constraints more than it has freedom for.
const BENNETT: &str = "
coordinates: [px, py, pz, qx, qy, qz, ex, ey, ez, fx, fy, fz]
lagrangian: (px'^2 + py'^2 + pz'^2)/2 + qx'^2 + qy'^2 + qz'^2 + (ex'^2 + ey'^2 + ez'^2 + fx'^2 + fy'^2 + fz'^2)/10
constraints:
  d23: (px - 1)^2 + py^2 + pz^2 = 9/16
  o23a: -4/5*py + 3/5*pz = 0
  o23b: ex*(px - 1) + ey*py + ez*pz = 0
  c23: -4/5*ey + 3/5*ez = 4/5
  d34: (qx - px)^2 + (qy - py)^2 + (qz - pz)^2 = 1
  o34a: ex*(qx - px) + ey*(qy - py) + ez*(qz - pz) = 0
  o34b: fx*(qx - px) + fy*(qy - py) + fz*(qz - pz) = 0
  c34: ex*fx + ey*fy + ez*fz = 3/5
  d41: qx^2 + qy^2 + qz^2 = 9/16
  o41a: fx*qx + fy*qy + fz*qz = 0
  u3: ex^2 + ey^2 + ez^2 = 1
  u4: fx^2 + fy^2 + fz^2 = 1
start: {px: 0.5868123238192288, py: -0.37555204690008054, pz: -0.5007360625334408, qx: -0.20691515357399323, qy: -0.7208925850787001,
  qz: 0, ex: 0.5007360625334407, ey: -0.8383300845667702, ez: 0.21555988724430636, fx: 0.5767140680629601, fy: -0.16553212285919458,
  fz: 0.8, px': -0.9872793650386765, py': 0.39103874198409977, pz': 0.5213849893121311, qx': -1.309614307186527, qy': 0.3758937893148337,
  qz': 0, ex': -0.5213849893121318, ey': -0.4738940952185646, ez': -0.6318587936247534, fx': -0.3007150314518671, fy': -1.0476914457492217,
  fz': 0}
";

#[test]
fn a_linkage_with_more_constraints_than_it_has_freedom_for_turns_all_the_way() {
    // without one that the others imply, another each time
    let whole = Method::ALL.map(|method| motion(BENNETT, 3.0, method));
    for name in ["d23", "o23a"] {
        let kept = BENNETT.lines();
        let kept = kept.filter(|line| !line.trim_start().starts_with(&format!("{name}:")));
        let less = motion(&kept.collect::<Vec<_>>().join("\n"), 3.0, Method::Inverse);
        for motion in &whole {
            assert_eq!(ranks(motion), [0.0; 0], "{:?}", motion.method);
            for (a, b) in motion.samples.iter().zip(&less.samples) {
                let off = a.x.iter().zip(&b.x).map(|(a, b)| (a - b).abs());
                let off = off.fold(0.0, f64::max);
                assert!(
                    off < 1e-6,
                    "{:?} without {name} at {}: {off}",
                    motion.method,
                    a.t
                );
                assert!(a.residual < 1e-9 && (a.energy - 2.764_5).abs() < 1e-4);
            }
        }
    }
}

#[test]
fn an_equilibrium_where_the_constraints_in_use_are_dependent_is_one() {
    for order in [[0, 1], [1, 0]] {
        let text = circle(order, "x");
        let system = System::parse(&text, "test.yaml", &[]).unwrap();
        let found = Model::new(system).equilibria(&Where::default());
        assert!(found.singular.is_empty() && !found.complete());
        let places: Vec<f64> = found.list.iter().map(|e| e.x[0]).collect();
        assert_eq!(places.len(), 2, "{places:?}");
        for (place, e) in [-1.0, 1.0].into_iter().zip(&found.list) {
            assert!((e.x[0] - place).abs() < 1e-9 && e.x[1].abs() < 1e-6);
            let g = e.multipliers[order[1]];
            assert!((g - place / 2.0).abs() < 1e-9, "{:?}", e.multipliers);
        }
    }
}

/// The places of a continuation over p = -1 to 1.5, and how many branches there are.
fn followed(constraints: &str, potential: &str) -> (Vec<(&'static str, [f64; 3])>, usize) {
    let text = format!(
        "coordinates: [x, y]\nparameters: {{p: 0.3}}\nlagrangian: (x'^2 + y'^2)/2 - ({potential})\nconstraints: {{{constraints}}}\nguess: {{x: 0.6, y: 0.8}}\n"
    );
    let region = [(-3.0, 3.0), (-3.0, 3.0)];
    let found = asked(&text, &[], ("p", -1.0, 1.5), &region).unwrap();
    let mut places: Vec<(&'static str, [f64; 3])> = found
        .nodes
        .iter()
        .map(|node| {
            let at = [node.at.p, node.at.x[0], node.at.x[1]];
            (node.place.name(), at.map(|v| (v * 1e4).round() / 1e4 + 0.0))
        })
        .collect();
    places.sort_by(|a, b| a.partial_cmp(b).unwrap());
    (places, found.pieces.len())
}

#[test]
fn branches_go_on_where_the_constraints_in_use_become_dependent() {
    // with a fold, with pitchforks, and with neither
    for potential in [
        "0.79*x*p + 0.41*y - 0.47*x*y + 0.21*p*y^2 + 0.92*x^2",
        "p*y - 0.27*y^2 - 0.11*x^2*p",
        "x + p*y",
    ] {
        let alone = followed("g: x^2 + y^2 = 1", potential);
        for (one, other) in [
            ("x*y + 0.01", "x + 0.4"),
            ("y - 0.91", "1"),
            ("x - 0.7*y", "x"),
        ] {
            let both = format!("a: ({one})*(x^2 + y^2 - 1) = 0, b: ({other})*(x^2 + y^2 - 1) = 0");
            assert_eq!(followed(&both, potential), alone, "{both}");
        }
    }
}

#[test]
fn multipliers_along_a_branch_are_those_of_least_norm() {
    let text =
        circle([0, 1], "(x + p*y)").replace("lagrangian", "parameters: {p: 0.1}\nlagrangian");
    let found = asked(&text, &[], ("p", 0.1, 2.0), &[]).unwrap();
    let points = found.pieces.iter().flat_map(|piece| &piece.points);
    let mut count = 0;
    for point in points {
        let (x, y) = (point.x[0], point.x[1]);
        // y (x^2 + y^2 - 1) and x^2 + y^2 have gradients y and 1 times that of the circle
        let force = f64::midpoint(x, point.p * y);
        let [a, b] = [y, 1.0].map(|g| -force * g / (1.0 + y * y));
        let off = (point.multipliers[0].abs() - a.abs()).abs();
        assert!(
            off + (point.multipliers[1].abs() - b.abs()).abs() < 1e-7,
            "{point:?}"
        );
        count += 1;
    }
    assert!(count > 50);
}

#[test]
fn a_branch_ends_where_constraints_part() {
    let constraints = "a: x^2 + y^2 = 1, b: x^2 + y^2 = 1 + (p - 1 + abs(p - 1))/2";
    let text = format!(
        "coordinates: [x, y]\nparameters: {{p: 0.5}}\nlagrangian: (x'^2 + y'^2)/2 - x - p*y\nconstraints: {{{constraints}}}\nstart: {{x: 0.6, y: 0.8}}\n"
    );
    let found = asked(&text, &[], ("p", 0.5, 2.0), &[]).unwrap();
    assert_eq!(found.pieces.len(), 2);
    for piece in &found.pieces {
        let end = &found.nodes[piece.to];
        assert!(matches!(end.place, Place::Parted(1)), "{:?}", end.place);
        assert!((end.at.p - 1.0).abs() < 1e-6, "{:?}", end.at);
        assert!(piece.points.iter().all(|point| point.p <= 1.0 + 1e-6));
    }
}

#[test]
fn a_motion_does_not_leave_a_constraint_that_the_others_imply_no_longer() {
    // what parts at x or at t = 2, at once, bit by bit, or for good
    for (first, second) in [
        ("y = 0", "y = x - 1 + abs(x - 1)"),
        ("y = 0", "y = 1 + tanh(20*(x - 2))"),
        ("x = t - 1", "x = t - 1 + 1e-3*t^8"),
    ] {
        for (a, b) in [(first, second), (second, first)] {
            let text = format!(
                "coordinates: [x, y]\nlagrangian: (x'^2 + y'^2)/2\nconstraints: {{a: {a}, b: {b}}}\nstart: {{x: -1, y: 0, x': 1, y': 0}}\nrun: {{until: 10}}\n"
            );
            let system = System::parse(&text, "test.yaml", &[]).unwrap();
            for method in Method::ALL {
                let request = Request {
                    method: Some(method),
                    ..Request::default()
                };
                let model = Model::new(system.clone());
                let motion = model.simulate(&request, &AtomicBool::new(false)).unwrap();
                let last = motion.samples.last().unwrap();
                match motion.because {
                    Some(SolverError::Parted { t, .. }) => {
                        assert!(last.t == t && t < 3.1, "{method:?}: {t}");
                    }
                    Some(SolverError::Kink { t, .. }) => assert!((t - 2.0).abs() < 1e-6),
                    because => panic!("{text}\n{method:?}: {because:?}"),
                }
                assert!(
                    motion.samples.iter().all(|s| s.residual < 1e-5),
                    "{method:?}"
                );
            }
        }
    }
}

#[test]
fn rows_that_vanish_in_turn_are_in_use_in_turn() {
    // on y = 0, the rows are sin(x) and cos(x) of one: multipliers are sin(x) and cos(x) of the weight
    for (k, until) in [(1.0, 20.0), (5.0, 10.0), (20.0, 5.0)] {
        let text = format!(
            "coordinates: [x, y]\nlagrangian: (x'^2 + y'^2)/2 - y\nconstraints: {{b: y*sin({k}*x) = 0, a: y*cos({k}*x) = 0}}\nstart: {{x: 0.3, y: 0, x': 1, y': 0}}\n"
        );
        for method in Method::ALL {
            let motion = motion(&text, until, method);
            assert_eq!(ranks(&motion), [0.0; 0], "{k} {method:?}");
            for s in &motion.samples {
                let (sin, cos) = (k * s.x[0]).sin_cos();
                let off = (s.lambda[0] - sin).abs().max((s.lambda[1] - cos).abs());
                assert!(off < 1e-6, "{k} {method:?} {}: {:?}", s.t, s.lambda);
            }
        }
    }
}

/// The atlas had pieces a millionth wide on which no configuration lies.
#[test]
fn where_constraints_are_redundant_an_atlas_says_so_and_has_no_pieces() {
    let atlas = |text: &str| {
        let model = Model::new(System::parse(text, "test.yaml", &[]).unwrap());
        let (part, _) = model.part(&Overrides::default(), &[]);
        let atlas = model.atlas(part, None);
        let pieces: usize = atlas.charts.iter().map(|chart| chart.pieces.len()).sum();
        (pieces, atlas.nowhere.map(|found| found.proven))
    };
    let cranks = "coordinates: [a, b, c, X, Y, p]\nparameters: {l: 0.5, d: 1}\n\
        lagrangian: 1/2*(a'^2 + b'^2 + c'^2 + X'^2 + Y'^2 + p'^2) - Y\nconstraints:\n  \
        x1: l*cos(a) = X\n  y1: l*sin(a) = Y\n  x2: d + l*cos(b) = X + d*cos(p)\n  y2: l*sin(b) = Y + d*sin(p)\n  \
        x3: 2*d + l*cos(c) = X + 2*d*cos(p)\n  y3: l*sin(c) = Y + 2*d*sin(p)\n\
        start: {a: 1, b: 1, c: 1, p: 0}\n";
    assert_eq!(atlas(cranks), (0, Some(false)));
    let doubled = "coordinates: [x, y]\nlagrangian: (x'^2 + y'^2)/2 - y\n\
        constraints: {a: x - y = 0, b: 2*x - 2*y = 0}\nstart: {x: 1}\n";
    assert_eq!(atlas(doubled), (0, Some(true)));
    // redundant where it starts, and regular on another piece of the set
    let pieces = "coordinates: [x, y, z]\nlagrangian: (x'^2 + y'^2 + z'^2)/2\n\
        constraints: {a: x*y = 0, b: x*z = 0}\nstart: {x: 0, y: 1, z: 1}\n";
    let (found, nowhere) = atlas(pieces);
    assert!(found > 0 && nowhere.is_none());
}
