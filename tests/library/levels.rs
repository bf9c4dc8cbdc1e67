//! Level lines of a map: the line that touches the constraint set at an extremum.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use holonom::analysis::{Model, Part, Slice};
use holonom::expr::{Expr, SymbolKind};
use holonom::system::System;

fn model(text: &str) -> Model {
    Model::new(System::parse(text, "levels", &[]).unwrap())
}

fn part(reach: f64, coordinates: usize) -> Part {
    Part::new(vec![(-reach, reach); coordinates], 0.0)
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
    // the height is in the plane: what is drawn is true whatever y is
    assert!(levels.held.is_empty() && levels.slice == Slice::Whole);
    let levels = model.levels(&part(2.0, 3), (0, 1), (model.value_at_rest(), &[0.0; 3]));
    assert_eq!((levels.held.len(), levels.slice), (1, Slice::Through));
}

#[test]
fn a_surface_is_cut_at_the_extremum_where_its_line_touches() {
    // p x + q y + s z on an ellipsoid: in the plane through the extremum the line keeps to one side of the ellipse
    let text = holonom::system::find("minimum_on_surface").unwrap().text;
    let model = model(text);
    for (plane, other) in [((0, 1), 2), ((0, 2), 1), ((1, 2), 0)] {
        let near = [-0.8, -0.9, -0.6];
        let levels = model.levels(&part(2.0, 3), plane, (model.value_at_rest(), &near));
        assert_eq!((levels.complete, levels.slice), (Some(true), Slice::Held));
        let place = levels.touching[0].x.clone();
        assert!(place[0] < 0.0 && levels.touching.len() == 2);
        assert_eq!(levels.held, [(other, place[other])]);
        assert_eq!(levels.part.region[other], (place[other], place[other]));
        let strong: Vec<_> = levels.lines.iter().filter(|l| l.touches).collect();
        assert_eq!(strong.len(), 1);
        let ellipsoid = model.read_level("x^2/a^2 + y^2/b^2 + z^2/c^2").unwrap();
        for end in strong[0].segments.iter().flatten() {
            let mut x = place.clone();
            (x[plane.0], x[plane.1]) = (end[0], end[1]);
            assert!(value(&model, ellipsoid, &x) > 1.0 - 1e-9, "{x:?}");
        }
        // and the map of that part is the curve
        let map = model.map(levels.part, &[2], plane, (100, 80), 8_000_000);
        assert!(map.paving.complete && (100..1000).contains(&map.paving.tiles.len()));
    }
}

fn value(model: &Model, e: Expr, x: &[f64]) -> f64 {
    model.system.pool.evaluate(e, &|kind| match kind {
        SymbolKind::Parameter(i) => model.system.parameters[i].value,
        SymbolKind::Coordinate { index, .. } => x[index],
        _ => f64::NAN,
    })
}

#[test]
fn what_is_constant_or_without_constraints_touches_nothing() {
    let free = model("coordinates: [x, y]\nlagrangian: x'^2/2 + y'^2/2 - x^2\n");
    let levels = free.levels(&part(2.0, 2), (0, 1), (free.value_at_rest(), &[0.0, 0.0]));
    assert!(levels.touching.is_empty() && levels.complete.is_none());
    let circle = model(
        "coordinates: [x, y]\nlagrangian: x'^2/2 + y'^2/2\nconstraints: {c: x^2 + y^2 = 1}\n",
    );
    let e = circle.value_at_rest();
    let levels = circle.levels(&part(2.0, 2), (0, 1), (e, &[1.0, 0.0]));
    assert!(levels.touching.is_empty() && levels.lines.is_empty());
}

#[test]
fn a_level_line_of_velocities_is_refused() {
    let model = model(
        "coordinates: [x, y]\nlagrangian: (x'^2 + y'^2)/2\nconstraints: {c: x^2 + y^2 = 1}\n",
    );
    let error = model.read_level("x + y'").unwrap_err();
    assert_eq!(error.span, 4..6);
    assert!(model.read_level("x + z").is_err());
    assert!(model.read_level("x^2 - t").is_ok());
}
