//! The methods beside each other: the `compare` object.

use super::each;
use crate::analysis::{Model, along};
use crate::report::title;
use crate::solver::{Column, Comparison, Method};
use serde_json::{Value, json};

/// Parts of the time in which the methods are compared.
const ALONG: usize = 100;

/// The interface's `compare` object.
pub fn compare_json(model: &Model, comparison: &Comparison) -> Value {
    let along = along(comparison, ALONG);
    json!({
        "system": title(model),
        "methods": each(&comparison.methods, Method::name),
        "differences": each(&comparison.differences, |d| json!({
            "column": column_name(model, d.column), "max": d.max, "t": d.t, "tolerance": d.tolerance,
        })),
        "agree": comparison.agree,
        "until": comparison.until,
        "chaotic": comparison.chaotic,
        "singular": comparison.singular,
        "costs": each(&comparison.motions, |m| json!({
            "method": m.method.name(),
            "steps": m.steps,
            "evaluations": m.evaluations,
            "stiff_from": m.stiff_from,
            "steppers": m.work,
        })),
        // how far every two methods differ in each part of the time, relative to what is allowed
        "along": {
            "t": along.t,
            "pairs": each(along.pairs, |pair| json!({
                "methods": pair.methods.map(|m| m.name()), "relative": pair.parts,
            })),
        },
        "because": comparison.because.as_ref().map(crate::report::refusal_sentence),
    })
}

/// The name of a column that the methods are compared by.
pub(in crate::report) fn column_name(model: &Model, column: Column) -> String {
    let x = |k: usize| &model.coordinate_names()[k];
    match column {
        Column::Coordinate(k) => x(k).clone(),
        Column::Velocity(k) => format!("{}'", x(k)),
        Column::Multiplier(b) => format!("lambda_{}", model.multiplier_names()[b]),
        Column::Reaction(k) => format!("R_{}", x(k)),
    }
}
