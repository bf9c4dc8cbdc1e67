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
//! u_b = 1 for each b. Where mu = 0 the gradients of the constraints are dependent; such a place stays
//! undecided.

use super::bounds::independent_columns;
use crate::expr::{Expr, Interval, Number, Pool, SymbolKind, Tape, cancelled};
use crate::geometry::LeastSquares;
use crate::interval::{BoxFunction, Equations, Newton, Scratch, Trace, roots};
use crate::theorem::scattered;
use nalgebra::DVector;
use rustc_hash::FxHashMap;

/// Cases that splitting products may make.
const MOST_CASES: usize = 48;
/// A coordinate solved for is put into the other equations if its value is no larger than this.
const SHORT: usize = 60;
/// Equations of more operations are not factored.
const FACTORED: usize = 400;
/// Boxes looked at to prove that equations of another number than the unknowns have no solution.
const BOXES: usize = 400;
/// Points at which the sizes of terms are compared.
const SAMPLES: u64 = 16;
/// Points from which a member of a family is looked for,
const MEMBERS: usize = 6;
/// Newton steps from each,
const NEWTON: usize = 40;
/// and unknowns of it at most.
const MOST_OF_A_FAMILY: usize = 20;
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
    /// f - c and S - J^T lambda, numbers for parameters and time.
    pub equations: &'a [Expr],
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
    /// The exact value of a coordinate, where it was solved for in symbols.
    pub exact: Vec<Option<Expr>>,
    /// It lies on a proven set of solutions of so many dimensions, besides those of `any`.
    pub dimension: usize,
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
    let pool = wanted.pool;
    let mut unknowns = wanted.x.to_vec();
    unknowns.extend_from_slice(wanted.multipliers);
    let mut finder = Finder {
        wanted,
        whole: Equations::new(pool, &unknowns, &[], wanted.equations),
        unknowns,
        left: wanted.effort,
        outcome: Outcome {
            complete: true,
            ..Outcome::default()
        },
    };
    let cases = finder.cases();
    let mut calls = cases.len();
    for case in cases {
        if cancelled() {
            finder.outcome.complete = false;
            break;
        }
        finder.solve(&case, calls);
        calls -= 1;
    }
    finder.outcome
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
    left: usize,
    outcome: Outcome,
}

impl Finder<'_> {
    fn is_multiplier(&self, e: Expr) -> bool {
        self.wanted.multipliers.contains(&e)
    }

    /// Splits products and eliminates, until nothing more can be split.
    fn cases(&self) -> Vec<Case> {
        let mut queue = vec![Case {
            equations: self.wanted.equations.to_vec(),
            solved: Vec::new(),
        }];
        let mut done = Vec::new();
        while let Some(case) = queue.pop() {
            let Some(case) = self.eliminate(case) else {
                continue;
            };
            if queue.len() + done.len() >= MOST_CASES || cancelled() {
                done.push(case);
                continue;
            }
            match self.split(&case) {
                Some(parts) => queue.extend(parts.into_iter().rev()),
                None => done.push(case),
            }
        }
        done
    }

    /// One case a factor of the first product.
    fn split(&self, case: &Case) -> Option<Vec<Case>> {
        let pool = self.wanted.pool;
        for (place, &e) in case.equations.iter().enumerate() {
            if pool.size(e) > FACTORED {
                continue;
            }
            let found = pool.factors(e);
            let several = found.factors.len() > 1 || found.factors.iter().any(|(_, k)| *k > 1);
            if !several {
                continue;
            }
            let able: Vec<Expr> = found
                .factors
                .iter()
                .map(|(factor, _)| *factor)
                .filter(|f| pool.as_number(*f).is_none() && self.can_vanish(*f))
                .collect();
            if able == [e] {
                continue;
            }
            let parts = able.into_iter().map(|factor| {
                let mut part = case.clone();
                part.equations[place] = factor;
                part
            });
            return Some(parts.collect());
        }
        None
    }

    fn can_vanish(&self, e: Expr) -> bool {
        let range = self.wanted.pool.bounds(e, &|kind| match kind {
            SymbolKind::Coordinate { index, order: 0 } => self
                .wanted
                .region
                .get(index)
                .copied()
                .unwrap_or(Interval::ALL),
            _ => Interval::ALL,
        });
        range.contains(0.0)
    }

    /// Solves for what is linear with a numeric coefficient; `None` where an equation cannot hold.
    fn eliminate(&self, mut case: Case) -> Option<Case> {
        let pool = self.wanted.pool;
        loop {
            for e in &mut case.equations {
                *e = pool.simplify(*e);
            }
            case.equations.retain(|e| *e != pool.zero());
            // two products may have led to the same factor
            let mut known = Vec::new();
            case.equations.retain(|e| {
                let new = !known.contains(e);
                known.push(*e);
                new
            });
            if case.equations.iter().any(|e| pool.as_number(*e).is_some()) {
                return None;
            }
            let Some((place, unknown, value)) = self.linear(&case.equations) else {
                return Some(case);
            };
            case.equations.remove(place);
            let by = FxHashMap::from_iter([(unknown, value)]);
            for e in &mut case.equations {
                *e = pool.substitute(*e, &by);
            }
            for (_, old) in &mut case.solved {
                *old = pool.substitute(*old, &by);
            }
            case.solved.push((unknown, value));
        }
    }

    /// An equation that is linear in an unknown with a numeric coefficient: a multiplier first, else a
    /// coordinate by an equation without multipliers, so that all stay affine in the multipliers.
    fn linear(&self, equations: &[Expr]) -> Option<(usize, Expr, Expr)> {
        let pool = self.wanted.pool;
        let solved_for = |e: Expr, u: Expr| {
            if !pool.symbols_of(e).contains(&u) {
                return None;
            }
            let slope = pool.as_number(pool.simplify(pool.derivative(e, u)))?;
            let inverse = slope.recip()?.neg();
            let rest = pool.substitute(e, &FxHashMap::from_iter([(u, pool.zero())]));
            Some(pool.scale(rest, &inverse))
        };
        for (place, &e) in equations.iter().enumerate() {
            for &u in self.wanted.multipliers {
                if let Some(value) = solved_for(e, u) {
                    return Some((place, u, value));
                }
            }
        }
        for (place, &e) in equations.iter().enumerate() {
            if pool.contains_any(e, self.wanted.multipliers) {
                continue;
            }
            for &u in self.wanted.x {
                if let Some(value) = solved_for(e, u)
                    && pool.size(value) <= SHORT
                {
                    return Some((place, u, value));
                }
            }
        }
        None
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
        if multipliers.is_empty() {
            let region: Vec<Interval> = coordinates.iter().map(|u| self.side(*u)).collect();
            self.face(
                case,
                &coordinates,
                &region,
                share,
                &|root| {
                    Some(
                        coordinates
                            .iter()
                            .copied()
                            .zip(root.iter().copied())
                            .collect(),
                    )
                },
                &absent,
            );
            return;
        }
        let Some(form) = self.homogeneous(&case.equations, &coordinates, &multipliers) else {
            self.outcome.complete = false;
            return;
        };
        for face in 0..faces {
            // face 0: mu = 1; face b + 1: u_b = 1
            let mut unknowns = coordinates.clone();
            let one = if face == 0 { form.mu } else { form.u[face - 1] };
            unknowns.extend(
                form.u
                    .iter()
                    .chain([&form.mu])
                    .copied()
                    .filter(|e| *e != one),
            );
            let by = FxHashMap::from_iter([(one, pool.one())]);
            let equations = pool.substitute_all(&form.equations, &by);
            let mut region: Vec<Interval> = coordinates.iter().map(|u| self.side(*u)).collect();
            region.resize(unknowns.len(), Interval::new(-EDGE, EDGE));
            let part = Case {
                equations,
                solved: case.solved.clone(),
            };
            let value = |root: &[Interval], e: Expr| {
                let place = unknowns.iter().position(|u| *u == e);
                place.map_or(Interval::ONE, |k| root[k])
            };
            self.face(
                &part,
                &unknowns,
                &region,
                share,
                &|root| {
                    let mu = value(root, form.mu);
                    if mu.contains(0.0) {
                        return None;
                    }
                    let mut values: Vec<(Expr, Interval)> =
                        coordinates.iter().map(|u| (*u, value(root, *u))).collect();
                    for (b, &l) in multipliers.iter().enumerate() {
                        let scaled = value(root, form.u[b]).mul(Interval::point(form.scales[b]));
                        values.push((l, scaled.div(mu)));
                    }
                    Some(values)
                },
                &absent,
            );
        }
    }

    /// One search by branch and prune; `read` gives the values of the unknowns of a root, `None` where
    /// it is no equilibrium for sure.
    #[allow(clippy::type_complexity)] // values by unknown
    fn face(
        &mut self,
        case: &Case,
        unknowns: &[Expr],
        region: &[Interval],
        effort: usize,
        read: &dyn Fn(&[Interval]) -> Option<Vec<(Expr, Interval)>>,
        absent: &[Expr],
    ) {
        let equations = Equations::new(self.wanted.pool, unknowns, &[], &case.equations);
        let found = roots(&equations, region, effort);
        let size = unknowns.len();
        let cost = equations.cost() * 4 + size * size * size + 16;
        self.left = self.left.saturating_sub(found.boxes * cost);
        self.outcome.complete &= found.complete();
        let mut undecided: Vec<&Vec<Interval>> = found.undecided.iter().collect();
        for root in &found.proven {
            match read(root) {
                Some(values) => self.record(case, &values, absent, 0),
                None => undecided.push(root),
            }
        }
        for part in undecided {
            let values: Vec<(Expr, Interval)> =
                unknowns.iter().copied().zip(part.iter().copied()).collect();
            let (x, _) = self.completed(case, &values, absent);
            if self.is_outside(&x) {
                continue;
            }
            let cut = x.iter().zip(self.wanted.region);
            self.outcome
                .undecided
                .push(cut.map(|(side, whole)| side.meet(*whole)).collect());
        }
    }

    /// All unknowns from those searched for: coordinates, then multipliers.
    fn completed(
        &self,
        case: &Case,
        values: &[(Expr, Interval)],
        absent: &[Expr],
    ) -> (Vec<Interval>, Vec<Interval>) {
        let mut known: Vec<(Expr, Interval)> = values.to_vec();
        for &u in absent {
            let usual = self.wanted.x.iter().position(|x| *x == u);
            let usual = usual.map_or(0.0, |k| {
                let side = self.wanted.region[k];
                self.wanted.usual[k].clamp(side.lo, side.hi)
            });
            known.push((u, Interval::point(usual)));
        }
        let (symbols, inputs): (Vec<Expr>, Vec<Interval>) = known.iter().copied().unzip();
        let outputs: Vec<Expr> = case.solved.iter().map(|(_, e)| *e).collect();
        let mut results = vec![Interval::ALL; outputs.len()];
        BoxFunction::new(self.wanted.pool, &symbols, &outputs).eval(
            &inputs,
            &mut Trace::default(),
            &mut results,
        );
        known.extend(case.solved.iter().map(|(u, _)| *u).zip(results));
        let of = |u: &Expr| {
            let found = known.iter().find(|(s, _)| s == u);
            found.map_or(Interval::ALL, |(_, v)| *v)
        };
        (
            self.wanted.x.iter().map(of).collect(),
            self.wanted.multipliers.iter().map(of).collect(),
        )
    }

    fn is_outside(&self, x: &[Interval]) -> bool {
        let mut sides = x.iter().zip(self.wanted.region);
        sides.any(|(own, whole)| own.meet(*whole).is_empty())
    }

    /// Keeps a solution that lies in the region and solves the equations as they were.
    fn record(
        &mut self,
        case: &Case,
        values: &[(Expr, Interval)],
        absent: &[Expr],
        dimension: usize,
    ) {
        let (x, multipliers) = self.completed(case, values, absent);
        if self.is_outside(&x) {
            return;
        }
        let mut all = x.clone();
        all.extend(multipliers);
        let mut out = Vec::new();
        let smooth = self.whole.values(&all, &mut Scratch::default(), &mut out);
        if out.iter().any(|v| v.is_empty() || !v.contains(0.0)) {
            return; // undefined there, or no solution of what was simplified
        }
        let any = (0..x.len())
            .filter(|k| absent.contains(&self.wanted.x[*k]))
            .collect();
        let exact = self.exact(case, values, &x);
        self.outcome.solutions.push(Solution {
            x,
            proven: smooth,
            any,
            exact,
            dimension,
        });
    }

    /// More unknowns than equations: a solution with a regular Jacobian lies on a set of solutions of as many dimensions as
    /// there are unknowns left over (implicit function theorem). One is looked for from scattered points.
    fn member(&mut self, case: &Case, unknowns: &[Expr], absent: &[Expr]) {
        let (size, count) = (unknowns.len(), case.equations.len());
        if size < count || count == 0 || size > MOST_OF_A_FAMILY {
            return;
        }
        let equations = Equations::new(self.wanted.pool, unknowns, &[], &case.equations);
        let mut work = Scratch::default();
        // a solution that another case has shown may lie on it
        let known = self.outcome.solutions.iter().take(MEMBERS).map(|solution| {
            let of = |u: &Expr| {
                let place = self.wanted.x.iter().position(|x| x == u);
                place.map_or(0.0, |k| solution.x[k].middle())
            };
            unknowns.iter().map(of).collect::<Vec<f64>>()
        });
        let anywhere = (0..MEMBERS as u64).map(|index| {
            let coordinates = unknowns.iter().enumerate();
            coordinates
                .map(|(k, u)| {
                    let side = self.side(*u);
                    if side.is_bounded() {
                        side.lo + scattered(index, k) * (side.hi - side.lo)
                    } else {
                        2.0 * scattered(index, k) - 1.0
                    }
                })
                .collect::<Vec<f64>>()
        });
        let starts: Vec<Vec<f64>> = known.chain(anywhere).collect();
        for start in starts {
            let Some((point, solved)) = nearest(&equations, start, &mut work) else {
                continue;
            };
            let mut part: Vec<Interval> = point.iter().map(|v| Interval::point(*v)).collect();
            for &k in &solved {
                let reach = 1e-9 * point[k].abs().max(1.0);
                part[k] = Interval::new(point[k] - reach, point[k] + reach);
            }
            if equations.newton(&mut part, &solved, &mut work) != Newton::Unique {
                continue;
            }
            let values: Vec<(Expr, Interval)> =
                unknowns.iter().copied().zip(part.iter().copied()).collect();
            let before = self.outcome.solutions.len();
            self.record(case, &values, absent, size - count);
            if self.outcome.solutions.len() > before {
                return;
            }
        }
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

    /// Can equations of another number than their unknowns be proven to have no solution?
    fn is_empty(&self, equations: &[Expr], unknowns: &[Expr]) -> bool {
        let pool = self.wanted.pool;
        let compiled = Equations::new(pool, unknowns, &[], equations);
        let mut work = Scratch::default();
        let mut queue = vec![unknowns.iter().map(|u| self.side(*u)).collect::<Vec<_>>()];
        let mut looked = 0;
        while let Some(mut part) = queue.pop() {
            looked += 1;
            if looked > BOXES || cancelled() {
                return false;
            }
            if !compiled.contract(&mut part, &mut work) {
                continue;
            }
            let widest = (0..part.len())
                .filter(|k| part[*k].is_bounded())
                .max_by(|a, b| part[*a].width().total_cmp(&part[*b].width()));
            let Some(k) = widest
                .filter(|k| part[*k].width() > 1e-6 * self.side(unknowns[*k]).width().min(1.0))
            else {
                return false;
            };
            let middle = part[k].middle();
            let (mut left, mut right) = (part.clone(), part);
            left[k].hi = middle;
            right[k].lo = middle;
            queue.push(right);
            queue.push(left);
        }
        true
    }

    /// mu a + sum u_b s_b c_b for every equation a + sum lambda_b c_b that has a multiplier, with scales s
    /// that make the terms of like size.
    fn homogeneous(
        &self,
        equations: &[Expr],
        coordinates: &[Expr],
        multipliers: &[Expr],
    ) -> Option<Homogeneous> {
        let pool = self.wanted.pool;
        // names that no file can use
        let other = |place: usize| SymbolKind::Other(usize::MAX / 2 - place);
        let mu = pool.symbol("mu#", other(0));
        let u: Vec<Expr> = (0..multipliers.len())
            .map(|b| pool.symbol(&format!("u#{b}"), other(b + 1)))
            .collect();
        let none: FxHashMap<Expr, Expr> = multipliers.iter().map(|l| (*l, pool.zero())).collect();
        let mut rows = Vec::new();
        for &e in equations {
            if !pool.contains_any(e, multipliers) {
                rows.push((e, None));
                continue;
            }
            let slopes: Vec<Expr> = multipliers
                .iter()
                .map(|l| pool.simplify(pool.derivative(e, *l)))
                .collect();
            if slopes.iter().any(|c| pool.contains_any(*c, multipliers)) {
                return None; // not affine: cannot be
            }
            rows.push((pool.substitute(e, &none), Some(slopes)));
        }
        // sizes at scattered points
        let mut outputs = Vec::new();
        for (a, slopes) in &rows {
            if let Some(slopes) = slopes {
                outputs.push(*a);
                outputs.extend(slopes);
            }
        }
        let tape = Tape::new(pool, coordinates, &outputs);
        let width = multipliers.len() + 1;
        let mut sums = vec![0.0_f64; width];
        for index in 0..SAMPLES {
            let inputs: Vec<f64> = coordinates
                .iter()
                .enumerate()
                .map(|(k, u)| {
                    let side = self.side(*u);
                    side.lo + scattered(index, k) * (side.hi - side.lo)
                })
                .collect();
            for (place, v) in tape.values(&inputs).iter().enumerate() {
                if v.is_finite() {
                    sums[place % width] += v.abs().ln_1p();
                }
            }
        }
        let typical = |s: f64| (s / SAMPLES as f64).exp_m1().max(1e-12);
        let scales: Vec<f64> = (1..width)
            .map(|b| {
                let ratio = 4.0 * typical(sums[0]) / typical(sums[b]);
                2.0_f64.powf(ratio.log2().round().clamp(-200.0, 200.0))
            })
            .collect();
        let mut equations = Vec::new();
        for (a, slopes) in rows {
            let Some(slopes) = slopes else {
                equations.push(a);
                continue;
            };
            let mut terms = vec![pool.mul(mu, a)];
            for (b, c) in slopes.into_iter().enumerate() {
                let scale = Number::from_f64(scales[b])?;
                terms.push(pool.scale(pool.mul(u[b], c), &scale));
            }
            equations.push(pool.sum(terms));
        }
        Some(Homogeneous {
            mu,
            u,
            scales,
            equations,
        })
    }
}

/// The solution nearest to a point, by Newton's method of least norm, and unknowns for which its Jacobian is regular.
fn nearest(
    equations: &Equations,
    mut point: Vec<f64>,
    work: &mut Scratch,
) -> Option<(Vec<f64>, Vec<usize>)> {
    let (size, count) = (equations.variables(), equations.len());
    let mut values = Vec::new();
    for _ in 0..NEWTON {
        let at: Vec<Interval> = point.iter().map(|v| Interval::point(*v)).collect();
        if !equations.values(&at, work, &mut values) {
            return None;
        }
        let jacobian = equations.jacobian(&at, work).0.middle()?;
        let right = DVector::from_fn(count, |i, _| values[i].middle());
        let step = LeastSquares::new(&jacobian)?.shortest(&right, 1e-12)?;
        for (v, s) in point.iter_mut().zip(step.iter()) {
            *v -= s;
        }
        let size_of = |k: usize| point[k].abs().max(1e-3);
        if (0..size).all(|k| step[k].abs() <= 1e-13 * size_of(k)) {
            let solved = independent_columns(&jacobian, &vec![1.0; size]);
            return (solved.len() == count).then_some((point, solved));
        }
        if point.iter().any(|v| !v.is_finite() || v.abs() > 1e12) {
            return None;
        }
    }
    None
}

struct Homogeneous {
    mu: Expr,
    u: Vec<Expr>,
    scales: Vec<f64>,
    equations: Vec<Expr>,
}
