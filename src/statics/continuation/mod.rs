//! Equilibria along a parameter p: branches of G(x, lambda, p) = 0, followed by their arc length.
//!
//! Branches begin at the equilibria at both ends of the range. A piece of one goes from one place to the next: an end of the
//! range or of the box, a fold, a branch point (from which all others that meet there are followed; where more than two meet, as
//! far as they are found), a place where a pair of exponents comes to grow, or one where a one-sided constraint lets go. Between
//! them a piece is regular as far as steps tell (see `walk`): its stability is judged, as that of any equilibrium, in its middle.
//!
//! Where constraints move, equilibria are those in the frame of a symmetry that moves the time (see `relative`).
//! Sources: H. B. Keller (1977); E. L. Allgower and K. Georg, Introduction to Numerical Continuation Methods.

mod certified;
mod choices;
mod curve;
mod forked;
mod located;
mod nodes;
mod redundant;
mod walk;

pub use certified::{Certificate, Change, Stretch, Unproven};

use super::equations::{Numbers, Statics};
use super::equilibria::{Around, Equilibria, Equilibrium, Subject, equilibria};
use crate::expr::{Expr, asked, is_over};
use crate::interval::largest;
use crate::theorem::{goes_round, period_of, periods, within_a_turn};
use curve::Curve;
use nalgebra::DVector;
use walk::{Bounds, coordinates_and_parameter};

/// More pieces are not followed.
const MOST: usize = 400;
/// Points of a piece, after which no other constraints are taken.
const MOST_POINTS: usize = 40_000;
/// Places closer than this, in parts of the units, are one.
const SAME: f64 = 1e-5;
/// A place where more than two branches meet, or where they touch, is known to this part of the units.
const ROUGH: f64 = 5e-5;
/// Where a middle is judged, equilibria as near as this part of a width are looked at.
const NEAR: f64 = 1e-2;
/// Where the parameter moves by no more than this part of its range, or of itself, along all of a piece, it stays.
const STAYS: f64 = 1e-12;
/// That tells something where the piece is longer than this part of the box.
const GOES: f64 = 1e-3;
/// A coordinate that is smaller than this part of the box at the ends of the range has this part of it as its width.
const SMALL: f64 = 0.05;

/// A parameter and the range it goes through.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Over {
    /// Its index.
    pub parameter: usize,
    /// The first value,
    pub from: f64,
    /// and the last, which is larger.
    pub to: f64,
    /// What is wanted of it.
    pub extent: Extent,
}

/// What is wanted of a range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// The branches that hang together with its ends.
    Followed,
    /// All that can be proven besides.
    Certified,
}

named! {
    /// What a place is.
    #[derive(Clone, Copy, PartialEq, Debug)]
    pub enum Place {
        /// An end of the range.
        End = "end",
        /// An end of the box.
        Edge = "edge",
        /// The branch turns back.
        Fold = "fold",
        /// Two branches meet, one of which stands upright there.
        Pitchfork = "pitchfork",
        /// Two branches cross.
        Transcritical = "transcritical",
        /// Branches meet in another way.
        Meeting = "branch_point",
        /// Equilibria fill a curve at this value of the parameter alone.
        Family = "family",
        /// A pair of exponents crosses the imaginary axis at this angular frequency.
        Hopf(f64) = "hopf",
        /// Two frequencies meet, at this one: two pairs of exponents leave the axis.
        Flutter(f64) = "flutter",
        /// This one-sided constraint lets go or begins to act.
        Contact(usize) = "contact",
        /// The constraints' gradients are dependent.
        Singular = "singular",
        /// This constraint, which others implied, is implied by them no longer.
        Parted(usize) = "parted",
        /// The equations are not smooth from there on, or have no value.
        Kink = "kink",
        /// It could not be followed further.
        Lost = "lost",
        /// The work was called off.
        CalledOff = "called_off",
    }
}

impl Place {
    /// The angular frequency at which several exponents come to grow.
    pub fn frequency(self) -> Option<f64> {
        match self {
            Self::Hopf(frequency) | Self::Flutter(frequency) => Some(frequency),
            _ => None,
        }
    }

    /// Does the number or the stability of equilibria change there?
    pub fn is_bifurcation(self) -> bool {
        !matches!(
            self,
            Self::End
                | Self::Edge
                | Self::Singular
                | Self::Parted(_)
                | Self::Kink
                | Self::Lost
                | Self::CalledOff
        )
    }
}

/// An equilibrium of a branch.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The parameter.
    pub p: f64,
    /// The coordinates.
    pub x: Vec<f64>,
    /// One a constraint.
    pub multipliers: Vec<f64>,
}

/// A place from which pieces go.
#[derive(Clone, Debug)]
pub struct Node {
    /// What it is.
    pub place: Place,
    /// Where.
    pub at: Point,
    /// How far off it may be, in parts of the units: the last step of Newton's method.
    pub blur: f64,
}

/// A part of a branch between two places.
#[derive(Clone, Debug)]
pub struct Segment {
    /// The place where it begins,
    pub from: usize,
    /// and where it ends.
    pub to: usize,
    /// Its points, both ends included but for one that is singular.
    pub points: Vec<Point>,
    /// Which of them is its middle.
    pub centre: usize,
    /// The equilibrium there, as it is judged; `None` where none was found again.
    pub middle: Option<Equilibrium>,
}

impl Segment {
    /// Are all its points at one value of the parameter?
    pub fn is_family(&self, found: &Continuation) -> bool {
        let over = &found.over;
        let goes = |(k, (lo, hi)): (usize, &(f64, f64))| {
            let places = self.points.iter().filter_map(|point| point.x.get(k));
            let least = places.clone().copied().fold(f64::INFINITY, f64::min);
            let most = places.copied().fold(f64::NEG_INFINITY, f64::max);
            most - least > GOES * (hi - lo)
        };
        if !found.region.iter().enumerate().any(goes) {
            return false;
        }
        let values = self.points.iter().map(|point| point.p);
        let least = values.clone().fold(f64::INFINITY, f64::min);
        let most = values.fold(f64::NEG_INFINITY, f64::max);
        let unit = (over.to - over.from).max(least.abs()).max(most.abs());
        self.points.len() > 2 && most - least <= STAYS * unit
    }
}

/// All that was followed.
#[derive(Clone, Debug)]
pub struct Continuation {
    /// The parameter.
    pub over: Over,
    /// The places.
    pub nodes: Vec<Node>,
    /// The parts of branches.
    pub pieces: Vec<Segment>,
    /// The velocities of what rests, where that is in a frame that moves.
    pub frame: Option<Vec<Expr>>,
    /// The box.
    pub region: Vec<(f64, f64)>,
    /// The angles of which it holds a turn or more, with their periods: equilibria a turn apart are told as one.
    pub periods: Vec<(usize, f64)>,
    /// Equilibria at the ends of the range that were not followed: families, and those at which the equations are singular.
    pub skipped: usize,
    /// Was more left than is followed?
    pub unfinished: bool,
    /// What is proven of the whole range, where that was asked for.
    pub certificate: Option<Result<Certificate, Unproven>>,
}

/// Why nothing can be followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unfollowed {
    /// Neither the equilibria nor their stability depend on the parameter.
    Idle,
    /// The parameter is in an exponent, which its value makes a whole number.
    Exponent,
    /// Part of the range is below zero, and the parameter is declared positive.
    Negative,
    /// Constraints move, and no frame was found in which anything rests.
    Moving,
    /// Velocity constraints leave a family to drift along.
    Rolling,
}

/// The branches of equilibria in a box; what there is of them is told after each piece. Called off (see [`is_over`]) it
/// gives what it has.
///
/// # Errors
///
/// There is nothing to follow.
///
/// # Panics
/// The place has not as many entries as there are coordinates.
pub fn follow(
    subject: &Subject,
    over: Over,
    around: &Around,
    tell: &mut dyn FnMut(&Continuation),
) -> Result<Continuation, Unfollowed> {
    if !subject.system.velocity_constraints.is_empty() {
        return Err(Unfollowed::Rolling);
    }
    let parameter = subject.system.parameters.get(over.parameter);
    let positive = subject.system.pool.told_positive();
    if over.from < 0.0 && parameter.is_some_and(|p| positive.contains(&p.symbol)) {
        return Err(Unfollowed::Negative);
    }
    if !subject.equations.rheonomic(subject.system) {
        return Ok(Following::new(subject, over, around)?.all(None, tell));
    }
    let n = subject.system.coordinates.len();
    let mut region: Vec<(f64, f64)> = around.centre.iter().map(|x| (*x, *x)).collect();
    for &(k, side) in &around.region {
        region[k] = side;
    }
    assert_eq!(region.len(), n);
    let (system, rates) = subject.frame(around.t, &region).ok_or(Unfollowed::Moving)?;
    Subject::alone(&system, &[], |own| {
        Ok(Following::new(own, over, around)?.all(Some(rates), tell))
    })
}

/// A place with what is still to be followed from it.
struct Inner {
    /// whose equations hold there, and the unknowns: several where a one-sided constraint lets go
    on: Vec<(usize, DVector<f64>)>,
    /// places as near as this are the same, in parts of the units
    reach: f64,
    /// the largest work along the branch that led here
    work: f64,
    halves: Vec<Half>,
}

impl Inner {
    /// The unknowns of these equations there.
    fn of(&self, curve: usize) -> Option<&DVector<f64>> {
        let own = self.on.iter().find(|(other, _)| *other == curve)?;
        Some(&own.1)
    }
}

/// One way on.
struct Half {
    curve: usize,
    way: DVector<f64>,
    done: bool,
}

impl Half {
    fn new(curve: usize, way: DVector<f64>) -> Self {
        Self {
            curve,
            way,
            done: false,
        }
    }

    /// Of those of these curves that are not done, that which looks back most when one comes along `border` is.
    fn came_by(halves: &mut [Self], (curves, border): (&[usize], &DVector<f64>)) {
        let halves = halves.iter_mut();
        let halves = halves.filter(|half| curves.contains(&half.curve) && !half.done);
        let onward = |half: &Self| coordinates_and_parameter(border.len() - 1, &half.way);
        match largest(halves, |half| -onward(half).dot(border)) {
            Some((half, back)) if back > 0.5 => half.done = true,
            _ => {}
        }
    }
}

/// The part of a range after which its equilibria are looked for: a value that nobody would choose, as at others, such as 0, the
/// equations may repeat more often.
const WITHIN: f64 = 0.518_793_7;

/// A value inside a range.
fn inside((from, to): (f64, f64)) -> f64 {
    from + WITHIN * (to - from)
}

struct Following<'a> {
    subject: &'a Subject<'a>,
    statics: Statics,
    over: Over,
    t: f64,
    /// what is a long way for the coordinates and the parameter
    width: DVector<f64>,
    /// what acts and what does not, and the equations of that
    curves: Vec<(Vec<usize>, Curve)>,
    bounds: Bounds,
    nodes: Vec<Inner>,
    /// in which equations each piece was followed
    told: Vec<usize>,
    /// did a way on lead nowhere?
    lost: bool,
    /// what there is of it, a node for each of those
    found: Continuation,
}

impl<'a> Following<'a> {
    fn new(subject: &'a Subject<'a>, over: Over, around: &Around) -> Result<Self, Unfollowed> {
        let system = subject.system;
        let n = system.coordinates.len();
        let mut own = Self {
            subject,
            statics: Statics::new(system, subject.equations),
            over,
            t: around.t,
            width: DVector::from_element(n + 1, 1.0),
            curves: Vec::new(),
            bounds: Bounds::default(),
            nodes: Vec::new(),
            told: Vec::new(),
            lost: false,
            found: Continuation {
                over,
                nodes: Vec::new(),
                pieces: Vec::new(),
                frame: None,
                region: Vec::new(),
                periods: Vec::new(),
                skipped: 0,
                unfinished: true,
                certificate: None,
            },
        };
        let all: Vec<usize> = (0..system.constraints.len()).collect();
        let plain = own.curve(&all, &all);
        let plain = plain
            .filter(|curve| curve.depends)
            .ok_or(Unfollowed::Idle)?;
        let ends = [over.from, over.to].map(|p| (p, own.at(p, around)));
        let [(_, first), _] = &ends;
        let lists = ends.iter().flat_map(|(_, found)| &found.list);
        let mut width = DVector::zeros(n + 1);
        for e in lists {
            for k in 0..n {
                width[k] = f64::max(width[k], e.x[k].abs());
            }
        }
        for (k, (lo, hi)) in first.region.iter().enumerate() {
            let whole = hi - lo;
            if width[k] < SMALL * SMALL * whole {
                width[k] = SMALL * whole;
            }
            width[k] = width[k].min(whole);
        }
        width[n] = over.to - over.from;
        own.width = width;
        own.bounds = Bounds {
            range: (over.from, over.to),
            sides: first.region.clone(),
            periods: own.turning(&plain, &first.region),
        };
        own.found.region.clone_from(&own.bounds.sides);
        let periods = own.bounds.periods.iter().enumerate();
        own.found.periods = periods.filter_map(|(k, p)| Some((k, (*p)?))).collect();
        for (p, found) in &ends {
            for e in &found.list {
                own.start(e, *p);
            }
        }
        Ok(own)
    }

    /// The periods of coordinates that are angles whatever the parameter is, and of which the box holds whole turns: else its
    /// sides are ends.
    fn turning(&self, curve: &Curve, sides: &[(f64, f64)]) -> Vec<Option<f64>> {
        let system = self.subject.system;
        let (unknowns, equations) = curve.symbols();
        let mut exact = Numbers::new(system, self.t).exact;
        if let Some(p) = unknowns.last() {
            exact.remove(p);
        }
        let equations = system.pool.substitute_all(equations, &exact);
        let found = periods(&system.pool, &equations, &unknowns[..sides.len()]);
        let whole = |(k, side): (usize, &(f64, f64))| {
            period_of(&found, k).filter(|period| goes_round(*side, *period))
        };
        sides.iter().enumerate().map(whole).collect()
    }

    /// The equilibria at a value of the parameter.
    fn at(&self, p: f64, around: &Around) -> Equilibria {
        let system = self.subject.system.with_parameter(self.over.parameter, p);
        let subject = Subject {
            system: &system,
            ..*self.subject
        };
        asked(|| equilibria(&subject, around)).0
    }

    /// The equations of these constraints, of those in force.
    fn curve(&self, rows: &[usize], all: &[usize]) -> Option<Curve> {
        let own = (self.subject.system, &self.statics);
        let width = self.width.clone();
        Curve::new(own, (rows, all, self.t), self.over.parameter, width)
    }

    /// The number of the equations without these constraints; of those left the ones in use are these, or those independent at
    /// the start.
    fn without(&mut self, released: &[usize], rows: Option<Vec<usize>>) -> Option<usize> {
        let all = 0..self.subject.system.constraints.len();
        let all: Vec<usize> = all.filter(|b| !released.contains(b)).collect();
        let rows = rows.unwrap_or_else(|| {
            let independent = self.subject.independent;
            let used = |b: &usize| independent.is_none_or(|list| list.contains(b));
            all.iter().copied().filter(used).collect()
        });
        let mut known = self.curves.iter();
        if let Some(known) = known.position(|(own, curve)| own == released && curve.rows == rows) {
            return Some(known);
        }
        let curve = self.curve(&rows, &all)?;
        self.curves.push((released.to_vec(), curve));
        Some(self.curves.len() - 1)
    }

    /// Do these equations hold at the same points: is the same released?
    fn are_alike(&self, one: usize, other: usize) -> bool {
        self.curves[one].0 == self.curves[other].0
    }

    /// The way from one point to the next, in parts of the units.
    fn onward(&self, place: usize, from: &DVector<f64>, to: &DVector<f64>) -> DVector<f64> {
        let curve = &self.curves[place].1;
        let last = curve.size() - 1;
        let mut way = curve.border(&(to - from));
        for (k, width) in curve.width.iter().enumerate() {
            way[if k < curve.n { k } else { last }] /= *width;
        }
        way.normalize()
    }

    /// The same point and tangent, or none, in the equations of constraints that are far from dependent there.
    fn in_others(
        &mut self,
        place: usize,
        (y, way): (&DVector<f64>, Option<&DVector<f64>>),
    ) -> Option<(usize, DVector<f64>, Option<DVector<f64>>)> {
        let (released, curve) = &self.curves[place];
        let (released, rows) = (released.clone(), curve.others(y)?);
        let Point { p, x, multipliers } = self.point(place, y);
        let way = way.map(|way| coordinates_and_parameter(curve.n, way));
        let work = curve.largest();
        let other = self.without(&released, Some(rows))?;
        let curve = &self.curves[other].1;
        curve.take_up(work);
        let y = curve.gathered(&x, &multipliers, p);
        let border = way.map(|way| {
            let mut border = DVector::zeros(curve.size());
            border.rows_mut(0, curve.n).copy_from(&way.rows(0, curve.n));
            border[curve.size() - 1] = way[curve.n];
            border
        });
        let axis = curve.axis(curve.size() - 1);
        let found = curve.correct(&y, border.as_ref().unwrap_or(&axis))?;
        let way = match border {
            Some(border) => Some(curve.tangent(&found.local, &border)?.0),
            None => None,
        };
        Some((other, found.y, way))
    }

    /// The equations that an equilibrium belongs to, and the unknowns.
    fn taken_up(&mut self, e: &Equilibrium, p: f64) -> Option<(usize, DVector<f64>)> {
        let place = self.without(&e.released, None)?;
        let curve = &self.curves[place].1;
        let y = curve.gathered(&e.x, &e.multipliers, p);
        let others = self.in_others(place, (&y, None));
        Some(others.map_or((place, y), |(other, there, _)| (other, there)))
    }

    /// Takes up an equilibrium at an end of the range.
    fn start(&mut self, e: &Equilibrium, p: f64) {
        let Some((place, y)) = self.taken_up(e, p) else {
            return;
        };
        let inward = if p < self.over.to { 1.0 } else { -1.0 };
        let (mut on, mut halves) = (Vec::new(), Vec::new());
        for (place, y) in self.choices((place, &y), 0.0, None) {
            let curve = &self.curves[place].1;
            let inward = curve.axis(curve.size() - 1) * inward;
            curve.take_up(0.0);
            let tangent = e.along.is_none().then(|| {
                let found = curve.correct(&y, &inward)?;
                curve.note(&found.local);
                let (way, _) = curve.tangent(&found.local, &inward)?;
                let stiffness = curve.stiffness(&found.local);
                let regular = curve.is_regular(&found.local)
                    && !stiffness.iter().any(|v| found.local.is_nothing(*v));
                regular.then_some((found.y, way))
            });
            if let Some((y, way)) = tangent.flatten() {
                on.push((place, y));
                halves.push(Half::new(place, way));
            }
        }
        match on.first().cloned() {
            Some(first) => {
                let node = self.node((Place::End, 0.0), first, halves);
                self.nodes[node].on = on;
            }
            None => self.found.skipped += 1,
        }
    }

    /// Takes up an equilibrium inside the range: from the first place on its branch there is a way back, too.
    fn start_inside(&mut self, e: &Equilibrium, p: f64) -> Option<()> {
        let (place, y) = self.taken_up(e, p)?;
        let curve = &self.curves[place].1;
        curve.take_up(0.0);
        let onward = curve.axis(curve.size() - 1);
        let found = curve.correct(&y, &onward)?;
        let (way, _) = curve.tangent(&found.local, &onward)?;
        let (_, arrival) = self.bounds.walk(curve, (&found.y, &way, 0.0));
        let (back, known) = (-&arrival.way, self.nodes.len());
        let node = self.arrive(place, arrival);
        if node == known {
            self.nodes[node].halves.push(Half::new(place, back));
        }
        Some(())
    }

    /// Takes up the equilibria at a value inside the range that no branch so far has.
    fn start_at(&mut self, p: f64) {
        let mut list = self.at(p, &self.around()).list;
        list.retain(|e| e.along.is_none());
        for crossing in self.found.crossings(p) {
            let apart = |e: &Equilibrium| -> f64 {
                let ways = e.x.iter().zip(&crossing).zip(&self.bounds.periods);
                let ways = ways.map(|((a, b), period)| within_a_turn(a - b, *period));
                let parts = ways.zip(self.width.iter());
                parts.map(|(way, width)| (way / width).powi(2)).sum()
            };
            let places = 0..list.len();
            let nearest = places.min_by(|a, b| apart(&list[*a]).total_cmp(&apart(&list[*b])));
            if let Some(nearest) = nearest {
                list.swap_remove(nearest);
            }
        }
        for e in list {
            self.start_inside(&e, p);
        }
    }

    /// Where equilibria are looked for.
    fn around(&self) -> Around {
        let sides = &self.bounds.sides;
        Around {
            t: self.t,
            centre: sides.iter().map(|(lo, hi)| 0.5 * (lo + hi)).collect(),
            region: sides.iter().copied().enumerate().collect(),
        }
    }

    fn all(
        mut self,
        frame: Option<Vec<Expr>>,
        tell: &mut dyn FnMut(&Continuation),
    ) -> Continuation {
        self.found.frame = frame;
        let first = self.nodes.len();
        self.all_open(tell);
        if self.found.pieces.is_empty() {
            self.start_at(inside((self.over.from, self.over.to)));
            self.all_open(tell);
        }
        if self.over.extent == Extent::Certified {
            // also where no equilibrium at the ends asked for them
            self.without(&[], None);
            let certificate = self.certify();
            let stretches = certificate.as_ref().map_or(&[][..], Certificate::stretches);
            for stretch in stretches {
                let p = inside(stretch.ends());
                let known = self.found.crossings(p).len();
                if stretch.count().is_some_and(|count| count > known) {
                    self.start_at(p);
                    self.all_open(tell);
                }
            }
            self.found.certificate = Some(certificate);
        }
        self.found.unfinished = self.lost || self.open().is_some();
        self.forget_unused(first);
        self.found
    }

    /// A way on that is not followed yet, with the fewest constraints that act: of what two choices have the one that tells more is
    /// told.
    fn open(&self) -> Option<(usize, usize)> {
        let nodes = self.nodes.iter().enumerate();
        let halves = nodes.flat_map(|(i, node)| (0..node.halves.len()).map(move |k| (i, k)));
        let half = |(i, k): &(usize, usize)| &self.nodes[*i].halves[*k];
        let halves = halves.filter(|at| !half(at).done);
        halves.min_by_key(|at| self.curves[half(at).curve].1.m)
    }

    fn all_open(&mut self, tell: &mut dyn FnMut(&Continuation)) {
        while self.found.pieces.len() < MOST
            && !is_over()
            && let Some((from, half)) = self.open()
        {
            self.piece(from, half);
            tell(&self.found);
        }
    }

    fn point(&self, curve: usize, y: &DVector<f64>) -> Point {
        let curve = &self.curves[curve].1;
        let mut multipliers = vec![0.0; self.subject.system.constraints.len()];
        for (b, lambda) in curve.multipliers(y) {
            multipliers[b] = lambda + 0.0;
        }
        Point {
            p: y[curve.size() - 1],
            // a zero has no sign
            x: y.rows(0, curve.n).iter().map(|v| v + 0.0).collect(),
            multipliers,
        }
    }

    /// Follows one way on from a place to the next.
    fn piece(&mut self, from: usize, half: usize) {
        let node = &mut self.nodes[from];
        node.halves[half].done = true;
        let (mut place, mut way) = (node.halves[half].curve, node.halves[half].way.clone());
        let Some(mut start) = node.of(place).cloned() else {
            return;
        };
        self.curves[place].1.take_up(node.work);
        let mut blur = self.found.nodes[from].blur;
        let mut points: Vec<(usize, DVector<f64>)> = Vec::new();
        let arrival = loop {
            let (own, arrival) = self
                .bounds
                .walk(&self.curves[place].1, (&start, &way, blur));
            if arrival.place == Place::End && arrival.y == start && points.is_empty() {
                // the way leads out
                return;
            }
            // where those in use depend on each other and all do not, others are
            let moved = own.len() > 1 || points.is_empty();
            let last = own.last();
            let last = last.filter(|_| moved && arrival.place == Place::Singular);
            let onward = match own.as_slice() {
                [.., before, last] => self.onward(place, before, last),
                _ => way.clone(),
            };
            let on = last.and_then(|y| self.in_others(place, (y, Some(&onward))));
            points.extend(own.into_iter().map(|y| (place, y)));
            match on {
                Some((other, y, Some(onward))) if points.len() < MOST_POINTS => {
                    points.pop();
                    (place, start, way, blur) = (other, y, onward, 0.0);
                }
                _ => break arrival,
            }
        };
        let short = points.len() < 2 && self.apart(place, &start, &arrival.y) < SAME;
        let stops = matches!(arrival.place, Place::Lost | Place::Kink | Place::Singular);
        self.lost |= short && arrival.place == Place::Lost;
        if short && stops {
            return;
        }
        let told = self.is_told(&points, &arrival.y);
        let to = self.arrive(place, arrival);
        let reach = self.nodes[from].reach;
        let far = |(_, y): &(usize, DVector<f64>)| self.apart(place, &points[0].1, y) > reach;
        if told || to == from && !points.iter().any(far) {
            return;
        }
        // a singular place has no multipliers
        let mut last = self.nodes[to].on.iter();
        let last = last.find(|(other, _)| self.are_alike(*other, place));
        let last = last.filter(|_| self.found.nodes[to].place != Place::Singular);
        points.extend(last.cloned());
        let centre = self.centre(place, &points.iter().map(|(_, y)| y).collect::<Vec<_>>());
        let points: Vec<Point> = points.iter().map(|(own, y)| self.point(*own, y)).collect();
        let middle = points.get(centre).filter(|_| points.len() > 2);
        let middle = middle.and_then(|point| self.judged(place, point));
        let piece = Segment {
            from,
            to,
            points,
            centre,
            middle,
        };
        if piece.is_family(&self.found) {
            // what looks like a pitchfork has an arm that stands upright all along
            for node in [from, to] {
                let place = &mut self.found.nodes[node].place;
                if matches!(
                    place,
                    Place::Pitchfork | Place::Transcritical | Place::Meeting
                ) {
                    *place = Place::Family;
                }
            }
        }
        self.told.push(place);
        self.found.pieces.push(piece);
    }

    fn apart(&self, place: usize, a: &DVector<f64>, b: &DVector<f64>) -> f64 {
        self.bounds.distance(&self.curves[place].1, a, b)
    }

    /// The point that is as far from one end as from the other, by the length of the curve.
    fn centre(&self, place: usize, points: &[&DVector<f64>]) -> usize {
        let curve = &self.curves[place].1;
        let steps = points.windows(2);
        let mut length = 0.0;
        let lengths: Vec<f64> = steps
            .map(|pair| {
                length += self.bounds.distance(curve, pair[0], pair[1]);
                length
            })
            .collect();
        1 + lengths.partition_point(|l| *l < 0.5 * length)
    }

    /// The equilibrium at a point, found again by itself and judged.
    fn judged(&self, curve: usize, point: &Point) -> Option<Equilibrium> {
        let (released, curve) = &self.curves[curve];
        let sides = point.x.iter().zip(curve.width.iter()).enumerate();
        let around = Around {
            t: self.t,
            centre: point.x.clone(),
            region: sides
                .map(|(k, (x, w))| (k, (x - NEAR * w, x + NEAR * w)))
                .collect(),
        };
        let found = self.at(point.p, &around);
        let far = |e: &Equilibrium| {
            let pairs = e.x.iter().zip(&point.x).zip(curve.width.iter());
            pairs
                .map(|((a, b), w)| ((a - b) / w).abs())
                .fold(0.0, f64::max)
        };
        // what carries nothing may be taken to act or not
        let other = |e: &Equilibrium| e.released != *released;
        let list = found.list.into_iter().filter(|e| far(e) < SAME);
        list.min_by(|a, b| other(a).cmp(&other(b)).then(far(a).total_cmp(&far(b))))
    }
}
