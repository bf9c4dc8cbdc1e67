//! Constraints that others imply along a branch: whether they still do, which of all are in use, and the multipliers of all.

use crate::expr::{Expr, Pool, Tape};
use crate::geometry::{Blurred, blur_by_differences};
use crate::statics::numeric::least_multipliers;
use nalgebra::{DMatrix, DVector};

/// What the constraints in use leave of the others, in parts of their terms along the widths, where they imply them.
const IMPLIED: f64 = 1e-8;
/// Others are far from dependent so far round a point, in parts of the widths: the first of these for which there are any.
const ROUND: [f64; 3] = [1e-3, 1e-5, 1e-7];

/// All constraints in force, where some of them imply the others.
pub(super) struct Redundant {
    /// which these are
    all: Vec<usize>,
    /// how many of them are in use
    used: usize,
    /// f - c of each, then S, which they balance, then df/dx, a row each
    tape: Tape,
}

impl Redundant {
    /// Constraints in force, of which so many are in use, with the f - c of each, S and the gradients.
    pub(super) fn new(
        (pool, inputs): (&Pool, &[Expr]),
        (all, used): (&[usize], usize),
        list: &[Expr],
    ) -> Self {
        Self {
            tape: Tape::new(pool, inputs, list),
            all: all.to_vec(),
            used,
        }
    }

    /// f - c, S and df/dx.
    fn at(&self, arguments: &[f64]) -> (Vec<f64>, DVector<f64>, DMatrix<f64>) {
        let m = self.all.len();
        let mut levels = self.tape.values(arguments);
        let mut force = levels.split_off(m);
        let n = force.len() / (m + 1);
        let gradients = DMatrix::from_row_slice(m, n, &force.split_off(n));
        (levels, DVector::from_vec(force), gradients)
    }

    /// A constraint that those in use do not imply here.
    pub(super) fn parted(&self, arguments: &[f64], width: &DVector<f64>) -> Option<usize> {
        let (levels, _, gradients) = self.at(arguments);
        let off = |&b: &usize| {
            let row = gradients.row(b);
            let size: f64 = row.iter().zip(width).map(|(g, w)| (g * w).abs()).sum();
            let size = if size > 0.0 { size } else { 1.0 };
            levels[b].is_nan() || levels[b].abs() > IMPLIED * size
        };
        let found = (0..self.all.len()).find(off)?;
        Some(self.all[found])
    }

    /// Others to use: as many that are far from dependent all round here; `None` where there are not so many. `arguments` are those of
    /// a position.
    pub(super) fn others(
        &self,
        arguments: &dyn Fn(&[f64]) -> Vec<f64>,
        (x, width): (&[f64], &DVector<f64>),
    ) -> Option<Vec<usize>> {
        let gradients = |_: f64, x: &[f64]| self.at(&arguments(x)).2;
        let found = ROUND.iter().find_map(|part| {
            let reach: Vec<f64> = width.iter().take(x.len()).map(|w| part * w).collect();
            let there = Blurred {
                blur: blur_by_differences(&gradients, (0.0, x), &reach),
                value: gradients(0.0, x),
            };
            there.rows(self.used)
        })?;
        Some(found.iter().map(|b| self.all[*b]).collect())
    }

    /// The multipliers of all, of least norm.
    pub(super) fn multipliers(&self, arguments: &[f64], width: &DVector<f64>) -> Vec<(usize, f64)> {
        let (_, force, gradients) = self.at(arguments);
        let n = force.len();
        let all = least_multipliers(&gradients, &force, &width.rows(0, n).into_owned());
        self.all.iter().copied().zip(all.iter().copied()).collect()
    }
}
