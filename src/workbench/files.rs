//! Opening, saving, leaving: a text is never lost unasked.

use std::path::PathBuf;

use super::document::{Document, Existing, Saved, Source};
use super::editor::Editor;
use super::playhead::Playhead;
use super::state::{Dialog, Effect, Scroll, State, Then};
use super::update::note;

/// Saves the text: to its file, or to one that is asked for.
pub fn save(state: &mut State, then: Then) -> Vec<Effect> {
    let Some(path) = state.document.path() else {
        let text = state.document.suggestion();
        let cursor = text.chars().count();
        state.dialog = Some(Dialog::Name { text, cursor, then });
        return Vec::new();
    };
    let path = path.to_owned();
    state.after = then;
    vec![Effect::Save {
        path,
        text: state.editor.text(),
        existing: Existing::Unchanged(state.document.saved.clone()),
    }]
}

/// Goes on, once nothing is lost by it.
pub fn leave(state: &mut State, then: Then) -> Vec<Effect> {
    if state.modified {
        state.dialog = Some(Dialog::Leave { then });
        return Vec::new();
    }
    go_on(then)
}

/// What was waited for.
pub fn go_on(then: Then) -> Vec<Effect> {
    match then {
        Then::Stay => Vec::new(),
        Then::Quit => vec![Effect::Quit(None)],
        Then::Open(source) => vec![Effect::Load(source)],
    }
}

/// Opens a built-in system by its number, from 0.
pub fn open_built_in(state: &mut State, number: usize) -> Vec<Effect> {
    match super::built_in(number) {
        Some(source) => leave(state, Then::Open(source)),
        None => Vec::new(),
    }
}

/// A text was read: it takes the place of the one before.
pub fn loaded(state: &mut State, source: Source, text: Result<String, String>) -> Vec<Effect> {
    let text = match text {
        Ok(text) => text,
        Err(error) => {
            note(state, error, true);
            return Vec::new();
        }
    };
    let again = state.document.source == source;
    state.editor = Editor::new(&text);
    state.document = Document {
        source,
        saved: text,
    };
    state.modified = false;
    state.editing = false;
    state.changed = true;
    if again {
        note(state, "read again", false);
    } else {
        state.set.clear();
        state.scroll = Scroll::default();
        state.analysis = None;
        state.diagnostics.clear();
        state.look_again();
        state.playhead = Playhead::default();
    }
    state.fresh = true;
    vec![Effect::Keep, state.request()]
}

/// A save has ended.
pub fn saved(
    state: &mut State,
    path: PathBuf,
    text: String,
    how: Result<Saved, String>,
) -> Vec<Effect> {
    let then = std::mem::replace(&mut state.after, Then::Stay);
    state.changed = true;
    match how {
        Ok(Saved::Done) => {
            note(state, format!("saved as {}", path.to_string_lossy()), false);
            state.document = Document {
                source: Source::File(path),
                saved: text,
            };
            state.modified = state.editor.text() != state.document.saved;
            let mut effects = vec![Effect::Keep];
            effects.extend(go_on(then));
            return effects;
        }
        Ok(Saved::Exists | Saved::Changed) => {
            let changed = how == Ok(Saved::Changed);
            state.dialog = Some(Dialog::Overwrite {
                path,
                changed,
                then,
            });
        }
        Err(error) => note(state, error, true),
    }
    Vec::new()
}

/// An export has ended.
pub fn exported(state: &mut State, path: PathBuf, text: String, how: Result<Saved, String>) {
    state.changed = true;
    match how {
        Ok(Saved::Done) => note(state, format!("wrote {}", path.to_string_lossy()), false),
        Ok(Saved::Exists | Saved::Changed) => {
            state.dialog = Some(Dialog::Replace { path, text });
        }
        Err(error) => note(state, error, true),
    }
}
