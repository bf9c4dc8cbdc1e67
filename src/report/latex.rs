//! The equations as LaTeX (amsmath), one `align*` a group. Long equations are broken before a `+` or `-`.

use super::align::{Equation, aligned};
use crate::analysis::{Derived, Model, condition_text};
use crate::expr::{Expr, Style};
use std::fmt::Write;

/// `derive --latex`.
pub fn derive_latex(model: &Model, derived: &Derived) -> String {
    let system = &model.system;
    let pool = &system.pool;
    let tex = |e: Expr| pool.print_as(e, Style::Latex);
    let zero = |list: &[Expr]| -> Vec<Equation> {
        list.iter().map(|e| Equation::zero(pool, *e)).collect()
    };
    let multipliers = |list: &[Expr]| -> Vec<Equation> {
        system
            .constraints
            .iter()
            .zip(list)
            .map(|(c, e)| Equation::new(pool, tex(c.multiplier), *e))
            .collect()
    };
    let mut out = String::new();
    let mut group = |title: &str, equations: Vec<Equation>| {
        if !equations.is_empty() {
            let _ = write!(out, "% {title}\n{}", aligned(&equations));
        }
    };
    group(
        "Lagrangian",
        vec![Equation::new(pool, "L", system.lagrangian)],
    );
    group(
        "Constraints",
        system
            .constraints
            .iter()
            .map(|c| Equation::equal(pool, c.f, tex(c.c)))
            .collect(),
    );
    group("Usual form", zero(&derived.standard));
    if let Some(list) = &derived.derivation.multipliers {
        group("Multipliers", multipliers(list));
    }
    if let Some(blocks) = &derived.derivation.recursion {
        let mut lines = Vec::new();
        for block in blocks {
            match &block.multipliers {
                Some(list) => {
                    let rows = block.constraints.iter().zip(list);
                    let multiplier = |b: usize| tex(system.constraints[b].multiplier);
                    lines.extend(rows.map(|(&b, &e)| Equation::new(pool, multiplier(b), e)));
                }
                None => lines.extend(zero(&block.equations)),
            }
        }
        group("Multipliers, one from another", lines);
        let independent = derived.derivation.independent.iter();
        let rows: Vec<Expr> = independent.map(|&k| derived.standard[k]).collect();
        group("Reduced equations, with these multipliers", zero(&rows));
    }
    if let Some(list) = &derived.derivation.reduced
        && !system.constraints.is_empty()
    {
        group("Reduced equations", zero(list));
    }
    for b in derived.inverse.branches() {
        let condition = condition_text(system, &b.conditions, Style::Latex);
        let lines = derived
            .derivation
            .dependent
            .iter()
            .zip(&b.functions)
            .map(|(&k, &g)| {
                let mut equation = Equation::new(pool, tex(system.coordinates[k].x), g);
                if !b.conditions.is_empty() {
                    equation.condition = Some(condition.clone());
                }
                equation
            })
            .collect();
        group("Inverse functions", lines);
    }
    for b in derived.in_branches.iter().flatten() {
        if system.constraints.is_empty() {
            break;
        }
        let mut lines: Vec<Equation> = zero(&b.equations);
        lines.extend(multipliers(&b.multipliers));
        let title = if b.conditions.is_empty() {
            "In the independent coordinates alone".to_owned()
        } else {
            format!(
                "In the independent coordinates alone, where {}",
                condition_text(system, &b.conditions, Style::Plain)
            )
        };
        group(&title, lines);
    }
    group(
        "Energy",
        vec![Equation::new(pool, "H", model.equations.energy)],
    );
    out
}
