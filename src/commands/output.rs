//! Where results go: standard output, or a file that appears whole or not at all.

use super::CommandError;
use crate::expr::Style;
use crate::report::Layout;
use crate::system::sanitize;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// The width of a text that goes to no terminal.
const WIDTH: usize = 80;

/// The width for texts: the terminal's, or that of a page.
pub fn width() -> usize {
    if std::io::stdout().is_terminal() {
        crossterm::terminal::size().map_or(WIDTH, |(columns, _)| usize::from(columns))
    } else {
        WIDTH
    }
}

/// Plain text in this width.
pub fn plain() -> Layout {
    Layout {
        width: width(),
        style: Style::Plain,
    }
}

/// Whether a person reads standard output at a terminal that shows Unicode.
pub fn is_unicode_terminal() -> bool {
    std::io::stdout().is_terminal() && speaks_unicode()
}

/// Whether the terminal shows Unicode: it is none of the simple ones, and the locale is UTF-8.
pub fn speaks_unicode() -> bool {
    let get = |name: &str| std::env::var(name).unwrap_or_default();
    let simple = matches!(get("TERM").as_str(), "dumb" | "linux");
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .map(get)
        .into_iter()
        .find(|value| !value.is_empty());
    !simple && is_utf8(locale.as_deref())
}

/// Whether text in this locale is UTF-8; where none is set it is on systems that know nothing else.
fn is_utf8(locale: Option<&str>) -> bool {
    match locale {
        Some(locale) => {
            let name = locale.to_ascii_lowercase();
            name.contains("utf-8") || name.contains("utf8")
        }
        None => cfg!(any(windows, target_os = "macos")),
    }
}

/// What writes a result.
pub type Writer<'a> = dyn FnOnce(&mut dyn Write) -> io::Result<()> + 'a;

/// Writes a result to standard output. A reader that has gone away is no error.
pub fn print(write: Box<Writer<'_>>) -> Result<(), CommandError> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    let result = write(&mut out).and_then(|()| out.flush());
    // what is left in the buffer has nowhere to go
    let _ = out.into_parts();
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(CommandError::Write {
            place: "to standard output".to_owned(),
            error,
        }),
        _ => Ok(()),
    }
}

/// A file to be written. A regular file is written beside its place and moved there at the end, so
/// that a failure leaves what was there before; a device or a pipe is written directly.
#[derive(Debug)]
pub struct Destination {
    /// As the user wrote it, sanitised.
    shown: String,
    path: PathBuf,
    file: Option<File>,
    /// The file beside `path`, where there is one.
    beside: Option<PathBuf>,
}

impl Destination {
    /// Opens a file for writing, before there is anything to write.
    pub fn open(path: &Path) -> Result<Self, CommandError> {
        let shown = sanitize(&path.display().to_string());
        Self::opened(path, &shown).map_err(|error| failure(&shown, error))
    }

    fn opened(path: &Path, shown: &str) -> io::Result<Self> {
        // a link is followed: what it points at is replaced, not the link
        let path = match fs::canonicalize(path) {
            Ok(real) => real,
            Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_owned(),
            Err(error) => return Err(error),
        };
        let known = fs::metadata(&path).ok();
        if known.as_ref().is_some_and(fs::Metadata::is_dir) {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        let mut destination = Self {
            shown: shown.to_owned(),
            beside: None,
            file: None,
            path,
        };
        if known.as_ref().is_some_and(|m| !m.is_file()) {
            destination.file = Some(OpenOptions::new().write(true).open(&destination.path)?);
            return Ok(destination);
        }
        let Some(name) = destination.path.file_name() else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        if known.as_ref().is_some_and(|m| m.permissions().readonly()) {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        let name = format!(".{}.{}.part", name.to_string_lossy(), std::process::id());
        let beside = destination.path.with_file_name(name);
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&beside)?;
        // from here on the file beside is removed where anything fails
        destination.beside = Some(beside);
        if let Some(known) = known {
            file.set_permissions(known.permissions())?;
        }
        destination.file = Some(file);
        Ok(destination)
    }

    /// Writes the result and puts it in its place.
    pub fn write(mut self, write: Box<Writer<'_>>) -> Result<(), CommandError> {
        let shown = self.shown.clone();
        self.written(write).map_err(|error| failure(&shown, error))
    }

    fn written(&mut self, write: Box<Writer<'_>>) -> io::Result<()> {
        let Some(file) = self.file.take() else {
            return Ok(());
        };
        let mut out = BufWriter::new(file);
        let result = write(&mut out).and_then(|()| out.flush());
        let (file, _) = out.into_parts();
        result?;
        if let Some(beside) = &self.beside {
            file.sync_all()?;
            fs::rename(beside, &self.path)?;
            self.beside = None;
        }
        Ok(())
    }
}

impl Drop for Destination {
    fn drop(&mut self) {
        if let Some(beside) = &self.beside {
            let _ = fs::remove_file(beside);
        }
    }
}

fn failure(shown: &str, error: io::Error) -> CommandError {
    CommandError::Write {
        place: shown.to_owned(),
        error,
    }
}

#[cfg(test)]
mod tests {
    use super::is_utf8;

    #[test]
    fn a_locale_says_its_encoding() {
        assert!(is_utf8(Some("de_DE.UTF-8")) && is_utf8(Some("C.utf8")));
        assert!(!is_utf8(Some("C")) && !is_utf8(Some("de_DE.ISO-8859-1")));
    }
}
