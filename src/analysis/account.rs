//! What mechanics says of a system beside its equations of motion: momenta, energy, forces.

use crate::expr::{Expr, Extent, asked};
use crate::mechanics::{
    Balance, BodyForce, ConstraintForce, Equations, Symmetry, body_forces, constraint_forces,
    reactions, symmetries, written_lagrangian,
};
use crate::system::System;

/// Momenta, the balance of the energy, conserved quantities, the forces of constraint.
#[derive(Clone, Debug)]
pub struct Account {
    /// The momenta and the balance of the energy.
    pub balance: Balance,
    /// Symmetries, and what they keep.
    pub symmetries: Vec<Symmetry>,
    /// R_k = sum lambda_b df_b/dx_k, one a coordinate.
    pub reactions: Vec<Expr>,
    /// The forces on the bodies whose positions are coordinates.
    pub on_bodies: Vec<BodyForce>,
    /// The force of each constraint on all coordinates together.
    pub forces: Vec<ConstraintForce>,
    /// L + sum lambda_b (f_b - c_b): its Euler-Lagrange equations, those of the multipliers
    /// included, are the usual form and the constraints (Salas, equation 3).
    pub modified_lagrangian: Expr,
    /// Was all of it simplified, and every change found to be one?
    pub extent: Extent,
}

impl Account {
    /// Of a system with these equations.
    pub(super) fn new(system: &System, equations: &Equations) -> Self {
        let pool = &system.pool;
        let terms = system.multipliers().zip(system.residuals());
        let terms = terms.map(|(lambda, off)| pool.mul(lambda, off));
        let told = || Self {
            balance: Balance::new(system, equations),
            symmetries: symmetries(system, equations),
            reactions: reactions(system, equations),
            on_bodies: body_forces(system, equations),
            forces: constraint_forces(system, equations),
            modified_lagrangian: pool.sum([written_lagrangian(system)].into_iter().chain(terms)),
            extent: Extent::Whole,
        };
        let (account, extent) = asked(told);
        Self { extent, ..account }
    }

    /// The forces on all coordinates that are not those on a single body.
    pub fn forces_beside_bodies(&self) -> impl Iterator<Item = &ConstraintForce> {
        self.forces.iter().filter(|force| {
            let mut own = self.on_bodies.iter();
            let own = own.find(|f| f.constraint == force.constraint);
            own.is_none_or(|own| own.magnitude != force.magnitude)
        })
    }
}
