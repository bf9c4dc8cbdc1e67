//! A YAML document with places: what stands where in the text.

use std::ops::Range;

/// A scalar with the way back from its value to the text.
#[derive(Clone, Debug, Default)]
pub struct Scalar {
    /// The value: quotes and escapes resolved, lines folded.
    pub value: String,
    /// Where it stands in the text, quotes included.
    pub span: Range<usize>,
    /// Is it plain text inside `[ ]` or `{ }`, where a comma ends it?
    pub plain_in_flow: bool,
    pieces: Vec<Piece>,
}

/// Bytes of the value and the bytes of the text that they come from. A piece taken over as it stands has the same
/// length on both sides; any other stands for its source as a whole.
#[derive(Clone, Debug)]
struct Piece {
    value: Range<usize>,
    source: Range<usize>,
}

impl Scalar {
    /// A scalar without value at a place.
    pub fn at(span: Range<usize>) -> Self {
        Self {
            span,
            ..Self::default()
        }
    }

    /// Takes over a part of the text as it stands.
    pub fn push_verbatim(&mut self, text: &str, source: Range<usize>) {
        if source.is_empty() {
            return;
        }
        let start = self.value.len();
        self.value.push_str(&text[source.clone()]);
        let value = start..self.value.len();
        match self.pieces.last_mut() {
            Some(last) if last.is_verbatim() && last.source.end == source.start => {
                last.value.end = value.end;
                last.source.end = source.end;
            }
            _ => self.pieces.push(Piece { value, source }),
        }
    }

    /// Adds what a part of the text (an escape, a line break) stands for.
    pub fn push_for(&mut self, value: &str, source: Range<usize>) {
        if value.is_empty() {
            return;
        }
        let start = self.value.len();
        self.value.push_str(value);
        self.pieces.push(Piece {
            value: start..self.value.len(),
            source,
        });
    }

    /// The place in the text of a part of the value.
    pub fn place(&self, part: &Range<usize>) -> Range<usize> {
        let holding = |i: usize| {
            let next = self.pieces.partition_point(|p| p.value.start <= i);
            next.checked_sub(1).map(|p| &self.pieces[p])
        };
        let start = match holding(part.start) {
            Some(p) if part.start >= p.value.end => p.source.end,
            Some(p) if p.is_verbatim() => p.source.start + (part.start - p.value.start),
            Some(p) => p.source.start,
            None => self.span.start,
        };
        let end = match part.end.checked_sub(1).and_then(holding) {
            Some(_) if part.is_empty() => start,
            Some(p) if p.is_verbatim() => {
                p.source.start + (part.end - p.value.start).min(p.value.len())
            }
            Some(p) => p.source.end,
            None => start,
        };
        start..end.max(start)
    }
}

impl Piece {
    fn is_verbatim(&self) -> bool {
        self.value.len() == self.source.len()
    }
}

/// A value of the document.
#[derive(Clone, Debug)]
pub struct Node {
    /// Where it stands in the text.
    pub span: Range<usize>,
    /// What it is.
    pub value: Value,
}

/// The kinds of values.
#[derive(Clone, Debug)]
pub enum Value {
    /// A text or number; nothing at all is an empty text.
    Scalar(Scalar),
    /// `[a, b]`, or lines with dashes.
    Sequence(Vec<Node>),
    /// `{a: 1}`, or lines `a: 1`. The keys are distinct.
    Mapping(Vec<(Scalar, Node)>),
}

impl Node {
    /// The node of a scalar.
    pub fn scalar(scalar: Scalar) -> Self {
        Self {
            span: scalar.span.clone(),
            value: Value::Scalar(scalar),
        }
    }

    /// The node of nothing at all, at a place.
    pub fn nothing(place: usize) -> Self {
        Self::scalar(Scalar::at(place..place))
    }

    /// Does nothing stand here (`key:` and no more)?
    pub fn is_nothing(&self) -> bool {
        matches!(&self.value, Value::Scalar(s) if s.span.is_empty())
    }

    /// What it is, in words.
    pub fn kind(&self) -> &'static str {
        match &self.value {
            Value::Scalar(_) if self.is_nothing() => "nothing",
            Value::Scalar(s) if s.value.trim().parse::<f64>().is_ok() => "a number",
            Value::Scalar(_) => "a text",
            Value::Sequence(_) => "a list",
            Value::Mapping(_) => "a table of names",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_lead_back_to_the_text() {
        // "a\u00e9b" as it stands from byte 10 on
        let text = "0123456789a\\u00e9bc";
        let mut s = Scalar {
            span: 10..19,
            ..Scalar::default()
        };
        s.push_verbatim(text, 10..11);
        s.push_for("é", 11..17);
        s.push_verbatim(text, 17..18);
        s.push_verbatim(text, 18..19);
        assert_eq!(s.value, "aébc");
        assert_eq!(s.place(&(0..1)), 10..11);
        assert_eq!(s.place(&(1..3)), 11..17);
        assert_eq!(s.place(&(3..5)), 17..19);
        assert_eq!(s.place(&(0..5)), 10..19);
        assert_eq!(s.place(&(5..5)), 19..19);
        assert_eq!(s.place(&(3..3)), 17..17);
    }
}
