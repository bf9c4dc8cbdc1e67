//! The connected branches of a constraint set of one dimension, and what a coordinate runs over on each.

use super::{Model, Part};
use crate::expr::{Interval, asked};
use crate::interval::{Region, Roots};
use crate::theorem::{Branches, Curve, Run, branches, goes_round};
use std::f64::consts::TAU;

/// More periods than this are no turns.
const MOST_PERIODS: i32 = 1000;

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

/// The least number of periods of the constraints that is a number of turns: where the constraints repeat sooner, as with cos(2 a), the
/// coordinate has come to another place, and what is there may be another branch.
fn whole_turn(period: f64) -> Option<f64> {
    let mut turns = (1..=MOST_PERIODS).map(|count| f64::from(count) * period / TAU);
    let whole = |turns: &f64| turns.round() >= 1.0 && (turns - turns.round()).abs() < 1e-9;
    turns.find(whole).map(|turns| TAU * turns.round())
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
        let turning = self.turning_back(&region, along);
        // where something was not decided a run may end as well
        let known = turning.filter(|roots| roots.has_all() && branches.junctions().is_empty());
        let known = known.iter().flat_map(|roots| &roots.proven);
        let known: Vec<Interval> = known.map(|root| root[along]).collect();
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

    /// Where the other coordinates are no functions of this one.
    fn turning_back(&self, region: &Region, along: usize) -> Option<Roots> {
        let others: Vec<usize> = (0..self.coordinate_names().len())
            .filter(|k| *k != along)
            .collect();
        let both = self.with_determinant(&others)?;
        super::region::single_points(&both, region)
    }

    /// The ends of a run: where all points are known at which it can turn back, an end within the range is one of them.
    fn sharpened(run: Run, whole: Interval, turning: &[Interval]) -> Run {
        let sharper = |end: Interval| {
            if !end.is_inside(whole) {
                return end;
            }
            let near = turning.iter().map(|at| at.meet(end));
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
