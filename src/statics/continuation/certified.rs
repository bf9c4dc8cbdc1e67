//! What is proven of all equilibria over a whole range: the parameter as one more coordinate of the search by intervals.
//!
//! Where G is smooth, the gradients of the constraints are independent, det dG/dz is not zero and no equilibrium crosses a side of
//! the box, equilibria go on as functions of the parameter (implicit function theorem) and none begins or ends. The search finds
//! all values of the parameter at which one of these fails,
//!
//! ```text
//! G = 0,  det dG/dz = 0                  in x, lambda and p
//! f = c,  J^T u = 0                      there must be none
//! G = 0,  x_k = an end of its side       in the other x, lambda and p
//! ```
//!
//! and between them the number at one value is that at all. Multipliers are (nu/mu) with max(|nu_b|, |mu|) = 1, so that none is left
//! out: with the rows of S times mu the first equations are polynomials in nu and mu.
//!
//! A place where two of the number come or go, with one singular point, is a fold where dG/dy without some column is regular. Where
//! an equation is a product a b and (the others, a, b) has one zero there, two curves cross: in a transcritical point where both go on
//! with p, in a pitchfork where one does, the other stands upright by algebra, and two come or go. Where no equation is a product a
//! reflection may explain the pitchfork (see `forked`).

use super::curve::Curve;
use super::{Continuation, Following, Place, Point, inside};
use crate::expr::{Expr, Interval, Number, Pool, calculating, is_over};
use crate::interval::{Equations, Newton, Scratch, middles};
use crate::statics::equations::Numbers;
use crate::statics::search::{Outcome, Wanted, dependent, search};
use crate::theorem::goes_round;
use nalgebra::DVector;
use rustc_hash::FxHashMap;

/// Instructions that a search may cost.
const EFFORT: usize = 60_000_000;
/// Operations on numbers of all of them.
const NUMBERS: u64 = 4_000_000_000;
/// Multipliers are looked for a little beyond 1.
const EDGE: f64 = 1.0 + 1e-3;
/// Where a period is cut: equilibria like other places.
const CUT: f64 = 0.5137;
/// How often a box is narrowed.
const NARROWED: usize = 8;
/// A zero is looked for in these parts of a width round what is known of it.
const AROUND: [f64; 3] = [1e-6, 1e-9, 1e-12];

named! {
    /// Why nothing is proven.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum Unproven {
        /// One-sided or redundant constraints.
        Constraints = "constraints",
        /// The equations are not shown to be smooth in all of the box.
        Smooth = "smooth",
        /// The gradients of the constraints are not shown to be independent in it.
        Dependent = "dependent",
        /// The determinant is too large.
        Large = "large",
        /// The search did not come to its end.
        Effort = "effort",
    }
}

/// A value of the parameter at which the equilibria may change.
#[derive(Clone, Debug)]
pub struct Change {
    p: Interval,
    /// of the coordinates; of several places their hull
    x: Vec<Interval>,
    /// of each solution that is proven, those that are known exactly
    exact: Vec<FxHashMap<Expr, Expr>>,
    kind: Kind,
}

/// What is known of a change.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Kind {
    /// One singular point, proven; what it is.
    Proven(Option<Place>),
    /// An equilibrium at a side of the box.
    Side,
    /// It could not be decided, or several are not told apart.
    Left,
    /// The same, with an equilibrium at a side.
    Mixed,
}

/// A part of the range between changes, with the number of equilibria at each value; none where that could not be counted.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Stretch {
    from: f64,
    to: f64,
    count: Option<usize>,
}

/// That all equilibria in the box over the whole range are covered. Made by the search only.
#[derive(Clone, Debug)]
pub struct Certificate {
    changes: Vec<Change>,
    stretches: Vec<Stretch>,
}

impl Continuation {
    /// The coordinates of the branches at a value of the parameter, as the points on either side tell.
    pub(super) fn crossings(&self, p: f64) -> Vec<Vec<f64>> {
        let steps = self.pieces.iter().flat_map(|piece| piece.points.windows(2));
        let crossing = |step: &[Point]| {
            let [a, b] = step else { return None };
            let part = (p - a.p) / (b.p - a.p);
            let pairs = a.x.iter().zip(&b.x);
            let here = || pairs.map(|(a, b)| a + part * (b - a)).collect();
            (0.0..1.0).contains(&part).then(here)
        };
        steps.filter_map(crossing).collect()
    }
}

impl Change {
    /// The parameter.
    pub fn p(&self) -> Interval {
        self.p
    }

    /// The coordinates.
    pub fn x(&self) -> &[Interval] {
        &self.x
    }

    /// What it is, where that is proven: with one singular point there and no other.
    pub fn place(&self) -> Option<Place> {
        match self.kind {
            Kind::Proven(place) => place,
            Kind::Side => Some(Place::Edge),
            Kind::Left | Kind::Mixed => None,
        }
    }

    /// Is it proven that there is one singular point, and one only?
    pub fn is_proven(&self) -> bool {
        matches!(self.kind, Kind::Proven(_))
    }
}

impl Stretch {
    /// Its ends.
    pub fn ends(&self) -> (f64, f64) {
        (self.from, self.to)
    }

    /// How many equilibria there are at each value in it.
    pub fn count(&self) -> Option<usize> {
        self.count
    }
}

impl Certificate {
    /// The values at which something changes, ascending.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// What lies between them.
    pub fn stretches(&self) -> &[Stretch] {
        &self.stretches
    }

    /// Is each change what it is said to be, and every stretch counted?
    pub fn has_all(&self) -> bool {
        let known = |change: &Change| change.place().is_some();
        self.changes.iter().all(known) && self.stretches.iter().all(|s| s.count.is_some())
    }
}

/// The equations with numbers for all but x, lambda and p.
pub(super) struct Ground<'a> {
    own: &'a Following<'a>,
    pub(super) pool: &'a Pool,
    pub(super) curve: &'a Curve,
    /// and p
    pub(super) x: Vec<Expr>,
    pub(super) multipliers: Vec<Expr>,
    pub(super) equations: Vec<Expr>,
    pub(super) rounded: Vec<(Expr, Interval)>,
    /// of x, and of p
    region: Vec<Interval>,
}

impl Following<'_> {
    /// Proves what can be proven of the whole range.
    pub(super) fn certify(&self) -> Result<Certificate, Unproven> {
        calculating(NUMBERS, || self.proven())
    }

    fn proven(&self) -> Result<Certificate, Unproven> {
        let system = self.subject.system;
        let pool = &system.pool;
        let sided = system.constraints.iter().any(|c| c.side.is_some());
        let plain = self.curves.iter().find(|(released, _)| released.is_empty());
        let Some((_, curve)) = plain.filter(|_| !sided) else {
            return Err(Unproven::Constraints);
        };
        if self.subject.independent.is_some() {
            return Err(Unproven::Constraints);
        }
        let n = curve.n;
        let (mut unknowns, equations) = curve.symbols();
        let p = unknowns.pop().ok_or(Unproven::Large)?;
        let multipliers = unknowns.split_off(n);
        let Numbers { mut exact, rounded } = Numbers::new(system, self.t);
        exact.remove(&p);
        let equations = pool.substitute_all(equations, &exact);
        let holds = |e: Expr| equations.iter().any(|g| pool.symbols_of(*g).contains(&e));
        let mut region: Vec<Interval> = Vec::new();
        for (k, (lo, hi)) in self.bounds.sides.iter().enumerate() {
            let side = self.bounds.periods[k].map_or((*lo, *hi), |period| {
                (-CUT * period, (1.0 + 1e-9 - CUT) * period)
            });
            region.push(Interval::new(side.0, side.1));
        }
        region.push(Interval::new(self.over.from, self.over.to));
        let rounded = rounded
            .into_iter()
            .filter(|(e, _)| *e != p && holds(*e))
            .collect();
        let ground = Ground {
            own: self,
            pool,
            curve,
            x: unknowns.into_iter().chain([p]).collect(),
            multipliers,
            equations,
            rounded,
            region,
        };
        ground.is_smooth()?;
        ground.is_independent()?;
        let mut changes = ground.singular()?;
        for k in (0..n).filter(|k| self.bounds.periods[*k].is_none()) {
            for end in [ground.region[k].lo, ground.region[k].hi] {
                changes.extend(ground.crossings((k, end))?);
            }
        }
        changes.sort_by(|a, b| a.p.lo.total_cmp(&b.p.lo));
        let mut apart: Vec<Change> = Vec::new();
        for change in changes {
            match apart.last_mut().filter(|last| last.p.hi >= change.p.lo) {
                Some(last) => last.joined(&change),
                None => apart.push(change),
            }
        }
        let mut stretches = self.counted(&apart);
        for (k, change) in apart.iter_mut().enumerate() {
            let around = stretches.get_mut(k..k + 2);
            let Some([before, after]) = around else { break };
            let (Some(one), Some(other)) = (before.count, after.count) else {
                continue;
            };
            if matches!(change.kind, Kind::Side | Kind::Mixed) {
                continue;
            }
            let (by, mut reaches) = (one.abs_diff(other), AROUND.into_iter());
            let place = |reach| ground.named(reach, change, by);
            if let Some(place) = reaches.find_map(place) {
                change.kind = Kind::Proven(Some(place));
                continue;
            }
            let fork = |reach| ground.forked(reach, change);
            if let Some((p, x)) = AROUND.into_iter().filter(|_| by == 2).find_map(fork) {
                // nothing else was singular in all that was left
                (before.to, after.from) = (p.lo, p.hi);
                *change = Change {
                    p,
                    x,
                    exact: Vec::new(),
                    kind: Kind::Proven(Some(Place::Pitchfork)),
                };
            }
        }
        Ok(Certificate {
            changes: apart,
            stretches,
        })
    }

    /// The number of equilibria between changes.
    fn counted(&self, changes: &[Change]) -> Vec<Stretch> {
        let from = std::iter::once(self.over.from).chain(changes.iter().map(|c| c.p.hi));
        let to = changes.iter().map(|c| c.p.lo).chain([self.over.to]);
        let around = self.around();
        let count = |(from, to): (f64, f64)| {
            let found = (from < to).then(|| self.at(inside((from, to)), &around));
            let sure = found.filter(|found| {
                let alone = found
                    .list
                    .iter()
                    .all(|e| e.certified() && e.along.is_none());
                // of what repeats at this value alone only one turn is told
                let turns = |(k, period): &(usize, f64)| {
                    let side = self.bounds.sides[*k];
                    self.bounds.periods[*k] != Some(*period) && goes_round(side, *period)
                };
                alone && found.complete() && !found.periods.iter().any(turns)
            });
            Stretch {
                from,
                to,
                count: sure.map(|found| found.list.len()),
            }
        };
        from.zip(to).map(count).collect()
    }
}

impl Change {
    /// With another one at the same value.
    fn joined(&mut self, other: &Self) {
        self.kind = match (self.kind, other.kind) {
            (Kind::Side, Kind::Side) => Kind::Side,
            (Kind::Side | Kind::Mixed, _) | (_, Kind::Side | Kind::Mixed) => Kind::Mixed,
            _ => Kind::Left,
        };
        self.p = self.p.hull(other.p);
        let pairs = self.x.iter_mut().zip(&other.x);
        pairs.for_each(|(a, b)| *a = a.hull(*b));
        self.exact.extend(other.exact.iter().cloned());
    }
}

impl Ground<'_> {
    /// Are the equations smooth on all of the box? They are affine in the multipliers.
    fn is_smooth(&self) -> Result<(), Unproven> {
        let mut sides = self.region.clone();
        sides.resize(self.equations.len() + 1, Interval::new(-1.0, 1.0));
        let equations = self.over(&self.equations);
        let smooth = equations.is_smooth(&sides, &mut Scratch::default());
        smooth.then_some(()).ok_or(Unproven::Smooth)
    }

    /// x, p and the multipliers.
    pub(super) fn unknowns(&self) -> Vec<Expr> {
        self.x.iter().chain(&self.multipliers).copied().collect()
    }

    /// Equations in these over boxes.
    fn over(&self, list: &[Expr]) -> Equations {
        Equations::new(self.pool, &self.unknowns(), &self.rounded, list)
    }

    fn wanted<T>(
        &self,
        (x, multipliers): (&[Expr], &[Expr]),
        (equations, region): (&[Expr], &[Interval]),
        look: impl FnOnce(&Wanted) -> T,
    ) -> T {
        let usual = middles(region);
        look(&Wanted {
            pool: self.pool,
            x,
            multipliers,
            equations,
            rounded: &self.rounded,
            keeps: &[],
            pushes: &[],
            region,
            usual: &usual,
            effort: EFFORT,
        })
    }

    /// Are the gradients of the constraints independent wherever these hold?
    fn is_independent(&self) -> Result<(), Unproven> {
        let pool = self.pool;
        if self.multipliers.is_empty() {
            return Ok(());
        }
        let mut equations = self.equations.clone();
        for e in equations.iter_mut().take(self.curve.n) {
            *e = pool.simplify(pool.sub(*e, pool.without(*e, &self.multipliers)));
        }
        let unknowns = (self.x.as_slice(), self.multipliers.as_slice());
        let found = self.wanted(unknowns, (&equations, &self.region), dependent);
        let none = found.complete && found.boxes.is_empty();
        none.then_some(()).ok_or(Unproven::Dependent)
    }

    /// Where det dG/dz = 0.
    fn singular(&self) -> Result<Vec<Change>, Unproven> {
        let pool = self.pool;
        let (n, m) = (self.curve.n, self.curve.m);
        let first = self.own.nodes.first().and_then(|node| node.on.first());
        let inside = || {
            let mut y = DVector::zeros(self.curve.size());
            let (last, middles) = (self.curve.size() - 1, middles(&self.region));
            y.rows_mut(0, n).copy_from_slice(&middles[..n]);
            y[last] = middles[n];
            y
        };
        let y = first.map_or_else(inside, |(_, y)| y.clone());
        let units = self.curve.at(&y).ok_or(Unproven::Effort)?.columns;
        let unit: Vec<f64> = (0..m).map(|b| units[n + b].log2().round().exp2()).collect();
        // names that no file can use
        let name = |k: usize| crate::expr::SymbolKind::Other(usize::MAX / 3 - k);
        let mu = pool.symbol("mu#p", name(m));
        let nu: Vec<Expr> = (0..m)
            .map(|b| pool.symbol(&format!("nu#{b}"), name(b)))
            .collect();
        let scaled = |b: usize| Some(pool.scale(nu[b], &Number::from_f64(unit[b])?));
        let scaled: Option<Vec<Expr>> = (0..m).map(scaled).collect();
        let scaled = scaled.ok_or(Unproven::Large)?;
        let by = self.multipliers.iter().copied().zip(scaled).collect();
        // mu S - sum nu J, f - c
        let mut equations: Vec<Expr> = self.equations.clone();
        for e in equations.iter_mut().take(if m == 0 { 0 } else { n }) {
            let plain = pool.without(*e, &self.multipliers);
            let pushed = pool.substitute(pool.simplify(pool.sub(*e, plain)), &by);
            *e = pool.add(pool.mul(mu, plain), pushed);
        }
        let entry = |i: usize, j: usize| {
            if j < n {
                pool.derivative(equations[i], self.x[j])
            } else {
                pool.derivative(self.equations[i], self.multipliers[j - n])
            }
        };
        let matrix: Vec<Vec<Expr>> = (0..n + m)
            .map(|i| (0..n + m).map(|j| entry(i, j)).collect())
            .collect();
        let found = pool.determinant(&matrix);
        let det = found.unsigned(pool).filter(|_| found.sign != 0);
        equations.push(det.ok_or(Unproven::Large)?);
        let mut changes = Vec::new();
        for one in std::iter::once(mu).chain(nu.iter().copied()) {
            let mut x = self.x.clone();
            x.extend(nu.iter().chain([&mu]).copied().filter(|u| *u != one));
            let by = FxHashMap::from_iter([(one, pool.one())]);
            let equations = pool.substitute_all(&equations, &by);
            let mut region = self.region.clone();
            region.resize(x.len(), Interval::new(-EDGE, EDGE));
            let found = self.wanted((&x, &[]), (&equations, &region), search);
            changes.extend(self.changes((&found, &x[..=n]), Kind::Proven(None))?);
        }
        Ok(changes)
    }

    /// Where an equilibrium is at a side of the box.
    fn crossings(&self, (k, end): (usize, f64)) -> Result<Vec<Change>, Unproven> {
        let pool = self.pool;
        let number = pool.number(Number::from_f64(end).ok_or(Unproven::Large)?);
        let by = FxHashMap::from_iter([(self.x[k], number)]);
        let equations = pool.substitute_all(&self.equations, &by);
        let (mut x, mut region) = (self.x.clone(), self.region.clone());
        x.remove(k);
        region.remove(k);
        let unknowns = (x.as_slice(), self.multipliers.as_slice());
        let found = self.wanted(unknowns, (&equations, &region), search);
        let mut changes = self.changes((&found, &x), Kind::Side)?;
        for change in &mut changes {
            change.x.insert(k, Interval::point(end));
        }
        Ok(changes)
    }

    /// What a search has found, and what it is where that is proven; the parameter is the last of these unknowns.
    fn changes(
        &self,
        (found, unknowns): (&Outcome, &[Expr]),
        kind: Kind,
    ) -> Result<Vec<Change>, Unproven> {
        let place = unknowns.len() - 1;
        if !found.complete || is_over() {
            return Err(Unproven::Effort);
        }
        let solutions = found.solutions.iter().map(|s| {
            let proven = s.proven && s.any.is_empty() && s.dimension == 0;
            let known = s.x.iter().zip(&s.exact).zip(unknowns).take(place);
            let known = known.filter_map(|((side, exact), x)| {
                let point = side.number().map(|number| self.pool.number(number));
                Some((*x, exact.or(point)?))
            });
            (&s.hull, proven, known.filter(|_| proven).collect())
        });
        let left = found
            .undecided
            .iter()
            .map(|part| (part, false, FxHashMap::default()));
        let change = |(x, proven, exact): (&Vec<Interval>, bool, FxHashMap<Expr, Expr>)| Change {
            p: x[place],
            x: x[..place].to_vec(),
            exact: vec![exact],
            kind: if proven { kind } else { Kind::Left },
        };
        Ok(solutions.chain(left).map(change).collect())
    }

    /// A box of x, p and multipliers about what is known of a change, on which the equations are smooth.
    pub(super) fn about(&self, reach: f64, change: &Change) -> Option<Vec<Interval>> {
        let (n, size) = (self.curve.n, self.equations.len());
        let sides = change
            .x
            .iter()
            .chain([&change.p])
            .zip(self.curve.width.iter());
        let mut part: Vec<Interval> = sides
            .map(|(side, w)| side.add(Interval::new(-reach * w, reach * w)))
            .collect();
        part.resize(size + 1, Interval::ALL);
        let mut work = Scratch::default();
        let whole = self.over(&self.equations);
        let mut narrowed = part.clone();
        for _ in 0..NARROWED {
            if !whole.contract(&mut narrowed, &mut work) {
                return None;
            }
        }
        // the multipliers from it, with room for Newton's method
        for (side, own) in part.iter_mut().zip(&narrowed).skip(n + 1) {
            let room = reach * own.magnitude().max(own.width()).max(reach);
            *side = own.add(Interval::new(-room, room));
        }
        let bounded = part.iter().all(|side| side.is_bounded());
        (bounded && whole.is_smooth(&part, &mut work)).then_some(part)
    }

    /// What a singular point is at which so many equilibria come or go.
    fn named(&self, reach: f64, change: &Change, by: usize) -> Option<Place> {
        let pool = self.pool;
        let (n, size) = (self.curve.n, self.equations.len());
        let part = self.about(reach, change)?;
        let z: Vec<usize> = (0..=size).filter(|k| *k != n).collect();
        let all: Vec<usize> = (0..=size).collect();
        let mut work = Scratch::default();
        let slopes = self.over(&self.equations).jacobian(&part, &mut work).0;
        let curved = |j: &usize| {
            let others: Vec<usize> = all.iter().copied().filter(|k| k != j).collect();
            slopes.of_columns(&others).is_regular()
        };
        let alone = |equations: &[Expr], last: Expr| {
            let mut list = equations.to_vec();
            list.push(last);
            self.over(&list)
                .newton(&mut part.clone(), &all, &mut Scratch::default())
                == Newton::Unique
        };
        if by == 2
            && z.iter().any(curved)
            && self
                .determinant(&self.equations)
                .is_some_and(|e| alone(&self.equations, e))
        {
            return Some(Place::Fold);
        }
        for (i, &e) in self.equations.iter().enumerate() {
            let factors = pool.factors(e).factors;
            let factors: Vec<Expr> = factors.into_iter().map(|(factor, _)| factor).collect();
            for (a, b) in factors
                .iter()
                .flat_map(|a| factors.iter().map(move |b| (*a, *b)))
            {
                let with = |factor: Expr| {
                    let mut list = self.equations.clone();
                    list[i] = factor;
                    list
                };
                if a == b || !alone(&with(a), b) {
                    continue;
                }
                let mut goes_on = |factor: Expr| {
                    let slopes = self.over(&with(factor)).jacobian(&part, &mut work).0;
                    slopes.of_columns(&z).is_regular()
                };
                match by {
                    0 if goes_on(a) && goes_on(b) => return Some(Place::Transcritical),
                    2 if goes_on(a)
                        && self.is_upright(change, (a, &with(b)))
                        && self
                            .determinant(&with(b))
                            .is_some_and(|e| alone(&with(b), e)) =>
                    {
                        return Some(Place::Pitchfork);
                    }
                    _ => {}
                }
            }
        }
        None
    }

    /// det dG/dz of these equations; `None` where it is too large to be written out.
    fn determinant(&self, equations: &[Expr]) -> Option<Expr> {
        let pool = self.pool;
        let z = self.x[..self.curve.n].iter().chain(&self.multipliers);
        let z: Vec<Expr> = z.copied().collect();
        let found = pool.determinant(&pool.jacobian(equations, &z));
        found.unsigned(pool)
    }

    /// Do it and the other factor vanish by algebra at a singular point, so that this is where the curves cross?
    fn is_upright(&self, change: &Change, (other, equations): (Expr, &[Expr])) -> bool {
        let pool = self.pool;
        let found = self.determinant(equations);
        let zero = |e: Expr, by: &FxHashMap<Expr, Expr>| {
            pool.is_zero(pool.substitute(e, by)) == Some(true)
        };
        let mut points = change.exact.iter();
        found.is_some_and(|e| points.any(|by| zero(e, by) && zero(other, by)))
    }
}
