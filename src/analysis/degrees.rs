//! Angles that start as if they were given in degrees.

use super::Model;
use crate::expr::{Expr, Function, Node};
use rustc_hash::FxHashSet;
use std::f64::consts::TAU;

/// Angles in degrees are multiples of this, as a rule.
const ROUND: f64 = 5.0;
/// Nobody means more of them than a hundred turns.
const MOST: f64 = 36_000.0;

impl Model {
    /// The coordinates that occur in sines and cosines alone and are a whole multiple of 5 beyond a turn at this place, and no more than
    /// a hundred turns of degrees: as rad that is rarely meant.
    pub fn like_degrees(&self, x: &[f64]) -> Vec<(usize, f64)> {
        let may_be = |value: f64| (TAU..=MOST).contains(&value.abs());
        let looks = |value: f64| may_be(value) && value.rem_euclid(ROUND) == 0.0;
        let places = x.iter().copied().enumerate();
        let list: Vec<(usize, f64)> = places.filter(|(_, value)| looks(*value)).collect();
        if list.is_empty() {
            return list;
        }
        let (inside, outside) = self.turning_symbols();
        let is_angle = |k: usize| {
            let own = self.system.coordinates.get(k).map(|c| c.x);
            own.is_some_and(|x| inside.contains(&x) && !outside.contains(&x))
        };
        list.into_iter().filter(|(k, _)| is_angle(*k)).collect()
    }

    /// What occurs inside of functions of angles, and what occurs outside.
    fn turning_symbols(&self) -> (FxHashSet<Expr>, FxHashSet<Expr>) {
        let (system, pool) = (&self.system, &self.system.pool);
        let rows = system.velocity_constraints.iter();
        let rows = rows.flat_map(|c| c.row.iter().chain([&c.b]));
        let all = [&system.lagrangian].into_iter().chain(&system.forces);
        let all = all.chain(system.constraints.iter().map(|c| &c.f));
        let mut stack: Vec<Expr> = all.chain(rows).copied().collect();
        let (mut inside, mut outside) = (FxHashSet::default(), FxHashSet::default());
        let mut seen = FxHashSet::default();
        while let Some(e) = stack.pop() {
            if !seen.insert(e) {
                continue;
            }
            match &*pool.node(e) {
                Node::Symbol(_) => {
                    outside.insert(e);
                }
                Node::Apply(Function::Sin | Function::Cos | Function::Tan, args) => {
                    for &arg in args {
                        inside.extend(pool.symbols_of(arg).iter().copied());
                    }
                }
                _ => stack.extend(pool.children(e)),
            }
        }
        (inside, outside)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::System;

    #[test]
    fn an_angle_that_starts_at_90_is_noticed_and_a_length_or_a_turn_is_not() {
        let like = |lagrangian: &str, x: f64| {
            let text = format!("coordinates: [th]\nlagrangian: th'^2/2 + {lagrangian}\n");
            let model = Model::new(System::parse(&text, "test.yaml", &[]).unwrap());
            model.like_degrees(&[x])
        };
        assert_eq!(like("cos(th)", 90.0), [(0, 90.0)]);
        assert_eq!(like("sin(2*th)^2", -45.0), [(0, -45.0)]);
        // every large number is a multiple of 5, and none is meant in degrees
        assert!(like("cos(th)", 1e6).is_empty() && like("cos(th)", 1e300).is_empty());
        // a spring, no angle, a small one, one that is no round number
        assert!(like("cos(th) - th^2", 90.0).is_empty());
        assert!(like("th", 90.0).is_empty());
        assert!(like("cos(th)", 5.0).is_empty() && like("cos(th)", 7.0).is_empty());
    }
}
