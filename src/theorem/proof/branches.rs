//! The connected branches of a constraint set of one dimension in a box.
//!
//! The set is covered by arcs. An arc is a box B with a variable k for which Krawczyk's operator proves that f = c has exactly
//! one solution in B for each x_k in its side: the graph of a function, connected. Boxes of the set are narrowed and cut
//! until they lie in such a B or are too small, and left. Two arcs are joined where an end of one, enclosed, lies in the B of the
//! other: there is only one solution there. Two arcs are apart where the solutions of one that lie in the B of the other are
//! proven to be none. Angles are taken a little further than a turn, and compared up to their periods.

use crate::expr::{Interval, is_over};
use crate::geometry::Groups;
use crate::interval::{
    Equations, Newton, Region, Scratch, apart, common, halved, hull_of, lies_within, middles,
    share, widest,
};
use std::collections::VecDeque;

/// An angle is looked at this part of its period beyond both ends of a turn.
const BEYOND: f64 = 1.0 / 64.0;
/// The unknowns of an arc have this part of their side more room to both sides, and at least this part of the region;
const ROOM: (f64, f64) = (0.6, 1e-7);
/// its own variable has this part more, so that neighbours overlap.
const OVERLAP: f64 = 0.15;
/// A box shorter than this part of the region in every side is left.
const SMALLEST: f64 = 1e-5;
/// Boxes left that are nearer to each other than this part of the region are one.
const NEAR: f64 = 1e-3;
/// Boxes longer than this part are cut before an arc is tried.
const LONGEST: f64 = 0.25;
/// More boxes left than this end the search.
const MOST_LEFT: usize = 400;
/// Cuts of an arc for the proof that it meets another nowhere.
const CUTS: usize = 64;

/// The set, and the variable whose range is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Curve<'a> {
    /// f - c.
    pub equations: &'a Equations,
    /// A side for each variable; those of one point are fixed.
    pub region: &'a [Interval],
    /// Variables whose sides are a turn, with their periods.
    pub periods: &'a [(usize, Interval)],
    /// The variable.
    pub along: usize,
}

/// A range that the variable runs over: its ends lie in these intervals, and what is between them is reached.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Run {
    /// The low end.
    pub low: Interval,
    /// The high end.
    pub high: Interval,
}

/// A connected branch, or a part of one between places that could not be decided.
#[derive(Clone, PartialEq, Debug)]
pub struct Connected {
    /// What the variable runs over on it.
    pub runs: Vec<Run>,
    /// A point of it, nearly.
    pub point: Vec<f64>,
    /// Boxes in which it is.
    pub arcs: Vec<Region>,
}

/// Boxes that could not be decided, and the branches that come there.
#[derive(Clone, PartialEq, Debug)]
pub struct Junction {
    /// The box.
    pub sides: Region,
    /// The places of the branches.
    pub branches: Vec<usize>,
}

/// The branches; only the search can make them.
#[derive(Clone, PartialEq, Debug)]
pub struct Branches {
    list: Vec<Connected>,
    junctions: Vec<Junction>,
    apart: bool,
    complete: bool,
}

impl Branches {
    /// Each is connected, proven.
    pub fn list(&self) -> &[Connected] {
        &self.list
    }

    /// What was not decided.
    pub fn junctions(&self) -> &[Junction] {
        &self.junctions
    }

    /// Is it proven that there are no others, but in what was not decided?
    pub fn complete(&self) -> bool {
        self.complete
    }

    /// Is it proven that no two of them are one, but through what was not decided?
    pub fn apart(&self) -> bool {
        self.apart
    }

    /// Is it proven that there are so many?
    pub fn are_counted(&self) -> bool {
        self.complete && self.apart && self.junctions.is_empty()
    }
}

#[derive(Clone, Debug)]
struct CurveSegment {
    /// its variable
    by: usize,
    /// the box in which there is one solution for each value of it
    sides: Region,
    /// where these are
    tight: Region,
    /// those at its ends
    ends: [Region; 2],
}

/// The branches of a curve.
pub fn branches(curve: Curve<'_>) -> Branches {
    let mut region = curve.region.to_vec();
    for (k, period) in curve.periods {
        let more = BEYOND * period.hi;
        region[*k] = Interval::new(region[*k].lo - more, region[*k].hi + more);
    }
    let mut search = BranchSearch {
        curve,
        region,
        work: Scratch::default(),
        arcs: Vec::new(),
        left: Vec::new(),
    };
    let complete = search.cover();
    search.branches(complete)
}

struct BranchSearch<'a> {
    curve: Curve<'a>,
    /// with what is beyond a turn
    region: Region,
    work: Scratch,
    arcs: Vec<CurveSegment>,
    left: Vec<Region>,
}

impl BranchSearch<'_> {
    /// Covers the set by arcs, and what is left; false where not all was looked at.
    fn cover(&mut self) -> bool {
        let mut queue = VecDeque::from([self.region.clone()]);
        while let Some(mut part) = queue.pop_front() {
            if is_over() || self.left.len() > MOST_LEFT {
                self.left.push(part);
                self.left.extend(queue);
                return false;
            }
            let equations = self.curve.equations;
            if !equations.contract(&mut part, &mut self.work)
                || self.arcs.iter().any(|arc| lies_within(&part, &arc.sides))
            {
                continue;
            }
            if self.is_repeated(&part) || self.is_excluded(&mut part) {
                continue;
            }
            let (widest, share) = widest((0..part.len()).map(|k| self.share(&part, k)));
            if share <= LONGEST && self.add_arc(&part) {
                continue;
            }
            if share <= SMALLEST {
                self.left.push(part);
                continue;
            }
            match halved(part, widest) {
                Ok((low, high)) => queue.extend([low, high]),
                Err(part) => self.left.push(part),
            }
        }
        true
    }

    fn share(&self, part: &[Interval], k: usize) -> f64 {
        share(part[k], self.region[k])
    }

    /// Does a box lie beyond a turn, where the set repeats itself?
    fn is_repeated(&self, part: &[Interval]) -> bool {
        let beyond = |(k, _): &(usize, Interval)| part[*k].meet(self.curve.region[*k]).is_empty();
        self.curve.periods.iter().any(beyond)
    }

    /// Narrows a box near the set by Newton's operator; true where it holds nothing of the set.
    fn is_excluded(&mut self, part: &mut Region) -> bool {
        let equations = self.curve.equations;
        let unknowns = equations.determined(part, &mut self.work);
        unknowns.is_some_and(|unknowns| {
            equations.newton(part, &unknowns, &mut self.work) == Newton::Empty
        })
    }

    /// Does an angle go round?
    fn period(&self, k: usize) -> Option<Interval> {
        let found = self.curve.periods.iter().find(|(own, _)| *own == k);
        found.map(|(_, period)| *period)
    }

    /// An arc that holds all of the set in a part, if one can be proven.
    fn add_arc(&mut self, part: &Region) -> bool {
        let equations = self.curve.equations;
        let moving = (0..part.len()).filter(|k| self.region[*k].width() > 0.0);
        let Some(matrix) = equations.in_middle(part, &mut self.work) else {
            return false;
        };
        // by the variable that changes most along the set, in parts of the box: |det J without its column|
        let mut order: Vec<(f64, usize)> = moving
            .map(|k| {
                let others = self.others(k);
                let room = self.share(part, k).max(1e-12) * self.region[k].width();
                (matrix.select_columns(&others).determinant().abs() / room, k)
            })
            .collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0));
        order
            .into_iter()
            .take(2)
            .any(|(_, by)| self.add_arc_by(part, by))
    }

    /// The variables that are not fixed, but for one.
    fn others(&self, by: usize) -> Vec<usize> {
        let others = (0..self.region.len()).filter(|k| *k != by);
        others.filter(|k| self.region[*k].width() > 0.0).collect()
    }

    fn add_arc_by(&mut self, part: &Region, by: usize) -> bool {
        let equations = self.curve.equations;
        let mut sides = part.clone();
        for k in 0..sides.len() {
            let (own, whole) = (part[k], self.region[k]);
            if k == by {
                let more = OVERLAP * own.width() + ROOM.1 * whole.width();
                let (lo, hi) = (own.lo - more, own.hi + more);
                sides[k] = Interval::new(lo.max(whole.lo), hi.min(whole.hi));
            } else if whole.width() > 0.0 {
                let more = ROOM.0 * own.width() + ROOM.1 * whole.width();
                sides[k] = Interval::new(own.lo - more, own.hi + more);
            }
        }
        let unknowns = self.others(by);
        let Some(tight) = self.unique(&sides, &unknowns) else {
            return false;
        };
        // what leaves the region is no part of the set there; of an angle it is seen on the other side
        let inside = |k: usize| self.period(k).is_some() || tight[k].is_within(self.region[k]);
        let inside = (0..tight.len()).all(inside);
        if !inside {
            return false;
        }
        let end = |at: f64, search: &mut Self| {
            let mut end = sides.clone();
            end[by] = Interval::point(at);
            let mut end = search.unique(&end, &unknowns)?;
            for _ in 0..4 {
                equations.newton(&mut end, &unknowns, &mut search.work);
            }
            Some(end)
        };
        let (Some(low), Some(high)) = (end(sides[by].lo, self), end(sides[by].hi, self)) else {
            return false;
        };
        self.arcs.push(CurveSegment {
            by,
            sides,
            tight,
            ends: [low, high],
        });
        true
    }

    /// Where the one solution for each value of the other variables is, if there is one for each.
    fn unique(&mut self, sides: &Region, unknowns: &[usize]) -> Option<Region> {
        let mut tight = sides.clone();
        let found = self
            .curve
            .equations
            .newton(&mut tight, unknowns, &mut self.work);
        (found == Newton::Unique).then_some(tight)
    }

    /// The turns by which a box is to be moved so that it meets another.
    fn turns(&self, a: &[Interval], b: &[Interval]) -> Vec<Vec<(usize, i32)>> {
        let mut list = vec![Vec::new()];
        for k in 0..a.len() {
            let most = i32::from(self.period(k).is_some());
            let meets = |turn: &i32| !self.turned(a[k], k, *turn).meet(b[k]).is_empty();
            let mut choices = (-most..=most).filter(meets);
            let Some(first) = choices.next() else {
                return Vec::new();
            };
            let choices: Vec<i32> = choices.chain([first]).collect();
            if choices == [0] {
                continue;
            }
            list = list
                .into_iter()
                .flat_map(|known: Vec<(usize, i32)>| {
                    choices.iter().map(move |turn| {
                        let mut own = known.clone();
                        if *turn != 0 {
                            own.push((k, *turn));
                        }
                        own
                    })
                })
                .collect();
        }
        list
    }

    fn turned(&self, side: Interval, k: usize, turn: i32) -> Interval {
        match self.period(k) {
            Some(period) if turn != 0 => side.add(period.mul(Interval::point(f64::from(turn)))),
            _ => side,
        }
    }

    fn moved(&self, sides: &[Interval], turns: &[(usize, i32)]) -> Region {
        let mut moved = sides.to_vec();
        for &(k, turn) in turns {
            moved[k] = self.turned(moved[k], k, turn);
        }
        moved
    }

    /// Do arcs share a point, the first moved by turns? `None` where neither is proven.
    fn meet(
        &mut self,
        (a, b): (&CurveSegment, &CurveSegment),
        turns: &[(usize, i32)],
    ) -> Option<bool> {
        let back: Vec<(usize, i32)> = turns.iter().map(|(k, turn)| (*k, -turn)).collect();
        let ends_in = |one: &CurveSegment, turns: &[(usize, i32)], other: &CurveSegment| {
            let mut ends = one.ends.iter();
            ends.any(|end| lies_within(&self.moved(end, turns), &other.sides))
        };
        if ends_in(a, turns, b) || ends_in(b, &back, a) {
            return Some(true);
        }
        // what of the second lies where the first is, cut along it
        let there = self.moved(&a.tight, turns);
        let Some(part) = common(&b.tight, &there) else {
            return Some(false);
        };
        let (unknowns, mine) = (self.others(b.by), self.others(a.by));
        let mut queue = vec![part];
        for _ in 0..CUTS {
            let Some(part) = queue.pop() else {
                return Some(false);
            };
            let mut own = b.sides.clone();
            own[b.by] = part[b.by];
            let equations = self.curve.equations;
            if equations.newton(&mut own, &unknowns, &mut self.work) == Newton::Empty {
                continue;
            }
            let mut other = self.moved(&a.sides, turns);
            other[a.by] = other[a.by].meet(own[a.by]);
            let apart = other[a.by].is_empty()
                || equations.newton(&mut other, &mine, &mut self.work) == Newton::Empty
                || apart(&own, &other);
            if apart {
                continue;
            }
            match halved(part, b.by) {
                Ok((low, high)) => queue.extend([low, high]),
                Err(_) => return None,
            }
        }
        None
    }

    fn branches(mut self, complete: bool) -> Branches {
        let arcs = std::mem::take(&mut self.arcs);
        let left = std::mem::take(&mut self.left);
        let mut whole = Groups::new(arcs.len());
        // those that are one without going round along the variable
        let mut strips = Groups::new(arcs.len());
        let mut unclear = Vec::new();
        for j in 0..arcs.len() {
            for i in 0..j {
                for turns in self.turns(&arcs[i].sides, &arcs[j].sides) {
                    let round = turns.iter().any(|(k, _)| *k == self.curve.along);
                    if strips.same(i, j) || round && whole.same(i, j) {
                        continue;
                    }
                    match self.meet((&arcs[i], &arcs[j]), &turns) {
                        Some(true) => {
                            whole.join(i, j);
                            if !round {
                                strips.join(i, j);
                            }
                        }
                        Some(false) => {}
                        None => unclear.push((i, j)),
                    }
                }
            }
        }
        let names = whole.list();
        let list = names.iter().map(|group| {
            let mut own: Vec<usize> = group.iter().map(|k| strips.of(*k)).collect();
            own.sort_unstable();
            own.dedup();
            let runs = own.iter().map(|strip| {
                let own = group.iter().filter(|k| strips.of(**k) == *strip);
                self.run(own.map(|k| &arcs[*k]))
            });
            // what is only seen beyond a turn is seen at its other end
            let runs = runs.filter(|run| run.high.hi > run.low.lo);
            let ends = group.iter().map(|k| &arcs[*k].ends[0]);
            let point = ends.clone().find(|end| lies_within(end, self.curve.region));
            let point = point.unwrap_or(&arcs[group[0]].ends[0]);
            Connected {
                runs: united(runs.collect()),
                point: middles(point),
                arcs: group.iter().map(|k| arcs[*k].sides.clone()).collect(),
            }
        });
        let mut list: Vec<Connected> = list.collect();
        let touches = |a: &Region, b: &Region| !self.turns(a, b).is_empty();
        let mut junctions: Vec<Junction> = Vec::new();
        for mut sides in left {
            let near = self.about(&sides);
            let meets = |own: &Junction| self.turns(&near, &own.sides).into_iter().next();
            while let Some((k, turns)) =
                (junctions.iter().enumerate()).find_map(|(k, own)| Some((k, meets(own)?)))
            {
                let (other, moved) = (junctions.swap_remove(k).sides, self.moved(&sides, &turns));
                sides = hull_of(&moved, &other);
            }
            junctions.push(Junction {
                sides,
                branches: Vec::new(),
            });
        }
        // what lies near a junction is told with it
        let about: Vec<Region> = junctions.iter().map(|own| self.about(&own.sides)).collect();
        let is_near = |arc: &Region| {
            about.iter().any(|own| {
                let turns = self.turns(arc, own);
                turns
                    .iter()
                    .any(|turns| lies_within(&self.moved(arc, turns), own))
            })
        };
        list.retain(|one| !one.arcs.iter().all(is_near));
        let apart = unclear
            .iter()
            .all(|&(i, j)| whole.same(i, j) || is_near(&arcs[i].sides) || is_near(&arcs[j].sides));
        for junction in &mut junctions {
            let comes = |one: &Connected| one.arcs.iter().any(|arc| touches(arc, &junction.sides));
            junction.branches = (0..list.len()).filter(|k| comes(&list[*k])).collect();
        }
        Branches {
            list,
            junctions,
            apart,
            complete,
        }
    }

    /// A box with what is near it.
    fn about(&self, sides: &Region) -> Region {
        let wider = |k: usize| {
            let more = NEAR * self.region[k].width();
            Interval::new(sides[k].lo - more, sides[k].hi + more)
        };
        (0..sides.len()).map(wider).collect()
    }

    /// What the variable runs over on arcs that are connected.
    fn run<'b>(&self, arcs: impl Iterator<Item = &'b CurveSegment>) -> Run {
        let along = self.curve.along;
        let whole = self.curve.region[along];
        let (mut outer, mut inner) = (Interval::EMPTY, (f64::INFINITY, f64::NEG_INFINITY));
        for arc in arcs {
            outer = outer.hull(arc.tight[along]);
            for end in &arc.ends {
                inner.0 = inner.0.min(end[along].hi);
                inner.1 = inner.1.max(end[along].lo);
            }
        }
        let end = |a: f64, b: f64| {
            let (a, b) = (a.clamp(whole.lo, whole.hi), b.clamp(whole.lo, whole.hi));
            Interval::new(a.min(b), a.max(b))
        };
        Run {
            low: end(outer.lo, inner.0),
            high: end(inner.1, outer.hi),
        }
    }
}

/// Runs that overlap for certain become one.
fn united(mut runs: Vec<Run>) -> Vec<Run> {
    runs.sort_by(|a, b| a.low.hi.total_cmp(&b.low.hi));
    let mut list: Vec<Run> = Vec::new();
    for run in runs {
        match list.last_mut() {
            Some(last) if run.low.hi <= last.high.lo => {
                last.low.lo = last.low.lo.min(run.low.lo);
                last.high.lo = last.high.lo.max(run.high.lo);
                last.high.hi = last.high.hi.max(run.high.hi);
            }
            _ => list.push(run),
        }
    }
    list
}
