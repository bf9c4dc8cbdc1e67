//! The Plot pane: columns of the motion against each other, flags on the axis, a cursor at the time
//! shown.

use std::rc::Rc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

use super::verdict::{because, names, where_it_fails};
use super::{copy, put, with_names, words};
use crate::analysis::{Analysis, PlotData, PlotNames};
use crate::expr::Expr;
use crate::plot::{self, Canvas, Charset, Figure, Frame, LegendPlace, number};
use crate::report::{self, FlagWords, joined, linked, only_if, zero};
use crate::solver::Moment;
use crate::workbench::layout::{Pane, upper};
use crate::workbench::map::plane;
use crate::workbench::plots::{Lens, View};
use crate::workbench::state::State;
use crate::workbench::text::{columns, cut, cut_apart, short, wrap};

/// Significant digits of the values at the cursor while it stands still.
const DIGITS: usize = 8;

/// What can be done with the pane, as much of it as there is room for.
const KEYS: [&str; 3] = [
    " [ ] zoom  < > pan  w whole  S log  d drift  a aspect  P R copy  E export ",
    " [ ] zoom  < > pan  w whole  S log  E export ",
    " [ ] zoom  w whole ",
];

/// The least size of a plot where there are several.
const LEAST: (u16, u16) = (75, 11);
/// At most this many are shown at once.
const MOST: usize = 6;

/// Where the plots are in their pane: the one shown first, those after it in rows and columns beside it
/// where there is room. A number is that of the view.
fn fields(state: &State, inner: Rect) -> Vec<(usize, Rect)> {
    let count = state.plots.views.len();
    if count == 0 {
        return vec![(state.plots.current, inner)];
    }
    let columns = (inner.width / LEAST.0).max(1);
    let rows = (inner.height / LEAST.1).max(1);
    let most = usize::from(columns * rows).min(count).min(MOST);
    // no hole at the end
    let rows = (most as u16).div_ceil(columns);
    let columns = (most as u16).div_ceil(rows);
    let part = |length: u16, parts: u16, at: u16| {
        let edge = |at: u16| (u32::from(length) * u32::from(at) / u32::from(parts.max(1))) as u16;
        (edge(at), edge(at + 1) - edge(at))
    };
    let places = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
    let mut list = Vec::new();
    for (at, (row, column)) in places.take(most).enumerate() {
        let (y, height) = part(inner.height, rows, row);
        let (x, width) = part(inner.width, columns, column);
        let rect = Rect::new(inner.x + x, inner.y + y, width, height);
        list.push(((state.plots.current + at) % count, rect));
    }
    list
}

/// Where the plot shown is, without its border.
pub fn field(state: &State) -> Option<Rect> {
    if state.map.shown {
        return super::map::field(state, state.layout().pane(Pane::Plot)?);
    }
    let inner = state.layout().inner(Pane::Plot)?;
    fields(state, inner).first().map(|(_, rect)| *rect)
}

/// The view at a place of the screen.
pub fn view_at(state: &State, place: (u16, u16)) -> Option<usize> {
    let inner = state.layout().inner(Pane::Plot)?;
    let mut fields = fields(state, inner).into_iter();
    let found = fields.find(|(_, rect)| rect.contains(place.into()));
    found.map(|(view, _)| view)
}

/// What was drawn last: a picture in which nothing has moved is not drawn again.
#[derive(Default)]
pub struct Memory {
    kept: Vec<Kept>,
}

struct Kept {
    /// The number of the view.
    number: usize,
    analysis: Rc<Analysis>,
    view: View,
    lens: Lens,
    charset: Charset,
    figure: Figure,
    curves: Curves,
    canvas: Canvas,
}

/// What is drawn, to be worked out at any time.
struct Curves {
    /// What runs across, then the curves; none where they are no expressions.
    list: Vec<Expr>,
    /// What is drawn less of each curve.
    less: Vec<f64>,
    /// What rounding leaves of a zero of each of the list.
    rounding: Vec<f64>,
}

impl Curves {
    fn new(analysis: &Analysis, view: &View, figure: &Figure) -> Self {
        let plot = PlotNames {
            x: view.x.clone(),
            y: view.y.clone(),
            ..PlotNames::default()
        };
        let list = analysis.model().plotted(view.given, &plot);
        let list = list.unwrap_or_default();
        let offset = |(series, curve): (&plot::Series, &Expr)| {
            let place = series.points.iter().position(|at| at[1].is_finite())?;
            let sample = analysis.motion.samples.get(place)?;
            let value = analysis.at(sample, &[*curve]);
            Some(value.first()? - series.points.get(place)?[1])
        };
        let pairs = figure.series.iter().zip(list.iter().skip(1));
        let less = pairs.map(|pair| offset(pair).unwrap_or(0.0)).collect();
        let sizes = zero::Sizes::of(&analysis.motion);
        let along = |(name, series): (&String, &plot::Series), part: usize| {
            let samples = analysis.motion.samples.iter().zip(&series.points);
            let along: Vec<[f64; 2]> = samples.map(|(s, point)| [s.t, point[part]]).collect();
            sizes.rounding(analysis.model(), name, &along)
        };
        let across = figure
            .series
            .first()
            .map(|first| along((&view.x, first), 0));
        let up = view.y.iter().zip(&figure.series);
        let rounding = across.into_iter().chain(up.map(|curve| along(curve, 1)));
        let rounding = rounding.collect();
        Self {
            list,
            less,
            rounding,
        }
    }

    /// Across, and up on each curve, as they are drawn.
    fn at(&self, analysis: &Analysis, moment: &Moment) -> Option<(f64, Vec<f64>)> {
        let values = analysis.at(&moment.sample, &self.list);
        let values = values.iter().zip(&self.rounding);
        let values = values.flat_map(|(value, least)| zero::without(&[*value], *least));
        let values: Vec<f64> = values.collect();
        let (across, up) = values.split_first()?;
        let up = up.iter().zip(&self.less).map(|(value, less)| value - less);
        Some((*across, up.collect()))
    }
}

/// Draws the pane; `rect` is with its border, `inner` without.
pub fn draw(state: &State, memory: &mut Memory, (rect, inner): (Rect, Rect), buffer: &mut Buffer) {
    let Some(analysis) = &state.analysis else {
        return;
    };
    if analysis.motion.samples.is_empty() {
        return without(state, analysis, inner, buffer);
    }
    for (at, (number, field)) in fields(state, inner).into_iter().enumerate() {
        let Some(view) = state.plots.views.get(number) else {
            return;
        };
        let (heading, field) = if at == 0 {
            (None, field)
        } else {
            let (row, field) = upper(field, 1);
            (Some(row), field)
        };
        let kept = recall(state, memory, (analysis, number), view, field);
        copy(&kept.canvas, field, |cell| state.theme.cell(cell), buffer);
        now(state, kept, view, field, buffer);
        match heading {
            None => title(state, kept, view, rect, buffer),
            Some(row) => subtitle(state, kept, view, row, buffer),
        }
    }
}

/// Why there is nothing to plot.
fn without(state: &State, analysis: &Analysis, inner: Rect, buffer: &mut Buffer) {
    let why = because(analysis).unwrap_or_else(|| "no samples".to_owned());
    let why = words(state.theme, &format!("nothing to plot: {why}"));
    let width = usize::from(inner.width).saturating_sub(4);
    let lines = wrap(&why, width);
    let top = inner.height.saturating_sub(lines.len() as u16) / 2;
    for (row, line) in (inner.y + top..inner.bottom()).zip(&lines) {
        let left = inner.x + inner.width.min(2);
        buffer.set_stringn(left, row, line, width, state.theme.dim());
    }
}

/// The drawing of this state: the one kept if it is still right.
fn recall<'a>(
    state: &State,
    memory: &'a mut Memory,
    (analysis, number): (&Rc<Analysis>, usize),
    view: &View,
    inner: Rect,
) -> &'a Kept {
    let lens = state.plots.lens_of(number);
    memory
        .kept
        .retain(|kept| Rc::ptr_eq(&kept.analysis, analysis));
    let charset = state.theme.charset;
    let place = memory.kept.iter().position(|kept| kept.number == number);
    let before = place.map(|place| memory.kept.swap_remove(place));
    let before = before.filter(|kept| kept.view == *view && kept.lens == lens);
    let cursor = cursor(state, view);
    let still = |kept: &Kept| {
        let size = (kept.canvas.width(), kept.canvas.height()) == (inner.width, inner.height);
        let column = |at: Option<f64>| {
            let frame = kept.canvas.frame().zip(at);
            frame.and_then(|(frame, at)| frame.column_at_x(at))
        };
        size && kept.charset == charset && column(cursor) == column(kept.figure.cursor)
    };
    let kept = match before {
        Some(kept) if still(&kept) => kept,
        before => {
            // its words are those of the characters
            let same = before.filter(|kept| kept.charset == charset);
            let mut figure = same.map_or_else(
                || {
                    let mut figure = with_names(state, figure(analysis, view, lens));
                    for mark in &mut figure.marks {
                        mark.tag = words(state.theme, &mark.tag);
                    }
                    figure
                },
                |kept| kept.figure,
            );
            figure.cursor = cursor;
            let canvas = plot::draw(&figure, inner.width, inner.height, charset);
            Kept {
                number,
                analysis: Rc::clone(analysis),
                view: view.clone(),
                lens,
                charset,
                curves: Curves::new(analysis, view, &figure),
                figure,
                canvas,
            }
        }
    };
    memory.kept.push(kept);
    &memory.kept[memory.kept.len() - 1]
}

/// The time shown, as a line: only where time is the axis.
fn cursor(state: &State, view: &View) -> Option<f64> {
    (view.x == "t").then_some(state.playhead.t)
}

/// The samples of a view.
pub fn data(analysis: &Analysis, view: &View) -> PlotData {
    let file_plot = |at| analysis.model().file_plot(&analysis.motion, at);
    if let Some(plot) = view.given.and_then(file_plot) {
        return plot;
    }
    let column = |name: &String| analysis.column(name).unwrap_or_default();
    let curves = view.y.iter().map(|name| (name.clone(), column(name)));
    PlotData {
        title: String::new(),
        x: (view.x.clone(), column(&view.x)),
        y: curves.collect(),
    }
}

/// A view as it is seen, without the cursor.
pub fn figure(analysis: &Analysis, view: &View, lens: Lens) -> Figure {
    let mut figure = report::figure(
        analysis.model(),
        &analysis.motion,
        (&data(analysis, view), &flag_words(analysis)),
        report::PlotStyle {
            legend: LegendPlace::Outside,
            ..lens.style
        },
    );
    (figure.x.range, figure.y.range) = lens.window;
    figure
}

/// The map or the view shown as it is seen, with its cursor.
fn seen(state: &State) -> Option<Figure> {
    if state.map.shown {
        return super::map::figure(state);
    }
    let (analysis, view) = state.analysis.as_ref().zip(state.plots.view())?;
    let mut figure = figure(analysis, view, state.plots.lens);
    figure.cursor = cursor(state, view);
    Some(figure)
}

/// The same with its name and legend: to be copied or exported.
pub fn alone(state: &State) -> Option<Figure> {
    let mut figure = seen(state)?;
    figure.legend = LegendPlace::Inside;
    Some(figure)
}

/// The same as its pane draws it, and where the curves are in there.
pub fn framed(state: &State) -> Option<(Figure, Frame)> {
    let inner = field(state)?;
    let figure = with_names(state, seen(state)?);
    let canvas = plot::draw(&figure, inner.width, inner.height, state.theme.charset);
    let frame = *canvas.frame()?;
    Some((figure, frame))
}

/// What is plotted, in lines: each curve with its value at the time shown, its least and its greatest.
pub fn said(state: &State) -> Vec<String> {
    let Some((analysis, view)) = state.analysis.as_ref().zip(state.plots.view()) else {
        return Vec::new();
    };
    let figure = with_names(state, figure(analysis, view, state.plots.lens));
    let curves = Curves::new(analysis, view, &figure);
    let moment = state.moment.as_ref();
    let now = moment.and_then(|moment| curves.at(analysis, moment));
    let up = now.map_or(Vec::new(), |(_, up)| up);
    let x = &figure.x.label;
    let lines = figure.series.iter().enumerate().map(|(k, series)| {
        let finite = || series.points.iter().filter(|p| p[1].is_finite());
        let least = finite().min_by(|a, b| a[1].total_cmp(&b[1]));
        let most = finite().max_by(|a, b| a[1].total_cmp(&b[1]));
        let end = |name: &str, p: Option<&[f64; 2]>| match p {
            Some([at, y]) => format!(", {name} {} at {x} {}", short(*y), short(*at)),
            None => String::new(),
        };
        let now = up
            .get(k)
            .map_or(String::new(), |y| format!(" {} now", short(*y)));
        format!(
            "{}{now}{}{}",
            series.label,
            end("least", least),
            end("greatest", most)
        )
    });
    let view = format!(
        "view {} of {}",
        state.plots.current + 1,
        state.plots.views.len()
    );
    std::iter::once(view).chain(lines).collect()
}

/// What is zero at each flag, as the Theorem pane writes it.
fn flag_words(analysis: &Analysis) -> FlagWords {
    let flags = analysis.motion.flags.iter();
    let zeros = flags.map(|flag| where_it_fails(analysis, flag).unwrap_or_default());
    FlagWords {
        chosen: names(analysis, &analysis.dependent),
        zeros: zeros.collect(),
        events: Vec::new(),
    }
}

/// The point of the first curve at the time shown.
pub fn point(state: &State, figure: &Figure) -> Option<[f64; 2]> {
    let analysis = state.analysis.as_ref()?;
    if state.map.shown {
        let (along, up) = plane(state)?;
        return Some([*state.position.get(along)?, *state.position.get(up)?]);
    }
    let curves = Curves::new(analysis, state.plots.view()?, figure);
    let (x, y) = curves.at(analysis, state.moment.as_ref()?)?;
    Some([x, *y.first()?])
}

/// Where the axis is not time: the point reached, on each curve.
fn now(state: &State, kept: &Kept, view: &View, inner: Rect, buffer: &mut Buffer) {
    let Some(frame) = kept.canvas.frame().filter(|_| view.x != "t") else {
        return;
    };
    let moment = state.moment.as_ref();
    let now = moment.and_then(|moment| kept.curves.at(&kept.analysis, moment));
    let Some((x, up)) = now else {
        return;
    };
    for y in up {
        if let (Some(col), Some(row)) = (frame.column_at_x(x), frame.row_at_y(y))
            && col < inner.width
            && row < inner.height
        {
            put(buffer, (inner.x + col, inner.y + row), '●');
            let cell = Rect::new(inner.x + col, inner.y + row, 1, 1);
            buffer.set_style(cell, state.theme.strong());
        }
    }
}

/// The name of a view that stands beside the one shown, and its values at the time shown.
fn subtitle(state: &State, kept: &Kept, view: &View, row: Rect, buffer: &mut Buffer) {
    let theme = state.theme;
    let room = usize::from(row.width.saturating_sub(2));
    let name = words(
        theme,
        &format!(
            "{}/{} {}",
            kept.number + 1,
            state.plots.views.len(),
            name(kept, view, false)
        ),
    );
    let values = values_now(state, kept, view).into_iter();
    let values = values.map(|(name, value)| format!("{name} {}", short(value)));
    let values = words(theme, &linked("  ", values));
    let used = columns(&name) + 2;
    buffer.set_stringn(row.x + 1, row.y, &name, room, theme.strong());
    if used + columns(&values) <= room {
        let row = Rect::new(row.x + 1, row.y, room as u16, row.height);
        Line::raw(values).right_aligned().render(row, buffer);
    }
}

/// What a view is called: its title, or its curves, which may be named `elsewhere`.
fn name(kept: &Kept, view: &View, elsewhere: bool) -> String {
    let plots = &kept.analysis.model().system.plots;
    let given = view.given.and_then(|at| plots.get(at)?.title.as_deref());
    let given = given.unwrap_or_default();
    let names = joined(kept.figure.series.iter().map(|s| &s.label));
    let names = only_if(!elsewhere, format!("{names} "));
    let heading = format!("{names}over {}", kept.figure.x.label);
    match (given, view.y.len()) {
        ("", _) => heading,
        (title, _) if title == view.title() => heading,
        // the legend has their names
        (title, 2..) => title.to_owned(),
        (title, _) => format!("{title}: {heading}"),
    }
}

/// Name of the view and legend, in the border.
fn title(state: &State, kept: &Kept, view: &View, rect: Rect, buffer: &mut Buffer) {
    let theme = state.theme;
    let width = usize::from(rect.width);
    let entries: Vec<_> = plot::legend(&kept.figure, theme.charset)
        .into_iter()
        .filter(|entry| entry.style != plot::CellStyle::Cursor)
        .collect();
    let number = only_if(
        state.plots.views.len() > 1,
        format!("{}/{} ", state.plots.current + 1, state.plots.views.len()),
    );
    let written = |elsewhere: bool| {
        let name = format!("{number}{}", name(kept, view, elsewhere));
        format!(" {} ", words(theme, &name))
    };
    let beside = |name: &str| columns(name) + " Plot ".len() + 2;
    // of names that are too long to stand in both the legend has those that tell the curves apart
    let mut heading = written(false);
    if view.y.len() > 1 && beside(&heading) + least_legend(&entries) > width {
        heading = written(true);
    }
    let mut used = beside(&heading);
    let mut spans = vec![Span::styled(heading, theme.strong())];
    let mark = |entry: &plot::LegendEntry| matches!(entry.style, plot::CellStyle::Mark(_));
    let longest = longest_label(&entries, width.saturating_sub(used + 1));
    let labels: Vec<String> = entries.iter().map(|e| words(theme, &e.label)).collect();
    for (entry, label) in entries.into_iter().zip(&labels) {
        let mark = mark(&entry);
        let sample = format!(" {}", entry.sample);
        let mut label = if mark {
            format!(" {label} ")
        } else {
            format!(
                " {} ",
                cut_apart(label, labels.iter().map(String::as_str), longest)
            )
        };
        if mark && used + columns(&sample) + columns(&label) + 1 >= width {
            let is_event = entry.style == plot::CellStyle::Mark(plot::MarkKind::Event);
            let brief = if is_event { " event " } else { " fails " };
            brief.clone_into(&mut label);
        }
        used += columns(&sample) + columns(&label);
        if used + 1 >= width {
            spans.push(Span::raw(" …"));
            break;
        }
        spans.push(Span::styled(sample, theme.cell(entry.style)));
        spans.push(Span::styled(label, Style::new()));
    }
    let left = rect.x + 1 + " Plot ".len() as u16;
    let room = rect.right().saturating_sub(left + 1);
    if let Some(first) = spans.first_mut() {
        first.content = cut(&first.content, usize::from(room)).into();
    }
    Line::from(spans).render(Rect::new(left, rect.y, room, 1), buffer);
    values(state, (kept, view), rect, buffer);
}

/// The columns of a legend in which each curve has some of its name.
fn least_legend(entries: &[plot::LegendEntry]) -> usize {
    const SOME: usize = 8;
    let curves = entries
        .iter()
        .filter(|entry| !matches!(entry.style, plot::CellStyle::Mark(_)));
    let each = curves.map(|entry| columns(&entry.sample) + 3 + columns(&entry.label).min(SOME));
    each.sum::<usize>() + 2
}

/// Columns that the name of a curve may take, so that every curve is named in `room` columns: no limit
/// where all names fit, and none where they would be cut to nothing.
fn longest_label(entries: &[plot::LegendEntry], room: usize) -> usize {
    const LEAST: usize = 4;
    let curves = entries
        .iter()
        .filter(|entry| !matches!(entry.style, plot::CellStyle::Mark(_)));
    let samples: usize = curves.clone().map(|entry| columns(&entry.sample) + 3).sum();
    let names: Vec<usize> = curves.map(|entry| columns(&entry.label)).collect();
    let Some(left) = room.checked_sub(samples + 1) else {
        return usize::MAX;
    };
    // the most that each may have
    let fits = |most: usize| names.iter().map(|name| (*name).min(most)).sum::<usize>() <= left;
    let longest = names.iter().copied().max().unwrap_or(0);
    let most = (LEAST..=longest).rev().find(|most| fits(*most));
    most.unwrap_or(usize::MAX)
}

/// Each curve with its value at the time shown; what they are plotted against, where that is not time, before them.
fn values_now<'a>(state: &State, kept: &'a Kept, view: &View) -> Vec<(&'a str, f64)> {
    let moment = state.moment.as_ref();
    let now = moment.and_then(|moment| kept.curves.at(&kept.analysis, moment));
    let Some((x, up)) = now else {
        return Vec::new();
    };
    // where the axis is not time a point has two numbers
    let across = (view.x != "t").then_some((kept.figure.x.label.as_str(), x));
    let labels = kept
        .figure
        .series
        .iter()
        .map(|series| series.label.as_str());
    let all = across.into_iter().chain(labels.zip(up));
    // nothing is measured between two measurements
    all.filter(|(_, value)| !value.is_nan()).collect()
}

/// The values at the time shown, in the lower border.
fn values(state: &State, (kept, view): (&Kept, &View), rect: Rect, buffer: &mut Buffer) {
    let t = state.playhead.t;
    let list = values_now(state, kept, view);
    let moment = state.moment.as_ref();
    let guessed = moment.is_some_and(Moment::is_rough);
    let row = |number: &dyn Fn(f64) -> String| {
        let values = list.iter();
        let values = values.map(|(name, value)| format!("  {name} {}", number(*value)));
        let values: String = values.collect();
        let guessed = if guessed { " interpolated" } else { "" };
        words(state.theme, &format!(" t {t:.3}{guessed}{values} "))
    };
    let room = usize::from(rect.width.saturating_sub(4));
    // what stands still is read, what plays is looked at
    let known = moment.is_some_and(Moment::is_known) && !state.playhead.playing;
    let exact = known.then(|| row(&|value| number(value, DIGITS)));
    let exact = exact.filter(|text| columns(text) <= room);
    let text = exact.unwrap_or_else(|| row(&short));
    let area = Rect::new(rect.x + 2, rect.bottom() - 1, room as u16, 1);
    Line::raw(cut(&text, room))
        .right_aligned()
        .render(area, buffer);
    if state.focus == Pane::Plot && state.dialog.is_none() {
        let left = room.saturating_sub(columns(&text) + 1);
        let fits = |keys: &&&str| columns(keys) <= left;
        if let Some(keys) = KEYS.iter().find(fits) {
            let keys = words(state.theme, keys);
            Line::styled(keys, state.theme.dim()).render(area, buffer);
        }
    }
}
