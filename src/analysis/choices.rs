//! The choices of dependent coordinates, and how their inverse functions can be had: a good choice of
//! coordinates may trivialize what another one leaves to numbers (NRL Memorandum Report 6001).

use super::Model;
use crate::expr::Expr;
use crate::geometry::{binomial, combinations};
use crate::theorem::{Inverse, SymbolicDeterminant, invert_within, is_linear};

/// At most this many choices are listed.
const LISTED: usize = 8;
/// With more constraints than this only the choice at hand is told of.
const MOST_CONSTRAINTS: usize = 6;
/// Up to this many choices all are looked at; beyond, those that rank best at the point.
const ALL_UP_TO: usize = 20;
/// Steps that an inverse not asked for may take.
const STEPS: u32 = 60;

named! {
    /// How the inverse functions of a choice can be had, the best first.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum Solvable as all {
        /// The constraints are linear in the dependent coordinates.
        Linear = "linear",
        /// In closed form.
        Closed = "closed",
        /// By Newton's method.
        Numeric = "numeric",
    }
}

/// A choice of dependent coordinates.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The dependent coordinates.
    pub dependent: Vec<usize>,
    /// det J_D; `None` where it is too large to write out.
    pub determinant: Option<Expr>,
    /// How its inverse functions can be had.
    pub inverse: Solvable,
}

/// Choices of dependent coordinates.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    /// Those whose determinant is not zero everywhere: the one at hand, then those that work at the
    /// point, best conditioned first, then the others.
    pub list: Vec<Choice>,
    /// Are there others?
    pub more: bool,
}

impl Model {
    /// The choices at a point, with the one at hand and its inverse.
    pub(super) fn all_choices(
        &self,
        (t, x): (f64, &[f64]),
        corrections: &[f64],
        (own, inverse): (&[usize], &Inverse),
    ) -> Choices {
        let system = &self.system;
        let (n, m) = (system.coordinates.len(), system.constraints.len());
        if m == 0 {
            return Choices::default();
        }
        let mut sorted = own.to_vec();
        sorted.sort_unstable();
        let mut candidates = vec![own.to_vec()];
        let mut more = binomial(n, m) > 1;
        if m <= MOST_CONSTRAINTS {
            let ranking = self.theorem.choices(system, t, x, corrections);
            let works = ranking.choices.into_iter().filter(|c| *c != sorted);
            candidates.extend(works.take(LISTED));
            more = binomial(n, m) > ALL_UP_TO;
            if !more {
                for choice in combinations(n, m) {
                    if choice != sorted && !candidates.contains(&choice) {
                        candidates.push(choice);
                    }
                }
            }
        }
        let mut list = Vec::new();
        for dependent in candidates {
            if list.len() == LISTED {
                more = true;
                break;
            }
            let det = SymbolicDeterminant::new(system, &self.equations, &dependent);
            if det.vanishes {
                continue;
            }
            let solvable = if is_linear(system, &dependent) {
                Solvable::Linear
            } else {
                let other = (dependent != own).then(|| invert_within(system, &dependent, STEPS));
                match other.as_ref().unwrap_or(inverse) {
                    Inverse::Closed(_) => Solvable::Closed,
                    Inverse::Numeric(_) | Inverse::Nowhere => Solvable::Numeric,
                }
            };
            list.push(Choice {
                dependent,
                determinant: det.whole,
                inverse: solvable,
            });
        }
        Choices { list, more }
    }
}
