//! Taking common factors out of sums without multiplying anything out: `a*(x + y) + b*(x + y)` becomes
//! `(a + b)*(x + y)`. For what is already in a good form, of which only the neighbours were not compared.

use super::number::Number;
use super::pool::{Expr, Factors, Node, Pool};
use super::tally::tally;
use std::borrow::Cow;

/// Longer sums are left as they are.
const MOST_TERMS: usize = 60;

impl Pool {
    /// The expression with factors that terms of a sum share taken out where that is shorter.
    pub fn joined(&self, e: Expr) -> Expr {
        self.rewritten(e, |node, mut value| {
            if matches!(node, Node::Sum(..)) {
                while let Some(shorter) = self.with_one_joined(value) {
                    value = shorter;
                }
            }
            value
        })
    }

    /// A sum with one factor taken out of those terms that have it; `None` where that is not shorter.
    fn with_one_joined(&self, e: Expr) -> Option<Expr> {
        let Node::Sum(constant, terms) = self.owned(e) else {
            return None;
        };
        if terms.len() > MOST_TERMS {
            return None;
        }
        let terms: Vec<(Number, Factors)> = terms
            .into_iter()
            .map(|(term, k)| (k, self.as_product(term).1))
            .collect();
        let mut shared: Vec<((Expr, Expr), u32)> = Vec::new();
        for &power in terms.iter().flat_map(|(_, factors)| factors) {
            tally(&mut shared, Cow::Owned(power), 1);
        }
        shared.retain(|(_, count)| *count > 1);
        let before = self.cost(e);
        shared
            .into_iter()
            .filter_map(|(power, _)| {
                let mut inside = Vec::new();
                let mut outside = vec![self.number(constant.clone())];
                for (k, factors) in &terms {
                    let has = factors.contains(&power);
                    let left = factors.iter().filter(|p| !has || **p != power);
                    let product = self.product(left.map(|&(b, x)| self.pow(b, x)));
                    let term = self.scale(product, k);
                    if has {
                        inside.push(term);
                    } else {
                        outside.push(term);
                    }
                }
                let inside = self.sum(inside);
                let taken = self.pow(power.0, power.1);
                outside.push(self.mul(taken, inside));
                let whole = self.sum(outside);
                let cost = self.cost(whole);
                (cost < before).then_some((cost, whole))
            })
            .min_by_key(|(cost, _)| *cost)
            .map(|(_, whole)| whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::SymbolKind;

    #[test]
    fn shared_factors_are_taken_out_and_nothing_is_multiplied() {
        let pool = Pool::new();
        let [a, b, c, x, y] = ["a", "b", "c", "x", "y"].map(|name| {
            pool.symbol(
                name,
                SymbolKind::Other(name.len() + name.as_bytes()[0] as usize),
            )
        });
        let sum = pool.add(x, y);
        let e = pool.sum([
            pool.mul(a, sum),
            pool.product([b, pool.powi(c, -1), sum]),
            pool.powi(sum, 2),
        ]);
        // (x + y)^2 is another power: it stays
        let factor = pool.add(a, pool.div(b, c));
        let wanted = pool.add(pool.mul(factor, sum), pool.powi(sum, 2));
        assert_eq!(pool.joined(e), wanted);
        assert_eq!(pool.is_zero(pool.sub(e, wanted)), Some(true));
        // nothing shared, nothing changed
        let other = pool.sum([pool.mul(a, x), pool.mul(b, y), c]);
        assert_eq!(pool.joined(other), other);
        // inside functions and roots too
        let root = pool.sqrt(e);
        assert_eq!(pool.joined(root), pool.sqrt(wanted));
    }
}
