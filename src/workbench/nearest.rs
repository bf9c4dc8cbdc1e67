//! The failure of the theorem that is nearest to the place shown, as `check` finds it: asked of the worker while nothing
//! moves, one place at a time.

use super::inquiry::Inquiry;
use super::report::here;
use super::state::{Effect, State};
use super::worker::Question;
use crate::analysis::{Model, Overrides};

/// A place at which the theorem holds.
#[derive(Clone, Debug, PartialEq)]
pub struct RegularPoint {
    generation: u64,
    t: f64,
    x: Vec<f64>,
    dependent: Vec<usize>,
}

/// Where it fails next.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// Which of the factors of the determinant is zero there.
    pub factor: Option<usize>,
    /// The coordinates.
    pub point: Vec<f64>,
    /// How far it is.
    pub distance: f64,
    /// Is it proven that none is nearer?
    pub is_nearest: bool,
}

/// What is known of the place shown.
pub type Nearest = Inquiry<RegularPoint, Option<Failure>>;

impl RegularPoint {
    /// Where the theorem fails next to it.
    pub fn failure(&self, model: &Model) -> Option<Failure> {
        let overrides = Overrides {
            t: Some(self.t),
            x: self.x.iter().copied().enumerate().collect(),
            v: Vec::new(),
        };
        let site = model.site(&overrides).ok()?;
        let check = model.check(site, Some(&self.dependent), &[]);
        let near = check.nearest_failure?;
        let mut factors = check.determinant.factors.iter();
        Some(Failure {
            factor: factors.position(|factor| *factor == near.factor),
            point: near.point,
            distance: near.distance,
            is_nearest: near.is_nearest,
        })
    }
}

/// The place shown, where the theorem holds there.
fn place(state: &State) -> Option<RegularPoint> {
    state.look.as_ref().filter(|look| look.verdict.holds())?;
    let (t, x) = here(state)?;
    Some(RegularPoint {
        generation: state.settled()?.generation,
        t,
        x,
        dependent: state.analysis.as_ref()?.dependent.clone(),
    })
}

/// The failure nearest to the place shown, where it is known.
pub fn shown(state: &State) -> Option<&Failure> {
    state.nearest.of(&place(state)?)?.as_ref()
}

/// Asks for it, where it is not known and nothing moves.
pub fn ask(state: &mut State) -> Option<Effect> {
    let current = |place: &RegularPoint| place.generation == state.generation;
    if state.animated() || state.nearest.asking.as_ref().is_some_and(current) {
        return None;
    }
    let place = state.nearest.begin(place(state)?)?;
    let about = state.settled()?.clone();
    Some(Effect::Ask(about, Question::Nearest(place)))
}

/// The worker has found it.
pub fn found(state: &mut State, place: RegularPoint, failure: Option<Failure>) {
    state.nearest.answered(&place);
    state.nearest.found = Some((place, failure));
    state.changed = true;
}
