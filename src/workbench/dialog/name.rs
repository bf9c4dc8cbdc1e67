//! The name of a new file.

use std::path::PathBuf;

use ratatui::Frame;
use ratatui::layout::Rect;

use super::list::{boxed, inside, open};
use super::{Over, TextLine};
use crate::workbench::action::{Action, Context};
use crate::workbench::document::Existing;
use crate::workbench::files::{save, write_text};
use crate::workbench::state::{State, Then};
use crate::workbench::text::columns;
use crate::workbench::update::note;

/// Columns and rows of the box.
pub(super) const SIZE: (u16, u16) = (60, 1);

/// The name that the text is saved under.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// What has been typed.
    pub line: TextLine,
    /// Whether that is a suggestion yet, which the first character typed replaces.
    pub suggested: bool,
    /// When it is saved.
    pub then: Then,
}

impl Over for Name {
    fn context(&self) -> Context {
        Context::Name
    }

    fn typed(&mut self, symbols: &str) -> bool {
        if std::mem::take(&mut self.suggested) {
            self.line = TextLine::default();
        }
        self.line.insert(symbols);
        true
    }

    fn act(&mut self, state: &mut State, action: Action) -> bool {
        // who moves or deletes in it, or finds it empty, wants it
        self.suggested = false;
        if action == Action::Accept {
            let name = self.line.text.trim();
            if !name.is_empty() {
                self.given(state, with_ending(name));
                return false;
            }
            note(state, "a file needs a name", true);
        }
        self.line.act(action);
        true
    }

    fn draw(&self, state: &State, frame: &mut Frame) {
        let inner = open(state, "Save as", SIZE, frame);
        self.line.draw(state, inner, frame);
        if self.suggested {
            // what is typed replaces what is marked
            let inner = inside(boxed(frame.area(), SIZE));
            let line = Rect {
                x: inner.x + 1,
                width: (inner.width.saturating_sub(2)).min(columns(&self.line.text) as u16),
                height: inner.height.min(1),
                ..inner
            };
            let line = line.intersection(frame.area());
            frame.buffer_mut().set_style(line, state.theme.chosen());
        }
    }
}

impl Name {
    fn given(&self, state: &mut State, path: PathBuf) {
        if state.document.path() == Some(&path) {
            return save(state, self.then.clone());
        }
        write_text(state, path, Existing::Refuse, self.then.clone());
    }
}

/// The file of a name: one without an ending gets that of the files which the list of systems shows.
fn with_ending(name: &str) -> PathBuf {
    let mut path = PathBuf::from(name);
    if path.extension().is_none() && path.file_name().is_some() && !name.ends_with('/') {
        path.set_extension("yaml");
    }
    path
}
