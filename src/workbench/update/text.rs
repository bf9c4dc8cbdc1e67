//! What is done to the text of the system.

use crate::workbench::action::Action;
use crate::workbench::completion;
use crate::workbench::editor::{Editor, MAX_TEXT, TextPosition};
use crate::workbench::files;
use crate::workbench::layout::Pane;
use crate::workbench::state::{Effect, State};

/// The text has changed: it is kept, and analysed.
pub(in crate::workbench) fn edited(state: &mut State) {
    state.modified = state.editor.text() != state.document.saved;
    state.changed = true;
    follow_cursor(state);
    state.effects.push(Effect::Keep);
    state.request();
}

/// The text has changed, or it has not: there was no room for more.
pub(super) fn edited_if(state: &mut State, fits: bool) {
    edited(state);
    if !fits {
        let most = MAX_TEXT / 1024;
        let words = format!("no room: a text has at most {most} KiB; what came last was not taken");
        state.complain(words);
    }
}

pub(in crate::workbench) fn follow_cursor(state: &mut State) {
    if state.editing {
        let place = state.editor.cursor();
        state.reveal(place);
    }
}

/// What the keys do to the text; false where they do something else.
pub(super) fn edit(state: &mut State, action: Action) -> bool {
    let page = state
        .layout()
        .inner(Pane::System)
        .map_or(1, |rect| usize::from(rect.height).max(1));
    let editor = &mut state.editor;
    if editor.go(action, page) {
        follow_cursor(state);
        return true;
    }
    match action {
        Action::Backspace => editor.delete(Action::Left),
        Action::Delete => editor.delete(Action::Right),
        Action::DeleteWord => editor.delete(Action::WordLeft),
        Action::DeleteToEnd if editor.at_line_end() => editor.delete(Action::Right),
        Action::DeleteToEnd => editor.delete(Action::LineEnd),
        Action::Enter => {
            let fits = editor.newline();
            edited_if(state, fits);
            return true;
        }
        Action::Complete => completion::complete(state, true),
        Action::CompleteBack => completion::complete(state, false),
        _ => return false,
    }
    edited(state);
    true
}

/// What the keys of the panes do to it; false where they do something else.
pub(super) fn act(state: &mut State, action: Action) -> bool {
    match action {
        Action::Edit => begin_edit(state),
        Action::EndEdit => state.editing = false,
        Action::Undo => change(state, Editor::undo, "nothing to undo"),
        Action::Redo => change(state, Editor::redo, "nothing to redo"),
        _ => return false,
    }
    true
}

/// Goes back or on among the changes.
fn change(state: &mut State, how: fn(&mut Editor) -> bool, none: &str) {
    if !how(&mut state.editor) {
        return state.note(none);
    }
    let place = state.editor.cursor();
    state.reveal(place);
    edited(state);
}

fn begin_edit(state: &mut State) {
    state.editing = true;
    files::put_off_disk(state, false);
    state.focus = Pane::System;
    // where an error is, it is to be mended; else the cursor comes to what is seen
    if let Some(place) = state.diagnostics.first().and_then(TextPosition::of) {
        state.editor.go_to(place);
    } else if let Some(inner) = state.layout().inner(Pane::System) {
        let cursor = state.editor.cursor();
        let seen = state.scroll.system..state.scroll.system + usize::from(inner.height);
        if !seen.contains(&cursor.line) {
            state.editor.go_to(TextPosition::new(seen.start, 0));
        }
    }
    follow_cursor(state);
}
