//! All equilibria in a box: f = c and S = J^T lambda in the coordinates and the multipliers.
//!
//! What is linear in an unknown with a numeric coefficient is solved for it exactly; an equation that is
//! a product is split into one case a factor. What is left is solved by branch and prune
//! ([`crate::interval::roots`]), which overlooks nothing. The multipliers left are not bounded: the
//! equations are affine in them, a + sum lambda_b c_b = 0, and hold for some lambda exactly where
//!
//! ```text
//! mu a + sum u_b c_b = 0,  max(|mu|, |u_1|, …) = 1,  lambda = u/mu
//! ```
//!
//! (F. John's form) with mu not 0. Each face of that cube is a search in bounded unknowns: mu = 1, and
//! u_b = 1 for each b. Where mu = 0 the gradients of the constraints are dependent. No finite multipliers need be there,
//! and a case may lose the place: such places are searched for by themselves ([`dependent`]).

mod cases;
mod dependent;
mod john;
mod uneven;

pub use dependent::{Suspects, dependent};

use crate::expr::{Expr, Interval, Number, Pool, is_over};
use crate::interval::{BoxFunction, Equations, Roots, Trace, halved, roots};
use crate::theorem::scattered;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// Boxes looked at for a member of a family in the region,
const MEMBERS: usize = 500;
/// and for one where all is smooth.
const ROUGH: usize = 32;
/// Members of a set that are looked for on another one.
const COMPARED: u64 = 4;
/// Members of a set of which one stands for it, where the usual one lies on another set as well.
const ELSEWHERE: u64 = 32;
/// The cube is taken a little larger, so that nothing lies on its edge.
const EDGE: f64 = 1.0 + 1e-3;

/// The equations and where to look.
pub struct Wanted<'a> {
    /// The expressions.
    pub pool: &'a Pool,
    /// The coordinates.
    pub x: &'a [Expr],
    /// The multipliers of the constraints that act.
    pub multipliers: &'a [Expr],
    /// f - c and S - J^T lambda, numbers for the time and for parameters that somebody has written.
    pub equations: &'a [Expr],
    /// The parameters that are left: computed from others, so that their values are rounded.
    pub rounded: &'a [(Expr, Interval)],
    /// A range a coordinate.
    pub region: &'a [Interval],
    /// Where coordinates that are in no equation are put.
    pub usual: &'a [f64],
    /// Instructions that it may cost.
    pub effort: usize,
}

impl Wanted<'_> {
    fn constants(&self) -> impl Iterator<Item = &Expr> {
        self.rounded.iter().map(|(symbol, _)| symbol)
    }
}

/// A solution.
#[derive(Clone, Debug)]
pub struct Solution {
    /// Its coordinates.
    pub x: Vec<Interval>,
    /// Is it proven to exist (and, where it belongs to no family, to be alone)?
    pub proven: bool,
    /// Coordinates that may have any value: no equation has them.
    pub any: Vec<usize>,
    /// The slopes of all coordinates in the first of them.
    pub tangent: Option<Vec<f64>>,
    /// What the solutions at all their values lie in.
    pub hull: Vec<Interval>,
    /// The exact value of a coordinate, where it was solved for in symbols.
    pub exact: Vec<Option<Expr>>,
    /// It lies on a proven set of solutions of so many dimensions, besides those of `any`.
    pub dimension: usize,
    /// It is one of those that another solution has at other values of its `any`.
    pub member: bool,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Solutions, some perhaps twice.
    pub solutions: Vec<Solution>,
    /// Boxes that may hold solutions, a range a coordinate.
    pub undecided: Vec<Vec<Interval>>,
    /// Is it proven that there are no others than `solutions` and those in `undecided`?
    pub complete: bool,
}

/// Searches.
pub fn search(wanted: &Wanted) -> Outcome {
    let mut finder = Finder::new(wanted);
    let cases = finder.cases();
    let mut calls = cases.len();
    for case in cases {
        if is_over() {
            finder.outcome.complete = false;
            break;
        }
        finder.solve(&case, calls);
        calls -= 1;
    }
    finder.tell_members();
    finder.outcome
}

/// Equations left, and what was solved for.
#[derive(Clone, Debug)]
struct Case {
    equations: Vec<Expr>,
    solved: Vec<(Expr, Expr)>,
}

impl Source {
    /// What is known where the coordinates that may have any value have these.
    fn at(&self, values: &[Interval]) -> Vec<(Expr, Interval)> {
        let free = self.free.iter().copied().zip(values.iter().copied());
        self.values.iter().copied().chain(free).collect()
    }
}

struct Finder<'a> {
    wanted: &'a Wanted<'a>,
    unknowns: Vec<Expr>,
    /// the equations as they were
    whole: BoxFunction,
    left: usize,
    outcome: Outcome,
    /// of each solution, what it was completed from
    sources: Vec<Source>,
}

/// A case, what was searched for in it, and the coordinates that may have any value.
struct Source {
    case: Case,
    values: Vec<(Expr, Interval)>,
    free: Vec<Expr>,
}

impl<'a> Finder<'a> {
    fn new(wanted: &'a Wanted<'a>) -> Self {
        let mut unknowns = wanted.x.to_vec();
        unknowns.extend_from_slice(wanted.multipliers);
        let inputs: Vec<Expr> = unknowns.iter().chain(wanted.constants()).copied().collect();
        Self {
            whole: BoxFunction::new(wanted.pool, &inputs, wanted.equations),
            wanted,
            unknowns,
            left: wanted.effort,
            sources: Vec::new(),
            outcome: Outcome {
                complete: true,
                ..Outcome::default()
            },
        }
    }

    /// Equations in some of the unknowns over boxes.
    fn over_boxes(&self, unknowns: &[Expr], equations: &[Expr]) -> Equations {
        Equations::new(self.wanted.pool, unknowns, self.wanted.rounded, equations)
    }

    fn is_multiplier(&self, e: Expr) -> bool {
        self.wanted.multipliers.contains(&e)
    }

    fn side(&self, unknown: Expr) -> Interval {
        let place = self.wanted.x.iter().position(|x| *x == unknown);
        place.map_or(Interval::ALL, |k| self.wanted.region[k])
    }

    fn solve(&mut self, case: &Case, calls: usize) {
        let pool = self.wanted.pool;
        let inside = |u: &Expr| {
            case.equations
                .iter()
                .any(|e| pool.symbols_of(*e).contains(u))
        };
        let open: Vec<Expr> = self
            .unknowns
            .iter()
            .copied()
            .filter(|u| case.solved.iter().all(|(s, _)| s != u))
            .collect();
        let (present, absent): (Vec<Expr>, Vec<Expr>) = open.into_iter().partition(|u| inside(u));
        if present.len() != case.equations.len() {
            if !self.is_empty(&case.equations, &present) {
                self.outcome.complete = false;
                self.member(case, &present, &absent);
            }
            return;
        }
        if present.is_empty() {
            self.record(case, &[], &absent, 0);
            return;
        }
        let (multipliers, coordinates): (Vec<Expr>, Vec<Expr>) =
            present.iter().partition(|u| self.is_multiplier(**u));
        let faces = multipliers.len() + 1;
        let share = self.left / (calls * faces).max(1);
        let Some(form) = self.homogeneous(&case.equations, &coordinates, &multipliers) else {
            self.outcome.complete = false;
            return;
        };
        // mu = 1, then u_b = 1 for each b
        for one in std::iter::once(form.mu).chain(form.u.iter().copied()) {
            let others = form.u.iter().chain([&form.mu]).filter(|e| **e != one);
            let unknowns: Vec<Expr> = coordinates.iter().chain(others).copied().collect();
            let by = FxHashMap::from_iter([(one, pool.one())]);
            let equations = pool.substitute_all(&form.equations, &by);
            let mut region: Vec<Interval> = coordinates.iter().map(|u| self.side(*u)).collect();
            region.resize(unknowns.len(), Interval::new(-EDGE, EDGE));
            let found = self.face((&unknowns, &equations), &region, share);
            let mut undecided: Vec<&Vec<Interval>> = found.undecided.iter().collect();
            for root in &found.proven {
                let value = |e: Expr| {
                    let place = unknowns.iter().position(|u| *u == e);
                    place.map_or(Interval::ONE, |k| root[k])
                };
                let mu = value(form.mu);
                if mu.contains(0.0) {
                    // no equilibrium for sure
                    undecided.push(root);
                    continue;
                }
                let own = coordinates.iter().map(|u| (*u, value(*u)));
                let pushes = multipliers.iter().zip(&form.u).zip(&form.scales);
                let pushes =
                    pushes.map(|((l, u), s)| (*l, value(*u).mul(Interval::point(*s)).div(mu)));
                let values: Vec<(Expr, Interval)> = own.chain(pushes).collect();
                self.record(case, &values, &absent, 0);
            }
            for part in undecided {
                let values = unknowns.iter().copied().zip(part.iter().copied());
                let sides = absent.iter().map(|u| (*u, self.side(*u)));
                let values: Vec<(Expr, Interval)> = values.chain(sides).collect();
                let inside = self.inside(case, &values);
                self.outcome.undecided.extend(inside);
            }
        }
    }

    /// One search by branch and prune.
    fn face(
        &mut self,
        (unknowns, equations): (&[Expr], &[Expr]),
        region: &[Interval],
        effort: usize,
    ) -> Roots {
        let equations = self.over_boxes(unknowns, equations);
        let found = roots(&equations, region, effort);
        let size = unknowns.len();
        let cost = equations.cost() * 4 + size * size * size + 16;
        self.left = self.left.saturating_sub(found.boxes * cost);
        self.outcome.complete &= found.complete();
        found
    }

    /// Functions of the unknowns that are not solved for, over boxes.
    fn evaluated(&self, outputs: &[Expr], values: &[(Expr, Interval)]) -> Vec<Interval> {
        let known = values.iter().chain(self.wanted.rounded).copied();
        let (symbols, inputs): (Vec<Expr>, Vec<Interval>) = known.unzip();
        let mut results = vec![Interval::ALL; outputs.len()];
        BoxFunction::new(self.wanted.pool, &symbols, outputs).eval(
            &inputs,
            &mut Trace::default(),
            &mut results,
        );
        results
    }

    /// All unknowns from those that are not solved for: coordinates, then multipliers.
    fn completed(
        &self,
        case: &Case,
        values: &[(Expr, Interval)],
    ) -> (Vec<Interval>, Vec<Interval>) {
        let outputs: Vec<Expr> = case.solved.iter().map(|(_, e)| *e).collect();
        let solved = case.solved.iter().map(|(u, _)| *u);
        let solved = solved.zip(self.evaluated(&outputs, values));
        let known: Vec<(Expr, Interval)> = values.iter().copied().chain(solved).collect();
        let of = |u: &Expr| {
            let found = known.iter().find(|(s, _)| s == u);
            found.map_or(Interval::ALL, |(_, v)| *v)
        };
        (
            self.wanted.x.iter().map(of).collect(),
            self.wanted.multipliers.iter().map(of).collect(),
        )
    }

    /// The part of the region in which the coordinates are; `None` where that is outside of it.
    fn inside(&self, case: &Case, values: &[(Expr, Interval)]) -> Option<Vec<Interval>> {
        self.within(&self.completed(case, values).0)
    }

    fn within(&self, x: &[Interval]) -> Option<Vec<Interval>> {
        let cut = x.iter().zip(self.wanted.region);
        let cut: Vec<Interval> = cut.map(|(side, whole)| side.meet(*whole)).collect();
        (!cut.iter().any(|side| side.is_empty())).then_some(cut)
    }

    /// The coordinates, and whether all is smooth there; `None` where they are outside of the region, or nothing solves the
    /// equations as they were.
    fn solves(&self, case: &Case, values: &[(Expr, Interval)]) -> Option<(Vec<Interval>, bool)> {
        let (x, multipliers) = self.completed(case, values);
        self.within(&x)?;
        let mut all = x.clone();
        all.extend(multipliers);
        all.extend(self.wanted.rounded.iter().map(|(_, range)| *range));
        let mut out = vec![Interval::ALL; self.wanted.equations.len()];
        let smooth = self.whole.eval(&all, &mut Trace::default(), &mut out);
        // undefined there, or no solution of what was simplified
        let none = out.iter().any(|v| v.is_empty() || !v.contains(0.0));
        (!none).then_some((x, smooth))
    }

    /// Keeps a solution that lies in the region and solves the equations as they were; of a family one, that of the usual
    /// values where it does.
    fn record(
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
        let source = Source {
            case: case.clone(),
            values,
            free,
        };
        match self.representative(&source, dimension) {
            Ok(Some(found)) => {
                self.outcome.solutions.push(found);
                self.sources.push(source);
            }
            Ok(None) => {}
            Err(undecided) => self.outcome.undecided.extend(undecided),
        }
    }

    /// A member of a set that lies in the region: the usual one, else one that is found by halving what the coordinates that
    /// may have any value range over; smooth where there is such a one. `None` where it is proven that there is no member, what
    /// may hold one where that is not decided.
    fn representative(
        &self,
        source: &Source,
        dimension: usize,
    ) -> Result<Option<Solution>, Option<Vec<Interval>>> {
        let sides: Vec<Interval> = source.free.iter().map(|u| self.side(*u)).collect();
        let share = |part: &[Interval], k: usize| part[k].width() / sides[k].width();
        let mut queue = VecDeque::from([sides.clone()]);
        let mut point = self.usual(&source.free);
        let mut rough = None;
        let mut looked = 0;
        loop {
            match self.solution(source, &point, dimension) {
                Some(found) if found.proven || sides.is_empty() => return Ok(Some(found)),
                Some(found) => rough = rough.or(Some(found)),
                None => {}
            }
            let Some(part) = queue.pop_front().filter(|_| !sides.is_empty()) else {
                return Ok(rough);
            };
            if self.solves(&source.case, &source.at(&part)).is_none() {
                continue;
            }
            looked += 1;
            if rough.is_some() && looked > ROUGH {
                return Ok(rough);
            }
            point = part.iter().map(|v| Interval::point(v.middle())).collect();
            let longest =
                (0..sides.len()).max_by(|a, b| share(&part, *a).total_cmp(&share(&part, *b)));
            match longest.map(|k| halved(part, k)) {
                Some(Ok((low, high))) if looked <= MEMBERS && !is_over() => {
                    queue.extend([low, high]);
                }
                _ => return Err(self.inside(&source.case, &source.at(&sides))),
            }
        }
    }

    /// What is known of the solution at these values of the coordinates that may have any.
    fn solution(&self, source: &Source, point: &[Interval], dimension: usize) -> Option<Solution> {
        let (x, proven) = self.solves(&source.case, &source.at(point))?;
        let any = self.wanted.x.iter().enumerate();
        let any = any.filter(|(_, x)| source.free.contains(x));
        let sides: Vec<Interval> = source.free.iter().map(|u| self.side(*u)).collect();
        Some(Solution {
            proven,
            any: any.map(|(k, _)| k).collect(),
            tangent: self.tangent(source, point),
            hull: self.completed(&source.case, &source.at(&sides)).0,
            exact: self.exact(&source.case, &source.values, &x),
            x,
            dimension,
            member: false,
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
        let values = self.evaluated(&slopes, &source.at(point));
        let values: Vec<f64> = values.iter().map(|v| v.middle()).collect();
        values.iter().all(|v| v.is_finite()).then_some(values)
    }

    /// Marks solutions that are members of sets which others stand for.
    fn tell_members(&mut self) {
        let solutions = &self.outcome.solutions;
        let mut members = vec![false; solutions.len()];
        // sets of more dimensions first
        let mut order: Vec<usize> = (0..solutions.len()).collect();
        order.sort_by_key(|i| std::cmp::Reverse(solutions[*i].any.len()));
        for (place, &own) in order.iter().enumerate() {
            let mut others = order[..place].iter().filter(|i| !members[**i]);
            members[own] = others.any(|set| self.is_member(own, *set));
        }
        for (solution, member) in self.outcome.solutions.iter_mut().zip(members) {
            solution.member = member;
        }
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
        if let Some(apart) = elsewhere.find(|other| !crosses(&other.x)) {
            self.outcome.solutions[own] = apart;
        }
    }

    /// Some values of the coordinates that may have any.
    fn scattered(&self, source: &Source, place: u64) -> Vec<Interval> {
        let sides = source.free.iter().enumerate();
        let values = sides.map(|(k, u)| {
            let side = self.side(*u);
            Interval::point(side.lo + scattered(place, k) * (side.hi - side.lo))
        });
        values.collect()
    }

    /// May a place be one of a set that a solution stands for?
    fn is_on(&self, x: &[Interval], set: usize) -> bool {
        let (set, source) = (&self.outcome.solutions[set], &self.sources[set]);
        if source.free.is_empty() {
            return false;
        }
        let at: Vec<Interval> = set.any.iter().map(|k| x[*k]).collect();
        let (there, _) = self.completed(&source.case, &source.at(&at));
        there.iter().zip(x).all(|(a, b)| !a.meet(*b).is_empty())
    }

    /// Is a solution, or are all that it stands for, among those of another one?
    fn is_member(&self, own: usize, set: usize) -> bool {
        let (one, source) = (&self.outcome.solutions[own], &self.sources[own]);
        let other = &self.outcome.solutions[set];
        if one.dimension + other.dimension > 0 || one.proven && !other.proven {
            return false;
        }
        let elsewhere = |place: u64| {
            let values = source.at(&self.scattered(source, place));
            self.completed(&source.case, &values).0
        };
        let places = if source.free.is_empty() { 0 } else { COMPARED };
        self.is_on(&one.x, set) && (0..places).all(|place| self.is_on(&elsewhere(place), set))
    }

    /// What coordinates that were solved for are in terms of those that are known to be single numbers.
    fn exact(&self, case: &Case, values: &[(Expr, Interval)], x: &[Interval]) -> Vec<Option<Expr>> {
        let pool = self.wanted.pool;
        let known: FxHashMap<Expr, Expr> = values
            .iter()
            .filter(|(_, side)| side.lo == side.hi)
            .filter_map(|(u, side)| Some((*u, pool.number(Number::from_f64(side.lo)?))))
            .collect();
        let of = |u: &Expr| {
            let (_, e) = case.solved.iter().find(|(s, _)| s == u)?;
            let e = pool.simplify(pool.substitute(*e, &known));
            pool.is_constant(e).then_some(e)
        };
        let list = self.wanted.x.iter().zip(x);
        list.map(|(u, side)| if side.lo == side.hi { None } else { of(u) })
            .collect()
    }
}
