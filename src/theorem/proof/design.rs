//! Where in the space of parameters a choice of dependent coordinates works: cells of it, each with what is proven of
//! every configuration {x: f(x; p) = c} of every p in it.
//!
//! With each cell P goes a list of boxes in (x, p) that together hold every point of {f = c, det J_D = 0}, and every one where f
//! is not C^1. They are narrowed and cut along x; where none is left, the choice works for all of P. Where Krawczyk's
//! operator, with all of P as its parameters, proves a solution of f = c, det J_D = 0, it fails for every p in P. Else P is
//! cut and its parts inherit the boxes, until it is as small as asked for.

use super::atlas::{project, sample};
use super::chart::Chart;
use crate::expr::{FOR_NUMBERS, Interval, calculating, is_over};
use crate::interval::{
    Equations, Newton, Region, Scratch, as_box, halved, has_none, in_order, largest, middle_of,
    pivots,
};
use std::collections::VecDeque;
use std::ops::Range;

/// Boxes are cut to this part of the size of their cell (in parts of the region),
const FINENESS: f64 = 0.25;
/// and where there is no parameter to this part of the region.
const FINEST: f64 = 1.0 / 65536.0;
/// Boxes that a cell has when it is first asked whether it fails, and before it is cut; where there are no parameters, of all.
const FIRST_BOXES: usize = 24;
const BOXES: usize = 120;
const LAST_BOXES: usize = 20_000;
/// Boxes of a cell from which a configuration that fails is looked for.
const CANDIDATES: usize = 6;
/// Starts from which a configuration is looked for.
const STARTS: u64 = 12;

/// Parts of a cell that configurations are looked for in one by one.
const PARTS: usize = 48;

/// Of the effort of a question so much goes into cutting cells.
const FOR_CUTTING: u64 = FOR_NUMBERS / 16 * 15;

/// What is proven of the configurations of a cell of parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Word {
    /// For no parameter in the cell is there a configuration.
    Empty,
    /// At every configuration of every parameter in the cell the theorem holds; is it proven that each has one?
    Works(bool),
    /// For every parameter in the cell there is a configuration with det J_D = 0.
    Fails,
    /// For some parameter in the cell there is one.
    FailsSomewhere,
    /// Nothing.
    Undecided,
}

/// Which parameters of a cell are proven to have a configuration.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inhabited {
    Each,
    Some,
    Undecided,
}

/// A cell of parameters; only the subdivision can make one.
#[derive(Clone, PartialEq, Debug)]
pub struct Cell {
    sides: Region,
    word: Word,
}

impl Cell {
    /// Its sides, one a parameter.
    pub fn sides(&self) -> &[Interval] {
        &self.sides
    }

    /// What is proven of it.
    pub fn word(&self) -> Word {
        self.word
    }
}

/// Where parameters range.
#[derive(Clone, Debug)]
pub struct Plan<'a> {
    /// A side for each variable.
    pub region: &'a [Interval],
    /// Variables whose sides are a turn: what lies beyond is in the region too.
    pub turning: &'a [usize],
    /// The variables that are parameters.
    pub parameters: Range<usize>,
    /// A cell is not cut where its side is shorter than this, a length a parameter.
    pub least: &'a [f64],
}

/// The cells, which cover the range of the parameters, in the order of their places. `singular` are f together with
/// det J_D, where that could be written out.
pub fn design(
    equations: &Equations,
    chart: &Chart,
    singular: Option<&Equations>,
    plan: &Plan,
) -> Vec<Cell> {
    let mut subdivision = Subdivision {
        equations,
        chart,
        singular,
        plan,
        work: Scratch::default(),
    };
    let whole = plan.region[plan.parameters.clone()].to_vec();
    let mut queue = VecDeque::from([(whole, vec![plan.region.to_vec()])]);
    let mut cells = calculating(FOR_CUTTING, || subdivision.cells(&mut queue));
    // what is left for it tells of cells that would have been cut what is told of the smallest
    cells.extend(queue.into_iter().map(|(sides, boxes)| {
        let word = subdivision.word(&sides, &boxes, false);
        Cell { sides, word }
    }));
    cells.sort_by(|a, b| in_order(&a.sides, &b.sides, |side| side.lo));
    cells
}

/// Cells with boxes that hold all that may fail in them.
type Queue = VecDeque<(Region, Vec<Region>)>;

struct Subdivision<'a> {
    equations: &'a Equations,
    chart: &'a Chart,
    singular: Option<&'a Equations>,
    plan: &'a Plan<'a>,
    work: Scratch,
}

impl Subdivision<'_> {
    /// Takes cells from a queue, and gives those that something is told of or that are as small as asked for; what effort does
    /// not suffice for stays in it.
    fn cells(&mut self, queue: &mut Queue) -> Vec<Cell> {
        let most = if self.plan.least.is_empty() {
            LAST_BOXES
        } else {
            BOXES
        };
        let mut cells = Vec::new();
        while !is_over()
            && let Some((sides, mut boxes)) = queue.pop_front()
        {
            let cut = self.cut(&sides);
            let mut word = Word::Undecided;
            for most in [FIRST_BOXES, most] {
                if word == Word::Undecided {
                    self.prune(&sides, &mut boxes, most);
                    word = self.word(&sides, &boxes, cut.is_some());
                }
            }
            match cut {
                Some((low, high)) if word == Word::Undecided => {
                    for part in [low, high] {
                        let own = boxes.iter().filter_map(|x| self.within(x, &part));
                        queue.push_back((part.clone(), own.collect()));
                    }
                }
                _ => cells.push(Cell { sides, word }),
            }
        }
        cells
    }

    /// The two halves of a cell; `None` where it is as small as asked for.
    fn cut(&self, sides: &Region) -> Option<(Region, Region)> {
        let excess = |k: &usize| sides[*k].width() / self.plan.least[*k];
        let (widest, by) = largest(0..sides.len(), excess)?;
        (by > 1.0).then(|| halved(sides.clone(), widest).ok())?
    }

    /// What of a box lies over a cell.
    fn within(&self, x: &Region, sides: &Region) -> Option<Region> {
        let mut part = x.clone();
        for (own, side) in part[self.plan.parameters.clone()].iter_mut().zip(sides) {
            *own = own.meet(*side);
        }
        part.iter().all(|side| !side.is_empty()).then_some(part)
    }

    /// Of the coordinates that range, the one along which a box is longest.
    fn widest(&self, part: &[Interval]) -> Option<usize> {
        let ranges = |k: usize| self.plan.region[k].width() > 0.0;
        let coordinates = (0..part.len()).filter(|k| !self.plan.parameters.contains(k));
        let ranging = coordinates.filter(|k| ranges(*k));
        Some(largest(ranging, |k| self.share(part, *k))?.0)
    }

    /// The part of the region that a side takes.
    fn share(&self, part: &[Interval], k: usize) -> f64 {
        part[k].width() / self.plan.region[k].width()
    }

    /// Narrows and cuts the boxes of a cell, and drops those that hold no configuration where the choice fails.
    fn prune(&mut self, sides: &Region, boxes: &mut Vec<Region>, most: usize) {
        let first = self.plan.parameters.start;
        let ranging =
            (first..self.plan.parameters.end).filter(|k| self.plan.region[*k].width() > 0.0);
        let size = ranging.map(|k| sides[k - first].width() / self.plan.region[k].width());
        let fine = match size.fold(0.0, f64::max) {
            0.0 => FINEST,
            size => FINENESS * size,
        };
        let mut queue: VecDeque<Region> = boxes.drain(..).collect();
        while let Some(mut part) = queue.pop_front() {
            if is_over() {
                boxes.push(part);
                boxes.extend(queue);
                return;
            }
            if !self.narrow(&mut part) {
                continue;
            }
            let widest = (self.widest(&part)).filter(|k| self.share(&part, *k) > fine);
            match widest.filter(|_| boxes.len() + queue.len() < most) {
                None => boxes.push(part),
                Some(k) => match halved(part, k) {
                    Ok((low, high)) => queue.extend([low, high]),
                    Err(part) => boxes.push(part),
                },
            }
        }
    }

    /// Narrows a box to where the choice can fail; false where it cannot.
    fn narrow(&mut self, part: &mut Region) -> bool {
        let (equations, work) = (self.equations, &mut self.work);
        if !equations.contract(part, work) {
            return false;
        }
        // where f is not C^1 the theorem does not hold, whatever the determinant
        if !equations.is_smooth(part, work) {
            return true;
        }
        if let Some(both) = self.singular {
            if !both.contract(part, work) {
                return false;
            }
            if let Some(unknowns) = both.determined(part, work)
                && both.newton(part, &unknowns, work) == Newton::Empty
            {
                return false;
            }
        }
        !self.chart.is_one_to_one(equations, part, work)
    }

    /// What is proven of a cell whose boxes hold all that may fail.
    fn word(&mut self, sides: &Region, boxes: &[Region], can_be_cut: bool) -> Word {
        if is_over() {
            return Word::Undecided;
        }
        if boxes.is_empty() {
            return match self.inhabited(sides) {
                Inhabited::Each => Word::Works(true),
                Inhabited::Undecided if self.is_empty(sides) => Word::Empty,
                Inhabited::Undecided if can_be_cut => Word::Undecided,
                Inhabited::Some | Inhabited::Undecided => Word::Works(false),
            };
        }
        let Some(both) = self.singular else {
            return Word::Undecided;
        };
        let at = middle_of(sides);
        let candidates = (boxes.len() / CANDIDATES).max(1);
        let candidates = boxes.iter().step_by(candidates).take(CANDIDATES);
        for part in candidates.clone() {
            if self.is_solved(both, part, (&at, sides)) {
                return Word::Fails;
            }
        }
        let mut candidates = candidates.filter(|_| !can_be_cut);
        if candidates.any(|part| self.is_solved(both, part, (sides, sides))) {
            return Word::FailsSomewhere;
        }
        Word::Undecided
    }

    /// Is it proven that equations have a solution near a box, for every parameter of a cell (`sought` is a point of it)
    /// or for one of it (`sought` is all of it)?
    fn is_solved(
        &mut self,
        equations: &Equations,
        near: &Region,
        (sought, sides): (&Region, &Region),
    ) -> bool {
        let mut region = self.plan.region.to_vec();
        region[self.plan.parameters.clone()].copy_from_slice(sought);
        let start = near.iter().zip(&region);
        let start = start
            .map(|(x, side)| x.middle().clamp(side.lo, side.hi))
            .collect();
        let Some(point) = project(equations, &region, start, &mut self.work) else {
            return false;
        };
        let mut at = as_box(&point);
        let Some(matrix) = equations.in_middle(&at, &mut self.work) else {
            return false;
        };
        let Some(unknowns) = pivots(&matrix, &region) else {
            return false;
        };
        let Some(inverse) = matrix.select_columns(&unknowns).try_inverse() else {
            return false;
        };
        // how far the unknowns move where the parameters do
        let mut reach = vec![0.0_f64; unknowns.len()];
        for (k, side) in self.plan.parameters.clone().zip(sides) {
            if !unknowns.contains(&k) && sought[k - self.plan.parameters.start].width() == 0.0 {
                at[k] = *side;
                let slopes = &inverse * matrix.column(k);
                for (own, slope) in reach.iter_mut().zip(slopes.iter()) {
                    *own += (slope * 0.5 * side.width()).abs();
                }
            }
        }
        region[self.plan.parameters.clone()].copy_from_slice(sides);
        [1.5, 4.0, 12.0].iter().any(|factor| {
            let mut trial = at.clone();
            for (&u, own) in unknowns.iter().zip(&reach) {
                let least = 1e-9 * region[u].width().min(1.0).max(point[u].abs() * 1e-3);
                let own = factor * own + factor * least;
                trial[u] = Interval::new(point[u] - own, point[u] + own);
            }
            let inside = |k: usize| self.plan.turning.contains(&k) || trial[k].is_within(region[k]);
            (0..trial.len()).all(inside)
                && equations.newton(&mut trial, &unknowns, &mut self.work) == Newton::Unique
        })
    }

    /// Which parameters of a cell have a configuration? It is cut where one configuration does not continue over all of it.
    fn inhabited(&mut self, sides: &Region) -> Inhabited {
        if self.equations.is_empty() {
            return Inhabited::Each;
        }
        let mut queue = VecDeque::from([sides.clone()]);
        let mut found = Inhabited::Undecided;
        for looked in 0.. {
            let Some(part) = queue.pop_front() else {
                return Inhabited::Each;
            };
            let middle = middle_of(&part);
            let mut region = self.plan.region.to_vec();
            region[self.plan.parameters.clone()].copy_from_slice(&middle);
            let points = sample(self.equations, &region, STARTS);
            let mut solved = |sides: &Region| {
                let mut points = points.iter();
                points.any(|x| self.is_solved(self.equations, &as_box(x), (&middle, sides)))
            };
            if solved(&part) {
                found = Inhabited::Some;
                continue;
            }
            if !solved(&middle) {
                // cells tell better than words where there are none
                let none = looked > 0 && self.is_empty(&middle);
                return if none { Inhabited::Undecided } else { found };
            }
            found = Inhabited::Some;
            let excess = |k: &usize| part[*k].width() / self.plan.least[*k];
            let widest = largest(0..part.len(), excess).filter(|_| looked < PARTS);
            match widest.map(|(k, _)| halved(part, k)) {
                Some(Ok((low, high))) => queue.extend([low, high]),
                _ => return found,
            }
        }
        found
    }

    /// Is it proven that no parameter of a cell has a configuration?
    fn is_empty(&self, sides: &Region) -> bool {
        let start = self.within(&self.plan.region.to_vec(), sides);
        start.is_none_or(|start| has_none(self.equations, start, BOXES, |part| self.widest(part)))
    }
}
