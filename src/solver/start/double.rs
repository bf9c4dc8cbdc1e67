//! Solutions where the constraints have a double root: made precise, and what they leave free there.
//!
//! With the given coordinates held, J restricted to the others has a kernel V and a cokernel U at a double root. Newton's method
//! comes to half the digits only, since residuals grow with the square of what is missing; where the root is, U^T J(x) V vanishes,
//! and that with a slope. It is solved for along V, by steps of least norm from differences of J, and the rest of the constraints across V.
//!
//! A kernel is no freedom: along x^2 + y^2 = l^2 with x = l held, y is determined, though J has no part along it. What is free is
//! told by points beside the solution, brought back onto the constraints: they return to it, or lie on a set round it.

use nalgebra::{DMatrix, DVector};

use super::assembly::free;
use super::{ROUNDING, StartSearch, spread};
use crate::geometry::{Blurred, Constraints, LeastNorm, Split, largest, length_scales, number};
use crate::solver::rank::InUse;
use crate::sparse::is_large;

/// A coordinate known to this part of the largest, or better, is at no double root.
const SHARP: f64 = 1e-11;
/// Newton's method comes to so much of it.
const HALF: f64 = 3e-8;
/// Singular values below this part of what J has along a length of the coordinates belong to its kernel at a double root.
const KERNEL: f64 = 1e-5;
/// Differences of J are taken over so many times what is not known.
const ACROSS: f64 = 1e3;
/// Directions in which U^T J V changes less than this part of the most are left out of a step.
const SLOPE: f64 = 1e-6;
/// Steps to a double root: each leaves a part of 1e-5 or less of what was missing.
const ROUNDS: usize = 6;
/// A double root lies within so many times what Newton's method left.
const WITHIN: f64 = 10.0;
/// How far points are looked for, in parts of a long way for each coordinate: next to the solution another one may lie that is as
/// singular, and a root of higher order looks like a set where points are too near; a set has points at both distances,
const FAR: [f64; 2] = [0.03, 1e-3];
/// which of these parts of that are near: nearer is the solution itself, farther another one.
const APART: f64 = 1e-2;
const NEAR: f64 = 2.0;
/// Points at least, and at most.
const FEW: usize = 3;
const MANY: usize = 8;
/// Steps to each.
const STEPS: usize = 200;
/// Directions in which points lie less far off than this part of the farthest are curvature.
const FLAT: f64 = 1e-3;

impl StartSearch<'_> {
    /// Makes a double root precise that Newton's method brought `unknown` coordinates next to; taken only where no constraint is
    /// missed more than before, or than rounding misses it.
    pub(super) fn polish(&mut self, x: &mut Vec<f64>, unknown: &[usize]) {
        if is_large(self.m, unknown.len()) {
            return;
        }
        let known = self.judge(x, unknown);
        let doubt = unknown.iter().fold(0.0_f64, |most, &k| most.max(known[k]));
        if !doubt.is_finite() {
            return;
        }
        // where rows are dependent to half the digits the root may be that far off, though the residuals tell nothing of it
        let sharp = doubt <= SHARP * largest(&*x);
        let doubt = doubt.max(HALF * largest(&*x));
        self.at(x);
        let allowed = self.worst().1.max(ROUNDING);
        let mut trial = x.clone();
        for _ in 0..ROUNDS {
            let Some((moved, off)) = self.toward_root(&mut trial, unknown, doubt) else {
                return;
            };
            if sharp && off <= SHARP {
                // it is there, or rows are dependent all round
                return;
            }
            if moved <= f64::EPSILON * largest(&trial) {
                break;
            }
        }
        let near = |&k: &usize| (trial[k] - x[k]).abs() <= WITHIN * doubt;
        if !unknown.iter().all(near) {
            return;
        }
        self.at(&trial);
        if self.value.not_finite().is_none() && self.worst().1 <= allowed {
            *x = trial;
        }
    }

    /// One step to where U^T J V and the rest of the constraints vanish, J being in units of the terms; the longest change of a
    /// coordinate, and what U^T J V was in parts of the steepest of J. `None` where J has no kernel or no cokernel, or a value is not finite.
    fn toward_root(&mut self, x: &mut [f64], unknown: &[usize], doubt: f64) -> Option<(f64, f64)> {
        self.at(x);
        let length = largest(&*x).max(ACROSS * doubt);
        // terms that are nearly nothing are as large as a length makes them
        let row = |b: usize| self.value.jacobian.row(b).amax() * length;
        let scale = DVector::from_fn(self.m, |b, _| self.value.scale[b].max(row(b)));
        let scaled = |search: &Self| {
            DMatrix::from_fn(search.m, unknown.len(), |b, i| {
                search.value.jacobian[(b, unknown[i])] / scale[b].max(f64::MIN_POSITIVE)
            })
        };
        let terms = (0..self.m).flat_map(|b| (0..self.n).map(move |k| (b, k)));
        let steepest = terms.fold(0.0_f64, |most, (b, k)| {
            most.max(self.value.jacobian[(b, k)].abs() / scale[b].max(f64::MIN_POSITIVE))
        });
        let cut = KERNEL * steepest.max(length.recip());
        let here = scaled(self);
        let small = |matrix: &DMatrix<f64>| {
            let Split { sizes, left, .. } = Split::new(matrix)?;
            let kept = sizes.iter().filter(|size| **size > cut).count();
            let rest = sizes.len() - kept;
            (rest > 0).then(|| left.columns(kept, rest).into_owned())
        };
        let across = small(&here)?;
        let along = small(&here.transpose())?;
        let height = ACROSS * doubt;
        let slope = |matrix: &DMatrix<f64>| across.transpose() * matrix * &along;
        let value = slope(&here);
        let off = value.amax() / steepest;
        let mut slopes = DMatrix::zeros(value.len(), along.ncols());
        for (i, direction) in along.column_iter().enumerate() {
            let mut beside = x.to_vec();
            for (&k, d) in unknown.iter().zip(&direction) {
                beside[k] += height * d;
            }
            self.at(&beside);
            let change = (slope(&scaled(self)) - &value) / height;
            slopes.column_mut(i).copy_from_slice(change.as_slice());
        }
        let wanted = -value.reshape_generic(nalgebra::Dyn(slopes.nrows()), nalgebra::Const::<1>);
        let step = LeastNorm::new(&slopes)?.shortest(&wanted, SLOPE)?;
        let mut change = along * step;
        for (&k, d) in unknown.iter().zip(&change) {
            x[k] += d;
        }
        self.at(x);
        let missed = self.value.residual.component_div(&scale);
        let back = LeastNorm::new(&scaled(self))?.solve(&missed, cut)?;
        for (&k, d) in unknown.iter().zip(&back) {
            x[k] -= d;
        }
        change -= back;
        let moved = change.amax();
        moved.is_finite().then_some((moved, off))
    }

    /// How many of the `unknown` coordinates the constraints leave free round a solution, whose rows are these. Where all rows are
    /// independent the kernel tells; otherwise points beside the solution do, brought back with the given coordinates held.
    pub(super) fn freedom(&mut self, x: &[f64], unknown: &[usize], rows: &Blurred) -> usize {
        let kernel = free(rows);
        let (count, coordinates) = rows.value.shape();
        if kernel == 0 || is_large(count, coordinates) || coordinates - kernel == count {
            return kernel;
        }
        let all: Vec<usize> = (0..self.m).collect();
        self.at(x);
        let w = Blurred::rounded(self.value.jacobian.clone());
        let positions = InUse::positions(self.problem, &all);
        let ways = length_scales(&positions, (self.t, x), (&w, &vec![0.0; self.n]));
        let left = self.left;
        let found = FAR.map(|far| {
            let ways: Vec<f64> = ways.iter().map(|way| far * way).collect();
            self.beside(x, unknown, (&ways, kernel))
        });
        self.left = left;
        found.into_iter().flatten().min().unwrap_or(kernel)
    }

    /// The dimension of what the constraints leave of the `unknown` coordinates so far beside a solution, `None` where no point there
    /// comes back to them; no more than that of the kernel.
    fn beside(
        &mut self,
        x: &[f64],
        unknown: &[usize],
        (ways, kernel): (&[f64], usize),
    ) -> Option<usize> {
        let all: Vec<usize> = (0..self.m).collect();
        let (mut returned, mut most, mut beside) = (false, 0, Vec::new());
        for point in 0..(2 * kernel + 1).clamp(FEW, MANY) {
            let mut trial = x.to_vec();
            for (i, &k) in unknown.iter().enumerate() {
                trial[k] += ways[k] * number(point * unknown.len() + i, point + 1);
            }
            self.left = STEPS;
            if !self.descend(&mut trial, unknown) {
                continue;
            }
            let moved = unknown.iter().map(|&k| (trial[k] - x[k]) / ways[k]);
            let moved: Vec<f64> = moved.collect();
            let far = largest(&moved);
            returned |= far < APART;
            if !(APART..NEAR).contains(&far) {
                continue;
            }
            let reach = spread(&trial, &self.judge(&trial, unknown));
            let there = self.set().blurred((self.t, &trial), &reach);
            most = most.max(free(&there.select(&all).columns(unknown)));
            beside.extend(moved);
        }
        if beside.is_empty() {
            return returned.then_some(0);
        }
        let points = beside.len() / unknown.len();
        let beside = DMatrix::from_vec(unknown.len(), points, beside);
        let directions = LeastNorm::new(&beside).map_or(kernel, |split| split.rank(FLAT));
        Some(most.min(directions))
    }
}
