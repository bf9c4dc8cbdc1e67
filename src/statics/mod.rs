//! Statics: where a system can stay, and how it moves near there.
//!
//! At frozen t and x' = 0, with S = d2L/dx'dt - dL/dx - Q (the gradient of V for L = T - V and Q = 0):
//!
//! ```text
//! S = J^T lambda + A^T mu,  f = c,  b = 0                   equilibrium
//! M u'' + C u' + (dS/dx - sum lambda_b d2f_b) u = J^T l     the linearised motion, J u = 0
//! ```
//!
//! Velocity constraints A x' + b = 0 hold a system where it rests, and limit no position: equilibria come in families
//! of as many dimensions as there are of them. In the linearised motion - sum mu_b dA_b/dx stands beside the second
//! derivatives of f, u' lies in the kernel of W = [J; A], and each velocity constraint adds an exponent 0: the way along the
//! family. Above, J then is W and lambda is (lambda, mu).
//!
//! With a basis N of ker W the second variation of -L(x, 0) - lambda f on the tangent space is
//! N^T (dS/dx - sum lambda_b d2f_b) N (its symmetric part where forces depend on position).
//! lambda_b = d(-L)/dc_b: by how much the potential of the equilibrium grows with the level c_b.
//!
//! [`Statics`] has these in symbols, [`search`] finds all equilibria in a box and proves that there are no
//! others where it can, [`Numeric`] finds them from many starts, and in large systems downhill (`relax`); [`Stability`] judges them.
//! Sources: A. M. Lyapunov; W. Thomson and P. G. Tait; N. G. Chetaev (energy as a Lyapunov function, and
//! what gyroscopic and dissipative forces change); I. G. Malkin (the critical case of exponents 0 along
//! a family); F. John (1948), multipliers bounded in a cube.

mod bounds;
mod continuation;
mod divergence;
mod enclosed;
mod equations;
mod equilibria;
mod exponents;
mod flat;
mod guess;
mod numeric;
mod pencil;
mod relative;
mod relax;
mod search;
mod series;
mod stability;
mod symmetry;
mod value;

pub use bounds::Enclosure;
pub use continuation::{
    Certificate, Change, Continuation, Extent, Node, Over, Place, Point, Segment, Stretch,
    Unfollowed, Unproven, follow,
};
pub use equations::{Damping, Numbers, Statics};
pub use equilibria::{
    Along, Around, Equilibria, Equilibrium, Frame, Holds, Left, Note, Subject, equilibria,
};
pub use exponents::eigenvalues;
pub use flat::Leading;
pub use numeric::{Local, Numeric, Settled, Widths};
pub use relax::Sense;
pub use search::{Outcome, Solution, Wanted, search};
pub use stability::{
    Assessment, Criterion, Kind, Linearisation, Mode, Proof, Reason, SecondVariation, Stability,
};
