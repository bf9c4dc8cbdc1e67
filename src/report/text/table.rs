//! Text in columns.

use super::{linked, number};
use unicode_width::UnicodeWidthStr;

/// Digits of a number in a column.
const DIGITS: i32 = 6;

/// A column: its head over its numbers.
pub(in crate::report) fn column(head: &str, values: &[f64]) -> Vec<String> {
    let cells = numbers(values).into_iter();
    std::iter::once(head.to_owned()).chain(cells).collect()
}

/// The rows of a table that is made column by column.
pub(in crate::report) fn rows(columns: &[Vec<String>]) -> Vec<Vec<String>> {
    let count = columns.iter().map(Vec::len).max().unwrap_or(0);
    let cell = |column: &Vec<String>, row: usize| column.get(row).cloned().unwrap_or_default();
    (0..count)
        .map(|row| columns.iter().map(|own| cell(own, row)).collect())
        .collect()
}

/// Rows of cells, every column right-aligned but the first, two blanks between.
pub(in crate::report) fn aligned(rows: &[Vec<String>]) -> Vec<String> {
    laid_out(rows, |column| column == 0)
}

/// Rows of cells, every column left-aligned, two blanks between.
pub(in crate::report) fn left(rows: &[Vec<String>]) -> Vec<String> {
    laid_out(rows, |_| true)
}

/// The widths of the columns of a table.
pub(super) fn widths(rows: &[Vec<String>]) -> Vec<usize> {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let of = |column: usize| rows.iter().filter_map(move |row| row.get(column));
    (0..count)
        .map(|column| of(column).map(|cell| cell.width()).max().unwrap_or(0))
        .collect()
}

pub(super) fn laid_out(rows: &[Vec<String>], to_the_left: impl Fn(usize) -> bool) -> Vec<String> {
    let widths = widths(rows);
    rows.iter()
        .map(|row| {
            let cells = row.iter().zip(&widths).enumerate();
            let cells =
                cells.map(|(column, (cell, width))| padded(cell, *width, to_the_left(column)));
            linked("  ", cells).trim_end().to_owned()
        })
        .collect()
}

fn padded(cell: &str, width: usize, to_the_left: bool) -> String {
    let pad = " ".repeat(width.saturating_sub(cell.width()));
    if to_the_left {
        format!("{cell}{pad}")
    } else {
        format!("{pad}{cell}")
    }
}

/// A matrix between brackets, its columns right-aligned: `[ 1  -0.5 ]`.
pub(super) fn matrix(cells: &[Vec<String>]) -> Vec<String> {
    let widths = widths(cells);
    cells
        .iter()
        .map(|row| {
            let cells = row.iter().zip(&widths);
            let cells = cells.map(|(cell, width)| padded(cell, *width, false));
            format!("[ {} ]", linked("  ", cells))
        })
        .collect()
}

/// A matrix with names above its columns: the header, then its rows.
pub(super) fn headed(names: &[String], cells: &[Vec<String>]) -> Vec<String> {
    let mut all = vec![names.to_vec()];
    all.extend(cells.iter().cloned());
    let mut lines = matrix(&all);
    if let Some(first) = lines.first_mut() {
        // a header has no brackets
        first.truncate(first.len() - 2);
        first.replace_range(..1, " ");
    }
    lines
}

/// The numbers of a column with their decimal points in line: six digits of the largest, no zeros that
/// all of them end with, powers of ten where they are very large or very small.
pub(in crate::report) fn numbers(values: &[f64]) -> Vec<String> {
    let largest = values
        .iter()
        .filter(|v| v.is_finite())
        .fold(0.0_f64, |m, v| m.max(v.abs()));
    let power = if largest > 0.0 {
        largest.log10().floor() as i32
    } else {
        0
    };
    if !(-4..DIGITS).contains(&power) {
        return values
            .iter()
            .map(|v| match v {
                v if *v == 0.0 => "0".to_owned(),
                v if v.is_finite() => format!("{v:.4e}"),
                v => number(*v),
            })
            .collect();
    }
    let most = (DIGITS - 1 - power).clamp(0, DIGITS) as usize;
    let fixed = |v: f64, decimals: usize| {
        let text = format!("{v:.decimals$}");
        // no -0.000
        if text.starts_with('-') && text.bytes().all(|b| matches!(b, b'-' | b'0' | b'.')) {
            text[1..].to_owned()
        } else {
            text
        }
    };
    let decimals = values
        .iter()
        .filter(|v| v.is_finite())
        .map(|v| {
            let text = fixed(*v, most);
            text.split_once('.')
                .map_or(0, |(_, part)| part.trim_end_matches('0').len())
        })
        .max()
        .unwrap_or(0);
    values
        .iter()
        .map(|v| {
            if v.is_finite() {
                fixed(*v, decimals)
            } else {
                number(*v)
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimal_points_line_up() {
        assert_eq!(
            numbers(&[1.0, -0.5, 44.5297]),
            ["1.0000", "-0.5000", "44.5297"]
        );
        assert_eq!(numbers(&[0.0, 1.0, 2.0]), ["0", "1", "2"]);
        assert_eq!(numbers(&[-1e-9, 0.25]), ["0.00", "0.25"]);
        assert_eq!(numbers(&[1e-16, 0.0]), ["1.0000e-16", "0"]);
        assert_eq!(numbers(&[f64::NAN, 1.5]), ["undefined", "1.5"]);
        assert_eq!(numbers(&[]), Vec::<String>::new());
    }
}
