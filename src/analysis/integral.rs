//! Integrals over samples of a motion.

use crate::geometry::largest;
use rustc_hash::FxHashSet;
use smallvec::{SmallVec, smallvec};
use std::ops::Range;

/// Samples that a polynomial goes through.
pub const THROUGH: usize = 8;
/// and those that rougher ones go through, which tell what the integral may be off by.
const ROUGHER: [usize; 3] = [6, 4, 2];
/// What is not smooth has differences between these that do not fall by so much from each to the next, here or in so many intervals
/// each way,
const FALLS: f64 = 6.0;
const ROUND: usize = 2;
/// and is off by so many times them: jumps and kinks at random places of an interval were by up to 6.
const ROUGH: f64 = 8.0;
/// The integral over every second sample is off by more; where neither is smooth, so many times their difference is none too many.
const COARSE: f64 = 4.0;

/// Gauss's nodes and weights on (0, 1), exact up to degree 7.
const GAUSS: [(f64, f64); 4] = [
    (0.069_431_844_202_973_71, 0.173_927_422_568_726_93),
    (0.330_009_478_207_571_87, 0.326_072_577_431_273_07),
    (0.669_990_521_792_428_1, 0.326_072_577_431_273_07),
    (0.930_568_155_797_026_3, 0.173_927_422_568_726_93),
];

/// The running integral of samples, over the polynomials through the eight that lie nearest to each interval, none over one of the `breaks`,
/// times near which what depends on time changes suddenly.
pub fn integral(t: &[f64], y: &[f64], breaks: &[f64]) -> Vec<f64> {
    running(parts(t, y, (breaks, THROUGH)))
}

/// The integrals between neighbouring samples, and what each may be off by as far as the samples can tell.
pub fn between(t: &[f64], y: &[f64], breaks: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let own = parts(t, y, (breaks, THROUGH));
    let orders = Orders::new(&own, ROUGHER.map(|through| parts(t, y, (breaks, through))));
    let doubt = |i: usize| {
        if orders.is_smooth(i) {
            orders.first[i].abs()
        } else {
            ROUGH * about(&orders.first, i).max(about(&orders.second, i))
        }
    };
    let doubts = (1..own.len()).map(doubt).collect();
    (own.into_iter().skip(1).collect(), doubts)
}

/// The running integral, and what it may be off by as far as the samples can tell: by less than rougher ones differ from it where they are smooth.
/// Where they have a jump or a kink all are off alike.
pub fn judged(t: &[f64], y: &[f64], breaks: &[f64]) -> (Vec<f64>, f64) {
    let parts = |through: usize| parts(t, y, (breaks, through));
    let n = y.len().min(t.len());
    let own = parts(THROUGH);
    if n < THROUGH {
        // so few that all are taken: nothing rougher may be far off
        let rougher = (1..n.max(2)).map(|through| largest(&running(off(&own, &parts(through)))));
        let doubt = rougher.fold(0.0, f64::max);
        return (running(own), doubt);
    }
    let smooth = doubt_by_order(&own, ROUGHER.map(parts));
    let sums = running(own);
    let second = |list: &[f64]| -> Vec<f64> { list[..n].iter().copied().step_by(2).collect() };
    let coarse = integral(&second(t), &second(y), breaks);
    let doubt = smooth.min(COARSE * largest(&off(&second(&sums), &coarse)));
    (sums, doubt)
}

/// What rougher integrals differ from the next better ones by.
struct Orders {
    first: Vec<f64>,
    second: Vec<f64>,
    third: Vec<f64>,
}

impl Orders {
    fn new(own: &[f64], [six, four, two]: [Vec<f64>; 3]) -> Self {
        Self {
            first: off(own, &six),
            second: off(&six, &four),
            third: off(&four, &two),
        }
    }

    /// Do they fall fast enough about an interval?
    fn is_smooth(&self, i: usize) -> bool {
        let falls = |from: &[f64], to: &[f64]| FALLS * about(to, i) <= about(from, i);
        falls(&self.third, &self.second) || falls(&self.second, &self.first)
    }
}

/// The largest size about a place.
fn about(list: &[f64], i: usize) -> f64 {
    largest(&list[i.saturating_sub(ROUND)..(i + ROUND + 1).min(list.len())])
}

/// What rougher integrals tell.
fn doubt_by_order(own: &[f64], rougher: [Vec<f64>; 3]) -> f64 {
    let orders = Orders::new(own, rougher);
    let Orders { first, second, .. } = &orders;
    let smooth = |i: usize| if orders.is_smooth(i) { first[i] } else { 0.0 };
    let even = (0..own.len()).map(smooth);
    let rough = (0..own.len()).filter(|i| !orders.is_smooth(*i));
    let rough = rough.map(|i| first[i].abs().max(second[i].abs()));
    largest(&running(even.collect())) + ROUGH * rough.sum::<f64>()
}

fn off(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

fn running(parts: Vec<f64>) -> Vec<f64> {
    let mut total = 0.0;
    let sums = parts.into_iter().map(|part| {
        total += part;
        total
    });
    sums.collect()
}

/// Of samples that lie closer to each other than this part of an interval, one is taken for the polynomial over it: through a cluster of
/// them rounding would decide.
const CLUSTER: f64 = 0.1;

/// The runs of samples from each of these times to the next: no polynomial goes over one. What ends one run begins the next.
pub fn pieces(t: &[f64], breaks: &[f64]) -> Vec<Range<usize>> {
    let last = t.len().saturating_sub(1);
    let breaks: FxHashSet<u64> = breaks.iter().map(|t| t.to_bits()).collect();
    let inner = (1..last).filter(|i| breaks.contains(&t[*i].to_bits()));
    let mut first = 0;
    let mut list = Vec::new();
    for end in inner.chain([last]) {
        list.push(first..(end + 1).min(t.len()));
        first = end;
    }
    list
}

/// The integral from the sample before to each, of the first 0.
fn parts(t: &[f64], y: &[f64], (breaks, through): (&[f64], usize)) -> Vec<f64> {
    let n = y.len().min(t.len());
    let mut list = vec![0.0; n];
    for piece in pieces(&t[..n], breaks) {
        let (t, y) = (&t[piece.clone()], &y[piece.clone()]);
        for i in 1..t.len() {
            let (from, h) = (t[i - 1], t[i] - t[i - 1]);
            let polynomial = Polynomial::new(t, (i, through));
            let at = |z: f64| polynomial.value(t, |j| y[j], from + z * h);
            let mean: f64 = GAUSS.iter().map(|&(z, weight)| weight * at(z)).sum();
            list[piece.start + i] = h * mean;
        }
    }
    list
}

/// The polynomial through the samples (all where there are fewer) that lie nearest to an interval, as many on each side of it where there
/// are so many, by Lagrange.
struct Polynomial(SmallVec<[usize; THROUGH]>);

impl Polynomial {
    /// About the interval before sample i.
    fn new(t: &[f64], (i, through): (usize, usize)) -> Self {
        let last = t.len().saturating_sub(1);
        let right = i.clamp(last.min(1), last);
        let apart = CLUSTER * (t[right] - t[right.saturating_sub(1)]).abs();
        let before = |from: usize| (0..from).rev().find(|k| (t[*k] - t[from]).abs() >= apart);
        let after = |from: usize| (from + 1..t.len()).find(|k| (t[*k] - t[from]).abs() >= apart);
        let mut near = smallvec![right];
        let mut next = [right.checked_sub(1), after(right)];
        let mut side = 0;
        while near.len() < through {
            side = usize::from(next[side].is_none() != (side == 1));
            let Some(own) = next[side] else {
                break;
            };
            near.push(own);
            next[side] = if side == 0 { before(own) } else { after(own) };
            side = 1 - side;
        }
        Self(near)
    }

    /// Its value at a time.
    fn value(&self, t: &[f64], y: impl Fn(usize) -> f64, at: f64) -> f64 {
        let basis = |j: usize| -> f64 {
            let others = self.0.iter().filter(|k| **k != j);
            others.map(|k| (at - t[*k]) / (t[j] - t[*k])).product()
        };
        self.0.iter().map(|&j| basis(j) * y(j)).sum()
    }
}

/// The value of the polynomial through the `through` samples (all where there are fewer) that lie nearest to the
/// interval before sample i.
pub fn interpolated(
    t: &[f64],
    y: impl Fn(usize) -> f64,
    (i, through): (usize, usize),
    at: f64,
) -> f64 {
    Polynomial::new(t, (i, through)).value(t, y, at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_running_integral_is_exact_for_quadratics_and_close_for_sines() {
        let t: Vec<f64> = (0..=100).map(|i| f64::from(i) * 0.05).collect();
        let square: Vec<f64> = t.iter().map(|t| t * t).collect();
        for (t, total) in t.iter().zip(running(parts(&t, &square, (&[], 6)))) {
            assert!((total - t.powi(3) / 3.0).abs() < 1e-12);
        }
        let sine: Vec<f64> = t.iter().map(|t| t.sin()).collect();
        for (through, error) in [(4, 3e-7), (6, 3e-10), (8, 1e-12)] {
            for (t, total) in t.iter().zip(running(parts(&t, &sine, (&[], through)))) {
                assert!((total - (1.0 - t.cos())).abs() < error, "{through}");
            }
        }
        // fewer samples, and samples that do not lie evenly
        assert_eq!(integral(&[], &[], &[]), [0.0; 0]);
        assert_eq!(integral(&[1.0], &[3.0], &[]), [0.0]);
        let uneven = [0.0, 0.1, 0.5, 0.6, 1.0];
        let cubes = uneven.map(|t: f64| t.powi(3));
        for (t, total) in uneven.iter().zip(integral(&uneven, &cubes, &[])) {
            assert!((total - t.powi(4) / 4.0).abs() < 1e-15);
        }
    }

    #[test]
    fn what_an_integral_may_be_off_by_is_no_less_than_it_is() {
        let mut random = fastrand::Rng::with_seed(20_261_127);
        for n in [30, 100, 1000] {
            let t: Vec<f64> = (0..=n)
                .map(|i| 10.0 * f64::from(i) / f64::from(n))
                .collect();
            for _ in 0..40 {
                let (w, p) = (1.0 + 2.0 * random.f64(), 6.0 * random.f64());
                let worst = |y: &dyn Fn(f64) -> f64, whole: &dyn Fn(f64) -> f64| {
                    let values: Vec<f64> = t.iter().map(|t| y(w * t + p)).collect();
                    let (sums, doubt) = judged(&t, &values, &[]);
                    let off = sums
                        .iter()
                        .zip(&t)
                        .map(|(sum, t)| (sum - (whole(w * t + p) - whole(p)) / w).abs());
                    (off.fold(0.0, f64::max), doubt)
                };
                // a kink, a jump, and what is smooth
                let halves = |u: f64| (u / std::f64::consts::PI).floor();
                let (kink, doubt) = worst(&|u| u.sin().abs(), &|u| {
                    2.0 * halves(u) + 1.0 - (u - halves(u) * std::f64::consts::PI).cos()
                });
                assert!(kink < doubt, "{n}: {kink} {doubt}");
                let (jump, doubt) = worst(&|u| u.sin().signum(), &|u| u.cos().acos());
                assert!(jump < doubt, "{n}: {jump} {doubt}");
                let (smooth, doubt) = worst(&f64::sin, &|u| -u.cos());
                assert!(smooth < doubt + 1e-13, "{n}: {smooth} {doubt}");
                if n == 1000 {
                    assert!(doubt < 1e-10);
                }
            }
        }
    }
}
