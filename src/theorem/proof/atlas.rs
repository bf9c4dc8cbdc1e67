//! An atlas of the constraint set in a box: charts (choices of dependent coordinates), each with boxes
//! on which F is proven to be one-to-one, which together hold every point of {f = c} in the box, or all but
//! the boxes that are left.
//!
//! 1. Points of the set are gathered by Newton's method from scattered points. The first that no piece
//!    holds becomes the seed of one: for every choice the largest box that can be proven is grown from it
//!    (see [`super::neighbourhood`]), and the choice whose box holds most points is taken.
//! 2. What remains of the region when the pieces are taken away is narrowed, cut and looked at until
//!    nothing is left: a part either holds no point of the set, or lies in a piece, or is the seed of a
//!    further piece, or is too small to be cut and is left. That the pieces and what is left cover the set
//!    is thereby proven.

use super::chart::Chart;
use super::neighbourhood::grown;
use crate::expr::{INTERVAL, Interval, calculate, is_over, rounded};
use crate::geometry::{Evaluation, NewtonBack, Next, Step};
use crate::interval::{
    Domain, Equations, Newton, Region, Scratch, apart, as_box, common, halved, largest,
    lies_within, longest, middles, part_of, share, widest,
};
use crate::theorem::inverse::scattered_in;
use nalgebra::DVector;
use std::cell::RefCell;

/// Operations of dense least squares that scattered points may cost, and beyond which no step is made at all.
const DENSE: usize = 20_000_000;
pub(super) const DENSEST_STEP: usize = 1_000_000;
/// Scattered points from which Newton's method starts.
const STARTS: u64 = 160;
/// Newton steps.
const STEPS: usize = 30;
/// A step of this part of the region is the last.
const SETTLED: f64 = 1e-9;
/// Directions with singular values below this part of the largest are left out of a step.
const CUT: f64 = 1e-12;
/// At most so many choices of dependent coordinates are tried for a piece.
const CHOICES: usize = 10;
/// The digits that an end of a piece is rounded to, those first that read best.
const DIGITS: [i32; 5] = [3, 4, 5, 6, 8];
/// The same where the pieces are too many to look for the best of each.
const DIGITS_OF_MANY: [i32; 1] = [6];
/// An end is zero but for rounding below this part of the region.
const ROUNDING: f64 = 1e-12;
/// More pieces than this are many.
const MANY: usize = 60;
/// A piece is cut out of a part where it holds more than this of it: else the rest is in slivers.
const WORTH: f64 = 0.3;
/// A side that no J_D depends on is cut where this part of it is longer than those that one depends on.
const LONG: f64 = 0.02;
/// More boxes left than this end the search.
const MOST_LEFT: usize = 4000;

/// A box on which F is one-to-one for a choice of dependent coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// The place of the choice among the charts.
    pub chart: usize,
    /// Its sides, the variables of the equations in order.
    pub sides: Region,
}

/// Charts and their pieces, and what they do not cover.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Atlas {
    /// The pieces, in the order in which they were found.
    pub pieces: Vec<Piece>,
    /// Boxes that hold what no piece does.
    pub left: Vec<Region>,
    /// Was all of the region looked at? Then every point of the set in it lies in a piece or in `left`.
    pub complete: bool,
    /// Boxes looked at.
    pub boxes: usize,
}

/// How a region is covered.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// A box shorter than this part of the region is left.
    pub smallest: f64,
    /// Instructions that may be spent.
    pub effort: usize,
}

impl Terms {
    /// For a set of this dimension: what is left is a set of one dimension less.
    pub fn of_dimension(dimension: usize) -> Self {
        Self {
            smallest: match dimension {
                0 | 1 => 1e-6,
                2 => 0.02,
                _ => 0.06,
            },
            effort: 200_000_000,
        }
    }
}

/// Covers {f = c} in a region (a variable that is fixed has a side of one point) by pieces of these charts.
pub fn atlas(equations: &Equations, charts: &[Chart], region: &[Interval], terms: Terms) -> Atlas {
    let mut cover = Cover {
        equations,
        charts,
        region,
        work: Scratch::default(),
        points: sample(equations, region, STARTS),
        found: Atlas::default(),
        left: terms.effort,
        smallest: terms.smallest,
        recent: 0,
    };
    // on a surface pieces from scattered points leave slivers between them
    let free = region.iter().filter(|side| side.width() > 0.0).count();
    if free <= equations.len() + 1 {
        cover.seed();
    }
    cover.prove();
    cover.round();
    // a piece that was found later may hold some of what was left before
    let left = std::mem::take(&mut cover.found.left);
    for mut part in left {
        let kept = cover.trim(&mut part) && equations.contract(&mut part, &mut cover.work);
        if kept {
            cover.found.left.push(part);
        }
    }
    let mut found = cover.found;
    drop_useless(&mut found.pieces);
    found
}

/// Points of the constraint set in a region, by Newton's method from scattered points: not all of them,
/// and none proven.
pub fn sample(equations: &Equations, region: &[Interval], starts: u64) -> Vec<Vec<f64>> {
    let mut work = Scratch::default();
    let starts = starts.min((DENSE / dense(equations, region).max(1)) as u64);
    (0..starts)
        .take_while(|_| !is_over())
        .filter_map(|index| {
            let start = scattered_in(region.iter().map(|side| (side.lo, side.hi)), index);
            project(equations, region, start, &mut work)
        })
        .collect()
}

/// What a step of Newton's method costs beside the equations, in products.
pub(super) fn dense(equations: &Equations, region: &[Interval]) -> usize {
    equations.len() * equations.len() * region.len()
}

/// Newton's method of least norm to {f = c}, in units of the region; fixed variables stay. `None` where it
/// does not end inside.
pub fn project(
    equations: &Equations,
    region: &[Interval],
    mut point: Vec<f64>,
    work: &mut Scratch,
) -> Option<Vec<f64>> {
    let m = equations.len();
    if m == 0 {
        return Some(point);
    }
    let widths: Vec<f64> = region.iter().map(|side| side.hi - side.lo).collect();
    let newton = NewtonBack {
        widths: &widths,
        longest: 0.5,
        cut: CUT,
        steps: STEPS,
    };
    // whether rounding alone may have left what is left
    let met = RefCell::new(vec![false; m]);
    let look = |at: &[f64]| {
        if is_over() {
            return None;
        }
        let at = as_box(at);
        let (values, _) = equations.values(&at, work);
        let (jacobian, _) = equations.jacobian(&at, work);
        *met.borrow_mut() = values.iter().map(|v| v.contains(0.0)).collect();
        let residual = DVector::from_fn(m, |i, _| values[i].middle());
        let gradients = jacobian.middle()?;
        Some(Evaluation {
            residual,
            gradients,
        })
    };
    // least squares may stand still where the equations do not hold
    let solved = |step: &Step<'_>| {
        let met = met.borrow();
        (0..m).all(|i| met[i] || step.residual[i].abs() <= 1e-8 * step.slopes[i])
    };
    let judge = |step: &Step<'_>| {
        if step.length < SETTLED {
            if solved(step) {
                Next::There
            } else {
                Next::Lost
            }
        } else if step.length > 4.0 * step.last.max(1e-3) {
            Next::Lost
        } else {
            Next::Go
        }
    };
    point = newton.run(point, look, judge)?.x;
    let inside = point.iter().zip(region).all(|(v, side)| {
        // a part that was narrowed to a plane is no wider than rounding
        let slack = 1e-9 * (side.hi - side.lo) + 4.0 * f64::EPSILON * v.abs();
        *v >= side.lo - slack && *v <= side.hi + slack
    });
    // towards a pole the steps become short too
    let near = (region, 2.0 * SETTLED);
    if !inside || equations.domain_round(&point, near, work) == Domain::Pole {
        return None;
    }
    let held = point.iter().zip(region);
    Some(held.map(|(v, side)| v.clamp(side.lo, side.hi)).collect())
}

/// Takes away the pieces that lie in another of them.
fn drop_useless(pieces: &mut Vec<Piece>) {
    let mut k = 0;
    while k < pieces.len() {
        let inside = |other: &Piece| lies_within(&pieces[k].sides, &other.sides);
        let others = pieces.iter().enumerate().filter(|(i, _)| *i != k);
        if others.into_iter().any(|(_, other)| inside(other)) {
            pieces.remove(k);
        } else {
            k += 1;
        }
    }
}

struct Cover<'a> {
    equations: &'a Equations,
    charts: &'a [Chart],
    region: &'a [Interval],
    work: Scratch,
    /// points of the set, known
    points: Vec<Vec<f64>>,
    found: Atlas,
    /// instructions left
    left: usize,
    smallest: f64,
    /// the chart that held last
    recent: usize,
}

impl Cover<'_> {
    /// Pieces from the points that none holds yet.
    fn seed(&mut self) {
        for k in 0..self.points.len() {
            if is_over() {
                return;
            }
            let point = self.points[k].clone();
            if self.found.pieces.iter().all(|p| !holds(&p.sides, &point)) {
                self.add_piece(&as_box(&point));
            }
        }
    }

    /// Grows the best piece from a seed; false where no chart can be proven on it.
    fn add_piece(&mut self, seed: &[Interval]) -> bool {
        let mut open: Vec<Vec<f64>> = self.points.clone();
        open.retain(|x| self.found.pieces.iter().all(|p| !holds(&p.sides, x)));
        let mut best: Option<((usize, f64), Piece)> = None;
        let mut tried = 0;
        // the chart that held last goes first
        let (before, from) = self.charts.split_at(self.recent.min(self.charts.len()));
        let order = (self.recent..).zip(from).chain((0..).zip(before));
        for (index, chart) in order {
            if tried >= CHOICES || is_over() {
                break;
            }
            self.spend(60);
            let Some(sides) = grown(self.equations, chart, seed, self.region) else {
                continue;
            };
            tried += 1;
            let count = open.iter().filter(|x| holds(&sides, x)).count();
            let size = (count, part_of(&sides, self.region));
            if best.as_ref().is_none_or(|(most, _)| size > *most) {
                let chart = index;
                best = Some((size, Piece { chart, sides }));
            }
        }
        let Some((_, piece)) = best else {
            return false;
        };
        self.recent = piece.chart;
        self.found.pieces.push(piece);
        true
    }

    fn spend(&mut self, evaluations: usize) {
        let chart = self.charts.get(self.recent).map_or(0, Chart::cost);
        let cost = evaluations * (self.equations.cost() + chart + 32);
        self.left = self.left.saturating_sub(cost);
    }

    /// Looks at what the pieces leave of the region.
    fn prove(&mut self) {
        let mut queue = vec![self.region.to_vec()];
        self.found.complete = true;
        while let Some(part) = queue.pop() {
            if self.left == 0 || self.found.left.len() > MOST_LEFT || is_over() {
                self.found.complete = false;
                self.found.left.push(part);
                self.found.left.append(&mut queue);
                return;
            }
            self.found.boxes += 1;
            self.spend(4);
            self.look(part, &mut queue);
        }
    }

    fn look(&mut self, mut part: Region, queue: &mut Vec<Region>) {
        if !self.narrow(&mut part) || !self.trim(&mut part) {
            return;
        }
        calculate(INTERVAL * self.found.pieces.len() * part.len());
        // what lies outside of a piece that holds a good part of it
        let overlaps = |piece: &&Piece| {
            let both = common(&part, &piece.sides);
            both.map_or(0.0, |both| part_of(&both, &part))
        };
        if let Some((piece, share)) = largest(&self.found.pieces, overlaps)
            && share > WORTH
        {
            queue.extend(outside(part, &piece.sides));
            return;
        }
        // a piece of its own, if the set is there
        if self.is_regular_somewhere(&part) {
            let middle = middles(&part);
            let point = if dense(self.equations, &part) > DENSEST_STEP {
                None
            } else {
                project(self.equations, &part, middle, &mut self.work)
            };
            self.spend(STEPS);
            if (point.is_some() || self.is_short(&part)) && self.add_piece(&part) {
                queue.push(part);
                return;
            }
        }
        // what no J_D depends on says nothing of where pieces are: it is cut only where f is not C^1, or where
        // it is long beside the others (the set may run through the part more than once)
        let rough = !self.equations.is_smooth(&part, &mut self.work);
        let varies = |k: usize| self.charts.iter().any(|c| c.varies_with(k));
        let none = !(0..part.len()).any(varies);
        let length = |k: usize| {
            let share = share(part[k], self.region[k]);
            let decides = rough || none || varies(k);
            if decides { share } else { LONG * share }
        };
        let (widest, length) = widest((0..part.len()).map(length));
        if length <= self.smallest {
            self.found.left.push(part);
            return;
        }
        match halved(part, widest) {
            Ok((low, high)) => queue.extend([high, low]),
            Err(part) => self.found.left.push(part),
        }
    }

    /// Takes away what pieces hold of a part as long as one box is left; false where none is.
    fn trim(&self, part: &mut Region) -> bool {
        for _ in 0..4 {
            let mut changed = false;
            for piece in &self.found.pieces {
                if apart(part, &piece.sides) {
                    continue;
                }
                // all but one side of the part lie in the piece's
                let mut beyond = part.iter().zip(&piece.sides).enumerate();
                let Some((k, (side, own))) = beyond.find(|(_, (p, own))| !p.is_within(**own))
                else {
                    return false;
                };
                if beyond.any(|(_, (p, own))| !p.is_within(*own)) {
                    continue;
                }
                part[k] = match (side.lo < own.lo, side.hi > own.hi) {
                    (true, false) => Interval::new(side.lo, own.lo),
                    (false, true) => Interval::new(own.hi, side.hi),
                    _ => continue,
                };
                changed = true;
            }
            if !changed {
                break;
            }
        }
        true
    }

    /// Narrows a part to where the set can be; false where it cannot.
    fn narrow(&mut self, part: &mut Region) -> bool {
        if !self.equations.contract(part, &mut self.work) {
            return false;
        }
        if longest(part, self.region) > 0.3 {
            return true;
        }
        let Some(chart) = self.charts.get(self.recent) else {
            return true;
        };
        self.spend(4);
        self.equations
            .newton(part, &chart.dependent, &mut self.work)
            != Newton::Empty
    }

    /// Moves the ends of the pieces outward to numbers of few digits where that can be proven too: what is
    /// read off then covers what the pieces do.
    fn round(&mut self) {
        let digits: &[i32] = if self.found.pieces.len() > MANY {
            &DIGITS_OF_MANY
        } else {
            &DIGITS
        };
        for place in 0..self.found.pieces.len() {
            if is_over() {
                return;
            }
            let piece = &self.found.pieces[place];
            let Some(chart) = self.charts.get(piece.chart) else {
                continue;
            };
            let mut sides = piece.sides.clone();
            for k in 0..sides.len() {
                let (old, whole) = (sides[k], self.region[k]);
                for upper in [false, true] {
                    let end = if upper { old.hi } else { old.lo };
                    if whole.lo >= old.lo && !upper || whole.hi <= old.hi && upper {
                        continue;
                    }
                    let kept = sides[k];
                    for &digits in digits {
                        let end = rounded(end, digits, upper);
                        sides[k] = if upper {
                            Interval::new(kept.lo, end.min(whole.hi))
                        } else {
                            Interval::new(end.max(whole.lo), kept.hi)
                        };
                        if chart.is_one_to_one(self.equations, &sides, &mut self.work) {
                            break;
                        }
                        sides[k] = kept;
                    }
                }
            }
            self.off_rounding(&mut sides);
            self.found.pieces[place].sides = sides;
        }
    }

    /// Moves ends that are zero but for rounding, where J_D is singular, inward to where the set can be.
    fn off_rounding(&mut self, sides: &mut Region) {
        let is_rounding = |end: f64, k: usize| {
            end != 0.0 && end.abs() <= ROUNDING * (self.region[k].hi - self.region[k].lo)
        };
        let beside_zero: Vec<(usize, bool)> = (0..sides.len())
            .flat_map(|k| [(k, false), (k, true)])
            .filter(|&(k, upper)| is_rounding(if upper { sides[k].hi } else { sides[k].lo }, k))
            .collect();
        let mut hull = sides.clone();
        if beside_zero.is_empty() || !self.equations.contract(&mut hull, &mut self.work) {
            return;
        }
        for (k, upper) in beside_zero {
            let own = sides[k];
            let end = if upper { hull[k].hi } else { hull[k].lo };
            let mut ends = DIGITS.iter().map(|d| rounded(end, *d, upper));
            if let Some(end) = ends.find(|end| own.contains(*end)) {
                sides[k] = if upper {
                    Interval::new(own.lo, end)
                } else {
                    Interval::new(end, own.hi)
                };
            }
        }
    }

    /// Is a part short along all that the equations depend on?
    fn is_short(&self, part: &[Interval]) -> bool {
        (0..part.len())
            .filter(|k| self.equations.contains(*k))
            .all(|k| part[k].width() <= 16.0 * self.smallest * self.region[k].width())
    }

    fn is_regular_somewhere(&mut self, part: &[Interval]) -> bool {
        self.spend(self.charts.len().min(CHOICES));
        let (equations, work) = (self.equations, &mut self.work);
        self.charts
            .iter()
            .any(|chart| chart.is_one_to_one(equations, part, work))
    }
}

/// Does a box hold a point?
fn holds(sides: &[Interval], point: &[f64]) -> bool {
    sides.iter().zip(point).all(|(side, v)| side.contains(*v))
}

/// The parts of a box outside of another.
fn outside(mut part: Region, piece: &[Interval]) -> Vec<Region> {
    let mut list = Vec::new();
    for (k, own) in piece.iter().enumerate() {
        if part[k].lo < own.lo {
            let mut below = part.clone();
            below[k].hi = own.lo;
            part[k].lo = own.lo;
            list.push(below);
        }
        if part[k].hi > own.hi {
            let mut above = part.clone();
            above[k].lo = own.hi;
            part[k].hi = own.hi;
            list.push(above);
        }
    }
    list
}
