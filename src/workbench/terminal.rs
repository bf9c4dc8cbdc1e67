//! The terminal: what it can show, taking it over, and giving it back whatever happens.

use std::io::{self, Write, stdout};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::thread::ThreadId;
use std::{env, panic, thread};

use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use crossterm::terminal::{
    Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use crossterm::{cursor, execute, style};

use super::theme::{Scheme, Theme};
use crate::commands::speaks_unicode;
use crate::plot::Charset;

/// Whether the terminal is ours at the moment.
static TAKEN: AtomicBool = AtomicBool::new(false);
static HOOK: Once = Once::new();

/// The thread that took the terminal, and draws: a panic there ends the program.
static DRAWS: Mutex<Option<ThreadId>> = Mutex::new(None);

fn draws() -> MutexGuard<'static, Option<ThreadId>> {
    DRAWS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether lines are written, and the terminal is told nothing else.
static LINES: AtomicBool = AtomicBool::new(false);

/// Has the terminal be written to in lines, without any other command to it.
pub fn set_lines(wanted: bool) {
    LINES.store(wanted, Ordering::SeqCst);
}

/// Whether the terminal is to tell of the mouse.
static MOUSE: AtomicBool = AtomicBool::new(false);

/// Presses, releases, the wheel, and motion while a button is held; not every motion, which would wake the
/// program for nothing. Then coordinates beyond column 223.
const MOUSE_ON: &str = "\x1b[?1000h\x1b[?1002h\x1b[?1006h";
const MOUSE_OFF: &str = "\x1b[?1006l\x1b[?1002l\x1b[?1000l";

/// What the terminal and the environment ask for. Plain ASCII where `ascii` is set, the locale is not
/// UTF-8, or the terminal is a simple one. The colours are those asked for; else none where `NO_COLOR` is set
/// and not empty or the terminal has none; else those for the ground that the terminal says it has.
pub fn theme(ascii: bool, scheme: Option<Scheme>) -> Theme {
    let charset = if ascii || !speaks_unicode() {
        Charset::Ascii
    } else {
        Charset::Braille
    };
    let set = |name| env::var(name).unwrap_or_default();
    let by_itself = || {
        if set("NO_COLOR").is_empty() && has_colours(&set("TERM")) {
            ground(&set("COLORFGBG"))
        } else {
            Scheme::Mono
        }
    };
    Theme {
        scheme: scheme.unwrap_or_else(by_itself),
        charset,
    }
}

/// Whether a terminal of this name has colours: those without say so by their ending, and the glass ones of
/// DEC, whose name stands for everything that knows no more than they did, had none.
fn has_colours(term: &str) -> bool {
    let glass = term.strip_prefix("vt").is_some_and(|number| {
        let digits = number.split('-').next().unwrap_or_default();
        !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit())
    });
    let without = ["-m", "-mono"].iter().any(|end| term.ends_with(end));
    term != "dumb" && !glass && !without
}

/// `COLORFGBG` is `15;0`, `0;15`, `0;default;15`: the last number is the colour of the ground.
fn ground(colours: &str) -> Scheme {
    match colours.rsplit(';').next() {
        Some("7" | "15") => Scheme::Light,
        _ => Scheme::Dark,
    }
}

/// Takes the terminal over; given back when this is dropped.
pub struct Taken(());

impl Taken {
    /// Raw mode, alternate screen. A panic gives the terminal back before its message is written.
    pub fn take() -> io::Result<Self> {
        *draws() = Some(thread::current().id());
        HOOK.call_once(|| {
            let before = panic::take_hook();
            panic::set_hook(Box::new(move |info| {
                // a panic of the worker is told in the workbench, which lives on
                if TAKEN.load(Ordering::SeqCst) && *draws() != Some(thread::current().id()) {
                    return;
                }
                restore();
                before(info);
            }));
        });
        // without this crossterm turns every style of a NO_COLOR terminal into a reset
        style::force_color_output(true);
        enter()?;
        Ok(Self(()))
    }
}

/// Takes the terminal, or takes it again after [`restore`].
pub fn enter() -> io::Result<()> {
    enable_raw_mode()?;
    TAKEN.store(true, Ordering::SeqCst);
    if LINES.load(Ordering::SeqCst) {
        return Ok(());
    }
    execute!(
        stdout(),
        EnterAlternateScreen,
        // a program that was killed has left its picture there
        style::ResetColor,
        style::SetAttribute(style::Attribute::Reset),
        Clear(ClearType::All),
        EnableBracketedPaste,
        cursor::Hide
    )?;
    tell_of_mouse(MOUSE.load(Ordering::SeqCst))
}

/// Has the terminal tell of the mouse, or leaves it the mouse for selecting text.
pub fn set_mouse(wanted: bool) -> io::Result<()> {
    MOUSE.store(wanted, Ordering::SeqCst);
    if TAKEN.load(Ordering::SeqCst) {
        tell_of_mouse(wanted)?;
    }
    Ok(())
}

fn tell_of_mouse(wanted: bool) -> io::Result<()> {
    if LINES.load(Ordering::SeqCst) {
        return Ok(());
    }
    let mut out = stdout();
    out.write_all(if wanted { MOUSE_ON } else { MOUSE_OFF }.as_bytes())?;
    out.flush()
}

impl Drop for Taken {
    fn drop(&mut self) {
        restore();
    }
}

/// Gives the terminal back, once; from any thread.
pub fn restore() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        if LINES.load(Ordering::SeqCst) {
            let _ = disable_raw_mode();
            return;
        }
        // nothing can be done about a terminal that is gone
        let _ = stdout().write_all(MOUSE_OFF.as_bytes());
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

/// Whether a shell could let the program go on after it has stopped: in the process group of its session's
/// leader it is no shell's job (`xterm -e holonom`).
#[cfg(unix)]
pub fn is_job() -> bool {
    use rustix::process::{getpgrp, getsid};
    getsid(None).is_ok_and(|session| session != getpgrp())
}

/// Stops the program like `Ctrl-Z` stops any other, until it is let on; only where it can be.
#[cfg(unix)]
pub fn stop() -> io::Result<()> {
    if is_job() {
        signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGTSTP)?;
    }
    Ok(())
}

#[cfg(not(unix))]
pub fn is_job() -> bool {
    false
}

#[cfg(not(unix))]
pub fn stop() -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminals_without_colours_are_known_by_name() {
        for term in [
            "xterm-256color",
            "linux",
            "screen",
            "tmux-256color",
            "vte-256color",
            "",
        ] {
            assert!(has_colours(term), "{term}");
        }
        for term in ["vt100", "vt220", "vt102-w", "dumb", "xterm-mono", "linux-m"] {
            assert!(!has_colours(term), "{term}");
        }
    }

    #[test]
    fn the_ground_is_the_last_number() {
        for dark in ["", "15;0", "0;default;8", "nonsense", "7;0"] {
            assert_eq!(ground(dark), Scheme::Dark, "{dark}");
        }
        for light in ["0;15", "0;default;15", "0;7"] {
            assert_eq!(ground(light), Scheme::Light, "{light}");
        }
    }
}
