//! The theorem at a point: the `check` object.

use super::inverse::inverse;
use super::motion::assembly;
use super::{by_name, each, matrix, object, point_json, printed, tell_extent};
use crate::analysis::{Check, Meeting, Model};
use crate::report::notes::site_notes;
use crate::report::velocity::{bound, velocity_constraints};
use crate::report::{failure_sentence, title};
use crate::theorem::{Cause, Neighbourhood};
use serde_json::{Value, json};

/// The interface's `check` object.
pub fn check_json(model: &Model, check: &Check) -> Value {
    let verdict = &check.verdict;
    let value = &verdict.local.value;
    let symbolic = each(&model.equations.jacobian, |row| printed(model, row));
    let failure = verdict.failure.as_ref().map(|f| {
        let mut object = json!({
            "kind": f.kind().name(),
            "reason": f.cause.name(),
            "alternatives": each(&f.alternatives, |a| model.names(a)),
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
        "on_constraints": check.off.is_empty() && check.clear.is_empty(),
        "not_in_contact": each(&check.clear, |(b, _)| model.constraint_names()[*b].as_str()),
        "jacobian": {"symbolic": symbolic, "value": matrix(value), "rank": verdict.rank()},
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
        "notes": each(&notes, |note| note.text.as_str()),
        "note_reasons": each(&notes, |note| note.reason),
        "start": check.site.assembly.as_ref().map(assembly),
    });
    tell_extent(&mut object, &[model.extent, check.extent]);
    if !model.system.velocity_constraints.is_empty() {
        object["velocity_constraints"] = velocity_constraints(model);
        object["velocity_rank"] = json!(check.velocities.as_ref().map(|own| bound(model, own)));
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
        object["blocks"] = each(&det.blocks, |(rows, columns, e)| {
            json!({
                "constraints": model.constraints_named(rows),
                "coordinates": model.names(columns),
                "determinant": e.map(|e| pool.print(e)),
            })
        });
    }
    object
}

fn singular_set(model: &Model, check: &Check) -> Value {
    let names = model.coordinate_names();
    each(&check.singular, |entry| {
        let equation = entry.factor.map_or_else(
            || "0 = 0".to_owned(),
            |f| format!("{} = 0", model.system.pool.print(f)),
        );
        let found = &entry.found;
        let points = || each(found.points(), |point| point_json(model, &point.x));
        // an empty list says that there are none
        let is_told = !found.points().is_empty() || found.only().is_some();
        let mut entry = json!({
            "equation": equation,
            "on_constraints": is_told.then(points),
            "certified": each(found.points(), |point| point.certified.is_some()),
            "complete": found.only().is_some(),
        });
        if !found.undecided().is_empty() {
            entry["undecided"] = each(found.undecided(), |sides| by_name(names, sides));
        }
        if !found.periods.is_empty() {
            let periods = found.periods.iter();
            entry["period"] = object(periods.map(|(k, period)| (&names[*k], period)));
        }
        entry
    })
}

/// The choices of dependent coordinates and how they invert.
fn choices(model: &Model, check: &Check) -> Value {
    each(&check.choices.list, |c| {
        json!({
            "dependent": model.names(&c.dependent),
            "determinant": c.determinant.map(|e| model.system.pool.print(e)),
            "inverse": c.inverse.name(),
        })
    })
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
