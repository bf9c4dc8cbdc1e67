//! What is written about the system, over the panes: the page that is read, what of it is seen, and what the
//! worker has written.
//!
//! A page is asked for while it is looked at and not there: for another text, other dependent coordinates or
//! another width it is written anew, and what was there stays in sight until then. A page that is left is taken
//! back: nothing is written that nobody reads.

use std::borrow::Cow;
use std::rc::Rc;

use ratatui::layout::Rect;

use super::action::{Action, Context};
use super::dialog::{self, Dialog, Find, Help};
use super::editor::TextPosition;
use super::export;
use super::inquiry::Inquiry;
use super::state::{Effect, MEND_FIRST, State, Subject};
use super::text::{columns, plain, wrap};
use super::update::copy;
use super::worker::Question;
use super::writing::{Beside, Page, WantedPage, Written};
use crate::analysis::Analysis;
use crate::expr::Style;

/// Columns that a key moves the page to the side.
const SIDEWAYS: usize = 8;
/// Rows at the bottom that the line of a search hides.
const HIDDEN: usize = 3;

/// A page as it came from the worker, or the sentence in its place.
type Answered = Result<Rc<Written>, String>;

/// The pages and what of them is seen.
#[derive(Clone, Default)]
pub struct Report {
    /// Whether it lies over the panes.
    pub open: bool,
    /// The page.
    pub page: Page,
    /// Whether the atlas is that of the choice of dependent coordinates in force, not of all.
    pub one_choice: bool,
    /// What is varied of the motion.
    pub varied: Beside,
    /// Where the inverse functions are looked at.
    place: Option<(f64, Vec<f64>)>,
    /// The first line that is seen.
    pub top: usize,
    /// The first column.
    pub across: usize,
    /// The place that a search has found.
    pub found: Option<TextPosition>,
    /// What was written, a page each.
    pages: [Inquiry<WantedPage, Answered>; Page::ALL.len()],
}

impl Report {
    /// What there is of the page.
    fn answered(&self) -> Option<&(WantedPage, Answered)> {
        self.pages.get(self.page.number())?.found.as_ref()
    }

    /// The page as it was written.
    pub fn written(&self) -> Option<&Rc<Written>> {
        self.answered()?.1.as_ref().ok()
    }
}

/// Opens it at the page that was read last.
pub fn open(state: &mut State) {
    if state.analysis.is_none() && !state.no_start {
        let action = match state.report.page {
            Page::Certificate => Action::Certificate,
            _ => Action::Report,
        };
        let what = "the report opens";
        let why = "there is no system to write about: the text has an error (! lists them)";
        return state.wait_for(action, what, why);
    }
    state.report.open = true;
    state.report.found = None;
    state.report.place = here(state);
}

/// Opens it at the certificate.
pub fn certificate(state: &mut State) {
    state.report.page = Page::Certificate;
    (state.report.top, state.report.across) = (0, 0);
    open(state);
}

/// Another system is shown: what was written is about the one before.
pub fn forget(state: &mut State) {
    state.report = Report::default();
}

/// Where the motion or the probe is.
pub fn here(state: &State) -> Option<(f64, Vec<f64>)> {
    let t = match &state.map.probe {
        Some(probe) => probe.t,
        None => state.playhead.t,
    };
    (!state.position.is_empty()).then(|| (t, state.position.clone()))
}

/// The page that is looked at, as the text is now.
fn wanted(state: &State) -> Option<WantedPage> {
    // without a start the choice is that of the file, or else the program's
    let analysis = state.analysis.as_ref().filter(|_| !state.no_start);
    if analysis.is_none() && !state.no_start {
        return None;
    }
    let report = &state.report;
    let here = report.place.as_ref().filter(|(_, x)| {
        let known = |analysis: &Rc<Analysis>| x.len() == analysis.coordinates().len();
        report.page == Page::Inverse && analysis.is_some_and(known)
    });
    Some(WantedPage {
        generation: state.generation,
        page: report.page,
        width: room(state),
        style: if state.theme.ascii() {
            Style::Plain
        } else {
            Style::Pretty
        },
        dependent: analysis.map(|analysis| analysis.dependent.clone()),
        one_choice: report.page == Page::Atlas && report.one_choice,
        varied: (report.page == Page::Beside).then_some(report.varied),
        place: here.cloned(),
    })
}

/// Asks for the page that is looked at, where it is not there; takes it back where nobody looks any more.
pub fn ask(state: &mut State) -> Option<Effect> {
    if !state.report.open {
        let mut pages = state.report.pages.iter_mut();
        return pages.find_map(|page| page.leave(Question::Page));
    }
    let about = state.described()?.clone();
    let wanted = wanted(state)?;
    let pages = &mut state.report.pages;
    let wanted = pages.get_mut(wanted.page.number())?.begin(wanted)?;
    // it takes the place of another page that was asked for
    for page in pages {
        page.asking.take_if(|asked| *asked != wanted);
    }
    Some(Effect::Ask(about, Question::Page(wanted)))
}

/// The worker has written a page.
pub fn written(state: &mut State, of: WantedPage, page: Result<Box<Written>, String>) {
    let Some(place) = state.report.pages.get_mut(of.page.number()) else {
        return;
    };
    place.answered(&of);
    if of.generation != state.generation {
        return;
    }
    place.found = Some((of, page.map(Rc::from)));
    state.changed = true;
    scroll(state, 0);
}

/// Whether what is shown is not what the text says now.
pub fn is_behind(state: &State) -> bool {
    let Some((of, _)) = state.report.answered() else {
        return false;
    };
    let differs = |now: WantedPage| {
        // another width is no news
        let width = now.width;
        now != WantedPage {
            width,
            ..of.clone()
        }
    };
    state.stale() && !state.no_start || wanted(state).is_some_and(differs)
}

/// The rows and columns of the page on the screen, its border around them.
pub fn area(state: &State) -> Rect {
    let layout = state.layout();
    let top = layout.verdict.bottom();
    let rows = layout.footer.y.saturating_sub(top);
    Rect::new(layout.verdict.x, top, layout.verdict.width, rows)
}

/// Columns for its lines.
pub fn room(state: &State) -> usize {
    // the border, a blank column, and one for the signs that there is more
    usize::from(area(state).width.saturating_sub(4))
}

/// Rows for its lines.
fn rows(state: &State) -> usize {
    usize::from(area(state).height.saturating_sub(2)).max(1)
}

/// The lines of the page, or a sentence in its place.
pub fn lines(state: &State) -> Cow<'_, [String]> {
    let sentence = |text: &str| Cow::Owned(wrap(text, room(state)));
    let lines = match state.report.answered() {
        Some((_, Ok(written))) => Cow::Borrowed(written.lines.as_slice()),
        Some((_, Err(error))) => sentence(error),
        None if state.stale() && !state.no_start => sentence(MEND_FIRST),
        None => sentence(&format!(
            "the {}: working …",
            state.report.page.about().noun
        )),
    };
    if state.theme.ascii() {
        lines.iter().map(|line| plain(line)).collect()
    } else {
        lines
    }
}

/// Scrolls by lines; `isize::MIN` and `MAX` are the ends.
pub fn scroll(state: &mut State, by: isize) {
    let most = lines(state).len().saturating_sub(rows(state));
    let top = state.report.top.saturating_add_signed(by);
    state.report.top = top.min(most);
    state.changed = true;
}

/// To another page.
fn leaf(state: &mut State, by: usize) {
    let number = (state.report.page.number() + by) % Page::ALL.len();
    let place = here(state);
    let report = &mut state.report;
    if let Some(page) = Page::ALL.get(number) {
        report.page = *page;
    }
    (report.top, report.across, report.found) = (0, 0, None);
    report.place = place;
}

/// To the side, as far as the lines go.
fn sideways(state: &mut State, right: bool) {
    let longest = lines(state).iter().map(|line| columns(line)).max();
    let most = longest.unwrap_or(0).saturating_sub(room(state));
    let across = &mut state.report.across;
    if !right {
        *across = across.saturating_sub(SIDEWAYS);
    } else if *across < most {
        *across = (*across + SIDEWAYS).min(most);
    } else {
        state.note("no line goes further to the right");
    }
}

/// Brings a place that was looked for into sight.
pub fn go(state: &mut State, place: TextPosition) {
    let hidden = if state.dialog.is_some() { HIDDEN } else { 0 };
    let rows = rows(state).saturating_sub(hidden).max(1);
    let room = room(state);
    let report = &mut state.report;
    if !(report.top..report.top + rows).contains(&place.line) {
        // what comes after it is to be read
        report.top = place.line.saturating_sub(rows / 3);
    }
    if !(report.across..report.across + room).contains(&place.column) {
        report.across = place.column.saturating_sub(room / 2);
    }
    report.found = Some(place);
    scroll(state, 0);
}

/// What a key does.
pub fn act(state: &mut State, action: Action) {
    let rows = rows(state).max(2);
    if let Some(by) = action.lines(rows - 1, rows / 2) {
        scroll(state, by);
    }
    match action {
        Action::Close => {
            state.report.open = false;
            state.report.found = None;
        }
        Action::NextForm => leaf(state, 1),
        Action::PreviousForm => leaf(state, Page::ALL.len() - 1),
        Action::AllChoices if state.report.page == Page::Atlas => {
            state.report.one_choice = !state.report.one_choice;
        }
        Action::AllChoices if state.report.page == Page::Beside => {
            state.report.varied.number += 1;
        }
        Action::AllChoices => state.note("only the atlas has choices: f leads there"),
        Action::Left | Action::Right if state.report.page == Page::Beside => {
            let by = if action == Action::Right { 1 } else { -1 };
            let notch = &mut state.report.varied.notch;
            *notch = (*notch + by).clamp(-Beside::NOTCHES, Beside::NOTCHES);
        }
        Action::Left | Action::Right => sideways(state, action == Action::Right),
        Action::Find => Find::open(state),
        Action::FindNext | Action::FindPrevious => dialog::again(state, action == Action::FindNext),
        Action::CopyText => {
            let text = |state: &State| state.report.written().map(|page| page.text.clone());
            copy(state, |state| text(state).unwrap_or_default(), "text");
        }
        Action::CopyLatex if !state.report.page.in_latex() => {
            let noun = state.report.page.about().noun;
            state.note(format!("the {noun}: there is no LaTeX of it"));
        }
        Action::CopyLatex => {
            let latex = |state: &State| state.report.written()?.latex.clone();
            copy(state, |state| latex(state).unwrap_or_default(), "LaTeX");
        }
        Action::Export if state.report.written().is_some() => export::ask(state, Subject::Page),
        Action::Export => state.note("there is nothing to write yet"),
        Action::Help => {
            let help = Help::at(state, Context::Report, None);
            state.dialog = Some(Dialog::Help(help));
        }
        _ => {}
    }
}
