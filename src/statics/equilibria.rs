//! Where a system can stay: its equilibria in a box, with multipliers, reactions and stability.

use super::equations::Statics;
use super::numeric::{Numeric, Scales, Settled};
use super::relative::add_relative;
use super::relax::Way;
use super::search::{Outcome, Solution, Wanted, search};
use super::stability::{Candidate, Verdict, judge};
use crate::expr::{Expr, Interval, cancelled};
use crate::mechanics::{Equations, Holonomy};
use crate::system::{Side, System};
use crate::theorem::{Theorem, fixed_values, periods, scattered};
use nalgebra::DVector;

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
    /// Is it proven to exist and, where isolated, to be alone in a box round it?
    pub certified: bool,
    /// One of a family: a direction in which it goes on.
    pub along: Option<Vec<f64>>,
    /// One-sided constraints that do not act there.
    pub released: Vec<usize>,
    /// The coordinates that are at rest where the others are moved by constraints; `None` where all are.
    pub rests: Option<Vec<usize>>,
    /// What it is like; of the Lagrangian in the coordinates at rest where others move.
    pub verdict: Verdict,
}

/// All that was found.
#[derive(Clone, Debug)]
pub struct Equilibria {
    /// In the order of their coordinates.
    pub list: Vec<Equilibrium>,
    /// Relative equilibria of a system whose constraints move: independent coordinates are at rest. That there are no
    /// others is not said.
    pub relative: Vec<Equilibrium>,
    /// Is it proven that there are no others in the box?
    pub complete: bool,
    /// Boxes that could not be decided, a range a coordinate.
    pub undecided: Vec<Vec<(f64, f64)>>,
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

/// A place where the equations hold.
struct Place {
    settled: Settled,
    sides: Option<Vec<Interval>>,
    proven: bool,
    along: Option<Vec<f64>>,
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
        let mut complete = choices > 1 || sided.is_empty();
        let mut list: Vec<Equilibrium> = Vec::new();
        let mut undecided = Vec::new();
        let mut singular: Vec<Vec<f64>> = Vec::new();
        for choice in 0..choices {
            if cancelled() {
                complete = false;
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
            complete &= part.complete;
            undecided.extend(part.undecided);
            for x in part.singular {
                self.keep_apart(&mut singular, x);
            }
            list.extend(part.list);
        }
        if list.len() > MOST {
            // those that are kept: the lowest
            list.sort_by(|a, b| a.verdict.potential.total_cmp(&b.verdict.potential));
            list.truncate(MOST);
            complete = false;
            notes.push(Note::LowestOnly(MOST));
        }
        list.sort_by(|a, b| {
            let mut orders = a.x.iter().zip(&b.x).map(|(p, q)| p.total_cmp(q));
            orders
                .find(|o| o.is_ne())
                .unwrap_or(std::cmp::Ordering::Equal)
        });
        undecided.truncate(UNDECIDED);
        singular.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
        Equilibria {
            list,
            relative: Vec::new(),
            complete,
            undecided,
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
        let mut list = Vec::new();
        for place in places {
            if cancelled() {
                complete = false;
                break;
            }
            let lambda = whole
                .at(&place.settled.x, rows.len())
                .multipliers(&self.scales);
            if !whole.holds(&place.settled.x, &lambda, &self.scales) {
                // a proven solution may miss this test only where numbers are badly scaled
                if place.proven && kept.len() == rows.len() {
                    complete = false;
                }
            } else if self.is_allowed(rows, released, &place, &lambda) {
                list.push(self.judged(&whole, place, &lambda, (rows, kept.len()), released));
            }
        }
        Equilibria {
            list,
            relative: Vec::new(),
            complete,
            undecided: found
                .undecided
                .iter()
                .map(|part| part.iter().map(|side| (side.lo, side.hi)).collect())
                .collect(),
            singular,
            region: Vec::new(),
            periods: Vec::new(),
            t: self.t,
            notes: Vec::new(),
        }
    }

    /// A solution with its stability. `rows` are the constraints that act, as many of them independent as told.
    fn judged(
        &self,
        whole: &Numeric,
        place: Place,
        lambda: &DVector<f64>,
        (rows, rank): (&[usize], usize),
        released: &[usize],
    ) -> Equilibrium {
        let x = &place.settled.x;
        let reach: Vec<f64> = (0..x.len())
            .map(|k| {
                let of_side = place.sides.as_ref().map_or(0.0, |s| s[k].width());
                let ulps = 4.0 * f64::EPSILON * x[k].abs();
                place.settled.correction[k].abs().max(of_side).max(ulps)
            })
            .collect();
        let holonomy = self.subject.holonomy;
        let candidate = Candidate {
            x,
            reach: &reach,
            lambda,
            width: &self.scales.width,
            rows,
            rank,
            leaves: holonomy.iter().all(|h| *h != Holonomy::Unknown),
        };
        let at = |x: &[f64]| whole.at(x, rows.len());
        let verdict = judge(self.subject.system, &self.statics, self.t, &candidate, &at);
        let pushed = at(x).jacobian.transpose() * lambda;
        let mut multipliers = vec![0.0; self.statics.gradients.len()];
        for (&b, l) in rows.iter().zip(lambda.iter()) {
            multipliers[b] = clean(*l);
        }
        Equilibrium {
            x: x.iter().map(|v| clean(*v)).collect(),
            multipliers,
            reaction: pushed.iter().map(|v| clean(*v)).collect(),
            certified: place.proven && rank == rows.len(),
            along: place.along,
            released: released.to_vec(),
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
            let turned = self.turned(solution);
            let x: Vec<f64> = turned.iter().map(|side| side.middle()).collect();
            let known = |p: &Place| self.distance(&p.settled.x, &x) <= SAME;
            places.retain(|p| p.along.is_none() || !known(p));
            if places.iter().any(known) {
                continue;
            }
            let lambda = numeric.at(&x, rows.len()).multipliers(&self.scales);
            places.push(Place {
                settled: Settled {
                    correction: turned.iter().map(|side| 0.5 * side.width()).collect(),
                    x,
                    lambda,
                },
                sides: Some(turned),
                proven: solution.proven,
                along: None,
            });
        }
    }

    /// Branch and prune for these constraints, with `more` equations besides.
    fn search(&self, rows: &[usize], more: &[Expr], effort: usize) -> Outcome {
        let system = self.subject.system;
        let pool = &system.pool;
        let x: Vec<Expr> = system.coordinates.iter().map(|c| c.x).collect();
        let of_all: Vec<Expr> = system.multipliers().collect();
        let multipliers: Vec<Expr> = rows.iter().map(|&b| of_all[b]).collect();
        let mut equations = static_equations(system, &self.statics, rows, self.t);
        equations.extend_from_slice(more);
        let region: Vec<Interval> = self
            .region
            .iter()
            .map(|(lo, hi)| Interval::new(*lo, *hi))
            .collect();
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
                continue;
            }
            let x: Vec<f64> = turned.iter().map(|side| side.middle()).collect();
            let lambda = numeric.at(&x, m).multipliers(&self.scales);
            let settled = Settled {
                correction: turned.iter().map(|side| 0.5 * side.width()).collect(),
                x,
                lambda,
            };
            let direction = numeric.family(&settled, &self.scales);
            let along = match (direction, solution.any.first()) {
                (Some(direction), _) => Some(unit_vector(&direction)),
                (None, Some(&k)) => {
                    let n = settled.x.len();
                    Some((0..n).map(|j| f64::from(u8::from(j == k))).collect())
                }
                (None, None) => None,
            };
            if along.is_some() && self.joins(numeric, &settled, &places) {
                continue;
            }
            places.push(Place {
                settled,
                sides: Some(turned),
                proven: solution.proven,
                along,
            });
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
            settled,
            sides: None,
            proven: false,
            along: along.as_ref().map(unit_vector),
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

/// What simplifying and factoring the equations may cost.
const FOR_CASES: u64 = 4_000_000;

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
