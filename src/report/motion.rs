//! What `simulate` says.

use super::table::aligned;
use super::{number, point, title};
use crate::analysis::{Model, Table};
use crate::solver::{Flag, Motion};
use crate::theorem::SymbolicDeterminant;
use serde_json::{Value, json};
use std::fmt::Write;

/// Rows of the table that the text shows.
const ROWS: usize = 11;
/// Columns that fit a terminal of 80.
const COLUMNS: usize = 7;
/// Flags that the text lists.
const FLAGS: usize = 40;

/// The interface's `simulate` object.
pub fn motion_json(model: &Model, motion: &Motion, table: &Table) -> Value {
    json!({
        "system": title(model),
        "method": motion.method.name(),
        "dependent": model.names(&motion.dependent),
        "columns": table.columns,
        "rows": table.rows,
        "flags": flags_json(model, motion),
        "steps": motion.steps,
        "rejected": motion.rejected,
        "chart_changes": motion.chart_changes,
        "evaluations": motion.evaluations,
        "finished": motion.finished,
        "because": motion.because.as_ref().map(ToString::to_string),
        "notes": motion.notes,
    })
}

fn flags_json(model: &Model, motion: &Motion) -> Value {
    let pool = &model.system.pool;
    let own = SymbolicDeterminant::new(&model.system, &model.equations, &motion.dependent);
    let whole = own.whole.map(|e| pool.print(e));
    motion
        .flags
        .iter()
        .map(|f| {
            let zero: Vec<String> = f
                .factors
                .iter()
                .filter_map(|&i| own.factors.get(i))
                .map(|e| pool.print(*e))
                .collect();
            json!({
                "t": f.t,
                "kind": f.kind.name(),
                "from": model.names(&f.from),
                "to": f.to.as_ref().map(|to| model.names(to)),
                "determinant": whole,
                "zero_factors": zero,
                "point": point(model, &f.x),
            })
        })
        .collect()
}

/// A flag in one line: `t = 0.594924  chart  x1 = 0 fails for x1; x2 carries on`.
pub fn flag_line(model: &Model, motion: &Motion, flag: &Flag) -> String {
    let pool = &model.system.pool;
    let own = SymbolicDeterminant::new(&model.system, &model.equations, &motion.dependent);
    let zero: Vec<String> = flag
        .factors
        .iter()
        .filter_map(|&i| own.factors.get(i))
        .map(|e| format!("{} = 0", pool.print(*e)))
        .collect();
    let what = if zero.is_empty() {
        "det = 0".to_owned()
    } else {
        zero.join(", ")
    };
    let from = model.names(&flag.from).join(", ");
    let next = match &flag.to {
        Some(to) if to.len() == 1 => format!("; {} carries on", model.names(to).join(", ")),
        Some(to) => format!("; {} carry on", model.names(to).join(", ")),
        None => String::new(),
    };
    match flag.kind.name() {
        "rank" => format!(
            "t = {}  rank   the gradients of the constraints are dependent{next}",
            plot_time(flag.t)
        ),
        kind => format!(
            "t = {}  {kind}  the theorem fails for {from} where {what}{next}",
            plot_time(flag.t)
        ),
    }
}

fn plot_time(t: f64) -> String {
    format!("{t:.6}")
}

/// `simulate` as text: how it ended, where the theorem failed, and the motion in a few rows.
pub fn motion_text(model: &Model, motion: &Motion, table: &Table) -> String {
    let mut out = String::new();
    let last = motion.samples.last();
    let reached = last.map_or("before the start".to_owned(), |s| {
        format!("t = {}", number(s.t))
    });
    let _ = match &motion.because {
        None => writeln!(out, "{}: ran to {reached}", title(model)),
        Some(because) => writeln!(out, "{}: STOPPED at {reached}\n  {because}", title(model)),
    };
    let _ = writeln!(
        out,
        "  method {}, {} steps, {} evaluations",
        motion.method.name(),
        motion.steps,
        motion.evaluations
    );
    if let (Some(first), Some(last)) = (motion.samples.first(), last) {
        let _ = writeln!(
            out,
            "  energy {}, change {}     largest residual {}",
            number(first.energy),
            format_args!("{:.1e}", last.energy - first.energy),
            format_args!(
                "{:.1e}",
                motion
                    .samples
                    .iter()
                    .map(|s| s.residual)
                    .fold(0.0, f64::max)
            )
        );
    }
    for note in &motion.notes {
        let _ = writeln!(out, "  note: {note}");
    }
    if !motion.flags.is_empty() {
        let _ = writeln!(out, "\nThe Inverse Function Theorem on the way");
        for flag in motion.flags.iter().take(FLAGS) {
            let _ = writeln!(out, "  {}", flag_line(model, motion, flag));
        }
        if motion.flags.len() > FLAGS {
            let _ = writeln!(out, "  and {} more", motion.flags.len() - FLAGS);
        }
    } else if !model.system.constraints.is_empty() && motion.finished {
        let chosen = model.names(&motion.dependent).join(", ");
        let _ = writeln!(
            out,
            "\nThe Inverse Function Theorem holds for {chosen} all the way."
        );
    }
    let _ = writeln!(out);
    for line in excerpt(table) {
        let _ = writeln!(out, "{line}");
    }
    out
}

/// A few rows and columns of a table.
fn excerpt(table: &Table) -> Vec<String> {
    let count = table.rows.len();
    let shown = table.columns.len().min(COLUMNS);
    let mut rows = vec![table.columns[..shown].to_vec()];
    let picks = ROWS.min(count);
    for i in 0..picks {
        let place = if picks > 1 {
            i * (count - 1) / (picks - 1)
        } else {
            0
        };
        rows.push(
            table.rows[place][..shown]
                .iter()
                .map(|v| number(*v))
                .collect(),
        );
    }
    let mut lines = aligned(&rows);
    let left_out = table.columns.len() - shown;
    if left_out > 0 || count > picks {
        lines.push(format!(
            "({picks} of {count} rows, {shown} of {} columns; --csv or --json for all)",
            table.columns.len()
        ));
    }
    lines
}

/// The rows as CSV with a header. A name or number never needs quoting but for an expression with a comma.
pub fn motion_csv(table: &Table) -> String {
    let quoted = |text: &String| {
        if text.contains([',', '"', '\n']) {
            format!("\"{}\"", text.replace('"', "\"\""))
        } else {
            text.clone()
        }
    };
    let mut out = table
        .columns
        .iter()
        .map(quoted)
        .collect::<Vec<_>>()
        .join(",");
    out.push('\n');
    for row in &table.rows {
        for (i, v) in row.iter().enumerate() {
            if i > 0 {
                out.push(',');
            }
            if v.is_finite() {
                let _ = write!(out, "{v}");
            }
        }
        out.push('\n');
    }
    out
}
