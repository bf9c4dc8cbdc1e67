//! Event by event, the next state; what touches the world is left to the [`Effect`]s.

use std::rc::Rc;

use crossterm::event::{KeyEvent, KeyEventKind};

use super::action::{self, Action, Context, Key};
use super::completion;
use super::dialogs;
use super::document::Source;
use super::editor::{Move, Place};
use super::equilibria;
use super::event::Event;
use super::export;
use super::files;
use super::layout::Pane;
use super::map::{self, Way};
use super::mouse;
use super::parameters;
use super::playhead::{self, Playhead};
use super::plots::Shift;
use super::search;
use super::state::{Dialog, Effect, Notice, State, Subject, Then};
use super::view;
use super::worker::{Answer, Found, Question, Reply};
use crate::analysis::Analysis;
use crate::plot::{Aspect, Charset, Figure};
use crate::solver::Motion;

/// Samples passed by a leap.
const LEAP: f64 = 20.0;

/// What the event makes of the state, and what is to be done.
pub fn update(state: &mut State, event: Event) -> Vec<Effect> {
    let mut effects = happened(state, event);
    // a parameter was changed while an earlier change was under way
    if state.overdue && !state.pending {
        state.overdue = false;
        effects.push(state.request());
    }
    effects.extend(map::ask(state));
    effects.extend(compare(state));
    effects.extend(equilibria::ask(state));
    effects
}

fn happened(state: &mut State, event: Event) -> Vec<Effect> {
    match event {
        Event::Key(key) => {
            let effects = press(state, &key);
            files::ask_disk(state);
            effects
        }
        Event::Paste(text) => paste(state, &text),
        Event::Resize(width, height) => {
            state.size = (width, height);
            state.changed = true;
            follow_cursor(state);
            Vec::new()
        }
        Event::Tick(seconds) => {
            tick(state, seconds);
            Vec::new()
        }
        Event::Answer(answer) => {
            answered(state, answer);
            Vec::new()
        }
        Event::Replied(reply) => {
            replied(state, reply);
            Vec::new()
        }
        Event::Loaded { source, text } => files::loaded(state, source, text),
        Event::Saved { path, text, how } => files::saved(state, path, text, how),
        Event::Exported { path, text, how } => {
            files::exported(state, path, text, how);
            Vec::new()
        }
        Event::Listed { files, kept } => {
            dialogs::listed(state, files, kept);
            Vec::new()
        }
        Event::Mouse(event) if state.mouse => {
            let effects = mouse::act(state, event);
            files::ask_disk(state);
            effects
        }
        Event::Mouse(_) => Vec::new(),
        Event::Recovered { kept, others } => files::recovered(state, kept, &others),
        Event::Edited(Ok(text)) => files::replace(state, &text),
        Event::Edited(Err(error)) => {
            note(state, error, true);
            Vec::new()
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

fn tick(state: &mut State, seconds: f64) {
    equilibria::tick(state, seconds);
    if let Some(analysis) = state.analysis.clone()
        && state.playhead.pass(&analysis.motion, seconds)
    {
        state.look_again();
        state.plots.follow(state.playhead.t);
        state.changed = true;
    }
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
    match (context, key.typed()) {
        (Context::Edit, Some(symbol)) => {
            state.editor.insert(symbol);
            edited(state)
        }
        (Context::Name | Context::Palette | Context::Find, Some(symbol)) => {
            dialogs::typed(state, symbol);
            Vec::new()
        }
        _ => Vec::new(),
    }
}

fn paste(state: &mut State, text: &str) -> Vec<Effect> {
    match state.context() {
        Context::Edit => {
            state.editor.paste(text);
            edited(state)
        }
        Context::Name | Context::Palette | Context::Find => {
            text.chars()
                .filter(|c| !c.is_control())
                .for_each(|c| dialogs::typed(state, c));
            Vec::new()
        }
        _ => Vec::new(),
    }
}

/// The text has changed: it is kept, and analysed.
pub(super) fn edited(state: &mut State) -> Vec<Effect> {
    state.modified = state.editor.text() != state.document.saved;
    state.changed = true;
    follow_cursor(state);
    vec![Effect::Keep, state.request()]
}

pub(super) fn follow_cursor(state: &mut State) {
    if state.editing {
        let place = state.editor.cursor();
        state.reveal(place);
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
    if context == Context::Edit
        && let Some(effects) = edit(state, action)
    {
        return effects;
    }
    match context {
        Context::Browse | Context::Probe | Context::Edit => browse(state, action),
        _ if action == Action::Quit => files::leave(state, Then::Quit),
        _ => dialogs::act(state, action),
    }
}

/// What the keys do to the text; `None` where they do something else.
fn edit(state: &mut State, action: Action) -> Option<Vec<Effect>> {
    let page = state
        .layout()
        .inner(Pane::System)
        .map_or(1, |rect| usize::from(rect.height).max(1));
    let editor = &mut state.editor;
    let moved = match action {
        Action::Left => Move::Left,
        Action::Right => Move::Right,
        Action::Up => Move::Up(1),
        Action::Down => Move::Down(1),
        Action::PageUp => Move::Up(page),
        Action::PageDown => Move::Down(page),
        Action::WordLeft => Move::WordLeft,
        Action::WordRight => Move::WordRight,
        Action::LineStart => Move::LineStart,
        Action::LineEnd => Move::LineEnd,
        Action::TextStart => Move::TextStart,
        Action::TextEnd => Move::TextEnd,
        _ => {
            match action {
                Action::Backspace => editor.delete(Move::Left),
                Action::Delete => editor.delete(Move::Right),
                Action::DeleteWord => editor.delete(Move::WordLeft),
                Action::DeleteToEnd => editor.delete(Move::LineEnd),
                Action::Enter => editor.newline(),
                Action::Complete => completion::complete(state, true),
                Action::CompleteBack => completion::complete(state, false),
                _ => return None,
            }
            return Some(edited(state));
        }
    };
    editor.go(moved);
    follow_cursor(state);
    Some(Vec::new())
}

fn browse(state: &mut State, action: Action) -> Vec<Effect> {
    if let Some(effects) = map_key(state, action)
        .or_else(|| plot(state, action))
        .or_else(|| program(state, action))
    {
        return effects;
    }
    match action {
        Action::Edit => begin_edit(state),
        Action::EndEdit => state.editing = false,
        Action::Play => play(state),
        Action::StepBack => travel(state, |head, motion| head.step(motion, -1.0)),
        Action::StepForward => travel(state, |head, motion| head.step(motion, 1.0)),
        Action::LeapBack => travel(state, |head, motion| head.step(motion, -LEAP)),
        Action::LeapForward => travel(state, |head, motion| head.step(motion, LEAP)),
        Action::NextFlag | Action::PreviousFlag => travel(state, |head, motion| {
            if let Some(flag) = head.neighbour(motion, action == Action::NextFlag) {
                head.go(motion, motion.flags[flag].t);
            }
        }),
        Action::ToStart | Action::ToEnd => travel(state, |head, motion| {
            if let Some((start, end)) = playhead::span(motion) {
                head.go(
                    motion,
                    if action == Action::ToStart {
                        start
                    } else {
                        end
                    },
                );
            }
        }),
        Action::Slower | Action::Faster => state.playhead.change_speed(action == Action::Faster),
        Action::NextPane | Action::PreviousPane => next_pane(state, action == Action::NextPane),
        Action::Zoom => state.zoom = !state.zoom,
        Action::ScrollUp => scroll(state, state.focus, -1),
        Action::ScrollDown => scroll(state, state.focus, 1),
        Action::PageUp => scroll(state, state.focus, -page(state)),
        Action::PageDown => scroll(state, state.focus, page(state)),
        Action::HalfUp => scroll(state, state.focus, -(page(state) + 1) / 2),
        Action::HalfDown => scroll(state, state.focus, (page(state) + 1) / 2),
        Action::Top => scroll(state, state.focus, isize::MIN),
        Action::Bottom => scroll(state, state.focus, isize::MAX),
        Action::NextPlot => state.plots.next(),
        Action::NextForm | Action::PreviousForm => leaf(state, action == Action::NextForm),
        Action::CopyText => return copy(state, view::equations::plain_text, "text"),
        Action::CopyLatex => return copy(state, view::equations::latex, "LaTeX"),
        Action::NextY | Action::PreviousY | Action::NextX | Action::PreviousX => {
            if let Some(analysis) = &state.analysis {
                let across = matches!(action, Action::NextX | Action::PreviousX);
                let after = matches!(action, Action::NextY | Action::NextX);
                state.plots.cycle(analysis, across, after);
            }
        }
        Action::Columns if state.analysis.is_some() => {
            state.dialog = Some(Dialog::Columns { chosen: 0 });
        }
        Action::Parameters => return parameters::open(state),
        Action::Problems => state.dialog = Some(Dialog::Problems { chosen: 0 }),
        Action::Methods if state.analysis.is_some() => {
            state.dialog = Some(Dialog::Methods { scroll: 0 });
        }
        Action::Equilibria => equilibria::open(state),
        Action::Open => return vec![Effect::List],
        Action::Open1 => return files::open_built_in(state, 0),
        Action::Open2 => return files::open_built_in(state, 1),
        Action::Open3 => return files::open_built_in(state, 2),
        Action::Save => return files::save(state, Then::Stay),
        Action::Reload => {
            let source = state.document.source.clone();
            return files::leave(state, Then::Open(source));
        }
        Action::Find => search::open(state),
        Action::FindNext | Action::FindPrevious => {
            search::on(state, action == Action::FindNext);
        }
        Action::Undo | Action::Redo => {
            let done = if action == Action::Undo {
                state.editor.undo()
            } else {
                state.editor.redo()
            };
            if done {
                let place = state.editor.cursor();
                state.reveal(place);
                return edited(state);
            }
            let text = if action == Action::Undo {
                "nothing to take back"
            } else {
                "nothing to make again"
            };
            note(state, text, false);
        }
        _ => {}
    }
    Vec::new()
}

/// What is about the program, not about the system; `None` where an action is something else.
fn program(state: &mut State, action: Action) -> Option<Vec<Effect>> {
    match action {
        Action::New => return Some(files::leave(state, Then::Open(Source::New))),
        Action::External => return Some(vec![Effect::External(state.editor.text())]),
        Action::Theme => {
            state.theme.scheme = state.theme.scheme.next();
            let words = format!("colours: {}", state.theme.scheme.name());
            note(state, words, false);
        }
        Action::Mouse => {
            state.mouse = !state.mouse;
            state.drag = None;
            let words = if state.mouse {
                "the mouse is holonom's: click, drag, wheel"
            } else {
                "the mouse is the terminal's: it selects text"
            };
            note(state, words, false);
            return Some(vec![Effect::Mouse(state.mouse)]);
        }
        Action::Palette => {
            state.dialog = Some(Dialog::Palette {
                text: String::new(),
                cursor: 0,
                chosen: 0,
            });
        }
        Action::Help => state.dialog = Some(Dialog::Help { scroll: 0 }),
        Action::Redraw => return Some(vec![Effect::Redraw]),
        Action::Quit => return Some(files::leave(state, Then::Quit)),
        _ => return None,
    }
    Some(Vec::new())
}

/// What the keys do to the map and its probe; `None` where they do something else.
fn map_key(state: &mut State, action: Action) -> Option<Vec<Effect>> {
    match action {
        Action::Map => map::toggle(state),
        Action::Probe => map::probe(state),
        Action::EndProbe => map::leave_probe(state),
        Action::ProbeOn => map::walk(state, Way::On, false),
        Action::ProbeBack => map::walk(state, Way::Back, false),
        Action::ProbeUp => map::walk(state, Way::Up, false),
        Action::ProbeDown => map::walk(state, Way::Down, false),
        Action::ProbeFarOn => map::walk(state, Way::On, true),
        Action::ProbeFarBack => map::walk(state, Way::Back, true),
        _ if !state.map.shown => return None,
        Action::NextPlot => map::close(state),
        Action::NextY | Action::PreviousY => map::cycle(state, false, action == Action::NextY),
        Action::NextX | Action::PreviousX => map::cycle(state, true, action == Action::NextX),
        Action::Whole => state.map.lens.window = (None, None),
        Action::LogAxes | Action::Drift => {
            note(state, "a map has its coordinates as they are", false);
        }
        Action::Aspect => {
            let style = &mut state.map.lens.style;
            let (aspect, words) = match style.aspect {
                Some(Aspect::Equal) => (Aspect::Fill, "each axis fills its length"),
                _ => (Aspect::Equal, "a unit is as long across as it is up"),
            };
            style.aspect = Some(aspect);
            note(state, words, false);
        }
        Action::CopyRow => {
            let numbers: Vec<String> = state.position.iter().map(f64::to_string).collect();
            note(state, "copied the position", false);
            return Some(vec![Effect::Copy(numbers.join("\t"))]);
        }
        _ => return None,
    }
    Some(Vec::new())
}

/// Whether time is the axis of what the Plot pane shows.
pub(super) fn over_time(state: &State) -> bool {
    !state.map.shown && state.plots.view().is_some_and(|view| view.x == "t")
}

/// Moves what is seen in the Plot pane.
pub(super) fn pan(state: &mut State, figure: &Figure, by: (f64, f64)) {
    if state.map.shown {
        state.map.lens.pan(figure, by);
    } else {
        state.plots.pan(figure, by);
    }
}

/// What the keys do to the plot; `None` where they do something else.
fn plot(state: &mut State, action: Action) -> Option<Vec<Effect>> {
    match action {
        Action::Closer => see(state, Shift::Closer),
        Action::Farther => see(state, Shift::Farther),
        Action::Before => see(state, Shift::Back),
        Action::After => see(state, Shift::On),
        Action::Whole => state.plots.fit(),
        Action::LogAxes => {
            let words = state.plots.next_scales();
            note(state, words, false);
        }
        Action::Drift => {
            let words = state.plots.next_drift();
            note(state, words, false);
        }
        Action::Aspect => {
            if let Some(figure) = view::plot::alone(state) {
                let words = state.plots.turn_aspect(figure.aspect);
                note(state, words, false);
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
            note(state, format!("drawn with {words}"), false);
        }
        Action::CopyPlot => return Some(copy(state, export::text, "the plot")),
        Action::CopyRow => match export::row(state) {
            Some((names, numbers)) => {
                note(state, format!("copied {names}"), false);
                return Some(vec![Effect::Copy(numbers)]);
            }
            None => note(state, "there is nothing to copy yet", false),
        },
        Action::Export if state.analysis.is_some() => export::ask(state, Subject::Plot),
        Action::Screen => export::ask(state, Subject::Screen),
        Action::ScrollUp if state.focus == Pane::Plot => see_along(state, true, Shift::On),
        Action::ScrollDown if state.focus == Pane::Plot => see_along(state, true, Shift::Back),
        Action::PageUp | Action::HalfUp if state.focus == Pane::Plot => {
            see_along(state, true, Shift::Closer);
        }
        Action::PageDown | Action::HalfDown if state.focus == Pane::Plot => {
            see_along(state, true, Shift::Farther);
        }
        _ => return None,
    }
    Some(Vec::new())
}

/// Another part of the plot: of x where time is the axis, of both axes where a curve runs in the plane.
fn see(state: &mut State, shift: Shift) {
    let over_time = over_time(state);
    see_along(state, false, shift);
    if !over_time && matches!(shift, Shift::Closer | Shift::Farther) {
        see_along(state, true, shift);
    }
}

/// Another part of one axis, round the time shown.
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
pub(super) fn see_at(state: &mut State, up: bool, shift: Shift, centre: f64) {
    let Some(figure) = view::plot::alone(state) else {
        return;
    };
    if state.map.shown {
        if let Some(whole) = view::map::all(state) {
            state.map.lens.shift(up, shift, (&figure, &whole), centre);
        }
        return;
    }
    let mut whole = figure.clone();
    (whole.x.range, whole.y.range) = (None, None);
    state.plots.shift(up, shift, (&figure, &whole), centre);
}

/// The next form of the equations, or the one before; the pane comes forward.
fn leaf(state: &mut State, after: bool) {
    let count = view::equations::count(state);
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

/// Copies the equations shown; without a form chosen all of them.
fn copy(state: &mut State, how: fn(&State) -> String, kind: &str) -> Vec<Effect> {
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

fn begin_edit(state: &mut State) {
    state.editing = true;
    state.focus = Pane::System;
    // where an error is, it is to be mended; else the cursor comes to what is seen
    if let Some(error) = state.diagnostics.first().filter(|error| error.line > 0) {
        let place = Place {
            line: error.line - 1,
            column: error.column.saturating_sub(1),
        };
        state.editor.go_to(place);
    } else if let Some(inner) = state.layout().inner(Pane::System) {
        let cursor = state.editor.cursor();
        let seen = state.scroll.system..state.scroll.system + usize::from(inner.height);
        if !seen.contains(&cursor.line) {
            state.editor.go_to(Place {
                line: seen.start,
                column: 0,
            });
        }
    }
    follow_cursor(state);
}

/// Play or pause; from the end of the motion it begins anew.
fn play(state: &mut State) {
    state.playhead.playing = !state.playhead.playing;
    state.map.probe = None;
    let analysis = state.analysis.clone();
    let motion = analysis.as_ref().map(|analysis| &analysis.motion);
    if let (false, Some(motion)) = (state.playhead.playing, motion) {
        state.playhead.rest_on_sample(motion);
        state.look_again();
    }
    let span = motion.and_then(playhead::span);
    if let (true, Some((start, end))) = (state.playhead.playing, span)
        && state.playhead.t.total_cmp(&end).is_eq()
    {
        state.playhead.t = start;
        state.look_again();
    }
}

/// Moves the time shown by hand: it no longer moves by itself.
pub(super) fn travel(state: &mut State, how: impl FnOnce(&mut Playhead, &Motion)) {
    if let Some(analysis) = state.analysis.clone() {
        state.playhead.playing = false;
        state.map.probe = None;
        how(&mut state.playhead, &analysis.motion);
        state.look_again();
    }
}

/// On to the next pane; where only some fit, the others come forward in their turn.
fn next_pane(state: &mut State, after: bool) {
    state.focus = state.focus.neighbour(after);
}

fn page(state: &State) -> isize {
    let inner = state.layout().inner(state.focus);
    inner.map_or(1, |rect| {
        isize::try_from(rect.height).unwrap_or(1).max(2) - 1
    })
}

/// Scrolls a pane by lines; `isize::MIN` and `MAX` are its ends.
pub(super) fn scroll(state: &mut State, pane: Pane, by: isize) {
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

/// Asks for the methods against each other, while they are looked at and not there.
fn compare(state: &mut State) -> Option<Effect> {
    let looked_at = matches!(state.dialog, Some(Dialog::Methods { .. }));
    let about = state.settled().filter(|_| looked_at)?.clone();
    let there = state.methods.as_ref().map(|(generation, _)| *generation);
    let wanted = Some(about.generation);
    if there == wanted || state.comparing == wanted {
        return None;
    }
    state.comparing = wanted;
    Some(Effect::Ask(about, Question::Methods))
}

/// The worker has answered a question; what is about an earlier text is dropped.
fn replied(state: &mut State, reply: Reply) {
    match reply.found {
        Found::Map(wanted, answer) => map::drawn(state, wanted, answer),
        Found::Equilibria(found) => equilibria::found(state, reply.generation, found),
        Found::Swing(wanted, swing) => equilibria::drawn(state, wanted, swing),
        Found::Methods(found) => {
            state.comparing = None;
            if reply.generation == state.generation {
                state.methods = Some((reply.generation, Rc::from(found)));
                state.changed = true;
            }
        }
    }
}

fn answered(state: &mut State, answer: Answer) {
    if answer.generation != state.generation {
        return;
    }
    match answer.result {
        Ok(analysis) => {
            let analysis = Rc::<Analysis>::from(analysis);
            state.diagnostics.clear();
            let fresh = state.fresh;
            if state.fresh {
                state.form = 0;
                state.scroll.equations = 0;
                state.playhead.begin(&analysis.motion);
                state.plots.begin(&analysis);
                state.fresh = false;
            } else {
                state.playhead.settle(&analysis.motion);
                state.plots.settle(&analysis);
            }
            state.analysis = Some(analysis);
            map::settle(state, fresh);
            state.look_again();
        }
        Err(diagnostics) => {
            state.diagnostics = diagnostics;
            let line = state.diagnostics.first().map_or(0, |error| error.line);
            if line > 0 && !state.editing {
                state.reveal(Place {
                    line: line - 1,
                    column: 0,
                });
            }
            follow_cursor(state);
        }
    }
    state.pending = false;
    state.changed = true;
}
