//! What velocity constraints bind: the rank of W = [J; A] and the velocities that depend on the others.

use super::{Derived, Model};
use crate::expr::{Expr, Tape, Workspace};
use crate::theorem::{arguments, inputs};
use nalgebra::DMatrix;

/// Singular values below this part of the largest are zero; rows have length 1.
const RANK: f64 = 1e-10;

impl Model {
    /// The rank of W at a place, of as many rows as it has; `None` without velocity constraints or where W is not finite.
    pub fn velocity_rank(&self, t: f64, x: &[f64]) -> Option<(usize, usize)> {
        let rows = &self.equations.velocity.rows;
        if rows.is_empty() {
            return None;
        }
        let all: Vec<Expr> = self
            .equations
            .gradients
            .iter()
            .chain(rows)
            .flatten()
            .copied()
            .collect();
        let mut values = vec![0.0; all.len()];
        Tape::new(&self.system.pool, &inputs(&self.system), &all).eval(
            &arguments(&self.system, t, x, &[]),
            &mut Workspace::default(),
            &mut values,
        );
        if values.iter().any(|v| !v.is_finite()) {
            return None;
        }
        let n = x.len();
        let count = all.len() / n.max(1);
        let mut w = DMatrix::from_row_slice(count, n, &values);
        for mut row in w.row_iter_mut() {
            let length = row.norm();
            if length > 0.0 {
                row /= length;
            }
        }
        let singular = w.singular_values();
        let top = singular.max();
        let rank = singular.iter().filter(|s| **s > RANK * top).count();
        Some((rank, count))
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
