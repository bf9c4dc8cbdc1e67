//! The mouse: a click gives a pane the keys and puts a cursor there, does what the footer says, chooses a line
//! of a list and, once it is chosen, takes it; the wheel scrolls or zooms what it is
//! over, the left button drags the time shown, the other two drag the plot.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Rect;

use super::action::{self, Action, Context, Key};
use super::dialog::Dialog;
use super::editor::TextPosition;
use super::layout::Pane;
use super::map;
use super::plots::Shift;
use super::range;
use super::report;
use super::state::State;
use super::text::visible;
use super::update::{follow_cursor, lens, over_time, press_action, scroll, see_at, travel};
use super::view;
use crate::plot::{Figure, Frame};
use unicode_width::UnicodeWidthChar;

/// Lines that a notch of the wheel scrolls.
const NOTCH: isize = 3;

/// What is moved while a button is held down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drag {
    /// The time shown, by the plot.
    Time,
    /// The plot, from this column and row of the screen.
    Plot(u16, u16),
    /// The probe on the map.
    Probe,
    /// The point chosen of a range.
    Point,
}

/// What the mouse does.
pub fn act(state: &mut State, event: MouseEvent) {
    let at = (event.column, event.row);
    match event.kind {
        MouseEventKind::Up(_) => state.drag = None,
        MouseEventKind::ScrollUp => wheel(state, at, true),
        MouseEventKind::ScrollDown => wheel(state, at, false),
        MouseEventKind::Down(MouseButton::Left) if state.layout().footer.contains(at.into()) => {
            let action = view::bars::action_at(state, at.0);
            state.heard();
            if let Some(action) = action {
                press_action(state, action);
            }
        }
        MouseEventKind::Down(MouseButton::Left) if is_on_range(state, at) => {
            state.drag = Some(Drag::Point);
            drag(state, at);
        }
        MouseEventKind::Drag(_) if state.drag == Some(Drag::Point) => drag(state, at),
        MouseEventKind::Down(MouseButton::Left) if state.dialog.is_some() => choose(state, at),
        _ if state.dialog.is_some() || state.report.open => {}
        MouseEventKind::Down(button) => {
            // the hint, a remark: seen
            state.heard();
            down(state, at, button);
        }
        MouseEventKind::Drag(_) => drag(state, at),
        _ => {}
    }
}

/// Chooses the line of the list there; the line chosen is taken.
fn choose(state: &mut State, at: (u16, u16)) {
    let area = Rect::new(0, 0, state.size.0, state.size.1);
    let listing = |dialog: &Dialog| dialog.listing(state, area);
    let Some(listing) = state.dialog.as_ref().and_then(listing) else {
        return;
    };
    let Some(line) = listing.at(at) else {
        return;
    };
    if line == listing.chosen {
        match state.context() {
            Context::Columns => press_action(state, Action::ToggleY),
            // a slider is moved, not taken
            Context::Parameters => {}
            _ => press_action(state, Action::Accept),
        }
    } else if let Some(chosen) = state.dialog.as_mut().and_then(Dialog::chosen) {
        *chosen = listing.number(line);
        state.changed = true;
    }
}

fn pane(state: &State, at: (u16, u16)) -> Option<Pane> {
    let mut panes = state.layout().panes.into_iter();
    let found = panes.find(|(_, rect)| rect.contains(at.into()));
    found.map(|(pane, _)| pane)
}

fn down(state: &mut State, at: (u16, u16), button: MouseButton) {
    let Some(pane) = pane(state, at) else {
        return;
    };
    state.changed = true;
    let had_keys = state.focus == pane;
    if pane == Pane::Plot
        && !state.map.shown
        && let Some(view) = view::plot::view_at(state, at)
        && view != state.plots.current
    {
        // of several plots the one that is clicked on comes first
        state.focus = pane;
        state.plots.choose(view);
        return;
    }
    // where a click lands is read off the layout that was clicked on
    let probes = state.map.shown && state.map.probe.is_some();
    let time = (pane == Pane::Plot && !probes)
        .then(|| time(state, at))
        .flatten();
    let place = (pane == Pane::System).then(|| place(state, at)).flatten();
    if button == MouseButton::Left {
        if pane != Pane::System && state.editing {
            state.editing = false;
        }
        state.focus = pane;
    }
    match (pane, button) {
        (Pane::System, MouseButton::Left) => {
            if let Some(place) = place {
                state.editor.go_to(place);
                // the second click begins to type, the first one may be a look
                state.editing |= had_keys;
                follow_cursor(state);
            }
        }
        (Pane::Plot, MouseButton::Left) if probes => {
            state.drag = Some(Drag::Probe);
            drag(state, at);
        }
        (Pane::Plot, MouseButton::Left) => {
            if let Some(t) = time {
                state.drag = Some(Drag::Time);
                travel(state, |head, motion| head.go(motion, t));
            }
        }
        (Pane::Plot, _) => state.drag = Some(Drag::Plot(at.0, at.1)),
        _ => {}
    }
}

fn drag(state: &mut State, at: (u16, u16)) {
    match state.drag {
        Some(Drag::Time) => {
            if let Some(t) = time(state, at) {
                travel(state, |head, motion| head.go(motion, t));
                state.changed = true;
            }
        }
        Some(Drag::Plot(column, row)) => {
            if let Some((figure, frame)) = view::plot::framed(state) {
                let part = |to, from, of| (f64::from(to) - f64::from(from)) / f64::from(of);
                let across = part(at.0, column, frame.cols.max(1));
                let up = part(at.1, row, frame.rows.max(1));
                // the plot goes with the hand, the window against it
                lens(state).pan(&figure, (-across, up));
                state.drag = Some(Drag::Plot(at.0, at.1));
                state.changed = true;
            }
        }
        Some(Drag::Probe) => {
            if let Some((_, place)) = pointed(state, at) {
                map::carry(state, place);
                state.changed = true;
            }
        }
        Some(Drag::Point) if state.context() == Context::Range => {
            if let Some(place) = view::range::point_at(state, at) {
                range::choose(state, place);
                state.changed = true;
            }
        }
        Some(Drag::Point) | None => {}
    }
}

/// What is plotted, and the point of it at a place of the screen: beside the curves the nearest end counts.
fn pointed(state: &State, at: (u16, u16)) -> Option<((Figure, Frame), [f64; 2])> {
    let inner = view::plot::field(state)?;
    let (figure, frame) = view::plot::framed(state)?;
    let (column, row) = view::cell_at(&frame, inner, at);
    let place = [frame.x_at_column(column)?, frame.y_at_row(row)?];
    Some(((figure, frame), place))
}

/// The time at a place of the plot: where time is no axis, that of the nearest point of the first curve.
fn time(state: &State, at: (u16, u16)) -> Option<f64> {
    let ((figure, frame), [x, y]) = pointed(state, at)?;
    if over_time(state) {
        return Some(x);
    }
    let samples = &state.analysis.as_ref()?.motion.samples;
    let scale = (frame.x.span(), frame.y.span());
    let map = map::plane(state).filter(|_| state.map.shown);
    let places: Vec<[f64; 2]> = match map {
        Some((along, up)) => {
            let of = |x: &[f64], k: usize| x.get(k).copied().unwrap_or(f64::NAN);
            samples
                .iter()
                .map(|s| [of(&s.x, along), of(&s.x, up)])
                .collect()
        }
        None => figure.series.first()?.points.clone(),
    };
    let points = places.iter().zip(samples);
    let far = |p: &[f64; 2]| ((p[0] - x) / scale.0).powi(2) + ((p[1] - y) / scale.1).powi(2);
    points
        .filter(|(point, _)| far(point).is_finite())
        .min_by(|(a, _), (b, _)| far(a).total_cmp(&far(b)))
        .map(|(_, sample)| sample.t)
}

/// The place of the text at a place of the screen.
fn place(state: &State, (column, row): (u16, u16)) -> Option<TextPosition> {
    let inner = state.layout().inner(Pane::System)?;
    let below = usize::from(row.checked_sub(inner.y)?);
    let rows = usize::from(inner.height).saturating_sub(state.complaint(inner).len());
    if below >= rows {
        return None;
    }
    let line = (state.scroll.system + below).min(state.editor.lines().len() - 1);
    let wanted = usize::from(column.saturating_sub(inner.x)) + state.across(line);
    let wanted = wanted.saturating_sub(state.gutter());
    let mut used = 0;
    let before = |symbol: &char| {
        used += visible(*symbol).width().unwrap_or(1);
        used <= wanted
    };
    let text = state.editor.lines().get(line)?;
    let column = text.chars().take_while(before).count();
    Some(TextPosition { line, column })
}

/// Whether a place of the screen is in the view of a range that is open.
fn is_on_range(state: &State, at: (u16, u16)) -> bool {
    state.context() == Context::Range && view::range::field(state).contains(at.into())
}

/// Zooms the range where the pointer is; where the next picture of it has not come yet, about there.
fn range_wheel(state: &mut State, at: (u16, u16), up: bool) {
    let inner = view::range::field(state);
    let (from, to) = state.ranges.ends;
    let part = f64::from(at.0 - inner.x) / f64::from(inner.width.max(1));
    let place = view::range::point_at(state, at);
    let value = place.map_or(from + part * (to - from), |place| place[0]);
    range::zoom(state, if up { 0.5 } else { 2.0 }, value);
    state.changed = true;
}

fn wheel(state: &mut State, at: (u16, u16), up: bool) {
    if state.context() == Context::Range {
        if is_on_range(state, at) {
            range_wheel(state, at, up);
        }
        return;
    }
    if state.dialog.is_some() {
        // what the arrow keys mean there
        let code = if up { KeyCode::Up } else { KeyCode::Down };
        let key = Key::of(&KeyEvent::new(code, KeyModifiers::NONE));
        if let Some(action) = action::find(state.context(), key) {
            press_action(state, action);
        }
        return;
    }
    if state.report.open {
        report::scroll(state, if up { -NOTCH } else { NOTCH });
        return;
    }
    match pane(state, at) {
        Some(Pane::Plot) => {
            let shift = if up { Shift::Closer } else { Shift::Farther };
            let centre = view::plot::field(state).and_then(|inner| {
                let (_, frame) = view::plot::framed(state)?;
                let x = frame.x_at_column(at.0.checked_sub(inner.x)?);
                let y = frame.y_at_row(at.1.checked_sub(inner.y)?);
                Some((x?, y?))
            });
            let over_time = over_time(state);
            let (x, y) = centre.unwrap_or((f64::NAN, f64::NAN));
            see_at(state, false, shift, x);
            if !over_time {
                see_at(state, true, shift, y);
            }
            state.changed = true;
        }
        Some(pane @ (Pane::System | Pane::Theorem | Pane::Equations)) => {
            scroll(state, pane, if up { -NOTCH } else { NOTCH });
            state.changed = true;
        }
        Some(Pane::Picture) => {
            // through time, as the picture moves through it
            let action = if up {
                Action::StepBack
            } else {
                Action::StepForward
            };
            press_action(state, action);
        }
        None => {}
    }
}
