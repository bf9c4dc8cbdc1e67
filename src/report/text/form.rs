//! A group of formulas with its words, on a page.

use super::page::Page;
use super::table::headed;
use super::{ENTRIES, left_out, show};
use crate::analysis::{DomainOfG, Model};
use crate::expr::Style;
use crate::report::domain::domain_words;
use crate::report::formula::{Form, Formula, Grid, Part, sentence};

/// The words, the matrices among them, then the formulas; of many no more than `most`.
pub(in crate::report) fn form(page: &mut Page, model: &Model, form: &Form, room: (usize, usize)) {
    for form in form.in_style(page.style()) {
        in_style(page, model, form, room);
    }
}

fn in_style(page: &mut Page, model: &Model, form: &Form, (indent, most): (usize, usize)) {
    let system = &model.system;
    let style = page.style();
    let sentence = form.sentence(system, style);
    if !sentence.is_empty() {
        page.formula_prose(&" ".repeat(indent), indent, &page.say(&sentence));
    }
    for part in &form.words {
        if let Part::Matrix(grid) = part {
            matrix(page, model, grid, indent + 3);
        }
    }
    page.group_of(form.formulas.len());
    for f in form.formulas.iter().take(most) {
        formula(page, model, indent + 3, f);
    }
    if form.formulas.len() > most {
        let more = format!("... and {} more", form.formulas.len() - most);
        page.prose(indent + 3, &more);
    }
}

/// A formula, its condition before it.
pub(super) fn formula(page: &mut Page, model: &Model, indent: usize, f: &Formula) {
    let (system, style) = (&model.system, page.style());
    if let Some(condition) = f.condition(system, style) {
        page.formula_prose(&" ".repeat(indent), indent + 2, &condition);
    }
    let head = f.head(system, style);
    let tail = f.tail(system, style);
    let inside = if f.inside { 2 } else { 0 };
    page.shown_equation((indent + inside, &head), &show(model, f.e), &tail);
}

/// A group of formulas.
pub(super) fn formulas(page: &mut Page, model: &Model, indent: usize, list: &[Formula]) {
    page.group_of(list.len());
    for f in list.iter().take(ENTRIES) {
        formula(page, model, indent, f);
    }
    left_out(page, indent, list.len().saturating_sub(ENTRIES));
}

/// Where g is defined and where it ends.
pub(in crate::report) fn domain(page: &mut Page, model: &Model, own: &DomainOfG) {
    for words in domain_words(model, own) {
        let words = sentence(&words, &model.system, page.style());
        page.formula_prose("  ", 4, &words);
    }
}

fn matrix(page: &mut Page, model: &Model, grid: &Grid, indent: usize) {
    let style = page.style();
    let name = |e: &crate::expr::Expr| show(model, *e).text(style);
    let cells: Vec<Vec<String>> = grid
        .cells
        .iter()
        .map(|row| row.iter().map(name).collect())
        .collect();
    let columns: Vec<String> = grid.columns.iter().map(name).collect();
    let mut heads = vec![grid.head.to_owned()];
    heads.extend(grid.rows.iter().map(|e| format!("  {}", name(e))));
    let mut rows = headed(&columns, &cells);
    if style == Style::Pretty {
        paper(&mut rows);
    }
    let blanks = " ".repeat(indent);
    let table: Vec<Vec<String>> = heads
        .iter()
        .zip(rows)
        .map(|(head, row)| vec![format!("{blanks}{head}"), row])
        .collect();
    let lines = super::table::left(&table);
    if page.fits(&lines) {
        page.lines(&lines);
        return;
    }
    // row by row, where it is wider than the page
    page.line(&format!("{blanks}{}  by {}", grid.head, columns.join(", ")));
    for (head, row) in heads.iter().skip(1).zip(&cells) {
        let head = format!("{blanks}{head}  ");
        page.formula_prose(&head, indent + 4, &format!("({})", row.join(", ")));
    }
}

/// The brackets of a matrix as on paper.
fn paper(rows: &mut [String]) {
    let last = rows.len().saturating_sub(1);
    for (i, row) in rows.iter_mut().enumerate().skip(1) {
        let [open, close] = match (i == 1, i == last) {
            (true, true) => ["[", "]"],
            (true, false) => ["⎡", "⎤"],
            (false, true) => ["⎣", "⎦"],
            (false, false) => ["⎢", "⎥"],
        };
        let inner = row.strip_prefix('[').and_then(|row| row.strip_suffix(']'));
        if let Some(inner) = inner {
            *row = format!("{open}{inner}{close}");
        }
    }
}
