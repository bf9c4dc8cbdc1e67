//! What proofs cost: neighbourhood, singular points, map and atlas of the report's systems, a circle and a
//! two-link arm. Medians, and the numbers of boxes.
//!
//! `cargo bench --bench proofs` prints a table; nothing is asserted.

use holonom::analysis::{Model, Part};
use holonom::interval::roots;
use holonom::system::{System, builtin};
use holonom::theorem::neighbourhood;
use std::time::Instant;

/// Runs of which the median is told; fewer where one takes long.
const RUNS: usize = 21;
/// Boxes of a map along and up.
const RESOLUTION: (usize, usize) = (160, 80);
/// Instructions that a map, and singular points, may cost.
const EFFORT: usize = 60_000_000;
/// Instructions that a neighbourhood may cost.
const NEAR: usize = 12_000_000;

/// A system and what is asked of it.
struct Case {
    name: &'static str,
    model: Model,
    region: Vec<(f64, f64)>,
    dependent: Vec<usize>,
    point: Vec<f64>,
    plane: (usize, usize),
}

/// Milliseconds, the median of some runs.
fn median<R>(mut run: impl FnMut() -> R) -> f64 {
    let mut times = Vec::new();
    let begin = Instant::now();
    while times.len() < RUNS && (times.len() < 3 || begin.elapsed().as_secs_f64() < 3.0) {
        let start = Instant::now();
        std::hint::black_box(run());
        times.push(1e3 * start.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

fn own(text: &str) -> Option<Model> {
    System::parse(text, "bench.yaml", &[]).ok().map(Model::new)
}

fn built_in(name: &str) -> Option<Model> {
    let found = builtin().iter().find(|one| one.name == name)?;
    own(found.text)
}

fn cases() -> Vec<Case> {
    let circle = "name: circle\ncoordinates: [x, y]\nlagrangian: x'^2 + y'^2\n\
                  constraints: {c: x^2 + y^2 - 1}\n";
    let arm = "name: arm\ncoordinates: [a, b, x, y]\nlagrangian: a'^2 + b'^2 + x'^2 + y'^2\n\
               constraints: {p: cos(a) + cos(a + b) - x, q: sin(a) + sin(a + b) - y}\n";
    let turn = (-3.2, 3.2);
    let list = [
        (
            "bead_on_parabola",
            built_in("bead_on_parabola"),
            vec![(-2.0, 2.0), (-1.0, 4.0)],
            vec![0],
            vec![1.0, 1.0],
            (0, 1),
        ),
        (
            "rotating_rod",
            built_in("rotating_rod"),
            vec![(-5.0, 5.0); 3],
            vec![0, 1],
            vec![1.0, 0.0, 1.0],
            (2, 0),
        ),
        (
            "product_and_sum",
            built_in("product_and_sum"),
            vec![(-5.0, 5.0); 3],
            vec![0, 1],
            vec![1.0, 2.0, 0.25],
            (0, 2),
        ),
        (
            "circle",
            own(circle),
            vec![(-2.0, 2.0); 2],
            vec![0],
            vec![0.6, 0.8],
            (0, 1),
        ),
        (
            "arm",
            own(arm),
            vec![turn, turn, (-3.0, 3.0), (-3.0, 3.0)],
            vec![0, 1],
            vec![0.3, 0.9, 1.3, 1.2],
            (2, 3),
        ),
    ];
    list.into_iter()
        .filter_map(|(name, model, region, dependent, point, plane)| {
            Some(Case {
                name,
                model: model?,
                region,
                dependent,
                point,
                plane,
            })
        })
        .collect()
}

fn main() {
    println!("median ms (boxes)\n");
    for case in cases() {
        let Case {
            name,
            model,
            region,
            dependent,
            point,
            plane,
        } = case;
        let part = Part::new(region, 0.0);
        let bounds = model.bounds();
        let chart = model.chart(&dependent);
        let at: Vec<f64> = point.iter().copied().chain([part.t]).collect();
        let near = median(|| neighbourhood(&bounds.equations, &chart, &at, NEAR));
        println!("{name}");
        println!("  neighbourhood      {near:9.3}");
        let n = part.region.len();
        if n == dependent.len() + 1
            && let Some(equations) = model.with_determinant(&dependent)
        {
            let equations = equations.at_last(holonom::expr::Interval::point(part.t));
            let sides: Vec<_> = part
                .region
                .iter()
                .map(|(a, b)| holonom::expr::Interval::new(*a, *b))
                .collect();
            let boxes = roots(&equations, &sides, EFFORT).boxes;
            let time = median(|| roots(&equations, &sides, EFFORT));
            println!("  singular points    {time:9.3} ({boxes})");
        }
        let map = || model.map(part.clone(), &dependent, plane, RESOLUTION, EFFORT);
        let tiles = map().paving.tiles.len();
        println!("  map 160x80         {:9.3} ({tiles})", median(map));
        for (words, only) in [("all choices", None), ("one choice ", Some(&dependent))] {
            let run = || model.atlas(part.clone(), only.map(Vec::as_slice));
            let found = run();
            let pieces: usize = found.charts.iter().map(|c| c.pieces.len()).sum();
            println!(
                "  atlas, {words} {:9.3} ({}; {pieces} pieces, {} left, complete: {})",
                median(run),
                found.boxes,
                found.left.len(),
                found.complete
            );
        }
    }
}
