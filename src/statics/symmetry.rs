//! Symmetries of the equations of statics: vector fields xi(x) = a + B x with
//!
//! ```text
//! xi . S = 0,   xi . grad f_b = 0      for all x
//! ```
//!
//! Then xi . (S - J^T lambda) = 0 whatever x and lambda are (E. Noether): where r such fields are independent, r of the balances
//! follow from the others. A solution of the others is an equilibrium, and where they are regular in as many unknowns it lies on a
//! family of r dimensions (implicit function theorem).
//!
//! At scattered points the conditions are linear in a and B. Solutions in plain numbers that algebra confirms are kept.

use super::bounds::{Bounds, Enclosure, independent_columns};
use super::flat::Symbols;
use super::guess::plainest;
use super::numeric::Settled;
use crate::expr::{Expr, Interval, Number, Tape, Workspace};
use crate::geometry::null_vectors;
use crate::interval::IntervalMatrix;
use crate::theorem::scattered;
use nalgebra::DMatrix;

/// So many numbers of a and B are looked for at most: all of B, else its skew part, else a alone.
const MOST: usize = 45;
/// More conditions than numbers.
const MORE: usize = 4;
/// Singular values below this part of the largest are zero.
const RANK: f64 = 1e-9;
/// A number this near to a plain one is taken for it.
const PLAIN: f64 = 1e-7;

/// A vector field, by coordinate: a and a row of B.
type Field = Vec<(Number, Vec<Number>)>;

/// A field with one number in it: (coordinate that it moves, coordinate that it grows with, factor).
type Elementary = Vec<(usize, Option<usize>, i64)>;

/// Those of a system.
#[derive(Debug)]
pub struct Symmetries {
    fields: Vec<Field>,
}

fn elementary(n: usize) -> Vec<Elementary> {
    let shifts = (0..n).map(|k| vec![(k, None, 1)]);
    let pairs = (0..n).flat_map(|k| (0..n).map(move |j| (k, j)));
    let turns: Vec<Elementary> = if n + n * n <= MOST {
        pairs.map(|(k, j)| vec![(k, Some(j), 1)]).collect()
    } else if n + n * (n - 1) / 2 <= MOST {
        let above = pairs.filter(|(k, j)| k < j);
        above
            .map(|(k, j)| vec![(k, Some(j), 1), (j, Some(k), -1)])
            .collect()
    } else {
        Vec::new()
    };
    shifts.chain(turns).collect()
}

/// A basis of the rows of a matrix in which each has a 1 where the others have a 0.
fn reduced(mut rows: DMatrix<f64>) -> DMatrix<f64> {
    for i in 0..rows.nrows() {
        let rest = rows.rows(i, rows.nrows() - i);
        let (place, j) = rest.abs().iamax_full();
        rows.swap_rows(i, i + place);
        let pivot = rows[(i, j)];
        if pivot == 0.0 {
            break;
        }
        let own = rows.row(i) / pivot;
        for k in 0..rows.nrows() {
            let by = if k == i {
                rows[(k, j)] - 1.0
            } else {
                rows[(k, j)]
            };
            let moved = rows.row(k) - &own * by;
            rows.set_row(k, &moved);
        }
    }
    rows
}

impl Symmetries {
    /// Looks for them.
    pub fn new(symbols: &Symbols, region: &[(f64, f64)]) -> Self {
        let fields = candidates(symbols, region).unwrap_or_default();
        let fields = fields.into_iter().filter(|f| holds(symbols, f)).collect();
        Self { fields }
    }

    fn at(&self, x: &[Interval]) -> IntervalMatrix {
        IntervalMatrix::from_fn(self.fields.len(), x.len(), |i, k| {
            let (shift, row) = &self.fields[i][k];
            let parts = row.iter().zip(x).filter(|(b, _)| !b.is_zero());
            parts.fold(Interval::of_number(shift), |sum, (b, x)| {
                sum.add(Interval::of_number(b).mul(*x))
            })
        })
    }

    /// The equilibrium near a solution that is one of a family of so many dimensions, where that is proven.
    pub fn family(&self, bounds: &Bounds, settled: &Settled) -> Option<(Enclosure, usize)> {
        let x: Vec<Interval> = settled.x.iter().map(|v| Interval::point(*v)).collect();
        let here = self.at(&x).middle()?;
        let own = independent_columns(&here.transpose(), &vec![1.0; self.fields.len()]);
        let held = independent_columns(&here.select_rows(&own), &vec![1.0; x.len()]);
        if held.is_empty() || held.len() != own.len() {
            return None;
        }
        let found = bounds.prove(&settled.x, &settled.lambda, &held)?;
        let there = self.at(found.x()).block(&own, &held);
        there.is_regular().then_some((found, held.len()))
    }
}

/// What solves the conditions at scattered points, in plain numbers.
fn candidates(symbols: &Symbols, region: &[(f64, f64)]) -> Option<Vec<Field>> {
    let n = symbols.x.len();
    let unknowns = elementary(n);
    if unknowns.len() > MOST {
        return None;
    }
    let rows = 1 + symbols.gradients.len();
    let mut outputs = symbols.force.clone();
    outputs.extend(symbols.gradients.iter().flatten());
    let rounded = symbols.rounded.iter();
    let inputs: Vec<Expr> = symbols
        .x
        .iter()
        .copied()
        .chain(rounded.clone().map(|r| r.0))
        .collect();
    let tape = Tape::new(symbols.pool, &inputs, &outputs);
    let (mut work, mut values) = (Workspace::default(), vec![0.0; outputs.len()]);
    let count = unknowns.len() + MORE;
    let mut conditions = DMatrix::zeros(count * rows, unknowns.len());
    for point in 0..count {
        let x: Vec<f64> = region
            .iter()
            .enumerate()
            .map(|(k, (lo, hi))| lo + scattered(point as u64, k) * (hi - lo))
            .collect();
        let at: Vec<f64> = x
            .iter()
            .copied()
            .chain(rounded.clone().map(|r| r.1.middle()))
            .collect();
        tape.eval(&at, &mut work, &mut values);
        for (b, slopes) in values.chunks(n).enumerate() {
            let of = |parts: &Elementary| -> f64 {
                let terms = parts
                    .iter()
                    .map(|&(k, by, factor)| slopes[k] * by.map_or(1.0, |j| x[j]) * factor as f64);
                terms.sum()
            };
            let row = nalgebra::RowDVector::from_iterator(unknowns.len(), unknowns.iter().map(of));
            let length = row.norm();
            if length > 0.0 && length.is_finite() {
                conditions.set_row(point * rows + b, &(row / length));
            }
        }
    }
    let null = reduced(null_vectors(&conditions, RANK)?.transpose());
    let plain = |i: usize| -> Option<Field> {
        let mut field: Field = vec![(Number::ZERO, vec![Number::ZERO; n]); n];
        for (parts, v) in unknowns.iter().zip(null.row(i).iter()) {
            let number = plainest(*v, PLAIN)?;
            for &(k, by, factor) in parts {
                let part = number.mul(&Number::from(factor));
                match by {
                    None => field[k].0 = part,
                    Some(j) => field[k].1[j] = part,
                }
            }
        }
        Some(field)
    };
    Some((0..null.nrows()).filter_map(plain).collect())
}

/// Do the conditions hold everywhere?
fn holds(symbols: &Symbols, field: &Field) -> bool {
    let pool = symbols.pool;
    let along: Vec<Expr> = field
        .iter()
        .map(|(shift, row)| {
            let grows = row.iter().zip(&symbols.x).map(|(b, x)| pool.scale(*x, b));
            pool.sum(
                grows
                    .chain([pool.number(shift.clone())])
                    .collect::<Vec<_>>(),
            )
        })
        .collect();
    let vanishes = |slopes: &[Expr]| {
        let terms = along.iter().zip(slopes).map(|(xi, s)| pool.mul(*xi, *s));
        pool.is_zero(pool.sum(terms.collect::<Vec<_>>())) == Some(true)
    };
    vanishes(&symbols.force) && symbols.gradients.iter().all(|row| vanishes(row))
}
