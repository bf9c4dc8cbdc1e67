//! The equations as LaTeX, one `align*` a group.

use crate::analysis::{Derived, Model, condition_text};
use crate::expr::{Expr, Style};
use std::fmt::Write;

/// `derive --latex`.
pub fn derive_latex(model: &Model, derived: &Derived) -> String {
    let system = &model.system;
    let tex = |e: Expr| system.pool.print_as(e, Style::Latex);
    let zero = |list: &[Expr]| -> Vec<String> {
        list.iter().map(|e| format!("{} &= 0", tex(*e))).collect()
    };
    let multipliers = |list: &[Expr]| -> Vec<String> {
        system
            .constraints
            .iter()
            .zip(list)
            .map(|(c, e)| format!("{} &= {}", tex(c.multiplier), tex(*e)))
            .collect()
    };
    let mut out = String::new();
    let mut group = |title: &str, lines: Vec<String>| {
        if !lines.is_empty() {
            let _ = writeln!(
                out,
                "% {title}\n\\begin{{align*}}\n  {}\n\\end{{align*}}",
                lines.join(" \\\\\n  ")
            );
        }
    };
    group(
        "Lagrangian",
        vec![format!("L &= {}", tex(system.lagrangian))],
    );
    group(
        "Constraints",
        system
            .constraints
            .iter()
            .map(|c| format!("{} &= {}", tex(c.f), tex(c.c)))
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
                Some(list) => lines.extend(block.constraints.iter().zip(list).map(|(&b, e)| {
                    format!("{} &= {}", tex(system.constraints[b].multiplier), tex(*e))
                })),
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
                let x = tex(system.coordinates[k].x);
                let mut line = format!("{x} &= {}", tex(g));
                if let Some(period) = b.period(k) {
                    line.push_str(&format!(" \\pmod{{{}}}", tex(period)));
                }
                if !b.conditions.is_empty() {
                    line.push_str(&format!(" && {condition}"));
                }
                line
            })
            .collect();
        group("Inverse functions", lines);
    }
    for b in derived.in_branches.iter().flatten() {
        if system.constraints.is_empty() {
            break;
        }
        let mut lines: Vec<String> = zero(&b.equations);
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
    out
}
