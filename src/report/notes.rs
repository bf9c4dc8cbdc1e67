//! What is said beside the results.

use super::failure::edge_note;
use super::formula::{Part, condition_text, sentence, words};
use super::redundancy::{Where, left_out, redundant};
use super::text::{exact, joined, only_if, validity};
use crate::analysis::{Analysis, BoundVelocities, Derived, Model, Remark, Site, Unjudged};
use crate::expr::Style;
use crate::mechanics::Holonomy;
use crate::mechanics::jumps;
use crate::solver::{HeldChart, Motion, Note, Redundant, Release};
use crate::system::quote;
use crate::theorem::Failure;
use std::f64::consts::TAU;
use std::fmt;

/// A sentence, and what it is about in a word that a program can rely on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// The word.
    pub reason: &'static str,
    /// The sentence.
    pub text: String,
}

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Told {
    fn new(reason: &'static str, text: impl Into<String>) -> Self {
        Self {
            reason,
            text: text.into(),
        }
    }
}

/// What is said beside the numbers of a motion.
pub fn motion_notes(model: &Model, motion: &Motion) -> Vec<Told> {
    let redundant = motion.redundant.iter().map(|r| unused(model, r));
    let edge = model.edge(motion);
    redundant
        .chain(motion.notes.iter().map(|note| beside(model, note)))
        .chain(edge.map(|failure| stopped(model, motion, &failure)))
        .chain(turned(model, motion))
        .chain(jumps(&model.system, &[]).then(|| remark(model, &Remark::Steps)))
        .chain(unused_data(model, motion))
        .collect()
}

/// What is said of the place of a check.
pub(super) fn site_notes(model: &Model, site: &Site) -> Vec<Told> {
    let list = site.notes.iter().map(|note| beside(model, note));
    list.chain(like_degrees(model, &site.x)).collect()
}

/// What is said of angles at the beginning of a motion that are rarely meant as rad.
fn turned(model: &Model, motion: &Motion) -> Vec<Told> {
    let first = motion.samples.first();
    first.map_or_else(Vec::new, |first| like_degrees(model, &first.x))
}

fn like_degrees(model: &Model, x: &[f64]) -> Vec<Told> {
    let told = |(k, value): (usize, f64)| {
        let name = model.names(&[k]).concat();
        let (turns, value) = (value / TAU, exact(value));
        let text = format!(
            "{name} starts at {value} rad ({turns:.1} turns); for {value} degrees write {value}*deg"
        );
        Told::new("degrees", text)
    };
    model.like_degrees(x).into_iter().map(told).collect()
}

/// What is said beside the equations.
pub fn derived_notes(model: &Model, derived: &Derived) -> Vec<Told> {
    let others = derived.redundancy.iter().flat_map(|found| &found.others);
    others
        .map(|r| Told::new("redundant", redundant(model, r, Where::Start)))
        .chain(kept(model, derived))
        .chain(derived.notes.iter().map(|r| remark(model, r)))
        .collect()
}

/// What is said beside all that is shown of a system at once.
pub fn analysis_notes(analysis: &Analysis) -> Vec<Told> {
    let (model, motion) = (analysis.model(), &analysis.motion);
    let derived = &analysis.derived;
    let redundant = motion.redundant.iter().map(|r| unused(model, r));
    let edge = analysis.edge.as_ref();
    redundant
        .chain(kept(model, derived))
        .chain(motion.notes.iter().map(|note| beside(model, note)))
        .chain(derived.notes.iter().map(|r| remark(model, r)))
        .chain(analysis.bound.as_ref().map(|b| bound(model, b)))
        .chain(edge.map(|failure| stopped(model, motion, failure)))
        .chain(turned(model, motion))
        .chain(unused_data(model, motion))
        .collect()
}

/// What of the measured values is not seen: columns without a name, rows at times that the motion does not have.
fn unused_data(model: &Model, motion: &Motion) -> Vec<Told> {
    let Some(data) = &model.system.measured else {
        return Vec::new();
    };
    let mut list = Vec::new();
    if !data.nameless.is_empty() {
        let heads = joined(
            data.nameless
                .iter()
                .map(|head| format!("`{}`", quote(head))),
        );
        let text = format!("left out of the data: {heads}, which cannot be written in expressions");
        list.push(Told::new("data_column", text));
    }
    let ends = motion.samples.first().zip(motion.samples.last());
    if let Some((from, to)) = ends.map(|(first, last)| (first.t.min(last.t), first.t.max(last.t))) {
        let count =
            |is_off: &dyn Fn(f64) -> bool| data.times.iter().filter(|t| is_off(**t)).count();
        let (before, after) = (count(&|t| t < from), count(&|t| t > to));
        let parts = [(before, "before", from), (after, "after", to)].into_iter();
        let parts = parts.filter(|(count, ..)| *count > 0);
        let parts = joined(parts.map(|(count, side, t)| format!("{count} {side} t = {t}")));
        if !parts.is_empty() {
            let rows = data.times.len();
            let text = format!("rows of the data beside the motion: {parts}, of {rows}");
            list.push(Told::new("data_row", text));
        }
    }
    list
}

/// What is said of velocity constraints that are holonomic, in a style.
pub fn holonomic_notes(model: &Model, style: Style) -> Vec<String> {
    let list = holonomic_parts(model).into_iter();
    list.map(|note| sentence(&note, &model.system, style))
        .collect()
}

/// The same, a sentence each.
pub(super) fn holonomic_parts(model: &Model) -> Vec<Vec<Part>> {
    let list = model.system.velocity_constraints.iter();
    list.zip(model.holonomy())
        .filter_map(|(c, found)| match found {
            Holonomy::Unknown => None,
            Holonomy::Holonomic => Some(vec![words(format!(
                "{}: this is holonomic, though its integral was not found",
                c.name
            ))]),
            Holonomy::Integral(e) => Some(vec![
                words(format!("{}: this is holonomic: ", c.name)),
                Part::Math(*e),
                words(" = const"),
            ]),
        })
        .collect()
}

fn unused(model: &Model, found: &Redundant) -> Told {
    Told::new("redundant", left_out(model, found))
}

fn stopped(model: &Model, motion: &Motion, failure: &Failure) -> Told {
    Told::new("smoothness", edge_note(model, &motion.dependent, failure))
}

/// Which constraints the reduced equations know.
fn kept(model: &Model, derived: &Derived) -> Option<Told> {
    let kept = joined(model.constraints_named(&derived.redundancy.as_ref()?.rows));
    let text = format!("the reduced equations are those of {kept} alone");
    Some(Told::new("reduced", text))
}

/// What is said of a start or beside a motion.
fn beside(model: &Model, note: &Note) -> Told {
    let name = |k: &usize| model.names(&[*k]).concat();
    let text = match note {
        Note::MovedCoordinate {
            coordinate,
            from,
            to,
        } => format!(
            "{} was moved from {from} to {to}, onto the constraints",
            name(coordinate)
        ),
        Note::MovedVelocity {
            coordinate,
            from,
            to,
        } => format!(
            "{}' was moved from {from} to {to}, onto the constraints",
            name(coordinate)
        ),
        Note::PositionOnly(why) => super::refusal_sentence(why),
        Note::Tolerance { asked, used } => {
            format!("rtol {asked:e} is below what numbers resolve; {used:e} is used")
        }
        Note::NegativeKineticEnergy => {
            "the kinetic energy is negative for some virtual displacements at the start: check the sign of L and of the masses".to_owned()
        }
        Note::Released {
            constraint,
            t,
            release,
        } => {
            let constraint = model.constraint_names().get(*constraint);
            let goes = match release {
                Release::Stop => "ends there",
                Release::Go => "continues without it",
            };
            format!(
                "the one-sided constraint {} is released at t = {t:.6}: its multiplier would have to pull; the motion {goes}",
                constraint.map_or("", String::as_str)
            )
        }
        Note::Rounded { t } => format!(
            "from t = {t:.6} on it is computed by multipliers: rounding of the coordinates that a chart is told in, counted from far away, makes more of the velocities solved for than the tolerances allow"
        ),
        Note::Unwatched { from, to } => format!(
            "from t = {from:.6} to {to:.6}, next to the singular configuration, one-sided constraints are not watched"
        ),
        Note::Held(held) => held_chart(model, held),
        Note::NoChart => "there is no chart to hold on to".to_owned(),
        Note::VelocityInChart => {
            "velocity constraints: not yet in a chart that is held on to".to_owned()
        }
    };
    Told::new(note.name(), text)
}

/// What a chart held on to comes to.
fn held_chart(model: &Model, held: &HeldChart) -> String {
    let mut parts = vec![format!(
        "the chart of {} held on to (Runge-Kutta of order 4, {} steps, no change of chart)",
        model.names(&held.dependent).join(", "),
        held.steps
    )];
    parts.push(held.apart.map_or_else(
        || "stays with the motion".to_owned(),
        |t| format!("parts from the motion before t = {t:.6}"),
    ));
    if let Some(t) = held.left {
        let worst = held.worst;
        parts.push(format!(
            "leaves the constraints at t = {t:.6}, by up to {worst:.1e}"
        ));
    }
    if let Some(t) = held.ended {
        parts.push(format!("gives no numbers after t = {t:.6}"));
    }
    parts.join("; ")
}

fn remark(model: &Model, remark: &Remark) -> Told {
    let text = match remark {
        Remark::TurnsMatter { coordinate } => format!(
            "the equations depend on how many turns {c} has made, but its inverse function gives {c} only modulo its period: they are not given in the independent coordinates alone",
            c = model.names(&[*coordinate]).concat()
        ),
        Remark::OffLevel { conditions } => format!(
            "where {} no configuration with y = c was found: nothing is given there in the independent coordinates alone",
            condition_text(&model.system, conditions, Style::Plain)
        ),
        Remark::Recursion => {
            "the multipliers are long in closed form: they are given one from another".to_owned()
        }
        Remark::LargeBlock { constraints } => format!(
            "J_D has a block of {constraints} constraints, too large to solve in symbols: its multipliers are given by their equations"
        ),
        Remark::Taken { name } => format!(
            "`{name}` stands for what this file calls so, not for the force lambda |grad f| of a constraint"
        ),
        Remark::Steps => {
            "L or a constraint may jump: the equations, and what is called conserved, hold between its steps".to_owned()
        }
        Remark::Vanishes { dependent, another } => {
            let advice = only_if(*another, ": choose other dependent coordinates");
            let chosen = model.names(dependent).join(", ");
            format!("det J[{chosen}] is zero everywhere{advice}")
        }
    };
    Told::new(remark.name(), text)
}

fn bound(model: &Model, bound: &BoundVelocities) -> Told {
    let list = model.names(&bound.dependent).join("', ");
    let where_ = validity(model, &bound.columns, Style::Plain);
    let dependent = format!("; dependent by velocity constraints: {list}'{where_}");
    let dependent = only_if(!list.is_empty(), dependent);
    let (rank, rows) = (bound.rank, bound.rows);
    let text = format!("W = [J; A] has rank {rank} of {rows} at the start{dependent}");
    Told::new("velocity_rank", text)
}

/// Why a fact could not be judged.
pub(super) fn unjudged(model: &Model, why: &Unjudged) -> String {
    match why {
        Unjudged::Interrupted => "interrupted".to_owned(),
        Unjudged::NotLookedFor => "the equilibria were not looked for".to_owned(),
        Unjudged::NoMotion => "there is no motion".to_owned(),
        Unjudged::Ended(why) => super::refusal_sentence(why),
        Unjudged::NotReached(until) => format!("the run does not come to t = {until}"),
        Unjudged::NoInstant => "the instant does not come within the run".to_owned(),
        Unjudged::NotAll => "that there are no others is not proven".to_owned(),
        Unjudged::NoEquilibrium => "none was found there".to_owned(),
        Unjudged::NoneThere => "there is none, as is proven".to_owned(),
        Unjudged::Stands { kind, .. } | Unjudged::IsOther { kind, .. }
            if model.system.objective =>
        {
            format!("it is {}", kind.name())
        }
        Unjudged::Stands { stability, kind } | Unjudged::IsOther { stability, kind } => {
            format!("it is {}, a {}", stability.name(), kind.name())
        }
        Unjudged::Frequencies(count) => format!("it has {count} frequencies"),
        Unjudged::Unresolved => {
            "its terms cancel to less than the tolerances of the run tell".to_owned()
        }
    }
}
