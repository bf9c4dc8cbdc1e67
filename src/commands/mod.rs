//! The headless face: a file per command. Results go to standard output, everything else to
//! standard error.
//!
//! | exit code | meaning |
//! |---|---|
//! | 0 | done; `check`: the theorem applies |
//! | 1 | `check`: the theorem fails; `compare`: the methods differ |
//! | 2 | the input cannot be used |
//! | 3 | the computation could not be finished |

mod check;
mod compare;
mod derive;
mod input;
mod library;
mod simulate;

pub use check::{CheckArgs, check};
pub use compare::{CompareArgs, compare};
pub use derive::{DeriveArgs, derive};
pub use input::{SystemArgs, pairs};
pub use library::{ListArgs, ShowArgs, list, show};
pub use simulate::{SimulateArgs, simulate};

use crate::analysis::RequestError;
use crate::system::{Diagnostic, LoadError};
use serde_json::Value;
use std::io::Write;

/// Why a command ended without its result.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// The file has errors.
    #[error("{}", .0.iter().map(Diagnostic::render).collect::<Vec<_>>().join("\n"))]
    File(Vec<Diagnostic>),
    /// The file could not be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The request does not fit the system.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// An option's value cannot be used.
    #[error("{option}: {why}")]
    Option {
        /// The option.
        option: &'static str,
        /// What is wrong.
        why: String,
    },
    /// The result could not be written.
    #[error("could not write {place}: {error}")]
    Write {
        /// Where to.
        place: String,
        /// What went wrong.
        error: std::io::Error,
    },
}

impl CommandError {
    /// The exit code: the input could not be used.
    pub const CODE: u8 = 2;
}

/// How a result is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// For people.
    Text,
    /// One object.
    Json,
}

/// Writes a result to standard output. A reader that has gone away is no error.
fn print(text: &str) -> Result<(), CommandError> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(CommandError::Write {
            place: "standard output".to_owned(),
            error,
        }),
        _ => Ok(()),
    }
}

/// A JSON object with a line end. Control characters beyond ASCII are escaped as well.
fn json_text(value: &Value) -> String {
    let mut text = String::new();
    for c in value.to_string().chars() {
        if c.is_control() {
            text.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            text.push(c);
        }
    }
    text.push('\n');
    text
}

/// Says on standard error why there is no result.
pub fn report_error(error: &CommandError) {
    match error {
        // diagnostics carry their own heading
        CommandError::File(_) | CommandError::Load(LoadError::Content(_)) => {
            note(&error.to_string());
        }
        _ => note(&format!("error: {error}")),
    }
}

/// Says something beside the result.
fn note(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}
