//! Squares gathered again: what was multiplied out on the way, `y^2 - 2 x y + x^2`, reads `(x - y)^2`.

use crate::expr::{Expr, Node, Number, Pool};

/// Sums of more terms stay as they are.
const MOST_TERMS: usize = 24;

/// The expression with the squares in each of these symbols completed, where that makes a sum shorter.
pub fn gathered(pool: &Pool, e: Expr, symbols: &[Expr]) -> Expr {
    pool.rewritten(e, |node, rebuilt| {
        let is_sum = matches!(node, Node::Sum(_, terms) if (3..=MOST_TERMS).contains(&terms.len()));
        is_sum
            .then(|| completed(pool, rebuilt, symbols))
            .flatten()
            .filter(|&shorter| pool.size(shorter) < pool.size(rebuilt))
            .unwrap_or(rebuilt)
    })
}

/// All squares of a sum completed: `k y^2 + b y = k (y + b/(2k))^2 - b^2/(4k)`.
fn completed(pool: &Pool, sum: Expr, symbols: &[Expr]) -> Option<Expr> {
    let inside = pool.symbols_of(sum);
    let mut squares = Vec::new();
    let mut rest = sum;
    for &y in symbols.iter().filter(|y| inside.contains(y)) {
        let slope = pool.derivative(rest, y);
        let lead = pool.as_number(pool.scale(pool.derivative(slope, y), &Number::HALF));
        let Some(lead) = lead.filter(|k| !k.is_zero()) else {
            continue;
        };
        let half = pool.scale(pool.without(slope, &[y]), &Number::HALF.div(&lead)?);
        let square = pool.scale(pool.powi(pool.add(y, half), 2), &lead);
        rest = pool.reduced(pool.sub(rest, square));
        squares.push(square);
    }
    if squares.is_empty() {
        return None;
    }
    squares.push(rest);
    Some(pool.sum(squares))
}
