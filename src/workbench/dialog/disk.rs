//! The file was changed by another program: read it, or keep the text?

use ratatui::Frame;

use super::{Over, question};
use crate::workbench::action::{Action, Context};
use crate::workbench::files;
use crate::workbench::state::State;

/// The question when the file is another one than was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disk {
    /// What it holds now.
    pub text: String,
}

impl Over for Disk {
    fn context(&self) -> Context {
        Context::Disk
    }

    fn act(&mut self, state: &mut State, action: Action) -> bool {
        match action {
            Action::ReadDisk => files::read_disk(state, &self.text),
            Action::KeepMine => files::keep_mine(state, &self.text),
            _ => return true,
        }
        false
    }

    fn draw(&self, state: &State, frame: &mut Frame) {
        let unsaved = if state.modified {
            "The text here has unsaved changes of its own."
        } else {
            "The text here is what it held before."
        };
        let name = state.document.name();
        let lines = [
            format!("{name} was changed by another program."),
            unsaved.to_owned(),
        ];
        question::ask(state, "Changed", &lines, frame);
    }
}
