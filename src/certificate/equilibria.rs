//! Claims on equilibria: the zeros of the equations of statics, by the one-sided constraints that do not act, face by face of
//! what the multipliers may be.

use super::case::{Case, Root};
use super::claims::{Claim, Face as Shown, Given, More};
use super::plain::{Names, fraction};
use super::steps::Prover;
use super::{BOXES, is_near, one_turn, told, written, zeros};
use crate::analysis::Model;
use crate::expr::{Expr, Interval, Number};
use crate::interval::{Equations, Region, Scratch, apart};
use crate::statics::{Equilibria, Equilibrium, Numbers};
use rustc_hash::FxHashMap;

/// One-sided constraints that claims are made of: there is a face for each choice of them.
const SIDED: usize = 6;

/// Units of multipliers; for the second time each has its own: by symmetry two multipliers may be the largest.
pub(super) fn units(count: usize, scale: i64) -> Vec<Number> {
    let unit = |b: usize| {
        let part = i64::try_from(b).map_or(Number::ZERO, |b| Number::from(b * (scale - 1)));
        let part = part.mul(&Number::parse("0.0625").unwrap_or(Number::ZERO));
        Number::from(scale).add(&part)
    };
    (0..count).map(unit).collect()
}

/// The equations of statics in coordinates, mu and u.
pub(super) struct Statics<'a> {
    model: &'a Model,
    names: Names,
    found: &'a Equilibria,
    /// f - c by constraint
    levels: Vec<Expr>,
    /// without them
    balances: Vec<Expr>,
    x: Vec<Expr>,
    /// mu and u
    multipliers: Vec<Expr>,
    rounded: Vec<(Expr, Interval)>,
    region: Region,
    /// The units of u.
    scales: Vec<Number>,
}

/// Of what a face is: the one-sided constraints that are released, and the multiplier that is one.
type Face = (Vec<usize>, usize);

/// What one-sided constraints make of a solution.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kept {
    Yes,
    No,
    Open,
}

/// A root that is claimed: the constraints released, whether it is one of a family, and where it is.
struct Told {
    released: Vec<usize>,
    family: bool,
    place: Region,
}

impl Told {
    /// Of n coordinates.
    fn new(face: &Face, root: &Root, n: usize) -> Self {
        Self {
            released: face.0.clone(),
            family: root.free.iter().any(|k| *k < n),
            place: root.place[..n].to_vec(),
        }
    }

    /// May both be one? Of a family there may be more in a box, but not twice in the same.
    fn is_that(&self, other: &Self) -> bool {
        let members = self.family && other.family && self.place != other.place;
        self.released == other.released && !members && !apart(&self.place, &other.place)
    }
}

impl<'a> Statics<'a> {
    pub(super) fn new(model: &'a Model, found: &'a Equilibria, scale: i64) -> Self {
        let system = &model.system;
        let pool = &system.pool;
        let Numbers { exact, rounded } = Numbers::new(&model.system, found.t);
        let still = system.at_rest();
        let scales = units(system.multipliers().count(), scale);
        let mu = pool.symbol("mu#", crate::expr::SymbolKind::Other(usize::MAX / 2));
        let u: Vec<Expr> = system.multipliers().collect();
        let x: Vec<Expr> = system.positions();
        let levels: Vec<Expr> = system.residuals().collect();
        let mut balances: Vec<Expr> = system.velocity_constraints.iter().map(|c| c.b).collect();
        let mut rows: Vec<Vec<Expr>> = (system.constraints.iter())
            .map(|c| x.iter().map(|x| pool.derivative(c.f, *x)).collect())
            .collect();
        rows.extend(system.velocity_constraints.iter().map(|c| c.row.clone()));
        for (k, c) in system.coordinates.iter().enumerate() {
            let l = system.lagrangian;
            let inertia = pool.derivative(pool.derivative(l, c.v), system.t);
            let force = pool.sub(pool.sub(inertia, pool.derivative(l, c.x)), system.forces[k]);
            let mut terms = vec![pool.mul(mu, pool.substitute(force, &still))];
            terms.extend(
                rows.iter()
                    .zip(&u)
                    .zip(&scales)
                    .map(|((row, u), s)| pool.scale(pool.mul(*u, row[k]), &s.neg())),
            );
            balances.push(pool.sum(terms));
        }
        let region = one_turn(&found.periods, &found.region);
        Self {
            model,
            names: Names::new(model),
            found,
            levels: pool.substitute_all(&levels, &exact),
            balances: pool.substitute_all(&balances, &exact),
            x,
            multipliers: [vec![mu], u].concat(),
            rounded,
            region,
            scales,
        }
    }

    /// All faces.
    fn faces(&self) -> Vec<Face> {
        let sided = self.sided();
        let choices = (0..1_usize << sided.len()).map(|choice| {
            let own = sided.iter().enumerate();
            let own = own.filter(|(place, _)| choice >> place & 1 == 1);
            own.map(|(_, b)| *b).collect::<Vec<usize>>()
        });
        let of = |released: Vec<usize>| {
            let acting = self.acting(&released).into_iter();
            acting
                .map(|number| (released.clone(), number))
                .collect::<Vec<Face>>()
        };
        choices.flat_map(of).collect()
    }

    fn sided(&self) -> Vec<usize> {
        self.model.system.one_sided()
    }

    /// mu, and the multipliers of what is not released.
    fn acting(&self, released: &[usize]) -> Vec<usize> {
        let acts = |place: &usize| *place == 0 || !released.contains(&(place - 1));
        (0..self.multipliers.len()).filter(acts).collect()
    }

    /// The multipliers that are unknown on a face.
    fn others(&self, (released, number): &Face) -> Vec<usize> {
        let mut others = self.acting(released);
        others.retain(|place| place != number);
        others
    }

    fn unknowns(&self, face: &Face) -> Vec<Expr> {
        let others = self.others(face).into_iter();
        let others = others.map(|place| self.multipliers[place]);
        self.x.iter().copied().chain(others).collect()
    }

    /// The equations of a face.
    fn equations(&self, (released, number): &Face) -> Vec<Expr> {
        let pool = &self.model.system.pool;
        let held = (0..self.levels.len()).filter(|b| !released.contains(b));
        let list: Vec<Expr> = held
            .map(|b| self.levels[b])
            .chain(self.balances.iter().copied())
            .collect();
        let mut by: FxHashMap<Expr, Expr> = released
            .iter()
            .map(|b| (self.multipliers[b + 1], pool.zero()))
            .collect();
        by.insert(self.multipliers[*number], pool.one());
        pool.substitute_all(&list, &by)
    }

    /// The equations of a face; those that values may be put into are multiplied out.
    fn case<'c>(&'c self, face: &Face, unknowns: &'c [Expr], tidy: bool) -> Case<'c> {
        let common = (&self.model.system.pool, self.rounded.as_slice());
        let names = tidy.then_some(&self.names);
        Case::new(common, unknowns, names, self.equations(face))
    }

    fn sides_of(&self, face: &Face) -> Region {
        let mut region = self.region.clone();
        region.extend(self.others(face).iter().map(|_| Interval::new(-1.0, 1.0)));
        region
    }

    /// Do the one-sided constraints that act push at a root, and are the others kept? In a family it may be open where.
    fn kept(&self, face: &Face, root: &Root) -> Kept {
        let (sided, pool) = (self.sided(), &self.model.system.pool);
        if sided.is_empty() {
            return Kept::Yes;
        }
        let of = |b: &usize| {
            if face.0.contains(b) {
                self.levels[*b]
            } else {
                pool.mul(self.multipliers[0], self.multipliers[b + 1])
            }
        };
        let unknowns = self.unknowns(face);
        let put = root.puts.iter().map(|(k, e, _)| (unknowns[*k], *e));
        let one = (self.multipliers[face.1], pool.one());
        let by: FxHashMap<Expr, Expr> = put.chain([one]).collect();
        let signs: Vec<Expr> = sided.iter().map(of).collect();
        let signs = pool.substitute_all(&signs, &by);
        let equations = Equations::new(pool, &unknowns, &self.rounded, &signs);
        let (values, _) = equations.values(&root.place, &mut Scratch::default());
        let mut kept = Kept::Yes;
        for (b, sign) in sided.iter().zip(values) {
            let released = face.0.contains(b);
            if sign.hi < 0.0 || released && sign.hi == 0.0 {
                return Kept::No;
            }
            if sign.lo < 0.0 || released && sign.lo == 0.0 {
                kept = Kept::Open;
            }
        }
        kept
    }

    /// Is mu zero at a root, or may it be? There the gradients may be dependent.
    fn may_lack_force(&self, face: &Face, root: &Root) -> bool {
        let mu = root.place.get(self.x.len());
        face.1 > 0 && mu.is_none_or(|mu| mu.contains(0.0))
    }

    /// That there are these and no others.
    pub(super) fn all(&self, proven: &[&Equilibrium], boxes: usize) -> Option<Claim> {
        let families = proven.iter().any(|e| e.of_a_family());
        let put = families || !self.sided().is_empty();
        // what is multiplied out is the same to the checker, else its bounds may be other
        let ways = [(false, true), (false, false), (true, true)].into_iter();
        let mut ways = ways.filter(|(puts, _)| if *puts { put } else { !families });
        ways.find_map(|way| self.all_by(proven, way, boxes))
    }

    /// The same, where values may be put for unknowns, and by equations that are multiplied out or not.
    fn all_by(
        &self,
        proven: &[&Equilibrium],
        (puts, tidy): (bool, bool),
        boxes: usize,
    ) -> Option<Claim> {
        if self.sided().len() > SIDED {
            return None;
        }
        let (mut faces, mut places) = (Vec::new(), Vec::<Told>::new());
        let mut seen = vec![false; proven.len()];
        let mut count = 0;
        let n = self.x.len();
        for face in self.faces() {
            let (region, unknowns) = (self.sides_of(&face), self.unknowns(&face));
            let case = self.case(&face, &unknowns, tidy);
            let mut prover = Prover::of_case(&case, &region, boxes);
            if puts {
                prover = prover.putting(n);
            }
            if !prover.run() {
                return None;
            }
            for root in &prover.roots {
                // where a multiplier is larger than the one that is 1 it belongs to another face
                if apart(&root.place[n..], &region[n..]) {
                    continue;
                }
                let outside = apart(&root.at, &region);
                let kept = self.kept(&face, root);
                let told = Told::new(&face, root, n);
                if self.may_lack_force(&face, root)
                    || root.free.iter().any(|k| *k >= n)
                    || kept == Kept::Open && !told.family
                {
                    return None;
                }
                let mut known = false;
                for (seen, e) in seen.iter_mut().zip(proven) {
                    let is_at = || is_near(root, &e.x, &self.found.periods, &self.region);
                    if kept != Kept::No && e.released == face.0 && is_at() {
                        (*seen, known) = (true, true);
                    }
                }
                let twice = places.iter().any(|other| other.is_that(&told));
                if !known && !outside && kept != Kept::No || twice {
                    return None;
                }
                count += usize::from(kept != Kept::No);
                places.push(told);
            }
            faces.push(told(prover, Some(face.1), &face.0));
        }
        let every = seen.iter().all(|seen| *seen);
        every.then(|| self.claim(true, faces, count))
    }

    /// A claim on the faces, as far as they are shown.
    fn claim(&self, complete: bool, faces: Vec<Shown>, count: usize) -> Claim {
        let scales = self.scales.iter().map(fraction).collect();
        let of = ("equilibria", Given::Fraction(written(self.found.t)));
        let more = More::Equilibria { scales };
        zeros(of, &self.region, (complete, count), faces, more)
    }

    /// Those that can be shown one by one, and how many cannot.
    pub(super) fn each(&self, proven: &[&Equilibrium]) -> (Option<Claim>, usize) {
        let (mut faces, mut missing, mut count) = (Vec::new(), proven.len(), 0);
        let mut places = Vec::<Told>::new();
        for face in self.faces() {
            let (region, unknowns) = (self.sides_of(&face), self.unknowns(&face));
            let case = self.case(&face, &unknowns, true);
            let mut prover = Prover::of_case(&case, &region, BOXES).putting(self.x.len());
            for e in proven.iter().filter(|e| e.released == face.0) {
                let values: Vec<f64> = [1.0].iter().chain(&e.multipliers).copied().collect();
                let Some(largest) = (0..values.len())
                    .max_by(|a, b| values[*a].abs().total_cmp(&values[*b].abs()).then(b.cmp(a)))
                else {
                    continue;
                };
                if largest != face.1 || values.len() != self.multipliers.len() {
                    continue;
                }
                let others = self.others(&face).into_iter();
                let others = others.map(|place| values[place] / values[largest]);
                let point: Vec<f64> = e.x.iter().copied().chain(others).collect();
                let before = prover.roots.len();
                let alone = prover.add_near(&point) && prover.roots.len() > before;
                let last = prover.roots.last().filter(|_| alone);
                let good = last.filter(|root| {
                    self.kept(&face, root) == Kept::Yes && !self.may_lack_force(&face, root)
                });
                let told = good.map(|root| Told::new(&face, root, self.x.len()));
                let told = told.filter(|own| !places.iter().any(|other| other.is_that(own)));
                if let Some(told) = told {
                    (missing, count) = (missing - 1, count + 1);
                    places.push(told);
                } else if alone {
                    prover.roots.pop();
                }
            }
            if !prover.roots.is_empty() {
                faces.push(told(prover, Some(face.1), &face.0));
            }
        }
        let any = !faces.is_empty();
        let claim = any.then(|| self.claim(false, faces, count));
        (claim, missing)
    }
}
