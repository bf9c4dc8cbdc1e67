//! Closed forms tried in numbers.
//!
//! At every point tried off the singular set exactly one branch must hold, and give back the point
//! from y = f(x). Tried are random points near and far, points with coordinates that are zero, equal
//! or small whole numbers (where a formula likes to divide by zero), and points just this side and
//! just that side of each condition.

use super::Branch;
use super::condition::Relation;
use super::solver::Solver;
use super::trial::{Point, Trial};
use crate::expr::{Expr, Tape};
use crate::theorem::everywhere::within_a_turn;
use crate::theorem::numbers::arguments;

/// Random points at which a closed form is tried.
const TRIALS: u64 = 60;
/// Special points at which it is tried.
const SPECIAL: u64 = 40;
/// How far, relative, a point given back may be off where the determinant is of the size of its rows.
const SAME: f64 = 1e-9;

/// Branches compiled: a tape of all conditions and functions, in x, t, parameters and y.
struct BranchTape<'b> {
    branches: &'b [Branch],
    dependent: &'b [usize],
    tape: Tape,
}

impl BranchTape<'_> {
    /// Does exactly one branch hold at this point, and give it back?
    fn holds(&self, trial: &Trial<'_>, point: &Point) -> Option<bool> {
        let (levels, share) = trial.tried(point)?;
        let mut values = arguments(trial.system, point.t, &point.x, &[]);
        values.extend(levels);
        let values = self.tape.values(&values);
        let mut rest = values.as_slice();
        let mut hits = 0;
        let sizes = point.x.iter().enumerate();
        let size = sizes.fold(1.0_f64, |m, (k, x)| m.max(x.abs() / trial.unit(k)));
        let tolerance = (SAME * size / share).min(1e-3);
        let mut same = true;
        for branch in self.branches {
            let (conditions, others) = rest.split_at(branch.conditions.len());
            let (functions, others) = others.split_at(branch.functions.len());
            let (periods, others) = others.split_at(branch.periods.len());
            rest = others;
            if !branch.admits(conditions) {
                continue;
            }
            hits += 1;
            for (&k, back) in self.dependent.iter().zip(functions) {
                let mut own = branch.periods.iter().zip(periods);
                let period = own.find(|((c, _), _)| *c == k).map(|(_, period)| *period);
                let off = within_a_turn(back - point.x[k], period);
                same &= off.abs() <= tolerance * trial.unit(k);
            }
        }
        Some(hits == 1 && same)
    }
}

/// Does exactly one branch hold, and give back the point, wherever that was tried?
pub(super) fn confirmed(solver: &Solver<'_>, branches: &[Branch]) -> bool {
    let trial = solver.trial();
    let pool = &trial.system.pool;
    let mut symbols = trial.inputs.clone();
    symbols.extend(trial.system.constraints.iter().map(|c| c.level));
    let mut outputs: Vec<Expr> = Vec::new();
    for b in branches {
        outputs.extend(b.conditions.iter().map(|c| c.expression));
        outputs.extend(&b.functions);
        outputs.extend(b.periods.iter().map(|(_, p)| *p));
    }
    let compiled = BranchTape {
        branches,
        dependent: solver.dependent,
        tape: Tape::new(pool, &symbols, &outputs),
    };
    let mut tried = 0;
    for index in 0..TRIALS * 4 {
        if tried >= TRIALS {
            break;
        }
        match compiled.holds(trial, &trial.random(index)) {
            Some(true) => tried += 1,
            Some(false) => return false,
            None => {}
        }
    }
    if tried < TRIALS / 4 {
        return false;
    }
    if (0..SPECIAL).any(|index| compiled.holds(trial, &trial.special(index)) == Some(false)) {
        return false;
    }
    let mut edges: Vec<Expr> = Vec::new();
    for c in branches.iter().flat_map(|b| &b.conditions) {
        if c.relation != Relation::Zero && !edges.contains(&c.expression) {
            edges.push(c.expression);
        }
    }
    edges.iter().all(|&e| {
        let crossings = trial.crossings(e, 3);
        let mut beside = crossings.iter().flat_map(|c| &c.beside);
        beside.all(|point| compiled.holds(trial, point) != Some(false))
    })
}
