//! The state on the screen. Nothing here changes the state.

mod balance;
pub mod bars;
pub mod equations;
pub mod equilibria;
pub mod map;
mod matrix;
pub mod picture;
pub mod plot;
pub mod range;
pub mod report;
mod sentence;
mod system;
pub mod theorem;
pub mod verdict;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Widget};

use super::dialog::Dialog;
use super::layout::{LEAST, Pane};
use super::state::State;
use super::text::{clean, columns, cut, plain, plain_symbol, wrap};
use super::theme::Theme;
use crate::plot::{Canvas, CellStyle, Figure};

pub use plot::Memory;

/// Draws the state; `memory` keeps what is dear to compute and has not changed.
pub fn draw(state: &State, frame: &mut Frame, memory: &mut Memory) {
    let area = frame.area();
    let layout = state.layout_on((area.width, area.height));
    if layout.too_small {
        too_small(state, frame);
        return;
    }
    bars::header(state, layout.header, frame.buffer_mut());
    verdict::draw(state, layout.verdict, frame.buffer_mut());
    let panes = if state.report.open {
        // it hides all of them
        report::draw(state, frame.buffer_mut());
        &[]
    } else {
        layout.panes.as_slice()
    };
    for &(pane, rect) in panes {
        let inner = border(state, pane, rect, frame.buffer_mut());
        if state.analysis.is_none() && state.stale() && pane != Pane::System {
            nothing(state, pane, inner, frame.buffer_mut());
            continue;
        }
        match pane {
            Pane::System => system::draw(state, inner, frame),
            Pane::Theorem => {
                let lines = theorem::lines(state, usize::from(inner.width));
                scrolled(&lines, state.scroll.theorem, inner, frame.buffer_mut());
            }
            Pane::Equations => {
                let lines = equations::lines(state, usize::from(inner.width));
                scrolled(&lines, state.scroll.equations, inner, frame.buffer_mut());
            }
            Pane::Picture => picture::draw(state, inner, frame.buffer_mut()),
            Pane::Plot if state.map.shown => map::draw(state, rect, frame.buffer_mut()),
            Pane::Plot => plot::draw(state, memory, (rect, inner), frame.buffer_mut()),
        }
        if state.stale() && pane != Pane::System {
            frame.buffer_mut().set_style(inner, state.theme.stale());
        }
    }
    bars::footer(state, layout.footer, frame.buffer_mut());
    if let Some(inner) = layout.inner(Pane::System) {
        system::offer(state, inner, frame);
    }
    if let Some(dialog) = &state.dialog {
        dialog.draw(state, frame);
    }
    if state.theme.ascii() {
        only_ascii(frame.buffer_mut());
    }
    if let Some(ground) = state.theme.ground() {
        on_ground(ground, frame.buffer_mut());
    }
}

/// What a pane says while the text has never described a motion: what is to be done.
fn nothing(state: &State, pane: Pane, area: Rect, buffer: &mut Buffer) {
    let text = match (pane, state.no_start) {
        (Pane::Theorem, false) => {
            "Nothing yet: the text has an error. e jumps to the error, ! lists all problems."
        }
        (Pane::Theorem, true) => {
            "The text describes a system, but its start does not satisfy the constraints. e jumps to the \
             error, ! lists all problems, W shows the derivation (no start needed)."
        }
        (Pane::Equations, false) => "no equations: the text has an error, see Problems (!)",
        (Pane::Equations, true) => {
            "not shown: the start cannot be solved, see Problems (!); W shows the equations"
        }
        (Pane::Plot | Pane::Picture, false) => "no motion: the text has an error, see Problems (!)",
        (Pane::Plot | Pane::Picture, true) => {
            "no motion: the start cannot be solved, see Problems (!)"
        }
        (Pane::System, _) => return,
    };
    let text = wrap(text, usize::from(area.width));
    let lines: Vec<Line<'static>> = text.into_iter().map(Line::raw).collect();
    scrolled(&lines, 0, area, buffer);
}

fn too_small(state: &State, frame: &mut Frame) {
    let area = frame.area();
    let (columns, rows) = LEAST;
    let choices = [
        format!(
            "holonom needs {columns}x{rows} (this is {}x{})",
            area.width, area.height
        ),
        format!("holonom needs {columns}x{rows}"),
        format!("needs {columns}x{rows}"),
        format!("{columns}x{rows}"),
    ];
    let room = usize::from(area.width);
    let words = choices.into_iter().find(|words| words.len() <= room);
    let mut lines: Vec<Line> = words
        .map(|words| Line::styled(words, state.theme.strong()))
        .into_iter()
        .collect();
    if let Some(warning) = bars::not_kept(state) {
        lines.insert(0, Line::styled(cut(&warning, room), state.theme.fails()));
    }
    if let Some(Dialog::Question(_)) = state.dialog {
        let waits = cut("a question waits for more room", room);
        lines.push(Line::styled(waits, state.theme.notice()));
    }
    let rows = area.rows().skip(usize::from(area.height / 2));
    for (line, row) in lines.into_iter().zip(rows) {
        line.render(row, frame.buffer_mut());
    }
}

/// Draws the border of a pane; what is inside it.
fn border(state: &State, pane: Pane, rect: Rect, buffer: &mut Buffer) -> Rect {
    let focused = state.focus == pane && state.dialog.is_none();
    let style = if focused {
        state.theme.accent()
    } else {
        state.theme.dim()
    };
    let title = if focused {
        state.theme.accent()
    } else {
        state.theme.strong()
    };
    let words = match pane {
        Pane::System if state.editing => " System (editing) ".to_owned(),
        Pane::Plot if state.map.shown => map::NAME.to_owned(),
        Pane::Equations => format!(" {} ", equations::title(state)),
        _ => format!(" {} ", pane.title()),
    };
    let mut keys = String::new();
    let room = usize::from(rect.width.saturating_sub(2));
    if pane == Pane::Theorem {
        // in sight wherever the verdict is, as much of it as there is room for
        let texts = balance::texts(state);
        let texts = texts.iter().map(|text| format!(" {text} "));
        let fits = |text: &String| columns(&self::words(state.theme, text)) <= room;
        keys = texts.into_iter().find(fits).unwrap_or_default();
    }
    if pane == Pane::Equations && focused {
        " f F form  C copy  T LaTeX ".clone_into(&mut keys);
    }
    let words = cut(&self::words(state.theme, &words), room);
    let keys = cut(&self::words(state.theme, &keys), room);
    let block = Block::bordered()
        .border_set(state.theme.border(focused))
        .border_style(style)
        .title(Span::styled(words, title))
        .title_bottom(Span::styled(keys, state.theme.dim()));
    let inner = block.inner(rect);
    block.render(rect, buffer);
    inner
}

/// The cell of a picture at a place of the screen; beside the curves the nearest that they have.
pub fn cell_at(frame: &crate::plot::Frame, inner: Rect, (column, row): (u16, u16)) -> (u16, u16) {
    let within = |at: u16, from: u16, count: u16| at.clamp(from, from + count.saturating_sub(1));
    (
        within(column.saturating_sub(inner.x), frame.left, frame.cols),
        within(row.saturating_sub(inner.y), frame.top, frame.rows),
    )
}

/// Lines from `top` on, and a sign where there are more.
pub(super) fn scrolled(lines: &[Line<'static>], top: usize, area: Rect, buffer: &mut Buffer) {
    let rows = usize::from(area.height);
    let top = top.min(lines.len().saturating_sub(rows));
    for (y, line) in (area.y..).zip(lines.iter().skip(top).take(rows)) {
        row(line, y, area, buffer);
        // blanks that fill a line up are no loss
        let is_cut = |line: &Line| {
            let text: String = line.iter().map(|span| span.content.as_ref()).collect();
            columns(text.trim_end()) > usize::from(area.width)
        };
        if line.width() > usize::from(area.width) && area.width > 0 && is_cut(line) {
            put(buffer, (area.right() - 1, y), '…');
        }
    }
    more(area, (top > 0, lines.len() > top + rows), buffer);
}

/// Draws a line at a row of a part of the screen.
pub(super) fn row(line: &Line<'_>, y: u16, within: Rect, buffer: &mut Buffer) {
    line.render(Rect::new(within.x, y, within.width, 1), buffer);
}

/// Signs that there is more above and below what is seen.
pub(super) fn more(area: Rect, (above, below): (bool, bool), buffer: &mut Buffer) {
    if area.is_empty() {
        return;
    }
    let right = area.right() - 1;
    if below {
        put(buffer, (right, area.bottom() - 1), '↓');
    }
    if above {
        put(buffer, (right, area.y), '↑');
    }
}

pub(super) fn put(buffer: &mut Buffer, place: (u16, u16), symbol: char) {
    if let Some(cell) = buffer.cell_mut(place) {
        cell.set_char(symbol);
    }
}

/// Copies a plot or picture to the screen.
fn copy(canvas: &Canvas, area: Rect, look: impl Fn(CellStyle) -> Style, buffer: &mut Buffer) {
    for row in 0..canvas.height().min(area.height) {
        let mut at = area.x;
        for (text, cell) in canvas.runs(row) {
            let room = usize::from(area.right().saturating_sub(at));
            (at, _) = buffer.set_stringn(at, area.y + row, text, room, look(cell));
        }
    }
}

/// Text from elsewhere, as this terminal may show it.
pub(super) fn words(theme: Theme, text: &str) -> String {
    let text = clean(text);
    if theme.ascii() { plain(&text) } else { text }
}

/// A name of the file, a column or an expression with such names, as the panes show it: `x₁`, `λ_wire`. Plain names
/// are for the text and for files.
pub(super) fn named(state: &State, text: &str) -> String {
    let Some(analysis) = &state.analysis else {
        return words(state.theme, text);
    };
    let pool = &analysis.model().system.pool;
    let of_name = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
    let mut shown = String::new();
    let mut rest = text;
    while let Some(symbol) = rest.chars().next() {
        let inside = of_name(symbol);
        let end = rest.find(|c| of_name(c) != inside).unwrap_or(rest.len());
        let (piece, after) = rest.split_at(end);
        let name = inside && !symbol.is_ascii_digit() && !after.starts_with('(');
        if name {
            shown.push_str(&pool.pretty_name(piece));
        } else {
            shown.push_str(piece);
        }
        rest = after;
    }
    words(state.theme, &shown)
}

/// The names of a figure as the panes show them.
fn with_names(state: &State, mut figure: Figure) -> Figure {
    for label in [&mut figure.x.label, &mut figure.y.label] {
        *label = named(state, label);
    }
    for series in &mut figure.series {
        series.label = named(state, &series.label);
    }
    figure
}

/// Text and ground where nothing else was said of them; last, as boxes over the panes clear what is below.
fn on_ground((text, ground): (Color, Color), buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        if cell.fg == Color::Reset {
            cell.fg = text;
        }
        if cell.bg == Color::Reset {
            cell.bg = ground;
        }
    }
}

/// The last line of defence: not one character that the terminal may not know.
fn only_ascii(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        if !cell.symbol().is_ascii() {
            let symbol = cell.symbol().chars().next().map_or(' ', plain_symbol);
            cell.set_char(symbol);
        }
    }
}
