//! A YAML document with places: what stands where in the text.

use granit_parser::ScalarStyle;
use std::ops::Range;

/// A scalar with the way back from its value to the text.
#[derive(Clone, Debug, Default)]
pub struct Scalar {
    /// The value: quotes and escapes resolved, lines folded.
    pub value: String,
    /// Where it stands in the text, quotes included.
    pub span: Range<usize>,
    pieces: Vec<Fragment>,
}

/// Bytes of the value and the bytes of the text that they come from. A piece taken over as it stands has the same
/// length on both sides; any other stands for its source as a whole.
#[derive(Clone, Debug)]
struct Fragment {
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

    /// The scalar of a value that was read from a part of the text, which is found again character by character.
    pub fn read(text: &str, value: &str, content: Range<usize>, style: ScalarStyle) -> Self {
        let mut scalar = Self::at(content.clone());
        scalar.value.reserve(value.len());
        let mut left = value.chars().peekable();
        let mut at = content.start;
        while at < content.end
            && let Some(&wanted) = left.peek()
        {
            let rest = &text[at..content.end];
            let Some(found) = rest.chars().next() else {
                break;
            };
            let escape = match style {
                ScalarStyle::DoubleQuoted if found == '\\' => escape_length(rest),
                ScalarStyle::SingleQuoted if rest.starts_with("''") => 2,
                _ => 0,
            };
            let source = at..at + escape.max(found.len_utf8());
            at = source.end;
            // blanks round a line end that is folded, or an escaped line end, stand for nothing
            let means = if escape > 0 {
                !(rest.starts_with("\\\n") || rest.starts_with("\\\r"))
            } else {
                found == wanted || (found.is_whitespace() && wanted == ' ')
            };
            if means {
                scalar.push(wanted, source);
                left.next();
            }
        }
        // the parser ends a block of text by a line end even where the file does not
        let ended = left.peek() == Some(&'\n') && content.end == text.len();
        scalar.value.extend(left.skip(usize::from(ended)));
        scalar
    }

    /// Adds what a part of the text stands for.
    fn push(&mut self, means: char, source: Range<usize>) {
        let start = self.value.len();
        self.value.push(means);
        let value = start..self.value.len();
        let piece = Fragment { value, source };
        match self.pieces.last_mut() {
            Some(last)
                if last.is_verbatim()
                    && piece.is_verbatim()
                    && last.source.end == piece.source.start =>
            {
                last.value.end = piece.value.end;
                last.source.end = piece.source.end;
            }
            _ => self.pieces.push(piece),
        }
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

/// How many bytes an escape of a double-quoted text is long; a pair of surrogates is one.
fn escape_length(rest: &str) -> usize {
    let mut chars = rest.chars().skip(1);
    let length = match chars.next() {
        Some('x') => 4,
        Some('u')
            if chars.next().is_some_and(|c| c.eq_ignore_ascii_case(&'d'))
                && chars.next().is_some_and(|c| "89abAB".contains(c)) =>
        {
            12
        }
        Some('u') => 6,
        Some('U') => 10,
        letter => 1 + letter.map_or(0, char::len_utf8),
    };
    length.min(rest.len())
}

impl Fragment {
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
        let text = "012345678\"a\\u00e9bc\"";
        let s = Scalar::read(text, "aébc", 10..19, ScalarStyle::DoubleQuoted);
        assert_eq!(s.value, "aébc");
        assert_eq!(s.place(&(0..1)), 10..11);
        assert_eq!(s.place(&(1..3)), 11..17);
        assert_eq!(s.place(&(3..5)), 17..19);
        assert_eq!(s.place(&(0..5)), 10..19);
        assert_eq!(s.place(&(5..5)), 19..19);
        assert_eq!(s.place(&(3..3)), 17..17);
    }
}
