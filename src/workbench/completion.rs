//! Completion: the keys that the file format allows where the cursor is, or the names that this file declares.
//!
//! The place is read off the text alone, line by line, so that it works in a text that is broken for the
//! moment: the key at the left margin above the cursor says which part of the file it is in; in a part
//! that has keys of its own they are offered where a key may begin, else names.

use super::editor::{Editor, TextPosition};
use super::state::State;
use crate::expr::{formula_names, function_names};
use crate::system::{FILE_KEYS, Method, OutputKind, PART_KEYS, TEMPLATE};

/// Parts whose text is words, not names.
const WORDS: &[&str] = &["name", "source", "about", "coordinates"];
/// Parts in which velocities may stand.
const MOVING: &[&str] = &[
    "define",
    "lagrangian",
    "kinetic",
    "forces",
    "dissipation",
    "velocity_constraints",
    "start",
    "plots",
    "expect",
];
/// Parts in which outputs may stand.
const OUTPUTS: &[&str] = &["plots", "expect"];
/// Parts that name coordinates on the left of a colon.
const BY_COORDINATE: &[&str] = &["start", "guess", "forces"];

/// Parts whose keys may be anything.
const FREE: &[&str] = &["name", "source", "about", "expect"];
/// Keys of the file that are good names for what stands in another part, but for constraints.
const GOOD_NAMES: &[&str] = &[
    "name",
    "source",
    "positive",
    "objective",
    "kinetic",
    "potential",
    "gravity",
    "forces",
    "dissipation",
];

/// The completions between which Tab chooses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// Where the word begins.
    pub from: TextPosition,
    /// What it may become; the last one is what was typed.
    pub candidates: Vec<String>,
    /// The one chosen.
    pub chosen: usize,
}

/// Completes the word before the cursor; again, the next candidate takes its place. Two blanks where there is
/// no word to complete, the template where there is no text.
pub fn complete(state: &mut State, forward: bool) {
    if let Some(completion) = &mut state.completion {
        let count = completion.candidates.len();
        let by = if forward { 1 } else { count - 1 };
        completion.chosen = (completion.chosen + by) % count;
        let word = completion.candidates[completion.chosen].clone();
        let typed = state.editor.cursor().column - completion.from.column;
        state.editor.put_before(typed, &word);
        return;
    }
    if state.is_blank() && forward {
        state.editor.replace(TEMPLATE);
        return;
    }
    let word = word(&state.editor);
    let count = word.chars().count();
    let candidates = candidates(&state.editor, &word);
    if candidates.is_empty() {
        if word.is_empty() && forward {
            state.editor.paste("  ");
        }
        return;
    }
    let cursor = state.editor.cursor();
    let only = candidates.len() == 1;
    let mut list = candidates;
    list.push(word);
    let chosen = if forward { 0 } else { list.len() - 2 };
    state.editor.put_before(count, &list[chosen]);
    // of one there is nothing to choose
    state.completion = (!only).then_some(Completion {
        from: TextPosition::new(cursor.line, cursor.column - count),
        candidates: list,
        chosen,
    });
}

/// Whether a word may have it.
pub fn is_letter(symbol: char) -> bool {
    symbol.is_alphanumeric() || symbol == '_'
}

/// The word that ends at the cursor.
fn word(editor: &Editor) -> String {
    let cursor = editor.cursor();
    let line = editor.lines().get(cursor.line).map_or("", String::as_str);
    let before: Vec<char> = line.chars().take(cursor.column).collect();
    let start = before.iter().rposition(|c| !is_letter(*c));
    before[start.map_or(0, |at| at + 1)..].iter().collect()
}

/// A line without its comment.
pub fn bare(line: &str) -> &str {
    if line.starts_with('#') {
        return "";
    }
    line.split_once(" #").map_or(line, |(before, _)| before)
}

/// The key at the left margin of a line.
pub fn margin(line: &str) -> Option<&str> {
    let (key, _) = bare(line).split_once(':')?;
    let key = key.trim_end().trim_matches(['"', '\'']);
    (!key.is_empty() && key.chars().all(is_letter)).then_some(key)
}

/// Whether the key that ends before this place is one of the file, indented as what stands above it is: its place
/// is the margin.
pub fn belongs_at_margin(lines: &[String], place: TextPosition) -> bool {
    let line = lines.get(place.line).map_or("", String::as_str);
    let before: String = line.chars().take(place.column).collect();
    let Some(key) = before
        .strip_prefix(' ')
        .and_then(|key| key.strip_suffix(':'))
    else {
        return false;
    };
    let key = key.trim_start_matches(' ');
    let there = lines.iter().any(|line| margin(line) == Some(key));
    let mut above = lines.iter().take(place.line).rev();
    let own = match above.find_map(|line| margin(line)) {
        Some("constraints" | "velocity_constraints") | None => &[],
        Some(section) if FREE.contains(&section) => return false,
        Some(_) => GOOD_NAMES,
    };
    FILE_KEYS.contains(&key) && !there && !own.contains(&key)
}

/// The text of a part of the file, without its key.
fn part(lines: &[String], key: &str) -> String {
    let mut text = String::new();
    let mut inside = false;
    for line in lines {
        if let Some(found) = margin(line) {
            inside = found == key;
            if inside {
                let rest = bare(line).split_once(':').map_or("", |(_, rest)| rest);
                text.push_str(rest);
                text.push('\n');
            }
        } else if inside {
            text.push_str(bare(line));
            text.push('\n');
        }
    }
    text
}

/// The words of a text; those before a colon alone where `keys`.
fn names(text: &str, keys: bool) -> Vec<String> {
    let mut list: Vec<String> = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(is_letter) {
        let word = &rest[start..];
        let end = word.find(|c| !is_letter(c)).unwrap_or(word.len());
        let (name, after) = word.split_at(end);
        let key = after.trim_start_matches(['"', '\'', ' ']).starts_with(':');
        let is_name = !name.starts_with(|c: char| c.is_ascii_digit());
        if is_name && (key || !keys) && !list.iter().any(|known| known == name) {
            list.push(name.to_owned());
        }
        rest = after;
    }
    list
}

/// The names that constraints have: those at the lowest level of their part.
fn constraint_names(lines: &[String], key: &str) -> Vec<String> {
    let own = PART_KEYS.iter().find(|(part, _)| *part == "constraints");
    let own = own.map_or(&[][..], |(_, keys)| keys);
    let mut list = names(&part(lines, key), true);
    list.retain(|name| !own.contains(&name.as_str()));
    list
}

/// What the word may become.
fn candidates(editor: &Editor, word: &str) -> Vec<String> {
    let (lines, cursor) = (editor.lines(), editor.cursor());
    let line = lines.get(cursor.line).map_or("", String::as_str);
    let before: String = line.chars().take(cursor.column).collect();
    if bare(&before).len() < before.len() || word.starts_with(|c: char| c.is_ascii_digit()) {
        return Vec::new();
    }
    let lead = &before[..before.len() - word.len()];
    let fits = |list: Vec<String>| -> Vec<String> {
        let longer = |name: &String| name.starts_with(word) && name != word;
        list.into_iter().filter(longer).collect()
    };
    if lead.is_empty() {
        if word.is_empty() {
            return Vec::new();
        }
        let there: Vec<&str> = lines.iter().filter_map(|line| margin(line)).collect();
        let keys = FILE_KEYS.iter().filter(|key| !there.contains(key));
        return fits(keys.map(|key| format!("{key}: ")).collect());
    }
    let mut above = lines.iter().take(cursor.line + 1).rev();
    let Some(section) = above.find_map(|line| margin(line)) else {
        return Vec::new();
    };
    let begins = lead.trim_end();
    let at_key = begins.ends_with(['{', ',']) && lead.contains('{')
        || begins.trim_start_matches([' ', '-']).is_empty();
    if at_key {
        if BY_COORDINATE.contains(&section) {
            return fits(coordinates(lines, section == "start"));
        }
        let own = PART_KEYS.iter().find(|(part, _)| *part == section);
        if let Some((_, keys)) = own {
            let keys = keys.iter().map(|key| format!("{key}: ")).collect();
            let found = fits(keys);
            if !found.is_empty() {
                return if word.is_empty() && section == "constraints" {
                    // their names are the user's own
                    Vec::new()
                } else {
                    found
                };
            }
        }
    }
    if WORDS.contains(&section) || word.is_empty() {
        return Vec::new();
    }
    if section == "dependent" {
        return fits(coordinates(lines, false));
    }
    if section == "run" {
        return fits(Method::ALL.map(|m| m.name().to_owned()).to_vec());
    }
    fits(expression_names(lines, section))
}

fn coordinates(lines: &[String], velocities: bool) -> Vec<String> {
    let own = names(&part(lines, "coordinates"), false);
    let moving = own.iter().map(|name| format!("{name}'"));
    let moving: Vec<String> = moving.filter(|_| velocities).collect();
    own.into_iter().chain(moving).collect()
}

/// The names that an expression of this part may have, the file's own first.
fn expression_names(lines: &[String], section: &str) -> Vec<String> {
    let mut list = coordinates(lines, MOVING.contains(&section));
    list.extend(names(&part(lines, "parameters"), true));
    list.extend(names(&part(lines, "define"), true));
    if OUTPUTS.contains(&section) {
        let mut constraints = constraint_names(lines, "constraints");
        constraints.extend(constraint_names(lines, "velocity_constraints"));
        list.extend(constraints.iter().map(|name| format!("lambda_{name}")));
        let coordinates = names(&part(lines, "coordinates"), false);
        list.extend(coordinates.iter().map(|name| format!("R_{name}")));
        list.extend(OutputKind::OF_SYSTEM.map(|(name, _)| name.to_owned()));
    }
    list.extend(["pi", "deg"].map(str::to_owned));
    list.extend(
        function_names()
            .chain(formula_names())
            .map(|name| format!("{name}(")),
    );
    list
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::System;

    /// What is offered at the `|` of a text.
    fn offered(text: &str) -> Vec<String> {
        let at = text.find('|').unwrap();
        let before = &text[..at];
        let mut editor = Editor::new(&text.replacen('|', "", 1));
        editor.go_to(TextPosition {
            line: before.matches('\n').count(),
            column: before.rsplit('\n').next().unwrap().chars().count(),
        });
        let word = word(&editor);
        candidates(&editor, &word)
    }

    const HEAD: &str = "coordinates: [x1, x2]\nparameters: {mass: 1, # of it\n  g: 9.81}\n\
                        define:\n  height: x2\nconstraints:\n  wire: x2 - x1^2\n";

    #[test]
    fn keys_at_the_margin_are_those_that_the_file_does_not_have_yet() {
        assert_eq!(offered("co|"), ["coordinates: ", "constraints: "]);
        assert_eq!(offered(&format!("{HEAD}pa|")), Vec::<String>::new());
        assert_eq!(
            offered(&format!("{HEAD}p|")),
            ["positive: ", "potential: ", "plots: ", "picture: "]
        );
        assert_eq!(offered("ru|n: {}\n"), Vec::<String>::new());
        assert!(offered("|").is_empty());
    }

    #[test]
    fn names_are_the_files_own_and_what_its_part_allows() {
        let at = |text: &str| offered(&format!("{HEAD}{text}"));
        assert_eq!(at("lagrangian: 1/2*m|"), ["mass", "max(", "min("]);
        assert_eq!(at("lagrangian: 1/2*ma|"), ["mass", "max("]);
        assert_eq!(at("lagrangian: x|"), ["x1", "x2", "x1'", "x2'"]);
        assert_eq!(at("potential: x|"), ["x1", "x2"]);
        assert_eq!(at("potential: >-\n  g*hei|"), ["height"]);
        assert_eq!(at("lagrangian: si|"), ["sin(", "sinh(", "sign("]);
        assert_eq!(at("plots:\n  - {x: t, y: [la|"), ["lambda_wire"]);
        assert_eq!(at("plots:\n  - {x: t, y: [R_|"), ["R_x1", "R_x2"]);
        assert_eq!(at("dependent: [x|"), ["x1", "x2"]);
        // text, comments, numbers and what is whole already
        for none in [
            "name: x|",
            "# x|",
            "potential: 2 # g|",
            "potential: 1|",
            "potential: mass|",
        ] {
            assert!(at(none).is_empty(), "{none}");
        }
    }

    #[test]
    fn parts_have_keys_of_their_own() {
        let at = |text: &str| offered(&format!("{HEAD}{text}"));
        assert_eq!(at("run: {un|"), ["until: "]);
        assert_eq!(at("run: {until: 1, me|"), ["method: "]);
        assert_eq!(at("run:\n  method: t|"), ["tangents"]);
        assert_eq!(at("start: {x1: 1, x1|"), ["x1'"]);
        assert_eq!(at("forces: {x|"), ["x1", "x2"]);
        assert_eq!(at("plots:\n  - ti|"), ["title: "]);
        assert_eq!(at("bodies: {bead: {ma|"), ["mass: "]);
        assert_eq!(at("run: {|").len(), 6);
    }

    #[test]
    fn the_format_knows_every_key_that_is_offered() {
        let unknown = |text: &str| {
            let errors = System::parse(text, "a", &[]).err().unwrap_or_default();
            errors.iter().any(|e| e.message.contains("has no key"))
        };
        let head = "coordinates: [x]\nlagrangian: 1/2*x'^2\n";
        assert!(unknown(&format!("{head}zzz: 1\n")));
        for key in FILE_KEYS {
            assert!(!unknown(&format!("{head}{key}: 1\n")), "{key}");
        }
        for (part, keys) in PART_KEYS {
            for key in keys {
                let text = match part {
                    "bodies" => format!("coordinates: [x]\nbodies: {{a: {{{key}: x}}}}\n"),
                    "plots" => format!("{head}plots: [{{{key}: x}}]\n"),
                    "constraints" => format!("{head}{part}: {{a: {{{key}: x}}}}\n"),
                    _ => format!("{head}{part}: {{{key}: 1}}\n"),
                };
                assert!(!unknown(&text), "{text}");
                let wrong = text.replace(&format!("{{{key}:"), "{zzz:");
                assert!(unknown(&wrong), "{wrong}");
            }
        }
    }
}
