//! Kernels: what an unknown stands in. In `2*sin(v)^2 + sqrt(v + 1)` the kernels of v are `sin(v)` and
//! `sqrt(v + 1)`; with a symbol in the place of each, an equation is a polynomial.

use super::solver::Solver;
use crate::expr::{Expr, Function, Node, Number, Pool};
use rustc_hash::FxHashMap;

/// An equation with its kernels taken out.
pub(super) struct InKernels {
    /// The equation in the placeholders.
    pub equation: Expr,
    /// Kernels with their placeholders, in the order met.
    pub list: Vec<(Expr, Expr)>,
}

impl Solver<'_> {
    /// Takes the kernels of an unknown out of an expression; `None` where it has too many.
    pub(super) fn in_kernels(&self, e: Expr, unknown: Expr) -> Option<InKernels> {
        const MOST: usize = 8;
        let mut list = Vec::new();
        let equation = self.take_out(e, unknown, &mut list);
        (!list.is_empty() && list.len() <= MOST).then_some(InKernels { equation, list })
    }

    fn take_out(&self, e: Expr, unknown: Expr, list: &mut Vec<(Expr, Expr)>) -> Expr {
        let pool = self.pool();
        if !pool.symbols_of(e).contains(&unknown) {
            return e;
        }
        match pool.owned(e) {
            Node::Sum(constant, terms) => {
                let mut parts = vec![pool.number(constant)];
                for (term, k) in terms {
                    let term = self.take_out(term, unknown, list);
                    parts.push(pool.scale(term, &k));
                }
                pool.sum(parts)
            }
            Node::Product(coefficient, factors) => {
                let mut parts = vec![pool.number(coefficient)];
                for (base, exponent) in factors {
                    parts.push(match pool.as_number(exponent) {
                        Some(q) if q.is_integer() => {
                            let base = self.take_out(base, unknown, list);
                            pool.pow(base, exponent)
                        }
                        Some(q) => match root_of(pool, base, &q) {
                            Some(root) => {
                                let z = self.place(root, list);
                                pool.pow(z, pool.number(q.numerator()))
                            }
                            None => self.place(pool.pow(base, exponent), list),
                        },
                        None => self.place(pool.pow(base, exponent), list),
                    });
                }
                pool.product(parts)
            }
            Node::Number(_) | Node::Symbol(_) | Node::Apply(..) => self.place(e, list),
        }
    }

    fn place(&self, kernel: Expr, list: &mut Vec<(Expr, Expr)>) -> Expr {
        if let Some((_, z)) = list.iter().find(|(k, _)| *k == kernel) {
            return *z;
        }
        let z = self.standing_for(kernel);
        list.push((kernel, z));
        z
    }

    /// The one kernel in which an unknown stands in all of these expressions, where it is one and
    /// not the unknown itself.
    pub(super) fn only_kernel(&self, list: &[Expr], unknown: Expr) -> Option<Expr> {
        let only = self.only(list, unknown, Some);
        only.filter(|kernel| *kernel != unknown)
    }

    /// The one argument of the sines and cosines in which an unknown stands in all of these
    /// expressions, where it stands in nothing else.
    pub(super) fn only_angle(&self, list: &[Expr], unknown: Expr) -> Option<Expr> {
        self.only(list, unknown, |kernel| match &*self.pool().node(kernel) {
            Node::Apply(Function::Sin | Function::Cos, args) => Some(args[0]),
            _ => None,
        })
    }

    /// What all kernels of an unknown have in common, where it is the same of all.
    fn only(
        &self,
        list: &[Expr],
        unknown: Expr,
        of: impl Fn(Expr) -> Option<Expr>,
    ) -> Option<Expr> {
        let mut only = None;
        for &e in list {
            for (kernel, _) in self.in_kernels(e, unknown)?.list {
                let own = of(kernel)?;
                if *only.get_or_insert(own) != own {
                    return None;
                }
            }
        }
        only
    }

    /// An equation in `exp`, `sinh`, `cosh`, `tanh` of rational multiples of one argument, as a
    /// polynomial equation in `exp` of that argument: the equation, the kernel and its placeholder.
    pub(super) fn in_exponential(&self, inside: &InKernels) -> Option<(Expr, Expr, Expr)> {
        let pool = self.pool();
        let mut arguments: Vec<Expr> = Vec::new();
        for (kernel, _) in &inside.list {
            match &*pool.node(*kernel) {
                Node::Apply(
                    Function::Exp | Function::Sinh | Function::Cosh | Function::Tanh,
                    args,
                ) => arguments.push(args[0]),
                _ => return None,
            }
        }
        let &first = arguments.first()?;
        let ratios: Vec<Number> = arguments
            .iter()
            .map(|&a| pool.as_number(pool.reduced(pool.div(a, first))))
            .collect::<Option<_>>()?;
        let unit = ratios.iter().fold(Number::ZERO, |g, r| g.content(r));
        let argument = pool.scale(first, &unit);
        let kernel = pool.apply(Function::Exp, argument);
        let z = self.standing_for(kernel);
        let mut by = FxHashMap::default();
        for ((kernel, place), ratio) in inside.list.iter().zip(&ratios) {
            let power = ratio.div(&unit)?.to_i64().filter(|n| n.abs() <= 6)?;
            let (up, down) = (pool.powi(z, power), pool.powi(z, -power));
            let (sum, difference) = (pool.add(up, down), pool.sub(up, down));
            let value = match &*pool.node(*kernel) {
                Node::Apply(Function::Exp, _) => up,
                Node::Apply(Function::Sinh, _) => pool.scale(difference, &Number::HALF),
                Node::Apply(Function::Cosh, _) => pool.scale(sum, &Number::HALF),
                _ => pool.div(difference, sum),
            };
            by.insert(*place, value);
        }
        Some((pool.substitute(inside.equation, &by), kernel, z))
    }
}

/// `base^(1/q)` for the exponent p/q.
fn root_of(pool: &Pool, base: Expr, exponent: &Number) -> Option<Expr> {
    let degree = exponent.denominator().to_i64().filter(|d| *d <= 12)?;
    Some(pool.pow(base, pool.number(Number::ratio(1, degree)?)))
}

/// A root as its radicand and degree.
pub(super) fn radicand(pool: &Pool, kernel: Expr) -> Option<(Expr, i64)> {
    match &*pool.node(kernel) {
        Node::Product(coefficient, factors) if coefficient.is_one() && factors.len() == 1 => {
            let (base, exponent) = factors[0];
            let degree = pool.as_number(exponent)?.recip()?.to_i64()?;
            (degree >= 2).then_some((base, degree))
        }
        _ => None,
    }
}
