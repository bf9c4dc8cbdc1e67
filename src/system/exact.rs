//! What the symbols of a system are exactly, to be put in for them.

use super::System;
use crate::expr::{Expr, Number};
use rustc_hash::FxHashMap;

impl System {
    /// What parameters are, but for those of which nothing is said: numbers, or expressions where they are no fractions. A number that was
    /// rounded would tell that sqrt(2)^2 - 2 is none.
    pub fn exact_parameters(&self, open: &[Expr]) -> FxHashMap<Expr, Expr> {
        let mut map: FxHashMap<Expr, Expr> = FxHashMap::default();
        for p in &self.parameters {
            if !open.contains(&p.symbol) {
                let own = match &p.exact {
                    Some(number) => self.pool.number(number.clone()),
                    // those that it is made of come before it
                    None => self.pool.substitute(p.written, &map),
                };
                map.insert(p.symbol, own);
            }
        }
        map
    }

    /// The same, and t.
    pub fn fixed_values(&self, t: f64, open: &[Expr]) -> FxHashMap<Expr, Expr> {
        let mut map = self.exact_parameters(open);
        let time = Number::written(t).or_else(|| Number::from_f64(t));
        let time = self.pool.number(time.unwrap_or(Number::ZERO));
        map.insert(self.t, time);
        map
    }
}
