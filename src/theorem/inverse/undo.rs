//! Functions of inverse functions, as they arise when an inverse is put into an equation.
//!
//! ```text
//! sin(asin u) = u            cos(asin u) = sqrt(1 - u^2)      sin(acos u) = sqrt(1 - u^2)
//! sin(atan u) = u/r          cos(atan u) = 1/r,  r = sqrt(1 + u^2)
//! sin(atan2(y, x)) = y/r     cos(atan2(y, x)) = x/r,  r = sqrt(x^2 + y^2)
//! exp(k log u) = u^k         sinh, cosh, tanh by it           log(a^u) = u log a
//! atan2(k y, k x) = atan2(y, x) for k > 0
//! ```
//!
//! Sums are taken apart by the addition theorems. Each holds wherever the left side has a value.

use crate::expr::{Expr, Function, Node, Number, Pool};

/// Larger expressions stay as they are.
const LARGEST: usize = 20_000;
/// Multiples of an inverse function that are taken apart.
const MULTIPLES: i64 = 4;

/// The expression with functions of inverse functions carried out.
pub fn undone(pool: &Pool, e: Expr) -> Expr {
    let any = pool.any(&[e], |node| {
        matches!(
            node,
            Node::Apply(
                Function::Asin
                    | Function::Acos
                    | Function::Atan
                    | Function::Atan2
                    | Function::Log
                    | Function::Sign,
                _
            )
        )
    });
    if !any || pool.size(e) > LARGEST {
        return e;
    }
    pool.rewritten(e, |_, rebuilt| {
        carried_out(pool, rebuilt).unwrap_or(rebuilt)
    })
}

fn carried_out(pool: &Pool, e: Expr) -> Option<Expr> {
    let (f, args) = match pool.owned(e) {
        Node::Apply(f, args) => (f, args),
        Node::Product(coefficient, factors) => return without_signs(pool, &coefficient, &factors),
        _ => return None,
    };
    match f {
        Function::Sin | Function::Cos | Function::Tan => {
            let (sin, cos) = turned(pool, args[0])?;
            Some(match f {
                Function::Sin => sin,
                Function::Cos => cos,
                _ => pool.div(sin, cos),
            })
        }
        Function::Exp | Function::Sinh | Function::Cosh | Function::Tanh => {
            let up = exponential(pool, args[0])?;
            let down = pool.powi(up, -1);
            let half = |e| pool.scale(e, &Number::HALF);
            Some(match f {
                Function::Exp => up,
                Function::Sinh => half(pool.sub(up, down)),
                Function::Cosh => half(pool.add(up, down)),
                _ => pool.div(pool.sub(up, down), pool.add(up, down)),
            })
        }
        Function::Atan2 => direction(pool, args[0], args[1]),
        // a power with an exponent that is no number has a positive base
        Function::Log => match pool.owned(args[0]) {
            Node::Product(coefficient, factors) if coefficient.is_one() => match factors.as_slice()
            {
                &[(base, exponent)] if pool.as_number(exponent).is_none() => {
                    Some(pool.mul(exponent, pool.apply(Function::Log, base)))
                }
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

/// A product with `sign(u)^2` left out: it is 1 where the root that it came from has a derivative.
fn without_signs(pool: &Pool, coefficient: &Number, factors: &[(Expr, Expr)]) -> Option<Expr> {
    let mut any = false;
    let mut parts = vec![pool.number(coefficient.clone())];
    for &(base, exponent) in factors {
        let is_sign = matches!(&*pool.node(base), Node::Apply(Function::Sign, _));
        match pool
            .as_number(exponent)
            .filter(|k| is_sign && k.is_integer() && !k.is_one())
        {
            Some(k) => {
                any = true;
                if !k.is_even() {
                    parts.push(base);
                }
            }
            None => parts.push(pool.pow(base, exponent)),
        }
    }
    any.then(|| pool.product(parts))
}

/// Sine and cosine of a sum in which an inverse circular function stands.
fn turned(pool: &Pool, argument: Expr) -> Option<(Expr, Expr)> {
    let (angles, rest) = apart(pool, argument, |term, k| {
        let whole = k.to_i64().filter(|n| n.abs() <= MULTIPLES)?;
        Some((of_inverse(pool, term)?, whole))
    })?;
    let (start, turns) = (circular(pool, rest), angles.into_iter());
    Some(turns.fold(start, |total, (by, n)| turned_by(pool, total, by, n)))
}

/// What is said of some terms of a sum, and the sum of the others; `None` where nothing is said of any.
fn apart<T>(
    pool: &Pool,
    sum: Expr,
    of: impl Fn(Expr, &Number) -> Option<T>,
) -> Option<(Vec<T>, Expr)> {
    let (constant, list) = pool.linear_terms(sum);
    let mut rest = vec![pool.number(constant)];
    let mut said = Vec::new();
    for (term, k) in list {
        match of(term, &k) {
            Some(own) => said.push(own),
            None => rest.push(pool.scale(term, &k)),
        }
    }
    (!said.is_empty()).then(|| (said, pool.sum(rest)))
}

/// Sine and cosine of an angle.
pub(super) fn circular(pool: &Pool, angle: Expr) -> (Expr, Expr) {
    let sin = pool.apply(Function::Sin, angle);
    (sin, pool.apply(Function::Cos, angle))
}

/// Sine and cosine of an angle and n times another, from those of both.
pub(super) fn turned_by(
    pool: &Pool,
    start: (Expr, Expr),
    (sin, cos): (Expr, Expr),
    n: i64,
) -> (Expr, Expr) {
    let sin = if n < 0 { pool.neg(sin) } else { sin };
    (0..n.abs()).fold(start, |(s, c), _| {
        (
            pool.add(pool.mul(s, cos), pool.mul(c, sin)),
            pool.sub(pool.mul(c, cos), pool.mul(s, sin)),
        )
    })
}

/// Sine and cosine of an inverse circular function.
fn of_inverse(pool: &Pool, e: Expr) -> Option<(Expr, Expr)> {
    let Node::Apply(f, args) = pool.owned(e) else {
        return None;
    };
    let one = pool.one();
    let u = args[0];
    let other = || pool.sqrt(shorter(pool, pool.sub(one, pool.powi(u, 2))));
    match f {
        Function::Asin => Some((u, other())),
        Function::Acos => Some((other(), u)),
        Function::Atan => {
            let r = pool.sqrt(shorter(pool, pool.add(one, pool.powi(u, 2))));
            Some((pool.div(u, r), pool.powi(r, -1)))
        }
        Function::Atan2 => {
            let x = args[1];
            let squares = pool.add(pool.powi(u, 2), pool.powi(x, 2));
            let r = pool.sqrt(shorter(pool, squares));
            Some((pool.div(u, r), pool.div(x, r)))
        }
        _ => None,
    }
}

/// Simplified where that makes it shorter.
fn shorter(pool: &Pool, e: Expr) -> Expr {
    let simple = pool.reduced(e);
    if pool.size(simple) < pool.size(e) {
        simple
    } else {
        e
    }
}

/// `exp` of a sum in which a logarithm stands.
fn exponential(pool: &Pool, argument: Expr) -> Option<Expr> {
    // k log(u), and k q log(u)/log(a) as it stands
    let (mut factors, rest) = apart(pool, argument, |term, k| match &*pool.node(term) {
        Node::Apply(Function::Log, args) => Some(pool.pow(args[0], pool.number(k.clone()))),
        _ => None,
    })?;
    factors.push(pool.apply(Function::Exp, rest));
    Some(pool.product(factors))
}

/// `atan2` without a common factor that is known to be positive.
fn direction(pool: &Pool, y: Expr, x: Expr) -> Option<Expr> {
    let (y, x) = (pool.reduced(y), pool.reduced(x));
    let (up, along) = (parts(pool, y), parts(pool, x));
    let mut scale = Vec::new();
    if !up.0.is_zero() && !along.0.is_zero() {
        let size = up.0.content(&along.0).abs();
        scale.push(pool.number(size.recip()?));
    }
    for &(base, k) in &up.1 {
        let Some(&(_, other)) = along.1.iter().find(|(b, _)| *b == base) else {
            continue;
        };
        // the part that both have, as far as it has no sign
        let common = if k >= 0 {
            k.min(other).max(0)
        } else {
            k.max(other).min(0)
        };
        let positive = pool.is_non_negative(base);
        let common = if positive {
            common
        } else {
            common - common % 2
        };
        if common != 0 {
            scale.push(pool.powi(base, -common));
        }
    }
    let scale = pool.product(scale);
    if scale == pool.one() {
        return None;
    }
    let value = pool.atan2(
        pool.reduced(pool.mul(y, scale)),
        pool.reduced(pool.mul(x, scale)),
    );
    Some(value)
}

/// A numeric factor, and factors with whole exponents.
fn parts(pool: &Pool, e: Expr) -> (Number, Vec<(Expr, i64)>) {
    let found = pool.factors(e);
    let mut list: Vec<(Expr, i64)> = found
        .factors
        .iter()
        .map(|&(f, k)| (f, i64::from(k)))
        .collect();
    let (number, powers) = found.unit_parts(pool);
    list.extend(powers.into_iter().map(|(b, k)| {
        let whole = pool.as_number(k).and_then(|k| k.to_i64());
        whole.map_or_else(|| (pool.pow(b, k), 1), |k| (b, k))
    }));
    (number, list)
}
