//! What the documents show of the program is what it prints.
//!
//! A block that begins with `$ holonom …` is run, in a folder with the files that the same document shows (a fence
//! `yaml NAME.yaml`). `| head -N` keeps the first lines, a line `[…]` stands for any number of lines.
//! Commands in running text and the examples of the help pages are run too, and end as they should.
//! `HOLONOM_UPDATE=1 cargo test --test program docs` writes the outputs of blocks that have no such line anew.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::folder::{Folder, said, words};

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
fn printed(command: &str, folder: &Folder) -> Vec<String> {
    let (command, count) = match command.split_once(" | head -") {
        Some((command, count)) => (command, count.parse().unwrap()),
        None => (command, usize::MAX),
    };
    let (_, out, err) = folder.run(&words(command));
    let shown = if out.is_empty() { err } else { out };
    let lines = shown.trim_end().lines().map(str::to_owned);
    lines.take(count).collect()
}

/// The commands in running text: `` `holonom check swing.yaml` ``, but not `` `holonom show NAME` ``, and none that
/// writes a file which is there already.
fn mentioned(line: &str) -> impl Iterator<Item = &str> {
    let quoted = line.split('`').skip(1).step_by(2);
    let told = quoted.filter_map(|text| text.strip_prefix("holonom "));
    let told = told.filter(|text| !text.contains(|c: char| c.is_uppercase() || c == '…'));
    told.filter(|text| text.contains(' ') && !text.starts_with("new "))
}

/// The table of measured values that documents and help pages speak of.
fn measured(folder: &Folder) {
    std::fs::write(folder.file("run.csv"), "t,x\n0,0.1\n1,0.2\n").unwrap();
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
        let folder = Folder::new(&format!("docs-{name}"));
        measured(&folder);
        let text = std::fs::read_to_string(&path).unwrap();
        let mut made = String::new();
        for part in blocks(&text) {
            let block = match part {
                Ok(block) => block,
                Err(line) => {
                    for command in mentioned(line) {
                        let (code, _, err) = folder.run(&words(command));
                        assert!(code <= 1, "{name}: {command}\n{err}");
                    }
                    made += line;
                    made.push('\n');
                    continue;
                }
            };
            let mut lines: Vec<String> = block.lines.iter().map(|&line| line.to_owned()).collect();
            if let Some(file) = block.kind.strip_prefix("yaml ") {
                std::fs::write(folder.file(file), block.lines.join("\n") + "\n").unwrap();
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
        if update {
            std::fs::write(&path, made).unwrap();
        }
    }
    assert!(shown >= 30, "{shown}");
}

/// What is shown as on paper is part of what `--pretty` prints.
#[test]
fn documents_show_formulas_as_on_paper() {
    let said = printed("derive bead_on_parabola --pretty", &Folder::new("paper")).join("\n");
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
        // `solver/events.rs`, `system/semantics/` where the sources are told of
        let of_sources = ["CONTRIBUTING.md", "DESIGN.md"]
            .iter()
            .any(|own| path.ends_with(own));
        for word in text.split('`').skip(1).step_by(2).filter(|_| of_sources) {
            let is_path = word.ends_with('/') || Path::new(word).extension() == Some("rs".as_ref());
            if !is_path || !word.contains('/') || word.contains(char::is_whitespace) {
                continue;
            }
            let places = ["", "src", "tests"].map(|place| root.join(place).join(word));
            let there = places.iter().any(|at| at.exists());
            assert!(there, "{}: {word}", path.display());
        }
    }
}

/// The file that examples of the help pages call their reader's own.
const OWN: &str = "\
coordinates: [x, y, th]
parameters: {m: 1, g: 9.81, l: 1}
lagrangian: m/2*(x'^2 + y'^2) - m*g*y
constraints: {across: x = l*sin(th), down: y = -l*cos(th)}
start: {th: 0.5}
guess: {x': 0}
run: {until: 1}
";
/// The examples that end with another code than 0, as their help says: the theorem fails at the point, or
/// over the range.
const FAILS: [&str; 2] = [
    "check bead_on_parabola --at x1=0,x2=0",
    "check slider_crank --dependent phi,x --box a=0.4:1.6",
];
/// Numbers of runs that are many, and some that take less time.
const MANY: [(&str, &str); 3] = [("100000", "32"), (":500", ":3"), ("1000", "5")];

/// The examples at the end of a help page, those on two lines joined, without what is said beside them.
fn examples(page: &str) -> Vec<String> {
    let (_, list) = page.split_once("\nExamples:\n").unwrap_or_default();
    let mut examples: Vec<String> = Vec::new();
    for line in list.lines().map(str::trim) {
        // what a shell reads in at its start
        let line = line.strip_prefix("source <(").unwrap_or(line);
        match (line.strip_prefix("holonom"), examples.last_mut()) {
            (Some(example), _) => {
                let told = example.split("   ").next().map(str::trim);
                examples.extend(told.map(|told| told.trim_end_matches(')').to_owned()));
            }
            (None, Some(last)) => *last = format!("{last} {line}"),
            (None, None) => panic!("{list}"),
        }
    }
    examples
}

#[test]
fn examples_of_the_help_pages_run() {
    let names = holonom::commands::Command::names();
    let commands = names.iter().map(|name| vec![name.as_str()]);
    let mut run = 0;
    for mut page in commands.chain([Vec::new()]) {
        let folder = Folder::new(&format!("help-{}", page.concat()));
        page.push("--help");
        std::fs::create_dir_all(folder.0.join(".config/fish/completions")).unwrap();
        for example in examples(&folder.run(&page).1) {
            let file = folder.file("my.yaml");
            if example.starts_with("new") {
                let _ = std::fs::remove_file(&file);
            } else {
                std::fs::write(&file, OWN).unwrap();
            }
            measured(&folder);
            let few = |text: String, (many, few): &(&str, &str)| text.replace(many, few);
            let line = MANY.iter().fold(example.clone(), few);
            if line.starts_with("gather") {
                for part in 1..=16 {
                    let part = format!(
                        "sweep my.yaml --over l=1:2:32 -o runs.{part}-of-16.csv --shard {part}/16"
                    );
                    assert_eq!(folder.run(&words(&part)).0, 0, "{part}");
                }
            }
            let mut shell = std::process::Command::new("/bin/sh");
            let program = env!("CARGO_BIN_EXE_holonom");
            let (line, _) = line.split_once(" | ").unwrap_or((&line, ""));
            let line = format!("holonom {line}");
            let line = line.replace("holonom ", &format!("'{program}' "));
            // whatever is installed here, nothing is submitted, and nothing written elsewhere
            shell.env("PATH", "/nonexistent").env("HOME", &folder.0);
            shell.current_dir(&folder.0);
            let ended = shell.args(["-c", &line]).output();
            let (code, _, err) = said(&ended.unwrap());
            let wanted = i32::from(FAILS.contains(&example.as_str()));
            assert_eq!(code, wanted, "holonom {example}\n{err}");
            run += 1;
        }
    }
    assert!(run >= 70, "{run}");
}
