//! A system made of expressions of another one, in some of its coordinates.

use super::{Constraint, Guess, Run, Start, System};
use crate::expr::Expr;

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
