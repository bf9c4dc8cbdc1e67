//! What is known about a system from elsewhere: formulas, identities, cited numbers.
//!
//! ```yaml
//! expect:
//!   - fact: the multiplier, with nothing undefined at the bottom   # for the reader
//!     source: NRL Memorandum Report 6001, section 10               # optional
//!     identity: lambda_wire = m*(g + 2*x1'^2)/(1 + 4*x1^2)         # along the whole motion
//!   - fact: the energy stays
//!     constant: energy
//!   - fact: it leaves the sphere two thirds of the way up
//!     value: z
//!     is: 2/3*R
//!     when: lambda_sphere = 0          # the first time after the start, also < or >; or `at: TIME`
//! ```
//!
//! Each entry states one of `identity`, `constant`, or `value` with `is` (at the start, where neither
//! `at` nor `when` says otherwise). `within` is the relative tolerance, [`DEFAULT_WITHIN`] where left
//! out; a difference is measured against the largest value of the two sides along the motion, and where what is known is zero against
//! the size of the terms that cancel.
//!
//! What is known of equilibria is stated of those at given coordinates, or of `every` one:
//!
//! ```yaml
//!   - {fact: it hangs, equilibrium: {x: 0, y: -l}, stability: stable}
//!   - {fact: how it swings there, equilibrium: {y: -l}, frequencies: [sqrt(g/l)]}
//!   - {fact: what the rod carries, equilibrium: {y: -l}, value: -2*lambda_rod*l, is: m*g}
//!   - {fact: hanging and upside down, equilibria: 2}               # and no others: proven
//! ```
//!
//! A system with `objective` has no motion: there these are the only facts, written `extremum` (with `kind`)
//! and `extrema`.

use crate::expr::Expr;

/// The relative tolerance of an expectation where the file does not say.
pub const DEFAULT_WITHIN: f64 = 1e-6;

/// Something that is known.
#[derive(Clone, Debug)]
pub struct Expectation {
    /// In words.
    pub fact: String,
    /// From where.
    pub source: Option<String>,
    /// The statement as the file writes it, sanitised.
    pub text: String,
    /// What is stated.
    pub claim: Claim,
    /// The relative tolerance, positive.
    pub within: f64,
}

/// What an expectation states; expressions of the names and outputs of the system, accelerations included.
#[derive(Clone, Debug)]
pub enum Claim {
    /// Both sides agree all along the motion.
    Identity {
        /// One side.
        left: Expr,
        /// The other.
        right: Expr,
    },
    /// It keeps its value along the motion.
    Constant(Expr),
    /// It has a value at an instant.
    Value {
        /// What is looked at.
        value: Expr,
        /// Its value.
        is: Expr,
        /// When.
        when: Instant,
    },
    /// Something holds at equilibria, or at extrema of the objective.
    Equilibrium(KnownEquilibrium),
    /// There are so many equilibria or extrema, and no others.
    Count(usize),
}

impl Claim {
    /// Is it about equilibria, and not about a motion?
    pub fn is_static(&self) -> bool {
        matches!(self, Self::Equilibrium(_) | Self::Count(_))
    }
}

/// Something known of equilibria.
#[derive(Clone, Debug)]
pub struct KnownEquilibrium {
    /// Coordinates by index: it is about the equilibria where they have these values. Without any, about every one.
    pub place: Vec<(usize, f64)>,
    /// `stable`, `unstable` or `degenerate`.
    pub stability: Option<&'static str>,
    /// `minimum`, `maximum`, `saddle` or `degenerate`.
    pub kind: Option<&'static str>,
    /// What has a known value there.
    pub known: Known,
}

/// What has a known value at an equilibrium.
#[derive(Clone, Debug)]
pub enum Known {
    /// The coordinates named.
    Place,
    /// An expression.
    Value {
        /// What is looked at.
        value: Expr,
        /// Its value.
        is: Expr,
    },
    /// The angular frequencies of the small oscillations, ascending.
    Frequencies(Vec<f64>),
}

/// An instant of a motion.
#[derive(Clone, Copy, Debug)]
pub enum Instant {
    /// The start.
    Start,
    /// A time, of parameters: within the run.
    Time(f64),
    /// The first time after the start at which this is zero.
    Zero(Expr),
    /// The first time after the start at which this becomes positive.
    Rises(Expr),
}
