//! One-sided constraints f >= c. Their multipliers can only push, lambda >= 0: where one would have to pull,
//! the motion leaves the constraint, and where f comes back to c it meets it again.
//!
//! Both are looked for after each step, at its end and at some places within it on the dense output;
//! the change of sign is narrowed down there. A multiplier is negative where the force lambda grad f is, by
//! more than rounding of the forces. Where constraints are dependent many multipliers give the same force: then Gauss'
//! principle tells what parts (see `geometry::unilateral`).

use nalgebra::{DMatrix, DVector};

use super::Integration;
use crate::geometry::{LeastNorm, unilateral};
use crate::solver::dynamics::{ConstraintValue, Instant, stacked};
use crate::solver::error::SolverError;
use crate::solver::linearised::Stop;
use crate::solver::minimum::least;
use crate::solver::motion::OneSided;
use crate::solver::rank::InUse;
use crate::solver::start::Start;

/// A force below this part of the forces is zero.
const NO_FORCE: f64 = 1e-10;
/// Of constraints that let go together each parts at least so fast, in parts of the fastest.
const SHARE: f64 = 1e-4;
/// A distance below this part of its terms is zero.
const NO_GAP: f64 = 1e-9;
/// Places in a step that are looked at, each with one so far beside it;
const PLACES: usize = 4;
const BESIDE: f64 = 1e-3;
/// and golden sections that the least value between two of them takes.
const SECTIONS: i32 = 30;
/// Halvings of an interval.
const HALVINGS: usize = 60;

/// The one-sided constraints of a motion.
#[derive(Debug, Clone)]
pub(in crate::solver) struct Sides {
    /// Those in force.
    on: Vec<usize>,
    /// All constraints on positions in force, where some of either kind follow from those in use.
    dependent: Option<Vec<usize>>,
    /// Those released, and whether the motion has left them for good.
    pub(in crate::solver) off: Vec<(usize, bool)>,
}

/// A release: when, where, the velocities, and of which constraints.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::solver) struct Departure {
    pub(in crate::solver) t: f64,
    pub(in crate::solver) x: Vec<f64>,
    pub(in crate::solver) v: Vec<f64>,
    pub(in crate::solver) constraints: Vec<usize>,
}

/// What ends a leg of the motion within a step, and when: a release, or a contact.
pub(in crate::solver) type Event = (f64, Result<Departure, SolverError>);

/// What one of them must not do, and the motion so far would have it do.
#[derive(Debug, Clone, Copy)]
enum Occurrence {
    /// One that was released, by its place among them, is less than its value.
    Contact(usize),
    /// This constraint would have to pull.
    Pull(usize),
}

/// How one-sided constraints pull: each by its index.
struct Pull {
    list: Vec<(usize, f64)>,
    /// what is no pull
    nothing: f64,
    /// do all let go that pull at all?
    together: bool,
}

impl Pull {
    /// That which pulls most.
    fn worst(&self) -> Option<usize> {
        let pulls = self.list.iter().filter(|e| e.1 > self.nothing);
        Some(pulls.max_by(|a, b| a.1.total_cmp(&b.1))?.0)
    }

    /// Would this one have to pull?
    fn is_pulled(&self, constraint: usize) -> bool {
        let least = if self.together { self.nothing } else { 0.0 };
        self.list.iter().any(|e| e.0 == constraint && e.1 > least)
    }

    /// Those that let go where `worst` does.
    fn released(&self, worst: usize) -> Vec<usize> {
        let own = self.list.iter().find(|e| e.0 == worst);
        let least = own.map_or(f64::INFINITY, |e| SHARE * e.1);
        let others = self
            .list
            .iter()
            .filter(|e| self.together && e.1 > least && e.0 != worst);
        [worst].into_iter().chain(others.map(|e| e.0)).collect()
    }
}

impl Sides {
    pub(in crate::solver) fn new(
        one_sided: &[OneSided],
        set: InUse<'_>,
        released: &[usize],
    ) -> Self {
        let dynamics = set.dynamics();
        let (m, p) = (dynamics.constraints(), dynamics.velocity_constraints());
        let in_force: Vec<usize> = (0..m).filter(|b| !released.contains(b)).collect();
        let all_used = set.rows.len() == in_force.len() && set.velocity.len() == p;
        let on = one_sided.iter().map(|o| o.constraint);
        Self {
            on: on.filter(|b| !released.contains(b)).collect(),
            off: released.iter().map(|&b| (b, false)).collect(),
            dependent: (!all_used).then_some(in_force),
        }
    }

    /// Do some constraints in force follow from others?
    pub(in crate::solver) fn is_dependent(&self) -> bool {
        self.dependent.is_some()
    }

    /// The gradients of all constraints in force, and which of them are one-sided.
    fn in_force(&self, at: &Instant) -> (DMatrix<f64>, Vec<bool>) {
        let rows = self.dependent.as_deref().unwrap_or_default();
        let jacobian = at.constraint.jacobian.select_rows(rows);
        let w = stacked(&jacobian, &at.velocity.rows);
        let sided = |b: usize| rows.get(b).is_some_and(|row| self.on.contains(row));
        let sided = (0..w.nrows()).map(sided).collect();
        (w, sided)
    }

    /// Multipliers of all constraints, of which some are dependent, that share the reaction: those of least norm with W^T lambda = R,
    /// or where some of them would pull others of which none does. `rank` is that of W.
    pub(in crate::solver) fn shared(
        &self,
        at: &Instant,
        (reaction, rank): (&DVector<f64>, usize),
    ) -> Vec<f64> {
        let (w, sided) = self.in_force(at);
        let rows = self.dependent.as_deref().unwrap_or_default();
        let (m, own) = (at.gamma.len(), rows.len());
        let least = LeastNorm::new(&w.transpose()).and_then(|w| w.along(reaction, rank));
        let pulls = |l: &DVector<f64>| l.iter().zip(&sided).any(|(l, sided)| *sided && *l < 0.0);
        let found = match least {
            Some(least) if !pulls(&least) => least,
            _ => match unilateral(&at.mass, (&w, &sided), (reaction, &at.bias)) {
                Some(found) => found.multipliers,
                None => DVector::repeat(sided.len(), f64::NAN),
            },
        };
        let mut all = vec![0.0; m];
        for (row, l) in rows.iter().zip(found.iter()) {
            all[*row] = *l;
        }
        all.extend(found.iter().skip(own));
        all
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
        let pull = self.pull(start.t, &y).ok()?;
        Some(Departure {
            t: start.t,
            x: start.x.clone(),
            v: start.v.clone(),
            constraints: pull.released(pull.worst()?),
        })
    }

    /// How the one-sided constraints in force pull.
    fn pull(&mut self, t: f64, y: &[f64]) -> Result<Pull, Stop> {
        if self.sides.is_dependent() {
            return self.pull_together(t, y);
        }
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
        let places = self.sides.on.iter().filter_map(|&b| {
            let place = self.set.rows.iter().position(|row| *row == b)?;
            let force = -lambda.get(place)? * at.constraint.jacobian.row(b).amax();
            Some((b, force))
        });
        Ok(Pull {
            list: places.collect(),
            nothing: NO_FORCE * scale,
            together: false,
        })
    }

    /// The same among dependent constraints: a pull is how fast one would part.
    fn pull_together(&mut self, t: f64, y: &[f64]) -> Result<Pull, Stop> {
        let (at, a, _) = self.rhs.evaluate(t, y)?;
        let reaction = &at.mass * DVector::from_column_slice(a) + &at.bias;
        let (w, sided) = self.sides.in_force(at);
        let found = unilateral(&at.mass, (&w, &sided), (&reaction, &at.bias));
        let parting = found.ok_or(Stop::Singular)?.parting;
        let rows = self.sides.dependent.iter().flatten();
        let pairs = rows.copied().zip(parting.iter().copied());
        let sided = pairs.filter(|(b, _)| self.sides.on.contains(b));
        Ok(Pull {
            list: sided.collect(),
            nothing: NO_FORCE,
            together: true,
        })
    }

    /// The distances of the constraints that were released, and whether each is zero.
    fn gaps(&self, t: f64, y: &[f64]) -> Vec<(f64, bool)> {
        if self.sides.off.is_empty() {
            return Vec::new();
        }
        let dynamics = self.set.problem.dynamics;
        let value = ConstraintValue::at(dynamics, t, &y[..self.size.len()]);
        let gap = |&(b, _): &(usize, bool)| {
            let gap: f64 = value.residual[b];
            let slope: f64 = value.jacobian.row(b).iter().map(|e| e.abs()).sum();
            (
                gap,
                gap.abs() <= (NO_GAP * value.scale[b]).max(self.tolerance.atol * slope),
            )
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
        let mut falls = self.falls(0.0, BESIDE)?;
        for i in 1..=PLACES {
            let ends = [i - 1, i].map(|i| i as f64 / PLACES as f64);
            let fell = std::mem::replace(&mut falls, self.falls(ends[1], -BESIDE)?);
            // what falls and rises again may be less than zero between
            let dips = fell
                .iter()
                .zip(&falls)
                .map(|(before, after)| *before && !after);
            let dips: Vec<usize> = dips.enumerate().filter(|e| e.1).map(|e| e.0).collect();
            let mut places = Vec::new();
            for item in dips {
                let (place, _) = least((ends[0], ends[1]), (SECTIONS, 0.0), |part| {
                    let margins = self.state(part).and_then(|(t, y)| self.margins(t, &y));
                    margins.map_or(f64::NAN, |list| list[item])
                });
                places.push(place);
            }
            places.sort_by(f64::total_cmp);
            let mut before = ends[0];
            for part in places.into_iter().chain([ends[1]]) {
                let event = self.side_event_between(before, part)?;
                if event.is_some() {
                    return Ok(event);
                }
                before = part;
            }
        }
        Ok(None)
    }

    /// What must not be negative: of the constraints in force how much each pushes, of those released how far off they are.
    fn margins(&mut self, t: f64, y: &[f64]) -> Result<Vec<f64>, Stop> {
        let mut list: Vec<f64> = if self.sides.on.is_empty() {
            Vec::new()
        } else {
            let pull = self.pull(t, y)?;
            pull.list.iter().map(|(_, pull)| -pull).collect()
        };
        list.extend(self.gaps(t, y).iter().map(|(gap, _)| gap));
        Ok(list)
    }

    /// Which of them fall at a part of the step, as they are a little later, or earlier, tells.
    fn falls(&mut self, part: f64, beside: f64) -> Result<Vec<bool>, Stop> {
        let mut at = |part: f64| {
            let (t, y) = self.state(part)?;
            self.margins(t, &y)
        };
        let (here, there) = (at(part)?, at(part + beside)?);
        let pairs = here.iter().zip(&there);
        Ok(pairs
            .map(|(here, there)| (there - here) * beside < 0.0)
            .collect())
    }

    /// The first event between two parts of the step, of those that there are at the second and not at the first.
    fn side_event_between(&mut self, before: f64, part: f64) -> Result<Option<Event>, Stop> {
        let (t, y) = self.state(part)?;
        let gaps = self.gaps(t, &y);
        if self.occurs((t, &y), &gaps)?.is_none() {
            for ((gap, zero), (_, left)) in gaps.into_iter().zip(&mut self.sides.off) {
                *left |= gap > 0.0 && !zero;
            }
            return Ok(None);
        }
        let (low, high) = self.narrowed((before, part), |own, t, y| {
            let gaps = own.gaps(t, y);
            Ok(own.occurs((t, y), &gaps)?.is_some())
        })?;
        let (later, there) = self.state(high)?;
        let gaps = self.gaps(later, &there);
        let Some(first) = self.occurs((later, &there), &gaps)? else {
            return Ok(None);
        };
        let is_so = |own: &mut Self, t: f64, y: &[f64]| own.is_so(first, t, y);
        let (mut t, mut y) = self.state(low)?;
        if is_so(self, t, &y)? {
            // what is beyond a tolerance was beyond zero before
            let (low, _) = self.narrowed((before, low), is_so)?;
            (t, y) = self.state(low)?;
        }
        let outcome = match first {
            Occurrence::Contact(i) => {
                let constraint = self.set.problem.constraint(self.sides.off[i].0);
                Err(SolverError::Contact { constraint, t })
            }
            Occurrence::Pull(constraint) => {
                let (x, v) = y.split_at(y.len() / 2);
                Ok(Departure {
                    t,
                    x: x.to_vec(),
                    v: v.to_vec(),
                    constraints: self.pull(later, &there)?.released(constraint),
                })
            }
        };
        Ok(Some((t, outcome)))
    }

    /// What must not be, foremost a motion on the wrong side of a constraint that was released, these `gaps` off them.
    fn occurs(
        &mut self,
        (t, y): (f64, &[f64]),
        gaps: &[(f64, bool)],
    ) -> Result<Option<Occurrence>, Stop> {
        let mut pairs = gaps.iter().zip(&self.sides.off);
        let touches = pairs.position(|((gap, zero), (_, left))| *gap < 0.0 && (*left || !zero));
        if touches.is_some() || self.sides.on.is_empty() {
            return Ok(touches.map(Occurrence::Contact));
        }
        Ok(self.pull(t, y)?.worst().map(Occurrence::Pull))
    }

    /// The same of one of them, to zero and not to a tolerance.
    fn is_so(&mut self, what: Occurrence, t: f64, y: &[f64]) -> Result<bool, Stop> {
        Ok(match what {
            Occurrence::Contact(i) => self.gaps(t, y)[i].0 < 0.0,
            Occurrence::Pull(constraint) => self.pull(t, y)?.is_pulled(constraint),
        })
    }

    /// Two parts of the step, between two others, of which something is so at the second and not at the first.
    fn narrowed(
        &mut self,
        (mut low, mut high): (f64, f64),
        is_so: impl Fn(&mut Self, f64, &[f64]) -> Result<bool, Stop>,
    ) -> Result<(f64, f64), Stop> {
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(low, high);
            let (t, y) = self.state(middle)?;
            if is_so(self, t, &y)? {
                high = middle;
            } else {
                low = middle;
            }
        }
        Ok((low, high))
    }
}
