//! The equilibria: asked for while they are looked at, one chosen, its modes leafed through and swinging.
//!
//! The worker looks for them and draws each mode; nothing of it is computed on a key.

use std::rc::Rc;

use super::action::Action;
use super::dialog::{Dialog, EquilibriaList};
use super::inquiry::Inquiry;
use super::layout::Pane;
use super::map;
use super::state::{Effect, State};
use super::text::{columns, left, short};
use super::worker::Question;
use crate::analysis::{Oscillated, Oscillation, PHASES, Walker};
use crate::report::zero::{self, Shown};
use crate::report::{assessment_word, joined, kind_word, linked, only_if};
use crate::statics::{Equilibria, Equilibrium, Mode, Stability};

/// Seconds that an oscillation takes on the screen: those that it takes, as long as that can be followed.
const SHOWN: (f64, f64) = (1.0, 6.0);

/// The equilibria and what of them is shown.
#[derive(Clone, Default)]
pub struct EquilibriaView {
    /// Those found, by the number of the request; none where the search broke off.
    pub search: Inquiry<u64, Option<Rc<Equilibria>>>,
    /// The mode that is shown.
    pub mode: usize,
    /// Its pictures; none where their drawing broke off.
    oscillation: Inquiry<WantedOscillation, Option<Rc<Oscillation>>>,
    /// Where the oscillation is, in turns.
    phase: f64,
    /// Whether it is held.
    pub held: bool,
}

/// Which mode is to be drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct WantedOscillation {
    /// The text.
    pub generation: u64,
    /// The mode.
    pub swung: Oscillated,
}

/// A line of the list.
#[derive(Clone, Copy)]
pub enum Row<'a> {
    /// An equilibrium.
    Equilibrium(&'a Equilibrium),
    /// A singular configuration.
    Singular(&'a [f64]),
    /// A place that is not counted: an equation is not defined, or not smooth there.
    Undefined(&'a [f64]),
}

impl<'a> Row<'a> {
    /// The position.
    pub fn x(&self) -> &[f64] {
        match self {
            Self::Equilibrium(e) => &e.x,
            Self::Singular(x) | Self::Undefined(x) => x,
        }
    }

    /// The position without what rounding leaves.
    fn shown(&self) -> Vec<f64> {
        match self {
            Self::Equilibrium(e) => Shown::of(e).x,
            Self::Singular(x) | Self::Undefined(x) => zero::of_unit_size(x),
        }
    }

    /// The modes.
    pub fn modes(&self) -> &'a [Mode] {
        match self {
            // nothing swings about what is a place of rest for one moment
            Self::Equilibrium(e) if !e.verdict.frozen => &e.verdict.modes,
            Self::Equilibrium(_) | Self::Singular(_) | Self::Undefined(_) => &[],
        }
    }
}

/// Those found for the text that is shown.
pub fn known(state: &State) -> Option<&Rc<Equilibria>> {
    state.equilibria.search.of(&state.generation)?.as_ref()
}

/// Whether the search for them broke off.
pub fn broke_off(state: &State) -> bool {
    let found = state.equilibria.search.of(&state.generation);
    found.is_some_and(Option::is_none)
}

/// The lines of the list: those that stay though the constraints move come first.
pub fn places(found: &Equilibria) -> Vec<Row<'_>> {
    let singular = found.singular.iter().map(|x| Row::Singular(x));
    let undefined = found.undefined.iter().map(|x| Row::Undefined(x));
    let list = found.relative.iter().chain(&found.list);
    let list = list.map(Row::Equilibrium);
    list.chain(singular).chain(undefined).collect()
}

/// What each line says: what it is, where, how fast it swings, how sure that is.
pub fn lines(state: &State) -> Vec<String> {
    let (Some(found), Some(analysis)) = (known(state), &state.analysis) else {
        return Vec::new();
    };
    let objective = analysis.model().system.objective;
    let rows: Vec<[String; 4]> = places(found)
        .iter()
        .map(|place| {
            let x = format!("({})", joined(place.shown().iter().map(|v| short(*v))));
            let e = match place {
                Row::Equilibrium(e) => e,
                Row::Singular(_) => {
                    return ["singular", &x, "no equilibrium", ""].map(str::to_owned);
                }
                Row::Undefined(_) => {
                    return ["not smooth", &x, "not counted", ""].map(str::to_owned);
                }
            };
            let modes = place.modes().iter();
            let frequencies = linked(" ", modes.map(|mode| short(mode.frequency)));
            let omega = only_if(!frequencies.is_empty(), format!("ω {frequencies}"));
            let sure = if e.certified() {
                "certified"
            } else {
                "estimated"
            };
            let family = match e.of_a_family() {
                true if e.is_judged_alone() => ", one of a family",
                true => ", a family",
                false => "",
            };
            [word(e, objective), x, omega, format!("{sure}{family}")]
        })
        .collect();
    let width = |k: usize| rows.iter().map(|row| columns(&row[k])).max();
    let widths: Vec<usize> = (0..3).map(|k| width(k).unwrap_or(0)).collect();
    // the position may be long: it is cut last, by the border
    rows.iter()
        .map(|[word, x, omega, sure]| {
            let word = left(word, widths[0]);
            let omega = left(omega, widths[2].min(24));
            if widths[2] == 0 {
                format!(" {word}  {sure:9}  {x} ")
            } else {
                format!(" {word}  {omega}  {sure:9}  {x} ")
            }
        })
        .collect()
}

/// Stable or not, and of what kind the second variation is.
fn word(e: &Equilibrium, objective: bool) -> String {
    let verdict = &e.verdict;
    let (kind, stability) = (kind_word(verdict), assessment_word(verdict, objective));
    if objective {
        return kind.to_owned();
    }
    let relative = only_if(e.at_rest.is_some(), "relative, ");
    let is_open = matches!(verdict.stability, Stability::Degenerate(_));
    if is_open && (kind == stability || verdict.form.is_estimate()) {
        return format!("{relative}{stability}");
    }
    format!("{relative}{stability}, {kind}")
}

/// Opens the view.
pub fn open(state: &mut State) {
    if state.analysis.is_none() {
        let why = "there is no system to look at: ! lists what is wrong";
        return state.wait_for(Action::Equilibria, "the equilibria open", why);
    }
    state.equilibria.mode = 0;
    state.dialog = Some(Dialog::Equilibria(EquilibriaList {
        chosen: first(state),
        down: 0,
    }));
}

/// The line to begin with: something that can be seen to swing.
fn first(state: &State) -> usize {
    let stable =
        |place: &Row| matches!(place, Row::Equilibrium(e) if e.verdict.stability.is_stable());
    let first = known(state).and_then(|found| places(found).iter().position(stable));
    first.unwrap_or(0)
}

/// What a key does; `chosen` is the line chosen after it. Whether it leaves the list.
pub fn act(state: &mut State, chosen: usize, action: Action) -> bool {
    let before = state.equilibria.mode;
    let count = known(state)
        .and_then(|found| places(found).get(chosen).map(|p| p.modes().len()))
        .unwrap_or(0);
    match action {
        Action::NextMode if count > 0 => state.equilibria.mode = (before + 1) % count,
        Action::PreviousMode if count > 0 => state.equilibria.mode = (before + count - 1) % count,
        Action::Play => state.equilibria.held = !state.equilibria.held,
        Action::Accept => return go(state, chosen),
        _ => {}
    }
    state.equilibria.mode = state.equilibria.mode.min(count.saturating_sub(1));
    false
}

/// Puts the probe there, and with it verdict and picture.
fn go(state: &mut State, chosen: usize) -> bool {
    let Some(found) = known(state).cloned() else {
        return false;
    };
    let Some(x) = places(&found).get(chosen).map(|place| place.x().to_vec()) else {
        return false;
    };
    state.playhead.playing = false;
    if state.map.probe.is_none() {
        state.map.back_to = Some(state.playhead.t);
    }
    state.playhead.t = found.t;
    let along = map::plane(state).map_or(0, |(along, _)| along);
    state.map.probe = Some(Walker::new(found.t, &x, along));
    state.focus = Pane::Picture;
    state.dialog = None;
    state.look_again();
    true
}

/// The line of the list that is looked at, and its mode.
fn looked_at(state: &State) -> Option<(Row<'_>, Option<&Mode>)> {
    let Some(Dialog::Equilibria(EquilibriaList { chosen, .. })) = state.dialog else {
        return None;
    };
    let place = *places(known(state)?).get(chosen)?;
    Some((place, place.modes().get(state.equilibria.mode)))
}

/// The mode that is looked at.
fn wanted(state: &State) -> Option<WantedOscillation> {
    let (found, (place, mode)) = known(state).zip(looked_at(state))?;
    Some(WantedOscillation {
        generation: state.generation,
        swung: Oscillated {
            t: found.t,
            x: place.x().to_vec(),
            shape: mode.map(|mode| mode.shape.clone()).unwrap_or_default(),
            periods: found.periods.clone(),
        },
    })
}

/// Asks for what is looked at and not there: the equilibria, then the mode; takes back what nobody looks at any
/// more.
pub fn ask(state: &mut State) -> Option<Effect> {
    if !matches!(state.dialog, Some(Dialog::Equilibria(_))) {
        let searched = state.equilibria.search.leave(Question::Equilibria);
        let drawn = state.equilibria.oscillation.leave(Question::Oscillation);
        return searched.or(drawn);
    }
    let about = state.settled()?.clone();
    let wanted = wanted(state);
    let view = &mut state.equilibria;
    if view.search.of(&about.generation).is_none() {
        let wanted = view.search.begin(about.generation)?;
        return Some(Effect::Ask(about, Question::Equilibria(wanted)));
    }
    let wanted = view.oscillation.begin(wanted?)?;
    view.phase = 0.0;
    Some(Effect::Ask(about, Question::Oscillation(wanted)))
}

/// The worker has found them.
pub fn found(state: &mut State, generation: u64, found: Option<Box<Equilibria>>) {
    state.equilibria.search.answered(&generation);
    if generation != state.generation {
        return;
    }
    state.equilibria.search.found = Some((generation, found.map(Rc::from)));
    let begin = first(state);
    let count = lines(state).len();
    if let Some(Dialog::Equilibria(EquilibriaList { chosen, .. })) = &mut state.dialog {
        *chosen = if *chosen == 0 { begin } else { *chosen };
        *chosen = (*chosen).min(count.saturating_sub(1));
    }
    state.equilibria.mode = 0;
    state.changed = true;
}

/// The worker has drawn a mode.
pub fn drawn(state: &mut State, wanted: WantedOscillation, oscillation: Option<Box<Oscillation>>) {
    let inquiry = &mut state.equilibria.oscillation;
    inquiry.answered(&wanted);
    if wanted.generation == state.generation {
        inquiry.found = Some((wanted, oscillation.map(Rc::from)));
        state.changed = true;
    }
}

/// The pictures of what is looked at.
pub fn oscillation(state: &State) -> Option<&Rc<Oscillation>> {
    state.equilibria.oscillation.of(&wanted(state)?)?.as_ref()
}

/// Whether a mode is seen to swing.
pub fn oscillates(state: &State) -> bool {
    !state.equilibria.held
        && oscillation(state).is_some_and(|oscillation| oscillation.drawings.len() > 1)
}

/// The picture to be shown.
pub fn picture(state: &State) -> usize {
    (state.equilibria.phase * PHASES as f64) as usize % PHASES
}

/// Time passes.
pub fn tick(state: &mut State, seconds: f64) {
    if !oscillates(state) {
        return;
    }
    let Some((_, Some(mode))) = looked_at(state) else {
        return;
    };
    let period = (std::f64::consts::TAU / mode.frequency).clamp(SHOWN.0, SHOWN.1);
    let before = picture(state);
    state.equilibria.phase = (state.equilibria.phase + seconds / period).fract();
    state.changed |= picture(state) != before;
}
