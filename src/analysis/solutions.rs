//! The solutions x_D of f = y in a region, with what is proven of them.

use super::InverseRequest;
use super::check::REACH;
use crate::expr::Interval;
use crate::interval::{
    Domain, Equations, Region, Roots, Scratch, as_box, box_of, middles, representative, roots,
};
use crate::theorem::{half_turn, period_of, project, within_a_turn};
use nalgebra::DVector;
use std::f64::consts::TAU;

/// Instructions that the search may cost.
const EFFORT: usize = 40_000_000;
/// What is as near as this, in parts of the region, is one point.
const POINT: f64 = 1e-6;
/// As far about a point that Newton's method found f has to be defined, in parts of the region.
const ABOUT: f64 = 1e-9;
/// Steps that polish a solution which is not proven: at a double root each halves what is left.
const POLISH: usize = 100;

/// A place that Newton's method or the search for solutions led to, and that is none: f is not C^1 about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Excluded {
    /// Its dependent coordinates.
    pub value: Vec<f64>,
    /// Has f a pole there, or does its domain end?
    pub pole: bool,
}

/// A solution, and where it is proven a box that holds it.
pub(super) type Solution = (Vec<f64>, Option<Region>);

/// Where solutions are looked for.
pub(super) struct Search<'a> {
    pub(super) equations: &'a Equations,
    pub(super) dependent: &'a [usize],
    /// the sides that were asked for, by place
    asked: Vec<Option<(f64, f64)>>,
    /// of these one turn; in a region that was asked for each solution counts, however often it repeats
    pub(super) turning: Vec<(usize, f64)>,
    /// was it said near what?
    pub(super) near: bool,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        equations: &'a Equations,
        periods: &[(usize, f64)],
        (request, dependent): (&InverseRequest, &'a [usize]),
    ) -> Self {
        let side = |k: &usize| {
            let mut sides = request.region.iter().rev();
            sides.find(|(own, _)| own == k).map(|(_, side)| *side)
        };
        let asked: Vec<Option<(f64, f64)>> = dependent.iter().map(side).collect();
        let turning = periods.iter().filter(|(place, _)| asked[*place].is_none());
        Self {
            turning: turning.copied().collect(),
            equations,
            dependent,
            asked,
            near: !request.near.is_empty(),
        }
    }

    /// The region round a place, to be searched.
    pub(super) fn about(&self, near: Vec<f64>) -> Found {
        self.within(near, REACH)
    }

    /// The same as far as `reach` times a coordinate.
    pub(super) fn within(&self, near: Vec<f64>, reach: f64) -> Found {
        let region = near.iter().enumerate().map(|(place, v)| {
            let turn = period_of(&self.turning, place).map(half_turn);
            let reach = turn.unwrap_or(reach * v.abs().max(1.0));
            self.asked[place].unwrap_or((v - reach, v + reach))
        });
        Found {
            region: region.collect(),
            near,
            ..Found::default()
        }
    }

    /// May there be something outside the region that it was not said not to look at?
    pub(super) fn is_open(&self) -> bool {
        let given = self.asked.iter().filter(|side| side.is_some()).count();
        given + self.turning.len() < self.asked.len()
    }

    /// Is all there is in the region?
    pub(super) fn is_all(&self) -> bool {
        self.turning.len() == self.asked.len()
    }

    /// Searches a region that takes the place of one without a solution if it has one, or if it has none for certain.
    pub(super) fn finds(&self, solved: &mut Found, mut next: Found) -> bool {
        next.search(self.equations);
        let found = !next.solutions.is_empty();
        if found || next.reaches_round(solved) && next.searched.has_all() {
            *solved = next;
        }
        found
    }
}

/// How far a place is from another, in its sizes.
pub(super) fn distance(value: &[f64], near: &[f64]) -> f64 {
    let pairs = value.iter().zip(near);
    let parts = pairs.map(|(a, b)| ((a - b) / b.abs().max(1.0)).powi(2));
    parts.sum()
}

/// A region, and what was found in it.
#[derive(Default)]
pub(super) struct Found {
    pub(super) near: Vec<f64>,
    pub(super) region: Vec<(f64, f64)>,
    pub(super) searched: Roots,
    pub(super) solutions: Vec<Solution>,
    pub(super) excluded: Vec<Excluded>,
}

impl Found {
    /// Does this region hold the other?
    fn reaches_round(&self, other: &Self) -> bool {
        let mut pairs = self.region.iter().zip(&other.region);
        pairs.all(|(own, side)| own.0 <= side.0 && side.1 <= own.1)
    }

    /// The solution nearest to where they were looked for; the others remain.
    pub(super) fn take_nearest(&mut self) -> Option<Solution> {
        let off = |place: &usize| distance(&self.solutions[*place].0, &self.near);
        let places = 0..self.solutions.len();
        let nearest = places.min_by(|a, b| off(a).total_cmp(&off(b)))?;
        Some(self.solutions.remove(nearest))
    }

    /// The solutions: what branch and prune proves, and what Newton's method finds where it could not
    /// decide, or where it found nothing, from `near`. A place about which f is not defined counts as none.
    pub(super) fn search(&mut self, equations: &Equations) {
        let region = self.region.as_slice();
        let sides = box_of(region);
        let mut work = Scratch::default();
        // before the search, which may take all that a question may cost
        let next = project(equations, &sides, self.near.clone(), &mut work);
        let searched = if self.near.is_empty() {
            Roots::default()
        } else {
            roots(equations, &sides, EFFORT)
        };
        let proven = searched.proven.iter();
        let mut solutions: Vec<Solution> = proven
            .map(|root| (representative(root), Some(root.clone())))
            .collect();
        let mut excluded: Vec<Excluded> = Vec::new();
        let mut starts: Vec<Vec<f64>> = Vec::new();
        let mut scratch = Scratch::default();
        for part in &searched.undecided {
            let middle = middles(part);
            let mut all = part.iter().zip(&sides);
            let small = all.all(|(side, whole)| side.width() <= POINT * whole.width());
            match equations.domain(part, &mut scratch) {
                domain @ (Domain::Pole | Domain::Edge) if small => excluded.push(Excluded {
                    value: middle,
                    pole: domain == Domain::Pole,
                }),
                _ => starts.push(middle),
            }
        }
        let same = |a: &[f64], b: &[f64]| {
            let pairs = a.iter().zip(b).zip(region);
            let mut off = pairs.map(|((p, q), (lo, hi))| (p - q).abs() / (hi - lo));
            off.all(|off| off <= POINT)
        };
        let next = next.filter(|_| solutions.is_empty());
        let met = starts
            .into_iter()
            .filter_map(|begin| project(equations, &sides, begin, &mut work));
        for point in met.chain(next) {
            if solutions.iter().any(|(known, _)| same(known, &point))
                || excluded.iter().any(|known| same(&known.value, &point))
            {
                continue;
            }
            match equations.domain_round(&point, (&sides, ABOUT), &mut scratch) {
                Domain::Inside | Domain::Kink => {
                    solutions.push((polished((equations, &sides), point, &mut scratch), None));
                }
                domain => excluded.push(Excluded {
                    value: point,
                    pole: domain == Domain::Pole,
                }),
            }
        }
        self.searched = searched;
        self.solutions = solutions;
        self.excluded = excluded;
    }
}

/// A solution that was found to the accuracy of the region, by Newton's method as long as its steps become shorter: next to a double
/// root they halve.
fn polished(
    (equations, sides): (&Equations, &[Interval]),
    mut point: Vec<f64>,
    work: &mut Scratch,
) -> Vec<f64> {
    // it leads nowhere else
    let mut last = sides
        .iter()
        .fold(0.0, |most: f64, s| most.max(POINT * s.width()));
    // without a constraint there is nothing to solve
    let steps = if point.is_empty() { 0 } else { POLISH };
    for _ in 0..steps {
        let at = as_box(&point);
        let (values, _) = equations.values(&at, work);
        let (jacobian, _) = equations.jacobian(&at, work);
        let off = DVector::from_fn(values.len(), |i, _| values[i].middle());
        let step = jacobian.middle().and_then(|rows| rows.lu().solve(&off));
        let Some(step) = step.filter(|step| step.norm() < 0.9 * last) else {
            break;
        };
        last = step.norm();
        let next = point.iter().zip(step.iter()).map(|(x, dx)| x - dx);
        point = next.collect();
    }
    point
}

/// Solutions a whole number of periods apart are one; others are not, however near.
pub(super) fn once_a_period(solutions: &mut Vec<Solution>, periods: &[(usize, f64)]) {
    let mut kept: Vec<Solution> = Vec::new();
    for (value, proven) in solutions.drain(..) {
        let again = kept.iter().any(|(known, _)| {
            let pairs = || known.iter().zip(&value).enumerate();
            let turned = |(k, (a, b)): (usize, (&f64, &f64))| {
                period_of(periods, k).is_some_and(|period| (a - b).abs() > 0.5 * period)
            };
            pairs().any(turned)
                && pairs().all(|(k, (a, b))| {
                    let off = within_a_turn(a - b, period_of(periods, k));
                    off.abs() < 1e-9 * a.abs().max(TAU)
                })
        });
        if !again {
            kept.push((value, proven));
        }
    }
    *solutions = kept;
}
