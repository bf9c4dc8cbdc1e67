//! Velocity constraints A x' + b = 0 (p rows): their part of the report's form.
//!
//! In a chart x' = B x_I' + [-`J_D`^-1 `f_t`; 0], so that they bind the independent velocities alone,
//!
//! ```text
//! (A B) x_I' + b - A_D J_D^-1 f_t = 0
//! ```
//!
//! and the reduced equations contain their multipliers, B^T E = (A B)^T mu. With a = `a_0` + B `a_I`:
//!
//! ```text
//! [ B^T M B  (A B)^T ] [ a_I ]   [ -B^T (M a_0 + h) ]
//! [   A B       0    ] [ -mu ] = [  gamma - A a_0   ]
//! ```
//!
//! It is solved as Lagrange's equations with all multipliers are.

use super::saddle::{Blocks, Saddle};
use crate::geometry::Orthogonal;

/// Workspace of p velocity constraints on the independent coordinates of a chart.
#[derive(Debug, Clone)]
pub(super) struct Nonholonomic {
    free: usize,
    /// A B, p rows.
    rows: Vec<f64>,
    orthogonal: Orthogonal,
    saddle: Saddle,
    force: Vec<f64>,
    gamma: Vec<f64>,
    mu: Vec<f64>,
}

impl Nonholonomic {
    /// Room for p velocity constraints on so many independent coordinates.
    pub(super) fn new(free: usize, p: usize) -> Self {
        Self {
            free,
            rows: vec![0.0; p * free],
            orthogonal: Orthogonal::new(free, p.min(free)),
            saddle: Saddle::new(free, p),
            force: vec![0.0; free],
            gamma: Vec::with_capacity(p),
            mu: vec![0.0; p],
        }
    }

    /// Sets an entry of A B.
    pub(super) fn set(&mut self, row: usize, column: usize, value: f64) {
        self.rows[row * self.free + column] = value;
    }

    /// mu, as solved for last.
    pub(super) fn multipliers(&self) -> &[f64] {
        &self.mu
    }

    /// The shortest u with (A B) u = `miss`; false where the rows of A B are dependent.
    pub(super) fn shortest(&mut self, miss: &[f64], u: &mut [f64]) -> bool {
        if self.mu.len() > self.free || !self.orthogonal.regular(&self.rows) {
            return false;
        }
        u[..miss.len()].copy_from_slice(miss);
        self.orthogonal.shortest(u);
        true
    }

    /// Solves for `a_I` and mu: B^T M B by rows, the right side in `right` (`a_I` afterwards), gamma - A `a_0`.
    /// False where they are not determined.
    pub(super) fn solve(
        &mut self,
        mass: &[f64],
        right: &mut [f64],
        gamma: impl Iterator<Item = f64>,
    ) -> bool {
        self.force.copy_from_slice(right);
        self.gamma.clear();
        self.gamma.extend(gamma);
        let blocks = Blocks {
            mass,
            rows: &self.rows,
        };
        let (force, gamma) = (&self.force, &self.gamma);
        let asked = (|k: usize| force[k], |b: usize| gamma[b]);
        self.saddle.solve(blocks, asked, (right, &mut self.mu))
    }
}
