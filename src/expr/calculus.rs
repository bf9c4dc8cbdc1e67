//! Derivatives, substitution, and what an expression depends on.

use super::function::Function;
use super::memo::remembered;
use super::number::Number;
use super::pool::{Expr, Node, Pool, SymbolKind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::sync::Arc;

/// A sum of more terms than this is differentiated by all its symbols at once.
const MANY_TERMS: usize = 16;
/// A product of more factors than this that change is differentiated half by half.
const MANY_FACTORS: usize = 16;

impl Pool {
    /// The partial derivative of `e` by the symbol `by`, all other symbols held fixed.
    ///
    /// `d abs(u) = sign(u) du` and `d sign(u) = 0`: right wherever those are differentiable.
    ///
    /// ```
    /// use holonom::expr::{Function, Pool, SymbolKind};
    ///
    /// let pool = Pool::new();
    /// let x = pool.symbol("x", SymbolKind::Parameter(0));
    /// let e = pool.mul(x, pool.apply(Function::Sin, x));
    /// assert_eq!(pool.print(pool.derivative(e, x)), "x*cos(x) + sin(x)");
    /// ```
    pub fn derivative(&self, e: Expr, by: Expr) -> Expr {
        if e == by {
            return self.one();
        }
        match &*self.node(e) {
            Node::Number(_) | Node::Symbol(_) => return self.zero(),
            _ => {}
        }
        if let Some(&known) = self.memory.derivatives.borrow().get(&(e, by)) {
            return known;
        }
        if !self.symbols_of(e).contains(&by) {
            return self.zero();
        }
        let node = self.owned(e);
        let result = match node {
            Node::Number(_) | Node::Symbol(_) => self.zero(),
            Node::Sum(_, terms) if terms.len() > MANY_TERMS => {
                return self.sum_derivatives(e, &terms, by);
            }
            Node::Sum(_, terms) => {
                let parts: Vec<Expr> = terms
                    .iter()
                    .map(|(t, k)| {
                        let d = self.derivative(*t, by);
                        self.scale(d, k)
                    })
                    .collect();
                self.sum(parts)
            }
            Node::Product(coefficient, factors) => {
                let moves = |(b, x): &(Expr, Expr)| {
                    self.contains_any(*b, &[by]) || self.contains_any(*x, &[by])
                };
                let (moving, still): (Vec<_>, Vec<_>) = factors.iter().copied().partition(moves);
                if moving.len() > MANY_FACTORS {
                    let change = self.long_product_derivative(&moving, by);
                    let still = self.product(still.into_iter().map(|(b, x)| self.pow(b, x)));
                    self.scale(self.mul(still, change), &coefficient)
                } else {
                    let parts = moving
                        .iter()
                        .map(|&(base, exponent)| self.power_derivative(e, base, exponent, by));
                    self.sum(parts)
                }
            }
            Node::Apply(Function::Atan2, args) => {
                let (y, x) = (args[0], args[1]);
                let (dy, dx) = (self.derivative(y, by), self.derivative(x, by));
                if dy == self.zero() && dx == self.zero() {
                    self.zero()
                } else {
                    let top = self.sub(self.mul(x, dy), self.mul(y, dx));
                    let bottom = self.add(self.powi(x, 2), self.powi(y, 2));
                    self.div(top, bottom)
                }
            }
            Node::Apply(f, args) => {
                let inner = self.derivative(args[0], by);
                if inner == self.zero() {
                    inner
                } else {
                    let outer = self.function_derivative(f, args[0], e);
                    self.mul(outer, inner)
                }
            }
        };
        self.memory.derivatives.borrow_mut().insert((e, by), result);
        result
    }

    /// The derivatives of a long sum `e` by all symbols of the kind of `by`, each from the terms that
    /// contain it: a gradient costs as much as the sum is long, not that times the number of symbols.
    fn sum_derivatives(&self, e: Expr, terms: &[(Expr, Number)], by: Expr) -> Expr {
        let kind = |s: Expr| match self.symbol_kind(s) {
            Some(SymbolKind::Coordinate { order, .. }) => Some(order),
            _ => None,
        };
        let wanted = kind(by);
        let mut places: Vec<(Expr, usize)> = Vec::new();
        for (place, (t, _)) in terms.iter().enumerate() {
            let inside = self.symbols_of(*t);
            let same = inside
                .iter()
                .filter(|&&s| s == by || (wanted.is_some() && kind(s) == wanted));
            places.extend(same.map(|&s| (s, place)));
        }
        places.sort_unstable();
        let mut result = self.zero();
        for group in places.chunk_by(|a, b| a.0 == b.0) {
            let Some(&(symbol, _)) = group.first() else {
                continue;
            };
            let parts: Vec<Expr> = group
                .iter()
                .map(|&(_, place)| {
                    let (t, k) = &terms[place];
                    self.scale(self.derivative(*t, symbol), k)
                })
                .collect();
            let whole = self.sum(parts);
            self.memory
                .derivatives
                .borrow_mut()
                .insert((e, symbol), whole);
            if symbol == by {
                result = whole;
            }
        }
        result
    }

    /// The derivative of a long product, `(a b)' = a' b + a b'` with a and b the halves of it: n log n factors in
    /// all where written out they are n^2, and n^3 in the second derivative.
    fn long_product_derivative(&self, factors: &[(Expr, Expr)], by: Expr) -> Expr {
        let whole = |list: &[(Expr, Expr)]| self.product(list.iter().map(|&(b, x)| self.pow(b, x)));
        let (a, b) = factors.split_at(factors.len() / 2);
        let [a, b] = [a, b].map(whole);
        let parts = [
            self.mul(self.derivative(a, by), b),
            self.mul(a, self.derivative(b, by)),
        ];
        self.sum(parts)
    }

    /// The part of the derivative of a product `e` that comes from its factor `base^exponent`.
    fn power_derivative(&self, e: Expr, base: Expr, exponent: Expr, by: Expr) -> Expr {
        let db = self.derivative(base, by);
        let dx = self.derivative(exponent, by);
        let mut parts = Vec::new();
        if db != self.zero() {
            let inverse = self.powi(base, -1);
            parts.push(self.product([e, exponent, inverse, db]));
        }
        if dx != self.zero() {
            let log = self.apply(Function::Log, base);
            parts.push(self.product([e, log, dx]));
        }
        self.sum(parts)
    }

    /// f'(u), with `whole` = f(u).
    fn function_derivative(&self, f: Function, u: Expr, whole: Expr) -> Expr {
        let one = self.one();
        let square = |x| self.powi(x, 2);
        match f {
            Function::Sin => self.apply(Function::Cos, u),
            Function::Cos => self.neg(self.apply(Function::Sin, u)),
            Function::Tan => self.add(one, square(whole)),
            Function::Asin => self.powi(self.sqrt(self.sub(one, square(u))), -1),
            Function::Acos => self.neg(self.powi(self.sqrt(self.sub(one, square(u))), -1)),
            Function::Atan => self.powi(self.add(one, square(u)), -1),
            Function::Sinh => self.apply(Function::Cosh, u),
            Function::Cosh => self.apply(Function::Sinh, u),
            Function::Tanh => self.sub(one, square(whole)),
            // 2/sqrt(pi) exp(-u^2)
            Function::Erf => {
                let bell = self.apply(Function::Exp, self.neg(square(u)));
                let scale = self.powi(self.sqrt(self.pi()), -1);
                self.scale(self.mul(scale, bell), &Number::from(2))
            }
            Function::Exp => whole,
            Function::Log => self.powi(u, -1),
            Function::Abs => self.apply(Function::Sign, u),
            Function::Sign | Function::Atan2 => self.zero(),
        }
    }

    /// The total time derivative `de/dt = sum de/ds * rate(s)`, `rates` naming what changes and how:
    /// (x, x'), (x', x'') and (t, 1).
    pub fn total_derivative(&self, e: Expr, rates: &[(Expr, Expr)]) -> Expr {
        let inside = self.symbols_of(e);
        let parts: Vec<Expr> = rates
            .iter()
            .filter(|(s, _)| inside.contains(s))
            .map(|&(s, rate)| {
                let d = self.derivative(e, s);
                self.mul(d, rate)
            })
            .collect();
        self.sum(parts)
    }

    /// Replaces symbols (or whole subexpressions) by others, all at once.
    pub fn substitute(&self, e: Expr, by: &FxHashMap<Expr, Expr>) -> Expr {
        self.substituted(e, &RefCell::new(by.clone()))
    }

    /// As [`Pool::substitute`] for several expressions, sharing the work.
    pub fn substitute_all(&self, list: &[Expr], by: &FxHashMap<Expr, Expr>) -> Vec<Expr> {
        let memo = RefCell::new(by.clone());
        list.iter().map(|&e| self.substituted(e, &memo)).collect()
    }

    /// With zero in the place of symbols.
    pub fn without(&self, e: Expr, symbols: &[Expr]) -> Expr {
        self.substitute(e, &symbols.iter().map(|&s| (s, self.zero())).collect())
    }

    fn substituted(&self, e: Expr, memo: &RefCell<FxHashMap<Expr, Expr>>) -> Expr {
        remembered(memo, e, || {
            self.rebuild(e, &mut |child| self.substituted(child, memo))
        })
    }

    /// The symbols an expression contains.
    pub fn symbols_of(&self, e: Expr) -> Arc<FxHashSet<Expr>> {
        remembered(&self.memory.contents, e, || {
            let mut found = FxHashSet::default();
            self.visit(&[e], &mut |expr, node| {
                if matches!(node, Node::Symbol(_)) {
                    found.insert(expr);
                }
            });
            Arc::new(found)
        })
    }

    /// Does `e` contain any of these symbols?
    pub fn contains_any(&self, e: Expr, symbols: &[Expr]) -> bool {
        let inside = self.symbols_of(e);
        symbols.iter().any(|s| inside.contains(s))
    }

    /// Does `e` change with the motion: does it contain anything but numbers and parameters?
    pub fn is_constant(&self, e: Expr) -> bool {
        self.symbols_of(e).iter().all(|s| {
            matches!(
                self.symbol_kind(*s),
                Some(SymbolKind::Parameter(_) | SymbolKind::Pi)
            )
        })
    }

    /// Visits every distinct subexpression once, children first.
    pub fn visit(&self, roots: &[Expr], see: &mut dyn FnMut(Expr, &Node)) {
        let mut seen = FxHashSet::default();
        let mut stack: Vec<(Expr, bool)> = roots.iter().rev().map(|&e| (e, false)).collect();
        while let Some((e, ready)) = stack.pop() {
            if ready {
                // shared, not borrowed: what sees it may make expressions
                let node = self.node(e);
                see(e, &node);
                continue;
            }
            if !seen.insert(e) {
                continue;
            }
            stack.push((e, true));
            stack.extend(self.children(e).iter().rev().map(|&c| (c, false)));
        }
    }

    /// Is one of their subexpressions such?
    pub fn any(&self, roots: &[Expr], is: impl Fn(&Node) -> bool) -> bool {
        let mut found = false;
        self.visit(roots, &mut |_, node| found |= is(node));
        found
    }

    /// How long these expressions are together, each part counted once.
    pub fn length(&self, roots: &[Expr]) -> usize {
        let mut parts = 0;
        self.visit(roots, &mut |_, node| parts += node.parts());
        parts
    }

    /// The numeric value of an expression; `value` gives that of a symbol. NaN outside the domain.
    pub fn evaluate(&self, e: Expr, value: &dyn Fn(SymbolKind) -> f64) -> f64 {
        let mut memo: FxHashMap<Expr, f64> = FxHashMap::default();
        self.visit(&[e], &mut |expr, node| {
            let of = |c: &Expr| memo.get(c).copied().unwrap_or(f64::NAN);
            let v = match node {
                Node::Number(n) => n.to_f64(),
                Node::Symbol(_) => match self.symbol_kind(expr) {
                    Some(SymbolKind::Pi) => std::f64::consts::PI,
                    Some(kind) => value(kind),
                    None => f64::NAN,
                },
                Node::Sum(constant, terms) => terms
                    .iter()
                    .map(|(t, k)| k.to_f64() * of(t))
                    .fold(constant.to_f64(), |a, b| a + b),
                Node::Product(coefficient, factors) => factors
                    .iter()
                    .map(|(b, x)| power(of(b), of(x)))
                    .fold(coefficient.to_f64(), |a, b| a * b),
                Node::Apply(f, args) => f.value(of(&args[0]), args.get(1).map_or(0.0, of)),
            };
            memo.insert(expr, v);
        });
        memo.get(&e).copied().unwrap_or(f64::NAN)
    }

    /// What an evaluation of `e` rounds, in units of the rounding unit, as an expression: its size, and
    /// the sizes of the terms of each sum inside it, carried to the whole by first-order propagation.
    /// For a sum of monomials that is the sum of the absolute values of its terms. The coordinates
    /// themselves count as exact.
    pub fn rounding(&self, e: Expr) -> Expr {
        let inner = self.carried(e, &RefCell::default());
        let size = self.apply(Function::Abs, e);
        self.add(inner, size)
    }

    /// The rounding inside `e`, without that of its last operation.
    fn carried(&self, e: Expr, memo: &RefCell<FxHashMap<Expr, Expr>>) -> Expr {
        let abs = |e| self.apply(Function::Abs, e);
        remembered(memo, e, || match &*self.node(e) {
            Node::Number(_) | Node::Symbol(_) | Node::Apply(Function::Sign, _) => self.zero(),
            Node::Sum(constant, terms) => {
                let mut parts = vec![self.number(constant.abs())];
                for (t, k) in terms {
                    let inner = self.carried(*t, memo);
                    let whole = self.add(abs(*t), inner);
                    parts.push(self.scale(whole, &k.abs()));
                }
                self.sum(parts)
            }
            Node::Product(coefficient, factors) => {
                let mut parts = Vec::new();
                for (i, (base, exponent)) in factors.iter().enumerate() {
                    let inner = self.carried(*base, memo);
                    if inner == self.zero() {
                        continue;
                    }
                    let below = self.sub(*exponent, self.one());
                    let mut product = vec![
                        self.number(coefficient.abs()),
                        abs(*exponent),
                        self.pow(abs(*base), below),
                        inner,
                    ];
                    for (j, (b, x)) in factors.iter().enumerate() {
                        if i != j {
                            product.push(self.pow(abs(*b), *x));
                        }
                    }
                    parts.push(self.product(product));
                }
                self.sum(parts)
            }
            Node::Apply(Function::Atan2, args) => {
                let inner = args.iter().map(|a| {
                    let inner = self.carried(*a, memo);
                    self.add(inner, abs(*a))
                });
                let inner: Vec<Expr> = inner.collect();
                let bottom = self.add(self.powi(args[0], 2), self.powi(args[1], 2));
                let top = self.add(
                    self.mul(abs(args[1]), inner[0]),
                    self.mul(abs(args[0]), inner[1]),
                );
                self.div(top, bottom)
            }
            Node::Apply(f, args) => {
                let inner = self.carried(args[0], memo);
                // a coordinate is exact, what is computed from it is rounded
                let own = match &*self.node(args[0]) {
                    Node::Number(_) | Node::Symbol(_) => self.zero(),
                    _ => abs(args[0]),
                };
                let slope = self.function_derivative(*f, args[0], e);
                self.mul(abs(slope), self.add(inner, own))
            }
        })
    }

    /// The sum of the absolute values of the terms of `e`, sums inside products multiplied out, as an
    /// expression: the scale against which the residual of a constraint is judged.
    pub fn magnitude(&self, e: Expr) -> Expr {
        self.size_of_terms(e, &RefCell::default())
    }

    /// The same, where some symbols stand for sums whose sizes are known.
    pub fn magnitude_of(&self, e: Expr, symbols: FxHashMap<Expr, Expr>) -> Expr {
        self.size_of_terms(e, &RefCell::new(symbols))
    }

    fn size_of_terms(&self, e: Expr, memo: &RefCell<FxHashMap<Expr, Expr>>) -> Expr {
        remembered(memo, e, || match self.owned(e) {
            Node::Sum(constant, terms) => {
                let mut parts = vec![self.number(constant.abs())];
                for (t, k) in terms {
                    let size = self.size_of_terms(t, memo);
                    parts.push(self.scale(size, &k.abs()));
                }
                self.sum(parts)
            }
            Node::Product(coefficient, factors) => {
                let mut parts = vec![self.number(coefficient.abs())];
                for (base, exponent) in factors {
                    let positive = self
                        .as_number(exponent)
                        .is_some_and(|q| q.is_integer() && q.is_positive());
                    let base = if positive {
                        self.size_of_terms(base, memo)
                    } else {
                        self.apply(Function::Abs, base)
                    };
                    parts.push(self.pow(base, exponent));
                }
                self.product(parts)
            }
            Node::Number(n) => self.number(n.abs()),
            _ => self.apply(Function::Abs, e),
        })
    }
}

/// `a^b` with whole exponents by multiplication and halves by the square root.
pub(super) fn power(a: f64, b: f64) -> f64 {
    if b == 0.5 {
        return a.sqrt();
    }
    #[allow(clippy::cast_possible_truncation)] // whole and small, checked
    if b.fract() == 0.0 && b.abs() <= 1024.0 {
        return a.powi(b as i32);
    }
    a.powf(b)
}

/// The rational exponents -1 and 1, as numbers.
pub(super) fn whole(n: &Number) -> Option<i32> {
    n.to_i64().and_then(|k| i32::try_from(k).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_derivative_of_a_long_product_is_not_as_long_as_its_cube() {
        const FACTORS: i64 = 120;
        let p = Pool::new();
        let x = p.symbol("x", SymbolKind::Coordinate { index: 0, order: 0 });
        let factor = |k: i64| p.add(p.scale(x, &Number::from(k)), p.one());
        let product = p.product((1..=FACTORS).map(factor));
        let (first, second) = (
            p.derivative(product, x),
            p.derivative(p.derivative(product, x), x),
        );
        assert!(p.length(&[second]) < 100_000, "{}", p.length(&[second]));
        // (log f)' = sum k/(1 + k x), (log f)'' = -sum (k/(1 + k x))^2
        let at = |e: Expr| p.evaluate(e, &|_| 0.01);
        let parts = (1..=FACTORS).map(|k| k as f64 / (1.0 + 0.01 * k as f64));
        let (one, two) = parts.fold((0.0, 0.0), |(s, t), k| (s + k, t + k * k));
        let f = at(product);
        assert!((at(first) / f / one - 1.0).abs() < 1e-12);
        assert!((at(second) / f / (one * one - two) - 1.0).abs() < 1e-12);
    }
}
