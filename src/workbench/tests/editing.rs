//! The text: edited, undone, broken; what the motion makes of it.

use super::*;
use std::time::Duration;

use crate::analysis::{Analysis, Underway};
use crate::system::System;
use crate::workbench::dialog::{Dialog, Question};
use crate::workbench::worker::Analysed;

const BEAD: &str = "bead_on_parabola";
const SIZE: (u16, u16) = (80, 24);

/// Puts the cursor behind the first occurrence of a text and edits.
pub(super) fn edit_behind(bench: &mut Bench, text: &str) {
    bench.keys("e");
    let (line, at) = bench
        .state
        .editor
        .lines()
        .iter()
        .enumerate()
        .find_map(|(line, words)| Some((line, words.find(text)?)))
        .unwrap();
    let place = crate::workbench::editor::TextPosition {
        line,
        column: at + text.len(),
    };
    bench.state.editor.go_to(place);
}

#[test]
fn every_printable_key_is_text_while_editing() {
    let mut bench = Bench::new("", SIZE);
    bench.keys("e");
    let all: String = (' '..='~').collect();
    bench.write(&all);
    assert_eq!(bench.state.editor.text(), all);
    assert!(bench.state.editing && bench.state.dialog.is_none() && !bench.quit);
    bench.keys("f1");
    assert!(matches!(bench.state.dialog, Some(Dialog::Help(_))));
    bench.keys("q");
    assert!(bench.state.dialog.is_none() && bench.state.editing);
    bench.keys("ctrl-q");
    assert!(matches!(
        bench.state.dialog,
        Some(Dialog::Question(Question::Leave { .. }))
    ));
}

#[test]
fn a_parameter_is_edited_and_the_motion_follows() {
    let mut bench = Bench::new(BEAD, SIZE);
    let before = bench.state.analysis.as_ref().unwrap().motion.flags[0].t;
    let plot = |bench: &mut Bench| bench.screen().lines().skip(14).collect::<String>();
    let drawn = plot(&mut bench);
    edit_behind(&mut bench, "9.81");
    bench.keys("backspace backspace backspace backspace");
    assert!(bench.state.stale());
    assert!(bench.state.analysis.is_some());
    bench.write("1.62");
    assert!(!bench.state.stale() && bench.state.modified);
    let analysis = bench.state.analysis.as_ref().unwrap();
    assert!((analysis.motion.flags[0].t / before - (9.81_f64 / 1.62).sqrt()).abs() < 1e-6);
    assert_ne!(plot(&mut bench), drawn);
}

#[test]
fn a_long_analysis_fills_the_panes_part_by_part() {
    let mut bench = Bench::new(BEAD, SIZE);
    let whole = bench.state.analysis.clone().unwrap();
    bench.answering = false;
    edit_behind(&mut bench, "9.81");
    bench.write("1");
    let request = bench.state.asked.clone().unwrap();
    let mut parts = Vec::new();
    let system = System::parse(&request.text, "bead", &[]).unwrap();
    let cancel = AtomicBool::new(false);
    let mut tell = |part| parts.push(part);
    let last = Analysis::in_parts(system, &cancel, (Duration::ZERO, &mut tell)).unwrap();
    assert!(parts.len() > 5 && last.underway.is_none());
    let reached = |part: &Analysis| match part.underway {
        Some(Underway::Motion(reached)) => reached,
        _ => 1.0,
    };
    assert!(
        parts
            .windows(2)
            .all(|pair| reached(&pair[0]) <= reached(&pair[1]))
    );
    assert_eq!(parts.pop().unwrap().underway, Some(Underway::Failures));
    // a motion that has not come to the time that is looked at stays in the background
    bench.state.playhead.t = 0.9 * whole.model().system.run.until;
    let early = parts.swap_remove(1);
    let percent = format!("modified {:.0} % …", 100.0 * reached(&early));
    bench.send(Event::Answer(request.answer(Ok(Analysed::of(early)))));
    assert!(bench.screen().contains(&percent), "{}", bench.screen());
    let shown = bench.state.analysis.as_ref().unwrap();
    assert!(std::rc::Rc::ptr_eq(&whole, shown) && bench.state.pending);
    let late = parts.pop().unwrap();
    assert!(reached(&late) > 0.9);
    bench.send(Event::Answer(request.answer(Ok(Analysed::of(late)))));
    let screen = bench.screen();
    assert!(screen.contains("not yet looked for"), "{screen}");
    assert!(bench.state.pending && bench.state.playhead.t == 0.9 * whole.model().system.run.until);
    bench.send(Event::Answer(request.answer(Ok(Analysed::of(last)))));
    let screen = bench.screen();
    assert!(!bench.state.pending && !screen.contains(" % …"), "{screen}");
}

#[test]
fn stale_answers_are_dropped() {
    let mut bench = Bench::new(BEAD, SIZE);
    let good = bench.state.analysis.clone().unwrap();
    bench.answering = false;
    edit_behind(&mut bench, "9.81");
    bench.write("1");
    let old = bench.state.generation;
    bench.write("2");
    let error = Diagnostic::without_place("", "late");
    bench.send(Event::Answer(Answer {
        generation: old,
        result: Err(super::super::worker::Trouble::Text(vec![error])),
    }));
    assert!(bench.state.pending && !bench.state.stale());
    assert!(std::rc::Rc::ptr_eq(
        &good,
        bench.state.analysis.as_ref().unwrap()
    ));
}

#[test]
fn undo_works_in_and_outside_the_editor() {
    let mut bench = Bench::new(BEAD, SIZE);
    let text = bench.state.editor.text();
    edit_behind(&mut bench, "9.81");
    bench.write("55");
    bench.keys("ctrl-7");
    assert_eq!(bench.state.editor.text(), text);
    assert!(!bench.state.modified);
    bench.keys("ctrl-r esc u");
    assert_eq!(bench.state.editor.text(), text);
    bench.keys("U");
    assert!(bench.state.modified);
    bench.keys("u u");
    assert!(bench.state.notice.is_some());
}

#[test]
fn a_text_that_becomes_shorter_is_in_sight() {
    let mut bench = Bench::new(BEAD, SIZE);
    bench.keys("e ctrl-end");
    bench.send(Event::Paste("# more\n".repeat(60)));
    bench.keys("ctrl-7");
    let screen = bench.screen();
    // the last lines of it, not the one with the cursor alone
    assert!(screen.contains("value: t"), "{screen}");
}

#[test]
fn broken_text_of_any_kind_is_survived() {
    for text in [
        "",
        "\u{feff}",
        "a: [",
        "\u{1b}[31m: 1\n\t\0",
        "name: 1\nname: 2",
        "lagrangian: x'^2",
    ] {
        let mut bench = Bench::new(text, SIZE);
        assert!(bench.state.stale(), "{text:?}");
        bench.keys("e down up end home ctrl-k ctrl-w del enter backspace x");
        let screen = bench.screen();
        assert!(
            !screen.contains('\u{1b}') && screen.contains("ERROR"),
            "{text:?}"
        );
    }
}

#[test]
fn another_choice_is_written_where_the_text_has_one_or_where_it_belongs() {
    let text = |choice: &str, start: &str| {
        format!(
            "name: P\ncoordinates: [x1, x2]\nlagrangian: (x1'^2 + x2'^2)/2 - x2\n{choice}constraints:\n  wire: x2 - x1^2\n{start}"
        )
    };
    let start = "start: {x1: 1}\n";
    for (choice, start, wanted, rest) in [
        (
            "dependent: [x1]\n",
            start,
            "\ndependent: [x2]\nconstraints",
            0,
        ),
        (
            "dependent: [x1]  # of two\n",
            start,
            "\ndependent: [x2]  # of two\n",
            0,
        ),
        (
            "dependent:\n  - x1\n",
            start,
            "\ndependent: [x2]\nconstraints",
            0,
        ),
        ("", start, "\ndependent: [x1]\nstart", 1),
        (
            "",
            "guess: {x1: 1}\n",
            "\nguess: {x1: 1}\ndependent: [x1]\n",
            1,
        ),
        ("", "guess: {x1: 1}", "\nguess: {x1: 1}\ndependent: [x1]", 1),
    ] {
        let before = text(choice, start);
        let mut bench = Bench::paused(&before, SIZE, 0.1);
        let own = bench.state.analysis.as_ref().unwrap().dependent.clone();
        bench.keys("Q");
        let after = bench.state.editor.text();
        let wanted = wanted.replace(
            "x1]",
            if own == [0] && rest == 1 {
                "x2]"
            } else {
                "x1]"
            },
        );
        assert!(after.contains(&wanted), "{before}{after}");
        let chosen = System::parse(&after, "test", &[])
            .unwrap()
            .dependent
            .unwrap();
        assert_ne!(chosen, own, "{after}");
        assert_eq!(bench.state.analysis.as_ref().unwrap().dependent, chosen);
        bench.keys("u");
        assert_eq!(bench.state.editor.text(), before);
    }
}

#[test]
fn an_accent_of_its_own_stands_over_its_letter() {
    let text = "name: Cafe\u{301}!\ncoordinates: [x]\nlagrangian: x'^2/2\nstart: {x: 1}\n";
    let mut bench = Bench::paused(text, (80, 24), 0.0);
    let screen = bench.screen();
    assert!(screen.contains("name: Cafe\u{301}!"), "{screen}");
    assert!(!screen.contains("Cafe?"), "{screen}");
    // what comes after it is where it was
    let line = screen.lines().find(|line| line.contains("coordinates: ["));
    let other = screen.lines().find(|line| line.contains("name:"));
    let columns = |line: &str| crate::workbench::text::columns(line);
    assert_eq!(line.map(columns), other.map(columns));
}
