//! Velocity constraints A x' + b = 0 (p rows): their rows, and their part of the report's form.
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
//! As in [`super::multipliers`] this is scaled on both sides, so that no unit matters.

use super::dynamics::VelocityValue;
use super::linear::Lu;
use crate::geometry::Orthogonal;

/// The rows of A in use, by rows.
pub(super) fn gather(from: &VelocityValue, rows: &[usize], out: &mut [f64]) {
    let (p, n) = from.rows.shape();
    let entries = from.rows.as_slice();
    for (&j, row) in rows.iter().zip(out.chunks_exact_mut(n.max(1))) {
        for (k, e) in row.iter_mut().enumerate() {
            *e = entries[k * p + j];
        }
    }
}

/// Workspace of p velocity constraints on the independent coordinates of a chart.
#[derive(Debug, Clone)]
pub(super) struct Nonholonomic {
    free: usize,
    /// A B, p rows.
    rows: Vec<f64>,
    orthogonal: Orthogonal,
    lu: Lu,
    scale: Vec<f64>,
    unknowns: Vec<f64>,
    mu: Vec<f64>,
}

impl Nonholonomic {
    /// Room for p velocity constraints on so many independent coordinates.
    pub(super) fn new(free: usize, p: usize) -> Self {
        Self {
            free,
            rows: vec![0.0; p * free],
            orthogonal: Orthogonal::new(free, p.min(free)),
            lu: Lu::new(free + p),
            scale: vec![1.0; free + p],
            unknowns: vec![0.0; free + p],
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

    /// Solves for `a_I` and mu: B^T M B by rows, the right side in `free` (`a_I` afterwards), gamma - A `a_0`.
    /// False where they are not determined.
    pub(super) fn solve(
        &mut self,
        mass: &[f64],
        right: &mut [f64],
        gamma: impl Iterator<Item = f64>,
    ) -> bool {
        let (free, p) = (self.free, self.mu.len());
        let size = free + p;
        self.scales(mass);
        let (own, row) = self.scale.split_at(free);
        let entries = self.lu.entries();
        entries.fill(0.0);
        for (i, s) in own.iter().enumerate() {
            for (k, scale) in own.iter().enumerate() {
                entries[i * size + k] = mass[i * free + k] * s * scale;
            }
        }
        for (j, scale) in row.iter().enumerate() {
            for (k, s) in own.iter().enumerate() {
                let entry = self.rows[j * free + k] * s * scale;
                entries[(free + j) * size + k] = entry;
                entries[k * size + free + j] = entry;
            }
        }
        if !self.lu.regular() {
            return false;
        }
        for ((u, f), s) in self.unknowns.iter_mut().zip(right.iter()).zip(own) {
            *u = f * s;
        }
        for ((u, gamma), s) in self.unknowns[free..].iter_mut().zip(gamma).zip(row) {
            *u = gamma * s;
        }
        self.lu.solve(&mut self.unknowns);
        for ((f, u), s) in right.iter_mut().zip(&self.unknowns).zip(own) {
            *f = u * s;
        }
        for ((mu, u), s) in self.mu.iter_mut().zip(&self.unknowns[free..]).zip(row) {
            *mu = -u * s;
        }
        true
    }

    /// Scales as those of [`super::multipliers::scales`].
    fn scales(&mut self, mass: &[f64]) {
        let free = self.free;
        let largest = |values: &mut dyn Iterator<Item = f64>| {
            values.fold(0.0_f64, |most, e| e.abs().max(most))
        };
        let one = |most: f64| if most > 0.0 { most.recip() } else { 1.0 };
        let (own, row) = self.scale.split_at_mut(free);
        for (k, s) in own.iter_mut().enumerate() {
            let diagonal = mass[k * free + k].abs();
            *s = if diagonal > 0.0 {
                diagonal.sqrt().recip()
            } else {
                0.0
            };
        }
        for (entries, s) in self.rows.chunks_exact(free.max(1)).zip(row.iter_mut()) {
            let massive = largest(&mut entries.iter().zip(own.iter()).map(|(e, c)| e * c));
            *s = if massive > 0.0 {
                massive.recip()
            } else {
                one(largest(&mut entries.iter().copied()))
            };
        }
        for (k, s) in own.iter_mut().enumerate() {
            if *s == 0.0 {
                let rows = self.rows.iter().skip(k).step_by(free).zip(row.iter());
                *s = one(largest(&mut rows.map(|(e, c)| e * c)));
            }
        }
    }
}
