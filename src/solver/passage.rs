//! The passage of singular configurations along the smooth continuation of the motion.
//!
//! Where the rows of W = [J; A] become dependent the equations do not determine the accelerations, and branches of
//! the constraint set may cross. A motion that is smooth there is determined by its values on both sides: over an
//! interval with singular configurations in it the accelerations are a polynomial,
//!
//! ```text
//! a(t_0 + tau h) = sum_(k < K) alpha_k P_k(2 tau - 1)        min over alpha of sum_i w_i^2 |a(t_i) - a_i|^2
//! ```
//!
//! with x' and x its integrals, K = 11, and t_i the 16 nodes of Gauss. `a_i` are d'Alembert's at the position of the
//! node brought on to the constraints the shortest way, by fixed point iteration from the extrapolated motion
//! (weighted collocation; Hairer, Norsett, Wanner, *Solving Ordinary Differential Equations I*, section II.7, has the
//! one with as many nodes as terms). What rounding does to `a_i` grows like 1/q^3 next to a singular configuration,
//! q the regularity of [`super::regularity`] (1/q in positions, once more in velocities and in accelerations): so
//! w_i = (q_i/q_max)^3, and it matters little where in the interval singular configurations are, and how many.
//!
//! A passage stands only if
//!
//! - the iteration converges, and the polynomial lies on the constraints, in position and velocity, to the
//!   tolerance and to what rounding leaves: a motion that turns off on to another branch has a kink that no
//!   polynomial follows;
//! - its terms fall off: what is left out, by their rate, is below the tolerance;
//! - a singular configuration lies on it, to rounding ([`Ahead::singular`]): a near miss is no passage.

mod zeros;

use std::f64::consts::PI;

use nalgebra::{DMatrix, DVector};

use super::ahead::{Ahead, Path, pace};
use super::method::RightHandSide;
use super::polynomial::legendre;
use super::step::{Knot, Step, Tolerance};
use crate::geometry::LeastNorm;
use zeros::Zeros;

/// Gauss nodes.
const NODES: usize = 16;
/// Terms of the accelerations.
const TERMS: usize = 11;
/// Combinations of them that the nodes tell apart by less than this are left out.
const SAME_TERMS: f64 = 1e-13;
/// Nodes that may fail, as on a singular configuration.
const FAILING: usize = 3;
/// Iterations of the accelerations at the nodes.
const ITERATIONS: usize = 60;
/// The iteration has converged where it moves the nodes by this part of what they may be off by,
const CONVERGED: f64 = 1e-3;
/// or by so much, and no longer shrinks: what rounding does to accelerations next to a singular configuration, mostly
/// across the constraints, where the last projection takes it away.
const STILL: f64 = 10.0;
/// Times the interval is made to fit what is found in it.
const FITTINGS: usize = 6;
/// A singular configuration keeps this part of the interval off its ends.
const MARGIN: f64 = 0.25;
/// Nearer to a singular configuration than this part of the interval, values are those of the polynomial.
const CORE: f64 = 0.05;
/// The polynomial is this many times the tolerance off the constraints at most. Next to a singular
/// configuration rounding alone moves velocities across the constraints by some units of a tight one; the
/// kink of a motion that turns off is larger by many orders.
const NEAR: f64 = 10.0;
/// What is left out of a passage is this part of the tolerance at most, as steps are judged.
const LEFT_OUT: f64 = 0.05;
/// Terms that fall off less than this are what rounding leaves: a shorter passage has more of it, and this part of the
/// tolerance and of the worst rounding is left to it.
const LEVEL_TERMS: f64 = 0.5;
const ROUNDED: f64 = 1.0;
/// Where a passage ends it is off the constraints by no more than this part of the distance of other branches.
const AWAY: f64 = 0.1;
/// A shorter passage is tried at this part of the length that is expected to do, no shorter than this part of the last.
const SAFETY: f64 = 0.9;
const SHORTEST: f64 = 0.5;
/// and no longer than this many times the last.
const LONGEST: f64 = 4.0;
/// Where rounding moves accelerations by more than this part, 1/q^3 of an ulp at the clearest node, they tell no branch from another.
const KNOWN: f64 = 0.1;
/// Rounding moves what is seen at the regularity q by this over q, relative to its size; of a coordinate next to
/// zero a hundredth of the largest is taken for that.
const ROUNDING: f64 = 4096.0 * f64::EPSILON;
/// and by this many times that where there is nothing but rounding left to see.
const WORST: f64 = 64.0;
/// The interval grows by this factor at a time where the extrapolated motion is no guess for all of it.
const GROWTH: f64 = 1.45;

/// An interval of a motion round singular configurations, as a polynomial.
#[derive(Debug, Clone)]
pub(super) struct Passage {
    n: usize,
    pub(super) step: Step,
    y: Vec<f64>,
    slope: Vec<f64>,
    y_new: Vec<f64>,
    slope_new: Vec<f64>,
    /// The coefficients of the accelerations, n a degree.
    alpha: Vec<f64>,
    /// The largest regularity at a node.
    clearest: f64,
    /// The parts of the interval where the singular configurations are, ascending.
    singular: Vec<f64>,
    /// The part of the length that would do, or times the length.
    fits: f64,
}

/// The integrals of the shifted `P_k` from 0 to tau, and those of these.
fn integrals(tau: f64) -> ([f64; TERMS], [f64; TERMS]) {
    let p = legendre::<{ TERMS + 2 }>(2.0 * tau - 1.0);
    let mut once = [tau; TERMS + 1];
    for k in 1..=TERMS {
        once[k] = (p[k + 1] - p[k - 1]) / (2 * (2 * k + 1)) as f64;
    }
    let mut twice = [0.5 * tau * tau; TERMS];
    for k in 1..TERMS {
        twice[k] = (once[k + 1] - once[k - 1]) / (2 * (2 * k + 1)) as f64;
    }
    let mut first = [0.0; TERMS];
    first.copy_from_slice(&once[..TERMS]);
    (first, twice)
}

/// Nodes and weights on (0, 1), ascending.
fn gauss() -> ([f64; NODES], [f64; NODES]) {
    let (mut c, mut b) = ([0.0; NODES], [0.0; NODES]);
    for i in 0..NODES {
        let mut z = -(PI * (i as f64 + 0.75) / (NODES as f64 + 0.5)).cos();
        let slope = |z: f64| {
            let p = legendre::<{ NODES + 1 }>(z);
            let slope = NODES as f64 * (z * p[NODES] - p[NODES - 1]) / (z * z - 1.0);
            (p[NODES], slope)
        };
        for _ in 0..10 {
            let (p, dp) = slope(z);
            z -= p / dp;
        }
        let dp = slope(z).1;
        (c[i], b[i]) = (f64::midpoint(1.0, z), 1.0 / ((1.0 - z * z) * dp * dp));
    }
    (c, b)
}

/// The coefficients of the polynomial that fits best, as combinations of the values at the nodes: TERMS by NODES.
/// `trust` is what each value is worth.
fn fit(trust: &[f64; NODES]) -> Option<DMatrix<f64>> {
    let (c, b) = gauss();
    let weight = |i: usize| trust[i] * b[i].sqrt();
    let rows = c.map(|c| legendre::<TERMS>(2.0 * c - 1.0));
    let matrix = DMatrix::from_fn(NODES, TERMS, |i, k| weight(i) * rows[i][k]);
    let factors = LeastNorm::new(&matrix)?;
    let mut inverse = DMatrix::zeros(TERMS, NODES);
    for (i, mut column) in inverse.column_iter_mut().enumerate() {
        let mut own = DVector::zeros(NODES);
        own[i] = weight(i);
        column.copy_from(&factors.shortest(&own, SAME_TERMS)?);
    }
    Some(inverse)
}

/// What positions and velocities may be off by.
pub(super) struct Doubt<'a> {
    pub(super) tolerance: Tolerance,
    /// The size of each coordinate.
    pub(super) sizes: &'a [f64],
    /// A time in which the configuration changes by its size.
    pace: f64,
    /// What rounding moves at the regularity one, in parts of the sizes.
    rounding: f64,
}

impl Doubt<'_> {
    /// The size of component `k` of (x, v).
    fn size(&self, k: usize) -> f64 {
        let velocities = k.checked_sub(self.sizes.len());
        velocities.map_or_else(|| self.sizes[k], |k| self.sizes[k] / self.pace)
    }

    /// Of component `k`, seen at the regularity q.
    fn of(&self, k: usize, q: f64) -> f64 {
        let size = self.size(k);
        self.tolerance.of(size) + self.rounding / q * size
    }

    /// The same where rounding is all that is left.
    fn at_worst(&self) -> Self {
        Self {
            rounding: WORST * self.rounding,
            ..*self
        }
    }
}

/// Why there is no passage from here.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Refused {
    /// The motion is smooth as far as it was followed and meets no singular configuration.
    Clear,
    /// Its terms do not fall off over so long an interval; one of this part of the length may do.
    Long(f64),
    /// No motion over both sides was found.
    Astray,
}

/// The passage of the singular configuration that is expected at the time `s` ahead on a path, and of those next to
/// it.
pub(super) fn passage(
    rhs: &mut RightHandSide<'_>,
    ahead: &mut Ahead<'_>,
    path: &Path<'_>,
    s: f64,
    (tolerance, sizes): (Tolerance, &[f64]),
) -> Result<Passage, Refused> {
    let doubt = Doubt {
        tolerance,
        sizes,
        pace: pace(sizes, path.v),
        rounding: ROUNDING,
    };
    // no method, and no unit, knows another way back than the others
    rhs.in_units(sizes, |rhs| {
        let mut guides = Guides { rhs, ahead };
        let straight = Passage::fitted(&mut guides, path, &doubt, (2.0 * s, None));
        if !matches!(straight, Err(Refused::Astray)) {
            return straight;
        }
        let grown = Passage::grown(&mut guides, path, &doubt, s).ok_or(Refused::Astray)?;
        let h = grown.step.taken;
        Passage::fitted(&mut guides, path, &doubt, (h, Some(grown)))
    })
}

/// D'Alembert's accelerations, and where the rows are dependent.
struct Guides<'m, 'a, 'b> {
    rhs: &'m mut RightHandSide<'a>,
    ahead: &'m mut Ahead<'b>,
}

impl Passage {
    /// Over the time h from the beginning of a path, nothing known of it yet.
    fn blank(path: &Path<'_>, h: f64) -> Self {
        let n = path.x.len();
        let y: Vec<f64> = path.x.iter().chain(path.v).copied().collect();
        let slope: Vec<f64> = path.v.iter().chain(path.a).copied().collect();
        Self {
            n,
            step: Step {
                t: path.t,
                t_new: path.t + h,
                taken: h,
                next: h,
                ..Step::default()
            },
            y_new: y.clone(),
            slope_new: slope.clone(),
            y,
            slope,
            alpha: vec![0.0; TERMS * n],
            clearest: 1.0,
            singular: Vec::new(),
            fits: 1.0,
        }
    }

    /// The motion over the time h, from what is known of it, else from the path.
    fn tried(
        guides: &mut Guides<'_, '_, '_>,
        path: &Path<'_>,
        doubt: &Doubt<'_>,
        (h, known): (f64, Option<&Self>),
    ) -> Option<Self> {
        let mut trial = Self::blank(path, h);
        trial.iterate(guides, doubt, |part, y| match known {
            Some(known) => known.interpolate(part * h / known.step.taken, y),
            None => path.at(part * h, y),
        })?;
        Some(trial)
    }

    /// A passage that stands, its length made to fit the singular configurations in it; begun with the length h from
    /// what is known of the motion, else from the path.
    fn fitted(
        guides: &mut Guides<'_, '_, '_>,
        path: &Path<'_>,
        doubt: &Doubt<'_>,
        (mut h, mut known): (f64, Option<Self>),
    ) -> Result<Self, Refused> {
        for _ in 0..FITTINGS {
            let trial = Self::tried(guides, path, doubt, (h, known.as_ref()));
            let mut trial = trial.ok_or(Refused::Astray)?;
            let Zeros { missed, behind } = trial.zeros(guides.ahead, doubt);
            let (Some(&first), Some(&last)) = (trial.singular.first(), trial.singular.last())
            else {
                trial.stands(guides, doubt)?;
                return Err(if missed {
                    Refused::Astray
                } else {
                    Refused::Clear
                });
            };
            // its end keeps off the singular configurations before and behind it
            let room = (0.5 * first).min(MARGIN);
            let next = behind.unwrap_or(f64::INFINITY);
            if 1.0 - last >= room && next - 1.0 >= room {
                trial.stands(guides, doubt)?;
                return Ok(trial);
            }
            h *= if next - last >= 2.0 * room {
                (last + first).min(f64::midpoint(last, next))
            } else {
                first + next
            };
            known = Some(trial);
        }
        Err(Refused::Astray)
    }

    /// The motion over a little more than what lies before the singular configuration at the time s ahead, and as much
    /// behind it, grown bit by bit.
    fn grown(
        guides: &mut Guides<'_, '_, '_>,
        path: &Path<'_>,
        doubt: &Doubt<'_>,
        s: f64,
    ) -> Option<Self> {
        let mut known: Option<Self> = None;
        let mut h = 0.8 * s;
        loop {
            let trial = Self::tried(guides, path, doubt, (h, known.as_ref()))?;
            if h.abs() >= 2.0 * s.abs() {
                return Some(trial);
            }
            h *= GROWTH;
            known = Some(trial);
        }
    }

    /// Fixed point iteration of the accelerations at the nodes, from a guess of (x, v) at each part of the interval.
    fn iterate(
        &mut self,
        Guides { rhs, ahead }: &mut Guides<'_, '_, '_>,
        doubt: &Doubt<'_>,
        guess: impl Fn(f64, &mut [f64]),
    ) -> Option<()> {
        let n = self.n;
        let (c, _) = gauss();
        let mut nodes = vec![vec![0.0; 2 * n]; NODES];
        for (node, c) in nodes.iter_mut().zip(c) {
            guess(c, node);
        }
        let half = (self.step.time(0.5), &nodes[NODES / 2][..n]);
        ahead.rows.stand_wide(half, doubt.sizes, doubt.pace);
        let worst = doubt.at_worst();
        let mut before = f64::INFINITY;
        let mut slow = 0;
        for _ in 0..ITERATIONS {
            let mut q = [0.0; NODES];
            let mut accelerations = DMatrix::zeros(NODES, n);
            for (i, node) in nodes.iter().enumerate() {
                let mut y = node.clone();
                let t = self.step.time(c[i]);
                if rhs.project(t, &mut y).is_err() {
                    continue;
                }
                let Ok((_, a, _)) = rhs.evaluate(t, &y) else {
                    continue;
                };
                accelerations.row_mut(i).copy_from_slice(a);
                let found = ahead.rows.at(t, &y[..n]);
                q[i] = if found > 0.0 { found } else { 0.0 };
            }
            if q.iter().filter(|q| **q == 0.0).count() > FAILING {
                return None;
            }
            self.clearest = q.iter().fold(0.0_f64, |top, q| top.max(*q));
            let operator = fit(&q.map(|q| (q / self.clearest).powi(3)))?;
            let alpha = operator * accelerations;
            for (k, row) in self.alpha.chunks_exact_mut(n).enumerate() {
                row.iter_mut()
                    .zip(&alpha.row(k))
                    .for_each(|(slot, e)| *slot = *e);
            }
            let (mut change, mut rough) = (0.0_f64, 0.0_f64);
            for (i, node) in nodes.iter_mut().enumerate() {
                let old = node.clone();
                self.interpolate(c[i], node);
                if q[i] == 0.0 {
                    continue;
                }
                for (k, (new, old)) in node.iter().zip(&old).enumerate() {
                    let by = (new - old).abs();
                    // max forgets NaN
                    change = if by.is_nan() {
                        f64::NAN
                    } else {
                        change.max(by / doubt.of(k, q[i]))
                    };
                    rough = rough.max(by / worst.of(k, q[i]));
                }
            }
            if !change.is_finite() {
                return None;
            }
            slow = if change > 0.5 * before { slow + 1 } else { 0 };
            if change <= CONVERGED || slow > 0 && rough <= STILL {
                return Some(());
            }
            if slow > 3 {
                return None;
            }
            before = change;
        }
        None
    }

    /// Whether it is smooth and lies on the constraints. Completes its end.
    fn stands(
        &mut self,
        Guides { rhs, ahead }: &mut Guides<'_, '_, '_>,
        doubt: &Doubt<'_>,
    ) -> Result<(), Refused> {
        let n = self.n;
        if f64::EPSILON > KNOWN * self.clearest.powi(3) {
            return Err(Refused::Astray);
        }
        // coefficients shrink geometrically; the first one left out, through its integral
        let pair = |k: usize, doubt: &Doubt<'_>| {
            let terms = self.alpha[(k - 1) * n..(k + 1) * n].iter().enumerate();
            terms.fold(0.0_f64, |most, (i, e)| {
                most.max(e.abs() / doubt.of(n + i % n, self.clearest))
            })
        };
        let (last, earlier) = (pair(TERMS - 1, doubt), pair(TERMS - 3, doubt));
        let ratio = if earlier > 0.0 {
            (last / earlier).sqrt().min(1.0)
        } else {
            1.0
        };
        let worst = doubt.at_worst();
        let (last, allowed) = if ratio > LEVEL_TERMS {
            (pair(TERMS - 1, &worst), ROUNDED)
        } else {
            (last, LEFT_OUT)
        };
        let left_out = self.step.taken.abs() * last * ratio / (4 * TERMS + 2) as f64;
        self.fits = SAFETY * (allowed / left_out).powf(1.0 / TERMS as f64);
        if left_out.is_nan() || left_out > allowed {
            return Err(Refused::Long(self.fits.clamp(SHORTEST, SAFETY)));
        }
        let (c, _) = gauss();
        let (mut on, mut path) = (vec![0.0; 2 * n], vec![0.0; 2 * n]);
        let mut failing = 0;
        for part in c.into_iter().chain([1.0]) {
            self.interpolate(part, &mut path);
            on.copy_from_slice(&path);
            let t = if part == 1.0 {
                self.step.t_new
            } else {
                self.step.time(part)
            };
            if rhs.project(t, &mut on).is_err() {
                failing += 1;
                if part == 1.0 || failing > FAILING {
                    return Err(Refused::Astray);
                }
                continue;
            }
            let q = ahead.rows.at(t, &on[..n]).max(f64::MIN_POSITIVE);
            // where it ends the other branches are further away, by the regularity in parts of the sizes
            let most = |k: usize| {
                let off = NEAR * worst.of(k, q);
                if part == 1.0 {
                    off.min(AWAY * q * doubt.size(k))
                } else {
                    off
                }
            };
            let near = |(k, (a, b)): (usize, (&f64, &f64))| (a - b).abs() <= most(k);
            if !on.iter().zip(&path).enumerate().all(near) {
                return Err(Refused::Astray);
            }
        }
        let Ok((_, a, _)) = rhs.evaluate(self.step.t_new, &on) else {
            return Err(Refused::Astray);
        };
        self.slope_new[..n].copy_from_slice(&on[n..]);
        self.slope_new[n..].copy_from_slice(a);
        self.y_new.copy_from_slice(&on);
        Ok(())
    }

    /// (x, v) at a part of the interval.
    pub(super) fn interpolate(&self, part: f64, out: &mut [f64]) {
        let (n, h) = (self.n, self.step.taken);
        let (once, twice) = integrals(part);
        for k in 0..n {
            let (mut dv, mut dx) = (0.0, part * self.y[n + k]);
            for (i, alpha) in self.alpha.iter().skip(k).step_by(n).enumerate() {
                dv += alpha * once[i];
                dx += h * alpha * twice[i];
            }
            out[k] = self.y[k] + h * dx;
            if let Some(out) = out.get_mut(n + k) {
                *out = self.y[n + k] + h * dv;
            }
        }
    }

    /// The accelerations at a part of the interval.
    pub(super) fn accelerations(&self, part: f64) -> Vec<f64> {
        let p = legendre::<TERMS>(2.0 * part - 1.0);
        let rows = self.alpha.chunks_exact(self.n).zip(p);
        let mut a = vec![0.0; self.n];
        for (row, p) in rows {
            a.iter_mut().zip(row).for_each(|(a, alpha)| *a += p * alpha);
        }
        a
    }

    /// Whether a part of the interval is so near to a singular configuration that only the polynomial
    /// says what happens there.
    pub(super) fn core(&self, part: f64) -> bool {
        self.singular
            .iter()
            .any(|place| (part - place).abs() <= CORE)
    }

    /// From which part to which that is so, or so much narrower.
    pub(super) fn cores(&self, narrower: f64) -> impl Iterator<Item = [f64; 2]> {
        let width = CORE / narrower;
        let places = self.singular.iter();
        places.map(move |place| [place - width, place + width])
    }

    /// The singular configurations: the time and (x, v) of each.
    pub(super) fn singular(&self) -> impl Iterator<Item = (f64, Vec<f64>)> {
        self.singular.iter().map(|part| {
            let mut y = vec![0.0; 2 * self.n];
            self.interpolate(*part, &mut y);
            (self.step.time(*part), y)
        })
    }

    /// (t, y, y') at the start.
    pub(super) fn start(&self) -> Knot<'_> {
        Knot::new(self.step.t, &self.y, &self.slope)
    }

    /// (t, y, y') at the end.
    pub(super) fn end(&self) -> Knot<'_> {
        Knot::new(self.step.t_new, &self.y_new, &self.slope_new)
    }

    /// The time before the first singular configuration from where the longest passage would be taken.
    pub(super) fn reach(&self) -> f64 {
        let first = self.singular.first().copied().unwrap_or(0.5);
        first * self.step.taken.abs() * self.fits.clamp(SHORTEST, LONGEST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gauss_nodes_integrate_polynomials_of_degree_31() {
        let (c, b) = gauss();
        for degree in 0..32 {
            let sum: f64 = c.iter().zip(b).map(|(c, b)| b * c.powi(degree)).sum();
            assert!(
                (sum - 1.0 / f64::from(degree + 1)).abs() < 1e-15,
                "{degree}"
            );
        }
    }

    #[test]
    fn integrals_are_those_of_the_legendre_polynomials() {
        // the derivatives by differences
        let h = 1e-5;
        for tau in [0.0, 0.3, 0.5, 0.9, 1.0] {
            let (low, high) = (integrals(tau - h), integrals(tau + h));
            let p = legendre::<TERMS>(2.0 * tau - 1.0);
            let (once, _) = integrals(tau);
            for k in 0..TERMS {
                assert!(((high.0[k] - low.0[k]) / (2.0 * h) - p[k]).abs() < 1e-7);
                assert!(((high.1[k] - low.1[k]) / (2.0 * h) - once[k]).abs() < 1e-8);
            }
        }
        let (once, twice) = integrals(0.0);
        assert!(once.iter().chain(&twice).all(|e| e.abs() < 1e-16));
    }
}
