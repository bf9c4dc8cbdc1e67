//! When something happens on a motion: EXPR = VALUE, or EXPR > VALUE and EXPR < VALUE, which is where that begins to hold.
//!
//! With g = EXPR - VALUE the samples tell where g changes its sign or comes near zero; the motion between them tells about
//! when; and the run is made again with its state at these times solved for, by which they are corrected
//!
//! ```text
//! t <- t - g(t)/g'(t)
//! ```
//!
//! until nothing changes. What comes and goes between two samples without coming near zero at one of them is not seen.

use super::{Model, Request, RequestError};
use crate::expr::Expr;
use crate::solver::{Motion, Sample};
use std::sync::atomic::AtomicBool;

/// Halvings of the time between two samples.
const HALVINGS: usize = 60;
/// Turns of the search for the least |g|, by thirds.
const THIRDS: usize = 60;
/// |g| counts as zero where it touches it, or at a crossing, in parts of its largest value.
const TOUCHES: f64 = 1e-8;
const MEETS: f64 = 1e-5;
/// Corrections of a time, and what ends them, in parts of the largest |g|.
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

/// A time at which g is zero, or jumps over it, and its rate there.
struct Crossing {
    t: f64,
    rate: f64,
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

    /// The times after the start at which it happens on a motion, in its order.
    pub fn happens(
        &self,
        request: &Request,
        condition: &Condition,
        cancel: &AtomicBool,
    ) -> Result<Vec<f64>, RequestError> {
        let mut request = request.clone();
        let motion = self.simulate(&request, cancel)?;
        let g = |sample: &Sample| {
            self.evaluate(std::slice::from_ref(sample), &[condition.difference])[0][0]
        };
        let at = |t: f64| {
            let moment = self.moment(&motion, t, &request);
            moment.map_or(f64::NAN, |moment| g(&moment.sample))
        };
        let (mut found, most) = crossings(&known(&motion), &g, &at);
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
                let off = again.known(crossing.t).map_or(f64::NAN, g);
                let step = off / crossing.rate;
                if off.abs() <= MEETS * most && step.is_finite() && off.abs() > ROUNDING * most {
                    crossing.t -= step;
                    moved = true;
                }
                // what jumps over a value does not have it
                off.abs() <= MEETS * most || condition.direction != Direction::Either
            });
            if !moved {
                break;
            }
        }
        Ok(found.iter().map(|crossing| crossing.t).collect())
    }
}

/// All states of a motion that were solved for, in its order.
fn known(motion: &Motion) -> Vec<&Sample> {
    let mut list: Vec<&Sample> = motion.samples.iter().chain(&motion.marks).collect();
    let backwards = motion.ends().is_some_and(|(from, to)| to < from);
    list.sort_by(|a, b| {
        if backwards {
            b.t.total_cmp(&a.t)
        } else {
            a.t.total_cmp(&b.t)
        }
    });
    list
}

/// Where g is zero after the first state, or jumps over zero, and its largest size.
fn crossings(
    states: &[&Sample],
    g: &dyn Fn(&Sample) -> f64,
    at: &dyn Fn(f64) -> f64,
) -> (Vec<Crossing>, f64) {
    let values: Vec<f64> = states.iter().map(|state| g(state)).collect();
    let sizes = values.iter().map(|v| v.abs()).filter(|v| v.is_finite());
    let most = sizes.fold(0.0, f64::max);
    let between = |(a, b): (f64, f64), (ga, gb): (f64, f64)| {
        (ga * gb < 0.0).then(|| Crossing {
            t: bisected(at, (a, b), ga),
            rate: (gb - ga) / (b - a),
        })
    };
    let mut list: Vec<Crossing> = Vec::new();
    for i in 1..states.len() {
        let (a, b) = (states[i - 1].t, states[i].t);
        let (before, here) = (values[i - 1], values[i]);
        list.extend(between((a, b), (before, here)));
        let after = values.get(i + 1).copied().unwrap_or(here);
        let end = states.get(i + 1).map_or(b, |state| state.t);
        if here == 0.0 && (before != 0.0 || after != 0.0) {
            let rate = (after - before) / (end - a);
            list.push(Crossing { t: b, rate });
            continue;
        }
        // nearest to zero between its neighbours: it may touch it, or cross it twice
        let dips = end != b
            && before * here > 0.0
            && here * after > 0.0
            && here.abs() <= before.abs().min(after.abs());
        if dips {
            let lowest = lowest(&|t| at(t) * here.signum(), (a, end), THIRDS);
            let least = at(lowest);
            list.extend(between((a, lowest), (before, least)));
            list.extend(between((lowest, end), (least, after)));
            if least * here > 0.0 && least.abs() <= TOUCHES * most {
                list.push(Crossing {
                    t: lowest,
                    rate: 0.0,
                });
            }
        }
    }
    (list, most)
}

/// Where g changes its sign; it is `first` at the beginning.
fn bisected(at: &dyn Fn(f64) -> f64, (mut a, mut b): (f64, f64), first: f64) -> f64 {
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(a, b);
        if at(middle) * first > 0.0 {
            a = middle;
        } else {
            b = middle;
        }
    }
    b
}

/// Where a function is least, in so many turns by thirds.
pub(super) fn lowest(at: &dyn Fn(f64) -> f64, (mut a, mut b): (f64, f64), turns: usize) -> f64 {
    for _ in 0..turns {
        let (c, d) = (a + (b - a) / 3.0, b - (b - a) / 3.0);
        if at(c) < at(d) {
            b = d;
        } else {
            a = c;
        }
    }
    f64::midpoint(a, b)
}
