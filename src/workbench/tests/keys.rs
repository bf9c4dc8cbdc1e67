//! Keys and lists: every action of the table, in every context it is for; panes, palette, forms, hints.

use super::*;
use crate::workbench::action::{self, Action, Context, Key, MOUSE, TABLE};
use crate::workbench::dialog::{Dialog, Help, Palette, Systems};
use crate::workbench::layout::{LEAST, Pane};
use std::fmt::Write as _;

const BEAD: &str = "bead_on_parabola";
const SIZE: (u16, u16) = (80, 24);

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
        Context::Range => super::ranges::HOOP,
        _ => BEAD,
    };
    // where nothing can be shown nothing is opened
    let is_small = size.0 < LEAST.0 || size.1 < LEAST.1;
    let mut bench = Bench::new(system, if is_small { SIZE } else { size });
    bench.keys(match context {
        Context::Browse | Context::Recover | Context::Disk => "",
        Context::Probe => ".",
        Context::Edit => "e",
        Context::Help => "?",
        Context::Systems => "o",
        Context::Filter => "o /",
        Context::Columns => "c",
        Context::Parameters => "p right",
        Context::Problems => "!",
        Context::Methods => "D",
        Context::Equilibria => "B",
        Context::Range => "J up",
        Context::Name | Context::Overwrite => "s",
        Context::Leave => "e x esc q",
        Context::Palette => ":",
        Context::Find => "/",
        Context::Report => "W f f f right",
    });
    match context {
        Context::Overwrite => {
            let name = "bead_on_parabola.yaml";
            bench.disk.insert(name.into(), String::new());
            bench.keys("enter");
        }
        Context::Recover => bench.send(Event::Recovered {
            kept: Some(Kept {
                text: "kept".to_owned(),
                age: None,
            }),
            others: Vec::new(),
            shared: false,
        }),
        Context::Disk => {
            bench.keys("s enter");
            bench.send(Event::Disk {
                path: "bead_on_parabola.yaml".into(),
                text: Ok(Some("theirs".to_owned())),
            });
        }
        _ => {}
    }
    bench.send(Event::Resize(size.0, size.1));
    assert_eq!(bench.state.context(), context);
    bench
}

/// Every key of the table, in every context it is for, at several sizes.
#[test]
fn every_action_can_be_taken() {
    for size in [(0, 0), (40, 12), SIZE, (120, 38)] {
        let mut contexts: Vec<(Context, Bench)> = Vec::new();
        for binding in TABLE {
            for (context, _) in action::headings().filter(|(c, _)| binding.when.holds(*c)) {
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

/// A context in which there is something to do, before and behind; `backwards` as in the table, after some keys.
fn in_the_middle((context, before, backwards): (Context, &str, bool)) -> Bench {
    if context == Context::Browse {
        let mut bench = Bench::paused(BEAD, SIZE, 3.2);
        bench.keys(before);
        return bench;
    }
    let mut bench = in_context(context, SIZE);
    match context {
        Context::Edit => {
            bench.keys("down down end x ctrl-7 left left right");
            bench.state.sought = "x1".to_owned();
            if backwards {
                bench.keys("ctrl-home g");
            }
        }
        Context::Help | Context::Systems | Context::Columns => bench.keys("down down"),
        Context::Name => bench.keys("left left"),
        Context::Find => {
            bench.write("x1 ");
            bench.keys("left left");
        }
        Context::Filter => {
            bench.write("bead");
            bench.keys("left left down down");
        }
        Context::Palette => {
            bench.keys("down down");
            bench.write("pl");
            bench.keys("left");
            bench.write("x");
            bench.keys("backspace down");
        }
        _ => {}
    }
    bench
}

/// What an action is for is seen after its key: in the state, on the screen or outside.
#[test]
fn every_action_does_something_somewhere() {
    let mut idle: Vec<crate::workbench::action::Action> = Vec::new();
    let mut ready: Vec<((Context, &str, bool), Bench)> = Vec::new();
    for binding in TABLE {
        let mut done = false;
        for (context, _) in action::headings().filter(|(c, _)| binding.when.holds(*c)) {
            for &key in binding.keys {
                // in the middle of a motion, of a text, of a list: both ways are open
                for before in ["", "tab tab tab tab ] ]", "down down", "v v", "space", "m"] {
                    let backwards = binding.action == action::Action::CompleteBack;
                    let what = (context, before, backwards);
                    if !ready.iter().any(|(known, _)| *known == what) {
                        ready.push((what, in_the_middle(what)));
                    }
                    let known = ready.iter().find(|(known, _)| *known == what);
                    let mut bench = known.unwrap().1.again();
                    bench.state.notice = None;
                    bench.outside = |text| Edited::Done(text + "# more\n");
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
    let count = bench.state.forms.len();
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
        Some(Dialog::Palette(Palette { chosen: 1, .. }))
    ));
    bench.write("zzz");
    assert!(bench.screen().contains("no matching"));
    bench.keys("enter");
    assert!(bench.state.dialog.is_none());
    bench.keys(":");
    bench.write("zz top");
    bench.keys("ctrl-w backspace ctrl-w");
    assert!(
        matches!(&bench.state.dialog, Some(Dialog::Palette(Palette { line, .. })) if line.text.is_empty())
    );
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
        Some(Dialog::Systems(Systems { chosen, .. })) => chosen,
        Some(Dialog::Help(Help { scroll, .. })) => scroll,
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
fn the_hint_stays_until_a_key() {
    let mut bench = Bench::new(BEAD, SIZE);
    let (state, first) = State::open(Opening {
        source: Source::New,
        text: crate::system::TEMPLATE.to_owned(),
        changes: crate::system::Changes::default(),
        theme: COLOUR,
        size: SIZE,
        mouse: true,
        first_run: true,
        shown: Shown::Screen,
    });
    bench.state = state;
    bench.carry_out(first);
    assert!(bench.screen().contains("new here? space plays"));
    // whole at 80 columns
    assert!(bench.screen().contains("? has all keys"));
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

/// The page of keys in docs/ is the table: `HOLONOM_UPDATE=1` writes it anew.
#[test]
fn the_page_of_keys_is_made_from_the_table() {
    let mut page = "# The keys of the workbench\n\nMade from the table that the program itself uses; `?` shows it there.\n".to_owned();
    for (context, title) in action::headings() {
        let _ = write!(page, "\n## {title}\n\n| keys | do |\n| --- | --- |\n");
        if context == Context::Edit {
            page += "| every printable key | is text; motion and theorem follow it |\n";
        }
        for binding in TABLE.iter().filter(|b| b.when.holds(context)) {
            let names = binding.keys.iter().map(|key| match key.name().as_str() {
                "`" => "`` ` ``".to_owned(),
                name => format!("`{}`", name.replace('|', "\\|")),
            });
            let names: Vec<String> = names.collect();
            let help = binding.help.replace('|', "\\|");
            let _ = writeln!(page, "| {} | {help} |", names.join(" "));
        }
    }
    page += "\n## The mouse\n\n| where | does |\n| --- | --- |\n";
    for (place, help) in MOUSE {
        let _ = writeln!(page, "| {place} | {help} |");
    }
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/keys.md");
    if std::env::var_os("HOLONOM_UPDATE").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap_or_default(), page);
}

#[test]
fn the_help_opens_at_what_is_looked_at_leads_back_and_is_searched() {
    let mut bench = Bench::paused(BEAD, SIZE, 0.0);
    bench.keys("p ?");
    let screen = bench.screen();
    let first = screen.lines().find(|line| line.contains("Parameters"));
    assert!(
        first.is_some() && !screen.contains("In the panes"),
        "{screen}"
    );
    bench.keys("esc");
    assert_eq!(bench.state.context(), Context::Parameters);
    bench.keys("esc e f1");
    assert!(bench.screen().contains("Editing the system"));
    bench.keys("/");
    bench.write("LaTeX");
    let screen = bench.screen();
    assert!(screen.contains("copy the equations as LaTeX"), "{screen}");
    assert!(!screen.contains("play or pause"), "{screen}");
    // looked at, then all of them, then back
    bench.keys("enter down esc");
    assert!(bench.screen().contains("play or pause"));
    bench.keys("/");
    bench.write("zzz");
    assert!(bench.screen().contains("no matching key"));
    bench.keys("esc esc");
    assert_eq!(bench.state.context(), Context::Edit);
}

#[test]
fn keys_that_had_several_meanings_have_one() {
    let meanings = |key: Key| -> Vec<Action> {
        let mut list = Vec::new();
        for (context, _) in action::headings() {
            // what is chosen and what is read go by the same halves of a page
            if let Some(found) = action::find(context, key)
                && !list.contains(&found)
            {
                list.push(found);
            }
        }
        list
    };
    // a line of a dialog has no pages
    let up = [Action::HalfUp, Action::DeleteToStart];
    assert_eq!(meanings(Key::of(&key("ctrl-u"))), up);
    assert_eq!(meanings(Key::of(&key("w"))), [Action::Whole]);
    let reads = [Action::Reload, Action::Restore, Action::ReadDisk];
    assert_eq!(meanings(Key::of(&key("r"))), reads);
}
