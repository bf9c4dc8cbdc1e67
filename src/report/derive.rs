//! What `derive` says.

use super::check::{inverse_json, print_bounded};
use super::table::left;
use super::{expressions, title};
use crate::analysis::{Derived, Model, condition_text};
use crate::expr::{Expr, Style};
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// The interface's `derive` object.
pub fn derive_json(model: &Model, derived: &Derived) -> Value {
    let pool = &model.system.pool;
    let d = &derived.derivation;
    let coordinates = model.coordinate_names();
    let independent = model.names(&d.independent);
    let reduced = d
        .reduced
        .as_ref()
        .map(|list| expressions(model, independent.iter().zip(list.iter().copied())));
    let multipliers = d.multipliers.as_ref().map(|list| {
        expressions(
            model,
            model.constraint_names().iter().zip(list.iter().copied()),
        )
    });
    let in_branches: Option<Vec<Value>> = derived.in_branches.as_ref().map(|list| {
        list.iter()
            .map(|b| {
                json!({
                    "where": condition_text(&model.system, &b.conditions, Style::Plain),
                    "equations": expressions(model, independent.iter().zip(b.equations.iter().copied())),
                    "multipliers": expressions(model, model.constraint_names().iter().zip(b.multipliers.iter().copied())),
                })
            })
            .collect()
    });
    let stepwise: Vec<Value> = d
        .stepwise
        .iter()
        .map(|s| {
            json!({
                "constraint": model.constraint_names()[s.constraint],
                "eliminates": coordinates[s.eliminates],
                "pivot": pool.print(s.pivot),
                "multiplier": pool.print(s.multiplier),
            })
        })
        .collect();
    json!({
        "system": title(model),
        "lagrangian": pool.print(model.system.lagrangian),
        "coordinates": coordinates,
        "constraints": constraints_json(model),
        "dependent": model.names(&d.dependent),
        "independent": independent,
        "euler_lagrange": expressions(model, coordinates.iter().zip(model.equations.euler_lagrange.iter().copied())),
        "standard": derived.standard.iter().map(|e| pool.print(*e)).collect::<Vec<_>>(),
        "multipliers": multipliers,
        "reduced": reduced,
        "inverse": inverse_json(model, &derived.inverse, &d.dependent),
        "reduced_independent": in_branches,
        "stepwise": stepwise,
        "tangents": tangents_json(model, derived),
        "energy": pool.print(model.equations.energy),
        "notes": derived.notes,
    })
}

fn constraints_json(model: &Model) -> Value {
    let pool = &model.system.pool;
    let mut map = Map::new();
    for c in &model.system.constraints {
        map.insert(
            c.name.clone(),
            json!({"f": pool.print(c.f), "c": pool.print(c.c)}),
        );
    }
    Value::Object(map)
}

/// A basis of virtual displacements: one vector an independent coordinate, its entry for each coordinate.
fn tangents_json(model: &Model, derived: &Derived) -> Value {
    let d = &derived.derivation;
    let Some(rows) = &d.displacements else {
        return Value::Null;
    };
    let basis: Vec<Value> = d
        .independent
        .iter()
        .enumerate()
        .map(|(column, &own)| {
            let entries = (0..model.coordinate_names().len()).map(|k| {
                let pool = &model.system.pool;
                let e = match d.dependent.iter().position(|&x| x == k) {
                    Some(row) => rows[row][column],
                    None if k == own => pool.one(),
                    None => pool.zero(),
                };
                (&model.coordinate_names()[k], e)
            });
            expressions(model, entries)
        })
        .collect();
    json!({"basis": basis})
}

/// `derive` as text.
pub fn derive_text(model: &Model, derived: &Derived) -> String {
    let mut out = String::new();
    let d = &derived.derivation;
    let show = |e: Expr| print_bounded(model, e);
    let _ = writeln!(out, "{}", title(model));
    let dependent = model.names(&d.dependent);
    if dependent.is_empty() {
        let _ = writeln!(out, "no constraints: every coordinate is independent");
    } else {
        let _ = writeln!(
            out,
            "dependent {}     independent {}",
            dependent.join(", "),
            if d.independent.is_empty() {
                "none".to_owned()
            } else {
                model.names(&d.independent).join(", ")
            }
        );
    }
    for note in &derived.notes {
        let _ = writeln!(out, "note: {note}");
    }
    section(
        &mut out,
        "Lagrangian",
        [format!("L = {}", show(model.system.lagrangian))],
    );
    let constraints: Vec<Vec<String>> = model
        .system
        .constraints
        .iter()
        .map(|c| {
            vec![
                format!("{}:", c.name),
                format!("{} = {}", show(c.f), show(c.c)),
            ]
        })
        .collect();
    if !constraints.is_empty() {
        section(&mut out, "Constraints", left(&constraints));
    }
    section(
        &mut out,
        "Usual form: d/dt(dL/dx') - dL/dx - Q - J^T lambda = 0",
        derived.standard.iter().map(|e| format!("{} = 0", show(*e))),
    );
    if let Some(list) = d.multipliers.as_ref().filter(|l| !l.is_empty()) {
        section(
            &mut out,
            "Multipliers (equation 4 of the report)",
            model
                .constraint_names()
                .iter()
                .zip(list)
                .map(|(name, e)| format!("lambda_{name} = {}", show(*e))),
        );
    }
    if let Some(list) = d.reduced.as_ref().filter(|_| !dependent.is_empty()) {
        section(
            &mut out,
            "Reduced equations (equation 2)",
            list.iter().map(|e| format!("{} = 0", show(*e))),
        );
    }
    if !dependent.is_empty() {
        inverse_section(model, derived, &mut out);
    }
    if let Some(branches) = &derived.in_branches
        && !dependent.is_empty()
    {
        let mut lines = Vec::new();
        for b in branches {
            if !b.conditions.is_empty() {
                let text = condition_text(&model.system, &b.conditions, Style::Plain);
                lines.push(format!("where {text}"));
            }
            lines.extend(b.equations.iter().map(|e| format!("  {} = 0", show(*e))));
            for (name, e) in model.constraint_names().iter().zip(&b.multipliers) {
                lines.push(format!("  lambda_{name} = {}", show(*e)));
            }
        }
        section(&mut out, "In the independent coordinates alone", lines);
    }
    if !d.stepwise.is_empty() {
        let rows: Vec<Vec<String>> = d
            .stepwise
            .iter()
            .enumerate()
            .map(|(i, s)| {
                vec![
                    format!("{}.", i + 1),
                    model.constraint_names()[s.constraint].clone(),
                    format!("eliminates {}", model.coordinate_names()[s.eliminates]),
                    format!("pivot {}", show(s.pivot)),
                    format!("multiplier {}", show(s.multiplier)),
                ]
            })
            .collect();
        section(&mut out, "One constraint at a time (Salas)", left(&rows));
    }
    if let Some(rows) = &d.displacements
        && !dependent.is_empty()
        && !d.independent.is_empty()
    {
        let lines: Vec<String> = dependent
            .iter()
            .zip(rows)
            .map(|(name, row)| {
                let parts: Vec<String> = row
                    .iter()
                    .zip(model.names(&d.independent))
                    .filter(|(e, _)| **e != model.system.pool.zero())
                    .map(|(e, independent)| {
                        if *e == model.system.pool.one() {
                            format!("d{independent}")
                        } else {
                            format!("({}) d{independent}", show(*e))
                        }
                    })
                    .collect();
                let right = if parts.is_empty() {
                    "0".to_owned()
                } else {
                    parts.join(" + ")
                };
                format!("d{name} = {right}")
            })
            .collect();
        section(&mut out, "Virtual displacements (d'Alembert)", lines);
    }
    section(
        &mut out,
        "Energy",
        [format!("H = {}", show(model.equations.energy))],
    );
    out
}

fn inverse_section(model: &Model, derived: &Derived, out: &mut String) {
    let dependent = model.names(&derived.derivation.dependent);
    let mut rows = Vec::new();
    for b in derived.inverse.branches() {
        let condition = condition_text(&model.system, &b.conditions, Style::Plain);
        for (i, (name, g)) in dependent.iter().zip(&b.functions).enumerate() {
            let mut row = vec![format!("{name} = {}", print_bounded(model, *g))];
            if i == 0 && !b.conditions.is_empty() {
                row.push(format!("where {condition}"));
            }
            rows.push(row);
        }
    }
    if rows.is_empty() {
        rows.push(vec![
            "no closed form found: evaluated by Newton's method".to_owned(),
        ]);
    }
    section(out, "Inverse functions", left(&rows));
}

fn section(out: &mut String, title: &str, lines: impl IntoIterator<Item = impl AsRef<str>>) {
    let _ = writeln!(out, "\n{title}");
    for line in lines {
        let _ = writeln!(out, "  {}", line.as_ref());
    }
}

/// The equations as LaTeX, one `align*` a group.
pub fn derive_latex(model: &Model, derived: &Derived) -> String {
    let pool = &model.system.pool;
    let tex = |e: Expr| pool.print_as(e, Style::Latex);
    let mut out = String::new();
    let mut group = |title: &str, lines: Vec<String>| {
        if lines.is_empty() {
            return;
        }
        let _ = writeln!(out, "% {title}\n\\begin{{align*}}");
        let _ = writeln!(out, "{}", lines.join(" \\\\\n"));
        let _ = writeln!(out, "\\end{{align*}}");
    };
    group(
        "Lagrangian",
        vec![format!("  L &= {}", tex(model.system.lagrangian))],
    );
    group(
        "Constraints",
        model
            .system
            .constraints
            .iter()
            .map(|c| format!("  {} &= {}", tex(c.f), tex(c.c)))
            .collect(),
    );
    group(
        "Usual form",
        derived
            .standard
            .iter()
            .map(|e| format!("  {} &= 0", tex(*e)))
            .collect(),
    );
    if let Some(list) = &derived.derivation.multipliers {
        let lines = model
            .system
            .constraints
            .iter()
            .zip(list)
            .map(|(c, e)| format!("  {} &= {}", tex(c.multiplier), tex(*e)))
            .collect();
        group("Multipliers", lines);
    }
    if let Some(list) = &derived.derivation.reduced {
        let lines = list.iter().map(|e| format!("  {} &= 0", tex(*e))).collect();
        group("Reduced equations", lines);
    }
    for b in derived.inverse.branches() {
        let condition = condition_text(&model.system, &b.conditions, Style::Latex);
        let lines = derived
            .derivation
            .dependent
            .iter()
            .zip(&b.functions)
            .map(|(&k, &g)| {
                let x = tex(model.system.coordinates[k].x);
                if b.conditions.is_empty() {
                    format!("  {x} &= {}", tex(g))
                } else {
                    format!("  {x} &= {} && {condition}", tex(g))
                }
            })
            .collect();
        group("Inverse functions", lines);
    }
    out
}
