//! What a file expects of its system, held against a motion and against the equilibria.
//!
//! A claim is judged by `|a - b| <= within * scale`, with `scale` the largest value of either side
//! along the motion, or at the equilibrium. Nothing is relative to zero: where what is known is zero but for rounding, the scale is
//! the size of the terms that cancel (`size`), largest along the motion. Values at an instant come from a run that ends there.

use super::along::larger;
use super::{Condition, Model, Request, RequestError, Where};
use crate::expr::Expr;
use crate::geometry::largest;
use crate::solver::{Motion, Sample, SolverError};
use crate::statics::{Equilibria, Kind, Stability};
use crate::system::{Claim, Expectation, Instant};
use std::sync::atomic::{AtomicBool, Ordering};

/// A known value below this part of its terms, or of what the same has before on the motion, is zero but for rounding: nothing is
/// relative to it.
const ZERO: f64 = 1e-14;

mod equilibria;
mod size;

/// What expectations are held against: no more of it than the file's are about.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// The motion of the file; an objective has none.
    pub motion: Option<Motion>,
    /// The equilibria, or the extrema of an objective.
    pub equilibria: Option<Equilibria>,
}

/// An expectation and what the motion says of it.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Does it hold?
    pub holds: bool,
    /// The largest difference, relative to the scale; not finite where a side has no value.
    pub difference: f64,
    /// The time at which the difference is largest; not a number for what is at rest.
    pub t: f64,
    /// What was computed and what is known, where they differ most; of a constant, its value then and at the start.
    pub values: Option<[f64; 2]>,
    /// What the difference is relative to.
    pub scale: Scale,
    /// Why it could not be judged, where it could not, or what is there instead.
    pub because: Option<Unjudged>,
}

named! {
    /// What a difference is relative to.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum Scale {
        /// The largest value of either side.
        Sides = "sides",
        /// What is known is zero: the size of the terms that cancel, or of what is looked at before.
        Terms = "terms",
    }
}

named! {
    /// Why a fact could not be judged, or does not hold.
    #[derive(Clone, Debug, PartialEq)]
    pub enum Unjudged {
        /// The work was called off.
        Interrupted = "interrupted",
        /// The equilibria were not looked for.
        NotLookedFor = "not_looked_for",
        /// There is no motion.
        NoMotion = "no_motion",
        /// The motion ended before.
        Ended(Box<SolverError>) = "ended",
        /// A run does not come to the time of it.
        NotReached(f64) = "not_reached",
        /// The instant does not come within the run.
        NoInstant = "no_instant",
        /// The number is right; that there are no others is not proven.
        NotAll = "not_proven_to_be_all",
        /// No equilibrium was found at the place.
        NoEquilibrium = "no_equilibrium",
        /// It is proven that there is none.
        NoneThere = "proven_to_be_none",
        /// The equilibrium there is of another kind, as is proven.
        IsOther {
            /// Its stability.
            stability: Stability,
            /// What it is of the potential, or of the objective.
            kind: Kind,
        } = "proven_to_be_another_kind",
        /// The equilibrium there is not known to be of that kind.
        Stands {
            /// Its stability.
            stability: Stability,
            /// What it is of the potential, or of the objective.
            kind: Kind,
        } = "another_kind",
        /// It has another number of frequencies.
        Frequencies(usize) = "another_number_of_frequencies",
        /// The sides differ by no more than a motion of these tolerances is off by.
        Unresolved = "below_the_tolerances",
    }
}

impl Finding {
    /// Is it left open: could it not be judged?
    pub fn is_open(&self) -> bool {
        let refuted =
            |why: &Unjudged| matches!(why, Unjudged::NoneThere | Unjudged::IsOther { .. });
        self.because.as_ref().is_some_and(|why| !refuted(why))
    }

    /// Two sides along times, held against each other.
    fn of(
        within: f64,
        times: &[f64],
        [left, right]: [&[f64]; 2],
        (measure, size): (Scale, f64),
    ) -> Self {
        let scale = largest(left.iter().chain(right)).max(size);
        let mut worst = (0.0, f64::NAN);
        let mut values = None;
        for ((a, b), t) in left.iter().zip(right).zip(times) {
            let off = relative(*a, *b, scale);
            // a side without a value is the worst there can be
            if off.is_nan() || off > worst.0 || worst.1.is_nan() {
                worst = (off, *t);
                values = Some([*a, *b]);
            }
            if off.is_nan() {
                break;
            }
        }
        Finding {
            holds: worst.0 <= within && !left.is_empty(),
            difference: worst.0,
            t: worst.1,
            values,
            scale: measure,
            because: None,
        }
    }

    /// One that could not be judged.
    fn open(because: Unjudged) -> Self {
        Self {
            holds: false,
            difference: f64::NAN,
            t: f64::NAN,
            values: None,
            scale: Scale::Sides,
            because: Some(because),
        }
    }
}

/// What a fact holds against each other.
struct Sides {
    t: Vec<f64>,
    left: Vec<f64>,
    right: Vec<f64>,
    /// what is known of them
    known: Vec<f64>,
    /// the largest that their terms are on the motion
    size: f64,
    /// by how much the motion may have them off
    resolved: f64,
}

/// |a - b| in parts of a scale; as it is where that is zero.
fn relative(a: f64, b: f64, scale: f64) -> f64 {
    let off = (a - b).abs();
    if scale > 0.0 { off / scale } else { off }
}

impl Model {
    /// Holds every expectation of the file against its motion and its equilibria.
    pub fn verify(&self, cancel: &AtomicBool) -> Result<Vec<Finding>, RequestError> {
        let evidence = self.evidence(cancel)?;
        let list = self.system.expectations.iter();
        list.map(|e| {
            let finding = self.judge(&evidence, e, 1.0, cancel)?;
            // what is found of work that was called off is no judgement
            Ok(if cancel.load(Ordering::Relaxed) {
                Finding::open(Unjudged::Interrupted)
            } else {
                finding
            })
        })
        .collect()
    }

    /// What the expectations of the file are about.
    pub fn evidence(&self, cancel: &AtomicBool) -> Result<Evidence, RequestError> {
        let list = &self.system.expectations;
        let moving = list.iter().any(|e| !e.claim.is_static());
        let resting = list.iter().any(|e| e.claim.is_static());
        let motion = moving.then(|| self.simulate(&Request::default(), cancel));
        Ok(Evidence {
            motion: motion.transpose()?,
            equilibria: resting.then(|| self.equilibria(&Where::default())),
        })
    }

    /// Holds one expectation against what was found of the system, with the known side multiplied by
    /// `factor`: 1, or something else where a test wants to see it fail. What is expected to be
    /// constant is multiplied by a factor that grows from 1 to `factor` along the motion.
    pub fn judge(
        &self,
        evidence: &Evidence,
        expectation: &Expectation,
        factor: f64,
        cancel: &AtomicBool,
    ) -> Result<Finding, RequestError> {
        let within = expectation.within;
        match (&expectation.claim, &evidence.equilibria) {
            (Claim::Equilibrium(_) | Claim::Count(_), None) => {
                return Ok(Finding::open(Unjudged::NotLookedFor));
            }
            (Claim::Equilibrium(rest), Some(found)) => {
                return Ok(self.judge_rest(found, rest, factor, within));
            }
            (Claim::Count(count), Some(found)) => {
                return Ok(equilibria::judge_count(found, *count, factor));
            }
            (Claim::Identity { .. } | Claim::Constant(_) | Claim::Value { .. }, _) => {}
        }
        let Some(motion) = &evidence.motion else {
            return Ok(Finding::open(Unjudged::NoMotion));
        };
        if let Some(because) = &motion.because {
            return Ok(Finding {
                t: motion.samples.last().map_or(f64::NAN, |s| s.t),
                ..Finding::open(Unjudged::Ended(Box::new(because.clone())))
            });
        }
        let sides = match self.sides(motion, &expectation.claim, factor, cancel)? {
            Ok(sides) => sides,
            Err(open) => return Ok(open),
        };
        let Sides {
            t,
            left,
            right,
            size,
            ..
        } = &sides;
        let known = largest(sides.known.iter());
        let scale = if known <= ZERO * size {
            (Scale::Terms, *size)
        } else {
            (Scale::Sides, 0.0)
        };
        let finding = Finding::of(within, t, [left, right], scale);
        let off = left.iter().zip(right).map(|(a, b)| (a - b).abs());
        let off = off.fold(0.0, larger);
        let unresolved = !finding.holds && factor == 1.0 && off <= sides.resolved;
        Ok(Finding {
            because: unresolved.then_some(Unjudged::Unresolved),
            ..finding
        })
    }

    /// The two sides of a fact about a motion, or why they cannot be had.
    fn sides(
        &self,
        motion: &Motion,
        claim: &Claim,
        factor: f64,
        cancel: &AtomicBool,
    ) -> Result<Result<Sides, Finding>, RequestError> {
        let times = || motion.samples.iter().map(|s| s.t).collect::<Vec<f64>>();
        let sides = match claim {
            Claim::Equilibrium(_) | Claim::Count(_) => {
                return Ok(Err(Finding::open(Unjudged::NoMotion)));
            }
            Claim::Identity { left, right } => {
                // what is known is the side that is 0
                let (left, right) = if *left == self.system.pool.zero() {
                    (*right, *left)
                } else {
                    (*left, *right)
                };
                let (a, b) = self.pair(motion, left, right);
                let right_side = b.iter().map(|v| factor * v).collect();
                let (size, resolved) = self.sizes(&motion.samples, &[left, right]);
                Sides {
                    t: times(),
                    left: a,
                    right: right_side,
                    known: b,
                    size,
                    resolved,
                }
            }
            Claim::Constant(e) => {
                let t = times();
                let (values, _) = self.pair(motion, *e, *e);
                let (first, last) = (t.first().copied(), t.last().copied());
                let (first, last) = (first.unwrap_or(0.0), last.unwrap_or(1.0));
                let grown = values
                    .iter()
                    .zip(&t)
                    .map(|(v, t)| v * (1.0 + (factor - 1.0) * (t - first) / (last - first)))
                    .collect();
                let start = values.first().copied().unwrap_or(f64::NAN);
                let known = vec![start; values.len()];
                let (size, resolved) = self.sizes(&motion.samples, &[*e]);
                Sides {
                    t,
                    left: grown,
                    right: known,
                    known: vec![start],
                    size,
                    resolved,
                }
            }
            Claim::Value { value, is, when } => {
                let until = match when {
                    Instant::Start => motion.samples.first().map_or(0.0, |s| s.t),
                    Instant::Time(t) => *t,
                    Instant::Zero(e) | Instant::Rises(e) => {
                        let request = Request {
                            dependent: Some(motion.dependent.clone()),
                            ..Request::default()
                        };
                        let condition = Condition::of(*e, matches!(when, Instant::Rises(_)));
                        match self.happens(&request, &condition, cancel)?.first() {
                            Some(t) => *t,
                            None => return Ok(Err(Finding::open(Unjudged::NoInstant))),
                        }
                    }
                };
                let there = self.run_to(motion, until, cancel)?;
                let (a, b) = self.pair(&there, *value, *is);
                let (a, b) = (a.last().copied(), b.last().copied());
                let t = there.samples.last().map_or(f64::NAN, |s| s.t);
                if (t - until).abs() > 1e-9 * until.abs().max(1.0) {
                    return Ok(Err(Finding {
                        t,
                        ..Finding::open(Unjudged::NotReached(until))
                    }));
                }
                let one = |v: Option<f64>| vec![v.unwrap_or(f64::NAN)];
                let way = motion.way();
                let before = motion.samples.iter().filter(|s| way * (s.t - until) <= 0.0);
                let before: Vec<Sample> = before.chain(there.samples.last()).cloned().collect();
                let (terms, resolved) = self.sizes(&before, &[*value, *is]);
                let values = self.evaluate(&before, &[*value]);
                let size = largest(values.iter().flatten()).max(terms);
                let right = one(b.map(|v| factor * v));
                Sides {
                    t: vec![t],
                    left: one(a),
                    known: right.clone(),
                    right,
                    size,
                    resolved,
                }
            }
        };
        Ok(Ok(sides))
    }

    fn pair(&self, motion: &Motion, a: Expr, b: Expr) -> (Vec<f64>, Vec<f64>) {
        let mut values = self.evaluate(&motion.samples, &[a, b]).into_iter();
        let mut next = || values.next().unwrap_or_default();
        (next(), next())
    }

    /// The motion from the start to a time, with one sample interval.
    fn run_to(
        &self,
        motion: &Motion,
        until: f64,
        cancel: &AtomicBool,
    ) -> Result<Motion, RequestError> {
        let request = Request {
            until: Some(until),
            samples: Some(1),
            dependent: Some(motion.dependent.clone()),
            ..Request::default()
        };
        self.simulate(&request, cancel)
    }
}
