//! The constraint set in a box, paved for drawing: boxes no longer than a resolution that together hold
//! every point of {f = c}, each marked with what is proven of it.

use super::atlas::{DENSEST_STEP, dense};
use super::chart::Chart;
use crate::expr::{Interval, cancelled, is_over};
use crate::interval::{Equations, Newton, Region, Scratch, halved, middle_of, widest};

/// The boxes of a paving have at most so many sides together: what is drawn or written of them fits into 300 MB.
const MOST_SIDES: usize = 300_000;

/// What is proven of a box of a paving.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mark {
    /// det J_D has no zero in it and F is one-to-one on it; the sign of det J_D.
    Regular(bool),
    /// It is proven that there is a point of the constraint set where det J_D is zero in it, or within a
    /// tenth of its size.
    Singular,
    /// Neither.
    Undecided,
}

/// A box of a paving.
#[derive(Clone, Debug, PartialEq)]
pub struct Tile {
    /// Its sides.
    pub sides: Region,
    /// What is proven of det J_D.
    pub mark: Mark,
    /// Is it proven that it holds points of the constraint set (or that they are within a tenth of its
    /// size)?
    pub inhabited: bool,
}

/// A point that is no farther beyond a side than this part of its length is on it.
const ON_A_SIDE: f64 = 1e-12;

/// A paving.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Paving {
    /// The boxes, in the order of their places.
    pub tiles: Vec<Tile>,
    /// False where the effort did not suffice: boxes are then larger than the resolution.
    pub complete: bool,
}

/// Paves {f = c} in a region with boxes that are no longer than `resolution` (0: as it comes) in each
/// variable. `singular` are f together with det J_D, where that could be written out; `effort` bounds the
/// instructions.
pub fn pave(
    equations: &Equations,
    chart: &Chart,
    singular: Option<&Equations>,
    region: &[Interval],
    resolution: &[f64],
    effort: usize,
) -> Paving {
    let mut work = Scratch::default();
    let newton = dense(equations, region);
    let cost =
        6 * equations.cost() + chart.cost() + singular.map_or(0, Equations::cost) + newton + 64;
    let most = (effort / cost).max(16);
    let room = MOST_SIDES / region.len().max(1);
    let mut queue = vec![region.to_vec()];
    let mut paving = Paving {
        complete: true,
        ..Paving::default()
    };
    let mut looked = 0;
    while let Some(mut part) = queue.pop() {
        if cancelled() {
            paving.complete = false;
            break;
        }
        looked += 1;
        if !equations.contract(&mut part, &mut work) {
            continue;
        }
        // near a regular point Newton's operator sharpens the box, or empties it
        let excess = |part: &[Interval]| {
            let sides = part.iter().zip(resolution);
            widest(sides.map(|(side, least)| match *least {
                least if least > 0.0 => side.width() / least,
                _ => 0.0,
            }))
        };
        if excess(&part).1 < 16.0
            && newton <= DENSEST_STEP
            && equations.newton(&mut part, &chart.dependent, &mut work) == Newton::Empty
        {
            continue;
        }
        let (widest, by) = excess(&part);
        let spent = looked >= most || paving.tiles.len() >= room || is_over();
        let part = if by <= 1.0 || spent {
            part
        } else {
            match halved(part, widest) {
                Ok((low, high)) => {
                    queue.extend([high, low]);
                    continue;
                }
                Err(part) => part,
            }
        };
        paving.complete &= by <= 1.0 || !spent;
        let tile = judged(equations, chart, singular, (part, region), &mut work);
        paving.tiles.push(tile);
    }
    paving
}

fn judged(
    equations: &Equations,
    chart: &Chart,
    singular: Option<&Equations>,
    (sides, region): (Region, &[Interval]),
    work: &mut Scratch,
) -> Tile {
    let inhabited = is_inhabited(equations, (&sides, region), work);
    let mark = if chart.is_one_to_one(equations, &sides, work) {
        Mark::Regular(is_positive(equations, chart, &sides, work))
    } else if singular.is_some_and(|both| is_inhabited(both, (&sides, region), work)) {
        Mark::Singular
    } else {
        Mark::Undecided
    };
    Tile {
        sides,
        mark,
        inhabited,
    }
}

/// The sign of det J_D on a box where it has no zero.
fn is_positive(
    equations: &Equations,
    chart: &Chart,
    sides: &[Interval],
    work: &mut Scratch,
) -> bool {
    let (jacobian, _) = equations.jacobian(&middle_of(sides), work);
    let block = jacobian.of_columns(&chart.dependent).middle();
    block.is_some_and(|block| block.determinant() > 0.0)
}

/// Is it proven that equations have a solution in a box, or within a tenth of its size and in the region or on its sides? The unknowns are
/// those that the equations determine best there; the others stay at the middle of their sides.
pub fn is_inhabited(
    equations: &Equations,
    (sides, region): (&[Interval], &[Interval]),
    work: &mut Scratch,
) -> bool {
    if dense(equations, sides) > DENSEST_STEP {
        return false;
    }
    let Some(unknowns) = equations.determined(sides, work) else {
        return false;
    };
    let mut part = middle_of(sides);
    for &u in &unknowns {
        part[u] = roomier(sides[u], 0.1);
    }
    let allowed = part.clone();
    // the one solution in this part may be beyond a side of the region
    let is_inside = |mut part: Region, work: &mut Scratch| {
        let is_in = |part: &[Interval]| {
            let around = |u: &usize| roomier(region[*u], ON_A_SIDE);
            unknowns.iter().all(|u| part[*u].is_inside(around(u)))
        };
        for _ in 0..4 {
            if is_in(&part) || equations.newton(&mut part, &unknowns, work) == Newton::Empty {
                break;
            }
        }
        is_in(&part)
    };
    for _ in 0..4 {
        let before: f64 = unknowns.iter().map(|u| part[*u].width()).sum();
        match equations.newton(&mut part, &unknowns, work) {
            Newton::Unique => return is_inside(part, work),
            Newton::Empty => return false,
            Newton::Open => {}
        }
        // what was narrowed may end at the solution: widened a little it can be proven
        let mut trial = part.clone();
        for &u in &unknowns {
            let least = 1e-6 * allowed[u].width();
            let side = roomier(part[u], 0.25);
            trial[u] = Interval::new(side.lo - least, side.hi + least).meet(allowed[u]);
        }
        if equations.newton(&mut trial, &unknowns, work) == Newton::Unique {
            return is_inside(trial, work);
        }
        let after: f64 = unknowns.iter().map(|u| part[*u].width()).sum();
        if after > 0.9 * before {
            return false;
        }
    }
    false
}

/// A side with a part of its length more at both ends.
fn roomier(side: Interval, part: f64) -> Interval {
    let room = part * side.width() + 4.0 * f64::EPSILON * side.magnitude() + f64::MIN_POSITIVE;
    Interval::new(side.lo - room, side.hi + room)
}
