//! Plots by key: columns, parts, axes, characters, the cursor, export.

use super::*;

const BEAD: &str = "bead_on_parabola";
const SIZE: (u16, u16) = (80, 24);

#[test]
fn any_column_is_plotted_against_any_other() {
    let mut bench = Bench::new(BEAD, SIZE);
    let count = bench.state.plots.views.len();
    for _ in 0..count {
        bench.keys("v");
    }
    assert_eq!(bench.state.plots.current, 0);
    bench.keys("c down down down down down space x enter");
    let view = bench.state.plots.view().unwrap().clone();
    assert_eq!(view.x, "lambda_wire");
    assert_eq!(view.y, ["x1", "x2", "lambda_wire"]);
    let columns = bench.state.analysis.as_ref().unwrap().columns();
    for _ in &columns {
        bench.keys("y x");
        bench.screen();
    }
    bench.keys("Y X");
    assert_eq!(bench.state.plots.views.len(), count + 1);
}

#[test]
fn a_plot_is_zoomed_moved_and_seen_whole_again() {
    let mut bench = Bench::paused(BEAD, SIZE, 3.2);
    let window = |bench: &Bench| bench.state.plots.lens.window;
    bench.keys("]");
    // half of it, and the time shown keeps its place
    assert_eq!(window(&bench).0, Some((1.6, 6.6)));
    bench.keys(">");
    assert_eq!(window(&bench).0, Some((2.85, 7.85)));
    bench.keys("< <");
    let (lo, hi) = window(&bench).0.unwrap();
    assert!((lo - 0.35).abs() < 1e-9 && (hi - 5.35).abs() < 1e-9);
    // out of sight, the time shown is followed while it plays
    bench.state.playhead.t = 9.0;
    bench.keys("space");
    bench.send(Event::Tick(0.01));
    let (lo, hi) = window(&bench).0.unwrap();
    assert!((lo..=hi).contains(&bench.state.playhead.t) && (hi - lo - 5.0).abs() < 1e-9);
    bench.keys("space [ [");
    assert_eq!(window(&bench), (None, None));
    // the Plot pane takes up and down
    bench.keys("tab tab tab tab up");
    assert_eq!(window(&bench).1, Some((-0.5, 1.5)));
    bench.keys("w pgup");
    assert!(window(&bench).1.is_some());
    // another view is seen whole
    bench.keys("v v");
    assert_eq!(window(&bench), (None, None));
    // a phase portrait is zoomed both ways
    bench.keys("]");
    assert!(window(&bench).0.is_some() && window(&bench).1.is_some());
    // no zoom runs out of doubles
    for _ in 0..120 {
        bench.keys("]");
        bench.screen();
    }
    for _ in 0..200 {
        bench.keys("[ ]");
    }
    for _ in 0..200 {
        bench.keys("[");
    }
    assert_eq!(window(&bench), (None, None));
}

#[test]
fn axes_drift_aspect_and_characters_have_a_key_each() {
    let mut bench = Bench::paused(BEAD, (120, 38), 3.2);
    bench.keys("c");
    // residual is the last column
    for _ in 0..12 {
        bench.keys("down");
    }
    bench.keys("y enter");
    let before = bench.screen();
    bench.keys("S");
    assert!(bench.screen().contains("y is logarithmic") && bench.screen() != before);
    bench.keys("S S S");
    assert!(bench.screen().contains("both axes are linear"));
    bench.keys("d");
    assert!(bench.screen().contains("x₁ - 1 "), "{}", bench.screen());
    bench.keys("d d v v v");
    bench.keys("b");
    assert_eq!(bench.state.theme.charset, Charset::Blocks);
    bench.keys("b");
    assert_eq!(bench.state.theme.charset, Charset::Sextants);
    bench.keys("b");
    assert!(bench.screen().is_ascii());
    bench.keys("b");
    assert!(!bench.screen().is_ascii());
    bench.keys("a");
    assert!(bench.screen().contains("both axes have the same scale"));
}

#[test]
fn the_cursor_reads_the_solvers_own_numbers() {
    let mut bench = Bench::new(BEAD, (120, 38));
    bench.send(Event::Tick(0.1234));
    bench.keys("space");
    let analysis = bench.state.analysis.clone().unwrap();
    let t = bench.state.playhead.t;
    let sample = analysis.motion.samples.iter().find(|s| s.t == t).unwrap();
    // the same numbers, as many digits as a double has
    bench.keys("R");
    let numbers: Vec<f64> = bench
        .clipboard
        .split('\t')
        .map(|n| n.parse().unwrap())
        .collect();
    assert_eq!(numbers, [t, sample.x[0], sample.x[1]]);
    let shown = crate::plot::number(sample.x[0], 8);
    assert!(bench.screen().contains(&format!("x₁ {shown}")));
    // of a plot in the plane the time comes first
    bench.keys("v v R");
    assert_eq!(bench.clipboard.split('\t').count(), 3);
    bench.keys("P");
    assert!(bench.clipboard.contains('▲') && bench.clipboard.contains("Phase"));
}

#[test]
fn what_is_plotted_goes_to_a_file_and_replaces_none_unasked() {
    let mut bench = Bench::paused(BEAD, SIZE, 3.2);
    bench.keys("E");
    assert!(bench.screen().contains("bead_on_parabola.svg"));
    bench.keys("enter");
    assert!(bench.screen().contains("wrote bead_on_parabola.svg"));
    let first = bench.disk[&PathBuf::from("bead_on_parabola.svg")].clone();
    assert!(first.starts_with("<svg ") && first.ends_with("</svg>\n"));
    // the name is asked again, and a file replaced only where that is wanted
    bench.keys("v E");
    bench.clear_line();
    bench.write("bead_on_parabola.svg");
    bench.keys("enter");
    assert!(bench.screen().contains("bead_on_parabola.svg exists."));
    bench.keys("esc");
    assert_eq!(bench.disk[&PathBuf::from("bead_on_parabola.svg")], first);
    bench.keys("E");
    bench.clear_line();
    bench.write("bead_on_parabola.svg");
    bench.keys("enter o");
    assert_ne!(bench.disk[&PathBuf::from("bead_on_parabola.svg")], first);
    // what is seen: the window alone
    bench.keys("] E");
    bench.clear_line();
    bench.write("a.csv");
    bench.keys("enter");
    let table = &bench.disk[&PathBuf::from("a.csv")];
    assert!(table.starts_with("t,lambda_wire\n"), "{table}");
    let rows = table.lines().count() - 1;
    assert!((500..=501).contains(&rows), "{rows}");
    bench.keys("E");
    bench.clear_line();
    bench.write("a.json");
    bench.keys("enter");
    let object = &bench.disk[&PathBuf::from("a.json")];
    let object: serde_json::Value = serde_json::from_str(object).unwrap();
    let plot = &object["plots"][0];
    assert_eq!(plot["x"]["values"].as_array().unwrap().len(), rows);
    assert_eq!(plot["y"]["series"][0]["name"], "lambda_wire");
    // a name that says no form
    bench.keys("E");
    bench.clear_line();
    bench.write("a.png");
    bench.keys("enter");
    assert!(bench.screen().contains("has to end in .svg"));
    bench.keys("esc");
    assert!(!bench.state.modified && bench.state.document.path().is_none());
}

#[test]
fn a_phase_plot_tells_both_numbers_at_the_cursor() {
    let mut bench = Bench::paused(BEAD, (80, 24), 3.2);
    // x2 against x1
    bench.keys("c down x space esc");
    let view = bench.state.plots.view().unwrap().clone();
    assert_eq!(
        (view.x.as_str(), view.y.as_slice()),
        ("x1", &["x2".to_owned()][..])
    );
    let screen = bench.screen();
    let x1 = bench.state.position[0];
    let told = format!("t 3.200  x₁ {}", crate::plot::number(x1, 8));
    assert!(screen.contains(&told), "{told}\n{screen}");
}

#[test]
fn a_column_is_never_alone_against_itself() {
    let mut bench = Bench::paused(BEAD, SIZE, 0.0);
    bench.keys("c o esc");
    for key in ["x", "X", "y", "Y"] {
        for _ in 0..40 {
            bench.keys(key);
            let view = bench.state.plots.view().unwrap();
            assert_ne!(view.y, std::slice::from_ref(&view.x), "{key}");
        }
    }
    // in the list the two change places, or time is across
    let shown = |bench: &Bench| {
        let view = bench.state.plots.view().unwrap();
        (view.x.clone(), view.y.clone())
    };
    let mut bench = Bench::paused(BEAD, SIZE, 0.0);
    bench.keys("c down o x");
    assert_eq!(shown(&bench), ("x1".to_owned(), vec!["t".to_owned()]));
    bench.keys("o");
    assert_eq!(shown(&bench), ("t".to_owned(), vec!["x1".to_owned()]));
}
