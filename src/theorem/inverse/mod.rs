//! The inverse functions x_D = g(y, x_I; t) in closed form, branch by branch.
//!
//! The equations f_b(x; t) = y_b are solved for the dependent coordinates block after block of their
//! block triangular form ([`solve`]); what was solved for stays a symbol in what follows, so that
//! conditions stay in the coordinates. One equation for one unknown is solved by taking off what
//! stands around the unknown ([`isolate`], [`polynomial`], [`angle`]): a polynomial by its roots, a function by
//! its inverse, with one *way* a branch of that inverse,
//!
//! ```text
//! a v^2 + b v + c = 0      v = -b/(2a) +- sqrt(b^2/(4a^2) - c/a)        "+" exactly where v + b/(2a) > 0
//! sin(v) = s               v = asin(s), v = pi - asin(s), mod 2 pi      where cos(v) > 0, where cos(v) < 0
//! a cos(v) + b sin(v) = c  v = atan2(b, a) +- acos(c/sqrt(a^2 + b^2))   "+" where a sin(v) > b cos(v)
//! v^n = s, n odd           v = sign(s) abs(s)^(1/n)                     everywhere
//! ```
//!
//! The ways of a step share a point only where the derivative of its equation is zero, and that
//! is a factor of det J_D: off the singular set every point has exactly one. Where a step divides by
//! something, that must divide det J_D or be zero nowhere ([`condition`]); a quadratic whose first
//! coefficient may vanish has a third way there; other such steps are not taken. What is found is tried at random
//! points, at special ones, and on both sides of every condition, before it is believed ([`confirm`]). Of the branches some may be for
//! other y than c alone ([`level`]).

mod angle;
mod condition;
mod confirm;
mod conic;
mod gather;
mod isolate;
mod kernel;
mod level;
mod polynomial;
mod solve;
mod solver;
mod trial;
mod undo;

pub use condition::{Condition, Relation};
pub use level::off_level;
pub use trial::{scattered, scattered_in};
pub(super) use undo::undone;

use super::SymbolicDeterminant;
use crate::expr::{Expr, Extent, SymbolKind, within};
use crate::system::{Constraint, System};
use solver::Solver;

/// Systems of more equations than this are left to numbers: nobody reads their inverse.
const MOST_EQUATIONS: usize = 40;
/// At most this many layers are taken off, eliminations are tried.
const MOST_STEPS: u32 = 200;
/// Solutions that grow beyond this are left to numbers.
const LARGEST: usize = 500;

/// One branch of the inverse.
#[derive(Clone, Debug)]
pub struct Branch {
    /// Where it is the right one; all must hold. Empty: everywhere.
    pub conditions: Vec<Condition>,
    /// g, one a dependent coordinate in their order: in y_NAME, the independent coordinates, t and parameters.
    pub functions: Vec<Expr>,
    /// Coordinates that repeat, by index, with their period: any whole multiple may be added to
    /// each of them on its own.
    pub periods: Vec<(usize, Expr)>,
}

impl Branch {
    /// Does it hold for these values of the expressions of its conditions?
    pub fn admits(&self, values: &[f64]) -> bool {
        let mut conditions = self.conditions.iter().zip(values);
        conditions.all(|(condition, value)| condition.admits(*value))
    }

    /// Does it hold on more than a set where a factor is zero? On such a set functions have no derivatives across it.
    pub fn is_open(&self) -> bool {
        self.conditions.iter().all(|c| c.relation != Relation::Zero)
    }

    /// The period of a coordinate, where it repeats.
    pub fn period(&self, coordinate: usize) -> Option<Expr> {
        let mut periods = self.periods.iter();
        periods
            .find(|(k, _)| *k == coordinate)
            .map(|(_, period)| *period)
    }
}

/// The inverse functions of one choice of dependent coordinates.
#[derive(Clone, Debug)]
pub enum Inverse {
    /// In closed form.
    Closed(Vec<Branch>),
    /// No closed form: none was found, or the effort did not suffice. Values come from Newton's method.
    Numeric(Extent),
    /// There is none: det J_D is zero at every configuration.
    Nowhere,
}

impl Inverse {
    /// That of a choice with this determinant.
    pub fn new(system: &System, determinant: &SymbolicDeterminant, dependent: &[usize]) -> Self {
        if determinant.vanishes {
            Self::Nowhere
        } else {
            invert(system, dependent)
        }
    }

    /// Is there a configuration about which it exists?
    pub fn exists(&self) -> bool {
        !matches!(self, Self::Nowhere)
    }

    /// The branches, none where it is not closed.
    pub fn branches(&self) -> &[Branch] {
        match self {
            Self::Closed(branches) => branches,
            Self::Numeric(_) | Self::Nowhere => &[],
        }
    }
}

/// Solves f = y for the dependent coordinates.
pub fn invert(system: &System, dependent: &[usize]) -> Inverse {
    invert_within(system, dependent, MOST_STEPS)
}

/// What simplifying may cost a step (see [`within`]).
const WORK_A_STEP: u64 = 1_500;

/// As [`invert`], with this many layers and eliminations at most.
pub fn invert_within(system: &System, dependent: &[usize], steps: u32) -> Inverse {
    let pool = &system.pool;
    let solver = Solver::new(system, dependent, steps);
    let pairs = || solver.moving.iter().zip(&system.constraints);
    let equations: Vec<Expr> = pairs().map(|(f, c)| pool.sub(*f, c.level)).collect();
    if equations.len() > MOST_EQUATIONS || equations.iter().any(|e| pool.size(*e) > LARGEST) {
        return Inverse::Numeric(Extent::CutShort);
    }
    // each step a share, so that an inverse not asked for costs less
    within(u64::from(steps) * WORK_A_STEP, || {
        match solver.branches(&equations) {
            Some(mut branches) if confirm::confirmed(&solver, &branches) => {
                // y again, where it stood for y without the constant terms of f
                let level =
                    |(f, c): (&Expr, &Constraint)| (c.level, pool.sub(c.level, pool.sub(c.f, *f)));
                let levels = pairs().map(level).collect();
                let functions = branches.iter_mut().flat_map(|b| &mut b.functions);
                functions.for_each(|g| *g = pool.tidied(pool.substitute(*g, &levels)));
                Inverse::Closed(branches)
            }
            _ if solver.is_spent() => Inverse::Numeric(Extent::CutShort),
            _ => Inverse::Numeric(Extent::Whole),
        }
    })
}

/// Are the constraints linear in these coordinates, jointly? Then so is the inverse in y.
pub fn is_linear(system: &System, dependent: &[usize]) -> bool {
    let pool = &system.pool;
    let unknowns: Vec<Expr> = system.positions_of(dependent);
    system.constraints.iter().all(|c| {
        let found = pool.linear_in(c.f, &unknowns, &|e| pool.reduced(e));
        found.is_some()
    })
}

/// The value of an expression, parameters taken from the system, the rest from `of`.
pub fn value_at(system: &System, e: Expr, of: &dyn Fn(SymbolKind) -> f64) -> f64 {
    system.pool.evaluate(e, &|kind| match kind {
        SymbolKind::Parameter(i) => system.parameters.get(i).map_or(f64::NAN, |p| p.value),
        other => of(other),
    })
}

#[cfg(test)]
mod tests;
