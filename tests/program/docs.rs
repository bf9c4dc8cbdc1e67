//! What the documents show of the program is what it prints.
//!
//! A block that begins with `$ holonom …` is run, in a folder with the files that the same document shows (a fence
//! `yaml NAME.yaml`). `| head -N` keeps the first lines, a line `[…]` stands for any number of lines.
//! `HOLONOM_UPDATE=1 cargo test --test program docs` writes the outputs of blocks that have no such line anew.

#![allow(clippy::unwrap_used, clippy::panic)]

use assert_cmd::Command;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Stands for any number of lines.
const GAP: &str = "[…]";

fn documents() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut list = vec![root.join("README.md")];
    let docs = std::fs::read_dir(root.join("docs")).unwrap();
    list.extend(docs.map(|entry| entry.unwrap().path()));
    list.retain(|path| path.extension().is_some_and(|e| e == "md"));
    list.sort();
    list
}

/// A fenced block: what stands behind the fence, and its lines.
struct Block<'a> {
    kind: &'a str,
    lines: Vec<&'a str>,
}

/// The text cut at fences: what is between blocks, and the blocks.
fn blocks(text: &str) -> Vec<Result<Block<'_>, &str>> {
    let mut parts = Vec::new();
    let mut open: Option<Block> = None;
    for line in text.lines() {
        match (&mut open, line.trim_start().strip_prefix("```")) {
            (None, Some(kind)) => {
                let lines = Vec::new();
                open = Some(Block { kind, lines });
            }
            (None, None) => parts.push(Err(line)),
            (Some(_), Some(_)) => parts.extend(open.take().map(Ok)),
            (Some(block), None) => block.lines.push(line),
        }
    }
    assert!(open.is_none(), "a block without an end");
    parts
}

/// What a command of a document prints.
fn printed(command: &str, folder: &Path) -> Vec<String> {
    let (command, count) = match command.split_once(" | head -") {
        Some((command, count)) => (command, count.parse().unwrap()),
        None => (command, usize::MAX),
    };
    let output = Command::cargo_bin("holonom")
        .unwrap()
        .args(command.split(' '))
        .current_dir(folder)
        .env_remove("COLUMNS")
        .output()
        .unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    let shown = if out.is_empty() { err } else { out };
    let lines = shown.trim_end().lines().map(str::to_owned);
    lines.take(count).collect()
}

/// Whether lines are those wanted, where [`GAP`] stands for any.
fn agree(lines: &[String], wanted: &[&str]) -> bool {
    match wanted.split_first() {
        None => lines.is_empty(),
        Some((&GAP, rest)) => (0..=lines.len()).any(|from| agree(&lines[from..], rest)),
        Some((first, rest)) => lines
            .split_first()
            .is_some_and(|(line, lines)| line == first && agree(lines, rest)),
    }
}

#[test]
fn documents_show_what_is_printed() {
    let update = std::env::var_os("HOLONOM_UPDATE").is_some();
    let mut shown = 0;
    for path in documents() {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let folder =
            std::env::temp_dir().join(format!("holonom-docs-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let mut made = String::new();
        for part in blocks(&text) {
            let block = match part {
                Ok(block) => block,
                Err(line) => {
                    made += line;
                    made.push('\n');
                    continue;
                }
            };
            let mut lines: Vec<String> = block.lines.iter().map(|&line| line.to_owned()).collect();
            if let Some(file) = block.kind.strip_prefix("yaml ") {
                std::fs::write(folder.join(file), block.lines.join("\n") + "\n").unwrap();
            }
            if let Some((first, wanted)) = block.lines.split_first()
                && let Some(command) = first.strip_prefix("$ holonom ")
            {
                shown += 1;
                let printed = printed(command, &folder);
                if update && !wanted.contains(&GAP) {
                    lines = vec![(*first).to_owned()];
                    lines.extend(printed);
                } else {
                    let place = path.display();
                    let printed_text = printed.join("\n");
                    assert!(
                        agree(&printed, wanted),
                        "{place}: {command}\n{printed_text}"
                    );
                }
            }
            let _ = writeln!(made, "```{}", block.kind);
            for line in lines {
                made += &line;
                made.push('\n');
            }
            made += "```\n";
        }
        std::fs::remove_dir_all(&folder).unwrap();
        if update {
            std::fs::write(&path, made).unwrap();
        }
    }
    assert!(shown >= 30, "{shown}");
}

/// What is shown as on paper is part of what `--pretty` prints.
#[test]
fn documents_show_formulas_as_on_paper() {
    let said = printed("derive bead_on_parabola --pretty", &std::env::temp_dir()).join("\n");
    let mut shown = 0;
    for path in documents() {
        let text = std::fs::read_to_string(&path).unwrap();
        for paper in text.split("```text\nMultipliers, where").skip(1) {
            let (paper, _) = paper.split_once("```").unwrap();
            for part in paper.split("\n\n") {
                assert!(said.contains(part.trim_end()), "{part}\n{said}");
                shown += 1;
            }
        }
    }
    assert!(shown >= 2);
}

/// A path that a document names is there.
#[test]
fn documents_name_files_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for path in documents() {
        let text = std::fs::read_to_string(&path).unwrap();
        for link in text.split("](").skip(1) {
            let (target, _) = link.split_once(')').unwrap();
            let (file, _) = target.split_once('#').unwrap_or((target, ""));
            if file.is_empty() || file.contains("://") {
                continue;
            }
            let at = path.parent().unwrap_or(root).join(file);
            assert!(at.exists(), "{}: {target}", path.display());
        }
    }
}
