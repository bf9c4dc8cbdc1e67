//! What a line was meant to be that YAML takes for a part of a value: `T = x`, a key without its colon, a key too far in.

use super::fault::line_start;
use crate::expr::is_name;
use crate::system::diagnostic::quote;
use std::ops::Range;

/// Keys whose values are texts for the reader.
const TEXTS: [&str; 4] = ["name", "source", "about", "title"];
/// The longest advice that repeats what was written, in characters.
const LONG: usize = 60;

/// What is wrong with a line: where, and what to do.
pub struct Wrong {
    pub place: Range<usize>,
    pub message: String,
    pub help: Option<String>,
}

/// A line without its comment and the blanks round it.
struct Line<'a> {
    at: usize,
    text: &'a str,
}

impl<'a> Line<'a> {
    fn of(text: &'a str, from: usize) -> Self {
        let line = text[from..].split('\n').next().unwrap_or("");
        let comment = line.starts_with('#').then_some(0);
        let end = comment.or_else(|| line.find(" #")).unwrap_or(line.len());
        let own = line[..end].trim_end();
        let inside = own.trim_start();
        Self {
            at: from + own.len() - inside.len(),
            text: inside,
        }
    }

    fn place(&self) -> Range<usize> {
        self.at..self.at + self.text.len()
    }

    /// The key that it begins with, and what stands after its colon.
    fn entry(&self) -> Option<(&'a str, &'a str)> {
        let own = self.text.trim_start_matches("- ");
        let (key, value) = own.split_once(": ").or_else(|| {
            let key = own.strip_suffix(':')?;
            Some((key, ""))
        })?;
        Some((key.trim(), value.trim()))
    }
}

/// The lines above a place, from below, without blank ones.
fn above(text: &str, from: usize) -> impl Iterator<Item = Line<'_>> {
    let mut end = from;
    let lines = std::iter::from_fn(move || {
        let before = end.checked_sub(1)?;
        end = line_start(text, before);
        Some(Line::of(text, end))
    });
    lines.filter(|line| !line.text.is_empty())
}

/// What is wrong where a `: ` stands inside a value at a place.
pub fn colon_inside(text: &str, at: usize) -> Option<Wrong> {
    let line = Line::of(text, line_start(text, at));
    let (key, value) = line.entry()?;
    if line.at + line.text.find(':')? < at {
        return table_in_line(key, value, at);
    }
    unfinished(text, at).or_else(|| {
        let over = above(text, line_start(text, at)).find(|line| line.entry().is_some())?;
        let (above, _) = over.entry()?;
        let number = 1 + text[..over.at].matches('\n').count();
        (!TEXTS.contains(&above)).then(|| Wrong {
            place: line.place(),
            message: format!("`{}` is indented too far", quote(line.text)),
            help: Some(format!(
                "begin it below `{}` of line {number}: what is further in goes on with that value",
                quote(above)
            )),
        })
    })
}

/// `guess: y: -1`: a table in one line without its braces.
fn table_in_line(key: &str, value: &str, at: usize) -> Option<Wrong> {
    let (inner, _) = value.split_once(": ")?;
    // another key of the file is no entry
    let is_text = TEXTS.contains(&key) || TEXTS.contains(&inner);
    let is_table = is_name(inner.trim_end_matches('\'')) && !is_text;
    let is_short = value.chars().count() <= LONG;
    (is_table && is_short).then(|| Wrong {
        place: at..at + 1,
        message: "`: ` cannot stand inside a value".to_owned(),
        help: Some(format!(
            "write `{}: {{{}}}` for a table in one line",
            quote(key),
            quote(value)
        )),
    })
}

/// The line above a place that should have been `key: value`: YAML reads what is below as the rest of it.
pub fn unfinished(text: &str, at: usize) -> Option<Wrong> {
    let mut first: Option<Line> = None;
    for line in above(text, line_start(text, at)) {
        match line.entry() {
            Some((key, value)) if !value.is_empty() || TEXTS.contains(&key) => return None,
            Some(_) => break,
            None if line.text.starts_with(['-', '[', '{', '"', '\'']) => return None,
            None => first = Some(line),
        }
    }
    let line = first?;
    Some(Wrong {
        message: expected(line.text),
        help: completed(text, &line.place()),
        place: line.place(),
    })
}

/// The message at a line without key and value.
pub fn expected(line: &str) -> String {
    format!("`key: value` is expected here, not `{}`", quote(line))
}

/// How to make a line at a place `key: value`.
pub fn completed(text: &str, place: &Range<usize>) -> Option<String> {
    let line = text.get(place.clone())?.trim();
    if line.chars().count() > LONG {
        return None;
    }
    let named = |(key, value): (&str, &str)| {
        let (key, value) = (key.trim(), value.trim_start_matches('=').trim());
        let good = is_name(key.trim_end_matches('\'')) && !value.is_empty();
        good.then(|| format!("write `{}: {}`", quote(key), quote(value)))
    };
    if is_name(line) {
        let indent = |at: usize| at - line_start(text, at);
        let mut below = text[place.end..].match_indices('\n');
        let below = below.find_map(|(i, _)| {
            let line = Line::of(text, place.end + i + 1);
            (!line.text.is_empty()).then_some(line.at)
        });
        let has_more = below.is_some_and(|below| indent(below) > indent(place.start));
        let value = if has_more { "" } else { " …" };
        return Some(format!("write `{}:{value}`", quote(line)));
    }
    if line.contains(':') {
        let written = line.split_once(':').and_then(named);
        return Some(match written {
            Some(written) => format!("a space must follow the colon after a key: {written}"),
            None => "a space must follow the colon after a key".to_owned(),
        });
    }
    line.split_once('=').and_then(named).or_else(|| {
        let (key, value) = line.split_once(' ')?;
        let number = value.trim().trim_start_matches('-');
        let is_number = number.starts_with(|c: char| c.is_ascii_digit() || c == '.');
        is_number.then(|| named((key, value)))?
    })
}
