//! The methods beside each other: the `compare` object.

use super::motion::steppers;
use crate::analysis::{Model, along};
use crate::report::title;
use crate::solver::{Column, Comparison, Method};
use serde_json::{Value, json};

/// Parts of the time in which the methods are compared.
const ALONG: usize = 100;

/// The interface's `compare` object.
pub fn compare_json(model: &Model, comparison: &Comparison) -> Value {
    let differences: Vec<Value> = comparison
        .differences
        .iter()
        .map(|d| {
            let column = column_name(model, d.column);
            json!({"column": column, "max": d.max, "t": d.t, "tolerance": d.tolerance})
        })
        .collect();
    let costs: Vec<Value> = comparison
        .motions
        .iter()
        .map(|m| {
            json!({
                "method": m.method.name(),
                "steps": m.steps,
                "evaluations": m.evaluations,
                "stiff_from": m.stiff_from,
                "steppers": steppers(m),
            })
        })
        .collect();
    json!({
        "system": title(model),
        "methods": comparison.methods.iter().map(Method::name).collect::<Vec<_>>(),
        "differences": differences,
        "agree": comparison.agree,
        "until": comparison.until,
        "chaotic": comparison.chaotic,
        "costs": costs,
        "along": along_json(comparison),
        "because": comparison.because.as_ref().map(crate::report::refusal_sentence),
    })
}

/// How far every two methods differ in each part of the time, relative to what is allowed.
fn along_json(comparison: &Comparison) -> Value {
    let along = along(comparison, ALONG);
    let pairs = along.pairs.iter().map(|pair| {
        json!({
            "methods": pair.methods.map(|m| m.name()),
            "relative": pair.parts,
        })
    });
    let pairs: Vec<Value> = pairs.collect();
    json!({"t": along.t, "pairs": pairs})
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
