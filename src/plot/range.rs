//! The values between the two ends of an axis.

use super::scale::Scale;
use super::ticks::Step;

/// The largest number an axis reaches: differences of two of them do not overflow.
const LARGEST: f64 = 1e300;

/// Numbers no larger than this are drawn as zero: their differences may underflow.
const SMALLEST: f64 = 1e-290;

/// Data whose spread is less than this part of its largest value is drawn as a constant.
///
/// A motion's energy and other constants drift by 1e-16 (rounding) to 1e-10 (a tight tolerance) of
/// their size. Stretched to the height of the plot that would look like an event. A caller that
/// wants to see the drift plots the difference, or sets the range.
const FLAT: f64 = 1e-9;

/// Part of its size that is shown to each side of a constant: the ticks then tell its first two digits.
const AROUND: f64 = 0.02;

/// A range set by the caller is at least this part of its larger end: a zoom stops before the
/// doubles run out.
const NARROWEST: f64 = 1e-12;

/// An axis fitted to data ends on a multiple of a 1-2-5 step of about this part of its length.
const PADDING: f64 = 0.02;

/// Finite values with `lo < hi`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// At the left or lower end.
    pub lo: f64,
    /// At the right or upper end.
    pub hi: f64,
}

impl Range {
    /// Of an axis without data.
    pub(super) const UNIT: Self = Self { lo: 0.0, hi: 1.0 };

    /// The smallest and largest of the finite `values`, `None` without any.
    pub(super) fn of(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
        let ends = values
            .filter(|v| v.is_finite())
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| {
                (lo.min(v), hi.max(v))
            });
        (ends.0 <= ends.1).then_some(ends)
    }

    /// The range that shows data between these ends: widened to round numbers; a constant gets a
    /// range of [`AROUND`] of its size to each side (1 for zero).
    pub(super) fn fit(lo: f64, hi: f64) -> Self {
        let (lo, hi) = (lo.clamp(-LARGEST, LARGEST), hi.clamp(-LARGEST, LARGEST));
        let size = lo.abs().max(hi.abs());
        if size < SMALLEST {
            return Self { lo: -1.0, hi: 1.0 };
        }
        let (lo, hi) = if hi - lo < FLAT * size {
            let middle = lo + (hi - lo) / 2.0;
            (middle - AROUND * size, middle + AROUND * size)
        } else {
            (lo, hi)
        };
        let step = Step::at_least((hi - lo) * PADDING);
        // A last digit beyond a round number does not add a step.
        let slack = 1e-6;
        let first = (lo / step.value() + slack).floor();
        let last = (hi / step.value() - slack).ceil();
        Self {
            lo: step.multiple(first as i64),
            hi: step.multiple(last as i64),
        }
        .usable()
        .unwrap_or(Self { lo, hi })
    }

    /// The range of a logarithmic axis that shows positive data between these ends: it ends on 1, 2 or 5
    /// times a power of ten, and is at least a factor of two long.
    pub(super) fn fit_log(lo: f64, hi: f64) -> Self {
        let (lo, hi) = (lo.clamp(SMALLEST, LARGEST), hi.clamp(SMALLEST, LARGEST));
        // A last digit beyond a round number does not add a step.
        let slack = 1e-6;
        let above = Step::at_least(hi * (1.0 - slack));
        let mut below = Step::at_least(lo * (1.0 + slack));
        if below.value() > lo * (1.0 + slack) {
            below = below.before();
        }
        if below == above {
            below = below.before();
        }
        Self {
            lo: below.value(),
            hi: above.value(),
        }
    }

    /// The range a caller asks for, in either order; `None` where an end is not finite.
    pub(super) fn asked((a, b): (f64, f64)) -> Option<Self> {
        if !a.is_finite() || !b.is_finite() {
            return None;
        }
        let (a, b) = (a.clamp(-LARGEST, LARGEST), b.clamp(-LARGEST, LARGEST));
        let (lo, hi) = (a.min(b), a.max(b));
        let least = (NARROWEST * lo.abs().max(hi.abs())).max(SMALLEST);
        if hi - lo < least {
            let middle = lo + (hi - lo) / 2.0;
            return Some(Self {
                lo: middle - least,
                hi: middle + least,
            });
        }
        Some(Self { lo, hi })
    }

    /// The range a caller asks for on an axis of this scale: a logarithmic one has no place for zero.
    pub(super) fn asked_on(scale: Scale, ends: (f64, f64)) -> Option<Self> {
        let range = Self::asked(ends)?;
        (scale == Scale::Linear || range.lo >= SMALLEST).then_some(range)
    }

    /// `hi - lo`.
    pub fn span(self) -> f64 {
        self.hi - self.lo
    }

    /// Whether `value` lies between the ends.
    pub fn contains(self, value: f64) -> bool {
        (self.lo..=self.hi).contains(&value)
    }

    /// With the same middle and at least this length.
    pub(super) fn widened(self, span: f64) -> Self {
        if span.is_finite() && span > self.span() {
            let more = (span - self.span()) / 2.0;
            let wide = Self {
                lo: (self.lo - more).max(-LARGEST),
                hi: (self.hi + more).min(LARGEST),
            };
            return wide.usable().unwrap_or(self);
        }
        self
    }

    fn usable(self) -> Option<Self> {
        (self.lo.is_finite() && self.hi.is_finite() && self.lo < self.hi).then_some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_gets_round_ends() {
        assert_eq!(Range::fit(-1.0, 1.0), Range { lo: -1.0, hi: 1.0 });
        assert_eq!(Range::fit(-0.97, 1.02), Range { lo: -1.0, hi: 1.05 });
        // The last digits of an integration do not cost a step.
        assert_eq!(Range::fit(-1.0 - 1e-9, 1.0), Range { lo: -1.0, hi: 1.0 });
        assert_eq!(Range::fit(0.0, 4.1645), Range { lo: 0.0, hi: 4.2 });
    }

    #[test]
    fn a_logarithmic_axis_has_round_ends() {
        assert_eq!(Range::fit_log(0.3, 70.0), Range { lo: 0.2, hi: 100.0 });
        assert_eq!(Range::fit_log(1.0, 10.0), Range { lo: 1.0, hi: 10.0 });
        assert_eq!(
            Range::fit_log(1e-16, 3e-9),
            Range {
                lo: 1e-16,
                hi: 5e-9
            }
        );
        // a constant has length too
        assert_eq!(Range::fit_log(2.0, 2.0), Range { lo: 1.0, hi: 2.0 });
        assert_eq!(Range::fit_log(3.0, 3.0), Range { lo: 2.0, hi: 5.0 });
        let whole = Range::fit_log(5e-324, f64::MAX);
        assert!(whole.lo > 0.0 && whole.hi.is_finite());
        assert_eq!(Range::asked_on(Scale::Log, (0.0, 1.0)), None);
    }

    #[test]
    fn a_constant_has_height_and_its_drift_has_none() {
        let flat = Range::fit(9.81, 9.81);
        assert!(flat.lo < 9.65 && flat.hi > 9.95, "{flat:?}");
        assert_eq!(Range::fit(0.0, 0.0), Range { lo: -1.0, hi: 1.0 });
        let drift = Range::fit(1.0 - 1e-16, 1.0 + 2e-16);
        assert!(drift.span() > 0.03, "{drift:?}");
        // Around zero there is no size to compare with: small numbers are shown.
        assert!(Range::fit(-1e-16, 2e-16).span() < 1e-15);
    }

    #[test]
    fn no_range_overflows_or_vanishes() {
        let ends = [
            0.0,
            5e-324,
            1e-300,
            -1e-300,
            1.0,
            1e308,
            -1e308,
            f64::MAX,
            -f64::MAX,
        ];
        for a in ends {
            for b in ends {
                let (lo, hi) = (f64::min(a, b), f64::max(a, b));
                for range in [Some(Range::fit(lo, hi)), Range::asked((a, b))] {
                    let range = range.unwrap();
                    assert!(range.lo < range.hi && range.span().is_finite(), "{a} {b}");
                }
            }
        }
        assert_eq!(Range::asked((f64::NAN, 1.0)), None);
        assert_eq!(Range::asked((3.0, 1.0)), Some(Range { lo: 1.0, hi: 3.0 }));
    }
}
