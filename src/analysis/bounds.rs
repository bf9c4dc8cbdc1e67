//! The constraints over boxes.

use crate::expr::{Expr, Interval, Matrix, Node, Pool};
use crate::interval;
use crate::mechanics::Equations;
use crate::system::System;
use crate::theorem::{Chart, SymbolicDeterminant};
use rustc_hash::FxHashMap;
use std::cell::OnceCell;

/// The constraints over boxes.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// f - c as functions of the variables.
    pub equations: interval::Equations,
    /// The coordinates, the parameters that range, and t.
    pub variables: Vec<Expr>,
    /// The other parameters, known to half an ulp.
    pub constants: Vec<(Expr, Interval)>,
    f: Vec<Expr>,
    /// df/dx, a row a constraint
    gradients: Matrix,
    /// parameters that are worked out of those that range, by these and constants
    following: FxHashMap<Expr, Expr>,
    /// are there parameters that range?
    ranges: bool,
    /// the constraints as who checks a proof has them
    checked: OnceCell<interval::Equations>,
}

impl Bounds {
    /// Of a system with these equations, some of whose parameters range.
    pub(super) fn new(system: &System, mechanics: &Equations, ranging: &[usize]) -> Self {
        let pool = &system.pool;
        let ranges = |place: usize| ranging.contains(&place);
        let symbols = ranging.iter().map(|p| system.parameters[*p].symbol);
        let own = system.coordinates.iter().map(|c| c.x);
        let variables: Vec<Expr> = own.chain(symbols).chain([system.t]).collect();
        let all = system.parameters.iter().enumerate();
        let constants = all.clone().filter(|(place, _)| !ranges(*place));
        let bounds = system.parameter_bounds();
        let constants: Vec<(Expr, Interval)> = constants
            .map(|(place, p)| (p.symbol, bounds[place]))
            .collect();
        // what is worked out of parameters that range goes with them
        let mut following = FxHashMap::default();
        for (place, p) in all.filter(|_| !ranging.is_empty()) {
            let given = pool.substitute(p.given, &following);
            if !ranges(place) && pool.contains_any(given, &variables) {
                following.insert(p.symbol, given);
            }
        }
        let along = |e: Expr| {
            if following.is_empty() {
                return e;
            }
            pool.substitute(e, &following)
        };
        let levels = system.constraints.iter();
        let f: Vec<Expr> = levels.map(|c| along(pool.sub(c.f, c.c))).collect();
        let gradients = mechanics.gradients.iter();
        let gradients: Matrix = gradients
            .map(|row| row.iter().map(|e| along(*e)).collect())
            .collect();
        let slopes = gradients.iter().zip(&f).zip(&mechanics.f_t);
        let slopes: Matrix = slopes
            .map(|((row, f), f_t)| {
                let symbols = &variables[row.len()..variables.len() - 1];
                let by = symbols.iter().map(|p| pool.derivative(*f, *p));
                let f_t = [along(*f_t)];
                row.iter().copied().chain(by).chain(f_t).collect()
            })
            .collect();
        let equations =
            interval::Equations::with_gradients(pool, &variables, &constants, &f, &slopes);
        Self {
            equations,
            variables,
            constants,
            f,
            gradients,
            following,
            ranges: !ranging.is_empty(),
            checked: OnceCell::new(),
        }
    }

    /// The constraints as who checks a proof has them.
    pub(crate) fn as_checked(&self, pool: &Pool) -> &interval::Equations {
        self.checked.get_or_init(|| self.in_sums(pool, &self.f))
    }

    /// Expressions as they come, with slopes that are multiplied out, or where there are functions in them simplified: who
    /// checks has 1/cosh^2 for the slope of tanh, which is no sum.
    pub(crate) fn in_sums(&self, pool: &Pool, list: &[Expr]) -> interval::Equations {
        let Self {
            variables,
            constants,
            ..
        } = self;
        let slope = |f: Expr, x: Expr| {
            let e = pool.derivative(f, x);
            let simple = simplified(pool, e);
            simple.unwrap_or_else(|| pool.multiplied_out(e))
        };
        let row = |f: &Expr| variables.iter().map(|x| slope(*f, *x)).collect();
        let slopes: Matrix = list.iter().map(row).collect();
        interval::Equations::with_gradients(pool, variables, constants, list, &slopes)
    }

    /// Some of the constraints.
    pub(super) fn of(&self, pool: &Pool, list: &[usize]) -> interval::Equations {
        let list: Vec<Expr> = list.iter().map(|b| self.f[*b]).collect();
        interval::Equations::new(pool, &self.variables, &self.constants, &list)
    }

    /// The constraints together with one more expression that is zero.
    pub(super) fn and_zero(&self, pool: &Pool, e: Expr) -> interval::Equations {
        let list: Vec<Expr> = self.f.iter().copied().chain([e]).collect();
        interval::Equations::new(pool, &self.variables, &self.constants, &list)
    }

    /// The constraints together with det J_D = 0, over boxes; `None` where the determinant is too large to
    /// write out.
    pub(super) fn with_determinant(
        &self,
        pool: &Pool,
        det: &SymbolicDeterminant,
    ) -> Option<interval::Equations> {
        let square_free = if self.ranges {
            // what depends on parameters alone vanishes for some of them
            let blocks = det.blocks.iter().map(|(.., value)| *value);
            let blocks = blocks.collect::<Option<Vec<Expr>>>()?;
            let factors = blocks.into_iter().flat_map(|value| {
                let value = pool.substitute(value, &self.following);
                let found = pool.factors(value);
                let bases = found.factors.into_iter().map(|(factor, _)| factor);
                bases.chain([found.unit]).collect::<Vec<Expr>>()
            });
            pool.product(factors)
        } else {
            pool.product(det.factors.iter().copied())
        };
        det.whole.filter(|_| !det.vanishes)?;
        Some(self.and_zero(pool, square_free))
    }

    /// A choice of dependent coordinates, prepared for proofs.
    pub(super) fn chart(&self, pool: &Pool, dependent: &[usize]) -> Chart {
        let (variables, constants) = (&self.variables, &self.constants);
        Chart::new(pool, variables, constants, &self.gradients, dependent)
    }
}

/// An expression with functions, simplified, unless that takes a sum out of it: over a common denominator, or with something that not
/// all terms have, who checks has no bounds.
pub(crate) fn simplified(pool: &Pool, e: Expr) -> Option<Expr> {
    let simple = pool.has_functions(e).then(|| pool.reduced(e))?;
    let node = pool.node(simple);
    let is_sum = |base: &Expr| matches!(&*pool.node(*base), Node::Sum(..));
    match &*node {
        Node::Product(_, factors) if factors.len() > 1 => {
            let sums = factors.iter().any(|(base, _)| is_sum(base));
            (!sums).then_some(simple)
        }
        _ => Some(simple),
    }
}
