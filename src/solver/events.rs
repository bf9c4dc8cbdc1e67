//! Zeros of the determinant along a motion: where the chart of the system's own choice fails.
//!
//! After each step the factors of det `J_D` are looked at where the right-hand side was evaluated, if the system's own code
//! gives them there; else on a cheap interpolant: the quintic through x, x', x'' at both ends, or the collocation polynomial
//! where the stepper has one. Only where one of them changes sign or may touch zero is the dense output prepared and the
//! zero found on it: by sign change, or as a minimum of |factor| that is zero within [`TOUCH`] times what the tolerances leave
//! unknown of the coordinates, or within what rounding of the constraints does. A factor that was seen to run evenly has no zero but where it goes from one sign to the
//! other, one that is bent evenly none but next to its one least size, and these are asked for at once; all others are
//! looked at in [`FINE`] parts of the step first.

use super::chart;
use super::dop853::{EVALUATIONS, SPREAD};
use super::dynamics::ConstraintValue;
use super::linearised::Stop;
use super::method::RightHandSide;
use super::minimum::{NEAR_ZERO, Spacing, least, root};
use super::rank::InUse;
use super::sight::{PROBED, Sight, sight, spacing};
use super::step::{Knot, Tolerance, larger};
use super::stepper::Stepper;
use super::uncertainty::{TOUCH, Uncertainty};
use crate::geometry::{Constraints, largest};

/// How the places are spread that factors are looked at.
static SPREAD_OVER: Spacing<6> = spacing(SPREAD);
static PROBED_AT: Spacing<6> = spacing(PROBED);
/// Intervals of a step that is looked at closely.
const FINE: usize = 16;
/// At the end of a step a factor below this part of its largest value so far is judged by the tolerances.
const SMALL: f64 = 1e-3;
/// The rank counts as lost where this many times the tolerance of each coordinate can make it so.
pub(super) const RANK_DOUBT: f64 = 100.0;
/// Sections of the search for a least value.
const MINIMUM: i32 = 45;
/// Zeros nearer than this part of a step (or ten times rtol of it) are one.
const MERGE: f64 = 1e-6;

named! {
    /// What failed.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum FlagKind {
        /// The chosen block of the Jacobian is singular, another is not.
        Chart = "chart",
        /// The gradients of the constraints are linearly dependent.
        Rank = "rank",
    }
}

/// A place on the motion where the determinant of the system's own choice is zero.
#[derive(Debug, Clone, PartialEq)]
pub struct Flag {
    /// The time.
    pub t: f64,
    /// What failed.
    pub kind: FlagKind,
    /// The system's own choice of dependent coordinates.
    pub from: Vec<usize>,
    /// The best other choice there; none where no choice works, or that was not asked.
    pub to: Option<Vec<usize>>,
    /// The indices of the factors that are zero there; empty where it is not a matter of one.
    pub factors: Vec<usize>,
    /// The position.
    pub x: Vec<f64>,
}

impl Flag {
    /// That of rows which become dependent at a position.
    pub(super) fn rank(t: f64, from: &[usize], x: &[f64]) -> Self {
        Self {
            t,
            kind: FlagKind::Rank,
            from: from.to_vec(),
            to: None,
            factors: Vec::new(),
            x: x.to_vec(),
        }
    }
}

/// Watches the factors from step to step.
pub(super) struct Watch<'a> {
    /// The constraints in use.
    set: InUse<'a>,
    from: Vec<usize>,
    tolerance: Tolerance,
    /// What is unknown of the coordinates.
    unknown: Uncertainty<'a>,
    factors: Vec<Factor>,
    values: Vec<f64>,
    /// Factors at the places looked at, place by place.
    table: Vec<f64>,
    y: Vec<f64>,
    /// Are other choices not named?
    brief: bool,
    /// Are the rows independent everywhere?
    regular: bool,
    /// The largest terms of pivots at the ends of steps with flags.
    terms: Vec<f64>,
    on: bool,
}

/// What is known of a factor.
#[derive(Debug, Clone, Copy, Default)]
struct Factor {
    /// Its value at the start of the step; exactly 0 where that zero is flagged already.
    before: f64,
    /// Its largest size so far.
    largest: f64,
    /// Is it within what the tolerances leave unknown of it, since a zero that is flagged?
    inside: bool,
    /// The same before the step that was just accepted.
    stayed: bool,
    /// Has it become so in that step?
    entered: bool,
    /// Its largest size where it was looked at in that step.
    highest: f64,
    /// What its values in that step tell.
    sight: Sight,
}

impl Factor {
    /// The next step begins with this value.
    fn go_on_from(&mut self, g: f64) {
        self.before = if self.inside { 0.0 } else { g };
    }
}

/// A zero found in a step: its part of the step and the factor.
type Zero = (f64, usize);

/// A step that was just accepted, and what evaluates factors on it.
struct Taken<'s, 'r, 'a> {
    stepper: &'s Stepper,
    rhs: &'r mut RightHandSide<'a>,
}

impl Taken<'_, '_, '_> {
    /// (x, x') at a part of the step, or as many of them as `out` takes.
    fn state(&self, part: f64, out: &mut [f64]) {
        if part >= 1.0 {
            out.copy_from_slice(&self.stepper.end().y[..out.len()]);
        } else {
            self.stepper.interpolate(part, out);
        }
    }
}

impl<'a> Watch<'a> {
    /// A watch for the choice `from`, which names other choices unless it is brief; idle where some constraints are redundant
    /// (then the determinant is zero everywhere).
    pub(super) fn new(
        set: InUse<'a>,
        from: &[usize],
        (tolerance, brief): (Tolerance, bool),
    ) -> Self {
        let (dynamics, (n, m)) = (set.dynamics(), set.problem.shape());
        Self {
            set,
            from: from.to_vec(),
            tolerance,
            unknown: Uncertainty::new(set, tolerance),
            factors: Vec::new(),
            values: Vec::new(),
            table: Vec::new(),
            y: vec![0.0; 2 * n],
            brief,
            regular: !dynamics.may_lose_rank(),
            terms: Vec::new(),
            on: set.rows.len() == m && !set.rows.is_empty(),
        }
    }

    /// Looks at the start, whose coordinates are known to `spread`.
    pub(super) fn start(
        &mut self,
        rhs: &mut RightHandSide<'_>,
        (t, x): (f64, &[f64]),
        spread: &[f64],
    ) -> Option<Flag> {
        self.unknown.grow(x);
        if !self.on {
            return None;
        }
        rhs.factors_at(t, x, &mut self.values);
        self.on = !self.values.is_empty();
        let mut zero = Vec::new();
        self.factors.clear();
        for j in 0..self.values.len() {
            let g = self.values[j];
            let inside = g.abs() <= self.unknown.doubt(rhs, (t, x), j, spread);
            zero.extend(inside.then_some(j));
            self.factors.push(Factor {
                before: if inside { 0.0 } else { g },
                largest: g.abs(),
                inside,
                ..Factor::default()
            });
        }
        if zero.is_empty() {
            None
        } else {
            Some(self.flag((t, x.to_vec()), zero, self.regular))
        }
    }

    /// What is unknown of each coordinate at a place, so many times the tolerances or what rounding leaves.
    pub(super) fn spread_at(&mut self, at: (f64, &[f64]), times: f64) -> Vec<f64> {
        self.unknown.spread_at(at, times)
    }

    /// The zero that is no farther ahead of (t, y), where steps have become too short to reach it, than the coordinates go in a
    /// time.
    pub(super) fn collapse(
        &mut self,
        rhs: &mut RightHandSide<'_>,
        (t, y): (f64, &[f64]),
        time: f64,
    ) -> Option<Flag> {
        let (x, v) = y.split_at(y.len() / 2);
        let unknown = self.unknown.spread(TOUCH).into_iter().zip(v);
        let spread: Vec<f64> = unknown.map(|(tol, v)| tol + time * v.abs()).collect();
        rhs.factors_at(t, x, &mut self.values);
        let values = self.values.clone();
        let mut zero = Vec::new();
        for (j, g) in values.iter().enumerate().take(self.factors.len()) {
            let vanishes = g.abs() <= self.unknown.doubt(rhs, (t, x), j, &spread);
            zero.extend((vanishes && !self.factors[j].inside).then_some(j));
        }
        (self.on && !zero.is_empty()).then(|| self.flag((t, x.to_vec()), zero, self.regular))
    }

    /// The zeros in the step that was just accepted; `end` is the end of the motion.
    pub(super) fn step(
        &mut self,
        stepper: &mut Stepper,
        rhs: &mut RightHandSide<'_>,
        end: f64,
        flags: &mut Vec<Flag>,
    ) -> Result<(), Stop> {
        let n = self.y.len() / 2;
        self.unknown.grow(stepper.end().y);
        if !self.on {
            return Ok(());
        }
        self.survey(stepper, rhs);
        let entered = self.enter(rhs, stepper.end());
        let clear = |factor: &Factor| factor.sight == Sight::None;
        if !entered && self.factors.iter().all(clear) {
            for (factor, g) in self.factors.iter_mut().zip(&self.values) {
                factor.go_on_from(*g);
            }
            return Ok(());
        }
        let Knot {
            t: t_new, y: y_new, ..
        } = stepper.end();
        let last_x = y_new[..n].to_vec();
        stepper.prepare(&mut |t, y: &[f64], dy: &mut [f64]| rhs.derivative(t, y, dy))?;
        let h = stepper.taken();
        rhs.factors_at(t_new, &last_x, &mut self.values);
        let mut after = self.values.clone();
        let mut zeros: Vec<Zero> = Vec::new();
        let mut step = Taken { stepper, rhs };
        self.table.clear();
        for j in 0..after.len() {
            let before = zeros.len();
            let told = t_new != end && self.told(&mut step, (j, after[j]), &mut zeros);
            if !told {
                zeros.truncate(before);
                self.search(&mut step, (&last_x, end), (j, &mut after), &mut zeros);
            }
        }
        zeros.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let apart = MERGE.max(10.0 * self.tolerance.rtol) * h.abs();
        if !zeros.is_empty() && !self.regular {
            // where all entries of a row vanish a pivot is as large as its terms
            for Knot { t, y, .. } in [step.stepper.start(), step.stepper.end()] {
                if let Some(pivots) = step.rhs.pivots_at(t, &y[..n]) {
                    pivots.grow(&mut self.terms);
                }
            }
        }
        for (part, j) in zeros {
            step.state(part, &mut self.y);
            let moment = if part >= 1.0 {
                t_new
            } else {
                step.stepper.time(part)
            };
            if let Some(last) = flags
                .last_mut()
                .filter(|flag| (flag.t - moment).abs() <= apart)
            {
                if !last.factors.contains(&j) {
                    last.factors.push(j);
                    last.factors.sort_unstable();
                }
                continue;
            }
            let mut y = self.y.clone();
            // a coordinate that is no more than the time is rounded by is zero
            let (x, v) = y.split_at_mut(n);
            let rounding = 4.0 * f64::EPSILON * moment.abs();
            for (x, v) in x.iter_mut().zip(v.iter()) {
                if x.abs() <= rounding * v.abs() {
                    *x = 0.0;
                }
            }
            y.truncate(n);
            let regular = self.regular || {
                let pivots = step.rhs.pivots_at(moment, &y);
                pivots.is_some_and(|pivots| pivots.are_clear(&self.terms))
                    && !self.unknown.is_blurred((moment, &y), RANK_DOUBT)
            };
            flags.push(self.flag((moment, y), vec![j], regular));
        }
        for (factor, g) in self.factors.iter_mut().zip(after) {
            factor.go_on_from(g);
        }
        Ok(())
    }

    /// The zeros of factor j where it has one at most, which the values seen in the step enclose, or those next to its one least
    /// size; `after` is its value at the end. Whether that is so.
    fn told(&mut self, step: &mut Taken, (j, after): (usize, f64), zeros: &mut Vec<Zero>) -> bool {
        let Factor {
            before,
            sight,
            stayed,
            entered,
            ..
        } = self.factors[j];
        let turns = before * after < 0.0;
        match sight {
            _ if entered => false,
            Sight::None => true,
            Sight::Some => false,
            Sight::Touch(places) => {
                let away = !stayed && before * after > 0.0;
                away && self.touch(step, (j, before.signum()), places, zeros)
            }
            Sight::One([left, right]) => {
                let root = self.root(step, j, left, right);
                zeros.push((root, j));
                // what was seen stands next to the motion: it is no zero where the motion itself has one sign
                turns && root > left.0 + MERGE && root < right.0 - MERGE
            }
        }
    }

    /// The zeros of factor j in a step that is looked at closely; one at its end leaves 0 for its value `after`.
    fn search(
        &mut self,
        step: &mut Taken,
        (last_x, end): (&[f64], f64),
        (j, after): (usize, &mut [f64]),
        zeros: &mut Vec<Zero>,
    ) {
        let t_new = step.stepper.end().t;
        let count = self.factors.len();
        if self.table.is_empty() {
            let before = self.factors.iter().map(|factor| factor.before);
            self.table.extend(before);
            for i in 1..FINE {
                self.look(step, i as f64 / FINE as f64);
                self.table.extend_from_slice(&self.values);
            }
        }
        let seen = self.table.iter().skip(j).step_by(count);
        let column: Vec<f64> = seen.copied().chain([after[j]]).collect();
        if column.iter().any(|g| !g.is_finite()) {
            return;
        }
        let known = zeros.len();
        self.zeros_of(step, j, &column, zeros);
        if self.factors[j].entered && zeros.len() == known {
            zeros.push((1.0, j));
        }
        let at = (t_new, last_x);
        if t_new == end && after[j].abs() <= self.unknown.tolerated(step.rhs, at, j) {
            // one exactly at the end is not a flag
            zeros.retain(|(part, factor)| *factor != j || *part < 1.0 - 1.0 / FINE as f64);
        } else if zeros[known..].iter().any(|(part, _)| *part >= 1.0) {
            after[j] = 0.0;
        }
    }

    /// Below this part of its largest value a factor is judged by the tolerances.
    fn small(&self) -> f64 {
        SMALL.max(SMALL * 1e7 * self.tolerance.rtol)
    }

    /// Marks the factors that, at the end of the step that was just accepted, have come within what the tolerances
    /// leave unknown of them: steps that shrink towards a kink come so near a zero that none of them sees it. Whether there
    /// are any.
    fn enter(&mut self, rhs: &mut RightHandSide<'_>, Knot { t, y, .. }: Knot<'_>) -> bool {
        let small = self.small();
        let at = (t, &y[..y.len() / 2]);
        let mut any = false;
        for (j, (factor, g)) in self.factors.iter_mut().zip(&self.values).enumerate() {
            let g = g.abs();
            factor.largest = larger(factor.largest, g);
            factor.stayed = factor.inside;
            factor.entered = false;
            if !factor.inside && g > small * factor.largest {
                continue;
            }
            let (doubt, widths) = self.unknown.unknown_of(rhs, at, (j, g));
            let within = g <= doubt && (factor.inside || self.unknown.is_met(rhs, at, j, &widths));
            factor.entered = within && !factor.inside;
            factor.inside = within;
            if factor.stayed && within && factor.highest <= doubt {
                // the zero that is flagged goes on
                factor.sight = Sight::None;
            }
            any |= factor.entered;
        }
        any
    }

    /// The flag for a zero of these factors at a place; `regular` where the rows are known to be independent there.
    fn flag(&mut self, (t, x): (f64, Vec<f64>), factors: Vec<usize>, regular: bool) -> Flag {
        let full = regular || {
            let set = InUse::positions(self.set.problem, self.set.rows);
            let at = (t, x.as_slice());
            set.blurred(at, &self.unknown.spread_at(at, RANK_DOUBT))
                .is_full()
        };
        let to = (full && !self.brief).then(|| {
            // all constraints are in use where there is a watch
            let mut here = ConstraintValue::of(self.set.dynamics());
            self.set.dynamics().constraint(t, &x, &mut here);
            chart::best_choice(&here.jacobian)
        });
        let to = to.flatten().filter(|to| *to != self.from);
        let kind = if full {
            FlagKind::Chart
        } else {
            FlagKind::Rank
        };
        Flag {
            t,
            kind,
            from: self.from.clone(),
            to,
            factors,
            x,
        }
    }

    /// Says of each factor what zeros it may have in the step. Leaves the factors at the end of the step in `values`.
    fn survey(&mut self, stepper: &Stepper, rhs: &mut RightHandSide<'_>) {
        let count = self.factors.len();
        let trail = rhs.trail((EVALUATIONS, count));
        let trail = trail.filter(|_| stepper.is_explicit());
        let (list, (places, spacing)) = if let Some(trail) = trail {
            (trail, (SPREAD, &SPREAD_OVER))
        } else {
            self.probe(stepper, rhs);
            (&self.table[..], (PROBED, &PROBED_AT))
        };
        let at_end = list.get(places[places.len() - 1].0 * count..);
        let Some(at_end) = at_end.filter(|end| end.len() == count) else {
            self.on = false;
            self.values.clear();
            self.factors.iter_mut().for_each(|f| f.sight = Sight::None);
            return;
        };
        self.values.clear();
        self.values.extend_from_slice(at_end);
        for (j, factor) in self.factors.iter_mut().enumerate() {
            let mut column = [factor.before; PROBED.len() + 1];
            factor.highest = 0.0;
            for (g, (row, _)) in column[1..].iter_mut().zip(places) {
                *g = list[row * count + j];
                factor.highest = larger(factor.highest, g.abs());
            }
            factor.sight = sight(&column, spacing);
        }
    }

    /// The factors at [`PROBED`], by the cheap interpolant.
    fn probe(&mut self, stepper: &Stepper, rhs: &mut RightHandSide<'_>) {
        let n = self.y.len() / 2;
        let (t, h) = (stepper.start().t, stepper.taken());
        let Knot {
            t: t_new, y: end, ..
        } = stepper.end();
        self.table.clear();
        for (_, part) in &PROBED[..PROBED.len() - 1] {
            stepper.glance(*part, &mut self.y);
            rhs.factors_at(t + part * h, &self.y[..n], &mut self.values);
            self.table.extend_from_slice(&self.values);
        }
        rhs.factors_at(t_new, &end[..n], &mut self.values);
        self.table.extend_from_slice(&self.values);
    }

    /// The factors at a part of the step, into `values`.
    fn look(&mut self, step: &mut Taken, part: f64) {
        let n = self.y.len() / 2;
        let x = &mut self.y[..n];
        step.state(part, x);
        step.rhs
            .factors_at(step.stepper.time(part), x, &mut self.values);
    }

    /// Factor j at a part of the step.
    fn value(&mut self, step: &mut Taken, part: f64, j: usize) -> f64 {
        let n = self.y.len() / 2;
        let x = &mut self.y[..n];
        match self.set.dynamics().factor_depends_on(j) {
            Some(own) if part < 1.0 => step.stepper.interpolate_some(part, own, x),
            _ => step.state(part, x),
        }
        step.rhs
            .factors_at(step.stepper.time(part), x, &mut self.values);
        self.values[j]
    }

    /// The zeros of factor j, whose values at equal parts of the step are `column`.
    fn zeros_of(&mut self, step: &mut Taken, j: usize, column: &[f64], zeros: &mut Vec<Zero>) {
        let part = |i: usize| i as f64 / FINE as f64;
        let largest = largest(column);
        let first = column.first().copied().unwrap_or_default();
        let high = |g: &f64| g * first > 0.0 && g.abs() > NEAR_ZERO * largest;
        if column.iter().all(high) {
            return;
        }
        if largest <= self.small() * self.factors[j].largest
            && largest <= self.tolerated(step, 0.5, j)
        {
            // zero all along, as far as can be told
            return;
        }
        // up to where the zero that is flagged goes on
        let mut first = 0;
        if self.factors[j].stayed {
            let n = self.y.len() / 2;
            let Knot { t, y, .. } = step.stepper.start();
            let (unknown, _) = self
                .unknown
                .unknown_of(step.rhs, (t, &y[..n]), (j, f64::INFINITY));
            let Some(outside) = column.iter().position(|g| g.abs() > unknown) else {
                return;
            };
            first = outside;
        }
        for i in first..FINE {
            let (left, right) = (column[i], column[i + 1]);
            if right == 0.0 {
                zeros.push((part(i + 1), j));
            } else if left * right < 0.0 {
                let root = self.root(step, j, (part(i), left), (part(i + 1), right));
                zeros.push((root, j));
            }
        }
        for i in first..=FINE {
            let size = column[i].abs();
            let lower_before =
                i > 0 && (column[i - 1].abs() < size || column[i - 1] * column[i] <= 0.0);
            let lower_after =
                i < FINE && (column[i + 1].abs() < size || column[i + 1] * column[i] <= 0.0);
            if size == 0.0 || size > NEAR_ZERO * largest || lower_before || lower_after {
                continue;
            }
            let places = [part(i.saturating_sub(1)), part((i + 1).min(FINE))];
            self.touch(step, (j, column[i].signum()), places, zeros);
        }
    }

    /// The zeros of factor j, which has this sign at two places, next to its least size between them; whether that is inside.
    fn touch(
        &mut self,
        step: &mut Taken,
        (j, sign): (usize, f64),
        [from, to]: [f64; 2],
        zeros: &mut Vec<Zero>,
    ) -> bool {
        let (place, least) = self.minimum(step, j, (from, to), sign);
        if least < 0.0 {
            for (edge, value) in [(from, sign), (to, sign)] {
                let root = self.root(step, j, (edge, value), (place, -sign));
                zeros.push((root, j));
            }
        } else if place > 1e-6 {
            let n = self.y.len() / 2;
            let x = &mut self.y[..n];
            step.state(place, x);
            let at = (step.stepper.time(place), &*x);
            let (doubt, widths) = self.unknown.unknown_of(step.rhs, at, (j, least));
            if least <= doubt && self.unknown.is_met(step.rhs, at, j, &widths) {
                zeros.push((if place > 1.0 - 1e-6 { 1.0 } else { place }, j));
            }
        }
        place > from + MERGE && place < to - MERGE
    }

    /// What the tolerance leaves unknown of factor j at a part of the step.
    fn tolerated(&mut self, step: &mut Taken, part: f64, j: usize) -> f64 {
        let n = self.y.len() / 2;
        let x = &mut self.y[..n];
        step.state(part, x);
        let at = (step.stepper.time(part), &*x);
        self.unknown.tolerated(step.rhs, at, j)
    }

    /// The root of factor j between two places with values of different sign.
    fn root(&mut self, step: &mut Taken, j: usize, left: (f64, f64), right: (f64, f64)) -> f64 {
        root(left, right, |part| self.value(step, part, j))
    }

    /// The place between two others where sign times factor j is least, and that value.
    fn minimum(
        &mut self,
        step: &mut Taken,
        j: usize,
        (from, to): (f64, f64),
        sign: f64,
    ) -> (f64, f64) {
        let mut value = |part| sign * self.value(step, part, j);
        // at an edge of the step, as where a factor falls towards its end
        for (edge, inside) in [(0.0, 1e-3), (1.0, -1e-3)] {
            if from == edge || to == edge {
                let least = value(edge);
                if least < value(edge + inside * (to - from)) {
                    return (edge, least);
                }
            }
        }
        let rounding = 4.0 * f64::EPSILON * self.factors[j].largest;
        let value = |part| sign * self.value(step, part, j);
        least((from, to), (MINIMUM, rounding), value)
    }
}
