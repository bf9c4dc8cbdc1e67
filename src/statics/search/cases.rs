//! Equations taken apart: products are split, what is linear is solved for.

use super::{Case, Finder};
use crate::expr::{Expr, Interval, SymbolKind, is_over};
use crate::theorem::scattered;
use rustc_hash::FxHashMap;

/// Cases that splitting products may make.
const MOST_CASES: usize = 48;
/// A coordinate solved for is put into the other equations if its value is no larger than this.
const SHORT: usize = 60;
/// Equations of more operations are neither factored nor simplified.
const FACTORED: usize = 400;

impl Finder<'_> {
    /// Splits products and eliminates, until nothing more can be split.
    pub(super) fn cases(&self) -> Vec<Case> {
        let mut queue = vec![Case {
            equations: self.wanted.equations.to_vec(),
            solved: Vec::new(),
        }];
        let mut done = Vec::new();
        while let Some(case) = queue.pop() {
            let Some(case) = self.eliminate(case) else {
                continue;
            };
            if queue.len() + done.len() >= MOST_CASES || is_over() {
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

    /// One case a factor of the first product; the case without an equation that is a multiple of another one.
    fn split(&self, case: &Case) -> Option<Vec<Case>> {
        let pool = self.wanted.pool;
        let mut known = Vec::new();
        for (place, &e) in case.equations.iter().enumerate() {
            if pool.size(e) > FACTORED {
                continue;
            }
            let found = pool.factors(e);
            if let [(factor, 1)] = found.factors[..] {
                if known.contains(&factor) {
                    let mut part = case.clone();
                    part.equations.remove(place);
                    return Some(vec![part]);
                }
                known.push(factor);
            }
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
        let range = |kind| self.range(kind).unwrap_or(Interval::ALL);
        self.wanted.pool.bounds(e, &range).contains(0.0)
    }

    /// Solves for what is linear with a numeric coefficient; `None` where an equation cannot hold.
    fn eliminate(&self, mut case: Case) -> Option<Case> {
        let pool = self.wanted.pool;
        loop {
            for e in &mut case.equations {
                if pool.size(*e) <= FACTORED {
                    *e = pool.simplify(*e);
                }
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

    /// Is an expression seen to differ at two points?
    fn varies(&self, e: Expr) -> bool {
        let at = |place: u64| {
            self.wanted.pool.evaluate(e, &|kind| match kind {
                SymbolKind::Coordinate { index, order: 0 } => {
                    let side = self.range(kind).unwrap_or(Interval::ZERO);
                    side.lo + scattered(place, index) * (side.hi - side.lo)
                }
                SymbolKind::Multiplier(b) => scattered(place + 2, b) - 0.5,
                SymbolKind::Pi => std::f64::consts::PI,
                _ => f64::NAN,
            })
        };
        let (a, b) = (at(0), at(1));
        (a - b).abs() > 1e-6 * (a.abs() + b.abs())
    }

    /// An equation that is linear in an unknown with a numeric coefficient: a multiplier first, else a
    /// coordinate by an equation without multipliers, so that all stay affine in the multipliers. Equations in few unknowns
    /// come first: they bring the least into the others.
    fn linear(&self, equations: &[Expr]) -> Option<(usize, Expr, Expr)> {
        let pool = self.wanted.pool;
        let solved_for = |e: Expr, u: Expr| {
            if !pool.symbols_of(e).contains(&u) {
                return None;
            }
            if self.varies(pool.derivative(e, u)) {
                return None;
            }
            let (slopes, rest) = pool.linear_in(e, &[u], &|e| pool.simplify(e))?;
            let inverse = pool.as_number(*slopes.first()?)?.recip()?.neg();
            Some(pool.scale(rest, &inverse))
        };
        let mut order: Vec<(usize, usize, Expr)> = equations
            .iter()
            .enumerate()
            .map(|(place, &e)| (pool.symbols_of(e).len(), place, e))
            .collect();
        order.sort_unstable_by_key(|(unknowns, place, _)| (*unknowns, *place));
        for &(_, place, e) in &order {
            for &u in self.wanted.multipliers {
                if let Some(value) = solved_for(e, u) {
                    return Some((place, u, value));
                }
            }
        }
        for &(_, place, e) in &order {
            if pool.contains_any(e, self.wanted.multipliers) {
                continue;
            }
            let able = self.wanted.x.iter().filter_map(|&u| {
                let value = solved_for(e, u)?;
                (pool.size(value) <= SHORT).then_some((place, u, value))
            });
            // put into the fewest others it leaves most of them as they are
            let others = |u: Expr| {
                let has = |e: &&Expr| pool.symbols_of(**e).contains(&u);
                equations.iter().filter(has).count()
            };
            if let Some(found) = able.min_by_key(|(_, u, _)| others(*u)) {
                return Some(found);
            }
        }
        None
    }
}
