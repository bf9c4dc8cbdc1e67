//! Sets of solutions: where no equation has a coordinate it may have any value, and others may follow it.
//!
//! One member in the region stands for a set. What another case finds on it is one of its members; where sets cross, the members
//! that stand for them lie elsewhere.

use super::pieces::{Course, Piece, TakenApart};
use super::{Case, Finder, Solution};
use crate::expr::{Expr, Interval, Pool, is_over};
use crate::geometry::independent_columns;
use crate::interval::{
    IntervalMatrix, Region, Scratch, apart, as_box, ends, halved, largest, middle_of, middles,
    share,
};
use crate::theorem::scattered_in;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::rc::Rc;

/// Boxes looked at for a member of a family in the region,
const MEMBERS: usize = 500;
/// and for one where all is smooth.
const ROUGH: usize = 32;
/// Members of a set that are looked for on another one.
const COMPARED: u64 = 4;
/// Members of a set of which one stands for it, where the usual one lies on another set as well.
const ELSEWHERE: u64 = 32;
/// Places in boxes that are wider together than this part of the region are not taken for one.
const NARROW: f64 = 1e-6;

/// A case, what was searched for in it, and the coordinates that may have any value.
#[derive(Clone)]
pub(super) struct Source {
    pub(super) case: Case,
    pub(super) values: Vec<(Expr, Interval)>,
    pub(super) free: Vec<Expr>,
    /// What must be positive, then what must not be negative, with what the case has solved for.
    pub(super) signs: Vec<Expr>,
}

impl Source {
    /// Those of the case, with what it has solved for.
    fn equations(&self, pool: &Pool) -> Vec<Expr> {
        let solved = self.case.solved.iter();
        let solved = solved.map(|(unknown, value)| pool.sub(*unknown, *value));
        solved.chain(self.case.equations.iter().copied()).collect()
    }

    /// What is known where the coordinates that may have any value have these.
    pub(super) fn at(&self, values: &[Interval]) -> Vec<(Expr, Interval)> {
        let free = self.free.iter().copied().zip(values.iter().copied());
        self.values.iter().copied().chain(free).collect()
    }
}

impl Finder<'_> {
    /// Keeps a solution that lies in the region and solves the equations as they were; of a family one, that of the usual
    /// values where it does.
    pub(super) fn record(
        &mut self,
        case: &Case,
        values: &[(Expr, Interval)],
        absent: &[Expr],
        dimension: usize,
    ) {
        let (idle, free): (Vec<Expr>, Vec<Expr>) =
            absent.iter().partition(|u| self.is_multiplier(**u));
        let mut values = values.to_vec();
        values.extend(idle.into_iter().map(|u| (u, Interval::ZERO)));
        let by: FxHashMap<Expr, Expr> = case.solved.iter().copied().collect();
        let pool = self.wanted.pool;
        let signs = self.wanted.keeps.iter().chain(self.wanted.pushes);
        let signs = signs.map(|e| pool.simplify(pool.substitute(*e, &by)));
        let source = Source {
            signs: signs.collect(),
            case: case.clone(),
            values,
            free,
        };
        let sides = self.sides(&source.free);
        match self.representative(&source, dimension, (self.usual(&source.free), &[sides])) {
            Ok(Some(found)) => {
                self.outcome.solutions.push(found);
                self.sources.push(source);
            }
            Ok(None) => {}
            Err(undecided) => self.outcome.undecided.extend(undecided),
        }
    }

    /// A member of a set that lies in the region: the first, else one that is found by halving what the coordinates that
    /// may have any value range over; smooth where there is such a one, and where the gradients of the constraints are independent.
    /// `None` where it is proven that there is no member, what may hold one where that is not decided.
    fn representative(
        &self,
        source: &Source,
        dimension: usize,
        (first, ranges): (Vec<Interval>, &[Region]),
    ) -> Result<Option<Solution>, Option<Vec<Interval>>> {
        let sides = self.sides(&source.free);
        let mut queue = VecDeque::from(ranges.to_vec());
        let mut point = first;
        let mut rough: Option<Solution> = None;
        let mut looked = 0;
        loop {
            match self.solution(source, &point, dimension) {
                Some(found) if sides.is_empty() => return Ok(Some(found)),
                Some(found) if found.proven && self.is_regular(&found) => return Ok(Some(found)),
                Some(found) => {
                    let better = |known: &Solution| known.proven || !found.proven;
                    rough = rough.filter(better).or(Some(found));
                }
                None => {}
            }
            let Some(part) = queue.pop_front().filter(|_| !sides.is_empty()) else {
                return Ok(rough);
            };
            if self.solves(source, &source.at(&part)).is_none() {
                continue;
            }
            looked += 1;
            if rough.is_some() && looked > ROUGH {
                return Ok(rough);
            }
            point = middle_of(&part);
            let longest = largest(0..sides.len(), |k| share(part[*k], sides[*k]));
            match longest.map(|(k, _)| halved(part, k)) {
                Some(Ok((low, high))) if looked <= MEMBERS && !is_over() => {
                    queue.extend([low, high]);
                }
                _ if rough.is_some() => return Ok(rough),
                _ => return Err(self.inside(&source.case, &source.at(&sides))),
            }
        }
    }

    /// Are the gradients of the constraints independent at a solution, in numbers?
    fn is_regular(&self, solution: &Solution) -> bool {
        let m = self.wanted.multipliers.len();
        let at = as_box(&middles(&solution.x));
        let (entries, _) = self.gradients.values(&at, &mut Scratch::default());
        let columns =
            IntervalMatrix::from_fn(m, entries.len() / m.max(1), |b, i| entries[i * m + b]);
        let middle = columns.middle();
        m == 0
            || middle.is_some_and(|middle| {
                let units = vec![1.0; middle.ncols()];
                independent_columns(&middle, &units).len() == m
            })
    }

    /// Sets apart what does not hang together: a member stands for each piece of a set.
    pub(super) fn take_apart(&mut self) {
        for own in 0..self.sources.len() {
            let solution = &self.outcome.solutions[own];
            let source = self.sources[own].clone();
            if source.free.is_empty() || solution.member || !solution.proven {
                continue;
            }
            let dimension = solution.dimension;
            let there: Region = solution.any.iter().map(|k| solution.x[*k]).collect();
            let TakenApart {
                pieces,
                undefined,
                complete,
            } = self.pieces(&source);
            self.outcome.complete &= complete && !pieces.is_empty();
            self.outcome.undefined.extend(undefined);
            let course = Rc::new(Course::new(self, &source));
            for parts in pieces {
                let has = |part: &Region| !apart(part, &there);
                let piece = Piece {
                    course: Rc::clone(&course),
                    parts,
                };
                if piece.parts.iter().any(has) {
                    self.outcome.solutions[own].piece = Some(piece);
                    continue;
                }
                let first = piece.parts.first();
                let first = first.map(|part| middle_of(part)).unwrap_or_default();
                match self.representative(&source, dimension, (first, &piece.parts)) {
                    Ok(None) => {}
                    Ok(Some(found)) => self.outcome.solutions.push(Solution {
                        piece: Some(piece),
                        ..found
                    }),
                    Err(undecided) => self.outcome.undecided.extend(undecided),
                }
            }
        }
    }

    /// What is known of the solution at these values of the coordinates that may have any.
    fn solution(&self, source: &Source, point: &[Interval], dimension: usize) -> Option<Solution> {
        let (x, proven) = self.solves(source, &source.at(point))?;
        let any = self.wanted.x.iter().enumerate();
        let any = any.filter(|(_, x)| source.free.contains(x));
        let sides = self.sides(&source.free);
        Some(Solution {
            proven,
            any: any.map(|(k, _)| k).collect(),
            tangent: self.tangent(source, point),
            hull: self.completed(&source.case, &source.at(&sides)).0,
            exact: self.exact(&source.case, &source.values, &x),
            by: source.equations(self.wanted.pool),
            x,
            dimension,
            member: false,
            piece: None,
        })
    }

    /// The values that coordinates are put at where they may have any.
    fn usual(&self, free: &[Expr]) -> Vec<Interval> {
        let place = |u: &Expr| self.wanted.x.iter().position(|x| x == u);
        let value = |k: usize| {
            let side = self.wanted.region[k];
            Interval::point(self.wanted.usual[k].clamp(side.lo, side.hi))
        };
        let values = free.iter().map(|u| place(u).map_or(Interval::ZERO, value));
        values.collect()
    }

    /// The slopes of all coordinates in the first that may have any value.
    fn tangent(&self, source: &Source, point: &[Interval]) -> Option<Vec<f64>> {
        let pool = self.wanted.pool;
        let first = *source.free.first()?;
        let slope = |u: &Expr| {
            let solved = source.case.solved.iter().find(|(s, _)| s == u);
            let own = if *u == first { pool.one() } else { pool.zero() };
            solved.map_or(own, |(_, e)| pool.derivative(*e, first))
        };
        let slopes: Vec<Expr> = self.wanted.x.iter().map(slope).collect();
        let values = middles(&self.evaluated(&slopes, &source.at(point)));
        values.iter().all(|v| v.is_finite()).then_some(values)
    }

    /// Marks solutions that are members of sets which others stand for.
    pub(super) fn tell_members(&mut self) {
        let solutions = &self.outcome.solutions;
        let mut members = vec![false; solutions.len()];
        let mut sure = true;
        // sets of more dimensions first
        let mut order: Vec<usize> = (0..solutions.len()).collect();
        order.sort_by_key(|i| std::cmp::Reverse(solutions[*i].any.len()));
        for (place, &own) in order.iter().enumerate() {
            let others = order[..place].iter().filter(|i| !members[**i]);
            let among: Vec<Option<bool>> = others.map(|set| self.is_member(own, *set)).collect();
            members[own] = among.iter().any(|is| *is != Some(false));
            sure &= !members[own] || among.contains(&Some(true));
        }
        for (solution, member) in self.outcome.solutions.iter_mut().zip(members) {
            solution.member = member;
        }
        self.outcome.complete &= sure;
        for own in 0..self.sources.len() {
            self.move_apart(own);
        }
    }

    /// Where the member that stands for a set lies on another set too, which it crosses there, another member is taken.
    fn move_apart(&mut self, own: usize) {
        let solutions = &self.outcome.solutions;
        let source = &self.sources[own];
        if source.free.is_empty() || solutions[own].member {
            return;
        }
        let crosses = |x: &[Interval]| {
            let mut others = (0..solutions.len()).filter(|k| *k != own && !solutions[*k].member);
            others.any(|set| self.is_on(x, set))
        };
        if !crosses(&solutions[own].x) {
            return;
        }
        let dimension = solutions[own].dimension;
        let mut elsewhere = (0..ELSEWHERE)
            .filter_map(|k| self.solution(source, &self.scattered(source, k), dimension));
        let proven = solutions[own].proven;
        let better = |other: &Solution| {
            other.proven >= proven && !crosses(&other.x) && self.is_regular(other)
        };
        if let Some(apart) = elsewhere.find(better) {
            self.outcome.solutions[own] = apart;
        }
    }

    /// Some values of the coordinates that may have any.
    fn scattered(&self, source: &Source, place: u64) -> Vec<Interval> {
        as_box(&scattered_in(ends(&self.sides(&source.free)), place))
    }

    /// May a place be one of a set that a solution stands for?
    fn is_on(&self, x: &[Interval], set: usize) -> bool {
        let (set, source) = (&self.outcome.solutions[set], &self.sources[set]);
        if source.free.is_empty() {
            return false;
        }
        let at: Vec<Interval> = set.any.iter().map(|k| x[*k]).collect();
        let (there, _) = self.completed(&source.case, &source.at(&at));
        let sides = there.iter().zip(x).zip(self.wanted.region);
        // wide boxes meet where the places do not
        let same = |((a, b), whole): ((&Interval, &Interval), &Interval)| {
            !a.meet(*b).is_empty() && a.hull(*b).width() <= NARROW * whole.width()
        };
        sides.into_iter().all(same)
    }

    /// Is a solution, or are all that it stands for, among those of another one? Nothing where they are no farther apart than numbers
    /// tell, and algebra does not decide.
    fn is_member(&self, own: usize, set: usize) -> Option<bool> {
        let (one, source) = (&self.outcome.solutions[own], &self.sources[own]);
        let other = &self.outcome.solutions[set];
        if one.dimension + other.dimension > 0 || one.proven && !other.proven {
            return Some(false);
        }
        let elsewhere = |place: u64| {
            let values = source.at(&self.scattered(source, place));
            self.completed(&source.case, &values).0
        };
        let places = if source.free.is_empty() { 0 } else { COMPARED };
        if self.is_on(&one.x, set) && (0..places).all(|place| self.is_on(&elsewhere(place), set)) {
            self.solves_those_of(source, &self.sources[set])
        } else {
            Some(false)
        }
    }

    /// Do solutions solve the equations of a set in the coordinates, whatever the coordinates are that may have any value?
    fn solves_those_of(&self, own: &Source, set: &Source) -> Option<bool> {
        let pool = self.wanted.pool;
        let (known, open): (Vec<_>, Vec<_>) = own.values.iter().partition(|(_, v)| v.lo == v.hi);
        let number = |(u, v): &(Expr, Interval)| Some((*u, pool.number(v.number()?)));
        let known: FxHashMap<Expr, Expr> = known.iter().filter_map(number).collect();
        let open: Vec<Expr> = open.iter().map(|(u, _)| *u).collect();
        let solved = own.case.solved.iter();
        let mut by: FxHashMap<Expr, Expr> = solved
            .map(|(u, e)| (*u, pool.substitute(*e, &known)))
            .collect();
        by.extend(&known);
        let mut decided = Some(true);
        for e in set.equations(pool) {
            let there = pool.simplify(pool.substitute(e, &by));
            let is_own = own.case.equations.contains(&there) || own.case.equations.contains(&e);
            if is_own || pool.contains_any(e, self.wanted.multipliers) {
                continue;
            }
            match pool.is_zero(there) {
                Some(true) => {}
                Some(false) if !pool.contains_any(there, &open) => return Some(false),
                _ => decided = None,
            }
        }
        decided
    }
}
