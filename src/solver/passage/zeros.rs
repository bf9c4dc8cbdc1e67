//! The singular configurations on a passage: zeros of the regularity along its polynomial.

use super::{Doubt, Passage};
use crate::solver::ahead::Ahead;
use crate::solver::minimum::least;

/// Places of the interval between which a zero of the regularity is looked for, and sections of the search for its least value.
const PLACES: usize = 48;
const TURNS: i32 = 60;
/// They are so many times as many where it differs at one from the mean of its neighbours by more than this part of the largest: a
/// motion that is all but a polynomial may be passed with many singular configurations at once.
const FINER: [usize; 4] = [1, 2, 4, 8];
const RESOLVED: f64 = 0.2;
/// A minimum of the regularity below this part of the largest may be a zero.
const LOW: f64 = 1e-3;
/// one below this part of it may become one by a better look,
const UNCLEAR: f64 = 0.1;
/// and each is looked for where it is below this part of it.
const FALLING: f64 = 0.25;
/// A zero of higher order lies in the middle of where the distance is below this part of the largest.
const LEVEL: f64 = 1e-12;
/// The interval is looked at so many places further: what is next to its end is passed with it, or kept off it.
const BEHIND: usize = 14;
/// Zeros nearer than this part of the interval are one.
const SAME: f64 = 1e-6;
/// and those nearer than this, of one row and of all.
const APART: f64 = 1e-4;
/// The singular configuration is this many times the tolerance off the path at most, and two are one that are nearer to
/// each other.
const OFF: f64 = 100.0;

/// A singular configuration that a passage meets.
struct Met {
    /// At which part of the interval.
    part: f64,
    found: Vec<f64>,
    /// How far off the path it is, in times of the doubt.
    off: f64,
}

/// What is seen of the regularity on a polynomial beside the singular configurations on it.
pub(super) struct Zeros {
    /// Whether it seems to vanish in another place.
    pub(super) missed: bool,
    /// Where it seems to vanish next behind the end.
    pub(super) behind: Option<f64>,
}

/// Places in order, those that are the same once.
fn each_once(mut places: Vec<f64>) -> Vec<f64> {
    places.sort_by(f64::total_cmp);
    let mut told = f64::NEG_INFINITY;
    places.retain(|part| {
        let fresh = part - told > SAME;
        told = *part;
        fresh
    });
    places
}

/// The middle of the interval round a place, between two others, where something is not the case; it is so at both.
fn middle((from, to): (f64, f64), place: f64, mut is_so: impl FnMut(f64) -> bool) -> f64 {
    let mut edge = |mut outside: f64| {
        let mut inside = place;
        for _ in 0..TURNS {
            let half = f64::midpoint(inside, outside);
            if is_so(half) {
                outside = half;
            } else {
                inside = half;
            }
        }
        inside
    };
    f64::midpoint(edge(from), edge(to))
}

/// The largest of each of several values.
fn highest(values: &[Vec<f64>]) -> Vec<f64> {
    let mut tops = vec![0.0; values.first().map_or(0, Vec::len)];
    for all in values {
        for (top, value) in tops.iter_mut().zip(all) {
            *top = f64::max(*top, *value);
        }
    }
    tops
}

/// Is each of them next to the mean of its neighbours?
fn are_resolved(values: &[Vec<f64>], tops: &[f64]) -> bool {
    let mut windows = values.windows(3);
    windows.all(|list| {
        let mut rows = tops.iter().enumerate();
        rows.all(|(row, top)| {
            let [before, own, after] = [0, 1, 2].map(|i| list[i][row]);
            (own - f64::midpoint(before, after)).abs() <= RESOLVED * top
        })
    })
}

impl Passage {
    /// Finds the parts of the interval where there are singular configurations, ascending.
    pub(super) fn zeros(&mut self, ahead: &mut Ahead<'_>, doubt: &Doubt<'_>) -> Zeros {
        let n = self.n;
        let mut y = vec![0.0; 2 * n];
        self.interpolate(0.5, &mut y);
        ahead
            .rows
            .stand_wide((self.step.time(0.5), &y[..n]), doubt.sizes, doubt.pace);
        let mut look = |part: f64| {
            self.interpolate(part, &mut y);
            ahead.rows.each(self.step.time(part), &y[..n]).to_vec()
        };
        let (mut places, mut values, mut tops) = (PLACES, Vec::new(), Vec::new());
        for finer in FINER {
            places = finer * PLACES;
            let all = places + finer * BEHIND;
            values = (0..=all).map(|i| look(i as f64 / places as f64)).collect();
            tops = highest(&values);
            if are_resolved(&values[..=places], &tops) {
                break;
            }
        }
        let place = |i: usize| i as f64 / places as f64;
        let rows = tops.len();
        // the product of all falls towards each zero from afar; each row for itself tells zeros next to each other apart
        let measure = |distances: &[f64], row: usize| match distances.get(row) {
            Some(d) => d / tops[row],
            None => distances
                .iter()
                .zip(&tops)
                .map(|(d, top)| d / top)
                .product(),
        };
        let (mut minima, mut unclear) = (Vec::new(), false);
        for row in (0..=rows).rev() {
            let own: Vec<f64> = values.iter().map(|d| measure(d, row)).collect();
            let top = own[..=places].iter().fold(0.0_f64, |top, d| top.max(*d));
            for i in 1..own.len() - 1 {
                if !(own[i] <= own[i - 1] && own[i] < own[i + 1] && own[i] < FALLING * top) {
                    continue;
                }
                let between = (place(i - 1), place(i + 1));
                let (part, d) = least(between, (TURNS, 0.0), |part| measure(&look(part), row));
                if d < LOW * top {
                    let level = (LEVEL * top).max(4.0 * d);
                    let part = middle(between, part, |part| measure(&look(part), row) > level);
                    let apart = if row == rows { 0.0 } else { APART };
                    if minima
                        .iter()
                        .all(|known: &f64| (known - part).abs() > apart)
                    {
                        minima.push(part);
                    }
                } else {
                    unclear |= d < UNCLEAR * top && part < 1.0;
                }
            }
        }
        let (inside, behind): (Vec<f64>, Vec<f64>) =
            each_once(minima).into_iter().partition(|part| *part <= 1.0);
        let places = inside.iter();
        let mut met: Vec<Met> = places
            .filter_map(|part| self.meets(ahead, doubt, *part))
            .collect();
        let missed = met.len() < inside.len() || unclear;
        // two of them may come to one configuration: the nearer one is it
        met.sort_by(|a, b| a.off.total_cmp(&b.off));
        let mut once: Vec<Met> = Vec::new();
        let mut at = vec![0.0; 2 * n];
        for one in met {
            self.interpolate(one.part, &mut y);
            // it may come back to one after a turn
            let same = |other: &Met| {
                let apart = |a: &[f64], b: &[f64]| {
                    let mut pairs = a.iter().zip(b).enumerate().take(n);
                    pairs.any(|(k, (a, b))| (a - b).abs() > OFF * doubt.of(k, self.clearest))
                };
                let parts = [other.part, f64::midpoint(one.part, other.part)];
                let mut others = parts.into_iter().map(|part| {
                    self.interpolate(part, &mut at);
                    apart(&y, &at)
                });
                !apart(&one.found, &other.found) && !others.any(|apart| apart)
            };
            if !once.iter().any(same) {
                once.push(one);
            }
        }
        self.singular = each_once(once.iter().map(|one| one.part).collect());
        Zeros {
            missed,
            behind: behind.first().copied(),
        }
    }

    /// The part of the interval where it comes nearest to the singular configuration that is next to a part of it, where it
    /// meets that one: places that lead to one are one.
    fn meets(&self, ahead: &mut Ahead<'_>, doubt: &Doubt<'_>, mut part: f64) -> Option<Met> {
        let n = self.n;
        let mut y = vec![0.0; 2 * n];
        for _ in 0..3 {
            self.interpolate(part, &mut y);
            let (x, v) = y.split_at(n);
            let place = (self.step.time(part), x);
            let (_, found) = ahead.singular(place, doubt.sizes, doubt.pace)?;
            let off = |k: usize| found[k] - x[k];
            let largest = (0..n).map(|k| off(k).abs() / doubt.of(k, self.clearest));
            let largest = largest.fold(0.0, f64::max);
            let square = |a: f64, b: f64, k: usize| a * b / (doubt.sizes[k] * doubt.sizes[k]);
            let along: f64 = (0..n).map(|k| square(off(k), v[k], k)).sum();
            let speed: f64 = (0..n).map(|k| square(v[k], v[k], k)).sum();
            if speed > 0.0 {
                part += along / speed / self.step.taken;
            }
            if largest <= OFF {
                return Some(Met {
                    part,
                    off: largest,
                    found,
                });
            }
        }
        None
    }
}
