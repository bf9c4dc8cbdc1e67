//! Where results go: standard output, or a file that appears whole or not at all.

use super::{CommandError, progress};
use crate::disk::{Refusal, Target, Whole};
use crate::expr::Style;
use crate::report::{Layout, joined, prose};
use crate::system::{quote, shown, spelled};
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;

/// The width of a text that goes to no terminal.
const WIDTH: usize = 80;

/// No terminal is wider than this, whatever it says.
const WIDEST: usize = 1000;

/// The width for texts: the terminal's, or that of a page.
pub fn width() -> usize {
    if std::io::stdout().is_terminal() {
        terminal_size::terminal_size()
            .map_or(WIDTH, |(columns, _)| usize::from(columns.0).min(WIDEST))
    } else {
        WIDTH
    }
}

/// A message in the width of the terminal that it goes to; elsewhere it stays one line.
pub fn fitted(message: &str) -> String {
    let stderr = std::io::stderr();
    let terminal = Some(&stderr).filter(|stderr| stderr.is_terminal());
    let size = terminal.and_then(terminal_size::terminal_size_of);
    size.map_or_else(
        || message.to_owned(),
        |(columns, _)| {
            prose(message, usize::from(columns.0).min(WIDEST))
                .trim_end()
                .to_owned()
        },
    )
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
    if std::io::stdout().is_terminal() {
        progress::end();
    }
    let mut out = BufWriter::new(std::io::stdout().lock());
    let result = write(&mut out).and_then(|()| out.flush());
    // what is left in the buffer has nowhere to go
    let _ = out.into_parts();
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(CommandError::Write {
            place: "to standard output".to_owned(),
            error: error.into(),
        }),
        _ => Ok(()),
    }
}

/// Writes a result to a file, or to standard output where there is none.
pub fn write(to: Option<Destination>, write: Box<Writer<'_>>) -> Result<(), CommandError> {
    match to {
        Some(file) => file.write(write),
        None => print(write),
    }
}

/// A file to be written. A regular file is written beside its place and moved there at the end, so
/// that a failure leaves what was there before; a device or a pipe is written directly.
#[derive(Debug)]
pub struct Destination {
    shown: String,
    to: To,
}

#[derive(Debug)]
enum To {
    Place(Whole),
    Device(File),
}

impl Destination {
    /// Opens a file for writing, before there is anything to write.
    pub fn open(path: &Path) -> Result<Self, CommandError> {
        let shown = shown(path);
        match To::open(path) {
            Ok(to) => Ok(Self { shown, to }),
            Err(error) => Err(CommandError::Write {
                place: shown,
                error,
            }),
        }
    }

    /// Writes the result and puts it in its place; where there is none, what was there stays.
    pub fn write(self, write: Box<Writer<'_>>) -> Result<(), CommandError> {
        let Self { shown, to } = self;
        to.write(write).map_err(|error| CommandError::Write {
            place: shown,
            error: error.into(),
        })
    }
}

impl To {
    fn open(path: &Path) -> Result<Self, Refusal> {
        let target = Target::find(path)?;
        if target.is_special() {
            let device = OpenOptions::new().write(true).open(target.path())?;
            return Ok(Self::Device(device));
        }
        Ok(Self::Place(Whole::begin(&target)?))
    }

    fn write(self, write: Box<Writer<'_>>) -> io::Result<()> {
        match self {
            Self::Device(mut device) => buffered(&mut device, write),
            Self::Place(mut whole) => {
                buffered(whole.file(), write)?;
                if whole.file().metadata()?.len() == 0 {
                    return Ok(());
                }
                whole.commit()
            }
        }
    }
}

/// The ending of the name of a file, which says what it is to hold: one of those that are known, or none at all.
pub fn ending(path: &Path, known: &[&'static str]) -> Result<Option<&'static str>, CommandError> {
    let Some(ending) = path.extension() else {
        return Ok(None);
    };
    let same = |name: &&&'static str| ending.eq_ignore_ascii_case(name);
    if let Some(name) = known.iter().find(same) {
        return Ok(Some(name));
    }
    let why = format!(
        "cannot write `{}`; supported extensions: {}",
        quote(&format!(".{}", spelled(ending.as_ref()))),
        joined(known.iter().map(|name| format!(".{name}")))
    );
    Err(CommandError::option("-o", why))
}

fn buffered(file: &mut File, write: Box<Writer<'_>>) -> io::Result<()> {
    let mut out = BufWriter::new(file);
    let result = write(&mut out).and_then(|()| out.flush());
    // what is left in the buffer has nowhere to go
    let _ = out.into_parts();
    result
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
