//! Connected branches of sets of one dimension: how many there are, and what a coordinate runs over on each.
#![allow(clippy::unwrap_used, clippy::panic)]

use crate::random::given;
use holonom::analysis::{BranchesAnswer, Model, Overrides};
use holonom::system::{System, find};
use holonom::theorem::scattered;
use std::f64::consts::{PI, TAU};

fn linkage([d, r, l, s]: [f64; 4]) -> Model {
    let text = format!(
        "coordinates: [a, b, c]\nparameters: {{d: {d}, r: {r}, l: {l}, s: {s}}}\nlagrangian: a'^2 + b'^2 + c'^2\n\
         constraints:\n  along: r*cos(a) + l*cos(b) - s*cos(c) = d\n  across: r*sin(a) + l*sin(b) - s*sin(c)\n"
    );
    Model::new(System::parse(&text, "linkage", &[]).unwrap())
}

fn branches(model: &Model, along: usize, range: (f64, f64)) -> BranchesAnswer {
    let given = [(along, range)];
    let (mut part, _) = model.part(&Overrides::default(), &given);
    model.widen(&mut part, &given);
    model.branches(part, along).unwrap()
}

#[test]
fn a_crank_rocker_has_two_assemblies_and_each_turns_fully() {
    // the shortest and the longest bar, 0.5 + 1.2, are together shorter than the others, 1.0 + 0.8: it turns
    let found = branches(&linkage([1.0, 0.5, 1.2, 0.8]), 0, (0.0, TAU));
    assert!(
        found.branches.are_counted(),
        "{:?}",
        found.branches.junctions()
    );
    assert_eq!(found.branches.list().len(), 2);
    assert!((0..2).all(|k| found.is_whole(k)));
}

#[test]
fn a_rocker_tells_where_it_turns_back() {
    // where the other two bars are in line, 1.2 long, and where one lies along the other, 0.2 long
    let found = branches(&linkage([1.0, 0.9, 0.5, 0.7]), 0, (-PI, PI));
    assert!(
        found.branches.are_counted(),
        "{:?}",
        found.branches.junctions()
    );
    let at = |length: f64| ((0.81 + 1.0 - length * length) / 1.8).acos();
    let (least, most) = (at(0.2), at(1.2));
    assert_eq!(found.runs.len(), 2);
    for (k, runs) in found.runs.iter().enumerate() {
        let [run] = runs.as_slice() else {
            panic!("{runs:?}")
        };
        let side = run.low.middle().signum();
        let (low, high) = if side > 0.0 {
            (least, most)
        } else {
            (-most, -least)
        };
        assert!(
            (run.low.middle() - low).abs() < 1e-9 && (run.high.middle() - high).abs() < 1e-9,
            "{run:?}"
        );
        assert!(run.low.width() < 1e-9 && run.high.width() < 1e-9, "{run:?}");
        assert!(!found.is_whole(k));
    }
}

#[test]
fn branches_of_a_parallelogram_come_together_where_it_lies_flat() {
    let found = branches(&linkage([1.5, 1.0, 1.5, 1.0]), 0, (-PI, PI));
    assert!(found.branches.complete() && found.branches.apart());
    assert_eq!(found.branches.list().len(), 4);
    assert_eq!(found.branches.junctions().len(), 2);
    for junction in found.branches.junctions() {
        assert_eq!(junction.branches, [0, 1, 2, 3]);
        let a = junction.sides[0].middle();
        assert!(a.abs() < 1e-2 || (a.abs() - PI).abs() < 1e-2, "{a}");
    }
}

#[test]
fn the_two_sides_of_a_slider_and_its_crank_are_apart_or_one() {
    let text = find("slider_crank").unwrap().text;
    let shorter = Model::new(System::parse(text, "short", &[]).unwrap());
    let found = branches(&shorter, 0, (0.0, TAU));
    assert!(found.branches.are_counted());
    assert_eq!((found.branches.list().len(), found.is_whole(0)), (2, true));
    // a crank longer than the rod does not come round: sin(theta) <= l/a
    let longer = [("a".to_owned(), "1.5".to_owned())];
    let longer = Model::new(System::parse(text, "long", &longer).unwrap());
    let found = branches(&longer, 0, (-PI, PI));
    assert!(found.branches.are_counted());
    assert_eq!(found.branches.list().len(), 2);
    let most = (1.2_f64 / 1.5).asin();
    let run = found
        .runs
        .iter()
        .flatten()
        .find(|run| run.low.contains(-most))
        .unwrap();
    assert!(run.high.contains(most) && run.high.width() < 1e-9);
}

#[test]
fn a_curve_that_winds_comes_round_after_two_turns() {
    // x = cos(u/2) comes back after two turns: over each of them there are two values, on one branch
    let text = "coordinates: [x, y, u]\nlagrangian: x'^2 + y'^2 + u'^2\n\
                constraints: {one: x^2 - y^2 = cos(u), two: 2*x*y = sin(u)}\n";
    let model = Model::new(System::parse(text, "winding", &[]).unwrap());
    let found = branches(&model, 2, (0.0, TAU));
    assert!(
        found.branches.are_counted(),
        "{:?}",
        found.branches.junctions()
    );
    assert_eq!((found.branches.list().len(), found.is_whole(0)), (1, true));
}

#[test]
fn a_surface_has_no_branches() {
    let model =
        Model::new(System::parse(find("geodesic_torus").unwrap().text, "torus", &[]).unwrap());
    let (part, _) = model.part(&Overrides::default(), &[]);
    assert!(model.branches(part, 0).is_none());
}

/// What Grashof's condition says of a linkage: so many assemblies, and whether its crank turns fully; `None` near the change
/// point, and where it cannot be put together.
fn grashof([d, r, l, s]: [f64; 4]) -> Option<(usize, bool)> {
    let mut sorted = [d, r, l, s];
    sorted.sort_by(f64::total_cmp);
    let [shortest, p, q, longest] = sorted;
    let room = p + q - shortest - longest;
    if room.abs() < 0.02 || longest > shortest + p + q - 0.02 {
        return None;
    }
    let turns = room > 0.0 && (shortest == r || shortest == d);
    Some((if room > 0.0 { 2 } else { 1 }, turns))
}

/// Linkages with random lengths: how many, and of how many the number of branches was proven.
fn against_grashof(seed: u64, count: u64) -> (usize, usize) {
    let (mut all, mut proven) = (0, 0);
    for index in 0..count {
        let bars = [0, 1, 2, 3].map(|k| 0.3 + 1.2 * scattered(seed + index, k));
        let Some((assemblies, turns)) = grashof(bars) else {
            continue;
        };
        let found = branches(&linkage(bars), 0, (-PI, PI));
        all += 1;
        if !found.branches.are_counted() {
            continue;
        }
        proven += 1;
        assert_eq!(found.branches.list().len(), assemblies, "{bars:?}");
        for k in 0..assemblies {
            assert_eq!(found.is_whole(k), turns, "{bars:?}");
        }
    }
    (all, proven)
}

#[test]
fn four_bars_have_the_branches_of_grashof() {
    let (all, proven) = against_grashof(5, 40);
    assert!(all > 20 && proven * 10 >= all * 9, "{proven} of {all}");
}

#[test]
#[ignore = "many linkages, with a seed of its own"]
fn four_bars_have_the_branches_of_grashof_many() {
    let (all, proven) = against_grashof(given("HOLONOM_SEED", 1), given("HOLONOM_COUNT", 3000));
    println!("{proven} of {all} counted");
    assert!(proven * 10 >= all * 9);
}

#[test]
fn two_ovals_that_are_a_period_of_the_constraint_apart_are_two_branches() {
    // a bead on Cassini's curve of two ovals: the constraint repeats after half a turn, the bead does not
    for curve in [
        "r^4 - 2*r^2*cos(2*a) = -0.9",
        "r^4 - 2*r^2*(1 - 2*sin(a)^2) = -0.9",
    ] {
        let text = format!(
            "coordinates: [r, a]\nlagrangian: (r'^2 + r^2*a'^2)/2\nconstraints: {{curve: {curve}}}\n"
        );
        let model = Model::new(System::parse(&text, "ovals", &[]).unwrap());
        let given = [(0, (0.1, 3.0)), (1, (-PI, PI))];
        let (part, _) = model.part(&Overrides::default(), &given);
        let answer = model.branches(part, 1).unwrap();
        assert!(answer.branches.are_counted(), "{curve}");
        assert_eq!(answer.branches.list().len(), 2, "{curve}");
    }
}

#[test]
fn a_branch_that_leaves_the_box_does_not_end_where_another_turns_back() {
    // the line ends at x = 1, y = 0.98; the circle has its top at y = 1
    let text = "coordinates: [x, y]\nlagrangian: x'^2 + y'^2\n\
                constraints: {f: \"(y - 0.98*x)*((x + 2)^2 + y^2 - 1) = 0\"}\nstart: {x: -2, y: 1}\n";
    let model = Model::new(System::parse(text, "line", &[]).unwrap());
    let given = [(0, (-3.5, 1.0)), (1, (-3.0, 3.0))];
    let (part, _) = model.part(&Overrides::default(), &given);
    let found = model.branches(part, 1).unwrap();
    assert!(found.branches.are_counted());
    let highs = found.runs.iter().map(|runs| runs[0].high);
    let mut highs: Vec<_> = highs.collect();
    highs.sort_by(|a, b| a.lo.total_cmp(&b.lo));
    let [line, circle] = highs.as_slice() else {
        panic!("{highs:?}")
    };
    assert!(line.contains(0.98) && circle.contains(1.0), "{highs:?}");
    assert!(circle.width() < 1e-9, "{highs:?}");
}

#[test]
fn a_length_in_waves_is_no_angle_in_any_unit() {
    for unit in [1.0, 10.0, 100.0, 1000.0] {
        let text = format!(
            "coordinates: [x, y]\nlagrangian: x'^2 + y'^2\nconstraints: {{f: \"sin(2*x/{unit}) + y/3 = 0\"}}\nstart: {{x: 0, y: 0}}\n"
        );
        let model = Model::new(System::parse(&text, "waves", &[]).unwrap());
        let given = [(0, (-2.0 * unit, 2.0 * unit)), (1, (-1.0, 1.0))];
        let (part, _) = model.part(&Overrides::default(), &given);
        let found = model.branches(part, 1).unwrap();
        assert!(found.branches.are_counted());
        assert_eq!(found.branches.list().len(), 3, "{unit}");
    }
}
