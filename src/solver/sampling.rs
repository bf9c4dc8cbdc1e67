//! Samples of a motion: everything at a time within a step, and next to a singular configuration.

use nalgebra::{DMatrix, DVector};

use super::course::Course;
use super::dynamics::{ConstraintValue, Instant};
use super::linear::Lu;
use super::method::Stop;
use super::motion::Sample;
use super::stepper::Stepper;
use crate::geometry::LeastNorm;
use crate::sparse::{Sparse, is_large};

/// Singular values below this part of the largest are those of a singular configuration.
const CORE_TRUNCATION: f64 = 1e-4;

impl Course<'_> {
    /// The sample at a time within the step that was just accepted.
    pub(super) fn within(&mut self, moment: f64) -> Result<Sample, Stop> {
        let Self {
            stepper, machine, ..
        } = self;
        let (t, _, _) = stepper.start();
        let (t_new, y_new, _) = stepper.end();
        if moment == t_new {
            let y = y_new.to_vec();
            return self.sample(moment, &y);
        }
        stepper.prepare(&mut |t, y: &[f64], dy: &mut [f64]| machine.derivative(t, y, dy))?;
        let mut y = vec![0.0; 2 * self.problem.dynamics.coordinates()];
        let part = (moment - t) / stepper.taken();
        stepper.interpolate(part, &mut y);
        if let Stepper::Across(passage) = stepper
            && passage.core(part)
        {
            let a = passage.accelerations(part);
            return self.core_sample(moment, (y, a));
        }
        machine.project(moment, &mut y)?;
        self.sample(moment, &y)
    }

    /// Everything at (t, y) next to a singular configuration, with the accelerations given. The position
    /// is moved where the gradients are independent; the multipliers are those of least norm, and none
    /// where no multipliers give the force.
    fn core_sample(&mut self, t: f64, (mut y, a): (Vec<f64>, Vec<f64>)) -> Result<Sample, Stop> {
        let (n, m) = (
            self.problem.dynamics.coordinates(),
            self.problem.dynamics.constraints(),
        );
        let mut at = Instant::new(n, m);
        let (x, v) = y.split_at_mut(n);
        for _ in 0..2 {
            self.problem.dynamics.constraint(t, x, &mut at.constraint);
            let j = &at.constraint.jacobian;
            let dx = truncated(j, &at.constraint.residual).ok_or(Stop::Position)?;
            x.iter_mut().zip(&dx).for_each(|(x, dx)| *x -= dx);
        }
        self.problem.dynamics.constraint(t, x, &mut at.constraint);
        let speed = &at.constraint.jacobian * DVector::from_column_slice(v) + &at.constraint.f_t;
        let dv = truncated(&at.constraint.jacobian, &speed).ok_or(Stop::Position)?;
        v.iter_mut().zip(&dv).for_each(|(v, dv)| *v -= dv);
        self.problem.dynamics.instant(t, x, v, &mut at);
        let reaction = &at.mass * DVector::from_column_slice(&a) + &at.bias;
        if let Some(b) = at.constraint.not_finite() {
            return Err(Stop::Constraint(b));
        }
        if !(at.energy.is_finite() && reaction.iter().all(|r| r.is_finite())) {
            return Err(Stop::Equations);
        }
        let j = &at.constraint.jacobian;
        let transposed = j.transpose();
        let lambda = truncated(&transposed, &reaction)
            .filter(|lambda| {
                let miss = (&transposed * lambda - &reaction).amax();
                miss <= CORE_TRUNCATION * reaction.amax()
            })
            .unwrap_or_else(|| DVector::repeat(m, f64::NAN));
        Ok(Sample {
            t,
            x: x.to_vec(),
            v: v.to_vec(),
            a,
            lambda: lambda.as_slice().to_vec(),
            reaction: reaction.as_slice().to_vec(),
            determinant: determinant(
                &mut self.block,
                j,
                (self.rows.len() + self.sides.off.len(), self.own),
            ),
            energy: at.energy,
            residual: at.constraint.largest(),
        })
    }

    /// Everything at (t, y), y on the constraints.
    pub(super) fn sample(&mut self, t: f64, y: &[f64]) -> Result<Sample, Stop> {
        let n = self.problem.dynamics.coordinates();
        let (at, a, active) = self.machine.evaluate(t, y)?;
        let j = &at.constraint.jacobian;
        let m = j.nrows();
        let mut reaction = vec![0.0; n];
        for (&b, l) in self.rows.iter().zip(active) {
            for (k, force) in reaction.iter_mut().enumerate() {
                *force += l * j[(b, k)];
            }
        }
        let off = &self.sides.off;
        let (p, r) = (at.velocity.b.len(), self.rows.len());
        for (&j, mu) in self.velocity.iter().zip(&active[r..]) {
            for (k, force) in reaction.iter_mut().enumerate() {
                *force += mu * at.velocity.rows[(j, k)];
            }
        }
        let lambda = if r + off.len() == m && self.velocity.len() == p {
            let mut lambda = vec![0.0; m + p];
            for (&b, l) in self.rows.iter().zip(active) {
                lambda[b] = *l;
            }
            lambda[m..].copy_from_slice(&active[r..]);
            lambda
        } else if p == 0 {
            least_norm(j, &reaction, r)
        } else {
            let both = stacked(j, &at.velocity.rows);
            least_norm(&both, &reaction, active.len())
        };
        let determinant = determinant(&mut self.block, j, (self.rows.len() + off.len(), self.own));
        if !at.energy.is_finite() {
            return Err(Stop::Equations);
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

/// The least norm solution of J dx = r without the directions in which J is nearly singular.
fn truncated(j: &DMatrix<f64>, r: &DVector<f64>) -> Option<DVector<f64>> {
    LeastNorm::whole(j, CORE_TRUNCATION)?.solve(r)
}

/// det `J_D` of the system's own choice; 0 where constraints are redundant.
fn determinant(block: &mut Lu, j: &DMatrix<f64>, (regular, own): (usize, &[usize])) -> f64 {
    let m = j.nrows();
    if regular < m || own.len() < m {
        return 0.0;
    }
    if is_large(m, m) {
        return Sparse::new(j).select(own).determinant();
    }
    let entries = block.entries();
    for b in 0..m {
        for (slot, &d) in entries[b * m..(b + 1) * m].iter_mut().zip(own) {
            *slot = j[(b, d)];
        }
    }
    if m == 0 || block.factor() > 0.0 {
        block.determinant()
    } else {
        0.0
    }
}

/// W = [J; A].
fn stacked(j: &DMatrix<f64>, a: &DMatrix<f64>) -> DMatrix<f64> {
    let m = j.nrows();
    DMatrix::from_fn(m + a.nrows(), j.ncols(), |b, k| {
        if b < m { j[(b, k)] } else { a[(b - m, k)] }
    })
}

/// The multipliers of least norm with J^T lambda = R.
fn least_norm(j: &DMatrix<f64>, reaction: &[f64], rank: usize) -> Vec<f64> {
    let m = j.nrows();
    let svd = j.transpose().svd(true, true);
    let mut sizes: Vec<f64> = svd.singular_values.iter().copied().collect();
    sizes.sort_by(|a, b| b.total_cmp(a));
    let last = rank
        .checked_sub(1)
        .and_then(|k| sizes.get(k))
        .copied()
        .unwrap_or(0.0);
    let solved = svd.solve(&DVector::from_column_slice(reaction), 0.5 * last);
    solved.map_or_else(|_| vec![f64::NAN; m], |lambda| lambda.as_slice().to_vec())
}
