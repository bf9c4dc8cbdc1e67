//! Unsaved text: save or discard?

use ratatui::Frame;

use super::{Over, question};
use crate::workbench::action::{Action, Context};
use crate::workbench::files;
use crate::workbench::state::{State, Then};

/// The question before unsaved text is left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leave {
    /// When that is decided.
    pub then: Then,
}

impl Over for Leave {
    fn context(&self) -> Context {
        Context::Leave
    }

    fn act(&mut self, state: &mut State, action: Action) -> bool {
        match action {
            Action::SaveAndLeave => files::save(state, self.then.clone()),
            Action::Discard => files::discard(state, self.then.clone()),
            _ => return true,
        }
        false
    }

    fn draw(&self, state: &State, frame: &mut Frame) {
        let what = match self.then {
            Then::Quit => "Leave without saving?",
            Then::Stay | Then::Open(_) => "Go on without saving?",
        };
        let lines = [
            format!("{} has unsaved changes.", state.document.name()),
            what.to_owned(),
        ];
        question::ask(state, "Unsaved", &lines, frame);
    }
}
