//! The equations of motion for a choice of dependent coordinates, as far as they are closed.

use super::{InBranch, Inverse, SymbolicDeterminant, independent_equations};
use crate::expr::{is_spent, within};
use crate::mechanics::{Derivation, Eliminated, Equations};
use crate::system::System;

/// What simplifying may cost (see [`within`]) for the multipliers and what follows
/// from them. Systems that are written by hand stay far below.
pub const FOR_FORMS: u64 = 1_000_000;
/// The same for the equations without the dependent accelerations,
const FOR_ELIMINATION: u64 = 400_000;
/// and for those in the independent coordinates alone.
const FOR_BRANCHES: u64 = 4_000_000;

/// What belongs to a choice of dependent coordinates.
#[derive(Clone, Debug)]
pub struct Reduction {
    /// The forms in all coordinates.
    pub derivation: Derivation,
    /// The inverse functions.
    pub inverse: Inverse,
    /// The reduced equations without the dependent accelerations.
    pub eliminated: Option<Eliminated>,
    /// The equations in the independent coordinates, where the inverse is closed.
    pub in_branches: Option<Vec<InBranch>>,
}

/// Derives them.
pub fn forms(system: &System, equations: &Equations, dependent: &[usize]) -> Reduction {
    let derivation = within(FOR_FORMS, || Derivation::new(system, equations, dependent));
    let determinant = SymbolicDeterminant::new(system, equations, dependent);
    let inverse = Inverse::new(system, &determinant, dependent);
    // what could not be simplified for want of effort is too long to be read
    let eliminated = within(FOR_ELIMINATION, || {
        let e = Eliminated::new(system, equations, &derivation);
        e.filter(|_| !is_spent())
    });
    let in_branches = within(FOR_BRANCHES, || {
        let (own, branches) = (eliminated.as_ref(), inverse.branches());
        let list = independent_equations(system, &derivation, own, branches);
        list.filter(|_| !is_spent())
    });
    Reduction {
        derivation,
        inverse,
        eliminated,
        in_branches,
    }
}
