//! Where what divides by det J_D holds.

use super::{names, show};
use crate::analysis::Model;
use crate::expr::{Expr, Style};
use crate::report::formula::{Part, sentence, styled, words};
use crate::theorem::SymbolicDeterminant;

/// `, where -2*x1 is not 0`, a factor of det J_D, or of det W_D with as many dependent coordinates as W has rows; nothing where
/// it is zero nowhere.
pub(in crate::report) fn validity_parts(model: &Model, dependent: &[usize]) -> Vec<Part> {
    let rows = model.equations.rows().take(dependent.len());
    let det = SymbolicDeterminant::of(&model.system, rows, dependent);
    let factor = |f: &Expr| styled(|style| show(model, *f).text(style));
    let (what, verb) = match det.factors.as_slice() {
        [] => return Vec::new(),
        [one] => (vec![factor(one)], "is"),
        several if several.len() <= 4 => {
            let several = several.iter().enumerate();
            let comma = |i: usize| (i > 0).then(|| words(", "));
            let list = several.flat_map(|(i, f)| comma(i).into_iter().chain([factor(f)]));
            (list.collect(), "are")
        }
        _ => {
            let letter = if dependent.len() > model.system.constraints.len() {
                "W"
            } else {
                "J"
            };
            let plain = format!("det {letter}[{}]", names(&model.names(dependent)));
            let determinant = styled(|style| match style {
                Style::Latex => format!("\\det {letter}_D"),
                _ => plain.clone(),
            });
            (vec![determinant], "is")
        }
    };
    let what = [words(", where ")].into_iter().chain(what);
    what.chain([words(format!(" {verb} not 0"))]).collect()
}

/// The same as text.
pub(in crate::report) fn validity(model: &Model, dependent: &[usize], style: Style) -> String {
    sentence(&validity_parts(model, dependent), &model.system, style)
}
