//! Where a function of one variable changes suddenly: on parts of a range that are short beside all of it.
//!
//! Parts on which the bounds of the function are narrow are left, the others halved, until they get no shorter together. What changes
//! all along the range, a sine or a ramp, has no such place; a pulse has one, and a jump one that is a point.

use super::function::{BoxFunction, Trace};
use crate::expr::{Expr, Interval, Pool};

/// Bounds narrower than this part of the largest value are narrow.
const QUIET: f64 = 1e-3;
/// All such places together are no longer than this part of the range.
const SHORT: f64 = 1.0 / 64.0;
/// Halves that are looked at at a time, at most.
const MOST: usize = 64;
/// Where so much is left by a halving it has come to what it is,
const LEAST_GAIN: f64 = 0.7;
/// after so many in turn.
const IN_TURN: usize = 2;
/// A part of so many units in the last place is a point.
const POINT: f64 = 8.0;

/// The places in a range of `variable`, in order; `constants` are the other symbols of the function.
pub fn sudden(
    pool: &Pool,
    function: Expr,
    (variable, range): (Expr, Interval),
    constants: &[(Expr, f64)],
) -> Vec<Interval> {
    let symbols = constants.iter().map(|(symbol, _)| *symbol);
    let symbols: Vec<Expr> = std::iter::once(variable).chain(symbols).collect();
    let function = BoxFunction::new(pool, &symbols, &[function]);
    let mut inputs = vec![range];
    inputs.extend(constants.iter().map(|(_, value)| Interval::point(*value)));
    let mut trace = Trace::default();
    let mut bounds = |part: Interval| {
        inputs[0] = part;
        let mut out = [Interval::ALL];
        function.eval(&inputs, &mut trace, &mut out);
        out[0]
    };
    let whole = bounds(range);
    if !whole.is_bounded() || range.width() <= 0.0 {
        return Vec::new();
    }
    let narrow = QUIET * whole.magnitude();
    let length = |parts: &[Interval]| parts.iter().map(|part| part.width()).sum::<f64>();
    let mut busy = vec![range];
    let mut settled = 0;
    loop {
        let last = length(&busy);
        let least = POINT * f64::EPSILON * range.magnitude();
        if busy.is_empty() || last <= least * busy.len() as f64 || settled == IN_TURN {
            break;
        }
        let halves = busy.iter().flat_map(|part| {
            let middle = part.middle();
            [
                Interval::new(part.lo, middle),
                Interval::new(middle, part.hi),
            ]
        });
        let next: Vec<Interval> = halves
            .filter(|half| bounds(*half).width() > narrow)
            .collect();
        if next.len() > MOST {
            break;
        }
        let is_short = length(&next) <= SHORT * range.width();
        settled = if is_short && length(&next) > LEAST_GAIN * last {
            settled + 1
        } else {
            0
        };
        busy = next;
    }
    if length(&busy) > SHORT * range.width() {
        return Vec::new();
    }
    let mut places: Vec<Interval> = Vec::new();
    for part in busy {
        match places.last_mut() {
            Some(last) if last.hi >= part.lo => *last = Interval::new(last.lo, part.hi),
            _ => places.push(part),
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{Function, Number, SymbolKind};

    fn places(make: impl Fn(&Pool, Expr) -> Expr) -> Vec<Interval> {
        let pool = Pool::default();
        let t = pool.symbol("t", SymbolKind::Time);
        let function = make(&pool, t);
        sudden(&pool, function, (t, Interval::new(0.0, 100.0)), &[])
    }

    #[test]
    fn a_pulse_and_a_jump_have_a_place_and_a_sine_and_a_ramp_have_none() {
        let since =
            |p: &Pool, t: Expr, start: &str| p.sub(t, p.number(Number::parse(start).unwrap()));
        let pulse = places(|p, t| {
            let own = p.div(
                since(p, t, "50.0123"),
                p.number(Number::parse("0.001").unwrap()),
            );
            p.apply(Function::Exp, p.neg(p.powi(own, 2)))
        });
        let [pulse] = pulse.as_slice() else {
            panic!("{pulse:?}");
        };
        assert!(
            pulse.lo < 50.0105 && pulse.hi > 50.0141 && pulse.width() < 0.02,
            "{pulse:?}"
        );
        let jump = places(|p, t| p.apply(Function::Sign, since(p, t, "50.0123")));
        assert!(
            jump.len() == 1 && jump[0].contains(50.0123) && jump[0].width() < 1e-12,
            "{jump:?}"
        );
        assert!(places(|p, t| p.apply(Function::Sin, t)).is_empty());
        assert!(places(|p, t| p.powi(since(p, t, "50"), 2)).is_empty());
        assert!(places(|p, t| p.powi(since(p, t, "50"), -1)).is_empty());
        let switched = places(|p, t| {
            p.apply(
                Function::Sign,
                p.apply(Function::Sin, p.scale(t, &Number::HALF)),
            )
        });
        assert_eq!(switched.len(), 16, "{switched:?}");
    }
}
