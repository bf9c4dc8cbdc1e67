//! Work that another thread may call off.
//!
//! What takes long counts its effort: terms of polynomials, boxes, steps of Newton's method. Where it counts it
//! asks [`cancelled`] too, and ends as if the effort were spent. Such a result is cut off anywhere, and what was
//! remembered on the way may be too: whoever calls work off drops the model it was asked of, and drops the result or
//! says that it was cut off.
//!
//! The flag belongs to the thread, as the count of terms does: symbolic work is everywhere, and would have to
//! carry it everywhere.

use super::Finally;
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    static FLAG: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
}

/// Does something that ends early once the flag is set, as if its effort were spent.
pub fn until_cancelled<R>(flag: &Arc<AtomicBool>, run: impl FnOnce() -> R) -> R {
    let mut before = FLAG.replace(Some(Arc::clone(flag)));
    let _back = Finally(|| FLAG.set(before.take()));
    run()
}

/// Is what this thread works at called off?
pub fn cancelled() -> bool {
    FLAG.with_borrow(|flag| {
        let set = |flag: &Arc<AtomicBool>| flag.load(Ordering::Relaxed);
        flag.as_ref().is_some_and(set)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{Pool, SymbolKind};

    #[test]
    fn a_flag_counts_for_what_is_done_under_it() {
        let (outer, inner) = (
            Arc::<AtomicBool>::default(),
            Arc::new(AtomicBool::new(true)),
        );
        until_cancelled(&outer, || {
            assert!(!cancelled());
            assert!(until_cancelled(&inner, cancelled));
            assert!(!cancelled());
            outer.store(true, Ordering::Relaxed);
            assert!(cancelled());
        });
        assert!(!cancelled());
        let broken = std::panic::catch_unwind(|| until_cancelled(&inner, || panic!("broken")));
        assert!(broken.is_err() && !cancelled());
    }

    #[test]
    fn simplifying_ends_at_once() {
        // multiplied out it would be shorter by what its terms have in common
        let left_as_it_is = || {
            let pool = Pool::new();
            let x = pool.symbol("x", SymbolKind::Other(0));
            let factors = (1..=30).map(|k| pool.add(x, pool.number(k)));
            let long = pool.product(factors);
            let e = pool.sub(pool.mul(x, long), pool.mul(pool.add(x, pool.one()), long));
            pool.simplify(e) == e
        };
        let set = Arc::new(AtomicBool::new(true));
        assert!(!left_as_it_is());
        assert!(until_cancelled(&set, left_as_it_is));
    }
}
