//! What is wrong with an input, and where: data that each face renders.
//!
//! Every text that comes from outside passes through [`sanitize`], so that no control character of a
//! file reaches a terminal.

use std::fmt::Write as _;
use std::ops::Range;
use std::path::Path;
use unicode_width::UnicodeWidthChar;

/// A source line is shown whole up to this many columns, and as a window round the place beyond that.
const MAX_COLUMNS: usize = 120;
/// Columns kept before the place where a line is cut.
const BEFORE: usize = 40;
/// The longest piece of the input quoted inside a message, in characters.
const MAX_QUOTE: usize = 60;

/// Makes control characters, and those that change the direction of text, visible as `\u{1b}`; a tab
/// becomes a space.
pub fn sanitize(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        push_sanitized(&mut shown, c);
    }
    shown
}

fn push_sanitized(shown: &mut String, c: char) {
    match c {
        '\t' => shown.push(' '),
        c if c.is_control() || is_invisible(c) => {
            let _ = write!(shown, "{}", c.escape_unicode());
        }
        c => shown.push(c),
    }
}

/// Line and paragraph separators, directional marks, embeddings, overrides and isolates, and characters
/// without width.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
}

/// A piece of the input as a message may quote it: on one line, sanitised, cut where it is long.
pub fn quote(text: &str) -> String {
    let mut shown = sanitize(text);
    if let Some((cut, _)) = shown.char_indices().nth(MAX_QUOTE) {
        shown.truncate(cut);
        shown.push('…');
    }
    shown
}

/// A path as a message may show it, to any terminal: no other code turns a path into words.
pub fn shown(path: &Path) -> String {
    sanitize(&spelled(path))
}

/// A path as a text that becomes a name again, or a part of one; what is no Unicode becomes U+FFFD. Not for a
/// terminal as it is.
pub fn spelled(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// An error in an input, at a place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.render().trim_end())]
pub struct Diagnostic {
    /// The input: a file, `standard input`, the name of a built-in system, or `--set`.
    pub file: String,
    /// The place, in bytes of the text.
    pub span: Range<usize>,
    /// Line of the place, from 1; 0 where the error has no place.
    pub line: usize,
    /// Column of the place in characters, from 1.
    pub column: usize,
    /// How many characters of the line the place covers, at least 1.
    pub width: usize,
    /// The line, sanitised; a part of it where it is long.
    pub source_line: String,
    /// The columns of `source_line` (as a terminal counts them) to underline.
    pub mark: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to try.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error of an input as a whole.
    pub fn without_place(file: &str, message: impl AsRef<str>) -> Self {
        Self {
            file: quote(file),
            span: 0..0,
            line: 0,
            column: 0,
            width: 1,
            source_line: String::new(),
            mark: 0..0,
            message: sanitize(message.as_ref()),
            help: None,
        }
    }

    /// An error at a place (in bytes) of a text.
    pub fn at(file: &str, text: &str, span: Range<usize>, message: impl AsRef<str>) -> Self {
        let start = floor(text, span.start);
        let end = floor(text, span.end).max(start);
        let line_start = text[..start].rfind('\n').map_or(0, |i| i + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |i| start + i);
        // a byte order mark at the beginning belongs to no line
        let mark = text.starts_with('\u{feff}') && line_start == 0;
        let line_start = if mark { 3 } else { line_start };
        let line = text[line_start..line_end.max(line_start)].trim_end_matches('\r');
        let within = |place: usize| place.saturating_sub(line_start).min(line.len());
        let (from, to) = (within(start), within(end));
        let (source_line, mark) = window(line, from..to);
        Self {
            line: 1 + text[..start].matches('\n').count(),
            column: 1 + line[..from].chars().count(),
            width: line[from..to].chars().count().max(1),
            source_line,
            mark,
            span: start..end,
            ..Self::without_place(file, message)
        }
    }

    /// The same with a hint.
    #[must_use]
    pub fn with_help(mut self, help: impl AsRef<str>) -> Self {
        self.help = Some(sanitize(help.as_ref()));
        self
    }

    /// The same with a hint, where there is one.
    #[must_use]
    pub fn with_help_if(self, help: Option<impl AsRef<str>>) -> Self {
        match help {
            Some(help) => self.with_help(help),
            None => self,
        }
    }

    /// Plain text: message, place, the line with the place underlined, the hint.
    pub fn render(&self) -> String {
        let mut text = format!("error: {}\n", self.message);
        let number = self.line.to_string();
        let gutter = " ".repeat(number.len());
        if self.line == 0 {
            let _ = writeln!(text, "{gutter}--> {}", self.file);
        } else {
            let _ = writeln!(
                text,
                "{gutter}--> {}:{}:{}\n{gutter} |\n{number} | {}\n{gutter} | {}{}",
                self.file,
                self.line,
                self.column,
                self.source_line,
                " ".repeat(self.mark.start),
                "^".repeat(self.mark.len().max(1)),
            );
        }
        if let Some(help) = &self.help {
            let _ = writeln!(text, "{gutter} = help: {help}");
        }
        text
    }
}

/// The last character boundary at or before a place.
fn floor(text: &str, place: usize) -> usize {
    let place = place.min(text.len());
    (0..=place)
        .rev()
        .find(|&i| text.is_char_boundary(i))
        .unwrap_or(0)
}

/// The part of a line to show, sanitised, and the columns in it that a place covers.
fn window(line: &str, place: Range<usize>) -> (String, Range<usize>) {
    let width = |c: char| {
        let mut shown = String::new();
        push_sanitized(&mut shown, c);
        shown.chars().map(|c| c.width().unwrap_or(0)).sum::<usize>()
    };
    // back from the place until enough columns are shown before it
    let mut first = place.start;
    let short = line.len() <= MAX_COLUMNS && line.chars().map(width).sum::<usize>() <= MAX_COLUMNS;
    let mut columns = 0;
    for (at, c) in line[..place.start].char_indices().rev() {
        columns += width(c);
        if !short && columns > BEFORE {
            break;
        }
        first = at;
    }
    let mut shown = String::new();
    let mut column = 0;
    if first > 0 {
        shown.push('…');
        column = 1;
    }
    let (mut start, mut end) = (None, None);
    for (at, c) in line[first..].char_indices() {
        let at = first + at;
        if at >= place.start {
            start.get_or_insert(column);
        }
        if at >= place.end {
            end.get_or_insert(column);
        }
        if !short && column + width(c) >= MAX_COLUMNS {
            shown.push('…');
            break;
        }
        push_sanitized(&mut shown, c);
        column += width(c);
    }
    let start = start.unwrap_or(column);
    (shown, start..end.unwrap_or(column).max(start + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_become_visible() {
        assert_eq!(
            sanitize("a\u{1b}[31m\tb\u{7f}\u{9b}\u{202e}\r"),
            "a\\u{1b}[31m b\\u{7f}\\u{9b}\\u{202e}\\u{d}"
        );
    }

    #[test]
    fn the_place_is_underlined() {
        let text = "a: 1\nwire: é + 漢 - z^2\n";
        let place = text.find('z').unwrap();
        let d = Diagnostic::at("f.yaml", text, place..place + 1, "no z").with_help("say x");
        assert_eq!((d.line, d.column, d.width), (2, 15, 1));
        assert_eq!(
            d.render(),
            "error: no z\n --> f.yaml:2:15\n  |\n2 | wire: é + 漢 - z^2\n  |                ^\n  = help: say x\n"
        );
    }

    #[test]
    fn a_long_line_is_cut_round_the_place() {
        let text = format!("{}z{}", "a".repeat(100_000), "b".repeat(100_000));
        let d = Diagnostic::at("f", &text, 100_000..100_001, "no z");
        assert_eq!(d.column, 100_001);
        assert_eq!(d.source_line.chars().count(), MAX_COLUMNS);
        assert_eq!(d.source_line.chars().nth(d.mark.start), Some('z'));
        let d = Diagnostic::at("f", &text, 0..200_001, "long");
        assert!(d.mark.end <= MAX_COLUMNS);
    }

    #[test]
    fn places_off_the_text_are_moved_into_it() {
        let d = Diagnostic::at("f", "é", 1..9, "odd");
        assert_eq!((d.span, d.line, d.column), (0..2, 1, 1));
        let d = Diagnostic::at("f", "", 5..7, "odd");
        assert_eq!((d.span, d.line, d.column), (0..0, 1, 1));
    }
}
