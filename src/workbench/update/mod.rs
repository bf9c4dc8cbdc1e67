//! Event by event, the next state; what touches the world is left to the [`Effect`]s.

mod answers;
mod panes;
mod plot;
mod program;
mod text;
mod time;

use crossterm::event::{KeyEvent, KeyEventKind};

use super::action::{self, Action, Context, Key};
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
use super::state::{Effect, Notice, State, Then};

pub(super) use panes::scroll;
pub(super) use plot::{over_time, pan, see_at};
pub(super) use text::{edited, follow_cursor};
pub(super) use time::travel;

/// What the event makes of the state, and what is to be done.
pub fn update(state: &mut State, event: Event) -> Vec<Effect> {
    let mut effects = happened(state, event);
    // a parameter was changed while an earlier change was under way
    if state.overdue && !state.pending {
        state.overdue = false;
        effects.push(state.request());
    }
    effects.extend(map::ask(state));
    effects.extend(nearest::ask(state));
    effects.extend(answers::compare(state));
    effects.extend(equilibria::ask(state));
    effects.extend(range::ask(state));
    effects.extend(report::ask(state));
    effects
}

fn happened(state: &mut State, event: Event) -> Vec<Effect> {
    match event {
        Event::Key(key) => {
            let effects = press(state, &key);
            files::ask_disk(state);
            effects
        }
        Event::Typed(text) => {
            let effects = typed(state, &text);
            files::ask_disk(state);
            effects
        }
        Event::Paste(text) => paste(state, &text),
        Event::Resize(width, height) => {
            state.size = layout::bounded((width, height));
            state.changed = true;
            follow_cursor(state);
            Vec::new()
        }
        Event::Tick(seconds) => {
            equilibria::tick(state, seconds);
            time::tick(state, seconds);
            Vec::new()
        }
        Event::Answer(answer) => {
            answers::answered(state, answer);
            Vec::new()
        }
        Event::Replied(reply) => {
            answers::replied(state, reply);
            Vec::new()
        }
        Event::Loaded { source, text } => files::loaded(state, source, text),
        Event::Saved { path, text, how } => files::saved(state, path, text, how),
        Event::Exported { path, text, how } => {
            files::exported(state, path, text, how);
            Vec::new()
        }
        Event::Listed { files, kept } => {
            let systems = Systems::new(files, kept, &state.document.source);
            state.dialog = Some(Dialog::Systems(systems));
            state.changed = true;
            Vec::new()
        }
        Event::Mouse(event) if state.mouse => {
            let effects = mouse::act(state, event);
            files::ask_disk(state);
            effects
        }
        Event::Mouse(_) => Vec::new(),
        Event::Recovered { kept, others } => files::recovered(state, kept, &others),
        Event::Keeping(trouble) => {
            state.changed |= state.not_kept != trouble;
            state.not_kept = trouble;
            Vec::new()
        }
        Event::Edited(Edited::Done(text)) => files::replace(state, &text),
        Event::Edited(Edited::Broken { saved, why }) => {
            let effects = saved.map(|text| files::replace(state, &text));
            note(state, why, true);
            effects.unwrap_or_default()
        }
        Event::Disk { path, text } => files::disk(state, &path, text),
        Event::Suspend => vec![Effect::Suspend],
        Event::Continued => vec![Effect::Redraw],
        Event::Signal(number) => vec![Effect::Quit(Some(number))],
        Event::InputLost => vec![Effect::Quit(Some(SIGHUP))],
    }
}

/// The terminal is gone: the end is that of a hang-up.
pub(super) const SIGHUP: i32 = 1;

/// What is typed where keys are text: of a key that does something else there, nothing.
pub(super) fn types(state: &State, key: &KeyEvent) -> Option<char> {
    if key.kind == KeyEventKind::Release {
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
    matches!(
        context,
        Context::Edit | Context::Name | Context::Palette | Context::Filter | Context::Find
        // a number
        | Context::Parameters
    )
}

/// Text from the keys, all that came at once.
fn typed(state: &mut State, text: &str) -> Vec<Effect> {
    state.changed |= state.notice.take().is_some();
    state.changed |= state.completion.take().is_some();
    if state.context() != Context::Edit {
        dialog::typed(state, text);
        return Vec::new();
    }
    let fits = state.editor.burst(text);
    text::edited_if(state, fits)
}

fn press(state: &mut State, key: &KeyEvent) -> Vec<Effect> {
    if key.kind == KeyEventKind::Release {
        return Vec::new();
    }
    if state.notice.take().is_some() {
        state.changed = true;
    }
    let key = Key::of(key);
    let context = state.context();
    let action = action::find(context, key);
    if !matches!(action, Some(Action::Complete | Action::CompleteBack)) {
        state.changed |= state.completion.take().is_some();
    }
    if let Some(action) = action {
        state.changed = true;
        return act(state, action, context);
    }
    match key.typed().filter(|_| is_typing(context)) {
        Some(symbol) => typed(state, symbol.encode_utf8(&mut [0; 4])),
        None => Vec::new(),
    }
}

fn paste(state: &mut State, text: &str) -> Vec<Effect> {
    // it is an answer to a remark as a key is
    state.changed |= state.notice.take().is_some();
    match state.context() {
        Context::Edit => {
            let fits = state.editor.paste(text);
            text::edited_if(state, fits)
        }
        context => {
            if is_typing(context) {
                dialog::typed(state, text);
            }
            Vec::new()
        }
    }
}

/// An action taken by other means than its key.
pub(super) fn press_action(state: &mut State, action: Action) -> Vec<Effect> {
    state.changed = true;
    let context = state.context();
    act(state, action, context)
}

fn act(state: &mut State, action: Action, context: Context) -> Vec<Effect> {
    if action == Action::Suspend {
        return vec![Effect::Suspend];
    }
    if action == Action::Redraw {
        return vec![Effect::Redraw];
    }
    if context == Context::Edit
        && let Some(effects) = text::edit(state, action)
    {
        return effects;
    }
    match context {
        Context::Browse | Context::Probe | Context::Edit => browse(state, action),
        Context::Report => report::act(state, action),
        _ if action == Action::Quit => files::leave(state, Then::Quit),
        _ => dialog::act(state, action),
    }
}

fn browse(state: &mut State, action: Action) -> Vec<Effect> {
    if let Some(effects) = map::act(state, action)
        .or_else(|| plot::act(state, action))
        .or_else(|| text::act(state, action))
        .or_else(|| panes::act(state, action))
        .or_else(|| program::act(state, action))
    {
        return effects;
    }
    if time::act(state, action) {
        return Vec::new();
    }
    match action {
        Action::Parameters => return parameters::open(state),
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
    Vec::new()
}

/// Copies a text that is shown.
pub(super) fn copy(state: &mut State, how: impl Fn(&State) -> String, kind: &str) -> Vec<Effect> {
    /// Terminals take no more than this at a time.
    const LARGEST: usize = 70_000;
    let text = how(state);
    if text.is_empty() {
        note(state, "there is nothing to copy yet", false);
        return Vec::new();
    }
    if text.len() > LARGEST {
        let why = format!(
            "{} kB are too much for the clipboard of a terminal",
            text.len() / 1000
        );
        note(state, format!("{why}: use a command and a file"), true);
        return Vec::new();
    }
    let lines = text.lines().count();
    note(state, format!("copied {lines} lines of {kind}"), false);
    vec![Effect::Copy(text)]
}

/// A remark in the footer.
pub(super) fn note(state: &mut State, text: impl Into<String>, wrong: bool) {
    state.notice = Some(Notice {
        text: text.into(),
        wrong,
    });
    state.changed = true;
}
