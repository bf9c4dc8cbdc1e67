//! What a meaning looks like: colours, or attributes alone where colour is not wanted.

use ratatui::style::{Color, Modifier, Style};
use ratatui::symbols::border;

use crate::plot::{CellStyle, Charset, MarkKind};

/// What the terminal can and the user wants to see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Theme {
    /// Whether colour is used (`NO_COLOR` is not set).
    pub colour: bool,
    /// The characters of plots; plain ASCII holds for all text.
    pub charset: Charset,
}

/// Borders in plain ASCII.
const ASCII_BORDER: border::Set<'static> = border::Set {
    top_left: "+",
    top_right: "+",
    bottom_left: "+",
    bottom_right: "+",
    vertical_left: "|",
    vertical_right: "|",
    horizontal_top: "-",
    horizontal_bottom: "-",
};

/// The same, for the pane that has the keys.
const ASCII_THICK: border::Set<'static> = border::Set {
    vertical_left: "#",
    vertical_right: "#",
    horizontal_top: "=",
    horizontal_bottom: "=",
    ..ASCII_BORDER
};

#[allow(clippy::unused_self)] // what an attribute means is a matter of the theme like any colour
impl Theme {
    /// Whether only ASCII may be written.
    pub fn ascii(self) -> bool {
        self.charset == Charset::Ascii
    }

    fn ink(self, colour: Color) -> Style {
        if self.colour {
            Style::new().fg(colour)
        } else {
            Style::new()
        }
    }

    /// The theorem holds.
    pub fn holds(self) -> Style {
        self.ink(Color::Green).add_modifier(Modifier::BOLD)
    }

    /// The theorem fails; an error.
    pub fn fails(self) -> Style {
        let style = self.ink(Color::Red).add_modifier(Modifier::BOLD);
        if self.colour {
            style
        } else {
            style.add_modifier(Modifier::REVERSED)
        }
    }

    /// A place in the text that is wrong.
    pub fn wrong(self) -> Style {
        self.ink(Color::Red)
            .add_modifier(Modifier::BOLD | Modifier::UNDERLINED)
    }

    /// The border of the pane that has the keys, the name of the program.
    pub fn accent(self) -> Style {
        self.ink(Color::Cyan).add_modifier(Modifier::BOLD)
    }

    /// What matters: titles, the branch in force.
    pub fn strong(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// Of less weight.
    pub fn dim(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    /// What belongs to an earlier text: grey all over.
    pub fn stale(self) -> Style {
        Style::new()
            .fg(Color::Reset)
            .remove_modifier(Modifier::BOLD | Modifier::REVERSED)
            .add_modifier(Modifier::DIM)
    }

    /// What asks for attention without being an error: unsaved text.
    pub fn notice(self) -> Style {
        self.ink(Color::Yellow).add_modifier(Modifier::BOLD)
    }

    /// The line chosen in a list.
    pub fn chosen(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    /// A key of the system file.
    pub fn key(self) -> Style {
        self.ink(Color::Cyan)
    }

    /// A piece of a plot.
    pub fn cell(self, style: CellStyle) -> Style {
        /// Told apart on dark and on light ground; red is kept for failures.
        const SERIES: [Color; 4] = [Color::Cyan, Color::Yellow, Color::Magenta, Color::Green];
        match style {
            CellStyle::Plain | CellStyle::Label => Style::new(),
            CellStyle::Dim | CellStyle::Axis | CellStyle::Cursor => self.dim(),
            CellStyle::Title | CellStyle::Body => self.strong(),
            CellStyle::Series(role) => self.ink(SERIES[usize::from(role) % SERIES.len()]),
            CellStyle::Mark(MarkKind::Failure) => self.ink(Color::Red).add_modifier(Modifier::BOLD),
            CellStyle::Mark(_) => self.notice(),
        }
    }

    /// The border of a pane.
    pub fn border(self, focused: bool) -> border::Set<'static> {
        match (self.ascii(), focused) {
            (false, false) => border::PLAIN,
            (false, true) => border::THICK,
            (true, false) => ASCII_BORDER,
            (true, true) => ASCII_THICK,
        }
    }
}
