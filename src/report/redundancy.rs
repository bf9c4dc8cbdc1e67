//! Constraints that others imply, in words.

use super::refusal::combination;
use super::text::linked;
use crate::analysis::{Model, Redundancy};
use crate::solver::{Redundant, Structure};

/// Where a combination was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Where {
    /// At the start.
    Start,
    /// At the point that is spoken of.
    There,
}

/// ``the constraint `b` is redundant: grad b = 2 grad a at the start; ...``.
pub(super) fn redundant(model: &Model, found: &Redundant, place: Where) -> String {
    let names = model.multiplier_names();
    let name = |b: usize| names.get(b).map_or("", String::as_str);
    let own = name(found.constraint);
    let place = match place {
        Where::Start => "at the start",
        Where::There => "there",
    };
    let (noun, why) = if found.constraint >= model.system.constraints.len() {
        ("velocity constraint", "the others imply it".to_owned())
    } else if found.parts.is_empty() {
        ("constraint", "its gradient is zero".to_owned())
    } else {
        let parts = found.parts.iter();
        let terms = parts.map(|&(c, factor)| (factor, format!("grad {}", name(c))));
        let sum = combination(terms);
        ("constraint", format!("grad {own} = {sum} {place}"))
    };
    let mut all = found.parts.iter().map(|part| part.0);
    let sided = |b: usize| model.system.is_one_sided(b);
    if sided(found.constraint) || all.any(sided) {
        // as equations one follows from the others; as bounds it may not
        return format!(
            "the gradient of the {noun} `{own}` follows from others: {why}; while all of them act the multipliers are not unique"
        );
    }
    format!(
        "the {noun} `{own}` is redundant: {why}; the motion is that without it, the multipliers are not unique"
    )
}

/// All of them in one line.
pub(super) fn all_redundant(model: &Model, found: &[Redundant], place: Where) -> String {
    linked("; ", found.iter().map(|r| redundant(model, r, place)))
}

/// Why no choice of dependent coordinates works, where that was looked at.
pub(super) fn nowhere(model: &Model, found: &Redundancy) -> String {
    let why = all_redundant(model, &found.others, Where::There);
    format!("No choice of dependent coordinates works at the start: {why}.")
}

/// One that a motion leaves out.
pub(super) fn left_out(model: &Model, found: &Redundant) -> String {
    let text = redundant(model, found, Where::Start);
    if model.system.one_sided().is_empty() {
        return format!("{text}: those given have the least norm");
    }
    format!("{text}: those given have the least norm, or else none of them pulls")
}

/// Whether the gradients of constraints, dependent at a point, are so near by; nothing where that is not known.
pub(super) fn near_by(model: &Model, structure: &Structure) -> String {
    let m = model.system.constraints.len();
    match structure {
        Structure::Redundant { others, .. } => {
            let redundant = all_redundant(model, others, Where::There);
            format!(" In fact {redundant}.")
        }
        Structure::Singular { around, .. } if *around == m => {
            " It is a singular configuration: near by are others where the gradients are independent."
                .to_owned()
        }
        Structure::Singular { rank, around } if around > rank => {
            format!(" It is a singular configuration: near by are others where the rank is {around}.")
        }
        Structure::Singular { .. } | Structure::Regular => String::new(),
    }
}
