//! Where a factor of the determinant meets the constraint set: the points of {factor = 0, f = c}.
//!
//! Equations that are linear in a coordinate with a numeric coefficient are solved for it and put
//! into the others; an equation that becomes a number other than 0 proves that there is no point.
//! As many equations as coordinates that are left are solved by branch and prune with interval
//! arithmetic ([`crate::interval::roots`]): each regular point is proven to exist and to be alone, and
//! where all of the box was looked at none is overlooked. What can be neither proven nor excluded there,
//! such as a point where factor and constraints touch, is an undecided box, in which Newton's method
//! looks for a point that is then listed as found, not proven. Equations of other numbers are searched
//! by bounds, which can prove that there is none, and by Newton's method.

use super::inverse::scattered;
use crate::expr::{
    Expr, Function, Interval, Node, Number, Pool, SymbolKind, Tape, Workspace, cancelled,
};
use crate::geometry::{Look, NewtonBack, Next, Step};
use crate::interval::{Equations, roots};
use crate::system::System;
use nalgebra::{DMatrix, DVector};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::f64::consts::TAU;

/// Instructions that branch and prune may cost.
const EFFORT: usize = 600_000;
/// Boxes examined before Newton's method takes over.
const BOXES: usize = 1_500;
/// Newton starts.
const STARTS: usize = 400;
/// Newton steps from a start: at a double root each halves the distance.
const NEWTON_STEPS: usize = 100;
/// More points than this are taken for a set that is not isolated.
const MOST_POINTS: usize = 64;
/// Points closer than this (relative to the box) are one.
const SAME: f64 = 1e-6;
/// Systems of more coordinates than this are not searched for points: each factor is looked at
/// together with the constraints near it.
const SEARCHED_UP_TO: usize = 24;
/// As many constraints are near a factor.
const NEAR: usize = 6;

/// What is known of {factor = 0, f = c} in a box at one time.
#[derive(Clone, Debug, PartialEq)]
pub struct SingularPoints {
    /// Isolated points found, coordinates in order; empty where it is proven that there are none;
    /// `None` where they are not isolated, or none was found and none excluded.
    pub points: Option<Vec<Vec<f64>>>,
    /// Coordinates that are angles here, with their period: points are given once.
    pub periods: Vec<(usize, f64)>,
    /// Where `points` is `None`: are there as many free directions as to make it a curve or more?
    pub family: bool,
    /// Was there a search at all? None is made in many dimensions.
    pub searched: bool,
    /// Which of `points` are proven to exist, each alone in a box of its own.
    pub proven: Vec<bool>,
    /// Boxes (a range a coordinate) in which there may be points; those listed there are not proven.
    pub undecided: Vec<Vec<(f64, f64)>>,
    /// Is it proven that there are no points in the box but `points` and in `undecided`?
    pub complete: bool,
}

/// What a search found.
#[derive(Default)]
struct Found {
    points: Option<Vec<Vec<f64>>>,
    proven: Vec<bool>,
    undecided: Vec<Vec<(f64, f64)>>,
    complete: bool,
    family: bool,
}

impl Found {
    /// Points with whether each is proven; the longest lists are cut, and then not complete.
    fn of(mut list: Vec<(Vec<f64>, bool)>, complete: bool) -> Self {
        let whole = list.len() <= MOST_POINTS;
        list.truncate(MOST_POINTS);
        let (points, proven) = list.into_iter().unzip();
        Self {
            points: Some(points),
            proven,
            complete: complete && whole,
            ..Self::default()
        }
    }

    /// Proven to be nowhere.
    fn nowhere() -> Self {
        Self {
            points: Some(Vec::new()),
            complete: true,
            ..Self::default()
        }
    }
}

/// Searches a box (lower and upper end a coordinate) at time t, factor by factor.
pub fn singular_points(
    system: &System,
    factors: &[Expr],
    t: f64,
    region: &[(f64, f64)],
) -> Vec<SingularPoints> {
    let pool = &system.pool;
    let fixed = fixed_values(system, t);
    let constraints: Vec<Expr> = system
        .constraints
        .iter()
        .map(|c| pool.sub(c.f, c.c))
        .collect();
    let constraints = pool.substitute_all(&constraints, &fixed);
    let near = (system.coordinates.len() > SEARCHED_UP_TO)
        .then(|| Neighbours::new(system, &constraints, region));
    factors
        .iter()
        .map(|&factor| {
            let factor = pool.substitute(factor, &fixed);
            match &near {
                Some(near) => near.look(factor),
                None => search(system, factor, &constraints, region),
            }
        })
        .collect()
}

/// A large system: which constraints contain which coordinates.
struct Neighbours<'a> {
    pool: &'a Pool,
    unknowns: Vec<Expr>,
    constraints: &'a [Expr],
    region: &'a [(f64, f64)],
    /// the constraints that contain a coordinate
    holders: FxHashMap<Expr, Vec<usize>>,
}

impl<'a> Neighbours<'a> {
    fn new(system: &'a System, constraints: &'a [Expr], region: &'a [(f64, f64)]) -> Self {
        let pool = &system.pool;
        let mut holders: FxHashMap<Expr, Vec<usize>> = FxHashMap::default();
        for (b, &e) in constraints.iter().enumerate() {
            for &x in pool.symbols_of(e).iter() {
                holders.entry(x).or_default().push(b);
            }
        }
        Self {
            pool,
            unknowns: system.coordinates.iter().map(|c| c.x).collect(),
            constraints,
            region,
            holders,
        }
    }

    /// The constraints reached first from a factor, at most [`NEAR`] of them.
    fn around(&self, factor: Expr) -> Vec<usize> {
        let mut found: Vec<usize> = Vec::new();
        let mut queue = std::collections::VecDeque::from([factor]);
        while let Some(e) = queue.pop_front() {
            let inside = self.pool.symbols_of(e);
            let mut next: Vec<usize> = inside
                .iter()
                .filter_map(|x| self.holders.get(x))
                .flatten()
                .copied()
                .filter(|b| !found.contains(b))
                .collect();
            next.sort_unstable();
            next.dedup();
            for b in next {
                if found.len() == NEAR {
                    return found;
                }
                found.push(b);
                queue.push_back(self.constraints[b]);
            }
        }
        found
    }

    /// Is there a proof that a factor and the constraints near it have no common zero in the box?
    /// Points are not looked for.
    fn look(&self, factor: Expr) -> SingularPoints {
        let mut equations = vec![factor];
        equations.extend(self.around(factor).iter().map(|&b| self.constraints[b]));
        let search = Search {
            pool: self.pool,
            unknowns: &self.unknowns,
            region: self.region,
            periods: &[],
            simple: Pool::reduced,
        };
        let empty = match search.eliminate(equations) {
            None => true,
            Some((equations, _)) => {
                let inside = |k: &usize| {
                    equations
                        .iter()
                        .any(|e| self.pool.symbols_of(*e).contains(&self.unknowns[*k]))
                };
                let free: Vec<usize> = (0..self.unknowns.len()).filter(inside).collect();
                search.pave(&equations, &free).0
            }
        };
        SingularPoints {
            points: empty.then(Vec::new),
            periods: Vec::new(),
            family: !empty && self.unknowns.len() > self.constraints.len() + 1,
            searched: false,
            proven: Vec::new(),
            undecided: Vec::new(),
            complete: empty,
        }
    }
}

/// Searches a box for the points of one factor.
fn search(
    system: &System,
    factor: Expr,
    constraints: &[Expr],
    region: &[(f64, f64)],
) -> SingularPoints {
    let pool = &system.pool;
    let mut equations = vec![factor];
    equations.extend_from_slice(constraints);
    let unknowns: Vec<Expr> = system.coordinates.iter().map(|c| c.x).collect();
    let periods = periods(pool, &equations, &unknowns);
    let mut region: Vec<(f64, f64)> = region.to_vec();
    for &(k, period) in &periods {
        let (lo, hi) = region[k];
        if hi - lo > period {
            region[k] = (-half_turn(period), half_turn(period));
        }
    }
    let found = Search {
        pool,
        unknowns: &unknowns,
        region: &region,
        periods: &periods,
        simple: Pool::simplify,
    }
    .run(equations);
    SingularPoints {
        points: found.points,
        periods,
        family: found.family,
        searched: true,
        proven: found.proven,
        undecided: found.undecided,
        complete: found.complete,
    }
}

/// Can this factor vanish at all, with the parameters as they are? (A sufficient test says no.)
pub fn can_vanish(system: &System, factor: Expr) -> bool {
    let pool = &system.pool;
    // an exponential has no zero, and a sign is zero only where the constraint has a kink
    if let Node::Apply(Function::Exp | Function::Cosh | Function::Sign, _) = &*pool.node(factor) {
        return false;
    }
    let mut fixed = fixed_values(system, 0.0);
    fixed.remove(&system.t);
    let e = pool.substitute(factor, &fixed);
    let everywhere = |e| pool.bounds(e, &|_| Interval::ALL);
    let range = everywhere(e);
    !(range.lo > 0.0 || range.hi < 0.0)
}

/// Is an expression zero everywhere with the parameters as they are?
pub fn vanishes_here(system: &System, e: Expr) -> bool {
    let pool = &system.pool;
    let mut fixed = fixed_values(system, 0.0);
    fixed.remove(&system.t);
    pool.is_zero(pool.substitute(e, &fixed)) == Some(true)
}

/// t and the parameters as exact numbers.
pub fn fixed_values(system: &System, t: f64) -> FxHashMap<Expr, Expr> {
    let pool = &system.pool;
    let exact = |v: f64| {
        let size = Number::parse(&format!("{}", v.abs())).or_else(|| Number::from_f64(v.abs()));
        let size = size.unwrap_or(Number::ZERO);
        pool.number(if v < 0.0 { size.neg() } else { size })
    };
    let mut map: FxHashMap<Expr, Expr> = system
        .parameters
        .iter()
        .map(|p| (p.symbol, exact(p.value)))
        .collect();
    map.insert(system.t, exact(t));
    map
}

/// Half a period and a little more, so that two of them hold every number of a whole one: half of the
/// nearest double to 2 pi is less than pi.
pub fn half_turn(period: f64) -> f64 {
    0.5 * period * (1.0 + 1e-12)
}

/// The unknowns that occur only in sin, cos and tan of rational multiples of themselves, with their period.
pub fn periods(pool: &Pool, equations: &[Expr], unknowns: &[Expr]) -> Vec<(usize, f64)> {
    let mut found = Vec::new();
    'unknown: for (k, &x) in unknowns.iter().enumerate() {
        let mut rates: Vec<Number> = Vec::new();
        let mut arguments: FxHashMap<Expr, Expr> = FxHashMap::default();
        let mut linear = true;
        pool.visit(equations, &mut |whole, node| {
            if let Node::Apply(Function::Sin | Function::Cos | Function::Tan, args) = node
                && pool.symbols_of(args[0]).contains(&x)
            {
                match pool.as_number(pool.derivative(args[0], x)) {
                    Some(rate) => rates.push(rate.abs()),
                    None => linear = false,
                }
                arguments.insert(whole, pool.zero());
            }
        });
        if rates.is_empty() || !linear {
            continue;
        }
        for &e in equations {
            let rest = pool.substitute(e, &arguments);
            if pool.symbols_of(rest).contains(&x) {
                continue 'unknown;
            }
        }
        let rate = rates.iter().fold(Number::ZERO, |g, r| g.content(r));
        if rate.is_positive() {
            found.push((k, TAU / rate.to_f64()));
        }
    }
    found
}

struct Search<'a> {
    pool: &'a Pool,
    unknowns: &'a [Expr],
    region: &'a [(f64, f64)],
    periods: &'a [(usize, f64)],
    /// How equations are simplified.
    simple: fn(&Pool, Expr) -> Expr,
}

impl Search<'_> {
    /// Solves what is linear in an unknown with a numeric coefficient: the equations left and the
    /// unknowns solved for, or `None` where an equation cannot hold.
    #[allow(clippy::type_complexity)] // equations, and pairs of an unknown and its value
    fn eliminate(&self, mut equations: Vec<Expr>) -> Option<(Vec<Expr>, Vec<(Expr, Expr)>)> {
        let pool = self.pool;
        let mut solved: Vec<(Expr, Expr)> = Vec::new();
        loop {
            for e in &mut equations {
                *e = (self.simple)(pool, *e);
            }
            equations.retain(|e| *e != pool.zero());
            if equations.iter().any(|e| pool.as_number(*e).is_some()) {
                return None;
            }
            let Some((place, unknown, value)) = self.linear(&equations) else {
                break;
            };
            equations.remove(place);
            let by = FxHashMap::from_iter([(unknown, value)]);
            for e in &mut equations {
                *e = pool.substitute(*e, &by);
            }
            for (_, old) in &mut solved {
                *old = pool.substitute(*old, &by);
            }
            solved.push((unknown, value));
        }
        Some((equations, solved))
    }

    fn run(&self, equations: Vec<Expr>) -> Found {
        let Some((equations, solved)) = self.eliminate(equations) else {
            return Found::nowhere();
        };
        let free: Vec<usize> = (0..self.unknowns.len())
            .filter(|&k| solved.iter().all(|(u, _)| *u != self.unknowns[k]))
            .collect();
        if free.len() == equations.len() {
            return self.square(&equations, &free, &solved);
        }
        let (empty, parts) = self.pave(&equations, &free);
        if empty {
            return Found::nowhere();
        }
        if free.len() > equations.len() {
            return Found {
                family: true,
                ..Found::default()
            };
        }
        self.estimated(&equations, &free, &solved, &parts)
    }

    /// As many equations as unknowns: branch and prune.
    fn square(&self, equations: &[Expr], free: &[usize], solved: &[(Expr, Expr)]) -> Found {
        if free.is_empty() {
            let points = self.complete(free, solved, vec![(Vec::new(), true)]);
            return Found::of(points, true);
        }
        let symbols: Vec<Expr> = free.iter().map(|&k| self.unknowns[k]).collect();
        let region: Vec<Interval> = free
            .iter()
            .map(|&k| Interval::new(self.region[k].0, self.region[k].1))
            .collect();
        let compiled = Equations::new(self.pool, &symbols, &[], equations);
        let found = roots(&compiled, &region, EFFORT);
        let of = |list: &Vec<Interval>| list.iter().map(|side| side.middle()).collect();
        let mut values: Vec<(Vec<f64>, bool)> =
            found.proven.iter().map(|root| (of(root), true)).collect();
        if !found.complete && found.proven.is_empty() || found.undecided.len() > MOST_POINTS {
            // most likely the points are not isolated, or the effort was too small
            let (_, parts) = self.pave(equations, free);
            return self.estimated(equations, free, solved, &parts);
        }
        // a point in each undecided box, not proven
        let parts: Vec<Vec<(f64, f64)>> = found
            .undecided
            .iter()
            .map(|part| part.iter().map(|side| (side.lo, side.hi)).collect())
            .collect();
        if !parts.is_empty() {
            let Some(touching) = self.newton(equations, free, &parts, false) else {
                return Found {
                    family: true,
                    ..Found::default()
                };
            };
            values.extend(touching.into_iter().map(|point| (point, false)));
        }
        let points = self.complete(free, solved, values);
        let undecided = parts
            .iter()
            .map(|part| self.all_sides(free, part))
            .collect();
        Found {
            undecided,
            ..Found::of(points, found.complete)
        }
    }

    /// A box in the unknowns left as one in all coordinates: those solved for have the whole region.
    fn all_sides(&self, free: &[usize], part: &[(f64, f64)]) -> Vec<(f64, f64)> {
        let mut sides = self.region.to_vec();
        for (&k, side) in free.iter().zip(part) {
            sides[k] = *side;
        }
        sides
    }

    /// Newton's method alone: nothing is proven.
    fn estimated(
        &self,
        equations: &[Expr],
        free: &[usize],
        solved: &[(Expr, Expr)],
        parts: &[Vec<(f64, f64)>],
    ) -> Found {
        let Some(found) = self.newton(equations, free, parts, true) else {
            return Found {
                family: true,
                ..Found::default()
            };
        };
        let values = found.into_iter().map(|point| (point, false)).collect();
        let points = self.complete(free, solved, values);
        // nothing found where nothing was excluded is no answer
        if points.is_empty() {
            return Found::default();
        }
        Found::of(points, false)
    }

    /// An equation that is linear in an unknown with a numeric coefficient.
    fn linear(&self, equations: &[Expr]) -> Option<(usize, Expr, Expr)> {
        let pool = self.pool;
        equations.iter().enumerate().find_map(|(i, &e)| {
            let inside = pool.symbols_of(e);
            let mut places: Vec<usize> = inside
                .iter()
                .filter_map(|x| match pool.symbol_kind(*x) {
                    Some(SymbolKind::Coordinate { index, order: 0 }) => Some(index),
                    _ => None,
                })
                .collect();
            places.sort_unstable();
            places.into_iter().find_map(|k| {
                let u = self.unknowns[k];
                let slope = pool.as_number((self.simple)(pool, pool.derivative(e, u)))?;
                let inverse = slope.recip()?.neg();
                let rest = pool.substitute(e, &FxHashMap::from_iter([(u, pool.zero())]));
                Some((i, u, pool.scale(rest, &inverse)))
            })
        })
    }

    /// Bisects the box; true where every part was excluded, else the parts that stayed.
    fn pave(&self, equations: &[Expr], free: &[usize]) -> (bool, Vec<Vec<(f64, f64)>>) {
        if free.is_empty() {
            return (false, vec![Vec::new()]);
        }
        let whole: Vec<(f64, f64)> = free.iter().map(|&k| self.region[k]).collect();
        let mut queue = std::collections::VecDeque::from([whole.clone()]);
        let mut examined = 0;
        let mut small = Vec::new();
        // in many dimensions bisection proves nothing in reasonable time
        let limit = match free.len() {
            0..=2 => BOXES,
            3..=4 => BOXES / 4,
            _ => 1,
        };
        while let Some(part) = queue.pop_front() {
            examined += 1;
            let possible = equations.iter().all(|&e| {
                let range = self.pool.bounds(e, &|kind| match kind {
                    SymbolKind::Coordinate { index, .. } => free
                        .iter()
                        .position(|&k| k == index)
                        .map_or(Interval::ALL, |p| Interval::new(part[p].0, part[p].1)),
                    _ => Interval::ALL,
                });
                range.contains(0.0)
            });
            if !possible {
                continue;
            }
            let widest = (0..part.len()).max_by(|&a, &b| {
                let share = |i: usize| (part[i].1 - part[i].0) / (whole[i].1 - whole[i].0);
                share(a).total_cmp(&share(b)).then(b.cmp(&a))
            });
            match widest {
                Some(i)
                    if examined < limit
                        && !cancelled()
                        && part[i].1 - part[i].0 > 1e-3 * (whole[i].1 - whole[i].0) =>
                {
                    // off the middle: zeros like to sit there
                    let cut = part[i].0 + 0.493 * (part[i].1 - part[i].0);
                    let (mut left, mut right) = (part.clone(), part);
                    left[i].1 = cut;
                    right[i].0 = cut;
                    queue.push_back(left);
                    queue.push_back(right);
                }
                _ => small.push(part),
            }
        }
        (small.is_empty(), small)
    }

    /// Newton's method (least squares, damped) from the parts that stayed, and where it is said from
    /// scattered points too; `None` where what it finds is not isolated.
    fn newton(
        &self,
        equations: &[Expr],
        free: &[usize],
        parts: &[Vec<(f64, f64)>],
        scatter: bool,
    ) -> Option<Vec<Vec<f64>>> {
        let pool = self.pool;
        let symbols: Vec<Expr> = free.iter().map(|&k| self.unknowns[k]).collect();
        let mut outputs = equations.to_vec();
        for &e in equations {
            outputs.extend(symbols.iter().map(|&s| pool.derivative(e, s)));
        }
        outputs.extend(equations.iter().map(|&e| pool.magnitude(e)));
        let system = Numeric {
            tape: Tape::new(pool, &symbols, &outputs),
            rows: equations.len(),
            columns: symbols.len(),
        };
        let widths: Vec<f64> = free
            .iter()
            .map(|&k| (self.region[k].1 - self.region[k].0).max(f64::MIN_POSITIVE))
            .collect();
        let mut found: Vec<Vec<f64>> = Vec::new();
        let mut loose = 0;
        let step = (parts.len() / STARTS).max(1);
        let starts = parts
            .iter()
            .step_by(step)
            .map(|part| part.iter().map(|(a, b)| a + 0.5 * (b - a)).collect())
            .chain(
                (0..if scatter && parts.len() < STARTS {
                    24
                } else {
                    0
                })
                    .map(|i| {
                        free.iter()
                            .enumerate()
                            .map(|(p, &k)| self.region[k].0 + scattered(i, p) * widths[p])
                            .collect()
                    }),
            );
        for start in starts.collect::<Vec<Vec<f64>>>() {
            if cancelled() {
                break;
            }
            let Some((point, isolated)) = system.solve(start, &widths) else {
                continue;
            };
            let known = found.iter().any(|other| {
                other
                    .iter()
                    .zip(&point)
                    .zip(&widths)
                    .all(|((a, b), w)| (a - b).abs() <= if isolated { SAME } else { 1e-4 } * w)
            });
            if known {
                continue;
            }
            loose += usize::from(!isolated);
            found.push(point);
            if found.len() > 4 * MOST_POINTS || loose > 8 {
                return None;
            }
        }
        Some(found)
    }

    /// Puts solved coordinates back, keeps what lies in the box, merges what repeats. Each point with whether
    /// it is proven.
    fn complete(
        &self,
        free: &[usize],
        solved: &[(Expr, Expr)],
        found: Vec<(Vec<f64>, bool)>,
    ) -> Vec<(Vec<f64>, bool)> {
        let mut points: Vec<(Vec<f64>, bool)> = Vec::new();
        let width = |k: usize| self.region[k].1 - self.region[k].0;
        for (values, proven) in found {
            let mut x = vec![0.0; self.unknowns.len()];
            for (&k, v) in free.iter().zip(&values) {
                x[k] = *v;
            }
            let known = x.clone();
            for (u, e) in solved {
                let value = self.pool.evaluate(*e, &|kind| match kind {
                    SymbolKind::Coordinate { index, .. } => known[index],
                    _ => f64::NAN,
                });
                if let Some(k) = self.unknowns.iter().position(|s| s == u) {
                    x[k] = value;
                }
            }
            for &(k, period) in self.periods {
                x[k] -= period * (x[k] / period).round();
                if x[k] <= -0.5 * period + 1e-9 * period {
                    x[k] += period;
                }
            }
            let inside = x.iter().enumerate().all(|(k, v)| {
                v.is_finite()
                    && *v >= self.region[k].0 - 1e-9 * width(k)
                    && *v <= self.region[k].1 + 1e-9 * width(k)
            });
            if !inside {
                continue;
            }
            for (k, v) in x.iter_mut().enumerate() {
                if v.abs() < 1e-14 * width(k) {
                    *v = 0.0;
                }
            }
            let same = |p: &Vec<f64>| {
                let pairs = p.iter().zip(&x).enumerate();
                pairs.into_iter().all(|(k, (a, b))| {
                    (a - b).abs() <= if proven { 1e-12 } else { SAME } * width(k)
                })
            };
            match points.iter_mut().find(|(p, _)| same(p)) {
                Some((_, known)) => *known |= proven,
                None => points.push((x, proven)),
            }
        }
        points.sort_by(|(a, _), (b, _)| {
            a.iter()
                .zip(b)
                .map(|(p, q)| p.total_cmp(q))
                .find(|o| o.is_ne())
                .unwrap_or(std::cmp::Ordering::Equal)
        });
        points
    }
}

/// A square or overdetermined system in numbers.
struct Numeric {
    tape: Tape,
    rows: usize,
    columns: usize,
}

impl Numeric {
    /// A root near `start` and whether it is isolated (full rank); `None` where the iteration does not end at one.
    fn solve(&self, start: Vec<f64>, widths: &[f64]) -> Option<(Vec<f64>, bool)> {
        if self.columns == 0 {
            return Some((start, true));
        }
        let mut work = Workspace::default();
        let out = RefCell::new(vec![0.0; self.tape.outputs()]);
        let newton = NewtonBack {
            widths,
            longest: 0.3,
            cut: 1e-10,
            steps: NEWTON_STEPS,
        };
        let look = |x: &[f64]| {
            let mut out = out.borrow_mut();
            self.tape.eval(x, &mut work, &mut out);
            let entries = &out[self.rows..];
            out.iter().all(|v| v.is_finite()).then(|| Look {
                residual: DVector::from_column_slice(&out[..self.rows]),
                gradients: DMatrix::from_fn(self.rows, self.columns, |i, j| {
                    entries[i * self.columns + j]
                }),
            })
        };
        let judge = |step: &Step<'_>| {
            let out = out.borrow();
            let scale = &out[self.rows * (1 + self.columns)..];
            // within rounding of the terms, or where a change of x by 1e-15 of the box makes it zero
            let within = |part: f64| {
                (0..self.rows).all(|i| {
                    step.residual[i].abs() <= part * scale[i].max(1e-300) + step.slopes[i] * 1e-15
                })
            };
            let done = within(1e-13);
            // steps halve at a multiple root; a plain one doubles its digits
            let rests = step.length < 1e-12 || step.length >= 0.5 * step.last;
            if !(done && rests || step.length < 1e-15) {
                Next::Go
            } else if done || within(1e-9) {
                Next::Here
            } else {
                Next::Lost
            }
        };
        let ended = newton.run(start, look, judge)?;
        Some((ended.x, ended.least > 1e-6))
    }
}
