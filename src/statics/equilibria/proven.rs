//! Places that branch and prune proves.

use super::one::Known;
use super::{Acting, Along, FOR_BOXES, Ground, MOST, Root, SAME, unit_vector};
use crate::expr::{Expr, calculating, is_over, within};
use crate::interval::{box_of, middles};
use crate::statics::bounds::Bounds;
use crate::statics::equations::Numbers;
use crate::statics::flat::Symbols;
use crate::statics::numeric::{Numeric, Settled};
use crate::statics::search::{Outcome, Solution, Suspects, Wanted, dependent, search};
use crate::statics::value::Field;
use nalgebra::DVector;

impl Ground<'_> {
    /// The equations of these constraints with numbers for parameters and time.
    pub(super) fn symbols(&self, rows: &[usize]) -> Symbols<'_> {
        let system = self.subject.system;
        let pool = &system.pool;
        let Numbers { exact, rounded } = Numbers::new(system, self.t);
        let all: Vec<Expr> = system.multipliers().collect();
        let levels = rows.iter().map(|b| self.statics.level(system, *b));
        let levels: Vec<Expr> = levels.collect();
        let held = system.constraints.len();
        Symbols {
            pool,
            x: system.positions(),
            multipliers: rows.iter().map(|b| all[*b]).collect(),
            levels: pool.substitute_all(&levels, &exact),
            holonomic: rows.iter().filter(|b| **b < held).count(),
            force: pool.substitute_all(&self.statics.force, &exact),
            gradients: rows
                .iter()
                .map(|b| pool.substitute_all(&self.statics.gradients[*b], &exact))
                .collect(),
            rounded,
        }
    }

    /// A solution of branch and prune.
    fn place_of(&self, numeric: &Numeric, solution: &Solution) -> Root {
        let turned = self.turned(solution);
        let same = |k: usize| turned[k] == solution.x[k];
        let middle = middles(&turned);
        // the only solution in a wide box is where numbers lead to
        let wide = |k: usize| turned[k].width() > SAME * self.unit(k, middle[k]);
        let alone = solution.proven && solution.any.is_empty() && solution.dimension == 0;
        let inside = |near: &Settled| {
            near.x
                .iter()
                .zip(&turned)
                .all(|(x, side)| side.contains(*x))
        };
        let near = (alone && (0..middle.len()).any(wide))
            .then(|| numeric.settle(&middle, &self.widths))
            .flatten();
        let settled = near.filter(inside).unwrap_or_else(|| Settled {
            correction: turned.iter().map(|side| 0.5 * side.width()).collect(),
            lambda: numeric.at(&middle).multipliers(&self.widths),
            x: middle,
        });
        Root {
            exact: (0..turned.len())
                .map(|k| solution.exact[k].filter(|_| same(k)))
                .collect(),
            sides: Some(turned),
            proven: solution.proven,
            free: !solution.any.is_empty(),
            by: solution.by.clone(),
            any: solution.any.clone(),
            piece: solution.piece.clone(),
            dimension: solution.any.len() + solution.dimension,
            ..Root::met(settled)
        }
    }

    /// Of a family in a system that moves, those that can stay: f_t = 0 and f_tt = 0 besides. They are
    /// entries of their own.
    pub(super) fn staying(&self, numeric: &Numeric, acting: &Acting, places: &mut Vec<Root>) {
        let system = self.subject.system;
        let rows = acting.kept;
        let zero = system.pool.zero();
        let moving: Vec<Expr> = rows
            .iter()
            .flat_map(|&b| [self.statics.f_t[b], self.statics.f_tt[b]])
            .filter(|e| *e != zero)
            .collect();
        let moving = system
            .pool
            .substitute_all(&moving, &Numbers::new(system, self.t).exact);
        let mut equations = acting.symbols.equations();
        equations.extend(moving);
        let found = self.search(acting, &equations);
        for solution in found.solutions.iter().filter(|s| s.any.is_empty()) {
            let place = self.place_of(numeric, solution);
            let known = |p: &Root| self.distance(&p.settled.x, &place.settled.x) <= SAME;
            places.retain(|p| p.along.is_none() || !known(p));
            if !places.iter().any(known) {
                places.push(place);
            }
        }
    }

    /// Branch and prune of equations in the coordinates and multipliers.
    pub(super) fn search(&self, acting: &Acting, equations: &[Expr]) -> Outcome {
        self.looked_through((acting, acting.effort), equations, search)
    }

    /// Boxes that may hold points where the gradients of the constraints are dependent.
    pub(super) fn dependent(&self, acting: &Acting, effort: usize) -> Suspects {
        let symbols = acting.symbols;
        let without_force = Symbols {
            force: vec![symbols.pool.zero(); symbols.force.len()],
            ..symbols.clone()
        };
        // multipliers that nothing bounds have no sign
        let acting = Acting {
            keeps: &[],
            pushes: &[],
            ..*acting
        };
        self.looked_through((&acting, effort), &without_force.equations(), dependent)
    }

    fn looked_through<T>(
        &self,
        (acting, effort): (&Acting, usize),
        equations: &[Expr],
        look: impl FnOnce(&Wanted) -> T,
    ) -> T {
        let symbols = acting.symbols;
        let region = box_of(&self.region);
        let wanted = || {
            look(&Wanted {
                pool: symbols.pool,
                x: &symbols.x,
                multipliers: &symbols.multipliers,
                equations,
                rounded: &symbols.rounded,
                keeps: acting.keeps,
                pushes: acting.pushes,
                region: &region,
                usual: &self.usual,
                effort,
            })
        };
        within(FOR_CASES, || calculating(FOR_BOXES, wanted))
    }

    /// The solutions of branch and prune, each once, angles within one period.
    pub(super) fn proven(
        &self,
        (numeric, bounds): (&Numeric, &Bounds),
        found: &Outcome,
    ) -> Vec<Root> {
        let pool = &self.subject.system.pool;
        let mut places: Vec<Root> = Vec::new();
        let mut told_of: Vec<Known> = Vec::new();
        let own = found.solutions.iter().filter(|s| !s.member);
        let (families, single): (Vec<&Solution>, Vec<&Solution>) =
            own.partition(|s| s.dimension > 0);
        for solution in families.into_iter().chain(single) {
            let place = self.place_of(numeric, solution);
            let sides = place.sides.as_deref().unwrap_or(&[]);
            let own = Known::new(Field { pool }, sides, &place.exact);
            let of_set = place.piece.is_some();
            let same = |(other, known): (&Root, &Known)| {
                other.free == place.free
                    && !(of_set && other.piece.is_some())
                    && self.are_one(bounds, known, &own) == Some(true)
            };
            if is_over() && places.len() > MOST {
                break;
            }
            let twice = places.iter().zip(&told_of).position(same);
            if let Some(known) = twice {
                let known_as = &mut told_of[known];
                let known = &mut places[known];
                if place.proven && !known.proven {
                    *known_as = own;
                    (known.proven, known.sides) = (true, place.sides);
                    (known.exact, known.by, known.any) = (place.exact, place.by, place.any);
                    known.piece = place.piece;
                }
                let dimension = solution.any.len() + solution.dimension;
                if dimension > known.dimension {
                    known.dimension = dimension;
                    known.along = known
                        .along
                        .take()
                        .map(|a| Along::proven(a.direction, dimension));
                }
                continue;
            }
            let mut place = place;
            // one that is proven to stand alone is no member of a family that numbers suggest: where there may be no
            // others it is kept
            let alone = place.proven && place.dimension == 0;
            if alone && found.complete {
                places.push(place);
                told_of.push(own);
                continue;
            }
            let loose = numeric.loose(&place.settled, &self.widths);
            let direction = numeric.family(&place.settled, &loose, &self.widths);
            let tangent = solution.tangent.clone().map(DVector::from);
            place.along = tangent.or(direction).map(|direction| {
                let direction = unit_vector(&direction);
                if place.dimension > 0 {
                    Along::proven(direction, place.dimension)
                } else {
                    Along::estimated(direction)
                }
            });
            // of one that is proven too, and goes on as this does, it may be
            // (those whose members are known have been told apart already)
            let families = |p: &&Root| {
                p.along.is_some()
                    && !(alone && p.dimension == 0 && !p.proven)
                    && !(p.free && place.free)
            };
            let families = places.iter().filter(families);
            if place.along.is_some() && self.joins(numeric, &place.settled, families) {
                continue;
            }
            places.push(place);
            told_of.push(own);
        }
        places
    }

    /// Does a member of a family belong to one of these?
    pub(super) fn joins<'p>(
        &self,
        numeric: &Numeric,
        settled: &Settled,
        mut families: impl Iterator<Item = &'p Root>,
    ) -> bool {
        families.any(|p| {
            let trace = p
                .trace
                .get_or_init(|| numeric.trace(&p.settled, &self.widths));
            match trace {
                Some(trace) => numeric.is_on(trace, (&settled.x, &self.periods), &self.widths),
                None => numeric.are_joined(settled, &p.settled.x, &self.widths),
            }
        })
    }
}

/// What simplifying and factoring the equations may cost.
const FOR_CASES: u64 = 4_000_000;
