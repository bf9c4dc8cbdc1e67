//! The search for a position from guesses: from the one given, from points off it, and far beyond it.

use super::{Metric, SOLVED, StartSearch};
use crate::geometry::{Blurred, largest, length_scales, number};
use crate::solver::rank::InUse;
use nalgebra::DVector;

/// A constraint that changes less than this part of its terms along the way to a position is flat there.
const FLAT: f64 = 1e-6;
/// Parts of that way that are gone on.
const ONWARD: [f64; 2] = [0.382, 1.0];
/// A step of this part of the largest coordinate is small.
const NEXT: f64 = 1e-3;
/// Roots of orders up to this are told from what only dies away: all but this part is gone where they are.
const ORDERS: u8 = 8;
const GONE: f64 = 1e-4;
/// Steps from one guess.
const STEPS: usize = 200;
/// Products that a whole search may cost, and the fewest and most steps that are taken for it.
const WORK: usize = 2_000_000_000;
pub(super) const FEWEST: usize = 100;
const MOST: usize = 4000;
/// Guesses tried,
pub(super) const TRIES: usize = 40;
/// and orders of magnitude beyond the first when all of them have failed.
const FAR: i32 = 15;
/// What is found there is looked at so far beside it, in parts of its size, where constraints are about what their slopes tell.
const BESIDE: f64 = 1e-6;
const ABOUT: f64 = 0.1;

impl StartSearch<'_> {
    /// A position that satisfies the constraints, only `unknown` moved; from the first guess that leads
    /// to one.
    pub(super) fn solve(&mut self, first: &[f64], unknown: &[usize]) -> Option<Vec<f64>> {
        let most = largest(first).max(1.0);
        let left = (WORK / (10 * self.m * self.m * self.n).max(1)).clamp(FEWEST, MOST);
        for metric in [Metric::Given, Metric::Alike] {
            (self.metric, self.left) = (metric, left);
            if let Some(x) = self.from(first, unknown) {
                return Some(x);
            }
        }
        self.at(first);
        let w = Blurred::rounded(self.value.jacobian.clone());
        for metric in [Metric::Given, Metric::Alike] {
            (self.metric, self.left) = (metric, left);
            let sizes = match metric {
                Metric::Given => vec![most; self.n],
                Metric::Alike => {
                    let positions = InUse::positions(self.problem, &self.rows);
                    length_scales(&positions, (self.t, first), (&w, &vec![0.0; self.n]))
                }
            };
            for attempt in 1..TRIES {
                if self.left == 0 {
                    break;
                }
                // ever further off the guess, from a tenth of its size to ten times
                let reach = 10_f64.powf(2.0 * attempt as f64 / TRIES as f64 - 1.0);
                if let Some(x) = self.off(first, unknown, (attempt, |k| reach * sizes[k])) {
                    return Some(x);
                }
            }
        }
        // a file in small units that gives no length: what is larger by orders of magnitude
        (self.metric, self.left) = (Metric::Given, left);
        (1..=FAR).find_map(|order| {
            let reach = most * 10_f64.powi(order);
            let x = self.off(first, unknown, (order as usize, |_| reach))?;
            self.passes(&x, unknown).then_some(x)
        })
    }

    /// Does every constraint pass through its level at a position, along its gradient, as its slope tells? What was found far away may
    /// also be where constraints come together, die away, or are rounded.
    fn passes(&mut self, x: &[f64], unknown: &[usize]) -> bool {
        self.at(x);
        let slopes = self.value.jacobian.select_columns(unknown);
        let size = largest(x);
        slopes.row_iter().enumerate().all(|(b, row)| {
            let ways = row.iter().zip(unknown).map(|(w, k)| w * x[*k] * x[*k]);
            let ways: Vec<f64> = ways.collect();
            let part = BESIDE * size / largest(&ways);
            let change: f64 = row.iter().zip(&ways).map(|(w, way)| w * way * part).sum();
            [-1.0, 1.0].into_iter().all(|side| {
                let mut there = x.to_vec();
                for (k, way) in unknown.iter().zip(&ways) {
                    there[*k] += side * part * way;
                }
                self.at(&there);
                // also where it is not a number
                (self.value.residual[b] - side * change).abs() <= ABOUT * change
            })
        })
    }

    /// The position that a guess leads to which is scattered by these ways.
    fn off(
        &mut self,
        first: &[f64],
        unknown: &[usize],
        (attempt, way): (usize, impl Fn(usize) -> f64),
    ) -> Option<Vec<f64>> {
        let mut x = first.to_vec();
        for (i, &k) in unknown.iter().enumerate() {
            x[k] += way(k) * number(i, attempt);
        }
        (self.descend(&mut x, unknown) && !self.dies_away(first, &x)).then_some(x)
    }

    /// Does a constraint only die away on the way to a position, as `exp(x)` and `1 + erf(x)` do towards minus
    /// infinity? It is flat there, and gone on as far again it is still next to nothing: no solution is shown.
    pub(super) fn dies_away(&mut self, first: &[f64], x: &[f64]) -> bool {
        let way: Vec<f64> = x.iter().zip(first).map(|(to, from)| to - from).collect();
        self.at(first);
        let (missed, before) = (self.value.residual.clone(), self.value.scale.clone());
        self.at(x);
        let scale = self.value.scale.zip_map(&before, f64::max);
        let is_flat = |b: &usize| {
            let slopes = self.value.jacobian.row(*b);
            let change: f64 = slopes.iter().zip(&way).map(|(j, d)| (j * d).abs()).sum();
            // also where the guess has no value
            let met = missed[*b].abs() <= SOLVED * scale[*b];
            !met && change <= FLAT * scale[*b]
        };
        let mut flat: Vec<usize> = (0..self.m).filter(is_flat).collect();
        for part in ONWARD {
            if flat.is_empty() {
                break;
            }
            let onward: Vec<f64> = x.iter().zip(&way).map(|(x, d)| x + part * d).collect();
            self.at(&onward);
            flat.retain(|&b| self.value.residual[b].abs() <= SOLVED * scale[b]);
        }
        !flat.is_empty()
    }

    /// The solution that one guess leads to, the nearest to it on its branch.
    pub(super) fn from(&mut self, first: &[f64], unknown: &[usize]) -> Option<Vec<f64>> {
        let mut x = first.to_vec();
        if !self.descend(&mut x, unknown) {
            return None;
        }
        self.approach(first, &mut x, unknown);
        (!self.dies_away(first, &x)).then_some(x)
    }

    /// Gauss-Newton with shortened steps; whether it came to a solution.
    pub(super) fn descend(&mut self, x: &mut [f64], unknown: &[usize]) -> bool {
        self.at(x);
        let mut scale = self.value.scale.clone();
        let mut merit = self.merit(&scale);
        if !merit.is_finite() {
            return false;
        }
        let mut trial = x.to_vec();
        for _ in 0..STEPS {
            self.left = self.left.saturating_sub(1);
            if self.left == 0 {
                break;
            }
            if merit == 0.0 {
                return true;
            }
            let Some(dx) = self.shortest(unknown, &self.value.residual, &scale) else {
                return false;
            };
            let mut part = 1.0;
            let improved = loop {
                for (&k, d) in unknown.iter().zip(&dx) {
                    trial[k] = x[k] - part * d;
                }
                self.at(&trial);
                let size = self.merit(&scale);
                if size < merit * (1.0 - 1e-4 * part) {
                    break Some(size);
                }
                part *= 0.5;
                if part < 1e-6 {
                    break None;
                }
            };
            let Some(size) = improved else {
                self.at(x);
                break;
            };
            x.copy_from_slice(&trial);
            merit = size;
            // terms may grow on the way; what counts is the largest they were
            if self
                .value
                .scale
                .iter()
                .zip(&scale)
                .any(|(new, old)| *new > 2.0 * old)
            {
                scale = scale.sup(&self.value.scale);
                merit = self.merit(&scale);
            }
        }
        let bound = SOLVED * (self.m as f64).sqrt();
        let own = self.value.scale.clone();
        self.merit(&scale) <= bound && (self.merit(&own) <= bound || self.is_next_to(x, unknown))
    }

    /// Whether a small step leads from here to where the constraints hold: next to a multiple root their terms vanish too, and what
    /// is little beside terms that were left behind is little only there. At a root of order k it is k such steps away; of an
    /// exponential each step leaves a part.
    fn is_next_to(&mut self, x: &[f64], unknown: &[usize]) -> bool {
        let (residual, scale) = (&self.value.residual, &self.value.scale);
        let Some(dx) = self.shortest(unknown, residual, scale) else {
            return false;
        };
        let most = largest(x).max(1.0);
        let explains = |b: usize| {
            let slopes = unknown.iter().map(|k| self.value.jacobian[(b, *k)]);
            let change: f64 = slopes.zip(&dx).map(|(j, d)| j * d).sum();
            (residual[b] - change).abs() <= 0.5 * residual[b].abs() + SOLVED * scale[b]
        };
        if dx.amax() > NEXT * most || !(0..self.m).all(explains) {
            return false;
        }
        let own = scale.clone();
        let here = self.merit(&own);
        (1..=ORDERS).any(|order| {
            let mut there = x.to_vec();
            for (&k, d) in unknown.iter().zip(&dx) {
                there[k] -= f64::from(order) * d;
            }
            self.at(&there);
            self.merit(&own) <= GONE * here
        })
    }

    /// Moves a solution along the constraints to the one nearest to the guess.
    fn approach(&mut self, guess: &[f64], x: &mut Vec<f64>, unknown: &[usize]) {
        let origin = x.clone();
        let distance = |x: &[f64]| {
            x.iter()
                .zip(guess)
                .map(|(a, b)| (a - b).powi(2))
                .sum::<f64>()
        };
        let start = distance(&origin);
        for _ in 0..30 {
            self.at(x);
            let scale = self.value.scale.clone();
            let back = DVector::from_fn(self.n, |k, _| guess[k] - x[k]);
            let r = &self.value.residual + &self.value.jacobian * back;
            let Some(dx) = self.shortest(unknown, &r, &scale) else {
                break;
            };
            let mut moved: f64 = 0.0;
            for (&k, d) in unknown.iter().zip(&dx) {
                let next = guess[k] - d;
                moved = moved
                    .max((next - x[k]).abs() / (x[k].abs() + next.abs()).max(f64::MIN_POSITIVE));
                x[k] = next;
            }
            if moved < 1e-13 {
                break;
            }
        }
        if !(self.descend(x, unknown) && distance(x) <= start) {
            x.clone_from(&origin);
        }
    }
}
