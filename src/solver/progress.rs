//! How far a motion has come, for whoever waits for it.
//!
//! Like the flag that calls work off, this belongs to the thread: one motion a thread is on its way at a time.

use crate::effort::Finally;
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The part of the way that is behind a motion, from 0 to 1.
#[derive(Debug, Default)]
pub struct Progress(AtomicU64);

impl Progress {
    /// The part.
    pub fn part(&self) -> f64 {
        f64::from_bits(self.0.load(Ordering::Relaxed))
    }

    /// It has come so far.
    pub fn set(&self, part: f64) {
        self.0.store(part.to_bits(), Ordering::Relaxed);
    }

    /// That of the motion which is on its way, if someone waits for it.
    pub(super) fn watched() -> Option<Arc<Self>> {
        WATCHED.with_borrow(Clone::clone)
    }
}

thread_local! {
    static WATCHED: RefCell<Option<Arc<Progress>>> = const { RefCell::new(None) };
}

/// Does something; the motions in it say how far they have come.
pub fn watched<R>(progress: &Arc<Progress>, run: impl FnOnce() -> R) -> R {
    let mut before = WATCHED.replace(Some(Arc::clone(progress)));
    let _back = Finally(|| WATCHED.set(before.take()));
    run()
}
