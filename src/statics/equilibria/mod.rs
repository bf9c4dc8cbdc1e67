//! Where a system can stay: its equilibria in a box, with multipliers, reactions and stability.

mod along;
mod answer;
mod collected;
mod newton;
mod one;
mod proven;
mod singular;

pub use answer::{Along, Around, Equilibria, Equilibrium, Frame, Holds, Left, Note, Subject};

use one::Known;

use super::bounds::Bounds;
use super::equations::{NearRest, Numbers, Statics};
use super::flat::Symbols;
use super::numeric::{Numeric, Settled, Widths};
use super::search::{Outcome, Piece, Solution};
use crate::expr::{Expr, FOR_NUMBERS, Interval, calculating, is_over};
use crate::geometry::{Blurred, blur_by_differences};
use crate::interval::ends;
use crate::system::System;
use crate::theorem::{goes_round, period_of, periods, within_a_turn};
use nalgebra::DVector;
use std::cell::OnceCell;
use std::cmp::Ordering;

/// Instructions that branch and prune may cost in all.
const EFFORT: usize = 60_000_000;
/// Operations on numbers that one search over boxes may take, and so leaves to what is to be told.
const FOR_BOXES: u64 = FOR_NUMBERS / 2;
/// The same of a search from scattered points.
const FOR_PLACES: u64 = FOR_NUMBERS / 2;
/// Systems of more unknowns than this are not searched by branch and prune, and of families one member
/// is told: equilibria are looked for downhill and by turning what is found.
const SEARCHED_UP_TO: usize = 45;
/// Systems of more unknowns than this are not searched at all.
const MOST_UNKNOWNS: usize = 400;
/// Found, not proven points closer than this part of a long way are one.
const SAME: f64 = 1e-6;
/// Singular configurations closer than this are one.
const BLUR: f64 = 1e-4;
/// Choices of independent constraints among redundant ones that are looked at.
const MOST_KEPT: usize = 6;
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
    widths: Widths,
}

/// The constraints of a choice.
struct Acting<'a> {
    rows: &'a [usize],
    /// those that are independent of each other
    kept: &'a [usize],
    released: &'a [usize],
    /// f - c of those released
    keeps: &'a [Expr],
    /// the multipliers of one-sided ones
    pushes: &'a [Expr],
    /// the equations of those kept
    symbols: &'a Symbols<'a>,
    /// instructions that a search may cost
    effort: usize,
}

impl Acting<'_> {
    /// Is every configuration an equilibrium?
    fn is_without_force(&self, system: &System) -> bool {
        let held = system.constraints.len();
        self.symbols.is_without_force() && self.rows.iter().all(|b| *b < held)
    }
}

/// What is told of places, and what is left over where they were looked for.
#[derive(Default)]
struct Collected {
    list: Vec<Equilibrium>,
    /// which one each of them is, as far as that is known
    known: Vec<Option<Known>>,
    undefined: Vec<Vec<f64>>,
    singular: Vec<Vec<f64>>,
    undecided: Vec<Vec<Interval>>,
    complete: bool,
}

/// A place where the equations hold.
struct Root {
    settled: Settled,
    sides: Option<Vec<Interval>>,
    proven: bool,
    along: Option<Along>,
    /// it is one of a set whose members are known: some coordinates may have any value
    free: bool,
    /// the set of equilibria that it is proven to lie on has so many dimensions
    dimension: usize,
    /// coordinates whose exact value is known
    exact: Vec<Option<Expr>>,
    /// equations of which it is the only solution near where some coordinates have the values that they have
    by: Vec<Expr>,
    any: Vec<usize>,
    /// the connected set of which it is one, where it is free
    piece: Option<Piece>,
    /// solutions on the curve of which it is one, where it is a curve
    trace: OnceCell<Option<Vec<Settled>>>,
}

impl Root {
    /// A place that was met, of which nothing is proven.
    fn met(settled: Settled) -> Self {
        Self {
            exact: vec![None; settled.x.len()],
            settled,
            sides: None,
            proven: false,
            along: None,
            free: false,
            dimension: 0,
            by: Vec::new(),
            any: Vec::new(),
            piece: None,
            trace: OnceCell::new(),
        }
    }
}

/// The equilibria at one time in a box. Called off (see [`is_over`]) it gives what it has, and says that this is
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
    for &(k, side) in &around.region {
        asked[k] = side;
    }
    let mut ground = Ground {
        subject,
        statics: Statics::new(system, subject.equations),
        t,
        region: asked.clone(),
        asked,
        periods: Vec::new(),
        usual: centre.clone(),
        widths: Widths::zeros(n),
    };
    ground.turn_once();
    let mut found = ground.all();
    subject.add_relative(&mut found);
    found
}

impl Ground<'_> {
    /// Limits angles to a period each.
    fn turn_once(&mut self) {
        let system = self.subject.system;
        let all: Vec<usize> = (0..self.statics.gradients.len()).collect();
        let symbols = self.symbols(&all);
        let numbers = system.fixed_values(self.t, &[]);
        let equations = system.pool.substitute_all(&symbols.equations(), &numbers);
        let periods = periods(&system.pool, &equations, &symbols.x);
        for &(k, period) in &periods {
            let (lo, hi) = self.asked[k];
            // the doubles next to -pi and pi leave pi itself out
            if goes_round((lo, hi), period) {
                let start = -(0.5 + CUT) * period;
                self.region[k] = (start, start + period * (1.0 + 1e-9));
            }
        }
        self.periods = periods;
        let sides = self.region.iter();
        let widths = sides.map(|(lo, hi)| (hi - lo).max(f64::MIN_POSITIVE));
        self.widths = Widths::from_iterator(self.region.len(), widths);
    }

    fn all(self) -> Equilibria {
        let system = self.subject.system;
        let sided = system.one_sided();
        let mut notes = Vec::new();
        if self.statics.depends_on_time(system) {
            notes.push(Note::Held);
        }
        if system.objective && !sided.is_empty() {
            notes.push(Note::Least);
        }
        let told_by_slopes = self.statics.is_told_by_slopes(system);
        if !told_by_slopes {
            notes.push(Note::Steps);
        }
        let sticks = self.statics.near_rest == NearRest::Jumps;
        if sticks {
            notes.push(Note::Friction);
        }
        let choices = if sided.len() <= SIDES {
            1_usize << sided.len()
        } else {
            notes.push(Note::OneSided(sided.len()));
            1
        };
        let mut all = Collected {
            complete: (choices > 1 || sided.is_empty()) && told_by_slopes && !sticks,
            ..Collected::default()
        };
        for choice in 0..choices {
            if is_over() {
                all.complete = false;
                break;
            }
            let is_released = |place: &usize| choice >> place & 1 == 1;
            let released = (0..sided.len())
                .filter(is_released)
                .map(|place| sided[place]);
            let released: Vec<usize> = released.collect();
            let rows = (0..self.statics.gradients.len()).filter(|b| !released.contains(b));
            let rows: Vec<usize> = rows.collect();
            let part = self.acting(&rows, &released, EFFORT / choices, &mut notes);
            all.complete &= part.complete;
            all.undecided.extend(part.undecided);
            self.keep_apart(&mut all.singular, part.singular);
            self.keep_apart(&mut all.undefined, part.undefined);
            all.list.extend(part.list);
        }
        if all.list.len() > MOST {
            // those that are kept: the lowest
            let potential = |e: &Equilibrium| e.verdict.potential;
            all.list
                .sort_by(|a, b| potential(a).total_cmp(&potential(b)));
            all.list.truncate(MOST);
            all.complete = false;
            notes.push(Note::LowestOnly(MOST));
        }
        put_in_order(&mut all.list);
        for places in [&mut all.singular, &mut all.undefined] {
            places.sort_by(|a, b| a.partial_cmp(b).unwrap_or(Ordering::Equal));
        }
        let undecided = outermost(&all.undecided);
        Equilibria {
            left: Left {
                unsearched: !all.complete || undecided.len() > UNDECIDED,
                undecided: undecided.iter().take(UNDECIDED).map(|b| ends(b)).collect(),
            },
            list: all.list,
            relative: Vec::new(),
            frame: None,
            undefined: all.undefined,
            singular: all.singular,
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
    ) -> Collected {
        let system = self.subject.system;
        let Some(independent) = self.subject.independent else {
            return self.keeping(rows, (rows, released), effort, notes);
        };
        if !notes.contains(&Note::Redundant) {
            notes.push(Note::Redundant);
        }
        let mut kept = rows.to_vec();
        kept.retain(|b| *b >= system.constraints.len() || independent.contains(b));
        let mut keeping = |kept: &[usize]| {
            let mut found = self.keeping(kept, (rows, released), effort, notes);
            // where those kept depend on each other multipliers balance anything
            let own = Numeric::new(system, &self.statics, kept, self.t);
            let is_clear = |e: &Equilibrium| self.independent_at(&own, &e.x, kept.len()).is_some();
            let (clear, near): (Vec<_>, Vec<_>) = found.list.into_iter().partition(is_clear);
            found.list = clear;
            self.keep_apart(&mut found.singular, near.into_iter().map(|e| e.x));
            found
        };
        let mut found = keeping(&kept);
        let whole = Numeric::new(system, &self.statics, rows, self.t);
        let at = |x: &Vec<f64>| self.independent_at(&whole, x, kept.len());
        // where those kept depend on each other and all do not, others are
        let mut tried = vec![
            (0..rows.len())
                .filter(|b| kept.contains(&rows[*b]))
                .collect(),
        ];
        while tried.len() < MOST_KEPT && !is_over() {
            let mut others = found.singular.iter().filter_map(at);
            let Some(others) = others.find(|others| !tried.contains(others)) else {
                break;
            };
            let own: Vec<usize> = others.iter().map(|b| rows[*b]).collect();
            let more = keeping(&own);
            for place in more.list {
                let near = |known: &Equilibrium| self.distance(&known.x, &place.x) <= BLUR;
                if !found.list.iter().any(near) {
                    found.list.push(place);
                }
            }
            self.keep_apart(&mut found.singular, more.singular);
            tried.push(others);
        }
        found.singular.retain(|x| at(x).is_none());
        let list = &found.list;
        found
            .undecided
            .retain(|part| !list.iter().any(|place| self.covers(&place.x, part)));
        found.complete = false;
        found
    }

    /// Is a box no larger than what a point stands for?
    fn covers(&self, x: &[f64], part: &[Interval]) -> bool {
        part.iter().zip(x).enumerate().all(|(k, (side, v))| {
            let reach = SAME * self.unit(k, *v);
            side.is_within(Interval::new(v - reach, v + reach))
        })
    }

    /// So many rows that are far from dependent at a point, if there are; to what it is known.
    fn independent_at(&self, whole: &Numeric, x: &[f64], count: usize) -> Option<Vec<usize>> {
        let reach: Vec<f64> = (0..x.len()).map(|k| SAME * self.unit(k, x[k])).collect();
        let gradients = |_: f64, x: &[f64]| whole.at(x).jacobian;
        let there = Blurred {
            blur: blur_by_differences(&gradients, (self.t, x), &reach),
            value: whole.at(x).jacobian,
        };
        there.rows(count)
    }

    /// The same where these imply the other constraints.
    fn keeping(
        &self,
        kept: &[usize],
        (rows, released): (&[usize], &[usize]),
        effort: usize,
        notes: &mut Vec<Note>,
    ) -> Collected {
        let system = self.subject.system;
        let mut complete = true;
        let size = system.coordinates.len() + kept.len();
        let symbols = self.symbols(kept);
        let keeps = self.symbols(released).levels;
        let pushes = kept.iter().zip(&symbols.multipliers);
        // where some follow from others the multipliers are not unique
        let unique = kept.len() == rows.len();
        let pushes = pushes.filter(|(b, _)| unique && system.is_one_sided(**b));
        let mut pushes: Vec<Expr> = pushes.map(|(_, l)| *l).collect();
        let solved = self.subject.pushes;
        let fixed = Numbers::new(system, self.t).exact;
        pushes.extend(system.pool.substitute_all(solved, &fixed));
        let acting = Acting {
            rows,
            kept,
            released,
            keeps: &keeps,
            pushes: &pushes,
            symbols: &symbols,
            effort,
        };
        let numeric = Numeric::new(system, &self.statics, kept, self.t);
        let bounds = Bounds::new(system, &self.statics, kept, self.t);
        let whole =
            (kept.len() < rows.len()).then(|| Numeric::new(system, &self.statics, rows, self.t));
        let whole = whole.as_ref().unwrap_or(&numeric);
        let mut found = Outcome::default();
        let mut places = Vec::new();
        let mut singular = Vec::new();
        if size > MOST_UNKNOWNS {
            notes.push(Note::TooLarge(size));
        } else if size > SEARCHED_UP_TO {
            if !notes.contains(&Note::Large) {
                notes.push(Note::Large);
            }
            singular = calculating(FOR_PLACES, || self.downhill(&numeric, kept, &mut places));
        } else {
            found = self.search(&acting, &symbols.equations());
            complete &= found.complete && found.undecided.is_empty();
            places = self.proven((&numeric, &bounds), &found);
            // without a force every configuration is one; where they are no curve, on which it can be told what hangs
            // together, the members that were looked for are enough
            let spread = acting.is_without_force(system)
                && system.coordinates.len() > kept.len() + 1
                && places.iter().any(|p| p.dimension > 0);
            if spread {
                places.retain(|p| p.dimension > 0);
            } else if !complete {
                singular = calculating(FOR_PLACES, || {
                    self.many_starts(&numeric, &found, kept.len(), &mut places)
                });
            }
            if !kept.is_empty() {
                // where it is not proven to be all anyway, only points are looked for
                let part = if complete { 3 } else { 40 };
                let hidden = (&mut places, &mut singular);
                let hidden = self.singular(&numeric, &acting, effort / part, hidden);
                complete &= hidden.complete;
                found.undecided.extend(hidden.boxes);
            }
            if self.subject.equations.rheonomic(self.subject.system)
                && places.iter().any(|p| p.along.is_some())
            {
                self.staying(&numeric, &acting, &mut places);
            }
        }
        complete &= size <= SEARCHED_UP_TO;
        let mut told = self.told((whole, &bounds), &acting, places);
        let undefined = found.undefined.iter().map(|part| plain(part));
        self.keep_apart(&mut told.undefined, undefined);
        Collected {
            complete: complete && told.complete,
            singular,
            undecided: found.undecided,
            ..told
        }
    }

    fn period(&self, k: usize) -> Option<f64> {
        period_of(&self.periods, k)
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
            .map(|(k, side)| turned(*side, self.turns(k, side.middle())))
            .collect()
    }

    /// What is a long way for a coordinate at a number: no more than the default box is wide there, however wide the box is.
    fn unit(&self, k: usize, v: f64) -> f64 {
        self.widths[k].min(2.0 * REACH * v.abs().max(1.0))
    }

    /// May two enclosures of a coordinate hold the same number, but for whole turns?
    fn meets(&self, k: usize, a: Interval, b: Interval) -> bool {
        let turns = self.turns_between(k, a, b);
        !a.meet(b.add(Interval::nearest(turns))).is_empty()
    }

    /// By how many whole turns one enclosure of an angle is farther on than another.
    fn turns_between(&self, k: usize, a: Interval, b: Interval) -> f64 {
        self.period(k).map_or(0.0, |period| {
            period * ((a.middle() - b.middle()) / period).round()
        })
    }

    /// The distance of two points in units of the coordinates there.
    fn distance(&self, a: &[f64], b: &[f64]) -> f64 {
        let parts = a.iter().zip(b).enumerate().map(|(k, (p, q))| {
            let apart = within_a_turn((p - q).abs(), self.period(k));
            apart.abs() / self.unit(k, p.abs().max(q.abs()))
        });
        parts.fold(0.0, f64::max)
    }

    /// Keeps points that are none of those kept.
    fn keep_apart(&self, kept: &mut Vec<Vec<f64>>, more: impl IntoIterator<Item = Vec<f64>>) {
        for x in more {
            if kept.len() < UNDECIDED && kept.iter().all(|other| self.distance(other, &x) > BLUR) {
                kept.push(x);
            }
        }
    }
}

/// In the order of their coordinates.
pub(super) fn put_in_order(list: &mut [Equilibrium]) {
    list.sort_by(|a, b| a.x.partial_cmp(&b.x).unwrap_or(Ordering::Equal));
}

/// An enclosure of an angle in another turn.
fn turned(side: Interval, by: f64) -> Interval {
    if by == 0.0 {
        side
    } else {
        side.add(Interval::nearest(by))
    }
}

/// A point of a box with short sides: what is no more than a few of them from zero is zero.
fn plain(sides: &[Interval]) -> Vec<f64> {
    let number = |side: &Interval| {
        let is_zero = side.magnitude() <= 64.0 * side.width();
        if is_zero { 0.0 } else { side.middle() }
    };
    sides.iter().map(number).collect()
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

/// Boxes that are not in another one.
fn outermost(boxes: &[Vec<Interval>]) -> Vec<&Vec<Interval>> {
    let is_in = |a: &[Interval], b: &[Interval]| a.iter().zip(b).all(|(a, b)| a.is_within(*b));
    let mut kept: Vec<&Vec<Interval>> = Vec::new();
    for own in boxes {
        if !kept.iter().any(|other| is_in(own, other)) {
            kept.retain(|other| !is_in(other, own));
            kept.push(own);
        }
    }
    kept
}
