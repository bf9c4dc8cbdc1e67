//! Where one-sided constraints carry nothing: f_b = c_b and lambda_b = 0 at once, so that a point solves the equations in which b acts
//! and those in which it does not. All that goes on there is followed, in the equations of every choice of these constraints. Where
//! one carries nothing all along a branch, that is the same in both, and told once.

use super::walk::coordinates_and_parameter;
use super::{Following, Half, Point, SAME, Segment, located};
use nalgebra::DVector;

/// Of so many that carry nothing every choice is looked at.
const MOST: usize = 3;
/// A point is between two others of a branch where the way over it is longer by no more than this part.
const BENT: f64 = 0.005;

/// A piece is told where another is nearer than this part of its length.
const SHORT: f64 = 0.01;

/// Equations, and a point of them.
pub(super) type On = (usize, DVector<f64>);

impl Following<'_> {
    /// A point of these equations, known to this part of the units, in those of every choice of the one-sided constraints that carry
    /// nothing there, of which `met` is one: the fewest that act first. The equations themselves are among them.
    pub(super) fn choices(
        &mut self,
        (place, y): (usize, &DVector<f64>),
        blur: f64,
        met: Option<usize>,
    ) -> Vec<On> {
        let own = || vec![(place, y.clone())];
        let curve = &self.curves[place].1;
        // of dependent ones it is not one alone that lets go
        let Some(local) = curve.at(y).filter(|_| self.subject.independent.is_none()) else {
            return own();
        };
        let contacts = curve.contacts(y, &local);
        let idle = curve.sided().iter().zip(contacts);
        let idle = idle.filter(|(b, v)| v.abs() <= blur || Some(**b) == met);
        let idle: Vec<usize> = idle.map(|(b, _)| *b).take(MOST).collect();
        let released = self.curves[place].0.clone();
        let others = released.iter().copied().filter(|b| !idle.contains(b));
        let others: Vec<usize> = others.collect();
        let work = curve.largest();
        let at = self.point(place, y);
        let mut all = Vec::new();
        for choice in 0..1_usize << idle.len() {
            let acts = |k: &usize| choice >> k & 1 == 0;
            let free = (0..idle.len()).filter(acts).map(|k| idle[k]);
            let mut list: Vec<usize> = others.iter().copied().chain(free).collect();
            list.sort_unstable();
            if list == released {
                all.extend(own());
                continue;
            }
            let Some(other) = self.without(&list, None) else {
                continue;
            };
            let curve = &self.curves[other].1;
            curve.take_up(work);
            // what begins to act carries nothing yet
            let there = curve.gathered(&at.x, &at.multipliers, at.p);
            if curve
                .at(&there)
                .is_some_and(|local| curve.is_regular(&local))
            {
                all.push((other, there));
            }
        }
        all.sort_by_key(|(other, _)| self.curves[*other].1.m);
        all
    }

    /// Takes up in a node what goes on there in the equations of other choices.
    pub(super) fn join(&mut self, node: usize, choices: Vec<On>, blur: f64) {
        for (curve, y) in choices {
            let on = self.nodes[node].on.iter();
            if on.clone().any(|(known, _)| self.are_alike(*known, curve)) {
                continue;
            }
            let ways = located::ways(&self.curves[curve].1, &y, blur);
            let halves = ways.into_iter().map(|way| Half::new(curve, way));
            self.nodes[node].halves.extend(halves);
            self.nodes[node].on.push((curve, y));
        }
    }

    /// Is all of a piece told, in the equations of this choice or of another? Its points but the last, and that.
    pub(super) fn is_told(&self, points: &[On], last: &DVector<f64>) -> bool {
        let alone = points.first().filter(|_| points.len() == 1);
        let middle = alone.map(|(place, y)| (*place, (y + last) * 0.5));
        let mut inside = points.iter().skip(1).chain(&middle);
        // a short one is told where another is much nearer than it is long
        let apart = |(place, y): &On| self.apart(*place, &points[0].1, y);
        let length = points.iter().chain(&middle).map(apart);
        let near = SAME.min(SHORT * length.fold(0.0, f64::max));
        inside.all(|(place, y)| {
            let mut told = self.found.pieces.iter().zip(&self.told);
            told.any(|(piece, on)| self.is_on((*place, y), (piece, *on), near))
        })
    }

    /// Is a point as near as this to one of a piece that was followed in these equations?
    fn is_on(
        &self,
        (place, y): (usize, &DVector<f64>),
        (piece, on): (&Segment, usize),
        near: f64,
    ) -> bool {
        let (own, curve) = (&self.curves[place].1, &self.curves[on].1);
        let apart = |a: &DVector<f64>, b: &DVector<f64>| self.bounds.distance(curve, a, b);
        let here = coordinates_and_parameter(own.n, y);
        let unknowns = |at: &Point| curve.gathered(&at.x, &at.multipliers, at.p);
        piece.points.windows(2).any(|pair| {
            let [a, b] = [&pair[0], &pair[1]].map(unknowns);
            let (before, after, length) = (apart(&a, &here), apart(&here, &b), apart(&a, &b));
            if before + after > (1.0 + BENT) * length + near {
                return false;
            }
            if before.min(after) < near {
                return true;
            }
            // beside it on the chord
            let part = 0.5 + 0.5 * (before * before - after * after) / (length * length);
            let guess = &a + (&b - &a) * part;
            let found = curve.at(&guess).and_then(|local| {
                let chord = curve.border(&(&b - &a).component_div(&local.columns));
                curve.correct(&guess, &chord)
            });
            found.is_some_and(|found| apart(&found.y, &here) < near)
        })
    }
}
