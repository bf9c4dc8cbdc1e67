//! What the keys do while a list or a question lies over the panes.

use std::path::PathBuf;

use super::action::Action;
use super::chooser;
use super::document::{Document, Existing, Listing, Source};
use super::equilibria;
use super::export;
use super::files::{self, leave, save};
use super::journal::Recovery;
use super::palette;
use super::parameters;
use super::problems;
use super::search;
use super::state::{Dialog, Effect, Entry, State, Subject, Then};
use super::update::{note, press_action};
use super::view;
use crate::system::spelled;

/// The longest file name that can be typed, in characters.
const MAX_NAME: usize = 1000;

/// Opens the chooser: the files of the folder, then the built-in systems.
///
/// What an earlier session left unsaved comes first: it is easily forgotten.
pub fn listed(state: &mut State, files: Vec<Listing>, kept: Vec<Source>) {
    let unsaved = |source: Source| Entry {
        group: "Unsaved",
        name: Document {
            source: source.clone(),
            saved: String::new(),
        }
        .name(),
        source,
        title: "unsaved text of an earlier session".to_owned(),
        about: String::new(),
    };
    let mut entries: Vec<Entry> = kept.into_iter().map(unsaved).collect();
    entries.extend(files.into_iter().map(|file| Entry {
        group: "Files of this folder",
        name: spelled(&file.path),
        title: file.title,
        about: file.source,
        source: Source::File(file.path),
    }));
    entries.extend(super::built_ins());
    let here = entries
        .iter()
        .position(|entry| entry.source == state.document.source);
    state.dialog = Some(Dialog::Systems {
        chosen: here.unwrap_or(0),
        entries,
        filter: None,
    });
    state.changed = true;
}

/// What came at once is typed into a line: as one change, as far as a line is long.
pub fn typed(state: &mut State, symbols: &str) {
    if let Some(Dialog::Palette { chosen, .. } | Dialog::Systems { chosen, .. }) = &mut state.dialog
    {
        *chosen = 0;
    }
    if let Some(Dialog::Name {
        text,
        cursor,
        suggested,
        ..
    }) = &mut state.dialog
        && std::mem::take(suggested)
    {
        (*text, *cursor) = (String::new(), 0);
    }
    if let Some(
        Dialog::Name { text, cursor, .. }
        | Dialog::Export { text, cursor, .. }
        | Dialog::Find { text, cursor, .. }
        | Dialog::Palette { text, cursor, .. }
        | Dialog::Systems {
            filter: Some((text, cursor)),
            ..
        },
    ) = &mut state.dialog
    {
        let room = MAX_NAME.saturating_sub(text.chars().count());
        let new: String = symbols
            .chars()
            .filter(|c| !c.is_control())
            .take(room)
            .collect();
        text.insert_str(byte(text, *cursor), &new);
        *cursor += new.chars().count();
        state.changed = true;
    }
    search::follow(state);
}

fn byte(text: &str, column: usize) -> usize {
    text.char_indices()
        .nth(column)
        .map_or(text.len(), |(at, _)| at)
}

/// What an action does to the dialog that is open.
#[allow(clippy::too_many_lines)] // a list: a dialog, what it does
pub fn act(state: &mut State, action: Action) -> Vec<Effect> {
    let Some(dialog) = state.dialog.take() else {
        return Vec::new();
    };
    match (dialog, action) {
        (Dialog::Recover { .. }, Action::Close) => vec![Effect::Decide(Recovery::Later)],
        (Dialog::Find { text, from, .. }, Action::Close) => {
            search::close(state, text, Some(from));
            Vec::new()
        }
        (Dialog::Find { text, .. }, Action::Accept) => {
            search::close(state, text, None);
            Vec::new()
        }
        (Dialog::Find { text, cursor, from }, action) => {
            let before = text.clone();
            let (text, cursor) = line(text, cursor, action);
            let changed = text != before;
            state.dialog = Some(Dialog::Find { text, cursor, from });
            match action {
                Action::ScrollDown | Action::ScrollUp => {
                    search::on(state, action == Action::ScrollDown);
                }
                _ if changed => search::follow(state),
                _ => {}
            }
            Vec::new()
        }
        (
            Dialog::Systems {
                entries,
                chosen,
                filter: Some((text, _)),
            },
            Action::Close,
        ) => {
            let here = chooser::place(&entries, &text, chosen);
            state.dialog = Some(Dialog::Systems {
                chosen: here.unwrap_or(0),
                entries,
                filter: None,
            });
            Vec::new()
        }
        (_, Action::Close) | (Dialog::Columns { .. }, Action::Accept) => Vec::new(),
        (Dialog::Help { scroll }, action) => {
            let width = view::help::width(state.size.0).saturating_sub(2);
            let length = view::help::lines(state.theme, usize::from(width)).len();
            let rows = usize::from(state.size.1)
                .saturating_sub(view::help::FRAME)
                .max(1);
            let most = length.saturating_sub(rows);
            // lines are scrolled, not chosen: the last one to begin a screen is the end
            let scroll = moved(scroll, most + 1, action, rows);
            state.dialog = Some(Dialog::Help { scroll });
            Vec::new()
        }
        (
            Dialog::Palette {
                text,
                cursor,
                chosen,
            },
            action,
        ) => command(state, (text, cursor), chosen, action),
        (Dialog::Recover { kept }, Action::Restore) => files::restore(state, &kept),
        (Dialog::Recover { .. }, Action::Forget) => {
            note(state, "the text of the earlier session is given up", false);
            vec![Effect::Decide(Recovery::Discarded)]
        }
        (Dialog::Disk { text }, Action::ReadDisk) => files::read_disk(state, text),
        (Dialog::Disk { text }, Action::KeepMine) => files::keep_mine(state, text),
        (Dialog::Systems { .. }, Action::New) => leave(state, Then::Open(Source::New)),
        (
            Dialog::Systems {
                entries,
                chosen,
                filter,
            },
            action,
        ) => choose_system(state, entries, (chosen, filter), action),
        (Dialog::Columns { chosen }, action) => {
            choose_columns(state, chosen, action);
            Vec::new()
        }
        (Dialog::Parameters { chosen }, action) => {
            let chosen = moved(chosen, state.sliders.len(), action, rows(state));
            state.dialog = Some(Dialog::Parameters { chosen });
            parameters::act(state, chosen, action)
        }
        (Dialog::Problems { chosen }, action) => {
            let problems = problems::list(state);
            let chosen = moved(chosen, problems.len(), action, rows(state));
            let went = action == Action::Accept
                && problems.get(chosen).is_some_and(|p| problems::go(state, p));
            if !went {
                state.dialog = Some(Dialog::Problems { chosen });
            }
            Vec::new()
        }
        (Dialog::Equilibria { chosen }, action) => {
            let count = equilibria::lines(state).len();
            let chosen = moved(chosen, count, action, rows(state));
            equilibria::act(state, chosen, action);
            Vec::new()
        }
        (Dialog::Methods { scroll }, action) => {
            let width = view::lists::method_width(state.size.0).saturating_sub(2);
            let length = view::lists::method_lines(state, usize::from(width)).len();
            let rows = usize::from(state.size.1).saturating_sub(3).max(1);
            let scroll = moved(scroll, length.saturating_sub(rows) + 1, action, rows);
            state.dialog = Some(Dialog::Methods { scroll });
            Vec::new()
        }
        (Dialog::Name { text, then, .. }, Action::Accept) => name_given(state, text, then),
        (
            Dialog::Name {
                text, cursor, then, ..
            },
            action,
        ) => {
            // who moves or deletes in it wants it
            let (text, cursor) = line(text, cursor, action);
            state.dialog = Some(Dialog::Name {
                text,
                cursor,
                suggested: false,
                then,
            });
            Vec::new()
        }
        (Dialog::Export { text, what, .. }, Action::Accept) => export_named(state, text, what),
        (Dialog::Export { text, cursor, what }, action) => {
            let (text, cursor) = line(text, cursor, action);
            state.dialog = Some(Dialog::Export { what, text, cursor });
            Vec::new()
        }
        (Dialog::Replace { path, text }, Action::Overwrite) => {
            vec![Effect::Export {
                path,
                text,
                existing: Existing::Replace,
            }]
        }
        (Dialog::Leave { then }, Action::SaveAndLeave) => save(state, then),
        (Dialog::Leave { then }, Action::Discard) => files::discard(state, then),
        (Dialog::Overwrite { path, then, .. }, Action::Overwrite) => {
            state.after = then;
            vec![Effect::Save {
                path,
                text: state.editor.text(),
                existing: Existing::Replace,
            }]
        }
        (
            dialog @ (Dialog::Leave { .. }
            | Dialog::Overwrite { .. }
            | Dialog::Replace { .. }
            | Dialog::Recover { .. }
            | Dialog::Disk { .. }),
            _,
        ) => {
            state.dialog = Some(dialog);
            Vec::new()
        }
    }
}

/// A key in the chooser of systems.
fn choose_system(
    state: &mut State,
    entries: Vec<Entry>,
    (chosen, filter): (usize, Option<(String, usize)>),
    action: Action,
) -> Vec<Effect> {
    let text = filter.as_ref().map_or("", |(text, _)| text.as_str());
    let shown = chooser::shown(&entries, text);
    if action == Action::Accept
        && let Some(entry) = shown.get(chosen)
    {
        let source = entry.source.clone();
        return leave(state, Then::Open(source));
    }
    let mut chosen = moved(chosen, shown.len(), action, rows(state));
    let filter = match filter {
        Some((text, cursor)) => {
            let before = text.clone();
            let (text, cursor) = line(text, cursor, action);
            if text != before {
                chosen = 0;
            }
            Some((text, cursor))
        }
        None => (action == Action::Find).then(Default::default),
    };
    state.dialog = Some(Dialog::Systems {
        entries,
        chosen,
        filter,
    });
    Vec::new()
}

/// A key in the palette.
fn command(
    state: &mut State,
    (text, cursor): (String, usize),
    chosen: usize,
    action: Action,
) -> Vec<Effect> {
    let offers = palette::found(&text, state.editing);
    if action == Action::Accept {
        if palette::saves_and_leaves(&text) {
            return save(state, Then::Quit);
        }
        return match offers.get(chosen) {
            Some(offer) => press_action(state, offer.action),
            None => Vec::new(),
        };
    }
    let before = text.clone();
    let (text, cursor) = line(text, cursor, action);
    let chosen = if text == before {
        moved(chosen, offers.len(), action, rows(state))
    } else {
        0
    };
    state.dialog = Some(Dialog::Palette {
        text,
        cursor,
        chosen,
    });
    Vec::new()
}

/// Lines of a list that fit on the screen, more or less: a page.
fn rows(state: &State) -> usize {
    usize::from(state.size.1).saturating_sub(6).max(1)
}

/// The line chosen after a key; `rows` is a page.
fn moved(chosen: usize, count: usize, action: Action, rows: usize) -> usize {
    let last = count.saturating_sub(1);
    let half = (rows / 2).max(1);
    match action {
        Action::ScrollUp => chosen.saturating_sub(1),
        Action::ScrollDown => chosen + 1,
        Action::PageUp => chosen.saturating_sub(rows),
        Action::PageDown => chosen + rows,
        Action::HalfUp => chosen.saturating_sub(half),
        Action::HalfDown => chosen + half,
        Action::Top => 0,
        Action::Bottom => last,
        _ => chosen,
    }
    .min(last)
}

fn choose_columns(state: &mut State, chosen: usize, action: Action) {
    let columns = state.analysis.as_ref().map(|analysis| analysis.columns());
    let columns = columns.unwrap_or_default();
    if let Some(name) = columns.get(chosen) {
        match action {
            Action::ToggleY => state.plots.toggle(name),
            Action::SetX => state.plots.across(name),
            _ => {}
        }
    }
    let chosen = moved(chosen, columns.len(), action, rows(state));
    state.dialog = Some(Dialog::Columns { chosen });
}

fn name_given(state: &mut State, text: String, then: Then) -> Vec<Effect> {
    let name = text.trim();
    if name.is_empty() {
        note(state, "a file needs a name", true);
        state.dialog = Some(Dialog::Name {
            cursor: text.chars().count(),
            text,
            suggested: false,
            then,
        });
        return Vec::new();
    }
    let mut path = PathBuf::from(name);
    if path.extension().is_none() && path.file_name().is_some() && !name.ends_with('/') {
        // the list of systems shows these
        path.set_extension("yaml");
    }
    if state.document.path() == Some(&path) {
        return save(state, then);
    }
    state.after = then;
    vec![Effect::Save {
        path,
        text: state.editor.text(),
        existing: Existing::Refuse,
    }]
}

/// Writes what is plotted, or the screen, once the name says in which form.
fn export_named(state: &mut State, text: String, what: Subject) -> Vec<Effect> {
    let path = PathBuf::from(text.trim());
    let content = match what {
        Subject::Plot => export::content(state, &path),
        Subject::Screen => export::screen(state, &path),
        Subject::Page => export::page(state, &path),
    };
    match content {
        Ok(content) => vec![Effect::Export {
            path,
            text: content,
            existing: Existing::Refuse,
        }],
        Err(error) => {
            note(state, error, true);
            let cursor = text.chars().count();
            state.dialog = Some(Dialog::Export { what, text, cursor });
            Vec::new()
        }
    }
}

/// A key in a line of text: the text and the cursor after it.
fn line(mut text: String, mut cursor: usize, action: Action) -> (String, usize) {
    let length = text.chars().count();
    match action {
        Action::Left => cursor = cursor.saturating_sub(1),
        Action::Right => cursor = (cursor + 1).min(length),
        Action::LineStart => cursor = 0,
        Action::LineEnd => cursor = length,
        Action::Backspace if cursor > 0 => {
            cursor -= 1;
            text.remove(byte(&text, cursor));
        }
        Action::Delete if cursor < length => {
            text.remove(byte(&text, cursor));
        }
        Action::DeleteLine => (text, cursor) = (String::new(), 0),
        Action::DeleteWord => {
            let (before, rest) = text.split_at(byte(&text, cursor));
            let kept = before.trim_end();
            let kept = kept.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_');
            // at least one character, whatever it is
            let kept = if kept.len() == before.len() {
                let mut symbols = before.chars();
                symbols.next_back();
                symbols.as_str()
            } else {
                kept
            };
            cursor = kept.chars().count();
            text = format!("{kept}{rest}");
        }
        _ => {}
    }
    (text, cursor)
}
