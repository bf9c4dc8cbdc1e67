//! Ranges of parameters: where a choice works at every configuration, against closed forms and by points inside of cells.
#![allow(clippy::unwrap_used, clippy::panic)]

use crate::random::given;
use holonom::analysis::{DesignAnswer, Model, Overrides};
use holonom::system::{System, find};
use holonom::theorem::{Cell, Word, scattered};

fn model(text: &str) -> Model {
    Model::new(System::parse(text, "test", &[]).unwrap())
}

fn built_in(name: &str) -> Model {
    model(find(name).unwrap().text)
}

/// The design of a choice over ranges of parameters, cut into so many parts each.
fn design(
    model: Model,
    dependent: &[usize],
    ranges: &[(&str, (f64, f64))],
    parts: usize,
) -> (Model, DesignAnswer) {
    let names: Vec<String> = model
        .system
        .parameters
        .iter()
        .map(|p| p.name.clone())
        .collect();
    let place = |name: &str| names.iter().position(|own| own == name).unwrap();
    let ranging: Vec<usize> = ranges.iter().map(|(name, _)| place(name)).collect();
    let model = model.ranging(&ranging);
    let first = model.coordinate_names().len();
    let given = ranges.iter().enumerate();
    let given: Vec<(usize, (f64, f64))> = given
        .map(|(k, (_, (lo, hi)))| (first + k, (*lo, *hi)))
        .collect();
    let (mut part, _) = model.part(&Overrides::default(), &given);
    model.widen(&mut part, &given);
    let answer = model.design(part, dependent, &vec![parts; ranges.len()]);
    (model, answer)
}

fn is(cell: &Cell, word: Word) -> bool {
    cell.word() == word
}

fn area(answer: &DesignAnswer, of: impl Fn(&Cell) -> bool) -> f64 {
    let own = answer.cells.iter().filter(|cell| of(cell));
    own.map(|cell| {
        cell.sides()
            .iter()
            .map(|side| side.width())
            .product::<f64>()
    })
    .sum()
}

#[test]
fn a_crank_turns_fully_where_it_is_shorter_than_the_rod() {
    // det J[phi, x] = l cos(phi), and l sin(phi) = -a sin(theta) reaches l just where a >= l
    let (_, answer) = design(
        built_in("slider_crank"),
        &[1, 2],
        &[("a", (0.4, 1.6))],
        1 << 16,
    );
    assert!(answer.part.all_configurations && !answer.holds());
    for cell in &answer.cells {
        let side = cell.sides()[0];
        assert!(!is(cell, Word::Works(true)) || side.hi < 1.2, "{cell:?}");
        assert!(!is(cell, Word::Fails) || side.lo >= 1.2 - 1e-12, "{cell:?}");
    }
    assert!(area(&answer, |cell| is(cell, Word::Works(true))) > 0.8 - 1e-4);
    assert!(area(&answer, |cell| is(cell, Word::Fails)) > 0.4 - 1e-4);
    let (_, answer) = design(
        built_in("slider_crank"),
        &[1, 2],
        &[("a", (0.4, 1.1))],
        1 << 16,
    );
    assert!(answer.holds());
    // with both angles dependent it stands still at the dead centres, whatever the lengths
    let (_, answer) = design(
        built_in("slider_crank"),
        &[0, 1],
        &[("a", (0.4, 1.6))],
        1 << 16,
    );
    assert!(
        answer.cells.iter().all(|cell| is(cell, Word::Fails)),
        "{:?}",
        answer.cells
    );
}

#[test]
fn the_boundary_of_a_design_is_where_crank_and_rod_are_of_one_length() {
    let ranges = [("a", (0.5, 1.5)), ("l", (0.5, 1.5))];
    let (_, answer) = design(built_in("slider_crank"), &[1, 2], &ranges, 64);
    for cell in &answer.cells {
        let (a, l) = (cell.sides()[0], cell.sides()[1]);
        match cell.word() {
            Word::Works(_) => assert!(a.hi < l.lo, "{cell:?}"),
            Word::Fails => assert!(a.lo >= l.hi - 1e-12, "{cell:?}"),
            Word::Empty => panic!("{cell:?}"),
            Word::FailsSomewhere | Word::Undecided => {
                assert!(a.hi >= l.lo, "{cell:?}");
            }
        }
    }
    let boundary = area(&answer, |cell| {
        matches!(cell.word(), Word::Undecided | Word::FailsSomewhere)
    });
    assert!(boundary < 0.06, "{boundary}");
    assert!((area(&answer, |_| true) - 1.0).abs() < 1e-9);
}

#[test]
fn a_length_that_is_worked_out_of_a_range_goes_with_it() {
    // the rod is 1.2 times the crank: it never fails, and with a fixed rod of 0.6 it would
    let text = find("slider_crank")
        .unwrap()
        .text
        .replace("l: 1.2,", "l: 1.2*a,");
    let (_, answer) = design(model(&text), &[1, 2], &[("a", (0.4, 1.6))], 1 << 10);
    assert!(answer.holds(), "{:?}", answer.cells);
}

#[test]
fn a_factor_of_parameters_alone_makes_a_choice_fail() {
    // k x = y: with x dependent det J = k
    let text = "coordinates: [x, y]\nparameters: {k: 1}\nlagrangian: x'^2 + y'^2\nconstraints: {c: k*x = y}\n";
    let (_, answer) = design(model(text), &[0], &[("k", (-1.0, 2.0))], 1 << 10);
    let zero = answer
        .cells
        .iter()
        .find(|cell| cell.sides()[0].contains(0.0))
        .unwrap();
    assert!(
        matches!(zero.word(), Word::FailsSomewhere | Word::Undecided),
        "{zero:?}"
    );
    assert!(area(&answer, |cell| is(cell, Word::Works(true))) > 2.99);
}

#[test]
fn a_linkage_that_cannot_be_put_together_has_no_configuration() {
    // x = r cos(u), |x - d| = 1: none for d > 1 + r, nor for d < 0 - ...
    let text = "coordinates: [u, w]\nparameters: {r: 1, d: 1}\nlagrangian: u'^2 + w'^2\n\
                constraints: {one: r*cos(u) = d + cos(w)}\n";
    let (_, answer) = design(model(text), &[0], &[("d", (2.5, 4.0))], 1 << 10);
    assert!(answer.holds() && answer.cells.iter().all(|cell| is(cell, Word::Empty)));
    let (_, answer) = design(model(text), &[0], &[("d", (1.5, 4.0))], 1 << 12);
    assert!((area(&answer, |cell| is(cell, Word::Empty)) - 2.0).abs() < 1e-2);
    assert!((area(&answer, |cell| is(cell, Word::Fails)) - 0.5).abs() < 1e-2);
}

/// A platform on three legs, whose lengths are parameters: the configurations are its poses.
const PLATFORM: &str = "
coordinates: [x, y, phi]
parameters: {l1: 2, l2: 2, l3: 1.6, b: 3, h: 2.5, e: 1, k: 0.9, q: 1}
lagrangian: 1/2*(x'^2 + y'^2 + phi'^2)
constraints:
  one: x^2 + y^2 = l1^2
  two: (x + e*cos(phi) - b)^2 + (y + e*sin(phi))^2 = l2^2
  three: (x + k*cos(phi + q) - b/2)^2 + (y + k*sin(phi + q) - h)^2 = l3^2
";

/// The gradients of the legs' squared lengths (halved), and these.
fn legs([x, y, phi]: [f64; 3]) -> ([[f64; 3]; 3], [f64; 3]) {
    let (b, h, e, k, q) = (3.0, 2.5, 1.0, 0.9, 1.0);
    let feet = [(0.0, 0.0), (b, 0.0), (b / 2.0, h)];
    let arms: [(f64, f64); 3] = [(0.0, 0.0), (e, 0.0), (k, q)];
    let mut rows = [[0.0; 3]; 3];
    let mut lengths = [0.0; 3];
    for i in 0..3 {
        let (s, c) = (phi + arms[i].1).sin_cos();
        let (u, w) = (x + arms[i].0 * c - feet[i].0, y + arms[i].0 * s - feet[i].1);
        rows[i] = [u, w, arms[i].0 * (w * c - u * s)];
        lengths[i] = u.hypot(w);
    }
    (rows, lengths)
}

fn det(rows: [[f64; 3]; 3]) -> f64 {
    let m = nalgebra::Matrix3::from_fn(|i, j| rows[i][j]);
    m.determinant()
}

#[test]
fn singular_poses_of_a_platform_lie_on_the_curve_in_the_plane_of_two_legs() {
    let ranges = [("l1", (1.0, 3.0)), ("l2", (1.0, 3.0))];
    let (_, answer) = design(model(PLATFORM), &[0, 1, 2], &ranges, 32);
    let mut met = 0;
    for index in 0..4000 {
        // singular poses with the third leg at its length: Newton in two of the three coordinates
        let start = |k: usize| 6.4 * scattered(index, k) - 3.2;
        let mut at = [start(0), start(1), start(2)];
        let residual = |at: [f64; 3]| {
            let (rows, lengths) = legs(at);
            [det(rows), lengths[2] - 1.6]
        };
        for _ in 0..40 {
            let r = residual(at);
            let slope = |k: usize| {
                let mut next = at;
                next[k] += 1e-7;
                let s = residual(next);
                [(s[0] - r[0]) / 1e-7, (s[1] - r[1]) / 1e-7]
            };
            let (u, w) = (slope(0), slope(1));
            let d = u[0] * w[1] - u[1] * w[0];
            at[0] -= (r[0] * w[1] - r[1] * w[0]) / d;
            at[1] -= (u[0] * r[1] - u[1] * r[0]) / d;
        }
        let r = residual(at);
        if !(r[0].abs() < 1e-9 && r[1].abs() < 1e-9) {
            continue;
        }
        let lengths = legs(at).1;
        let here = |cell: &&Cell| {
            cell.sides()[0].contains(lengths[0]) && cell.sides()[1].contains(lengths[1])
        };
        for cell in answer.cells.iter().filter(here) {
            met += 1;
            assert!(
                !matches!(cell.word(), Word::Works(_) | Word::Empty),
                "{cell:?} has a singular pose at {at:?}"
            );
        }
    }
    assert!(met > 100, "{met}");
    // and off the curve it is proven to work
    assert!(
        area(&answer, |cell| matches!(
            cell.word(),
            Word::Works(_) | Word::Empty
        )) > 1.0
    );
}

/// A curve f(x, y; p, q) = 0 with random coefficients, and df/dx.
struct Family([f64; 6]);

impl Family {
    fn new(seed: u64) -> Self {
        let coefficient = |k: usize| (7.0 * scattered(seed, k)).floor() - 3.0;
        Self([0, 1, 2, 3, 4, 5].map(coefficient))
    }

    fn text(&self) -> String {
        let [a, b, c, d, e, g] = self.0;
        format!(
            "coordinates: [x, y]\nparameters: {{p: 1, q: 1}}\nlagrangian: x'^2 + y'^2\n\
             constraints: {{curve: {a}*x^2 + ({b})*y^2 + ({c})*x*y + ({d})*sin(x) + ({e})*cos(y) + p*x*y^2 + q*y + ({g})*x + x^3 = p}}\n"
        )
    }

    /// f and df/dx.
    fn values(&self, [x, y]: [f64; 2], [p, q]: [f64; 2]) -> [f64; 2] {
        let [a, b, c, d, e, g] = self.0;
        let f = a * x * x
            + b * y * y
            + c * x * y
            + d * x.sin()
            + e * y.cos()
            + p * x * y * y
            + q * y
            + g * x
            + x * x * x
            - p;
        [
            f,
            2.0 * a * x + c * y + d * x.cos() + p * y * y + g + 3.0 * x * x,
        ]
    }

    /// Points of the region where both are zero, by Newton's method from many places.
    fn singular(&self, p: [f64; 2], reach: f64, starts: u64) -> Option<[f64; 2]> {
        (0..starts).find_map(|index| {
            let mut at = [0, 1].map(|k| reach * (2.0 * scattered(index, k + 3) - 1.0));
            for _ in 0..30 {
                let r = self.values(at, p);
                let slope = |k: usize| {
                    let (mut next, mut back) = (at, at);
                    next[k] += 1e-6;
                    back[k] -= 1e-6;
                    let (s, t) = (self.values(next, p), self.values(back, p));
                    [(s[0] - t[0]) / 2e-6, (s[1] - t[1]) / 2e-6]
                };
                let (u, w) = (slope(0), slope(1));
                let d = u[0] * w[1] - u[1] * w[0];
                at[0] -= (r[0] * w[1] - r[1] * w[0]) / d;
                at[1] -= (u[0] * r[1] - u[1] * r[0]) / d;
            }
            let r = self.values(at, p);
            let found =
                r.iter().all(|v| v.abs() < 1e-11) && at.iter().all(|v| v.abs() < reach - 1e-6);
            found.then_some(at)
        })
    }
}

/// Cells looked at, and those called failing for which no point was found.
fn attack(seed: u64) -> (usize, usize) {
    let family = Family::new(seed);
    let ranging = model(&family.text()).ranging(&[0, 1]);
    let given = [0, 1, 2, 3].map(|k| (k, (-2.0, 2.0)));
    let (part, _) = ranging.part(&Overrides::default(), &given);
    let answer = ranging.design(part, &[0], &[16, 16]);
    let (mut looked, mut missed) = (0, 0);
    for (index, cell) in (0..).zip(&answer.cells) {
        let at = |k: usize| {
            let side = cell.sides()[k];
            side.lo + scattered(seed + index, k + 9) * side.width()
        };
        let p = [at(0), at(1)];
        let found = family.singular(p, 2.0, 60);
        match cell.word() {
            Word::Works(_) | Word::Empty => {
                looked += 1;
                assert!(
                    found.is_none(),
                    "seed {seed}: {cell:?} fails at {found:?} for {p:?}"
                );
            }
            Word::Fails => {
                looked += 1;
                missed += usize::from(family.singular(p, 2.0 + 1e-5, 2000).is_none());
            }
            Word::FailsSomewhere | Word::Undecided => {}
        }
    }
    (looked, missed)
}

#[test]
fn no_point_fails_in_a_cell_that_works() {
    let (looked, missed) = (0..6)
        .map(attack)
        .fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
    assert!(looked > 150 && missed * 100 <= looked, "{looked} {missed}");
}

#[test]
#[ignore = "many families of curves, with a seed of its own"]
fn no_point_fails_in_a_cell_that_works_in_many_families() {
    let (seed, count) = (given("HOLONOM_SEED", 1), given("HOLONOM_COUNT", 300));
    let mut sum = (0, 0);
    for k in 0..count {
        let one = attack(1000 * seed + k);
        sum = (sum.0 + one.0, sum.1 + one.1);
    }
    println!("{} cells, {} that fail without a point found", sum.0, sum.1);
    assert!(sum.1 * 100 <= sum.0);
}

#[test]
fn parts_too_small_for_the_effort_leave_what_larger_ones_are_told_of() {
    // the slider and crank with its angle phi dependent: it fails somewhere next to a = l, at every size of cells
    let model = built_in("slider_crank");
    let ranges = [("a", (0.5, 1.5)), ("l", (0.5, 1.5))];
    let (_, answer) = design(model, &[1, 2], &ranges, 300);
    let open = area(&answer, |cell| is(cell, Word::Undecided));
    let some = area(&answer, |cell| is(cell, Word::FailsSomewhere));
    assert!(open < 0.01 && some > open && some < 0.04, "{open} {some}");
    let whole = area(&answer, |_| true);
    assert!((whole - 1.0).abs() < 1e-9, "{whole}");
}

#[test]
fn where_some_values_have_no_configuration_it_is_not_said_that_each_has() {
    // p y = sin(x)/2 - 1 has a solution with |y| <= 2 where p >= 1/4
    let text = "coordinates: [x, y]\nparameters: {p: 1}\nlagrangian: x'^2 + y'^2\nconstraints: {w: p*y - sin(x)/2 = -1}\n";
    let model = model(text).ranging(&[0]);
    let box_of = [(0, (-2.0, 2.0)), (1, (-2.0, 2.0)), (2, (0.11, 2.63))];
    let (mut part, _) = model.part(&Overrides::default(), &box_of);
    model.widen(&mut part, &box_of);
    let answer = model.design(part, &[1], &[1 << 12]);
    assert!(answer.holds());
    for cell in &answer.cells {
        let side = cell.sides()[0];
        assert!(!is(cell, Word::Works(true)) || side.lo >= 0.25, "{cell:?}");
        assert!(!is(cell, Word::Empty) || side.hi <= 0.25, "{cell:?}");
    }
    assert!(area(&answer, |cell| is(cell, Word::Works(true))) > 2.3);
    assert!(area(&answer, |cell| is(cell, Word::Empty)) > 0.1);
}
