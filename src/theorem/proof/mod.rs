//! Proofs about the constraints in boxes, by interval arithmetic (see [`crate::interval`]).

mod chart;
mod neighbourhood;

pub use chart::Chart;
pub use neighbourhood::{Neighbourhood, grown, neighbourhood};
