//! Words for momenta, energy and symmetries that text and JSON share.

use crate::analysis::Model;
use crate::expr::{Expr, Style};
use crate::mechanics::{Cause, Symmetry};
use crate::report::formula::lettered;

/// What changes a momentum or the energy: `L`, `Q`, `lambda_wire`.
pub(super) fn source(model: &Model, cause: Cause) -> String {
    match cause {
        Cause::Lagrangian => "L".to_owned(),
        Cause::Force => "Q".to_owned(),
        Cause::Constraint(b) => format!("lambda_{}", model.multiplier_names()[b]),
    }
}

/// The causes in a sentence: `L, lambda_rod and lambda_wire`.
pub(super) fn sources(model: &Model, causes: &[Cause]) -> String {
    let list = causes.iter().map(|c| source(model, *c));
    let list: Vec<String> = list
        .map(|name| lettered(&model.system, &name, Style::Plain))
        .collect();
    match list.as_slice() {
        [] => "nothing".to_owned(),
        [one] => one.clone(),
        [first @ .., last] if list.len() <= 4 => format!("{} and {last}", first.join(", ")),
        [first, second, ..] => format!("{first}, {second} and {} others", list.len() - 2),
    }
}

/// The displacement of a symmetry: `dx = -y, dy = x`.
pub(super) fn displacement(model: &Model, symmetry: &Symmetry, style: Style) -> String {
    let pool = &model.system.pool;
    let mut parts: Vec<String> = symmetry
        .moved(pool)
        .into_iter()
        .map(|k| {
            let moved = pool.differential(&model.coordinate_names()[k], k);
            let shown = |e: Expr| pool.print_as(e, style);
            format!("{} = {}", shown(moved), shown(symmetry.displacement[k]))
        })
        .collect();
    if symmetry.with_time {
        let t = if style == Style::Pretty { "δt" } else { "dt" };
        parts.push(format!("{t} = 1"));
    }
    parts.join(", ")
}
