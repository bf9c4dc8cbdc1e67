//! Certificates: what an answer claims to be proven, with the evidence in steps that somebody else's program verifies.
//!
//! The format is described in docs/certificates.md; `tools/certify.py` is written from that, not from this. Nothing here is
//! believed: a certificate that is wrong is refused there. The steps are found anew, by cutting boxes until each part has
//! a reason that is simple to check; where none is found the claim is left out, and that is said.

mod case;
mod claims;
mod equilibria;
mod lacking;
mod one_to_one;
mod plain;
mod singular;
mod steps;

pub use lacking::Lacking;

use crate::analysis::{
    AtlasAnswer, Check, InverseAnswer, MapAnswer, Model, Overrides, SingularEntry, Where,
};
use crate::expr::{Expr, Interval, Number};
use crate::interval::{Equations, Region, Step, box_of, middles};
use crate::statics::{Equilibria, Equilibrium, Numbers};
use crate::theorem::{Mark, half_turn, period_of, within_a_turn};
use case::{Case, Root};
use claims::{Alone, Claim, Cover, Face, Given, Matrix, More, Piece, Side, Sides, Zeros};
use equilibria::Statics;
use one_to_one::OneToOne;
use plain::{Names, written};
use rustc_hash::FxHashMap;
use serde::Serialize;
use serde_json::Value;
use steps::Prover;

/// Boxes that a claim may be cut into.
const BOXES: usize = 20_000;
/// Instructions that their equations may have together, in the points where det J_D = 0.
const EFFORT: usize = 1_000_000;
/// A period is cut away from where solutions like to be, by this part of it.
const CUT: f64 = 0.0137;
/// Solutions nearer to each other than this part of the region are the same.
const SAME: f64 = 1e-6;
/// Units of multipliers: another is taken where one is at an edge of its range, where two faces share it.
const SCALES: [i64; 2] = [1, 3];
/// A piece is shown on a box larger by this part of its sides: the steps that cover the set need not end on its edge.
const MORE: f64 = 1e-7;
/// And as if these were at least such a part of the region's.
const LEAST: f64 = 1e-6;
/// The same of what is left.
const LEAST_LEFT: f64 = 1e-2;
/// What is left of a map may be larger by this part of the longest box that is drawn: there the steps would else go into
/// slivers.
const NEAR: f64 = 0.05;

/// A certificate, as it is written.
#[derive(Clone, Debug, Serialize)]
pub struct Certificate {
    format: &'static str,
    version: u32,
    system: Value,
    claims: Vec<Claim>,
    /// What is proven and not in it.
    #[serde(skip)]
    pub lacking: Vec<Lacking>,
}

impl Certificate {
    fn begin(model: &Model) -> Result<Self, Lacking> {
        if !model.ranging_parameters().is_empty() {
            return Err(Lacking::Ranging);
        }
        Ok(Self {
            format: "holonom certificate",
            version: 2,
            system: Names::new(model).system(model)?,
            claims: Vec::new(),
            lacking: Vec::new(),
        })
    }

    fn add(&mut self, claim: Option<Claim>, else_: Lacking) {
        match claim {
            Some(claim) => self.claims.push(claim),
            None => self.lacking.push(else_),
        }
    }

    fn ended(self) -> Result<Self, Lacking> {
        if self.claims.is_empty() {
            return Err(self
                .lacking
                .into_iter()
                .next()
                .unwrap_or(Lacking::NothingProven));
        }
        Ok(self)
    }

    /// What is proven of a system at its start, of its equilibria and of its charts, in one.
    pub fn of_model(model: &Model, dependent: Option<&[usize]>) -> Result<Self, Lacking> {
        let mut own = Self::begin(model)?;
        let (part, _) = model.part(&Overrides::default(), &[]);
        let site = model.site(&Overrides::default()).ok();
        let check = site.map(|site| model.check(site, dependent, &[]));
        let parts = [
            check.map_or(Err(Lacking::NothingProven), |c| Self::of_check(model, &c)),
            Self::of_equilibria(model, &model.equilibria(&Where::default())),
            Self::of_atlas(model, &model.atlas(part, None)),
        ];
        for part in parts {
            match part {
                Ok(part) => {
                    own.claims.extend(part.claims);
                    own.lacking.extend(part.lacking);
                }
                Err(Lacking::NothingProven) => {}
                Err(lacking) => own.lacking.push(lacking),
            }
        }
        own.ended()
    }

    /// What is claimed: of what kinds, and how many steps show it.
    pub fn contents(&self) -> impl Iterator<Item = (&'static str, usize)> {
        self.claims
            .iter()
            .map(|claim| (claim.kind(), claim.steps()))
    }

    /// What `check` has proven.
    pub fn of_check(model: &Model, check: &Check) -> Result<Self, Lacking> {
        let mut own = Self::begin(model)?;
        let t = check.site.t;
        let dependent = &check.verdict.dependent;
        if let Some(found) = &check.neighbourhood {
            own.neighbourhood(model, (t, &check.site.x), (dependent, found));
        }
        let factors = &check.singular;
        let listed = |e: &SingularEntry| e.found.only().is_some();
        if !dependent.is_empty() && factors.iter().all(listed) && !check.determinant.vanishes {
            let wanted: Vec<Vec<f64>> = (factors.iter())
                .flat_map(|e| e.found.points())
                .map(|p| p.x.clone())
                .collect();
            let claim = singular(model, (t, dependent), &check.searched, &wanted);
            own.add(claim, Lacking::Singular);
        } else if factors
            .iter()
            .any(|e| e.found.points().iter().any(|p| p.certified.is_some()))
        {
            own.lacking.push(Lacking::Singular);
        }
        own.ended()
    }

    /// What `atlas` has proven.
    pub fn of_atlas(model: &Model, atlas: &AtlasAnswer) -> Result<Self, Lacking> {
        let mut own = Self::begin(model)?;
        if !atlas.complete {
            return Err(Lacking::NothingProven);
        }
        let pieces = atlas.charts.iter().flat_map(|chart| {
            let of = |piece: &Vec<(f64, f64)>| (chart.dependent.as_slice(), box_of(piece));
            chart.pieces.iter().map(of)
        });
        let left = atlas.left.iter().map(|left| box_of(&left.sides));
        let region = box_of(&atlas.part.region);
        let claim = cover(
            model,
            (atlas.part.t, &region),
            &pieces.collect::<Vec<_>>(),
            &left.collect::<Vec<_>>(),
        );
        own.add(claim, Lacking::Cover);
        own.ended()
    }

    /// What `map` has proven.
    pub fn of_map(model: &Model, map: &MapAnswer) -> Result<Self, Lacking> {
        let mut own = Self::begin(model)?;
        let n = model.system.coordinates.len();
        if !map.paving.complete {
            return Err(Lacking::NothingProven);
        }
        let tiles = map.paving.tiles.iter();
        let left = tiles
            .clone()
            .filter(|tile| !matches!(tile.mark, Mark::Regular(_)));
        let region = box_of(&map.part.region);
        let room = |k: usize| {
            let drawn = tiles.clone().map(|tile| tile.sides[k].width());
            let longest = drawn.fold(0.0, f64::max);
            (NEAR * longest).max(MORE * LEAST_LEFT * region[k].width())
        };
        let room: Vec<f64> = (0..n).map(room).collect();
        let left: Vec<Region> = left
            .map(|tile| roomy(map.part.t, &tile.sides[..n], |k| room[k]))
            .collect();
        let claim = regular_elsewhere(model, (map.part.t, &region), &map.dependent, left);
        own.add(claim, Lacking::Cover);
        if let Some(found) = map.singular.as_ref().filter(|found| found.has_all()) {
            let wanted: Vec<Vec<f64>> = (found.proven.iter()).map(|root| middles(root)).collect();
            let claim = singular(
                model,
                (map.part.t, &map.dependent),
                &map.part.region,
                &wanted,
            );
            own.add(claim, Lacking::Singular);
        }
        own.ended()
    }

    /// What `inverse` has proven.
    pub fn of_inverse(model: &Model, answer: &InverseAnswer) -> Result<Self, Lacking> {
        let mut own = Self::begin(model)?;
        let mut wanted: Vec<Vec<f64>> = answer.others.clone();
        if let Some(found) = &answer.found {
            let mut x = vec![0.0; model.system.coordinates.len()];
            let values = answer.dependent.iter().zip(&found.value);
            let given = answer.independent.iter().zip(&answer.at);
            values.chain(given).for_each(|(k, v)| x[*k] = *v);
            if let Some(near) = &found.neighbourhood {
                own.neighbourhood(model, (answer.t, &x), (&answer.dependent, near));
            }
            wanted.push(found.value.clone());
        }
        let proven = answer.found.iter().any(|f| f.enclosure.is_some());
        if answer.complete || proven {
            let claim = solutions(model, answer, &wanted);
            own.add(claim, Lacking::Solutions);
        }
        own.ended()
    }

    /// What `equilibria` has proven.
    pub fn of_equilibria(model: &Model, found: &Equilibria) -> Result<Self, Lacking> {
        let mut own = Self::begin(model)?;
        let proven: Vec<&Equilibrium> = found.list.iter().filter(|e| e.certified()).collect();
        if proven.is_empty() && !found.complete() {
            return Err(Lacking::NothingProven);
        }
        if found.complete() {
            let few = [BOXES / 5, BOXES].into_iter();
            let mut ways = few.flat_map(|boxes| SCALES.map(|scale| (scale, boxes)));
            let all = ways
                .find_map(|(scale, boxes)| Statics::new(model, found, scale).all(&proven, boxes));
            if let Some(claim) = all {
                own.claims.push(claim);
                return Ok(own);
            }
            own.lacking.push(Lacking::AllEquilibria);
        }
        let (claim, missing) = Statics::new(model, found, SCALES[0]).each(&proven);
        own.claims.extend(claim);
        if missing > 0 {
            own.lacking.push(Lacking::Equilibria(missing));
        }
        own.ended()
    }

    fn neighbourhood(
        &mut self,
        model: &Model,
        (t, x): (f64, &[f64]),
        (dependent, found): (&[usize], &crate::theorem::Neighbourhood),
    ) {
        let mut region = box_of(&found.sides);
        if region.len() == x.len() {
            region.push(Interval::point(t));
        }
        let claim = OneToOne::new(model, dependent).and_then(|own| own.claim(&[region]));
        self.add(claim.map(Claim::OneToOne), Lacking::Neighbourhood);
        if let Some(image) = &found.image {
            let place = box_of(&image.place);
            let claim = onto(model, (t, x), (dependent, &place), &box_of(&image.levels));
            self.add(claim, Lacking::Image);
        }
    }
}

/// One turn of the angles of which the region has more.
fn one_turn(periods: &[(usize, f64)], region: &[(f64, f64)]) -> Region {
    let mut region = box_of(region);
    for &(k, period) in periods {
        if region[k].width() > period {
            let lo = -(0.5 + CUT) * period;
            region[k] = Interval::new(lo, lo + 2.0 * half_turn(period));
        }
    }
    region
}

/// Is the place of a root at these values of its first unknowns, angles up to turns?
fn is_near(root: &Root, x: &[f64], periods: &[(usize, f64)], region: &[Interval]) -> bool {
    let mut sides = x.iter().zip(root.place.iter().zip(region)).enumerate();
    sides.all(|(k, (v, (side, whole)))| {
        let off = within_a_turn(side.middle() - v, period_of(periods, k));
        off.abs() <= SAME * whole.width().max(v.abs()) + side.width()
    })
}

/// A face as it is written, with the one-sided constraints that are released.
fn told(prover: Prover<'_>, one: Option<usize>, released: &[usize]) -> Face {
    let roots = prover.roots.into_iter().filter_map(|root| root.told);
    Face {
        one,
        roots: roots.collect(),
        steps: prover.narrower.steps,
        released: released.to_vec(),
    }
}

/// The points of the constraints where det J_D = 0.
fn singular(
    model: &Model,
    of: (f64, &[usize]),
    region: &[(f64, f64)],
    wanted: &[Vec<f64>],
) -> Option<Claim> {
    let region = one_turn(model.angles(), region);
    let mut scales = SCALES.into_iter();
    scales.find_map(|scale| singular::singular(model, of, &region, (wanted, scale)))
}

/// A claim on zeros: so many, and whether these are all.
fn zeros(
    (of, t): (&'static str, Given),
    region: &[Interval],
    (complete, count): (bool, usize),
    faces: Vec<Face>,
    more: More,
) -> Claim {
    Claim::Zeros(Box::new(Zeros {
        of,
        t,
        sides: Sides(region.to_vec()),
        complete,
        count,
        faces,
        more,
    }))
}

/// A piece: its dependent coordinates and its sides.
type PieceOf<'a> = (&'a [usize], Region);

/// A box with room about it, by side, and the time.
fn roomy(t: f64, own: &[Interval], room: impl Fn(usize) -> f64) -> Region {
    let sides = own.iter().enumerate();
    let sides = sides.map(|(k, s)| Interval::new(s.lo - room(k), s.hi + room(k)));
    sides.chain([Interval::point(t)]).collect()
}

/// That pieces, and what is left, hold the constraint set in a region.
fn cover(
    model: &Model,
    (t, region): (f64, &[Interval]),
    pieces: &[PieceOf<'_>],
    left: &[Region],
) -> Option<Claim> {
    let (mut shown, mut places) = (Vec::new(), Vec::new());
    let mut charts: FxHashMap<&[usize], Option<OneToOne<'_>>> = FxHashMap::default();
    for (dependent, own) in pieces {
        let chart = charts
            .entry(dependent)
            .or_insert_with(|| OneToOne::new(model, dependent));
        let about = |more: f64| {
            let room = |k: usize| more * own[k].width().max(LEAST * region[k].width());
            roomy(t, own, room)
        };
        let claim = chart.as_ref()?.claim(&[about(MORE), about(0.0)])?;
        places.push(claim.sides.0.clone());
        shown.push(claim);
    }
    let wide = |own: &Region| {
        let room = |k: usize| MORE * own[k].width().max(LEAST_LEFT * region[k].width());
        roomy(t, own, room)
    };
    let others: Vec<Region> = left.iter().map(wide).collect();
    places.extend(others.iter().cloned());
    let whole: Region = region.iter().copied().chain([Interval::point(t)]).collect();
    let boxes = BOXES + 40 * places.len();
    let equations = model.bounds().as_checked(&model.system.pool);
    let mut prover = Prover::new(equations, &whole, places, boxes);
    let done = prover.run();
    done.then(|| covering(whole, shown, others, prover.narrower.steps))
}

/// That det J_D has no zero on the constraint set in a region but for what is left: in as few pieces as will do, of
/// which what is drawn in finer boxes is a part.
fn regular_elsewhere(
    model: &Model,
    (t, region): (f64, &[Interval]),
    dependent: &[usize],
    left: Vec<Region>,
) -> Option<Claim> {
    let chart = OneToOne::new(model, dependent)?;
    let whole: Region = region.iter().copied().chain([Interval::point(t)]).collect();
    let boxes = BOXES + 40 * left.len();
    let equations = model.bounds().as_checked(&model.system.pool);
    let mut prover = Prover::new(equations, &whole, left.clone(), boxes).charted(&chart);
    if !prover.run() {
        return None;
    }
    // what is left comes after the pieces, of which the number is known now
    let all = left.len() + prover.pieces.len();
    for step in &mut prover.narrower.steps {
        if let Step::In(place) = step {
            *place = (*place + prover.pieces.len()) % all;
        }
    }
    Some(covering(whole, prover.pieces, left, prover.narrower.steps))
}

fn covering(whole: Region, pieces: Vec<Piece>, left: Vec<Region>, steps: Vec<Step>) -> Claim {
    Claim::Cover(Cover {
        sides: Sides(whole),
        pieces,
        left: left.into_iter().map(Sides).collect(),
        steps,
    })
}

/// That for all values of the constraints in these ranges there is exactly one solution near a point.
fn onto(
    model: &Model,
    (t, x): (f64, &[f64]),
    (dependent, place): (&[usize], &[Interval]),
    levels: &[Interval],
) -> Option<Claim> {
    let system = &model.system;
    let pool = &system.pool;
    let f: Vec<Expr> = system.constraints.iter().map(|c| c.f).collect();
    let y: Vec<Expr> = system.multipliers().take(f.len()).collect();
    let unknowns = system.positions_of(dependent);
    let free: Vec<usize> = (0..x.len()).filter(|k| !dependent.contains(k)).collect();
    let left = system.positions_of(&free).into_iter().chain([system.t]);
    let variables: Vec<Expr> = y.iter().copied().chain(left).chain(unknowns).collect();
    let list: Vec<Expr> = f.iter().zip(&y).map(|(f, y)| pool.sub(*f, *y)).collect();
    let constants: Vec<(Expr, Interval)> = model.bounds().constants.clone();
    let equations = Equations::new(pool, &variables, &constants, &list);
    let at = free.iter().map(|k| x[*k]).chain([t]).map(Interval::point);
    let parameters: Region = levels.iter().copied().chain(at).collect();
    let weights = steps::solvable(&equations, &parameters, place)?;
    let root = Alone {
        wide: Sides(place.to_vec()),
        at: Sides(place.to_vec()),
        a: Matrix(weights),
        put: Vec::new(),
        over: Vec::new(),
    };
    let face = Face {
        one: None,
        roots: vec![root],
        steps: Vec::new(),
        released: Vec::new(),
    };
    let any = |side: Interval| Given::Any(Side(side));
    let at = free.iter().map(|k| (*k, any(Interval::point(x[*k]))));
    let more = More::Inverse {
        dependent: dependent.to_vec(),
        at: at.collect(),
        levels: levels.iter().map(|side| any(*side)).collect(),
    };
    let of = ("inverse", any(Interval::point(t)));
    Some(zeros(of, place, (false, 1), vec![face], more))
}

/// The solutions x_D of f = y.
fn solutions(model: &Model, answer: &InverseAnswer, wanted: &[Vec<f64>]) -> Option<Claim> {
    let system = &model.system;
    let pool = &system.pool;
    let Numbers { mut exact, rounded } = Numbers::new(&model.system, answer.t);
    let number = |v: f64| Some(pool.number(Number::written(v)?));
    for (k, v) in answer.independent.iter().zip(&answer.at) {
        exact.insert(system.coordinates[*k].x, number(*v)?);
    }
    let list = system.constraints.iter().zip(&answer.y);
    let list = list.map(|(c, y)| Some(pool.sub(c.f, number(*y)?)));
    let list: Vec<Expr> = list.collect::<Option<_>>()?;
    let list = pool.substitute_all(&list, &exact);
    let unknowns = system.positions_of(&answer.dependent);
    let case = Case::new((pool, &rounded), &unknowns, None, list);
    let region = one_turn(&answer.periods, &answer.region);
    let mut prover = Prover::of_case(&case, &region, BOXES);
    let complete = answer.complete && prover.run();
    if !complete {
        prover = Prover::of_case(&case, &region, BOXES);
        let found = answer.found.as_ref().filter(|f| f.enclosure.is_some())?;
        if !prover.add_near(&found.value) {
            return None;
        }
    } else if prover.roots.len() < wanted.len() {
        return None;
    }
    let number = |v: f64| Given::Fraction(written(v));
    let at = answer.independent.iter().zip(&answer.at);
    let more = More::Inverse {
        dependent: answer.dependent.clone(),
        at: at.map(|(k, v)| (*k, number(*v))).collect(),
        levels: answer.y.iter().map(|y| number(*y)).collect(),
    };
    let of = ("inverse", number(answer.t));
    let face = told(prover, None, &[]);
    let found = (complete, face.roots.len());
    Some(zeros(of, &region, found, vec![face], more))
}
