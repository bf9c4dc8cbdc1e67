//! What velocity constraints bind: the rank of W = [J; A] and the velocities that depend on the others.

use super::Model;

/// What velocity constraints bind at a place.
#[derive(Clone, Debug)]
pub struct BoundVelocities {
    /// The rank of W.
    pub rank: usize,
    /// Its rows.
    pub rows: usize,
    /// The coordinates whose velocities depend on the others by them, as `derive` has it; none where there is no such choice.
    pub dependent: Vec<usize>,
    /// These and the dependent positions: columns of W.
    pub columns: Vec<usize>,
    /// The determinant of these columns there.
    pub determinant: f64,
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

    /// That, with the velocities that the velocity constraints make dependent beside these positions.
    pub(super) fn bound_velocities(
        &self,
        own: &[usize],
        (t, x): (f64, &[f64]),
    ) -> Option<BoundVelocities> {
        let (rank, rows) = self.velocity_rank(t, x)?;
        let columns = self.whole_choice(own).unwrap_or_default();
        let whole = self.theorem.whole(&self.system, t, x).value;
        let block = whole.rows(0, columns.len()).select_columns(&columns);
        let more = columns.iter().filter(|k| !own.contains(k));
        Some(BoundVelocities {
            rank,
            rows,
            dependent: more.copied().collect(),
            determinant: block.determinant(),
            columns,
        })
    }
}
