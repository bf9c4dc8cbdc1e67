//! The thread that reads keys. Where the terminal has vanished, reading may never come back: so nothing
//! waits for it.

use std::collections::VecDeque;
use std::io;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crossterm::event as terminal_event;

use super::event::Event;
use super::state::State;
use super::update::types;

/// How long the reader may take to let go of the terminal.
const PATIENCE: Duration = Duration::from_secs(1);

#[derive(Default)]
struct Gate {
    /// The terminal is to be left to another program.
    shut: bool,
    /// The reader waits at the gate.
    waiting: bool,
}

/// The thread and the way to it.
pub struct Keyboard {
    gate: Arc<(Mutex<Gate>, Condvar)>,
}

impl Keyboard {
    /// Starts the thread; what it reads goes to `sender`.
    pub fn start(sender: Sender<Event>) -> io::Result<Self> {
        let gate = Arc::<(Mutex<Gate>, Condvar)>::default();
        let at = Arc::clone(&gate);
        thread::Builder::new()
            .name("keys".to_owned())
            .spawn(move || {
                loop {
                    let event = match terminal_event::read() {
                        Ok(terminal_event::Event::Key(key)) => Some(Event::Key(key)),
                        Ok(terminal_event::Event::Mouse(mouse)) => Some(Event::Mouse(mouse)),
                        Ok(terminal_event::Event::Paste(text)) => Some(Event::Paste(text)),
                        Ok(terminal_event::Event::Resize(width, height)) => {
                            Some(Event::Resize(width, height))
                        }
                        Ok(_) => None,
                        Err(_) => Some(Event::InputLost),
                    };
                    pass(&at);
                    let last = matches!(event, Some(Event::InputLost));
                    if event.is_some_and(|event| sender.send(event).is_err()) || last {
                        return;
                    }
                }
            })?;
        Ok(Self { gate })
    }

    /// Keeps the reader from the terminal while `work` has it.
    pub fn without<T>(&self, work: impl FnOnce() -> T) -> T {
        let (gate, bell) = &*self.gate;
        held(gate).shut = true;
        // it waits for a key; a change of size is one more thing that wakes it, and this one changes nothing
        wake();
        let shut = bell.wait_timeout_while(held(gate), PATIENCE, |gate| !gate.waiting);
        drop(shut);
        let done = work();
        held(gate).shut = false;
        bell.notify_all();
        done
    }
}

/// The next thing that happened; of keys that are text, all that wait in a row: a burst of them is one change.
pub fn next(state: &State, waiting: &mut VecDeque<Event>) -> Option<Event> {
    let typed = |event: Option<&Event>| match event {
        Some(Event::Key(key)) => types(state, key),
        _ => None,
    };
    let mut text = String::new();
    while let Some(symbol) = typed(waiting.front()) {
        text.push(symbol);
        waiting.pop_front();
    }
    if text.is_empty() {
        waiting.pop_front()
    } else {
        Some(Event::Typed(text))
    }
}

fn held(gate: &Mutex<Gate>) -> MutexGuard<'_, Gate> {
    gate.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits while the gate is shut.
fn pass((gate, bell): &(Mutex<Gate>, Condvar)) {
    let mut at = held(gate);
    while at.shut {
        at.waiting = true;
        bell.notify_all();
        at = bell.wait(at).unwrap_or_else(PoisonError::into_inner);
    }
    at.waiting = false;
}

#[cfg(unix)]
fn wake() {
    let _ = signal_hook::low_level::raise(signal_hook::consts::SIGWINCH);
}

#[cfg(not(unix))]
fn wake() {}
