//! What a person would still write otherwise when a formula is done: `sin(u)^2` for `1 - cos(u)^2`, and the difference
//! of two squares for the product of sum and difference, where that is no longer.

use super::function::Function;
use super::number::Number;
use super::pool::{Expr, Factors, Node, Pool};
use rustc_hash::FxHashMap;

/// Squares are looked for among at most so many sums that are multiplied.
const MOST_SUMS: usize = 12;

impl Pool {
    /// The expression with squares in the place of what makes them, where that is no longer.
    pub fn tidied(&self, e: Expr) -> Expr {
        let mut done: FxHashMap<Expr, Expr> = FxHashMap::default();
        self.visit(&[e], &mut |whole, _| {
            let map = &mut |child| done.get(&child).copied().unwrap_or(child);
            let value = self.rebuild(whole, map);
            let tidy = match &*self.node(value) {
                Node::Sum { constant, terms } => match terms.as_slice() {
                    [(term, k)] => self.other_square(*term, k, constant),
                    _ => None,
                },
                Node::Product {
                    coefficient,
                    factors,
                } => self.difference_of_squares(coefficient, factors),
                _ => None,
            };
            done.insert(whole, tidy.unwrap_or(value));
        });
        done.get(&e).copied().unwrap_or(e)
    }

    /// `n - n*cos(u)^2` as `n*sin(u)^2`, and its relatives.
    fn other_square(&self, term: Expr, k: &Number, constant: &Number) -> Option<Expr> {
        let Node::Product { factors, .. } = &*self.node(term) else {
            return None;
        };
        let &[(base, exponent)] = factors.as_slice() else {
            return None;
        };
        let Node::Apply(function, arguments) = &*self.node(base) else {
            return None;
        };
        if self.as_number(exponent) != Some(Number::from(2)) {
            return None;
        }
        // sin^2 = 1 - cos^2, cosh^2 = 1 + sinh^2
        let (other, opposite) = match function {
            Function::Cos => (Function::Sin, true),
            Function::Sin => (Function::Cos, true),
            Function::Cosh => (Function::Sinh, true),
            Function::Sinh => (Function::Cosh, false),
            _ => return None,
        };
        let fits = if opposite {
            *constant == k.neg()
        } else {
            constant == k
        };
        let size = match function {
            Function::Cosh => k,
            _ => constant,
        };
        let square = self.powi(self.apply(other, arguments[0]), 2);
        fits.then(|| self.scale(square, size))
    }

    /// `(a + b)*(a - b)` as `a^2 - b^2`, where that is no longer.
    fn difference_of_squares(&self, coefficient: &Number, factors: &Factors) -> Option<Expr> {
        let sums: Vec<usize> = (0..factors.len())
            .filter(|&i| {
                let unit = self
                    .as_number(factors[i].1)
                    .is_some_and(|q| q.abs().is_one());
                unit && matches!(&*self.node(factors[i].0), Node::Sum { .. })
            })
            .collect();
        // nobody looks for squares in a product of more, and each pair costs the whole of it
        if sums.len() > MOST_SUMS {
            return None;
        }
        let rebuilt = |skip: [usize; 2], square: (Expr, Expr)| {
            let kept = factors
                .iter()
                .enumerate()
                .filter(|(i, _)| !skip.contains(i));
            let kept = kept.map(|(_, (base, x))| self.pow(*base, *x));
            let number = self.number(coefficient.clone());
            self.product(kept.chain([number, self.pow(square.0, square.1)]))
        };
        let whole = rebuilt([usize::MAX; 2], (self.one(), self.one()));
        let pairs = sums
            .iter()
            .enumerate()
            .flat_map(|(place, &i)| sums[place + 1..].iter().map(move |&j| (i, j)));
        for (i, j) in pairs {
            let ((a, power), (b, other)) = (factors[i], factors[j]);
            if power != other || !self.shares_a_term(a, b) {
                continue;
            }
            let half = |e: Expr| self.scale(e, &Number::HALF);
            let (sum, difference) = (half(self.add(a, b)), half(self.sub(a, b)));
            let squares = self.sub(self.powi(sum, 2), self.powi(difference, 2));
            let written = rebuilt([i, j], (squares, power));
            if self.cost(written) <= self.cost(whole) {
                return Some(written);
            }
        }
        None
    }

    /// Have two sums a term in common, but for its sign?
    fn shares_a_term(&self, a: Expr, b: Expr) -> bool {
        let (
            Node::Sum {
                constant: c,
                terms: own,
            },
            Node::Sum {
                constant: d,
                terms: others,
            },
        ) = (&*self.node(a), &*self.node(b))
        else {
            return false;
        };
        let number = !c.is_zero() && c.abs() == d.abs();
        number
            || own
                .iter()
                .any(|(e, k)| others.iter().any(|(f, l)| e == f && k.abs() == l.abs()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::SymbolKind;

    #[test]
    fn squares_are_written_as_squares_where_that_is_no_longer() {
        let p = Pool::new();
        let name = |name: &str, index| p.symbol(name, SymbolKind::Coordinate { index, order: 0 });
        let (x, y) = (name("x", 0), name("y", 1));
        let l = p.symbol("l", SymbolKind::Parameter(0));
        let square = |f, u| p.powi(p.apply(f, u), 2);
        let tidy = |e| p.print(p.tidied(e));
        let one_less = |e| p.sub(p.one(), e);
        assert_eq!(
            tidy(p.mul(l, one_less(square(Function::Cos, x)))),
            "l*sin(x)^2"
        );
        assert_eq!(tidy(p.neg(one_less(square(Function::Sin, x)))), "-cos(x)^2");
        assert_eq!(tidy(p.add(p.one(), square(Function::Sinh, x))), "cosh(x)^2");
        assert_eq!(tidy(p.sub(square(Function::Cosh, x), p.one())), "sinh(x)^2");
        assert_eq!(tidy(one_less(p.powi(x, 2))), "1 - x^2");
        let (d, other) = (p.sub(x, y), p.sub(y, x));
        let product = p.mul(p.sub(d, l), p.sub(other, l));
        assert_eq!(tidy(product), "l^2 - (x - y)^2");
        assert_eq!(tidy(p.div(l, product)), "l/(l^2 - (x - y)^2)");
        // no longer is the condition
        let long = p.mul(p.sum([x, y, l]), p.sum([x, y, p.number(3)]));
        assert_eq!(p.tidied(long), long);
        let plain = p.mul(p.add(x, l), p.sub(x, l));
        assert_eq!(tidy(plain), "x^2 - l^2");
    }
}
