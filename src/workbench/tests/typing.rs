//! Completion and search in the editor; clicks on lists and on the footer; several plots; files of maps and
//! screens.

use super::*;
use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};

use crate::workbench::action::Context;
use crate::workbench::dialog::{Dialog, Parameters, Systems};
use crate::workbench::editor::TextPosition;
use crate::workbench::layout::Pane;
use insta::assert_snapshot;

const BEAD: &str = "bead_on_parabola";
const SIZE: (u16, u16) = (80, 24);

#[test]
fn tab_completes_and_goes_round() {
    let mut bench = Bench::paused(BEAD, SIZE, 0.0);
    let own = bench.state.editor.text();
    bench.keys("e g tab");
    assert!(bench.state.editor.text().starts_with("gravity: name"));
    assert_snapshot!("completion", bench.screen());
    let count = bench.state.completion.as_ref().unwrap().candidates.len();
    let mut seen = Vec::new();
    for _ in 0..count {
        seen.push(bench.state.editor.lines()[0].clone());
        bench.keys("tab");
    }
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), count);
    bench.keys("backtab");
    // what was typed is one of them, and the last
    assert!(bench.state.editor.text().starts_with("gname"));
    bench.keys("tab");
    // another key takes it; all of it is one step
    bench.keys("right");
    assert!(bench.state.completion.is_none());
    bench.keys("ctrl-7");
    assert!(bench.state.editor.text().starts_with("gname"));
    bench.keys("ctrl-7");
    assert_eq!(bench.state.editor.text(), own);
    // where there is no word it is two blanks
    bench.keys("tab");
    assert!(bench.state.editor.text().starts_with("  name"));
}

#[test]
fn a_search_goes_from_place_to_place_and_back() {
    let mut bench = Bench::paused(BEAD, SIZE, 0.0);
    bench.keys("/");
    bench.write("X2");
    assert_snapshot!("find", bench.screen());
    let place = bench.state.editor.cursor();
    let line = &bench.state.editor.lines()[place.line];
    assert!(line[place.column..].starts_with("x2"), "{line}");
    bench.keys("down");
    assert!(bench.state.editor.cursor() > place);
    bench.keys("up");
    assert_eq!(bench.state.editor.cursor(), place);
    bench.keys("backspace");
    bench.write("1");
    let here = bench.state.editor.cursor();
    assert!(bench.state.editor.lines()[here.line][here.column..].starts_with("x1"));
    bench.keys("esc");
    assert_eq!(bench.state.editor.cursor(), TextPosition::default());
    // kept, F3 goes on, round the end of the text
    bench.keys("/ x 2 enter");
    let first = bench.state.editor.cursor();
    let mut count = 0;
    loop {
        bench.keys("f3");
        count += 1;
        if bench.state.editor.cursor() == first {
            break;
        }
        assert!(count < 1000);
    }
    assert!(count > 3);
    bench.keys("shift-f3 f3");
    assert_eq!(bench.state.editor.cursor(), first);
    // from the editor, and back to it
    bench.keys("e ctrl-g");
    bench.write("wire");
    bench.keys("enter");
    assert!(bench.state.editing && bench.state.context() == Context::Edit);
    bench.keys("esc /");
    bench.write("nowhere");
    bench.keys("enter");
    assert!(bench.screen().contains("`nowhere` is not found"));
}

#[test]
fn an_error_has_its_message_beside_it() {
    let mut bench = Bench::paused(BEAD, (120, 38), 0.0);
    bench.keys("e z");
    let screen = bench.screen();
    let line = screen
        .lines()
        .find(|line| line.contains("1 zname"))
        .unwrap();
    let system = line.split('┃').nth(1).unwrap();
    assert!(
        system.contains("zname: Bead on a parabolic wire  "),
        "{line}"
    );
    assert!(system.contains("a system file has no"), "{line}");
}

fn click(bench: &mut Bench, (column, row): (u16, u16)) {
    bench.send(Event::Mouse(MouseEvent {
        kind: MouseEventKind::Down(MouseButton::Left),
        column,
        row,
        modifiers: KeyModifiers::NONE,
    }));
}

/// The place of a text on the screen.
fn place_of(bench: &mut Bench, text: &str) -> (u16, u16) {
    let buffer = bench.buffer();
    let width = usize::from(buffer.area.width);
    for (row, cells) in buffer.content.chunks(width).enumerate() {
        let symbols: Vec<&str> = cells.iter().map(Cell::symbol).collect();
        for column in 0..width {
            if symbols[column..].concat().starts_with(text) {
                return (column as u16, row as u16);
            }
        }
    }
    panic!("no {text} on the screen:\n{}", bench.screen());
}

#[test]
fn a_click_does_what_the_footer_says() {
    let mut bench = Bench::paused(BEAD, (120, 24), 3.2);
    for (text, seen) in [
        ("space play", "▶ 1x"),
        ("pause", "paused"),
        ("→ step", "t 3.250"),
        ("edit", "(editing)"),
        ("done", " n failure"),
        ("n failure", "FAILS"),
        ("? help", " Keys "),
        ("Esc close", " n failure"),
        (": commands", " Commands "),
    ] {
        let at = place_of(&mut bench, text);
        click(&mut bench, at);
        assert!(bench.screen().contains(seen), "{text}\n{}", bench.screen());
    }
}

#[test]
fn a_click_chooses_a_line_and_takes_the_one_chosen() {
    let mut bench = Bench::paused(BEAD, SIZE, 3.2);
    bench.keys("o");
    let at = place_of(&mut bench, "rotating_rod");
    click(&mut bench, at);
    assert!(matches!(
        bench.state.dialog,
        Some(Dialog::Systems(Systems { chosen: 1, .. }))
    ));
    let at = place_of(&mut bench, "rotating_rod");
    click(&mut bench, at);
    assert_eq!(bench.state.document.name(), "rotating_rod");
    // a list that is scrolled
    bench.keys("o G");
    let Some(Dialog::Systems(Systems { chosen, .. })) = bench.state.dialog else {
        panic!("no list")
    };
    bench.screen();
    let last = crate::system::builtin()[chosen - 1].name;
    let at = place_of(&mut bench, last);
    click(&mut bench, at);
    assert!(
        matches!(bench.state.dialog, Some(Dialog::Systems(Systems { chosen: c, .. })) if c == chosen - 1)
    );
    bench.keys("esc 1 space c");
    let at = place_of(&mut bench, "x₁′");
    click(&mut bench, at);
    click(&mut bench, at);
    assert!(
        bench
            .state
            .plots
            .view()
            .unwrap()
            .y
            .contains(&"x1'".to_owned())
    );
    bench.keys("esc p");
    let at = place_of(&mut bench, " g  ");
    click(&mut bench, at);
    assert!(matches!(
        bench.state.dialog,
        Some(Dialog::Parameters(Parameters { chosen: 1, .. }))
    ));
    bench.keys("esc !");
    let at = place_of(&mut bench, "t 1.7848");
    click(&mut bench, at);
    click(&mut bench, at);
    assert!(bench.state.dialog.is_none() && (bench.state.playhead.t - 1.7848).abs() < 1e-3);
    bench.keys(":");
    bench.write("theme");
    let at = place_of(&mut bench, "next colour theme");
    click(&mut bench, at);
    assert!(bench.screen().contains("colours: light"));
    // beside the lines is nothing
    bench.keys("o");
    click(&mut bench, (0, 0));
    assert!(bench.state.dialog.is_some());
}

#[test]
fn a_large_pane_has_several_plots_with_one_cursor() {
    let mut bench = Bench::paused(BEAD, (120, 40), 3.2);
    bench.keys("tab tab tab tab");
    assert!(!bench.screen().contains("2/6 "));
    bench.keys("z");
    assert_snapshot!("several_plots", bench.screen());
    let inner = bench.state.layout().inner(Pane::Plot).unwrap();
    // the same time in each that has time for its axis, zoomed too
    bench.keys("]");
    assert!(bench.screen().contains("2/6 "));
    // the one clicked on comes first
    click(&mut bench, (inner.x + 20, inner.y + 15));
    assert_eq!(bench.state.plots.current, 1);
    click(&mut bench, (inner.x + 60, inner.y + 5));
    assert!((bench.state.playhead.t - 5.0).abs() < 1.0);
    bench.send(Event::Resize(200, 60));
    bench.screen();
}

#[test]
fn a_map_and_the_screen_go_to_files() {
    let mut bench = Bench::paused(BEAD, SIZE, 1.0);
    bench.keys("m E");
    assert!(bench.screen().contains("bead_on_parabola-map.svg"));
    bench.clear_line();
    bench.write("map.csv");
    bench.keys("enter");
    let table = &bench.disk[&PathBuf::from("map.csv")];
    assert!(table.starts_with("piece,sign,x1,x2\n"), "{table}");
    let rows: Vec<Vec<f64>> = table
        .lines()
        .skip(1)
        .map(|row| row.split(',').map(|n| n.parse().unwrap()).collect())
        .collect();
    // det = -2 x1, x2 = x1^2; two branches and the fold between them
    for row in &rows {
        assert!((row[3] - row[2] * row[2]).abs() < 0.1, "{row:?}");
        assert!(row[1] * row[2] <= 0.0, "{row:?}");
    }
    assert!(rows.iter().any(|row| row[0] == 2.0) && rows.iter().any(|row| row[0] == 0.0));
    bench.keys("E");
    bench.clear_line();
    bench.write("map.json");
    bench.keys("enter");
    let object = &bench.disk[&PathBuf::from("map.json")];
    let object: serde_json::Value = serde_json::from_str(object).unwrap();
    assert!(object.get("plots").is_none() && object.get("dependent").is_some());
    bench.keys("m I");
    assert!(bench.screen().contains("bead_on_parabola-screen.svg"));
    bench.keys("enter");
    let picture = &bench.disk[&PathBuf::from("bead_on_parabola-screen.svg")];
    assert!(picture.starts_with("<svg ") && picture.contains("HOLDS"));
    bench.keys("I");
    bench.clear_line();
    bench.write("a.txt");
    bench.keys("enter");
    let text = &bench.disk[&PathBuf::from("a.txt")];
    assert!(
        text.contains("┏ System") || text.contains("┌ System"),
        "{text}"
    );
    bench.keys("I");
    bench.clear_line();
    bench.write("a.csv");
    bench.keys("enter");
    assert!(bench.screen().contains("has to end in .svg or .txt"));
}

#[test]
fn a_key_of_the_file_typed_among_constraints_goes_to_the_margin() {
    let text =
        "coordinates: [x, y]\nlagrangian: 1/2*(x'^2 + y'^2) - y\nconstraints:\n  wire: y = x^2";
    for at_once in [false, true] {
        let mut bench = Bench::new(text, SIZE);
        bench.keys("e ctrl-end enter");
        if at_once {
            bench.send(Event::Typed("start: {x: 1}".to_owned()));
        } else {
            bench.write("start: {x: 1}");
        }
        assert!(bench.state.editor.text().ends_with("\nstart: {x: 1}"));
        assert!(
            bench.state.diagnostics.is_empty(),
            "{:?}",
            bench.state.diagnostics
        );
    }
    // taken back it stays where it was
    let mut bench = Bench::new(text, SIZE);
    bench.keys("e ctrl-end enter");
    bench.write("run:");
    bench.keys("ctrl-7");
    assert!(bench.state.editor.text().ends_with("\n  run:"));
    // names of one's own, keys of a part, and words stay
    for (line, typed) in [
        ("parameters:\n  m: 1", "gravity: 9.81"),
        ("constraints:\n  wire: y = x^2", "rope: x"),
        ("about: >-\n  a text", "start: x"),
        ("run:\n  until: 1", "method: tangents"),
    ] {
        let mut bench = Bench::new(line, SIZE);
        bench.keys("e ctrl-end enter");
        bench.write(typed);
        assert!(
            bench.state.editor.text().ends_with(&format!("\n  {typed}")),
            "{typed}"
        );
    }
}

#[test]
fn lines_that_come_at_once_with_their_blanks_keep_these() {
    let file = "coordinates: [x]\nconstraints:\n  a: x = 1\n  b: x = 1\nstart:\n  x: 1\n";
    let mut bench = Bench::new("", SIZE);
    bench.keys("e");
    bench.send(Event::Typed(file.to_owned()));
    assert_eq!(bench.state.editor.text(), file);
    // keys that a slow line holds back are typed
    let mut bench = Bench::new("constraints:\n  a: x = 1", SIZE);
    bench.keys("e ctrl-end");
    bench.send(Event::Typed("\nb: x".to_owned()));
    assert!(bench.state.editor.text().ends_with("\n  b: x"));
}

#[test]
fn an_empty_file_is_one_quiet_pane_that_offers_a_template() {
    for keys in ["A", "e tab"] {
        let mut bench = Bench::new("", SIZE);
        let screen = bench.screen();
        assert!(
            !screen.contains("ERROR") && !screen.contains("Theorem"),
            "{screen}"
        );
        if keys == "A" {
            assert_snapshot!("empty_file", screen);
        }
        bench.keys(keys);
        // the file keeps its name
        assert_eq!(bench.state.document.name(), "mine.yaml");
        assert!(bench.state.modified && bench.state.analysis.is_some());
        assert!(bench.screen().contains("Theorem"));
    }
    let mut bench = Bench::new("# of mine\n", SIZE);
    bench.keys("e ctrl-end");
    bench.write("coordinates: [x]");
    assert!(bench.screen().contains("Theorem"));
}

#[test]
fn a_value_is_typed_in_the_place_of_a_slider() {
    let mut bench = Bench::paused(BEAD, SIZE, 0.0);
    let value = |bench: &Bench| bench.state.sliders[1].value;
    bench.keys("p down");
    bench.send(Event::Typed("2*".to_owned()));
    bench.write("pi");
    assert_snapshot!("value_typed", bench.screen());
    bench.keys("enter");
    assert_eq!(value(&bench), 2.0 * std::f64::consts::PI);
    assert_eq!(bench.parameter(1), value(&bench));
    // what is none stays to be mended, or is given up
    bench.write("1/0");
    bench.keys("enter");
    assert_eq!(bench.state.context(), Context::Name);
    assert!(bench.state.notice.as_ref().is_some_and(|n| n.wrong));
    bench.keys("esc");
    assert_eq!(bench.state.context(), Context::Parameters);
    // one that is the text's own is changed
    bench.keys("u enter backspace 2 enter enter");
    assert!(
        bench.state.editor.text().contains("g: 9.82"),
        "{}",
        bench.screen()
    );
}

#[test]
fn what_is_typed_replaces_the_value_that_stands_there() {
    let mut bench = Bench::paused(BEAD, SIZE, 0.0);
    bench.keys("p down enter");
    let (column, row) = place_of(&mut bench, "9.81");
    let marked = bench.buffer()[(column, row)].modifier;
    assert!(marked.contains(ratatui::style::Modifier::REVERSED));
    bench.write("0.35");
    bench.keys("enter");
    assert_eq!(bench.state.sliders[1].value, 0.35);
    // who moves in it keeps it
    bench.keys("u enter home");
    bench.write("1");
    bench.keys("enter");
    assert_eq!(bench.state.sliders[1].value, 19.81);
}

#[test]
fn a_table_of_a_zoomed_plot_says_what_it_holds() {
    let mut bench = Bench::paused(BEAD, SIZE, 3.2);
    bench.keys("] ] E");
    let screen = bench.screen();
    assert!(
        screen.contains("as zoomed, t 1.400 to") || screen.contains("as zoomed, t "),
        "{screen}"
    );
    bench.keys("backspace backspace backspace");
    bench.write("csv");
    bench.keys("enter");
    assert!(
        bench.screen().contains("csv, as zoomed: t "),
        "{}",
        bench.screen()
    );
}

#[test]
fn completions_stand_over_the_panes_and_not_over_what_is_said_of_an_error() {
    let text = "name: a\ncoordinates: [x]\nlagrangian: x'^2/2\nstart: {x: 1}\np";
    let mut bench = Bench::paused(text, (60, 20), 0.0);
    bench.keys("e ctrl-end tab");
    let screen = bench.screen();
    for name in [
        "parameters:",
        "positive:",
        "potential:",
        "plots:",
        "picture:",
    ] {
        assert!(screen.contains(name), "{name}\n{screen}");
    }
    let mut bench = Bench::paused(&text.replace("start", "stort"), (60, 20), 0.0);
    bench.keys("e ctrl-end tab");
    let screen = bench.screen();
    assert!(
        screen.contains("parameters:") && screen.contains("┃4:1 "),
        "{screen}"
    );
}
