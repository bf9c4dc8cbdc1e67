//! Looking ahead for a singular configuration: a place where the rows of W = [J; A] become linearly dependent on
//! the way.
//!
//! The regularity of [`super::regularity`] falls to zero there. A minimum of it ahead may also be a near miss (the
//! branches of the constraint set do not quite meet): [`crate::geometry::singular`] tells.

use super::dynamics::{PivotOrder, Pivots};
use super::error::{Jump, SolverError};
use super::method::RightHandSide;
use super::minimum::least;
use super::rank::InUse;
use super::regularity::Regularity;
use super::step::larger;
use crate::geometry::{Scales, Singular, largest, singular};

/// Zeros up to this many steps ahead are looked for, at tolerances down to [`LOOSE`];
const REACH: f64 = 3.2;
const LOOSE: f64 = 1e-9;
/// further ahead below it, as steps get shorter by their own order and a passage by a higher one.
const FURTHER: f64 = 0.1;
/// A passage is tried over a way that bends no more than this at [`LOOSE`]: what is left out of it, of order eleven,
/// goes with the tolerance, the bend with its square.
const BEND: f64 = 0.07;
const BENDING: f64 = 2.0 / 11.0;
/// Where the regularity falls so that it is zero within this many times that, it is looked at closely,
const FAR: f64 = 6.0;
/// to this many times as far: a zero of order k is k times as far as one of order one that begins to fall alike.
const BEYOND: f64 = 3.5;
/// and so many times as far as what is found there can be made use of.
const MARGIN: f64 = 1.5;
/// The regularity is looked at closely where half way it is below this part of that here.
const FALLING: f64 = 0.5;
/// Between two places it may fall to zero from below this part.
const HOLLOW: f64 = 0.8;
/// Parts of the reach that are looked at where nothing is known from the step before.
pub(super) const AT_FIRST: [f64; 4] = [1.0, 0.4, 0.16, 0.064];
/// Where a zero is expected at a place, the pivots are looked at from this part of the way there on, each place so many
/// times as far as the one before: next to a zero of order one a pivot is low for longer than that.
const NEARER: f64 = 0.25;
const RATIO: f64 = 1.6;
/// Places ahead where it is then looked at, and sections of the search for its least value.
const PLACES: usize = 16;
const TURNS: i32 = 40;
/// A minimum below this part of the regularity here may be a zero;
const DEPENDENT: f64 = 0.2;
/// one of the pivots above this part is none.
const CLEAR: f64 = 0.4;
/// A gradient that changes by this part of its length in a step may jump;
const JUMP: f64 = 1e-3;
/// a value of which gradients do not explain this part may too;
const UNEXPLAINED: f64 = 1e-5;
/// they do if they still do after the step was halved so often.
const HALVINGS: usize = 40;
/// This part of the terms of a constraint is rounding.
const ROUNDING: f64 = 1e-10;
/// Two places are as good as one where they are nearer to each other than this, relative to the size of the positions
/// where that is above 1.
const NEAR: f64 = 1e-6;
/// Where there are too many equations for a singular configuration, the regularity is below this at one.
const LOST: f64 = 1e-6;

/// How many steps ahead a singular configuration is looked for at this tolerance.
pub(super) fn reach(rtol: f64) -> f64 {
    REACH * (LOOSE / rtol).powf(FURTHER).max(1.0)
}

/// The part of the way that the last term of a path may be for a passage to be tried at this tolerance.
pub(super) fn bend(rtol: f64) -> f64 {
    BEND * (rtol / LOOSE).powf(BENDING)
}

/// A smooth path ahead of a point: x, v, a and the rate of a there.
pub(super) struct Path<'a> {
    pub(super) t: f64,
    pub(super) x: &'a [f64],
    pub(super) v: &'a [f64],
    pub(super) a: &'a [f64],
    pub(super) jerk: &'a [f64],
}

impl Path<'_> {
    /// For how long no more than this part of the way is due to the last term.
    pub(super) fn straight(&self, part: f64, sizes: &[f64]) -> f64 {
        let (mut v, mut a, mut jerk) = (0.0_f64, 0.0_f64, 0.0_f64);
        let rates = self.v.iter().zip(self.a).zip(self.jerk);
        for (size, ((own_v, own_a), own_jerk)) in sizes.iter().zip(rates) {
            let unit = size.recip();
            v = larger(v, own_v.abs() * unit);
            a = larger(a, own_a.abs() * unit);
            jerk = larger(jerk, own_jerk.abs() * unit);
        }
        // |jerk| s^3 / 6 beside the larger one of |v| s and |a| s^2 / 2; not a number where nothing moves
        let times = part * jerk.recip();
        let s = (6.0 * times * v).sqrt().max(3.0 * times * a);
        if s.is_nan() { f64::INFINITY } else { s }
    }

    /// x after the time `s`.
    fn position(&self, s: f64, x: &mut [f64]) {
        let (half, third) = (s / 2.0, s / 3.0);
        let here = self.x.iter().zip(self.v);
        let rates = self.a.iter().zip(self.jerk);
        for (x, ((x_0, v), (a, j))) in x.iter_mut().zip(here.zip(rates)) {
            *x = x_0 + s * (v + half * (a + third * j));
        }
    }

    /// (x, v) after the time `s`.
    pub(super) fn at(&self, s: f64, y: &mut [f64]) {
        let (x, v) = y.split_at_mut(self.x.len());
        self.position(s, x);
        let rates = self.a.iter().zip(self.jerk);
        for (v, (v_0, (a, j))) in v.iter_mut().zip(self.v.iter().zip(rates)) {
            *v = v_0 + s * (a + s / 2.0 * j);
        }
    }
}

/// The constraints at a place.
#[derive(Clone)]
struct View {
    t: f64,
    x: Vec<f64>,
    /// the entries of W,
    entries: Vec<f64>,
    /// and of each row f - c, f_t and the size of its terms; of a velocity constraint b alone.
    values: Vec<[f64; 3]>,
}

/// The look-out on the way.
pub(super) struct Ahead<'a> {
    pub(super) rows: Regularity<'a>,
    set: InUse<'a>,
    /// The pivots where a step ended last, and when that was;
    pivots: Vec<f64>,
    measured: Option<f64>,
    /// how long it takes from there until one of them is zero, if they go on as in the step that ended there.
    falling: Option<f64>,
    /// Whether a gradient may jump.
    kinks: bool,
    pub(super) y: Vec<f64>,
}

/// How far ahead is looked.
#[derive(Clone, Copy)]
pub(super) struct Look {
    /// As a rule so far, with the sign of time;
    pub(super) reach: f64,
    /// and further where a zero seems to be near: what is found beyond this is not made use of.
    pub(super) farthest: f64,
    /// The parts of the reach that are looked at where nothing falls.
    pub(super) probes: &'static [f64],
}

impl Look {
    /// How far ahead is looked where a zero seems to be as far away as `left`, which is near: steps get shorter on the way
    /// there, as off the constraints the accelerations have a pole. What falls up to the farthest place is seen to rise beyond.
    fn further(self, left: f64) -> f64 {
        let far = (BEYOND * left).min(MARGIN * self.farthest);
        self.reach.signum() * self.reach.abs().max(far)
    }
}

/// What is left of the distance that a zero was away, by pivots there and here.
fn remaining(before: &[f64], now: Pivots<'_>) -> f64 {
    let [before, pairs] = [before, now.pairs].map(|pairs| pairs.as_chunks::<2>().0);
    let pivots = before.iter().zip(pairs);
    let least = pivots.fold(f64::INFINITY, |least, ([before, _], [now, _])| {
        let part = now / before;
        // also where it is not a number
        if part >= least { least } else { part }
    });
    match now.order {
        PivotOrder::Distance => least,
        PivotOrder::Square => least.sqrt(),
    }
}

/// The places that are looked at closely, no more than `reach` ahead: denser towards the point, as a zero may be next to it.
fn place(reach: f64, i: usize) -> f64 {
    reach * (i as f64 / PLACES as f64).powi(2)
}

/// What is found of a value on the way.
enum Valley {
    /// Nowhere is it low.
    None,
    /// Here it falls and rises again, and it is so low.
    Low(f64, f64),
    /// Somewhere it is not a number.
    Unknown,
}

/// The first place where a value that is 1 here falls below `low` and rises again, no more than `reach` ahead.
fn valley(reach: f64, low: f64, value: &mut impl FnMut(f64) -> f64) -> Valley {
    let (mut earlier, mut last) = (1.0, value(place(reach, 1)));
    for i in 2..=PLACES {
        let q = value(place(reach, i));
        if last.is_nan() || q.is_nan() {
            return Valley::Unknown;
        }
        if last <= earlier && last < q && last < HOLLOW {
            let (s, lowest) = least(
                (place(reach, i - 2), place(reach, i)),
                (TURNS, 0.0),
                &mut *value,
            );
            if lowest.is_nan() {
                return Valley::Unknown;
            }
            if lowest < low {
                return Valley::Low(s, lowest);
            }
        }
        (earlier, last) = (last, q);
    }
    Valley::None
}

/// By how much a row differs from another.
fn change(a: &[f64], b: &[f64]) -> f64 {
    let pairs = a.iter().zip(b);
    pairs.map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

impl<'a> Ahead<'a> {
    /// None where there is nothing to look for.
    pub(super) fn new(set: InUse<'a>) -> Option<Self> {
        let dynamics = set.problem.dynamics;
        if !dynamics.may_lose_rank() && !dynamics.may_kink() {
            return None;
        }
        let n = dynamics.coordinates();
        let rows = Regularity::new(set)?;
        Some(Self {
            kinks: dynamics.may_kink(),
            rows,
            pivots: Vec::new(),
            measured: None,
            falling: None,
            set,
            y: vec![0.0; 2 * n],
        })
    }

    /// Whether a gradient may jump anywhere.
    pub(super) fn may_jump(&self) -> bool {
        self.kinks
    }

    /// A constraint that jumps on the way from one position to another, or whose gradient does, and when it does: halving the way does not make its change smaller.
    pub(super) fn jump(
        &mut self,
        (t, x): (f64, &[f64]),
        (t_new, x_new): (f64, &[f64]),
    ) -> Option<SolverError> {
        if !self.kinks || !self.rows.stand(t, x) {
            return None;
        }
        let ends = [self.view((t, x)), self.view((t_new, x_new))];
        let rows = self.set.numbers().enumerate();
        let all =
            rows.flat_map(|(row, b)| [Jump::Gradient, Jump::Value].map(|what| (row, b, what)));
        // what binds velocities has no value
        let m = self.set.problem.dynamics.constraints();
        let all = all.filter(|(_, b, what)| *b < m || *what == Jump::Gradient);
        let all: Vec<(usize, usize, Jump)> = all.collect();
        all.into_iter().find_map(|(row, b, of)| {
            let part = self.jump_of((row, of), &ends)?;
            let constraint = self.set.problem.constraint(b);
            let t = t + part * (t_new - t);
            Some(SolverError::Kink { constraint, of, t })
        })
    }

    /// The part of a way where a constraint jumps, or its gradient.
    fn jump_of(&mut self, (row, what): (usize, Jump), [from, to]: &[View; 2]) -> Option<f64> {
        // as good as always nothing jumps
        let whole = [from, to];
        if self.change((row, what), whole, whole) <= 1.0 {
            return None;
        }
        let (mut low, mut high) = ((0.0, from.clone()), (1.0, to.clone()));
        for _ in 0..HALVINGS {
            let part = f64::midpoint(low.0, high.0);
            let pairs = from.x.iter().zip(&to.x);
            let place: Vec<f64> = pairs.map(|(a, b)| a + part * (b - a)).collect();
            let middle = self.view((from.t + part * (to.t - from.t), &place));
            let left = self.change((row, what), [&low.1, &middle], whole);
            let right = self.change((row, what), [&middle, &high.1], whole);
            // also where it is not a number
            if left.max(right).is_nan() || left.max(right) <= 0.5 {
                return None;
            }
            if left > right {
                high = (part, middle);
            } else {
                low = (part, middle);
            }
        }
        // what gradients explain but for their own jump is no jump of the value
        let small = self.change((row, what), [&low.1, &high.1], whole) <= 2.0 / UNEXPLAINED;
        if what == Jump::Value && small {
            return None;
        }
        // of a way so long that this is still no small part of it nothing is known
        let way: Vec<f64> = from.x.iter().zip(&to.x).map(|(a, b)| b - a).collect();
        let known = (high.0 - low.0) * largest(&way) <= NEAR * largest(&from.x).max(1.0);
        known.then_some(low.0)
    }

    /// The constraints in use at a place, in the units of the rows.
    fn view(&mut self, (t, x): (f64, &[f64])) -> View {
        self.rows.look(t, x);
        View {
            t,
            x: x.to_vec(),
            entries: self.rows.entries.clone(),
            values: self.rows.values(),
        }
    }

    /// By how much a constraint changes between two places as nothing smooth does, where more than 1 is too much; the gradient, and
    /// f_t, in parts of what they are at the ends of the whole way.
    fn change(&self, (row, what): (usize, Jump), pair: [&View; 2], whole: [&View; 2]) -> f64 {
        let [from, to] = pair;
        let span = self.rows.span(row);
        if what == Jump::Gradient {
            let length = |view: &View| {
                let own = &view.entries[span.clone()];
                own.iter().map(|e| e * e).sum::<f64>().sqrt()
            };
            let size = length(whole[0]).max(length(whole[1])).max(1.0);
            let gradient = change(&from.entries[span.clone()], &to.entries[span.clone()]) / size;
            let time = (whole[1].t - whole[0].t).abs();
            let [_, moved] = self.explained(row, whole);
            let rate = (to.values[row][1] - from.values[row][1]).abs();
            let rate = if rate > 0.0 { rate * time / moved } else { 0.0 };
            return gradient.max(rate) / JUMP;
        }
        let [a, b] = [from.values[row], to.values[row]];
        let [explained, moved] = self.explained(row, pair);
        let rounding = ROUNDING * a[2].max(b[2]);
        let rest = (b[0] - a[0] - explained).abs() - rounding;
        (rest / (moved + f64::MIN_POSITIVE)).max(0.0) / UNEXPLAINED
    }

    /// What the slopes at two places explain of the change of a constraint, by the trapezoidal rule, and the sum of the sizes of that.
    fn explained(&self, row: usize, [from, to]: [&View; 2]) -> [f64; 2] {
        let half = 0.5 * (to.t - from.t);
        let [a_t, b_t] = [from.values[row][1], to.values[row][1]];
        let mut sums = [half * (a_t + b_t), half.abs() * (a_t.abs() + b_t.abs())];
        for (k, slopes) in self.rows.slopes(row, [&from.entries, &to.entries]) {
            let half = 0.5 * (to.x[k] - from.x[k]);
            sums[0] += half * (slopes[0] + slopes[1]);
            sums[1] += half.abs() * (slopes[0].abs() + slopes[1].abs());
        }
        sums
    }

    /// Takes down the pivots at the end of a step from `before` to t, where the right-hand side was evaluated last.
    pub(super) fn arrive(&mut self, (before, t): (f64, f64), pivots: Option<Pivots<'_>>) {
        let pairs = pivots.map_or(&[][..], |pivots| pivots.pairs);
        let same = self.pivots.len() == pairs.len();
        let known = same && self.measured.take() == Some(before);
        self.falling = None;
        if known && let Some(pivots) = pivots {
            let part = remaining(&self.pivots, pivots);
            self.falling = Some(if part < 1.0 {
                (t - before).abs() * part / (1.0 - part)
            } else {
                f64::INFINITY
            });
        }
        self.pivots.clear();
        self.pivots.extend_from_slice(pairs);
        self.measured = pivots.map(|_| t);
    }

    /// The pivots to come are those of another elimination.
    pub(super) fn leave(&mut self) {
        self.measured = None;
    }

    /// Whether the pivots at t, where a step ended, do not fall so that one of them is zero soon.
    pub(super) fn nothing_falls(&self, t: f64, reach: f64) -> bool {
        self.measured == Some(t) && self.falling.is_some_and(|left| left > FAR * reach)
    }

    /// Whether the pivots of the equations show that rows are independent on the way ahead: they neither fall so that one
    /// is zero soon, nor are they low further on; or where they are, none of them falls far and rises again. What cannot be told
    /// this way is looked at by [`Ahead::next`].
    pub(super) fn is_clear(
        &mut self,
        rhs: &mut RightHandSide<'_>,
        path: &Path<'_>,
        look: Look,
    ) -> bool {
        let Look { reach, probes, .. } = look;
        let Some(left) = self.falling.filter(|_| self.measured == Some(path.t)) else {
            return false;
        };
        let mut y = std::mem::take(&mut self.y);
        // not a number where the equations are nearly singular
        let mut part = |s: f64| {
            let x = &mut y[..path.x.len()];
            path.position(s, x);
            let there = rhs.pivots_at(path.t + s, x);
            there.map_or(f64::NAN, |there| remaining(&self.pivots, there))
        };
        let is_near = left <= FAR * reach.abs();
        let all = if is_near { look.further(left) } else { reach };
        let mut calm = |s: f64| part(s) > FALLING;
        let clear = if is_near {
            let first = reach.signum() * NEARER * left;
            let mut places = std::iter::successors(Some(first), |s| Some(RATIO * s));
            let mut places = places.by_ref().take_while(|s| s.abs() < all.abs());
            left > 0.0 && places.all(&mut calm) && calm(all)
        } else {
            probes.iter().all(|part| calm(part * reach))
        };
        let clear = clear || left > 0.0 && matches!(valley(all, CLEAR, &mut part), Valley::None);
        self.y = y;
        clear
    }

    fn along(&mut self, path: &Path<'_>, s: f64) -> f64 {
        let mut y = std::mem::take(&mut self.y);
        let x = &mut y[..path.x.len()];
        path.position(s, x);
        let q = self.rows.at(path.t + s, x);
        self.y = y;
        q
    }

    /// The time from the point to the next place on its path where the rows seem to be dependent, as far as is looked, and
    /// the regularity there.
    pub(super) fn next(&mut self, path: &Path<'_>, look: Look) -> Option<(f64, f64)> {
        let Look { reach, probes, .. } = look;
        let left = self.rows.stand_on_way(path.t, path.x)?;
        // also looked at closely where it is not a number
        let calm = |q: f64| q > FALLING;
        let mut all_calm = || {
            let mut probes = probes.iter();
            probes.all(|part| calm(self.along(path, part * reach)))
        };
        let reach = if left <= FAR * reach.abs() {
            look.further(left)
        } else if all_calm() {
            return None;
        } else {
            reach
        };
        match valley(reach, DEPENDENT, &mut |s| self.along(path, s)) {
            Valley::Low(s, q) => Some((s, q)),
            Valley::None | Valley::Unknown => None,
        }
    }

    /// The singular configuration nearest to (t, x), where there is one: its time and position. `pace` is a time in
    /// which the configuration changes by its size.
    pub(super) fn singular(
        &mut self,
        (t, x): (f64, &[f64]),
        sizes: &[f64],
        pace: f64,
    ) -> Option<(f64, Vec<f64>)> {
        self.rows.stand_wide((t, x), sizes, pace);
        let scales = Scales {
            rows: &self.rows.weights,
            columns: &self.rows.columns,
            sizes,
            pace,
        };
        match singular(&self.set, (t, x), &scales) {
            Singular::Met(t, x) => Some((t, x)),
            Singular::None => None,
            // the regularity alone is asked
            Singular::TooLarge => (self.rows.at(t, x) < LOST).then(|| (t, x.to_vec())),
        }
    }
}

/// A time in which a configuration that moves like this changes by its size.
pub(super) fn pace(sizes: &[f64], v: &[f64]) -> f64 {
    let rate = sizes
        .iter()
        .zip(v)
        .map(|(s, v)| v.abs() / s)
        .fold(0.0, f64::max);
    if rate > 0.0 { rate.recip() } else { 1.0 }
}
