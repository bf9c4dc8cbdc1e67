//! The steps of a proof, found: a box is cut until each part has a simple reason.
//!
//! What the checker does is done here the same way, a little more generously, so that what is written holds there.

use super::case::{Case, Choice, Root};
use super::one_to_one::OneToOne;
use super::plain::hex;
use crate::expr::{Interval, is_over};
use crate::interval::{Equations, IntervalMatrix, Region, Scratch, halved, lies_within};
use crate::theorem::pivots;
use nalgebra::DMatrix;
use serde_json::{Value, json};
use std::rc::Rc;

/// A side is narrowed where less than this part of it is left.
const WORTH: f64 = 0.8;
/// What is left of a side ends at multiples of such a part of what there was.
const FINEST: f64 = 1.0 / 128.0;
/// A side that is shorter than this part of the region is left as it is.
const THIN: f64 = 1e-12;
/// Narrowings between two cuts.
const ROUNDS: usize = 6;
/// Boxes cut deeper have no simple reason.
const DEEPEST: usize = 120;
/// Parts of the region shorter than this are tried for a solution.
const TRIED: f64 = 0.3;
/// More places than this are looked through once a part.
const FEW: usize = 8;
/// Krawczyk's image keeps away from the sides of its box by this part of them.
const MARGIN: f64 = 0.05;
/// Weights keep so many bits: they need not be exact.
const BITS: u32 = 14;

/// Numbers, nothing lost.
pub fn hexes(row: &[f64]) -> Value {
    row.iter().map(|w| hex(*w)).collect()
}

/// A matrix, a list a row.
pub fn matrix(a: &DMatrix<f64>) -> Value {
    let rows = a.row_iter();
    rows.map(|row| row.iter().map(|w| hex(*w)).collect::<Value>())
        .collect()
}

/// A number with few bits.
fn short(v: f64) -> f64 {
    let cut = 52 - BITS;
    f64::from_bits((v.to_bits() >> cut) << cut)
}

/// Searches for steps.
pub struct Prover<'a> {
    equations: &'a Equations,
    /// How unknowns and equations are named, and the sides of all unknowns.
    case: Option<(&'a Case<'a>, Region)>,
    region: Region,
    work: Scratch,
    /// The steps, depth first.
    pub steps: Vec<Value>,
    /// Boxes that hold what is looked for, with their numbers: a part of one is settled.
    places: Vec<(usize, Region)>,
    /// Solutions, each with its place.
    pub roots: Vec<Root>,
    /// Boxes that may still be looked at.
    left: usize,
    finds: bool,
    /// So many of the unknowns are coordinates, where values may be put for unknowns.
    puts: Option<usize>,
    /// Parts on which F is one-to-one are settled too.
    chart: Option<&'a OneToOne<'a>>,
    /// Those parts, numbered after the places.
    pub pieces: Vec<Value>,
}

impl<'a> Prover<'a> {
    /// Of a region; that every solution in it lies in one of these places.
    pub fn new(
        equations: &'a Equations,
        region: &[Interval],
        places: Vec<Region>,
        left: usize,
    ) -> Self {
        Self {
            equations,
            case: None,
            region: region.to_vec(),
            work: Scratch::default(),
            steps: Vec::new(),
            places: places.into_iter().enumerate().collect(),
            roots: Vec::new(),
            left,
            finds: false,
            puts: None,
            chart: None,
            pieces: Vec::new(),
        }
    }

    /// That every solution of a case is one of single ones, which are found on the way.
    pub fn of_case(case: &'a Case<'a>, whole: &[Interval], left: usize) -> Self {
        let equations = &case.equations;
        let mut own = Self::new(equations, &case.projected(whole), Vec::new(), left);
        own.finds = equations.len() == equations.variables();
        own.case = Some((case, whole.to_vec()));
        own
    }

    /// Values may be put for unknowns, of which so many are coordinates.
    pub fn putting(mut self, coordinates: usize) -> Self {
        self.puts = Some(coordinates);
        self
    }

    /// Every solution lies in a place or in a part on which F is one-to-one.
    pub fn charted(mut self, chart: &'a OneToOne<'a>) -> Self {
        self.chart = Some(chart);
        self
    }

    /// Is it shown?
    pub fn run(&mut self) -> bool {
        self.run_on(self.region.clone())
    }

    fn run_on(&mut self, start: Region) -> bool {
        let choices = match (self.puts, &self.case) {
            (Some(coordinates), Some((case, _))) => case.choices(coordinates),
            _ => Vec::new(),
        };
        let all: Vec<usize> = (0..self.places.len()).collect();
        let mut queue = vec![(start, 0, Rc::new(all))];
        while let Some((part, depth, mut near)) = queue.pop() {
            if self.left == 0 || depth > DEEPEST || is_over() {
                return false;
            }
            self.left -= 1;
            // a long list of places is looked through once for all parts of a part
            if near.len() > FEW {
                let meets = |k: &usize| !apart(&part, &self.places[*k].1);
                near = Rc::new(near.iter().copied().filter(meets).collect());
            }
            let Some(part) = self.settled(part, &near) else {
                continue;
            };
            if let Some(piece) = self.chart.and_then(|chart| chart.at_once(&part)) {
                let number = self.places.len() + self.pieces.len();
                self.steps.push(json!(["in", number]));
                self.pieces.push(piece);
                continue;
            }
            let given = choices.iter().find(|c| c.holds(&part, &mut self.work));
            if let Some(choice) = given {
                if !self.put(choice, &part) {
                    return false;
                }
                continue;
            }
            let cut = self.edge(&part, &near);
            let cut = cut.or_else(|| Some((self.direction(&part, &near)?, None)));
            let Some((k, at)) = cut else {
                return false;
            };
            let halves = match at {
                None => halved(part, k),
                Some(at) => {
                    let (mut low, mut high) = (part.clone(), part);
                    (low[k].hi, high[k].lo) = (at, at);
                    Ok((low, high))
                }
            };
            let Ok((low, high)) = halves else {
                return false;
            };
            let named = self.unknown(k);
            self.steps.push(json!(["cut", named, hex(low[k].hi)]));
            queue.extend([(high, depth + 1, Rc::clone(&near)), (low, depth + 1, near)]);
        }
        true
    }

    fn unknown(&self, k: usize) -> usize {
        self.case.as_ref().map_or(k, |(case, _)| case.own[k])
    }

    fn equation(&self, i: usize) -> usize {
        self.case.as_ref().map_or(i, |(case, _)| case.row(i))
    }

    fn weights(&self, own: &[f64]) -> Value {
        match &self.case {
            Some((case, _)) => case.weights(own.iter().copied()),
            None => hexes(own),
        }
    }

    /// A value is put for an unknown all over a part.
    fn put(&mut self, choice: &Choice, part: &[Interval]) -> bool {
        let Some((case, whole)) = &self.case else {
            return false;
        };
        self.steps
            .push(json!(["put", choice.row, choice.k, choice.text]));
        let next = case.put(choice);
        let start = next.projected(&case.lifted(part, whole));
        let mut own = Prover::of_case(&next, whole, self.left);
        own.puts = self.puts;
        let known = self.roots.iter().enumerate();
        let known = known.filter(|(_, root)| next.is_of(root));
        own.places = known
            .map(|(id, root)| (id, next.projected(&root.alone)))
            .collect();
        own.roots = std::mem::take(&mut self.roots);
        let shown = own.run_on(start);
        self.steps.append(&mut own.steps);
        (self.roots, self.left) = (own.roots, own.left);
        shown
    }

    fn say(&mut self, step: Value) -> Option<Region> {
        self.steps.push(step);
        None
    }

    /// What is left of a part when it is narrowed; `None` where a reason was found.
    fn settled(&mut self, mut part: Region, near: &[usize]) -> Option<Region> {
        let mut values = Vec::new();
        for round in 0..ROUNDS {
            if let Some(k) = self.place_of(&part, near) {
                return self.say(json!(["in", k]));
            }
            self.equations.values(&part, &mut self.work, &mut values);
            let free = |v: &Interval| v.is_empty() || misses(*v);
            if let Some(i) = values.iter().position(free) {
                let named = self.equation(i);
                return self.say(json!(["none", named]));
            }
            let smooth = self.equations.is_smooth(&part, &mut self.work);
            let (jacobian, also) = self.equations.jacobian(&part, &mut self.work);
            if !smooth || !also {
                break;
            }
            let before = self.length(&part);
            self.narrowed_by_each(&mut part, jacobian)?;
            if self.length(&part) < WORTH * before && round + 1 < ROUNDS {
                continue;
            }
            if let Some(k) = self.place_of(&part, near) {
                return self.say(json!(["in", k]));
            }
            match self.narrowed_together(&mut part) {
                None => return None,
                Some(done) if done && round + 1 < ROUNDS => {}
                Some(_) => break,
            }
        }
        if self.finds
            && self.length(&part) < TRIED
            && self.find(&part)
            && let Some(k) = self.place_of(&part, near)
        {
            return self.say(json!(["in", k]));
        }
        Some(part)
    }

    /// A root, or a place near by, that holds a part.
    fn place_of(&self, part: &[Interval], near: &[usize]) -> Option<usize> {
        // roots that have come since are in no list
        let roots = if self.roots.is_empty() {
            0
        } else {
            self.places.len()
        };
        let mut all = (0..roots).chain(near.iter().copied());
        let place = all.find(|k| lies_within(part, &self.places[*k].1))?;
        Some(self.places[place].0)
    }

    /// The sum of the sides in parts of the region.
    fn length(&self, part: &[Interval]) -> f64 {
        let shares = part.iter().zip(&self.region);
        shares
            .filter(|(_, whole)| whole.width() > 0.0)
            .map(|(side, whole)| side.width() / whole.width())
            .fold(0.0, f64::max)
    }

    /// A side cut to what is left of it, if that is worth a step; `None` where nothing is.
    fn cut_to(&mut self, part: &mut Region, k: usize, new: Interval, by: &Value) -> Option<()> {
        let old = part[k];
        if old.width() <= THIN * self.region[k].width() {
            return Some(());
        }
        if new.meet(old).is_empty() {
            let named = self.unknown(k);
            self.steps.push(json!(["none", by, named]));
            return None;
        }
        // the checker's bounds are a little other, and ends with few bits are short
        let grid = FINEST * 2.0_f64.powf(old.width().log2().floor());
        let down = |v: f64| (v / grid).floor() * grid;
        let new = Interval::new(down(new.lo - grid), -down(-new.hi - grid)).meet(old);
        if new.width() <= WORTH * old.width() {
            let lo = (new.lo > old.lo).then(|| hex(new.lo));
            let hi = (new.hi < old.hi).then(|| hex(new.hi));
            let named = self.unknown(k);
            self.steps.push(json!(["narrow", by, named, lo, hi]));
            part[k] = new;
        }
        Some(())
    }

    /// Each side by each equation that has a slope along it.
    fn narrowed_by_each(&mut self, part: &mut Region, mut slopes: IntervalMatrix) -> Option<()> {
        let mut values = Vec::new();
        for k in 0..part.len() {
            for i in 0..self.equations.len() {
                let middle = Interval::point(part[k].middle());
                if part[k].width() == 0.0 {
                    break;
                }
                let slope = slopes.at(i, k);
                if !misses(slope) {
                    continue;
                }
                let mut at = part.clone();
                at[k] = middle;
                self.equations.values(&at, &mut self.work, &mut values);
                if !values[i].is_bounded() {
                    continue;
                }
                let new = middle.sub(values[i].div(slope));
                let before = part[k];
                let named = self.equation(i);
                self.cut_to(part, k, new, &json!(named))?;
                if part[k] != before {
                    // as the checker has them: from another middle the next step leads elsewhere
                    slopes = self.equations.jacobian(part, &mut self.work).0;
                }
            }
        }
        Some(())
    }

    /// By combinations of the equations: whether a side was cut, `None` where a reason was found.
    fn narrowed_together(&mut self, part: &mut Region) -> Option<bool> {
        let middle: Region = part.iter().map(|s| Interval::point(s.middle())).collect();
        let (there, _) = self.equations.jacobian(&middle, &mut self.work);
        let Some(there) = there.middle() else {
            return Some(false);
        };
        let rows = self.equations.len();
        if rows > part.len() || rows == 0 {
            return Some(false);
        }
        let Some(unknowns) = pivots(&there, part) else {
            return Some(false);
        };
        let Some(inverse) = there.select_columns(&unknowns).try_inverse() else {
            return Some(false);
        };
        let mut values = Vec::new();
        self.equations.values(&middle, &mut self.work, &mut values);
        let mut cut = false;
        for (place, &k) in unknowns.iter().enumerate() {
            let (jacobian, _) = self.equations.jacobian(part, &mut self.work);
            let weights: Vec<f64> = (0..rows).map(|i| short(inverse[(place, i)])).collect();
            let sum = |of: &dyn Fn(usize) -> Interval| {
                let terms = weights.iter().enumerate();
                terms.fold(Interval::ZERO, |sum, (i, w)| {
                    sum.add(Interval::point(*w).mul(of(i)))
                })
            };
            let middle: Region = part.iter().map(|s| Interval::point(s.middle())).collect();
            self.equations.values(&middle, &mut self.work, &mut values);
            let slope = |j: usize| sum(&|i| jacobian.at(i, j));
            let moved = |j: usize| slope(j).mul(part[j].sub(middle[j]));
            let at = sum(&|i| values[i]);
            let rest = (0..part.len()).filter(|j| *j != k);
            let rest = rest.fold(at, |sum, j| sum.add(moved(j)));
            if !rest.is_bounded() {
                continue;
            }
            if misses(rest.add(moved(k))) {
                let told = self.weights(&weights);
                self.say(json!(["none", told]));
                return None;
            }
            if misses(slope(k)) {
                let new = middle[k].sub(rest.div(slope(k)));
                let before = part[k];
                let told = self.weights(&weights);
                self.cut_to(part, k, new, &told)?;
                cut |= part[k] != before;
            }
        }
        Some(cut)
    }

    /// Where a part sticks out of a place that has much of it.
    fn edge(&self, part: &[Interval], near: &[usize]) -> Option<(usize, Option<f64>)> {
        const MUCH: f64 = 0.3;
        let share = |place: &Region| -> f64 {
            let sides = part.iter().zip(place);
            let shares = sides.map(|(side, own)| match side.width() {
                width if width > 0.0 => side.meet(*own).width() / width,
                _ => f64::from(u8::from(own.contains(side.lo))),
            });
            shares.product()
        };
        let places = near.iter().map(|k| &self.places[*k].1);
        let places = places.map(|place| (share(place), place));
        let (_, place) = places
            .filter(|(share, _)| *share > MUCH)
            .max_by(|a, b| a.0.total_cmp(&b.0))?;
        (0..part.len()).find_map(|k| {
            let inside = |at: f64| at > part[k].lo && at < part[k].hi;
            let ends = [place[k].lo, place[k].hi];
            let at = ends.into_iter().find(|at| inside(*at))?;
            Some((k, Some(at)))
        })
    }

    /// The side to cut: along which the equations change most; where they do not, or are not known to, one along which a place
    /// ends.
    fn direction(&mut self, part: &[Interval], near: &[usize]) -> Option<usize> {
        let share = |k: usize| match self.region[k].width() {
            width if width > 0.0 => part[k].width() / width,
            _ => 0.0,
        };
        let widest = (0..part.len()).map(share).fold(0.0, f64::max);
        let (jacobian, _) = self.equations.jacobian(part, &mut self.work);
        let mut weight = vec![0.0; part.len()];
        for i in 0..self.equations.len() {
            let term = |k: usize| match jacobian.at(i, k).magnitude() {
                0.0 => 0.0,
                slope => slope * part[k].width(),
            };
            let all: f64 = (0..part.len()).map(term).sum();
            if all > 0.0 && all.is_finite() {
                (0..part.len()).for_each(|k| weight[k] += term(k) / all);
            }
        }
        let ends = |k: usize| {
            let inside = |at: f64| at > part[k].lo && at < part[k].hi;
            near.iter().any(|place| {
                let side = self.places[*place].1[k];
                inside(side.lo) || inside(side.hi)
            })
        };
        let able = (0..part.len()).filter(|k| share(*k) > 0.02 * widest && widest > 1e-11);
        let able: Vec<usize> = able.collect();
        let worth: Vec<usize> = able
            .iter()
            .copied()
            .filter(|k| weight[*k] > 0.0 || ends(*k))
            .collect();
        let able = if worth.is_empty() { able } else { worth };
        able.into_iter().max_by(|a, b| {
            let by = weight[*a].total_cmp(&weight[*b]);
            by.then(share(*a).total_cmp(&share(*b)))
        })
    }

    /// Newton's method from the middle of a part; is what it finds alone, and new?
    fn find(&mut self, part: &[Interval]) -> bool {
        let mut point: Vec<f64> = part.iter().map(|side| side.middle()).collect();
        let near: Vec<f64> = (0..part.len())
            .map(|k| 2.0 * part[k].width() + 1e-9 * self.region[k].width())
            .collect();
        for _ in 0..30 {
            let Some(step) = self.step(&point) else {
                return false;
            };
            let long = step.iter().zip(&near).any(|(s, near)| s.abs() > *near);
            point.iter_mut().zip(&step).for_each(|(v, s)| *v -= s);
            if long || point.iter().any(|v| !v.is_finite()) {
                return false;
            }
            let small = |(s, v): (&f64, &f64)| s.abs() <= 1e-15 * v.abs().max(1e-3);
            if step.iter().zip(&point).all(small) {
                break;
            }
        }
        self.add(&point)
    }

    fn step(&mut self, point: &[f64]) -> Option<Vec<f64>> {
        if point.is_empty() {
            return Some(Vec::new());
        }
        let at: Region = point.iter().map(|v| Interval::point(*v)).collect();
        let mut values = Vec::new();
        self.equations.values(&at, &mut self.work, &mut values);
        let (jacobian, _) = self.equations.jacobian(&at, &mut self.work);
        let right =
            nalgebra::DVector::from_iterator(values.len(), values.iter().map(|v| v.middle()));
        let step = jacobian.middle()?.lu().solve(&right)?;
        Some(step.iter().copied().collect())
    }

    /// Is there exactly one solution about a point? It becomes a place.
    pub fn add(&mut self, point: &[f64]) -> bool {
        let at: Region = point.iter().map(|v| Interval::point(*v)).collect();
        if self.place_of(&at, &[]).is_some() {
            return true;
        }
        if point.is_empty() {
            return self.keep((Vec::new(), Vec::new()), DMatrix::zeros(0, 0), &[]);
        }
        let (jacobian, _) = self.equations.jacobian(&at, &mut self.work);
        let Some(inverse) = jacobian.middle().and_then(nalgebra::Matrix::try_inverse) else {
            return false;
        };
        let inverse = inverse.map(short);
        let about = |reach: &dyn Fn(usize) -> f64| -> Region {
            let sides = point.iter().enumerate();
            sides
                .map(|(k, v)| Interval::new(v - reach(k), v + reach(k)))
                .collect()
        };
        let size = |k: usize| point[k].abs().max(1e-3 * self.region[k].width());
        let tight: Vec<Region> = (0..10)
            .map(|k| about(&|j| 1e-14 * 8_f64.powi(k) * size(j)))
            .collect();
        let wide: Vec<Region> = (0..24)
            .map(|k| about(&|j| 0.3 * 0.5_f64.powi(k) * self.region[j].width()))
            .collect();
        // more than is needed: the checker's bounds are a little other
        let mut tight = tight.into_iter();
        if !tight.any(|part| self.maps(&part, &inverse)) {
            return false;
        }
        let at = tight.find(|part| self.maps(part, &inverse));
        let Some(at) = at else { return false };
        let mut wide = wide.into_iter();
        let mut next = || wide.find(|part| self.maps(part, &inverse));
        let alone = next().and_then(|_| next()).and_then(|_| next());
        let within = |alone: &Region| at.iter().zip(alone).all(|(a, b)| a.is_within(*b));
        let alone = alone.filter(within).unwrap_or_else(|| at.clone());
        self.keep((alone, at), inverse, &[])
    }

    /// A solution of these own unknowns becomes a place, the others are given.
    fn keep(
        &mut self,
        (alone, at): (Region, Region),
        weights: DMatrix<f64>,
        over: &[usize],
    ) -> bool {
        let Some((case, whole)) = &self.case else {
            return false;
        };
        self.places.push((self.roots.len(), alone.clone()));
        let (alone, at) = (case.lifted(&alone, whole), case.lifted(&at, whole));
        let over: Vec<usize> = over.iter().map(|k| case.own[*k]).collect();
        let put = |k: &usize| case.puts.iter().any(|(own, ..)| own == k);
        let sought = |k: &usize| case.own.contains(k) && !over.contains(k);
        let free = (0..whole.len()).filter(|k| !put(k) && !sought(k)).collect();
        let mut root = Root {
            place: case.filled(&at),
            alone,
            at,
            weights,
            over,
            free,
            puts: case.puts.clone(),
            told: Value::Null,
        };
        root.told = case.told(&root);
        self.roots.push(root);
        true
    }

    /// The same after Newton's method from there, by all unknowns; where it is one of a family, values are put as its
    /// equations give them, and of what is left some unknowns are given.
    pub fn add_near(&mut self, point: &[f64]) -> bool {
        let Some((case, whole)) = self.case.clone() else {
            return false;
        };
        let own: Vec<f64> = case.own.iter().map(|k| point[*k]).collect();
        if self.finds && self.add_after_newton(own.clone()) {
            return true;
        }
        let Some(coordinates) = self.puts else {
            return false;
        };
        let at: Region = own.iter().map(|v| Interval::point(*v)).collect();
        let mut choices = case.choices(coordinates);
        choices.retain(|choice| choice.holds(&at, &mut self.work));
        // multipliers first: what is left is the constraints
        if let Some(choice) = choices.iter().max_by_key(|choice| choice.k >= coordinates) {
            let next = case.put(choice);
            let mut own = Prover::of_case(&next, &whole, self.left);
            own.puts = self.puts;
            own.roots = std::mem::take(&mut self.roots);
            let added = own.add_near(point);
            self.roots = own.roots;
            return added;
        }
        self.add_given(&own)
    }

    fn add_after_newton(&mut self, mut point: Vec<f64>) -> bool {
        for _ in 0..3 {
            let Some(step) = self.step(&point) else {
                return false;
            };
            point.iter_mut().zip(&step).for_each(|(v, s)| *v -= s);
        }
        point.iter().all(|v| v.is_finite()) && self.add(&point)
    }

    /// A solution of fewer equations than unknowns: for all values of some coordinates there is exactly one of the others.
    fn add_given(&mut self, point: &[f64]) -> bool {
        let (Some((case, _)), Some(coordinates)) = (self.case.clone(), self.puts) else {
            return false;
        };
        let at: Region = point.iter().map(|v| Interval::point(*v)).collect();
        let (jacobian, _) = self.equations.jacobian(&at, &mut self.work);
        let middle = jacobian.middle().filter(|m| m.nrows() < m.ncols());
        let Some(mut sought) = middle.and_then(|middle| pivots(&middle, &self.region)) else {
            return false;
        };
        sought.sort_unstable();
        let over: Vec<usize> = (0..point.len()).filter(|k| !sought.contains(k)).collect();
        if over.iter().any(|k| case.own[*k] >= coordinates) {
            return false;
        }
        let ordered = case.in_order(&[&over[..], &sought[..]].concat());
        let region = self.region.clone();
        let about = |k: &usize, part: f64| {
            let reach = part * region[*k].width();
            Interval::new(point[*k] - reach, point[*k] + reach)
        };
        (1..10).any(|k| {
            let part = 0.25 * 0.125_f64.powi(k);
            let given: Region = over.iter().map(|k| about(k, part / 64.0)).collect();
            let place: Region = sought.iter().map(|k| about(k, part)).collect();
            let Some(weights) = solvable(&ordered, &given, &place) else {
                return false;
            };
            let mut all = at.clone();
            for (k, side) in over.iter().chain(&sought).zip(given.iter().chain(&place)) {
                all[*k] = *side;
            }
            self.keep((all.clone(), all), weights, &over)
        })
    }

    fn maps(&mut self, part: &[Interval], inverse: &DMatrix<f64>) -> bool {
        maps(
            self.equations,
            (&[], part),
            (inverse, MARGIN),
            &mut self.work,
        )
    }
}

/// Does Krawczyk's operator map a box of the last variables into its interior, for all values of the parameters before
/// them, with a margin (the checker's bounds are a little other)?
fn maps(
    equations: &Equations,
    (parameters, part): (&[Interval], &[Interval]),
    (inverse, margin): (&DMatrix<f64>, f64),
    work: &mut Scratch,
) -> bool {
    let first = parameters.len();
    let all = [parameters, part].concat();
    if !equations.is_smooth(&all, work) {
        return false;
    }
    let middle: Region = part.iter().map(|s| Interval::point(s.middle())).collect();
    let mut values = Vec::new();
    equations.values(&[parameters, &middle].concat(), work, &mut values);
    let (jacobian, smooth) = equations.jacobian(&all, work);
    let maps = |i: usize| {
        let sum = |of: &dyn Fn(usize) -> Interval| {
            (0..part.len()).fold(Interval::ZERO, |sum, b| {
                sum.add(Interval::point(inverse[(i, b)]).mul(of(b)))
            })
        };
        let start = middle[i].sub(sum(&|b| values[b]));
        let image = (0..part.len()).fold(start, |image, j| {
            let one = if i == j {
                Interval::ONE
            } else {
                Interval::ZERO
            };
            let slope = one.sub(sum(&|b| jacobian.at(b, first + j)));
            image.add(slope.mul(part[j].sub(middle[j])))
        });
        let room = margin * part[i].width();
        let inner = Interval::new(part[i].lo + room, part[i].hi - room);
        image.is_bounded() && image.is_inside(inner)
    };
    smooth && (0..part.len()).all(maps)
}

/// The weights that show of a box that there is exactly one solution in it for all values of the parameters.
pub fn solvable(
    equations: &Equations,
    parameters: &[Interval],
    place: &[Interval],
) -> Option<DMatrix<f64>> {
    let mut work = Scratch::default();
    let at: Region = (parameters.iter().chain(place))
        .map(|s| Interval::point(s.middle()))
        .collect();
    let (jacobian, _) = equations.jacobian(&at, &mut work);
    let own: Vec<usize> = (parameters.len()..at.len()).collect();
    let inverse = jacobian.of_columns(&own).middle()?.try_inverse()?;
    maps(equations, (parameters, place), (&inverse, 0.0), &mut work).then_some(inverse)
}

/// Do boxes share no point?
pub fn apart(a: &[Interval], b: &[Interval]) -> bool {
    a.iter().zip(b).any(|(p, q)| p.meet(*q).is_empty())
}

/// Is zero not inside?
fn misses(v: Interval) -> bool {
    v.lo > 0.0 || v.hi < 0.0
}
