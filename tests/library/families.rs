//! Families of equilibria, in boxes that hold all, a part or nothing of them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::random::seeds;
use holonom::analysis::{Model, Where};
use holonom::statics::{Equilibria, Equilibrium, Holds};
use holonom::system::System;
use std::fmt::Write as _;

fn found(text: &str, region: Vec<(usize, (f64, f64))>) -> Equilibria {
    let model = Model::new(System::parse(text, "test.yaml", &[]).expect("a good system"));
    model.equilibria(&Where {
        region,
        ..Where::default()
    })
}

/// All of them families, so many, and proven to be all.
fn families(all: &Equilibria, number: usize, what: &str) {
    assert!(all.complete(), "{what}");
    these_are_families(all, number, what);
}

fn these_are_families(all: &Equilibria, number: usize, what: &str) {
    let list: Vec<&[f64]> = all.list.iter().map(|e| e.x.as_slice()).collect();
    assert_eq!(list.len(), number, "{what}: {list:?}");
    assert!(
        all.list.iter().all(Equilibrium::of_a_family),
        "{what}: {list:?}"
    );
}

/// s = r cos(phi) moves a pendulum: it rests at every angle.
const YOKE: &str = "coordinates: [phi, s, x, y]\nkinetic: (phi'^2 + s'^2 + x'^2 + y'^2)/2\npotential: 9.81*y\n\
    constraints: {yoke: s - 2*cos(phi)/5, rod: (x - s)^2 + y^2 = 0.81}\nstart: {phi: 0.3, x: 0.5}\n";

#[test]
fn a_family_is_found_where_the_box_has_a_part_of_it() {
    // where phi is that of the start s is 0.38
    for (low, high, number) in [
        (-1.0, 1.0, 2),
        (0.39, 0.41, 2),
        (0.39, 0.395, 2),
        (-0.4, -0.399, 2),
        (0.4, 0.5, 2),
        (0.401, 0.5, 0),
    ] {
        let all = found(YOKE, vec![(1, (low, high))]);
        families(&all, number, &format!("{low}..{high}"));
        for e in &all.list {
            assert!((low..=high).contains(&e.x[1]), "{:?}", e.x);
            assert!((e.x[1] - 0.4 * e.x[0].cos()).abs() < 1e-12, "{:?}", e.x);
            // the other coordinates follow phi
            let along = e.along.as_ref().unwrap().direction();
            let slope = along[1] / along[0] + 0.4 * e.x[0].sin();
            assert!(slope.abs() < 1e-6, "{along:?}");
        }
    }
}

#[test]
fn a_box_of_a_whole_turn_has_both_ends_of_a_pendulum() {
    let text = "coordinates: [u]\nlagrangian: u'^2/2 + cos(u)\n";
    let pi = std::f64::consts::PI;
    for side in [
        (-pi, pi),
        (0.0, 2.0 * pi),
        (-3.2, 3.2),
        (-0.5 * pi, 1.5 * pi),
    ] {
        let all = found(text, vec![(0, side)]);
        assert_eq!((all.list.len(), all.complete()), (2, true), "{side:?}");
    }
}

/// An objective where a one-sided constraint holds nothing, or keeps it from being less beside a direction in which it falls.
#[test]
fn a_one_sided_constraint_that_holds_nothing_makes_no_minimum() {
    let kinds = |objective: &str, more: &str| {
        let text = format!(
            "coordinates: [x, y]\nobjective: {objective}\nconstraints:\n  c: {{f: y, c: 0, side: \">=\"}}\n{more}"
        );
        let all = found(&text, vec![(0, (-2.0, 2.0)), (1, (-2.0, 2.0))]);
        let at = all
            .list
            .iter()
            .filter(|e| e.x.iter().all(|v| v.abs() < 1e-6));
        at.map(|e| e.verdict.kind().name()).collect::<Vec<_>>()
    };
    assert_eq!(kinds("x^2 - y^2", ""), ["degenerate"]);
    let other = "  d: {f: x, c: 0, side: \">=\"}\n";
    assert_eq!(kinds("y - x^2 + x^3", other), ["degenerate"]);
    assert_eq!(kinds("y - x^2", ""), ["saddle"]);
    assert_eq!(kinds("y + x^2", ""), ["minimum"]);
}

/// The form of forces without potential is the symmetric half of their stiffness: regular here, and the stiffness is not.
#[test]
fn a_family_that_circulatory_forces_keep_is_not_isolated() {
    let text = "coordinates: [x, y]\nlagrangian: x'^2/2 + y'^2 + 3*x^2*y^2 + y^4\nforces: {x: y}\n";
    let all = found(text, vec![(0, (-5.0, 5.0)), (1, (-5.0, 5.0))]);
    families(&all, 1, "y = 0");
    assert!(all.list.iter().all(|e| !e.stands_alone()));
}

#[test]
fn families_that_cross_are_all_told() {
    let text = |potential: &str| {
        format!("coordinates: [x, y]\nkinetic: (x'^2 + y'^2)/2\npotential: {potential}\n")
    };
    families(&found(&text("x^2*y^2"), Vec::new()), 2, "a cross");
    let comb = text("x^2*(y - 1)^2*(y - 2)^2");
    families(&found(&comb, Vec::new()), 3, "a comb");
    // its teeth alone
    let teeth = found(&comb, vec![(0, (0.5, 3.0))]);
    families(&teeth, 2, "without its back");
    let valley = text("(x - sin(y))^2*(1 + y^2)");
    families(&found(&valley, Vec::new()), 1, "a winding valley");
}

#[test]
fn a_family_with_a_kink_or_an_end_is_told_beside_it() {
    for f in ["abs(q)", "sqrt(q)", "log(q)", "abs(q - 1)"] {
        let text =
            format!("coordinates: [q, x]\nkinetic: (q'^2 + x'^2)/2\npotential: (x - {f})^2\n");
        let all = found(&text, Vec::new());
        // proven to be all but where the force has a kink or an end: of that place nothing is said
        assert!(all.left.is_nothing(), "{f}");
        assert_eq!(all.complete(), all.undefined.is_empty(), "{f}");
        these_are_families(&all, 1, f);
    }
}

#[test]
fn what_is_degenerate_all_along_a_parameter_is_not_counted_past_its_changes() {
    // x^2 (x^2 - p + 0.3): one equilibrium, then three
    let text = "coordinates: [x]\nparameters: {p: 0.2}\nkinetic: x'^2/2\npotential: x^5/5 - (p - 3/10)*x^3/3\n";
    let model = Model::new(System::parse(text, "test.yaml", &[]).unwrap());
    let over = holonom::analysis::Over {
        parameter: 0,
        from: 0.0,
        to: 1.0,
        extent: holonom::analysis::Followed::Certified,
    };
    let answer = model.continuation(&Where::default(), over, &mut |_| {});
    let certificate = answer.unwrap().certificate.unwrap();
    for stretch in certificate.unwrap().stretches() {
        let (from, to) = stretch.ends();
        if let Some(count) = stretch.count() {
            let wanted = if to <= 0.3 { 1 } else { 3 };
            assert!(to <= 0.3 || from >= 0.3, "{stretch:?}");
            assert_eq!(count, wanted, "{stretch:?}");
        }
    }
}

/// What follows q, in words and in numbers.
type Slave = (&'static str, fn(f64) -> f64);

/// A system with one family for each critical point of a polynomial in u: q is free, the x_j follow it.
struct Planted {
    text: String,
    /// the values of u
    heights: Vec<f64>,
    /// x_j by q
    slaves: Vec<fn(f64) -> f64>,
    region: Vec<(f64, f64)>,
}

fn planted(seed: u64) -> Planted {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut half = |low: i32, high: i32| f64::from(random.i32(2 * low..=2 * high)) / 2.0;
    let known: [Slave; 6] = [
        ("cos(q)", f64::cos),
        ("2*sin(q)", |q| 2.0 * q.sin()),
        ("q^2/4 - 1", |q| q * q / 4.0 - 1.0),
        ("q/2 + 1", |q| q / 2.0 + 1.0),
        ("sin(2*q) + q", |q| (2.0 * q).sin() + q),
        ("3/2", |_| 1.5),
    ];
    let count = 1 + (half(0, 1) * 2.0) as usize % 2;
    let chosen: Vec<_> = (0..count)
        .map(|_| known[(half(0, 2) * 2.0) as usize % known.len()])
        .collect();
    let mut heights: Vec<f64> = (0..2).map(|_| half(-2, 2)).collect();
    heights.sort_by(f64::total_cmp);
    heights.dedup();
    let names: Vec<String> = (0..count).map(|j| format!("x{j}")).collect();
    let mut terms = Vec::new();
    let mut held = String::new();
    for (name, (text, _)) in names.iter().zip(&chosen) {
        if half(0, 1) < 0.5 {
            let _ = writeln!(held, "  c_{name}: {name} - ({text})");
            terms.push(format!("{name}*0"));
        } else {
            terms.push(format!("({name} - ({text}))^2*(1 + u^2)"));
        }
    }
    // V'(u) = (u - a)(u - b), or u - a
    terms.push(match heights.as_slice() {
        [a, b] => format!("u^3/3 - ({a} + {b})*u^2/2 + ({a})*({b})*u"),
        [a, ..] => format!("(u - ({a}))^2/2"),
        [] => String::new(),
    });
    let mut all = vec!["q".to_owned(), "u".to_owned()];
    all.extend(names);
    let kinetic: Vec<String> = all.iter().map(|name| format!("{name}'^2/2")).collect();
    let constraints = if held.is_empty() {
        String::new()
    } else {
        format!("constraints:\n{held}")
    };
    let region = all.iter().map(|_| {
        let low = half(-4, 2) + 0.13;
        (low, low + half(1, 6) + 0.5)
    });
    Planted {
        region: region.collect(),
        text: format!(
            "coordinates: [{}]\nkinetic: {}\npotential: {}\n{constraints}start: {{q: {}}}\n",
            all.join(", "),
            kinetic.join(" + "),
            terms.join(" + "),
            half(-2, 2) + 0.3,
        ),
        heights,
        slaves: chosen.into_iter().map(|(_, f)| f).collect(),
    }
}

impl Planted {
    /// How many families have a member in the box; `None` where a member is at its edge, or nearly.
    fn wanted(&self) -> Option<usize> {
        const EDGE: f64 = 1e-3;
        let (low, high) = self.region[0];
        let (mut inside, mut nearly) = (false, false);
        for i in 0..=20_000 {
            let q = low + (high - low) * f64::from(i) / 20_000.0;
            let depth = self.slaves.iter().zip(&self.region[2..]);
            let depth = depth.map(|(f, (low, high))| (f(q) - low).min(high - f(q)));
            let depth = depth.fold(f64::INFINITY, f64::min);
            inside |= depth > EDGE;
            nearly |= depth > -EDGE;
        }
        if inside != nearly {
            return None;
        }
        let (low, high) = self.region[1];
        let own = self.heights.iter().filter(|u| (low..=high).contains(u));
        Some(if inside { own.count() } else { 0 })
    }
}

fn campaign(seeds: impl Iterator<Item = u64>) -> [usize; 3] {
    let mut counts = [0; 3];
    for seed in seeds {
        let own = planted(seed);
        let Some(wanted) = own.wanted() else { continue };
        let what = format!("seed {seed}: {:?}\n{}", own.region, own.text);
        let all = found(&own.text, own.region.iter().copied().enumerate().collect());
        counts[0] += 1;
        if !all.complete() {
            continue;
        }
        families(&all, wanted, &what);
        counts[1] += 1;
        counts[2] += usize::from(wanted > 0);
    }
    counts
}

#[test]
fn planted_families_are_counted_in_any_box() {
    let [asked, proven, there] = campaign(1..=60);
    assert!(
        asked > 40 && proven * 10 >= asked * 9 && there > 10,
        "{asked} {proven} {there}"
    );
}

#[test]
#[ignore = "SEED and COUNT: thousands in a minute"]
fn thousands_of_planted_families_are_counted() {
    let [asked, proven, there] = campaign(seeds());
    println!("{asked} asked, {proven} proven to be all, {there} of them with families");
}

/// Families beside a one-sided constraint f >= 0: in words and in numbers what y follows, what multiplies, and f.
struct Sided {
    text: String,
    follows: fn(f64) -> f64,
    /// What has to be positive at a member for sure: f where it is released, else the multiplier.
    sign: fn(f64, f64) -> f64,
    acts: bool,
    region: [(f64, f64); 2],
}

fn sided(seed: u64) -> Sided {
    const FOLLOWED: [Slave; 5] = [
        ("0", |_| 0.0),
        ("sin(x)", f64::sin),
        ("x/2 + 1", |x| x / 2.0 + 1.0),
        ("x^2/4 - 1", |x| x * x / 4.0 - 1.0),
        ("cos(2*x)", |x| (2.0 * x).cos()),
    ];
    const SIGNS: [Factor; 6] = [
        ("x - 1/2", |x, _| x - 0.5),
        ("1/3 - x", |x, _| 1.0 / 3.0 - x),
        ("y - sin(x)", |x, y| y - x.sin()),
        ("x^2 - 1", |x, _| x * x - 1.0),
        ("x + y", |x, y| x + y),
        ("4 - x^2 - y^2", |x, y| 4.0 - x * x - y * y),
    ];
    let mut random = fastrand::Rng::with_seed(seed);
    let (slave, follows) = FOLLOWED[random.usize(..FOLLOWED.len())];
    let (words, sign) = SIGNS[random.usize(..SIGNS.len())];
    let acts = random.bool();
    // on the constraint its multiplier is the other factor
    let (potential, f) = if acts {
        (
            format!("({words})*(y - ({slave}))"),
            format!("y - ({slave})"),
        )
    } else {
        let factor = ["1", "1 + x^2", "x + 5/7"][random.usize(..3)];
        (format!("(y - ({slave}))^2*({factor})"), words.to_owned())
    };
    let mut side = || {
        let low = f64::from(random.i32(-7..=2)) / 2.0 + 0.07;
        (low, low + f64::from(random.i32(1..=9)) / 2.0)
    };
    let region = [side(), side()];
    let start = f64::from(random.i32(-8..=8)) / 3.0;
    Sided {
        text: format!(
            "coordinates: [x, y]\nkinetic: (x'^2 + y'^2)/2\npotential: {potential}\n\
             constraints: {{c: {{f: \"{f}\", side: '>='}}}}\nguess: {{x: {start}, y: 1}}\n"
        ),
        follows,
        sign,
        acts,
        region,
    }
}

/// Those asked, those proven to be all, and those of them with a family.
fn beside_sides(seeds: impl Iterator<Item = u64>) -> [usize; 3] {
    let mut counts = [0; 3];
    for seed in seeds {
        let own = sided(seed);
        let what = format!("seed {seed}: {:?}\n{}", own.region, own.text);
        let all = found(&own.text, own.region.iter().copied().enumerate().collect());
        counts[0] += 1;
        if !all.complete() {
            continue;
        }
        counts[1] += 1;
        let [(left, right), (low, high)] = own.region;
        let members = (1..2000).map(|i| left + (right - left) * f64::from(i) / 2000.0);
        let mut members = members.map(|x| (x, (own.follows)(x)));
        let there =
            members.any(|(x, y)| (low + 1e-3..high - 1e-3).contains(&y) && (own.sign)(x, y) > 1e-3);
        counts[2] += usize::from(there);
        let told = |e: &Equilibrium| e.of_a_family() && e.released.is_empty() == own.acts;
        assert!(!there || all.list.iter().any(told), "{what}");
        for e in all.list.iter().filter(|e| e.certified() && told(e)) {
            let (x, y) = (e.x[0], e.x[1]);
            let sign = (own.sign)(x, y);
            let follows = (y - (own.follows)(x)).abs() < 1e-9;
            assert!(!follows || sign >= 0.0, "{what}: {:?}", e.x);
        }
    }
    counts
}

#[test]
fn a_family_is_found_where_a_one_sided_constraint_leaves_a_part_of_it() {
    let [asked, proven, there] = beside_sides(1..=120);
    assert!(
        proven * 10 >= asked * 7 && there > 20,
        "{asked} {proven} {there}"
    );
}

#[test]
#[ignore = "SEED and COUNT: thousands in a minute"]
fn thousands_of_families_beside_one_sided_constraints_are_found() {
    let [asked, proven, there] = beside_sides(seeds());
    println!("{asked} asked, {proven} proven to be all, {there} of them with families");
}

/// A factor in words and in numbers.
type Factor = (&'static str, fn(f64, f64) -> f64);

const FACTORS: [Factor; 12] = [
    ("x", |x, _| x),
    ("y", |_, y| y),
    ("(x - 1)", |x, _| x - 1.0),
    ("(y + 1)", |_, y| y + 1.0),
    ("(x - y)", |x, y| x - y),
    ("(x - y^2)", |x, y| x - y * y),
    ("(x^2 + y^2 - 2)", |x, y| x * x + y * y - 2.0),
    ("(x*y - 1)", |x, y| x * y - 1.0),
    ("sin(x)", |x, _| x.sin()),
    ("(y - cos(x))", |x, y| y - x.cos()),
    ("(x^2 + 1)", |x, _| x * x + 1.0),
    ("(exp(y) - x)", |x, y| y.exp() - x),
];

/// The potential, a product of powers, and the box.
struct Product {
    factors: Vec<(Factor, i32)>,
    region: [(f64, f64); 2],
}

fn product(seed: u64) -> Product {
    let mut random = fastrand::Rng::with_seed(seed);
    let count = random.usize(2..=3);
    let factors = (0..count).map(|_| (FACTORS[random.usize(..FACTORS.len())], random.i32(1..=2)));
    let factors = factors.collect();
    let mut side = || {
        let low = f64::from(random.i32(-7..=4)) / 2.0 + 0.07;
        (low, low + f64::from(random.i32(1..=6)) / 2.0)
    };
    let region = [side(), side()];
    Product { factors, region }
}

/// The gradient and the second derivatives by differences.
fn slopes(v: impl Fn(f64, f64) -> f64, [x, y]: [f64; 2]) -> ([f64; 2], [f64; 3]) {
    let h = 1e-4;
    let v = |i: f64, j: f64| v(x + i * h, y + j * h);
    let first = |a: [f64; 4]| (8.0 * (a[2] - a[1]) - (a[3] - a[0])) / (12.0 * h);
    let along = |at: &dyn Fn(f64) -> f64| [-2.0, -1.0, 1.0, 2.0].map(at);
    let middle = 2.0 * v(0.0, 0.0);
    let second = [
        (v(1.0, 0.0) + v(-1.0, 0.0) - middle) / (h * h),
        (v(1.0, 1.0) - v(1.0, -1.0) - v(-1.0, 1.0) + v(-1.0, -1.0)) / (4.0 * h * h),
        (v(0.0, 1.0) + v(0.0, -1.0) - middle) / (h * h),
    ];
    (
        [first(along(&|i| v(i, 0.0))), first(along(&|j| v(0.0, j)))],
        second,
    )
}

/// Newton's method from a place; where it ends, and whether the second derivatives are regular there.
fn critical(v: impl Fn(f64, f64) -> f64, mut at: [f64; 2]) -> Option<([f64; 2], bool)> {
    for _ in 0..60 {
        let ([a, b], [p, q, r]) = slopes(&v, at);
        let det = p * r - q * q;
        let step = [(r * a - q * b) / det, (p * b - q * a) / det];
        at = [at[0] - step[0], at[1] - step[1]];
        let length = step[0].hypot(step[1]);
        if !length.is_finite() || at[0].hypot(at[1]) > 50.0 {
            return None;
        }
        if length < 1e-9 {
            let size = p.abs() + q.abs() + r.abs();
            return Some((at, size > 1e-3 && det.abs() > 1e-3 * size * size));
        }
    }
    None
}

fn products(seeds: impl Iterator<Item = u64>) -> [usize; 2] {
    let mut counts = [0; 2];
    for seed in seeds {
        let Product { factors, region } = product(seed);
        let v = |x: f64, y: f64| {
            let powers = factors.iter().map(|((_, f), power)| f(x, y).powi(*power));
            powers.product::<f64>()
        };
        let words = factors
            .iter()
            .map(|((text, _), power)| format!("{text}^{power}"));
        let potential = words.collect::<Vec<_>>().join("*");
        let text =
            format!("coordinates: [x, y]\nkinetic: (x'^2 + y'^2)/2\npotential: {potential}\n");
        let all = found(&text, region.into_iter().enumerate().collect());
        counts[0] += 1;
        if !all.complete() {
            continue;
        }
        counts[1] += 1;
        let mut random = fastrand::Rng::with_seed(seed ^ 0x55);
        for _ in 0..80 {
            let from = region.map(|(low, high)| low + random.f64() * (high - low));
            let Some((at, regular)) = critical(v, from) else {
                continue;
            };
            let inside = |room: f64| {
                let mut sides = at.iter().zip(&region);
                sides.all(|(x, (low, high))| *x > low + room && *x < high - room)
            };
            let near = |x: &[f64]| (x[0] - at[0]).hypot(x[1] - at[1]) < 1e-4;
            let told = all.list.iter().any(|e| near(&e.x));
            let of_family = !regular && all.list.iter().any(Equilibrium::of_a_family);
            assert!(
                !inside(1e-3) || told || of_family,
                "seed {seed}: {at:?} is not told of {potential} in {region:?}"
            );
        }
    }
    counts
}

#[test]
fn no_critical_point_of_a_product_is_left_out() {
    let [asked, proven] = products(1..=60);
    assert!(asked == 60 && proven >= 30, "{proven} of {asked}");
}

#[test]
#[ignore = "SEED and COUNT: thousands in some minutes"]
fn no_critical_point_of_thousands_of_products_is_left_out() {
    let [asked, proven] = products(seeds());
    println!("{asked} asked, {proven} proven to be all");
}

/// The potential in a plane.
fn plane(potential: &str) -> String {
    format!("coordinates: [x, y]\nkinetic: (x'^2 + y'^2)/2\npotential: {potential}\n")
}

#[test]
fn families_that_a_pole_keeps_apart_are_not_one() {
    for (potential, number) in [
        ("x^2/y", 2),
        ("x^2/(y^2 - 1)", 3),
        ("x^2*(y^2 - 1)/y", 2),
        ("x^2*(1 + log(y)^2)", 1),
        ("x^2*(1 + y^2)", 1),
    ] {
        let all = found(&plane(potential), Vec::new());
        these_are_families(&all, number, potential);
        let [pole, places] = [potential.contains('/'), !all.undefined.is_empty()];
        assert!(!pole || places && !all.complete(), "{potential}");
    }
    assert!(found(&plane("x^2*(1 + y^2)"), Vec::new()).complete());
}

#[test]
fn the_verdict_on_a_member_is_that_of_a_family_only_where_it_is_proven() {
    for (potential, holds) in [
        ("x^2*(y^2 - 1)", Holds::Changes),
        ("x^2*(1 + y^2)", Holds::Same),
        ("-x^2*(1 + y^2)", Holds::Same),
        ("x^2*(y - 1/3)", Holds::Changes),
        ("(x - y)^2*(1 + y^2)", Holds::Same),
    ] {
        let all = found(&plane(potential), Vec::new());
        let along = all.list[0].along.as_ref().unwrap();
        assert_eq!(along.holds(), holds, "{potential}");
    }
    // each part of what a pole keeps apart has its own
    let all = found(&plane("x^2/y"), Vec::new());
    let known = |e: &Equilibrium| e.along.as_ref().is_some_and(|a| a.holds() == Holds::Same);
    assert!(all.list.iter().all(known));
    assert_eq!(all.list[0].verdict.stability.name(), "unstable");
    assert_ne!(all.list[1].verdict.stability.name(), "unstable");
}

#[test]
fn a_singular_member_does_not_stand_for_a_family() {
    let rolls = |potential: &str| {
        format!(
            "{}velocity_constraints: {{v: x*x' + y*y' = 0}}\n",
            plane(potential)
        )
    };
    let all = found(&rolls("x^2 + y^2"), Vec::new());
    let wide =
        |e: &Equilibrium| e.of_a_family() && e.along.as_ref().unwrap().dimension() == Some(2);
    assert!(
        !all.complete() || all.list.iter().any(wide),
        "{:?}",
        all.list
    );
    assert!(all.list.iter().any(wide));
    let all = found(&rolls("(x^2 + y^2)^2"), Vec::new());
    assert!(!all.complete() || all.list.iter().any(wide));
    let held = format!("{}constraints: {{c: x*y = 0}}\n", plane("x^2"));
    let all = found(&held, Vec::new());
    assert!(all.list.iter().any(Equilibrium::of_a_family));
}

#[test]
fn families_that_no_number_tells_apart_are_not_one() {
    for (potential, number) in [
        ("(x - 1)^2*(x - 1 - 1/10^17)^2*(1 + y^2)", 3),
        ("(x - 1)^2*(x - 1 - y/10^17)^2", 2),
        ("(x^2 - 2)^2*(1 + y^2)", 3),
        ("(x - 1)^2*(x - 1 - 1/10^12)^2", 3),
    ] {
        let all = found(&plane(potential), Vec::new());
        let places: Vec<&[f64]> = all.list.iter().map(|e| e.x.as_slice()).collect();
        assert!(
            !all.complete() || all.list.len() >= number,
            "{potential}: {places:?}"
        );
    }
}
