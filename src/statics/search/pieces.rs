//! What hangs together of a set of solutions.
//!
//! The coordinates that may have any value range over a box. That is cut until in each part all members are smooth and of the right
//! sign, or there is no member. Parts that touch hang together; across a pole or the end of a domain nothing does.
//! Where the others leave the region a set goes on outside of it.

use super::Finder;
use super::families::Source;
use crate::expr::{Expr, Interval, is_over};
use crate::geometry::Groups;
use crate::interval::{Equations, Region, Scratch, apart, halved, joined, largest, share};
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

/// The members that a part has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Members {
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

impl Members {
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
        let mut leaves: Vec<(Region, Members)> = Vec::new();
        let mut looked = 0;
        while let Some(part) = queue.pop_front() {
            looked += 1;
            let enough = looked > PARTS || is_over();
            let longest = largest(0..sides.len(), |k| share(part[*k], sides[*k]));
            let longest = longest.filter(|(_, share)| *share > NARROW && !enough);
            let members = self.members(source, &part);
            let cut = match (members, longest) {
                (Members::All | Members::Nothing, _) => Err(part),
                (_, Some((k, _))) => halved(part, k),
                _ => Err(part),
            };
            match cut {
                Ok((low, high)) => queue.extend([low, high]),
                Err(part) if enough && members != Members::All && members != Members::Nothing => {
                    leaves.push((part, Members::Open));
                }
                Err(part) => leaves.push((part, members)),
            }
        }
        leaves.retain(|(_, members)| *members != Members::Nothing);
        let one = source.free.len() == 1;
        let signs = leaves
            .iter()
            .filter(|(_, members)| *members == Members::Signs);
        let signs = joined(signs.map(|(part, _)| part.clone()), |a, b| !apart(a, b));
        let decided = signs
            .iter()
            .all(|part| one && self.has_one_end(source, part));
        let rough = leaves
            .iter()
            .filter(|(_, members)| matches!(members, Members::Kink | Members::Pole));
        let places = rough.filter_map(|(part, _)| self.inside(&source.case, &source.at(part)));
        TakenApart {
            // on a line one each; else they are many, and one is told
            undefined: places.take(if one { PARTS } else { 1 }).collect(),
            complete: decided && leaves.iter().all(|(_, members)| *members != Members::Open),
            pieces: connected(leaves),
        }
    }

    fn members(&self, source: &Source, part: &[Interval]) -> Members {
        let values = source.at(part);
        let (x, multipliers) = self.completed(&source.case, &values);
        let mut work = Scratch::default();
        let all = [&x[..], &multipliers].concat();
        let (out, smooth) = self.whole.values(&all, &mut work);
        let none = |out: &[Interval]| out.iter().any(|v| v.is_empty() || !v.contains(0.0));
        let signed = self.is_signed(source, &values);
        if none(&out) || signed == Some(false) {
            return Members::Nothing;
        }
        if smooth {
            return if signed == Some(true) {
                Members::All
            } else {
                Members::Signs
            };
        }
        let Some(inside) = self.within(&x) else {
            return Members::Nothing;
        };
        let all = [&inside[..], &multipliers].concat();
        let (out, _) = self.whole.values(&all, &mut work);
        match out.iter().all(|v| v.is_bounded()) {
            _ if none(&out) => Members::Nothing,
            true => Members::Kink,
            false => Members::Pole,
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
fn connected(mut leaves: Vec<(Region, Members)>) -> Vec<Vec<Region>> {
    leaves.retain(|(_, members)| members.joins());
    let mut groups = Groups::new(leaves.len());
    for (k, (part, _)) in leaves.iter().enumerate() {
        let touching = leaves[..k].iter().enumerate();
        let touching = touching.filter(|(_, (other, _))| !apart(other, part));
        touching.for_each(|(other, _)| groups.join(other, k));
    }
    let mut pieces = groups.list();
    pieces.retain(|piece| piece.iter().any(|k| leaves[*k].1 == Members::All));
    let regions = |piece: &Vec<usize>| piece.iter().map(|k| leaves[*k].0.clone()).collect();
    pieces.iter().map(regions).collect()
}
