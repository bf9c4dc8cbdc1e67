//! Dormand and Prince's explicit Runge-Kutta method of order 8(5, 3), with its own step control and
//! a dense output of order 7.
//!
//! A step from y at t with derivatives `k_s` at the stages `t + c_s h` is
//!
//! ```text
//! y_new = y + h sum_s b_s k_s        err = max |h| e5^2 / sqrt(e5^2 + e3^2 / 100)
//! ```
//!
//! where e5 and e3 are two embedded estimates in units of atol + rtol |y|, component by component; no component is asked for better
//! than what rounding of those that constraints link it with leaves of it: 0 beside 2000 is. The caller may
//! move `y_new` (onto the constraints) before it accepts the step; the derivative is then taken
//! there. Source: Hairer, Norsett, Wanner, *Solving Ordinary Differential Equations I*, section II.10
//! and the code DOP853.

mod combine;
mod tableau;
#[cfg(test)]
mod tests;

use super::dynamics::Beginning;
use super::step::{Attempt, Knot, Step, Tolerance, first_step, larger};
use combine::{combine, weigh};
use tableau::{A, ALL, C, D, E3, E5, STAGES, TABLEAU};

/// A component that is linked with others is known to so many times the rounding of the largest of them at best: solving for it
/// near a singular configuration magnifies that;
const ROUNDED: f64 = 32.0 * f64::EPSILON;
/// but atol is not taken for more than so many times what it is.
const COARSEST: f64 = 1e4;
/// The largest are looked for after so many steps.
const MEASURED: u32 = 16;
/// The step size that is tried next is this part of the one that would just do.
const SAFETY: f64 = 0.8;
/// A step may make this part of the error that the tolerance names: errors add up on the way, and the
/// estimate is a little rosy where steps are long.
const LOCAL: f64 = 0.1;
/// The root of an error is taken to be no smaller than this where the growth of errors is asked for.
const LEAST: f64 = 0.56;
/// A step is shortened at most by this factor.
const SHRINK: f64 = 1.0 / 3.0;
/// A step is lengthened at most by this factor.
const GROW: f64 = 6.0;
/// The order of the error estimate plus one, inverted.
const EXPONENT: f64 = 1.0 / 8.0;
/// What is kept of a step stands in rows of n values: first the derivatives at its end and the stages that serve the dense
/// output, then those of all stages (a stage's row is told by [`slot`]), its state at the last stage and at the end, and the
/// two estimates of its error.
const LAST: usize = ALL;
const END: usize = ALL + 1;
const ESTIMATES: usize = ALL + 2;
const ROWS: usize = ALL + 4;
/// Coefficients of the dense output.
const DENSE: usize = 7;
/// h times an eigenvalue beyond which steps are unstable, on the real axis.
const STIFF: f64 = 6.1;
/// So many steps at the edge of stability make a motion stiff,
const STIFF_STEPS: u32 = 15;
/// unless so many in a row are well inside.
const STIFF_RESET: u32 = 6;
/// Noise is looked for after so many steps each; seen twice it makes a motion stiff,
const PROBED: u32 = 16;
const NOISY: u32 = 2;
/// unless it was not seen so many times in a row.
const NOISE_RESET: u32 = 4;
/// To see it coordinates are moved by this part of them.
const MOVED: f64 = 1e-8;
/// A force is balanced that alone would make velocities this many times larger in a step.
const BALANCED: f64 = 100.0;
/// Rounding that is this part of what a step may be wrong by sets the step.
const NOISE: f64 = 0.1;
/// Differences of this part of the state are rounding and say nothing of eigenvalues.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Evaluations of a step that is accepted, the last one at its end.
pub(super) const EVALUATIONS: usize = STAGES;
/// Those that are spread over the step, in the order of their times: which of the evaluations, and at which part of the step.
pub(super) const SPREAD: [(usize, f64); 5] = [
    (2, C[3]),
    (4, C[5]),
    (8, C[9]),
    (9, C[10]),
    (EVALUATIONS - 1, 1.0),
];

/// The stepper: one step in memory, from (t, y) to (`t_new`, `y_new`).
#[derive(Debug, Clone)]
pub(super) struct Dop853 {
    n: usize,
    tolerance: Tolerance,
    pub(super) step: Step,
    y: Vec<f64>,
    y_new: Vec<f64>,
    /// What is kept of it, row by row; and behind it what belongs to code that evaluates all stages at once.
    memory: Vec<f64>,
    /// The coefficients of the dense output of each component.
    dense: Vec<[f64; DENSE]>,
    dense_ready: bool,
    /// None where nobody asks.
    stiffness: Option<Stiffness>,
    /// Coordinates that constraints link with each other,
    linked: Vec<Vec<usize>>,
    /// the sizes of all, where they are known,
    sizes: Vec<f64>,
    /// what they and their velocities need not be known better than,
    rounding: Vec<f64>,
    /// and how many steps ago that was measured.
    since: u32,
    /// The last step that was taken, and the root of its error.
    before: Option<(f64, f64)>,
}

/// What the last steps say of stiffness.
#[derive(Debug, Clone, Copy, Default)]
struct Stiffness {
    /// Steps at the edge of stability.
    edge: Count,
    /// Looks that saw noise, and steps since the last look.
    noise: Count,
    unprobed: u32,
}

/// How often something was seen, and how often in a row it was not since then.
#[derive(Debug, Clone, Copy, Default)]
struct Count {
    seen: u32,
    not_since: u32,
}

impl Count {
    /// Once more, or not; not so many times in a row, and it was never seen.
    fn take(&mut self, is_seen: bool, reset: u32) {
        if is_seen {
            self.seen += 1;
            self.not_since = 0;
        } else {
            self.not_since += 1;
            if self.not_since >= reset {
                self.seen = 0;
            }
        }
    }
}

impl Dop853 {
    /// A stepper for n components, an even number, at rest at zero.
    pub(super) fn new(n: usize, tolerance: Tolerance) -> Self {
        Self {
            n,
            tolerance,
            step: Step::default(),
            y: vec![0.0; n],
            y_new: vec![0.0; n],
            memory: vec![0.0; ROWS * n],
            dense: vec![[0.0; DENSE]; n],
            dense_ready: false,
            stiffness: None,
            linked: Vec::new(),
            sizes: vec![0.0; n / 2],
            rounding: vec![0.0; n],
            since: 0,
            before: None,
        }
    }

    /// One of a state (x, x') of which constraints link these coordinates with each other.
    pub(super) fn linking(self, linked: Vec<Vec<usize>>) -> Self {
        Self { linked, ..self }
    }

    /// Coordinates have these sizes where they are smaller.
    pub(super) fn size(&mut self, sizes: &[f64]) {
        self.sizes.copy_from_slice(sizes);
    }

    /// Takes the size of the largest of each group at the end of the step in memory, and of each of it its own.
    fn measure(&mut self) {
        self.since = 0;
        let (x, v) = self.y_new.split_at(self.n / 2);
        let most = COARSEST * self.tolerance.atol;
        for group in &self.linked {
            let (mut longest, mut fastest, mut rate) = (0.0_f64, 0.0_f64, 0.0_f64);
            for &k in group {
                longest = larger(longest, x[k].abs());
                fastest = larger(fastest, v[k].abs());
                if self.sizes[k] > 0.0 {
                    rate = larger(rate, v[k].abs() / self.sizes[k]);
                }
            }
            for &k in group {
                let own = self.sizes[k];
                let sizes = [(longest, own), (fastest, own * rate)];
                for (half, (largest, own)) in [0, self.n / 2].into_iter().zip(sizes) {
                    // beside the largest it is no coarser than that
                    let own = (ROUNDED * own).min(self.tolerance.rtol * largest);
                    self.rounding[half + k] = larger(ROUNDED * largest, own).min(most);
                }
            }
        }
    }

    /// One that is asked where a motion is stiff.
    pub(super) fn judging_stiffness(self) -> Self {
        Self {
            stiffness: Some(Stiffness::default()),
            ..self
        }
    }

    /// Sets the start and chooses the first step towards `end` (Hairer's rule).
    pub(super) fn begin<E>(
        &mut self,
        (t, y): (f64, &[f64]),
        end: f64,
        f: &mut impl FnMut(f64, &[f64], &mut [f64]) -> Result<(), E>,
    ) -> Result<(), E> {
        let n = self.n;
        self.stiffness = self.stiffness.map(|_| Stiffness::default());
        self.before = None;
        self.step.restart(t);
        self.y.copy_from_slice(y);
        self.y_new.copy_from_slice(y);
        self.measure();
        self.dense_ready = false;
        let (kept, rest) = self.memory.split_at_mut(LAST * n);
        let (start, there) = kept[slot(0) * n..].split_at_mut(n);
        f(t, y, start)?;

        self.step.next = first_step(
            Knot { t, y, slope: start },
            (end, self.tolerance),
            EXPONENT,
            (&mut rest[..n], &mut there[..n]),
            f,
        );
        Ok(())
    }

    /// Tries a step towards `end` with the step size that is set.
    pub(super) fn attempt<E>(
        &mut self,
        end: f64,
        f: &mut impl FnMut(f64, &[f64], &mut [f64]) -> Result<(), E>,
    ) -> Attempt<E> {
        let last = self.set_out(end);
        let (n, h) = (self.n, self.step.taken);
        let (k, rest) = self.memory.split_at_mut(LAST * n);
        let (stage, rest) = rest.split_at_mut(n);
        for s in 1..STAGES {
            combine(stage, &self.y, h, A[s], k);
            let outcome = f(self.step.time(C[s]), stage, &mut k[slot(s) * n..][..n]);
            if let Err(error) = outcome {
                self.step.reject(0.5 * h);
                return Attempt::Failed(error);
            }
        }
        let (end_of_step, rest) = rest.split_at_mut(n);
        let (fifths, rest) = rest.split_at_mut(n);
        combine(end_of_step, &self.y, h, A[STAGES], k);
        weigh(fifths, E5, k);
        weigh(&mut rest[..n], E3, k);
        self.weigh_up(last)
    }

    /// The same by code that evaluates all stages at once; nothing where that leaves them to be evaluated one by one.
    pub(super) fn attempt_at_once<E>(
        &mut self,
        end: f64,
        stages: impl FnOnce(Beginning<'_>) -> Option<()>,
    ) -> Option<Attempt<E>> {
        let last = self.set_out(end);
        stages(Beginning {
            method: &TABLEAU,
            t: [self.step.t, self.step.t_new],
            y: &self.y,
            h: self.step.taken,
            memory: &mut self.memory,
            first: slot(1) * self.n,
        })?;
        Some(self.weigh_up(last))
    }

    /// The beginning of the next step, and its size; whether it is the last one.
    fn set_out(&mut self, end: f64) -> bool {
        let n = self.n;
        if self.step.accepted {
            std::mem::swap(&mut self.y, &mut self.y_new);
            self.memory.copy_within(kept(n, slot(STAGES)), slot(0) * n);
        }
        self.dense_ready = false;
        self.step.set_out(end)
    }

    /// Whether the error of the step is small enough, and the next size.
    fn weigh_up<E>(&mut self, last: bool) -> Attempt<E> {
        let h = self.step.taken;
        let error = self.error();
        if error <= 1.0 {
            self.y_new.copy_from_slice(&self.memory[kept(self.n, END)]);
            let most = if self.step.after_rejection { 1.0 } else { GROW };
            let root = root(error);
            // an error that grows from step to step goes on to do so
            let large = root.max(LEAST);
            let growth = self.before.map_or(1.0, |(before, earlier)| {
                (large * before / (earlier * h)).abs().max(1.0)
            });
            self.before = Some((h, large));
            let factor = (SAFETY / (root * growth)).clamp(SHRINK, most);
            // a step cut short by the end says nothing against the step that was set
            self.step.next = if last && factor * h.abs() < self.step.next.abs() {
                self.step.next
            } else {
                factor * h
            };
            Attempt::Proposed
        } else {
            let factor = if error.is_finite() {
                (SAFETY / root(error)).max(SHRINK)
            } else {
                SHRINK
            };
            self.step.reject(factor * h);
            Attempt::Rejected
        }
    }

    /// Takes the proposed step: `f` may move `y_new`, and gives the derivative there.
    pub(super) fn accept<E>(
        &mut self,
        f: &mut impl FnMut(f64, &mut [f64], &mut [f64]) -> Result<(), E>,
    ) -> Result<(), E> {
        let n = self.n;
        let slope = &mut self.memory[kept(n, slot(STAGES))];
        match f(self.step.t_new, &mut self.y_new, slope) {
            Ok(()) => {
                self.step.accept();
                self.since += 1;
                if self.since >= MEASURED {
                    self.measure();
                }
                Ok(())
            }
            Err(error) => {
                self.step.refuse();
                Err(error)
            }
        }
    }

    /// Whether stability or rounding, and not accuracy, sets the steps, of which y = (x, x') is the
    /// state. By Hairer's test h times the largest eigenvalue, from the last stage and the end of the step,
    /// which lie at one time; or, where a stiff force is nearly balanced, by the rounding of the
    /// coordinates that it magnifies: for that the accelerations `a` of a state are asked for now and then, which is next to the
    /// constraints, and not brought back to them.
    pub(super) fn is_stiff<E>(
        &mut self,
        a: &mut impl FnMut(f64, &[f64], &mut [f64]) -> Result<(), E>,
    ) -> bool {
        let Some(mut own) = self.stiffness else {
            return false;
        };
        own.edge.take(self.is_unstable(), STIFF_RESET);
        own.unprobed += 1;
        if own.unprobed >= PROBED {
            own.unprobed = 0;
            own.noise.take(self.is_noisy(a), NOISE_RESET);
        }
        self.stiffness = Some(own);
        own.edge.seen >= STIFF_STEPS || own.noise.seen >= NOISY
    }

    /// Whether the step is at the edge of stability.
    fn is_unstable(&self) -> bool {
        let [stage, end] = [STAGES - 1, STAGES].map(|s| self.kept(slot(s)));
        let [mut change, mut moved, mut size] = [[0.0; 2]; 3];
        for [y, last, end, stage] in side_by_side([&self.y_new, self.kept(LAST), end, stage]) {
            for k in 0..2 {
                change[k] += (end[k] - stage[k]) * (end[k] - stage[k]);
                moved[k] += (y[k] - last[k]) * (y[k] - last[k]);
                size[k] += y[k] * y[k];
            }
        }
        let [change, moved, size] = [change, moved, size].map(|[even, odd]| even + odd);
        moved > ROUNDING * ROUNDING * size
            && self.step.taken * self.step.taken * change > STIFF * STIFF * moved
    }

    /// Whether a force that would change the velocities by far more than they are, if it were not balanced, makes rounding of
    /// the coordinates an error of the step: by the accelerations `a` where each coordinate is moved a little, this way or that.
    fn is_noisy<E>(
        &mut self,
        a: &mut impl FnMut(f64, &[f64], &mut [f64]) -> Result<(), E>,
    ) -> bool {
        let (n, h, half) = (self.n, self.step.taken.abs(), self.n / 2);
        // rows that serve the dense output once it is asked for
        let (stages, rest) = self.memory.split_at_mut(LAST * n);
        // other ways each time: what moves together may leave a force as it is
        let mut random = fastrand::Rng::with_seed(self.step.t_new.to_bits());
        let moved = &mut rest[..n];
        moved.copy_from_slice(&self.y_new);
        for x in &mut moved[..half] {
            *x += if random.bool() {
                MOVED * *x
            } else {
                -MOVED * *x
            };
        }
        let (there, _) = stages[slot(ALL - 1) * n..].split_at_mut(half);
        if a(self.step.t_new, moved, there).is_err() {
            return false;
        }
        let there = &self.kept(slot(ALL - 1))[..half];
        let here = &self.kept(slot(STAGES))[half..];
        let v = &self.y_new[half..];
        let fastest = v.iter().fold(0.0, |most, v| larger(most, v.abs()));
        here.iter().zip(there).zip(v).any(|((here, there), v)| {
            let force = h * (there - here).abs() / MOVED;
            force > BALANCED * fastest
                && f64::EPSILON * force > NOISE * LOCAL * self.tolerance.of(*v)
        })
    }

    /// Prepares the dense output of the accepted step: three more evaluations, the first time asked.
    pub(super) fn prepare<E>(
        &mut self,
        f: &mut impl FnMut(f64, &[f64], &mut [f64]) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.dense_ready {
            return Ok(());
        }
        let (n, h) = (self.n, self.step.taken);
        let (k, rest) = self.memory.split_at_mut(LAST * n);
        let stage = &mut rest[..n];
        for s in STAGES + 1..ALL {
            combine(stage, &self.y, h, A[s], k);
            f(self.step.time(C[s]), stage, &mut k[slot(s) * n..][..n])?;
        }
        for (i, own) in self.dense.iter_mut().enumerate() {
            let change = self.y_new[i] - self.y[i];
            let (before, after) = (h * k[slot(0) * n + i], h * k[slot(STAGES) * n + i]);
            own[..3].copy_from_slice(&[change, before - change, 2.0 * change - before - after]);
        }
        for (j, weights) in (3..).zip(D) {
            weigh(stage, weights, k);
            for (own, sum) in self.dense.iter_mut().zip(&*stage) {
                own[j] = h * sum;
            }
        }
        self.dense_ready = true;
        Ok(())
    }

    /// y at the part `part` (0 to 1) of the step, by the dense output that was prepared.
    pub(super) fn interpolate(&self, part: f64, out: &mut [f64]) {
        for ((o, y), c) in out.iter_mut().zip(&self.y).zip(&self.dense) {
            *o = interpolated(part, *y, c);
        }
    }

    /// The same for these components alone.
    pub(super) fn interpolate_some(&self, part: f64, components: &[usize], out: &mut [f64]) {
        for &k in components {
            out[k] = interpolated(part, self.y[k], &self.dense[k]);
        }
    }

    /// (t, y, y') at the start of the step in memory.
    pub(super) fn start(&self) -> Knot<'_> {
        Knot::new(self.step.t, &self.y, self.kept(slot(0)))
    }

    /// (t, y, y') at the end of the step in memory; y' once it is accepted.
    pub(super) fn end(&self) -> Knot<'_> {
        Knot::new(self.step.t_new, &self.y_new, self.kept(slot(STAGES)))
    }

    fn kept(&self, row: usize) -> &[f64] {
        &self.memory[kept(self.n, row)]
    }

    /// The square of the error of the proposed step in units of the tolerance: that of the worst component.
    fn error(&self) -> f64 {
        let [mut worst, mut all] = [[0.0; 2]; 2];
        let [fifths, thirds] = [ESTIMATES, ESTIMATES + 1].map(|row| self.kept(row));
        let rows = [fifths, thirds, &self.y, self.kept(END), &self.rounding];
        for [fifth, third, y, new, rounding] in side_by_side(rows) {
            for k in 0..2 {
                let size = larger(y[k].abs(), new[k].abs());
                let scale = larger(self.tolerance.of(size), rounding[k]).recip();
                let (fifth, third) = (fifth[k] * scale, third[k] * scale);
                let fifth = fifth * fifth;
                let both = fifth + 0.01 * (third * third);
                // 0 / 0 is forgotten
                worst[k] = larger(worst[k], fifth * (fifth / both));
                all[k] += both;
            }
        }
        let size = self.step.taken / LOCAL;
        if (all[0] + all[1]).is_finite() {
            size * size * larger(worst[0], worst[1])
        } else {
            f64::NAN
        }
    }
}

/// Rows of as many components, an even number, two at a time.
fn side_by_side<const ROWS: usize>(rows: [&[f64]; ROWS]) -> impl Iterator<Item = [[f64; 2]; ROWS]> {
    let count = rows[0].len() / 2;
    let pairs = rows.map(|row| &row.as_chunks::<2>().0[..count]);
    (0..count).map(move |i| pairs.map(|row| row[i]))
}

/// A component at a part of a step that begins with y, by its coefficients of the dense output.
fn interpolated(part: f64, y: f64, c: &[f64; DENSE]) -> f64 {
    let rest = 1.0 - part;
    let upper = c[3] + part * (c[4] + rest * (c[5] + part * c[6]));
    y + part * (c[0] + rest * (c[1] + part * (c[2] + rest * upper)))
}

/// The row that keeps the derivatives at a stage.
const fn slot(stage: usize) -> usize {
    (stage + ALL - STAGES) % ALL
}

/// A row of n values.
fn kept(n: usize, row: usize) -> std::ops::Range<usize> {
    row * n..(row + 1) * n
}

/// The root of an error of the order of the estimate plus one, of its square.
fn root(error: f64) -> f64 {
    error.sqrt().sqrt().sqrt().sqrt()
}
