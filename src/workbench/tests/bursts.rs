//! Keys and pastes that come faster than pictures; screens that no terminal has; what is not kept.

use std::collections::VecDeque;

use super::*;
use crate::workbench::dialog::{Dialog, Find, Palette, Prompt, Systems};
use crate::workbench::export;
use crate::workbench::keyboard;
use crate::workbench::text::columns;

const BEAD: &str = "bead_on_parabola";
const SIZE: (u16, u16) = (80, 24);

/// Presses keys that all wait already, as the program takes them.
fn at_once(bench: &mut Bench, keys: impl IntoIterator<Item = KeyEvent>) -> usize {
    let mut waiting: VecDeque<Event> = keys.into_iter().map(Event::Key).collect();
    let mut changes = 0;
    while let Some(event) = keyboard::next(&bench.state, &mut waiting) {
        bench.send(event);
        changes += 1;
    }
    changes
}

fn letters(text: &str) -> impl Iterator<Item = KeyEvent> + '_ {
    text.chars().map(|symbol| match symbol {
        '\n' => KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE),
        symbol => KeyEvent::new(KeyCode::Char(symbol), KeyModifiers::NONE),
    })
}

#[test]
fn what_is_typed_in_one_burst_is_one_change() {
    let mut bench = Bench::new(BEAD, SIZE);
    bench.answering = false;
    bench.keys("e");
    let before = (bench.state.generation, bench.state.editor.text());
    let text = "# a comment, and a line\n".repeat(4000);
    assert_eq!(at_once(&mut bench, letters(&text)), 1);
    assert_eq!(bench.state.generation, before.0 + 1);
    assert_eq!(bench.state.editor.text(), format!("{text}{}", before.1));
    assert_eq!(
        bench.journal.as_deref(),
        Some(bench.state.editor.text().as_str())
    );
    assert!(bench.state.editor.undo() && bench.state.editor.text() == before.1);
}

#[test]
fn keys_typed_ahead_do_what_they_do_one_after_the_other() {
    let keys = || {
        let names =
            "e x y esc u u e a b ctrl-z c enter d left e esc q esc / m a s s enter n N ? esc";
        names.split(' ').map(key).collect::<Vec<_>>()
    };
    // all lines are seen: where a text is scrolled, errors on the way bring theirs into sight
    let size = (120, 120);
    let mut one = Bench::new(BEAD, size);
    for key in keys() {
        one.send(Event::Key(key));
    }
    let mut other = Bench::new(BEAD, size);
    let changes = at_once(&mut other, keys());
    assert!(changes < keys().len());
    assert_eq!(one.state.editor.text(), other.state.editor.text());
    assert!(one.outcome() == other.outcome());
}

#[test]
fn a_paste_into_a_line_is_one_change_of_bounded_length() {
    for open in ["/", ":", "o /", "s"] {
        let mut bench = Bench::new(BEAD, SIZE);
        bench.keys(open);
        bench.send(Event::Paste("m\u{1b}a\n".repeat(25_000)));
        let text = match &bench.state.dialog {
            Some(
                Dialog::Find(Find { line, .. })
                | Dialog::Palette(Palette { line, .. })
                | Dialog::Prompt(Prompt { line, .. })
                | Dialog::Systems(Systems {
                    filter: Some(line), ..
                }),
            ) => line.text.clone(),
            other => panic!("{open}: {other:?}"),
        };
        assert_eq!(text, "ma".repeat(500), "{open}");
    }
}

#[test]
fn a_text_that_is_as_long_as_it_may_be_says_so() {
    let mut bench = Bench::new(BEAD, SIZE);
    bench.answering = false;
    bench.keys("e");
    let before = bench.state.editor.text();
    bench.send(Event::Paste("x".repeat(1_100_000)));
    assert!(
        bench.screen().contains("at most 1024 KiB"),
        "{}",
        bench.screen()
    );
    assert_eq!(bench.state.editor.text(), before);
    let room = (1 << 20) - before.len();
    bench.send(Event::Paste("x".repeat(room)));
    assert!(bench.state.notice.is_none());
    for key in ["y", "enter"] {
        bench.keys(key);
        assert!(bench.screen().contains("at most 1024 KiB"), "{key}");
        assert_eq!(bench.state.editor.text().len(), 1 << 20);
    }
    bench.keys("backspace y");
    assert!(bench.state.notice.is_none());
}

#[test]
fn the_header_says_what_is_not_kept_and_why() {
    let reason = "no permission to write, and no other place takes it";
    let warning = format!("not kept: {reason}");
    let mut bench = Bench::new(BEAD, SIZE);
    for keys in ["", "e x"] {
        bench.keys(keys);
        for (width, height) in (12..=140).flat_map(|w| [1, 2, 12, 24].map(|h| (w, h))) {
            bench.send(Event::Resize(width, height));
            bench.send(Event::Keeping(Some(reason.to_owned())));
            let screen = bench.screen();
            let whole = usize::from(width) >= "holonom  ".len() + columns(&warning);
            let wanted = if whole { &warning } else { "not kept: " };
            assert!(screen.contains(wanted), "{width}x{height}\n{screen}");
            bench.send(Event::Keeping(None));
            let screen = bench.screen();
            assert!(!screen.contains("not kept"), "{width}x{height}\n{screen}");
        }
    }
}

#[test]
fn the_screen_is_drawn_anew_wherever_one_is() {
    for open in [
        "",
        "e",
        "o",
        "o /",
        "?",
        ":",
        "s",
        "e x esc q",
        "c",
        "p",
        "B",
        "W",
        "/",
        "m",
    ] {
        let mut bench = Bench::new(BEAD, SIZE);
        bench.keys(open);
        let context = bench.state.context();
        bench.redrawn = false;
        bench.keys("ctrl-l");
        assert!(bench.redrawn, "{open}");
        assert_eq!(bench.state.context(), context, "{open}");
    }
}

#[test]
fn a_plot_in_ascii_has_its_lines() {
    let mut bench = Bench::new(BEAD, SIZE);
    bench.state.theme.charset = Charset::Ascii;
    let text = export::text(&bench.state);
    assert!(text.is_ascii() && text.lines().count() > 10, "{text}");
    assert!(!text.contains('?'), "{text}");
    // P puts it on the clipboard
    bench.keys("P");
    assert_eq!(bench.clipboard, text);
}

#[test]
fn a_terminal_larger_than_any_is_drawn_in_part() {
    let mut bench = Bench::new(BEAD, SIZE);
    bench.send(Event::Resize(u16::MAX, u16::MAX));
    assert_eq!(bench.state.size, (1000, 500));
    assert!(bench.screen().contains("holonom"));
}
