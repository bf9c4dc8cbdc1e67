//! Certificates against points, atlases of sets that are known.

use super::*;
use crate::analysis::Model;
use crate::expr::Interval;
use crate::system::System;

fn model(coordinates: &str, constraints: &[&str]) -> Model {
    let names: Vec<&str> = coordinates.split(", ").collect();
    let kinetic: Vec<String> = names.iter().map(|n| format!("{n}'^2")).collect();
    let rows: Vec<String> = constraints
        .iter()
        .enumerate()
        .map(|(i, c)| format!("  c{i}: {c}\n"))
        .collect();
    let text = format!(
        "name: test\ncoordinates: [{coordinates}]\nlagrangian: {}\nconstraints:\n{}",
        kinetic.join(" + "),
        rows.concat()
    );
    Model::new(System::parse(&text, "test.yaml", &[]).unwrap())
}

fn cover(model: &Model, region: &[(f64, f64)], only: Option<&[usize]>) -> (Vec<Vec<usize>>, Atlas) {
    let n = region.len();
    let m = model.system.constraints.len();
    let choices: Vec<Vec<usize>> = match only {
        Some(one) => vec![one.to_vec()],
        None => (0_u32..1 << n)
            .filter(|set| set.count_ones() as usize == m)
            .map(|set| (0..n).filter(|k| set >> k & 1 == 1).collect())
            .collect(),
    };
    let charts: Vec<Chart> = choices.iter().map(|d| model.chart(d)).collect();
    let mut sides: Vec<Interval> = region.iter().map(|(a, b)| Interval::new(*a, *b)).collect();
    sides.push(Interval::point(0.0));
    let found = atlas(
        &model.bounds().equations,
        &charts,
        &sides,
        Terms::of_dimension(n - m),
    );
    (choices, found)
}

#[test]
fn the_parabola_has_two_half_lines_or_the_whole() {
    let wire = model("x1, x2", &["x2 - x1^2"]);
    let region = [(-2.0, 2.0), (-1.0, 4.0)];
    let (_, one) = cover(&wire, &region, Some(&[0]));
    println!("{one:?}");
    assert!(one.complete);
    assert_eq!(one.pieces.len(), 2);
    // what is left is the bottom
    assert!(
        one.left
            .iter()
            .all(|b| b[0].magnitude() < 1e-5 && b[1].magnitude() < 1e-5)
    );
    assert!(!one.left.is_empty());
    let (choices, any) = cover(&wire, &region, None);
    assert!(any.complete && any.left.is_empty(), "{any:?}");
    assert_eq!(any.pieces.len(), 1);
    assert_eq!(choices[any.pieces[0].chart], [1]);
}

#[test]
fn the_circle_has_two_choices_in_four_pieces() {
    let circle = model("x, y", &["x^2 + y^2 - 1"]);
    let (_, any) = cover(&circle, &[(-2.0, 2.0), (-2.0, 2.0)], None);
    assert!(any.complete && any.left.is_empty(), "{any:?}");
    assert_eq!(any.pieces.len(), 4);
}

#[test]
fn product_and_sum_needs_few_boxes() {
    let system = model("x1, x2, x3", &["x1*x2*x3 - 1/2", "x1 + x2 - 3"]);
    let region = [(-5.0, 5.0); 3];
    let (choices, any) = cover(&system, &region, None);
    for p in &any.pieces {
        println!("{:?} {:?}", choices[p.chart], p.sides);
    }
    println!("left {:?} boxes {}", any.left, any.boxes);
    assert!(any.complete && any.left.is_empty());
    assert!(any.pieces.len() <= 6);
    let (_, one) = cover(&system, &region, Some(&[0, 1]));
    println!("{:?}", one.pieces);
    println!("left {:?} boxes {}", one.left, one.boxes);
    assert!(one.complete && one.pieces.len() <= 13);
    // x1 = x2 = 3/2, x3 = 2/9
    assert!(
        one.left
            .iter()
            .all(|b| b[0].contains(1.5) || (b[0].middle() - 1.5).abs() < 1e-3)
    );
}

#[test]
fn the_arm_is_covered() {
    let arm = model(
        "a, b, x, y",
        &["cos(a) + cos(a + b) - x", "sin(a) + sin(a + b) - y"],
    );
    let region = [(-3.2, 3.2), (-3.2, 3.2), (-3.0, 3.0), (-3.0, 3.0)];
    let started = std::time::Instant::now();
    let (choices, any) = cover(&arm, &region, None);
    println!(
        "any: {} pieces {} left {} boxes {:?}",
        any.pieces.len(),
        any.left.len(),
        any.boxes,
        started.elapsed()
    );
    for p in any.pieces.iter().take(6) {
        println!("{:?} {:?}", choices[p.chart], p.sides);
    }
    let (_, one) = cover(&arm, &region, Some(&[0, 1]));
    println!(
        "one: {} pieces {} left {} boxes {:?} {}",
        one.pieces.len(),
        one.left.len(),
        one.boxes,
        started.elapsed(),
        one.complete
    );
}

#[test]
fn a_paving_holds_the_set_and_marks_the_bottom() {
    let wire = model("x1, x2", &["x2 - x1^2"]);
    let region = [
        Interval::new(-2.0, 2.0),
        Interval::new(-1.0, 4.0),
        Interval::point(0.0),
    ];
    let bounds = wire.bounds();
    let chart = wire.chart(&[0]);
    let singular = wire.with_determinant(&[0]);
    let found = pave(
        &bounds.equations,
        &chart,
        singular.as_ref(),
        &region,
        &[0.05, 0.05, 0.0],
        50_000_000,
    );
    assert!(found.complete);
    for i in 0..=4000 {
        let x = -2.0 + f64::from(i) / 1000.0;
        let at = [x, x * x, 0.0];
        let tile = found.tiles.iter().find(|t| {
            t.sides
                .iter()
                .zip(at)
                .all(|(s, v)| s.contains(v) || (s.lo - v).abs() < 1e-12 || (s.hi - v).abs() < 1e-12)
        });
        let tile = tile.unwrap_or_else(|| panic!("{x} is in no tile"));
        if let Mark::Regular(positive) = tile.mark {
            assert_eq!(positive, x < 0.0, "{x}");
        }
    }
    let regular = found
        .tiles
        .iter()
        .filter(|t| matches!(t.mark, Mark::Regular(_)) && t.inhabited)
        .count();
    let singular: Vec<&Tile> = found
        .tiles
        .iter()
        .filter(|t| t.mark == Mark::Singular)
        .collect();
    assert_eq!(
        regular + 1,
        found.tiles.len(),
        "{:?}",
        found
            .tiles
            .iter()
            .filter(|t| !t.inhabited || t.mark == Mark::Undecided)
            .collect::<Vec<_>>()
    );
    assert_eq!(singular.len(), 1);
}
