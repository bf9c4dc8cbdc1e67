//! The domain `F[N]` of the inverse function, in words and as JSON.

use super::formula::{Part, alike, words};
use super::json::{each, object};
use super::text::{joined, number, values};
use super::theory::told;
use crate::analysis::{Argument, DomainOfG, End, Ending, InverseAnswer, Model, Nowhere};
use crate::expr::{Expr, Style};
use serde_json::{Value, json};

fn symbol(model: &Model, argument: Argument) -> Expr {
    let system = &model.system;
    match argument {
        Argument::Level(b) => system.constraints[b].level,
        Argument::Coordinate(k) => system.coordinates[k].x,
        Argument::Time => system.t,
    }
}

fn name(model: &Model, argument: Argument) -> String {
    model.system.pool.print(symbol(model, argument))
}

/// `x1 = 0`, `x1 grows without bound`.
fn ending(model: &Model, why: &Ending, style: Style) -> String {
    match why {
        Ending::Determinant(Some(e)) => format!("{} = 0", model.system.pool.print_as(*e, style)),
        Ending::Determinant(None) => "det J_D = 0".to_owned(),
        Ending::Unbounded(k) => format!("{} grows beyond bounds", model.coordinate_names()[*k]),
        Ending::Undefined => "f is not defined".to_owned(),
    }
}

/// The sides of the proven box: what it is a range of, and the range.
fn sides(model: &Model, domain: &DomainOfG) -> Option<Vec<(Expr, (f64, f64))>> {
    let proven = domain.proven.as_ref()?;
    let levels = proven.levels.iter().enumerate();
    let levels = levels.map(|(b, side)| (symbol(model, Argument::Level(b)), *side));
    let others = proven.sides.iter().map(|(k, side)| {
        let coordinate = model.system.coordinates.get(*k);
        (coordinate.map_or(model.system.t, |c| c.x), *side)
    });
    Some(levels.chain(others).collect())
}

/// The certified box and where g ends, a sentence each.
pub(super) fn domain_words(model: &Model, domain: &DomainOfG) -> Vec<Vec<Part>> {
    const SIDES: usize = 8;
    let mut list = Vec::new();
    if let Some(sides) = sides(model, domain) {
        let mut sentence = vec![words("g is defined for ")];
        for (i, (e, (lo, hi))) in sides.iter().take(SIDES).enumerate() {
            let (lo, hi) = (alike(number(*lo)), alike(number(*hi)));
            sentence.extend(told(comma(i), []));
            sentence.extend(told("{} from {} to {}", [Part::Math(*e), lo, hi]));
        }
        let more = if sides.len() > SIDES { ", ..." } else { "" };
        sentence.push(words(format!("{more} (certified)")));
        list.push(sentence);
    }
    let ends = domain.extents.iter().flat_map(|reach| {
        let ends = reach.ends.iter().flatten();
        ends.map(|(value, why)| (symbol(model, reach.along), *value, why))
    });
    let ends: Vec<_> = ends.collect();
    if !ends.is_empty() {
        let mut sentence = vec![words("along one of these, the others fixed, it ends ")];
        for (i, (e, value, why)) in ends.into_iter().enumerate() {
            let why = match why {
                Ending::Determinant(Some(e)) => told("{} = 0", [Part::Math(*e)]),
                other => vec![words(ending(model, other, Style::Plain))],
            };
            sentence.extend(told(comma(i), []));
            sentence.extend(told("at {} = {} (", [Part::Math(e), alike(number(value))]));
            sentence.extend(why);
            sentence.push(words(")"));
        }
        sentence.push(words(" (numerically)"));
        list.push(sentence);
    } else if !domain.extents.is_empty() {
        list.push(vec![words(
            "along any one of these, the others fixed, no end was met (numerically)",
        )]);
    }
    let stops = domain.extents.iter().flat_map(|reach| {
        let stops = reach.stops.iter().flatten();
        stops.map(|value| (symbol(model, reach.along), *value))
    });
    let mut sentence = Vec::new();
    for (i, (e, value)) in stops.enumerate() {
        sentence.extend(told(comma(i), []));
        sentence.extend(told("{} = {}", [Part::Math(e), alike(number(value))]));
    }
    if !sentence.is_empty() {
        sentence.insert(0, words("it was followed no further than "));
        sentence.push(words(": beyond that nothing is known"));
        list.push(sentence);
    }
    list
}

/// What parts an entry of a list from the one before.
fn comma(place: usize) -> &'static str {
    if place == 0 { "" } else { ", " }
}

/// The same as an object.
pub(super) fn domain_json(model: &Model, domain: &DomainOfG) -> Value {
    let region = sides(model, domain).map(|sides| {
        let sides = sides.into_iter();
        object(sides.map(|(e, side)| (model.system.pool.print(e), side)))
    });
    let ends = domain.extents.iter().map(|reach| {
        let end = |end: &Option<(f64, Ending)>| {
            end.as_ref().map(
                |(value, why)| json!({"value": value, "because": ending(model, why, Style::Plain)}),
            )
        };
        let [down, up] = reach.ends.each_ref().map(end);
        (name(model, reach.along), json!({"down": down, "up": up}))
    });
    let stops = domain.extents.iter().map(|reach| {
        let [down, up] = reach.stops;
        (name(model, reach.along), json!({"down": down, "up": up}))
    });
    json!({
        "certified": region.is_some(), "box": region, "ends": object(ends), "followed": object(stops),
    })
}

/// Which condition is broken at a place where g has no value.
pub(super) fn broken_words(model: &Model, answer: &InverseAnswer, style: Style) -> Vec<String> {
    let pool = &model.system.pool;
    let mut list: Vec<String> = answer
        .broken
        .iter()
        .map(|own| {
            format!(
                "{} >= 0 does not hold there: the left side is {}",
                pool.print_as(own.needed, style),
                number(own.value)
            )
        })
        .collect();
    if let Some(end) = &answer.end {
        let (names, at): (Vec<String>, Vec<f64>) =
            arguments(model, answer, end).into_iter().unzip();
        let at = joined(values(&names, &at));
        list.push(match &end.why {
            Some(why) => format!(
                "followed from the start, g ends on the way at {at}: {}",
                ending(model, why, style)
            ),
            None => format!(
                "from the start g was followed no further than {at}: beyond that nothing is known"
            ),
        });
    }
    list
}

/// The arguments of g where it ends.
fn arguments(model: &Model, answer: &InverseAnswer, end: &End) -> Vec<(String, f64)> {
    let levels = end.y.iter().enumerate();
    let mut list: Vec<(String, f64)> = levels
        .map(|(b, v)| (name(model, Argument::Level(b)), *v))
        .collect();
    let independent = answer.independent.iter();
    list.extend(independent.map(|&k| (model.coordinate_names()[k].clone(), end.spot.x[k])));
    if model.rheonomic() {
        list.push(("t".to_owned(), end.spot.t));
    }
    list
}

/// The broken conditions and the end, as JSON; null where there is a value.
pub(super) fn broken_json(model: &Model, answer: &InverseAnswer) -> Value {
    if answer.found.is_some() {
        return Value::Null;
    }
    let pool = &model.system.pool;
    let place = |end: &End| object(arguments(model, answer, end));
    let end = answer.end.as_ref().and_then(|end| {
        let why = end.why.as_ref()?;
        Some(json!({"at": place(end), "because": ending(model, why, Style::Plain)}))
    });
    let stopped = answer.end.as_ref().filter(|end| end.why.is_none());
    let conditions = each(
        &answer.broken,
        |own| json!({"needed": format!("{} >= 0", pool.print(own.needed)), "value": own.value}),
    );
    let nowhere = answer.nowhere.map(|how| match how {
        Nowhere::Proven => "proven",
        Nowhere::NotReal => "not_real",
    });
    json!({
        "conditions": conditions, "end": end, "followed": stopped.map(place), "nowhere": nowhere,
    })
}
