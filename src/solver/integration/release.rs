//! One-sided constraints f >= c. Their multipliers can only push, lambda >= 0: where one would have to pull,
//! the motion leaves the constraint, and where f comes back to c it meets it again.
//!
//! Both are looked for after each step, at its end and at some places within it on the dense output;
//! the change of sign is narrowed down there. A multiplier is negative where the force lambda grad f is, by
//! more than rounding of the forces. Where constraints are dependent many multipliers give the same force: then Gauss'
//! principle tells what parts (see `geometry::unilateral`).

use nalgebra::{DMatrix, DVector};

use super::{Grid, Integration};
use crate::geometry::{LeastNorm, Unilateral, unilateral};
use crate::solver::dynamics::{ConstraintValue, Instant, stacked};
use crate::solver::error::SolverError;
use crate::solver::linearised::Stop;
use crate::solver::method::Method;
use crate::solver::minimum::least;
use crate::solver::motion::OneSided;
use crate::solver::rank::InUse;
use crate::solver::start::Start;
use crate::solver::stepper::Stepper;
use crate::system::Release;

/// A force below this part of what it would be if no forces cancelled is zero,
const NO_FORCE: f64 = 1e-10;
/// and in a passage, whose positions are known less well, below this.
const NO_FORCE_ACROSS: f64 = 1e-6;
/// What is so for less than counts began when it was more than this part of that, and what was released has left its constraint when
/// it is farther off.
const FAINT: f64 = 1e-3;
/// Parting more slowly than this is rounding.
const NO_PARTING: f64 = 1e-12;
/// Of constraints that let go together each parts at least so fast, in parts of the fastest.
const SHARE: f64 = 1e-4;
/// A distance below this part of its terms is zero.
const NO_GAP: f64 = 1e-9;
/// Places in a step that are looked at, each with one so far beside it;
const PLACES: usize = 4;
const BESIDE: f64 = 1e-3;
/// in all of a run at least so many, however long its steps: what is shorter than the places are apart may be missed;
const IN_A_RUN: f64 = 250.0;
/// and between two of them one at this part of the way: in no ratio to a period of what oscillates faster than the steps.
const INSIDE: f64 = 0.381_966;
/// It is foreseen if off by less than this part of the values,
const FORESEEN: f64 = 2e-4;
/// or if all of them are so many times farther from zero, and than their slopes lead.
const AWAY: f64 = 8.0;
/// Intervals shorter than this part of a step are not divided further,
const SHORTEST: f64 = 1e-6;
/// and at most so many are;
const FINER: usize = 4000;
/// and golden sections that the least value between two of them takes.
const SECTIONS: i32 = 30;
/// Halvings of an interval.
const HALVINGS: usize = 60;

/// The one-sided constraints of a motion.
#[derive(Debug, Clone)]
pub(in crate::solver) struct Sides {
    /// Those in force.
    on: Vec<usize>,
    /// All constraints on positions in force.
    in_force: Vec<usize>,
    /// Do some of them, or on velocities, follow from others?
    dependent: bool,
    /// Those released, and whether the motion has left them for good.
    pub(in crate::solver) off: Vec<(usize, bool)>,
    /// Those whose release ends the motion.
    last: Vec<usize>,
}

/// Where other rows take over, and with which velocities.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::solver) struct Departure {
    pub(in crate::solver) t: f64,
    pub(in crate::solver) x: Vec<f64>,
    pub(in crate::solver) v: Vec<f64>,
    /// The one-sided constraints that are released,
    pub(in crate::solver) constraints: Vec<usize>,
    /// and whether the motion ends with that.
    pub(in crate::solver) ends: bool,
    /// Of dependent constraints those that imply the others from here on, as all are numbered, and the time of the place that they are
    /// chosen for; where that is known.
    pub(in crate::solver) rows: Option<(Vec<usize>, f64)>,
    /// How the motion is computed from here on, where that is another way.
    pub(in crate::solver) method: Option<Method>,
}

/// What ends a leg of the motion within a step, and when: a release, or a contact. It is large and rare, and handed on in each
/// step.
pub(in crate::solver) type Event = (f64, Box<Result<Departure, SolverError>>);

/// What one of them must not do, and the motion so far would have it do.
#[derive(Debug, Clone, Copy)]
enum Occurrence {
    /// One that was released, by its place among them, is less than its value.
    Contact(usize),
    /// This constraint would have to pull.
    Pull(usize),
}

/// How a one-sided constraint pulls.
struct Pull {
    constraint: usize,
    /// The force, or how fast it would part.
    size: f64,
    /// What is no pull.
    nothing: f64,
}

/// How one-sided constraints pull.
struct Pulls {
    list: Vec<Pull>,
    /// do all let go that pull at all?
    together: bool,
}

impl Pulls {
    /// That which pulls most.
    fn worst(&self) -> Option<usize> {
        let pulls = self.list.iter().filter(|own| own.size > own.nothing);
        let worst = pulls.max_by(|a, b| a.size.total_cmp(&b.size))?;
        Some(worst.constraint)
    }

    /// Would this one have to pull?
    fn is_pulled(&self, constraint: usize) -> bool {
        let pulls = |own: &Pull| own.size > if self.together { own.nothing } else { 0.0 };
        let mut list = self.list.iter();
        list.any(|own| own.constraint == constraint && pulls(own))
    }
}

/// What must not be negative.
#[derive(Debug, Clone, Copy)]
struct Margin {
    value: f64,
    /// by parts of the step
    slope: f64,
    /// what is none of it
    nothing: f64,
}

/// The margins at a part of the step.
#[derive(Debug, Clone)]
struct Look {
    part: f64,
    margins: Vec<Margin>,
}

/// Are the margins at [`INSIDE`] what values and slopes at two places round it foresee, by the cubic through them; or if not, are all
/// so far from zero that this says nothing?
fn is_foreseen(inside: &[(f64, f64)], start: &Look, end: &Look) -> bool {
    let (length, s) = (end.part - start.part, INSIDE);
    let pairs = start.margins.iter().zip(&end.margins);
    pairs.zip(inside).all(|((a, b), &(value, nothing))| {
        let (p, q) = (a.slope * length, b.slope * length);
        let rise = b.value - a.value;
        let bent = (1.0 - s) * (p - rise) - s * (q - rise);
        let foreseen = a.value + s * rise + s * (1.0 - s) * bent;
        let off = (value - foreseen).abs();
        let values = [a.value, b.value, value];
        let least = values.into_iter().fold(f64::INFINITY, f64::min);
        let size = values.into_iter().fold(nothing, |m, v| m.max(v.abs()));
        off <= FORESEEN * size || least > AWAY * off + p.abs().max(q.abs())
    })
}

/// How far off a constraint is that was released.
#[derive(Debug, Clone, Copy)]
struct Gap {
    distance: f64,
    nothing: f64,
}

impl Gap {
    fn is_zero(self) -> bool {
        self.distance.abs() <= self.nothing
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
            in_force,
            dependent: !all_used,
            last: one_sided
                .iter()
                .filter(|o| o.release == Release::Stop)
                .map(|o| o.constraint)
                .collect(),
        }
    }

    /// Where these are released.
    fn departure(&self, (t, x, v): (f64, &[f64], &[f64]), constraints: Vec<usize>) -> Departure {
        Departure {
            t,
            x: x.to_vec(),
            v: v.to_vec(),
            ends: constraints.iter().any(|b| self.last.contains(b)),
            constraints,
            rows: None,
            method: None,
        }
    }

    /// Do some constraints in force follow from others?
    pub(in crate::solver) fn is_dependent(&self) -> bool {
        self.dependent
    }

    /// The constraints on positions in force, those that follow from others among them.
    pub(in crate::solver) fn all_in_force(&self) -> &[usize] {
        &self.in_force
    }

    /// The gradients of all constraints in force, and which of them are one-sided.
    fn in_force(&self, at: &Instant) -> (DMatrix<f64>, Vec<bool>) {
        let rows = &self.in_force;
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
        let rows = &self.in_force;
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
        let worst = self.pulls(start.t, &y).ok()?.worst()?;
        let constraints = self.released((start.t, &y), worst).ok()?;
        let place = (start.t, start.x.as_slice(), start.v.as_slice());
        Some(self.sides.departure(place, constraints))
    }

    /// How the one-sided constraints in force pull.
    fn pulls(&mut self, t: f64, y: &[f64]) -> Result<Pulls, Stop> {
        if self.sides.is_dependent() {
            return self.pulls_together(t, y);
        }
        let (at, a, lambda) = self.rhs.evaluate(t, y)?;
        let least = match self.stepper {
            Stepper::Across(_) => NO_FORCE_ACROSS,
            _ => NO_FORCE,
        };
        let row_of = |b: &usize| self.set.rows.iter().position(|row| row == b);
        let sided = self.sides.on.iter();
        let sided: Vec<(usize, usize)> = sided.filter_map(|b| Some((row_of(b)?, *b))).collect();
        let any = sided.iter().any(|(row, _)| lambda[*row] < 0.0);
        let weights = any.then(|| self.set.weights(at, (a, lambda))).flatten();
        // where these cannot be told the largest force is one
        let largest = || {
            let inertia = &at.mass * DVector::from_column_slice(a);
            inertia.amax().max(at.bias.amax())
        };
        let list = sided.into_iter().map(|(row, constraint)| {
            let steepest = at.constraint.jacobian.row(constraint).amax();
            let weight = weights.as_ref().map(|weights| steepest * weights[row]);
            Pull {
                constraint,
                size: -lambda[row] * steepest,
                nothing: least * weight.unwrap_or_else(largest),
            }
        });
        Ok(Pulls {
            list: list.collect(),
            together: false,
        })
    }

    /// The same among dependent constraints: a pull is how fast one would part.
    fn pulls_together(&mut self, t: f64, y: &[f64]) -> Result<Pulls, Stop> {
        let parting = self.unilateral(t, y)?.parting;
        let pairs = self.sides.in_force.iter().zip(&parting);
        let sided = pairs.filter(|(b, _)| self.sides.on.contains(b));
        let list = sided.map(|(constraint, parting)| Pull {
            constraint: *constraint,
            size: *parting,
            nothing: NO_FORCE,
        });
        Ok(Pulls {
            list: list.collect(),
            together: true,
        })
    }

    /// Those that let go where this one would have to pull. Of several that would some may hold once others have let go: by
    /// Gauss' principle, which no units decide.
    fn released(&mut self, (t, y): (f64, &[f64]), worst: usize) -> Result<Vec<usize>, Stop> {
        if self.sides.on.len() < 2 {
            return Ok(vec![worst]);
        }
        let Unilateral {
            multipliers,
            parting,
        } = match self.unilateral(t, y) {
            Err(Stop::Singular) => return Ok(vec![worst]),
            found => found?,
        };
        let least = (SHARE * parting.max()).max(NO_PARTING);
        let rows = self.sides.in_force.iter().enumerate();
        let parts = rows.filter(|(row, b)| {
            self.sides.on.contains(b) && multipliers[*row] <= 0.0 && parting[*row] > least
        });
        let parts: Vec<usize> = parts.map(|(_, b)| *b).collect();
        Ok(if parts.is_empty() { vec![worst] } else { parts })
    }

    /// What the constraints in force do, and those on velocities behind them.
    fn unilateral(&mut self, t: f64, y: &[f64]) -> Result<Unilateral, Stop> {
        let (at, a, _) = self.rhs.evaluate(t, y)?;
        let reaction = &at.mass * DVector::from_column_slice(a) + &at.bias;
        let (w, sided) = self.sides.in_force(at);
        unilateral(&at.mass, (&w, &sided), (&reaction, &at.bias)).ok_or(Stop::Singular)
    }

    /// The distances of the constraints that were released.
    fn gaps(&self, t: f64, y: &[f64]) -> Vec<Gap> {
        if self.sides.off.is_empty() {
            return Vec::new();
        }
        let dynamics = self.set.problem.dynamics;
        let value = ConstraintValue::at(dynamics, t, &y[..self.size.len()]);
        let gap = |&(b, _): &(usize, bool)| {
            let slope: f64 = value.jacobian.row(b).iter().map(|e| e.abs()).sum();
            Gap {
                distance: value.residual[b],
                nothing: (NO_GAP * value.scale[b]).max(self.tolerance.atol * slope),
            }
        };
        self.sides.off.iter().map(gap).collect()
    }

    /// The state at a part of the step that was accepted, on the constraints.
    pub(super) fn state(&mut self, part: f64) -> Result<(f64, Vec<f64>), Stop> {
        let Self { stepper, rhs, .. } = self;
        let t = stepper.time(part);
        if part >= 1.0 {
            return Ok((stepper.end().t, stepper.end().y.to_vec()));
        }
        stepper.prepare(&mut |t, y: &[f64], dy: &mut [f64]| rhs.derivative(t, y, dy))?;
        let mut y = stepper.end().y.to_vec();
        stepper.interpolate(part, &mut y);
        match rhs.project(t, &mut y) {
            // next to a start at rest the way back is lost in rounding: what is interpolated is as near
            Err(Stop::Position) => stepper.interpolate(part, &mut y),
            other => other?,
        }
        Ok((t, y))
    }

    /// The first release or contact in the step that was accepted. Next to a singular configuration none is looked for; what is
    /// so behind it begins there.
    pub(super) fn side_event(&mut self, grid: &Grid) -> Result<Option<Event>, Stop> {
        if self.sides.idle() {
            return Ok(None);
        }
        // the intervals that are left, the first of them last
        let mut left = Vec::new();
        let mut start: Option<Look> = None;
        let cores = self.stepper.cores();
        let (mut core, mut behind): (Option<f64>, _) = (None, None);
        for part in self.places(grid, &cores) {
            if let Some(own) = cores.iter().find(|c| (c[0]..=c[1]).contains(&part)) {
                start = None;
                core.get_or_insert(f64::midpoint(own[0], own[1]));
                continue;
            }
            let beside = if start.is_some() { -BESIDE } else { BESIDE };
            let here = self.margins_at(part)?;
            if let Some(core) = core.take()
                && here.iter().any(|(value, nothing)| *value < -nothing)
            {
                behind = Some((core, part));
                break;
            }
            let end = self.look((part, here), beside)?;
            left.extend(start.map(|start| (start, end.clone())));
            start = Some(end);
        }
        left.reverse();
        let mut finer = FINER;
        // from where on something is so, but for less than counts
        let mut faint: Option<f64> = None;
        while let Some((start, end)) = left.pop() {
            let length = end.part - start.part;
            if finer > 0 && length > SHORTEST {
                let inside = self.margins_at(start.part + INSIDE * length)?;
                if !is_foreseen(&inside, &start, &end) {
                    finer -= 1;
                    // slopes are taken within what is looked at
                    let beside = BESIDE * (PLACES as f64 * length).min(1.0);
                    let inside = self.look((start.part + INSIDE * length, inside), beside)?;
                    left.push((inside.clone(), end));
                    left.push((start, inside));
                    continue;
                }
            }
            let event = self.event_on((&start, &end), faint.unwrap_or(start.part))?;
            if event.is_some() {
                return Ok(event);
            }
            let is_faint = |margin: &Margin| margin.value < -FAINT * margin.nothing;
            let is_faint = end.margins.iter().any(is_faint);
            faint = is_faint.then_some(faint.unwrap_or(start.part));
        }
        behind.map_or(Ok(None), |(core, part)| self.emerged(core, part))
    }

    /// The first of what is so at a part of the step behind a singular configuration. What is so next to that is so from there on,
    /// as far as can be told: at it nothing can be solved for.
    fn emerged(&mut self, core: f64, part: f64) -> Result<Option<Event>, Stop> {
        let (later, there) = self.state(core + BESIDE)?;
        let gaps = self.gaps(later, &there);
        let Some(what) = self.occurs((later, &there), &gaps)? else {
            return self.side_event_between(core + BESIDE, part);
        };
        let (t, mut y) = (self.stepper.time(core), vec![0.0; there.len()]);
        self.stepper.interpolate(core, &mut y);
        self.ended_by(what, (t, &y), (later, &there)).map(Some)
    }

    /// What ends the leg at (t, y), as it is so a little later.
    fn ended_by(
        &mut self,
        what: Occurrence,
        (t, y): (f64, &[f64]),
        later: (f64, &[f64]),
    ) -> Result<Event, Stop> {
        let outcome = match what {
            Occurrence::Contact(i) => {
                let constraint = self.set.problem.constraint(self.sides.off[i].0);
                Err(SolverError::Contact { constraint, t })
            }
            Occurrence::Pull(constraint) => {
                let (x, v) = y.split_at(y.len() / 2);
                let constraints = self.released(later, constraint)?;
                Ok(self.sides.departure((t, x, v), constraints))
            }
        };
        Ok((t, Box::new(outcome)))
    }

    /// The parts of the step that are looked at: those of its samples among them, so that none is on the wrong side, and those
    /// round what is next to a singular configuration.
    pub(super) fn places(&self, grid: &Grid, cores: &[[f64; 2]]) -> Vec<f64> {
        let (from, taken) = (self.stepper.start().t, self.stepper.taken());
        let due = grid.due_by(self.stepper.end().t);
        let count = (IN_A_RUN * grid.share(taken)).ceil().max(PLACES as f64);
        let even = (0..=count as usize).map(|i| i as f64 / count);
        let round = cores.iter().flat_map(|[from, to]| {
            let apart = 2.0 * BESIDE;
            [from - apart, f64::midpoint(*from, *to), to + apart]
        });
        let due = due.map(|t| (t - from) / taken);
        let mut all: Vec<f64> = even.chain(due).chain(round).collect();
        all.retain(|part| (0.0..=1.0).contains(part));
        all.sort_by(f64::total_cmp);
        all.dedup_by(|a, b| *a - *b < SHORTEST);
        all
    }

    /// The first one between two places, what is least between them looked at too; where there is one, when it began from the part
    /// `before` on.
    fn event_on(
        &mut self,
        (start, end): (&Look, &Look),
        mut before: f64,
    ) -> Result<Option<Event>, Stop> {
        // what falls and rises again may be less than zero between
        let pairs = start.margins.iter().zip(&end.margins).enumerate();
        let dips = pairs.filter(|(_, (before, after))| before.slope < 0.0 && after.slope > 0.0);
        let mut places = Vec::new();
        for (item, _) in dips {
            let (place, _) = least((start.part, end.part), (SECTIONS, 0.0), |part| {
                let margins = self.margins_at(part);
                margins.map_or(f64::NAN, |list| list[item].0)
            });
            places.push(place);
        }
        places.sort_by(f64::total_cmp);
        for part in places {
            let event = self.side_event_between(before, part)?;
            if event.is_some() {
                return Ok(event);
            }
            before = part;
        }
        if end.margins.iter().any(|margin| margin.value < 0.0) {
            return self.side_event_between(before, end.part);
        }
        // what was seen there already tells that there is none
        let gaps = &end.margins[end.margins.len() - self.sides.off.len()..];
        for (gap, (_, left)) in gaps.iter().zip(&mut self.sides.off) {
            *left |= gap.value > FAINT * gap.nothing;
        }
        Ok(None)
    }

    /// What must not be negative at a part of the step, and what is nothing of it: of the constraints in force how much each
    /// pushes, of those released how far off they are.
    fn margins_at(&mut self, part: f64) -> Result<Vec<(f64, f64)>, Stop> {
        let (t, y) = self.state(part)?;
        let y = y.as_slice();
        let mut list: Vec<(f64, f64)> = if self.sides.on.is_empty() {
            Vec::new()
        } else {
            let pulls = self.pulls(t, y)?;
            let pushes = pulls.list.iter().map(|own| (-own.size, own.nothing));
            pushes.collect()
        };
        let gaps = self.gaps(t, y).into_iter();
        list.extend(gaps.map(|gap| (gap.distance, gap.nothing)));
        Ok(list)
    }

    /// The margins `here`, at a part of the step, with the slopes that those a little later, or earlier, tell.
    fn look(&mut self, (part, here): (f64, Vec<(f64, f64)>), beside: f64) -> Result<Look, Stop> {
        let there = self.margins_at(part + beside)?;
        let margins = here.into_iter().zip(there);
        let margins = margins.map(|((value, nothing), (other, _))| Margin {
            value,
            slope: (other - value) / beside,
            nothing,
        });
        Ok(Look {
            part,
            margins: margins.collect(),
        })
    }

    /// The first event between two parts of the step, of those that there are at the second and not at the first.
    fn side_event_between(&mut self, before: f64, part: f64) -> Result<Option<Event>, Stop> {
        let (t, y) = self.state(part)?;
        let gaps = self.gaps(t, &y);
        if self.occurs((t, &y), &gaps)?.is_none() {
            for (gap, (_, left)) in gaps.into_iter().zip(&mut self.sides.off) {
                *left |= gap.distance > FAINT * gap.nothing;
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
        self.ended_by(first, (t, &y), (later, &there)).map(Some)
    }

    /// What must not be, foremost a motion on the wrong side of a constraint that was released, these `gaps` off them.
    fn occurs(&mut self, (t, y): (f64, &[f64]), gaps: &[Gap]) -> Result<Option<Occurrence>, Stop> {
        let mut pairs = gaps.iter().zip(&self.sides.off);
        let touches =
            pairs.position(|(gap, (_, left))| gap.distance < 0.0 && (*left || !gap.is_zero()));
        if touches.is_some() || self.sides.on.is_empty() {
            return Ok(touches.map(Occurrence::Contact));
        }
        Ok(self.pulls(t, y)?.worst().map(Occurrence::Pull))
    }

    /// The same of one of them, to zero and not to a tolerance.
    fn is_so(&mut self, what: Occurrence, t: f64, y: &[f64]) -> Result<bool, Stop> {
        Ok(match what {
            Occurrence::Contact(i) => self.gaps(t, y)[i].distance < 0.0,
            Occurrence::Pull(constraint) => self.pulls(t, y)?.is_pulled(constraint),
        })
    }

    /// Two parts of the step, between two others, of which something is so at the second and not at the first.
    pub(super) fn narrowed(
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
