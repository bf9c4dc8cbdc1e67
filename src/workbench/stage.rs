//! The workbench without terminal, threads and files: for measuring what a key costs, from the key to the
//! new picture with the new analysis and motion.

use std::sync::atomic::AtomicBool;

use crossterm::event::KeyEvent;
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::document::Source;
use super::event::Event;
use super::state::{Effect, Opening, State};
use super::theme::{Scheme, Theme};
use super::update::update;
use super::view::{self, Memory};
use super::worker::{Answer, Trouble};
use crate::analysis::{Broken, analyse};
use crate::plot::Charset;

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
}

impl Stage {
    /// A workbench that shows this text on a screen of so many columns and rows.
    pub fn new(text: &str, (width, height): (u16, u16)) -> Self {
        let (state, first) = State::open(Opening {
            source: Source::New,
            text: text.to_owned(),
            set: Vec::new(),
            theme: Theme {
                scheme: Scheme::Dark,
                charset: Charset::Braille,
            },
            size: (width, height),
            mouse: false,
            first_run: false,
        });
        let Ok(terminal) = Terminal::new(TestBackend::new(width, height));
        let mut stage = Self {
            state,
            terminal,
            memory: Memory::default(),
        };
        stage.carry_out(first);
        stage.draw();
        stage
    }

    /// A key, all that comes of it, and the picture then.
    pub fn press(&mut self, key: KeyEvent) {
        let effects = update(&mut self.state, Event::Key(key));
        self.carry_out(effects);
        self.draw();
    }

    /// Whether what is shown is that of the text.
    pub fn is_settled(&self) -> bool {
        self.state.settled().is_some()
    }

    /// Analyses where that is asked for; nothing else is touched.
    fn carry_out(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            let Effect::Analyse(request) = effect else {
                continue;
            };
            let go_on = AtomicBool::new(false);
            let result = match analyse(&request.text, &request.file, &request.changes(), &go_on) {
                Ok(analysis) => Ok(Box::new(analysis)),
                Err(Broken::Text(diagnostics)) => Err(Trouble::Text(diagnostics)),
                Err(Broken::Request(error)) => Err(Trouble::of_start(&request, &error)),
                Err(Broken::Cancelled) => continue,
            };
            let answer = Answer {
                generation: request.generation,
                result,
            };
            let effects = update(&mut self.state, Event::Answer(answer));
            self.carry_out(effects);
        }
    }

    fn draw(&mut self) {
        let (state, memory) = (&self.state, &mut self.memory);
        let Ok(_) = self.terminal.draw(|frame| view::draw(state, frame, memory));
    }
}
