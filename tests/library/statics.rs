//! Equilibria against systems solved by hand, against independent counts, and against themselves: the
//! same pendulum in two sets of coordinates, multipliers as derivatives by the level.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use holonom::analysis::{Model, Where};
use holonom::expr::calculating;
use holonom::statics::{Along, Equilibria, Equilibrium, Kind, Note, Reason, Stability};
use holonom::system::{System, find};
use std::fmt::Write as _;

fn model_with(text: &str, set: &[(&str, f64)]) -> Model {
    let set: Vec<(String, String)> = set
        .iter()
        .map(|(name, v)| ((*name).to_owned(), format!("{v:?}")))
        .collect();
    Model::new(System::parse(text, "test.yaml", &set).expect("a good system"))
}

fn found(text: &str) -> Equilibria {
    model_with(text, &[]).equilibria(&Where::default())
}

fn within(text: &str, lo: f64, hi: f64) -> Equilibria {
    let model = model_with(text, &[]);
    let n = model.coordinate_names().len();
    let region = (0..n).map(|k| (k, (lo, hi))).collect();
    let wanted = Where {
        region,
        ..Where::default()
    };
    model.equilibria(&wanted)
}

fn close(a: f64, b: f64, within: f64) -> bool {
    (a - b).abs() <= within * a.abs().max(b.abs()).max(1.0)
}

fn frequencies(e: &Equilibrium) -> Vec<f64> {
    e.verdict.modes.iter().map(|m| m.frequency).collect()
}

/// Numbers that repeat.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Between -1 and 1, three decimals.
    fn number(&mut self) -> f64 {
        ((2.0 * self.next() - 1.0) * 1000.0).round() / 1000.0
    }
}

#[test]
fn a_bead_on_a_parabola_rests_at_the_bottom() {
    let all = found(
        "coordinates: [x, y]\nparameters: {m: 2, g: 9.81, a: 3}\nlagrangian: 1/2*m*(x'^2 + y'^2) - m*g*y\n\
         constraints: {wire: y - a*x^2}\nstart: {x: 1, y: 3}\n",
    );
    assert!(all.complete() && all.list.len() == 1);
    let e = &all.list[0];
    assert!(e.certified() && e.along.is_none());
    assert!(close(e.multipliers[0], 2.0 * 9.81, 1e-12));
    assert!(close(e.reaction[1], 2.0 * 9.81, 1e-12) && e.reaction[0] == 0.0);
    assert!(e.verdict.stability.is_stable());
    assert!(close(
        frequencies(e)[0],
        (2.0 * 3.0 * 9.81_f64).sqrt(),
        1e-12
    ));
}

#[test]
fn the_equilibria_of_a_polynomial_are_counted_with_a_parameter_as_exponent() {
    let all = found(
        "coordinates: [x]\nparameters: {n: 4}\nlagrangian: x'^2/2 - x^n + x^(n/2)\nstart: {x: 1}\n",
    );
    assert!(all.complete() && all.list.len() == 3);
}

#[test]
fn a_double_pendulum_is_the_same_in_angles_and_in_cartesian_coordinates() {
    let angles = found(
        "coordinates: [a, b]\nparameters: {g: 9.81, k: 1.3, l: 0.7}\n\
         bodies:\n  one: {mass: 2, at: [k*sin(a), -k*cos(a)]}\n  two: {mass: 1, at: [k*sin(a) + l*sin(b), -k*cos(a) - l*cos(b)]}\n\
         gravity: [0, -g]\n",
    );
    let plane = found(
        "coordinates: [x, y, u, v]\nparameters: {g: 9.81, k: 1.3, l: 0.7}\n\
         bodies:\n  one: {mass: 2, at: [x, y]}\n  two: {mass: 1, at: [u, v]}\ngravity: [0, -g]\n\
         constraints:\n  upper: x^2 + y^2 = k^2\n  lower: (u - x)^2 + (v - y)^2 = l^2\n\
         start: {x: 1.3, y: 0, u: 2, v: 0}\n",
    );
    assert!(angles.complete() && plane.complete());
    assert_eq!((angles.list.len(), plane.list.len()), (4, 4));
    let key = |e: &Equilibrium| (e.verdict.potential * 1e6).round() as i64;
    let sorted = |all: &Equilibria| {
        let mut list = all.list.clone();
        list.sort_by_key(|e| (key(e), e.verdict.signature()));
        list
    };
    for (a, b) in sorted(&angles).iter().zip(&sorted(&plane)) {
        assert!(a.certified() && b.certified());
        assert!(close(a.verdict.potential, b.verdict.potential, 1e-12));
        assert_eq!(a.verdict.signature(), b.verdict.signature());
        assert_eq!(a.verdict.stability, b.verdict.stability);
        let pairs = frequencies(a).into_iter().zip(frequencies(b));
        assert!(pairs.into_iter().all(|(p, q)| close(p, q, 1e-10)));
    }
    let stable = angles
        .list
        .iter()
        .filter(|e| e.verdict.stability.is_stable());
    assert_eq!(stable.count(), 1);
}

#[test]
fn a_bead_on_a_rotating_hoop_leaves_the_bottom_at_the_critical_speed() {
    let text = "coordinates: [th]\nparameters: {g: 9.81, r: 0.5, w: 1}\n\
                lagrangian: 1/2*r^2*th'^2 + 1/2*w^2*r^2*sin(th)^2 + g*r*cos(th)\n";
    let critical = (9.81_f64 / 0.5).sqrt();
    for (speed, number) in [(0.9 * critical, 2), (1.1 * critical, 4)] {
        let model = model_with(text, &[("w", speed)]);
        let all = model.equilibria(&Where::default());
        assert!(all.complete());
        assert_eq!(all.list.len(), number);
        let bottom = all.list.iter().find(|e| e.x[0].abs() < 1e-9).unwrap();
        let stable = bottom.verdict.stability.is_stable();
        assert_eq!(stable, number == 2);
        for e in all
            .list
            .iter()
            .filter(|e| e.x[0].abs() > 1e-9 && e.x[0].abs() < 3.0)
        {
            let cosine = 9.81 / (0.5 * speed * speed);
            assert!(close(e.x[0].cos(), cosine, 1e-12));
            assert!(e.verdict.stability.is_stable());
            assert!(close(frequencies(e)[0], speed * e.x[0].sin().abs(), 1e-10));
        }
    }
}

#[test]
fn at_a_bifurcation_the_next_terms_decide() {
    let all = found("coordinates: [x]\nlagrangian: 1/2*x'^2 - x^4 - x^3\n");
    assert!(all.complete() && all.list.len() == 2);
    let e = &all.list[1];
    assert_eq!((e.x[0], e.verdict.signature()), (0.0, [0, 1, 0]));
    assert!(e.verdict.stability.is_unstable() && e.along.is_none());
    // the same not written as a product: the number that Newton's method comes to is shown to be one by algebra
    let all = found("coordinates: [x]\nlagrangian: 1/2*x'^2 - exp(x) + x + 1/2*x^2\n");
    let e = all.list.iter().find(|e| e.x[0].abs() < 1e-4).unwrap();
    assert!(e.certified() && e.verdict.stability.is_unstable());
    assert!(!all.complete());
}

#[test]
fn a_hanging_chain_of_links_has_its_catenary_and_its_arch() {
    // symmetric: horizontal tension h, the links' slopes in the ratio 3 : 1
    let all = found(
        "coordinates: [x1, y1, x2, y2, x3, y3]\nparameters: {g: 9.81}\n\
         lagrangian: 1/2*(x1'^2+y1'^2+x2'^2+y2'^2+x3'^2+y3'^2) - g*(y1+y2+y3)\nconstraints:\n\
         \x20 a: x1^2 + y1^2 = 1\n  b: (x2-x1)^2 + (y2-y1)^2 = 1\n  c: (x3-x2)^2 + (y3-y2)^2 = 1\n  d: (3-x3)^2 + y3^2 = 1\n\
         start: {x1: 0.6, x2: 1.5}\nguess: {y1: -1, y2: -1, y3: -1, x3: 2.2}\n",
    );
    assert!(all.complete());
    let stable: Vec<&Equilibrium> = all
        .list
        .iter()
        .filter(|e| e.verdict.stability.is_stable())
        .collect();
    assert_eq!(stable.len(), 1);
    let x = &stable[0].x;
    let slopes = [x[1] / x[0], (x[3] - x[1]) / (x[2] - x[0])];
    assert!(close(slopes[0], 3.0 * slopes[1], 1e-12) && slopes[0] < 0.0);
    assert!(close(x[0].hypot(x[1]), 1.0, 1e-12) && close(x[2], 1.5, 1e-12));
}

#[test]
fn a_block_on_an_incline_leans_on_it_and_on_the_stop() {
    let all = found(
        "coordinates: [x, y]\nparameters: {m: 3, g: 9.81, a: 0.4}\nbodies: {block: {mass: m, at: [x, y]}}\n\
         gravity: [0, -g]\nconstraints:\n  incline: -x*sin(a) + y*cos(a)\n  stop: x*cos(a) + y*sin(a) = 1\n\
         start: {x: 0.9, y: 0.4}\nguess: {x: 0.9, y: 0.4}\n",
    );
    let all = if all.list.is_empty() {
        panic!("none")
    } else {
        all
    };
    assert!(all.complete() && all.list.len() == 1);
    let e = &all.list[0];
    assert!(close(e.multipliers[0], 3.0 * 9.81 * 0.4_f64.cos(), 1e-12));
    assert!(close(e.multipliers[1], 3.0 * 9.81 * 0.4_f64.sin(), 1e-12));
    assert_eq!(e.verdict.signature(), [0, 0, 0]);
    assert!(e.verdict.stability.is_stable());
}

/// Members of one circle, of one turn of two bodies: each family once, and two at different heights are two.
#[test]
fn a_family_that_a_symmetry_goes_round_is_told_once() {
    let particles = |names: &[&str], rest: &str| {
        let squares: Vec<String> = names.iter().map(|x| format!("{x}'^2")).collect();
        format!(
            "coordinates: [{}]\nkinetic: ({})/2\n{rest}",
            names.join(", "),
            squares.join(" + ")
        )
    };
    let list = [
        (
            particles(
                &["x", "y", "z"],
                "potential: z\nconstraints: {c: (x^2 + y^2 + z^2 + 3)^2 = 16*(x^2 + y^2)}\nguess: {x: 1, y: 0, z: 0}\n",
            ),
            vec![-1.0, 1.0],
        ),
        (
            particles(
                &["x", "y", "u", "v"],
                "potential: (x - u)^2 + (y - v)^2\nconstraints: {c: x^2 + y^2 = 1, d: u^2 + v^2 = 4}\nguess: {x: 1, y: 0, u: 2, v: 0}\n",
            ),
            vec![1.0, 9.0],
        ),
        (
            particles(
                &["x", "y", "u", "v"],
                "potential: ((x - u)^2 + (y - v)^2 - 1)^2\nstart: {x: 0, y: 0, u: 1, v: 0}\n",
            ),
            vec![0.0, 1.0],
        ),
        // turned by half a turn in a - b it is another
        (
            particles(
                &["a", "b"],
                "potential: cos(a - b) + cos(2*(a - b))\nstart: {a: 1, b: 0}\n",
            ),
            vec![-1.125, -1.125, 0.0, 2.0],
        ),
    ];
    for (text, values) in list {
        let all = found(&text);
        assert!(all.list.iter().all(Equilibrium::of_a_family), "{text}");
        let mut own: Vec<f64> = all.list.iter().map(|e| e.verdict.potential).collect();
        own.sort_by(f64::total_cmp);
        let same = own.iter().zip(&values).all(|(a, b)| close(*a, *b, 1e-9));
        assert!(own.len() == values.len() && same, "{own:?} in {text}");
    }
}

#[test]
fn extrema_on_an_ellipsoid() {
    let all = found(
        "coordinates: [x, y, z]\nobjective: x*y*z\nconstraints: {s: x^2 + 2*y^2 + 3*z^2 = 6}\n",
    );
    assert!(all.complete() && all.list.len() == 14);
    let count = |kind: Kind| all.list.iter().filter(|e| e.verdict.kind() == kind).count();
    assert_eq!(
        (
            count(Kind::Minimum),
            count(Kind::Maximum),
            count(Kind::Saddle)
        ),
        (4, 4, 6)
    );
    // x^2 = 2 y^2 = 3 z^2 = 2, and the value grows like c^(3/2)
    for e in all
        .list
        .iter()
        .filter(|e| e.verdict.kind() == Kind::Maximum)
    {
        let value = e.verdict.potential;
        assert!(close(value, (2.0 * 1.0 * 2.0 / 3.0_f64).sqrt(), 1e-12));
        assert!(close(e.multipliers[0], 1.5 * value / 6.0, 1e-12));
    }
}

#[test]
fn a_box_as_wide_as_numbers_go_leaves_the_second_variation_decided() {
    let model = model_with(
        "coordinates: [x, y]\nobjective: x + y\nconstraints: {s: x^2 + 2*y^2 = 6}\n",
        &[],
    );
    for far in [1e150, 1e300] {
        let all = model.equilibria(&Where {
            region: vec![(1, (-far, 2.0 * far))],
            ..Where::default()
        });
        let kinds: Vec<Kind> = all.list.iter().map(|e| e.verdict.kind()).collect();
        assert_eq!(kinds, [Kind::Minimum, Kind::Maximum], "{far}");
    }
}

/// Beside the width of the box they were one, or members of a family.
#[test]
fn in_a_wide_box_no_equilibrium_is_taken_for_another() {
    for text in [
        "coordinates: [x, y]\nobjective: x + y\nconstraints: {s: x^2 + 2*y^2 = 6}\n",
        "coordinates: [y]\nobjective: y^3/3 - y\n",
        "coordinates: [x, y]\nobjective: x^2 + y^3 - 3*y\n",
    ] {
        let model = model_with(text, &[]);
        let last = model.coordinate_names().len() - 1;
        for far in [1e6, 1e9, 1e12, 1e15, 1e100] {
            let all = model.equilibria(&Where {
                region: vec![(last, (-far, 2.0 * far))],
                ..Where::default()
            });
            assert!(
                all.list.len() == 2 || !all.complete(),
                "{text}, {far}: {:?}",
                all.list
            );
            assert!(all.list.iter().all(|e| e.along.is_none()), "{text}, {far}");
        }
    }
}

/// No coordinate is free, and together some are: angles that only differ, bodies that only their distances hold.
#[test]
fn a_symmetry_makes_families_of_equilibria() {
    let square = |a: &str, b: &str| format!("((x{a} - x{b})^2 + (y{a} - y{b})^2)");
    let spring = |a, b| format!("(sqrt({}) - 1)^2", square(a, b));
    let triangle = format!(
        "coordinates: [x1, y1, x2, y2, x3, y3]\n\
         lagrangian: (x1'^2 + y1'^2 + x2'^2 + y2'^2 + x3'^2 + y3'^2)/2 - {} - {} - {}\n\
         start: {{x2: 1, x3: 0.5, y3: 0.9}}\n",
        spring("1", "2"),
        spring("2", "3"),
        spring("3", "1")
    );
    let beads = "coordinates: [x1, y1, x2, y2]\n\
         lagrangian: (x1'^2 + y1'^2 + x2'^2 + y2'^2)/2 - 1/sqrt((x1 - x2)^2 + (y1 - y2)^2)\n\
         constraints: {a: x1^2 + y1^2 = 1, b: x2^2 + y2^2 = 1}\nstart: {x1: 1, x2: -1}\n";
    let angles = |more: &str| {
        format!(
            "coordinates: [a, b, c]\n\
             lagrangian: (a'^2 + b'^2 + c'^2)/2 + cos(a - b) + cos(b - c) + cos(c - a) {more}\n"
        )
    };
    for (text, dimension) in [
        (triangle.as_str(), 3),
        (beads, 1),
        (&angles(""), 1),
        (&angles("- (a + b - 2*c)^4"), 1),
    ] {
        let all = found(text);
        assert!(!all.list.is_empty() && !all.complete());
        for e in &all.list {
            assert!(e.certified() && e.of_a_family(), "{e:?} in {text}");
            assert_eq!(e.verdict.form.flat(), dimension, "{text}");
            assert!(!e.verdict.stability.is_stable());
        }
    }
    // nearly one
    let all = found(&angles("- a^2/1e9"));
    assert!(all.list.iter().all(|e| !e.of_a_family()));
}

#[test]
fn multipliers_are_derivatives_by_the_level() {
    let texts = [
        "coordinates: [x, y, z]\nparameters: {c: 4, d: 0.5}\nobjective: x^3 - 2*x*y + z^2*y - z + 0.3*x\n\
         constraints: {s: {f: x^2 + y^2 + z^2 + x*z, c: c}, p: {f: x*y - z, c: d}}\n",
        "coordinates: [x, y]\nparameters: {c: 1, d: 0, g: 9.81}\nlagrangian: 1/2*(x'^2 + y'^2) - g*y - 2*x^2*y\n\
         constraints: {rod: {f: x^2 + 2*y^2, c: c}}\nstart: {x: 1, y: 0}\n",
    ];
    for text in texts {
        let at = |c: f64, d: f64| {
            let model = model_with(text, &[("c", c), ("d", d)]);
            let n = model.coordinate_names().len();
            let region = (0..n).map(|k| (k, (-5.0, 5.0))).collect();
            let all = model.equilibria(&Where {
                region,
                ..Where::default()
            });
            assert!(all.complete());
            all.list
        };
        let start = model_with(text, &[]).system.parameter_values();
        let h = 1e-4;
        let list = at(start[0], start[1]);
        assert!(list.len() >= 2);
        for e in &list {
            for (b, lambda) in e.multipliers.iter().enumerate() {
                let moved = |by: f64| {
                    let list = if b == 0 {
                        at(start[0] + by, start[1])
                    } else {
                        at(start[0], start[1] + by)
                    };
                    let apart = |other: &Equilibrium| -> f64 {
                        other.x.iter().zip(&e.x).map(|(p, q)| (p - q).powi(2)).sum()
                    };
                    list.iter()
                        .min_by(|a, b| apart(a).total_cmp(&apart(b)))
                        .unwrap()
                        .verdict
                        .potential
                };
                let slope = (moved(h) - moved(-h)) / (2.0 * h);
                assert!(close(slope, *lambda, 1e-5), "{slope} is not {lambda}");
            }
        }
    }
}

#[test]
fn nothing_is_missed_on_an_ellipse() {
    // V on x = p cos s, y = q sin s counted by the signs of dV/ds on a fine grid
    let mut dice = Dice(88_172_645_463_325_252);
    for _ in 0..40 {
        let k: Vec<f64> = (0..7).map(|_| dice.number()).collect();
        let (p, q) = (1.0 + dice.number().abs(), 1.0 + dice.number().abs());
        let text = format!(
            "coordinates: [x, y]\nlagrangian: 1/2*(x'^2 + y'^2) - ({}*x + {}*y + {}*x^2 + {}*x*y + {}*x^3 + {}*x*y^2 + {}*y^3)\n\
             constraints: {{wire: x^2/({p})^2 + y^2/({q})^2 = 1}}\nstart: {{x: {p}, y: 0}}\n",
            k[0], k[1], k[2], k[3], k[4], k[5], k[6]
        );
        let all = within(&text, -3.0, 3.0);
        let slope = |s: f64| {
            let (x, y) = (p * s.cos(), q * s.sin());
            let by_x = k[0] + 2.0 * k[2] * x + k[3] * y + 3.0 * k[4] * x * x + k[5] * y * y;
            let by_y = k[1] + k[3] * x + 2.0 * k[5] * x * y + 3.0 * k[6] * y * y;
            -p * s.sin() * by_x + q * s.cos() * by_y
        };
        let grid = 20_000_u32;
        let step = std::f64::consts::TAU / f64::from(grid);
        let mut up = 0;
        let mut down = 0;
        for i in 0..grid {
            let (a, b) = (
                slope(f64::from(i) * step + 1e-5),
                slope(f64::from(i + 1) * step + 1e-5),
            );
            up += usize::from(a < 0.0 && b >= 0.0);
            down += usize::from(a >= 0.0 && b < 0.0);
        }
        assert!(all.complete(), "{text}");
        let of = |kind| all.list.iter().filter(|e| e.verdict.kind() == kind).count();
        assert_eq!((of(Kind::Minimum), of(Kind::Maximum)), (up, down), "{text}");
        assert!(all.list.iter().all(Equilibrium::certified));
    }
}

/// A polynomial of degree 2 to 3 as text, with its value and slopes at a point; `centre` is added to its squares.
fn random_polynomial(
    dice: &mut Dice,
    names: &[&str],
    point: &[f64],
    centre: f64,
) -> (String, f64, Vec<f64>) {
    let n = names.len();
    let mut text = String::new();
    let (mut value, mut slope) = (0.0, vec![0.0; n]);
    let mut add = |k: f64, powers: &[i32]| {
        let factors = powers.iter().zip(names).filter(|(p, _)| **p > 0);
        let term: Vec<String> = factors.map(|(p, name)| format!("{name}^{p}")).collect();
        let _ = write!(text, " + ({k:?})*{}", term.join("*"));
        let of = |skip: Option<usize>| -> f64 {
            let parts = powers.iter().zip(point).enumerate();
            let values = parts.map(|(i, (&p, x))| match (skip == Some(i), p) {
                (false, _) => x.powi(p),
                (true, 0) => 0.0,
                (true, _) => f64::from(p) * x.powi(p - 1),
            });
            values.product()
        };
        value += k * of(None);
        for (i, s) in slope.iter_mut().enumerate() {
            *s += k * of(Some(i));
        }
    };
    for i in 0..n {
        for j in i..n {
            let mut powers = vec![0; n];
            powers[i] += 1;
            powers[j] += 1;
            add(if i == j { centre } else { 0.0 } + dice.number(), &powers);
            if dice.next() < 0.5 {
                powers[i] += 1;
                add(dice.number(), &powers);
            }
        }
    }
    (text, value, slope)
}

#[test]
fn planted_equilibria_are_found() {
    let mut dice = Dice(0x2545_F491_4F6C_DD1D);
    let (mut complete, mut all_of_them) = (0, 0);
    for round in 0..24 {
        let n = 2 + round % 3;
        let m = 1 + usize::from(n > 2 && round % 2 == 0);
        let names = ["x", "y", "z", "w"];
        let point: Vec<f64> = (0..n).map(|_| dice.number()).collect();
        let mut polynomial =
            |centre: f64| random_polynomial(&mut dice, &names[..n], &point, centre);
        let (potential, _, slope) = polynomial(0.0);
        let constraints: Vec<(String, f64, Vec<f64>)> = (0..m)
            .map(|b| polynomial(if b == 0 { 2.0 } else { 0.0 }))
            .collect();
        let lambda: Vec<f64> = (0..m).map(|_| 3.0 * dice.number()).collect();
        let linear: Vec<String> = (0..n)
            .map(|i| {
                let wanted: f64 = constraints
                    .iter()
                    .zip(&lambda)
                    .map(|(c, l)| l * c.2[i])
                    .sum();
                format!("({:?})*{}", wanted - slope[i], names[i])
            })
            .collect();
        let held: Vec<String> = constraints
            .iter()
            .enumerate()
            .map(|(b, c)| {
                format!(
                    "  c{b}: {{f: \"{}\", c: {:?}}}\n",
                    c.0.trim_start_matches(" + "),
                    c.1
                )
            })
            .collect();
        let text = format!(
            "coordinates: [{}]\nobjective: \"{} {potential}\"\nconstraints:\n{}",
            names[..n].join(", "),
            linear.join(" + "),
            held.concat()
        );
        let all = within(&text, -2.0, 2.0);
        let hit = all
            .list
            .iter()
            .find(|e| e.x.iter().zip(&point).all(|(a, b)| (a - b).abs() < 1e-6));
        all_of_them += usize::from(hit.is_some());
        complete += usize::from(all.complete());
        assert!(
            hit.is_some() || !all.complete(),
            "missed at {point:?} in\n{text}"
        );
        if let Some(e) = hit {
            let pairs = e.multipliers.iter().zip(&lambda);
            assert!(
                pairs.into_iter().all(|(a, b)| close(*a, *b, 1e-6)),
                "{text}"
            );
        }
    }
    assert_eq!(all_of_them, 24);
    // of two constraints on four coordinates it is not always shown in time that their gradients are nowhere dependent
    assert!(complete >= 18, "{complete} of 24 complete");
}

/// The rod of a crank without weight points to one side or to the other: two curves, each round once in both angles.
#[test]
fn a_family_is_one_after_whole_turns_too() {
    let mut held = holonom::system::builtin().iter();
    let all = found(held.find(|b| b.name == "slider_crank").unwrap().text);
    assert_eq!(all.list.iter().filter(|e| e.of_a_family()).count(), 2);
}

#[test]
fn families_are_given_once() {
    let circle = found(
        "coordinates: [x, y]\nlagrangian: 1/2*x'^2 + 1/2*y'^2\nconstraints: {rod: x^2 + y^2 = 1}\nstart: {x: 1, y: 0}\n",
    );
    assert_eq!(circle.list.len(), 1);
    assert!(circle.list[0].along.is_some() && !circle.complete());
    let torus = found(
        "coordinates: [x, y, z]\nlagrangian: (x'^2 + y'^2 + z'^2)/2\n\
         constraints: {torus: (sqrt(x^2 + y^2) - 3)^2 + z^2 = 1}\nstart: {x: 4}\n",
    );
    assert_eq!(torus.list.len(), 1);
    assert!(torus.list[0].of_a_family() && !torus.complete());
    let ring = found("coordinates: [x, y]\nlagrangian: 1/2*x'^2 + 1/2*y'^2 - (x^2+y^2-1)^2\n");
    assert_eq!(ring.list.len(), 2);
    let family = ring.list.iter().find(|e| e.of_a_family()).unwrap();
    assert!(family.certified());
    assert_eq!(family.verdict.signature(), [1, 1, 0]);
    assert!(close(frequencies(family)[0], 8.0_f64.sqrt(), 1e-9));
    // a coordinate that nothing depends on: proven to be all
    let cart = found(
        "coordinates: [s, th]\nlagrangian: s'^2 + s'*th'*cos(th) + 1/2*th'^2 + 9.81*cos(th)\nstart: {s: 0.5, th: 1}\n",
    );
    assert!(cart.complete() && cart.list.len() == 2);
    assert!(
        cart.list
            .iter()
            .all(|e| e.x[0] == 0.5 && e.along.as_ref().map(Along::direction) == Some(&[1.0, 0.0]))
    );
}

#[test]
fn redundant_constraints_share_their_load() {
    let all = found(
        "coordinates: [x, y]\nlagrangian: 1/2*x'^2 + 1/2*y'^2 - 9.81*y\n\
         constraints: {rod: x^2 + y^2 = 1, again: 2*x^2 + 2*y^2 = 2}\nstart: {x: 1, y: 0}\n",
    );
    assert_eq!(all.list.len(), 2);
    assert!(!all.complete() && all.notes.contains(&Note::Redundant));
    let below = &all.list[0];
    // (lambda, 2 lambda) is the direction of least norm: 2 y (l1 + 2 l2) = 9.81
    assert!(close(below.multipliers[0], -9.81 / 10.0, 1e-12));
    assert!(close(below.multipliers[1], -9.81 / 5.0, 1e-12));
    assert!(below.verdict.stability.is_stable());
}

#[test]
fn other_forces_are_judged_by_the_linearised_motion() {
    let one = |text: &str| {
        let mut all = found(text);
        assert!(all.list.len() == 1 && all.complete());
        all.list.remove(0)
    };
    // s^2 - 2 i w s - k = 0 on z = x + i y: imaginary for w^2 > k
    let top = "coordinates: [x, y]\nparameters: {k: 1, w: 3}\nlagrangian: 1/2*(x'^2+y'^2) + w*(x*y' - y*x') + 1/2*k*(x^2+y^2)\n";
    let gyro = one(top);
    assert_eq!(
        gyro.verdict.stability,
        Stability::Degenerate(Reason::Gyroscopic)
    );
    let root = 8.0_f64.sqrt();
    let list = frequencies(&gyro);
    assert!(close(list[0], 3.0 - root, 1e-10) && close(list[1], 3.0 + root, 1e-10));
    assert!(
        one(&top.replace("w: 3", "w: 0.5"))
            .verdict
            .stability
            .is_unstable()
    );
    // damping takes gyroscopic stability away (Thomson, Tait, Chetaev)
    let damped = format!("{top}forces: {{x: -0.1*x', y: -0.1*y'}}\n");
    assert!(one(&damped).verdict.stability.is_unstable());
    let damped = one("coordinates: [x]\nlagrangian: 1/2*x'^2 - 2*x^2\nforces: {x: -0.4*x'}\n");
    assert!(damped.verdict.stability.is_stable());
    let exponents = damped.verdict.exponents.unwrap();
    assert!(
        close(exponents[0].0, -0.2, 1e-12) && close(exponents[1].1, (4.0 - 0.04_f64).sqrt(), 1e-12)
    );
    let driven = one("coordinates: [x]\nlagrangian: 1/2*x'^2 - 2*x^2\nforces: {x: 0.4*x'}\n");
    assert!(driven.verdict.stability.is_unstable());
    // damping of third order is not seen in the linearised motion
    let cubic = one("coordinates: [x]\nlagrangian: 1/2*x'^2 - 2*x^2\nforces: {x: 0.4*x'^3}\n");
    assert_eq!(
        cubic.verdict.stability,
        Stability::Degenerate(Reason::Damping)
    );
    let turning = one(
        "coordinates: [x, y]\nlagrangian: 1/2*(x'^2+y'^2) - 1/2*(x^2 + y^2)\nforces: {x: 0.5*y, y: -0.5*x}\n",
    );
    assert!(turning.verdict.stability.is_unstable());
}

#[test]
fn what_moves_is_marked() {
    // a rod that turns: only its axis stays where it is
    let all = found(
        "coordinates: [x, y, r]\nparameters: {w: 2}\nlagrangian: 1/2*(x'^2 + y'^2)\n\
         constraints: {a: x - r*cos(w*t), b: y - r*sin(w*t)}\nstart: {r: 1, r': 0}\n",
    );
    let frozen = all.list.iter().find(|e| e.verdict.frozen).unwrap();
    assert!(frozen.along.is_some());
    let axis = all.list.iter().find(|e| !e.verdict.frozen).unwrap();
    assert!(axis.x.iter().all(|v| v.abs() < 1e-12));
    // a lift: nothing stays
    let lift = found(
        "coordinates: [x, y]\nlagrangian: 1/2*(x'^2 + y'^2) - 9.81*y\nconstraints: {rod: x^2 + (y - t)^2 = 1}\nstart: {x: 1, y: 0}\n",
    );
    assert!(lift.list.len() == 2 && lift.list.iter().all(|e| e.verdict.frozen));
}

#[test]
fn a_one_sided_constraint_only_pushes() {
    let text = "coordinates: [x, y]\nparameters: {g: 9.81}\nlagrangian: 1/2*(x'^2 + y'^2) - g*y - 1/2*SPRING*x^2\n\
                constraints: {floor: {f: \"y - x^2/4\", c: 0, side: \">=\"}}\nstart: {x: 1, y: 1}\n";
    let resting = found(&text.replace("SPRING", "1"));
    assert!(resting.complete() && resting.list.len() == 1);
    assert!(close(resting.list[0].multipliers[0], 9.81, 1e-12));
    // pulled up it leaves the floor for where the spring holds it
    let pulled = found(
        "coordinates: [x, y]\nlagrangian: 1/2*(x'^2 + y'^2) - 1/2*x^2 - 1/2*(y - 2)^2\n\
         constraints: {floor: {f: y, c: 0, side: \">=\"}}\nstart: {x: 1, y: 0}\n",
    );
    assert!(pulled.complete() && pulled.list.len() == 1);
    assert_eq!(pulled.list[0].released, [0]);
    assert!(close(pulled.list[0].x[1], 2.0, 1e-12) && pulled.list[0].multipliers == [0.0]);
}

#[test]
fn where_gradients_vanish_nothing_is_called_complete_without_proof() {
    // two lines that cross: V grows along both, the crossing has no multipliers
    let all = found(
        "coordinates: [x, y]\nlagrangian: 1/2*(x'^2+y'^2) - x - 2*y\nconstraints: {c: x*y}\nstart: {x: 1, y: 0}\n",
    );
    assert!(all.list.is_empty() && all.complete());
    // a cusp: V = y is least there, and no multiplier says so
    let cusp = found(
        "coordinates: [x, y]\nlagrangian: 1/2*(x'^2+y'^2) - y\nconstraints: {c: y^3 - x^2}\nstart: {x: 1, y: 1}\n",
    );
    assert!(cusp.list.is_empty());
}

#[test]
fn a_constraint_that_carries_nothing_hides_no_equilibrium() {
    let inner = "parameters: {l1: 1, l2: 0.8, m: 1, g: 9.81}\ngravity: [0, -g]\n";
    let angles = found(&format!(
        "coordinates: [a, b]\n{inner}bodies:\n  elbow: {{mass: m, at: [l1*cos(a), l1*sin(a)]}}\n  hand: {{mass: m/2, at: [l1*cos(a) + l2*cos(a + b), l1*sin(a) + l2*sin(a + b)]}}\nstart: {{a: 0.1, b: 1}}\n"
    ));
    // the same with the hand's place as coordinates: no force along x at rest
    let held = found(&format!(
        "coordinates: [a, b, x, y]\n{inner}bodies:\n  elbow: {{mass: m, at: [l1*cos(a), l1*sin(a)]}}\n  hand: {{mass: m/2, at: [x, y]}}\nconstraints:\n  hx: x - l1*cos(a) - l2*cos(a + b)\n  hy: y - l1*sin(a) - l2*sin(a + b)\nstart: {{a: 0.1, b: 1}}\n"
    ));
    assert!(angles.complete() && held.complete());
    assert_eq!((angles.list.len(), held.list.len()), (4, 4));
    for (one, other) in angles.list.iter().zip(&held.list) {
        assert!(close(one.x[0], other.x[0], 1e-9) && close(one.x[1], other.x[1], 1e-9));
        assert_eq!(one.verdict.stability, other.verdict.stability);
        assert!(other.multipliers[0].abs() < 1e-12);
        assert!(close(other.multipliers[1], 4.905, 1e-9));
    }
}

/// A parallelogram of bars: where all lie flat its loop equations are dependent, and the forces that
/// Newton's method finds there grow without end.
#[test]
fn a_flat_position_of_a_linkage_is_singular_and_no_equilibrium() {
    let text = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/systems/four_bar.yaml"
    ));
    let text = text.expect("a file");
    let found = found(&text);
    // with the coupler level the cranks hang or stand; crossed, four more by the weights
    assert_eq!(found.list.len(), 6, "{:?}", found.list);
    for e in &found.list {
        assert!(e.certified());
        let forces = e
            .multipliers
            .iter()
            .fold(0.0_f64, |top, l| top.max(l.abs()));
        assert!(forces < 100.0, "{:?}", e.multipliers);
    }
    for x in &found.singular {
        // all bars along one line
        assert!(x.iter().all(|angle| angle.sin().abs() < 1e-6), "{x:?}");
    }
    assert!(!found.singular.is_empty() && !found.complete());
}

/// No search from the equations of equilibria comes to the apex of a cone: there the gradient vanishes.
#[test]
fn the_apex_of_a_cone_is_told() {
    let cone = |more: &str| {
        found(&format!(
            "coordinates: [x, y, z]\nlagrangian: (x'^2 + y'^2 + z'^2)/2 {more}\n\
             constraints: {{c: x^2 + y^2 = z^2}}\nstart: {{x: 1, z: 1}}\n"
        ))
    };
    let loaded = cone("- z");
    assert_eq!(loaded.singular, [[0.0, 0.0, 0.0]]);
    assert!(loaded.list.is_empty() && loaded.complete());
    // without a force it rests there as anywhere
    let free = cone("");
    assert!(free.singular.is_empty() && !free.complete());
    let apex = |e: &&Equilibrium| e.x.iter().all(|v| v.abs() < 1e-9);
    assert!(free.list.iter().any(|e| apex(&e)));
}

/// Where constraints touch, cross or have a cusp, in none of which multipliers hold a force across.
#[test]
fn singular_points_hide_behind_no_proof() {
    let told = |names: &str, lagrangian: &str, constraints: &str, start: &str| {
        let text = format!(
            "coordinates: [{names}]\nlagrangian: {lagrangian}\nconstraints: {{{constraints}}}\nstart: {{{start}}}\n"
        );
        found(&text)
    };
    // Viviani's curve crosses itself
    let crossing = told(
        "x, y, z",
        "(x'^2 + y'^2 + z'^2)/2 - z - 0.3*x",
        "a: x^2 + y^2 + z^2 = 4, b: (x - 1)^2 + y^2 = 1",
        "x: 1, y: 1, z: 1.414213562373",
    );
    assert_eq!(crossing.singular.len(), 1);
    assert!(close(crossing.singular[0][0], 2.0, 1e-9));
    assert!(crossing.list.len() == 2 && crossing.complete());
    let cusp = told("x, y", "(x'^2 + y'^2)/2 - y", "c: y^2 = x^3", "x: 1, y: 1");
    assert_eq!(cusp.singular, [[0.0, 0.0]]);
    // a whole line of them
    let line = told(
        "x, y, z",
        "(x'^2 + y'^2 + z'^2)/2 - z - x",
        "c: x^2 = y^2 + z^3*y^2",
        "x: 1, y: 1",
    );
    assert!(!line.singular.is_empty() && !line.complete());
    let none = told(
        "x, y, z",
        "(x'^2 + y'^2 + z'^2)/2 - z",
        "a: x^2 + y^2 + z^2 = 4, b: x + y*z = 0.3",
        "x: 1, y: 1, z: 1",
    );
    assert!(none.singular.is_empty() && none.complete());
}

/// A quadric cone in coordinates that hide it: its apex is told, or nothing is said to be all.
#[test]
fn hidden_apexes_are_told() {
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    for round in 0..8 {
        let apex: Vec<f64> = (0..3).map(|_| dice.number()).collect();
        let mut define = String::new();
        for (k, name) in ["x", "y", "z"].iter().enumerate() {
            let d = |k: usize| format!("({} - ({:?}))", ["x", "y", "z"][k], apex[k]);
            let (a, b) = (0.4 * dice.number(), 0.3 * dice.number());
            let bent = if round % 2 == 0 {
                format!("sin({})", d((k + 2) % 3))
            } else {
                format!("{}*{}", d(k), d((k + 2) % 3))
            };
            let own = d(k);
            let next = d((k + 1) % 3);
            let _ = writeln!(
                define,
                "  u{name}: \"{own} + {a:.3}*{next} + {b:.3}*{bent}\""
            );
        }
        let text = format!(
            "coordinates: [x, y, z]\ndefine:\n{define}lagrangian: (x'^2 + y'^2 + z'^2)/2 - z\n\
             constraints: {{c: ux^2 + 2*uy^2 = 1.5*uz^2}}\n"
        );
        let found = within(&text, -1.5, 1.5);
        let told = found.singular.iter();
        let told = told.filter(|x| x.iter().zip(&apex).all(|(a, b)| (a - b).abs() < 1e-6));
        assert!(told.count() == 1 || !found.complete(), "{text}");
    }
}

/// r^2 - 2 = 0 where r is sqrt(2): a double root, and none for the double next to it.
#[test]
fn parameters_that_were_computed_are_not_exact() {
    let text = "coordinates: [x]\nparameters: {r: sqrt(2)}\n\
                lagrangian: x'^2/2 - x^3/3 - (r^2 - 2)*x\n";
    let all = found(text);
    assert!(!all.complete(), "{:?}", all.list);
    // what somebody has written is: 0.1 is 1/10
    let text = "coordinates: [x]\nparameters: {p: 0.1, q: 0.2, r: 0.3}\n\
                lagrangian: x'^2/2 - x^4/4 - (p + q - r)*x^2\n";
    let all = found(text);
    assert_eq!(all.list.len(), 1);
    assert!(all.list[0].certified() && all.list[0].verdict.stability.is_stable());
}

/// Gradients that are dependent are no hindrance where the forces lie in what they span.
#[test]
fn a_cusp_that_holds_its_load_is_an_equilibrium() {
    // y = 0 and y = x^2 touch at 0: both gradients are (0, 1), as is the weight
    let text = "coordinates: [x, y]\nlagrangian: 1/2*(x'^2 + y'^2) - 9.81*y\n\
                constraints: {floor: y, bowl: y - x^2}\nstart: {x: 0, y: 0}\n";
    let found = found(text);
    assert!(found.singular.is_empty(), "{:?}", found.singular);
    assert!(found.list.iter().any(|e| close(e.reaction[1], 9.81, 1e-6)));
    // a level force no gradient carries
    let pushed = text.replace("- 9.81*y", "- 9.81*y - x");
    let found = self::found(&pushed);
    assert!(found.list.is_empty(), "{:?}", found.list);
}

/// Between a floor and a roof that touch, multipliers are not unique, and those of least norm would have the roof pull.
#[test]
fn what_lies_between_constraints_that_touch_is_carried_by_those_that_push() {
    for weight in [1.0, -1.0] {
        let text = format!(
            "coordinates: [x, y]\nlagrangian: 1/2*(x'^2 + y'^2) - {weight}*y\nconstraints:\n\
             \x20 floor: {{f: y - x^4, c: 0, side: \">=\"}}\n  roof: {{f: x^2 - y, c: 0, side: \">=\"}}\n"
        );
        let found = found(&text);
        let origin = |e: &&Equilibrium| e.x.iter().all(|x| *x == 0.0);
        let e = found.list.iter().find(origin).expect("it rests there");
        assert!(
            e.multipliers.iter().all(|l| *l >= -1e-12),
            "{:?}",
            e.multipliers
        );
        assert!(close(e.multipliers[0] - e.multipliers[1], weight, 1e-12));
    }
}

/// A toggle that is nearly straight carries a thousand times its load, and rests.
#[test]
fn large_multipliers_alone_are_no_singular_configuration() {
    for sag in [1e-3, 1e-5] {
        // a string over two nails, a weight in its middle
        let text = format!(
            "coordinates: [x, y]\nparameters: {{s: {sag:?}}}\n\
             lagrangian: 1/2*(x'^2 + y'^2) - 9.81*y\n\
             constraints: {{left: (x + 1)^2 + y^2 = 1 + s^2, right: (x - 1)^2 + y^2 = 1 + s^2}}\n\
             start: {{x: 0, y: -s}}\n"
        );
        let found = found(&text);
        assert!(found.singular.is_empty(), "{:?}", found.singular);
        let low = found.list.iter().find(|e| e.x[1] < 0.0).expect("it hangs");
        // 2 lambda y each, both together the weight
        let sum = 2.0 * low.x[1] * (low.multipliers[0] + low.multipliers[1]);
        assert!(close(sum, 9.81, 1e-6), "{sum}");
    }
}

/// A knife edge on an incline of slope s: it rests across the slope alone, where the edge carries the weight.
#[test]
fn a_knife_edge_rests_across_the_slope() {
    let text = "
coordinates: [x, y, th]
parameters: {m: 2, I: 0.3, g: 9.81, s: 0.4}
lagrangian: 1/2*m*(x'^2 + y'^2) + 1/2*I*th'^2 - m*g*s*x
velocity_constraints: {edge: x'*sin(th) - y'*cos(th)}
start: {x: 0, y: 0, th: 1}
";
    let found = found(text);
    assert!(!found.list.is_empty());
    for e in &found.list {
        assert!(e.x[2].cos().abs() < 1e-9, "{e:?}");
        let weight = 2.0 * 9.81 * 0.4;
        assert!(close(e.multipliers[0] * e.x[2].sin(), weight, 1e-9));
        assert!(close(e.reaction[0], weight, 1e-9) && e.reaction[1].abs() < 1e-9);
        // it may lie anywhere, and slides off as soon as it turns
        assert!(e.along.is_some());
        assert_eq!(e.verdict.stability, Stability::Degenerate(Reason::Rolling));
    }
}

/// A disc that rolls along a line on a spring: one leaf of an integrable constraint, by hand.
#[test]
fn a_rolling_disc_on_a_spring_oscillates_on_its_leaf() {
    let text = "
coordinates: [x, th]
parameters: {m: 2, I: 0.3, r: 0.5, k: 7}
lagrangian: 1/2*m*x'^2 + 1/2*I*th'^2 - 1/2*k*x^2
velocity_constraints: {roll: x' - r*th'}
start: {x: 0.2, th: 0}
";
    let found = found(text);
    assert_eq!(found.list.len(), 1, "{found:?}");
    let e = &found.list[0];
    assert!(e.x[0].abs() < 1e-9 && e.multipliers[0].abs() < 1e-9);
    // each leaf has its own
    assert!(e.along.is_some() && !e.stands_alone());
    assert!(e.verdict.stability.is_stable());
    let wanted = (7.0_f64 * 0.25 / (2.0 * 0.25 + 0.3)).sqrt();
    assert_eq!(frequencies(e).len(), 1);
    assert!(close(frequencies(e)[0], wanted, 1e-9));
}

/// A sleigh on a spring that pulls its blade back: non-holonomic, with energy a strict minimum.
#[test]
fn a_sleigh_in_a_bowl_is_stable_at_the_bottom() {
    let text = "
coordinates: [x, y, th]
lagrangian: x'^2 + y'^2 + th'^2 - x^2 - 2*y^2 - 3*th^2
velocity_constraints: {blade: x'*sin(th) - y'*cos(th)}
start: {x: 0.1, y: 0.1, th: 0.1}
";
    let found = within(text, -0.5, 0.5);
    let bottom = found
        .list
        .iter()
        .find(|e| e.x.iter().all(|v| v.abs() < 1e-6));
    if let Some(e) = bottom {
        assert!(e.verdict.stability.is_stable());
    }
    // elsewhere the blade holds: S = mu a, with S = (2x, 4y, 6th)
    assert!(!found.list.is_empty());
    for e in &found.list {
        let (x, y, th) = (e.x[0], e.x[1], e.x[2]);
        let mu = e.multipliers[0];
        assert!(close(2.0 * x, mu * th.sin(), 1e-7) && close(4.0 * y, -mu * th.cos(), 1e-7));
        assert!(th.abs() < 1e-7 && e.along.is_some());
    }
}

/// The lowest and the highest equilibrium of a chain of 50 links, and some with a single link standing up.
#[test]
fn a_chain_of_fifty_links_hangs() {
    let links = 50;
    let mut text = String::from("coordinates: [");
    for i in 1..=links {
        let _ = write!(text, "x{i}, y{i}, ");
    }
    text.push_str("]\nbodies:\n");
    for i in 1..=links {
        let _ = writeln!(text, "  b{i}: {{mass: 1, at: [x{i}, y{i}]}}");
    }
    text.push_str("gravity: [0, -10]\nconstraints:\n  r1: {f: x1^2 + y1^2, c: 1}\n");
    for i in 2..=links {
        let k = i - 1;
        let _ = writeln!(
            text,
            "  r{i}: {{f: (x{i} - x{k})^2 + (y{i} - y{k})^2, c: 1}}"
        );
    }
    text.push_str("start: {");
    for i in 1..=links {
        let _ = write!(text, "x{i}: {i}, y{i}: 0, ");
    }
    text.push_str("}\n");
    let found = found(&text);
    assert!(!found.complete());
    let depth: f64 = (1..=links).map(f64::from).sum::<f64>() * 10.0;
    let lowest = found
        .list
        .iter()
        .find(|e| close(e.verdict.potential, -depth, 1e-9));
    let lowest = lowest.expect("the chain hangs");
    assert!(lowest.verdict.stability.is_stable());
    assert_eq!(lowest.verdict.signature(), [50, 0, 0]);
    // the first link carries all: lambda = -weight/2
    assert!(close(lowest.multipliers[0], -250.0, 1e-8));
    let highest = found
        .list
        .iter()
        .find(|e| close(e.verdict.potential, depth, 1e-9));
    assert_eq!(highest.map(|e| e.verdict.signature()), Some([0, 0, 50]));
    let single = found
        .list
        .iter()
        .filter(|e| e.verdict.signature() == [49, 0, 1]);
    assert!(single.count() >= 5, "{}", found.list.len());
}

/// A bead on a hoop of radius R that turns about its upright diameter at the rate w, in the angle from the
/// bottom and the angle of the hoop.
fn turned_hoop(w: f64) -> Equilibria {
    let text = format!(
        "coordinates: [th, ph]\nparameters: {{m: 0.7, R: 1.3, g: 9.81, w: {w}}}\n\
         lagrangian: 1/2*m*R^2*(th'^2 + sin(th)^2*ph'^2) + m*g*R*cos(th)\n\
         constraints: {{turned: ph - w*t}}\nstart: {{th: 0.5, ph: 0}}\n"
    );
    Model::new(System::parse(&text, "hoop", &[]).unwrap()).equilibria(&Where::default())
}

#[test]
fn the_bead_on_a_turned_hoop_has_its_two_regimes() {
    let (r, g) = (1.3, 9.81);
    let at = |found: &Equilibria, th: f64| {
        let near = |e: &&Equilibrium| (e.x[0] - th).abs() < 1e-8;
        found.relative.iter().find(near).cloned().unwrap()
    };
    // slow: the bottom is stable, w_0^2 = g/R - w^2
    let slow = turned_hoop(2.0);
    assert_eq!(slow.relative.len(), 2);
    let bottom = at(&slow, 0.0);
    assert!(bottom.verdict.stability.is_stable());
    assert!((bottom.verdict.modes[0].frequency - (g / r - 4.0_f64).sqrt()).abs() < 1e-9);
    assert_eq!(bottom.at_rest, Some(vec![0]));
    // fast: the bottom is not, cos(th) = g/(R w^2) is, w_0^2 = w^2 sin(th)^2
    let fast = turned_hoop(5.0);
    assert!(at(&fast, 0.0).verdict.stability.is_unstable());
    let tilt = (g / (r * 25.0)).acos();
    for sign in [1.0, -1.0] {
        let side = at(&fast, sign * tilt);
        assert!(side.verdict.stability.is_stable());
        let frequency = side.verdict.modes[0].frequency;
        assert!((frequency - 5.0 * tilt.sin()).abs() < 1e-9, "{frequency}");
    }
    let top = |e: &Equilibrium| (e.x[0].abs() - std::f64::consts::PI).abs() < 1e-8;
    for found in [&slow, &fast] {
        let top = found.relative.iter().find(|e| top(e)).unwrap();
        assert!(top.verdict.stability.is_unstable());
    }
    assert_eq!(fast.relative.len(), 4);
    // of the static ones nothing is claimed
    assert!(fast.list.iter().all(|e| e.verdict.frozen));
}

#[test]
fn relative_equilibria_of_the_library_stay_in_the_motion() {
    // on the hoop of the library the place is where z = -g/w^2, on both sides; on the rod the centre
    let model =
        Model::new(System::parse(find("rotating_hoop").unwrap().text, "hoop", &[]).unwrap());
    let found = model.equilibria(&Where::default());
    let z = -9.81 / 36.0;
    let rest: Vec<_> = found
        .relative
        .iter()
        .filter(|e| (e.x[2] - z).abs() < 1e-8)
        .collect();
    assert!(!rest.is_empty());
    for e in rest {
        assert!(e.verdict.stability.is_stable());
        let frequency = 6.0 * (1.0 - z * z).sqrt();
        assert!((e.verdict.modes[0].frequency - frequency).abs() < 1e-8);
        // by hand: 2 lambda R^2 = m (g z - |v|^2), and no force across the hoop
        let speed = 36.0 * (1.0 - z * z);
        assert!((2.0 * e.multipliers[0] - (9.81 * z - speed)).abs() < 1e-8);
        assert!(e.multipliers[1].abs() < 1e-8);
    }
    let model = Model::new(System::parse(find("rotating_rod").unwrap().text, "rod", &[]).unwrap());
    let found = model.equilibria(&Where::default());
    let centre = found.relative.iter().find(|e| e.x[2].abs() < 1e-9).unwrap();
    assert!(centre.verdict.stability.is_unstable());
    // it is static as well: the centre of the rod does not move
    let still = found.list.iter().find(|e| !e.verdict.frozen);
    if let Some(still) = still {
        assert!(still.verdict.stability.is_unstable());
    }
}

#[test]
fn bottom_and_top_of_a_turned_hoop_are_relative_equilibria_in_every_coordinates() {
    // where the hoop is upright no coordinate but the angle is a chart: w_0^2 = g/R - w^2, by hand
    let text = find("rotating_hoop").unwrap().text;
    for (w, count, growth) in [("2", 2, false), ("6", 4, true)] {
        let set = [("w".to_owned(), w.to_owned())];
        let model = Model::new(System::parse(text, "hoop", &set).unwrap());
        let found = model.equilibria(&Where::default());
        assert!(found.frame.as_ref().is_some_and(|frame| frame.complete));
        assert_eq!(found.relative.len(), count);
        let bottom = found.relative.iter().find(|e| e.x[2] < -0.999).unwrap();
        let top = found.relative.iter().find(|e| e.x[2] > 0.999).unwrap();
        assert!(top.verdict.stability.is_unstable());
        assert_eq!(bottom.verdict.stability.is_unstable(), growth);
        if !growth {
            let frequency = bottom.verdict.modes[0].frequency;
            assert!((frequency - (9.81_f64 - 4.0).sqrt()).abs() < 1e-9);
        }
    }
}

#[test]
fn what_turns_at_a_changing_rate_has_no_relative_equilibrium() {
    let text = "coordinates: [th, ph]\nlagrangian: 1/2*(th'^2 + sin(th)^2*ph'^2) + 9.81*cos(th)\n\
                constraints: {turned: ph - t^2}\nstart: {t: 1, th: 0.5, ph: 1}\n";
    let model = Model::new(System::parse(text, "hoop", &[]).unwrap());
    assert!(model.equilibria(&Where::default()).relative.is_empty());
}

#[test]
fn gyroscopic_terms_of_the_reduced_lagrangian_are_told() {
    // a particle in a saddle that turns at the rate w (the frame x = X cos wt - Y sin wt): with the potential
    // 1/2 k (X^2 - Y^2) it is a saddle of the amended one for w^2 < k, exponents real: unstable. For w^2 > k both
    // directions go down and gyroscopic terms alone can hold it
    for (w, unstable) in [(0.5, true), (2.0, false)] {
        let text = format!(
            "coordinates: [x, y, X, Y]\nparameters: {{k: 1, w: {w}}}\n\
             lagrangian: 1/2*(x'^2 + y'^2) - 1/2*k*(X^2 - Y^2)\n\
             constraints: {{a: x - X*cos(w*t) + Y*sin(w*t), b: y - X*sin(w*t) - Y*cos(w*t)}}\n\
             dependent: [x, y]\nstart: {{X: 0.1, Y: 0.1}}\n"
        );
        let model = Model::new(System::parse(&text, "saddle", &[]).unwrap());
        let found = model.equilibria(&Where::default());
        let e = found
            .relative
            .iter()
            .find(|e| e.x.iter().all(|v| v.abs() < 1e-9))
            .unwrap();
        if unstable {
            assert!(e.verdict.stability.is_unstable());
        } else {
            // s^4 + 2 w^2 s^2 + (w^4 - k^2) = 0: all imaginary for w^2 > k
            assert_eq!(
                e.verdict.stability,
                Stability::Degenerate(Reason::Gyroscopic)
            );
            let omega: Vec<f64> = e.verdict.modes.iter().map(|m| m.frequency).collect();
            for (o, by_hand) in omega
                .iter()
                .zip([(4.0_f64 - 1.0).sqrt(), (4.0_f64 + 1.0).sqrt()])
            {
                assert!((o - by_hand).abs() < 1e-8, "{omega:?}");
            }
        }
    }
}

/// At the apex of a cone the gradient has no value: that is no equilibrium, and it is not passed over either.
#[test]
fn an_apex_is_told_beside_what_is_counted() {
    let text = "coordinates: [x, y, z]
parameters: {m: 1, g: 9.81, k: 1}
kinetic: m*(x'^2 + y'^2 + z'^2)/2
potential: m*g*z
constraints: {cone: 'z = sqrt(x^2 + y^2)/k'}
dependent: [z]
start: {x: 1, y: 0.5}
";
    let model = Model::new(System::parse(text, "test", &[]).unwrap());
    let found = model.equilibria(&Where::default());
    assert!(found.list.is_empty());
    assert_eq!(found.undefined, [[0.0, 0.0, 0.0]]);
}

/// A push that changes: 0 is where the forces balance at t = 0, and nothing stays there.
#[test]
fn places_at_rest_under_what_moves_on_are_told_for_their_moment() {
    let held = |text: &str| found(text).notes.contains(&Note::Held);
    let spring = "coordinates: [x]\nkinetic: x'^2/2\npotential: x^2/2";
    assert!(held(&format!("{spring} - sin(t)*x\n")));
    assert!(held(&format!("{spring}\nforces: {{x: t*x}}\n")));
    let wire =
        "coordinates: [x, y]\nkinetic: (x'^2 + y'^2)/2\npotential: y\nconstraints: {wire: y = ";
    assert!(held(&format!("{wire}x^2*(1 + t)}}\nstart: {{x: 0.5}}\n")));
    assert!(!held(&format!("{wire}x^2}}\nstart: {{x: 0.5}}\n")));
    // the mass changes, the place does not
    assert!(!held(
        "coordinates: [x]\nkinetic: (2 + sin(t))*x'^2/2\npotential: x^2/2\n"
    ));
}

#[test]
fn families_that_cross_where_a_symmetry_rests_are_each_given() {
    // (y, x) leaves x^2 - y^2 as it is: it moves each line along itself, slower and slower towards where they cross
    for potential in [
        "(x^2-y^2)^2",
        "(x^2-4*y^2)^2",
        "(x-y)^2*(x+y)^2",
        "((x-0.3)^2-(y-0.1)^2)^2",
    ] {
        let text = format!("coordinates: [x, y]\nlagrangian: 1/2*x'^2 + 1/2*y'^2 - {potential}\n");
        let lines = within(&text, -3.0, 3.0);
        assert!(lines.complete(), "{potential}");
        assert_eq!(lines.list.len(), 2, "{potential}");
        let mut along = lines.list.iter().filter_map(|e| e.along.as_ref());
        assert!(along.all(|along| along.dimension() == Some(1)));
    }
    let planes = "coordinates: [x, y, z]\nlagrangian: 1/2*(x'^2 + y'^2 + z'^2) - x^2*y^2*z^2\n";
    let planes = within(planes, -3.0, 3.0);
    assert_eq!(planes.list.len(), 3);
    let mut along = planes.list.iter().filter_map(|e| e.along.as_ref());
    assert!(along.all(|along| along.dimension() == Some(2)));
}

#[test]
fn what_is_certified_lies_in_its_enclosure() {
    let text = "coordinates: [x, y, z]\n\
         lagrangian: x'^2/2+y'^2/2+z'^2/2 - (x^2/4 + y^2/4 + z^2/4 - 3*sqrt(x^2 + 1)/10 + 3*atan(y*z)/2)\n\
         constraints: {f0: z/2 + 7*sqrt(y^2 + 1)/10 + 3*sqrt(y^2 + (x - 1)^2 + 1/10)/5 + 2*cos(2*x)/5 - 13/10}\n";
    let all = within(text, -2.0, 2.0);
    assert_eq!(all.list.len(), 6);
    for e in &all.list {
        let proof = e.proof.as_ref().expect("a certified equilibrium");
        let inside = |(x, side): (&f64, &holonom::expr::Interval)| side.contains(*x);
        assert!(e.x.iter().zip(proof.x()).all(inside), "{e:?}");
    }
}

#[test]
fn what_rests_in_a_moving_frame_is_found_with_forces_that_go_along() {
    let hoop = |forces: &str| {
        format!(
            "coordinates: [x, y, z]\nparameters: {{w: 5, c: 0.4, g: 9.81}}\nlagrangian: 1/2*(x'^2+y'^2+z'^2) - g*z\n\
             constraints: {{sphere: x^2+y^2+z^2 = 1, plane: y*cos(w*t) = x*sin(w*t)}}\nforces: {forces}\n"
        )
    };
    // drag by the air goes along; at rest in the frame it turns against the plane: w c r = lambda r
    let all = found(&hoop("{x: -c*x', y: -c*y', z: -c*z'}"));
    assert_eq!(all.relative.len(), 4);
    let side = all.relative.iter().find(|e| e.x[0] > 0.5).unwrap();
    let height: f64 = -9.81 / 25.0;
    let radius = (1.0 - height * height).sqrt();
    assert!(close(side.x[0], radius, 1e-9) && close(side.x[2], height, 1e-9));
    assert!(close(side.multipliers[1], 5.0 * 0.4 * radius, 1e-9));
    assert!(side.verdict.stability.is_stable());
    // one along a direction that stays does not
    assert!(found(&hoop("{x: -c*x'}")).relative.is_empty());
}

#[test]
fn time_that_goes_with_a_parameter_that_is_zero_is_none() {
    let hoisted = |speed: &str| {
        format!(
            "coordinates: [x, y]\nparameters: {{v: {speed}, l: 1}}\nlagrangian: 1/2*(x'^2+y'^2) - 9.81*y\n\
             constraints: {{rod: x^2 + y^2 = (l - v*t)^2}}\nstart: {{x: 0.1, x': 0}}\nguess: {{y: -1}}\n"
        )
    };
    let all = found(&hoisted("0"));
    let names: Vec<_> = all
        .list
        .iter()
        .map(|e| e.verdict.stability.name())
        .collect();
    assert_eq!(names, ["stable", "unstable"]);
    assert!(close(frequencies(&all.list[0])[0], 9.81_f64.sqrt(), 1e-12));
    let moving = found(&hoisted("0.1"));
    assert!(moving.list.iter().all(|e| !e.verdict.stability.is_stable()));
}

#[test]
fn an_equation_with_a_kink_is_solved_on_each_side_of_it() {
    // between kinks its slope is constant: what it has at zero is not what it has beyond a kink
    let one = |potential: &str, lo: f64, hi: f64| {
        let text = format!("coordinates: [y]\nkinetic: y'^2/2\npotential: {potential}\n");
        let found = within(&text, lo, hi);
        let places: Vec<f64> = found.list.iter().map(|e| e.x[0]).collect();
        (places, found.complete())
    };
    for size in ["abs(y - 1)", "sqrt((y - 1)^2)"] {
        let potential = format!("y^2/2 - 3*{size}");
        assert_eq!(one(&potential, 1.05, 6.0), (vec![3.0], true));
        assert_eq!(one(&potential, -6.0, 0.95), (vec![-3.0], true));
        assert_eq!(one(&potential, -6.0, 6.0), (vec![-3.0, 3.0], false));
    }
    let both = "coordinates: [x, y]\nkinetic: (x'^2 + y'^2)/2\npotential: y^2/2 + abs(x*y) + x^2 - 3*x - 2*y\n";
    let found = within(both, 0.1, 9.0);
    assert!(found.complete() && found.list.len() == 1);
    assert!(close(found.list[0].x[0], 1.0, 1e-12) && close(found.list[0].x[1], 1.0, 1e-12));
    let text = "coordinates: [x, y]\nobjective: (y - 4)^2 + abs(y - 1) + x^2\nconstraints: {c: x + y = 5}\n";
    let found = within(text, 1.1, 9.0);
    assert!(found.complete() && found.list.is_empty());
    let wanted = Where {
        region: vec![(0, (-9.0, 9.0)), (1, (1.1, 9.0))],
        ..Where::default()
    };
    let found = model_with(text, &[]).equilibria(&wanted);
    assert!(found.complete() && found.list.len() == 1);
    assert!(close(found.list[0].x[1], 4.25, 1e-12));
}

#[test]
fn what_rests_at_a_kink_on_a_side_of_a_box_is_not_proven_away() {
    // V rises to both sides of x = 0, a force turns there, and the largest of two lines is least
    let potentials = [
        "coordinates: [x]\nkinetic: x'^2/2\npotential: 2*abs(x) + x\n",
        "coordinates: [x]\nkinetic: x'^2/2\nforces: {x: 1/2 - 2*sign(x)}\n",
        "coordinates: [x]\nobjective: 2*abs(x) + x\n",
    ];
    for text in potentials {
        for (lo, hi) in [(0.0, 3.0), (-3.0, 0.0), (-3.0, 3.0)] {
            let found = within(text, lo, hi);
            assert!(!found.complete(), "{text} {lo} {hi}: {found:?}");
        }
        for (lo, hi) in [(0.01, 3.0), (-3.0, -0.01)] {
            let found = within(text, lo, hi);
            assert!(
                found.complete() && found.list.is_empty(),
                "{text} {lo} {hi}"
            );
        }
    }
}

/// Three roots closer together than numbers are, each an equilibrium of its own.
#[test]
fn roots_that_no_number_tells_apart_are_not_one() {
    let potential = |text: &str| {
        format!("coordinates: [x]\nkinetic: x'^2/2\nparameters: {{e: 1e-16}}\npotential: {text}\n")
    };
    let held = "coordinates: [x, y]\nkinetic: (x'^2 + y'^2)/2\nparameters: {e: 1e-16}\npotential: y\n\
        constraints: {a: y = (x - 1)^2*(x - 1 - e)^2}\n";
    for (text, number) in [
        (held.to_owned(), 3),
        (potential("(x - 1)*((x - 1)^2 - 3*e^2)"), 2),
        (potential("(x - 1)^2*(x - 1 - e)^2/e^2"), 3),
        (potential("(x - 1)^4"), 1),
    ] {
        let all = found(&text);
        let places: Vec<&[f64]> = all.list.iter().map(|e| e.x.as_slice()).collect();
        assert!(
            all.list.len() == number || !all.complete(),
            "{text}: {places:?}"
        );
        // these are known exactly, and so told apart
        assert!(
            all.complete() && all.list.len() == number,
            "{text}: {places:?}"
        );
    }
}

#[test]
fn rounding_of_a_force_is_no_force_at_a_singular_place() {
    // at (pi, pi) the gradient is zero, and so is sin(b)
    let text = "coordinates: [a, b]\nkinetic: (a'^2 + b'^2)/2\npotential: -cos(b)\n\
        constraints: {s: cos(b) - cos(a) = 0}\n";
    let all = found(text);
    for e in &all.list {
        let near = |x: &Vec<f64>| x.iter().zip(&e.x).all(|(a, b)| (a - b).abs() < 1e-3);
        assert!(!all.singular.iter().any(near), "{:?}", e.x);
    }
    assert!(!all.list.is_empty());
}

#[test]
fn solutions_without_end_end_within_the_budget() {
    let text = "coordinates: [x]\nkinetic: x'^2/2\npotential: x^2*sin(1/x)\n";
    let model = model_with(text, &[]);
    let all = calculating(60_000_000, || model.equilibria(&Where::default()));
    assert!(!all.complete());
}

#[test]
fn a_force_that_drives_what_leaves_contact_keeps_it_from_being_stable() {
    let contact = |potential: &str, forces: &str| {
        format!(
            "coordinates: [x, y]\nkinetic: (x'^2 + y'^2)/2\npotential: {potential}\n\
             constraints: {{floor: {{f: x, c: 0, side: '>='}}}}\nforces: {{{forces}}}\n"
        )
    };
    for (potential, forces, stable) in [
        ("x + y^2", "x: 3*x'", false),
        ("x + y^2", "x: 3*x', y: -y'", false),
        ("x + y^2", "x: -x', y: -y'", true),
        ("x + y^2", "y: -y'", true),
    ] {
        let all = found(&contact(potential, forces));
        let own = all.list[0].verdict.stability;
        assert_eq!(own.is_stable(), stable, "{potential}, {forces}: {own:?}");
    }
    let line = "coordinates: [x]\nkinetic: x'^2/2\npotential: x\n\
        constraints: {floor: {f: x, c: 0, side: '>='}}\nforces: {x: 3*x'}\n";
    assert!(!found(line).list[0].verdict.stability.is_stable());
}

/// A box in which a solution is only just shown to be alone narrows slowly at first: the middle of that box is not it.
#[test]
fn what_is_proven_to_be_alone_in_a_wide_box_is_told_to_all_digits() {
    for (text, box_of, place, frequency) in [
        (
            "coordinates: [v, u, x]\nkinetic: 1/2*(v'^2+u'^2+x'^2)\npotential: 3.5*v^2+2*x^2+2*u^2+v\n\
             constraints: {c0: \"-0.276*(u*exp(1)/3+v)*cos(v)+0.36\"}\n",
            [(-2.0, 2.0), (-2.0, 2.0), (-0.2, 0.2)],
            [0.294_039_331_220, 1.179_568_857_737, 0.0],
            3.467_871_8,
        ),
        (
            "coordinates: [x, y, z]\nparameters: {m: 0.5, g: 9.81, k: 3.5}\nkinetic: 1/2*m*(x'^2+y'^2+z'^2)\n\
             potential: m*g*z+k/2*(x^2+y^2)\nconstraints:\n  \
             c0: z+1*(x*cos(1)+y*sin(1))*(y*cos(1)-x*sin(1))-2*(x*cos(1)+y*sin(1))\n  \
             c1: (y*cos(1)-x*sin(1))-0.5*(x*cos(1)+y*sin(1))^2\n",
            [(-2.5, 2.5), (-2.5, 2.5), (-3.0, 3.0)],
            [-0.791_260_277_770, -0.528_401_083_618, -1.412_604_838_570],
            4.033_74,
        ),
    ] {
        let at = Where {
            region: box_of.into_iter().enumerate().collect(),
            ..Where::default()
        };
        let all = model_with(text, &[]).equilibria(&at);
        let [only] = &all.list[..] else {
            panic!("{all:?}");
        };
        assert!(only.certified(), "{text}");
        for (x, wanted) in only.x.iter().zip(place) {
            assert!(close(*x, wanted, 1e-10), "{:?}", only.x);
        }
        let narrow = only.proof.as_ref().unwrap().x();
        assert!(narrow.iter().all(|side| side.width() < 1e-11), "{narrow:?}");
        let last = frequencies(only).last().copied().unwrap();
        assert!(close(last, frequency, 1e-5), "{last}");
    }
}
