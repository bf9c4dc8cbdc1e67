//! The core knows nothing of a terminal: no room below the faces names ratatui, crossterm or clap.

#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

const CORE: [&str; 13] = [
    "disk",
    "expr",
    "interval",
    "sparse",
    "system",
    "mechanics",
    "geometry",
    "theorem",
    "statics",
    "solver",
    "analysis",
    "plot",
    "report",
];
const FACES: [&str; 4] = ["ratatui", "crossterm", "clap", "color_eyre"];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut list = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            list.extend(sources(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            list.push(path);
        }
    }
    list
}

/// The code of a line, its comment left out.
fn code(line: &str) -> &str {
    line.split("//").next().unwrap_or_default()
}

/// Does a line use a crate or a room by this name?
fn names(line: &str, name: &str) -> bool {
    code(line)
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .any(|word| word == name)
}

#[test]
fn the_core_imports_no_terminal_and_no_command_line() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for room in CORE {
        let files = sources(&source.join(room));
        assert!(!files.is_empty(), "{room} has no files");
        for file in files {
            let text = std::fs::read_to_string(&file).unwrap();
            for line in text.lines() {
                for face in FACES {
                    assert!(!names(line, face), "{}: {line}", file.display());
                }
                for face in ["crate::commands", "crate::workbench"] {
                    assert!(!code(line).contains(face), "{}: {line}", file.display());
                }
            }
        }
    }
}

/// The rooms and which others each may ask, as docs/DESIGN.md tells them.
fn rooms() -> Vec<(String, Vec<String>)> {
    let design = include_str!("../../docs/DESIGN.md");
    let rows = design.lines().filter_map(|line| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, name, _, asks, _] = cells[..] else {
            return None;
        };
        let name = name.strip_prefix('`')?.strip_suffix('`')?;
        let asks = asks.split(", ").filter(|one| !one.is_empty());
        Some((name.to_owned(), asks.map(str::to_owned).collect()))
    });
    rows.collect()
}

/// Is a file tests alone?
fn is_test(file: &Path) -> bool {
    file.components().any(|part| part.as_os_str() == "tests") || file.ends_with("tests.rs")
}

#[test]
fn rooms_ask_those_that_the_design_names() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let rooms = rooms();
    for entry in std::fs::read_dir(&source).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let name = name.trim_end_matches(".rs");
        let told = ["lib", "main"].contains(&name) || rooms.iter().any(|(room, _)| room == name);
        assert!(told, "docs/DESIGN.md does not name the room {name}");
    }
    for (room, asks) in &rooms {
        let mut asked = vec![false; asks.len()];
        for file in sources(&source.join(room)) {
            let text = std::fs::read_to_string(&file).unwrap();
            let (text, _) = text.split_once("#[cfg(test)]").unwrap_or((&text, ""));
            for line in text.lines().filter(|_| !is_test(&file)) {
                for path in code(line).split("crate::").skip(1) {
                    let end = path.find(|c: char| !(c.is_alphanumeric() || c == '_'));
                    let other = &path[..end.unwrap_or(path.len())];
                    if let Some(at) = asks.iter().position(|one| one == other) {
                        asked[at] = true;
                    } else {
                        let other_room = other != room && rooms.iter().any(|(r, _)| r == other);
                        assert!(!other_room, "{}: {line}", file.display());
                    }
                }
            }
        }
        for (other, asked) in asks.iter().zip(asked) {
            assert!(asked, "docs/DESIGN.md: {room} does not ask {other}");
        }
    }
}

#[test]
fn a_name_in_code_is_found_and_one_in_a_comment_is_not() {
    assert!(names("use clap::Parser;", "clap"));
    assert!(names("    crossterm::terminal::size()", "crossterm"));
    assert!(!names("// clap reads this", "clap"));
    assert!(!names("let clapped = 1;", "clap"));
}

/// What rank, kernel and the shortest solution are is told in one room; elsewhere regular square matrices are solved, and
/// symmetric ones turned to their axes.
#[test]
fn matrices_that_may_be_singular_are_taken_apart_in_the_room_for_it() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for file in sources(&source) {
        if is_test(&file) || file.starts_with(source.join("geometry")) {
            continue;
        }
        let text = std::fs::read_to_string(&file).unwrap();
        let (text, _) = text.split_once("#[cfg(test)]").unwrap_or((&text, ""));
        for line in text.lines() {
            for way in [
                ".svd(",
                ".try_svd(",
                ".qr(",
                ".col_piv_qr(",
                ".full_piv_lu(",
                ".pseudo_inverse(",
                ".singular_values()",
                ".rank(1e",
            ] {
                assert!(!code(line).contains(way), "{}: {line}", file.display());
            }
        }
    }
}

/// A path becomes words in one place, which no escape sequence in a name gets through: everything else asks it.
#[test]
fn paths_are_put_into_words_in_one_place() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let place = source.join("system/diagnostic.rs");
    for file in sources(&source) {
        let text = std::fs::read_to_string(&file).unwrap();
        let (code_of, _) = text.split_once("#[cfg(test)]").unwrap_or((&text, ""));
        if file == place || is_test(&file) {
            continue;
        }
        for line in code_of.lines() {
            for way in [".display()", "to_string_lossy", "as_encoded_bytes().escape"] {
                assert!(!code(line).contains(way), "{}: {line}", file.display());
            }
        }
    }
}

#[test]
fn the_glossary_names_types_that_there_are() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let design = std::fs::read_to_string(root.join("docs/DESIGN.md")).unwrap();
    let glossary = std::fs::read_to_string(root.join("docs/glossary.md")).unwrap();
    let (_, text) = design.split_once("\n## Words and types\n").unwrap();
    let mut count = 0;
    for line in text.lines().filter(|line| line.contains("::")) {
        let last = line.trim_end_matches(" |").rsplit("| ").next().unwrap();
        let (room, name) = last.trim_matches('`').split_once("::").unwrap();
        let made = ["struct", "enum"].map(|kind| format!("{kind} {name}"));
        let is_made = |line: &str| {
            made.iter().any(|made| {
                let rest = code(line).split_once(made.as_str()).map(|(_, rest)| rest);
                rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
            })
        };
        let files = sources(&root.join("src").join(room));
        let there = files.iter().any(|file| {
            let source = std::fs::read_to_string(file).unwrap();
            source.lines().any(is_made)
        });
        assert!(there, "{line}");
        let word = line.split(" | `").next().unwrap();
        assert!(glossary.contains(&format!("\n{word} | ")), "{word}");
        count += 1;
    }
    assert!(count > 30, "{count}");
}

/// Rooms that find answers, and none of their words.
const ANSWERS: [&str; 9] = [
    "analysis",
    "geometry",
    "interval",
    "mechanics",
    "solver",
    "sparse",
    "statics",
    "theorem",
    "effort",
];

/// A text of more words than a name has.
fn is_sentence(text: &str) -> bool {
    let is_word = |word: &&str| word.len() > 1 && word.chars().all(char::is_alphabetic);
    text.split([' ', ',', '.', ';', ':'])
        .filter(is_word)
        .count()
        > 3
}

#[test]
fn answers_are_worded_in_report_alone() {
    assert!(is_sentence("at x1 = 0 the theorem fails"));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let rooms = ANSWERS.map(|room| sources(&source.join(room)));
    for file in rooms.concat() {
        let text = std::fs::read_to_string(&file).unwrap();
        let (own, _tests) = text
            .split_once("#[cfg(test)]\nmod tests {")
            .unwrap_or((&text, ""));
        if file.components().any(|part| part.as_os_str() == "tests") || file.ends_with("tests.rs") {
            continue;
        }
        for line in own.lines().map(code) {
            let mut quoted = line.split('"').skip(1).step_by(2);
            // an attribute tells the compiler why
            assert!(
                line.contains("reason = ") || !quoted.any(is_sentence),
                "{}: {line}",
                file.display()
            );
        }
    }
}

/// What a recipe calls `solver/method.rs` is a file or a folder, here or in the sources.
#[test]
fn the_documents_name_files_that_there_are() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut count = 0;
    for document in ["docs/CONTRIBUTING.md", "docs/DESIGN.md"] {
        let text = std::fs::read_to_string(root.join(document)).unwrap();
        let quoted = text.split('`').skip(1).step_by(2);
        let is_path = |word: &&str| {
            let plain = |c: char| c.is_ascii_lowercase() || "_./".contains(c);
            word.contains('/') && word.chars().all(plain)
        };
        for path in quoted.filter(is_path) {
            let file = format!("{path}.rs");
            let names = [path, &file];
            let there = [root.to_owned(), root.join("src")];
            let is_there = there
                .iter()
                .any(|folder| names.iter().any(|name| folder.join(name).exists()));
            assert!(is_there, "{document}: {path}");
            count += 1;
        }
    }
    assert!(count > 40, "{count}");
}
