//! Newton's method of least norm: back to the zeros of some rows, by the shortest step each time.

use super::{LeastNorm, shortest};
use nalgebra::{DMatrix, DVector};

/// How steps are taken. Lengths are in units of the `widths`, so that a step looks equally long whatever the units of
/// the coordinates.
#[derive(Clone, Copy, Debug)]
pub struct NewtonBack<'a> {
    /// What is a long way for each coordinate.
    pub widths: &'a [f64],
    /// A longer step is shortened to this.
    pub longest: f64,
    /// Directions in which W is below this part of its largest are left out of a step.
    pub cut: f64,
    /// Steps at most.
    pub steps: usize,
}

/// What is seen at a point: residuals and their gradients.
pub struct Evaluation {
    /// What should be zero.
    pub residual: DVector<f64>,
    /// Its derivatives.
    pub gradients: DMatrix<f64>,
}

/// A step about to be taken.
pub struct Step<'a> {
    /// What should be zero, before the step.
    pub residual: &'a DVector<f64>,
    /// What the widths change of each residual: the sums of |gradient| width.
    pub slopes: &'a [f64],
    /// The length of the step, before it is shortened.
    pub length: f64,
    /// That of the one before.
    pub last: f64,
}

/// What to do with a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Take it and go on.
    Go,
    /// The point before it is the solution.
    Here,
    /// The point after it is.
    There,
    /// Nothing will come of it.
    Lost,
}

/// Where the method ended.
#[derive(Clone, Debug)]
pub struct Ended {
    /// The solution.
    pub x: Vec<f64>,
    /// The gradients there, in units of the widths.
    pub gradients: DMatrix<f64>,
}

impl Ended {
    /// Their smallest singular value in parts of the largest, 1 of no gradients; NaN of a large system or where one is not finite.
    pub fn least(&self) -> f64 {
        if self.gradients.nrows() == 0 {
            return 1.0;
        }
        LeastNorm::quick(&self.gradients).map_or(f64::NAN, |factors| factors.least())
    }
}

impl NewtonBack<'_> {
    /// Goes from a point until `judge` says so; `None` where it does not come to a solution or a value is not finite.
    pub fn run(
        &self,
        mut x: Vec<f64>,
        mut look: impl FnMut(&[f64]) -> Option<Evaluation>,
        mut judge: impl FnMut(&Step<'_>) -> Next,
    ) -> Option<Ended> {
        let mut last = f64::INFINITY;
        for _ in 0..self.steps {
            let Evaluation {
                residual,
                mut gradients,
            } = look(&x)?;
            for (mut column, width) in gradients.column_iter_mut().zip(self.widths) {
                column *= *width;
            }
            let slopes: Vec<f64> = gradients
                .row_iter()
                .map(|row| row.iter().map(|e| e.abs()).sum())
                .collect();
            let step = shortest(&gradients, &residual, self.cut)?;
            let length = step.norm();
            if !length.is_finite() {
                return None;
            }
            let next = judge(&Step {
                residual: &residual,
                slopes: &slopes,
                length,
                last,
            });
            if matches!(next, Next::Go | Next::There) {
                let part = (self.longest / length).min(1.0);
                for ((x, d), width) in x.iter_mut().zip(&step).zip(self.widths) {
                    *x -= part * d * width;
                }
            }
            match next {
                Next::Go => last = length,
                Next::Here | Next::There => {
                    return Some(Ended { x, gradients });
                }
                Next::Lost => return None,
            }
        }
        None
    }
}
