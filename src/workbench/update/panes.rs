//! What is done to the panes: which has the keys, what of it is seen, what of the equations is shown.

use crate::workbench::action::Action;
use crate::workbench::layout::Pane;
use crate::workbench::state::State;
use crate::workbench::view;

use super::copy;

/// What the keys do to them; false where they do something else.
pub(super) fn act(state: &mut State, action: Action) -> bool {
    match action {
        // where only some fit, the others come forward in their turn
        Action::NextPane => state.focus = state.focus.neighbour(true),
        Action::PreviousPane => state.focus = state.focus.neighbour(false),
        Action::Zoom => state.zoom = !state.zoom,
        Action::NextForm | Action::PreviousForm => leaf(state, action == Action::NextForm),
        Action::CopyText => copy(state, view::equations::plain_text, "text"),
        Action::CopyLatex => copy(state, view::equations::latex, "LaTeX"),
        _ => {
            let inner = state.layout().inner(state.focus);
            let rows = inner.map_or(2, |rect| usize::from(rect.height).max(2));
            let Some(by) = action.lines(rows - 1, rows / 2) else {
                return false;
            };
            scroll(state, state.focus, by);
        }
    }
    true
}

/// Scrolls a pane by lines; `isize::MIN` and `MAX` are its ends.
pub(in crate::workbench) fn scroll(state: &mut State, pane: Pane, by: isize) {
    let Some(inner) = state.layout().inner(pane) else {
        return;
    };
    let rows = usize::from(inner.height);
    let width = usize::from(inner.width);
    let lines = match pane {
        Pane::System => state.editor.lines().len() + state.complaint(inner).len(),
        Pane::Theorem => view::theorem::lines(state, width).len(),
        Pane::Equations => view::equations::lines(state, width).len(),
        Pane::Picture | Pane::Plot => return,
    };
    let place = match pane {
        Pane::System => &mut state.scroll.system,
        Pane::Theorem => &mut state.scroll.theorem,
        _ => &mut state.scroll.equations,
    };
    *place = place
        .saturating_add_signed(by)
        .min(lines.saturating_sub(rows));
}

/// The next form of the equations, or the one before; the pane comes forward.
fn leaf(state: &mut State, after: bool) {
    let count = state.forms.len();
    if count == 0 {
        return;
    }
    // the first key shows the pane, if it is not there to be seen
    let seen = state.layout().pane(Pane::Equations).is_some();
    state.focus = Pane::Equations;
    state.scroll.equations = 0;
    if seen || state.form == 0 {
        let pages = count + 1;
        let by = if after { 1 } else { count };
        state.form = (state.form.min(count) + by) % pages;
    }
}
