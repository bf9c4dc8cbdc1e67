//! Proofs by interval arithmetic: bounds that hold for every real number in a box.
//!
//! * [`IntervalMatrix`]: is every real matrix in it non-singular?
//! * [`Equations`]: equations with their derivatives over boxes, and boxes narrowed to where they can hold (HC4); the
//!   interval Newton operator, which proves that a solution exists and is alone, or that there is none.
//! * [`Region`]: boxes of numbers.
//! * [`roots`]: branch and prune, all solutions in a box.
//! * [`sudden`]: where a function of one variable changes suddenly.
//! * [`Narrower`]: boxes narrowed in steps that others can verify.
//!
//! All ends are rounded outward (see [`crate::expr::Interval`]). Sources: A. Neumaier, *Interval Methods
//! for Systems of Equations* (1990); R. B. Kearfott, *Rigorous Global Search* (1996).

mod equations;
mod function;
mod matrix;
mod prune;
mod region;
mod steps;
mod sudden;
#[cfg(test)]
mod tests;

pub use equations::{Equations, Newton, Scratch};
pub use function::{Domain, is_smooth};
pub use matrix::{IntervalMatrix, misses_zero, pivots, weighed};
pub use prune::{Roots, cost_of_a_box, has_none, roots};
pub use region::{
    Region, apart, as_box, box_of, common, ends, halved, hull_of, in_order, joined, largest,
    lies_within, longest, middle_of, middles, part_of, representative, share, widest,
};
pub use steps::{By, Names, Narrower, Step, misses, short};
pub use sudden::sudden;
