//! One attempt to solve f = y: what is solved for, what stands for what, and how many steps are left.

use super::trial::Trial;
use crate::expr::{Expr, Interval, Matrix, Pool, is_spent};
use crate::system::System;
use rustc_hash::FxHashMap;
use std::cell::{Cell, OnceCell, RefCell};

/// At most this many layers stand round an unknown.
pub(super) const DEPTH: u32 = 12;

/// One attempt to solve f = y for the dependent coordinates.
pub(super) struct Solver<'a> {
    pub system: &'a System,
    pub dependent: &'a [usize],
    /// f without the terms that are constant, one a constraint: beside 6371000^2 what x and y give has no digits.
    pub moving: Vec<Expr>,
    /// Bounds on the parameters.
    pub parameters: Vec<Interval>,
    /// The dependent coordinates.
    pub(super) unknowns: Vec<Expr>,
    /// What y and the placeholders are in the coordinates.
    pub meanings: RefCell<FxHashMap<Expr, Expr>>,
    left: Cell<u32>,
    placeholders: Cell<usize>,
    factors: OnceCell<Vec<Expr>>,
    trial: OnceCell<Trial<'a>>,
}

impl<'a> Solver<'a> {
    pub fn new(system: &'a System, dependent: &'a [usize], steps: u32) -> Self {
        let list = system.constraints.iter();
        let pool = &system.pool;
        let moving = list.map(|c| pool.terms_where(c.f, |t| !pool.is_constant(t)));
        let moving: Vec<Expr> = moving.collect();
        let levels = system.constraints.iter().map(|c| c.level);
        Self {
            system,
            dependent,
            meanings: RefCell::new(levels.zip(moving.iter().copied()).collect()),
            moving,
            parameters: system.parameter_bounds(),
            unknowns: system.positions_of(dependent),
            left: Cell::new(steps),
            placeholders: Cell::new(0),
            factors: OnceCell::new(),
            trial: OnceCell::new(),
        }
    }

    pub fn pool(&self) -> &'a Pool {
        &self.system.pool
    }

    /// The numeric side of the system.
    pub fn trial(&self) -> &Trial<'a> {
        self.trial.get_or_init(|| {
            let block = self.block_of_jacobian();
            Trial::new(self.system, (&self.moving, &block), self.dependent)
        })
    }

    fn block_of_jacobian(&self) -> Matrix {
        let pool = self.pool();
        let row = |&f: &Expr| {
            let entries = self.unknowns.iter();
            entries
                .map(|&u| pool.simplify(pool.derivative(f, u)))
                .collect()
        };
        self.moving.iter().map(row).collect()
    }

    /// The factors of det J_D.
    pub fn singular_factors(&self) -> &[Expr] {
        self.factors.get_or_init(|| {
            let pool = self.pool();
            let det = pool.determinant(&self.block_of_jacobian());
            let blocks = det.blocks.into_iter().filter_map(|(_, value)| value);
            blocks
                .flat_map(|value| pool.factors(value).factors)
                .map(|(factor, _)| factor)
                .collect()
        })
    }

    /// Are the steps used up, or the effort?
    pub fn is_spent(&self) -> bool {
        self.left.get() == 0 || is_spent()
    }

    pub fn spend(&self) -> Option<()> {
        if is_spent() {
            return None;
        }
        self.left.set(self.left.get().checked_sub(1)?);
        Some(())
    }

    /// A new symbol that stands for an expression.
    pub fn standing_for(&self, e: Expr) -> Expr {
        let meaning = self.meant(e);
        let place = self.placeholder();
        self.meanings.borrow_mut().insert(place, meaning);
        place
    }

    /// A new symbol.
    pub(super) fn placeholder(&self) -> Expr {
        let place = self.placeholders.get();
        self.placeholders.set(place + 1);
        // a name that no file can use
        let kind = crate::expr::SymbolKind::Other(usize::MAX / 2 - place);
        self.pool().symbol(&format!("#{place}"), kind)
    }

    /// An expression of the solver, y and placeholders by what they mean.
    pub(super) fn meant(&self, e: Expr) -> Expr {
        self.pool().substitute(e, &self.meanings.borrow())
    }
}
