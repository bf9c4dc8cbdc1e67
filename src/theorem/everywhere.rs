//! What holds for every value of the coordinates, proven by the shape of an expression.
//!
//! No value is put in: a rule looks at the node and at what is proven of its parts.
//!
//! * **Drift.** e(u + T) - e(u), where it does not depend on u ([`drift`]). That of a sum is the sum of its
//!   terms' drifts; a product whose factors have none has none, and b e drifts by b times the drift of e
//!   where u is not in b; sin and cos have none where that of their argument is a whole number of turns, tan
//!   of half turns; any function of what does not drift does not. In x sin(x) the factor x drifts by T and
//!   the other contains x, so nothing is claimed.
//! * **Period.** T is one of a list of expressions where none of them drifts ([`periods`]).
//! * **Nowhere zero.** The bounds of an expression over all numbers leave out 0 ([`can_vanish`]).

use crate::expr::{Expr, Function, Interval, Node, Number, Pool};
use crate::system::System;
use rustc_hash::FxHashMap;
use std::f64::consts::TAU;

/// By how much an expression changes when `u` grows by `period`, for every u; `None` where that depends on u or
/// could not be shown.
pub fn drift(pool: &Pool, e: Expr, u: Expr, period: Expr) -> Option<Expr> {
    if pool.symbols_of(period).contains(&u) {
        return None;
    }
    let zero = pool.zero();
    let mut known: FxHashMap<Expr, Option<Expr>> = FxHashMap::default();
    pool.visit(&[e], &mut |whole, node| {
        let of = |part: &Expr| known.get(part).copied().flatten();
        let still = |part: &Expr| of(part) == Some(zero);
        let found = match node {
            Node::Number(_) => Some(zero),
            Node::Symbol(_) => Some(if whole == u { period } else { zero }),
            Node::Sum(_, terms) => {
                let parts = terms.iter().map(|(t, k)| Some(pool.scale(of(t)?, k)));
                let parts: Option<Vec<Expr>> = parts.collect();
                parts.map(|parts| pool.sum(parts))
            }
            Node::Product(coefficient, factors) => {
                let mut moving = factors.iter().filter(|(b, x)| !still(b) || !still(x));
                match (moving.next(), moving.next()) {
                    (None, _) => Some(zero),
                    (Some((base, exponent)), None) if *exponent == pool.one() => {
                        let others = factors.iter().filter(|(b, _)| b != base);
                        let others = pool.product(others.map(|&(b, x)| pool.pow(b, x)));
                        let free = !pool.symbols_of(others).contains(&u);
                        let slope = free.then(|| pool.scale(others, coefficient));
                        slope.zip(of(base)).map(|(k, by)| pool.mul(k, by))
                    }
                    _ => None,
                }
            }
            Node::Apply(_, args) if args.iter().all(still) => Some(zero),
            Node::Apply(f, args) => f.row().period.and_then(|period| {
                let by = args.first().and_then(of)?;
                let half_turns = pool.as_number(pool.reduced(pool.div(by, pool.pi())))?;
                let times = half_turns.div(&Number::from(period))?;
                times.is_integer().then_some(zero)
            }),
        };
        known.insert(whole, found);
    });
    let found = known.get(&e).copied().flatten()?;
    Some(pool.reduced(found))
}

/// The unknowns in which all of the equations repeat, with a period, by their place in the list.
pub fn periods(pool: &Pool, equations: &[Expr], unknowns: &[Expr]) -> Vec<(usize, f64)> {
    let mut found = Vec::new();
    for (k, &x) in unknowns.iter().enumerate() {
        let own: Vec<Expr> = equations
            .iter()
            .copied()
            .filter(|e| pool.symbols_of(*e).contains(&x))
            .collect();
        let rate = rates(pool, &own, x)
            .iter()
            .fold(Number::ZERO, |g, r| g.content(r));
        let Some(turns) = rate.recip().filter(|_| rate.is_positive()) else {
            continue;
        };
        let period = pool.scale(pool.pi(), &turns.mul(&Number::from(2)));
        let length = TAU / rate.to_f64();
        let repeats = |e: &Expr| drift(pool, *e, x, period) == Some(pool.zero());
        if length.is_normal() && own.iter().all(repeats) {
            found.push((k, length));
        }
    }
    found
}

/// How often sines, cosines and tangents repeat while a symbol grows by 2 pi.
fn rates(pool: &Pool, equations: &[Expr], x: Expr) -> Vec<Number> {
    let mut list = Vec::new();
    pool.visit(equations, &mut |_, node| {
        if let Node::Apply(f, args) = node
            && let Some(period) = f.row().period
            && let Some(&angle) = args.first()
            && pool.symbols_of(angle).contains(&x)
            && let Some(rate) = rate(pool, angle, x)
        {
            // a half turn of a tangent is a whole one
            let Some(turns) = Number::ratio(2, period) else {
                return;
            };
            let rate = rate.mul(&turns);
            if !list.contains(&rate) {
                list.push(rate);
            }
        }
    });
    list
}

/// The size of the coefficient of x as a term of an angle; what else there is of x in it is left to
/// [`drift`] to judge.
fn rate(pool: &Pool, angle: Expr, x: Expr) -> Option<Number> {
    let own = match &*pool.node(angle) {
        Node::Sum(_, terms) => terms.iter().find(|(t, _)| *t == x).map(|(_, k)| k.clone()),
        _ => None,
    };
    let own = own.or_else(|| pool.as_number(pool.derivative(angle, x)));
    own.map(|k| k.abs())
}

/// Half a period and a little more, so that two of them hold every number of a whole one: half of the
/// nearest double to 2 pi is less than pi.
pub fn half_turn(period: f64) -> f64 {
    0.5 * period * (1.0 + 1e-12)
}

/// The period of a variable, where it is an angle.
pub fn period_of(periods: &[(usize, f64)], k: usize) -> Option<f64> {
    let angle = periods.iter().find(|(angle, _)| *angle == k);
    angle.map(|(_, period)| *period)
}

/// Does a side hold a whole turn, but for rounding?
pub fn goes_round((lo, hi): (f64, f64), period: f64) -> bool {
    hi - lo >= period * (1.0 - 1e-12)
}

/// A difference without whole turns, where it is one of angles.
pub fn within_a_turn(off: f64, period: Option<f64>) -> f64 {
    period.map_or(off, |period| off - period * (off / period).round())
}

/// Can this factor vanish at all, with the parameters as they are? (A sufficient test says no.)
pub fn can_vanish(system: &System, factor: Expr) -> bool {
    let pool = &system.pool;
    // an exponential has no zero, and a sign is zero only where the constraint has a kink
    if let Node::Apply(Function::Exp | Function::Cosh | Function::Sign, _) = &*pool.node(factor) {
        return false;
    }
    !has_no_zero(pool, pool.substitute(factor, &system.exact_parameters(&[])))
}

/// Do bounds over all values of its symbols leave out 0? (No says nothing. An exponential comes too near it.)
pub(super) fn has_no_zero(pool: &Pool, e: Expr) -> bool {
    !pool.bounds(e, &|_| Interval::ALL).contains(0.0)
}

/// Is an expression zero everywhere with the parameters as they are?
pub fn vanishes_here(system: &System, e: Expr) -> bool {
    let pool = &system.pool;
    pool.is_zero(pool.substitute(e, &system.exact_parameters(&[]))) == Some(true)
}

#[cfg(test)]
mod tests;
