//! Stability: the second variation on the tangent space, and the linearised motion.
//!
//! With N a basis of ker J, M, C and K of the linearised motion become N^T M N, N^T C N, N^T K N. They are enclosed at the
//! enclosure of a proven equilibrium, the error of x and lambda included; a sign is said where every number in an enclosure has
//! it. What carries a verdict is named by its [`Criterion`]:
//!
//! * **stable**: the energy has a strict minimum, by K or, where K is flat, by the next forms (see `flat`), no force is circulatory
//!   and applied forces only damp (Lagrange, Dirichlet; gyroscopic forces change nothing); or all characteristic exponents
//!   have negative real parts (Lyapunov);
//! * **unstable**: K has a negative direction and there is no C and no circulatory force; or as many as are odd
//!   (det K < 0: no gyroscopic force helps), or with damping in every direction (W. Thomson, P. G. Tait, N. G. Chetaev); or
//!   some exponent has a positive real part; or V falls along flat directions by its first form that does not vanish (below);
//! * **degenerate** otherwise, with the reason.
//!
//! Where K is positive but for flat directions s, and V falls along these by a form of W of degree k > 2 (see `flat`; V = W(s) + w^2/2
//! with the others w, chosen so that M = 1 at the point), it is unstable
//!
//! * with damping in every direction: started at rest where V is lower, a motion that stays near loses energy until it comes to rest
//!   (E. A. Barbashin, N. N. Krasovskii; J. P. LaSalle), at an equilibrium of lower V; but V, analytic, has the same value
//!   at all equilibria near (S. Lojasiewicz);
//! * without forces that depend on velocities. Where H = 0 the energy bounds v^2 and w^2 by a multiple of r^k, r = |s|. Then
//!   F = s.p_s / r^(k/2 + 1) has r' = r^(k/2) (F + O(r)), and by Euler's s.grad W_k = k W_k and H = 0
//!
//!   ```text
//!   r^(k/2+1) F' = |p_s|^2 - k W_k - (k/2 + 1) (s.p_s)^2/r^2 + O(r^(k+1)) >= - O(r^(k+1))
//!   ```
//!
//!   so that dF/dr is bounded from below while F is kept from 0: a motion begun at s = r e, w = 0, with W_k(e) < 0 and the velocity that
//!   H = 0 allows along e, has F near l, l^2 = -2 W_k(e), and goes out to a distance that no smaller r makes less;
//! * with one s, whatever gyroscopic forces there are: their potential A.q' can be chosen to vanish where w = 0, so that on H < 0
//!   p_s' = -W'(s) + O(s^k) has one sign and is kept from 0, while p_s is bounded near the point.
//!
//! Several s with gyroscopic forces are left open, and what these make of other directions in which V falls.
//!
//! Of a point that is not proven to exist nothing is said.

mod motion;
mod proven;

use super::bounds::{Bounds, Enclosure};
use super::enclosed::Inertia;
use super::equations::{Damping, NearRest, Statics, squares};
use super::flat::{Leading, Point, Symbols};
use super::numeric::{Local, diagonal_form, evaluated};
use crate::expr::{Expr, Interval, can_calculate};
use crate::geometry::null_vectors;
use crate::system::System;
pub(super) use motion::Motion;
use nalgebra::{DMatrix, DVector};
use proven::Proven;

/// Multiple of the rounding of terms within which an eigenvalue is zero.
const BLUR: f64 = 64.0 * f64::EPSILON;
/// A real part of less than this part of its exponent is none: a double exponent is known to the root of
/// the rounding unit only.
const REAL: f64 = 1e-7;
/// Gradients are dependent where a singular value is below this part of the largest.
const RANK: f64 = 1e-10;

/// Operations on numbers that a proof takes for each of n^3.
const PROOF: usize = 12;

named! {
    /// What the second variation says.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum Kind {
        /// Positive definite.
        Minimum = "minimum",
        /// Negative definite.
        Maximum = "maximum",
        /// Of both signs.
        Saddle = "saddle",
        /// It has zero directions, and not both signs.
        Degenerate = "degenerate",
    }
}

named! {
    /// What carries a verdict.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum Criterion {
        /// The energy has a strict minimum, and applied forces only damp (Lagrange, Dirichlet). The degree of the form that
        /// decides is 2 but where the second variation is flat.
        Minimum {
            /// The degree.
            degree: usize,
        } = "lagrange_dirichlet",
        /// All exponents have negative real parts (Lyapunov).
        Attracted = "exponents_negative",
        /// The potential falls somewhere, and nothing depends on velocities to first order (Lyapunov).
        Falls = "potential_falls",
        /// It falls along a flat direction by a form of this degree, and no force along flat directions depends on velocities.
        FallsLater {
            /// The degree.
            degree: usize,
        } = "potential_falls_later",
        /// It falls in an odd number of directions: no gyroscopic force holds that (Thomson, Tait).
        Odd = "thomson_tait",
        /// It falls somewhere, and every motion is damped: no gyroscopic force holds that (Thomson, Tait, Chetaev).
        Damped = "thomson_tait_chetaev",
        /// It falls somewhere, the second variation is flat along some displacement, and every motion is damped (Barbashin,
        /// Krasovskii).
        DampedLater = "barbashin_krasovskii",
        /// An exponent has a positive real part (Lyapunov).
        Repelled = "exponent_positive",
    }
}

/// That a verdict is proven, and by what. Made here and in `proven` only.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Proof(Criterion);

named! {
    /// Does what is near stay near?
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum Stability {
        /// Yes.
        Stable(Proof) = "stable",
        /// No.
        Unstable(Proof) = "unstable",
        /// It is not decided.
        Degenerate(Reason) = "degenerate",
    }
}

impl Stability {
    /// Is it proven to be stable?
    pub fn is_stable(self) -> bool {
        matches!(self, Self::Stable(_))
    }

    /// Is it proven to be unstable?
    pub fn is_unstable(self) -> bool {
        matches!(self, Self::Unstable(_))
    }

    /// What carries the verdict.
    pub fn criterion(self) -> Option<Criterion> {
        match self {
            Self::Stable(proof) | Self::Unstable(proof) => Some(proof.0),
            Self::Degenerate(_) => None,
        }
    }
}

/// The second variation on the tangent space, and what follows where it is flat. Made here only: of numbers that are no proof
/// it says nothing.
#[derive(Clone, Debug)]
pub struct SecondVariation {
    positive: usize,
    negative: usize,
    /// exactly zero
    flat: usize,
    /// not decided, with where they are
    open: Vec<Interval>,
    leading: Option<Leading>,
    /// numbers only: nothing is claimed
    estimate: bool,
    /// velocity constraints act: it is said of virtual displacements, which lead to none of the equilibria besides
    rolls: bool,
    sides: Sides,
}

/// What one-sided constraints that act do to what is next to a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sides {
    /// None acts.
    None,
    /// All carry something: away from them it is higher.
    Press,
    /// Some may carry nothing: away from them it may be higher or lower.
    Slack,
}

impl Sides {
    fn of(system: &System, candidate: &Candidate) -> Self {
        let mut acting = candidate.rows.iter();
        match acting.any(|b| system.is_one_sided(*b)) {
            true if candidate.presses => Self::Press,
            true => Self::Slack,
            false => Self::None,
        }
    }
}

impl SecondVariation {
    fn estimated([positive, zero, negative]: [usize; 3]) -> Self {
        Self {
            estimate: true,
            ..Self::enclosed(Inertia {
                positive,
                negative,
                open: vec![Interval::ALL; zero],
            })
        }
    }

    fn enclosed(inertia: Inertia) -> Self {
        Self {
            positive: inertia.positive,
            negative: inertia.negative,
            flat: 0,
            open: inertia.open,
            leading: None,
            estimate: false,
            rolls: false,
            sides: Sides::None,
        }
    }

    /// How many eigenvalues are positive, zero or not told from zero, and negative.
    pub fn signature(&self) -> [usize; 3] {
        [self.positive, self.flat + self.open.len(), self.negative]
    }

    /// Where the eigenvalues are that could not be told from zero; those that are zero are not among them.
    pub fn undecided(&self) -> &[Interval] {
        if self.estimate { &[] } else { &self.open }
    }

    /// How many are exactly zero.
    pub fn flat(&self) -> usize {
        self.flat
    }

    /// The first form along the flat directions that does not vanish.
    pub fn leading(&self) -> Option<Leading> {
        self.leading
    }

    /// Does it show that no other equilibria are near?
    pub fn stands_alone(&self) -> bool {
        let zero = self.flat + self.open.len();
        let decided = match self.leading {
            Some(Leading::Positive(_) | Leading::Negative(_)) => true,
            Some(Leading::Both(_) | Leading::Falls(_)) => zero == 1,
            _ => false,
        };
        !self.estimate && !self.rolls && (zero == 0 || decided)
    }

    /// Is it of numbers only?
    pub fn is_estimate(&self) -> bool {
        self.estimate
    }

    /// What it says.
    pub fn kind(&self) -> Kind {
        self.kind_with(self.sides == Sides::Press)
    }

    /// Is it a saddle only since one-sided constraints carry something: a maximum among what keeps to them?
    pub fn is_maximum_in_contact(&self) -> bool {
        self.sides == Sides::Press
            && self.kind() == Kind::Saddle
            && self.kind_with(false) == Kind::Maximum
    }

    /// What it says, where it is higher `beside` the constraints as well, or of what keeps to them.
    fn kind_with(&self, beside: bool) -> Kind {
        let (up, down) = (self.positive > 0, self.negative > 0);
        if self.estimate || self.sides == Sides::Slack {
            return Kind::Degenerate;
        }
        let up = up || beside;
        if up && down {
            return Kind::Saddle;
        }
        if self.flat + self.open.len() == 0 {
            return if down { Kind::Maximum } else { Kind::Minimum };
        }
        match self.leading {
            Some(Leading::Both(_)) => Kind::Saddle,
            Some(Leading::Positive(_)) if down => Kind::Saddle,
            Some(Leading::Positive(_)) => Kind::Minimum,
            Some(Leading::Negative(_) | Leading::Falls(_)) if up => Kind::Saddle,
            Some(Leading::Negative(_)) => Kind::Maximum,
            _ => Kind::Degenerate,
        }
    }
}

named! {
    /// Why stability is not decided.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum Reason {
        /// Nothing can stay there: a constraint or a force moves.
        Frozen = "frozen",
        /// The linearised motion depends on time.
        Time = "time",
        /// The gradients of the constraints are dependent there and not nearby.
        Rank = "rank",
        /// The kinetic energy is not positive on the tangent space.
        Mass = "mass",
        /// The second variation has directions in which it is zero or not told from zero, and no later form decides.
        Flat = "flat",
        /// All exponents are imaginary and have as many modes as they are multiple, by virtue of gyroscopic forces.
        Gyroscopic = "gyroscopic",
        /// Forces jump at rest, as dry friction does, and the energy has no minimum that they only take from.
        Friction = "friction",
        /// No exponent has a positive real part, not all a negative one, and damping is not known to damp.
        Damping = "damping",
        /// The same with forces that have no potential.
        Circulatory = "circulatory",
        /// Neither the energy nor the linearised motion decides, with velocity constraints.
        Rolling = "rolling",
        /// A velocity constraint A x' + b = 0 has a b, which the linearised motion is not judged with.
        Driven = "driven",
        /// All exponents are imaginary, and one has fewer modes than it is multiple: the linearised motion grows like t. What
        /// terms of higher degree make of it is not decided.
        Defective = "defective",
        /// The exponents could not be enclosed well enough.
        Exponents = "exponents",
        /// A one-sided constraint that acts carries nothing there for sure.
        Contact = "contact",
        /// The point was found by Newton's method: that there is an equilibrium is not proven.
        Estimate = "estimate",
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
pub struct Assessment {
    /// Does a constraint or a force move there?
    pub frozen: bool,
    /// The second variation.
    pub form: SecondVariation,
    /// Does what is near stay near?
    pub stability: Stability,
    /// The small oscillations, ascending.
    pub modes: Vec<Mode>,
    /// Rates s of what grows like exp(s t), the largest first, one a negative direction of the second variation; none
    /// where M is not positive, and where there are exponents, which tell.
    pub growth: Vec<f64>,
    /// The exponents of the linearised motion, where it has a C or circulatory forces.
    pub exponents: Option<Vec<(f64, f64)>>,
    /// The matrices.
    pub linearisation: Linearisation,
    /// -L(x, 0).
    pub potential: f64,
}

impl Assessment {
    /// Positive, zero (or not told from zero) and negative eigenvalues of the second variation.
    pub fn signature(&self) -> [usize; 3] {
        self.form.signature()
    }

    /// What the second variation says, and what follows it where it is flat.
    pub fn kind(&self) -> Kind {
        self.form.kind()
    }
}

/// The equations of those constraints that act and are independent.
pub struct Site<'a> {
    /// The system.
    pub system: &'a System,
    /// Its equations of statics.
    pub statics: &'a Statics,
    /// The time.
    pub t: f64,
    /// The equations over boxes.
    pub bounds: &'a Bounds,
    /// The equations in symbols.
    pub symbols: &'a Symbols<'a>,
}

/// A point to be judged.
pub struct Candidate<'a> {
    /// That it is an equilibrium, and where.
    pub proof: Option<&'a Enclosure>,
    /// The same as exactly as it is known.
    pub point: Option<&'a Point>,
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
    /// The set of equilibria that it is proven to lie on has so many dimensions: the second variation is zero along it.
    pub family: usize,
    /// Do all one-sided constraints that act carry something for sure?
    pub presses: bool,
    /// Are the velocity constraints, if any, holonomic ones in disguise? The motion then stays on one of their leaves,
    /// and each near by has its own equilibrium: what is said is said on the leaf.
    pub leaves: bool,
}

/// Judges an equilibrium; `local` are the equations of statics at a point.
pub fn judge(site: &Site, candidate: &Candidate, local: &dyn Fn(&[f64]) -> Local) -> Assessment {
    let (system, statics, t) = (site.system, site.statics, site.t);
    let x = candidate.x;
    let n = x.len();
    let here = local(x);
    let stiffness = here.stiffness(candidate.lambda);
    let mut list = statics.inertia();
    list.push(statics.potential);
    let values = evaluated(system, &list, t, x);
    let [mass, damping] = squares(&values, n);
    // a unit a coordinate in which no term of the stiffness stands out
    let size = here.stiffness_size(candidate.lambda);
    let unit = units(&size, candidate.width);
    let (basis, rank) = null_space(&here.jacobian, &unit);
    let frozen = moves(system, statics, t, candidate, &basis);
    let (plain, _) = null_space(&here.jacobian, &DVector::from_element(n, 1.0));
    let on = |m: &DMatrix<f64>| plain.transpose() * m * &plain;
    let linearisation = Linearisation {
        mass: on(&mass),
        damping: on(&damping),
        stiffness: on(&stiffness),
        basis: plain.clone(),
    };
    let proven = candidate
        .proof
        .filter(|_| rank >= candidate.rank && can_calculate(PROOF * n.pow(3)))
        .and_then(|proof| Proven::new(site, proof, &unit));
    let held = system.constraints.len();
    let rolls = candidate.rows.iter().any(|b| *b >= held);
    let form = match &proven {
        Some(proven) => proven.form(site, candidate),
        // what is tangent to the set is not what the gradients leave free, and multipliers are not determined
        None if rank < candidate.rank => SecondVariation::estimated([0, basis.ncols(), 0]),
        None => SecondVariation::estimated(signature_of(&stiffness, &(size * BLUR), &basis)),
    };
    let form = SecondVariation {
        rolls,
        sides: Sides::of(system, candidate),
        ..form
    };
    let motion = Motion::new([&mass, &damping, &stiffness], &basis);
    let skew = rolls && motion.is_skew();
    let acts = motion.damped || statics.circulatory || skew;
    let mut exponents = acts.then(|| motion.exponents()).flatten();
    // with s also -s is an exponent: what is left of a real part beside the rounding of a double one is none
    if let Some(list) = &mut exponents
        && statics.damped == Damping::None
        && !statics.circulatory
        && !rolls
    {
        for e in list.iter_mut().filter(|e| e.re.abs() <= REAL * e.norm()) {
            e.re = 0.0;
        }
    }
    let mut modes = if acts {
        let list = exponents.as_deref().unwrap_or(&[]);
        motion.damped_modes(list)
    } else {
        motion.modes(form.positive)
    };
    let stability = if frozen {
        Stability::Degenerate(Reason::Frozen)
    } else if rank < candidate.rank {
        Stability::Degenerate(Reason::Rank)
    } else if statics.timed {
        Stability::Degenerate(Reason::Time)
    } else if let Some(proven) = &proven {
        let zero = system.pool.zero();
        let speed = |b: &usize| *b >= held && statics.f_t.get(*b).is_some_and(|e| *e != zero);
        if !candidate.presses {
            Stability::Degenerate(Reason::Contact)
        } else if rolls && candidate.rows.iter().any(speed) {
            Stability::Degenerate(Reason::Driven)
        } else if rolls && !candidate.leaves {
            proven.rolling(site, candidate)
        } else {
            proven.decide(site, candidate, &form)
        }
    } else {
        Stability::Degenerate(Reason::Estimate)
    };
    // numbers of a motion without inertia are rounding, and where forces jump or gradients are dependent none is linear
    let is_linear = statics.near_rest == NearRest::Smooth
        && !matches!(
            stability,
            Stability::Degenerate(Reason::Mass | Reason::Rank | Reason::Driven)
        );
    if !is_linear {
        modes.clear();
        exponents = None;
    }
    let growth = (is_linear && !acts).then(|| motion.growth(form.negative));
    Assessment {
        frozen,
        form,
        stability,
        modes,
        growth: growth.unwrap_or_default(),
        exponents: exponents.map(|list| list.iter().map(|e| (e.re, e.im)).collect()),
        linearisation,
        potential: values[2 * n * n],
    }
}

/// The verdict that holds for all equilibria which are enclosed together: the signature where it is the same for all, and the stability
/// where it is proven for all.
pub fn judge_all(site: &Site, candidate: &Candidate) -> Option<(Option<Stability>, [usize; 3])> {
    let (system, statics) = (site.system, site.statics);
    let held = system.constraints.len();
    if candidate.rows.iter().any(|b| *b >= held) && !candidate.leaves {
        return None;
    }
    let unit = DVector::from_element(candidate.x.len(), 1.0);
    let proven = Proven::new(site, candidate.proof?, &unit)?;
    let form = SecondVariation {
        sides: Sides::of(system, candidate),
        ..proven.form(site, candidate)
    };
    if !form.open.is_empty() {
        return None;
    }
    let judged = candidate.presses && !statics.timed;
    let stability = judged.then(|| proven.decide(site, candidate, &form));
    let proven = stability.filter(|stability| stability.criterion().is_some());
    Some((proven, form.signature()))
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
    // a square of it neither overflows nor underflows beside a number of any usual size
    const LONGEST: f64 = 1e100;
    let n = size.nrows();
    let width = &width.map(|w| w.clamp(1.0 / LONGEST, LONGEST));
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
    let rows = DMatrix::from_fn(m, n, |b, k| jacobian[(b, k)] * unit[k]);
    let lengths: Vec<f64> = rows.row_iter().map(|row| row.norm()).collect();
    let rows = DMatrix::from_fn(m, n, |b, k| {
        if lengths[b] > 0.0 {
            rows[(b, k)] / lengths[b]
        } else {
            0.0
        }
    });
    let Some(null) = null_vectors(&rows, RANK) else {
        return (DMatrix::zeros(n, 0), 0);
    };
    let basis = DMatrix::from_fn(n, null.ncols(), |i, j| {
        let vector = null.column(j);
        let largest = (0..n).fold(0, |best, k| {
            if vector[k].abs() > vector[best].abs() + 1e-9 {
                k
            } else {
                best
            }
        });
        vector[i] * vector[largest].signum() * unit[i]
    });
    (basis, n - null.ncols())
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
    let Some(eigen) = diagonal_form(&symmetric) else {
        return [0, symmetric.nrows(), 0];
    };
    for e in eigen.eigenvalues.iter() {
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
