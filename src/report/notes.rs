//! What is said beside the results.

use super::failure::edge_note;
use super::redundancy::{Place, left_out, redundant};
use crate::analysis::{Analysis, Derived, Model};
use crate::solver::Motion;

/// What is said beside the numbers of a motion.
pub fn motion_notes(model: &Model, motion: &Motion) -> Vec<String> {
    let redundant = motion.redundant.iter().map(|r| left_out(model, r));
    let edge = model.edge(motion);
    let edge = edge.map(|failure| edge_note(model, &motion.dependent, &failure));
    redundant
        .chain(motion.notes.iter().cloned())
        .chain(edge)
        .collect()
}

/// What is said beside the equations.
pub fn derived_notes(model: &Model, derived: &Derived) -> Vec<String> {
    let others = derived.redundancy.iter().flat_map(|found| &found.others);
    others
        .map(|r| redundant(model, r, Place::Start))
        .chain(kept(model, derived))
        .chain(derived.notes.iter().cloned())
        .collect()
}

/// What is said beside all that is shown of a system at once.
pub fn analysis_notes(analysis: &Analysis) -> Vec<String> {
    let (model, motion) = (analysis.model(), &analysis.motion);
    let redundant = motion.redundant.iter().map(|r| left_out(model, r));
    let edge = analysis.edge.as_ref();
    let edge = edge.map(|failure| edge_note(model, &motion.dependent, failure));
    redundant
        .chain(kept(model, analysis.derived()))
        .chain(analysis.notes.iter().cloned())
        .chain(edge)
        .collect()
}

/// Which constraints the reduced equations know.
fn kept(model: &Model, derived: &Derived) -> Option<String> {
    let rows = &derived.redundancy.as_ref()?.rows;
    let names = model.constraint_names();
    let kept: Vec<&str> = rows
        .iter()
        .filter_map(|&b| names.get(b))
        .map(String::as_str)
        .collect();
    Some(format!(
        "the reduced equations are those of {} alone",
        kept.join(", ")
    ))
}
