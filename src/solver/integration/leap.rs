//! Over a time at which what depends on time jumps, from the end of a step to the beginning of the next; and states between the
//! samples, so that nothing that a step saw lies unseen between two that are known.

use super::{Grid, Integration};
use crate::solver::dynamics::{ConstraintValue, VelocityValue};
use crate::solver::error::{Jump, SolverError};
use crate::solver::linearised::Stop;
use nalgebra::RowDVector;

/// What differs by this part of its terms jumps.
const JUMPS: f64 = 1e-6;

impl Integration<'_> {
    /// Goes on at another time, over a jump of what depends on time. Position and velocity stay what they are, which the constraints
    /// have to allow.
    pub(super) fn leap(&mut self, t: f64, end: f64) -> Result<(), SolverError> {
        let before = self.stepper.end();
        let (from, y) = (before.t, before.y.to_vec());
        if let Some(kink) = self.jumped((from, t), &y) {
            return Err(kink);
        }
        let (x, v) = y.split_at(self.size.len());
        let sides = [from, t].map(|t| self.set.problem.dynamics.lagrangian(t, x, v));
        if let [Some(before), Some(after)] = &sides
            && self.momenta_jump((t, &y), [before, after], None)
        {
            return Err(SolverError::MomentumJump { t: from });
        }
        self.taken = false;
        self.leapt = true;
        self.unpassed = None;
        self.again = None;
        let begun = self.restart((t, &y), (end, f64::INFINITY));
        begun.map_err(|stop| self.reason(stop, (t, &y), 0.0))
    }

    /// The constraint in use that a state satisfies at one time and not at the next.
    fn jumped(&self, (from, to): (f64, f64), y: &[f64]) -> Option<SolverError> {
        let problem = self.set.problem;
        let (x, v) = y.split_at(self.size.len());
        let look = |t: f64| {
            let mut velocity = VelocityValue::of(problem.dynamics);
            problem.dynamics.velocity(t, x, &mut velocity);
            (ConstraintValue::at(problem.dynamics, t, x), velocity)
        };
        let (before, after) = (look(from), look(to));
        let kink = |row: usize, of: Jump| {
            let constraint = problem.constraint(row);
            Some(SolverError::Kink {
                constraint,
                of,
                t: from,
            })
        };
        // a rate J x' + f_t and the size of its terms
        let rate = |row: RowDVector<f64>, rest: f64| {
            let terms = row.iter().zip(v).map(|(entry, v)| entry * v);
            let (sum, size) = terms.fold((rest, rest.abs()), |(sum, size), term| {
                (sum + term, size + term.abs())
            });
            (sum, size)
        };
        let jumps = |(a, size_a): (f64, f64), (b, size_b): (f64, f64)| {
            (a - b).abs() > JUMPS * (size_a + size_b)
        };
        let position = self.set.rows.iter().find_map(|&b| {
            let value = |at: &ConstraintValue| (at.residual[b], at.scale[b]);
            let speed = |at: &ConstraintValue| rate(at.jacobian.row(b).into_owned(), at.f_t[b]);
            if jumps(value(&before.0), value(&after.0)) {
                return kink(b, Jump::Value);
            }
            let jumps = jumps(speed(&before.0), speed(&after.0));
            jumps.then(|| kink(b, Jump::Gradient)).flatten()
        });
        position.or_else(|| {
            let m = problem.dynamics.constraints();
            self.set.velocity.iter().find_map(|&j| {
                let speed = |at: &VelocityValue| rate(at.rows.row(j).into_owned(), at.b[j]);
                let jumps = jumps(speed(&before.1), speed(&after.1));
                jumps.then(|| kink(m + j, Jump::Gradient)).flatten()
            })
        })
    }

    /// States of the step that was just accepted beside its samples, so that no more than a part of it lies between two that are
    /// known; both sides of a jump.
    pub(super) fn look_closely(&mut self, grid: &Grid, reached: f64) -> Result<(), Stop> {
        /// A gap so much longer than wanted is divided.
        const LONGER: f64 = 1.25;
        let t = self.stepper.start().t;
        let apart = (reached - t) / self.closely as f64;
        let mut moments = Vec::new();
        if self.leapt {
            moments.push(t);
        }
        let mut last = t;
        let due = self.fresh.iter().map(|sample| sample.t);
        for next in due.chain([reached]) {
            let parts = (next - last) / apart;
            // nothing lies within a step that ends where it begins
            if parts > LONGER && apart != 0.0 {
                let parts = parts.ceil();
                let inner = (1..parts as usize).map(|k| last + (next - last) * (k as f64 / parts));
                moments.extend(inner);
            }
            last = next;
        }
        if self.fresh.last().is_none_or(|sample| sample.t != reached) && grid.ends_at(reached) {
            moments.push(reached);
        }
        for moment in moments {
            let sample = self.within(moment)?;
            self.between.push(sample);
        }
        Ok(())
    }
}
