//! The linear equations that the accelerations follow from at an instant, and why there may be none.

use super::dynamics::Instant;
use super::rank::InUse;
use super::saddle::Blocks;

/// Why a right-hand side could not be evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// The values of a constraint are not finite.
    Constraint(usize),
    /// The equations of motion, or what follows from them, are not finite.
    Equations,
    /// The equations do not determine the accelerations.
    Singular,
    /// The position could not be brought onto the constraints.
    Position,
    /// The error of the step is too large.
    Rejected,
    /// The position is on another branch of the inverse function, or near the edge of the chart.
    Branch,
}

/// The linear equations of an instant, constraints in use only.
pub(super) struct Linearised<'a> {
    /// The number of coordinates.
    pub(super) n: usize,
    /// J by rows, then A by rows.
    pub(super) jacobian: &'a [f64],
    set: InUse<'a>,
    at: &'a Instant,
}

impl<'a> Linearised<'a> {
    /// The equations at an instant, with the rows of these constraints.
    pub(super) fn new(jacobian: &'a [f64], set: InUse<'a>, at: &'a Instant) -> Self {
        Self {
            n: at.bias.len(),
            jacobian,
            set,
            at,
        }
    }

    /// The number of velocity constraints in use.
    pub(super) fn velocities(&self) -> usize {
        self.set.velocity.len()
    }

    /// M and J, then A.
    pub(super) fn blocks(&self) -> Blocks<'a> {
        Blocks {
            mass: self.at.mass.as_slice(),
            rows: self.jacobian,
        }
    }

    /// Column (and row) k of M.
    pub(super) fn mass(&self, k: usize) -> &[f64] {
        &self.at.mass.as_slice()[k * self.n..(k + 1) * self.n]
    }

    /// `h_k`.
    pub(super) fn bias(&self, k: usize) -> f64 {
        self.at.bias[k]
    }

    /// Row b of J; velocity constraints come after the others.
    pub(super) fn row(&self, b: usize) -> &[f64] {
        &self.jacobian[b * self.n..(b + 1) * self.n]
    }

    /// `gamma_b`.
    pub(super) fn gamma(&self, b: usize) -> f64 {
        let InUse { rows, velocity, .. } = self.set;
        match rows.get(b) {
            Some(&row) => self.at.gamma[row],
            None => self.at.velocity_gamma[velocity[b - rows.len()]],
        }
    }

    /// out = M y.
    pub(super) fn times_mass(&self, y: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        self.add_mass(y, out);
    }

    /// out = M a + h.
    pub(super) fn forces(&self, a: &[f64], out: &mut [f64]) {
        out.copy_from_slice(self.at.bias.as_slice());
        self.add_mass(a, out);
    }

    fn add_mass(&self, y: &[f64], out: &mut [f64]) {
        for (k, e) in y.iter().enumerate() {
            if *e != 0.0 {
                for (o, m) in out.iter_mut().zip(self.mass(k)) {
                    *o += e * m;
                }
            }
        }
    }
}
