//! From a system to its equations; symbolic, knows no numbers.
//!
//! With n coordinates x, m constraints f(x; t) = c, the Lagrangian L(x, x', t) and applied forces Q:
//!
//! ```text
//! E_k   = d/dt(dL/dx_k') - dL/dx_k - Q_k = M x'' + h        Euler-Lagrange expressions
//! E     = J^T lambda,  J = df/dx                            the usual form
//! gamma = -(dJ/dt) x' - d/dt(f_t),  J x'' = gamma           the constraints, differentiated twice
//! ```
//!
//! Velocity constraints A x' + b = 0 add their multipliers mu: E = J^T lambda + A^T mu. In all that follows E
//! then stands for E - A^T mu.
//!
//! With dependent coordinates D and independent ones I (NRL Memorandum Report 6001, section 4):
//!
//! ```text
//! lambda = J_D^-T E_D                                       its equation 4
//! E_I - J_I^T J_D^-T E_D = 0                                its equation 2
//! B = [-J_D^-1 J_I; 1],  B^T E = 0                          d'Alembert's virtual displacements
//! ```

mod balance;
mod derivation;
mod elimination;
mod equations;
mod holonomy;
mod map;
mod reaction;
mod recursion;
mod symmetry;

pub use balance::{Balance, Cause, Momentum};
pub use derivation::{Derivation, Step};
pub use elimination::{Eliminated, Written};
pub use equations::{Equations, VelocityTerms, apart, equation, readable, written_lagrangian};
pub use holonomy::{Holonomy, holonomy};
pub use map::{MapF, Together};
pub use reaction::{BodyForce, ConstraintForce, body_forces, constraint_forces, reactions};
pub use recursion::{MultiplierBlock, recursion};
pub use symmetry::{Symmetry, SymmetryKind, frames, jumps, symmetries};

#[cfg(test)]
mod tests;
