//! A folder of its own for a test.

// a helper of a test fails the test
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs};

/// A folder that is removed at the end.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        static MADE: AtomicUsize = AtomicUsize::new(0);
        let (own, place) = (std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
        let path = env::temp_dir().join(format!("holonom-{name}-{own}-{place}"));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// The path of a file in it.
    pub fn file(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).unwrap()
    }

    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// The program in this folder, with nobody at its ends.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_holonom"));
        command.args(arguments).current_dir(&self.0);
        command.env_remove("COLUMNS").stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// How the program ends in this folder, and what it writes.
    pub fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        said(&self.command(arguments).output().unwrap())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Exit code, output and errors of a program that was not killed.
pub fn said(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let code = output.status.code().expect("it was killed");
    (code, text(&output.stdout), text(&output.stderr))
}

/// The words of a command line as a shell takes them, without its quotes.
pub fn words(line: &str) -> Vec<&str> {
    let mut list = Vec::new();
    for (place, part) in line.split('"').enumerate() {
        if place % 2 == 1 {
            list.push(part);
        } else {
            list.extend(part.split_whitespace());
        }
    }
    list
}
