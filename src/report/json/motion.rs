//! A motion: the `simulate` object, its flags and what was made of its start.

use super::{each, object, point_json, printed, write_json};
use crate::analysis::{Closure, Model, Run, Table};
use crate::expr::Expr;
use crate::report::{motion_notes, title};
use crate::solver::{Assembly, Motion, Placed, SolverError, sort_by_time};
use crate::theorem::SymbolicDeterminant;
use serde::Serialize;
use serde_json::{Value, json};
use std::io::{self, Write};

/// The interface's `simulate` object, its rows apart: they may be many.
#[derive(Serialize)]
struct MotionObject<'a> {
    #[serde(flatten)]
    before: Value,
    rows: &'a [Vec<f64>],
    #[serde(flatten)]
    after: Value,
}

/// Writes the interface's `simulate` object, with what is told `beside` what it always has.
pub fn write_motion_json(
    out: &mut dyn Write,
    (model, run): (&Model, &Run),
    beside: impl FnOnce(Value) -> Value,
) -> io::Result<()> {
    let Run { motion, table, .. } = run;
    let notes = motion_notes(model, motion);
    let before = json!({
        "system": title(model),
        "method": motion.method.name(),
        "verdict": verdict(model, motion),
        "dependent": model.names(&motion.dependent),
        "columns": table.columns,
    });
    let mut after = json!({
        "flags": flags(model, motion, Some(table)),
        "steps": motion.steps,
        "rejected": motion.rejected,
        "chart_changes": motion.chart_changes,
        "evaluations": motion.evaluations,
        "stiff_from": motion.stiff_from,
        "steppers": motion.work,
        "finished": motion.finished,
        "because": motion.because.as_ref().map(crate::report::refusal_sentence),
        "reason": motion.because.as_ref().map(SolverError::kind),
        "notes": each(&notes, |note| note.text.as_str()),
        "note_reasons": each(&notes, |note| note.reason),
        "start": assembly(&run.assembly),
        "balance": run.closure.as_ref().map(|c| closure(model, c)),
    });
    if let Some(held) = &run.held {
        after["held"] = json!({
            "dependent": model.names(&held.dependent),
            "steps": held.steps,
            "left": held.left,
            "worst": held.worst,
            "ended": held.ended,
        });
    }
    let rows = &table.rows;
    write_json(
        out,
        &MotionObject {
            before,
            rows,
            after: beside(after),
        },
    )
}

/// Whether the theorem holds all the way; nothing where there is no way or no constraint.
fn verdict(model: &Model, motion: &Motion) -> Option<&'static str> {
    let holds = model.holds_along(motion)?;
    Some(if holds { "holds" } else { "fails" })
}

/// Names and values.
fn placed(list: &[Placed]) -> Value {
    object(list.iter().map(|p| (&p.name, p.value)))
}

/// What was made of a start.
pub(super) fn assembly(account: &Assembly) -> Value {
    let moved = account.moved.iter();
    let moved = moved.map(|m| (&m.name, json!({"from": m.from, "to": m.to})));
    json!({
        "moved": object(moved),
        "solved": placed(&account.solved),
        "solved_velocities": placed(&account.solved_velocities),
        "free": account.free,
        "free_velocities": account.free_velocities,
        "others": each(&account.others, |other| json!({
            "values": placed(&other.values), "guess": placed(&other.guess),
        })),
    })
}

/// How well the balance of the energy closes.
fn closure(model: &Model, c: &Closure) -> Value {
    let pool = &model.system.pool;
    json!({
        "forces": pool.print(c.terms.forces),
        "constraints": pool.print(c.terms.constraints),
        "explicit": pool.print(c.terms.explicit),
        "work": c.work,
        "largest": c.largest,
        "t": c.t,
        "scale": c.scale,
        "relative": c.relative(),
        "quadrature": c.doubt,
    })
}

/// The flags and releases of a motion, in their order; with the row of a table at each.
pub(in crate::report) fn flags(
    model: &Model,
    motion: &Motion,
    table: Option<&Table>,
) -> Vec<Value> {
    let times = motion.flags.iter().map(|flag| flag.t);
    let times = times.chain(motion.releases.iter().map(|release| release.t));
    let times: Vec<f64> = times.collect();
    let rows = table.map(|table| model.rows_at(motion, table, &times));
    let mut rows = rows.into_iter().flatten();
    let mut with_row = |mut object: Value| {
        if let (Some(_), Value::Object(fields)) = (table, &mut object) {
            fields.insert("row".to_owned(), json!(rows.next().flatten()));
        }
        object
    };
    let own = SymbolicDeterminant::new(&model.system, &model.equations, &motion.dependent);
    let whole = own.whole.map(|e| model.system.pool.print(e));
    let mut list: Vec<(f64, Value)> = motion
        .flags
        .iter()
        .map(|f| {
            let zero: Vec<Expr> = f
                .factors
                .iter()
                .filter_map(|&i| own.factors.get(i).copied())
                .collect();
            let object = json!({
                "t": f.t,
                "kind": f.kind.name(),
                "from": model.names(&f.from),
                "to": f.to.as_ref().map(|to| model.names(to)),
                "determinant": whole,
                "zero_factors": printed(model, &zero),
                "point": point_json(model, &f.x),
            });
            (f.t, with_row(object))
        })
        .collect();
    let names = model.constraint_names();
    list.extend(motion.releases.iter().map(|r| {
        let object = json!({
            "t": r.t,
            "kind": "release",
            "constraint": names.get(r.constraint),
            "point": point_json(model, &r.x),
        });
        (r.t, with_row(object))
    }));
    sort_by_time(motion.way(), &mut list, |(t, _)| *t);
    list.into_iter().map(|(_, object)| object).collect()
}
