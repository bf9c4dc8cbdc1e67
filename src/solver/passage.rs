//! The passage of a singular configuration along the smooth continuation of the motion.
//!
//! Where the gradients of the constraints become dependent the equations do not determine the
//! accelerations, and branches of the constraint set may cross. A motion that is smooth there is
//! determined by its values on both sides: the accelerations over a symmetric interval round the
//! singular configuration are a polynomial that takes the right values at s = 8 Gauss nodes, none of which
//! is in the middle,
//!
//! ```text
//! a(t_0 + tau h) = sum_k alpha_k P_k(2 tau - 1)        alpha_k = (2 k + 1) sum_i b_i P_k(2 c_i - 1) a_i
//! ```
//!
//! with x' and x its integrals: Gauss collocation of order 16 (Hairer, Norsett, Wanner, *Solving Ordinary
//! Differential Equations I*, section II.7). `a_i` are d'Alembert's at the position of the node brought
//! on to the constraints the shortest way, by fixed point iteration from the extrapolated motion. It stands
//! only if
//!
//! - the iteration converges, and the polynomial lies on the constraints, in position and velocity, to
//!   the tolerance: a motion that turns off on to another branch has a kink that no polynomial follows;
//! - the regularity of [`super::ahead`] changes sign once, or not at all if it did not where the path was
//!   extrapolated; its zero is in the middle;
//! - a singular configuration lies there, to rounding ([`Ahead::singular`]): a near miss is no passage.

use std::f64::consts::PI;

use super::ahead::{Ahead, Path};
use super::method::Machine;
use super::stepper::Tolerance;

/// Gauss nodes: even, so that none is in the middle.
const STAGES: usize = 8;
/// Iterations of the accelerations at the nodes.
const ITERATIONS: usize = 60;
/// The iteration has converged where it moves the nodes by this part of the tolerance,
const CONVERGED: f64 = 1e-3;
/// or by so many times the tolerance, and no longer shrinks: what rounding does to accelerations next to a
/// singular configuration, mostly across the constraints, where the last projection takes it away.
const STILL: f64 = 10.0;
/// Times the middle is moved to the zero of the regularity.
const CENTRINGS: usize = 6;
/// The zero is this near to the middle, as a part of the interval.
const CENTRED: f64 = 0.02;
/// Nearer to the middle than this part of the interval, values are those of the polynomial.
const CORE: f64 = 0.05;
/// The singular configuration is this many times the tolerance off the path at most.
const OFF: f64 = 100.0;
/// The polynomial is this many times the tolerance off the constraints at most. Next to a singular
/// configuration rounding alone moves velocities across the constraints by some units of a tight one; the
/// kink of a motion that turns off is larger by many orders.
const NEAR: f64 = 10.0;

/// An interval of a motion round a singular configuration, as a polynomial.
#[derive(Debug, Clone)]
pub(super) struct Passage {
    n: usize,
    t: f64,
    h: f64,
    y: Vec<f64>,
    slope: Vec<f64>,
    t_new: f64,
    y_new: Vec<f64>,
    slope_new: Vec<f64>,
    /// The coefficients of the accelerations, n a degree.
    alpha: Vec<f64>,
    /// The part of the interval where the singular configuration is.
    middle: f64,
}

/// `P_0` to `P_last` at z.
fn legendre<const N: usize>(z: f64) -> [f64; N] {
    let mut p = [1.0; N];
    for k in 1..N {
        let below = if k > 1 { p[k - 2] } else { 0.0 };
        p[k] = ((2 * k - 1) as f64 * z * p[k - 1] - (k - 1) as f64 * below) / k as f64;
    }
    p
}

/// The integrals of the shifted `P_k` from 0 to tau, and those of these.
fn integrals(tau: f64) -> ([f64; STAGES], [f64; STAGES]) {
    let p = legendre::<{ STAGES + 2 }>(2.0 * tau - 1.0);
    let mut once = [tau; STAGES + 1];
    for k in 1..=STAGES {
        once[k] = (p[k + 1] - p[k - 1]) / (2 * (2 * k + 1)) as f64;
    }
    let mut twice = [0.5 * tau * tau; STAGES];
    for k in 1..STAGES {
        twice[k] = (once[k + 1] - once[k - 1]) / (2 * (2 * k + 1)) as f64;
    }
    let mut first = [0.0; STAGES];
    first.copy_from_slice(&once[..STAGES]);
    (first, twice)
}

/// The largest size of values.
fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most, e| most.max(e.abs()))
}

/// Nodes and weights on (0, 1), ascending.
fn gauss() -> ([f64; STAGES], [f64; STAGES]) {
    let (mut c, mut b) = ([0.0; STAGES], [0.0; STAGES]);
    for i in 0..STAGES {
        let mut z = -(PI * (i as f64 + 0.75) / (STAGES as f64 + 0.5)).cos();
        let slope = |z: f64| {
            let p = legendre::<{ STAGES + 1 }>(z);
            let slope = STAGES as f64 * (z * p[STAGES] - p[STAGES - 1]) / (z * z - 1.0);
            (p[STAGES], slope)
        };
        for _ in 0..10 {
            let (p, dp) = slope(z);
            z -= p / dp;
        }
        let dp = slope(z).1;
        (c[i], b[i]) = (f64::midpoint(1.0, z), 1.0 / ((1.0 - z * z) * dp * dp));
    }
    (c, b)
}

/// The passage of the singular configuration that is expected at the time `s` ahead on a path; none where
/// it does not stand.
pub(super) fn passage(
    machine: &mut Machine<'_>,
    ahead: &mut Ahead<'_>,
    path: &Path<'_>,
    (s, tolerance): (f64, Tolerance),
) -> Option<Passage> {
    let n = path.x.len();
    let start: Vec<f64> = path.x.iter().chain(path.v).copied().collect();
    let slope: Vec<f64> = path.v.iter().chain(path.a).copied().collect();
    let mut half = s;
    let mut last: Option<Passage> = None;
    for _ in 0..CENTRINGS {
        let mut trial = Passage {
            n,
            t: path.t,
            h: 2.0 * half,
            y: start.clone(),
            slope: slope.clone(),
            t_new: path.t + 2.0 * half,
            y_new: start.clone(),
            slope_new: slope.clone(),
            alpha: vec![0.0; STAGES * n],
            middle: 0.5,
        };
        let guess = |c: f64, y: &mut [f64]| match &last {
            Some(last) => last.interpolate(c * 2.0 * half / last.h, y),
            None => path.at(c * 2.0 * half, y),
        };
        trial.iterate(machine, guess, tolerance)?;
        trial.middle = trial.zero(ahead)?;
        if (trial.middle - 0.5).abs() <= CENTRED {
            return trial.stands(machine, ahead, tolerance).then_some(trial);
        }
        half = trial.middle * trial.h;
        last = Some(trial);
    }
    None
}

impl Passage {
    /// Fixed point iteration of the accelerations at the nodes.
    fn iterate(
        &mut self,
        machine: &mut Machine<'_>,
        guess: impl Fn(f64, &mut [f64]),
        tolerance: Tolerance,
    ) -> Option<()> {
        let n = self.n;
        let (c, b) = gauss();
        let mut nodes = vec![vec![0.0; 2 * n]; STAGES];
        for (node, c) in nodes.iter_mut().zip(c) {
            guess(c, node);
        }
        let mut before = f64::INFINITY;
        for pass in 0..ITERATIONS {
            self.alpha.fill(0.0);
            for (i, node) in nodes.iter().enumerate() {
                let mut y = node.clone();
                let t = self.t + c[i] * self.h;
                machine.project(t, &mut y).ok()?;
                let (_, a, _) = machine.evaluate(t, &y).ok()?;
                let p = legendre::<STAGES>(2.0 * c[i] - 1.0);
                for (k, p) in p.into_iter().enumerate() {
                    let weight = (2 * k + 1) as f64 * b[i] * p;
                    let row = &mut self.alpha[k * n..(k + 1) * n];
                    row.iter_mut()
                        .zip(a)
                        .for_each(|(sum, a)| *sum += weight * a);
                }
            }
            let mut change = 0.0_f64;
            for (i, node) in nodes.iter_mut().enumerate() {
                let old = node.clone();
                self.interpolate(c[i], node);
                let sizes = [largest(&node[..n]), largest(&node[n..])];
                for (k, (new, old)) in node.iter().zip(&old).enumerate() {
                    let size = (new - old).abs() / tolerance.of(sizes[k / n]);
                    // max forgets NaN
                    change = if size.is_nan() {
                        f64::NAN
                    } else {
                        change.max(size)
                    };
                }
            }
            if !change.is_finite() {
                return None;
            }
            let slow = pass > 2 && change > 0.5 * before;
            if change <= CONVERGED || slow && change <= STILL {
                return Some(());
            }
            if slow && pass > 5 {
                return None;
            }
            before = change;
        }
        None
    }

    /// The part of the interval where the regularity is zero; none where that is not the matter of one
    /// change of sign, or of touching zero.
    fn zero(&self, ahead: &mut Ahead<'_>) -> Option<f64> {
        let mut y = vec![0.0; 2 * self.n];
        let mut look = |part: f64| {
            self.interpolate(part, &mut y);
            ahead.regularity(self.t + part * self.h, &y[..self.n])
        };
        let (c, _) = gauss();
        let values = c.map(&mut look);
        if values.iter().any(|d| !d.is_finite()) {
            return None;
        }
        let changes: Vec<usize> = (1..STAGES)
            .filter(|&i| values[i - 1] * values[i] <= 0.0)
            .collect();
        match changes[..] {
            [i] => {
                let (mut low, mut high) = (c[i - 1], c[i]);
                for _ in 0..60 {
                    let middle = f64::midpoint(low, high);
                    if look(middle) * values[i - 1] > 0.0 {
                        low = middle;
                    } else {
                        high = middle;
                    }
                }
                Some(f64::midpoint(low, high))
            }
            [] => {
                // the least value, by the golden section
                let least =
                    (0..STAGES).min_by(|&i, &k| values[i].abs().total_cmp(&values[k].abs()))?;
                let (mut low, mut high) = (
                    if least == 0 { 0.0 } else { c[least - 1] },
                    if least + 1 == STAGES {
                        1.0
                    } else {
                        c[least + 1]
                    },
                );
                let golden = 0.618_033_988_749_894_9;
                for _ in 0..50 {
                    let (a, b) = (high - golden * (high - low), low + golden * (high - low));
                    if look(a).abs() < look(b).abs() {
                        high = b;
                    } else {
                        low = a;
                    }
                }
                Some(f64::midpoint(low, high))
            }
            _ => None,
        }
    }

    /// Whether it lies on the constraints and passes a singular configuration. Completes its end.
    fn stands(
        &mut self,
        machine: &mut Machine<'_>,
        ahead: &mut Ahead<'_>,
        tolerance: Tolerance,
    ) -> bool {
        let n = self.n;
        // coefficients shrink geometrically; the first one left out, through its integral
        let pair = |k: usize| largest(&self.alpha[(k - 1) * n..(k + 1) * n]);
        let (last, earlier) = (pair(STAGES - 1), pair(STAGES - 3));
        let ratio = if earlier > 0.0 {
            (last / earlier).sqrt().min(1.0)
        } else {
            1.0
        };
        let left_out = self.h.abs() * last * ratio / (4 * STAGES + 2) as f64;
        if left_out > tolerance.of(largest(&self.y[n..])) {
            return false;
        }
        let (c, _) = gauss();
        let mut on = vec![0.0; 2 * n];
        let mut path = vec![0.0; 2 * n];
        for part in c.into_iter().chain([1.0]) {
            self.interpolate(part, &mut path);
            on.copy_from_slice(&path);
            let t = if part == 1.0 {
                self.t_new
            } else {
                self.t + part * self.h
            };
            if machine.project(t, &mut on).is_err() {
                return false;
            }
            let (most_x, most_v) = (largest(&on[..n]), largest(&on[n..]));
            let near = on.iter().zip(&path).enumerate().all(|(k, (a, b))| {
                let size = if k < n { most_x } else { most_v };
                (a - b).abs() <= NEAR * tolerance.of(size)
            });
            if !near {
                return false;
            }
        }
        let Ok((_, a, _)) = machine.evaluate(self.t_new, &on) else {
            return false;
        };
        self.slope_new[..n].copy_from_slice(&on[n..]);
        self.slope_new[n..].copy_from_slice(a);
        self.y_new.copy_from_slice(&on);
        self.interpolate(self.middle, &mut path);
        let t = self.t + self.middle * self.h;
        let Some((_, x)) = ahead.singular(t, &path[..n]) else {
            return false;
        };
        let size = largest(&x);
        x.iter()
            .zip(&path)
            .all(|(a, b)| (a - b).abs() <= OFF * tolerance.of(size))
    }

    /// (x, v) at a part of the interval.
    pub(super) fn interpolate(&self, part: f64, out: &mut [f64]) {
        let (n, h) = (self.n, self.h);
        let (once, twice) = integrals(part);
        for k in 0..n {
            let (mut dv, mut dx) = (0.0, part * self.y[n + k]);
            for (i, alpha) in self.alpha.iter().skip(k).step_by(n).enumerate() {
                dv += alpha * once[i];
                dx += h * alpha * twice[i];
            }
            out[k] = self.y[k] + h * dx;
            out[n + k] = self.y[n + k] + h * dv;
        }
    }

    /// The accelerations at a part of the interval.
    pub(super) fn accelerations(&self, part: f64) -> Vec<f64> {
        let p = legendre::<STAGES>(2.0 * part - 1.0);
        let rows = self.alpha.chunks_exact(self.n).zip(p);
        let mut a = vec![0.0; self.n];
        for (row, p) in rows {
            a.iter_mut().zip(row).for_each(|(a, alpha)| *a += p * alpha);
        }
        a
    }

    /// Whether a part of the interval is so near to the singular configuration that only the polynomial
    /// says what happens there.
    pub(super) fn core(&self, part: f64) -> bool {
        (part - self.middle).abs() <= CORE
    }

    /// The time of the singular configuration.
    pub(super) fn moment(&self) -> f64 {
        self.t + self.middle * self.h
    }

    /// The state there.
    pub(super) fn singular(&self) -> Vec<f64> {
        let mut y = vec![0.0; 2 * self.n];
        self.interpolate(self.middle, &mut y);
        y
    }

    /// (t, y, y') at the start.
    pub(super) fn start(&self) -> (f64, &[f64], &[f64]) {
        (self.t, &self.y, &self.slope)
    }

    /// (t, y, y') at the end.
    pub(super) fn end(&self) -> (f64, &[f64], &[f64]) {
        (self.t_new, &self.y_new, &self.slope_new)
    }

    /// The end and its time, to be moved.
    pub(super) fn proposed(&mut self) -> (f64, &mut [f64]) {
        (self.t_new, &mut self.y_new)
    }

    /// The length of the interval.
    pub(super) fn taken(&self) -> f64 {
        self.h
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gauss_nodes_integrate_polynomials_of_degree_fifteen() {
        let (c, b) = gauss();
        for degree in 0..16 {
            let sum: f64 = c.iter().zip(b).map(|(c, b)| b * c.powi(degree)).sum();
            assert!(
                (sum - 1.0 / f64::from(degree + 1)).abs() < 1e-15,
                "{degree}"
            );
        }
        assert!(c.iter().all(|c| (c - 0.5).abs() > CORE));
    }

    #[test]
    fn integrals_are_those_of_the_legendre_polynomials() {
        // the derivatives by differences
        let h = 1e-5;
        for tau in [0.0, 0.3, 0.5, 0.9, 1.0] {
            let (low, high) = (integrals(tau - h), integrals(tau + h));
            let p = legendre::<STAGES>(2.0 * tau - 1.0);
            let (once, _) = integrals(tau);
            for k in 0..STAGES {
                assert!(((high.0[k] - low.0[k]) / (2.0 * h) - p[k]).abs() < 1e-7);
                assert!(((high.1[k] - low.1[k]) / (2.0 * h) - once[k]).abs() < 1e-8);
            }
        }
        let (once, twice) = integrals(0.0);
        assert!(once.iter().chain(&twice).all(|e| e.abs() < 1e-16));
    }
}
