//! What the fuzzers found, once and for all: `tests/found/TARGET/*` each broke their target once.
#![allow(clippy::unwrap_used, clippy::expect_used, dead_code)]

#[path = "../../fuzz/targets.rs"]
mod targets;

use std::fs;
use std::path::Path;

#[test]
fn what_was_found_is_mended() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/found");
    for entry in fs::read_dir(folder).unwrap() {
        let folder = entry.unwrap().path();
        if !folder.is_dir() {
            continue;
        }
        let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
        let (_, run) = targets::TARGETS
            .iter()
            .find(|(own, _)| *own == name)
            .unwrap();
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            println!("{}", path.display());
            run(&fs::read(path).unwrap());
        }
    }
}

#[test]
fn every_target_takes_its_corpus() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus");
    for (name, run) in targets::TARGETS {
        // the slow ones have their own tests
        let files = fs::read_dir(folder.join(name)).unwrap();
        let files: Vec<_> = files.map(|entry| entry.unwrap().path()).collect();
        assert!(!files.is_empty(), "{name}");
        for path in files {
            println!("{}", path.display());
            run(&fs::read(path).unwrap());
        }
    }
}
