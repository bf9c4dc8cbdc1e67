//! One equation for one unknown: what stands around the unknown is taken off, layer by layer.

use super::LARGEST;
use super::condition::{Raw, Relation, Zeros};
use super::kernel::{InKernels, radicand};
use super::solver::{DEPTH, Solver};
use super::undo::circular;
use crate::expr::{Expr, Function, Node, Number, Pool};
use rustc_hash::FxHashMap;

/// A way to solve an equation for an unknown.
#[derive(Clone, Debug)]
pub(super) struct Isolation {
    /// The unknown, in what else stands in the equation.
    pub value: Expr,
    /// Where it is the right way.
    pub conditions: Vec<Raw>,
    /// Whole multiples of this may be added.
    pub period: Option<Expr>,
}

impl Isolation {
    pub(super) fn new(value: Expr, conditions: Vec<Raw>) -> Self {
        Self {
            value,
            conditions,
            period: None,
        }
    }

    /// Two ways: one where something is positive, one where it is negative; these conditions are of both.
    pub(super) fn by_sign(
        side: Expr,
        values: [Expr; 2],
        also: &[Raw],
        period: Option<Expr>,
    ) -> Vec<Self> {
        let relations = [Relation::Positive, Relation::Negative];
        let ways = values.into_iter().zip(relations);
        ways.map(|(value, relation)| Self {
            value,
            conditions: [&[(side, relation)], also].concat(),
            period,
        })
        .collect()
    }

    /// The conditions with something in the place of what stands for it.
    pub(super) fn conditions_with(&self, pool: &Pool, by: &FxHashMap<Expr, Expr>) -> Vec<Raw> {
        let list = self.conditions.iter();
        list.map(|&(e, relation)| (pool.substitute(e, by), relation))
            .collect()
    }
}

impl Solver<'_> {
    /// Solves `e = 0` for `u`: ways of which exactly one is right wherever the derivative by u is not
    /// zero. `None` where none was found.
    pub(super) fn isolate(&self, e: Expr, u: Expr) -> Option<Vec<Isolation>> {
        self.layer(e, u, DEPTH)
    }

    pub(super) fn layer(&self, e: Expr, u: Expr, depth: u32) -> Option<Vec<Isolation>> {
        let depth = depth.checked_sub(1)?;
        self.spend()?;
        let pool = self.pool();
        let e = pool.simplify(e);
        if pool.size(e) > LARGEST || !pool.symbols_of(e).contains(&u) {
            return None;
        }
        if let Some((coefficients, _)) = pool.polynomial_in(e, u) {
            return self.polynomial(&coefficients, u);
        }
        if let Some(folded) = self.folded(e, u) {
            return self.unfold(e, u, folded, depth);
        }
        let inside = self.in_kernels(e, u)?;
        if inside.list.iter().all(|(k, _)| self.is_circular(*k)) {
            return self.circular(&inside, u, depth);
        }
        let in_one = match inside.list.as_slice() {
            &[(kernel, z)] => Some((inside.equation, kernel, z)),
            _ => self.in_exponential(&inside),
        };
        let Some((equation, kernel, z)) = in_one else {
            return self.radical(&inside, u, depth);
        };
        let (coefficients, _) = pool.polynomial_in(equation, z)?;
        let ways = self.polynomial(&coefficients, z)?;
        self.through(ways, (kernel, z), u, depth)
    }

    /// An equation `a K + b = 0` for a root, exponential or logarithm K with all the unknowns inside,
    /// as one between the argument of K and the inverse of -b/a.
    pub(super) fn peeled(&self, e: Expr, unknowns: &[Expr]) -> Expr {
        let pool = self.pool();
        let mut e = e;
        for _ in 0..4 {
            let mut outer = None;
            for &u in unknowns.iter().filter(|u| pool.symbols_of(e).contains(u)) {
                let kernels = self.in_kernels(e, u).map(|inside| inside.list);
                match kernels.as_deref() {
                    Some(&[(kernel, _)]) if *outer.get_or_insert(kernel) == kernel => {}
                    _ => return e,
                }
            }
            let Some(kernel) = outer.filter(|k| pool.as_symbol(*k).is_none()) else {
                return e;
            };
            let z = self.standing_for(kernel);
            let replaced = match radicand(pool, kernel) {
                // a root may stand in the equation with any exponent
                Some(_) => return self.peeled_root(e, kernel, unknowns).unwrap_or(e),
                None => pool.substitute(e, &FxHashMap::from_iter([(kernel, z)])),
            };
            let Some(value) = self.single(replaced, z) else {
                return e;
            };
            e = match &*pool.node(kernel) {
                Node::Apply(Function::Exp, args) => {
                    pool.sub(args[0], pool.apply(Function::Log, value))
                }
                Node::Apply(Function::Log, args) => {
                    pool.sub(args[0], pool.apply(Function::Exp, value))
                }
                _ => return e,
            };
        }
        e
    }

    fn peeled_root(&self, e: Expr, kernel: Expr, unknowns: &[Expr]) -> Option<Expr> {
        let pool = self.pool();
        let (base, degree) = radicand(pool, kernel)?;
        let unknown = unknowns.iter().find(|u| pool.symbols_of(e).contains(u))?;
        let inside = self.in_kernels(e, *unknown)?;
        let &[(_, z)] = inside.list.as_slice() else {
            return None;
        };
        let value = self.single(inside.equation, z)?;
        Some(pool.sub(base, pool.powi(value, degree)))
    }

    /// The root of an equation that is linear in z with a number before it.
    fn single(&self, e: Expr, z: Expr) -> Option<Expr> {
        let pool = self.pool();
        let (coefficients, _) = pool.polynomial_in(e, z)?;
        match coefficients.as_slice() {
            [rest, slope] if pool.is_constant(*slope) => Some(pool.neg(pool.div(*rest, *slope))),
            _ => None,
        }
    }

    /// From the values of a kernel to those of the unknown in it.
    fn through(
        &self,
        ways: Vec<Isolation>,
        (kernel, z): (Expr, Expr),
        u: Expr,
        depth: u32,
    ) -> Option<Vec<Isolation>> {
        let pool = self.pool();
        let by = FxHashMap::from_iter([(z, kernel)]);
        let mut all = Vec::new();
        for way in ways {
            let outer = way.conditions_with(pool, &by);
            for mut inner in self.undo(kernel, way.value, u, depth)? {
                inner.conditions.extend(outer.iter().copied());
                all.push(inner);
            }
        }
        Some(all)
    }

    /// Solves `kernel = value` for the unknown in the kernel.
    fn undo(&self, kernel: Expr, value: Expr, u: Expr, depth: u32) -> Option<Vec<Isolation>> {
        let pool = self.pool();
        let one = pool.one();
        let log = |e| pool.apply(Function::Log, e);
        let (argument, inverse) = match pool.owned(kernel) {
            Node::Symbol(_) => return Some(vec![Isolation::new(value, Vec::new())]),
            Node::Apply(Function::Atan2, args) => {
                // the line through the origin at this angle
                let (sin, cos) = circular(pool, value);
                let line = pool.sub(pool.mul(args[0], cos), pool.mul(args[1], sin));
                return self.layer(line, u, depth);
            }
            Node::Apply(f, args) => {
                let squared = pool.powi(value, 2);
                let inverse = match f {
                    Function::Exp => log(value),
                    Function::Log => pool.apply(Function::Exp, value),
                    Function::Asin => pool.apply(Function::Sin, value),
                    Function::Acos => pool.apply(Function::Cos, value),
                    Function::Atan => pool.apply(Function::Tan, value),
                    Function::Sinh => log(pool.add(value, pool.sqrt(pool.add(squared, one)))),
                    Function::Tanh => {
                        let ratio = pool.div(pool.add(one, value), pool.sub(one, value));
                        pool.scale(log(ratio), &Number::HALF)
                    }
                    Function::Cosh => {
                        let size = log(pool.add(value, pool.sqrt(pool.sub(squared, one))));
                        return on_sides(args[0], Relation::Positive, |side| {
                            self.matched(args[0], pool.scale(size, side), u, depth)
                        });
                    }
                    _ => return None,
                };
                (args[0], inverse)
            }
            Node::Product(_, factors) => {
                let &[(base, exponent)] = factors.as_slice() else {
                    return None;
                };
                if pool.symbols_of(exponent).contains(&u) {
                    if pool.symbols_of(base).contains(&u) {
                        return None;
                    }
                    (exponent, pool.div(log(value), log(base)))
                } else {
                    (base, pool.pow(value, pool.powi(exponent, -1)))
                }
            }
            Node::Number(_) | Node::Sum(..) => return None,
        };
        self.matched(argument, inverse, u, depth)
    }

    /// Solves `argument = value` for the unknown in the argument. A symbol stands for the value
    /// meanwhile: that it means the argument keeps conditions short.
    pub(super) fn matched(
        &self,
        argument: Expr,
        value: Expr,
        u: Expr,
        depth: u32,
    ) -> Option<Vec<Isolation>> {
        let pool = self.pool();
        let w = self.standing_for(argument);
        let mut ways = self.layer(pool.sub(argument, w), u, depth)?;
        let by = FxHashMap::from_iter([(w, value)]);
        for way in &mut ways {
            way.value = pool.substitute(way.value, &by);
            way.period = way.period.map(|p| pool.substitute(p, &by));
        }
        Some(ways)
    }

    /// The argument of the innermost `abs` or `sign` with the unknown in it.
    fn folded(&self, e: Expr, u: Expr) -> Option<Expr> {
        let pool = self.pool();
        let mut found = None;
        pool.visit(&[e], &mut |_, node| {
            if let Node::Apply(Function::Abs | Function::Sign, args) = node
                && found.is_none()
                && pool.symbols_of(args[0]).contains(&u)
            {
                found = Some(args[0]);
            }
        });
        found
    }

    /// The two sides of a fold: `abs(h)` is h on one, -h on the other.
    fn unfold(&self, e: Expr, u: Expr, h: Expr, depth: u32) -> Option<Vec<Isolation>> {
        let pool = self.pool();
        // where the constraint is C^1 on the fold, the fold itself belongs to a branch too
        let positive = if self.trial().breaks_on(self.in_coordinates(h)) {
            Relation::Positive
        } else {
            Relation::AtLeast
        };
        on_sides(h, positive, |side| {
            let by = FxHashMap::from_iter([
                (pool.apply(Function::Abs, h), pool.scale(h, side)),
                (pool.apply(Function::Sign, h), pool.number(side.clone())),
            ]);
            self.layer(pool.substitute(e, &by), u, depth)
        })
    }

    /// An equation with the unknown under a root and elsewhere. A root of a linear radicand takes
    /// the place of the unknown; another one is taken to one side and raised to its power. The new
    /// equation is a multiple of the old one, by something that is zero only where the root or what
    /// stands before it is: the conditions, stated in the coordinates, pick the right one of its solutions.
    fn radical(&self, inside: &InKernels, u: Expr, depth: u32) -> Option<Vec<Isolation>> {
        let pool = self.pool();
        let (root, z, base, degree) = inside.list.iter().find_map(|&(kernel, z)| {
            let (base, degree) = radicand(pool, kernel)?;
            Some((kernel, z, base, degree))
        })?;
        if let Some((line, _)) = pool.polynomial_in(base, u)
            && let [rest, slope] = line.as_slice()
            && self.zeros(*slope) != Zeros::Elsewhere
            && let Some(equation) = {
                let u_by_z = pool.div(pool.sub(pool.powi(z, degree), *rest), *slope);
                self.only_root(inside, z, u, u_by_z)
            }
            && let Some((coefficients, _)) = pool.polynomial_in(equation, z)
            && let Some(ways) = self.polynomial(&coefficients, z)
        {
            return self.through(ways, (root, z), u, depth);
        }
        let (coefficients, _) = pool.polynomial_in(inside.equation, z)?;
        let back: FxHashMap<Expr, Expr> = inside.list.iter().map(|&(k, z)| (z, k)).collect();
        let &[rest, slope] = coefficients.as_slice() else {
            return None;
        };
        let (rest, slope) = (pool.substitute(rest, &back), pool.substitute(slope, &back));
        if self.zeros(slope) == Zeros::Elsewhere {
            return None;
        }
        let left = pool.mul(base, pool.powi(slope, degree));
        let right = pool.powi(pool.neg(rest), degree);
        self.layer(pool.sub(left, right), u, depth)
    }

    /// The equation in a root alone, where the unknown stands in nothing else but itself.
    fn only_root(&self, inside: &InKernels, z: Expr, u: Expr, value: Expr) -> Option<Expr> {
        let pool = self.pool();
        let [first, second] = inside.list.as_slice() else {
            return None;
        };
        let &(kernel, own) = if first.1 == z { second } else { first };
        (kernel == u).then(|| {
            pool.reduced(pool.substitute(inside.equation, &FxHashMap::from_iter([(own, value)])))
        })
    }
}

/// The ways on both sides of something, told the sign of it: each is right where that is so.
fn on_sides(
    of: Expr,
    positive: Relation,
    ways: impl Fn(&Number) -> Option<Vec<Isolation>>,
) -> Option<Vec<Isolation>> {
    let mut all = Vec::new();
    for (side, relation) in [
        (Number::ONE, positive),
        (Number::MINUS_ONE, Relation::Negative),
    ] {
        for mut way in ways(&side)? {
            way.conditions.insert(0, (of, relation));
            all.push(way);
        }
    }
    Some(all)
}
