//! The help: the table of actions, in words.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::list::{moved, open_at};
use super::{Dialog, Over};
use crate::workbench::action::{Action, Context, TABLE, headings};
use crate::workbench::state::{Effect, State};
use crate::workbench::text::{columns, wrap};
use crate::workbench::theme::Theme;
use crate::workbench::view::{scrolled, words};

/// Rows round the lines: a border above and below, and the footer.
pub const FRAME: usize = 3;

/// Columns of the help on a wide screen, with its border.
const WIDEST: u16 = 100;

/// Columns of the keys.
const KEYS: usize = 17;

/// Columns of the help on a screen this wide, with its border.
pub fn width(screen: u16) -> u16 {
    screen.min(WIDEST)
}

/// The help.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Help {
    /// First line shown.
    pub scroll: usize,
}

impl Over for Help {
    fn context(&self) -> Context {
        Context::Help
    }

    fn act(mut self, state: &mut State, action: Action) -> Vec<Effect> {
        let width = width(state.size.0).saturating_sub(2);
        let length = lines(state.theme, usize::from(width)).len();
        let rows = usize::from(state.size.1).saturating_sub(FRAME).max(1);
        // lines are scrolled, not chosen: the last one to begin a screen is the end
        self.scroll = moved(self.scroll, length.saturating_sub(rows) + 1, action, rows);
        state.dialog = Some(Dialog::Help(self));
        Vec::new()
    }

    fn draw(&self, state: &State, frame: &mut Frame) {
        let area = frame.area();
        let height = area.height.saturating_sub(1);
        let width = width(area.width);
        let rect = Rect::new(area.width.saturating_sub(width) / 2, 0, width, height);
        let inner = open_at(state, "Keys", rect, frame);
        let lines = lines(state.theme, usize::from(inner.width));
        scrolled(&lines, self.scroll, inner, frame.buffer_mut());
    }
}

/// All lines, in `width` columns.
pub fn lines(theme: Theme, width: usize) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    for (context, title) in headings() {
        if !lines.is_empty() {
            lines.push(Line::raw(""));
        }
        lines.push(Line::styled(title, theme.strong()));
        if context == Context::Edit {
            lines.push(Line::raw(
                "  every printable key is text; motion and theorem follow it",
            ));
        }
        for binding in TABLE
            .iter()
            .filter(|binding| binding.when.contains(&context))
        {
            let names: Vec<String> = binding
                .keys
                .iter()
                .map(|key| words(theme, &key.name()))
                .collect();
            let keys = names.join("  ");
            let blanks = KEYS.saturating_sub(columns(&keys));
            let before = 2 + columns(&keys) + blanks + 1;
            // the last column has the signs that there is more
            let mut help = wrap(binding.help, width.saturating_sub(before + 1).max(8)).into_iter();
            lines.push(Line::from(vec![
                Span::raw("  "),
                Span::styled(keys, theme.accent()),
                Span::raw(" ".repeat(blanks + 1)),
                Span::raw(help.next().unwrap_or_default()),
            ]));
            lines.extend(help.map(|rest| Line::raw(format!("{}{rest}", " ".repeat(KEYS + 3)))));
        }
    }
    lines
}
