//! Where a system can stay: its equilibria in a box, with multipliers, reactions and stability.

mod met;
mod told;

use super::bounds::Enclosure;
use super::equations::Statics;
use super::flat::Symbols;
use super::numeric::{Numeric, Scales, Settled};
use super::relative::add_relative;
use super::search::{Outcome, Solution, Wanted, search};
use super::stability::Verdict;
use crate::expr::{Expr, Interval, cancelled};
use crate::interval;
use crate::mechanics::{Equations, Holonomy};
use crate::system::{Side, System};
use crate::theorem::{Theorem, fixed_values, periods};
use nalgebra::DVector;

/// Instructions that branch and prune may cost in all.
const EFFORT: usize = 60_000_000;
/// Systems of more unknowns than this are not searched by branch and prune, and of families one member
/// is told: equilibria are looked for downhill and by turning what is found.
const SEARCHED_UP_TO: usize = 45;
/// Systems of more unknowns than this are not searched at all.
const MOST_UNKNOWNS: usize = 400;
/// Found, not proven points closer than this part of the region are one.
const SAME: f64 = 1e-6;
/// Singular configurations closer than this are one.
const BLUR: f64 = 1e-4;
/// More equilibria are not told.
const MOST: usize = 256;
/// One-sided constraints of which every choice of acting ones is looked at.
const SIDES: usize = 3;
/// An angle's period is cut away from where equilibria like to be.
const CUT: f64 = 0.0137;
/// Undecided boxes that are told.
const UNDECIDED: usize = 64;
/// Half the width of the default box, in units of max(1, |x|).
const REACH: f64 = 10.0;

/// Of what equilibria are looked for.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The system.
    pub system: &'a System,
    /// Its equations.
    pub equations: &'a Equations,
    /// The theorem, prepared for it.
    pub theorem: &'a Theorem,
    /// Which velocity constraints are holonomic ones in disguise.
    pub holonomy: &'a [Holonomy],
    /// Of constraints that are redundant everywhere, a largest set that is independent.
    pub independent: Option<&'a [usize]>,
}

impl Subject<'_> {
    /// Do the constraints depend on time?
    pub(super) fn rheonomic(&self) -> bool {
        let zero = self.system.pool.zero();
        self.equations.f_t.iter().any(|e| *e != zero)
    }
}

/// Where and when.
#[derive(Clone, Debug)]
pub struct Around {
    /// The time.
    pub t: f64,
    /// What the default box lies round: 10 max(1, |x|) each way.
    pub centre: Vec<f64>,
    /// Ranges of coordinates that are given.
    pub region: Vec<(usize, f64, f64)>,
}

/// What the reader should know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Note {
    /// So many constraints are one-sided: only configurations in which all of them act were looked at.
    OneSided(usize),
    /// Only so many of those found are told, those of least potential.
    LowestOnly(usize),
    /// Some constraints are redundant; multipliers are those of least norm.
    Redundant,
    /// A system of so many unknowns is not searched.
    TooLarge(usize),
    /// A large system: looked for downhill and uphill and by turning what was found; there are others.
    Large,
}

/// An equilibrium.
#[derive(Clone, Debug)]
pub struct Equilibrium {
    /// The coordinates.
    pub x: Vec<f64>,
    /// One a constraint, d(-L)/dc, then one a velocity constraint.
    pub multipliers: Vec<f64>,
    /// R = J^T lambda + A^T mu.
    pub reaction: Vec<f64>,
    /// That it exists, and where; of a relative equilibrium, in the coordinates at rest. `None` where it was found by
    /// Newton's method only.
    pub proof: Option<Enclosure>,
    /// It does not stand alone: a direction in which equilibria go on.
    pub along: Option<Along>,
    /// One-sided constraints that do not act there.
    pub released: Vec<usize>,
    /// The coordinates that are at rest where the others are moved by constraints; `None` where all are.
    pub rests: Option<Vec<usize>>,
    /// What it is like; of the Lagrangian in the coordinates at rest where others move.
    pub verdict: Verdict,
}

impl Equilibrium {
    /// Is it proven to exist?
    pub fn certified(&self) -> bool {
        self.proof.is_some()
    }

    /// Are no others near? Proven where it is proven to exist; else none were met.
    pub fn stands_alone(&self) -> bool {
        let form = &self.verdict.form;
        form.stands_alone() || form.is_estimate() && self.along.is_none()
    }

    /// Is it proven to be one of a family?
    pub fn of_a_family(&self) -> bool {
        self.along.as_ref().is_some_and(Along::is_proven)
    }
}

/// A direction in which equilibria go on.
#[derive(Clone, Debug, PartialEq)]
pub struct Along {
    direction: Vec<f64>,
    proven: bool,
}

impl Along {
    /// Found by following solutions in numbers.
    pub(super) fn estimated(direction: Vec<f64>) -> Self {
        Self {
            direction,
            proven: false,
        }
    }

    /// The tangent of a set of solutions that is proven to be one.
    fn proven(direction: Vec<f64>) -> Self {
        Self {
            direction,
            proven: true,
        }
    }

    /// The direction of a coordinate that is in none of the equations.
    fn coordinate(k: usize, n: usize) -> Self {
        Self {
            direction: (0..n).map(|j| f64::from(u8::from(j == k))).collect(),
            proven: true,
        }
    }

    /// The same in other coordinates.
    pub(super) fn moved(&self, onto: impl Fn(&[f64]) -> Vec<f64>) -> Self {
        Self {
            direction: onto(&self.direction),
            proven: self.proven,
        }
    }

    /// The tangent of the family.
    pub fn direction(&self) -> &[f64] {
        &self.direction
    }

    /// Is it proven that there are others, as near as one likes? Else they were met by following them.
    pub fn is_proven(&self) -> bool {
        self.proven
    }
}

/// What a search has left over.
#[derive(Clone, Debug, Default)]
pub struct Left {
    undecided: Vec<Vec<(f64, f64)>>,
    unsearched: bool,
}

impl Left {
    /// Boxes that could not be decided, a range a coordinate.
    pub fn undecided(&self) -> &[Vec<(f64, f64)>] {
        &self.undecided
    }

    /// Is it proven that there is nothing besides what was found?
    pub fn is_nothing(&self) -> bool {
        self.undecided.is_empty() && !self.unsearched
    }
}

/// All that was found.
#[derive(Clone, Debug)]
pub struct Equilibria {
    /// In the order of their coordinates.
    pub list: Vec<Equilibrium>,
    /// Relative equilibria of a system whose constraints move: independent coordinates are at rest. That there are no
    /// others is not said.
    pub relative: Vec<Equilibrium>,
    /// What is left over of the box.
    pub left: Left,
    /// Places where the equations seemed to hold but L, f or a derivative of theirs is not defined, or not smooth: poles,
    /// edges and kinks. They are no equilibria.
    pub undefined: Vec<Vec<f64>>,
    /// Singular configurations that were met: the gradients of the constraints are dependent and no finite
    /// multipliers hold the forces.
    pub singular: Vec<Vec<f64>>,
    /// The box.
    pub region: Vec<(f64, f64)>,
    /// Coordinates that are angles, with their period.
    pub periods: Vec<(usize, f64)>,
    /// The time.
    pub t: f64,
    /// What the reader should know.
    pub notes: Vec<Note>,
}

impl Equilibria {
    /// Is it proven that there are no others in the box?
    pub fn complete(&self) -> bool {
        self.left.is_nothing()
    }
}

/// What all searches share.
struct Ground<'a> {
    subject: &'a Subject<'a>,
    statics: Statics,
    t: f64,
    /// the box as it was asked for
    asked: Vec<(f64, f64)>,
    /// a period of angles
    region: Vec<(f64, f64)>,
    periods: Vec<(usize, f64)>,
    usual: Vec<f64>,
    scales: Scales,
}

/// The constraints of a choice.
struct Acting<'a> {
    rows: &'a [usize],
    /// those that are independent of each other
    kept: &'a [usize],
    released: &'a [usize],
}

/// What is told of places.
#[derive(Default)]
struct Told {
    list: Vec<Equilibrium>,
    undefined: Vec<Vec<f64>>,
    complete: bool,
}

/// A place where the equations hold.
struct Place {
    settled: Settled,
    sides: Option<Vec<Interval>>,
    proven: bool,
    along: Option<Along>,
    /// coordinates in none of the equations
    free: Vec<usize>,
    /// the set of equilibria that it is proven to lie on has so many dimensions
    dimension: usize,
    /// coordinates whose exact value is known
    exact: Vec<Option<Expr>>,
}

/// The equilibria at one time in a box. Called off (see [`cancelled`]) it gives what it has, and says that this is
/// not all.
pub fn equilibria(subject: &Subject, around: &Around) -> Equilibria {
    let system = subject.system;
    let n = system.coordinates.len();
    let (t, centre) = (around.t, &around.centre);
    // parts of a large system go as far as its ends are apart
    let large = n + system.constraints.len() > SEARCHED_UP_TO;
    let most = centre.iter().fold(1.0_f64, |most, x| most.max(x.abs()));
    let mut asked: Vec<(f64, f64)> = centre
        .iter()
        .map(|x| {
            let size = if large { most } else { x.abs().max(1.0) };
            let reach = REACH * size;
            (x - reach, x + reach)
        })
        .collect();
    for &(k, lo, hi) in &around.region {
        asked[k] = (lo, hi);
    }
    let statics = Statics::new(system, subject.equations);
    let all: Vec<usize> = (0..statics.gradients.len()).collect();
    let equations = static_equations(system, &statics, &all, t);
    let x: Vec<Expr> = system.coordinates.iter().map(|c| c.x).collect();
    let periods = periods(&system.pool, &equations, &x);
    let mut region = asked.clone();
    for &(k, period) in &periods {
        let (lo, hi) = asked[k];
        if hi - lo > period * (1.0 + 1e-9) {
            let start = -(0.5 + CUT) * period;
            region[k] = (start, start + period * (1.0 + 1e-9));
        }
    }
    let width = DVector::from_fn(n, |k, _| (region[k].1 - region[k].0).max(f64::MIN_POSITIVE));
    let ground = Ground {
        subject,
        statics,
        t,
        asked,
        region,
        periods,
        usual: centre.clone(),
        scales: Scales { width },
    };
    let mut found = ground.all();
    add_relative(subject, &mut found);
    found
}

/// f - c and S - J^T lambda for these constraints, with numbers for parameters and time.
fn static_equations(system: &System, statics: &Statics, rows: &[usize], t: f64) -> Vec<Expr> {
    let pool = &system.pool;
    let mut list: Vec<Expr> = rows
        .iter()
        .map(|&b| match system.constraints.get(b) {
            Some(c) => pool.sub(c.f, c.c),
            None => statics.f_t[b],
        })
        .filter(|e| *e != pool.zero())
        .collect();
    let multipliers: Vec<Expr> = system.multipliers().collect();
    for (k, &s) in statics.force.iter().enumerate() {
        let pushed = rows.iter().map(|&b| {
            let push = pool.mul(multipliers[b], statics.gradients[b][k]);
            pool.neg(push)
        });
        list.push(pool.sum(pushed.chain([s]).collect::<Vec<_>>()));
    }
    pool.substitute_all(&list, &fixed_values(system, t))
}

impl Ground<'_> {
    fn all(self) -> Equilibria {
        let system = self.subject.system;
        let m = system.constraints.len();
        let sided: Vec<usize> = (0..m)
            .filter(|b| system.constraints[*b].side == Some(Side::AtLeast))
            .collect();
        let mut notes = Vec::new();
        let choices = if sided.len() <= SIDES {
            1_usize << sided.len()
        } else {
            notes.push(Note::OneSided(sided.len()));
            1
        };
        let mut left = Left {
            unsearched: choices == 1 && !sided.is_empty(),
            ..Left::default()
        };
        let mut list: Vec<Equilibrium> = Vec::new();
        let mut singular: Vec<Vec<f64>> = Vec::new();
        let mut undefined: Vec<Vec<f64>> = Vec::new();
        for choice in 0..choices {
            if cancelled() {
                left.unsearched = true;
                break;
            }
            let released: Vec<usize> = sided
                .iter()
                .enumerate()
                .filter(|(place, _)| choice >> place & 1 == 1)
                .map(|(_, b)| *b)
                .collect();
            let rows: Vec<usize> = (0..self.statics.gradients.len())
                .filter(|b| !released.contains(b))
                .collect();
            let part = self.acting(&rows, &released, EFFORT / choices, &mut notes);
            left.unsearched |= part.left.unsearched;
            left.undecided.extend(part.left.undecided);
            for x in part.singular {
                self.keep_apart(&mut singular, x);
            }
            for x in part.undefined {
                self.keep_apart(&mut undefined, x);
            }
            list.extend(part.list);
        }
        if list.len() > MOST {
            // those that are kept: the lowest
            list.sort_by(|a, b| a.verdict.potential.total_cmp(&b.verdict.potential));
            list.truncate(MOST);
            left.unsearched = true;
            notes.push(Note::LowestOnly(MOST));
        }
        list.sort_by(|a, b| {
            let mut orders = a.x.iter().zip(&b.x).map(|(p, q)| p.total_cmp(q));
            orders
                .find(|o| o.is_ne())
                .unwrap_or(std::cmp::Ordering::Equal)
        });
        left.unsearched |= left.undecided.len() > UNDECIDED;
        left.undecided.truncate(UNDECIDED);
        for places in [&mut singular, &mut undefined] {
            places.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
        }
        Equilibria {
            list,
            relative: Vec::new(),
            left,
            undefined,
            singular,
            region: self.asked,
            periods: self.periods,
            t: self.t,
            notes,
        }
    }

    /// The equilibria with these constraints acting and those released.
    fn acting(
        &self,
        rows: &[usize],
        released: &[usize],
        effort: usize,
        notes: &mut Vec<Note>,
    ) -> Equilibria {
        let system = self.subject.system;
        let mut kept = rows.to_vec();
        let mut complete = true;
        if let Some(independent) = self.subject.independent {
            kept.retain(|b| *b >= system.constraints.len() || independent.contains(b));
            complete = false;
            if !notes.contains(&Note::Redundant) {
                notes.push(Note::Redundant);
            }
        }
        let size = system.coordinates.len() + kept.len();
        let found = if size <= SEARCHED_UP_TO {
            self.search(&kept, &[], effort)
        } else {
            Outcome::default()
        };
        if size > MOST_UNKNOWNS {
            notes.push(Note::TooLarge(size));
        }
        let numeric = Numeric::new(system, &self.statics, &kept, self.t);
        let whole = Numeric::new(system, &self.statics, rows, self.t);
        complete &= found.complete && found.undecided.is_empty();
        let mut places = self.proven(&numeric, &found, kept.len());
        let mut singular = Vec::new();
        if size > SEARCHED_UP_TO {
            complete = false;
            if size <= MOST_UNKNOWNS && !notes.contains(&Note::Large) {
                notes.push(Note::Large);
            }
            singular = self.downhill(&numeric, &kept, &mut places);
        } else if !complete || !found.undecided.is_empty() {
            singular = self.many_starts(&numeric, &found, kept.len(), &mut places);
        }
        if size <= SEARCHED_UP_TO
            && self.subject.rheonomic()
            && places.iter().any(|p| p.along.is_some())
        {
            self.staying(&numeric, &kept, effort / 4, &mut places);
        }
        let acting = Acting {
            rows,
            kept: &kept,
            released,
        };
        let told = self.told(&whole, &acting, places);
        complete &= told.complete;
        Equilibria {
            list: told.list,
            relative: Vec::new(),
            left: Left {
                undecided: found
                    .undecided
                    .iter()
                    .map(|part| part.iter().map(|side| (side.lo, side.hi)).collect())
                    .collect(),
                unsearched: !complete,
            },
            undefined: told.undefined,
            singular,
            region: Vec::new(),
            periods: Vec::new(),
            t: self.t,
            notes: Vec::new(),
        }
    }

    /// The equations of these constraints with numbers for parameters and time.
    fn symbols(&self, rows: &[usize]) -> Symbols<'_> {
        let system = self.subject.system;
        let pool = &system.pool;
        let mut fixed = fixed_values(system, self.t);
        let computed = system.parameters.iter().filter(|p| !is_typed(p.value));
        let rounded: Vec<(Expr, Interval)> = computed
            .map(|p| (p.symbol, Interval::nearest(p.value)))
            .collect();
        for (symbol, _) in &rounded {
            fixed.remove(symbol);
        }
        let all: Vec<Expr> = system.multipliers().collect();
        let levels: Vec<Expr> = rows
            .iter()
            .map(|b| match system.constraints.get(*b) {
                Some(c) => pool.sub(c.f, c.c),
                None => self.statics.f_t[*b],
            })
            .collect();
        let held = system.constraints.len();
        Symbols {
            pool,
            x: system.coordinates.iter().map(|c| c.x).collect(),
            multipliers: rows.iter().map(|b| all[*b]).collect(),
            levels: pool.substitute_all(&levels, &fixed),
            holonomic: rows.iter().filter(|b| **b < held).count(),
            force: pool.substitute_all(&self.statics.force, &fixed),
            gradients: rows
                .iter()
                .map(|b| pool.substitute_all(&self.statics.gradients[*b], &fixed))
                .collect(),
            rounded,
        }
    }

    /// A solution of branch and prune.
    fn place_of(&self, solution: &Solution, lambda: &DVector<f64>) -> Place {
        let turned = self.turned(solution);
        let same = |k: usize| turned[k] == solution.x[k];
        Place {
            settled: Settled {
                correction: turned.iter().map(|side| 0.5 * side.width()).collect(),
                x: turned.iter().map(|side| side.middle()).collect(),
                lambda: lambda.clone(),
            },
            exact: (0..turned.len())
                .map(|k| solution.exact[k].filter(|_| same(k)))
                .collect(),
            sides: Some(turned),
            proven: solution.proven,
            along: None,
            free: solution.any.clone(),
            dimension: solution.any.len() + solution.dimension,
        }
    }

    /// Of a family in a system that moves, those that can stay: f_t = 0 and f_tt = 0 besides. They are
    /// entries of their own.
    fn staying(&self, numeric: &Numeric, rows: &[usize], effort: usize, places: &mut Vec<Place>) {
        let system = self.subject.system;
        let zero = system.pool.zero();
        let moving: Vec<Expr> = rows
            .iter()
            .flat_map(|&b| [self.statics.f_t[b], self.statics.f_tt[b]])
            .filter(|e| *e != zero)
            .collect();
        let moving = system
            .pool
            .substitute_all(&moving, &fixed_values(system, self.t));
        let found = self.search(rows, &moving, effort);
        for solution in found.solutions.iter().filter(|s| s.any.is_empty()) {
            let mut place = self.place_of(solution, &DVector::zeros(0));
            let known = |p: &Place| self.distance(&p.settled.x, &place.settled.x) <= SAME;
            places.retain(|p| p.along.is_none() || !known(p));
            if places.iter().any(known) {
                continue;
            }
            let local = numeric.at(&place.settled.x, rows.len());
            place.settled.lambda = local.multipliers(&self.scales);
            places.push(place);
        }
    }

    /// The equations in coordinates and multipliers.
    fn over_boxes(&self, rows: &[usize]) -> interval::Equations {
        let system = self.subject.system;
        let all: Vec<Expr> = system.multipliers().collect();
        let x = system.coordinates.iter().map(|c| c.x);
        let unknowns: Vec<Expr> = x.chain(rows.iter().map(|b| all[*b])).collect();
        let equations = static_equations(system, &self.statics, rows, self.t);
        interval::Equations::new(&system.pool, &unknowns, &[], &equations)
    }

    /// Branch and prune for these constraints, with `more` equations besides.
    fn search(&self, rows: &[usize], more: &[Expr], effort: usize) -> Outcome {
        let region: Vec<Interval> = self
            .region
            .iter()
            .map(|(lo, hi)| Interval::new(*lo, *hi))
            .collect();
        let system = self.subject.system;
        let pool = &system.pool;
        let x: Vec<Expr> = system.coordinates.iter().map(|c| c.x).collect();
        let of_all: Vec<Expr> = system.multipliers().collect();
        let multipliers: Vec<Expr> = rows.iter().map(|&b| of_all[b]).collect();
        let mut equations = static_equations(system, &self.statics, rows, self.t);
        equations.extend_from_slice(more);
        pool.within(FOR_CASES, || {
            search(&Wanted {
                pool,
                x: &x,
                multipliers: &multipliers,
                equations: &equations,
                region: &region,
                usual: &self.usual,
                effort,
            })
        })
    }

    /// The solutions of branch and prune, each once, angles within one period.
    fn proven(&self, numeric: &Numeric, found: &Outcome, m: usize) -> Vec<Place> {
        let mut places: Vec<Place> = Vec::new();
        for solution in &found.solutions {
            let turned = self.turned(solution);
            let same = |other: &Place| {
                let sides = other.sides.as_ref();
                sides.is_some_and(|sides| {
                    sides.iter().zip(&turned).enumerate().all(|(k, (a, b))| {
                        let slack = 1e-13 * a.magnitude().max(self.period(k).unwrap_or(0.0));
                        let apart = a.lo.max(b.lo) - a.hi.min(b.hi);
                        let free = solution.any.contains(&k);
                        free || apart <= slack
                            || self.period(k).is_some_and(|p| {
                                ((a.middle() - b.middle()).abs() - p).abs()
                                    <= slack + a.width() + b.width()
                            })
                    })
                })
            };
            if let Some(known) = places.iter_mut().find(|p| same(p)) {
                known.proven |= solution.proven;
                let dimension = solution.any.len() + solution.dimension;
                if dimension > known.dimension {
                    known.dimension = dimension;
                    known.along = known.along.take().map(|a| Along::proven(a.direction));
                }
                continue;
            }
            let mut place = self.place_of(solution, &DVector::zeros(0));
            place.settled.lambda = numeric.at(&place.settled.x, m).multipliers(&self.scales);
            let direction = numeric.family(&place.settled, &self.scales);
            place.along = match (direction, solution.any.first()) {
                (_, Some(&k)) => Some(Along::coordinate(k, place.settled.x.len())),
                (Some(direction), None) => {
                    let direction = unit_vector(&direction);
                    Some(if place.dimension > 0 {
                        Along::proven(direction)
                    } else {
                        Along::estimated(direction)
                    })
                }
                (None, None) => None,
            };
            if place.along.is_some() && self.joins(numeric, &place.settled, &places) {
                continue;
            }
            places.push(place);
        }
        places
    }

    /// Does a member of a family belong to one that is known?
    fn joins(&self, numeric: &Numeric, settled: &Settled, places: &[Place]) -> bool {
        let mut members = places.iter().filter(|p| p.along.is_some());
        members.any(|p| numeric.are_joined(settled, &p.settled.x, &self.scales))
    }

    fn period(&self, k: usize) -> Option<f64> {
        let angle = self.periods.iter().find(|(angle, _)| *angle == k);
        angle.map(|(_, period)| *period)
    }

    /// By how much an angle is turned to stand between minus and plus half a period, or in the box.
    fn turns(&self, k: usize, v: f64) -> f64 {
        let Some(period) = self.period(k) else {
            return 0.0;
        };
        let (lo, hi) = self.asked[k];
        let slack = 1e-9 * period;
        let mut turns = -(v / period - 1e-9).round();
        let at = |turns: f64| v + turns * period;
        if at(turns) < lo - slack {
            turns += ((lo - slack - at(turns)) / period).ceil();
        } else if at(turns) > hi + slack {
            turns -= ((at(turns) - hi - slack) / period).ceil();
        }
        turns * period
    }

    fn turned(&self, solution: &Solution) -> Vec<Interval> {
        let sides = solution.x.iter().enumerate();
        sides
            .map(|(k, side)| {
                let by = self.turns(k, side.middle());
                if by == 0.0 {
                    *side
                } else {
                    side.add(Interval::nearest(by))
                }
            })
            .collect()
    }

    /// The distance of two points in parts of the region.
    fn distance(&self, a: &[f64], b: &[f64]) -> f64 {
        let parts = a.iter().zip(b).enumerate().map(|(k, (p, q))| {
            let mut apart = (p - q).abs();
            if let Some(period) = self.period(k) {
                apart -= period * (apart / period).round();
            }
            apart.abs() / self.scales.width[k]
        });
        parts.fold(0.0, f64::max)
    }

    /// Keeps a point that is none of those kept.
    fn keep_apart(&self, kept: &mut Vec<Vec<f64>>, x: Vec<f64>) {
        if kept.len() < UNDECIDED && kept.iter().all(|other| self.distance(other, &x) > BLUR) {
            kept.push(x);
        }
    }
}

/// What simplifying and factoring the equations may cost.
const FOR_CASES: u64 = 4_000_000;

/// Is a number one that somebody has written: of few digits? What was computed from others, such as sqrt(g/l), has as many
/// as fit, and is not exactly what it stands for.
fn is_typed(v: f64) -> bool {
    const DIGITS: usize = 13;
    let text = format!("{v:e}");
    let mantissa = text.split('e').next().unwrap_or_default();
    mantissa.bytes().filter(u8::is_ascii_digit).count() <= DIGITS
}

/// A zero has no sign.
fn clean(v: f64) -> f64 {
    if v == 0.0 { 0.0 } else { v }
}

fn unit_vector(direction: &DVector<f64>) -> Vec<f64> {
    let unit = direction.normalize();
    let largest = unit.iter().fold(
        0.0_f64,
        |top, v| {
            if v.abs() > top.abs() + 1e-9 { *v } else { top }
        },
    );
    unit.iter()
        .map(|v| {
            let v = v * largest.signum();
            if v.abs() < 1e-12 { 0.0 } else { v }
        })
        .collect()
}
