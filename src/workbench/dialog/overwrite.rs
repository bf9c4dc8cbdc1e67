//! Replace what a file holds?

use ratatui::Frame;

use super::{Over, question};
use crate::system::shown;
use crate::workbench::action::{Action, Context};
use crate::workbench::document::Existing;
use crate::workbench::state::{Effect, State, Writing};

/// The question before a file is replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overwrite {
    /// What is to be written.
    pub writing: Writing,
    /// Whether it is the file that was opened, changed by someone else since.
    pub changed: bool,
}

impl Over for Overwrite {
    fn context(&self) -> Context {
        Context::Overwrite
    }

    fn act(&mut self, state: &mut State, action: Action) -> bool {
        if action != Action::Overwrite {
            return true;
        }
        state.effects.push(Effect::Write(Writing {
            existing: Existing::Replace,
            ..self.writing.clone()
        }));
        false
    }

    fn draw(&self, state: &State, frame: &mut Frame) {
        let name = shown(&self.writing.path);
        let line = if self.changed {
            format!("{name} has been changed by another program since it was read.")
        } else {
            format!("{name} exists.")
        };
        let lines = [line, "Overwrite it?".to_owned()];
        question::ask(state, "Overwrite", &lines, frame);
    }
}
