//! Branch and prune: all solutions of as many equations as unknowns in a box, none overlooked.
//!
//! A box is narrowed (HC4, then the interval Newton operator); where that proves that it holds exactly one
//! solution or none it is done with, else it is cut in two. A solution on a cut is caught by widening a
//! small box round an approximate solution until Newton's operator proves it alone there: what lies in
//! that wider box needs no further look. What can be neither proven nor excluded, such as a double root, is
//! kept as an undecided box.

use super::equations::{Equations, Newton, Scratch};
use super::region::{
    Region, apart, as_box, halved, in_order, joined, lies_within, longest, middles,
};
use crate::expr::{Interval, calculate, is_over};

/// A box narrower than this part of the size of its numbers (at least a thousandth of the region) is not
/// cut further.
const SMALLEST: f64 = 1e-8;
/// After as many undecided boxes they are cut less finely: round a multiple solution they are many.
const COARSER_AFTER: usize = 24;
/// Boxes narrower than this part of the region are tried for a solution near their middle.
const TRIED: f64 = 0.25;
/// Newton steps that polish a solution, while each takes this part of its box away: from where it is only just shown to be alone
/// they begin slowly.
const POLISH: usize = 100;
const NARROWS: f64 = 0.05;
/// Operations on numbers that comparing two boxes takes, most of which end with the first side.
const COMPARED: usize = 4;
/// More undecided boxes than this end the search.
const MOST_UNDECIDED: usize = 400;

/// What is known of the solutions in a region.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Roots {
    /// Solutions, each proven to exist and to be the only one in its box; in the order of their numbers.
    pub proven: Vec<Region>,
    /// Boxes that may hold solutions; neighbours are one box.
    pub undecided: Vec<Region>,
    /// Was all of the region looked at?
    complete: bool,
    /// Boxes looked at.
    pub boxes: usize,
}

impl Roots {
    /// Was all of the region looked at? Then no solution lies outside of `proven` and `undecided`. Only a search
    /// can say so.
    pub fn complete(&self) -> bool {
        self.complete
    }

    /// Was all of the region looked at, and all of it decided? Then `proven` has every solution.
    pub fn has_all(&self) -> bool {
        self.complete && self.undecided.is_empty()
    }
}

/// Instructions that [`roots`] takes for a box.
pub fn cost_of_a_box(equations: &Equations) -> usize {
    equations.cost() * 4 + equations.variables().pow(3) + 16
}

/// The solutions of `equations` (as many as variables) in a region. `effort` bounds the instructions; called off
/// (see [`is_over`]) it looks at no further box.
///
/// # Panics
/// There are more or fewer equations than variables.
pub fn roots(equations: &Equations, region: &[Interval], effort: usize) -> Roots {
    let size = equations.variables();
    assert_eq!(size, equations.len());
    let mut search = BoxSearch {
        equations,
        region,
        unknowns: (0..size).collect(),
        work: Scratch::default(),
        alone: Vec::new(),
        smallest: SMALLEST,
    };
    let mut found = Roots::default();
    let mut undecided: Vec<Region> = Vec::new();
    let most = (effort / cost_of_a_box(equations)).max(8);
    let mut queue = vec![region.to_vec()];
    let mut stopped = false;
    while let Some(part) = queue.pop() {
        if found.boxes >= most || undecided.len() > MOST_UNDECIDED || is_over() {
            stopped = true;
            undecided.push(part);
            undecided.append(&mut queue);
            break;
        }
        found.boxes += 1;
        match search.look(part) {
            None => {}
            Some(Ok((left, right))) => queue.extend([right, left]),
            Some(Err(part)) => {
                undecided.push(part);
                if undecided.len().is_multiple_of(COARSER_AFTER) {
                    search.smallest *= 16.0;
                }
            }
        }
    }
    found.complete = !stopped;
    found.proven = search.alone.into_iter().map(|(tight, _)| tight).collect();
    let by_middle = |side: &Interval| side.middle();
    found.proven.sort_by(|a, b| in_order(a, b, by_middle));
    if stopped {
        // what is left over is not told box by box
        undecided.truncate(MOST_UNDECIDED);
    }
    found.undecided = merged(undecided);
    found
}

struct BoxSearch<'a> {
    equations: &'a Equations,
    region: &'a [Interval],
    unknowns: Vec<usize>,
    work: Scratch,
    /// solutions: a tight box, and the box in which it is the only one
    alone: Vec<(Region, Region)>,
    /// how narrow boxes become
    smallest: f64,
}

impl BoxSearch<'_> {
    /// The halves of a box, or the box itself where it is too small to be cut; `None` where all of it is decided.
    fn look(&mut self, mut part: Region) -> Option<Result<(Region, Region), Region>> {
        for _ in 0..4 {
            let before: f64 = self.share(&part);
            if self.covered(&part) || !self.equations.contract(&mut part, &mut self.work) {
                return None;
            }
            let whole = part.clone();
            match self.newton(&mut part) {
                Newton::Empty => return None,
                Newton::Unique => {
                    self.keep(part, whole);
                    return None;
                }
                Newton::Open => {}
            }
            if self.share(&part) > 0.5 * before {
                break;
            }
        }
        if self.share(&part) < TRIED && self.prove_near(&part) && self.covered(&part) {
            return None;
        }
        Some(match self.direction(&part) {
            Some(k) => halved(part, k),
            None => Err(part),
        })
    }

    /// As [`Equations::newton`], in all unknowns.
    fn newton(&mut self, part: &mut Region) -> Newton {
        self.equations.newton(part, &self.unknowns, &mut self.work)
    }

    /// The longest side in parts of the region's.
    fn share(&self, part: &[Interval]) -> f64 {
        longest(part, self.region)
    }

    /// Does a box lie where a solution known is the only one?
    fn covered(&self, part: &[Interval]) -> bool {
        calculate(self.alone.len() * COMPARED);
        self.alone
            .iter()
            .any(|(_, around)| lies_within(part, around))
    }

    /// The side to cut: where the equations change most along it; `None` where all are short.
    fn direction(&mut self, part: &[Interval]) -> Option<usize> {
        let long = |k: usize| {
            let width = part[k].width();
            let whole = self.region[k].width();
            let size = part[k].magnitude().min(whole);
            width > self.smallest * size.max(1e-3 * whole)
                && width > 4.0 * f64::EPSILON * part[k].magnitude()
        };
        let candidates: Vec<usize> = (0..part.len()).filter(|k| long(*k)).collect();
        if candidates.len() <= 1 {
            return candidates.first().copied();
        }
        let weight = self.equations.changes(part, &mut self.work);
        let share = |k: usize| part[k].width() / self.region[k].width().max(f64::MIN_POSITIVE);
        let widest = candidates.iter().map(|k| share(*k)).fold(0.0, f64::max);
        candidates
            .into_iter()
            // no side is left far behind the others
            .filter(|k| share(*k) > 1e-3 * widest)
            .max_by(|a, b| {
                weight[*a]
                    .total_cmp(&weight[*b])
                    .then(share(*a).total_cmp(&share(*b)))
                    .then(b.cmp(a))
            })
    }

    /// Records a solution proven alone in `around`.
    fn keep(&mut self, mut tight: Region, around: Region) {
        for _ in 0..POLISH {
            let before: f64 = tight.iter().map(|side| side.width()).sum();
            let mut next = tight.clone();
            if self.newton(&mut next) == Newton::Empty {
                break;
            }
            tight = next;
            let after: f64 = tight.iter().map(|side| side.width()).sum();
            if after > (1.0 - NARROWS) * before {
                break;
            }
        }
        let inside = !apart(&tight, self.region);
        // the same solution where its tight box lies in the other's own
        let known = (self.alone.iter())
            .any(|(other, own)| lies_within(&tight, own) || lies_within(other, &around));
        if inside && !known {
            self.alone.push((tight, around));
        } else if known && inside {
            // a wider box about the same solution may still cover more
            let mut all = self.alone.iter_mut();
            if let Some(entry) = all.find(|(other, _)| lies_within(other, &around)) {
                let area = |r: &[Interval]| r.iter().map(|s| s.width()).fold(1.0, |a, b| a * b);
                if area(&around) > area(&entry.1) {
                    entry.1 = around;
                }
            }
        }
    }

    /// Newton's method from the middle, then a box round what it finds, as wide as can be proven.
    fn prove_near(&mut self, part: &[Interval]) -> bool {
        let mut point = middles(part);
        let size = point.len();
        let room: Vec<f64> = (0..size)
            .map(|k| {
                let whole = self.region[k].width().max(part[k].magnitude());
                part[k].width().max(1e-12 * whole).max(f64::MIN_POSITIVE)
            })
            .collect();
        let mut last = f64::INFINITY;
        let mut close = false;
        for _ in 0..12 {
            let at = as_box(&point);
            let (values, smooth) = self.equations.values(&at, &mut self.work);
            if !smooth {
                return false;
            }
            let (jacobian, _) = self.equations.jacobian(&at, &mut self.work);
            let Some(inverse) = jacobian.middle().and_then(nalgebra::Matrix::try_inverse) else {
                return false;
            };
            let right = nalgebra::DVector::from_fn(size, |i, _| values[i].middle());
            let step = inverse * right;
            let length = (0..size)
                .map(|k| step[k].abs() / room[k])
                .fold(0.0, f64::max);
            for (v, s) in point.iter_mut().zip(step.iter()) {
                *v -= s;
            }
            // leaving the neighbourhood: no solution here
            let near = (0..size)
                .all(|k| point[k] >= part[k].lo - room[k] && point[k] <= part[k].hi + room[k]);
            if !near || !length.is_finite() {
                return false;
            }
            if length < 1e-6 || length < 1e-2 && length >= 0.5 * last {
                close = true;
                break;
            }
            last = length;
        }
        if !close {
            return false;
        }
        // a box that was narrowed may end at the solution: the region's size counts too
        for (own, of_region) in [
            (2.0, 1e-2),
            (2.0, 1e-4),
            (2.0, 1e-7),
            (1.0, 1e-10),
            (0.5, 0.0),
            (0.02, 0.0),
        ] {
            let around: Region = point
                .iter()
                .zip(part.iter().zip(self.region))
                .map(|(v, (side, whole))| {
                    let reach = own * side.width().max(1e-14 * v.abs()) + of_region * whole.width();
                    Interval::new(v - reach, v + reach)
                })
                .collect();
            let mut tight = around.clone();
            if self.newton(&mut tight) == Newton::Unique {
                self.keep(tight, around);
                return true;
            }
        }
        false
    }
}

/// Is it shown, by so many looks, that equations have no solution in a box? What narrowing leaves of it is cut across the
/// side that is told.
pub fn has_none(
    equations: &Equations,
    start: Region,
    looks: usize,
    side: impl Fn(&[Interval]) -> Option<usize>,
) -> bool {
    let mut work = Scratch::default();
    let mut queue = vec![start];
    for _ in 0..looks {
        let Some(mut part) = queue.pop() else {
            return true;
        };
        if is_over() {
            return false;
        }
        if !equations.contract(&mut part, &mut work) || !equations.combine(&mut part, &mut work) {
            continue;
        }
        match side(&part).map(|k| halved(part, k)) {
            Some(Ok((low, high))) => queue.extend([high, low]),
            _ => return false,
        }
    }
    queue.is_empty()
}

/// Boxes that touch become one.
fn merged(list: Vec<Region>) -> Vec<Region> {
    let touch = |a: &Region, b: &Region| {
        a.iter().zip(b).all(|(p, q)| {
            let slack = 0.5 * p.width().max(q.width());
            p.lo <= q.hi + slack && q.lo <= p.hi + slack
        })
    };
    let mut result = joined(list.into_iter().rev(), touch);
    result.sort_by(|a, b| in_order(a, b, |side| side.lo));
    result
}
