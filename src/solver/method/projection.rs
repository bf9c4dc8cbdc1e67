//! The way back onto the constraints: in a chart only dependent coordinates move, else all by the shortest way.

use super::{Formulation, NEWTON_LIMIT, RightHandSide, finite, gather};
use crate::geometry::{Orthogonal, dot};
use crate::solver::chart::Scales;
use crate::solver::dynamics::{ProjectionStep, ROUNDING, SQUARED};
use crate::solver::linearised::Stop;
use crate::solver::step::{Knot, Tolerance, subtract};

/// Corrections by the system's own code before that is given up.
const SETTLING: usize = 4;
/// Inside a step, the dependent coordinates are as good as this part of the tolerance.
const STAGE_ACCURACY: f64 = 1e-3;

/// How exactly a position is wanted on the constraints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Accuracy {
    /// Good enough inside a step.
    Stage,
    /// To rounding.
    Full,
}

/// Where a dependent coordinate moves by so many times more of what the tolerances leave unknown than an independent one does,
/// the independent ones no longer say where it is: an error that is nothing to them becomes one that counts. There, as next to
/// where a heavy body turns that a light one is linked to, a chart is for accelerations only: stages are foreseen, and the end
/// of a step is brought back by the shortest way. Where it has become so many times less, all is as it was.
const ROUGH: f64 = 4.0;
const FINE: f64 = 2.0;

/// Whether a chart is for accelerations only.
#[derive(Default)]
pub(super) struct Rough {
    /// What brings the end of a step back where it is;
    pub(super) shortest: Option<Box<Shortest>>,
    /// whether it is because rounding of the constraints alone makes more of dependent coordinates than a stage may be off by;
    is_noisy: bool,
    /// and whether another one was before.
    pub(super) was: bool,
}

/// The way back that is shortest in units of what the tolerances leave unknown of each coordinate.
pub(super) struct Shortest {
    positions: Orthogonal,
    all: Orthogonal,
    /// The rows in these units.
    rows: Vec<f64>,
}

impl Shortest {
    fn new(n: usize, [positions, all]: [usize; 2]) -> Self {
        Self {
            positions: Orthogonal::new(n, positions),
            all: Orthogonal::new(n, all),
            rows: vec![0.0; n * all],
        }
    }
}

/// Factors rows where coordinates are measured in these units; whether they are independent.
fn factor_in(
    units: &[f64],
    (factors, rows): (&mut Orthogonal, &mut [f64]),
    own: &[f64],
) -> Result<(), Stop> {
    let rows = &mut rows[..own.len()];
    let each = own.iter().zip(units.iter().cycle());
    for (slot, (e, unit)) in rows.iter_mut().zip(each) {
        *slot = e * unit;
    }
    factors.regular(rows).then_some(()).ok_or(Stop::Singular)
}

/// What a correction leaves to be done.
#[derive(Debug, Clone, Copy)]
struct Left {
    /// Were the residuals rounding where it begins?
    rounding: bool,
    /// Is its square rounding? Newton's way is quadratic: what is left after it is as small.
    small: bool,
}

impl Left {
    fn of(step: &ProjectionStep<'_>) -> Self {
        Self {
            rounding: step.is_rounding(),
            small: step.is_within(SQUARED),
        }
    }
}

impl RightHandSide<'_> {
    /// Moves (self.x, self.v) onto the constraints, to rounding, by the system's own code; whether it went well. Newton's way
    /// is quadratic: what is left after a correction is as small as its square.
    fn settle_quickly(&mut self, t: f64) -> bool {
        for _ in 0..SETTLING {
            let Some(left) = self.correct_quickly(t) else {
                return false;
            };
            subtract(&mut self.v, &self.slowing);
            if left.rounding && left.small {
                return true;
            }
            subtract(&mut self.x, &self.correction);
        }
        false
    }

    /// Moves (self.x, self.v) onto the constraints: in the chart (only dependent coordinates move) or, where there is none or it
    /// is too rough for that, by the shortest way.
    pub(super) fn settle(&mut self, t: f64, accuracy: Accuracy) -> Result<(), Stop> {
        let rows = self.set.rows;
        if self.set.count() == 0 {
            return Ok(());
        }
        let full = accuracy == Accuracy::Full;
        if full && self.rough.shortest.is_none() && self.settle_quickly(t) {
            return Ok(());
        }
        let mut before = f64::INFINITY;
        let mut quick = !full && self.quick.is_some();
        for pass in 0.. {
            let found = if quick { self.correct_quickly(t) } else { None };
            quick = found.is_some();
            let there = if let Some(left) = found {
                left.rounding
            } else {
                self.look(t)?;
                self.factor_way()?;
                let (residual, scale) = (&self.here.residual, &self.here.scale);
                let rounding = |&b: &usize| residual[b].abs() <= ROUNDING * scale[b];
                rows.iter().all(rounding)
            };
            if there {
                break;
            }
            if !quick {
                let residual = &self.here.residual;
                for (slot, &b) in self.correction.iter_mut().zip(rows) {
                    *slot = residual[b];
                }
                self.correct();
            }
            if !self.correction.iter().all(|dx| dx.is_finite()) {
                return Err(Stop::Position);
            }
            let size = self.tolerance.parts((&self.correction, &self.x));
            // rounding keeps it from shrinking further
            let still = size >= 0.5 * before || pass >= NEWTON_LIMIT;
            let small = size <= STAGE_ACCURACY || still && self.is_noise(t)?;
            if small && (still || accuracy == Accuracy::Stage) {
                break;
            }
            if pass >= NEWTON_LIMIT || size > 4.0 * before {
                return Err(Stop::Position);
            }
            before = size;
            subtract(&mut self.x, &self.correction);
        }
        if quick {
            subtract(&mut self.v, &self.slowing);
            return Ok(());
        }
        if !full {
            // velocity constraints bind accelerations inside a step, as in the other methods: their rows may make noise of
            // positions large
            self.follow();
            return Ok(());
        }
        (0..2).try_for_each(|_| self.settle_velocities(t))
    }

    /// After a step from (t, y) that was not taken: whether stages are brought back onto the constraints from here on. They are
    /// not where rounding of the constraints alone makes dependent coordinates wrong by more than a stage may be.
    pub(in crate::solver) fn judge_rounding(&mut self, Knot { t, y, .. }: Knot<'_>) {
        if !matches!(self.form, Formulation::Inverse(_)) || self.within == Accuracy::Full {
            return;
        }
        self.x.copy_from_slice(&y[..self.n]);
        if self.look(t).is_err() || self.factor().is_err() {
            return;
        }
        for (slot, &b) in self.correction.iter_mut().zip(self.set.rows) {
            *slot = ROUNDING * self.here.scale[b];
        }
        if let Formulation::Inverse(inverse) = &mut self.form {
            inverse.correction(&mut self.correction);
        }
        let noise = self.tolerance.parts((&self.correction, &self.x));
        self.rough.is_noisy = noise > STAGE_ACCURACY;
        self.judge_chart();
    }

    /// After a step: whether the chart is too rough for what the tolerances leave unknown of its independent coordinates. The
    /// implicit stepper, which knows these alone, compares charts by that from there on; whether it does now.
    pub(in crate::solver) fn judge_chart(&mut self) -> bool {
        let Formulation::Inverse(inverse) = &self.form else {
            return false;
        };
        let times = inverse.stretch(&self.unknown);
        let own = &mut self.rough;
        let most = if own.shortest.is_some() { FINE } else { ROUGH };
        let rough = times > most || own.is_noisy;
        if self.within == Accuracy::Full {
            return rough && self.measure_by_tolerance();
        }
        if rough != own.shortest.is_some() {
            own.was = true;
            let counts = [self.set.rows.len(), self.set.count()];
            own.shortest = rough.then(|| Box::new(Shortest::new(self.n, counts)));
        }
        false
    }

    /// Whether what is left of the constraints at (t, self.x) is no more than what terms, coordinates and the time are rounded
    /// by: sin x next to x = pi is wrong by what x is, however small it is.
    fn is_noise(&mut self, t: f64) -> Result<bool, Stop> {
        self.look(t)?;
        let here = &self.here;
        let is_noise = |&b: &usize| {
            let row = here.jacobian.row(b);
            let moved: f64 = row.iter().zip(&self.x).map(|(e, x)| (e * x).abs()).sum();
            let size = here.scale[b] + (here.f_t[b] * t).abs() + moved;
            here.residual[b].abs() <= ROUNDING * size
        };
        Ok(self.set.rows.iter().all(is_noise))
    }

    /// The corrections of positions and velocities by the system's own code, and what they leave; none
    /// where they will not do.
    fn correct_quickly(&mut self, t: f64) -> Option<Left> {
        let code = self.quick.as_deref_mut()?;
        code.place((t, &self.x, &self.v));
        let way = code.corrections()?;
        if !self.form.is_on_branch(way.sign) || !way.moves.into_iter().all(finite) {
            return None;
        }
        for (out, own) in [&mut self.correction, &mut self.slowing]
            .into_iter()
            .zip(way.moves)
        {
            out.copy_from_slice(own);
        }
        Some(Left::of(&way))
    }

    /// Factors what leads back onto the constraints.
    fn factor_way(&mut self) -> Result<(), Stop> {
        let Some(own) = self.rough.shortest.as_deref_mut() else {
            return self.factor();
        };
        let rows = &self.jacobian[..self.set.rows.len() * self.n];
        let room = (&mut own.positions, own.rows.as_mut_slice());
        factor_in(&self.unknown.each, room, rows)
    }

    /// Does something where all is brought back by the way that is shortest in these units, whatever the method is.
    pub(in crate::solver) fn in_units<T>(
        &mut self,
        units: &[f64],
        run: impl FnOnce(&mut Self) -> T,
    ) -> T {
        if matches!(self.form, Formulation::Structured(_)) {
            return run(self);
        }
        let counts = [self.set.rows.len(), self.set.count()];
        let shortest = Some(Box::new(Shortest::new(self.n, counts)));
        let kept = (
            std::mem::replace(&mut self.rough.shortest, shortest),
            std::mem::replace(&mut self.unknown, Scales::of(units.to_vec())),
        );
        let found = run(self);
        (self.rough.shortest, self.unknown) = kept;
        found
    }

    /// The same by the form in use.
    pub(super) fn factor(&mut self) -> Result<(), Stop> {
        match &mut self.form {
            Formulation::Inverse(inverse) => inverse.factor(&self.jacobian),
            Formulation::Multipliers(_, orthogonal) | Formulation::Tangents(_, orthogonal) => {
                let rows = &self.jacobian[..self.set.rows.len() * self.n];
                orthogonal.regular(rows).then_some(()).ok_or(Stop::Singular)
            }
            Formulation::Structured(large) => large.factor(),
        }
    }

    /// Moves self.v on to J v + `f_t` = 0 and A v + b = 0, self.x on the constraints: in the chart the dependent
    /// velocities follow the independent ones, which move as little as they can; else all by the shortest way.
    fn settle_velocities(&mut self, t: f64) -> Result<(), Stop> {
        let (set, r) = (self.set, self.set.rows.len());
        if set.velocity.is_empty() {
            self.follow();
            return Ok(());
        }
        set.dynamics().velocity(t, &self.x, &mut self.speeds);
        if self.speeds.not_finite().is_some() {
            return Err(Stop::Equations);
        }
        gather(
            &self.speeds.rows,
            set.velocity,
            &mut self.jacobian[r * self.n..],
        );
        if matches!(self.form, Formulation::Inverse(_)) && self.rough.shortest.is_none() {
            self.follow();
        }
        self.miss_speed();
        if let Some(own) = self.rough.shortest.as_deref_mut() {
            let room = (&mut own.all, own.rows.as_mut_slice());
            factor_in(&self.unknown.each, room, &self.jacobian)?;
            own.all.shortest(&mut self.correction);
            multiply(&mut self.correction, &self.unknown.each);
            subtract(&mut self.v, &self.correction);
            return Ok(());
        }
        match &mut self.form {
            Formulation::Inverse(inverse) => {
                let own = &self.correction[r..set.count()].to_vec();
                inverse.shortest(&self.jacobian, own, &mut self.correction)?;
            }
            Formulation::Multipliers(..) | Formulation::Tangents(..) => {
                if !self.both.regular(&self.jacobian) {
                    return Err(Stop::Singular);
                }
                self.both.shortest(&mut self.correction);
            }
            Formulation::Structured(_) => return Err(Stop::Equations),
        }
        subtract(&mut self.v, &self.correction);
        Ok(())
    }

    /// Moves self.v on to J v + `f_t` = 0, where there is a chart by the dependent velocities.
    fn follow(&mut self) {
        self.miss_speed();
        self.correct();
        subtract(&mut self.v, &self.correction);
    }

    /// What self.v misses of J v + `f_t` = 0 and A v + b = 0, row by row, into the first entries of `self.correction`.
    fn miss_speed(&mut self) {
        if let Formulation::Structured(large) = &self.form {
            large.times_jacobian(&self.v, &mut self.correction[..self.set.rows.len()]);
        } else {
            let rows = self.jacobian.chunks_exact(self.n);
            for (slot, row) in self.correction.iter_mut().zip(rows) {
                *slot = dot(row, &self.v);
            }
        }
        let rates = self.set.rates(&self.here, &self.speeds);
        for (slot, rate) in self.correction.iter_mut().zip(rates) {
            *slot += rate;
        }
    }

    /// The constraints at (t, self.x).
    fn look(&mut self, t: f64) -> Result<(), Stop> {
        let dynamics = self.set.dynamics();
        dynamics.constraint(t, &self.x, &mut self.here);
        let finite = if let Formulation::Structured(large) = &mut self.form {
            let here = &self.here;
            let values = here.residual.iter().chain(&here.f_t).chain(&here.scale);
            large.gather(here) && values.copied().all(f64::is_finite)
        } else {
            gather(&self.here.jacobian, self.set.rows, &mut self.jacobian);
            false
        };
        if finite {
            return Ok(());
        }
        let bad = self.here.not_finite();
        bad.map_or(Ok(()), |b| Err(Stop::Constraint(b)))
    }

    /// Turns r in the first entries of `self.correction` into a dx with J dx = r.
    fn correct(&mut self) {
        if let Some(own) = self.rough.shortest.as_deref_mut() {
            own.positions.shortest(&mut self.correction);
            multiply(&mut self.correction, &self.unknown.each);
            return;
        }
        match &mut self.form {
            Formulation::Inverse(inverse) => inverse.correction(&mut self.correction),
            Formulation::Multipliers(_, orthogonal) | Formulation::Tangents(_, orthogonal) => {
                orthogonal.shortest(&mut self.correction);
            }
            Formulation::Structured(large) => large.correction(&mut self.correction),
        }
    }
}

fn multiply(list: &mut [f64], by: &[f64]) {
    for (e, factor) in list.iter_mut().zip(by) {
        *e *= factor;
    }
}

/// Is a position as good as a stage wants it?
pub(super) fn is_settled(tolerance: Tolerance, way: ProjectionStep<'_>) -> bool {
    let moves = (way.moves[0], way.at[0]);
    way.is_rounding() || tolerance.allows(STAGE_ACCURACY, moves)
}
