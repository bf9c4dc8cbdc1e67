//! What a meaning looks like: colours, or attributes alone where colour is not wanted.

use ratatui::style::{Color, Modifier, Style};
use ratatui::symbols::border;

use crate::plot::{CellStyle, Charset, MarkKind};

/// What the terminal can and the user wants to see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Theme {
    /// The colours.
    pub scheme: Scheme,
    /// The characters of plots; plain ASCII holds for all text.
    pub charset: Charset,
}

/// Colours that are read on their ground. The ground itself is the terminal's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// On a dark ground.
    Dark,
    /// On a light ground.
    Light,
    /// The brightest colours, and nothing dimmed.
    Contrast,
    /// None: bold, underlined and reversed say the same.
    Mono,
}

impl Scheme {
    /// All of them, in the order in which they take turns.
    pub const ALL: [Self; 4] = [Self::Dark, Self::Light, Self::Contrast, Self::Mono];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dark => "dark",
            Self::Light => "light",
            Self::Contrast => "contrast",
            Self::Mono => "mono",
        }
    }

    /// The scheme of a name.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scheme| scheme.name() == name)
    }

    /// The one after it.
    #[must_use]
    pub fn next(self) -> Self {
        let at = Self::ALL.iter().position(|&s| s == self).unwrap_or(0);
        Self::ALL[(at + 1) % Self::ALL.len()]
    }
}

/// What a colour is for.
#[derive(Clone, Copy)]
enum Ink {
    Good,
    Bad,
    Accent,
    Notice,
    Series(u8),
}

impl Ink {
    /// The sixteen colours every terminal has; red is kept for failures, and the four of curves are told
    /// apart on their ground.
    fn colour(self, scheme: Scheme) -> Option<Color> {
        const DARK: [Color; 4] = [Color::Cyan, Color::Yellow, Color::Magenta, Color::Green];
        const LIGHT: [Color; 4] = [Color::Blue, Color::Magenta, Color::Green, Color::Cyan];
        const BRIGHT: [Color; 4] = [
            Color::LightCyan,
            Color::LightYellow,
            Color::LightMagenta,
            Color::LightGreen,
        ];
        let series = |colours: [Color; 4], role: u8| colours[usize::from(role) % colours.len()];
        Some(match (scheme, self) {
            (Scheme::Mono, _) => return None,
            (Scheme::Dark, Self::Accent) => Color::Cyan,
            (Scheme::Dark, Self::Notice) => Color::Yellow,
            (Scheme::Dark, Self::Series(role)) => series(DARK, role),
            (Scheme::Light, Self::Accent) => Color::Blue,
            (Scheme::Light, Self::Notice) => Color::Magenta,
            (Scheme::Light, Self::Series(role)) => series(LIGHT, role),
            (Scheme::Dark | Scheme::Light, Self::Good) => Color::Green,
            (Scheme::Dark | Scheme::Light, Self::Bad) => Color::Red,
            (Scheme::Contrast, Self::Good) => Color::LightGreen,
            (Scheme::Contrast, Self::Bad) => Color::LightRed,
            (Scheme::Contrast, Self::Accent) => Color::LightCyan,
            (Scheme::Contrast, Self::Notice) => Color::LightYellow,
            (Scheme::Contrast, Self::Series(role)) => series(BRIGHT, role),
        })
    }
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

    /// Whether colour is used.
    pub fn coloured(self) -> bool {
        self.scheme != Scheme::Mono
    }

    fn ink(self, ink: Ink) -> Style {
        match ink.colour(self.scheme) {
            Some(colour) => Style::new().fg(colour),
            None => Style::new(),
        }
    }

    /// The theorem holds.
    pub fn holds(self) -> Style {
        self.ink(Ink::Good).add_modifier(Modifier::BOLD)
    }

    /// The theorem fails; an error.
    pub fn fails(self) -> Style {
        let style = self.ink(Ink::Bad).add_modifier(Modifier::BOLD);
        match self.scheme {
            Scheme::Dark | Scheme::Light => style,
            Scheme::Contrast | Scheme::Mono => style.add_modifier(Modifier::REVERSED),
        }
    }

    /// A place in the text that is wrong.
    pub fn wrong(self) -> Style {
        self.ink(Ink::Bad)
            .add_modifier(Modifier::BOLD | Modifier::UNDERLINED)
    }

    /// The border of the pane that has the keys, the name of the program.
    pub fn accent(self) -> Style {
        self.ink(Ink::Accent).add_modifier(Modifier::BOLD)
    }

    /// What matters: titles, the branch in force.
    pub fn strong(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// Of less weight.
    pub fn dim(self) -> Style {
        match self.scheme {
            Scheme::Contrast => Style::new(),
            Scheme::Dark | Scheme::Light | Scheme::Mono => Style::new().add_modifier(Modifier::DIM),
        }
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
        self.ink(Ink::Notice).add_modifier(Modifier::BOLD)
    }

    /// The line chosen in a list.
    pub fn chosen(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    /// A key of the system file.
    pub fn key(self) -> Style {
        self.ink(Ink::Accent)
    }

    /// A piece of a plot.
    pub fn cell(self, style: CellStyle) -> Style {
        match style {
            CellStyle::Plain | CellStyle::Label => Style::new(),
            CellStyle::Dim | CellStyle::Axis | CellStyle::Cursor => self.dim(),
            CellStyle::Title | CellStyle::Body => self.strong(),
            CellStyle::Series(role) => self.ink(Ink::Series(role)),
            CellStyle::Mark(MarkKind::Failure) => self.ink(Ink::Bad).add_modifier(Modifier::BOLD),
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
