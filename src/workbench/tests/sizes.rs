//! Every pane, every view and every question, at every size of the terminal.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::*;
use crate::workbench::action::Context;
use crate::workbench::layout::LEAST;
use insta::assert_snapshot;

const BEAD: &str = "bead_on_parabola";
/// The largest size, columns and rows; all from nothing up to it are drawn.
const LARGEST: (u16, u16) = (120, 40);

/// What can be on the screen: a name, and the keys that lead there from a bead that stands still.
const VIEWS: &[(&str, &str)] = &[
    ("system", ""),
    ("system alone", "z"),
    ("editing", "e down x"),
    ("theorem", "tab"),
    ("theorem alone", "tab z"),
    ("picture", "tab tab"),
    ("picture alone", "tab tab z"),
    ("equations", "tab tab tab"),
    ("equations alone", "tab tab tab z"),
    ("a form of the equations alone", "f f f f z"),
    ("plot", "tab tab tab tab"),
    ("plot alone", "tab tab tab tab z"),
    ("portrait alone", "tab tab tab tab v v z"),
    ("map", "m"),
    ("map alone", "m z"),
    ("probe", ". right"),
    ("help", "z ?"),
    ("systems", "z o"),
    ("columns", "z c"),
    ("parameters", "p right"),
    ("parameters over one pane", "tab z p right"),
    ("problems", "z ! down"),
    ("methods", "z D"),
    ("equilibria", "z B"),
    ("handout", "W"),
    ("inverse functions", "W f"),
    ("atlas", "W f f"),
    ("a program, to the side", "W f f f right ctrl-d"),
    ("name", "z s"),
    ("export", "z E"),
    ("palette", "z : p l"),
    ("find", "z / x"),
    ("completion", "z e p tab"),
    ("unsaved", "z e x esc q"),
    ("an error", "e x esc"),
];

/// Questions that no key asks.
const QUESTIONS: [&str; 4] = ["overwrite", "replace", "recovered", "disk"];

fn question(name: &str) -> Bench {
    let mut bench = Bench::paused(BEAD, (80, 24), 3.2);
    bench.keys("z");
    match name {
        "overwrite" => {
            bench
                .disk
                .insert("bead_on_parabola.yaml".into(), String::new());
            bench.keys("s enter");
        }
        "replace" => bench.keys("E enter E enter"),
        "recovered" => bench.send(Event::Recovered {
            kept: Some(Kept {
                text: "name: kept".to_owned(),
                age: None,
            }),
            others: Vec::new(),
            shared: false,
        }),
        _ => {
            bench.keys("s enter");
            bench.send(Event::Disk {
                path: "bead_on_parabola.yaml".into(),
                text: Ok(Some("theirs".to_owned())),
            });
        }
    }
    assert!(bench.state.dialog.is_some(), "{name}");
    bench
}

/// Sizes at which another part comes or goes.
const EDGES: [(u16, u16); 7] = [
    LEAST,
    (75, 20),
    (76, 19),
    (76, 20),
    (109, 34),
    (110, 33),
    (110, 34),
];

/// One of so many sizes that show a pane, from this one on, and those where something changes.
fn sizes(first: usize, step: usize) -> impl Iterator<Item = (u16, u16)> {
    let widths = LEAST.0..=LARGEST.0;
    let all = widths.flat_map(|width| (LEAST.1..=LARGEST.1).map(move |height| (width, height)));
    all.skip(first % step).step_by(step).chain(EDGES)
}

/// Draws it at these sizes.
fn drawn_at(bench: &mut Bench, name: &str, sizes: impl Iterator<Item = (u16, u16)>) {
    // the map of one size serves for all of them
    bench.answering = false;
    for (width, height) in sizes {
        bench.send(Event::Resize(width, height));
        let area = bench.draw_on((width, height), |buffer| buffer.area);
        assert_eq!((area.width, area.height), (width, height), "{name}");
    }
    // the terminal may have another size by the time it is drawn on
    for size in [(0, 0), (41, 13), (80, 24)] {
        bench.draw_on(size, |_| ());
    }
}

/// Each at one of so many sizes; which those are differs from view to view.
fn everything_is_drawn_at(step: usize) {
    let jobs: Vec<(&str, Option<&str>)> = VIEWS
        .iter()
        .map(|(name, keys)| (*name, Some(*keys)))
        .chain(QUESTIONS.iter().map(|name| (*name, None)))
        .collect();
    let next = AtomicUsize::new(0);
    let threads = thread::available_parallelism()
        .map_or(2, usize::from)
        .min(8);
    thread::scope(|scope| {
        let work = || {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some((name, keys)) = jobs.get(number) else {
                    return;
                };
                let mut bench = match keys {
                    Some(_) => Bench::paused(BEAD, (80, 24), 3.2),
                    None => question(name),
                };
                bench.keys(keys.unwrap_or_default());
                drawn_at(&mut bench, name, sizes(number, step));
            }
        };
        (0..threads).for_each(|_| drop(scope.spawn(work)));
    });
}

#[test]
fn everything_is_drawn_at_one_size_or_another() {
    // no divisor of the number of heights: all widths and all heights come
    everything_is_drawn_at(13);
}

#[test]
#[ignore = "a hundred thousand pictures: run it where layouts change"]
fn everything_is_drawn_at_every_size() {
    everything_is_drawn_at(1);
}

#[test]
fn what_is_too_small_says_so_at_every_size() {
    let mut bench = Bench::paused(BEAD, (80, 24), 3.2);
    for keys in [
        "",
        "tab z",
        "m",
        "?",
        "esc o",
        "esc p",
        "esc s",
        "esc e x esc q",
    ] {
        bench.send(Event::Resize(80, 24));
        bench.keys(keys);
        for width in 0..=LARGEST.0 {
            for height in 0..=LARGEST.1 {
                if width >= LEAST.0 && height >= LEAST.1 {
                    continue;
                }
                bench.send(Event::Resize(width, height));
                let screen = bench.screen();
                let said = screen.contains("40x12");
                assert_eq!(
                    said,
                    width >= 5 && height >= 1,
                    "{width}x{height}\n{screen}"
                );
            }
        }
    }
}

#[test]
fn nothing_is_changed_where_the_terminal_is_too_small_to_show_it() {
    let mut bench = Bench::paused(BEAD, (80, 24), 3.2);
    bench.keys("e");
    bench.send(Event::Resize(39, 12));
    let text = bench.state.editor.text();
    bench.write("abc");
    bench.send(Event::Paste("pasted".to_owned()));
    bench.keys("enter backspace esc ctrl-d");
    assert_eq!(bench.state.editor.text(), text);
    bench.send(Event::Resize(80, 24));
    assert_eq!(bench.state.context(), Context::Edit);
    bench.write("x");
    // unsaved text is not given up by a question that nobody sees
    bench.send(Event::Resize(39, 12));
    bench.keys("ctrl-q d");
    assert!(!bench.quit);
    bench.send(Event::Resize(80, 24));
    assert!(bench.screen().contains("Save them, or leave without?"));
    bench.keys("esc u");
    let mut bench = Bench::paused(BEAD, (39, 12), 3.2);
    bench.keys("q");
    assert!(bench.quit);
}

#[test]
fn good_sizes() {
    let mut bench = Bench::paused(BEAD, (120, 40), 3.2);
    assert_snapshot!("five_panes", bench.screen());
    bench.send(Event::Resize(100, 30));
    assert_snapshot!("three_panes", bench.screen());
    bench.send(Event::Resize(76, 20));
    assert_snapshot!("three_panes_at_least", bench.screen());
    bench.send(Event::Resize(75, 24));
    assert_snapshot!("two_panes", bench.screen());
    bench.send(Event::Resize(200, 60));
    assert_snapshot!("several_plots_beside_each_other", bench.screen());
}

#[test]
fn the_header_of_a_narrow_terminal_keeps_name_and_time_apart() {
    for width in 40..80 {
        let mut bench = Bench::paused(BEAD, (width, 12), 0.96);
        let header =
            |bench: &mut Bench| bench.screen().lines().next().unwrap().trim_end().to_owned();
        let line = header(&mut bench);
        assert!(line.contains("bead_on_parabola  "), "{line}");
        assert!(line.contains(" t 0.960 / 10  paused"), "{line}");
        bench.keys("e x");
        let line = header(&mut bench);
        assert!(line.contains("  modified "), "{line}");
        assert!(line.contains(" t 0.960 / 10"), "{line}");
    }
}

#[test]
fn the_state_of_the_file_is_the_last_to_go_from_the_header() {
    let mut bench = Bench::paused("name: f", (80, 24), 0.0);
    bench.keys("e x");
    bench.send(Event::Disk {
        path: "mine.yaml".into(),
        text: Ok(Some("theirs".to_owned())),
    });
    for width in 16..=120 {
        bench.send(Event::Resize(width, 12));
        let told = bench.draw_on((width, 12), crate::workbench::screen::text);
        let line = told.lines().next().unwrap_or_default().to_owned();
        let is_small = !told.contains("System");
        assert!(is_small || line.contains("changed on disk"), "{told}");
    }
}
