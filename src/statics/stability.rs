//! Stability: the second variation on the tangent space, and the linearised motion.
//!
//! With N a basis of ker J, M, C and K of the linearised motion become N^T M N, N^T C N, N^T K N.
//!
//! * **stable**: K is positive definite, M is too, no force is circulatory and applied forces only damp
//!   (energy is a Lyapunov function: Lagrange, Dirichlet; gyroscopic forces change nothing), or all
//!   characteristic exponents have negative real parts;
//! * **unstable**: K has a negative direction and there is no C and no circulatory force, or some exponent
//!   has a positive real part;
//! * **degenerate** otherwise, with the reason.
//!
//! A number counts as zero within the rounding of the terms that it is made of, and within what the last
//! Newton correction changes it by.

use super::equations::{Damping, Statics};
use super::numeric::Local;
use crate::expr::{Expr, Tape, Workspace};
use crate::system::System;
use crate::theorem::{arguments, inputs};
use nalgebra::{Complex, DMatrix, DVector, Schur};

/// Multiple of the rounding of terms within which an eigenvalue is zero.
const BLUR: f64 = 64.0 * f64::EPSILON;
/// A real part of less than this part of its exponent is none: a double exponent is known to the root of
/// the rounding unit only.
const REAL: f64 = 1e-7;
/// Gradients are dependent where a singular value is below this part of the largest.
const RANK: f64 = 1e-10;
/// A mass below this part of the largest is none.
const MASSLESS: f64 = 1e-12;

/// What the second variation says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Positive definite.
    Minimum,
    /// Negative definite.
    Maximum,
    /// Of both signs.
    Saddle,
    /// It has zero directions, and not both signs.
    Degenerate,
}

impl Kind {
    /// Its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Minimum => "minimum",
            Self::Maximum => "maximum",
            Self::Saddle => "saddle",
            Self::Degenerate => "degenerate",
        }
    }

    fn of([positive, zero, negative]: [usize; 3]) -> Self {
        match (positive > 0, zero > 0, negative > 0) {
            (true, _, true) => Self::Saddle,
            (_, true, _) => Self::Degenerate,
            (_, false, false) => Self::Minimum,
            (false, false, true) => Self::Maximum,
        }
    }
}

/// Does what is near stay near?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stability {
    /// Yes.
    Stable,
    /// No.
    Unstable,
    /// The linearised motion does not say.
    Degenerate(Reason),
}

impl Stability {
    /// Its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stable => "stable",
            Self::Unstable => "unstable",
            Self::Degenerate(_) => "degenerate",
        }
    }
}

/// Why stability is not decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// Nothing can stay there: a constraint or a force moves.
    Frozen,
    /// The linearised motion depends on time.
    Time,
    /// The gradients of the constraints are dependent there and not nearby.
    Rank,
    /// The kinetic energy is not positive on the tangent space.
    Mass,
    /// The second variation has zero directions.
    Flat,
    /// All exponents are imaginary, by virtue of gyroscopic forces.
    Gyroscopic,
    /// No exponent has a positive real part, not all a negative one, and damping is not known to damp.
    Damping,
    /// The same with forces that have no potential.
    Circulatory,
    /// Neither the energy nor the linearised motion decides, with velocity constraints.
    Rolling,
    /// The eigenvalues could not be computed.
    Numbers,
}

impl Reason {
    /// Its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Frozen => "frozen",
            Self::Time => "time",
            Self::Rank => "rank",
            Self::Mass => "mass",
            Self::Flat => "flat",
            Self::Gyroscopic => "gyroscopic",
            Self::Damping => "damping",
            Self::Circulatory => "circulatory",
            Self::Rolling => "rolling",
            Self::Numbers => "numbers",
        }
    }

    /// A sentence's end.
    pub fn words(self) -> &'static str {
        match self {
            Self::Frozen => "nothing can stay there: constraints or forces move on",
            Self::Time => "the linearised motion depends on time",
            Self::Rank => "the gradients of the constraints are dependent there",
            Self::Mass => "the kinetic energy is not positive for every virtual displacement",
            Self::Flat => "the second variation is zero along some displacement",
            Self::Gyroscopic => {
                "it rests on gyroscopic forces alone: stable in the linearised motion only"
            }
            Self::Damping => "the linearised motion neither dies out nor grows",
            Self::Circulatory => {
                "circulatory forces: the linearised motion neither dies out nor grows"
            }
            Self::Rolling => {
                "velocity constraints leave a family to drift along: neither energy nor the linearised motion decides"
            }
            Self::Numbers => "the exponents could not be computed",
        }
    }
}

/// One of the small motions: an exponent s with u = shape e^(st), or a frequency.
#[derive(Clone, Debug, PartialEq)]
pub struct Mode {
    /// The angular frequency.
    pub frequency: f64,
    /// Real and imaginary part of the exponent.
    pub exponent: (f64, f64),
    /// Amplitude a coordinate, real and imaginary part; the largest is 1.
    pub shape: Vec<(f64, f64)>,
}

/// The matrices on a basis of virtual displacements.
#[derive(Clone, Debug)]
pub struct Linearisation {
    /// A column a virtual displacement, orthonormal.
    pub basis: DMatrix<f64>,
    /// N^T M N.
    pub mass: DMatrix<f64>,
    /// N^T C N.
    pub damping: DMatrix<f64>,
    /// N^T K N.
    pub stiffness: DMatrix<f64>,
}

/// All that is said of an equilibrium.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// Does a constraint or a force move there?
    pub frozen: bool,
    /// Positive, zero and negative eigenvalues of the second variation.
    pub signature: [usize; 3],
    /// What that says.
    pub kind: Kind,
    /// Does what is near stay near?
    pub stability: Stability,
    /// The small oscillations, ascending.
    pub modes: Vec<Mode>,
    /// The exponents of the linearised motion, where it has a C or circulatory forces.
    pub exponents: Option<Vec<(f64, f64)>>,
    /// The matrices.
    pub linearisation: Linearisation,
    /// -L(x, 0).
    pub potential: f64,
}

/// A point to be judged.
pub struct Candidate<'a> {
    /// The coordinates.
    pub x: &'a [f64],
    /// How far they may be off.
    pub reach: &'a [f64],
    /// The multipliers of the constraints that act.
    pub lambda: &'a DVector<f64>,
    /// What is a long way along each coordinate.
    pub width: &'a DVector<f64>,
    /// Those constraints.
    pub rows: &'a [usize],
    /// How many of them are independent in general.
    pub rank: usize,
    /// Are the velocity constraints, if any, holonomic ones in disguise? The motion then stays on one of their leaves,
    /// and each near by has its own equilibrium: what is said is said on the leaf.
    pub leaves: bool,
}

/// Judges an equilibrium; `local` are the equations of statics at a point.
pub fn judge(
    system: &System,
    statics: &Statics,
    t: f64,
    candidate: &Candidate,
    local: &dyn Fn(&[f64]) -> Local,
) -> Verdict {
    let x = candidate.x;
    let n = x.len();
    let here = local(x);
    let stiffness = here.stiffness(candidate.lambda);
    let moved = |sign: f64| {
        let near: Vec<f64> = (0..n).map(|k| x[k] + sign * candidate.reach[k]).collect();
        (local(&near).stiffness(candidate.lambda) - &stiffness).abs()
    };
    let doubt = here.stiffness_size(candidate.lambda) * BLUR + (moved(1.0) + moved(-1.0)) * 4.0;
    let matrices = Matrices::new(system, statics, t, x);
    // a unit a coordinate in which no term of the stiffness stands out
    let unit = units(&here.stiffness_size(candidate.lambda), candidate.width);
    let (basis, rank) = null_space(&here.jacobian, &unit);
    let signature = signature_of(&stiffness, &doubt, &basis);
    let frozen = moves(system, statics, t, candidate, &basis);
    let (plain, _) = null_space(&here.jacobian, &DVector::from_element(n, 1.0));
    let on = |m: &DMatrix<f64>| plain.transpose() * m * &plain;
    let linearisation = Linearisation {
        mass: on(&matrices.mass),
        damping: on(&matrices.damping),
        stiffness: on(&stiffness),
        basis: plain.clone(),
    };
    let motion = Motion::new(&matrices, &stiffness, &basis);
    let held = system.constraints.len();
    let rolls = candidate.rows.iter().any(|b| *b >= held);
    let skew = rolls && motion.is_skew();
    let acts = motion.damped || statics.circulatory || skew;
    let exponents = acts.then(|| motion.exponents()).flatten();
    let modes = if acts {
        let list = exponents.as_deref().unwrap_or(&[]);
        motion.damped_modes(list)
    } else {
        motion.modes(signature[0])
    };
    let stability = if frozen {
        Stability::Degenerate(Reason::Frozen)
    } else if rank < candidate.rank {
        Stability::Degenerate(Reason::Rank)
    } else if statics.timed {
        Stability::Degenerate(Reason::Time)
    } else if rolls {
        let still = candidate
            .rows
            .iter()
            .all(|b| *b < held || statics.f_t.get(*b).is_none_or(|e| *e == system.pool.zero()));
        let lowest = || is_lowest(candidate, &here, &stiffness, &doubt, &unit, held);
        if still && candidate.leaves {
            decide(statics, &matrices, &motion, signature, exponents.as_deref())
        } else if still {
            decide_rolling(statics, &matrices, &motion, signature, &lowest)
        } else {
            Stability::Degenerate(Reason::Rolling)
        }
    } else {
        decide(statics, &matrices, &motion, signature, exponents.as_deref())
    };
    Verdict {
        frozen,
        signature,
        kind: Kind::of(signature),
        stability,
        modes,
        exponents: exponents.map(|list| list.iter().map(|e| (e.re, e.im)).collect()),
        linearisation,
        potential: matrices.potential,
    }
}

/// Is the energy a strict minimum at rest on all of f = c, where velocity constraints hold nothing?
fn is_lowest(
    candidate: &Candidate,
    here: &Local,
    stiffness: &DMatrix<f64>,
    doubt: &DMatrix<f64>,
    unit: &DVector<f64>,
    held: usize,
) -> bool {
    let carried = here.jacobian.abs().transpose() * candidate.lambda.abs();
    let size = (&carried + &here.force_size).component_mul(candidate.width);
    let size = size.amax();
    let mut rows = Vec::new();
    for (place, &b) in candidate.rows.iter().enumerate() {
        if b < held {
            rows.push(place);
            continue;
        }
        let work = (0..candidate.x.len())
            .map(|k| (here.jacobian[(place, k)] * candidate.width[k]).abs())
            .fold(0.0, f64::max);
        if (candidate.lambda[place] * work).abs() > 1e-10 * size {
            return false;
        }
    }
    let (basis, _) = null_space(&here.jacobian.select_rows(&rows), unit);
    let [_, zero, negative] = signature_of(stiffness, doubt, &basis);
    zero == 0 && negative == 0
}

/// With velocity constraints A x' = 0 besides. Each adds an exponent 0, along the family of equilibria, which is
/// there where the others are not 0 (the implicit function theorem).
fn decide_rolling(
    statics: &Statics,
    matrices: &Matrices,
    motion: &Motion,
    [_, zero, _]: [usize; 3],
    is_lowest: &dyn Fn() -> bool,
) -> Stability {
    if motion.root.is_none() {
        return Stability::Degenerate(Reason::Mass);
    }
    let only_damps = match statics.damped {
        Damping::None => true,
        Damping::Constant => is_positive(&matrices.applied),
        Damping::Varying => false,
    };
    if only_damps && !statics.circulatory && is_lowest() {
        return Stability::Stable;
    }
    let Some(list) = motion.exponents() else {
        return Stability::Degenerate(Reason::Numbers);
    };
    if list.iter().any(|e| sign_of(e, &list) > 0) {
        return Stability::Unstable;
    }
    if zero == 0 && !list.is_empty() && list.iter().all(|e| sign_of(e, &list) < 0) {
        return Stability::Stable;
    }
    Stability::Degenerate(Reason::Rolling)
}

/// The sign of the real part of an exponent; 0 within what a double exponent is known to.
fn sign_of(e: &Complex<f64>, list: &[Complex<f64>]) -> i32 {
    let top = list.iter().map(|e| e.norm()).fold(0.0, f64::max);
    if e.norm() <= REAL * top || e.re.abs() <= REAL * e.norm() {
        0
    } else if e.re > 0.0 {
        1
    } else {
        -1
    }
}

fn decide(
    statics: &Statics,
    matrices: &Matrices,
    motion: &Motion,
    [_, zero, negative]: [usize; 3],
    exponents: Option<&[Complex<f64>]>,
) -> Stability {
    if motion.root.is_none() {
        return Stability::Degenerate(Reason::Mass);
    }
    let only_damps = match statics.damped {
        Damping::None => true,
        Damping::Constant => is_positive(&matrices.applied),
        Damping::Varying => false,
    };
    if negative == 0 && zero == 0 && !statics.circulatory && only_damps {
        return Stability::Stable;
    }
    if negative > 0 && !motion.damped && !statics.circulatory {
        return Stability::Unstable;
    }
    if let Some(list) = exponents {
        let sign = |e: &Complex<f64>| sign_of(e, list);
        if list.iter().any(|e| sign(e) > 0) {
            return Stability::Unstable;
        }
        if zero == 0 && list.iter().all(|e| sign(e) < 0) {
            return Stability::Stable;
        }
    } else if motion.damped || statics.circulatory {
        return Stability::Degenerate(Reason::Numbers);
    }
    Stability::Degenerate(if zero > 0 {
        Reason::Flat
    } else if statics.circulatory {
        Reason::Circulatory
    } else if statics.damped == Damping::None {
        Reason::Gyroscopic
    } else {
        Reason::Damping
    })
}

/// What is evaluated once.
struct Matrices {
    mass: DMatrix<f64>,
    damping: DMatrix<f64>,
    applied: DMatrix<f64>,
    potential: f64,
}

fn evaluated(system: &System, list: &[Expr], t: f64, x: &[f64]) -> Vec<f64> {
    let tape = Tape::new(&system.pool, &inputs(system), list);
    let mut values = vec![0.0; list.len()];
    tape.eval(
        &arguments(system, t, x, &[]),
        &mut Workspace::default(),
        &mut values,
    );
    values
}

impl Matrices {
    fn new(system: &System, statics: &Statics, t: f64, x: &[f64]) -> Self {
        let n = x.len();
        let flat = |rows: &[Vec<Expr>]| rows.iter().flatten().copied().collect::<Vec<Expr>>();
        let mut list = flat(&statics.mass);
        list.extend(flat(&statics.damping));
        list.extend(flat(&statics.applied));
        list.push(statics.potential);
        let values = evaluated(system, &list, t, x);
        let matrix =
            |part: usize| DMatrix::from_row_slice(n, n, &values[part * n * n..(part + 1) * n * n]);
        Self {
            mass: matrix(0),
            damping: matrix(1),
            applied: matrix(2),
            potential: values[3 * n * n],
        }
    }
}

/// Is the symmetric part free of negative directions?
fn is_positive(matrix: &DMatrix<f64>) -> bool {
    let symmetric = (matrix + matrix.transpose()) * 0.5;
    let eigen = symmetric.symmetric_eigenvalues();
    eigen.iter().all(|e| *e >= -1e-12 * matrix.amax())
}

/// Do constraints or forces move here, so that nothing can stay?
fn moves(
    system: &System,
    statics: &Statics,
    t: f64,
    candidate: &Candidate,
    basis: &DMatrix<f64>,
) -> bool {
    let pool = &system.pool;
    let n = candidate.x.len();
    let rows = candidate.rows;
    let zero = pool.zero();
    let mut list = Vec::new();
    for &b in rows {
        list.extend([statics.f_t[b], statics.f_tt[b]]);
    }
    // S_t - J_t^T lambda, whose part along virtual displacements must vanish
    let turning = statics.force_t.iter().any(|e| *e != zero)
        || rows
            .iter()
            .any(|b| statics.gradients_t[*b].iter().any(|e| *e != zero));
    if list.iter().all(|e| *e == zero) && !turning {
        return false;
    }
    let levels = list.len();
    list.extend(&statics.force_t);
    for &b in rows {
        list.extend(&statics.gradients_t[b]);
    }
    let sizes: Vec<Expr> = list.iter().map(|e| pool.rounding(*e)).collect();
    let values = |sign: f64, list: &[Expr]| -> DVector<f64> {
        let x: Vec<f64> = (0..n)
            .map(|k| {
                let tiny = 1e-12 * candidate.x[k].abs().max(1e-12);
                candidate.x[k] + sign * (candidate.reach[k] + tiny)
            })
            .collect();
        let raw = evaluated(system, list, t, &x);
        let mut out: Vec<f64> = raw[..levels].to_vec();
        for k in 0..n {
            let mut sum = raw[levels + k];
            for place in 0..rows.len() {
                // sizes add up
                let term = raw[levels + n + place * n + k] * candidate.lambda[place];
                sum += if sign == 2.0 { term.abs() } else { -term };
            }
            out.push(sum);
        }
        DVector::from_vec(out)
    };
    let (here, near, other) = (values(0.0, &list), values(1.0, &list), values(-1.0, &list));
    let size = values(2.0, &sizes);
    let doubt = size.abs() * 1e-10 + ((near - &here).abs() + (other - &here).abs()) * 4.0;
    if (0..levels).any(|i| here[i].abs() > doubt[i]) {
        return true;
    }
    (0..basis.ncols()).any(|j| {
        let along: f64 = (0..n).map(|k| basis[(k, j)] * here[levels + k]).sum();
        let may: f64 = (0..n)
            .map(|k| basis[(k, j)].abs() * doubt[levels + k])
            .sum();
        along.abs() > may
    })
}

/// A unit a coordinate: with them the largest entry of each row of a symmetric matrix is about 1. A row of
/// next to nothing has the unit that goes with the widths: its rounding must not be blown up.
fn units(size: &DMatrix<f64>, width: &DVector<f64>) -> DVector<f64> {
    const FLOOR: f64 = 1e-6;
    let n = size.nrows();
    let energy = (0..n)
        .flat_map(|i| (0..n).map(move |j| (i, j)))
        .map(|(i, j)| size[(i, j)] * width[i] * width[j])
        .fold(0.0, f64::max);
    let mut size = size.clone();
    for k in 0..n {
        size[(k, k)] += FLOOR * energy / (width[k] * width[k]);
    }
    let mut unit = width.clone();
    for _ in 0..8 {
        for i in 0..n {
            let top = (0..n)
                .map(|j| size[(i, j)].max(size[(j, i)]) * unit[j])
                .fold(0.0, f64::max)
                * unit[i];
            if top > 0.0 && top.is_finite() {
                unit[i] /= top.sqrt();
            }
        }
    }
    unit
}

/// A basis of ker J (columns), orthonormal in these units, and the rank of J.
fn null_space(jacobian: &DMatrix<f64>, unit: &DVector<f64>) -> (DMatrix<f64>, usize) {
    let n = unit.len();
    let m = jacobian.nrows();
    if n == 0 {
        return (DMatrix::zeros(0, 0), 0);
    }
    let size = n.max(m);
    let mut square = DMatrix::zeros(size, n);
    for b in 0..m {
        let row: Vec<f64> = (0..n).map(|k| jacobian[(b, k)] * unit[k]).collect();
        let norm = row.iter().map(|v| v * v).sum::<f64>().sqrt();
        for k in 0..n {
            square[(b, k)] = if norm > 0.0 { row[k] / norm } else { 0.0 };
        }
    }
    let Some(svd) = square.try_svd(false, true, f64::EPSILON, 1000) else {
        return (DMatrix::zeros(n, 0), 0);
    };
    let Some(v) = svd.v_t else {
        return (DMatrix::zeros(n, 0), 0);
    };
    let top = svd.singular_values.max();
    let null: Vec<usize> = (0..n)
        .filter(|k| svd.singular_values[*k] <= RANK * top.max(f64::MIN_POSITIVE))
        .collect();
    let basis = DMatrix::from_fn(n, null.len(), |i, j| {
        let row = v.row(null[j]);
        let largest = (0..n).fold(0, |best, k| {
            if row[k].abs() > row[best].abs() + 1e-9 {
                k
            } else {
                best
            }
        });
        row[i] * row[largest].signum() * unit[i]
    });
    (basis, n - null.len())
}

/// How many eigenvalues on the tangent space are positive, zero, negative.
fn signature_of(
    stiffness: &DMatrix<f64>,
    doubt: &DMatrix<f64>,
    basis: &DMatrix<f64>,
) -> [usize; 3] {
    if basis.ncols() == 0 {
        return [0, 0, 0];
    }
    let reduced = basis.transpose() * stiffness * basis;
    let symmetric = (&reduced + reduced.transpose()) * 0.5;
    let size = basis.abs().transpose() * (doubt + stiffness.abs() * BLUR) * basis.abs();
    let zero = size.row_iter().map(|row| row.sum()).fold(0.0, f64::max);
    let mut counts = [0; 3];
    for e in symmetric.symmetric_eigenvalues().iter() {
        let place = if e.abs() <= zero || e.is_nan() {
            1
        } else if *e > 0.0 {
            0
        } else {
            2
        };
        counts[place] += 1;
    }
    counts
}

/// The linearised motion on the tangent space, with M the unit matrix.
struct Motion {
    basis: DMatrix<f64>,
    /// the inverse of the Cholesky factor of M; `None` where M is not positive
    root: Option<DMatrix<f64>>,
    damping: DMatrix<f64>,
    stiffness: DMatrix<f64>,
    /// is there a C?
    damped: bool,
}

impl Motion {
    fn new(matrices: &Matrices, stiffness: &DMatrix<f64>, basis: &DMatrix<f64>) -> Self {
        let on = |m: &DMatrix<f64>| basis.transpose() * m * basis;
        let mass = on(&matrices.mass);
        let symmetric = (&mass + mass.transpose()) * 0.5;
        // each displacement in a unit that makes its mass 1
        let own = DVector::from_fn(mass.nrows(), |k, _| {
            let v = symmetric[(k, k)];
            if v > 0.0 { 1.0 / v.sqrt() } else { 1.0 }
        });
        let scaled = DMatrix::from_fn(mass.nrows(), mass.nrows(), |i, j| {
            symmetric[(i, j)] * own[i] * own[j]
        });
        let positive = scaled.is_empty()
            || scaled.iter().all(|v| v.is_finite())
                && scaled.symmetric_eigenvalues().iter().all(|e| *e > MASSLESS);
        let size = basis.abs().transpose() * matrices.mass.abs() * basis.abs();
        let present = (0..mass.nrows()).all(|k| symmetric[(k, k)] > MASSLESS * size[(k, k)]);
        let root = (positive && present)
            .then(|| nalgebra::Cholesky::new(scaled))
            .flatten()
            .and_then(|c| c.l().try_inverse())
            .map(|l| l * DMatrix::from_diagonal(&own));
        let damping = on(&matrices.damping);
        let may = basis.abs().transpose() * matrices.damping.abs() * basis.abs();
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
    fn is_skew(&self) -> bool {
        let k = &self.stiffness;
        !k.is_empty() && (k - k.transpose()).amax() > 1e-10 * k.amax()
    }

    /// The oscillations without C: the `positive` largest squares of frequencies.
    fn modes(&self, positive: usize) -> Vec<Mode> {
        if self.root.is_none() || self.stiffness.is_empty() {
            return Vec::new();
        }
        let symmetric = (&self.stiffness + self.stiffness.transpose()) * 0.5;
        let eigen = symmetric.symmetric_eigen();
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

    /// The exponents s of (s^2 + s C + K) u = 0, by imaginary part, then real part.
    fn exponents(&self) -> Option<Vec<Complex<f64>>> {
        self.root.as_ref()?;
        let d = self.stiffness.nrows();
        if d == 0 {
            return Some(Vec::new());
        }
        // a unit of time in which the numbers are about 1
        let speed = self.stiffness.amax().sqrt().max(self.damping.amax());
        if speed == 0.0 || !speed.is_finite() {
            return (speed == 0.0).then(|| vec![Complex::new(0.0, 0.0); 2 * d]);
        }
        let mut first_order = DMatrix::zeros(2 * d, 2 * d);
        for i in 0..d {
            first_order[(i, d + i)] = 1.0;
            for j in 0..d {
                first_order[(d + i, j)] = -self.stiffness[(i, j)] / (speed * speed);
                first_order[(d + i, d + j)] = -self.damping[(i, j)] / speed;
            }
        }
        let schur = Schur::try_new(first_order, f64::EPSILON, 10_000)?;
        let mut list: Vec<Complex<f64>> = schur
            .complex_eigenvalues()
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
    fn damped_modes(&self, exponents: &[Complex<f64>]) -> Vec<Mode> {
        let top = exponents.iter().map(|e| e.norm()).fold(0.0, f64::max);
        let mut list: Vec<Complex<f64>> = exponents
            .iter()
            .copied()
            .filter(|e| e.im > REAL * top)
            .collect();
        list.sort_by(|a, b| a.im.total_cmp(&b.im).then(a.re.total_cmp(&b.re)));
        let basis = self.basis.map(|v| Complex::new(v, 0.0));
        list.into_iter()
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
                let svd = matrix.try_svd(false, true, f64::EPSILON, 1000)?;
                let v = svd.v_t?;
                let last = svd.singular_values.imin();
                let shape = &basis * v.row(last).adjoint();
                Some(Mode {
                    frequency: s.im,
                    exponent: (s.re, s.im),
                    shape: normalised(shape.iter().copied().collect()),
                })
            })
            .collect()
    }
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
