//! The rank of the constraint Jacobian, and what to do where it is not full at the start.
//!
//! A singular value counts as zero where a change of each coordinate and of t by what is not known of
//! them can make it so. The Jacobian is first scaled to rows and columns of size one, together with
//! what its entries may change by, so that no unit matters.
//!
//! Where the rank is less than m at the start, the constraints near it tell which case it is. If
//! some of the constraints imply the others on a whole neighbourhood, these are *redundant*: the motion
//! is carried on without them. If the gradients are independent round the start, it is a *singular
//! configuration*.

use nalgebra::{DMatrix, DVector};

use super::dynamics::{ConstraintValue, Problem, VelocityValue};
use super::error::{SolverError, combination};
use super::start::Start;
use crate::sparse::{Fixed, Sparse};

/// Units in the last place by which a value is unknown at least.
const ULPS: f64 = 8.0 * f64::EPSILON;
/// Up to this many coordinates the derivatives of J are always taken into account at the start.
const SMALL: usize = 64;
/// Above this ratio of the smallest to the largest pivot, the rank is full without further ado.
const SURELY_FULL: f64 = 1e-5;
/// How far the points near the start lie, relative to the size of the coordinates.
const NEAR: f64 = 1e-3;
/// A constraint that the others imply is satisfied near the start to this part of its terms.
const IMPLIED: f64 = 1e-9;
/// A coefficient of a combination of gradients that counts as zero.
const DEPENDENT: f64 = 1e-9;
/// Points looked at near the start.
const POINTS: usize = 6;

/// Which constraints the dynamics use.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Structure {
    /// All: their gradients are independent.
    Regular,
    /// These rows imply the others; a sentence for each of the others.
    Redundant {
        rows: Vec<usize>,
        notes: Vec<String>,
    },
    /// The rank drops at the start only.
    Singular { rank: usize, around: usize },
}

/// Scales rows and columns of a matrix of absolute values towards size one.
fn scales(size: &DMatrix<f64>) -> (DVector<f64>, DVector<f64>) {
    let (m, n) = size.shape();
    let (mut row, mut column) = (DVector::repeat(m, 1.0), DVector::repeat(n, 1.0));
    for _ in 0..4 {
        for b in 0..m {
            let most = (0..n).fold(0.0_f64, |most, k| most.max(size[(b, k)] * column[k]));
            row[b] = if most > 0.0 { most.recip() } else { 1.0 };
        }
        for k in 0..n {
            let most = (0..m).fold(0.0_f64, |most, b| most.max(size[(b, k)] * row[b]));
            column[k] = if most > 0.0 { most.recip() } else { 1.0 };
        }
    }
    (row, column)
}

/// The rank of J where each entry may be off by `unknown`, and the smallest pivot relative to the
/// largest.
///
/// Gaussian elimination that carries the unknown parts along; a pivot is the largest scaled entry among
/// those that are certain not to be zero.
pub(super) fn rank(jacobian: &DMatrix<f64>, unknown: &DMatrix<f64>) -> (usize, f64) {
    let (m, n) = jacobian.shape();
    if m == 0 {
        return (0, 1.0);
    }
    if jacobian.iter().chain(unknown).any(|e| !e.is_finite()) {
        return (0, 0.0);
    }
    let certain = jacobian.zip_map(unknown, |j, u| if j.abs() > u { j.abs() } else { 0.0 });
    let (row, column) = scales(&certain);
    let scale =
        |matrix: &DMatrix<f64>| DMatrix::from_fn(m, n, |b, k| matrix[(b, k)] * row[b] * column[k]);
    let mut a = scale(jacobian);
    let mut u = scale(unknown) + a.abs() * (4.0 * f64::EPSILON);
    let (mut rows, mut columns): (Vec<usize>, Vec<usize>) = ((0..m).collect(), (0..n).collect());
    let (mut rank, mut first, mut last) = (0, 0.0, 0.0);
    while !rows.is_empty() {
        let mut pivot = None;
        let mut largest = 0.0;
        for (i, &b) in rows.iter().enumerate() {
            for (l, &k) in columns.iter().enumerate() {
                let size = a[(b, k)].abs();
                if size > u[(b, k)] && size > largest {
                    (largest, pivot) = (size, Some((i, l)));
                }
            }
        }
        let Some((i, l)) = pivot else {
            return (rank, 0.0);
        };
        let (p, q) = (rows.swap_remove(i), columns.swap_remove(l));
        if rank == 0 {
            first = largest;
        }
        (rank, last) = (rank + 1, largest);
        for &b in &rows {
            let factor = a[(b, q)] / a[(p, q)];
            let doubt = (u[(b, q)] + factor.abs() * u[(p, q)]) / largest;
            for &k in &columns {
                let change = factor * a[(p, k)];
                a[(b, k)] -= change;
                u[(b, k)] += factor.abs() * u[(p, k)]
                    + a[(p, k)].abs() * doubt
                    + f64::EPSILON * change.abs();
            }
        }
    }
    (rank, last / first)
}

/// What the entries of J may be off by when each coordinate is known to `spread` only (t to rounding).
pub(super) fn unknown(
    problem: &Problem<'_>,
    (t, x): (f64, &[f64]),
    spread: &[f64],
) -> DMatrix<f64> {
    let (n, m) = (
        problem.dynamics.coordinates(),
        problem.dynamics.constraints(),
    );
    let (mut here, mut there) = (ConstraintValue::new(n, m), ConstraintValue::new(n, m));
    problem.dynamics.constraint(t, x, &mut here);
    let mut sum = here.jacobian.abs() * ULPS;
    let mut moved = x.to_vec();
    let sizes = sizes(x);
    let mut add = |there: &ConstraintValue, factor: f64| {
        if there.jacobian.iter().all(|e| e.is_finite()) {
            sum += (&there.jacobian - &here.jacobian).abs() * factor;
        }
    };
    for k in 0..n {
        let step = (1e-6 * sizes[k]).max(spread[k]);
        moved[k] = x[k] + step;
        problem.dynamics.constraint(t, &moved, &mut there);
        add(&there, spread[k] / step);
        moved[k] = x[k];
    }
    let step = 1e-6 * t.abs().max(1.0);
    problem.dynamics.constraint(t + step, x, &mut there);
    add(&there, ULPS * t.abs() / step);
    sum
}

/// The size of each coordinate, for steps off a point: its own, or a part of the largest.
pub(super) fn sizes(x: &[f64]) -> Vec<f64> {
    let most = x.iter().fold(0.0_f64, |most, e| most.max(e.abs()));
    let least = if most > 0.0 { 0.01 * most } else { 1.0 };
    x.iter().map(|e| e.abs().max(least)).collect()
}

/// What a start's coordinates are known to: a few units in the last place, or the last correction.
pub(super) fn spread(x: &[f64], correction: &[f64]) -> Vec<f64> {
    x.iter()
        .zip(correction)
        .map(|(x, c)| (ULPS * x.abs()).max(*c))
        .collect()
}

/// Looks at the rank of the Jacobian at the start and round it.
pub(super) fn structure(
    problem: &Problem<'_>,
    t: f64,
    x: &[f64],
    correction: &[f64],
) -> Result<Structure, SolverError> {
    let (n, m) = (
        problem.dynamics.coordinates(),
        problem.dynamics.constraints(),
    );
    let mut here = ConstraintValue::new(n, m);
    problem.dynamics.constraint(t, x, &mut here);
    if let Some(b) = here.not_finite() {
        let what = format!("the constraint `{}` or its gradient", problem.constraint(b));
        return Err(SolverError::NotFinite { what, t });
    }
    if n > SMALL
        && (far_from_each_other(&here.jacobian)
            || rank(&here.jacobian, &DMatrix::zeros(m, n)).1 > SURELY_FULL)
    {
        return Ok(Structure::Regular);
    }
    let doubt = unknown(problem, (t, x), &spread(x, correction));
    let (rank_here, _) = rank(&here.jacobian, &doubt);
    if rank_here == m {
        return Ok(Structure::Regular);
    }
    let (rows, combinations) = independent(&here.jacobian, &doubt);
    let mut around = rank_here;
    let mut implied = rows.len() == rank_here;
    let mut looked = 0;
    for point in 0..POINTS {
        let Some((place, moment)) = near(problem, (t, x), &rows, point) else {
            continue;
        };
        looked += 1;
        problem.dynamics.constraint(moment, &place, &mut here);
        let left: Vec<usize> = (0..m).filter(|b| !rows.contains(b)).collect();
        implied &= left
            .iter()
            .all(|&b| here.residual[b].abs() <= IMPLIED * here.scale[b]);
        // a step of NEAR changes what is not constant by much more than this
        let fuzz = here.jacobian.abs() * (NEAR * NEAR);
        around = around.max(rank(&here.jacobian, &fuzz).0);
    }
    if !implied || around > rank_here || looked == 0 {
        return Ok(Structure::Singular {
            rank: rank_here,
            around,
        });
    }
    let notes = combinations
        .iter()
        .map(|(b, parts)| sentence(problem, *b, parts))
        .collect();
    Ok(Structure::Redundant { rows, notes })
}

/// W = [J; A] for the constraints and velocity constraints in use, and the right sides `f_t` and b.
pub(super) fn rows_at(
    problem: &Problem<'_>,
    (rows, velocity): (&[usize], &[usize]),
    (t, x): (f64, &[f64]),
) -> (DMatrix<f64>, DVector<f64>) {
    let dynamics = problem.dynamics;
    let n = dynamics.coordinates();
    let mut value = ConstraintValue::new(n, dynamics.constraints());
    let mut speeds = VelocityValue::new(n, dynamics.velocity_constraints());
    dynamics.constraint(t, x, &mut value);
    dynamics.velocity(t, x, &mut speeds);
    let r = rows.len();
    let both = DMatrix::from_fn(r + velocity.len(), n, |b, k| match rows.get(b) {
        Some(&row) => value.jacobian[(row, k)],
        None => speeds.rows[(velocity[b - r], k)],
    });
    let right = DVector::from_fn(r + velocity.len(), |b, _| match rows.get(b) {
        Some(&row) => value.f_t[row],
        None => speeds.b[velocity[b - r]],
    });
    (both, right)
}

/// What the entries of W may be off by when each coordinate is known to `spread` only (t to rounding).
pub(super) fn unknown_rows(
    problem: &Problem<'_>,
    in_use: (&[usize], &[usize]),
    (t, x): (f64, &[f64]),
    spread: &[f64],
) -> DMatrix<f64> {
    let (here, _) = rows_at(problem, in_use, (t, x));
    let mut sum = here.abs() * ULPS;
    let mut add = |there: &DMatrix<f64>, factor: f64| {
        if there.iter().all(|e| e.is_finite()) {
            sum += (there - &here).abs() * factor;
        }
    };
    let sizes = sizes(x);
    let mut moved = x.to_vec();
    for k in 0..x.len() {
        let step = (1e-6 * sizes[k]).max(spread[k]);
        moved[k] = x[k] + step;
        add(&rows_at(problem, in_use, (t, &moved)).0, spread[k] / step);
        moved[k] = x[k];
    }
    let step = 1e-6 * t.abs().max(1.0);
    add(
        &rows_at(problem, in_use, (t + step, x)).0,
        ULPS * t.abs() / step,
    );
    sum
}

/// The velocity constraints at the start beside the constraints `rows` in use, which are independent. One whose
/// row is a combination of the others' on a whole neighbourhood, right sides included, is redundant.
pub(super) fn velocity_structure(
    problem: &Problem<'_>,
    rows: &[usize],
    start: &Start,
) -> Result<Structure, SolverError> {
    let (t, x) = (start.t, start.x.as_slice());
    let (r, m) = (rows.len(), problem.dynamics.constraints());
    let all: Vec<usize> = (0..problem.dynamics.velocity_constraints()).collect();
    if all.is_empty() {
        return Ok(Structure::Regular);
    }
    let (both, right) = rows_at(problem, (rows, &all), (t, x));
    if let Some(j) = (0..all.len())
        .find(|&j| !right[r + j].is_finite() || both.row(r + j).iter().any(|e| !e.is_finite()))
    {
        let what = format!("the velocity constraint `{}`", problem.constraint(m + j));
        return Err(SolverError::NotFinite { what, t });
    }
    let doubt = unknown_rows(problem, (rows, &all), (t, x), &spread(x, &start.correction));
    let (kept, combinations) = independent(&both, &doubt);
    if kept.len() == both.nrows() {
        return Ok(Structure::Regular);
    }
    let kept: Vec<usize> = kept
        .into_iter()
        .filter(|&b| b >= r)
        .map(|b| b - r)
        .collect();
    let rank_here = r + kept.len();
    let (mut around, mut implied, mut looked) = (rank_here, true, 0);
    for point in 0..POINTS {
        let Some((place, moment)) = near(problem, (t, x), rows, point) else {
            continue;
        };
        looked += 1;
        let (both, right) = rows_at(problem, (rows, &all), (moment, &place));
        let fuzz = both.abs() * (NEAR * NEAR);
        around = around.max(rank(&both, &fuzz).0);
        // the right sides belong to the combination too
        let n = both.ncols();
        let mut whole = both.insert_column(n, 0.0);
        whole.set_column(n, &right);
        let fuzz = whole.abs() * (NEAR * NEAR);
        implied &= rank(&whole, &fuzz).0 == rank_here;
    }
    if !implied || around > rank_here || looked == 0 {
        return Ok(Structure::Singular {
            rank: rank_here,
            around,
        });
    }
    let left = combinations.iter().map(|(b, _)| {
        format!(
            "the velocity constraint `{}` is redundant: the others imply it; the motion is that without it, the multipliers are those of least norm",
            problem.constraint(m + b - r)
        )
    });
    Ok(Structure::Redundant {
        notes: left.collect(),
        rows: kept,
    })
}

/// Whether the rows of a large J, scaled to length one, are surely independent: the pivots of J J^T are the
/// squares of the distances of the rows from the span of those before them.
fn far_from_each_other(jacobian: &DMatrix<f64>) -> bool {
    let sparse = Sparse::new(jacobian);
    let lengths: Vec<f64> = jacobian.row_iter().map(|row| row.norm()).collect();
    let gram = sparse.unscaled(&lengths).gram();
    let places = |(b, row): (usize, &Vec<(usize, f64)>)| -> Vec<(usize, usize)> {
        row.iter().map(|e| (b, e.0)).collect()
    };
    let places: Vec<(usize, usize)> = gram.rows.iter().enumerate().flat_map(places).collect();
    let mut fixed = Fixed::new(gram.rows.len(), &places);
    for (slot, e) in fixed.values().iter_mut().zip(gram.rows.iter().flatten()) {
        *slot = e.1;
    }
    fixed.factor() > SURELY_FULL * SURELY_FULL
}

/// A combination of rows: each with its coefficient.
type Combination = Vec<(usize, f64)>;

/// An independent set of rows, earlier ones first, and the others as combinations of them.
fn independent(
    jacobian: &DMatrix<f64>,
    doubt: &DMatrix<f64>,
) -> (Vec<usize>, Vec<(usize, Combination)>) {
    let (m, n) = jacobian.shape();
    let mut rows: Vec<usize> = Vec::new();
    for b in 0..m {
        rows.push(b);
        if rank(&jacobian.select_rows(&rows), &doubt.select_rows(&rows)).0 < rows.len() {
            rows.pop();
        }
    }
    if rows.is_empty() {
        return (rows, (0..m).map(|b| (b, Vec::new())).collect());
    }
    let (row, column) = scales(&jacobian.abs());
    let scaled = DMatrix::from_fn(m, n, |b, k| jacobian[(b, k)] * row[b] * column[k]);
    let svd = scaled.select_rows(&rows).transpose().svd(true, true);
    let mut combinations = Vec::new();
    for b in (0..m).filter(|b| !rows.contains(b)) {
        let target = scaled.row(b).transpose();
        let parts = svd
            .solve(&target, 1e-12)
            .unwrap_or_else(|_| DVector::zeros(rows.len()));
        let list = rows
            .iter()
            .zip(&parts)
            .map(|(&c, p)| (c, p * row[c] / row[b]));
        combinations.push((b, list.filter(|(_, p)| p.abs() > DEPENDENT).collect()));
    }
    (rows, combinations)
}

/// A point near (t, x) where the constraints `rows` are satisfied.
fn near(
    problem: &Problem<'_>,
    (t, x): (f64, &[f64]),
    rows: &[usize],
    point: usize,
) -> Option<(Vec<f64>, f64)> {
    let (n, m) = (
        problem.dynamics.coordinates(),
        problem.dynamics.constraints(),
    );
    let sizes = sizes(x);
    let moment = if point.is_multiple_of(2) {
        t
    } else {
        t + NEAR * 0.1 * t.abs().max(1.0)
    };
    let mut place: Vec<f64> = (0..n)
        .map(|k| x[k] + NEAR * sizes[k] * super::start::number(point * n + k, point + 1))
        .collect();
    let mut value = ConstraintValue::new(n, m);
    for _ in 0..30 {
        problem.dynamics.constraint(moment, &place, &mut value);
        if value.not_finite().is_some() {
            return None;
        }
        if rows
            .iter()
            .all(|&b| value.residual[b].abs() <= 1e-12 * value.scale[b])
        {
            return Some((place, moment));
        }
        if rows.is_empty() {
            return Some((place, moment));
        }
        let j = value.jacobian.select_rows(rows);
        let r = DVector::from_iterator(rows.len(), rows.iter().map(|&b| value.residual[b]));
        let dx = j.svd(true, true).solve(&r, 1e-14).ok()?;
        place.iter_mut().zip(&dx).for_each(|(x, d)| *x -= d);
    }
    None
}

/// `the constraint `b` is redundant: its gradient is 2 times that of `a` ...`.
fn sentence(problem: &Problem<'_>, b: usize, parts: &Combination) -> String {
    let name = problem.constraint(b);
    if parts.is_empty() {
        return format!("the constraint `{name}` is redundant: its gradient is zero");
    }
    let terms = parts
        .iter()
        .map(|(c, factor)| (*factor, format!("grad {}", problem.constraint(*c))));
    let sum = combination(terms);
    format!(
        "the constraint `{name}` is redundant: grad {name} = {sum} at the start; the motion is that without it, \
         the multipliers are those of least norm"
    )
}
