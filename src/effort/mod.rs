//! Work that is counted, the same on every machine, and that ends when as much as was allowed is done.
//!
//! A symbolic question may be endless: nested roots, products of many sums. Whoever asks one asks it [`within`] an
//! allowance, and every operation on polynomials counts the terms that it makes or moves, some ten million a second.
//! Once the allowance is spent only small expressions are simplified, nothing is multiplied out or factored, and what
//! cannot be decided so is not decided: a plainer answer stands. That it does is a fact ([`Extent`]) for the reader.
//!
//! What is asked of numbers and boxes is counted apart ([`calculate`]), where it is done: evaluations, products and
//! factors of matrices. Searches end once [`is_over`], and say that they did not look at all of it.
//!
//! The counts belong to the thread, as the flag of [`cancelled`] does.

mod cancel;

pub use cancel::{cancelled, until_cancelled};

use std::cell::Cell;
use std::thread::LocalKey;

/// What one question may cost in all, where nothing more is said.
pub const FOR_A_QUESTION: u64 = 4_000_000;
/// The same for a derivation, which is many.
pub const FOR_A_DERIVATION: u64 = 12_000_000;

/// What numbers and boxes may cost in a question: operations on floating-point numbers, some thousand million a second.
pub const FOR_NUMBERS: u64 = 1_700_000_000;
/// Such operations that one on intervals takes.
pub const INTERVAL: usize = 16;

/// Operations modulo a word-size prime that take the time of one term product.
const WORDS_PER_PRODUCT: usize = 16;

thread_local! {
    static WORK: Cell<u64> = const { Cell::new(0) };
    /// where [`WORK`] is to end
    static UNTIL: Cell<u64> = const { Cell::new(u64::MAX) };
    /// where what is small has to end too
    static LAST: Cell<u64> = const { Cell::new(u64::MAX) };
    static OPERATIONS: Cell<u64> = const { Cell::new(0) };
    /// where [`OPERATIONS`] are to end
    static OPERATIONS_UNTIL: Cell<u64> = const { Cell::new(u64::MAX) };
}

/// Was all done that was to be done, or did the effort not suffice?
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Extent {
    /// All of it.
    #[default]
    Whole,
    /// The allowance was spent: what is there is right, not as short as it could be, and there may be more.
    CutShort,
}

/// Does at last what it holds, also where work ends in a panic.
pub(crate) struct Finally<F: FnMut()>(pub(crate) F);

impl<F: FnMut()> Drop for Finally<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// Does something under a limit that is not above the one that is there.
fn limited<R>(limit: &'static LocalKey<Cell<u64>>, end: u64, run: impl FnOnce() -> R) -> R {
    let before = limit.get();
    limit.set(before.min(end));
    let _back = Finally(|| limit.set(before));
    run()
}

/// Does something for which symbolic work may cost so much in all. An allowance within another one is at most
/// what is left of that.
pub fn within<R>(allowance: u64, run: impl FnOnce() -> R) -> R {
    let end = work().saturating_add(allowance);
    let last = end.saturating_add(allowance / 2);
    limited(&UNTIL, end, || limited(&LAST, last, run))
}

/// Does something for which numbers and boxes may cost so much in all.
pub fn calculating<R>(operations: u64, run: impl FnOnce() -> R) -> R {
    let end = OPERATIONS.get().saturating_add(operations);
    limited(&OPERATIONS_UNTIL, end, run)
}

/// Counts operations on numbers.
pub fn calculate(operations: usize) {
    OPERATIONS.set(OPERATIONS.get().saturating_add(operations as u64));
}

/// How many operations on numbers this thread has counted.
pub fn calculated() -> u64 {
    OPERATIONS.get()
}

/// May so many operations on numbers still be done?
pub fn can_calculate(operations: usize) -> bool {
    OPERATIONS.get().saturating_add(operations as u64) < OPERATIONS_UNTIL.get() && !cancelled()
}

/// Has the question cost what numbers and boxes may cost, or is it called off? A search ends then, and says so.
pub fn is_over() -> bool {
    !can_calculate(0)
}

/// Answers a question within [`FOR_A_QUESTION`] and [`FOR_NUMBERS`], and says whether that was enough.
pub fn asked<R>(run: impl FnOnce() -> R) -> (R, Extent) {
    asked_within(FOR_A_QUESTION, run)
}

/// The same within another allowance.
pub fn asked_within<R>(allowance: u64, run: impl FnOnce() -> R) -> (R, Extent) {
    let counted = || {
        let answer = run();
        let extent = if is_spent() || is_over() {
            Extent::CutShort
        } else {
            Extent::Whole
        };
        (answer, extent)
    };
    within(allowance, || calculating(FOR_NUMBERS, counted))
}

/// Is the allowance spent, or what it is for called off?
pub fn is_spent() -> bool {
    WORK.get() >= UNTIL.get() || cancelled()
}

/// Is half as much again spent, so that what is small is left alone too?
pub(crate) fn is_overspent() -> bool {
    WORK.get() >= LAST.get() || cancelled()
}

/// How much work this thread has done.
pub fn work() -> u64 {
    WORK.get()
}

/// Counts work that is not taken from an [`Effort`].
pub(crate) fn charge(units: usize) {
    WORK.set(WORK.get().saturating_add(units as u64));
}

/// How many term products an operation may make, and where work must end in all.
#[derive(Debug)]
pub struct Effort {
    products: Cell<u64>,
    until: u64,
}

impl Effort {
    /// This many term products, within the allowance at hand.
    pub fn new(products: u64) -> Self {
        Self::at_least(products, 0)
    }

    /// The same, with so much work though the allowance is spent.
    pub fn at_least(products: u64, units: u64) -> Self {
        Self {
            products: Cell::new(products),
            until: UNTIL.get().max(work().saturating_add(units)),
        }
    }

    /// So many term products for a part of what this one is for.
    #[must_use]
    pub fn part(&self, products: u64) -> Self {
        Self {
            products: Cell::new(products),
            until: self.until,
        }
    }

    /// Takes from the allowance; `None` once it is spent or the work is called off.
    pub fn spend(&self, products: usize) -> Option<()> {
        if work() >= self.until || cancelled() {
            return None;
        }
        charge(products);
        let left = self.products.get().checked_sub(products as u64 + 1);
        self.products.set(left.unwrap_or(0));
        left.map(|_| ())
    }

    /// Takes for operations on machine words, of which a term product is worth many.
    pub fn spend_words(&self, operations: usize) -> Option<()> {
        self.spend(operations / WORDS_PER_PRODUCT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_allowance_within_another_is_at_most_what_is_left_of_that() {
        let effort = |units| {
            charge(units);
            is_spent()
        };
        within(100, || {
            assert!(!effort(60));
            assert!(within(1_000, || !effort(30) && effort(10)));
            assert!(is_spent());
            assert!(Effort::new(5).spend(0).is_none());
            assert!(Effort::at_least(5, 10).spend(1).is_some());
        });
        assert!(!effort(1_000));
        let broken = std::panic::catch_unwind(|| within(0, || panic!("broken")));
        assert!(broken.is_err() && !is_spent());
    }

    #[test]
    fn an_answer_says_whether_the_effort_sufficed() {
        let whole = asked(|| charge(10)).1;
        let short = asked(|| charge(2 * FOR_A_QUESTION as usize)).1;
        assert_eq!([whole, short], [Extent::Whole, Extent::CutShort]);
    }
}
