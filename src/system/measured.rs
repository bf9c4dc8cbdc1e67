//! Measured data: a table in CSV with a column `t`, whose other columns stand beside the motion as `data.NAME`.

use super::diagnostic::quote;
use super::names::nearest_or_all;
use crate::expr::is_name;

/// A table of measured values.
#[derive(Clone, Debug)]
pub struct Measured {
    text: String,
    /// The times, in the order of the table, each once.
    pub times: Vec<f64>,
    /// The other columns by name, a value for each time; NaN where none was measured.
    pub columns: Vec<(String, Vec<f64>)>,
    /// Heads that are no names: their columns are left out.
    pub nameless: Vec<String>,
}

/// Tables of one text are the same, also where values are missing.
impl PartialEq for Measured {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Measured {}

/// Why a table cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MeasuredError {
    /// Nothing below the head.
    #[error("there are no rows of values")]
    Empty,
    /// No times.
    #[error("line {line}: no column is called `t`; {}{}", nearest_or_all("t", names.iter().map(String::as_str)), alone(names))]
    NoTime {
        /// The line of the head, from 1.
        line: usize,
        /// The columns there are.
        names: Vec<String>,
    },
    /// Two columns of one name.
    #[error("line {line}: `{}` is the name of two columns", quote(.name))]
    Twice {
        /// The line of the head, from 1.
        line: usize,
        /// The name.
        name: String,
    },
    /// A row that does not fit the head.
    #[error("line {line} has {found} values where {wanted} are named, separated by {}", separator.name())]
    Row {
        /// Its line, from 1.
        line: usize,
        /// Values in it.
        found: usize,
        /// Columns of the table.
        wanted: usize,
        /// What stands between them.
        separator: Separator,
    },
    /// What is no number.
    #[error("line {line}, column `{}`: `{}` is not a number{}", quote(.name), quote(.text), decimal(text))]
    Number {
        /// Its line, from 1.
        line: usize,
        /// Its column.
        name: String,
        /// What stands there.
        text: String,
    },
    /// A time that is not later than the one before.
    #[error("line {line}: t = {t} does not come after t = {before}")]
    Order {
        /// Its line, from 1.
        line: usize,
        /// The time.
        t: f64,
        /// The one before.
        before: f64,
    },
}

/// What stands between the fields of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Separator {
    /// `;`
    Semicolon,
    /// A tab.
    Tab,
    /// `,`
    Comma,
}

impl Separator {
    /// That of a table with this head.
    fn of(head: &str) -> Self {
        let list = [Self::Semicolon, Self::Tab];
        let used = list.into_iter().find(|s| s.fields(head).len() > 1);
        used.unwrap_or(Self::Comma)
    }

    fn symbol(self) -> char {
        match self {
            Self::Semicolon => ';',
            Self::Tab => '\t',
            Self::Comma => ',',
        }
    }

    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Semicolon => "semicolons",
            Self::Tab => "tabs",
            Self::Comma => "commas",
        }
    }

    /// The fields of a line, with quotes or without.
    fn fields(self, line: &str) -> Vec<String> {
        let mut list = vec![String::new()];
        let mut quoted = false;
        for c in line.chars() {
            match (c, list.last_mut()) {
                ('"', _) => quoted = !quoted,
                (c, _) if c == self.symbol() && !quoted => list.push(String::new()),
                (c, Some(field)) => field.push(c),
                _ => {}
            }
        }
        list.iter().map(|field| field.trim().to_owned()).collect()
    }
}

/// What a head of one column may lack.
fn alone(names: &[String]) -> &'static str {
    match names {
        [_] => "; columns are separated by commas, semicolons or tabs",
        _ => "",
    }
}

/// What a number may lack.
fn decimal(text: &str) -> &'static str {
    let number = |text: &str| text.parse::<f64>().is_ok();
    if text.contains(',') && number(&text.replacen(',', ".", 1)) {
        "; decimals are written with a point, as in 0.5"
    } else {
        ""
    }
}

/// What stands where nothing was measured.
const MISSING: [&str; 4] = ["", "nan", "na", "n/a"];

impl Measured {
    /// Reads a table: a head of names, with a unit behind them or without, then a time a line. An empty field, `nan` and
    /// `NA` are no value.
    pub fn parse(text: &str) -> Result<Self, MeasuredError> {
        let text = text.trim_start_matches('\u{feff}');
        let lines = text.lines().zip(1..);
        let mut lines = lines.filter(|(line, _)| !line.trim().is_empty() && !line.starts_with('#'));
        let (head, line) = lines.next().ok_or(MeasuredError::Empty)?;
        let separator = Separator::of(head);
        let names = separator.fields(head);
        let names: Vec<String> = names.iter().map(|name| bare(name)).collect();
        if let Some((_, name)) = names
            .iter()
            .enumerate()
            .find(|(k, n)| names[..*k].contains(n))
        {
            let name = name.clone();
            return Err(MeasuredError::Twice { line, name });
        }
        let time = names.iter().position(|name| name == "t");
        let Some(time) = time else {
            return Err(MeasuredError::NoTime { line, names });
        };
        let mut columns: Vec<(String, Vec<f64>)> =
            names.into_iter().map(|name| (name, Vec::new())).collect();
        for (row, line) in lines {
            let row = separator.fields(row);
            if row.len() != columns.len() {
                return Err(MeasuredError::Row {
                    line,
                    found: row.len(),
                    wanted: columns.len(),
                    separator,
                });
            }
            for (k, ((name, values), text)) in columns.iter_mut().zip(row).enumerate() {
                let missing =
                    k != time && MISSING.iter().any(|word| text.eq_ignore_ascii_case(word));
                let read = text.parse().ok().filter(|v: &f64| v.is_finite());
                let value = read.or(missing.then_some(f64::NAN));
                let value = value.ok_or_else(|| MeasuredError::Number {
                    line,
                    name: name.clone(),
                    text: text.clone(),
                })?;
                if let Some(&before) = values
                    .last()
                    .filter(|before| k == time && value <= **before)
                {
                    return Err(MeasuredError::Order {
                        line,
                        t: value,
                        before,
                    });
                }
                values.push(value);
            }
        }
        let (_, times) = columns.remove(time);
        if times.is_empty() {
            return Err(MeasuredError::Empty);
        }
        let is_named = |(name, _): &(String, _)| is_name(name.trim_end_matches('\''));
        let (columns, others): (Vec<_>, Vec<_>) = columns.into_iter().partition(is_named);
        Ok(Self {
            text: text.to_owned(),
            times,
            columns,
            nameless: others
                .into_iter()
                .map(|(name, _)| name)
                .filter(|name| !name.is_empty())
                .collect(),
        })
    }

    /// The earliest and the latest time.
    pub fn span(&self) -> Option<(f64, f64)> {
        Some((*self.times.first()?, *self.times.last()?))
    }

    /// The row of a time, where it is one of the table.
    pub fn row(&self, t: f64) -> Option<usize> {
        self.times.binary_search_by(|own| own.total_cmp(&t)).ok()
    }

    /// The values at a time, a value a column: NaN at others than those of the table.
    pub fn at(&self, t: f64) -> impl Iterator<Item = f64> {
        let row = self.row(t);
        self.columns
            .iter()
            .map(move |(_, values)| row.and_then(|i| values.get(i)).copied().unwrap_or(f64::NAN))
    }
}

/// `x` of `x [m]`, `x (m)`, `x/m` and `x`.
fn bare(name: &str) -> String {
    let end = name.find(['[', '(', '/']).unwrap_or(name.len());
    name.get(..end).unwrap_or(name).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_read_and_what_is_wrong_is_located() {
        let table = Measured::parse("t [s],\"x [m]\", x'\n0,1,\n0.5, 2, nan\n").unwrap();
        assert_eq!(table.times, [0.0, 0.5]);
        assert_eq!(table.columns[0], ("x".to_owned(), vec![1.0, 2.0]));
        assert_eq!(table.columns[1].0, "x'");
        assert_eq!(table.at(0.5).next(), Some(2.0));
        assert!(table.at(0.4).all(f64::is_nan));
        let said = |text: &str| Measured::parse(text).unwrap_err().to_string();
        assert_eq!(
            said("t,x\n0,1\n1,one\n"),
            "line 3, column `x`: `one` is not a number"
        );
        assert_eq!(
            said("t,x\n\n0\n"),
            "line 3 has 1 values where 2 are named, separated by commas"
        );
        assert_eq!(
            said("t,x\n1,1\n1,2\n"),
            "line 3: t = 1 does not come after t = 1"
        );
        assert_eq!(said("t,x,x\n"), "line 1: `x` is the name of two columns");
        assert!(said("time,x\n0,1\n").starts_with("line 1: no column is called `t`"));
        assert_eq!(said("t,x\n"), "there are no rows of values");
    }

    #[test]
    fn separators_are_told_apart_and_a_decimal_comma_is_told() {
        let said = |text: &str| Measured::parse(text).unwrap_err().to_string();
        assert_eq!(
            said("t;x\n0;0,5\n"),
            "line 2, column `x`: `0,5` is not a number; decimals are written with a point, as in 0.5"
        );
        assert_eq!(
            said("t;x\n0,5\n"),
            "line 2 has 1 values where 2 are named, separated by semicolons"
        );
        assert_eq!(
            said("t x\n0 1\n"),
            "line 1: no column is called `t`; available: t x; columns are separated by commas, semicolons or tabs"
        );
        let table = Measured::parse("t\tx\n0\t1\n").unwrap();
        assert_eq!(table.columns, [("x".to_owned(), vec![1.0])]);
    }

    #[test]
    fn only_what_looks_like_a_unit_is_one() {
        let table = Measured::parse("t/s,x error,x/m,y [m],v (m/s),z\n0,9,1,2,3,NA\n").unwrap();
        let names: Vec<&str> = table.columns.iter().map(|(name, _)| &**name).collect();
        assert_eq!(names, ["x", "y", "v", "z"]);
        assert_eq!(table.nameless, ["x error"]);
        assert_eq!(table.at(0.0).next(), Some(1.0));
        assert!(table.columns[3].1[0].is_nan());
    }
}
