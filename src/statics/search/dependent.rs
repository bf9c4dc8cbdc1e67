//! Where the gradients of the constraints are dependent: f = c and J^T u = 0 with max |u_b| = 1.
//!
//! That is one equation more than unknowns: no point of it can be proven, but that there is none can. The equations are taken
//! apart as those of equilibria are; in each case they are G(x) u = 0 and f = c, and a box holds no such point where
//!
//! * f = c has no solution in it, or
//! * the interval matrix of as many rows of G as there are u is regular, or
//! * narrowing shows that there is none with u_b = 1 and the others between -1 and 1, for every b.
//!
//! What is left when boxes are short is suspected.

use super::{Case, Finder, Wanted};
use crate::expr::{Expr, Interval, is_over};
use crate::geometry::independent_columns;
use crate::interval::{Equations, IntervalMatrix, Newton, Scratch, halved, hull_of, largest};

/// A box shorter than this part of the region is suspected.
const SMALLEST: f64 = 1e-7;
/// In a box shorter than this part of it, and in the first few, it is looked at what u must do.
const SHORT: f64 = 1e-2;
const FIRST: usize = 8;
/// More suspected boxes end the search.
const MOST: usize = 200;

/// A column whose entries are known no better counts as this part of one that is.
const BLURRED: f64 = 1e-3;

/// By what a box is narrowed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Means {
    /// The constraints.
    Levels,
    /// What u must do.
    Faces,
}

/// What may hold points where the gradients are dependent.
#[derive(Clone, Debug)]
pub struct Suspects {
    /// Boxes, a range a coordinate.
    pub boxes: Vec<Vec<Interval>>,
    /// Is it proven that no such point lies elsewhere?
    pub complete: bool,
}

/// Searches; `wanted.equations` are f - c and J^T lambda.
pub fn dependent(wanted: &Wanted) -> Suspects {
    let mut suspects = Suspects {
        boxes: Vec::new(),
        complete: true,
    };
    let mut finder = Finder::new(wanted);
    let zero = wanted.pool.zero();
    // all of the box at once, before anything is taken apart
    let whole = Case {
        equations: wanted.equations.to_vec(),
        solved: Vec::new(),
    };
    let plain = Dependence::new(&finder, &whole);
    if plain.is_excluded(&finder.sides(&plain.coordinates), &mut Scratch::default()) {
        return suspects;
    }
    for case in finder.cases() {
        let solved = |u: &Expr| case.solved.iter().any(|(s, e)| s == u && *e == zero);
        if wanted.multipliers.iter().all(solved) {
            continue;
        }
        finder.suspected(&case, &mut suspects);
    }
    suspects
}

/// A case of f = c and G(x) u = 0, compiled.
struct Dependence {
    /// the coordinates and the u in the equations
    coordinates: Vec<Expr>,
    multipliers: Vec<Expr>,
    /// f - c in the coordinates
    levels: Equations,
    /// all in coordinates and u
    all: Equations,
    /// G, a row a coordinate that is pushed, in the coordinates and the parameters that are left
    gradients: Equations,
}

impl Dependence {
    fn new(finder: &Finder, case: &Case) -> Self {
        let pool = finder.wanted.pool;
        let holds = |list: &[Expr], u: Expr| list.iter().any(|e| pool.symbols_of(*e).contains(&u));
        let open = |u: &Expr| case.solved.iter().all(|(s, _)| s != u);
        let all = finder.wanted.multipliers.iter().copied().filter(open);
        let (mut multipliers, free): (Vec<Expr>, Vec<Expr>) =
            all.partition(|u| holds(&case.equations, *u));
        let mut equations = case.equations.clone();
        if !free.is_empty() {
            // that one may be 1 and all others 0
            equations.retain(|e| !pool.contains_any(*e, &multipliers));
            multipliers.clear();
        }
        let (pushes, levels): (Vec<Expr>, Vec<Expr>) = equations
            .iter()
            .partition(|e| pool.contains_any(**e, &multipliers));
        let of = finder.wanted.x.iter().copied();
        let coordinates: Vec<Expr> = of.filter(|x| holds(&equations, *x)).collect();
        let unknowns: Vec<Expr> = coordinates.iter().chain(&multipliers).copied().collect();
        let slopes = pool.jacobian(&pushes, &multipliers).concat();
        Self {
            gradients: Equations::of_values(pool, &coordinates, finder.wanted.rounded, &slopes),
            levels: finder.over_boxes(&coordinates, &levels),
            all: finder.over_boxes(&unknowns, &equations),
            coordinates,
            multipliers,
        }
    }

    /// Is it shown that only u = 0 solves G(x) u = 0 in a box?
    fn is_excluded(&self, part: &[Interval], work: &mut Scratch) -> bool {
        let m = self.multipliers.len();
        if m == 0 {
            return false;
        }
        let (entries, smooth) = self.gradients.values(part, work);
        if !smooth {
            return false;
        }
        let count = entries.len() / m;
        let columns = IntervalMatrix::from_fn(m, count, |b, i| entries[i * m + b]);
        let Some(middle) = columns.middle() else {
            return false;
        };
        let sure = |i: usize| (0..m).all(|b| columns.at(b, i).width() == 0.0);
        let weight = |i: usize| if sure(i) { 1.0 } else { BLURRED };
        let weights: Vec<f64> = (0..count).map(weight).collect();
        let chosen = independent_columns(&middle, &weights);
        chosen.len() == m && columns.of_columns(&chosen).is_regular()
    }

    /// What is left of a box when it is narrowed; `None` where that is nothing.
    fn narrowed(
        &self,
        mut part: Vec<Interval>,
        with: Means,
        work: &mut Scratch,
    ) -> Option<Vec<Interval>> {
        if !self.levels.contract(&mut part, work) || self.is_excluded(&part, work) {
            return None;
        }
        let (n, m) = (self.coordinates.len(), self.multipliers.len());
        if m == 0 {
            return Some(part);
        }
        if with == Means::Levels {
            let middle = self.levels.jacobian(&part, work).0.middle();
            let chosen = middle.map(|middle| independent_columns(&middle, &vec![1.0; n]));
            let empty = chosen
                .filter(|list| list.len() == self.levels.len())
                .is_some_and(|list| self.levels.newton(&mut part, &list, work) == Newton::Empty);
            return (!empty).then_some(part);
        }
        let mut left: Option<Vec<Interval>> = None;
        for face in 0..m {
            let mut own = part.clone();
            own.resize(n + m, Interval::new(-1.0, 1.0));
            own[n + face] = Interval::ONE;
            if !self.all.contract(&mut own, work) {
                continue;
            }
            own.truncate(n);
            left = Some(match left {
                None => own,
                Some(known) => hull_of(&known, &own),
            });
        }
        left
    }
}

impl Finder<'_> {
    pub(super) fn sides(&self, unknowns: &[Expr]) -> Vec<Interval> {
        unknowns.iter().map(|u| self.side(*u)).collect()
    }

    fn suspected(&mut self, case: &Case, suspects: &mut Suspects) {
        let own = Dependence::new(self, case);
        let region = self.sides(&own.coordinates);
        let mut work = Scratch::default();
        let mut queue = vec![region.clone()];
        let mut looked = 0;
        let longest = |part: &[Interval]| {
            largest(0..part.len(), |k| {
                part[*k].width() / region[*k].width().max(f64::MIN_POSITIVE)
            })
        };
        while let Some(part) = queue.pop() {
            // structure tells in large boxes, and near such a point
            let short = longest(&part).is_none_or(|(_, share)| share < SHORT);
            looked += 1;
            let (with, cost) = if looked <= FIRST || short {
                let faces = own.multipliers.len() + 2;
                (Means::Faces, own.all.cost() * faces)
            } else {
                (Means::Levels, own.levels.cost() * 4 + own.gradients.cost())
            };
            if self.left < cost || suspects.boxes.len() > MOST || is_over() {
                suspects.complete = false;
                return;
            }
            self.left -= cost;
            let Some(part) = own.narrowed(part, with, &mut work) else {
                continue;
            };
            let part = match longest(&part).filter(|(_, share)| *share > SMALLEST) {
                Some((k, _)) => match halved(part, k) {
                    Ok((low, high)) => {
                        queue.extend([low, high]);
                        continue;
                    }
                    Err(part) => part,
                },
                None => part,
            };
            let known = own.coordinates.iter().copied().zip(part);
            let rest = self.unknowns.iter().copied();
            let rest = rest.filter(|u| {
                !own.coordinates.contains(u) && case.solved.iter().all(|(s, _)| s != u)
            });
            let rest: Vec<(Expr, Interval)> = rest.map(|u| (u, self.side(u))).collect();
            let values: Vec<(Expr, Interval)> = known.chain(rest).collect();
            suspects.boxes.extend(self.inside(case, &values));
        }
    }
}
