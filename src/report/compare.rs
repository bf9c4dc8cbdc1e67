//! What `compare` says.

use super::table::aligned;
use super::{number, title};
use crate::analysis::Model;
use crate::solver::{Column, Comparison};
use serde_json::{Value, json};
use std::fmt::Write;

fn column_name(model: &Model, column: Column) -> String {
    let x = |k: usize| model.coordinate_names()[k].clone();
    match column {
        Column::Coordinate(k) => x(k),
        Column::Velocity(k) => format!("{}'", x(k)),
        Column::Multiplier(b) => format!("lambda_{}", model.constraint_names()[b]),
        Column::Reaction(k) => format!("R_{}", x(k)),
    }
}

/// The interface's `compare` object.
pub fn compare_json(model: &Model, comparison: &Comparison) -> Value {
    let differences: Vec<Value> = comparison
        .differences
        .iter()
        .map(|d| {
            json!({
                "column": column_name(model, d.column),
                "max": d.max,
                "tolerance": d.tolerance,
            })
        })
        .collect();
    let costs: Vec<Value> = comparison
        .motions
        .iter()
        .map(|m| json!({"method": m.method.name(), "steps": m.steps, "evaluations": m.evaluations}))
        .collect();
    json!({
        "system": title(model),
        "methods": comparison.methods.iter().map(|m| m.name()).collect::<Vec<_>>(),
        "differences": differences,
        "agree": comparison.agree,
        "until": comparison.until,
        "chaotic": comparison.chaotic,
        "costs": costs,
        "because": comparison.because.as_ref().map(ToString::to_string),
    })
}

/// `compare` as text.
pub fn compare_text(model: &Model, comparison: &Comparison) -> String {
    let mut out = String::new();
    let names: Vec<&str> = comparison.methods.iter().map(|m| m.name()).collect();
    let verdict = if comparison.agree { "AGREE" } else { "DIFFER" };
    let _ = writeln!(
        out,
        "The methods {} {verdict} up to t = {}",
        names.join(", "),
        number(comparison.until)
    );
    if comparison.chaotic {
        let _ = writeln!(
            out,
            "  the motion is chaotic: beyond that time it does not remember its start to 1e-3"
        );
    }
    if let Some(because) = &comparison.because {
        let _ = writeln!(out, "  {because}");
    }
    let _ = writeln!(out, "\n{}", title(model));
    let mut rows = vec![vec![
        "column".to_owned(),
        "largest difference".to_owned(),
        "allowed".to_owned(),
    ]];
    for d in &comparison.differences {
        rows.push(vec![
            format!("  {}", column_name(model, d.column)),
            format!("{:.1e}", d.max),
            format!("{:.1e}", d.tolerance),
        ]);
    }
    for line in aligned(&rows) {
        let _ = writeln!(out, "{line}");
    }
    let mut rows = vec![vec![
        "method".to_owned(),
        "steps".to_owned(),
        "evaluations".to_owned(),
    ]];
    for m in &comparison.motions {
        rows.push(vec![
            format!("  {}", m.method.name()),
            m.steps.to_string(),
            m.evaluations.to_string(),
        ]);
    }
    let _ = writeln!(out);
    for line in aligned(&rows) {
        let _ = writeln!(out, "{line}");
    }
    out
}
