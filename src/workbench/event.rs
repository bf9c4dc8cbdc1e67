//! Everything that can happen to the workbench.

use std::path::PathBuf;

use crossterm::event::{KeyEvent, MouseEvent};

use super::document::{Listing, Saved, Source};
use super::journal::Kept;
use super::outside::Edited;
use super::state::Writing;
use super::worker::{Answer, Found};

/// One thing that happened.
pub enum Event {
    /// A key was pressed.
    Key(KeyEvent),
    /// Keys that are text were pressed, one after the other, a line break for Enter.
    Typed(String),
    /// Text was pasted.
    Paste(String),
    /// The mouse did something.
    Mouse(MouseEvent),
    /// The terminal has another size: columns and rows.
    Resize(u16, u16),
    /// So many seconds have passed since the last tick.
    Tick(f64),
    /// The worker has finished.
    Answer(Answer),
    /// It has answered a question.
    Replied(Found),
    /// A text was read.
    Loaded {
        /// From where.
        source: Source,
        /// The text, or why there is none.
        text: Result<String, String>,
    },
    /// The writing of a file has ended.
    Written {
        /// What was to be written.
        writing: Writing,
        /// How it ended.
        how: Result<Saved, String>,
    },
    /// What earlier sessions left unsaved: of this document, and the names of others; who else has it open.
    Recovered {
        /// Text of this document.
        kept: Option<Kept>,
        /// Other documents that have some.
        others: Vec<Source>,
        /// Another session has this file open.
        shared: bool,
    },
    /// Whether unsaved text is kept for the case of a sudden end: nothing, or why it is not.
    Keeping(Option<String>),
    /// The user's own editor has ended.
    Edited(Edited),
    /// The file holds something else than it did.
    Disk {
        /// The file.
        path: PathBuf,
        /// What it holds, nothing where it is gone; or why it cannot be read.
        text: Result<Option<String>, String>,
    },
    /// The system asks the program to stop until it may go on.
    Suspend,
    /// It may go on: the terminal may have been used by others.
    Continued,
    /// The system files of the folder.
    Listed {
        /// Files of the folder.
        files: Vec<Listing>,
        /// Documents of which an earlier session left unsaved text.
        kept: Vec<Source>,
    },
    /// The system asks the program to end: the number of the signal.
    Signal(i32),
    /// There is no more input.
    InputLost,
}
