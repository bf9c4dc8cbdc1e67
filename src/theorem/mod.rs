//! The Inverse Function Theorem on a system's constraints.
//!
//! m dependent coordinates D are chosen, the others are I. F = (f, x_I, t) has the Jacobian
//! +-det J_D; where it is not zero, x_D = g(y, x_I; t) with y = f(x; t). Three ways to fail are told
//! apart: the **chart** (det J_D = 0 with rank J = m: another choice works), the **rank** (rank
//! J < m: no choice works), and **smoothness** (f is not C^1 there).

mod choice;
mod determinant;
mod everywhere;
mod forms;
mod independent;
mod inverse;
mod large;
mod numbers;
mod proof;
mod singular;
mod smooth;

pub use choice::{Ranking, best, binomial, ranked};
pub use determinant::SymbolicDeterminant;
pub use everywhere::{can_vanish, drift, fixed_values, half_turn, periods};
pub use forms::{FOR_FORMS, Forms, forms};
pub use independent::{InBranch, Reduced, independent_equations, turns_matter};
pub use inverse::{
    Branch, Condition, Inverse, Relation, invert, invert_within, is_linear, scattered, value_at,
};
pub use numbers::{CompiledRows, LocalJacobian, Minor, arguments, inputs};
pub use proof::{
    Atlas, Chart, GROWTH, Mark, Neighbourhood, Paving, Piece, Terms, Tile, Work, atlas, grown,
    neighbourhood, pave, project, sample,
};
pub use singular::{
    Points, Proof, Scope, SingularPoint, SingularPoints, Whereabouts, singular_points,
};
pub use smooth::{Rough, Smoothness};

use crate::mechanics::Equations;
use crate::system::System;
use std::sync::Arc;

/// Why the theorem does not apply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FailureKind {
    /// The chosen square block is singular, another choice of dependent coordinates is not.
    Chart,
    /// The gradients of the constraints are linearly dependent: no choice works.
    Rank,
    /// A constraint is not C^1.
    Smoothness,
}

impl FailureKind {
    /// Its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Chart => "chart",
            Self::Rank => "rank",
            Self::Smoothness => "smoothness",
        }
    }
}

/// A failure of the theorem at a point.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Which of the three.
    pub kind: FailureKind,
    /// Choices that work there, best conditioned first.
    pub alternatives: Vec<Vec<usize>>,
    /// Are there choices that were not tried?
    pub more: bool,
    /// One sentence.
    pub because: String,
}

/// The theorem at one point for one choice of dependent coordinates.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// J in numbers, its rank.
    pub local: LocalJacobian,
    /// rank J.
    pub rank: usize,
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
}

/// The theorem for one system: what does not depend on the point, compiled.
#[derive(Clone, Debug)]
pub struct Theorem {
    rows: Arc<CompiledRows>,
    smoothness: Smoothness,
}

impl Theorem {
    /// Prepares a system.
    pub fn new(system: &System, equations: &Equations) -> Self {
        Self {
            rows: Arc::new(CompiledRows::new(system, equations)),
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
    pub fn rows(&self) -> &Arc<CompiledRows> {
        &self.rows
    }

    /// The choices of dependent coordinates that work at a position, best conditioned first.
    pub fn choices(&self, system: &System, t: f64, x: &[f64], corrections: &[f64]) -> Ranking {
        ranked(&self.local(system, t, x, corrections))
    }

    /// The first of [`Theorem::choices`].
    pub fn best_choice(
        &self,
        system: &System,
        t: f64,
        x: &[f64],
        corrections: &[f64],
    ) -> Option<Vec<usize>> {
        best(&self.local(system, t, x, corrections))
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
        let eliminated = || local.blurred().eliminated();
        let (condition, quality) = local.measures(dependent, &minor);
        let mut failure = None;
        if let Some(rough) = rough {
            rank = eliminated().rank();
            failure = Some(Failure {
                kind: FailureKind::Smoothness,
                alternatives: Vec::new(),
                more: false,
                because: format!("{}.", rough.because),
            });
        } else if !local.is_finite() {
            let bad = (0..m).find(|&b| local.value.row(b).iter().any(|v| !v.is_finite()));
            let name = bad.map_or("", |b| system.constraints[b].name.as_str());
            rank = 0;
            failure = Some(Failure {
                kind: FailureKind::Smoothness,
                alternatives: Vec::new(),
                more: false,
                because: format!(
                    "the constraint {name} has no gradient there: it could not be shown to be C^1."
                ),
            });
        } else if minor.is_zero {
            let mut ranking = ranked(&local);
            if ranking.choices.is_empty() {
                let eliminated = eliminated();
                rank = eliminated.rank();
                if rank == m {
                    // of many choices not all were tried: the pivots make one
                    ranking.choices.push(eliminated.columns());
                }
            }
            failure = Some(if rank < m {
                rank_failure(system, &local, rank)
            } else {
                chart_failure(system, dependent, ranking)
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

/// Names of coordinates, `x1, x2`.
pub fn names(system: &System, list: &[usize]) -> String {
    list.iter()
        .filter_map(|&k| system.coordinates.get(k))
        .map(|c| c.name.as_str())
        .collect::<Vec<_>>()
        .join(", ")
}

fn chart_failure(system: &System, dependent: &[usize], ranking: Ranking) -> Failure {
    let because = only_this_choice(system, dependent, &ranking.choices, "");
    Failure {
        kind: FailureKind::Chart,
        alternatives: ranking.choices,
        more: ranking.more,
        because: format!("{because}."),
    }
}

/// What a failure of the chart is, in words, without the full stop; `why` follows "is 0 there".
pub fn only_this_choice(
    system: &System,
    dependent: &[usize],
    alternatives: &[Vec<usize>],
    why: &str,
) -> String {
    let chosen = names(system, dependent);
    let first = alternatives.first().map_or(&[][..], Vec::as_slice);
    let verb = if first.len() == 1 { "carries" } else { "carry" };
    let m = dependent.len();
    format!(
        "det J[{chosen}] is 0 there{why}, though the gradients of the constraints are independent (rank J = {m} of {m}): only this choice fails, {} {verb} on",
        names(system, first)
    )
}

fn rank_failure(system: &System, local: &LocalJacobian, rank: usize) -> Failure {
    let m = system.constraints.len();
    let involved: Vec<String> = local
        .entangled()
        .into_iter()
        .map(|b| system.constraints[b].name.clone())
        .collect();
    let because = match involved.as_slice() {
        [one] => format!(
            "the gradient of {one} is zero there (rank J = {rank} of {m}): no choice of dependent coordinates works."
        ),
        several => format!(
            "the gradients of {} are linearly dependent there (rank J = {rank} of {m}): no choice of dependent coordinates works.",
            several.join(", ")
        ),
    };
    Failure {
        kind: FailureKind::Rank,
        alternatives: Vec::new(),
        more: false,
        because,
    }
}
