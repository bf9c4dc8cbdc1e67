//! The Inverse Function Theorem on a system's constraints.
//!
//! m dependent coordinates D are chosen, the others are I. F = (f, x_I, t) has the Jacobian
//! +-det J_D; where it is not zero, x_D = g(y, x_I; t) with y = f(x; t). Three ways to fail are told
//! apart: the **chart** (det J_D = 0 with rank J = m: another choice works), the **rank** (rank
//! J < m: no choice works), and **smoothness** (f is not C^1 there).

mod choice;
mod determinant;
mod elimination;
mod everywhere;
mod independent;
mod inverse;
mod large;
mod numbers;
mod proof;
mod reduction;
mod regular;
mod singular;
mod smooth;

pub use choice::{Ranking, best, ranked};
pub use determinant::SymbolicDeterminant;
pub use everywhere::{can_vanish, drift, goes_round, half_turn, period_of, periods, within_a_turn};
pub use independent::{Alike, InBranch, Reduced, in_groups, independent_equations, turns_matter};
pub use inverse::{
    Branch, Condition, Inverse, Relation, invert, invert_within, is_linear, off_level, scattered,
    scattered_in, value_at,
};
pub use numbers::{LocalJacobian, Minor, RowTape, arguments, inputs};
pub use proof::{
    Atlas, Branches, Cell, Chart, Connected, Curve, DesignPlan, Domain, FARTHEST, GROWTH, Junction,
    Mark, Neighbourhood, Paving, Piece, Run, Terms, Tile, Word, atlas, branches, design, domain,
    grown, neighbourhood, pave, project, sample,
};
pub use reduction::{FOR_FORMS, Reduction, forms};
pub use regular::{IndependentEverywhere, independent_everywhere};
pub use singular::{
    Dimension, Points, Proof, Scope, SingularPoint, SingularPoints, Whereabouts, singular_points,
};
pub use smooth::{Rough, Roughness, Smoothness, may_kink, may_kink_in};

use crate::expr::Expr;
use crate::mechanics::Equations;
use crate::system::System;
use std::sync::Arc;

named! {
    /// Why the theorem does not apply.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum FailureKind {
        /// The chosen square block is singular, another choice of dependent coordinates is not.
        Chart = "chart",
        /// The gradients of the constraints are linearly dependent: no choice works.
        Rank = "rank",
        /// A constraint is not C^1.
        Smoothness = "smoothness",
    }
}

named! {
    /// How the branches of g behave where only the choice fails and one degree of freedom is left.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum Turn {
        /// The determinant changes its sign along the constraints: two branches meet.
        Fold = "fold",
        /// It does not: one branch, with an infinite slope.
        InfiniteSlope = "infinite slope",
    }
}

/// What is known of how a determinant vanishes at a point.
#[derive(Clone, Default, Debug)]
pub struct Vanishing {
    /// Its factors that are zero there.
    pub factors: Vec<Expr>,
    /// It is zero everywhere.
    pub everywhere: bool,
    /// How the branches of g meet there.
    pub turn: Option<Turn>,
}

/// Why the theorem fails at a point.
#[derive(Clone, Debug)]
pub enum Cause {
    /// det J_D is zero, the gradients of the constraints are independent.
    Chart(Vanishing),
    /// The gradients of the constraints are dependent.
    Rank {
        /// rank J.
        rank: usize,
        /// The constraints whose gradients are; one where its gradient is zero.
        constraints: Vec<usize>,
        /// A combination of gradients that is zero there: constraints and coefficients.
        combination: Vec<(usize, f64)>,
    },
    /// A constraint is not C^1.
    Rough(Rough),
}

impl Cause {
    /// Its name in JSON.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Chart(vanishing) if vanishing.everywhere => "vanishes_everywhere",
            Self::Chart(_) => "vanishes",
            Self::Rank { constraints, .. } if constraints.len() == 1 => "zero_gradient",
            Self::Rank { .. } => "dependent_gradients",
            Self::Rough(rough) => rough.how.name(),
        }
    }
}

/// A failure of the theorem at a point.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Why.
    pub cause: Cause,
    /// Choices that work there, best conditioned first.
    pub alternatives: Vec<Vec<usize>>,
    /// Are there choices that were not tried?
    pub more: bool,
}

impl Failure {
    /// A failure that no other choice mends.
    fn of_all(cause: Cause) -> Self {
        Self {
            cause,
            alternatives: Vec::new(),
            more: false,
        }
    }

    /// Which of the three.
    pub fn kind(&self) -> FailureKind {
        match self.cause {
            Cause::Chart(_) => FailureKind::Chart,
            Cause::Rank { .. } => FailureKind::Rank,
            Cause::Rough(_) => FailureKind::Smoothness,
        }
    }
}

/// The theorem at one point for one choice of dependent coordinates.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// J in numbers, its rank.
    pub local: LocalJacobian,
    rank: usize,
    /// The dependent coordinates looked at.
    pub dependent: Vec<usize>,
    /// det J_D, rows in the order of the constraints, columns in that of `dependent`.
    pub determinant: f64,
    /// The 2-norm condition number of J_D; `None` where infinite.
    pub condition: Option<f64>,
    /// |det J_D| / sqrt(det J J^T), from 0 (fails) to 1.
    pub quality: Option<f64>,
    /// `None` where the theorem holds.
    pub failure: Option<Failure>,
}

impl Verdict {
    /// Does the theorem apply?
    pub fn holds(&self) -> bool {
        self.failure.is_none()
    }

    /// rank J; none where f is not C^1: there J is no derivative of it, whatever numbers its entries have.
    pub fn rank(&self) -> Option<usize> {
        let is_rough = |failure: &Failure| failure.kind() == FailureKind::Smoothness;
        let is_smooth = !self.failure.as_ref().is_some_and(is_rough);
        is_smooth.then_some(self.rank)
    }
}

/// The theorem for one system: what does not depend on the point, compiled.
#[derive(Clone, Debug)]
pub struct Theorem {
    rows: Arc<RowTape>,
    smoothness: Smoothness,
}

impl Theorem {
    /// Prepares a system.
    pub fn new(system: &System, equations: &Equations) -> Self {
        Self {
            rows: Arc::new(RowTape::new(system, equations)),
            smoothness: Smoothness::new(system),
        }
    }

    /// The Jacobian at a position; `corrections` are the last Newton corrections of coordinates that
    /// were solved for (may be empty).
    pub fn local(&self, system: &System, t: f64, x: &[f64], corrections: &[f64]) -> LocalJacobian {
        self.rows
            .jacobian(&arguments(system, t, x, &[]), corrections)
    }

    /// W = [J; A] at a position.
    pub fn whole(&self, system: &System, t: f64, x: &[f64]) -> LocalJacobian {
        self.rows.at(&arguments(system, t, x, &[]), &[])
    }

    /// W = [J; A], compiled.
    pub fn rows(&self) -> &Arc<RowTape> {
        &self.rows
    }

    /// A constraint whose gradient is beyond what numbers can hold at a position, where nothing makes it less than C^1.
    pub fn overflow(
        &self,
        system: &System,
        (t, x): (f64, &[f64]),
        corrections: &[f64],
    ) -> Option<usize> {
        let values = arguments(system, t, x, &[]);
        let local = self.rows.jacobian(&values, corrections);
        let is_bad = |b: &usize| local.value.row(*b).iter().any(|v| !v.is_finite());
        let bad = (0..system.constraints.len()).find(is_bad)?;
        let rough = self.smoothness.rough(system, &values, corrections);
        rough.is_none().then_some(bad)
    }

    /// The choices of dependent coordinates that work at a position, best conditioned first.
    pub fn choices(&self, system: &System, t: f64, x: &[f64], corrections: &[f64]) -> Ranking {
        ranked(&self.local(system, t, x, corrections))
    }

    /// Are the constraints C^1 everywhere, by the functions in them?
    pub fn is_smooth(&self) -> bool {
        self.smoothness.is_everywhere()
    }

    /// The first constraint that is not C^1 at a position, or not known to be.
    pub fn rough(
        &self,
        system: &System,
        (t, x): (f64, &[f64]),
        corrections: &[f64],
    ) -> Option<Rough> {
        let values = arguments(system, t, x, &[]);
        self.smoothness.rough(system, &values, corrections)
    }

    /// The verdict at a position for these dependent coordinates (as many as constraints).
    pub fn verdict(
        &self,
        system: &System,
        (t, x): (f64, &[f64]),
        corrections: &[f64],
        dependent: &[usize],
    ) -> Verdict {
        let values = arguments(system, t, x, &[]);
        let local = self.rows.jacobian(&values, corrections);
        let m = system.constraints.len();
        let minor = local.minor(dependent);
        let rough = self.smoothness.rough(system, &values, corrections);
        let mut rank = m;
        let (condition, quality) = local.measures(dependent, &minor);
        let mut failure = None;
        if let Some(rough) = rough {
            failure = Some(Failure::of_all(Cause::Rough(rough)));
        } else if !local.is_finite() {
            let bad = (0..m).find(|&b| local.value.row(b).iter().any(|v| !v.is_finite()));
            failure = Some(Failure::of_all(Cause::Rough(Rough {
                constraint: bad.unwrap_or(0),
                how: Roughness::NoGradient,
            })));
        } else if minor.is_zero {
            let mut ranking = ranked(&local);
            if ranking.choices.is_empty() {
                let eliminated = local.blurred().eliminated();
                rank = eliminated.rank();
                if rank == m {
                    // of many choices not all were tried: the pivots make one
                    ranking.choices.push(eliminated.columns());
                }
            }
            failure = Some(if rank < m {
                Failure::of_all(Cause::Rank {
                    rank,
                    constraints: local.entangled(),
                    combination: local.combination(),
                })
            } else {
                Failure {
                    cause: Cause::Chart(Vanishing::default()),
                    alternatives: ranking.choices,
                    more: ranking.more,
                }
            });
        }
        Verdict {
            local,
            rank,
            dependent: dependent.to_vec(),
            determinant: minor.determinant,
            condition,
            quality,
            failure,
        }
    }
}
