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
        let rest = blocks::<32>(out, (row, k, n));
        let rest = blocks::<16>(rest, (row, k, n));
        let rest = blocks::<8>(rest, (row, k, n));
        let rest = blocks::<4>(rest, (row, k, n));
        let rest = blocks::<2>(rest, (row, k, n));
        blocks::<1>(rest, (row, k, n));
        if let Some((y, h)) = from {
            for (o, start) in out.iter_mut().zip(y) {
                *o = h.mul_add(*o, *start);
            }
        }
    }
}

/// The next of n components, so many side by side; those that are left.
#[inline(always)]
fn blocks<'a, const SIDE: usize>(
    out: &'a mut [f64],
    (row, k, n): (Row, &[f64], usize),
) -> &'a mut [f64] {
    let mut first = n - out.len();
    let (parts, rest) = out.as_chunks_mut::<SIDE>();
    for part in parts {
        *part = side_by_side(row, k, (n, first));
        first += SIDE;
    }
    rest
}

/// Some of n components from `first` on.
#[inline(always)]
fn side_by_side<const SIDE: usize>(row: Row, k: &[f64], (n, first): (usize, usize)) -> [f64; SIDE] {
    let mut sums = [0.0; SIDE];
    let Some(((s, a), others)) = row.split_first() else {
        return sums;
    };
    // no zero to begin with: the sign of a sum of zeros is that of its terms
    for (sum, k) in sums.iter_mut().zip(&k[slot(*s) * n + first..][..SIDE]) {
        *sum = a * k;
    }
    for &(s, a) in others {
        for (sum, k) in sums.iter_mut().zip(&k[slot(s) * n + first..][..SIDE]) {
            *sum = a.mul_add(*k, *sum);
        }
    }
    sums
}
