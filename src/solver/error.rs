//! What can go wrong in the solver, with the numbers.

use crate::system::Diagnostic;
use std::fmt;

use thiserror::Error;

/// A named value, for messages.
#[derive(Debug, Clone, PartialEq)]
pub struct Placed {
    /// The name, with a prime for a velocity.
    pub name: String,
    /// The value.
    pub value: f64,
}

impl fmt::Display for Placed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}", self.name, self.value)
    }
}

/// A value to three digits, for what is very large.
fn shown(what: &Placed) -> String {
    format!("{} = {:.2e}", what.name, what.value)
}

/// Rounded to so many digits of a number of this size.
fn rounded(value: f64, size: f64, digits: i32) -> f64 {
    let scale = 10_f64.powi(digits - 1 - size.log10().floor() as i32);
    (value * scale).round() / scale
}

/// A value that is offered, to be typed: without the noise of rounding behind its tenth decimal, far below what a
/// given value may miss by.
fn offered(what: &Placed) -> String {
    let value = what.value;
    // a number that large has no such noise, and zero no sign
    let value = if value.abs() < 1e10 {
        rounded(value, value.abs().max(1.0), 11) + 0.0
    } else {
        value
    };
    format!("{} = {value}", what.name)
}

/// A miss: `3`, `0.25`, `1.2e-5`.
fn miss(value: f64) -> String {
    if value == 0.0 || !value.is_finite() || !(1e-3..1e5).contains(&value.abs()) {
        return format!("{value:.1e}");
    }
    rounded(value, value.abs(), 3).to_string()
}

/// A part of a whole: `12%`, `1.2e-5`.
fn part(value: f64) -> String {
    if (0.001..=10.0).contains(&value) {
        format!("{}%", (value * 1000.0).round() / 10.0)
    } else {
        format!("{value:.1e}")
    }
}

/// Joins values that are offered to `x1 = 1, x2 = 2`.
fn list(values: &[Placed]) -> String {
    values.iter().map(offered).collect::<Vec<_>>().join(", ")
}

/// A sum of named terms: `2 x1 - x3`; factors are rounded to six digits.
pub(crate) fn combination(terms: impl Iterator<Item = (f64, String)>) -> String {
    let mut sum = String::new();
    for (factor, name) in terms {
        sum.push_str(match (sum.is_empty(), factor < 0.0) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        });
        let size = factor.abs();
        if (size - 1.0).abs() > 1e-6 {
            sum.push_str(&rounded(size, size, 6).to_string());
            sum.push(' ');
        }
        sum.push_str(&name);
    }
    sum
}

fn offer(nearest: &[Placed]) -> String {
    if nearest.is_empty() {
        "no consistent values were found near by".to_owned()
    } else {
        format!("the nearest consistent values found are {}", list(nearest))
    }
}

/// What ends a motion where rows of W = [J; A] become dependent, as far as numbers show it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Halt {
    /// W x' = -(`f_t`; b) has no solution there.
    InfiniteSpeed,
    /// Next to it the position constraints have solutions at earlier times, and none were found later.
    End {
        /// Up to so much later.
        within: f64,
    },
    /// The curve that the constraints leave has points behind, and none were found ahead.
    Cusp {
        /// How many branches were found behind.
        branches: usize,
        /// Up to this part of the size of the coordinates from the tip.
        within: f64,
    },
    /// None of these could be shown.
    NotDecided,
}

impl fmt::Display for Halt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InfiniteSpeed => f.write_str(
                "there is no smooth way on: the constraints would need an infinite speed there",
            ),
            Self::End { within } => write!(
                f,
                "there is no smooth way on: the constraints end there, nothing nearby was found to satisfy them up to \
                 {within:.1e} later"
            ),
            Self::Cusp { branches, within } => write!(
                f,
                "there is no smooth way on: it is a cusp, {branches} branches lie behind and none was found ahead up to \
                 {within} of the size of the coordinates"
            ),
            Self::NotDecided => {
                f.write_str("no smooth way on was found; whether there is one is not decided")
            }
        }
    }
}

/// Why a start could not be made or a motion could not be carried on.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SolverError {
    /// A list has not as many entries as the system needs.
    #[error("{what}: {found} given, the system has {expected}")]
    Shape {
        /// Which list.
        what: &'static str,
        /// How many it must have.
        expected: usize,
        /// How many it has.
        found: usize,
    },
    /// An option has a value that cannot be used.
    #[error("{option} = {value} cannot be used: {needs}")]
    Option {
        /// The option's name.
        option: &'static str,
        /// Its value.
        value: f64,
        /// What it must be.
        needs: &'static str,
    },
    /// A value of the system is not a finite number.
    #[error("{what} is not a finite number at t = {t}")]
    NotFinite {
        /// What it is the value of.
        what: String,
        /// The time.
        t: f64,
    },
    /// Values of the start are no finite numbers.
    #[error("{}", .faults.iter().map(|fault| fault.message.as_str()).collect::<Vec<_>>().join("; "))]
    Unvalued {
        /// Where they stand in the file.
        faults: Vec<Diagnostic>,
    },
    /// Given positions miss a constraint by too much to be moved.
    #[error(
        "the given values miss the constraint `{constraint}` by {} ({} of its terms)",
        miss(*residual), part(*relative)
    )]
    Position {
        /// The constraint missed most.
        constraint: String,
        /// f - c there.
        residual: f64,
        /// |f - c| relative to the terms.
        relative: f64,
        /// The nearest consistent values found, none where there are none.
        nearest: Vec<Placed>,
    },
    /// Given velocities do not keep a constraint.
    #[error(
        "the given velocities break the constraint `{constraint}`: its time derivative is {} ({} of its terms)",
        miss(*residual), part(*relative)
    )]
    Velocity {
        /// The constraint missed most.
        constraint: String,
        /// J x' + `f_t` there.
        residual: f64,
        /// Its size relative to its terms.
        relative: f64,
        /// The nearest consistent values found, none where there are none.
        nearest: Vec<Placed>,
    },
    /// Given velocities that miss a velocity constraint.
    #[error(
        "the given velocities miss the velocity constraint `{constraint}` by {} ({} of its terms)",
        miss(*residual), part(*relative)
    )]
    VelocityConstraint {
        /// The velocity constraint missed most.
        constraint: String,
        /// What is left of it.
        residual: f64,
        /// That, as a part of its terms.
        relative: f64,
        /// The nearest consistent velocities, where there are some.
        nearest: Vec<Placed>,
    },
    /// No velocities at all satisfy the constraints.
    #[error(
        "no velocities satisfy all constraints at t = {t}: their rows are dependent there, and `{constraint}` is missed \
         by {} at best", miss(*residual)
    )]
    NoVelocity {
        /// The constraint missed most by the best velocities.
        constraint: String,
        /// What is left of it, or of its time derivative.
        residual: f64,
        /// The time.
        t: f64,
    },
    /// No position was found that satisfies the constraints.
    #[error(
        "no start was found that satisfies the constraints at t = {t}: from {tries} guesses the constraint `{constraint}` \
         misses by {} at best", miss(*residual)
    )]
    NoStart {
        /// The constraint missed most at the best point.
        constraint: String,
        /// f - c there.
        residual: f64,
        /// The time.
        t: f64,
        /// How many guesses were tried.
        tries: usize,
    },
    /// The gradients of the constraints are dependent at the start and independent round it.
    #[error(
        "the start is a singular configuration: at t = {t} the gradients of the {constraints} constraints have rank {rank}, \
         round it rank {around}; the motion from there is not determined"
    )]
    SingularConfiguration {
        /// The time.
        t: f64,
        /// The rank there.
        rank: usize,
        /// The rank round it.
        around: usize,
        /// The number of constraints.
        constraints: usize,
    },
    /// A constraint is not C^1 at the start, or not shown to be.
    #[error(
        "the constraint `{constraint}` is not C^1 at the start, t = {t}, or not shown to be: the equations of motion do not \
         say how it goes on"
    )]
    RoughStart {
        /// The constraint.
        constraint: String,
        /// The time.
        t: f64,
    },
    /// At the start the rows of constraints and velocity constraints are dependent, not so round it.
    #[error(
        "at the start, t = {t}, the rows of J and of the velocity constraints, {constraints} in all, have rank {rank} only, \
         and round it they have more or contradict each other: the motion from there is not determined"
    )]
    DependentStart {
        /// The time.
        t: f64,
        /// The rank at the start.
        rank: usize,
        /// The number of constraints of both kinds.
        constraints: usize,
    },
    /// On the way the rows of constraints and velocity constraints become dependent.
    #[error(
        "the rows of J and of the velocity constraints become linearly dependent at t = {t} (smallest relative pivot \
         {ratio:.1e}): the accelerations are not determined there, {halt}"
    )]
    VelocityRankLost {
        /// The time reached.
        t: f64,
        /// The smallest pivot relative to the largest.
        ratio: f64,
        /// What ends the motion there.
        halt: Halt,
    },
    /// A constrained optimum is asked for its motion.
    #[error(
        "an `objective` has no motion: the theorem and the map are of its constraints, and `equilibria` finds its extremal points"
    )]
    Objective,
    /// M is singular on ker J.
    #[error(
        "the kinetic energy has no part along {direction} at t = {t}: the accelerations are not determined by the equations of motion"
    )]
    NoInertia {
        /// The direction in coordinates.
        direction: String,
        /// The time.
        t: f64,
    },
    /// The rank of the Jacobian drops on the way and the motion cannot be carried past it.
    #[error(
        "the gradients of the constraints become linearly dependent at t = {t:.9} (smallest relative pivot {ratio:.1e}): \
         no choice of dependent coordinates works there, and {halt}"
    )]
    RankLost {
        /// The time reached.
        t: f64,
        /// Smallest over largest pivot of the scaled Jacobian.
        ratio: f64,
        /// What ends the motion there.
        halt: Halt,
    },
    /// The step size fell below what the time resolves.
    #[error(
        "the step size fell below {step:.1e} at t = {t}: the motion seems to have a singularity there"
    )]
    StepCollapsed {
        /// The time reached.
        t: f64,
        /// The smallest step allowed.
        step: f64,
    },
    /// The gradient of a constraint jumps on the way.
    #[error(
        "the gradient of the constraint `{constraint}` jumps near t = {t}: the constraint is not C^1 there, and the equations of motion do not say how it goes on"
    )]
    Kink {
        /// The constraint.
        constraint: String,
        /// The time.
        t: f64,
    },
    /// A one-sided constraint that was released is met again.
    #[error(
        "the motion comes back to the one-sided constraint `{constraint}` at t = {t}: what an impact does is not part of the system"
    )]
    Contact {
        /// The constraint.
        constraint: String,
        /// The time.
        t: f64,
    },
    /// A coordinate grows beyond every bound.
    #[error(
        "the motion leaves every bound near t = {t}: {} and growing",
        shown(what)
    )]
    Unbounded {
        /// The time reached.
        t: f64,
        /// The coordinate, and how far it has come.
        what: Placed,
    },
    /// The bound on the number of steps was met.
    #[error("at t = {t} the bound of {steps} steps is met")]
    TooManySteps {
        /// The time reached.
        t: f64,
        /// The steps taken.
        steps: usize,
    },
    /// The steps became so small that the end is out of reach.
    #[error("at t = {t} the last {steps} steps moved it on by {part:.1e} of the time asked for")]
    TooSlow {
        /// The time reached.
        t: f64,
        /// The steps tried last.
        steps: usize,
        /// How far they led, as a part of the whole run.
        part: f64,
    },
    /// The run was cancelled.
    #[error("cancelled at t = {t}")]
    Cancelled {
        /// The time reached.
        t: f64,
    },
}

impl SolverError {
    /// What to try, where something can be tried.
    pub fn advice(&self) -> Option<String> {
        match self {
            Self::Position { nearest, .. }
            | Self::Velocity { nearest, .. }
            | Self::VelocityConstraint { nearest, .. } => Some(offer(nearest)),
            Self::NoStart { .. } => Some("try a `guess` nearer to a solution".to_owned()),
            Self::TooManySteps { .. } | Self::TooSlow { .. } => {
                Some("loosen rtol, or ask for a shorter time".to_owned())
            }
            _ => None,
        }
    }

    /// What happened, and what to try.
    pub fn at_length(&self) -> String {
        match self.advice() {
            Some(advice) => format!("{self}; {advice}"),
            None => self.to_string(),
        }
    }

    /// What it is, in a word for programs.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::RankLost { halt, .. } | Self::VelocityRankLost { halt, .. } => match halt {
                Halt::InfiniteSpeed => "infinite_speed",
                Halt::End { .. } => "end",
                Halt::Cusp { .. } => "cusp",
                Halt::NotDecided => "not_decided",
            },
            Self::Shape { .. } | Self::Option { .. } | Self::Objective => "request",
            Self::NotFinite { .. } => "not_finite",
            Self::Unvalued { .. }
            | Self::Position { .. }
            | Self::Velocity { .. }
            | Self::VelocityConstraint { .. }
            | Self::NoVelocity { .. }
            | Self::NoStart { .. }
            | Self::SingularConfiguration { .. }
            | Self::RoughStart { .. }
            | Self::DependentStart { .. } => "start",
            Self::NoInertia { .. } => "no_inertia",
            Self::StepCollapsed { .. } => "step_collapsed",
            Self::Kink { .. } => "kink",
            Self::Contact { .. } => "contact",
            Self::Unbounded { .. } => "unbounded",
            Self::TooManySteps { .. } => "too_many_steps",
            Self::TooSlow { .. } => "too_slow",
            Self::Cancelled { .. } => "cancelled",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_told_as_they_are_typed() {
        let placed = |value| Placed {
            name: "x".to_owned(),
            value,
        };
        let told = |value| offered(&placed(value));
        assert_eq!(told(0.499_999_999_999_988_34), "x = 0.5");
        assert_eq!(told(-1e-14), "x = 0");
        assert_eq!(told(1_234_567.890_000_000_2), "x = 1234567.89");
        assert_eq!(told(2.0_f64.sqrt()), "x = 1.4142135624");
        assert_eq!(told(12_345_678_901.5), "x = 12345678901.5");
        for (value, text) in [
            (3.0, "3"),
            (-0.123_456, "-0.123"),
            (1.24e-5, "1.2e-5"),
            (2e9, "2.0e9"),
        ] {
            assert_eq!(miss(value), text);
        }
        assert_eq!(
            (part(0.12), part(1.0), part(3e-5)),
            ("12%".into(), "100%".into(), "3.0e-5".into())
        );
    }
}
