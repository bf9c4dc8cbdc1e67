//! What mechanics says of a system beside its equations of motion: momenta, energy, forces.

use super::{Derived, Model};
use crate::expr::{Expr, Extent, asked};
use crate::mechanics::{
    Balance, BodyForce, ConstraintForce, Symmetry, body_forces, constraint_forces, reactions,
    symmetries, written_lagrangian,
};

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

/// How many equations the usual form has, and how many are left (section 12 of the report).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Count {
    /// Differential equations of the usual form: one a coordinate.
    pub differential: usize,
    /// Its algebraic equations: one a constraint. The unknowns are as many as both together.
    pub algebraic: usize,
    /// Those of them that are inverted: all, unless some constraints imply others.
    pub inverted: usize,
    /// Differential equations that are left when the constraints are inverted.
    pub left: usize,
}

impl Account {
    /// The forces on all coordinates that are not those on a single body.
    pub fn forces_beside_bodies(&self) -> impl Iterator<Item = &ConstraintForce> {
        self.forces.iter().filter(|force| {
            let mut own = self.on_bodies.iter();
            let own = own.find(|f| f.constraint == force.constraint);
            own.is_none_or(|own| own.magnitude != force.magnitude)
        })
    }
}

impl Model {
    /// Momenta, energy, forces; worked out once.
    pub fn account(&self) -> &Account {
        self.account.get_or_init(|| {
            let (system, equations) = (&self.system, &self.equations);
            let pool = &system.pool;
            let terms = system.multipliers().zip(system.residuals());
            let terms = terms.map(|(lambda, off)| pool.mul(lambda, off));
            let told = || Account {
                balance: Balance::new(system, equations),
                symmetries: symmetries(system, equations),
                reactions: reactions(system, equations),
                on_bodies: body_forces(system, equations),
                forces: constraint_forces(system, equations),
                modified_lagrangian: pool
                    .sum([written_lagrangian(system)].into_iter().chain(terms)),
                extent: Extent::Whole,
            };
            let (account, extent) = asked(told);
            Account { extent, ..account }
        })
    }
}

impl Derived {
    /// The number of equations and unknowns.
    pub fn count(&self, model: &Model) -> Count {
        let d = &self.derivation;
        Count {
            differential: model.system.coordinates.len(),
            algebraic: model.system.constraints.len(),
            inverted: d.dependent.len(),
            left: d.independent.len(),
        }
    }
}
