//! Proofs about the constraints in boxes, by interval arithmetic (see [`crate::interval`]).

mod atlas;
mod chart;
mod neighbourhood;
mod pave;

pub use atlas::{Atlas, Piece, Terms, atlas, project, sample};
pub use chart::{Chart, Work};
pub use neighbourhood::{Domain, FARTHEST, GROWTH, Neighbourhood, domain, grown, neighbourhood};
pub use pave::{Mark, Paving, Tile, pave};

#[cfg(test)]
mod tests;
