//! Which runs: a grid, a random sample, or the rows of a table.

use super::sobol;
use crate::solver::meant;
use std::fmt;
use thiserror::Error;

/// No plan has more runs.
const MOST: u64 = 1 << 40;

/// What is varied, and the values it takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// A parameter, or a start value: t, a coordinate, a velocity with its prime.
    pub name: String,
    /// Is it a parameter?
    pub is_parameter: bool,
    /// Its values: of a grid those of this axis, else one a run.
    pub values: Vec<f64>,
}

/// The runs of a sweep, numbered from 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    axes: Vec<Axis>,
    kind: Kind,
    length: u64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// Each value of an axis with each of the others, the last axis the fastest.
    Grid,
    /// The first values of all axes, then the second ones.
    Rows,
}

/// How a random sample lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Design {
    /// A Latin hypercube: each axis is cut into as many equal parts as there are runs, and in each lies one value.
    #[default]
    Latin,
    /// A Sobol sequence, its bits turned round at random: pairs of axes are filled evenly too, best by 2^k runs.
    Sobol,
}

/// A random sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drawn {
    /// How many runs.
    pub count: u32,
    /// Which sample.
    pub seed: u64,
    /// How it lies.
    pub design: Design,
}

/// A part of a plan: the i-th of n, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which.
    pub i: u64,
    /// Of how many.
    pub n: u64,
}

/// What is wrong with a plan.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum PlanError {
    /// No axis at all.
    Empty,
    /// An axis twice.
    Twice(String),
    /// A range that is none.
    Range {
        /// As it was given.
        text: String,
        /// What is wrong.
        why: RangeFault,
    },
    /// Too many runs.
    TooMany,
    /// Too many axes for a Sobol sequence.
    Axes {
        /// Those named.
        found: usize,
        /// Those with numbers.
        most: usize,
    },
    /// No part of a whole.
    Shard(String),
    /// A row of a table that does not fit its head.
    Row {
        /// Its line, from 1.
        line: usize,
        /// Values in it.
        found: usize,
        /// Columns of the table.
        wanted: usize,
    },
    /// A value of a table that is no number.
    Number {
        /// Its line, from 1.
        line: usize,
        /// What stands there.
        text: String,
    },
}

/// Why a range is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RangeFault {
    /// It holds no values.
    Empty,
    /// It is neither a range nor a list.
    Form,
    /// `..` stands between its ends.
    Dots,
    /// The number of values is none, or too large.
    Count,
    /// A logarithmic range has no ends of one sign.
    Signs,
    /// The first end is not below the second.
    Order,
    /// One value is wanted of more than one.
    OneValue,
    /// A random sample needs two ends.
    NoEnds,
    /// A grid needs the number of values.
    NoCount,
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.i, self.n)
    }
}

impl Shard {
    /// Reads `i/n`.
    ///
    /// # Errors
    ///
    /// It is no such text.
    pub fn read(text: &str) -> Result<Self, PlanError> {
        let wrong = || PlanError::Shard(text.to_owned());
        let (i, n) = text.split_once('/').ok_or_else(wrong)?;
        let number = |text: &str| text.trim().parse::<u64>().map_err(|_| wrong());
        let (i, n) = (number(i)?, number(n)?);
        if i == 0 || i > n || n > MOST {
            return Err(wrong());
        }
        Ok(Self { i, n })
    }

    /// The numbers of its runs, the first and the one after the last, of so many.
    pub fn of(self, length: u64) -> std::ops::Range<u64> {
        let at = |i: u64| (u128::from(length) * u128::from(i) / u128::from(self.n)) as u64;
        at(self.i - 1)..at(self.i)
    }
}

/// `a:b:count`, `log:a:b:count`, `a,b,c`; with two ends alone where `random` values between them are wanted.
#[derive(Clone, Debug, PartialEq)]
pub enum Range {
    /// Values.
    Values(Vec<f64>),
    /// From one to the other; evenly in the logarithm.
    Between(f64, f64, bool),
}

impl Range {
    /// Reads a range; `number` reads what stands between the colons.
    ///
    /// # Errors
    ///
    /// It is empty or reversed, or holds no numbers.
    pub fn read<E: From<PlanError>>(
        text: &str,
        number: &dyn Fn(&str) -> Result<f64, E>,
    ) -> Result<Self, E> {
        /// No axis has more values.
        const MOST_VALUES: u64 = 1 << 24;
        let wrong = |why| PlanError::Range {
            text: text.to_owned(),
            why,
        };
        let (log, rest) = match text.trim().strip_prefix("log:") {
            Some(rest) => (true, rest),
            None => (false, text.trim()),
        };
        if rest.contains("..") {
            return Err(wrong(RangeFault::Dots).into());
        }
        let parts: Vec<&str> = rest.split(':').collect();
        let (from, to, count) = match parts.as_slice() {
            [list] if !log => {
                let values = super::super::split_columns(list);
                if values.is_empty() {
                    return Err(wrong(RangeFault::Empty).into());
                }
                let values: Result<Vec<f64>, E> = values.iter().map(|v| number(v)).collect();
                return Ok(Self::Values(values?));
            }
            [from, to] => (number(from)?, number(to)?, None),
            [from, to, count] => {
                let count = count.trim().parse::<u64>().ok();
                let count = count.filter(|n| (1..=MOST_VALUES).contains(n));
                (
                    number(from)?,
                    number(to)?,
                    Some(count.ok_or_else(|| wrong(RangeFault::Count))?),
                )
            }
            _ => {
                return Err(wrong(RangeFault::Form).into());
            }
        };
        if log && !(from * to > 0.0 && from.abs() > 0.0) {
            return Err(wrong(RangeFault::Signs).into());
        }
        // backwards in size is forwards in value where both are negative
        if from > to || (from >= to && count != Some(1)) {
            return Err(wrong(RangeFault::Order).into());
        }
        let Some(count) = count else {
            return Ok(Self::Between(from, to, log));
        };
        if count == 1 && from < to {
            return Err(wrong(RangeFault::OneValue).into());
        }
        let values = (0..count).map(|k| {
            // both ends are exactly what was given
            match k {
                0 => from,
                _ if k + 1 == count => to,
                _ => part_of(from, to, log, k as f64 / (count - 1) as f64),
            }
        });
        Ok(Self::Values(values.collect()))
    }
}

/// What is varied, and over which range.
#[derive(Clone, Debug, PartialEq)]
pub struct RangedAxis {
    /// A parameter, or a start value.
    pub name: String,
    /// Is it a parameter?
    pub is_parameter: bool,
    /// Its range.
    pub range: Range,
}

fn part_of(from: f64, to: f64, log: bool, part: f64) -> f64 {
    // 3 and not 3.0000000000000004
    if log {
        let size = (from.abs().ln() * (1.0 - part) + to.abs().ln() * part).exp();
        meant(from.signum() * size, size)
    } else {
        meant(from * (1.0 - part) + to * part, from.abs().max(to.abs()))
    }
}

impl Plan {
    /// Each value of an axis with each value of the others, the last axis the fastest.
    ///
    /// # Errors
    ///
    /// No axis, an axis twice, more runs than can be numbered.
    pub fn grid(axes: Vec<Axis>) -> Result<Self, PlanError> {
        named_once(&axes)?;
        let lengths = axes.iter().map(|axis| axis.values.len() as u64);
        let length = lengths.into_iter().try_fold(1_u64, u64::checked_mul);
        let length = length.filter(|n| *n <= MOST).ok_or(PlanError::TooMany)?;
        Ok(Self {
            axes,
            kind: Kind::Grid,
            length,
        })
    }

    /// A random sample. The same seed gives the same values.
    ///
    /// # Errors
    ///
    /// As of a grid; an axis that is no range with two ends; more axes than Sobol numbers are known for.
    pub fn random(axes: Vec<RangedAxis>, drawn: Drawn) -> Result<Self, PlanError> {
        let count = drawn.count;
        if drawn.design == Design::Sobol && axes.len() > sobol::MOST_AXES {
            return Err(PlanError::Axes {
                found: axes.len(),
                most: sobol::MOST_AXES,
            });
        }
        let mut random = fastrand::Rng::with_seed(drawn.seed);
        let axis = |(k, own): (usize, RangedAxis)| {
            let Range::Between(from, to, log) = own.range else {
                return Err(PlanError::Range {
                    text: own.name,
                    why: RangeFault::NoEnds,
                });
            };
            let parts: Vec<f64> = match drawn.design {
                Design::Sobol => sobol::coordinates(k, count, random.u64(..)),
                Design::Latin => {
                    let mut parts: Vec<u32> = (0..count).collect();
                    random.shuffle(&mut parts);
                    let place = |part: u32| (f64::from(part) + random.f64()) / f64::from(count);
                    parts.into_iter().map(place).collect()
                }
            };
            let values = parts.into_iter();
            let values = values.map(|part| part_of(from, to, log, part)).collect();
            Ok(Axis {
                name: own.name,
                is_parameter: own.is_parameter,
                values,
            })
        };
        let axes: Result<Vec<Axis>, PlanError> = axes.into_iter().enumerate().map(axis).collect();
        Self::rows(axes?)
    }

    /// One run for the first values of all axes, one for the second ones, and so on.
    ///
    /// # Errors
    ///
    /// No axis, an axis twice.
    pub fn rows(axes: Vec<Axis>) -> Result<Self, PlanError> {
        named_once(&axes)?;
        let length = axes.iter().map(|axis| axis.values.len() as u64).min();
        Ok(Self {
            length: length.unwrap_or(0),
            axes,
            kind: Kind::Rows,
        })
    }

    /// What is varied.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// How many runs there are.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The values of the axes in a run.
    pub fn place(&self, number: u64) -> Vec<f64> {
        let mut rest = number;
        let mut place: Vec<f64> = self
            .axes
            .iter()
            .rev()
            .map(|axis| {
                let n = axis.values.len() as u64;
                let k = match self.kind {
                    Kind::Grid => rest % n.max(1),
                    Kind::Rows => number,
                };
                rest /= n.max(1);
                axis.values.get(k as usize).copied().unwrap_or(f64::NAN)
            })
            .collect();
        place.reverse();
        place
    }
}

fn named_once(axes: &[Axis]) -> Result<(), PlanError> {
    if axes.is_empty() {
        return Err(PlanError::Empty);
    }
    for (k, axis) in axes.iter().enumerate() {
        if axes[..k].iter().any(|other| other.name == axis.name) {
            return Err(PlanError::Twice(axis.name.clone()));
        }
    }
    Ok(())
}

/// The columns of a table in CSV: a head of names, then a run a line.
///
/// # Errors
///
/// A line with too few or too many values, or what is no number.
pub fn table(text: &str) -> Result<Vec<(String, Vec<f64>)>, PlanError> {
    let mut lines = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty());
    let Some((_, head)) = lines.next() else {
        return Err(PlanError::Empty);
    };
    let names = head
        .split(',')
        .map(|name| name.trim().trim_matches('"').to_owned());
    let mut columns: Vec<(String, Vec<f64>)> = names.map(|name| (name, Vec::new())).collect();
    for (at, line) in lines {
        let values: Vec<&str> = line.split(',').map(str::trim).collect();
        if values.len() != columns.len() {
            return Err(PlanError::Row {
                line: at + 1,
                found: values.len(),
                wanted: columns.len(),
            });
        }
        for (column, text) in columns.iter_mut().zip(values) {
            let value = text.parse().ok().filter(|v: &f64| v.is_finite());
            column.1.push(value.ok_or_else(|| PlanError::Number {
                line: at + 1,
                text: text.to_owned(),
            })?);
        }
    }
    Ok(columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Range, PlanError> {
        Range::read(text, &|text| {
            text.trim().parse().map_err(|_| PlanError::Number {
                line: 0,
                text: text.to_owned(),
            })
        })
    }

    fn axis(name: &str, values: &[f64]) -> Axis {
        Axis {
            name: name.to_owned(),
            is_parameter: true,
            values: values.to_vec(),
        }
    }

    #[test]
    fn ranges_have_both_ends_and_are_not_empty() {
        assert_eq!(read("1:2:3"), Ok(Range::Values(vec![1.0, 1.5, 2.0])));
        assert_eq!(
            read("1:6:6"),
            Ok(Range::Values(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]))
        );
        assert_eq!(read("1, 2,5"), Ok(Range::Values(vec![1.0, 2.0, 5.0])));
        assert_eq!(read("3:3:1"), Ok(Range::Values(vec![3.0])));
        let Ok(Range::Values(log)) = read("log:1:100:3") else {
            panic!("log")
        };
        assert!((log[1] - 10.0).abs() < 1e-13 && log[2] == 100.0);
        let Ok(Range::Values(log)) = read("log:-100:-1:3") else {
            panic!("log below zero")
        };
        assert!((log[1] + 10.0).abs() < 1e-13);
        for wrong in [
            "2:1:3",
            "1:1:2",
            "1:2:0",
            "1:2:1",
            "log:-1:1:3",
            "log:0:1:3",
            "1:2:3:4",
            "",
            "a:b:3",
            "1:2:x",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_grid_has_every_pair_once_the_last_axis_the_fastest() {
        let plan = Plan::grid(vec![axis("a", &[1.0, 2.0]), axis("b", &[3.0, 4.0, 5.0])]).unwrap();
        assert_eq!(plan.length(), 6);
        assert_eq!(plan.place(0), [1.0, 3.0]);
        assert_eq!(plan.place(1), [1.0, 4.0]);
        assert_eq!(plan.place(5), [2.0, 5.0]);
        assert!(Plan::grid(vec![axis("a", &[1.0]), axis("a", &[1.0])]).is_err());
        assert!(Plan::grid(Vec::new()).is_err());
    }

    #[test]
    fn a_latin_hypercube_has_one_value_in_each_part_and_is_the_same_for_a_seed() {
        let axis = |name: String, lo, hi| RangedAxis {
            name,
            is_parameter: true,
            range: Range::Between(lo, hi, false),
        };
        let axes = || vec![axis("a".into(), 0.0, 1.0), axis("b".into(), 10.0, 20.0)];
        let drawn = |seed, design| Drawn {
            count: 100,
            seed,
            design,
        };
        let latin = |seed| Plan::random(axes(), drawn(seed, Design::Latin));
        let plan = latin(7).unwrap();
        for (k, axis) in plan.axes().iter().enumerate() {
            let mut parts: Vec<usize> = axis
                .values
                .iter()
                .map(|v| if k == 0 { v * 100.0 } else { (v - 10.0) * 10.0 } as usize)
                .collect();
            parts.sort_unstable();
            assert!(parts.into_iter().eq(0..100));
        }
        assert_eq!(plan, latin(7).unwrap());
        assert_ne!(plan, latin(8).unwrap());
        let sobol = |seed| Plan::random(axes(), drawn(seed, Design::Sobol)).unwrap();
        assert_eq!(sobol(7), sobol(7));
        assert_ne!(sobol(7), sobol(8));
        let many = (0..30).map(|k| axis(format!("p{k}"), 0.0, 1.0));
        let many = Plan::random(many.collect(), drawn(0, Design::Sobol));
        assert!(matches!(many, Err(PlanError::Axes { found: 30, .. })));
    }

    #[test]
    fn shards_are_the_whole_without_a_gap() {
        for (length, n) in [(10, 3), (3, 16), (16, 16), (1_000_003, 7), (0, 4)] {
            let mut next = 0;
            for i in 1..=n {
                let part = Shard { i, n }.of(length);
                assert_eq!(part.start, next);
                next = part.end;
            }
            assert_eq!(next, length);
        }
        for wrong in ["0/3", "4/3", "a/3", "3", "1/0", "-1/3"] {
            assert!(Shard::read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_table_says_which_line_is_wrong() {
        let good = table("a,b\n1,2\n\n3,4\n").unwrap();
        assert_eq!(
            good,
            [
                ("a".to_owned(), vec![1.0, 3.0]),
                ("b".to_owned(), vec![2.0, 4.0])
            ]
        );
        assert!(matches!(
            table("a,b\n1\n"),
            Err(PlanError::Row { line: 2, .. })
        ));
        assert!(matches!(
            table("a\n1\nx\n"),
            Err(PlanError::Number { line: 3, .. })
        ));
    }
}
