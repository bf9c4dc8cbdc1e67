//! From one place of a branch to the next.
//!
//! No step is longer than a part of the way on which, as the last step tells, the next eigenvalue of the stiffness would vanish:
//! steps shrink towards every singular point, whether eigenvalues change their sign there, one or several at once, or touch zero,
//! and none is stepped over unless it comes and goes within one step.

use super::curve::{Curve, Local};
use super::located::{
    Found, Singular, crossing, crossing_alone, growing, negative, oscillating, singular, vanishing,
};
use super::{Place, SAME};
use crate::expr::is_over;
use crate::theorem::within_a_turn;
use nalgebra::{Complex, DMatrix, DVector};

/// The first step, in parts of the units: the shortest of these that leads on,
const FIRST: [f64; 3] = [1e-5, 1e-4, 1e-3];
/// the longest, and in parts of what the coordinates are where that is more,
const LONGEST: f64 = 0.02;
/// and the shortest.
const SHORTEST: f64 = 1e-9;
/// A correction is no longer than this part of its step.
const OFF: f64 = 0.1;
/// The tangents at both ends of a step have at least this in common.
const STRAIGHT: f64 = 0.97;
/// So have what the constraints' gradients span: the product of the cosines, less than zero where they were dependent in between.
const ALIKE: f64 = 0.7;
/// They are dependent where they are less than this part as independent as where the branch began.
const DEPENDENT: f64 = 1e-3;
/// Steps of a piece.
const MOST: usize = 20_000;
/// What is not clear in a shorter step stays so.
const UNCLEAR: f64 = 1e-7;
/// A step is this part of the way to where an eigenvalue of the stiffness would vanish,
const PART: f64 = 0.5;
/// but not shorter than this for it: one that is least between two steps of this length touches zero.
const CLOSEST: f64 = 1e-5;
/// In a step of so many times that what changes its sign does so there.
const SURE: f64 = 4.0;
/// Beside its least value it is so many times as large.
const MORE: f64 = 1.5;
/// Where steps fail closer than this to where an eigenvalue would vanish, it does; the way there is known to this part of it,
const AHEAD: f64 = 1e-2;
const UNSURE: f64 = 0.3;
/// where the eigenvalue is less than this part of what it was,
const LESS: f64 = 0.3;
/// and zeros are of a lower order than this.
const ORDERS: f64 = 12.0;
/// Where steps fail the slopes so far ahead are others by this part of the units if the equations are not smooth.
const BEYOND: f64 = 1e-6;
const KINK: f64 = 1e-2;
/// What carries nothing no farther than this, in parts of the units, and then would have to pull, grows from zero.
const AT_ONCE: f64 = 1e-3;
/// What is beyond a side by this part of the way across may be on it.
const ROUNDED: f64 = 1e-11;
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
    /// the sign of det [dG/dy; tangent]; none at a branch point
    sign: Option<f64>,
    /// the exponents of motions next to it, where they are known
    exponents: Option<Vec<Complex<f64>>>,
    /// the stiffness,
    stiffness: Vec<f64>,
    /// how many of it are negative where that was known last,
    negative: Option<usize>,
    /// and that place
    known: DVector<f64>,
}

impl State {
    /// What must not be negative there.
    fn contacts(&self, curve: &Curve) -> Vec<f64> {
        curve.contacts(&self.y, &self.local)
    }

    /// It, as what is known to this part of the units.
    fn as_found(&self, blur: f64) -> Found {
        let y = self.y.clone();
        Found { y, blur }
    }

    /// How far off an eigenvalue of the stiffness vanishes, as a step of this length from the point before and the step to that
    /// tell: like s^r, of which both slopes of the logarithm, r/s in the middles of the steps, give r and s.
    fn ahead(&self, (before, length): (&Self, f64), earlier: Option<(&Self, f64)>) -> f64 {
        let falls = |a: f64, b: f64| {
            // on a branch that stands upright one is zero all along
            !before.local.is_nothing(a) && a * b > 0.0 && b.abs() < a.abs()
        };
        let slope = |a: f64, b: f64, length: f64| (a / b).ln() / length;
        let pairs = before.stiffness.iter().zip(&self.stiffness).enumerate();
        let falling = pairs.filter(|(_, (a, b))| falls(**a, **b));
        let ways = falling.map(|(k, (a, b))| {
            let straight = length * b / (a - b);
            let bent = earlier.and_then(|(earlier, last)| {
                let first = earlier.stiffness.get(k).filter(|v| falls(**v, *a))?;
                let (one, other) = (slope(*first, *a, last), slope(*a, *b, length));
                let order = 0.5 * (last + length) / (one.recip() - other.recip());
                (order > 0.0 && order < ORDERS).then(|| order / other - 0.5 * length)
            });
            bent.map_or(straight, |way| way.max(straight))
        });
        ways.fold(f64::INFINITY, f64::min)
    }

    /// Is an eigenvalue of the stiffness zero but for rounding?
    fn is_flat(&self) -> bool {
        self.stiffness.iter().any(|v| self.local.is_nothing(*v))
    }

    /// Does an eigenvalue of the stiffness touch zero here, which it has not reached before and after? Steps are so long.
    fn touches(&self, (before, after): (&Self, &Self), length: f64) -> bool {
        let sides = before.stiffness.iter().zip(&after.stiffness);
        let mut all = self.stiffness.iter().zip(sides);
        all.any(|(own, (a, b))| {
            let states = [(before, a), (self, own), (after, b)];
            let [from, here, to] = states.map(|(state, v)| state.local.is_nothing(*v));
            if here || from || to {
                return here && !from && (to || a * b > 0.0);
            }
            let same = a * b > 0.0 && a * own > 0.0;
            let (own, a, b) = (own.abs(), a.abs(), b.abs());
            // what does not change is least by rounding
            let least = own <= a.min(b) && a.max(b) > MORE * own;
            same && least && length <= 2.0 * CLOSEST
        })
    }
}

impl Bounds {
    /// The distance of two points in parts of the units, whole turns apart.
    pub(super) fn distance(&self, curve: &Curve, a: &DVector<f64>, b: &DVector<f64>) -> f64 {
        let ends = [a, b].map(|y| coordinates_and_parameter(curve.n, y));
        let mut way = (&ends[0] - &ends[1]).component_div(&curve.width);
        for (k, period) in self.periods.iter().enumerate() {
            way[k] = within_a_turn(ends[0][k] - ends[1][k], *period) / curve.width[k];
        }
        way.norm()
    }

    /// Follows a branch from a point until something is there. The points of the way, the first included.
    pub(super) fn walk(
        &self,
        curve: &Curve,
        from: (&DVector<f64>, &DVector<f64>, f64),
    ) -> (Vec<DVector<f64>>, Arrival) {
        let (points, mut arrival) = self.first_on_the_way(curve, from);
        // multipliers grow beyond all bounds there, which the equations need not tell from what else makes them singular
        let doubtful = matches!(
            arrival.place,
            Place::Meeting | Place::Fold | Place::Kink | Place::Lost | Place::Contact(_)
        );
        let both = || curve.at(&arrival.y).zip(curve.at(from.0));
        let dependent = |(there, from)| curve.independence(&there, &from) < DEPENDENT;
        if doubtful && both().is_some_and(dependent) {
            arrival.place = Place::Singular;
        }
        (points, arrival)
    }

    fn first_on_the_way(
        &self,
        curve: &Curve,
        (start, way, blur): (&DVector<f64>, &DVector<f64>, f64),
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
        curve.note(&local);
        let begun = local.clone();
        let stiffness = curve.stiffness(&local);
        let negative = negative(local.energy(), &stiffness);
        let tangent = negative.and_then(|_| curve.tangent(&local, &curve.border(way)));
        let mut at = State {
            y: start.clone(),
            sign: tangent.map(|(_, sign)| sign),
            local,
            way: way.clone(),
            exponents: None,
            stiffness,
            negative,
            known: start.clone(),
        };
        let mut lengths = FIRST.iter().map(|length| length.max(2.0 * blur));
        let first = lengths.find(|length| step(curve, &at, *length).is_ok());
        let mut length = first.unwrap_or(CLOSEST);
        // the point before, and how long the step from it was
        let mut before: Option<(State, f64)> = None;
        let mut ahead = f64::INFINITY;
        let mut barred = None;
        while points.len() < MOST {
            if is_over() {
                return (points, ended(Place::CalledOff, &at.y));
            }
            let Ok((next, moved, straight)) = step(curve, &at, length).inspect_err(|refused| {
                if let Refused::At(place) = refused {
                    barred = Some((*place, length));
                }
            }) else {
                length *= 0.5;
                if length >= SHORTEST {
                    continue;
                }
                if let Some(met) = barred.filter(|(_, length)| *length < UNCLEAR) {
                    return (points, barred_by(curve, &begun, (before, at), met));
                }
                if ahead > AHEAD {
                    break;
                }
                return (points, self.closing(curve, &begun, (at, ahead)));
            };
            if points.len() == 1 && self.leaves(curve, (&at, &next), blur) {
                return (points, ended(Place::End, start));
            }
            match self.event(curve, &at, &next, length) {
                Some(Met::Place(arrival)) => {
                    if self.left_at_once(curve, &arrival, &points) {
                        return (points, ended(Place::End, start));
                    }
                    // it may be before points whose stiffness was not known well enough
                    let border = curve.border(&at.way);
                    let off = |y: &DVector<f64>| (&arrival.y - y).component_div(&at.local.columns);
                    while points.len() > 1
                        && points.last().is_some_and(|y| border.dot(&off(y)) < 0.0)
                    {
                        points.pop();
                    }
                    return (points, arrival);
                }
                Some(Met::Unclear) => {
                    length *= 0.5;
                    continue;
                }
                None => {}
            }
            let touches =
                |(before, last): &(State, f64)| at.touches((before, &next), last.max(length));
            if before.as_ref().is_some_and(touches) {
                points.pop();
                let close = before.is_some_and(|(_, last)| last.max(length) <= 2.0 * CLOSEST);
                let ahead = if close { 0.0 } else { ahead };
                return (points, self.closing(curve, &begun, (at, ahead)));
            }
            points.push(next.y.clone());
            curve.note_beside(&next.local, &begun);
            let last = length;
            if moved < 0.2 * OFF * length && straight > 0.5 * (1.0 + STRAIGHT) {
                let far =
                    at.y.rows(0, curve.n)
                        .component_div(&curve.width.rows(0, curve.n));
                length = (1.5 * length).min(LONGEST * far.amax().max(1.0));
            }
            let earlier = before.as_ref().map(|(state, length)| (state, *length));
            ahead = next.ahead((&at, last), earlier);
            length = length.min((PART * ahead).max(CLOSEST));
            before = Some((std::mem::replace(&mut at, next), last));
        }
        let place = stop_of(curve, &at, points.len());
        (points, ended(place, &at.y))
    }

    /// The singular point so far ahead, where steps fail or an eigenvalue touches zero.
    fn closing(&self, curve: &Curve, begun: &Local, (at, ahead): (State, f64)) -> Arrival {
        let ahead = if ahead.is_finite() { ahead } else { 0.0 };
        let last = curve.size() - 1;
        let mut guess = &at.y + at.way.component_mul(&at.local.columns) * ahead;
        guess[last] = guess[last].clamp(self.range.0, self.range.1);
        let blur = (UNSURE * ahead).max(2.0 * CLOSEST);
        let near = |f: &Found| {
            let inside = (self.range.0..=self.range.1).contains(&f.y[last]);
            inside && self.distance(curve, &f.y, &guess) < blur
        };
        let known = singular(curve, &guess, Singular::Branch).filter(near);
        let is_less = |local: Local| {
            let stiffness = curve.stiffness(&local);
            let mut pairs = stiffness.iter().zip(&at.stiffness);
            pairs.any(|(there, here)| there.abs() < LESS * here.abs())
        };
        let is_singular =
            known.is_some() || ahead <= 2.0 * CLOSEST || curve.at(&guess).is_some_and(is_less);
        // where gradients become dependent multipliers bend without end
        let dependent = |there: Local| curve.independence(&there, begun) < DEPENDENT;
        let goes_on = || curve.at(&guess).is_some_and(dependent) || is_smooth_ahead(curve, &at);
        let (place, found) = if is_singular && goes_on() {
            let found = known.unwrap_or(Found { y: guess, blur });
            (Place::Meeting, found)
        } else {
            let place = stop_of(curve, &at, 0);
            let found = Found { y: at.y, blur: 0.0 };
            (place, found)
        };
        Arrival {
            place,
            y: found.y,
            way: at.way,
            blur: found.blur,
        }
    }

    /// The unknowns that have ends: the coordinates that do not go round, and the parameter.
    fn ends(&self, curve: &Curve) -> impl Iterator<Item = (usize, (f64, f64), Place)> {
        let sides = (0..curve.n).filter(|k| self.periods[*k].is_none());
        let sides = sides.map(|k| (k, self.sides[k], Place::Edge));
        sides.chain([(curve.size() - 1, self.range, Place::End)])
    }

    /// Does a way go out of the range and the sides from an end of them, or to where a one-sided constraint would have to pull,
    /// or is broken, from where it neither pushes nor is?
    fn leaves(&self, curve: &Curve, (from, to): (&State, &State), blur: f64) -> bool {
        let pulls = |(from, to): (f64, f64)| to < 0.0 && from <= blur.max(SAME * to.abs());
        let (before, after) = (from.contacts(curve), to.contacts(curve));
        let (from, to) = (&from.y, &to.y);
        before.into_iter().zip(after).any(pulls)
            || self.ends(curve).any(|(k, (lo, hi), _)| {
                let slack = SAME * (hi - lo);
                to[k] < lo && from[k] <= lo + slack || to[k] > hi && from[k] >= hi - slack
            })
    }

    /// Would a one-sided constraint that has carried nothing yet have to pull so near to the start that it is there that the way
    /// leads out?
    fn left_at_once(&self, curve: &Curve, arrival: &Arrival, points: &[DVector<f64>]) -> bool {
        let Place::Contact(b) = arrival.place else {
            return false;
        };
        let carries = |y: &DVector<f64>| {
            let contacts = curve.at(y).map(|local| curve.contacts(y, &local));
            let own = contacts.into_iter().flatten().zip(curve.sided());
            own.into_iter().any(|(v, other)| *other == b && v != 0.0)
        };
        let start = points.first();
        start.is_some_and(|start| self.distance(curve, start, &arrival.y) < AT_ONCE)
            && !points.iter().any(carries)
    }

    /// Where a step meets the ends of the range and of the sides.
    fn stops(&self, curve: &Curve, at: &State, next: &State) -> Vec<(Place, Option<Found>)> {
        let met = self.ends(curve).filter_map(|(k, (lo, hi), place)| {
            // a branch may lie on a side
            let slack = ROUNDED * (hi - lo);
            let stop = if next.y[k] > hi { hi } else { lo };
            if next.y[k] >= lo - slack && next.y[k] <= hi + slack || (at.y[k] - stop) == 0.0 {
                return None;
            }
            let part = (stop - at.y[k]) / (next.y[k] - at.y[k]);
            let mut guess = &at.y + (&next.y - &at.y) * part;
            guess[k] = stop;
            let found = curve.correct(&guess, &curve.axis(k));
            Some((
                place,
                found.map(|found| Found {
                    y: found.y,
                    blur: 0.0,
                }),
            ))
        });
        met.collect()
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
        let middle = (&at.y + &next.y) * 0.5;
        let ends = (&at.y, &next.y);
        // a step that changes a sign and meets nothing has come to another branch
        let short = length < UNCLEAR;
        let mut unclear = false;
        for (place, found) in self.stops(curve, at, next) {
            // nothing may be found where the equations are singular there
            unclear |= found.is_none();
            add(place, found.or_else(|| short.then(|| at.as_found(length))));
        }
        let mut at_rank = |kind: Singular, place: Place, of: &dyn Fn(&Local) -> f64| {
            let near = |f: &Found| self.distance(curve, &f.y, &middle) < 2.0 * whole;
            let found = singular(curve, &middle, kind).filter(near);
            unclear |= found.is_none();
            let last = || crossing(curve, ends, &|_, local| of(local)).filter(|_| short);
            add(place, found.or_else(last));
        };
        let turned = at.sign.is_some() && at.sign != next.sign;
        let counts = at.negative.zip(next.negative);
        let counts = counts.filter(|(before, after)| before != after);
        if (turned || counts.is_some()) && length > SURE * CLOSEST {
            // a long step may have come to another branch
            return Some(Met::Unclear);
        }
        if turned {
            at_rank(Singular::Branch, Place::Meeting, &|local| {
                let found = curve.tangent(local, &border);
                found.map_or(f64::NAN, |(_, sign)| sign)
            });
        }
        // on a branch that stands upright all along the parameter changes by rounding
        let upright = at.is_flat() && next.is_flat();
        if at.sign.is_some() && at.way[last] * next.way[last] < 0.0 && !upright {
            at_rank(Singular::Fold, Place::Fold, &|local| {
                let found = curve.tangent(local, &border);
                found.map_or(f64::NAN, |(way, _)| way[last])
            });
        }
        let (before, after) = (at.contacts(curve), next.contacts(curve));
        for (i, (before, after)) in before.iter().zip(&after).enumerate() {
            if *before >= 0.0 && *after < 0.0 {
                let of = |y: &DVector<f64>, local: &Local| curve.loads(y, local)[i];
                let found = crossing(curve, ends, &of);
                unclear |= found.is_none();
                // what has carried nothing may be less than zero by rounding
                let here = short || *before == 0.0;
                let found = found.or_else(|| here.then(|| at.as_found(length)));
                add(Place::Contact(curve.sided()[i]), found);
            }
        }
        // a branch that stands upright at a branch point turns there
        for (_, place, found) in list.iter_mut().filter(|e| e.1 == Place::Fold) {
            let meeting = singular(curve, &found.y, Singular::Branch);
            let near = |f: &Found| self.distance(curve, &f.y, &found.y) < TOGETHER;
            if let Some(meeting) = meeting.filter(near) {
                (*place, *found) = (Place::Meeting, meeting);
            }
        }
        let counts = counts.filter(|_| list.is_empty() && !unclear);
        if let Some((one, other)) = counts {
            let unknown = || Found {
                y: (&at.known + &next.y) * 0.5,
                blur: self.distance(curve, &at.known, &next.y),
            };
            let found = vanishing(curve, (&at.known, &next.y), one.min(other));
            list.push((0.5 * whole, Place::Meeting, found.unwrap_or_else(unknown)));
        } else if !turned {
            let onsets = onsets(curve, at, next).into_iter();
            list.extend(onsets.map(|(place, found)| (progress(&found.y), place, found)));
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

/// What bars the way after so short a step. Gradients that are less and less independent become dependent as far ahead as the last
/// step tells, no farther than it is believed.
fn barred_by(
    curve: &Curve,
    begun: &Local,
    (before, at): (Option<(State, f64)>, State),
    (place, length): (Place, f64),
) -> Arrival {
    let before = before.filter(|_| place == Place::Singular);
    let left = before.map_or(0.0, |(before, last)| {
        let [far, near] = [&before, &at].map(|state| curve.independence(&state.local, begun));
        last * near / (far - near)
    });
    let left = if left > 0.0 && left < AHEAD {
        left
    } else {
        0.0
    };
    Arrival {
        place,
        y: &at.y + at.way.component_mul(&at.local.columns) * left,
        way: at.way,
        blur: length.max(left),
    }
}

/// Where in a step exponents come to grow, or cease to.
fn onsets(curve: &Curve, at: &State, next: &State) -> Vec<(Place, Found)> {
    let Some((before, after)) = at.exponents.as_deref().zip(next.exponents.as_deref()) else {
        return Vec::new();
    };
    let ends = (&at.y, &next.y);
    let mut list = crossing_alone(curve, ends, [before, after]);
    if list.is_empty() && growing(before).abs_diff(growing(after)) > 1 {
        list.extend(oscillating(curve, ends));
    }
    list
}

/// What a branch ends at that no step leads further along, after so many.
fn stop_of(curve: &Curve, at: &State, steps: usize) -> Place {
    if steps >= MOST || is_smooth_ahead(curve, at) {
        Place::Lost
    } else {
        Place::Kink
    }
}

/// Are the equations smooth where steps fail, or does the branch end there: at a kink, or where a spring has no length?
fn is_smooth_ahead(curve: &Curve, at: &State) -> bool {
    let way = at.way.component_mul(&at.local.columns);
    curve.at(&(&at.y + way * BEYOND)).is_some_and(|there| {
        // in the units here
        let (rows, columns) = (&there.rows, &there.columns);
        let slopes = DMatrix::from_fn(rows.len(), columns.len(), |i, j| {
            there.slopes[(i, j)] * at.local.rows[i] * at.local.columns[j] / (rows[i] * columns[j])
        });
        let values = there.values.component_mul(&at.local.rows);
        // a force that jumps may have the same slopes on both sides
        let jumps = values.component_div(rows).amax() > BEYOND;
        !jumps && (slopes - &at.local.slopes).amax() < KINK
    })
}

/// Unknowns without the multipliers.
pub(super) fn coordinates_and_parameter(n: usize, y: &DVector<f64>) -> DVector<f64> {
    DVector::from_fn(n + 1, |k, _| y[if k < n { k } else { y.len() - 1 }])
}

/// Why a step is not taken.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Refused {
    /// It is too long for Newton's method, or bent.
    Far,
    /// This is on the way.
    At(Place),
}

/// A step, how far Newton's method moved it, and what both tangents have in common.
fn step(curve: &Curve, at: &State, length: f64) -> Result<(State, f64, f64), Refused> {
    let guess = &at.y + at.way.component_mul(&at.local.columns) * length;
    let border = curve.border(&at.way);
    let found = curve.correct(&guess, &border).ok_or(Refused::Far)?;
    let (way, sign) = curve.tangent(&found.local, &border).ok_or(Refused::Far)?;
    let straight = border.dot(&way);
    if found.moved > OFF * length || straight < STRAIGHT {
        return Err(Refused::Far);
    }
    if let Some(b) = curve.parted(&found.y) {
        return Err(Refused::At(Place::Parted(b)));
    }
    match curve.alike(&at.local, &found.local) {
        Some(alike) if alike >= ALIKE => {}
        Some(alike) if alike >= -ALIKE => return Err(Refused::Far),
        _ => return Err(Refused::At(Place::Singular)),
    }
    let exponents = curve.exponents(&found.y, &found.local);
    let stiffness = curve.stiffness(&found.local);
    let (negative, known) = match negative(found.local.energy(), &stiffness) {
        Some(count) => (Some(count), found.y.clone()),
        None => (at.negative, at.known.clone()),
    };
    Ok((
        State {
            y: found.y,
            local: found.local,
            way,
            sign: Some(sign),
            exponents,
            stiffness,
            negative,
            known,
        },
        found.moved,
        straight,
    ))
}
