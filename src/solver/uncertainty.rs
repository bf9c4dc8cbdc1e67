//! What the tolerances and rounding leave unknown of the coordinates on a motion, and with them of the factors that are watched.

use super::dynamics::{ConstraintValue, Dynamics};
use super::method::RightHandSide;
use super::rank::InUse;
use super::step::{Tolerance, grow};
use crate::geometry::{Evaluation, NewtonBack, Next, rounded, sizes};
use crate::sparse::is_large;

/// A factor may be zero where so many times the tolerance of each coordinate can make it so.
pub(super) const TOUCH: f64 = 10.0;
/// Corrections towards a zero, the part of what is unknown of the coordinates that one which leads there is below, and how many
/// times that is away from it.
const CORRECTIONS: usize = 8;
const NEAR: f64 = 0.1;
const AWAY: f64 = 8.0;
/// A time is rounded by so much of it.
const ROUNDED: f64 = 8.0 * f64::EPSILON;

/// What is unknown along a motion.
pub(super) struct Uncertainty<'a> {
    set: InUse<'a>,
    tolerance: Tolerance,
    /// The largest size of each coordinate so far.
    size: Vec<f64>,
    beside: Beside,
    /// The constraints at a place.
    here: ConstraintValue,
}

/// Factors next to a place.
struct Beside {
    values: Vec<f64>,
    place: Vec<f64>,
}

impl Beside {
    /// sum |change of factor j where each coordinate that it depends on changes by its spread|, and t by rounding.
    fn change(
        &mut self,
        (dynamics, rhs): (&dyn Dynamics, &mut RightHandSide<'_>),
        (t, x): (f64, &[f64]),
        j: usize,
        spread: impl Fn(usize) -> f64,
    ) -> f64 {
        let Self { values, place } = self;
        let mut value = |t: f64, x: &[f64]| {
            rhs.factors_at(t, x, values);
            values.get(j).copied().unwrap_or(0.0)
        };
        let here = value(t, x);
        let mut sum = 0.0;
        let mut add = |there: f64| {
            let change = (there - here).abs();
            sum += if change.is_finite() { change } else { 0.0 };
        };
        place.copy_from_slice(x);
        let mut change = |k: usize| {
            place[k] = x[k] + spread(k);
            add(value(t, place));
            place[k] = x[k];
        };
        match dynamics.factor_depends_on(j) {
            Some(list) => list.iter().for_each(|k| change(*k)),
            None => (0..x.len()).for_each(change),
        }
        if dynamics.may_move() {
            add(value(t + ROUNDED * t.abs(), x));
        }
        sum
    }
}

impl<'a> Uncertainty<'a> {
    /// Of a motion that begins.
    pub(super) fn new(set: InUse<'a>, tolerance: Tolerance) -> Self {
        let (n, _) = set.problem.shape();
        Self {
            set,
            tolerance,
            size: vec![0.0; n],
            beside: Beside {
                values: Vec::new(),
                place: vec![0.0; n],
            },
            here: ConstraintValue::of(set.dynamics()),
        }
    }

    /// The motion comes to a position.
    pub(super) fn grow(&mut self, x: &[f64]) {
        grow(&mut self.size, x);
    }

    /// So many times the tolerance of each coordinate.
    pub(super) fn spread(&self, times: f64) -> Vec<f64> {
        let own = |size: &f64| times * self.tolerance.of(*size);
        self.size.iter().map(own).collect()
    }

    /// The same at a place, where no coordinate is known better than rounding lets the constraints tell it: near a
    /// place without a gradient they tell little.
    pub(super) fn spread_at(&mut self, at: (f64, &[f64]), times: f64) -> Vec<f64> {
        let mut spread = self.spread(times);
        for (spread, rounded) in spread.iter_mut().zip(self.rounded(at)) {
            *spread = spread.max(rounded);
        }
        spread
    }

    /// Whether rounding leaves more unknown of a place than that.
    pub(super) fn is_blurred(&mut self, at: (f64, &[f64]), times: f64) -> bool {
        let mut pairs = self.rounded(at).into_iter().zip(&self.size);
        pairs.any(|(rounded, size)| rounded > times * self.tolerance.of(*size))
    }

    /// What rounding of the constraints leaves unknown of each coordinate; nothing is worked out for many.
    fn rounded(&mut self, (t, x): (f64, &[f64])) -> Vec<f64> {
        let Self {
            set, here, size, ..
        } = self;
        if is_large(set.rows.len(), x.len()) {
            return Vec::new();
        }
        set.dynamics().constraint(t, x, here);
        let unit = sizes(size);
        if set.rows.len() == here.scale.len() {
            return rounded((&here.jacobian, &here.scale), &unit);
        }
        let some = here.jacobian.select_rows(set.rows);
        rounded((&some, &here.scale.select_rows(set.rows)), &unit)
    }

    /// What is unknown of factor j at a place of which each coordinate is known to its spread.
    pub(super) fn doubt(
        &mut self,
        rhs: &mut RightHandSide<'_>,
        at: (f64, &[f64]),
        j: usize,
        spread: &[f64],
    ) -> f64 {
        let of = (self.set.dynamics(), rhs);
        self.beside.change(of, at, j, |k| spread[k])
    }

    /// What the tolerance of each coordinate leaves unknown of factor j at a place.
    pub(super) fn tolerated(
        &mut self,
        rhs: &mut RightHandSide<'_>,
        at: (f64, &[f64]),
        j: usize,
    ) -> f64 {
        let (tolerance, size) = (self.tolerance, &self.size);
        let of = (self.set.dynamics(), rhs);
        self.beside.change(of, at, j, |k| tolerance.of(size[k]))
    }

    /// What is unknown of factor j at a place where it is g, and of each coordinate there: by the tolerances or, where g is beyond
    /// that, by rounding.
    pub(super) fn unknown_of(
        &mut self,
        rhs: &mut RightHandSide<'_>,
        at: (f64, &[f64]),
        (j, g): (usize, f64),
    ) -> (f64, Vec<f64>) {
        let widths = self.spread(TOUCH);
        let doubt = self.doubt(rhs, at, j, &widths);
        if g.abs() <= doubt {
            return (doubt, widths);
        }
        let widths = self.spread_at(at, TOUCH);
        (self.doubt(rhs, at, j, &widths), widths)
    }

    /// Whether factor j may be zero where the constraints hold, next to a place of which each coordinate is known to its width: no
    /// step of Newton's method leads away from it. On x y = 1e-8 no x is zero, however small.
    pub(super) fn is_met(
        &mut self,
        rhs: &mut RightHandSide<'_>,
        (t, x): (f64, &[f64]),
        j: usize,
        widths: &[f64],
    ) -> bool {
        let (n, r) = (x.len(), self.set.rows.len());
        let newton = NewtonBack {
            widths,
            longest: 2.0 * AWAY,
            cut: f64::EPSILON,
            steps: CORRECTIONS,
        };
        let dynamics = self.set.dynamics();
        let depends = dynamics.factor_depends_on(j);
        let mut value = |x: &[f64]| {
            rhs.factors_at(t, x, &mut self.beside.values);
            self.beside.values.get(j).copied()
        };
        let (here, mut moved) = (&mut self.here, vec![0.0; n]);
        let mut leads_away = false;
        let look = |at: &[f64]| {
            dynamics.constraint(t, at, here);
            moved.copy_from_slice(at);
            // all constraints are in use where there is a watch
            let mut residual = here.residual.clone().resize_vertically(r + 1, value(at)?);
            let mut gradients = here.jacobian.clone().resize_vertically(r + 1, 0.0);
            for k in (0..n).filter(|k| depends.is_none_or(|own| own.contains(k))) {
                let mut side = |by: f64| {
                    moved[k] = at[k] + by * widths[k];
                    value(&moved)
                };
                gradients[(r, k)] = (side(1.0)? - side(-1.0)?) / (2.0 * widths[k]);
                moved[k] = at[k];
            }
            // rows of about one
            for b in 0..=r {
                let mut row = gradients.row_mut(b);
                let pairs = row.iter().zip(widths);
                let size: f64 = pairs.map(|(e, width)| (e * width).abs()).sum();
                if size > 0.0 {
                    row.scale_mut(size.recip());
                    residual[b] /= size;
                }
            }
            let mut pairs = at.iter().zip(x).zip(widths);
            leads_away = pairs.any(|((at, x), width)| (at - x).abs() > AWAY * width);
            Some(Evaluation {
                residual,
                gradients,
            })
        };
        newton.run(x.to_vec(), look, |step| match step.length {
            length if length <= NEAR => Next::Here,
            _ => Next::Go,
        });
        !leads_away
    }
}
