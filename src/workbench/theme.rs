//! What a meaning looks like: colours, or attributes alone where colour is not wanted.

use ratatui::style::{Color, Modifier, Style};
use ratatui::symbols::border;

use crate::plot::{CellStyle, Charset, MarkKind};

/// What the terminal can and the user wants to see.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Theme {
    /// The colours.
    pub scheme: Scheme,
    /// The characters of plots; plain ASCII holds for all text.
    pub charset: Charset,
}

named! {
    /// Colours that are read on their ground. The ground is the terminal's own, but for most contrast. They take turns
    /// in this order.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Scheme as all {
        /// On a dark ground.
        #[default]
        Dark = "dark",
        /// On a light ground.
        Light = "light",
        /// Bright colours on black, and nothing dimmed, whatever the ground of the terminal.
        Contrast = "contrast",
        /// None: bold, underlined and reversed say the same.
        Mono = "mono",
    }
}

impl Scheme {
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

/// A colour by its name; what it is made of is the scheme's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hue {
    /// Kept for failures and errors.
    Red,
    Green,
    Yellow,
    Blue,
    Magenta,
    Cyan,
}

impl Hue {
    const ALL: [Self; 6] = [
        Self::Red,
        Self::Green,
        Self::Yellow,
        Self::Blue,
        Self::Magenta,
        Self::Cyan,
    ];

    /// The hue of a colour of any scheme.
    pub fn of(colour: Color) -> Option<Self> {
        let schemes = [Scheme::Dark, Scheme::Light, Scheme::Contrast];
        let mut all = schemes
            .into_iter()
            .flat_map(|scheme| Self::ALL.map(|hue| (hue, scheme)));
        let found = all.find(|(hue, scheme)| hue.colour(*scheme) == Some(colour));
        found.map(|(hue, _)| hue)
    }

    /// On a dark ground the colours that the user has chosen for the terminal, and the bright ones where the
    /// plain ones are too dark to be read in common palettes. These are no help on a light ground, where most
    /// palettes have a green, a yellow and a cyan that nobody can read: there, and for most contrast, the
    /// colours are those of the cube, which are the same everywhere.
    fn colour(self, scheme: Scheme) -> Option<Color> {
        let number = self as usize;
        Some(match scheme {
            Scheme::Mono => return None,
            Scheme::Dark => [
                Color::LightRed,
                Color::Green,
                Color::LightYellow,
                Color::LightBlue,
                Color::Magenta,
                Color::Cyan,
            ][number],
            Scheme::Light => Color::Indexed([124, 22, 94, 25, 90, 23][number]),
            Scheme::Contrast => Color::Indexed([203, 46, 226, 111, 213, 51][number]),
        })
    }
}

impl Ink {
    /// Red is kept for failures, and the four of curves are told apart on their ground.
    fn colour(self, scheme: Scheme) -> Option<Color> {
        const ON_DARK: [Hue; 4] = [Hue::Cyan, Hue::Yellow, Hue::Magenta, Hue::Green];
        const ON_LIGHT: [Hue; 4] = [Hue::Blue, Hue::Magenta, Hue::Green, Hue::Yellow];
        let light = scheme == Scheme::Light;
        let hue = match self {
            Self::Good => Hue::Green,
            Self::Bad => Hue::Red,
            Self::Accent if light => Hue::Blue,
            Self::Accent => Hue::Cyan,
            Self::Notice if light => Hue::Magenta,
            Self::Notice => Hue::Yellow,
            Self::Series(role) => {
                let curves = if light { ON_LIGHT } else { ON_DARK };
                curves[usize::from(role) % curves.len()]
            }
        };
        hue.colour(scheme)
    }
}

/// White on black, and what is left of white where it belongs to an earlier text: of the cube, too.
const WHITE: Color = Color::Indexed(231);
const BLACK: Color = Color::Indexed(16);
const GREY: Color = Color::Indexed(248);

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
        let style = Style::new().remove_modifier(Modifier::BOLD | Modifier::REVERSED);
        match self.scheme {
            Scheme::Contrast => style.fg(GREY),
            Scheme::Dark | Scheme::Light | Scheme::Mono => {
                style.fg(Color::Reset).add_modifier(Modifier::DIM)
            }
        }
    }

    /// Colours of text and ground where they are not the terminal's own.
    pub fn ground(self) -> Option<(Color, Color)> {
        (self.scheme == Scheme::Contrast).then_some((WHITE, BLACK))
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The sixteen colours of a terminal, in the order of their numbers.
    type Palette = [[u8; 3]; 16];

    /// Those that xterm has by itself.
    const XTERM: Palette = [
        [0, 0, 0],
        [205, 0, 0],
        [0, 205, 0],
        [205, 205, 0],
        [0, 0, 238],
        [205, 0, 205],
        [0, 205, 205],
        [229, 229, 229],
        [127, 127, 127],
        [255, 0, 0],
        [0, 255, 0],
        [255, 255, 0],
        [92, 92, 255],
        [255, 0, 255],
        [0, 255, 255],
        [255, 255, 255],
    ];
    /// Those of a PC's text screen and of the Linux console.
    const VGA: Palette = [
        [0, 0, 0],
        [170, 0, 0],
        [0, 170, 0],
        [170, 85, 0],
        [0, 0, 170],
        [170, 0, 170],
        [0, 170, 170],
        [170, 170, 170],
        [85, 85, 85],
        [255, 85, 85],
        [85, 255, 85],
        [255, 255, 85],
        [85, 85, 255],
        [255, 85, 255],
        [85, 255, 255],
        [255, 255, 255],
    ];

    fn rgb(colour: Color, palette: &Palette) -> [u8; 3] {
        let number = match colour {
            Color::Red => 1,
            Color::Green => 2,
            Color::Yellow => 3,
            Color::Blue => 4,
            Color::Magenta => 5,
            Color::Cyan => 6,
            Color::LightRed => 9,
            Color::LightGreen => 10,
            Color::LightYellow => 11,
            Color::LightBlue => 12,
            Color::LightMagenta => 13,
            Color::LightCyan => 14,
            Color::Indexed(number @ 16..=231) => {
                let level = |part: u8| if part == 0 { 0 } else { 55 + 40 * part };
                let number = number - 16;
                return [number / 36, number / 6 % 6, number % 6].map(level);
            }
            Color::Indexed(number @ 232..) => return [8 + 10 * (number - 232); 3],
            other => panic!("{other:?} is not known everywhere"),
        };
        palette[number]
    }

    /// Contrast ratio of the Web Content Accessibility Guidelines 2.1.
    fn ratio(a: [u8; 3], b: [u8; 3]) -> f64 {
        let luminance = |colour: [u8; 3]| {
            let linear = colour.map(|part| {
                let part = f64::from(part) / 255.0;
                if part <= 0.04045 {
                    part / 12.92
                } else {
                    ((part + 0.055) / 1.055).powf(2.4)
                }
            });
            0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
        };
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn black_and_white_are_21_apart() {
        assert!((ratio([0; 3], [255; 3]) - 21.0).abs() < 1e-9);
        // the grey that is just good enough for text on white
        assert!((ratio([0x76; 3], [255; 3]) - 4.54).abs() < 0.01);
    }

    #[test]
    fn text_and_lines_are_read_on_their_ground() {
        /// What the guidelines ask of text, and of lines.
        const TEXT: f64 = 4.5;
        const LINE: f64 = 3.0;
        let grounds = [
            (Scheme::Dark, vec![[0, 0, 0], [12, 12, 12]]),
            // white, the paper of a popular scheme, the white of the oldest screens
            (
                Scheme::Light,
                vec![[255, 255, 255], [253, 246, 227], [229, 229, 229]],
            ),
            (Scheme::Contrast, vec![rgb(BLACK, &XTERM)]),
        ];
        for (scheme, grounds) in grounds {
            for ground in grounds {
                for palette in [&XTERM, &VGA] {
                    let against = |ink: Ink| {
                        let colour = ink.colour(scheme).unwrap();
                        ratio(rgb(colour, palette), ground)
                    };
                    for ink in [Ink::Good, Ink::Bad, Ink::Accent, Ink::Notice] {
                        assert!(
                            against(ink) >= TEXT,
                            "{scheme:?} {ground:?} {}",
                            against(ink)
                        );
                    }
                    for role in 0..4 {
                        let ink = Ink::Series(role);
                        assert!(against(ink) >= LINE, "{scheme:?} {ground:?} {role}");
                    }
                }
            }
        }
        let high = |colour| ratio(rgb(colour, &XTERM), rgb(BLACK, &XTERM));
        assert!(high(WHITE) > 20.0 && high(GREY) > 7.0);
        // and most contrast is better than that
        for hue in Hue::ALL {
            assert!(
                high(hue.colour(Scheme::Contrast).unwrap()) >= 7.0,
                "{hue:?}"
            );
        }
    }

    #[test]
    fn a_colour_has_one_hue() {
        for scheme in Scheme::ALL {
            for hue in Hue::ALL {
                let colour = hue.colour(scheme);
                assert_eq!(colour.and_then(Hue::of), colour.map(|_| hue));
            }
        }
        assert_eq!(Hue::of(Color::Reset), None);
        assert_eq!(Hue::of(WHITE), None);
    }
}
