//! How the values of an axis lie along it: evenly, or by their logarithm.
//!
//! A value v lies at s(v), s(v) = v or s(v) = log10(v). On a logarithmic axis zero and what is below have no
//! place: there the curve has a gap, as where there is no number.

use super::range::Range;

/// Powers of ten that a logarithmic axis reaches, either way: beyond them doubles run out.
const DECADES: f64 = 300.0;

named! {
    /// The scale of an axis.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub enum Scale {
        /// Equal differences are equally long.
        #[default]
        Linear = "linear",
        /// Equal ratios are equally long.
        Log = "log",
    }
}

impl Scale {
    /// s(v); NaN where the value has no place on the axis.
    pub fn along(self, value: f64) -> f64 {
        match self {
            Self::Linear => value,
            Self::Log if value > 0.0 => value.log10(),
            Self::Log => f64::NAN,
        }
    }

    /// The value at a place: the inverse of [`Scale::along`].
    pub fn value(self, along: f64) -> f64 {
        match self {
            Self::Linear => along,
            Self::Log => 10_f64.powf(along),
        }
    }

    /// Both ends along the axis.
    pub(super) fn ends(self, range: Range) -> Range {
        Range {
            lo: self.along(range.lo),
            hi: self.along(range.hi),
        }
    }

    /// The values at both ends.
    pub(super) fn values(self, ends: Range) -> Range {
        match self {
            Self::Linear => ends,
            Self::Log => Range {
                lo: self.value(ends.lo.max(-DECADES)),
                hi: self.value(ends.hi.min(DECADES)),
            },
        }
    }
}
