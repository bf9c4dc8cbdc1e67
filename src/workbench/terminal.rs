//! The terminal: what it can show, taking it over, and giving it back whatever happens.

use std::io::{self, Write, stdout};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{env, panic, thread};

use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use crossterm::{cursor, execute, style};

use super::theme::Theme;
use crate::plot::Charset;

/// Whether the terminal is ours at the moment.
static TAKEN: AtomicBool = AtomicBool::new(false);
static HOOK: Once = Once::new();

/// Name of the thread that draws: a panic there ends the program.
pub const MAIN: &str = "main";

/// What the terminal and the environment ask for. Plain ASCII where `ascii` is set, the locale is not
/// UTF-8, or the terminal is a simple one; no colour where `NO_COLOR` is set and not empty.
pub fn theme(ascii: bool) -> Theme {
    let get = |name: &str| env::var(name).unwrap_or_default();
    let term = get("TERM");
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .map(get)
        .into_iter()
        .find(|value| !value.is_empty());
    let simple = matches!(term.as_str(), "dumb" | "linux");
    let charset = if ascii || simple || !is_utf8(locale.as_deref()) {
        Charset::Ascii
    } else {
        Charset::Braille
    };
    Theme {
        colour: get("NO_COLOR").is_empty(),
        charset,
    }
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

/// Takes the terminal over; given back when this is dropped.
pub struct Taken(());

impl Taken {
    /// Raw mode, alternate screen. A panic gives the terminal back before its message is written.
    pub fn take() -> io::Result<Self> {
        HOOK.call_once(|| {
            let before = panic::take_hook();
            panic::set_hook(Box::new(move |info| {
                // a panic of the worker is told in the workbench, which lives on
                if TAKEN.load(Ordering::SeqCst) && thread::current().name() != Some(MAIN) {
                    return;
                }
                restore();
                before(info);
            }));
        });
        // without this crossterm turns every style of a NO_COLOR terminal into a reset
        style::force_color_output(true);
        enable_raw_mode()?;
        TAKEN.store(true, Ordering::SeqCst);
        let taken = Self(());
        execute!(
            stdout(),
            EnterAlternateScreen,
            EnableBracketedPaste,
            cursor::Hide
        )?;
        Ok(taken)
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        restore();
    }
}

/// Gives the terminal back, once; from any thread.
pub fn restore() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        // nothing can be done about a terminal that is gone
        let _ = execute!(
            stdout(),
            style::ResetColor,
            style::SetAttribute(style::Attribute::Reset),
            DisableBracketedPaste,
            LeaveAlternateScreen,
            cursor::Show
        );
        let _ = disable_raw_mode();
        let _ = stdout().flush();
    }
}

#[cfg(test)]
mod tests {
    use super::is_utf8;

    #[test]
    fn locales() {
        assert!(is_utf8(Some("de_DE.UTF-8")) && is_utf8(Some("C.utf8")));
        assert!(!is_utf8(Some("C")) && !is_utf8(Some("de_DE.ISO-8859-1")));
    }
}
