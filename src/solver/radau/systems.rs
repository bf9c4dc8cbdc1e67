//! The Jacobian of the accelerations, and the linear systems of Newton's method factored for a step.

use super::{NOISE_MOST, PART, Radau};
use crate::geometry::largest;
use crate::solver::linear::{Entry, Lu};
use nalgebra::Complex;

/// da/dx and da/dv over the own coordinates, by rows.
#[derive(Debug, Clone)]
pub(super) struct Jacobian {
    pub(super) x: Vec<f64>,
    pub(super) v: Vec<f64>,
    /// Whether it is of use.
    pub(super) ready: bool,
    /// Whether it was taken at the start of the step.
    pub(super) fresh: bool,
}

/// The linear systems and their room.
#[derive(Debug, Clone)]
pub(super) struct Systems {
    pub(super) real: Lu,
    pub(super) complex: Vec<Lu<Complex<f64>>>,
    /// The h they are factored for; 0 where they are not.
    pub(super) h: f64,
    pub(super) x: Vec<f64>,
    pub(super) v: Vec<f64>,
    pub(super) cx: Vec<Complex<f64>>,
    pub(super) cv: Vec<Complex<f64>>,
    /// The corrections, as the residuals.
    pub(super) change: Vec<f64>,
    /// What rounding of the state does to the own coordinates and then their velocities.
    pub(super) noise: Vec<f64>,
}

impl Radau {
    /// J by differences at the start of the step.
    pub(super) fn differentiate<E>(
        &mut self,
        h: f64,
        f: &mut impl FnMut(f64, &[f64], &mut [f64]) -> Result<(), E>,
    ) -> Result<(), E> {
        let (n, k) = (self.n, self.own.len());
        self.counts.0 += 1;
        self.systems.h = 0.0;
        let kinds = [largest(&self.y[..n]), largest(&self.y[n..])];
        self.stage.copy_from_slice(&self.y);
        for (kind, most) in kinds.into_iter().enumerate() {
            for (j, &coordinate) in self.own.iter().enumerate() {
                let place = kind * n + coordinate;
                let y = self.y[place];
                let size = y
                    .abs()
                    .max((h * self.slope[place]).abs())
                    .max(PART * most)
                    .max(self.tolerance.atol / self.tolerance.rtol);
                // towards where the motion goes; the other way where that cannot be evaluated
                let towards = (h * self.slope[place]).signum();
                let mut delta = (y + towards * f64::EPSILON.sqrt() * size) - y;
                let room = &mut self.k[..2 * n];
                self.stage[place] = y + delta;
                if f(self.step.t, &self.stage, room).is_err() {
                    delta = -delta;
                    self.stage[place] = y + delta;
                    f(self.step.t, &self.stage, room)?;
                }
                self.stage[place] = y;
                let out = if kind == 0 {
                    &mut self.jacobian.x
                } else {
                    &mut self.jacobian.v
                };
                for (i, &row) in self.own.iter().enumerate() {
                    out[i * k + j] = (self.k[n + row] - self.slope[n + row]) / delta;
                }
            }
        }
        self.jacobian.ready = true;
        self.jacobian.fresh = true;
        Ok(())
    }

    /// Factors the linear systems for a step of h; whether they are regular.
    pub(super) fn factor(&mut self, h: f64) -> bool {
        let k = self.own.len();
        self.systems.h = 0.0;
        self.counts.1 += 1 + self.systems.complex.len();
        let Jacobian { x, v, .. } = &self.jacobian;
        let shift = self.tableau.real.value / h;
        let entries = self.systems.real.entries();
        for ((entry, x), v) in entries.iter_mut().zip(x).zip(v) {
            *entry = -v - x / shift;
        }
        for i in 0..k {
            entries[i * k + i] += shift;
        }
        // judged by what can be solved, not by units: stiff systems span many
        let is_regular = |pivot: f64| k == 0 || pivot.is_finite() && pivot > 0.0;
        if !is_regular(self.systems.real.factor()) {
            return false;
        }
        for (lu, mode) in self.systems.complex.iter_mut().zip(&self.tableau.complex) {
            let shift = mode.value / h;
            let inverse = shift.inv();
            let entries = lu.entries();
            for ((entry, x), v) in entries.iter_mut().zip(x).zip(v) {
                *entry = -inverse * *x - *v;
            }
            for i in 0..k {
                entries[i * k + i] += shift;
            }
            if !is_regular(lu.factor()) {
                return false;
            }
        }
        self.systems.h = h;
        self.listen(shift);
        true
    }

    /// What rounding of the coordinates and velocities does to a step: their rounding, times J, filtered.
    fn listen(&mut self, shift: f64) {
        let (n, k) = (self.n, self.own.len());
        // numbers that cancel were as large as the coordinate has been
        let size =
            |place: usize| self.sizes[place].max((self.step.taken * self.slope[place]).abs());
        let sizes = [0, n].map(|first| self.own.iter().map(|k| size(first + k)).collect());
        let [x, v]: [Vec<f64>; 2] = sizes;
        let Self {
            systems, jacobian, ..
        } = self;
        systems.noise.fill(0.0);
        for (columns, sizes) in [(&jacobian.x, &x), (&jacobian.v, &v)] {
            for (j, size) in sizes.iter().enumerate() {
                let rounding = f64::EPSILON * size;
                for (out, row) in systems.v.iter_mut().zip(columns.chunks_exact(k.max(1))) {
                    *out = rounding * row[j];
                }
                systems.real.solve(&mut systems.v);
                let (noise_x, noise_v) = systems.noise.split_at_mut(k);
                for ((x, v), e) in noise_x.iter_mut().zip(noise_v).zip(&systems.v) {
                    *x += (e / shift).abs();
                    *v += e.abs();
                }
            }
        }
        // more than that is no rounding: the error is then told as it is
        let (noise_x, noise_v) = systems.noise.split_at_mut(k);
        for ((noise, v), size) in noise_x.iter_mut().zip(noise_v).zip(&x) {
            let most = NOISE_MOST * size;
            *noise = (*noise + f64::EPSILON * size).min(most);
            *v = v.min(most / self.step.taken.abs());
        }
    }
}

impl Systems {
    /// Solves (shift - J) w = r, r and w in (`x`, `v`).
    pub(super) fn solve_real(&mut self, jacobian: &Jacobian, shift: f64) {
        solved(&self.real, (&mut self.x, &mut self.v), (jacobian, shift));
    }

    /// The same for a complex shift, in (`cx`, `cv`).
    pub(super) fn solve_complex(&mut self, jacobian: &Jacobian, index: usize, shift: Complex<f64>) {
        let lu = &self.complex[index];
        solved(lu, (&mut self.cx, &mut self.cv), (jacobian, shift));
    }
}

fn solved<T: Entry>(lu: &Lu<T>, (x, v): (&mut [T], &mut [T]), (jacobian, shift): (&Jacobian, T)) {
    let k = x.len();
    let inverse = shift.recip();
    for (v, row) in v.iter_mut().zip(jacobian.x.chunks_exact(k.max(1))) {
        let products = row.iter().zip(&*x).map(|(j, x)| x.scale(*j));
        *v += products.sum::<T>() * inverse;
    }
    lu.solve(v);
    for (x, v) in x.iter_mut().zip(&*v) {
        *x = (*x + *v) * inverse;
    }
}
