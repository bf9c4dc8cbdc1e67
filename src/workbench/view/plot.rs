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
use crate::analysis::Analysis;
use crate::plot::{self, Axis, Canvas, Figure, LegendPlace, Mark, MarkKind, Series};
use crate::solver::FlagKind;
use crate::workbench::playhead::between;
use crate::workbench::plots::View;
use crate::workbench::state::State;
use crate::workbench::text::{columns, cut, short};

/// What was drawn last: a picture in which nothing has moved is not drawn again.
#[derive(Default)]
pub struct Memory {
    kept: Option<Kept>,
}

struct Kept {
    analysis: Rc<Analysis>,
    version: u64,
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
            if size && column(cursor) == column(kept.figure.cursor) {
                return memory.kept.insert(kept);
            }
            kept.figure
        }
        None => figure(analysis, view),
    };
    figure.cursor = cursor(state, view);
    let canvas = plot::draw(&figure, inner.width, inner.height, state.theme.charset);
    memory.kept.insert(Kept {
        analysis: Rc::clone(analysis),
        version: state.plots.version,
        figure,
        canvas,
    })
}

/// The time shown, as a line: only where time is the axis.
fn cursor(state: &State, view: &View) -> Option<f64> {
    (view.x == "t").then_some(state.playhead.t)
}

/// The samples of a view: (name, values) of the axis and of each curve.
type Samples = (Vec<f64>, Vec<(String, Vec<f64>)>);

fn samples(analysis: &Analysis, view: &View) -> Samples {
    if let Some(plot) = view.given.and_then(|at| analysis.plots.get(at)) {
        return (plot.x.1.clone(), plot.y.clone());
    }
    let column = |name: &String| analysis.column(name).unwrap_or_default();
    let curves = view.y.iter().map(|name| (name.clone(), column(name)));
    (column(&view.x), curves.collect())
}

fn figure(analysis: &Analysis, view: &View) -> Figure {
    let (x, curves) = samples(analysis, view);
    let series = curves.iter().zip(0_u8..).map(|((name, y), role)| Series {
        label: name.clone(),
        points: x.iter().zip(y).map(|(&x, &y)| [x, y]).collect(),
        role,
    });
    let label = |kind: FlagKind| match kind {
        FlagKind::Chart => format!(
            "the theorem fails for {}",
            names(analysis, &analysis.dependent)
        ),
        FlagKind::Rank => "the constraints' gradients are dependent".to_owned(),
    };
    let marks = analysis.motion.flags.iter().filter_map(|flag| {
        Some(Mark {
            x: if view.x == "t" {
                flag.t
            } else {
                value_at(analysis, &x, flag.t)?
            },
            label: Some(label(flag.kind)),
            tag: String::new(),
            kind: if flag.kind == FlagKind::Chart {
                MarkKind::Failure
            } else {
                MarkKind::Flag
            },
        })
    });
    Figure {
        x: Axis {
            label: view.x.clone(),
            ..Axis::default()
        },
        series: series.collect(),
        marks: marks.collect(),
        legend: LegendPlace::Outside,
        ..Figure::default()
    }
}

/// A column at a time between samples.
fn value_at(analysis: &Analysis, column: &[f64], t: f64) -> Option<f64> {
    let at = between(&analysis.motion, t)?;
    let a = *column.get(at.place)?;
    let b = column.get(at.place + 1).copied().unwrap_or(a);
    Some(a * (1.0 - at.part) + b * at.part)
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
    let mut name = match (given, view.y.len()) {
        ("", _) => view.title(),
        (title, _) if title == view.title() => view.title(),
        // the legend has their names
        (title, 2..) => title.to_owned(),
        (title, _) => format!("{title}: {}", view.title()),
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
    let mut text = format!(" t {:.3}", state.playhead.t);
    let t = state.playhead.t;
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
            text = format!("{text}  {} {}", series.label, short(value));
        }
    }
    text.push(' ');
    let text = words(state.theme, &text);
    let room = rect.width.saturating_sub(4);
    let area = Rect::new(rect.x + 2, rect.bottom() - 1, room, 1);
    Line::raw(cut(&text, usize::from(room)))
        .right_aligned()
        .render(area, buffer);
}
