//! Simplification: the normal form of an expression, and what it is as a polynomial in one of its
//! symbols.

use super::normal::Ring;
use super::poly::Poly;
use super::pool::{Expr, Node, Pool};
use crate::effort::{charge, is_overspent, is_spent};
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// Trees larger than this are left as they are.
pub(super) const LARGEST: usize = 20_000;
/// What a simplification counts beside the terms that it makes.
const ASKING: usize = 100;
/// Expressions up to this size are simplified whatever has been spent.
const SMALL: usize = 40;
/// A normal form longer than this many times the expression, plus this, is no simplification: powers
/// of roots multiplied out are unreadable and lose digits.
const MUCH_LONGER: (usize, usize) = (2, 24);

impl Pool {
    /// The normal form of an expression, in the shortest way to write it. Equal expressions come out the
    /// same in the classes that [`super::normal`] names. Where that would take too much work, or be much
    /// longer, the expression itself.
    pub fn simplify(&self, e: Expr) -> Expr {
        if self.is_undefined(e) {
            return e;
        }
        self.paid(&self.memory.simplified, e, || self.normal(e))
    }

    /// The normal form term by term, not tidied up for a reader: cheaper, and as good where only
    /// what an expression *is* counts.
    pub fn reduced(&self, e: Expr) -> Expr {
        self.paid(&self.memory.reduced, e, || {
            let mut ring = Ring::new(self, &[e]);
            let f = ring.fraction(e)?;
            let bottom = f.bottom.iter();
            let below = bottom.map(|(p, k)| self.powi(ring.expression(p), -i64::from(*k)));
            Some(self.product([ring.expression(&f.top)].into_iter().chain(below)))
        })
    }

    /// The form of an expression that `normal` finds, remembered; the expression itself where there is none, it is
    /// much longer, or the allowance (see [`crate::effort`]) is spent.
    fn paid(
        &self,
        memo: &RefCell<FxHashMap<Expr, Expr>>,
        e: Expr,
        normal: impl FnOnce() -> Option<Expr>,
    ) -> Expr {
        if matches!(&*self.node(e), Node::Number(_) | Node::Symbol(_)) {
            return e;
        }
        if let Some(&known) = memo.borrow().get(&e) {
            return known;
        }
        if self.is_too_much(e) {
            return e;
        }
        charge(ASKING + self.size(e));
        let result = normal()
            .filter(|&simple| self.size(simple) <= MUCH_LONGER.0 * self.size(e) + MUCH_LONGER.1)
            .unwrap_or(e);
        // what was given up for want of effort may be asked again
        if result == e && is_spent() {
            return e;
        }
        let mut memo = memo.borrow_mut();
        memo.insert(e, result);
        memo.insert(result, result);
        result
    }

    /// Is an expression, or what is left of the allowance, such that it is left as it is?
    fn is_too_much(&self, e: Expr) -> bool {
        let largest = match (is_spent(), is_overspent()) {
            (_, true) => 0,
            (true, _) => SMALL,
            _ => LARGEST,
        };
        self.size(e) > largest
    }

    fn normal(&self, e: Expr) -> Option<Expr> {
        let written = |ring: &mut Ring| {
            let fraction = ring.fraction(e)?;
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
        if self.is_too_much(e) {
            return None;
        }
        let mut ring = Ring::new(self, &[e]);
        let top = ring.fraction(e)?.top;
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

    /// The coefficients of an equation `e = 0` as a polynomial in the symbol `v`, lowest power
    /// first; `None` where `v` stands inside a function or a root, or the work is too much. The
    /// denominator is dropped: the second part names what must not be zero.
    pub fn polynomial_in(&self, e: Expr, v: Expr) -> Option<(Vec<Expr>, Vec<Expr>)> {
        let mut ring = Ring::new(self, &[e]);
        let place = ring.generator(v);
        let fraction = ring.fraction(e)?;
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
    use crate::expr::{Function, Number, SymbolKind};

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
    fn a_root_below_keeps_the_content_of_what_stands_under_it() {
        // u = 13/20 - x has the content -1/20: what cancels against a power of sqrt(u) is u, not 20*x - 13
        let p = Pool::new();
        let [x, y, z] = coordinates(&p);
        let u = p.sub(p.number(Number::ratio(13, 20).unwrap()), x);
        let root = p.sqrt(u);
        let twice = p.scale(root, &Number::from(2));
        let first = p.product([z, p.sub(twice, p.one()), p.number(2)]);
        let second = p.powi(
            p.add(
                p.div(p.mul(y, p.sub(p.one(), twice)), root),
                p.scale(y, &Number::from(2)),
            ),
            2,
        );
        let e = p.sub(first, second);
        let at = |kind: SymbolKind| match kind {
            SymbolKind::Coordinate { index, .. } => [-0.6, 0.7, -0.4][index],
            _ => f64::NAN,
        };
        let (before, after) = (p.evaluate(e, &at), p.evaluate(p.simplify(e), &at));
        assert!((before - after).abs() < 1e-12, "{before} {after}");
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
}
