//! The user's own editor on the text, in the place of the workbench.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{env, fs};

use super::document::{self, Document};
use super::journal::{is_saved, lend};
use crate::system::{shown, spelled};

/// Whether another program has the terminal: signals of its keys are meant for it.
pub static AWAY: AtomicBool = AtomicBool::new(false);

/// The editor: `$VISUAL`, `$EDITOR`, or what is there on every system.
fn editor() -> String {
    let set = |name| env::var(name).ok().filter(|value| !value.trim().is_empty());
    let by_itself = || if cfg!(windows) { "notepad" } else { "vi" }.to_owned();
    set("VISUAL")
        .or_else(|| set("EDITOR"))
        .unwrap_or_else(by_itself)
}

/// What the user's own editor made of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edited {
    /// It ended well: the text.
    Done(String),
    /// It did not end well.
    Broken {
        /// What it had saved before.
        saved: Option<String>,
        /// What happened.
        why: String,
    },
}

impl Edited {
    fn broken(why: String) -> Self {
        Self::Broken { saved: None, why }
    }
}

/// What comes back from the user's own editor.
pub struct Returned {
    /// What it made of the text.
    pub edited: Edited,
    /// Its copy of a text that is nowhere else: it goes when the text is kept.
    pub copy: Option<PathBuf>,
}

impl From<Edited> for Returned {
    fn from(edited: Edited) -> Self {
        Self { edited, copy: None }
    }
}

impl Edited {
    /// The text that came back.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Done(text) => Some(text),
            Self::Broken { saved, .. } => saved.as_deref(),
        }
    }
}

/// Lets the user edit the text. The terminal must have been given back.
///
/// The editor gets a copy, at `place` if that takes it: what becomes of the file itself is decided in the workbench,
/// and the text comes back as one step that can be undone. A copy that cannot be read back stays where it is.
pub fn edit(document: &Document, text: &str, place: Option<PathBuf>) -> Returned {
    let path = match lent(document, text, place) {
        Ok(path) => path,
        Err(why) => return Edited::broken(why).into(),
    };
    AWAY.store(true, Ordering::SeqCst);
    let ended = command(&editor(), &path).status();
    AWAY.store(false, Ordering::SeqCst);
    // what ends both may end the shell between them first: its editor may save yet
    let may_save = ended.as_ref().is_ok_and(|status| status.code().is_none());
    let wrong = match ended {
        Ok(status) if status.success() => None,
        Ok(status) => Some(format!("{} ended with {status}", editor())),
        Err(error) => Some(format!("cannot start {}: {error}", editor())),
    };
    let edited = match (wrong, document::read(&path)) {
        (Some(wrong), _) if !is_saved(&path) => {
            if !may_save {
                let _ = fs::remove_file(&path);
            }
            return Edited::broken(format!("{wrong}: the text is as it was")).into();
        }
        (None, Ok(text)) => Edited::Done(text),
        (Some(wrong), Ok(text)) => Edited::Broken {
            saved: Some(text),
            why: format!("{wrong}: what it had saved is here"),
        },
        (_, Err(error)) => {
            let why = if path.exists() {
                let path = shown(&path);
                format!("what the editor saved is not taken: {error}; it stays in {path}")
            } else {
                format!("{} has removed the text: it is as it was", editor())
            };
            return Edited::broken(why).into();
        }
    };
    Returned {
        edited,
        copy: Some(path),
    }
}

/// A private copy of the text, named like the document so that the editor knows its kind.
fn lent(document: &Document, text: &str, place: Option<PathBuf>) -> Result<PathBuf, String> {
    let name = document.suggestion();
    let name = Path::new(&name).file_name().unwrap_or_default();
    let own = format!("holonom-{}-{}", std::process::id(), spelled(name.as_ref()));
    let places = place.into_iter().chain([env::temp_dir().join(own)]);
    let mut refused = String::new();
    for path in places {
        match lend(&path, text) {
            Ok(()) => return Ok(path),
            Err(error) => refused = format!("cannot write {}: {error}", shown(&path)),
        }
    }
    Err(refused)
}

/// The editor's command may have options: the shell reads it, the path is never read by the shell.
#[cfg(unix)]
fn command(editor: &str, path: &Path) -> Command {
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("{editor} \"$@\""));
    command.arg(editor).arg(path);
    command
}

#[cfg(not(unix))]
fn command(editor: &str, path: &Path) -> Command {
    let mut words = editor.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or_default());
    command.args(words).arg(path);
    command
}
