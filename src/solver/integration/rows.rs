//! Which of dependent constraints are in use: a choice, made anew where those become dependent and all together do not.

use super::crossing::LAST;
use super::release::Departure;
use super::{Integration, reached};
use crate::geometry::{Blurred, Constraints, largest};
use crate::solver::method::Method;
use crate::solver::rank::InUse;
use crate::solver::step::Knot;

/// What misses a constraint by this part of its terms and of the coordinates is off it; when that began is halved so often.
const PARTED: f64 = 1e-6;
const HALVINGS: usize = 40;
/// Rows that are a choice are chosen anew where a pivot is below this part of the largest.
const WORN: f64 = 1e-2;
/// A coordinate is off by this part of it where it is rounded, and velocities that are solved for by less than this part of the
/// fastest: more is no rounding.
const ROUNDED: f64 = 4.0 * f64::EPSILON;
const ROUGH: f64 = 1e-6;

impl Integration<'_> {
    /// All constraints in force and what they are numbered as, where some of them follow from others.
    fn with_all_in_force<T>(&self, ask: impl FnOnce(InUse<'_>) -> T) -> Option<T> {
        if !self.sides.is_dependent() {
            return None;
        }
        let problem = self.set.problem;
        let velocity: Vec<usize> = (0..problem.dynamics.velocity_constraints()).collect();
        let rows = self.sides.all_in_force();
        Some(ask(InUse::new(problem, rows, &velocity)))
    }

    /// Of dependent constraints as many rows as are in use, far from dependence at a place, as all are numbered; none where the
    /// rank is less there.
    pub(super) fn rows_at(&self, (t, x): (f64, &[f64])) -> Option<Vec<usize>> {
        let found = self.with_all_in_force(|all| {
            let reach: Vec<f64> = self.size.iter().map(|size| LAST * size).collect();
            let there = Blurred {
                blur: all.blur((t, x), &reach),
                value: all.rows(t, x).gradients,
            };
            let rows = there.rows(self.set.count())?;
            let numbers: Vec<usize> = all.numbers().collect();
            Some(rows.iter().map(|row| numbers[*row]).collect())
        });
        found.flatten()
    }

    /// The motion from here on with other rows, where those in use become dependent at a place and all in force do not: of
    /// dependent constraints the rows in use are a choice.
    pub(super) fn other_rows(&self, place: (f64, &[f64])) -> Option<Departure> {
        let here = reached(&self.stepper, self.taken);
        // those in use were chosen here for a place that is nearer
        let far = |t: f64| (t - here.t).abs();
        if self
            .chosen
            .is_some_and(|(t, there)| t == here.t && far(there) <= far(place.0))
        {
            return None;
        }
        let rows = self.rows_at(place)?;
        let others = !self.set.numbers().eq(rows.iter().copied());
        let (x, v) = here.y.split_at(place.1.len());
        others.then(|| Departure {
            t: here.t,
            x: x.to_vec(),
            v: v.to_vec(),
            constraints: Vec::new(),
            ends: false,
            rows: Some((rows, place.0)),
            method: None,
        })
    }

    /// The motion from here on without a chart, where rounding of its coordinates makes more of the velocities solved for than the
    /// tolerances allow, as where one is counted from far away: no shorter step is better.
    pub(super) fn without_chart(&mut self) -> Option<Departure> {
        let Knot { t, y, .. } = self.stepper.start();
        let (y, n) = (y.to_vec(), self.size.len());
        let dependent = self.rhs.chart()?.to_vec();
        let mut moved = y.clone();
        for (k, x) in moved[..n].iter_mut().enumerate() {
            if !dependent.contains(&k) {
                *x *= 1.0 + ROUNDED;
            }
        }
        self.rhs.project(t, &mut moved).ok()?;
        let fastest = largest(&y[n..]);
        let rounded = dependent.iter().any(|k| {
            let (before, after) = (y[n + k], moved[n + k]);
            let off = (after - before).abs();
            off > self.tolerance.of(before) && off < ROUGH * fastest
        });
        rounded.then(|| Departure {
            t,
            x: y[..n].to_vec(),
            v: y[n..].to_vec(),
            constraints: Vec::new(),
            ends: false,
            rows: Some((self.set.numbers().collect(), t)),
            method: Some(Method::Multipliers),
        })
    }

    /// A constraint that others implied so far and do not any more, and from when on in the step that was just accepted.
    pub(super) fn parted(&mut self) -> Option<(usize, f64)> {
        if !self.sides.is_dependent() {
            return None;
        }
        let slack: Vec<f64> = self.size.iter().map(|size| PARTED * size).collect();
        let missed = |this: &Self, t: f64, x: &[f64]| -> Option<usize> {
            let found = this.with_all_in_force(|all| {
                let missed = all.rows(t, x).missed(&slack);
                (missed.relative > PARTED).then(|| all.numbers().nth(missed.row))
            });
            found.flatten().flatten()
        };
        let (Knot { t: from, .. }, Knot { t, y, .. }) = (self.stepper.start(), self.stepper.end());
        let mut row = missed(self, t, &y[..self.size.len()])?;
        let (mut before, mut after) = (from, t);
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(before, after);
            let Ok(sample) = self.within(middle) else {
                break;
            };
            match missed(self, middle, &sample.x) {
                Some(there) => (row, after) = (there, middle),
                None => before = middle,
            }
        }
        Some((row, before))
    }

    /// The motion from here on with other rows where those in use, which are a choice, are nearly dependent: multipliers grow then,
    /// and steps shrink.
    pub(super) fn other_than_worn_rows(&self) -> Option<Departure> {
        let Knot { t, y, .. } = reached(&self.stepper, self.taken);
        let worn = self.sides.is_dependent() && {
            let rows = self.set.rows(t, &y[..self.size.len()]);
            Blurred::rounded(rows.gradients).eliminated().ratio() < WORN
        };
        worn.then(|| self.other_rows_here()).flatten()
    }

    /// The motion from here on with other rows, where those in use are dependent here or nearly so.
    pub(super) fn other_rows_here(&self) -> Option<Departure> {
        let Knot { t, y, .. } = reached(&self.stepper, self.taken);
        let ahead = self.unpassed.as_ref();
        let ahead = ahead.and_then(|(t, x)| self.other_rows((*t, x)));
        ahead.or_else(|| self.other_rows((t, &y[..self.size.len()])))
    }
}
