//! Scalars in their five styles, each with the way back to the text.

use super::document::Scalar;
use super::reader::Reader;
use crate::system::diagnostic::{Diagnostic, quote};

impl Reader<'_> {
    /// Reads a plain scalar: in a block (whose indentation is given) up to a comment or a line of no larger
    /// indentation, in a flow collection (`None`) also up to one of `,[]{}` or `: `.
    pub(super) fn plain(&mut self, block: Option<i64>) -> Result<Scalar, Diagnostic> {
        self.refuse_indicator()?;
        let start = self.at;
        let mut scalar = Scalar::at(start..start);
        scalar.plain_in_flow = block.is_none();
        let mut end = start;
        loop {
            let from = self.at;
            self.plain_line(block.is_some())?;
            let line = self.text[from..self.at].trim_end_matches([' ', '\t']);
            let content = from..from + line.len();
            if content.is_empty() {
                break;
            }
            let gap = end..content.start;
            if !gap.is_empty() {
                scalar.push_for(&folded(&self.text[gap.clone()]), gap);
            }
            end = content.end;
            scalar.push_verbatim(self.text, content);
            if !self.is_line_end(self.at) || !self.continues(block) {
                break;
            }
        }
        if end == start {
            let found = self.text[start..].chars().next().unwrap_or(' ');
            return Err(self.source.error(
                start..start + found.len_utf8(),
                format!("a value is expected here, not `{found}`"),
            ));
        }
        self.at = end;
        scalar.span = start..end;
        Ok(scalar)
    }

    /// Passes the part of a line that belongs to a plain scalar.
    fn plain_line(&mut self, block: bool) -> Result<(), Diagnostic> {
        let bytes = self.text.as_bytes();
        while !self.is_line_end(self.at) {
            match bytes[self.at] {
                b'#' if self.at_comment() => break,
                b':' if self.is_blank(self.at + 1) => {
                    if block {
                        return Err(self
                            .error_here(1, "`: ` cannot stand inside a value")
                            .with_help("check the indentation, or put the value in quotes"));
                    }
                    break;
                }
                b':' if !block && b",[]{}".contains(&bytes[self.at + 1]) => break,
                b',' | b'[' | b']' | b'{' | b'}' if !block => break,
                _ => self.at += 1,
            }
        }
        Ok(())
    }

    /// Goes to the next line of a plain scalar, if there is one.
    fn continues(&mut self, block: Option<i64>) -> bool {
        while self.line_end() {
            while self.peek() == Some(b' ') {
                self.at += 1;
            }
            let column = self.column();
            self.skip_spaces();
            if self.is_line_end(self.at) && self.peek().is_some() {
                continue;
            }
            let inside = block.is_none_or(|parent| column > parent);
            let closes =
                block.is_none() && matches!(self.peek(), Some(b',' | b']' | b'}' | b'[' | b'{'));
            return inside && !closes && !self.ended() && !self.at_comment();
        }
        false
    }

    /// Characters with which no plain scalar begins.
    fn refuse_indicator(&self) -> Result<(), Diagnostic> {
        let help = "put the value in quotes if the character belongs to it";
        let error = match self.peek() {
            Some(b'&') => self.unsupported("anchors (`&`)", 1),
            Some(b'*') => self.unsupported("aliases (`*`)", 1),
            Some(b'!') => self.unsupported("tags (`!`)", 1),
            Some(c @ (b'%' | b'@' | b'`' | b'|' | b'>' | b',' | b']' | b'}' | b'#')) => {
                let message = format!("a value cannot begin with `{}`", char::from(c));
                self.error_here(1, message)
            }
            Some(c @ (b'-' | b'?' | b':')) if self.is_blank(self.at + 1) => {
                let message = format!("a value cannot begin with `{} `", char::from(c));
                self.error_here(1, message)
            }
            _ => return Ok(()),
        };
        Err(error.with_help(help))
    }

    /// Reads a scalar in quotes.
    pub(super) fn quoted(&mut self) -> Result<Scalar, Diagnostic> {
        let start = self.at;
        let mark = self.text.as_bytes()[start];
        let mut scalar = Scalar::default();
        self.at += 1;
        let mut from = self.at;
        loop {
            let Some(byte) = self.peek() else {
                return Err(self
                    .source
                    .error(start..start + 1, "this quote is not closed")
                    .with_help(format!("add `{}`", char::from(mark))));
            };
            if byte == mark && mark == b'\'' && self.text[self.at..].starts_with("''") {
                scalar.push_verbatim(self.text, from..self.at);
                scalar.push_for("'", self.at..self.at + 2);
                self.at += 2;
                from = self.at;
            } else if byte == mark {
                scalar.push_verbatim(self.text, from..self.at);
                self.at += 1;
                scalar.span = start..self.at;
                return Ok(scalar);
            } else if byte == b'\\' && mark == b'"' {
                scalar.push_verbatim(self.text, from..self.at);
                self.escape(&mut scalar)?;
                from = self.at;
            } else if self.is_line_end(self.at) {
                let line = self.text[from..self.at].trim_end_matches([' ', '\t']);
                let end = from + line.len();
                scalar.push_verbatim(self.text, from..end);
                while self.line_end() {
                    self.skip_spaces();
                }
                scalar.push_for(&folded(&self.text[end..self.at]), end..self.at);
                from = self.at;
            } else {
                self.at += 1;
            }
        }
    }

    /// Reads an escape of a double-quoted scalar.
    fn escape(&mut self, scalar: &mut Scalar) -> Result<(), Diagnostic> {
        let start = self.at;
        self.at += 1;
        if self.is_line_end(self.at) {
            self.line_end();
            self.skip_spaces();
            while self.peek().is_some() && self.is_line_end(self.at) {
                let from = self.at;
                self.line_end();
                self.skip_spaces();
                scalar.push_for("\n", from..self.at);
            }
            return Ok(());
        }
        let letter = self.text[self.at..].chars().next().unwrap_or(' ');
        self.at += letter.len_utf8();
        let digits = match letter {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ => 0,
        };
        let value = if digits > 0 {
            let code = self.text.get(self.at..self.at + digits);
            self.at = (self.at + digits).min(self.text.len());
            code.filter(|code| code.bytes().all(|b| b.is_ascii_hexdigit()))
                .and_then(|code| u32::from_str_radix(code, 16).ok())
                .and_then(char::from_u32)
        } else {
            const ESCAPES: [(char, char); 18] = [
                ('0', '\0'),
                ('a', '\u{7}'),
                ('b', '\u{8}'),
                ('t', '\t'),
                ('\t', '\t'),
                ('n', '\n'),
                ('v', '\u{b}'),
                ('f', '\u{c}'),
                ('r', '\r'),
                ('e', '\u{1b}'),
                (' ', ' '),
                ('"', '"'),
                ('/', '/'),
                ('\\', '\\'),
                ('N', '\u{85}'),
                ('_', '\u{a0}'),
                ('L', '\u{2028}'),
                ('P', '\u{2029}'),
            ];
            let known = ESCAPES.iter().find(|(name, _)| *name == letter);
            known.map(|(_, value)| *value)
        };
        let Some(value) = value else {
            let span = start..self.at;
            let shown = self.text.get(span.clone()).unwrap_or("\\");
            let message = format!("`{}` is no escape of a quoted text", quote(shown));
            return Err(self
                .source
                .error(span, message)
                .with_help("write `\\\\` for a backslash, or use single quotes"));
        };
        scalar.push_for(value.encode_utf8(&mut [0; 4]), start..self.at);
        Ok(())
    }

    /// Reads a block scalar, `|` or `>`, of a mapping or list of the given indentation.
    pub(super) fn block_scalar(&mut self, parent: i64) -> Result<Scalar, Diagnostic> {
        let start = self.at;
        let literal = self.peek() == Some(b'|');
        self.at += 1;
        let (mut keep, mut strip, mut given) = (false, false, None);
        while let Some(byte @ (b'+' | b'-' | b'1'..=b'9')) = self.peek() {
            match byte {
                b'+' => keep = true,
                b'-' => strip = true,
                digit => given = Some(i64::from(digit - b'0')),
            }
            self.at += 1;
        }
        self.skip_spaces();
        if self.at_comment() {
            while !self.is_line_end(self.at) {
                self.at += 1;
            }
        }
        if !self.is_line_end(self.at) {
            let rest = self.rest_of_line();
            return Err(self.error_here(
                rest.len(),
                format!(
                    "the text must begin below `{}`",
                    if literal { '|' } else { '>' }
                ),
            ));
        }
        self.line_end();
        let indent = match given {
            Some(indent) => parent.max(0) + indent,
            None => self.block_indent().max(parent + 1),
        };
        let indent = usize::try_from(indent).unwrap_or(0);
        let mut scalar = Scalar::at(start..self.at);
        // the line end after the line before, and the empty lines since
        let mut line_end = start..start;
        let mut empty: Vec<std::ops::Range<usize>> = Vec::new();
        let mut after_spaced = false;
        let mut end = self.at;
        while let Some(line) = self.block_line(indent) {
            let (from, to, next) = line;
            if from == to {
                empty.push(from..next);
                self.at = next;
                continue;
            }
            let spaced = matches!(self.text.as_bytes()[from], b' ' | b'\t');
            if !line_end.is_empty() {
                if literal || spaced || after_spaced {
                    scalar.push_for("\n", line_end.clone());
                } else if empty.is_empty() {
                    scalar.push_for(" ", line_end.clone());
                }
            }
            for line in empty.drain(..) {
                scalar.push_for("\n", line);
            }
            scalar.push_verbatim(self.text, from..to);
            after_spaced = spaced;
            line_end = to..next;
            end = to;
            self.at = next;
        }
        if !strip && !line_end.is_empty() {
            scalar.push_for("\n", line_end);
        }
        if keep {
            for line in empty {
                scalar.push_for("\n", line);
            }
        }
        scalar.span.end = end.max(scalar.span.start + 1);
        Ok(scalar)
    }

    /// The indentation of the first line that is not empty.
    fn block_indent(&self) -> i64 {
        let mut widest = 0;
        for line in self.text[self.at..].lines() {
            let spaces = line.len() - line.trim_start_matches(' ').len();
            widest = widest.max(spaces);
            if spaces < line.len() {
                return i64::try_from(spaces).unwrap_or(0);
            }
        }
        i64::try_from(widest).unwrap_or(0)
    }

    /// The next line of a block scalar: where its content begins and ends, and where the next line begins.
    /// `None` where the scalar has ended.
    fn block_line(&self, indent: usize) -> Option<(usize, usize, usize)> {
        let rest = &self.text[self.at..];
        if rest.is_empty() || self.ended() {
            return None;
        }
        let (line, next) = match rest.find('\n') {
            Some(i) => (&rest[..i], self.at + i + 1),
            None => (rest, self.at + rest.len()),
        };
        let line = line
            .strip_suffix('\r')
            .filter(|_| rest.len() > line.len())
            .unwrap_or(line);
        let spaces = line.len() - line.trim_start_matches(' ').len();
        let end = self.at + line.len();
        if spaces >= indent {
            return Some((self.at + indent, end, next));
        }
        (spaces == line.len()).then_some((end, end, next))
    }
}

/// What the blanks and line ends between two lines become: a space, or the empty lines.
fn folded(gap: &str) -> String {
    match gap.matches('\n').count() {
        0 | 1 => " ".to_owned(),
        lines => "\n".repeat(lines - 1),
    }
}
