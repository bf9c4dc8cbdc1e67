//! All that the workbench knows: what [`super::update`] changes and [`super::view`] shows.

use std::path::PathBuf;
use std::rc::Rc;

use ratatui::layout::Rect;

use super::action::{Action, Context};
use super::completion::{Completion, bare, margin};
use super::dialog::{Dialog, Prompt};
use super::document::{Document, Existing, Source};
use super::editor::{Editor, TextPosition};
use super::equilibria::{self, EquilibriaView};
use super::formulas::{Printed, PrintedForm};
use super::inquiry::Inquiry;
use super::journal::Recovery;
use super::layout::{Layout, Pane};
use super::map::Map;
use super::mouse::Drag;
use super::nearest::Nearest;
use super::parameters::Slider;
use super::playhead::Playhead;
use super::plots::Plots;
use super::range::{self, Ranges};
use super::report::Report;
use super::text::{clean, columns, cut, wrap};
use super::theme::Theme;
use super::view::words;
use super::worker::{Methods, Question, Request};
use crate::analysis::{Analysis, PointAnalysis, Underway};
use crate::solver::{Moment, Released};
use crate::system::{Changes, Diagnostic};

/// What is to be done after a text was saved or given up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Then {
    /// Nothing.
    Stay,
    /// Leave the program.
    Quit,
    /// Open this, or the same again.
    Open(Source),
}

/// Of a text that is broken.
pub const MEND_FIRST: &str = "the text has to be mended first";

/// What is written to a file, beside the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// What the Plot pane shows.
    Plot,
    /// The screen.
    Screen,
    /// The page of the report.
    Page,
    /// What is found over a range.
    Range,
}

/// What is to be written to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Writing {
    /// The file.
    pub path: PathBuf,
    /// What it is to hold.
    pub text: String,
    /// What may be replaced.
    pub existing: Existing,
    /// What comes after a save of the text; `None` of what is plotted, the screen, or a page.
    pub then: Option<Then>,
    /// Where its name was typed: asked again if the file cannot be written.
    pub prompt: Option<Prompt>,
}

/// A remark in the footer, until the next key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// One line.
    pub text: String,
    /// Whether something went wrong.
    pub wrong: bool,
}

/// What another program wrote to the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OnDisk {
    /// What the file holds.
    pub text: String,
    /// Whether it is not asked about before the text is edited again.
    pub put_off: bool,
}

/// First line and column shown of each pane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scroll {
    /// First line of the text.
    pub system: usize,
    /// First column of the line with the cursor.
    pub across: usize,
    /// First line of the Theorem pane.
    pub theorem: usize,
    /// First line of the Equations pane.
    pub equations: usize,
}

/// What the program has to do for the state: everything that touches the world.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Analyse a text on the worker.
    Analyse(Request),
    /// Ask the worker something about a text that it has analysed.
    Ask(Request, Question),
    /// Take a question back.
    Withdraw(Question),
    /// Read a text.
    Load(Source),
    /// Write a file.
    Write(Writing),
    /// List the system files of the folder.
    List,
    /// Remember the text for the case of a sudden end.
    Keep,
    /// The document is another one: look for text of it that an earlier session left.
    Claim,
    /// What becomes of the text that was found.
    Decide(Recovery),
    /// Edit the text with the user's own editor.
    External(String),
    /// Have the terminal tell of the mouse, or not.
    Mouse(bool),
    /// Stop, until the shell lets the program go on.
    Suspend,
    /// Put a text on the clipboard of the terminal.
    Copy(String),
    /// Draw everything anew.
    Redraw,
    /// End the program; the number of the signal that wants it.
    Quit(Option<i32>),
}

/// The state.
#[derive(Clone, Default)]
#[allow(clippy::struct_excessive_bools)] // independent questions, not one of many answers
pub struct State {
    /// Columns and rows of the terminal.
    pub size: (u16, u16),
    /// How things look.
    pub theme: Theme,
    /// Where the text came from.
    pub document: Document,
    /// The text.
    pub editor: Editor,
    /// Whether the text differs from its source.
    pub modified: bool,
    /// What is changed of the system beside the text: parameters set on the command line or moved, and those made
    /// coordinates, whose multipliers are the forces that hold them.
    pub changes: Changes,
    /// Why unsaved text would not outlive a sudden end, where that is so.
    pub not_kept: Option<String>,
    /// Whether keys are text.
    pub editing: bool,
    /// What lies over the panes.
    pub dialog: Option<Dialog>,
    /// The pane that has the keys.
    pub focus: Pane,
    /// Whether it has the whole screen.
    pub zoom: bool,
    /// What part of the panes is shown.
    pub scroll: Scroll,
    /// The last good result.
    pub analysis: Option<Rc<Analysis>>,
    /// Its equations, form by form.
    pub forms: Vec<PrintedForm>,
    /// Those worth reading at a glance: label and formula.
    pub summary: Vec<(String, String)>,
    /// The inverse functions.
    pub functions: Vec<Printed>,
    /// What the analysis that is pending is at, where it takes long.
    pub underway: Option<Underway>,
    /// What is wrong with the text; the result is then that of an earlier one.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether that is its start alone: the text describes a system.
    pub no_start: bool,
    /// Number of the last request.
    pub generation: u64,
    /// That request.
    pub asked: Option<Request>,
    /// Whether its answer has not come yet.
    pub pending: bool,
    /// What was asked for before the first answer had come, and is done then.
    pub awaited: Option<Action>,
    /// Whether the next good answer is that of another system, which plays from its start.
    pub fresh: bool,
    /// The time shown.
    pub playhead: Playhead,
    /// The coordinates then.
    pub position: Vec<f64>,
    /// The motion at the time shown.
    pub moment: Option<Moment>,
    /// The theorem there.
    pub look: Option<PointAnalysis>,
    /// Where the theorem fails next to it.
    pub nearest: Nearest,
    /// What is plotted.
    pub plots: Plots,
    /// The map of the constraint set.
    pub map: Map,
    /// The parameters while they are shown.
    pub sliders: Vec<Slider>,
    /// Whether the analysis is to be asked for again when the one under way is done.
    pub overdue: bool,
    /// The methods against each other, by the number of the request.
    pub methods: Inquiry<u64, Rc<Methods>>,
    /// The equilibria.
    pub equilibria: EquilibriaView,
    /// A parameter over a range.
    pub ranges: Ranges,
    /// What is written about the system.
    pub report: Report,
    /// The form of the equations that is shown: 0 is the summary.
    pub form: usize,
    /// A remark.
    pub notice: Option<Notice>,
    /// What another program wrote to the file, as long as nothing is decided about it.
    pub disk: Option<OnDisk>,
    /// What has become of the file, where it holds the text no more: it is gone, or it cannot be read.
    pub lost: Option<String>,
    /// Why what was to be written last is in no file, or what another editor made of the text is not here.
    pub failed: Option<String>,
    /// Whether the mouse belongs to the program.
    pub mouse: bool,
    /// What the mouse is moving.
    pub drag: Option<Drag>,
    /// What was looked for last in the text.
    pub sought: String,
    /// The completions between which Tab chooses.
    pub completion: Option<Completion>,
    /// What is to be done, in this order, once the event is over.
    pub effects: Vec<Effect>,
    /// Whether the screen no longer shows this state.
    pub changed: bool,
}

/// The text and screen that a state begins with.
#[derive(Clone, Debug, Default)]
pub struct Opening {
    /// Where the text came from.
    pub source: Source,
    /// The text.
    pub text: String,
    /// What is changed of the system on the command line; it holds until another one is opened.
    pub changes: Changes,
    /// How things look.
    pub theme: Theme,
    /// Columns and rows of the terminal.
    pub size: (u16, u16),
    /// Whether the mouse belongs to the program.
    pub mouse: bool,
    /// Whether the program was never used before: a hint is shown.
    pub first_run: bool,
    /// How it comes to its user.
    pub shown: Shown,
}

/// How a state comes to its user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shown {
    /// As a screen.
    #[default]
    Screen,
    /// As a screen on a slow line: few pictures while something moves.
    FewPictures,
    /// In lines, for a screen reader.
    Lines,
}

/// Shown at the first start of all, until a key is pressed.
const HINT: &str = "new here? space plays, o opens, m map, W handout, B equilibria, ? has all keys";

impl State {
    /// The state at the start, and what is to be done first.
    pub fn open(opening: Opening) -> (Self, Vec<Effect>) {
        let mut state = Self {
            size: opening.size,
            theme: opening.theme,
            editor: Editor::new(&opening.text),
            document: Document {
                source: opening.source,
                saved: opening.text,
            },
            changes: opening.changes,
            zoom: opening.shown == Shown::Lines,
            fresh: true,
            notice: opening.first_run.then(|| Notice {
                text: HINT.to_owned(),
                wrong: false,
            }),
            mouse: opening.mouse,
            effects: vec![Effect::Claim],
            changed: true,
            ..Self::default()
        };
        state.request();
        let first = std::mem::take(&mut state.effects);
        (state, first)
    }

    /// What the keys mean now.
    pub fn context(&self) -> Context {
        match &self.dialog {
            Some(dialog) => dialog.context(),
            None if self.report.open => Context::Report,
            None if self.editing => Context::Edit,
            None if self.map.probe.is_some() => Context::Probe,
            None => Context::Browse,
        }
    }

    /// What the file holds, as far as is known; `None` where it is gone or cannot be read.
    pub fn on_disk(&self) -> Option<&str> {
        if self.lost.is_some() {
            return None;
        }
        let theirs = self.disk.as_ref().map(|disk| &disk.text);
        Some(theirs.unwrap_or(&self.document.saved))
    }

    /// Whether what is shown belongs to an earlier text.
    pub fn stale(&self) -> bool {
        !self.diagnostics.is_empty()
    }

    /// Whether the time shown moves by itself.
    pub fn animated(&self) -> bool {
        let moves = |analysis: &Rc<Analysis>| analysis.motion.samples.len() > 1;
        let plays = self.playhead.playing && self.analysis.as_ref().is_some_and(moves);
        plays || equilibria::oscillates(self)
    }

    /// Where the panes are.
    pub fn layout(&self) -> Layout {
        self.layout_on(self.size)
    }

    /// Where the panes are on a screen of this size.
    pub fn layout_on(&self, size: (u16, u16)) -> Layout {
        if self.begins() {
            return Layout::new(size, Pane::System, true);
        }
        Layout::new(size, self.focus, self.zoom)
    }

    /// Whether there is nothing in the text but blanks and comments.
    pub fn is_blank(&self) -> bool {
        let empty = |line: &String| bare(line).trim().is_empty();
        self.editor.lines().iter().all(empty)
    }

    /// Whether an empty file has only begun to be a system: there is nothing to show but the text.
    pub fn begins(&self) -> bool {
        let named = |line: &String| margin(line) == Some("coordinates");
        self.analysis.is_none()
            && self.document.saved.trim().is_empty()
            && !self.editor.lines().iter().any(named)
    }

    /// Asks for an analysis of the text as it is.
    pub fn request(&mut self) {
        self.generation += 1;
        self.pending = true;
        self.underway = None;
        let request = Request {
            generation: self.generation,
            text: self.editor.text(),
            file: self.document.name(),
            changes: self.changes.clone(),
        };
        self.asked = Some(request.clone());
        range::dropped(self);
        self.effects.push(Effect::Analyse(request));
    }

    /// A remark that there is nothing of what is asked for; of a text that is broken nothing is known.
    pub fn note_of_nothing(&mut self, why: &str) {
        self.note(if self.stale() { MEND_FIRST } else { why });
    }

    /// Nothing is known yet of what is asked for: that waits for the first answer, or `why` is said.
    pub fn wait_for(&mut self, action: Action, what: &str, why: &str) {
        if self.pending {
            self.note(format!("deriving … {what} when it is ready"));
            self.awaited = Some(action);
        } else {
            self.note(why);
        }
    }

    /// Another key: the remark is read, and what waits is no longer wanted.
    pub fn heard(&mut self) {
        self.changed |= self.notice.take().is_some();
        self.awaited = None;
    }

    /// A remark in the footer.
    pub fn note(&mut self, text: impl Into<String>) {
        self.say(text.into(), false);
    }

    /// A remark of something that went wrong.
    pub fn complain(&mut self, text: impl Into<String>) {
        self.say(text.into(), true);
    }

    fn say(&mut self, text: String, wrong: bool) {
        self.notice = Some(Notice { text, wrong });
        self.changed = true;
    }

    /// Gives a parameter a value beside the text, or that of the text again.
    pub fn set_parameter(&mut self, name: &str, value: Option<String>) {
        self.changes.set.retain(|(own, _)| own != name);
        let value = value.map(|value| (name.to_owned(), value));
        self.changes.set.extend(value);
    }

    /// The request whose result is shown, for questions about it; `None` while a newer one is under way or
    /// where the text is broken.
    pub fn settled(&self) -> Option<&Request> {
        let shown = !self.pending && self.diagnostics.is_empty() && self.analysis.is_some();
        self.asked.as_ref().filter(|_| shown)
    }

    /// The request whose text describes a system, for questions that need no start.
    pub fn described(&self) -> Option<&Request> {
        let sound = !self.pending && self.no_start;
        self.asked.as_ref().filter(|_| sound).or(self.settled())
    }

    /// The one-sided constraints that do not act any more at the time shown; at a probe all do.
    pub fn released(&self) -> impl Iterator<Item = &Released> {
        let motion = self.analysis.as_ref().map(|analysis| &analysis.motion);
        let motion = motion.filter(|_| self.map.probe.is_none());
        motion
            .into_iter()
            .flat_map(|motion| motion.released_before(self.playhead.t))
    }

    /// Looks at the theorem at the time shown.
    pub fn look_again(&mut self) {
        let Some(analysis) = &self.analysis else {
            self.look = None;
            self.position.clear();
            self.moment = None;
            return;
        };
        let t = self.playhead.t;
        self.moment = analysis.moment(t);
        let here = self.moment.as_ref().map(|moment| &moment.sample.x);
        let probe = self.map.probe.as_ref().map(|probe| &probe.x);
        self.position = probe.or(here).cloned().unwrap_or_default();
        let known = self.position.len() == analysis.coordinates().len();
        // without constraints, or with some that do not act any more, there is nothing for the theorem to say
        let is_free = self.released().next().is_some();
        let flag = self.playhead.flag(&analysis.motion);
        let flag = flag.filter(|_| self.map.probe.is_none());
        let look = || match flag {
            Some(flag) => analysis.at_flag(&analysis.motion.flags[flag]),
            None => analysis.at_point(t, &self.position),
        };
        self.look = (known && !is_free && !analysis.constraints().is_empty()).then(look);
    }

    /// What is wrong with the text and what to try, for the bottom of the System pane: at most a third
    /// of its rows, or what the text leaves free.
    pub fn complaint(&self, inner: Rect) -> Vec<String> {
        let Some(error) = self.diagnostics.first().filter(|_| !self.is_blank()) else {
            return Vec::new();
        };
        let mut text = match error.line {
            0 => error.message.clone(),
            line => format!("{line}:{} {}", error.column, error.message),
        };
        if let Some(help) = &error.help {
            text = format!("{text}; {help}");
        }
        if self.diagnostics.len() > 1 {
            text = format!("{text} (and {} more)", self.diagnostics.len() - 1);
        }
        let mut lines = wrap(&words(self.theme, &text), usize::from(inner.width));
        let height = usize::from(inner.height);
        let rows = (height / 3).max(height.saturating_sub(self.editor.lines().len()));
        if lines.len() > rows {
            lines.truncate(rows);
            if let Some(last) = lines.last_mut() {
                *last = cut(&format!("{last} …"), usize::from(inner.width));
            }
        }
        lines
    }

    /// Columns of the line numbers.
    pub fn gutter(&self) -> usize {
        self.editor.lines().len().to_string().len().max(2) + 1
    }

    /// Columns by which a line of the text is moved to the left: only the one with the cursor is.
    pub fn across(&self, line: usize) -> usize {
        if self.editing && line == self.editor.cursor().line {
            self.scroll.across
        } else {
            0
        }
    }

    /// Brings a place of the text into view.
    pub fn reveal(&mut self, place: TextPosition) {
        let layout = self.layout();
        let Some(inner) = layout.inner(Pane::System) else {
            return;
        };
        let rows = usize::from(inner.height)
            .saturating_sub(self.complaint(inner).len())
            .max(1);
        // a text that has become shorter has no empty rows below it
        let last = self.editor.lines().len().saturating_sub(rows);
        let top = &mut self.scroll.system;
        *top = (*top)
            .min(place.line)
            .min(last)
            .max((place.line + 1).saturating_sub(rows));
        let width = usize::from(inner.width)
            .saturating_sub(self.gutter())
            .max(1);
        let line = self.editor.lines().get(place.line);
        let before: String = line
            .into_iter()
            .flat_map(|l| l.chars())
            .take(place.column)
            .collect();
        let column = columns(&clean(&before));
        let left = &mut self.scroll.across;
        if column < *left || column >= *left + width {
            // a third of the line before stays in sight
            *left = (column + 1).saturating_sub(width - width / 3);
            if column < width {
                *left = 0;
            }
        }
    }
}
