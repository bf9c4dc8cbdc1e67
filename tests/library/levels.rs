//! Level lines of a map: the line that touches the constraint set at an extremum.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use holonom::analysis::{Model, Part};
use holonom::system::System;

fn model(text: &str) -> Model {
    Model::new(System::parse(text, "levels", &[]).unwrap())
}

fn part(reach: f64, coordinates: usize) -> Part {
    Part {
        region: vec![(-reach, reach); coordinates],
        t: 0.0,
    }
}

#[test]
fn the_line_that_touches_a_circle_at_the_extremum() {
    // x y on x^2 + y^2 = 2: 1 at (1, 1) and (-1, -1), -1 at the others
    let model =
        model("coordinates: [x, y]\nobjective: x*y\nconstraints: {circle: x^2 + y^2 = 2}\n");
    let levels = model.levels(&part(2.0, 2), (0, 1), (model.value_at_rest(), &[1.0, 1.0]));
    assert_eq!(levels.complete, Some(true));
    let mut found: Vec<(f64, f64, f64)> = levels
        .touching
        .iter()
        .map(|t| (t.x[0], t.x[1], t.value))
        .collect();
    found.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let wanted = [
        (-1.0, -1.0, 1.0),
        (-1.0, 1.0, -1.0),
        (1.0, -1.0, -1.0),
        (1.0, 1.0, 1.0),
    ];
    assert_eq!(found.len(), 4);
    for (a, b) in found.iter().zip(wanted) {
        assert!((a.0 - b.0).abs() < 1e-9 && (a.1 - b.1).abs() < 1e-9 && (a.2 - b.2).abs() < 1e-9);
    }
    // one line a value, which keeps to one side of the circle
    let strong: Vec<f64> = levels
        .lines
        .iter()
        .filter(|l| l.touches)
        .map(|l| l.value)
        .collect();
    assert_eq!(strong.len(), 2);
    for line in levels.lines.iter().filter(|l| l.touches) {
        for [x, y] in line.segments.iter().flatten() {
            assert!((x * y - line.value).abs() < 1e-2, "{x} {y}");
            assert!(x * x + y * y > 2.0 - 1e-2);
        }
    }
    // and the others are where they say
    for line in levels.lines.iter().filter(|l| !l.touches) {
        assert!(!line.segments.is_empty());
        for [x, y] in line.segments.iter().flatten() {
            assert!((x * y - line.value).abs() < 1e-2);
        }
    }
}

#[test]
fn a_curve_in_space_is_touched_too() {
    // the height on the circle in which a sphere meets a plane
    let model = model(
        "coordinates: [x, y, z]\nlagrangian: (x'^2 + y'^2 + z'^2)/2 - z\nconstraints: {sphere: x^2 + y^2 + z^2 = 1, plane: x = z}\n",
    );
    let levels = model.levels(&part(2.0, 3), (0, 2), (model.value_at_rest(), &[0.0; 3]));
    let mut values: Vec<f64> = levels.touching.iter().map(|t| t.value).collect();
    values.sort_by(f64::total_cmp);
    assert_eq!(values.len(), 2);
    let wanted = 0.5_f64.sqrt();
    assert!((values[0] + wanted).abs() < 1e-9 && (values[1] - wanted).abs() < 1e-9);
    assert_eq!(levels.held.len(), 1);
}

#[test]
fn a_level_line_of_velocities_is_refused() {
    let model = model(
        "coordinates: [x, y]\nlagrangian: (x'^2 + y'^2)/2\nconstraints: {c: x^2 + y^2 = 1}\n",
    );
    let error = model.read_configuration("x + y'").unwrap_err();
    assert_eq!(error.span, 4..6);
    assert!(model.read_configuration("x + z").is_err());
    assert!(model.read_configuration("x^2 - t").is_ok());
}
