//! Statics in numbers: Newton's method on f = c, S = J^T lambda, and whether a solution stands alone.
//!
//! All sizes are virtual work: with a width w_k a coordinate, S_k w_k and sum lambda_b J_bk w_k are compared,
//! and f_b with sum |J_bk| w_k. That makes steps and tests independent of units.

use super::equations::{Output, Outputs, Statics, Values};
use crate::expr::{Expr, Tape, is_over};
use crate::geometry::{LeastNorm, largest, null_vectors, shortest, unilateral};
use crate::sparse::{Lu, Sparse, is_large};
use crate::system::System;
use crate::theorem::{arguments, inputs};
use nalgebra::{DMatrix, DVector, Dyn, SymmetricEigen};

/// Newton steps from a start; at a multiple solution each takes a part of the distance.
const STEPS: usize = 120;
/// A step moves no coordinate by more than this part of its width.
const LONGEST: f64 = 0.25;
/// What is left of forces that balance, in parts of them.
const BALANCED: f64 = 1e-9;
/// A step of this part of the widths is the last,
const LAST: f64 = 1e-16;
/// or where solutions are only followed.
const FOLLOWED: f64 = 1e-9;
/// A residual of this part of its terms is none.
const RESIDUAL: f64 = 1e-11;
/// A force of this part of the largest is none.
const NOTHING: f64 = 1e-3;
/// A coordinate near zero is known to the rounding of this part of its width.
const NEAR_ZERO: f64 = 1e-3;
/// Singular values below this part of the largest are zero.
const RANK: f64 = 1e-9;
/// How far a step along a family goes at most, in parts of the width.
const ALONG: f64 = 0.02;
/// How often it is halved.
const HALVINGS: usize = 7;
/// Points that are this close, in parts of the widths, are one.
const MET: f64 = 1e-6;
/// Steps along a family.
const WALK: usize = 600;
/// A singular value below this part of the largest leaves a direction loose: multiple solutions are known
/// to a root of the rounding unit only.
const LOOSE: f64 = 1e-5;

/// A solution that is as many times longer than the right side goes along a direction that is nearly free.
const NEARLY_FREE: f64 = 1e10;
/// Singular values of a small one below this part of the largest are zero.
const SINGULAR: f64 = 1e-13;
/// What is added to the diagonal of a large matrix that is singular.
const STIFFENED: f64 = 1e-7;

/// The equations of statics compiled.
#[derive(Debug)]
pub struct Numeric<'a> {
    system: &'a System,
    tape: Tape,
    outputs: Outputs,
    t: f64,
}

/// The equations at one point.
pub type Local = Values<f64>;

impl Local {
    /// dS/dx - sum lambda_b d2f_b - sum mu_b dA_b/dx.
    pub fn stiffness(&self, lambda: &DVector<f64>) -> DMatrix<f64> {
        self.bent(1.0, lambda)
    }

    /// part dS/dx - sum u_b d2f_b.
    pub fn bent(&self, part: f64, u: &DVector<f64>) -> DMatrix<f64> {
        let mut k = &self.slopes * part;
        self.each_bend(|b, i, j, v| k[(i, j)] -= u[b] * v);
        k
    }

    /// The sum of |d2f_b| over the widths.
    pub fn curvature(&self, constraint: usize, width: &DVector<f64>) -> f64 {
        let own = self.second.iter().filter(|s| s.0 == constraint);
        own.map(|&(_, i, j, v)| v.abs() * width[i] * width[j]).sum()
    }

    /// The sizes of the terms of the stiffness.
    pub fn stiffness_size(&self, lambda: &DVector<f64>) -> DMatrix<f64> {
        let mut k = self.slopes.abs();
        self.each_bend(|b, i, j, v| k[(i, j)] += (lambda[b] * v).abs());
        k
    }

    pub(super) fn is_finite(&self) -> bool {
        let parts = [self.force.as_slice(), self.level.as_slice()];
        parts.iter().all(|p| p.iter().all(|v| v.is_finite()))
            && self.jacobian.iter().all(|v| v.is_finite())
            && self.slopes.iter().all(|v| v.is_finite())
            && self.climbs.iter().all(|v| v.is_finite())
            && self.second.iter().all(|(.., v)| v.is_finite())
            && self.turning.iter().all(|(.., v)| v.is_finite())
    }

    /// The multipliers of least norm for which J^T lambda is nearest to S.
    pub fn multipliers(&self, widths: &Widths) -> DVector<f64> {
        least_multipliers(&self.jacobian, &self.force, widths)
    }

    /// Others that balance S as well where gradients are dependent, and of which none of the `sided` pulls; `None` where there are none.
    pub fn pushing(&self, sided: &[bool], widths: &Widths) -> Option<DVector<f64>> {
        let units = DMatrix::from_diagonal(&widths.map(|w| (w * w).recip()));
        let nothing = DVector::zeros(self.force.len());
        let found = unilateral(&units, (&self.jacobian, sided), (&self.force, &nothing))?;
        let left = self.jacobian.tr_mul(&found.multipliers) - &self.force;
        let size = self.force.component_mul(widths).norm();
        let balanced = left.component_mul(widths).norm() <= BALANCED * size;
        balanced.then_some(found.multipliers)
    }
}

/// The multipliers of least norm for which J^T lambda is nearest to a force.
pub(super) fn least_multipliers(
    jacobian: &DMatrix<f64>,
    force: &DVector<f64>,
    widths: &Widths,
) -> DVector<f64> {
    let (m, n) = jacobian.shape();
    let rows = DMatrix::from_fn(n, m, |k, b| jacobian[(b, k)] * widths[k]);
    let right = force.component_mul(widths);
    if m == 0 || rows.amax() == 0.0 {
        return DVector::zeros(m);
    }
    if is_large(n + m, n + m)
        && let Some(found) = augmented(&rows, &right, &DVector::zeros(m))
    {
        return found.rows(n, m).into_owned();
    }
    // whether they are unique is told in units of the constraints
    let lengths = DVector::from_iterator(m, rows.column_iter().map(|column| column.norm()));
    let mut own = rows.clone();
    for (mut column, length) in own.column_iter_mut().zip(lengths.iter()) {
        column /= if *length > 0.0 { *length } else { 1.0 };
    }
    let unique = LeastNorm::new(&own).filter(|w| w.rank(RANK) == m);
    let found = match unique {
        Some(w) => w
            .along(&right, m)
            .map(|found| found.component_div(&lengths)),
        None => LeastNorm::new(&rows).and_then(|w| w.shortest(&right, RANK)),
    };
    found.unwrap_or_else(|| DVector::zeros(m))
}

/// The width of the region along each coordinate, which is a long way.
pub type Widths = DVector<f64>;

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

/// A step along solutions.
struct Step {
    at: Settled,
    /// where they go on from there
    loose: Vec<DVector<f64>>,
    /// in parts of the widths
    length: f64,
}

/// The equations at a point in the scales of virtual work.
pub(super) struct Scaled {
    pub(super) matrix: DMatrix<f64>,
    pub(super) right: DVector<f64>,
    multiplier_unit: DVector<f64>,
    /// the residual in parts of its terms
    miss: f64,
}

impl<'a> Numeric<'a> {
    /// Compiles the equations of these constraints at one time.
    pub fn new(system: &'a System, statics: &Statics, rows: &[usize], t: f64) -> Self {
        let pool = &system.pool;
        let mut all = statics.outputs(system, rows);
        let sizes = statics.force.iter().enumerate();
        all.extend(sizes.map(|(k, e)| (Output::ForceSize(k), pool.rounding(*e))));
        for (place, &b) in rows.iter().enumerate() {
            let size = match system.constraints.get(b) {
                Some(c) => pool.add(pool.rounding(c.f), pool.rounding(c.c)),
                None => pool.rounding(statics.f_t[b]),
            };
            all.push((Output::LevelSize(place), size));
        }
        let (outputs, list) = Outputs::new(system, rows, all);
        Self {
            system,
            tape: Tape::new(pool, &inputs(system), &list),
            outputs,
            t,
        }
    }

    /// The equations at a point.
    pub fn at(&self, x: &[f64]) -> Local {
        let values = self.tape.values(&arguments(self.system, self.t, x, &[]));
        self.outputs.read(&values, 0.0)
    }

    pub(super) fn scaled(x: &[f64], local: &Local, lambda: &DVector<f64>, w: &Widths) -> Scaled {
        let (n, m) = (local.force.len(), local.level.len());
        let positive = |v: f64| if v > 0.0 && v.is_finite() { v } else { 1.0 };
        let unit = |rows: &DMatrix<f64>| {
            let length = |b| (0..n).map(|k| rows[(b, k)].abs() * w[k]).sum();
            DVector::from_fn(m, |b, _| positive(length(b)))
        };
        let (level_unit, climb_unit) = (unit(&local.jacobian), unit(&local.climbs));
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
        // what rounding the coordinates changes
        let rounded = |slopes: &mut dyn Iterator<Item = &f64>| -> f64 {
            let reach = x.iter().zip(w.iter()).map(|(x, w)| x.abs() + NEAR_ZERO * w);
            slopes.zip(reach).map(|(s, r)| s.abs() * r).sum()
        };
        let mut matrix = DMatrix::zeros(n + m, n + m);
        let mut right = DVector::zeros(n + m);
        let mut miss = 0.0_f64;
        for i in 0..n {
            for j in 0..n {
                matrix[(i, j)] = stiffness[(i, j)] * w[i] * w[j] / energy;
            }
            for b in 0..m {
                matrix[(i, n + b)] = -local.jacobian[(b, i)] * w[i] / level_unit[b];
                matrix[(n + b, i)] = local.climbs[(b, i)] * w[i] / climb_unit[b];
            }
            let rest = local.force[i] - pushed[i];
            right[i] = rest * w[i] / energy;
            // a row in which nothing acts has no terms of its own: rounding of the others is left in it
            let terms = local.force_size[i]
                + carried[i]
                + rounded(&mut stiffness.row(i).iter())
                + NOTHING * energy / w[i];
            if rest != 0.0 {
                miss = miss.max(rest.abs() / positive(terms));
            }
        }
        for b in 0..m {
            right[n + b] = local.level[b] / climb_unit[b];
            if local.level[b] != 0.0 {
                let terms = local.level_size[b]
                    + rounded(&mut local.climbs.row(b).iter())
                    + NOTHING * climb_unit[b];
                miss = miss.max(local.level[b].abs() / positive(terms));
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
    pub fn settle(&self, start: &[f64], widths: &Widths) -> Option<Settled> {
        self.settle_to(LAST, start, widths)
    }

    /// The same up to a step of this part of the widths.
    fn settle_to(&self, last_step: f64, start: &[f64], widths: &Widths) -> Option<Settled> {
        let (n, m) = (start.len(), self.outputs.constraints());
        let mut x = start.to_vec();
        let mut local = self.at(&x);
        if !local.is_finite() {
            return None;
        }
        let mut lambda = local.multipliers(widths);
        let mut correction = vec![f64::INFINITY; n];
        let mut last = f64::INFINITY;
        for _ in 0..STEPS {
            if is_over() {
                return None;
            }
            let scaled = Self::scaled(&x, &local, &lambda, widths);
            if scaled.miss == 0.0 && correction.iter().all(|c| c.is_finite()) {
                break;
            }
            let mut step = solve(&scaled.matrix, &scaled.right)?;
            let longest = largest(step.rows(0, n).iter());
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
                correction[k] = step[k] * widths[k];
                x[k] -= correction[k];
            }
            for b in 0..m {
                lambda[b] -= step[n + b] * scaled.multiplier_unit[b];
            }
            local = self.at(&x);
            if !local.is_finite() {
                return None;
            }
            if longest < 1e-3 {
                // close by, the best multipliers: those of no force are exactly zero
                lambda = local.multipliers(widths);
            }
            last = longest;
            if longest <= last_step {
                break;
            }
        }
        lambda = local.multipliers(widths);
        let scaled = Self::scaled(&x, &local, &lambda, widths);
        let close = last.is_infinite() || last < 1e-3;
        (scaled.miss <= RESIDUAL && close).then(|| Settled {
            lambda,
            correction: correction
                .into_iter()
                .map(|c| if c.is_finite() { c } else { 0.0 })
                .collect(),
            x,
        })
    }

    /// Is the point a solution to rounding, with these multipliers?
    pub fn holds(&self, x: &[f64], lambda: &DVector<f64>, widths: &Widths) -> bool {
        let local = self.at(x);
        local.is_finite() && Self::scaled(x, &local, lambda, widths).miss <= 1e-8
    }

    /// Directions (in parts of the widths) in which the linearised equations do not say where to go.
    pub(super) fn loose(&self, at: &Settled, widths: &Widths) -> Vec<DVector<f64>> {
        let local = self.at(&at.x);
        let scaled = Self::scaled(&at.x, &local, &at.lambda, widths);
        null_directions(&scaled.matrix, at.x.len())
    }

    /// A step along solutions: to the solution near `from + length * direction`, with the length halved
    /// until it is near. The part of the length taken is given too.
    fn step(
        &self,
        from: &Settled,
        direction: &DVector<f64>,
        length: f64,
        widths: &Widths,
    ) -> Option<Step> {
        let n = from.x.len();
        let mut length = length;
        for _ in 0..HALVINGS {
            let start: Vec<f64> = (0..n)
                .map(|k| from.x[k] + length * direction[k] * widths[k])
                .collect();
            if let Some(next) = self.settle_to(FOLLOWED, &start, widths)
                && distance(&next.x, &start, widths) < 0.3 * length
                && distance(&next.x, &from.x, widths) > 0.6 * length
            {
                let loose = self.loose(&next, widths);
                if !loose.is_empty() {
                    return Some(Step {
                        at: next,
                        loose,
                        length,
                    });
                }
            }
            length *= 0.5;
        }
        None
    }

    /// A direction (in coordinates) along which solutions go on, where the point is one of a family; `loose` are those in
    /// which the linearised equations let it.
    pub fn family(
        &self,
        found: &Settled,
        loose: &[DVector<f64>],
        widths: &Widths,
    ) -> Option<DVector<f64>> {
        for direction in loose {
            for sign in [1.0, -1.0] {
                // two steps: a multiple solution that stands alone has no second
                let along = direction * sign;
                let second = self.step(found, &along, ALONG, widths).and_then(|next| {
                    let ahead = unit_between(&found.x, &next.at.x, widths);
                    self.step(&next.at, &ahead, next.length, widths)
                });
                if second.is_some() {
                    return Some(direction.component_mul(widths));
                }
            }
        }
        None
    }

    /// The solutions on the curve through one, as far as it can be followed both ways within twice the box; `None` where they
    /// are no curve.
    pub fn trace(&self, from: &Settled, widths: &Widths) -> Option<Vec<Settled>> {
        let loose = self.loose(from, widths);
        let [first] = loose.as_slice() else {
            return None;
        };
        let mut trace = vec![from.clone()];
        for sign in [1.0, -1.0] {
            let mut at = from.clone();
            let mut ahead = first * sign;
            let mut length = ALONG;
            for step in 0..WALK {
                let Some(next) = self.step(&at, &ahead, length, widths) else {
                    break;
                };
                let way = unit_between(&at.x, &next.at.x, widths);
                let turned = next.loose.first().map(|d| d * d.dot(&way).signum());
                ahead = turned.filter(|d| d.dot(&way) > 0.2).unwrap_or(way);
                at = next.at;
                trace.push(at.clone());
                length = (2.0 * next.length).min(ALONG);
                if step > 3 && distance(&at.x, &from.x, widths) < 0.7 * next.length {
                    return Some(trace);
                }
                if is_away(from, &at, widths) {
                    break;
                }
            }
        }
        Some(trace)
    }

    /// Is a point on a curve that was followed? Angles are turned by whole periods to where the curve is.
    pub fn is_on(
        &self,
        trace: &[Settled],
        (to, periods): (&[f64], &[(usize, f64)]),
        widths: &Widths,
    ) -> bool {
        let mut turned = to.to_vec();
        trace.iter().any(|at| {
            for &(k, period) in periods {
                turned[k] = to[k] + period * ((at.x[k] - to[k]) / period).round();
            }
            let to = turned.as_slice();
            let left = distance(&at.x, to, widths);
            left <= MET
                || left < 1.5 * ALONG && {
                    let aim = unit_between(&at.x, to, widths);
                    let next = self.step(at, &aim, left, widths);
                    next.is_some_and(|next| distance(&next.at.x, to, widths) <= MET)
                }
        })
    }

    /// Do solutions go on from one point to another? The way goes where it comes nearer.
    pub fn are_joined(&self, from: &Settled, to: &[f64], widths: &Widths) -> bool {
        let mut loose = self.loose(from, widths);
        let Some(first) = loose.first() else {
            return false;
        };
        let mut at = from.clone();
        let mut ahead = first.clone();
        let mut length = ALONG;
        for _ in 0..WALK {
            let left = distance(&at.x, to, widths);
            let aim = unit_between(&at.x, to, widths);
            if left <= MET {
                return true;
            }
            let mut direction = DVector::zeros(ahead.len());
            for d in &loose {
                direction += d * d.dot(&aim);
            }
            if direction.norm() < 0.2 {
                direction.copy_from(&ahead);
            }
            direction = direction.normalize();
            // the last step goes right there
            if left < 1.5 * length && direction.dot(&aim) > 0.7 {
                length = left;
                direction.copy_from(&aim);
            }
            let Some(next) = self.step(&at, &direction, length, widths) else {
                return false;
            };
            ahead = unit_between(&at.x, &next.at.x, widths);
            (at, loose) = (next.at, next.loose);
            length = (2.0 * next.length).min(ALONG);
            if is_away(from, &at, widths) {
                return false;
            }
        }
        false
    }
}

/// The values of expressions at rest.
pub(super) fn evaluated(system: &System, list: &[Expr], t: f64, x: &[f64]) -> Vec<f64> {
    let tape = Tape::new(&system.pool, &inputs(system), list);
    tape.values(&arguments(system, t, x, &[]))
}

/// Is a solution two widths away from where it was followed from?
fn is_away(from: &Settled, at: &Settled, widths: &Widths) -> bool {
    let mut pairs = at.x.iter().zip(&from.x).zip(widths.iter());
    pairs.any(|((a, b), w)| (a - b).abs() > 2.0 * w)
}

/// The distance in parts of the widths.
fn distance(a: &[f64], b: &[f64], widths: &Widths) -> f64 {
    let parts = a.iter().zip(b).zip(widths.iter());
    parts
        .map(|((p, q), w)| ((p - q) / w).powi(2))
        .sum::<f64>()
        .sqrt()
}

/// The direction from one point to another in parts of the widths.
fn unit_between(from: &[f64], to: &[f64], widths: &Widths) -> DVector<f64> {
    let n = from.len();
    let way = DVector::from_fn(n, |k, _| (to[k] - from[k]) / widths[k]);
    let length = way.norm();
    if length > 0.0 { way / length } else { way }
}

/// Eigenvalues and vectors of a symmetric matrix; `None` where an entry is no number, or they could not be computed.
pub(super) fn diagonal_form(matrix: &DMatrix<f64>) -> Option<SymmetricEigen<f64, Dyn>> {
    if !matrix.iter().all(|v| v.is_finite()) {
        return None;
    }
    matrix.clone().try_symmetric_eigen(f64::EPSILON, 4000)
}

/// Solves [1 B; B^T 0] (r, z) = (upper, lower) by sparse factors, B in parts of its largest entry: with lower = 0, z are the
/// multipliers that leave least of `upper`, with upper = 0, r is the least with B^T r = lower. `None` where the columns
/// of B are dependent.
pub(super) fn augmented(
    columns: &DMatrix<f64>,
    upper: &DVector<f64>,
    lower: &DVector<f64>,
) -> Option<DVector<f64>> {
    let (n, m) = columns.shape();
    let top = columns.amax();
    if top == 0.0 {
        return None;
    }
    let mut list: Vec<Vec<(usize, f64)>> = (0..n).map(|k| vec![(k, 1.0)]).collect();
    list.resize(n + m, Vec::new());
    for (b, column) in columns.column_iter().enumerate() {
        for (k, v) in column.iter().enumerate().filter(|(_, v)| **v != 0.0) {
            list[k].push((n + b, *v / top));
            list[n + b].push((k, *v / top));
        }
    }
    let matrix = Sparse {
        rows: list,
        columns: n + m,
    };
    let mut right = upper.as_slice().to_vec();
    right.extend(lower.iter().map(|v| v / top));
    let mut found = solve_sparse(&matrix, &right)?;
    for z in &mut found[n..] {
        *z /= top;
    }
    Some(DVector::from_vec(found))
}

/// A solution of a regular sparse system; `None` where it is singular or nearly so.
fn solve_sparse(matrix: &Sparse, right: &[f64]) -> Option<Vec<f64>> {
    let found = Lu::new(matrix)?.solve(right);
    let again = matrix.times(&found);
    let missed = again.iter().zip(right).map(|(a, b)| (a - b).abs());
    let missed = missed.fold(0.0, f64::max);
    // entries are about 1: what is so much longer is a direction that is nearly free
    let good = found.iter().all(|v| v.is_finite())
        && largest(&found) <= NEARLY_FREE * largest(right)
        && missed <= 1e-6 * largest(right);
    good.then_some(found)
}

/// A solution of least norm where the matrix is singular; of large matrices one that is nearly so.
pub(super) fn solve(matrix: &DMatrix<f64>, right: &DVector<f64>) -> Option<DVector<f64>> {
    let n = matrix.nrows();
    if is_large(n, n) {
        let mut sparse = Sparse::new(matrix);
        if let Some(found) = solve_sparse(&sparse, right.as_slice()) {
            return Some(DVector::from_vec(found));
        }
        // a little stiffness of its own for each unknown: what nothing holds then stays
        for (k, row) in sparse.rows.iter_mut().enumerate() {
            match row.binary_search_by_key(&k, |e| e.0) {
                Ok(place) => row[place].1 += STIFFENED,
                Err(place) => row.insert(place, (k, STIFFENED)),
            }
        }
        return solve_sparse(&sparse, right.as_slice()).map(DVector::from_vec);
    }
    shortest(matrix, right, SINGULAR)
}

/// Directions in the coordinates in which a scaled matrix is singular.
fn null_directions(matrix: &DMatrix<f64>, n: usize) -> Vec<DVector<f64>> {
    let Some(null) = null_vectors(matrix, LOOSE) else {
        return Vec::new();
    };
    null.column_iter()
        .map(|v| v.rows(0, n).into_owned())
        .filter(|direction| direction.norm() > 1e-3)
        .map(|direction| direction.normalize())
        .collect()
}
