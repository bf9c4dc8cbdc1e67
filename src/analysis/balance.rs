//! The balance of the energy along a motion: does it close?
//!
//! ```text
//! H = x'.dL/dx' - L,   dH/dt = Q.x' - lambda.f_t - mu.b - dL/dt
//! H(t) - H(t_0) - integral of the right side = 0
//! ```
//!
//! The left side knows positions and velocities, the right side the multipliers and the forces: what is
//! left over is the error of the motion, and of the integral over its samples. What that may be off by is estimated
//! ([`super::integral`]); where it is more than what is left over, the samples are too few to tell.

use super::Model;
use super::integral::{judged, pieces};
use crate::expr::{Expr, Pool};
use crate::geometry::largest;
use crate::solver::Sample;

/// The terms of the balance that a system has.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// Q . x'
    pub forces: Expr,
    /// -lambda . `f_t` - mu . b
    pub constraints: Expr,
    /// -dL/dt at fixed x and x'
    pub explicit: Expr,
}

impl Terms {
    /// Is there one that is not zero?
    pub fn is_any(&self, pool: &Pool) -> bool {
        let all = [self.forces, self.constraints, self.explicit];
        all.iter().any(|e| *e != pool.zero())
    }
}

/// How well the balance of the energy closes along a motion.
#[derive(Clone, Debug)]
pub struct Closure {
    /// The terms of dH/dt.
    pub terms: Terms,
    /// H - H(start) - the integral, sample by sample.
    pub residual: Vec<f64>,
    /// Its largest size,
    pub largest: f64,
    /// and when.
    pub t: f64,
    /// The size of what is balanced: the largest of |x'.dL/dx'|, |H - H(start)| and the work of each term.
    pub scale: f64,
    /// What the integral over the samples may miss; 0 where there is nothing to integrate.
    pub doubt: f64,
    /// The work done by all terms, start to end.
    pub work: f64,
    /// What the constraints give one by one, those that can give anything: their number (holonomic ones come
    /// first) and their power.
    pub shares: Vec<(usize, Expr)>,
}

/// Less than this part of the scale is nothing to speak of.
const SLIGHT: f64 = 1e-9;

impl Closure {
    /// To what the balance closes, as far as the samples can tell, relative to the sizes involved; 0 where
    /// nothing moves.
    pub fn relative(&self) -> f64 {
        let most = self.largest.max(self.doubt);
        if most == 0.0 { 0.0 } else { most / self.scale }
    }

    /// Do the samples tell less than the motion is worth?
    pub fn is_doubtful(&self) -> bool {
        self.doubt > 0.1 * self.largest && self.doubt > SLIGHT * self.scale
    }
}

impl Model {
    /// The terms of dH/dt.
    pub fn energy_terms(&self) -> Terms {
        let system = &self.system;
        let pool = &system.pool;
        Terms {
            forces: pool.sum(system.along_velocities(&system.forces)),
            constraints: pool.sum(self.equations.powers(system)),
            explicit: pool.neg(self.equations.lagrangian_t),
        }
    }

    /// The balance of the energy along a motion; `None` where it has no samples or no numbers.
    pub fn closure(&self, samples: &[Sample]) -> Option<Closure> {
        let terms = self.energy_terms();
        let pool = &self.system.pool;
        let powers = [terms.forces, terms.constraints, terms.explicit];
        // x'.p = H + L
        let moved = pool.add(self.equations.energy, self.system.lagrangian);
        let shares = self.equations.powers(&self.system).enumerate();
        let shares = shares.filter(|(_, e)| *e != pool.zero()).collect();
        let lagrangian = self.system.lagrangian;
        let list: Vec<Expr> = powers.into_iter().chain([moved, lagrangian]).collect();
        let values = self.evaluate(samples, &list);
        let times: Vec<f64> = samples.iter().map(|s| s.t).collect();
        let breaks = self.breaks(&times);
        let first = samples.first()?.energy;
        let mut residual: Vec<f64> = samples.iter().map(|s| s.energy - first).collect();
        let mut scale = largest(&residual).max(largest(&values[3]));
        let (mut doubt, mut work) = (0.0, 0.0);
        for (power, values) in powers.into_iter().zip(&values) {
            if power == pool.zero() {
                continue;
            }
            let (done, off) = judged(&times, values, &breaks);
            doubt += off;
            scale = scale.max(largest(&done));
            work += done.last()?;
            for (r, w) in residual.iter_mut().zip(&done) {
                *r -= w;
            }
        }
        // where L jumps with t its rate has no integral over samples: H changes by what L does
        let jumps = self.jumps(&times);
        let mut given = 0.0;
        for (i, r) in residual.iter_mut().enumerate().skip(1) {
            if jumps.contains(&times[i]) {
                given += values[4][i - 1] - values[4][i];
            }
            *r -= given;
        }
        work += given;
        scale = scale.max(given.abs());
        if residual.iter().any(|r| !r.is_finite()) || !scale.is_finite() {
            return None;
        }
        let (most, t) = residual
            .iter()
            .zip(&times)
            .map(|(r, t)| (r.abs(), *t))
            .fold(
                (0.0, *times.first()?),
                |most, e| {
                    if e.0 > most.0 { e } else { most }
                },
            );
        // what acts only between two samples is in the energy and not in their integral
        if most > doubt && pieces(&times, &breaks).len() <= breaks.len() {
            doubt = most;
        }
        Some(Closure {
            terms,
            residual,
            largest: most,
            t,
            scale,
            doubt,
            work,
            shares,
        })
    }
}
