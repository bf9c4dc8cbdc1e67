//! Opening, saving, leaving: a text is never lost unasked.

use std::path::{Path, PathBuf};

use crate::system::shown;

use super::dialog::{Dialog, Disk, Leave, Name, Overwrite, Recover, TextLine, Writing};
use super::document::{Document, Existing, Saved, Source};
use super::editor::Editor;
use super::export;
use super::journal::{Kept, Recovery};
use super::playhead::Playhead;
use super::report;
use super::state::{Effect, Scroll, State, Then};
use super::update::{edited, note};

/// Saves the text: to its file, or to one that is asked for.
pub fn save(state: &mut State, then: Then) -> Vec<Effect> {
    let Some(path) = state.document.path() else {
        save_as(state, then);
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

/// Asks for the name of a file, and saves there.
pub fn save_as(state: &mut State, then: Then) {
    let text = state.document.suggestion_for(&state.editor.text());
    state.dialog = Some(Dialog::Name(Name {
        line: TextLine::of(text),
        suggested: true,
        then,
    }));
}

/// Goes on, once nothing is lost by it.
pub fn leave(state: &mut State, then: Then) -> Vec<Effect> {
    if state.modified {
        state.dialog = Some(Dialog::Leave(Leave { then }));
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
    if again {
        // what was there can be taken back
        state.editor.replace(&text);
    } else {
        state.editor = Editor::new(&text);
    }
    state.disk = None;
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
        state.measured = None;
        state.free.clear();
        state.scroll = Scroll::default();
        state.analysis = None;
        state.diagnostics.clear();
        state.no_start = false;
        report::forget(state);
        state.look_again();
        state.playhead = Playhead::default();
    }
    state.fresh = true;
    let keep = if again { Effect::Keep } else { Effect::Claim };
    vec![keep, state.request()]
}

/// Goes on without the changes.
pub fn discard(state: &mut State, then: Then) -> Vec<Effect> {
    if then == Then::Quit {
        state.modified = false;
        return vec![Effect::Keep, Effect::Quit(None)];
    }
    // where nothing can be opened the text is still there, and unsaved
    go_on(then)
}

/// What earlier sessions left unsaved.
pub fn recovered(state: &mut State, kept: Option<Kept>, others: &[Source]) -> Vec<Effect> {
    state.changed = true;
    match kept {
        Some(kept) if kept.text == state.editor.text() => {
            vec![Effect::Decide(Recovery::Discarded)]
        }
        Some(kept) => {
            state.editing = false;
            state.dialog = Some(Dialog::Recover(Recover { kept }));
            Vec::new()
        }
        None => {
            if let Some(source) = others.first() {
                let document = Document {
                    source: source.clone(),
                    saved: String::new(),
                };
                let words = format!("there is unsaved text of {}: o opens it", document.name());
                note(state, words, false);
            }
            Vec::new()
        }
    }
}

/// The text of an earlier session takes the place of this one; undo brings this one back.
pub fn restore(state: &mut State, kept: &Kept) -> Vec<Effect> {
    let mut effects = vec![Effect::Decide(Recovery::Restored)];
    effects.extend(replace(state, &kept.text));
    note(state, "restored; nothing is saved yet", false);
    effects
}

/// Another text in the place of this one, as one step that can be taken back.
pub fn replace(state: &mut State, text: &str) -> Vec<Effect> {
    state.editor.replace(text);
    edited(state)
}

/// Another program has written to the file.
pub fn disk(state: &mut State, path: &Path, text: Option<String>) -> Vec<Effect> {
    if state.document.path() != Some(path) {
        return Vec::new();
    }
    let Some(text) = text else {
        let words = format!("{} is gone from the disk", state.document.name());
        note(state, words, true);
        return Vec::new();
    };
    if text == state.document.saved {
        state.changed |= state.disk.take().is_some();
        return Vec::new();
    }
    if text == state.editor.text() {
        state.changed = true;
        state.document.saved = text;
        state.modified = false;
        return vec![Effect::Keep];
    }
    state.disk = Some(text);
    if state.editing {
        // a question would swallow what is being typed
        note(state, "the file was changed by another program", true);
    }
    ask_disk(state);
    Vec::new()
}

/// Asks about a changed file, as soon as nothing else has the keys.
pub fn ask_disk(state: &mut State) {
    if !state.editing
        && state.dialog.is_none()
        && let Some(text) = state.disk.take()
    {
        state.dialog = Some(Dialog::Disk(Disk { text }));
        state.changed = true;
    }
}

/// The text of the file in the place of this one.
pub fn read_disk(state: &mut State, text: String) -> Vec<Effect> {
    state.editor.replace(&text);
    state.document.saved = text;
    note(state, "read again; undo brings the text back", false);
    edited(state)
}

/// The text as it is: it differs from the file, knowingly.
pub fn keep_mine(state: &mut State, text: String) -> Vec<Effect> {
    state.document.saved = text;
    state.modified = true;
    state.changed = true;
    vec![Effect::Keep]
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
            note(state, format!("saved as {}", shown(&path)), false);
            let source = Source::File(path);
            let same = state.document.source == source;
            state.document = Document {
                source,
                saved: text,
            };
            state.modified = state.editor.text() != state.document.saved;
            state.disk = None;
            // under another name it is another document
            let mut effects = vec![Effect::Keep];
            if !same {
                effects.insert(0, Effect::Claim);
            }
            effects.extend(go_on(then));
            return effects;
        }
        Ok(Saved::Exists | Saved::Changed) => {
            let changed = how == Ok(Saved::Changed);
            state.dialog = Some(Dialog::Overwrite(Overwrite {
                path,
                what: Writing::Save { changed, then },
            }));
        }
        Err(error) => note(state, error, true),
    }
    Vec::new()
}

/// An export has ended.
pub fn exported(state: &mut State, path: PathBuf, text: String, how: Result<Saved, String>) {
    state.changed = true;
    match how {
        Ok(Saved::Done) => {
            let table = path.extension().is_some_and(|e| e == "csv" || e == "json");
            let part = export::part(state).filter(|_| table && !state.report.open);
            let part = part.map_or(String::new(), |part| format!(", as zoomed: {part}"));
            note(state, format!("wrote {}{part}", shown(&path)), false);
        }
        Ok(Saved::Exists | Saved::Changed) => {
            state.dialog = Some(Dialog::Overwrite(Overwrite {
                path,
                what: Writing::Export(text),
            }));
        }
        Err(error) => note(state, error, true),
    }
}
