//! Statics in numbers: Newton's method on f = c, S = J^T lambda, and whether a solution stands alone.
//!
//! All sizes are virtual work: with a width w_k a coordinate, S_k w_k and sum lambda_b J_bk w_k are compared,
//! and f_b with sum |J_bk| w_k. That makes steps and tests independent of units.

use super::equations::Statics;
use crate::expr::{Expr, Tape, Workspace};
use crate::system::System;
use crate::theorem::{arguments, inputs};
use nalgebra::{DMatrix, DVector};

/// Newton steps from a start; at a multiple solution each takes a part of the distance.
const STEPS: usize = 120;
/// A step moves no coordinate by more than this part of its width.
const LONGEST: f64 = 0.25;
/// A residual of this part of its terms is none.
const RESIDUAL: f64 = 1e-11;
/// Singular values below this part of the largest are zero.
const RANK: f64 = 1e-9;
/// How far along a direction a family is looked for, in parts of the width.
const ALONG: f64 = 0.02;

#[derive(Clone, Copy, Debug)]
enum Output {
    Force(usize),
    ForceSize(usize),
    Level(usize),
    LevelSize(usize),
    Gradient(usize, usize),
    Slope(usize, usize),
    Second(usize, usize, usize),
}

/// The equations of statics compiled.
#[derive(Debug)]
pub struct Numeric<'a> {
    system: &'a System,
    tape: Tape,
    outputs: Vec<Output>,
    t: f64,
}

/// The equations at one point.
#[derive(Clone, Debug)]
pub struct Local {
    /// S.
    pub force: DVector<f64>,
    /// The size of its terms.
    pub force_size: DVector<f64>,
    /// f - c.
    pub level: DVector<f64>,
    /// The size of its terms.
    pub level_size: DVector<f64>,
    /// J.
    pub jacobian: DMatrix<f64>,
    /// dS/dx.
    pub slopes: DMatrix<f64>,
    second: Vec<(usize, usize, usize, f64)>,
}

impl Local {
    /// dS/dx - sum lambda_b d2f_b.
    pub fn stiffness(&self, lambda: &DVector<f64>) -> DMatrix<f64> {
        let mut k = self.slopes.clone();
        for &(b, i, j, v) in &self.second {
            k[(i, j)] -= lambda[b] * v;
            if i != j {
                k[(j, i)] -= lambda[b] * v;
            }
        }
        k
    }

    /// The sizes of the terms of that.
    pub fn stiffness_size(&self, lambda: &DVector<f64>) -> DMatrix<f64> {
        let mut k = self.slopes.abs();
        for &(b, i, j, v) in &self.second {
            k[(i, j)] += (lambda[b] * v).abs();
            if i != j {
                k[(j, i)] += (lambda[b] * v).abs();
            }
        }
        k
    }

    fn is_finite(&self) -> bool {
        let parts = [self.force.as_slice(), self.level.as_slice()];
        parts.iter().all(|p| p.iter().all(|v| v.is_finite()))
            && self.jacobian.iter().all(|v| v.is_finite())
            && self.slopes.iter().all(|v| v.is_finite())
            && self.second.iter().all(|(.., v)| v.is_finite())
    }

    /// The multipliers of least norm for which J^T lambda is nearest to S.
    pub fn multipliers(&self, scales: &Scales) -> DVector<f64> {
        let m = self.level.len();
        if m == 0 {
            return DVector::zeros(0);
        }
        let weighted = self.jacobian.transpose();
        let rows = DMatrix::from_fn(weighted.nrows(), m, |k, b| weighted[(k, b)] * scales.width[k]);
        let right = self.force.component_mul(&scales.width);
        let top = rows.amax();
        if top == 0.0 {
            return DVector::zeros(m);
        }
        let svd = rows.svd(true, true);
        let cut = RANK * svd.singular_values.max();
        svd.solve(&right, cut).unwrap_or_else(|_| DVector::zeros(m))
    }
}

/// What is a long way.
#[derive(Clone, Debug)]
pub struct Scales {
    /// The width of the region along each coordinate.
    pub width: DVector<f64>,
}

/// Where Newton's method came to rest.
#[derive(Clone, Debug)]
pub struct Settled {
    /// The coordinates.
    pub x: Vec<f64>,
    /// The multipliers.
    pub lambda: DVector<f64>,
    /// The last correction of each coordinate.
    pub correction: Vec<f64>,
}

/// The equations at a point in the scales of virtual work.
struct Scaled {
    matrix: DMatrix<f64>,
    right: DVector<f64>,
    multiplier_unit: DVector<f64>,
    /// the residual in parts of its terms
    miss: f64,
}

impl<'a> Numeric<'a> {
    /// Compiles the equations of these constraints at one time.
    pub fn new(system: &'a System, statics: &Statics, rows: &[usize], t: f64) -> Self {
        let pool = &system.pool;
        let (mut outputs, mut list): (Vec<Output>, Vec<Expr>) = (Vec::new(), Vec::new());
        let mut add = |output: Output, e: Expr| {
            if e != pool.zero() {
                outputs.push(output);
                list.push(e);
            }
        };
        for (k, &e) in statics.force.iter().enumerate() {
            add(Output::Force(k), e);
            add(Output::ForceSize(k), pool.rounding(e));
            for (j, &e) in statics.slopes[k].iter().enumerate() {
                add(Output::Slope(k, j), e);
            }
        }
        for (place, &b) in rows.iter().enumerate() {
            let c = &system.constraints[b];
            add(Output::Level(place), pool.sub(c.f, c.c));
            add(Output::LevelSize(place), pool.add(pool.rounding(c.f), pool.rounding(c.c)));
            for (j, &e) in statics.gradients[b].iter().enumerate() {
                add(Output::Gradient(place, j), e);
            }
            for &(_, i, j, e) in statics.second.iter().filter(|s| s.0 == b) {
                add(Output::Second(place, i, j), e);
            }
        }
        Self {
            system,
            tape: Tape::new(pool, &inputs(system), &list),
            outputs,
            t,
        }
    }

    /// The equations at a point.
    pub fn at(&self, x: &[f64], constraints: usize) -> Local {
        let mut values = vec![0.0; self.outputs.len()];
        let arguments = arguments(self.system, self.t, x, &[]);
        self.tape.eval(&arguments, &mut Workspace::default(), &mut values);
        let (n, m) = (x.len(), constraints);
        let mut local = Local {
            force: DVector::zeros(n),
            force_size: DVector::zeros(n),
            level: DVector::zeros(m),
            level_size: DVector::zeros(m),
            jacobian: DMatrix::zeros(m, n),
            slopes: DMatrix::zeros(n, n),
            second: Vec::new(),
        };
        for (output, &v) in self.outputs.iter().zip(&values) {
            match *output {
                Output::Force(k) => local.force[k] = v,
                Output::ForceSize(k) => local.force_size[k] = v,
                Output::Level(b) => local.level[b] = v,
                Output::LevelSize(b) => local.level_size[b] = v,
                Output::Gradient(b, j) => local.jacobian[(b, j)] = v,
                Output::Slope(i, j) => local.slopes[(i, j)] = v,
                Output::Second(b, i, j) => local.second.push((b, i, j, v)),
            }
        }
        local
    }

    fn scaled(&self, local: &Local, lambda: &DVector<f64>, scales: &Scales) -> Scaled {
        let (n, m) = (local.force.len(), local.level.len());
        let w = &scales.width;
        let positive = |v: f64| if v > 0.0 && v.is_finite() { v } else { 1.0 };
        let level_unit = DVector::from_fn(m, |b, _| {
            positive((0..n).map(|k| local.jacobian[(b, k)].abs() * w[k]).sum())
        });
        let stiffness = local.stiffness(lambda);
        let pushed = local.jacobian.transpose() * lambda;
        let carried = local.jacobian.abs().transpose() * lambda.abs();
        let work = |v: &DVector<f64>| v.component_mul(w).amax();
        let bent = (0..n)
            .flat_map(|i| (0..n).map(move |j| (i, j)))
            .map(|(i, j)| stiffness[(i, j)].abs() * w[i] * w[j])
            .fold(0.0, f64::max);
        let energy = positive(work(&local.force_size).max(work(&carried)).max(bent));
        let multiplier_unit = DVector::from_fn(m, |b, _| energy / level_unit[b]);
        let mut matrix = DMatrix::zeros(n + m, n + m);
        let mut right = DVector::zeros(n + m);
        let mut miss = 0.0_f64;
        for i in 0..n {
            for j in 0..n {
                matrix[(i, j)] = stiffness[(i, j)] * w[i] * w[j] / energy;
            }
            for b in 0..m {
                let v = local.jacobian[(b, i)] * w[i] / level_unit[b];
                matrix[(i, n + b)] = -v;
                matrix[(n + b, i)] = v;
            }
            let rest = local.force[i] - pushed[i];
            right[i] = rest * w[i] / energy;
            let terms = local.force_size[i] + carried[i];
            if rest != 0.0 {
                miss = miss.max(rest.abs() / positive(terms));
            }
        }
        for b in 0..m {
            right[n + b] = local.level[b] / level_unit[b];
            if local.level[b] != 0.0 {
                miss = miss.max(local.level[b].abs() / positive(local.level_size[b]));
            }
        }
        Scaled {
            matrix,
            right,
            multiplier_unit,
            miss,
        }
    }

    /// Newton's method in coordinates and multipliers; steps of least norm where the matrix is singular.
    pub fn settle(&self, start: &[f64], scales: &Scales, constraints: usize) -> Option<Settled> {
        let (n, m) = (start.len(), constraints);
        let mut x = start.to_vec();
        let mut local = self.at(&x, m);
        if !local.is_finite() {
            return None;
        }
        let mut lambda = local.multipliers(scales);
        let mut correction = vec![f64::INFINITY; n];
        let mut last = f64::INFINITY;
        for _ in 0..STEPS {
            let scaled = self.scaled(&local, &lambda, scales);
            if scaled.miss == 0.0 && correction.iter().all(|c| c.is_finite()) {
                break;
            }
            let mut step = solve(&scaled.matrix, &scaled.right)?;
            let longest = (0..n).map(|k| step[k].abs()).fold(0.0, f64::max);
            if !longest.is_finite() {
                return None;
            }
            let settled = scaled.miss <= RESIDUAL && longest >= 0.9 * last && last < 1e-3;
            if settled {
                break;
            }
            if longest > LONGEST {
                step *= LONGEST / longest;
            }
            for k in 0..n {
                correction[k] = step[k] * scales.width[k];
                x[k] -= correction[k];
            }
            for b in 0..m {
                lambda[b] -= step[n + b] * scaled.multiplier_unit[b];
            }
            local = self.at(&x, m);
            if !local.is_finite() {
                return None;
            }
            last = longest;
            if longest <= 1e-16 {
                break;
            }
        }
        let scaled = self.scaled(&local, &lambda, scales);
        let close = last.is_infinite() || last < 1e-3;
        (scaled.miss <= RESIDUAL && close).then(|| Settled {
            lambda: local.multipliers(scales),
            correction: correction
                .into_iter()
                .map(|c| if c.is_finite() { c } else { 0.0 })
                .collect(),
            x,
        })
    }

    /// Is the point a solution to rounding, with these multipliers?
    pub fn holds(&self, x: &[f64], lambda: &DVector<f64>, scales: &Scales) -> bool {
        let local = self.at(x, lambda.len());
        local.is_finite() && self.scaled(&local, lambda, scales).miss <= 1e-8
    }

    /// A direction (in coordinates) along which solutions go on, where the point is one of a family.
    pub fn family(&self, found: &Settled, scales: &Scales) -> Option<DVector<f64>> {
        let (n, m) = (found.x.len(), found.lambda.len());
        let local = self.at(&found.x, m);
        let scaled = self.scaled(&local, &found.lambda, scales);
        for direction in null_directions(&scaled.matrix, n, 1e-5) {
            for sign in [1.0, -1.0] {
                let start: Vec<f64> = (0..n)
                    .map(|k| found.x[k] + sign * ALONG * direction[k] * scales.width[k])
                    .collect();
                let Some(next) = self.settle(&start, scales, m) else {
                    continue;
                };
                let moved = (0..n)
                    .map(|k| ((next.x[k] - found.x[k]) / scales.width[k]).abs())
                    .fold(0.0, f64::max);
                let near = (0..n)
                    .map(|k| ((next.x[k] - start[k]) / scales.width[k]).abs())
                    .fold(0.0, f64::max);
                // it stays near where it was put, and is singular along the way there too
                if moved > 0.5 * ALONG * direction.amax() && near < 0.5 * ALONG {
                    let there = self.scaled(&self.at(&next.x, m), &next.lambda, scales);
                    if !null_directions(&there.matrix, n, 1e-5).is_empty() {
                        return Some(DVector::from_fn(n, |k, _| direction[k] * scales.width[k]));
                    }
                }
            }
        }
        None
    }

    /// Do solutions go on from one point to another?
    pub fn are_joined(&self, from: &Settled, to: &[f64], scales: &Scales) -> bool {
        let n = to.len();
        let mut at = from.clone();
        let distance = |a: &[f64]| {
            (0..n)
                .map(|k| ((a[k] - to[k]) / scales.width[k]).powi(2))
                .sum::<f64>()
                .sqrt()
        };
        for _ in 0..200 {
            let left = distance(&at.x);
            if left < 1e-6 {
                return true;
            }
            let part = (0.5 * ALONG / left).min(1.0);
            let start: Vec<f64> = (0..n).map(|k| at.x[k] + part * (to[k] - at.x[k])).collect();
            let Some(next) = self.settle(&start, scales, at.lambda.len()) else {
                return false;
            };
            if distance(&next.x) > left - 1e-3 * part * left {
                return false;
            }
            at = next;
        }
        false
    }
}

/// A solution of least norm where the matrix is singular.
fn solve(matrix: &DMatrix<f64>, right: &DVector<f64>) -> Option<DVector<f64>> {
    let lu = matrix.clone().full_piv_lu();
    let u = lu.u();
    let size = u.nrows().min(u.ncols());
    if size == 0 {
        return Some(DVector::zeros(0));
    }
    let (top, low) = (u[(0, 0)].abs(), u[(size - 1, size - 1)].abs());
    if low > 1e-13 * top
        && let Some(step) = lu.solve(right)
    {
        return Some(step);
    }
    let svd = matrix.clone().try_svd(true, true, f64::EPSILON, 400)?;
    let cut = 1e-13 * svd.singular_values.max();
    svd.solve(right, cut).ok()
}

/// Directions in the coordinates in which a scaled matrix is singular.
fn null_directions(matrix: &DMatrix<f64>, n: usize, part: f64) -> Vec<DVector<f64>> {
    let Some(svd) = matrix.clone().try_svd(false, true, f64::EPSILON, 400) else {
        return Vec::new();
    };
    let Some(v) = svd.v_t else { return Vec::new() };
    let top = svd.singular_values.max();
    let mut list = Vec::new();
    for (k, value) in svd.singular_values.iter().enumerate() {
        let direction = DVector::from_fn(n, |i, _| v[(k, i)]);
        if *value <= part * top && direction.norm() > 1e-3 {
            list.push(direction.normalize());
        }
    }
    list
}
