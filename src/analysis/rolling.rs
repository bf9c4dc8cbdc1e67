//! What velocity constraints bind: the rank of W = [J; A] and the velocities that depend on the others.

use super::{Derived, Model};

/// What velocity constraints bind at the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundVelocities {
    /// The rank of W.
    pub rank: usize,
    /// Its rows.
    pub rows: usize,
    /// The coordinates whose velocities depend on the others by them.
    pub dependent: Vec<usize>,
}

impl Model {
    /// The rank of W at a place, of as many rows as it has; `None` without velocity constraints or where W is not finite.
    pub fn velocity_rank(&self, t: f64, x: &[f64]) -> Option<(usize, usize)> {
        if self.system.velocity_constraints.is_empty() {
            return None;
        }
        let rows = self.theorem.whole(&self.system, t, x).blurred();
        rows.is_finite().then(|| (rows.rank(), rows.value.nrows()))
    }

    /// That, with the velocities that the velocity constraints make dependent.
    pub(super) fn bound_velocities(
        &self,
        derived: &Derived,
        (t, x): (f64, &[f64]),
    ) -> Option<BoundVelocities> {
        let (rank, rows) = self.velocity_rank(t, x)?;
        let own = &derived.derivation.dependent;
        let more = derived.whole.iter().flat_map(|whole| &whole.dependent);
        Some(BoundVelocities {
            rank,
            rows,
            dependent: more.filter(|k| !own.contains(k)).copied().collect(),
        })
    }
}
