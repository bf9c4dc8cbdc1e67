//! The Theorem pane: Jacobian, determinant, distance to failure, inverse functions.
//!
//! ```text
//! J = ∂f/∂x      x1        x2
//!   wire      -2 x1         1
//!        =   1.3996    1.0000   rank 1 of 1
//! det J[x1] = -2 x1 = 1.3996    condition 1.00
//!   fails on x1 = 0, at (0, 0)
//!   to failure  ███████████░░░░░  0.700
//!   x1 = √(x2 - y)    where x1 > 0
//! > x1 = -√(x2 - y)   where x1 < 0
//! also works: x2
//! ```

use ratatui::text::{Line, Span};

use super::verdict::{because, names, point};
use super::{span, words};
use crate::analysis::{Analysis, Look};
use crate::plot;
use crate::theorem::FailureKind;
use crate::workbench::state::State;
use crate::workbench::text::{columns, cut, number, wrap};
use crate::workbench::theme::Theme;

/// Longest name of a constraint shown beside its row.
const MAX_NAME: usize = 12;
/// Columns between those of the matrix.
const GAP: usize = 2;
/// Longest bar.
const BAR: usize = 24;
/// At most this many choices of dependent coordinates are listed.
const CHOICES: usize = 6;

/// All lines of the pane at this width.
pub fn lines(state: &State, width: usize) -> Vec<Line<'static>> {
    let theme = state.theme;
    let Some(analysis) = &state.analysis else {
        return Vec::new();
    };
    let mut lines = Vec::new();
    let look = state.look.as_ref();
    if analysis.constraints.is_empty() {
        lines.push(Line::raw("no constraints: nothing to solve for"));
    } else {
        jacobian(analysis, look, theme, width, &mut lines);
        determinant(analysis, look, theme, width, &mut lines);
        distance(look, theme, width, &mut lines);
        branches(analysis, look, theme, &mut lines);
        choices(analysis, look, theme, width, &mut lines);
    }
    let stopped = because(analysis).filter(|_| !analysis.motion.finished);
    for note in analysis.notes.iter().chain(&stopped) {
        for line in wrap(&words(theme, note), width) {
            lines.push(Line::styled(line, theme.dim()));
        }
    }
    lines
}

fn right(text: &str, width: usize) -> String {
    let blanks = width.saturating_sub(columns(text));
    format!("{}{text}", " ".repeat(blanks))
}

fn left(text: &str, width: usize) -> String {
    let blanks = width.saturating_sub(columns(text));
    format!("{text}{}", " ".repeat(blanks))
}

/// The matrix: each row as symbols, and below them as numbers.
fn jacobian(
    analysis: &Analysis,
    look: Option<&Look>,
    theme: Theme,
    width: usize,
    lines: &mut Vec<Line<'static>>,
) {
    let say = |text: &str| words(theme, text);
    let name = |at: usize| cut(&say(&analysis.constraints[at]), MAX_NAME);
    let corner = say("J = ∂f/∂x");
    let rows = analysis.constraints.len().min(analysis.jacobian.len());
    let head = (0..rows)
        .map(|at| columns(&name(at)) + 2)
        .max()
        .unwrap_or(0)
        .max(columns(&corner));
    let symbol = |row: usize, col: usize| {
        analysis.jacobian[row]
            .get(col)
            .map_or(String::new(), |text| say(text))
    };
    let value = |row: usize, col: usize| {
        let value = look.and_then(|look| look.jacobian.get(row)?.get(col));
        value.map_or(String::new(), |&value| say(&number(value)))
    };
    let widths: Vec<usize> = (0..analysis.coordinates.len())
        .map(|col| {
            let cells =
                (0..rows).map(|row| columns(&symbol(row, col)).max(columns(&value(row, col))));
            // room for a sign and four places: the columns do not move with the numbers
            cells
                .max()
                .unwrap_or(0)
                .max(columns(&say(&analysis.coordinates[col])))
                .max(7)
                + GAP
        })
        .collect();
    let rank = look.map(|look| (format!("rank {} of {}", look.rank, rows), look.rank == rows));
    if head + widths.iter().sum::<usize>() > width {
        wide(analysis, look, theme, lines);
        if let Some((rank, full)) = rank {
            let style = if full { theme.dim() } else { theme.fails() };
            lines.push(Line::styled(rank, style));
        }
        return;
    }
    let mut spans = vec![Span::styled(left(&corner, head), theme.dim())];
    for (col, coordinate) in analysis.coordinates.iter().enumerate() {
        let style = if analysis.dependent.contains(&col) {
            theme.strong()
        } else {
            theme.dim()
        };
        spans.push(Span::styled(right(&say(coordinate), widths[col]), style));
    }
    lines.push(Line::from(spans));
    for row in 0..rows {
        let mut spans = vec![Span::raw(left(&format!("  {}", name(row)), head))];
        spans.extend((0..widths.len()).map(|col| Span::raw(right(&symbol(row, col), widths[col]))));
        lines.push(Line::from(spans));
        let mut spans = vec![Span::styled(right("=", head), theme.dim())];
        spans.extend((0..widths.len()).map(|col| Span::raw(right(&value(row, col), widths[col]))));
        if let Some((rank, full)) = rank.as_ref().filter(|_| row + 1 == rows) {
            let style = if *full { theme.dim() } else { theme.fails() };
            let used = head + widths.iter().sum::<usize>();
            if used + 3 + rank.len() <= width {
                spans.push(Span::styled(right(rank, width - used), style));
                lines.push(Line::from(spans));
            } else {
                lines.push(Line::from(spans));
                lines.push(Line::styled(rank.clone(), style));
            }
        } else {
            lines.push(Line::from(spans));
        }
    }
}

/// A matrix too wide for the pane: its entries that are not zero, one a line.
fn wide(analysis: &Analysis, look: Option<&Look>, theme: Theme, lines: &mut Vec<Line<'static>>) {
    lines.push(Line::styled(
        words(theme, "J = ∂f/∂x, what is not 0 of it:"),
        theme.dim(),
    ));
    for (row, name) in analysis.constraints.iter().enumerate() {
        let entries = analysis.jacobian.get(row).into_iter().flatten();
        for (col, entry) in entries.enumerate().filter(|(_, entry)| *entry != "0") {
            let coordinate = analysis.coordinates.get(col).map_or("", String::as_str);
            let mut text = format!("  {name}, {coordinate}: {entry}");
            if let Some(value) = look.and_then(|look| look.jacobian.get(row)?.get(col))
                && entry.parse::<f64>().is_err()
            {
                text.push_str(" = ");
                text.push_str(&number(*value));
            }
            lines.push(Line::raw(words(theme, &text)));
        }
    }
}

/// The determinant, where it vanishes, and the reason while it does.
fn determinant(
    analysis: &Analysis,
    look: Option<&Look>,
    theme: Theme,
    width: usize,
    lines: &mut Vec<Line<'static>>,
) {
    let mut text = format!("det J[{}]", names(analysis, &analysis.dependent));
    let constant = analysis
        .determinant
        .as_ref()
        .is_some_and(|d| d.parse::<f64>().is_ok());
    if let Some(symbols) = &analysis.determinant {
        text.push_str(" = ");
        text.push_str(symbols);
    }
    let failing = look.is_some_and(|look| !look.holds);
    let style = if failing {
        theme.fails()
    } else {
        theme.strong()
    };
    let value = look.map_or(String::new(), |look| {
        format!(" = {}", number(look.determinant))
    });
    let condition = look.map_or(String::new(), |look| match look.condition {
        Some(condition) if condition < 100.0 => format!("condition {condition:.1}"),
        Some(condition) => format!("condition {condition:.0e}"),
        None => "condition ∞".to_owned(),
    });
    let text = words(theme, &text);
    let value = if constant {
        String::new()
    } else {
        words(theme, &value)
    };
    let condition = words(theme, &condition);
    if columns(&text) + columns(&value) <= width {
        let mut spans = vec![Span::raw(text.clone()), Span::styled(value.clone(), style)];
        let used = columns(&text) + columns(&value);
        if used + 2 + columns(&condition) <= width {
            spans.push(Span::styled(right(&condition, width - used), theme.dim()));
            lines.push(Line::from(spans));
        } else {
            lines.push(Line::from(spans));
            lines.push(Line::styled(format!("  {condition}"), theme.dim()));
        }
    } else {
        lines.extend(wrap(&text, width).into_iter().map(Line::raw));
        let spans = vec![
            Span::styled(format!(" {value}"), style),
            Span::styled(format!("   {condition}"), theme.dim()),
        ];
        lines.push(Line::from(spans));
    }
    if let Some(look) = look.filter(|look| !look.holds) {
        let because = words(theme, &look.because);
        for line in wrap(&because, width.saturating_sub(2)) {
            lines.push(Line::styled(format!("  {line}"), theme.fails()));
        }
    }
    for singular in &analysis.singular {
        let at = match &singular.points {
            Some(points) if points.is_empty() => ", nowhere on the constraints".to_owned(),
            Some(points) => {
                let shown: Vec<String> = points.iter().take(3).map(|x| point(&tidy(x))).collect();
                let more = if points.len() > 3 { ", …" } else { "" };
                format!(", at {}{more}", shown.join(", "))
            }
            None => String::new(),
        };
        let text = words(theme, &format!("fails on {}{at}", singular.equation));
        for line in wrap(&text, width.saturating_sub(2)) {
            lines.push(Line::raw(format!("  {line}")));
        }
    }
    if analysis.singular.is_empty() && look.is_some_and(|look| look.holds) && constant {
        lines.push(Line::styled("  fails nowhere", theme.dim()));
    }
}

/// Whole numbers where rounding is all that keeps them from it.
fn tidy(x: &[f64]) -> Vec<f64> {
    let round = |&value: &f64| {
        if (value - value.round()).abs() < 1e-9 {
            value.round()
        } else {
            value
        }
    };
    x.iter().map(round).collect()
}

/// How far it is to the next failure.
fn distance(look: Option<&Look>, theme: Theme, width: usize, lines: &mut Vec<Line<'static>>) {
    let Some(distance) = look.and_then(|look| look.distance) else {
        return;
    };
    let label = "  to failure  ";
    let room = width.saturating_sub(label.len() + 8).min(BAR);
    let near = distance < 0.1;
    let style = if near { theme.fails() } else { theme.holds() };
    // blank cells reversed would look filled
    let style = if near && !theme.colour {
        theme.strong()
    } else {
        style
    };
    lines.push(Line::from(vec![
        Span::raw(label),
        Span::styled(plot::bar(distance, room, theme.charset), style),
        Span::raw(format!("  {distance:.3}")),
    ]));
}

/// The inverse functions; the branch in force is marked.
fn branches(
    analysis: &Analysis,
    look: Option<&Look>,
    theme: Theme,
    lines: &mut Vec<Line<'static>>,
) {
    if analysis.branches.is_empty() {
        let text = format!(
            "{} by Newton's method (no closed form)",
            names(analysis, &analysis.dependent)
        );
        lines.push(Line::styled(
            words(theme, &format!("  {text}")),
            theme.dim(),
        ));
        return;
    }
    let text = |(name, function): &(String, String)| words(theme, &format!("{name} = {function}"));
    let functions = analysis
        .branches
        .iter()
        .flat_map(|branch| &branch.functions);
    let longest = functions
        .map(|function| columns(&text(function)))
        .max()
        .unwrap_or(0);
    for (at, branch) in analysis.branches.iter().enumerate() {
        let chosen = look.and_then(|look| look.branch) == Some(at);
        let style = if chosen { theme.strong() } else { theme.dim() };
        for (line, function) in branch.functions.iter().enumerate() {
            let mark = if chosen && line == 0 { "> " } else { "  " };
            let mut spans = vec![Span::styled(
                format!("{mark}{}", left(&text(function), longest)),
                style,
            )];
            if line == 0 && !branch.condition.is_empty() {
                spans.push(span(theme, &format!("  where {}", branch.condition), style));
            }
            lines.push(Line::from(spans));
        }
    }
}

/// Other choices of dependent coordinates.
fn choices(
    analysis: &Analysis,
    look: Option<&Look>,
    theme: Theme,
    width: usize,
    lines: &mut Vec<Line<'static>>,
) {
    let Some(look) = look else { return };
    let others = look
        .alternatives
        .iter()
        .filter(|choice| **choice != analysis.dependent);
    let mut shown: Vec<String> = others.map(|choice| names(analysis, choice)).collect();
    if shown.is_empty() {
        if look.kind == Some(FailureKind::Rank) {
            lines.push(Line::raw("no other choice works here"));
        }
        return;
    }
    let more = shown.len() > CHOICES;
    shown.truncate(CHOICES);
    let pair = analysis.dependent.len() > 1;
    let list: Vec<String> = shown
        .iter()
        .map(|name| {
            if pair {
                format!("({name})")
            } else {
                name.clone()
            }
        })
        .collect();
    let verb = if look.holds {
        "also works"
    } else {
        "works instead"
    };
    let text = format!(
        "{verb}: {}{}",
        list.join(", "),
        if more { ", …" } else { "" }
    );
    lines.extend(wrap(&words(theme, &text), width).into_iter().map(Line::raw));
}
