//! The report's form: in a chart, the dependent coordinates D are functions of the independent ones I
//! (NRL Memorandum Report 6001, sections 4 to 6).
//!
//! With B = [-`J_D`^-1 `J_I`; 1] (rows in the order D, I) the reduced equations are B^T E = 0, and
//!
//! ```text
//! a = a_0 + B a_I,   a_0 = [J_D^-1 gamma; 0],   (B^T M B) a_I = -B^T (M a_0 + h)
//! lambda = J_D^-T E_D
//! ```
//!
//! Velocity constraints A x' + b = 0 become (A B) x_I' = ..., and their multipliers mu are solved for beside `a_I`
//! (see [`super::velocity`]); then lambda = `J_D`^-T (`E_D` - `A_D`^T mu).
//!
//! The branch of the inverse function is the sign of det `J_D`: while a chart is in use it must not
//! change, and a place where it has is refused.

use super::chart::Scales;
use super::linear::Lu;
use super::linearised::{Linearised, Stop};
use super::step::larger;
use super::velocity::Nonholonomic;
use crate::geometry::dot;
use crate::sparse::{self, Sparse, is_large};

/// Workspace of the reduced equations in one chart.
#[derive(Debug, Clone)]
pub(super) struct Inverse {
    n: usize,
    dependent: Vec<usize>,
    independent: Vec<usize>,
    /// The sign of det `J_D` on the branch in use; 0 before it is known.
    sign: f64,
    block: Lu,
    /// Row i is -`J_D`^-1 times column i of `J_I`.
    slopes: Vec<f64>,
    reduced: Lu,
    vector: Vec<f64>,
    small: Vec<f64>,
    free: Vec<f64>,
    /// The entries of M that are not zero, row by row.
    mass: Vec<Vec<(usize, f64)>>,
    /// The velocity constraints in this chart, where there are some.
    nonholonomic: Option<Box<Nonholonomic>>,
}

/// The sign of det J_D stays what it was first: where it changes, another branch of g begins.
pub(super) fn same_side(first: &mut f64, now: f64) -> Result<(), Stop> {
    if *first == 0.0 {
        *first = now;
    }
    if now == *first {
        Ok(())
    } else {
        Err(Stop::Branch)
    }
}

impl Inverse {
    /// The chart with these dependent coordinates.
    pub(super) fn new(n: usize, dependent: &[usize]) -> Self {
        let r = dependent.len();
        let independent: Vec<usize> = (0..n).filter(|k| !dependent.contains(k)).collect();
        let free = independent.len();
        Self {
            n,
            dependent: dependent.to_vec(),
            independent,
            sign: 0.0,
            block: Lu::new(r),
            slopes: vec![0.0; free * r],
            reduced: Lu::new(free),
            vector: vec![0.0; n],
            small: vec![0.0; r],
            free: vec![0.0; free],
            mass: vec![Vec::new(); n],
            nonholonomic: None,
        }
    }

    /// The same with so many velocity constraints.
    pub(super) fn with_velocity(n: usize, dependent: &[usize], velocities: usize) -> Self {
        let mut chart = Self::new(n, dependent);
        if velocities > 0 {
            let room = Nonholonomic::new(chart.independent.len(), velocities);
            chart.nonholonomic = Some(Box::new(room));
        }
        chart
    }

    /// The dependent coordinates.
    pub(super) fn dependent(&self) -> &[usize] {
        &self.dependent
    }

    /// The independent coordinates.
    pub(super) fn independent(&self) -> &[usize] {
        &self.independent
    }

    /// Whether det J_D, of this sign, is on the branch in use.
    pub(super) fn on_branch(&mut self, sign: f64) -> bool {
        same_side(&mut self.sign, sign).is_ok()
    }

    /// The columns of -`J_D`^-1 `J_I`, to be filled in by who knows them.
    pub(super) fn slopes(&mut self) -> &mut [f64] {
        &mut self.slopes
    }

    /// Lets the next factorisation say which branch is in use.
    pub(super) fn forget_branch(&mut self) {
        self.sign = 0.0;
    }

    /// Factors `J_D`; refuses another branch than the one in use.
    pub(super) fn factor(&mut self, jacobian: &[f64]) -> Result<(), Stop> {
        let (n, r) = (self.n, self.dependent.len());
        let entries = self.block.entries();
        for (b, row) in jacobian.chunks_exact(n).take(r).enumerate() {
            for (slot, &d) in entries[b * r..(b + 1) * r].iter_mut().zip(&self.dependent) {
                *slot = row[d];
            }
        }
        if !self.block.regular() {
            return Err(Stop::Singular);
        }
        same_side(&mut self.sign, self.block.sign())
    }

    /// The correction of the dependent coordinates with J dx = r: r in the first entries of `dx`.
    pub(super) fn correction(&mut self, dx: &mut [f64]) {
        let r = self.dependent.len();
        self.small.copy_from_slice(&dx[..r]);
        self.block.solve(&mut self.small);
        dx.fill(0.0);
        for (&d, s) in self.dependent.iter().zip(&self.small) {
            dx[d] = *s;
        }
    }

    /// The velocities dv with J dv = 0 and A dv = `miss`, the independent ones as small as they can be; J by rows,
    /// then A.
    pub(super) fn shortest(
        &mut self,
        rows: &[f64],
        miss: &[f64],
        dv: &mut [f64],
    ) -> Result<(), Stop> {
        let (n, r) = (self.n, self.dependent.len());
        let Some(mut room) = self.nonholonomic.take() else {
            dv.fill(0.0);
            return Ok(());
        };
        for (i, &column) in self.independent.iter().enumerate() {
            let slope = &mut self.slopes[i * r..(i + 1) * r];
            for (s, row) in slope.iter_mut().zip(rows.chunks_exact(n)) {
                *s = -row[column];
            }
            self.block.solve(slope);
        }
        self.along_velocities(rows.chunks_exact(n).skip(r), &mut room);
        let found = room.shortest(miss, &mut self.free);
        self.nonholonomic = Some(room);
        if !found {
            return Err(Stop::Singular);
        }
        dv.fill(0.0);
        self.add_free(dv);
        Ok(())
    }

    /// out += B `self.free`.
    fn add_free(&self, out: &mut [f64]) {
        let r = self.dependent.len();
        for (i, (f, &column)) in self.free.iter().zip(&self.independent).enumerate() {
            out[column] += f;
            for (s, &d) in self.slopes[i * r..(i + 1) * r].iter().zip(&self.dependent) {
                out[d] += s * f;
            }
        }
    }

    /// Solves for `a_I`, its right side in `self.free`, and for mu where there are velocity constraints; `a_0` in `a`.
    fn solve_free(&mut self, at: &Linearised, a: &[f64], mu: &mut [f64]) -> Result<(), Stop> {
        let Some(mut room) = self.nonholonomic.take() else {
            if !self.reduced.regular() {
                return Err(Stop::Singular);
            }
            self.reduced.solve(&mut self.free);
            return Ok(());
        };
        let r = self.dependent.len();
        let own = || (0..at.velocities()).map(|j| at.row(r + j));
        self.along_velocities(own(), &mut room);
        let right = (r..).zip(own()).map(|(b, row)| at.gamma(b) - dot(row, a));
        let solved = room.solve(self.reduced.entries(), &mut self.free, right);
        mu.copy_from_slice(room.multipliers());
        self.nonholonomic = Some(room);
        if solved { Ok(()) } else { Err(Stop::Singular) }
    }

    /// A B, row by row, with the slopes known.
    fn along_velocities<'r>(&self, rows: impl Iterator<Item = &'r [f64]>, room: &mut Nonholonomic) {
        let r = self.dependent.len();
        for (j, row) in rows.enumerate() {
            for (i, &column) in self.independent.iter().enumerate() {
                let slope = &self.slopes[i * r..(i + 1) * r];
                room.set(j, i, along(row, column, slope, &self.dependent));
            }
        }
    }

    /// The largest entry of `J_D`^-1 `J_I` in these units, as of the last [`Inverse::solve`]: how much better another
    /// chart, one exchange away, would be conditioned.
    pub(super) fn stretch(&self, units: &Scales) -> f64 {
        let r = self.dependent.len();
        let columns = self
            .independent
            .iter()
            .zip(self.slopes.chunks_exact(r.max(1)));
        columns.fold(0.0, |most, (&i, slope)| {
            let entries = self.dependent.iter().zip(slope);
            entries.fold(most, |most, (&d, s)| {
                larger(most, (s * units.each[i] * units.inverse[d]).abs())
            })
        })
    }

    /// Whether that is no more than this for several stages, whose slopes stand one after the other; those of the last are kept.
    pub(super) fn stretches_at_most(&mut self, most: f64, columns: &[f64], units: &Scales) -> bool {
        let own = self.slopes.len();
        let Some(last) = columns.len().checked_sub(own) else {
            return false;
        };
        // the largest of all in the worst units, as nearly always, is small enough
        let steepest = columns.iter().fold(0.0, |most, s| larger(most, s.abs()));
        let unit = |unit: &[f64], all: &[usize]| all.iter().fold(0.0, |m, &k| larger(m, unit[k]));
        let units_at_most =
            unit(&units.each, &self.independent) * unit(&units.inverse, &self.dependent);
        let mut within = steepest * units_at_most <= most;
        if !within {
            within = columns.chunks_exact(own.max(1)).all(|stage| {
                self.slopes.copy_from_slice(stage);
                self.stretch(units) <= most
            });
        }
        self.slopes.copy_from_slice(&columns[last..]);
        within
    }

    /// Accelerations, and multipliers, at the instant whose `J_D` was factored last.
    pub(super) fn solve(
        &mut self,
        at: &Linearised,
        a: &mut [f64],
        lambda: &mut [f64],
    ) -> Result<(), Stop> {
        let (r, free) = (self.dependent.len(), self.independent.len());
        // one solution an independent coordinate: of a large system the entries that are not zero are few
        let sparse = if is_large(r, r) {
            let rows = (0..r).map(|b| {
                let row = at.row(b);
                let entries = self.dependent.iter().map(|&d| row[d]).enumerate();
                entries.filter(|(_, v)| *v != 0.0).collect()
            });
            let rows = rows.collect();
            sparse::Lu::new(&Sparse { rows, columns: r })
        } else {
            None
        };
        for (i, &column) in self.independent.iter().enumerate() {
            let slope = &mut self.slopes[i * r..(i + 1) * r];
            for (b, s) in slope.iter_mut().enumerate() {
                *s = -at.row(b)[column];
            }
            match &sparse {
                Some(block) => slope.copy_from_slice(&block.solve(slope)),
                None => self.block.solve(slope),
            }
        }
        for (b, s) in self.small.iter_mut().enumerate() {
            *s = at.gamma(b);
        }
        self.block.solve(&mut self.small);
        a.fill(0.0);
        for (&d, s) in self.dependent.iter().zip(&self.small) {
            a[d] = *s;
        }
        if free > 0 {
            at.forces(a, &mut self.vector);
            for (i, (f, &column)) in self.free.iter_mut().zip(&self.independent).enumerate() {
                *f = -along(
                    &self.vector,
                    column,
                    &self.slopes[i * r..(i + 1) * r],
                    &self.dependent,
                );
            }
            for (k, row) in self.mass.iter_mut().enumerate() {
                row.clear();
                let entries = at.mass(k).iter().copied().enumerate();
                row.extend(entries.filter(|(_, m)| *m != 0.0));
            }
            for i in 0..free {
                let column = self.independent[i];
                self.vector.copy_from_slice(at.mass(column));
                for (s, &d) in self.slopes[i * r..(i + 1) * r].iter().zip(&self.dependent) {
                    if *s != 0.0 {
                        for &(k, m) in &self.mass[d] {
                            self.vector[k] += s * m;
                        }
                    }
                }
                let entries = self.reduced.entries();
                if is_large(r, r) {
                    // B^T M B is symmetric: half of it, in sums that need not wait for each other
                    for (s, &d) in self.small.iter_mut().zip(&self.dependent) {
                        *s = self.vector[d];
                    }
                    for (l, &other) in self.independent.iter().enumerate().take(i + 1) {
                        let slope = &self.slopes[l * r..(l + 1) * r];
                        let value = self.vector[other] + quick_dot(slope, &self.small);
                        entries[l * free + i] = value;
                        entries[i * free + l] = value;
                    }
                    continue;
                }
                for (l, &other) in self.independent.iter().enumerate() {
                    entries[l * free + i] = along(
                        &self.vector,
                        other,
                        &self.slopes[l * r..(l + 1) * r],
                        &self.dependent,
                    );
                }
            }
            self.solve_free(at, a, &mut lambda[r..])?;
            self.add_free(a);
        }
        at.forces(a, &mut self.vector);
        let (lambda, mu) = lambda.split_at_mut(r);
        for (j, mu) in mu.iter().enumerate() {
            for (e, row) in self.vector.iter_mut().zip(at.row(r + j)) {
                *e -= mu * row;
            }
        }
        for (l, &d) in lambda.iter_mut().zip(&self.dependent) {
            *l = self.vector[d];
        }
        self.block.solve_transposed(lambda);
        Ok(())
    }
}

/// The scalar product, in four sums side by side.
fn quick_dot(a: &[f64], b: &[f64]) -> f64 {
    let (fours, others) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest = dot(fours.remainder(), others.remainder());
    let mut sums = [0.0; 4];
    for (p, q) in fours.zip(others) {
        for k in 0..4 {
            sums[k] += p[k] * q[k];
        }
    }
    rest + (sums[0] + sums[1]) + (sums[2] + sums[3])
}

/// The scalar product of a force with a column of B.
fn along(force: &[f64], column: usize, slope: &[f64], dependent: &[usize]) -> f64 {
    slope
        .iter()
        .zip(dependent)
        .fold(force[column], |sum, (s, &d)| sum + s * force[d])
}
