//! What is installed beside the program: completions, manual pages, the archive of a release.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::folder::Folder;

fn program() -> PathBuf {
    assert_cmd::cargo::cargo_bin("holonom")
}

fn printed(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    String::from_utf8(output.stdout).unwrap()
}

/// What is proposed for the last of some words.
fn proposed(words: &[&str], folder: &Path) -> Vec<String> {
    let mut command = Command::new(program());
    command
        .current_dir(folder)
        .env("HOLONOM_COMPLETE", "bash")
        .env("_CLAP_IFS", "\n")
        .env("_CLAP_COMPLETE_INDEX", words.len().to_string())
        .args(["--", "holonom"])
        .args(words);
    printed(&mut command).lines().map(str::to_owned).collect()
}

#[test]
fn names_of_the_system_are_completed() {
    let folder = Folder::new("names");
    let text = "coordinates: [alpha, beta]\nparameters: {gamma_1: 2}\nkinetic: alpha'^2 + gamma_1*beta'^2\n\
                constraints: {rod: alpha + beta}\n";
    std::fs::write(folder.0.join("own.yaml"), text).unwrap();
    let proposed = |words: &[&str]| proposed(words, &folder.0);
    assert_eq!(proposed(&["equil"]), ["equilibria"]);
    assert_eq!(proposed(&["check", "bead_on_p"]), ["bead_on_parabola"]);
    assert_eq!(proposed(&["check", "ow"]), ["own.yaml"]);
    assert_eq!(proposed(&["check", "own.yaml", "--set", ""]), ["gamma_1="]);
    assert_eq!(
        proposed(&["check", "own.yaml", "--at", "t=1,al"]),
        ["t=1,alpha=", "t=1,alpha'="]
    );
    assert_eq!(
        proposed(&["simulate", "own.yaml", "--columns", "t,l"]),
        ["t,lambda_rod"]
    );
    let both = ["alpha", "beta"];
    assert_eq!(proposed(&["check", "own.yaml", "--dependent", ""]), both);
    assert_eq!(
        proposed(&["simulate", "pendulum", "--method", "i"]),
        ["inverse"]
    );
    // a system that is none, or none at all
    assert!(proposed(&["check", "nothing", "--set", "g"]).is_empty());
    assert!(proposed(&["check", "--set", "g"]).is_empty());
}

#[test]
fn what_a_command_rejects_is_not_proposed() {
    let folder = Folder::new("accepted");
    let proposed = |words: &[&str]| proposed(words, &folder.0);
    let pendulum = ["x", "y", "m", "l", "g"];
    let hoop = ["x", "y", "z"];
    // a parameter alone; of a sweep the start too
    let over = proposed(&["continue", "rotating_hoop", "--over", ""]);
    assert_eq!(over, ["m=", "R=", "g=", "w="]);
    let over = proposed(&["sweep", "pendulum", "--over", ""]);
    assert_eq!(over, ["m=", "l=", "g=", "t=", "x=", "y=", "x'=", "y'="]);
    // what ranges in a map, and what equilibria are looked for in
    for option in ["--x", "--y"] {
        assert_eq!(proposed(&["map", "pendulum", option, ""]), pendulum);
    }
    for command in ["map", "check", "atlas"] {
        let region = proposed(&[command, "pendulum", "--box", ""]);
        assert_eq!(region, pendulum.map(|name| format!("{name}=")));
    }
    for command in ["equilibria", "continue", "inverse"] {
        let region = proposed(&[command, "rotating_hoop", "--box", ""]);
        assert_eq!(region, hoop.map(|name| format!("{name}=")));
    }
    let y = proposed(&["continue", "rotating_hoop", "--y", ""]);
    assert_eq!(y, ["x", "y", "z", "lambda_sphere", "lambda_plane"]);
    assert_eq!(proposed(&["inverse", "pendulum", "--y", ""]), ["rod="]);
    let at = proposed(&["inverse", "pendulum", "--at", ""]);
    assert_eq!(at, ["t=", "x=", "y="]);
    assert_eq!(
        proposed(&["inverse", "pendulum", "--near", ""]),
        ["x=", "y="]
    );
    // constants that the Lagrangian was written with are not freed
    assert_eq!(proposed(&["derive", "pendulum", "--free", ""]), ["rod"]);
    // columns of a motion are still those
    let columns = proposed(&["plot", "pendulum", "--y", "F"]);
    assert_eq!(columns, ["F_rod"]);
}

#[cfg(unix)]
#[test]
fn bash_completes_with_the_script() {
    let folder = program().parent().unwrap().to_owned();
    let path = format!(
        "{}:{}",
        folder.display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let script = "source <(holonom completions bash)\n\
                  COMP_WORDS=(holonom simulate pendulum --set '') COMP_CWORD=4\n\
                  _clap_complete_holonom holonom '' --set\n\
                  printf '%s\\n' \"${COMPREPLY[@]}\"\n";
    let said = printed(
        Command::new("bash")
            .args(["--norc", "-c", script])
            .env("PATH", path),
    );
    assert_eq!(said.lines().collect::<Vec<_>>(), ["m=", "l=", "g="]);
}

#[test]
fn every_command_has_a_page() {
    let folder = Folder::new("man");
    let said = printed(Command::new(program()).arg("man").arg(&folder.0));
    assert!(said.is_empty());
    for name in holonom::commands::Command::names() {
        let page = folder.0.join(format!("holonom-{name}.1"));
        let text = std::fs::read_to_string(page).unwrap();
        assert!(text.contains(".SH SYNOPSIS"), "{name}");
    }
    let page = std::fs::read_to_string(folder.0.join("holonom-check.1")).unwrap();
    assert!(page.contains("holonom check bead_on_parabola"), "{page}");
    let page = printed(Command::new(program()).arg("man"));
    assert!(page.contains(".TH holonom 1") && page.contains("Exit code"));
}

#[test]
fn the_version_is_that_of_the_package() {
    let said = printed(Command::new(program()).arg("--version"));
    let version = concat!("holonom ", env!("CARGO_PKG_VERSION"));
    let rest = said.trim_end().strip_prefix(version).unwrap();
    // a commit where it was built from one
    assert!(
        rest.is_empty() || rest.starts_with(" (") && rest.ends_with(')'),
        "{said}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_release_has_what_is_installed() {
    let folder = Folder::new("release");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    // stands for the program, which without optimisation takes seconds to pack
    let small = folder.0.join("small");
    let script = format!("#!/bin/sh\nexec '{}' \"$@\"\n", program().display());
    std::fs::write(&small, script).unwrap();
    printed(Command::new("chmod").arg("755").arg(&small));
    let made = |place: &str| {
        let mut command = Command::new(root.join("tools/release.sh"));
        command
            .arg(folder.0.join(place))
            .env("HOLONOM", &small)
            .env("CARGO_NET_OFFLINE", "true");
        printed(&mut command).trim_end().to_owned()
    };
    let archive = made("one");
    let list = printed(Command::new("tar").args(["-tzf", &archive]));
    for file in [
        "holonom",
        "completions/holonom.bash",
        "completions/_holonom",
        "completions/holonom.fish",
        "man/man1/holonom.1",
        "man/man1/holonom-simulate.1",
        "schema.json",
        "LICENSE",
        "licences/crates.txt",
    ] {
        let named = |line: &str| line.ends_with(&format!("/{file}"));
        assert!(list.lines().any(named), "{file}: {list}");
    }
    assert!(list.contains("licences/nalgebra-"), "{list}");
    let again = made("two");
    assert_eq!(
        std::fs::read(archive).unwrap(),
        std::fs::read(again).unwrap()
    );
}
