//! The user's own editor on the text, in the place of the workbench.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{env, fs};

use super::document::{self, Document};
use super::journal::{folders, write_private};
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

/// Lets the user edit the text; what it is then, or why there is none. The terminal must have been given
/// back.
///
/// The editor gets a copy: what becomes of the file itself is decided in the workbench, and the text comes
/// back as one step that can be undone.
pub fn edit(document: &Document, text: &str) -> Result<String, String> {
    let path = copy(document);
    write_private(&path, text.as_bytes())
        .map_err(|error| format!("cannot write {}: {error}", shown(&path)))?;
    AWAY.store(true, Ordering::SeqCst);
    let ended = command(&editor(), &path).status();
    AWAY.store(false, Ordering::SeqCst);
    let text = match ended {
        Ok(status) if status.success() => {
            document::read(&path).map_err(|error| format!("cannot read {}: {error}", shown(&path)))
        }
        Ok(status) => Err(format!(
            "{} ended with {status}: the text is as it was",
            editor()
        )),
        Err(error) => Err(format!("cannot start {}: {error}", editor())),
    };
    let _ = fs::remove_file(&path);
    text
}

/// A private place for the copy, named like the document so that the editor knows its kind.
fn copy(document: &Document) -> PathBuf {
    let name = document.suggestion();
    let name = Path::new(&name).file_name().unwrap_or_default();
    let folder = folders().into_iter().find(|folder| folder.is_dir());
    let own = format!("edit-{}-{}", std::process::id(), spelled(name.as_ref()));
    folder.unwrap_or_else(env::temp_dir).join(own)
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
