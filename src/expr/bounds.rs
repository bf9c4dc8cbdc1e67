//! Bounds on an expression over a box, without compiling it.
//!
//! What is undefined or empty counts as the whole line, so that nothing is ever excluded wrongly.

use super::interval::Interval;
use super::number::Number;
use super::pool::{Expr, Node, Pool, SymbolKind};
use crate::effort::charge;
use rustc_hash::FxHashMap;

impl Pool {
    /// Bounds on an expression over a box; `of` gives the interval of a symbol.
    pub fn bounds(&self, e: Expr, of: &dyn Fn(SymbolKind) -> Interval) -> Interval {
        let mut memo: FxHashMap<Expr, Interval> = FxHashMap::default();
        let line = |range: Interval| {
            if range.is_empty() {
                Interval::ALL
            } else {
                range
            }
        };
        let mut parts = 0;
        self.visit(&[e], &mut |expr, node| {
            parts += node.parts();
            let at = |c: &Expr| memo.get(c).copied().unwrap_or(Interval::ALL);
            let value = match node {
                Node::Number(n) => Interval::of_number(n),
                Node::Symbol(_) => match self.symbol_kind(expr) {
                    Some(SymbolKind::Pi) => Interval::PI,
                    Some(kind) => of(kind),
                    None => Interval::ALL,
                },
                Node::Sum(constant, terms) => {
                    let start = Interval::of_number(constant);
                    terms.iter().fold(start, |sum, (t, k)| {
                        sum.add(Interval::of_number(k).mul(at(t)))
                    })
                }
                Node::Product(coefficient, factors) => factors
                    .iter()
                    .fold(Interval::of_number(coefficient), |product, (b, x)| {
                        product.mul(self.power_bounds(at(b), *x))
                    }),
                Node::Apply(f, args) if args.len() == 1 => at(&args[0]).apply(*f),
                Node::Apply(_, args) => match args.as_slice() {
                    [y, x] => at(y).atan2(at(x)),
                    _ => Interval::ALL,
                },
            };
            memo.insert(expr, line(value));
        });
        charge(parts);
        memo.get(&e).copied().unwrap_or(Interval::ALL)
    }

    fn power_bounds(&self, base: Interval, exponent: Expr) -> Interval {
        let Some(q) = self.as_number(exponent) else {
            return Interval::ALL;
        };
        match q.to_i64().and_then(|n| i32::try_from(n).ok()) {
            Some(n) => base.powi(n),
            None if q.abs() == Number::HALF => {
                let root = base.sqrt();
                if q.is_negative() { root.recip() } else { root }
            }
            None => base.powf(q.to_f64()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::Function;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_value_is_inside(a in -6.0_f64..6.0, w in 0.0_f64..5.0, s in 0.0_f64..=1.0, b in -3.0_f64..3.0, v in 0.0_f64..2.0, r in 0.0_f64..=1.0) {
            let p = Pool::new();
            let x = p.symbol("x", SymbolKind::Coordinate { index: 0, order: 0 });
            let y = p.symbol("y", SymbolKind::Coordinate { index: 1, order: 0 });
            let list = [
                p.apply(Function::Sin, p.add(x, y)),
                p.apply(Function::Cos, p.mul(x, y)),
                p.powi(p.sub(x, y), 3),
                p.powi(x, -2),
                p.div(y, p.add(x, p.number(2))),
                p.apply(Function::Exp, x),
                p.apply(Function::Cosh, y),
                p.sqrt(p.add(p.powi(x, 2), p.one())),
                p.apply(Function::Abs, p.apply(Function::Tanh, x)),
                p.apply(Function::Log, p.add(p.powi(y, 2), p.number(3))),
                p.apply(Function::Atan, p.mul(x, p.number(3))),
            ];
            let (px, py) = (a + s * w, b + r * v);
            for e in list {
                let bounds = p.bounds(e, &|k| match k {
                    SymbolKind::Coordinate { index: 0, .. } => Interval::new(a, (a + w).max(px)),
                    _ => Interval::new(b, (b + v).max(py)),
                });
                let value = p.evaluate(e, &|k| match k {
                    SymbolKind::Coordinate { index: 0, .. } => px,
                    _ => py,
                });
                prop_assert!(value.is_nan() || bounds.contains(value), "{} at {px}, {py}: {value} not in {bounds:?}", p.print(e));
            }
        }
    }
}
