//! Where branches turn, meet and lose their stability.
//!
//! With psi a vector of length 1, in the unknowns y = (z, p), psi and beta,
//!
//! ```text
//! G = 0,  psi dG/dz = 0,  psi.psi = 1                  a fold
//! G + beta psi_0 = 0,  psi dG/dy = 0,  psi.psi = 1     a branch point, where beta = 0
//! ```
//!
//! are regular at a fold that is quadratic and at a branch point of two branches (A. Griewank and G. W. Reddien, 1984), so that
//! Newton's method gives all digits. Along the two branches through a branch point
//!
//! ```text
//! sum a_ij s_i s_j = 0,   a_ij = v_i d2(psi.G)/dy2 v_j,   v_1, v_2 a basis of ker dG/dy
//! ```

use super::Place;
use super::curve::{Corrected, Curve, FOUND, Local};
use crate::geometry::{null_vectors, number};
use nalgebra::{Complex, DMatrix, DVector};

/// Newton steps.
const STEPS: usize = 20;
/// Steps of a bracket of a function of one number.
const HALVINGS: usize = 80;
/// Where the curve is not solved for in the middle of a bracket it is tried this part of the bracket from its beginning.
const BESIDE: f64 = 0.382;
/// An eigenvalue of the stiffness below this part of the unit of work may be zero.
const FAINT: f64 = 1e-9;
/// An exponent whose real part is below this part of the largest is imaginary,
const REAL: f64 = 1e-6;
/// unless it is alone: no other is nearer to it than the second part; then it is known to rounding, far below the third.
const ALONE: f64 = 1e-3;
const AXIS: f64 = 1e-12;
/// Real parts are known to this part of the largest exponent.
const ROUNDED: f64 = 32.0 * f64::EPSILON;
/// A slope of this part of the units is none: the branch stands upright.
pub(super) const UPRIGHT: f64 = 1e-6;
/// Slopes of this part of the units are none at a branch point.
const NOTHING: f64 = 1e-5;
/// (second derivatives along them of this part of all that there are are none)
const NO_FORM: f64 = 1e-8;
/// The branches through it are two where the form of them is about the same this far off.
const OFF: f64 = 1e-5;
/// Where more than two branches meet they are looked for so far off, in parts of the units,
pub(super) const AROUND: f64 = 3e-4;
/// no farther from where they are looked for than this part of it,
const NEAR: f64 = 0.3;
/// (in a kernel of four dimensions and more in so many directions,
const SCATTERED: usize = 600;
/// of more than so many in none)
const MOST_DIMENSIONS: usize = 8;
/// and two ways that have more than this in common are one.
const ALIKE: f64 = 0.999;
/// What beta may be at a branch point.
const OPEN: f64 = 1e-7;

/// A place and by how much Newton's method moved it last, in parts of the units.
pub(super) struct Found {
    /// The unknowns.
    pub(super) y: DVector<f64>,
    /// The last step.
    pub(super) blur: f64,
}

/// What is looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Singular {
    /// dG/dz loses rank.
    Fold,
    /// dG/dy does.
    Branch,
}

/// The fold or branch point near a guess.
pub(super) fn singular(curve: &Curve, guess: &DVector<f64>, kind: Singular) -> Option<Found> {
    let size = curve.size();
    let equations = size - 1;
    let (closed, extra) = match kind {
        Singular::Fold => (equations, 0),
        Singular::Branch => (size, 1),
    };
    let mut y = guess.clone();
    let mut local = curve.at(&y)?;
    let mut psi = left_null(&local, closed)?;
    let first = psi.clone();
    let mut beta = 0.0;
    let mut last = f64::INFINITY;
    for _ in 0..STEPS {
        // unknowns y, beta where there is one, psi
        let all = size + extra + equations;
        let mut matrix = DMatrix::zeros(all, all);
        let mut right = DVector::zeros(all);
        let slopes = local.slopes.columns(0, closed).transpose();
        matrix
            .view_mut((0, 0), (equations, size))
            .copy_from(&local.slopes);
        right
            .rows_mut(0, equations)
            .copy_from(&(&local.values + &first * beta));
        if extra == 1 {
            matrix.view_mut((0, size), (equations, 1)).copy_from(&first);
        }
        let bent = curve.bent(&y, &local, &psi);
        matrix
            .view_mut((equations, 0), (closed, size))
            .copy_from(&bent.rows(0, closed));
        matrix
            .view_mut((equations, size + extra), (closed, equations))
            .copy_from(&slopes);
        right
            .rows_mut(equations, closed)
            .copy_from(&(&slopes * &psi));
        for (j, v) in psi.iter().enumerate() {
            matrix[(all - 1, size + extra + j)] = 2.0 * v;
        }
        right[all - 1] = psi.norm_squared() - 1.0;
        let step = matrix.lu().solve(&right)?;
        let length = curve.length(&step.rows(0, size).into_owned());
        if !length.is_finite() || length > 0.5 {
            return None;
        }
        y -= step.rows(0, size).component_mul(&local.columns);
        if extra == 1 {
            beta -= step[size];
        }
        psi -= step.rows(size + extra, equations);
        // psi is in units that may change on the way
        let (before, next) = (local.rows.clone(), curve.at(&y)?);
        psi = psi.component_mul(&before).component_div(&next.rows);
        local = next;
        if length <= f64::EPSILON || length >= 0.5 * last && last < 1e-9 {
            return (beta.abs() < OPEN).then_some(Found { y, blur: length });
        }
        last = length;
    }
    (last < 1e-9 && beta.abs() < OPEN).then_some(Found { y, blur: last })
}

/// The vector that the first columns of dG/dy leave least.
fn left_null(local: &Local, columns: usize) -> Option<DVector<f64>> {
    let all = null_vectors(&local.slopes.columns(0, columns).transpose(), 1.0)?;
    let last = all.ncols().checked_sub(1)?;
    Some(all.column(last).into_owned())
}

/// ker dG/dy at a branch point, where slopes below this part of the units are none.
fn kernel(local: &Local, nothing: f64) -> Option<DMatrix<f64>> {
    let (equations, size) = local.slopes.shape();
    // beside a slope of 1 that is there for sure: all others may vanish together
    let mut beside = local.slopes.clone().resize(equations + 1, size + 1, 0.0);
    beside[(equations, size)] = 1.0;
    Some(null_vectors(&beside, nothing)?.rows(0, size).into_owned())
}

/// The ways on from a point where more than two branches meet, or where they touch, as far as they are found by Newton's method
/// all round it.
pub(super) fn ways_on(curve: &Curve, y: &DVector<f64>, blur: f64) -> Vec<DVector<f64>> {
    let mut ways: Vec<DVector<f64>> = Vec::new();
    let local = curve.at(y);
    // in the unit of all of the curve: that of the point may be what it is off by
    let null = local
        .as_ref()
        .and_then(|local| kernel(local, NOTHING * curve.largest() / local.energy()));
    let Some((local, null)) = local.zip(null) else {
        return ways;
    };
    let far = AROUND.max(4.0 * blur);
    let across = local.slopes.transpose();
    let regular = (&across * &local.slopes + &null * null.transpose()).lu();
    for part in directions(null.ncols()) {
        let direction = &null * part;
        let mut guess = y + direction.component_mul(&local.columns) * far;
        // across the kernel by what is bent there: where a coordinate is zero all along two of three branches, Newton's method
        // does not leave it
        let bent = curve.at(&guess).map(|there| &across * there.values);
        if let Some(bent) = bent.and_then(|bent| regular.solve(&bent)) {
            guess -= bent.component_mul(&local.columns);
        }
        let Some(found) = curve.correct(&guess, &curve.border(&direction)) else {
            continue;
        };
        let way = (&found.y - y).component_div(&local.columns);
        let way = &way / curve.length(&way);
        let leads =
            found.moved < NEAR * far && ways.iter().all(|own| curve.border(own).dot(&way) < ALIKE);
        // members of a family are no branches
        let stiffness = curve.stiffness(&found.local);
        if leads
            && is_known(curve, &found, &stiffness)
            && negative(curve.largest(), &stiffness).is_some()
        {
            ways.push(way);
        }
    }
    ways
}

/// Is no eigenvalue of the stiffness what it is only because the point is known no better?
fn is_known(curve: &Curve, found: &Corrected, stiffness: &[f64]) -> bool {
    let off = DVector::from_fn(curve.size(), |k, _| if k < curve.n { FOUND } else { 0.0 });
    let off = &found.y + off.component_mul(&found.local.columns);
    curve.at(&off).is_some_and(|there| {
        let there = curve.stiffness(&there);
        let mut pairs = stiffness.iter().zip(&there);
        pairs.all(|(own, other)| (own - other).abs() < own.abs())
    })
}

/// Unit vectors all round.
fn directions(dimension: usize) -> Vec<DVector<f64>> {
    if (4..=MOST_DIMENSIONS).contains(&dimension) {
        let entry = |i: usize, k: usize| number(i, k) + number(k, i + dimension);
        let all = (0..SCATTERED).map(|i| DVector::from_fn(dimension, |k, _| entry(i, k)));
        let axes = (0..2 * dimension).map(|i| {
            let mut axis = DVector::zeros(dimension);
            axis[i / 2] = if i % 2 == 0 { 1.0 } else { -1.0 };
            axis
        });
        return axes.chain(all.map(|way| way.normalize())).collect();
    }
    let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    let all = 0..match dimension {
        2 => 48,
        3 => 200,
        _ => 0,
    };
    let count = all.len() as f64;
    all.map(|k| {
        let k = f64::from(k) + 0.5;
        if dimension == 2 {
            let turn = std::f64::consts::TAU * k / count;
            return DVector::from_vec(vec![turn.cos(), turn.sin()]);
        }
        // on a spiral
        let (height, turn) = (1.0 - 2.0 * k / count, golden * k);
        let radius = (1.0 - height * height).sqrt();
        DVector::from_vec(vec![radius * turn.cos(), radius * turn.sin(), height])
    })
    .collect()
}

/// The ways on from a point, whatever it is: both along a branch that is alone there, else those of all that meet.
pub(super) fn ways(curve: &Curve, y: &DVector<f64>, blur: f64) -> Vec<DVector<f64>> {
    let local = curve.at(y);
    let null = local.and_then(|local| kernel(&local, NOTHING.max(10.0 * blur)));
    if let Some(null) = null.filter(|null| null.ncols() == 1) {
        let way = null.column(0).into_owned();
        let length = curve.length(&way);
        // where the multipliers alone vary nothing goes on
        return if length > UPRIGHT {
            both([way / length])
        } else {
            Vec::new()
        };
    }
    tangents(curve, y, blur).map_or_else(|| ways_on(curve, y, blur), both)
}

/// Both ways along each of these.
pub(super) fn both(tangents: impl IntoIterator<Item = DVector<f64>>) -> Vec<DVector<f64>> {
    let pairs = tangents.into_iter().map(|way| [-&way, way]);
    pairs.flatten().collect()
}

/// The tangents of the two branches through a branch point; `None` where there are not two.
pub(super) fn tangents(curve: &Curve, y: &DVector<f64>, blur: f64) -> Option<[DVector<f64>; 2]> {
    let local = curve.at(y)?;
    let size = curve.size();
    let psi = left_null(&local, size)?;
    let null = kernel(&local, NOTHING.max(10.0 * blur))?;
    if null.ncols() != 2 {
        return None;
    }
    let (u, v) = (null.column(0).into_owned(), null.column(1).into_owned());
    let form = |y: &DVector<f64>| {
        let bent = curve.bent(y, &local, &psi);
        let [a, b, c] = [(&u, &u), (&u, &v), (&v, &v)].map(|(a, b)| a.dot(&(&bent * b)));
        let size = a.abs() + b.abs() + c.abs();
        ([a, b, c], b * b - a * c, size, bent.amax())
    };
    let ([a, b, c], root, size, most) = form(y);
    if root <= 1e-12 * size.powi(2) || size <= NO_FORM.max(100.0 * blur) * most {
        return None;
    }
    // where terms of higher order meet these vanish, and are what the place is off by
    let alike = |one: f64, other: f64| one > 0.5 * other && one < 2.0 * other;
    for way in [&u, &v, &-&u, &-&v] {
        let (_, there, large, _) = form(&(y + way.component_mul(&local.columns) * OFF.max(blur)));
        if !alike(there, root) || !alike(large, size) {
            return None;
        }
    }
    // a s^2 + 2 b s r + c r^2 = 0, the larger root first
    let q = b + root.sqrt().copysign(b);
    let pairs = [(-q, a), (c, -q)];
    let way = |(s, r): (f64, f64)| {
        let way = &u * s + &v * r;
        let length = curve.length(&way);
        (length > 0.0).then(|| way / length)
    };
    Some([way(pairs[0])?, way(pairs[1])?])
}

/// A change of sign is known to this part of the units at best.
const EXACT: f64 = 1e-14;

/// The point where a function of the curve changes its sign between two points of it.
pub(super) fn crossing(
    curve: &Curve,
    (from, to): (&DVector<f64>, &DVector<f64>),
    of: &dyn Fn(&DVector<f64>, &Local) -> f64,
) -> Option<Found> {
    let local = curve.at(from)?;
    let chord = curve.border(&(to - from).component_div(&local.columns));
    let length = curve.length(&chord);
    let at = |part: f64| {
        let guess = from + (to - from) * part;
        let found = curve.correct(&guess, &(&chord / length))?;
        let v = of(&found.y, &found.local);
        v.is_finite().then_some((v, found.y))
    };
    // Illinois: regula falsi that halves the value at an end that stays
    let (mut low, mut high) = ((0.0, at(0.0)?.0), (1.0, at(1.0)?.0));
    if low.1 * high.1 > 0.0 {
        return None;
    }
    let mut stays = 0;
    let mut nearest: Option<Found> = None;
    for step in 0..HALVINGS {
        let secant = low.0 - low.1 * (high.0 - low.0) / (high.1 - low.1);
        let inside = secant > low.0 && secant < high.0 && step % 4 != 3;
        let part = if inside {
            secant
        } else {
            0.5 * (low.0 + high.0)
        };
        let width = high.0 - low.0;
        let blur = width * length;
        // where several eigenvalues vanish the curve is not solved for
        let Some((v, y)) = at(part).or_else(|| at(low.0 + BESIDE * width)) else {
            let y = from + (to - from) * (0.5 * (low.0 + high.0));
            return Some(nearest.unwrap_or(Found { y, blur }));
        };
        if v == 0.0 || blur <= EXACT {
            return Some(Found { y, blur: EXACT });
        }
        nearest = Some(Found { y, blur });
        if (v > 0.0) == (low.1 > 0.0) {
            low = (part, v);
            if stays == 1 {
                high.1 *= 0.5;
            }
            stays = 1;
        } else {
            high = (part, v);
            if stays == 2 {
                low.1 *= 0.5;
            }
            stays = 2;
        }
    }
    let width = high.0 - low.0;
    let (_, y) = at(0.5 * (low.0 + high.0))?;
    Some(Found {
        y,
        blur: width * length,
    })
}

/// How many eigenvalues of a stiffness are negative; none where one may be zero, in this unit of work.
pub(super) fn negative(unit: f64, stiffness: &[f64]) -> Option<usize> {
    let sure = |v: &f64| v.abs() > FAINT * unit;
    let negative = || stiffness.iter().filter(|v| **v < 0.0).count();
    stiffness.iter().all(sure).then(negative)
}

/// How many exponents grow for sure.
pub(super) fn growing(exponents: &[Complex<f64>]) -> usize {
    let top = largest(exponents);
    exponents.iter().filter(|s| s.re > REAL * top).count()
}

/// An exponent at the axis is zero below this part of the largest: a double one is the root of what is left.
const ZERO: f64 = 1e-5;

fn largest(exponents: &[Complex<f64>]) -> f64 {
    exponents.iter().map(|s| s.norm()).fold(0.0, f64::max)
}

/// Where between two points the eigenvalue of the stiffness of this place in their order comes to 0.
pub(super) fn vanishing(
    curve: &Curve,
    ends: (&DVector<f64>, &DVector<f64>),
    place: usize,
) -> Option<Found> {
    crossing(curve, ends, &|_, local| {
        let values = curve.stiffness(local);
        values.get(place).copied().unwrap_or(f64::NAN)
    })
}

/// Where between two points several exponents come to grow.
pub(super) fn oscillating(
    curve: &Curve,
    (from, to): (&DVector<f64>, &DVector<f64>),
) -> Option<(Place, Found)> {
    let list = |y: &DVector<f64>| curve.exponents(y, &curve.at(y)?);
    let (a, b) = (list(from)?, list(to)?);
    let quiet = if growing(&a) < growing(&b) { &a } else { &b };
    let count = growing(quiet);
    let next = |exponents: &[Complex<f64>]| -> f64 {
        let mut reals: Vec<f64> = exponents.iter().map(|s| s.re).collect();
        reals.sort_by(|a, b| b.total_cmp(a));
        reals.get(count).copied().unwrap_or(f64::NAN)
    };
    let meet = next(quiet) >= -REAL * largest(quiet);
    let found = crossing(curve, (from, to), &|y, local| {
        let exponents = curve.exponents(y, local);
        exponents.map_or(f64::NAN, |list| {
            if meet {
                nearest_pair(&list).0
            } else {
                next(&list)
            }
        })
    })?;
    let exponents = list(&found.y)?;
    let place = if meet {
        Place::Flutter(nearest_pair(&exponents).1)
    } else {
        let near = next(&exponents);
        let own = exponents.iter().filter(|s| s.im >= 0.0);
        let nearest = own.min_by(|a, b| (a.re - near).abs().total_cmp(&(b.re - near).abs()))?;
        if nearest.im > ZERO * largest(&exponents) {
            Place::Hopf(nearest.im)
        } else {
            // several are zero together
            Place::Meeting
        }
    };
    Some((place, found))
}

/// Where between two points pairs of exponents that are alone cross the imaginary axis, however weakly they are damped.
/// Equal ones count as one.
pub(super) fn crossing_alone(
    curve: &Curve,
    (from, to): (&DVector<f64>, &DVector<f64>),
    [before, after]: [&[Complex<f64>]; 2],
) -> Vec<(Place, Found)> {
    let apart = |list: &[Complex<f64>], s: Complex<f64>| {
        let others = list.iter().filter(|other| **other != s);
        others
            .map(|other| (other - s).norm())
            .fold(f64::INFINITY, f64::min)
    };
    let nearest = |list: &[Complex<f64>], s: Complex<f64>| {
        let upper = list.iter().copied().filter(|other| other.im > 0.0);
        upper.min_by(|a, b| (a - s).norm().total_cmp(&(b - s).norm()))
    };
    let top = largest(before).max(largest(after));
    let alone = |list: &[Complex<f64>], s: Complex<f64>| {
        s.re.abs() > AXIS * top && apart(list, s) > ALONE * top
    };
    let upper = before.iter().filter(|s| s.im > ALONE * top);
    let pairs = upper.filter_map(|s| {
        let other = nearest(after, *s)?;
        let near = (other - s).norm() < 0.25 * apart(before, *s).min(apart(after, other));
        let crosses = s.re * other.re < 0.0 && near;
        (crosses && alone(before, *s) && alone(after, other)).then_some([*s, other])
    });
    let places = pairs.filter_map(|[s, other]| {
        let middle = (s + other) * 0.5;
        let at = |y: &DVector<f64>, local: &Local| nearest(&curve.exponents(y, local)?, middle);
        let found = crossing(curve, (from, to), &|y, local| {
            at(y, local).map_or(f64::NAN, |s| s.re)
        })?;
        let local = curve.at(&found.y)?;
        let frequency = at(&found.y, &local)?.im;
        // a real part that changes little is zero in more places
        let way = curve.length(&(to - from).component_div(&local.columns));
        let blur = way * ROUNDED * top / (s.re - other.re).abs();
        let blur = found.blur.max(blur);
        Some((Place::Hopf(frequency), Found { blur, ..found }))
    });
    places.collect()
}

/// (s_1 - s_2)^2 of the two exponents that are nearest to each other above the real axis, in parts of their size, and their
/// frequency: smooth where two frequencies meet, negative before.
fn nearest_pair(exponents: &[Complex<f64>]) -> (f64, f64) {
    let top = largest(exponents);
    let upper: Vec<Complex<f64>> = exponents
        .iter()
        .copied()
        .filter(|s| s.im > REAL * top)
        .collect();
    let mut best = (f64::NAN, f64::NAN);
    for (i, a) in upper.iter().enumerate() {
        for b in upper.iter().take(i) {
            let square = (a - b) * (a - b);
            if best.0.is_nan() || square.norm() < best.0.abs() {
                best = (square.re, 0.5 * (a.im + b.im));
            }
        }
    }
    (best.0 / (top * top), best.1)
}
