//! The name of a file for what is plotted, for the screen, or for a page of the report.

use std::path::PathBuf;

use ratatui::Frame;

use super::list::open;
use super::name::SIZE;
use super::{Dialog, Over, RangeView, TextLine};
use crate::workbench::action::{Action, Context};
use crate::workbench::document::Existing;
use crate::workbench::export;
use crate::workbench::state::{Effect, State, Subject, Writing};
use crate::workbench::update::note;
use crate::workbench::view::words;

/// The name, whose ending says the form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    /// What is to be written.
    pub what: Subject,
    /// What has been typed.
    pub line: TextLine,
}

impl Over for Export {
    fn context(&self) -> Context {
        Context::Name
    }

    fn typed(&mut self, symbols: &str) -> bool {
        self.line.insert(symbols);
        true
    }

    fn act(&mut self, state: &mut State, action: Action) -> bool {
        if action == Action::Accept {
            let path = PathBuf::from(self.line.text.trim());
            let content = match self.what {
                Subject::Plot => export::content(state, &path),
                Subject::Screen => export::screen(state, &path),
                Subject::Page => export::page(state, &path),
                Subject::Range => export::over_range(state, &path),
            };
            match content {
                Ok(text) => {
                    state.effects.push(Effect::Write(Writing {
                        path,
                        text,
                        existing: Existing::Refuse,
                        then: None,
                    }));
                    return self.close(state);
                }
                Err(error) => note(state, error, true),
            }
        }
        self.line.act(action);
        true
    }

    /// Back to what it was asked over.
    fn close(&mut self, state: &mut State) -> bool {
        if self.what == Subject::Range {
            state.dialog = Some(Dialog::Range(RangeView));
        }
        false
    }

    fn draw(&self, state: &State, frame: &mut Frame) {
        let title = match self.what {
            Subject::Plot if state.map.shown => "Write the map to a file: .svg .csv .json .txt",
            Subject::Plot => match export::part(state) {
                Some(part) => &format!("Write the plot as zoomed, {part}: .svg .csv .json .txt"),
                None => "Write the plot to a file: .svg .csv .json .txt",
            },
            Subject::Screen => "Write the screen to a file: .svg .txt",
            Subject::Page => &export::page_title(state),
            Subject::Range => "Write what is found to a file: .csv .json .svg .txt",
        };
        let inner = open(state, &words(state.theme, title), SIZE, frame);
        self.line.draw(state, inner, frame);
    }
}
