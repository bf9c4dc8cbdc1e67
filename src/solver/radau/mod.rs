//! Radau's implicit Runge-Kutta methods of type IIA, of order 5 and 9: collocation at s Radau nodes,
//! stable for every step where the motion is stiff.
//!
//! With z_i the change of y to the stage at t + c_i h,
//!
//! ```text
//! sum_j (A^-1)_ij z_j / h = f(t + c_i h, y + z_i)        y_new = y + z_s
//! ```
//!
//! by Newton's method with one Jacobian J for all stages. Over the eigenvalues g of A^-1 it falls into a
//! real and (s - 1)/2 complex systems (g/h - J) w = r. The equations are of second order, x' = v and
//! v' = a(t, x, v), so that each system is one for velocities only, a quarter of the size:
//!
//! ```text
//! (s - J_v - J_x / s) w_v = r_v + J_x r_x / s,    w_x = (r_x + w_v) / s,    s = g/h
//! ```
//!
//! Components that the right-hand side does not depend on (the dependent coordinates of a chart, which
//! it solves for itself) follow by quadrature. J is taken by differences, and kept with its factors
//! while Newton's method converges fast. The error estimate is that of an embedded formula of order s,
//! filtered by (1 - h b0 J)^-1; what rounding the coordinates makes of it (a stiff force magnifies it)
//! is added to the tolerance: no step could do better. Step sizes are predicted from the last two errors (Gustafsson); the
//! dense output is the collocation polynomial. Source: Hairer and Wanner, *Solving Ordinary
//! Differential Equations II*, section IV.8, and the codes RADAU5 and RADAU.

mod newton;
mod systems;
mod tableau;
#[cfg(test)]
mod tests;

use nalgebra::Complex;

use super::linear::Lu;
use super::step::{Attempt, Knot, Step, Tolerance, first_step};
use newton::Newton;
use systems::{Jacobian, Systems};
use tableau::Tableau;

/// The step size that is tried next is this part of the one that would just do.
const SAFETY: f64 = 0.9;
/// A step is shortened at most by this factor.
const SHRINK: f64 = 5.0;
/// A step is lengthened at most by this factor.
const GROW: f64 = 8.0;
/// A step is left as it is, with its factors, where the next could be longer by less than this.
const KEEP: f64 = 1.2;
/// The Jacobian is kept while the corrections shrink at least by this factor.
const FAST: f64 = 1e-3;
/// Corrections of this part of the tolerance that shrink no further are rounding.
const STILL: f64 = 1e-2;
/// Newton's method does not get below so many times what rounding the coordinates does,
const NEWTON_NOISE: f64 = 2.0;
/// nor does the error estimate below so many times.
const ERROR_NOISE: f64 = 10.0;
/// Rounding is no more than this part of the largest coordinate.
const NOISE_MOST: f64 = 1e-7;
/// From this relative tolerance on 3 stages are cheaper than 5.
const LOOSE: f64 = 1e-3;
/// A difference quotient takes a step of no less than this part of the largest coordinate or velocity.
const PART: f64 = 1e-3;

/// The stepper: one step in memory, from (t, y) to (`t_new`, `y_new`), y = (x, v).
#[derive(Debug, Clone)]
pub(super) struct Radau {
    /// The number of coordinates.
    n: usize,
    /// The coordinates that the right-hand side depends on.
    own: Vec<usize>,
    tableau: Tableau,
    tolerance: Tolerance,
    /// Newton's method ends where the error left is this part of the tolerance.
    exactness: f64,
    pub(super) step: Step,
    y: Vec<f64>,
    slope: Vec<f64>,
    y_new: Vec<f64>,
    slope_new: Vec<f64>,
    /// Changes of y to the stages, stage by stage.
    z: Vec<f64>,
    /// Right-hand sides at the stages.
    k: Vec<f64>,
    /// Residuals, for the own coordinates and then their velocities, stage by stage.
    residual: Vec<f64>,
    /// Divided differences of the collocation polynomial of the last step that was accepted.
    dense: Vec<f64>,
    /// The size of that step.
    span: f64,
    /// Whether that step ends where this one starts.
    history: bool,
    stage: Vec<f64>,
    scale: Vec<f64>,
    /// The largest that each coordinate and velocity has been.
    sizes: Vec<f64>,
    jacobian: Jacobian,
    systems: Systems,
    /// The rate of convergence of Newton's method in the last step, and what follows from it.
    theta: f64,
    eta: f64,
    /// Error and size of the last two steps: that in memory and the one before.
    error: f64,
    before: Option<(f64, f64)>,
    /// Jacobians taken and matrices factored so far.
    counts: (usize, usize),
}

impl Radau {
    /// A stepper for n coordinates, at rest at zero; `own` are those that the right-hand side
    /// depends on. None where the coefficients cannot be computed.
    pub(super) fn new(n: usize, own: &[usize], tolerance: Tolerance) -> Option<Self> {
        let stages = if tolerance.rtol >= LOOSE { 3 } else { 5 };
        Self::with_stages(stages, (n, own), tolerance)
    }

    fn with_stages(
        stages: usize,
        (n, own): (usize, &[usize]),
        tolerance: Tolerance,
    ) -> Option<Self> {
        let tableau = Tableau::new(stages)?;
        let k = own.len();
        let rtol = tolerance.rtol;
        let systems = Systems {
            real: Lu::new(k),
            complex: vec![Lu::new(k); stages / 2],
            h: 0.0,
            x: vec![0.0; k],
            v: vec![0.0; k],
            cx: vec![Complex::new(0.0, 0.0); k],
            cv: vec![Complex::new(0.0, 0.0); k],
            change: vec![0.0; stages * 2 * k],
            noise: vec![0.0; 2 * k],
        };
        Some(Self {
            n,
            own: own.to_vec(),
            tableau,
            tolerance,
            exactness: (10.0 * f64::EPSILON / rtol).max(rtol.sqrt().min(0.03)),
            step: Step::default(),
            y: vec![0.0; 2 * n],
            slope: vec![0.0; 2 * n],
            y_new: vec![0.0; 2 * n],
            slope_new: vec![0.0; 2 * n],
            z: vec![0.0; stages * 2 * n],
            k: vec![0.0; stages * 2 * n],
            residual: vec![0.0; stages * 2 * k],
            dense: vec![0.0; stages * 2 * n],
            span: 0.0,
            history: false,
            stage: vec![0.0; 2 * n],
            scale: vec![0.0; 2 * n],
            sizes: vec![0.0; 2 * n],
            jacobian: Jacobian {
                x: vec![0.0; k * k],
                v: vec![0.0; k * k],
                ready: false,
                fresh: false,
            },
            systems,
            theta: 0.0,
            eta: 1.0,
            error: 1.0,
            before: None,
            counts: (0, 0),
        })
    }

    /// Sets the start and the first step towards `end`: the one given, or Hairer's rule.
    pub(super) fn begin<E>(
        &mut self,
        (t, y): (f64, &[f64]),
        (end, first): (f64, Option<f64>),
        f: &mut impl FnMut(f64, &[f64], &mut [f64]) -> Result<(), E>,
    ) -> Result<(), E> {
        self.step.restart(t);
        self.y.copy_from_slice(y);
        self.y_new.copy_from_slice(y);
        self.history = false;
        self.before = None;
        self.depends_on(None);
        f(t, y, &mut self.slope)?;
        self.slope_new.copy_from_slice(&self.slope);
        self.step.next = first.unwrap_or_else(|| {
            first_step(
                Knot::new(t, y, &self.slope),
                (end, self.tolerance),
                1.0 / (self.tableau.stages as f64 + 1.0),
                (&mut self.stage, &mut self.slope_new),
                f,
            )
        });
        Ok(())
    }

    /// The right-hand side is another one from the start of the next step on; it depends on these
    /// coordinates (as many as before), or on the same.
    pub(super) fn depends_on(&mut self, own: Option<&[usize]>) {
        if let Some(own) = own.filter(|own| own.len() == self.own.len()) {
            self.own.copy_from_slice(own);
        }
        self.jacobian.ready = false;
        self.systems.h = 0.0;
    }

    /// Tries a step towards `end` with the step size that is set.
    pub(super) fn attempt<E>(
        &mut self,
        end: f64,
        f: &mut impl FnMut(f64, &[f64], &mut [f64]) -> Result<(), E>,
    ) -> Attempt<E> {
        if self.step.accepted {
            self.y.copy_from_slice(&self.y_new);
            self.slope.copy_from_slice(&self.slope_new);
            self.jacobian.fresh = false;
            self.before = Some((self.step.taken, self.error.max(1e-2)));
        }
        let last = self.step.set_out(end);
        let h = self.step.taken;
        let own = self.scale.iter_mut().zip(&mut self.sizes);
        for ((scale, size), y) in own.zip(&self.y) {
            *scale = self.tolerance.of(*y);
            *size = size.max(y.abs());
        }
        if !self.jacobian.ready
            && let Err(error) = self.differentiate(h, f)
        {
            return self.failed(error);
        }
        if self.systems.h != h && !self.factor(h) {
            self.refuse();
            return Attempt::Rejected;
        }
        self.predict();
        let corrections = match self.newton(f) {
            Newton::Converged(corrections) => corrections,
            Newton::Diverged(next) => {
                // an old Jacobian may be to blame
                self.step.reject(if self.jacobian.fresh { next } else { h });
                self.jacobian.ready = self.jacobian.fresh;
                return Attempt::Rejected;
            }
            Newton::Failed(error) => return self.failed(error),
        };
        let (n, s) = (self.n, self.tableau.stages);
        let ends = self.z[(s - 1) * 2 * n..].iter();
        for ((new, y), z) in self.y_new.iter_mut().zip(&self.y).zip(ends) {
            *new = y + z;
        }
        let error = match self.estimate(f) {
            Ok(error) => error,
            Err(error) => return self.failed(error),
        };
        let exponent = 1.0 / (s as f64 + 1.0);
        let most = Self::corrections(s) as f64;
        let safety = SAFETY * (2.0 * most + 1.0) / (2.0 * most + corrections as f64);
        let bounded = |part: f64| part.clamp(1.0 / GROW, SHRINK);
        if error >= 1.0 || !error.is_finite() {
            let part = if error.is_finite() {
                bounded(error.powf(exponent) / safety.min(SAFETY))
            } else {
                SHRINK
            };
            self.step.reject(h / part);
            if !self.jacobian.fresh && self.theta > FAST {
                self.jacobian.ready = false;
            }
            return Attempt::Rejected;
        }
        let mut part = bounded(error.powf(exponent) / safety.min(SAFETY));
        if let Some((size, earlier)) = self.before {
            let trend = (size / h).abs() * (error * error / earlier).powf(exponent) / SAFETY;
            part = part.max(bounded(trend));
        }
        if self.step.after_rejection {
            part = part.max(1.0);
        }
        self.error = error;
        // a step cut short by the end says nothing against the step that was set
        if last && h.abs() / part < self.step.next.abs() {
            return Attempt::Proposed;
        }
        if self.theta > FAST {
            self.jacobian.ready = false;
            self.systems.h = 0.0;
        }
        self.step.next = if part <= 1.0 && part * KEEP >= 1.0 && self.theta <= FAST {
            h
        } else {
            h / part
        };
        Attempt::Proposed
    }

    fn failed<E>(&mut self, error: E) -> Attempt<E> {
        self.step.reject(0.5 * self.step.taken);
        Attempt::Failed(error)
    }

    /// Takes the proposed step: `f` may move `y_new`, and gives the derivative there.
    pub(super) fn accept<E>(
        &mut self,
        f: &mut impl FnMut(f64, &mut [f64], &mut [f64]) -> Result<(), E>,
    ) -> Result<(), E> {
        if let Err(error) = f(self.step.t_new, &mut self.y_new, &mut self.slope_new) {
            self.refuse();
            return Err(error);
        }
        // divided differences over 0, c_1, ..., c_s; the last node is the state as it was moved
        let (width, s) = (2 * self.n, self.tableau.stages);
        let c = &self.tableau.c;
        self.dense.copy_from_slice(&self.z);
        let ends = self.dense[(s - 1) * width..].iter_mut();
        for ((end, new), y) in ends.zip(&self.y_new).zip(&self.y) {
            *end = new - y;
        }
        for order in 1..=s {
            // those of this order are in place from entry `order` - 1 on
            for i in (order - 1..s).rev() {
                let left = if i + 1 == order { 0.0 } else { c[i - order] };
                for component in 0..width {
                    let below = if i == 0 {
                        0.0
                    } else {
                        self.dense[(i - 1) * width + component]
                    };
                    let value = &mut self.dense[i * width + component];
                    *value = (*value - below) / (c[i] - left);
                }
            }
        }
        self.span = self.step.taken;
        self.history = true;
        self.step.accept();
        Ok(())
    }

    /// Takes back the step in memory: half of it is tried next.
    pub(super) fn refuse(&mut self) {
        self.history &= !self.step.accepted;
        self.step.refuse();
    }

    /// Takes back the step in memory: the same one is tried again, with another right-hand side.
    pub(super) fn again(&mut self) {
        self.history &= !self.step.accepted;
        self.step.again();
    }

    /// y at the part `part` of the step that was accepted.
    pub(super) fn interpolate(&self, part: f64, out: &mut [f64]) {
        for (component, (o, y)) in out.iter_mut().zip(&self.y).enumerate() {
            *o = y + self.polynomial(part, component);
        }
    }

    /// The change of a component by the collocation polynomial.
    fn polynomial(&self, part: f64, component: usize) -> f64 {
        let (width, s) = (2 * self.n, self.tableau.stages);
        let mut value = self.dense[(s - 1) * width + component];
        for i in (0..s - 1).rev() {
            value = self.dense[i * width + component] + (part - self.tableau.c[i]) * value;
        }
        part * value
    }

    /// (t, y, y') at the start of the step in memory.
    pub(super) fn start(&self) -> Knot<'_> {
        Knot::new(self.step.t, &self.y, &self.slope)
    }

    /// (t, y, y') at the end of the step in memory; y' once it is accepted.
    pub(super) fn end(&self) -> Knot<'_> {
        Knot::new(self.step.t_new, &self.y_new, &self.slope_new)
    }

    /// The order of the steps.
    pub(super) fn order(&self) -> usize {
        2 * self.tableau.stages - 1
    }

    /// Jacobians taken and matrices factored so far.
    pub(super) fn counts(&self) -> (usize, usize) {
        self.counts
    }

    /// Corrections after which Newton's method is given up.
    fn corrections(stages: usize) -> usize {
        7 + 5 * (stages - 3) / 2
    }

    /// The error of the step in units of the tolerance: that of the worst own component.
    fn estimate<E>(
        &mut self,
        f: &mut impl FnMut(f64, &[f64], &mut [f64]) -> Result<(), E>,
    ) -> Result<f64, E> {
        for ((scale, y), new) in self.scale.iter_mut().zip(&self.y).zip(&self.y_new) {
            *scale = self.tolerance.of(y.abs().max(new.abs()));
        }
        let error = self.filtered(0);
        if error < 1.0 || (self.before.is_some() && !self.step.after_rejection) {
            return Ok(error);
        }
        // once more, at the place that the estimate leads to: it damps what is stiff
        self.stage.copy_from_slice(&self.y);
        for (j, &coordinate) in self.own.iter().enumerate() {
            self.stage[coordinate] += self.systems.x[j];
            self.stage[self.n + coordinate] += self.systems.v[j];
        }
        if !self.stage.iter().all(|e| e.is_finite()) {
            return Ok(f64::NAN);
        }
        f(self.step.t, &self.stage, &mut self.k[..2 * self.n])?;
        Ok(self.filtered(1))
    }

    /// (g/h - J)^-1 (f + g/h sum e_i z_i), f at the start of the step (turn 0) or in `self.k` (turn 1).
    fn filtered(&mut self, turn: usize) -> f64 {
        let (n, k) = (self.n, self.own.len());
        let shift = self.tableau.real.value / self.step.taken;
        let slope = if turn == 0 {
            &self.slope
        } else {
            &self.k[..2 * n]
        };
        for (j, &coordinate) in self.own.iter().enumerate() {
            let value = |place: usize| {
                let stages = self.z.chunks_exact(2 * n);
                let sum: f64 = stages.zip(&self.tableau.e).map(|(z, e)| e * z[place]).sum();
                slope[place] + shift * sum
            };
            self.systems.x[j] = value(coordinate);
            self.systems.v[j] = value(n + coordinate);
        }
        self.systems.solve_real(&self.jacobian, shift);
        let mut worst = 0.0_f64;
        for (j, &coordinate) in self.own.iter().enumerate().take(k) {
            let noise = &self.systems.noise;
            let x = self.systems.x[j].abs() / (self.scale[coordinate] + ERROR_NOISE * noise[j]);
            let v =
                self.systems.v[j].abs() / (self.scale[n + coordinate] + ERROR_NOISE * noise[k + j]);
            if !(x.is_finite() && v.is_finite()) {
                return f64::NAN;
            }
            worst = worst.max(x).max(v);
        }
        // what follows by quadrature, unfiltered: positions only, for accelerations may be stiff
        if k < n {
            for place in (0..n).filter(|c| !self.own.contains(c)) {
                let stages = self.z.chunks_exact(2 * n);
                let sum: f64 = stages.zip(&self.tableau.e).map(|(z, e)| e * z[place]).sum();
                let error = (self.slope[place] / shift + sum).abs() / self.scale[place];
                if error.is_nan() {
                    return error;
                }
                worst = worst.max(error);
            }
        }
        worst.max(1e-10)
    }
}

/// out += weight y.
fn add(weight: f64, y: &[f64], out: &mut [f64]) {
    for (o, e) in out.iter_mut().zip(y) {
        *o += weight * e;
    }
}
