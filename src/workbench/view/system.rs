//! The System pane: the text with line numbers, errors underlined at their place with the message beside
//! where there is room, the first of them explained below.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;
use ratatui::widgets::Widget;
use unicode_width::UnicodeWidthChar;

use super::{put, row, words};
use crate::expr::{formula_names, function_names};
use crate::report::joined;
use crate::system::FILE_KEYS;
use crate::workbench::dialog;
use crate::workbench::state::State;
use crate::workbench::text::{columns, cut, left, visible, wrap};

/// Draws the pane; while editing the terminal's cursor stands in the text.
pub fn draw(state: &State, area: Rect, frame: &mut Frame) {
    let complaint = state.complaint(area);
    let above = usize::from(area.height) - complaint.len();
    let top = state.scroll.system;
    let lines = state
        .editor
        .lines()
        .iter()
        .enumerate()
        .skip(top)
        .take(above);
    for (row, line) in area.rows().zip(lines) {
        draw_line(state, line, row, frame.buffer_mut());
    }
    if state.begins() {
        let used = state.editor.lines().len().saturating_sub(top) + 1;
        let guide = guide(state, usize::from(area.width));
        for (row, line) in area
            .rows()
            .skip(used)
            .zip(guide.iter().take(above.saturating_sub(used)))
        {
            line.render(row, frame.buffer_mut());
        }
    }
    let below = area.bottom() - complaint.len() as u16;
    for (y, line) in (below..).zip(complaint) {
        let line = Line::styled(line, state.theme.fails());
        row(&line, y, area, frame.buffer_mut());
    }
    if let Some(place) = cursor(state, area) {
        frame.set_cursor_position(place);
    }
}

/// Where the cursor stands, while the text is edited and it is in sight.
fn cursor(state: &State, area: Rect) -> Option<(u16, u16)> {
    let cursor = state.editor.cursor();
    let above = usize::from(area.height).saturating_sub(state.complaint(area).len());
    let row = cursor.line.checked_sub(state.scroll.system)?;
    let line = state.editor.lines().get(cursor.line)?;
    let before: usize = line.chars().take(cursor.column).map(wide).sum();
    let x = (state.gutter() + before).saturating_sub(state.across(cursor.line));
    let is_seen = row < above && x < usize::from(area.width);
    let typed = state.editing && state.dialog.is_none();
    (typed && is_seen).then(|| (area.x + x as u16, area.y + row as u16))
}

/// What an empty text may become.
fn guide(state: &State, width: usize) -> Vec<Line<'static>> {
    let theme = state.theme;
    let paragraphs = [
        (
            "",
            "e types here; A, or Tab while typing, puts a template here; o opens another system"
                .to_owned(),
        ),
        (
            "Needed",
            "coordinates: [x, y] and lagrangian: 1/2*(x'^2 + y'^2) - y".to_owned(),
        ),
        ("Keys", FILE_KEYS.join(", ")),
        ("Functions", joined(function_names().chain(formula_names()))),
    ];
    let room = width.saturating_sub(2).max(1);
    let mut lines = Vec::new();
    for (title, text) in paragraphs {
        if !title.is_empty() {
            lines.push(Line::styled(format!(" {title}"), theme.strong()));
        }
        let text = wrap(&text, room).into_iter();
        lines.extend(text.map(|line| Line::styled(format!(" {line}"), theme.dim())));
        lines.push(Line::raw(""));
    }
    lines
}

fn wide(symbol: char) -> usize {
    visible(symbol).width().unwrap_or(1)
}

fn draw_line(state: &State, (at, line): (usize, &String), area: Rect, buffer: &mut Buffer) {
    let theme = state.theme;
    let gutter = state.gutter();
    let error = state.diagnostics.iter().find(|error| error.line == at + 1);
    let number = format!("{:>width$} ", at + 1, width = gutter - 1);
    let style = match error {
        Some(_) => theme.fails(),
        None if state.editing && state.editor.cursor().line == at => theme.strong(),
        None => theme.dim(),
    };
    buffer.set_stringn(
        area.x,
        area.y,
        &number[..gutter - 1],
        usize::from(area.width),
        style,
    );
    let left = state.across(at);
    let right = left + usize::from(area.width).saturating_sub(gutter);
    let styles = Syntax::of(line);
    let sought = dialog::marked(state).unwrap_or_default();
    let length = sought.chars().count();
    let found = dialog::places(line, sought);
    let is_wrong = |place: usize| {
        state.diagnostics.iter().any(|error| {
            let from = error.column.saturating_sub(1);
            error.line == at + 1 && (from..from + error.width.max(1)).contains(&place)
        })
    };
    let mut column = 0;
    // the cell of the character before, where that is in sight
    let mut base = None;
    for (place, symbol) in line.chars().enumerate() {
        let wide = wide(symbol);
        if column >= right && wide > 0 {
            break;
        }
        if wide == 0 {
            if let Some(cell) = base {
                put_over(buffer, cell, symbol);
                if is_wrong(place) {
                    buffer.set_style(Rect::new(cell.0, cell.1, 1, 1), theme.wrong());
                }
            }
            continue;
        }
        base = None;
        if column >= left && column + wide <= right {
            let is_found = found
                .iter()
                .any(|from| (*from..from + length).contains(&place));
            let style = if is_found {
                theme.chosen()
            } else if is_wrong(place) {
                theme.wrong()
            } else if place < styles.key {
                theme.key()
            } else if place >= styles.comment {
                theme.dim()
            } else {
                Style::new()
            };
            let x = area.x + (gutter + column - left) as u16;
            let mut shown = [0; 4];
            buffer.set_stringn(
                x,
                area.y,
                visible(symbol).encode_utf8(&mut shown),
                wide,
                style,
            );
            base = Some((x, area.y));
        }
        column += wide;
    }
    let all: usize = line.chars().map(wide).sum();
    if all > right && area.width > 0 {
        put(buffer, (area.right() - 1, area.y), '…');
    }
    if left > 0 && gutter < usize::from(area.width) {
        put(buffer, (area.x + gutter as u16, area.y), '…');
    }
    // an error at the end of a line is underlined behind it
    if let Some(error) = error {
        let from = error.column.saturating_sub(1);
        if from >= line.chars().count() && all >= left && all < right {
            let x = area.x + (gutter + all - left) as u16;
            buffer.set_stringn(x, area.y, " ", 1, theme.wrong());
        }
        let free = right.saturating_sub(all + BESIDE);
        if left == 0 && free >= LEAST {
            let message = cut(&words(theme, &error.message), free);
            let x = area.x + (gutter + all + BESIDE) as u16;
            buffer.set_stringn(x, area.y, message, free, theme.fails());
        }
    }
}

/// Puts an accent over what stands in a cell; of many that would reach into other lines the first.
fn put_over(buffer: &mut Buffer, at: (u16, u16), accent: char) {
    const MOST: usize = 3;
    if let Some(cell) = buffer.cell_mut(at)
        && cell.symbol().chars().count() <= MOST
    {
        let both = format!("{}{accent}", cell.symbol());
        cell.set_symbol(&both);
    }
}

/// Columns between a line and what is said of it, and the least that is worth saying.
const BESIDE: usize = 2;
const LEAST: usize = 12;
/// Candidates in sight.
const OFFERED: usize = 7;

/// The completions below the cursor, or above it where there is more room; over the panes, but not over what is said of an
/// error.
pub fn offer(state: &State, within: Rect, frame: &mut Frame) {
    let Some((completion, (x, y))) = state.completion.as_ref().zip(cursor(state, within)) else {
        return;
    };
    let area = frame.area();
    let bottom = match state.complaint(within).len() {
        0 => area.bottom().saturating_sub(1),
        rows => within.bottom() - rows as u16,
    };
    let names = completion.candidates.iter();
    let names = names.map(|name| format!(" {} ", words(state.theme, name)));
    let list: Vec<String> = names.collect();
    let wide = list.iter().map(|name| columns(name)).max().unwrap_or(0);
    let below = bottom.saturating_sub(y + 1);
    let rows = list.len().min(OFFERED).min(usize::from(below.max(y)));
    let top = (completion.chosen + 1).saturating_sub(rows);
    let first = if rows <= usize::from(below) {
        y + 1
    } else {
        y.saturating_sub(rows as u16)
    };
    let x = x.min(area.right().saturating_sub(wide as u16));
    for (row, (at, name)) in (first..).zip(list.iter().enumerate().skip(top).take(rows)) {
        let style = if at == completion.chosen {
            state.theme.chosen()
        } else {
            state.theme.key()
        };
        let name = left(name, wide);
        let room = usize::from(area.right().saturating_sub(x));
        let buffer = frame.buffer_mut();
        buffer.set_stringn(x, row, &name, room, Style::reset());
        buffer.set_stringn(x, row, &name, room, style);
    }
}

/// Characters of the key at the start of a line, and where its comment begins.
struct Syntax {
    key: usize,
    comment: usize,
}

impl Syntax {
    fn of(line: &str) -> Self {
        let before = std::iter::once(' ').chain(line.chars());
        let comment = line.chars().zip(before).position(|pair| pair == ('#', ' '));
        let name = line.trim_start_matches([' ', '-']);
        let indent = line.chars().count() - name.chars().count();
        let length = name
            .chars()
            .take_while(|c| c.is_alphanumeric() || "_'".contains(*c))
            .count();
        let rest: String = name.chars().skip(length).take(2).collect();
        let is_key = length > 0 && (rest == ":" || rest == ": ");
        Self {
            key: if is_key { indent + length } else { 0 },
            comment: comment.unwrap_or(usize::MAX),
        }
    }
}
