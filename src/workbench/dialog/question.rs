//! Questions that a key answers.

use ratatui::Frame;
use ratatui::text::{Line, Span};

use super::list::{open, row};
use crate::workbench::action::footer;
use crate::workbench::state::State;
use crate::workbench::text::columns;
use crate::workbench::view::words;

/// Draws the words, and below them the answers that the footer has too.
pub(super) fn ask(state: &State, title: &str, lines: &[String], frame: &mut Frame) {
    let lines: Vec<String> = lines.iter().map(|line| words(state.theme, line)).collect();
    let mut last = Vec::new();
    for answer in footer(state.context()) {
        let names = words(state.theme, &answer.names());
        last.push(Span::styled(names, state.theme.accent()));
        last.push(Span::raw(format!(" {}   ", answer.title)));
    }
    let last = Line::from(last);
    let widths = lines.iter().map(|line| columns(line));
    let width = widths.max().unwrap_or(0).max(last.width());
    let size = (width as u16 + 2, lines.len() as u16 + 2);
    let mut inner = open(state, title, size, frame);
    let rows = inner.y..inner.bottom();
    inner.x += 1;
    inner.width = inner.width.saturating_sub(2);
    let lines = lines.into_iter().map(Line::raw);
    for (y, line) in rows.zip(lines.chain([Line::raw(""), last])) {
        row(line, y, inner, frame);
    }
}
