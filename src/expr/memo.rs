//! What a pool remembers of expressions for those who measure, order and print them.

use super::number::Number;
use super::pool::Factors;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::hash::Hash;

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
