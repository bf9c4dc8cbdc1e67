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

#[test]
fn the_geometry_knows_no_expressions() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/geometry");
    for file in sources(&folder) {
        let text = std::fs::read_to_string(&file).unwrap();
        for line in text.lines() {
            let own = ["crate::sparse", "crate::geometry"];
            let foreign =
                code(line).contains("crate::") && !own.iter().any(|o| code(line).contains(o));
            assert!(!foreign, "{}: {line}", file.display());
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

/// A path becomes words in one place, which no escape sequence in a name gets through: everything else asks it.
#[test]
fn paths_are_put_into_words_in_one_place() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let place = source.join("system/diagnostic.rs");
    for file in sources(&source) {
        let text = std::fs::read_to_string(&file).unwrap();
        let (code_of, _) = text.split_once("#[cfg(test)]").unwrap_or((&text, ""));
        let is_test =
            file.components().any(|part| part.as_os_str() == "tests") || file.ends_with("tests.rs");
        if file == place || is_test {
            continue;
        }
        for line in code_of.lines() {
            for way in [".display()", "to_string_lossy", "as_encoded_bytes().escape"] {
                assert!(!code(line).contains(way), "{}: {line}", file.display());
            }
        }
    }
}
