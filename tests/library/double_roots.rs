//! Starts at double roots of the constraints: precise, and determined by what is given although J has no part along them.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

use holonom::analysis::{Model, Overrides};
use holonom::solver::{Assembly, Start};
use holonom::system::System;
use std::f64::consts::{PI, TAU};

/// A start of a file and its account, and what is missed most of a constraint in parts of its terms.
fn assemble(text: &str) -> (Start, Assembly) {
    let model =
        Model::new(System::parse(text, "test.yaml", &[]).unwrap_or_else(|e| panic!("{e:?}")));
    let overrides = Overrides::default();
    let start = model
        .start(&overrides)
        .unwrap_or_else(|e| panic!("{e}\n{text}"));
    let account = model.assembly(&overrides, &start);
    (start, account)
}

/// Numbers in (-1, 1), the same for a seed.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn within(&mut self, from: f64, to: f64) -> f64 {
        from + (to - from) * 0.5 * (self.next() + 1.0)
    }
}

/// Seeds, and how many systems each.
fn seeds(count: u64) -> impl Iterator<Item = u64> {
    let read = |name: &str, or: u64| {
        std::env::var(name)
            .ok()
            .map_or(or, |text| text.parse().unwrap())
    };
    let (seed, count) = (read("SEED", 1), read("COUNT", count));
    (0..count).map(move |i| (seed << 32) + i)
}

#[test]
fn a_pendulum_from_the_horizontal_is_not_said_to_be_placed_by_its_guess() {
    for start in ["{x: l}", "{x: l, x': 0}", "{x: -l}"] {
        let (start, account) = assemble(&format!(
            "coordinates: [x, y]\nparameters: {{m: 1, g: 9.81, l: 1}}\nlagrangian: m*(x'^2 + y'^2)/2 - m*g*y\n\
             constraints: {{rod: x^2 + y^2 = l^2}}\nstart: {start}\nguess: {{y: -1}}\n"
        ));
        assert_eq!(
            (start.x[1], account.free, account.free_velocities),
            (0.0, 0, 1)
        );
        assert!(account.others.is_empty());
    }
}

#[test]
fn a_four_bar_with_its_crank_upright_starts_without_dust() {
    let (start, account) = assemble(
        "coordinates: [x1, y1, x2, y2]\nparameters: {a: 1, b: 3, c: 2.5, d: 3}\n\
         lagrangian: (x1'^2 + y1'^2 + x2'^2 + y2'^2)/2\nconstraints:\n  crank: x1^2 + y1^2 = a^2\n  \
         coupler: (x2 - x1)^2 + (y2 - y1)^2 = b^2\n  rocker: (x2 - d)^2 + y2^2 = c^2\nstart: {y1: 1, y1': 0}\n\
         guess: {x2: 2.5, y2: 2.4}\n",
    );
    assert_eq!((start.x[0], account.free), (0.0, 0));
    // the other side of the rocker
    assert_eq!(account.others.len(), 1);
    assert!(account.others[0].values[2].value < 0.0);
}

#[test]
fn what_is_free_is_told_by_points_beside_and_not_by_the_kernel() {
    let cases = [
        // a sphere at its top, a cylinder at its side
        ("[x, y, z]", "c: x^2 + y^2 + z^2 = 1", "{z: 1}", 0),
        ("[x, y, z]", "c: x^2 + y^2 = 1", "{x: 1}", 1),
        // a plane twice, the sides of a circle twice
        ("[x, y]", "c: x^2 = 0", "{}", 1),
        (
            "[x, y]",
            "{c: x^2 + y^2 = 1, d: 2*x^2 + 2*y^2 = 2}",
            "{}",
            1,
        ),
        (
            "[x, y]",
            "{c: x^2 + y^2 = 1, d: 2*x^2 + 2*y^2 = 2}",
            "{x: 1}",
            0,
        ),
        // a parallelogram, flat
        (
            "[a, b, c]",
            "{u: cos(a) + 3*cos(b) - cos(c) = 3, v: sin(a) + 3*sin(b) - sin(c) = 0}",
            "{}",
            1,
        ),
        ("[x, y, z]", "{c: x^2 + y^2 = 1, d: y + z = 1}", "{x: 1}", 0),
    ];
    for (coordinates, constraints, start, free) in cases {
        let constraints = constraints.trim_start_matches('{').trim_end_matches('}');
        let rates = coordinates.trim_matches(['[', ']']).split(", ");
        let rates: Vec<String> = rates.map(|x| format!("{x}'^2")).collect();
        let text = format!(
            "coordinates: {coordinates}\nlagrangian: {}\nconstraints: {{{constraints}}}\nstart: {start}\n",
            rates.join(" + ")
        );
        let (start, account) = assemble(&text);
        assert_eq!(account.free, free, "{text}{:?}", start.x);
    }
}

/// A turned ellipse somewhere, with x at its extreme: what y has to be, and what was found.
fn ellipse(seed: u64) -> (String, f64) {
    let mut numbers = Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    numbers.next();
    let size = 10_f64.powf(numbers.within(-3.0, 3.0));
    let (p, q) = (size * numbers.next(), size * numbers.next());
    let (a, b) = (
        size * numbers.within(0.3, 2.0),
        size * numbers.within(0.3, 2.0),
    );
    let turn = numbers.within(-PI, PI);
    let (c, s) = (turn.cos(), turn.sin());
    // ((c u + s v)/a)^2 + ((-s u + c v)/b)^2 = 1
    let reach = (a * c).hypot(b * s);
    let high = c * s * (a * a - b * b) / reach;
    let (x, y, guess) = (
        p + reach,
        q + high,
        q + high + size * numbers.within(-0.4, 0.4),
    );
    let text = format!(
        "coordinates: [x, y]\nlagrangian: (x'^2 + y'^2)/2\nconstraints:\n  e: (({c:e}*(x - ({p:e})) + ({s:e})*(y - ({q:e})))/{a:e})^2 + \
         ((-({s:e})*(x - ({p:e})) + ({c:e})*(y - ({q:e})))/{b:e})^2 = 1\nstart: {{x: {x:e}}}\nguess: {{y: {guess:e}}}\n"
    );
    (text, y)
}

/// A four-bar at a dead centre, coupler and rocker in one line: the angles of these.
fn dead_centre(seed: u64) -> (String, [f64; 2]) {
    let mut numbers = Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x4d);
    numbers.next();
    loop {
        let d = numbers.within(1.0, 4.0);
        let (a, b, c) = (
            d * numbers.within(0.2, 1.0),
            d * numbers.within(0.3, 2.0),
            d * numbers.within(0.3, 2.0),
        );
        let cosine = (a * a + d * d - (b + c) * (b + c)) / (2.0 * a * d);
        if cosine.abs() > 0.95 {
            continue;
        }
        let crank = cosine.acos() * numbers.next().signum();
        let line = (-a * crank.sin()).atan2(d - a * crank.cos());
        let guess = [
            line + numbers.within(-0.4, 0.4),
            line + numbers.within(-0.4, 0.4),
        ];
        let text = format!(
            "coordinates: [u, v, w]\nlagrangian: (u'^2 + v'^2 + w'^2)/2\nconstraints:\n  \
             across: {a:e}*cos(u) + {b:e}*cos(v) + {c:e}*cos(w) = {d:e}\n  up: {a:e}*sin(u) + {b:e}*sin(v) + {c:e}*sin(w) = 0\n\
             start: {{u: {crank:e}}}\nguess: {{v: {:e}, w: {:e}}}\n",
            guess[0], guess[1]
        );
        return (text, [line, line]);
    }
}

/// Of how many of these systems the root is found to 1e-12 of the sizes, and of how many what is left free is.
fn found(count: u64) -> [u64; 4] {
    let mut told = [0; 4];
    for seed in seeds(count) {
        let (text, y) = ellipse(seed);
        let (start, account) = assemble(&text);
        let size = start.x[0].abs().max(y.abs());
        told[0] += u64::from((start.x[1] - y).abs() <= 1e-12 * size);
        told[1] += u64::from(account.free == 0);
        let (text, angles) = dead_centre(seed);
        let (start, account) = assemble(&text);
        let apart = start.x[1..].iter().zip(angles).map(|(x, own)| {
            let by = x - own;
            (by - TAU * (by / TAU).round()).abs()
        });
        told[2] += u64::from(apart.fold(0.0, f64::max) <= 1e-12);
        told[3] += u64::from(account.free == 0);
    }
    told
}

#[test]
fn random_double_roots_are_precise_and_leave_nothing_free() {
    let told = found(40);
    println!("{told:?}");
    assert_eq!(told, [40; 4]);
}

#[test]
#[ignore = "COUNT (1000) ellipses and four-bars at dead centre from SEED"]
fn many_random_double_roots_are_precise_and_leave_nothing_free() {
    let count = seeds(1000).count() as u64;
    let told = found(1000);
    println!("{told:?} of {count}");
    // one in some hundreds keeps half of its digits
    assert!(
        told.iter().all(|own| 100 * own >= 99 * count),
        "{told:?} of {count}"
    );
}

#[test]
fn another_double_root_near_by_is_no_freedom() {
    // the crank upright, coupler and rocker nearly in one line: the other side of these is as near as points are looked for
    let (start, account) = assemble(
        "coordinates: [x1, y1, x2, y2]\nlagrangian: (x1'^2 + y1'^2 + x2'^2 + y2'^2)/2\nconstraints:\n  \
         k: x1^2 + y1^2 = 0.9043564963109952^2\n  l: (x2 - x1)^2 + (y2 - y1)^2 = 1.1348192615100008^2\n  \
         r: (x2 - 3.403862231885011)^2 + y2^2 = 2.3871834926445668^2\nstart: {y1: 0.9043564963109952}\n\
         guess: {x2: 1.2766957762088424, y2: 0.588227657660095}\n",
    );
    assert_eq!((start.x[0], account.free), (0.0, 0));
}
