//! How large the terms of an expression are on a motion, and by how much the motion may have it off.
//!
//! The terms are those of the expression as it is read, sums inside products multiplied out. Outputs stand for sums of their own: the energy for
//! its terms, a force of constraint for those that it balances,
//!
//! ```text
//! R_k = E_k,   lambda_b = grad f_b . R / |grad f_b|^2   where b is alone.
//! ```

use crate::analysis::Model;
use crate::expr::{Expr, Function, Number};
use crate::solver::Sample;
use crate::system::OutputKind;
use rustc_hash::FxHashMap;

/// A motion may be off by so many times its tolerances.
const GROWN: f64 = 100.0;

impl Model {
    /// The largest sum of the sizes of the terms of some expressions at these samples, and by how much they may be off together, by the
    /// tolerances of the run. What is not finite at a sample counts for nothing there.
    pub(super) fn sizes(&self, samples: &[Sample], list: &[Expr]) -> (f64, f64) {
        let system = &self.system;
        let pool = &system.pool;
        let terms = list
            .iter()
            .map(|e| pool.magnitude_of(*e, self.outputs_in(*e)));
        let terms = pool.sum(terms);
        let run = &system.run;
        let number = |v: f64| Number::from_f64(v).unwrap_or(Number::ZERO);
        let [relative, absolute] = [run.rtol, run.atol].map(|v| pool.number(number(GROWN * v)));
        let coordinates = system.coordinates.iter().flat_map(|c| [c.x, c.v]);
        let mut off = Vec::new();
        for e in list {
            let inside = pool.symbols_of(*e);
            for q in coordinates.clone().filter(|q| inside.contains(q)) {
                let slope = pool.apply(Function::Abs, pool.derivative(*e, q));
                let own = pool.mul(relative, pool.apply(Function::Abs, q));
                off.push(pool.mul(slope, pool.add(own, absolute)));
            }
            // what is solved for is as exact as what it is balanced by
            let accelerations = system
                .coordinates
                .iter()
                .map(|c| (c.a, pool.apply(Function::Abs, c.a)));
            for (q, size) in accelerations
                .chain(self.outputs_in(*e))
                .filter(|(q, _)| inside.contains(q))
            {
                let slope = pool.apply(Function::Abs, pool.derivative(*e, q));
                off.push(pool.product([relative, slope, size]));
            }
        }
        let values = self.evaluate(samples, &[terms, pool.sum(off)]);
        let most = |list: &Vec<f64>| {
            let finite = list.iter().copied().filter(|v| v.is_finite());
            finite.fold(0.0, f64::max)
        };
        (
            values.first().map_or(0.0, most),
            values.get(1).map_or(0.0, most),
        )
    }

    /// The outputs in an expression that stand for sums, with the sizes of their terms.
    fn outputs_in(&self, e: Expr) -> FxHashMap<Expr, Expr> {
        let system = &self.system;
        let pool = &system.pool;
        let inside = pool.symbols_of(e);
        let mut sizes = FxHashMap::default();
        for output in system.outputs.iter().filter(|o| inside.contains(&o.symbol)) {
            let size = match output.kind {
                OutputKind::Energy => pool.magnitude(self.equations.energy),
                OutputKind::Reaction(k) => match self.equations.euler_lagrange.get(k) {
                    Some(balanced) => pool.magnitude(*balanced),
                    None => continue,
                },
                OutputKind::Residual => {
                    pool.sum(system.constraints.iter().map(|c| pool.magnitude(c.f)))
                }
                OutputKind::Determinant => continue,
            };
            sizes.insert(output.symbol, size);
        }
        let rows = system.multipliers().zip(self.equations.rows());
        for (multiplier, row) in rows.filter(|(multiplier, _)| inside.contains(multiplier)) {
            let balanced = row.iter().zip(&self.equations.euler_lagrange);
            let along =
                balanced.map(|(w, e)| pool.mul(pool.apply(Function::Abs, *w), pool.magnitude(*e)));
            let square = row.iter().map(|w| pool.powi(*w, 2));
            sizes.insert(multiplier, pool.div(pool.sum(along), pool.sum(square)));
        }
        sizes
    }
}
