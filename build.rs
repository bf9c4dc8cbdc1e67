//! The version with the commit it is built from, in `HOLONOM_VERSION`.
//!
//! The commit is that of `HOLONOM_COMMIT` where it is set, else what git says of the package's own repository; without
//! either there is the version alone. Other profiles than release do without git: a commit would build all anew.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-env-changed=HOLONOM_COMMIT");
    println!("cargo::rerun-if-changed=build.rs");
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let mut commit = variable("HOLONOM_COMMIT");
    if commit.is_empty() && variable("PROFILE") == "release" {
        commit = from_git(&variable("CARGO_MANIFEST_DIR")).unwrap_or_default();
    }
    let version = variable("CARGO_PKG_VERSION");
    let commit = match commit.as_str() {
        "" => String::new(),
        commit => format!(" ({commit})"),
    };
    println!("cargo::rustc-env=HOLONOM_VERSION={version}{commit}");
}

/// The commit that is checked out in the repository of which this folder is the root.
fn from_git(folder: &str) -> Option<String> {
    let git = |words: &[&str]| {
        let output = Command::new("git").current_dir(folder).args(words).output();
        let output = output.ok().filter(|output| output.status.success())?;
        Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
    };
    let root = git(&["rev-parse", "--show-toplevel"])?;
    let same = |path: &str| Path::new(path).canonicalize().ok();
    if same(&root)? != same(folder)? {
        return None;
    }
    // a line is added with each commit, and with each change of branch
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]) {
        println!("cargo::rerun-if-changed={log}");
    }
    git(&["rev-parse", "--short=10", "HEAD"])
}
