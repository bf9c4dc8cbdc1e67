//! A parameter over a range: equilibria along it with their stability, or what becomes of the motions. The worker fills it
//! in; a point of it is chosen, and sets the parameter.

use std::rc::Rc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::action::Action;
use super::dialog::{Asked, Dialog, Prompt, RangeView};
use super::export::{self, in_memory};
use super::inquiry::Inquiry;
use super::parameters::{Quantity, Slider, read, written};
use super::state::{Effect, MEND_FIRST, State, Subject};
use super::text::trimmed;
use super::worker::{Question, Request};
use crate::analysis::{
    self, Axis, ColumnReduction, Followed, Model, Over, Plan, Range, Sweep, SweepRow, Waiting,
    Where, extremes,
};
use crate::commands::{CommandError, value};
use crate::plot::{Figure, Look};
use crate::report::{
    continuation_figures, continuation_json, continuation_notes, continuation_table, count, linked,
    sweep_columns, sweep_figures, sweep_reason, unfollowed_words, unreduced_words, usual_column,
    write_csv, write_csv_header, write_json, write_sweep_csv, write_sweep_json,
};
use crate::statics::Continuation;
use crate::system::{Changes, System, nearest_or_all, quote};

/// Runs over a range: one more than a power of two, as they halve what is between those before.
const RUNS: u32 = 129;
/// What there is so far is told this often.
const PATIENCE: Duration = Duration::from_millis(100);
/// A range begins with this part of the value that the text has.
const FROM: f64 = 0.1;
/// A key goes on by this part of the range; points closer than that stand above each other.
const STEP: f64 = 0.01;
/// What can be typed.
const FORM: &str =
    "NAME=FROM:TO, behind it equilibria, failures, or a number of each motion such as period(x)";
/// Reductions that a key leads to.
const REDUCTIONS: [&str; 5] = ["period", "max", "min", "mean", "end"];

/// What is looked at along a range.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum What {
    /// Equilibria and their stability.
    #[default]
    Equilibria,
    /// The times at which the theorem fails on the way.
    Failures,
    /// A column of each motion, reduced to a number.
    Reduction(String),
}

impl What {
    /// In words.
    pub fn words(&self) -> &str {
        match self {
            Self::Equilibria => "equilibria",
            Self::Failures => "failures",
            Self::Reduction(text) => text,
        }
    }
}

/// What is wanted: it tells whether an answer is still one.
#[derive(Clone, Debug, PartialEq)]
pub struct WantedRange {
    /// The text, without a value of the parameter.
    about: Request,
    /// The parameter,
    name: String,
    /// its ends,
    ends: (f64, f64),
    /// and what is looked at.
    what: What,
}

/// What was found, or what there is of it.
#[derive(Clone, Debug)]
pub struct RangeAnswer {
    /// Of each thing that can be drawn over the parameter one.
    pub figures: Vec<Figure>,
    /// The one to begin with.
    usual: usize,
    /// What is said of it.
    pub said: String,
    /// Its rows, as `continue` and `sweep` write them.
    pub rows: Option<Rows>,
    /// Is there more to come?
    pub underway: bool,
}

/// Rows for a file.
#[derive(Clone, Debug)]
pub struct Rows {
    /// As CSV.
    pub csv: String,
    /// As JSON.
    pub json: String,
}

impl RangeAnswer {
    /// There is none, and why.
    pub fn none(why: String) -> Self {
        Self {
            figures: Vec::new(),
            usual: 0,
            said: why,
            rows: None,
            underway: false,
        }
    }
}

/// What is chosen and what has come of it.
#[derive(Clone, Default)]
pub struct Ranges {
    /// The parameter,
    pub name: String,
    /// its ends,
    pub ends: (f64, f64),
    /// and what is looked at.
    pub what: What,
    /// The coordinates.
    names: Vec<String>,
    /// Which coordinate is drawn or reduced, where one was chosen.
    column: Option<usize>,
    /// What there is of it, and of what.
    answer: Inquiry<WantedRange, Rc<RangeAnswer>>,
    /// Was what the worker was asked called off?
    off: bool,
    /// The point chosen.
    at: Option<[f64; 2]>,
}

impl WantedRange {
    /// What is found; what there is of it is told on the way.
    pub fn answer(
        &self,
        model: &Model,
        cancel: &AtomicBool,
        tell: &mut dyn FnMut(RangeAnswer),
    ) -> RangeAnswer {
        let found = match &self.what {
            What::Equilibria => self.equilibria(model, tell),
            What::Failures => self.runs(model, None, (cancel, tell)),
            What::Reduction(text) => self.runs(model, Some(text), (cancel, tell)),
        };
        found.unwrap_or_else(RangeAnswer::none)
    }

    /// The model with the parameter as a symbol everywhere.
    fn varied(&self) -> Option<Model> {
        let Request {
            text,
            file,
            changes,
            ..
        } = &self.about;
        let changes = Changes {
            varies: Some(self.name.clone()),
            ..changes.clone()
        };
        System::changed(text, file, &changes).ok().map(Model::new)
    }

    fn equilibria(
        &self,
        model: &Model,
        tell: &mut dyn FnMut(RangeAnswer),
    ) -> Result<RangeAnswer, String> {
        let mut parameters = model.system.parameters.iter();
        let parameter = parameters.position(|p| p.name == self.name);
        let parameter = parameter.ok_or("the parameter is free: it is a coordinate now")?;
        let own = &model.system.parameters[parameter];
        let varied = (model.system.is_in_exponent(own.symbol)).then(|| self.varied());
        let varied = varied.flatten();
        let model = varied.as_ref().unwrap_or(model);
        let over = Over {
            parameter,
            from: self.ends.0,
            to: self.ends.1,
            extent: Followed::Followed,
        };
        let drawn = |found: &Continuation, underway: bool| {
            let columns = model.coordinate_names().len() + model.constraint_names().len();
            let columns: Vec<usize> = (1..=columns).collect();
            let places = found
                .nodes
                .iter()
                .filter(|node| node.place.is_bifurcation());
            let branches = count(found.pieces.len(), "branch");
            let places = count(places.count(), "bifurcation");
            let all = format!("{branches} of equilibria, {places}");
            // what there is so far is not all
            let notes = continuation_notes(found).into_iter().filter(|_| !underway);
            let is_empty = found.pieces.is_empty() && !underway;
            RangeAnswer {
                figures: if is_empty {
                    Vec::new()
                } else {
                    continuation_figures(model, found, &columns)
                },
                usual: usual_column(model, found) - 1,
                said: linked("; ", [all].into_iter().chain(notes)),
                rows: (!underway).then(|| Rows {
                    csv: in_memory(|out| write_csv(out, &continuation_table(model, found))),
                    json: in_memory(|out| write_json(out, &continuation_json(model, found))),
                }),
                underway,
            }
        };
        let mut last = Instant::now();
        let found = model.continuation(&Where::default(), over, &mut |found| {
            if last.elapsed() >= PATIENCE {
                tell(drawn(found, true));
                last = Instant::now();
            }
        });
        let found = found.map_err(|why| unfollowed_words(why).to_owned())?;
        Ok(drawn(&found, false))
    }

    fn runs(
        &self,
        model: &Model,
        reduction: Option<&String>,
        (cancel, tell): (&AtomicBool, &mut dyn FnMut(RangeAnswer)),
    ) -> Result<RangeAnswer, String> {
        let read = |text: &String| ColumnReduction::read(model, text);
        let why = reduction.map(read).transpose();
        let why = why.map_err(|error| error.to_string())?;
        let why = why.map_or("", |read| unreduced_words(read.unreduced()));
        let axis = Axis {
            name: self.name.clone(),
            is_parameter: true,
            values: coarse_first(self.ends),
        };
        let sweep = Sweep {
            text: self.about.text.clone(),
            file: self.about.file.clone(),
            changes: self.about.changes.clone(),
            plan: Plan::grid(vec![axis]).map_err(|error| error.to_string())?,
            request: analysis::Request::default(),
            event: None,
            waiting: Waiting::default(),
            report: reduction.into_iter().cloned().collect(),
        };
        let mut rows: Vec<SweepRow> = Vec::new();
        let drawn = |rows: &[SweepRow]| {
            let mut rising: Vec<&SweepRow> = rows.iter().collect();
            rising.sort_by(|a, b| a.place[0].total_cmp(&b.place[0]));
            let unfinished: Vec<&&SweepRow> = rising
                .iter()
                .filter(|row| row.outcome.code() != 0)
                .collect();
            let mut said = format!("{} of {RUNS} runs", rows.len());
            if let Some(first) = unfinished.first() {
                said = format!(
                    "{said}; {} did not finish, such as at {} = {}: {}",
                    count(unfinished.len(), "motion"),
                    self.name,
                    trimmed(first.place[0]),
                    sweep_reason(&first.outcome)
                );
            }
            let mut figure = sweep_figures(&sweep, &rising).swap_remove(sweep.report.len().min(1));
            figure.x.range = Some(self.ends);
            let is_empty = points(&figure).next().is_none();
            if is_empty {
                said = match reduction {
                    None => format!("{said}; the theorem fails in none of these motions"),
                    Some(text) => format!("{said}; {text} has no value in these motions: {why}"),
                };
            }
            let csv = in_memory(|out| {
                write_csv_header(out, &sweep_columns(&sweep))?;
                rising.iter().try_for_each(|row| write_sweep_csv(out, row))
            });
            let object = |row: &&SweepRow| in_memory(|out| write_sweep_json(out, &sweep, row));
            let objects = rising.iter().map(object);
            let objects = objects.map(|row| row.trim_end().to_owned());
            let json = format!("[{}]\n", linked(",\n", objects));
            RangeAnswer {
                figures: if is_empty { Vec::new() } else { vec![figure] },
                usual: 0,
                said,
                rows: Some(Rows { csv, json }),
                underway: rows.len() < RUNS as usize,
            }
        };
        let mut last = Instant::now();
        for number in 0..u64::from(RUNS) {
            let row = sweep.run(number, cancel);
            if row.outcome.is_cancelled() {
                break;
            }
            rows.push(row);
            if last.elapsed() >= PATIENCE {
                tell(drawn(&rows));
                last = Instant::now();
            }
        }
        Ok(drawn(&rows))
    }
}

/// Values over a range: both ends, then what halves the gaps, again and again.
fn coarse_first((from, to): (f64, f64)) -> Vec<f64> {
    let last = RUNS - 1;
    let gaps = (1..=last.ilog2()).map(|k| last >> k);
    let inner = gaps.flat_map(|gap| (gap..last).step_by(2 * gap as usize));
    let part = |k: u32| f64::from(k) / f64::from(last);
    [0, last]
        .into_iter()
        .chain(inner)
        .map(|k| from * (1.0 - part(k)) + to * part(k))
        .collect()
}

/// The range of a slider, but for zero: without its mass, its length or its stiffness a system is mostly none.
fn ends(slider: &Slider) -> (f64, f64) {
    let (base, reach) = (slider.base, slider.reach());
    if base > 0.0 {
        (FROM * base, base + reach)
    } else if base < 0.0 {
        (base - reach, FROM * base)
    } else {
        (-reach, reach)
    }
}

fn sliders(state: &State) -> Vec<Slider> {
    let list = read(state, &state.editor.text(), &[]).unwrap_or_default();
    let own = |slider: &Slider| {
        slider.quantity == Quantity::Parameter && !state.changes.free.contains(&slider.name)
    };
    list.into_iter().filter(own).collect()
}

/// The first parameter that the constraints depend on: with it places change, with a mass alone they seldom do.
fn shaping(system: &System) -> Option<&str> {
    let pool = &system.pool;
    let parts = || system.constraints.iter().flat_map(|c| [c.f, c.c]);
    let mut parameters = system.parameters.iter();
    let first = parameters.find(|p| parts().any(|e| pool.symbols_of(e).contains(&p.symbol)));
    first.map(|p| p.name.as_str())
}

/// Opens the view, for a parameter, the one looked at before, or one that changes places.
pub fn open(state: &mut State, name: Option<&str>) {
    let list = sliders(state);
    let named = |name: &str| list.iter().find(|slider| slider.name == name);
    let system = System::parse(&state.editor.text(), &state.document.name(), &[]);
    let shaping = system.as_ref().ok().and_then(shaping);
    let chosen = name.and_then(named).or_else(|| named(&state.ranges.name));
    let chosen = chosen.or_else(|| shaping.and_then(named));
    let Some(slider) = chosen.or(list.first()) else {
        return state.note_of_nothing("there is no parameter to vary");
    };
    let names = system.as_ref();
    let names = names.map(|s| s.coordinates.iter().map(|c| c.name.clone()).collect());
    let ranges = &mut state.ranges;
    ranges.names = names.unwrap_or_default();
    if ranges.name != slider.name {
        ranges.name.clone_from(&slider.name);
        ranges.ends = ends(slider);
    }
    anew(state);
    state.dialog = Some(Dialog::Range(RangeView));
}

/// Something else is wanted.
fn anew(state: &mut State) {
    state.ranges.off = false;
    state.ranges.at = None;
}

impl Ranges {
    /// What is wanted of a text.
    pub fn wanted_of(&self, request: &Request) -> WantedRange {
        let mut about = request.clone();
        // another value of the parameter changes nothing
        about.changes.set.retain(|(name, _)| *name != self.name);
        about.generation = 0;
        WantedRange {
            about,
            name: self.name.clone(),
            ends: self.ends,
            what: self.what.clone(),
        }
    }
}

/// What is wanted; none while the text is not understood.
fn wanted(state: &State) -> Option<WantedRange> {
    Some(state.ranges.wanted_of(state.described()?))
}

/// Asks for what is looked at and not there; takes back what nobody looks at any more.
pub fn ask(state: &mut State) -> Option<Effect> {
    if !matches!(state.dialog, Some(Dialog::Range(_))) {
        return state.ranges.answer.leave(Question::Range);
    }
    let wanted = wanted(state)?;
    let Ranges { answer, off, .. } = &mut state.ranges;
    // a part that nobody waited for is begun anew
    if answer.of(&wanted).is_some_and(|answer| !answer.underway) {
        // another range may have been asked for on the way
        return answer.leave(Question::Range);
    }
    if *off || answer.asking.as_ref() == Some(&wanted) {
        return None;
    }
    answer.asking = Some(wanted.clone());
    Some(Effect::Ask(wanted.about.clone(), Question::Range(wanted)))
}

/// The worker has found something; what is not wanted any more is dropped.
pub fn found(state: &mut State, wanted: WantedRange, answer: Box<RangeAnswer>) {
    let inquiry = &mut state.ranges.answer;
    if inquiry.asking.as_ref() != Some(&wanted) {
        return;
    }
    if !answer.underway {
        inquiry.answered(&wanted);
    }
    inquiry.found = Some((wanted, Rc::from(answer)));
    state.changed = true;
}

/// What there is of what is wanted.
pub fn known(state: &State) -> Option<&Rc<RangeAnswer>> {
    let wanted = wanted(state)?;
    state.ranges.answer.of(&wanted)
}

/// Said while the work goes on.
pub const WORKING: &str = "working … ";

/// Said where it was called off.
pub const CANCELLED: &str = "cancelled after ";

/// What is said of the work: that it goes on, or was called off.
pub fn working(state: &State) -> Option<&'static str> {
    let Ranges { answer, off, .. } = &state.ranges;
    if *off {
        return Some(CANCELLED);
    }
    // it is asked for once the text is analysed
    (state.pending || answer.asking.is_some()).then_some(WORKING)
}

/// Another text is analysed: the worker drops what it was asked.
pub fn dropped(state: &mut State) {
    state.ranges.answer.asking = None;
}

/// What is drawn.
pub fn figure(state: &State) -> Option<&Figure> {
    let answer = known(state)?;
    let column = state.ranges.column.unwrap_or(answer.usual);
    answer.figures.get(column % answer.figures.len().max(1))
}

/// The points, and what each is.
fn points(figure: &Figure) -> impl Iterator<Item = ([f64; 2], &str)> {
    let of = figure.series.iter();
    let all = of.flat_map(|series| series.points.iter().map(|at| (*at, series.label.as_str())));
    all.filter(|(at, _)| at.iter().all(|v| v.is_finite()))
}

/// The value that the parameter has.
fn value_now(state: &State) -> Option<f64> {
    let model = state.analysis.as_ref()?.model();
    let mut parameters = model.system.parameters.iter();
    let own = parameters.find(|p| p.name == state.ranges.name);
    own.map(|p| p.value)
}

/// The point chosen, to begin with one at the value that the parameter has, and what it is.
pub fn chosen(state: &State) -> Option<([f64; 2], &str)> {
    let figure = figure(state)?;
    let place = figure
        .places
        .iter()
        .map(|place| (place.at, place.label.as_deref().unwrap_or_default()));
    let now = value_now(state).unwrap_or(state.ranges.ends.0);
    let off = |to: [f64; 2]| match state.ranges.at {
        Some(at) => distance(state, figure, at, to).2,
        None => (to[0] - now).abs(),
    };
    let on_lines = between(figure, now).filter(|_| state.ranges.at.is_none());
    // where one is, its name is the one to tell
    let all = place.chain(points(figure)).chain(on_lines);
    all.min_by(|a, b| off(a.0).total_cmp(&off(b.0)))
}

/// Where the lines that are drawn have this value of the parameter, between two points.
fn between(figure: &Figure, p: f64) -> impl Iterator<Item = ([f64; 2], &str)> {
    let joined = figure.series.iter().filter(|s| s.look == Look::Joined);
    joined.flat_map(move |series| {
        let pairs = series.points.windows(2);
        pairs.filter_map(move |pair| {
            let (a, b) = (pair[0], pair[1]);
            let part = (p - a[0]) / (b[0] - a[0]);
            let at = [p, a[1] + part * (b[1] - a[1])];
            let lies = 0.0 < part && part < 1.0 && at[1].is_finite();
            lies.then_some((at, series.label.as_str()))
        })
    })
}

/// How far to the right and up a point is, in parts of the range and of what is drawn; and how far in all.
fn distance(state: &State, figure: &Figure, from: [f64; 2], to: [f64; 2]) -> (f64, f64, f64) {
    let (bottom, top) = extremes(points(figure).map(|(at, _)| at[1]));
    let (low, high) = state.ranges.ends;
    let across = (to[0] - from[0]) / (high - low);
    let up = match top - bottom {
        height if height > 0.0 => (to[1] - from[1]) / height,
        _ => 0.0,
    };
    (across, up, across.hypot(up))
}

/// Goes to the nearest of the points that lie in a direction.
fn go(state: &mut State, action: Action) {
    let (Some(figure), Some((from, _))) = (figure(state), chosen(state)) else {
        return;
    };
    let near = points(figure).filter_map(|(to, _)| {
        let (across, up, far) = distance(state, figure, from, to);
        let there = match action {
            Action::StepForward => across >= STEP,
            Action::StepBack => across <= -STEP,
            Action::LeapForward => across >= 10.0 * STEP,
            Action::LeapBack => across <= -10.0 * STEP,
            Action::Up => across.abs() < STEP && up > STEP,
            _ => across.abs() < STEP && up < -STEP,
        };
        there.then_some((to, far))
    });
    let near = near.min_by(|a, b| a.1.total_cmp(&b.1));
    state.ranges.at = near.map(|(to, _)| to).or(Some(from));
}

/// Goes to the next bifurcation, or to the one before; from the last to the first.
fn travel(state: &mut State, after: bool) {
    let (Some(figure), Some((from, _))) = (figure(state), chosen(state)) else {
        return;
    };
    let way = if after { 1.0 } else { -1.0 };
    let order = |a: &[f64; 2], b: &[f64; 2]| {
        let [a, b] = [a, b].map(|at| at.map(|v| way * v));
        a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1]))
    };
    let mut places: Vec<[f64; 2]> = figure.places.iter().map(|place| place.at).collect();
    places.sort_by(order);
    let next = places.iter().find(|at| order(at, &from).is_gt());
    match next.or(places.first()) {
        Some(next) => state.ranges.at = Some(*next),
        None => state.note("no bifurcation was found in this range"),
    }
}

/// Another thing to look at: equilibria, failures, reductions, and round.
fn other(state: &mut State) {
    let ranges = &mut state.ranges;
    let kind = match &ranges.what {
        What::Equilibria => {
            ranges.what = What::Failures;
            return anew(state);
        }
        What::Failures => Some(0),
        What::Reduction(text) => {
            let name = text.split('(').next().unwrap_or_default();
            let place = REDUCTIONS.iter().position(|own| *own == name.trim());
            place.map(|place| place + 1)
        }
    };
    let kind = kind.and_then(|kind| REDUCTIONS.get(kind));
    let names = &ranges.names;
    let name = names.get(ranges.column.unwrap_or(0) % names.len().max(1));
    ranges.what = match (kind, name) {
        (Some(kind), Some(name)) => What::Reduction(format!("{kind}({name})")),
        _ => What::Equilibria,
    };
    anew(state);
}

/// Another coordinate: drawn, or reduced.
fn another(state: &mut State, after: bool) {
    let count = match &state.ranges.what {
        What::Equilibria => known(state).map_or(0, |answer| answer.figures.len()),
        _ => state.ranges.names.len(),
    };
    if count == 0 {
        return;
    }
    let usual = known(state).map_or(0, |answer| answer.usual);
    let ranges = &mut state.ranges;
    let by = if after { 1 } else { count - 1 };
    let column = (ranges.column.unwrap_or(usual) % count + by) % count;
    ranges.column = Some(column);
    if let What::Reduction(text) = &mut ranges.what {
        let kind = text.split('(').next().unwrap_or_default().trim().to_owned();
        if REDUCTIONS.contains(&kind.as_str()) {
            *text = format!("{kind}({})", ranges.names[column]);
        }
    }
    anew(state);
}

/// Another parameter, with the range of its slider.
fn next_parameter(state: &mut State) {
    let list = sliders(state);
    let here = list
        .iter()
        .position(|slider| slider.name == state.ranges.name);
    let next = here.map_or(0, |here| (here + 1) % list.len());
    if let Some(slider) = list.get(next) {
        state.ranges.name.clone_from(&slider.name);
        state.ranges.ends = ends(slider);
        anew(state);
    }
}

/// Chooses the point next to a place of the picture.
pub fn choose(state: &mut State, place: [f64; 2]) {
    state.ranges.at = Some(place);
    state.ranges.at = chosen(state).map(|(at, _)| at);
}

/// Less of the range, or more, round the point chosen.
fn widen(state: &mut State, times: f64) {
    let (from, to) = state.ranges.ends;
    let middle = chosen(state).map_or(0.5 * (from + to), |(at, _)| at[0]);
    let reach = 0.5 * times * (to - from);
    look_at(state, (middle - reach, middle + reach));
}

/// Less of the range, or more; what is at a value stays in its place.
pub fn zoom(state: &mut State, times: f64, value: f64) {
    let (from, to) = state.ranges.ends;
    look_at(
        state,
        (value - times * (value - from), value + times * (to - value)),
    );
}

/// Another range, where it is one.
fn look_at(state: &mut State, ends: (f64, f64)) {
    if ends.0.is_finite() && ends.1.is_finite() && ends.0 < ends.1 {
        anew(state);
        state.ranges.ends = ends;
    }
}

/// What a key does in the view; whether it leaves it.
pub fn act(state: &mut State, action: Action) -> bool {
    match action {
        Action::NextForm => other(state),
        Action::NextY | Action::PreviousY => another(state, action == Action::NextY),
        Action::Parameters => next_parameter(state),
        Action::Closer => widen(state, 0.5),
        Action::Farther => widen(state, 2.0),
        Action::Find => {
            let ranges = &state.ranges;
            let (from, to) = ranges.ends;
            let text = format!("{}={from}:{to} {}", ranges.name, ranges.what.words());
            Prompt::open(state, Asked::Range, text);
        }
        Action::Export => export::ask(state, Subject::Range),
        Action::NextFlag | Action::PreviousFlag => travel(state, action == Action::NextFlag),
        Action::Accept => return take(state),
        _ => go(state, action),
    }
    false
}

/// Sets the parameter to the value chosen.
fn take(state: &mut State) -> bool {
    let Some(p) = chosen(state).map(|(at, _)| at[0]) else {
        return false;
    };
    let name = state.ranges.name.clone();
    if state.ranges.at.is_none() {
        state.note(format!("{name} is as it was: the arrows choose a point"));
        return true;
    }
    let value = written(p);
    state.note(format!(
        "{name} = {value}; the text keeps its own: p, Enter writes it there"
    ));
    state.set_parameter(&name, Some(value));
    state.overdue = true;
    true
}

/// Calls off what is being computed; false where nothing is.
pub fn call_off(state: &mut State) -> bool {
    let called_off = state.ranges.answer.leave(Question::Range);
    let was = called_off.is_some();
    state.ranges.off |= was;
    state.effects.extend(called_off);
    was
}

/// Takes what was typed: `w=0:6`, and what is looked at.
///
/// # Errors
///
/// What is wrong with it.
pub fn typed(state: &mut State, text: &str) -> Result<(), String> {
    let form = |text: &str| format!("`{}` is not of the form {FORM}", quote(text));
    let (name, rest) = text.split_once('=').ok_or_else(|| form(text))?;
    let (range, what) = rest.trim().split_once(' ').unwrap_or((rest, ""));
    let (name, what) = (name.trim(), what.trim());
    let known = sliders(state);
    let known = || known.iter().map(|slider| slider.name.as_str());
    if !known().any(|own| own == name) {
        let help = nearest_or_all(name, known());
        return Err(format!("`{}` is not a parameter; {help}", quote(name)));
    }
    let system = System::parse(
        &state.editor.text(),
        &state.document.name(),
        &state.changes.set,
    );
    let system = system.map_err(|_| MEND_FIRST)?;
    let read = Range::read(range, &|text| value(&system, "range", text));
    let read = read.map_err(|error| match error {
        // there is no option here
        CommandError::Option { why, .. } => why,
        other => other.to_string(),
    });
    let Range::Between(from, to, false) = read? else {
        return Err(form(text));
    };
    match what {
        "" => {}
        "equilibria" => state.ranges.what = What::Equilibria,
        "failures" => state.ranges.what = What::Failures,
        text => {
            if let Some(analysis) = &state.analysis {
                let read = ColumnReduction::read(analysis.model(), text);
                read.map_err(|error| error.to_string())?;
            }
            state.ranges.what = What::Reduction(text.to_owned());
        }
    }
    name.clone_into(&mut state.ranges.name);
    state.ranges.ends = (from, to);
    anew(state);
    Ok(())
}
