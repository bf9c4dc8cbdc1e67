//! A motion: what is asked of it, and what it was.

use std::sync::atomic::AtomicBool;

use super::dynamics::Problem;
use super::error::SolverError;
use super::events::Flag;
use super::note::Note;
use super::rank::{InUse, Redundant};
use super::step::Work;
use crate::geometry::ATOL;
use crate::system::{Method, Release, Stiff};

/// Steps after which a run is given up.
pub const MAX_STEPS: usize = 10_000_000;

/// How a motion is computed.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// The time to run to (not a duration); before the start's t the run goes backwards.
    pub until: f64,
    /// The method.
    pub method: Method,
    /// The relative tolerance of a step.
    pub rtol: f64,
    /// The absolute tolerance of a step.
    pub atol: f64,
    /// N gives N + 1 samples at equal distances, both ends included.
    pub samples: usize,
    /// The bound on the number of steps.
    pub max_steps: usize,
    /// When the implicit stepper is used.
    pub stiff: Stiff,
    /// The one-sided constraints, f >= c.
    pub one_sided: Vec<OneSided>,
    /// Times at which a mark is wanted, in the order of the motion.
    pub also: Vec<f64>,
    /// Times at which a step ends, in the order of the motion, and those at which the next one begins: what acts only between two of
    /// them is not stepped over, and what jumps does so between the two of one.
    pub ends: Vec<[f64; 2]>,
    /// So many states of each step are kept beside the samples ([`Motion::between`]); 0 for none.
    pub closely: usize,
    /// Where nobody looks at a flag but for its time and kind: no state is marked there and no other choice named, and its
    /// position is as the dense output of its step has it.
    pub brief: bool,
}

/// A one-sided constraint f >= c: its multiplier can only push, lambda >= 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OneSided {
    /// Its index.
    pub constraint: usize,
    /// What the motion does where the multiplier would have to pull.
    pub release: Release,
}

/// A place where a one-sided constraint was released.
#[derive(Debug, Clone, PartialEq)]
pub struct Released {
    /// The time.
    pub t: f64,
    /// The index of the constraint.
    pub constraint: usize,
    /// The position.
    pub x: Vec<f64>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            until: 10.0,
            method: Method::default(),
            rtol: 1e-9,
            atol: ATOL,
            samples: 1000,
            max_steps: MAX_STEPS,
            stiff: Stiff::default(),
            one_sided: Vec::new(),
            ends: Vec::new(),
            also: Vec::new(),
            closely: 0,
            brief: false,
        }
    }
}

/// A motion at a time, on the constraints to rounding.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// The time.
    pub t: f64,
    /// The n coordinates.
    pub x: Vec<f64>,
    /// The n velocities.
    pub v: Vec<f64>,
    /// The n accelerations.
    pub a: Vec<f64>,
    /// The m multipliers, then the p of the velocity constraints; of least norm where constraints are redundant.
    pub lambda: Vec<f64>,
    /// The n components of the constraint force R = J^T lambda + A^T mu.
    pub reaction: Vec<f64>,
    /// det `J_D` of the system's own choice, rows in the order of the constraints, columns in that of the
    /// choice; 1 without constraints, 0 with redundant ones.
    pub determinant: f64,
    /// x' . dL/dx' - L.
    pub energy: f64,
    /// max |`f_b` - `c_b`|.
    pub residual: f64,
}

/// What was computed of a motion.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Motion {
    /// The method it was computed with.
    pub method: Method,
    /// The system's own choice of dependent coordinates that determinant and flags refer to.
    pub dependent: Vec<usize>,
    /// The samples, as far as the motion came; where it stopped ([`SolverError::is_regular`]) the last one.
    pub samples: Vec<Sample>,
    /// The states of each step beside the samples, where they were asked for ([`Options::closely`]): its end, places at equal
    /// distances before it, and its beginning where that is behind a jump.
    pub between: Vec<Sample>,
    /// The states at flags (unless [`Options::brief`]), releases and the times asked for, and where the motion stopped at a singular
    /// state, in the order of the motion: solved for as the samples are, between them.
    pub marks: Vec<Sample>,
    /// What was in force, from the start and from each release on.
    pub legs: Vec<InForce>,
    /// From when to when only an interpolant tells what happens, round each singular configuration.
    pub cores: Vec<[f64; 2]>,
    /// Where charts or ranks failed, in the order of the motion.
    pub flags: Vec<Flag>,
    /// Where one-sided constraints were released, in the order of the motion.
    pub releases: Vec<Released>,
    /// Steps taken.
    pub steps: usize,
    /// Steps tried and not taken.
    pub rejected: usize,
    /// Changes of the chart (method `inverse`).
    pub chart_changes: usize,
    /// Evaluations of the whole system at an instant.
    pub evaluations: usize,
    /// The time from which on the motion was found to be stiff and the implicit stepper used.
    pub stiff_from: Option<f64>,
    /// The steppers that were used, in turn, and what each did.
    pub work: Vec<Work>,
    /// Whether the motion came to the end.
    pub finished: bool,
    /// Why it did not.
    pub because: Option<SolverError>,
    /// The constraints that are left out, because others imply them.
    pub redundant: Vec<Redundant>,
    /// What should be said beside the numbers.
    pub notes: Vec<Note>,
}

/// The constraints that a motion keeps to, from a time on.
#[derive(Debug, Clone, PartialEq)]
pub struct InForce {
    /// That time.
    pub from: f64,
    /// The constraints on positions: of redundant ones those that imply the others.
    pub rows: Vec<usize>,
    /// Those on velocities.
    pub velocity: Vec<usize>,
    /// The one-sided constraints that were released.
    pub released: Vec<usize>,
}

impl InForce {
    /// These constraints of a problem.
    pub(super) fn set<'a>(&'a self, problem: &'a Problem<'a>) -> InUse<'a> {
        InUse::new(problem, &self.rows, &self.velocity)
    }
}

/// Takes samples on their way.
pub type Sink<'a> = dyn FnMut(&[Sample]) + 'a;

/// Sees a motion on its way, after each step.
pub type Glance<'a> = dyn FnMut(&Motion) + 'a;

/// What a motion has to do with the world while it is on its way.
pub struct Outside<'a> {
    /// Ends it once it is set.
    pub(super) cancel: &'a AtomicBool,
    /// Takes its samples, so many at a time.
    sink: Option<(&'a mut Sink<'a>, usize)>,
    /// Sees it.
    glance: Option<&'a mut Glance<'a>>,
}

/// The last samples stay in the motion: they tell how it ended.
const STAY: usize = 2;

impl<'a> Outside<'a> {
    /// A motion that keeps its samples and may be called off.
    pub fn calling_off(cancel: &'a AtomicBool) -> Self {
        Self {
            cancel,
            sink: None,
            glance: None,
        }
    }

    /// One that is seen on its way.
    #[must_use]
    pub fn seen_by(self, glance: &'a mut Glance<'a>) -> Self {
        Self {
            glance: Some(glance),
            ..self
        }
    }

    /// One that hands them on, at least so many at a time but for the last, which stay in the motion.
    #[must_use]
    pub fn handing_on(self, count: usize, sink: &'a mut Sink<'a>) -> Self {
        Self {
            sink: Some((sink, count)),
            ..self
        }
    }

    /// Hands on what has been gathered. States beside the samples are of no use without these.
    pub(super) fn pass_on(&mut self, motion: &mut Motion) {
        if let Some(glance) = &mut self.glance {
            glance(motion);
        }
        let Some((sink, count)) = &mut self.sink else {
            return;
        };
        motion.marks.clear();
        let samples = &mut motion.samples;
        if samples.len() >= *count + STAY {
            let ready = samples.len() - STAY;
            sink(&samples[..ready]);
            samples.drain(..ready);
        }
    }
}
