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

/// Both for the processor that they are called for: sixteen components side by side, then eight, four and two, as a state has
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
        let (sixteens, rest) = out.as_chunks_mut::<16>();
        let (eights, rest) = rest.as_chunks_mut::<8>();
        let (fours, rest) = rest.as_chunks_mut::<4>();
        let (twos, ones) = rest.as_chunks_mut::<2>();
        let mut first = 0;
        for part in sixteens {
            *part = side_by_side(row, k, (n, first));
            first += part.len();
        }
        for part in eights {
            *part = side_by_side(row, k, (n, first));
            first += part.len();
        }
        for part in fours {
            *part = side_by_side(row, k, (n, first));
            first += part.len();
        }
        for part in twos {
            *part = side_by_side(row, k, (n, first));
            first += part.len();
        }
        for part in ones {
            [*part] = side_by_side(row, k, (n, first));
        }
        if let Some((y, h)) = from {
            for (o, start) in out.iter_mut().zip(y) {
                *o = h.mul_add(*o, *start);
            }
        }
    }
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
