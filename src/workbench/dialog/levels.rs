//! The expression whose level lines a map has.

use ratatui::Frame;

use super::list::open;
use super::name::SIZE;
use super::{Over, TextLine};
use crate::workbench::action::{Action, Context};
use crate::workbench::map;
use crate::workbench::state::State;
use crate::workbench::update::note;

/// The expression; none is the potential, or the objective.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Levels {
    /// What has been typed.
    pub line: TextLine,
}

impl Over for Levels {
    fn context(&self) -> Context {
        Context::Name
    }

    fn typed(&mut self, symbols: &str) -> bool {
        self.line.insert(symbols);
        true
    }

    fn act(&mut self, state: &mut State, action: Action) -> bool {
        if action == Action::Accept {
            match map::draw_levels(state, self.line.text.trim()) {
                Ok(()) => return false,
                Err(error) => {
                    let before = self.line.text.get(..error.span.start).unwrap_or_default();
                    self.line.cursor = before.chars().count();
                    let help = error.help.map(|help| format!(": {help}"));
                    let help = help.unwrap_or_default();
                    note(state, format!("{}{help}", error.kind), true);
                }
            }
        }
        self.line.act(action);
        true
    }

    fn draw(&self, state: &State, frame: &mut Frame) {
        let title = "Level lines of (nothing: the potential or objective)";
        let inner = open(state, title, SIZE, frame);
        self.line.draw(state, inner, frame);
    }
}
