//! What hangs together of a set of solutions.
//!
//! The coordinates that may have any value range over a box. That is cut until in each part all members are smooth and of the right
//! sign, or there is no member. Parts that touch hang together; across a pole or the end of a domain nothing does.
//! Where the others leave the region a set goes on outside of it.

use super::families::Source;
use super::{Finder, are_signed};
use crate::expr::{Expr, Interval, is_over};
use crate::interval::{
    Equations, Region, Scratch, apart, common, halved, joined as regions, largest, share,
};
use std::collections::VecDeque;
use std::rc::Rc;

/// Parts looked at for each set.
const PARTS: usize = 600;
/// A part of this length, of the region's, is not cut.
const NARROW: f64 = 1e-6;

/// How all coordinates follow from those that may have any value.
#[derive(Debug)]
pub struct Course {
    compiled: Equations,
    known: Vec<Interval>,
}

impl Course {
    pub(super) fn new(finder: &Finder, source: &Source) -> Self {
        let wanted = finder.wanted;
        let (symbols, known): (Vec<Expr>, Vec<Interval>) = source.values.iter().copied().unzip();
        let inputs: Vec<Expr> = symbols.iter().chain(&source.free).copied().collect();
        let of = |u: &Expr| {
            let solved = source.case.solved.iter().find(|(s, _)| s == u);
            solved.map_or(*u, |(_, e)| *e)
        };
        let outputs: Vec<Expr> = wanted.x.iter().map(of).collect();
        Self {
            compiled: Equations::of_values(wanted.pool, &inputs, wanted.rounded, &outputs),
            known,
        }
    }

    /// All coordinates where those have these values.
    pub fn at(&self, free: &[Interval]) -> Vec<Interval> {
        let inputs = [&self.known[..], free].concat();
        self.compiled.values(&inputs, &mut Scratch::default()).0
    }
}

/// A set of solutions, or what hangs together of it.
#[derive(Clone, Debug)]
pub struct Piece {
    /// How its members follow from the coordinates that may have any value.
    pub course: Rc<Course>,
    /// Ranges of these: all members of the piece lie in these.
    pub parts: Vec<Region>,
}

/// What a part holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    /// Members at all values.
    All,
    /// None in the region.
    Nothing,
    /// Something is not smooth, though all has values: what hangs together does so across it.
    Kink,
    /// Something has no bounds.
    Pole,
    /// Signs change.
    Signs,
    /// It was not looked at closely.
    Open,
}

impl Holds {
    /// May what is on both sides hang together through it?
    fn joins(self) -> bool {
        matches!(self, Self::All | Self::Kink | Self::Signs | Self::Open)
    }
}

/// The pieces of a set.
pub(super) struct TakenApart {
    /// Parts of each.
    pub pieces: Vec<Vec<Region>>,
    /// Places of all coordinates of which nothing is said.
    pub undefined: Vec<Region>,
    /// Is it shown that each of them hangs together, and that there are no others?
    pub complete: bool,
}

impl Finder<'_> {
    /// What hangs together of a set.
    pub(super) fn pieces(&self, source: &Source) -> TakenApart {
        let sides = self.sides(&source.free);
        let mut queue = VecDeque::from([sides.clone()]);
        let mut leaves: Vec<(Region, Holds)> = Vec::new();
        let mut looked = 0;
        while let Some(part) = queue.pop_front() {
            looked += 1;
            let enough = looked > PARTS || is_over();
            let longest = largest(0..sides.len(), |k| share(part[*k], sides[*k]));
            let longest = longest.filter(|(_, share)| *share > NARROW && !enough);
            let holds = self.holds(source, &part);
            let cut = match (holds, longest) {
                (Holds::All | Holds::Nothing, _) => Err(part),
                (_, Some((k, _))) => halved(part, k),
                _ => Err(part),
            };
            match cut {
                Ok((low, high)) => queue.extend([low, high]),
                Err(part) if enough && holds != Holds::All && holds != Holds::Nothing => {
                    leaves.push((part, Holds::Open));
                }
                Err(part) => leaves.push((part, holds)),
            }
        }
        leaves.retain(|(_, holds)| *holds != Holds::Nothing);
        let one = source.free.len() == 1;
        let signs = leaves.iter().filter(|(_, holds)| *holds == Holds::Signs);
        let signs = regions(signs.map(|(part, _)| part.clone()), |a, b| !apart(a, b));
        let decided = signs
            .iter()
            .all(|part| one && self.has_one_end(source, part));
        let rough = leaves
            .iter()
            .filter(|(_, holds)| matches!(holds, Holds::Kink | Holds::Pole));
        let places = rough.filter_map(|(part, _)| self.common_with(source, part));
        TakenApart {
            // on a line one each; else they are many, and one is told
            undefined: places.take(if one { PARTS } else { 1 }).collect(),
            complete: decided && leaves.iter().all(|(_, holds)| *holds != Holds::Open),
            pieces: joined(leaves),
        }
    }

    /// The coordinates of a part in the region.
    fn common_with(&self, source: &Source, part: &[Interval]) -> Option<Region> {
        common(
            &self.completed(&source.case, &source.at(part)).0,
            self.wanted.region,
        )
    }

    fn holds(&self, source: &Source, part: &[Interval]) -> Holds {
        let values = source.at(part);
        let (x, multipliers) = self.completed(&source.case, &values);
        let mut work = Scratch::default();
        let all = [&x[..], &multipliers].concat();
        let (out, smooth) = self.whole.values(&all, &mut work);
        let none = |out: &[Interval]| out.iter().any(|v| v.is_empty() || !v.contains(0.0));
        let signs = self.evaluated(&source.signs, &values);
        let (keeps, pushes) = signs.split_at(self.wanted.keeps.len());
        let signed = are_signed(keeps, pushes);
        if none(&out) || signed == Some(false) {
            return Holds::Nothing;
        }
        if smooth {
            return if signed == Some(true) {
                Holds::All
            } else {
                Holds::Signs
            };
        }
        let Some(inside) = self.within(&x) else {
            return Holds::Nothing;
        };
        let all = [&inside[..], &multipliers].concat();
        let (out, _) = self.whole.values(&all, &mut work);
        match out.iter().all(|v| v.is_bounded()) {
            _ if none(&out) => Holds::Nothing,
            true => Holds::Kink,
            false => Holds::Pole,
        }
    }

    /// Are all signs monotonic on a part of a curve, and of one way? Then there is one stretch of members at most in it, and it
    /// begins at an end.
    fn has_one_end(&self, source: &Source, part: &[Interval]) -> bool {
        let Some(free) = source.free.first() else {
            return false;
        };
        let pool = self.wanted.pool;
        let values = source.at(part);
        let signs = self.evaluated(&source.signs, &values);
        let own = source.signs.iter().zip(&signs);
        let open = own.filter(|(_, v)| v.lo < 0.0 || v.contains(0.0));
        let slopes: Vec<Expr> = open.map(|(e, _)| pool.derivative(*e, *free)).collect();
        let slopes = self.evaluated(&slopes, &values);
        slopes.iter().all(|v| v.lo > 0.0) || slopes.iter().all(|v| v.hi < 0.0)
    }
}

/// Parts that touch, together; each with members for sure.
fn joined(leaves: Vec<(Region, Holds)>) -> Vec<Vec<Region>> {
    let mut pieces: Vec<Vec<(Region, Holds)>> = Vec::new();
    for leaf in leaves.into_iter().filter(|(_, holds)| holds.joins()) {
        let touches = |piece: &Vec<(Region, Holds)>| piece.iter().any(|(p, _)| !apart(p, &leaf.0));
        let (mut own, others): (Vec<_>, Vec<_>) = pieces.into_iter().partition(touches);
        pieces = others;
        own.push(vec![leaf]);
        pieces.push(own.concat());
    }
    pieces.retain(|piece| piece.iter().any(|(_, holds)| *holds == Holds::All));
    let regions = |piece: Vec<(Region, Holds)>| piece.into_iter().map(|(part, _)| part).collect();
    pieces.into_iter().map(regions).collect()
}
