//! Bad files: each is refused with exactly the diagnostics of its snapshot. `tests/bad/*.yaml` are the
//! ones that fit a file; hostile ones are made in [`hostile`].

#![allow(clippy::unwrap_used, clippy::expect_used)]

use super::hostile::hostile;
use holonom::system::{Diagnostic, System};
use std::fmt::Write as _;
use std::path::Path;

/// What the user is shown for a bad input.
fn refusal(bytes: &[u8], file: &str) -> String {
    let errors = System::read(bytes, file, &[]).expect_err("it is read as a system");
    assert!(!errors.is_empty() && errors.len() <= 20);
    let shown: Vec<String> = errors.iter().map(Diagnostic::render).collect();
    let shown = shown.join("\n");
    let bad = shown.chars().find(|c| c.is_control() && *c != '\n');
    assert_eq!(bad, None, "a raw control character");
    shown
}

#[test]
fn every_bad_file_has_its_diagnostics() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    assert!(files.len() > 50);
    for file in files {
        let bytes = std::fs::read(&file).unwrap();
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let shown = refusal(&bytes, &format!("{name}.yaml"));
        let text = String::from_utf8(bytes).unwrap();
        insta::with_settings!({ description => text, omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(name, shown);
        });
    }
}

#[test]
fn hostile_files_are_refused_at_once() {
    let mut shown = String::new();
    for (what, bytes) in hostile() {
        let _ = writeln!(shown, "== {what}\n{}", refusal(&bytes, "hostile.yaml"));
    }
    assert!(shown.len() < 60_000, "{}", shown.len());
    insta::with_settings!({ prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("hostile", shown);
    });
}
