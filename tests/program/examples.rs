//! The programs of `examples/` run, and say what is true.

#![allow(clippy::unwrap_used)]

use std::path::PathBuf;
use std::process::{Command, Output};

/// Runs an example as cargo built it beside this test; builds it where only this test was built.
fn example(name: &str, words: &[&str]) -> Output {
    let test = std::env::current_exe().unwrap();
    let folder = test.parent().and_then(|deps| deps.parent()).unwrap();
    let program: PathBuf = folder.join("examples").join(name);
    if !program.exists() {
        let cargo = Command::new(env!("CARGO"))
            .args(["build", "--offline", "--example", name, "--target-dir"])
            .arg(folder.parent().unwrap())
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .status();
        assert!(cargo.unwrap().success());
    }
    Command::new(program).args(words).output().unwrap()
}

fn printed(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn the_example_that_derives_prints_equations_and_refuses_bad_files_with_their_place() {
    let output = example("derive", &[]);
    assert!(output.status.success());
    assert!(printed(&output).contains("lambda_wire"));
    let bad = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bad/unknown_name.yaml");
    let output = example("derive", &[bad]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("unknown_name.yaml:3:17"));
}

#[test]
fn the_example_that_checks_fails_where_the_theorem_fails() {
    let holds = example("theorem", &[]);
    assert_eq!(holds.status.code(), Some(0));
    let fails = example("theorem", &["bead_on_parabola", "x1=0", "x2=0"]);
    assert_eq!(fails.status.code(), Some(1));
    assert_ne!(printed(&holds), printed(&fails));
}

#[test]
fn the_example_that_sweeps_finds_the_pull_of_a_pendulum() {
    let output = example("sweep", &[]);
    let text = printed(&output);
    let rows: Vec<(f64, f64)> = text
        .lines()
        .skip(1)
        .filter_map(|line| line.split_once(','))
        .map(|(angle, pull)| (angle.parse().unwrap(), pull.parse().unwrap()))
        .collect();
    assert_eq!(rows.len(), 5);
    for (degrees, pull) in rows {
        // let go at rest, it pulls most at the bottom: m g (3 - 2 cos)
        let known = 9.81 * (3.0 - 2.0 * f64::to_radians(degrees).cos());
        assert!(
            (pull - known).abs() < 1e-3 * known,
            "{degrees}: {pull} and {known}"
        );
    }
}
