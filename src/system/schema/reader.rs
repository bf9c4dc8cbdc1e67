//! The reader's position in the text, blanks and comments, and the document as a whole.

use super::document::Node;
use super::{MAX_NESTING, Source};
use crate::system::diagnostic::{Diagnostic, quote};

/// Reads a document from front to back.
pub struct Reader<'a> {
    pub(super) source: Source<'a>,
    pub(super) text: &'a str,
    /// The byte read next.
    pub(super) at: usize,
    /// Where the text begins, after a byte order mark.
    start: usize,
    depth: usize,
}

impl<'a> Reader<'a> {
    /// A reader of a text from a place on.
    pub fn new(source: Source<'a>, start: usize) -> Self {
        Self {
            source,
            text: source.text,
            at: start,
            start,
            depth: 0,
        }
    }

    /// Reads the one document of the text; `None` where it is empty.
    pub fn document(&mut self) -> Result<Option<Node>, Diagnostic> {
        self.skip_blanks()?;
        if self.peek() == Some(b'%') {
            return Err(self.unsupported("YAML directives (`%`)", 1));
        }
        if self.at_marker("---") {
            self.at += 3;
            self.skip_blanks()?;
        }
        if self.peek().is_none() || self.at_marker("...") {
            return Ok(None);
        }
        let node = self.block_node(-1)?;
        self.skip_blanks()?;
        if self.at_marker("...") {
            self.at += 3;
            self.skip_blanks()?;
        }
        if self.at_marker("---") {
            return Err(self
                .error_here(3, "a second document begins here")
                .with_help("a file describes one system: remove the `---`, or make two files"));
        }
        if self.peek().is_some() {
            return Err(self.misplaced());
        }
        Ok(Some(node))
    }

    // -------------------------------------------------------------- position

    /// The next byte.
    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Is the byte at a place a space, a tab, a line end, or the end of the text?
    pub(super) fn is_blank(&self, at: usize) -> bool {
        matches!(
            self.text.as_bytes().get(at),
            None | Some(b' ' | b'\t' | b'\n' | b'\r')
        )
    }

    /// Does a line end (or the text) at the place?
    pub(super) fn is_line_end(&self, at: usize) -> bool {
        let rest = &self.text.as_bytes()[at..];
        matches!(rest, [] | [b'\n', ..] | [b'\r', b'\n', ..])
    }

    /// Passes a line end, if one is here.
    pub(super) fn line_end(&mut self) -> bool {
        let rest = &self.text[self.at..];
        let length = match rest.as_bytes() {
            [b'\n', ..] => 1,
            [b'\r', b'\n', ..] => 2,
            _ => 0,
        };
        self.at += length;
        length > 0
    }

    /// Where the line of a place begins.
    pub(super) fn line_start(&self, at: usize) -> usize {
        self.text[self.start..at]
            .rfind('\n')
            .map_or(self.start, |i| self.start + i + 1)
    }

    /// The indentation of the place that is read next: its column, from 0.
    pub(super) fn column(&self) -> i64 {
        i64::try_from(self.at - self.line_start(self.at)).unwrap_or(i64::MAX)
    }

    pub(super) fn skip_spaces(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.at += 1;
        }
    }

    /// Is here a comment: a `#` after a blank?
    pub(super) fn at_comment(&self) -> bool {
        self.peek() == Some(b'#') && (self.at == self.start || self.is_blank(self.at - 1))
    }

    fn skip_comment(&mut self) {
        while !self.is_line_end(self.at) {
            self.at += 1;
        }
    }

    /// Passes blanks, comments and line ends, also tabs.
    pub(super) fn skip_blanks_in_flow(&mut self) {
        loop {
            self.skip_spaces();
            if self.at_comment() {
                self.skip_comment();
            } else if !self.line_end() {
                return;
            }
        }
    }

    /// Passes blanks, comments and line ends; a tab as indentation is an error.
    pub(super) fn skip_blanks(&mut self) -> Result<(), Diagnostic> {
        let from = self.at;
        self.skip_blanks_in_flow();
        let line = self.line_start(self.at);
        if line >= from
            && self.peek().is_some()
            && let Some(tab) = self.text[line..self.at].find('\t')
        {
            let place = line + tab;
            return Err(self
                .source
                .error(place..place + 1, "a tab cannot indent a line")
                .with_help("use spaces"));
        }
        Ok(())
    }

    /// Is a document marker here, at the beginning of a line?
    pub(super) fn at_marker(&self, marker: &str) -> bool {
        self.text[self.at..].starts_with(marker)
            && self.is_blank(self.at + 3)
            && self.line_start(self.at) == self.at
    }

    /// Has the text (or the document) ended?
    pub(super) fn ended(&self) -> bool {
        self.peek().is_none() || self.at_marker("---") || self.at_marker("...")
    }

    /// Enters one level of nesting.
    pub(super) fn enter(&mut self) -> Result<(), Diagnostic> {
        self.depth += 1;
        if self.depth > MAX_NESTING {
            let message = format!("lists and tables are nested more than {MAX_NESTING} deep");
            return Err(self.error_here(1, message));
        }
        Ok(())
    }

    /// Leaves a level of nesting.
    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    // ---------------------------------------------------------------- errors

    pub(super) fn error_here(&self, length: usize, message: impl AsRef<str>) -> Diagnostic {
        self.source.error(self.at..self.at + length, message)
    }

    pub(super) fn unsupported(&self, what: &str, length: usize) -> Diagnostic {
        self.error_here(length, format!("{what} are not supported"))
    }

    /// The rest of the line, for a message.
    pub(super) fn rest_of_line(&self) -> &'a str {
        let rest = &self.text[self.at..];
        rest[..rest.find('\n').unwrap_or(rest.len())].trim_end()
    }

    /// The error for text that belongs to nothing.
    pub(super) fn misplaced(&self) -> Diagnostic {
        let rest = self.rest_of_line();
        self.error_here(
            rest.len(),
            format!("`{}` does not belong here", quote(rest)),
        )
        .with_help("check the indentation, and that each line is `key: value`")
    }
}
