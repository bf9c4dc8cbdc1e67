//! Samples of a motion: everything at a time within a step, and next to a singular configuration.

use nalgebra::{DMatrix, DVector};

use super::ahead::pace;
use super::dynamics::{ConstraintValue, Instant, Pattern, stacked};
use super::events::{Flag, RANK_DOUBT};
use super::integration::Integration;
use super::linear::Lu;
use super::linearised::Stop;
use super::motion::Sample;
use super::step::{Knot, subtract};
use super::stepper::Stepper;
use crate::geometry::{Constraints, LeastNorm, largest};
use crate::sparse::{Sparse, is_large};

/// Singular values below this part of the largest are those of a singular configuration.
const CORE_TRUNCATION: f64 = 1e-4;

/// The dense output of a step is brought back to the constraints by no more than this many times the tolerance, nor by more
/// than this part of its size.
const BROUGHT_BACK: f64 = 1e4;
const MOVED: f64 = 0.01;
/// Accelerations that differ from those before by this part, but for a slope, are looked at;
const TURNS: f64 = 1e-2;
/// those of a step are known to this part.
const STRAYS: f64 = 1e-3;
/// What misses a constraint by so large a part of the coordinates is nowhere near it.
const ASTRAY: f64 = 1e-3;
/// Part of a step for a difference.
const BESIDE: f64 = 1e-3;

impl Integration<'_> {
    /// The sample at a time within the step that was just accepted.
    pub(super) fn within(&mut self, moment: f64) -> Result<Sample, Stop> {
        self.within_at(moment, None)
    }

    /// The same at a position that was solved for: it is known better than its time tells.
    fn within_at(&mut self, moment: f64, place: Option<&[f64]>) -> Result<Sample, Stop> {
        let Self { stepper, rhs, .. } = self;
        let Knot { t, .. } = stepper.start();
        let Knot {
            t: t_new, y: y_new, ..
        } = stepper.end();
        if moment == t_new {
            let y = y_new.to_vec();
            return self.sample(moment, &y);
        }
        stepper.prepare(&mut |t, y: &[f64], dy: &mut [f64]| rhs.derivative(t, y, dy))?;
        let mut y = vec![0.0; 2 * self.set.problem.dynamics.coordinates()];
        let part = (moment - t) / stepper.taken();
        stepper.interpolate(part, &mut y);
        if let Stepper::Across(passage) = stepper
            && passage.core(part)
        {
            let a = passage.accelerations(part);
            return self.core_sample(moment, (y, a));
        }
        let seen = y.clone();
        if let Some(place) = place {
            y[..place.len()].copy_from_slice(place);
        }
        rhs.project(moment, &mut y)?;
        if self.near_by(&y, &seen) {
            return self.sample(moment, &y);
        }
        if self.is_astray(moment, &seen) && self.is_regular(moment, &seen) {
            // between the stages the constraints went elsewhere
            return Err(Stop::Rejected);
        }
        // on a singular configuration, which the step went over without a trace: there the way back is not determined
        let a = self.rate_of_velocities(part);
        self.core_sample(moment, (seen, a))
    }

    /// The states at flags that were raised in the step that was just accepted, if they are wanted: the flags stand there too.
    pub(super) fn mark(&mut self, flags: &mut [Flag]) {
        if self.brief {
            return;
        }
        for flag in flags {
            // where the system has no numbers the flag alone stands
            if let Ok(sample) = self.within_at(flag.t, Some(&flag.x)) {
                flag.x.clone_from(&sample.x);
                self.marked.push(sample);
            }
        }
    }

    /// Are constraints missed at a place by what no more than a small part of the coordinates makes up for?
    fn is_astray(&self, t: f64, y: &[f64]) -> bool {
        let slack: Vec<f64> = self.size.iter().map(|size| ASTRAY * size).collect();
        let missed = self.set.rows(t, &y[..self.size.len()]).missed(&slack);
        // what has no value has a reason of its own
        missed.relative > 0.0 && missed.relative.is_finite()
    }

    /// Are the rows independent at a place, by more than next to a singular configuration?
    fn is_regular(&mut self, t: f64, y: &[f64]) -> bool {
        let x = &y[..self.size.len()];
        let Some(ahead) = &mut self.ahead else {
            return true;
        };
        let rows = &mut ahead.rows;
        rows.stand_wide((t, x), &self.size, pace(&self.size, &y[x.len()..]));
        rows.look(t, x);
        rows.least().is_some_and(|least| least > CORE_TRUNCATION)
    }

    /// Is what was brought back to the constraints where the step had it, as far as the tolerance tells?
    fn near_by(&self, y: &[f64], seen: &[f64]) -> bool {
        let n = self.size.len();
        let fastest = largest(&y[n..]);
        let size = |k: usize| if k < n { self.size[k] } else { fastest };
        let pairs = y.iter().zip(seen).enumerate();
        pairs
            .map(|(k, (a, b))| ((a - b).abs(), self.tolerance.of(size(k)), size(k)))
            .all(|(off, own, size)| off <= (BROUGHT_BACK * own).min(own.max(MOVED * size)))
    }

    /// Whether the accelerations at a sample do not go on as at those before it in the step.
    pub(super) fn turns(&self, sample: &Sample) -> bool {
        let [.., first, second] = self.fresh.as_slice() else {
            return true;
        };
        let before = first.a.iter().zip(&second.a);
        sample.a.iter().zip(before).any(|(c, (a, b))| {
            let size = a.abs().max(b.abs()).max(c.abs());
            (a - 2.0 * b + c).abs() > TURNS * size
        })
    }

    /// Whether the accelerations at a sample are not those of the step: a force that came and went between its stages.
    pub(super) fn strays(&self, sample: &Sample) -> bool {
        let (start, end) = (self.stepper.start(), self.stepper.end());
        let h = self.stepper.taken();
        let part = (sample.t - start.t) / h;
        let inside = part > 2.0 * BESIDE && part < 1.0 - 2.0 * BESIDE;
        if !inside || !matches!(self.stepper, Stepper::Explicit(_)) {
            return false;
        }
        let n = sample.a.len();
        let known = start.slope[n..].iter().zip(&end.slope[n..]);
        let rates = self.rate_of_velocities(part);
        let pairs = sample.a.iter().zip(&rates).zip(known).zip(&sample.v);
        let mut off = pairs.map(|(((a, rate), (first, last)), v)| {
            let size = a.abs().max(rate.abs()).max(first.abs()).max(last.abs());
            let off = (a - rate).abs();
            off > STRAYS * size && off * h.abs() > BESIDE.recip() * self.tolerance.of(*v)
        });
        off.any(|off| off)
    }

    /// The accelerations at a part of the step, from its dense output.
    fn rate_of_velocities(&self, part: f64) -> Vec<f64> {
        let n = self.size.len();
        let (from, to) = ((part - BESIDE).max(0.0), (part + BESIDE).min(1.0));
        let (mut low, mut high) = (vec![0.0; 2 * n], vec![0.0; 2 * n]);
        self.stepper.interpolate(from, &mut low);
        self.stepper.interpolate(to, &mut high);
        let time = (to - from) * self.stepper.taken();
        let pairs = low[n..].iter().zip(&high[n..]);
        pairs.map(|(low, high)| (high - low) / time).collect()
    }

    /// Everything at (t, y) next to a singular configuration, with the accelerations given. Position and velocity
    /// are moved where the gradients are independent.
    pub(super) fn core_sample(
        &mut self,
        t: f64,
        (mut y, a): (Vec<f64>, Vec<f64>),
    ) -> Result<Sample, Stop> {
        let n = self.set.problem.dynamics.coordinates();
        let mut at = Instant::of(self.set.problem.dynamics);
        // nearer to dependence than the position is known the direction of a row is noise
        let truncation = CORE_TRUNCATION.max(RANK_DOUBT * self.tolerance.rtol);
        let (x, v) = y.split_at_mut(n);
        if let Some(ahead) = &mut self.ahead {
            let rows = &mut ahead.rows;
            rows.stand_wide((t, x), &self.size, pace(&self.size, v));
            for _ in 0..2 {
                rows.look(t, x);
                let dx = rows.shortest(&rows.residual(), truncation);
                let dx = dx.ok_or(Stop::Position)?;
                subtract(x, &dx);
            }
            rows.look(t, x);
            let dv = rows.shortest(&rows.speed(v), truncation);
            let dv = dv.ok_or(Stop::Position)?;
            subtract(v, &dv);
        }
        self.set.problem.dynamics.instant(t, x, v, &mut at);
        let reaction = &at.mass * DVector::from_column_slice(&a) + &at.bias;
        if let Some(b) = at.constraint.not_finite() {
            return Err(Stop::Constraint(b));
        }
        if !(at.energy.is_finite() && reaction.iter().all(|r| r.is_finite())) {
            return Err(Stop::Equations);
        }
        let both = stacked(&at.constraint.jacobian, &at.velocity.rows);
        let lambda = self.core_multipliers(&both, &reaction);
        let lambda = lambda.unwrap_or_else(|| DVector::repeat(both.nrows(), f64::NAN));
        Ok(Sample {
            t,
            x: x.to_vec(),
            v: v.to_vec(),
            a,
            lambda: lambda.as_slice().to_vec(),
            reaction: reaction.as_slice().to_vec(),
            determinant: determinant(
                &mut self.block,
                (&at.constraint.jacobian, self.set.problem.dynamics.pattern()),
                (self.set.rows.len() + self.sides.off.len(), self.own),
            ),
            energy: at.energy,
            residual: at.constraint.largest(),
        })
    }

    /// The multipliers of least norm with W^T lambda = R, W and R in the units of the rows and the coordinates; `None` where they
    /// do not give the reaction, or rows in use are as good as dependent: then many give it.
    fn core_multipliers(
        &self,
        both: &DMatrix<f64>,
        reaction: &DVector<f64>,
    ) -> Option<DVector<f64>> {
        let (count, n) = both.shape();
        let (mut rows, mut columns) = (vec![1.0; count], vec![1.0; n]);
        // what was released does not push
        for &(b, _) in &self.sides.off {
            rows[b] = 0.0;
        }
        if let Some(ahead) = &self.ahead {
            columns.copy_from_slice(&ahead.rows.columns);
            // of many that give the reaction those of least norm are wanted, in their own units
            if !self.sides.is_dependent() {
                for (row, weight) in self.set.numbers().zip(&ahead.rows.weights) {
                    rows[row] = *weight;
                }
            }
        }
        let matrix = DMatrix::from_fn(n, count, |k, b| both[(b, k)] * rows[b] * columns[k]);
        let right = DVector::from_fn(n, |k, _| reaction[k] * columns[k]);
        let factors = LeastNorm::new(&matrix)?;
        if factors.rank(CORE_TRUNCATION) < self.set.count() {
            return None;
        }
        let found = factors.shortest(&right, CORE_TRUNCATION)?;
        let miss = (&matrix * &found - &right).amax();
        (miss <= CORE_TRUNCATION * right.amax())
            .then(|| DVector::from_fn(count, |b, _| found[b] * rows[b]))
    }

    /// Everything at (t, y), y on the constraints.
    pub(super) fn sample(&mut self, t: f64, y: &[f64]) -> Result<Sample, Stop> {
        let n = self.set.problem.dynamics.coordinates();
        let (at, a, active) = self.rhs.evaluate(t, y)?;
        let j = &at.constraint.jacobian;
        let m = j.nrows();
        let mut reaction = vec![0.0; n];
        let off = &self.sides.off;
        let (p, r) = (at.velocity.b.len(), self.set.rows.len());
        // of those in use, the others do not push
        let mut lambda = vec![0.0; m + p];
        for (&b, l) in self.set.rows.iter().zip(active) {
            lambda[b] = *l;
        }
        if let Some(pattern) = self.set.problem.dynamics.pattern() {
            for &(b, k) in &pattern.jacobian {
                reaction[k] += lambda[b] * j[(b, k)];
            }
        } else {
            for (&b, l) in self.set.rows.iter().zip(active) {
                for (k, force) in reaction.iter_mut().enumerate() {
                    *force += l * j[(b, k)];
                }
            }
        }
        for (&j, mu) in self.set.velocity.iter().zip(&active[r..]) {
            for (k, force) in reaction.iter_mut().enumerate() {
                *force += mu * at.velocity.rows[(j, k)];
            }
        }
        if self.sides.is_dependent() {
            let reaction = DVector::from_column_slice(&reaction);
            lambda = self.sides.shared(at, (&reaction, active.len()));
        } else {
            lambda[m..].copy_from_slice(&active[r..]);
        }
        let determinant = determinant(
            &mut self.block,
            (j, self.set.problem.dynamics.pattern()),
            (self.set.rows.len() + off.len(), self.own),
        );
        if !at.energy.is_finite() {
            return Err(Stop::Equations);
        }
        if let Some(energy) = &mut self.energy
            && !energy.is_kept(self.set.problem.dynamics, at, y)
        {
            return Err(Stop::Rejected);
        }
        Ok(Sample {
            t,
            x: y[..n].to_vec(),
            v: y[n..].to_vec(),
            a: a.to_vec(),
            lambda,
            reaction,
            determinant,
            energy: at.energy,
            residual: residual(&at.constraint, off),
        })
    }
}

/// max |f - c|; of a constraint that was released, what f falls short of c.
fn residual(value: &ConstraintValue, off: &[(usize, bool)]) -> f64 {
    let left = |b: usize| off.iter().any(|(released, _)| *released == b);
    let size = |(b, r): (usize, &f64)| if left(b) { (-r).max(0.0) } else { r.abs() };
    value
        .residual
        .iter()
        .enumerate()
        .map(size)
        .fold(0.0, f64::max)
}

/// det `J_D` of the system's own choice; 0 where constraints are redundant.
fn determinant(
    block: &mut Lu,
    (j, pattern): (&DMatrix<f64>, Option<&Pattern>),
    (regular, own): (usize, &[usize]),
) -> f64 {
    let m = j.nrows();
    if regular < m || own.len() < m {
        return 0.0;
    }
    if is_large(m, m) {
        let sparse = match pattern {
            Some(pattern) => Sparse::of_entries(j, &pattern.jacobian, own),
            None => Sparse::of_columns(j, own.iter().copied()),
        };
        return sparse.determinant();
    }
    block.determinant_of(own, |b, k| j[(b, k)])
}
