//! A step allocates nothing: a run twice as long makes no more allocations.

// a global allocator cannot be written without it; this one counts and passes on
#![allow(
    unsafe_code,
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    dead_code
)]

#[path = "../benches/by_hand/mod.rs"]
mod by_hand;
#[path = "program/hostile.rs"]
mod hostile;

use by_hand::chain_file;
use holonom::analysis::{Model, Overrides};
use holonom::solver::{Method, Options, Stiff, simulate};
use holonom::system::System;
use std::alloc::{GlobalAlloc, Layout, System as Heap};
use std::cell::Cell;
use std::sync::atomic::AtomicBool;

struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
    static BYTES: Cell<usize> = const { Cell::new(0) };
}

fn count(bytes: usize) {
    // a thread that ends has no count any more
    let _ = COUNT.try_with(|count| count.set(count.get() + 1));
    let _ = BYTES.try_with(|count| count.set(count.get() + bytes));
}

unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        unsafe { Heap.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { Heap.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size);
        unsafe { Heap.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Steps and allocations of a run until each of these times, one after the other.
fn runs(text: &str, method: Method, until: &[f64]) -> Vec<(usize, usize)> {
    let model = Model::new(System::parse(text, "allocations", &[]).unwrap());
    let start = model.start(&Overrides::default()).unwrap();
    let dependent = model.choice(None, (start.t, &start.x), &start.correction);
    let compiled = model.compiled(&dependent);
    let problem = model.problem(&compiled, &dependent);
    let run = |until: &f64| {
        let options = Options {
            until: *until,
            method,
            samples: 1,
            stiff: Stiff::Never,
            ..Options::default()
        };
        let before = COUNT.get();
        let motion = simulate(&problem, &start, &options, &AtomicBool::new(false));
        let after = COUNT.get();
        assert!(motion.finished && motion.flags.is_empty() && motion.chart_changes == 0);
        (motion.steps, after - before)
    };
    until.iter().map(run).collect()
}

const BEAD: &str = "coordinates: [x, y]
kinetic: (x'^2 + y'^2)/2
potential: 9.81*y
constraints: {wire: y - x^2}
dependent: [y]
start: {x: 0.3, y: 0.09}
";

#[test]
fn a_longer_run_makes_no_more_allocations() {
    for text in [
        BEAD.to_owned(),
        chain_file(3, 0.2, 0.05),
        chain_file(30, 0.1, 0.005),
    ] {
        for method in Method::ALL {
            // the first evaluations on a thread make room for the tapes, and those that are evaluated often become machine code
            let until = [vec![0.1; 110], vec![2.0; 3], vec![1.0, 2.0]].concat();
            let [.., (short, few), (long, many)] = runs(&text, method, &until)[..] else {
                unreachable!()
            };
            assert!(long > short + 10, "{method}: {short} steps, then {long}");
            assert_eq!(many, few, "{method}: {short} steps, then {long}");
        }
    }
}

/// Nothing grows as the square of a hostile file: reading it would take minutes.
#[test]
fn a_hostile_file_is_refused_at_once() {
    for (what, bytes) in hostile::hostile() {
        let (calls, size) = (COUNT.get(), BYTES.get());
        System::read(&bytes, "hostile.yaml", &[]).unwrap_err();
        let (calls, size) = (COUNT.get() - calls, BYTES.get() - size);
        let length = bytes.len() + 1000;
        assert!(
            calls < 5 * length && size < 600 * length,
            "{what}: {calls} allocations, {size} bytes for {length}"
        );
    }
}
