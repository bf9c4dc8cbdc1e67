//! Words for momenta, energy and symmetries that text and JSON share.

use crate::analysis::Model;
use crate::expr::{Expr, Style};
use crate::mechanics::{Cause, Symmetry};
use crate::report::formula::{Part, words};

/// What changes a momentum or the energy: `L`, `Q`, `lambda_wire`.
pub(super) fn source(model: &Model, cause: Cause) -> String {
    match cause {
        Cause::Lagrangian => "L".to_owned(),
        Cause::Force => "Q".to_owned(),
        Cause::Constraint(b) => format!("lambda_{}", model.multiplier_names()[b]),
    }
}

/// The causes in a sentence: `L, lambda_rod and lambda_wire`.
pub(super) fn sources(model: &Model, causes: &[Cause]) -> Vec<Part> {
    const MOST: usize = 4;
    let shown = if causes.len() > MOST { 2 } else { causes.len() };
    let mut list = Vec::new();
    for (i, cause) in causes.iter().take(shown).enumerate() {
        let is_last = i + 1 == causes.len();
        list.push(words(match (i, is_last) {
            (0, _) => "",
            (_, true) => " and ",
            _ => ", ",
        }));
        list.extend(match cause {
            Cause::Constraint(b) => model.system.multipliers().nth(*b).map(Part::Math),
            other => Some(Part::Theory(source(model, *other))),
        });
    }
    match causes.len() - shown {
        0 if shown == 0 => list.push(words("nothing")),
        0 => {}
        more => list.push(words(format!(" and {more} others"))),
    }
    list
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
        let t = match style {
            Style::Plain => "dt",
            Style::Pretty => "δt",
            Style::Latex => "\\delta t",
        };
        parts.push(format!("{t} = 1"));
    }
    parts.join(", ")
}
