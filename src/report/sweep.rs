//! The rows of a sweep: CSV, or an object a line.

use super::csv::{field, quoted};
use super::json::{by_name, write_json};
use super::text::{count, linked};
use crate::analysis::{Outcome, Sweep, SweepRow, Unreduced};
use crate::plot::{Axis, Figure, Series};
use crate::system::{Diagnostic, sanitize};
use serde_json::json;
use std::io::{self, Write};

/// The columns of a sweep: the axes, how the run ended, where the theorem fails on its way, what is kept, and why it did
/// not come to its end.
pub fn sweep_columns(sweep: &Sweep) -> Vec<String> {
    let axes = sweep.plan.axes().iter().map(|axis| axis.name.clone());
    axes.chain(["exit", "verdict", "failures", "failure_times"].map(str::to_owned))
        .chain(sweep.report.iter().cloned())
        .chain(["reason".to_owned()])
        .collect()
}

/// Why a run did not come to its end, in a line.
pub fn sweep_reason(outcome: &Outcome) -> String {
    let words = match outcome {
        Outcome::Done => String::new(),
        Outcome::Unfinished(error) => super::refusal_sentence(error),
        Outcome::File(errors) => errors
            .first()
            .map_or_else(String::new, |error: &Diagnostic| error.message.clone()),
        Outcome::Refused(error) => error.to_string(),
    };
    linked(" ", words.split_whitespace())
}

/// Why motions have no such number.
pub fn unreduced_words(why: Unreduced) -> &'static str {
    match why {
        Unreduced::Undefined => "no finite number there",
        Unreduced::Beyond => "that time is not on the way, or it is not a finite number there",
        Unreduced::Never => "that does not happen on the way, or it is not a finite number there",
        Unreduced::Aperiodic => {
            "it does not cross the middle of its range twice in one direction (of an angle that turns, ask for that of its sine)"
        }
    }
}

/// Why cells of a column are empty: `period(th) has no value in 2 finished runs: …`.
pub fn blank_words(text: &str, runs: u64, why: Unreduced) -> String {
    let runs = count(runs as usize, "finished run");
    let (text, why) = (sanitize(text), unreduced_words(why));
    format!("note: {text} has no value in {runs}: {why}")
}

/// Whether the theorem holds all the way; empty where there is no way or no constraint.
fn verdict(row: &SweepRow) -> &'static str {
    match row.holds {
        Some(true) => "HOLDS",
        Some(false) => "FAILS",
        None => "",
    }
}

/// So many times of failure stand in a cell: what turns fails twice a turn.
const TIMES: usize = 100;

/// Writes a row as CSV.
pub fn write_sweep_csv(out: &mut dyn Write, row: &SweepRow) -> io::Result<()> {
    let times = row.failures.iter().take(TIMES).map(|t| field(*t));
    let more = row.failures.len().saturating_sub(TIMES);
    let more = (more > 0).then(|| format!("+{more}"));
    let times = linked(" ", times.chain(more));
    let fields = row.place.iter().map(|v| field(*v));
    let fields = fields
        .chain([
            row.outcome.code().to_string(),
            verdict(row).to_owned(),
            row.failures.len().to_string(),
            times,
        ])
        .chain(row.values.iter().map(|v| field(*v)))
        .chain([quoted(&sweep_reason(&row.outcome))]);
    writeln!(out, "{}", linked(",", fields))
}

/// Writes a row as an object in a line; the values by name.
pub fn write_sweep_json(out: &mut dyn Write, sweep: &Sweep, row: &SweepRow) -> io::Result<()> {
    let axes = sweep.plan.axes().iter().map(|axis| &axis.name);
    let verdict = Some(verdict(row)).filter(|word| !word.is_empty());
    let reason = Some(sweep_reason(&row.outcome)).filter(|words| !words.is_empty());
    let object = json!({
        "place": by_name(axes, &row.place),
        "exit": row.outcome.code(),
        "verdict": verdict,
        "failures": row.failures,
        "values": by_name(&sweep.report, &row.values),
        "reason": reason,
    });
    write_json(out, &object)
}

/// Over the first axis: the times at which the theorem fails, then each number that is kept, a picture each. The rows rise
/// along the axis.
pub fn sweep_figures(sweep: &Sweep, rows: &[&SweepRow]) -> Vec<Figure> {
    let name = sweep.plan.axes().first().map(|axis| axis.name.clone());
    let name = name.unwrap_or_default();
    let figure = |label: &str, points: Vec<[f64; 2]>| Figure {
        x: Axis::named(sanitize(&name)),
        y: Axis::named(sanitize(label)),
        series: vec![Series::new("", points, 0)],
        ..Figure::default()
    };
    let times = rows.iter().flat_map(|row| {
        let times = row.failures.iter();
        // points by themselves
        times.flat_map(|t| [[row.place[0], *t], [f64::NAN; 2]])
    });
    let kept = sweep.report.iter().enumerate().map(|(k, text)| {
        let points = rows.iter().map(|row| [row.place[0], row.values[k]]);
        figure(text, points.collect())
    });
    std::iter::once(figure("t", times.collect()))
        .chain(kept)
        .collect()
}
