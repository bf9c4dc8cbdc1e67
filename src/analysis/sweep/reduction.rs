//! A motion reduced to a number: `min(x)`, `max(abs(lambda_wire))`, `at(t=2, x)`, `when(x=0, F_rod)`, `period(x)`.
//!
//! Between samples the state is that of [`Model::moment`]: on the constraints, known to about the accuracy of the
//! samples. A zero is found there by bracketing (Illinois), an extremum from the parabola through three samples.

use super::super::balance::THROUGH;
use super::super::motion::integral;
use super::super::{ColumnFault, Model, Request, RequestError, split_columns};
use crate::expr::Expr;
use crate::solver::Motion;

/// Turns of a search for a zero.
const TURNS: usize = 60;
/// A period is told from crossings of the middle that this part of the range lies between, each time.
const AWAY: f64 = 0.25;

/// A number of a motion.
#[derive(Clone, Debug)]
pub struct ColumnReduction {
    of: Of,
    value: Expr,
}

#[derive(Clone, Copy, Debug)]
enum Of {
    Least,
    Greatest,
    Mean,
    /// At the end.
    Last,
    /// At a time.
    At(f64),
    /// Where this expression is zero for the first time.
    When(Expr),
    /// How often it crosses zero.
    Count,
    Period,
}

/// An expression along a motion.
struct TimeSeries<'a> {
    model: &'a Model,
    motion: &'a Motion,
    request: &'a Request,
    e: Expr,
    values: Vec<f64>,
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
        let equation = |text: &str| -> Result<Expr, RequestError> {
            let (left, right) = text
                .split_once('=')
                .ok_or_else(|| wrong(ColumnFault::NoEquation))?;
            let pool = &model.system.pool;
            let (left, right) = (model.output(left)?, model.output(right)?);
            Ok(pool.add(left, pool.neg(right)))
        };
        let (of, value) = match (name.trim(), parts.as_slice()) {
            ("min", [x]) => (Of::Least, model.output(x)?),
            ("max", [x]) => (Of::Greatest, model.output(x)?),
            ("mean", [x]) => (Of::Mean, model.output(x)?),
            ("end", [x]) => (Of::Last, model.output(x)?),
            ("period", [x]) => (Of::Period, model.output(x)?),
            ("count", [x]) => (Of::Count, equation(x)?),
            ("when", [place, x]) => (Of::When(equation(place)?), model.output(x)?),
            ("at", [time, x]) => {
                let time = time.split_once('=').filter(|(t, _)| t.trim() == "t");
                let (_, time) = time.ok_or_else(|| wrong(ColumnFault::NoTime))?;
                let e = model.output(time)?;
                let t = crate::theorem::value_at(&model.system, e, &|_| f64::NAN);
                if !t.is_finite() {
                    return Err(wrong(ColumnFault::Untimely((*time).to_owned())));
                }
                (Of::At(t), model.output(x)?)
            }
            _ => return Err(none()),
        };
        Ok(Self { of, value })
    }

    /// The times at which it looks at the motion, beside its end; none where it looks at all of it.
    pub fn moments(&self) -> Option<Option<f64>> {
        match self.of {
            Of::Last => Some(None),
            Of::At(t) => Some(Some(t)),
            _ => None,
        }
    }

    /// Its value; NaN where the motion has none.
    pub fn of(&self, model: &Model, motion: &Motion, request: &Request) -> f64 {
        let series = |e: Expr| TimeSeries {
            model,
            motion,
            request,
            e,
            values: model.evaluate(&motion.samples, &[e]).swap_remove(0),
        };
        let x = series(self.value);
        match self.of {
            Of::Least => -x.greatest(-1.0),
            Of::Greatest => x.greatest(1.0),
            Of::Mean => x.mean(),
            Of::Last => x.values.last().copied().unwrap_or(f64::NAN),
            Of::At(t) => x.at(t).unwrap_or(f64::NAN),
            Of::When(place) => {
                let place = series(place);
                let t = place.zeros(0.0).next();
                t.and_then(|t| x.at(t)).unwrap_or(f64::NAN)
            }
            Of::Count if x.values.is_empty() => f64::NAN,
            Of::Count => x.zeros(0.0).count() as f64,
            Of::Period => x.period().unwrap_or(f64::NAN),
        }
    }
}

impl TimeSeries<'_> {
    fn time(&self, k: usize) -> f64 {
        self.motion.samples[k].t
    }

    /// The value at a time of the motion.
    fn at(&self, t: f64) -> Option<f64> {
        let moment = self.model.moment(self.motion, t, self.request)?;
        let values = self.model.evaluate(&[moment.sample], &[self.e]);
        values.first()?.first().copied()
    }

    /// The greatest of `sign` times the values: from the parabola through the greatest sample and its neighbours.
    fn greatest(&self, sign: f64) -> f64 {
        let values: Vec<f64> = self.values.iter().map(|v| sign * v).collect();
        let number = |(k, v): (usize, &f64)| (!v.is_nan()).then_some((k, *v));
        let best = values.iter().enumerate().filter_map(number);
        let Some((k, most)) = best.max_by(|a, b| a.1.total_cmp(&b.1)) else {
            return f64::NAN;
        };
        if k == 0 || k + 1 == values.len() {
            return most;
        }
        let (before, after) = (values[k - 1], values[k + 1]);
        let (h, bend) = (self.time(k + 1) - self.time(k), before - 2.0 * most + after);
        // samples lie evenly but for the last one
        let even = (self.time(k) - self.time(k - 1) - h).abs() <= 1e-6 * h.abs();
        if !(even && bend < 0.0) {
            return most;
        }
        let t = self.time(k) + 0.5 * h * (before - after) / bend;
        self.at(t).map_or(most, |v| most.max(sign * v))
    }

    fn mean(&self) -> f64 {
        let t: Vec<f64> = self.motion.samples.iter().map(|s| s.t).collect();
        let length = match (t.first(), t.last()) {
            (Some(first), Some(last)) if last != first => last - first,
            _ => return self.values.first().copied().unwrap_or(f64::NAN),
        };
        let whole = integral(&t, &self.values, THROUGH);
        whole.last().map_or(f64::NAN, |whole| whole / length)
    }

    /// The times at which the value comes to be this one, in the order of the motion: while it stays it does not come again.
    fn zeros(&self, level: f64) -> impl Iterator<Item = f64> {
        (0..self.values.len()).filter_map(move |k| {
            let here = self.values[k] - level;
            let before = k.checked_sub(1).map(|k| self.values[k] - level);
            if here == 0.0 {
                return (before != Some(0.0)).then(|| self.time(k));
            }
            (before? * here < 0.0).then(|| self.zero(k, level))
        })
    }

    /// The zero before sample k, by false position with the Illinois rule.
    fn zero(&self, k: usize, level: f64) -> f64 {
        let (mut a, mut b) = (self.time(k - 1), self.time(k));
        let (mut at_a, mut at_b) = (self.values[k - 1] - level, self.values[k] - level);
        for _ in 0..TURNS {
            let t = (a * at_b - b * at_a) / (at_b - at_a);
            if (t - a) * (t - b) >= 0.0 || t.is_nan() {
                break;
            }
            let Some(here) = self.at(t).map(|v| v - level) else {
                break;
            };
            if here == 0.0 {
                return t;
            }
            if here * at_b < 0.0 {
                (a, at_a) = (b, at_b);
            } else {
                at_a *= 0.5;
            }
            let moved = (t - b).abs();
            (b, at_b) = (t, here);
            if moved <= 4.0 * f64::EPSILON * b.abs() {
                break;
            }
        }
        b
    }

    /// The mean time between crossings of the middle of its range in one direction.
    fn period(&self) -> Option<f64> {
        let (least, most) = (-self.greatest(-1.0), self.greatest(1.0));
        let (level, away) = (f64::midpoint(least, most), AWAY * (most - least));
        if away <= 0.0 || away.is_nan() {
            return None;
        }
        let mut times = Vec::new();
        // it has been well below the middle since the last crossing
        let mut low = false;
        for k in 1..self.values.len() {
            let (before, here) = (self.values[k - 1] - level, self.values[k] - level);
            low |= before < -away;
            if low && before < 0.0 && here >= 0.0 {
                times.push(self.zero(k, level));
                low = false;
            }
        }
        let (first, last) = (times.first()?, times.last()?);
        (times.len() > 1).then(|| (last - first).abs() / (times.len() - 1) as f64)
    }
}
