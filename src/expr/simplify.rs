//! Simplification: the normal form of an expression, its factors, and what it is as a polynomial in
//! one of its symbols.

use super::factor::{Factored, factor};
use super::normal::Ring;
use super::poly::Poly;
use super::pool::{Expr, Node, Pool};

/// Trees larger than this are left as they are.
const LARGEST: usize = 20_000;
/// A normal form longer than this many times the expression, plus this, is no simplification: powers
/// of roots multiplied out are unreadable and lose digits.
const MUCH_LONGER: (usize, usize) = (2, 24);

/// The distinct factors of an expression.
#[derive(Clone, Debug)]
pub struct Factors {
    /// What is left when the factors are divided out: numbers, and the denominator.
    pub unit: Expr,
    /// Distinct factors of the numerator, with multiplicities; constants (in the parameters) among them.
    pub factors: Vec<(Expr, u32)>,
    /// False where a factor might split further.
    pub complete: bool,
}

impl Pool {
    /// The normal form of an expression: equal expressions (as rational functions of their symbols,
    /// function values and roots, under the relations of this module) come out the same. Where that
    /// would take too much work the expression itself.
    pub fn simplify(&self, e: Expr) -> Expr {
        if matches!(&*self.node(e), Node::Number(_) | Node::Symbol(_)) {
            return e;
        }
        if let Some(&known) = self.simplified.borrow().get(&e) {
            return known;
        }
        let result = self
            .normal(e)
            .filter(|&simple| self.size(simple) <= MUCH_LONGER.0 * self.size(e) + MUCH_LONGER.1)
            .unwrap_or(e);
        let mut memo = self.simplified.borrow_mut();
        memo.insert(e, result);
        memo.insert(result, result);
        result
    }

    fn normal(&self, e: Expr) -> Option<Expr> {
        if self.size(e) > LARGEST {
            return None;
        }
        let written = |ring: &mut Ring| {
            let fraction = ring.convert(e)?;
            let fraction = ring.reduce(&fraction)?;
            ring.written(&fraction)
        };
        let mut ring = Ring::new(self, &[e]);
        let result = written(&mut ring);
        if !ring.expanded {
            return result;
        }
        // sines of sums taken apart may be longer than they were
        match (result, written(&mut Ring::opaque(self))) {
            (Some(a), Some(b)) if self.cost(b) < self.cost(a) => Some(b),
            (a, b) => a.or(b),
        }
    }

    /// Is the expression identically zero? `None` where that could not be decided.
    pub fn is_zero(&self, e: Expr) -> Option<bool> {
        if let Some(n) = self.as_number(e) {
            return Some(n.is_zero());
        }
        let mut ring = Ring::new(self, &[e]);
        let fraction = ring.convert(e)?;
        let top = ring.reduce(&fraction)?.top;
        if top.is_zero() {
            return Some(true);
        }
        // function values and roots may depend on each other in ways that are not seen: sqrt(a*b) and
        // sqrt(a)*sqrt(b)
        let plain = top
            .variables()
            .iter()
            .all(|&v| matches!(&*self.node(ring.generators[v]), Node::Symbol(_)));
        (plain || ring.has_value(&top)).then_some(false)
    }

    /// The factors of an expression, those of the numerator of its normal form; for one too large
    /// the expression itself, not complete. Zero has no factors.
    pub fn factors(&self, e: Expr) -> Factors {
        self.factored(e).unwrap_or_else(|| Factors {
            unit: self.one(),
            factors: vec![(e, 1)],
            complete: false,
        })
    }

    fn factored(&self, e: Expr) -> Option<Factors> {
        if self.size(e) > LARGEST {
            return None;
        }
        let mut ring = Ring::new(self, &[e]);
        let fraction = ring.convert(e)?;
        let fraction = ring.reduce(&fraction)?;
        if fraction.top.is_zero() {
            return Some(Factors {
                unit: self.zero(),
                factors: Vec::new(),
                complete: true,
            });
        }
        let top = ring.shorter(&fraction.top);
        let Factored {
            unit,
            factors,
            complete,
        } = factor(&top, &ring.effort)?;
        let mut rest = vec![self.number(unit)];
        for (p, k) in &fraction.bottom {
            rest.push(self.powi(ring.expression(p), -i64::from(*k)));
        }
        Some(Factors {
            unit: self.product(rest),
            factors: factors
                .iter()
                .map(|(p, k)| (ring.expression(p), *k))
                .collect(),
            complete,
        })
    }

    /// The coefficients of an equation `e = 0` as a polynomial in the symbol `v`, lowest power
    /// first; `None` where `v` stands inside a function or a root, or the work is too much. The
    /// denominator is dropped: the second part names what must not be zero.
    pub fn polynomial_in(&self, e: Expr, v: Expr) -> Option<(Vec<Expr>, Vec<Expr>)> {
        let mut ring = Ring::new(self, &[e]);
        let place = ring.generator(v);
        let fraction = ring.convert(e)?;
        let fraction = ring.reduce(&fraction)?;
        let hidden = |p: &Poly| {
            p.variables()
                .into_iter()
                .any(|g| g != place && self.symbols_of(ring.generators[g]).contains(&v))
        };
        if hidden(&fraction.top) || fraction.bottom.iter().any(|(p, _)| hidden(p)) {
            return None;
        }
        let coefficients = fraction
            .top
            .coefficients(place)
            .iter()
            .map(|p| self.simplify(ring.expression(p)))
            .collect();
        let below = fraction
            .bottom
            .iter()
            .map(|(p, _)| ring.expression(p))
            .collect();
        Some((coefficients, below))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{Function, SymbolKind};

    fn coordinates(p: &Pool) -> [Expr; 3] {
        [0, 1, 2].map(|index| {
            p.symbol(
                ["x", "y", "z"][index],
                SymbolKind::Coordinate { index, order: 0 },
            )
        })
    }

    #[test]
    fn circles_and_squares() {
        let p = Pool::new();
        let [x, y, _] = coordinates(&p);
        let (s, c) = (p.apply(Function::Sin, x), p.apply(Function::Cos, x));
        let one = p.add(p.powi(s, 2), p.powi(c, 2));
        assert_eq!(p.simplify(one), p.one());
        let e = p.mul(y, p.sub(p.one(), p.powi(c, 2)));
        assert_eq!(p.print(p.simplify(e)), "y*sin(x)^2");
        assert_eq!(p.simplify(p.div(e, s)), p.mul(y, s));
        let root = p.sqrt(p.add(x, y));
        let e = p.sub(p.powi(p.add(root, p.one()), 2), p.mul(p.number(2), root));
        assert_eq!(p.print(p.simplify(e)), "x + y + 1");
    }

    #[test]
    fn fractions_cancel_and_print_apart() {
        let p = Pool::new();
        let [x, y, z] = coordinates(&p);
        let e = p.div(p.sub(p.powi(x, 2), p.powi(y, 2)), p.sub(x, y));
        assert_eq!(p.print(p.simplify(e)), "x + y");
        let e = p.add(z, p.div(y, p.mul(p.number(2), x)));
        assert_eq!(p.print(p.simplify(e)), "z + y/(2*x)");
        let e = p.sub(p.powi(p.add(x, y), 6), p.one());
        assert!(p.size(p.simplify(e)) < 60);
        let e = p.powi(p.sum([x, y, z]), 8);
        assert_eq!(p.print(p.simplify(e)), "(x + y + z)^8");
    }

    #[test]
    fn factors_of_a_determinant() {
        let p = Pool::new();
        let [x, y, z] = coordinates(&p);
        let det = p.sub(p.mul(x, z), p.mul(y, z));
        let found = p.factors(det);
        let printed: Vec<String> = found.factors.iter().map(|(f, _)| p.print(*f)).collect();
        assert_eq!(printed, ["z", "x - y"]);
        assert!(found.complete);
    }
}
