//! The points where a factor of the determinant meets the constraint set, in symbols.
//!
//! {factor = 0, f = c} has as many equations as coordinates where the points are isolated: they are the inverse
//! function of (f, factor) at (c, 0), solved by the same rules. What comes out is kept only where it is, one to one,
//! the points that were certified.

use super::Model;
use crate::expr::{Expr, Function, Style, SymbolKind};
use crate::system::{Constraint, Release, System};
use crate::theorem::{SingularPoint, invert, value_at};
use rustc_hash::FxHashMap;

/// A point in symbols and one in numbers are the same where they differ by no more than this part of max(1, |x|).
const SAME: f64 = 1e-7;

/// Points in symbols.
pub struct SymbolicPoints {
    system: System,
    list: Vec<Vec<Expr>>,
}

impl SymbolicPoints {
    /// `(l, 0), (-l, 0)`
    pub fn text(&self, style: Style) -> String {
        let pool = &self.system.pool;
        let one = |point: &Vec<Expr>| {
            let parts: Vec<String> = point.iter().map(|e| pool.print_as(*e, style)).collect();
            format!("({})", parts.join(", "))
        };
        let list: Vec<String> = self.list.iter().map(one).collect();
        list.join(", ")
    }
}

impl Model {
    /// Certified points of a factor in symbols, in the same order.
    pub fn places_in_symbols(
        &self,
        factor: Expr,
        known: &[SingularPoint],
    ) -> Option<SymbolicPoints> {
        let n = self.system.coordinates.len();
        if self.rheonomic() || n != self.system.constraints.len() + 1 {
            return None;
        }
        let system = self.with_factors(&[factor]);
        let pool = &system.pool;
        let all: Vec<usize> = (0..n).collect();
        let inverse = invert(&system, &all);
        let mut at: FxHashMap<Expr, Expr> =
            system.constraints.iter().map(|c| (c.level, c.c)).collect();
        // the sign that it has in the file is that of the certified points
        for p in system.parameters.iter().filter(|p| p.value > 0.0) {
            at.insert(pool.apply(Function::Abs, p.symbol), p.symbol);
        }
        let mut left: Vec<Option<Vec<Expr>>> = vec![None; known.len()];
        for branch in inverse.branches() {
            let point = pool.substitute_all(&branch.functions, &at);
            let point: Vec<Expr> = point
                .into_iter()
                .map(|e| pool.substitute(pool.simplify(e), &at))
                .collect();
            let values: Vec<f64> = point
                .iter()
                .map(|e| value_at(&system, *e, &|_| f64::NAN))
                .collect();
            let place = known.iter().position(|p| {
                let mut pairs = p.x.iter().zip(&values);
                pairs.all(|(a, b)| (a - b).abs() <= SAME * a.abs().max(1.0))
            });
            if let Some(place) = place {
                left[place] = Some(point);
            }
        }
        let list: Option<Vec<Vec<Expr>>> = left.into_iter().collect();
        list.map(|list| SymbolicPoints { system, list })
    }

    /// The system with factors as more constraints, at level 0.
    pub(super) fn with_factors(&self, factors: &[Expr]) -> System {
        let mut system = self.system.clone();
        let zero = system.pool.zero();
        for (j, &f) in factors.iter().enumerate() {
            // no text can name it
            let level = SymbolKind::Level(system.constraints.len());
            system.constraints.push(Constraint {
                name: String::new(),
                f,
                c: zero,
                typed: (f, zero),
                c_value: 0.0,
                level: system.pool.symbol(&format!("y#{j}"), level),
                multiplier: zero,
                side: None,
                release: Release::default(),
                place: None,
            });
        }
        system
    }
}
