//! Where a function of one variable is least, and whether it may touch zero between the places where it is known.

/// A size that falls below this part of its largest value in a step is looked at closely.
pub(super) const NEAR_ZERO: f64 = 0.1;

/// Where a function is least between two places (golden section), and its value there.
pub(super) fn golden(
    (mut from, mut to): (f64, f64),
    turns: usize,
    mut value: impl FnMut(f64) -> f64,
) -> (f64, f64) {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let (mut a, mut b) = (to - GOLDEN * (to - from), from + GOLDEN * (to - from));
    let (mut at_a, mut at_b) = (value(a), value(b));
    for _ in 0..turns {
        if at_a <= at_b {
            (to, b, at_b) = (b, a, at_a);
            a = to - GOLDEN * (to - from);
            at_a = value(a);
        } else {
            (from, a, at_a) = (a, b, at_b);
            b = from + GOLDEN * (to - from);
            at_b = value(b);
        }
    }
    if at_a <= at_b { (a, at_a) } else { (b, at_b) }
}

/// May a size touch zero, as |s| does, between two of its values at `count` equal distances? The straight lines
/// through the values on either side meet near zero there; at an end the one line that there is comes near it.
pub(super) fn may_touch(size: &impl Fn(usize) -> f64, count: usize, largest: f64) -> bool {
    let low = NEAR_ZERO * largest;
    let last = count.saturating_sub(1);
    (0..last).any(|i| {
        let (left, right) = (size(i), size(i + 1));
        let fall = (i > 0).then(|| size(i - 1) - left);
        let rise = (i + 1 < last).then(|| size(i + 2) - right);
        match (fall, rise) {
            // left - fall s = right - rise (1 - s)
            (Some(fall), Some(rise)) if fall > 0.0 && rise > 0.0 => {
                let s = (left - right + rise) / (fall + rise);
                (0.0..=1.0).contains(&s) && left - fall * s <= low
            }
            (None, Some(rise)) => rise > 0.0 && right - rise <= low,
            (Some(fall), None) => fall > 0.0 && left - fall <= low,
            _ => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::may_touch;

    #[test]
    fn a_size_that_touches_zero_between_two_values_is_seen() {
        for place in 1..100 {
            let at = f64::from(place) / 100.0 * 5.0;
            let values = |f: &dyn Fn(f64) -> f64| -> Vec<f64> {
                (0..=5).map(|i| f(f64::from(i) - at).abs()).collect()
            };
            let largest = |list: &[f64]| list.iter().copied().fold(0.0, f64::max);
            for slope in [0.3, 1.0, 4.0] {
                let list = values(&|s| if s > 0.0 { slope * s } else { s });
                let near = list.iter().any(|v| *v <= super::NEAR_ZERO * largest(&list));
                assert!(
                    near || may_touch(&|i| list[i], list.len(), largest(&list)),
                    "{at} {slope} {list:?}"
                );
            }
            let far = values(&|s| 3.0 + s.abs());
            assert!(!may_touch(&|i| far[i], far.len(), largest(&far)));
        }
    }
}
