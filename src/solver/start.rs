//! Consistent starts: positions with f(x; t) = c, velocities with J x' + `f_t` = 0.
//!
//! What was given is fixed; what was left out is solved for from its guess, by Gauss-Newton steps of
//! least norm, dx = -`J_U`^+ r, shortened while the residual does not shrink. Where that leads nowhere
//! (a guess where J vanishes, such as the centre of a circle) the search begins again from points off the
//! guess, the same ones in every run. Given values that miss by no more than [`MOVABLE`] of their terms
//! are moved to the nearest consistent ones.

mod assembly;

pub use assembly::{Assembly, Configuration, Moved, assembly};

use nalgebra::{DMatrix, DVector, Dyn, SVD};

use super::dynamics::{ConstraintValue, Problem, VelocityValue};
use super::error::{Placed, SolverError};
use crate::sparse::{Shortest, Sparse, is_large};

/// Given values may miss a constraint by this part of its terms and are then moved onto it.
pub const MOVABLE: f64 = 1e-6;
/// A residual below this part of its terms is rounding.
const ROUNDING: f64 = 8.0 * f64::EPSILON;
/// A solved position misses by no more than this part of the terms.
const SOLVED: f64 = 1e-11;
/// Singular values below this part of the largest are left out of a step.
const TRUNCATION: f64 = 1e-12;
/// Steps from one guess.
const STEPS: usize = 200;
/// Products that a whole search may cost, and the fewest and most steps that are taken for it.
const WORK: usize = 2_000_000_000;
const FEWEST: usize = 100;
const MOST: usize = 4000;
/// Guesses tried.
const TRIES: usize = 40;
/// A multiple root of up to this order is covered by the reported correction.
const MULTIPLICITY: f64 = 4.0;

/// What a start says: values that are given, and guesses for those that are not.
#[derive(Debug, Clone, PartialEq)]
pub struct Given {
    /// The time.
    pub t: f64,
    /// The n coordinates, where given.
    pub x: Vec<Option<f64>>,
    /// The n velocities, where given.
    pub v: Vec<Option<f64>>,
    /// Where the search for a coordinate begins.
    pub guess_x: Vec<f64>,
    /// Where the search for a velocity begins.
    pub guess_v: Vec<f64>,
}

impl Given {
    /// Nothing given, all guesses zero.
    pub fn nothing(t: f64, coordinates: usize) -> Self {
        Self {
            t,
            x: vec![None; coordinates],
            v: vec![None; coordinates],
            guess_x: vec![0.0; coordinates],
            guess_v: vec![0.0; coordinates],
        }
    }
}

/// A start that satisfies the constraints.
#[derive(Debug, Clone, PartialEq)]
pub struct Start {
    /// The time.
    pub t: f64,
    /// The n coordinates.
    pub x: Vec<f64>,
    /// The n velocities.
    pub v: Vec<f64>,
    /// How far a further Newton correction could move each coordinate that was solved for (about 1e-16 at
    /// a regular point, 1e-8 on a fold); 0 where the value was given.
    pub correction: Vec<f64>,
    /// What was moved, in sentences.
    pub notes: Vec<String>,
}

/// A deterministic number in (-1, 1), from two indices.
pub(super) fn number(i: usize, j: usize) -> f64 {
    let golden = 0.618_033_988_749_894_9;
    let root = 0.754_877_666_246_692_7;
    let part = ((i + 1) as f64 * golden + (j + 1) as f64 * root).fract();
    2.0 * part - 1.0
}

/// Makes a start consistent.
///
/// # Errors
/// Given values that miss the constraints by more than [`MOVABLE`], no solution found, values of the
/// system that are not finite, lists of the wrong length.
pub fn consistent_start(problem: &Problem<'_>, given: &Given) -> Result<Start, SolverError> {
    let n = problem.dynamics.coordinates();
    let lists = [
        ("coordinates", given.x.len()),
        ("velocities", given.v.len()),
        ("guesses of coordinates", given.guess_x.len()),
        ("guesses of velocities", given.guess_v.len()),
    ];
    for (what, found) in lists {
        if found != n {
            return Err(SolverError::Shape {
                what,
                expected: n,
                found,
            });
        }
    }
    let mut search = Search::new(problem, given.t);
    search.finite(given)?;
    let position = search.position(given)?;
    let mut notes = position.notes;
    let v = search.velocity(given, &position.x, &mut notes)?;
    Ok(Start {
        t: given.t,
        x: position.x,
        v,
        correction: position.correction,
        notes,
    })
}

struct Position {
    x: Vec<f64>,
    correction: Vec<f64>,
    notes: Vec<String>,
}

/// The workspace of a search at a time.
struct Search<'a> {
    problem: &'a Problem<'a>,
    t: f64,
    n: usize,
    m: usize,
    value: ConstraintValue,
    /// W = [J; A] with the right sides (`f_t`; b), where velocities are looked for.
    both: DMatrix<f64>,
    right: DVector<f64>,
    /// Steps left before the search is given up.
    left: usize,
}

impl<'a> Search<'a> {
    fn new(problem: &'a Problem<'a>, t: f64) -> Self {
        let (n, m) = (
            problem.dynamics.coordinates(),
            problem.dynamics.constraints(),
        );
        Self {
            problem,
            t,
            n,
            m,
            value: ConstraintValue::new(n, m),
            both: DMatrix::zeros(0, n),
            right: DVector::zeros(0),
            left: 0,
        }
    }

    /// Refuses given values that are not finite.
    fn finite(&self, given: &Given) -> Result<(), SolverError> {
        let refuse = |what: String| Err(SolverError::NotFinite { what, t: given.t });
        if !given.t.is_finite() {
            return refuse("the time of the start".to_owned());
        }
        for k in 0..self.n {
            let name = self.problem.coordinate(k);
            if !given.x[k].unwrap_or(given.guess_x[k]).is_finite() {
                return refuse(format!("the start value of {name}"));
            }
            if !given.v[k].unwrap_or(given.guess_v[k]).is_finite() {
                return refuse(format!("the start value of {name}'"));
            }
        }
        Ok(())
    }

    fn at(&mut self, x: &[f64]) {
        self.problem.dynamics.constraint(self.t, x, &mut self.value);
    }

    /// Stacks J at the value last looked at on the rows of the velocity constraints there.
    ///
    /// # Errors
    /// A velocity constraint that is not finite.
    fn stack(&mut self, x: &[f64]) -> Result<(), SolverError> {
        let (m, p) = (self.m, self.problem.dynamics.velocity_constraints());
        let mut speeds = VelocityValue::new(self.n, p);
        self.problem.dynamics.velocity(self.t, x, &mut speeds);
        if let Some(j) = speeds.not_finite() {
            let name = self.problem.constraint(m + j);
            let what = format!("the velocity constraint `{name}`");
            return Err(SolverError::NotFinite { what, t: self.t });
        }
        let value = &self.value;
        self.both = DMatrix::from_fn(m + p, self.n, |b, k| {
            if b < m {
                value.jacobian[(b, k)]
            } else {
                speeds.rows[(b - m, k)]
            }
        });
        self.right = DVector::from_fn(
            m + p,
            |b, _| {
                if b < m { value.f_t[b] } else { speeds.b[b - m] }
            },
        );
        Ok(())
    }

    /// The constraint missed most at the value last looked at, and by which part of its terms.
    fn worst(&self) -> (usize, f64) {
        (0..self.m)
            .map(|b| (b, self.relative(b)))
            .fold((0, 0.0), |most, e| if e.1 > most.1 { e } else { most })
    }

    fn relative(&self, b: usize) -> f64 {
        let size = self.value.residual[b].abs() / self.value.scale[b].max(f64::MIN_POSITIVE);
        if size.is_nan() { f64::INFINITY } else { size }
    }

    /// The residual as one number, in units of the terms `scale`; infinite where it is not a number.
    fn merit(&self, scale: &DVector<f64>) -> f64 {
        let sum: f64 = (0..self.m)
            .map(|b| (self.value.residual[b] / scale[b]).powi(2))
            .sum();
        if self.value.not_finite().is_none() && sum.is_finite() {
            sum.sqrt()
        } else {
            f64::INFINITY
        }
    }

    /// The least norm change of the `unknown` coordinates with J dx = r, rows weighed by their terms.
    fn shortest(
        &self,
        unknown: &[usize],
        r: &DVector<f64>,
        scale: &DVector<f64>,
    ) -> Option<DVector<f64>> {
        self.inverse(unknown, scale)?.solve(r)
    }

    /// J restricted to the `unknown` coordinates, factored for [`Search::shortest`].
    fn inverse(&self, unknown: &[usize], scale: &DVector<f64>) -> Option<PseudoInverse> {
        pseudo_inverse(&self.value.jacobian, unknown, scale)
    }

    fn position(&mut self, given: &Given) -> Result<Position, SolverError> {
        let first: Vec<f64> = (0..self.n)
            .map(|k| given.x[k].unwrap_or(given.guess_x[k]))
            .collect();
        let unknown: Vec<usize> = (0..self.n).filter(|&k| given.x[k].is_none()).collect();
        let mut notes = Vec::new();
        let mut correction = vec![0.0; self.n];
        if self.m == 0 {
            return Ok(Position {
                x: first,
                correction,
                notes,
            });
        }
        self.at(&first);
        if unknown.is_empty() {
            if let Some(b) = self.value.not_finite() {
                return Err(self.not_finite(b));
            }
            let (_, relative) = self.worst();
            if relative <= ROUNDING {
                return Ok(Position {
                    x: first,
                    correction,
                    notes,
                });
            }
        } else if let Some(x) = self.solve(&first, &unknown) {
            self.judge(&x, &unknown, &mut correction);
            return Ok(Position {
                x,
                correction,
                notes,
            });
        }
        // the given values cannot stand: the nearest that can, if they are near enough
        let best = if unknown.is_empty() {
            first.clone()
        } else {
            self.least(&first, &unknown)
        };
        self.at(&best);
        if let Some(b) = self.value.not_finite() {
            return Err(self.not_finite(b));
        }
        let (b, relative) = self.worst();
        let residual = self.value.residual[b];
        let all: Vec<usize> = (0..self.n).collect();
        let nearest = self.solve(&best, &all);
        match nearest {
            Some(x) if relative <= MOVABLE => {
                for k in (0..self.n).filter(|&k| x[k] != first[k] && given.x[k].is_some()) {
                    let name = self.problem.coordinate(k);
                    notes.push(format!(
                        "{name} was moved from {} to {}, onto the constraints",
                        first[k], x[k]
                    ));
                }
                self.judge(&x, &all, &mut correction);
                Ok(Position {
                    x,
                    correction,
                    notes,
                })
            }
            _ if unknown.len() == self.n => {
                let constraint = self.problem.constraint(b);
                Err(SolverError::NoStart {
                    constraint,
                    residual,
                    t: self.t,
                    tries: TRIES,
                })
            }
            _ => {
                let nearest = nearest.unwrap_or_default();
                let place = |(k, value)| Placed {
                    name: self.problem.coordinate(k),
                    value,
                };
                let nearest = nearest.into_iter().enumerate().map(place).collect();
                Err(SolverError::Position {
                    constraint: self.problem.constraint(b),
                    residual,
                    relative,
                    nearest,
                })
            }
        }
    }

    fn not_finite(&self, b: usize) -> SolverError {
        let what = format!(
            "the constraint `{}` or its gradient",
            self.problem.constraint(b)
        );
        SolverError::NotFinite { what, t: self.t }
    }

    /// A position that satisfies the constraints, only `unknown` moved; from the first guess that leads
    /// to one.
    fn solve(&mut self, first: &[f64], unknown: &[usize]) -> Option<Vec<f64>> {
        let most = first
            .iter()
            .fold(0.0_f64, |most, e| most.max(e.abs()))
            .max(1.0);
        self.left = (WORK / (10 * self.m * self.m * self.n).max(1)).clamp(FEWEST, MOST);
        for attempt in 0..TRIES {
            if attempt > 0 && self.left == 0 {
                break;
            }
            if attempt == 0 {
                if let Some(x) = self.from(first, unknown) {
                    return Some(x);
                }
                continue;
            }
            let mut x = first.to_vec();
            // ever further off the guess, from a tenth of its size to ten times
            let reach = most * 10_f64.powf(2.0 * attempt as f64 / TRIES as f64 - 1.0);
            for (i, &k) in unknown.iter().enumerate() {
                x[k] += reach * number(i, attempt);
            }
            if self.descend(&mut x, unknown) {
                return Some(x);
            }
        }
        None
    }

    /// The solution that one guess leads to, the nearest to it on its branch.
    fn from(&mut self, first: &[f64], unknown: &[usize]) -> Option<Vec<f64>> {
        let mut x = first.to_vec();
        self.descend(&mut x, unknown).then(|| {
            self.approach(first, &mut x, unknown);
            x
        })
    }

    /// Gauss-Newton with shortened steps; whether it came to a solution.
    fn descend(&mut self, x: &mut [f64], unknown: &[usize]) -> bool {
        self.at(x);
        let mut scale = self.value.scale.clone();
        let mut merit = self.merit(&scale);
        if !merit.is_finite() {
            return false;
        }
        let mut trial = x.to_vec();
        for _ in 0..STEPS {
            self.left = self.left.saturating_sub(1);
            if self.left == 0 {
                break;
            }
            if merit == 0.0 {
                return true;
            }
            let Some(dx) = self.shortest(unknown, &self.value.residual, &scale) else {
                return false;
            };
            let mut part = 1.0;
            let improved = loop {
                for (&k, d) in unknown.iter().zip(&dx) {
                    trial[k] = x[k] - part * d;
                }
                self.at(&trial);
                let size = self.merit(&scale);
                if size < merit * (1.0 - 1e-4 * part) {
                    break Some(size);
                }
                part *= 0.5;
                if part < 1e-6 {
                    break None;
                }
            };
            let Some(size) = improved else {
                self.at(x);
                break;
            };
            x.copy_from_slice(&trial);
            merit = size;
            // terms may grow on the way; what counts is the largest they were
            if self
                .value
                .scale
                .iter()
                .zip(&scale)
                .any(|(new, old)| *new > 2.0 * old)
            {
                scale = scale.sup(&self.value.scale);
                merit = self.merit(&scale);
            }
        }
        self.merit(&scale) <= SOLVED * (self.m as f64).sqrt()
    }

    /// Moves a solution along the constraints to the one nearest to the guess.
    fn approach(&mut self, guess: &[f64], x: &mut Vec<f64>, unknown: &[usize]) {
        let origin = x.clone();
        let distance = |x: &[f64]| {
            x.iter()
                .zip(guess)
                .map(|(a, b)| (a - b).powi(2))
                .sum::<f64>()
        };
        let start = distance(&origin);
        for _ in 0..30 {
            self.at(x);
            let scale = self.value.scale.clone();
            let back = DVector::from_fn(self.n, |k, _| guess[k] - x[k]);
            let r = &self.value.residual + &self.value.jacobian * back;
            let Some(dx) = self.shortest(unknown, &r, &scale) else {
                break;
            };
            let mut moved: f64 = 0.0;
            for (&k, d) in unknown.iter().zip(&dx) {
                let next = guess[k] - d;
                moved = moved
                    .max((next - x[k]).abs() / (x[k].abs() + next.abs()).max(f64::MIN_POSITIVE));
                x[k] = next;
            }
            if moved < 1e-13 {
                break;
            }
        }
        if !(self.descend(x, unknown) && distance(x) <= start) {
            x.clone_from(&origin);
        }
    }

    /// The position that misses least, only `unknown` moved.
    fn least(&mut self, first: &[f64], unknown: &[usize]) -> Vec<f64> {
        let mut x = first.to_vec();
        self.left = FEWEST;
        self.descend(&mut x, unknown);
        x
    }

    /// How far a further correction could move the unknown coordinates, residuals being known to rounding.
    fn judge(&mut self, x: &[f64], unknown: &[usize], correction: &mut [f64]) {
        self.at(x);
        let scale = self.value.scale.clone();
        let Some(inverse) = self.inverse(unknown, &scale) else {
            return;
        };
        for b in 0..self.m {
            let doubt = self.value.residual[b].abs() + 2.0 * f64::EPSILON * scale[b];
            let mut r = DVector::zeros(self.m);
            r[b] = doubt;
            if let Some(dx) = inverse.solve(&r) {
                for (&k, d) in unknown.iter().zip(&dx) {
                    correction[k] += MULTIPLICITY * d.abs();
                }
            }
        }
    }

    /// Velocities with J v + `f_t` = 0 and A v + b = 0.
    fn velocity(
        &mut self,
        given: &Given,
        x: &[f64],
        notes: &mut Vec<String>,
    ) -> Result<Vec<f64>, SolverError> {
        let first: Vec<f64> = (0..self.n)
            .map(|k| given.v[k].unwrap_or(given.guess_v[k]))
            .collect();
        if self.m + self.problem.dynamics.velocity_constraints() == 0 {
            return Ok(first);
        }
        self.at(x);
        if let Some(b) = self.value.not_finite() {
            return Err(self.not_finite(b));
        }
        self.stack(x)?;
        let unknown: Vec<usize> = (0..self.n).filter(|&k| given.v[k].is_none()).collect();
        let all: Vec<usize> = (0..self.n).collect();
        let mut v = first.clone();
        if !unknown.is_empty() {
            self.correct_velocity(&mut v, &unknown);
        }
        let (b, residual, relative) = self.velocity_miss(&v);
        if relative <= if unknown.is_empty() { ROUNDING } else { SOLVED } {
            return Ok(v);
        }
        let mut nearest = v.clone();
        self.correct_velocity(&mut nearest, &all);
        let found = self.velocity_miss(&nearest).2 <= SOLVED;
        if found && relative <= MOVABLE {
            for k in (0..self.n).filter(|&k| given.v[k].is_some() && nearest[k] != v[k]) {
                let name = self.problem.coordinate(k);
                notes.push(format!(
                    "{name}' was moved from {} to {}, onto the constraints",
                    v[k], nearest[k]
                ));
            }
            return Ok(nearest);
        }
        let place = |(k, value)| Placed {
            name: format!("{}'", self.problem.coordinate(k)),
            value,
        };
        let offered = if found {
            nearest.into_iter().enumerate().map(place).collect()
        } else {
            Vec::new()
        };
        if b >= self.m {
            return Err(SolverError::VelocityConstraint {
                constraint: self.problem.constraint(b),
                residual,
                relative,
                nearest: offered,
            });
        }
        Err(SolverError::Velocity {
            constraint: self.problem.constraint(b),
            residual,
            relative,
            nearest: offered,
        })
    }

    /// The constraint whose time derivative is missed most: its index, J v + `f_t`, and that relative to
    /// its terms. Velocities are known to rounding of the largest: what a constraint misses by no more counts
    /// as nothing, also where all its terms are as small as that.
    fn velocity_miss(&self, v: &[f64]) -> (usize, f64, f64) {
        let mut worst = (0, 0.0, 0.0);
        let fastest = v.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
        for b in 0..self.both.nrows() {
            let (mut sum, mut terms) = (self.right[b], self.right[b].abs());
            for (k, v) in v.iter().enumerate() {
                let term = self.both[(b, k)] * v;
                sum += term;
                terms += term.abs();
            }
            let rounding = f64::EPSILON * fastest * self.both.row(b).amax();
            let relative = if sum.abs() > rounding || sum.is_nan() {
                sum.abs() / terms
            } else {
                0.0
            };
            if relative > worst.2 {
                worst = (b, sum, relative);
            }
        }
        worst
    }

    fn correct_velocity(&self, v: &mut [f64], unknown: &[usize]) {
        let ones = DVector::from_fn(self.both.nrows(), |b, _| {
            self.both.row(b).amax().max(f64::MIN_POSITIVE)
        });
        for _ in 0..3 {
            let r = &self.both * DVector::from_column_slice(v) + &self.right;
            let solved = pseudo_inverse(&self.both, unknown, &ones);
            let Some(dv) = solved.and_then(|inverse| inverse.solve(&r)) else {
                return;
            };
            for (&k, d) in unknown.iter().zip(&dv) {
                v[k] -= d;
            }
        }
    }
}

/// A matrix restricted to the `unknown` columns, its rows divided by weights, factored.
fn pseudo_inverse(
    matrix: &DMatrix<f64>,
    unknown: &[usize],
    scale: &DVector<f64>,
) -> Option<PseudoInverse> {
    let weights = scale.clone();
    if unknown.is_empty() || matrix.iter().any(|e| !e.is_finite()) {
        return None;
    }
    let rows = matrix.nrows();
    let factors = if is_large(rows, unknown.len()) {
        let j = Sparse::new(matrix).select(unknown);
        Factors::Sparse(Shortest::new(&j.unscaled(weights.as_slice()))?)
    } else {
        let j = DMatrix::from_fn(rows, unknown.len(), |b, k| {
            matrix[(b, unknown[k])] / weights[b]
        });
        Factors::Dense(j.svd(true, true))
    };
    Some(PseudoInverse { weights, factors })
}

/// A Jacobian, its rows divided by weights, factored for least norm solutions.
struct PseudoInverse {
    weights: DVector<f64>,
    factors: Factors,
}

enum Factors {
    Dense(SVD<f64, Dyn, Dyn>),
    Sparse(Shortest),
}

impl PseudoInverse {
    /// The least norm solution of J x = r in the sense of least squares.
    fn solve(&self, r: &DVector<f64>) -> Option<DVector<f64>> {
        let weighed = r.component_div(&self.weights);
        if weighed.iter().any(|e| !e.is_finite()) {
            return None;
        }
        match &self.factors {
            Factors::Dense(svd) => {
                let cut = svd.singular_values.max() * TRUNCATION;
                svd.solve(&weighed, cut).ok()
            }
            Factors::Sparse(factors) => factors.solve(weighed.as_slice()).map(DVector::from_vec),
        }
    }
}
