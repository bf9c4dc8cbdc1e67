//! Velocity constraints A(x; t) x' + b(x; t) = 0, written as an expression or as `lhs = rhs`.

use super::Builder;
use super::symbols::{NamedVelocity, Symbols};
use crate::expr::Expr;
use crate::system::names::{Context, Reach};
use crate::system::schema::{Scalar, Value};
use crate::system::{Coordinate, VelocityConstraint, quote};
use std::ops::Range;

const VELOCITY_CONSTRAINT: Context = Context::new("a velocity constraint", Reach::State);

impl Builder<'_> {
    /// The velocity constraints in the order of the file.
    pub fn velocity_constraints(&mut self, symbols: &Symbols) -> Vec<VelocityConstraint> {
        let (n, m) = (symbols.coordinates.len(), symbols.constraints.len());
        let named = &symbols.velocity_constraints;
        if let Some(first) = named.get(n.saturating_sub(m)) {
            let message = format!(
                "there are {} constraints and {} velocity constraints on {n} coordinate{}: at most {n} can hold",
                m,
                named.len(),
                if n == 1 { "" } else { "s" },
            );
            self.fail(first.key.span.clone(), message);
            return Vec::new();
        }
        let velocity = |c| self.velocity_constraint(c, symbols);
        named.iter().filter_map(velocity).collect()
    }

    fn velocity_constraint(
        &mut self,
        named: &NamedVelocity,
        symbols: &Symbols,
    ) -> Option<VelocityConstraint> {
        let name = quote(&named.key.value);
        let what = format!("the velocity constraint `{name}`");
        let scalar = match &named.node.value {
            Value::Scalar(scalar) if !named.node.is_nothing() => scalar,
            _ => {
                let expected = "an expression or an equation such as `x' = r*th'`";
                return self.wrong_kind(named.node, &what, expected);
            }
        };
        let (left, right) = self.sides_of(scalar, VELOCITY_CONSTRAINT)?;
        let e = self.pool.sub(left, right);
        let velocities: Vec<Expr> = symbols.coordinates.iter().map(|c| c.v).collect();
        let simple = self.pool.simplify(e);
        if !self.pool.contains_any(simple, &velocities) {
            let help = "a constraint without velocities belongs under `constraints`";
            let message = format!("{what} contains no velocity");
            return self.refuse_with(named.node.span.clone(), message, help);
        }
        let pool = &self.pool;
        let Some((row, b)) = pool.linear_in(simple, &velocities, &|e| pool.simplify(e)) else {
            let all = &symbols.coordinates;
            let within = |e: Expr| {
                let inside = pool.symbols_of(e);
                all.iter().find(|c| inside.contains(&c.v))
            };
            let mut slopes = velocities
                .iter()
                .map(|v| pool.simplify(pool.derivative(simple, *v)));
            let jumps = |c: &&Coordinate| pool.may_jump(simple, &[c.v]);
            let bent = slopes.find_map(within);
            let bent = bent.or_else(|| all.iter().find(jumps));
            let bent = bent.or_else(|| within(simple))?;
            let place = velocity_in(scalar, &bent.name);
            let place = place.map_or(scalar.span.clone(), |part| scalar.place(&part));
            let message = format!("{what} is not linear in {}'", quote(&bent.name));
            let help = "a velocity constraint is a sum of velocities, each times a function of coordinates and t, and such a function";
            return self.refuse_with(place, message, help);
        };
        Some(VelocityConstraint {
            name: named.key.value.clone(),
            row,
            b: pool.simplify(b),
            multiplier: named.multiplier,
        })
    }
}

/// Where a velocity stands in a text, the first time.
fn velocity_in(scalar: &Scalar, name: &str) -> Option<Range<usize>> {
    let text = scalar.value.as_str();
    let velocity = format!("{name}'");
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(&velocity)
        .find(|(at, _)| !text[..*at].chars().next_back().is_some_and(is_part))
        .map(|(at, _)| at..at + velocity.len())
}
