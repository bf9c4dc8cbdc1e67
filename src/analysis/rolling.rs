//! What velocity constraints bind: the rank of W = [J; A] and the velocities that depend on the others.

use super::{Derived, Model};

impl Model {
    /// The rank of W at a place, of as many rows as it has; `None` without velocity constraints or where W is not finite.
    pub fn velocity_rank(&self, t: f64, x: &[f64]) -> Option<(usize, usize)> {
        if self.system.velocity_constraints.is_empty() {
            return None;
        }
        let rows = self.theorem.whole(&self.system, t, x).blurred();
        rows.is_finite().then(|| (rows.rank(), rows.value.nrows()))
    }

    /// That in words, with the velocities that the velocity constraints make dependent.
    pub(super) fn velocity_note(&self, derived: &Derived, (t, x): (f64, &[f64])) -> Option<String> {
        let (rank, count) = self.velocity_rank(t, x)?;
        let own = &derived.derivation.dependent;
        let more = derived.whole.iter().flat_map(|whole| &whole.dependent);
        let more: Vec<String> = more
            .filter(|k| !own.contains(k))
            .filter_map(|k| {
                self.coordinate_names()
                    .get(*k)
                    .map(|name| format!("{name}'"))
            })
            .collect();
        let dependent = if more.is_empty() {
            String::new()
        } else {
            format!("; dependent by velocity constraints: {}", more.join(", "))
        };
        Some(format!(
            "W = [J; A] has rank {rank} of {count} at the start{dependent}"
        ))
    }
}
