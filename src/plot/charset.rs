//! The characters a picture is made of, and how many dots one of them holds.
//!
//! Braille is the default: 2 x 4 dots, in every font for decades. Blocks and sextants fill their part of the cell, for
//! the eye that finds braille too thin. Octants, the filled 2 x 4 of Unicode 16, are left out: they show no more
//! than braille does, few fonts have them yet, and where one is missing there is a box in its place, which no
//! program can find out. Once they are common they are one more set here.

use super::sign::MarkKind;

/// A set of characters to draw with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Charset {
    /// 2 x 4 dots a cell, U+2800 to U+28FF.
    #[default]
    Braille,
    /// 2 x 2 dots a cell, the quadrants of U+2580 to U+259F: for fonts with poor braille.
    Blocks,
    /// 2 x 3 dots a cell, the sextants of Unicode 13, U+1FB00 to U+1FB3B: for the fonts that have them.
    Sextants,
    /// One letter a cell, for terminals without Unicode.
    Ascii,
}

/// Quadrants by bits: 1 upper left, 2 upper right, 4 lower left, 8 lower right.
pub const QUADRANTS: [char; 16] = [
    ' ', '▘', '▝', '▀', '▖', '▌', '▞', '▛', '▗', '▚', '▐', '▜', '▄', '▙', '▟', '█',
];

/// The sextant with these dots. Its numbers are the dots' own, less those four that Unicode had before: none,
/// the left half, the right half and all.
fn sextant(dots: u8) -> char {
    const LEFT: u8 = 0b01_0101;
    const RIGHT: u8 = 0b10_1010;
    match dots {
        0 => ' ',
        LEFT => '▌',
        RIGHT => '▐',
        63 => '█',
        _ => {
            let left_out = 1 + u32::from(dots > LEFT) + u32::from(dots > RIGHT);
            char::from_u32(0x1_FB00 + u32::from(dots) - left_out).unwrap_or(' ')
        }
    }
}

/// So many series can be told apart: by letters, by patterns, and by colours.
pub const ROLES: usize = 8;

/// The letters of the series in plain ASCII, by role.
const LETTERS: [char; ROLES] = ['*', 'o', '+', 'x', '#', '$', '%', '&'];

/// The signs of samples that are not joined, by role: a bead is `●`, a flag `△`.
const POINTS: [char; 4] = ['○', '◇', '×', '□'];

/// The lines of a picture in plain ASCII, by role: `@` is a body there.
const PICTURE_LETTERS: [char; 4] = ['*', '+', 'x', '#'];

impl Charset {
    /// Dots across and down in one cell.
    pub fn dots(self) -> (u16, u16) {
        match self {
            Self::Braille => (2, 4),
            Self::Blocks => (2, 2),
            Self::Sextants => (2, 3),
            Self::Ascii => (1, 1),
        }
    }

    /// Height of a dot over its width, with cells twice as high as they are wide.
    pub fn dot_aspect(self) -> f64 {
        let (across, down) = self.dots();
        2.0 * f64::from(across) / f64::from(down)
    }

    /// The character of a cell with these dots, bit `across * row + column`; `letter` in ASCII.
    pub(super) fn symbol(self, dots: u8, letter: char) -> char {
        match self {
            Self::Braille => {
                // Braille numbers its dots down the columns, the last row coming later.
                const PLACES: [u8; 8] = [0x01, 0x08, 0x02, 0x10, 0x04, 0x20, 0x40, 0x80];
                let code = (0..8)
                    .filter(|bit| dots >> bit & 1 == 1)
                    .fold(0, |code, bit| code | PLACES[bit]);
                char::from_u32(0x2800 + u32::from(code)).unwrap_or(' ')
            }
            Self::Blocks => QUADRANTS[usize::from(dots & 15)],
            Self::Sextants => sextant(dots & 63),
            Self::Ascii => letter,
        }
    }

    /// The letter of a series in plain ASCII.
    pub(super) fn letter(role: u8) -> char {
        LETTERS[usize::from(role) % LETTERS.len()]
    }

    /// The sign of a sample of a series that is not joined.
    pub(super) fn point(self, role: u8) -> char {
        self.pick(POINTS[usize::from(role) % POINTS.len()], Self::letter(role))
    }

    /// The letter of a line of a picture in plain ASCII.
    pub(super) fn picture_letter(role: u8) -> char {
        PICTURE_LETTERS[usize::from(role) % PICTURE_LETTERS.len()]
    }

    /// The sign of a mark.
    pub fn mark(self, kind: MarkKind) -> char {
        match (self, kind) {
            (Self::Ascii, MarkKind::Failure) => '^',
            (Self::Ascii, MarkKind::Flag) => '!',
            (Self::Ascii, MarkKind::Event) => 'v',
            (_, MarkKind::Failure) => '▲',
            (_, MarkKind::Flag) => '△',
            (_, MarkKind::Event) => '◆',
        }
    }

    /// The cursor's vertical line.
    pub fn cursor(self) -> char {
        self.pick('│', '|')
    }

    /// `unicode`, or `ascii` in plain ASCII.
    pub(super) fn pick(self, unicode: char, ascii: char) -> char {
        match self {
            Self::Braille | Self::Blocks | Self::Sextants => unicode,
            Self::Ascii => ascii,
        }
    }
}
