//! Where what divides by det J_D holds.

use super::{names, show};
use crate::analysis::Model;
use crate::expr::Style;
use crate::theorem::SymbolicDeterminant;

/// `, where -2*x1 is not 0`, a factor of det J_D, or of det W_D with as many dependent coordinates as W has rows; nothing where
/// it is zero nowhere.
pub(in crate::report) fn validity(model: &Model, dependent: &[usize], style: Style) -> String {
    let rows = model.equations.rows().take(dependent.len());
    let det = SymbolicDeterminant::of(&model.system, rows, dependent);
    let shown = det.factors.iter().map(|f| show(model, *f).text(style));
    let factors: Vec<String> = shown.collect();
    match factors.as_slice() {
        [] => String::new(),
        [one] => format!(", where {one} is not 0"),
        several if several.len() <= 4 => format!(", where {} are not 0", several.join(", ")),
        _ => {
            let letter = if dependent.len() > model.system.constraints.len() {
                "W"
            } else {
                "J"
            };
            let chosen = names(&model.names(dependent));
            format!(", where det {letter}[{chosen}] is not 0")
        }
    }
}
