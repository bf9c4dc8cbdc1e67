//! The domain `F[N]` of g round a place: a box of it, proven, and where g ends, followed by numbers.
//!
//! Along a line (y, x_I, t)(s) the curve of (x_D, s) is followed by its arc (Keller, Numerical solution of bifurcation and
//! nonlinear eigenvalue problems, 1977), which leads past where x_D turns back,
//!
//! ```text
//! [J_D, -r] (dx_D, ds) = 0,   r = dy/ds - J_I dx_I/ds - f_t dt/ds,       corrected by Newton's method on f(x; t) = y(s)
//! ```
//!
//! until det J_D changes its sign or touches zero, or Newton's method no longer leads back: there g ends.

use super::{Model, Overrides};
use crate::expr::{Expr, Node, Smooth, SymbolKind, calculate, is_over};
use crate::geometry::{complement, largest, size_of};
use crate::solver::{ConstraintValue, least};
use crate::system::System;
use crate::theorem::{
    Domain, FARTHEST, Inverse, Neighbourhood, SymbolicDeterminant, domain, value_at,
};
use nalgebra::{DMatrix, DVector};

/// More variables y, x_I, t than this are not followed one by one.
const MOST: usize = 8;
/// Steps of a line,
const STEPS: usize = 1000;
/// the first, the longest and the shortest, in parts of the units.
const FIRST: f64 = 1e-3;
const LONGEST: f64 = 0.5;
const SHORTEST: f64 = 1e-10;
/// The shortest over an end.
const CLOSE: f64 = 1e-6;
/// The unit of a coordinate is its size, or this part of the largest.
const NEXT: f64 = 0.1;
/// The unit of s at its beginning.
const PART: f64 = 1e-3;
/// Newton's steps back to f = y: the first is no longer than this part of a step along the curve, the others are shorter
/// by that factor, to this part of the step or to rounding.
const NEWTON: usize = 8;
const OFF: f64 = 0.1;
const SHORTER: f64 = 0.3;
const EXACT: f64 = 1e-8;
const ROUNDED: f64 = 1e-13;
/// The tangents at both ends of a step have at least this in common.
const STRAIGHT: f64 = 0.95;
/// Where det J_D comes to this part of what it is at the ends of a step it touches zero.
const TOUCHES: f64 = 1e-10;
/// It is sought by so many golden sections.
const SECTIONS: i32 = 45;
/// det J_D is near zero where it is this part of sqrt(det J J^T), or of what it was.
const NEAR_ZERO: f64 = 1e-3;
/// An argument below this is followed among numbers of its size first; and where g ends within so small a part of the way it is
/// followed once more.
const SMALL: f64 = 1e-2;
const TINY: f64 = 1e-6;
/// A dependent coordinate that grew by this factor leaves every bound.
const FAR: f64 = 1e6;

/// A position with its time.
#[derive(Clone, Debug, PartialEq)]
pub struct Spot {
    /// The time.
    pub t: f64,
    /// The coordinates.
    pub x: Vec<f64>,
}

impl Spot {
    /// The value of an expression at rest here, where the constraints have these values.
    pub(super) fn value(&self, system: &System, y: &[f64], e: Expr) -> f64 {
        let of = |list: &[f64], place: usize| list.get(place).copied().unwrap_or(f64::NAN);
        value_at(system, e, &|kind| match kind {
            SymbolKind::Level(b) => of(y, b),
            SymbolKind::Coordinate { index, order: 0 } => of(&self.x, index),
            SymbolKind::Coordinate { .. } => 0.0,
            SymbolKind::Time => self.t,
            _ => f64::NAN,
        })
    }
}

/// Something that g takes: y_b, a coordinate, t.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// The value of a constraint.
    Level(usize),
    /// An independent coordinate.
    Coordinate(usize),
    /// The time.
    Time,
}

/// What ends g.
#[derive(Clone, Debug, PartialEq)]
pub enum Ending {
    /// det J_D is zero: this factor of it, where it is known.
    Determinant(Option<Expr>),
    /// A dependent coordinate, by index, grows beyond all bounds.
    Unbounded(usize),
    /// f is not defined or not finite.
    Undefined,
    /// Newton's method no longer leads back, for no reason that numbers show.
    Unknown,
}

/// Where g ends on a line.
#[derive(Clone, Debug, PartialEq)]
pub struct End {
    /// The part of the line that it is defined on, 0 to 1.
    pub part: f64,
    /// The values of the constraints there.
    pub y: Vec<f64>,
    /// The last place.
    pub spot: Spot,
    /// Why.
    pub why: Ending,
}

/// How far g is defined along one of its arguments, the others kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Reach {
    /// The argument.
    pub along: Argument,
    /// Its values where g ends, downward and upward; `None` where none was found.
    pub ends: [Option<(f64, Ending)>; 2],
}

/// What is known of `F[N]` round a place.
#[derive(Clone, Debug, PartialEq)]
pub struct DomainOfG {
    /// A box of it, proven.
    pub proven: Option<Domain>,
    /// How far it goes, by numbers; empty where there are too many arguments.
    pub extents: Vec<Reach>,
}

/// An argument of a function in a closed form of g that has to keep a sign.
#[derive(Clone, Debug, PartialEq)]
pub struct BrokenCondition {
    /// The branch.
    pub branch: usize,
    /// It has to be positive or zero.
    pub needed: Expr,
    /// What it is.
    pub value: f64,
}

/// A line through (y, x_I, t), by what it changes.
struct Line {
    y: Vec<f64>,
    x: Vec<f64>,
    t: f64,
    /// a size of coordinates on it
    size: f64,
}

impl Model {
    /// `F[N]` round the start, where the theorem holds there.
    pub(super) fn domain_at_start(&self, dependent: &[usize]) -> Option<DomainOfG> {
        if dependent.len() != self.system.constraints.len() {
            return None;
        }
        let start = self.start(&Overrides::default()).ok()?;
        let place = (start.t, start.x.as_slice());
        let verdict = self
            .theorem
            .verdict(&self.system, place, &start.correction, dependent);
        if !verdict.holds() || dependent.is_empty() {
            return None;
        }
        let near = self.neighbourhood_of(&verdict, place, dependent);
        Some(self.domain_of_g(place, dependent, near.as_ref()))
    }

    /// `F[N]` round a place where the theorem holds.
    pub fn domain_of_g(
        &self,
        (t, x): (f64, &[f64]),
        dependent: &[usize],
        neighbourhood: Option<&Neighbourhood>,
    ) -> DomainOfG {
        let independent: Vec<usize> = (0..x.len()).filter(|k| !dependent.contains(k)).collect();
        let proven =
            neighbourhood.and_then(|n| self.proven_domain((t, x), dependent, &independent, n));
        let m = self.system.constraints.len();
        let mut along: Vec<Argument> = (0..m).map(Argument::Level).collect();
        along.extend(independent.iter().map(|&k| Argument::Coordinate(k)));
        if self.rheonomic() {
            along.push(Argument::Time);
        }
        if along.len() > MOST || dependent.is_empty() {
            along.clear();
        }
        let spot = Spot { t, x: x.to_vec() };
        let extents = along.into_iter().map(|along| Reach {
            along,
            ends: [-1.0, 1.0].map(|sign| self.end_along(&spot, dependent, (along, sign))),
        });
        DomainOfG {
            proven,
            extents: extents.collect(),
        }
    }

    fn proven_domain(
        &self,
        (t, x): (f64, &[f64]),
        dependent: &[usize],
        independent: &[usize],
        n: &Neighbourhood,
    ) -> Option<Domain> {
        let point = [x, &[t]].concat();
        let mut moving = independent.to_vec();
        let mut sides = n.sides.clone();
        if self.rheonomic() {
            moving.push(x.len());
        } else {
            sides.push((t, t));
        }
        let equations = &self.bounds().equations;
        let mut found = domain(equations, &self.chart(dependent), (&point, &moving), &sides)?;
        self.with_levels(&mut found.levels);
        Some(found)
    }

    /// Where g ends along one argument.
    fn end_along(
        &self,
        spot: &Spot,
        dependent: &[usize],
        (along, sign): (Argument, f64),
    ) -> Option<(f64, Ending)> {
        let n = spot.x.len();
        let y = self.levels_at(spot);
        let own = size_of(&spot.x);
        let (value, size) = match along {
            Argument::Level(b) => (y[b], size_of([&y[b]])),
            Argument::Coordinate(k) if spot.x[k] == 0.0 => (0.0, own),
            Argument::Coordinate(k) => (spot.x[k], spot.x[k].abs()),
            Argument::Time => (spot.t, size_of([&spot.t])),
        };
        let line = |way: f64| {
            let mut line = Line {
                y: vec![0.0; y.len()],
                x: vec![0.0; n],
                t: 0.0,
                size: if way > FARTHEST * size {
                    own.max(1.0)
                } else {
                    own
                },
            };
            match along {
                Argument::Level(b) => line.y[b] = sign * way,
                Argument::Coordinate(k) => line.x[k] = sign * way,
                Argument::Time => line.t = sign * way,
            }
            line
        };
        // small numbers first among their like
        let units = if size < SMALL {
            vec![size, 1.0]
        } else {
            vec![size.max(1.0)]
        };
        let mut ways = units.into_iter().map(|unit| FARTHEST * unit);
        let (mut way, mut end) =
            ways.find_map(|way| Some((way, self.follow(spot, dependent, &line(way))?)))?;
        if end.part > 0.0 && end.part < TINY {
            // once more, with steps of that size
            let shorter = way * end.part / PART;
            if let Some(again) = self.follow(spot, dependent, &line(shorter)) {
                (way, end) = (shorter, again);
            }
        }
        let value = value + sign * end.part * way;
        // what rounding and the last step leave of a zero
        let zero = SHORTEST * 100.0 * value.abs().max(size.min(way));
        Some((if value.abs() < zero { 0.0 } else { value }, end.why))
    }

    /// Where g ends on the way from a place to other values of its arguments; `None` where it leads there.
    pub fn end_on_the_way(
        &self,
        from: &Spot,
        dependent: &[usize],
        (y, to): (&[f64], &Spot),
    ) -> Option<End> {
        let own = self.levels_at(from);
        let mut x: Vec<f64> = to.x.iter().zip(&from.x).map(|(a, b)| a - b).collect();
        for &k in dependent {
            x[k] = 0.0;
        }
        let line = Line {
            y: y.iter().zip(&own).map(|(a, b)| a - b).collect(),
            size: size_of(from.x.iter().chain(&to.x)),
            x,
            t: to.t - from.t,
        };
        self.follow(from, dependent, &line)
    }

    /// f(x; t).
    fn levels_at(&self, spot: &Spot) -> Vec<f64> {
        let value = self.constraint_value(spot.t, &spot.x);
        let constraints = self.system.constraints.iter();
        constraints
            .zip(value.residual.iter())
            .map(|(c, r)| c.c_value + r)
            .collect()
    }

    /// Follows g along a line.
    fn follow(&self, from: &Spot, dependent: &[usize], line: &Line) -> Option<End> {
        let arc = PathTracker {
            model: self,
            own: self.levels_at(from),
            from,
            dependent,
            line,
            size: largest(&from.x),
        };
        let mut at = arc.place(0.0, from.clone(), None).ok()?;
        let first = at.det.abs();
        if first == 0.0 {
            return None;
        }
        let mut length = FIRST;
        let mut why = None;
        let mut before: Option<PathPoint> = None;
        let mut beyond: Option<PathPoint> = None;
        let (mut shortest, mut left) = (SHORTEST, f64::INFINITY);
        let mut steps = 0;
        loop {
            steps += 1;
            if steps > STEPS || is_over() {
                return None;
            }
            let mut list = dependent.iter();
            let grown = list.find(|&&k| at.spot.x[k].abs() > FAR * from.x[k].abs().max(line.size));
            if let Some(&k) = grown {
                why = Some(Ending::Unbounded(k));
                break;
            }
            let next = match arc.step(&at, length) {
                _ if length < shortest => break,
                Ok(next) => next,
                Err(edge) => {
                    why = edge.then_some(Ending::Undefined);
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
            left -= length;
            if left < 0.0 {
                // another branch, which does not end there
                break;
            }
            let lowest = |a: &&PathPoint| {
                let (before, here, after) = (a.det.abs(), at.det.abs(), next.det.abs());
                here <= before.min(after) && here < 0.5 * before.max(after)
            };
            let around = before.as_ref().filter(lowest);
            if let Some(zero) = around.and_then(|a| arc.touching(a, &next)) {
                (at, why) = (zero, None);
                break;
            }
            if at.s >= 1.0 {
                return None;
            }
            if next.easy && beyond.is_none() {
                length = (2.0 * length).min(LONGEST);
            }
            before = Some(std::mem::replace(&mut at, next));
        }
        if let Some(beyond) = beyond {
            at = arc.interpolated(at, &beyond);
        }
        if at.s >= 1.0 {
            return None;
        }
        let unbounded = matches!(why, Some(Ending::Unbounded(_)));
        let j = &at.value.jacobian;
        let whole = (j * j.transpose()).determinant().abs().sqrt();
        let det = at.det.abs();
        // where all gradients vanish only the first value tells that it is small; a large gradient is none
        let small = !unbounded && det <= NEAR_ZERO * whole.max(first);
        let factor = small.then(|| self.smallest_factor((from, &at.spot), dependent));
        let why = match (factor.flatten(), why) {
            (Some(factor), _) => Ending::Determinant(Some(factor)),
            (None, Some(why)) => why,
            (None, None) if det <= NEAR_ZERO * first => Ending::Determinant(None),
            (None, None) => Ending::Unknown,
        };
        Some(End {
            part: at.s,
            y: arc.wanted(at.s).as_slice().to_vec(),
            spot: at.spot,
            why,
        })
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

    /// What a closed form of g needs to be positive at (y, x_I, t), and is not.
    pub fn broken_conditions(
        &self,
        inverse: &Inverse,
        (y, spot): (&[f64], &Spot),
    ) -> Vec<BrokenCondition> {
        let system = &self.system;
        let pool = &system.pool;
        let mut list: Vec<BrokenCondition> = Vec::new();
        for (branch, own) in inverse.branches().iter().enumerate() {
            let mut needed: Vec<Expr> = Vec::new();
            pool.visit(&own.functions, &mut |_, node| match node {
                Node::Product(_, factors) => {
                    let even = factors.iter().filter(|(_, power)| {
                        pool.as_number(*power)
                            .is_some_and(|p| p.denominator().is_even())
                    });
                    needed.extend(even.map(|(base, _)| *base));
                }
                Node::Apply(function, arguments) => match function.smooth() {
                    Smooth::Positive => needed.push(arguments[0]),
                    Smooth::InsideUnit => {
                        needed.push(pool.sub(pool.one(), pool.powi(arguments[0], 2)));
                    }
                    Smooth::Everywhere
                    | Smooth::NotZero
                    | Smooth::BetweenPoles
                    | Smooth::OffCut => {}
                },
                Node::Number(_) | Node::Symbol(_) | Node::Sum(..) => {}
            });
            for needed in needed {
                let value = spot.value(system, y, needed);
                if value < 0.0 && !list.iter().any(|known| known.needed == needed) {
                    list.push(BrokenCondition {
                        branch,
                        needed,
                        value,
                    });
                }
            }
        }
        list
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
    /// the largest coordinate
    size: f64,
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

impl PathPoint {
    /// Has det J_D changed its sign from another place to this, or does s go back, as where it has a double zero?
    fn is_beyond(&self, from: &PathPoint) -> bool {
        let s = self.tangent.len() - 1;
        self.det.signum() != from.det.signum() || self.tangent[s] < 0.0
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
            Some(&k) if self.size > 0.0 => spot.x[k].abs().max(NEXT * self.size),
            Some(_) => 1.0,
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
