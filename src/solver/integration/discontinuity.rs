//! Where L jumps: with a coordinate, as a potential with `sign(x)`, or with the time.
//!
//! Let L jump where g(x; t) = 0. A motion that goes through there with the same velocity is one (Weierstrass and Erdmann) if
//! what its momenta p = dL/dx' and its energy change by is a multiple of the gradient of g in x and t, but for reactions:
//!
//! ```text
//! (dp - k dg/dx) . d = 0  for all virtual displacements d,    k = dL / (dg/dx . x' + dg/dt)
//! ```
//!
//! with dp and dL the differences across. Otherwise momenta would have to be exchanged there, which no equation of motion says, and
//! the motion ends. Where L jumps with the time alone dg/dx is zero.

use super::{Event, Integration};
use crate::geometry::{Blurred, Constraints, dot};
use crate::solver::dynamics::LagrangianValue;
use crate::solver::error::SolverError;
use crate::solver::linearised::Stop;
use crate::solver::step::larger;
use nalgebra::DMatrix;

/// What differs by less than this part is the same on both sides.
const SAME: f64 = 1e-6;
/// And so is what differs by so many units in the last place of its terms.
const ROUNDED: f64 = 4096.0 * f64::EPSILON;
/// So many parts of a step from the place on either side; further where L has no value, as `x/abs(x)` at 0.
const APART: [f64; 3] = [0.0, 1e-14, 1e-11];
/// Places of a step, in parts of it, at which is seen on which side the motion is.
const PLACES: [f64; 2] = [0.5, 1.0];

impl Integration<'_> {
    /// The first place in the step that was accepted, before what ends it otherwise, at which L jumps so that the velocity would
    /// have to.
    pub(super) fn discontinuity(&mut self, before: Option<Event>) -> Result<Option<Event>, Stop> {
        let dynamics = self.set.problem.dynamics;
        let (start, n) = (self.stepper.start(), self.size.len());
        let mut last = Vec::new();
        dynamics.surfaces(start.t, &start.y[..n], &mut last);
        if last.is_empty() {
            return Ok(before);
        }
        let end = before
            .as_ref()
            .map_or(1.0, |(t, _)| (t - start.t) / self.stepper.taken());
        let mut crossed: Vec<(usize, f64, f64)> = Vec::new();
        let (mut y, mut here) = (vec![0.0; 2 * n], Vec::new());
        let mut from = 0.0;
        for part in PLACES.map(|place| place * end) {
            self.stepper.glance(part, &mut y);
            dynamics.surfaces(self.stepper.time(part), &y[..n], &mut here);
            let sides = last.iter().zip(&here).enumerate();
            let sides = sides.filter(|(_, (a, b))| side(**a) != side(**b));
            crossed.extend(sides.map(|(surface, _)| (surface, from, part)));
            last.clone_from(&here);
            from = part;
        }
        let mut first = before;
        for (surface, from, to) in crossed {
            if let Some(t) = self.wall((surface, from, to))?
                && first
                    .as_ref()
                    .is_none_or(|(other, _)| (t - other) * self.stepper.taken() <= 0.0)
            {
                first = Some((t, Err(SolverError::LagrangianJump { t })));
            }
        }
        Ok(first)
    }

    /// The time before such a place between two parts of the step that are on different sides of a surface.
    fn wall(&mut self, (surface, from, to): (usize, f64, f64)) -> Result<Option<f64>, Stop> {
        let dynamics = self.set.problem.dynamics;
        let n = self.size.len();
        let is_on = |t: f64, y: &[f64]| {
            let mut values = Vec::new();
            dynamics.surfaces(t, &y[..n], &mut values);
            side(values[surface])
        };
        let (t, y) = self.state(from)?;
        let own = is_on(t, &y);
        let (low, high) = self.narrowed((from, to), |_, t, y| Ok(is_on(t, y) != own))?;
        let look = |(t, y): &(f64, Vec<f64>)| {
            let (x, v) = y.split_at(n);
            let found = dynamics.lagrangian(*t, x, v);
            found.filter(|found| found.value[0].is_finite())
        };
        for apart in APART {
            let before = self.state((low - apart).max(from))?;
            let after = self.state((high + apart).min(to))?;
            if let (Some(one), Some(other)) = (look(&before), look(&after)) {
                let (t, y) = &after;
                let jumps = self.momenta_jump((*t, y), [&one, &other], Some(surface));
                return Ok(jumps.then_some(before.0));
            }
        }
        Ok(None)
    }

    /// Would momenta have to be exchanged at (t, y) between L on one side and on the other? Either a surface is between them or,
    /// without one, a time.
    pub(super) fn momenta_jump(
        &self,
        (t, y): (f64, &[f64]),
        sides: [&LagrangianValue; 2],
        surface: Option<usize>,
    ) -> bool {
        let (x, v) = y.split_at(self.size.len());
        let [before, after] = sides;
        let pairs = before.momenta.iter().zip(&after.momenta);
        let change = pairs.map(|(a, b)| {
            let jumps = (b - a).abs() > SAME * (a.abs() + b.abs());
            if jumps { b - a } else { 0.0 }
        });
        let mut change: Vec<f64> = change.collect();
        let mut sizes: Vec<f64> = change.iter().map(|e| e.abs()).collect();
        if let Some(surface) = surface {
            let [[a, rounded], [b, also]] = sides.map(|side| side.value);
            let kinetic = sides.map(|side| dot(&side.momenta, v).abs());
            let nothing = SAME * larger(kinetic[0], kinetic[1]) + ROUNDED * larger(rounded, also);
            let jump = if (b - a).abs() > nothing { b - a } else { 0.0 };
            let (gradient, rate) = &after.surfaces[surface];
            let by = jump / (dot(gradient, v) + rate);
            for ((e, size), slope) in change.iter_mut().zip(&mut sizes).zip(gradient) {
                *e -= by * slope;
                *size += (by * slope).abs();
            }
        }
        if sizes.iter().all(|size| *size == 0.0) {
            return false;
        }
        let n = change.len();
        let displacements = if self.set.count() == 0 {
            DMatrix::identity(n, n)
        } else {
            Blurred::rounded(self.set.rows(t, x).gradients).kernel()
        };
        displacements.column_iter().any(|d| {
            let terms = d.iter().zip(&change).map(|(d, e)| d * e);
            let size = d.iter().zip(&sizes).map(|(d, e)| d.abs() * e);
            terms.sum::<f64>().abs() > SAME * size.sum::<f64>()
        })
    }
}

/// On which side of zero a value is.
fn side(value: f64) -> i8 {
    match value {
        value if value > 0.0 => 1,
        value if value < 0.0 => -1,
        _ => 0,
    }
}
