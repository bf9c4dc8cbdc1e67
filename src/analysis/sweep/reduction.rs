//! A motion reduced to a number: `min(x)`, `max(abs(lambda_wire))`, `at(t=2, x)`, `when(x=0, F_rod)`, `period(x)`.
//!
//! Between samples the state is that of [`Model::moment`]: on the constraints, known to about the accuracy of the
//! samples. Zeros are those of [`Model::happens`], extrema are searched for, and a mean from more places where samples are few.

use super::super::integral::{between, pieces};
use super::super::motion::{OutputReader, Outputs};
use super::super::when::{MEETS, crossings, vertex};
use super::super::{ColumnFault, Model, Request, RequestError, split_columns};
use crate::expr::Expr;
use crate::geometry::largest;
use crate::solver::{Motion, Sample, least, root, sort_by_time};
use std::cell::RefCell;

/// Golden sections of a search for an extremum, which is known to this part of the range.
const SECTIONS: i32 = 30;
const EXTREME: f64 = 1e-10;
const ROUNDED: f64 = 16.0 * f64::EPSILON;
/// Samples are few where one that is greatest is so much greater than its neighbours.
const COARSE: f64 = 1e-3;
/// A mean is known to about this part of the largest value, or the motion was asked at so many places.
const MEAN: f64 = 1e-8;
const MOST: usize = 20_000;
/// A period is told from crossings of the middle that this part of the range lies between, each time.
const AWAY: f64 = 0.25;

/// A number of a motion.
#[derive(Clone, Debug)]
pub struct ColumnReduction {
    of: Of,
    /// The column, or what comes to zero where that is counted.
    value: Outputs,
}

/// Why a motion that came to its end has no such number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unreduced {
    /// The column is no finite number there.
    Undefined,
    /// The time is not on the way.
    Beyond,
    /// What it is asked for at does not happen.
    Never,
    /// It does not cross the middle of its range twice in one direction.
    Aperiodic,
}

#[derive(Clone, Debug)]
enum Of {
    Least,
    Greatest,
    Mean,
    /// At the end.
    Last,
    /// At a time.
    At(Expr),
    /// Where this comes to zero for the first time.
    When(Outputs),
    /// How often it crosses zero.
    Count,
    Period,
}

/// An expression along a motion.
struct TimeSeries<'a> {
    model: &'a Model,
    motion: &'a Motion,
    atol: f64,
    outputs: &'a Outputs,
    reader: RefCell<OutputReader<'a>>,
    /// The state at a time of it.
    state: &'a dyn Fn(f64) -> Option<Sample>,
}

impl ColumnReduction {
    /// Reads a reduction of a column.
    ///
    /// # Errors
    ///
    /// It is none, or its column cannot be read.
    pub fn read(model: &Model, text: &str) -> Result<Self, RequestError> {
        let wrong = |why| RequestError::Column {
            text: text.to_owned(),
            why,
        };
        let none = || wrong(ColumnFault::NoReduction);
        let (name, rest) = text.trim().split_once('(').ok_or_else(none)?;
        let inner = rest.strip_suffix(')').ok_or_else(none)?;
        let parts = split_columns(inner);
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        let column = |text: &str| model.output(text).map(|e| model.outputs(&[e]));
        let equation = |text: &str| -> Result<Outputs, RequestError> {
            let (left, right) = text
                .split_once('=')
                .ok_or_else(|| wrong(ColumnFault::NoEquation))?;
            let (left, right) = (model.output(left)?, model.output(right)?);
            Ok(model.traced(model.system.pool.sub(left, right)))
        };
        let (of, value) = match (name.trim(), parts.as_slice()) {
            ("min", [x]) => (Of::Least, column(x)?),
            ("max", [x]) => (Of::Greatest, column(x)?),
            ("mean", [x]) => (Of::Mean, column(x)?),
            ("end", [x]) => (Of::Last, column(x)?),
            ("period", [x]) => (Of::Period, column(x)?),
            ("count", [x]) => (Of::Count, equation(x)?),
            ("when", [place, x]) => (Of::When(equation(place)?), column(x)?),
            ("at", [time, x]) => {
                let time = time.split_once('=').filter(|(t, _)| t.trim() == "t");
                let (_, time) = time.ok_or_else(|| wrong(ColumnFault::NoTime))?;
                let e = model.output(time)?;
                if !value_of(model, e).is_finite() {
                    return Err(wrong(ColumnFault::Untimely((*time).to_owned())));
                }
                (Of::At(e), column(x)?)
            }
            _ => return Err(none()),
        };
        Ok(Self { of, value })
    }

    /// The times at which it looks at the motion, beside its end; none where it looks at all of it.
    pub fn moments(&self, model: &Model) -> Option<Option<f64>> {
        match self.of {
            Of::Last => Some(None),
            Of::At(time) => Some(Some(value_of(model, time))),
            _ => None,
        }
    }

    /// Why it has no value where it has none.
    pub fn unreduced(&self) -> Unreduced {
        match self.of {
            Of::Least | Of::Greatest | Of::Mean | Of::Last | Of::Count => Unreduced::Undefined,
            Of::At(_) => Unreduced::Beyond,
            Of::When(_) => Unreduced::Never,
            Of::Period => Unreduced::Aperiodic,
        }
    }

    /// Its value; NaN where the motion has none.
    pub fn of(&self, model: &Model, motion: &Motion, request: &Request) -> f64 {
        model.between(motion, request, |between| {
            let between = RefCell::new(between);
            let state = |t: f64| between.borrow_mut().sample(t);
            self.along(|outputs| TimeSeries {
                model,
                motion,
                atol: request.atol.unwrap_or(model.system.run.atol),
                outputs,
                reader: RefCell::new(outputs.reader(&model.system)),
                state: &state,
            })
        })
    }

    /// The same of the series that something makes of outputs.
    fn along<'a>(&'a self, series: impl Fn(&'a Outputs) -> TimeSeries<'a>) -> f64 {
        let x = series(&self.value);
        match &self.of {
            Of::Least => -x.greatest(-1.0),
            Of::Greatest => x.greatest(1.0),
            Of::Mean => x.mean(),
            Of::Last => x.motion.samples.last().map_or(f64::NAN, |last| x.of(last)),
            Of::At(time) => x.at(value_of(x.model, *time)).unwrap_or(f64::NAN),
            Of::When(place) => {
                let t = series(place).zeros().next();
                t.and_then(|t| x.at(t)).unwrap_or(f64::NAN)
            }
            Of::Count if x.motion.samples.is_empty() => f64::NAN,
            Of::Count => x.zeros().count() as f64,
            Of::Period => x.period().unwrap_or(f64::NAN),
        }
    }
}

/// The value of an expression of parameters.
fn value_of(model: &Model, e: Expr) -> f64 {
    crate::theorem::value_at(&model.system, e, &|_| f64::NAN)
}

impl TimeSeries<'_> {
    fn time(&self, k: usize) -> f64 {
        self.motion.samples[k].t
    }

    /// The values at all samples.
    fn values(&self) -> Vec<f64> {
        let system = &self.model.system;
        let all = self.outputs.along(system, &self.motion.samples);
        all.into_iter().next().unwrap_or_default()
    }

    /// The value at a state of the motion.
    fn of(&self, sample: &Sample) -> f64 {
        self.reader.borrow_mut().values(sample)[0]
    }

    /// The value at a time of the motion.
    fn at(&self, t: f64) -> Option<f64> {
        (self.state)(t).map(|sample| self.of(&sample))
    }

    /// The greatest of `sign` times the values, to 1e-10 of their range beside it: next to each sample beside which it may lie, as a parabola
    /// through three of them tells, and between the first two and the last two before and behind what jumps.
    fn greatest(&self, sign: f64) -> f64 {
        let values: Vec<f64> = self.values().into_iter().map(|v| sign * v).collect();
        let numbers = || values.iter().copied().filter(|v| !v.is_nan());
        let Some(mut most) = numbers().max_by(f64::total_cmp) else {
            return f64::NAN;
        };
        let range = most - numbers().fold(most, f64::min);
        let value = |t: f64| self.at(t).map_or(f64::NAN, |v| -sign * v);
        let times: Vec<f64> = self.motion.samples.iter().map(|s| s.t).collect();
        let inner = pieces(&times, &self.model.breaks(&times))
            .into_iter()
            .flat_map(|piece| {
                let (first, last) = (piece.start, piece.end.saturating_sub(1));
                (first + 1..last).map(move |k| (k, k == first + 1, k + 1 == last))
            });
        for (k, is_first, is_last) in inner {
            let three = [k - 1, k, k + 1].map(|k| (self.time(k), values[k]));
            let [a, b, c] = three;
            let drop = b.1 - a.1.max(c.1);
            let own = b.1.max(a.1).max(c.1) - b.1.min(a.1).min(c.1);
            let rounding = (EXTREME * own).max(ROUNDED * b.1.abs());
            // where samples are few the parabola tells little
            let may_rise = drop > COARSE * range && b.1 + drop > most;
            let top = vertex(three).filter(|(_, v)| *v > most + rounding);
            let sides = [(a, b), (b, c)];
            let beside = sides.into_iter().find(|(one, other)| {
                let ends = is_first && one.0 == a.0 || is_last && other.0 == c.0;
                ends && top.is_some_and(|(t, _)| (t - one.0) * (t - other.0) < 0.0)
            });
            let between = if drop >= 0.0 && (may_rise || top.is_some()) {
                Some((a.0, c.0))
            } else {
                beside.map(|(one, other)| (one.0, other.0))
            };
            if let Some(between) = between {
                most = most.max(-least(between, (SECTIONS, rounding), value).1);
            }
        }
        most
    }

    /// The mean over time. Where samples tell too little of it, as beside a jump, the motion is asked halfway between them.
    fn mean(&self) -> f64 {
        let mut t: Vec<f64> = self.motion.samples.iter().map(|s| s.t).collect();
        let length = match (t.first(), t.last()) {
            (Some(first), Some(last)) if last != first => last - first,
            _ => return self.values().first().copied().unwrap_or(f64::NAN),
        };
        let breaks = self.model.breaks(&t);
        let mut values = self.values();
        let size = largest(&values);
        let wanted = MEAN * size * length.abs();
        loop {
            let (parts, doubts) = between(&t, &values, &breaks);
            let share = wanted / doubts.len() as f64;
            let wide = (0..doubts.len()).filter(|k| doubts[*k] > share);
            let middles = wide.filter_map(|k| {
                let middle = f64::midpoint(t[k], t[k + 1]);
                // there is no time between neighbouring numbers
                (middle != t[k] && middle != t[k + 1]).then_some(middle)
            });
            let middles: Vec<f64> = middles.collect();
            let precise = doubts.iter().sum::<f64>() <= wanted;
            let enough = precise || middles.is_empty() || t.len() >= MOST;
            let new = || middles.iter().map(|t| self.at(*t)).collect();
            let new: Option<Vec<f64>> = if enough { None } else { new() };
            let Some(new) = new else {
                return parts.iter().sum::<f64>() / length;
            };
            let old = t.into_iter().zip(values);
            let mut all: Vec<(f64, f64)> = old.chain(middles.into_iter().zip(new)).collect();
            sort_by_time(length.signum(), &mut all, |(t, _)| *t);
            all.dedup_by_key(|(t, _)| *t);
            (t, values) = all.into_iter().unzip();
        }
    }

    /// The times at which the value comes to be zero, in the order of the motion: while it stays it does not come again.
    fn zeros(&self) -> impl Iterator<Item = f64> {
        let traced = (self.outputs, self.atol);
        let course = self.model.course(self.motion, traced, |_| true);
        let at = |t: f64| self.at(t).unwrap_or(f64::NAN);
        let mut found = crossings(&course, &at);
        // what jumps over zero does not have it
        found.retain(|crossing| at(crossing.t).abs() <= MEETS * crossing.size);
        let first = course.values.first().filter(|v| **v == 0.0);
        let first = first.map(|_| course.times[0]);
        first
            .into_iter()
            .chain(found.into_iter().filter(|c| !c.leaves).map(|c| c.t))
    }

    /// The mean time between crossings of the middle of its range in one direction, that in which there are more.
    fn period(&self) -> Option<f64> {
        let (least, most) = (-self.greatest(-1.0), self.greatest(1.0));
        let (level, away) = (f64::midpoint(least, most), AWAY * (most - least));
        if away <= 0.0 || away.is_nan() {
            return None;
        }
        let values = self.values();
        let rising = |sign: f64| {
            let values: Vec<f64> = values.iter().map(|v| sign * (v - level)).collect();
            let at = |t: f64| sign * self.at(t).map_or(f64::NAN, |v| v - level);
            let mut times = Vec::new();
            // it has been well below the middle since the last crossing
            let mut low = false;
            for k in 1..values.len() {
                let (before, here) = (values[k - 1], values[k]);
                low |= before < -away;
                if low && before < 0.0 && here >= 0.0 {
                    times.push(root((self.time(k - 1), before), (self.time(k), here), &at));
                    low = false;
                }
            }
            times
        };
        let (up, down) = (rising(1.0), rising(-1.0));
        let times = if down.len() > up.len() { down } else { up };
        let (first, last) = (times.first()?, times.last()?);
        (times.len() > 1).then(|| (last - first).abs() / (times.len() - 1) as f64)
    }
}
