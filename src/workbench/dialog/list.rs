//! Boxes over the panes, and lines of which one is chosen.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Widget};

use crate::workbench::action::Action;
use crate::workbench::layout::inside;
use crate::workbench::state::State;
use crate::workbench::text::{cut, left};
use crate::workbench::view::{more, row};

/// A screen narrower than this has no room to spare beside a box.
const NARROW: u16 = 100;

/// A box in the middle of the screen, for so many columns and rows inside it; across all of a narrow one.
pub fn boxed(area: Rect, (width, height): (u16, u16)) -> Rect {
    let width = if area.width < NARROW {
        area.width
    } else {
        width.saturating_add(2).min(area.width)
    };
    let height = height.saturating_add(2).min(area.height.saturating_sub(1));
    Rect::new(
        (area.width - width) / 2,
        (area.height.saturating_sub(height)) / 3,
        width,
        height,
    )
}

/// A box in the middle of the screen; what is inside it.
pub(super) fn open(state: &State, title: &str, size: (u16, u16), frame: &mut Frame) -> Rect {
    open_at(state, title, boxed(frame.area(), size), frame)
}

/// A box at a place of the screen; what is inside it.
pub(super) fn open_at(state: &State, title: &str, rect: Rect, frame: &mut Frame) -> Rect {
    Clear.render(rect, frame.buffer_mut());
    let block = Block::bordered()
        .border_set(state.theme.border(true))
        .border_style(state.theme.accent())
        .title(Span::styled(format!(" {title} "), state.theme.accent()));
    let inner = block.inner(rect);
    block.render(rect, frame.buffer_mut());
    inner
}

/// Lines of a list that fit on the screen, more or less: a page.
pub(super) fn page(state: &State) -> usize {
    usize::from(state.size.1).saturating_sub(6).max(1)
}

/// The line chosen after a key; `rows` is a page.
pub(super) fn moved(chosen: usize, count: usize, action: Action, rows: usize) -> usize {
    let by = action.lines(rows, (rows / 2).max(1)).unwrap_or(0);
    chosen
        .saturating_add_signed(by)
        .min(count.saturating_sub(1))
}

/// Lines of which one is chosen, in a box.
pub struct Listing {
    /// In the border.
    pub title: &'static str,
    /// The box with its border.
    pub rect: Rect,
    /// Where the lines are.
    pub rows: Rect,
    /// All of them.
    pub lines: Vec<String>,
    /// The one chosen.
    pub chosen: usize,
    /// Lines that are headings: none of them is chosen.
    pub headings: Vec<usize>,
}

impl Listing {
    /// Lines that fill a box.
    pub fn new(title: &'static str, rect: Rect, lines: Vec<String>, chosen: usize) -> Self {
        Self {
            title,
            rect,
            rows: inside(rect),
            lines,
            chosen,
            headings: Vec::new(),
        }
    }

    /// The first line in sight: the one chosen always is.
    fn top(&self) -> usize {
        (self.chosen + 1).saturating_sub(usize::from(self.rows.height))
    }

    /// The line at a place of the screen.
    pub fn at(&self, place: (u16, u16)) -> Option<usize> {
        let inside = self.rows.contains(place.into());
        let row = usize::from(place.1.checked_sub(self.rows.y)?);
        let line = self.top() + row;
        let heading = self.headings.contains(&line);
        (inside && line < self.lines.len() && !heading).then_some(line)
    }

    /// The row of the screen that has a line.
    pub(super) fn row_of(&self, line: usize) -> Option<u16> {
        let row = u16::try_from(line.checked_sub(self.top())?).ok()?;
        (row < self.rows.height).then(|| self.rows.y + row)
    }

    /// The number of a line, headings not counted.
    pub fn number(&self, line: usize) -> usize {
        line - self.headings.iter().filter(|at| **at < line).count()
    }

    /// Draws box and lines; what is inside the box.
    pub(super) fn draw(&self, state: &State, frame: &mut Frame) -> Rect {
        let inner = open_at(state, self.title, self.rect, frame);
        let width = usize::from(self.rows.width);
        let rows = self.rows.y..self.rows.bottom();
        for (y, (at, line)) in rows.zip(self.lines.iter().enumerate().skip(self.top())) {
            let text = left(&cut(line, width), width);
            let style = if self.headings.contains(&at) {
                state.theme.strong()
            } else if at == self.chosen {
                state.theme.chosen()
            } else {
                Style::new()
            };
            let line = Line::styled(text, style);
            row(&line, y, self.rows, frame.buffer_mut());
        }
        let below = self.top() + usize::from(self.rows.height) < self.lines.len();
        more(self.rows, (self.top() > 0, below), frame.buffer_mut());
        inner
    }

    /// Says why there are no lines.
    pub(super) fn none(&self, state: &State, said: &'static str, frame: &mut Frame) {
        if self.lines.is_empty() && self.rows.height > 0 {
            let line = Line::styled(format!(" {said}"), state.theme.dim());
            row(&line, self.rows.y, self.rows, frame.buffer_mut());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_takes_the_whole_width_below_100_columns() {
        let size = |width| boxed(Rect::new(0, 0, width, 24), (40, 3));
        assert_eq!((size(99).x, size(99).width), (0, 99));
        assert_eq!((size(120).x, size(120).width), (39, 42));
    }
}
