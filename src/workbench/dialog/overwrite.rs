//! Replace what a file holds?

use std::path::PathBuf;

use ratatui::Frame;

use super::{Over, question};
use crate::system::shown;
use crate::workbench::action::{Action, Context};
use crate::workbench::document::Existing;
use crate::workbench::state::{Effect, State, Then};

/// The question before a file is replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overwrite {
    /// The file.
    pub path: PathBuf,
    /// What is to be written.
    pub what: Writing,
}

/// What is written over a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Writing {
    /// The text.
    Save {
        /// Whether it is the file that was opened, changed by someone else since.
        changed: bool,
        /// When it is saved.
        then: Then,
    },
    /// What is plotted, the screen, or a page.
    Export(String),
}

impl Over for Overwrite {
    fn context(&self) -> Context {
        Context::Overwrite
    }

    fn act(&mut self, state: &mut State, action: Action) -> bool {
        if action != Action::Overwrite {
            return true;
        }
        let (path, existing) = (self.path.clone(), Existing::Replace);
        let effect = match &self.what {
            Writing::Export(text) => Effect::Export {
                path,
                text: text.clone(),
                existing,
            },
            Writing::Save { then, .. } => {
                state.after = then.clone();
                Effect::Save {
                    path,
                    text: state.editor.text(),
                    existing,
                }
            }
        };
        state.effects.push(effect);
        false
    }

    fn draw(&self, state: &State, frame: &mut Frame) {
        let name = shown(&self.path);
        let line = match self.what {
            Writing::Save { changed: true, .. } => {
                format!("{name} has been changed by another program since it was read.")
            }
            _ => format!("{name} exists."),
        };
        let lines = [line, "Overwrite it?".to_owned()];
        question::ask(state, "Overwrite", &lines, frame);
    }
}
