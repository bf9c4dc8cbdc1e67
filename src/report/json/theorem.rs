//! The theorem at a point: the `check` object.

use super::inverse::inverse;
use super::motion::assembly;
use super::{by_name, object, point_json, printed, reasons, tell_extent, texts};
use crate::analysis::{Check, Meeting, Model};

use crate::report::notes::site_notes;
use crate::report::velocity::velocity_constraints;
use crate::report::{failure_sentence, title};
use crate::theorem::{Cause, Neighbourhood};
use serde_json::{Value, json};

/// The interface's `check` object.
pub fn check_json(model: &Model, check: &Check) -> Value {
    let verdict = &check.verdict;
    let value = &verdict.local.value;
    let symbolic: Vec<Vec<String>> = model
        .equations
        .jacobian
        .iter()
        .map(|row| printed(model, row))
        .collect();
    let numbers: Vec<Vec<f64>> = (0..value.nrows())
        .map(|i| value.row(i).iter().copied().collect())
        .collect();
    let failure = verdict.failure.as_ref().map(|f| {
        let mut object = json!({
            "kind": f.kind().name(),
            "reason": f.cause.name(),
            "alternatives": f.alternatives.iter().map(|a| model.names(a)).collect::<Vec<_>>(),
            "because": failure_sentence(model, check, f),
        });
        if f.more {
            object["more"] = json!(true);
        }
        if let Cause::Chart(vanishing) = &f.cause
            && let Some(turn) = vanishing.turn
        {
            object["turn"] = json!(turn.name());
        }
        if let Some(meeting) = &check.meeting {
            object["branches"] = branches(model, meeting);
        }
        object
    });
    let notes = site_notes(model, &check.site);
    let mut object = json!({
        "system": title(model),
        "t": check.site.t,
        "point": point_json(model, &check.site.x),
        "constraints": model.constraint_names(),
        "coordinates": model.coordinate_names(),
        "residuals": check.residuals,
        "on_constraints": check.off.is_empty(),
        "jacobian": {"symbolic": symbolic, "value": numbers, "rank": verdict.rank},
        "dependent": model.names(&verdict.dependent),
        "independent": model.names(&check.independent),
        "determinant": determinant(model, check),
        "verdict": if verdict.holds() { "holds" } else { "fails" },
        "failure": failure,
        "singular_set": singular_set(model, check),
        "inverse": inverse(model, &check.inverse, &verdict.dependent),
        "choices": choices(model, check),
        "regular_everywhere": check.regular_everywhere,
        "neighbourhood": check.neighbourhood.as_ref().map(|n| neighbourhood(model, n)),
        "nearest_failure": check.nearest_failure.as_ref().map(|near| json!({
            "equation": format!("{} = 0", model.system.pool.print(near.factor)),
            "point": point_json(model, &near.point),
            "distance": near.distance,
            "coordinate": model.coordinate_names()[near.coordinate],
            "nearest": near.is_nearest,
        })),
        "notes": texts(&notes),
        "note_reasons": reasons(&notes),
        "start": check.site.assembly.as_ref().map(assembly),
    });
    tell_extent(&mut object, &[model.extent, check.extent]);
    if !model.system.velocity_constraints.is_empty() {
        object["velocity_constraints"] = velocity_constraints(model);
    }
    object
}

/// What meets at a singular configuration.
fn branches(model: &Model, meeting: &Meeting) -> Value {
    match meeting {
        Meeting::Alone => json!({"kind": "none", "dimension": 0, "directions": []}),
        Meeting::Two(directions) => {
            let directions = directions.each_ref().map(|v| point_json(model, v));
            json!({"kind": "two", "dimension": 1, "directions": directions})
        }
        Meeting::Cone(dimension) => {
            json!({"kind": "cone", "dimension": dimension, "directions": []})
        }
    }
}

fn determinant(model: &Model, check: &Check) -> Value {
    let pool = &model.system.pool;
    let det = &check.determinant;
    let mut object = json!({
        "symbolic": det.whole.map(|e| pool.print(e)),
        "factors": printed(model, &det.factors),
        "value": check.verdict.determinant,
        "condition": check.verdict.condition,
        "fully_factored": det.complete,
    });
    if det.whole.is_none() {
        let blocks = det.blocks.iter().map(|(rows, columns, e)| {
            json!({
                "constraints": rows.iter().map(|&b| &model.constraint_names()[b]).collect::<Vec<_>>(),
                "coordinates": model.names(columns),
                "determinant": e.map(|e| pool.print(e)),
            })
        });
        object["blocks"] = blocks.collect();
    }
    object
}

fn singular_set(model: &Model, check: &Check) -> Value {
    let entries = check.singular.iter().map(|entry| {
        let equation = entry.factor.map_or_else(
            || "0 = 0".to_owned(),
            |f| format!("{} = 0", model.system.pool.print(f)),
        );
        let found = &entry.found;
        let points = found.is_listed().then(|| {
            let list = found.points().iter();
            list.map(|point| point_json(model, &point.x))
                .collect::<Vec<_>>()
        });
        let certified: Vec<bool> = found
            .points()
            .iter()
            .map(|point| point.certified.is_some())
            .collect();
        let mut entry = json!({
            "equation": equation,
            "on_constraints": points,
            "certified": certified,
            "complete": found.only().is_some(),
        });
        if !found.undecided().is_empty() {
            let names = model.coordinate_names();
            let boxes = found.undecided().iter();
            entry["undecided"] = boxes.map(|sides| by_name(names, sides)).collect();
        }
        if !found.periods.is_empty() {
            let names = model.coordinate_names();
            let periods = found.periods.iter();
            entry["period"] = object(periods.map(|(k, period)| (&names[*k], period)));
        }
        entry
    });
    entries.collect()
}

/// The choices of dependent coordinates and how they invert.
fn choices(model: &Model, check: &Check) -> Value {
    let entries = check.choices.list.iter().map(|c| {
        json!({
            "dependent": model.names(&c.dependent),
            "determinant": c.determinant.map(|e| model.system.pool.print(e)),
            "inverse": c.inverse.name(),
        })
    });
    entries.collect()
}

/// A proven box: its sides, those whose growth was stopped, and the values of the constraints for which
/// the inverse is sure to be defined.
pub(super) fn neighbourhood(model: &Model, n: &Neighbourhood) -> Value {
    let names = model.coordinate_names().iter().map(String::as_str);
    let names = names.chain(["t"]);
    let region = by_name(names.clone(), &n.sides);
    let open = names.zip(&n.open_ended).filter_map(|(name, open)| {
        let ends: &[&str] = match open {
            (true, true) => &["lo", "hi"],
            (true, false) => &["lo"],
            (false, true) => &["hi"],
            (false, false) => return None,
        };
        Some((name, ends))
    });
    let image = n.image.as_ref();
    let image = image.map(|image| by_name(model.constraint_names(), &image.levels));
    json!({"certified": true, "box": region, "open_ended": object(open), "image": image})
}
