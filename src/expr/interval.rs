//! Interval evaluation of expressions, rounded outward.
//!
//! Each operation returns bounds that hold for the exact real result, widened by a few ulp.
//! Elementary functions come from the standard library and are widened by [`SLACK`] relative. An empty or
//! undefined result is the whole line, so that nothing is ever excluded wrongly.

use super::function::Function;
use super::pool::{Expr, Node, Pool, SymbolKind};
use rustc_hash::FxHashMap;
use std::f64::consts::{FRAC_PI_2, PI};

/// Relative widening of elementary functions: many times their largest known error.
const SLACK: f64 = 1e-14;

/// A closed interval; infinite ends are allowed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub lo: f64,
    /// Upper end.
    pub hi: f64,
}

impl Interval {
    /// The whole line.
    pub const ALL: Self = Self {
        lo: f64::NEG_INFINITY,
        hi: f64::INFINITY,
    };

    /// From end to end, in either order.
    pub fn new(a: f64, b: f64) -> Self {
        if a.is_nan() || b.is_nan() {
            return Self::ALL;
        }
        Self {
            lo: a.min(b),
            hi: a.max(b),
        }
    }

    /// A single number.
    pub fn point(a: f64) -> Self {
        Self::new(a, a)
    }

    /// Is the number inside?
    pub fn contains(self, a: f64) -> bool {
        self.lo <= a && a <= self.hi
    }

    fn outward(lo: f64, hi: f64) -> Self {
        if lo.is_nan() || hi.is_nan() {
            return Self::ALL;
        }
        Self {
            lo: lo.next_down(),
            hi: hi.next_up(),
        }
    }

    fn widened(lo: f64, hi: f64) -> Self {
        Self::outward(lo - SLACK * lo.abs(), hi + SLACK * hi.abs())
    }

    fn add(self, b: Self) -> Self {
        Self::outward(self.lo + b.lo, self.hi + b.hi)
    }

    fn mul(self, b: Self) -> Self {
        // 0 times an unbounded end is 0: the end itself is not attained
        let times = |x: f64, y: f64| if x == 0.0 || y == 0.0 { 0.0 } else { x * y };
        let all = [
            times(self.lo, b.lo),
            times(self.lo, b.hi),
            times(self.hi, b.lo),
            times(self.hi, b.hi),
        ];
        let lo = all.iter().copied().fold(f64::INFINITY, f64::min);
        let hi = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Self::outward(lo, hi)
    }

    fn recip(self) -> Self {
        if self.contains(0.0) {
            return Self::ALL;
        }
        Self::outward(1.0 / self.hi, 1.0 / self.lo)
    }

    fn abs(self) -> Self {
        if self.lo >= 0.0 {
            self
        } else if self.hi <= 0.0 {
            Self {
                lo: -self.hi,
                hi: -self.lo,
            }
        } else {
            Self {
                lo: 0.0,
                hi: self.hi.max(-self.lo),
            }
        }
    }

    fn powi(self, n: i32) -> Self {
        if n < 0 {
            return self.powi(-n).recip();
        }
        let base = if n % 2 == 0 { self.abs() } else { self };
        let (lo, hi) = (base.lo.powi(n), base.hi.powi(n));
        let wide = Self::widened(lo, hi);
        if n % 2 == 0 {
            Self {
                lo: wide.lo.max(0.0),
                hi: wide.hi,
            }
        } else {
            wide
        }
    }

    /// A monotone function, increasing.
    fn increasing(self, f: impl Fn(f64) -> f64) -> Self {
        Self::widened(f(self.lo), f(self.hi))
    }

    fn cos(self) -> Self {
        if !self.lo.is_finite() || !self.hi.is_finite() || self.lo.abs().max(self.hi.abs()) > 1e6 {
            return Self::new(-1.0, 1.0);
        }
        let (a, b) = (self.lo.cos(), self.hi.cos());
        let mut result = Self::widened(a.min(b) - 1e-15, a.max(b) + 1e-15);
        // a maximum at 2 k pi, a minimum at (2 k + 1) pi, located with room to spare
        let slack = 1e-9;
        let has = |phase: f64| {
            let k = ((self.lo - phase - slack) / (2.0 * PI)).ceil();
            2.0 * PI * k + phase <= self.hi + slack
        };
        if has(0.0) {
            result.hi = 1.0;
        }
        if has(PI) {
            result.lo = -1.0;
        }
        Self {
            lo: result.lo.max(-1.0),
            hi: result.hi.min(1.0),
        }
    }

    fn apply(self, f: Function) -> Self {
        match f {
            Function::Sin => self
                .add(Self::new(-FRAC_PI_2.next_up(), -FRAC_PI_2.next_down()))
                .cos(),
            Function::Cos => self.cos(),
            Function::Tan => {
                let sin = self.apply(Function::Sin);
                sin.mul(self.cos().recip())
            }
            Function::Asin if self.lo >= -1.0 && self.hi <= 1.0 => self.increasing(f64::asin),
            Function::Acos if self.lo >= -1.0 && self.hi <= 1.0 => {
                Self::widened(self.hi.acos(), self.lo.acos())
            }
            Function::Atan => self.increasing(f64::atan),
            Function::Sinh => self.increasing(f64::sinh),
            Function::Tanh => self.increasing(f64::tanh),
            Function::Cosh => self.abs().increasing(f64::cosh),
            Function::Exp => {
                let e = self.increasing(f64::exp);
                Self {
                    lo: e.lo.max(0.0),
                    hi: e.hi,
                }
            }
            Function::Log if self.lo > 0.0 => Self::outward(
                self.lo.ln() - SLACK * self.lo.ln().abs() - 1e-15,
                self.hi.ln() + SLACK * self.hi.ln().abs() + 1e-15,
            ),
            Function::Abs => self.abs(),
            Function::Sign => {
                if self.lo > 0.0 {
                    Self::point(1.0)
                } else if self.hi < 0.0 {
                    Self::point(-1.0)
                } else {
                    Self::new(-1.0, 1.0)
                }
            }
            _ => Self::ALL,
        }
    }
}

impl Pool {
    /// Bounds on an expression over a box; `of` gives the interval of a symbol.
    pub fn bounds(&self, e: Expr, of: &dyn Fn(SymbolKind) -> Interval) -> Interval {
        let mut memo: FxHashMap<Expr, Interval> = FxHashMap::default();
        self.visit(&[e], &mut |expr, node| {
            let at = |c: &Expr| memo.get(c).copied().unwrap_or(Interval::ALL);
            let number = |v: f64| Interval::outward(v, v);
            let value = match node {
                Node::Number(n)
                    if n.is_integer() && n.to_i64().is_some_and(|k| k.abs() < 1 << 50) =>
                {
                    Interval::point(n.to_f64())
                }
                Node::Number(n) => number(n.to_f64()),
                Node::Symbol(_) => match self.symbol_kind(expr) {
                    Some(SymbolKind::Pi) => number(PI),
                    Some(kind) => of(kind),
                    None => Interval::ALL,
                },
                Node::Sum { constant, terms } => {
                    let start = if constant.is_zero() {
                        Interval::point(0.0)
                    } else {
                        number(constant.to_f64())
                    };
                    terms.iter().fold(start, |sum, (t, k)| {
                        if k.is_one() {
                            sum.add(at(t))
                        } else {
                            sum.add(number(k.to_f64()).mul(at(t)))
                        }
                    })
                }
                Node::Product {
                    coefficient,
                    factors,
                } => {
                    let start = if coefficient.is_one() {
                        Interval::point(1.0)
                    } else {
                        number(coefficient.to_f64())
                    };
                    factors.iter().fold(start, |product, (b, x)| {
                        product.mul(self.power_bounds(at(b), *x))
                    })
                }
                Node::Apply(f, args) if args.len() == 1 => at(&args[0]).apply(*f),
                Node::Apply(..) => Interval::new(-PI.next_up(), PI.next_up()),
            };
            memo.insert(expr, value);
        });
        memo.get(&e).copied().unwrap_or(Interval::ALL)
    }

    fn power_bounds(&self, base: Interval, exponent: Expr) -> Interval {
        let Some(q) = self.as_number(exponent) else {
            return Interval::ALL;
        };
        if let Some(n) = q.to_i64().and_then(|n| i32::try_from(n).ok()) {
            return base.powi(n);
        }
        let p = q.to_f64();
        if p < 0.0 || base.hi < 0.0 {
            if base.lo <= 0.0 {
                return Interval::ALL;
            }
            return Interval::widened(base.hi.powf(p), base.lo.powf(p));
        }
        let e = Interval::widened(base.lo.max(0.0).powf(p), base.hi.powf(p));
        Interval {
            lo: e.lo.max(0.0),
            hi: e.hi,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
