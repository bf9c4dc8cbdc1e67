//! Where a choice of dependent coordinates works over ranges of parameters: a table, a figure, JSON.

use super::atlas::{box_json, region_text};
use super::json::{by_name, each, ends as sides};
use super::text::{Page, exact, left_out_of, names, only_if, show};
use super::title;
use crate::analysis::{DesignAnswer, Model};
use crate::expr::rounded;
use crate::plot::{Axis, Figure, Look, Series};
use crate::theorem::{Cell, Word};
use serde_json::{Value, json};

/// Ranges that are told one by one.
const ENTRIES: usize = 24;
/// Digits of the end of a range.
const DIGITS: i32 = 7;
/// Every word, with its name in JSON and what it says.
const WORDS: [(Word, &str, &str); 6] = [
    (
        Word::Works(true),
        "works",
        "holds at every configuration (certified)",
    ),
    (
        Word::Works(false),
        "works",
        "holds at every configuration, if there is one (certified)",
    ),
    (
        Word::Fails,
        "fails",
        "fails at some configuration, whatever the value there (certified)",
    ),
    (
        Word::FailsSomewhere,
        "fails_somewhere",
        "fails at some configuration of some value there (certified)",
    ),
    (Word::Undecided, "undecided", "not decided"),
    (
        Word::Empty,
        "empty",
        "there is no configuration (certified)",
    ),
];

fn told(word: Word) -> (&'static str, &'static str) {
    let found = WORDS.iter().find(|(own, ..)| *own == word);
    found.map_or(("undecided", "not decided"), |(_, name, words)| {
        (name, words)
    })
}

/// Neighbours along the one parameter that are told alike.
fn joined(cells: &[Cell]) -> Vec<((f64, f64), Word)> {
    let mut list: Vec<((f64, f64), Word)> = Vec::new();
    for cell in cells {
        let Some(side) = cell.sides().first() else {
            continue;
        };
        match list.last_mut() {
            Some((last, word)) if *word == cell.word() && last.1 == side.lo => last.1 = side.hi,
            _ => list.push(((side.lo, side.hi), cell.word())),
        }
    }
    list
}

/// Ends of few digits: inward where something is said of every value between them, else outward.
fn ends((lo, hi): (f64, f64), word: Word, whole: (f64, f64)) -> (f64, f64) {
    let inward = !matches!(word, Word::Undecided | Word::FailsSomewhere);
    let end = |v: f64, of_all: f64, upward: bool| {
        if v == of_all {
            return v;
        }
        rounded(v, DIGITS, upward)
    };
    (end(lo, whole.0, inward), end(hi, whole.1, !inward))
}

/// The part of the range that cells with a word take.
fn share(answer: &DesignAnswer, word: Word) -> f64 {
    let area = |cell: &&Cell| {
        cell.sides()
            .iter()
            .map(|side| side.width())
            .product::<f64>()
    };
    let all: f64 = answer.cells.iter().map(|cell| area(&cell)).sum();
    let own = answer.cells.iter().filter(|cell| cell.word() == word);
    own.map(|cell| area(&cell)).sum::<f64>() / all
}

/// What is proven, range by range.
pub fn design_text(model: &Model, answer: &DesignAnswer, width: usize) -> String {
    let mut page = Page::new(width);
    page.prose(0, &headline(model, answer));
    page.heading(&title(model));
    page.prose_after("  box  ", 7, &region_text(model, &answer.part));
    let chosen = names(&model.names(&answer.dependent));
    if let Some(det) = answer.determinant {
        page.expression(2, &format!("det J[{chosen}] = "), show(model, det), "");
    }
    table(&mut page, model, answer);
    page.gap();
    page.prose(0, &scope(answer));
    page.finish()
}

/// The verdict on all of the range.
fn headline(model: &Model, answer: &DesignAnswer) -> String {
    let chosen = names(&model.names(&answer.dependent));
    let every = match model.ranging_parameters().len() {
        0 => "every configuration in the box",
        1 => "every configuration in the box, whatever the parameter",
        _ => "every configuration in the box, whatever the parameters",
    };
    let any = |wanted: &[Word]| {
        answer
            .cells
            .iter()
            .any(|cell| wanted.contains(&cell.word()))
    };
    if answer.cells.is_empty() {
        return format!("FAILS for {chosen} everywhere: det J[{chosen}] = 0");
    }
    if answer.holds() {
        let is_empty = answer.cells.iter().all(|cell| cell.word() == Word::Empty);
        if is_empty {
            return "There is no configuration in the box (certified)".to_owned();
        }
        let each = answer
            .cells
            .iter()
            .all(|cell| cell.word() == Word::Works(true));
        let if_any = only_if(!each, ", if there is one");
        return format!("HOLDS for {chosen} at {every}{if_any} (certified)");
    }
    match (
        any(&[Word::Fails, Word::FailsSomewhere]),
        any(&[Word::Works(true), Word::Works(false)]),
    ) {
        (true, true) => format!("HOLDS for {chosen} in a part of the range, and FAILS in another"),
        (true, false) => format!("FAILS for {chosen} at some configuration in the box (certified)"),
        (false, true) => {
            format!("HOLDS for {chosen} in a part of the range; the rest is not decided")
        }
        (false, false) => format!("Not decided for {chosen}"),
    }
}

fn table(page: &mut Page, model: &Model, answer: &DesignAnswer) {
    if answer.parameters == 1 {
        let name = model.variable_names()[model.coordinate_names().len()].clone();
        let list = joined(&answer.cells);
        for ((lo, hi), word) in list.iter().take(ENTRIES) {
            let range = ends(
                (*lo, *hi),
                *word,
                answer.part.region[model.coordinate_names().len()],
            );
            let range = format!("{} <= {name} <= {}", exact(range.0), exact(range.1));
            page.prose_after("  ", 4, &format!("{range}   {}", told(*word).1));
        }
        left_out_of(page, 2, list.len().saturating_sub(ENTRIES), "range");
        return;
    }
    for (word, _, words) in WORDS.iter().filter(|_| answer.parameters > 1) {
        let part = share(answer, *word);
        if part > 0.0 {
            let percent = crate::plot::number(100.0 * part, 3);
            page.prose_after("  ", 4, &format!("{percent} % of the range: {words}"));
        }
    }
}

/// Of which configurations all this is said.
fn scope(answer: &DesignAnswer) -> String {
    if answer.part.all_configurations {
        "The box holds every configuration (certified).".to_owned()
    } else {
        "Of configurations outside of the box nothing is said.".to_owned()
    }
}

/// The cells in the plane of the first two parameters.
pub fn design_figure(model: &Model, answer: &DesignAnswer) -> Figure {
    let first = model.coordinate_names().len();
    let chosen = names(&model.names(&answer.dependent));
    let kinds = [
        (
            &[Word::Works(true), Word::Works(false)][..],
            format!("{chosen} works"),
        ),
        (&[Word::Fails], "fails".to_owned()),
        (&[Word::Undecided], "not decided".to_owned()),
        (&[Word::FailsSomewhere], "fails for some".to_owned()),
    ];
    let series = (0..).zip(kinds).filter_map(|(role, (kind, label))| {
        let cells = answer.cells.iter();
        let cells = cells.filter(|cell| kind.contains(&cell.word()));
        let points: Vec<[f64; 2]> = cells.filter_map(corners).flatten().collect();
        (!points.is_empty()).then(|| Series {
            look: Look::Filled,
            ..Series::new(label, points, role)
        })
    });
    let axis = |k: usize| Axis::over(&model.variable_names()[k], answer.part.region[k]);
    Figure {
        title: title(model),
        series: series.collect(),
        x: axis(first),
        y: axis(first + 1),
        ..Figure::default()
    }
}

/// Opposite corners of a cell.
fn corners(cell: &Cell) -> Option<[[f64; 2]; 2]> {
    match cell.sides() {
        [x, y] => Some([[x.lo, y.lo], [x.hi, y.hi]]),
        _ => None,
    }
}

/// The cells as data, nothing rounded.
pub fn design_json(model: &Model, answer: &DesignAnswer) -> Value {
    let first = model.coordinate_names().len();
    let parameters = &model.variable_names()[first..first + answer.parameters];
    json!({
        "system": title(model),
        "t": answer.part.t,
        "no_start": answer.part.no_start.as_ref().map(ToString::to_string),
        "box": box_json(model, &answer.part.region),
        "all_configurations": answer.part.all_configurations,
        "dependent": model.names(&answer.dependent),
        "determinant": answer.determinant.map(|det| model.system.pool.print(det)),
        "parameters": parameters,
        "holds": answer.holds(),
        "never": answer.cells.is_empty(),
        "cells": each(&answer.cells, |cell| json!({
            "box": by_name(parameters, cell.sides().iter().map(sides)),
            "word": told(cell.word()).0,
        })),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_one_rounding_beside_a_short_number_is_short_too() {
        let whole = (0.5, 3.0);
        let (lo, hi) = (1.971_804_000_000_000_1, 1.999_999_999_999_999_8);
        assert_eq!(
            ends((lo, hi), Word::Works(true), whole),
            (1.971_805, 1.999_999)
        );
        let (out_lo, out_hi) = ends((hi, lo.next_up()), Word::Undecided, whole);
        assert_eq!((out_lo, out_hi), (1.999_999, 1.971_805));
        assert_eq!(ends((0.75, 1.25), Word::Fails, whole), (0.75, 1.25));
    }
}
