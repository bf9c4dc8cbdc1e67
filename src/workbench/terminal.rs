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
use crate::commands::speaks_unicode;
use crate::plot::Charset;

/// Whether the terminal is ours at the moment.
static TAKEN: AtomicBool = AtomicBool::new(false);
static HOOK: Once = Once::new();

/// Name of the thread that draws: a panic there ends the program.
pub const MAIN: &str = "main";

/// What the terminal and the environment ask for. Plain ASCII where `ascii` is set, the locale is not
/// UTF-8, or the terminal is a simple one; no colour where `NO_COLOR` is set and not empty.
pub fn theme(ascii: bool) -> Theme {
    let charset = if ascii || !speaks_unicode() {
        Charset::Ascii
    } else {
        Charset::Braille
    };
    Theme {
        colour: env::var("NO_COLOR").unwrap_or_default().is_empty(),
        charset,
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
