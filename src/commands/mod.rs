//! The headless face: a file per command. Results go to standard output, everything else to
//! standard error.
//!
//! | exit code | meaning |
//! |---|---|
//! | 0 | done; `check`: the theorem applies |
//! | 1 | `check`: the theorem fails; `compare`: the methods differ; `verify`: a known fact does not hold; what `--assert` claims is not proven |
//! | 2 | the input cannot be used |
//! | 3 | the computation could not be finished, or something proven has no certificate |
//! | 129, 130, 143 | a signal ended it: HUP, INT, TERM |

mod assertion;
mod atlas;
mod certificate;
mod check;
mod compare;
mod completions;
mod continuation;
mod derive;
mod equilibria;
mod gather;
mod input;
pub mod interrupt;
mod inverse;
mod library;
mod man;
mod map;
mod new;
mod output;
mod picture;
mod plot;
pub mod progress;
mod schema;
mod simulate;
mod sweep;
mod table;
mod vary;
mod verify;

pub use check::{CheckArgs, check};
pub use completions::answer;
pub use input::{measured, pairs, value};
pub use output::speaks_unicode;
pub use table::Command;

use crate::analysis::RequestError;
use crate::disk::Refusal;
use crate::report::{refusal_in_file, refusal_sentence, write_json};
use crate::solver::SolverError;
use crate::system::{Diagnostic, LoadError, nearest, nearest_or_all, quote};
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
    Request(RequestError),
    /// An optimum has no motion.
    #[error(
        "an `objective` has no motion to run; check, derive, inverse, atlas, map, equilibria and verify take this system"
    )]
    NoMotion,
    /// The value of an option, or the file that it names, cannot be used.
    #[error("{option}: {why}")]
    Option {
        /// The option or the file.
        option: String,
        /// What is wrong.
        why: String,
    },
    /// The result could not be written.
    #[error("could not write {place}: {error}")]
    Write {
        /// Where to.
        place: String,
        /// What went wrong.
        error: Refusal,
    },
}

impl From<RequestError> for CommandError {
    fn from(error: RequestError) -> Self {
        match refusal_in_file(&error) {
            Some(faults) => Self::File(faults),
            None => Self::Request(error),
        }
    }
}

impl CommandError {
    /// The value of an option, or the file that it names, cannot be used.
    #[allow(clippy::needless_pass_by_value)] // the words are made where they are said
    fn option(option: impl Into<String>, why: impl ToString) -> Self {
        let (option, why) = (option.into(), why.to_string());
        Self::Option { option, why }
    }

    /// An option's value is written in another way than it is to be.
    fn form(option: &'static str, text: &str, form: &str) -> Self {
        Self::option(
            option,
            format!("`{}` is not of the form {form}", quote(text)),
        )
    }

    /// What an option asks for does not fit the system.
    pub(super) fn of(option: &'static str) -> impl Fn(RequestError) -> Self {
        move |error| Self::option(option, error)
    }

    /// A name that an option does not know: `no method`, with the nearest that it does, or all.
    fn unknown<'a>(
        option: &'static str,
        what: &str,
        name: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let help = nearest_or_all(name, known);
        Self::option(option, format!("`{}` is {what}; {help}", quote(name)))
    }

    /// The exit code: the input could not be used.
    pub const CODE: u8 = 2;
}

/// Writes a text to standard output.
fn print_text(text: &str) -> Result<(), CommandError> {
    output::print(Box::new(|out| out.write_all(text.as_bytes())))
}

/// Writes an object to standard output.
fn print_json(value: &Value) -> Result<(), CommandError> {
    output::print(Box::new(|out| write_json(out, value)))
}

/// Says on standard error why there is no result.
pub fn report_error(error: &CommandError) {
    match error {
        // diagnostics carry their own heading
        CommandError::File(_) | CommandError::Load(LoadError::Content(_)) => {
            complain(error.to_string().trim_end());
        }
        _ => complain(&output::fitted(&format!("error: {error}"))),
    }
}

/// The command that a word was perhaps meant to be.
pub fn nearest_command(word: &str) -> Option<String> {
    let names = Command::names();
    nearest(word, names.iter().map(String::as_str)).map(str::to_owned)
}

/// Says something beside the result, unless that is not wanted.
pub fn note(text: &str) {
    if !progress::is_quiet() {
        complain(text);
    }
}

/// Says that what was looked at does not lie about the start.
fn without_start(why: &RequestError) {
    let text = format!("note: there is no start: {why}");
    note(crate::report::prose(&text, output::width()).trim_end());
}

/// Says why a motion did not come to its end.
fn unfinished(because: &SolverError) {
    complain(&format!("not finished: {}", refusal_sentence(because)));
}

/// Says what went wrong.
pub fn complain(text: &str) {
    progress::end();
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}
