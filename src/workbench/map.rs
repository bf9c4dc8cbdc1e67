//! The map of the constraint set: two coordinates, what of them is seen, the picture that the worker drew, and
//! a probe that walks on the set.
//!
//! A picture is asked for when what is seen is no longer that of the last one, one at a time: while a parameter
//! or the time changes faster than maps are made, those between are never begun.

use std::rc::Rc;

use super::action::Action;
use super::dialog::{Asked, Prompt};
use super::inquiry::Inquiry;
use super::layout::Pane;
use super::plots::Lens;
use super::state::{Effect, State};
use super::view;
use super::worker::Question;
use crate::analysis::{Analysis, MapAnswer, Model, Part, Slice, Walker};
use crate::expr::ParseError;
use crate::plot::{Figure, Step};
use crate::report::{Components, MapStyle, linked, map_figure};
use crate::theorem::{Tile, Turn};

/// Instructions that a picture may cost.
const EFFORT: usize = 8_000_000;
/// At most this many steps of the picture along and up are told apart.
const FINEST: (usize, usize) = (240, 120);
/// A step of the probe in parts of the region.
const STEP: f64 = 0.01;
/// Steps of a leap.
const LEAP: i32 = 10;

/// The map.
#[derive(Clone, Default)]
pub struct Map {
    /// Whether it is shown, in the place of the plot.
    pub shown: bool,
    /// The pane that had the keys before.
    pub from: Pane,
    /// The coordinates along and up, where they were chosen.
    pub plane: Option<(usize, usize)>,
    /// Whether it has level lines, and of which expression: of the potential or the objective where it is empty.
    pub levels: Option<String>,
    /// What of it is seen.
    pub lens: Lens,
    /// What was drawn last, and what is being drawn.
    pub drawn: Inquiry<Wanted, Rc<DrawnMap>>,
    /// The point that walks on the set.
    pub probe: Option<Walker>,
    /// The time of the motion to go back to from it, where that is another than its own.
    pub back_to: Option<f64>,
}

/// Which map is wanted.
#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    /// The text.
    pub generation: u64,
    /// Where.
    pub part: Part,
    /// The dependent coordinates.
    pub dependent: Vec<usize>,
    /// The coordinates along and up.
    pub plane: (usize, usize),
    /// Steps of the picture along and up.
    pub resolution: (usize, usize),
    /// A set of more than one dimension: the values at which this coordinate is held, a curve each.
    pub slices: Option<(usize, Vec<f64>)>,
    /// With level lines of an expression, near this place.
    pub levels: Option<(String, Vec<f64>)>,
}

impl Wanted {
    /// The map.
    pub fn map(&self, model: &Model) -> MapAnswer {
        let levels = self.levels.as_ref().and_then(|(text, x)| {
            let e = model.read_level(text).ok()?;
            Some(model.levels(&self.part, self.plane, (e, x)))
        });
        let part = levels
            .as_ref()
            .map_or(&self.part, |levels| &levels.part)
            .clone();
        let map =
            |part, effort| model.map(part, &self.dependent, self.plane, self.resolution, effort);
        // where the lines hold the other coordinates, the set is a curve as it is
        let held = levels.as_ref().is_some_and(|l| l.slice == Slice::Held);
        let Some((k, values)) = self.slices.as_ref().filter(|_| !held) else {
            return MapAnswer {
                levels,
                ..map(part, EFFORT)
            };
        };
        let slices = values.iter().map(|&value| {
            let mut part = part.clone();
            part.region[*k] = (value, value);
            map(part, EFFORT / values.len())
        });
        let together = slices.reduce(|mut all, slice| {
            all.paving.tiles.extend(slice.paving.tiles);
            all.paving.complete &= slice.paving.complete;
            all
        });
        match together {
            Some(all) => MapAnswer {
                part,
                levels,
                ..all
            },
            None => map(part, EFFORT),
        }
    }
}

/// A map as it came from the worker.
pub struct DrawnMap {
    /// What was found.
    pub answer: MapAnswer,
    /// What of it does not move.
    pub figure: Figure,
    /// The branches.
    pub pieces: Components,
}

impl DrawnMap {
    fn new(analysis: &Analysis, wanted: &Wanted, answer: MapAnswer) -> Self {
        let model = analysis.model();
        let look = MapStyle {
            resolution: wanted.resolution,
            in_pieces: false,
        };
        // the start is no matter of this map: the motion has its own mark
        let mut figure = map_figure(model, &answer, look, &[]);
        // the border of the pane has room for few words
        let chosen = format!("det J[{}]", model.names(&answer.dependent).join(", "));
        for series in &mut figure.series {
            series.label = series.label.replace(&chosen, "det");
        }
        let roots = answer.singular.iter().flat_map(|roots| &roots.proven);
        for (place, root) in figure.places.iter_mut().zip(roots) {
            let x: Vec<f64> = root.iter().map(|side| side.middle()).collect();
            let turn = model.turn((answer.part.t, &x), &answer.dependent);
            let label = match turn {
                Some(Turn::Fold) => "fold",
                Some(Turn::InfiniteSlope) => "infinite slope",
                None => "det = 0",
            };
            place.label = Some(label.to_owned());
        }
        let pieces = Components::new(&answer, wanted.resolution);
        Self {
            answer,
            figure,
            pieces,
        }
    }
}

/// The coordinates along and up.
pub fn plane(state: &State) -> Option<(usize, usize)> {
    let analysis = state.analysis.as_ref()?;
    let n = analysis.coordinates().len();
    let chosen = state.map.plane.filter(|(x, y)| x != y && *x < n && *y < n);
    chosen.or_else(|| analysis.model().plane(&analysis.dependent, (None, None)))
}

/// All of the set that is looked at, without the lens.
pub fn whole(state: &State) -> Option<Vec<(f64, f64)>> {
    let analysis = state.analysis.as_ref()?;
    analysis.model().region_of(&analysis.motion)
}

/// The map that the state calls for.
fn wanted(state: &State) -> Option<Wanted> {
    let analysis = state.analysis.as_ref().filter(|_| state.map.shown)?;
    let plane = plane(state)?;
    let mut region = whole(state)?;
    let inner = state.layout().inner(Pane::Plot)?;
    let dots = state.theme.charset.dots();
    let (x, y) = view::map::seen(state)?;
    (region[plane.0], region[plane.1]) = (x, y);
    let parts = |cells: u16, dots: u16, most: usize| {
        (usize::from(cells) * usize::from(dots)).clamp(1, most)
    };
    let moves = analysis.model().rheonomic();
    let start = analysis.motion.samples.first()?;
    let slices = sliced(analysis, plane, &mut region, &start.x);
    Some(Wanted {
        generation: state.settled()?.generation,
        part: Part::new(region, if moves { state.playhead.t } else { start.t }),
        dependent: analysis.dependent.clone(),
        plane,
        resolution: (
            parts(inner.width, dots.0, FINEST.0),
            parts(inner.height, dots.1, FINEST.1),
        ),
        slices,
        levels: state.map.levels.clone().zip(Some(start.x.clone())),
    })
}

/// At most so many slices.
const SLICES: f64 = 8.0;

/// Of a set of more dimensions than a curve has: the coordinate beside the plane that is held, and at which values;
/// the others that would make it a surface still are held as they are at the start.
fn sliced(
    analysis: &Analysis,
    plane: (usize, usize),
    region: &mut [(f64, f64)],
    start: &[f64],
) -> Option<(usize, Vec<f64>)> {
    let free = region.len().checked_sub(analysis.constraints().len())?;
    let mut others = (0..region.len()).filter(|k| *k != plane.0 && *k != plane.1);
    let first = others.next().filter(|_| free > 1 && free < region.len())?;
    for k in others.take(free - 2) {
        region[k] = (start[k], start[k]);
    }
    let (lo, hi) = region[first];
    let step = Step::at_least((hi - lo) / SLICES);
    let count = |at: f64| (at / step.value()) as i64;
    // not the ends, where a closed surface has but a point
    let values = count(lo).saturating_sub(1)..=count(hi).saturating_add(1);
    let values = values
        .map(|k| step.multiple(k))
        .filter(|v| lo < *v && *v < hi);
    Some((first, values.collect()))
}

/// Asks for the map that is wanted, where it is not there and none is being drawn; takes it back where nobody looks
/// any more.
pub fn ask(state: &mut State) -> Option<Effect> {
    if !state.map.shown {
        return state.map.drawn.leave(Question::Map);
    }
    if state.map.drawn.asking.is_some() {
        return None;
    }
    let wanted = state.map.drawn.begin(wanted(state)?)?;
    let about = state.settled()?.clone();
    Some(Effect::Ask(about, Question::Map(wanted)))
}

/// The worker has drawn it.
pub fn drawn(state: &mut State, wanted: Wanted, answer: Option<Box<MapAnswer>>) {
    state.map.drawn.asking = None;
    let current = wanted.generation == state.generation;
    let Some(analysis) = state.analysis.as_ref().filter(|_| current) else {
        return;
    };
    if let Some(answer) = answer {
        let drawn = DrawnMap::new(analysis, &wanted, *answer);
        state.map.drawn.found = Some((wanted, Rc::new(drawn)));
    } else {
        state.map.shown = false;
        state.complain("the map of this system broke off");
    }
    state.changed = true;
}

/// Another text is shown: what is not of it goes.
pub fn settle(state: &mut State, fresh: bool) {
    state.map.drawn.asking = None;
    let Some(analysis) = state.analysis.clone() else {
        return;
    };
    if fresh {
        state.map = Map::default();
        return;
    }
    let n = analysis.coordinates().len();
    let fits = |(_, drawn): &(Wanted, Rc<DrawnMap>)| {
        drawn.answer.part.region.len() == n && drawn.answer.dependent == analysis.dependent
    };
    state.map.drawn.found = state.map.drawn.found.take().filter(fits);
    state.map.shown &= n > 1;
    // the set has moved, and the probe with it
    if let Some(probe) = state.map.probe.take()
        && probe.x.len() == n
    {
        let units = units(state);
        let model = analysis.model();
        let back = model.back_to_constraints(probe.t, &units, probe.x.clone());
        state.map.probe = back.map(|x| Walker { x, ..probe });
    }
}

/// Shows the map or the plots.
pub fn toggle(state: &mut State) {
    if state.map.shown {
        state.focus = Pane::Plot;
        close(state);
    } else if state.analysis.is_none() || whole(state).is_none() {
        state.note("there is no motion to draw a map around");
    } else if plane(state).is_none() {
        state.note("one coordinate has no plane to draw");
    } else {
        state.map.from = state.focus;
        state.focus = Pane::Plot;
        state.map.shown = true;
    }
}

/// Shows the map with level lines of an expression.
pub fn draw_levels(state: &mut State, text: &str) -> Result<(), ParseError> {
    if let Some(analysis) = &state.analysis {
        analysis.model().read_level(text)?;
    }
    if !state.map.shown {
        toggle(state);
    }
    state.map.levels = Some(text.to_owned());
    Ok(())
}

/// Back to the plots.
pub fn close(state: &mut State) {
    state.map.shown = false;
    leave_probe(state);
}

/// Back to the plots, and to the pane from which the map was called.
fn back(state: &mut State) {
    close(state);
    state.focus = state.map.from;
}

/// Another coordinate along, or up.
pub fn cycle(state: &mut State, across: bool, after: bool) {
    let Some((along, up)) = plane(state) else {
        return;
    };
    let n = state.analysis.as_ref().map_or(0, |a| a.coordinates().len());
    let (now, other) = if across { (along, up) } else { (up, along) };
    let by = if after { 1 } else { n - 1 };
    let mut next = (now + by) % n;
    let mut kept = other;
    if next == other {
        if n > 2 {
            next = (next + by) % n;
        } else {
            // of two they change places
            kept = now;
        }
    }
    state.map.plane = Some(if across { (next, kept) } else { (kept, next) });
    state.map.lens.fit();
}

/// What the keys do to it and its probe; false where they do something else.
pub fn act(state: &mut State, action: Action) -> bool {
    match action {
        Action::Map => toggle(state),
        Action::Levels => {
            let text = state.map.levels.clone().unwrap_or_default();
            Prompt::open(state, Asked::Levels, text);
        }
        Action::Probe => probe(state),
        Action::EndProbe => leave_probe(state),
        Action::ProbeOn => walk(state, false, 1),
        Action::ProbeBack => walk(state, false, -1),
        Action::ProbeUp => walk(state, true, 1),
        Action::ProbeDown => walk(state, true, -1),
        Action::ProbeFarOn => walk(state, false, LEAP),
        Action::ProbeFarBack => walk(state, false, -LEAP),
        _ if !state.map.shown => return false,
        Action::NextPlot => close(state),
        Action::Close if state.focus == Pane::Plot => back(state),
        Action::NextY | Action::PreviousY => cycle(state, false, action == Action::NextY),
        Action::NextX | Action::PreviousX => cycle(state, true, action == Action::NextX),
        Action::LogAxes => state.note("logarithmic axes do not apply to a map"),
        Action::Drift => {
            let levels = &mut state.map.levels;
            *levels = levels.is_none().then(String::new);
            let words = match levels {
                Some(_) => {
                    "level lines of the potential, or of the objective (K: of an expression)"
                }
                None => "no level lines",
            };
            state.note(words);
        }
        Action::Aspect => {
            let now = view::map::aspect(state);
            let words = state.map.lens.turn_aspect(now);
            state.note(words);
        }
        Action::CopyRow => {
            state.note("copied the position");
            state
                .effects
                .push(Effect::Copy(linked("\t", &state.position)));
        }
        _ => return false,
    }
    true
}

/// The lengths that a step of the probe is a part of.
fn units(state: &State) -> Vec<f64> {
    let mut region = whole(state).unwrap_or_default();
    if let Some((plane, (x, y))) = plane(state).zip(view::map::seen(state))
        && state.map.shown
        && plane.0.max(plane.1) < region.len()
    {
        // looked at closely the steps are small
        (region[plane.0], region[plane.1]) = (x, y);
    }
    region.iter().map(|(lo, hi)| hi - lo).collect()
}

/// A probe where the motion is, or on the set next to it.
pub fn probe(state: &mut State) {
    let known = state.position.len();
    let has_set = |a: &Rc<Analysis>| known == a.coordinates().len() && !a.constraints().is_empty();
    let Some(analysis) = state.analysis.clone().filter(has_set) else {
        return state.note("there is no constraint set to move along");
    };
    if !state.map.shown {
        toggle(state);
    }
    let Some((along, _)) = plane(state) else {
        return;
    };
    state.playhead.playing = false;
    state.playhead.rest_on_sample(&analysis.motion);
    state.look_again();
    let mut here = state.position.clone();
    if state.released().next().is_some()
        && let Some(on_set) =
            analysis
                .model()
                .back_to_constraints(state.playhead.t, &units(state), here.clone())
    {
        // the motion has left the set: the probe is next to it
        here = on_set;
    }
    state.map.probe = Some(Walker::new(state.playhead.t, &here, along));
    // where constraints are released the theorem was not looked at
    state.look_again();
    state.map.back_to = None;
    state.focus = Pane::Plot;
}

/// Carries the probe to the point of the set next to a place of the map.
pub fn carry(state: &mut State, [x, y]: [f64; 2]) {
    let (Some(analysis), Some((along, up))) = (state.analysis.clone(), plane(state)) else {
        return;
    };
    let units = units(state);
    let fits = |probe: &mut Walker| probe.x.len() == units.len();
    let Some(probe) = state.map.probe.take_if(fits) else {
        return;
    };
    let mut wanted = probe.x.clone();
    (wanted[along], wanted[up]) = (x, y);
    // next to it in the plane; the other coordinates, where they leave a choice, next to those of the probe
    let inside = |tile: &Tile| {
        let sides = tile.sides.iter().zip(&wanted);
        sides
            .map(|(side, v)| v.clamp(side.lo, side.hi))
            .collect::<Vec<f64>>()
    };
    let far = |at: &Vec<f64>| {
        let off = |k: usize| ((at[k] - wanted[k]) / units[k]).powi(2);
        let others = (0..at.len()).filter(|k| *k != along && *k != up);
        (off(along) + off(up), others.map(off).sum::<f64>())
    };
    let drawn = state.map.drawn.found.as_ref();
    let drawn = drawn.filter(|(of, _)| of.plane == (along, up));
    let tiles = drawn
        .iter()
        .flat_map(|(_, drawn)| &drawn.answer.paving.tiles);
    let order = |a: &Vec<f64>, b: &Vec<f64>| {
        let (a, b) = (far(a), far(b));
        a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
    };
    let mut near = tiles
        .map(inside)
        .min_by(order)
        .unwrap_or_else(|| wanted.clone());
    if analysis.coordinates().len() > analysis.constraints().len() + 1 {
        // a surface is there between its slices too
        (near[along], near[up]) = (x, y);
    }
    let model = analysis.model();
    let found = model.back_to_constraints(probe.t, &units, near);
    if found.is_none() {
        state.note("there is no point of the set here");
    }
    state.map.probe = Some(match found {
        Some(x) => Walker::new(probe.t, &x, along),
        None => probe,
    });
    state.look_again();
}

/// Back to the motion.
pub fn leave_probe(state: &mut State) {
    if state.map.probe.take().is_some() {
        if let Some(t) = state.map.back_to.take() {
            state.playhead.t = t;
        }
        state.look_again();
        state.changed = true;
    }
}

/// Moves the probe by some steps, on or back, or `up` and down on a surface; it stops where the theorem fails, and
/// where it cannot go on.
fn walk(state: &mut State, up: bool, steps: i32) {
    let (Some(analysis), Some(plane)) = (state.analysis.clone(), plane(state)) else {
        return;
    };
    let units = units(state);
    let (n, m) = (analysis.coordinates().len(), analysis.constraints().len());
    let free = n.saturating_sub(m);
    if free < 2 && up {
        return state.note("on a curve there is only on and back");
    }
    let aim = if up { plane.1 } else { plane.0 };
    let length = STEP * f64::from(steps.signum());
    for _ in 0..steps.abs() {
        let Some(before) = state.map.probe.take() else {
            return;
        };
        let model = analysis.model();
        let Some(after) = model.walk(&before, &units, (length, Some(aim))) else {
            state.map.probe = Some(before);
            state.note("the set does not continue here");
            break;
        };
        let failure = passed(state, &before, &after, &units);
        let stop = failure.is_some();
        state.map.probe = Some(match failure {
            Some(x) => Walker { x, ..after },
            None => after,
        });
        if stop {
            break;
        }
    }
    state.look_again();
}

/// The proven failure between two places of the probe, if it goes past one.
fn passed(state: &State, before: &Walker, after: &Walker, units: &[f64]) -> Option<Vec<f64>> {
    let (_, drawn) = state.map.drawn.found.as_ref()?;
    let roots = drawn.answer.singular.as_ref()?;
    let far = |a: &[f64], b: &[f64]| {
        let parts = a
            .iter()
            .zip(b)
            .zip(units)
            .map(|((a, b), unit)| (a - b) / unit);
        parts.map(|d| d * d).sum::<f64>().sqrt()
    };
    let whole = far(&before.x, &after.x);
    let places = roots.proven.iter().map(|root| {
        root.iter()
            .take(units.len())
            .map(|side| side.middle())
            .collect::<Vec<f64>>()
    });
    let near = 1e-9;
    places.into_iter().find(|x| {
        let (gone, left) = (far(&before.x, x), far(x, &after.x));
        // from a failure it goes on
        gone > near && gone <= 1.05 * whole && left <= 1.05 * whole && gone + left <= 1.2 * whole
    })
}
