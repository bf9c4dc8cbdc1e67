//! The connected branches of a set of one dimension, as text and as JSON.

use super::atlas::{box_json, box_text, region_text};
use super::json::{by_name, each, ends as range, point_json};
use super::text::{Layout, Page, count, exact, joined, left_out, left_out_of, linked, place};
use super::title;
use crate::analysis::{BranchesAnswer, Model};
use crate::expr::{Interval, rounded};
use crate::interval::ends;
use crate::theorem::{Junction, Run};
use serde_json::{Value, json};

/// Branches, and junctions, that are told one by one.
const ENTRIES: usize = 12;
/// Digits of an end, rounded away from what is reached.
const DIGITS: i32 = 10;

/// The branches, what the coordinate runs over on each, and where they come together.
pub fn branches_text(model: &Model, answer: &BranchesAnswer, layout: Layout) -> String {
    let mut page = Page::laid_out(layout, &model.system.pool);
    let found = &answer.branches;
    page.prose(0, &headline(answer));
    page.gap();
    page.title(&title(model));
    page.prose_after("  box  ", 7, &region_text(model, &answer.part));
    page.gap();
    let name = &model.coordinate_names()[answer.along];
    for (k, (one, runs)) in found
        .list()
        .iter()
        .zip(&answer.runs)
        .enumerate()
        .take(ENTRIES)
    {
        let all = answer.part.region[answer.along];
        let words = if answer.is_whole(k) {
            format!(
                "{name} runs over all of {} <= {name} <= {}",
                exact(all.0),
                exact(all.1)
            )
        } else {
            let runs = runs.iter().map(|run| run_words(run, all));
            format!("{name} runs {}", linked(" and ", runs))
        };
        let point = place(&one.point[..model.coordinate_names().len()]);
        page.prose_after(
            "  ",
            4,
            &format!("{}: {words} (certified); through {point}", k + 1),
        );
    }
    left_out(&mut page, 2, found.list().len().saturating_sub(ENTRIES));
    if !found.junctions().is_empty() {
        page.heading("Not decided");
        for junction in found.junctions().iter().take(ENTRIES) {
            page.prose_after("  ", 4, &junction_words(model, answer, junction));
        }
        let more = found.junctions().len().saturating_sub(ENTRIES);
        left_out_of(&mut page, 2, more, "box");
    }
    page.gap();
    page.prose(0, &conclusion(answer));
    page.finish()
}

fn headline(answer: &BranchesAnswer) -> String {
    let found = &answer.branches;
    let whole = (0..found.list().len())
        .filter(|k| answer.is_whole(*k))
        .count();
    let all = found.list().len();
    let branches = count(all, "branch");
    let noun = match (found.are_counted(), found.junctions().is_empty()) {
        (true, _) => format!("{branches} (certified)"),
        (false, false) => {
            let open = count(found.junctions().len(), "undecided place");
            format!("{branches}, and {open}")
        }
        (false, true) => format!("{branches} found"),
    };
    match whole {
        0 => noun,
        _ if whole == all => format!("{noun}, each over all of the range"),
        _ => format!("{noun}, {whole} of them over all of the range"),
    }
}

/// `from 0.5 to 2.0943951`: what is between is reached, and nothing beyond.
fn run_words(run: &Run, all: (f64, f64)) -> String {
    let end = |side: Interval, upward: bool| {
        if side.width() == 0.0 && (side.lo == all.0 || side.lo == all.1) {
            return exact(side.lo);
        }
        let at = rounded(if upward { side.hi } else { side.lo }, DIGITS, upward);
        let off = side.width();
        if off <= 1e-9 * at.abs().max(1.0) {
            return exact(at);
        }
        format!("{} (to {})", exact(at), crate::plot::number(off, 2))
    };
    format!("from {} to {}", end(run.low, false), end(run.high, true))
}

fn junction_words(model: &Model, answer: &BranchesAnswer, junction: &Junction) -> String {
    let n = model.coordinate_names().len();
    let place = box_text(model, &ends(&junction.sides[..n]), &answer.part.region);
    let branches = joined(junction.branches.iter().map(|k| (k + 1).to_string()));
    match junction.branches.len() {
        0 => format!("{place}: no branch comes there"),
        1 => format!("{place}: branch {branches} comes there"),
        _ => format!("{place}: branches {branches} come together"),
    }
}

fn conclusion(answer: &BranchesAnswer) -> String {
    let found = &answer.branches;
    let rest = match (found.complete(), found.junctions().is_empty()) {
        (true, true) => "There are no others in the box (certified)",
        (true, false) => "There are no others in the box but in what is not decided (certified)",
        (false, _) => "The work limit was reached: there may be others",
    };
    let apart = match (found.apart(), found.list().len()) {
        (_, 0 | 1) => "",
        (true, _) => ", and no two of them meet elsewhere (certified)",
        (false, _) => ", and some may be one",
    };
    format!("{rest}{apart}.")
}

/// The same as data, nothing rounded.
pub fn branches_json(model: &Model, answer: &BranchesAnswer) -> Value {
    let found = &answer.branches;
    let list = found.list().iter().zip(&answer.runs).enumerate();
    json!({
        "system": title(model),
        "t": answer.part.t,
        "no_start": answer.part.no_start.as_ref().map(ToString::to_string),
        "box": box_json(model, &answer.part.region),
        "along": model.coordinate_names()[answer.along],
        "branches": each(list, |(k, (one, runs))| json!({
            "whole": answer.is_whole(k),
            "runs": each(runs, |run| json!({"low": range(&run.low), "high": range(&run.high)})),
            "point": point_json(model, &one.point),
        })),
        "counted": found.are_counted(),
        "complete": found.complete(),
        "apart": found.apart(),
        "undecided": each(found.junctions(), |junction| json!({
            "box": by_name(model.variable_names(), junction.sides.iter().map(range)),
            "branches": junction.branches,
        })),
    })
}
