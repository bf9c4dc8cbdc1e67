//! What `compare` says.

use super::motion::stepping;
use super::page::{Layout, Page};
use super::table::aligned;
use super::{count, joined, left_out, number, size};
use crate::analysis::{Model, along};
use crate::expr::Style;
use crate::report::json::column_name;
use crate::report::title;
use crate::solver::{Comparison, Difference, Method};

/// Columns of the motion that are shown.
const COLUMNS: usize = 24;
/// Parts of the time that are shown.
const PARTS: usize = 4;

/// The verdict, then the differences and what the methods cost.
pub fn compare_text(model: &Model, comparison: &Comparison, layout: Layout) -> String {
    let mut page = Page::laid_out(layout, &model.system.pool);
    let column = |column| {
        let name = column_name(model, column);
        match layout.style {
            Style::Pretty => model.system.pool.pretty_name(&name),
            _ => name,
        }
    };
    let names = joined(comparison.methods.iter().map(Method::name));
    let until = number(comparison.until);
    let verdict = match (&comparison.because, comparison.agree) {
        (Some(_), _) => "UNDECIDED: not every method came to the end".to_owned(),
        (None, true) => format!("AGREE up to t = {until}: {names}"),
        (None, false) => format!("DIFFER up to t = {until}: {names}"),
    };
    page.prose(0, &verdict);
    if let Some(because) = &comparison.because {
        page.prose(2, &format!("{}.", crate::report::refusal_sentence(because)));
        page.prose(2, &format!("What follows is up to t = {until}."));
    }
    if model.multiplier_names().is_empty() {
        page.prose(2, "Without constraints the methods are one and the same.");
    }
    if comparison.chaotic {
        page.prose(
            2,
            "The motion is chaotic: from that time on it forgets its start, and a tenth of the tolerance \
             changes it by more than 1e-3.",
        );
    }
    if comparison.singular {
        page.prose(
            2,
            "From that time on a tenth of the tolerance changes the motion by more than 1e-3: it comes by a place where the \
             gradients of the constraints are dependent.",
        );
    }
    page.heading(&title(model));
    page.gap();
    let mut rows = vec![row(
        "  column",
        ["largest difference", "at t", "allowed", ""],
    )];
    let (exceeding, within): (Vec<&Difference>, Vec<&Difference>) =
        comparison.differences.iter().partition(|d| !allowed(d));
    for d in exceeding.iter().chain(&within).take(COLUMNS) {
        let mark = if allowed(d) { "" } else { "exceeded" };
        rows.push(row(
            &format!("  {}", column(d.column)),
            [&size(d.max), &number(d.t), &size(d.tolerance), mark],
        ));
    }
    page.lines(&aligned(&rows));
    left_out(
        &mut page,
        2,
        comparison.differences.len().saturating_sub(COLUMNS),
    );
    growth(&mut page, comparison);
    page.gap();
    let cells: Vec<Vec<String>> = comparison
        .motions
        .iter()
        .map(|m| {
            vec![
                format!("  {}", m.method.name()),
                count(m.steps, "step"),
                count(m.evaluations, "evaluation"),
            ]
        })
        .collect();
    page.lines(&aligned(&cells));
    for motion in &comparison.motions {
        if let Some(stepping) = stepping(motion) {
            page.prose(4, &format!("{}: {stepping}", motion.method.name()));
        }
    }
    page.finish()
}

/// How the differences grow, in a few parts of the time.
fn growth(page: &mut Page, comparison: &Comparison) {
    let along = along(comparison, PARTS);
    let (Some(first), true) = (along.t.first(), along.t.len() > 2) else {
        return;
    };
    page.gap();
    let mut head = vec![format!(
        "  of what is allowed, from t = {} to",
        number(*first)
    )];
    head.extend(along.t.iter().skip(1).map(|t| number(*t)));
    let mut rows = vec![head];
    for pair in &along.pairs {
        let mut cells = vec![format!("  {}", pair.methods.map(|m| m.name()).join(", "))];
        cells.extend(pair.parts.iter().skip(1).map(|part| size(*part)));
        rows.push(cells);
    }
    page.lines(&aligned(&rows));
}

fn row(name: &str, cells: [&str; 4]) -> Vec<String> {
    let cells = cells.iter().map(|c| (*c).to_owned());
    [name.to_owned()].into_iter().chain(cells).collect()
}

/// Not so where a difference is no number.
fn allowed(difference: &Difference) -> bool {
    difference.max <= difference.tolerance
}
