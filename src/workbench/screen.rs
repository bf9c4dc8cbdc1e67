//! The screen as an image: what a terminal would show, as SVG 1.1 or as text.
//!
//! Dots, borders and blocks are drawn as shapes on the grid of the cells, so that they meet whatever font
//! the reader has; letters are text, each piece stretched to its columns. Same screen, same bytes.

use std::collections::BTreeMap;
use std::fmt::Write;

use ratatui::backend::TestBackend;
use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};
use ratatui::{Frame, Terminal};
use unicode_width::UnicodeWidthStr;

use super::state::State;
use super::theme::{Hue, Scheme};
use super::view::{self, Memory};
use crate::plot::{QUADRANTS, escaped};
use crate::report::only_if;

/// Size of the letters; a cell is six tenths of it wide, as letters of one width are.
const FONT: i32 = 15;
/// Width and height of a cell.
const CELL: (i32, i32) = (9, 18);
/// Empty space round the screen.
const MARGIN: i32 = 9;
/// Side of a dot.
const DOT: f64 = 2.4;

/// The screen of a state, without what lies over the panes.
pub fn drawn(state: &State) -> Buffer {
    let mut state = state.clone();
    state.dialog = None;
    state.notice = None;
    let mut memory = Memory::default();
    of_size(state.size, |frame| view::draw(&state, frame, &mut memory))
}

/// A screen of so many columns and rows with what is drawn on it.
pub fn of_size((width, height): (u16, u16), draw: impl FnOnce(&mut Frame)) -> Buffer {
    // a backend without a terminal: nothing can go wrong with it
    let Ok(mut terminal) = Terminal::new(TestBackend::new(width, height));
    let _ = terminal.draw(draw);
    terminal.backend().buffer().clone()
}

/// The screen as text.
pub fn text(buffer: &Buffer) -> String {
    let mut text = String::new();
    for row in rows(buffer) {
        let line: String = row.iter().map(Cell::symbol).collect();
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn rows(buffer: &Buffer) -> impl Iterator<Item = &[Cell]> {
    buffer.content.chunks(usize::from(buffer.area.width).max(1))
}

/// Colours on a ground.
struct Palette {
    ground: &'static str,
    text: &'static str,
    /// Those of [`Hue`], in its order.
    inks: [&'static str; 6],
}

const ON_DARK: Palette = Palette {
    ground: "#14171c",
    text: "#d8dce2",
    inks: [
        "#ff6b68", "#7ed37e", "#e8c15a", "#79b0ff", "#d79af0", "#62d2dc",
    ],
};
const ON_LIGHT: Palette = Palette {
    ground: "#ffffff",
    text: "#1f2328",
    inks: [
        "#c62828", "#1b7f3b", "#9a6700", "#0b57d0", "#8e24aa", "#00798a",
    ],
};

const ON_BLACK: Palette = Palette {
    ground: "#000000",
    text: "#ffffff",
    inks: [
        "#ff5f5f", "#00ff00", "#ffff00", "#87afff", "#ff87ff", "#00ffff",
    ],
};

impl Palette {
    fn of(scheme: Scheme) -> &'static Self {
        match scheme {
            Scheme::Dark => &ON_DARK,
            Scheme::Contrast => &ON_BLACK,
            Scheme::Light | Scheme::Mono => &ON_LIGHT,
        }
    }

    fn ink(&self, colour: Color) -> &'static str {
        Hue::of(colour).map_or(self.text, |hue| self.inks[hue as usize])
    }
}

/// How a cell is drawn.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct CellLook {
    ink: &'static str,
    ground: Option<&'static str>,
    bold: bool,
    dim: bool,
    underlined: bool,
}

impl CellLook {
    fn of(cell: &Cell, palette: &Palette) -> Self {
        let has = |modifier| cell.modifier.contains(modifier);
        let ink = palette.ink(cell.fg);
        let reversed = has(Modifier::REVERSED);
        Self {
            ink: if reversed { palette.ground } else { ink },
            ground: reversed.then_some(ink),
            bold: has(Modifier::BOLD),
            dim: has(Modifier::DIM),
            underlined: has(Modifier::UNDERLINED),
        }
    }

    fn opacity(self) -> &'static str {
        if self.dim { " opacity=\"0.62\"" } else { "" }
    }
}

/// Shapes of one look: filled, and lines thin and thick.
#[derive(Default)]
struct Shapes {
    filled: String,
    thin: String,
    thick: String,
}

/// The screen as SVG, in the colours of a scheme.
pub fn svg(buffer: &Buffer, scheme: Scheme) -> String {
    let palette = Palette::of(scheme);
    let area = buffer.area;
    let width = i32::from(area.width) * CELL.0 + 2 * MARGIN;
    let height = i32::from(area.height) * CELL.1 + 2 * MARGIN;
    let mut out = String::new();
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" font-family=\"ui-monospace, 'DejaVu Sans Mono', \
         Menlo, Consolas, 'Liberation Mono', monospace\" font-size=\"{FONT}\">"
    );
    out.push_str("<title>holonom</title>\n");
    let _ = writeln!(
        out,
        "<rect width=\"{width}\" height=\"{height}\" rx=\"6\" fill=\"{}\"/>",
        palette.ground
    );
    let mut grounds = String::new();
    let mut shapes: BTreeMap<CellLook, Shapes> = BTreeMap::new();
    let mut texts = String::new();
    for (cells, row) in rows(buffer).zip(0..) {
        let mut piece = Run::default();
        let mut skip = 0;
        for (cell, col) in cells.iter().zip(0..) {
            if skip > 0 {
                // covered by a wide character
                skip -= 1;
                continue;
            }
            let look = CellLook::of(cell, palette);
            let wide = i32::try_from(cell.symbol().width()).unwrap_or(1).max(1);
            skip = wide - 1;
            let (x, y) = (MARGIN + col * CELL.0, MARGIN + row * CELL.1);
            if let Some(ground) = look.ground {
                let w = wide * CELL.0;
                let _ = writeln!(
                    grounds,
                    "<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{}\" fill=\"{ground}\"/>",
                    CELL.1
                );
            }
            let symbol = cell.symbol().chars().next().unwrap_or(' ');
            let own = shapes.entry(look).or_default();
            if look.underlined {
                let _ = write!(own.thin, "M{x} {}h{}", y + CELL.1 - 2, wide * CELL.0);
            }
            if shape(symbol, (x, y), own) {
                piece.end(&mut texts);
            } else {
                piece.add(cell.symbol(), look, (x, y), wide, &mut texts);
            }
        }
        piece.end(&mut texts);
    }
    out.push_str(&grounds);
    for (look, own) in &shapes {
        let opacity = look.opacity();
        if !own.filled.is_empty() {
            let _ = writeln!(
                out,
                "<path d=\"{}\" fill=\"{}\"{opacity}/>",
                own.filled, look.ink
            );
        }
        for (lines, weight) in [(&own.thin, "1.2"), (&own.thick, "2.4")] {
            if !lines.is_empty() {
                let _ = writeln!(
                    out,
                    "<path d=\"{lines}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{weight}\"{opacity}/>",
                    look.ink
                );
            }
        }
    }
    out.push_str(&texts);
    out.push_str("</svg>\n");
    out
}

/// Letters of one look in a row, without a blank: each word stands in its columns, whatever the font and whatever the
/// viewer makes of `textLength`.
#[derive(Default)]
struct Run {
    text: String,
    look: Option<CellLook>,
    at: (i32, i32),
    columns: i32,
}

impl Run {
    fn add(&mut self, symbol: &str, look: CellLook, at: (i32, i32), wide: i32, out: &mut String) {
        if symbol.trim().is_empty() {
            self.end(out);
            return;
        }
        if self.look != Some(look) {
            self.end(out);
        }
        if self.text.is_empty() {
            (self.look, self.at) = (Some(look), at);
        }
        self.columns += wide;
        self.text.push_str(symbol);
    }

    fn end(&mut self, out: &mut String) {
        let piece = std::mem::take(self);
        let Some(look) = piece.look.filter(|_| !piece.text.is_empty()) else {
            return;
        };
        let bold = only_if(look.bold, " font-weight=\"bold\"");
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{}\" textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\" fill=\"{}\"{bold}{}>{}</text>",
            piece.at.0,
            piece.at.1 + CELL.1 - 5,
            piece.columns * CELL.0,
            look.ink,
            look.opacity(),
            escaped(&piece.text)
        );
    }
}

/// Draws a character that is a shape; whether it is one.
fn shape(symbol: char, (x, y): (i32, i32), out: &mut Shapes) -> bool {
    let (w, h) = (f64::from(CELL.0), f64::from(CELL.1));
    let (left, top) = (f64::from(x), f64::from(y));
    match symbol {
        '\u{2800}'..='\u{28ff}' => {
            let bits = u32::from(symbol) - 0x2800;
            for bit in 0..8 {
                if bits >> bit & 1 == 1 {
                    // the bits of braille go down the columns, the last row coming later
                    let (col, row) = if bit < 6 {
                        (bit / 3, bit % 3)
                    } else {
                        (bit - 6, 3)
                    };
                    let at = (
                        left + (f64::from(col) + 0.5) * w / 2.0 - DOT / 2.0,
                        top + (f64::from(row) + 0.5) * h / 4.0 - DOT / 2.0,
                    );
                    rectangle(&mut out.filled, at, (DOT, DOT));
                }
            }
        }
        _ if QUADRANTS[1..].contains(&symbol) => {
            let bits = QUADRANTS.iter().position(|q| *q == symbol).unwrap_or(0);
            for quarter in 0..4 {
                if bits >> quarter & 1 == 1 {
                    let (col, row) = (quarter % 2, quarter / 2);
                    let at = (
                        left + f64::from(col) * w / 2.0,
                        top + f64::from(row) * h / 2.0,
                    );
                    rectangle(&mut out.filled, at, (w / 2.0, h / 2.0));
                }
            }
        }
        // eighths from the left
        '▉'..='▏' => {
            let eighths = f64::from(0x2590 - u32::from(symbol));
            rectangle(&mut out.filled, (left, top), (w * eighths / 8.0, h));
        }
        '░' => {
            for (col, row) in (0..3).flat_map(|c| (0..6).map(move |r| (c, r))) {
                if (col + row) % 2 == 0 {
                    let at = (
                        left + f64::from(col) * w / 3.0,
                        top + f64::from(row) * h / 6.0,
                    );
                    rectangle(&mut out.filled, at, (1.2, 1.2));
                }
            }
        }
        _ => {
            // left, right, up, down: 1 thin, 2 thick
            let arms = match symbol {
                '─' => [1, 1, 0, 0],
                '│' => [0, 0, 1, 1],
                '┌' => [0, 1, 0, 1],
                '┐' => [1, 0, 0, 1],
                '└' => [0, 1, 1, 0],
                '┘' => [1, 0, 1, 0],
                '├' => [0, 1, 1, 1],
                '┤' => [1, 0, 1, 1],
                '┬' => [1, 1, 0, 1],
                '┴' => [1, 1, 1, 0],
                '┼' => [1, 1, 1, 1],
                '━' => [2, 2, 0, 0],
                '┃' => [0, 0, 2, 2],
                '┏' => [0, 2, 0, 2],
                '┓' => [2, 0, 0, 2],
                '┗' => [0, 2, 2, 0],
                '┛' => [2, 0, 2, 0],
                _ => return false,
            };
            let middle = (left + w / 2.0, top + h / 2.0);
            let ends = [
                (left, middle.1),
                (left + w, middle.1),
                (middle.0, top),
                (middle.0, top + h),
            ];
            for (arm, end) in arms.into_iter().zip(ends) {
                let lines = match arm {
                    0 => continue,
                    1 => &mut out.thin,
                    _ => &mut out.thick,
                };
                let _ = write!(lines, "M{} {}L{} {}", middle.0, middle.1, end.0, end.1);
            }
        }
    }
    true
}

fn rectangle(out: &mut String, (x, y): (f64, f64), (w, h): (f64, f64)) {
    // a hundredth of a unit is enough
    let short = |v: f64| (v * 100.0).round() / 100.0;
    let (x, y, w, h) = (short(x), short(y), short(w), short(h));
    let _ = write!(out, "M{x} {y}h{w}v{h}h-{w}z");
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::layout::Rect;
    use ratatui::style::Style;

    #[test]
    fn letters_are_text_and_dots_are_shapes() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 12, 2));
        buffer.set_string(0, 0, "a <b>  c", Style::new());
        buffer.set_string(9, 0, "⠁│", Style::new().fg(Color::Cyan));
        buffer.set_string(0, 1, "x1", Style::new().add_modifier(Modifier::REVERSED));
        let svg = svg(&buffer, Scheme::Dark);
        assert!(
            svg.contains(">&lt;b&gt;</text>") && svg.contains(">c</text>"),
            "{svg}"
        );
        assert!(svg.contains("x=\"27\" y=\"22\" textLength=\"27\""), "{svg}");
        // the dot, and the line from edge to edge of its row
        assert!(svg.contains("M91.05 10.05h2.4v2.4h-2.4z"), "{svg}");
        assert!(svg.contains("M103.5 18L103.5 9M103.5 18L103.5 27"), "{svg}");
        assert!(
            svg.contains("fill=\"#d8dce2\"/>\n") && svg.contains(">x1</text>"),
            "{svg}"
        );
        assert_eq!(text(&buffer), "a <b>  c ⠁│\nx1\n");
    }
}
