//! The tangent cone of the constraint set where its gradients are dependent, at frozen t.
//!
//! ```text
//! J v = 0,   u^T (v^T H v) = 0   for every u with u^T J = 0,   H_b = d2 f_b / dx dx
//! ```
//!
//! With N a basis of ker J and v = N z these are quadratic forms in z, one for each combination of gradients that
//! vanishes: z^T Q z = 0. Where they determine finitely many directions, these are the tangents of the branches that meet.

use super::{Constraints, LeastNorm, spread};
use nalgebra::{DMatrix, DVector};

/// Steps of the differences along ker J, relative to the size of the coordinates.
const STEP: f64 = 1e-5;
/// A form or a discriminant below this part of its terms is zero as far as differences tell.
const NOTHING: f64 = 1e-7;
/// Steps of Newton's method to a direction, and what they end at.
const STEPS: usize = 50;
const SETTLED: f64 = 1e-14;

/// The first and second order data of a constraint set at a point.
#[derive(Clone, Debug)]
pub struct Cone {
    /// N, an orthonormal basis of ker J, a vector a column.
    pub kernel: DMatrix<f64>,
    /// Q, one for each combination of gradients that vanishes, its terms about 1.
    pub forms: Vec<DMatrix<f64>>,
}

impl Cone {
    /// The cone of the position constraints at a point whose coordinates are known to `reach`; `None` where a value is
    /// not finite.
    pub fn at(set: &dyn Constraints, (t, x): (f64, &[f64]), reach: &[f64]) -> Option<Self> {
        let positions: Vec<usize> = (0..set.positions()).collect();
        let here = set.blurred((t, x), reach).select(&positions);
        if !here.is_finite() {
            return None;
        }
        let done = here.eliminated();
        let kernel = orthonormal(&done.kernel());
        let size = super::sizes(x).into_iter().fold(0.0, f64::max);
        let combinations = done.combinations();
        let pull = |x: &[f64]| -> DMatrix<f64> {
            let rows = set.rows(t, x).gradients;
            let mut pull = DMatrix::zeros(combinations.len(), x.len());
            for (i, combination) in combinations.iter().enumerate() {
                for &(b, c) in combination {
                    let sum = pull.row(i) + rows.row(b) * c;
                    pull.set_row(i, &sum);
                }
            }
            pull
        };
        let d = kernel.ncols();
        let mut forms = vec![DMatrix::zeros(d, d); combinations.len()];
        for j in 0..d {
            let moved = |side: f64| -> Vec<f64> {
                let along = kernel.column(j);
                x.iter()
                    .zip(&along)
                    .map(|(x, e)| x + side * STEP * size * e)
                    .collect()
            };
            let slopes = (pull(&moved(1.0)) - pull(&moved(-1.0))) / (2.0 * STEP * size);
            let column = slopes * &kernel;
            for (i, form) in forms.iter_mut().enumerate() {
                form.set_column(j, &column.row(i).transpose());
            }
        }
        for form in &mut forms {
            let symmetric = (&*form + form.transpose()) * 0.5;
            let top = symmetric.amax();
            *form = if top > 0.0 {
                symmetric / top
            } else {
                symmetric
            };
        }
        let finite = kernel
            .iter()
            .chain(forms.iter().flatten())
            .all(|e| e.is_finite());
        finite.then_some(Self { kernel, forms })
    }

    /// The same for coordinates that are known to rounding.
    pub fn here(set: &dyn Constraints, (t, x): (f64, &[f64])) -> Option<Self> {
        Self::at(set, (t, x), &spread(x, &vec![0.0; x.len()]))
    }

    /// The tangents of the branches that meet, of length one, each up to its sign: none at a point that is alone. `None`
    /// where the second order leaves more than finitely many directions, or does not tell.
    pub fn tangents(&self) -> Option<Vec<DVector<f64>>> {
        let lines: Vec<DVector<f64>> = match self.kernel.ncols() {
            // along a line every form is zero, or the point is alone
            1 if self.forms.iter().all(|q| q[(0, 0)].abs() <= NOTHING) => {
                vec![DVector::repeat(1, 1.0)]
            }
            0 | 1 => Vec::new(),
            2 => {
                let mut lines = pair(self.forms.first()?)?;
                for form in &self.forms[1..] {
                    lines.retain(|z| z.dot(&(form * z)).abs() <= NOTHING.sqrt());
                }
                lines
            }
            _ => return None,
        };
        Some(lines.into_iter().map(|z| &self.kernel * z).collect())
    }

    /// The direction of the cone that Newton's method of least norm finds from a velocity, of length one.
    pub fn towards(&self, velocity: &DVector<f64>) -> Option<DVector<f64>> {
        let mut z = self.kernel.tr_mul(velocity);
        let start = z.norm();
        if start == 0.0 {
            return None;
        }
        z /= start;
        for _ in 0..STEPS {
            let count = self.forms.len();
            let residual = DVector::from_fn(count, |i, _| z.dot(&(&self.forms[i] * &z)));
            let mut slopes = DMatrix::zeros(count, z.len());
            for (i, form) in self.forms.iter().enumerate() {
                slopes.set_row(i, &(form * &z * 2.0).transpose());
            }
            if residual.amax() <= SETTLED || count == 0 {
                return Some(&self.kernel * z);
            }
            let step = LeastNorm::whole(&slopes, NOTHING)?.solve(&residual)?;
            z -= step;
            z /= z.norm();
        }
        let met = self.forms.iter().all(|q| z.dot(&(q * &z)).abs() <= NOTHING);
        met.then(|| &self.kernel * z)
    }
}

/// The two lines of a binary quadratic form that changes sign, none where it does not; `None` where they may be one.
fn pair(form: &DMatrix<f64>) -> Option<Vec<DVector<f64>>> {
    let (a, b, c) = (form[(0, 0)], form[(0, 1)], form[(1, 1)]);
    let discriminant = b * b - a * c;
    if discriminant.abs() <= NOTHING * (b * b).max((a * c).abs()).max(a * a).max(c * c) {
        return None;
    }
    if discriminant < 0.0 {
        return Some(Vec::new());
    }
    // a p^2 + 2 b p q + c q^2, without cancellation
    let w = -(b + discriminant.sqrt().copysign(if b == 0.0 { 1.0 } else { b }));
    let line = |p: f64, q: f64| DVector::from_vec(vec![p, q]).normalize();
    Some(vec![line(w, a), line(c, w)])
}

/// An orthonormal basis of the span of independent columns; columns that are square to each other stay as they are.
pub fn orthonormal(columns: &DMatrix<f64>) -> DMatrix<f64> {
    let mut basis = columns.clone();
    for j in 0..basis.ncols() {
        let mut own = basis.column(j).into_owned();
        // the second time takes away what rounding left
        for _ in 0..2 {
            for i in 0..j {
                let part = basis.column(i).dot(&own);
                if part != 0.0 {
                    own -= basis.column(i) * part;
                }
            }
        }
        basis.set_column(j, &(&own / own.norm()));
    }
    basis
}
