//! The characters of expressions: names, numbers, and what stands for nothing.

use super::error::{ParseError, ParseErrorKind, error, error_with};
use std::fmt;

/// May a name begin with this character?
pub(super) fn begins_name(c: char) -> bool {
    c == '_' || is_letter(c)
}

/// May a name contain this character?
pub(super) fn continues_name(c: char) -> bool {
    begins_name(c) || c.is_ascii_digit()
}

fn is_letter(c: char) -> bool {
    // modifier letters that look like primes are none
    c.is_alphabetic() && !matches!(c, '\u{2b9}'..='\u{2bf}' | '\u{2c8}' | '\u{2ca}'..='\u{2cb}')
}

/// Is this a name of the grammar (without primes)?
pub fn is_name(text: &str) -> bool {
    text.chars().next().is_some_and(begins_name) && text.chars().all(continues_name)
}

/// The length of the name that a text begins with.
pub(super) fn name_length(text: &str) -> usize {
    text.find(|c| !continues_name(c)).unwrap_or(text.len())
}

/// The length of the number that a text begins with; 0 where it is only a dot.
pub(super) fn number_length(text: &str) -> usize {
    let digits = |from: usize| text[from..].bytes().take_while(u8::is_ascii_digit).count();
    let whole = digits(0);
    let mut length = whole;
    if text[length..].starts_with('.') {
        let fraction = digits(length + 1);
        if whole + fraction == 0 {
            return 0;
        }
        length += 1 + fraction;
    }
    if text[length..].starts_with(['e', 'E']) {
        let sign = usize::from(text[length + 1..].starts_with(['+', '-']));
        let exponent = digits(length + 1 + sign);
        if exponent > 0 {
            length += 1 + sign + exponent;
        }
    }
    length
}

/// The error for a character of no token, with the form that is meant where one is known.
pub(super) fn foreign(rest: &str, c: char, start: usize) -> ParseError {
    let span = start..start + c.len_utf8();
    let ascii = match c {
        '−' | '–' | '—' | '‐' | '‑' => "-",
        '·' | '×' | '⋅' | '∙' | '•' | '∗' => "*",
        '÷' | '∕' | '⁄' => "/",
        '⁰' => "^0",
        '¹' => "^1",
        '²' => "^2",
        '³' => "^3",
        '⁴' => "^4",
        '⁵' => "^5",
        '⁶' => "^6",
        '⁷' => "^7",
        '⁸' => "^8",
        '⁹' => "^9",
        '⁻' => "^-",
        '½' => "1/2",
        '¼' => "1/4",
        '¾' => "3/4",
        '√' => "sqrt(…)",
        '|' => "abs(…)",
        // U+0307 and U+0308 are dots above the letter before
        '′' | '’' | '‘' | '´' | '`' | 'ʹ' | 'ʼ' | '\u{307}' => "'",
        '″' | '”' | '“' | '"' | '\u{308}' => "''",
        '[' | '{' => "(",
        ']' | '}' => ")",
        '₀'..='₉' => "an ordinary digit, as in x1",
        '=' | '<' | '>' | '≤' | '≥' | '!' if c != '!' || rest.starts_with("!=") => {
            let end = rest
                .find(|c| !"=<>!≤≥".contains(c))
                .unwrap_or(rest.len())
                .min(8);
            let end = (0..=end)
                .rev()
                .find(|i| rest.is_char_boundary(*i))
                .unwrap_or(1);
            let kind = ParseErrorKind::Relation(rest[..end].to_owned());
            return error(start..start + end, kind);
        }
        '\'' => return error(span, ParseErrorKind::Prime),
        _ => return error(span, ParseErrorKind::Character(visible(c).to_string())),
    };
    let help = if ascii.starts_with("an ") {
        format!("write {ascii}")
    } else {
        format!("write `{ascii}`")
    };
    let kind = ParseErrorKind::Character(c.to_string());
    error_with(span, kind, help)
}

/// A character as it may be shown: what does not print becomes its escape.
fn visible(c: char) -> impl fmt::Display {
    if c.is_control() || c.is_whitespace() || ('\u{200b}'..='\u{206f}').contains(&c) {
        c.escape_unicode().to_string()
    } else {
        c.to_string()
    }
}
