//! Are two places one equilibrium? What is close is not the same: roots may be nearer to each other than numbers are.

use super::{Ground, Root, turned};
use crate::expr::{Expr, Interval};
use crate::interval::{Equations, Scratch, apart, hull_of};
use crate::statics::bounds::{Bounds, Enclosure};
use crate::statics::flat::{Point, Symbols};
use crate::statics::symmetry::Symmetries;
use crate::statics::value::{Field, Value};

/// An equilibrium, as far as it is known which one it is.
#[derive(Clone, Debug)]
pub(super) struct Known {
    /// Where it is.
    pub(super) x: Vec<Interval>,
    /// Its coordinates, where they are known exactly.
    pub(super) exact: Vec<Option<Expr>>,
    /// It stands for a set that is told apart from all others.
    pub(super) of_set: bool,
}

impl Known {
    /// One that is enclosed, of which some coordinates are known exactly.
    pub(super) fn new(field: Field, x: &[Interval], exact: &[Option<Expr>]) -> Self {
        let number = |side: &Interval| side.number().map(|number| field.pool.number(number));
        let sides = x.iter().zip(exact);
        Self {
            x: x.to_vec(),
            exact: sides.map(|(side, own)| own.or(number(side))).collect(),
            of_set: false,
        }
    }

    /// One that is proven.
    pub(super) fn shown(field: Field, (own, point): &(Enclosure, Option<Point>)) -> Self {
        let exact: Vec<Option<Expr>> = match point {
            Some(point) => point.x.iter().map(|v| field.expression(v)).collect(),
            None => vec![None; own.x().len()],
        };
        Self::new(field, own.x(), &exact)
    }
}

impl Ground<'_> {
    /// Are two equilibria one? Nothing where that is not decided. They are where each coordinate of both is the same number, and where
    /// the equations have at most one solution in a box round both.
    pub(super) fn are_one(&self, bounds: &Bounds, a: &Known, b: &Known) -> Option<bool> {
        let pool = &self.subject.system.pool;
        let n = a.x.len();
        if !(0..n).all(|k| self.meets(k, a.x[k], b.x[k])) {
            return Some(false);
        }
        let turns = (0..n).map(|k| self.turns_between(k, a.x[k], b.x[k]));
        let turns: Vec<f64> = turns.collect();
        let mut same = true;
        for (k, turn) in turns.iter().enumerate() {
            let both = a.exact[k].zip(b.exact[k]).filter(|_| *turn == 0.0);
            match both.map(|(a, b)| pool.is_zero(pool.sub(a, b))) {
                Some(Some(true)) => {}
                Some(Some(false)) => return Some(false),
                Some(None) | None => same = false,
            }
        }
        let moved: Vec<Interval> =
            b.x.iter()
                .zip(&turns)
                .map(|(side, by)| turned(*side, *by))
                .collect();
        (same || bounds.has_one_at_most(&hull_of(&a.x, &moved))).then_some(true)
    }

    /// Do two equilibria differ for sure in a coordinate that symmetries do not move? Then these move neither to the other, however
    /// near they are.
    pub(super) fn differ_beside(&self, symmetries: &Symmetries, a: &Known, b: &Known) -> bool {
        let pool = &self.subject.system.pool;
        let differ = |k: usize| {
            let both = a.exact[k].zip(b.exact[k]);
            let exactly = both.is_some_and(|(a, b)| pool.is_zero(pool.sub(a, b)) == Some(false));
            !self.meets(k, a.x[k], b.x[k]) || exactly && self.period(k).is_none()
        };
        (0..a.x.len()).any(|k| !symmetries.moves(k) && differ(k))
    }

    /// Is an equilibrium that was found near a place proven by branch and prune the one that is there?
    pub(super) fn is_that(
        &self,
        (symbols, bounds): (&Symbols, &Bounds),
        place: &Root,
        found: &(Enclosure, Option<Point>),
    ) -> bool {
        let Some(sides) = place.sides.as_ref().filter(|_| place.proven) else {
            return true;
        };
        let field = symbols.field();
        let moved = found.1.as_ref().and_then(|point| member_at(place, point));
        let sides = moved.as_ref().unwrap_or(sides);
        let there = Known::new(field, sides, &place.exact);
        let same = self.are_one(bounds, &there, &Known::shown(field, found));
        same.unwrap_or_else(|| {
            let point = found.1.as_ref();
            point.is_some_and(|point| is_alone(symbols, bounds, (place, sides), point))
        })
    }
}

/// The member of the set that a place stands for at the values that a point has.
fn member_at(place: &Root, point: &Point) -> Option<Vec<Interval>> {
    let piece = place.piece.as_ref()?;
    let at: Vec<Interval> = place.any.iter().map(|k| point.x[*k].range()).collect();
    let inside = piece.parts.iter().any(|part| !apart(part, &at));
    inside.then(|| piece.course.at(&at))
}

/// Is an exact equilibrium the one that solves the equations by which a place was found? It solves them, and they are one-to-one on
/// a box round both, where what may have any value has the same.
fn is_alone(
    symbols: &Symbols,
    bounds: &Bounds,
    (place, sides): (&Root, &[Interval]),
    point: &Point,
) -> bool {
    let pool = symbols.pool;
    let own: Vec<Interval> = point.x.iter().map(Value::range).collect();
    let values = symbols.values(&place.by, point);
    if !values.is_some_and(|values| values.iter().all(Value::is_zero)) {
        return false;
    }
    let around = hull_of(sides, &own);
    let Some(around) = bounds.completed(&around) else {
        return false;
    };
    let all: Vec<Expr> = symbols.unknowns();
    let at = [around.x(), around.lambda()].concat();
    let held = |k: usize| place.any.contains(&k);
    let same = |k: &usize| sides[*k].lo == sides[*k].hi && own[*k] == sides[*k];
    let open = |k: &usize| {
        let occurs = place
            .by
            .iter()
            .any(|e| pool.symbols_of(*e).contains(&all[*k]));
        occurs && !held(*k)
    };
    let open: Vec<usize> = (0..all.len()).filter(open).collect();
    if open.len() != place.by.len() || !place.any.iter().all(same) {
        return false;
    }
    let equations = Equations::new(pool, &all, &symbols.rounded, &place.by);
    let (slopes, smooth) = equations.jacobian(&at, &mut Scratch::default());
    let rows: Vec<usize> = (0..place.by.len()).collect();
    smooth && slopes.block(&rows, &open).is_regular()
}
