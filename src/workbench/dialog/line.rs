//! A line that is typed into.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

use crate::workbench::action::Action;
use crate::workbench::state::State;
use crate::workbench::text::{columns, cut};
use crate::workbench::view::words;

/// The longest text of a line, in characters.
const LONGEST: usize = 1000;

/// What has been typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextLine {
    /// The text.
    pub text: String,
    /// Characters before the cursor.
    pub cursor: usize,
    /// Whether the text is a suggestion yet, which the first character typed replaces.
    suggested: bool,
}

impl TextLine {
    /// A line with a suggestion, and the cursor at its end.
    pub fn suggesting(text: String) -> Self {
        Self {
            cursor: text.chars().count(),
            suggested: !text.is_empty(),
            text,
        }
    }

    /// Puts in what came at once, as far as a line is long.
    pub fn insert(&mut self, symbols: &str) {
        if self.suggested {
            *self = Self::default();
        }
        let room = LONGEST.saturating_sub(self.text.chars().count());
        let new: String = symbols
            .chars()
            .filter(|c| !c.is_control())
            .take(room)
            .collect();
        self.text.insert_str(self.byte(self.cursor), &new);
        self.cursor += new.chars().count();
    }

    fn byte(&self, column: usize) -> usize {
        let mut places = self.text.char_indices();
        places.nth(column).map_or(self.text.len(), |(at, _)| at)
    }

    /// A key in it; whether the text is another one after it.
    pub fn act(&mut self, action: Action) -> bool {
        // who moves or deletes in it, or takes it, wants it
        self.suggested = false;
        let length = self.text.chars().count();
        match action {
            Action::Left => self.cursor = self.cursor.saturating_sub(1),
            Action::Right => self.cursor = (self.cursor + 1).min(length),
            Action::LineStart => self.cursor = 0,
            Action::LineEnd => self.cursor = length,
            Action::Backspace if self.cursor > 0 => {
                self.cursor -= 1;
                self.text.remove(self.byte(self.cursor));
            }
            Action::Delete if self.cursor < length => {
                self.text.remove(self.byte(self.cursor));
            }
            Action::DeleteToStart => {
                self.text.drain(..self.byte(self.cursor));
                self.cursor = 0;
            }
            Action::DeleteToEnd => self.text.truncate(self.byte(self.cursor)),
            Action::DeleteWord => {
                let (before, rest) = self.text.split_at(self.byte(self.cursor));
                let kept = before.trim_end();
                let kept = kept.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_');
                // at least one character, whatever it is
                let kept = if kept.len() == before.len() {
                    let mut symbols = before.chars();
                    symbols.next_back();
                    symbols.as_str()
                } else {
                    kept
                };
                self.cursor = kept.chars().count();
                self.text = format!("{kept}{rest}");
            }
            _ => {}
        }
        self.text.chars().count() != length
    }

    /// Draws it with the cursor, which is always in view.
    pub fn draw(&self, state: &State, inner: Rect, frame: &mut Frame) {
        if inner.height == 0 || inner.width < 4 {
            return;
        }
        let width = usize::from(inner.width) - 2;
        let before: String = self.text.chars().take(self.cursor).collect();
        let skip = (columns(&before) + 1).saturating_sub(width);
        let shown: String = self.text.chars().skip(skip).collect();
        let shown = words(state.theme, &cut(&shown, width));
        // what is typed replaces what is marked
        let style = if self.suggested {
            state.theme.chosen()
        } else {
            state.theme.strong()
        };
        let line = Line::from(vec![Span::raw(" "), Span::styled(shown, style)]);
        line.render(Rect { height: 1, ..inner }, frame.buffer_mut());
        let x = inner.x + 1 + columns(&before).saturating_sub(skip).min(width) as u16;
        frame.set_cursor_position((x, inner.y));
    }
}
