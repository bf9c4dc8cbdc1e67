//! The small motions at an equilibrium in numbers: frequencies, exponents and their shapes. Nothing is proven by them.

use super::{Mode, REAL};
use crate::geometry::null_vectors;
use crate::statics::exponents::{eigenvalues, first_order};
use crate::statics::numeric::diagonal_form;
use nalgebra::{Complex, DMatrix, DVector};

/// A mass below this part of the largest is none.
const MASSLESS: f64 = 1e-12;

/// The linearised motion on the tangent space, with M the unit matrix.
pub(in crate::statics) struct Motion {
    basis: DMatrix<f64>,
    /// the inverse of the Cholesky factor of M; `None` where M is not positive
    root: Option<DMatrix<f64>>,
    damping: DMatrix<f64>,
    stiffness: DMatrix<f64>,
    /// is there a C?
    pub(super) damped: bool,
}

impl Motion {
    /// Of M, C and the stiffness, on these displacements.
    pub(in crate::statics) fn new(
        [mass, damping, stiffness]: [&DMatrix<f64>; 3],
        basis: &DMatrix<f64>,
    ) -> Self {
        let on = |m: &DMatrix<f64>| basis.transpose() * m * basis;
        let own_mass = on(mass);
        let d = own_mass.nrows();
        let symmetric = (&own_mass + own_mass.transpose()) * 0.5;
        // each displacement in a unit that makes its mass 1
        let own = DVector::from_fn(d, |k, _| {
            let v = symmetric[(k, k)];
            if v > 0.0 { 1.0 / v.sqrt() } else { 1.0 }
        });
        let scaled = DMatrix::from_fn(d, d, |i, j| symmetric[(i, j)] * own[i] * own[j]);
        let positive = scaled.is_empty()
            || scaled.iter().all(|v| v.is_finite())
                && scaled.symmetric_eigenvalues().iter().all(|e| *e > MASSLESS);
        let size = basis.abs().transpose() * mass.abs() * basis.abs();
        let present = (0..d).all(|k| symmetric[(k, k)] > MASSLESS * size[(k, k)]);
        let root = (positive && present)
            .then(|| nalgebra::Cholesky::new(scaled))
            .flatten()
            .and_then(|c| c.l().try_inverse())
            .map(|l| l * DMatrix::from_diagonal(&own));
        let may = basis.abs().transpose() * damping.abs() * basis.abs();
        let damping = on(damping);
        let damped = !damping.is_empty() && damping.amax() > 1e-12 * may.amax();
        let (damping, stiffness) = match &root {
            Some(l) => (
                l * damping * l.transpose(),
                l * on(stiffness) * l.transpose(),
            ),
            None => (damping, on(stiffness)),
        };
        let basis = match &root {
            Some(l) => basis * l.transpose(),
            None => basis.clone(),
        };
        Self {
            basis,
            root,
            damping,
            stiffness,
            damped,
        }
    }

    /// Has K an antisymmetric part, as multipliers of velocity constraints give it?
    pub(super) fn is_skew(&self) -> bool {
        let k = &self.stiffness;
        !k.is_empty() && (k - k.transpose()).amax() > 1e-10 * k.amax()
    }

    /// The symmetric part of K, where M is positive and something can move.
    fn symmetric(&self) -> Option<DMatrix<f64>> {
        let k = &self.stiffness;
        (self.root.is_some() && !k.is_empty()).then(|| (k + k.transpose()) * 0.5)
    }

    /// The oscillations without C: the `positive` largest squares of frequencies.
    pub(super) fn modes(&self, positive: usize) -> Vec<Mode> {
        let eigen = self.symmetric().and_then(|k| diagonal_form(&k));
        let Some(eigen) = eigen else {
            return Vec::new();
        };
        let mut order: Vec<usize> = (0..eigen.eigenvalues.len()).collect();
        order.sort_by(|a, b| eigen.eigenvalues[*a].total_cmp(&eigen.eigenvalues[*b]));
        let skip = order.len().saturating_sub(positive);
        order
            .into_iter()
            .skip(skip)
            .filter(|k| eigen.eigenvalues[*k] > 0.0)
            .map(|k| {
                let shape = &self.basis * eigen.eigenvectors.column(k);
                let frequency = eigen.eigenvalues[k].sqrt();
                Mode {
                    frequency,
                    exponent: (0.0, frequency),
                    shape: normalised(shape.iter().map(|v| Complex::new(*v, 0.0)).collect()),
                }
            })
            .collect()
    }

    /// The rates of growth without C: of the `negative` smallest squares of frequencies, the largest first.
    pub(super) fn growth(&self, negative: usize) -> Vec<f64> {
        let Some(symmetric) = self.symmetric() else {
            return Vec::new();
        };
        let mut squares: Vec<f64> = symmetric.symmetric_eigenvalues().iter().copied().collect();
        squares.sort_by(f64::total_cmp);
        let falling = squares.into_iter().take(negative).filter(|s| *s < 0.0);
        falling.map(|s| (-s).sqrt()).collect()
    }

    /// The exponents s of (s^2 + s C + K) u = 0, by imaginary part, then real part; `None` where M is not positive.
    pub(in crate::statics) fn exponents(&self) -> Option<Vec<Complex<f64>>> {
        self.root.as_ref()?;
        // a unit of time in which the numbers are about 1
        let speed = self.stiffness.amax().sqrt().max(self.damping.amax());
        if speed == 0.0 || !speed.is_finite() {
            return (speed == 0.0)
                .then(|| vec![Complex::new(0.0, 0.0); 2 * self.stiffness.nrows()]);
        }
        let first_order = first_order(1.0, &self.stiffness, &self.damping, speed);
        let mut list: Vec<Complex<f64>> = eigenvalues(&first_order)?
            .iter()
            .map(|e| {
                let clean = |v: f64| if v.abs() <= 1e-14 { 0.0 } else { v * speed };
                Complex::new(clean(e.re), clean(e.im))
            })
            .collect();
        list.sort_by(|a, b| a.im.total_cmp(&b.im).then(a.re.total_cmp(&b.re)));
        Some(list)
    }

    /// The oscillations among the exponents, one a pair.
    pub(super) fn damped_modes(&self, exponents: &[Complex<f64>]) -> Vec<Mode> {
        let top = exponents.iter().map(|e| e.norm()).fold(0.0, f64::max);
        let basis = self.basis.map(|v| Complex::new(v, 0.0));
        let turning = exponents.iter().copied().filter(|e| e.im > REAL * top);
        turning
            .filter_map(|s| {
                let d = self.stiffness.nrows();
                let matrix = DMatrix::from_fn(d, d, |i, j| {
                    let one = if i == j {
                        s * s
                    } else {
                        Complex::new(0.0, 0.0)
                    };
                    one + s * self.damping[(i, j)] + self.stiffness[(i, j)]
                });
                let shape = &basis * nearly_null(&matrix)?;
                Some(Mode {
                    frequency: s.im,
                    exponent: (s.re, s.im),
                    shape: normalised(shape.iter().copied().collect()),
                })
            })
            .collect()
    }
}

/// The vector of length one of which a complex matrix leaves least.
fn nearly_null(matrix: &DMatrix<Complex<f64>>) -> Option<DVector<Complex<f64>>> {
    let d = matrix.nrows();
    // (A + iB)(u + iv) in real numbers: turning the phase gives a second vector of the same singular value
    let real = DMatrix::from_fn(2 * d, 2 * d, |i, j| {
        let entry = matrix[(i % d, j % d)];
        match (i < d, j < d) {
            (true, true) | (false, false) => entry.re,
            (true, false) => -entry.im,
            (false, true) => entry.im,
        }
    });
    let all = null_vectors(&real, 1.0)?;
    let last = all.column(all.ncols().checked_sub(1)?);
    Some(DVector::from_fn(d, |i, _| {
        Complex::new(last[i], last[d + i])
    }))
}

/// Divided by the largest entry.
fn normalised(shape: Vec<Complex<f64>>) -> Vec<(f64, f64)> {
    let top = shape.iter().fold(Complex::new(0.0, 0.0), |best, v| {
        if v.norm() > best.norm() * (1.0 + 1e-9) {
            *v
        } else {
            best
        }
    });
    let clean = |v: f64| if v.abs() < 1e-14 { 0.0 } else { v };
    shape
        .into_iter()
        .map(|v| {
            let part = if top.norm() > 0.0 { v / top } else { v };
            (clean(part.re), clean(part.im))
        })
        .collect()
}
