//! A system made of expressions of another one, in some of its coordinates.

use super::{Constraint, Guess, Run, Start, System};
use crate::expr::Expr;
use rustc_hash::FxHashMap;

/// What the new system has of its own, in the expressions of the other one.
pub struct Reduced {
    /// Its coordinates, by their indices in the other system, in ascending order; nothing else may contain others.
    pub coordinates: Vec<usize>,
    /// L.
    pub lagrangian: Expr,
    /// Q, one a coordinate.
    pub forces: Vec<Expr>,
    /// The constraints.
    pub constraints: Vec<Constraint>,
    /// Where it starts, one value a coordinate, at t = 0.
    pub x: Vec<f64>,
}

impl System {
    /// The system without the parameters that are zero, but for one that varies, where t goes with them.
    #[must_use]
    pub fn without_time(&self, varies: Option<usize>) -> Option<Self> {
        let pool = &self.pool;
        let levels = self.constraints.iter().flat_map(|c| [c.f, c.c]);
        let own = levels.chain(self.forces.iter().copied());
        let own: Vec<Expr> = own.chain([self.lagrangian]).collect();
        let has_time = |e: &Expr| pool.contains_any(*e, &[self.t]);
        if !own.iter().any(has_time) || !self.velocity_constraints.is_empty() || self.objective {
            return None;
        }
        let parameters = self.parameters.iter().enumerate();
        let zero = parameters.filter(|(k, p)| Some(*k) != varies && p.value == 0.0);
        let by: FxHashMap<Expr, Expr> = zero.map(|(_, p)| (p.symbol, pool.zero())).collect();
        let without = |e: Expr| pool.simplify(pool.substitute(e, &by));
        let constraints = self.constraints.iter().map(|c| Constraint {
            f: without(c.f),
            c: without(c.c),
            typed: (without(c.typed.0), without(c.typed.1)),
            ..c.clone()
        });
        let own = Reduced {
            coordinates: (0..self.coordinates.len()).collect(),
            lagrangian: without(self.lagrangian),
            forces: self.forces.iter().map(|q| without(*q)).collect(),
            constraints: constraints.collect(),
            x: self.guess.x.clone(),
        };
        let levels = own.constraints.iter().flat_map(|c| [c.f, c.c]);
        let mut left = levels.chain(own.forces.iter().copied());
        if has_time(&own.lagrangian) || left.any(|e| has_time(&e)) {
            return None;
        }
        Some(Self {
            dependent: self.dependent.clone(),
            ..self.reduced(own)
        })
    }

    /// The system of these expressions, with the parameters of this one; what is run, drawn and expected is not taken over.
    #[must_use]
    pub fn reduced(&self, own: Reduced) -> Self {
        let n = own.coordinates.len();
        let kept = own.coordinates.iter();
        Self {
            pool: self.pool.of_coordinates(&own.coordinates),
            name: self.name.clone(),
            source: None,
            about: None,
            coordinates: kept.map(|&k| self.coordinates[k].clone()).collect(),
            t: self.t,
            parameters: self.parameters.clone(),
            worked_out: Vec::new(),
            written: Vec::new(),
            lagrangian: own.lagrangian,
            objective: false,
            bodies: Vec::new(),
            forces: own.forces,
            constraints: own.constraints,
            velocity_constraints: Vec::new(),
            dependent: None,
            start: Start {
                x: own.x.into_iter().map(Some).collect(),
                v: vec![None; n],
                ..Start::default()
            },
            guess: Guess {
                x: vec![0.0; n],
                v: vec![0.0; n],
            },
            run: Run::default(),
            plots: Vec::new(),
            picture: None,
            expectations: Vec::new(),
            outputs: Vec::new(),
            force_columns: Vec::new(),
            defined: Vec::new(),
            taken: Vec::new(),
            measured: None,
        }
    }
}
