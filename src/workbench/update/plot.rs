//! What is done to the plot: which part of it is seen, how it is drawn, where it goes.

use crate::plot::Charset;
use crate::workbench::action::Action;
use crate::workbench::dialog::{Columns, Dialog};
use crate::workbench::export;
use crate::workbench::layout::Pane;
use crate::workbench::plots::{Lens, Shift};
use crate::workbench::state::{Effect, State, Subject};
use crate::workbench::view;

use super::copy;

/// Whether time is the axis of what the Plot pane shows.
pub(in crate::workbench) fn over_time(state: &State) -> bool {
    !state.map.shown && state.plots.view().is_some_and(|view| view.x == "t")
}

/// What is seen in the Plot pane.
pub(in crate::workbench) fn lens(state: &mut State) -> &mut Lens {
    if state.map.shown {
        &mut state.map.lens
    } else {
        &mut state.plots.lens
    }
}

/// What the keys do to the plot; false where they do something else.
pub(super) fn act(state: &mut State, action: Action) -> bool {
    match action {
        Action::Closer => see(state, Shift::Closer),
        Action::Farther => see(state, Shift::Farther),
        Action::Before => see(state, Shift::Back),
        Action::After => see(state, Shift::On),
        Action::Whole => lens(state).fit(),
        Action::LogAxes => {
            let words = state.plots.next_scales();
            state.note(words);
        }
        Action::Drift => {
            let words = state.plots.next_drift();
            state.note(words);
        }
        Action::Aspect => {
            if let Some(figure) = view::plot::alone(state) {
                let words = state.plots.lens.turn_aspect(figure.aspect);
                state.note(words);
            }
        }
        Action::Characters => {
            let charset = &mut state.theme.charset;
            let words;
            (*charset, words) = match charset {
                Charset::Braille => (Charset::Blocks, "blocks"),
                Charset::Blocks => (
                    Charset::Sextants,
                    "sextants, where the font has them: 🬴 is one",
                ),
                Charset::Sextants => (Charset::Ascii, "plain ASCII"),
                Charset::Ascii => (Charset::Braille, "braille"),
            };
            state.note(format!("drawn with {words}"));
        }
        Action::CopyPlot => copy(state, export::text, "the plot"),
        Action::CopyRow => match export::row(state) {
            Some((names, numbers)) => {
                state.note(format!("copied {names}"));
                state.effects.push(Effect::Copy(numbers));
            }
            None => state.note("there is nothing to copy yet"),
        },
        Action::Export if state.analysis.is_some() => export::ask(state, Subject::Plot),
        Action::NextPlot => state.plots.next(),
        Action::NextY | Action::PreviousY | Action::NextX | Action::PreviousX => {
            if let Some(analysis) = &state.analysis {
                let across = matches!(action, Action::NextX | Action::PreviousX);
                let after = matches!(action, Action::NextY | Action::NextX);
                state.plots.cycle(analysis, across, after);
            }
        }
        Action::Columns if state.analysis.is_some() => {
            state.dialog = Some(Dialog::Columns(Columns::default()));
        }
        Action::ScrollUp if state.focus == Pane::Plot => see_along(state, true, Shift::On),
        Action::ScrollDown if state.focus == Pane::Plot => see_along(state, true, Shift::Back),
        Action::PageUp | Action::HalfUp if state.focus == Pane::Plot => {
            see_along(state, true, Shift::Closer);
        }
        Action::PageDown | Action::HalfDown if state.focus == Pane::Plot => {
            see_along(state, true, Shift::Farther);
        }
        _ => return false,
    }
    true
}

/// Another part of the plot: of x where time is the axis, of both axes where a curve runs in the plane.
fn see(state: &mut State, shift: Shift) {
    let over_time = over_time(state);
    see_along(state, false, shift);
    if !over_time && matches!(shift, Shift::Closer | Shift::Farther) {
        see_along(state, true, shift);
    }
}

/// Another part of one axis, around the time shown.
fn see_along(state: &mut State, up: bool, shift: Shift) {
    let Some(figure) = view::plot::alone(state) else {
        return;
    };
    let over_time = over_time(state);
    let centre = match view::plot::point(state, &figure) {
        Some([_, y]) if up => y,
        Some(_) if over_time => state.playhead.t,
        Some([x, _]) => x,
        None => f64::NAN,
    };
    see_at(state, up, shift, centre);
}

/// Another part of one axis, round this place of it.
pub(in crate::workbench) fn see_at(state: &mut State, up: bool, shift: Shift, centre: f64) {
    let Some(figure) = view::plot::alone(state) else {
        return;
    };
    let whole = if state.map.shown {
        view::map::all(state)
    } else {
        let mut whole = figure.clone();
        (whole.x.range, whole.y.range) = (None, None);
        Some(whole)
    };
    if let Some(whole) = whole {
        lens(state).shift(up, shift, (&figure, &whole), centre);
    }
}
