//! The motion between its samples, at any time of it.
//!
//! Between two neighbouring states that are known, samples or marks ([`Motion::marks`]), each coordinate follows the
//! polynomial p of degree 5 with their x, x', x''. What that gives is brought back to the constraints, and all else is
//! worked out from there as for a sample. It is off most in the middle, by
//!
//! ```text
//! |a - p''| h^2 / 24          a of the equations of motion there, h from state to state
//! ```
//!
//! to the first order in h, and its rate by four times as much over h.

use super::dynamics::Problem;
use super::integration::Integration;
use super::linearised::Stop;
use super::method::{Method, RightHandSide};
use super::motion::{Motion, Options, Released, Sample};
use super::polynomial::{cubic, quintic};
use super::rank::sizes;
use super::step::Tolerance;

/// The error in the middle of a piece, in parts of that of the second derivative times h^2.
const MIDDLE: f64 = 1.0 / 24.0;
/// The largest error of the rate, in parts of the largest error over h.
const OF_RATE: f64 = 4.0;
/// In a piece shorter than this part of the distance of samples the differences of positions are rounding.
const SHORT: f64 = 0.01;
/// A way back to the constraints longer than this part of the way between the states leads elsewhere.
const FAR: f64 = 0.1;

/// A motion at a time.
#[derive(Debug, Clone, PartialEq)]
pub struct Moment {
    /// Everything at that time.
    pub sample: Sample,
    /// What coordinates and velocities may be off by, in parts of their sizes, because they are interpolated; 0 at a
    /// sample or a mark.
    pub doubt: f64,
}

/// More than this is seen in numbers that are read at a glance.
const ROUGH: f64 = 1e-5;
/// Less than this is not seen in those that are read closely.
const CLOSE: f64 = 1e-8;

impl Moment {
    /// Are the numbers interpolated so that it is seen?
    pub fn is_rough(&self) -> bool {
        self.doubt > ROUGH
    }

    /// Are they as good as those of a sample?
    pub fn is_known(&self) -> bool {
        self.doubt <= CLOSE
    }
}

/// Puts what happens at a time in the order of a motion, whose way is 1, or -1 where it runs backwards.
pub fn sort_by_time<T>(way: f64, list: &mut [T], time: impl Fn(&T) -> f64) {
    list.sort_by(|a, b| (way * time(a)).total_cmp(&(way * time(b))));
}

impl Motion {
    /// The one-sided constraints that are not in force any more at a time, in the order in which they were released.
    pub fn released_before(&self, t: f64) -> impl Iterator<Item = &Released> {
        let way = self.way();
        let is_past = move |release: &&Released| (t - release.t) * way > 0.0;
        self.releases.iter().filter(is_past)
    }

    /// The state at this very time, where one was solved for.
    pub fn known(&self, t: f64) -> Option<&Sample> {
        let (there, _) = self.around(t)?;
        there.t.total_cmp(&t).is_eq().then_some(there)
    }

    /// Makes samples of the states at these times that were solved for.
    pub fn sample_at(&mut self, times: &[f64]) {
        let way = self.way();
        let known = times.iter().filter_map(|t| self.known(*t));
        let known: Vec<Sample> = known.cloned().collect();
        self.samples.extend(known);
        sort_by_time(way, &mut self.samples, |sample| sample.t);
        self.samples.dedup_by(|a, b| a.t == b.t);
    }

    /// Makes samples of the states between them ([`super::Options::closely`]).
    pub fn take_between(&mut self) {
        let way = self.way();
        self.samples.append(&mut self.between);
        sort_by_time(way, &mut self.samples, |sample| sample.t);
        self.samples.dedup_by(|a, b| a.t == b.t);
    }

    /// The first and the last time at which the state is known.
    pub fn ends(&self) -> Option<(f64, f64)> {
        let (start, end) = (self.samples.first()?.t, self.samples.last()?.t);
        let last = self.marks.last().map_or(end, |mark| mark.t);
        let beyond = (last - start).abs() > (end - start).abs();
        Some((start, if beyond { last } else { end }))
    }

    /// 1, or -1 where the motion runs backwards in time.
    pub fn way(&self) -> f64 {
        let backwards = self.ends().is_some_and(|(from, to)| to < from);
        if backwards { -1.0 } else { 1.0 }
    }

    /// The last known state up to a time and the first one after it.
    fn around(&self, t: f64) -> Option<(&Sample, Option<&Sample>)> {
        let way = self.way();
        let split = |list: &[Sample]| list.partition_point(|s| (s.t - t) * way <= 0.0);
        let (sample, mark) = (split(&self.samples), split(&self.marks));
        let one = sample.checked_sub(1).and_then(|at| self.samples.get(at));
        let other = mark.checked_sub(1).and_then(|at| self.marks.get(at));
        let before = match (one, other) {
            (Some(one), Some(other)) if (one.t - other.t) * way > 0.0 => one,
            (one, other) => other.or(one)?,
        };
        let after = match (self.samples.get(sample), self.marks.get(mark)) {
            (Some(one), Some(other)) if (one.t - other.t) * way < 0.0 => Some(one),
            (one, other) => other.or(one),
        };
        Some((before, after))
    }

    /// What it is between its samples, of the problem and the options that it came of.
    pub fn between<'a>(
        &'a self,
        problem: &'a Problem<'a>,
        options: &'a Options,
    ) -> Interpolation<'a> {
        Interpolation {
            motion: self,
            problem,
            options,
            last: None,
        }
    }
}

/// A motion at any of its times. What that is worked out with is kept from one time to the next.
pub struct Interpolation<'a> {
    motion: &'a Motion,
    problem: &'a Problem<'a>,
    options: &'a Options,
    /// The leg that was looked at last, by its place.
    last: Option<(usize, Integration<'a>)>,
}

impl<'a> Interpolation<'a> {
    /// The state at a time; `None` outside of the motion.
    pub fn sample(&mut self, t: f64) -> Option<Sample> {
        match self.motion.around(t)? {
            (a, _) if a.t.total_cmp(&t).is_eq() => Some(a.clone()),
            (a, b) => self.inside(Segment { a, b: b? }, t),
        }
    }

    /// The same, with what it may be off by.
    pub fn moment(&mut self, t: f64) -> Option<Moment> {
        let sample = self.sample(t)?;
        let (a, b) = self.motion.around(t)?;
        if a.t.total_cmp(&t).is_eq() {
            return Some(Moment { sample, doubt: 0.0 });
        }
        let piece = Segment { a, b: b? };
        let (tolerance, apart) = (self.tolerance(), self.apart()?);
        let middle = self.inside(piece, piece.middle());
        let doubt = middle.map(|middle| piece.doubt(&middle, tolerance, apart));
        let doubt = doubt.unwrap_or(f64::INFINITY);
        Some(Moment { sample, doubt })
    }

    /// How far samples are from each other.
    fn apart(&self) -> Option<f64> {
        let (start, end) = self.motion.ends()?;
        Some((end - start).abs() / self.motion.samples.len().max(2) as f64)
    }

    fn tolerance(&self) -> Tolerance {
        Tolerance {
            rtol: self.options.rtol,
            atol: self.options.atol,
        }
    }

    /// The state at a time inside a piece.
    fn inside(&mut self, piece: Segment<'a>, t: f64) -> Option<Sample> {
        let apart = self.apart()?;
        let way = piece.h().signum();
        let legs = &self.motion.legs;
        let leg = legs.partition_point(|leg| (leg.from - piece.a.t) * way <= 0.0);
        let leg = leg.checked_sub(1)?;
        let within = |[from, to]: &[f64; 2]| (piece.middle() - from) * (piece.middle() - to) <= 0.0;
        let core = self.motion.cores.iter().any(within);
        let mut integration = match self.last.take() {
            Some((last, integration)) if last == leg => integration,
            _ => self.integration(leg)?,
        };
        integration.size = sizes(&piece.a.x);
        let state = piece.state(t, apart);
        let found = integration.between(t, state, (&piece.reach(), core));
        self.last = Some((leg, integration));
        found.ok()
    }

    /// What works out the states of a leg.
    fn integration(&self, leg: usize) -> Option<Integration<'a>> {
        let leg = self.motion.legs.get(leg)?;
        let (set, tolerance) = (leg.set(self.problem), self.tolerance());
        let rhs = RightHandSide::new(set, (Method::Tangents, tolerance), &[]);
        let own = self.motion.dependent.as_slice();
        let leg = (set, own, leg.released.as_slice());
        let mut integration = Integration::new(leg, rhs, (tolerance, self.options));
        // it is no motion of its own
        integration.energy = None;
        Some(integration)
    }
}

impl Integration<'_> {
    /// The sample at what lies between two states that are known, which are so far apart; in the core of a
    /// singular configuration the accelerations are those between the states too.
    fn between(
        &mut self,
        t: f64,
        (seen, a): (Vec<f64>, Vec<f64>),
        (reach, core): (&[f64], bool),
    ) -> Result<Sample, Stop> {
        if !core {
            let mut y = seen.clone();
            let back = self.rhs.project(t, &mut y);
            let mut ways = y.iter().zip(&seen).zip(reach).enumerate();
            let n = self.size.len();
            let near = ways.all(|(k, ((y, seen), reach))| {
                // velocities are known worse
                let slack = if k < n {
                    self.tolerance.of(*seen)
                } else {
                    f64::INFINITY
                };
                (y - seen).abs() <= (FAR * reach).max(slack)
            });
            if back.is_ok()
                && near
                && let Ok(sample) = self.sample(t, &y)
            {
                return Ok(sample);
            }
        }
        self.core_sample(t, (seen, a))
    }
}

/// The motion from one known state to the next.
#[derive(Clone, Copy)]
struct Segment<'a> {
    a: &'a Sample,
    b: &'a Sample,
}

impl Segment<'_> {
    fn h(&self) -> f64 {
        self.b.t - self.a.t
    }

    fn middle(&self) -> f64 {
        f64::midpoint(self.a.t, self.b.t)
    }

    /// (x, x') and x'' at a time, where samples are so far `apart`.
    fn state(&self, t: f64, apart: f64) -> (Vec<f64>, Vec<f64>) {
        let (a, b, h) = (self.a, self.b, self.h());
        let s = (t - a.t) / h;
        let n = a.x.len();
        let (mut y, mut rates) = (vec![0.0; 2 * n], vec![0.0; n]);
        let short = h.abs() < SHORT * apart;
        for k in 0..n {
            let from = [a.x[k], h * a.v[k], h * h * a.a[k]];
            let to = [b.x[k], h * b.v[k], h * h * b.a[k]];
            let [x, v, w] = quintic(s, from, to);
            y[k] = x;
            let rough = cubic(s, [a.v[k], h * a.a[k]], [b.v[k], h * b.a[k]]);
            (y[n + k], rates[k]) = if short {
                (rough[0], rough[1] / h)
            } else {
                (v / h, w / (h * h))
            };
        }
        (y, rates)
    }

    /// How far each coordinate and velocity goes.
    fn reach(&self) -> Vec<f64> {
        let (a, b, h) = (self.a, self.b, self.h().abs());
        let far = |from: &[f64], to: &[f64], rates: [&[f64]; 2]| -> Vec<f64> {
            let rate = |k: usize| rates[0][k].abs().max(rates[1][k].abs());
            let parts = from.iter().zip(to).enumerate();
            parts
                .map(|(k, (from, to))| (to - from).abs() + h * rate(k))
                .collect()
        };
        let mut list = far(&a.x, &b.x, [&a.v, &b.v]);
        list.extend(far(&a.v, &b.v, [&a.a, &b.a]));
        list
    }

    /// What is unknown, in parts of the sizes of coordinates and velocities, where the state in the middle is this one.
    fn doubt(&self, middle: &Sample, tolerance: Tolerance, apart: f64) -> f64 {
        let (a, b, h) = (self.a, self.b, self.h().abs());
        let (_, rates) = self.state(middle.t, apart);
        let reach = self.reach();
        let n = a.x.len();
        let part = |off: f64, size: f64| {
            // what is less than the tolerance asked for is nothing
            if off <= tolerance.of(size) {
                0.0
            } else {
                off / size
            }
        };
        let parts = (0..n).map(|k| {
            let off = MIDDLE * (middle.a[k] - rates[k]).abs() * h * h;
            let size = a.x[k].abs().max(b.x[k].abs()).max(reach[k]);
            let speed = a.v[k].abs().max(b.v[k].abs()).max(reach[n + k]);
            part(off, size).max(part(OF_RATE * off / h, speed))
        });
        parts.fold(0.0, |most, part| {
            if part.is_nan() {
                f64::INFINITY
            } else {
                part.max(most)
            }
        })
    }
}
