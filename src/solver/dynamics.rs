//! What the solver sees of a system: [`Dynamics`], the values it fills in, and the [`Problem`].

use nalgebra::{DMatrix, DVector};

use super::error::{Quantity, SolverError};
use super::step::larger;

/// A residual below this many units in the last place of its terms is rounding;
pub(crate) const ROUNDING: f64 = 2.0 * f64::EPSILON;
/// and so is the square of a correction that is below this part of the state.
pub(crate) const SQUARED: f64 = 1e-8;

/// L at a state, next to where it jumps.
#[derive(Clone, Debug, PartialEq)]
pub struct LagrangianValue {
    /// L, and the size of its terms in units of the rounding unit.
    pub value: [f64; 2],
    /// p = dL/dx', n of them.
    pub momenta: Vec<f64>,
    /// Of each of [`Dynamics::surfaces`] the gradient, n entries, and the derivative with respect to t.
    pub surfaces: Vec<(Vec<f64>, f64)>,
}

/// What the solver needs of a system; implemented by the compiled tapes of a system and, in tests
/// and benches, by hand-written formulas.
///
/// Implementations fill every entry of `out` that their [`Dynamics::pattern`] names; the others are
/// zero from the beginning ([`Instant::of`]) and stay so. A value that is not finite is allowed: the solver
/// finds it and names where it came from.
pub trait Dynamics: Send + Sync {
    /// The number n of coordinates.
    fn coordinates(&self) -> usize;

    /// The number m of constraints.
    fn constraints(&self) -> usize;

    /// The number p of velocity constraints A x' + b = 0.
    fn velocity_constraints(&self) -> usize {
        0
    }

    /// A(x; t) and b(x; t) of the velocity constraints; nothing is filled in where there are none.
    fn velocity(&self, t: f64, x: &[f64], out: &mut VelocityValue) {
        let _ = (t, x, out);
    }

    /// All that a position needs: the residual f(x; t) - c, its Jacobian and `f_t`.
    fn constraint(&self, t: f64, x: &[f64], out: &mut ConstraintValue);

    /// Everything at an instant: E = M a + h, gamma with J a = gamma, the energy, and the values of
    /// the constraints of both kinds too.
    fn instant(&self, t: f64, x: &[f64], v: &[f64], out: &mut Instant);

    /// The system's own code for the equations in a chart (its dependent coordinates), or without one, all constraints in use;
    /// none where there is no quicker way than through [`Dynamics::instant`].
    fn quick(&self, chart: Option<&[usize]>) -> Option<Box<dyn Quick>> {
        let _ = chart;
        None
    }

    /// Whether the constraints of either kind may be others at another time.
    fn may_move(&self) -> bool {
        true
    }

    /// Whether M may be another one elsewhere, or at another time.
    fn may_change_mass(&self) -> bool {
        true
    }

    /// The energy at (x, x'), and what an evaluation of it rounds, in units of the rounding unit, where it is constant (nothing
    /// does work, and neither L nor a constraint has t) and a motion is to be held by it.
    fn constant_energy(&self, y: &[f64]) -> Option<[f64; 2]> {
        let _ = y;
        None
    }

    /// Functions of a position and the time at whose zeros L may jump, as it does with `sign(x)`. Clears and fills `out`.
    fn surfaces(&self, t: f64, x: &[f64], out: &mut Vec<f64>) {
        let _ = (t, x);
        out.clear();
    }

    /// L and its momenta, with what belongs to each of these functions; none where L jumps nowhere.
    fn lagrangian(&self, t: f64, x: &[f64], v: &[f64]) -> Option<LagrangianValue> {
        let _ = (t, x, v);
        None
    }

    /// Whether the gradient of a constraint may jump anywhere.
    fn may_kink(&self) -> bool {
        true
    }

    /// Whether the rows of W = [J; A] may be dependent at a configuration, one with f = c.
    fn may_lose_rank(&self) -> bool {
        true
    }

    /// Where entries of M and J may differ from zero, of a system whose matrices are mostly zeros; none
    /// where all entries are to be treated alike.
    fn pattern(&self) -> Option<&Pattern> {
        None
    }

    /// What the entries of W = [J; A] may be off by where each coordinate is known to `reach` only, and t to
    /// rounding; none where differences have to tell.
    fn blur(&self, at: (f64, &[f64]), reach: &[f64]) -> Option<DMatrix<f64>> {
        let _ = (at, reach);
        None
    }

    /// The values of functions whose zeros are the zeros of det `J_D` for the system's own choice D
    /// (its distinct factors). Clears and fills `out`.
    fn factors(&self, t: f64, x: &[f64], out: &mut Vec<f64>);

    /// The coordinates that one of these functions depends on; none where that is not known.
    fn factor_depends_on(&self, _factor: usize) -> Option<&[usize]> {
        None
    }
}

/// Code that solves the equations in one go. What it gives is as good as what is solved in general, or it gives nothing: where the
/// equations are nearly singular. Where forces cancel it tells, if it is asked.
pub trait Quick: Send {
    /// Takes the place (t, x, x') that is asked about next.
    fn place(&mut self, at: (f64, &[f64], &[f64]));

    /// x and x' of the place.
    fn state(&self) -> [&[f64]; 2];

    /// At the place, which is on the constraints: the accelerations, the multipliers of all constraints of both kinds, and in a
    /// chart the columns of -J_D^-1 J_I; none where that will not do.
    fn accelerations(&mut self) -> Option<[&[f64]; 3]>;

    /// The accelerations alone, as a stage of a step wants them: the same, but nothing is said of how forces cancel.
    fn stage(&mut self) -> Option<&[f64]> {
        self.accelerations().map(|[a, ..]| a)
    }

    /// Whether the accelerations that were solved for last are as good as others where forces cancel.
    fn is_balanced(&mut self) -> bool {
        true
    }

    /// Whether there is code for all stages of a step at once.
    fn has_stages(&self, _method: &'static Tableau, _corrections: [usize; 2]) -> bool {
        false
    }

    /// All stages of a step at once, in a chart each after so many corrections of its positions, the first stage and the
    /// others; none where they are to be evaluated one by one, to the same last bit.
    fn stages<'a>(
        &mut self,
        _from: Beginning<'a>,
        _corrections: [usize; 2],
    ) -> Option<Evaluations<'a>> {
        None
    }

    /// The end of the step that came with its stages, if they say so and nothing else was asked for since; none where that will
    /// not do.
    fn landed(&self) -> Option<Landed<'_>> {
        None
    }

    /// The end of a step at a place next to the constraints; none where that is left to corrections and accelerations one
    /// after the other. Where there is one, it is also what is asked about next.
    fn land(&mut self, _at: (f64, &[f64], &[f64])) -> Option<Landed<'_>> {
        None
    }

    /// What the elimination divides by, at the place where accelerations were solved for last: positive where the equations
    /// are regular, always in the same order. One of them vanishes where M is singular or constraints become dependent.
    fn pivots(&self) -> Pivots<'_>;

    /// The factors of the determinant that is watched, there; empty where they are not written out.
    fn factors(&self) -> &[f64];

    /// The same at another position; none where that is left to [`Dynamics::factors`].
    fn factors_at(&mut self, _t: f64, _x: &[f64]) -> Option<&[f64]> {
        None
    }

    /// The pivots at another position, whatever the velocities; none where the equations are nearly singular.
    fn pivots_at(&mut self, t: f64, x: &[f64]) -> Option<Pivots<'_>>;

    /// What leads the place back onto the constraints; none where that will not do.
    fn corrections(&mut self) -> Option<ProjectionStep<'_>>;

    /// Moves the positions of the place, or its velocities, by the corrections that were asked for last.
    fn correct(&mut self, what: Corrected);
}

/// The entries of a row of a tableau that are not zero: a stage and its coefficient.
pub type TableauRow = &'static [(usize, f64)];

/// An explicit method of s stages.
#[derive(Clone, Copy, Debug)]
pub struct Tableau {
    /// Where in the step each stage stands; s.
    pub nodes: &'static [f64],
    /// What each is combined of, and at last the end of the step; s + 1.
    pub rows: &'static [TableauRow],
    /// Two estimates of the error.
    pub errors: [TableauRow; 2],
}

/// What the stages of a step gave, beside what [`Beginning::memory`] has.
#[derive(Clone, Copy, Debug)]
pub struct Evaluations<'a> {
    /// The factors of the determinant that is watched, stage by stage.
    pub factors: &'a [f64],
    /// In a chart, what leads back onto the constraints.
    pub settled: Option<Settled<'a>>,
    /// Whether the end of the step came with them.
    pub landed: bool,
}

/// In a chart, stage by stage.
#[derive(Clone, Copy, Debug)]
pub struct Settled<'a> {
    /// The positions that the accelerations were solved for at, and what would correct them further; of velocities
    /// nothing.
    pub further: ProjectionStep<'a>,
    /// The columns of -J_D^-1 J_I.
    pub columns: &'a [f64],
}

impl<'a> Settled<'a> {
    /// What would correct so many stages, one after the other.
    pub(super) fn stages(self, count: usize) -> impl Iterator<Item = ProjectionStep<'a>> {
        let ProjectionStep {
            at: [x, _],
            moves: [dx, _],
            residual,
            scale,
            sign,
        } = self.further;
        let lists = [x, dx, residual, scale].map(|list| (list, list.len() / count));
        (0..count).map(move |i| {
            let own = lists.map(|(list, size)| &list[i * size..(i + 1) * size]);
            let [x, dx, residual, scale] = own;
            ProjectionStep {
                at: [x, &[]],
                moves: [dx, &[]],
                residual,
                scale,
                sign,
            }
        })
    }

    /// One of the positions, their corrections, the residuals, their scales and the columns.
    pub fn new([x, dx, residual, scale, columns]: [&'a [f64]; 5], sign: f64) -> Self {
        let further = ProjectionStep {
            at: [x, &[]],
            moves: [dx, &[]],
            residual,
            scale,
            sign,
        };
        Self { further, columns }
    }
}

/// The end of a step on the constraints, to rounding, and what was solved for there.
#[derive(Clone, Copy, Debug)]
pub struct Landed<'a> {
    /// y = (x, x').
    pub state: &'a [f64],
    /// The sign of det J_D, 1 without a chart.
    pub sign: f64,
    /// What [`Quick::accelerations`] gives.
    pub solution: [&'a [f64]; 3],
}

/// Where a step begins: t, y, y' and h, and where it ends.
#[derive(Debug)]
pub struct Beginning<'a> {
    /// The stages that are asked for.
    pub method: &'static Tableau,
    /// t at the beginning, and at the end.
    pub t: [f64; 2],
    /// y = (x, x').
    pub y: &'a [f64],
    /// h.
    pub h: f64,
    /// Memory in which y' stands before the place `first`. From there on the stages leave the derivatives at all of them
    /// but the first, the state at the last one and at the end of the step, and the two estimates without h; what they leave
    /// behind them is their own.
    pub memory: &'a mut Vec<f64>,
    /// That place.
    pub first: usize,
}

/// What a correction is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Corrected {
    /// The positions.
    Positions,
    /// The velocities.
    Velocities,
}

/// A way back onto the constraints.
#[derive(Debug, Clone, Copy)]
pub struct ProjectionStep<'a> {
    /// x and x' where it begins.
    pub at: [&'a [f64]; 2],
    /// dx with J dx = f - c, and dv with J dv = J x' + `f_t`; in a chart dependent coordinates alone move.
    pub moves: [&'a [f64]; 2],
    /// The residuals f - c.
    pub residual: &'a [f64],
    /// The sizes of their terms.
    pub scale: &'a [f64],
    /// The sign of det J_D, 1 without a chart.
    pub sign: f64,
}

impl ProjectionStep<'_> {
    /// Is this part of the state more than each of the corrections?
    pub(super) fn is_within(&self, part: f64) -> bool {
        let size = |list: &[f64]| list.iter().map(|e| e.abs()).sum::<f64>();
        let mut pairs = self.moves.into_iter().zip(self.at);
        pairs.all(|(moves, of)| size(moves) <= part * size(of))
    }

    /// Are the residuals no more than rounding?
    pub(super) fn is_rounding(&self) -> bool {
        let mut residuals = self.residual.iter().zip(self.scale);
        residuals.all(|(residual, scale)| residual.abs() <= ROUNDING * scale)
    }
}

/// Pivots of an elimination.
#[derive(Debug, Clone, Copy)]
pub struct Pivots<'a> {
    /// Each, followed by the size of the terms that it is the sum of.
    pub pairs: &'a [f64],
    /// Whether they vanish as the squares of distances do.
    pub order: PivotOrder,
}

/// Pivots above this part of their terms are far from vanishing.
const CLEAR: f64 = 0.1;

impl Pivots<'_> {
    /// Is none of them near zero, beside its terms here and what these were at most elsewhere?
    pub(super) fn are_clear(&self, elsewhere: &[f64]) -> bool {
        let (pairs, _) = self.pairs.as_chunks::<2>();
        let mut all = pairs.iter().zip(elsewhere);
        pairs.len() == elsewhere.len()
            && all.all(|([pivot, terms], other)| *pivot > CLEAR * larger(*terms, *other))
    }

    /// Takes the sizes of their terms into the largest so far.
    pub(super) fn grow(&self, largest: &mut Vec<f64>) {
        let (pairs, _) = self.pairs.as_chunks::<2>();
        largest.resize(pairs.len(), 0.0);
        for (largest, [_, terms]) in largest.iter_mut().zip(pairs) {
            *largest = larger(*largest, *terms);
        }
    }
}

/// How a pivot vanishes where rows become dependent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PivotOrder {
    /// As their distance from being dependent.
    Distance,
    /// As its square.
    Square,
}

/// The places of entries that are not identically zero: rows and columns, each place once.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pattern {
    /// Of M, on and below its diagonal.
    pub mass: Vec<(usize, usize)>,
    /// Of J.
    pub jacobian: Vec<(usize, usize)>,
}

/// The constraints at a position: what [`Dynamics::constraint`] fills in.
#[derive(Debug, Clone, PartialEq)]
pub struct ConstraintValue {
    /// f(x; t) - c, of length m.
    pub residual: DVector<f64>,
    /// J = df/dx, m by n.
    pub jacobian: DMatrix<f64>,
    /// df/dt, of length m.
    pub f_t: DVector<f64>,
    /// The size of the terms of `f_b` and `c_b`, of length m and positive: for a sum of monomials the
    /// sum of their absolute values, otherwise what evaluating them rounds, in units of the rounding
    /// unit. Residuals are judged relative to it.
    pub scale: DVector<f64>,
}

impl ConstraintValue {
    /// Zeros of the right shape (the scale is one), for m constraints on n coordinates.
    pub fn new(coordinates: usize, constraints: usize) -> Self {
        Self {
            residual: DVector::zeros(constraints),
            jacobian: DMatrix::zeros(constraints, coordinates),
            f_t: DVector::zeros(constraints),
            scale: DVector::repeat(constraints, 1.0),
        }
    }

    /// The same for a system.
    pub fn of(dynamics: &dyn Dynamics) -> Self {
        Self::new(dynamics.coordinates(), dynamics.constraints())
    }

    /// Those of a system at a position.
    pub fn at(dynamics: &dyn Dynamics, t: f64, x: &[f64]) -> Self {
        let mut value = Self::of(dynamics);
        dynamics.constraint(t, x, &mut value);
        value
    }

    /// The first constraint with a value that is not a finite number.
    pub(crate) fn not_finite(&self) -> Option<usize> {
        (0..self.residual.len()).find(|&b| {
            !(self.residual[b].is_finite()
                && self.f_t[b].is_finite()
                && self.scale[b].is_finite()
                && self.jacobian.row(b).iter().all(|e| e.is_finite()))
        })
    }

    /// max |`f_b` - `c_b`|, 0 where there are no constraints.
    pub(crate) fn largest(&self) -> f64 {
        self.residual.iter().fold(0.0, |most, r| r.abs().max(most))
    }
}

/// The velocity constraints A x' + b = 0 at a position: what [`Dynamics::velocity`] fills in.
#[derive(Debug, Clone, PartialEq)]
pub struct VelocityValue {
    /// A, p by n.
    pub rows: DMatrix<f64>,
    /// b, of length p.
    pub b: DVector<f64>,
}

impl VelocityValue {
    /// Zeros of the right shape, for p velocity constraints on n coordinates.
    pub fn new(coordinates: usize, velocity_constraints: usize) -> Self {
        Self {
            rows: DMatrix::zeros(velocity_constraints, coordinates),
            b: DVector::zeros(velocity_constraints),
        }
    }

    /// The same for a system.
    pub fn of(dynamics: &dyn Dynamics) -> Self {
        Self::new(dynamics.coordinates(), dynamics.velocity_constraints())
    }

    /// The first velocity constraint with a value that is not a finite number.
    pub(crate) fn not_finite(&self) -> Option<usize> {
        (0..self.b.len())
            .find(|&j| !(self.b[j].is_finite() && self.rows.row(j).iter().all(|e| e.is_finite())))
    }
}

/// W = [J; A].
pub(super) fn stacked(j: &DMatrix<f64>, a: &DMatrix<f64>) -> DMatrix<f64> {
    let m = j.nrows();
    DMatrix::from_fn(m + a.nrows(), j.ncols(), |b, k| {
        if b < m { j[(b, k)] } else { a[(b - m, k)] }
    })
}

/// Some rows of a matrix, by rows.
pub(super) fn gather(from: &DMatrix<f64>, rows: &[usize], out: &mut [f64]) {
    let (count, n) = from.shape();
    let entries = from.as_slice();
    for (&b, row) in rows.iter().zip(out.chunks_exact_mut(n.max(1))) {
        for (k, e) in row.iter_mut().enumerate() {
            *e = entries[k * count + b];
        }
    }
}

/// A system at an instant: what [`Dynamics::instant`] fills in.
#[derive(Debug, Clone, PartialEq)]
pub struct Instant {
    /// M = d2L/dx'dx', n by n.
    pub mass: DMatrix<f64>,
    /// h with E = M a + h, of length n; the applied forces are in it.
    pub bias: DVector<f64>,
    /// The constraints at the same position.
    pub constraint: ConstraintValue,
    /// gamma with J a = gamma, of length m.
    pub gamma: DVector<f64>,
    /// x' . dL/dx' - L.
    pub energy: f64,
    /// The velocity constraints at the same position.
    pub velocity: VelocityValue,
    /// gamma of the velocity constraints, A a = gamma, of length p.
    pub velocity_gamma: DVector<f64>,
}

impl Instant {
    /// Zeros of the right shape for a system.
    pub fn of(dynamics: &dyn Dynamics) -> Self {
        let n = dynamics.coordinates();
        Self {
            mass: DMatrix::zeros(n, n),
            bias: DVector::zeros(n),
            constraint: ConstraintValue::of(dynamics),
            gamma: DVector::zeros(dynamics.constraints()),
            energy: 0.0,
            velocity: VelocityValue::of(dynamics),
            velocity_gamma: DVector::zeros(dynamics.velocity_constraints()),
        }
    }

    /// A system at an instant, at (t, x, x').
    pub fn at(dynamics: &dyn Dynamics, (t, x, v): (f64, &[f64], &[f64])) -> Self {
        let mut at = Self::of(dynamics);
        dynamics.instant(t, x, v, &mut at);
        at
    }
}

/// A system with its own choice of dependent coordinates and the names that messages use.
#[derive(Clone)]
pub struct Problem<'a> {
    /// The system's equations.
    pub dynamics: &'a dyn Dynamics,
    /// The system's own choice D, m indices in the order of the columns of det `J_D`; the best
    /// conditioned one at the start where it is left out.
    pub dependent: Option<Vec<usize>>,
    /// The names of the n coordinates.
    pub coordinates: &'a [String],
    /// The names of the m constraints, then those of the p velocity constraints.
    pub constraints: &'a [String],
}

impl Problem<'_> {
    /// The number of coordinates n, and that of position constraints m.
    pub(crate) fn shape(&self) -> (usize, usize) {
        (self.dynamics.coordinates(), self.dynamics.constraints())
    }

    /// The name of coordinate `k`.
    pub(crate) fn coordinate(&self, k: usize) -> String {
        self.coordinates
            .get(k)
            .cloned()
            .unwrap_or_else(|| format!("coordinate {}", k + 1))
    }

    /// What is wrong where the values of constraint `b` are not finite.
    pub(crate) fn not_finite(&self, b: usize, t: f64) -> SolverError {
        let name = self.constraint(b);
        let what = if b < self.dynamics.constraints() {
            Quantity::Constraint(name)
        } else {
            Quantity::VelocityConstraint(name)
        };
        SolverError::NotFinite { what, t }
    }

    /// The name of constraint `b`; velocity constraint j has the number m + j.
    pub(crate) fn constraint(&self, b: usize) -> String {
        self.constraints
            .get(b)
            .cloned()
            .unwrap_or_else(|| format!("constraint {}", b + 1))
    }
}
