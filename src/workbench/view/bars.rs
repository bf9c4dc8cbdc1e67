//! First and last line: where one is, and what can be done.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Widget};

use super::{named, verdict, words};
use crate::analysis::{Analysis, Underway};
use crate::report::linked;
use crate::workbench::action::{self, Action, Context, Entry};
use crate::workbench::dialog::problems;
use crate::workbench::document::Source;
use crate::workbench::playhead::between;
use crate::workbench::state::State;
use crate::workbench::text::{columns, cut, trimmed, wrap};

/// A change of energy below this is written as a power of ten.
const SMALL: f64 = 1e-3;

/// The name of the program, before that of the system.
const PROGRAM: &str = "holonom  ";

/// What has the first places in the footer while the panes are looked at: what leads to something that nobody
/// would guess stands before the keys that anybody tries.
const FIRST: [Action; 7] = [
    Action::Edit,
    Action::Play,
    Action::NextFlag,
    Action::Map,
    Action::Report,
    Action::Open,
    Action::Equilibria,
];

/// `holonom  bead.yaml  modified          t 3.20 / 10  ▶ 1x  ΔE 2e-12`
pub fn header(state: &State, area: Rect, buffer: &mut Buffer) {
    let theme = state.theme;
    let width = usize::from(area.width);
    let name = words(theme, &state.document.name());
    let (status, style, is_loss) = status(state);
    let status_room = columns(&status) + 2;
    // what there is no room for goes: first the change of energy, then the name of the program; the state of the file
    // goes last where something could be lost
    let (time, drift) = clock(state);
    let whole = format!("{time}{drift}");
    let forms = [(PROGRAM, whole.as_str()), (PROGRAM, &time), ("", &time)];
    let room = |(program, clock): (&str, &str)| {
        width.saturating_sub(columns(program) + columns(clock) + 2)
    };
    let needed = columns(&name) + status_room;
    let all = forms.into_iter().find(|form| needed <= room(*form));
    let last = match all {
        None if is_loss && room(("", &time)) <= status_room => ("", ""),
        _ => ("", time.as_str()),
    };
    let (program, clock) = all.unwrap_or(last);
    let room = room((program, clock));
    let told = all.is_some() || is_loss;
    let name_room = if told {
        room.saturating_sub(status_room)
    } else {
        room
    };
    let mut left = vec![Span::styled(program, theme.accent())];
    left.push(Span::styled(cut(&name, name_room), theme.strong()));
    if told {
        if name_room > 0 {
            left.push(Span::raw("  "));
        }
        left.push(Span::styled(cut(&status, room), style));
    }
    let free = |left: &[Span]| {
        let used: usize = left.iter().map(Span::width).sum();
        width.saturating_sub(columns(clock) + used)
    };
    let set = set(state);
    if !set.is_empty() {
        let set = cut(&words(theme, &set), free(&left).saturating_sub(4));
        left.push(Span::styled(format!("  {set}"), theme.notice()));
    }
    if state.pending && state.analysis.is_some() {
        // what is shown is not yet that of the text
        let room = free(&left).saturating_sub(1);
        left.push(Span::styled(doing(state, room), theme.notice()));
    }
    Line::from(left).render(area, buffer);
    Line::raw(clock).right_aligned().render(area, buffer);
}

/// The state of the file, and whether something could be lost.
fn status(state: &State) -> (String, Style, bool) {
    let theme = state.theme;
    // what would be lost comes before what is saved, and before everything else that is told here
    if let Some(not_kept) = not_kept(state) {
        return (not_kept, theme.fails(), true);
    }
    if let Some(lost) = &state.lost {
        return (words(theme, lost), theme.notice(), true);
    }
    let (status, style) = match (state.modified, state.document.path()) {
        _ if state.disk.is_some() => ("changed on disk", theme.notice()),
        (true, _) => ("modified", theme.notice()),
        (false, Some(_)) => ("saved", theme.dim()),
        (false, None) if state.document.source == Source::New => ("template", theme.dim()),
        (false, None) => ("built in", theme.dim()),
    };
    let is_loss = state.modified || state.disk.is_some();
    (status.to_owned(), style, is_loss)
}

/// What is set beside the text: the motion is not that of the text alone.
fn set(state: &State) -> String {
    let values = state.changes.set.iter();
    let values = values.map(|(n, v)| format!("{}={v}", named(state, n)));
    let free = state.changes.free.iter();
    let free = free.map(|n| format!("{} free", named(state, n)));
    linked(" ", values.chain(free))
}

/// What the analysis that is pending is at, in so many columns.
fn doing(state: &State, room: usize) -> String {
    let doing = match state.underway {
        Some(Underway::Motion(part)) => {
            let part = format!("{:.0} % …", 100.0 * part);
            vec![format!(" integrating {part}"), format!(" {part}")]
        }
        Some(Underway::Failures) => vec![" looking for where it fails …".to_owned()],
        None => Vec::new(),
    };
    let fits = doing.into_iter().find(|text| columns(text) <= room);
    words(state.theme, &fits.unwrap_or_else(|| " …".to_owned()))
}

/// That what is typed is not kept, and why.
pub fn not_kept(state: &State) -> Option<String> {
    let why = state.not_kept.as_ref()?;
    Some(words(state.theme, &format!("not kept: {why}")))
}

/// Time and speed; and the change of energy.
fn clock(state: &State) -> (String, String) {
    let theme = state.theme;
    let no_drift = String::new();
    let Some(analysis) = &state.analysis else {
        let word = if state.pending { "working " } else { "" };
        return (word.to_owned(), no_drift);
    };
    let Some((_, end)) = analysis.motion.ends() else {
        return ("no motion ".to_owned(), no_drift);
    };
    let t = state.playhead.t;
    let pick = |unicode, ascii| if theme.ascii() { ascii } else { unicode };
    let play = if state.playhead.playing {
        format!("{} {}x", pick("▶", ">"), trimmed(state.playhead.speed()))
    } else {
        "paused".to_owned()
    };
    let text = format!("t {t:.3} / {}  {play}", trimmed(end));
    let first = analysis.motion.samples.first().map(|sample| sample.energy);
    let Some((first, moment)) = first.zip(state.moment.as_ref()) else {
        return (text, no_drift);
    };
    // that of a state between two is off by what that is: what it drifts by lies between theirs
    let now = match between(&analysis.motion, t) {
        Some(at) if analysis.motion.known(t).is_none() => {
            at.a.energy + at.part * (at.b.energy - at.a.energy)
        }
        _ => moment.sample.energy,
    };
    let drift = now - first;
    let drift = if drift == 0.0 {
        "0".to_owned()
    } else if drift.abs() < SMALL {
        format!("{drift:.0e}")
    } else {
        format!("{drift:.3}")
    };
    // a fixed width: the line must not dance
    (text, format!("  {}E {drift:<8}", pick("Δ", "d")))
}

/// What can be done now, from the table of actions; a remark takes its place.
pub fn footer(state: &State, area: Rect, buffer: &mut Buffer) {
    let theme = state.theme;
    let width = usize::from(area.width);
    if let Some(notice) = &state.notice {
        let style = if notice.wrong {
            theme.fails()
        } else {
            theme.notice()
        };
        // what is longer than the line takes those above it
        let lines = wrap(&words(theme, &notice.text), width.saturating_sub(2));
        let lines = &lines[..lines.len().min(usize::from(area.y / 2) + 1)];
        let above = lines.len().saturating_sub(1) as u16;
        for (y, line) in (area.y - above..).zip(lines) {
            let row = Rect { y, ..area };
            Clear.render(row, buffer);
            Line::styled(format!(" {line} "), style).render(row, buffer);
        }
        return;
    }
    let mut spans = vec![Span::raw(" ")];
    for entry in shown(state, area.width) {
        spans.push(Span::styled(words(theme, &entry.names()), theme.accent()));
        spans.push(Span::raw(format!(" {}  ", entry.title)));
    }
    Line::from(spans).render(area, buffer);
}

fn leads_to(entry: &Entry, action: Action) -> bool {
    entry.keys.iter().any(|(_, own)| *own == action)
}

/// Whether the first key of an entry would do anything now.
/// Is the text wrong, or did the motion stop?
fn is_wrong(state: &State) -> bool {
    let stopped = |analysis: &Analysis| verdict::stopped(analysis).is_some();
    state.stale() || state.analysis.as_deref().is_some_and(stopped)
}

fn does_something(state: &State, entry: &Entry) -> bool {
    let motion = state.analysis.as_ref().map(|analysis| &analysis.motion);
    let Some((_, action)) = entry.keys.first() else {
        return false;
    };
    match (state.context(), action) {
        (Context::Browse, Action::Play | Action::StepBack | Action::StepForward) => {
            motion.is_some_and(|motion| motion.samples.len() > 1)
        }
        (Context::Browse, Action::Map | Action::Equilibria) => motion.is_some(),
        (Context::Browse, Action::Report) => motion.is_some() || state.no_start,
        (Context::Browse, Action::NextFlag) => motion.is_some_and(|m| !m.flags.is_empty()),
        (Context::Report, Action::CopyLatex) => state.report.page.in_latex(),
        // where all is well there is better use for the room
        (Context::Browse, Action::Problems) => is_wrong(state),
        (Context::Problems, Action::Accept | Action::ScrollUp) => !problems(state).is_empty(),
        _ => true,
    }
}

/// The entries that there is room for.
fn shown(state: &State, width: u16) -> Vec<Entry> {
    let mut entries = action::footer(state.context());
    entries.retain(|entry| does_something(state, entry));
    // the way to all the others is always there: the commands, the keys; and out of everything else
    let is_way = |entry: &Entry| match state.context() {
        Context::Browse | Context::Edit => {
            leads_to(entry, Action::Palette) || leads_to(entry, Action::Help)
        }
        _ => leads_to(entry, Action::Close),
    };
    let (last, mut entries): (Vec<Entry>, Vec<Entry>) = entries.into_iter().partition(is_way);
    if state.context() == Context::Browse {
        let rank = |entry: &Entry| FIRST.iter().position(|first| leads_to(entry, *first));
        // the others keep their order
        entries.sort_by_key(|entry| rank(entry).unwrap_or(FIRST.len()));
    }
    if is_wrong(state)
        && let Some(place) = entries
            .iter()
            .position(|entry| leads_to(entry, Action::Problems))
    {
        // what is wrong is what matters now
        let problems = entries.remove(place);
        entries.insert(entries.len().min(1), problems);
    }
    let length =
        |entry: &Entry| columns(&words(state.theme, &entry.names())) + entry.title.len() + 3;
    let mut room = usize::from(width).saturating_sub(last.iter().map(length).sum());
    let mut full = false;
    let mut shown: Vec<Entry> = Vec::new();
    for mut entry in entries {
        if entry.title == "play" && state.playhead.playing {
            entry.title = "pause";
        }
        full |= length(&entry) > room;
        if !full {
            room -= length(&entry);
            shown.push(entry);
        }
    }
    shown.extend(last);
    shown
}

/// What a click at a column of the footer does: that of the key there, or of the first key of the entry.
pub fn action_at(state: &State, column: u16) -> Option<Action> {
    if state.notice.is_some() {
        return None;
    }
    let mut at = 1;
    for entry in shown(state, state.size.0) {
        let first = entry.keys.first()?.1;
        for (name, action) in &entry.keys {
            at += columns(&words(state.theme, name));
            if usize::from(column) < at {
                return Some(*action);
            }
        }
        at += entry.title.len() + 1;
        if usize::from(column) < at {
            return Some(first);
        }
        at += 2;
    }
    None
}
