//! Equations of motion with multipliers, dense.
//!
//! ```text
//! [ M  W^T ] [    a    ]   [   b   ]
//! [ W   0  ] [ -lambda ] = [ gamma ]
//! ```
//!
//! M may be singular as long as it is regular on ker W. The matrix is scaled on both sides, with the square roots of the
//! diagonal of M for the coordinates and what makes the rows of W of size one for the constraints, so that the choice of pivots
//! and the test for singularity know no units.
//!
//! Where large forces cancel in a small inertia force, the solution is corrected by what it leaves over (Skeel, Math. Comp. 35,
//! 1980): the error is then that of entries changed by rounding, each relative to itself, and no longer relative to the
//! largest force. So it is where rows are nearly dependent and W a = gamma is missed: what the elimination leaves of M
//! is W M^-1 W^T, whose condition is the square of that of W.

use super::linear::Lu;

/// Forces that are so many times the inertia force they cancel to are worth a correction, and so many roundings that W a = gamma is
/// missed by.
const CANCELS: f64 = 1e4;
/// Corrections, as long as they halve what is missed.
const CORRECTIONS: usize = 3;

/// M by rows and W by rows.
#[derive(Clone, Copy)]
pub(super) struct Blocks<'a> {
    pub(super) mass: &'a [f64],
    pub(super) rows: &'a [f64],
}

impl Blocks<'_> {
    /// The [`scales`] of the n coordinates and the constraints.
    pub(super) fn scales(self, n: usize, scale: &mut [f64]) {
        let diagonal = (0..n).map(|k| (k, self.mass[k * n + k]));
        let rows = self.rows.chunks_exact(n.max(1)).enumerate();
        let entries = rows.flat_map(|(b, row)| (0..n).map(move |k| ((b, k), row[k])));
        scales(n, diagonal, entries, scale);
    }
}

/// Workspace for n coordinates and r constraints.
#[derive(Debug, Clone)]
pub(super) struct Saddle {
    n: usize,
    lu: Lu,
    scale: Vec<f64>,
    unknowns: Vec<f64>,
}

impl Saddle {
    pub(super) fn new(n: usize, r: usize) -> Self {
        Self {
            n,
            lu: Lu::new(n + r),
            scale: vec![1.0; n + r],
            unknowns: vec![0.0; n + r],
        }
    }

    /// Accelerations and multipliers, from the entries of b and of gamma; false where they are not determined.
    pub(super) fn solve(
        &mut self,
        blocks: Blocks,
        (force, gamma): (impl Fn(usize) -> f64, impl Fn(usize) -> f64),
        (a, lambda): (&mut [f64], &mut [f64]),
    ) -> bool {
        let n = self.n;
        blocks.scales(n, &mut self.scale);
        let size = self.scale.len();
        let (coordinate, row) = self.scale.split_at(n);
        let entries = self.lu.entries();
        entries.fill(0.0);
        for (k, scale) in coordinate.iter().enumerate() {
            let column = &blocks.mass[k * n..(k + 1) * n];
            for (i, (m, s)) in column.iter().zip(coordinate).enumerate() {
                entries[i * size + k] = m * s * scale;
            }
        }
        for (b, scale) in row.iter().enumerate() {
            for (k, j) in blocks.rows[b * n..(b + 1) * n].iter().enumerate() {
                let entry = j * scale * coordinate[k];
                entries[(n + b) * size + k] = entry;
                entries[k * size + n + b] = entry;
            }
        }
        if !self.lu.regular() {
            return false;
        }
        for (k, u) in self.unknowns[..n].iter_mut().enumerate() {
            *u = force(k) * coordinate[k];
        }
        for (b, u) in self.unknowns[n..].iter_mut().enumerate() {
            *u = gamma(b) * row[b];
        }
        a.fill(0.0);
        lambda.fill(0.0);
        self.correct(a, lambda);
        let (cancels, mut missed) = self.left_over(blocks, (&force, &gamma), (a, lambda));
        let mut worth = cancels.max(missed) > CANCELS;
        for _ in 0..CORRECTIONS {
            if !worth {
                break;
            }
            self.correct(a, lambda);
            let (_, left) = self.left_over(blocks, (&force, &gamma), (a, lambda));
            worth = left > CANCELS && left < 0.5 * missed;
            missed = left;
        }
        true
    }

    /// Adds the solution of what is left over.
    fn correct(&mut self, a: &mut [f64], lambda: &mut [f64]) {
        self.lu.solve(&mut self.unknowns);
        let (coordinate, row) = self.scale.split_at(self.n);
        let (own, multipliers) = self.unknowns.split_at(self.n);
        for ((a, u), s) in a.iter_mut().zip(own).zip(coordinate) {
            *a += u * s;
        }
        for ((l, u), s) in lambda.iter_mut().zip(multipliers).zip(row) {
            *l -= u * s;
        }
    }

    /// What the equations leave over, scaled, into the unknowns; how much larger than an inertia force the forces
    /// are that cancel in it, and how many roundings W a = gamma is missed by, at most.
    fn left_over(
        &mut self,
        blocks: Blocks,
        (force, gamma): (impl Fn(usize) -> f64, impl Fn(usize) -> f64),
        (a, lambda): (&[f64], &[f64]),
    ) -> (f64, f64) {
        let n = self.n;
        let (coordinate, row) = self.scale.split_at(n);
        let (mut cancels, mut missed) = (0.0_f64, 0.0_f64);
        for (k, scale) in coordinate.iter().enumerate() {
            let mut forces = force(k);
            let mut terms = forces.abs();
            for (l, row) in lambda.iter().zip(blocks.rows.chunks_exact(n)) {
                let force = l * row[k];
                forces += force;
                terms += force.abs();
            }
            let column = &blocks.mass[k * n..(k + 1) * n];
            let inertia: f64 = column.iter().zip(a).map(|(m, a)| m * a).sum();
            self.unknowns[k] = (forces - inertia) * scale;
            if inertia != 0.0 {
                cancels = cancels.max(terms / inertia.abs());
            }
        }
        let rows = blocks.rows.chunks_exact(n.max(1));
        for (b, (row, scale)) in rows.zip(row).enumerate() {
            let (mut rate, mut terms) = (0.0, 0.0);
            for (j, a) in row.iter().zip(a) {
                let term = j * a;
                rate += term;
                terms += term.abs();
            }
            let gamma = gamma(b);
            self.unknowns[n + b] = (gamma - rate) * scale;
            terms += gamma.abs();
            if terms > 0.0 {
                missed = missed.max((gamma - rate).abs() / (f64::EPSILON * terms));
            }
        }
        (cancels, missed)
    }
}

/// Scales of the n coordinates and the constraints, from the diagonal of M and the entries of W: s M s has ones on its
/// diagonal where M has no zero there, and the rows and the massless columns of the scaled W have largest entry one.
pub(super) fn scales(
    n: usize,
    diagonal: impl Iterator<Item = (usize, f64)>,
    entries: impl Iterator<Item = ((usize, usize), f64)> + Clone,
    scale: &mut [f64],
) {
    let (coordinate, row) = scale.split_at_mut(n);
    coordinate.fill(0.0);
    for (k, m) in diagonal.filter(|(_, m)| *m != 0.0) {
        coordinate[k] = m.abs().sqrt().recip();
    }
    row.fill(0.0);
    entries
        .clone()
        .for_each(|((b, k), j)| row[b] = row[b].max((j * coordinate[k]).abs()));
    let massless = coordinate.contains(&0.0);
    if massless {
        // rows on massless coordinates only have scales of their own, marked by a minus
        for ((b, k), j) in entries.clone() {
            if row[b] <= 0.0 && coordinate[k] == 0.0 {
                row[b] = row[b].min(-j.abs());
            }
        }
    }
    let inverse = |s: f64| if s == 0.0 { 1.0 } else { s.abs().recip() };
    for s in row.iter_mut() {
        *s = inverse(*s);
    }
    if massless {
        for ((b, k), j) in entries {
            // the same mark for the columns
            if coordinate[k] <= 0.0 {
                coordinate[k] = coordinate[k].min(-(j * row[b]).abs());
            }
        }
        for s in coordinate.iter_mut().filter(|s| **s <= 0.0) {
            *s = inverse(*s);
        }
    }
}
