//! Derivatives at stages combined by a row of the tableau, with the operations that the processor has.
// what a processor is asked for must be compiled for it
#![allow(clippy::inline_always)]

use super::slot;
use super::tableau::Row;
use pulp::{Arch, NullaryFnOnce};

/// out = y + h sum `a_s` `k_s` over the row.
pub(super) fn combine(out: &mut [f64], y: &[f64], h: f64, row: Row, k: &[f64]) {
    let from = Some((y, h));
    Arch::new().dispatch(Weigh { out, from, row, k });
}

/// out = sum `a_s` `k_s` over the row, each product and its sum rounded once, as by code that evaluates all stages.
pub(super) fn weigh(out: &mut [f64], row: Row, k: &[f64]) {
    let from = None;
    Arch::new().dispatch(Weigh { out, from, row, k });
}

/// Both for the processor that they are called for: 32 components side by side, then sixteen, eight, four and two, as a state has
/// an even number of them.
struct Weigh<'a> {
    out: &'a mut [f64],
    /// y and h.
    from: Option<(&'a [f64], f64)>,
    row: Row,
    k: &'a [f64],
}

impl NullaryFnOnce for Weigh<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { out, from, row, k } = self;
        let n = out.len();
        let what = (row, k, from);
        let rest = blocks::<32>(out, what, n);
        let rest = blocks::<16>(rest, what, n);
        let rest = blocks::<8>(rest, what, n);
        let rest = blocks::<4>(rest, what, n);
        let rest = blocks::<2>(rest, what, n);
        blocks::<1>(rest, what, n);
    }
}

/// A row of the tableau, the derivatives, and y and h.
type Combined<'a> = (Row, &'a [f64], Option<(&'a [f64], f64)>);

/// The next of n components, so many side by side; those that are left.
#[inline(always)]
fn blocks<'a, const SIDE: usize>(
    out: &'a mut [f64],
    what: Combined<'_>,
    n: usize,
) -> &'a mut [f64] {
    let mut first = n - out.len();
    let (parts, rest) = out.as_chunks_mut::<SIDE>();
    for part in parts {
        *part = side_by_side(what, (n, first));
        first += SIDE;
    }
    rest
}

/// Some of n components from `first` on.
#[inline(always)]
fn side_by_side<const SIDE: usize>(
    (row, k, from): Combined<'_>,
    (n, first): (usize, usize),
) -> [f64; SIDE] {
    let mut sums = [0.0; SIDE];
    if let Some(((s, a), others)) = row.split_first() {
        // no zero to begin with: the sign of a sum of zeros is that of its terms
        for (sum, k) in sums.iter_mut().zip(&k[slot(*s) * n + first..][..SIDE]) {
            *sum = a * k;
        }
        for &(s, a) in others {
            for (sum, k) in sums.iter_mut().zip(&k[slot(s) * n + first..][..SIDE]) {
                *sum = a.mul_add(*k, *sum);
            }
        }
    }
    if let Some((y, h)) = from {
        for (sum, start) in sums.iter_mut().zip(&y[first..][..SIDE]) {
            *sum = h.mul_add(*sum, *start);
        }
    }
    sums
}
