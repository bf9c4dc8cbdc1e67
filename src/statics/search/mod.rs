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
//! and a case may lose the place: such places are searched for by themselves ([`dependent`]). Solutions that no equation holds in
//! some coordinate are sets, of which a member is told ([`families`]) for each part that hangs together ([`pieces`]).

mod cases;
mod dependent;
mod families;
mod john;
mod pieces;
mod uneven;

pub use dependent::{Suspects, dependent};
pub use pieces::Piece;

use crate::expr::{Expr, Interval, Pool, SymbolKind, cancelled, is_over};
use crate::interval::{Equations, Roots, Scratch, common, cost_of_a_box, roots};
use families::Source;
use rustc_hash::FxHashMap;

/// The cube is taken a little larger, so that nothing lies on its edge.
const EDGE: f64 = 1.0 + 1e-3;

/// More solutions of one search are not taken up.
const MANY: usize = 1000;

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
    /// What must be positive besides: f - c of one-sided constraints that are left.
    pub keeps: &'a [Expr],
    /// What must not be negative: the multipliers of those that act.
    pub pushes: &'a [Expr],
    /// A range a coordinate.
    pub region: &'a [Interval],
    /// Where coordinates that are in no equation are put.
    pub usual: &'a [f64],
    /// Instructions that it may cost.
    pub effort: usize,
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
    /// The equations of which it is the only one near at these values of `any`, with what they were solved for.
    pub by: Vec<Expr>,
    /// It lies on a proven set of solutions of so many dimensions, besides those of `any`.
    pub dimension: usize,
    /// It is one of those that another solution has at other values of its `any`.
    pub member: bool,
    /// Of a set, what hangs together and has this one.
    pub piece: Option<Piece>,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Solutions, some perhaps twice.
    pub solutions: Vec<Solution>,
    /// Boxes that may hold solutions, a range a coordinate.
    pub undecided: Vec<Vec<Interval>>,
    /// Boxes in which members of sets may lie and something is not smooth.
    pub undefined: Vec<Vec<Interval>>,
    /// Is it proven that there are no others than `solutions`, and those in `undecided` and `undefined`?
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
    finder.take_apart();
    finder.outcome
}

/// Are the first so many of these positive, as they must be, and the others not negative? Nothing where that is not decided.
pub fn are_signed(signs: &[Interval], keeps: usize) -> Option<bool> {
    let (keeps, pushes) = signs.split_at(keeps);
    if keeps.iter().any(|v| v.hi <= 0.0) || pushes.iter().any(|v| v.hi < 0.0) {
        return Some(false);
    }
    let signed = keeps.iter().all(|v| v.lo > 0.0) && pushes.iter().all(|v| v.lo >= 0.0);
    signed.then_some(true)
}

/// Equations left, and what was solved for.
#[derive(Clone, Debug)]
struct Case {
    equations: Vec<Expr>,
    solved: Vec<(Expr, Expr)>,
}

struct Finder<'a> {
    wanted: &'a Wanted<'a>,
    unknowns: Vec<Expr>,
    /// the equations as they were
    whole: Equations,
    /// J^T, a row a balance, in the coordinates
    gradients: Equations,
    left: usize,
    outcome: Outcome,
    /// of each solution, what it was completed from
    sources: Vec<Source>,
}

impl<'a> Finder<'a> {
    fn new(wanted: &'a Wanted<'a>) -> Self {
        let mut unknowns = wanted.x.to_vec();
        unknowns.extend_from_slice(wanted.multipliers);
        let slopes = wanted.pool.jacobian(wanted.equations, wanted.multipliers);
        let slopes = slopes.concat();
        Self {
            gradients: Equations::of_values(wanted.pool, wanted.x, wanted.rounded, &slopes),
            whole: Equations::of_values(wanted.pool, &unknowns, wanted.rounded, wanted.equations),
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

    /// The range of a symbol: of an unknown, whatever it is and whichever of them are looked for, or of a rounded parameter.
    fn range(&self, kind: SymbolKind) -> Option<Interval> {
        let wanted = self.wanted;
        let unknowns = wanted.x.iter().copied().zip(wanted.region.iter().copied());
        let mut all = unknowns.chain(wanted.rounded.iter().copied());
        let own = all.find(|(e, _)| wanted.pool.symbol_kind(*e) == Some(kind));
        own.map(|(_, range)| range)
    }

    fn side(&self, unknown: Expr) -> Interval {
        let kind = self.wanted.pool.symbol_kind(unknown);
        kind.and_then(|kind| self.range(kind))
            .unwrap_or(Interval::ALL)
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
            let mut region = self.sides(&coordinates);
            region.resize(unknowns.len(), Interval::new(-EDGE, EDGE));
            let found = self.face((&unknowns, &equations), &region, share);
            let mut undecided: Vec<&Vec<Interval>> = found.undecided.iter().collect();
            self.outcome.complete &= found.proven.len() <= MANY;
            for root in found.proven.iter().take(MANY) {
                if cancelled() {
                    self.outcome.complete = false;
                    break;
                }
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
        let cost = found.boxes * cost_of_a_box(&equations);
        self.left = self.left.saturating_sub(cost);
        self.outcome.complete &= found.complete();
        found
    }

    /// Functions of the unknowns that are not solved for, over boxes.
    fn evaluated(&self, outputs: &[Expr], values: &[(Expr, Interval)]) -> Vec<Interval> {
        let (symbols, inputs): (Vec<Expr>, Vec<Interval>) = values.iter().copied().unzip();
        let (pool, rounded) = (self.wanted.pool, self.wanted.rounded);
        let compiled = Equations::of_values(pool, &symbols, rounded, outputs);
        compiled.values(&inputs, &mut Scratch::default()).0
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
        common(x, self.wanted.region)
    }

    /// The coordinates, and whether all is smooth and of the right sign there; `None` where they are outside of the region, or
    /// nothing solves the equations as they were with the right signs.
    fn solves(
        &self,
        source: &Source,
        values: &[(Expr, Interval)],
    ) -> Option<(Vec<Interval>, bool)> {
        let (x, multipliers) = self.completed(&source.case, values);
        self.within(&x)?;
        let mut all = x.clone();
        all.extend(multipliers);
        let (out, smooth) = self.whole.values(&all, &mut Scratch::default());
        // undefined there, or no solution of what was simplified
        let none = out.iter().any(|v| v.is_empty() || !v.contains(0.0));
        let signed = self.is_signed(source, values);
        (!none && signed != Some(false)).then_some((x, smooth && signed == Some(true)))
    }

    /// Do the one-sided constraints that act push, and are the others kept?
    fn is_signed(&self, source: &Source, values: &[(Expr, Interval)]) -> Option<bool> {
        let signs = self.evaluated(&source.signs, values);
        are_signed(&signs, self.wanted.keeps.len())
    }

    /// What coordinates that were solved for are in terms of those that are known to be single numbers.
    fn exact(&self, case: &Case, values: &[(Expr, Interval)], x: &[Interval]) -> Vec<Option<Expr>> {
        let pool = self.wanted.pool;
        let known: FxHashMap<Expr, Expr> = values
            .iter()
            .filter_map(|(u, side)| Some((*u, pool.number(side.number()?))))
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
