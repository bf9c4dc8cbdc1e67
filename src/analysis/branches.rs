//! The connected branches of a constraint set of one dimension, and what a coordinate runs over on each.

use super::{Model, Part};
use crate::expr::{Interval, Number, asked};
use crate::interval::{Equations, Region};
use crate::theorem::{Branches, Curve, Run, branches, goes_round};
use std::f64::consts::TAU;

/// More periods than this are no turn.
const MOST_PERIODS: i32 = 1000;
/// How far beyond the sides of the box points on them are looked for, in parts of it.
const BEYOND: f64 = 1e-3;

/// Branches of the constraint set.
#[derive(Clone, Debug)]
pub struct BranchesAnswer {
    /// Where.
    pub part: Part,
    /// The coordinate whose range is asked for.
    pub along: usize,
    /// The branches.
    pub branches: Branches,
    /// What it runs over on each.
    pub runs: Vec<Vec<Run>>,
}

impl BranchesAnswer {
    /// Is it proven that the coordinate runs over all of its range on this branch?
    pub fn is_whole(&self, branch: usize) -> bool {
        let (lo, hi) = self.part.region[self.along];
        let all = |run: &Run| run.low.hi <= lo && run.high.lo >= hi;
        self.runs
            .get(branch)
            .is_some_and(|runs| runs.iter().any(all))
    }
}

/// A turn, where that is a number of periods of the constraints: where these repeat sooner, as with cos(2 a), the coordinate has come to
/// another place, and what is there may be another branch; and what repeats later only, as cos(a/2) or a length in waves, has other
/// places after a turn.
fn whole_turn(period: f64) -> Option<f64> {
    let count = (TAU / period).round();
    let is_turn = (count * period - TAU).abs() < 1e-9 * TAU;
    (is_turn && (1.0..=f64::from(MOST_PERIODS)).contains(&count)).then_some(TAU)
}

impl Model {
    /// The branches in a part; `None` where the set is not of one dimension there.
    pub fn branches(&self, part: Part, along: usize) -> Option<BranchesAnswer> {
        let n = self.variable_names().len();
        (n == self.system.constraints.len() + 1 && self.ranging_parameters().is_empty())
            .then(|| asked(|| self.connected(part, along)).0)
    }

    fn connected(&self, part: Part, along: usize) -> BranchesAnswer {
        let region = part.sides();
        let periods = self.turning(&part).into_iter().filter_map(|(k, period)| {
            let turn = whole_turn(period).filter(|turn| goes_round(part.region[k], *turn))?;
            let off = 4.0 * f64::EPSILON * turn;
            Some((k, Interval::new(turn - off, turn + off)))
        });
        let periods: Vec<(usize, Interval)> = periods.collect();
        let curve = Curve {
            equations: &self.bounds().equations,
            region: &region,
            periods: &periods,
            along,
        };
        let branches = branches(curve);
        let round: Vec<usize> = periods.iter().map(|(k, _)| *k).collect();
        // where something was not decided a run may end as well
        let is_decided = branches.junctions().is_empty();
        let ends = is_decided.then(|| self.ends(&region, along, &round));
        let known = ends.flatten().unwrap_or_default();
        let runs = branches.list().iter().map(|one| {
            let runs = one.runs.iter();
            runs.map(|run| Self::sharpened(*run, region[along], &known))
                .collect()
        });
        let runs = runs.collect();
        BranchesAnswer {
            part,
            along,
            branches,
            runs,
        }
    }

    /// The values of this coordinate at which a run can end within its range: where the others are no functions of it, and
    /// where another leaves the region, but for those that go `round`. `None` where not all are known.
    fn ends(&self, region: &Region, along: usize, round: &[usize]) -> Option<Vec<Interval>> {
        let pool = &self.system.pool;
        let others = || (0..self.coordinate_names().len()).filter(|k| *k != along);
        let mut ends = Vec::new();
        let mut take = |equations: &Equations, region: &Region| {
            let found = super::region::single_points(equations, region)?;
            let all = found.has_all();
            ends.extend(found.proven.iter().map(|root| root[along]));
            all.then_some(())
        };
        take(
            &self.with_determinant(&others().collect::<Vec<_>>())?,
            region,
        )?;
        for k in others().filter(|k| !round.contains(k)) {
            for side in [region[k].lo, region[k].hi] {
                let side_of = pool.number(Number::from_f64(side)?);
                let off = pool.sub(self.system.coordinates[k].x, side_of);
                let mut about = region.clone();
                let room = BEYOND * region[k].width();
                about[k] = Interval::new(side - room, side + room);
                take(&self.bounds().and_zero(pool, off), &about)?;
            }
        }
        Some(ends)
    }

    /// The ends of a run: where all `ends` are known that there can be, one within the range is one of them.
    fn sharpened(run: Run, whole: Interval, ends: &[Interval]) -> Run {
        let sharper = |end: Interval| {
            if !end.is_inside(whole) {
                return end;
            }
            let near = ends.iter().map(|at| at.meet(end));
            near.fold(Interval::EMPTY, Interval::hull)
        };
        let or = |end: Interval| match sharper(end) {
            sharp if sharp.is_empty() => end,
            sharp => sharp,
        };
        Run {
            low: or(run.low),
            high: or(run.high),
        }
    }
}
