//! d'Alembert's form: the equations of motion along an orthonormal basis N of ker J, the virtual
//! displacements.
//!
//! ```text
//! a = a_0 + N z,   J a_0 = gamma (the shortest),   (N^T M N) z = -N^T (M a_0 + h)
//! ```
//!
//! The multipliers follow from the part of M a + h that is normal to the virtual displacements
//! (Gekeler, equation 4).

use super::linear::Lu;
use super::linearised::{Linearised, Stop};
use crate::geometry::{Orthogonal, dot};

/// Workspace of the tangential equations.
#[derive(Debug, Clone)]
pub(super) struct Tangents {
    n: usize,
    r: usize,
    orthogonal: Orthogonal,
    /// The basis is orthonormal where coordinates are measured in these.
    units: Vec<f64>,
    /// J in these units, by rows.
    jacobian: Vec<f64>,
    /// Row k is the basis vector k.
    basis: Vec<f64>,
    reduced: Lu,
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
            units: vec![1.0; n],
            jacobian: vec![0.0; r * n],
            basis: vec![0.0; free * n],
            reduced: Lu::new(free),
            force: vec![0.0; n],
            z: vec![0.0; free],
        }
    }

    /// Measures the coordinates in these units, powers of two: large numbers beside small ones must not take all the digits
    /// of a basis.
    pub(super) fn measure_in(&mut self, units: &[f64]) {
        self.units.copy_from_slice(units);
    }

    /// Accelerations, and multipliers, at an instant.
    pub(super) fn solve(
        &mut self,
        at: &Linearised,
        a: &mut [f64],
        lambda: &mut [f64],
    ) -> Result<(), Stop> {
        let (n, r, free) = (self.n, self.r, self.n - self.r);
        let in_units = |vector: &mut [f64], units: &[f64]| {
            for (e, unit) in vector.iter_mut().zip(units) {
                *e *= unit;
            }
        };
        self.jacobian.copy_from_slice(at.jacobian);
        for row in self.jacobian.chunks_exact_mut(n.max(1)) {
            in_units(row, &self.units);
        }
        if !self.orthogonal.regular(&self.jacobian) {
            return Err(Stop::Singular);
        }
        for (b, e) in a[..r].iter_mut().enumerate() {
            *e = at.gamma(b);
        }
        self.orthogonal.shortest(a);
        in_units(a, &self.units);
        if free > 0 {
            for (k, vector) in self.basis.chunks_exact_mut(n).enumerate() {
                vector.fill(0.0);
                vector[r + k] = 1.0;
                self.orthogonal.turn_back(vector);
                in_units(vector, &self.units);
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
            if !self.reduced.regular() {
                return Err(Stop::Singular);
            }
            self.reduced.solve(&mut self.z);
            for (z, vector) in self.z.iter().zip(self.basis.chunks_exact(n)) {
                for (e, v) in a.iter_mut().zip(vector) {
                    *e += z * v;
                }
            }
        }
        at.forces(a, &mut self.force);
        in_units(&mut self.force, &self.units);
        self.orthogonal.turn(&mut self.force);
        lambda.copy_from_slice(&self.force[..r]);
        self.orthogonal.solve_upper(lambda);
        Ok(())
    }
}
