//! What the values of a factor at some places in a step tell of its zeros there.

use super::minimum::{NEAR_ZERO, Spacing, may_touch};
use super::step::{larger, smaller};

/// Where no size that is seen in a step is below this part of another, straight lines through two neighbouring ones do not meet
/// near zero: no part of a step is 1.85 times its neighbour, and 0.7 - 1.85 * 0.3 is above [`NEAR_ZERO`].
const LEVEL: f64 = 0.7;
/// Values that are seen in a step run evenly where no slope between two of them is so many times another, and are bent evenly
/// where that is so of the changes of slope.
const EVEN: f64 = 4.0;

/// Where values run evenly one may touch zero between an end and the place beside it if what is left there is no more than this part of
/// what it changes by in between: a parabola that has its vertex nearer to the end than a sixth of the way.
const HIDES: f64 = 0.05;

/// Places in a step after its start, in the order of their times: which of the values is seen there, and at which part of the
/// step.
pub(super) type Places = [(usize, f64); 5];

/// Where the factors are looked at first, if not where the right-hand side was evaluated.
pub(super) const PROBED: Places = [(0, 0.2), (1, 0.4), (2, 0.6), (3, 0.8), (4, 1.0)];

/// Their parts of the step, and before them that of its start.
pub(super) const fn spacing([a, b, c, d, e]: Places) -> Spacing<6> {
    Spacing::of([0.0, a.1, b.1, c.1, d.1, e.1])
}

/// What the values of a factor in a step tell of its zeros there.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) enum Sight {
    /// It has none.
    #[default]
    None,
    /// It has one, between these places in the step with these values: it runs evenly from one sign to the other.
    One([(f64, f64); 2]),
    /// It has none or two, or touches zero, next to its one least size between these places: it is bent evenly.
    Touch([f64; 2]),
    /// It may have some.
    Some,
}

/// What values at some places tell of the zeros between them.
pub(super) fn sight<const N: usize>(values: &[f64; N], spacing: &Spacing<N>) -> Sight {
    let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
    for g in values {
        least = smaller(least, *g);
        most = larger(most, *g);
    }
    let turns = least < 0.0 && most > 0.0;
    let (small, large) = if least >= 0.0 {
        (least, most)
    } else {
        (-most, -least)
    };
    let far = |parts: f64| !turns && small > parts * large;
    let clear = far(LEVEL) || far(NEAR_ZERO) && !may_touch(&values.map(f64::abs), spacing, large);
    if clear {
        return Sight::None;
    }
    let places = &spacing.places;
    let slope = |i: usize| (values[i + 1] - values[i]) * spacing.parts[i];
    if !are_even((0..N - 1).map(slope)) {
        let bend = |i: usize| (slope(i + 1) - slope(i)) * spacing.pairs[i];
        let falls_and_rises = !turns && slope(0) * least < 0.0 && slope(N - 2) * least > 0.0;
        let inside = (1..N - 1).find(|i| values[*i].abs() == small);
        return match inside {
            Some(i) if falls_and_rises && are_even((0..N - 2).map(bend)) => {
                Sight::Touch([places[i - 1], places[i + 1]])
            }
            _ => Sight::Some,
        };
    }
    let mut pairs = (1..N).map(|i| [i - 1, i].map(|i| (places[i], values[i])));
    let hides = |end: usize, beside: usize| {
        values[end].abs() <= HIDES * (values[beside] - values[end]).abs()
    };
    match pairs.find(|[(_, left), (_, right)]| left * right < 0.0) {
        Some(ends) => Sight::One(ends),
        // it goes away from zero or comes near it
        None if !hides(0, 1) && !hides(N - 1, N - 2) => Sight::None,
        None => Sight::Some,
    }
}

/// Whether slopes are of one sign, none more than [`EVEN`] times another.
fn are_even(slopes: impl Iterator<Item = f64>) -> bool {
    let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
    let mut numbers = true;
    for slope in slopes {
        numbers &= !slope.is_nan();
        least = smaller(least, slope);
        most = larger(most, slope);
    }
    numbers && (least > 0.0 && most <= EVEN * least || most < 0.0 && least >= EVEN * most)
}

#[cfg(test)]
mod tests {
    use super::{LEVEL, PROBED, Sight, sight, spacing};
    use crate::solver::dop853::SPREAD;
    use crate::solver::minimum::{Spacing, least, may_touch};

    const PROBES: Spacing<6> = spacing(PROBED);

    #[test]
    fn level_sizes_do_not_touch_zero() {
        let mut random = fastrand::Rng::with_seed(1);
        for spacing in [PROBES, spacing(SPREAD)] {
            for _ in 0..20_000 {
                // the edges of what is level are the worst
                let sizes = spacing.places.map(|_| match random.u8(..4) {
                    0 => LEVEL + 1e-9,
                    1 => 1.0,
                    _ => LEVEL + 1e-9 + (0.999_999 - LEVEL) * random.f64(),
                });
                let largest = sizes.iter().fold(0.0, |most: f64, e| most.max(*e));
                assert!(!may_touch(&sizes, &spacing, largest), "{sizes:?}");
            }
        }
    }

    #[test]
    fn what_values_tell_of_zeros() {
        let seen = |g: fn(f64) -> f64| sight(&PROBES.places.map(g), &PROBES);
        assert_eq!(seen(|s| 1.0 + s), Sight::None);
        assert_eq!(seen(|s| 1.0 - 0.5 * s), Sight::None);
        assert_eq!(seen(|s| -2.0 - s * s), Sight::None);
        // from near zero, and towards it
        assert_eq!(seen(|s| -0.02 - s - s * s), Sight::None);
        assert_eq!(seen(|s| 1.02 - s), Sight::None);
        for g in [|s: f64| 0.5 - s, |s: f64| (3.0 * s - 1.0) * (2.0 + s)] {
            let Sight::One([left, right]) = seen(g) else {
                panic!("{:?}", seen(g));
            };
            assert!(left.1 * right.1 < 0.0 && (left.1, right.1) == (g(left.0), g(right.0)));
        }
        // touches and near ones, from above and from below, and two zeros that no place is between
        let touches: [fn(f64) -> f64; 4] = [
            |s| (s - 0.5) * (s - 0.5),
            |s| -(s - 0.45) * (s - 0.45) * (2.0 + s),
            |s| (s - 0.7) * (s - 0.7) + 0.01,
            |s| (s - 0.65) * (s - 0.75),
        ];
        for g in touches {
            let Sight::Touch([left, right]) = seen(g) else {
                panic!("{:?}", seen(g));
            };
            let (place, _) = least((0.0, 1.0), (40, 0.0), |s| g(s).abs());
            assert!(left < place && place < right, "{left} {place} {right}");
        }
        // two zeros, three, one that is not even, one at either end, one after one that is flagged, a corner, a fourth power, two
        // touches, and what is no number
        let doubtful: [fn(f64) -> f64; 11] = [
            // a touch next to the end of a fall that was even
            |s| (s - 0.985).powi(2) * (0.5 + s * s),
            |s| (s - 0.3) * (s - 0.7),
            |s| (s - 0.1) * (s - 0.5) * (s - 0.9),
            |s| (s - 0.3).powi(3),
            |s| s,
            |s| s - 1.0,
            |s| s * (s - 0.5),
            |s| (s - 0.45).abs() + 0.01,
            |s| (s - 0.5).powi(4),
            |s| (s - 0.25).powi(2) * (s - 0.75).powi(2),
            |s| if s > 0.5 { f64::NAN } else { 0.3 - s },
        ];
        for g in doubtful {
            assert_eq!(seen(g), Sight::Some, "{:?}", PROBES.places.map(g));
        }
    }
}
