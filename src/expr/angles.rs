//! Sums and multiples of angles.
//!
//! The arguments of sin, cos, tan (or of sinh, cosh, tanh) of one expression may depend on each other over
//! the rationals: a, b and a - b, or w*t and 2*w*t. [`bases`] chooses *base angles* of which all of them
//! are whole multiples and sums; with
//!
//! ```text
//! cos(n1 a1 + n2 a2 + ...) + i sin(n1 a1 + n2 a2 + ...) = prod (cos(a_k) + i sin(a_k))^n_k
//! cosh(...) + j sinh(...) = prod (cosh(a_k) + j sinh(a_k))^n_k            j^2 = 1
//! ```
//!
//! every one is a polynomial in the sines and cosines of the base angles, and equal expressions are
//! seen to be equal. [`Series`] goes the other way: products of sines and cosines as a sum over multiples,
//! `cos(a) cos(b) + sin(a) sin(b) = cos(a - b)`.

use super::echelon::reduced;
use super::number::Number;
use super::pool::{Expr, Pool};
use super::print::first_difference;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// Arguments of more terms than this stand for themselves.
const MOST_TERMS: usize = 6;
/// More arguments than this, and each stands for itself.
const MOST_ARGUMENTS: usize = 16;
/// The largest multiple of a base angle that is expanded.
const LARGEST_MULTIPLE: i64 = 8;

/// An argument in base angles, each with its multiple; pi's part stands apart.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Angle {
    pub(super) multiples: Vec<(Expr, i64)>,
    /// the rational multiple of pi in it
    pub(super) turns: Number,
}

/// A linear combination of expressions that are neither sums nor numbers (1 for the constant).
type Linear = Vec<(Expr, Number)>;

/// Base angles for these arguments, and the arguments in them.
pub(super) fn bases(pool: &Pool, arguments: &[Expr]) -> FxHashMap<Expr, Angle> {
    let mut found = FxHashMap::default();
    let mut split: Vec<(Expr, Linear, Number)> = Vec::new();
    let mut seen = FxHashSet::default();
    for &e in arguments.iter().filter(|e| seen.insert(**e)) {
        let (linear, turns) = linear(pool, e);
        // other multiples of pi have no exact value
        if special(&turns) && linear.len() <= MOST_TERMS {
            split.push((e, linear, turns));
        }
        if split.len() > MOST_ARGUMENTS {
            return found;
        }
    }
    // directions: multiples of each other are one, in units of their common measure
    let mut directions: Vec<(Linear, Number)> = Vec::new();
    for (_, linear, _) in &split {
        let Some((size, direction)) = direction(linear) else {
            continue;
        };
        match directions.iter_mut().find(|(d, _)| *d == direction) {
            Some((_, unit)) => *unit = unit.content(&size),
            None => directions.push((direction, size.abs())),
        }
    }
    directions.sort_by(|(a, _), (b, _)| {
        let order = |p: &(Expr, Number), q: &(Expr, Number)| {
            pool.structural_order(p.0, q.0).then_with(|| p.1.cmp(&q.1))
        };
        a.len()
            .cmp(&b.len())
            .then_with(|| first_difference(a, b, order))
    });
    let mut units: Vec<Linear> = directions
        .into_iter()
        .map(|(d, unit)| scaled(&d, &unit))
        .collect();
    // those that depend on earlier ones are written in them
    let mut base: Vec<Linear> = Vec::new();
    let mut own: Vec<Linear> = Vec::new();
    for unit in units.drain(..) {
        match combination(&base, &unit) {
            None => base.push(unit),
            Some(parts) => {
                let finer: Vec<Number> = parts.iter().map(Number::denominator).collect();
                let coarse = parts
                    .iter()
                    .any(|q| q.denominator() > Number::from(LARGEST_MULTIPLE));
                if coarse {
                    own.push(unit);
                    continue;
                }
                for (b, d) in base.iter_mut().zip(finer) {
                    if let Some(part) = d.recip() {
                        *b = scaled(b, &part);
                    }
                }
            }
        }
    }
    for (e, linear, turns) in split {
        if linear.is_empty() {
            found.insert(
                e,
                Angle {
                    multiples: Vec::new(),
                    turns,
                },
            );
            continue;
        }
        if own
            .iter()
            .any(|o| combination(std::slice::from_ref(o), &linear).is_some())
        {
            continue;
        }
        let Some(parts) = combination(&base, &linear) else {
            continue;
        };
        let multiples: Option<Vec<(Expr, i64)>> = parts
            .iter()
            .zip(&base)
            .filter(|(q, _)| !q.is_zero())
            .map(|(q, b)| {
                let n = q.to_i64().filter(|n| n.abs() <= LARGEST_MULTIPLE)?;
                Some((expression(pool, b), n))
            })
            .collect();
        if let Some(multiples) = multiples {
            found.insert(e, Angle { multiples, turns });
        }
    }
    found
}

/// Is the sine of this multiple of pi known?
fn special(turns: &Number) -> bool {
    turns
        .mul(&Number::from(12))
        .to_i64()
        .is_some_and(|n| n % 2 == 0 || n % 3 == 0)
}

/// An expression as a linear combination, and the multiple of pi in it.
fn linear(pool: &Pool, e: Expr) -> (Linear, Number) {
    let (constant, mut list) = pool.linear_terms(e);
    list.push((pool.one(), constant));
    let pi = pool.pi();
    let turns = list
        .iter()
        .find(|(t, _)| *t == pi)
        .map_or(Number::ZERO, |(_, k)| k.clone());
    list.retain(|(t, k)| *t != pi && !k.is_zero());
    // the constant last: the sign of an angle is that of its first term
    list.sort_by_key(|(t, _)| (*t == pool.one(), *t));
    (list, turns)
}

/// Scaled so that the first coefficient is 1, with the scale taken out.
fn direction(linear: &Linear) -> Option<(Number, Linear)> {
    let first = linear.first()?.1.clone();
    Some((first.clone(), scaled(linear, &first.recip()?)))
}

fn scaled(linear: &Linear, by: &Number) -> Linear {
    linear.iter().map(|(t, k)| (*t, k.mul(by))).collect()
}

fn expression(pool: &Pool, linear: &Linear) -> Expr {
    let parts: Vec<Expr> = linear.iter().map(|(t, k)| pool.scale(*t, k)).collect();
    pool.sum(parts)
}

/// The rationals q with `target = sum q_k base_k`, the bases being independent; `None` where there are none.
fn combination(base: &[Linear], target: &Linear) -> Option<Vec<Number>> {
    let all = || base.iter().chain([target]);
    let mut columns: Vec<Expr> = all().flatten().map(|(t, _)| *t).collect();
    columns.sort_unstable();
    columns.dedup();
    let entry = |l: &Linear, t: Expr| {
        l.iter()
            .find(|(u, _)| *u == t)
            .map_or(Number::ZERO, |(_, k)| k.clone())
    };
    // one equation a column: sum_k q_k base_k[column] = target[column]
    let equations = columns
        .iter()
        .map(|t| all().map(|l| entry(l, *t)).collect());
    let (n, rows) = (base.len(), reduced(equations));
    // 0 = 1 has its 1 behind the unknowns
    if rows.len() != n || rows.iter().any(|(place, _)| *place == n) {
        return None;
    }
    Some(rows.iter().map(|(_, row)| row[n].clone()).collect())
}

/// A finite Fourier series in several angles: complex coefficients by multiples. With `hyperbolic` i is
/// the j of j^2 = 1, and the terms are cosh and sinh.
#[derive(Clone, Debug)]
pub(super) struct Series {
    terms: BTreeMap<Vec<i64>, (Number, Number)>,
    hyperbolic: bool,
}

/// Which of the two functions, by multiples of the angles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wave {
    Even,
    Odd,
}

impl Series {
    /// A constant.
    pub(super) fn constant(value: &Number, angles: usize, hyperbolic: bool) -> Self {
        let terms = BTreeMap::from([(vec![0; angles], (value.clone(), Number::ZERO))]);
        Self { terms, hyperbolic }
    }

    /// Times `cos^p sin^q` of one of the angles (or cosh, sinh).
    #[must_use]
    pub(super) fn times(&self, angle: usize, wave: Wave, power: u32) -> Self {
        let mut result = self.clone();
        for _ in 0..power {
            let mut next: BTreeMap<Vec<i64>, (Number, Number)> = BTreeMap::new();
            for (n, (re, im)) in &result.terms {
                for step in [1, -1] {
                    let mut at = n.clone();
                    at[angle] += step;
                    // cos = (e + 1/e)/2, sin = (e - 1/e)/(2 i)
                    let (re, im) = match wave {
                        Wave::Even => (re.clone(), im.clone()),
                        Wave::Odd => {
                            let sign = Number::from(step);
                            let turned = if self.hyperbolic {
                                re.clone()
                            } else {
                                re.neg()
                            };
                            (im.mul(&sign), turned.mul(&sign))
                        }
                    };
                    let place = next.entry(at).or_insert((Number::ZERO, Number::ZERO));
                    place.0 = place.0.add(&re.mul(&Number::HALF));
                    place.1 = place.1.add(&im.mul(&Number::HALF));
                }
            }
            result.terms = next;
        }
        result
    }

    /// Adds another.
    pub(super) fn add(&mut self, other: &Self) {
        for (n, (re, im)) in &other.terms {
            let place = self
                .terms
                .entry(n.clone())
                .or_insert((Number::ZERO, Number::ZERO));
            place.0 = place.0.add(re);
            place.1 = place.1.add(im);
        }
    }

    /// The real terms: multiples (the first that is not 0 positive), cosine or sine, coefficient.
    pub(super) fn waves(&self) -> Vec<(Vec<i64>, Wave, Number)> {
        let mut list = Vec::new();
        for (n, (re, im)) in self.terms.iter().rev() {
            let first = n.iter().find(|k| **k != 0).copied().unwrap_or(0);
            if first < 0 {
                continue;
            }
            let times = Number::from(if first == 0 { 1 } else { 2 });
            // e^(inu) (re + i im) and its mirror image: 2 re cos(nu) - 2 im sin(nu); j^2 = 1 turns the sign
            let odd = if self.hyperbolic {
                im.clone()
            } else {
                im.neg()
            };
            for (wave, k) in [(Wave::Even, re.mul(&times)), (Wave::Odd, odd.mul(&times))] {
                if !k.is_zero() && (first != 0 || wave == Wave::Even) {
                    list.push((n.clone(), wave, k));
                }
            }
        }
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::SymbolKind;

    #[test]
    fn base_angles_are_as_coarse_as_can_be() {
        let p = Pool::new();
        let [a, b] = [0, 1].map(|index| {
            p.symbol(
                ["a", "b"][index],
                SymbolKind::Coordinate { index, order: 0 },
            )
        });
        let two_a = p.scale(a, &Number::from(2));
        let three_a = p.scale(a, &Number::from(3));
        let difference = p.sub(a, b);
        let of = |list: &[Expr], e: Expr| bases(&p, list)[&e].multiples.clone();
        assert_eq!(of(&[two_a], two_a), [(two_a, 1)]);
        assert_eq!(of(&[two_a, three_a], three_a), [(a, 3)]);
        assert_eq!(of(&[difference], difference), [(difference, 1)]);
        assert_eq!(of(&[difference, b, a], difference), [(a, 1), (b, -1)]);
        // a half of what was there before
        let mean = p.scale(p.add(a, b), &Number::HALF);
        let half = p.scale(a, &Number::HALF);
        assert_eq!(of(&[a, b, mean], a), [(half, 2)]);
    }

    #[test]
    fn products_are_sums_over_multiples() {
        for hyperbolic in [false, true] {
            // odd(a) odd(b) even(b) at a = 0.7, b = 0.3
            let one = Series::constant(&Number::ONE, 2, hyperbolic);
            let series = one
                .times(0, Wave::Odd, 1)
                .times(1, Wave::Odd, 1)
                .times(1, Wave::Even, 1);
            let f = |wave: Wave, u: f64| match (wave, hyperbolic) {
                (Wave::Even, false) => u.cos(),
                (Wave::Odd, false) => u.sin(),
                (Wave::Even, true) => u.cosh(),
                (Wave::Odd, true) => u.sinh(),
            };
            let value: f64 = series
                .waves()
                .iter()
                .map(|(n, wave, k)| k.to_f64() * f(*wave, n[0] as f64 * 0.7 + n[1] as f64 * 0.3))
                .sum();
            let wanted = f(Wave::Odd, 0.7) * f(Wave::Odd, 0.3) * f(Wave::Even, 0.3);
            assert!(
                (value - wanted).abs() < 1e-14,
                "{hyperbolic}: {value} {wanted}"
            );
        }
    }
}
