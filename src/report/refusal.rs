//! Why a motion, a variation, a sweep or a request cannot be had: the words of what the rooms below say in numbers.

use super::text::{joined, linked, number, only_if, size, some};
use crate::analysis::{ColumnFault, FARTHEST, PlanError, RangeFault, RequestError, VaryError};
use crate::solver::{
    Dependent, Fault, Halt, Jump, Missing, Needs, Placed, Quantity, SolverError, Term,
};
use crate::system::{Diagnostic, Part, nearest_or_all, quote, sanitize};
use std::fmt::{self, Display, Formatter};

impl Display for Quantity {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&match self {
            Self::StartTime => "the time of the start".to_owned(),
            Self::Start(name) => format!("the start value of {name}"),
            Self::Constraint(name) => format!("the constraint `{name}` or its gradient"),
            Self::Gradient(name) => format!("the gradient of the constraint `{name}`"),
            Self::VelocityConstraint(name) => format!("the velocity constraint `{name}`"),
            Self::Equations => "a term of the equations of motion".to_owned(),
            Self::Term(term) => format!("`{}` in {}", term.text, part(&term.part)),
        })
    }
}

/// A part of a file.
fn part(part: &Part) -> String {
    match part {
        Part::Key(key) => format!("`{key}`"),
        Part::Force(name) => format!("the force on `{name}`"),
        Part::Body(name) => format!("the body `{name}`"),
        Part::Constraint(name) => format!("the constraint `{name}`"),
        Part::VelocityConstraint(name) => format!("the velocity constraint `{name}`"),
    }
}

/// `m*g/(x - 1.5)` in `lagrangian` (line 4) divides by zero at t = 0: x - 1.5 = 0
fn undefined(term: &Term, t: f64) -> String {
    let line = term
        .place
        .as_ref()
        .map(|place| format!(" (line {})", place.line));
    let whose = format!(
        "`{}` in {}{}",
        term.text,
        part(&term.part),
        line.unwrap_or_default()
    );
    match &term.fault {
        Fault::Division(by) if *by == term.text => {
            format!("{whose} is zero at t = {t}, and is divided by")
        }
        Fault::Division(by) => format!("{whose} divides by zero at t = {t}: {by} is 0 there"),
        Fault::Root(of) => format!(
            "{whose} is a root of a negative number at t = {t}: {} is {} there",
            of.name,
            number(of.value)
        ),
        Fault::Function(Some(of)) if of.name != number(of.value) => format!(
            "{whose} has no finite value at t = {t}: {} is {} there",
            of.name,
            number(of.value)
        ),
        Fault::Function(_) => format!("{whose} has no finite value at t = {t}"),
        Fault::Overflow => format!("{whose} is too large for a number at t = {t}"),
        Fault::Derivative(order) => {
            let which = if *order == 1 {
                "derivative"
            } else {
                "second derivative"
            };
            format!("{whose} has no finite {which} at t = {t}, which the equations of motion need")
        }
    }
}

impl Display for Needs {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Fraction => "a number between 0 and 1",
            Self::NotNegative => "a number not below 0",
            Self::Time => "a finite time",
        })
    }
}

impl Display for Halt {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        const NO_WAY: &str = "there is no smooth way on";
        f.write_str(&match self {
            Self::InfiniteSpeed => format!(
                "{NO_WAY}: the constraints would need an infinite speed there"
            ),
            Self::End { within } => format!(
                "{NO_WAY}: the constraints end there, nothing nearby was found to satisfy them up to {within:.1e} later"
            ),
            Self::Cusp { branches, within } => format!(
                "{NO_WAY}: it is a cusp, {branches} branches lie behind and none was found ahead up to {within} of the \
                 size of the coordinates"
            ),
            Self::NotDecided => {
                "no smooth way on was found; whether there is one is not decided".to_owned()
            }
        })
    }
}

/// A time of which no more digits are told than are of use.
fn moment(t: f64) -> f64 {
    format!("{t:.9e}").parse().unwrap_or(t)
}

impl Display for SolverError {
    #[allow(clippy::too_many_lines)] // a sentence for each
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&match self {
            Self::Shape {
                what,
                expected,
                found,
            } => format!("{what}: {found} given, the system has {expected}"),
            Self::Option {
                option,
                value,
                needs,
            } => format!("{option} = {value} cannot be used: {needs}"),
            Self::NotFinite { what: Quantity::Term(term), t } => undefined(term, moment(*t)),
            Self::NotFinite { what, t } => format!("{what} is not a finite number at t = {t}", t = moment(*t)),
            Self::Unvalued { faults } => {
                linked("; ", faults.iter().map(|own| &own.message))
            }
            Self::Missed { contradiction, .. } | Self::NoStart { contradiction, .. }
                if !contradiction.is_empty() =>
            {
                contradicting(contradiction)
            }
            Self::Missed {
                by,
                constraint,
                residual,
                ..
            } => {
                let residual = miss(*residual);
                match by {
                    Missing::Position => format!(
                        "the given values miss the constraint `{constraint}` by {residual}"
                    ),
                    Missing::Contact => format!(
                        "the given values are off the one-sided constraint `{constraint}` by {residual}, and a motion begins in contact"
                    ),
                    Missing::Velocity => format!(
                        "the given velocities break the constraint `{constraint}`: its time derivative is {residual}"
                    ),
                    Missing::VelocityConstraint => format!(
                        "the given velocities miss the velocity constraint `{constraint}` by {residual}"
                    ),
                }
            }
            Self::NoVelocity {
                constraint,
                residual,
                t,
            } => format!(
                "no velocities satisfy all constraints at t = {t}: their rows are dependent there, and `{constraint}` is \
                 missed by {} at best",
                miss(*residual),
                t = moment(*t)
            ),
            Self::NoStart {
                constraint,
                residual,
                t,
                tries,
                ..
            } => format!(
                "no start was found that satisfies the constraints at t = {t}: from {tries} guesses the constraint \
                 `{constraint}` misses by {} at best",
                miss(*residual),
                t = moment(*t)
            ),
            Self::SingularConfiguration {
                t,
                rank,
                around,
                constraints,
            } => {
                let more = only_if(around > rank, format!(", near by rank {around}"));
                format!(
                    "the start is a singular configuration: at t = {t} the gradients of the {constraints} constraints \
                     have rank {rank}{more}; the motion from there is not determined",
                    t = moment(*t)
                )
            }
            Self::RoughStart { constraint, t } => format!(
                "the constraint `{constraint}` is not C^1 at the start, t = {t}, or not shown to be: the equations of \
                 motion do not say how it goes on",
                t = moment(*t)
            ),
            Self::DependentStart {
                t,
                rank,
                constraints,
            } => format!(
                "at the start, t = {t}, the rows of J and of the velocity constraints, {constraints} in all, have rank \
                 {rank} only, and round it they have more or contradict each other: the motion from there is not determined",
                t = moment(*t)
            ),
            Self::Objective => "an `objective` has no motion: the theorem and the map are of its constraints, and `equilibria` finds its \
                 extremal points".to_owned(),
            Self::NoInertia { direction, t } => {
                let terms = direction.iter().map(|own| (own.value, own.name.clone()));
                format!(
                    "no kinetic energy belongs to motion along {} at t = {t} (is a mass zero?): the accelerations are not \
                     determined by the equations of motion",
                    combination(terms),
                    t = moment(*t)
                )
            }
            Self::RankLost { of, t, ratio, halt } => match of {
                Dependent::Gradients => format!(
                    "the gradients of the constraints become linearly dependent at t = {t:.9} (smallest relative pivot \
                     {ratio:.1e}): no choice of dependent coordinates works there, and {halt}"
                ),
                Dependent::All => format!(
                    "the rows of J and of the velocity constraints become linearly dependent at t = {t} (smallest relative \
                     pivot {ratio:.1e}): the accelerations are not determined there, {halt}",
                    t = moment(*t)
                ),
            },
            Self::StepCollapsed { t, step } => format!(
                "the step size fell below {step:.1e} at t = {t}: the motion seems to have a singularity there",
                t = moment(*t)
            ),
            Self::ForceJump { t, held: true } => format!(
                "the motion begins at rest, t = {t}, where `sign(x')` of dry friction is not decided: with any velocity the \
                 accelerations lead back to rest, and at rest the equations of motion do not say what holds it",
                t = moment(*t)
            ),
            Self::ForceJump { t, .. } => format!(
                "the accelerations jump at t = {t}, as those by dry friction do where what slides comes to rest: the equations of \
                 motion do not say how it goes on",
                t = moment(*t)
            ),
            Self::MomentumJump { t } => format!(
                "the momenta dL/dx' jump at t = {t}, as a mass or a term in x' with sign(t) does: the equations of motion do not \
                 say what the velocities are behind that; a steep tanh in place of sign does",
                t = moment(*t)
            ),
            Self::LagrangianJump { t } => format!(
                "the Lagrangian jumps at t = {t} as a coordinate changes, as a potential with sign(x) does at x = 0: the equations \
                 of motion do not say which way the motion goes on, and how fast; a steep tanh in place of sign does",
                t = moment(*t)
            ),
            Self::EnergyLost { t } => format!(
                "the energy, which is constant, would be another one after t = {t}: the Lagrangian jumps there (what is exchanged \
                 in an impact is in no equation), the motion is held up at a singular configuration, or its numbers have too \
                 few digits",
                t = moment(*t)
            ),
            Self::Kink {
                constraint,
                of: Jump::Gradient,
                t,
            } => format!(
                "the gradient of the constraint `{constraint}` jumps near t = {t}: the constraint is not C^1 there, and \
                 the equations of motion do not say how it goes on",
                t = moment(*t)
            ),
            Self::Kink {
                constraint,
                of: Jump::Value,
                t,
            } => format!(
                "the constraint `{constraint}` jumps near t = {t}, as sign does, and atan2 at its cut: behind that no \
                 configuration next to those before satisfies it",
                t = moment(*t)
            ),
            Self::Contact { constraint, t } => format!(
                "the motion comes back to the one-sided constraint `{constraint}` at t = {t}: what an impact does is not \
                 part of the system",
                t = moment(*t)
            ),
            Self::Parted { constraint, t } => format!(
                "the other constraints imply `{constraint}` up to t = {t} and no longer: no motion on keeps to all of them",
                t = moment(*t)
            ),
            Self::Unbounded { t, what } => format!(
                "the motion diverges near t = {t}: {} = {:.2e} and growing",
                what.name, what.value,
                t = moment(*t)
            ),
            Self::TooManySteps { t, steps } => {
                format!("the bound of {steps} steps is met at t = {t}", t = moment(*t))
            }
            Self::TooSlow { t, steps, part, grown: Some(grown) } => format!(
                "the motion grows without bound: up to t = {t} its kinetic energy has grown {}-fold, and the last {steps} \
                 steps advanced it by {part:.1e} of the requested time",
                size(*grown),
                t = moment(*t)
            ),
            Self::TooSlow { t, steps, part, .. } => format!(
                "the last {steps} steps, up to t = {t}, advanced it by {part:.1e} of the requested time",
                t = moment(*t)
            ),
            Self::Cancelled { t } => format!("cancelled at t = {t}", t = moment(*t)),
        })
    }
}

impl Display for RequestError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let known = |name: &str, list: &[String]| {
            let list = list.iter().map(String::as_str);
            (sanitize(name), nearest_or_all(name, list))
        };
        f.write_str(&match self {
            Self::NoCoordinate { name, known: list } => {
                let (name, help) = known(name, list);
                format!("`{name}` is not a coordinate of this system; {help}")
            }
            Self::NoVariable { name, known: list } => {
                let (name, help) = known(name, list);
                format!("`{name}` is neither a coordinate nor a parameter of this system; {help}")
            }
            Self::WrongCount { given, wanted } => format!(
                "{given} named as dependent, where there must be as many as constraints: {wanted}"
            ),
            Self::Twice { name } => {
                format!("`{name}` is named twice among the dependent coordinates")
            }
            Self::Column { text, why } => format!("column `{}`: {why}", sanitize(text)),
            Self::Never { condition } => format!(
                "`{}` does not happen after the start as far as the motion goes",
                sanitize(condition)
            ),
            Self::Solver(error) => refusal_sentence(error),
        })
    }
}

impl Display for ColumnFault {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&match self {
            Self::Expression(error) => match &error.help {
                Some(help) => format!("{}; {help}", error.kind),
                None => error.kind.to_string(),
            },
            Self::NoReduction => "wanted min(X), max(X), mean(X), end(X), at(t=T, X), when(A=B, X), count(A=B) or period(X) of a column X".to_owned(),
            Self::NoEquation => "wanted an equation A=B".to_owned(),
            Self::NoTime => "wanted a time: at(t=2, x)".to_owned(),
            Self::Untimely(text) => format!("`{}` is not a time", quote(text)),
            Self::Beyond([from, until]) => {
                format!("the motion goes from t = {from} to {until}")
            }
        })
    }
}

impl Display for PlanError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&match self {
            Self::Empty => "nothing is varied".to_owned(),
            Self::Twice(name) => format!("`{}` is varied twice", quote(name)),
            Self::Range { text, why } => format!("`{}`: {why}", quote(text)),
            Self::TooMany => "these are more than 2^40 runs".to_owned(),
            Self::Axes { found, most } => format!(
                "a Sobol design has {most} axes at most, not {found}: --design latin has any number"
            ),
            Self::Shard(text) => format!(
                "`{}` is not a shard: wanted i/n with i from 1 to n, such as 3/16",
                sanitize(text)
            ),
            Self::Row {
                line,
                found,
                wanted,
            } => format!("line {line} has {found} values where {wanted} are named"),
            Self::Number { line, text } => {
                format!("line {line}: `{}` is not a finite number", quote(text))
            }
        })
    }
}

impl Display for RangeFault {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "it is empty",
            Self::Form => "wanted FROM:TO:COUNT, log:FROM:TO:COUNT or a list a,b,c",
            Self::Dots => "wanted FROM:TO:COUNT, with `:` between the ends, or a list a,b,c",
            Self::Count => "the third number says how many values, both ends included: a whole number from 1 to 2^24",
            Self::Signs => "both ends of a logarithmic range have one sign",
            Self::Order => "the first end must be below the second",
            Self::OneValue => "one value cannot stand for a range",
            Self::NoEnds => "a random sample is drawn between two ends: FROM:TO",
            Self::NoCount => "how many values? wanted FROM:TO:COUNT, or --random N",
        })
    }
}

impl Display for VaryError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&match self {
            Self::Request(error) => error.to_string(),
            Self::Outside { t, within: [a, b] } => {
                format!(
                    "t = {t} is outside the motion, which goes from {a} to {b}; `until` under `run` is its end"
                )
            }
            Self::Order {
                from,
                to,
                within: [a, b],
            } => format!(
                "t = {to} comes before t = {from} on the motion, which goes from {a} to {b}"
            ),
            Self::NoTime { t } => format!("there is no time between {t} and {t}"),
            Self::Released { constraint, t } => format!(
                "the constraint `{constraint}` is released at t = {t}, between the two times: the paths beside the motion \
                 differ in what holds them"
            ),
            Self::Steps => "L or a constraint may have steps in the coordinates: the action has no slope there".to_owned(),
            Self::Fixed => "the constraints leave no coordinate independent: there is no other path".to_owned(),
            Self::Dependent { name, free } => format!(
                "`{name}` is dependent here: it follows from the others by g; vary one of {}",
                free.join(", ")
            ),
            Self::End { name, t, value } => format!(
                "the variation of `{name}` does not vanish at t = {t}: it is {value} there"
            ),
            Self::Value { name, t, zero } => {
                let what = if *zero {
                    "zero, as at all times,"
                } else {
                    "not a finite number"
                };
                format!("the variation of `{name}` is {what} at t = {t}")
            }
            Self::LeavesN { dependent, t } => format!(
                "with {} dependent the motion leaves N at t = {t}: choose an earlier end, or other dependent coordinates",
                dependent.join(", ")
            ),
            Self::Motion(error) => format!("the motion could not be finished: {error}"),
            Self::CalledOff => "called off".to_owned(),
        })
    }
}

/// What to try, where something can be tried.
pub fn refusal_advice(error: &SolverError) -> Option<String> {
    match error {
        SolverError::Missed { contradiction, .. } | SolverError::NoStart { contradiction, .. }
            if !contradiction.is_empty() =>
        {
            let what = if contradiction.len() == 1 { "it: change it" } else { "one of them: change one" };
            Some(format!("every start misses {what}, or the values of its parameters"))
        }
        SolverError::Missed { nearest, kept, place, .. } => {
            let solved = || "values that are left out of `start` are solved for".to_owned();
            let rest = kept_words(kept).or_else(|| place.as_ref().map(|_| solved()));
            Some(linked("; ", [offer(nearest)].into_iter().chain(rest)))
        }
        SolverError::NoStart { .. } => Some("try a `guess` nearer to a solution".to_owned()),
        SolverError::TooSlow { grown: Some(_), .. } => {
            Some("check the signs of the forces, as a damper with the wrong one drives, or ask for a shorter time".to_owned())
        }
        SolverError::TooManySteps { .. } | SolverError::TooSlow { .. } => {
            Some("loosen rtol, or atol where a coordinate is near zero beside large ones, or ask for a shorter time".to_owned())
        }
        SolverError::ForceJump { .. } => {
            Some("a smooth law continues, such as tanh(x'/v) with a small v in place of sign(x')".to_owned())
        }
        _ => None,
    }
}

/// What is wrong at its places in the file, with what to try; `None` where it stands at none.
pub fn refusal_in_file(error: &RequestError) -> Option<Vec<Diagnostic>> {
    let RequestError::Solver(error) = error else {
        return None;
    };
    let place = match error {
        SolverError::Unvalued { faults } => return Some(faults.clone()),
        SolverError::Missed { place, .. } | SolverError::NoStart { place, .. } => place.as_deref(),
        SolverError::NotFinite {
            what: Quantity::Term(term),
            ..
        } => term.place.as_deref(),
        _ => None,
    };
    Some(vec![Diagnostic {
        message: error.to_string(),
        help: refusal_advice(error),
        ..place?.clone()
    }])
}

/// What happened, and what to try.
pub fn refusal_sentence(error: &SolverError) -> String {
    match refusal_advice(error) {
        Some(advice) => format!("{error}; {advice}"),
        None => error.to_string(),
    }
}

fn contradicting(names: &[String]) -> String {
    let quoted = names.iter().map(|name| format!("`{name}`"));
    let (together, names) = match names.len() {
        1 => ("", format!("the constraint {}", joined(quoted))),
        2 => (" together", linked(" and ", quoted)),
        _ => (" together", joined(quoted)),
    };
    format!(
        "no position meets {names}{together} (proven for all angles, and other coordinates up to {FARTHEST:e})"
    )
}

fn offer(nearest: &[Placed]) -> String {
    if nearest.is_empty() {
        return "no consistent values were found near by".to_owned();
    }
    let values = joined(nearest.iter().map(offered));
    format!("the nearest consistent values found are {values}")
}

/// Values that are listed.
const LISTED: usize = 6;

/// How to have values of the file solved for that stand beside replaced ones.
pub(super) fn kept_words(kept: &[Placed]) -> Option<String> {
    let (stand, solved) = match kept {
        [] => return None,
        [_] => ("stands", "left out there, it is solved for"),
        _ => ("stand", "what is left out there is solved for"),
    };
    let values = some(kept.iter().map(offered), LISTED);
    Some(format!("{values} {stand} in the file's `start`: {solved}"))
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

/// A sum of named terms: `2 x1 - x3`; factors are rounded to six digits.
pub(super) fn combination(terms: impl Iterator<Item = (f64, String)>) -> String {
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
    }
}
