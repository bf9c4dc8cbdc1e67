//! Everything that can happen to the workbench.

use std::path::PathBuf;

use crossterm::event::KeyEvent;

use super::document::{Listing, Saved, Source};
use super::worker::Answer;

/// One thing that happened.
pub enum Event {
    /// A key was pressed.
    Key(KeyEvent),
    /// Text was pasted.
    Paste(String),
    /// The terminal has another size: columns and rows.
    Resize(u16, u16),
    /// So many seconds have passed since the last tick.
    Tick(f64),
    /// The worker has finished.
    Answer(Answer),
    /// A text was read.
    Loaded {
        /// From where.
        source: Source,
        /// The text, or why there is none.
        text: Result<String, String>,
    },
    /// A save has ended.
    Saved {
        /// The file.
        path: PathBuf,
        /// What was to be written.
        text: String,
        /// How it ended.
        how: Result<Saved, String>,
    },
    /// An export has ended.
    Exported {
        /// The file.
        path: PathBuf,
        /// What was to be written.
        text: String,
        /// How it ended.
        how: Result<Saved, String>,
    },
    /// The system files of the folder.
    Listed(Vec<Listing>),
    /// The system asks the program to end: the number of the signal.
    Signal(i32),
    /// There is no more input.
    InputLost,
}
