//! What a certificate does not have, and why.

use thiserror::Error;

/// What a certificate does not have.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Lacking {
    /// An expression with this in it has no plain form.
    #[error("{0} is beyond what the checker knows")]
    Symbol(String),
    /// A parameter ranges.
    #[error("parameters that range are beyond what the checker knows")]
    Ranging,
    /// Nothing in the answer is proven.
    #[error("the answer has nothing that is certified, or it is not complete")]
    NothingProven,
    /// The neighbourhood of the point.
    #[error("the neighbourhood: no simple reason was found")]
    Neighbourhood,
    /// The values of the constraints for which there is a solution.
    #[error("the image of the neighbourhood: no simple reason was found")]
    Image,
    /// The points where det J_D = 0 on the constraints.
    #[error("the points where det J_D = 0: no simple reason was found")]
    Singular,
    /// That equilibria are all.
    #[error("that the equilibria are all: no simple reason was found")]
    AllEquilibria,
    /// So many equilibria that are proven to exist.
    #[error("{0} of the equilibria: no simple reason was found (such as one of a family)")]
    Equilibria(usize),
    /// The pieces of an atlas, or that they cover the set.
    #[error("the pieces, or that they hold all of the set: no simple reason was found")]
    Cover,
    /// The solutions of the inverse.
    #[error("the solutions: no simple reason was found")]
    Solutions,
}
