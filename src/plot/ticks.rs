//! Numbers on an axis: steps of 1, 2 or 5 times a power of ten, and their labels.
//!
//! A tick is an integer multiple of a decimal step, and its value is the double nearest to that
//! decimal number: 3 steps of 0.1 are 0.3, not 0.30000000000000004.

use super::range::Range;
use super::scale::Scale;

/// More ticks than this are never made, whatever the range and the step.
const MOST_TICKS: f64 = 1000.0;

/// A label longer than this is written with an exponent if that is shorter.
const LONG_LABEL: usize = 6;

/// How far outside the range, in steps, a tick still counts as inside: rounding of the division.
const STEP_SLACK: f64 = 1e-9;

/// A step of 1, 2 or 5 times a power of ten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// 1, 2 or 5.
    pub digit: u8,
    /// The power of ten.
    pub exponent: i32,
}

impl Step {
    /// The smallest step that is not below `raw`; 1 where `raw` is not a positive number.
    pub fn at_least(raw: f64) -> Self {
        if !raw.is_finite() || raw <= 0.0 {
            return Self {
                digit: 1,
                exponent: 0,
            };
        }
        let mut step = Self {
            digit: 1,
            exponent: raw.log10().floor() as i32 - 1,
        };
        while step.value() < raw * (1.0 - STEP_SLACK) {
            step = step.next();
        }
        step
    }

    /// The next larger step.
    #[must_use]
    pub fn next(self) -> Self {
        match self.digit {
            1 => Self { digit: 2, ..self },
            2 => Self { digit: 5, ..self },
            _ => Self {
                digit: 1,
                exponent: self.exponent + 1,
            },
        }
    }

    /// The next smaller step.
    #[must_use]
    pub fn before(self) -> Self {
        match self.digit {
            5 => Self { digit: 2, ..self },
            2 => Self { digit: 1, ..self },
            _ => Self {
                digit: 5,
                exponent: self.exponent - 1,
            },
        }
    }

    /// The step as a number.
    pub fn value(self) -> f64 {
        self.multiple(1)
    }

    /// The double nearest to `k` steps.
    pub fn multiple(self, k: i64) -> f64 {
        let digits = i128::from(k) * i128::from(self.digit);
        format!("{digits}e{}", self.exponent)
            .parse()
            .unwrap_or(f64::NAN)
    }

    /// The multiples of this step within `range`.
    fn multiples(self, range: Range) -> Vec<i64> {
        let step = self.value();
        let first = (range.lo / step - STEP_SLACK).ceil();
        let last = (range.hi / step + STEP_SLACK).floor();
        if !first.is_finite() || !last.is_finite() || last - first > MOST_TICKS {
            return Vec::new();
        }
        (first as i64..=last as i64).collect()
    }
}

/// The ticks of one axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ticks {
    /// Value and label of each, rising. The labels of one axis have the same number of decimals,
    /// and where an exponent is written, the same exponent.
    pub at: Vec<(f64, String)>,
}

impl Ticks {
    /// All multiples of `step` in `range`.
    pub fn every(step: Step, range: Range) -> Self {
        let multiples = step.multiples(range);
        let plain = labels(&multiples, step, 0);
        let largest = multiples
            .iter()
            .map(|k| k.unsigned_abs())
            .max()
            .unwrap_or(0);
        let labels = if widest(&plain) <= LONG_LABEL || largest == 0 {
            plain
        } else {
            let digits = largest.saturating_mul(u64::from(step.digit)).ilog10();
            let exponent = step.exponent + digits.cast_signed();
            let scientific = labels(&multiples, step, exponent);
            if widest(&scientific) < widest(&plain) {
                scientific
            } else {
                plain
            }
        };
        let values = multiples.iter().map(|&k| step.multiple(k));
        Self {
            at: values.zip(labels).collect(),
        }
    }

    /// The ticks with the smallest step of which neighbours stand `apart(label width)` columns
    /// apart, on an axis of `length` columns.
    pub(super) fn spaced(range: Range, length: u16, apart: impl Fn(usize) -> f64) -> Self {
        let intervals = f64::from(length.max(2) - 1);
        let mut step = Step::at_least(range.span() * apart(1) / intervals);
        // Each turn makes the step about twice as long; soon a tick is alone.
        for _ in 0..24 {
            let ticks = Self::every(step, range);
            let gap = step.value() / range.span() * intervals;
            if gap + STEP_SLACK >= apart(ticks.width()) || ticks.at.len() < 2 {
                return ticks;
            }
            step = step.next();
        }
        Self::default()
    }

    /// The first and last multiple in `range` of the largest step that has two there, and zero between them where
    /// it stands a row from both: for an axis so short that ticks at every step would run into each other.
    pub(super) fn outermost(range: Range, length: u16) -> Self {
        let rows = f64::from(length.max(2) - 1) / range.span();
        let mut step = Step::at_least(range.span());
        for _ in 0..4 {
            let all = Self::every(step, range).at;
            if let [first, .., last] = all.as_slice()
                && (last.0 - first.0) * rows + STEP_SLACK >= 1.0
            {
                let far = |a: f64, b: f64| (a - b).abs() * rows + STEP_SLACK >= 1.0;
                let kept = all.iter().filter(|(value, _)| {
                    *value == first.0
                        || *value == last.0
                        || *value == 0.0 && far(*value, first.0) && far(*value, last.0)
                });
                return Self {
                    at: kept.cloned().collect(),
                };
            }
            step = step.before();
        }
        Self::default()
    }

    /// The ticks of an axis of this scale and `length` columns, `apart(label width)` columns apart at least.
    pub(super) fn on(
        scale: Scale,
        range: Range,
        length: u16,
        apart: impl Fn(usize) -> f64,
    ) -> Self {
        match scale {
            Scale::Linear => Self::spaced(range, length, apart),
            Scale::Log => Self::logarithmic(range, length, apart),
        }
    }

    /// 1, 2 and 5 times the powers of ten where there is room for them, else the powers of ten, else every
    /// second, fifth, tenth, ... of them. Within a decade or so the multiples of a step say more.
    fn logarithmic(range: Range, length: u16, apart: impl Fn(usize) -> f64) -> Self {
        let ends = Scale::Log.ends(range);
        let intervals = f64::from(length.max(2) - 1);
        if !ends.span().is_finite() || ends.span() <= 0.0 {
            return Self::default();
        }
        // columns between two ticks, at their closest
        let closest = |ticks: &Self| {
            let places = ticks.at.iter().map(|(value, _)| value.log10());
            let pairs = places.clone().zip(places.skip(1));
            let gaps = pairs.map(|(a, b)| (b - a) / ends.span() * intervals);
            gaps.fold(f64::INFINITY, f64::min)
        };
        let fits = |ticks: &Self| closest(ticks) + STEP_SLACK >= apart(ticks.width());
        let fine = Self::powers(range, &[1, 2, 5], 1);
        if fine.at.len() < 3 {
            let mut step = Step::at_least(range.span() * apart(1) / intervals);
            for _ in 0..24 {
                let ticks = Self::every(step, range);
                if ticks.at.len() < 2 {
                    break;
                }
                if fits(&ticks) {
                    return ticks;
                }
                step = step.next();
            }
        }
        if fits(&fine) {
            return fine;
        }
        let mut every = Step {
            digit: 1,
            exponent: 0,
        };
        for _ in 0..12 {
            let ticks = Self::powers(range, &[1], every.value() as i32);
            if fits(&ticks) {
                return ticks;
            }
            every = every.next();
        }
        Self::default()
    }

    /// `digits` times the powers of ten whose exponent is a multiple of `every`.
    fn powers(range: Range, digits: &[u8], every: i32) -> Self {
        let ends = Scale::Log.ends(range);
        let (first, last) = (ends.lo.floor() as i32, ends.hi.ceil() as i32);
        let mut at = Vec::new();
        for exponent in (first..=last).filter(|e| e.rem_euclid(every) == 0) {
            for &digit in digits {
                let value = Step { digit, exponent }.value();
                let slack = STEP_SLACK * value;
                if (range.lo - slack..=range.hi + slack).contains(&value) {
                    at.push((value, number(value, 1)));
                }
            }
        }
        Self { at }
    }

    /// Columns of the widest label.
    pub fn width(&self) -> usize {
        self.at.iter().map(|(_, l)| l.len()).max().unwrap_or(0)
    }
}

fn widest(labels: &[String]) -> usize {
    labels.iter().map(String::len).max().unwrap_or(0)
}

/// Labels in units of 10^`exponent`, all with the decimals that the step needs.
fn labels(multiples: &[i64], step: Step, exponent: i32) -> Vec<String> {
    let decimals = (exponent - step.exponent).max(0);
    let zeros = (step.exponent - exponent).max(0);
    multiples
        .iter()
        .map(|&k| {
            let digits = i128::from(k) * i128::from(step.digit);
            if digits == 0 && exponent != 0 {
                return "0".to_owned();
            }
            let text = point(digits, decimals as usize, zeros as usize);
            if exponent == 0 {
                text
            } else {
                format!("{text}e{exponent}")
            }
        })
        .collect()
}

/// `digits` with `zeros` more of them, the last `decimals` after the point. Exact.
fn point(digits: i128, decimals: usize, zeros: usize) -> String {
    let sign = if digits < 0 { "-" } else { "" };
    let mut text = digits.unsigned_abs().to_string();
    if digits != 0 {
        text.extend(std::iter::repeat_n('0', zeros));
    }
    if decimals > 0 {
        while text.len() <= decimals {
            text.insert(0, '0');
        }
        text.insert(text.len() - decimals, '.');
    }
    format!("{sign}{text}")
}

/// `value` with at most `significant` digits, without trailing zeros: `9.81`, `-0.5`, `2e-12`.
///
/// Below 1e-4 and from 1e6 up it has an exponent. Never `-0`.
pub fn number(value: f64, significant: usize) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    let digits = significant.clamp(1, 17);
    let scientific = format!("{value:.*e}", digits - 1);
    let Some((mantissa, exponent)) = scientific.split_once('e') else {
        return scientific;
    };
    // The exponent after rounding: 0.99999 to three digits is 1.
    let power: i32 = exponent.parse().unwrap_or(0);
    if (-4..6).contains(&power) {
        let decimals = usize::try_from(i64::try_from(digits).unwrap_or(17) - 1 - i64::from(power))
            .unwrap_or(0);
        // Digits before the point are never replaced by zeros.
        trimmed(&format!("{value:.decimals$}")).to_owned()
    } else {
        format!("{}e{exponent}", trimmed(mantissa))
    }
}

/// A number without zeros at the end of its decimals.
pub fn trimmed(text: &str) -> &str {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn texts(step: Step, lo: f64, hi: f64) -> Vec<String> {
        let ticks = Ticks::every(step, Range { lo, hi });
        ticks.at.into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn labels_of_one_axis_have_the_same_decimals() {
        let tenths = Step::at_least(0.5);
        assert_eq!(
            texts(tenths, -1.0, 1.0),
            ["-1.0", "-0.5", "0.0", "0.5", "1.0"]
        );
        assert_eq!(texts(Step::at_least(2.0), 0.0, 6.0), ["0", "2", "4", "6"]);
        let large = texts(Step::at_least(5e5), 0.0, 2e6);
        assert_eq!(large, ["0", "0.5e6", "1.0e6", "1.5e6", "2.0e6"]);
        let small = texts(Step::at_least(1e-12), -2e-12, 1e-12);
        assert_eq!(small, ["-2e-12", "-1e-12", "0", "1e-12"]);
        // The plain form where the exponent would not be shorter.
        let offset = texts(Step::at_least(0.5), 1e6, 1e6 + 1.0);
        assert_eq!(offset, ["1000000.0", "1000000.5", "1000001.0"]);
    }

    #[test]
    fn a_tick_is_the_nearest_double_to_its_decimal() {
        let ticks = Ticks::every(Step::at_least(0.1), Range { lo: 0.0, hi: 0.3 });
        let values: Vec<f64> = ticks.at.iter().map(|t| t.0).collect();
        assert_eq!(values, [0.0, 0.1, 0.2, 0.3]);
    }

    #[test]
    fn numbers_are_short() {
        for (value, digits, text) in [
            (9.81, 6, "9.81"),
            (-0.0, 3, "0"),
            (-1e-320, 3, "-1e-320"),
            (0.99999, 3, "1"),
            (123_456.7, 3, "123457"),
            (1.5e-9, 3, "1.5e-9"),
            (2e6, 3, "2e6"),
            (0.00025, 3, "0.00025"),
            (f64::NAN, 3, "NaN"),
            (f64::NEG_INFINITY, 3, "-inf"),
            (100.0, 1, "100"),
        ] {
            assert_eq!(number(value, digits), text);
        }
    }

    #[test]
    fn a_logarithmic_axis_has_ticks_at_its_powers() {
        let texts = |lo, hi, length| -> Vec<String> {
            let ticks = Ticks::on(Scale::Log, Range { lo, hi }, length, |w| w as f64 + 2.0);
            ticks.at.into_iter().map(|(_, text)| text).collect()
        };
        assert_eq!(texts(1.0, 20.0, 40), ["1", "2", "5", "10", "20"]);
        assert_eq!(texts(0.001, 10.0, 30), ["0.001", "0.01", "0.1", "1", "10"]);
        assert_eq!(texts(1e-16, 5e-9, 30), ["1e-16", "1e-14", "1e-12", "1e-10"]);
        // less than a decade: plain steps
        assert_eq!(texts(2.0, 5.0, 40), ["2", "3", "4", "5"]);
        assert_eq!(texts(1e-300, 1e300, 30).len(), 3);
    }

    proptest! {
        #[test]
        fn steps_bracket(raw in prop::num::f64::POSITIVE | prop::num::f64::SUBNORMAL) {
            let raw = raw.clamp(1e-300, 1e300);
            let step = Step::at_least(raw);
            prop_assert!(step.value() >= raw * (1.0 - 2.0 * STEP_SLACK));
            prop_assert!(step.value() <= raw * 2.5 * (1.0 + STEP_SLACK));
        }

        #[test]
        fn a_label_reads_back_as_its_value(lo in -1e3..1e3, span in 1e-6..1e6, apart in 2..20) {
            let range = Range { lo, hi: lo + span };
            for (value, label) in Ticks::spaced(range, 60, |_| f64::from(apart)).at {
                prop_assert_eq!(label.parse::<f64>().unwrap().to_bits(), value.to_bits());
                prop_assert!(!label.starts_with("-0") || value != 0.0);
            }
        }
    }
}
