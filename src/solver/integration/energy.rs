//! The energy where it is constant: a motion that has lost or gained some of it went over a jump of the Lagrangian, or was held up
//! at a singular configuration, and is none. (Where forces do work the balance tells, which takes all of a motion.)

use crate::solver::dynamics::{Dynamics, Instant};
use crate::solver::step::Tolerance;

/// This part of the largest kinetic energy so far is no error of a motion,
const LOST: f64 = 0.05;
/// nor is what so many times the tolerances make of it,
const ERRORS: f64 = 100.0;
/// or so many roundings of each of its terms.
const ROUNDINGS: f64 = 16.0 * f64::EPSILON;
/// Nothing is said of motions that ask for less.
const STRICT: f64 = 1e-5;

/// The energy of a motion.
#[derive(Debug, Clone)]
pub(in crate::solver) struct ConstantEnergy {
    /// At the first sample, and what that was rounded by.
    first: Option<[f64; 2]>,
    /// The largest x'.M x' so far, term by term.
    motion: f64,
    tolerance: Tolerance,
    /// Was it another one at the last sample?
    lost: bool,
}

impl ConstantEnergy {
    /// None where errors may be large.
    pub(in crate::solver) fn new(tolerance: Tolerance) -> Option<Self> {
        (tolerance.rtol <= STRICT).then_some(Self {
            first: None,
            motion: 0.0,
            tolerance,
            lost: false,
        })
    }

    /// Is it at another sample what it was at the first? So it is where it may change.
    pub(in crate::solver) fn is_kept(
        &mut self,
        dynamics: &dyn Dynamics,
        at: &Instant,
        y: &[f64],
    ) -> bool {
        let Some([first, rounded]) = self.first else {
            self.first = dynamics.constant_energy(y);
            return true;
        };
        let v = &y[y.len() / 2..];
        let momenta = at.mass.column_iter().zip(v);
        let moving = momenta.map(|(column, own)| {
            let pairs = column.iter().zip(v);
            (own * pairs.map(|(m, v)| m * v).sum::<f64>()).abs()
        });
        self.motion = self.motion.max(moving.sum());
        let off = (at.energy - first).abs() - LOST * self.motion;
        self.lost = off > 0.0 && off > ROUNDINGS * rounded + self.doubt(dynamics, y);
        !self.lost
    }

    /// What is not known of it in a state.
    fn doubt(&self, dynamics: &dyn Dynamics, y: &[f64]) -> f64 {
        let energy = |y: &[f64]| dynamics.constant_energy(y).unwrap_or([f64::NAN; 2]);
        let [here, rounded] = energy(y);
        let mut moved = y.to_vec();
        let by_each = (0..y.len()).map(|k| {
            let by = ERRORS * self.tolerance.of(y[k]);
            let sides = [by, -by].map(|by| {
                moved[k] = y[k] + by;
                (energy(&moved)[0] - here).abs()
            });
            moved[k] = y[k];
            sides[0].max(sides[1])
        });
        by_each.sum::<f64>() + ROUNDINGS * rounded
    }

    /// Was it another one where a sample was taken last?
    pub(in crate::solver) fn is_lost(&self) -> bool {
        self.lost
    }
}
