//! Where a factor of the determinant meets the constraint set: the points of {factor = 0, f = c}.
//!
//! Equations that are linear in a coordinate with a numeric coefficient are solved for it and put
//! into the others; an equation that becomes a number other than 0 proves that there is no point.
//! As many equations as coordinates that are left are solved by branch and prune with interval
//! arithmetic ([`crate::interval::roots`]): each regular point is proven to exist and to be alone, and
//! where all of the box was looked at none is overlooked. What can be neither proven nor excluded there,
//! such as a point where factor and constraints touch, is an undecided box, in which Newton's method
//! looks for a point that is then listed as found, not proven. Equations of other numbers are searched
//! by bounds, which can prove that there is none, and by Newton's method; of fewer equations than unknowns a regular point
//! that is proven shows that the set is a manifold there.

mod evidence;

pub use evidence::{Dimension, Points, Proof, Scope, SingularPoint, SingularPoints, Whereabouts};

use super::elimination::{Elimination, Remainder};
use super::everywhere::{half_turn, periods};
use super::inverse::scattered;
use super::proof::is_inhabited;
use crate::expr::{Expr, Interval, Node, Pool, SymbolKind, Tape, Workspace, is_spent};
use crate::geometry::{Evaluation, NewtonBack, Next, Step};
use crate::interval::{
    Domain, Equations, Region, Scratch, as_box, box_of, ends, halved, lies_within, longest,
    middles, roots, share, widest,
};
use crate::system::System;
use nalgebra::{DMatrix, DVector};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::cmp::Ordering;

/// Instructions that branch and prune may cost.
const EFFORT: usize = 600_000;
/// Parts of expressions that may be bounded before Newton's method takes over,
const PAVING: usize = 1_500_000;
/// and boxes.
const BOXES: usize = 1_500;
/// Newton starts.
const STARTS: usize = 400;
/// Newton steps from a start: at a double root each halves the distance.
const NEWTON_STEPS: usize = 100;
/// More points than this are taken for a set that is not isolated.
const MOST_POINTS: usize = 64;
/// Where zeros are is told by boxes no wider than this part of the region.
const SMALL: f64 = 1e-3;
/// Points closer than this (relative to the box) are one.
const SAME: f64 = 1e-6;
/// As far about a point that Newton's method found there must be no pole, in parts of the region.
const ABOUT: f64 = 1e-9;
/// Systems of more coordinates than this are not searched for points: each factor is looked at
/// together with the constraints near it.
const SEARCHED_UP_TO: usize = 24;
/// As many constraints are near a factor.
const NEAR: usize = 6;

/// As many points as may be told; the longest lists are cut, and are then not all. None told where none was
/// proven to be nowhere.
fn listed(
    mut list: Vec<SingularPoint>,
    undecided: Vec<Vec<(f64, f64)>>,
    no_others: Option<Proof>,
) -> Whereabouts {
    if list.is_empty() && undecided.is_empty() {
        return no_others.map_or(Whereabouts::Unknown, |proof| {
            Whereabouts::Nowhere(proof, Scope::Box)
        });
    }
    let whole = list.len() <= MOST_POINTS;
    list.truncate(MOST_POINTS);
    Whereabouts::Points(Points {
        list,
        undecided,
        no_others: no_others.filter(|_| whole),
    })
}

/// Searches a box (lower and upper end a coordinate) at time t, factor by factor.
pub fn singular_points(
    system: &System,
    factors: &[Expr],
    t: f64,
    region: &[(f64, f64)],
) -> Vec<SingularPoints> {
    let pool = &system.pool;
    let region = box_of(region);
    let fixed = system.fixed_values(t, &[]);
    let constraints: Vec<Expr> = system.residuals().collect();
    let constraints = pool.substitute_all(&constraints, &fixed);
    let near = (system.coordinates.len() > SEARCHED_UP_TO)
        .then(|| Neighbours::new(system, &constraints, &region));
    factors
        .iter()
        .map(|&factor| {
            let factor = pool.substitute(factor, &fixed);
            match &near {
                Some(near) => near.look(factor),
                None => search(system, factor, &constraints, &region),
            }
        })
        .collect()
}

/// A large system: which constraints contain which coordinates.
struct Neighbours<'a> {
    pool: &'a Pool,
    unknowns: Vec<Expr>,
    constraints: &'a [Expr],
    region: &'a [Interval],
    /// the constraints that contain a coordinate
    holders: FxHashMap<Expr, Vec<usize>>,
}

impl<'a> Neighbours<'a> {
    fn new(system: &'a System, constraints: &'a [Expr], region: &'a [Interval]) -> Self {
        let pool = &system.pool;
        let mut holders: FxHashMap<Expr, Vec<usize>> = FxHashMap::default();
        for (b, &e) in constraints.iter().enumerate() {
            for &x in pool.symbols_of(e).iter() {
                holders.entry(x).or_default().push(b);
            }
        }
        Self {
            pool,
            unknowns: system.positions(),
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
        let search = SingularSearch {
            by: Elimination {
                pool: self.pool,
                unknowns: &self.unknowns,
                simple: Pool::reduced,
            },
            region: self.region,
            turned: &[],
        };
        let empty = search.by.run(equations).is_none_or(|mut left| {
            let equations = &left.equations;
            let inside = |x: Expr| {
                let mut all = equations.iter();
                all.any(|e| self.pool.symbols_of(*e).contains(&x))
            };
            left.free.retain(|k| inside(self.unknowns[*k]));
            search.pave(&left).is_empty()
        });
        let place = match Proof::where_true(empty) {
            Some(proof) => Whereabouts::Nowhere(proof, Scope::Box),
            None if self.unknowns.len() > self.constraints.len() + 1 => Whereabouts::Family(None),
            None => Whereabouts::NotSearched,
        };
        SingularPoints {
            place,
            periods: Vec::new(),
        }
    }
}

/// Searches a box for the points of one factor.
fn search(
    system: &System,
    factor: Expr,
    constraints: &[Expr],
    region: &[Interval],
) -> SingularPoints {
    let pool = &system.pool;
    let mut equations = vec![factor];
    if let Node::Apply(..) = &*pool.node(factor) {
        // a function of what is zero may be left that contradicts the level
        let zero = FxHashMap::from_iter([(factor, pool.zero())]);
        equations.extend(pool.substitute_all(constraints, &zero));
    } else {
        equations.extend_from_slice(constraints);
    }
    let unknowns: Vec<Expr> = system.positions();
    let periods = periods(pool, &equations, &unknowns);
    let mut region = region.to_vec();
    // a side that is longer than a turn holds every point up to turns
    let turned: Vec<(usize, f64)> = periods
        .iter()
        .copied()
        .filter(|&(k, period)| region[k].width() > period)
        .collect();
    for &(k, period) in &turned {
        region[k] = Interval::new(-half_turn(period), half_turn(period));
    }
    let search = SingularSearch {
        by: Elimination {
            pool,
            unknowns: &unknowns,
            simple: Pool::simplify,
        },
        region: &region,
        turned: &turned,
    };
    let mut place = search.run(equations.clone());
    if let Whereabouts::Points(points) = &mut place
        && points.list.iter().any(|point| point.certified.is_none())
    {
        search.keep_off_poles(&equations, points);
        if points.list.is_empty() && points.undecided.is_empty() {
            place = Whereabouts::Unknown;
        }
    }
    SingularPoints { place, periods }
}

struct SingularSearch<'a> {
    /// How unknowns are eliminated from the equations before.
    by: Elimination<'a>,
    region: &'a [Interval],
    /// coordinates of which one turn is searched, with their period
    turned: &'a [(usize, f64)],
}

impl SingularSearch<'_> {
    /// What Newton's method took for a zero beside a pole is none.
    fn keep_off_poles(&self, equations: &[Expr], points: &mut Points) {
        let compiled = Equations::new(self.by.pool, self.by.unknowns, &[], equations);
        let mut scratch = Scratch::default();
        points.list.retain(|point| {
            point.certified.is_some()
                || compiled.domain_round(&point.x, (self.region, ABOUT), &mut scratch)
                    < Domain::Pole
        });
    }

    fn run(&self, equations: Vec<Expr>) -> Whereabouts {
        let Some(left) = self.by.run(equations) else {
            return Whereabouts::Nowhere(Proof::given(), Scope::Everywhere);
        };
        if left.free.len() == left.equations.len() {
            return self.square(&left);
        }
        let parts = self.pave(&left);
        if let Some(proof) = Proof::where_true(parts.is_empty()) {
            return Whereabouts::Nowhere(proof, Scope::Box);
        }
        if left.free.len() > left.equations.len() {
            return Whereabouts::Family(self.dimension(&left, &parts));
        }
        self.estimated(&left, &parts)
    }

    /// The region of the unknowns left.
    fn sides(&self, left: &Remainder) -> Region {
        left.free.iter().map(|&k| self.region[k]).collect()
    }

    fn symbols(&self, left: &Remainder) -> Vec<Expr> {
        left.free.iter().map(|&k| self.by.unknowns[k]).collect()
    }

    /// As many equations as unknowns: branch and prune.
    fn square(&self, left: &Remainder) -> Whereabouts {
        if left.free.is_empty() {
            let points = self.complete(left, vec![(Vec::new(), Some(Proof::given()))]);
            return listed(points, Vec::new(), Some(Proof::given()));
        }
        let region = self.sides(left);
        let compiled = Equations::new(self.by.pool, &self.symbols(left), &[], &left.equations);
        let found = roots(&compiled, &region, EFFORT);
        let all = Proof::where_true(found.complete());
        let mut values: Vec<(Vec<f64>, Option<Proof>)> = found
            .proven
            .iter()
            .map(|root| (middles(root), Some(Proof::given())))
            .collect();
        if all.is_none() && found.proven.is_empty() || found.undecided.len() > MOST_POINTS {
            // most likely the points are not isolated, or the effort was too small
            return self.estimated(left, &self.pave(left));
        }
        // a point in each undecided box, not proven
        let parts = found.undecided;
        // that there are no others than in a box says where they are only if it is small
        let small = |part: &Region| longest(part, &region) <= SMALL;
        let all = all.filter(|_| parts.iter().all(small));
        if !parts.is_empty() {
            // a point about which nothing says that it is alone, in a box that runs on, is one of many
            let alone = |(point, isolated): &(Vec<f64>, bool)| {
                let holds = |part: &&Region| lies_within(&as_box(point), part);
                *isolated || parts.iter().filter(holds).all(small)
            };
            let touching = self.newton(left, &parts, false);
            let Some(touching) = touching.filter(|found| found.iter().all(alone)) else {
                return Whereabouts::Family(None);
            };
            values.extend(touching.into_iter().map(|(point, _)| (point, None)));
        }
        let undecided = parts.iter().map(|part| self.all_sides(left, part));
        listed(self.complete(left, values), undecided.collect(), all)
    }

    /// A box in the unknowns left as one in all coordinates: those solved for have the whole region.
    fn all_sides(&self, left: &Remainder, part: &[Interval]) -> Vec<(f64, f64)> {
        let mut sides = self.region.to_vec();
        for (&k, side) in left.free.iter().zip(part) {
            sides[k] = *side;
        }
        ends(&sides)
    }

    /// Newton's method alone: nothing is proven.
    fn estimated(&self, left: &Remainder, parts: &[Region]) -> Whereabouts {
        let Some(found) = self.newton(left, parts, true) else {
            return Whereabouts::Family(None);
        };
        let values = found.into_iter().map(|(point, _)| (point, None)).collect();
        // nothing found where nothing was excluded is no answer
        listed(self.complete(left, values), Vec::new(), None)
    }

    /// Bisects the box: the parts that were not excluded.
    fn pave(&self, remainder: &Remainder) -> Vec<Region> {
        let Remainder {
            equations, free, ..
        } = remainder;
        if free.is_empty() {
            return vec![Vec::new()];
        }
        let whole = self.sides(remainder);
        let cost = self.by.pool.length(equations);
        let mut queue = std::collections::VecDeque::from([whole.clone()]);
        let mut examined = 0;
        let mut left = PAVING;
        let mut small = Vec::new();
        // in many dimensions bisection proves nothing in reasonable time
        let limit = match free.len() {
            0..=2 => BOXES,
            3..=4 => BOXES / 4,
            _ => 1,
        };
        while let Some(part) = queue.pop_front() {
            examined += 1;
            left = left.saturating_sub(cost);
            let possible = equations.iter().all(|&e| {
                let range = self.by.pool.bounds(e, &|kind| match kind {
                    SymbolKind::Coordinate { index, .. } => free
                        .iter()
                        .position(|&k| k == index)
                        .map_or(Interval::ALL, |p| part[p]),
                    _ => Interval::ALL,
                });
                range.contains(0.0)
            });
            if !possible {
                continue;
            }
            let (side, length) = widest(part.iter().zip(&whole).map(|(p, q)| share(*p, *q)));
            let goes_on = examined < limit && left > 0 && !is_spent() && length > SMALL;
            let cut = if goes_on {
                halved(part, side)
            } else {
                Err(part)
            };
            match cut {
                Ok((low, high)) => queue.extend([low, high]),
                Err(part) => small.push(part),
            }
        }
        small
    }

    /// Newton's method (least squares, damped) from the parts that stayed, and where it is said from
    /// scattered points too, with whether the equations are independent there; `None` where what it finds is not isolated.
    fn newton(
        &self,
        left: &Remainder,
        parts: &[Region],
        scatter: bool,
    ) -> Option<Vec<(Vec<f64>, bool)>> {
        let (system, widths) = self.compiled(left);
        let mut found: Vec<(Vec<f64>, bool)> = Vec::new();
        let mut loose = 0;
        let middles = parts.iter().step_by((parts.len() / STARTS).max(1));
        let more = scatter && parts.len() < STARTS;
        let elsewhere = if more { 24 } else { 0 };
        for start in self.starts(left, middles, elsewhere) {
            if is_spent() {
                break;
            }
            let Some((point, isolated)) = system.solve(start, &widths) else {
                continue;
            };
            let known = found.iter().any(|(other, _)| {
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
            found.push((point, isolated));
            if found.len() > 4 * MOST_POINTS || loose > 8 {
                return None;
            }
        }
        Some(found)
    }

    /// The middles of parts, and so many scattered points.
    fn starts<'p>(
        &self,
        left: &Remainder,
        parts: impl Iterator<Item = &'p Region>,
        elsewhere: u64,
    ) -> Vec<Vec<f64>> {
        let elsewhere = (0..elsewhere).map(|i| {
            let sides = left.free.iter().enumerate();
            sides
                .map(|(p, &k)| self.region[k].lo + scattered(i, p) * self.width(k))
                .collect()
        });
        parts.map(|part| middles(part)).chain(elsewhere).collect()
    }

    /// How wide the region is along an unknown.
    fn width(&self, k: usize) -> f64 {
        self.region[k].width().max(f64::MIN_POSITIVE)
    }

    /// Of how many dimensions the zeros of fewer equations than unknowns are: Newton's method gives a point, and with
    /// all but as many unknowns as equations held there, intervals prove that there is a regular one next to it.
    fn dimension(&self, left: &Remainder, parts: &[Region]) -> Option<Dimension> {
        const TRIED: usize = 8;
        const NEXT_TO: f64 = 1e-6;
        let (numeric, widths) = self.compiled(left);
        let compiled = Equations::new(self.by.pool, &self.symbols(left), &[], &left.equations);
        let mut work = Scratch::default();
        let some = parts.iter().step_by((parts.len() / TRIED).max(1));
        let starts = self.starts(left, some.take(TRIED), TRIED as u64);
        let is_proven = starts.into_iter().any(|start| {
            let found = numeric.solve(start, &widths);
            found.is_some_and(|(point, _)| {
                let inside =
                    (left.free.iter().zip(&point)).all(|(&k, v)| self.region[k].contains(*v));
                let sides = point.iter().zip(&widths);
                let about = sides.map(|(v, w)| Interval::new(v - NEXT_TO * w, v + NEXT_TO * w));
                let about: Region = about.collect();
                let anywhere = vec![Interval::ALL; about.len()];
                inside && is_inhabited(&compiled, (&about, &anywhere), &mut work)
            })
        });
        Proof::where_true(is_proven).map(|proof| Dimension {
            of: left.free.len() - left.equations.len(),
            proof,
        })
    }

    /// Equations with their derivatives in numbers, and how wide the region is along each unknown.
    fn compiled(&self, left: &Remainder) -> (Numeric, Vec<f64>) {
        let (pool, equations) = (self.by.pool, &left.equations);
        let symbols = self.symbols(left);
        let mut outputs = equations.clone();
        for &e in equations {
            outputs.extend(symbols.iter().map(|&s| pool.derivative(e, s)));
        }
        outputs.extend(equations.iter().map(|&e| pool.magnitude(e)));
        let numeric = Numeric {
            tape: Tape::new(pool, &symbols, &outputs),
            rows: equations.len(),
            columns: symbols.len(),
        };
        let widths = left.free.iter().map(|&k| self.width(k));
        (numeric, widths.collect())
    }

    /// Puts solved coordinates back, keeps what lies in the box, merges what repeats. Each point with whether
    /// it is proven.
    fn complete(
        &self,
        Remainder { free, solved, .. }: &Remainder,
        found: Vec<(Vec<f64>, Option<Proof>)>,
    ) -> Vec<SingularPoint> {
        let mut points: Vec<SingularPoint> = Vec::new();
        let width = |k: usize| self.region[k].width();
        for (values, proven) in found {
            let mut x = vec![0.0; self.by.unknowns.len()];
            for (&k, v) in free.iter().zip(&values) {
                x[k] = *v;
            }
            let known = x.clone();
            for (u, e) in solved {
                let value = self.by.pool.evaluate(*e, &|kind| match kind {
                    SymbolKind::Coordinate { index, .. } => known[index],
                    _ => f64::NAN,
                });
                if let Some(k) = self.by.unknowns.iter().position(|s| s == u) {
                    x[k] = value;
                }
            }
            for &(k, period) in self.turned {
                x[k] -= period * (x[k] / period).round();
                // the two ends of a turn are one place, as near as it is known
                let end = if proven.is_some() { 1e-9 } else { SAME };
                if x[k] <= (end - 0.5) * period {
                    x[k] += period;
                }
            }
            let inside = x.iter().enumerate().all(|(k, v)| {
                v.is_finite()
                    && *v >= self.region[k].lo - 1e-9 * width(k)
                    && *v <= self.region[k].hi + 1e-9 * width(k)
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
                    (a - b).abs() <= if proven.is_some() { 1e-12 } else { SAME } * width(k)
                })
            };
            match points.iter_mut().find(|p| same(&p.x)) {
                Some(known) => known.certified = known.certified.or(proven),
                None => points.push(SingularPoint {
                    x,
                    certified: proven,
                }),
            }
        }
        points.sort_by(|a, b| a.x.partial_cmp(&b.x).unwrap_or(Ordering::Equal));
        points
    }
}

/// Equations in numbers.
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
            out.iter().all(|v| v.is_finite()).then(|| Evaluation {
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
        let is_clear = ended.least() > 1e-6;
        Some((ended.x, is_clear))
    }
}
