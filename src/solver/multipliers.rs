//! Lagrange's equations with the multipliers solved for beside the accelerations.
//!
//! ```text
//! [ M  J^T ] [    a    ]   [  -h   ]
//! [ J   0  ] [ -lambda ] = [ gamma ]
//! ```
//!
//! M may be singular as long as it is regular on ker J. The matrix is scaled on both sides, with the
//! square roots of the diagonal of M for the coordinates and what makes the rows of J of size one for
//! the constraints, so that the choice of pivots and the test for singularity know no units.
//!
//! Where large forces cancel in a small inertia force, the solution is corrected once by what it leaves over
//! (Skeel, Math. Comp. 35, 1980): the error is then that of entries changed by rounding, each relative to
//! itself, and no longer relative to the largest force.

use super::linear::Lu;
use super::linearised::{Linearised, Stop};

/// Forces that are so many times the inertia force they cancel to are worth a correction.
const CANCELS: f64 = 1e4;

/// Workspace of the augmented system for n coordinates and r constraints.
#[derive(Debug, Clone)]
pub(super) struct Multipliers {
    n: usize,
    r: usize,
    lu: Lu,
    scale: Vec<f64>,
    unknowns: Vec<f64>,
}

impl Multipliers {
    pub(super) fn new(n: usize, r: usize) -> Self {
        Self {
            n,
            r,
            lu: Lu::new(n + r),
            scale: vec![1.0; n + r],
            unknowns: vec![0.0; n + r],
        }
    }

    /// Accelerations, and multipliers, at an instant.
    pub(super) fn solve(
        &mut self,
        at: &Linearised,
        a: &mut [f64],
        lambda: &mut [f64],
    ) -> Result<(), Stop> {
        let (n, r) = (self.n, self.r);
        scales(at, &mut self.scale);
        let size = n + r;
        let (coordinate, row) = self.scale.split_at(n);
        let entries = self.lu.entries();
        entries.fill(0.0);
        for (k, scale) in coordinate.iter().enumerate() {
            let column = at.mass(k);
            for (i, (m, s)) in column.iter().zip(coordinate).enumerate() {
                entries[i * size + k] = m * s * scale;
            }
        }
        for (b, scale) in row.iter().enumerate() {
            for (k, j) in at.row(b).iter().enumerate() {
                let entry = j * scale * coordinate[k];
                entries[(n + b) * size + k] = entry;
                entries[k * size + n + b] = entry;
            }
        }
        if !self.lu.regular() {
            return Err(Stop::Singular);
        }
        for (k, u) in self.unknowns[..n].iter_mut().enumerate() {
            *u = -at.bias(k) * coordinate[k];
        }
        for (b, u) in self.unknowns[n..].iter_mut().enumerate() {
            *u = at.gamma(b) * row[b];
        }
        self.lu.solve(&mut self.unknowns);
        for k in 0..n {
            a[k] = self.unknowns[k] * coordinate[k];
        }
        for b in 0..r {
            lambda[b] = -self.unknowns[n + b] * row[b];
        }
        if self.left_over(at, a, lambda) > CANCELS {
            self.lu.solve(&mut self.unknowns);
            let (coordinate, row) = self.scale.split_at(n);
            for k in 0..n {
                a[k] += self.unknowns[k] * coordinate[k];
            }
            for b in 0..r {
                lambda[b] -= self.unknowns[n + b] * row[b];
            }
        }
        Ok(())
    }

    /// What the equations leave over, scaled, into the unknowns; and how much larger than an inertia force
    /// the forces are that cancel in it, at most.
    fn left_over(&mut self, at: &Linearised, a: &[f64], lambda: &[f64]) -> f64 {
        let n = self.n;
        let (coordinate, row) = self.scale.split_at(n);
        let mut most = 0.0_f64;
        for (k, scale) in coordinate.iter().enumerate() {
            let mut forces = -at.bias(k);
            let mut terms = forces.abs();
            for (b, l) in lambda.iter().enumerate() {
                let force = l * at.row(b)[k];
                forces += force;
                terms += force.abs();
            }
            let inertia: f64 = at.mass(k).iter().zip(a).map(|(m, a)| m * a).sum();
            self.unknowns[k] = (forces - inertia) * scale;
            if inertia != 0.0 {
                most = most.max(terms / inertia.abs());
            }
        }
        for (b, scale) in row.iter().enumerate() {
            let rate: f64 = at.row(b).iter().zip(a).map(|(j, a)| j * a).sum();
            self.unknowns[n + b] = (at.gamma(b) - rate) * scale;
        }
        most
    }
}

/// Scales of the coordinates and the constraints: s M s has ones on its diagonal where M has no zero
/// there, and the rows and the massless columns of the scaled J have largest entry one.
pub(super) fn scales(at: &Linearised, scale: &mut [f64]) {
    let n = at.n;
    let (coordinate, row) = scale.split_at_mut(n);
    for (k, s) in coordinate.iter_mut().enumerate() {
        let diagonal = at.mass(k)[k].abs();
        *s = if diagonal > 0.0 {
            diagonal.sqrt().recip()
        } else {
            0.0
        };
    }
    for (b, s) in row.iter_mut().enumerate() {
        let massive = largest(at.row(b).iter().zip(coordinate.iter()).map(|(j, c)| j * c));
        let most = if massive > 0.0 {
            massive
        } else {
            largest(at.row(b).iter().copied())
        };
        *s = if most > 0.0 { most.recip() } else { 1.0 };
    }
    for (k, s) in coordinate.iter_mut().enumerate() {
        if *s == 0.0 {
            let most = largest(row.iter().enumerate().map(|(b, c)| at.row(b)[k] * c));
            *s = if most > 0.0 { most.recip() } else { 1.0 };
        }
    }
}

fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, |most, e| e.abs().max(most))
}
