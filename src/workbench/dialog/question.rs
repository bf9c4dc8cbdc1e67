//! Questions that a key answers.

use ratatui::Frame;
use ratatui::text::{Line, Span};

use super::Over;
use super::list::open;
use crate::system::shown;
use crate::workbench::action::{Action, Context, footer};
use crate::workbench::document::Existing;
use crate::workbench::files;
use crate::workbench::journal::{Kept, Recovery};
use crate::workbench::state::{Effect, State, Then, Writing};
use crate::workbench::text::{columns, cut};
use crate::workbench::view::{row, words};

/// A question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// Unsaved text is about to be left: save or discard?
    Leave {
        /// When that is decided.
        then: Then,
    },
    /// Text that an earlier session left: restore, discard, later?
    Recover {
        /// The text.
        kept: Kept,
    },
    /// The file was changed by another program: read it, or keep the text?
    Disk,
    /// Replace what a file holds?
    Overwrite {
        /// What is to be written.
        writing: Writing,
        /// Whether it is the file that was opened, changed by someone else since.
        changed: bool,
    },
}

impl Over for Question {
    fn context(&self) -> Context {
        match self {
            Self::Leave { .. } => Context::Leave,
            Self::Recover { .. } => Context::Recover,
            Self::Disk => Context::Disk,
            Self::Overwrite { .. } => Context::Overwrite,
        }
    }

    fn close(&mut self, state: &mut State) -> bool {
        match self {
            Self::Recover { .. } => state.effects.push(Effect::Decide(Recovery::Later)),
            Self::Disk => files::put_off_disk(state, true),
            Self::Leave { .. } | Self::Overwrite { .. } => {}
        }
        false
    }

    fn act(&mut self, state: &mut State, action: Action) -> bool {
        match (self, action) {
            (Self::Leave { then }, Action::SaveAndLeave) => files::save(state, then.clone()),
            (Self::Leave { then }, Action::Discard) => files::discard(state, then.clone()),
            (Self::Recover { kept }, Action::Restore) => files::restore(state, kept),
            (Self::Recover { .. }, Action::Forget) => {
                state.note("the unsaved text is discarded");
                state.effects.push(Effect::Decide(Recovery::Discarded));
            }
            (Self::Disk, Action::ReadDisk) => files::read_disk(state),
            (Self::Disk, Action::KeepMine) => files::keep_mine(state),
            (Self::Overwrite { writing, .. }, Action::Overwrite) => {
                state.effects.push(Effect::Write(Writing {
                    existing: Existing::Replace,
                    ..writing.clone()
                }));
            }
            _ => return true,
        }
        false
    }

    /// The words, and below them the answers that the footer has too.
    fn draw(&self, state: &State, frame: &mut Frame) {
        let name = state.document.name();
        let (title, lines) = match self {
            Self::Leave { then } => {
                let what = match then {
                    Then::Quit => "Save them, or leave without?",
                    Then::Stay | Then::Open(_) => "Save them, or go on without?",
                };
                let unsaved = format!("{name} has unsaved changes.");
                ("Unsaved", [unsaved, what.to_owned()])
            }
            Self::Recover { kept } => {
                let said = format!(
                    "{name} has unsaved text of an earlier session{}.",
                    age(kept)
                );
                let room = usize::from(frame.area().width).saturating_sub(6);
                let differs = words(state.theme, &difference(state, kept));
                ("Recovered", [said, cut(&differs, room.min(70))])
            }
            Self::Disk => {
                let unsaved = if state.modified {
                    "The text here has unsaved changes of its own."
                } else {
                    "The text here is what it held before."
                };
                let changed = format!("{name} was changed by another program.");
                ("Changed", [changed, unsaved.to_owned()])
            }
            Self::Overwrite { writing, changed } => {
                let what = if *changed {
                    "has been changed by another program since it was read"
                } else {
                    "exists"
                };
                let there = format!("{} {what}.", shown(&writing.path));
                ("Overwrite", [there, "Overwrite it?".to_owned()])
            }
        };
        let lines = lines.map(|line| words(state.theme, &line));
        let mut last = Vec::new();
        for answer in footer(state.context()) {
            let names = words(state.theme, &answer.names());
            last.push(Span::styled(names, state.theme.accent()));
            last.push(Span::raw(format!(" {}   ", answer.title)));
        }
        let last = Line::from(last);
        let widths = lines.iter().map(|line| columns(line));
        let width = widths.max().unwrap_or(0).max(last.width());
        let size = (width as u16 + 2, lines.len() as u16 + 2);
        let mut inner = open(state, title, size, frame);
        let rows = inner.y..inner.bottom();
        inner.x += 1;
        inner.width = inner.width.saturating_sub(2);
        let lines = lines.into_iter().map(Line::raw);
        for (y, line) in rows.zip(lines.chain([Line::raw(""), last])) {
            row(&line, y, inner, frame.buffer_mut());
        }
    }
}

/// How long ago a text was typed, as far as that is known.
fn age(kept: &Kept) -> String {
    match kept.age.map(|age| age.as_secs()) {
        None => String::new(),
        Some(seconds @ 0..120) => format!(", kept {seconds} s ago"),
        Some(seconds @ 120..7200) => format!(", kept {} min ago", seconds / 60),
        Some(seconds @ 7200..172_800) => format!(", kept {} hours ago", seconds / 3600),
        Some(seconds) => format!(", kept {} days ago", seconds / 86400),
    }
}

/// The first line in which a text is another one than that of the editor.
fn difference(state: &State, kept: &Kept) -> String {
    let old: Vec<&str> = kept.text.lines().collect();
    let new: Vec<&str> = state.editor.lines().iter().map(String::as_str).collect();
    let differs = |(a, b): (&&str, &&str)| a != b;
    let first = old.iter().zip(&new).position(differs);
    let first = first.unwrap_or(old.len().min(new.len()));
    let line = old.get(first).copied().unwrap_or_default();
    format!("It differs from line {} on: {line}", first + 1)
}
