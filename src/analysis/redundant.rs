//! Is there a choice of dependent coordinates anywhere, where some constraints follow from the others?
//!
//! Where they do, the gradients are dependent on all of the piece of the constraint set that the start lies on. On other pieces they
//! need not be: x y = 0 and x z = 0 hold on the plane x = 0, where they are, and on the line y = z = 0. So points all over the box are
//! asked; that none works anywhere is proven where the determinant of each choice is zero as an expression.

use super::derived::Redundancy;
use super::{Model, Part};
use crate::expr::Interval;
use crate::geometry::{binomial, combinations};
use crate::theorem::{SymbolicDeterminant, sample};

/// Scattered points from which points of the set are looked for.
const STARTS: u64 = 64;
/// What a point found is known to, in parts of the box.
const KNOWN: f64 = 1e-10;
/// Choices whose determinants are written out, at most.
const WRITTEN: usize = 60;

/// Constraints follow from others, and wherever it was looked no choice of dependent coordinates works.
#[derive(Clone, Debug, PartialEq)]
pub struct NoChoice {
    /// Those constraints.
    pub redundancy: Redundancy,
    /// Points of the constraint set in the box that were looked at.
    pub looked: usize,
    /// Is it proven for all of the set?
    pub proven: bool,
}

impl Model {
    /// Is there no choice of dependent coordinates that works at any point of the set in a box that was looked at, because constraints
    /// follow from others?
    pub(super) fn no_choice(&self, part: &Part, sides: &[Interval]) -> Option<NoChoice> {
        let (n, m) = (self.system.coordinates.len(), self.system.constraints.len());
        let reach: Vec<f64> = sides.iter().map(|side| KNOWN * side.width()).collect();
        let is_dependent = |x: &[f64]| {
            let local = self.theorem.local(&self.system, part.t, x, &reach[..n]);
            local.is_finite() && !local.blurred().is_full()
        };
        let points = sample(&self.bounds().equations, sides, STARTS);
        if points.is_empty() || !points.iter().all(|point| is_dependent(&point[..n])) {
            return None;
        }
        let redundancy = self.redundancy()?;
        let vanishes = |dependent: &Vec<usize>| {
            SymbolicDeterminant::new(&self.system, &self.equations, dependent).vanishes
        };
        let proven = binomial(n, m) <= WRITTEN && combinations(n, m).all(|d| vanishes(&d));
        Some(NoChoice {
            redundancy,
            looked: points.len(),
            proven,
        })
    }
}
