//! What a pool remembers of expressions for those who measure, order and print them.

use super::number::Number;
use super::pool::{Expr, Factors};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::cmp::Ordering;
use std::hash::Hash;
use std::sync::Arc;

/// What is remembered of something; worked out the first time.
pub(super) fn remembered<K: Copy + Eq + Hash, T: Clone>(
    memory: &RefCell<FxHashMap<K, T>>,
    of: K,
    make: impl FnOnce() -> T,
) -> T {
    if let Some(known) = memory.borrow().get(&of) {
        return known.clone();
    }
    let made = make();
    memory.borrow_mut().insert(of, made.clone());
    made
}

/// How tightly a printed piece binds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Tightness {
    Sum,
    Product,
    Power,
    Atom,
}

/// The length of a printed expression; the smaller is the better.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Cost {
    /// Operations, saturating.
    pub operations: u32,
    /// Characters, blanks among them, saturating.
    pub characters: u32,
}

/// A piece of text: its length and how tightly it binds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measured {
    pub(super) cost: Cost,
    pub(super) tightness: Tightness,
}

/// By what a term is placed in a sum.
#[derive(Debug)]
pub(super) struct TermRank {
    /// The highest time derivative, how often it is a factor, of a sum in its terms, and whether it is itself one.
    pub(super) derivative: (u8, u32, bool),
    /// The sum of the exponents of all but parameters.
    pub(super) degree: Number,
    /// Those that change first.
    pub(super) factors: Factors,
}

/// How many symbols of a pool would be shown as a text.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    /// The symbols counted so far.
    pub(super) counted: usize,
    /// As they are shown in Unicode.
    pub(super) pretty: FxHashMap<String, usize>,
    /// As they are shown in LaTeX.
    pub(super) latex: FxHashMap<String, usize>,
}

/// What is remembered.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    pub(super) derivatives: RefCell<FxHashMap<(Expr, Expr), Expr>>,
    pub(super) simplified: RefCell<FxHashMap<Expr, Expr>>,
    pub(super) reduced: RefCell<FxHashMap<Expr, Expr>>,
    /// the squares taken out of radicands, by degree: nested roots ask for those inside at every level
    #[allow(clippy::type_complexity)] // what comes out and what stays, where something does
    pub(super) root_parts: RefCell<FxHashMap<(Expr, u16), Option<(Expr, Expr)>>>,
    /// the places of long expressions beside each other: comparing two compares the same parts again and again
    pub(super) orders: RefCell<FxHashMap<(Expr, Expr), Ordering>>,
    /// by what terms are placed in sums
    pub(super) term_ranks: RefCell<FxHashMap<Expr, Arc<TermRank>>>,
    pub(super) costs: RefCell<FxHashMap<Expr, Measured>>,
    /// how often a name would be shown the same
    pub(super) names: RefCell<Names>,
    /// the symbols of expressions that were asked for them
    pub(super) contents: RefCell<FxHashMap<Expr, Arc<FxHashSet<Expr>>>>,
}
