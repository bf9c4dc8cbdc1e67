//! What can go wrong in the solver, with the numbers; the words are those of `report`.

use crate::system::{Diagnostic, Part};
use thiserror::Error;

/// A named value, for messages.
#[derive(Debug, Clone, PartialEq)]
pub struct Placed {
    /// The name, with a prime for a velocity.
    pub name: String,
    /// The value.
    pub value: f64,
}

named! {
    /// What ends a motion where rows of W = [J; A] become dependent, as far as numbers show it.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub enum Halt {
        /// W x' = -(`f_t`; b) has no solution there.
        InfiniteSpeed = "infinite_speed",
        /// Next to it the position constraints have solutions at earlier times, and none were found later.
        End {
            /// Up to so much later.
            within: f64,
        } = "end",
        /// The curve that the constraints leave has points behind, and none were found ahead.
        Cusp {
            /// How many branches were found behind.
            branches: usize,
            /// Up to this part of the size of the coordinates from the tip.
            within: f64,
        } = "cusp",
        /// None of these could be shown.
        NotDecided = "not_decided",
    }
}

/// What of a constraint jumps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Jump {
    /// Its value.
    Value,
    /// Its gradient.
    Gradient,
}

/// What is no finite number.
#[derive(Debug, Clone, PartialEq)]
pub enum Quantity {
    /// The time of the start.
    StartTime,
    /// The start value of a coordinate, or with a prime of a velocity.
    Start(String),
    /// A constraint or its gradient.
    Constraint(String),
    /// The gradient of a constraint.
    Gradient(String),
    /// A velocity constraint.
    VelocityConstraint(String),
    /// A term of the equations of motion.
    Equations,
    /// A term of the file, where it was found out which.
    Term(Box<Term>),
}

/// A term of a file that has no finite value, or no finite derivatives.
#[derive(Debug, Clone, PartialEq)]
pub struct Term {
    /// What it is a part of: `lagrangian`, or a constraint by its name.
    pub part: Part,
    /// As it is written.
    pub text: String,
    /// What is wrong with it.
    pub fault: Fault,
    /// Where the file has the part, if that is known; nothing is said there.
    pub place: Option<Box<Diagnostic>>,
}

/// Why a term is no finite number.
#[derive(Debug, Clone, PartialEq)]
pub enum Fault {
    /// This is zero, and it divides by a power of it.
    Division(String),
    /// This is negative, and it takes a root or another broken power of it.
    Root(Placed),
    /// A function has no finite value there: its argument, where it has one.
    Function(Option<Placed>),
    /// It is too large for a number.
    Overflow,
    /// It has a value and no finite derivatives of this order.
    Derivative(usize),
}

/// Given values that miss a constraint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// Positions a constraint.
    Position,
    /// Positions on its free side a one-sided constraint: a motion begins in contact.
    Contact,
    /// Velocities the time derivative of a constraint.
    Velocity,
    /// Velocities a velocity constraint.
    VelocityConstraint,
}

/// Rows that become dependent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dependent {
    /// Those of J, by themselves.
    Gradients,
    /// Those of W = [J; A], constraints and velocity constraints together.
    All,
}

/// What an option must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// Above 0 and below 1.
    Fraction,
    /// Not below 0.
    NotNegative,
    /// A finite time.
    Time,
}

named! {
    /// Why a start could not be made or a motion could not be carried on.
    #[derive(Debug, Clone, PartialEq, Error)]
    pub enum SolverError {
        /// A list has not as many entries as the system needs.
        Shape {
            /// Which list.
            what: &'static str,
            /// How many it must have.
            expected: usize,
            /// How many it has.
            found: usize,
        } = "request",
        /// An option has a value that cannot be used.
        Option {
            /// The option's name.
            option: &'static str,
            /// Its value.
            value: f64,
            /// What it must be.
            needs: Needs,
        } = "request",
        /// A value of the system is not a finite number.
        NotFinite {
            /// What it is the value of.
            what: Quantity,
            /// The time.
            t: f64,
        } = "not_finite",
        /// Values of the start are no finite numbers.
        Unvalued {
            /// Where they stand in the file.
            faults: Vec<Diagnostic>,
        } = "start",
        /// Given values miss a constraint by too much to be moved.
        Missed {
            /// What misses it.
            by: Missing,
            /// The constraint missed most.
            constraint: String,
            /// What is left of it: f - c, J x' + `f_t` or A x' + b.
            residual: f64,
            /// Its size relative to its terms.
            relative: f64,
            /// The nearest consistent values found, none where there are none.
            nearest: Vec<Placed>,
            /// Constraints that are proven to have no position in common, where it was asked.
            contradiction: Vec<String>,
            /// Where single values were replaced: those that stand beside them as the file has them.
            kept: Vec<Placed>,
            /// Where a file gives the values, if one does.
            place: Option<Box<Diagnostic>>,
        } = "start",
        /// No velocities at all satisfy the constraints.
        NoVelocity {
            /// The constraint missed most by the best velocities.
            constraint: String,
            /// What is left of it, or of its time derivative.
            residual: f64,
            /// The time.
            t: f64,
        } = "start",
        /// No position was found that satisfies the constraints.
        NoStart {
            /// The constraint missed most at the best point.
            constraint: String,
            /// f - c there.
            residual: f64,
            /// The time.
            t: f64,
            /// How many guesses were tried.
            tries: usize,
            /// Constraints that are proven to have no position in common, where it was asked.
            contradiction: Vec<String>,
            /// Where a file gives the first of these, or the one missed most.
            place: Option<Box<Diagnostic>>,
        } = "start",
        /// The gradients of the constraints are dependent at the start and independent round it.
        SingularConfiguration {
            /// The time.
            t: f64,
            /// The rank there.
            rank: usize,
            /// The rank round it.
            around: usize,
            /// The number of constraints.
            constraints: usize,
        } = "start",
        /// A constraint is not C^1 at the start, or not shown to be.
        RoughStart {
            /// The constraint.
            constraint: String,
            /// The time.
            t: f64,
        } = "start",
        /// At the start the rows of constraints and velocity constraints are dependent, not so round it.
        DependentStart {
            /// The time.
            t: f64,
            /// The rank at the start.
            rank: usize,
            /// The number of constraints of both kinds.
            constraints: usize,
        } = "start",
        /// A constrained optimum is asked for its motion.
        Objective = "request",
        /// M is singular on ker J.
        NoInertia {
            /// The direction: coordinates, and their parts in it.
            direction: Vec<Placed>,
            /// The time.
            t: f64,
        } = "no_inertia",
        /// Rows become dependent on the way and the motion cannot be carried past it.
        RankLost {
            /// Which.
            of: Dependent,
            /// The time reached.
            t: f64,
            /// The smallest pivot relative to the largest, scaled.
            ratio: f64,
            /// What ends the motion there.
            halt: Halt,
        } = "rank_lost",
        /// The step size fell below what the time resolves.
        StepCollapsed {
            /// The time reached.
            t: f64,
            /// The smallest step allowed.
            step: f64,
        } = "step_collapsed",
        /// The accelerations jump where the steps collapse.
        ForceJump {
            /// The time.
            t: f64,
            /// Whether the motion begins there, held at rest from either side.
            held: bool,
        } = "force_jump",
        /// The momenta dL/dx' jump with time.
        MomentumJump {
            /// The time.
            t: f64,
        } = "momentum_jump",
        /// L jumps with a coordinate so that momenta would have to be exchanged.
        LagrangianJump {
            /// The time.
            t: f64,
        } = "lagrangian_jump",
        /// The energy, which is constant, is another one where the steps collapse.
        EnergyLost {
            /// The time.
            t: f64,
        } = "energy_lost",
        /// A constraint or its gradient jumps on the way.
        Kink {
            /// The constraint.
            constraint: String,
            /// What of it jumps.
            of: Jump,
            /// The time.
            t: f64,
        } = "kink",
        /// A one-sided constraint that was released is met again.
        Contact {
            /// The constraint.
            constraint: String,
            /// The time.
            t: f64,
        } = "contact",
        /// A constraint that others implied at the start is not met any more.
        Parted {
            /// The constraint.
            constraint: String,
            /// The time.
            t: f64,
        } = "parted",
        /// A coordinate grows beyond every bound.
        Unbounded {
            /// The time reached.
            t: f64,
            /// The coordinate, and how far it has come.
            what: Placed,
        } = "unbounded",
        /// The bound on the number of steps was met.
        TooManySteps {
            /// The time reached.
            t: f64,
            /// The steps taken.
            steps: usize,
        } = "too_many_steps",
        /// The steps became so small that the end is out of reach.
        TooSlow {
            /// The time reached.
            t: f64,
            /// The steps tried last.
            steps: usize,
            /// How far they led, as a part of the whole run.
            part: f64,
            /// What the kinetic energy has grown by, where it is its growth that shortens the steps.
            grown: Option<f64>,
        } = "too_slow",
        /// The run was cancelled.
        Cancelled {
            /// The time reached.
            t: f64,
        } = "cancelled",
    }
}

impl SolverError {
    /// Is the state at which it ends a motion one as any other, in which nothing grows beyond bounds?
    pub fn is_regular(&self) -> bool {
        matches!(
            self,
            Self::ForceJump { .. }
                | Self::MomentumJump { .. }
                | Self::LagrangianJump { .. }
                | Self::Contact { .. }
                | Self::Parted { .. }
                | Self::TooManySteps { .. }
        )
    }

    /// Does it end a motion within a step, at the last sample?
    pub(super) fn is_within_a_step(&self) -> bool {
        matches!(
            self,
            Self::LagrangianJump { .. } | Self::Contact { .. } | Self::Parted { .. }
        )
    }

    /// What it is, in a word for programs.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::RankLost { halt, .. } => halt.name(),
            _ => self.name(),
        }
    }
}
