//! Why the theorem fails, in words.

use super::redundancy::near_by;
use super::refusal::combination as sum_of;
use super::text::{joined, only_if, place};
use crate::analysis::{Check, Meeting, Model};
use crate::expr::{Expr, Style};

use crate::theorem::{Cause, Dimension, Failure, Rough, Roughness, Turn, Vanishing};

/// Directions of more coordinates are not told in a sentence.
const NAMED: usize = 8;

/// Why the theorem fails, as far as one point shows it: without a full stop.
pub fn failure_gist(model: &Model, dependent: &[usize], failure: &Failure, style: Style) -> String {
    let listed = |list: &[usize]| named(model, model.names(list), style).join(", ");
    match &failure.cause {
        Cause::Chart(vanishing) => {
            let chosen = listed(dependent);
            let first = failure.alternatives.first().map_or(&[][..], Vec::as_slice);
            let verb = if first.len() == 1 { "carries" } else { "carry" };
            let m = dependent.len();
            format!(
                "det J[{chosen}] is 0 there{}, though the gradients of the constraints are independent (rank J = {m} of {m}): only this choice fails, {} {verb} on",
                why(model, vanishing, style),
                listed(first)
            )
        }
        Cause::Rank {
            rank, constraints, ..
        } => {
            let m = model.system.constraints.len();
            let names = named(model, model.constraints_named(constraints), style);
            let what = match names.as_slice() {
                [one] => format!("the gradient of {one} is zero"),
                several => format!(
                    "the gradients of {} are linearly dependent",
                    several.join(", ")
                ),
            };
            format!(
                "{what} there (rank J = {rank} of {m}): no choice of dependent coordinates works"
            )
        }
        Cause::Rough(rough) => not_smooth(model, rough, style),
    }
}

/// Names in a style.
fn named(model: &Model, names: impl IntoIterator<Item = String>, style: Style) -> Vec<String> {
    let names = names.into_iter();
    match style {
        Style::Pretty => names
            .map(|name| model.system.pool.pretty_name(&name))
            .collect(),
        Style::Plain | Style::Latex => names.collect(),
    }
}

/// Why the theorem fails, with all that is known of it: sentences.
pub fn failure_sentence(model: &Model, check: &Check, failure: &Failure) -> String {
    let gist = failure_gist(model, &check.verdict.dependent, failure, Style::Plain);
    match &failure.cause {
        Cause::Chart(Vanishing {
            turn: Some(turn), ..
        }) => format!("{gist}; {}.", turn_words(*turn)),
        Cause::Rank { combination, .. } => {
            let sum = gradients(model, combination);
            let vanishes = only_if(combination.len() > 1, format!("; there {sum} = 0"));
            let near_by = check.structure.as_ref().map(|s| near_by(model, s));
            let meets = check.meeting.as_ref().map(|m| meets(model, m));
            let (near_by, meets) = (near_by.unwrap_or_default(), meets.unwrap_or_default());
            format!("{gist}{vanishes}.{near_by}{meets}")
        }
        _ => format!("{gist}."),
    }
}

/// What meets at a singular configuration, a sentence.
fn meets(model: &Model, meeting: &Meeting) -> String {
    match meeting {
        Meeting::Alone => " No other configuration is next to it.".to_owned(),
        Meeting::Two(directions) => {
            let names = model.coordinate_names();
            let [one, other] = directions.each_ref().map(|v| place(v));
            if names.len() <= NAMED {
                let names = names.join(", ");
                format!(
                    " Two branches cross there, where ({names}) goes along {one} and along {other}."
                )
            } else {
                " Two branches cross there.".to_owned()
            }
        }
        Meeting::Cone(dimension) => {
            format!(
                " Near by the configurations are a cone of {dimension} dimensions, with its tip there."
            )
        }
    }
}

/// What kind of set a factor vanishes on.
pub(super) fn along(dimension: Dimension) -> String {
    match dimension.of {
        1 => "along a curve".to_owned(),
        2 => "along a surface".to_owned(),
        more => format!("along a set of {more} dimensions"),
    }
}

/// ` (x1 = 0)`: what makes the determinant vanish.
fn why(model: &Model, vanishing: &Vanishing, style: Style) -> String {
    if vanishing.everywhere {
        return " and everywhere".to_owned();
    }
    if vanishing.factors.is_empty() {
        return String::new();
    }
    format!(" ({})", zeros(model, &vanishing.factors, style))
}

/// `x1 = 0, x2 = 0`
fn zeros(model: &Model, list: &[Expr], style: Style) -> String {
    let pool = &model.system.pool;
    let shown = |e: &Expr| format!("{} = 0", pool.print_as(*e, style));
    joined(list.iter().map(shown))
}

/// `2 grad rod - grad wall`
fn gradients(model: &Model, combination: &[(usize, f64)]) -> String {
    let names = model.constraint_names();
    sum_of(
        combination
            .iter()
            .map(|&(b, c)| (c, format!("grad {}", names[b]))),
    )
}

fn not_smooth(model: &Model, rough: &Rough, style: Style) -> String {
    let name = model.constraint_names()[rough.constraint].clone();
    let name = named(model, [name], style).concat();
    let term = |term: &Expr, what: &str| {
        let term = model.system.pool.print_as(*term, style);
        format!("the term {term} of the constraint {name} {what}")
    };
    match &rough.how {
        Roughness::NoValue(e) => term(e, "has no value there"),
        Roughness::NoRealValue(e) => term(e, "has no real value there"),
        Roughness::Edge(e) => term(e, "is at the edge of its domain, where it is not C^1"),
        Roughness::Pole(e) => term(e, "has a pole there"),
        Roughness::Cut(e) => term(e, "is on its cut, where it jumps"),
        Roughness::Kink(list) => {
            format!(
                "the constraint {name} has a kink where {}",
                zeros(model, list, style)
            )
        }
        Roughness::Jump(list) => {
            format!(
                "the constraint {name} jumps where {}",
                zeros(model, list, style)
            )
        }
        Roughness::Undecided(list) => format!(
            "the constraint {name} could not be shown to be C^1 where {}",
            zeros(model, list, style)
        ),
        Roughness::NoGradient => {
            format!("the constraint {name} has no gradient there: it could not be shown to be C^1")
        }
    }
}

/// How the branches meet, for a line with little room.
pub fn turn_brief(turn: Turn) -> &'static str {
    match turn {
        Turn::Fold => "a fold: two branches meet",
        Turn::InfiniteSlope => "one branch, infinite slope",
    }
}

fn turn_words(turn: Turn) -> &'static str {
    match turn {
        Turn::Fold => {
            "the determinant changes its sign along the constraints: a fold, where two branches of g meet"
        }
        Turn::InfiniteSlope => {
            "the determinant keeps its sign along the constraints: one branch of g, with an infinite slope there"
        }
    }
}

/// Why the theorem fails near where a motion stops.
pub(super) fn edge_note(model: &Model, dependent: &[usize], failure: &Failure) -> String {
    let why = failure_gist(model, dependent, failure, Style::Plain);
    format!("near where it stops: {why}.")
}
