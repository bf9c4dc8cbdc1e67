//! Block collections: lines of `key: value` and of `- item`, told apart by indentation.

use super::MAX_KEY;
use super::document::{Node, Scalar, Value};
use super::reader::Reader;
use crate::system::diagnostic::{Diagnostic, quote};
use rustc_hash::FxHashMap;

impl Reader<'_> {
    /// Reads the node that begins here, in a collection of a smaller indentation.
    pub(super) fn block_node(&mut self, parent: i64) -> Result<Node, Diagnostic> {
        let column = self.column();
        if self.at_item() {
            self.block_sequence(column)
        } else if self.peek() == Some(b'?') && self.is_blank(self.at + 1) {
            Err(self.unsupported("keys written with `? `", 1))
        } else if self.at_key() {
            self.block_mapping(column)
        } else {
            self.value(parent)
        }
    }

    /// Does an item of a list begin here?
    fn at_item(&self) -> bool {
        self.peek() == Some(b'-') && self.is_blank(self.at + 1)
    }

    /// Does `key:` stand here?
    fn at_key(&self) -> bool {
        let bytes = self.text.as_bytes();
        let mut at = self.at;
        let is_colon = |at: usize| bytes.get(at) == Some(&b':') && self.is_blank(at + 1);
        match self.peek() {
            None | Some(b'[' | b'{' | b'&' | b'*' | b'!' | b'|' | b'>' | b'%' | b'@' | b'`') => {
                false
            }
            Some(quote @ (b'"' | b'\'')) => {
                at += 1;
                while !self.is_line_end(at) && bytes[at] != quote {
                    let escape = quote == b'"' && bytes[at] == b'\\' && !self.is_line_end(at + 1);
                    at += if escape { 2 } else { 1 };
                }
                if self.is_line_end(at) {
                    return false;
                }
                at += 1;
                while matches!(bytes.get(at), Some(b' ' | b'\t')) {
                    at += 1;
                }
                is_colon(at)
            }
            Some(_) => {
                while !self.is_line_end(at) {
                    if is_colon(at) {
                        return true;
                    }
                    if bytes[at] == b'#' && at > self.at && self.is_blank(at - 1) {
                        return false;
                    }
                    at += 1;
                }
                false
            }
        }
    }

    /// Reads `key:`.
    fn key(&mut self) -> Result<Scalar, Diagnostic> {
        if matches!(self.peek(), Some(b'"' | b'\'')) {
            let key = self.quoted()?;
            self.skip_spaces();
            if self.peek() != Some(b':') {
                return Err(self.misplaced());
            }
            self.at += 1;
            return Ok(key);
        }
        let start = self.at;
        while !self.is_line_end(self.at) {
            if self.peek() == Some(b':') && self.is_blank(self.at + 1) {
                break;
            }
            self.at += 1;
        }
        let end = start + self.text[start..self.at].trim_end().len();
        let mut key = Scalar::at(start..end);
        key.push_verbatim(self.text, start..end);
        self.at += 1;
        Ok(key)
    }

    fn block_mapping(&mut self, column: i64) -> Result<Node, Diagnostic> {
        self.enter()?;
        let start = self.at;
        let mut entries = Entries::default();
        loop {
            let key = self.key()?;
            entries.check(self, &key)?;
            let value = self.entry(column)?;
            entries.list.push((key, value));
            self.skip_blanks()?;
            if self.ended() || self.column() < column {
                break;
            }
            if self.column() > column {
                return Err(self.misplaced());
            }
            if !self.at_key() {
                let rest = self.rest_of_line();
                let message = format!("`key: value` is expected here, not `{}`", quote(rest));
                let error = self.error_here(rest.len(), message);
                return Err(if rest.contains(':') {
                    error.with_help("a space must follow the colon after a key")
                } else {
                    error
                });
            }
        }
        self.leave();
        Ok(entries.node(start, self.text))
    }

    /// The value of a key.
    fn entry(&mut self, column: i64) -> Result<Node, Diagnostic> {
        let colon = self.at;
        self.skip_spaces();
        if !self.is_line_end(self.at) && !self.at_comment() {
            return self.value(column);
        }
        self.skip_blanks()?;
        if !self.ended() && self.column() > column {
            return self.block_node(column);
        }
        if !self.ended() && self.column() == column && self.at_item() {
            return self.block_sequence(column);
        }
        Ok(Node::nothing(colon))
    }

    fn block_sequence(&mut self, column: i64) -> Result<Node, Diagnostic> {
        self.enter()?;
        let start = self.at;
        let mut items = Vec::new();
        let mut end = start;
        while self.at_item() {
            self.at += 1;
            end = self.at;
            let dash = self.at;
            self.skip_spaces();
            if self.is_line_end(self.at) || self.at_comment() {
                self.skip_blanks()?;
            }
            let item = if !self.ended() && self.column() > column {
                self.block_node(column)?
            } else {
                Node::nothing(dash)
            };
            end = end.max(item.span.end);
            items.push(item);
            self.skip_blanks()?;
            if self.ended() || self.column() < column {
                break;
            }
            if self.column() > column {
                return Err(self.misplaced());
            }
        }
        self.leave();
        Ok(Node {
            span: start..end,
            value: Value::Sequence(items),
        })
    }

    /// A value that begins in the middle of a line: a scalar or a flow collection. It ends its line.
    fn value(&mut self, parent: i64) -> Result<Node, Diagnostic> {
        if self.at_item() {
            return Err(self
                .error_here(1, "a list cannot begin on the line of its key")
                .with_help("begin it on the next line, or write `[a, b]`"));
        }
        let node = match self.peek() {
            Some(b'|' | b'>') => return self.block_scalar(parent).map(Node::scalar),
            Some(b'"' | b'\'') => Node::scalar(self.quoted()?),
            Some(b'[' | b'{') => self.flow_node()?,
            _ => Node::scalar(self.plain(Some(parent))?),
        };
        self.skip_spaces();
        if !self.is_line_end(self.at) && !self.at_comment() {
            let rest = self.rest_of_line();
            let message = format!("`{}` follows a complete value", quote(rest));
            return Err(self
                .error_here(rest.len(), message)
                .with_help("put the whole value in quotes, or remove what follows"));
        }
        Ok(node)
    }
}

/// The entries of a mapping, with their keys for finding duplicates.
#[derive(Default)]
pub(super) struct Entries {
    pub(super) list: Vec<(Scalar, Node)>,
    places: FxHashMap<String, usize>,
}

impl Entries {
    /// Refuses a key that has been there, or is too long.
    pub(super) fn check(&mut self, reader: &Reader, key: &Scalar) -> Result<(), Diagnostic> {
        if key.span.len() > MAX_KEY {
            let message = format!("this key is longer than {MAX_KEY} bytes");
            return Err(reader.source.error(key.span.clone(), message));
        }
        let Some(first) = self.places.insert(key.value.clone(), key.span.start) else {
            return Ok(());
        };
        let line = 1 + reader.text[..first].matches('\n').count();
        let message = format!("the key `{}` is there twice", quote(&key.value));
        Err(reader
            .source
            .error(key.span.clone(), message)
            .with_help(format!("the first is in line {line}; keep one of them")))
    }

    /// The mapping, which begins at a place.
    fn node(self, start: usize, text: &str) -> Node {
        let end = self.list.last().map_or(start, |(key, value)| {
            value.span.end.max(key.span.end).min(text.len())
        });
        Node {
            span: start..end,
            value: Value::Mapping(self.list),
        }
    }
}
