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

use super::bounds::{Bounds, Enclosure};
use super::flat::Symbols;
use super::guess::plainest;
use super::numeric::Settled;
use crate::expr::{Expr, Interval, Number, Tape, Workspace, calculate};
use crate::geometry::{LeastNorm, combinations_of_columns, independent_columns};
use crate::interval::{IntervalMatrix, as_box};
use crate::theorem::{scattered, scattered_in};
use nalgebra::{DMatrix, DVector};
use std::f64::consts::PI;

/// So many numbers of a and B are looked for at most: all of B, else its skew part, else a alone.
const MOST: usize = 45;
/// More conditions than numbers.
const MORE: usize = 4;
/// Singular values below this part of the largest are zero.
const RANK: f64 = 1e-9;
/// A number this near to a plain one is taken for it.
const PLAIN: f64 = 1e-7;
/// Places from which a point is moved towards another, and steps from each.
const BEGINNINGS: u64 = 8;
const STEPS: usize = 40;
/// A step of this length is none.
const NOTHING: f64 = 1e-14;
/// What is left of the way, in its units, where one point is moved to another.
const MET: f64 = 1e-10;
/// and off where it began if it is moved back.
const BACK: f64 = 1e-6;
/// Operations that an exponential of a matrix of so many entries takes for each.
const EXPONENTIAL: usize = 40;

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

    /// Does one of them move this coordinate?
    pub fn moves(&self, k: usize) -> bool {
        let mut own = self.fields.iter().map(|field| &field[k]);
        own.any(|(shift, row)| !shift.is_zero() || row.iter().any(|b| !b.is_zero()))
    }

    /// Is a point moved to another along them? `way` is what is left to that one, in units of each coordinate, that are
    /// given too. Each field is linear: moving along it is an exponential of a matrix.
    pub fn join(&self, from: &[f64], way: impl Fn(&[f64]) -> Vec<f64>, units: &[f64]) -> bool {
        let n = from.len();
        let numbers = |number: &Number| Interval::of_number(number).middle();
        let generator = |field: &Field| {
            DMatrix::from_fn(n + 1, n + 1, |k, j| match field.get(k) {
                Some((shift, row)) => row.get(j).map_or_else(|| numbers(shift), numbers),
                None => 0.0,
            })
        };
        let generators: Vec<DMatrix<f64>> = self.fields.iter().map(generator).collect();
        let moved = |y: &DVector<f64>, lengths: &[f64]| {
            calculate(EXPONENTIAL * (n + 1).pow(3));
            let pairs = generators.iter().zip(lengths);
            let sum = pairs.fold(DMatrix::zeros(n + 1, n + 1), |sum, (g, s)| sum + g * *s);
            sum.exp() * y
        };
        let begin = DVector::from_iterator(n + 1, from.iter().copied().chain([1.0]));
        // next to a place that nothing moves the way is rounding, and does not lead back to where it began
        let leads_back = |begin: &DVector<f64>, end: &DVector<f64>, steps: &[DVector<f64>]| {
            let back = steps.iter().rev();
            let back = back.fold(end.clone(), |y, step| moved(&y, (-step).as_slice()));
            let mut off = (0..n).map(|k| (back[k] - begin[k]).abs() / units[k]);
            off.all(|off| off <= BACK)
        };
        let reaches = |begin: DVector<f64>| -> Option<bool> {
            let (mut y, mut steps) = (begin.clone(), Vec::new());
            for _ in 0..STEPS {
                let left = DVector::from_vec(way(&y.as_slice()[..n]));
                if left.amax() <= MET {
                    return Some(leads_back(&begin, &y, &steps));
                }
                let velocities: Vec<DVector<f64>> = generators.iter().map(|g| g * &y).collect();
                let slopes =
                    DMatrix::from_fn(n, generators.len(), |k, i| velocities[i][k] / units[k]);
                let mut step = LeastNorm::new(&slopes)?.shortest(&left, RANK)?;
                step /= step.amax().max(1.0);
                if step.amax() <= NOTHING {
                    return None;
                }
                y = moved(&y, step.as_slice());
                steps.push(step);
            }
            None
        };
        // the shortest way may lead nowhere, as from a point of a circle to the one opposite
        !generators.is_empty()
            && (0..BEGINNINGS).any(|at| {
                let length = |i| at.min(1) as f64 * PI * (2.0 * scattered(at, i) - 1.0);
                let lengths: Vec<f64> = (0..generators.len()).map(length).collect();
                reaches(moved(&begin, &lengths)) == Some(true)
            })
    }

    /// The equilibrium near a solution that is one of a family of so many dimensions, where that is proven.
    pub fn family(&self, bounds: &Bounds, settled: &Settled) -> Option<(Enclosure, usize)> {
        let x = as_box(&settled.x);
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
        let x = scattered_in(region.iter().copied(), point as u64);
        let mut at = x.clone();
        at.extend(rounded.clone().map(|r| r.1.middle()));
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
    let plain = |(_, vector): (usize, DVector<f64>)| -> Option<Field> {
        let mut field: Field = vec![(Number::ZERO, vec![Number::ZERO; n]); n];
        for (parts, v) in unknowns.iter().zip(vector.iter()) {
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
    let found = combinations_of_columns(conditions).into_iter();
    Some(found.filter_map(plain).collect())
}

/// Do the conditions hold everywhere?
fn holds(symbols: &Symbols, field: &Field) -> bool {
    let pool = symbols.pool;
    let along: Vec<Expr> = field
        .iter()
        .map(|(shift, row)| {
            let grows = row.iter().zip(&symbols.x).map(|(b, x)| pool.scale(*x, b));
            pool.sum(grows.chain([pool.number(shift.clone())]))
        })
        .collect();
    let vanishes = |slopes: &[Expr]| {
        let terms = along.iter().zip(slopes).map(|(xi, s)| pool.mul(*xi, *s));
        pool.is_zero(pool.sum(terms)) == Some(true)
    };
    vanishes(&symbols.force) && symbols.gradients.iter().all(|row| vanishes(row))
}
