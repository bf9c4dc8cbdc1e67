//! When something happens on a motion: EXPR = VALUE, or EXPR > VALUE and EXPR < VALUE, which is where that begins to hold.
//!
//! With g = EXPR - VALUE the samples tell where g changes its sign or comes near zero; the motion between them tells about
//! when; and the run is made again with its state at these times solved for, by which they are corrected
//!
//! ```text
//! t <- t - g(t)/g'(t)
//! ```
//!
//! until nothing changes. What is zero is judged by the terms of g beside it, and by no values far off. What comes and goes between two samples without coming near zero at one of them is not seen.

use super::motion::Outputs;
use super::{Model, Request, RequestError};
use crate::expr::{Expr, Function};
use crate::solver::{Motion, Sample, SolverError, least, root, sort_by_time};
use std::cell::RefCell;
use std::sync::atomic::AtomicBool;

/// What happens twice within this part of a motion happens once.
const ONCE: f64 = 1e-12;
/// Golden sections of a search for the least |g|, which is looked for where it is below this part of the largest.
const SECTIONS: i32 = 60;
const LOW: f64 = 0.5;
/// |g| counts as zero where it touches it, or at a crossing, in parts of the largest size of its terms beside it.
const TOUCHES: f64 = 1e-8;
pub(super) const MEETS: f64 = 1e-5;
/// Corrections of a time, and what ends them, in the same parts.
const CORRECTIONS: usize = 4;
const ROUNDING: f64 = 1e-14;

/// In which direction g goes through zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Either,
    Rising,
    Falling,
}

/// What is waited for.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// As it was written.
    pub text: String,
    difference: Expr,
    direction: Direction,
}

impl Condition {
    /// An expression comes to zero, or to more than zero.
    pub(super) fn of(difference: Expr, rises: bool) -> Self {
        Self {
            text: String::new(),
            difference,
            direction: if rises {
                Direction::Rising
            } else {
                Direction::Either
            },
        }
    }
}

/// A time at which g is zero, or jumps over it, and its rate there.
pub(super) struct Crossing {
    pub(super) t: f64,
    rate: f64,
    /// The largest size of the terms of g beside it.
    pub(super) size: f64,
    /// Was it zero before?
    pub(super) leaves: bool,
}

/// The values of g along a motion, with the sizes of its terms.
pub(super) struct Course {
    pub(super) times: Vec<f64>,
    pub(super) values: Vec<f64>,
    sizes: Vec<f64>,
    /// What the tolerance of coordinates and velocities makes of it.
    blurs: Vec<f64>,
}

/// Is this a condition, and no expression?
pub fn is_condition(text: &str) -> bool {
    text.contains(['=', '<', '>'])
}

impl Model {
    /// Reads a condition on names and outputs of the system.
    pub fn condition(&self, text: &str) -> Result<Condition, RequestError> {
        let text = text.trim();
        let signs: &[char] = &['=', '<', '>'];
        let (left, rest) = text.split_once(signs).unwrap_or((text, "0"));
        let direction = match text.get(left.len()..).and_then(|rest| rest.chars().next()) {
            Some('>') => Direction::Rising,
            Some('<') => Direction::Falling,
            _ => Direction::Either,
        };
        let right = rest.strip_prefix('=').unwrap_or(rest);
        let (left, right) = (self.output(left)?, self.output(right)?);
        Ok(Condition {
            text: text.to_owned(),
            difference: self.system.pool.sub(left, right),
            direction,
        })
    }

    /// An expression that may come to zero, the size of its terms, and the sum of its slopes along coordinates and velocities.
    pub(super) fn traced(&self, e: Expr) -> Outputs {
        let pool = &self.system.pool;
        let moving = self.system.coordinates.iter().flat_map(|c| [c.x, c.v]);
        let slopes = moving.map(|s| pool.apply(Function::Abs, pool.derivative(e, s)));
        let slopes = pool.sum(slopes.collect::<Vec<_>>());
        self.outputs(&[e, pool.rounding(e), slopes])
    }

    /// The values of what was [`Model::traced`] at the states of a motion that are solved for and `kept`.
    pub(super) fn course(
        &self,
        motion: &Motion,
        (traced, atol): (&Outputs, f64),
        kept: impl Fn(&Sample) -> bool,
    ) -> Course {
        // a multiplier comes to zero where its constraint lets go
        let states = motion.samples.iter().chain(&motion.marks);
        let mut states: Vec<&Sample> = states.filter(|state| kept(state)).collect();
        sort_by_time(motion.way(), &mut states, |state| state.t);
        states.dedup_by_key(|state| state.t);
        let mut found = traced
            .along(&self.system, states.iter().copied())
            .into_iter();
        let [values, sizes, slopes] = [(); 3].map(|()| found.next().unwrap_or_default());
        Course {
            times: states.iter().map(|state| state.t).collect(),
            values,
            sizes,
            blurs: slopes.into_iter().map(|slope| atol * slope).collect(),
        }
    }

    /// A run that ends where something happens for the first time.
    pub fn ended_by(
        &self,
        request: Request,
        text: &str,
        cancel: &AtomicBool,
    ) -> Result<Request, RequestError> {
        let condition = self.condition(text)?;
        let times = self.happens(&request, &condition, cancel)?;
        let until = times.first().copied().ok_or(RequestError::Never {
            condition: condition.text,
        })?;
        Ok(Request {
            until: Some(until),
            ..request
        })
    }

    /// The times after the start at which it happens on a motion, in its order.
    pub fn happens(
        &self,
        request: &Request,
        condition: &Condition,
        cancel: &AtomicBool,
    ) -> Result<Vec<f64>, RequestError> {
        let mut request = request.clone();
        let motion = self.simulate_closely(&request, cancel)?;
        let g = self.outputs(&[condition.difference]);
        let g = RefCell::new(g.reader(&self.system));
        let g = |sample: &Sample| g.borrow_mut().values(sample)[0];
        let [from, stop] = motion.ends().map_or([0.0; 2], <[f64; 2]>::from);
        let unbounded = matches!(motion.because, Some(SolverError::Unbounded { .. }));
        // beside where it stopped all other values would be rounding
        let early = |t: f64| (t - from).abs() <= BEFORE * (stop - from).abs();
        let kept = |state: &Sample| !unbounded || early(state.t);
        let atol = request.atol.unwrap_or(self.system.run.atol);
        let traced = self.traced(condition.difference);
        let course = self.course(&motion, (&traced, atol), kept);
        let mut found = self.between(&motion, &request, |between| {
            let between = RefCell::new(between);
            let state = |t: f64| between.borrow_mut().sample(t);
            crossings(&course, &|t| state(t).map_or(f64::NAN, |sample| g(&sample)))
        });
        found.retain(|crossing| match condition.direction {
            Direction::Either => true,
            Direction::Rising => crossing.rate > 0.0,
            Direction::Falling => crossing.rate < 0.0,
        });
        for _ in 0..=CORRECTIONS {
            request.times = found.iter().map(|crossing| crossing.t).collect();
            let again = self.simulate(&request, cancel)?;
            let mut moved = false;
            found.retain_mut(|crossing| {
                let off = again.known(crossing.t).map_or(f64::NAN, &g);
                let step = off / crossing.rate;
                let meets = off.abs() <= MEETS * crossing.size;
                if meets && step.is_finite() && off.abs() > ROUNDING * crossing.size {
                    crossing.t -= step;
                    moved = true;
                }
                // what jumps over a value does not have it
                meets || condition.direction != Direction::Either
            });
            if !moved {
                break;
            }
        }
        // what comes to zero and stays there is both met and reached
        found.dedup_by(|next, last| (next.t - last.t).abs() <= ONCE * (stop - from).abs());
        Ok(found.iter().map(|crossing| crossing.t).collect())
    }
}

/// Of a motion that leaves every bound, states up to this part of it are looked at.
const BEFORE: f64 = 0.99;

/// Where g is zero after the first of its values, or jumps over zero, or touches it.
pub(super) fn crossings(course: &Course, at: &dyn Fn(f64) -> f64) -> Vec<Crossing> {
    let Course {
        times,
        values,
        sizes,
        blurs,
    } = course;
    let numbers = values.iter().map(|v| v.abs()).filter(|v| v.is_finite());
    let most = numbers.fold(0.0, f64::max);
    // of the terms at a state and those next to it
    let size = |i: usize| {
        let beside = &sizes[i.saturating_sub(1)..sizes.len().min(i + 2)];
        beside.iter().copied().fold(0.0, f64::max)
    };
    let cleaned = |(i, v): (usize, &f64)| {
        // a multiplier is zero, but for how it was solved for, where it lets go, and exactly zero from there on
        let beside = [i.wrapping_sub(1), i + 1];
        let stays = beside.iter().any(|k| values.get(*k) == Some(&0.0));
        let part = if stays { TOUCHES } else { ROUNDING };
        // a tolerance says little where all values are small
        let nothing = (part * size(i)).max(blurs[i].min(ROUNDING * most));
        if v.abs() <= nothing { 0.0 } else { *v }
    };
    let values: Vec<f64> = values.iter().enumerate().map(cleaned).collect();
    let between = |(a, b): (f64, f64), (ga, gb): (f64, f64), size: f64| {
        (ga * gb < 0.0).then(|| Crossing {
            t: root((a, ga), (b, gb), at),
            rate: (gb - ga) / (b - a),
            size,
            leaves: false,
        })
    };
    // between two values of one sign it may touch zero, or cross it twice
    let dip = |(a, end): (f64, f64), (before, after): (f64, f64), size: f64| {
        let rounding = TOUCHES * TOUCHES * size;
        let (lowest, _) = least((a, end), (SECTIONS, rounding), |t| at(t) * before.signum());
        let least = at(lowest);
        if least.abs() <= TOUCHES * size {
            let (t, rate, leaves) = (lowest, 0.0, false);
            return vec![Crossing {
                t,
                rate,
                size,
                leaves,
            }];
        }
        let sides = [
            between((a, lowest), (before, least), size),
            between((lowest, end), (least, after), size),
        ];
        sides.into_iter().flatten().collect()
    };
    // the first or the last value is the nearest to zero, and the parabola through three has its vertex beside it
    let dips_at_end = |i: usize| {
        let last = values.len() - 1;
        let (end, next, middle) = match i {
            1 => (0, 1, 1),
            _ => (last, last - 1, last - 1),
        };
        let (own, other) = (values[end], values[next]);
        if last < 2 || i != 1 && i != last || own * other <= 0.0 || own.abs() >= other.abs() {
            return false;
        }
        let three = [middle - 1, middle, middle + 1].map(|k| (times[k], own.signum() * values[k]));
        let beside = |(t, v)| (t - times[end]) * (t - times[next]) < 0.0 && v < own.abs();
        own.abs() <= LOW * most && vertex(three).is_some_and(beside)
    };
    let mut list: Vec<Crossing> = Vec::new();
    for i in 1..values.len() {
        let (a, b) = (times[i - 1], times[i]);
        let (before, here) = (values[i - 1], values[i]);
        if dips_at_end(i) {
            list.extend(dip((a, b), (before, here), size(i)));
            continue;
        }
        list.extend(between((a, b), (before, here), size(i)));
        let after = values.get(i + 1).copied().unwrap_or(here);
        let end = times.get(i + 1).copied().unwrap_or(b);
        if here == 0.0 && (before != 0.0 || after != 0.0) {
            // what it begins with does not happen
            if values[..i].iter().all(|v| *v == 0.0) {
                continue;
            }
            list.push(Crossing {
                t: b,
                rate: (after - before) / (end - a),
                size: size(i),
                leaves: before == 0.0,
            });
            continue;
        }
        // nearest to zero between its neighbours: it may touch it, or cross it twice
        let dips = end != b
            && before * here > 0.0
            && here * after > 0.0
            && here.abs() <= before.abs().min(after.abs())
            && here.abs() <= LOW * most;
        if dips {
            list.extend(dip((a, end), (before, after), size(i)));
        }
    }
    list
}

/// Where the vertex of the parabola through three points is, and its value; none where it is not between them, or is the one in
/// the middle.
pub(super) fn vertex([a, b, c]: [(f64, f64); 3]) -> Option<(f64, f64)> {
    let (before, after) = ((b.1 - a.1) / (b.0 - a.0), (c.1 - b.1) / (c.0 - b.0));
    let bend = 2.0 * (after - before) / (c.0 - a.0);
    let slope = before + 0.5 * bend * (b.0 - a.0);
    let by = -slope / bend;
    let t = b.0 + by;
    let inside = (t - a.0) * (t - c.0) < 0.0 && t != b.0;
    inside.then_some((t, b.1 + 0.5 * slope * by))
}
