//! A parameter over a range.
//!
//! ```text
//! ┏ Range: w from 0 to 10, equilibria ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┓
//! ┃   x             ⠒⠒ stable   ⠂⠂ unstable   ○ pitchfork          ┃
//! ┃  1 ┤          ⢀⣀⠤⠔⠒⠒⠉⠉                                         ┃
//! ┃  0 ┤⠤⠤⠤⠤⠤○⠂⠂⠂⠂⠂⠂⠂⠂⠂⠂⠂                                         ┃
//! ┃ w = 4.25, x = 0.83, stable                                     ┃
//! ┃ 4 branches of equilibria, 1 bifurcation                        ┃
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;
use ratatui::widgets::Widget;

use super::{cell_at, copy, named, with_names, words};
use crate::analysis::extremes;
use crate::plot::{Canvas, Figure, MarkedPoint, PointKind, draw as plotted};
use crate::report::zero;
use crate::workbench::dialog;
use crate::workbench::layout::inside;
use crate::workbench::range::{CANCELLED, WORKING, chosen, figure, known, working};
use crate::workbench::state::{MEND_FIRST, State};
use crate::workbench::text::{cut, trimmed, wrap};

/// Rows for what is said below the picture, at most.
const SAID: usize = 3;

/// `Range: w from 0 to 10, equilibria`
pub fn title(state: &State) -> String {
    format!("Range: {}", subject(state))
}

/// What is looked at, and where.
fn subject(state: &State) -> String {
    let ranges = &state.ranges;
    let (from, to) = ranges.ends;
    let what = named(state, ranges.what.words());
    let name = named(state, &ranges.name);
    let (from, to) = (trimmed(from), trimmed(to));
    words(state.theme, &format!("{name} from {from} to {to}, {what}"))
}

/// Where the view is on a screen, with its border.
pub fn boxed(area: Rect) -> Rect {
    let size = (area.width.saturating_sub(4), area.height.saturating_sub(3));
    dialog::boxed(area, size)
}

/// What is inside of it on the screen of the state.
pub fn field(state: &State) -> Rect {
    let (width, height) = state.size;
    inside(boxed(Rect::new(0, 0, width, height)))
}

/// The picture, the point chosen, and how far the work is.
pub fn draw(state: &State, inner: Rect, buffer: &mut Buffer) {
    let theme = state.theme;
    let Some((canvas, lines)) = drawn(state, inner) else {
        // nothing but words
        for (row, line) in inner.rows().zip(remarks(state, inner)) {
            Line::raw(format!(" {line}")).render(row, buffer);
        }
        return;
    };
    copy(&canvas, inner, |cell| theme.cell(cell), buffer);
    let rows = inner.rows().skip(usize::from(canvas.height()));
    for (row, (text, style)) in rows.zip(lines) {
        Line::styled(format!(" {text}"), style).render(row, buffer);
    }
}

/// The picture, and the lines below it.
fn drawn(state: &State, inner: Rect) -> Option<(Canvas, Vec<(String, Style)>)> {
    let theme = state.theme;
    let mut figure = with_names(state, figure(state)?.clone());
    let here = here(state, &figure).unwrap_or_default();
    if let Some((at, _)) = chosen(state) {
        figure.cursor = Some(at[0]);
        figure.places.push(MarkedPoint {
            at,
            kind: PointKind::Body,
            label: None,
            tag: String::new(),
        });
    }
    figure.title = String::new();
    let here = cut(&words(theme, &here), room(inner));
    let said = remarks(state, inner).into_iter().take(SAID);
    let said = said.map(|line| (line, Style::new()));
    let lines: Vec<(String, Style)> = [(here, theme.strong())].into_iter().chain(said).collect();
    let height = inner.height.saturating_sub(lines.len() as u16);
    let canvas = plotted(&figure, inner.width, height, theme.charset);
    Some((canvas, lines))
}

/// `w = 4.25, x = 0.83, stable`: the point chosen.
fn here(state: &State, figure: &Figure) -> Option<String> {
    let (at, what) = chosen(state)?;
    let (x, y) = (&figure.x.label, &figure.y.label);
    let comma = if what.is_empty() { "" } else { ", " };
    let [p, value] = [at[0], zero::of_unit_size(&at[1..])[0]].map(trimmed);
    Some(format!("{x} = {p}, {y} = {value}{comma}{what}"))
}

/// The point of the picture at a place of the screen: that of a bifurcation where its sign stands.
pub fn point_at(state: &State, place: (u16, u16)) -> Option<[f64; 2]> {
    let inner = field(state);
    let (canvas, _) = drawn(state, inner)?;
    let frame = canvas.frame()?;
    let (column, row) = cell_at(frame, inner, place);
    let there = |at: &[f64; 2]| {
        frame.column_at_x(at[0]) == Some(column) && frame.row_at_y(at[1]) == Some(row)
    };
    let mut places = figure(state)?.places.iter().map(|place| place.at);
    let value = || Some([frame.x_at_column(column)?, frame.y_at_row(row)?]);
    places.find(there).or_else(value)
}

/// The range in lines: how far each branch of it reaches, its bifurcations, the point chosen, and what is said of it.
pub fn said(state: &State) -> Vec<String> {
    let subject = subject(state);
    if working(state) == Some(WORKING) {
        return vec![subject, words(state.theme, WORKING.trim_end())];
    }
    let figure = figure(state).map(|figure| with_names(state, figure.clone()));
    let mut lines = vec![subject];
    if let Some(figure) = &figure {
        let (x, y) = (&figure.x.label, &figure.y.label);
        let over = |branch: &[[f64; 2]], k: usize| {
            let (low, high) = extremes(branch.iter().map(|p| p[k]));
            let ends = zero::of_unit_size(&[low, high]);
            let [low, high] = [ends[0], ends[1]].map(trimmed);
            if low == high {
                low
            } else {
                format!("{low} to {high}")
            }
        };
        let branches = figure.series.iter().flat_map(|series| {
            let all = series.points.split(|p| p.iter().any(|v| !v.is_finite()));
            let all = all.filter(|branch| !branch.is_empty());
            all.map(move |branch| (series, branch))
        });
        lines.extend(branches.map(|(series, branch)| {
            let (across, up) = (over(branch, 0), over(branch, 1));
            format!("{}: {x} {across}, {y} {up}", series.label)
        }));
        lines.extend(figure.places.iter().map(|place| {
            let label = place.label.as_deref().unwrap_or("point");
            let [p, value] = [place.at[0], zero::of_unit_size(&place.at[1..])[0]].map(trimmed);
            format!("{label} at {x} {p}, {y} {value}")
        }));
        lines.extend(here(state, figure));
    }
    lines.push(remark(state));
    let lines = lines.iter().map(|line| words(state.theme, line));
    lines.filter(|line| !line.is_empty()).collect()
}

/// Columns for words.
fn room(inner: Rect) -> usize {
    usize::from(inner.width.saturating_sub(1))
}

/// What is said of what is shown, in lines of the view.
fn remarks(state: &State, inner: Rect) -> Vec<String> {
    wrap(&words(state.theme, &remark(state)), room(inner))
}

/// What is said of what is shown, and of the work.
fn remark(state: &State) -> String {
    let said = known(state).map_or("", |answer| answer.said.as_str());
    match working(state) {
        _ if state.stale() && known(state).is_none() => MEND_FIRST.to_owned(),
        Some(CANCELLED) if said.is_empty() => "cancelled".to_owned(),
        Some(word) => format!("{word}{said}"),
        None => said.to_owned(),
    }
}
