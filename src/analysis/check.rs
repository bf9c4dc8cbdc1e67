//! The Jacobian and the Inverse Function Theorem at a point.

use super::{BoundVelocities, Choices, Model, NearestFailure, Overrides, RequestError, Spot};
use crate::expr::{Expr, Extent, Interval, asked};
pub use crate::geometry::Meeting;
use crate::geometry::{ATOL, ULPS, sizes};
use crate::solver::{self, SolverError};
use crate::solver::{Assembly, Note, Placed, Quantity, Structure};
use crate::theorem::{
    Cause, Chart, Failure, FailureKind, GROWTH, Inverse, Neighbourhood, SingularPoints,
    SymbolicDeterminant, Verdict, Whereabouts, can_vanish, independent_everywhere, neighbourhood,
    singular_points,
};

/// Half the width of the default search box, in units of max(1, |x|).
pub(super) const REACH: f64 = 10.0;

/// A constraint missed by more than this part of its terms is worth a word.
const MISSED: f64 = 1e-9;

/// A place is off by so many times what leads back onto a constraint: a double root is twice as far, a triple one three times.
const BACK: f64 = 4.0;
/// A way of this part of the sizes of the coordinates is short: gradients are the same all along.
const SHORT: f64 = 1e-9;

/// Where to look.
#[derive(Clone, Debug)]
pub struct Site {
    /// The time.
    pub t: f64,
    /// The coordinates.
    pub x: Vec<f64>,
    /// What each coordinate is unknown by beside its rounding: the last Newton correction where it was solved for, and in a check what
    /// the place misses the constraints by.
    pub corrections: Vec<f64>,
    /// What was moved or left out, for the reader.
    pub notes: Vec<Note>,
    /// What was made of the start; `None` where every coordinate was given anew.
    pub assembly: Option<Assembly>,
    /// The coordinates that stand as the file has them beside others that were replaced.
    pub kept: Vec<Placed>,
}

impl Site {
    /// The place of a start.
    fn of(start: solver::Start, assembly: Option<Assembly>) -> Self {
        Self {
            t: start.t,
            x: start.x,
            corrections: start.correction,
            notes: start.notes,
            assembly,
            kept: Vec::new(),
        }
    }

    /// The place alone.
    pub(super) fn spot(&self) -> Spot {
        Spot {
            t: self.t,
            x: self.x.clone(),
        }
    }
}

/// A factor of the determinant, and where it meets the constraint set.
#[derive(Clone, Debug)]
pub struct SingularEntry {
    /// The factor; `None` where the determinant is zero everywhere.
    pub factor: Option<Expr>,
    /// The points.
    pub found: SingularPoints,
}

/// What `check` says.
#[derive(Clone, Debug)]
pub struct Check {
    /// Where.
    pub site: Site,
    /// f - c there.
    pub residuals: Vec<f64>,
    /// The constraints that the point is off, with what it misses them by: the verdict is that of the level set
    /// through it.
    pub off: Vec<(usize, f64)>,
    /// The one-sided constraints that are met with room, and with how much: they are not in contact, and bind nothing.
    pub clear: Vec<(usize, f64)>,
    /// The verdict with its numbers.
    pub verdict: Verdict,
    /// Whether the choice was made at this point: nobody asked for one, and the file has none.
    pub is_own_choice: bool,
    /// The independent coordinates.
    pub independent: Vec<usize>,
    /// det J_D in symbols.
    pub determinant: SymbolicDeterminant,
    /// Its factors that can vanish.
    pub singular: Vec<SingularEntry>,
    /// The box that was searched for where they do, a range a coordinate.
    pub searched: Vec<(f64, f64)>,
    /// The inverse functions.
    pub inverse: Inverse,
    /// The choices of dependent coordinates and how they invert.
    pub choices: Choices,
    /// Whether some choice works at every configuration, the gradients being proven to be independent there.
    pub regular_everywhere: bool,
    /// Where the theorem holds, a box round the point on which F is proven to be one-to-one.
    pub neighbourhood: Option<Neighbourhood>,
    /// Where the gradients are dependent: whether they are so near by.
    pub structure: Option<Structure>,
    /// Where they are independent near by, and the point is on the constraints: what meets there, as far as the second
    /// derivatives tell.
    pub meeting: Option<Meeting>,
    /// Where the theorem holds: a place on the constraints where it does not, and whether it is the nearest.
    pub nearest_failure: Option<NearestFailure>,
    /// What velocity constraints bind there: the verdict is not about them.
    pub velocities: Option<BoundVelocities>,
    /// Was all simplified and tried?
    pub extent: Extent,
}

/// The default search box round a position: 10 max(1, |x|) each way.
pub(super) fn search_region(x: &[f64]) -> Vec<(f64, f64)> {
    x.iter()
        .map(|&x| {
            let reach = REACH * x.abs().max(1.0);
            (x - reach, x + reach)
        })
        .collect()
}

impl Model {
    /// The point that `check` looks at: the start with single values replaced. Values given need not
    /// satisfy the constraints; what is not given is solved for from them where that is possible. Refused where the
    /// gradients are beyond what numbers can hold: nothing can be said of the theorem there.
    pub fn site(&self, overrides: &Overrides) -> Result<Site, RequestError> {
        let site = self.place(overrides)?;
        let at = (site.t, site.x.as_slice());
        match self.theorem.overflow(&self.system, at, &site.corrections) {
            Some(b) => Err(SolverError::NotFinite {
                what: Quantity::Gradient(self.constraint_names()[b].clone()),
                t: site.t,
            }
            .into()),
            None => Ok(Site {
                kept: self.kept(overrides),
                ..site
            }),
        }
    }

    fn place(&self, overrides: &Overrides) -> Result<Site, RequestError> {
        let given = self.given(overrides);
        if !overrides.is_empty() {
            if let Some(x) = given.x.iter().copied().collect::<Option<Vec<f64>>>() {
                return Ok(Site {
                    t: given.t,
                    corrections: vec![0.0; x.len()],
                    x,
                    notes: Vec::new(),
                    assembly: None,
                    kept: Vec::new(),
                });
            }
            // the velocities play no part here and must not spoil the search
            let still = Overrides {
                v: Vec::new(),
                ..overrides.clone()
            };
            if let Ok(start) = self.start(&still) {
                let assembly = Some(self.assembly(&still, &start));
                let mut site = Site::of(start, assembly);
                for (x, value) in site.x.iter_mut().zip(&given.x) {
                    *x = value.unwrap_or(*x);
                }
                return Ok(site);
            }
        }
        let start = self.start(&Overrides::default()).or_else(|why| match why {
            // the theorem is one of positions
            SolverError::NoVelocity { .. } => {
                let given = self.given(&Overrides::default());
                let mut start = solver::consistent_position(&self.unwatched(), &given)?;
                start.notes.push(Note::PositionOnly(Box::new(why)));
                Ok(start)
            }
            why => Err(why),
        })?;
        // single values put in are not part of it any more
        let untouched = overrides.x.is_empty() && overrides.t.is_none();
        let assembly = untouched.then(|| self.assembly(&Overrides::default(), &start));
        let mut site = Site::of(start, assembly);
        site.t = overrides.t.unwrap_or(site.t);
        for &(k, value) in &overrides.x {
            site.x[k] = value;
            site.corrections[k] = 0.0;
        }
        Ok(site)
    }

    /// The factors of a determinant that can vanish, and where they meet the constraints in a box.
    pub(super) fn singular(
        &self,
        determinant: &SymbolicDeterminant,
        t: f64,
        search: &[(f64, f64)],
    ) -> Vec<SingularEntry> {
        if determinant.vanishes {
            return vec![SingularEntry {
                factor: None,
                found: SingularPoints {
                    place: Whereabouts::Family(None),
                    periods: Vec::new(),
                },
            }];
        }
        let factors: Vec<Expr> = determinant
            .factors
            .iter()
            .copied()
            .filter(|f| can_vanish(&self.system, *f))
            .collect();
        let found = singular_points(&self.system, &factors, t, search);
        factors
            .into_iter()
            .zip(found)
            .map(|(factor, found)| SingularEntry {
                factor: Some(factor),
                found,
            })
            .collect()
    }

    /// A box round a position on which F is proven to be one-to-one; `effort` bounds the instructions.
    pub fn neighbourhood(
        &self,
        (t, x): (f64, &[f64]),
        chart: &Chart,
        effort: usize,
    ) -> Option<Neighbourhood> {
        if chart.dependent.is_empty() {
            return None;
        }
        let point = [x, &[t]].concat();
        let mut found = neighbourhood(&self.bounds().equations, chart, &point, effort)?;
        if !self.rheonomic() {
            found.sides.pop();
            found.open_ended.pop();
        }
        if let Some(image) = &mut found.image {
            self.with_levels(&mut image.levels);
        }
        Some(found)
    }

    /// The same where the theorem holds.
    pub(super) fn neighbourhood_of(
        &self,
        verdict: &Verdict,
        at: (f64, &[f64]),
        dependent: &[usize],
    ) -> Option<Neighbourhood> {
        let prove = || self.neighbourhood(at, &self.chart(dependent), GROWTH);
        verdict.holds().then(prove).flatten()
    }

    /// Ranges of f - c made ranges of f.
    pub(super) fn with_levels(&self, ranges: &mut [(f64, f64)]) {
        let parameters = self.system.parameter_bounds();
        for ((lo, hi), c) in ranges.iter_mut().zip(&self.system.constraints) {
            let level = self.system.bounded(c.c, &parameters);
            *lo = Interval::point(*lo).add(level).hi;
            *hi = Interval::point(*hi).add(level).lo;
        }
    }

    /// The constraints that a point misses by more than a change of the coordinates that does not matter makes up for, which are
    /// known to `known`.
    pub(super) fn missed(&self, (t, x): (f64, &[f64]), known: &[f64]) -> Vec<(usize, f64)> {
        let known = known.iter().zip(sizes(x));
        let slack: Vec<f64> = known.map(|(c, size)| c.max(ATOL * size)).collect();
        let value = self.constraint_value(t, x);
        let misses = (0..value.residual.len()).map(|b| (b, value.residual[b]));
        let matters = |&(b, miss): &(usize, f64)| {
            let row = value.jacobian.row(b);
            let reached: f64 = row.iter().zip(&slack).map(|(w, s)| (w * s).abs()).sum();
            // at a kink there is no slope, and a value all the same
            let reached = if reached.is_nan() { 0.0 } else { reached };
            let over = miss.abs() - MISSED * value.scale[b] - reached;
            // a number that overflowed is off too
            over > 0.0 || over.is_nan()
        };
        misses.filter(matters).collect()
    }

    /// What coordinates of a place on the constraints are unknown by, that are known to `known` beside: [`BACK`] times what leads back
    /// onto each constraint, in sizes of the coordinates. A place written with ten digits misses them by the rest, and what is zero at the
    /// place that is meant is as much more. What evaluating a constraint rounds says nothing of the place. A place off the constraints
    /// is meant itself: it is known as it is given.
    pub(super) fn unknown_by(&self, (t, x): (f64, &[f64]), known: &[f64]) -> Vec<f64> {
        if !self.missed((t, x), known).is_empty() {
            return known.to_vec();
        }
        let value = self.constraint_value(t, x);
        let sizes = sizes(x);
        let mut reach: Vec<f64> = known.to_vec();
        for (b, miss) in value.residual.iter().enumerate() {
            let miss = (miss.abs() - ULPS * value.scale[b]).max(0.0);
            let row = value.jacobian.row(b);
            let own = row.iter().zip(&sizes).map(|(w, s)| w * s * s);
            let all: f64 = row.iter().zip(own.clone()).map(|(w, e)| w * e).sum();
            let back: Vec<f64> = own.map(|e| BACK * miss * e / all).collect();
            if back.iter().all(|way| way.is_finite()) {
                let enough = self.enough((t, x), (b, miss), (&back, &sizes));
                for (slot, way) in reach.iter_mut().zip(back) {
                    *slot += (enough * way).abs();
                }
            }
        }
        reach
    }

    /// The part of a way back onto constraint b along its gradient that is enough: less than all of it where the gradient is next
    /// to zero, perhaps by rounding alone, and is more a little farther on.
    fn enough(
        &self,
        (t, x): (f64, &[f64]),
        (b, miss): (usize, f64),
        (back, sizes): (&[f64], &[f64]),
    ) -> f64 {
        let pairs = back.iter().zip(sizes);
        let length = pairs.map(|(way, s)| (way / s).powi(2)).sum::<f64>().sqrt();
        let mut part = 1.0;
        while length * part > SHORT {
            let half = 0.5 * part;
            let changes = |side: f64| {
                let ways = x.iter().zip(back);
                let moved: Vec<f64> = ways.map(|(x, way)| x + side * half * way).collect();
                let value = self.constraint_value(t, &moved);
                let entries = value.jacobian.row(b);
                let slope = entries.iter().zip(sizes).map(|(w, s)| (w * s).powi(2));
                let change = slope.sum::<f64>().sqrt() * length * half;
                // where nothing is defined it is too far
                change.is_nan() || change >= BACK * miss
            };
            if !(changes(1.0) || changes(-1.0)) {
                break;
            }
            part = half;
        }
        part
    }

    /// The theorem at a point. `region` is the box searched for singular points, by coordinate;
    /// where it is not given 10 max(1, |x|) each way.
    pub fn check(
        &self,
        site: Site,
        dependent: Option<&[usize]>,
        region: &[(usize, (f64, f64))],
    ) -> Check {
        let (check, extent) = asked(|| self.checked(site, dependent, region));
        Check { extent, ..check }
    }

    fn checked(
        &self,
        mut site: Site,
        asked: Option<&[usize]>,
        region: &[(usize, (f64, f64))],
    ) -> Check {
        let system = &self.system;
        let missed = self.missed((site.t, &site.x), &site.corrections);
        let is_met = missed.is_empty();
        site.corrections = self.unknown_by((site.t, &site.x), &site.corrections);
        let dependent = self.choice(asked, (site.t, &site.x), &site.corrections);
        let is_own_choice = asked.is_none() && system.dependent.is_none();
        let mut verdict =
            self.theorem
                .verdict(system, (site.t, &site.x), &site.corrections, &dependent);
        let determinant = SymbolicDeterminant::new(system, &self.equations, &dependent);
        if let Some(Failure {
            cause: Cause::Chart(vanishing),
            ..
        }) = &mut verdict.failure
        {
            *vanishing = self.vanishing(&dependent, &determinant, &site);
        }
        let at = (site.t, site.x.as_slice());
        let kind = verdict.failure.as_ref().map(Failure::kind);
        let structure = (kind == Some(FailureKind::Rank))
            .then(|| solver::position_structure(&self.unwatched(), at, &site.corrections).ok())
            .flatten();
        let singular = matches!(structure, Some(Structure::Singular { .. }));
        // beside an inequality is more than beside its equation
        let sided = !system.one_sided().is_empty();
        let meeting = (singular && is_met && !sided)
            .then(|| solver::branches(&self.unwatched(), at, &site.corrections))
            .flatten();
        let mut search = search_region(&site.x);
        for &(k, side) in region {
            search[k] = side;
        }
        let singular = self.singular(&determinant, site.t, &search);
        let nearest_failure = verdict
            .holds()
            .then(|| self.nearest_failure(&determinant, (&singular, &search), &site))
            .flatten();
        let here = site.spot();
        let constraints = system.constraints.iter();
        let residuals = constraints.map(|c| here.value(system, &[], c.f) - c.c_value);
        let residuals: Vec<f64> = residuals.collect();
        let independent = (0..system.coordinates.len())
            .filter(|k| !dependent.contains(k))
            .collect();
        let inverse = Inverse::new(system, &determinant, &dependent);
        let choices =
            self.all_choices((site.t, &site.x), &site.corrections, (&dependent, &inverse));
        let neighbourhood = self.neighbourhood_of(&verdict, (site.t, &site.x), &dependent);
        let velocities = self.bound_velocities(&dependent, (site.t, &site.x));
        let rows: Vec<&Vec<Expr>> = self.equations.jacobian.iter().collect();
        let regular_everywhere =
            self.theorem.is_smooth() && independent_everywhere(system, &rows, &[]).is_some();
        let (clear, off) = missed
            .into_iter()
            .partition(|&(b, miss)| miss > 0.0 && system.is_one_sided(b));
        Check {
            site,
            residuals,
            off,
            clear,
            verdict,
            is_own_choice,
            independent,
            determinant,
            singular,
            searched: search,
            inverse,
            choices,
            regular_everywhere,
            neighbourhood,
            structure,
            meeting,
            nearest_failure,
            velocities,
            extent: Extent::Whole,
        }
    }
}
