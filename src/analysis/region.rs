//! The constraint set in a box: an atlas of charts with proven pieces, and a map for drawing.

use super::{Levels, Model, NoChoice, Overrides, RequestError};
use crate::expr::{Expr, FOR_NUMBERS, Interval, asked, calculating};
use crate::geometry::binomial;
use crate::interval::{
    Equations, Region, Roots, Scratch, apart, as_box, box_of, ends, joined, lies_within, middles,
    roots,
};
use crate::solver::Motion;
use crate::theorem::{
    Atlas, Chart, Paving, SymbolicDeterminant, Terms, atlas, goes_round, half_turn, pave,
    period_of, periods, sample,
};

/// Half the width of the default region, in units of max(1, |x|) of the start.
const REACH: f64 = 2.0;
/// A region round a motion is so many times as long as the motion,
const ROOM: f64 = 1.4;
/// and to each side at least this part of the longest that it runs in a coordinate.
const LEAST_PART: f64 = 0.15;
/// At most this many choices of dependent coordinates make up an atlas.
const CHOICES: usize = 40;
/// Up to this many are all taken.
const ALL_UP_TO: usize = 200;
/// A point that misses the constraints by less is on them, for drawing.
const ON_SET: f64 = 1e-5;
/// Points at which choices are ranked.
const RANKED_AT: usize = 24;
/// Boxes left that are no longer than this part of the region are told together where they touch.
const SMALL: f64 = 1e-3;
/// Instructions that looking for points where no choice works may cost.
const FOR_FAILURES: usize = 20_000_000;

/// Which part of the constraint set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part {
    /// Lower and upper end of each coordinate.
    pub region: Vec<(f64, f64)>,
    /// The time.
    pub t: f64,
    /// Is it proven that the constraint set has no points beyond its sides?
    pub all_configurations: bool,
    /// Why it does not lie about the start, where that cannot be made.
    pub no_start: Option<Box<RequestError>>,
}

impl Part {
    /// A region at a time.
    pub fn new(region: Vec<(f64, f64)>, t: f64) -> Self {
        Self {
            region,
            t,
            ..Self::default()
        }
    }

    /// As intervals, t last.
    pub(super) fn sides(&self) -> Region {
        [box_of(&self.region), as_box(&[self.t])].concat()
    }
}

/// An atlas and what it is made of.
#[derive(Clone, Debug, Default)]
pub struct AtlasAnswer {
    /// Where.
    pub part: Part,
    /// The choices of dependent coordinates that have pieces, in the order of their first piece.
    pub charts: Vec<AtlasChart>,
    /// What the pieces do not cover, a range a coordinate.
    pub left: Vec<LeftOver>,
    /// Was all of the region looked at?
    pub complete: bool,
    /// Boxes looked at.
    pub boxes: usize,
    /// Were there choices that were not tried?
    pub more: bool,
    /// The coordinates that are angles, with their period.
    pub periods: Vec<(usize, f64)>,
    /// Why no choice works, where none does: then no pieces were looked for.
    pub nowhere: Option<NoChoice>,
}

/// A choice of dependent coordinates in an atlas.
#[derive(Clone, Debug)]
pub struct AtlasChart {
    /// The dependent coordinates.
    pub dependent: Vec<usize>,
    /// det J_D; `None` where it is too large to write out.
    pub determinant: Option<Expr>,
    /// Its pieces, a range a coordinate.
    pub pieces: Vec<Vec<(f64, f64)>>,
}

/// A box that no piece covers.
#[derive(Clone, Debug, PartialEq)]
pub struct LeftOver {
    /// Its sides.
    pub sides: Vec<(f64, f64)>,
    /// A point in it at which the determinant (of the only choice) is proven to vanish on the
    /// constraint set.
    pub fails_at: Option<Vec<f64>>,
}

/// A paving of the constraint set for drawing.
#[derive(Clone, Debug)]
pub struct MapAnswer {
    /// Where.
    pub part: Part,
    /// The dependent coordinates.
    pub dependent: Vec<usize>,
    /// The coordinates along and up.
    pub plane: (usize, usize),
    /// The boxes.
    pub paving: Paving,
    /// Where det J_D = 0 meets the constraint set, where these are single points: proven ones, and boxes
    /// that could not be decided.
    pub singular: Option<Roots>,
    /// Level lines, where they are asked for.
    pub levels: Option<Levels>,
}

/// The solutions, in a region at one time (its last side), of equations as many as coordinates; `None`
/// where they are not so many, and solutions are not single.
pub(super) fn single_points(equations: &Equations, sides: &[Interval]) -> Option<Roots> {
    let (t, coordinates) = sides.split_last()?;
    (equations.len() == coordinates.len())
        .then(|| roots(&equations.at_last(*t), coordinates, FOR_FAILURES))
}

/// Small boxes that touch become one: what is left round a point is told once.
fn merged(list: Vec<Region>, whole: &[Interval]) -> Vec<Region> {
    let is_small = |region: &Region| {
        let mut sides = region.iter().zip(whole);
        sides.all(|(side, all)| side.width() <= SMALL * all.width())
    };
    joined(list, |a, b| !apart(a, b) && is_small(a) && is_small(b))
}

impl Model {
    /// The default region at the start: 2 max(1, |x|) round zero, for an angle a whole turn; a parameter that ranges does
    /// so from half of its value to twice that.
    pub fn default_region(&self, x: &[f64], given: &[(usize, (f64, f64))]) -> Vec<(f64, f64)> {
        let angles = self.angles();
        let mut region: Vec<(f64, f64)> = x
            .iter()
            .enumerate()
            .map(|(k, v)| {
                let half = period_of(angles, k).map(half_turn);
                let reach = half.unwrap_or(REACH * v.abs().max(1.0));
                (-reach, reach)
            })
            .collect();
        let parameters = self.ranging_parameters().iter();
        region.extend(parameters.map(|p| match self.system.parameters[*p].value {
            0.0 => (-1.0, 1.0),
            v => (f64::min(v / 2.0, 2.0 * v), f64::max(v / 2.0, 2.0 * v)),
        }));
        for &(k, side) in given {
            region[k] = side;
        }
        region
    }

    /// The default part of the constraint set, with single sides given, and the place that it is about: the start
    /// with single values replaced, where it can be made.
    pub fn part(&self, overrides: &Overrides, given: &[(usize, (f64, f64))]) -> (Part, Vec<f64>) {
        let ((t, x), no_start) = self.around(overrides);
        let part = Part {
            no_start: no_start.map(Box::new),
            ..Part::new(self.default_region(&x, given), t)
        };
        (part, x)
    }

    /// The region that a motion runs through, with room round it; where it does not move, as much as it moves
    /// elsewhere, and where it rests the default region about it. `None` where the motion is empty.
    pub fn region_of(&self, motion: &Motion) -> Option<Vec<(f64, f64)>> {
        let first = motion.samples.first()?;
        let mut ends: Vec<(f64, f64)> = first.x.iter().map(|v| (*v, *v)).collect();
        for sample in &motion.samples {
            for (end, &v) in ends.iter_mut().zip(&sample.x) {
                *end = (end.0.min(v), end.1.max(v));
            }
        }
        let most = ends.iter().map(|(lo, hi)| hi - lo).fold(0.0, f64::max);
        let region = ends.into_iter().map(|(lo, hi)| {
            let middle = lo + (hi - lo) / 2.0;
            let least = if most > 0.0 {
                LEAST_PART * most
            } else {
                REACH * middle.abs().max(1.0)
            };
            let half = (ROOM * (hi - lo) / 2.0).max(least);
            (middle - half, middle + half)
        });
        let region: Vec<(f64, f64)> = region.collect();
        let is_usable = |(lo, hi): &(f64, f64)| lo < hi && lo.is_finite() && hi.is_finite();
        region.iter().all(is_usable).then_some(region)
    }

    /// The coordinates that a map draws along and up: those given, else an independent and a dependent one.
    /// `None` where there are not two.
    pub fn plane(
        &self,
        dependent: &[usize],
        (x, y): (Option<usize>, Option<usize>),
    ) -> Option<(usize, usize)> {
        let n = self.variable_names().len();
        if n < 2 {
            return None;
        }
        // of two the first is along
        let first = |wanted: bool, other: Option<usize>| {
            let mut free = (0..n).filter(|k| Some(*k) != other);
            let suits = |k: &usize| n == 2 || dependent.contains(k) == wanted;
            free.clone()
                .find(suits)
                .or_else(|| free.next())
                .unwrap_or(0)
        };
        let along = x.unwrap_or_else(|| first(false, y));
        let up = y.unwrap_or_else(|| first(true, Some(along)));
        Some((along, up))
    }

    /// Does a point satisfy the constraints at a time, as far as a picture shows?
    pub fn is_on_constraints(&self, t: f64, x: &[f64]) -> bool {
        let at: Region = x.iter().chain([&t]).map(|v| Interval::point(*v)).collect();
        let equations = &self.bounds().equations;
        let (values, _) = equations.values(&at, &mut Scratch::default());
        values.iter().all(|v| v.middle().abs() < ON_SET)
    }

    /// The coordinates on which the constraints depend as on angles, with their period.
    pub fn angles(&self) -> &[(usize, f64)] {
        self.angles.get_or_init(|| {
            let pool = &self.system.pool;
            let f: Vec<Expr> = self.system.constraints.iter().map(|c| c.f).collect();
            let x: Vec<Expr> = self.system.positions();
            asked(|| periods(pool, &f, &x)).0
        })
    }

    /// The angles that go round in a part, with their periods.
    pub(super) fn turning(&self, part: &Part) -> Vec<(usize, f64)> {
        let angles = self.angles().iter().copied();
        angles
            .filter(|(k, period)| goes_round(part.region[*k], *period))
            .collect()
    }

    /// The constraint set in a region covered by pieces on which F is proven to be one-to-one, for all
    /// choices of dependent coordinates or only the one named.
    pub fn atlas(&self, part: Part, only: Option<&[usize]>) -> AtlasAnswer {
        asked(|| self.covered(part, only)).0
    }

    fn covered(&self, part: Part, only: Option<&[usize]>) -> AtlasAnswer {
        if self.system.constraints.is_empty() {
            return self.unconstrained(part);
        }
        let sides = part.sides();
        let bounds = self.bounds();
        if let Some(nowhere) = self.no_choice(&part, &sides) {
            let left = LeftOver {
                sides: part.region.clone(),
                fails_at: None,
            };
            return AtlasAnswer {
                periods: self.angles().to_vec(),
                part,
                left: vec![left],
                nowhere: Some(nowhere),
                ..AtlasAnswer::default()
            };
        }
        let (choices, more) = match only {
            Some(one) => (vec![one.to_vec()], false),
            None => self.choices_within(&part, &sides),
        };
        let charts: Vec<Chart> = choices.iter().map(|d| self.chart(d)).collect();
        let n = part.region.len();
        let dimension = n - self.system.constraints.len();
        let found = atlas(
            &bounds.equations,
            &charts,
            &sides,
            Terms::of_dimension(dimension),
        );
        let failures = match only {
            Some(one) if dimension == 1 => self
                .with_determinant(one)
                .and_then(|both| single_points(&both, &sides)),
            _ => None,
        };
        let Atlas {
            pieces,
            left,
            complete,
            boxes,
        } = found;
        let range = |region: &Region| ends(&region[..n]);
        let mut used: Vec<AtlasChart> = Vec::new();
        for piece in &pieces {
            let dependent = &choices[piece.chart];
            let place = used.iter().position(|c| c.dependent == *dependent);
            let place = place.unwrap_or_else(|| {
                let det = SymbolicDeterminant::new(&self.system, &self.equations, dependent);
                used.push(AtlasChart {
                    dependent: dependent.clone(),
                    determinant: det.whole,
                    pieces: Vec::new(),
                });
                used.len() - 1
            });
            used[place].pieces.push(range(&piece.sides));
        }
        let left = match dimension {
            // round the single points where a choice fails
            0 | 1 => merged(left, &sides),
            _ => left,
        };
        let left = left
            .iter()
            .map(|region| LeftOver {
                sides: range(region),
                fails_at: failures.as_ref().and_then(|roots| {
                    let inside = roots.proven.iter().find(|root| lies_within(root, region));
                    inside.map(|root| middles(root))
                }),
            })
            .collect();
        AtlasAnswer {
            periods: self.angles().to_vec(),
            part,
            charts: used,
            left,
            complete,
            boxes,
            more,
            nowhere: None,
        }
    }

    /// Without constraints every point is allowed, and F is the identity.
    fn unconstrained(&self, part: Part) -> AtlasAnswer {
        AtlasAnswer {
            charts: vec![AtlasChart {
                dependent: Vec::new(),
                determinant: Some(self.system.pool.one()),
                pieces: vec![part.region.clone()],
            }],
            part,
            complete: true,
            boxes: 1,
            ..AtlasAnswer::default()
        }
    }

    /// The choices that an atlas may take, those first that are best conditioned at most points.
    fn choices_within(&self, part: &Part, sides: &[Interval]) -> (Vec<Vec<usize>>, bool) {
        let (n, m) = (self.system.coordinates.len(), self.system.constraints.len());
        let points = sample(&self.bounds().equations, sides, RANKED_AT as u64 * 2);
        let mut counted: Vec<(Vec<usize>, usize)> = Vec::new();
        for point in points.iter().take(RANKED_AT) {
            let ranking = self.theorem.choices(&self.system, part.t, &point[..n], &[]);
            for (place, choice) in ranking.choices.into_iter().take(CHOICES).enumerate() {
                let score = CHOICES - place;
                match counted.iter_mut().find(|(known, _)| *known == choice) {
                    Some((_, total)) => *total += score,
                    None => counted.push((choice, score)),
                }
            }
        }
        counted.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        let more = binomial(n, m) > ALL_UP_TO || counted.len() > CHOICES;
        let mut choices: Vec<Vec<usize>> = counted.into_iter().map(|(c, _)| c).collect();
        choices.truncate(CHOICES);
        if choices.is_empty() {
            choices.push(self.choice(None, (part.t, &vec![0.0; n]), &[]));
        }
        (choices, more)
    }

    /// The constraint set in a region, paved with boxes of `resolution` parts of the region in the two
    /// coordinates of `plane`.
    pub fn map(
        &self,
        part: Part,
        dependent: &[usize],
        plane: (usize, usize),
        resolution: (usize, usize),
        effort: usize,
    ) -> MapAnswer {
        let sides = part.sides();
        let n = part.region.len();
        let mut least = vec![0.0; n + 1];
        let length = |k: usize, parts: usize| {
            let (lo, hi) = part.region[k];
            // an exact number of halvings would only just fail
            1.05 * (hi - lo) / parts.max(1) as f64
        };
        // what is not drawn is cut a little, so that sheets that lie over each other are told apart; what no
        // constraint depends on has no sheets
        let equations = &self.bounds().equations;
        for (k, place) in least.iter_mut().enumerate().take(n) {
            if equations.contains(k) {
                *place = length(k, 8);
            }
        }
        least[plane.0] = length(plane.0, resolution.0);
        least[plane.1] = length(plane.1, resolution.1);
        let prepared = || (self.chart(dependent), self.with_determinant(dependent));
        let (chart, singular) = asked(prepared).0;
        let (paving, singular) = calculating(FOR_NUMBERS, || {
            let paving = pave(equations, &chart, singular.as_ref(), &sides, &least, effort);
            let singular = singular.and_then(|both| single_points(&both, &sides));
            (paving, singular)
        });
        MapAnswer {
            levels: None,
            part,
            dependent: dependent.to_vec(),
            plane,
            paving,
            singular,
        }
    }
}
