//! Where a motion cannot go on it says why: an infinite speed, the end of the set, a cusp, or that it is not decided.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::format_push_string
)]

use crate::one_sided::motions;
use holonom::analysis::{Model, Request};
use holonom::solver::{Halt, Jump, Method, Motion, SolverError, Stiff};
use holonom::system::System;
use std::sync::atomic::AtomicBool;

/// What ends the motion of a system in every method and with both steppers, when, and how it is told.
fn stops(text: &str, look: impl Fn(&SolverError, &str)) {
    let model = Model::new(System::parse(text, "test", &[]).unwrap());
    for method in Method::ALL {
        for stiff in [Stiff::Never, Stiff::Always] {
            let request = Request {
                method: Some(method),
                stiff: Some(stiff),
                ..Request::default()
            };
            let motion = model.simulate(&request, &AtomicBool::new(false)).unwrap();
            let what = format!("{text} {method} {stiff:?}: {:?}", motion.because);
            assert!(!motion.finished, "{what}");
            look(motion.because.as_ref().unwrap(), &what);
        }
    }
}

/// A motion that comes to its end in every method.
fn goes_on(text: &str, look: impl Fn(&Motion, &str)) {
    motions(text, |_, motion, what| {
        let what = format!("{what}: {:?}", motion.because);
        assert!(motion.finished, "{what}");
        look(motion, &what);
    });
}

#[test]
fn a_cusp_is_told_from_what_is_not_known() {
    // also away from the origin, where its terms cancel, and sharper
    for (wire, start) in [
        ("x^3 = y^2", "x: 1, y: 1, x': -1"),
        ("(x - 1)^3 = (y + 2)^2", "x: 2, y: -1, x': -1"),
        ("x^5 = y^2", "x: 1, y: 1, x': -1"),
    ] {
        let text = format!(
            "coordinates: [x, y]\nlagrangian: 1/2*(x'^2 + y'^2)\nconstraints: {{wire: {wire}}}\nstart: {{{start}}}\nrun: {{until: 4}}\n"
        );
        stops(&text, |because, what| {
            assert_eq!(because.kind(), "cusp", "{what}");
            assert!(
                matches!(
                    because,
                    SolverError::RankLost {
                        halt: Halt::Cusp { branches: 2, .. },
                        ..
                    }
                ),
                "{what}"
            );
        });
    }
}

#[test]
fn a_set_that_ends_with_time_is_told() {
    // the curve is drawn to its cusp and beyond
    stops(
        "coordinates: [x, y]\nlagrangian: 1/2*(x'^2 + y'^2)\nconstraints: {c: y^2 = x^3, d: x = 1 - t}\n\
         start: {x: 1, y: 1}\nrun: {until: 2}\n",
        |because, what| assert_eq!(because.kind(), "end", "{what}"),
    );
}

#[test]
fn a_crank_driven_past_its_dead_centre_would_need_an_infinite_speed() {
    stops(
        "coordinates: [x, y]\nlagrangian: 1/2*(x'^2 + y'^2)\nconstraints: {crank: x^2 + y^2 = 1, drive: x = t}\n\
         start: {x: 0, y: 1}\nrun: {until: 2}\n",
        |because, what| assert_eq!(because.kind(), "infinite_speed", "{what}"),
    );
}

#[test]
fn velocity_constraints_that_become_parallel_are_told() {
    // r = 1 as well: no velocity satisfies both at t = 1
    stops(
        "coordinates: [x, y]\nlagrangian: 1/2*(x'^2 + y'^2)\nvelocity_constraints: {a: x' = 0, b: x' + (1 - t)*y' = 1}\n\
         start: {x: 0, y: 0, x': 0, y': 1}\nrun: {until: 2}\n",
        |because, what| {
            assert!(
                ["infinite_speed", "unbounded"].contains(&because.kind()),
                "{what}"
            );
        },
    );
}

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn between(&mut self, lo: f64, hi: f64) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        lo + (hi - lo) * (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn below(&mut self, count: usize) -> usize {
        (self.between(0.0, count as f64) as usize).min(count - 1)
    }
}

/// Sets in coordinates u and v, with the time `&` that goes from 0: what ends a motion on them at 1, or about there, and
/// where it begins: (u, v, u', v').
const ENDS: [(&[&str], &str, [f64; 4]); 14] = [
    (&["#u^2 - #v^3"], "cusp", [1.0, 1.0, -1.5, -1.0]),
    (&["#u^2 - #v^5"], "cusp", [1.0, 1.0, -2.5, -1.0]),
    (&["#u^4 - #v^5"], "cusp", [1.0, 1.0, -1.25, -1.0]),
    (&["#u^2 - #v^3*(1 + #v)/2"], "cusp", [1.0, 1.0, -1.75, -1.0]),
    (
        &["#u^2 - #v^3", "#v - 1 + &"],
        "end",
        [1.0, 1.0, -1.5, -1.0],
    ),
    (&["#u^2 - (1 - &)^3"], "end", [1.0, 0.3, -1.5, 0.2]),
    (&["#u^2 + #v^2 - (1 - &)^3"], "end", [0.6, 0.8, -0.9, -1.2]),
    (
        &["#u^2 - (1 - &)^5", "#v - &"],
        "end",
        [1.0, 0.0, -2.5, 1.0],
    ),
    (&["#u^2 - 1 + &"], "infinite_speed", [1.0, 0.3, -0.5, 0.2]),
    (
        &["#u^2 + #v^2 - 1", "#v - &"],
        "infinite_speed",
        [1.0, 0.0, 0.0, 1.0],
    ),
    (
        &["#u^3 - 1 + &"],
        "infinite_speed",
        [1.0, 0.3, -1.0 / 3.0, 0.2],
    ),
    (
        &["#u^2 + #v^2 - 1 + &"],
        "infinite_speed",
        [0.6, 0.8, -0.3, -0.4],
    ),
    // these can be passed, or go on with a bend that no second derivative has
    (&["#u*#v"], "", [1.0, 0.0, -1.0, 0.0]),
    (&["#u^3 - #v^4"], "", [1.0, 1.0, -4.0 / 3.0, -1.0]),
];

/// A set in turned and shifted coordinates of random units, forward or backward in time: what is known to end a
/// motion on it, and what is told.
fn told(seed: u64) -> (&'static str, &'static str, String) {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x51);
    dice.between(0.0, 1.0);
    let (set, known, start) = ENDS[dice.below(ENDS.len())];
    let (angle, shift) = (
        dice.between(0.0, 6.3),
        [0, 1].map(|_| dice.between(-2.0, 2.0)),
    );
    let units = [0, 1, 2].map(|_| 10_f64.powf(dice.between(-6.0, 6.0).round()));
    let way = if dice.below(2) == 0 { 1.0 } else { -1.0 };
    let (sin, cos) = angle.sin_cos();
    // u = cos X + sin Y, v = cos Y - sin X, X = unit x - shift
    let place = |k: usize| format!("({:e}*{} - ({}))", units[k], ["x", "y"][k], shift[k]);
    let u = format!("({cos}*{} + ({sin})*{})", place(0), place(1));
    let v = format!("({cos}*{} - ({sin})*{})", place(1), place(0));
    let time = format!("({:e}*t)", way * units[2]);
    let put = |f: &&str| f.replace("#u", &u).replace("#v", &v).replace('&', &time);
    let back = |u: f64, v: f64| [cos * u - sin * v, cos * v + sin * u];
    let (x, speed) = (back(start[0], start[1]), back(start[2], start[3]));
    let mut text = "coordinates: [x, y]\nlagrangian: ".to_owned();
    let masses = [0, 1].map(|k: usize| format!("{:e}*{}'^2", units[k] * units[k], ["x", "y"][k]));
    text += &format!("{}\nconstraints:\n", masses.join(" + "));
    for (b, f) in set.iter().map(put).enumerate() {
        text += &format!(
            "  c{b}: {:e}*({f})\n",
            10_f64.powf(dice.between(-6.0, 6.0).round())
        );
    }
    let given: Vec<String> = (0..2)
        .map(|k| {
            let name = ["x", "y"][k];
            let (at, rate) = (
                (x[k] + shift[k]) / units[k],
                speed[k] * way * units[2] / units[k],
            );
            format!("{name}: {at:e}, {name}': {rate:e}")
        })
        .collect();
    text += &format!(
        "start: {{{}}}\nrun: {{until: {:e}}}\n",
        given.join(", "),
        5.0 * way / units[2]
    );
    let model = Model::new(System::parse(&text, "test", &[]).unwrap());
    let request = Request {
        method: Some(Method::ALL[dice.below(3)]),
        stiff: Some([Stiff::Never, Stiff::Auto, Stiff::Always][dice.below(3)]),
        rtol: Some(10_f64.powf(dice.between(-12.0, -5.0))),
        atol: Some(1e-14 / units[0].max(units[1])),
        ..Request::default()
    };
    let motion = model.simulate(&request, &AtomicBool::new(false)).unwrap();
    let word = motion.because.as_ref().map_or("", SolverError::kind);
    let what = format!(
        "seed {seed} {:?} {:?}: {:?}\n{text}",
        request.method, request.rtol, motion.because
    );
    (known, word, what)
}

/// How many of those whose end is known are told so; none is told to end otherwise.
fn decided(seeds: std::ops::Range<u64>) -> (usize, usize) {
    let (mut right, mut all) = (0, 0);
    for seed in seeds {
        let (known, word, what) = told(seed);
        if ["cusp", "end", "infinite_speed"].contains(&word) {
            assert_eq!(word, known, "{what}");
        }
        if !known.is_empty() {
            all += 1;
            right += usize::from(known == word);
        }
    }
    (right, all)
}

#[test]
fn no_motion_is_told_to_end_as_it_does_not() {
    let (right, all) = decided(0..60);
    assert!(5 * right >= 4 * all, "{right} of {all}");
}

#[test]
#[ignore = "minutes; two thousand systems"]
fn no_motion_of_many_is_told_to_end_as_it_does_not() {
    let number = |name: &str| std::env::var(name).ok().and_then(|s| s.parse().ok());
    let first = number("SEED").unwrap_or(1000);
    let (right, all) = decided(first..first + number("COUNT").unwrap_or(2000));
    println!("{right} of {all} decided");
}

/// Between its sides a kink has a gradient that belongs to neither.
#[test]
fn no_motion_begins_on_a_kink_or_at_an_edge() {
    let many = "abs(sin(x)) + abs(tan(x)) + abs(x^3) + abs(x + x^2)*abs(x - x^2) + abs(sinh(x))*x + abs(atan(x))*x";
    let rough = [
        ("abs(x)", "{x: 0}"),
        ("abs(x)", "{x: 0, x': 1}"),
        ("sign(x)", "{x: 0}"),
        ("x^1.5", "{x: 0}"),
        ("abs(x)^1.5", "{x: 0, x': 1}"),
        ("abs(x) - x", "{x: 0}"),
        // signs of so many are not tried
        (many, "{x: 0}"),
    ];
    let text = |f, start| {
        format!(
            "coordinates: [x, y]\nkinetic: 1/2*(x'^2 + y'^2)\npotential: 9.81*y\nconstraints: {{c: y = {f}}}\nstart: {start}\nrun: {{until: 0.1}}\n"
        )
    };
    let off = AtomicBool::new(false);
    for (f, start) in rough {
        let text = text(f, start);
        stops(&text, |because, what| {
            assert!(matches!(because, SolverError::RoughStart { .. }), "{what}");
        });
        let model = Model::new(System::parse(&text, "rough", &[]).unwrap());
        let run = model.run(&Request::default(), None, &off).unwrap();
        let told = holonom::report::motion_text(&model, &run, 80);
        assert!(!told.contains("HOLDS"), "{told}");
    }
    for (f, start) in [
        ("x*abs(x)", "{x: 0, x': 1}"),
        ("abs(x)", "{x: 1e-9, x': 1}"),
    ] {
        let model = Model::new(System::parse(&text(f, start), "smooth", &[]).unwrap());
        let motion = model.simulate(&Request::default(), &off);
        assert!(motion.unwrap().finished, "{f} {start}");
    }
}

#[test]
fn a_constraint_that_jumps_ends_its_motion() {
    // a helix by atan2, over its cut; a jump of a thousandth; a kink that is small beside the slope
    let helix = "coordinates: [x, y, z]\nlagrangian: (x'^2 + y'^2 + z'^2)/2 - 9.81*z\n\
                 constraints: {cylinder: x^2 + y^2 = 1, helix: \"z = atan2(y, x)/4\"}\n\
                 start: {x: 0.6, x': 0}\nguess: {y: -0.5}\nrun: {until: 3}\n";
    let wire = |f: &str| {
        format!(
            "coordinates: [x, y]\nlagrangian: (x'^2 + y'^2)/2 - y\nconstraints: {{wire: \"y = x^2 + {f}\"}}\n\
             start: {{x: -1, x': 2}}\nrun: {{until: 3}}\n"
        )
    };
    let texts = [
        (helix.to_owned(), Jump::Value),
        (wire("0.001*sign(x - 0.5)"), Jump::Value),
        (wire("0.05*abs(x - 0.5)"), Jump::Gradient),
        (wire("0.002*abs(x - 0.5)"), Jump::Gradient),
    ];
    for (text, what) in texts {
        stops(&text, |because, said| {
            assert!(
                matches!(because, SolverError::Kink { of, .. } if *of == what),
                "{said}"
            );
        });
    }
    // what is smooth, and what jumps elsewhere, does not
    for f in ["0.001*sign(x - 50)", "x*abs(x)", "0.3*sin(20*x)"] {
        goes_on(&wire(f), |_, _| {});
    }
}

#[test]
fn a_bounded_motion_leaves_no_bound_however_long_it_is_to_be() {
    let text = "coordinates: [x, z]\nlagrangian: (x'^2 + z'^2)/2 - 9.81*z\nconstraints: {hoop: x^2 + z^2 = 0.25}\n\
                start: {x: 0.1}\nguess: {z: 0.4}\n";
    let model = Model::new(System::parse(text, "test", &[]).unwrap());
    let problem = Request {
        until: Some(1e9),
        samples: Some(2),
        ..Request::default()
    };
    let motion = model.simulate(&problem, &AtomicBool::new(false)).unwrap();
    assert!(matches!(motion.because, Some(SolverError::TooSlow { .. })));
}

#[test]
fn what_jumps_with_time_or_binds_velocities_ends_its_motion_too() {
    let plane = "coordinates: [x, y]\nlagrangian: (x'^2 + y'^2)/2 - 9.81*y\n";
    let free = "coordinates: [x, y]\nlagrangian: (x'^2 + y'^2)/2\n";
    for text in [
        format!(
            "{plane}constraints: {{w: \"y = x^2 + 0.1*abs(t - 1)\"}}\nstart: {{x: 1, x': 0}}\nrun: {{until: 2}}\n"
        ),
        format!(
            "{free}velocity_constraints: {{v: \"y' = sign(x)*x'\"}}\nstart: {{x: -1, x': 1}}\nrun: {{until: 2}}\n"
        ),
        format!(
            "{free}velocity_constraints: {{v: \"y' - x' + sign(t - 1) = 0\"}}\nstart: {{x: 0, x': 1}}\nrun: {{until: 2}}\n"
        ),
    ] {
        stops(&text, |because, said| {
            let jumps = matches!(
                because,
                SolverError::Kink {
                    of: Jump::Gradient,
                    ..
                } | SolverError::ForceJump { .. }
            );
            assert!(jumps, "{said}");
        });
    }
}

#[test]
fn what_sticks_to_a_belt_is_told_to_stick() {
    // by a spring of 30 the block is held at the speed of the belt until x = 0.1
    let text = "coordinates: [x]\nlagrangian: x'^2/2 - 15*x^2\nforces: {x: \"-3*sign(x' - 0.5)\"}\n\
                start: {x: 0, x': 2}\nrun: {until: 6}\n";
    let model = Model::new(System::parse(text, "belt", &[]).unwrap());
    let motion = model
        .simulate(&Request::default(), &AtomicBool::new(false))
        .unwrap();
    let because = motion.because.unwrap();
    assert!(
        matches!(because, SolverError::ForceJump { held: false, .. }),
        "{because:?}"
    );
}

#[test]
fn steep_and_narrow_wires_are_neither_jumped_over_nor_told_to_jump() {
    let wire = |f: &str| {
        format!(
            "coordinates: [x, y]\nlagrangian: (x'^2 + y'^2)/2 - 9.81*y\nconstraints: {{w: \"y = {f}\"}}\n\
             start: {{x: -1, x': 2}}\nrun: {{until: 1.5}}\n"
        )
    };
    for f in [
        "0.1*exp(-(50*(x - 0.1003))^2)",
        "0.1*exp(-(200*(x - 0.1003))^2)",
        "0.02*exp(-(20*x)^2)",
        "0.05/cosh(10*x)^12",
        "0.1*tanh(200*x)",
        "0.1*log(x + 2)",
    ] {
        goes_on(&wire(f), |motion, what| {
            let (first, last) = (&motion.samples[0], motion.samples.last().unwrap());
            assert!(
                (last.energy - first.energy).abs() < 1e-6,
                "{what}: {}",
                last.energy
            );
            assert!(motion.steps < 1000, "{what}: {}", motion.steps);
        });
    }
}

#[test]
fn a_bead_beside_the_bottom_of_its_wire_goes_on() {
    // y begins at next to nothing and grows a thousandfold within a few steps
    for wire in ["y = x^2", "y = x^3", "x^2 + (y - 1)^2 = 1"] {
        for x in [-0.005_f64, -0.003, -1e-3, 1e-3, -1e-4, 1e-6] {
            let y = match wire {
                "y = x^2" => x * x,
                "y = x^3" => x * x * x,
                _ => 0.5 * x * x + 0.125 * x.powi(4),
            };
            let text = format!(
                "coordinates: [x, y]\nparameters: {{m: 1, g: 9.81}}\nlagrangian: m/2*(x'^2 + y'^2) - m*g*y\n\
                 constraints: {{wire: {wire}}}\nstart: {{x: {x}, y: {y:e}, x': {}}}\nrun: {{until: 1}}\n",
                x.signum()
            );
            goes_on(&text, |motion, what| {
                let end = &motion.samples[motion.samples.len() - 1];
                assert!(end.residual.abs() < 1e-9, "{what}");
                if x == -1e-3 && wire == "y = x^2" {
                    // by an integration of the independent coordinate
                    assert!(
                        (end.x[0] - 0.201_509_27).abs() < 1e-7,
                        "{what}: {:?}",
                        end.x
                    );
                }
            });
        }
    }
}

#[test]
fn what_starts_next_to_zero_is_no_measure_of_the_motion() {
    // a pendulum with a free length, in polar coordinates beside its own, from next to its lowest position
    for (angle, rate, atol) in [
        ("1e-13", "1", "1e-12"),
        ("1e-9", "1", "1e-12"),
        ("1e-9", "1", "1e-25"),
        ("1e-9", "0", "1e-12"),
        ("1e-9", "30", "1e-12"),
        ("1e-6", "0", "1e-12"),
        ("1e-6", "1e-3", "1e-12"),
        ("-1e-5", "1e-3", "1e-15"),
    ] {
        let text = format!(
            "coordinates: [r, th, x, y]\nlagrangian: 1/2*(x'^2 + y'^2) + 1/2*r'^2 - 9.81*y\n\
             constraints: {{h: x = r*sin(th), v: y = -r*cos(th)}}\n\
             start: {{r: 1, th: {angle}, r': 0, th': {rate}}}\nrun: {{until: 3, atol: {atol}}}\n"
        );
        goes_on(&text, |motion, what| {
            assert!(motion.flags.is_empty(), "{what}");
            assert!(motion.steps < 150, "{what}: {}", motion.steps);
        });
    }
    // masses and lengths of any size beside a level position, and a coordinate that is only defined
    for (mass, slope) in [
        ("1", "1e6"),
        ("0.01", "1e6"),
        ("1e-6", "9.81"),
        ("16685", "9.81"),
    ] {
        let text = format!(
            "coordinates: [x, y]\nparameters: {{m: {mass}, g: {slope}}}\nlagrangian: m/2*(x'^2 + y'^2) - m*g*y\n\
             constraints: {{w: y - x^2/(2*g)}}\nstart: {{x: 1e-6, x': 0}}\nrun: {{until: 3}}\n"
        );
        goes_on(&text, |motion, what| {
            let end = &motion.samples[motion.samples.len() - 1];
            let cosine = 1e6 * end.x[0] - 3.0_f64.cos();
            assert!(cosine.abs() < 1e-5, "{what}: {cosine}");
            assert!(motion.steps < 150, "{what}: {}", motion.steps);
        });
    }
    for z in ["1e-13", "1e-12", "1e-11", "1e-10", "0"] {
        let text = format!(
            "coordinates: [z, th, c]\nlagrangian: 1/2*z'^2 + 1/2*th'^2 - 9.81*z\n\
             constraints: {{s: z - th, c: c - cos(th)}}\nstart: {{z: {z}, z': -0.1}}\nrun: {{until: 1}}\n"
        );
        goes_on(&text, |motion, what| {
            let force = motion.samples.iter().map(|sample| sample.lambda[1].abs());
            let force = force.fold(0.0, f64::max);
            assert!(force < 1e-9, "{what}: {force}");
            assert!(motion.steps < 150, "{what}: {}", motion.steps);
        });
    }
    // on top of a hill that bears it: no impact is told, and the force is m (g - v^2 / R)
    let hill = "coordinates: [x, y]\nlagrangian: 1/2*(x'^2 + y'^2) - 9.81*y\n\
         constraints: {hill: {f: y + 0.5*x^2, c: 0, side: \">=\"}}\n\
         start: {x: 1e-9, y: -5e-19, x': -1, y': 1e-9}\nrun: {until: 1}\n";
    goes_on(hill, |motion, what| {
        assert_eq!(motion.legs.len(), 1, "{what}");
        let force = motion.samples[0].lambda[0];
        assert!((force - 8.81).abs() < 1e-9, "{what}: {force}");
    });
}

/// The state that a motion ends in, by method, after no more than so many steps.
fn ends(text: &str, most: usize) -> Vec<Vec<f64>> {
    let found = std::cell::RefCell::new(Vec::new());
    goes_on(text, |motion, what| {
        assert!(motion.steps < most, "{what}: {}", motion.steps);
        found
            .borrow_mut()
            .push(motion.samples[motion.samples.len() - 1].x.clone());
    });
    found.into_inner()
}

#[test]
fn charts_next_to_a_zero_are_as_good_as_elsewhere() {
    // a coordinate that begins next to zero and does not stay there
    for d in ["1e-7", "1e-8", "1e-9", "1e-12", "0"] {
        let text = format!(
            "coordinates: [a, c, d]\nlagrangian: 1/2*(a'^2 + c'^2 + d'^2) - (a^2 + c^2 + d^2)\n\
             constraints: {{k: a + c*d = 1}}\nstart: {{c: 1, d: {d}}}\nrun: {{until: 1}}\n"
        );
        for x in ends(&text, 40) {
            let right = [0.861_323, 0.257_93, 0.537_648];
            let off = right.iter().zip(&x).map(|(a, b)| (a - b).abs());
            assert!(off.fold(0.0, f64::max) < 1e-5, "{text}: {x:?}");
        }
    }
    // one that is only defined, by what begins next to a zero or at it, in any unit: it is solved for
    for unit in ["1", "1e6", "1e-6"] {
        for q in ["1e-12", "-2e-7", "0"] {
            let text = format!(
                "coordinates: [q, p, s]\nparameters: {{u: {unit}}}\nlagrangian: 1/2*(q'^2 + p'^2) - p^2\n\
                 constraints: {{k: \"(u*s)^3 + u*s = q^2 + q*p\"}}\nstart: {{q: {q}, p: 1e-9, q': 1, p': 0.5}}\nrun: {{until: 1}}\n"
            );
            for x in ends(&text, 60) {
                let q = q.parse::<f64>().unwrap();
                assert!((x[0] - 1.0 - q).abs() < 1e-7, "{text}: {x:?}");
            }
        }
    }
    // masses that differ by many powers of ten, on one rod, in other units
    for unit in ["1", "10", "1e-4"] {
        let text = format!(
            "coordinates: [x, y, u, v]\nparameters: {{b: {unit}}}\n\
             lagrangian: 1/2*(x'^2 + y'^2) + 1/2*1e8*(u'^2 + (b*v')^2) - 9.81*y - 9.81*1e8*b*v - x^2\n\
             constraints: {{rod: (u - x)^2 + (b*v - y)^2 = 2}}\n\
             start: {{x: 0, y: 0, u: 1, v: 1/b, x': 0.1, u': 0.1}}\nrun: {{until: 2}}\n"
        );
        for x in ends(&text, 40) {
            let off = (x[0] - 0.098_52).abs().max((x[1] + 19.507).abs());
            assert!(off < 1e-3, "{text}: {x:?}");
        }
    }
}

#[test]
fn noise_of_a_steep_velocity_constraint_sets_no_steps() {
    // a blade almost along y: x' is a small part of a large y', and cos(th) is known to six digits
    let text = "coordinates: [x, y, th]\nlagrangian: 1/2*(x'^2 + y'^2) + 1/2*0.0025*th'^2 - y - 0.1*x^2\n\
         velocity_constraints: {b: \"x'*sin(th) - y'*cos(th)\"}\n\
         start: {th: 1.57079632669, th': 1e-10, x: -0.0001, y: 0, x': 0.001}\nrun: {until: 3}\n";
    let found = ends(text, 40);
    for x in &found {
        assert!((x[0] - found[0][0]).abs() < 1e-7, "{found:?}");
        assert!((x[0] + 0.001_390).abs() < 2e-6, "{found:?}");
    }
}

#[test]
fn a_dependent_coordinate_that_is_mostly_rounding_is_solved_for() {
    // of qb, next to zero and in a small unit, rounding of the others leaves more than the tolerance
    let text = "coordinates: [qa, qb, qc, qd]\nlagrangian: 1.4466*qa'^2 + 0.6183*qd'^2 - 1.34*qa^2 + 1.71*qd^2\n\
         constraints:\n  k0: \"-1.89*qd^2 - 0.0001*qb = -3.6516690006638033\"\n  \
         k1: \"-0.05*qd^2 + 0.000133*qb*cos(qd) + 1.06*qd*qa + 2*qc = -4.0633554897245325\"\n  \
         k2: \"0.15*qd*sin(qa) - 1.66*qd*cos(qc) - 1.09*cos(qc) = -0.11066087055476644\"\n\
         start: {qa: -0.56, qb: 6.638040537471029e-06, qc: -1.5708232449416408, qd: 1.39, qa': -1}\nrun: {until: 1}\n";
    let found = ends(text, 100);
    for x in &found {
        assert!((x[0] - found[0][0]).abs() < 1e-7, "{found:?}");
    }
}

#[test]
fn a_platform_on_three_cranks_turns_in_any_unit_of_its_angle() {
    for unit in [
        1e-3,
        1.0,
        std::f64::consts::TAU,
        6.3,
        8.0,
        30.0,
        57.3,
        360.0,
        1e4,
    ] {
        let text = format!(
            "coordinates: [x, y, p]\nparameters: {{m: 2, J: 1, g: 9.81, a: 0.7, b: 0.3, s: {unit}}}\n\
             lagrangian: m/2*(x'^2 + y'^2) + J/2*(s*p')^2 - m*g*y\n\
             constraints:\n  c0: (x + a*cos(s*p) - a)^2 + (y + a*sin(s*p))^2 = 1\n  \
             c1: (x - a*cos(s*p) + a)^2 + (y - a*sin(s*p))^2 = 1\n  \
             c2: (x + b*cos(s*p) - b)^2 + (y + b*sin(s*p))^2 = 1\n\
             start: {{x: 0.6, y: -0.8, p: 0, x': 0, y': 0, p': 0}}\nrun: {{until: 1}}\n"
        );
        goes_on(&text, |motion, what| {
            // it swings as a pendulum does, and does not turn
            let end = &motion.samples[motion.samples.len() - 1];
            assert!((end.x[0].hypot(end.x[1]) - 1.0).abs() < 1e-9, "{what}");
            assert!((unit * end.x[2]).abs() < 1e-9, "{what}");
        });
    }
}

#[test]
fn branches_that_do_not_quite_meet_are_followed() {
    // a parallelogram whose coupler is a little too long: it turns sharply where it would be flat
    for miss in ["1e-6", "1e-7", "1e-9"] {
        let text = format!(
            "coordinates: [p, q, r]\nkinetic: 1/2*(p'^2 + q'^2 + r'^2)\nparameters: {{e: {miss}}}\nconstraints:\n  \
             h: cos(p) + (2 + e)*cos(q) - cos(r) - 2 = 0\n  v: sin(p) + (2 + e)*sin(q) - sin(r) = 0\n\
             start: {{p: 1, q: 0, r: 1, p': 1}}\nrun: {{until: 4}}\n"
        );
        // past it on the other branch, at one place however near they come
        goes_on(&text, |motion, what| {
            let x = &motion.samples.last().unwrap().x;
            assert!(
                (x[1] - std::f64::consts::FRAC_PI_3).abs() < 1e-3,
                "{what}: {x:?}"
            );
        });
    }
}

#[test]
fn a_chart_that_fails_where_the_motion_ends_is_told() {
    // s has no mass: it cannot go on from s = -1
    let text = "coordinates: [x, s]\nkinetic: 1/2*x'^2\nconstraints: {d: s^2 + 2*s = x}\n\
                start: {x: 0, s: 0, x': -1}\nrun: {until: 2}\n";
    motions(text, |_, motion, what| {
        assert!(!motion.finished);
        let [flag] = motion.flags.as_slice() else {
            panic!("{what}: {:?}", motion.flags);
        };
        assert!((flag.t - 1.0).abs() < 1e-9, "{what}: {flag:?}");
    });
}

#[test]
fn no_motion_goes_over_the_end_of_its_set() {
    // s has no mass and cannot go on from where its constraint folds, by whichever stepper; what went on had any energy
    for (fold, start) in [
        ("s^2 + 2*s = x", "x: 0, s: 0, x': -1"),
        ("sin(s) = x", "x: 0, s: 0, x': 1"),
        ("s*exp(-s) = x", "x: 0, s: 0, x': 1"),
        ("s^3 - 2*s = 1e4*x", "x: 0, s: 0, x': 1e-4"),
    ] {
        let text = format!(
            "coordinates: [x, s]\nkinetic: 1/2*x'^2\nconstraints: {{d: {fold}}}\nstart: {{{start}}}\nrun: {{until: 6}}\n"
        );
        stops(&text, |_, _| {});
    }
}

#[test]
fn what_the_constraints_keep_from_zero_is_not_zero() {
    // x comes nearer to zero than its tolerance, and is not zero on x y = e
    let text = |constraint: &str| {
        format!(
            "coordinates: [x, y]\nlagrangian: 1/2*(x'^2 + y'^2) - 9.81*y\nconstraints: {{c: {constraint}}}\n\
             dependent: [y]\nstart: {{x: 1, x': -3}}\nrun: {{until: 3}}\n"
        )
    };
    for e in ["1e-6", "1e-9", "-1e-11"] {
        goes_on(&text(&format!("x*y = {e}")), |motion, what| {
            assert!(motion.flags.is_empty(), "{what}: {:?}", motion.flags);
        });
    }
}

/// The energy that a motion loses, in parts of what it has.
fn lost(motion: &Motion) -> f64 {
    let energies = motion.samples.iter().map(|sample| sample.energy);
    let (least, most) = energies.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), e| {
        (a.min(e), b.max(e))
    });
    (most - least) / most.abs()
}

#[test]
fn a_heavy_crank_keeps_its_energy_where_a_light_one_turns_it_back() {
    // what is integrated is the heavy one; where the light one lies along the line it says next to nothing of that
    for (masses, e) in [
        ("M: 1e3, m: 1e-6", "1e-4"),
        ("M: 1e6, m: 1e-3", "1e-5"),
        ("M: 1e6, m: 1e-6", "1e-3"),
        ("M: 1e6, m: 1", "1e-7"),
    ] {
        let crank = format!(
            "coordinates: [th, ph]\nparameters: {{{masses}, e: {e}}}\nkinetic: 1/2*M*th'^2 + 1/2*m*ph'^2\n\
             constraints: {{b: sin(th) + (1 - e)*sin(ph) = 0}}\nstart: {{th: 1, th': 1}}\nguess: {{ph: -1}}\n\
             run: {{until: 3, samples: 20}}\n"
        );
        // beside it one without mass or with little, which decides nothing
        let beside = crank
            .replace("[th, ph]", "[th, ph, x]")
            .replace("{b:", "{a: cos(th) + (1 - e)*cos(ph) - x = 0, b:")
            .replace("{ph: -1}", "{ph: -1, x: 1}");
        for text in [crank, beside] {
            goes_on(&text, |motion, what| {
                assert!(lost(motion) < 1e-6, "{what}: {}", lost(motion));
                // it comes back as fast as it went
                let back = motion.samples[motion.samples.len() - 1].v[0];
                assert!((back + 1.0).abs() < 1e-3, "{what}: {back}");
            });
        }
    }
}

#[test]
fn a_coordinate_without_mass_that_a_velocity_constraint_moves_goes_over_its_fold() {
    // (w, y) goes round a circle with x' = w': w = 0 is a place as any other
    let text = "coordinates: [x, y, w]\nkinetic: 1/2*x'^2 + 1/2*y'^2\nconstraints: {h: w^2 + y^2 = 1}\n\
                velocity_constraints: {v: \"x' - w' = 0\"}\nstart: {x: 0, y: 0.6, w: 0.8, y': -1}\nrun: {until: 2}\n";
    let angle = 0.8_f64.atan2(0.6) + 2.0 * 1.25;
    for x in ends(text, 40) {
        let off = (x[1] - angle.cos()).abs().max((x[2] - angle.sin()).abs());
        assert!(off < 1e-7, "{x:?}: {} {}", angle.cos(), angle.sin());
    }
}

#[test]
fn what_leaves_every_bound_is_not_where_a_determinant_vanishes() {
    // y = 1e-3 / x: there is no configuration with x = 0
    let text = "coordinates: [x, y]\nkinetic: 1/2*x'^2\nconstraints: {c: x*y = 0.001}\nstart: {x: 1, x': -1}\n\
                run: {until: 2}\n";
    motions(text, |_, motion, what| {
        let flags = &motion.flags;
        assert!(!motion.finished && flags.is_empty(), "{what}: {flags:?}");
    });
}

#[test]
fn a_motion_that_would_lose_its_energy_stops() {
    // a change point that one method cannot leave, at a speed that rounding of angles near pi spoils
    let chained = "coordinates: [a, b, c, e, f]\nlagrangian: a'^2/2 + b'^2/2 + c'^2/2 + e'^2/2 + f'^2/2 - 0.3*sin(a)\n\
         constraints:\n  l1: cos(a) + 1.5*cos(b) - cos(c) - 1.5\n  u1: sin(a) + 1.5*sin(b) - sin(c)\n  l2: cos(c) + 1.5*cos(e) - cos(f) - 1.5\n  u2: sin(c) + 1.5*sin(e) - sin(f)\n\
         start: {a: 3.1415936535897933, b: 0, c: 3.1415936535897933, e: 0, f: 3.1415936535897933, a': -0.01, b': 0, c': -0.01, e': 0, f': -0.01}\n\
         run: {until: 0.6, samples: 20}\n";
    motions(chained, |_, motion, told| {
        let energies = motion.samples.iter().map(|s| s.energy);
        let off = energies.map(|e| (e - motion.samples[0].energy).abs());
        assert!(off.fold(0.0, f64::max) < 0.1 * 1.5e-4, "{told}");
    });
    // a jump in time does work, and a potential with a kink has none
    for free in ["x'^2/2 - x*sign(t - 1)", "x'^2/2 - 3*abs(x)"] {
        let text = format!(
            "coordinates: [x]\nstart: {{x: -0.5, x': 1}}\nlagrangian: {free}\nrun: {{until: 2}}\n"
        );
        motions(&text, |_, motion, told| {
            assert_eq!(motion.because, None, "{told}");
        });
    }
}

#[test]
fn a_motion_that_is_nearly_none_loses_no_energy() {
    // what is left of 1 - cos q is rounding, and what a tolerance leaves of 1e-12 all
    let swing = |start: &str| {
        format!(
            "coordinates: [q]\nlagrangian: q'^2/2 - 9.81*(1 - cos(q))\nstart: {{q: {start}}}\nrun: {{until: 10}}\n"
        )
    };
    let falling = "coordinates: [q]\nlagrangian: q'^2/2 - 9.81*(cos(q) - 1)\nstart: {q: 1e-9}\nrun: {until: 8}\n";
    let skate = "coordinates: [x, y, h]\nlagrangian: (x'^2+y'^2+h'^2/10)/2 - 9.81/2*x\nvelocity_constraints: {blade: x'*sin(h)-y'*cos(h)=0}\n\
         start: {h: pi/2}\nrun: {until: 10, samples: 20}\n";
    let parabola = "coordinates: [x, y]\nlagrangian: (x'^2+y'^2)/2 - 9.81*y\nconstraints: {w: y = x^2}\nstart: {x: 1e-12}\nrun: {until: 20, samples: 50}\n";
    let texts = ["1e-5", "1e-6", "1e-7", "1e-9"].map(swing);
    for text in texts
        .iter()
        .map(String::as_str)
        .chain([falling, skate, parabola])
    {
        motions(text, |_, motion, told| {
            assert_eq!(motion.because, None, "{told}");
        });
    }
}

#[test]
fn a_motion_that_ends_where_it_begins_is_its_start() {
    // too fast to stay on the top of the sphere
    let text = "coordinates: [x, y]\nlagrangian: (x'^2 + y'^2)/2 - 9.81*y\nconstraints: {s: {f: sqrt(x^2 + y^2), c: 1, side: \">=\", release: stop}}\n\
         start: {x: 0, x': 4, y: 1}\nrun: {until: 1}\n";
    motions(text, |_, motion, told| {
        assert_eq!(motion.because, None, "{told}");
        let [only] = &motion.samples[..] else {
            panic!("{told}: {:?}", motion.samples)
        };
        assert_eq!((only.t, only.x.as_slice()), (0.0, &[0.0, 1.0][..]));
        assert!((only.lambda[0] - (9.81 - 16.0)).abs() < 1e-12, "{told}");
    });
}
