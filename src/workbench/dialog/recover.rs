//! Text that an earlier session left: restore, discard, later?

use ratatui::Frame;

use super::{Over, question};
use crate::workbench::action::{Action, Context};
use crate::workbench::files;
use crate::workbench::journal::{Kept, Recovery};
use crate::workbench::state::{Effect, State};
use crate::workbench::text::cut;
use crate::workbench::update::note;
use crate::workbench::view::words;

/// The question about text that was not saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recover {
    /// The text.
    pub kept: Kept,
}

impl Over for Recover {
    fn context(&self) -> Context {
        Context::Recover
    }

    fn close(&mut self, state: &mut State) -> bool {
        state.effects.push(Effect::Decide(Recovery::Later));
        false
    }

    fn act(&mut self, state: &mut State, action: Action) -> bool {
        match action {
            Action::Restore => files::restore(state, &self.kept),
            Action::Forget => {
                note(state, "the text of the earlier session is given up", false);
                state.effects.push(Effect::Decide(Recovery::Discarded));
            }
            _ => return true,
        }
        false
    }

    fn draw(&self, state: &State, frame: &mut Frame) {
        let age = match self.kept.age.map(|age| age.as_secs()) {
            None => String::new(),
            Some(seconds @ 0..120) => format!(", typed {seconds} s ago"),
            Some(seconds @ 120..7200) => format!(", typed {} min ago", seconds / 60),
            Some(seconds @ 7200..172_800) => format!(", typed {} hours ago", seconds / 3600),
            Some(seconds) => format!(", typed {} days ago", seconds / 86400),
        };
        let old: Vec<&str> = self.kept.text.lines().collect();
        let new: Vec<&str> = state.editor.lines().iter().map(String::as_str).collect();
        let differs = |(a, b): (&&str, &&str)| a != b;
        let first = old.iter().zip(&new).position(differs);
        let first = first.unwrap_or(old.len().min(new.len()));
        let line = old.get(first).copied().unwrap_or_default();
        let name = state.document.name();
        let said = format!("{name} has unsaved text of an earlier session{age}.");
        let where_ = format!("It differs from line {} on: {line}", first + 1);
        let room = usize::from(frame.area().width).saturating_sub(6);
        let lines = [said, cut(&words(state.theme, &where_), room.min(70))];
        question::ask(state, "Recovered", &lines, frame);
    }
}
