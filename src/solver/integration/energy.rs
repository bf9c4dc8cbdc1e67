//! The energy where it is constant: a motion that has lost or gained some of it went over a jump of the Lagrangian, or was held up
//! at a singular configuration, and is none. (Where forces do work the balance tells, which takes all of a motion.)

use crate::solver::dynamics::{Dynamics, Instant};
use crate::solver::step::Tolerance;

/// This part of the largest kinetic energy so far is no error of a motion,
const LOST: f64 = 0.05;
/// nor is so many times the tolerance of the forces, each times its coordinate.
const ERRORS: f64 = 30.0;
/// Nothing is said of motions that ask for less.
const STRICT: f64 = 1e-5;
/// Larger systems are not watched: it takes a product with M a sample.
const MOST: usize = 64;

/// The energy of a motion.
#[derive(Debug, Clone)]
pub(in crate::solver) struct ConstantEnergy {
    /// At the first sample.
    first: Option<f64>,
    /// The largest x'.M x' so far, term by term.
    motion: f64,
    rtol: f64,
    /// Was it another one at the last sample?
    lost: bool,
}

impl ConstantEnergy {
    /// None where it may change, or errors may be large.
    pub(in crate::solver) fn new(dynamics: &dyn Dynamics, tolerance: Tolerance) -> Option<Self> {
        let watched = dynamics.conserves_energy()
            && dynamics.coordinates() <= MOST
            && tolerance.rtol <= STRICT;
        watched.then_some(Self {
            first: None,
            motion: 0.0,
            rtol: tolerance.rtol,
            lost: false,
        })
    }

    /// Is it at another sample what it was at the first?
    pub(in crate::solver) fn is_kept(&mut self, at: &Instant, (x, v): (&[f64], &[f64])) -> bool {
        let first = *self.first.get_or_insert(at.energy);
        let momenta = at.mass.column_iter().zip(v);
        let moving = momenta.map(|(column, own)| {
            let pairs = column.iter().zip(v);
            (own * pairs.map(|(m, v)| m * v).sum::<f64>()).abs()
        });
        self.motion = self.motion.max(moving.sum());
        let forces = at.bias.iter().zip(x);
        let forces: f64 = forces.map(|(force, x)| (force * x).abs()).sum();
        let known = LOST * self.motion + ERRORS * self.rtol * (forces + first.abs());
        self.lost = (at.energy - first).abs() > known;
        !self.lost
    }

    /// Was it another one where a sample was taken last?
    pub(in crate::solver) fn is_lost(&self) -> bool {
        self.lost
    }
}
