//! Velocity constraints in the JSON answers.

use super::json::{expressions, object, printed};
use crate::analysis::Model;
use crate::expr::Expr;
use crate::mechanics::{Derivation, Holonomy};
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

/// The forms for all constraints together, W = [J; A] in the place of J.
pub(super) fn whole(model: &Model, d: &Derivation) -> Value {
    let independent = model.names(&d.independent);
    let named = |names: &[String], list: &Option<Vec<Expr>>| {
        list.as_ref().map(|list| expressions(model, names, list))
    };
    json!({
        "dependent": model.names(&d.dependent),
        "multipliers": named(model.multiplier_names(), &d.multipliers),
        "equations": named(&independent, &d.reduced),
    })
}
