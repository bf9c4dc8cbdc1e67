//! One chart held on to: what an integrator does that knows nothing of the theorem.
//!
//! The reduced equations (NRL Memorandum Report 6001, sections 4 to 6) with the same dependent
//! coordinates from start to end: state (`x_I`, `x_I`'), fixed steps of the classical Runge-Kutta method of
//! order 4, `x_D` by Newton's method from its last value. After [`NEWTON`] corrections whatever came is taken,
//! converged or not, and nobody looks at the sign of det `J_D`. Where the determinant comes to zero the
//! dependent coordinates are no functions of the others any more: the motion turns back on to its
//! branch, or leaves the constraints. This is a picture of a failure, not a result.

use std::sync::atomic::{AtomicBool, Ordering};

use super::dynamics::{ConstraintValue, Instant, Problem, gather};
use super::inverse::Inverse;
use super::linearised::Linearised;
use super::motion::Options;
use super::rank::InUse;
use super::start::Start;
use super::step::subtract;
use crate::geometry::dot;

/// Corrections of the dependent coordinates.
const NEWTON: usize = 10;
/// A correction of this part of the coordinate is the last.
const SMALL: f64 = 1e-13;
/// Steps of the whole run, at least; and each sample interval is a whole number of them.
const STEPS: usize = 20_000;
/// The constraints are left where they are missed by more than this part of their terms.
const LEFT: f64 = 1e-6;

/// What came of a motion in one chart without any change of it.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldChart {
    /// The dependent coordinates.
    pub dependent: Vec<usize>,
    /// The steps of the whole run.
    pub steps: usize,
    /// The time of the first step that misses a constraint by more than 1e-6 of its terms.
    pub left: Option<f64>,
    /// The largest residual of all steps.
    pub worst: f64,
    /// The time at which the numbers gave out (a singular block, a value that is not finite).
    pub ended: Option<f64>,
    /// The time by which it has parted from a motion that it was held against.
    pub apart: Option<f64>,
}

/// A sample of such a motion; nothing in it is on the constraints by right.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldSample {
    /// The time.
    pub t: f64,
    /// The n coordinates.
    pub x: Vec<f64>,
    /// The n velocities.
    pub v: Vec<f64>,
    /// max |`f_b` - `c_b`|.
    pub residual: f64,
}

impl HeldChart {
    /// Takes note of how far the constraints are missed.
    fn look(&mut self, t: f64, value: &ConstraintValue) {
        let mut pairs = value.residual.iter().zip(&value.scale);
        if pairs.any(|(r, scale)| r.abs() > LEFT * scale) {
            self.left.get_or_insert(t);
        }
        self.worst = self.worst.max(value.largest());
    }
}

/// The reduced equations in one chart, and the last position as first guess of the next.
struct Naive<'a> {
    set: InUse<'a>,
    inverse: Inverse,
    value: ConstraintValue,
    at: Instant,
    jacobian: Vec<f64>,
    x: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
    lambda: Vec<f64>,
    work: Vec<f64>,
}

impl Naive<'_> {
    /// The constraints at (t, self.x), and J_D factored there.
    fn look(&mut self, t: f64) -> Option<()> {
        let dynamics = self.set.dynamics();
        dynamics.constraint(t, &self.x, &mut self.value);
        gather(&self.value.jacobian, self.set.rows, &mut self.jacobian);
        self.inverse.forget_branch();
        self.inverse.factor(&self.jacobian).ok()
    }

    /// Puts the independent coordinates and velocities in and solves for the others. None where there
    /// are no numbers.
    fn place(&mut self, t: f64, state: &[f64]) -> Option<()> {
        let free = self.inverse.independent().to_vec();
        for (&k, (x, v)) in free.iter().zip(state.iter().zip(&state[free.len()..])) {
            (self.x[k], self.v[k]) = (*x, *v);
        }
        for _ in 0..NEWTON {
            self.look(t)?;
            let residual = self.value.residual.as_slice();
            self.work[..residual.len()].copy_from_slice(residual);
            self.inverse.correction(&mut self.work);
            let mut small = true;
            for (x, dx) in self.x.iter_mut().zip(&self.work) {
                *x -= dx;
                small &= dx.abs() <= SMALL * x.abs();
            }
            if small {
                break;
            }
        }
        self.look(t)?;
        for &d in &self.inverse.dependent().to_vec() {
            self.v[d] = 0.0;
        }
        self.work.fill(0.0);
        let rows = self
            .jacobian
            .chunks_exact(self.x.len())
            .zip(&self.value.f_t);
        for (slot, (row, f_t)) in self.work.iter_mut().zip(rows) {
            *slot = dot(row, &self.v) + f_t;
        }
        self.inverse.correction(&mut self.work);
        subtract(&mut self.v, &self.work);
        self.x
            .iter()
            .chain(&self.v)
            .all(|e| e.is_finite())
            .then_some(())
    }

    fn slope(&mut self, t: f64, state: &[f64]) -> Option<Vec<f64>> {
        self.place(t, state)?;
        let dynamics = self.set.dynamics();
        dynamics.instant(t, &self.x, &self.v, &mut self.at);
        let linear = Linearised::new(&self.jacobian, self.set, &self.at);
        self.inverse
            .solve(&linear, &mut self.a, &mut self.lambda)
            .ok()?;
        let free = self.inverse.independent();
        let speeds = free.iter().map(|&k| self.v[k]);
        let slope: Vec<f64> = speeds.chain(free.iter().map(|&k| self.a[k])).collect();
        slope.iter().all(|e| e.is_finite()).then_some(slope)
    }

    fn step(&mut self, t: f64, h: f64, state: &[f64]) -> Option<Vec<f64>> {
        let add = |k: &[f64], s: f64| -> Vec<f64> {
            state.iter().zip(k).map(|(y, k)| y + s * k).collect()
        };
        let k1 = self.slope(t, state)?;
        let k2 = self.slope(t + h / 2.0, &add(&k1, h / 2.0))?;
        let k3 = self.slope(t + h / 2.0, &add(&k2, h / 2.0))?;
        let k4 = self.slope(t + h, &add(&k3, h))?;
        let new = (0..state.len())
            .map(|i| state[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]))
            .collect();
        Some(new)
    }
}

/// The motion from a consistent start in the chart of the system's own choice, held on to: what came of it, and its samples,
/// as far as numbers came. None without
/// a choice of as many dependent coordinates as there are constraints.
pub fn hold_chart(
    problem: &Problem<'_>,
    start: &Start,
    options: &Options,
    cancel: &AtomicBool,
) -> Option<(HeldChart, Vec<HeldSample>)> {
    let (n, m) = problem.shape();
    let dependent = problem.dependent.clone()?;
    // the equations above know no velocity constraints
    if problem.dynamics.velocity_constraints() > 0 {
        return None;
    }
    if dependent.len() != m || m == 0 || dependent.iter().any(|d| *d >= n) {
        return None;
    }
    let inverse = Inverse::new(n, &dependent);
    let free = inverse.independent().to_vec();
    let mut state: Vec<f64> = free
        .iter()
        .map(|&k| start.x[k])
        .chain(free.iter().map(|&k| start.v[k]))
        .collect();
    let all: Vec<usize> = (0..m).collect();
    let mut naive = Naive {
        set: InUse::positions(problem, &all),
        inverse,
        value: ConstraintValue::of(problem.dynamics),
        at: Instant::of(problem.dynamics),
        jacobian: vec![0.0; m * n],
        x: start.x.clone(),
        v: start.v.clone(),
        a: vec![0.0; n],
        lambda: vec![0.0; m],
        work: vec![0.0; n],
    };
    let samples = options.samples.max(1);
    let each = STEPS.div_ceil(samples);
    let h = (options.until - start.t) / (samples * each) as f64;
    let mut list = Vec::with_capacity(samples + 1);
    let mut held = HeldChart {
        dependent,
        steps: samples * each,
        left: None,
        worst: 0.0,
        ended: None,
        apart: None,
    };
    for i in 0..=samples {
        if cancel.load(Ordering::Relaxed) {
            break;
        }
        let t = start.t + (i * each) as f64 * h;
        if naive.place(t, &state).is_none() {
            held.ended = Some(t);
            break;
        }
        let residual = naive.value.largest();
        held.look(t, &naive.value);
        list.push(HeldSample {
            t,
            x: naive.x.clone(),
            v: naive.v.clone(),
            residual,
        });
        if i == samples {
            break;
        }
        for j in 0..each {
            let t = t + j as f64 * h;
            let new = naive.step(t, h, &state);
            held.look(t, &naive.value);
            let Some(new) = new else {
                held.ended = Some(t);
                return Some((held, list));
            };
            state = new;
        }
    }
    Some((held, list))
}
