//! The Equations pane: the equations of motion in closed form, and numbers at the time shown; or one
//! of the forms to leaf through, as on paper.

use ratatui::text::Line;

use super::{balance, named, words};
use crate::expr::Style;
use crate::report::{Form, linked, only_if, zero};
use crate::system::System;
use crate::workbench::formulas::PrintedForm;
use crate::workbench::layout::Pane;
use crate::workbench::state::State;
use crate::workbench::text::{number, wrap};
use crate::workbench::theme::Theme;

/// Lines that a formula may take on paper; a longer one is written in a row.
const TALLEST: usize = 24;

/// The form shown; `None` for the summary.
fn shown(state: &State) -> Option<&PrintedForm> {
    state.forms.get(state.form.checked_sub(1)?)
}

/// The title of the pane: the form and its number.
pub fn title(state: &State) -> String {
    match shown(state) {
        Some(form) => format!(
            "Equations {}/{}: {}",
            state.form,
            state.forms.len(),
            form.form.name
        ),
        None => "Equations".to_owned(),
    }
}

/// What is shown as text in the grammar of system files; all forms where none is chosen.
pub fn plain_text(state: &State) -> String {
    each(state, |form, system| form.text(system, Style::Plain))
}

/// What is shown as LaTeX; all forms where none is chosen.
pub fn latex(state: &State) -> String {
    each(state, Form::latex)
}

fn each(state: &State, write: impl Fn(&Form, &System) -> String) -> String {
    let Some(analysis) = &state.analysis else {
        return String::new();
    };
    let list = match shown(state) {
        Some(form) => std::slice::from_ref(form),
        None => &state.forms,
    };
    let write = |printed: &PrintedForm| write(&printed.form, &analysis.model().system);
    linked("\n", list.iter().map(write))
}

/// A text in so many columns, every line but the first two blanks further in.
fn hanging(theme: Theme, text: &str, indent: &str, width: usize) -> Vec<Line<'static>> {
    let pieces = wrap(&words(theme, text), width).into_iter().enumerate();
    let hang = |at| if at == 0 { "" } else { "  " };
    let lines = pieces.map(|(at, piece)| Line::raw(format!("{indent}{}{piece}", hang(at))));
    lines.collect()
}

/// A form as on paper.
fn form_lines(theme: Theme, form: &PrintedForm, width: usize) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    for piece in wrap(&words(theme, &form.sentence), width) {
        if !form.sentence.is_empty() {
            lines.push(Line::styled(piece, theme.dim()));
        }
    }
    let mut above = false;
    for f in &form.formulas {
        if let Some(condition) = &f.condition {
            lines.push(Line::styled(words(theme, condition), theme.dim()));
        }
        let indent = if f.inside { "    " } else { "  " };
        let room = width.saturating_sub(indent.len());
        let block = (!theme.ascii())
            .then(|| f.on_paper(room, TALLEST))
            .flatten();
        if let Some(block) = block {
            // fractions need air between them
            let tall = block.lines.len() > 1;
            if (tall || above) && !lines.is_empty() {
                lines.push(Line::default());
            }
            above = tall;
            let rows = block.lines.iter();
            lines.extend(rows.map(|row| Line::raw(format!("{indent}{}", words(theme, row)))));
            continue;
        }
        above = false;
        lines.extend(hanging(theme, &f.line, indent, room.saturating_sub(2)));
    }
    lines
}

/// All lines of the pane at this width.
pub fn lines(state: &State, width: usize) -> Vec<Line<'static>> {
    let theme = state.theme;
    let Some(analysis) = &state.analysis else {
        return Vec::new();
    };
    if let Some(form) = shown(state) {
        return form_lines(theme, form, width);
    }
    let mut lines = Vec::new();
    if let Some(moment) = &state.moment {
        let guessed = only_if(moment.is_rough(), ", interpolated");
        lines.push(Line::styled(
            format!("at t {:.3}{guessed}", state.playhead.t),
            theme.strong(),
        ));
        let sample = &moment.sample;
        let forces = [sample.lambda.as_slice(), &sample.reaction].concat();
        let forces = zero::without_rounding(&forces);
        let (multipliers, reaction) = forces.split_at(sample.lambda.len());
        let of = |list: &[f64], k: usize| list.get(k).copied().unwrap_or(f64::NAN);
        let constraints = analysis.constraints().iter().enumerate();
        let lambda = constraints
            .map(|(b, name)| (named(state, &format!("lambda_{name}")), of(multipliers, b)));
        let coordinates = analysis.coordinates().iter().enumerate();
        let force =
            coordinates.map(|(k, name)| (named(state, &format!("R_{name}")), of(reaction, k)));
        let energy = [("energy".to_owned(), sample.energy)];
        let numbers = lambda.chain(force).chain(energy);
        let numbers = numbers.map(|(name, value)| format!("{name}\u{a0}{}", number(value)));
        for line in wrap(
            &words(theme, &linked("  ", numbers)),
            width.saturating_sub(2),
        ) {
            lines.push(Line::raw(format!(
                "  {}",
                line.trim_start().replace('\u{a0}', " ")
            )));
        }
    }
    let balance = balance::texts(state);
    // the border of the Theorem pane has room for the shortest
    let told = balance.len() == 1 && state.layout().pane(Pane::Theorem).is_some();
    if let Some(text) = balance.first().filter(|_| !told) {
        let pieces = wrap(&words(theme, text), width.saturating_sub(2));
        let pieces = pieces.into_iter();
        lines.extend(pieces.map(|piece| Line::raw(format!("  {piece}"))));
    }
    let mut heading = "";
    for (label, text) in &state.summary {
        if label != heading {
            lines.push(Line::styled(words(theme, label), theme.strong()));
            heading = label;
        }
        lines.extend(hanging(theme, text, "  ", width.saturating_sub(4)));
    }
    lines
}
