//! Exact numbers that may be meant by a point known roughly: fractions of small denominator, parts of pi, square roots of
//! fractions. Whether one of them is an equilibrium is shown by algebra; a wrong guess does no harm.

use super::value::{Field, Value};
use crate::expr::Number;

/// The smaller of numerator and denominator is no larger: in other units the other one grows,
const SMALLER: i64 = 1_000_000;
/// up to this.
const LARGEST: f64 = 1e18;
/// Those that speak for themselves,
const PLAIN: i64 = 60;
/// and those of parts of pi.
const OF_PI: i64 = 24;
/// How much farther off than it was last corrected a point may be, tried in turn.
const FARTHER: [f64; 3] = [8.0, 1e3, 1e5];

/// Guesses of all coordinates at once, nearer ones first.
pub fn guesses(field: Field, x: &[f64], reach: &[f64]) -> Vec<Vec<Value>> {
    let mut list: Vec<(Vec<f64>, Vec<Value>)> = Vec::new();
    for farther in FARTHER {
        let guess: Option<Vec<Value>> = x
            .iter()
            .zip(reach)
            .map(|(v, r)| one(field, *v, (farther * r).max(4.0 * f64::EPSILON * v.abs())))
            .collect();
        let Some(guess) = guess else { continue };
        let key: Vec<f64> = guess.iter().map(|v| v.range().middle()).collect();
        if list.iter().all(|(known, _)| *known != key) {
            list.push((key, guess));
        }
    }
    list.into_iter().map(|(_, guess)| guess).collect()
}

/// The fraction of least denominator this near.
pub fn plainest(v: f64, reach: f64) -> Option<Number> {
    let (p, q) = simplest(v - reach, v + reach)?;
    Number::ratio(p, q)
}

/// The plainest number this near.
fn one(field: Field, v: f64, reach: f64) -> Option<Value> {
    let fraction = simplest(v - reach, v + reach);
    if let Some((p, q)) = fraction
        && q <= PLAIN
    {
        return Number::ratio(p, q).map(Value::Number);
    }
    let turns = v / std::f64::consts::PI;
    let slack = reach / std::f64::consts::PI + 4.0 * f64::EPSILON * turns.abs();
    if let Some((p, q)) = simplest(turns - slack, turns + slack)
        && q <= OF_PI
    {
        return Some(field.part(&field.constant(field.pool.pi()), p, q));
    }
    let slack = 2.0 * reach * v.abs() + reach * reach + 4.0 * f64::EPSILON * v * v;
    if let Some((p, q)) = simplest(v * v - slack, v * v + slack)
        && q <= PLAIN
    {
        let root = field.power(&Value::Number(Number::ratio(p, q)?), &Number::HALF)?;
        return Some(if v < 0.0 { field.neg(&root) } else { root });
    }
    let (p, q) = fraction?;
    Number::ratio(p, q).map(Value::Number)
}

/// The fraction of least denominator between two numbers (Stern and Brocot); `None` where all are large.
fn simplest(lo: f64, hi: f64) -> Option<(i64, i64)> {
    if !(lo.is_finite() && hi.is_finite()) || lo.abs().max(hi.abs()) > LARGEST {
        return None;
    }
    if lo <= 0.0 && hi >= 0.0 {
        return Some((0, 1));
    }
    if hi < 0.0 {
        return simplest(-hi, -lo).map(|(p, q)| (-p, q));
    }
    // convergents: where the whole parts differ, the least whole number between them ends it
    let (mut a, mut b) = (lo, hi);
    let (mut p, mut q) = ((0_i64, 1_i64), (1_i64, 0_i64));
    for _ in 0..40 {
        let whole = a.ceil();
        let part = if whole <= b { whole } else { a.floor() } as i64;
        p = (p.1, part.checked_mul(p.1)?.checked_add(p.0)?);
        q = (q.1, part.checked_mul(q.1)?.checked_add(q.0)?);
        if p.1.min(q.1) > SMALLER {
            return None;
        }
        if whole <= b {
            return Some((p.1, q.1));
        }
        let (low, high) = (a - part as f64, b - part as f64);
        (a, b) = (1.0 / high, 1.0 / low);
        if !b.is_finite() {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plainest_fraction_between() {
        assert_eq!(simplest(-0.1, 0.2), Some((0, 1)));
        assert_eq!(simplest(0.33, 0.34), Some((1, 3)));
        assert_eq!(simplest(-1.2501, -1.2499), Some((-5, 4)));
        assert_eq!(simplest(0.373 - 1e-9, 0.373 + 1e-9), Some((373, 1000)));
        assert_eq!(simplest(2.0 - 1e-12, 2.0 + 1e-12), Some((2, 1)));
        assert_eq!(simplest(1.9, 3.1), Some((2, 1)));
        let around = |v: f64| simplest(v - 1e-9 * v, v + 1e-9 * v);
        assert_eq!(around(1.34e-5), Some((67, 5_000_000)));
        assert_eq!(around(3.0 / 16.0 * 1e9), Some((187_500_000, 1)));
    }
}
