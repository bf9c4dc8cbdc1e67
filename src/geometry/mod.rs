//! The constraint set at a point, in numbers: which of its rows are independent, and what follows where they are not.
//!
//! ```text
//! f(x; t) = c                 J = df/dx      position constraints
//! A(x; t) x' + b(x; t) = 0    A              velocity constraints
//! W = [J; A]                                 one list of rows, see [`Rows`]
//! ```
//!
//! Every entry of W comes with its *blur*: what rounding, and what is not known of the coordinates and of t, may change
//! it by. An entry within its blur counts as zero, and so does what elimination leaves within the blur that it
//! gathers: rank, kernel and the combinations of rows that vanish ([`Blurred`]) follow. No change of units of coordinates,
//! constraints or time changes an answer. The room knows numbers and a callback ([`Constraints`]), no expressions.

mod back;
mod blurred;
mod choice;
mod cone;
mod echelon;
mod groups;
mod least;
mod lengths;
mod orthogonal;
mod redundancy;
mod rows;
mod singular;
#[cfg(test)]
mod tests;
mod unilateral;
mod weights;

pub use back::{Ended, Evaluation, NewtonBack, Next, Step};
pub use blurred::{
    Blurred, Combination, Elimination, Independent, Redundant, balance, independent_columns,
};
pub use choice::{binomial, combinations, next_choice};
pub use cone::{Meeting, meeting, orthonormal};
pub use echelon::combinations_of_columns;
pub use groups::Groups;
pub use least::{LeastNorm, Split, cofactors, condition, null_vectors, shortest, shortest_within};
pub use lengths::{largest, length_scales, size_of, sizes};
pub use orthogonal::{Orthogonal, PIVOT_LOST, complement, dot};
pub use redundancy::{Structure, around, number};
pub use rows::{ATOL, Constraints, Missed, Rows, blur_by_differences, rounded, spread};
pub use singular::{Scales, Singular, singular};
pub use unilateral::{Unilateral, unilateral};
pub use weights::weights_of_multipliers;

/// What a number is unknown by at least, relative to itself and to the terms that it is summed from.
pub const ULPS: f64 = 8.0 * f64::EPSILON;
