//! One-sided constraints f >= c. Their multipliers can only push, lambda >= 0: where one would have to pull,
//! the motion leaves the constraint, and where f comes back to c it meets it again.
//!
//! Both are looked for after each step, at its end and at some places within it on the dense output;
//! the change of sign is narrowed down there. A multiplier is negative where the force lambda grad f is, by
//! more than rounding of the forces.

use super::Integration;
use crate::solver::dynamics::ConstraintValue;
use crate::solver::error::SolverError;
use crate::solver::linearised::Stop;
use crate::solver::motion::{OneSided, Released};
use crate::solver::start::Start;

/// A force below this part of the forces is zero.
const NO_FORCE: f64 = 1e-10;
/// A distance below this part of its terms is zero.
const NO_GAP: f64 = 1e-9;
/// Places in a step that are looked at.
const PLACES: usize = 4;
/// Halvings of an interval.
const HALVINGS: usize = 60;

/// The one-sided constraints of a motion.
#[derive(Debug, Clone, Default)]
pub(in crate::solver) struct Sides {
    /// Those in use: index, and place among the constraints in use.
    on: Vec<(usize, usize)>,
    /// Those released, and whether the motion has left them for good.
    pub(in crate::solver) off: Vec<(usize, bool)>,
}

/// A release: where, and the velocities.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::solver) struct Departure {
    pub(in crate::solver) at: Released,
    pub(in crate::solver) v: Vec<f64>,
}

/// What ends a leg of the motion within a step.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::solver) enum Event {
    Release(Departure),
    Contact { t: f64, constraint: usize },
}

impl Event {
    pub(in crate::solver) fn t(&self) -> f64 {
        match self {
            Self::Release(departure) => departure.at.t,
            Self::Contact { t, .. } => *t,
        }
    }
}

impl Sides {
    pub(in crate::solver) fn new(
        one_sided: &[OneSided],
        rows: &[usize],
        released: &[usize],
    ) -> Self {
        let on = one_sided.iter().filter_map(|o| {
            let place = rows.iter().position(|b| *b == o.constraint)?;
            Some((o.constraint, place))
        });
        Self {
            on: on.collect(),
            off: released.iter().map(|&b| (b, false)).collect(),
        }
    }

    /// Is there nothing to watch?
    pub(in crate::solver) fn idle(&self) -> bool {
        self.on.is_empty() && self.off.is_empty()
    }
}

impl Integration<'_> {
    /// A one-sided constraint that would have to pull from the start on: that which pulls most.
    pub(in crate::solver) fn pull_at(&mut self, start: &Start) -> Option<Departure> {
        if self.sides.on.is_empty() {
            return None;
        }
        let y: Vec<f64> = start.x.iter().chain(&start.v).copied().collect();
        let (_, worst) = self.pull(start.t, &y).ok()?;
        let constraint = worst?;
        Some(Departure {
            at: Released {
                t: start.t,
                x: start.x.clone(),
                constraint,
            },
            v: start.v.clone(),
        })
    }

    /// The multipliers of the one-sided constraints in use, and that which pulls most.
    fn pull(&mut self, t: f64, y: &[f64]) -> Result<(Vec<f64>, Option<usize>), Stop> {
        let on = self.sides.on.clone();
        let (at, a, lambda) = self.rhs.evaluate(t, y)?;
        let mut scale = 0.0_f64;
        for (k, h) in at.bias.iter().enumerate() {
            let inertia: f64 = a
                .iter()
                .zip(at.mass.row(k).iter())
                .map(|(a, m)| a * m)
                .sum();
            scale = scale.max(h.abs()).max(inertia.abs());
        }
        let mut worst = (NO_FORCE * scale, None);
        let mut list = Vec::new();
        for (b, place) in on {
            let l = lambda.get(place).copied().unwrap_or(f64::NAN);
            let force = -l * at.constraint.jacobian.row(b).amax();
            if force > worst.0 {
                worst = (force, Some(b));
            }
            list.push(l);
        }
        Ok((list, worst.1))
    }

    /// The distances of the constraints that were released, and whether each is zero.
    fn gaps(&self, t: f64, y: &[f64]) -> Vec<(f64, bool)> {
        let dynamics = self.set.problem.dynamics;
        let value = ConstraintValue::at(dynamics, t, &y[..self.size.len()]);
        let gap = |&(b, _): &(usize, bool)| {
            let gap: f64 = value.residual[b];
            (gap, gap.abs() <= NO_GAP * value.scale[b])
        };
        self.sides.off.iter().map(gap).collect()
    }

    /// The state at a part of the step that was accepted, on the constraints.
    fn state(&mut self, part: f64) -> Result<(f64, Vec<f64>), Stop> {
        let Self { stepper, rhs, .. } = self;
        let t = stepper.start().t + part * stepper.taken();
        if part >= 1.0 {
            return Ok((stepper.end().t, stepper.end().y.to_vec()));
        }
        stepper.prepare(&mut |t, y: &[f64], dy: &mut [f64]| rhs.derivative(t, y, dy))?;
        let mut y = stepper.end().y.to_vec();
        stepper.interpolate(part, &mut y);
        rhs.project(t, &mut y)?;
        Ok((t, y))
    }

    /// The first release or contact in the step that was accepted.
    pub(in crate::solver) fn side_event(&mut self) -> Result<Option<Event>, Stop> {
        if self.sides.idle() {
            return Ok(None);
        }
        let mut before = 0.0;
        for i in 1..=PLACES {
            let part = i as f64 / PLACES as f64;
            let (t, y) = self.state(part)?;
            let touching = (0..self.sides.off.len()).find(|&i| self.touches(i, t, &y));
            if let Some(i) = touching {
                let (mut low, mut high) = (before, part);
                for _ in 0..HALVINGS {
                    let middle = f64::midpoint(low, high);
                    let (t, y) = self.state(middle)?;
                    if self.gaps(t, &y)[i].0 < 0.0 {
                        high = middle;
                    } else {
                        low = middle;
                    }
                }
                let constraint = self.sides.off[i].0;
                let (t, _) = self.state(low)?;
                return Ok(Some(Event::Contact { t, constraint }));
            }
            for (i, (gap, zero)) in self.gaps(t, &y).into_iter().enumerate() {
                self.sides.off[i].1 |= gap > 0.0 && !zero;
            }
            if !self.sides.on.is_empty()
                && let (_, Some(constraint)) = self.pull(t, &y)?
            {
                return self.release(constraint, (before, part)).map(Some);
            }
            before = part;
        }
        Ok(None)
    }

    /// Whether the motion is on the wrong side of a constraint that was released.
    fn touches(&self, i: usize, t: f64, y: &[f64]) -> bool {
        let (gap, zero) = self.gaps(t, y)[i];
        gap < 0.0 && (self.sides.off[i].1 || !zero)
    }

    /// The zero of the multiplier between two parts of the step.
    fn release(
        &mut self,
        constraint: usize,
        (mut low, mut high): (f64, f64),
    ) -> Result<Event, Stop> {
        let place = self.sides.on.iter().position(|(b, _)| *b == constraint);
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(low, high);
            let (t, y) = self.state(middle)?;
            let (list, _) = self.pull(t, &y)?;
            if place.and_then(|i| list.get(i)).is_some_and(|l| *l < 0.0) {
                high = middle;
            } else {
                low = middle;
            }
        }
        let (t, y) = self.state(low)?;
        let (x, v) = y.split_at(y.len() / 2);
        Ok(Event::Release(Departure {
            at: Released {
                t,
                constraint,
                x: x.to_vec(),
            },
            v: v.to_vec(),
        }))
    }

    /// What an event means for the motion.
    pub(in crate::solver) fn departure(&self, event: Event) -> Result<Departure, SolverError> {
        match event {
            Event::Release(departure) => Ok(departure),
            Event::Contact { t, constraint } => Err(SolverError::Contact {
                constraint: self.set.problem.constraint(constraint),
                t,
            }),
        }
    }
}
