//! A motion as CSV (RFC 4180): a header, a row a sample; what is not finite is an empty field.

use super::text::linked;
use crate::analysis::Table;
use std::io::{self, Write};

/// Writes the rows with a header.
pub fn write_csv(out: &mut dyn Write, table: &Table) -> io::Result<()> {
    write_csv_header(out, &table.columns)?;
    for row in &table.rows {
        write_row(out, row.iter().copied())?;
    }
    Ok(())
}

/// Writes the header alone.
pub fn write_csv_header(out: &mut dyn Write, columns: &[String]) -> io::Result<()> {
    let header = linked(",", columns.iter().map(|name| quoted(name)));
    writeln!(out, "{header}")
}

/// Writes some rows, of which the values are given column by column.
pub fn write_csv_rows(out: &mut dyn Write, values: &[Vec<f64>]) -> io::Result<()> {
    let count = values.iter().map(Vec::len).min().unwrap_or(0);
    for i in 0..count {
        write_row(
            out,
            values.iter().filter_map(|column| column.get(i).copied()),
        )?;
    }
    Ok(())
}

fn write_row(out: &mut dyn Write, row: impl Iterator<Item = f64>) -> io::Result<()> {
    for (i, value) in row.enumerate() {
        if i > 0 {
            out.write_all(b",")?;
        }
        out.write_all(field(value).as_bytes())?;
    }
    out.write_all(b"\n")
}

/// A number: the shortest digits that read back, with an exponent where it is small or large.
pub(super) fn field(value: f64) -> String {
    if !value.is_finite() {
        return String::new();
    }
    let text = format!("{value:?}");
    text.strip_suffix(".0").unwrap_or(&text).to_owned()
}

/// A field; only an expression with a comma needs quotes.
pub(super) fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_needed_and_what_is_not_finite_is_empty() {
        let table = Table {
            columns: vec!["t".to_owned(), "atan2(y, x)".to_owned()],
            rows: vec![
                vec![0.1, f64::NAN],
                vec![1e-300, f64::INFINITY],
                vec![-2.0, 0.0],
            ],
        };
        let mut out = Vec::new();
        write_csv(&mut out, &table).unwrap();
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "t,\"atan2(y, x)\"");
        assert_eq!(lines[1], "0.1,");
        assert_eq!(lines[2..], ["1e-300,", "-2,0"]);
    }
}
