//! The neighbourhood of the report, proven: a box round a point on which F is one-to-one.
//!
//! F = (f, x_I, t) is one-to-one on a box X where f is C^1 on all of it and the interval matrix J_D(X)
//! is regular (see [`Chart`]); the box is grown greedily from the point, a side at a time,
//! as long as that can be shown. In the image, the radius round y = f(x) within which g is sure to be
//! defined, the independent coordinates and t kept, is that of Krawczyk's operator on a box of the
//! dependent coordinates: with C an inverse of J_D at the point and r the half-widths of the box,
//!
//! ```text
//! |C| |y - y0| + |1 - C J_D(X)| r < r   =>   f(x_D) = y has exactly one solution in the box.
//! ```
//!
//! Where the independent coordinates and t may move as well, by h, what they move f by is added on the left: |C| |(J_I, f_t)(X)| h.
//! That is a box in (y, x_I, t), a part of `F[N]`.

use super::chart::Chart;
use crate::expr::{Interval, is_over, rounded};
use crate::interval::{Equations, Region, Scratch, as_box, box_of, ends, weighed};
use nalgebra::{DMatrix, DVector};

/// Growth stops at this many times max(1, |x|) from the point.
pub const FARTHEST: f64 = 1000.0;
/// A side no longer grows when it could not by this factor.
const LEAST_GROWTH: f64 = 1.0005;
/// Instructions that growing may cost where nobody waits for the next frame.
pub const GROWTH: usize = 12_000_000;
/// Halvings of the first box.
const SMALLEST: i32 = 45;

/// A box round a point, proven.
#[derive(Clone, Debug, PartialEq)]
pub struct Neighbourhood {
    /// Its sides, the coordinates in order, then t where a constraint depends on it.
    pub sides: Vec<(f64, f64)>,
    /// Sides whose growth was stopped by its bound, lower and upper end.
    pub open_ended: Vec<(bool, bool)>,
    /// Where the independent coordinates and t are those of the point.
    pub image: Option<Image>,
}

/// Values of the constraints for which g is sure to be defined.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    /// A range a constraint, f round its value at the point.
    pub levels: Vec<(f64, f64)>,
    /// Where the values of g then are, in order of the dependent coordinates: Krawczyk's operator maps this box into itself.
    pub place: Vec<(f64, f64)>,
}

/// The point's neighbourhood for these dependent coordinates. `equations` are f in the coordinates and
/// t, `point` their values; `effort` bounds the instructions. `None` where nothing could be proven.
pub fn neighbourhood(
    equations: &Equations,
    chart: &Chart,
    point: &[f64],
    effort: usize,
) -> Option<Neighbourhood> {
    let bounds = point.iter().map(|v| {
        let reach = FARTHEST * v.abs().max(1.0);
        Interval::new(v - reach, v + reach)
    });
    let within: Region = bounds.collect();
    let mut growth = Growth::new((equations, chart), &within, effort);
    let sides = growth.around(&as_box(point))?;
    let open_ended = sides
        .iter()
        .zip(&within)
        .map(|(side, bound)| (side.lo <= bound.lo, side.hi >= bound.hi))
        .collect();
    let shown: Vec<Interval> = sides
        .iter()
        .zip(point)
        .map(|(side, v)| shortened(*side, *v))
        .collect();
    growth.left = effort;
    let image = growth.image(point, &shown, &[]).map(|found| found.0);
    Some(Neighbourhood {
        // what is read off is proven too: a part of the box is
        sides: ends(&shown),
        open_ended,
        image,
    })
}

/// A box in (y, x_I, t) on which g is sure to be defined, with values in a box where F is one-to-one.
#[derive(Clone, Debug, PartialEq)]
pub struct Domain {
    /// Ranges of y, a range a constraint.
    pub levels: Vec<(f64, f64)>,
    /// Ranges of variables that are not dependent: of coordinates, and of t as the last.
    pub sides: Vec<(usize, (f64, f64))>,
}

/// The domain of g round a point, with values in `sides`; `moving` are the variables that may move beside y.
pub fn domain(
    equations: &Equations,
    chart: &Chart,
    (point, moving): (&[f64], &[usize]),
    sides: &[(f64, f64)],
) -> Option<Domain> {
    let mut growth = Growth::new((equations, chart), &[], GROWTH);
    let (image, share) = growth.image(point, &box_of(sides), moving)?;
    let side = |&k: &usize| {
        let side = Interval::new(point[k] - share[k], point[k] + share[k]);
        let short = shortened(side, point[k]);
        (k, (short.lo, short.hi))
    };
    Some(Domain {
        levels: image.levels,
        sides: moving.iter().map(side).collect(),
    })
}

/// The largest box round a seed within bounds on which F is one-to-one, grown greedily; `None` where it
/// could not be shown on the seed.
pub fn grown(
    equations: &Equations,
    chart: &Chart,
    seed: &[Interval],
    within: &[Interval],
) -> Option<Vec<Interval>> {
    Growth::new((equations, chart), within, GROWTH).around(seed)
}

struct Growth<'a> {
    equations: &'a Equations,
    chart: &'a Chart,
    work: Scratch,
    /// instructions left
    left: usize,
    within: &'a [Interval],
}

impl<'a> Growth<'a> {
    fn new(
        (equations, chart): (&'a Equations, &'a Chart),
        within: &'a [Interval],
        effort: usize,
    ) -> Self {
        Self {
            equations,
            chart,
            work: Scratch::default(),
            left: effort,
            within,
        }
    }

    fn holds(&mut self, sides: &[Interval]) -> bool {
        self.spend(self.equations.cost() + self.chart.cost() + 64);
        self.chart
            .is_one_to_one(self.equations, sides, &mut self.work)
    }

    /// Takes so many instructions from what is left; false where that was not enough.
    fn spend(&mut self, instructions: usize) -> bool {
        let left = self.left.checked_sub(instructions);
        self.left = left.filter(|_| !is_over()).unwrap_or(0);
        left.is_some()
    }

    /// The seed with all sides moved out by `part` of their room, at most to the bounds.
    fn inflated(&self, seed: &[Interval], part: f64) -> Vec<Interval> {
        (0..seed.len())
            .map(|k| {
                // a variable that f does not depend on is free
                if !self.equations.contains(k) {
                    return self.within[k].hull(seed[k]);
                }
                let reach = part * seed[k].magnitude().max(1.0);
                self.bounded(k, seed[k].lo - reach, seed[k].hi + reach)
            })
            .collect()
    }

    fn bounded(&self, k: usize, lo: f64, hi: f64) -> Interval {
        let bound = self.within[k];
        Interval::new(lo.max(bound.lo), hi.min(bound.hi))
    }

    fn around(&mut self, seed: &[Interval]) -> Option<Vec<Interval>> {
        if !self.holds(seed) {
            return None;
        }
        // all sides alike first
        let mut sides = None;
        for k in -10..SMALLEST {
            let candidate = self.inflated(seed, 0.5_f64.powi(k));
            if self.holds(&candidate) {
                sides = Some(candidate);
                break;
            }
        }
        let mut sides = sides?;
        // then each end by itself, in turns, by factors that shrink where they fail
        let ends: Vec<(usize, bool)> = (0..sides.len())
            .filter(|k| self.equations.contains(*k))
            .flat_map(|k| [(k, false), (k, true)])
            .collect();
        let mut factors = vec![4.0_f64; ends.len()];
        while self.left > 0 {
            let mut grew = false;
            for (&(k, upper), factor) in ends.iter().zip(&mut factors) {
                if *factor < LEAST_GROWTH || self.left == 0 {
                    continue;
                }
                let Interval { lo: low, hi: high } = self.within[k];
                let old = sides[k];
                let reach = if upper {
                    old.hi - seed[k].hi
                } else {
                    seed[k].lo - old.lo
                };
                if reach <= 0.0 || if upper { old.hi >= high } else { old.lo <= low } {
                    *factor = 1.0;
                    continue;
                }
                sides[k] = if upper {
                    self.bounded(k, old.lo, seed[k].hi + reach * *factor)
                } else {
                    self.bounded(k, seed[k].lo - reach * *factor, old.hi)
                };
                if self.holds(&sides) {
                    grew = true;
                } else {
                    sides[k] = old;
                    *factor = factor.sqrt();
                    grew |= *factor >= LEAST_GROWTH;
                }
            }
            if !grew {
                break;
            }
        }
        Some(sides)
    }

    /// The values of y for which g is sure to have a value in the box, and how far the moving variables may move then.
    fn image(
        &mut self,
        point: &[f64],
        sides: &[Interval],
        moving: &[usize],
    ) -> Option<(Image, Vec<f64>)> {
        const SHARES: [f64; 6] = [1.0, 0.5, 0.25, 0.1, 0.03, 0.01];
        let shares = if moving.is_empty() {
            &SHARES[..1]
        } else {
            &SHARES[..]
        };
        let size = self.chart.dependent.len();
        // entry by entry of a product of two matrices
        let cost = self.equations.cost() + size.pow(3);
        if self.left < cost {
            return None;
        }
        let at = as_box(point);
        let (values, _) = self.equations.values(&at, &mut self.work);
        let (jacobian, _) = self.equations.jacobian(&at, &mut self.work);
        let middle = jacobian.of_columns(&self.chart.dependent).middle()?;
        let inverse = middle.clone().try_inverse()?;
        // a unit of y: what the gradient makes of a unit of the coordinates
        let units: Vec<f64> = (0..size)
            .map(|b| {
                let row = (0..size)
                    .map(|j| middle[(b, j)].abs() * point[self.chart.dependent[j]].abs().max(1.0));
                row.fold(0.0, f64::max)
            })
            .collect();
        let spread = DVector::from_fn(size, |i, _| {
            (0..size)
                .map(|b| inverse[(i, b)].abs() * units[b])
                .sum::<f64>()
        });
        let mut best = 0.0_f64;
        let (mut widest, mut moved) = (0.0_f64, vec![0.0; point.len()]);
        let mut place = Vec::new();
        // the shape of the box is what a change of y makes; its size is tried
        for (k, share) in (-4..40).flat_map(|k| shares.iter().map(move |share| (k, *share))) {
            let scale = 4.0 * 0.7_f64.powi(k);
            let mut trial = at.clone();
            let mut reaches = vec![0.0; point.len()];
            let about = |k: usize, reach: f64| Interval::new(point[k] - reach, point[k] + reach);
            for &m in moving {
                reaches[m] = scale * share * point[m].abs().max(1.0);
                trial[m] = about(m, reaches[m]);
            }
            for (i, &d) in self.chart.dependent.iter().enumerate() {
                trial[d] = about(d, scale * spread[i].max(1e-12 * point[d].abs()));
            }
            let mut trying = moving.iter().chain(&self.chart.dependent);
            if !trying.all(|k| trial[*k].is_within(sides[*k])) {
                continue;
            }
            if !self.spend(cost) {
                break;
            }
            if let Some(radius) = self.radius(&trial, (point, moving), &inverse, &units) {
                let least = if moving.is_empty() {
                    radius
                } else {
                    radius.min(scale * share)
                };
                if least > widest {
                    (widest, best, moved) = (least, radius, reaches);
                    let own = self.chart.dependent.iter().map(|d| trial[*d]);
                    place = own.map(|side| (side.lo, side.hi)).collect();
                }
            }
            if widest > 0.0 && scale < widest {
                break;
            }
        }
        if best <= 0.0 {
            return None;
        }
        // round every value that f may have at the point
        let ranges = values.iter().zip(&units).map(|(y, unit)| {
            let reach = Interval::point(best).mul(Interval::point(*unit)).lo;
            let (from, to) = (Interval::point(y.hi), Interval::point(y.lo));
            let reach = Interval::point(reach);
            let (lo, hi) = (from.sub(reach).hi, to.add(reach).lo);
            let short = shortened(Interval { lo, hi }, y.middle());
            (lo < hi).then_some((short.lo, short.hi))
        });
        let levels = ranges.collect::<Option<_>>()?;
        Some((Image { levels, place }, moved))
    }

    /// The largest rho with rho |C| u + |C| |(J_I, f_t)(X)| h + |1 - C J(X)| r < r, r the half-widths of the box, h those of
    /// the moving variables.
    fn radius(
        &mut self,
        trial: &[Interval],
        (point, moving): (&[f64], &[usize]),
        inverse: &DMatrix<f64>,
        units: &[f64],
    ) -> Option<f64> {
        let size = self.chart.dependent.len();
        if !self.equations.is_smooth(trial, &mut self.work) {
            return None;
        }
        let (jacobian, smooth) = self.equations.jacobian(trial, &mut self.work);
        if !smooth {
            return None;
        }
        let half: Vec<f64> = self
            .chart
            .dependent
            .iter()
            .map(|&d| {
                let at = Interval::point(point[d]);
                let up = Interval::point(trial[d].hi).sub(at).lo;
                up.min(at.sub(Interval::point(trial[d].lo)).lo)
            })
            .collect();
        let off = |k: usize| trial[k].sub(Interval::point(point[k])).magnitude();
        let drift: Vec<Interval> = (0..size)
            .map(|b| {
                moving.iter().fold(Interval::ZERO, |sum, &k| {
                    let slope = Interval::new(0.0, jacobian.at(b, k).magnitude());
                    sum.add(slope.mul(Interval::new(0.0, off(k))))
                })
            })
            .collect();
        let (block, sizes) = (jacobian.of_columns(&self.chart.dependent), inverse.abs());
        let mut radius = f64::INFINITY;
        for i in 0..size {
            let mut rest = Interval::ZERO;
            for (j, &d) in self.chart.dependent.iter().enumerate() {
                // the width to either side, rounded up
                let reach = Interval::new(0.0, off(d));
                rest = rest.add(block.off_one(inverse, (i, j)).mul(reach));
            }
            for (b, drift) in drift.iter().enumerate() {
                rest = rest.add(Interval::point(sizes[(i, b)]).mul(*drift));
            }
            let per_unit = weighed(sizes.row(i), |b| Interval::point(units[b]));
            let room = Interval::point(half[i]).sub(rest).lo;
            if !(room > 0.0 && per_unit.hi > 0.0) {
                return None;
            }
            radius = radius.min(Interval::point(room).div(per_unit).lo);
        }
        // strictly inside
        (radius > 0.0 && radius.is_finite()).then_some(radius * (1.0 - 1e-9))
    }
}

/// The ends rounded inward to as few digits as keep the point inside, four at least.
fn shortened(side: Interval, point: f64) -> Interval {
    // an end at a zero by all but rounding is not told to its last digit
    let least = 1e-6 * side.magnitude().min(2.0 * point.abs());
    let off_zero = |v: f64| {
        if v.abs() < least && v != 0.0 {
            v.signum() * least
        } else {
            v
        }
    };
    let end = |v: f64, upward: bool| {
        let rounded = (4..17).map(|digits| rounded(off_zero(v), digits, upward));
        let mut inside = rounded.filter(|r| {
            if upward {
                *r <= point && *r >= side.lo
            } else {
                *r >= point && *r <= side.hi
            }
        });
        inside.next().unwrap_or(v)
    };
    Interval {
        lo: end(side.lo, true),
        hi: end(side.hi, false),
    }
}
