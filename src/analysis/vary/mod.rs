//! The motion among the paths beside it: the action along varied paths (the report's section 5; Salas, equations 1 to 6).
//!
//! Between two times of a motion x(t) a variation eta(t), zero at both ends, makes the paths
//!
//! ```text
//! x_eps = x + eps eta + N nu,      f(x_eps; t) = c
//! ```
//!
//! on the constraints: with N the unit columns of dependent coordinates that is x_I + eps eta_I and x_D = g(c, x_I + eps eta_I; t); where no
//! choice holds on all of the way N = J^T at the motion, the nearest way back. Along them the action and its derivatives are
//!
//! ```text
//! S(eps) = int L dt,    S'(0) = int dL dt = -int (Q + A^T mu).dx dt,    S''(0) = int ddL dt
//! ```
//!
//! with the exact first and second variations of x and x' that the constraints leave. So S'(0) and the work of what has no potential, along
//! dx, cancel along every motion.
//!
//! A **conjugate point** of the first time is one at which neighbouring motions that begin there meet the motion again: dx/dv_0 loses rank on
//! the virtual displacements there. Where M is positive definite on the virtual displacements, the motion is a minimum of S among the paths
//! beside it with the same ends as long as there is none on the way, and as many directions in which S falls as there are (Jacobi,
//! Morse).

mod jacobi;
mod path;

use super::along::extremes;
use super::{Model, Overrides, Request, RequestError, Spot};
use crate::expr::{Expr, is_over};
use crate::geometry::largest;
use crate::solver::{Flag, FlagKind, Motion, Sample, SolverError};
use crate::theorem::may_kink_in;
pub use jacobi::{Conjugate, Unconjugated};
use path::Reference;
use std::sync::atomic::AtomicBool;
use thiserror::Error;

/// Sample intervals where none are asked for.
const SAMPLES: usize = 1000;
/// Where the integrals are not that good there are so many times as many, up to a number.
const FINER: usize = 8;
const FINEST: usize = 64_000;
/// The relative tolerance of the motion that is varied: its error is that of the slope.
const RTOL: f64 = 1e-12;
/// What a variation may miss zero by at the ends, in parts of its largest value.
const AT_THE_ENDS: f64 = 1e-9;
/// The least |det J_D| along a motion with which a choice holds, in parts of the largest there: how it compares with other choices
/// depends on the units of the coordinates.
const LEAST: f64 = 1e-6;
/// The part of the way to where a choice fails, or the motion stops, that is looked at.
const SHORT: f64 = 0.9;
/// The slope is zero where it is below this part of the curvature's scale.
const ZERO: f64 = 1e-6;
/// Sizes to either side for which the action is told.
const SIZES: i32 = 8;

/// A variation of one coordinate, zero at both ends of the time.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// sin(k pi s), s from 0 to 1 over the time.
    Sine(u32),
    /// 16 s^2 (1 - s)^2.
    Bump,
    /// An expression of t and parameters.
    Expression(Expr),
}

impl Shape {
    /// The shapes that have a name.
    pub const NAMED: [(&'static str, Self); 4] = [
        ("sine", Self::Sine(1)),
        ("sine2", Self::Sine(2)),
        ("sine3", Self::Sine(3)),
        ("bump", Self::Bump),
    ];

    /// Its name, where it has one.
    pub fn name(&self) -> Option<&'static str> {
        let mut named = Self::NAMED.iter();
        named
            .find(|(_, shape)| shape == self)
            .map(|(name, _)| *name)
    }
}

/// How large the largest variation is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Size {
    /// This eps.
    Eps(f64),
    /// This part of the way that goes what is varied.
    Part(f64),
}

impl Default for Size {
    fn default() -> Self {
        Self::Part(0.1)
    }
}

/// What is asked.
#[derive(Clone, Debug, Default)]
pub struct VaryRequest {
    /// The motion.
    pub run: Request,
    /// From when; the start where not given.
    pub from: Option<f64>,
    /// To when; as far as one choice of dependent coordinates holds where not given.
    pub to: Option<f64>,
    /// What is varied: the first independent coordinate, by half a sine, where nothing is given.
    pub variation: Vec<(usize, Shape)>,
    /// The largest factor eps.
    pub size: Size,
}

/// Why a motion cannot be varied so.
#[derive(Debug, Error)]
pub enum VaryError {
    /// The request itself.
    Request(#[from] RequestError),
    /// Not a time of the motion.
    Outside {
        /// The time.
        t: f64,
        /// The motion.
        within: [f64; 2],
    },
    /// The two times are in the wrong order.
    Order {
        /// The first time.
        from: f64,
        /// The last time.
        to: f64,
        /// The motion.
        within: [f64; 2],
    },
    /// The two times are one.
    NoTime {
        /// The time.
        t: f64,
    },
    /// A constraint is released between the two times.
    Released {
        /// Its name.
        constraint: String,
        /// When.
        t: f64,
    },
    /// Nothing is independent.
    Fixed,
    /// L or a constraint may have steps in the coordinates: the action of paths beside a motion has no slope.
    Steps,
    /// A dependent coordinate cannot be varied.
    Dependent {
        /// Its name.
        name: String,
        /// Those that are not.
        free: Vec<String>,
    },
    /// A variation that is not zero at an end.
    End {
        /// The coordinate.
        name: String,
        /// The end.
        t: f64,
        /// Its value.
        value: f64,
    },
    /// A variation that is not a number, or zero all the time.
    Value {
        /// The coordinate.
        name: String,
        /// When.
        t: f64,
        /// Is it zero all the time?
        zero: bool,
    },
    /// The choice of dependent coordinates fails on the motion itself.
    LeavesN {
        /// The choice.
        dependent: Vec<String>,
        /// When.
        t: f64,
    },
    /// The motion did not come so far.
    Motion(SolverError),
    /// Called off.
    CalledOff,
}

/// How the dependent coordinates of a varied path are found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Returned {
    /// By g, these dependent.
    ByG(Vec<usize>),
    /// Along the gradients at the motion: no choice holds on all of the way.
    Nearest,
}

/// The action at a size of the variation.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionAt {
    /// The size.
    pub epsilon: f64,
    /// S(eps); where the path leaves N, when and where.
    pub action: Result<f64, Spot>,
}

/// What is found.
#[derive(Clone, Debug)]
pub struct Varied {
    /// The two times.
    pub between: [f64; 2],
    /// How the rest follows.
    pub returned: Returned,
    /// What is varied, and how.
    pub variation: Vec<(usize, Shape)>,
    /// The times.
    pub times: Vec<f64>,
    /// The motion, a list a time.
    pub motion: Vec<Vec<f64>>,
    /// The path at the largest size that is on N at all times, a list a time, and its size.
    pub path: Option<(f64, Vec<Vec<f64>>)>,
    /// S(0).
    pub action: f64,
    /// S'(0).
    pub slope: f64,
    /// The work of what has no potential along dx: int (Q + A^T mu).dx dt; zero without such.
    pub work: f64,
    /// S''(0); not a number where L or a constraint may have kinks in the coordinates, each of which has a part in it of its own.
    pub curvature: f64,
    /// int |ddL| dt: what the slope is measured against.
    pub scale: f64,
    /// What the quadrature may be off by, of the slope with the work,
    pub error: f64,
    /// of S(0),
    pub action_error: f64,
    /// and of S''(0).
    pub curvature_error: f64,
    /// S at sizes to either side.
    pub curve: Vec<ActionAt>,
    /// Conjugate points of the first time, up to the last; why none were looked for.
    pub conjugate: Result<Vec<Conjugate>, Unconjugated>,
    /// Under forces without a potential: where motions that begin there with other velocities meet this one again.
    pub meeting: Option<Vec<Conjugate>>,
}

impl Varied {
    /// S'(0) with the work: zero along a motion.
    pub fn balance(&self) -> f64 {
        self.slope + self.work
    }

    /// Is S'(0) with the work zero, to the accuracy that the numbers have?
    pub fn is_stationary(&self) -> bool {
        self.balance().abs() <= (ZERO * self.scale).max(self.error)
    }

    /// Directions in which S falls: conjugate points before the last time.
    pub fn falling(&self) -> Option<usize> {
        let list = self.conjugate.as_ref().ok()?;
        let direction = (self.between[1] - self.between[0]).signum();
        let inside = list
            .iter()
            .filter(|c| (self.between[1] - c.t) * direction > 1e-9 * c.t.abs());
        Some(inside.map(|c| c.multiplicity).sum())
    }
}

/// The part of a motion that is varied, and how.
struct Part<'a> {
    /// Its state at the first time.
    begin: Sample,
    /// The last time.
    to: f64,
    /// The constraints in use.
    rows: &'a [usize],
    /// May L or one of them have kinks?
    kinks: bool,
    /// Times that no polynomial goes over.
    breaks: Vec<f64>,
    variation: Vec<(usize, Shape)>,
    returned: Returned,
}

impl Model {
    /// The motion among the paths beside it. Where no number of samples is asked for there are as many as the integrals need.
    pub fn vary(&self, request: &VaryRequest, cancel: &AtomicBool) -> Result<Varied, VaryError> {
        let base = self.simulate(&request.run, cancel)?;
        let (Some(first), Some(last)) = (base.samples.first(), base.samples.last()) else {
            let because = base.because.clone();
            return Err(because.map_or(VaryError::CalledOff, VaryError::Motion));
        };
        let within = [first.t, last.t];
        let from = request.from.unwrap_or(first.t);
        for t in [Some(from), request.to].into_iter().flatten() {
            let inside = (t - within[0]) * (t - within[1]) <= 0.0;
            if !inside {
                return match &base.because {
                    Some(why) => Err(VaryError::Motion(why.clone())),
                    None => Err(VaryError::Outside { t, within }),
                };
            }
        }
        let order = |to: &f64| (to - from) * (within[1] - within[0]) < 0.0;
        if let Some(to) = request.to.filter(order) {
            return Err(VaryError::Order { from, to, within });
        }
        let direction = (last.t - from).signum();
        let mut legs = base.legs.iter().rev();
        let leg = legs.find(|leg| (leg.from - from) * direction <= 0.0);
        let rows: &[usize] = leg.map_or(&[], |leg| &leg.rows);
        let kinks = self.kinks_of(rows)?;
        let (to, returned) = self.range_of(&base, (from, request.to), (request, rows))?;
        if from == to {
            return Err(VaryError::NoTime { t: from });
        }
        let free = self.free_of(&returned);
        let part = Part {
            begin: self.reached(first, from, (&request.run, cancel))?,
            to,
            rows,
            kinks,
            breaks: self.breaks(&[from, to]),
            variation: self.variation(request, &returned, &free)?,
            returned,
        };
        let mut count = SAMPLES;
        loop {
            let last = request.run.samples.is_some() || count >= FINEST || kinks || is_over();
            if let Some(found) = self.vary_part(request, &part, (count, last), cancel)? {
                return Ok(found);
            }
            count *= FINER;
        }
    }

    /// The same by so many samples, if no other number is asked for; nothing where more may tell the integrals better and these are not
    /// the last.
    fn vary_part(
        &self,
        request: &VaryRequest,
        part: &Part<'_>,
        (count, last): (usize, bool),
        cancel: &AtomicBool,
    ) -> Result<Option<Varied>, VaryError> {
        let Part {
            begin,
            to,
            rows,
            kinks,
            breaks,
            variation,
            returned,
        } = part;
        let (from, to) = (begin.t, *to);
        // of a motion that runs backwards S is taken from the earlier time to the later, too
        let way_on = (to - from).signum();
        let run = again(begin, (to, count), &request.run);
        let motion = if breaks.is_empty() {
            self.simulate(&run, cancel)?
        } else {
            self.simulate_closely(&run, cancel)?
        };
        if let Some(why) = motion.because {
            return Err(VaryError::Motion(why));
        }
        let reference = Reference::new(self, (&motion.samples, breaks.clone()), (rows, returned));
        let eta = self.values_of(variation, &motion, [from, to])?;
        let found = reference.variations(&eta).ok_or(VaryError::LeavesN {
            dependent: self.names(match returned {
                Returned::ByG(list) => list,
                Returned::Nearest => &[],
            }),
            t: from,
        })?;
        if !last && !found.resolved {
            return Ok(None);
        }
        let size = match request.size {
            Size::Eps(size) => size,
            Size::Part(part) => {
                let step = part * distance(&motion, variation) / f64::from(SIZES);
                rounded(step) * f64::from(SIZES)
            }
        };
        let mut curve = Vec::new();
        let mut path = None;
        for i in -SIZES..=SIZES {
            let epsilon = size * f64::from(i) / f64::from(SIZES);
            let action = reference.path(&eta, epsilon).map(|(action, places)| {
                if i > 0 {
                    path = Some((epsilon, places));
                }
                way_on * action
            });
            curve.push(ActionAt { epsilon, action });
        }
        let (conjugate, meeting) = self.conjugate_points(rows, &run, cancel);
        Ok(Some(Varied {
            between: [from, to],
            returned: returned.clone(),
            variation: variation.clone(),
            times: motion.samples.iter().map(|s| s.t).collect(),
            motion: motion.samples.iter().map(|s| s.x.clone()).collect(),
            path,
            action: way_on * found.action,
            slope: way_on * found.slope,
            work: way_on * found.work,
            curvature: if *kinks {
                f64::NAN
            } else {
                way_on * found.curvature
            },
            scale: found.scale,
            error: found.error,
            action_error: found.action_error,
            curvature_error: found.curvature_error,
            curve,
            conjugate,
            meeting,
        }))
    }

    /// The state that the motion which begins at a sample has at a time: integrated to there, as samples tell nothing of what lies
    /// between them.
    fn reached(
        &self,
        first: &Sample,
        t: f64,
        (run, cancel): (&Request, &AtomicBool),
    ) -> Result<Sample, VaryError> {
        if t == first.t {
            return Ok(first.clone());
        }
        let motion = self.simulate(&closely(run, (t, 1)), cancel)?;
        match (motion.because, motion.samples.last()) {
            (None, Some(last)) => Ok(last.clone()),
            (Some(why), _) => Err(VaryError::Motion(why)),
            (None, None) => Err(VaryError::NoTime { t }),
        }
    }

    /// Whether L or one of these constraints may have kinks in coordinates or velocities.
    ///
    /// # Errors
    ///
    /// They may have steps.
    fn kinks_of(&self, rows: &[usize]) -> Result<bool, VaryError> {
        let system = &self.system;
        let pool = &system.pool;
        let moving: Vec<Expr> = system.coordinates.iter().flat_map(|c| [c.x, c.v]).collect();
        let constraints = rows.iter().map(|b| system.constraints[*b].f);
        let all: Vec<Expr> = constraints.chain([system.lagrangian]).collect();
        let kinks = may_kink_in(pool, &all, &moving);
        if kinks && all.iter().any(|e| pool.may_jump(*e, &moving)) {
            return Err(VaryError::Steps);
        }
        Ok(kinks)
    }

    /// The last time, and how the dependent coordinates are found on the way there.
    fn range_of(
        &self,
        base: &Motion,
        (from, to): (f64, Option<f64>),
        (request, rows): (&VaryRequest, &[usize]),
    ) -> Result<(f64, Returned), VaryError> {
        let last = base.samples.last().map_or(from, |s| s.t);
        let direction = (last - from).signum();
        // up to where a motion stops it is regular
        let whole = if base.because.is_some() { SHORT } else { 1.0 };
        let mut end = to.unwrap_or(from + whole * (last - from));
        for r in &base.releases {
            if (r.t - from) * direction > 0.0 && (end - r.t) * direction > 0.0 {
                if to.is_some() {
                    let constraint = self.constraint_names()[r.constraint].clone();
                    return Err(VaryError::Released { constraint, t: r.t });
                }
                end = r.t;
            }
        }
        for core in &base.cores {
            let t = if direction > 0.0 { core[0] } else { core[1] };
            if to.is_none() && (t - from) * direction > 0.0 && (end - t) * direction > 0.0 {
                end = t;
            }
        }
        if rows.len() >= self.system.coordinates.len() {
            return Err(VaryError::Fixed);
        }
        let holds = |choice: &[usize]| self.holds_until(base, (choice, rows), (from, end));
        let asked = request.run.dependent.as_ref();
        let asked = asked.filter(|list| list.len() == rows.len());
        let mut choices: Vec<Vec<usize>> = vec![asked.unwrap_or(&base.dependent).clone()];
        let mut samples = base.samples.iter();
        let start = samples.find(|s| (s.t - from) * direction >= 0.0);
        if let Some(s) = start.filter(|_| asked.is_none()) {
            let local = self.theorem.local(&self.system, s.t, &s.x, &[]);
            choices.extend(crate::theorem::ranked(&local.rows(rows)).choices);
        }
        choices.retain(|list| list.len() == rows.len());
        choices.truncate(64);
        let mut best: Option<(f64, Vec<usize>)> = None;
        for choice in choices {
            match holds(&choice) {
                None => return Ok((end, Returned::ByG(choice))),
                Some(t) => {
                    let further = |known: &(f64, _)| (t - known.0) * direction > 0.0;
                    if best.as_ref().is_none_or(further) {
                        best = Some((t, choice));
                    }
                }
            }
        }
        match (best, to) {
            (Some((t, choice)), None) if t != from => {
                Ok((from + SHORT * (t - from), Returned::ByG(choice)))
            }
            (Some((t, choice)), _) if asked.is_some() => Err(VaryError::LeavesN {
                dependent: self.names(&choice),
                t,
            }),
            _ => Ok((end, Returned::Nearest)),
        }
    }

    /// Until when a choice holds along a motion; `None` where it does on all of the way.
    fn holds_until(
        &self,
        base: &Motion,
        (choice, rows): (&[usize], &[usize]),
        (from, to): (f64, f64),
    ) -> Option<f64> {
        if rows.is_empty() {
            return None;
        }
        let within = |t: f64| (t - from) * (t - to) <= 0.0;
        let on_the_way = base.samples.iter().filter(|s| within(s.t));
        let determinant = |s: &Sample| {
            self.gradients_at(s, rows)
                .select_columns(choice)
                .determinant()
        };
        let all: Vec<(f64, f64)> = on_the_way.map(|s| (s.t, determinant(s))).collect();
        let sign = all.first().map_or(0.0, |(_, det)| det.signum());
        let least = LEAST * largest(all.iter().map(|(_, det)| det));
        // the motion has looked between its samples at its own choice, and at all together; those that are redundant are so all along
        let all_used = rows.len() == self.system.constraints.len();
        let counts = |flag: &Flag| match flag.kind {
            FlagKind::Chart => *choice == base.dependent,
            FlagKind::Rank => all_used && !self.is_of_velocities(flag),
        };
        let fails = |flag: &&Flag| counts(flag) && within(flag.t);
        let flag = base.flags.iter().find(fails).map(|flag| flag.t);
        let past = |t: f64| flag.is_some_and(|flag| (t - flag) * (to - from) >= 0.0);
        let lost = all
            .iter()
            .position(|(t, det)| past(*t) || det.is_nan() || det * sign <= least);
        match lost {
            Some(0) => Some(from),
            Some(first) => Some(all[first - 1].0),
            None => None,
        }
    }

    /// The coordinates that may be varied.
    fn free_of(&self, returned: &Returned) -> Vec<usize> {
        let n = self.system.coordinates.len();
        match returned {
            Returned::ByG(list) => (0..n).filter(|k| !list.contains(k)).collect(),
            Returned::Nearest => (0..n).collect(),
        }
    }

    fn variation(
        &self,
        request: &VaryRequest,
        returned: &Returned,
        free: &[usize],
    ) -> Result<Vec<(usize, Shape)>, VaryError> {
        let Some(first) = free.first() else {
            return Err(VaryError::Fixed);
        };
        if request.variation.is_empty() {
            // with every coordinate free, along the one that moves least: a change of speed says little
            let chosen = match returned {
                Returned::ByG(_) => *first,
                Returned::Nearest => *free.last().unwrap_or(first),
            };
            return Ok(vec![(chosen, Shape::Sine(1))]);
        }
        if let Some((k, _)) = request.variation.iter().find(|(k, _)| !free.contains(k)) {
            return Err(VaryError::Dependent {
                name: self.coordinate_names()[*k].clone(),
                free: self.names(free),
            });
        }
        Ok(request.variation.clone())
    }

    /// eta and eta' at the samples, a list a coordinate that is varied.
    fn values_of(
        &self,
        variation: &[(usize, Shape)],
        motion: &Motion,
        [from, to]: [f64; 2],
    ) -> Result<path::Eta, VaryError> {
        let n = self.system.coordinates.len();
        let count = motion.samples.len();
        let mut eta = path::Eta {
            value: vec![vec![0.0; n]; count],
            rate: vec![vec![0.0; n]; count],
        };
        for (k, shape) in variation {
            let name = || self.coordinate_names()[*k].clone();
            let mut largest = (0.0_f64, from);
            let last = count.saturating_sub(1);
            for (i, s) in motion.samples.iter().enumerate() {
                let [value, rate] = self.shape_at(shape, s.t, [from, to]);
                if !(value.is_finite() && rate.is_finite()) {
                    return Err(VaryError::Value {
                        name: name(),
                        t: s.t,
                        zero: false,
                    });
                }
                if value.abs() > largest.0 {
                    largest = (value.abs(), s.t);
                }
                eta.value[i][*k] += value;
                eta.rate[i][*k] += rate;
            }
            if largest.0 == 0.0 {
                return Err(VaryError::Value {
                    name: name(),
                    t: from,
                    zero: true,
                });
            }
            for (i, t) in [(0, from), (last, to)] {
                let [value, _] = self.shape_at(shape, t, [from, to]);
                if value.abs() > AT_THE_ENDS * largest.0 {
                    return Err(VaryError::End {
                        name: name(),
                        t,
                        value,
                    });
                }
                eta.value[i][*k] = 0.0;
            }
        }
        Ok(eta)
    }

    /// A shape and its rate.
    fn shape_at(&self, shape: &Shape, t: f64, [from, to]: [f64; 2]) -> [f64; 2] {
        let s = (t - from) / (to - from);
        match shape {
            Shape::Sine(k) => {
                let k = f64::from(*k) * std::f64::consts::PI;
                [(k * s).sin(), k / (to - from) * (k * s).cos()]
            }
            Shape::Bump => {
                let u = s * (1.0 - s);
                [16.0 * u * u, 32.0 * u * (1.0 - 2.0 * s) / (to - from)]
            }
            Shape::Expression(e) => {
                let (system, x) = (&self.system, Vec::new());
                let rate = system.pool.derivative(*e, system.t);
                [*e, rate].map(|e| Spot { t, x: x.clone() }.value(system, &[], e))
            }
        }
    }
}

/// A size to three digits.
fn rounded(size: f64) -> f64 {
    format!("{size:.2e}").parse().unwrap_or(size)
}

/// The way that what is varied goes; 1 where it rests.
fn distance(motion: &Motion, variation: &[(usize, Shape)]) -> f64 {
    let range = |k: usize| {
        let (low, high) = extremes(motion.samples.iter().map(|s| s.x[k]));
        high - low
    };
    let most = variation.iter().map(|(k, _)| range(*k)).fold(0.0, f64::max);
    if most > 1e-9 { most } else { 1.0 }
}

/// The motion again from a place of it, closely, with so many samples of its own.
fn again(begin: &Sample, (to, count): (f64, usize), own: &Request) -> Request {
    let every = |values: &[f64]| values.iter().copied().enumerate().collect();
    Request {
        overrides: Overrides {
            t: Some(begin.t),
            x: every(&begin.x),
            v: every(&begin.v),
        },
        ..closely(own, (to, own.samples.unwrap_or(count)))
    }
}

/// The same motion, closely, to a time with so many samples.
fn closely(own: &Request, (to, samples): (f64, usize)) -> Request {
    Request {
        until: Some(to),
        rtol: Some(own.rtol.unwrap_or(RTOL).min(RTOL)),
        atol: Some(1e-14),
        samples: Some(samples),
        ..own.clone()
    }
}
