//! The failure of the theorem that is nearest to a point: of all solutions of {factor = 0, f = c} the one at the least
//! distance, the root of the sum of the squares of the changes of the coordinates.
//!
//! From solutions that Newton's method finds round the point the distance is brought down along the solutions: against
//! the part of its gradient that is tangent to them, and back onto them. That ends at a place where the distance is
//! least near by. Whether a nearer one is elsewhere is decided by branch and prune on the ball round the point
//! that is short of it by a thousandth ([`CLEARED`]): what is left of it is where the search goes on.
//!
//! What a solution is does not depend on units: rounding of the coordinates alone may have left what is left of each equation, and
//! Newton's method rests there. By an asymptote, as that of x y = 1 to y = 0, what is left is small beside the gradients, and the
//! method moves on. A place where it is proven that there is no solution is none, whatever the numbers say.

use super::check::Site;
use super::{Model, SingularEntry};
use crate::expr::{Expr, Interval, is_spent};
use crate::geometry::{Evaluation, LeastNorm, NewtonBack, Next, Step, size_of, sizes};
use crate::interval::{Domain, Equations, Region, Scratch, as_box, halved, largest, middles};
use crate::theorem::{
    Points, Scope, SingularPoints, SymbolicDeterminant, Whereabouts, period_of, scattered,
    within_a_turn,
};
use nalgebra::{DMatrix, DVector};
use std::cell::{Cell, RefCell};

/// Factors whose zeros are looked for near a point.
const FACTORS: usize = 8;
/// Systems of more coordinates than this are not searched,
const SEARCHED_UP_TO: usize = 24;
/// and in those of more than this nothing is excluded: a ball of so many dimensions takes too many boxes.
const EXCLUDED_UP_TO: usize = 6;
/// Starts in boxes of these sizes in each of the units of the coordinates.
const TRIES: u64 = 3;
const REACHES: [f64; 4] = [0.1, 0.5, 2.5, 10.0];
/// A unit is not looked at where it is more times as large as the coordinates.
const PROPORTION: f64 = 1e3;
/// The box that is not left.
const WIDEST: f64 = 20.0;
/// Steps of Newton's method at most, the longest in parts of a box: to a double root each halves the way.
const NEWTON_STEPS: usize = 100;
const LONGEST: f64 = 0.5;
/// Where equations hold but for rounding, Newton's method rests at a step below this part of the distance: at a root that is not simple
/// rounding hides what is nearer.
const RESTS: f64 = 1e-4;
/// As far about a solution there must be no pole, in parts of the distance, and solutions that are proven to be all hold it within this
/// part of the box.
const ABOUT: f64 = 1e-9;
const SAME: f64 = 1e-6;
/// Rounding moves the values at a solution by no more than this part of what a step does at which the method rests: where a sine has
/// passed whole turns, that is all of its values.
const RESOLVED: f64 = 1e-3;
/// Gradients are known to this part of themselves at least.
const KNOWN: f64 = 0.5;
/// What rounding leaves of a zero, in parts of the distance.
const ROUNDING: f64 = 1e-14;
/// Steps along the solutions at most, and the gradient, in parts of the distance, at which they end.
const STEPS: usize = 120;
const FLAT: f64 = 1e-9;
/// Gradients below this part of the largest hold nothing.
const CUT: f64 = 1e-10;
/// The ball in which there is no other is short of the distance found by this part of it.
const CLEARED: f64 = 1e-3;
/// Instructions that clearing it may cost, for each factor.
const EFFORT: usize = 400_000;
/// As often the search goes on from what could not be cleared.
const ROUNDS: usize = 3;

/// A place on the constraints where the choice fails.
#[derive(Clone, Debug)]
pub struct NearestFailure {
    /// The factor of the determinant that is zero there.
    pub factor: Expr,
    /// The place.
    pub point: Vec<f64>,
    /// How far it is: the root of the sum of the squares of the changes of the coordinates.
    pub distance: f64,
    /// The coordinate that changes most to it, in units of max(1, |x|).
    pub coordinate: usize,
    /// Is it proven that none is nearer, but for a thousandth of the distance? Else it is one near by.
    pub is_nearest: bool,
}

/// The solutions of a factor together with the constraints, round a point.
struct Round<'a> {
    factor: Expr,
    both: Equations,
    /// the point, and the time
    centre: &'a [f64],
    /// what is known of them in a box
    known: &'a SingularPoints,
    searched: &'a [(f64, f64)],
}

impl Round<'_> {
    fn coordinates(&self) -> usize {
        self.centre.len() - 1
    }

    /// The box so far about the point.
    fn within(&self, reach: impl Fn(usize) -> f64) -> Region {
        let n = self.coordinates();
        let sides = self.centre[..n].iter().enumerate();
        let sides = sides.map(|(k, v)| Interval::point(*v).add(Interval::new(-reach(k), reach(k))));
        sides.chain([Interval::point(self.centre[n])]).collect()
    }

    /// Lengths that are long for each coordinate: the size of the largest of them, its own size, and a unit or more, where that is not out
    /// of all proportion.
    fn lengths(&self) -> [Vec<f64>; 3] {
        let x = &self.centre[..self.coordinates()];
        let common = size_of(x);
        let unit = (PROPORTION * common).min(1.0);
        let usual = x.iter().map(|v| v.abs().max(unit));
        [vec![common; x.len()], sizes(x), usual.collect()]
    }

    /// Those that differ.
    fn units(&self) -> Vec<Vec<f64>> {
        let mut units: Vec<Vec<f64>> = Vec::new();
        for unit in self.lengths().into_iter().rev() {
            let alike = |other: &Vec<f64>| {
                let mut pairs = other.iter().zip(&unit);
                pairs.all(|(a, b)| (0.1..=10.0).contains(&(a / b)))
            };
            if !units.iter().any(alike) {
                units.insert(0, unit);
            }
        }
        units
    }

    /// The lengths about the point beyond which nothing is looked for.
    fn widest(&self) -> Vec<f64> {
        let [common, own, usual] = self.lengths();
        let all = common.iter().zip(own).zip(usual);
        all.map(|((a, b), c)| WIDEST * a.max(b).max(c)).collect()
    }

    fn distance(&self, x: &[f64]) -> f64 {
        let pairs = self.centre[..self.coordinates()].iter().zip(x);
        pairs.fold(0.0, |sum: f64, (a, b)| sum.hypot(a - b))
    }

    /// Is it proven that a place is no solution?
    fn is_excluded(&self, at: &[f64]) -> bool {
        let mut sides = self.searched.iter().zip(at);
        let is_inside = sides.all(|((lo, hi), v)| lo < v && v < hi);
        match &self.known.place {
            Whereabouts::Nowhere(_, Scope::Everywhere) => true,
            Whereabouts::Nowhere(_, Scope::Box) => is_inside,
            Whereabouts::Points(points) if points.no_others.is_some() => {
                is_inside && !self.is_among(points, at)
            }
            _ => false,
        }
    }

    /// Is a place one of these points, or in a box that is not decided?
    fn is_among(&self, points: &Points, at: &[f64]) -> bool {
        let within = |k: usize, (lo, hi): (f64, f64)| {
            let (least, most) = self.searched[k];
            let off = at[k] - (0.5 * lo + 0.5 * hi);
            let off = within_a_turn(off, period_of(&self.known.periods, k));
            off.abs() <= 0.5 * (hi - lo) + SAME * (most - least)
        };
        let mut boxes = points.undecided.iter();
        points
            .list
            .iter()
            .any(|point| (0..self.coordinates()).all(|k| within(k, (point.x[k], point.x[k]))))
            || boxes.any(|sides| (0..self.coordinates()).all(|k| within(k, sides[k])))
    }

    /// The equations at a place, each in units of what it changes by over the widths.
    fn look(&self, at: &[f64], widths: &[f64], work: &mut Scratch) -> Option<Evaluation> {
        let place = as_box(at);
        let (values, _) = self.both.values(&place, work);
        let (rows, _) = self.both.jacobian(&place, work);
        let mut gradients = rows.middle()?;
        let mut residual = DVector::from_fn(values.len(), |i, _| values[i].middle());
        for (i, mut row) in gradients.row_iter_mut().enumerate() {
            let over = |of: fn(Interval) -> f64| -> f64 {
                let parts = widths.iter().enumerate();
                parts.map(|(k, width)| of(rows.at(i, k)) * width).sum()
            };
            let unit = over(Interval::magnitude);
            if unit > 0.0 {
                if !unit.is_finite() {
                    return None;
                }
                if over(Interval::width) >= KNOWN * unit {
                    // of a number that came to its end, as exp(-1e3), nothing is known; where branches cross the gradient is zero, and
                    // what is to vanish does
                    if !values[i].contains(0.0) {
                        return None;
                    }
                    row.fill(0.0);
                    residual[i] = 0.0;
                    continue;
                }
                row /= unit;
                residual[i] /= unit;
            }
        }
        Some(Evaluation {
            residual,
            gradients,
        })
    }

    /// The values about a place: as far as rounding of the coordinates, and so much farther.
    fn about(&self, at: &[f64], farther: f64, work: &mut Scratch) -> Vec<Interval> {
        let n = self.coordinates();
        let sides = at.iter().enumerate().map(|(k, v)| {
            let more = if k < n { farther } else { 0.0 };
            let reach = 4.0 * f64::EPSILON * v.abs() + more;
            Interval::new(v - reach, v + reach)
        });
        self.both.values(&sides.collect::<Region>(), work).0
    }

    /// Do the numbers tell a place from those beside it? They do not where what changes came to its end, as exp(-1e6).
    fn is_resolved(&self, at: &[f64], work: &mut Scratch) -> bool {
        let here = self.about(at, 0.0, work);
        let beside = self.about(at, RESTS * self.distance(at), work);
        let mut pairs = here.iter().zip(&beside);
        pairs.all(|(a, b)| b.width() > 0.0 && a.width() <= RESOLVED * b.width())
    }

    /// The solution that Newton's method comes to and rests at; a step is shorter than half of these units.
    fn arrive(&self, from: Vec<f64>, unit: &[f64]) -> Option<Vec<f64>> {
        let mut widths = unit.to_vec();
        widths.push(0.0);
        let work = RefCell::new(Scratch::default());
        let (met, far) = (RefCell::new(Vec::new()), Cell::new(0.0));
        let newton = NewtonBack {
            widths: &widths,
            longest: LONGEST,
            cut: 0.0,
            steps: NEWTON_STEPS,
        };
        let look = |at: &[f64]| {
            if is_spent() {
                return None;
            }
            let away = at.iter().zip(self.centre).zip(&widths);
            let away = away.filter(|(_, width)| **width > 0.0);
            far.set(away.fold(0.0, |sum: f64, ((a, b), width)| sum.hypot((a - b) / width)));
            let mut work = work.borrow_mut();
            let values = self.about(at, 0.0, &mut work);
            *met.borrow_mut() = values.iter().map(|v| v.contains(0.0)).collect();
            self.look(at, &widths, &mut work)
        };
        let judge = |step: &Step<'_>| {
            let (met, far) = (met.borrow(), far.get());
            let is_zero =
                |i: usize| met[i] || step.residual[i].abs() <= ROUNDING * far * step.slopes[i];
            if (0..met.len()).all(is_zero) && step.length <= RESTS * far {
                // a root that is not simple is no nearer at its end
                if step.length < 0.25 * step.last {
                    Next::There
                } else {
                    Next::Here
                }
            } else if step.length > 4.0 * step.last.max(1e-3) {
                Next::Lost
            } else {
                Next::Go
            }
        };
        let point = newton.run(from, look, judge)?.x;
        let (reach, widest) = (self.distance(&point), self.widest());
        let (ball, region) = (self.within(|_| reach), self.within(|k| widest[k]));
        let work = &mut work.borrow_mut();
        let at_pole = self.both.domain_round(&point, (&ball, ABOUT), work) == Domain::Pole;
        let is_inside = point.iter().zip(&region).all(|(v, side)| side.contains(*v));
        let stands = is_inside && !at_pole && self.is_resolved(&point, work);
        (stands && !self.is_excluded(&point)).then_some(point)
    }

    /// Solutions that Newton's method finds from the point, ever wider round it.
    fn first(&self) -> Option<Vec<f64>> {
        let units = self.units();
        let mut boxes = units.iter().flat_map(|unit| {
            REACHES.map(|part| unit.iter().map(|u| part * u).collect::<Vec<f64>>())
        });
        boxes.find_map(|reach| {
            let unit: Vec<f64> = reach.iter().map(|r| 2.0 * r).collect();
            // where the gradients are dependent Newton's method stands still: it is tried from beside too
            (0..TRIES).find_map(|index| {
                let mut from = self.centre.to_vec();
                for (k, reach) in reach.iter().enumerate().filter(|_| index > 0) {
                    from[k] += reach * (scattered(index, k) - 0.5);
                }
                self.arrive(from, &unit)
            })
        })
    }

    /// The solutions known before, as exactly as they are needed here.
    fn known(&self) -> Vec<Vec<f64>> {
        let points = self.known.points().iter();
        let places = points.map(|point| [&point.x, &self.centre[self.coordinates()..]].concat());
        let widest = self.widest();
        let again = places.filter_map(|from| self.arrive(from, &widest));
        again.collect()
    }

    /// From a solution along the solutions to where the distance is least near by.
    fn slide(&self, mut at: Vec<f64>) -> Vec<f64> {
        let n = self.coordinates();
        let widest = self.widest();
        let mut work = Scratch::default();
        let mut part: f64 = 1.0;
        for _ in 0..STEPS {
            let ones: Vec<f64> = (0..=n).map(|k| if k < n { 1.0 } else { 0.0 }).collect();
            let Some(Evaluation { gradients, .. }) = self.look(&at, &ones, &mut work) else {
                break;
            };
            let rows: DMatrix<f64> = gradients.columns(0, n).into_owned();
            let away = DVector::from_fn(n, |k, _| at[k] - self.centre[k]);
            let across = LeastNorm::new(&rows).and_then(|w| w.shortest(&(&rows * &away), CUT));
            let Some(across) = across else { break };
            let along = &away - across;
            if along.norm() <= FLAT * away.norm() {
                break;
            }
            let far = self.distance(&at);
            let mut nearer = None;
            part = (2.0 * part).min(4.0);
            while nearer.is_none() && part > 1e-4 {
                let mut from = at.clone();
                for (v, step) in from.iter_mut().zip(along.iter()) {
                    *v -= part * step;
                }
                nearer = self
                    .arrive(from, &widest)
                    .filter(|x| self.distance(x) < far * (1.0 - 4.0 * f64::EPSILON));
                if nearer.is_none() {
                    part *= 0.5;
                }
            }
            let Some(next) = nearer else { break };
            at = next;
        }
        at
    }

    /// The middles of some boxes that may hold a solution nearer than `reach`; none where there is no such solution.
    fn clear(&self, reach: f64) -> Vec<Vec<f64>> {
        let n = self.coordinates();
        let sides = self.centre[..n].iter();
        let sides = sides.map(|v| Interval::point(*v).add(Interval::new(-reach, reach)));
        let whole: Region = sides.chain([Interval::point(self.centre[n])]).collect();
        let mut queue = std::collections::VecDeque::from([whole]);
        let mut work = Scratch::default();
        let mut left = EFFORT / (4 * self.both.cost() + 16);
        while let Some(mut part) = queue.pop_front() {
            if left == 0 || is_spent() {
                queue.push_back(part);
                break;
            }
            left -= 1;
            let possible = self.in_ball(&mut part, reach)
                && self.both.contract(&mut part, &mut work)
                && self.in_ball(&mut part, reach);
            if !possible {
                continue;
            }
            let widest = largest(0..n, |k| part[*k].width());
            match widest.map(|(k, _)| halved(part, k)) {
                Some(Ok((low, high))) => queue.extend([low, high]),
                Some(Err(point)) => {
                    queue.push_back(point);
                    break;
                }
                None => break,
            }
        }
        let every = (queue.len() / 8).max(1);
        let some = queue.iter().step_by(every);
        some.map(|part| middles(part)).collect()
    }

    /// Narrows a box to what may be nearer to the point than `reach`; false where nothing is.
    fn in_ball(&self, part: &mut Region, reach: f64) -> bool {
        let n = self.coordinates();
        let centre = self.centre;
        let least: Vec<f64> = (0..n)
            .map(|k| part[k].add(Interval::point(-centre[k])).mignitude())
            .collect();
        let sum: f64 = least.iter().map(|v| v * v).sum();
        // rounding is nothing beside the thousandth that the ball is short by
        let room = reach * reach - sum;
        if room < 0.0 {
            return false;
        }
        for k in 0..n {
            let far = (room + least[k] * least[k]).sqrt();
            part[k].lo = part[k].lo.max(centre[k] - far);
            part[k].hi = part[k].hi.min(centre[k] + far);
            if part[k].lo > part[k].hi {
                return false;
            }
        }
        true
    }
}

impl Model {
    /// The place on the constraints where a factor of the determinant is zero that is nearest to a point, as far as it
    /// is found; `singular` is what is known of the factors that can vanish, in the box `searched`.
    pub(super) fn nearest_failure(
        &self,
        determinant: &SymbolicDeterminant,
        (singular, searched): (&[SingularEntry], &[(f64, f64)]),
        site: &Site,
    ) -> Option<NearestFailure> {
        let system = &self.system;
        let n = site.x.len();
        if n > SEARCHED_UP_TO || n == system.constraints.len() {
            return None;
        }
        let bounds = self.bounds();
        let centre = [site.x.as_slice(), &[site.t]].concat();
        let anywhere = |entry: &&SingularEntry| {
            !matches!(
                entry.found.place,
                Whereabouts::Nowhere(_, Scope::Everywhere)
            )
        };
        let entries: Vec<&SingularEntry> = singular.iter().filter(anywhere).collect();
        let rounds = entries.iter().take(FACTORS).filter_map(|entry| {
            let factor = entry.factor?;
            Some(Round {
                factor,
                both: bounds.and_zero(&system.pool, factor),
                centre: &centre,
                known: &entry.found,
                searched,
            })
        });
        let rounds: Vec<Round<'_>> = rounds.collect();
        let mut best: Option<(f64, usize, Vec<f64>)> = None;
        let mut take = |place: usize, from: Vec<f64>| {
            let round = &rounds[place];
            let point = round.slide(from);
            let distance = round.distance(&point);
            if best.as_ref().is_none_or(|(known, ..)| distance < *known) {
                best = Some((distance, place, point));
            }
            best.as_ref().map(|(known, ..)| *known)
        };
        let mut least = None;
        for (place, round) in rounds.iter().enumerate() {
            for from in round.first().into_iter().chain(round.known()) {
                least = take(place, from);
            }
        }
        let mut is_nearest =
            n <= EXCLUDED_UP_TO && entries.len() <= FACTORS && determinant.whole.is_some();
        for (place, round) in rounds.iter().enumerate() {
            for left in (0..ROUNDS).rev() {
                let Some(reach) = least.filter(|_| is_nearest) else {
                    break;
                };
                let starts = round.clear(reach * (1.0 - CLEARED));
                if starts.is_empty() {
                    break;
                }
                if left == 0 {
                    is_nearest = false;
                    break;
                }
                let widest = round.widest();
                for from in starts {
                    if let Some(found) = round.arrive(from, &widest) {
                        least = take(place, found);
                    }
                }
                is_nearest = least.is_some_and(|now| now < reach * (1.0 - CLEARED));
            }
        }
        let (distance, place, mut point) = best?;
        // a kink or a pole of a constraint that is nearer is a failure too
        let sides = site.x.iter();
        let sides = sides.map(|v| Interval::new(v - distance, v + distance));
        let ball: Region = sides.chain([Interval::point(site.t)]).collect();
        is_nearest &= bounds.equations.is_smooth(&ball, &mut Scratch::default());
        point.truncate(n);
        for v in &mut point {
            if v.abs() < ROUNDING * distance {
                *v = 0.0; // what rounding left
            }
        }
        let changes = point.iter().zip(&site.x).enumerate();
        let changes = changes.map(|(k, (a, b))| (k, (a - b).abs() / b.abs().max(1.0)));
        let (coordinate, _) = changes.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
        Some(NearestFailure {
            factor: rounds[place].factor,
            point,
            distance,
            coordinate,
            is_nearest,
        })
    }
}
