//! Equations that give an unknown, put into the others.

use super::everywhere::has_no_zero;
use crate::expr::{Expr, Pool, SymbolKind};
use rustc_hash::FxHashMap;

/// What is left of equations when those that give an unknown have been put into the others.
pub(super) struct Remainder {
    pub(super) equations: Vec<Expr>,
    /// The unknowns that none gives.
    pub(super) free: Vec<usize>,
    /// The others with their values.
    pub(super) solved: Vec<(Expr, Expr)>,
}

/// How unknowns are eliminated from equations.
pub(super) struct Elimination<'a> {
    pub(super) pool: &'a Pool,
    /// The coordinates.
    pub(super) unknowns: &'a [Expr],
    /// How equations are simplified.
    pub(super) simple: fn(&Pool, Expr) -> Expr,
}

impl Elimination<'_> {
    /// Solves what is linear in an unknown; `None` where an equation cannot hold.
    pub(super) fn run(&self, mut equations: Vec<Expr>) -> Option<Remainder> {
        let pool = self.pool;
        let mut solved: Vec<(Expr, Expr)> = Vec::new();
        loop {
            for e in &mut equations {
                *e = (self.simple)(pool, *e);
            }
            equations.retain(|e| *e != pool.zero());
            let cannot_hold = |e: &Expr| pool.as_number(*e).is_some() || has_no_zero(pool, *e);
            if equations.iter().any(cannot_hold) {
                return None;
            }
            let Some((place, unknown, value)) = self.linear(&equations) else {
                break;
            };
            equations.remove(place);
            let by = FxHashMap::from_iter([(unknown, value)]);
            for e in &mut equations {
                *e = pool.substitute(*e, &by);
            }
            for (_, old) in &mut solved {
                *old = pool.substitute(*old, &by);
            }
            solved.push((unknown, value));
        }
        let is_free = |k: &usize| solved.iter().all(|(u, _)| *u != self.unknowns[*k]);
        Some(Remainder {
            free: (0..self.unknowns.len()).filter(is_free).collect(),
            equations,
            solved,
        })
    }

    /// An equation that is linear in an unknown, with a coefficient that has no zero.
    fn linear(&self, equations: &[Expr]) -> Option<(usize, Expr, Expr)> {
        let pool = self.pool;
        equations.iter().enumerate().find_map(|(i, &e)| {
            let inside = pool.symbols_of(e);
            let mut places: Vec<usize> = inside
                .iter()
                .filter_map(|x| match pool.symbol_kind(*x) {
                    Some(SymbolKind::Coordinate { index, order: 0 }) => Some(index),
                    _ => None,
                })
                .collect();
            places.sort_unstable();
            places.into_iter().find_map(|k| {
                let u = self.unknowns[k];
                let (slopes, rest) = pool.linear_in(e, &[u], &|e| (self.simple)(pool, e))?;
                let slope = *slopes.first()?;
                let able = !pool.contains_any(slope, self.unknowns) && has_no_zero(pool, slope);
                able.then(|| (i, u, pool.neg(pool.div(rest, slope))))
            })
        })
    }
}
