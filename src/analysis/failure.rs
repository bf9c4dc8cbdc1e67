//! What a failure of the theorem looks like, and how far the nearest one is.

use super::Model;
use super::check::{Site, search_region};
use crate::expr::{Expr, Interval, SymbolKind};
use crate::interval::{Equations, Region};
use crate::solver::{Flag, FlagKind};
use crate::theorem::{SymbolicDeterminant, Turn, Vanishing, Work, project, scattered, value_at};

/// The position of a flag is known to this part of max(1, |x|).
const FLAGGED: f64 = 1e-7;
/// Steps along the constraints at which the determinant is looked at, in units of max(1, |x|).
const STEPS: [f64; 4] = [1e-4, 1e-3, 4e-3, 1e-2];
/// Factors whose zeros are looked for near a point.
const FACTORS: usize = 8;
/// Systems of more coordinates than this are not searched.
const SEARCHED_UP_TO: usize = 24;

/// Starts from which the nearest failure is looked for, in boxes of these sizes in units of max(1, |x|).
const TRIES: u64 = 3;
const REACHES: [f64; 4] = [0.1, 0.5, 2.5, 10.0];

/// What the position of a flag is known to.
pub(super) fn flagged_to(x: &[f64]) -> Vec<f64> {
    x.iter().map(|v| FLAGGED * v.abs().max(1.0)).collect()
}

/// The nearest place found on the constraints where the choice fails.
#[derive(Clone, Debug)]
pub struct NearestFailure {
    /// The factor of the determinant that is zero there.
    pub factor: Expr,
    /// The place.
    pub point: Vec<f64>,
    /// The largest change of a coordinate to it, in units of max(1, |x|).
    pub distance: f64,
    /// Which coordinate that is.
    pub coordinate: usize,
}

impl Model {
    /// Is a flagged loss of rank one of W = [J; A] alone? The gradients of the constraints are independent then: the
    /// theorem applies, and the multipliers are not determined.
    pub fn is_of_velocities(&self, flag: &Flag) -> bool {
        let system = &self.system;
        if flag.kind != FlagKind::Rank || system.velocity_constraints.is_empty() {
            return false;
        }
        let known_to = flagged_to(&flag.x);
        let local = self.theorem.local(system, flag.t, &flag.x, &known_to);
        local.blurred().rank() == system.constraints.len()
    }

    /// How the branches of g meet at a chart failure; `None` where more than one degree of freedom is left, or
    /// the determinant is zero along the constraints, or it could not be seen.
    pub fn turn(&self, (t, x): (f64, &[f64]), dependent: &[usize]) -> Option<Turn> {
        let n = x.len();
        if n != dependent.len() + 1 {
            return None;
        }
        let units: Vec<f64> = x.iter().map(|v| v.abs().max(1.0)).collect();
        let free = self.directions((t, x), &units)?;
        if free.ncols() != 1 {
            return None;
        }
        let tangent = free.column(0);
        let mut region: Region = search_region(x)
            .into_iter()
            .map(|(lo, hi)| Interval::new(lo, hi))
            .collect();
        region.push(Interval::point(t));
        let mut work = Work::default();
        // at a point off the constraints there is nothing to tell
        let mut here = x.to_vec();
        here.push(t);
        let on = project(&self.bounds().equations, &region, here, &mut work)?;
        let off = |k: usize| (on[k] - x[k]).abs() / units[k];
        if (0..n).any(|k| off(k) > 0.1 * STEPS[0]) {
            return None;
        }
        let mut sign = |step: f64| {
            let mut start: Vec<f64> = (0..n)
                .map(|k| x[k] + step * tangent[k] * units[k])
                .collect();
            start.push(t);
            let at = project(&self.bounds().equations, &region, start, &mut work)?;
            let minor = self
                .theorem
                .local(&self.system, t, &at[..n], &[])
                .minor(dependent);
            (!minor.is_zero).then_some(minor.scaled > 0.0)
        };
        let mut seen = None;
        for step in STEPS {
            let (Some(ahead), Some(behind)) = (sign(step), sign(-step)) else {
                continue;
            };
            let turn = if ahead == behind {
                Turn::InfiniteSlope
            } else {
                Turn::Fold
            };
            if *seen.get_or_insert(turn) != turn {
                return None;
            }
        }
        seen
    }

    /// How the determinant vanishes at a place where only the choice fails.
    pub(super) fn vanishing(
        &self,
        dependent: &[usize],
        determinant: &SymbolicDeterminant,
        site: &Site,
    ) -> Vanishing {
        let system = &self.system;
        let pool = &system.pool;
        let place = |kind: SymbolKind| match kind {
            SymbolKind::Coordinate { index, order: 0 } => site.x[index],
            SymbolKind::Time => site.t,
            _ => f64::NAN,
        };
        // zero by all but rounding
        let is_zero = |f: &Expr| {
            let size = value_at(system, pool.rounding(*f), &place).abs();
            let moved = site.corrections.iter().zip(&system.coordinates);
            let near: f64 = moved
                .map(|(c, own)| (c * value_at(system, pool.derivative(*f, own.x), &place)).abs())
                .sum();
            value_at(system, *f, &place).abs() <= 64.0 * f64::EPSILON * size + near
        };
        let everywhere = determinant.vanishes;
        let turn = (!everywhere).then(|| self.turn((site.t, &site.x), dependent));
        Vanishing {
            factors: determinant
                .factors
                .iter()
                .copied()
                .filter(is_zero)
                .collect(),
            everywhere,
            turn: turn.flatten(),
        }
    }

    /// The nearest place found on the constraints where a factor of the determinant is zero.
    pub(super) fn nearest_failure(
        &self,
        determinant: &SymbolicDeterminant,
        site: &Site,
    ) -> Option<NearestFailure> {
        let system = &self.system;
        let pool = &system.pool;
        let n = site.x.len();
        if n > SEARCHED_UP_TO || n == system.constraints.len() {
            return None;
        }
        let bounds = self.bounds();
        // ever wider round the point: what is found first is about the nearest
        let within = |part: f64| -> Region {
            let sides = site.x.iter().map(|v| {
                let reach = part * v.abs().max(1.0);
                Interval::new(v - reach, v + reach)
            });
            sides.chain([Interval::point(site.t)]).collect()
        };
        let mut start = site.x.clone();
        start.push(site.t);
        let mut best: Option<NearestFailure> = None;
        let constraints = || system.constraints.iter().map(|c| pool.sub(c.f, c.c));
        for &factor in determinant.factors.iter().take(FACTORS) {
            let list: Vec<Expr> = constraints().chain([factor]).collect();
            let both = Equations::new(pool, &bounds.variables, &bounds.constants, &list);
            // where the gradients are dependent Newton's method stands still: it is tried from beside too
            let found = REACHES.iter().find_map(|part| {
                (0..TRIES).find_map(|index| {
                    let mut from = start.clone();
                    for (k, v) in from.iter_mut().enumerate().take(n) {
                        if index > 0 {
                            *v += part * (scattered(index, k) - 0.5) * v.abs().max(1.0);
                        }
                    }
                    project(&both, &within(*part), from, &mut Work::default())
                })
            });
            let Some(mut point) = found else { continue };
            point.truncate(n);
            for v in &mut point {
                if v.abs() < 1e-14 {
                    *v = 0.0; // what rounding left
                }
            }
            let changes = point.iter().zip(&site.x).enumerate();
            let Some((coordinate, distance)) = changes
                .map(|(k, (a, b))| (k, (a - b).abs() / b.abs().max(1.0)))
                .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))
            else {
                continue;
            };
            if best.as_ref().is_none_or(|known| distance < known.distance) {
                best = Some(NearestFailure {
                    factor,
                    point,
                    distance,
                    coordinate,
                });
            }
        }
        best
    }
}
