//! A choice of dependent coordinates on all of a box, and over ranges of parameters.

use super::{Model, Part};
use crate::expr::{Expr, Interval, asked};
use crate::interval::{Region, Scratch};
use crate::theorem::{Cell, DesignPlan, SymbolicDeterminant, Word, design};

/// Where a choice works.
#[derive(Clone, Debug)]
pub struct DesignAnswer {
    /// Where.
    pub part: Part,
    /// The dependent coordinates.
    pub dependent: Vec<usize>,
    /// det J_D; `None` where it is too large to write out.
    pub determinant: Option<Expr>,
    /// How many of the parameters that range make up cells: the others range like coordinates.
    pub parameters: usize,
    /// The cells; none where det J_D is zero everywhere.
    pub cells: Vec<Cell>,
}

impl DesignAnswer {
    /// Is it proven that the choice works at every configuration in the box, whatever the parameters?
    pub fn holds(&self) -> bool {
        let works = |cell: &Cell| matches!(cell.word(), Word::Works(_) | Word::Empty);
        !self.cells.is_empty() && self.cells.iter().all(works)
    }
}

impl Model {
    /// The sides of coordinates that are not given widened to where a configuration can be, where the constraints bound
    /// them; the part says whether it then holds every configuration.
    pub fn widen(&self, part: &mut Part, given: &[(usize, (f64, f64))]) {
        let n = self.coordinate_names().len();
        let is_given = |k: usize| given.iter().any(|(own, ..)| *own == k);
        let turns = |k: usize| self.angles().iter().any(|(own, _)| *own == k);
        let bounds = self.bounds();
        let is_free = |k: &usize| !is_given(*k) && !turns(*k) && bounds.equations.contains(*k);
        let mut sides = part.sides();
        for k in (0..n).filter(is_free) {
            sides[k] = Interval::ALL;
        }
        let possible = bounds
            .equations
            .contract(&mut sides, &mut Scratch::default());
        part.all_configurations = !(0..n).any(is_given);
        for k in (0..n).filter(is_free) {
            if possible && sides[k].is_bounded() {
                // a side of one point is a side all the same
                let room = 1e-3 * sides[k].width().max(1e-3);
                part.region[k] = (sides[k].lo - room, sides[k].hi + room);
            } else {
                part.all_configurations &= !possible;
            }
        }
    }

    /// Where in the ranges of the first parameters that range a choice works at every configuration; a cell is cut until its
    /// sides are no longer than this part of the range each.
    pub fn design(&self, part: Part, dependent: &[usize], parts: &[usize]) -> DesignAnswer {
        asked(|| self.designed(part, dependent, parts)).0
    }

    fn designed(&self, part: Part, dependent: &[usize], parts: &[usize]) -> DesignAnswer {
        let determinant = SymbolicDeterminant::new(&self.system, &self.equations, dependent).whole;
        let region: Region = part.sides();
        let first = self.coordinate_names().len();
        let parameters = first..first + parts.len();
        let ranges = region[parameters.clone()].iter().zip(parts);
        let least: Vec<f64> = ranges
            .map(|(side, parts)| 1.05 * side.width() / (*parts).max(1) as f64)
            .collect();
        let turning = self.turning(&part);
        let turning: Vec<usize> = turning.into_iter().map(|(k, _)| k).collect();
        let plan = DesignPlan {
            region: &region,
            turning: &turning,
            parameters,
            least: &least,
        };
        let cells = if determinant == Some(self.system.pool.zero()) {
            Vec::new()
        } else {
            let singular = self.with_determinant(dependent);
            let equations = &self.bounds().equations;
            design(equations, &self.chart(dependent), singular.as_ref(), &plan)
        };
        DesignAnswer {
            part,
            dependent: dependent.to_vec(),
            determinant,
            parameters: parts.len(),
            cells,
        }
    }
}
