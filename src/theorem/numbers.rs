//! The constraint Jacobian in numbers at one point, with what decides whether a number is zero.
//!
//! A determinant counts as zero where a change of each coordinate and of t by a few ulp can make it so:
//!
//! ```text
//! |det| <= 8 eps (sum |x_i d det/dx_i| + |t d det/dt| + sum |terms|) + sum c_i |d det/dx_i|
//! ```
//!
//! with c_i the last Newton correction of a coordinate that was solved for. The same for the entries
//! when a rank is counted. Rescaling a coordinate or a constraint rescales both sides alike, so
//! verdicts do not depend on units.

use crate::expr::{Expr, Tape, Workspace};
use crate::geometry::{self, Blurred, Combination, cofactors};
use crate::mechanics::Equations;
use crate::sparse::is_large;
use crate::system::System;
use nalgebra::DMatrix;

/// Multiple of the rounding unit within which a number counts as zero.
pub const ZERO: f64 = geometry::ULPS;
/// Coefficients that differ by less are equal.
const TIE: f64 = 1e-9;
/// Up to this size the terms of a determinant are summed one by one.
const EXACT_TERMS: usize = 6;

/// The symbols every compiled expression takes, in order: x, x', t, parameters.
pub fn inputs(system: &System) -> Vec<Expr> {
    let coordinates = &system.coordinates;
    coordinates
        .iter()
        .map(|c| c.x)
        .chain(coordinates.iter().map(|c| c.v))
        .chain([system.t])
        .chain(system.parameters.iter().map(|p| p.symbol))
        .collect()
}

/// The numbers for [`inputs`]; missing velocities are 0.
pub fn arguments(system: &System, t: f64, x: &[f64], v: &[f64]) -> Vec<f64> {
    let n = system.coordinates.len();
    let mut values = Vec::with_capacity(2 * n + 1 + system.parameters.len());
    values.extend_from_slice(x);
    values.resize(n, f64::NAN);
    values.extend_from_slice(v);
    values.resize(2 * n, 0.0);
    values.push(t);
    values.extend(system.parameters.iter().map(|p| p.value));
    values
}

/// What one output of the compiled Jacobian is.
#[derive(Clone, Copy, Debug)]
enum Output {
    Entry(usize, usize),
    Magnitude(usize, usize),
    /// d J_ij / dx_k, or by t for k = n
    Slope(usize, usize, usize),
}

/// W = [J; A], the size of the terms of its entries and their derivatives, compiled.
#[derive(Clone, Debug)]
pub struct RowTape {
    tape: Tape,
    outputs: Vec<Output>,
    positions: usize,
    rows: usize,
    columns: usize,
}

impl RowTape {
    /// Compiles the rows of a system, those of the position constraints first.
    pub fn new(system: &System, equations: &Equations) -> Self {
        let pool = &system.pool;
        let mut variables: Vec<Expr> = system.positions();
        variables.push(system.t);
        let (mut outputs, mut list) = (Vec::new(), Vec::new());
        let rows = equations.gradients.iter().chain(&equations.velocity.rows);
        for (i, row) in rows.enumerate() {
            for (j, &entry) in row.iter().enumerate() {
                if entry == pool.zero() {
                    continue;
                }
                outputs.push(Output::Entry(i, j));
                list.push(entry);
                outputs.push(Output::Magnitude(i, j));
                list.push(pool.rounding(entry));
                let inside = pool.symbols_of(entry);
                for (k, &by) in variables.iter().enumerate() {
                    if !inside.contains(&by) {
                        continue;
                    }
                    let slope = pool.derivative(entry, by);
                    if slope != pool.zero() {
                        outputs.push(Output::Slope(i, j, k));
                        list.push(slope);
                    }
                }
            }
        }
        Self {
            tape: Tape::new(pool, &inputs(system), &list),
            outputs,
            positions: equations.gradients.len(),
            rows: equations.gradients.len() + equations.velocity.rows.len(),
            columns: system.coordinates.len(),
        }
    }

    /// J at a point; `corrections` are those of coordinates that were solved for (may be empty).
    pub fn jacobian(&self, arguments: &[f64], corrections: &[f64]) -> LocalJacobian {
        let all = self.at(arguments, corrections);
        if self.positions == self.rows {
            return all;
        }
        all.rows(&(0..self.positions).collect::<Vec<_>>())
    }

    /// What the entries of W may be off by where each coordinate is known to `reach` only, and t to rounding.
    pub fn blur(&self, arguments: &[f64], reach: &[f64]) -> DMatrix<f64> {
        let mut all = self.at(arguments, &[]);
        all.reach.splice(..self.columns, reach.iter().copied());
        all.blurred().blur
    }

    /// W at a point; `corrections` are those of coordinates that were solved for (may be empty).
    pub fn at(&self, arguments: &[f64], corrections: &[f64]) -> LocalJacobian {
        let mut values = vec![0.0; self.outputs.len()];
        self.tape
            .eval(arguments, &mut Workspace::default(), &mut values);
        let (m, n) = (self.rows, self.columns);
        let mut local = LocalJacobian {
            value: DMatrix::zeros(m, n),
            magnitude: DMatrix::zeros(m, n),
            slopes: Vec::new(),
            reach: Vec::with_capacity(n + 1),
        };
        let time = arguments.get(2 * n).copied().unwrap_or(0.0);
        for (k, size) in arguments.iter().take(n).chain([&time]).enumerate() {
            let moved = corrections.get(k).copied().unwrap_or(0.0);
            local.reach.push(ZERO * size.abs() + moved.abs());
        }
        for (output, &v) in self.outputs.iter().zip(&values) {
            match *output {
                Output::Entry(i, j) => local.value[(i, j)] = v,
                Output::Magnitude(i, j) => local.magnitude[(i, j)] = v,
                Output::Slope(i, j, k) => local.slopes.push((i, j, k, v)),
            }
        }
        local
    }
}

/// The Jacobian at one point.
#[derive(Clone, Debug)]
pub struct LocalJacobian {
    /// J, m by n.
    pub value: DMatrix<f64>,
    /// What evaluating each entry rounds: for a polynomial the sum of its absolute terms.
    pub(super) magnitude: DMatrix<f64>,
    /// (i, j, k, d J_ij/dx_k); k = n is t.
    pub(super) slopes: Vec<(usize, usize, usize, f64)>,
    /// How far each variable may be from what was meant.
    pub(super) reach: Vec<f64>,
}

/// A square block of the Jacobian judged.
#[derive(Clone, Copy, Debug)]
pub struct Minor {
    /// Its determinant.
    pub determinant: f64,
    /// Its determinant with the rows of J scaled to size one.
    pub scaled: f64,
    /// Does that count as zero?
    pub is_zero: bool,
}

impl LocalJacobian {
    /// The same for some of the constraints.
    #[must_use]
    pub fn rows(&self, rows: &[usize]) -> Self {
        Self {
            value: self.value.select_rows(rows),
            magnitude: self.magnitude.select_rows(rows),
            slopes: self
                .slopes
                .iter()
                .filter_map(|&(i, j, k, v)| {
                    let place = rows.iter().position(|r| *r == i)?;
                    Some((place, j, k, v))
                })
                .collect(),
            reach: self.reach.clone(),
        }
    }

    /// Is every entry a finite number?
    pub fn is_finite(&self) -> bool {
        self.value.iter().all(|v| v.is_finite())
    }

    /// The determinant of a square block and whether it counts as zero. Rows are scaled to size one
    /// first: the test then neither overflows nor underflows, whatever the units.
    pub fn minor(&self, columns: &[usize]) -> Minor {
        let m = self.value.nrows();
        if m == 0 {
            return Minor {
                determinant: 1.0,
                scaled: 1.0,
                is_zero: false,
            };
        }
        if is_large(m, m) {
            return self.large_minor(columns);
        }
        let size = self.row_sizes();
        let block = DMatrix::from_fn(m, m, |i, j| self.value[(i, columns[j])] / size[i]);
        let scaled = block.determinant();
        let cofactors = cofactors(&block, scaled);
        let mut place = vec![None; self.value.ncols()];
        for (j, &c) in columns.iter().enumerate() {
            place[c] = Some(j);
        }
        let mut slope = vec![0.0; self.reach.len()];
        for &(i, j, k, v) in &self.slopes {
            if let Some(j) = place[j] {
                slope[k] += cofactors[(i, j)] * v / size[i];
            }
        }
        let sizes = DMatrix::from_fn(m, m, |i, j| self.magnitude[(i, columns[j])] / size[i]);
        let terms = if m <= EXACT_TERMS {
            permanent(&sizes, 0, &mut vec![false; m])
        } else {
            cofactors.abs().component_mul(&sizes).sum()
        };
        let moved: f64 = slope
            .iter()
            .zip(&self.reach)
            .map(|(s, r)| (s * r).abs())
            .sum();
        let threshold = ZERO * terms + moved;
        Minor {
            determinant: if m <= EXACT_TERMS {
                self.value.select_columns(columns).determinant()
            } else {
                size.iter().fold(scaled, |product, s| product * s)
            },
            scaled,
            // a NaN is no proof that the theorem holds
            is_zero: (scaled - threshold).is_nan()
                || scaled.abs() <= threshold && !self.surely_regular(columns, scaled),
        }
    }

    /// A determinant may be small because several of its pivots are: is every one of them certain?
    fn surely_regular(&self, columns: &[usize], scaled: f64) -> bool {
        scaled != 0.0 && self.blurred().columns(columns).rank() == columns.len()
    }

    /// The 2-norm condition number of a square block (`None` where infinite), and its determinant
    /// relative to the volume that the gradients span, from 0 to 1.
    pub(super) fn measures(&self, columns: &[usize], minor: &Minor) -> (Option<f64>, Option<f64>) {
        let m = self.value.nrows();
        if is_large(m, m) && !minor.is_zero {
            return self.large_measures(columns);
        }
        let condition = if m == 0 {
            Some(1.0) // an empty matrix has no singular values
        } else if minor.is_zero {
            None
        } else {
            geometry::condition(&self.value.select_columns(columns))
        };
        let quality = if minor.is_zero {
            Some(0.0)
        } else {
            let volume = self.volume();
            (volume > 0.0 && volume.is_finite()).then(|| (minor.scaled.abs() / volume).min(1.0))
        };
        (condition, quality)
    }

    /// J with what each entry may be off by.
    pub fn blurred(&self) -> Blurred {
        let mut blur = self.magnitude.map(|v| ZERO * v);
        for &(i, j, k, v) in &self.slopes {
            blur[(i, j)] += (v * self.reach[k]).abs();
        }
        let value = self.value.clone();
        Blurred { value, blur }
    }

    /// The constraints whose gradients take part in some dependency.
    pub fn entangled(&self) -> Vec<usize> {
        let combinations = self.blurred().eliminated().combinations();
        let mut list: Vec<usize> = combinations.iter().flatten().map(|e| e.0).collect();
        list.sort_unstable();
        list.dedup();
        list
    }

    /// Constraints b with numbers c_b, the largest 1, so that sum c_b grad f_b = 0; empty where there is not
    /// exactly one such combination.
    pub fn combination(&self) -> Combination {
        let mut combinations = self.blurred().eliminated().combinations();
        let (Some(mut only), true) = (combinations.pop(), combinations.is_empty()) else {
            return Combination::new();
        };
        let larger = |top: f64, c: f64| {
            if c.abs() > top.abs() * (1.0 + TIE) {
                c
            } else {
                top
            }
        };
        let top = only.iter().fold(0.0, |top, e| larger(top, e.1));
        for e in &mut only {
            e.1 /= top;
        }
        only
    }

    /// The largest entry of each row, 1 for a row of zeros.
    pub(super) fn row_sizes(&self) -> Vec<f64> {
        self.value
            .row_iter()
            .map(|row| {
                let top = row.amax();
                if top > 0.0 && top.is_finite() {
                    top
                } else {
                    1.0
                }
            })
            .collect()
    }

    /// sqrt(det J J^T), the volume that the gradients span, with the rows of J scaled to size one.
    pub fn volume(&self) -> f64 {
        let size = self.row_sizes();
        let (m, n) = self.value.shape();
        let scaled = DMatrix::from_fn(m, n, |i, j| self.value[(i, j)] / size[i]);
        (&scaled * scaled.transpose()).determinant().max(0.0).sqrt()
    }
}

/// The sum of the products of a determinant's terms, all signs positive.
fn permanent(a: &DMatrix<f64>, row: usize, used: &mut Vec<bool>) -> f64 {
    if row == a.nrows() {
        return 1.0;
    }
    let mut sum = 0.0;
    for c in 0..a.ncols() {
        if !used[c] && a[(row, c)] != 0.0 {
            used[c] = true;
            sum += a[(row, c)] * permanent(a, row + 1, used);
            used[c] = false;
        }
    }
    sum
}
