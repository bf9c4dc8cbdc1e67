//! Steps of a proof, each of them easy to verify: a box of unknowns is narrowed by one combination of equations at a time,
//! until it has none of their solutions or no less of it can be said.
//!
//! What a checker of docs/certificates.md does is done here the same way, a little more generously, so that what is said
//! holds there.

use super::{Equations, IntervalMatrix, Region, Scratch, longest, middle_of, pivots, weighed};
use crate::expr::Interval;
use std::ops::Range;

/// A side is narrowed where less than this part of it is left.
const WORTH: f64 = 0.8;
/// What is left of a side ends at multiples of such a part of what there was.
const FINEST: f64 = 1.0 / 128.0;
/// A side that is shorter than this part of the region is left as it is.
const THIN: f64 = 1e-12;
/// Narrowings between two cuts.
const ROUNDS: usize = 6;
/// Weights keep so many bits: they need not be exact.
const BITS: u32 = 14;

/// A combination of equations.
#[derive(Clone, Debug, PartialEq)]
pub enum By {
    /// One of them.
    Equation(usize),
    /// A weight for each.
    Weights(Vec<f64>),
}

impl By {
    /// The combination of values, one an equation.
    fn combined(&self, of: impl Fn(usize) -> Interval) -> Interval {
        match self {
            Self::Equation(i) => of(*i),
            Self::Weights(weights) => weighed(weights, of),
        }
    }
}

/// A step; those of a tree come depth first.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// A part is cut across a side: the steps of the low part follow, then those of the high one.
    Cut(usize, f64),
    /// A combination vanishes on a part only where a side lies between these ends, where there are such.
    Narrow(By, usize, [Option<f64>; 2]),
    /// A combination has no zero on a part, as is seen along this side.
    None(By, Option<usize>),
    /// An equation gives an unknown everywhere on a part, as it is written.
    Put(usize, usize, String),
    /// A part lies in one of the places that are told.
    In(usize),
    /// What is claimed of every point holds on a part.
    Holds,
}

/// The numbers of unknowns and equations among more.
#[derive(Clone, Debug)]
pub struct Names {
    /// Those of the unknowns.
    pub unknowns: Vec<usize>,
    /// Those of the equations.
    pub equations: Vec<usize>,
    /// How many equations there are.
    pub all: usize,
}

impl Equations {
    /// Has a combination no zero on a part: by its bounds, or by the mean value theorem along these sides about the corner where
    /// it is least or largest?
    pub fn has_no_zero(
        &self,
        (part, sides): (&[Interval], Range<usize>),
        by: &By,
        work: &mut Scratch,
    ) -> bool {
        let (values, _) = self.values(part, work);
        if misses(by.combined(|i| values[i])) {
            return true;
        }
        let (slopes, smooth) = self.jacobian(part, work);
        smooth
            && [false, true].into_iter().any(|largest| {
                let (mut centre, mut moved) = (part.to_vec(), Interval::ZERO);
                for j in sides.clone() {
                    let slope = by.combined(|i| slopes.at(i, j));
                    let side = part[j];
                    let at = match (slope.lo < 0.0 && slope.hi > 0.0, slope.lo >= 0.0) {
                        (true, _) => side.middle(),
                        (false, rises) if rises == largest => side.hi,
                        (false, _) => side.lo,
                    };
                    centre[j] = Interval::point(at);
                    moved = moved.add(slope.mul(side.sub(centre[j])));
                }
                let (there, _) = self.values(&centre, work);
                misses(by.combined(|i| there[i]).add(moved))
            })
    }
}

/// Narrows parts of a region and says by which steps.
pub struct Narrower<'a> {
    equations: &'a Equations,
    names: Option<&'a Names>,
    /// The region.
    pub region: Region,
    /// Working memory.
    pub work: Scratch,
    /// The steps so far.
    pub steps: Vec<Step>,
}

impl<'a> Narrower<'a> {
    /// Of a region; steps are told in these names.
    pub fn new(equations: &'a Equations, names: Option<&'a Names>, region: Region) -> Self {
        Self {
            equations,
            names,
            region,
            work: Scratch::default(),
            steps: Vec::new(),
        }
    }

    fn unknown(&self, k: usize) -> usize {
        self.names.map_or(k, |names| names.unknowns[k])
    }

    /// A combination of the equations by their numbers among all.
    fn named(&self, by: &By) -> By {
        let Some(names) = self.names else {
            return by.clone();
        };
        match by {
            By::Equation(i) => By::Equation(names.equations[*i]),
            By::Weights(own) => {
                let mut all = vec![0.0; names.all];
                for (i, w) in names.equations.iter().zip(own) {
                    all[*i] = *w;
                }
                By::Weights(all)
            }
        }
    }

    /// Does a checker see that a combination has no zero on a part, along this side where it is one equation?
    fn is_seen(&mut self, part: &[Interval], k: usize, by: &By) -> bool {
        let sides = match by {
            By::Equation(_) => k..k + 1,
            By::Weights(_) => 0..part.len(),
        };
        self.equations
            .has_no_zero((part, sides), by, &mut self.work)
    }

    /// Says where a part is cut.
    pub fn cut(&mut self, k: usize, at: f64) {
        let step = Step::Cut(self.unknown(k), at);
        self.steps.push(step);
    }

    /// What is left of a part when it is narrowed; `None` where it has no solution, or lies in a place.
    pub fn narrowed(
        &mut self,
        mut part: Region,
        place: impl Fn(&[Interval]) -> Option<usize>,
    ) -> Option<Region> {
        for round in 0..ROUNDS {
            if let Some(k) = place(&part) {
                self.steps.push(Step::In(k));
                return None;
            }
            let (values, smooth) = self.equations.values(&part, &mut self.work);
            let free = |v: &Interval| v.is_empty() || misses(*v);
            if let Some(i) = values.iter().position(free) {
                let step = Step::None(self.named(&By::Equation(i)), None);
                self.steps.push(step);
                return None;
            }
            let (slopes, also) = self.equations.jacobian(&part, &mut self.work);
            if !smooth || !also {
                break;
            }
            let before = self.length(&part);
            let slopes = self.by_each(&mut part, slopes)?;
            if self.length(&part) < WORTH * before && round + 1 < ROUNDS {
                continue;
            }
            if let Some(k) = place(&part) {
                self.steps.push(Step::In(k));
                return None;
            }
            if !self.together(&mut part, slopes)? {
                break;
            }
        }
        Some(part)
    }

    /// The longest side in parts of the region's.
    pub fn length(&self, part: &[Interval]) -> f64 {
        longest(part, &self.region)
    }

    /// A side cut to what is left of it, if that is worth a step: whether it was; `None` where nothing is left.
    fn cut_to(&mut self, part: &mut Region, k: usize, new: Interval, by: &By) -> Option<bool> {
        let old = part[k];
        if old.width() <= THIN * self.region[k].width() {
            return Some(false);
        }
        if new.meet(old).is_empty() {
            if !self.is_seen(part, k, by) {
                return Some(false);
            }
            let step = Step::None(self.named(by), Some(self.unknown(k)));
            self.steps.push(step);
            return None;
        }
        // the checker's bounds are a little other, and ends with few bits are short
        let grid = FINEST * 2.0_f64.powf(old.width().log2().floor());
        let down = |v: f64| (v / grid).floor() * grid;
        let new = Interval::new(down(new.lo - grid), -down(-new.hi - grid)).meet(old);
        let gone = [Interval::new(old.lo, new.lo), Interval::new(new.hi, old.hi)];
        let worth = new.width() <= WORTH * old.width()
            && gone
                .into_iter()
                .filter(|side| side.width() > 0.0)
                .all(|side| {
                    let mut left_out = part.clone();
                    left_out[k] = side;
                    self.is_seen(&left_out, k, by)
                });
        if worth {
            let ends = [
                (new.lo > old.lo).then_some(new.lo),
                (new.hi < old.hi).then_some(new.hi),
            ];
            let step = Step::Narrow(self.named(by), self.unknown(k), ends);
            self.steps.push(step);
            part[k] = new;
        }
        Some(worth)
    }

    /// Each side by each equation that has a slope along it; the slopes on what is left.
    fn by_each(&mut self, part: &mut Region, mut slopes: IntervalMatrix) -> Option<IntervalMatrix> {
        for k in 0..part.len() {
            let mut there: Option<Vec<Interval>> = None;
            for i in 0..self.equations.len() {
                let slope = slopes.at(i, k);
                if part[k].width() == 0.0 || !misses(slope) {
                    continue;
                }
                let side = part[k];
                let middle = Interval::point(side.middle());
                let values = there.get_or_insert_with(|| {
                    part[k] = middle;
                    let (values, _) = self.equations.values(part, &mut self.work);
                    part[k] = side;
                    values
                });
                let value = values[i];
                if !value.is_bounded() {
                    continue;
                }
                let new = middle.sub(value.div(slope));
                if self.cut_to(part, k, new, &By::Equation(i))? {
                    // as the checker has them: from another middle the next step leads elsewhere
                    slopes = self.equations.jacobian(part, &mut self.work).0;
                    there = None;
                }
            }
        }
        Some(slopes)
    }

    /// By combinations of the equations: whether a side was cut, `None` where there is no solution.
    fn together(&mut self, part: &mut Region, mut slopes: IntervalMatrix) -> Option<bool> {
        let rows = self.equations.len();
        if rows > part.len() || rows == 0 {
            return Some(false);
        }
        let mut middle = middle_of(part);
        let Some(there) = self.equations.in_middle(part, &mut self.work) else {
            return Some(false);
        };
        let Some(unknowns) = pivots(&there, part) else {
            return Some(false);
        };
        let Some(inverse) = there.select_columns(&unknowns).try_inverse() else {
            return Some(false);
        };
        let (mut values, _) = self.equations.values(&middle, &mut self.work);
        let mut cut = false;
        for (place, &k) in unknowns.iter().enumerate() {
            let by = By::Weights((0..rows).map(|i| short(inverse[(place, i)])).collect());
            let slope = |j: usize| by.combined(|i| slopes.at(i, j));
            let moved = |j: usize| slope(j).mul(part[j].sub(middle[j]));
            let at = by.combined(|i| values[i]);
            let rest = (0..part.len()).filter(|j| *j != k);
            let rest = rest.fold(at, |sum, j| sum.add(moved(j)));
            if !rest.is_bounded() {
                continue;
            }
            if misses(rest.add(moved(k))) && self.is_seen(part, k, &by) {
                let step = Step::None(self.named(&by), None);
                self.steps.push(step);
                return None;
            }
            let along = slope(k);
            if misses(along) {
                let new = middle[k].sub(rest.div(along));
                if self.cut_to(part, k, new, &by)? {
                    cut = true;
                    middle = middle_of(part);
                    slopes = self.equations.jacobian(part, &mut self.work).0;
                    values = self.equations.values(&middle, &mut self.work).0;
                }
            }
        }
        Some(cut)
    }
}

/// A number with few bits.
pub fn short(v: f64) -> f64 {
    let cut = 52 - BITS;
    f64::from_bits((v.to_bits() >> cut) << cut)
}

/// Is zero not inside?
pub fn misses(v: Interval) -> bool {
    v.lo > 0.0 || v.hi < 0.0
}
