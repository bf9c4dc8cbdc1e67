//! Proofs about the constraints in boxes, by interval arithmetic (see [`crate::interval`]).

mod atlas;
mod branches;
mod chart;
mod design;
mod neighbourhood;
mod pave;

pub use atlas::{Atlas, Piece, Terms, atlas, project, sample};
pub use branches::{Branches, Connected, Curve, Junction, Run, branches};
pub use chart::Chart;
pub use design::{Cell, Plan as DesignPlan, Word, design};
pub use neighbourhood::{Domain, FARTHEST, GROWTH, Neighbourhood, domain, grown, neighbourhood};
pub(super) use pave::is_inhabited;
pub use pave::{Mark, Paving, Tile, pave};

#[cfg(test)]
mod tests;
