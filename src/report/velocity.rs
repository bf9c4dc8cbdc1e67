//! Velocity constraints in the JSON answers.

use super::json::{expressions, object, printed};
use crate::analysis::{BoundVelocities, Model};
use crate::expr::Expr;
use crate::mechanics::{Derivation, Holonomy};
use crate::theorem::SymbolicDeterminant;
use serde_json::{Value, json};

/// The velocity constraints, and which of them are holonomic.
pub(super) fn velocity_constraints(model: &Model) -> Value {
    let pool = &model.system.pool;
    let list = model.system.velocity_constraints.iter();
    let list = list
        .zip(&model.equations.velocity.speeds)
        .zip(model.holonomy());
    let entries = list.map(|((c, speed), holonomy)| {
        let integral = match holonomy {
            Holonomy::Integral(e) => Some(pool.print(*e)),
            _ => None,
        };
        let entry = json!({
            "expression": pool.print(*speed),
            "row": printed(model, &c.row),
            "b": pool.print(c.b),
            "holonomic": (*holonomy != Holonomy::Unknown).then_some(true),
            "integral": integral,
        });
        (&c.name, entry)
    });
    object(entries)
}

/// det W of the dependent columns: what stands here holds where no factor is zero.
fn determinant(model: &Model, columns: &[usize]) -> Value {
    let rows = model.equations.rows().take(columns.len());
    let det = SymbolicDeterminant::of(&model.system, rows, columns);
    json!({
        "symbolic": det.whole.map(|e| model.system.pool.print(e)),
        "factors": printed(model, &det.factors),
    })
}

/// The velocities that the velocity constraints make dependent, at a place.
pub(super) fn bound(model: &Model, bound: &BoundVelocities) -> Value {
    let mut det = determinant(model, &bound.columns);
    det["value"] = json!(bound.determinant);
    json!({
        "rank": bound.rank,
        "dependent": model.names(&bound.columns),
        "determinant": det,
    })
}

/// The forms for all constraints together, W = [J; A] in the place of J.
pub(super) fn whole(model: &Model, d: &Derivation) -> Value {
    let independent = model.names(&d.independent);
    let named = |names: &[String], list: &Option<Vec<Expr>>| {
        list.as_ref().map(|list| expressions(model, names, list))
    };
    json!({
        "dependent": model.names(&d.dependent),
        "determinant": determinant(model, &d.dependent),
        "multipliers": named(model.multiplier_names(), &d.multipliers),
        "equations": named(&independent, &d.reduced),
    })
}
