//! The right-hand side of a motion, in each of the three methods; the way back onto the constraints is beside it
//! ([`projection`]).
//!
//! Every method carries the whole state (x, x'). In the method `inverse` only (`x_I`, `x_I`') are its
//! own: at each evaluation the dependent coordinates are solved for from the independent ones by
//! Newton's method, and what was carried for them serves as the first guess, which keeps the branch of
//! the inverse function. The other two are brought back onto f = c and J x' + `f_t` = 0 after each step.

mod projection;

use super::chart::{self, Scales, Units};
use super::dynamics::{
    Beginning, ConstraintValue, Corrected, Instant, Pivots, ProjectionStep, Quick, VelocityValue,
    gather,
};
use super::inverse::Inverse;
use super::linearised::{Linearised, Stop};
use super::rank::InUse;
use super::saddle::Saddle;
use super::step::Tolerance;
use super::structured::Structured;
use super::tangents::Tangents;
use crate::geometry::Orthogonal;
use projection::{Accuracy, Rough, is_settled};

/// Corrections of a position in one evaluation before it is given up.
const NEWTON_LIMIT: usize = 12;
/// As a rule the positions of stages are good enough after so many corrections: at the first stage, which is an Euler step, and at the others.
const CORRECTIONS: [usize; 2] = [2, 1];

/// A step that leads to a place where another chart has a determinant this many times larger is not
/// taken in the chart in use: near the edge of a chart the error estimate of a step says little.
const STRETCH: f64 = 2.5;

pub use crate::system::Method;

/// The workspace of a method.
#[derive(Debug, Clone)]
enum Formulation {
    Inverse(Inverse),
    Multipliers(Saddle, Orthogonal),
    Tangents(Tangents, Orthogonal),
    /// Any of them, of a large system.
    Structured(Box<Structured>),
}

impl Formulation {
    /// Whether the determinant of the chart in use has this sign, that of the branch; so without a chart.
    fn is_on_branch(&mut self, sign: f64) -> bool {
        match self {
            Self::Inverse(inverse) => inverse.on_branch(sign),
            _ => true,
        }
    }
}

/// A system and a method: what the stepper integrates.
pub(super) struct RightHandSide<'a> {
    /// The constraints in use (all but the redundant ones).
    set: InUse<'a>,
    tolerance: Tolerance,
    n: usize,
    form: Formulation,
    /// What the coordinates are measured in where charts or bases are compared.
    units: Units,
    /// What the tolerances leave unknown of each coordinate.
    unknown: Scales,
    /// Whether the chart is for accelerations only.
    rough: Rough,
    at: Instant,
    here: ConstraintValue,
    speeds: VelocityValue,
    /// The rows of J in use, then those of A.
    jacobian: Vec<f64>,
    /// All of these rows, for the velocities of the methods without charts.
    both: Orthogonal,
    x: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
    lambda: Vec<f64>,
    correction: Vec<f64>,
    /// Evaluations of everything at an instant.
    instants: usize,
    /// How exactly the right-hand side settles on the constraints.
    within: Accuracy,
    /// The system's own code for this form, where all constraints are in use;
    quick: Option<Box<dyn Quick>>,
    /// and in a chart that has none, of large systems, that for accelerations: they know no chart.
    chartless: Option<Box<dyn Quick>>,
    /// The corrections of the velocities that came with those of the positions.
    slowing: Vec<f64>,
    /// The factors of the determinant that is watched, evaluation by evaluation since the last step began; and how many
    /// evaluations these are, none where one of them was not by the system's own code.
    trail: Vec<f64>,
    trailed: Option<usize>,
    /// Whether there is code for all stages of a step at once, in a chart.
    at_once: bool,
    /// Whether the end of the step came with its stages.
    landed: bool,
    /// Whether what that code gives is as good as others where it was looked at last: at the beginning of the step as a rule.
    balanced: bool,
}

impl<'a> RightHandSide<'a> {
    /// One for these constraints; `dependent`, as many as there are on positions, is the first chart.
    pub(super) fn new(
        set: InUse<'a>,
        (method, tolerance): (Method, Tolerance),
        dependent: &[usize],
    ) -> Self {
        let (dynamics, (n, m)) = (set.dynamics(), set.problem.shape());
        let InUse { rows, velocity, .. } = set;
        let (r, all) = (rows.len(), set.count());
        // velocity constraints are solved for in dense matrices
        let large = dynamics
            .pattern()
            .filter(|_| velocity.is_empty())
            .and_then(|pattern| Structured::new(method, (n, m), pattern, rows, dependent));
        let small = || match method {
            Method::Inverse => {
                Formulation::Inverse(Inverse::with_velocity(n, dependent, velocity.len()))
            }
            Method::Multipliers => {
                Formulation::Multipliers(Saddle::new(n, all), Orthogonal::new(n, r))
            }
            Method::Tangents => Formulation::Tangents(Tangents::new(n, all), Orthogonal::new(n, r)),
        };
        let form = large.map_or_else(small, |large| Formulation::Structured(Box::new(large)));
        let light = match method {
            Method::Inverse => chart::LIGHT,
            Method::Multipliers | Method::Tangents => 1.0,
        };
        let mut new = Self {
            set,
            tolerance,
            n,
            form,
            units: Units::equal(n, light),
            unknown: Scales::of(vec![1.0; n]),
            rough: Rough::default(),
            at: Instant::of(dynamics),
            here: ConstraintValue::of(dynamics),
            speeds: VelocityValue::of(dynamics),
            both: Orthogonal::new(n, if velocity.is_empty() { 0 } else { all }),
            jacobian: vec![0.0; all * n],
            x: vec![0.0; n],
            v: vec![0.0; n],
            a: vec![0.0; n],
            lambda: vec![0.0; all],
            correction: vec![0.0; n],
            instants: 0,
            within: Accuracy::Stage,
            quick: None,
            chartless: None,
            slowing: vec![0.0; n],
            trail: Vec::new(),
            trailed: None,
            at_once: false,
            landed: false,
            balanced: true,
        };
        new.take_code();
        new
    }

    /// Takes the system's own code for the form in use.
    fn take_code(&mut self) {
        let (all, dynamics) = (self.set.is_all(), self.set.dynamics());
        let code = |chart: Option<&[usize]>| all.then(|| dynamics.quick(chart)).flatten();
        (self.quick, self.chartless) = match &self.form {
            Formulation::Inverse(inverse) => (code(Some(inverse.dependent())), None),
            Formulation::Multipliers(..) => (code(None), None),
            Formulation::Structured(large) if large.is_whole() => (code(None), None),
            Formulation::Structured(large) if large.chart().is_some() => {
                (None, self.chartless.take().or_else(|| code(None)))
            }
            Formulation::Tangents(..) | Formulation::Structured(_) => (None, None),
        };
    }

    /// The system's own code that gives accelerations.
    fn code(&self) -> Option<&dyn Quick> {
        self.quick.as_deref().or(self.chartless.as_deref())
    }

    fn code_mut(&mut self) -> Option<&mut (dyn Quick + 'static)> {
        self.quick.as_deref_mut().or(self.chartless.as_deref_mut())
    }

    /// Whether coordinates are compared, for a chart or a basis.
    pub(super) fn takes_measure(&self) -> bool {
        self.chart().is_some() || matches!(self.form, Formulation::Tangents(..))
    }

    /// Coordinates are measured by how far they go from here on.
    pub(super) fn measure_by(&mut self, ways: &[f64]) {
        self.units.measure_by(ways);
        let unknown = ways.iter().map(|way| self.tolerance.of(*way));
        self.unknown = Scales::of(unknown.collect());
    }

    /// Measures coordinates by their kinetic energy at (t, y), where charts are compared and that may be another one than where
    /// it was done last; whether it is.
    pub(super) fn measure(&mut self, (t, y): (f64, &[f64])) -> bool {
        let dynamics = self.set.dynamics();
        if !matches!(self.form, Formulation::Inverse(_))
            || self.set.rows.is_empty()
            || self.units.are_taken() && !dynamics.may_change_mass()
        {
            return false;
        }
        let (x, v) = y.split_at(self.n);
        dynamics.instant(t, x, v, &mut self.at);
        let at = &self.at;
        let linked = |k: usize| at.velocity.rows.column(k).iter().any(|e| *e != 0.0);
        self.units.measure(|k| at.mass[(k, k)], linked)
    }

    /// Compares charts by what the tolerances leave unknown of the coordinates from here on; whether it did not before.
    pub(super) fn measure_by_tolerance(&mut self) -> bool {
        matches!(self.form, Formulation::Inverse(_)) && self.units.become_those_of(&self.unknown)
    }

    /// Whether a chart was for accelerations only, somewhere on the way.
    pub(super) fn was_rough(&self) -> bool {
        self.rough.was
    }

    /// The units in which charts are compared.
    pub(super) fn units(&self) -> &Units {
        &self.units
    }

    /// How often everything was evaluated.
    pub(super) fn instants(&self) -> usize {
        self.instants
    }

    /// From here on the right-hand side is evaluated to rounding: stiff forces magnify what is left, and
    /// difference quotients too.
    pub(super) fn settle_to_rounding(&mut self) {
        self.within = Accuracy::Full;
        self.rough = Rough::default();
    }

    /// The coordinates that the right-hand side depends on: the independent ones of the chart in use, all
    /// for the methods without charts.
    pub(super) fn own(&self) -> Vec<usize> {
        self.split()
            .map_or_else(|| (0..self.n).collect(), |(_, own)| own.to_vec())
    }

    /// y' at (t, y), y = (x, x').
    pub(super) fn derivative(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Stop> {
        let (x, v) = y.split_at(self.n);
        let (dx, dv) = dy.split_at_mut(self.n);
        let charted = self.chart().is_some();
        if !charted
            && self.balanced
            && let Some(code) = &mut self.quick
            && let Some(a) = {
                code.place((t, x, v));
                code.stage()
            }
            && finite(a)
        {
            dx.copy_from_slice(v);
            dv.copy_from_slice(a);
            self.instants += 1;
            self.leave_trail();
            return Ok(());
        }
        if charted && let Some(found) = self.quickly_in_chart((t, x, v), (dx, dv)) {
            return found;
        }
        self.x.copy_from_slice(x);
        self.v.copy_from_slice(v);
        let foreseen = self.rough.shortest.is_some();
        if charted && !foreseen {
            self.settle(t, self.within)?;
        }
        if charted && self.accelerate_quickly(t) {
            self.instants += 1;
            self.leave_trail();
        } else {
            self.trailed = None;
            self.observe(t);
            if charted && (foreseen || self.quick.is_some()) {
                self.factor()?;
            }
            self.accelerate()?;
        }
        let stretch = match &mut self.form {
            Formulation::Structured(large) => large.rough_stretch(),
            _ => self.stretch(),
        };
        if stretch > STRETCH {
            return Err(Stop::Branch);
        }
        dx.copy_from_slice(&self.v);
        dv.copy_from_slice(&self.a);
        Ok(())
    }

    /// The same in a chart by the system's own code, as good as a stage of a step wants it; none where that is left to
    /// the general way.
    fn quickly_in_chart(
        &mut self,
        (t, x, v): (f64, &[f64], &[f64]),
        (dx, dv): (&mut [f64], &mut [f64]),
    ) -> Option<Result<(), Stop>> {
        if !self.solves_stages() {
            return None;
        }
        let Formulation::Inverse(inverse) = &mut self.form else {
            return None;
        };
        let code = self.quick.as_deref_mut()?;
        code.place((t, x, v));
        let mut before = f64::INFINITY;
        // as the code of all stages has it
        let least = match (self.at_once, self.trailed, CORRECTIONS) {
            (false, ..) => 0,
            (true, Some(0), [first, _]) => first,
            (true, _, [_, others]) => others,
        };
        for pass in 0.. {
            let way = code.corrections()?;
            if !inverse.on_branch(way.sign) || !way.moves.into_iter().all(finite) {
                return None;
            }
            if is_settled(self.tolerance, way) {
                if pass >= least {
                    break;
                }
            } else {
                let size = self.tolerance.parts((way.moves[0], way.at[0]));
                if pass >= NEWTON_LIMIT || size > 4.0 * before {
                    // the general way tells noise from a place that is not found
                    return None;
                }
                before = size;
            }
            code.correct(Corrected::Positions);
        }
        code.correct(Corrected::Velocities);
        let [a, lambda, slopes] = code.accelerations()?;
        if !finite(a) || !finite(lambda) {
            return None;
        }
        dv.copy_from_slice(a);
        inverse.slopes().copy_from_slice(slopes);
        dx.copy_from_slice(code.state()[1]);
        let stretch = inverse.stretch(&self.units.scales);
        self.instants += 1;
        self.leave_trail();
        Some(if stretch > STRETCH {
            Err(Stop::Branch)
        } else {
            Ok(())
        })
    }

    /// Whether the stages of a step are brought back onto the constraints, as exactly as the step wants them.
    fn solves_stages(&self) -> bool {
        self.within == Accuracy::Stage && self.rough.shortest.is_none()
    }

    /// All stages of a step at once, where the system's own code has them.
    pub(super) fn stages(&mut self, from: Beginning<'_>) -> Option<()> {
        let stages = from.method.nodes.len() - 1;
        let solved = self.solves_stages();
        let found = match &mut self.form {
            Formulation::Inverse(inverse) if solved => {
                let code = self.quick.as_mut()?;
                self.at_once = code.has_stages(from.method, CORRECTIONS);
                let found = code.stages(from, CORRECTIONS)?;
                let settled = found.settled?;
                // all stages at once, as nearly always, are a few instructions each
                let good = |own: ProjectionStep<'_>| is_settled(self.tolerance, own);
                let good = good(settled.further) || settled.stages(stages).all(good);
                let near = inverse.stretches_at_most(STRETCH, settled.columns, &self.units.scales);
                if !good || !near || !inverse.on_branch(settled.further.sign) {
                    return None;
                }
                found
            }
            Formulation::Inverse(_) => return None,
            Formulation::Structured(large) if large.chart().is_some() => return None,
            _ if !self.balanced => return None,
            _ => self.quick.as_mut()?.stages(from, CORRECTIONS)?,
        };
        self.instants += stages;
        self.trail.extend_from_slice(found.factors);
        self.trailed = self.trailed.map(|all| all + stages);
        self.landed = found.landed;
        Some(())
    }

    /// A step begins.
    pub(super) fn set_out(&mut self) {
        self.trail.clear();
        self.trailed = Some(0);
        self.landed = false;
    }

    /// The factors of the determinant that is watched, so many, at so many evaluations since then, one after the other.
    pub(super) fn trail(&self, (evaluations, factors): (usize, usize)) -> Option<&[f64]> {
        let all = self.trailed.filter(|all| *all >= evaluations)?;
        let whole = self.trail.len() == all * factors;
        self.trail.get(..evaluations * factors).filter(|_| whole)
    }

    /// Takes down the factors where the system's own code was evaluated last.
    fn leave_trail(&mut self) {
        let code = self.quick.as_deref().or(self.chartless.as_deref());
        if let (Some(code), Some(all)) = (code, &mut self.trailed) {
            self.trail.extend_from_slice(code.factors());
            *all += 1;
        }
    }

    /// Brings y = (x, x') onto the constraints, to rounding.
    pub(super) fn project(&mut self, t: f64, y: &mut [f64]) -> Result<(), Stop> {
        let (x, v) = y.split_at(self.n);
        let code = self
            .quick
            .as_deref_mut()
            .filter(|_| self.rough.shortest.is_none());
        let found = code.and_then(|code| code.land((t, x, v)));
        if let Some(found) = found.filter(|found| self.form.is_on_branch(found.sign)) {
            y.copy_from_slice(found.state);
            return Ok(());
        }
        let (x, v) = y.split_at_mut(self.n);
        self.x.copy_from_slice(x);
        self.v.copy_from_slice(v);
        self.settle(t, Accuracy::Full)?;
        x.copy_from_slice(&self.x);
        v.copy_from_slice(&self.v);
        Ok(())
    }

    /// The end of a step: brings y onto the constraints, to rounding; y' there.
    pub(super) fn land(&mut self, t: f64, y: &mut [f64], dy: &mut [f64]) -> Result<(), Stop> {
        if self.land_quickly(t, y, dy).is_some() {
            return Ok(());
        }
        self.project(t, y)?;
        self.balanced = true;
        self.derivative(t, y, dy)?;
        let code = self.quick.as_deref_mut();
        self.balanced = code.is_none_or(Quick::is_balanced);
        if self.balanced {
            Ok(())
        } else {
            self.derivative(t, y, dy)
        }
    }

    /// The same by the system's own code; none where that will not do.
    fn land_quickly(&mut self, t: f64, y: &mut [f64], dy: &mut [f64]) -> Option<()> {
        let (x, v) = y.split_at(self.n);
        let code = self
            .quick
            .as_mut()
            .filter(|_| self.rough.shortest.is_none())?;
        let found = if std::mem::take(&mut self.landed) {
            code.landed()
        } else {
            code.land((t, x, v))
        };
        let found = found?;
        let [a, _, slopes] = found.solution;
        if !self.form.is_on_branch(found.sign) {
            return None;
        }
        if let Formulation::Inverse(inverse) = &mut self.form {
            inverse.slopes().copy_from_slice(slopes);
            if inverse.stretch(&self.units.scales) > STRETCH {
                return None;
            }
        }
        y.copy_from_slice(found.state);
        let (dx, dv) = dy.split_at_mut(self.n);
        dx.copy_from_slice(&found.state[self.n..]);
        dv.copy_from_slice(a);
        self.balanced = code.is_balanced();
        self.balanced.then(|| {
            self.instants += 1;
            self.leave_trail();
        })
    }

    /// Everything at (t, y), y on the constraints: the instant, the accelerations and the multipliers of
    /// the constraints in use.
    pub(super) fn evaluate(
        &mut self,
        t: f64,
        y: &[f64],
    ) -> Result<(&Instant, &[f64], &[f64]), Stop> {
        let (x, v) = y.split_at(self.n);
        self.x.copy_from_slice(x);
        self.v.copy_from_slice(v);
        self.observe(t);
        match &mut self.form {
            // its charts are compared by their factors
            Formulation::Structured(large) if large.chart().is_some() => large.factor()?,
            _ => {}
        }
        if !self.accelerate_quickly(t) {
            if let Formulation::Inverse(inverse) = &mut self.form {
                inverse.factor(&self.jacobian)?;
            }
            self.accelerate()?;
        }
        Ok((&self.at, &self.a, &self.lambda))
    }

    /// The dependent coordinates of the chart in use; none for the methods without charts.
    pub(super) fn chart(&self) -> Option<&[usize]> {
        self.split().map(|(dependent, _)| dependent)
    }

    /// The dependent and the independent coordinates of the chart in use.
    fn split(&self) -> Option<(&[usize], &[usize])> {
        match &self.form {
            Formulation::Inverse(inverse) => Some((inverse.dependent(), inverse.independent())),
            Formulation::Structured(large) => large.chart(),
            _ => None,
        }
    }

    /// How much larger the determinant of another chart is, at the last evaluation; 1 for the methods
    /// without charts.
    pub(super) fn stretch(&mut self) -> f64 {
        match &mut self.form {
            Formulation::Inverse(inverse) => inverse.stretch(&self.units.scales),
            Formulation::Structured(large) => large.stretch(),
            _ => 1.0,
        }
    }

    /// The same after a step; of a large system, whose charts are many, it may be a little less.
    pub(super) fn stretch_in_turn(&mut self) -> f64 {
        match &mut self.form {
            Formulation::Structured(large) => large.stretch_in_turn(),
            _ => self.stretch(),
        }
    }

    /// Goes over to another chart.
    pub(super) fn change_chart(&mut self, dependent: &[usize]) {
        match &mut self.form {
            Formulation::Inverse(inverse) => {
                *inverse = Inverse::with_velocity(self.n, dependent, self.set.velocity.len());
            }
            Formulation::Structured(large) => large.change_chart(dependent),
            _ => {}
        }
        self.take_code();
    }

    /// The Jacobian of the constraints in use at a position, by rows.
    pub(super) fn jacobian(&mut self, t: f64, x: &[f64]) -> &[f64] {
        self.set.dynamics().constraint(t, x, &mut self.here);
        gather(&self.here.jacobian, self.set.rows, &mut self.jacobian);
        &self.jacobian[..self.set.rows.len() * self.n]
    }

    /// The equations at (t, self.x, self.v).
    fn observe(&mut self, t: f64) {
        self.instants += 1;
        let InUse { rows, velocity, .. } = self.set;
        let dynamics = self.set.dynamics();
        dynamics.instant(t, &self.x, &self.v, &mut self.at);
        if let Formulation::Structured(large) = &mut self.form {
            large.gather(&self.at.constraint);
        } else {
            let (positions, speeds) = self.jacobian.split_at_mut(rows.len() * self.n);
            gather(&self.at.constraint.jacobian, rows, positions);
            gather(&self.at.velocity.rows, velocity, speeds);
        }
    }

    /// Accelerations and multipliers at the instant observed.
    fn accelerate(&mut self) -> Result<(), Stop> {
        let linear = Linearised::new(&self.jacobian, self.set, &self.at);
        let outcome = match &mut self.form {
            Formulation::Inverse(inverse) => inverse.solve(&linear, &mut self.a, &mut self.lambda),
            Formulation::Multipliers(saddle, _) => {
                let found = (self.a.as_mut_slice(), self.lambda.as_mut_slice());
                let right = (|k: usize| -linear.bias(k), |b: usize| linear.gamma(b));
                let solved = saddle.solve(linear.blocks(), right, found);
                solved.then_some(()).ok_or(Stop::Singular)
            }
            Formulation::Tangents(tangents, _) => {
                if self.units.measure(|k| linear.mass(k)[k], |_| false) {
                    tangents.arrange_anew();
                }
                let found = (self.a.as_mut_slice(), self.lambda.as_mut_slice());
                tangents.solve(&linear, &self.units.scales.each, found)
            }
            Formulation::Structured(large) => {
                large.solve((&self.at, self.set.rows), &mut self.a, &mut self.lambda)
            }
        };
        if outcome.is_ok() && finite(&self.a) && finite(&self.lambda) {
            return Ok(());
        }
        // a value that is not finite is the better reason
        if let Some(b) = self.at.constraint.not_finite() {
            return Err(Stop::Constraint(b));
        }
        let finite = self
            .at
            .mass
            .iter()
            .chain(&self.at.bias)
            .chain(&self.at.gamma)
            .chain(&self.at.velocity.rows)
            .chain(&self.at.velocity_gamma)
            .all(|e| e.is_finite());
        if finite {
            Err(outcome.err().unwrap_or(Stop::Singular))
        } else {
            Err(Stop::Equations)
        }
    }

    /// What the system's own code divided by where it was evaluated last, if that was for accelerations and went well.
    pub(super) fn pivots(&self) -> Option<Pivots<'_>> {
        self.code().map(Quick::pivots)
    }

    /// The same at another position.
    pub(super) fn pivots_at(&mut self, t: f64, x: &[f64]) -> Option<Pivots<'_>> {
        self.code_mut()?.pivots_at(t, x)
    }

    /// The factors of the determinant that is watched, at a position. Clears and fills `out`.
    pub(super) fn factors_at(&mut self, t: f64, x: &[f64], out: &mut Vec<f64>) {
        let code = self.code_mut();
        if let Some(found) = code.and_then(|code| code.factors_at(t, x)) {
            out.clear();
            out.extend_from_slice(found);
        } else {
            self.set.dynamics().factors(t, x, out);
        }
    }

    /// Accelerations, multipliers and in a chart slopes by the system's own code; whether they will do.
    fn accelerate_quickly(&mut self, t: f64) -> bool {
        let code = self.quick.as_deref_mut().or(self.chartless.as_deref_mut());
        let Some(code) = code else {
            return false;
        };
        code.place((t, &self.x, &self.v));
        let Some([a, lambda, slopes]) = code.accelerations() else {
            return false;
        };
        if !finite(a) || !finite(lambda) {
            return false;
        }
        self.a.copy_from_slice(a);
        self.lambda.copy_from_slice(lambda);
        if let Formulation::Inverse(inverse) = &mut self.form {
            inverse.slopes().copy_from_slice(slopes);
        }
        self.balanced = code.is_balanced();
        self.balanced
    }
}

/// Are all of these numbers finite?
fn finite(list: &[f64]) -> bool {
    // an exponent of ones and one more is the sign; several numbers are asked side by side
    const ONE: u64 = 1 << (f64::MANTISSA_DIGITS - 1);
    let over = |e: &f64| e.abs().to_bits() + ONE;
    list.iter().fold(0, |all, e| all | over(e)) >> 63 == 0
}
