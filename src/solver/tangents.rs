//! d'Alembert's form: the equations of motion along an orthonormal basis N of ker J, the virtual
//! displacements.
//!
//! ```text
//! a = a_0 + N z,   J a_0 = gamma (the shortest),   (N^T M N) z = -N^T (M a_0 + h)
//! ```
//!
//! The multipliers follow from the part of M a + h that is normal to the virtual displacements
//! (Gekeler, equation 4).

use super::chart;
use super::linear::Lu;
use super::linearised::{Linearised, Stop};
use crate::geometry::{Orthogonal, dot};

/// Workspace of the tangential equations.
#[derive(Debug, Clone)]
pub(super) struct Tangents {
    n: usize,
    r: usize,
    orthogonal: Orthogonal,
    /// The coordinates in an order in which those that J binds come first; none before that is chosen.
    order: Vec<usize>,
    /// J in these units and this order, by rows.
    jacobian: Vec<f64>,
    /// A vector in them.
    arranged: Vec<f64>,
    /// Row k is the basis vector k.
    basis: Vec<f64>,
    reduced: Lu,
    /// One over the length of each basis vector, by the kinetic energy.
    lengths: Vec<f64>,
    /// M times a vector, then E.
    force: Vec<f64>,
    z: Vec<f64>,
}

impl Tangents {
    pub(super) fn new(n: usize, r: usize) -> Self {
        let free = n - r;
        Self {
            n,
            r,
            orthogonal: Orthogonal::new(n, r),
            order: Vec::new(),
            jacobian: vec![0.0; r * n],
            arranged: vec![0.0; n],
            basis: vec![0.0; free * n],
            reduced: Lu::new(free),
            lengths: vec![1.0; free],
            force: vec![0.0; n],
            z: vec![0.0; free],
        }
    }

    /// The units of the coordinates are others from here on.
    pub(super) fn arrange_anew(&mut self) {
        self.order.clear();
    }

    /// J in the units and the order of the coordinates. Those that J binds come first: then a vector of the basis has no part in
    /// coordinates that have nothing to do with it, however small its own are beside them.
    fn arrange(&mut self, jacobian: &[f64], units: &[f64]) {
        let n = self.n;
        if self.order.len() < n {
            let scaled = jacobian.iter().zip(units.iter().cycle());
            let scaled = scaled.map(|(e, unit)| e * unit).collect();
            let mut order = chart::best(scaled, n, self.r).unwrap_or_default();
            order.extend((0..n).filter(|k| !order.contains(k)).collect::<Vec<_>>());
            self.order = order;
        }
        let rows = self.jacobian.chunks_exact_mut(n.max(1));
        for (row, own) in rows.zip(jacobian.chunks_exact(n.max(1))) {
            for (e, &k) in row.iter_mut().zip(&self.order) {
                *e = own[k] * units[k];
            }
        }
    }

    /// Accelerations, and multipliers, at an instant. The basis is orthonormal where coordinates are measured in these units.
    pub(super) fn solve(
        &mut self,
        at: &Linearised,
        units: &[f64],
        (a, lambda): (&mut [f64], &mut [f64]),
    ) -> Result<(), Stop> {
        let (n, r, free) = (self.n, self.r, self.n - self.r);
        self.arrange(at.jacobian, units);
        if !self.orthogonal.regular(&self.jacobian) {
            return Err(Stop::Singular);
        }
        // back to the coordinates as they are
        let back = |arranged: &[f64], vector: &mut [f64]| {
            for (e, &k) in arranged.iter().zip(&self.order) {
                vector[k] = e * units[k];
            }
        };
        for (b, e) in self.arranged[..r].iter_mut().enumerate() {
            *e = at.gamma(b);
        }
        self.orthogonal.shortest(&mut self.arranged);
        back(&self.arranged, a);
        if free > 0 {
            for (k, vector) in self.basis.chunks_exact_mut(n).enumerate() {
                self.arranged.fill(0.0);
                self.arranged[r + k] = 1.0;
                self.orthogonal.turn_back(&mut self.arranged);
                back(&self.arranged, vector);
            }
            at.forces(a, &mut self.force);
            for (z, vector) in self.z.iter_mut().zip(self.basis.chunks_exact(n)) {
                *z = -dot(vector, &self.force);
            }
            let entries = self.reduced.entries();
            for (k, vector) in self.basis.chunks_exact(n).enumerate() {
                at.times_mass(vector, &mut self.force);
                for (i, other) in self.basis.chunks_exact(n).enumerate() {
                    entries[i * free + k] = dot(other, &self.force);
                }
            }
            // each displacement in its own unit: they go as far as the coordinates that they move
            for i in 0..free {
                let own = entries[i * free + i].abs().sqrt();
                self.lengths[i] = if own > 0.0 { own.recip() } else { 1.0 };
            }
            for (i, row) in entries.chunks_exact_mut(free).enumerate() {
                for (e, length) in row.iter_mut().zip(&self.lengths) {
                    *e *= length * self.lengths[i];
                }
                self.z[i] *= self.lengths[i];
            }
            if !self.reduced.regular() {
                return Err(Stop::Singular);
            }
            self.reduced.solve(&mut self.z);
            let pairs = self.z.iter().zip(&self.lengths);
            for ((z, length), vector) in pairs.zip(self.basis.chunks_exact(n)) {
                for (e, v) in a.iter_mut().zip(vector) {
                    *e += z * length * v;
                }
            }
        }
        at.forces(a, &mut self.force);
        for (e, &k) in self.arranged.iter_mut().zip(&self.order) {
            *e = self.force[k] * units[k];
        }
        self.orthogonal.turn(&mut self.arranged);
        lambda.copy_from_slice(&self.arranged[..r]);
        self.orthogonal.solve_upper(lambda);
        Ok(())
    }
}
