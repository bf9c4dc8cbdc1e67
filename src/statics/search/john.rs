//! F. John's form of equations that are affine in multipliers: bounded unknowns.

use super::Finder;
use crate::expr::{Expr, Number, SymbolKind, Tape};
use crate::geometry::balance;
use crate::interval::ends;
use crate::theorem::scattered_in;
use nalgebra::DMatrix;

/// Points at which the sizes of terms are compared.
const SAMPLES: u64 = 16;
/// Multipliers so many times larger than what makes terms of like size are still found with mu = 1.
const ROOM: f64 = 4.0;
/// Scales are no smaller.
const SMALLEST: f64 = 1e-60;

/// The equations with mu and u_b for 1 and lambda_b = s_b u_b/mu.
pub(super) struct Homogeneous {
    pub(super) mu: Expr,
    pub(super) u: Vec<Expr>,
    pub(super) scales: Vec<f64>,
    pub(super) equations: Vec<Expr>,
}

impl Finder<'_> {
    /// mu a + sum u_b s_b c_b for every equation a + sum lambda_b c_b that has a multiplier, with scales s
    /// that make the terms of like size.
    pub(super) fn homogeneous(
        &self,
        equations: &[Expr],
        coordinates: &[Expr],
        multipliers: &[Expr],
    ) -> Option<Homogeneous> {
        let pool = self.wanted.pool;
        // names that no file can use
        let other = |place: usize| SymbolKind::Other(usize::MAX / 2 - place);
        let mu = pool.symbol("mu#", other(0));
        let u: Vec<Expr> = (0..multipliers.len())
            .map(|b| pool.symbol(&format!("u#{b}"), other(b + 1)))
            .collect();
        let mut rows = Vec::new();
        for &e in equations {
            if !pool.contains_any(e, multipliers) {
                rows.push((e, None));
                continue;
            }
            let slopes: Vec<Expr> = multipliers
                .iter()
                .map(|l| pool.simplify(pool.derivative(e, *l)))
                .collect();
            if slopes.iter().any(|c| pool.contains_any(*c, multipliers)) {
                return None; // not affine: cannot be
            }
            rows.push((pool.without(e, multipliers), Some(slopes)));
        }
        // sizes at scattered points: a row an equation, a and the c_b
        let pushed = rows
            .iter()
            .filter_map(|(a, slopes)| Some((a, slopes.as_ref()?)));
        let outputs: Vec<Expr> = pushed
            .flat_map(|(a, slopes)| [&[*a], slopes.as_slice()].concat())
            .collect();
        let tape = Tape::new(pool, coordinates, &outputs);
        let width = multipliers.len() + 1;
        let height = outputs.len() / width;
        let mut sizes = vec![(0.0, 0); outputs.len()];
        for index in 0..SAMPLES {
            let inputs = scattered_in(ends(&self.sides(coordinates)), index);
            for (size, v) in sizes.iter_mut().zip(tape.values(&inputs)) {
                if v.is_finite() && v != 0.0 {
                    *size = (size.0 + v.abs().log2(), size.1 + 1);
                }
            }
        }
        let typical = DMatrix::from_fn(height, width, |i, j| match sizes[i * width + j] {
            (_, 0) => 0.0,
            (sum, count) => (sum / f64::from(count)).exp2(),
        });
        let (_, units) = balance(&typical, &DMatrix::zeros(height, width));
        let scales: Vec<f64> = (1..width)
            .map(|b| (ROOM * units[b] / units[0]).clamp(SMALLEST, 1.0 / SMALLEST))
            .collect();
        let mut equations = Vec::new();
        for (a, slopes) in rows {
            let Some(slopes) = slopes else {
                equations.push(a);
                continue;
            };
            let mut terms = vec![pool.mul(mu, a)];
            for (b, c) in slopes.into_iter().enumerate() {
                let scale = Number::from_f64(scales[b])?;
                terms.push(pool.scale(pool.mul(u[b], c), &scale));
            }
            equations.push(pool.sum(terms));
        }
        Some(Homogeneous {
            mu,
            u,
            scales,
            equations,
        })
    }
}
