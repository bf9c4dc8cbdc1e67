//! One-sided constraints more of which act than are independent: what lets go, and when.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::format_push_string
)]

use holonom::analysis::{Model, Request};
use holonom::solver::{Method, Motion, SolverError};
use holonom::system::System;
use std::sync::atomic::AtomicBool;

/// The motion of a system in every method, and how it is told apart.
pub fn motions(text: &str, look: impl Fn(&Model, &Motion, &str)) {
    let model = Model::new(System::parse(text, "test", &[]).unwrap());
    for method in Method::ALL {
        let request = Request {
            method: Some(method),
            ..Request::default()
        };
        let motion = model.simulate(&request, &AtomicBool::new(false)).unwrap();
        look(&model, &motion, &format!("{text} {method}"));
    }
}

#[test]
fn what_says_the_same_twice_lets_go_at_once() {
    // a force that grows lifts a particle off its floor at t = 1
    for (other, factor) in [
        ("2*y", 2.0),
        ("y/1000", 1e-3),
        ("y", 1.0),
        ("1000*y + x - x", 1e3),
    ] {
        for swapped in [false, true] {
            let lines = [
                "  c: {f: y, c: 0, side: \">=\"}\n".to_owned(),
                format!("  d: {{f: \"{other}\", c: 0, side: \">=\"}}\n"),
            ];
            let lines = if swapped {
                [&lines[1], &lines[0]]
            } else {
                [&lines[0], &lines[1]]
            };
            let text = format!(
                "coordinates: [x, y]\nlagrangian: (x'^2 + y'^2)/2 - y\nforces: {{y: t}}\nconstraints:\n{}{}\
                 start: {{x: 0, y: 0, x': 1, y': 0}}\nrun: {{until: 3}}\n",
                lines[0], lines[1]
            );
            motions(&text, |_, motion, what| {
                assert!(motion.finished, "{what}: {:?}", motion.because);
                assert_eq!(motion.releases.len(), 2, "{what}");
                for release in &motion.releases {
                    assert!((release.t - 1.0).abs() < 1e-8, "{what}: {}", release.t);
                }
                for s in &motion.samples {
                    let exact = (s.t - 1.0).max(0.0).powi(3) / 6.0;
                    assert!(
                        (s.x[1] - exact).abs() < 1e-7,
                        "{what} at {}: {}",
                        s.t,
                        s.x[1]
                    );
                    let push = s.lambda.iter().all(|l| *l >= -1e-9);
                    let whole =
                        s.lambda[usize::from(swapped)] + factor * s.lambda[usize::from(!swapped)];
                    assert!(
                        push && (whole - (1.0 - s.t).max(0.0)).abs() < 1e-7,
                        "{what}: {:?}",
                        s.lambda
                    );
                }
            });
        }
    }
}

#[test]
fn of_two_that_would_pull_the_one_that_has_to_lets_go_in_any_unit() {
    // the floor lets go, and the slope holds with 1/7: with both gone its distance would fall
    for unit in [1e-3, 0.1, 1.0, 10.0, 1e3] {
        for (later, factor) in [(0.0, "1".to_owned()), (1.0, "(t - 1)".to_owned())] {
            let text = format!(
                "coordinates: [x, y]\nlagrangian: (x'^2 + ({unit}*y')^2/10)/2 + {factor}*(2*x + {unit}*y/2)\nconstraints:\n\
                 \x20 floor: {{f: {unit}*y, c: 0, side: \">=\"}}\n  slope: {{f: \"x - {unit}*y/2\", c: 0, side: \">=\"}}\n\
                 start: {{x: 0, y: 0, x': 0, y': 0}}\nrun: {{until: 2}}\n"
            );
            motions(&text, |_, motion, what| {
                assert!(motion.finished, "{what}: {:?}", motion.because);
                assert_eq!(motion.releases.len(), 1, "{what}");
                assert_eq!(motion.releases[0].constraint, 0, "{what}");
                assert!((motion.releases[0].t - later).abs() < 1e-6, "{what}");
                let last = motion.samples.last().unwrap();
                assert!(
                    (last.lambda[1] - 1.0 / 7.0).abs() < 1e-6,
                    "{what}: {:?}",
                    last.lambda
                );
            });
        }
    }
}

/// Where a function is first less than zero, from a time on.
fn first_below_zero(f: impl Fn(f64) -> f64, from: f64) -> f64 {
    const STEP: f64 = 2e-5;
    let times = (1..1_000_000).map(|i| from + f64::from(i) * STEP);
    let mut high = times.into_iter().find(|t| f(*t) < 0.0).unwrap();
    let mut low = high - STEP;
    for _ in 0..40 {
        let middle = f64::midpoint(low, high);
        if f(middle) < 0.0 {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}

#[test]
fn what_oscillates_faster_than_the_steps_lets_go_and_comes_back_in_time() {
    // lambda = 1 - a sin(w t) exp(-(t - 5)^2) on a flat floor, beside a motion that needs no short steps
    for (a, w) in [(1.2, 60.0), (1.05, 17.0), (1.5, 191.0)] {
        let text = format!(
            "coordinates: [x, y]\nlagrangian: (x'^2 + y'^2)/2 - 9*y\nforces: {{y: \"8 + {a}*sin({w}*t)*exp(-(t - 5)^2)\"}}\n\
             constraints:\n  floor: {{f: y, c: 0, side: \">=\"}}\nstart: {{x: 0, y: 0, x': 1, y': 0}}\nrun: {{until: 10}}\n"
        );
        let lambda = |t: f64| 1.0 - a * (w * t).sin() * (-(t - 5.0).powi(2)).exp();
        let exact = first_below_zero(lambda, 0.0);
        motions(&text, |_, motion, what| {
            let first = motion.releases.first().map_or(f64::NAN, |r| r.t);
            assert!((first - exact).abs() < 1e-5, "{what}: {first}, not {exact}");
        });
    }
    // a flight over waves, too heavy along x to be held up by them, which leaves them where 2000 sin(u) = 1 + 20 cos(u), u = 200 t
    let text = "coordinates: [x, y]\nlagrangian: (1e12*x'^2 + y'^2)/2 - y\nforces: {y: \"-2*y'\"}\nconstraints:\n  \
                floor: {f: \"y - sin(20*x)/20\", c: 0, side: \">=\"}\nstart: {x: 0, y: 0, x': 10, y': 10}\n";
    let u = (0..20).fold(0.0_f64, |u, _| ((1.0 + 20.0 * u.cos()) / 2000.0).asin());
    let height = |t: f64| {
        let (since, y, v) = (t - u / 200.0, u.sin() / 20.0, 10.0 * u.cos());
        y + f64::midpoint(v, 0.5) * (1.0 - (-2.0 * since).exp())
            - since / 2.0
            - (200.0 * t).sin() / 20.0
    };
    let exact = first_below_zero(height, 1.0);
    for until in ["10.58", "14", "20"] {
        motions(
            &format!("{text}run: {{until: {until}}}\n"),
            |_, motion, what| match motion.because {
                Some(SolverError::Contact { t, .. }) => {
                    assert!((t - exact).abs() < 1e-5, "{what}: {t}, not {exact}");
                }
                ref other => panic!("{what}: {other:?}"),
            },
        );
    }
}

#[test]
fn what_is_held_from_both_sides_never_lets_go() {
    for pair in [
        "  c: {f: y, c: 0, side: \">=\"}\n  d: {f: -3*y, c: 0, side: \">=\"}\n",
        "  c: {f: y, c: 0, side: \">=\"}\n  d: y = 0\n",
        "  d: 2*y = 0\n  c: {f: y, c: 0, side: \">=\"}\n",
    ] {
        let text = format!(
            "coordinates: [x, y]\nlagrangian: (x'^2 + y'^2)/2 - y\nforces: {{y: t}}\nconstraints:\n{pair}\
             start: {{x: 0, y: 0, x': 1, y': 0}}\nrun: {{until: 3}}\n"
        );
        motions(&text, |model, motion, what| {
            assert!(motion.finished && motion.releases.is_empty(), "{what}");
            let last = motion.samples.last().unwrap();
            assert!(last.x[1].abs() < 1e-12, "{what}");
            let sided = (0..2).filter(|b| model.system.is_one_sided(*b));
            for b in sided {
                assert!(last.lambda[b] >= -1e-9, "{what}: {:?}", last.lambda);
            }
        });
    }
}

/// A rigid plate of mass 1 on legs at these places, at its heights of order epsilon (z, and slopes a and b along x and y), with a
/// load of weight 1 at (u t, v t) on it: the resultant is half way between the load and its centre.
fn plate(legs: &[(f64, f64)], (u, v): (f64, f64), until: f64) -> String {
    let mut text = format!(
        "coordinates: [z, a, b, x, y, c]\nlagrangian: (z'^2 + 2*a'^2 + 3*b'^2 + x'^2 + y'^2 + c'^2)/2 - z\nforces: {{z: -1, a: \"-({u})*t\", b: \"-({v})*t\"}}\n\
         start: {{z: 0, a: 0, b: 0, z': 0, a': 0, b': 0, x: 0, y: 0, c: 0}}\nrun: {{until: {until}, samples: 40}}\nconstraints:\n"
    );
    for (i, (x, y)) in legs.iter().enumerate() {
        text += &format!("  leg{i}: {{f: \"z + ({x})*a + ({y})*b\", c: 0, side: \">=\"}}\n");
    }
    text
}

/// When the resultant leaves the hull of the legs, and over which two of them.
fn tips(legs: &[(f64, f64)], (u, v): (f64, f64)) -> (f64, [usize; 2]) {
    let mut found = (f64::INFINITY, [0, 0]);
    for i in 0..legs.len() {
        for j in (0..legs.len()).filter(|j| *j != i) {
            let (p, q) = (legs[i], legs[j]);
            // outward of an edge that all others are left of
            let normal = (q.1 - p.1, p.0 - q.0);
            let far = |r: (f64, f64)| normal.0 * (r.0 - p.0) + normal.1 * (r.1 - p.1);
            if legs.iter().any(|r| far(*r) > 1e-12) {
                continue;
            }
            let speed = normal.0 * u / 2.0 + normal.1 * v / 2.0;
            let t = -far((0.0, 0.0)) / speed;
            if speed > 0.0 && t < found.0 {
                found = (t, [i, j]);
            }
        }
    }
    found
}

#[test]
fn a_plate_on_many_legs_tips_over_the_edge_that_the_load_leaves() {
    let mut random = fastrand::Rng::with_seed(20_261_126);
    let mut left = 12;
    for case in 0.. {
        if left == 0 {
            break;
        }
        let count = random.usize(4..7);
        let legs: Vec<(f64, f64)> = if case == 0 {
            vec![(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)]
        } else {
            let turn =
                |i: usize| std::f64::consts::TAU * (i as f64 + 0.6 * random.f64()) / count as f64;
            let angles: Vec<f64> = (0..count).map(turn).collect();
            angles.iter().map(|w| (w.cos(), w.sin())).collect()
        };
        let way = std::f64::consts::TAU * random.f64();
        let load = if case == 0 {
            (1.0, 0.25)
        } else {
            (way.cos(), way.sin())
        };
        let (t, edge) = tips(&legs, load);
        // where one of the two comes loose soon another motion begins
        let (p, q) = (legs[edge[0]], legs[edge[1]]);
        let along = (q.0 - p.0, q.1 - p.1);
        let at = |k: f64| (0.5 * load.0 * k * t - p.0, 0.5 * load.1 * k * t - p.1);
        let part =
            |k: f64| (at(k).0 * along.0 + at(k).1 * along.1) / (along.0.powi(2) + along.1.powi(2));
        if [1.0, 1.05].iter().any(|k| !(0.2..0.8).contains(&part(*k))) {
            continue;
        }
        left -= 1;
        motions(&plate(&legs, load, 1.05 * t), |_, motion, what| {
            let first = motion.releases.first().expect(what);
            assert!((first.t - t).abs() < 1e-7 * t, "{what}: {} {t}", first.t);
            let gone: Vec<usize> = motion.releases.iter().map(|r| r.constraint).collect();
            assert!(edge.iter().all(|e| !gone.contains(e)), "{what}: {gone:?}");
            assert_eq!(gone.len(), legs.len() - 2, "{what}");
            // about the edge: J w'' is the moment of both weights
            let long = (q.0 - p.0).hypot(q.1 - p.1);
            let out = ((q.1 - p.1) / long, (p.0 - q.0) / long);
            let h = out.0 * p.0 + out.1 * p.1;
            let inertia = h * h + 2.0 * out.0 * out.0 + 3.0 * out.1 * out.1;
            let last = motion.samples.last().unwrap();
            let rate = out.0 * load.0 + out.1 * load.1;
            // (m h + (h - rate t)) w.r.t. the edge: 2 h - rate t
            let exact = -rate * (last.t - t).powi(3) / (6.0 * inertia);
            let turned = last.x[1] * out.0 + last.x[2] * out.1;
            assert!(
                (turned - exact).abs() < 1e-6 * exact.abs(),
                "{what}: {turned} {exact}"
            );
            for s in &motion.samples {
                assert!(
                    s.lambda.iter().all(|l| *l >= -1e-9),
                    "{what} at {}: {:?}",
                    s.t,
                    s.lambda
                );
            }
        });
    }
}

#[test]
fn what_would_pull_for_a_moment_lets_go() {
    // the force of the floor is least, and less than zero, between the places of a long step that are looked at
    for depth in [1e-6, 1e-4, 1e-3, 1e-2, 0.1] {
        let text = format!(
            "coordinates: [y]\nlagrangian: y'^2/2\nforces: {{y: \"{depth} - (t - 1)^2\"}}\n\
             constraints: {{f: {{f: y, c: 0, side: \">=\"}}}}\nstart: {{y: 0, y': 0}}\nrun: {{until: 2}}\n"
        );
        motions(&text, |_, motion, what| {
            let [release] = motion.releases.as_slice() else {
                panic!("{what}: {:?}", motion.releases);
            };
            let half = f64::sqrt(depth);
            assert!(
                (release.t - (1.0 - half)).abs() < 1e-9,
                "{what}: {}",
                release.t
            );
            let Some(SolverError::Contact { t, .. }) = motion.because else {
                panic!("{what}: {:?}", motion.because);
            };
            assert!((t - (1.0 + 3.0 * half)).abs() < 1e-6, "{what}: {t}");
            // where it stops is a sample, in the air still
            let last = motion.samples.last().unwrap();
            assert!(last.t == t && last.x[0].abs() < 1e-9 && last.v[0] < 0.0);
        });
    }
}

#[test]
fn of_two_events_in_one_step_the_first_counts() {
    // x = k t^2 (c - t) meets x >= 0 at t = c; where the force is k (t - c) it is left at t = c. Neither coordinate
    // tells the other anything
    let meets = |k: f64, c: f64, x: &str| format!("{k}*{x}*(2*{c} - 6*t)");
    let leaves = |k: f64, c: f64, x: &str| format!("{k}*{x}*(t - {c})");
    for (early, late) in [(1.0, 1.6), (1.7, 2.0), (2.68, 2.91), (0.8, 0.803)] {
        for (k, l, until) in [(1.0, 10.0, 5.0), (15.0, 58.0, 20.0), (40.0, 0.3, 8.0)] {
            for (swapped, first_meets, second_meets) in [
                (false, true, true),
                (true, true, true),
                (false, false, false),
                (true, false, false),
                (false, true, false),
                (false, false, true),
            ] {
                let (first, second) = if swapped { ("y", "x") } else { ("x", "y") };
                let work = |meets_it: bool, k: f64, c: f64, x: &str| {
                    if meets_it {
                        meets(k, c, x)
                    } else {
                        leaves(k, c, x)
                    }
                };
                let text = format!(
                    "coordinates: [x, y]\nlagrangian: (x'^2 + y'^2)/2 + {} + {}\nconstraints:\n  \
                     x: {{f: x, c: 0, side: \">=\"}}\n  y: {{f: y, c: 0, side: \">=\"}}\nrun: {{until: {until}}}\n",
                    work(first_meets, k, early, first),
                    work(second_meets, l, late, second),
                );
                motions(&text, |_, motion, what| {
                    // what is on its way from t = 0 on was released there
                    let later: Vec<f64> = motion.releases.iter().map(|r| r.t).collect();
                    let later: Vec<f64> = later.into_iter().filter(|t| *t > 1e-3).collect();
                    let mut expected = Vec::new();
                    if !first_meets {
                        expected.push(early);
                        if !second_meets {
                            expected.push(late);
                        }
                    }
                    assert_eq!(later.len(), expected.len(), "{what}: {later:?}");
                    for (t, exact) in later.iter().zip(&expected) {
                        assert!((t - exact).abs() < 1e-8, "{what}: {later:?}");
                    }
                    let contact = match &motion.because {
                        Some(SolverError::Contact { t, .. }) => Some(*t),
                        None => None,
                        other => panic!("{what}: {other:?}"),
                    };
                    let met = [(first_meets, early), (second_meets, late)];
                    let met = met.into_iter().find(|e| e.0).map(|e| e.1);
                    assert_eq!(contact.is_some(), met.is_some(), "{what}: {contact:?}");
                    if let (Some(t), Some(exact)) = (contact, met) {
                        assert!((t - exact).abs() < 1e-6, "{what}: {t}");
                    }
                });
            }
        }
    }
}

#[test]
fn what_presses_stays_when_another_lets_go() {
    // just after k1 lets go all partings are rounding, and k0 presses until 1.57284156 (active sets, exact accelerations)
    for (a, b) in [(1.0, 1.0), (1e-3, 1e2), (1e4, 1e-4)] {
        let text = format!(
            "coordinates: [u, e]\nlagrangian: \"0.659*({a}*e')^2 - 1.2152*({a}*e')*({b}*u') + 0.8812*({b}*u')^2 - 1.85*{a}*e - 2.5*{b}*u\"\n\
             constraints:\n  k0: {{f: \"1.17*{a}*e + 1.71*{b}*u\", c: 0, side: \">=\"}}\n  k1: {{f: \"0.84*{a}*e + 0.71*{b}*u\", c: 0, side: \">=\"}}\n\
             forces: {{e: \"2.38*{a}*sin(0.7*t)\", u: \"2.46*{b}*sin(0.7*t)\"}}\nstart: {{t: 0, e: 0, e': 0, u: 0, u': 0}}\nrun: {{until: 2}}\n"
        );
        motions(&text, |_, motion, what| {
            assert!(motion.finished, "{what}: {:?}", motion.because);
            let [first, second] = motion.releases.as_slice() else {
                panic!("{what}: {:?}", motion.releases);
            };
            assert_eq!((first.constraint, second.constraint), (1, 0), "{what}");
            assert!((first.t - 0.287_874_42).abs() < 1e-7, "{what}: {}", first.t);
            assert!(
                (second.t - 1.572_841_56).abs() < 1e-7,
                "{what}: {}",
                second.t
            );
        });
    }
}

#[test]
fn a_start_at_rest_next_to_which_the_way_back_is_rounding_is_left() {
    let text = "coordinates: [b, z, a]\nlagrangian: \"(z'*100)^2/2 + (a'*10000)^2/2 + (b'/10000)^2/2 - a*10000\"\nconstraints:\n\
                \x20 k0: {f: \"180*z + b/10000\", c: 0, side: \">=\"}\n  k1: {f: \"-20000*a + 0.2*b/10000 + 1 - cos(3*t)\", c: 0, side: \">=\"}\n\
                \x20 k2: {f: \"100*(-24*z + 18000*a - (1 - cos(3*t)))\", c: 0, side: \">=\"}\n\
                start: {t: 0, z: 0, z': 0, a: 0, a': 0, b: 0, b': 0}\nrun: {until: 2}\n";
    motions(text, |_, motion, what| {
        let Some(SolverError::Contact { t, .. }) = motion.because else {
            panic!("{what}: {:?}", motion.because);
        };
        assert!((t - 0.652_493_594).abs() < 1e-7, "{what}: {t}");
    });
}

#[test]
fn a_short_pulse_in_a_long_step_is_seen() {
    for (at, width) in [(7.2, 0.077), (8.8, 0.2), (3.31, 0.04)] {
        // a force that lifts off its floor for a moment what feels nothing else
        let pulse = format!("2.66*exp(-((t - {at})/{width})^2)");
        let text = format!(
            "coordinates: [x, y]\nlagrangian: (x'^2 + y'^2)/2 - y\nforces: {{y: \"{pulse}\"}}\nconstraints: {{c: {{f: y, c: 0, side: \">=\"}}}}\n\
             start: {{t: 0, x: 0, y: 0, x': 0, y': 0}}\nrun: {{until: 10, samples: 20}}\n"
        );
        let exact = at - width * 2.66_f64.ln().sqrt();
        motions(&text, |_, motion, what| {
            let first = motion.releases.first().map_or(f64::NAN, |r| r.t);
            assert!((first - exact).abs() < 1e-7, "{what}: {first}, not {exact}");
        });
        // a floor that rises for a moment to what flies above it, y = t^2/2
        let text = format!(
            "coordinates: [x, y]\nlagrangian: (x'^2 + y'^2)/2 + y\nconstraints: {{c: {{f: \"y - 50*exp(-((t - {at})/{width})^2)\", c: 0, side: \">=\"}}}}\n\
             start: {{t: 0, x: 0, y: 0, x': 0, y': 0}}\nrun: {{until: 10, samples: 20}}\n"
        );
        let gap = |t: f64| t * t / 2.0 - 50.0 * (-((t - at) / width).powi(2)).exp();
        let exact = first_below_zero(gap, 0.1);
        motions(&text, |_, motion, what| {
            let Some(SolverError::Contact { t, .. }) = motion.because else {
                panic!("{what}: {:?}", motion.because);
            };
            assert!((t - exact).abs() < 1e-6, "{what}: {t}, not {exact}");
        });
    }
}

/// A particle on x^2 - y^2 >= 0 along the line y = x, which crosses y = -x at t = 1, under the force (q, -q).
fn on_crossing_lines(q: &str) -> String {
    format!(
        "coordinates: [x, y]\nlagrangian: (x'^2 + y'^2)/2\nforces: {{x: \"{q}\", y: \"-({q})\"}}\n\
         constraints: {{lines: {{f: x^2 - y^2, c: 0, side: \">=\"}}}}\n\
         start: {{x: -1, y: -1, x': 1, y': 1}}\nrun: {{until: 2}}\n"
    )
}

#[test]
fn one_that_would_pull_before_a_singular_configuration_lets_go_there() {
    // lambda = -q/(2 x) is zero at x = -0.3; what is let go meets the other line where it crosses it
    motions(&on_crossing_lines("-(x + 0.3)"), |_, motion, what| {
        let times: Vec<f64> = motion.releases.iter().map(|r| r.t).collect();
        assert_eq!(times.len(), 1, "{what}");
        assert!((times[0] - 0.7).abs() < 1e-8, "{what}: {times:?}");
        let Some(SolverError::Contact { t, .. }) = &motion.because else {
            panic!("{what}: {:?}", motion.because);
        };
        assert!((t - 1.0).abs() < 1e-6, "{what}: {t}");
    });
}

#[test]
fn one_that_would_pull_behind_a_singular_configuration_lets_go_at_it() {
    motions(&on_crossing_lines("1"), |_, motion, what| {
        assert!(motion.finished, "{what}: {:?}", motion.because);
        let times: Vec<f64> = motion.releases.iter().map(|r| r.t).collect();
        assert_eq!(times.len(), 1, "{what}");
        assert!((times[0] - 1.0).abs() < 1e-6, "{what}: {times:?}");
        let end = motion.samples.last().unwrap();
        assert!(
            (end.x[0] - 1.5).abs() < 1e-6 && (end.x[1] - 0.5).abs() < 1e-6,
            "{what}: {:?}",
            end.x
        );
    });
    // one that pushes all along is kept
    motions(&on_crossing_lines("-x"), |_, motion, what| {
        assert!(
            motion.finished && motion.releases.is_empty(),
            "{what}: {:?}",
            motion.because
        );
    });
}

#[test]
fn an_event_next_to_a_singular_configuration_is_seen_and_one_behind_the_end_is_none() {
    // lambda = (x + 0.03)/(2 x), in the middle of the passage
    motions(&on_crossing_lines("-(x + 0.03)"), |_, motion, what| {
        let times: Vec<f64> = motion.releases.iter().map(|r| r.t).collect();
        assert_eq!(times.len(), 1, "{what}");
        assert!((times[0] - 0.97).abs() < 1e-6, "{what}: {times:?}");
    });
    // lambda = (1 - 2 x)/2: it would pull from t = 1.5 on, which the passage reaches past
    let text = on_crossing_lines("x*(2*x - 1)").replace("until: 2", "until: 1.2");
    motions(&text, |_, motion, what| {
        assert!(
            motion.finished && motion.releases.is_empty(),
            "{what}: {:?}",
            motion.because
        );
    });
}

#[test]
fn a_light_body_is_let_go_beside_a_heavy_one() {
    // what pulls is judged by the forces it comes from, not by those on other bodies
    for (mass, heavy, twice) in [
        ("1e-9", "1e4", false),
        ("1", "100", true),
        ("1", "1", false),
    ] {
        let again = if twice {
            "  again: {f: 2*y, c: 0, side: \">=\"}\n"
        } else {
            ""
        };
        let text = format!(
            "coordinates: [y, z, s]\nparameters: {{m: {mass}, M: {heavy}, g: 10}}\n\
             lagrangian: m*(y'^2 + s'^2)/2 + M*z'^2/2 - m*g*y - M*g*z\nforces: {{y: 4*m*g*t}}\n\
             constraints:\n  table: {{f: y, c: 0, side: \">=\"}}\n{again}  floor: z = 0\nrun: {{until: 1, samples: 4}}\n"
        );
        motions(&text, |_, motion, name| {
            assert!(
                motion.finished && motion.releases.len() == 1 + usize::from(twice),
                "{name}"
            );
            assert!((motion.releases[0].t - 0.25).abs() < 1e-8, "{name}");
            // y'' = 40 t - 10 from t = 1/4 on
            let y = motion.samples.last().unwrap().x[0];
            assert!((y - 2.8125).abs() < 1e-7, "{name}: {y}");
        });
    }
}

#[test]
fn what_was_let_go_by_a_jump_of_a_force_goes_on_from_there() {
    // at the time of a sample too
    let text = "coordinates: [x]\nlagrangian: x'^2/2\nforces: {x: sign(t - 1)}\n\
        constraints: {a: {f: x, c: 0, side: \">=\"}}\nrun: {until: 4, samples: 4}\n";
    motions(text, |_, motion, name| {
        assert!(motion.finished, "{name}");
        let x = motion.samples.last().unwrap().x[0];
        assert!((x - 4.5).abs() < 1e-8, "{name}: {x}");
    });
}

#[test]
fn a_small_hop_ends_on_the_ground_wherever_the_origin_is() {
    for origin in ["0", "6371000"] {
        let text = format!(
            "coordinates: [y]\nparameters: {{R: {origin}}}\nlagrangian: y'^2/2\nforces: {{y: 0.01*(1 - 3*t)}}\n\
             constraints: {{ground: {{f: y, c: R, side: \">=\"}}}}\nstart: {{y: R, y': 0}}\nrun: {{until: 1.5}}\n"
        );
        motions(&text, |_, motion, name| {
            let t = motion.samples.last().unwrap().t;
            assert!(!motion.finished && (t - 1.0).abs() < 1e-4, "{name}: {t}");
        });
    }
}
