//! Generalized momenta, the energy function, and what becomes of them along the motion.
//!
//! ```text
//! p_k = dL/dx_k'           p_k' = dL/dx_k + Q_k + sum_b lambda_b df_b/dx_k + sum_j mu_j A_jk
//! H   = x' . dL/dx' - L    H'   = Q . x' - lambda . f_t - mu . b - dL/dt
//! ```
//!
//! p_k is conserved where x_k is in neither L nor any constraint and no force acts on it: that it is
//! missing from L is not enough (section 10 of the report has no x1 in L, and the wire pushes).

use super::equations::{Equations, readable};
use crate::expr::{Expr, Pool};
use crate::system::System;

/// A generalized momentum.
#[derive(Clone, Debug)]
pub struct Momentum {
    /// dL/dx_k'.
    pub value: Expr,
    /// What changes it; nothing where it is conserved.
    pub changed_by: Vec<Cause>,
}

impl Momentum {
    /// Is it the same all along every motion, and not just zero?
    pub fn is_conserved(&self, pool: &Pool) -> bool {
        self.changed_by.is_empty() && self.value != pool.zero()
    }
}

/// What changes a momentum or the energy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// L contains the coordinate, for the energy the time.
    Lagrangian,
    /// An applied force.
    Force,
    /// A constraint, by index, velocity constraints after the others: its gradient has a part there, for the
    /// energy f contains the time or b is not zero.
    Constraint(usize),
}

/// The momenta and the balance of the energy.
#[derive(Clone, Debug)]
pub struct Balance {
    /// One a coordinate.
    pub momenta: Vec<Momentum>,
    /// Q . x', the power of the applied forces.
    pub forces: Expr,
    /// -lambda . f_t - mu . b, the power of the constraint forces.
    pub constraints: Expr,
    /// -dL/dt at fixed x and x'.
    pub explicit: Expr,
    /// H', the sum of the three.
    pub rate: Expr,
    /// What changes the energy; nothing where it is conserved.
    pub changed_by: Vec<Cause>,
}

impl Balance {
    /// The momenta of a system and the balance of its energy.
    pub fn new(system: &System, equations: &Equations) -> Self {
        let pool = &system.pool;
        let acts = |e: Expr| e != pool.zero() && pool.is_zero(e) != Some(true);
        let momenta = system
            .coordinates
            .iter()
            .enumerate()
            .map(|(k, c)| {
                let hangs = !pool.is_free_of(system.lagrangian, &[c.x]);
                let acting = equations.rows().map(|row| row[k] != pool.zero());
                Momentum {
                    changed_by: causes([hangs, acts(system.forces[k])], acting),
                    value: readable(pool, pool.derivative(system.lagrangian, c.v)),
                }
            })
            .collect();
        let forces = readable(pool, pool.sum(system.along_velocities(&system.forces)));
        let constraints = readable(pool, pool.sum(equations.powers(system)));
        let explicit = readable(pool, pool.neg(equations.lagrangian_t));
        let moving = equations.rates().map(acts);
        let hangs = !pool.is_free_of(system.lagrangian, &[system.t]);
        let changed_by = causes([hangs, acts(forces)], moving);
        Self {
            momenta,
            forces,
            constraints,
            explicit,
            rate: readable(pool, pool.sum([forces, constraints, explicit])),
            changed_by,
        }
    }
}

/// What acts: the change of L, a force, and constraints.
fn causes([lagrangian, force]: [bool; 2], constraints: impl Iterator<Item = bool>) -> Vec<Cause> {
    let own = [(lagrangian, Cause::Lagrangian), (force, Cause::Force)];
    let own = own.into_iter().filter(|(acts, _)| *acts);
    let acting = constraints.enumerate().filter(|(_, acting)| *acting);
    let acting = acting.map(|(b, _)| Cause::Constraint(b));
    own.map(|(_, cause)| cause).chain(acting).collect()
}
