//! From text to a [`Node`] tree with places, independent of what the keys mean.
//!
//! The YAML read here is the part that system files need: block and flow collections, plain, quoted
//! and block scalars, comments, one document. Keys are scalars and distinct. Anchors and aliases, tags,
//! directives, `? key` and further documents are refused by name. The parser is a library's; [`tree`] finds for each
//! byte of a value where it stands in the text, and [`fault`] has the words for what cannot be read.

mod document;
mod fault;
mod line;
mod tree;

pub use document::{Node, Scalar, Value};

use super::diagnostic::Diagnostic;
use std::ops::Range;

/// The longest system file read, in bytes.
pub const MAX_FILE: usize = 1 << 20;
/// The longest key, in bytes (that of YAML).
const MAX_KEY: usize = 1024;
/// How deep lists and tables may be nested in a file.
pub const MAX_NESTING: usize = 32;

/// A text and what it is called in messages.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The name of the input.
    pub file: &'a str,
    /// Its text.
    pub text: &'a str,
}

impl Source<'_> {
    /// An error at a place of the text.
    pub fn error(&self, span: Range<usize>, message: impl AsRef<str>) -> Diagnostic {
        Diagnostic::at(self.file, self.text, span, message)
    }
}

/// Reads a document; `None` where the text holds nothing but blanks and comments.
pub fn read(source: Source) -> Result<Option<Node>, Diagnostic> {
    let Source { file, text } = source;
    if text.len() > MAX_FILE {
        let message = format!(
            "a system file may have at most {} KiB; this has {}",
            MAX_FILE / 1024,
            text.len().div_ceil(1024)
        );
        return Err(Diagnostic::without_place(file, message));
    }
    let start = if text.starts_with('\u{feff}') { 3 } else { 0 };
    check_characters(source, start)?;
    tree::Reader::new(source, start).document()
}

/// The text of a line `key: text`, quotes and escapes resolved; `None` where that is no YAML or no text.
pub fn text_of(line: &str) -> Option<String> {
    let source = Source {
        file: "",
        text: line,
    };
    let Value::Mapping(entries) = read(source).ok()??.value else {
        return None;
    };
    match entries.into_iter().next()?.1.value {
        Value::Scalar(scalar) => Some(scalar.value),
        Value::Sequence(_) | Value::Mapping(_) => None,
    }
}

/// YAML texts hold printable characters, spaces, tabs and line ends.
fn check_characters(source: Source, start: usize) -> Result<(), Diagnostic> {
    let text = source.text;
    for (at, c) in text[start..].char_indices() {
        let at = start + at;
        let good = match c {
            '\t' | '\n' | ' '..='~' => true,
            '\r' => text[at + 1..].starts_with('\n'),
            '\u{feff}' | '\u{fffe}' | '\u{ffff}' | '\u{2028}' | '\u{2029}' => false,
            c => !c.is_control(),
        };
        if !good {
            let code = c.escape_unicode();
            let what = called(c).map_or_else(
                || format!("the character {code}"),
                |called| format!("{called} ({code})"),
            );
            let message = format!("{what} cannot stand in a system file");
            return Err(source.error(at..at + c.len_utf8(), message).with_help(
                "remove it; a file consists of printable characters, spaces and line ends",
            ));
        }
    }
    Ok(())
}

/// What a character is called that does not print.
fn called(c: char) -> Option<&'static str> {
    Some(match c {
        '\0' => "a null character",
        '\u{7}' => "a bell character",
        '\u{8}' => "a backspace",
        '\r' => "a carriage return without a line feed",
        '\u{1b}' => "an escape character",
        '\u{7f}' => "a delete character",
        '\u{feff}' => "a byte order mark",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline(node: &Node) -> String {
        let list = |items: Vec<String>| items.join(", ");
        match &node.value {
            Value::Scalar(s) => format!("{:?}", s.value),
            Value::Sequence(items) => format!("[{}]", list(items.iter().map(outline).collect())),
            Value::Mapping(entries) => format!(
                "{{{}}}",
                list(
                    entries
                        .iter()
                        .map(|(k, v)| format!("{}: {}", k.value, outline(v)))
                        .collect()
                )
            ),
        }
    }

    fn reading(text: &str) -> String {
        match read(Source { file: "f", text }) {
            Ok(Some(node)) => outline(&node),
            Ok(None) => "nothing".to_owned(),
            Err(e) => format!("{}:{} {}", e.line, e.column, e.message),
        }
    }

    #[test]
    fn documents_are_read_as_the_library_reads_them() {
        let cases = [
            ("a: 1", r#"{a: "1"}"#),
            ("\u{feff}a: 1\r\nb: 2\r\n", r#"{a: "1", b: "2"}"#),
            ("---\na: 1 # one\n...\n", r#"{a: "1"}"#),
            ("# only\n\n", "nothing"),
            ("---\n", "nothing"),
            (
                "a:\nb:\n  c: d\n  e:\n   - f\n   -  g: h\n      i: j\n   -\n",
                r#"{a: "", b: {c: "d", e: ["f", {g: "h", i: "j"}, ""]}}"#,
            ),
            (
                "a:\n- b\n- - c\n  - d\ne: f",
                r#"{a: ["b", ["c", "d"]], e: "f"}"#,
            ),
            (
                "a: {b: [1, {c: d}, ], 'e': \"f\"}",
                r#"{a: {b: ["1", {c: "d"}], e: "f"}}"#,
            ),
            (
                "a: {x1': 0, x2': -1,\n  c: d e\n   f}",
                r#"{a: {x1': "0", x2': "-1", c: "d e f"}}"#,
            ),
            ("a: b\n c\n\n  d # e\nf: g", r#"{a: "b c\nd", f: "g"}"#),
            ("a: 'it''s\n  folded '\n", r#"{a: "it's folded "}"#),
            (
                r#"a: "tab\t\x41\u00e9\U0001F600 \"q\" \\""#,
                r#"{a: "tab\tAé😀 \"q\" \\"}"#,
            ),
            (
                "a: \"one \\\n   two\n\n three\"",
                r#"{a: "one two\nthree"}"#,
            ),
            (
                "a: |\n  b\n   c\n\n  d\n\ne: f",
                r#"{a: "b\n c\n\nd\n", e: "f"}"#,
            ),
            (
                "a: >-\n  b\n  c\n\n  d\n    e\n  f\n",
                r#"{a: "b c\nd\n  e\nf"}"#,
            ),
            ("a: >+\n\n  b\n\n\nc: d", r#"{a: "\nb\n\n\n", c: "d"}"#),
            ("a: |2-\n    b\n   c", r#"{a: "  b\n c"}"#),
            ("a: |\nb: >\n", r#"{a: "", b: ""}"#),
            ("- |\n b\n- >\n  c\n  \n  d", r#"["b\n", "c\nd"]"#),
            ("a: x#y - z :w", r#"{a: "x#y - z :w"}"#),
            ("'a b' : c\n\"d\": e\n", r#"{a b: "c", d: "e"}"#),
            ("just text\n more", r#""just text more""#),
            (
                "a: true\nb: null\nc: ~\nd: 0x10\ne: 1e3",
                r#"{a: "true", b: "null", c: "~", d: "0x10", e: "1e3"}"#,
            ),
            ("a: b\n  - c", r#"{a: "b - c"}"#),
        ];
        for (text, expected) in cases {
            assert_eq!(reading(text), expected, "{text:?}");
        }
    }

    /// Does the other reader find the same? It takes numbers, truth and nothing for what they look like.
    fn agrees(node: &Node, other: &serde_yaml::Value) -> bool {
        use serde_yaml::Value as Other;
        match (&node.value, other) {
            (Value::Scalar(s), Other::String(text)) => s.value == *text,
            (Value::Scalar(_), Other::Null | Other::Bool(_) | Other::Number(_)) => true,
            (Value::Sequence(items), Other::Sequence(others)) => {
                let mut pairs = items.iter().zip(others);
                items.len() == others.len() && pairs.all(|(item, other)| agrees(item, other))
            }
            (Value::Mapping(entries), Other::Mapping(others)) => {
                let mut pairs = entries.iter().zip(others);
                let same = |((key, value), (name, other)): (&(Scalar, Node), (&Other, &Other))| {
                    name.as_str().is_none_or(|name| name == key.value) && agrees(value, other)
                };
                entries.len() == others.len() && pairs.all(same)
            }
            _ => false,
        }
    }

    #[test]
    fn what_is_accepted_means_the_same_to_another_reader() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let folders = ["systems", "tests/systems", "tests/bad"].map(|name| folder.join(name));
        let files = folders.iter().flat_map(|f| std::fs::read_dir(f).unwrap());
        let mut files: Vec<_> = files.map(|entry| entry.unwrap().path()).collect();
        files.sort();
        let words = [
            "\n", "\n  ", ": ", ":", "- ", "{", "}", "[", "]", "'", "\"", "\\", " # ", "|\n  ",
            ">\n  ", "? ", "---\n", "\t", ",", "a: b\n", "\r\n",
        ];
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut below = |end: usize| {
            state ^= state >> 12;
            state ^= state << 25;
            state ^= state >> 27;
            (state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % end.max(1)
        };
        let (mut accepted, mut compared) = (0, 0);
        for _ in 0..3000 {
            let mut bytes = std::fs::read(&files[below(files.len())]).unwrap();
            for _ in 0..=below(3) {
                let at = below(bytes.len() + 1);
                let end = (at + below(8)).min(bytes.len());
                match below(3) {
                    0 => drop(bytes.drain(at..end)),
                    1 => drop(bytes.splice(at..end, words[below(words.len())].bytes())),
                    _ => drop(bytes.splice(at..at, words[below(words.len())].bytes())),
                }
            }
            let Ok(text) = String::from_utf8(bytes) else {
                continue;
            };
            if let Ok(Some(node)) = read(Source {
                file: "f",
                text: &text,
            }) {
                accepted += 1;
                if let Ok(other) = serde_yaml::from_str(&text) {
                    compared += 1;
                    assert!(agrees(&node, &other), "{text:?}");
                }
            }
        }
        assert!(
            compared > 500 && compared * 10 > accepted * 9,
            "{compared} of {accepted}"
        );
    }

    #[test]
    fn what_is_refused_is_named_at_its_place() {
        let cases = [
            ("a: 1\na: 2", "2:1 the key `a` appears twice"),
            ("a: {b: 1, b: 2}", "1:11 the key `b` appears twice"),
            ("a: &b 1", "1:4 anchors (`&`) are not supported"),
            ("a: *b", "1:4 aliases (`*`) are not supported"),
            ("a: !b c", "1:4 tags (`!`) are not supported"),
            (
                "%YAML 1.2\n---\na: b",
                "1:1 YAML directives (`%`) are not supported",
            ),
            ("? a\n: b", "1:1 keys written with `? ` are not supported"),
            ("a: b\n---\nc: d", "2:1 a second document begins here"),
            ("a:\n\tb: c", "2:1 a tab cannot indent a line"),
            ("a: [1, 2", "1:4 this `[` is not closed"),
            ("a: {b: 2", "1:4 this `{` is not closed"),
            ("a: 'b", "1:4 this quote is not closed"),
            ("a: b: c", "1:5 `: ` cannot stand inside a value"),
            ("a:\n  b: 1\n   c: 2", "3:4 `c: 2` is indented too far"),
            (
                "a:\n  T = x # one\n\n  U = y\n  V: z",
                "2:3 `key: value` is expected here, not `T = x`",
            ),
            (
                "a b\n  c: 1",
                "1:1 `key: value` is expected here, not `a b`",
            ),
            ("a: {m: 1 g: 9.81}", "1:10 a comma is missing before `g`"),
            ("a:\n  b: 1\n c: 2", "3:2 `c: 2` does not belong here"),
            (
                "a: 1\nb:2\n",
                "2:1 `key: value` is expected here, not `b:2`",
            ),
            ("a: {b:2}", "1:5 `: ` and a value must follow the key `b:2`"),
            (
                "a: [b c: d]",
                "1:8 a list `[…]` holds values, not `key: value`",
            ),
            ("a: 'b' c", "1:8 `c` follows a complete value"),
            ("a: - b", "1:4 a list cannot begin on the line of its key"),
            (
                "a: \"\\q\"",
                "1:5 `\\q` is not an escape sequence of a quoted text",
            ),
            (
                "a: \u{1b}[31m",
                "1:4 an escape character (\\u{1b}) cannot stand in a system file",
            ),
            ("a: >= 3", "1:5 the text must begin below `>`"),
            ("a: [1, 2}", "1:4 this `[` is closed by `}`"),
            ("a: {b: 1}}", "1:10 this `}` closes nothing"),
            ("a: \"b\nc: 1\nd: 2", "1:4 this quote is not closed"),
            ("a: {b:[1]}", "1:6 a space must follow this colon"),
            ("a: {b\n c: 1}", "1:5 a key must stand on one line"),
            ("a: [x,\nb: 1", "1:4 this `[` is not closed"),
            ("[a]: 1", "1:1 a key must be a name, not a list or table"),
            (": 1", "1:1 a value cannot begin with `: `"),
            ("a: ,b", "1:4 a value cannot begin with `,`"),
            ("a: 'b'\n  # c\n  d", "3:3 `d` does not belong here"),
            ("a: b # c\n  d", "2:3 `d` does not belong here"),
        ];
        for (text, expected) in cases {
            assert_eq!(reading(text), expected, "{text:?}");
        }
        let deep = "[".repeat(200_000);
        assert!(reading(&deep).contains("nested more than 32 deep"));
        let deep = "- ".repeat(100_000);
        assert!(reading(&deep).contains("nested more than 32 deep"));
    }
}
