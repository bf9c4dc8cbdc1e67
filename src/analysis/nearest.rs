//! The failure of the theorem that is nearest to a point: of all solutions of {factor = 0, f = c} the one at the least
//! distance, the root of the sum of the squares of the changes of the coordinates.
//!
//! From solutions that Newton's method finds round the point the distance is brought down along the solutions: against
//! the part of its gradient that is tangent to them, and back onto them. That ends at a place where the distance is
//! least near by. Whether a nearer one is elsewhere is decided by branch and prune on the ball round the point
//! that is short of it by a thousandth ([`CLEARED`]): what is left of it is where the search goes on.

use super::check::Site;
use super::{Model, SingularEntry};
use crate::expr::{Expr, Interval, is_spent};
use crate::geometry::LeastNorm;
use crate::interval::{Equations, Region, Scratch, halved, largest, middles};
use crate::theorem::{SymbolicDeterminant, project, scattered};
use nalgebra::DVector;

/// Factors whose zeros are looked for near a point.
const FACTORS: usize = 8;
/// Systems of more coordinates than this are not searched,
const SEARCHED_UP_TO: usize = 24;
/// and in those of more than this nothing is excluded: a ball of so many dimensions takes too many boxes.
const EXCLUDED_UP_TO: usize = 6;
/// Starts in boxes of these sizes in units of max(1, |x|).
const TRIES: u64 = 3;
const REACHES: [f64; 4] = [0.1, 0.5, 2.5, 10.0];
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
}

impl Round<'_> {
    fn coordinates(&self) -> usize {
        self.centre.len() - 1
    }

    fn within(&self, part: f64) -> Region {
        let n = self.coordinates();
        let sides = self.centre[..n].iter().map(|v| {
            let reach = part * v.abs().max(1.0);
            Interval::new(v - reach, v + reach)
        });
        let time = Interval::point(self.centre[n]);
        sides.chain([time]).collect()
    }

    fn distance(&self, x: &[f64]) -> f64 {
        let pairs = self.centre[..self.coordinates()].iter().zip(x);
        pairs.fold(0.0, |sum: f64, (a, b)| sum.hypot(a - b))
    }

    /// Solutions that Newton's method finds from the point, ever wider round it.
    fn first(&self) -> Option<Vec<f64>> {
        REACHES.iter().find_map(|part| {
            // where the gradients are dependent Newton's method stands still: it is tried from beside too
            (0..TRIES).find_map(|index| {
                let mut from = self.centre.to_vec();
                for (k, v) in from.iter_mut().enumerate().take(self.coordinates()) {
                    if index > 0 {
                        *v += part * (scattered(index, k) - 0.5) * v.abs().max(1.0);
                    }
                }
                project(
                    &self.both,
                    &self.within(*part),
                    from,
                    &mut Scratch::default(),
                )
            })
        })
    }

    /// From a solution along the solutions to where the distance is least near by.
    fn slide(&self, mut at: Vec<f64>) -> Vec<f64> {
        let n = self.coordinates();
        let [.., widest] = REACHES;
        let region = self.within(2.0 * widest);
        let mut work = Scratch::default();
        let mut part: f64 = 1.0;
        for _ in 0..STEPS {
            let place: Vec<Interval> = at.iter().map(|v| Interval::point(*v)).collect();
            let (rows, _) = self.both.jacobian(&place, &mut work);
            let columns: Vec<usize> = (0..n).collect();
            let Some(rows) = rows.of_columns(&columns).middle() else {
                break;
            };
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
                nearer = project(&self.both, &region, from, &mut work)
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
            .map(|k| {
                let side = part[k].add(Interval::point(-centre[k]));
                if side.contains(0.0) {
                    0.0
                } else {
                    side.lo.abs().min(side.hi.abs())
                }
            })
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
    /// is found; `singular` are the places that are known.
    pub(super) fn nearest_failure(
        &self,
        determinant: &SymbolicDeterminant,
        singular: &[SingularEntry],
        site: &Site,
    ) -> Option<NearestFailure> {
        let system = &self.system;
        let pool = &system.pool;
        let n = site.x.len();
        if n > SEARCHED_UP_TO || n == system.constraints.len() {
            return None;
        }
        let bounds = self.bounds();
        let centre = [site.x.as_slice(), &[site.t]].concat();
        let rounds = determinant.factors.iter().take(FACTORS);
        let rounds = rounds.map(|&factor| Round {
            factor,
            both: bounds.and_zero(pool, factor),
            centre: &centre,
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
            let own = singular.iter();
            let own = own.filter(|entry| entry.factor == Some(round.factor));
            let known = own.flat_map(|entry| entry.found.points());
            let known = known.map(|point| [point.x.as_slice(), &[site.t]].concat());
            for from in round.first().into_iter().chain(known) {
                least = take(place, from);
            }
        }
        let mut is_nearest = n <= EXCLUDED_UP_TO
            && determinant.factors.len() <= FACTORS
            && determinant.whole.is_some();
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
                let region = round.within(10.0);
                for from in starts {
                    let found = project(&round.both, &region, from, &mut Scratch::default());
                    if let Some(found) = found {
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
            if v.abs() < 1e-14 {
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
