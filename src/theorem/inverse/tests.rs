//! The inverse functions of constraints of every kind, against f itself.

use super::{Branch, Inverse, invert, is_linear, scattered, value_at};
use crate::expr::{Expr, Style, SymbolKind};
use crate::report::condition_text;
use crate::system::System;
use nalgebra::{DMatrix, DVector};
use proptest::prelude::*;
use std::fmt::Write as _;

fn system(coordinates: &str, constraints: &[&str]) -> System {
    let kinetic: Vec<String> = coordinates.split(' ').map(|c| format!("{c}'^2")).collect();
    let mut text = format!(
        "coordinates: [{}]\nparameters: {{a: 2, b: 3, w: 1.3, l: 1.5}}\nlagrangian: 1/2*({})\nconstraints:\n",
        coordinates.replace(' ', ", "),
        kinetic.join(" + ")
    );
    for (i, c) in constraints.iter().enumerate() {
        let _ = writeln!(text, "  c{i}: {c}");
    }
    System::parse(&text, "test.yaml", &[]).unwrap_or_else(|e| panic!("{text}{e:?}"))
}

fn shown(system: &System, dependent: &[usize], branches: &[Branch]) -> String {
    let pool = &system.pool;
    let mut text = String::new();
    for b in branches {
        for (&k, &g) in dependent.iter().zip(&b.functions) {
            let _ = write!(text, "{} = {}", system.coordinates[k].name, pool.print(g));
            if let Some(p) = b.period(k) {
                let _ = write!(text, " mod {}", pool.print(p));
            }
            text.push_str("; ");
        }
        let conditions = condition_text(system, &b.conditions, Style::Plain);
        let _ = writeln!(text, "where {conditions}");
    }
    text
}

/// A point with the values of the constraints there.
struct Place {
    t: f64,
    x: Vec<f64>,
    levels: Vec<f64>,
}

impl Place {
    fn new(system: &System, t: f64, x: Vec<f64>) -> Option<Self> {
        let mut place = Self {
            t,
            x,
            levels: Vec::new(),
        };
        let values = system.constraints.iter().map(|c| place.value(system, c.f));
        let levels: Vec<f64> = values.collect();
        place.levels = levels;
        place.levels.iter().all(|y| y.is_finite()).then_some(place)
    }

    fn value(&self, system: &System, e: Expr) -> f64 {
        value_at(system, e, &|kind| match kind {
            SymbolKind::Coordinate { index, order: 0 } => self.x[index],
            SymbolKind::Time => self.t,
            SymbolKind::Level(b) => self.levels[b],
            _ => f64::NAN,
        })
    }

    /// J_D by finite differences: the inverse is judged without the symbolic derivatives.
    fn block(&self, system: &System, dependent: &[usize]) -> DMatrix<f64> {
        let m = dependent.len();
        let mut block = DMatrix::zeros(m, m);
        for (column, &k) in dependent.iter().enumerate() {
            let step = 1e-6 * self.x[k].abs().max(1.0);
            let moved = |by: f64| {
                let mut x = self.x.clone();
                x[k] += by;
                let place = Self {
                    t: self.t,
                    x,
                    levels: Vec::new(),
                };
                let list = system.constraints.iter();
                list.map(|c| place.value(system, c.f)).collect::<Vec<_>>()
            };
            let (up, down) = (moved(step), moved(-step));
            for (row, here) in moved(0.0).iter().enumerate() {
                let (right, left) = (up[row] - here, here - down[row]);
                // NaN where it is not C^1
                let same = (right - left).abs() <= 1e-3 * step * (1.0 + right.abs() / step);
                block[(row, column)] = if same {
                    (right + left) / (2.0 * step)
                } else {
                    f64::NAN
                };
            }
        }
        block
    }

    /// How far from singular: 0 where det J_D is.
    fn share(&self, system: &System, dependent: &[usize]) -> f64 {
        let block = self.block(system, dependent);
        let lengths: f64 = block.row_iter().map(|r| r.norm().max(0.1)).product();
        let share = block.determinant().abs() / lengths;
        if share.is_finite() { share } else { 0.0 }
    }
}

/// One branch claims the point and gives it back.
fn judge(
    system: &System,
    dependent: &[usize],
    branches: &[Branch],
    place: &Place,
) -> Result<(), String> {
    let claims = |b: &&Branch| {
        b.conditions
            .iter()
            .all(|c| c.admits(place.value(system, c.expression)))
    };
    let claimed: Vec<&Branch> = branches.iter().filter(claims).collect();
    let [branch] = claimed.as_slice() else {
        return Err(format!("{} branches claim {:?}", claimed.len(), place.x));
    };
    for (&k, &g) in dependent.iter().zip(&branch.functions) {
        let back = place.value(system, g);
        let mut off = back - place.x[k];
        if let Some(period) = branch.period(k) {
            let period = place.value(system, period);
            off -= period * (off / period).round();
        }
        let size = place.x.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
        if off.is_nan() || off.abs() > 1e-6 * size * size {
            return Err(format!("{back} for {:?}", place.x));
        }
    }
    Ok(())
}

/// The number of points judged off the singular set; random ones, whole numbers, and both sides of
/// every condition.
fn judged(system: &System, dependent: &[usize], branches: &[Branch]) -> Result<usize, String> {
    let n = system.coordinates.len();
    let mut count = 0;
    let mut one = |t: f64, x: Vec<f64>, least: f64| -> Result<(), String> {
        let Some(place) = Place::new(system, t, x) else {
            return Ok(());
        };
        // far out the formulas lose their digits by cancellation
        if place.levels.iter().any(|y| y.abs() > 15.0) || place.share(system, dependent) < least {
            return Ok(());
        }
        count += 1;
        judge(system, dependent, branches, &place)
    };
    let random = |index: u64| -> Vec<f64> {
        let wide = [1.7, 0.6, 4.0][(index % 3) as usize];
        (0..n)
            .map(|k| {
                let part = scattered(index + 500, k + 3);
                wide * if index % 4 == 1 {
                    part
                } else {
                    2.0 * part - 1.0
                }
            })
            .collect()
    };
    for index in 0..120 {
        let x = random(index);
        one(0.3 * (index % 7) as f64, x.clone(), 1e-2)?;
        one(1.0, x.iter().map(|v| v.round()).collect(), 1e-2)?;
        let mut x = x;
        x[(index % n as u64) as usize] = 0.0;
        one(0.0, x, 1e-2)?;
    }
    for condition in branches.iter().flat_map(|b| &b.conditions) {
        for index in 0..20 {
            let (a, b) = (random(index), random(index + 31));
            let along =
                |s: f64| -> Vec<f64> { a.iter().zip(&b).map(|(p, q)| p + s * (q - p)).collect() };
            let value = |s: f64| {
                Place::new(system, 0.4, along(s))
                    .map_or(f64::NAN, |p| p.value(system, condition.expression))
            };
            let (mut lo, mut hi) = (0.0, 1.0);
            if value(lo) * value(hi) >= 0.0 || (value(lo) * value(hi)).is_nan() {
                continue;
            }
            for _ in 0..50 {
                let middle = 0.5 * (lo + hi);
                if value(lo) * value(middle) > 0.0 {
                    lo = middle;
                } else {
                    hi = middle;
                }
            }
            for s in [lo - 2e-4, hi + 2e-4] {
                one(0.4, along(s), 1e-6)?;
            }
        }
    }
    Ok(count)
}

/// Newton's method from near a point gives the same as the branch that claims it.
fn newton_agrees(system: &System, dependent: &[usize], branches: &[Branch]) -> usize {
    let n = system.coordinates.len();
    let mut agreed = 0;
    for index in 0..40 {
        let x: Vec<f64> = (0..n).map(|k| 3.0 * scattered(index, k) - 1.5).collect();
        let Some(place) = Place::new(system, 0.7, x) else {
            continue;
        };
        if place.share(system, dependent) < 0.1 {
            continue;
        }
        let mut guess = place.x.clone();
        for (i, &k) in dependent.iter().enumerate() {
            guess[k] += 1e-3 * (0.5 + i as f64);
        }
        let mut converged = false;
        for _ in 0..30 {
            let Some(here) = Place::new(system, 0.7, guess.clone()) else {
                break;
            };
            let miss: Vec<f64> = here
                .levels
                .iter()
                .zip(&place.levels)
                .map(|(p, q)| p - q)
                .collect();
            let Some(step) = here
                .block(system, dependent)
                .lu()
                .solve(&DVector::from_vec(miss))
            else {
                break;
            };
            for (i, &k) in dependent.iter().enumerate() {
                guess[k] -= step[i];
            }
            converged = step.norm() < 1e-11;
            if converged {
                break;
            }
        }
        if !converged {
            continue;
        }
        let found = Place {
            t: 0.7,
            x: guess,
            levels: place.levels.clone(),
        };
        if let Err(why) = judge(system, dependent, branches, &found) {
            panic!(
                "Newton's method differs: {why}\n{}",
                shown(system, dependent, branches)
            );
        }
        agreed += 1;
    }
    agreed
}

/// Coordinates, constraints, dependent coordinates, and how many branches there are.
#[rustfmt::skip]
const CASES: &[(&str, &[&str], &[usize], usize)] = &[
    // spherical coordinates
    ("x y z r p q", &["x - r*sin(p)*cos(q)", "y - r*sin(p)*sin(q)", "z - r*cos(p)"], &[3, 4, 5], 4),
    // linear, jointly and block after block
    ("x y", &["a*x + y"], &[0], 1),
    ("x y z", &["x*cos(t) - y*sin(t) - z", "x*sin(t) + y*cos(t)"], &[0, 1], 1),
    ("x y z s", &["z*x + s*y", "x - y"], &[0, 1], 1),
    ("x y z", &["x + y^2", "z*x - y"], &[0, 2], 1),
    // polynomials
    ("x y", &["y - x^2"], &[0], 2),
    ("x y", &["y - x^3"], &[0], 1),
    ("x y", &["y - (x - 1)^3"], &[0], 1),
    ("x y", &["y - x^3 + 3*x^2 - 3*x"], &[0], 1),
    ("x y", &["y - x^4 - 3*x^2"], &[0], 2),
    ("x y", &["y - x^4 + 3*x^2"], &[0], 4),
    ("x y", &["y*x^2 + x - 1"], &[0], 2),
    ("x y z", &["y*x^2 + z*x - 1"], &[0], 3), // linear where y = 0
    ("x y", &["x^2 - 2*y*x"], &[0], 2),
    ("x y z", &["x^2 + y^2 + z^2", "x + y + z"], &[0, 1], 2),
    ("x y z", &["x*y*z", "x + y"], &[0, 1], 2),
    // products, powers, quotients
    ("x y", &["x^2*y"], &[0], 2),
    ("x y z s", &["x^2*y - z", "x*y^3 - s"], &[0, 1], 1),
    ("x y", &["1/x + y"], &[0], 1),
    ("x y", &["x/(1 + x^2) - y"], &[0], 2),
    ("x y", &["a^x - y"], &[0], 1),
    // invertible functions
    ("x y", &["sin(x) - y"], &[0], 2),
    ("x y", &["y - cos(2*x + y)"], &[0], 2),
    ("x y", &["tan(x/2) - y"], &[0], 1),
    ("x y", &["exp(x) + y"], &[0], 1),
    ("x y", &["exp(2*x) - exp(x) + y"], &[0], 2),
    ("x y", &["exp(x) - exp(-x) - y*exp(x)"], &[0], 2),
    ("x y", &["log(x) + y"], &[0], 1),
    ("x y", &["sinh(x) - y"], &[0], 1),
    ("x y", &["cosh(x - y)"], &[0], 2),
    ("x y", &["tanh(x) - y"], &[0], 1),
    ("x y", &["asin(x) - y"], &[0], 1),
    ("x y", &["acos(x) - y"], &[0], 1),
    ("x y", &["atan(x) - y"], &[0], 1),
    ("x y", &["exp(sin(x)) - y"], &[0], 2),
    ("x y", &["sin(x)^2 + sin(x) - y"], &[0], 4),
    ("x y", &["sin(x)^2 - y"], &[0], 2),
    ("x y", &["sin(x)*cos(x) - y"], &[0], 2),
    ("x y", &["cos(2*x) + sin(x) - y"], &[0], 4),
    ("x y z s", &["sin(x) + exp(y) - z", "sin(x) - exp(y) - s"], &[0, 1], 2),
    // radicals and folds
    ("x y", &["sqrt(x) - y"], &[0], 1),
    ("x y", &["sqrt(x) + x - y"], &[0], 1),
    ("x y", &["sqrt(x) - x - y"], &[0], 2),
    ("x y", &["sqrt(x^2 + y^2)"], &[0], 2),
    ("x y", &["sqrt(x^2 + 1) - x - y"], &[0], 1),
    ("x y", &["sqrt(2 + sqrt(1 + x)) - y"], &[0], 1),
    ("x y", &["x^(1/3) + y"], &[0], 1),
    ("x y", &["abs(x) - y"], &[0], 2),
    ("x y", &["x*abs(x) - y"], &[0], 2),
    ("x y", &["x*abs(x) + x - y"], &[0], 2),
    // angles
    ("x y", &["a*cos(x) + b*sin(x) - y"], &[0], 2),
    ("x y z", &["z*cos(x) + y*sin(x)"], &[0], 2),
    ("x y z", &["atan2(y, x) - z"], &[0], 1),
    ("x y r th", &["x - r*cos(th)", "y - r*sin(th)"], &[2, 3], 2),
    ("x y a1 a2", &["x - l*cos(a1) - a*cos(a2)", "y - l*sin(a1) - a*sin(a2)"], &[2, 3], 2),
    ("x y a1 a2", &["x - l*cos(a1) - a*cos(a1 + a2)", "y - l*sin(a1) - a*sin(a1 + a2)"], &[2, 3], 2),
    ("x th s", &["l*sin(th) - a*sin(s)", "x - l*cos(th) - a*cos(s)"], &[0, 2], 2),
    ("x th s", &["l*sin(th) - a*sin(s)", "x - l*cos(th) - a*cos(s)"], &[1, 2], 2),
    // a line and a conic, two circles
    ("x y p q", &["x^2 + y^2", "(p - x)^2 + (q - y)^2"], &[0, 1], 2),
    ("x y p q", &["sqrt(x^2 + y^2)", "sqrt((p - x)^2 + (q - y)^2)"], &[0, 1], 2),
    ("x y p q", &["x^2 + y^2", "p*x + q*y"], &[0, 1], 2),
    // with the time
    ("x y", &["x*t + y*sin(t)"], &[0], 1),
    ("x y", &["sin(x - w*t) - y"], &[0], 2),
];

#[test]
fn every_kind_has_its_branches_and_each_point_exactly_one() {
    let mut wrong = String::new();
    for (names, constraints, dependent, branches) in CASES {
        let system = system(names, constraints);
        let inverse = invert(&system, dependent);
        let list = inverse.branches();
        let text = shown(&system, dependent, list);
        if list.len() != *branches {
            let _ = writeln!(wrong, "{constraints:?}: {} branches\n{text}", list.len());
            continue;
        }
        match judged(&system, dependent, list) {
            Ok(count) if count >= 60 => {}
            Ok(count) => {
                let _ = writeln!(wrong, "{constraints:?}: {count} points only");
            }
            Err(why) => {
                let _ = writeln!(wrong, "{constraints:?}: {why}\n{text}");
            }
        }
        for b in list {
            for &g in &b.functions {
                let own: Vec<Expr> = dependent.iter().map(|&k| system.coordinates[k].x).collect();
                assert!(!system.pool.contains_any(g, &own), "{text}");
                assert!(!system.pool.print(g).contains('#'), "{text}");
            }
        }
        assert!(
            newton_agrees(&system, dependent, list) >= 3,
            "{constraints:?}"
        );
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn a_large_constant_beside_the_coordinates_takes_no_digits() {
    let system = system("x y", &["x^2 + y^2 - 6371000^2"]);
    let inverse = invert(&system, &[0]);
    let text = shown(&system, &[0], inverse.branches());
    let root = "sqrt(y_c0 - y^2 + 40589641000000)";
    assert_eq!(
        text,
        format!("x = {root}; where x > 0\nx = -{root}; where x < 0\n")
    );
}

#[test]
fn what_has_no_closed_form_here_is_left_to_numbers() {
    let cases: &[(&str, &[&str], &[usize])] = &[
        ("x y", &["x^5 - x - y"], &[0]),
        ("x y", &["x + sin(x) - y"], &[0]),
        ("x y", &["sin(x^2) - y"], &[0]), // what repeats does not repeat evenly
        ("x y", &["x*exp(x) - y"], &[0]),
        // x has no turn of its own
        ("x th y", &["x - l*th", "y - sin(th)"], &[0, 1]),
        // a step would divide by x, and the theorem holds where x = 0 and y is not
        ("x y z s", &["x^2 + y^2 - z", "x*y - s"], &[0, 1]),
        ("x y z", &["x + y", "2*x + 2*y"], &[0, 1]), // never invertible
    ];
    for (names, constraints, dependent) in cases {
        let system = system(names, constraints);
        let inverse = invert(&system, dependent);
        let text = shown(&system, dependent, inverse.branches());
        assert!(
            matches!(inverse, Inverse::Numeric(_)),
            "{constraints:?}\n{text}"
        );
    }
}

#[test]
fn conditions_and_periods_are_in_the_words_of_the_file() {
    let cases: &[(&str, &[&str], &[usize], &str)] = &[
        (
            "x th",
            &["x - sin(th)"],
            &[1],
            "th = asin(x - y_c0) mod 2*pi; where cos(th) > 0\n\
             th = pi - asin(x - y_c0) mod 2*pi; where cos(th) < 0\n",
        ),
        (
            "x y",
            &["y - x^3"],
            &[0],
            "x = abs(y - y_c0)^(1/3)*sign(y - y_c0); where everywhere\n",
        ),
        (
            "x y",
            &["y*x^2 + x"],
            &[0],
            "x = 2*y_c0/(1 + sqrt(4*y_c0*y + 1)); where 2*x*y > -1\n\
             x = -(1 + sqrt(4*y_c0*y + 1))/(2*y); where 2*x*y < -1\n",
        ),
        (
            "x y th",
            &["x*cos(th) + y*sin(th)"],
            &[0],
            "x = y_c0/cos(th) - y*tan(th); where cos(th) != 0\n",
        ),
    ];
    for (names, constraints, dependent, wanted) in cases {
        let system = system(names, constraints);
        let inverse = invert(&system, dependent);
        assert_eq!(shown(&system, dependent, inverse.branches()), *wanted);
    }
}

#[test]
fn linear_choices_are_known_as_such() {
    let system = system("x y z", &["x + z*y", "y*cos(z) - x"]);
    assert!(is_linear(&system, &[0, 1]));
    assert!(!is_linear(&system, &[0, 2]));
}

#[test]
fn many_branches_are_not_listed() {
    let constraints: Vec<String> = (0..6).map(|i| format!("x{i}^2 + y{i}^2")).collect();
    let constraints: Vec<&str> = constraints.iter().map(String::as_str).collect();
    let system = system("x0 y0 x1 y1 x2 y2 x3 y3 x4 y4 x5 y5", &constraints);
    let inverse = invert(&system, &[0, 2, 4, 6, 8, 10]);
    assert!(matches!(inverse, Inverse::Numeric(_)));
}

/// A function of one unknown built from layers that have an inverse: `L1(L2(... x))`.
fn layered() -> impl Strategy<Value = String> {
    let layer = prop::sample::select(
        &[
            "2*X + y",
            "X - 1",
            "(1 - X)/3",
            "X^3",
            "(X + 1)^2",
            "exp(X)",
            "log(X)",
            "sinh(X)",
            "sqrt(X)",
            "1/X",
            "atan(X)",
            "abs(X)",
            "tanh(X)",
            "X + y^2",
            "(2 + cos(y))*X",
            "X^2 + X",
            "1/(1 + X)",
            "cosh(X)",
            "X^(1/3)",
            "2^X",
            "exp(2*X) + exp(X)",
            "X + 2*sqrt(X)",
        ][..],
    );
    let inner = prop::sample::select(
        &[
            "x",
            "sin(x)",
            "cos(2*x + y)",
            "tan(x)",
            "x + y",
            "sin(x) + cos(x)",
        ][..],
    );
    (prop::collection::vec(layer, 1..4), inner).prop_map(|(layers, inner)| {
        layers.iter().fold(inner.to_owned(), |e, layer| {
            layer.replace('X', &format!("({e})"))
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(6001), ..ProptestConfig::default() })]

    #[test]
    fn what_is_made_of_invertible_layers_inverts(f in layered()) {
        let system = system("x y z", &[&format!("{f} - z")]);
        let inverse = invert(&system, &[0]);
        let list = inverse.branches();
        if !list.is_empty() {
            let judged = judged(&system, &[0], list);
            prop_assert!(judged.is_ok(), "{f}: {judged:?}\n{}", shown(&system, &[0], list));
        }
    }

    #[test]
    fn products_of_powers_invert(p in 1_i32..4, q in 0_i32..4, r in 0_i32..4, s in 1_i32..4) {
        prop_assume!(p * s != q * r);
        let system = system("x y z w1", &[&format!("x^{p}*y^{q} - z"), &format!("x^{r}*y^{s} - w1")]);
        let inverse = invert(&system, &[0, 1]);
        let list = inverse.branches();
        if !list.is_empty() {
            let judged = judged(&system, &[0, 1], list);
            prop_assert!(judged.is_ok(), "{judged:?}\n{}", shown(&system, &[0, 1], list));
        }
    }
}
