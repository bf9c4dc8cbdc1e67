//! The events of the YAML parser become a tree with places.

use super::document::{Node, Scalar, Value};
use super::fault::{self, KEY_IN_LIST, QUOTES};
use super::{MAX_KEY, MAX_NESTING, Source};
use crate::system::diagnostic::{Diagnostic, quote};
use granit_parser::{Event, Parser, ScalarStyle, Span, StrInput, StructureStyle, options};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Reads a document from front to back.
pub struct Reader<'a> {
    source: Source<'a>,
    /// Where the text begins, after a byte order mark.
    start: usize,
    events: Parser<'a, StrInput<'a>>,
    /// Where what has been read ends.
    at: usize,
    /// How many collections are open.
    depth: usize,
    /// How many of them are `[ ]` or `{ }`.
    flow: usize,
}

impl<'a> Reader<'a> {
    /// A reader of a text from a place on.
    pub fn new(source: Source<'a>, start: usize) -> Self {
        Self {
            source,
            start,
            events: events(&source.text[start..]),
            at: start,
            depth: 0,
            flow: 0,
        }
    }

    /// Reads the one document of the text; `None` where it is empty.
    pub fn document(&mut self) -> Result<Option<Node>, Diagnostic> {
        loop {
            match self.next()? {
                (Event::StreamStart, _) => {}
                (Event::DocumentStart(..), _) => break,
                _ => return Ok(None),
            }
        }
        let node = self.node()?;
        loop {
            match self.next()? {
                (Event::DocumentEnd, _) => {}
                (Event::StreamEnd, _) => return Ok(Some(node).filter(|node| !node.is_nothing())),
                (Event::DocumentStart(true, _), place) => {
                    let help = "a file describes one system: remove the `---`, or make two files";
                    let error = self.source.error(place, "a second document begins here");
                    return Err(error.with_help(help));
                }
                (_, place) => return Err(fault::misplaced(self.source, place.start)),
            }
        }
    }

    /// The next event and its place in the text.
    fn next(&mut self) -> Result<(Event<'a>, Range<usize>), Diagnostic> {
        let (event, span) = match self.events.next() {
            None => return Ok((Event::StreamEnd, self.at..self.at)),
            Some(Err(error)) => return Err(fault::told(self.source, self.start, &error)),
            Some(Ok(next)) => next,
        };
        let within = |span: Span| {
            let place = span.byte_range().unwrap_or(0..0);
            self.start + place.start..self.start + place.end
        };
        let (what, at) = match (&event, span.tag_start) {
            (_, Some(tag)) => ("tags (`!`)", Span::empty(tag)),
            (Event::Anchor(..), _) => ("anchors (`&`)", span),
            (Event::Alias(_) | Event::UnresolvedAlias(_), _) => ("aliases (`*`)", span),
            _ => return Ok((event, within(span))),
        };
        let error = self.refused(within(at).start, fault::unsupported(what));
        Err(error.with_help(QUOTES))
    }

    /// What is YAML and yet refused begins at a place.
    fn refused(&self, at: usize, message: impl AsRef<str>) -> Diagnostic {
        self.source.error(at..at + 1, message)
    }

    /// The next node.
    fn node(&mut self) -> Result<Node, Diagnostic> {
        let (event, place) = self.next()?;
        self.node_of(event, place)
    }

    /// The node that begins with an event.
    fn node_of(&mut self, event: Event<'a>, place: Range<usize>) -> Result<Node, Diagnostic> {
        let node = match event {
            Event::Scalar(value, style, ..) => Node::scalar(self.scalar(&value, style, place)?),
            Event::SequenceStart(style, ..) | Event::MappingStart(style, ..) => {
                let flow = usize::from(style == StructureStyle::Flow);
                self.depth += 1;
                self.flow += flow;
                if self.depth > MAX_NESTING {
                    return Err(self.refused(place.start, fault::too_deep()));
                }
                self.at = place.end;
                let value = if matches!(event, Event::SequenceStart(..)) {
                    Value::Sequence(self.items()?)
                } else {
                    Value::Mapping(self.entries()?)
                };
                self.depth -= 1;
                self.flow -= flow;
                let span = place.start..self.at;
                Node { span, value }
            }
            _ => return Err(fault::misplaced(self.source, place.start)),
        };
        self.at = self.at.max(node.span.end);
        Ok(node)
    }

    /// The items of a list, and its end.
    fn items(&mut self) -> Result<Vec<Node>, Diagnostic> {
        let mut items = Vec::new();
        let open = self.at.saturating_sub(1);
        loop {
            let (event, place) = self.next()?;
            match event {
                Event::SequenceEnd => {
                    self.close(&place);
                    return Ok(items);
                }
                // `[a: 1]` is a list of tables of one key, without braces
                Event::MappingStart(StructureStyle::Flow, ..) if place.is_empty() => {
                    let key = self.node()?;
                    let colon = skip_blanks(self.source.text, key.span.end);
                    if self.source.text[open..colon].contains('\n') {
                        return Err(fault::unclosed(self.source, open));
                    }
                    let (message, help) = KEY_IN_LIST;
                    return Err(self.refused(colon, message).with_help(help));
                }
                event => {
                    let dash = skip_blanks(self.source.text, self.at);
                    let item = self.node_of(event, place)?;
                    let nothing = Node::nothing(dash + 1);
                    items.push(if item.is_nothing() { nothing } else { item });
                }
            }
        }
    }

    /// The entries of a table, and its end.
    fn entries(&mut self) -> Result<Vec<(Scalar, Node)>, Diagnostic> {
        let mut entries = Vec::new();
        let mut places = FxHashMap::default();
        loop {
            let (event, place) = self.next()?;
            if event == Event::MappingEnd {
                self.close(&place);
                return Ok(entries);
            }
            let key = self.key(event, place)?;
            if let Some(first) = places.insert(key.value.clone(), key.span.start) {
                let line = 1 + self.source.text[..first].matches('\n').count();
                let message = format!("the key `{}` appears twice", quote(&key.value));
                let help = format!("the first is in line {line}; keep one of them");
                return Err(self.source.error(key.span, message).with_help(help));
            }
            let colon = skip_blanks(self.source.text, key.span.end);
            if self.source.text.as_bytes().get(colon) != Some(&b':') {
                let name = quote(&key.value);
                let message = format!("`: ` and a value must follow the key `{name}`");
                let is_number = !name.is_empty() && name.bytes().all(|b| b.is_ascii_digit());
                let help = if name.contains(':') {
                    Some("a space must follow the colon".to_owned())
                } else if let Some((key, value)) = name.split_once('=') {
                    Some(format!("write `{}: {}`", key.trim(), value.trim()))
                } else {
                    is_number.then(|| "a number has a decimal point, not a comma".to_owned())
                };
                return Err(self.source.error(key.span, message).with_help_if(help));
            }
            self.at = colon + 1;
            let mut value = self.node()?;
            if value.is_nothing() {
                value = Node::nothing(colon + 1);
            }
            entries.push((key, value));
        }
    }

    /// A collection has ended, in brackets at a place.
    fn close(&mut self, bracket: &Range<usize>) {
        if !bracket.is_empty() {
            self.at = bracket.end;
        }
    }

    fn key(&mut self, event: Event<'a>, place: Range<usize>) -> Result<Scalar, Diagnostic> {
        let text = self.source.text;
        let mut mark = skip_blanks(text, self.at);
        if text[mark..].starts_with(',') {
            mark = skip_blanks(text, mark + 1);
        }
        if mark < place.start && text[mark..].starts_with('?') {
            return Err(self.refused(mark, fault::unsupported("keys written with `? `")));
        }
        let Event::Scalar(value, style, ..) = event else {
            let message = "a key must be a name, not a list or table";
            return Err(self.refused(place.start, message));
        };
        if place.is_empty() {
            let error = self.refused(place.start, "a value cannot begin with `: `");
            return Err(error.with_help(QUOTES));
        }
        let key = self.scalar(&value, style, place)?;
        if key.span.len() > MAX_KEY {
            return Err(self.source.error(key.span, fault::too_long()));
        }
        if text[key.span.clone()].contains('\n') {
            // in braces it is YAML, but not to every reader
            let error = self.refused(key.span.start, "a key must stand on one line");
            return Err(error.with_help("close what is open above, or put a comma after it"));
        }
        Ok(key)
    }

    fn scalar(
        &self,
        value: &str,
        style: ScalarStyle,
        place: Range<usize>,
    ) -> Result<Scalar, Diagnostic> {
        let text = self.source.text;
        let (content, span) = match style {
            // nothing at all, which the parser calls `~`
            ScalarStyle::Plain if place.is_empty() => return Ok(Scalar::at(place)),
            ScalarStyle::Plain => (place.clone(), place),
            ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => {
                (place.start + 1..place.end - 1, place)
            }
            // below its `|` or `>`; to the parser it begins after its empty lines, and ends after them
            ScalarStyle::Literal | ScalarStyle::Folded => {
                let end = place.end.max(self.at);
                let mark = self.at + text[self.at..end].find(['|', '>']).unwrap_or(0);
                let header = text[mark..].find('\n').map_or(end, |i| mark + i + 1);
                let shown = text[mark..end].trim_end().len().max(1);
                (header..end.max(header), mark..mark + shown)
            }
        };
        let mut scalar = Scalar::read(text, value, content, style);
        scalar.span = span;
        match self.cut(&scalar.span, style) {
            Some(open) => {
                let message = "this parenthesis is not closed";
                let error = self.source.error(open..open + 1, message);
                Err(error.with_help(fault::COMMA))
            }
            None => Ok(scalar),
        }
    }

    /// The parenthesis that is still open where a comma of the collection ends a plain text.
    fn cut(&self, span: &Range<usize>, style: ScalarStyle) -> Option<usize> {
        let text = self.source.text;
        let ends = text[skip_blanks(text, span.end)..].starts_with(',');
        if style != ScalarStyle::Plain || self.flow == 0 || !ends {
            return None;
        }
        let mut open = Vec::new();
        for (i, c) in text[span.clone()].char_indices() {
            match c {
                '(' => open.push(span.start + i),
                ')' => _ = open.pop(),
                _ => {}
            }
        }
        open.pop()
    }
}

/// The events of a text.
pub fn events(text: &str) -> Parser<'_, StrInput<'_>> {
    let options = options! {
        disallow_directives: true,
        emit_anchor_events: true,
        emit_unresolved_aliases: true,
        flow_nesting_limit: MAX_NESTING,
        block_nesting_limit: MAX_NESTING,
    };
    Parser::new_from_str_with_options(text, options)
}

/// The first place from one on where neither a blank nor a comment stands.
fn skip_blanks(text: &str, mut at: usize) -> usize {
    loop {
        let rest = text[at..].trim_start();
        at = text.len() - rest.len();
        if !rest.starts_with('#') {
            return at;
        }
        at += rest.find('\n').unwrap_or(rest.len());
    }
}
