//! What `simulate` says.

use super::page::Page;
use super::table::{aligned, left, rows};
use super::{carry_on, count, joined, left_out, linked, names, number, only_if, show, size};
use crate::analysis::{Closure, Model, Run, simulate_table};
use crate::report::{motion_notes, title, zero};
use crate::solver::{Flag, FlagKind, Motion, SolverError};
use crate::theorem::SymbolicDeterminant;
use unicode_width::UnicodeWidthStr;

/// Rows of the table that are shown.
const ROWS: usize = 11;
/// Times in the first line.
const TIMES: usize = 3;
/// Flags that are listed.
const FLAGS: usize = 20;
/// A factor of more characters has a number where it is spoken of, and is written below.
pub(super) const LONG_FACTOR: usize = 48;

/// Changes on the way that are so many times that from start to end are told, and are more than this part of the energies involved.
const ON_THE_WAY: f64 = 2.0;
const NOTHING: f64 = 1e-6;

/// How a quantity has changed since the start: at the end and, where that tells little, on the way.
fn change(values: impl Iterator<Item = f64> + Clone, scale: f64) -> String {
    let first = values.clone().next().unwrap_or(f64::NAN);
    let by = values.clone().last().unwrap_or(f64::NAN) - first;
    let (low, high) = values.fold((first, first), |(low, high), v| (low.min(v), high.max(v)));
    let changed = match by {
        0.0 if low == high => ", unchanged".to_owned(),
        0.0 => ", the same at the end".to_owned(),
        by if by > 0.0 => format!(", grew by {}", size(by)),
        by if by < 0.0 => format!(", fell by {}", size(-by)),
        by => format!(", changed by {}", size(by)),
    };
    let furthest = (high - first).max(first - low);
    let further = furthest > (ON_THE_WAY * by.abs()).max(NOTHING * scale);
    let (low, high) = (number(low), number(high));
    if further && low != high {
        format!("{changed}, between {low} and {high} on the way")
    } else {
        changed
    }
}

/// The first flags, a line each: `t = 0.594924  chart  x1 = 0: the theorem fails for x1; x2 carries on`.
pub fn flag_lines(model: &Model, motion: &Motion, most: usize) -> Vec<String> {
    if motion.flags.is_empty() {
        return Vec::new();
    }
    let own = SymbolicDeterminant::new(&model.system, &model.equations, &motion.dependent);
    let flags = motion.flags.iter().take(most);
    flags.map(|flag| flag_line(model, &own, flag)).collect()
}

fn flag_line(model: &Model, own: &SymbolicDeterminant, flag: &Flag) -> String {
    let whole = |i: usize| Some(show(model, *own.factors.get(i)?).to_string());
    let [t, kind, place, next] = flag_cells(model, whole, flag);
    if model.is_of_velocities(flag) {
        return format!("t = {t}  {kind}  {place}: the multipliers are not determined there");
    }
    let from = match flag.kind {
        FlagKind::Rank => "every choice".to_owned(),
        FlagKind::Chart => names(&model.names(&flag.from)),
    };
    let next = if next.is_empty() {
        next
    } else {
        format!("; {next}")
    };
    format!("t = {t}  {kind}  {place}: the theorem fails for {from}{next}")
}

/// Time, kind, what is zero, what carries on; `say` says the factor of a number.
fn flag_cells(model: &Model, say: impl Fn(usize) -> Option<String>, flag: &Flag) -> [String; 4] {
    let zero = flag.factors.iter().filter_map(|&i| say(i));
    let zero = joined(zero.map(|factor| format!("{factor} = 0")));
    let place = match (flag.kind, zero.is_empty()) {
        (FlagKind::Rank, _) if model.is_of_velocities(flag) => {
            "dependent rows of velocity constraints".to_owned()
        }
        (FlagKind::Rank, _) => "dependent gradients".to_owned(),
        (FlagKind::Chart, true) => "det = 0".to_owned(),
        (FlagKind::Chart, false) => zero,
    };
    let next = flag
        .to
        .as_ref()
        .map(|to| carry_on(&model.names(to)))
        .unwrap_or_default();
    [
        format!("{:.6}", flag.t),
        flag.kind.name().to_owned(),
        place,
        next,
    ]
}

/// How it ended and where the theorem failed, then the motion in a few rows.
pub fn motion_text(model: &Model, run: &Run, width: usize) -> String {
    let Run { motion, table, .. } = run;
    let mut page = Page::new(width);
    verdict(&mut page, model, motion);
    page.heading(&title(model));
    let cost = format!(
        "method {}: {}, {}",
        motion.method.name(),
        count(motion.steps, "step"),
        count(motion.evaluations, "evaluation")
    );
    page.prose(2, &cost);
    if let Some(stepping) = stepping(motion) {
        page.prose(2, &stepping);
    }
    if let Some(first) = motion.samples.first() {
        let residual = motion
            .samples
            .iter()
            .map(|s| s.residual)
            .fold(0.0, f64::max);
        let energies = motion.samples.iter().map(|sample| sample.energy);
        let scale = run.closure.as_ref().map_or(0.0, |closure| closure.scale);
        // nothing is seen to change in a single sample
        let change = only_if(motion.samples.len() > 1, change(energies, scale));
        let text = format!(
            "energy {} at the start{change}; largest residual {}",
            number(first.energy),
            size(residual)
        );
        page.prose(2, &text);
    }
    if let Some(closure) = &run.closure {
        balance(&mut page, model, closure);
    }
    super::start::positions(&mut page, &model.system, &run.assembly);
    super::start::velocities(&mut page, &run.assembly);
    for note in motion_notes(model, motion) {
        page.prose(2, &format!("note: {note}"));
    }
    if !motion.flags.is_empty() {
        flags(&mut page, model, motion);
    }
    if !table.rows.is_empty() {
        page.gap();
        excerpt(&mut page, model, run);
    }
    page.finish()
}

/// What samples leave open of a balance by more than this part says nothing of it.
const UNTOLD: f64 = 1e-3;

/// `energy balance dH/dt = Q.x': closes to 2.1e-11 (relative)`.
fn balance(page: &mut Page, model: &Model, closure: &Closure) {
    let zero = model.system.pool.zero();
    let speeds = model.equations.velocity.b.iter().any(|b| *b != zero);
    let moving = match (model.rheonomic(), speeds) {
        (true, true) => "- lambda.f_t - lambda_A.b",
        (false, true) => "- lambda_A.b",
        _ => "- lambda.f_t",
    };
    let terms = [
        (closure.terms.forces, "+ Q.x'"),
        (closure.terms.constraints, moving),
        (closure.terms.explicit, "- dL/dt"),
    ];
    let terms = terms.into_iter().filter(|(e, _)| *e != zero);
    let sum = linked(" ", terms.map(|(_, text)| text));
    if sum.is_empty() {
        return; // the change of the energy says it
    }
    let sum = sum
        .strip_prefix("+ ")
        .map_or_else(|| sum.replacen("- ", "-", 1), str::to_owned);
    let closes = size(closure.relative());
    if closure.is_doubtful() && closure.relative() > UNTOLD {
        let samples = closure.residual.len();
        page.prose(
            2,
            &format!(
                "energy balance: whether dH/dt = {sum} closes cannot be told from the {samples} internal samples of the motion (not those of the table): their integral may be off by {closes} of the energies involved"
            ),
        );
        return;
    }
    let told = only_if(
        closure.is_doubtful(),
        format!(
            " (limited by its {} internal samples)",
            closure.residual.len()
        ),
    );
    page.prose(
        2,
        &format!(
            "energy balance: dH/dt = {sum} gives {} in all; closes to {closes} of the energies involved{told}",
            number(zero::beside(closure.work, closure.scale))
        ),
    );
}

/// Where the motion is stiff, and what each stepper did; nothing where the explicit one did it all.
pub(super) fn stepping(motion: &Motion) -> Option<String> {
    if motion.work.iter().all(|w| w.factorisations == 0) {
        return None;
    }
    let parts = motion.work.iter().map(|w| {
        let kind = if w.factorisations > 0 {
            "implicit"
        } else {
            "explicit"
        };
        let mut part = format!(
            "{} ({kind}, order {}): {}, {}",
            w.stepper,
            w.order,
            count(w.steps, "step"),
            count(w.evaluations, "evaluation")
        );
        if w.factorisations > 0 {
            part = format!(
                "{part}, {}, {}",
                count(w.jacobians, "Jacobian"),
                count(w.factorisations, "factorisation")
            );
        }
        part
    });
    let found = motion
        .stiff_from
        .map_or_else(String::new, |t| format!("stiff from t = {}; ", number(t)));
    Some(format!("{found}{}", linked("; ", parts)))
}

/// `HOLDS for x1 from t = 0 to 3`, `FAILS for x1 at 8 times ...`, `STOPPED at t = 1.5`.
fn verdict(page: &mut Page, model: &Model, motion: &Motion) {
    let ends = (motion.samples.first(), motion.samples.last());
    let (first, last) = match ends {
        (Some(first), Some(last)) => (number(first.t), number(last.t)),
        _ => ("the start".to_owned(), "the start".to_owned()),
    };
    if let Some(because) = &motion.because {
        let place = if motion.samples.is_empty() {
            "at the start".to_owned()
        } else if because.is_regular() {
            format!("at t = {last}")
        } else {
            format!("after t = {last}")
        };
        let why = crate::report::refusal_sentence(because);
        let text = match because {
            // one time of stopping: that of the last sample may be much earlier
            SolverError::TooManySteps { .. } | SolverError::TooSlow { .. } => {
                format!("STOPPED: {why}; the last sample is that at t = {last}")
            }
            _ => format!("STOPPED {place}: {why}"),
        };
        page.prose(0, &text);
    }
    if motion.samples.is_empty() {
        return;
    }
    if model.system.constraints.is_empty() {
        if motion.finished {
            let velocity = !model.system.velocity_constraints.is_empty();
            let kind = if velocity { "holonomic " } else { "" };
            let none = format!("there are no {kind}constraints");
            page.prose(0, &format!("DONE from t = {first} to {last}: {none}"));
        }
        return;
    }
    let chosen = names(&model.names(&motion.dependent));
    let of = |kind: FlagKind| {
        let own = motion.flags.iter().filter(move |f| f.kind == kind);
        let own = own.filter(|f| !model.is_of_velocities(f));
        own.collect::<Vec<&Flag>>()
    };
    let (charts, ranks) = (of(FlagKind::Chart), of(FlagKind::Rank));
    // that it came to its end is said first: a choice that fails is no failure of the motion
    let done = only_if(
        motion.finished,
        format!("DONE from t = {first} to {last}; the theorem "),
    );
    if let Some(first) = ranks.first() {
        // of constraints that depend on each other the gradients do all the way
        let throughout = motion.samples.first().is_some_and(|s| s.t == first.t);
        let when = only_if(!throughout, format!(" {}", times(&ranks)));
        let mut text = format!("FAILS for every choice of dependent coordinates{when} (rank)");
        if !charts.is_empty() {
            text = format!("{text}, for {chosen} {}", times(&charts));
        }
        page.prose(0, &format!("{done}{text}"));
    } else if let Some(SolverError::RoughStart { .. }) = motion.because {
        let text =
            format!("FAILS for every choice of dependent coordinates (smoothness) at t = {first}");
        page.prose(0, &text);
    } else if charts.is_empty() {
        // without a constraint there is another choice to make
        let until = motion.releases.first().filter(|r| number(r.t) != last);
        let span = match until {
            Some(r) => {
                let name = names(&model.constraints_named(&[r.constraint]));
                format!(
                    "from t = {first} to {}, where {name} is released",
                    number(r.t)
                )
            }
            None if first == last => format!("at t = {first}"),
            None => format!("from t = {first} to {last}"),
        };
        page.prose(0, &format!("HOLDS for {chosen} {span}"));
    } else {
        let carried = only_if(motion.finished, ", where other coordinates carry on");
        let text = format!("{done}FAILS for {chosen} {}{carried}", times(&charts));
        page.prose(0, &text);
    }
}

/// `at 1 time: t = 0.59`, `at 8 times: t = 0.59, 1.2, 1.8, ...`.
fn times(flags: &[&Flag]) -> String {
    let shown = flags.iter().take(TIMES).map(|flag| number(flag.t));
    let more = (flags.len() > TIMES).then(|| "...".to_owned());
    let shown = joined(shown.chain(more));
    format!("at {}: t = {shown}", count(flags.len(), "time"))
}

fn flags(page: &mut Page, model: &Model, motion: &Motion) {
    let own = SymbolicDeterminant::new(&model.system, &model.equations, &motion.dependent);
    // the theorem is one of positions
    let of_velocities = motion.flags.iter().all(|f| model.is_of_velocities(f));
    page.heading(if of_velocities {
        "Where constraints become dependent on the way"
    } else {
        "Where the Inverse Function Theorem fails on the way"
    });
    let shown = &motion.flags[..motion.flags.len().min(FLAGS)];
    // what is long is written once
    let factors = own.factors.iter();
    let factors: Vec<String> = factors.map(|e| show(model, *e).to_string()).collect();
    let mut long: Vec<usize> = Vec::new();
    for &i in shown.iter().flat_map(|flag| &flag.factors) {
        if factors.get(i).is_some_and(|text| text.len() > LONG_FACTOR) && !long.contains(&i) {
            long.push(i);
        }
    }
    let say = |i: usize| match long.iter().position(|known| *known == i) {
        Some(place) => Some(format!("factor {}", place + 1)),
        None => factors.get(i).cloned(),
    };
    let cells: Vec<[String; 4]> = shown
        .iter()
        .map(|flag| flag_cells(model, say, flag))
        .collect();
    let longest = cells.iter().map(|c| c[0].len()).max().unwrap_or(0);
    let rows: Vec<Vec<String>> = cells
        .into_iter()
        .map(|[t, kind, place, next]| vec![format!("  t = {t:>longest$}"), kind, place, next])
        .collect();
    // one that is too long for a line does not move the columns of the others apart
    let width = page.width();
    let is_long = |row: &[String]| row.join("  ").width() > width;
    let short: Vec<Vec<String>> = rows.iter().filter(|row| !is_long(row)).cloned().collect();
    let mut aligned = left(&short).into_iter();
    for row in &rows {
        let line = if is_long(row) { None } else { aligned.next() };
        if let Some(line) = line.filter(|line| line.width() <= width) {
            page.line(&line);
        } else if let [t, kind, place, next] = row.as_slice() {
            let what = [place.as_str(), next]
                .into_iter()
                .filter(|part| !part.is_empty());
            let text = format!("{}  {kind}  {}", t.trim_start(), linked("; ", what));
            page.prose_after("  ", 6, &text);
        }
    }
    left_out(page, 2, motion.flags.len().saturating_sub(FLAGS));
    for (place, &i) in long.iter().enumerate() {
        let head = format!("factor {} of det J = ", place + 1);
        page.expression(2, &head, factors[i].as_str(), "");
    }
}

/// What a reader wants to see first, where not all columns fit: position, multipliers, determinant, velocity.
fn rank(model: &Model, column: &str) -> usize {
    if column == "t" || model.coordinate_names().iter().any(|name| name == column) {
        0
    } else if column.starts_with("lambda_") {
        1
    } else if column == "det" {
        2
    } else if column.ends_with('\'') {
        3
    } else {
        4
    }
}

/// A few rows, and as many columns as fit.
fn excerpt(page: &mut Page, model: &Model, Run { motion, table, .. }: &Run) {
    // a row that is picked where something is 0 does not tell how large it is elsewhere
    let picked = table.rows.len() != motion.samples.len();
    let whole = picked.then(|| simulate_table(model, motion, Some(&table.columns)).ok());
    let whole = whole.flatten();
    let whole = whole.as_ref().unwrap_or(table);
    let sizes = zero::Sizes::of(motion);
    let least = |column: usize| {
        let along = motion.samples.iter().zip(&whole.rows);
        let along: Vec<[f64; 2]> = along.map(|(s, row)| [s.t, row[column]]).collect();
        sizes.rounding(model, &table.columns[column], &along)
    };
    let total = table.rows.len();
    let picks = ROWS.min(total);
    let places: Vec<usize> = (0..picks)
        .map(|i| i * (total - 1) / (picks - 1).max(1))
        .collect();
    let cells: Vec<Vec<String>> = (0..table.columns.len())
        .map(|column| {
            let values: Vec<f64> = places.iter().map(|&i| table.rows[i][column]).collect();
            let values = zero::without(&values, least(column));
            super::column(&table.columns[column], &values)
        })
        .collect();
    let mut order: Vec<usize> = (0..cells.len()).collect();
    if table.columns == model.columns() {
        order.sort_by_key(|&c| rank(model, &table.columns[c]));
    }
    let mut shown = Vec::new();
    let mut used = 2;
    for column in order {
        let width = 2 + cells[column].iter().map(|c| c.width()).max().unwrap_or(0);
        if used + width > page.width() && !shown.is_empty() {
            break;
        }
        used += width;
        shown.push(column);
    }
    shown.sort_unstable();
    let margin = Vec::new();
    let columns = shown.iter().map(|&c| cells[c].clone());
    let columns: Vec<Vec<String>> = std::iter::once(margin).chain(columns).collect();
    page.lines(&aligned(&rows(&columns)));
    if shown.len() < table.columns.len() || picks < total {
        let text = format!(
            "{picks} of {total} rows and {} of {} columns; --csv and --json give all",
            shown.len(),
            table.columns.len()
        );
        page.prose(2, &text);
    }
}
