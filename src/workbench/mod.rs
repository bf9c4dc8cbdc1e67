//! The terminal face: a system's text, the theorem along its motion, and plots, in one screen.
//!
//! ```text
//! keys, signals, worker, clock ──> Event ──> update(state) ──> Effects (files, worker)
//!                                              │
//!                                              └──> view(&state) ──> screen
//! ```
//!
//! What a key does stands in one table ([`action::TABLE`]), from which footer and help are made. The
//! state changes only in [`update`], which touches nothing outside; drawing changes nothing. The
//! analysis runs on a worker thread and is the same that the commands print; keys are read, the journal is
//! written and the file is watched on threads of their own.

pub mod action;
mod app;
mod choice;
mod completion;
mod dialog;
mod document;
mod editor;
mod equilibria;
mod event;
mod export;
mod face;
mod files;
mod formulas;
mod inquiry;
mod journal;
mod keyboard;
mod layout;
mod map;
mod mouse;
mod nearest;
mod outside;
mod parameters;
mod playhead;
mod plots;
mod range;
mod report;
mod screen;
mod spoken;
pub mod stage;
mod state;
mod terminal;
mod text;
mod theme;
mod update;
mod view;
mod watch;
mod worker;
mod writing;

#[cfg(test)]
mod tests;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use crate::system::{self as library, Builtin, Changes, Input, Measured};
use dialog::Entry;
use document::Source;
use state::Opening;

pub use app::Ending;
pub use state::Shown;
pub use theme::Scheme;

/// How the workbench is started.
#[derive(Clone, Debug)]
pub struct Options {
    /// The system to open: a file, standard input, or a built-in system, with its text.
    pub input: Input,
    /// Parameters set on the command line; they hold until another system is opened.
    pub set: Vec<(String, String)>,
    /// What was measured; it holds until another system is opened.
    pub measured: Option<Arc<Measured>>,
    /// Plain ASCII, whatever the terminal can.
    pub ascii: bool,
    /// The colours; `None` lets the environment choose.
    pub scheme: Option<Scheme>,
    /// Whether the mouse belongs to the workbench, and not to the terminal for selecting text.
    pub mouse: bool,
    /// As a screen, or in lines.
    pub shown: Shown,
}

/// Opens the workbench and runs it until it is left. Standard input and output must be terminals.
///
/// The terminal is as it was when this returns, also with an error. Where a signal ended it, unsaved
/// text is in the file that the [`Ending`] names, and the caller should exit with 128 + the signal.
pub fn run(options: Options) -> io::Result<Ending> {
    let file = options.input.file;
    let source = match library::find(&file) {
        Some(known) if known.text == options.input.text => Source::BuiltIn(file),
        _ if file == "standard input" => Source::Input,
        _ => Source::File(PathBuf::from(file)),
    };
    app::run(Opening {
        source,
        text: options.input.text,
        changes: Changes {
            set: options.set,
            measured: options.measured,
            ..Changes::default()
        },
        theme: terminal::theme(
            options.ascii || options.shown == Shown::Lines,
            options.scheme,
        ),
        size: (0, 0),
        mouse: options.mouse,
        first_run: false,
        shown: options.shown,
    })
}

/// The built-in systems, as the chooser lists them.
fn built_ins() -> Vec<Entry> {
    let entry = |known: &Builtin| Entry {
        group: "Built in",
        source: Source::BuiltIn(known.name.to_owned()),
        name: known.name.to_owned(),
        title: known.title(),
        about: known.source().unwrap_or_default(),
    };
    library::builtin().iter().map(entry).collect()
}
