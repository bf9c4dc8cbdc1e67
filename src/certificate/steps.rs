//! The steps of a proof, found: a box is cut until each part has a simple reason, and solutions in it have boxes of their own.

use super::case::{Case, Choice, Root};
use super::claims::Piece;
use super::one_to_one::OneToOne;
use crate::expr::{Interval, is_over};
use crate::interval::{
    Equations, Narrower, Region, Scratch, Step, apart, as_box, halved, lies_within, middle_of,
    middles, pivots, share, short, weighed,
};
use nalgebra::DMatrix;
use std::rc::Rc;

/// Boxes cut deeper have no simple reason.
const DEEPEST: usize = 120;
/// Parts of the region shorter than this are tried for a solution.
const TRIED: f64 = 0.3;
/// More places than this are looked through once a part.
const FEW: usize = 8;
/// Krawczyk's image keeps away from the sides of its box by this part of them.
const MARGIN: f64 = 0.05;

/// Searches for steps.
pub struct Prover<'a> {
    equations: &'a Equations,
    /// How unknowns and equations are named, and the sides of all unknowns.
    case: Option<(&'a Case<'a>, Region)>,
    /// The steps, depth first.
    pub narrower: Narrower<'a>,
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
    pub pieces: Vec<Piece>,
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
            narrower: Narrower::new(equations, None, region.to_vec()),
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
        let region = case.projected(whole);
        let mut own = Self::new(equations, &region, Vec::new(), left);
        own.narrower = Narrower::new(equations, Some(&case.names), region);
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
        self.run_on(self.narrower.region.clone())
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
                self.narrower.steps.push(Step::In(number));
                self.pieces.push(piece);
                continue;
            }
            let given = choices
                .iter()
                .find(|c| c.holds(&part, &mut self.narrower.work));
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
            self.narrower.cut(k, low[k].hi);
            queue.extend([(high, depth + 1, Rc::clone(&near)), (low, depth + 1, near)]);
        }
        true
    }

    /// A value is put for an unknown all over a part.
    fn put(&mut self, choice: &Choice, part: &[Interval]) -> bool {
        let Some((case, whole)) = &self.case else {
            return false;
        };
        let step = Step::Put(choice.row, choice.k, choice.text.clone());
        self.narrower.steps.push(step);
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
        self.narrower.steps.append(&mut own.narrower.steps);
        (self.roots, self.left) = (own.roots, own.left);
        shown
    }

    /// What is left of a part when it is narrowed; `None` where a reason was found.
    fn settled(&mut self, part: Region, near: &[usize]) -> Option<Region> {
        let (places, new) = (&self.places, self.added());
        let place = |part: &[Interval]| place_of(part, places, new, near);
        let part = self.narrower.narrowed(part, place)?;
        if self.finds
            && self.narrower.length(&part) < TRIED
            && self.find(&part)
            && let Some(k) = place_of(&part, &self.places, self.added(), near)
        {
            self.narrower.steps.push(Step::In(k));
            return None;
        }
        Some(part)
    }

    /// The places of which roots may have come since lists of places were made.
    fn added(&self) -> usize {
        if self.roots.is_empty() {
            0
        } else {
            self.places.len()
        }
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
        let weight = self.equations.changes(part, &mut self.narrower.work);
        let share = |k: usize| share(part[k], self.narrower.region[k]);
        let widest = self.narrower.length(part);
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
        let mut point: Vec<f64> = middles(part);
        let near: Vec<f64> = (0..part.len())
            .map(|k| 2.0 * part[k].width() + 1e-9 * self.narrower.region[k].width())
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
        let at = as_box(point);
        let (values, _) = self.equations.values(&at, &mut self.narrower.work);
        let (jacobian, _) = self.equations.jacobian(&at, &mut self.narrower.work);
        let right =
            nalgebra::DVector::from_iterator(values.len(), values.iter().map(|v| v.middle()));
        let step = jacobian.middle()?.lu().solve(&right)?;
        Some(step.iter().copied().collect())
    }

    /// Is there exactly one solution about a point? It becomes a place.
    pub fn add(&mut self, point: &[f64]) -> bool {
        let at = as_box(point);
        if place_of(&at, &self.places, self.added(), &[]).is_some() {
            return true;
        }
        if point.is_empty() {
            return self.keep((Vec::new(), Vec::new()), DMatrix::zeros(0, 0), &[]);
        }
        let (jacobian, _) = self.equations.jacobian(&at, &mut self.narrower.work);
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
        let size = |k: usize| point[k].abs().max(1e-3 * self.narrower.region[k].width());
        let tight: Vec<Region> = (0..10)
            .map(|k| about(&|j| 1e-14 * 8_f64.powi(k) * size(j)))
            .collect();
        let wide: Vec<Region> = (0..24)
            .map(|k| about(&|j| 0.3 * 0.5_f64.powi(k) * self.narrower.region[j].width()))
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
        let alone = alone
            .filter(|alone| lies_within(&at, alone))
            .unwrap_or_else(|| at.clone());
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
        let over: Vec<usize> = over.iter().map(|k| case.own()[*k]).collect();
        let put = |k: &usize| case.puts.iter().any(|(own, ..)| own == k);
        let sought = |k: &usize| case.own().contains(k) && !over.contains(k);
        let free = (0..whole.len()).filter(|k| !put(k) && !sought(k)).collect();
        let mut root = Root {
            place: case.filled(&at),
            alone,
            at,
            weights,
            over,
            free,
            puts: case.puts.clone(),
            told: None,
        };
        root.told = Some(case.told(&root));
        self.roots.push(root);
        true
    }

    /// The same after Newton's method from there, by all unknowns; where it is one of a family, values are put as its
    /// equations give them, and of what is left some unknowns are given.
    pub fn add_near(&mut self, point: &[f64]) -> bool {
        let Some((case, whole)) = self.case.clone() else {
            return false;
        };
        let own: Vec<f64> = case.own().iter().map(|k| point[*k]).collect();
        if self.finds && self.add_after_newton(own.clone()) {
            return true;
        }
        let Some(coordinates) = self.puts else {
            return false;
        };
        let at = as_box(&own);
        let mut choices = case.choices(coordinates);
        choices.retain(|choice| choice.holds(&at, &mut self.narrower.work));
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
        let at = as_box(point);
        let (jacobian, _) = self.equations.jacobian(&at, &mut self.narrower.work);
        let middle = jacobian.middle().filter(|m| m.nrows() < m.ncols());
        let Some(mut sought) = middle.and_then(|middle| pivots(&middle, &self.narrower.region))
        else {
            return false;
        };
        sought.sort_unstable();
        let over: Vec<usize> = (0..point.len()).filter(|k| !sought.contains(k)).collect();
        if over.iter().any(|k| case.own()[*k] >= coordinates) {
            return false;
        }
        let ordered = case.in_order(&[&over[..], &sought[..]].concat());
        let region = self.narrower.region.clone();
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
            &mut self.narrower.work,
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
    let middle = middle_of(part);
    let (values, _) = equations.values(&[parameters, &middle].concat(), work);
    let (jacobian, smooth) = equations.jacobian(&all, work);
    let maps = |i: usize| {
        let start = middle[i].sub(weighed(inverse.row(i), |b| values[b]));
        let image = (0..part.len()).fold(start, |image, j| {
            let one = if i == j {
                Interval::ONE
            } else {
                Interval::ZERO
            };
            let slope = one.sub(weighed(inverse.row(i), |b| jacobian.at(b, first + j)));
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
    let at = middle_of(&[parameters, place].concat());
    let (jacobian, _) = equations.jacobian(&at, &mut work);
    let own: Vec<usize> = (parameters.len()..at.len()).collect();
    let inverse = jacobian.of_columns(&own).middle()?.try_inverse()?;
    maps(equations, (parameters, place), (&inverse, 0.0), &mut work).then_some(inverse)
}

/// The first of `new` places, or of those near by, that holds a part.
fn place_of(
    part: &[Interval],
    places: &[(usize, Region)],
    new: usize,
    near: &[usize],
) -> Option<usize> {
    let mut all = (0..new).chain(near.iter().copied());
    let place = all.find(|k| lies_within(part, &places[*k].1))?;
    Some(places[place].0)
}
