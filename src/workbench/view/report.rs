//! What is written about the system, over the panes.
//!
//! ```text
//! ┏ Report 1/4: Handout ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┓
//! ┃ Bead on a parabolic wire                                      ┃
//! ┃                                                               ┃
//! ┃ 1. The usual form                                             ┃
//! ┃    With the constraints of step 2, the usual way has 2 …      ↓
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ lines 1-18 of 74 ┛
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::{Alignment, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Widget};
use unicode_width::UnicodeWidthChar;

use super::verdict::names;
use super::{more, words};
use crate::report::only_if;
use crate::workbench::dialog;
use crate::workbench::report::{area, is_behind, lines, room};
use crate::workbench::state::State;
use crate::workbench::text::{columns, cut};
use crate::workbench::theme::Theme;
use crate::workbench::writing::Page;

/// Draws it.
pub fn draw(state: &State, buffer: &mut Buffer) {
    let theme = state.theme;
    let rect = area(state).intersection(buffer.area);
    let lines = lines(state);
    let report = &state.report;
    let inside = usize::from(rect.height.saturating_sub(2));
    let top = report.top.min(lines.len().saturating_sub(inside));
    let last = (top + inside).min(lines.len());
    let position = only_if(
        lines.len() > inside,
        format!(" lines {}-{last} of {} ", top + 1, lines.len()),
    );
    let room = usize::from(rect.width.saturating_sub(2));
    let heading = cut(&words(theme, &title(state)), room);
    Clear.render(rect, buffer);
    let block = Block::bordered()
        .border_set(theme.border(true))
        .border_style(theme.accent())
        .title(Span::styled(heading, theme.accent()))
        .title_bottom(Line::styled(cut(&position, room), theme.dim()).alignment(Alignment::Right));
    let inner = block.inner(rect);
    block.render(rect, buffer);
    let shown = lines.iter().skip(top).take(inside);
    let width = inner.width.saturating_sub(2);
    let rows = Rect::new(inner.x + 1, inner.y, width, inner.height);
    for (row, line) in rows.rows().zip(shown) {
        part(state, line).render(row.intersection(inner), buffer);
    }
    if is_behind(state) {
        buffer.set_style(inner, theme.stale());
    }
    more(inner, (top > 0, last < lines.len()), buffer);
}

/// ` Report 3/4: Atlas, x₁ dependent … `
fn title(state: &State) -> String {
    let report = &state.report;
    let analysis = state.analysis.as_ref().filter(|_| !state.no_start);
    let dependent = analysis.map(|analysis| names(analysis, &analysis.dependent));
    let about = match (report.page, dependent) {
        (Page::Atlas, _) if !report.one_choice => ", all choices".to_owned(),
        (Page::Atlas | Page::Handout | Page::Inverse, Some(names)) if !names.is_empty() => {
            format!(", {names} dependent")
        }
        _ => String::new(),
    };
    let state = if state.no_start {
        ", without a start"
    } else if !is_behind(state) {
        ""
    } else if state.stale() {
        ", of the text before its errors"
    } else {
        " …"
    };
    format!(
        " Report {}/{}: {}{about}{state} ",
        report.page.number() + 1,
        Page::ALL.len(),
        report.page.about().title
    )
}

/// What of a line is seen, what is looked for marked, and `…` where it goes on to the sides.
fn part(state: &State, line: &str) -> Line<'static> {
    let theme = state.theme;
    let report = &state.report;
    let more = if theme.ascii() { '~' } else { '…' };
    let room = room(state);
    let sought = match dialog::marked(state) {
        Some(piece) => piece,
        None if report.found.is_some() => &state.sought,
        None => "",
    };
    let found = dialog::spans(line, sought);
    let plain = style(theme, report.page, line);
    let (left, right) = (report.across, report.across + room);
    let goes_on = columns(line) > right;
    let mut spans = Vec::new();
    let mut column = 0;
    for (place, symbol) in line.chars().enumerate() {
        let wide = symbol.width().unwrap_or(0);
        if column >= left && column + wide <= right {
            let cut = column == left && left > 0 || column + wide == right && goes_on;
            let style = if found.iter().any(|span| span.contains(&place)) {
                theme.chosen()
            } else {
                plain
            };
            let symbol = if cut { more } else { symbol };
            spans.push(Span::styled(symbol.to_string(), style));
        }
        column += wide;
    }
    Line::from(spans)
}

/// Headings stand out, and the remarks of a program stand back.
fn style(theme: Theme, page: Page, line: &str) -> Style {
    let heading = line.starts_with(|c: char| c.is_alphanumeric());
    let strong = match page {
        Page::Program if line.trim_start().starts_with('#') => return theme.dim(),
        Page::Program => line.starts_with("def "),
        _ => heading,
    };
    if strong { theme.strong() } else { Style::new() }
}
