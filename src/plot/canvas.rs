//! Styled characters in rows: what a face copies to its screen or prints.

use unicode_width::UnicodeWidthChar;

use super::charset::Charset;
use super::frame::Frame;
use super::sign::{MarkKind, PointKind};

/// What a character stands for; a face turns it into colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CellStyle {
    /// Nothing.
    #[default]
    Plain,
    /// Of less weight: a trail, a remark.
    Dim,
    /// An axis with its ticks and numbers.
    Axis,
    /// The name of an axis or a series.
    Label,
    /// The title.
    Title,
    /// A curve, by its role.
    Series(u8),
    /// A mark.
    Mark(MarkKind),
    /// The cursor.
    Cursor,
    /// A body of a picture.
    Body,
}

/// One character and what it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The character; [`Cell::CONTINUED`] where a wide one began in the cell to the left.
    pub symbol: char,
    /// What it stands for.
    pub style: CellStyle,
}

impl Cell {
    /// The symbol of the second cell of a wide character.
    pub const CONTINUED: char = '\0';

    const BLANK: Self = Self {
        symbol: ' ',
        style: CellStyle::Plain,
    };
}

/// A rectangle of cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Canvas {
    width: u16,
    height: u16,
    cells: Vec<Cell>,
    frame: Option<Frame>,
}

impl Canvas {
    /// A blank one.
    pub fn new(width: u16, height: u16) -> Self {
        Self {
            width,
            height,
            cells: vec![Cell::BLANK; usize::from(width) * usize::from(height)],
            frame: None,
        }
    }

    /// Columns.
    pub fn width(&self) -> u16 {
        self.width
    }

    /// Rows.
    pub fn height(&self) -> u16 {
        self.height
    }

    /// Where the curves are and which values they stand for; `None` where there was no room.
    pub fn frame(&self) -> Option<&Frame> {
        self.frame.as_ref()
    }

    pub(super) fn set_frame(&mut self, frame: Frame) {
        self.frame = Some(frame);
    }

    /// The cells of a row from left to right, `width` of them; none below the last row.
    pub fn row(&self, row: u16) -> &[Cell] {
        let width = usize::from(self.width);
        let start = usize::from(row) * width;
        self.cells.get(start..start + width).unwrap_or_default()
    }

    /// The cell at this place.
    pub fn cell(&self, col: u16, row: u16) -> Option<Cell> {
        self.row(row).get(usize::from(col)).copied()
    }

    /// The row as pieces of one style each, with as few pieces as possible: a blank takes the style of
    /// the piece it stands in, since it shows none. Together they are `width` columns.
    pub fn runs(&self, row: u16) -> Vec<(String, CellStyle)> {
        let mut runs: Vec<(String, CellStyle)> = Vec::new();
        for cell in self.row(row) {
            if cell.symbol == Cell::CONTINUED {
                continue;
            }
            match runs.last_mut() {
                Some((text, style)) if cell.symbol == ' ' || *style == cell.style => {
                    text.push(cell.symbol);
                }
                // Leading blanks join the first character.
                Some((text, style)) if text.chars().all(|c| c == ' ') => {
                    text.push(cell.symbol);
                    *style = cell.style;
                }
                _ => runs.push((cell.symbol.to_string(), cell.style)),
            }
        }
        runs
    }

    /// The characters alone: one line a row, without blanks at the end, each ended by a newline.
    pub fn to_text(&self) -> String {
        let mut text = String::with_capacity(self.cells.len() * 3);
        for row in 0..self.height {
            let symbols = self.row(row).iter().map(|cell| cell.symbol);
            text.extend(symbols.filter(|&symbol| symbol != Cell::CONTINUED));
            text.truncate(text.trim_end_matches(' ').len());
            text.push('\n');
        }
        text
    }

    /// Sets one cell; outside the canvas nothing happens.
    pub(super) fn put(&mut self, col: u16, row: u16, symbol: char, style: CellStyle) {
        if col < self.width && row < self.height {
            let place = usize::from(row) * usize::from(self.width) + usize::from(col);
            self.cells[place] = Cell { symbol, style };
        }
    }

    /// Writes `text` from (`col`, `row`) on, as far as `limit` columns allow, the last one being `…` where
    /// it does not fit. Returns the columns used.
    ///
    /// Control characters show as `?`; characters of no width are left out.
    pub(super) fn write(&mut self, col: u16, row: u16, text: Text<'_>) -> u16 {
        let limit = text.limit.min(self.width.saturating_sub(col));
        let cut = columns(text.words) > limit;
        let mut used = 0;
        for symbol in text.words.chars() {
            let (symbol, wide) = shown(symbol);
            if cut && used + wide >= limit {
                if used < limit {
                    self.put(col + used, row, text.ellipsis, text.style);
                    used += 1;
                }
                break;
            }
            if wide == 0 {
                continue;
            }
            self.put(col + used, row, symbol, text.style);
            if wide == 2 {
                self.put(col + used + 1, row, Cell::CONTINUED, text.style);
            }
            used += wide;
        }
        used
    }
}

/// Words to write.
#[derive(Clone, Copy, Debug)]
pub(super) struct Text<'a> {
    pub words: &'a str,
    pub style: CellStyle,
    /// Most columns.
    pub limit: u16,
    /// Ends what was cut.
    pub ellipsis: char,
}

impl<'a> Text<'a> {
    pub fn new(words: &'a str, style: CellStyle, limit: u16, charset: Charset) -> Self {
        Self {
            words,
            style,
            limit,
            ellipsis: charset.pick('…', '~'),
        }
    }
}

/// What is written for a character, and its columns (0, 1 or 2).
fn shown(symbol: char) -> (char, u16) {
    match symbol.width() {
        None => ('?', 1),
        Some(wide) => (symbol, wide.min(2) as u16),
    }
}

/// Columns of a text.
pub(super) fn columns(text: &str) -> u16 {
    text.chars()
        .fold(0_u16, |sum, symbol| sum.saturating_add(shown(symbol).1))
}

/// The character of a point and its style.
pub(super) fn sign(kind: PointKind, charset: Charset) -> (char, CellStyle) {
    match kind {
        PointKind::Anchor => (charset.pick('○', '+'), CellStyle::Label),
        PointKind::Failure => (
            charset.mark(MarkKind::Failure),
            CellStyle::Mark(MarkKind::Failure),
        ),
        PointKind::Body => (charset.pick('●', '@'), CellStyle::Body),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str, limit: u16) -> Text<'_> {
        Text::new(text, CellStyle::Label, limit, Charset::Braille)
    }

    #[test]
    fn text_is_cut_to_columns() {
        let mut canvas = Canvas::new(6, 5);
        assert_eq!(canvas.write(0, 0, text("abcdef", 6)), 6);
        assert_eq!(canvas.write(0, 1, text("abcdefg", 6)), 6);
        assert_eq!(canvas.write(4, 2, text("abc", 6)), 2);
        // Wide characters take two cells and are never halved; a control character is shown.
        assert_eq!(canvas.write(0, 3, text("角角角角", 6)), 5);
        assert_eq!(canvas.write(0, 4, text("a\tb", 6)), 3);
        assert_eq!(canvas.to_text(), "abcdef\nabcde…\n    a…\n角角…\na?b\n");
        assert_eq!(canvas.row(3).len(), 6);
        assert_eq!(canvas.write(9, 9, text("abc", 3)), 0);
    }

    #[test]
    fn runs_are_few_and_complete() {
        let mut canvas = Canvas::new(7, 1);
        canvas.put(1, 0, 'a', CellStyle::Axis);
        canvas.put(3, 0, 'b', CellStyle::Axis);
        canvas.put(4, 0, 'c', CellStyle::Series(0));
        assert_eq!(
            canvas.runs(0),
            [
                (" a b".to_owned(), CellStyle::Axis),
                ("c  ".to_owned(), CellStyle::Series(0))
            ]
        );
        assert_eq!(canvas.runs(1), []);
    }
}
