//! The workbench without terminal and files: for measuring what a key costs, from the key to the new picture with
//! the new analysis and motion, and for storms of keys.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use crossterm::event::KeyEvent;
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::document::Source;
use super::event::Event;
use super::state::{Effect, Opening, State};
use super::update::update;
use super::view::{self, Memory};
use super::worker::Known;

/// Journals without files.
pub mod journal {
    use super::Source;
    use crate::workbench::journal::slot;

    /// The text that a journal holds; `None` where that is damaged.
    pub fn read(bytes: &[u8]) -> Option<String> {
        slot::parsed(bytes).map(|(_, text)| text)
    }

    /// The journal of a text.
    pub fn written(text: &str) -> Vec<u8> {
        slot::content(&Source::New, text).into_bytes()
    }
}

/// A workbench on a stage.
pub struct Stage {
    state: State,
    terminal: Terminal<TestBackend>,
    memory: Memory,
    known: Known,
    patience: Option<Duration>,
}

impl Stage {
    /// A workbench that shows this text on a screen of so many columns and rows. It analyses what is to be analysed,
    /// however long that takes; questions stay open.
    pub fn new(text: &str, size: (u16, u16)) -> Self {
        Self::with(text, size, None)
    }

    /// The same, where questions are answered too, and all that takes longer is called off, as by another key.
    pub fn impatient(text: &str, size: (u16, u16), patience: Duration) -> Self {
        Self::with(text, size, Some(patience))
    }

    fn with(text: &str, (width, height): (u16, u16), patience: Option<Duration>) -> Self {
        let (state, first) = State::open(Opening {
            text: text.to_owned(),
            size: (width, height),
            ..Opening::default()
        });
        let Ok(terminal) = Terminal::new(TestBackend::new(width, height));
        let mut stage = Self {
            state,
            terminal,
            memory: Memory::default(),
            known: Known::default(),
            patience,
        };
        stage.carry_out(first);
        stage.draw();
        stage
    }

    /// A key, all that comes of it, and the picture then.
    pub fn press(&mut self, key: KeyEvent) {
        self.happens(Event::Key(key));
    }

    /// Time goes on by so many seconds.
    pub fn tick(&mut self, seconds: f64) {
        self.happens(Event::Tick(seconds));
    }

    /// Text is pasted.
    pub fn paste(&mut self, text: &str) {
        self.happens(Event::Paste(text.to_owned()));
    }

    /// The terminal has another size.
    pub fn resize(&mut self, (width, height): (u16, u16)) {
        self.terminal.backend_mut().resize(width, height);
        self.happens(Event::Resize(width, height));
    }

    fn happens(&mut self, event: Event) {
        let effects = update(&mut self.state, event);
        self.carry_out(effects);
        self.draw();
    }

    /// Whether what is shown is that of the text.
    pub fn is_settled(&self) -> bool {
        self.state.settled().is_some()
    }

    /// Analyses and answers where that is asked for; nothing else is touched.
    fn carry_out(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            let event = match effect {
                Effect::Analyse(request) => {
                    let known = &mut self.known;
                    match within(self.patience, |cancel| {
                        known.analyse(&request, cancel, &mut |_| {})
                    }) {
                        Some(answer) => Event::Answer(answer),
                        None => continue,
                    }
                }
                Effect::Ask(about, question) if self.patience.is_some() => {
                    let known = &mut self.known;
                    let work = |cancel: &AtomicBool| {
                        let reply = known.reply(&about, question, cancel, &mut |_| {});
                        reply.filter(|_| !cancel.load(Ordering::Relaxed))
                    };
                    match within(self.patience, work) {
                        Some(reply) => Event::Replied(reply),
                        None => continue,
                    }
                }
                _ => continue,
            };
            let effects = update(&mut self.state, event);
            self.carry_out(effects);
        }
    }

    fn draw(&mut self) {
        let (state, memory) = (&self.state, &mut self.memory);
        let Ok(_) = self.terminal.draw(|frame| view::draw(state, frame, memory));
    }
}

/// Does it, and calls it off when the time is over.
fn within<T>(patience: Option<Duration>, work: impl FnOnce(&AtomicBool) -> T) -> T {
    let cancel = AtomicBool::new(false);
    let Some(patience) = patience else {
        return work(&cancel);
    };
    thread::scope(|scope| {
        let (done, wait) = channel::<()>();
        let cancel = &cancel;
        scope.spawn(move || {
            if wait.recv_timeout(patience) == Err(RecvTimeoutError::Timeout) {
                cancel.store(true, Ordering::Relaxed);
            }
        });
        let result = work(cancel);
        drop(done);
        result
    })
}
