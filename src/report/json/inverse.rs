//! The inverse functions, as formulas and as values.

use super::theorem::neighbourhood;
use super::{by_name, each, expressions, object};
use crate::analysis::{InverseAnswer, Model};
use crate::expr::{Expr, Style};
use crate::report::domain::{broken_json, domain_json};
use crate::report::formula::condition_text;
use crate::report::title;
use crate::theorem::Inverse;
use nalgebra::DMatrix;
use serde_json::{Value, json};

/// What `inverse` says: `x` is the value of g, `enclosure` bounds on it where it is certified, `others` the
/// other solutions in `box`, `complete` whether it is proven that there are no more; `jiggle` has, for each
/// constraint, its multiplier at rest and the rate at which V answers to its level.
pub fn inverse_json(model: &Model, answer: &InverseAnswer) -> Value {
    let dependent = model.names(&answer.dependent);
    let independent = model.names(&answer.independent);
    let constraints = model.constraint_names();
    let named = |values: &[f64]| by_name(&dependent, values);
    let ranges = |sides: &[(f64, f64)]| by_name(&dependent, sides);
    let matrix = |rows: Option<&DMatrix<f64>>, columns: &[String]| {
        rows.map(|rows| {
            let rows = rows.row_iter();
            by_name(&dependent, rows.map(|row| by_name(columns, row.iter())))
        })
    };
    let found = answer.found.as_ref();
    let by_t = found
        .and_then(|f| f.by_t.as_ref())
        .map(|v| named(v.as_slice()));
    let branches = inverse(model, &answer.inverse, &answer.dependent);
    let branch = found
        .and_then(|f| f.branch)
        .map(|k| branches["branches"][k].clone());
    let periods = answer.periods.iter();
    let periods = object(periods.map(|(k, period)| (&dependent[*k], period)));
    json!({
        "system": title(model),
        "t": answer.t,
        "y": by_name(constraints, &answer.y),
        "at": by_name(&independent, &answer.at),
        "dependent": dependent,
        "x": found.map(|f| named(&f.value)),
        "certified": found.is_some_and(|f| f.enclosure.is_some()),
        "enclosure": found.and_then(|f| f.enclosure.as_deref()).map(ranges),
        "branch": branch,
        "others": each(&answer.others, |v| named(v)),
        "excluded": each(&answer.excluded, |e| json!({
            "x": named(&e.value), "because": if e.pole { "pole" } else { "edge" },
        })),
        "box": ranges(&answer.region),
        "period": periods,
        "complete": answer.complete,
        "dg_dy": matrix(found.and_then(|f| f.by_y.as_ref()), constraints),
        "dg_dx": matrix(found.and_then(|f| f.by_x.as_ref()), &independent),
        "dg_dt": by_t,
        "neighbourhood": found.and_then(|f| f.neighbourhood.as_ref()).map(|n| neighbourhood(model, n)),
        "domain": found.and_then(|f| f.domain.as_ref()).map(|d| domain_json(model, d)),
        "outside": broken_json(model, answer),
        "jiggle": each(found.map_or(&[][..], |f| &f.variations), |j| json!({
            "constraint": constraints[j.constraint], "by": j.by,
            "multiplier": j.multiplier, "rate": j.rate,
        })),
        "inverse": branches,
    })
}

/// The inverse functions, as in `check` and `derive`.
pub(super) fn inverse(model: &Model, inverse: &Inverse, dependent: &[usize]) -> Value {
    let kind = match inverse {
        Inverse::Closed(_) => "closed",
        Inverse::Numeric(_) | Inverse::Nowhere => "numeric",
    };
    let names = model.names(dependent);
    let branches = each(inverse.branches(), |b| {
        let mut object = json!({
            "where": condition_text(&model.system, &b.conditions, Style::Plain),
            "functions": expressions(model, &names, &b.functions),
        });
        if !b.periods.is_empty() {
            let (angles, periods): (Vec<usize>, Vec<Expr>) = b.periods.iter().copied().unzip();
            object["period"] = expressions(model, model.names(&angles), periods);
        }
        object
    });
    json!({"kind": kind, "exists": inverse.exists(), "branches": branches})
}
