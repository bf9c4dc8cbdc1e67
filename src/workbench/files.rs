//! Opening, saving, leaving: a text is never lost unasked.

use std::path::{Path, PathBuf};

use crate::system::{Changes, builtin, shown};

use super::dialog::{Asked, Dialog, Prompt, Question};
use super::document::{Document, Existing, Saved, Source};
use super::editor::Editor;
use super::export;
use super::journal::{Kept, Recovery};
use super::playhead::Playhead;
use super::report;
use super::state::{Effect, OnDisk, Scroll, State, Then, Writing};
use super::update::edited;

/// Saves the text: to its file, or to one that is asked for.
pub fn save(state: &mut State, then: Then) {
    let Some(path) = state.document.path() else {
        return save_as(state, then);
    };
    let writing = Writing {
        path: path.to_owned(),
        text: state.editor.text(),
        existing: Existing::Unchanged(state.document.saved.clone()),
        then: Some(then),
        prompt: None,
    };
    state.effects.push(Effect::Write(writing));
}

/// Saves the text under a name that was typed.
pub fn save_under(state: &mut State, path: PathBuf, prompt: Prompt, then: Then) {
    // its own name is a save as any other
    let existing = if state.document.path() == Some(&path) {
        Existing::Unchanged(state.document.saved.clone())
    } else {
        Existing::Refuse
    };
    state.effects.push(Effect::Write(Writing {
        path,
        text: state.editor.text(),
        existing,
        then: Some(then),
        prompt: Some(prompt),
    }));
}

/// Asks for the name of a file, and saves there.
pub fn save_as(state: &mut State, then: Then) {
    let text = state.document.suggestion_for(&state.editor.text());
    Prompt::open(state, Asked::Name(then), text);
}

/// Goes on, once nothing is lost by it.
pub fn leave(state: &mut State, then: Then) {
    if state.modified {
        state.dialog = Some(Dialog::Question(Question::Leave { then }));
    } else {
        go_on(state, then);
    }
}

/// What was waited for.
fn go_on(state: &mut State, then: Then) {
    match then {
        Then::Stay => {}
        Then::Quit => state.effects.push(Effect::Quit(None)),
        Then::Open(source) => state.effects.push(Effect::Load(source)),
    }
}

/// Opens a built-in system by its number, from 0.
pub fn open_built_in(state: &mut State, number: usize) {
    if let Some(known) = builtin().get(number) {
        let source = Source::BuiltIn(known.name.to_owned());
        leave(state, Then::Open(source));
    }
}

/// A text was read: it takes the place of the one before.
pub fn loaded(state: &mut State, source: Source, text: Result<String, String>) {
    let text = match text {
        Ok(text) => text,
        Err(error) => return state.complain(error),
    };
    let again = state.document.source == source;
    if again {
        // what was there can be taken back
        state.editor.replace(&text);
    } else {
        state.editor = Editor::new(&text);
    }
    state.disk = None;
    state.lost = None;
    state.failed = None;
    state.document = Document {
        source,
        saved: text,
    };
    state.modified = false;
    state.editing = false;
    state.changed = true;
    if again {
        state.note("reloaded from disk");
    } else {
        state.changes = Changes::default();
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
    state.effects.push(keep);
    state.request();
}

/// Goes on without the changes.
pub fn discard(state: &mut State, then: Then) {
    // where nothing can be opened the text is still there, and unsaved
    if then == Then::Quit {
        state.modified = false;
        state.effects.push(Effect::Keep);
    }
    go_on(state, then);
}

/// What earlier sessions left unsaved.
pub fn recovered(state: &mut State, kept: Option<Kept>, (others, shared): (&[Source], bool)) {
    state.changed = true;
    match kept {
        Some(kept) if kept.text == state.editor.text() => {
            state.effects.push(Effect::Decide(Recovery::Discarded));
        }
        Some(kept) => {
            state.editing = false;
            state.dialog = Some(Dialog::Question(Question::Recover { kept }));
        }
        None if shared => {
            state.note(
                "another session has this file open; each asks before it saves over the other",
            );
        }
        None => {
            if let Some(source) = others.first() {
                state.note(format!(
                    "{} has unsaved changes from an earlier session; press o to open it",
                    source.name()
                ));
            }
        }
    }
}

/// The text of an earlier session takes the place of this one; undo brings this one back.
pub fn restore(state: &mut State, kept: &Kept) {
    state.effects.push(Effect::Decide(Recovery::Restored));
    replace(state, &kept.text);
    state.note("restored; nothing is saved yet");
}

/// Another text in the place of this one, as one step that can be taken back.
pub fn replace(state: &mut State, text: &str) {
    state.editor.replace(text);
    edited(state);
}

/// Another program has written to the file.
pub fn disk(state: &mut State, path: &Path, text: Result<Option<String>, String>) {
    if state.document.path() != Some(path) {
        return;
    }
    let name = state.document.name();
    let text = match text {
        Ok(Some(text)) => text,
        Ok(None) => return lost(state, "gone from the disk", &format!("{name} is")),
        // a folder stands there, or what it holds is no text
        Err(why) => return lost(state, &format!("on disk: {why}"), &name),
    };
    state.changed |= state.lost.take().is_some();
    if text == state.document.saved {
        decided(state);
    } else if text == state.editor.text() {
        decided(state);
        state.document.saved = text;
        state.modified = false;
        state.effects.push(Effect::Keep);
    } else {
        let put_off = false;
        state.disk = Some(OnDisk { text, put_off });
        state.changed = true;
        if state.editing {
            // a question would swallow what is being typed
            state.complain("another program changed the file: Esc asks what stays");
        }
        ask_disk(state);
    }
}

/// What was saved is saved nowhere now: what has become of the file, and the words before that in a sentence.
fn lost(state: &mut State, what: &str, before: &str) {
    decided(state);
    state.document.saved.clear();
    state.lost = Some(what.to_owned());
    edited(state);
    state.complain(format!("{before} {what}"));
}

/// Something could not be written, or read back: told now, and among the problems.
pub fn failed(state: &mut State, why: String) {
    state.failed = Some(why.clone());
    state.complain(why);
}

/// There is nothing to ask about the file any more; what another program wrote to it.
fn decided(state: &mut State) -> Option<String> {
    if let Some(Dialog::Question(Question::Disk)) = state.dialog {
        state.dialog = None;
    }
    let disk = state.disk.take()?;
    state.changed = true;
    Some(disk.text)
}

/// Asks about a changed file, as soon as nothing else has the keys.
pub fn ask_disk(state: &mut State) {
    let open = state.disk.as_ref().is_some_and(|disk| !disk.put_off);
    if open && !state.editing && state.dialog.is_none() {
        state.dialog = Some(Dialog::Question(Question::Disk));
        state.changed = true;
    }
}

/// Asks about a changed file after the text was edited again, or not before.
pub fn put_off_disk(state: &mut State, put_off: bool) {
    if let Some(disk) = &mut state.disk {
        disk.put_off = put_off;
    }
}

/// The text of the file in the place of this one.
pub fn read_disk(state: &mut State) {
    if let Some(text) = decided(state) {
        state.document.saved.clone_from(&text);
        state.note("reloaded from disk; undo brings the text back");
        replace(state, &text);
    }
}

/// The text as it is: it differs from the file, knowingly.
pub fn keep_mine(state: &mut State) {
    if let Some(text) = decided(state) {
        state.document.saved = text;
        state.modified = true;
        state.effects.push(Effect::Keep);
    }
}

/// The writing of a file has ended.
pub fn written(state: &mut State, writing: Writing, how: Result<Saved, String>) {
    state.changed = true;
    match how {
        Ok(Saved::Done) => {
            state.failed = None;
            match writing.then {
                Some(then) => saved(state, writing.path, writing.text, then),
                None => exported(state, &writing.path),
            }
        }
        Ok(Saved::Exists | Saved::Changed) => {
            let changed = how == Ok(Saved::Changed);
            let question = Question::Overwrite { writing, changed };
            state.dialog = Some(Dialog::Question(question));
        }
        Err(error) => {
            if let Some(prompt) = writing.prompt {
                state.dialog = Some(Dialog::Prompt(prompt));
            }
            failed(state, error);
        }
    }
}

/// The text is in its file.
fn saved(state: &mut State, path: PathBuf, text: String, then: Then) {
    state.note(format!("saved as {}", shown(&path)));
    let source = Source::File(path);
    let same = state.document.source == source;
    state.document = Document {
        source,
        saved: text,
    };
    state.modified = state.editor.text() != state.document.saved;
    state.disk = None;
    state.lost = None;
    if !same {
        // under another name it is another document
        state.effects.push(Effect::Claim);
    }
    state.effects.push(Effect::Keep);
    go_on(state, then);
}

/// What is plotted, the screen, or a page is in its file.
fn exported(state: &mut State, path: &Path) {
    let table = path.extension().is_some_and(|e| e == "csv" || e == "json");
    let part = export::part(state).filter(|_| table && !state.report.open);
    let part = part.map_or(String::new(), |part| format!(", as zoomed: {part}"));
    state.note(format!("wrote {}{part}", shown(path)));
}
