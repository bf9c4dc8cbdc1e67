//! Where a function of one variable is least, and whether it may touch zero between the places where it is known.

/// A size that falls below this part of its largest value in a step is looked at closely.
pub(super) const NEAR_ZERO: f64 = 0.1;

/// The smaller part of a golden section.
const GOLDEN: f64 = 0.381_966_011_250_105_1;

/// Where a function is least between two places, to what so many golden sections leave of the way between them, and its value
/// there: parabolas through the three best places where they lead inside and shrink the way, golden sections elsewhere (Brent,
/// *Algorithms for Minimization without Derivatives*, chapter 5). Where the three best values differ by less than
/// `rounding`, no place is better than another.
pub(crate) fn least(
    (from, to): (f64, f64),
    (sections, rounding): (i32, f64),
    mut value: impl FnMut(f64) -> f64,
) -> (f64, f64) {
    let (mut low, mut high) = (from.min(to), from.max(to));
    let exact = (f64::EPSILON * low.abs().max(high.abs()))
        .max((high - low) * (1.0 - GOLDEN).powi(sections));
    let mut best = low + GOLDEN * (high - low);
    let mut at_best = value(best);
    let ((mut second, mut at_second), (mut third, mut at_third)) =
        ((best, at_best), (best, at_best));
    let (mut step, mut before) = (0.0_f64, 0.0_f64);
    for _ in 0..3 * sections {
        let middle = f64::midpoint(low, high);
        let three = third != second && second != best && third != best;
        let alike = three && at_third - at_best < rounding;
        if alike || (best - middle).abs() + 0.5 * (high - low) <= 2.0 * exact {
            break;
        }
        // the least of the parabola is p / q away
        let r = (best - second) * (at_best - at_third);
        let q = (best - third) * (at_best - at_second);
        let (p, q) = ((best - third) * q - (best - second) * r, 2.0 * (q - r));
        let parabola = -p / q;
        let inside = best + parabola > low && best + parabola < high;
        if before.abs() > exact && inside && parabola.abs() < 0.5 * before.abs() {
            (before, step) = (step, parabola);
            let edge = (best + step - low).min(high - best - step);
            if edge < 2.0 * exact {
                step = exact.copysign(middle - best);
            }
        } else {
            before = if best < middle { high } else { low } - best;
            step = GOLDEN * before;
        }
        let next = best + step.abs().max(exact).copysign(step);
        let at_next = value(next);
        // on which side of the best place so far the worse one is
        let (is_better, is_lower) = (at_next <= at_best, next < best);
        let edge = if is_better { best } else { next };
        if is_better == is_lower {
            high = edge;
        } else {
            low = edge;
        }
        if is_better {
            ((third, at_third), (second, at_second)) = ((second, at_second), (best, at_best));
            (best, at_best) = (next, at_next);
        } else if at_next <= at_second || second == best {
            ((third, at_third), (second, at_second)) = ((second, at_second), (next, at_next));
        } else if at_next <= at_third || third == best || third == second {
            (third, at_third) = (next, at_next);
        }
    }
    (best, at_best)
}

/// Turns of a search for a zero.
const TURNS: usize = 100;

/// Where a function changes its sign between two places, which are given with its values there: secants kept inside by halving
/// (Illinois), to rounding or until it is not a number.
pub(crate) fn root(
    (mut a, mut at_a): (f64, f64),
    (mut b, mut at_b): (f64, f64),
    mut value: impl FnMut(f64) -> f64,
) -> f64 {
    for turn in 0..TURNS {
        if at_b == 0.0 || (b - a).abs() <= 4.0 * f64::EPSILON * a.abs().max(b.abs()) {
            break;
        }
        let secant = (a * at_b - b * at_a) / (at_b - at_a);
        let inside = secant > a.min(b) && secant < a.max(b) && turn % 4 != 3;
        let c = if inside { secant } else { 0.5 * (a + b) };
        if c == a || c == b {
            break;
        }
        let at_c = value(c);
        if at_c.is_nan() {
            break;
        }
        if at_c * at_b < 0.0 {
            (a, at_a) = (b, at_b);
        } else {
            at_a *= 0.5;
        }
        (b, at_b) = (c, at_c);
    }
    b
}

/// Places that ascend, at least two of them, and how far they are from each other: what values there are divided by.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spacing<const N: usize> {
    pub(super) places: [f64; N],
    /// One over the width of each part, and of each two.
    pub(super) parts: [f64; N],
    pub(super) pairs: [f64; N],
    /// How many times the width of the part before it each has, and of that behind it.
    before: [f64; N],
    behind: [f64; N],
}

impl<const N: usize> Spacing<N> {
    pub(super) const fn of(places: [f64; N]) -> Self {
        let [mut parts, mut pairs, mut before, mut behind] = [[0.0; N]; 4];
        let mut i = 0;
        while i + 1 < N {
            let width = places[i + 1] - places[i];
            parts[i] = 1.0 / width;
            if i > 0 {
                before[i] = width * parts[i - 1];
            }
            if i + 2 < N {
                behind[i] = width / (places[i + 2] - places[i + 1]);
                pairs[i] = 1.0 / (places[i + 2] - places[i]);
            }
            i += 1;
        }
        Self {
            places,
            parts,
            pairs,
            before,
            behind,
        }
    }
}

/// May a size touch zero, as |s| does, between two of its values at these places? The straight lines
/// through the values on either side meet near zero there; at an end the one line that there is comes near it.
pub(super) fn may_touch<const N: usize>(
    sizes: &[f64; N],
    spacing: &Spacing<N>,
    largest: f64,
) -> bool {
    let low = NEAR_ZERO * largest;
    (0..N - 1).any(|i| {
        let (left, right) = (sizes[i], sizes[i + 1]);
        // how much it falls in each part by the line before it, and rises by the one behind it
        let fall = if i > 0 {
            (sizes[i - 1] - left) * spacing.before[i]
        } else {
            0.0
        };
        let rise = if i + 2 < N {
            (sizes[i + 2] - right) * spacing.behind[i]
        } else {
            0.0
        };
        if fall > 0.0 && rise > 0.0 {
            // left - fall s = right - rise (1 - s)
            let s = (left - right + rise) / (fall + rise);
            (0.0..=1.0).contains(&s) && left - fall * s <= low
        } else if i == 0 {
            rise > 0.0 && right - rise <= low
        } else {
            i + 2 == N && fall > 0.0 && left - fall <= low
        }
    })
}

#[cfg(test)]
mod tests {
    use super::{Spacing, least, may_touch};

    /// Smooth minima, corners and poles, either way round, to what was asked and with few evaluations where it is smooth.
    #[test]
    fn the_least_value_is_found() {
        type Case<'a> = (&'a str, &'a dyn Fn(f64, f64) -> f64, f64, u32);
        let functions: [Case<'_>; 5] = [
            ("parabola", &|s, at| (s - at).powi(2), 1e-8, 12),
            ("fourth power", &|s, at| (s - at).powi(4) + 1.0, 1e-3, 80),
            ("corner", &|s, at| (s - at).abs(), 1e-8, 80),
            (
                "lopsided corner",
                &|s, at| (5.0 * (s - at)).max(at - s),
                1e-8,
                80,
            ),
            ("wave", &|s, at| 2.0 - (s - at).cos(), 1e-7, 40),
        ];
        for (name, f, within, evaluations) in functions {
            for place in 0..=50 {
                let at = f64::from(place) / 50.0;
                for way in [(0.0, 1.0), (1.0, 0.0)] {
                    let mut count = 0;
                    let (found, value) = least(way, (45, 0.0), |s| {
                        count += 1;
                        f(s, at)
                    });
                    assert!((found - at).abs() <= within, "{name} {at}: {found}");
                    assert_eq!(value, f(found, at), "{name}");
                    let edge = place == 0 || place == 50;
                    assert!(edge || count <= evaluations, "{name} {at}: {count}");
                }
            }
        }
    }

    #[test]
    fn nothing_is_looked_for_below_rounding() {
        for place in 1..50 {
            let at = f64::from(place) / 50.0;
            let wave = |s: f64| 2.0 - (s - at).cos();
            let mut counts = [0, 0];
            for (count, rounding) in counts.iter_mut().zip([0.0, 4.0 * f64::EPSILON]) {
                let (found, _) = least((0.0, 1.0), (45, rounding), |s| {
                    *count += 1;
                    wave(s)
                });
                assert!((found - at).abs() <= 1e-7, "{at}: {found}");
            }
            assert!(
                counts[1] <= counts[0] && counts[1] <= 24,
                "{at}: {counts:?}"
            );
        }
    }

    #[test]
    fn a_size_that_touches_zero_between_two_values_is_seen() {
        let even = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0];
        let uneven = [0.0, 0.118, 0.333, 0.6, 0.857, 1.0];
        for (place, places) in (1..100).flat_map(|place| [(place, even), (place, uneven)]) {
            let spacing = Spacing::of(places);
            let at = f64::from(place) / 100.0;
            let values = |f: &dyn Fn(f64) -> f64| places.map(|s| 5.0 * f(s - at).abs());
            let largest = |list: &[f64]| list.iter().copied().fold(0.0, f64::max);
            for slope in [0.3, 1.0, 4.0] {
                let list = values(&|s| if s > 0.0 { slope * s } else { s });
                let near = list.iter().any(|v| *v <= super::NEAR_ZERO * largest(&list));
                assert!(
                    near || may_touch(&list, &spacing, largest(&list)),
                    "{at} {slope} {list:?}"
                );
            }
            let far = values(&|s| 3.0 + s.abs());
            assert!(!may_touch(&far, &spacing, largest(&far)));
        }
    }
}
