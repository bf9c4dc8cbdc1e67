//! The map in the Plot pane: the constraint set with the branches of g, the live one bright, the points where
//! they meet, the motion, and the proven neighbourhood of the point shown as a box.
//!
//! ```text
//! ┌─ Map x₁, x₂   ⠶⠶⠶ live  ⠒⠒⠒ det > 0  ⠒⠒ det < 0  ▲ fold  ● now ───┐
//! ```

use std::collections::VecDeque;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

use super::{copy, named, with_names, words};
use crate::analysis::{Analysis, extremes};
use crate::plot::{
    self, Aspect, Axis, CellStyle, Figure, Frame, LegendEntry, LegendPlace, MarkedPoint, PointKind,
    Series,
};
use crate::report::{LEVEL, TOUCHING, joined, linked};
use crate::workbench::layout::{Pane, inside};
use crate::workbench::map::{plane, whole};
use crate::workbench::state::{MEND_FIRST, State};
use crate::workbench::text::{columns, cut, short};
use crate::workbench::theme::Theme;

/// Numbers of the series that a map has beside its branches.
const LIVE: u8 = 4;
const BOX: u8 = 5;
const MOTION: u8 = 6;
/// Samples of the motion that are drawn.
const TRAIL: usize = 1000;

/// Characters of a line in the legend, where they tell all lines apart.
const SAMPLE: usize = 3;

/// The name of the pane, before that of the plane.
pub const NAME: &str = " Map ";

/// So many rows of the picture for each row of its legend.
const HIGH: u16 = 5;

/// What can be done, as much of it as there is room for.
const KEYS: [&str; 3] = [
    " x y coordinates  . probe  [ ] zoom  < > ↑ ↓ pan  w whole  a aspect  m plots ",
    " x y coordinates  . probe  [ ] zoom  m plots ",
    " . probe  m plots ",
];

/// The part of the plane that is seen: that of the motion, or of the lens.
pub fn seen(state: &State) -> Option<((f64, f64), (f64, f64))> {
    let (x, y) = window(state)?;
    if aspect(state) == Aspect::Fill {
        return Some((x, y));
    }
    // one unit for both: more of one axis is seen than was asked for
    let inner = super::plot::field(state)?;
    let figure = Figure {
        x: Axis::over("", x),
        y: Axis::over("", y),
        aspect: Aspect::Equal,
        legend: LegendPlace::Outside,
        ..Figure::default()
    };
    let canvas = plot::draw(&figure, inner.width, inner.height, state.theme.charset);
    let frame = canvas.frame()?;
    Some(((frame.x.lo, frame.x.hi), (frame.y.lo, frame.y.hi)))
}

/// The part of the plane that was asked for.
fn window(state: &State) -> Option<((f64, f64), (f64, f64))> {
    let (along, up) = plane(state)?;
    let region = whole(state)?;
    let (x, y) = state.map.lens.window;
    Some((x.unwrap_or(region[along]), y.unwrap_or(region[up])))
}

/// One unit for both axes, or each its own.
pub fn aspect(state: &State) -> Aspect {
    state.map.lens.style.aspect.unwrap_or(Aspect::Fill)
}

/// The map as a figure.
pub fn figure(state: &State) -> Option<Figure> {
    figure_over(state, seen(state)?)
}

/// The same over a part of the plane.
fn figure_over(state: &State, (x, y): ((f64, f64), (f64, f64))) -> Option<Figure> {
    let analysis = state.analysis.as_ref()?;
    let (along, up) = plane(state)?;
    let name = |k: usize| analysis.coordinates().get(k).cloned().unwrap_or_default();
    let drawn = state.map.drawn.found.as_ref();
    let drawn = drawn.filter(|(of, _)| of.plane == (along, up));
    let mut figure = Figure {
        title: analysis.model().system.name.clone(),
        x: Axis::over(name(along), x),
        y: Axis::over(name(up), y),
        aspect: aspect(state),
        legend: LegendPlace::Outside,
        ..Figure::default()
    };
    let here = [state.position.get(along), state.position.get(up)];
    if let Some((_, drawn)) = drawn {
        figure.series.clone_from(&drawn.figure.series);
        figure.places.clone_from(&drawn.figure.places);
        let holds = state.look.as_ref().is_some_and(|look| look.verdict.holds());
        let live = drawn.pieces.at(&drawn.answer, &state.position);
        let live = live.filter(|_| holds);
        if let Some(line) = live.and_then(|piece| drawn.pieces.lines.get(piece)) {
            // the first one is in front
            let live = Series::new("live", line.clone(), LIVE);
            figure.series.insert(0, live);
        }
    }
    figure
        .series
        .extend(neighbourhood(state, (along, up), (x, y)));
    figure.series.push(motion(analysis, (along, up)));
    if let [Some(&x), Some(&y)] = here {
        let label = state.map.probe.as_ref().map_or("now", |_| "probe");
        let here = MarkedPoint::new([x, y], PointKind::Body, label);
        figure.places.push(here);
    }
    Some(figure)
}

/// The map in lines: its plane, how far each line of it reaches, and its places.
pub fn said(state: &State) -> Vec<String> {
    let Some(figure) = figure(state) else {
        return Vec::new();
    };
    let figure = with_names(state, figure);
    let (x, y) = (&figure.x.label, &figure.y.label);
    let over = |k: usize, points: &[[f64; 2]]| {
        let (low, high) = extremes(points.iter().map(|p| p[k]).filter(|v| v.is_finite()));
        format!("{} to {}", short(low), short(high))
    };
    let plane = format!("map of {x} across and {y} up{}", held(state));
    let drawn = figure.series.iter().filter(|series| {
        let mut points = series.points.iter();
        points.any(|p| p.iter().all(|v| v.is_finite()))
    });
    let drawn = drawn.map(|series| {
        let points = &series.points;
        let (across, up) = (over(0, points), over(1, points));
        format!("{}: {x} {across}, {y} {up}", series.label)
    });
    let places = figure.places.iter().map(|place| {
        let label = place.label.as_deref().unwrap_or("point");
        let at = place.at.map(short);
        format!("{label} at {x} {}, {y} {}", at[0], at[1])
    });
    std::iter::once(plane).chain(drawn).chain(places).collect()
}

/// The outline of the proven neighbourhood, as far as it is in sight.
fn neighbourhood(
    state: &State,
    (along, up): (usize, usize),
    (x, y): ((f64, f64), (f64, f64)),
) -> Option<Series> {
    let sides = &state.look.as_ref()?.neighbourhood.as_ref()?.sides;
    let (a, b) = (*sides.get(along)?, *sides.get(up)?);
    // an end beyond the picture is drawn just outside it
    let held = |(lo, hi): (f64, f64), (from, to): (f64, f64)| {
        let far = to - from;
        (lo.max(from - far), hi.min(to + far))
    };
    let (a, b) = (held(a, x), held(b, y));
    let corners = [(a.0, b.0), (a.1, b.0), (a.1, b.1), (a.0, b.1), (a.0, b.0)];
    let corners = corners.map(|(x, y)| [x, y]).to_vec();
    Some(Series::new("proven", corners, BOX))
}

/// Where the motion goes.
fn motion(analysis: &Analysis, (along, up): (usize, usize)) -> Series {
    let samples = &analysis.motion.samples;
    let every = samples.len() / TRAIL + 1;
    let point = |x: &Vec<f64>| {
        let at = |k: usize| x.get(k).copied().unwrap_or(f64::NAN);
        [at(along), at(up)]
    };
    let points = samples.iter().step_by(every).map(|s| point(&s.x));
    Series::new("motion", points.collect(), MOTION)
}

/// Draws the pane; `rect` is with its border.
pub fn draw(state: &State, rect: Rect, buffer: &mut Buffer) {
    let Some((figure, field)) = figure(state).zip(field(state, rect)) else {
        return;
    };
    let figure = with_names(state, figure);
    let theme = state.theme;
    let canvas = plot::draw(&figure, field.width, field.height, theme.charset);
    copy(&canvas, field, |cell| style(state, cell), buffer);
    shade(state, canvas.frame(), field, buffer);
    let Border { upper, rows, lower } = border(state, &figure, rect);
    let room = rect.width.saturating_sub(2);
    let before = NAME.len() as u16;
    let top = Rect::new(rect.x + 1 + before, rect.y, room.saturating_sub(before), 1);
    Line::from(upper).render(top, buffer);
    for (entries, y) in rows.into_iter().zip(rect.y + 1..) {
        Line::from(entries).render(Rect::new(rect.x + 1, y, room, 1), buffer);
    }
    let area = Rect::new(rect.x + 2, rect.bottom() - 1, room.saturating_sub(2), 1);
    let left = usize::from(area.width).saturating_sub(columns(&lower.values) + 1);
    Line::raw(lower.values).right_aligned().render(area, buffer);
    if !lower.entries.is_empty() {
        Line::from(lower.entries).render(area, buffer);
    } else if state.focus == Pane::Plot
        && state.dialog.is_none()
        && let Some(keys) = KEYS.iter().find(|keys| columns(keys) <= left)
    {
        Line::styled(words(theme, keys), theme.dim()).render(area, buffer);
    }
}

/// Where the picture is in the pane: below the rows of its legend that the border has no room for.
pub fn field(state: &State, rect: Rect) -> Option<Rect> {
    let figure = with_names(state, figure_over(state, window(state)?)?);
    let rows = border(state, &figure, rect).rows.len() as u16;
    let inner = inside(rect);
    Some(Rect {
        y: inner.y + rows,
        height: inner.height - rows,
        ..inner
    })
}

/// What stands round the picture: the names of the axes, the legend as far as there is room, the time and the values.
struct Border {
    upper: Vec<Span<'static>>,
    /// The rest of the legend, below the upper border.
    rows: Vec<Vec<Span<'static>>>,
    lower: Lower,
}

/// What stands in the lower border.
struct Lower {
    entries: Vec<Span<'static>>,
    values: String,
}

fn border(state: &State, figure: &Figure, rect: Rect) -> Border {
    let (upper, mut entries) = title(state, figure, rect);
    let room = usize::from(rect.width.saturating_sub(4));
    let value = |(name, v): (&String, &f64)| format!("  {} {}", named(state, name), short(*v));
    let values: Vec<String> = analysis_values(state).map(value).collect();
    let text = |count: usize| {
        let values = values.iter().take(count).map(String::as_str);
        let text = format!(" t {:.3}{} ", state.playhead.t, values.collect::<String>());
        cut(&words(state.theme, &text), room)
    };
    let left = |text: &str| room.saturating_sub(columns(text) + 1);
    let mut values_shown = text(values.len());
    if width(&entries) > left(&values_shown) {
        // those of the plane, where the legend has no room beside all
        values_shown = text(2);
    }
    let lower = fitting(&mut entries, left(&values_shown));
    let inner = inside(rect);
    let mut rows = Vec::new();
    // in a low pane the picture counts more
    while rows.len() < usize::from(inner.height / HIGH) {
        let row = fitting(&mut entries, usize::from(inner.width));
        if row.is_empty() {
            break;
        }
        rows.push(row);
    }
    Border {
        upper,
        rows,
        lower: Lower {
            entries: lower,
            values: values_shown,
        },
    }
}

/// The coordinates of the plane, then the others.
fn analysis_values(state: &State) -> impl Iterator<Item = (&String, &f64)> {
    let names = state.analysis.iter().flat_map(|a| a.coordinates());
    let values: Vec<(&String, &f64)> = names.zip(&state.position).collect();
    let (along, up) = plane(state).unwrap_or((0, 0));
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by_key(|k| *k != along && *k != up);
    order.into_iter().map(move |k| values[k])
}

/// The live branch is bright, the others are not.
fn style(state: &State, cell: CellStyle) -> Style {
    let theme = state.theme;
    let live = state.look.as_ref().is_none_or(|look| look.verdict.holds());
    match cell {
        CellStyle::Series(LIVE) if live => theme.strong(),
        CellStyle::Series(BOX) => theme.holds().remove_modifier(Modifier::BOLD),
        CellStyle::Series(MOTION) => theme.dim(),
        CellStyle::Series(TOUCHING) => theme.accent(),
        other => theme.cell(other),
    }
}

/// A dot of the proven neighbourhood; in ASCII a middle dot would be the sign of a branch.
fn dot(theme: Theme) -> &'static str {
    if theme.ascii() { "." } else { "·" }
}

/// Dots where nothing is drawn in the proven neighbourhood.
fn shade(state: &State, frame: Option<&Frame>, inner: Rect, buffer: &mut Buffer) {
    let proven = state.look.as_ref().and_then(|l| l.neighbourhood.as_ref());
    let (Some(frame), Some(proven), Some((along, up))) = (frame, proven, plane(state)) else {
        return;
    };
    let (Some(x), Some(y)) = (proven.sides.get(along), proven.sides.get(up)) else {
        return;
    };
    let within =
        |value: Option<f64>, side: &(f64, f64)| value.is_some_and(|v| side.0 <= v && v <= side.1);
    for row in frame.top..frame.top + frame.rows {
        for col in frame.left..frame.left + frame.cols {
            let inside = within(frame.x_at_column(col), x) && within(frame.y_at_row(row), y);
            // every other cell: what is drawn stays in front
            if !inside || (row + col) % 2 > 0 || col >= inner.width || row >= inner.height {
                continue;
            }
            if let Some(cell) = buffer.cell_mut((inner.x + col, inner.y + row))
                && matches!(cell.symbol(), " " | "\u{2800}")
            {
                cell.set_symbol(dot(state.theme));
                cell.set_style(state.theme.dim());
            }
        }
    }
}

/// Columns of a legend.
fn width<'a>(entries: impl IntoIterator<Item = &'a [Span<'static>; 2]>) -> usize {
    entries.into_iter().flatten().map(Span::width).sum()
}

/// What is taken from the front of a legend to fill a row; what does not fit stays.
fn fitting(entries: &mut Entries, room: usize) -> Vec<Span<'static>> {
    let mut used = 0;
    let mut spans = Vec::new();
    while let Some(entry) = entries.front() {
        used += entry.iter().map(Span::width).sum::<usize>();
        if used > room {
            break;
        }
        spans.extend(entries.pop_front().into_iter().flatten());
    }
    spans
}

/// The entries of a legend: a sample and what it stands for.
type Entries = VecDeque<[Span<'static>; 2]>;

/// Names of the axes and legend in the upper border; what of the legend has no room there.
fn title(state: &State, figure: &Figure, rect: Rect) -> (Vec<Span<'static>>, Entries) {
    let theme = state.theme;
    let room = rect.width.saturating_sub(2 + NAME.len() as u16);
    let drawn = state.map.drawn.found.as_ref();
    let name = format!("{}, {}{} ", figure.x.label, figure.y.label, held(state));
    let name = cut(&words(theme, &name), usize::from(room));
    let mut used = columns(&name);
    let mut spans = vec![Span::styled(name, theme.strong())];
    if drawn.is_none() {
        let doing = if state.stale() { MEND_FIRST } else { "…" };
        let doing = format!(" {doing}");
        spans.push(Span::styled(words(theme, &doing), theme.notice()));
        used += columns(&doing) + 2;
    }
    let all = plot::legend(figure, theme.charset);
    let length = sample_length(&all);
    let entry = |entry: LegendEntry| {
        let sample: String = entry.sample.chars().take(length).collect();
        // the neighbourhood is shaded
        let sample = match entry.style {
            CellStyle::Series(BOX) => words(theme, dot(theme)),
            // drawn in pieces
            CellStyle::Series(LEVEL) => {
                let piece: String = sample.chars().take(1).collect();
                format!("{piece} {piece}")
            }
            _ => sample.trim_end().to_owned(),
        };
        [
            Span::styled(format!(" {sample}"), style(state, entry.style)),
            Span::raw(format!(" {} ", words(theme, &entry.label))),
        ]
    };
    let mut entries = all.into_iter().map(entry).collect();
    spans.extend(fitting(
        &mut entries,
        usize::from(room).saturating_sub(used + 1),
    ));
    (spans, entries)
}

/// `; y = -2.000 … 2.000`: where the other coordinates are held, and the slices; level lines that are held elsewhere say so.
fn held(state: &State) -> String {
    let Some((of, drawn)) = &state.map.drawn.found else {
        return String::new();
    };
    let names = state.analysis.iter().flat_map(|a| a.coordinates());
    let names: Vec<&String> = names.collect();
    let at = |k: usize, value: String| Some(format!("{} = {value}", named(state, names.get(k)?)));
    let sliced = of.slices.as_ref().and_then(|(k, values)| {
        let (first, last) = values.first().zip(values.last())?;
        at(*k, format!("{} … {}", short(*first), short(*last)))
    });
    let levels = drawn.answer.levels.iter().flat_map(|l| &l.held);
    let levels = joined(levels.filter_map(|(k, v)| at(*k, short(*v))));
    let levels = match &sliced {
        Some(_) if !levels.is_empty() => Some(format!("levels {levels}")),
        _ => Some(levels).filter(|levels| !levels.is_empty()),
    };
    let all = sliced.into_iter().chain(levels);
    linked("; ", std::iter::once(String::new()).chain(all))
}

/// Characters of the samples in the legend: so many that no two lines have the same.
fn sample_length(entries: &[LegendEntry]) -> usize {
    let cut = |entry: &LegendEntry, length: usize| -> String {
        let sample: String = entry.sample.chars().take(length).collect();
        sample.trim_end().to_owned()
    };
    let longest = entries.iter().map(|entry| entry.sample.chars().count());
    let longest = longest.max().unwrap_or(SAMPLE);
    let told_apart = |length: &usize| {
        let mut pairs = entries.iter().enumerate();
        pairs.all(|(at, one)| {
            let mut others = entries.iter().take(at);
            others
                .all(|other| one.sample == other.sample || cut(one, *length) != cut(other, *length))
        })
    };
    let fits = (SAMPLE..longest).find(told_apart);
    fits.unwrap_or(longest)
}

/// All of the map, for the lens to know when it sees everything.
pub fn all(state: &State) -> Option<Figure> {
    let mut figure = figure(state)?;
    let (along, up) = plane(state)?;
    let region = whole(state)?;
    (figure.x.range, figure.y.range) = (Some(region[along]), Some(region[up]));
    // equal lengths would see more of it than there is
    figure.aspect = Aspect::Fill;
    Some(figure)
}
