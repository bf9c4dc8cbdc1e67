//! A line that is asked for: the name of a file, or an expression.

use std::path::PathBuf;

use ratatui::Frame;

use super::list::open;
use super::{Dialog, Over, RangeView, TextLine};
use crate::workbench::action::{Action, Context};
use crate::workbench::document::Existing;
use crate::workbench::export;
use crate::workbench::files::save_under;
use crate::workbench::map;
use crate::workbench::range;
use crate::workbench::state::{Effect, State, Subject, Then, Writing};
use crate::workbench::view::words;

/// Columns and rows of the box.
const SIZE: (u16, u16) = (60, 1);

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// The name that the text is saved under, and what comes when it is saved.
    Name(Then),
    /// The name of a file for what is plotted, the screen, or a page; its ending says the form.
    Export(Subject),
    /// The expression whose level lines a map has; none is the potential, or the objective.
    Levels,
    /// A parameter and its range: `w=0:6 period(x)`.
    Range,
}

/// A line that is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// What it is.
    pub asked: Asked,
    /// What has been typed.
    pub line: TextLine,
}

impl Prompt {
    /// Asks, with this to begin with.
    pub fn open(state: &mut State, asked: Asked, text: String) {
        state.dialog = Some(Dialog::Prompt(Self {
            line: TextLine::suggesting(text),
            asked,
        }));
    }

    /// Takes what was typed; what is wrong with it.
    fn take(&mut self, state: &mut State) -> Result<(), String> {
        let text = self.line.text.trim();
        match &self.asked {
            Asked::Name(_) if text.is_empty() => return Err("a file needs a name".to_owned()),
            Asked::Name(then) => {
                let (path, then) = (with_ending(text), then.clone());
                save_under(state, path, self.clone(), then);
            }
            Asked::Export(what) => {
                let path = at_home(text);
                state.effects.push(Effect::Write(Writing {
                    text: export::content(state, *what, &path)?,
                    path,
                    existing: Existing::Refuse,
                    then: None,
                    prompt: Some(self.clone()),
                }));
            }
            Asked::Levels => map::draw_levels(state, text).map_err(|error| {
                let before = self.line.text.get(..error.span.start).unwrap_or_default();
                self.line.cursor = before.chars().count();
                let help = error.help.map(|help| format!(": {help}"));
                format!("{}{}", error.kind, help.unwrap_or_default())
            })?,
            Asked::Range => range::typed(state, text)?,
        }
        Ok(())
    }
}

impl Over for Prompt {
    fn context(&self) -> Context {
        Context::Name
    }

    fn typed(&mut self, symbols: &str) -> bool {
        self.line.insert(symbols);
        true
    }

    fn act(&mut self, state: &mut State, action: Action) -> bool {
        self.line.act(action);
        if action != Action::Accept {
            return true;
        }
        match self.take(state) {
            Ok(()) => self.close(state),
            Err(why) => {
                state.complain(why);
                true
            }
        }
    }

    /// Back to what it was asked over.
    fn close(&mut self, state: &mut State) -> bool {
        if let Asked::Range | Asked::Export(Subject::Range) = self.asked {
            state.dialog = Some(Dialog::Range(RangeView));
        }
        false
    }

    fn draw(&self, state: &State, frame: &mut Frame) {
        let title = match &self.asked {
            Asked::Name(_) => "Save as",
            Asked::Export(Subject::Plot) if state.map.shown => {
                "Export the map to a file: .svg .csv .json .txt"
            }
            Asked::Export(Subject::Plot) => match export::part(state) {
                Some(part) => &format!("Export the plot as zoomed, {part}: .svg .csv .json .txt"),
                None => "Export the plot to a file: .svg .csv .json .txt",
            },
            Asked::Export(Subject::Screen) => "Screenshot to a file: .svg .txt",
            Asked::Export(Subject::Page) => &export::page_title(state),
            Asked::Export(Subject::Range) => "Export the result to a file: .csv .json .svg .txt",
            Asked::Levels => "Level lines of (nothing: the potential or objective)",
            Asked::Range => "Range: NAME=FROM:TO equilibria, failures, or such as period(x)",
        };
        let inner = open(state, &words(state.theme, title), SIZE, frame);
        self.line.draw(state, inner, frame);
    }
}

/// The file of a name: one without an ending gets that of the files which the list of systems shows.
fn with_ending(name: &str) -> PathBuf {
    let mut path = at_home(name);
    if path.extension().is_none() && path.file_name().is_some() && !name.ends_with('/') {
        path.set_extension("yaml");
    }
    path
}

/// The path of a name, of which `~/` is the home of the user, as in a shell.
fn at_home(name: &str) -> PathBuf {
    let home = std::env::var_os("HOME").filter(|home| !home.is_empty());
    match (name.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => PathBuf::from(home).join(rest),
        _ => PathBuf::from(name),
    }
}
