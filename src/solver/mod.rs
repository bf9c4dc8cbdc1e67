//! Numbers: consistent starts, the three methods, time stepping, flags, trajectories.
//!
//! The solver knows no expressions. It sees a system through [`Dynamics`], which gives at an instant
//!
//! ```text
//! E = M a + h          the Euler-Lagrange expressions (applied forces already in h)
//! f(x; t) - c          the constraints, J = df/dx, f_t, and gamma with J a = gamma
//! E = J^T lambda       the equations of motion;  R = J^T lambda is the constraint force
//! ```
//!
//! With velocity constraints A x' + b = 0 these are E = J^T lambda + A^T mu and A a = gamma besides.
//!
//! and carries the motion on in one of three ways that must agree ([`Method`]): the report's, with
//! the dependent coordinates taken as functions of the others (NRL Memorandum Report 6001, sections
//! 4 to 6), Lagrange's, with the multipliers solved for beside the accelerations, and d'Alembert's,
//! in a basis of the virtual displacements.

mod ahead;
mod between;
mod chart;
mod compare;
mod dop853;
mod dynamics;
mod error;
mod events;
mod held;
mod integration;
mod inverse;
mod linear;
mod linearised;
mod method;
mod minimum;
mod motion;
mod note;
mod onward;
mod passage;
mod polynomial;
mod progress;
mod radau;
mod rank;
mod reason;
mod regularity;
mod saddle;
mod sampling;
mod sight;
mod simulate;
mod start;
mod step;
mod stepper;
mod structured;
mod tangents;
#[cfg(test)]
mod tests;
mod uncertainty;
mod velocity;

pub use crate::system::{Method, Release, Stiff};
pub use between::{Interpolation, Moment, sort_by_time};
pub use chart::best_choice;
pub use compare::{CHAOS, Column, Comparison, Difference, compare};
pub use dynamics::{
    Beginning, ConstraintValue, Corrected, Dynamics, Evaluations, Instant, LagrangianValue, Landed,
    Pattern, PivotOrder, Pivots, Problem, ProjectionStep, Quick, Settled, Tableau, TableauRow,
    VelocityValue,
};
pub(crate) use dynamics::{ROUNDING, SQUARED};
pub use error::{
    Dependent, Fault, Halt, Jump, Missing, Needs, Placed, Quantity, SolverError, Term,
};
pub use events::{Flag, FlagKind};
pub use held::{HeldChart, HeldSample, hold_chart};
pub(crate) use integration::meant;
pub(crate) use minimum::{least, root};
pub use motion::{
    Glance, InForce, MAX_STEPS, Motion, OneSided, Options, Outside, Released, Sample, Sink,
};
pub use note::Note;
pub use progress::{Progress, watched};
pub use rank::{Redundant, Structure, branches, position_structure, whole_structure};
pub use simulate::{simulate, simulate_into};
pub use start::{
    Assembly, Configuration, Given, MOVABLE, Moved, Start, assembly, consistent_position,
    consistent_start,
};
pub use step::Work;
