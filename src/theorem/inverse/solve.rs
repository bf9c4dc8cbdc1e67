//! Systems of equations: block after block, and inside a block by what solves it with the fewest branches.
//!
//! A block of one equation is [isolated](super::isolate). In a larger one, in this order:
//!
//! * equations that are linear in all unknowns jointly are solved as such;
//! * an unknown that stands only in the angle v + w, w another unknown, gives way to that angle;
//! * an unknown that stands only inside one kernel, `sin(v)` or `v^2`, gives way to the kernel;
//! * an angle that stands only in `p c + q s`, c = cos(v), s = sin(v), in two equations: these give
//!   c = P, s = Q in the other unknowns, which obey P^2 + Q^2 = 1, and v = atan2(Q, P);
//! * a line and a conic, or two circles, have a formula of their own ([`conic`](super::conic));
//! * one equation is solved for one unknown, which is put into the others.

use super::super::everywhere::drift;
use super::condition::{Condition, Raw, Relation, Settled, Zeros};
use super::gather::gathered;
use super::isolate::Isolation;
use super::solver::Solver;
use super::{Branch, LARGEST, undone};
use crate::expr::{Expr, Function, Matrix, Number, Pool, block_triangular, is_spent};
use rustc_hash::FxHashMap;

/// At most this many branches are followed.
const MOST_BRANCHES: usize = 16;
/// At most this many ways to eliminate an unknown are tried in a block.
const MOST_CANDIDATES: usize = 6;
/// Larger blocks are left to numbers.
const LARGEST_BLOCK: usize = 8;

/// What solves a set of equations on one branch.
#[derive(Clone, Default)]
pub(super) struct Solution {
    /// Unknowns with their values, in which other unknowns may stand.
    values: Vec<(Expr, Expr)>,
    conditions: Vec<Condition>,
    periods: Vec<(Expr, Expr)>,
}

impl Solution {
    /// With further unknowns in terms of those solved for.
    pub fn with(mut self, values: &[(Expr, Expr)]) -> Self {
        self.values.extend_from_slice(values);
        self
    }

    fn and(&self, other: &Self) -> Self {
        let mut both = self.clone();
        both.values.extend(other.values.iter().copied());
        both.periods.extend(other.periods.iter().copied());
        other
            .conditions
            .iter()
            .for_each(|c| add(&mut both.conditions, c));
        both
    }
}

/// Adds a condition that is not among others yet.
fn add(list: &mut Vec<Condition>, c: &Condition) {
    if !list.contains(c) {
        list.push(c.clone());
    }
}

/// Every pair of a solution of some equations and one of the others; `None` where these are too many.
fn each_with_each(some: &[Solution], others: &[Solution]) -> Option<Vec<Solution>> {
    let pairs = some.iter().flat_map(|a| others.iter().map(|b| a.and(b)));
    (some.len() * others.len() <= MOST_BRANCHES).then(|| pairs.collect())
}

impl Solver<'_> {
    /// The branches of the inverse; not yet tried.
    pub fn branches(&self, equations: &[Expr]) -> Option<Vec<Branch>> {
        let solutions = self.solve(equations, &self.unknowns)?;
        let mut list = Vec::new();
        for solution in &solutions {
            if let Some(conditions) = self.consistent(&solution.conditions) {
                list.push(self.branch(solution, conditions)?);
            }
        }
        (!list.is_empty()).then_some(list)
    }

    fn branch(&self, solution: &Solution, conditions: Vec<Condition>) -> Option<Branch> {
        let pool = self.pool();
        self.repeats_evenly(solution)?;
        let values: FxHashMap<Expr, Expr> = solution.values.iter().copied().collect();
        let mut known = FxHashMap::default();
        let levels: Vec<Expr> = self.system.constraints.iter().map(|c| c.level).collect();
        let functions = self
            .unknowns
            .iter()
            .map(|&u| {
                let value = resolved(pool, u, &values, &mut known, 0)?;
                Some(gathered(pool, value, &levels))
            })
            .collect::<Option<Vec<Expr>>>()?;
        let periods = solution
            .periods
            .iter()
            .filter_map(|&(u, period)| {
                let place = self.unknowns.iter().position(|own| *own == u)?;
                Some((self.dependent[place], period))
            })
            .collect::<Vec<_>>();
        // a period that changes with another dependent coordinate is none
        let all: Vec<Expr> = self.unknowns.clone();
        if periods.iter().any(|(_, p)| pool.contains_any(*p, &all)) {
            return None;
        }
        Some(Branch {
            conditions,
            functions,
            periods,
        })
    }

    /// Where an unknown repeats, do the others stay as they are, or change by their own periods?
    fn repeats_evenly(&self, solution: &Solution) -> Option<()> {
        let pool = self.pool();
        for &(u, period) in &solution.periods {
            for &(w, value) in &solution.values {
                if w == u || !pool.symbols_of(value).contains(&u) {
                    continue;
                }
                let drift = drift(pool, value, u, period)?;
                if drift == pool.zero() {
                    continue;
                }
                let own = solution.periods.iter().find(|(v, _)| *v == w)?.1;
                let turns = pool.as_number(pool.reduced(pool.div(drift, own)))?;
                if !turns.is_integer() {
                    return None;
                }
            }
        }
        Some(())
    }

    fn solve(&self, equations: &[Expr], unknowns: &[Expr]) -> Option<Vec<Solution>> {
        let pool = self.pool();
        if equations.len() != unknowns.len() {
            return None;
        }
        let blocks = block_triangular(unknowns.len(), |r, c| {
            pool.symbols_of(equations[r]).contains(&unknowns[c])
        })?;
        let mut all = vec![Solution::default()];
        for block in blocks {
            let own: Vec<Expr> = block.rows.iter().map(|&r| equations[r]).collect();
            let inside: Vec<Expr> = block.columns.iter().map(|&c| unknowns[c]).collect();
            let found = self.block(&own, &inside)?;
            all = each_with_each(&all, &found)?;
        }
        Some(all)
    }

    fn block(&self, equations: &[Expr], unknowns: &[Expr]) -> Option<Vec<Solution>> {
        self.spend()?;
        if let (&[e], &[u]) = (equations, unknowns) {
            let ways = self.isolate(e, u)?;
            return Some(ways.iter().filter_map(|way| self.settled(u, way)).collect());
        }
        if unknowns.len() > LARGEST_BLOCK {
            return self.linear(equations, unknowns);
        }
        let equations: Vec<Expr> = equations
            .iter()
            .map(|&e| self.peeled(e, unknowns))
            .collect();
        let equations = equations.as_slice();
        self.linear(equations, unknowns)
            .or_else(|| self.by_sums(equations, unknowns))
            .or_else(|| self.by_kernels(equations, unknowns))
            .or_else(|| self.without_angle(equations, unknowns))
            .or_else(|| self.line_and_conic(equations, unknowns))
            .or_else(|| self.by_elimination(equations, unknowns))
    }

    /// A way with its conditions in the coordinates; `None` where it is never the right one.
    pub fn settled(&self, u: Expr, way: &Isolation) -> Option<Solution> {
        let conditions = self.conditions(&way.conditions)?;
        Some(Solution {
            values: vec![(u, way.value)],
            conditions,
            periods: way.period.map(|p| (u, p)).into_iter().collect(),
        })
    }

    fn conditions(&self, list: &[Raw]) -> Option<Vec<Condition>> {
        let mut conditions = Vec::new();
        for &raw in list {
            match self.settle(raw) {
                Settled::Never => return None,
                Settled::Says(list) => list.iter().for_each(|c| add(&mut conditions, c)),
                Settled::Always => {}
            }
        }
        Some(conditions)
    }

    /// Equations that are linear in all unknowns jointly.
    fn linear(&self, equations: &[Expr], unknowns: &[Expr]) -> Option<Vec<Solution>> {
        let pool = self.pool();
        let (mut matrix, mut right): (Matrix, Matrix) = (Vec::new(), Vec::new());
        for &e in equations {
            let (row, rest) = pool.linear_in(e, unknowns, &|e| pool.reduced(e))?;
            matrix.push(row);
            right.push(vec![pool.neg(rest)]);
        }
        let values = pool.solve_linear(&matrix, &right, usize::MAX)?;
        let determinants = pool.determinant(&matrix).blocks;
        let mut raw: Vec<Raw> = Vec::new();
        for (_, det) in determinants {
            raw.push((det?, Relation::NonZero));
        }
        let values = unknowns
            .iter()
            .zip(values)
            .map(|(&u, row)| (u, pool.simplify(row[0])))
            .collect();
        Some(vec![Solution {
            values,
            conditions: self.conditions(&raw)?,
            periods: Vec::new(),
        }])
    }

    /// An unknown that stands only in an angle with another one, `cos(v + w)`, gives way to the angle.
    fn by_sums(&self, equations: &[Expr], unknowns: &[Expr]) -> Option<Vec<Solution>> {
        let pool = self.pool();
        let (place, u, angle) = unknowns.iter().enumerate().find_map(|(place, &u)| {
            let angle = self.only_angle(&with_symbol(pool, equations, u), u)?;
            let others: Vec<Expr> = unknowns.iter().copied().filter(|w| *w != u).collect();
            let slope = pool.reduced(pool.derivative(angle, u));
            let mixed = pool.contains_any(angle, &others) && !pool.contains_any(slope, unknowns);
            mixed.then_some((place, u, angle))
        })?;
        let z = self.standing_for(angle);
        let by = FxHashMap::from_iter([(angle, z)]);
        let inner = pool.substitute_all(equations, &by);
        if inner.iter().any(|e| pool.symbols_of(*e).contains(&u)) {
            return None;
        }
        let mut symbols = unknowns.to_vec();
        symbols[place] = z;
        let mut all = self.solve(&inner, &symbols)?;
        let slope = pool.reduced(pool.derivative(angle, u));
        let rest = pool.reduced(pool.sub(angle, pool.mul(slope, u)));
        for solution in &mut all {
            let value = pool.div(pool.sub(z, rest), slope);
            solution.values.push((u, value));
            let own = solution.periods.iter().find(|(v, _)| *v == z);
            if let Some(&(_, period)) = own {
                let period = pool.simplify(pool.div(period, slope));
                solution.periods.push((u, period));
            }
        }
        Some(all)
    }

    /// Unknowns that stand only inside one kernel of their own give way to the kernel.
    fn by_kernels(&self, equations: &[Expr], unknowns: &[Expr]) -> Option<Vec<Solution>> {
        let pool = self.pool();
        let mut equations = equations.to_vec();
        for &u in unknowns {
            if let Some(other) = self.in_one_circular(&equations, u) {
                equations = other;
            }
        }
        let equations = equations.as_slice();
        let mut replaced = Vec::new();
        let mut by = FxHashMap::default();
        for &u in unknowns {
            let own: Vec<Expr> = with_symbol(pool, equations, u);
            let others: Vec<Expr> = unknowns.iter().copied().filter(|w| *w != u).collect();
            if let Some(kernel) = self.only_kernel(&own, u)
                && !pool.contains_any(kernel, &others)
            {
                let z = self.standing_for(kernel);
                by.insert(kernel, z);
                replaced.push((u, kernel, z));
            }
        }
        if replaced.is_empty() {
            return None;
        }
        let inner: Vec<Expr> = equations
            .iter()
            .map(|&e| {
                replaced
                    .iter()
                    .fold(e, |e, &(u, _, z)| self.with_kernel(e, u, z))
            })
            .collect();
        let symbols: Vec<Expr> = unknowns
            .iter()
            .map(|u| {
                let own = replaced.iter().find(|(v, _, _)| v == u);
                own.map_or(*u, |&(_, _, z)| z)
            })
            .collect();
        let mut all = self.solve(&inner, &symbols)?;
        for (u, kernel, z) in replaced {
            let ways = self.isolate(pool.sub(kernel, z), u)?;
            let found: Vec<Solution> = ways.iter().filter_map(|w| self.settled(u, w)).collect();
            all = each_with_each(&all, &found)?;
        }
        Some(all)
    }

    /// The expression with the one kernel of an unknown replaced.
    fn with_kernel(&self, e: Expr, u: Expr, z: Expr) -> Expr {
        let inside = self
            .in_kernels(e, u)
            .filter(|inside| inside.list.len() == 1);
        inside.map_or(e, |inside| {
            let by = FxHashMap::from_iter([(inside.list[0].1, z)]);
            self.pool().substitute(inside.equation, &by)
        })
    }

    /// An angle that stands only in `p cos(v) + q sin(v)`.
    fn without_angle(&self, equations: &[Expr], unknowns: &[Expr]) -> Option<Vec<Solution>> {
        let (place, mut all) = unknowns
            .iter()
            .enumerate()
            .find_map(|(place, &u)| Some((place, self.angle_out(equations, unknowns, u)?)))?;
        // of two angles each can be had without the other: what belongs together has the same conditions
        if let &[a, b] = unknowns {
            let (own, other) = if place == 0 { (a, b) } else { (b, a) };
            if let Some(second) = self.angle_out(equations, unknowns, other) {
                for solution in &mut all {
                    self.take_value(solution, &second, own);
                }
            }
        }
        Some(all)
    }

    /// Takes the value of an unknown from the one other solution on the same branch.
    fn take_value(&self, solution: &mut Solution, others: &[Solution], u: Expr) {
        let conditions = |s: &Solution| {
            let mut list = self.consistent(&s.conditions)?;
            list.sort_by_key(|c| (c.expression, c.relation as u8));
            Some(list)
        };
        let own = conditions(solution);
        let mut same = others.iter().filter(|s| conditions(s) == own);
        let (Some(other), None) = (same.next(), same.next()) else {
            return;
        };
        let value = other.values.iter().find(|(v, _)| *v == u);
        let place = solution.values.iter_mut().find(|(v, _)| *v == u);
        if let (Some(&(_, value)), Some(place)) = (value, place) {
            place.1 = value;
        }
    }

    fn angle_out(&self, equations: &[Expr], unknowns: &[Expr], u: Expr) -> Option<Vec<Solution>> {
        let pool = self.pool();
        self.spend()?;
        let theta = self.only_angle(&with_symbol(pool, equations, u), u)?;
        let [cos, sin] = [Function::Cos, Function::Sin].map(|f| pool.apply(f, theta));
        let slope = pool.reduced(pool.derivative(theta, u));
        if pool.contains_any(slope, unknowns) {
            return None;
        }
        let (c, s) = (self.standing_for(cos), self.standing_for(sin));
        let by = FxHashMap::from_iter([(cos, c), (sin, s)]);
        let replaced = pool.substitute_all(equations, &by);
        let both = [c, s];
        let places: Vec<usize> = (0..replaced.len())
            .filter(|&i| pool.contains_any(replaced[i], &both))
            .collect();
        let rows: Vec<(usize, [Expr; 3])> = places
            .iter()
            .filter_map(|&i| Some((i, linear_form(pool, replaced[i], both)?)))
            .take(2)
            .collect();
        let &[(i, [a1, b1, d1]), (j, [a2, b2, d2])] = rows.as_slice() else {
            return None;
        };
        let cross = |p, q, r, s| pool.reduced(pool.sub(pool.mul(p, s), pool.mul(q, r)));
        // a1 c + b1 s = -d1, a2 c + b2 s = -d2
        let det = cross(a1, b1, a2, b2);
        if det == pool.zero() || self.zeros(det) == Zeros::Elsewhere {
            return None;
        }
        let (top_c, top_s) = (cross(b1, d1, b2, d2), cross(d1, a1, d2, a2));
        let (c_value, s_value) = (pool.div(top_c, det), pool.div(top_s, det));
        let circle = pool.reduced(pool.sum([
            pool.powi(top_c, 2),
            pool.powi(top_s, 2),
            pool.neg(pool.powi(det, 2)),
        ]));
        let circle = without_factors(pool, circle, det);
        let by = FxHashMap::from_iter([(c, c_value), (s, s_value)]);
        let mut rest = vec![circle];
        for (k, &e) in replaced.iter().enumerate() {
            if k != i && k != j {
                rest.push(pool.reduced(pool.substitute(e, &by)));
            }
        }
        if rest.iter().any(|e| pool.size(*e) > LARGEST) {
            return None;
        }
        let others: Vec<Expr> = unknowns.iter().copied().filter(|w| *w != u).collect();
        let angle = pool.atan2(pool.reduced(s_value), pool.reduced(c_value));
        let shift = pool.sub(theta, pool.mul(slope, u));
        let value = pool.div(pool.sub(angle, pool.reduced(shift)), slope);
        let period = pool.div(pool.scale(pool.pi(), &Number::from(2)), slope);
        let way = Isolation {
            value,
            conditions: vec![(det, Relation::NonZero)],
            period: Some(pool.simplify(period)),
        };
        let own = self.settled(u, &way)?;
        let found = self.solve(&rest, &others)?;
        Some(found.iter().map(|other| own.and(other)).collect())
    }

    /// One equation is solved for one unknown, which is put into the others.
    fn by_elimination(&self, equations: &[Expr], unknowns: &[Expr]) -> Option<Vec<Solution>> {
        let pool = self.pool();
        let mut candidates: Vec<((u8, usize), usize, Expr)> = Vec::new();
        for (i, &e) in equations.iter().enumerate() {
            for &u in unknowns {
                if pool.symbols_of(e).contains(&u) {
                    candidates.push((self.cost(e, u, unknowns), i, u));
                }
            }
        }
        candidates.sort_by_key(|c| c.0);
        candidates
            .into_iter()
            .take(MOST_CANDIDATES)
            .find_map(|(_, i, u)| self.eliminate(equations, unknowns, (i, u)))
    }

    /// Smaller is better.
    fn cost(&self, e: Expr, u: Expr, unknowns: &[Expr]) -> (u8, usize) {
        let pool = self.pool();
        let Some((coefficients, _)) = pool.polynomial_in(e, u) else {
            return (5, pool.size(e));
        };
        let others: Vec<Expr> = unknowns.iter().copied().filter(|w| *w != u).collect();
        let lead = coefficients.last().copied().unwrap_or(pool.zero());
        let kind = match coefficients.len() {
            2 if pool.is_constant(lead) => 0,
            2 if !pool.contains_any(lead, &others) => 1,
            2 => 2,
            3 => 3,
            _ => 4,
        };
        (kind, coefficients.iter().map(|c| pool.size(*c)).sum())
    }

    fn eliminate(
        &self,
        equations: &[Expr],
        unknowns: &[Expr],
        (place, u): (usize, Expr),
    ) -> Option<Vec<Solution>> {
        let pool = self.pool();
        self.spend()?;
        let others: Vec<Expr> = unknowns.iter().copied().filter(|w| *w != u).collect();
        let mut all = Vec::new();
        for way in self.isolate(equations[place], u)? {
            let Some(own) = self.settled(u, &way) else {
                continue;
            };
            // where one equation alone has two ways meet, the system need not be singular
            let even = own.conditions.iter().all(|c| match c.relation {
                Relation::Zero => !pool.contains_any(c.expression, unknowns),
                Relation::NonZero => true,
                _ => self.is_singular(c.expression),
            });
            if !even {
                return None;
            }
            let by = FxHashMap::from_iter([(u, way.value)]);
            let mut rest = Vec::new();
            for (i, &e) in equations.iter().enumerate() {
                if i == place {
                    continue;
                }
                if let Some(period) = way.period
                    && drift(pool, e, u, period)? != pool.zero()
                {
                    return None;
                }
                let e = pool.reduced(undone(pool, pool.substitute(e, &by)));
                if pool.size(e) > LARGEST {
                    return None;
                }
                rest.push(e);
            }
            for other in self.solve(&rest, &others)? {
                all.push(own.and(&other));
            }
            if all.len() > MOST_BRANCHES {
                return None;
            }
        }
        Some(all)
    }
}

/// The equations in which a symbol stands.
pub(super) fn with_symbol(pool: &Pool, equations: &[Expr], u: Expr) -> Vec<Expr> {
    let list = equations.iter().copied();
    list.filter(|e| pool.symbols_of(*e).contains(&u)).collect()
}

/// `a c + b s + d`.
fn linear_form(pool: &Pool, e: Expr, both: [Expr; 2]) -> Option<[Expr; 3]> {
    let (slopes, rest) = pool.linear_in(e, &both, &|e| pool.reduced(e))?;
    Some([slopes[0], slopes[1], pool.reduced(rest)])
}

/// An equation without its factors that are factors of something that is not zero.
fn without_factors(pool: &Pool, e: Expr, not_zero: Expr) -> Expr {
    let known = pool.factors(not_zero).factors;
    let mut left = pool.factors(e).factors;
    let all = left.len();
    left.retain(|(f, _)| known.iter().all(|(g, _)| f != g));
    if left.len() == all {
        return e;
    }
    let left = left.iter().map(|&(f, k)| pool.powi(f, i64::from(k)));
    pool.product(left.collect::<Vec<_>>())
}

/// The value of an unknown with those of the others put in.
fn resolved(
    pool: &Pool,
    u: Expr,
    values: &FxHashMap<Expr, Expr>,
    known: &mut FxHashMap<Expr, Expr>,
    depth: usize,
) -> Option<Expr> {
    if let Some(&value) = known.get(&u) {
        return Some(value);
    }
    let mut value = *values.get(&u)?;
    if depth > values.len() || is_spent() {
        return None;
    }
    let mut inside: Vec<Expr> = pool.symbols_of(value).iter().copied().collect();
    inside.retain(|s| values.contains_key(s));
    inside.sort_unstable();
    let mut by = FxHashMap::default();
    for s in inside {
        by.insert(s, resolved(pool, s, values, known, depth + 1)?);
    }
    let plain = pool.substitute(value, &by);
    let written_out = undone(pool, plain);
    value = pool.simplify(written_out);
    if pool.size(written_out) < pool.size(value) {
        value = written_out;
    }
    // a sine of an inverse written out may be much longer than as it stands
    if 2 * pool.size(value) > 3 * pool.size(plain) {
        value = plain;
    }
    if pool.size(value) > LARGEST {
        return None;
    }
    known.insert(u, value);
    Some(value)
}
