//! The map of the constraint set and its probe.

use super::*;
use crate::theorem::FailureKind;
use crate::workbench::action::Context;
use crate::workbench::layout::Pane;
use crate::workbench::state::Subject;
use insta::assert_snapshot;

const BEAD: &str = "bead_on_parabola";
const SIZE: (u16, u16) = (80, 24);

#[test]
fn a_map_at_80_by_24() {
    let mut bench = Bench::paused(BEAD, SIZE, 3.2);
    bench.keys("m");
    assert_snapshot!("map", bench.screen());
    bench.keys("z");
    assert_snapshot!("map_zoomed", bench.screen());
    bench.keys("a");
    assert_snapshot!("map_of_equal_lengths", bench.screen());
}

#[test]
fn the_map_takes_the_place_of_the_plot_and_gives_it_back() {
    let mut bench = Bench::paused(BEAD, SIZE, 3.2);
    let before = bench.screen();
    for keys in ["m m", "m v", "m z z [ ] < > w m"] {
        bench.keys(keys);
        bench.keys("backtab tab tab tab tab tab tab");
        while bench.state.focus != Pane::System {
            bench.keys("tab");
        }
        assert!(!bench.state.map.shown);
        assert_eq!(bench.screen(), before);
    }
}

#[test]
fn a_map_has_level_lines_where_they_are_asked_for() {
    let mut bench = Bench::paused("pendulum", SIZE, 0.0);
    bench.keys("m d");
    let figure = view::map::figure(&bench.state).unwrap();
    let labels: Vec<&str> = figure.series.iter().map(|s| s.label.as_str()).collect();
    // the height at which a level line touches the circle, where the motion is
    assert!(labels.contains(&"V = -9.81 touches"), "{labels:?}");
    bench.keys("d");
    let figure = view::map::figure(&bench.state).unwrap();
    assert!(figure.series.iter().all(|s| !s.label.contains("touches")));
}

#[test]
fn level_lines_of_what_is_typed_and_a_mistake_is_told() {
    let mut bench = Bench::paused("pendulum", SIZE, 0.0);
    bench.keys("K");
    bench.write("x + y'");
    bench.keys("enter");
    let screen = bench.screen();
    assert!(
        screen.contains("cannot be used in a level line"),
        "{screen}"
    );
    bench.keys("home ctrl-k");
    bench.write("x*y");
    bench.keys("enter");
    assert!(bench.state.map.shown && bench.state.dialog.is_none());
    let figure = view::map::figure(&bench.state).unwrap();
    let labels: Vec<&str> = figure.series.iter().map(|s| s.label.as_str()).collect();
    assert!(labels.contains(&"x*y = 0.5 touches"), "{labels:?}");
    assert_snapshot!("levels", bench.screen());
    // of a surface the part that is drawn is told
    let mut bench = Bench::paused("spherical_pendulum", SIZE, 0.0);
    bench.keys("m d");
    let screen = bench.screen();
    assert!(screen.contains("y = 0 "), "{screen}");
}

#[test]
fn level_lines_lie_over_the_slices_of_a_flat_set() {
    let atwood = "name: Double Atwood machine\ncoordinates: [x1, x2, x3, p]\n\
                  lagrangian: 2*x1'^2 + x2'^2 + 1/2*x3'^2 + 9.81*(4*x1 + 2*x2 + x3)\n\
                  constraints: {upper: x1 + p = 3, lower: (x2 - p) + (x3 - p) = 2}\n\
                  start: {x1: 1, x2: 3, x1': 0, x2': 0}\nrun: {until: 1}\n";
    let mut bench = Bench::paused(atwood, (120, 36), 0.0);
    bench.keys("m z");
    let drawn = |bench: &mut Bench| {
        let screen = bench.screen();
        let is_drawn = |c: &char| ('\u{2801}'..='\u{28ff}').contains(c);
        screen.chars().filter(is_drawn).count()
    };
    let slices = drawn(&mut bench);
    assert!(slices > 100);
    bench.keys("d");
    let figure = view::map::figure(&bench.state).unwrap();
    let labels: Vec<&str> = figure.series.iter().map(|s| s.label.as_str()).collect();
    let both = drawn(&mut bench);
    assert!(
        both > slices && both < 120 * 36 / 2,
        "{labels:?} {slices} {both}: {}",
        bench.screen()
    );
    assert_snapshot!("levels_over_slices", bench.screen());
    bench.keys("K");
    bench.write("x1 + x2");
    bench.keys("enter");
    let both = drawn(&mut bench);
    assert!(
        both > slices && both < 120 * 36 / 2,
        "{both}: {}",
        bench.screen()
    );
}

#[test]
fn the_live_branch_is_the_one_the_bead_is_on() {
    let mut bench = Bench::paused(BEAD, SIZE, 0.0);
    bench.keys("m");
    for (t, sign) in [(0.1, 1.0), (1.2, -1.0)] {
        bench.state.playhead.t = t;
        bench.state.look_again();
        let figure = view::map::figure(&bench.state).unwrap();
        let live = &figure.series[0];
        assert_eq!(live.label, "live");
        let points = live.points.iter().filter(|p| p[0].is_finite());
        assert!(points.clone().count() > 20 && points.clone().all(|p| p[0] * sign > 0.0));
        // the branches are on the parabola, and the proven box holds the point
        assert!(points.clone().all(|p| (p[1] - p[0] * p[0]).abs() < 0.1));
        let proven = figure.series.iter().find(|s| s.label == "proven").unwrap();
        let x: Vec<f64> = proven.points.iter().map(|p| p[0]).collect();
        let (lo, hi) = (
            x.iter().copied().fold(f64::INFINITY, f64::min),
            x.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        );
        let at = bench.state.position[0];
        assert!(lo < at && at < hi && lo * hi > 0.0);
    }
    // at the fold there is none
    bench.keys("n");
    let figure = view::map::figure(&bench.state).unwrap();
    assert!(figure.series.iter().all(|s| s.label != "proven"));
    assert!(
        figure
            .places
            .iter()
            .any(|p| p.label.as_deref() == Some("fold"))
    );
}

#[test]
fn a_probe_after_a_release_is_on_the_set_and_has_a_verdict() {
    for name in ["hemisphere", "ladder"] {
        let mut bench = Bench::paused(name, (80, 24), 0.0);
        bench.keys("end .");
        let screen = bench.screen();
        assert!(!screen.contains("no motion"), "{screen}");
        assert!(screen.contains("at the probe"), "{screen}");
        let there = bench.state.position.clone();
        let model = bench.state.analysis.as_ref().unwrap().model();
        let units = vec![1.0; there.len()];
        let on_set = model.back_to_constraints(bench.state.playhead.t, &units, there.clone());
        let far = there
            .iter()
            .zip(on_set.unwrap())
            .map(|(a, b)| (a - b).abs());
        assert!(far.fold(0.0, f64::max) < 1e-9, "{there:?}");
        bench.keys("esc");
        assert!(bench.screen().contains("let go"), "{}", bench.screen());
    }
}

#[test]
fn a_probe_walks_through_the_fold_and_the_verdict_follows() {
    let mut bench = Bench::paused(BEAD, SIZE, 0.3);
    let (t, place) = (bench.state.playhead.t, bench.state.position.clone());
    bench.keys(".");
    assert_eq!(bench.state.context(), Context::Probe);
    let start = bench.state.position[0];
    assert!(start > 0.3);
    let mut failed = 0;
    for _ in 0..200 {
        bench.keys("left");
        let [x1, x2] = bench.state.position[..] else {
            panic!("two coordinates")
        };
        assert!((x2 - x1 * x1).abs() < 1e-12);
        let look = bench.state.look.as_ref().unwrap();
        assert_eq!(look.verdict.holds(), x1.abs() > 1e-15, "{x1}");
        if !look.verdict.holds() {
            failed += 1;
            assert_eq!(look.kind(), Some(FailureKind::Chart));
            assert_snapshot!("probe_on_the_fold", bench.screen());
        }
        if x1 < -0.5 {
            break;
        }
    }
    assert_eq!(failed, 1);
    assert!(bench.state.position[0] < -0.5);
    let screen = bench.screen();
    assert!(screen.contains("HOLDS for x₁ at the probe"), "{screen}");
    // the branch in force is that of the probe
    assert_eq!(bench.state.look.as_ref().unwrap().branch, Some(1));
    bench.keys("L L H");
    bench.keys("up");
    assert!(bench.state.notice.is_some());
    bench.keys("esc");
    assert_eq!(bench.state.context(), Context::Browse);
    assert_eq!((bench.state.playhead.t, &bench.state.position), (t, &place));
    bench.keys(". space");
    assert_eq!(bench.state.context(), Context::Browse);
}

#[test]
fn the_map_follows_coordinates_lens_and_text() {
    let mut bench = Bench::paused("product_and_sum", SIZE, 1.0);
    bench.keys("m");
    let wanted = |bench: &Bench| bench.state.map.drawn.found.clone().unwrap().0;
    let first = wanted(&bench);
    bench.keys("y");
    assert_ne!(wanted(&bench).plane, first.plane);
    bench.keys("Y");
    assert_eq!(wanted(&bench).plane, first.plane);
    bench.keys("x X x x y");
    let (a, b) = wanted(&bench).plane;
    assert_ne!(a, b);
    bench.keys("]");
    let closer = wanted(&bench);
    let width =
        |w: &crate::workbench::map::Wanted, k: usize| w.part.region[k].1 - w.part.region[k].0;
    assert!((width(&closer, a) - 0.5 * width(&bench_whole(&bench), a)).abs() < 1e-9);
    bench.keys("w");
    assert_eq!(wanted(&bench).part.region, bench_whole(&bench).part.region);
    let generation = bench.state.generation;
    bench.keys("e space backspace esc");
    assert!(wanted(&bench).generation > generation);
    // the worker is asked once for what it is drawing
    bench.answering = false;
    bench.keys("] ] ]");
    let asked = bench.state.map.drawn.asking.clone();
    bench.keys("] ]");
    assert_eq!(bench.state.map.drawn.asking, asked);
}

fn bench_whole(bench: &Bench) -> crate::workbench::map::Wanted {
    let mut wanted = bench.state.map.drawn.found.clone().unwrap().0;
    wanted.part.region = crate::workbench::map::whole(&bench.state).unwrap();
    wanted
}

/// Systems whose map is made anew for each size and time; of all others that of one size is drawn on all, as
/// while the worker is at the next one.
const MADE_ANEW: [&str; 3] = [BEAD, "rotating_rod", "product_and_sum"];

/// At every size, paused and played.
pub(super) fn is_drawn_at_every_size(bench: &mut Bench, name: &str) {
    bench.keys("m");
    bench.answering = MADE_ANEW.contains(&name);
    bench.keys(". right right left up down L z");
    for (width, height) in [(1, 1), (40, 12), (41, 13), (76, 20), (110, 34), (200, 60)] {
        bench.send(Event::Resize(width, height));
        bench.screen();
    }
    bench.keys("esc space");
    for _ in 0..3 {
        bench.send(Event::Tick(0.1));
        bench.screen();
    }
    bench.answering = true;
}

#[test]
fn nothing_to_draw_is_said() {
    let free = "name: F\ncoordinates: [x]\nlagrangian: 1/2*x'^2\nstart: {x: 1, x': 0}\n";
    for text in [free, "a: [broken", ""] {
        let mut bench = Bench::new(text, SIZE);
        bench.keys("m .");
        assert!(!bench.state.map.shown && bench.state.notice.is_some());
        bench.screen();
    }
}

#[test]
fn a_map_that_moves_with_time_follows_it() {
    let mut bench = Bench::paused("rotating_rod", SIZE, 0.5);
    bench.keys("m");
    let at = |bench: &Bench| {
        bench
            .state
            .map
            .drawn
            .found
            .as_ref()
            .unwrap()
            .1
            .answer
            .part
            .t
    };
    assert!((at(&bench) - bench.state.playhead.t).abs() < 1e-12);
    bench.keys("right right");
    assert!((at(&bench) - bench.state.playhead.t).abs() < 1e-12);
}

#[test]
fn the_legend_of_a_map_loses_nothing_on_80_columns_and_its_patterns_differ() {
    for system in [BEAD, "slider_crank", "four_bar"] {
        let mut bench = Bench::paused(system, SIZE, 0.3);
        bench.state.theme.scheme = Scheme::Mono;
        bench.keys("m");
        let screen = bench.screen();
        let figure = view::map::figure(&bench.state).unwrap();
        let entries = crate::plot::legend(&figure, Charset::Braille);
        let mut samples: Vec<String> = Vec::new();
        for entry in &entries {
            let said = format!(" {} ", entry.label);
            let before = screen
                .split(&said)
                .next()
                .filter(|before| before.len() < screen.len());
            let before = before.unwrap_or_else(|| panic!("{system} {}: {screen}", entry.label));
            let end: Vec<char> = before.chars().rev().take(3).collect();
            samples.push(end.iter().collect());
        }
        let all = samples.len();
        samples.sort();
        samples.dedup();
        // places that fail in several ways have one sign
        let signs = entries.iter().filter(|entry| entry.sample == "▲").count();
        assert!(
            samples.len() + signs.saturating_sub(1) >= all,
            "{samples:?}: {screen}"
        );
    }
}

#[test]
fn the_legend_of_a_map_hides_no_curve() {
    for system in ["double_pendulum", "slider_crank", "four_bar"] {
        let mut bench = Bench::paused(system, SIZE, 5.0);
        bench.keys("m");
        let buffer = bench.buffer();
        let field = view::plot::field(&bench.state).unwrap();
        let inner = bench.state.layout().inner(Pane::Plot).unwrap();
        assert!(inner.height - field.height <= inner.height / 5);
        let figure = view::map::figure(&bench.state).unwrap();
        let canvas = crate::plot::draw(&figure, field.width, field.height, Charset::Braille);
        let frame = *canvas.frame().unwrap();
        for row in frame.top..frame.top + frame.rows {
            for column in frame.left..frame.left + frame.cols {
                let drawn = canvas.cell(column, row).unwrap().symbol;
                let seen = &buffer[(field.x + column, field.y + row)];
                let is_blank = matches!(drawn, ' ' | '\u{2800}');
                assert!(
                    is_blank || seen.symbol() == drawn.to_string(),
                    "{system}: {}",
                    bench.screen()
                );
            }
        }
    }
}

#[test]
fn a_surface_is_drawn_in_slices_and_not_as_a_blob() {
    let sphere = "name: Sphere\ncoordinates: [x, y, z]\n\
                  lagrangian: 1/2*(x'^2 + y'^2 + z'^2) - z\n\
                  constraints: {ball: x^2 + y^2 + z^2 - 1}\n\
                  start: {x: 0.6, y: 0, z: -0.8, x': 0.1, y': 0.2}\nrun: {until: 2}\n";
    let mut bench = Bench::paused(sphere, (100, 30), 0.0);
    bench.keys("m z");
    let screen = bench.screen();
    assert_snapshot!("slices", screen);
    let (wanted, _) = bench.state.map.drawn.found.clone().unwrap();
    let (k, values) = wanted.slices.unwrap();
    assert!(values.len() > 3, "{k} {values:?}");
    let drawn = screen
        .chars()
        .filter(|c| ('\u{2801}'..='\u{28ff}').contains(c))
        .count();
    assert!(drawn < 100 * 30 / 3, "{drawn}: {screen}");
    // a file of it says so
    let json = crate::workbench::export::content(
        &bench.state,
        Subject::Plot,
        std::path::Path::new("a.json"),
    );
    assert!(json.unwrap().contains("\"slices\""));
}

#[test]
fn the_title_of_a_map_names_each_value_once_and_its_legend_tells_lines_apart() {
    let text = "name: Egg\ncoordinates: [x, y, z]\nlagrangian: 1/2*(x'^2 + y'^2 + z'^2) - z\n\
        constraints: {s: x^2 + y^2/4 + z^2 = 1}\nstart: {x: 0.6, y: 0, x': 0, y': 1}\nguess: {z: 0.8}\n";
    let mut bench = Bench::paused(text, (120, 30), 1.0);
    bench.keys("K enter z");
    let screen = bench.screen();
    assert!(
        screen.contains("Map x, z; y = -2.000 … 2.000; levels y = 0 "),
        "{screen}"
    );
    let sample = |label: &str| {
        let before = screen.split(label).next().unwrap();
        let from = before.rfind("  ").unwrap();
        before[from..].trim().to_owned()
    };
    let samples = [" det > 0", " det < 0", " det = 0"].map(sample);
    assert!(
        samples[0] != samples[1] && samples[1] != samples[2],
        "{samples:?}"
    );
    // in lines
    let said = crate::workbench::view::map::said(&bench.state);
    assert_eq!(
        said[0],
        "map of x across and z up; y = -2.000 … 2.000; levels y = 0"
    );
    assert!(
        said.iter().any(|line| line.starts_with("det < 0: x -")),
        "{said:?}"
    );
}

#[test]
fn escape_leads_from_the_map_back_to_where_one_was() {
    for tabs in ["", "tab ", "backtab "] {
        let mut bench = Bench::paused(BEAD, SIZE, 3.2);
        bench.keys(tabs);
        let before = bench.screen();
        bench.keys("m esc");
        assert_eq!(bench.screen(), before);
        // the probe is put away first
        bench.keys("m . esc");
        assert!(bench.state.map.shown);
        bench.keys("esc");
        assert_eq!(bench.screen(), before);
        // elsewhere the key does nothing
        bench.keys("m tab esc");
        assert!(bench.state.map.shown);
    }
}
