//! Following g along a line.
//!
//! Along a line (y, x_I, t)(s) the curve of (x_D, s) is followed by its arc (Keller, Numerical solution of bifurcation and
//! nonlinear eigenvalue problems, 1977), which leads past where x_D turns back,
//!
//! ```text
//! [J_D, -r] (dx_D, ds) = 0,   r = dy/ds - J_I dx_I/ds - f_t dt/ds,       corrected by Newton's method on f(x; t) = y(s)
//! ```
//!
//! until det J_D changes its sign or touches zero, f ends, or x_D has a pole, x_k ~ (s* - s)^-p:
//!
//! ```text
//! x_k / (dx_k/ds) = (s* - s)/p      falls in proportion to what is left; along a power or an exponential it does not
//! ```
//!
//! or grows as a logarithm does, where g is as steep as at a zero of det J_D, but comes nowhere,
//!
//! ```text
//! (s* - s) dx_k/ds      falls as a power of s* - s where x_k has a limit, and does not where it has none
//! ```
//!
//! There g ends. Where the steps are used up, numbers overflow or Newton's method leads back no more, it was merely followed no
//! further.

use super::{End, Ending, Model, Spot};
use crate::expr::{Expr, Interval, calculate, is_over};
use crate::geometry::{complement, size_of};
use crate::interval::{Domain, Region, Scratch};
use crate::solver::{ConstraintValue, least};
use crate::theorem::SymbolicDeterminant;
use nalgebra::{DMatrix, DVector};

/// Steps of a line,
const STEPS: usize = 1000;
/// the first, the longest and the shortest, in parts of the units.
const FIRST: f64 = 1e-3;
const LONGEST: f64 = 0.5;
pub(super) const SHORTEST: f64 = 1e-10;
/// The shortest over an end.
const CLOSE: f64 = 1e-6;
/// The unit of a coordinate is what it is, or this part of its size at the beginning.
const NEXT: f64 = 0.1;
/// The unit of s at its beginning.
pub(super) const PART: f64 = 1e-3;
/// Newton's steps back to f = y: the first is no longer than this part of a step along the curve, the others are shorter
/// by that factor, to this part of the step or to rounding.
const NEWTON: usize = 8;
const OFF: f64 = 0.1;
const SHORTER: f64 = 0.3;
const EXACT: f64 = 1e-11;
const ROUNDED: f64 = 1e-13;
/// The tangents at both ends of a step have at least this in common.
const STRAIGHT: f64 = 0.95;
/// Where det J_D comes to this part of what it is at the ends of a step it touches zero.
const TOUCHES: f64 = 1e-10;
/// It is sought by so many golden sections.
const SECTIONS: i32 = 45;
/// det J_D is near zero where it is this part of sqrt(det J J^T), or of what it was.
const NEAR_ZERO: f64 = 1e-3;
/// At a pole a dependent coordinate grew by this factor, and what is left of the way is this part of it.
const FAR: f64 = 1e6;
const LEFT: f64 = 1e-9;
/// A determinant that changes by this part of itself where a coordinate changes by that is noise.
const NOISE: f64 = 0.1;
const ROUNDS: f64 = 4.0 * f64::EPSILON;
/// A coordinate is seen to have a limit or none from where so much of the way is left to where so little is,
const SLOW: [f64; 2] = [1e-3, 1e-9];
/// or to so many times what is left where following stopped, if that is that much closer,
const BEFORE: f64 = 10.0;
const CLOSER: f64 = 1e-2;
/// by powers of what is left above and below these, if it still moves by this part of itself.
const MOVES: f64 = 1e-3;
const LIMIT: f64 = 0.1;
const NO_LIMIT: f64 = 0.02;
/// f ends so near the last place, in the units there.
const EDGE: f64 = 1e-6;
/// Towards a zero of det J_D that was not crossed g is as steep as this in the units there.
const STEEP: f64 = 1e-3;
/// A dependent coordinate that changes by this part of itself over the unit of s no longer moves.
const RESTS: f64 = 1e-13;

/// A line through (y, x_I, t), by what it changes.
pub(super) struct Line {
    pub(super) y: Vec<f64>,
    pub(super) x: Vec<f64>,
    pub(super) t: f64,
}

impl Model {
    /// Sizes of the dependent coordinates, in any units: their own, or by how much they follow the others,
    ///
    /// ```text
    /// min_b max_j |J_bj x_j| / |J_bk|
    /// ```
    fn sizes_of_dependent(&self, spot: &Spot, dependent: &[usize]) -> Vec<f64> {
        let j = self.constraint_value(spot.t, &spot.x).jacobian;
        let size = |k: &usize| {
            let rows = j.row_iter().filter(|row| row[*k] != 0.0);
            let follows = rows.map(|row| {
                let moves = row.iter().zip(&spot.x).map(|(j, x)| (j * x).abs());
                moves.fold(0.0, f64::max) / row[*k].abs()
            });
            let least = follows.fold(f64::INFINITY, f64::min).max(spot.x[*k].abs());
            if least > 0.0 && least.is_finite() {
                least
            } else {
                size_of(&spot.x)
            }
        };
        dependent.iter().map(size).collect()
    }

    /// Follows g along a line.
    pub(super) fn follow(
        &self,
        from: &Spot,
        dependent: &[usize],
        line: &Line,
    ) -> Option<Result<Spot, End>> {
        let arc = PathTracker {
            model: self,
            own: self.levels_at(from),
            from,
            dependent,
            line,
            sizes: self.sizes_of_dependent(from, dependent),
        };
        let mut at = arc.place(0.0, from.clone(), None).ok()?;
        let first = at.det.abs();
        if first == 0.0 {
            return None;
        }
        let mut length = FIRST;
        let mut edge = false;
        let mut passed: Vec<PathPoint> = Vec::new();
        let mut beyond: Option<PathPoint> = None;
        let (mut shortest, mut left) = (SHORTEST, f64::INFINITY);
        let mut touches = false;
        let mut steps = 0;
        loop {
            steps += 1;
            if steps > STEPS || is_over() {
                return Some(Err(arc.end(at.s, at.spot, None)));
            }
            if let Some((s, k)) = passed.last().and_then(|before| arc.pole(before, &at)) {
                return Some(Err(arc.end(s, at.spot, Some(Ending::Unbounded(k)))));
            }
            let next = match arc.step(&at, length) {
                _ if length < shortest => break,
                Ok(next) => next,
                Err(undefined) => {
                    edge = undefined;
                    length *= 0.5;
                    continue;
                }
            };
            if next.is_beyond(&at) {
                beyond = Some(next);
                // rounding moves places next to where branches meet
                (shortest, left) = (CLOSE, 1.5 * length);
                length *= 0.5;
                continue;
            }
            edge = false;
            left -= length;
            if left < 0.0 {
                // another branch, which does not end there
                break;
            }
            let lowest = |a: &&PathPoint| {
                let (before, here, after) = (a.det.abs(), at.det.abs(), next.det.abs());
                here <= before.min(after) && here < 0.5 * before.max(after)
            };
            let around = passed.last().filter(lowest);
            if let Some(zero) = around.and_then(|a| arc.touching(a, &next)) {
                (at, touches) = (zero, true);
                break;
            }
            if at.s >= 1.0 {
                return Some(Ok(arc.arrival(passed.last(), &at)));
            }
            if next.easy && beyond.is_none() {
                length = (2.0 * length).min(LONGEST);
            }
            passed.push(std::mem::replace(&mut at, next));
        }
        let met = touches || beyond.is_some();
        let before = passed.last().is_some_and(|last| arc.is_noise(last));
        let noise = before || !touches && arc.is_noise(&at);
        if let Some(beyond) = beyond {
            at = arc.interpolated(at, &beyond);
        }
        if at.s >= 1.0 {
            return Some(Ok(arc.arrival(passed.last(), &at)));
        }
        let why = if edge && arc.is_edge(&at) {
            Some(Ending::Undefined)
        } else if noise {
            None
        } else if met || at.slope() <= STEEP {
            match arc.limit(&passed, at.s) {
                Limit::Place => self.zero_of_determinant((from, first), &at, dependent),
                Limit::Unbounded(k) => Some(Ending::Unbounded(k)),
                Limit::Unknown => None,
                // a zero that lies farther on is seen; steepness alone may be of something else, as of what underflows
                Limit::Unseen => (met && passed.last().is_some_and(|last| last.s != at.s))
                    .then(|| self.zero_of_determinant((from, first), &at, dependent))
                    .flatten(),
            }
        } else {
            None
        };
        Some(Err(arc.end(at.s, at.spot, why)))
    }

    /// The end of g at a place where det J_D is zero, if it is that for what it was at the beginning.
    fn zero_of_determinant(
        &self,
        (from, first): (&Spot, f64),
        at: &PathPoint,
        dependent: &[usize],
    ) -> Option<Ending> {
        let j = &at.value.jacobian;
        let whole = (j * j.transpose()).determinant().abs().sqrt();
        let det = at.det.abs();
        // where all gradients vanish only the first value tells that it is small; a large gradient is none
        let small = det <= NEAR_ZERO * whole.max(first);
        let factor = small.then(|| self.smallest_factor((from, &at.spot), dependent));
        match factor.flatten() {
            Some(factor) => Some(Ending::Determinant(Some(factor))),
            None => (det <= NEAR_ZERO * first).then_some(Ending::Determinant(None)),
        }
    }

    /// The factor of det J_D that is nearest to zero for its size there and where g was followed from; `None` where none is
    /// near.
    fn smallest_factor(&self, (from, spot): (&Spot, &Spot), dependent: &[usize]) -> Option<Expr> {
        let system = &self.system;
        let det = SymbolicDeterminant::new(system, &self.equations, dependent);
        let near = det.factors.iter().map(|&e| {
            let terms = system.pool.magnitude(e);
            let size = |at: &Spot| at.value(system, &[], terms).abs();
            let value = spot.value(system, &[], e).abs();
            (e, value / size(spot).max(size(from)))
        });
        let least = near.min_by(|a, b| a.1.total_cmp(&b.1))?;
        (least.1 < 1e-2).then_some(least.0)
    }
}

/// A line that g is followed along.
struct PathTracker<'a> {
    model: &'a Model,
    /// f at the beginning
    own: Vec<f64>,
    from: &'a Spot,
    dependent: &'a [usize],
    line: &'a Line,
    /// sizes of the dependent coordinates
    sizes: Vec<f64>,
}

/// A place of the curve of (x_D, s).
#[derive(Clone)]
struct PathPoint {
    s: f64,
    spot: Spot,
    value: ConstraintValue,
    /// det J_D
    det: f64,
    /// the units of x_D and s, and the tangent onward in them
    units: DVector<f64>,
    tangent: DVector<f64>,
    /// a longer step may lead on as well
    easy: bool,
}

/// Where the dependent coordinates lead as g becomes ever steeper.
enum Limit {
    /// To a place.
    Place,
    /// One of them, by index, beyond all bounds.
    Unbounded(usize),
    /// That could not be told.
    Unknown,
    /// There are too few steps to tell.
    Unseen,
}

impl PathPoint {
    /// Has det J_D changed its sign from another place to this, or does s go back, as where it has a double zero?
    fn is_beyond(&self, from: &PathPoint) -> bool {
        let s = self.tangent.len() - 1;
        self.det.signum() != from.det.signum() || self.tangent[s] < 0.0
    }

    /// How fast s changes, in the units; 0 where g is infinitely steep.
    fn slope(&self) -> f64 {
        self.tangent[self.tangent.len() - 1].abs()
    }

    /// dx_k/ds, by the place of k in the dependent coordinates.
    fn rate(&self, place: usize) -> f64 {
        let s = self.tangent.len() - 1;
        self.tangent[place] * self.units[place] / (self.tangent[s] * self.units[s])
    }
}

impl PathTracker<'_> {
    fn evaluate(&self, spot: &Spot) -> Option<ConstraintValue> {
        let value = self.model.constraint_value(spot.t, &spot.x);
        value.not_finite().is_none().then_some(value)
    }

    /// y(s).
    fn wanted(&self, s: f64) -> DVector<f64> {
        DVector::from_fn(self.own.len(), |b, _| self.own[b] + s * self.line.y[b])
    }

    /// f(x; t) - y(s).
    fn off(&self, s: f64, value: &ConstraintValue) -> DVector<f64> {
        let c = self.model.system.constraints.iter().map(|c| c.c_value);
        &value.residual + DVector::from_iterator(self.own.len(), c) - self.wanted(s)
    }

    /// [J_D, -r], its columns in these units.
    fn rows(&self, value: &ConstraintValue, units: &DVector<f64>) -> DMatrix<f64> {
        let (m, line) = (self.own.len(), self.line);
        DMatrix::from_fn(m, m + 1, |b, k| {
            let row = value.jacobian.row(b);
            let slope = self.dependent.get(k).map(|&own| row[own]);
            let slope = slope.unwrap_or_else(|| {
                let moved: f64 = row.iter().zip(&line.x).map(|(j, x)| j * x).sum();
                moved + value.f_t[b] * line.t - line.y[b]
            });
            slope * units[k]
        })
    }

    /// The position at (x_D, s).
    fn at(&self, curve: &DVector<f64>) -> (f64, Spot) {
        let m = self.dependent.len();
        let (s, line) = (curve[m], self.line);
        let x = self.from.x.iter().zip(&line.x).map(|(x, by)| x + s * by);
        let mut spot = Spot {
            t: self.from.t + s * line.t,
            x: x.collect(),
        };
        for (&k, x) in self.dependent.iter().zip(curve.iter()) {
            spot.x[k] = *x;
        }
        (s, spot)
    }

    /// (x_D, s).
    fn curve(&self, at: &PathPoint) -> DVector<f64> {
        let x = self.dependent.iter().map(|&k| at.spot.x[k]);
        DVector::from_iterator(self.own.len() + 1, x.chain([at.s]))
    }

    /// A place of the curve, its tangent onward from another; else whether f is not defined there.
    fn place(&self, s: f64, spot: Spot, from: Option<&PathPoint>) -> Result<PathPoint, bool> {
        let value = self.evaluate(&spot).ok_or(true)?;
        let m = self.own.len();
        let units = DVector::from_fn(m + 1, |k, _| match self.dependent.get(k) {
            Some(&own) => spot.x[own].abs().max(NEXT * self.sizes[k]),
            None => s.abs().max(PART),
        });
        let mut tangent = complement(&self.rows(&value, &units))
            .column(0)
            .into_owned();
        if !tangent.iter().all(|e| e.is_finite()) {
            return Err(false);
        }
        let onward = from.map_or(tangent[m], |from| {
            let ratio = units.component_div(&from.units);
            tangent.component_mul(&ratio).dot(&from.tangent)
        });
        if onward < 0.0 {
            tangent.neg_mut();
        }
        Ok(PathPoint {
            s,
            det: value.jacobian.select_columns(self.dependent).determinant(),
            spot,
            value,
            units,
            tangent,
            easy: false,
        })
    }

    /// The place of the curve that Newton's method finds square to `way`, a step of some length from `at`, and its first
    /// step.
    fn correct(
        &self,
        at: &PathPoint,
        (mut curve, way): (DVector<f64>, &DVector<f64>),
        length: f64,
    ) -> Result<(PathPoint, f64), bool> {
        let m = self.own.len();
        let (mut first, mut last) = (0.0, f64::INFINITY);
        for i in 0..NEWTON {
            calculate(m * m * m);
            let (s, spot) = self.at(&curve);
            let value = self.evaluate(&spot).ok_or(true)?;
            let mut rows = self.rows(&value, &at.units).insert_row(m, 0.0);
            rows.row_mut(m).tr_copy_from(way);
            let off = self.off(s, &value).insert_row(m, 0.0);
            let change = rows.lu().solve(&off).ok_or(false)?;
            curve -= change.component_mul(&at.units);
            let size = change.norm();
            if i == 0 {
                first = size;
            }
            if size.is_nan() || size > OFF * length || size >= SHORTER * last {
                return Err(false);
            }
            if size <= (EXACT * length).max(ROUNDED) {
                let (s, spot) = self.at(&curve);
                return Ok((self.place(s, spot, Some(at))?, first));
            }
            last = size;
        }
        Err(false)
    }

    /// A step along the curve; else whether f is not defined there.
    fn step(&self, at: &PathPoint, length: f64) -> Result<PathPoint, bool> {
        let guess = self.curve(at) + at.tangent.component_mul(&at.units) * length;
        let (mut next, first) = self.correct(at, (guess, &at.tangent), length)?;
        let there = next.tangent.component_mul(&next.units);
        let straight = there.component_div(&at.units).normalize().dot(&at.tangent);
        next.easy = first < 0.2 * OFF * length && straight > 0.5 * (1.0 + STRAIGHT);
        (straight >= STRAIGHT).then_some(next).ok_or(false)
    }

    /// The place at a part of the way from one place to another.
    fn between(&self, (a, b): (&PathPoint, &PathPoint), part: f64) -> Option<PathPoint> {
        let start = self.curve(a);
        let whole = self.curve(b) - &start;
        let way = whole.component_div(&a.units);
        let length = way.norm();
        let found = self.correct(a, (start + whole * part, &(way / length)), length);
        found.ok().map(|found| found.0)
    }

    /// s at a pole of a dependent coordinate, and which one that is: it grew, and x / (dx/ds) falls to zero within rounding of here.
    fn pole(&self, before: &PathPoint, at: &PathPoint) -> Option<(f64, usize)> {
        // numbers that run out are no pole
        let worn = at.det.abs() < f64::MIN_POSITIVE / f64::EPSILON;
        let mut list = self.dependent.iter().copied().enumerate().filter(|_| !worn);
        list.find_map(|own| {
            let begin = self.from.x[own.1].abs().max(self.sizes[own.0]);
            let [last, here] = [before, at].map(|at| at.spot.x[own.1] / at.rate(own.0));
            if at.spot.x[own.1].abs() <= FAR * begin || here.is_nan() || here < 0.0 {
                return None;
            }
            let rest = if here <= f64::EPSILON * at.s {
                0.0
            } else {
                here * (at.s - before.s) / (last - here)
            };
            (rest >= 0.0 && rest <= LEFT * at.s).then_some((at.s + rest, own.1))
        })
    }

    /// Is the determinant nothing but what rounding of the coordinates leaves, as where large ones cancel?
    fn is_noise(&self, at: &PathPoint) -> bool {
        let mut x = at.spot.x.clone();
        (0..x.len()).any(|k| {
            let own = std::mem::replace(&mut x[k], at.spot.x[k] * (1.0 + ROUNDS));
            let there = self.model.constraint_value(at.spot.t, &x).jacobian;
            x[k] = own;
            let change = there.select_columns(self.dependent).determinant() - at.det;
            change.abs() > NOISE * at.det.abs()
        })
    }

    /// Whether the dependent coordinates have limits where following them ended, by the places that were passed.
    fn limit(&self, passed: &[PathPoint], end: f64) -> Limit {
        let Some(last) = passed.last() else {
            return Limit::Unseen;
        };
        // at a pole, following may stop well before it
        let own = |place: usize| (last.spot.x[self.dependent[place]] / last.rate(place)).abs();
        let left = (0..self.dependent.len())
            .map(own)
            .fold(f64::INFINITY, f64::min);
        let [long, short] = SLOW;
        let short = short.max(BEFORE * left / end.abs());
        let at = |part: f64| passed.iter().rfind(|at| end - at.s >= part * end.abs());
        let [Some(far), Some(near)] = [long, short].map(at) else {
            return Limit::Unseen;
        };
        let closer = (end - near.s) / (end - far.s);
        if closer > CLOSER {
            return Limit::Unseen;
        }
        // the power of what is left of the way that (s* - s) dx_k/ds falls by
        let power = |place: usize| {
            let [early, late] = [far, near].map(|at| ((end - at.s) * at.rate(place)).abs());
            let moves = late > MOVES * near.spot.x[self.dependent[place]].abs();
            moves.then(|| (late / early).ln() / closer.ln())
        };
        let powers: Vec<Option<f64>> = (0..self.dependent.len()).map(power).collect();
        let slow = |most: f64| {
            powers
                .iter()
                .position(|power| power.is_some_and(|p| p < most))
        };
        match (slow(NO_LIMIT), slow(LIMIT)) {
            (Some(place), _) => Limit::Unbounded(self.dependent[place]),
            (None, Some(_)) => Limit::Unknown,
            (None, None) => Limit::Place,
        }
    }

    /// Does the domain of f end next to a place, and does g lead there? Where g only comes ever nearer to an end in x_D, as
    /// exp(p) - 1 to that of log(1 + x), rounding takes the rest of the way.
    fn is_edge(&self, at: &PathPoint) -> bool {
        let s = at.tangent.len() - 1;
        let rests = (0..s).all(|place| {
            let by = at.tangent[place] * at.units[place] / at.tangent[s];
            by.abs() <= RESTS * at.spot.x[self.dependent[place]].abs()
        });
        self.meets_edge(at, true) && !(rests && self.meets_edge(at, false))
    }

    /// Does the domain of f end next to a place, by the dependent coordinates or also by the others?
    fn meets_edge(&self, at: &PathPoint, others: bool) -> bool {
        let m = self.own.len();
        let moving = self.line.x.iter().chain([&self.line.t]);
        let moving: Vec<f64> = moving.map(|by| (by * at.units[m]).abs()).collect();
        let about = |(k, v): (usize, &f64)| {
            let place = self.dependent.iter().position(|own| *own == k);
            let reach = match place {
                Some(place) => EDGE * at.units[place],
                None if others => EDGE * (v.abs() + moving[k]),
                None => 0.0,
            };
            Interval::new(v - reach, v + reach)
        };
        let place = at.spot.x.iter().chain([&at.spot.t]);
        let sides: Region = place.enumerate().map(about).collect();
        let equations = &self.model.bounds().equations;
        matches!(
            equations.domain(&sides, &mut Scratch::default()),
            Domain::Edge | Domain::Pole
        )
    }

    /// The end of the line at s.
    fn end(&self, s: f64, spot: Spot, why: Option<Ending>) -> End {
        End {
            part: s,
            y: self.wanted(s).as_slice().to_vec(),
            spot,
            why,
        }
    }

    /// The place at s = 1 between two.
    fn arrival(&self, before: Option<&PathPoint>, at: &PathPoint) -> Spot {
        let m = self.own.len();
        let mut curve = self.curve(at);
        if let Some(before) = before.filter(|before| before.s < 1.0) {
            let start = self.curve(before);
            let part = (1.0 - before.s) / (at.s - before.s);
            curve = &start + (curve - &start) * part;
        }
        curve[m] = 1.0;
        let way = DVector::from_fn(m + 1, |k, _| if k == m { 1.0 } else { 0.0 });
        match self.correct(at, (curve.clone(), &way), LONGEST) {
            Ok((place, _)) => place.spot,
            Err(_) => self.at(&curve).1,
        }
    }

    /// The place between two where det J_D is zero if it is linear there.
    fn interpolated(&self, a: PathPoint, b: &PathPoint) -> PathPoint {
        let part = a.det.abs() / (a.det.abs() + b.det.abs());
        let start = self.curve(&a);
        let (s, spot) = self.at(&(&start + (self.curve(b) - &start) * part));
        self.place(s, spot, Some(&a)).unwrap_or(a)
    }

    /// Where det J_D touches zero from `a` to `b`.
    fn touching(&self, a: &PathPoint, b: &PathPoint) -> Option<PathPoint> {
        let zero = TOUCHES * a.det.abs().max(b.det.abs());
        let place = |part: f64| self.between((a, b), part);
        let (part, _) = least((0.0, 1.0), (SECTIONS, zero), |part| {
            place(part).map_or(f64::NAN, |place| place.det.abs())
        });
        place(part).filter(|place| place.det.abs() <= zero)
    }
}
