//! Consistent starts: positions with f(x; t) = c, velocities with J x' + `f_t` = 0.
//!
//! What was given is fixed; what was left out is solved for from its guess, by Gauss-Newton steps of
//! least norm, dx = -`J_U`^+ r, shortened while the residual does not shrink. Where that leads nowhere
//! (a guess where J vanishes, such as the centre of a circle) the search begins again from points off the
//! guess, the same ones in every run. Given values that miss by no more than [`MOVABLE`] of their terms
//! are moved to the nearest consistent ones.

mod assembly;
mod double;
mod guesses;

pub use assembly::{Assembly, Configuration, Moved, assembly};
use guesses::{FEWEST, TRIES};

use nalgebra::{DMatrix, DVector};

use super::dynamics::{ConstraintValue, Instant, Problem};
use super::error::{Missing, Placed, Quantity, SolverError};
use super::note::Note;
use super::rank::{InUse, spread};
use crate::geometry::{ATOL, Constraints, LeastNorm, Missed, Rows, largest, size_of};

/// Given values may miss a constraint by this part of its terms and are then moved onto it.
pub const MOVABLE: f64 = 1e-6;
/// A residual below this part of its terms is rounding.
const ROUNDING: f64 = 8.0 * f64::EPSILON;
/// A solved position misses by no more than this part of the terms.
const SOLVED: f64 = 1e-11;
/// Given values are moved by no more than this part of the largest of them.
const MOVED: f64 = 0.3;
/// Singular values below this part of the largest are left out of a step.
const TRUNCATION: f64 = 1e-12;
/// Rows of one length are dependent where the least is below this part of the largest.
const DEPENDENT: f64 = 1e-13;
/// A multiple root of up to this order is covered by the reported correction.
const MULTIPLICITY: f64 = 4.0;
/// A constraint is level where its slopes times the coordinates are below this part of its terms: it has a double root near by.
const LEVEL: f64 = 1e-6;
/// Times that the way along such a constraint is halved at most.
const SHORTER: usize = 200;

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
    /// What was moved.
    pub notes: Vec<Note>,
    /// A constraint that whoever asks for the start knows not to be C^1 there, or does not know to be: no motion begins there.
    pub rough: Option<usize>,
}

/// Makes a start consistent.
///
/// # Errors
/// Given values that miss the constraints by more than [`MOVABLE`], no solution found, values of the
/// system that are not finite, lists of the wrong length.
pub fn consistent_start(problem: &Problem<'_>, given: &Given) -> Result<Start, SolverError> {
    let mut start = consistent_position(problem, given)?;
    let search = StartSearch::checked(problem, given)?;
    (start.v, start.notes) = search.velocity(given, &start)?;
    Ok(start)
}

/// Makes the position of a start consistent; its velocities are left at their guesses.
///
/// # Errors
/// As of [`consistent_start`], for the position.
pub fn consistent_position(problem: &Problem<'_>, given: &Given) -> Result<Start, SolverError> {
    StartSearch::checked(problem, given)?.position(given)
}

/// The workspace of a search at a time.
struct StartSearch<'a> {
    problem: &'a Problem<'a>,
    t: f64,
    n: usize,
    m: usize,
    value: ConstraintValue,
    /// The constraints on positions, and those on velocities.
    rows: Vec<usize>,
    velocity: Vec<usize>,
    /// Steps left before the search is given up.
    left: usize,
    metric: Metric,
}

/// In which units of the coordinates a step is the shortest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Metric {
    /// In those that they are given in.
    Given,
    /// In those in which the entries of J are alike: where the given ones differ so much that a direction is lost.
    Alike,
}

impl<'a> StartSearch<'a> {
    fn new(problem: &'a Problem<'a>, t: f64) -> Self {
        let (n, m) = problem.shape();
        Self {
            problem,
            t,
            n,
            m,
            value: ConstraintValue::of(problem.dynamics),
            rows: (0..m).collect(),
            velocity: (0..problem.dynamics.velocity_constraints()).collect(),
            left: 0,
            metric: Metric::Given,
        }
    }

    /// The workspace for values that are as many as they should be, and finite.
    fn checked(problem: &'a Problem<'a>, given: &Given) -> Result<Self, SolverError> {
        let expected = problem.dynamics.coordinates();
        let lists = [
            ("coordinates", given.x.len()),
            ("velocities", given.v.len()),
            ("guessed coordinates", given.guess_x.len()),
            ("guessed velocities", given.guess_v.len()),
        ];
        if let Some(&(what, found)) = lists.iter().find(|list| list.1 != expected) {
            return Err(SolverError::Shape {
                what,
                expected,
                found,
            });
        }
        let search = Self::new(problem, given.t);
        search.finite(given)?;
        Ok(search)
    }

    /// Refuses given values that are not finite.
    fn finite(&self, given: &Given) -> Result<(), SolverError> {
        let refuse = |what| Err(SolverError::NotFinite { what, t: given.t });
        if !given.t.is_finite() {
            return refuse(Quantity::StartTime);
        }
        for k in 0..self.n {
            let name = self.problem.coordinate(k);
            if !given.x[k].unwrap_or(given.guess_x[k]).is_finite() {
                return refuse(Quantity::Start(name));
            }
            if !given.v[k].unwrap_or(given.guess_v[k]).is_finite() {
                return refuse(Quantity::Start(format!("{name}'")));
            }
        }
        Ok(())
    }

    fn at(&mut self, x: &[f64]) {
        self.problem.dynamics.constraint(self.t, x, &mut self.value);
    }

    /// All constraints as one list of rows.
    fn set(&self) -> InUse<'_> {
        InUse::new(self.problem, &self.rows, &self.velocity)
    }

    /// The rows of all constraints at a position.
    ///
    /// # Errors
    /// A constraint that is not finite.
    fn all_rows(&self, x: &[f64]) -> Result<Rows, SolverError> {
        let rows = self.set().rows(self.t, x);
        match rows.not_finite() {
            Some(b) => Err(self.problem.not_finite(b, self.t)),
            None => Ok(rows),
        }
    }

    /// Is a position off by no more than what may be moved?
    fn is_near(&self, x: &[f64]) -> bool {
        let rows = self.set().rows(self.t, x);
        rows.missed(&vec![ATOL * size_of(x); self.n]).relative <= MOVABLE
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
        self.inverse(unknown, scale)?.solve(r, TRUNCATION)
    }

    /// J restricted to the `unknown` coordinates, factored for [`StartSearch::shortest`].
    fn inverse(&self, unknown: &[usize], scale: &DVector<f64>) -> Option<Inverse> {
        let j = &self.value.jacobian;
        match self.metric {
            Metric::Given => Inverse::new(j, (unknown, vec![1.0; unknown.len()]), scale),
            Metric::Alike => Inverse::new(j, (unknown, alike(j, unknown, scale)), scale),
        }
    }

    fn position(&mut self, given: &Given) -> Result<Start, SolverError> {
        let first: Vec<f64> = (0..self.n)
            .map(|k| given.x[k].unwrap_or(given.guess_x[k]))
            .collect();
        let unknown: Vec<usize> = (0..self.n).filter(|&k| given.x[k].is_none()).collect();
        let mut start = Start {
            t: given.t,
            x: first.clone(),
            v: given.guess_v.clone(),
            correction: vec![0.0; self.n],
            notes: Vec::new(),
            rough: None,
        };
        if self.m == 0 {
            return Ok(start);
        }
        self.at(&first);
        if unknown.is_empty() {
            if let Some(b) = self.value.not_finite() {
                return Err(self.problem.not_finite(b, self.t));
            }
            let (_, relative) = self.worst();
            if relative <= ROUNDING {
                start.correction = self.judge(&first, &unknown);
                return Ok(start);
            }
        } else if let Some(x) = self.solve(&first, &unknown) {
            start.x = x;
            start.correction = self.dust(&first, &mut start.x, &unknown);
            return Ok(start);
        }
        // the given values cannot stand: the nearest that can, if they are near enough
        let best = if unknown.is_empty() {
            first.clone()
        } else {
            self.least(&first, &unknown)
        };
        self.at(&best);
        if let Some(b) = self.value.not_finite() {
            return Err(self.problem.not_finite(b, self.t));
        }
        let (b, relative) = self.worst();
        let residual = self.value.residual[b];
        let all: Vec<usize> = (0..self.n).collect();
        let mut nearest = self.solve(&best, &all);
        let most = largest(&first).max(1.0);
        let is_near = |x: &Vec<f64>| {
            let given = (0..self.n).filter(|k| given.x[*k].is_some());
            let mut moves = given.map(|k| (x[k] - first[k]).abs());
            moves.all(|moved| moved <= MOVED * most)
        };
        let may_move = nearest.as_ref().is_some_and(is_near);
        if let Some(x) = &mut nearest {
            start.correction = self.dust(&first, x, &all);
        }
        match nearest {
            Some(x) if may_move && (relative <= MOVABLE || self.is_near(&best)) => {
                for k in (0..self.n).filter(|&k| x[k] != first[k] && given.x[k].is_some()) {
                    start.notes.push(Note::MovedCoordinate {
                        coordinate: k,
                        from: first[k],
                        to: x[k],
                    });
                }
                Ok(Start { x, ..start })
            }
            _ if unknown.len() == self.n => Err(SolverError::NoStart {
                constraint: self.problem.constraint(b),
                residual,
                t: self.t,
                tries: TRIES,
                contradiction: Vec::new(),
                place: None,
            }),
            _ => {
                // guesses count as what is given does: another may be nearer to all of it
                let from_guesses = self.solve(&first, &all);
                let far = |x: &Vec<f64>| -> f64 {
                    let moved = x.iter().zip(&first);
                    moved.map(|(a, b)| (a - b).powi(2)).sum()
                };
                let all = nearest.into_iter().chain(from_guesses);
                let nearest = all.min_by(|a, b| far(a).total_cmp(&far(b)));
                let nearest = nearest.unwrap_or_default();
                let place = |(k, value)| Placed {
                    name: self.problem.coordinate(k),
                    value,
                };
                let nearest = nearest.into_iter().enumerate().map(place).collect();
                Err(SolverError::Missed {
                    by: Missing::Position,
                    constraint: self.problem.constraint(b),
                    residual,
                    relative,
                    nearest,
                    contradiction: Vec::new(),
                    kept: Vec::new(),
                    place: None,
                })
            }
        }
    }

    /// The position that misses least, only `unknown` moved.
    fn least(&mut self, first: &[f64], unknown: &[usize]) -> Vec<f64> {
        let mut x = first.to_vec();
        self.left = FEWEST;
        self.descend(&mut x, unknown);
        if self.dies_away(first, &x) {
            return first.to_vec();
        }
        x
    }

    /// A double root made precise, and what Newton's method left of coordinates that it brought to zero: zero, where no constraint is missed more, of all together or one by one. Gives what the coordinates may still be off by.
    fn dust(&mut self, first: &[f64], x: &mut Vec<f64>, unknown: &[usize]) -> Vec<f64> {
        self.polish(x, unknown);
        let rounding = f64::EPSILON * largest(first.iter().chain(&*x));
        let known = self.judge(x, unknown);
        let is_dust = |k: &usize| {
            let own = x[*k];
            own != 0.0 && own != first[*k] && own.abs() <= rounding.max(known[*k])
        };
        let list: Vec<usize> = unknown.iter().copied().filter(is_dust).collect();
        if list.is_empty() {
            return known;
        }
        for part in [list.as_slice()].into_iter().chain(list.chunks(1)) {
            self.at(x);
            let before = self.worst().1;
            let mut without = x.clone();
            for &k in part {
                without[k] = 0.0;
            }
            self.at(&without);
            if self.value.not_finite().is_none() && self.worst().1 <= before {
                *x = without;
            }
        }
        self.judge(x, unknown)
    }

    /// How far a further correction could move the unknown coordinates, residuals being known to rounding; and where a constraint
    /// has none of them, how far those given may be off it: next to a double root far more than their rounding.
    fn judge(&mut self, x: &[f64], unknown: &[usize]) -> Vec<f64> {
        self.at(x);
        let mut correction = vec![0.0; self.n];
        let scale = self.value.scale.clone();
        // rows of one length: beside another whose terms are nearly nothing none is left out
        let length = |b: usize| {
            let row = self.value.jacobian.row(b);
            let size = unknown.iter().map(|k| row[*k].powi(2)).sum::<f64>().sqrt();
            if size > 0.0 { size } else { 1.0 }
        };
        let lengths = DVector::from_fn(self.m, |b, _| length(b));
        let inverse = (!unknown.is_empty()).then(|| self.inverse(unknown, &lengths));
        let inverse = inverse.flatten();
        for b in 0..self.m {
            let doubt = self.value.residual[b].abs() + 2.0 * f64::EPSILON * scale[b];
            let row = self.value.jacobian.row(b);
            if unknown.iter().all(|k| row[*k] == 0.0) {
                let way = self.along_level(x, (b, doubt));
                for (own, way) in correction.iter_mut().zip(way.iter().flatten()) {
                    *own += way.abs();
                }
                continue;
            }
            let mut r = DVector::zeros(self.m);
            r[b] = doubt;
            if let Some(dx) = inverse
                .as_ref()
                .and_then(|inverse| inverse.solve(&r, DEPENDENT))
            {
                for (&k, d) in unknown.iter().zip(&dx) {
                    correction[k] += MULTIPLICITY * d.abs();
                }
            }
        }
        correction
    }

    /// How far each coordinate may be off a constraint that is level, along its gradient: there and back it is met as well as here.
    fn along_level(&mut self, x: &[f64], (b, doubt): (usize, f64)) -> Option<DVector<f64>> {
        let row = self.value.jacobian.row(b).transpose();
        let terms: f64 = row.iter().zip(x).map(|(slope, x)| (slope * x).abs()).sum();
        let square = row.norm_squared();
        if square == 0.0 || terms >= LEVEL * self.value.scale[b] {
            return None;
        }
        let mut way = row * (MULTIPLICITY * doubt / square);
        for _ in 0..SHORTER {
            let is_met = |search: &mut Self, sign: f64| {
                let moved = x.iter().zip(&way).map(|(x, d)| x + sign * d);
                search.at(&moved.collect::<Vec<_>>());
                search.value.residual[b].abs() <= MULTIPLICITY * doubt
            };
            if is_met(self, 1.0) || is_met(self, -1.0) {
                break;
            }
            way *= 0.5;
        }
        self.at(x);
        Some(way)
    }

    /// Velocities that are nothing: each with a kinetic energy far below the work of the forces along a coordinate; where these
    /// do none, in the units of the file.
    fn slow(&self, x: &[f64]) -> Vec<f64> {
        let mut at = Instant::of(self.problem.dynamics);
        let rest = vec![0.0; self.n];
        self.problem.dynamics.instant(self.t, x, &rest, &mut at);
        let work = at.bias.amax() * largest(x);
        let speed = |k: usize| (work / at.mass[(k, k)].abs()).sqrt();
        let slow = (0..self.n).map(|k| if work > 0.0 { ATOL * speed(k) } else { ATOL });
        slow.map(|v| if v.is_finite() { v } else { 0.0 }).collect()
    }

    /// Velocities with J v + `f_t` = 0 and A v + b = 0.
    fn velocity(&self, given: &Given, start: &Start) -> Result<(Vec<f64>, Vec<Note>), SolverError> {
        let mut notes = start.notes.clone();
        let first: Vec<f64> = (0..self.n)
            .map(|k| given.v[k].unwrap_or(given.guess_v[k]))
            .collect();
        if self.m + self.problem.dynamics.velocity_constraints() == 0 {
            return Ok((first, notes));
        }
        let mut rows = self.all_rows(&start.x)?;
        let unknown: Vec<usize> = (0..self.n).filter(|&k| given.v[k].is_none()).collect();
        if unknown.is_empty() && velocity_missed(&rows, &first, &first).relative <= ROUNDING {
            return Ok((first, notes));
        }
        // no velocity makes up for an entry that may be zero
        let blur = self
            .set()
            .blur((self.t, &start.x), &spread(&start.x, &start.correction));
        rows.gradients.zip_apply(&blur, |w, blur| {
            if w.abs() <= blur {
                *w = 0.0;
            }
        });
        let all: Vec<usize> = (0..self.n).collect();
        let mut v = first.clone();
        if !unknown.is_empty() {
            correct_velocity(&rows, &mut v, &unknown);
        }
        let Missed {
            row: b,
            residual,
            relative,
        } = velocity_missed(&rows, &v, &first);
        if relative <= if unknown.is_empty() { ROUNDING } else { SOLVED } {
            return Ok((v, notes));
        }
        let mut nearest = v.clone();
        correct_velocity(&rows, &mut nearest, &all);
        let slack = self.slow(&start.x);
        let found = velocity_missed(&rows, &nearest, &first).relative <= SOLVED;
        let near = relative <= MOVABLE || rows.missed_speed(&v, &slack).relative <= MOVABLE;
        if found && near {
            for k in (0..self.n).filter(|&k| given.v[k].is_some() && nearest[k] != v[k]) {
                notes.push(Note::MovedVelocity {
                    coordinate: k,
                    from: v[k],
                    to: nearest[k],
                });
            }
            return Ok((nearest, notes));
        }
        if !found {
            let Missed { row, residual, .. } = velocity_missed(&rows, &nearest, &first);
            return Err(SolverError::NoVelocity {
                constraint: self.problem.constraint(row),
                residual,
                t: self.t,
            });
        }
        let place = |(k, value)| Placed {
            name: format!("{}'", self.problem.coordinate(k)),
            value,
        };
        Err(SolverError::Missed {
            by: if b < self.m {
                Missing::Velocity
            } else {
                Missing::VelocityConstraint
            },
            constraint: self.problem.constraint(b),
            residual,
            relative,
            nearest: nearest.into_iter().enumerate().map(place).collect(),
            contradiction: Vec::new(),
            kept: Vec::new(),
            place: None,
        })
    }
}

/// Columns of a matrix in units of their own, factored for least norm solutions.
struct Inverse {
    factors: LeastNorm,
    units: Vec<f64>,
    scale: DVector<f64>,
}

impl Inverse {
    fn new(
        matrix: &DMatrix<f64>,
        (unknown, units): (&[usize], Vec<f64>),
        scale: &DVector<f64>,
    ) -> Option<Self> {
        let scaled = DMatrix::from_fn(matrix.nrows(), unknown.len(), |b, i| {
            matrix[(b, unknown[i])] * units[i] / scale[b]
        });
        Some(Self {
            factors: LeastNorm::quick(&scaled)?,
            units,
            scale: scale.clone(),
        })
    }

    /// The shortest change of the unknowns in these units, in their own, without directions of singular values below this part of the
    /// largest.
    fn solve(&self, r: &DVector<f64>, part: f64) -> Option<DVector<f64>> {
        let weighed = r.component_div(&self.scale);
        let mut d = self.factors.shortest(&weighed, part)?;
        for (d, unit) in d.iter_mut().zip(&self.units) {
            *d *= unit;
        }
        Some(d)
    }
}

/// Units of columns in which the largest entry of each is 1, rows divided by `scale`.
fn alike(matrix: &DMatrix<f64>, unknown: &[usize], scale: &DVector<f64>) -> Vec<f64> {
    let unit = |&k: &usize| {
        let top = matrix.column(k).component_div(scale).amax();
        if top.is_normal() { top.recip() } else { 1.0 }
    };
    unknown.iter().map(unit).collect()
}

/// The row whose derivative is missed most. Velocities are known to rounding of the largest, also of those they were
/// solved from: what a constraint misses by no more counts as nothing, also where all its terms are as small as that.
fn velocity_missed(rows: &Rows, v: &[f64], first: &[f64]) -> Missed {
    let fastest = largest(v.iter().chain(first));
    rows.missed_speed(v, &vec![f64::EPSILON * fastest; v.len()])
}

/// The shortest change of the `unknown` velocities; where units differ so much that it leaves out a direction, one that
/// is short in units in which the entries are alike.
fn correct_velocity(rows: &Rows, v: &mut [f64], unknown: &[usize]) {
    let sizes = rows.gradients.row_iter();
    let sizes = DVector::from_iterator(
        rows.gradients.nrows(),
        sizes.map(|row| row.amax().max(f64::MIN_POSITIVE)),
    );
    let first = v.to_vec();
    let own = alike(&rows.gradients, unknown, &sizes);
    for units in [vec![1.0; unknown.len()], own] {
        let Some(inverse) = Inverse::new(&rows.gradients, (unknown, units), &sizes) else {
            return;
        };
        for _ in 0..3 {
            let r = &rows.gradients * DVector::from_column_slice(v) + &rows.rates;
            let Some(dv) = inverse.solve(&r, TRUNCATION) else {
                return;
            };
            for (&k, d) in unknown.iter().zip(&dv) {
                v[k] -= d;
            }
        }
        if velocity_missed(rows, v, &first).relative <= SOLVED {
            return;
        }
    }
}
