//! What `check` says.

use super::table::{aligned, left};
use super::{number, place, point, title};
use crate::analysis::{Check, Model, condition_text};
use crate::expr::{Expr, Style, SymbolKind};
use crate::theorem::{FailureKind, Inverse, value_at};
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// Matrices with more columns than this are shown by their entries that are not zero.
const WIDEST: usize = 8;
/// Points of a singular set that the text lists.
const POINTS: usize = 6;
/// Alternatives that the text lists.
const ALTERNATIVES: usize = 6;

/// The interface's `check` object.
pub fn check_json(model: &Model, check: &Check) -> Value {
    let pool = &model.system.pool;
    let verdict = &check.verdict;
    let value = &verdict.local.value;
    let symbolic: Vec<Vec<String>> = model
        .equations
        .jacobian
        .iter()
        .map(|row| row.iter().map(|e| pool.print(*e)).collect())
        .collect();
    let numbers: Vec<Vec<f64>> = (0..value.nrows())
        .map(|i| value.row(i).iter().copied().collect())
        .collect();
    let mut determinant = json!({
        "symbolic": check.determinant.whole.map(|e| pool.print(e)),
        "factors": check.determinant.factors.iter().map(|e| pool.print(*e)).collect::<Vec<_>>(),
        "value": verdict.determinant,
        "condition": verdict.condition,
        "fully_factored": check.determinant.complete,
    });
    if check.determinant.whole.is_none() {
        determinant["blocks"] = check
            .determinant
            .blocks
            .iter()
            .map(|(rows, columns, e)| {
                json!({
                    "constraints": rows.iter().map(|&b| &model.constraint_names()[b]).collect::<Vec<_>>(),
                    "coordinates": model.names(columns),
                    "determinant": e.map(|e| pool.print(e)),
                })
            })
            .collect();
    }
    let failure = verdict.failure.as_ref().map(|f| {
        let mut object = json!({
            "kind": f.kind.name(),
            "alternatives": f.alternatives.iter().map(|a| model.names(a)).collect::<Vec<_>>(),
            "because": f.because,
        });
        if f.more {
            object["more"] = json!(true);
        }
        object
    });
    json!({
        "system": title(model),
        "t": check.site.t,
        "point": point(model, &check.site.x),
        "constraints": model.constraint_names(),
        "coordinates": model.coordinate_names(),
        "residuals": check.residuals,
        "jacobian": {"symbolic": symbolic, "value": numbers, "rank": verdict.rank},
        "dependent": model.names(&verdict.dependent),
        "independent": model.names(&check.independent),
        "determinant": determinant,
        "verdict": if verdict.holds() { "holds" } else { "fails" },
        "failure": failure,
        "singular_set": singular_json(model, check),
        "inverse": inverse_json(model, &check.inverse, &verdict.dependent),
        "neighbourhood": null,
        "notes": check.site.notes,
    })
}

fn singular_json(model: &Model, check: &Check) -> Value {
    let pool = &model.system.pool;
    check
        .singular
        .iter()
        .map(|entry| {
            let equation = entry
                .factor
                .map_or_else(|| "0 = 0".to_owned(), |f| format!("{} = 0", pool.print(f)));
            let points = entry
                .found
                .points
                .as_ref()
                .map(|list| list.iter().map(|x| point(model, x)).collect::<Vec<_>>());
            let mut object = json!({"equation": equation, "on_constraints": points});
            if !entry.found.periods.is_empty() {
                let mut periods = Map::new();
                for &(k, period) in &entry.found.periods {
                    periods.insert(model.coordinate_names()[k].clone(), json!(period));
                }
                object["period"] = Value::Object(periods);
            }
            object
        })
        .collect()
}

/// The inverse functions as in `check` and `derive`.
pub(super) fn inverse_json(model: &Model, inverse: &Inverse, dependent: &[usize]) -> Value {
    let pool = &model.system.pool;
    match inverse {
        Inverse::Numeric => json!({"kind": "numeric", "branches": []}),
        Inverse::Closed(branches) => {
            let list: Vec<Value> = branches
                .iter()
                .map(|b| {
                    let mut functions = Map::new();
                    for (name, &g) in model.names(dependent).into_iter().zip(&b.functions) {
                        functions.insert(name, json!(pool.print(g)));
                    }
                    json!({
                        "where": condition_text(&model.system, &b.conditions, Style::Plain),
                        "functions": functions,
                    })
                })
                .collect();
            json!({"kind": "closed", "branches": list})
        }
    }
}

/// `check` as text: the verdict first.
pub fn check_text(model: &Model, check: &Check) -> String {
    let mut out = String::new();
    let verdict = &check.verdict;
    let chosen = model.names(&verdict.dependent).join(", ");
    let at = format!(
        "({}) = {}",
        model.coordinate_names().join(", "),
        place(&check.site.x)
    );
    let time = if check.site.t == 0.0 {
        String::new()
    } else {
        format!(", t = {}", number(check.site.t))
    };
    let dependent = if chosen.is_empty() {
        String::new()
    } else {
        format!(" for {chosen}")
    };
    let _ = match &verdict.failure {
        None if model.system.constraints.is_empty() => {
            writeln!(
                out,
                "HOLDS: there are no constraints, every coordinate is independent."
            )
        }
        None => writeln!(out, "HOLDS{dependent} at {at}{time}"),
        Some(f) => {
            let head = match f.kind {
                FailureKind::Chart => format!("FAILS{dependent} at {at}{time}"),
                FailureKind::Rank => format!("FAILS for every choice at {at}{time}: rank"),
                FailureKind::Smoothness => format!("FAILS at {at}{time}: smoothness"),
            };
            writeln!(out, "{head}\n  {}", f.because)
        }
    };
    let _ = writeln!(out, "\n{}", title(model));
    for note in &check.site.notes {
        let _ = writeln!(out, "  note: {note}");
    }
    if model.system.constraints.is_empty() {
        return out;
    }
    residual_lines(model, check, &mut out);
    jacobian_lines(model, check, &mut out);
    determinant_lines(model, check, &mut out);
    inverse_lines(model, check, &mut out);
    if let Some(f) = &verdict.failure
        && !f.alternatives.is_empty()
    {
        let mut list: Vec<String> = f
            .alternatives
            .iter()
            .take(ALTERNATIVES)
            .map(|a| model.names(a).join(", "))
            .collect();
        if f.alternatives.len() > ALTERNATIVES || f.more {
            list.push("...".to_owned());
        }
        let _ = writeln!(out, "\nWorks there, best first: {}", list.join("; "));
    }
    out
}

fn residual_lines(model: &Model, check: &Check, out: &mut String) {
    let missed: Vec<String> = model
        .constraint_names()
        .iter()
        .zip(&check.residuals)
        .zip(&model.system.constraints)
        .filter(|((_, r), c)| r.abs() > 1e-9 * c.c_value.abs().max(1.0) || r.is_nan())
        .map(|((name, r), _)| format!("{name} by {}", number(*r)))
        .collect();
    if !missed.is_empty() {
        let _ = writeln!(
            out,
            "  the point is off the constraints: {}",
            missed.join(", ")
        );
    }
}

fn jacobian_lines(model: &Model, check: &Check, out: &mut String) {
    let pool = &model.system.pool;
    let verdict = &check.verdict;
    let value = &verdict.local.value;
    let (m, n) = value.shape();
    let _ = writeln!(out);
    if n > WIDEST {
        let _ = writeln!(out, "J = df/dx, entries that are not zero");
        let zero = pool.zero();
        for (b, row) in model.equations.jacobian.iter().enumerate() {
            let parts: Vec<String> = row
                .iter()
                .enumerate()
                .filter(|(_, e)| **e != zero)
                .map(|(k, e)| {
                    format!(
                        "{}: {} = {}",
                        model.coordinate_names()[k],
                        pool.print(*e),
                        number(value[(b, k)])
                    )
                })
                .collect();
            let _ = writeln!(
                out,
                "  {}  {}",
                model.constraint_names()[b],
                parts.join("   ")
            );
        }
    } else {
        let mut rows = vec![vec!["J = df/dx".to_owned()]];
        rows[0].extend(model.coordinate_names().iter().cloned());
        for (b, row) in model.equations.jacobian.iter().enumerate() {
            let mut cells = vec![format!("  {}", model.constraint_names()[b])];
            cells.extend(row.iter().map(|e| pool.print(*e)));
            rows.push(cells);
        }
        for b in 0..m {
            let mut cells = vec![if b == 0 { "  =" } else { "" }.to_owned()];
            cells.extend((0..n).map(|k| number(value[(b, k)])));
            rows.push(cells);
        }
        for line in aligned(&rows) {
            let _ = writeln!(out, "{line}");
        }
    }
    let _ = writeln!(out, "  rank {} of {m}", verdict.rank);
}

fn determinant_lines(model: &Model, check: &Check, out: &mut String) {
    let pool = &model.system.pool;
    let verdict = &check.verdict;
    let chosen = model.names(&verdict.dependent).join(", ");
    let symbolic = match (check.determinant.whole, check.determinant.vanishes) {
        (_, true) => "0 everywhere".to_owned(),
        (Some(e), _) => {
            let text = pool.print(e);
            let value = number(verdict.determinant);
            if text == value {
                text
            } else {
                format!("{text} = {value}")
            }
        }
        (None, _) => format!("{} (not written out)", number(verdict.determinant)),
    };
    let condition = verdict.condition.map_or("infinite".to_owned(), number);
    let _ = writeln!(
        out,
        "\ndet J[{chosen}] = {symbolic}     condition {condition}"
    );
    if check.determinant.vanishes {
        let _ = writeln!(out, "  it is zero everywhere: this choice never works");
        return;
    }
    if check.singular.is_empty() && check.determinant.complete {
        let _ = writeln!(out, "  it vanishes nowhere");
    }
    let rows: Vec<Vec<String>> = check
        .singular
        .iter()
        .filter_map(|entry| {
            let equation = format!("  zero where {} = 0", pool.print(entry.factor?));
            let mut met = match &entry.found.points {
                None if entry.found.family => {
                    "on the constraints along a set that is not isolated".to_owned()
                }
                None => "none found on the constraints (not proven)".to_owned(),
                Some(list) if list.is_empty() => "nowhere on the constraints".to_owned(),
                Some(list) => {
                    let mut shown: Vec<String> =
                        list.iter().take(POINTS).map(|x| place(x)).collect();
                    if list.len() > POINTS {
                        shown.push(format!("and {} more", list.len() - POINTS));
                    }
                    format!("on the constraints at {}", shown.join(", "))
                }
            };
            for &(k, period) in &entry.found.periods {
                let name = &model.coordinate_names()[k];
                let _ = write!(met, "; {name} repeats with period {}", number(period));
            }
            Some(vec![equation, met])
        })
        .collect();
    for line in left(&rows) {
        let _ = writeln!(out, "{line}");
    }
    if !check.determinant.complete {
        let _ = writeln!(out, "  (not fully factored)");
    }
}

fn inverse_lines(model: &Model, check: &Check, out: &mut String) {
    let system = &model.system;
    let pool = &system.pool;
    let dependent = model.names(&check.verdict.dependent);
    let _ = writeln!(
        out,
        "\nInverse functions x_D = g(y, x_I{})",
        if model.equations.f_t.iter().any(|e| *e != pool.zero()) {
            "; t"
        } else {
            ""
        }
    );
    let branches = check.inverse.branches();
    if branches.is_empty() {
        let _ = writeln!(out, "  no closed form found: evaluated by Newton's method");
        return;
    }
    let mut rows = Vec::new();
    for branch in branches {
        let here = branch.conditions.iter().all(|c| {
            let value = value_at(system, c.expression, &|kind| match kind {
                SymbolKind::Coordinate { index, order: 0 } => check.site.x[index],
                SymbolKind::Time => check.site.t,
                _ => f64::NAN,
            });
            c.admits(value)
        });
        let condition = condition_text(system, &branch.conditions, Style::Plain);
        for (i, (name, g)) in dependent.iter().zip(&branch.functions).enumerate() {
            let mark = if here && branches.len() > 1 { ">" } else { " " };
            let mut row = vec![format!("{mark} {name} = {}", print_bounded(model, *g))];
            if i == 0 {
                row.push(if branch.conditions.is_empty() {
                    condition.clone()
                } else {
                    format!("where {condition}")
                });
            }
            rows.push(row);
        }
    }
    for line in left(&rows) {
        let _ = writeln!(out, "{line}");
    }
}

/// An expression as text, cut where nobody would read on.
pub(super) fn print_bounded(model: &Model, e: Expr) -> String {
    const LONGEST: usize = 400;
    let text = model.system.pool.print(e);
    if text.chars().count() <= LONGEST {
        return text;
    }
    let head: String = text.chars().take(LONGEST).collect();
    let rest = text.chars().count() - LONGEST;
    format!("{head} ... ({rest} more characters; --json has all)")
}
