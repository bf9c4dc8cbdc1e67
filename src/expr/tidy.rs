//! What a person would still write otherwise when a formula is done: `sin(u)^2` for `1 - cos(u)^2`, and the difference
//! of two squares for the product of sum and difference, where that is no longer.

use super::function::Function;
use super::number::Number;
use super::pool::{Expr, Factors, Node, Pool, SymbolKind};

/// Squares are looked for among at most so many sums that are multiplied.
const MOST_SUMS: usize = 12;

impl Pool {
    /// The expression with squares in the place of what makes them, where that is no longer.
    pub fn tidied(&self, e: Expr) -> Expr {
        self.rewritten(e, |_, value| {
            let tidy = match &*self.node(value) {
                Node::Sum(constant, terms) => match terms.as_slice() {
                    [(term, k)] => self.other_square(*term, k, constant),
                    _ => self.one_and_a_function(value),
                },
                Node::Product(_, factors) => self
                    .difference_of_squares(value, factors)
                    .or_else(|| self.one_quotient(value, factors))
                    .or_else(|| self.one_magnitude(value, factors)),
                _ => None,
            };
            tidy.unwrap_or(value)
        })
    }

    /// `n - n*cos(u)^2` as `n*sin(u)^2`, and its relatives.
    fn other_square(&self, term: Expr, k: &Number, constant: &Number) -> Option<Expr> {
        let (base, exponent) = self.as_power(term)?;
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

    /// A product with an expression in the place of some of its factors, where that is no longer.
    fn replaced(&self, whole: Expr, gone: &[usize], by: Expr) -> Option<Expr> {
        let Node::Product(coefficient, factors) = &*self.node(whole) else {
            return None;
        };
        let kept = factors.iter().enumerate();
        let kept = kept.filter(|(i, _)| !gone.contains(i));
        let kept = kept.map(|(_, (base, x))| self.pow(*base, *x));
        let number = self.number(coefficient.clone());
        let written = self.product(kept.chain([number, by]));
        (self.cost(written) <= self.cost(whole)).then_some(written)
    }

    /// `(a + b)*(a - b)` as `a^2 - b^2`, where that is no longer.
    fn difference_of_squares(&self, whole: Expr, factors: &Factors) -> Option<Expr> {
        let is_unit = |x: Expr| self.as_number(x).is_some_and(|q| q.abs().is_one());
        let sums = (0..factors.len()).filter(|&i| is_unit(factors[i].1));
        let sums: Vec<usize> = sums.filter(|&i| self.is_sum(factors[i].0)).collect();
        // nobody looks for squares in a product of more, and each pair costs the whole of it
        if sums.len() > MOST_SUMS {
            return None;
        }
        let mut pairs = sums
            .iter()
            .enumerate()
            .flat_map(|(place, &i)| sums[place + 1..].iter().map(move |&j| (i, j)));
        pairs.find_map(|(i, j)| {
            let ((a, power), (b, other)) = (factors[i], factors[j]);
            if power != other || !self.shares_a_term(a, b) {
                return None;
            }
            let half = |e: Expr| self.scale(e, &Number::HALF);
            let (sum, difference) = (half(self.add(a, b)), half(self.sub(a, b)));
            let squares = self.sub(self.powi(sum, 2), self.powi(difference, 2));
            self.replaced(whole, &[i, j], self.pow(squares, power))
        })
    }

    /// `(a/r + b)/r` as `a/r^2 + b/r`, and `(a*r + b)/r^2` as `(a + b/r)/r`, for a sum or a root r of one: where that is
    /// no longer, and r has to be other than 0 as before.
    fn one_quotient(&self, whole: Expr, factors: &Factors) -> Option<Expr> {
        let number = |i: usize| self.as_number(factors[i].1);
        let sums: Vec<usize> = (0..factors.len())
            .filter(|&i| self.is_sum(factors[i].0))
            .collect();
        let above = sums.iter().filter(|&&i| number(i) == Some(Number::ONE));
        let mut pairs = above.flat_map(|&i| sums.iter().map(move |&j| (i, j)));
        pairs.find_map(|(i, j)| {
            let power = number(j).filter(Number::is_negative)?;
            let (sum, r) = (self.terms(factors[i].0), factors[j].0);
            sum.iter().find(|t| self.power_in(**t, r).is_some())?;
            [Number::ONE.neg(), power.clone()].iter().find_map(|share| {
                let left = power.sub(share);
                let raised = |q: &Number| self.pow(r, self.number(q.clone()));
                // what has no r stays together
                let (own, rest): (Vec<Expr>, Vec<Expr>) =
                    sum.iter().partition(|t| self.power_in(**t, r).is_some());
                let parts = own.into_iter().chain([self.sum(rest)]);
                let divided: Vec<Expr> = parts.map(|t| self.mul(t, raised(share))).collect();
                let below = |t: &Expr| {
                    let own = self.power_in(*t, r).filter(Number::is_negative);
                    own.is_some_and(|q| power.is_integer() || !q.is_integer())
                };
                let fits = left.is_negative() || left.is_zero() && divided.iter().any(below);
                let by = fits.then(|| self.mul(raised(&left), self.sum(divided)))?;
                self.replaced(whole, &[i, j], by)
            })
        })
    }

    /// `abs(u)/abs(v)` as `abs(u/v)`.
    fn one_magnitude(&self, whole: Expr, factors: &Factors) -> Option<Expr> {
        let inside = |&(base, x): &(Expr, Expr)| match &*self.node(base) {
            Node::Apply(Function::Abs, arguments) => {
                let whole = self.as_number(x).is_some_and(|q| q.is_integer());
                whole.then(|| self.pow(arguments[0], x))
            }
            _ => None,
        };
        let places: Vec<usize> = (0..factors.len())
            .filter(|&i| inside(&factors[i]).is_some())
            .collect();
        let all = self.product(factors.iter().filter_map(inside));
        (places.len() > 1)
            .then(|| self.replaced(whole, &places, self.apply(Function::Abs, all)))
            .flatten()
    }

    /// `y + a - a*cos(u)` as `y + a*(1 - cos(u))`, a a parameter, where that takes no more operations.
    fn one_and_a_function(&self, sum: Expr) -> Option<Expr> {
        let terms = self.terms(sum);
        if terms.len() > MOST_SUMS {
            return None;
        }
        let parameter = |e: Expr| match self.as_product(e).1.as_slice() {
            [(base, x)] if *x == self.one() => self.symbol_kind(*base),
            _ => None,
        };
        let is_function = |e: Expr| matches!(&*self.node(e), Node::Apply(..));
        terms.iter().enumerate().find_map(|(i, &a)| {
            let Some(SymbolKind::Parameter(_)) = parameter(a) else {
                return None;
            };
            terms.iter().enumerate().find_map(|(j, &other)| {
                let f = self.div(other, a);
                if !is_function(f) && !is_function(self.neg(f)) {
                    return None;
                }
                let rest = terms.iter().enumerate();
                let rest = rest.filter(|(k, _)| ![i, j].contains(k)).map(|(_, t)| *t);
                let own = self.mul(a, self.add(self.one(), f));
                let written = self.sum(rest.chain([own]));
                (self.cost(written).operations <= self.cost(sum).operations).then_some(written)
            })
        })
    }

    fn is_sum(&self, e: Expr) -> bool {
        matches!(&*self.node(e), Node::Sum(..))
    }

    /// The terms of a sum, its constant among them.
    fn terms(&self, sum: Expr) -> Vec<Expr> {
        let Node::Sum(constant, terms) = &*self.node(sum) else {
            return vec![sum];
        };
        let constant = (!constant.is_zero()).then(|| self.number(constant.clone()));
        let terms = terms.iter().map(|(t, k)| self.scale(*t, k));
        terms.chain(constant).collect()
    }

    /// The power in which a product has a factor.
    fn power_in(&self, term: Expr, base: Expr) -> Option<Number> {
        match &*self.node(term) {
            Node::Product(_, factors) => {
                let own = factors.iter().find(|(b, _)| *b == base)?;
                self.as_number(own.1)
            }
            _ => None,
        }
    }

    /// Have two sums a term in common, but for its sign?
    fn shares_a_term(&self, a: Expr, b: Expr) -> bool {
        let others = self.terms(b);
        let is_there = |t: &Expr| others.contains(t) || others.contains(&self.neg(*t));
        self.terms(a).iter().any(is_there)
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

    #[test]
    fn what_a_person_writes_as_one_quotient_or_one_magnitude_is_one() {
        let p = Pool::new();
        let name = |name: &str, index| p.symbol(name, SymbolKind::Coordinate { index, order: 0 });
        let (x, y) = (name("x", 0), name("y", 1));
        let l = p.symbol("l", SymbolKind::Parameter(0));
        let tidy = |e| p.print(p.tidied(e));
        let u = p.sub(p.powi(l, 2), p.powi(x, 2));
        let root = p.sqrt(u);
        let nested = p.div(p.sub(p.div(y, root), x), root);
        assert_eq!(tidy(nested), "y/(l^2 - x^2) - x/sqrt(l^2 - x^2)");
        let nested = p.div(p.sub(p.mul(y, u), x), p.powi(u, 2));
        assert_eq!(tidy(nested), "(y + x/(x^2 - l^2))/(l^2 - x^2)");
        // it would have a value where it has none
        let all = p.div(p.sum([p.mul(y, root), p.mul(l, root)]), root);
        assert_eq!(p.tidied(all), all);
        let magnitude = |f, e| p.apply(Function::Abs, p.apply(f, e));
        let quotient = p.div(magnitude(Function::Cos, x), magnitude(Function::Sin, x));
        assert_eq!(tidy(quotient), "abs(cos(x)/sin(x))");
        let cos = p.apply(Function::Cos, x);
        let up = p.sum([y, p.neg(p.mul(l, cos)), l]);
        assert_eq!(tidy(up), "y + l*(1 - cos(x))");
        assert_eq!(tidy(p.sum([y, p.mul(y, cos), l])), "y*cos(x) + y + l");
    }
}
