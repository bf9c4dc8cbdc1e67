//! The errors of the YAML parser in words of system files, each at the place that is to be changed.

use super::line::{self, Wrong};
use super::tree::events;
use super::{MAX_KEY, MAX_NESTING, Source};
use crate::expr::is_name;
use crate::system::diagnostic::{Diagnostic, quote};
use granit_parser::{ErrorKind as E, ScanError};
use std::ops::Range;

/// An error of the parser, which read the text from `start` on.
pub fn told(source: Source, start: usize, error: &ScanError) -> Diagnostic {
    let at = place_of(start, error);
    let rest = rest_of_line(source.text, at);
    let first = rest.chars().next().map_or(String::new(), String::from);
    let place = Position {
        source,
        start,
        at,
        rest,
        first,
    };
    let kind = error.kind();
    let told = place.of_collections(kind).or_else(|| place.of_lines(kind));
    told.or_else(|| place.of_scalars(kind)).unwrap_or_else(|| {
        let help = "write it in a plainer form: `key: value` lines, texts in quotes";
        place.one(format!("this cannot be read as YAML: {kind}"), help)
    })
}

/// Where the parser met an error.
struct Position<'a> {
    source: Source<'a>,
    start: usize,
    at: usize,
    rest: &'a str,
    first: String,
}

impl Position<'_> {
    /// An error of the character here.
    fn one(&self, message: impl Into<String>, help: &str) -> Diagnostic {
        self.said(self.at..self.at + self.first.len(), message, help)
    }

    /// An error of the rest of the line.
    fn line(&self, message: impl Into<String>, help: &str) -> Diagnostic {
        self.said(self.at..self.at + self.rest.len(), message, help)
    }

    /// What a line should have been.
    fn wrong(&self, wrong: Wrong) -> Diagnostic {
        let Wrong {
            place,
            message,
            help,
        } = wrong;
        self.said(place, message, help.as_deref().unwrap_or(""))
    }

    fn said(&self, place: Range<usize>, message: impl Into<String>, help: &str) -> Diagnostic {
        let help = Some(help).filter(|help| !help.is_empty());
        let error = self.source.error(place, message.into());
        error.with_help_if(help)
    }

    /// How to write an expression in a list that begins with a minus and a space, which is the sign of another list.
    fn without_space(&self) -> Option<String> {
        const LONG: usize = 60;
        let rest = self.rest.strip_prefix('-')?;
        let ends = |c: char| matches!(c, ',' | ']' | '}' | '#' | '\n' | '\r');
        let own = rest.split(ends).next()?.trim();
        let is_short = !own.is_empty() && own.chars().count() <= LONG;
        is_short.then(|| format!("write `-{}` without the space", quote(own)))
    }

    /// Errors of `[ ]`, `{ }` and quotes.
    fn of_collections(&self, kind: &E) -> Option<Diagnostic> {
        let text = self.source.text;
        let first = &self.first;
        let above = || open_above(text, self.start, self.at);
        let bracket = || above().filter(|open| text[*open..].starts_with(['[', '{']));
        let error = match kind {
            E::RecursionLimitExceeded => self.one(too_deep(), ""),
            E::UnclosedFlowCollection { .. } | E::UnclosedQuotedScalar => {
                unclosed(self.source, self.at)
            }
            E::InvalidColonPlacement
            | E::ExpectedFlowMappingSeparator
            | E::ExpectedFlowSequenceSeparator
            | E::FlowMappingValueAdjacentCollection
                if first == ":" && bracket().is_some() =>
            {
                // the lines below were read as part of what is not closed
                unclosed(self.source, bracket()?)
            }
            E::InvalidQuotedScalarIndent | E::DocumentIndicatorInQuotedScalar => {
                let error = unclosed(self.source, above().unwrap_or(self.at));
                if self.rest.is_empty() {
                    return Some(error);
                }
                error.with_help("close it, or indent the lines below that belong to the text")
            }
            E::ExpectedFlowMappingSeparator | E::InvalidColonPlacement
                if self.semicolon().is_some() =>
            {
                let message = "`,` is expected here, not `;`";
                self.said(self.semicolon()?, message, "")
            }
            E::FlowMappingValueAdjacentCollection => self.one("a space must follow this colon", ""),
            E::MismatchedFlowCollectionEnd { open, close } => {
                let help = format!("close it by `{}`", closing(*open));
                self.one(format!("this `{open}` is closed by `{close}`"), &help)
            }
            E::MisplacedFlowCollectionEnd => self.one(
                format!("this `{first}` closes nothing"),
                "remove it, or put the value in quotes",
            ),
            E::InvalidColonPlacement => self.one(KEY_IN_LIST.0, KEY_IN_LIST.1),
            E::ExpectedFlowMappingSeparator if first == ":" && self.key_before().is_some() => {
                let key = self.key_before()?;
                let shown = quote(&text[key.clone()]);
                let message = format!("a comma is missing before `{shown}`");
                self.said(key, message, &format!("write `, {shown}: …`"))
            }
            E::ExpectedFlowMappingSeparator => {
                self.one(format!("`,` or `}}` is expected here, not `{first}`"), "")
            }
            E::ExpectedFlowSequenceSeparator => {
                self.one(format!("`,` or `]` is expected here, not `{first}`"), "")
            }
            _ => return None,
        };
        Some(error)
    }

    /// The semicolon behind the entry before, in this line.
    fn semicolon(&self) -> Option<Range<usize>> {
        let before = &self.source.text[self.start..self.at];
        let entry = before.rfind(['{', '[', ',', '\n']).unwrap_or(0);
        let at = self.start + entry + before[entry..].find(';')?;
        Some(at..at + 1)
    }

    /// The name before this colon, with something of an entry before it.
    fn key_before(&self) -> Option<Range<usize>> {
        let before = self.source.text[self.start..self.at].trim_end();
        let from = before.rfind(|c: char| c.is_whitespace() || "{[,".contains(c))?;
        let key = before[from..].trim_start();
        let begin = before.len() - key.len();
        let has_more = before[..begin]
            .trim_end()
            .ends_with(|c| !"{[,:".contains(c));
        let place = self.start + begin..self.start + before.len();
        (has_more && is_name(key.trim_end_matches('\''))).then_some(place)
    }

    /// Errors of lines: keys, values, indentation.
    fn of_lines(&self, kind: &E) -> Option<Diagnostic> {
        let Self {
            source, at, rest, ..
        } = *self;
        let text = source.text;
        let from = line_start(text, at);
        let begins_line = text[from..at].trim().is_empty();
        let error = match kind {
            E::DirectiveDisallowed => self.one(unsupported("YAML directives (`%`)"), ""),
            E::SimpleKeyExpected if rest.len() > MAX_KEY => self.line(too_long(), ""),
            E::SimpleKeyExpected => {
                let help = line::completed(text, &(at..at + rest.len()));
                self.line(line::expected(rest), help.as_deref().unwrap_or(""))
            }
            E::MappingValueNotAllowed => {
                let key = text[from..at].trim();
                if key.len() > MAX_KEY {
                    let from = at - text[from..at].trim_start().len();
                    return Some(self.said(from..from + key.len(), too_long(), ""));
                }
                let help = "check the indentation, or put the value in quotes";
                let meant = line::colon_inside(text, at).map(|wrong| self.wrong(wrong));
                meant.unwrap_or_else(|| self.one("`: ` cannot stand inside a value", help))
            }
            E::BlockSequenceEntryNotAllowed => self.one(
                "a list cannot begin on the line of its key",
                "begin it on the next line, or write `[a, b]`",
            ),
            E::CommentInterceptedScalar => {
                let next = text[at..].find('\n').map_or(text.len(), |i| at + i);
                let next = text.len() - text[next..].trim_start().len();
                misplaced(source, next)
            }
            E::ExpectedBlockMappingKey | E::ExpectedBlockSequenceEntry if begins_line => {
                misplaced(source, at)
            }
            E::ExpectedDocumentStart | E::InvalidDocumentEnd | E::InvalidIndentation => {
                misplaced(source, at)
            }
            E::InvalidTrailingSingleQuotedScalar => self.line(
                format!("`{}` follows a complete value", quote(rest)),
                "a `'` ends the text: put a value with `'` in it in double quotes, or in none",
            ),
            E::InvalidTrailingDoubleQuotedScalar
            | E::CommentNotSeparated
            | E::ExpectedBlockMappingKey
            | E::ExpectedBlockSequenceEntry => self.line(
                format!("`{}` follows a complete value", quote(rest)),
                "put the whole value in quotes, or remove what follows",
            ),
            E::TabNotAllowed
            | E::TabInBlockIndentation
            | E::TabInIndentation
            | E::TabInPlainScalar
            | E::TabAtBlockScalarStart => {
                let tab = text[from..].find('\t').map_or(at, |i| from + i);
                self.said(tab..tab + 1, "a tab cannot indent a line", "use spaces")
            }
            _ => return None,
        };
        Some(error)
    }

    /// Errors of scalars: how they begin, and what stands in them.
    fn of_scalars(&self, kind: &E) -> Option<Diagnostic> {
        let first = &self.first;
        let begins = |with: &str| format!("a value cannot begin with `{with}`");
        let error = match kind {
            E::MappingKeyNotAllowed | E::BlockEntryInFlowCollection => {
                let help = self.without_space();
                let help = help.as_deref().unwrap_or(QUOTES);
                self.one(begins(&format!("{first} ")), help)
            }
            E::PlainScalarStartsWithDashFlowIndicator => {
                let found: String = self.rest.chars().take(2).collect();
                self.said(self.at..self.at + found.len(), begins(&found), QUOTES)
            }
            E::UnexpectedCharacter { .. }
            | E::ExpectedNodeContent
            | E::UnexpectedEofImplicitFlowMapping
            | E::UnexpectedEofFlowMapping
            | E::UnexpectedEofFlowSequence
            | E::UnexpectedEofBlockMapping
            | E::UnexpectedEofBlockSequence
            | E::UnexpectedEof
                if !first.is_empty() =>
            {
                self.one(begins(first), QUOTES)
            }
            E::UnknownQuotedScalarEscape
            | E::InvalidQuotedScalarHexEscape
            | E::InvalidUnicodeEscape
            | E::InvalidLowSurrogateHexEscape
            | E::InvalidLowSurrogate
            | E::MissingLowSurrogate
            | E::UnpairedLowSurrogate => {
                let place = wrong_escape(self.source.text, self.at);
                let shown = quote(self.source.text.get(place.clone()).unwrap_or("\\"));
                let message = format!("`{shown}` is not an escape sequence of a quoted text");
                let help = "write `\\\\` for a backslash, or use single quotes";
                self.said(place, message, help)
            }
            E::InvalidBlockScalarHeader | E::ZeroBlockScalarIndent => {
                let header = |c: char| "|>+-123456789 \t".contains(c);
                let text = self.rest.trim_start_matches(header);
                let end = self.at + self.rest.len();
                let message = format!("the text must begin below `{first}`");
                self.said(end - text.len()..end, message, "")
            }
            _ if first == "!" => self.one(unsupported("tags (`!`)"), QUOTES),
            _ if first == "&" => self.one(unsupported("anchors (`&`)"), QUOTES),
            _ if first == "*" => self.one(unsupported("aliases (`*`)"), QUOTES),
            _ => return None,
        };
        Some(error)
    }
}

/// What to do about a character that YAML has a use for.
pub const QUOTES: &str = "put the value in quotes if the character belongs to it";
/// What to do about an expression that was cut in `[ ]` or `{ }`.
pub const COMMA: &str = "inside `[ ]` and `{ }` a comma ends a value: put the expression in quotes";
/// What is wrong with `[a: 1]`, and what to write.
pub const KEY_IN_LIST: (&str, &str) = (
    "a list `[…]` holds values, not `key: value`",
    "write `{key: value}` for a table",
);

/// Something of YAML has no use in system files.
pub fn unsupported(what: &str) -> String {
    format!("{what} are not supported")
}

/// There are more than [`MAX_NESTING`] collections inside each other.
pub fn too_deep() -> String {
    format!("lists and tables are nested more than {MAX_NESTING} deep")
}

/// A key has more than [`MAX_KEY`] bytes.
pub fn too_long() -> String {
    format!("this key is longer than {MAX_KEY} bytes")
}

/// The error for a line that belongs to nothing, or for the one above that should have been a key.
pub fn misplaced(source: Source, at: usize) -> Diagnostic {
    if let Some(wrong) = line::unfinished(source.text, at) {
        let error = source.error(wrong.place, wrong.message);
        return error.with_help_if(wrong.help);
    }
    let rest = rest_of_line(source.text, at);
    let message = format!("`{}` does not belong here", quote(rest));
    let help = "check the indentation, and that each line is `key: value`";
    source.error(at..at + rest.len(), message).with_help(help)
}

/// The error for a bracket or a quote without its partner.
pub fn unclosed(source: Source, at: usize) -> Diagnostic {
    let open = source.text[at..].chars().next().unwrap_or(' ');
    let what = match open {
        '[' | '{' => format!("`{open}`"),
        _ => "quote".to_owned(),
    };
    source
        .error(
            at..at + open.len_utf8(),
            format!("this {what} is not closed"),
        )
        .with_help(format!("add `{}`", closing(open)))
}

fn closing(open: char) -> char {
    match open {
        '[' => ']',
        '{' => '}',
        quote => quote,
    }
}

fn place_of(start: usize, error: &ScanError) -> usize {
    start + error.marker().byte_offset().unwrap_or(0)
}

/// The place of the bracket or quote that is still open where the line of a place begins.
fn open_above(text: &str, start: usize, at: usize) -> Option<usize> {
    let above = text[start..line_start(text, at).max(start)].trim_end();
    let error = events(above).find_map(Result::err)?;
    let is_open = matches!(
        error.kind(),
        E::UnclosedFlowCollection { .. } | E::UnclosedQuotedScalar
    );
    is_open.then(|| place_of(start, &error))
}

/// The first escape of a quoted text that is none.
fn wrong_escape(text: &str, quote: usize) -> Range<usize> {
    let mut at = quote + 1;
    while let Some(i) = text[at..].find(['\\', '"']) {
        at += i;
        let mut rest = text[at..].chars();
        let (Some('\\'), Some(letter)) = (rest.next(), rest.next()) else {
            break;
        };
        let digits = match letter {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ => 0,
        };
        let code: String = rest.take(digits).collect();
        let value = u32::from_str_radix(&code, 16).ok().and_then(char::from_u32);
        let known = "0abt\tnvfre \"/\\N_LP\r\n".contains(letter);
        let length = 1 + letter.len_utf8() + code.len();
        if if digits == 0 { !known } else { value.is_none() } {
            return at..at + length;
        }
        at += length;
    }
    quote..quote + 1
}

/// Where the line of a place begins.
pub fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |i| i + 1)
}

fn rest_of_line(text: &str, at: usize) -> &str {
    let rest = &text[at..];
    rest[..rest.find('\n').unwrap_or(rest.len())].trim_end()
}
