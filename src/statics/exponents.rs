//! The exponents of M u'' + C u' + K u = 0, enclosed.
//!
//! With X nearly the eigenvectors of the first-order matrix A and Y nearly their inverse, A has the eigenvalues of (Y X)^-1 Y A X;
//! they lie in Gershgorin's discs of Y A X, widened by what |Y X - 1| and all rounding can do. A set of discs apart from
//! the others holds as many eigenvalues as it has discs. Where there is no damping the exponents are symmetric to the imaginary
//! axis: one that is alone in its disc and in its mirror image lies on it. Source: S. M. Rump (2010), section 13.

use super::enclosed::Enclosed;
use crate::geometry::Groups;
use nalgebra::{Complex, DMatrix, DVector, Schur};

/// Larger matrices are not enclosed.
const MOST: usize = 160;

/// What the exponents of a linear motion are for sure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spectrum {
    /// One has a positive real part.
    Grows,
    /// All have negative real parts.
    Dies,
    /// All are imaginary and simple: the linearised motion oscillates.
    Swings,
    /// None of these could be shown.
    Open,
}

/// The matrices of the motion on virtual displacements, M shown to be positive.
pub struct Motion<'a> {
    /// M.
    pub mass: &'a Enclosed,
    /// C.
    pub damping: &'a Enclosed,
    /// K.
    pub stiffness: &'a Enclosed,
    /// Is C skew and K symmetric, so that with s also -s is an exponent?
    pub reversible: bool,
}

struct Disc {
    centre: Complex<f64>,
    radius: f64,
}

impl Disc {
    fn meets(&self, centre: Complex<f64>, radius: f64) -> bool {
        (self.centre - centre).norm() <= (self.radius + radius) * (1.0 + 1e-12)
    }
}

impl Motion<'_> {
    /// What can be shown of the exponents.
    pub fn spectrum(&self) -> Spectrum {
        let Some(discs) = self.discs() else {
            return Spectrum::Open;
        };
        let right = |d: &Disc| d.centre.re - d.radius > 0.0;
        let left = |d: &Disc| d.centre.re + d.radius < 0.0;
        if discs.iter().all(left) {
            return Spectrum::Dies;
        }
        // discs that hang together hold as many exponents as they are
        let mut groups = Groups::new(discs.len());
        for i in 0..discs.len() {
            for j in 0..i {
                if discs[i].meets(discs[j].centre, discs[j].radius) {
                    groups.join(i, j);
                }
            }
        }
        let grows = |group: &Vec<usize>| group.iter().all(|i| right(&discs[*i]));
        if groups.list().iter().any(grows) {
            return Spectrum::Grows;
        }
        let alone = |i: usize| {
            let d = &discs[i];
            let mirrored = Complex::new(-d.centre.re, d.centre.im);
            let others = discs.iter().enumerate().filter(|(j, _)| *j != i);
            d.meets(mirrored, d.radius)
                && others
                    .into_iter()
                    .all(|(_, o)| !o.meets(d.centre, d.radius) && !o.meets(mirrored, d.radius))
        };
        if self.reversible && !discs.is_empty() && (0..discs.len()).all(alone) {
            return Spectrum::Swings;
        }
        Spectrum::Open
    }

    fn discs(&self) -> Option<Vec<Disc>> {
        let d = self.stiffness.middle.nrows();
        if d == 0 {
            return Some(Vec::new());
        }
        if 2 * d > MOST {
            return None;
        }
        let by_position = self.mass.solve(self.stiffness)?;
        let by_velocity = self.mass.solve(self.damping)?;
        // a unit of time, a power of two, in which the numbers are about 1
        let speed = by_position
            .middle
            .amax()
            .sqrt()
            .max(by_velocity.middle.amax());
        if speed == 0.0 || !speed.is_finite() {
            return None;
        }
        let speed = 2.0_f64.powf(speed.log2().round());
        let middle = first_order(1.0, &by_position.middle, &by_velocity.middle, speed);
        let radius = first_order(0.0, &by_position.radius, &by_velocity.radius, speed).abs();
        let values = eigenvalues(&middle)?;
        let complex = middle.map(|v| Complex::new(v, 0.0));
        let vectors = eigenvectors(&complex, &values)?;
        let left = vectors.clone().try_inverse()?;
        let size = |m: &DMatrix<Complex<f64>>| m.map(Complex::norm);
        let n = 2 * d;
        // complex products of three: generous
        let unit = 16.0 * (n as f64 + 4.0) * f64::EPSILON;
        let (y, x, a) = (size(&left), size(&vectors), middle.abs());
        let turned = &left * &complex * &vectors;
        let mut blur = &y * (&a * unit + &radius) * &x;
        blur *= 1.0 + unit;
        let one = &left * &vectors - DMatrix::identity(n, n).map(|v: f64| Complex::new(v, 0.0));
        let off = size(&one) + &y * &x * unit;
        let norm =
            |m: &DMatrix<f64>| (0..n).map(|i| m.row(i).sum()).fold(0.0, f64::max) * (1.0 + unit);
        let epsilon = norm(&off);
        if epsilon.is_nan() || epsilon >= 0.5 {
            return None;
        }
        let whole = norm(&(size(&turned) + &blur));
        let list = (0..n).map(|i| {
            let others: f64 = (0..n)
                .filter(|j| *j != i)
                .map(|j| turned[(i, j)].norm())
                .sum();
            let sum: f64 = blur.row(i).sum();
            Disc {
                centre: turned[(i, i)],
                radius: (others + sum + 2.0 * epsilon * whole) * (1.0 + unit),
            }
        });
        let list: Vec<Disc> = list.collect();
        list.iter()
            .all(|d| d.radius.is_finite() && d.centre.re.is_finite() && d.centre.im.is_finite())
            .then_some(list)
    }
}

/// The matrix of s x = `one` v, s v = -K x - C v in units of time in which the speed is 1.
pub fn first_order(one: f64, k: &DMatrix<f64>, c: &DMatrix<f64>, speed: f64) -> DMatrix<f64> {
    let d = k.nrows();
    DMatrix::from_fn(2 * d, 2 * d, |i, j| match (i < d, j < d) {
        (true, _) if j == d + i => one,
        (true, _) => 0.0,
        (false, true) => -k[(i - d, j)] / (speed * speed),
        (false, false) => -c[(i - d, j - d)] / speed,
    })
}

/// The eigenvalues of a matrix with entries of about 1. The steps to Schur's form may come to rest where eigenvalues lie
/// symmetric to two lines; on another basis they do not. They never end where eigenvalues differ by less than what
/// counts as zero beside the diagonal, so that is let grow.
pub fn eigenvalues(matrix: &DMatrix<f64>) -> Option<Vec<Complex<f64>>> {
    let n = matrix.nrows();
    let steps = 100 * n;
    // seen in a mirror
    let turned = || {
        let v = DVector::from_fn(n, |i, _| (1.0 + i as f64).sin());
        let mirror = DMatrix::identity(n, n) - &v * v.transpose() * (2.0 / v.norm_squared());
        &mirror * matrix * &mirror
    };
    [f64::EPSILON, 1e-12, 1e-10, 1e-8].iter().find_map(|zero| {
        let schur = |matrix: DMatrix<f64>| Schur::try_new(matrix, *zero, steps);
        let schur = schur(matrix.clone()).or_else(|| schur(turned()))?;
        Some(schur.complex_eigenvalues().iter().copied().collect())
    })
}

/// A column an eigenvalue, by inverse iteration.
fn eigenvectors(
    matrix: &DMatrix<Complex<f64>>,
    values: &[Complex<f64>],
) -> Option<DMatrix<Complex<f64>>> {
    let n = matrix.nrows();
    let mut columns = Vec::with_capacity(n);
    for (place, value) in values.iter().enumerate() {
        let nudge = 1e-14 * (1.0 + value.norm()) * (1.0 + place as f64 / n as f64);
        let shifted = matrix - DMatrix::identity(n, n).map(|v: f64| (*value + nudge) * v);
        let lu = shifted.lu();
        let mut vector = DVector::from_fn(n, |i, _| {
            Complex::new(1.0, 0.1 * (i as f64 + place as f64).sin())
        });
        for _ in 0..3 {
            vector = lu.solve(&vector)?;
            let length = vector.norm();
            if !(length.is_finite() && length > 0.0) {
                return None;
            }
            vector.unscale_mut(length);
        }
        columns.push(vector);
    }
    Some(DMatrix::from_columns(&columns))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spectrum(k: &[f64], c: &[f64], reversible: bool) -> Spectrum {
        let d = 2;
        let exact = |list: &[f64]| Enclosed::exact(DMatrix::from_row_slice(d, d, list));
        Motion {
            mass: &exact(&[1.0, 0.0, 0.0, 1.0]),
            damping: &exact(c),
            stiffness: &exact(k),
            reversible,
        }
        .spectrum()
    }

    #[test]
    fn exponents_are_told_where_they_are_sure() {
        let gyro = [0.0, -2.5, 2.5, 0.0];
        assert_eq!(
            spectrum(&[-1.0, 0.0, 0.0, -1.0], &gyro, true),
            Spectrum::Swings
        );
        let weak = [0.0, -1.0, 1.0, 0.0];
        assert_eq!(
            spectrum(&[-1.0, 0.0, 0.0, -1.0], &weak, true),
            Spectrum::Grows
        );
        // a defective double exponent
        let edge = [0.0, -2.0, 2.0, 0.0];
        assert_eq!(
            spectrum(&[-1.0, 0.0, 0.0, -1.0], &edge, true),
            Spectrum::Open
        );
        let damped = [0.3, 0.0, 0.0, 0.1];
        assert_eq!(
            spectrum(&[1.0, 0.2, 0.2, 2.0], &damped, false),
            Spectrum::Dies
        );
        // damping of one of two that do not meet
        let partial = [0.3, 0.0, 0.0, 0.0];
        assert_eq!(
            spectrum(&[1.0, 0.0, 0.0, 2.0], &partial, false),
            Spectrum::Open
        );
        // four that lie symmetric to two lines
        for p in [-1.0, -0.5, -0.471_366_487_197_875_6, -0.15] {
            let grows = spectrum(&[p, -p, p, 0.0], &[1.0, 0.0, 0.0, 1.0], false);
            assert_eq!(grows, Spectrum::Grows, "{p}");
        }
        // circulatory
        let none = [0.0; 4];
        assert_eq!(
            spectrum(&[1.0, 0.5, -0.5, 1.0], &none, false),
            Spectrum::Grows
        );
    }
}
