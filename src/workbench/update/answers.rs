//! What the worker has found.

use std::rc::Rc;

use crate::analysis::{Analysis, Underway};
use crate::workbench::dialog::Dialog;
use crate::workbench::editor::TextPosition;
use crate::workbench::state::{Effect, State};
use crate::workbench::worker::{Analysed, Answer, Found, Question, Trouble};
use crate::workbench::{equilibria, map, nearest, range, report};

use super::{follow_cursor, press_action};

/// Asks for the methods against each other, while they are looked at and not there; takes that back where nobody
/// looks any more.
pub(super) fn compare(state: &mut State) -> Option<Effect> {
    if !matches!(state.dialog, Some(Dialog::Methods(_))) {
        return state.methods.leave(Question::Methods);
    }
    let about = state.settled()?.clone();
    let wanted = state.methods.begin(about.generation)?;
    Some(Effect::Ask(about, Question::Methods(wanted)))
}

/// The worker has answered a question; what is about an earlier text is dropped.
pub(super) fn replied(state: &mut State, found: Found) {
    match found {
        Found::Map(wanted, answer) => map::drawn(state, wanted, answer),
        Found::Equilibria(generation, found) => equilibria::found(state, generation, found),
        Found::Oscillation(wanted, oscillation) => equilibria::drawn(state, wanted, oscillation),
        Found::Nearest(place, failure) => nearest::found(state, place, failure),
        Found::Range(wanted, answer) => range::found(state, wanted, answer),
        Found::Page(wanted, page) => report::written(state, wanted, page),
        Found::Methods(generation, found) => {
            state.methods.answered(&generation);
            if generation == state.generation {
                state.methods.found = Some((generation, Rc::from(found)));
                state.changed = true;
            }
        }
    }
}

/// The worker has analysed a text.
pub(super) fn answered(state: &mut State, answer: Answer) {
    if answer.generation != state.generation {
        return;
    }
    match answer.result {
        Ok(Analysed {
            analysis,
            forms,
            summary,
            functions,
        }) => {
            state.underway = analysis.underway;
            if !shows(state, &analysis) {
                state.changed = true;
                return;
            }
            let analysis = Rc::<Analysis>::from(analysis);
            (state.forms, state.summary) = (forms, summary);
            state.functions = functions;
            state.diagnostics.clear();
            state.no_start = false;
            let fresh = state.fresh;
            let part = match analysis.underway {
                Some(Underway::Motion(part)) => part,
                Some(Underway::Failures) | None => 1.0,
            };
            if state.fresh {
                state.form = 0;
                state.scroll.equations = 0;
                state.playhead.begin(&analysis.motion, part);
                state.plots.begin(&analysis);
                state.fresh = false;
                report::forget(state);
            } else {
                state.playhead.extend(&analysis.motion, part);
                state.plots.settle(&analysis);
            }
            state.analysis = Some(analysis);
            map::settle(state, fresh);
            state.look_again();
        }
        Err(trouble) => {
            state.underway = None;
            state.no_start = matches!(trouble, Trouble::Start(_));
            let (Trouble::Text(diagnostics) | Trouble::Start(diagnostics)) = trouble;
            state.diagnostics = diagnostics;
            let place = state.diagnostics.first().and_then(TextPosition::of);
            if let Some(TextPosition { line, .. }) = place.filter(|_| !state.editing) {
                state.reveal(TextPosition::new(line, 0));
            }
            follow_cursor(state);
        }
    }
    state.pending = state.underway.is_some();
    state.changed = true;
    if let Some(action) = state.awaited {
        state.heard();
        press_action(state, action);
    }
}

/// Whether a part of an analysis is worth the place of what is shown: a motion that has not come to the time
/// that is looked at is not.
fn shows(state: &State, analysis: &Analysis) -> bool {
    let reached =
        |(first, last): (f64, f64)| (state.playhead.t - first).abs() <= (last - first).abs();
    match analysis.underway {
        Some(Underway::Motion(_)) => state.fresh || analysis.motion.ends().is_some_and(reached),
        Some(Underway::Failures) | None => true,
    }
}
