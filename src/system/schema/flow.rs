//! Flow collections: `[a, b]` and `{a: 1, b: 2}`.

use super::block::Entries;
use super::document::{Node, Value};
use super::reader::Reader;
use crate::system::diagnostic::{Diagnostic, quote};

impl Reader<'_> {
    /// Reads a value inside (or the whole of) a flow collection.
    pub(super) fn flow_node(&mut self) -> Result<Node, Diagnostic> {
        match self.peek() {
            Some(b'[') => self.flow_sequence(),
            Some(b'{') => self.flow_mapping(),
            Some(b'"' | b'\'') => self.quoted().map(Node::scalar),
            _ => self.plain(None).map(Node::scalar),
        }
    }

    fn flow_sequence(&mut self) -> Result<Node, Diagnostic> {
        self.enter()?;
        let start = self.at;
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.skip_blanks_in_flow();
            match self.peek() {
                None => return Err(self.unclosed(start, ']')),
                Some(b']') => break,
                Some(_) => items.push(self.flow_node()?),
            }
            self.skip_blanks_in_flow();
            match self.peek() {
                None => return Err(self.unclosed(start, ']')),
                Some(b',') => self.at += 1,
                Some(b']') => break,
                Some(b':') if !self.is_one_line(start) => return Err(self.unclosed(start, ']')),
                Some(b':') => {
                    return Err(self
                        .error_here(1, "a list `[…]` holds values, not `key: value`")
                        .with_help("write `{key: value}` for a table"));
                }
                Some(_) => return Err(self.separator(start, ']')),
            }
        }
        self.at += 1;
        self.leave();
        Ok(Node {
            span: start..self.at,
            value: Value::Sequence(items),
        })
    }

    fn flow_mapping(&mut self) -> Result<Node, Diagnostic> {
        self.enter()?;
        let start = self.at;
        self.at += 1;
        let mut entries = Entries::default();
        loop {
            self.skip_blanks_in_flow();
            let key = match self.peek() {
                None => return Err(self.unclosed(start, '}')),
                Some(b'}') => break,
                Some(b'"' | b'\'') => self.quoted()?,
                Some(b'[' | b'{') => {
                    return Err(self.error_here(1, "a key must be a name, not a list or table"));
                }
                Some(_) => self.plain(None)?,
            };
            entries.check(self, &key)?;
            self.skip_blanks_in_flow();
            match self.peek() {
                None => return Err(self.unclosed(start, '}')),
                Some(b':') => self.at += 1,
                Some(_) => {
                    let message = format!(
                        "`: ` and a value must follow the key `{}`",
                        quote(&key.value)
                    );
                    let error = self.source.error(key.span, message);
                    return Err(if key.value.contains(':') {
                        error.with_help("a space must follow the colon")
                    } else {
                        error
                    });
                }
            }
            let colon = self.at;
            self.skip_blanks_in_flow();
            let value = match self.peek() {
                None => return Err(self.unclosed(start, '}')),
                Some(b',' | b'}') => Node::nothing(colon),
                Some(_) => self.flow_node()?,
            };
            entries.list.push((key, value));
            self.skip_blanks_in_flow();
            match self.peek() {
                None => return Err(self.unclosed(start, '}')),
                Some(b',') => self.at += 1,
                Some(b'}') => break,
                Some(_) => return Err(self.separator(start, '}')),
            }
        }
        self.at += 1;
        self.leave();
        Ok(Node {
            span: start..self.at,
            value: Value::Mapping(entries.list),
        })
    }

    fn unclosed(&self, open: usize, close: char) -> Diagnostic {
        let bracket = &self.text[open..=open];
        self.source
            .error(open..open + 1, format!("this `{bracket}` is not closed"))
            .with_help(format!("add `{close}`"))
    }

    /// Is everything from a place on in one line?
    fn is_one_line(&self, start: usize) -> bool {
        !self.text[start..self.at].contains('\n')
    }

    fn separator(&self, open: usize, close: char) -> Diagnostic {
        if self.peek() == Some(b':') && !self.is_one_line(open) {
            // the keys of the lines below were read as part of this one
            return self.unclosed(open, close);
        }
        let found = self.text[self.at..].chars().next().unwrap_or(' ');
        self.error_here(
            found.len_utf8(),
            format!("`,` or `{close}` is expected here, not `{found}`"),
        )
    }
}
