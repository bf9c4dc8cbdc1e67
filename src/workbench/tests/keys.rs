//! Sequences of keys and what the state is after them.

use super::*;
use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};

use crate::workbench::action::{self, Context, TABLE};
use crate::workbench::editor::Place;
use crate::workbench::layout::Pane;
use crate::workbench::state::Dialog;

const BEAD: &str = "bead_on_parabola";
const SIZE: (u16, u16) = (80, 24);

#[test]
fn it_opens_playing_outside_the_editor() {
    let mut bench = Bench::new(BEAD, SIZE);
    assert!(bench.state.animated() && !bench.state.editing);
    bench.send(Event::Tick(0.1));
    assert!((bench.state.playhead.t - 0.1).abs() < 1e-12);
}

#[test]
fn it_stops_for_one_picture_at_a_failure() {
    let mut bench = Bench::new(BEAD, SIZE);
    bench.send(Event::Tick(0.59));
    assert!(bench.state.look.as_ref().unwrap().holds);
    bench.send(Event::Tick(0.1));
    assert!((bench.state.playhead.t - 0.594_923_842_7).abs() < 1e-8);
    let look = bench.state.look.as_ref().unwrap();
    assert!(!look.holds && look.branch.is_none());
    bench.send(Event::Tick(0.1));
    assert!(bench.state.playhead.t > 0.69 && bench.state.look.as_ref().unwrap().holds);
}

#[test]
fn what_is_said_of_a_failure_is_true_at_the_time_shown() {
    let mut bench = Bench::new(BEAD, SIZE);
    let verdict = |bench: &mut Bench| bench.screen().lines().nth(1).unwrap().to_owned();
    bench.send(Event::Tick(0.59));
    assert!(verdict(&mut bench).contains("HOLDS for x₁ near"));
    assert!(verdict(&mut bench).contains("fails at t 0.5949 (x₁ = 0); x₂ carries on"));
    bench.send(Event::Tick(0.1));
    assert!(
        verdict(&mut bench)
            .contains("FAILS for x₁ at t 0.5949: x₁ = 0, det = 0, a fold   x₂ carries on")
    );
    bench.send(Event::Tick(0.1));
    assert!(
        verdict(&mut bench)
            .contains("HOLDS for x₁ again   FAILED at t 0.5949 (x₁ = 0); x₂ carried on")
    );
    // what stands still is looked at exactly, and after a while what comes matters more
    bench.keys("space");
    assert!(verdict(&mut bench).contains("fails at t 1.7848"));
    bench.keys("space");
    bench.send(Event::Tick(0.7));
    assert!(verdict(&mut bench).contains("HOLDS for x₁ near (-"));
}

#[test]
fn the_motion_begins_anew_after_its_end() {
    let mut bench = Bench::new(BEAD, SIZE);
    bench.keys("end space");
    assert_eq!(bench.state.playhead.t.to_bits(), 0.0_f64.to_bits());
    bench.state.playhead.t = 9.999;
    bench.send(Event::Tick(0.2));
    assert_eq!(bench.state.playhead.t.to_bits(), 10.0_f64.to_bits());
    bench.send(Event::Tick(0.5));
    assert_eq!(bench.state.playhead.t.to_bits(), 10.0_f64.to_bits());
    bench.send(Event::Tick(0.6));
    assert_eq!(bench.state.playhead.t.to_bits(), 0.0_f64.to_bits());
}

#[test]
fn failures_are_reached_by_key_and_by_step() {
    let mut bench = Bench::new(BEAD, SIZE);
    bench.keys("n");
    assert!(!bench.state.playhead.playing && !bench.state.look.as_ref().unwrap().holds);
    let first = bench.state.playhead.t;
    bench.keys("n N");
    assert_eq!(bench.state.playhead.t.to_bits(), first.to_bits());
    bench.keys("left right");
    assert_eq!(bench.state.playhead.t.to_bits(), first.to_bits());
    bench.keys("right");
    assert!(bench.state.playhead.t > first && bench.state.look.as_ref().unwrap().holds);
    bench.keys("home L l h H");
    assert!(bench.state.playhead.t.abs() < 1e-12);
}

#[test]
fn a_paused_workbench_draws_nothing() {
    let mut bench = Bench::paused(BEAD, SIZE, 1.0);
    bench.state.changed = false;
    bench.send(Event::Tick(0.1));
    // keys that mean nothing
    bench.keys("Q % ctrl-x");
    assert!(!bench.state.changed);
    bench.keys("right");
    assert!(bench.state.changed);
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
    assert!(matches!(bench.state.dialog, Some(Dialog::Help { .. })));
    bench.keys("q");
    assert!(bench.state.dialog.is_none() && bench.state.editing);
    bench.keys("ctrl-q");
    assert!(matches!(bench.state.dialog, Some(Dialog::Leave { .. })));
}

/// Puts the cursor behind the first occurrence of a text and edits.
fn edit_behind(bench: &mut Bench, text: &str) {
    bench.keys("e");
    let (line, at) = bench
        .state
        .editor
        .lines()
        .iter()
        .enumerate()
        .find_map(|(line, words)| Some((line, words.find(text)?)))
        .unwrap();
    let place = crate::workbench::editor::Place {
        line,
        column: at + text.len(),
    };
    bench.state.editor.go_to(place);
}

#[test]
fn a_parameter_is_edited_and_the_motion_follows() {
    let mut bench = Bench::new(BEAD, SIZE);
    let before = bench.state.analysis.as_ref().unwrap().motion.flags[0].t;
    let version = bench.state.plots.version;
    edit_behind(&mut bench, "9.81");
    bench.keys("backspace backspace backspace backspace");
    assert!(bench.state.stale());
    assert!(bench.state.analysis.is_some());
    bench.write("1.62");
    assert!(!bench.state.stale() && bench.state.modified);
    let analysis = bench.state.analysis.as_ref().unwrap();
    assert!((analysis.motion.flags[0].t / before - (9.81_f64 / 1.62).sqrt()).abs() < 1e-6);
    assert!(bench.state.plots.version > version);
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
        result: Err(vec![error]),
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
    bench.keys("ctrl-u");
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
fn a_file_is_saved_and_reloaded() {
    let mut bench = Bench::new(find(BEAD).unwrap().text, SIZE);
    edit_behind(&mut bench, "9.81");
    bench.write("5");
    bench.keys("ctrl-s");
    assert!(bench.disk[&PathBuf::from("mine.yaml")].contains("9.815"));
    assert!(!bench.state.modified);
    bench.write("5");
    bench.keys("esc r d");
    assert!(!bench.state.editor.text().contains("9.8155"));
    assert!(bench.state.editor.text().contains("9.815"));
}

#[test]
fn a_file_changed_by_another_is_not_overwritten_unasked() {
    let mut bench = Bench::new(find(BEAD).unwrap().text, SIZE);
    bench.disk.insert("mine.yaml".into(), "theirs".into());
    edit_behind(&mut bench, "9.81");
    bench.write("5");
    bench.keys("esc s");
    assert!(matches!(
        bench.state.dialog,
        Some(Dialog::Overwrite { changed: true, .. })
    ));
    bench.keys("esc");
    assert_eq!(bench.disk[&PathBuf::from("mine.yaml")], "theirs");
    bench.keys("s o");
    assert!(bench.disk[&PathBuf::from("mine.yaml")].contains("9.815"));
    assert!(!bench.state.modified);
}

#[test]
fn a_built_in_system_is_saved_under_a_name() {
    let mut bench = Bench::new(BEAD, SIZE);
    bench.keys("s");
    assert!(
        matches!(&bench.state.dialog, Some(Dialog::Name { text, .. }) if text == "bead_on_parabola.yaml")
    );
    for _ in 0.."bead_on_parabola.yaml".len() {
        bench.keys("backspace");
    }
    bench.keys("enter");
    assert!(bench.state.notice.is_some() && bench.state.dialog.is_some());
    bench.write("mine.yamlq");
    bench.keys("left del enter");
    // it exists
    assert!(matches!(
        bench.state.dialog,
        Some(Dialog::Overwrite { changed: false, .. })
    ));
    bench.keys("o");
    assert_eq!(
        bench.state.document.source,
        Source::File("mine.yaml".into())
    );
}

#[test]
fn leaving_unsaved_text_asks() {
    let mut bench = Bench::new(find(BEAD).unwrap().text, SIZE);
    edit_behind(&mut bench, "9.81");
    bench.write("5");
    bench.keys("esc q esc");
    assert!(!bench.quit);
    bench.keys("q s");
    assert!(bench.quit && bench.disk[&PathBuf::from("mine.yaml")].contains("9.815"));

    let mut bench = Bench::new(BEAD, SIZE);
    bench.keys("e x ctrl-q d");
    assert!(bench.quit);

    let mut bench = Bench::new(BEAD, SIZE);
    bench.keys("q");
    assert!(bench.quit);
}

#[test]
fn systems_are_opened_by_number_and_from_the_list() {
    let mut bench = Bench::new(BEAD, SIZE);
    bench.keys("2");
    assert_eq!(bench.state.document.name(), "rotating_rod");
    assert_eq!(bench.state.analysis.as_ref().unwrap().coordinates.len(), 3);
    bench.keys("o down enter");
    assert_eq!(bench.state.document.name(), "product_and_sum");
    bench.keys("e x esc 1");
    assert!(matches!(bench.state.dialog, Some(Dialog::Leave { .. })));
    bench.keys("d");
    assert_eq!(bench.state.document.name(), BEAD);
    assert!(bench.state.playhead.playing);
}

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
fn panes_take_turns_and_zoom() {
    let mut bench = Bench::new(BEAD, SIZE);
    for pane in [
        Pane::Theorem,
        Pane::Picture,
        Pane::Equations,
        Pane::Plot,
        Pane::System,
    ] {
        bench.keys("tab");
        assert_eq!(bench.state.focus, pane);
        assert!(bench.state.layout().pane(pane).is_some());
        bench.keys("z j j k pgdn pgup z");
    }
    bench.keys("backtab");
    assert_eq!(bench.state.focus, Pane::Plot);
}

/// A workbench in which the keys have this meaning.
pub(super) fn in_context(context: Context, size: (u16, u16)) -> Bench {
    let system = match context {
        // there is more than one mode
        Context::Equilibria => "double_pendulum",
        _ => BEAD,
    };
    let mut bench = Bench::new(system, size);
    bench.keys(match context {
        Context::Browse | Context::Recover | Context::Disk => "",
        Context::Probe => ".",
        Context::Edit => "e",
        Context::Help => "?",
        Context::Systems => "o",
        Context::Columns => "c",
        Context::Parameters => "p right",
        Context::Problems => "!",
        Context::Methods => "D",
        Context::Equilibria => "B",
        Context::Name | Context::Overwrite => "s",
        Context::Leave => "e x esc q",
        Context::Palette => ":",
        Context::Find => "/",
        Context::Report => "W F right",
    });
    match context {
        Context::Overwrite => {
            bench.keys("backspace backspace backspace backspace backspace");
            bench.disk.insert("bead_on_parabola".into(), String::new());
            bench.keys("enter");
        }
        Context::Recover => bench.send(Event::Recovered {
            kept: Some(Kept {
                text: "kept".to_owned(),
                age: None,
            }),
            others: Vec::new(),
        }),
        Context::Disk => {
            bench.keys("s enter");
            bench.send(Event::Disk {
                path: "bead_on_parabola.yaml".into(),
                text: Some("theirs".to_owned()),
            });
        }
        _ => {}
    }
    assert_eq!(bench.state.context(), context);
    bench
}

/// Every key of the table, in every context it is for, at several sizes.
#[test]
fn every_action_can_be_taken() {
    for size in [(0, 0), (40, 12), SIZE, (120, 38)] {
        let mut contexts: Vec<(Context, Bench)> = Vec::new();
        for binding in TABLE {
            for &context in binding.when {
                if !contexts.iter().any(|(known, _)| *known == context) {
                    contexts.push((context, in_context(context, size)));
                }
                let (_, ready) = contexts.iter().find(|(c, _)| *c == context).unwrap();
                for key in binding.keys {
                    let mut bench = ready.again();
                    bench.send(Event::Key(key.event()));
                    bench.screen();
                }
            }
        }
    }
}

/// What an action is for is seen after its key: in the state, on the screen or outside.
#[test]
fn every_action_does_something_somewhere() {
    let mut idle: Vec<crate::workbench::action::Action> = Vec::new();
    for binding in TABLE {
        let mut done = false;
        for &context in binding.when {
            for &key in binding.keys {
                // in the middle of a motion, of a text, of a list: both ways are open
                for before in ["", "tab tab tab tab ] ]", "down down", "v v", "space"] {
                    let mut bench = if context == Context::Browse {
                        let mut bench = Bench::paused(BEAD, SIZE, 3.2);
                        bench.keys(before);
                        bench
                    } else {
                        let mut bench = in_context(context, SIZE);
                        if context == Context::Edit {
                            bench.keys("down down end x ctrl-u left left right");
                            bench.state.sought = "x1".to_owned();
                            if binding.action == action::Action::CompleteBack {
                                bench.keys("ctrl-home g");
                            }
                        } else if matches!(
                            context,
                            Context::Help | Context::Systems | Context::Columns | Context::Palette
                        ) {
                            bench.keys("down down");
                        } else if context == Context::Name {
                            bench.keys("left left");
                        }
                        if context == Context::Find {
                            bench.write("x1 ");
                            bench.keys("left left");
                        }
                        if context == Context::Palette {
                            bench.write("pl");
                            bench.keys("left");
                            bench.write("x");
                            bench.keys("backspace down");
                        }
                        bench
                    };
                    bench.state.notice = None;
                    bench.outside = |text| Ok(text + "# more\n");
                    let seen = bench.outcome();
                    bench.send(Event::Key(key.event()));
                    done |= bench.outcome() != seen || bench.redrawn;
                    if done || context != Context::Browse {
                        break;
                    }
                }
                if done {
                    break;
                }
            }
            if done {
                break;
            }
        }
        if !done {
            idle.push(binding.action);
        }
    }
    assert!(idle.is_empty(), "{idle:?}");
}

#[test]
fn signals_and_lost_input_end_it() {
    for event in [Event::Signal(15), Event::InputLost] {
        let mut bench = Bench::new(BEAD, SIZE);
        bench.keys("e x");
        bench.send(event);
        assert!(bench.quit);
    }
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
        bench.keys("e down up end home ctrl-k ctrl-w del enter tab");
        let screen = bench.screen();
        assert!(!screen.contains('\u{1b}') && screen.contains("ERROR"));
    }
}

#[test]
fn a_motion_may_run_backwards() {
    let text = find(BEAD).unwrap().text.replace("until: 10", "until: -2");
    let mut bench = Bench::new(&text, SIZE);
    bench.send(Event::Tick(0.25));
    assert!((bench.state.playhead.t + 0.25).abs() < 1e-12);
    bench.send(Event::Tick(0.25));
    bench.send(Event::Tick(0.25));
    // symmetric in time: the first failure is the mirrored one
    assert!((bench.state.playhead.t + 0.594_923_842_7).abs() < 1e-8);
    assert!(!bench.state.look.as_ref().unwrap().holds);
    bench.keys("right");
    assert!(bench.state.playhead.t < -0.6);
    bench.keys("N end space");
    assert_eq!(bench.state.playhead.t.to_bits(), 0.0_f64.to_bits());
}

#[test]
fn the_forms_of_the_equations_are_leafed_through_and_copied() {
    let mut bench = Bench::new("product_and_sum", SIZE);
    bench.keys("f");
    assert_eq!(bench.state.focus, Pane::Equations);
    bench.keys("f f");
    assert!(bench.screen().contains("Multipliers"));
    bench.keys("C");
    assert!(
        bench
            .clipboard
            .starts_with("Multipliers (eq. 4)\n  lambda_product = ")
    );
    assert!(bench.clipboard.contains("  lambda_sum = "));
    bench.keys("T");
    assert!(bench.clipboard.contains("\\lambda_{\\mathrm{product}} &= "));
    assert!(bench.clipboard.contains("\\end{align*}"));
    // round and back to the summary, from which all of them are copied
    let count = crate::workbench::view::equations::count(&bench.state);
    bench.keys("F F F");
    assert_eq!(bench.state.form, 0);
    for _ in 0..=count {
        bench.keys("f");
        assert!(!bench.screen().is_empty());
    }
    assert_eq!(bench.state.form, 0);
    bench.keys("C");
    for name in [
        "Usual form",
        "Inverse functions",
        "Energy",
        "Forces of constraint",
    ] {
        assert!(bench.clipboard.contains(name), "{name}");
    }
    // another system begins with its summary
    bench.keys("f f 1");
    assert_eq!(bench.state.form, 0);
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
    assert!(bench.screen().contains("x1 - 1 "), "{}", bench.screen());
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
    assert!(bench.screen().contains("as long across as it is up"));
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
    assert!(bench.screen().contains(&format!("x1 {shown}")));
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

/// What a click at the first cell that shows this text does.
fn mouse(bench: &mut Bench, kind: MouseEventKind, (column, row): (u16, u16)) {
    bench.send(Event::Mouse(MouseEvent {
        kind,
        column,
        row,
        modifiers: KeyModifiers::NONE,
    }));
}

const LEFT: MouseEventKind = MouseEventKind::Down(MouseButton::Left);

#[test]
fn a_click_gives_keys_and_puts_the_cursor() {
    let mut bench = Bench::paused(BEAD, SIZE, 0.0);
    let system = bench.state.layout().inner(Pane::System).unwrap();
    let theorem = bench.state.layout().inner(Pane::Theorem).unwrap();
    mouse(&mut bench, LEFT, (theorem.x, theorem.y));
    assert_eq!(bench.state.focus, Pane::Theorem);
    // `parameters: {m: 1`: line 7, before the brace, behind a gutter of three
    let brace = (system.x + 3 + 12, system.y + 6);
    mouse(&mut bench, LEFT, brace);
    assert_eq!(bench.state.focus, Pane::System);
    assert!(!bench.state.editing);
    assert_eq!(
        bench.state.editor.cursor(),
        Place {
            line: 6,
            column: 12
        }
    );
    mouse(&mut bench, LEFT, brace);
    assert!(bench.state.editing);
    bench.write("!");
    assert!(bench.state.editor.lines()[6].starts_with("parameters: !{m"));
    // behind the end of a line is its end, below the text is the last line
    mouse(&mut bench, LEFT, (system.x + 30, system.y + 5));
    assert_eq!(
        bench.state.editor.cursor(),
        Place {
            line: 5,
            column: 21
        }
    );
    mouse(&mut bench, LEFT, (theorem.x, theorem.y));
    assert!(!bench.state.editing);
    // what the terminal has is not ours
    bench.keys("M");
    assert!(!bench.mouse);
    mouse(&mut bench, LEFT, brace);
    assert_eq!(bench.state.focus, Pane::Theorem);
}

#[test]
fn the_mouse_moves_time_and_plot() {
    let mut bench = Bench::paused(BEAD, SIZE, 0.0);
    let plot = bench.state.layout().inner(Pane::Plot).unwrap();
    let (_, frame) = view::plot::framed(&bench.state).unwrap();
    let first = plot.x + frame.left;
    mouse(&mut bench, LEFT, (first + frame.cols - 1, plot.y + 1));
    assert_eq!(bench.state.focus, Pane::Plot);
    assert!((bench.state.playhead.t - 10.0).abs() < 0.2);
    let drag = MouseEventKind::Drag(MouseButton::Left);
    mouse(&mut bench, drag, (0, 0));
    assert!(bench.state.playhead.t < 0.2);
    mouse(&mut bench, drag, (first + frame.cols / 2, 0));
    let t = bench.state.playhead.t;
    assert!((t - 5.0).abs() < 0.2, "{t}");
    let up = MouseEventKind::Up(MouseButton::Left);
    mouse(&mut bench, up, (0, 0));
    mouse(&mut bench, drag, (0, 0));
    assert_eq!(bench.state.playhead.t, t);
    // the wheel: closer, and what is under the pointer stays there
    let here = (first + frame.cols / 4, plot.y + 1);
    let under = |bench: &Bench| {
        let (_, frame) = view::plot::framed(&bench.state).unwrap();
        let cell = frame.x.span() / f64::from(frame.cols);
        (frame.x_at_column(here.0 - plot.x).unwrap(), cell)
    };
    let before = under(&bench);
    mouse(&mut bench, MouseEventKind::ScrollUp, here);
    let after = under(&bench);
    assert!((after.0 - before.0).abs() < before.1 && (after.1 * 2.0 - before.1).abs() < 0.01);
    // dragged: the plot goes with the hand
    let right = MouseEventKind::Down(MouseButton::Right);
    mouse(&mut bench, right, here);
    mouse(
        &mut bench,
        MouseEventKind::Drag(MouseButton::Right),
        (here.0 + 10, here.1),
    );
    let moved = under(&bench);
    assert!(
        (after.0 - moved.0 - 10.0 * after.1).abs() < after.1,
        "{moved:?}"
    );
    mouse(&mut bench, MouseEventKind::Up(MouseButton::Right), here);
    mouse(&mut bench, MouseEventKind::ScrollDown, here);
    mouse(&mut bench, MouseEventKind::ScrollDown, here);
    assert_eq!(bench.state.plots.lens.window.0, None);
    // a phase portrait: the nearest point of the curve
    bench.keys("v v home");
    assert_eq!(bench.state.plots.view().unwrap().x, "x1");
    let (_, frame) = view::plot::framed(&bench.state).unwrap();
    mouse(
        &mut bench,
        LEFT,
        (plot.x + frame.left + frame.cols / 2, plot.y + frame.top),
    );
    let x1 = bench.state.position[0];
    assert!(bench.state.playhead.t > 0.0 && x1.abs() < 0.3, "{x1}");
}

#[test]
fn the_wheel_scrolls_what_it_is_over() {
    let mut bench = Bench::paused(BEAD, SIZE, 0.0);
    let system = bench.state.layout().inner(Pane::System).unwrap();
    bench.keys("tab");
    mouse(&mut bench, MouseEventKind::ScrollDown, (system.x, system.y));
    assert!(bench.state.scroll.system > 0 && bench.state.focus == Pane::Theorem);
    mouse(&mut bench, MouseEventKind::ScrollUp, (system.x, system.y));
    assert_eq!(bench.state.scroll.system, 0);
    bench.keys("o");
    mouse(&mut bench, MouseEventKind::ScrollDown, (0, 0));
    assert!(matches!(
        bench.state.dialog,
        Some(Dialog::Systems { chosen: 1, .. })
    ));
    // no place of the screen, no size of it, no button is too much
    for size in [(0, 0), (40, 12), (200, 60)] {
        bench.keys("esc");
        bench.send(Event::Resize(size.0, size.1));
        for kind in [
            LEFT,
            MouseEventKind::Down(MouseButton::Middle),
            MouseEventKind::Drag(MouseButton::Left),
            MouseEventKind::Moved,
            MouseEventKind::ScrollLeft,
            MouseEventKind::ScrollDown,
            MouseEventKind::ScrollUp,
        ] {
            for place in [(0, 0), (39, 11), (5, 5), (60, 30), (u16::MAX, u16::MAX)] {
                mouse(&mut bench, kind, place);
            }
        }
    }
}

#[test]
fn the_palette_finds_and_does() {
    let mut bench = Bench::paused(BEAD, SIZE, 0.0);
    bench.keys(":");
    bench.write("next failure");
    assert!(
        bench
            .screen()
            .contains("go to the next failure of the theorem")
    );
    bench.keys("enter");
    assert!(bench.state.dialog.is_none() && bench.state.playhead.t > 0.5);
    // the list is gone through, the line is edited
    bench.keys(": down down up");
    assert!(matches!(
        bench.state.dialog,
        Some(Dialog::Palette { chosen: 1, .. })
    ));
    bench.write("zzz");
    assert!(bench.screen().contains("nothing is called that"));
    bench.keys("enter");
    assert!(bench.state.dialog.is_none());
    bench.keys(":");
    bench.write("zz top");
    bench.keys("ctrl-w backspace ctrl-w ctrl-u");
    assert!(matches!(&bench.state.dialog, Some(Dialog::Palette { text, .. }) if text.is_empty()));
    bench.keys("esc");
    // from the editor: its own actions first, and it stays open
    bench.keys("e x ctrl-p");
    bench.write("take back");
    bench.keys("enter");
    assert!(bench.state.editing && !bench.state.modified);
}

#[test]
fn lists_know_the_keys_of_vim() {
    let mut bench = Bench::paused(BEAD, (80, 24), 0.0);
    let chosen = |bench: &Bench| match bench.state.dialog {
        Some(Dialog::Systems { chosen, .. }) => chosen,
        Some(Dialog::Help { scroll }) => scroll,
        _ => usize::MAX,
    };
    let count = crate::system::builtin().len();
    bench.keys("o j j k");
    assert_eq!(chosen(&bench), 1);
    bench.keys("G");
    assert_eq!(chosen(&bench), count - 1);
    bench.keys("g ctrl-d");
    assert_eq!(chosen(&bench), 9);
    bench.keys("ctrl-u l");
    assert_eq!(bench.state.document.name(), BEAD);
    bench.keys("? G");
    let last = chosen(&bench);
    bench.keys("j ctrl-f");
    assert_eq!(chosen(&bench), last);
    bench.keys("g");
    assert_eq!(chosen(&bench), 0);
    bench.keys("esc G");
    assert!(bench.state.scroll.system > 0);
    bench.keys("g g");
    assert_eq!(bench.state.scroll.system, 0);
    bench.keys("G ctrl-home");
    assert_eq!(bench.state.scroll.system, 0);
}

#[test]
fn text_of_an_earlier_session_is_offered() {
    let found = |text: &str| {
        let mut bench = Bench::new(BEAD, SIZE);
        bench.send(Event::Recovered {
            kept: Some(Kept {
                text: text.to_owned(),
                age: None,
            }),
            others: Vec::new(),
        });
        bench
    };
    let own = find(BEAD).unwrap().text;
    let kept = own.replace("g: 9.81", "g: 1.62");
    let mut bench = found(&kept);
    assert!(
        bench
            .screen()
            .contains("unsaved text of an earlier session")
    );
    assert!(
        bench
            .screen()
            .contains("It differs from line 7 on: parameters")
    );
    bench.keys("r");
    assert_eq!(bench.state.editor.text(), kept);
    assert_eq!(bench.verdict, Some(Verdict::Restored));
    assert!(bench.state.modified && bench.journal.as_deref() == Some(kept.as_str()));
    bench.keys("u");
    assert_eq!(bench.state.editor.text(), own);
    assert_eq!(bench.journal, None);
    for (key, verdict) in [("d", Verdict::Discarded), ("esc", Verdict::Later)] {
        let mut bench = found(&kept);
        // nothing else is done meanwhile
        bench.keys("e x q enter");
        assert_eq!(bench.verdict, None);
        bench.keys(key);
        assert_eq!(bench.verdict, Some(verdict));
        assert_eq!(bench.state.editor.text(), own);
    }
    // the same text is no question
    let bench = found(own);
    assert!(bench.state.dialog.is_none() && bench.verdict == Some(Verdict::Discarded));
    // that of another document is told
    let mut bench = Bench::new(BEAD, SIZE);
    bench.send(Event::Recovered {
        kept: None,
        others: vec![Source::File("/a/other.yaml".into())],
    });
    assert!(bench.screen().contains("unsaved text of other.yaml"));
}

#[test]
fn a_file_changed_on_disk_is_asked_about() {
    let own = find(BEAD).unwrap().text;
    let theirs = own.replace("g: 9.81", "g: 1.62");
    let changed = |bench: &mut Bench, text: Option<&str>| {
        bench.send(Event::Disk {
            path: "mine.yaml".into(),
            text: text.map(str::to_owned),
        });
    };
    let mut bench = Bench::new(own, SIZE);
    changed(&mut bench, Some(&theirs));
    assert!(
        bench
            .screen()
            .contains("mine.yaml was changed by another program")
    );
    bench.keys("r");
    assert_eq!(bench.state.editor.text(), theirs);
    assert!(!bench.state.modified);
    bench.keys("u");
    assert!(bench.state.editor.text() == own && bench.state.modified);
    // the text as it is: saving it is no surprise then
    let mut bench = Bench::new(own, SIZE);
    bench.disk.insert("mine.yaml".into(), theirs.clone());
    changed(&mut bench, Some(&theirs));
    bench.keys("k");
    assert!(bench.state.modified && bench.journal.as_deref() == Some(own));
    bench.keys("s");
    assert_eq!(bench.disk[&PathBuf::from("mine.yaml")], own);
    // who types is not interrupted, and is asked afterwards
    let mut bench = Bench::new(own, SIZE);
    bench.keys("e x");
    changed(&mut bench, Some(&theirs));
    assert!(bench.state.dialog.is_none());
    bench.write("rk");
    assert!(bench.state.editor.text().starts_with("xrk"));
    assert!(bench.screen().contains("changed on disk"));
    bench.keys("esc");
    assert!(bench.screen().contains("unsaved changes of its own"));
    bench.keys("esc");
    // put off, saving still asks
    bench.disk.insert("mine.yaml".into(), theirs.clone());
    bench.keys("s");
    assert!(matches!(
        bench.state.dialog,
        Some(Dialog::Overwrite { changed: true, .. })
    ));
    // gone, or as it is here
    let mut bench = Bench::new(own, SIZE);
    changed(&mut bench, None);
    assert!(bench.screen().contains("mine.yaml is gone from the disk"));
    bench.keys("e x");
    let text = bench.state.editor.text();
    changed(&mut bench, Some(&text));
    assert!(!bench.state.modified && bench.state.disk.is_none());
}

#[test]
fn another_editor_is_one_step_of_undo() {
    let mut bench = Bench::new(BEAD, SIZE);
    let own = bench.state.editor.text();
    bench.outside = |text| Ok(text.replace("9.81", "1.62"));
    bench.keys("V");
    assert!(bench.state.editor.text().contains("g: 1.62") && bench.state.modified);
    bench.keys("u");
    assert_eq!(bench.state.editor.text(), own);
    bench.outside = |_| Err("vi ended badly".to_owned());
    bench.keys("V");
    assert!(bench.screen().contains("vi ended badly"));
    assert_eq!(bench.state.editor.text(), own);
}

#[test]
fn a_new_system_begins_with_the_template() {
    let mut bench = Bench::new(BEAD, SIZE);
    bench.keys("A");
    assert_eq!(bench.state.document.source, Source::New);
    assert!(bench.state.analysis.is_some() && bench.state.diagnostics.is_empty());
    assert!(bench.screen().contains("HOLDS"));
    bench.keys("s enter");
    assert!(bench.disk.contains_key(&PathBuf::from("system.yaml")));
    bench.keys("1 o n");
    assert_eq!(bench.state.document.source, Source::New);
    // unsaved text is not lost by it
    bench.keys("e x esc A");
    assert!(matches!(bench.state.dialog, Some(Dialog::Leave { .. })));
}

#[test]
fn undo_reaches_across_a_save_and_a_paste_is_one_step() {
    let mut bench = Bench::new(find(BEAD).unwrap().text, SIZE);
    let own = bench.state.editor.text();
    bench.keys("e");
    bench.send(Event::Paste("# one\n# two\n".to_owned()));
    bench.keys("ctrl-s");
    assert!(!bench.state.modified && bench.journal.is_none());
    bench.keys("ctrl-u");
    assert_eq!(bench.state.editor.text(), own);
    assert!(bench.state.modified && bench.journal.is_some());
    bench.keys("ctrl-r");
    assert!(!bench.state.modified && bench.journal.is_none());
}

#[test]
fn the_hint_stays_until_a_key() {
    let mut bench = Bench::new(BEAD, SIZE);
    let (state, first) = State::open(Opening {
        source: Source::New,
        text: crate::system::TEMPLATE.to_owned(),
        set: Vec::new(),
        theme: COLOUR,
        size: SIZE,
        mouse: true,
        first_run: true,
    });
    bench.state = state;
    bench.carry_out(first);
    assert!(bench.screen().contains("new here? space plays"));
    bench.send(Event::Tick(0.1));
    assert!(bench.screen().contains("new here? space plays"));
    bench.keys("right");
    assert!(!bench.screen().contains("new here?"));
}

#[test]
fn ctrl_z_stops_it_wherever_one_is() {
    for keys in ["", "e", "? ", "o", "s", ":", "e x esc q"] {
        let mut bench = Bench::new(BEAD, SIZE);
        bench.keys(keys);
        bench.keys("ctrl-z");
        assert_eq!(bench.suspended, 1, "{keys}");
    }
}
