//! The line of the verdict: it fits, with its sense, whatever the system and the width.

use super::*;
use crate::workbench::layout::Pane;
use crate::workbench::text::columns;

const WIDTHS: [u16; 4] = [80, 100, 120, 200];

/// The line at this width.
fn line(bench: &Bench, width: u16) -> String {
    let area = Rect::new(0, 0, width, 1);
    let mut buffer = Buffer::empty(area);
    view::verdict::draw(&bench.state, area, &mut buffer);
    let line: String = buffer.content.iter().map(Cell::symbol).collect();
    line.trim_end().to_owned()
}

/// At every width it ends with a whole word, and so does each half of it.
fn fits(bench: &mut Bench, name: &str) {
    for charset in [Charset::Braille, Charset::Ascii] {
        bench.state.theme.charset = charset;
        for width in WIDTHS {
            let line = line(bench, width);
            let cut = ["…", "..."]
                .iter()
                .any(|mark| line.ends_with(mark) || line.contains(&format!("{mark}  ")));
            assert!(!cut && line.len() > 10, "{name} at {width}: {line}");
        }
    }
    bench.state.theme.charset = Charset::Braille;
}

/// What it says as it is narrowed down.
fn narrowed(bench: &Bench) -> String {
    let mut said: Vec<String> = (40..=120).rev().map(|width| line(bench, width)).collect();
    said.dedup();
    said.join("\n")
}

#[test]
fn the_nearest_failure_is_told_with_its_distance_where_nothing_moves() {
    // as `check` has it
    let mut bench = Bench::paused("pendulum", (80, 24), 0.0);
    let text = "fails on y = 0, nearest 0.518 at (1.000,";
    assert!(bench.screen().contains(text), "{}", bench.screen());
    bench.keys("space");
    bench.send(Event::Tick(0.1));
    assert!(!bench.screen().contains("nearest"), "{}", bench.screen());
}

/// Wherever its motion goes, from its start on.
pub(super) fn fits_everywhere(bench: &mut Bench, name: &str) {
    fits(bench, name);
    bench.keys("space");
    // at its failures, between them, and right after one while it plays
    for _ in 0..3 {
        bench.keys("n");
        fits(bench, name);
        bench.keys("space");
        bench.send(Event::Tick(0.05));
        fits(bench, name);
        bench.keys("space right right");
        fits(bench, name);
    }
    bench.keys("end");
    fits(bench, name);
    bench.answering = false;
    bench.keys(". right");
    fits(bench, name);
    bench.answering = true;
}

#[test]
fn what_matters_least_gives_way_first() {
    let mut bench = Bench::paused("bead_on_parabola", (80, 24), 3.2);
    insta::assert_snapshot!(narrowed(&bench));
    bench.keys("n");
    insta::assert_snapshot!("a_failure", narrowed(&bench));
}

#[test]
fn names_without_end_are_cut_at_a_word() {
    let long = "position_of_the_first_of_all_the_beads_on_that_very_long_and_winding_wire";
    let text = format!(
        "name: Long\ncoordinates: [{long}, y]\nlagrangian: 1/2*({long}'^2 + y'^2) - 9.81*y\n\
         constraints: {{wire: y - {long}^2}}\ndependent: [{long}]\nstart: {{{long}: 1, {long}': 0}}\nrun: {{until: 1}}\n"
    );
    let bench = Bench::paused(&text, (60, 24), 0.0);
    let said = line(&bench, 60);
    assert!(
        said.starts_with(" ✓ HOLDS for") && said.ends_with('…'),
        "{said}"
    );
    // a message of many words
    let bench = Bench::paused(
        "coordinates: [x]\nlagrangian: 1/2*x'^2 + nothing_known_of_this\n",
        (60, 24),
        0.0,
    );
    let said = line(&bench, 60);
    assert!(said.starts_with(" ✗ ERROR line 2"), "{said}");
    assert!(columns(&said) <= 60 && !said.ends_with(" …"), "{said}");
    let word = said.trim_end_matches('…').rsplit(' ').next().unwrap();
    let whole = line(&bench, 200);
    let word = word.trim_end_matches([',', ':', ';']);
    let words = whole.split([' ', ',', ':', ';']);
    assert!(words.into_iter().any(|w| w == word), "{said} / {whole}");
}

#[test]
fn empty_panes_say_what_is_missing() {
    let said = |text: &str, words: &[&str]| {
        let panes = [Pane::Equations, Pane::Plot, Pane::Picture];
        for (pane, words) in panes.into_iter().zip(words) {
            let mut bench = Bench::new(text, (80, 24));
            bench.state.focus = pane;
            bench.keys("z");
            let screen = bench.screen();
            assert!(screen.contains(words), "{pane:?}: {words}\n{screen}");
        }
    };
    let bead = find("bead_on_parabola").unwrap().text;
    let no_motion = "no motion: the start cannot be solved, see Problems (!)";
    said(
        &bead.replace("x2: 1,", "x2: 5,"),
        &[
            "not shown: the start cannot be solved",
            no_motion,
            no_motion,
        ],
    );
    let wrong = "no motion: the text has an error, see Problems (!)";
    said(
        &bead.replace("lagrangian", "lagrangean"),
        &["no equations: the text has an error", wrong, wrong],
    );
}
