//! The Plot pane: columns of the motion against each other, flags on the axis, a cursor at the time
//! shown.

use std::rc::Rc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

use super::verdict::names;
use super::{copy, put, words};
use crate::analysis::{Analysis, PlotData};
use crate::plot::{self, Canvas, Charset, Figure, Frame, LegendPlace, number};
use crate::report::{self, FlagWords};
use crate::workbench::layout::Pane;
use crate::workbench::map::plane;
use crate::workbench::playhead::between;
use crate::workbench::plots::View;
use crate::workbench::state::State;
use crate::workbench::text::{columns, cut, short};

/// Significant digits of the values at the cursor while it stands still.
const DIGITS: usize = 8;

/// What can be done with the pane, as much of it as there is room for.
const KEYS: [&str; 3] = [
    " [ ] zoom  < > pan  w whole  g log  d drift  a aspect  P R copy  E export ",
    " [ ] zoom  < > pan  w whole  g log  E export ",
    " [ ] zoom  w whole ",
];

/// What was drawn last: a picture in which nothing has moved is not drawn again.
#[derive(Default)]
pub struct Memory {
    kept: Option<Kept>,
}

struct Kept {
    analysis: Rc<Analysis>,
    version: u64,
    charset: Charset,
    figure: Figure,
    canvas: Canvas,
}

/// Draws the pane; `rect` is with its border, `inner` without.
pub fn draw(state: &State, memory: &mut Memory, (rect, inner): (Rect, Rect), buffer: &mut Buffer) {
    let Some((analysis, view)) = state.analysis.as_ref().zip(state.plots.view()) else {
        return;
    };
    let kept = recall(state, memory, analysis, view, inner);
    copy(&kept.canvas, inner, state.theme, buffer);
    now(state, kept, view, inner, buffer);
    title(state, kept, view, rect, buffer);
}

/// The drawing of this state: the one kept if it is still right.
fn recall<'a>(
    state: &State,
    memory: &'a mut Memory,
    analysis: &Rc<Analysis>,
    view: &View,
    inner: Rect,
) -> &'a Kept {
    let same =
        |kept: &Kept| kept.version == state.plots.version && Rc::ptr_eq(&kept.analysis, analysis);
    let charset = state.theme.charset;
    let mut figure = match memory.kept.take().filter(same) {
        Some(kept) => {
            let cursor = cursor(state, view);
            let size = (kept.canvas.width(), kept.canvas.height()) == (inner.width, inner.height);
            let column = |at: Option<f64>| {
                kept.canvas
                    .frame()
                    .zip(at)
                    .and_then(|(frame, at)| frame.column_at_x(at))
            };
            if size && kept.charset == charset && column(cursor) == column(kept.figure.cursor) {
                return memory.kept.insert(kept);
            }
            kept.figure
        }
        None => figure(state, analysis, view),
    };
    figure.cursor = cursor(state, view);
    let canvas = plot::draw(&figure, inner.width, inner.height, charset);
    memory.kept.insert(Kept {
        analysis: Rc::clone(analysis),
        version: state.plots.version,
        charset,
        figure,
        canvas,
    })
}

/// The time shown, as a line: only where time is the axis.
fn cursor(state: &State, view: &View) -> Option<f64> {
    (view.x == "t").then_some(state.playhead.t)
}

/// The samples of a view.
pub fn data(analysis: &Analysis, view: &View) -> PlotData {
    if let Some(plot) = view.given.and_then(|at| analysis.plots.get(at)) {
        return plot.clone();
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
pub fn figure(state: &State, analysis: &Analysis, view: &View) -> Figure {
    let lens = state.plots.lens;
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

/// The view shown as it is seen, with its name, legend and cursor: to be copied or exported.
pub fn alone(state: &State) -> Option<Figure> {
    if state.map.shown {
        let mut figure = super::map::figure(state)?;
        figure.legend = LegendPlace::Inside;
        return Some(figure);
    }
    let (analysis, view) = state.analysis.as_ref().zip(state.plots.view())?;
    let mut figure = figure(state, analysis, view);
    figure.legend = LegendPlace::Inside;
    figure.cursor = cursor(state, view);
    Some(figure)
}

/// The view shown as its pane draws it, and where the curves are in there.
pub fn framed(state: &State) -> Option<(Figure, Frame)> {
    let (analysis, view) = state.analysis.as_ref().zip(state.plots.view())?;
    let inner = state.layout().inner(Pane::Plot)?;
    if state.map.shown {
        let figure = super::map::figure(state)?;
        let canvas = plot::draw(&figure, inner.width, inner.height, state.theme.charset);
        let frame = *canvas.frame()?;
        return Some((figure, frame));
    }
    let mut figure = figure(state, analysis, view);
    figure.cursor = cursor(state, view);
    let canvas = plot::draw(&figure, inner.width, inner.height, state.theme.charset);
    let frame = *canvas.frame()?;
    Some((figure, frame))
}

/// What is zero at each flag, as the Theorem pane writes it.
fn flag_words(analysis: &Analysis) -> FlagWords {
    let zeros = analysis.motion.flags.iter().map(|flag| {
        let zero: Vec<&str> = analysis
            .singular
            .iter()
            .filter(|line| line.factor.is_some_and(|f| flag.factors.contains(&f)))
            .map(|line| line.equation.as_str())
            .collect();
        zero.join(", ")
    });
    FlagWords {
        chosen: names(analysis, &analysis.dependent),
        zeros: zeros.collect(),
    }
}

/// The point of the first curve at the time shown.
pub fn point(state: &State, figure: &Figure) -> Option<[f64; 2]> {
    let analysis = state.analysis.as_ref()?;
    if state.map.shown {
        let (along, up) = plane(state)?;
        return Some([*state.position.get(along)?, *state.position.get(up)?]);
    }
    let at = between(&analysis.motion, state.playhead.t)?;
    let points = &figure.series.first()?.points;
    let [xa, ya] = *points.get(at.place)?;
    let [xb, yb] = points.get(at.place + 1).copied().unwrap_or([xa, ya]);
    let mix = |a: f64, b: f64| a * (1.0 - at.part) + b * at.part;
    Some([mix(xa, xb), mix(ya, yb)])
}

/// Where the axis is not time: the point reached, on each curve.
fn now(state: &State, kept: &Kept, view: &View, inner: Rect, buffer: &mut Buffer) {
    let Some(frame) = kept.canvas.frame().filter(|_| view.x != "t") else {
        return;
    };
    let t = state.playhead.t;
    let Some(at) = between(&kept.analysis.motion, t) else {
        return;
    };
    for series in &kept.figure.series {
        let Some(&[xa, ya]) = series.points.get(at.place) else {
            continue;
        };
        let [xb, yb] = series.points.get(at.place + 1).copied().unwrap_or([xa, ya]);
        let x = xa * (1.0 - at.part) + xb * at.part;
        let y = ya * (1.0 - at.part) + yb * at.part;
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

/// Name of the view and legend, in the border.
fn title(state: &State, kept: &Kept, view: &View, rect: Rect, buffer: &mut Buffer) {
    let theme = state.theme;
    let width = usize::from(rect.width);
    let given = view.given.and_then(|at| kept.analysis.plots.get(at));
    let given = given.map_or("", |plot| plot.title.as_str());
    let heading = |figure: &Figure| {
        let names: Vec<&str> = figure.series.iter().map(|s| s.label.as_str()).collect();
        format!("{} · {}", names.join(", "), view.x)
    };
    let mut name = match (given, view.y.len()) {
        ("", _) => heading(&kept.figure),
        (title, _) if title == view.title() => heading(&kept.figure),
        // the legend has their names
        (title, 2..) => title.to_owned(),
        (title, _) => format!("{title}: {}", heading(&kept.figure)),
    };
    if state.plots.views.len() > 1 {
        name = format!(
            "{}/{} {name}",
            state.plots.current + 1,
            state.plots.views.len()
        );
    }
    let mut spans = vec![Span::styled(
        format!(" {} ", words(theme, &name)),
        theme.strong(),
    )];
    let mut used = columns(&spans[0].content) + " Plot ".len() + 2;
    for entry in plot::legend(&kept.figure, theme.charset) {
        if entry.style == plot::CellStyle::Cursor {
            continue;
        }
        let mark = matches!(entry.style, plot::CellStyle::Mark(_));
        let sample = format!(" {}", entry.sample);
        let mut label = format!(" {} ", words(theme, &entry.label));
        if mark && used + columns(&sample) + columns(&label) + 1 >= width {
            " fails ".clone_into(&mut label);
        }
        used += columns(&sample) + columns(&label);
        if used + 1 >= width {
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
    values(state, kept, rect, buffer);
}

/// The values at the time shown, in the lower border.
fn values(state: &State, kept: &Kept, rect: Rect, buffer: &mut Buffer) {
    let t = state.playhead.t;
    // between two samples a value is a guess
    let on_sample =
        between(&kept.analysis.motion, t).is_some_and(|at| at.part == 0.0 || at.part == 1.0);
    let mut list = Vec::new();
    for series in &kept.figure.series {
        let coordinate = kept
            .analysis
            .coordinates
            .iter()
            .position(|name| *name == series.label);
        let exact = coordinate.and_then(|k| state.position.get(k).copied());
        let sampled = || {
            let at = between(&kept.analysis.motion, t)?;
            let a = series.points.get(at.place)?[1];
            let b = series.points.get(at.place + 1).map_or(a, |point| point[1]);
            Some(a * (1.0 - at.part) + b * at.part)
        };
        if let Some(value) = exact.or_else(sampled) {
            list.push((series.label.as_str(), value, exact.is_some() || on_sample));
        }
    }
    let row = |number: &dyn Fn(f64, bool) -> String| {
        let value = |(name, value, known): &(&str, f64, bool)| {
            format!("  {name} {}", number(*value, *known))
        };
        let text = format!(" t {t:.3}{} ", list.iter().map(value).collect::<String>());
        words(state.theme, &text)
    };
    let room = usize::from(rect.width.saturating_sub(4));
    // what stands still is read, what plays is looked at
    let exact = Some(row(&|value, known| {
        if known {
            number(value, DIGITS)
        } else {
            short(value)
        }
    }))
    .filter(|text| !state.playhead.playing && columns(text) <= room);
    let text = exact.unwrap_or_else(|| row(&|value, _| short(value)));
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
