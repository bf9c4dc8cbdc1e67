//! Which of the places that were found are equilibria, what proves it, and what they are like.

use super::one::Known;
use super::{
    Acting, Along, Collected, Equilibrium, Ground, Root, SAME, SEARCHED_UP_TO, clean, plain,
};
use crate::expr::{Expr, Interval, Number, is_over, within};
use crate::geometry::LeastNorm;
use crate::interval;
use crate::interval::{box_of, largest, middles};
use crate::mechanics::Holonomy;
use crate::statics::bounds::{Bounds, Enclosure};
use crate::statics::equations::Numbers;
use crate::statics::flat::Point;
use crate::statics::guess::{guesses, plainest};
use crate::statics::numeric::{Numeric, Settled, evaluated};
use crate::statics::search::are_signed;
use crate::statics::stability::{Candidate, Site, judge};
use crate::statics::symmetry::Symmetries;
use crate::statics::value::Value;
use crate::theorem::{scattered_in, within_a_turn};
use nalgebra::DVector;
use std::cell::OnceCell;

/// Places found by Newton's method and not proven that are looked at more closely.
const DOUBTED: usize = 16;
/// Boxes looked at in search of kinks.
const KINK_LOOKS: usize = 2000;
/// Boxes looked at to show that one of them is none.
const LOOKED: usize = 200;
/// What simplifying exact numbers may cost for each place, and again for its stability.
const FOR_ONE: u64 = 4_000_000;

/// The proof that a place is an equilibrium, with what is known of it exactly.
type Shown = (Enclosure, Option<Point>);

impl Ground<'_> {
    /// Which of these places are equilibria, and what they are like.
    pub(super) fn told(
        &self,
        (whole, bounds): (&Numeric, &Bounds),
        acting: &Acting,
        places: Vec<Root>,
    ) -> Collected {
        let system = self.subject.system;
        let (rows, kept) = (acting.rows, acting.kept);
        let small = system.coordinates.len() + kept.len() <= SEARCHED_UP_TO;
        let mut dropped = rows.iter().filter(|b| !kept.contains(b));
        let independent = dropped.all(|b| self.follows_from(*b, kept));
        let symbols = acting.symbols;
        let site = Site {
            system,
            statics: &self.statics,
            t: self.t,
            bounds,
            symbols,
        };
        let mut told = Collected {
            complete: true,
            ..Collected::default()
        };
        if small {
            self.kinks(bounds, &mut told);
        }
        let mut doubted = 0;
        let equations = OnceCell::new();
        let symmetries = OnceCell::new();
        let everywhere = acting.is_without_force(system);
        for mut place in places {
            if is_over() {
                told.complete = false;
                break;
            }
            if everywhere {
                place.dimension = system.coordinates.len() - kept.len().min(place.settled.x.len());
                place.along = place
                    .along
                    .map(|a| Along::proven(a.direction, place.dimension));
            }
            if !bounds.is_smooth(&self.around(&place)) {
                self.keep_apart(&mut told.undefined, [place.settled.x]);
                continue;
            }
            let mut shown = if independent {
                within(FOR_ONE, || self.shown(&site, &symmetries, &mut place))
            } else {
                None
            };
            if shown.is_none() && !place.proven && independent && small {
                doubted += 1;
                let equations = equations.get_or_init(|| symbols.over_boxes());
                if doubted <= DOUBTED && self.is_none(equations, &place) {
                    continue;
                }
            }
            let lambda = self.multipliers(whole, rows, &place.settled.x);
            if shown.is_none() && !whole.holds(&place.settled.x, &lambda, &self.widths) {
                // a proven solution may miss this test only where numbers are badly scaled
                if place.proven && independent {
                    told.complete = false;
                }
                continue;
            }
            let of_set = place.piece.is_some();
            let known = |own| Known {
                of_set,
                ..Known::shown(symbols.field(), own)
            };
            let known = shown.as_ref().map(known);
            if let Some(sure) = known
                .as_ref()
                .and_then(|own| self.is_told(bounds, own, &told))
            {
                told.complete &= sure;
                continue;
            }
            let allowed = self.is_allowed(rows, acting.released, &place, &lambda);
            let signed = match &shown {
                Some(shown) if kept.len() == rows.len() => {
                    self.is_signed(&site, acting, &place, shown)
                }
                _ => Some(allowed),
            };
            if signed.is_none() {
                shown = None;
            }
            let allowed = signed.unwrap_or(allowed);
            // others of its family may be
            told.complete &= signed.is_some() && (allowed || !place.free);
            if allowed {
                let own = (place, shown, known);
                self.take(
                    (whole, &site),
                    acting,
                    own,
                    (&lambda, &symmetries),
                    &mut told,
                );
            }
        }
        told
    }

    /// Is an equilibrium one of those told? Then whether that is sure: two that cannot be told apart may be two, and so are sets that
    /// cross where a member stands for both.
    fn is_told(&self, bounds: &Bounds, own: &Known, told: &Collected) -> Option<bool> {
        let others = told.known.iter().flatten();
        let mut same = others.map(|other| (other, self.are_one(bounds, own, other)));
        let (other, same) = same.find(|(_, same)| *same != Some(false))?;
        Some(same.is_some() && !(own.of_set && other.of_set))
    }

    /// Judges an equilibrium and takes it up, unless symmetries move it to one that is known.
    fn take(
        &self,
        (whole, site): (&Numeric, &Site),
        acting: &Acting,
        (place, shown, known): (Root, Option<Shown>, Option<Known>),
        (lambda, symmetries): (&DVector<f64>, &OnceCell<Symmetries>),
        told: &mut Collected,
    ) {
        let symbols = acting.symbols;
        let (piece, free) = (place.piece.clone(), place.free);
        // what is not proven to be more than a singular member does not stand for a set
        told.complete &= shown.is_some() || place.proven && !free;
        let judged = || self.judged(whole, site, (place, shown), lambda, acting);
        let mut e = within(FOR_ONE, judged);
        let holds = within(FOR_ONE, || self.holds(site, acting, &e, piece.as_ref()));
        if let Some(along) = &mut e.along {
            along.holds = holds;
        }
        let symmetries = || symmetries.get_or_init(|| Symmetries::new(symbols, &self.region));
        let scleronomic = symbols.holonomic == acting.kept.len();
        let differ = |other: &Option<Known>| {
            let both = known.as_ref().zip(other.as_ref());
            both.is_some_and(|(a, b)| self.differ_beside(symmetries(), a, b))
        };
        let is_moved = |(other, place): (&Equilibrium, &Option<Known>)| {
            self.is_moved(&e, other, &symmetries) && !differ(place)
        };
        let mut others = told.list.iter().zip(&told.known);
        if !(scleronomic && others.any(is_moved)) {
            told.known.push(known.filter(|_| e.certified()));
            told.list.push(e);
        }
    }

    /// Where the equations have kinks.
    fn kinks(&self, bounds: &Bounds, told: &mut Collected) {
        let region = box_of(&self.region);
        let kinks = bounds.kinks(&region, KINK_LOOKS);
        self.keep_apart(&mut told.undefined, kinks.iter().map(|kink| plain(kink)));
    }

    /// Is an equilibrium of the same family as one that is known, as a symmetry moves it there?
    fn is_moved<'s>(
        &self,
        e: &Equilibrium,
        known: &Equilibrium,
        symmetries: &impl Fn() -> &'s Symmetries,
    ) -> bool {
        if !(e.of_a_family() && known.of_a_family()) {
            return false;
        }
        let widths: Vec<f64> = (0..e.x.len()).map(|k| self.widths[k]).collect();
        let way = |y: &[f64]| -> Vec<f64> {
            let coordinates = y.iter().zip(&known.x).zip(&widths).enumerate();
            let left = coordinates
                .map(|(k, ((y, to), width))| within_a_turn(to - y, self.period(k)) / width);
            left.collect()
        };
        symmetries().join(&e.x, way, &widths)
    }

    /// A box round a place, as large as it may be off.
    fn around(&self, place: &Root) -> Vec<Interval> {
        let sides = place.sides.clone();
        sides.unwrap_or_else(|| self.within_reach(&place.settled, 10.0, 1e-9))
    }

    /// A box round a place: so many times its last correction, and this part of a long way.
    fn within_reach(&self, settled: &Settled, times: f64, part: f64) -> Vec<Interval> {
        let places = settled.x.iter().zip(&settled.correction).enumerate();
        places
            .map(|(k, (x, correction))| {
                let reach = times * correction.abs() + part * self.unit(k, *x);
                Interval::new(x - reach, x + reach)
            })
            .collect()
    }

    /// The proof that a place is an equilibrium, with what is known of it exactly.
    fn shown(
        &self,
        site: &Site,
        symmetries: &OnceCell<Symmetries>,
        place: &mut Root,
    ) -> Option<Shown> {
        let settled = &place.settled;
        let n = settled.x.len();
        if let Some(found) = site.bounds.prove(&settled.x, &settled.lambda, &[])
            && (0..n).all(|k| {
                let (own, x) = (found.x()[k], settled.x[k]);
                match place.sides.as_ref().filter(|_| place.proven) {
                    Some(sides) => !own.meet(sides[k]).is_empty(),
                    None => (own.middle() - x).abs() <= SAME * self.unit(k, x),
                }
            })
            && let found = (found, None)
            && self.is_that((site.symbols, site.bounds), place, &found)
        {
            let found = found.0;
            // Newton's method is off by more than the box is wide where it was stopped early, or the box is wide
            for (x, own) in place.settled.x.iter_mut().zip(found.x()) {
                if !own.contains(*x) {
                    *x = own.middle();
                }
            }
            return Some((found, None));
        }
        let settled = &place.settled;
        if n + settled.lambda.len() > SEARCHED_UP_TO {
            return None;
        }
        if let Some(along) = place.along.as_ref().filter(|a| !a.is_proven())
            && site.symbols.holonomic == settled.lambda.len()
        {
            let symmetries = symmetries.get_or_init(|| Symmetries::new(site.symbols, &self.region));
            if let Some((found, dimension)) = symmetries.family(site.bounds, settled) {
                place.settled.x = middles(found.x());
                place.along = Some(Along::proven(along.direction.clone(), dimension));
                place.dimension = dimension;
                return Some((found, None));
            }
        }
        if let Some((found, point)) = self.exactly(site, place) {
            place.settled.x = point.x.iter().map(|v| v.range().middle()).collect();
            return Some((found, Some(point)));
        }
        let field = site.symbols.field();
        let sides = place.sides.as_ref().filter(|_| place.proven)?;
        let values = sides
            .iter()
            .zip(&place.exact)
            .map(|(side, exact)| match exact {
                Some(e) => field.constant(*e),
                None => side.number().map_or(Value::Range(*side), Value::Number),
            });
        let point = site
            .symbols
            .solved(values.collect())
            .map(|(point, _)| point);
        Some((site.bounds.completed(sides)?, point))
    }

    /// The exact equilibrium that a place is near to, where there is one in plain numbers.
    fn exactly(&self, site: &Site, place: &Root) -> Option<(Enclosure, Point)> {
        let settled = &place.settled;
        let x = &settled.x;
        let off = settled.correction.iter().enumerate();
        let reach: Vec<f64> = off
            .map(|(k, off)| off.abs() + 1e-12 * self.unit(k, x[k]))
            .collect();
        let mut guesses = guesses(site.symbols.field(), x, &reach).into_iter();
        guesses.find_map(|guess| {
            let (own, point) = site.bounds.exact(site.symbols, guess)?;
            let found = (own, Some(point));
            let is_that = self.is_that((site.symbols, site.bounds), place, &found);
            found.1.filter(|_| is_that).map(|point| (found.0, point))
        })
    }

    /// Do the one-sided constraints that act push at a proven place, and are the others kept? Nothing where that is not decided.
    fn is_signed(
        &self,
        site: &Site,
        acting: &Acting,
        place: &Root,
        (own, point): &Shown,
    ) -> Option<bool> {
        let list = [acting.keeps, acting.pushes].concat();
        // the search looks at signs too
        if list.is_empty() || place.proven {
            return Some(true);
        }
        let symbols = acting.symbols;
        let signs = symbols.ranges(&list, own);
        let signed = |signs: &[Interval]| are_signed(signs, acting.keeps.len());
        signed(&signs).or_else(|| {
            let exact = || {
                let (there, point) = self.exactly(site, place)?;
                let field = symbols.field();
                let there = Known::shown(field, &(there, Some(point.clone())));
                let own = Known::shown(field, &(own.clone(), None));
                let same = self.are_one(site.bounds, &own, &there) == Some(true);
                same.then_some(point)
            };
            let point = point.clone().or_else(exact)?;
            let signs = symbols.values(&list, &point)?;
            signed(&signs.iter().map(Value::range).collect::<Vec<_>>())
        })
    }

    /// Is it shown by interval arithmetic that there is no equilibrium near a place that Newton's method found, whatever the
    /// multipliers?
    fn is_none(&self, equations: &interval::Equations, place: &Root) -> bool {
        let n = self.region.len();
        let mut start = self.within_reach(&place.settled, 100.0, 1e-7);
        start.resize(equations.variables(), Interval::ALL);
        interval::has_none(equations, start, LOOKED, |part| {
            Some(largest(0..n, |k| part[*k].width() / self.widths[*k])?.0)
        })
    }

    /// A solution with its stability.
    fn judged(
        &self,
        whole: &Numeric,
        site: &Site,
        (place, shown): (Root, Option<Shown>),
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
        let (proof, point) = shown.unzip();
        let point = point.flatten();
        let candidate = Candidate {
            proof: proof.as_ref(),
            point: point.as_ref(),
            x,
            reach: &reach,
            lambda,
            width: &self.widths,
            rows,
            rank: acting.kept.len(),
            family: place.dimension,
            presses: proof.as_ref().is_some_and(|own| self.presses(acting, own)),
            leaves: holonomy.iter().all(|h| *h != Holonomy::Unknown),
        };
        let at = |x: &[f64]| whole.at(x);
        let verdict = judge(site, &candidate, &at);
        let pushed = at(x).jacobian.transpose() * lambda;
        let mut multipliers = vec![0.0; self.statics.gradients.len()];
        for (&b, l) in rows.iter().zip(lambda.iter()) {
            multipliers[b] = clean(*l);
        }
        // a solution that is alone in a box goes on nowhere
        let along = match &place.along {
            Some(along) if place.free && proof.is_some() => Some(along.clone()),
            // of dependent gradients only the multipliers may go on
            Some(along) if verdict.form.is_estimate() => {
                Some(Along::estimated(along.direction.clone()))
            }
            along if !verdict.form.stands_alone() => along.clone(),
            _ => None,
        };
        Equilibrium {
            x: x.iter().map(|v| clean(*v)).collect(),
            multipliers,
            reaction: pushed.iter().map(|v| clean(*v)).collect(),
            proof,
            along,
            released: acting.released.to_vec(),
            at_rest: None,
            verdict,
        }
    }

    /// Do all one-sided constraints that act carry something for sure? Else it is not they that limit what can move.
    pub(super) fn presses(&self, acting: &Acting, own: &Enclosure) -> bool {
        if acting.kept.len() != acting.rows.len() {
            let system = self.subject.system;
            return !acting.rows.iter().any(|b| system.is_one_sided(*b));
        }
        let pushes = acting.symbols.ranges(acting.pushes, own);
        pushes.iter().all(|l| l.lo > 0.0)
    }

    /// The multipliers of least norm; where these pull and others do not, which balance the forces as well, those.
    fn multipliers(&self, whole: &Numeric, rows: &[usize], x: &[f64]) -> DVector<f64> {
        let here = whole.at(x);
        let least = here.multipliers(&self.widths);
        let sided = rows.iter().map(|b| self.subject.system.is_one_sided(*b));
        let sided: Vec<bool> = sided.collect();
        let pulls = sided
            .iter()
            .zip(&least)
            .any(|(sided, l)| *sided && *l < 0.0);
        let others = pulls.then(|| here.pushing(&sided, &self.widths));
        others.flatten().unwrap_or(least)
    }

    /// One-sided constraints in numbers: those that act push, those that do not are kept at their side.
    fn is_allowed(
        &self,
        rows: &[usize],
        released: &[usize],
        place: &Root,
        lambda: &DVector<f64>,
    ) -> bool {
        let system = self.subject.system;
        let solved = evaluated(system, self.subject.pushes, self.t, &place.settled.x);
        let size = solved
            .iter()
            .fold(lambda.amax(), |size, l| size.max(l.abs()));
        let own = rows.iter().zip(lambda.iter());
        let own = own
            .filter(|(b, _)| system.is_one_sided(**b))
            .map(|(_, l)| l);
        let pushes = own.chain(&solved).all(|l| *l >= -1e-9 * size);
        let keeps = released.iter().all(|&b| {
            let one = Numeric::new(system, &self.statics, &[b], self.t);
            let local = one.at(&place.settled.x);
            // where it just touches it is among those that act
            local.level[0] > 1e-9 * local.level_size[0]
        });
        pushes && keeps
    }

    /// Is a constraint a combination of others with constant coefficients, so that it holds where they do? The coefficients
    /// are guessed from numbers, the combination is shown by algebra.
    fn follows_from(&self, row: usize, others: &[usize]) -> bool {
        let system = self.subject.system;
        let pool = &system.pool;
        let mut fixed = Numbers::new(system, 0.0).exact;
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
        let x = scattered_in(self.region.iter().copied(), 1);
        let wanted: Vec<usize> = held.iter().copied().chain([row]).collect();
        let numeric = Numeric::new(system, &self.statics, &wanted, system.start.t);
        // gradients in units of the box, of length one: units play no part
        let mut columns = numeric.at(&x).jacobian.transpose();
        let mut lengths = Vec::new();
        for mut column in columns.column_iter_mut() {
            column.component_mul_assign(&self.widths);
            let length = column.norm();
            if !(length > 0.0 && length.is_finite()) {
                return false;
            }
            column /= length;
            lengths.push(length);
        }
        let right = columns.column(held.len()).into_owned();
        let columns = columns.columns(0, held.len()).into_owned();
        let found = LeastNorm::new(&columns).and_then(|w| w.shortest(&right, 1e-12));
        let Some(found) = found else { return false };
        let follows = |in_tens: &dyn Fn(f64) -> i64| {
            let of = |place: usize| {
                let (tens, own) = (in_tens(lengths[place]), in_tens(lengths[held.len()]));
                let unit = lengths[held.len()] / lengths[place] * 10_f64.powi((tens - own) as i32);
                let a = found[place];
                let part = plainest(a * unit, 1e-11 * a.abs().max(1e-3) * unit)?;
                let part = part.mul(&Number::from(10).pow(own - tens)?);
                Some(pool.scale(level(held[place])?, &part.neg()))
            };
            let combined = (0..held.len()).map(of).collect::<Option<Vec<Expr>>>();
            let rest = combined.map(|list| pool.sum(list.into_iter().chain([own])));
            rest.is_some_and(|rest| pool.is_zero(rest) == Some(true))
        };
        // as the file has them, else in units in which they are about 1
        follows(&|_| 0) || follows(&|length| length.log10().round() as i64)
    }
}
