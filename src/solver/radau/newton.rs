//! Newton's method for the stages of a step: simplified, in the eigenbasis of A^-1.

use super::systems::Systems;
use super::{NEWTON_NOISE, Radau, STILL, add};
use nalgebra::Complex;

/// How Newton's method ended.
pub(super) enum Newton<E> {
    /// After so many corrections.
    Converged(usize),
    /// A step of this size may do.
    Diverged(f64),
    Failed(E),
}

impl Radau {
    /// The start of Newton's method: the collocation polynomial of the last step, carried on.
    pub(super) fn predict(&mut self) {
        let (width, s) = (2 * self.n, self.tableau.stages);
        if !self.history {
            self.z.fill(0.0);
            return;
        }
        for i in 0..s {
            let part = 1.0 + self.tableau.c[i] * self.step.taken / self.span;
            for component in 0..width {
                self.z[i * width + component] =
                    self.polynomial(part, component) - self.polynomial(1.0, component);
            }
        }
    }

    /// Solves for the stages.
    pub(super) fn newton<E>(
        &mut self,
        f: &mut impl FnMut(f64, &[f64], &mut [f64]) -> Result<(), E>,
    ) -> Newton<E> {
        let (n, s, h) = (self.n, self.tableau.stages, self.step.taken);
        let (width, k) = (2 * n, self.own.len());
        let most = Self::corrections(s);
        let mut eta = self.eta.max(f64::EPSILON).powf(0.8);
        let (mut earlier, mut rate) = (0.0, 0.0);
        self.theta = 0.0;
        for turn in 0..most {
            for i in 0..s {
                let z = &self.z[i * width..(i + 1) * width];
                for ((stage, y), z) in self.stage.iter_mut().zip(&self.y).zip(z) {
                    *stage = y + z;
                }
                let at = self.step.time(self.tableau.c[i]);
                let slot = &mut self.k[i * width..(i + 1) * width];
                if let Err(error) = f(at, &self.stage, slot) {
                    return Newton::Failed(error);
                }
            }
            self.residuals();
            self.solve();
            let mut size = 0.0_f64;
            for change in self.systems.change.chunks_exact(2 * k.max(1)) {
                for (j, &coordinate) in self.own.iter().enumerate() {
                    let noise = &self.systems.noise;
                    let least = NEWTON_NOISE / self.exactness;
                    let x = change[j].abs() / (self.scale[coordinate] + least * noise[j]);
                    let v =
                        change[k + j].abs() / (self.scale[n + coordinate] + least * noise[k + j]);
                    if !(x.is_finite() && v.is_finite()) {
                        return Newton::Diverged(0.5 * h);
                    }
                    size = size.max(x).max(v);
                }
            }
            if turn > 0 {
                let ratio = size / earlier;
                self.theta = if turn == 1 {
                    ratio
                } else {
                    (ratio * rate).sqrt()
                };
                rate = ratio;
                let rounding = size <= STILL && ratio >= 0.5;
                if self.theta >= 0.99 && !rounding {
                    return Newton::Diverged(0.5 * h);
                }
                if rounding {
                    self.correct();
                    self.theta = 0.0;
                    self.eta = 1.0;
                    return Newton::Converged(turn + 1);
                }
                eta = self.theta / (1.0 - self.theta);
                let left = (most - 1 - turn) as f64;
                let expected = eta * size * self.theta.powf(left) / self.exactness;
                if expected >= 1.0 && size > STILL {
                    let excess = expected.clamp(1e-4, 20.0);
                    return Newton::Diverged(0.8 * h * excess.powf(-1.0 / (4.0 + left)));
                }
            }
            earlier = size.max(f64::MIN_POSITIVE);
            self.correct();
            if eta * size <= self.exactness || size == 0.0 {
                self.eta = eta;
                return Newton::Converged(turn + 1);
            }
        }
        Newton::Diverged(0.5 * h)
    }

    /// f(y + z_i) - sum_j (A^-1)_ij z_j / h, own components; the others follow from f by quadrature.
    fn residuals(&mut self) {
        let (n, s, h) = (self.n, self.tableau.stages, self.step.taken);
        let (width, k) = (2 * n, self.own.len());
        for i in 0..s {
            let weights = &self.tableau.inverse[i * s..(i + 1) * s];
            for (j, &coordinate) in self.own.iter().enumerate() {
                for (kind, place) in [coordinate, n + coordinate].into_iter().enumerate() {
                    let sum: f64 = (0..s).map(|l| weights[l] * self.z[l * width + place]).sum();
                    self.residual[(2 * i + kind) * k + j] = self.k[i * width + place] - sum / h;
                }
            }
        }
        if k == n {
            return;
        }
        for coordinate in (0..n).filter(|c| !self.own.contains(c)) {
            for place in [coordinate, n + coordinate] {
                for i in 0..s {
                    let weights = &self.tableau.a[i * s..(i + 1) * s];
                    let sum: f64 = (0..s).map(|l| weights[l] * self.k[l * width + place]).sum();
                    self.z[i * width + place] = h * sum;
                }
            }
        }
    }

    /// The corrections for the residuals, eigenvalue by eigenvalue.
    fn solve(&mut self) {
        let (k, h) = (self.own.len(), self.step.taken);
        let Self {
            tableau,
            jacobian,
            systems,
            residual,
            ..
        } = self;
        systems.x.fill(0.0);
        systems.v.fill(0.0);
        for (part, weight) in residual.chunks_exact(2 * k.max(1)).zip(&tableau.real.row) {
            add(*weight, &part[..k], &mut systems.x);
            add(*weight, &part[k..], &mut systems.v);
        }
        systems.solve_real(jacobian, tableau.real.value / h);
        let Systems { x, v, change, .. } = systems;
        for (part, weight) in change
            .chunks_exact_mut(2 * k.max(1))
            .zip(&tableau.real.column)
        {
            for (out, w) in part.iter_mut().zip(x.iter().chain(v.iter())) {
                *out = weight * w;
            }
        }
        for (index, mode) in tableau.complex.iter().enumerate() {
            systems.cx.fill(Complex::new(0.0, 0.0));
            systems.cv.fill(Complex::new(0.0, 0.0));
            for (part, weight) in residual.chunks_exact(2 * k.max(1)).zip(&mode.row) {
                for (w, r) in systems.cx.iter_mut().zip(&part[..k]) {
                    *w += weight * *r;
                }
                for (w, r) in systems.cv.iter_mut().zip(&part[k..]) {
                    *w += weight * *r;
                }
            }
            systems.solve_complex(jacobian, index, mode.value / h);
            // with the conjugate mode: twice the real part
            let Systems { cx, cv, change, .. } = systems;
            for (part, weight) in change.chunks_exact_mut(2 * k.max(1)).zip(&mode.column) {
                for (out, w) in part.iter_mut().zip(cx.iter().chain(cv.iter())) {
                    *out += 2.0 * (weight * w).re;
                }
            }
        }
    }

    /// Adds the corrections.
    fn correct(&mut self) {
        let (n, k) = (self.n, self.own.len());
        let stages = self.z.chunks_exact_mut((2 * n).max(1));
        for (z, change) in stages.zip(self.systems.change.chunks_exact(2 * k.max(1))) {
            for (j, &coordinate) in self.own.iter().enumerate() {
                z[coordinate] += change[j];
                z[n + coordinate] += change[k + j];
            }
        }
    }
}
