//! Equations with the unknown in sines, cosines and tangents.
//!
//! With theta = q v + r every argument n theta + s is expanded, so that the equation is a polynomial
//! in c = cos(theta), s = sin(theta). Modulo c^2 + s^2 = 1 it is A(c) + B(c) s, or A(s) + B(s) c:
//!
//! ```text
//! A(c) = 0                       theta = acos(c) where s > 0, -acos(c) where s < 0
//! A(s) = 0                       theta = asin(s) where c > 0, pi - asin(s) where c < 0
//! a c + b s = 0                  theta = atan2(-a, b), mod pi
//! a c + b s + d = 0              theta = atan2(b, a) +- acos(-d/R), R^2 = a^2 + b^2, "+" where a s - b c > 0
//! a c^2 + b c s + d = 0          the same in 2 theta
//! ```

use super::condition::Relation;
use super::isolate::Isolation;
use super::kernel::InKernels;
use super::solve::with_symbol;
use super::solver::Solver;
use super::undo::{circular, turned_by};
use crate::expr::{Expr, Function, Node, Number};
use rustc_hash::FxHashMap;

/// Multiples of an angle that are expanded.
const MULTIPLES: i64 = 4;

/// An equation a cos(theta) + b sin(theta) + d = 0.
struct Harmonic {
    theta: Expr,
    a: Expr,
    b: Expr,
    d: Expr,
}

impl Solver<'_> {
    /// Is it a sine, cosine or tangent?
    pub(super) fn is_circular(&self, kernel: Expr) -> bool {
        matches!(
            &*self.pool().node(kernel),
            Node::Apply(Function::Sin | Function::Cos | Function::Tan, _)
        )
    }

    /// Solves an equation whose kernels are all circular.
    pub(super) fn circular(
        &self,
        inside: &InKernels,
        u: Expr,
        depth: u32,
    ) -> Option<Vec<Isolation>> {
        let pool = self.pool();
        let theta = self.common_angle(inside, u)?;
        let (cos, sin) = (
            pool.apply(Function::Cos, theta),
            pool.apply(Function::Sin, theta),
        );
        let (c, s) = (self.standing_for(cos), self.standing_for(sin));
        if let [(kernel, z)] = inside.list.as_slice()
            && matches!(&*pool.node(*kernel), Node::Apply(Function::Tan, _))
        {
            let (coefficients, _) = pool.polynomial_in(inside.equation, *z)?;
            let by = FxHashMap::from_iter([(*z, *kernel)]);
            let ways = self.polynomial(&coefficients, *z)?.into_iter();
            let ways = ways.map(|way| Isolation {
                value: pool.apply(Function::Atan, way.value),
                conditions: way.conditions_with(pool, &by),
                period: Some(pool.pi()),
            });
            return self.unknown_in(theta, ways.collect(), u, depth);
        }
        let mut by = FxHashMap::default();
        for &(kernel, z) in &inside.list {
            by.insert(z, self.expanded(kernel, theta, (c, s), u)?);
        }
        let equation = pool.substitute(inside.equation, &by);
        let back = FxHashMap::from_iter([(c, cos), (s, sin)]);
        let (in_cos, with_sin) = self.reduced(equation, s, c)?;
        let (in_sin, with_cos) = self.reduced(equation, c, s)?;
        let two = |ways: Vec<Isolation>, other: Expr, values: &dyn Fn(Expr) -> [Expr; 2]| {
            let both = ways.into_iter().flat_map(|way| {
                let values = values(way.value);
                let also = way.conditions_with(pool, &back);
                let whole = pool.scale(pool.pi(), &Number::from(2));
                Isolation::by_sign(other, values, &also, Some(whole))
            });
            both.collect::<Vec<Isolation>>()
        };
        let square = |parts: &[Expr]| matches!(parts, [_, first, _] if *first == pool.zero());
        if with_cos.is_empty() && !square(&in_sin) {
            let ways = self.polynomial(&in_sin, s)?;
            let ways = two(ways, cos, &|v| {
                let angle = pool.apply(Function::Asin, v);
                [angle, pool.sub(pool.pi(), angle)]
            });
            return self.unknown_in(theta, ways, u, depth);
        }
        if with_sin.is_empty() && !square(&in_cos) {
            let ways = self.polynomial(&in_cos, c)?;
            let ways = two(ways, sin, &|v| {
                let angle = pool.apply(Function::Acos, v);
                [angle, pool.neg(angle)]
            });
            return self.unknown_in(theta, ways, u, depth);
        }
        let harmonic = match (in_cos.as_slice(), with_sin.as_slice()) {
            ([d, a], [b]) => Harmonic {
                theta,
                a: *a,
                b: *b,
                d: *d,
            },
            ([d], [b]) => Harmonic {
                theta,
                a: pool.zero(),
                b: *b,
                d: *d,
            },
            ([d, _, a], []) => self.doubled(theta, [*a, pool.zero(), *d]),
            // c^2 = (1 + cos 2 theta)/2, c s = sin(2 theta)/2
            ([d, first, a], [low, b]) if *first == pool.zero() && *low == pool.zero() => {
                self.doubled(theta, [*a, *b, *d])
            }
            ([d], [low, b]) if *low == pool.zero() => self.doubled(theta, [pool.zero(), *b, *d]),
            _ => return None,
        };
        let ways = self.harmonic(&harmonic);
        self.unknown_in(harmonic.theta, ways, u, depth)
    }

    fn doubled(&self, theta: Expr, [a, b, d]: [Expr; 3]) -> Harmonic {
        let pool = self.pool();
        let half = |e| pool.scale(e, &Number::HALF);
        Harmonic {
            theta: pool.scale(theta, &Number::from(2)),
            a: half(a),
            b: half(b),
            d: pool.reduced(pool.add(d, half(a))),
        }
    }

    fn harmonic(&self, h: &Harmonic) -> Vec<Isolation> {
        let pool = self.pool();
        let theta = h.theta;
        let [a, b, d] = self.without_common(h);
        if d == pool.zero() {
            return vec![Isolation {
                value: pool.atan2(pool.neg(a), b),
                conditions: Vec::new(),
                period: Some(pool.pi()),
            }];
        }
        let (sin, cos) = circular(pool, theta);
        let whole = Some(pool.scale(pool.pi(), &Number::from(2)));
        if b == pool.zero() {
            let angle = pool.apply(Function::Acos, pool.neg(pool.div(d, a)));
            let also = [(a, Relation::NonZero)];
            return Isolation::by_sign(sin, [angle, pool.neg(angle)], &also, whole);
        }
        if a == pool.zero() {
            let angle = pool.apply(Function::Asin, pool.neg(pool.div(d, b)));
            let values = [angle, pool.sub(pool.pi(), angle)];
            return Isolation::by_sign(cos, values, &[(b, Relation::NonZero)], whole);
        }
        let squares = pool.add(pool.powi(a, 2), pool.powi(b, 2));
        let size = pool.sqrt(pool.reduced(squares));
        let middle = pool.atan2(b, a);
        let away = pool.apply(Function::Acos, pool.neg(pool.div(d, size)));
        let side = pool.sub(pool.mul(a, sin), pool.mul(b, cos));
        let values = [pool.add(middle, away), pool.sub(middle, away)];
        Isolation::by_sign(side, values, &[], whole)
    }

    /// The coefficients without what a and b have in common: where that is zero, so is the derivative.
    fn without_common(&self, h: &Harmonic) -> [Expr; 3] {
        let pool = self.pool();
        let Harmonic { a, b, d, .. } = *h;
        if a == pool.zero() || b == pool.zero() {
            return [a, b, d];
        }
        let (first, second) = (pool.factors(a), pool.factors(b));
        let mut common = Vec::new();
        for &(f, k) in &first.factors {
            if let Some(&(_, l)) = second.factors.iter().find(|(g, _)| *g == f) {
                common.push(pool.powi(f, i64::from(k.min(l))));
            }
        }
        let numbers = [&first, &second].map(|f| f.unit_parts(pool).0);
        let mut content = numbers[0].content(&numbers[1]).abs();
        if numbers.iter().all(Number::is_negative) {
            content = content.neg();
        }
        common.push(pool.number(content));
        let common = pool.product(common);
        [a, b, d].map(|e| pool.reduced(pool.div(e, common)))
    }

    /// theta = q v + r of which every argument is a small multiple, up to something without v.
    fn common_angle(&self, inside: &InKernels, u: Expr) -> Option<Expr> {
        let pool = self.pool();
        let mut arguments: Vec<Expr> = Vec::new();
        for (kernel, _) in &inside.list {
            if let Node::Apply(_, args) = &*pool.node(*kernel)
                && !arguments.contains(&args[0])
            {
                arguments.push(args[0]);
            }
        }
        let &first = arguments.first()?;
        let slope = pool.reduced(pool.derivative(first, u));
        if pool.symbols_of(slope).contains(&u) {
            return None; // what repeats would not repeat evenly
        }
        if arguments.len() == 1 {
            return Some(first);
        }
        let ratios: Vec<Number> = arguments
            .iter()
            .map(|&a| {
                let other = pool.reduced(pool.derivative(a, u));
                pool.as_number(pool.reduced(pool.div(other, slope)))
            })
            .collect::<Option<_>>()?;
        let unit = ratios.iter().fold(Number::ZERO, |g, r| g.content(r)).abs();
        let theta = pool.scale(slope, &unit);
        Some(pool.mul(theta, u))
    }

    /// `f(n theta + r)` as a polynomial in c and s; an argument that is theta itself is not taken apart.
    fn expanded(&self, kernel: Expr, theta: Expr, (c, s): (Expr, Expr), u: Expr) -> Option<Expr> {
        let pool = self.pool();
        let Node::Apply(f, args) = pool.owned(kernel) else {
            return None;
        };
        let (sin, cos) = if args[0] == theta {
            (s, c)
        } else {
            let rate = pool.div(pool.derivative(args[0], u), pool.derivative(theta, u));
            let n = pool.as_number(pool.reduced(rate))?.to_i64()?;
            if n == 0 || n.abs() > MULTIPLES {
                return None;
            }
            let n_theta = pool.scale(theta, &Number::from(n));
            let rest = pool.reduced(pool.sub(args[0], n_theta));
            turned_by(pool, circular(pool, rest), (s, c), n)
        };
        Some(match f {
            Function::Sin => sin,
            Function::Cos => cos,
            _ => pool.div(sin, cos),
        })
    }

    /// Equations in which an angle stands in sine and cosine, of one of them only even powers, with
    /// the other alone; `None` where that cannot be or nothing changes.
    pub(super) fn in_one_circular(&self, equations: &[Expr], u: Expr) -> Option<Vec<Expr>> {
        let pool = self.pool();
        let own = with_symbol(pool, equations, u);
        let theta = self.only_angle(&own, u)?;
        if self.only_kernel(&own, u).is_some() {
            return None;
        }
        let [cos, sin] = [Function::Cos, Function::Sin].map(|f| pool.apply(f, theta));
        let (c, s) = (self.standing_for(cos), self.standing_for(sin));
        let by = FxHashMap::from_iter([(cos, c), (sin, s)]);
        let replaced = pool.substitute_all(equations, &by);
        [(s, c, cos), (c, s, sin)]
            .into_iter()
            .find_map(|(p, q, kernel)| {
                let written = |(&own, &e): (&Expr, &Expr)| {
                    if own == e {
                        return Some(own);
                    }
                    let (even, odd) = self.reduced(e, p, q)?;
                    let terms = even.iter().zip(0..);
                    let terms = terms.map(|(&a, k)| pool.mul(a, pool.powi(kernel, k)));
                    odd.is_empty().then(|| pool.sum(terms.collect::<Vec<_>>()))
                };
                equations.iter().zip(&replaced).map(written).collect()
            })
    }

    /// An equation in p and q with p^2 + q^2 = 1 as A(q) + B(q) p: the coefficients of A and of B,
    /// empty where that is zero.
    fn reduced(&self, equation: Expr, p: Expr, q: Expr) -> Option<(Vec<Expr>, Vec<Expr>)> {
        let pool = self.pool();
        let (parts, _) = pool.polynomial_in(equation, p)?;
        let square = pool.sub(pool.one(), pool.powi(q, 2));
        let gather = |odd: usize| -> Option<Vec<Expr>> {
            let terms: Vec<Expr> = parts
                .iter()
                .skip(odd)
                .step_by(2)
                .zip(0..)
                .map(|(&e, k)| pool.mul(e, pool.powi(square, k)))
                .collect();
            let sum = pool.reduced(pool.sum(terms));
            if sum == pool.zero() {
                return Some(Vec::new());
            }
            Some(pool.polynomial_in(sum, q)?.0)
        };
        Some((gather(0)?, gather(1)?))
    }

    /// From theta = value + k period to the unknown in theta, which is linear in it.
    fn unknown_in(
        &self,
        theta: Expr,
        ways: Vec<Isolation>,
        u: Expr,
        depth: u32,
    ) -> Option<Vec<Isolation>> {
        let pool = self.pool();
        let slope = pool.reduced(pool.derivative(theta, u));
        if pool.symbols_of(slope).contains(&u) {
            return None;
        }
        let mut all = Vec::new();
        for way in ways {
            for mut inner in self.matched(theta, way.value, u, depth)? {
                inner.conditions.extend(way.conditions.iter().copied());
                inner.period = way.period.map(|p| pool.simplify(pool.div(p, slope)));
                all.push(inner);
            }
        }
        Some(all)
    }
}
