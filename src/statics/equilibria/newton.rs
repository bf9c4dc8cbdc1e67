//! Places that Newton's method meets: from many starts, and in large systems downhill and by turning what is found.

use super::{Along, Ground, MOST, Root, SAME, clean, unit_vector};
use crate::expr::is_over;
use crate::interval::middles;
use crate::statics::numeric::{Numeric, Settled};
use crate::statics::relax::Sense;
use crate::statics::search::Outcome;
use crate::theorem::scattered_in;
use std::ops::Range;

/// Work of Newton's method from many starts: starts times the cube of the unknowns.
const STARTS_WORK: usize = 20_000_000;
/// Newton starts at most.
const STARTS: usize = 400;
/// Along a direction in which the equations are flat a solution may be off by this part of the region.
const BLURRED: f64 = 1e-7;
/// After as many members of families no more are looked for.
const LOOSE: usize = 12;
/// Work of judging what is found in a large system: equilibria times the cube of the unknowns.
const JUDGED_WORK: usize = 60_000_000;

impl Ground<'_> {
    /// Newton's method from the undecided boxes, the start and scattered points. The singular configurations
    /// to which it came are given.
    pub(super) fn many_starts(
        &self,
        numeric: &Numeric,
        found: &Outcome,
        m: usize,
        places: &mut Vec<Root>,
    ) -> Vec<Vec<f64>> {
        let mut singular = Vec::new();
        let n = self.region.len();
        let count = (STARTS_WORK / (n + m).pow(3).max(1)).min(STARTS);
        let boxes = found.undecided.iter().take(count);
        let middles = boxes.map(|part| middles(part));
        let sides = || self.region.iter().copied();
        let scatter = (0..count as u64).map(|index| scattered_in(sides(), index));
        let starts: Vec<Vec<f64>> = middles.chain([self.usual.clone()]).chain(scatter).collect();
        let mut loose = 0;
        for start in starts {
            if places.len() > MOST || is_over() {
                break;
            }
            let Some(settled) = numeric.settle(&start, &self.widths) else {
                continue;
            };
            self.admit(numeric, settled, &mut loose, LOOSE, (places, &mut singular));
        }
        singular
    }

    /// A large system: downhill and uphill from the start, then what is found with single multipliers, or angles,
    /// turned round.
    pub(super) fn downhill(
        &self,
        numeric: &Numeric,
        rows: &[usize],
        places: &mut Vec<Root>,
    ) -> Vec<Vec<f64>> {
        let mut singular = Vec::new();
        let (n, m) = (self.region.len(), rows.len());
        let most = (JUDGED_WORK / (n + m).pow(3).max(1)).clamp(4, MOST);
        let mut loose = 0;
        let [lowest, highest] =
            [Sense::Down, Sense::Up].map(|way| numeric.relax(&self.usual, &self.widths, way));
        let straight = numeric.settle(&self.usual, &self.widths);
        for settled in [lowest.clone(), highest, straight].into_iter().flatten() {
            self.admit(numeric, settled, &mut loose, 1, (places, &mut singular));
        }
        let Some(lowest) = lowest else {
            return singular;
        };
        let angles = self.periods.iter().map(|(k, period)| (*k, 0.5 * period));
        let angles: Vec<(usize, f64)> = angles.collect();
        let turned = |multipliers: Range<usize>| {
            let mut lambda = lowest.lambda.clone();
            for b in multipliers {
                lambda[b] = -lambda[b];
            }
            numeric.turned(&lowest, &lambda, &self.widths)
        };
        let turned_by = |angles: &[(usize, f64)]| {
            let mut x = lowest.x.clone();
            for (k, half) in angles {
                x[*k] += half;
            }
            numeric.settle(&x, &self.widths)
        };
        // all of them, then one at a time
        let all = turned(0..m);
        let around = (!angles.is_empty()).then(|| turned_by(&angles)).flatten();
        for settled in [all, around].into_iter().flatten() {
            self.admit(numeric, settled, &mut loose, 1, (places, &mut singular));
        }
        for one in 0..m + angles.len() {
            if places.len() >= most || is_over() {
                break;
            }
            let settled = match one.checked_sub(m) {
                None => turned(one..one + 1),
                Some(k) => turned_by(&angles[k..=k]),
            };
            if let Some(settled) = settled {
                self.admit(numeric, settled, &mut loose, 1, (places, &mut singular));
            }
        }
        singular
    }

    /// Takes up a solution that is in the box and not known; of families `most` members at most. One whose
    /// multipliers grow without end is a singular configuration and kept as such.
    fn admit(
        &self,
        numeric: &Numeric,
        mut settled: Settled,
        loose_ones: &mut usize,
        most: usize,
        (places, singular): (&mut Vec<Root>, &mut Vec<Vec<f64>>),
    ) {
        for (k, v) in settled.x.iter_mut().enumerate() {
            *v += self.turns(k, *v);
        }
        let mut sides = settled.x.iter().zip(&self.asked).zip(&self.widths);
        let inside = sides.all(|((v, (lo, hi)), width)| {
            let slack = 1e-9 * width;
            *v >= lo - slack && *v <= hi + slack
        });
        if !inside {
            return;
        }
        if let Some(mut x) = numeric.divergence(&settled, &self.widths) {
            for (k, v) in x.iter_mut().enumerate() {
                *v = clean(*v + self.turns(k, *v));
            }
            self.keep_apart(singular, [x]);
            return;
        }
        if self.is_known(&settled, places) {
            return;
        }
        let loose = numeric.loose(&settled, &self.widths);
        if !loose.is_empty() {
            // residuals vanish before it is reached, and the last step may be nothing
            for (k, c) in settled.correction.iter_mut().enumerate() {
                let part = loose.iter().map(|d| d[k].abs()).fold(0.0, f64::max);
                *c = c.abs().max(BLURRED * part * self.unit(k, settled.x[k]));
            }
            if self.is_known(&settled, places) {
                return;
            }
        }
        let along = numeric.family(&settled, &loose, &self.widths);
        if along.is_some() {
            *loose_ones += 1;
            let families = places.iter().filter(|p| p.along.is_some());
            if *loose_ones > most || self.joins(numeric, &settled, families) {
                return;
            }
        }
        places.push(Root {
            along: along.map(|d| Along::estimated(unit_vector(&d))),
            ..Root::met(settled)
        });
    }

    /// Is a solution one of those known, as far as both may be off?
    fn is_known(&self, settled: &Settled, places: &[Root]) -> bool {
        let blurred = |s: &Settled| {
            let parts = s.correction.iter().zip(&s.x).enumerate();
            parts.fold(0.0_f64, |most, (k, (c, x))| {
                most.max(c.abs() / self.unit(k, *x))
            })
        };
        let own = blurred(settled);
        places.iter().any(|p| {
            let blur = blurred(&p.settled).max(own);
            self.distance(&p.settled.x, &settled.x) <= SAME.max(100.0 * blur).min(1e-2)
        })
    }
}
