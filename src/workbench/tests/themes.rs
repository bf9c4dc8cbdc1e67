//! What is told apart without colour: by a sign or by an attribute, in both sets of characters.

use super::*;
use crate::workbench::layout::Pane;
use ratatui::style::{Color, Modifier};

const BEAD: &str = "bead_on_parabola";
const SIZE: (u16, u16) = (100, 30);
const CHARSETS: [Charset; 2] = [Charset::Braille, Charset::Ascii];

fn mono(system: &str, t: f64, charset: Charset) -> Bench {
    let mut bench = Bench::paused(system, SIZE, t);
    bench.state.theme = Theme {
        scheme: Scheme::Mono,
        charset,
    };
    bench
}

/// What is drawn with an attribute.
fn marked(bench: &mut Bench, modifier: Modifier) -> String {
    let cells = bench.buffer().content;
    let marked = cells.iter().filter(|cell| cell.modifier.contains(modifier));
    marked.map(Cell::symbol).collect()
}

fn colourless(bench: &mut Bench) {
    let plain = |cell: &Cell| cell.fg == Color::Reset && cell.bg == Color::Reset;
    assert!(bench.buffer().content.iter().all(plain));
}

#[test]
fn the_line_chosen_stands_out_in_every_list() {
    for charset in CHARSETS {
        for (keys, chosen) in [
            ("o down", "Bead on a rotating rod"),
            ("c", "t"),
            (": p l o t", ""),
            ("p", "m "),
            ("! down", "1.7848"),
            ("B", "stable"),
        ] {
            let mut bench = mono(BEAD, 3.2, charset);
            bench.keys(keys);
            let seen = marked(&mut bench, Modifier::REVERSED);
            assert!(
                seen.contains(chosen) && !seen.trim().is_empty(),
                "{keys}: {seen}"
            );
            // one line, and not the whole list
            assert!(
                seen.chars().count() <= usize::from(SIZE.0),
                "{keys}: {seen}"
            );
            colourless(&mut bench);
        }
    }
}

#[test]
fn the_pane_that_has_the_keys_is_framed_in_another_way() {
    for charset in CHARSETS {
        let mut bench = mono(BEAD, 3.2, charset);
        let mut corners = Vec::new();
        for _ in 0..2 {
            let buffer = bench.buffer();
            let layout = bench.state.layout();
            let edge = |pane: Pane| {
                let rect = layout.pane(pane).unwrap();
                let cell = &buffer[(rect.x, rect.y + 2)];
                (cell.symbol().to_owned(), cell.modifier)
            };
            let (system, theorem) = (edge(Pane::System), edge(Pane::Theorem));
            assert!(
                system.0 != theorem.0 && system.1 != theorem.1,
                "{system:?} {theorem:?}"
            );
            corners.push((system, theorem));
            bench.keys("tab");
        }
        // the keys have gone from one to the other
        assert_eq!(corners[0].0, corners[1].1);
        assert_eq!(corners[0].1, corners[1].0);
        colourless(&mut bench);
    }
}

#[test]
fn whether_it_holds_is_a_word_and_a_sign() {
    for charset in CHARSETS {
        let mut bench = mono(BEAD, 3.2, charset);
        let verdict = |bench: &mut Bench| bench.screen().lines().nth(1).unwrap().to_owned();
        assert!(verdict(&mut bench).contains("HOLDS"));
        assert_eq!(verdict(&mut bench).contains('✓'), charset != Charset::Ascii);
        assert!(!marked(&mut bench, Modifier::REVERSED).contains("HOLDS"));
        assert!(marked(&mut bench, Modifier::BOLD).contains("HOLDS"));
        // the branch in force has a mark of its own
        let arrows = |bench: &mut Bench| {
            bench
                .screen()
                .lines()
                .filter(|l| l.contains("│>") || l.contains("|>"))
                .count()
        };
        assert_eq!(arrows(&mut bench), 1, "{}", bench.screen());
        bench.keys("n");
        assert!(verdict(&mut bench).contains("FAILS"));
        assert_eq!(verdict(&mut bench).contains('✗'), charset != Charset::Ascii);
        assert!(marked(&mut bench, Modifier::REVERSED).contains("FAILS"));
        // failures on the axis of time
        let sign = if charset == Charset::Ascii {
            '^'
        } else {
            '▲'
        };
        assert!(bench.screen().matches(sign).count() > 5);
        colourless(&mut bench);
    }
}

#[test]
fn an_error_is_at_its_place_and_the_last_result_is_dimmed() {
    for charset in CHARSETS {
        let mut bench = mono(BEAD, 3.2, charset);
        bench.keys("e x");
        assert!(marked(&mut bench, Modifier::UNDERLINED).contains("xname"));
        assert!(marked(&mut bench, Modifier::REVERSED).contains("ERROR"));
        assert!(marked(&mut bench, Modifier::DIM).contains("det J"));
        // unsaved text is told in words
        assert!(bench.screen().lines().next().unwrap().contains("modified"));
        colourless(&mut bench);
    }
}

#[test]
fn curves_are_told_apart_by_their_dashes_or_letters() {
    for charset in CHARSETS {
        let mut bench = mono("product_and_sum", 1.0, charset);
        bench.keys("tab tab tab tab z");
        let screen = bench.screen();
        let legend = screen.lines().nth(2).unwrap();
        // what is before the name of each
        let sample = |name: &str| {
            let (before, _) = legend.split_once(&format!(" {name} ")).unwrap();
            let sample = before.rsplit("  ").next().unwrap();
            sample.trim().to_owned()
        };
        let names = match charset {
            Charset::Ascii => ["x1", "x2", "x3"],
            _ => ["x₁", "x₂", "x₃"],
        };
        let samples = names.map(sample);
        assert!(samples.iter().all(|s| !s.is_empty()), "{legend}");
        for k in 0..3 {
            assert_ne!(samples[k], samples[(k + 1) % 3], "{legend}");
        }
        // what is zero at a failure is said in full
        let zero = if charset == Charset::Ascii {
            "x1 - x2 = 0"
        } else {
            "x₁ - x₂ = 0"
        };
        assert!(
            screen.lines().skip(10).any(|line| line.contains(zero)),
            "{screen}"
        );
        colourless(&mut bench);
    }
}

#[test]
fn most_contrast_has_a_ground_of_its_own_everywhere() {
    for keys in [
        "",
        "?",
        "o",
        "m z",
        ":",
        "p",
        "!",
        "e x",
        "tab tab z",
        "B",
        "esc n",
    ] {
        let mut bench = Bench::paused(BEAD, SIZE, 3.2);
        bench.state.theme.scheme = Scheme::Contrast;
        bench.keys(keys);
        let buffer = bench.buffer();
        let bare = |cell: &&Cell| cell.fg == Color::Reset || cell.bg == Color::Reset;
        assert_eq!(buffer.content.iter().filter(bare).count(), 0, "{keys}");
        let dim = |cell: &&Cell| cell.modifier.contains(Modifier::DIM);
        assert_eq!(buffer.content.iter().filter(dim).count(), 0, "{keys}");
    }
}
