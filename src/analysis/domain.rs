//! The domain `F[N]` of g round a place: a box of it, proven, and where g ends, followed by numbers.
//!
//! Along a line (y, x_I, t)(s) the dependent coordinates are followed on their branch,
//!
//! ```text
//! J_D dx_D/ds = dy/ds - J_I dx_I/ds - f_t dt/ds,       corrected by Newton's method on f(x; t) = y(s)
//! ```
//!
//! until det J_D changes its sign or Newton's method no longer leads back: there g ends.

use super::Model;
use crate::expr::{Expr, Function, Node, SymbolKind};
use crate::solver::ConstraintValue;
use crate::theorem::{
    Domain, FARTHEST, Inverse, Neighbourhood, SymbolicDeterminant, domain, value_at,
};
use nalgebra::{DMatrix, DVector};

/// More variables y, x_I, t than this are not followed one by one.
const MOST: usize = 8;
/// Steps of a line.
const STEPS: usize = 4000;
/// A step shorter than this part of the line is none.
const SHORTEST: f64 = 1e-13;
/// Newton's steps back to f = y.
const NEWTON: usize = 6;
/// det J_D is near zero where it is this part of sqrt(det J J^T), or of what it was.
const NEAR_ZERO: f64 = 1e-3;
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
}

impl Model {
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
        if along.len() > MOST {
            along.clear();
        }
        if dependent.is_empty() {
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
        let mut point = x.to_vec();
        point.push(t);
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
        let mut line = Line {
            y: vec![0.0; y.len()],
            x: vec![0.0; n],
            t: 0.0,
        };
        let reach = |v: f64| sign * FARTHEST * v.abs().max(1.0);
        match along {
            Argument::Level(b) => line.y[b] = reach(y[b]),
            Argument::Coordinate(k) => line.x[k] = reach(spot.x[k]),
            Argument::Time => line.t = reach(spot.t),
        }
        let end = self.follow(spot, dependent, &line)?;
        let value = match along {
            Argument::Level(b) => y[b] + end.part * line.y[b],
            Argument::Coordinate(k) => spot.x[k] + end.part * line.x[k],
            Argument::Time => spot.t + end.part * line.t,
        };
        // what rounding and the last step leave of a zero
        let zero = SHORTEST * 10.0 * reach(value).abs();
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
            x,
            t: to.t - from.t,
        };
        self.follow(from, dependent, &line)
    }

    /// f(x; t).
    fn levels_at(&self, spot: &Spot) -> Vec<f64> {
        let mut value = ConstraintValue::new(spot.x.len(), self.system.constraints.len());
        self.unwatched()
            .dynamics
            .constraint(spot.t, &spot.x, &mut value);
        let constraints = self.system.constraints.iter();
        constraints
            .zip(value.residual.iter())
            .map(|(c, r)| c.c_value + r)
            .collect()
    }

    /// Follows g along a line.
    fn follow(&self, from: &Spot, dependent: &[usize], line: &Line) -> Option<End> {
        let course = Course {
            model: self,
            own: self.levels_at(from),
            from,
            dependent,
            line,
        };
        let ended = |why: Ending, part: f64, spot: Spot| End {
            part,
            y: course.wanted(part).as_slice().to_vec(),
            spot,
            why,
        };
        let mut spot = from.clone();
        let mut here = course.evaluate(&spot);
        let first = course.block(&here).determinant().abs();
        if first == 0.0 {
            return None;
        }
        let (mut s, mut step) = (0.0_f64, 1e-6_f64);
        let mut undefined = false;
        for _ in 0..STEPS {
            if s >= 1.0 {
                return None;
            }
            let mut list = dependent.iter();
            let grown = list.find(|&&k| spot.x[k].abs() > FAR * from.x[k].abs().max(1.0));
            if let Some(&k) = grown {
                return Some(ended(Ending::Unbounded(k), s, spot));
            }
            let h = step.min(1.0 - s);
            if h < SHORTEST {
                let j = &here.jacobian;
                let whole = (j * j.transpose()).determinant().abs().sqrt();
                let det = course.block(&here).determinant().abs();
                // where all gradients vanish only the first value tells that it is small; a large gradient is none
                let small = det <= NEAR_ZERO * whole.max(first);
                let factor = self.smallest_factor(&spot, dependent).filter(|_| small);
                let why = match (factor, undefined) {
                    (Some(factor), _) => Ending::Determinant(Some(factor)),
                    (None, true) => Ending::Undefined,
                    (None, false) if det <= NEAR_ZERO * first => Ending::Determinant(None),
                    (None, false) => Ending::Unknown,
                };
                return Some(ended(why, s, spot));
            }
            match course.step((&spot, &here), (s, h)) {
                Ok((trial, value)) => {
                    (spot, here) = (trial, value);
                    s += h;
                    step = h * 1.7;
                }
                Err(edge) => {
                    undefined = edge;
                    step = 0.5 * h;
                }
            }
        }
        None
    }

    /// The factor of det J_D that is nearest to zero for its size; `None` where none is near.
    fn smallest_factor(&self, spot: &Spot, dependent: &[usize]) -> Option<Expr> {
        let system = &self.system;
        let det = SymbolicDeterminant::new(system, &self.equations, dependent);
        let value = |e: Expr| {
            value_at(system, e, &|kind| match kind {
                SymbolKind::Coordinate { index, order: 0 } => spot.x[index],
                SymbolKind::Time => spot.t,
                _ => f64::NAN,
            })
        };
        let near = det.factors.iter().map(|&e| {
            let size = value(system.pool.magnitude(e)).abs().max(1.0);
            (e, value(e).abs() / size)
        });
        let least = near.min_by(|a, b| a.1.total_cmp(&b.1))?;
        (least.1 < 1e-2).then_some(least.0)
    }

    /// What a closed form of g needs to be positive at (y, x_I, t), and is not.
    pub fn broken_conditions(
        &self,
        inverse: &Inverse,
        (y, x, t): (&[f64], &[f64], f64),
    ) -> Vec<BrokenCondition> {
        let system = &self.system;
        let pool = &system.pool;
        let value = |e: Expr| {
            value_at(system, e, &|kind| match kind {
                SymbolKind::Level(b) => y.get(b).copied().unwrap_or(f64::NAN),
                SymbolKind::Coordinate { index, order: 0 } => {
                    x.get(index).copied().unwrap_or(f64::NAN)
                }
                SymbolKind::Time => t,
                _ => f64::NAN,
            })
        };
        let mut list: Vec<BrokenCondition> = Vec::new();
        for (branch, own) in inverse.branches().iter().enumerate() {
            let mut needed: Vec<Expr> = Vec::new();
            pool.visit(&own.functions, &mut |_, node| match node {
                Node::Product { factors, .. } => {
                    let even = factors.iter().filter(|(_, power)| {
                        pool.as_number(*power)
                            .is_some_and(|p| p.denominator().is_even())
                    });
                    needed.extend(even.map(|(base, _)| *base));
                }
                Node::Apply(Function::Log, arguments) => needed.extend(arguments.iter().copied()),
                Node::Apply(Function::Asin | Function::Acos, arguments) => {
                    needed.extend(
                        arguments
                            .iter()
                            .map(|&a| pool.sub(pool.one(), pool.powi(a, 2))),
                    );
                }
                _ => {}
            });
            for needed in needed {
                let value = value(needed);
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
struct Course<'a> {
    model: &'a Model,
    /// f at the beginning
    own: Vec<f64>,
    from: &'a Spot,
    dependent: &'a [usize],
    line: &'a Line,
}

impl Course<'_> {
    fn evaluate(&self, spot: &Spot) -> ConstraintValue {
        let mut value = ConstraintValue::new(spot.x.len(), self.own.len());
        let problem = self.model.unwatched();
        problem.dynamics.constraint(spot.t, &spot.x, &mut value);
        value
    }

    /// y(s).
    fn wanted(&self, s: f64) -> DVector<f64> {
        DVector::from_fn(self.own.len(), |b, _| self.own[b] + s * self.line.y[b])
    }

    fn levels(&self, value: &ConstraintValue) -> DVector<f64> {
        let c = self.model.system.constraints.iter().map(|c| c.c_value);
        &value.residual + DVector::from_iterator(self.own.len(), c)
    }

    fn block(&self, value: &ConstraintValue) -> DMatrix<f64> {
        value.jacobian.select_columns(self.dependent)
    }

    /// The independent coordinates and t at s, the dependent ones as they are.
    fn at(&self, s: f64, x: &[f64]) -> Spot {
        let mut spot = Spot {
            t: self.from.t + s * self.line.t,
            x: x.to_vec(),
        };
        for k in 0..x.len() {
            if !self.dependent.contains(&k) {
                spot.x[k] = self.from.x[k] + s * self.line.x[k];
            }
        }
        spot
    }

    /// A step on the same branch; else whether f is not defined there.
    fn step(
        &self,
        (spot, here): (&Spot, &ConstraintValue),
        (s, h): (f64, f64),
    ) -> Result<(Spot, ConstraintValue), bool> {
        let line = self.line;
        let sign = self.block(here).determinant().signum();
        let right = DVector::from_fn(self.own.len(), |b, _| {
            let row = here.jacobian.row(b);
            let moved: f64 = row.iter().zip(&line.x).map(|(j, x)| j * x).sum();
            line.y[b] - moved - here.f_t[b] * line.t
        });
        let slope = solve(&self.block(here), &right).ok_or(false)?;
        let mut x = spot.x.clone();
        for (&k, d) in self.dependent.iter().zip(slope.iter()) {
            x[k] += h * d;
        }
        let mut trial = self.at(s + h, &x);
        let mut last = f64::INFINITY;
        for _ in 0..NEWTON {
            let value = self.evaluate(&trial);
            if value.not_finite().is_some() {
                return Err(true);
            }
            let off = self.wanted(s + h) - self.levels(&value);
            let change = solve(&self.block(&value), &off).ok_or(false)?;
            let mut size = 0.0_f64;
            for (&k, d) in self.dependent.iter().zip(change.iter()) {
                trial.x[k] += d;
                // relative to how far the step itself goes
                let whole = (trial.x[k] - spot.x[k]).abs() + 1e-3 * spot.x[k].abs().max(1e-3);
                size = size.max(d.abs() / whole);
            }
            if size > 0.5 || size >= 0.3 * last {
                return Err(false);
            }
            if size < 1e-10 {
                let value = self.evaluate(&trial);
                let same = self.block(&value).determinant().signum() == sign;
                return match (value.not_finite().is_some(), same) {
                    (true, _) => Err(true),
                    (false, false) => Err(false),
                    (false, true) => Ok((trial, value)),
                };
            }
            last = size;
        }
        Err(false)
    }
}

fn solve(matrix: &DMatrix<f64>, right: &DVector<f64>) -> Option<DVector<f64>> {
    if matrix.is_empty() {
        return Some(right.clone());
    }
    let found = matrix.clone().lu().solve(right)?;
    found.iter().all(|v| v.is_finite()).then_some(found)
}
