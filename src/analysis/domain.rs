//! The domain `F[N]` of g round a place: a box of it, proven, and where g ends, followed by numbers.

use super::follow::{Line, PART, SHORTEST};
use super::{Model, Overrides};
use crate::expr::{Expr, Interval, Node, Smooth, SymbolKind};
use crate::geometry::size_of;
use crate::system::System;
use crate::theorem::{Branch, Domain, FARTHEST, Inverse, Neighbourhood, domain, value_at};

/// More variables y, x_I, t than this are not followed one by one.
const MOST: usize = 8;
/// An argument below this is followed among numbers of its size first; and where g ends within so small a part of the way it is
/// followed once more.
const SMALL: f64 = 1e-2;
const TINY: f64 = 1e-6;

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
    /// The domain of f ends.
    Undefined,
}

/// Where g ends on a line, or where following it stopped.
#[derive(Clone, Debug, PartialEq)]
pub struct End {
    /// The part of the line that it is defined on, 0 to 1.
    pub part: f64,
    /// The values of the constraints there.
    pub y: Vec<f64>,
    /// The last place.
    pub spot: Spot,
    /// Why it ends; `None` where it was followed no further and nothing is known beyond.
    pub why: Option<Ending>,
}

/// How far g is defined along one of its arguments, the others kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Reach {
    /// The argument.
    pub along: Argument,
    /// Its values where g ends, downward and upward; `None` where none was found.
    pub ends: [Option<(f64, Ending)>; 2],
    /// Where there is no such end: its values beyond which g was not followed; `None` where nothing stopped that.
    pub stops: [Option<f64>; 2],
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
        let extents = along.into_iter().map(|along| {
            let found = [-1.0, 1.0].map(|sign| self.end_along(&spot, dependent, (along, sign)));
            let stop = |(value, why): &(f64, Option<Ending>)| why.is_none().then_some(*value);
            Reach {
                along,
                stops: found.each_ref().map(|own| own.as_ref().and_then(stop)),
                ends: found.map(|own| own.and_then(|(value, why)| Some((value, why?)))),
            }
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

    /// Where g ends along one argument, or was followed to, without a reason.
    fn end_along(
        &self,
        spot: &Spot,
        dependent: &[usize],
        (along, sign): (Argument, f64),
    ) -> Option<(f64, Option<Ending>)> {
        let n = spot.x.len();
        let y = self.levels_at(spot);
        let own = size_of(&spot.x);
        let (value, size) = match along {
            // a level that is zero is measured by the terms that make it, if there are any
            Argument::Level(b) if y[b] == 0.0 => {
                let terms = self.constraint_value(spot.t, &spot.x).scale[b];
                let any = terms > f64::MIN_POSITIVE;
                (0.0, if any { terms } else { 1.0 })
            }
            Argument::Level(b) => (y[b], y[b].abs()),
            Argument::Coordinate(k) if spot.x[k] == 0.0 => (0.0, own),
            Argument::Coordinate(k) => (spot.x[k], spot.x[k].abs()),
            Argument::Time => (spot.t, size_of([&spot.t])),
        };
        let line = |way: f64| {
            let mut line = Line {
                y: vec![0.0; y.len()],
                x: vec![0.0; n],
                t: 0.0,
            };
            match along {
                Argument::Level(b) => line.y[b] = sign * way,
                Argument::Coordinate(k) => line.x[k] = sign * way,
                Argument::Time => line.t = sign * way,
            }
            line
        };
        // small numbers first among their like, then from where that leads
        let mut farthest = FARTHEST * if size < SMALL { size } else { size.max(1.0) };
        let (mut from, mut gone) = (spot.clone(), 0.0);
        let (mut way, mut end) = loop {
            let way = farthest - gone;
            match self.follow(&from, dependent, &line(way))? {
                Err(end) => break (way, end),
                Ok(_) if farthest >= FARTHEST => return None,
                Ok(arrived) => (from, gone) = (arrived, farthest),
            }
            farthest = (farthest * FARTHEST).min(FARTHEST);
        };
        if end.part > 0.0 && end.part < TINY {
            // once more, with steps of that size
            let shorter = way * end.part / PART;
            if let Some(Err(again)) = self.follow(&from, dependent, &line(shorter)) {
                (way, end) = (shorter, again);
            }
        }
        let value = value + sign * (gone + end.part * way);
        // what rounding and the last step leave of a zero
        let zero = SHORTEST * 100.0 * value.abs().max(size.min(way));
        Some((if value.abs() < zero { 0.0 } else { value }, end.why))
    }

    /// Follows g from a place to other values of its arguments: the place there, or where it ends on the way; `None` where
    /// it does not begin.
    pub fn follow_to(
        &self,
        from: &Spot,
        dependent: &[usize],
        (y, to): (&[f64], &Spot),
    ) -> Option<Result<Spot, End>> {
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
    pub(super) fn levels_at(&self, spot: &Spot) -> Vec<f64> {
        let value = self.constraint_value(spot.t, &spot.x);
        let constraints = self.system.constraints.iter();
        constraints
            .zip(value.residual.iter())
            .map(|(c, r)| c.c_value + r)
            .collect()
    }

    /// What a closed form of g needs to be positive at (y, x_I, t), and is not.
    pub fn broken_conditions(
        &self,
        inverse: &Inverse,
        (y, spot): (&[f64], &Spot),
    ) -> Vec<BrokenCondition> {
        let mut list: Vec<BrokenCondition> = Vec::new();
        for (branch, own) in inverse.branches().iter().enumerate() {
            for needed in self.needed(own) {
                let value = spot.value(&self.system, y, needed);
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

    /// Is, for every branch of a closed form, something negative at (y, x_I, t) that must not be, whatever the rounding?
    pub(super) fn is_not_real(&self, inverse: &Inverse, (y, spot): (&[f64], &Spot)) -> bool {
        let parameters = self.system.parameter_bounds();
        let of = |kind: SymbolKind| match kind {
            SymbolKind::Parameter(i) => parameters.get(i).copied(),
            SymbolKind::Level(b) => y.get(b).copied().map(Interval::nearest),
            SymbolKind::Coordinate { index, order: 0 } => {
                spot.x.get(index).copied().map(Interval::nearest)
            }
            SymbolKind::Time => Some(Interval::nearest(spot.t)),
            _ => None,
        };
        let negative = |e: Expr| {
            let range = self
                .system
                .pool
                .bounds(e, &|kind| of(kind).unwrap_or(Interval::ALL));
            range.hi < 0.0
        };
        let branches = inverse.branches();
        let mut all = branches.iter().map(|own| self.needed(own));
        !branches.is_empty() && all.all(|needed| needed.into_iter().any(negative))
    }

    /// What the functions of a branch need not to be negative.
    fn needed(&self, branch: &Branch) -> Vec<Expr> {
        let pool = &self.system.pool;
        let mut needed: Vec<Expr> = Vec::new();
        pool.visit(&branch.functions, &mut |_, node| match node {
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
                Smooth::Everywhere | Smooth::NotZero | Smooth::BetweenPoles | Smooth::OffCut => {}
            },
            Node::Number(_) | Node::Symbol(_) | Node::Sum(..) => {}
        });
        needed
    }
}
