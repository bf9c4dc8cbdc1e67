//! The Jacobian: each row as symbols, and below them as the numbers of the time shown.

use ratatui::text::{Line, Span};

use super::theorem::Page;
use crate::report::zero;
use crate::workbench::text::{columns, cut, left, number, right};

/// Longest name of a constraint shown beside its row.
const MAX_NAME: usize = 12;
/// Columns between those of the matrix.
const GAP: usize = 2;
/// Room for a sign and four places: the columns do not move with the numbers.
const LEAST: usize = 7;

/// The matrix as text.
pub(super) struct Matrix {
    corner: String,
    names: Vec<String>,
    rows: Vec<Row>,
    /// Columns of the names of the constraints.
    head: usize,
    /// Columns of each column.
    widths: Vec<usize>,
}

impl Matrix {
    /// That of the time shown.
    pub fn new(page: &Page<'_>) -> Self {
        let coordinates = page.analysis.shown.iter();
        let names: Vec<String> = coordinates.map(|name| page.say(name)).collect();
        let constraints = 0..page.analysis.constraints().len();
        let rows: Vec<Row> = constraints.map(|at| Row::new(page, at)).collect();
        let corner = page.say("J = ∂f/∂x");
        let heads = rows.iter().map(|row| columns(&row.name) + 2);
        let head = heads.chain([columns(&corner)]).max().unwrap_or(0);
        let width = |(col, name): (usize, &String)| {
            let cells = rows.iter().map(|row| row.width(col));
            cells.chain([columns(name), LEAST]).max().unwrap_or(0) + GAP
        };
        Self {
            widths: names.iter().enumerate().map(width).collect(),
            corner,
            names,
            rows,
            head,
        }
    }

    fn width(&self) -> usize {
        self.head + self.widths.iter().sum::<usize>()
    }

    /// Whether it can be written as a matrix.
    pub fn fits(&self, page: &Page<'_>) -> bool {
        self.width() <= page.width
    }

    /// Writes it; whether the rank found room beside it.
    pub fn write(&self, page: &mut Page<'_>) -> bool {
        let dim = page.theme.dim();
        let mut spans = vec![Span::styled(left(&self.corner, self.head), dim)];
        for (col, (name, &width)) in self.names.iter().zip(&self.widths).enumerate() {
            let dependent = page.analysis.dependent.contains(&col);
            let style = if dependent { page.theme.strong() } else { dim };
            spans.push(Span::styled(right(name, width), style));
        }
        page.lines.push(Line::from(spans));
        let line = |texts: &[String]| -> String {
            let cells = texts.iter().zip(&self.widths);
            cells.map(|(text, &width)| right(text, width)).collect()
        };
        for row in &self.rows {
            let name = left(&format!("  {}", row.name), self.head);
            page.lines.push(Line::raw(name + &line(&row.symbols)));
            // an optimum is looked at without a point
            if !row.values.is_empty() {
                page.lines.push(Line::from(vec![
                    Span::styled(right("=", self.head), dim),
                    Span::raw(line(&row.values)),
                ]));
            }
        }
        let room = page.width.saturating_sub(self.width());
        if let Some((rank, style)) = page.rank()
            && rank.len() + 2 <= room
            && let Some(line) = page.lines.last_mut()
        {
            line.push_span(Span::styled(right(&rank, room), style));
            return true;
        }
        false
    }

    /// Writes its entries that are not zero, one a line.
    pub fn list(&self, page: &mut Page<'_>) {
        let heading = page.say("J = ∂f/∂x, entries that are not 0");
        page.lines.push(Line::styled(heading, page.theme.dim()));
        for row in &self.rows {
            for (col, (name, entry)) in self.names.iter().zip(&row.symbols).enumerate() {
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
        let here = page.look.map(|look| &look.verdict.local.value);
        let values = here.filter(|value| at < value.nrows()).map(|value| {
            let row: Vec<f64> = value.row(at).iter().copied().collect();
            zero::without_rounding(&row)
        });
        let values = values.into_iter().flatten();
        Self {
            name: cut(&page.say(&page.analysis.constraints()[at]), MAX_NAME),
            symbols: symbols.map(|text| page.say(text)).collect(),
            values: values.map(|value| page.say(&number(value))).collect(),
        }
    }

    fn width(&self, col: usize) -> usize {
        let of = |list: &[String]| list.get(col).map_or(0, |text| columns(text));
        of(&self.symbols).max(of(&self.values))
    }
}
