//! A line on a terminal while a command works: what it does, how far it has come, how long it will take.
//!
//! It appears after [`PATIENCE`] on standard error, where that is a terminal, and is gone before anything else is
//! written.

use std::io::{IsTerminal, Write, stderr};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::report::only_if;
use crate::solver::Progress;

/// What is done within this time needs no line.
const PATIENCE: Duration = Duration::from_millis(500);
/// Time between two states of the line.
const SPACING: Duration = Duration::from_millis(200);
/// Before this part of the work is done nobody knows how long the rest will take.
const KNOWN: f64 = 0.005;

/// Whether remarks and the line are wanted.
static QUIET: AtomicBool = AtomicBool::new(false);
static LINE: Mutex<Option<Line>> = Mutex::new(None);

/// Things that are done, where the work is many of one kind.
static DONE: AtomicU64 = AtomicU64::new(0);

/// So many things are done of all that are to be.
pub fn done(count: u64, of: u64) {
    DONE.store(count, Ordering::Relaxed);
    reached().set(count as f64 / of.max(1) as f64);
}

struct Line {
    what: String,
    begin: Instant,
    progress: Arc<Progress>,
    drawn: bool,
}

fn line() -> MutexGuard<'static, Option<Line>> {
    LINE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Nothing beside the result and errors is wanted.
pub fn be_quiet() {
    QUIET.store(true, Ordering::SeqCst);
    end();
}

/// Whether that was said.
pub fn is_quiet() -> bool {
    QUIET.load(Ordering::SeqCst)
}

/// Begins the line, if there is a terminal to show it.
pub fn begin(what: String) {
    let dumb = std::env::var("TERM").is_ok_and(|term| term == "dumb");
    if dumb || !stderr().is_terminal() {
        return;
    }
    *line() = Some(Line {
        what,
        begin: Instant::now(),
        progress: Arc::default(),
        drawn: false,
    });
    let shows = thread::Builder::new().spawn(|| {
        thread::sleep(PATIENCE);
        while draw() {
            thread::sleep(SPACING);
        }
    });
    // a line that cannot be shown is none
    drop(shows);
}

/// Where the work may write down how far it has come.
pub fn reached() -> Arc<Progress> {
    let line = line();
    let held = line.as_ref().map(|line| Arc::clone(&line.progress));
    held.unwrap_or_default()
}

/// Ends the line; what was shown of it is gone.
pub fn end() {
    if line().take().is_some_and(|line| line.drawn) {
        let _ = write!(stderr(), "\r\x1b[K");
    }
}

fn draw() -> bool {
    let mut held = line();
    let Some(line) = held.as_mut() else {
        return false;
    };
    let elapsed = line.begin.elapsed();
    let rate = DONE.load(Ordering::Relaxed) as f64 / elapsed.as_secs_f64();
    let words = words(&line.what, elapsed, (line.progress.part(), rate));
    line.drawn = true;
    write!(stderr(), "\r{words}\x1b[K").is_ok()
}

/// `simulate: 32 %, 12 s left`, `sweep: 32 %, 410 a second, 12 s left`.
fn words(what: &str, elapsed: Duration, (part, rate): (f64, f64)) -> String {
    let seconds = elapsed.as_secs_f64();
    if part < KNOWN {
        return format!("{what}: {}", time(seconds));
    }
    let part = part.min(1.0);
    let left = time(seconds * (1.0 - part) / part);
    let rate = only_if(rate > 0.0, format!("{rate:.0} a second, "));
    format!("{what}: {:.0} %, {rate}{left} left", 100.0 * part)
}

fn time(seconds: f64) -> String {
    let whole = seconds.round();
    if whole < 90.0 {
        format!("{whole} s")
    } else if whole < 5400.0 {
        format!("{:.0} min", whole / 60.0)
    } else {
        format!("{:.0} h", whole / 3600.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_how_far_and_how_long() {
        let second = Duration::from_secs(1);
        assert_eq!(words("map", 3 * second, (0.0, 0.0)), "map: 3 s");
        assert_eq!(
            words("simulate", 3 * second, (0.25, 0.0)),
            "simulate: 25 %, 9 s left"
        );
        assert_eq!(
            words("plot", 60 * second, (0.01, 0.0)),
            "plot: 1 %, 2 h left"
        );
        assert_eq!(
            words("plot", 60 * second, (0.2, 0.0)),
            "plot: 20 %, 4 min left"
        );
        assert_eq!(
            words("sweep", 3 * second, (0.25, 410.4)),
            "sweep: 25 %, 410 a second, 9 s left"
        );
    }
}
