//! Where a system can stay: its equilibria in a box, with multipliers, reactions and stability.

use super::bounds::{Bounds, Enclosure};
use super::equations::Statics;
use super::flat::{Point, Symbols};
use super::guess::{guesses, plainest};
use super::numeric::{Numeric, Scales, Settled};
use super::relative::add_relative;
use super::relax::Way;
use super::search::{Outcome, Solution, Wanted, search};
use super::stability::{Candidate, Site, Verdict, judge};
use super::value::{Field, Value};
use crate::expr::{Expr, Interval, cancelled};
use crate::geometry::LeastSquares;
use crate::interval::{self, Scratch};
use crate::mechanics::{Equations, Holonomy};
use crate::system::{Side, System};
use crate::theorem::{Theorem, fixed_values, periods, scattered};
use nalgebra::DVector;
use std::cell::OnceCell;

/// Instructions that branch and prune may cost in all.
const EFFORT: usize = 60_000_000;
/// Work of Newton's method from many starts: starts times the cube of the unknowns.
const STARTS_WORK: usize = 20_000_000;
/// Systems of more unknowns than this are not searched by branch and prune, and of families one member
/// is told: equilibria are looked for downhill and by turning what is found.
const SEARCHED_UP_TO: usize = 45;
/// Systems of more unknowns than this are not searched at all.
const MOST_UNKNOWNS: usize = 400;
/// Work of judging what is found in a large system: equilibria times the cube of the unknowns.
const JUDGED_WORK: usize = 60_000_000;
/// Newton starts at most.
const STARTS: usize = 400;
/// Found, not proven points closer than this part of the region are one.
const SAME: f64 = 1e-6;
/// Singular configurations closer than this are one.
const BLUR: f64 = 1e-4;
/// More equilibria are not told.
const MOST: usize = 256;
/// After as many members of families no more are looked for.
const LOOSE: usize = 12;
/// One-sided constraints of which every choice of acting ones is looked at.
const SIDES: usize = 3;
/// An angle's period is cut away from where equilibria like to be.
const CUT: f64 = 0.0137;
/// Places found by Newton's method and not proven that are looked at more closely.
const DOUBTED: usize = 16;
/// Boxes looked at to show that one of them is none.
const LOOKED: usize = 200;
/// Proven points closer than this part of the region are one found twice.
const TWICE: f64 = 1e-12;
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

    /// Which of these places are equilibria, and what they are like.
    fn told(&self, whole: &Numeric, acting: &Acting, places: Vec<Place>) -> Told {
        let system = self.subject.system;
        let (rows, kept) = (acting.rows, acting.kept);
        let small = system.coordinates.len() + kept.len() <= SEARCHED_UP_TO;
        let mut dropped = rows.iter().filter(|b| !kept.contains(b));
        let independent = dropped.all(|b| follows_from(system, &self.statics, *b, kept));
        let bounds = Bounds::new(system, &self.statics, kept, self.t);
        let symbols = self.symbols(kept);
        let site = Site {
            system,
            statics: &self.statics,
            t: self.t,
            bounds: &bounds,
            symbols: &symbols,
        };
        let mut told = Told {
            complete: true,
            ..Told::default()
        };
        let mut doubted = 0;
        let equations = OnceCell::new();
        let everywhere =
            symbols.is_without_force() && rows.iter().all(|b| *b < system.constraints.len());
        for mut place in places {
            if cancelled() {
                told.complete = false;
                break;
            }
            if everywhere {
                place.dimension = system.coordinates.len() - kept.len().min(place.settled.x.len());
                place.along = place.along.map(|a| Along::proven(a.direction));
            }
            if !bounds.is_smooth(&self.around(&place)) {
                self.keep_apart(&mut told.undefined, place.settled.x);
                continue;
            }
            let shown = if independent {
                self.shown(&site, &mut place)
            } else {
                None
            };
            if shown.is_none() && !place.proven && independent && small {
                doubted += 1;
                let equations = equations.get_or_init(|| self.over_boxes(kept));
                if doubted <= DOUBTED && self.is_none(equations, &place) {
                    continue;
                }
            }
            let lambda = whole
                .at(&place.settled.x, rows.len())
                .multipliers(&self.scales);
            if shown.is_none() && !whole.holds(&place.settled.x, &lambda, &self.scales) {
                // a proven solution may miss this test only where numbers are badly scaled
                if place.proven && independent {
                    told.complete = false;
                }
                continue;
            }
            let twice =
                |e: &Equilibrium| e.certified() && self.distance(&e.x, &place.settled.x) <= TWICE;
            if shown.is_some() && told.list.iter().any(twice) {
                continue;
            }
            if self.is_allowed(rows, acting.released, &place, &lambda) {
                let e = self.judged(whole, &site, (place, shown), &lambda, acting);
                told.list.push(e);
            }
        }
        told
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

    /// A box round a place, as large as it may be off.
    fn around(&self, place: &Place) -> Vec<Interval> {
        let x = &place.settled.x;
        let side = |k: usize| {
            if let (Some(sides), true) = (&place.sides, place.proven) {
                return sides[k];
            }
            let reach = 10.0 * place.settled.correction[k].abs() + 1e-9 * self.scales.width[k];
            Interval::new(x[k] - reach, x[k] + reach)
        };
        (0..x.len()).map(side).collect()
    }

    /// The proof that a place is an equilibrium, with what is known of it exactly.
    fn shown(&self, site: &Site, place: &mut Place) -> Option<(Enclosure, Option<Point>)> {
        let settled = &place.settled;
        let n = settled.x.len();
        if let Some(found) = site.bounds.prove(&settled.x, &settled.lambda)
            && (0..n).all(|k| {
                let apart = (found.x()[k].middle() - settled.x[k]).abs();
                apart <= SAME * self.scales.width[k]
            })
        {
            return Some((found, None));
        }
        if n + settled.lambda.len() > SEARCHED_UP_TO {
            return None;
        }
        let reach: Vec<f64> = (0..n)
            .map(|k| settled.correction[k].abs() + 1e-12 * self.scales.width[k])
            .collect();
        for guess in guesses(
            Field {
                pool: site.symbols.pool,
            },
            &settled.x,
            &reach,
        ) {
            if let Some((found, point)) = site.bounds.exact(site.symbols, guess) {
                place.settled.x = point.x.iter().map(|v| v.range().middle()).collect();
                return Some((found, Some(point)));
            }
        }
        let sides = place.sides.as_ref().filter(|_| place.proven)?;
        let field = Field {
            pool: site.symbols.pool,
        };
        let values = sides
            .iter()
            .zip(&place.exact)
            .map(|(side, exact)| match exact {
                Some(e) => field.constant(*e),
                None if side.lo == side.hi => match crate::expr::Number::from_f64(side.lo) {
                    Some(n) => Value::Number(n),
                    None => Value::Range(*side),
                },
                None => Value::Range(*side),
            });
        let point = site
            .symbols
            .solved(values.collect())
            .map(|(point, _)| point);
        Some((site.bounds.completed(sides)?, point))
    }

    /// Is it shown by interval arithmetic that there is no equilibrium near a place that Newton's method found, whatever the
    /// multipliers?
    fn is_none(&self, equations: &interval::Equations, place: &Place) -> bool {
        let n = self.region.len();
        let mut start: Vec<Interval> = (0..n)
            .map(|k| {
                let reach = 100.0 * place.settled.correction[k].abs() + 1e-7 * self.scales.width[k];
                let x = place.settled.x[k];
                Interval::new(x - reach, x + reach)
            })
            .collect();
        start.resize(equations.variables(), Interval::ALL);
        let mut work = Scratch::default();
        let mut queue = vec![start];
        let mut looked = 0;
        while let Some(mut part) = queue.pop() {
            looked += 1;
            if looked > LOOKED {
                return false;
            }
            if !equations.contract(&mut part, &mut work) {
                continue;
            }
            let longest = (0..n).max_by(|a, b| {
                let size = |k: &usize| part[*k].width() / self.scales.width[*k];
                size(a).total_cmp(&size(b))
            });
            let Some(Ok((low, high))) = longest.map(|k| interval::halved(part, k)) else {
                return false;
            };
            queue.extend([low, high]);
        }
        true
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

    /// A solution with its stability.
    fn judged(
        &self,
        whole: &Numeric,
        site: &Site,
        (place, shown): (Place, Option<(Enclosure, Option<Point>)>),
        lambda: &DVector<f64>,
        acting: &Acting,
    ) -> Equilibrium {
        let x = &place.settled.x;
        let rows = acting.rows;
        let reach: Vec<f64> = (0..x.len())
            .map(|k| {
                let of_side = place.sides.as_ref().map_or(0.0, |s| s[k].width());
                let ulps = 4.0 * f64::EPSILON * x[k].abs();
                place.settled.correction[k].abs().max(of_side).max(ulps)
            })
            .collect();
        let holonomy = self.subject.holonomy;
        let (proof, point) = match shown {
            Some((proof, point)) => (Some(proof), point),
            None => (None, None),
        };
        let candidate = Candidate {
            proof: proof.as_ref(),
            point: point.as_ref(),
            x,
            reach: &reach,
            lambda,
            width: &self.scales.width,
            rows,
            rank: acting.kept.len(),
            family: place.dimension,
            leaves: holonomy.iter().all(|h| *h != Holonomy::Unknown),
        };
        let at = |x: &[f64]| whole.at(x, rows.len());
        let verdict = judge(site, &candidate, &at);
        let pushed = at(x).jacobian.transpose() * lambda;
        let mut multipliers = vec![0.0; self.statics.gradients.len()];
        for (&b, l) in rows.iter().zip(lambda.iter()) {
            multipliers[b] = clean(*l);
        }
        // a solution that is alone in a box goes on nowhere
        let along = match (&place.along, place.free.first()) {
            (_, Some(&k)) if proof.is_some() => Some(Along::coordinate(k, x.len())),
            // of dependent gradients only the multipliers may go on
            (Some(along), _) if verdict.form.is_estimate() => {
                Some(Along::estimated(along.direction.clone()))
            }
            (along, _) if !verdict.form.stands_alone() => along.clone(),
            _ => None,
        };
        Equilibrium {
            x: x.iter().map(|v| clean(*v)).collect(),
            multipliers,
            reaction: pushed.iter().map(|v| clean(*v)).collect(),
            proof,
            along,
            released: acting.released.to_vec(),
            rests: None,
            verdict,
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

    /// Newton's method from the undecided boxes, the start and scattered points. The singular configurations
    /// to which it came are given.
    fn many_starts(
        &self,
        numeric: &Numeric,
        found: &Outcome,
        m: usize,
        places: &mut Vec<Place>,
    ) -> Vec<Vec<f64>> {
        let mut singular = Vec::new();
        let n = self.region.len();
        let count = (STARTS_WORK / (n + m).pow(3).max(1)).min(STARTS);
        let middles = found
            .undecided
            .iter()
            .take(count)
            .map(|part| part.iter().map(|side| side.middle()).collect::<Vec<f64>>());
        let scatter = (0..count as u64).map(|index| {
            (0..n)
                .map(|k| {
                    let (lo, hi) = self.region[k];
                    lo + scattered(index, k) * (hi - lo)
                })
                .collect()
        });
        let starts: Vec<Vec<f64>> = middles.chain([self.usual.clone()]).chain(scatter).collect();
        let mut loose = 0;
        for start in starts {
            if places.len() > MOST || cancelled() {
                break;
            }
            let Some(settled) = numeric.settle(&start, &self.scales, m) else {
                continue;
            };
            self.admit(numeric, settled, &mut loose, LOOSE, (places, &mut singular));
        }
        singular
    }

    /// A large system: downhill and uphill from the start, then what is found with single multipliers, or angles,
    /// turned round.
    fn downhill(
        &self,
        numeric: &Numeric,
        rows: &[usize],
        places: &mut Vec<Place>,
    ) -> Vec<Vec<f64>> {
        let mut singular = Vec::new();
        let (n, m) = (self.region.len(), rows.len());
        if n + m > MOST_UNKNOWNS {
            return singular;
        }
        let most = (JUDGED_WORK / (n + m).pow(3).max(1)).clamp(4, MOST);
        let mut loose = 0;
        let [lowest, highest] =
            [Way::Down, Way::Up].map(|way| numeric.relax(&self.usual, &self.scales, m, way));
        for end in [&lowest, &highest].into_iter().flatten() {
            self.admit(numeric, end.clone(), &mut loose, 1, (places, &mut singular));
        }
        let straight = numeric.settle(&self.usual, &self.scales, m);
        if let Some(straight) = straight {
            self.admit(numeric, straight, &mut loose, 1, (places, &mut singular));
        }
        let Some(lowest) = lowest else {
            return singular;
        };
        // all of them, then one at a time
        let all = numeric.turned(&lowest, &-&lowest.lambda, &self.scales);
        let angles = self.periods.iter().map(|(k, period)| (*k, 0.5 * period));
        let angles: Vec<(usize, f64)> = angles.collect();
        let mut around = lowest.x.clone();
        for (k, half) in &angles {
            around[*k] += half;
        }
        let around = (!angles.is_empty())
            .then(|| numeric.settle(&around, &self.scales, m))
            .flatten();
        for settled in [all, around].into_iter().flatten() {
            self.admit(numeric, settled, &mut loose, 1, (places, &mut singular));
        }
        for b in 0..m {
            if places.len() >= most || cancelled() {
                return singular;
            }
            let mut lambda = lowest.lambda.clone();
            lambda[b] = -lambda[b];
            if let Some(settled) = numeric.turned(&lowest, &lambda, &self.scales) {
                self.admit(numeric, settled, &mut loose, 1, (places, &mut singular));
            }
        }
        for (k, half) in angles {
            if places.len() >= most || cancelled() {
                return singular;
            }
            let mut x = lowest.x.clone();
            x[k] += half;
            if let Some(settled) = numeric.settle(&x, &self.scales, m) {
                self.admit(numeric, settled, &mut loose, 1, (places, &mut singular));
            }
        }
        singular
    }

    /// Takes up a solution that is in the box and not known; of families `most` members at most. One whose
    /// multipliers grow without end is a singular configuration and kept as such.
    fn admit(
        &self,
        numeric: &Numeric,
        mut settled: Settled,
        loose: &mut usize,
        most: usize,
        (places, singular): (&mut Vec<Place>, &mut Vec<Vec<f64>>),
    ) {
        for (k, v) in settled.x.iter_mut().enumerate() {
            *v += self.turns(k, *v);
        }
        let inside = settled
            .x
            .iter()
            .zip(&self.asked)
            .enumerate()
            .all(|(k, (v, (lo, hi)))| {
                let slack = 1e-9 * self.scales.width[k];
                *v >= lo - slack && *v <= hi + slack
            });
        if !inside {
            return;
        }
        if let Some(mut x) = numeric.divergence(&settled, &self.scales) {
            for (k, v) in x.iter_mut().enumerate() {
                *v = clean(*v + self.turns(k, *v));
            }
            self.keep_apart(singular, x);
            return;
        }
        let blurred = |c: &[f64]| {
            c.iter()
                .enumerate()
                .map(|(k, c)| c.abs() / self.scales.width[k])
                .fold(0.0, f64::max)
        };
        let known = places.iter().any(|p| {
            let blur = blurred(&p.settled.correction).max(blurred(&settled.correction));
            self.distance(&p.settled.x, &settled.x) <= SAME.max(100.0 * blur).min(1e-2)
        });
        if known {
            return;
        }
        let along = numeric.family(&settled, &self.scales);
        if along.is_some() {
            *loose += 1;
            if *loose > most || self.joins(numeric, &settled, places) {
                return;
            }
        }
        places.push(Place {
            exact: vec![None; settled.x.len()],
            settled,
            sides: None,
            proven: false,
            along: along.map(|d| Along::estimated(unit_vector(&d))),
            free: Vec::new(),
            dimension: 0,
        });
    }

    /// One-sided constraints: those that act push, those that do not are kept at their side.
    fn is_allowed(
        &self,
        rows: &[usize],
        released: &[usize],
        place: &Place,
        lambda: &DVector<f64>,
    ) -> bool {
        let system = self.subject.system;
        let size = lambda.amax();
        let pushes = rows.iter().zip(lambda.iter()).all(|(&b, l)| {
            let two_sided = system.constraints.get(b).is_none_or(|c| c.side.is_none());
            two_sided || *l >= -1e-9 * size
        });
        let keeps = released.iter().all(|&b| {
            let one = Numeric::new(system, &self.statics, &[b], self.t);
            let local = one.at(&place.settled.x, 1);
            // where it just touches it is among those that act
            local.level[0] > 1e-9 * local.level_size[0]
        });
        pushes && keeps
    }
}

/// Is a constraint a combination of others with constant coefficients, so that it holds where they do? The coefficients are
/// guessed from numbers, the combination is shown by algebra.
fn follows_from(system: &System, statics: &Statics, row: usize, others: &[usize]) -> bool {
    let pool = &system.pool;
    let mut fixed = fixed_values(system, 0.0);
    fixed.remove(&system.t);
    let level = |b: usize| {
        let c = system.constraints.get(b)?;
        Some(pool.substitute(pool.sub(c.f, c.c), &fixed))
    };
    let Some(own) = level(row) else { return false };
    let held: Vec<usize> = others
        .iter()
        .copied()
        .filter(|b| *b < system.constraints.len())
        .collect();
    let n = system.coordinates.len();
    let x: Vec<f64> = (0..n).map(|k| 3.0 * scattered(1, k) - 1.3).collect();
    let wanted: Vec<usize> = held.iter().copied().chain([row]).collect();
    let local = Numeric::new(system, statics, &wanted, system.start.t).at(&x, wanted.len());
    let columns = local.jacobian.transpose();
    let right = columns.column(held.len()).into_owned();
    let columns = columns.columns(0, held.len()).into_owned();
    let Some(found) = LeastSquares::new(&columns).and_then(|w| w.shortest(&right, 1e-12)) else {
        return false;
    };
    let combined = held.iter().zip(found.iter()).map(|(b, a)| {
        let part = plainest(*a, 1e-9 * a.abs().max(1e-3))?;
        Some(pool.scale(level(*b)?, &part.neg()))
    });
    let Some(combined) = combined.collect::<Option<Vec<Expr>>>() else {
        return false;
    };
    let rest = pool.sum(combined.into_iter().chain([own]).collect::<Vec<_>>());
    pool.is_zero(rest) == Some(true)
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
