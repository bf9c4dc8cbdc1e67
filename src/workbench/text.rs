//! Text as the screen may show it: without control characters, cut to columns, and in plain ASCII
//! where the terminal has no more.

use crate::expr::greek_name;
use crate::plot;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Columns of a text.
pub fn columns(text: &str) -> usize {
    text.width()
}

/// The text with blanks before it, to this width.
pub fn right(text: &str, width: usize) -> String {
    let blanks = width.saturating_sub(columns(text));
    format!("{}{text}", " ".repeat(blanks))
}

/// The text with blanks behind it, to this width.
pub fn left(text: &str, width: usize) -> String {
    let blanks = width.saturating_sub(columns(text));
    format!("{text}{}", " ".repeat(blanks))
}

/// The text with everything that could steer a terminal, or hide, made visible as `?`.
pub fn clean(text: &str) -> String {
    text.chars().map(visible).collect()
}

/// The character, or `?` for one that a terminal would obey or not show.
pub fn visible(symbol: char) -> char {
    match symbol {
        '\t' => ' ',
        _ if is_mark(symbol) => symbol,
        _ if symbol.is_control() || symbol.width().unwrap_or(0) == 0 => '?',
        _ => symbol,
    }
}

/// Is it an accent of its own, which stands in the cell of the character before? Of all that has no width these hide nothing
/// and turn nothing round.
fn is_mark(symbol: char) -> bool {
    let blocks = matches!(symbol, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}'
        | '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}');
    // U+034F joins, and is not seen
    blocks && symbol != '\u{34f}' && symbol.width() == Some(0)
}

/// The beginning of the text that fits into `limit` columns, ended by `…` where it was cut.
pub fn cut(text: &str, limit: usize) -> String {
    if columns(text) <= limit {
        return text.to_owned();
    }
    let mut short = String::new();
    let mut used = 0;
    for symbol in text.chars() {
        let wide = symbol.width().unwrap_or(0);
        if used + wide + 1 > limit {
            break;
        }
        used += wide;
        short.push(symbol);
    }
    if limit > 0 {
        short.push('…');
    }
    short
}

/// The same, cut between two words where there are two.
pub fn cut_at_word(text: &str, limit: usize) -> String {
    let short = cut(text, limit);
    if short == text {
        return short;
    }
    let kept = short.trim_end_matches('…');
    let whole = text[kept.len()..].starts_with(' ');
    let kept = match kept.rsplit_once(' ') {
        Some((before, _)) if !whole && !before.trim().is_empty() => before,
        _ => kept,
    };
    format!("{}…", kept.trim_end_matches([' ', ',', ';', ':']))
}

/// Cuts a name to so many columns so that it is told apart from others: where they begin alike, what they differ in stays.
pub fn cut_apart<'a>(name: &str, others: impl Iterator<Item = &'a str>, limit: usize) -> String {
    /// What is left of the beginning then.
    const HEAD: usize = 2;
    let alike = |other: &str| {
        let pairs = name.char_indices().zip(other.chars());
        let mut differing = pairs.skip_while(|((_, a), b)| a == b);
        differing.next().map(|((at, _), _)| at)
    };
    let from = others
        .filter(|other| *other != name)
        .filter_map(alike)
        .max();
    match from {
        Some(from) if columns(name) > limit && columns(&name[..from]) + 2 > limit => {
            let head: String = name.chars().take(HEAD).collect();
            let rest = limit.saturating_sub(columns(&head) + 1);
            format!("{head}…{}", cut(&name[from..], rest))
        }
        _ => cut(name, limit),
    }
}

/// Breaks the text into lines of at most `limit` columns, at blanks where there are any.
pub fn wrap(text: &str, limit: usize) -> Vec<String> {
    let limit = limit.max(1);
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split(' ') {
        if !line.is_empty() && columns(&line) + 1 + columns(word) <= limit {
            line.push(' ');
            line.push_str(word);
            continue;
        }
        if !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        for symbol in word.chars() {
            if columns(&line) + symbol.width().unwrap_or(0) > limit && !line.is_empty() {
                lines.push(std::mem::take(&mut line));
            }
            line.push(symbol);
        }
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

/// The text in plain ASCII: words and operators for the signs of mathematics, `?` for the rest.
pub fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let text = text.replace("←→", "left/right").replace("↑↓", "up/down");
    let mut before = ' ';
    for symbol in text.chars() {
        if let Some(digit) = digit(symbol, &SUBSCRIPTS) {
            plain.push(digit);
        } else if let Some(digit) = digit(symbol, &SUPERSCRIPTS) {
            // of x¹² the first digit alone begins an exponent
            if digit_or_minus(before).is_none() {
                plain.push('^');
            }
            plain.push(digit);
        } else if let Some(words) = words(symbol) {
            plain.push_str(words);
        } else if let Some(letter) = greek_name(symbol) {
            plain.push_str(&letter);
        } else {
            plain.push(plain_symbol(symbol));
        }
        before = symbol;
    }
    plain
}

const SUBSCRIPTS: [char; 10] = ['₀', '₁', '₂', '₃', '₄', '₅', '₆', '₇', '₈', '₉'];
const SUPERSCRIPTS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];

fn digit(symbol: char, digits: &[char; 10]) -> Option<char> {
    let place = digits.iter().position(|d| *d == symbol)?;
    char::from_digit(place as u32, 10)
}

/// A part of a raised number.
fn digit_or_minus(symbol: char) -> Option<char> {
    (symbol == '⁻')
        .then_some('-')
        .or_else(|| digit(symbol, &SUPERSCRIPTS))
}

/// What takes more than one character in plain ASCII.
fn words(symbol: char) -> Option<&'static str> {
    Some(match symbol {
        '√' => "sqrt",
        'Δ' | '∂' => "d",
        '∇' => "grad ",
        '″' => "''",
        'ᵀ' => "^T",
        '⁻' => "^-",
        '½' => "1/2",
        '≥' => ">=",
        '≤' => "<=",
        '≠' => "!=",
        '∞' => "inf",
        '→' => "right",
        '←' => "left",
        '↑' => "up",
        '↓' => "down",
        '±' => "+-",
        '…' => "..",
        _ => return None,
    })
}

/// One ASCII character for any character: the last line of defence, cell by cell.
pub fn plain_symbol(symbol: char) -> char {
    match symbol {
        ' '..='~' => symbol,
        '·' | '⋅' | '×' => '*',
        '−' | '–' | '─' | '━' | '┄' | '░' => '-',
        '│' | '┃' => '|',
        '┌' | '┐' | '└' | '┘' | '├' | '┤' | '┬' | '┴' | '┼' | '┏' | '┓' | '┗' | '┛' | '✓' => {
            '+'
        }
        '′' | '’' | '‘' => '\'',
        '“' | '”' => '"',
        '▲' | '△' | '↑' => '^',
        '↓' => 'v',
        '→' | '▶' => '>',
        '←' => '<',
        '…' => '~',
        '●' | '•' => '@',
        '○' => 'o',
        '█' => '#',
        '✗' => '!',
        'Δ' | '∂' => 'd',
        'λ' => 'l',
        '\u{a0}' => ' ',
        _ => '?',
    }
}

/// A number as the panes show it: four places after the point where that says something, so that
/// columns of them line up.
pub fn number(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        "0".to_owned()
    } else if !value.is_finite() {
        if value.is_nan() {
            "-".to_owned()
        } else {
            format!("{}∞", if value < 0.0 { "-" } else { "" })
        }
    } else if (1e-3..1e5).contains(&size) {
        format!("{value:.4}")
    } else {
        format!("{value:.2e}")
    }
}

/// A number in few characters, for a sentence.
pub fn short(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        "0".to_owned()
    } else if !value.is_finite() || (1e-2..1e4).contains(&size) {
        format!("{value:.3}")
    } else {
        format!("{value:.1e}")
    }
}

/// A number without zeros at its end: `10`, `2.5`.
pub fn trimmed(value: f64) -> String {
    let size = value.abs();
    if value != 0.0 && !(1e-3..1e6).contains(&size) {
        return format!("{value:.3e}");
    }
    plot::trimmed(&format!("{value:.3}")).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_begin_alike_are_told_apart() {
        let names = [
            "displacement_of_first_mass",
            "displacement_of_second_mass",
            "height",
        ];
        let cut = |name: &str, limit| cut_apart(name, names.into_iter(), limit);
        assert_eq!(cut(names[0], 9), "di…first…");
        assert_eq!(cut(names[1], 9), "di…secon…");
        assert_eq!(cut(names[2], 9), "height");
        // what differs is in sight
        assert_eq!(cut(names[0], 20), "displacement_of_fir…");
        for limit in 0..30 {
            assert!(columns(&cut(names[0], limit)) <= limit.max(3));
        }
    }

    #[test]
    fn control_characters_never_pass() {
        assert_eq!(clean("a\u{1b}[31mb\u{9b}c\u{200b}d\te"), "a?[31mb?c?d e");
        // accents do, what joins or turns text round does not
        assert_eq!(clean("e\u{301}\u{34f}\u{202e}"), "e\u{301}??");
    }

    #[test]
    fn text_is_cut_to_columns() {
        assert_eq!(cut("abcdef", 6), "abcdef");
        assert_eq!(cut("abcdefg", 6), "abcde…");
        assert_eq!(cut("角角角", 4), "角…");
        assert_eq!(cut("abc", 0), "");
    }

    #[test]
    fn text_is_wrapped_at_blanks() {
        assert_eq!(wrap("aa bb cc", 5), ["aa bb", "cc"]);
        assert_eq!(wrap("abcdefg", 3), ["abc", "def", "g"]);
        assert!(wrap("", 3).is_empty());
        assert_eq!(wrap("ab", 0), ["a", "b"]);
    }

    #[test]
    fn plain_ascii_says_the_same() {
        assert_eq!(
            plain("λ = √(x₂ − y)·m″ ≥ 角"),
            "lambda = sqrt(x2 - y)*m'' >= ?"
        );
        assert_eq!(plain("θ₁₂′² - x¹² 10⁻¹²"), "theta12'^2 - x^12 10^-12");
        assert!("✓✗▲│━█αЖ".chars().map(plain_symbol).all(|c| c.is_ascii()));
    }

    #[test]
    fn numbers_line_up() {
        assert_eq!(number(1.0), "1.0000");
        assert_eq!(number(-0.0), "0");
        assert_eq!(number(1e-9), "1.00e-9");
        assert_eq!(number(f64::NEG_INFINITY), "-∞");
        assert_eq!(trimmed(10.0), "10");
        assert_eq!(trimmed(2.5), "2.5");
        assert_eq!(short(4.1645), "4.165");
    }
}
