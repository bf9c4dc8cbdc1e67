//! Where L jumps: with a coordinate, as a potential with `sign(x)`, or with the time.
//!
//! Let L jump where g(x; t) = 0. A motion that goes through there with the same velocity is one (Weierstrass and Erdmann) if
//! what its momenta p = dL/dx' and its energy change by is a multiple of the gradient of g in x and t, but for reactions:
//!
//! ```text
//! c . d = 0  for all virtual displacements d,    c = dp - k dg/dx,    k = dL / (dg/dx . x' + dg/dt)
//! ```
//!
//! with dp and dL the differences across. Otherwise momenta would have to be exchanged there, which no equation of motion says, and
//! the motion ends. Where L jumps with the time alone dg/dx is zero. What is zero is judged by the kinetic energy of the velocity
//! that an impulse c makes, next to that of the motion: this depends on no unit and on no choice of coordinates.

use super::{Event, Grid, Integration};
use crate::geometry::{Blurred, Constraints, dot};
use crate::solver::dynamics::{Instant, LagrangianValue};
use crate::solver::error::SolverError;
use crate::solver::linearised::Stop;
use crate::solver::step::Knot;
use nalgebra::{DMatrix, DVector};

/// An impulse that changes the velocity by less than this part is none.
const SAME: f64 = 1e-6;
/// What L changes by between two states next to each other, in units in the last place of its terms, is no jump;
const ROUNDED: f64 = 4096.0 * f64::EPSILON;
/// nor is what it changes by as much beside them, so many times as far apart.
const WIDER: f64 = 16.0;
/// A surface is not gone through where the velocity across it is less than this part of what it could be.
const ALONG: f64 = 1e-10;
/// So many parts of a step from the place on either side; further where L has no value, as `x/abs(x)` at 0.
const APART: [f64; 3] = [0.0, 1e-14, 1e-11];

/// A surface that is gone through.
struct Crossed {
    surface: usize,
    /// Whether from where its function is positive.
    above: bool,
    /// Between these parts of the step.
    parts: (f64, f64),
}

impl Integration<'_> {
    /// The first place in the step that was accepted, before what ends it otherwise, at which L jumps so that the velocity would
    /// have to. Seen is what is on another side at one of the places that are looked at than at the one before.
    pub(super) fn discontinuity(
        &mut self,
        grid: &Grid,
        before: Option<Event>,
    ) -> Result<Option<Event>, Stop> {
        let dynamics = self.set.problem.dynamics;
        let (start, n) = (self.stepper.start(), self.size.len());
        let (mut last, mut here) = (Vec::new(), Vec::new());
        dynamics.surfaces(start.t, &start.y[..n], &mut last);
        if last.is_empty() {
            return Ok(before);
        }
        let length = self.stepper.taken();
        let end = before.as_ref().map_or(1.0, |(t, _)| (t - start.t) / length);
        let mut places = self.places(grid, &[]);
        places.retain(|part| *part < end);
        places.push(end);
        // what begins on a surface comes from where it was before
        for (value, before) in last.iter_mut().zip(&self.beside) {
            if *value == 0.0 {
                *value = *before;
            }
        }
        let mut crossed: Vec<Crossed> = Vec::new();
        let mut y = vec![0.0; 2 * n];
        let mut since = vec![0.0; last.len()];
        for part in places {
            self.stepper.glance(part, &mut y);
            dynamics.surfaces(self.stepper.time(part), &y[..n], &mut here);
            let sides = here.iter().zip(&mut last).zip(&mut since).enumerate();
            for (surface, ((value, last), since)) in sides {
                if *value == 0.0 {
                    continue;
                }
                if *value * last.signum() < 0.0 {
                    let parts = (*since, part);
                    crossed.push(Crossed {
                        surface,
                        above: *last > 0.0,
                        parts,
                    });
                }
                (*last, *since) = (*value, part);
            }
        }
        let mut first = before;
        for crossed in crossed {
            if let Some(t) = self.wall(&crossed)?
                && first
                    .as_ref()
                    .is_none_or(|(other, _)| (t - other) * length <= 0.0)
            {
                first = Some((t, Box::new(Err(SolverError::LagrangianJump { t }))));
            }
        }
        Ok(first)
    }

    /// Keeps in mind on which side of each surface the step that was taken ends.
    pub(super) fn keep_sides(&mut self) {
        let mut values = Vec::new();
        let Knot { t, y, .. } = self.stepper.end();
        let dynamics = self.set.problem.dynamics;
        dynamics.surfaces(t, &y[..self.size.len()], &mut values);
        self.beside.resize(values.len(), 0.0);
        let sides = self.beside.iter_mut().zip(values);
        for (side, value) in sides.filter(|(_, value)| *value != 0.0) {
            *side = value;
        }
    }

    /// The time before a place where a surface is gone through, if the velocity would have to jump there.
    fn wall(&mut self, crossed: &Crossed) -> Result<Option<f64>, Stop> {
        let Crossed {
            surface,
            above,
            parts: (from, to),
        } = *crossed;
        let dynamics = self.set.problem.dynamics;
        let n = self.size.len();
        let value = |t: f64, y: &[f64]| {
            let mut values = Vec::new();
            dynamics.surfaces(t, &y[..n], &mut values);
            if above {
                values[surface]
            } else {
                -values[surface]
            }
        };
        // it may be zero for a while
        let (low, _) = self.narrowed((from, to), |_, t, y| Ok(value(t, y) <= 0.0))?;
        let (_, high) = self.narrowed((low, to), |_, t, y| Ok(value(t, y) < 0.0))?;
        let look = |(t, y): &(f64, Vec<f64>)| {
            let (x, v) = y.split_at(n);
            let found = dynamics.lagrangian(*t, x, v);
            found.filter(|found| found.value[0].is_finite())
        };
        for apart in APART {
            let (one, other) = ((low - apart).max(from), (high + apart).min(to));
            let wider = (one - WIDER * (other - one)).max(from);
            let [beside, before, after] =
                [self.state(wider)?, self.state(one)?, self.state(other)?];
            if let (Some(beside), Some(one), Some(other)) =
                (look(&beside), look(&before), look(&after))
            {
                let by = (one.value[0] - beside.value[0]).abs();
                // told as a time, its place is rounded once more
                let place = (before.0 - self.stepper.start().t) / self.stepper.taken();
                if look(&self.state(place)?).is_none() {
                    continue;
                }
                let (t, y) = &after;
                let jumps = self.momenta_jump((*t, y), [&one, &other], Some((surface, by)));
                return Ok(jumps.then_some(before.0));
            }
        }
        Ok(None)
    }

    /// Would momenta have to be exchanged at (t, y) between L on one side and on the other? Either a surface is between them, beside
    /// which L changes by so much, or a time.
    pub(super) fn momenta_jump(
        &self,
        (t, y): (f64, &[f64]),
        [before, after]: [&LagrangianValue; 2],
        surface: Option<(usize, f64)>,
    ) -> bool {
        let dynamics = self.set.problem.dynamics;
        let (x, v) = y.split_at(self.size.len());
        let mut at = Instant::of(dynamics);
        dynamics.instant(t, x, v, &mut at);
        let n = x.len();
        let displacements = if self.set.count() == 0 {
            DMatrix::identity(n, n)
        } else {
            Blurred::rounded(self.set.rows(t, x).gradients).kernel()
        };
        // c.(D^T M D)^-1 c, with c along the displacements: twice the energy of the velocity that an impulse makes
        let reduced = (displacements.transpose() * &at.mass * &displacements).lu();
        let energy = |impulse: &[f64]| {
            let along = displacements.tr_mul(&DVector::from_column_slice(impulse));
            let velocity = reduced.solve(&along);
            velocity.map_or(0.0, |velocity| velocity.dot(&along).abs())
        };
        let kinetic = {
            let v = DVector::from_column_slice(v);
            (&at.mass * &v).component_mul(&v).abs().sum()
        };
        let pairs = before.momenta.iter().zip(&after.momenta);
        let mut change: Vec<f64> = pairs.map(|(a, b)| b - a).collect();
        if let Some((surface, beside)) = surface {
            let [[a, rounded], [b, also]] = [before.value, after.value];
            let nothing = ROUNDED * rounded.max(also) + beside;
            let jump = if (b - a).abs() > nothing { b - a } else { 0.0 };
            let (gradient, rate) = &after.surfaces[surface];
            let speed = dot(gradient, v) + rate;
            // constraints may hold the motion on it
            let normal = DVector::from_column_slice(gradient);
            let way = at.mass.clone().lu().solve(&normal);
            let whole = way.map_or(0.0, |way| way.dot(&normal).abs());
            if speed.powi(2) <= ALONG.powi(2) * whole * kinetic {
                return false;
            }
            for (e, slope) in change.iter_mut().zip(gradient) {
                *e -= jump / speed * slope;
            }
        }
        energy(&change) > SAME.powi(2) * kinetic
    }
}
