//! The Picture pane: the system in its plane at the time shown.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::analysis::{Analysis, Drawing};
use crate::plot::{PointKind, Polyline, Scene, ScenePoint, draw_scene};
use crate::workbench::state::State;
use crate::workbench::text::short;

/// Draws it: where the file has no picture, the first two coordinates are those of a point.
pub fn draw(state: &State, area: Rect, buffer: &mut Buffer) {
    let Some(mut scene) = scene(state) else {
        return;
    };
    let axes = state.analysis.as_ref().map(|analysis| &analysis.axes);
    scene.axes = axes.map(|names| names.each_ref().map(|name| super::named(state, name)));
    let canvas = draw_scene(&scene, area.width, area.height, state.theme.charset);
    super::copy(&canvas, area, |cell| state.theme.cell(cell), buffer);
}

/// The picture in lines: where its points are.
pub fn said(state: &State) -> Vec<String> {
    let Some(scene) = scene(state) else {
        return Vec::new();
    };
    let points = scene.points.iter().map(|point| {
        let what = match point.kind {
            PointKind::Body => "body",
            PointKind::Anchor => "anchor",
            PointKind::Failure => "the theorem fails",
        };
        format!("{what} at ({}, {})", short(point.at[0]), short(point.at[1]))
    });
    points.collect()
}

fn scene(state: &State) -> Option<Scene> {
    let analysis = state.analysis.as_ref()?;
    if state.map.probe.is_some()
        && let Some(scene) = at_the_probe(state, analysis)
    {
        return Some(scene);
    }
    let now = state.moment.as_ref();
    match now.and_then(|moment| analysis.drawing(&moment.sample)) {
        Some(now) => Some(drawn(analysis, &now)),
        None => coordinates(state, analysis),
    }
}

/// Places of a trail: more would not be seen, and would be drawn with every picture.
const TRAIL: usize = 2000;

fn thinned<T>(list: &[T]) -> impl Iterator<Item = &T> {
    list.iter().step_by(list.len() / TRAIL + 1)
}

/// The file's picture.
fn drawn(analysis: &Analysis, now: &Drawing) -> Scene {
    let drawings = &analysis.drawings;
    let trail = thinned(drawings).filter_map(|drawing| drawing.points.first().copied());
    Scene {
        trail: trail.collect(),
        bounds: bounds(drawings),
        ..still(now)
    }
}

/// The file's picture where the probe is.
fn at_the_probe(state: &State, analysis: &Analysis) -> Option<Scene> {
    let model = analysis.model();
    model.system.picture.as_ref()?;
    let place = std::slice::from_ref(&state.position);
    let drawing = model.drawn_at(state.playhead.t, place).pop()?;
    let mut scene = still(&drawing);
    // the scale is that of the motion as long as the probe stays where that went
    let mut all = vec![drawing];
    all.extend(thinned(&analysis.drawings).cloned());
    scene.bounds = bounds(&all);
    Some(scene)
}

/// A picture that stands still.
pub(super) fn still(drawing: &Drawing) -> Scene {
    let body = |at: &[f64; 2]| ScenePoint {
        at: *at,
        kind: PointKind::Body,
    };
    let line = |(points, role): (&Vec<[f64; 2]>, u8)| Polyline {
        points: points.clone(),
        role,
    };
    Scene {
        points: drawing.points.iter().map(body).collect(),
        polylines: drawing.lines.iter().zip(0_u8..).map(line).collect(),
        ..Scene::default()
    }
}

/// The corners of all pictures, of the bodies where there are any: the scale must not move, and a line
/// may run far beyond them.
pub(super) fn bounds(drawings: &[Drawing]) -> Option<([f64; 2], [f64; 2])> {
    let points = thinned(drawings).flat_map(|drawing| &drawing.points);
    let first = drawings.first()?.lines.iter().flatten();
    let mut corners: Option<([f64; 2], [f64; 2])> = None;
    for at in points
        .chain(first)
        .filter(|at| at[0].is_finite() && at[1].is_finite())
    {
        let (low, high) = corners.get_or_insert((*at, *at));
        for k in 0..2 {
            low[k] = low[k].min(at[k]);
            high[k] = high[k].max(at[k]);
        }
    }
    corners
}

/// The first two coordinates as those of a point.
fn coordinates(state: &State, analysis: &Analysis) -> Option<Scene> {
    let plane = |x: &[f64]| Some([*x.first()?, x.get(1).copied().unwrap_or(0.0)]);
    let samples = thinned(&analysis.motion.samples);
    let flags = analysis.motion.flags.iter();
    let mut points: Vec<ScenePoint> = flags
        .filter_map(|flag| plane(&flag.x))
        .map(|at| ScenePoint {
            at,
            kind: PointKind::Failure,
        })
        .collect();
    points.push(ScenePoint {
        at: plane(&state.position)?,
        kind: PointKind::Body,
    });
    Some(Scene {
        points,
        trail: samples.filter_map(|sample| plane(&sample.x)).collect(),
        ..Scene::default()
    })
}
