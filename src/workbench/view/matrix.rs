//! The Jacobian: each row as symbols, and below them as the numbers of the time shown.

use ratatui::text::{Line, Span};

use super::theorem::{Page, left, right};
use crate::workbench::text::{columns, cut, number};

/// Longest name of a constraint shown beside its row.
const MAX_NAME: usize = 12;
/// Columns between those of the matrix.
const GAP: usize = 2;
/// Room for a sign and four places: the columns do not move with the numbers.
const LEAST: usize = 7;

/// Writes the matrix; whether the rank found room beside it.
pub(super) fn jacobian(page: &mut Page<'_>) -> bool {
    let names: Vec<String> = page
        .analysis
        .coordinates
        .iter()
        .map(|name| page.say(name))
        .collect();
    let rows: Vec<Row> = (0..page.analysis.constraints.len())
        .map(|at| Row::new(page, at))
        .collect();
    let corner = page.say("J = ∂f/∂x");
    let heads = rows.iter().map(|row| columns(&row.name) + 2);
    let head = heads.chain([columns(&corner)]).max().unwrap_or(0);
    let widths: Vec<usize> = names
        .iter()
        .enumerate()
        .map(|(col, name)| {
            let cells = rows.iter().map(|row| row.width(col));
            cells.chain([columns(name), LEAST]).max().unwrap_or(0) + GAP
        })
        .collect();
    let used = head + widths.iter().sum::<usize>();
    if used > page.width {
        list(page, &rows, &names);
        return false;
    }
    let mut spans = vec![Span::styled(left(&corner, head), page.theme.dim())];
    for (col, (name, &width)) in names.iter().zip(&widths).enumerate() {
        let dependent = page.analysis.dependent.contains(&col);
        let style = if dependent {
            page.theme.strong()
        } else {
            page.theme.dim()
        };
        spans.push(Span::styled(right(name, width), style));
    }
    page.lines.push(Line::from(spans));
    for row in &rows {
        let mut line = left(&format!("  {}", row.name), head);
        line.extend(
            row.symbols
                .iter()
                .zip(&widths)
                .map(|(text, &width)| right(text, width)),
        );
        page.lines.push(Line::raw(line));
        let mut spans = vec![Span::styled(right("=", head), page.theme.dim())];
        let values = row.values.iter().zip(&widths);
        spans.extend(values.map(|(text, &width)| Span::raw(right(text, width))));
        page.lines.push(Line::from(spans));
    }
    if let Some((rank, style)) = page.rank()
        && used + 2 + rank.len() <= page.width
        && let Some(line) = page.lines.last_mut()
    {
        line.push_span(Span::styled(right(&rank, page.width - used), style));
        return true;
    }
    false
}

/// A row as text.
struct Row {
    name: String,
    symbols: Vec<String>,
    values: Vec<String>,
}

impl Row {
    fn new(page: &Page<'_>, at: usize) -> Self {
        let symbols = page.analysis.jacobian.get(at).into_iter().flatten();
        let values = page
            .look
            .and_then(|look| look.jacobian.get(at))
            .into_iter()
            .flatten();
        Self {
            name: cut(&page.say(&page.analysis.constraints[at]), MAX_NAME),
            symbols: symbols.map(|text| page.say(text)).collect(),
            values: values.map(|&value| page.say(&number(value))).collect(),
        }
    }

    fn width(&self, col: usize) -> usize {
        let of = |list: &[String]| list.get(col).map_or(0, |text| columns(text));
        of(&self.symbols).max(of(&self.values))
    }
}

/// A matrix too wide for the pane: its entries that are not zero, one a line.
fn list(page: &mut Page<'_>, rows: &[Row], names: &[String]) {
    let heading = page.say("J = ∂f/∂x, entries that are not 0");
    page.lines.push(Line::styled(heading, page.theme.dim()));
    for row in rows {
        for (col, (name, entry)) in names.iter().zip(&row.symbols).enumerate() {
            if entry == "0" {
                continue;
            }
            let value = match row.values.get(col) {
                Some(value) if entry.parse::<f64>().is_err() => format!(" = {value}"),
                _ => String::new(),
            };
            let text = format!("  {}, {name}: {entry}", row.name);
            let room = page.width.saturating_sub(columns(&value));
            page.lines
                .push(Line::raw(format!("{}{value}", cut(&text, room))));
        }
    }
}
