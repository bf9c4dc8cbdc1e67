//! Event by event, the next state; what touches the world is left to the [`Effect`]s.

mod answers;
mod panes;
mod plot;
mod program;
mod text;
mod time;

use crossterm::event::{KeyEvent, KeyEventKind};

use super::action::{self, Action, Context, Key, Trait, When};
use super::choice;
use super::dialog::{self, Dialog, Find, Methods, Problems, Systems};
use super::equilibria;
use super::event::Event;
use super::files;
use super::layout;
use super::map;
use super::mouse;
use super::nearest;
use super::outside::Edited;
use super::parameters;
use super::range;
use super::report;
use super::state::{Effect, State, Then};

pub(super) use panes::scroll;
pub(super) use plot::{lens, over_time, see_at};
pub(super) use text::{edited, follow_cursor};
pub(super) use time::travel;

/// What the event makes of the state, and what is to be done.
pub fn update(state: &mut State, event: Event) -> Vec<Effect> {
    happened(state, event);
    // a parameter was changed while an earlier change was under way
    if state.overdue && !state.pending {
        state.overdue = false;
        state.request();
    }
    for ask in [
        map::ask,
        nearest::ask,
        answers::compare,
        equilibria::ask,
        range::ask,
        report::ask,
    ] {
        let asked = ask(state);
        state.effects.extend(asked);
    }
    std::mem::take(&mut state.effects)
}

fn happened(state: &mut State, event: Event) {
    match event {
        Event::Key(key) => {
            press(state, &key);
            files::ask_disk(state);
        }
        Event::Typed(text) => {
            typed(state, &text);
            files::ask_disk(state);
        }
        Event::Paste(text) => paste(state, &text),
        Event::Resize(width, height) => {
            state.size = layout::bounded((width, height));
            state.changed = true;
            follow_cursor(state);
        }
        Event::Tick(seconds) => {
            equilibria::tick(state, seconds);
            time::tick(state, seconds);
        }
        Event::Answer(answer) => answers::answered(state, answer),
        Event::Replied(reply) => answers::replied(state, reply),
        Event::Loaded { source, text } => files::loaded(state, source, text),
        Event::Written { writing, how } => files::written(state, writing, how),
        Event::Listed { files, kept } => {
            let systems = Systems::new(files, kept, &state.document.source);
            state.dialog = Some(Dialog::Systems(systems));
            state.changed = true;
        }
        Event::Mouse(event) if state.mouse && !state.layout().too_small => {
            mouse::act(state, event);
            files::ask_disk(state);
        }
        Event::Mouse(_) => {}
        Event::Recovered {
            kept,
            others,
            shared,
        } => files::recovered(state, kept, (&others, shared)),
        Event::Keeping(trouble) => {
            state.changed |= state.not_kept != trouble;
            state.not_kept = trouble;
        }
        Event::Edited(Edited::Done(text)) => {
            state.failed = None;
            files::replace(state, &text);
        }
        Event::Edited(Edited::Broken { saved, why }) => {
            if let Some(text) = saved {
                files::replace(state, &text);
            }
            files::failed(state, why);
        }
        Event::Disk { path, text } => files::disk(state, &path, text),
        Event::Suspend => state.effects.push(Effect::Suspend),
        Event::Continued => state.effects.push(Effect::Redraw),
        Event::Signal(number) => state.effects.push(Effect::Quit(Some(number))),
        Event::InputLost => state.effects.push(Effect::Quit(Some(SIGHUP))),
    }
}

/// The terminal is gone: the end is that of a hang-up.
pub(super) const SIGHUP: i32 = 1;

/// What is typed where keys are text: of a key that does something else there, nothing.
pub(super) fn types(state: &State, key: &KeyEvent) -> Option<char> {
    if key.kind == KeyEventKind::Release || state.layout().too_small {
        return None;
    }
    let key = Key::of(key);
    let context = state.context();
    match action::find(context, key) {
        None if is_typing(context) => key.typed(),
        Some(Action::Enter) if context == Context::Edit => Some('\n'),
        _ => None,
    }
}

fn is_typing(context: Context) -> bool {
    // of the parameters a number is typed
    When::Having(Trait::Typing).holds(context) || context == Context::Parameters
}

/// Text from the keys, all that came at once.
fn typed(state: &mut State, text: &str) {
    state.heard();
    state.changed |= state.completion.take().is_some();
    if state.context() == Context::Edit {
        let fits = state.editor.burst(text);
        text::edited_if(state, fits);
    } else {
        dialog::typed(state, text);
    }
}

fn press(state: &mut State, key: &KeyEvent) {
    if key.kind == KeyEventKind::Release {
        return;
    }
    let key = Key::of(key);
    let context = state.context();
    let action = action::find(context, key);
    if state.layout().too_small && !action.is_some_and(acts_unseen) {
        return;
    }
    state.heard();
    if !matches!(action, Some(Action::Complete | Action::CompleteBack)) {
        state.changed |= state.completion.take().is_some();
    }
    if let Some(action) = action {
        press_action(state, action);
    } else if let Some(symbol) = key.typed().filter(|_| is_typing(context)) {
        typed(state, symbol.encode_utf8(&mut [0; 4]));
    }
}

fn paste(state: &mut State, text: &str) {
    if state.layout().too_small {
        return state.note("a paste was not taken: the terminal was too small to show it");
    }
    // it is an answer to a remark as a key is
    state.heard();
    match state.context() {
        Context::Edit => {
            let fits = state.editor.paste(text);
            text::edited_if(state, fits);
        }
        context if is_typing(context) => dialog::typed(state, text),
        Context::Browse => state.note("a paste is not taken here: e edits the text"),
        _ => state.note("a paste is not taken here"),
    }
}

/// What a key does where the terminal is too small to show anything: nothing is changed unseen.
fn acts_unseen(action: Action) -> bool {
    matches!(action, Action::Quit | Action::Suspend | Action::Redraw)
}

/// An action, by its key or by other means.
pub(super) fn press_action(state: &mut State, action: Action) {
    state.changed = true;
    match (state.context(), action) {
        (_, Action::Suspend) => state.effects.push(Effect::Suspend),
        (_, Action::Redraw) => state.effects.push(Effect::Redraw),
        (Context::Edit, _) if text::edit(state, action) => {}
        (Context::Browse | Context::Probe | Context::Edit, _) => browse(state, action),
        (Context::Report, _) => report::act(state, action),
        (_, Action::Quit) => files::leave(state, Then::Quit),
        _ => dialog::act(state, action),
    }
}

fn browse(state: &mut State, action: Action) {
    // each does what is its own
    if map::act(state, action)
        || plot::act(state, action)
        || text::act(state, action)
        || panes::act(state, action)
        || program::act(state, action)
        || time::act(state, action)
    {
        return;
    }
    match action {
        Action::Parameters => parameters::open(state),
        Action::NextChoice => choice::next(state),
        Action::Problems => state.dialog = Some(Dialog::Problems(Problems::default())),
        Action::Methods if state.analysis.is_some() => {
            state.dialog = Some(Dialog::Methods(Methods::default()));
        }
        Action::Equilibria => equilibria::open(state),
        Action::Range => range::open(state, None),
        Action::Report => report::open(state),
        Action::Certificate => report::certificate(state),
        Action::Find => Find::open(state),
        Action::FindNext | Action::FindPrevious => {
            dialog::again(state, action == Action::FindNext);
        }
        _ => {}
    }
}

/// Copies a text that is shown.
pub(super) fn copy(state: &mut State, how: impl Fn(&State) -> String, kind: &str) {
    /// Terminals take no more than this at a time.
    const LARGEST: usize = 70_000;
    let text = how(state);
    if text.is_empty() {
        return state.note("there is nothing to copy yet");
    }
    if text.len() > LARGEST {
        let why = format!(
            "{} kB are too much for the clipboard of a terminal",
            text.len() / 1000
        );
        return state.complain(format!("{why}: use a command and a file"));
    }
    let lines = text.lines().count();
    state.note(format!("copied {lines} lines of {kind}"));
    state.effects.push(Effect::Copy(text));
}
