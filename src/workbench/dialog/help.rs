//! The help: the table of actions, in words.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::list::{moved, open_at};
use super::{Dialog, Over, TextLine};
use crate::report::linked;
use crate::workbench::action::{Action, Binding, Context, MOUSE, TABLE, headings};
use crate::workbench::state::State;
use crate::workbench::text::{columns, wrap};
use crate::workbench::theme::Theme;
use crate::workbench::view::{scrolled, words};

/// Rows round the lines: a border above and below, and the footer.
pub const FRAME: usize = 3;

/// Columns of the help on a wide screen, with its border.
const WIDEST: u16 = 100;

/// Columns of the keys.
const KEYS: usize = 18;
/// Blanks behind them.
const GAP: usize = 2;

/// Columns of the help on a screen this wide, with its border.
pub fn width(screen: u16) -> u16 {
    screen.min(WIDEST)
}

/// The help.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Help {
    /// First line shown.
    pub scroll: usize,
    /// What the lines have to contain.
    sought: TextLine,
    /// Whether that is being typed.
    typing: bool,
    /// What it lies over.
    below: Option<Box<Dialog>>,
}

impl Help {
    /// The help at the keys of what is looked at, over a dialog that it leads back to.
    pub fn at(state: &State, context: Context, below: Option<Dialog>) -> Self {
        let mut help = Self {
            below: below.map(Box::new),
            ..Self::default()
        };
        let width = usize::from(width(state.size.0).saturating_sub(2));
        let heading = headings().find(|(own, _)| *own == context);
        let lines = help.lines(state.theme, width);
        let place = |(_, title): (_, &str)| lines.iter().position(|line| line.to_string() == title);
        help.scroll = heading.and_then(place).unwrap_or(0);
        help.scroll = help.scroll.min(lines.len().saturating_sub(rows(state)));
        help
    }

    /// The lines that have what is sought, under their headings.
    fn lines(&self, theme: Theme, width: usize) -> Vec<Line<'static>> {
        let mut lines = lines(theme, width, &self.sought.text);
        if lines.is_empty() {
            lines.push(Line::raw("  no matching key"));
        }
        lines
    }
}

/// Lines that are in sight.
fn rows(state: &State) -> usize {
    usize::from(state.size.1).saturating_sub(FRAME).max(1)
}

impl Over for Help {
    fn context(&self) -> Context {
        if self.typing {
            Context::Filter
        } else {
            Context::Help
        }
    }

    fn typed(&mut self, symbols: &str) -> bool {
        if self.typing {
            self.sought.insert(symbols);
            self.scroll = 0;
        }
        self.typing
    }

    fn close(&mut self, state: &mut State) -> bool {
        if self.typing || !self.sought.text.is_empty() {
            (self.sought, self.typing, self.scroll) = (TextLine::default(), false, 0);
            return true;
        }
        state.dialog = self.below.take().map(|dialog| *dialog);
        false
    }

    fn act(&mut self, state: &mut State, action: Action) -> bool {
        match action {
            Action::Find => self.typing = true,
            Action::Accept => self.typing = false,
            _ if self.typing && self.sought.act(action) => self.scroll = 0,
            _ => {
                let width = usize::from(width(state.size.0).saturating_sub(2));
                let (length, rows) = (self.lines(state.theme, width).len(), rows(state));
                // lines are scrolled, not chosen: the last one to begin a screen is the end
                self.scroll = moved(self.scroll, length.saturating_sub(rows) + 1, action, rows);
            }
        }
        true
    }

    fn draw(&self, state: &State, frame: &mut Frame) {
        let area = frame.area();
        let height = area.height.saturating_sub(1);
        let width = width(area.width);
        let rect = Rect::new(area.width.saturating_sub(width) / 2, 0, width, height);
        let mut inner = open_at(state, "Keys", rect, frame);
        let lines = self.lines(state.theme, usize::from(inner.width));
        if self.typing && inner.height > 0 {
            self.sought.draw(state, inner, frame);
            inner.y += 1;
            inner.height -= 1;
        }
        scrolled(&lines, self.scroll, inner, frame.buffer_mut());
    }
}

/// The lines that have every word of `sought` in their keys or sentence, under their headings, in `width` columns.
pub fn lines(theme: Theme, width: usize, sought: &str) -> Vec<Line<'static>> {
    let sought = sought.to_lowercase();
    let has = |said: &str| {
        let said = said.to_lowercase();
        sought.split_whitespace().all(|word| said.contains(word))
    };
    let found = |binding: &&Binding| {
        let keys: String = binding.keys.iter().map(|key| key.name() + " ").collect();
        has(&format!("{keys}{} {}", binding.title, binding.help))
    };
    let mut lines = Vec::new();
    for (context, title) in headings() {
        let own = |binding: &&Binding| binding.when.holds(context);
        let mut bindings = TABLE.iter().filter(own).filter(found).peekable();
        if bindings.peek().is_none() {
            continue;
        }
        head(&mut lines, title, theme);
        if context == Context::Edit && sought.is_empty() {
            lines.push(Line::raw(
                "  every printable key is text; motion and theorem follow it",
            ));
        }
        for binding in bindings {
            let names = binding.keys.iter().map(|key| words(theme, &key.name()));
            lines.extend(said(theme, width, &linked("  ", names), binding.help));
        }
    }
    let mouse = |(place, help): &&(&str, &str)| has(&format!("mouse {place} {help}"));
    let mut mouse = MOUSE.iter().filter(mouse).peekable();
    if mouse.peek().is_some() {
        head(&mut lines, "The mouse", theme);
    }
    lines.extend(mouse.flat_map(|(place, help)| said(theme, width, place, help)));
    lines
}

/// A heading, below what there is.
fn head(lines: &mut Vec<Line<'static>>, title: &'static str, theme: Theme) {
    if !lines.is_empty() {
        lines.push(Line::raw(""));
    }
    lines.push(Line::styled(title, theme.strong()));
}

/// Keys, and beside them what they do.
fn said(theme: Theme, width: usize, keys: &str, help: &str) -> Vec<Line<'static>> {
    let blanks = KEYS.saturating_sub(columns(keys));
    let before = 2 + columns(keys) + blanks + GAP;
    // the last column has the signs that there is more
    let mut help = wrap(help, width.saturating_sub(before + 1).max(8)).into_iter();
    let first = Line::from(vec![
        Span::raw("  "),
        Span::styled(keys.to_owned(), theme.accent()),
        Span::raw(" ".repeat(blanks + GAP)),
        Span::raw(help.next().unwrap_or_default()),
    ]);
    let others = help.map(|rest| Line::raw(format!("{}{rest}", " ".repeat(2 + KEYS + GAP))));
    std::iter::once(first).chain(others).collect()
}
