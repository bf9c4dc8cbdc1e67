//! INT, TERM and HUP while a command works: what is computed is written, or nothing is, and no half a file is left.
//!
//! A command that can say what it has so far asks for it ([`unfinished`]): the first signal calls its work off, the
//! command writes and ends with 128 + the signal. Elsewhere, and at a second signal, the program ends at once.

use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, LazyLock};

use serde_json::Value;

/// The first signal that came; 0 for none.
static SIGNAL: AtomicI32 = AtomicI32::new(0);
/// Work is under way whose result is worth something unfinished.
static PARTIAL: AtomicBool = AtomicBool::new(false);
/// Set to call it off.
static CALLED_OFF: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// The flag that calls work off, for work whose result is written though it is not finished.
pub fn unfinished() -> &'static Arc<AtomicBool> {
    PARTIAL.store(true, Ordering::SeqCst);
    &CALLED_OFF
}

/// Was the work called off?
pub fn called_off() -> bool {
    CALLED_OFF.load(Ordering::SeqCst)
}

/// Says that what is written is what was found until the work was called off, if it was; for results that do not say
/// so by themselves.
pub fn tell() {
    if called_off() {
        super::complain("interrupted: what was found until then is written");
    }
}

/// The same in JSON.
pub fn marked(mut result: Value) -> Value {
    if called_off() {
        result["interrupted"] = Value::Bool(true);
    }
    result
}

/// The exit code where a signal has ended the work.
pub fn code() -> Option<u8> {
    match SIGNAL.load(Ordering::SeqCst) {
        0 => None,
        number => Some((128 + number) as u8),
    }
}

/// Watches for the signals.
#[cfg(unix)]
pub fn watch() -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM])?;
    if !is_ignored(SIGHUP) {
        signals.add_signal(SIGHUP)?;
    }
    std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            for number in signals.forever() {
                let before = SIGNAL.swap(number, Ordering::SeqCst);
                let first = before == 0;
                if before == SIGHUP && number == SIGHUP {
                    // a terminal that closes and the shell in it both send one
                    continue;
                }
                if first && PARTIAL.load(Ordering::SeqCst) {
                    CALLED_OFF.store(true, Ordering::SeqCst);
                    continue;
                }
                crate::disk::abandon();
                super::progress::end();
                super::complain("interrupted: nothing is written");
                std::process::exit(128 + number);
            }
        })?;
    Ok(())
}

/// Is the program to take no notice of a signal, as under `nohup`? Where that cannot be told it is left as it is.
#[cfg(unix)]
fn is_ignored(number: i32) -> bool {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else {
        return true;
    };
    let list = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let list = list.and_then(|list| u64::from_str_radix(list.trim(), 16).ok());
    list.is_none_or(|list| list >> (number - 1) & 1 == 1)
}

/// Watches for the signals.
#[cfg(not(unix))]
pub fn watch() -> std::io::Result<()> {
    Ok(())
}
