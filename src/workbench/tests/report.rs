//! What is written about a system: the pages, their search, their copies and files.

use super::editing::edit_behind;
use super::*;
use crate::analysis::{InverseRequest, Model, Overrides};
use crate::expr::{Language, Style};
use crate::report::{Handout, Layout, Route, atlas_text, derive_code, inverse_text};
use crate::system::System;
use crate::workbench::action::Context;
use crate::workbench::writing::Page;
use insta::assert_snapshot;

const SIZE: (u16, u16) = (80, 24);
const BEAD: &str = "bead_on_parabola";

/// The text of the page as the workbench has it for a file.
fn file(bench: &Bench) -> String {
    bench.state.report.written().unwrap().text.clone()
}

#[test]
fn pages_at_80_by_24_and_larger() {
    for size in [SIZE, (120, 38)] {
        let mut bench = Bench::paused(BEAD, size, 0.0);
        bench.keys("W");
        for page in [
            "handout",
            "inverse",
            "atlas",
            "program",
            "variation",
            "beside",
            "statics",
            "certificate",
        ] {
            assert_snapshot!(format!("report_{page}_{}", size.0), bench.screen());
            bench.keys("f");
        }
        // round it is the first again
        assert_eq!(bench.state.report.page, Page::Handout);
    }
    let mut bench = Bench::paused(BEAD, SIZE, 3.2);
    bench.state.theme.charset = crate::plot::Charset::Ascii;
    bench.keys("W");
    let screen = bench.screen();
    assert!(screen.is_ascii(), "{screen}");
    assert_snapshot!("report_ascii", screen);
}

#[test]
fn pages_are_the_texts_of_the_commands() {
    for name in [BEAD, "rotating_rod", "pendulum_on_cart", "knife_edge"] {
        let text = find(name).unwrap().text;
        let model = Model::new(System::parse(text, name, &[]).unwrap());
        let derived = model.derive(None);
        let plain = |width| Layout {
            width,
            style: Style::Plain,
        };
        let mut bench = Bench::paused(name, SIZE, 0.0);
        bench.keys("home W c");
        assert_eq!(
            bench.clipboard,
            Handout::new(&model, &derived, Route::Report).text(plain(80))
        );
        bench.keys("T");
        assert_eq!(
            bench.clipboard,
            Handout::new(&model, &derived, Route::Report).latex()
        );
        let pretty = Layout {
            width: 76,
            style: Style::Pretty,
        };
        let shown = bench.state.report.written().unwrap().lines.join("\n");
        assert_eq!(
            shown,
            Handout::new(&model, &derived, Route::Report)
                .text(pretty)
                .trim_end()
        );
        bench.keys("f c");
        let answer = model.inverse_at(&InverseRequest::default()).unwrap();
        assert_eq!(
            bench.clipboard,
            inverse_text(&model, &answer, plain(80)),
            "{name}"
        );
        bench.keys("f c");
        let (part, x) = model.part(&Overrides::default(), &[]);
        let atlas = model.atlas(part.clone(), None);
        assert_eq!(
            bench.clipboard,
            atlas_text(&model, &atlas, plain(80)),
            "{name}"
        );
        bench.keys("a c");
        let own = model.choice(None, (part.t, &x), &[]);
        let atlas = model.atlas(part, Some(&own));
        assert_eq!(
            bench.clipboard,
            atlas_text(&model, &atlas, plain(80)),
            "{name}"
        );
        bench.keys("f c");
        assert_eq!(
            bench.clipboard,
            derive_code(&model, &derived, Language::Python),
            "{name}"
        );
        bench.keys("f f f c");
        assert_eq!(
            bench.clipboard,
            Handout::new(&model, &derived, Route::Rest).text(plain(80))
        );
        bench.keys("T");
        assert_eq!(
            bench.clipboard,
            Handout::new(&model, &derived, Route::Rest).latex()
        );
    }
}

#[test]
fn the_inverse_functions_are_those_of_the_place_shown() {
    let mut bench = Bench::paused(BEAD, SIZE, 3.2);
    let x = bench.state.position.clone();
    bench.keys("W f");
    let screen = bench.screen();
    // the branch below is the one in force there
    assert!(x[0] < 0.0 && screen.contains("> x₁ = -√"), "{screen}");
    bench.keys("esc home W");
    let screen = bench.screen();
    assert!(screen.contains("> x₁ = √"), "{screen}");
}

#[test]
fn files_end_as_their_pages_do() {
    let mut bench = Bench::paused(BEAD, SIZE, 3.2);
    bench.keys("W");
    for name in [
        "bead_on_parabola-handout.tex",
        "bead_on_parabola-inverse.txt",
        "bead_on_parabola-atlas.txt",
        "bead_on_parabola.py",
        "bead_on_parabola-variation.tex",
        "bead_on_parabola-paths.txt",
        "bead_on_parabola-statics.tex",
    ] {
        bench.keys("E enter");
        let written = bench.disk.get(&PathBuf::from(name)).unwrap();
        if name.ends_with("tex") {
            assert!(written.starts_with("\\documentclass"));
        } else {
            assert_eq!(*written, file(&bench));
        }
        // the view is still there
        assert_eq!(bench.state.context(), Context::Report);
        bench.keys("f");
    }
    bench.keys("f f f E backspace backspace backspace");
    bench.write("json");
    bench.keys("enter");
    let json = &bench.disk[&PathBuf::from("bead_on_parabola-atlas.json")];
    assert!(json.starts_with('{') && json.ends_with("}\n"), "{json}");
    bench.keys("E backspace backspace backspace");
    bench.write("svg");
    bench.keys("enter");
    let screen = bench.screen();
    assert!(screen.contains("has to end in .txt or .json"), "{screen}");
    bench.keys("esc T");
    let screen = bench.screen();
    assert!(
        screen.contains("the atlas: there is no LaTeX of it"),
        "{screen}"
    );
}

#[test]
fn a_piece_of_the_page_is_found_and_the_text_of_the_system_left_alone() {
    let mut bench = Bench::paused(BEAD, SIZE, 3.2);
    let cursor = bench.state.editor.cursor();
    bench.keys("W f f f /");
    bench.write("def ");
    let screen = bench.screen();
    assert!(screen.contains("def sign"), "{screen}");
    let line = |bench: &Bench| bench.state.report.found.unwrap().line;
    let first = line(&bench);
    bench.keys("enter n n");
    assert_eq!(bench.state.context(), Context::Report);
    let third = line(&bench);
    assert!(third > first);
    bench.keys("N");
    assert!((first..third).contains(&line(&bench)));
    // round the ends
    bench.keys("N N");
    assert!(line(&bench) > third);
    let seen = bench.state.report.top..bench.state.report.top + 20;
    assert!(seen.contains(&line(&bench)));
    assert_eq!(bench.state.editor.cursor(), cursor);
    bench.keys("/");
    bench.write("nowhere in it");
    bench.keys("enter");
    let screen = bench.screen();
    assert!(screen.contains("`nowhere in it` is not found"), "{screen}");
    // what is set as on paper is found as it is typed
    bench.keys("F F F /");
    bench.write("lambda_wire =");
    let place = bench.state.report.found.unwrap();
    let page = Rc::clone(bench.state.report.written().unwrap());
    assert!(page.lines[place.line].contains("λ_wire ="));
    assert!(bench.screen().contains("λ_wire ="));
    bench.keys("esc esc");
    assert_eq!(bench.state.context(), Context::Browse);
}

#[test]
fn a_page_is_scrolled_by_every_hand() {
    let mut bench = Bench::paused(BEAD, SIZE, 3.2);
    bench.keys("W f f f");
    let top = |bench: &Bench| bench.state.report.top;
    for (there, back) in [
        ("j", "k"),
        ("down", "up"),
        ("pgdn", "pgup"),
        ("ctrl-f", "ctrl-b"),
        ("ctrl-d", "ctrl-u"),
        ("G", "g"),
        ("end", "home"),
    ] {
        bench.keys(there);
        assert!(top(&bench) > 0, "{there}");
        bench.keys(back);
        assert_eq!(top(&bench), 0, "{back}");
    }
    let wheel = |kind| {
        Event::Mouse(crossterm::event::MouseEvent {
            kind,
            column: 30,
            row: 12,
            modifiers: KeyModifiers::NONE,
        })
    };
    bench.send(wheel(crossterm::event::MouseEventKind::ScrollDown));
    assert_eq!(top(&bench), 3);
    bench.send(wheel(crossterm::event::MouseEventKind::ScrollUp));
    assert_eq!(top(&bench), 0);
    // what lies below is not reached
    let focus = bench.state.focus;
    let button = crossterm::event::MouseButton::Left;
    bench.send(wheel(crossterm::event::MouseEventKind::Down(button)));
    assert_eq!(bench.state.focus, focus);
    bench.keys("G");
    let last = bench.screen();
    assert!(last.contains("__main__"), "{last}");
    // a long line goes on to the side, and says so
    let mut bench = Bench::paused(BEAD, (50, 24), 3.2);
    bench.keys("W f f f");
    let screen = bench.screen();
    assert!(screen.contains('…'), "{screen}");
    bench.keys("right right");
    assert_eq!(bench.state.report.across, 16);
    bench.keys(&"right ".repeat(40));
    bench.screen();
    bench.keys(&"left ".repeat(40));
    assert_eq!(bench.state.report.across, 0);
}

#[test]
fn what_cannot_be_written_is_said_in_a_sentence() {
    let mut bench = Bench::new("minimum_on_surface", SIZE);
    bench.keys("W");
    let screen = bench.screen();
    assert!(screen.contains("and no handout"), "{screen}");
    bench.keys("c");
    assert!(bench.clipboard.is_empty());
    bench.keys("E");
    assert!(bench.screen().contains("nothing to write yet"));
    bench.keys("f f f");
    assert!(bench.screen().contains("and no program"));
    bench.keys("f f f");
    assert!(bench.screen().contains("With the objective U"));
    bench.keys("f f f f a");
    assert!(bench.screen().contains("Together these"));
}

#[test]
fn a_page_is_written_once_and_anew_for_another_text() {
    let mut bench = Bench::paused(BEAD, SIZE, 3.2);
    assert!(bench.state.report.written().is_none());
    bench.keys("W");
    let page = Rc::clone(bench.state.report.written().unwrap());
    bench.keys("f F esc W down up");
    assert!(Rc::ptr_eq(&page, bench.state.report.written().unwrap()));
    // the text changes while the page is not looked at: nothing is written
    bench.keys("esc e");
    bench.keys("end");
    bench.write("!");
    assert!(Rc::ptr_eq(&page, bench.state.report.written().unwrap()));
    bench.keys("esc");
    bench.answering = false;
    bench.keys("W");
    let screen = bench.screen();
    assert!(screen.contains("Handout, x₁ dependent …"), "{screen}");
    bench.answering = true;
    bench.send(Event::Tick(0.0));
    bench.keys("esc W");
    let screen = bench.screen();
    assert!(!screen.contains("dependent …"), "{screen}");
    assert!(screen.contains("parabolic wire!"), "{screen}");
    // of a broken text the page before is shown, as such
    bench.keys("esc e end enter");
    bench.write("broken: [");
    bench.keys("esc W");
    let screen = bench.screen();
    assert!(screen.contains("of the text before its errors"), "{screen}");
    assert!(screen.contains("parabolic wire!"), "{screen}");
}

#[test]
fn what_nobody_waits_for_is_taken_back() {
    let mut bench = Bench::paused(BEAD, SIZE, 3.2);
    bench.answering = false;
    let kinds: [fn(&Question) -> bool; 3] = [
        |asked| matches!(asked, Question::Page(_)),
        |asked| matches!(asked, Question::Equilibria(_)),
        |asked| matches!(asked, Question::Methods(_)),
    ];
    for (keys, is_of_kind) in ["W", "B", "D"].into_iter().zip(kinds) {
        bench.keys(keys);
        assert!(bench.withdrawn.is_empty());
        bench.keys("esc");
        let withdrawn = std::mem::take(&mut bench.withdrawn);
        assert!(withdrawn.len() == 1 && withdrawn.iter().all(is_of_kind));
        // once
        bench.keys("tab");
        assert!(bench.withdrawn.is_empty());
    }
    bench.keys("m m");
    let withdrawn = std::mem::take(&mut bench.withdrawn);
    assert!(matches!(withdrawn[..], [Question::Map(_)]));
    // what was answered is not taken back
    bench.answering = true;
    for keys in ["W esc", "B esc", "D esc", "m m"] {
        bench.keys(keys);
        assert!(bench.withdrawn.is_empty(), "{keys}");
    }
}

/// Each page has an answer.
pub(super) fn has_its_pages(bench: &mut Bench, name: &str) {
    bench.keys("W");
    for _ in Page::ALL {
        let screen = bench.screen();
        assert!(!screen.contains("working"), "{name}\n{screen}");
        bench.keys("G f");
    }
    bench.keys("esc");
}

#[test]
fn paths_beside_the_motion_have_a_slider_and_other_variations() {
    let mut bench = Bench::paused(BEAD, SIZE, 0.0);
    bench.keys("W F F F");
    let said = |bench: &Bench| bench.state.report.written().unwrap().lines.clone();
    let first = said(&bench);
    assert!(
        first[0].starts_with("eps ────────●────────  "),
        "{}",
        first[0]
    );
    assert!(
        first
            .iter()
            .any(|line| line.starts_with("SADDLE of the action"))
    );
    assert!(
        first
            .iter()
            .any(|line| line.contains("x₁ by sine; x₂ by g")),
        "{first:?}"
    );
    let size = |lines: &[String]| -> f64 { lines[0].rsplit("  ").next().unwrap().parse().unwrap() };
    bench.keys("right right");
    let larger = said(&bench);
    assert!((size(&larger) / size(&first) - 2.0).abs() < 1e-4);
    bench.keys("left left left left");
    assert!((size(&said(&bench)) / size(&first) - 0.5).abs() < 1e-4);
    bench.keys("a");
    assert!(said(&bench).iter().any(|line| line.contains("by sine2")));
}

/// A pendulum whose start is off the circle.
const OFF: &str = "name: Off\ncoordinates: [x, y]\nparameters: {m: 1, g: 9.81}\n\
                   lagrangian: 1/2*m*(x'^2 + y'^2) - m*g*y\n\
                   constraints: {rod: x^2 + y^2 = 1}\nstart: {x: 3, y: 0}\n";

#[test]
fn what_needs_no_start_is_written_without_one() {
    let mut bench = Bench::new(OFF, SIZE);
    assert!(bench.state.analysis.is_none() && bench.state.no_start);
    // the error is at its place, in numbers that can be typed, and the empty pane says what to do
    let screen = bench.screen();
    assert!(
        screen.contains("ERROR line 6, column 8: the given values miss"),
        "{screen}"
    );
    assert!(screen.contains("shows the derivation"), "{screen}");
    assert_snapshot!("no_start", screen);
    bench.keys("W");
    let model = Model::new(System::parse(OFF, "off", &[]).unwrap());
    let derived = model.derive(None);
    let plain = Layout {
        width: 80,
        style: Style::Plain,
    };
    assert_eq!(
        file(&bench),
        Handout::new(&model, &derived, Route::Report).text(plain)
    );
    assert!(bench.screen().contains("Handout, without a start"));
    bench.keys("F F F F F");
    assert_eq!(
        file(&bench),
        derive_code(&model, &derived, Language::Python)
    );
    bench.keys("F");
    let (part, _) = model.part(&Overrides::default(), &[]);
    let atlas = model.atlas(part, None);
    assert_eq!(file(&bench), atlas_text(&model, &atlas, plain));
    // what needs one says why there is none
    bench.keys("F");
    assert!(bench.screen().contains("nearest"));
    // a text that is no system at all has nothing to write
    let mut bench = Bench::new("name: Off\ncoordinates: [x\n", SIZE);
    bench.keys("W");
    assert!(!bench.state.report.open);
    assert!(bench.screen().contains("no system to write about"));
}

#[test]
fn a_start_that_breaks_while_there_is_a_motion_is_written_about_too() {
    let good = OFF.replace("x: 3, y: 0", "x: 1, y: 0");
    let mut bench = Bench::new(&good, SIZE);
    edit_behind(&mut bench, "x: 1");
    bench.write("7");
    bench.keys("esc W");
    assert!(bench.state.stale() && bench.state.no_start);
    assert!(bench.screen().contains("1. The usual form"));
    // mended, the choice in force counts again
    bench.keys("esc u W");
    assert!(bench.screen().contains("y dependent") || bench.screen().contains("x dependent"));
}

#[test]
fn the_theory_is_written_as_on_paper() {
    for (name, formula) in [(BEAD, "E_I - J_Iᵀ J_D⁻ᵀ E_D = 0"), ("knife_edge", "Aᵀ λ_A")] {
        let text = find(name).unwrap().text;
        let model = Model::new(System::parse(text, name, &[]).unwrap());
        let derived = model.derive(None);
        let shown =
            |style| Handout::new(&model, &derived, Route::Report).text(Layout { width: 80, style });
        let pretty = shown(Style::Pretty);
        assert!(pretty.contains(formula), "{pretty}");
        for plain in ["^T", "^-T", "lambda", "dL/d"] {
            assert!(!pretty.contains(plain), "{plain}: {pretty}");
        }
        assert!(shown(Style::Plain).is_ascii());
    }
}

#[test]
fn inverse_functions_and_atlas_are_shown_as_on_paper() {
    let mut bench = Bench::paused(BEAD, SIZE, 0.0);
    bench.keys("home W f");
    let inverse = bench.state.report.written().unwrap().lines.join("\n");
    for sign in ["x₁ = 1", "√(x₂ - y_wire)", "J_D⁻¹", "≤ x₁ ≤"] {
        assert!(inverse.contains(sign), "{sign}: {inverse}");
    }
    bench.keys("f a");
    let atlas = bench.state.report.written().unwrap().lines.join("\n");
    assert!(
        atlas.contains("≤ x₁ ≤") && atlas.contains("det J[x₁] = -2 x₁"),
        "{atlas}"
    );
    for page in [inverse, atlas] {
        for plain in ["<=", ">=", "sqrt", "lambda", "x1", "x2"] {
            assert!(!page.contains(plain), "{plain}: {page}");
        }
    }
    // plain where the terminal is
    bench.state.theme.charset = crate::plot::Charset::Ascii;
    bench.keys("F f");
    assert!(bench.screen().is_ascii());
}

#[test]
fn what_is_asked_for_before_the_first_answer_waits_for_it() {
    for (keys, shown) in [
        ("W", " Report 1/8"),
        ("Z", " Report 8/8"),
        ("B", " Equilibria "),
    ] {
        let mut bench = Bench::new(BEAD, SIZE);
        let fresh = |bench: &mut Bench| {
            bench.state.analysis = None;
            bench.state.fresh = true;
            bench.answering = false;
            bench.state.request();
            bench.send(Event::Tick(0.0));
        };
        fresh(&mut bench);
        bench.keys(keys);
        assert!(
            bench.screen().contains("when it is ready"),
            "{}",
            bench.screen()
        );
        let answer = |bench: &mut Bench| {
            bench.answering = true;
            let request = bench.state.asked.clone().unwrap();
            bench.carry_out(vec![Effect::Analyse(request)]);
        };
        answer(&mut bench);
        let screen = bench.screen();
        assert!(screen.contains(shown), "{screen}");
        assert!(!screen.contains("when it is ready"), "{screen}");
        // another key, and it is no longer wanted
        let mut bench = Bench::new(BEAD, SIZE);
        fresh(&mut bench);
        bench.keys(keys);
        bench.keys("tab");
        answer(&mut bench);
        assert!(!bench.screen().contains(shown));
    }
}
