//! The rows of the constraints at a point, and what their entries are unknown by.

use super::{Blurred, ULPS, shortest_within};
use nalgebra::{DMatrix, DVector};

/// What a coordinate may be off by where nothing else is said, in its own units (the default of `atol`).
pub const ATOL: f64 = 1e-12;
/// Steps of differences, relative to what a coordinate is unknown by: rounding is little beside what they change.
const DIFFERENCE: f64 = 1e3;

/// What the room sees of a constraint set.
pub trait Constraints {
    /// The number of coordinates.
    fn coordinates(&self) -> usize;

    /// The number of position constraints: their rows come first.
    fn positions(&self) -> usize;

    /// The rows at a time and a position.
    fn rows(&self, t: f64, x: &[f64]) -> Rows;

    /// Whether they may be others at another time.
    fn may_move(&self) -> bool {
        true
    }

    /// What the entries of W may be off by where each coordinate is known to `reach` only, and t to rounding.
    fn blur(&self, (t, x): (f64, &[f64]), reach: &[f64]) -> DMatrix<f64> {
        blur_by_differences(&|t, x| self.rows(t, x).gradients, (t, x), reach)
    }

    /// W with its blur.
    fn blurred(&self, (t, x): (f64, &[f64]), reach: &[f64]) -> Blurred {
        Blurred {
            value: self.rows(t, x).gradients,
            blur: self.blur((t, x), reach),
        }
    }
}

/// The constraints at a point, position and velocity constraints alike: the derivative of each along the motion is
/// `gradients` x' + `rates`.
#[derive(Clone, Debug, PartialEq)]
pub struct Rows {
    /// f - c; 0 for a velocity constraint, which binds no position.
    pub residual: DVector<f64>,
    /// The size of the terms of f and c, positive.
    pub scale: DVector<f64>,
    /// W = [J; A].
    pub gradients: DMatrix<f64>,
    /// The part without velocities: f_t, or b.
    pub rates: DVector<f64>,
}

impl Rows {
    /// The first row with a value that is not a finite number.
    pub fn not_finite(&self) -> Option<usize> {
        let finite = |list: &[f64]| list.iter().fold(true, |all, e| all & e.is_finite());
        let mut vectors = [&self.residual, &self.scale, &self.rates].into_iter();
        if vectors.all(|list| finite(list.as_slice())) && finite(self.gradients.as_slice()) {
            return None;
        }
        (0..self.residual.len()).find(|&b| {
            let own = [self.residual[b], self.scale[b], self.rates[b]];
            let row = self.gradients.row(b);
            !own.iter().chain(row.iter()).all(|v| v.is_finite())
        })
    }

    /// What is left of a position, row by row; nothing where a change of each coordinate by its `slack` makes up for it.
    pub fn missed(&self, slack: &[f64]) -> Missed {
        let parts = self.residual.iter().zip(&self.scale);
        self.worst(parts.map(|(r, s)| (*r, *s)), slack)
    }

    /// What is left of the derivatives at velocities, W x' + rates, row by row, against its terms.
    pub fn missed_speed(&self, v: &[f64], slack: &[f64]) -> Missed {
        let parts = self
            .gradients
            .row_iter()
            .zip(&self.rates)
            .map(|(row, rate)| {
                let terms = row.iter().zip(v).map(|(w, v)| w * v);
                let start = (*rate, rate.abs());
                terms.fold(start, |(sum, size), e| (sum + e, size + e.abs()))
            });
        self.worst(parts, slack)
    }

    /// Of residuals with the sizes of their terms, the one missed most.
    fn worst(&self, parts: impl Iterator<Item = (f64, f64)>, slack: &[f64]) -> Missed {
        let mut worst = Missed::default();
        for (row, (residual, scale)) in parts.enumerate() {
            let reached = self.gradients.row(row);
            let reached = reached.iter().zip(slack).map(|(w, s)| (w * s).abs());
            let relative = if residual.abs() <= reached.sum() {
                0.0
            } else {
                residual.abs() / scale.max(f64::MIN_POSITIVE)
            };
            if relative > worst.relative || relative.is_nan() {
                worst = Missed {
                    row,
                    residual,
                    relative: if relative.is_nan() {
                        f64::INFINITY
                    } else {
                        relative
                    },
                };
            }
        }
        worst
    }
}

/// What the rounding of f leaves unknown of each coordinate, where the way back to f = c is the shortest in these units; no more
/// than its unit. W is m by n, the sizes of the terms of f are m.
pub fn rounded((gradients, scale): (&DMatrix<f64>, &DVector<f64>), unit: &[f64]) -> Vec<f64> {
    let length = |row: usize| {
        let terms = gradients.row(row).into_iter().zip(unit);
        terms.map(|(w, u)| (w * u).powi(2)).sum::<f64>().sqrt()
    };
    let (m, n) = gradients.shape();
    let lengths: Vec<f64> = (0..m).map(length).collect();
    if lengths.iter().any(|length| *length <= 0.0) {
        return unit.to_vec();
    }
    let scaled = DMatrix::from_fn(m, n, |b, k| gradients[(b, k)] * unit[k] / lengths[b]);
    let pairs = scale.iter().zip(&lengths);
    let unknown: Vec<f64> = pairs.map(|(scale, length)| ULPS * scale / length).collect();
    let Some(unknown) = shortest_within(&scaled, &unknown) else {
        return unit.to_vec();
    };
    let pairs = unknown.iter().zip(unit);
    pairs.map(|(part, unit)| part.min(1.0) * unit).collect()
}

/// The row that is missed most.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Missed {
    /// Which row.
    pub row: usize,
    /// What is left there.
    pub residual: f64,
    /// That as a part of its terms; 0 where it does not matter.
    pub relative: f64,
}

/// What coordinates are known to: a few units in the last place, or the last correction.
pub fn spread(x: &[f64], correction: &[f64]) -> Vec<f64> {
    let pairs = x.iter().zip(correction);
    pairs.map(|(x, c)| (ULPS * x.abs()).max(*c)).collect()
}

/// The blur of W from differences: its rounding, and what an unknown of each coordinate and the rounding of t change.
pub fn blur_by_differences(
    gradients: &dyn Fn(f64, &[f64]) -> DMatrix<f64>,
    (t, x): (f64, &[f64]),
    reach: &[f64],
) -> DMatrix<f64> {
    let here = gradients(t, x);
    let mut sum = here.abs() * ULPS;
    let mut add = |there: &DMatrix<f64>| {
        if there.iter().all(|e| e.is_finite()) {
            sum += (there - &here).abs() / DIFFERENCE;
        }
    };
    let mut moved = x.to_vec();
    for k in (0..x.len()).filter(|k| reach[*k] > 0.0) {
        moved[k] = x[k] + DIFFERENCE * reach[k];
        add(&gradients(t, &moved));
        moved[k] = x[k];
    }
    if t != 0.0 {
        add(&gradients(t * (1.0 + DIFFERENCE * ULPS), x));
    }
    sum
}
