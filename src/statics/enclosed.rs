//! Matrices of real numbers known to lie in intervals, as middle and radius.
//!
//! ```text
//! A = <M, R>  stands for every real A with |A - M| <= R, entry by entry
//! A B  lies in  <fl(M N), R (|N| + S) + |M| S + n u |M| |N|>          B = <N, S>
//! ```
//!
//! The products of middles are ordinary ones, so that large matrices cost what they cost in numbers; all
//! radii are blown up by what rounding them takes. An entry whose radius is zero is exact. Sources: S. M. Rump, Verification
//! methods (Acta Numerica 2010), section 10; N. J. Higham, Accuracy and Stability of Numerical Algorithms, section 3.5.

use crate::expr::{Interval, calculate};
use crate::geometry::balance;
use crate::interval::largest;
use nalgebra::{DMatrix, DVector};

/// What products of this size may be off by, a part of the sum of sizes: (n + 2) u, blown up for its own rounding.
fn rounding(length: usize) -> f64 {
    (length as f64 + 3.0) * f64::EPSILON
}

/// Lifts a sum of `length` non-negative terms above its rounding.
fn lift(length: usize) -> f64 {
    1.0 + 2.0 * rounding(length)
}

/// Operations on numbers that a product takes for each of its products of entries.
const PRODUCT: usize = 4;
/// Rounds in which units are looked for.
const ROUNDS: usize = 6;
/// Beside underflow.
const TINY: f64 = 1e-290;

/// A matrix with an error bound for each entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Enclosed {
    /// The middles.
    pub middle: DMatrix<f64>,
    /// How far off they may be, each at least 0.
    pub radius: DMatrix<f64>,
}

impl Enclosed {
    /// Exact entries.
    pub fn exact(middle: DMatrix<f64>) -> Self {
        let radius = DMatrix::zeros(middle.nrows(), middle.ncols());
        Self { middle, radius }
    }

    /// From intervals; `None` where one has no bounds.
    pub fn new(ranges: &DMatrix<Interval>) -> Option<Self> {
        let known = |range: &Interval| !range.is_empty() && range.is_bounded();
        ranges.iter().all(known).then(|| Self {
            middle: ranges.map(Interval::middle),
            radius: ranges.map(radius_of),
        })
    }

    /// Puts a block in the place that begins here.
    pub fn put(&mut self, at: (usize, usize), block: &Self) {
        let size = block.middle.shape();
        self.middle.view_mut(at, size).copy_from(&block.middle);
        self.radius.view_mut(at, size).copy_from(&block.radius);
    }

    /// The interval of an entry.
    pub fn at(&self, i: usize, j: usize) -> Interval {
        let (m, r) = (self.middle[(i, j)], self.radius[(i, j)]);
        Interval::point(m).add(Interval::new(-r, r))
    }

    /// The transpose.
    #[must_use]
    pub fn transpose(&self) -> Self {
        Self {
            middle: self.middle.transpose(),
            radius: self.radius.transpose(),
        }
    }

    /// Some of its columns.
    #[must_use]
    pub fn columns(&self, list: &[usize]) -> Self {
        Self {
            middle: self.middle.select_columns(list),
            radius: self.radius.select_columns(list),
        }
    }

    /// Some of its rows.
    #[must_use]
    pub fn rows(&self, list: &[usize]) -> Self {
        Self {
            middle: self.middle.select_rows(list),
            radius: self.radius.select_rows(list),
        }
    }

    /// The negative.
    #[must_use]
    pub fn neg(&self) -> Self {
        Self {
            middle: -&self.middle,
            radius: self.radius.clone(),
        }
    }

    /// The product.
    #[must_use]
    pub fn times(&self, other: &Self) -> Self {
        let length = self.middle.ncols();
        if self.vanishes() || other.vanishes() {
            return Self::exact(DMatrix::zeros(self.middle.nrows(), other.middle.ncols()));
        }
        calculate(PRODUCT * self.middle.nrows() * length * other.middle.ncols());
        let middle = &self.middle * &other.middle;
        let (m, n) = (self.middle.abs(), other.middle.abs());
        let mut radius = &m * &n * rounding(length);
        if other.radius.amax() > 0.0 {
            radius += &m * &other.radius;
        }
        if self.radius.amax() > 0.0 {
            radius += &self.radius * (n + &other.radius);
        }
        radius *= lift(length + 4);
        let rows: Vec<Vec<usize>> = (0..radius.nrows())
            .map(|i| (0..length).filter(|&k| !self.is_zero(i, k)).collect())
            .collect();
        // what is a sum of nothing is exact; else nothing is lost to underflow
        let radius = DMatrix::from_fn(radius.nrows(), radius.ncols(), |i, j| {
            let empty = radius[(i, j)] == 0.0 && rows[i].iter().all(|&k| other.is_zero(k, j));
            if empty { 0.0 } else { radius[(i, j)] + TINY }
        });
        Self { middle, radius }
    }

    /// The sum.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        let middle = &self.middle + &other.middle;
        let radius = DMatrix::from_fn(middle.nrows(), middle.ncols(), |i, j| {
            let (r, s) = (self.radius[(i, j)], other.radius[(i, j)]);
            let rounded = self.middle[(i, j)] != 0.0 && other.middle[(i, j)] != 0.0;
            let own = if rounded {
                middle[(i, j)].abs() * f64::EPSILON
            } else {
                0.0
            };
            (r + s + own) * lift(3)
        });
        Self { middle, radius }
    }

    /// (A + A^T)/2.
    #[must_use]
    pub fn symmetric(&self) -> Self {
        let sum = self.plus(&self.transpose());
        Self {
            middle: sum.middle * 0.5,
            radius: sum.radius * 0.5,
        }
    }

    fn is_zero(&self, i: usize, j: usize) -> bool {
        self.middle[(i, j)] == 0.0 && self.radius[(i, j)] == 0.0
    }

    /// Is every entry exactly zero?
    pub fn vanishes(&self) -> bool {
        self.middle.iter().all(|v| *v == 0.0) && self.radius.iter().all(|v| *v == 0.0)
    }

    /// Do all entries have bounds?
    pub fn is_finite(&self) -> bool {
        self.middle.iter().all(|v| v.is_finite()) && self.radius.iter().all(|v| v.is_finite())
    }

    /// B^T A B.
    #[must_use]
    pub fn on(&self, basis: &Self) -> Self {
        basis.transpose().times(&self.times(basis))
    }

    /// The solution X of A X = B for every A and B in them; `None` where A could not be shown to be regular.
    ///
    /// With C an inverse of the middle and |1 - C A| <= E of a norm below 1, |X - C B| <= (E + E^2 + ...) |C B|. The norm is
    /// that of the largest row in any units (Rump, section 10.4).
    pub fn solve(&self, right: &Self) -> Option<Self> {
        let n = self.middle.nrows();
        if n == 0 {
            return Some(right.clone());
        }
        let (inverse, columns) = balanced_inverse(self)?;
        let rest = distance_to_one(&inverse, self);
        // any units will do in which the norm is small; what is not known at all may tie rows together that no entry does
        let mut unit = DVector::from_vec(columns);
        for _ in 0..ROUNDS {
            unit = (&rest * &unit * 4.0).sup(&unit);
        }
        let norms = (&rest * &unit).component_div(&unit);
        let norm = norms.max() * lift(n + 4);
        if !norms.iter().all(|v| v.is_finite()) || norm >= 0.5 {
            return None;
        }
        let mut about = Self::exact(inverse).times(right);
        // E + E^2 + ... of what is there, and what is left of that in the norm
        let mut part = about.middle.abs() + &about.radius;
        for _ in 0..ROUNDS {
            part = &rest * part * lift(n + 4);
            about.radius += &part;
        }
        for (column, mut radius) in part.column_iter().zip(about.radius.column_iter_mut()) {
            let size = column.component_div(&unit).max();
            radius += &unit * (2.0 * size * norm);
            radius.apply(|r| *r = *r * lift(ROUNDS + 4) + TINY);
        }
        about.is_finite().then_some(about)
    }

    /// How many eigenvalues of a symmetric matrix are positive and how many negative for sure; `None` is
    /// never said: what is left could not be decided.
    ///
    /// With B = Q^T A Q for numbers Q that nearly diagonalise A, a principal block of B that is diagonally
    /// dominant with a positive diagonal shows as many positive eigenvalues of A (on the span of those columns of Q the
    /// form is positive). No rounding of Q matters.
    pub fn inertia(&self) -> Inertia {
        let d = self.middle.nrows();
        if d == 0 {
            return Inertia::default();
        }
        let middle = (&self.middle + self.middle.transpose()) * 0.5;
        let finite = self.is_finite().then_some(middle);
        let eigen = finite.and_then(|middle| middle.try_symmetric_eigen(f64::EPSILON, 4000));
        let Some(eigen) = eigen else {
            return Inertia {
                open: vec![Interval::ALL; d],
                ..Inertia::default()
            };
        };
        let turned = self.on(&Self::exact(eigen.eigenvectors));
        let range = |i: usize, j: usize| turned.middle[(i, j)].abs() + turned.radius[(i, j)];
        let sure = |sign: f64| -> Vec<usize> {
            let mut list: Vec<usize> = (0..d)
                .filter(|i| sign * turned.middle[(*i, *i)] > turned.radius[(*i, *i)])
                .collect();
            // in units in which the diagonal is 1; the worst row goes until all are dominant
            let unit: Vec<f64> = (0..d)
                .map(|i| turned.middle[(i, i)].abs().sqrt().max(f64::MIN_POSITIVE))
                .collect();
            loop {
                let excess = |i: usize| {
                    let others = list.iter().filter(|j| **j != i);
                    let sum: f64 = others.map(|j| range(i, *j) / unit[*j]).sum();
                    let own = sign * turned.middle[(i, i)] - turned.radius[(i, i)];
                    sum * lift(d + 4) - own / unit[i] * (1.0 - 1e-14)
                };
                match largest(list.iter().copied(), |i| excess(*i)) {
                    Some((i, by)) if by.is_nan() || by >= 0.0 => list.retain(|k| *k != i),
                    _ => return list,
                }
            }
        };
        let (up, down) = (sure(1.0), sure(-1.0));
        let open = (0..d)
            .filter(|i| !up.contains(i) && !down.contains(i))
            .map(|i| {
                let sum: f64 = (0..d).map(|j| range(i, j)).sum::<f64>() - range(i, i);
                let reach = (sum + turned.radius[(i, i)]) * lift(d + 4);
                Interval::point(turned.middle[(i, i)]).add(Interval::new(-reach, reach))
            })
            .collect();
        Inertia {
            positive: up.len(),
            negative: down.len(),
            open,
        }
    }
}

/// The signs of eigenvalues.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inertia {
    /// So many are positive.
    pub positive: usize,
    /// So many are negative.
    pub negative: usize,
    /// About where the others are: their signs could not be decided.
    pub open: Vec<Interval>,
}

impl Inertia {
    /// Are all positive?
    pub fn is_positive(&self) -> bool {
        self.negative == 0 && self.open.is_empty()
    }
}

/// The radius of an interval round its middle.
fn radius_of(range: Interval) -> f64 {
    let m = range.middle();
    let up = Interval::point(range.hi).sub(Interval::point(m)).hi;
    let down = Interval::point(m).sub(Interval::point(range.lo)).hi;
    up.max(down).max(0.0)
}

/// |1 - C A| for numbers C, entry by entry from above.
pub fn distance_to_one(inverse: &DMatrix<f64>, matrix: &Enclosed) -> DMatrix<f64> {
    let n = inverse.nrows();
    let product = Enclosed::exact(inverse.clone()).times(matrix);
    let rest = Enclosed::exact(-DMatrix::identity(n, n)).plus(&product);
    DMatrix::from_fn(n, n, |i, j| {
        (rest.middle[(i, j)].abs() + rest.radius[(i, j)]) * lift(2)
    })
}

/// An inverse in numbers, of the middle balanced first.
pub fn inverse_of(matrix: &Enclosed) -> Option<DMatrix<f64>> {
    balanced_inverse(matrix).map(|(inverse, _)| inverse)
}

/// The same with the units of its rows.
fn balanced_inverse(matrix: &Enclosed) -> Option<(DMatrix<f64>, Vec<f64>)> {
    let middle = &matrix.middle;
    let n = middle.nrows();
    let (rows, columns) = balance(middle, &matrix.radius);
    let scaled = DMatrix::from_fn(n, n, |i, j| rows[i] * middle[(i, j)] * columns[j]);
    let raw = scaled.try_inverse()?;
    let inverse = DMatrix::from_fn(n, n, |i, j| columns[i] * raw[(i, j)] * rows[j]);
    let finite = inverse.iter().all(|v| v.is_finite());
    finite.then_some((inverse, columns))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn matrix(n: usize, seeds: &[f64]) -> DMatrix<f64> {
        DMatrix::from_fn(n, n, |i, j| seeds[(i * n + j) % seeds.len()])
    }

    proptest! {
        #[test]
        fn a_product_holds_every_product(seeds in prop::collection::vec(-3.0_f64..3.0, 25), radius in 0.0_f64..1e-3, t in -1.0_f64..1.0) {
            let n = 5;
            let a = matrix(n, &seeds);
            let blurred = Enclosed { middle: a.clone(), radius: DMatrix::from_element(n, n, radius) };
            let moved = a.map(|v| v + t * radius);
            let square = blurred.times(&blurred);
            let own = &moved * &moved;
            for i in 0..n {
                for j in 0..n {
                    prop_assert!(square.at(i, j).contains(own[(i, j)]));
                }
            }
        }

        #[test]
        fn a_solution_holds_every_solution(seeds in prop::collection::vec(-3.0_f64..3.0, 16), t in -1.0_f64..1.0) {
            let n = 4;
            let radius = 1e-9;
            let a = matrix(n, &seeds) + DMatrix::identity(n, n) * 4.0;
            let right = DMatrix::from_fn(n, 1, |i, _| seeds[i]);
            let blurred = Enclosed { middle: a.clone(), radius: DMatrix::from_element(n, n, radius) };
            let moved = a.map(|v| v + 0.99 * t * radius);
            if let (Some(found), Some(own)) = (blurred.solve(&Enclosed::exact(right.clone())), moved.lu().solve(&right)) {
                for i in 0..n {
                    prop_assert!(found.at(i, 0).contains(own[i]) || found.radius[(i, 0)] > 1.0);
                }
            }
        }

        #[test]
        fn signs_are_said_only_where_they_hold(seeds in prop::collection::vec(-3.0_f64..3.0, 16), values in prop::collection::vec(-1.0_f64..1.0, 4)) {
            let n = 4;
            let q = matrix(n, &seeds).qr().q();
            let a = &q * DMatrix::from_diagonal(&nalgebra::DVector::from_vec(values.clone())) * q.transpose();
            let found = Enclosed::exact(a).inertia();
            let positive = values.iter().filter(|v| **v > 1e-10).count();
            let negative = values.iter().filter(|v| **v < -1e-10).count();
            prop_assert!(found.positive >= positive && found.negative >= negative);
            prop_assert_eq!(found.positive + found.negative + found.open.len(), n);
        }
    }

    #[test]
    fn what_is_not_known_of_an_entry_ties_no_units_together() {
        // x = 1e17 and z = 1e-13 times something; in one unit of length for both nothing could be said
        let mut blurred =
            Enclosed::exact(DMatrix::from_row_slice(2, 2, &[0.0, -1e17, -1e-13, 0.0]));
        blurred.radius[(1, 1)] = 1.1e-13;
        let right = Enclosed::exact(DMatrix::from_row_slice(2, 1, &[1e17, 1e-7]));
        let found = blurred.solve(&right).unwrap();
        assert!(found.at(1, 0).contains(-1.0) && found.radius[(1, 0)] < 1e-14);
        assert!(found.at(0, 0).contains(-1e6) && found.radius[(0, 0)] < 10.0);
    }

    #[test]
    fn what_is_exactly_zero_stays_so() {
        let a = Enclosed::exact(DMatrix::from_row_slice(2, 2, &[0.0, 3.0, 0.0, 0.0]));
        let square = a.times(&a);
        assert!(square.vanishes());
        let found = a.symmetric().inertia();
        assert_eq!((found.positive, found.negative), (1, 1));
        assert_eq!(
            Enclosed::exact(DMatrix::zeros(2, 2)).inertia().open.len(),
            2
        );
    }
}
