//! From one place of a branch to the next.

use super::Place;
use super::curve::{Curve, Local};
use super::located::{
    Found, Singular, crossing, growing, negative, oscillating, singular, together,
};
use crate::expr::is_over;
use crate::theorem::within_a_turn;
use nalgebra::DVector;

/// The first step, in parts of the units,
const FIRST: f64 = 1e-3;
/// the longest,
const LONGEST: f64 = 0.02;
/// and the shortest.
const SHORTEST: f64 = 1e-9;
/// A correction is no longer than this part of its step.
const OFF: f64 = 0.1;
/// The tangents at both ends of a step have at least this in common.
const STRAIGHT: f64 = 0.97;
/// Steps of a piece.
const MOST: usize = 4000;
/// What is not clear in a shorter step stays so.
const UNCLEAR: f64 = 1e-7;
/// Of two places this close, in parts of the units, the one that explains both is taken.
const TOGETHER: f64 = 1e-4;

/// Where a branch is followed.
#[derive(Clone, Debug, Default)]
pub(super) struct Bounds {
    /// The parameter.
    pub(super) range: (f64, f64),
    /// The coordinates,
    pub(super) sides: Vec<(f64, f64)>,
    /// and the periods of those that are angles.
    pub(super) periods: Vec<Option<f64>>,
}

/// Where a piece ends.
pub(super) struct Arrival {
    /// What is there; [`Place::Meeting`] for any branch point.
    pub(super) place: Place,
    /// The unknowns.
    pub(super) y: DVector<f64>,
    /// The tangent, onward.
    pub(super) way: DVector<f64>,
    /// How well it is known.
    pub(super) blur: f64,
}

/// What a step has met.
enum Met {
    /// That.
    Place(Arrival),
    /// It is not clear what: a shorter step tells.
    Unclear,
}

/// A point of a branch with its tangent.
struct State {
    y: DVector<f64>,
    local: Local,
    way: DVector<f64>,
    /// the sign of det [dG/dy; tangent]; none at the first point, which may be a branch point
    sign: Option<f64>,
    /// exponents that grow, where they are known
    growing: Option<usize>,
    /// eigenvalues of the stiffness that are negative
    negative: Option<usize>,
}

impl Bounds {
    /// The distance of two points in parts of the units, whole turns apart.
    pub(super) fn distance(&self, curve: &Curve, a: &DVector<f64>, b: &DVector<f64>) -> f64 {
        let mut way = a - b;
        for (k, period) in self.periods.iter().enumerate() {
            way[k] = within_a_turn(way[k], *period) / curve.width[k];
        }
        way[curve.size() - 1] /= curve.width[curve.n];
        curve.length(&way)
    }

    /// Follows a branch from a point until something is there. The points of the way, the first included.
    pub(super) fn walk(
        &self,
        curve: &Curve,
        start: &DVector<f64>,
        way: &DVector<f64>,
    ) -> (Vec<DVector<f64>>, Arrival) {
        let mut points = vec![start.clone()];
        let ended = |place: Place, at: &DVector<f64>| Arrival {
            place,
            y: at.clone(),
            way: way.clone(),
            blur: 0.0,
        };
        let Some(local) = curve.at(start) else {
            return (points, ended(Place::Lost, start));
        };
        let mut at = State {
            y: start.clone(),
            local,
            way: way.clone(),
            sign: None,
            growing: None,
            negative: None,
        };
        let mut length = FIRST;
        while points.len() < MOST {
            if is_over() {
                return (points, ended(Place::CalledOff, &at.y));
            }
            let Some((next, moved, straight)) = step(curve, &at, length) else {
                length *= 0.5;
                if length < SHORTEST {
                    break;
                }
                continue;
            };
            match self.event(curve, &at, &next, length) {
                Some(Met::Place(arrival)) => return (points, arrival),
                Some(Met::Unclear) => {
                    length *= 0.5;
                    continue;
                }
                None => {}
            }
            if moved < 0.2 * OFF * length && straight > 0.5 * (1.0 + STRAIGHT) {
                length = (1.5 * length).min(LONGEST);
            }
            points.push(next.y.clone());
            at = next;
        }
        (points, ended(Place::Lost, &at.y))
    }

    /// The first thing that is met in a step of this length.
    fn event(&self, curve: &Curve, at: &State, next: &State, length: f64) -> Option<Met> {
        let last = curve.size() - 1;
        let border = curve.border(&at.way);
        let progress = |y: &DVector<f64>| border.dot(&(y - &at.y).component_div(&at.local.columns));
        let whole = progress(&next.y);
        let mut list: Vec<(f64, Place, Found)> = Vec::new();
        let mut add = |place: Place, found: Option<Found>| {
            let found = found.map(|found| (progress(&found.y), place, found));
            // what lies elsewhere has another event of its own
            list.extend(found.filter(|f| f.0 > -0.1 * whole && f.0 < 1.1 * whole));
        };
        let stops = (0..curve.n).filter(|k| self.periods[*k].is_none());
        let stops = stops.map(|k| (k, self.sides[k], Place::Edge));
        for (k, (lo, hi), place) in stops.chain([(last, self.range, Place::End)]) {
            let stop = if next.y[k] > hi { hi } else { lo };
            if next.y[k] >= lo && next.y[k] <= hi || (at.y[k] - stop) == 0.0 {
                continue;
            }
            let part = (stop - at.y[k]) / (next.y[k] - at.y[k]);
            let mut guess = &at.y + (&next.y - &at.y) * part;
            guess[k] = stop;
            let found = curve.correct(&guess, &curve.axis(k));
            add(place, found.map(|f| Found { y: f.y, blur: 0.0 }));
        }
        let middle = (&at.y + &next.y) * 0.5;
        let ends = (&at.y, &next.y);
        // a step that changes a sign and meets nothing has come to another branch
        let short = length < UNCLEAR;
        let mut unclear = false;
        let mut at_rank = |kind: Singular, place: Place, of: &dyn Fn(&Local) -> f64| {
            let near = |f: &Found| self.distance(curve, &f.y, &middle) < 2.0 * whole;
            let found = singular(curve, &middle, kind).filter(near);
            unclear |= found.is_none();
            let last = || crossing(curve, ends, &|_, local| of(local)).filter(|_| short);
            add(place, found.or_else(last));
        };
        let turned = at.sign.is_some() && at.sign != next.sign;
        if turned {
            at_rank(Singular::Branch, Place::Meeting, &|local| {
                let found = curve.tangent(local, &border);
                found.map_or(f64::NAN, |(_, sign)| sign)
            });
        }
        if at.sign.is_some() && at.way[last] * next.way[last] < 0.0 {
            at_rank(Singular::Fold, Place::Fold, &|local| {
                let found = curve.tangent(local, &border);
                found.map_or(f64::NAN, |(way, _)| way[last])
            });
        }
        let several = |before: Option<usize>, after: Option<usize>| {
            let change = before
                .zip(after)
                .map(|(before, after)| before.abs_diff(after));
            !turned && change.is_some_and(|change| change > 1)
        };
        // gyroscopic forces may hold what the stiffness lets go
        let vanish = several(at.negative, next.negative).then(|| together(curve, ends));
        let grow = || several(at.growing, next.growing).then(|| oscillating(curve, ends));
        let onset = vanish.flatten().or_else(|| grow().flatten());
        if let Some((kind, found, frequency)) = onset {
            add(Place::Oscillation(kind, frequency), Some(found));
        }
        let (before, after) = (curve.contacts(&at.y), curve.contacts(&next.y));
        for (i, (before, after)) in before.iter().zip(&after).enumerate() {
            if *before >= 0.0 && *after < 0.0 {
                let of = |y: &DVector<f64>, _: &Local| curve.contacts(y)[i];
                add(Place::Contact, crossing(curve, ends, &of));
            }
        }
        list.sort_by(|a, b| a.0.total_cmp(&b.0));
        let meets = list.iter().any(|e| e.1 == Place::Meeting);
        if unclear && !short && !meets {
            return Some(Met::Unclear);
        }
        let first = list.first()?.0;
        // a branch that stands upright at a branch point turns there too
        let meeting = list
            .iter()
            .position(|e| e.1 == Place::Meeting && e.0 - first < TOGETHER);
        let (_, place, found) = list.swap_remove(meeting.unwrap_or(0));
        let local = curve.at(&found.y)?;
        let way = curve.tangent(&local, &border).map(|(way, _)| way);
        let way = way
            .filter(|_| place != Place::Meeting)
            .unwrap_or_else(|| next.way.clone());
        Some(Met::Place(Arrival {
            place,
            y: found.y,
            way,
            blur: found.blur,
        }))
    }
}

/// A step, how far Newton's method moved it, and what both tangents have in common.
fn step(curve: &Curve, at: &State, length: f64) -> Option<(State, f64, f64)> {
    let guess = &at.y + at.way.component_mul(&at.local.columns) * length;
    let border = curve.border(&at.way);
    let found = curve.correct(&guess, &border)?;
    let (way, sign) = curve.tangent(&found.local, &border)?;
    let straight = border.dot(&way);
    if found.moved > OFF * length || straight < STRAIGHT {
        return None;
    }
    let exponents = curve.exponents(&found.y, &found.local);
    let growing = exponents.map(|list| growing(&list));
    let negative = curve.stiffness(&found.local).map(|list| negative(&list));
    Some((
        State {
            y: found.y,
            local: found.local,
            way,
            sign: Some(sign),
            growing,
            negative,
        },
        found.moved,
        straight,
    ))
}
