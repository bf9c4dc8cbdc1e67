//! How fast an expression vanishes where symbols do: of a force, what is left of it in the linearised motion about rest, where
//! its derivatives may have no value. Those of the drag `-c*x'*sqrt(x'^2 + y'^2)` are 0/0 at rest, and it has none of a slope.

use super::function::{Function, Parity, Smooth, Values};
use super::number::Number;
use super::pool::{Expr, Node, Pool};
use rustc_hash::FxHashMap;

/// For what contains the symbols a k such that it is at most C r^k where none of them is larger than a small r; 0 is bounded.
type Orders = FxHashMap<Expr, Option<Number>>;

impl Pool {
    /// The same expression but for what vanishes faster than the symbols where all of them tend to zero. The others have the
    /// values `given`, or are not known.
    pub fn linear_at_zero(&self, e: Expr, symbols: &[Expr], given: &FxHashMap<Expr, Expr>) -> Expr {
        if !self.contains_any(e, symbols) {
            return e;
        }
        let mut orders: Orders = symbols.iter().map(|s| (*s, Some(Number::ONE))).collect();
        self.visit_with(e, symbols, &mut |own, node, _| {
            let order = self.order_of(node, &orders);
            orders.insert(own, order);
        });
        let still = symbols.iter().map(|s| (*s, self.zero())).collect();
        let linear = Linear {
            pool: self,
            orders,
            symbols,
            given,
            still,
        };
        linear.part(e)
    }

    /// From those of its children. What contains no symbol has a value.
    fn order_of(&self, node: &Node, orders: &Orders) -> Option<Number> {
        let of = |e: &Expr| orders.get(e).cloned().unwrap_or(Some(Number::ZERO));
        match node {
            Node::Number(_) | Node::Symbol(_) => Some(Number::ZERO),
            Node::Sum(constant, terms) => {
                let least = terms
                    .iter()
                    .map(|(t, _)| of(t))
                    .try_fold(None, |least, own| {
                        let own = own?;
                        Some(Some(match least {
                            Some(least) if least <= own => least,
                            _ => own,
                        }))
                    })??;
                Some(if constant.is_zero() {
                    least
                } else {
                    Number::ZERO
                })
            }
            Node::Product(_, factors) => {
                let own = |(base, x): &(Expr, Expr)| match self.as_number(*x) {
                    _ if !orders.contains_key(base) && !orders.contains_key(x) => {
                        Some(Number::ZERO)
                    }
                    Some(x) if !x.is_negative() => Some(of(base)?.mul(&x)),
                    _ => None,
                };
                let mut each = factors.iter().map(own);
                each.try_fold(Number::ZERO, |sum, own| Some(sum.add(&own?)))
            }
            Node::Apply(f, args) => {
                let row = f.row();
                let inside = of(&args[0])?;
                let with_its_argument = *f == Function::Abs
                    || row.parity == Parity::Odd && row.smooth != Smooth::NotZero;
                if with_its_argument && inside.is_positive() {
                    return Some(inside);
                }
                let bounded = row.smooth == Smooth::Everywhere || row.values != Values::Any;
                (bounded || *f == Function::Abs).then_some(Number::ZERO)
            }
        }
    }
}

/// What goes into the linear part of an expression.
struct Linear<'a> {
    pool: &'a Pool,
    orders: Orders,
    symbols: &'a [Expr],
    given: &'a FxHashMap<Expr, Expr>,
    /// the symbols, zero
    still: FxHashMap<Expr, Expr>,
}

impl Linear<'_> {
    /// What is left of an expression.
    fn part(&self, e: Expr) -> Expr {
        let pool = self.pool;
        let Some(Some(order)) = self.orders.get(&e) else {
            return e;
        };
        if *order > Number::ONE {
            return pool.zero();
        }
        match &*pool.node(e) {
            Node::Sum(constant, terms) => {
                let terms = terms.iter().map(|(t, k)| pool.scale(self.part(*t), k));
                pool.sum(terms.chain([pool.number(constant.clone())]))
            }
            Node::Product(coefficient, factors) => {
                let each = factors.iter().map(|(base, x)| pool.pow(*base, *x));
                let left = self.product(&each.collect::<Vec<_>>());
                left.map_or(e, |left| pool.scale(left, coefficient))
            }
            _ => e,
        }
    }

    /// Of a product whose one factor vanishes: the others may be taken where the symbols are zero, if they do not jump there.
    fn product(&self, factors: &[Expr]) -> Option<Expr> {
        let pool = self.pool;
        let vanishes = |e: &Expr| matches!(self.orders.get(e), Some(Some(k)) if *k >= Number::ONE);
        let first = factors.iter().position(vanishes)?;
        let rest = factors.iter().enumerate().filter(|(i, _)| *i != first);
        let rest = pool.product(rest.map(|(_, e)| *e));
        if pool.may_jump_at_zero(rest, self.symbols, self.given) {
            return None;
        }
        let there = pool.substitute(rest, &self.still);
        (!pool.is_undefined(there)).then(|| pool.mul(there, self.part(factors[first])))
    }
}

#[cfg(test)]
mod tests {
    use crate::system::System;
    use rustc_hash::FxHashMap;

    /// What is left of a force where velocities vanish, written.
    fn left_of(force: &str) -> String {
        let file = format!(
            "coordinates: [x, y]\nparameters: {{c: 2, d: 3}}\nlagrangian: x'^2/2 + y'^2/2\nforces: {{x: \"{force}\"}}\n"
        );
        let system = System::parse(&file, "test", &[]).expect("a system");
        let v: Vec<_> = system.coordinates.iter().map(|c| c.v).collect();
        let left = system
            .pool
            .linear_at_zero(system.forces[0], &v, &FxHashMap::default());
        system.pool.print(left)
    }

    #[test]
    fn what_vanishes_faster_than_velocities_is_left_out() {
        for (force, left) in [
            ("-c*x'*sqrt(x'^2 + y'^2)", "0"),
            ("-x*abs(x')*x' - d*x'", "-d*x'"),
            ("-(c + d*sqrt(x'^2 + y'^2))*x'", "-c*x'"),
            ("-c*x'^2*sign(x') - x", "-x"),
            ("-c*x'*cos(y')/(1 + x^2)", "-c*x'/(x^2 + 1)"),
            ("-c*(x'^2 + y'^2)^(3/4)", "0"),
            ("-c*sin(x')*tanh(y')", "0"),
        ] {
            assert_eq!(left_of(force), left, "{force}");
        }
    }

    #[test]
    fn what_may_have_a_slope_or_a_jump_is_kept() {
        for force in [
            "-c*x'/sqrt(x'^2 + y'^2)",
            "-c*sign(x')",
            "-c*x'*sign(y')",
            "-c*x'*y'/sqrt(x'^2 + y'^2)",
            "-c*sqrt(x'^2 + y'^2)",
            "-c*(x'^2)^(1/4)*x",
            "-c*x'*log(x'^2 + y'^2)",
        ] {
            assert_eq!(left_of(force), left_of(&format!("1*({force})")));
            assert!(left_of(force).contains("x'"), "{force}");
        }
    }
}
