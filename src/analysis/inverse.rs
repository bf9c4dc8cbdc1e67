//! The inverse as a function to evaluate: x_D = g(y, x_I; t) at given values, with its derivatives, every
//! other solution near, what is certified of it, and the multipliers as rates at which the energy answers
//! when the level of a constraint is moved.

use super::solutions::{Excluded, Found, Search, Solution, distance, once_a_period};
use super::{BrokenCondition, DomainOfG, End, Model, Overrides, RequestError, Spot};
use crate::expr::{Expr, Interval, asked};
use crate::geometry::largest;
use crate::interval::{Equations, Region, Scratch, ends};
use crate::theorem::{
    Branch, FARTHEST, Inverse, Neighbourhood, SymbolicDeterminant, periods, project, within_a_turn,
};
use nalgebra::{DMatrix, DVector};

/// A level is moved by this part of what its gradient makes of a unit of the coordinates.
const MOVE: f64 = 1e-3;
/// A closed form belongs to the solution where it agrees so far.
const AGREES: f64 = 1e-9;
/// Coordinates that are all below this are measured by the largest of them.
const SMALL: f64 = 1e-2;

/// What is asked.
#[derive(Clone, Debug, Default)]
pub struct InverseRequest {
    /// Values of constraints by index; the others have their level.
    pub y: Vec<(usize, f64)>,
    /// The independent coordinates and t; the others are those of the start.
    pub at: Overrides,
    /// Where the solution is looked for, by coordinate; else where the start is.
    pub near: Vec<(usize, f64)>,
    /// The dependent coordinates.
    pub dependent: Option<Vec<usize>>,
    /// The region searched, by coordinate.
    pub region: Vec<(usize, (f64, f64))>,
}

/// A constraint whose level was moved a little, the system at rest.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelVariation {
    /// The constraint.
    pub constraint: usize,
    /// By how much, either way.
    pub by: f64,
    /// Its multiplier at rest by the formula, J_D^-T (dV/dx_D).
    pub multiplier: f64,
    /// (V(y + by) - V(y - by)) / (2 by), with the third-order error taken out; `None` where g ends or the effort did.
    pub rate: Option<f64>,
}

/// How it is known that g has no value, whatever the dependent coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nowhere {
    /// By bounds on f - y.
    Proven,
    /// In each branch of the closed form a root, a logarithm or an angle is not real.
    NotReal,
}

/// The value of g.
#[derive(Clone, Debug)]
pub struct InverseValue {
    /// x_D in the order of the dependent coordinates.
    pub value: Vec<f64>,
    /// Bounds on the exact solution, proven, where it is.
    pub enclosure: Option<Vec<(f64, f64)>>,
    /// dg/dy, rows the dependent coordinates, columns the constraints; `None` where J_D is singular.
    pub by_y: Option<DMatrix<f64>>,
    /// dg/dx_I.
    pub by_x: Option<DMatrix<f64>>,
    /// dg/dt.
    pub by_t: Option<DVector<f64>>,
    /// The place of the branch it belongs to, where the inverse is closed.
    pub branch: Option<usize>,
    /// Where F is proven to be one-to-one round it.
    pub neighbourhood: Option<Neighbourhood>,
    /// Where g is defined round it.
    pub domain: Option<DomainOfG>,
    /// The levels moved.
    pub variations: Vec<LevelVariation>,
}

/// g at given values.
#[derive(Clone, Debug)]
pub struct InverseAnswer {
    /// The time.
    pub t: f64,
    /// y, the constraints in order.
    pub y: Vec<f64>,
    /// The dependent coordinates.
    pub dependent: Vec<usize>,
    /// The independent coordinates.
    pub independent: Vec<usize>,
    /// Their values.
    pub at: Vec<f64>,
    /// The inverse functions in symbols.
    pub inverse: Inverse,
    /// The solution asked for; `None` where none was found.
    pub found: Option<InverseValue>,
    /// Where no solution was found: where g ends on the way there from the start, or was followed to.
    pub end: Option<End>,
    /// Where no solution was found: how it is known that there is none, in the region or beyond.
    pub nowhere: Option<Nowhere>,
    /// Where no solution was found: what its closed forms need to be positive there, and is not.
    pub broken: Vec<BrokenCondition>,
    /// Other solutions in the region.
    pub others: Vec<Vec<f64>>,
    /// Places where f ends or has a pole, and that are therefore no solutions.
    pub excluded: Vec<Excluded>,
    /// Is it proven that there are no more in the region?
    pub complete: bool,
    /// The region searched, a range a dependent coordinate.
    pub region: Vec<(f64, f64)>,
    /// Dependent coordinates (their places) that are angles, with their period: solutions are given once.
    pub periods: Vec<(usize, f64)>,
}

/// Where g is asked for.
struct InversePlace {
    start: Option<Spot>,
    dependent: Vec<usize>,
    independent: Vec<usize>,
    t: f64,
    /// the independent coordinates, and near which values the dependent ones are looked for
    x: Vec<f64>,
}

impl Model {
    /// g(y, x_I; t) and what belongs to it.
    ///
    /// # Errors
    /// The start (which gives what is not named) cannot be made consistent.
    pub fn inverse_at(&self, request: &InverseRequest) -> Result<InverseAnswer, RequestError> {
        asked(|| self.inverted(request)).0
    }

    /// What is not named has the value of the start; where there is none, all that is independent must be named.
    fn place_of_inverse(&self, request: &InverseRequest) -> Result<InversePlace, RequestError> {
        let asked = request.dependent.as_deref();
        let start = self.start(&Overrides::default());
        let given = Overrides {
            x: request.near.iter().chain(&request.at.x).copied().collect(),
            ..request.at.clone()
        };
        let (t, mut x) = match &start {
            Ok(start) => (start.t, start.x.clone()),
            Err(_) => self.around(&given).0,
        };
        let corrections: &[f64] = start.as_ref().map_or(&[], |start| &start.correction);
        let dependent = self.choice(asked, (t, &x), corrections);
        let independent: Vec<usize> = (0..x.len()).filter(|k| !dependent.contains(k)).collect();
        for &(k, value) in &given.x {
            x[k] = value;
        }
        let is_given = |k: &usize| given.x.iter().any(|(own, _)| own == k);
        let start = match start {
            Ok(start) => Some(Spot {
                t: start.t,
                x: start.x,
            }),
            Err(_) if independent.iter().all(is_given) => None,
            Err(why) => return Err(why.into()),
        };
        Ok(InversePlace {
            start,
            dependent,
            independent,
            t: given.t.unwrap_or(t),
            x,
        })
    }

    fn inverted(&self, request: &InverseRequest) -> Result<InverseAnswer, RequestError> {
        let system = &self.system;
        let InversePlace {
            start,
            dependent,
            independent,
            t,
            mut x,
        } = self.place_of_inverse(request)?;
        let mut y: Vec<f64> = system.constraints.iter().map(|c| c.c_value).collect();
        for &(b, value) in &request.y {
            y[b] = value;
        }
        let problem = Levels::new(self, &dependent, &independent);
        let equations = problem.at(&y, &x, t);
        let unknowns: Vec<Expr> = system.positions_of(&dependent);
        let f: Vec<Expr> = system.constraints.iter().map(|c| c.f).collect();
        let periods = periods(&system.pool, &f, &unknowns);
        let search = Search::new(&equations, &periods, (request, &dependent));
        let near: Vec<f64> = dependent.iter().map(|&k| x[k]).collect();
        let determinant = SymbolicDeterminant::new(system, &self.equations, &dependent);
        let inverse = Inverse::new(system, &determinant, &dependent);
        let mut solved = search.about(near);
        let mut missing = Missing::default();
        if inverse.exists() {
            solved.search(&equations);
            if solved.solutions.is_empty() {
                let to = Spot { t, x: x.clone() };
                missing = self.look_beyond(&search, &mut solved, (&inverse, start), (&y, &to));
            }
        }
        once_a_period(&mut solved.solutions, &search.turning);
        let found = solved.take_nearest().map(|solution| {
            for (&k, v) in dependent.iter().zip(&solution.0) {
                x[k] = *v;
            }
            let here = Spot { t, x: x.clone() };
            self.value_of_inverse(&problem, &inverse, (&y, &here), solution)
        });
        let Found {
            searched,
            solutions,
            excluded,
            region,
            ..
        } = solved;
        Ok(InverseAnswer {
            end: missing.end,
            broken: missing.broken,
            nowhere: missing.nowhere,
            t,
            y,
            at: independent.iter().map(|&k| x[k]).collect(),
            dependent,
            independent,
            inverse,
            found,
            others: solutions.into_iter().map(|(value, _)| value).collect(),
            excluded,
            complete: searched.has_all(),
            region,
            periods,
        })
    }

    /// Where the region has no solution: is there none at all? Else it is looked for where the closed forms have their values, where
    /// g leads to from the start, and in the farthest region; what is found takes the place of what was.
    fn look_beyond(
        &self,
        search: &Search,
        solved: &mut Found,
        (inverse, start): (&Inverse, Option<Spot>),
        (y, to): (&[f64], &Spot),
    ) -> Missing {
        let dependent = search.dependent;
        let nowhere = self.nowhere(search, solved, (inverse, (y, to)));
        let open = nowhere.is_none() && search.is_open();
        if open {
            let closed = (inverse, start.as_ref());
            let values = self.closed_values(search, &solved.near, closed, (y, to));
            let mut places = values.into_iter().map(|value| search.about(value));
            if places.any(|next| search.finds(solved, next)) {
                return Missing::default();
            }
        }
        let way = start.and_then(|from| self.follow_to(&from, dependent, (y, to)));
        let (arrived, end) = match way {
            Some(Ok(arrived)) => (Some(arrived), None),
            Some(Err(end)) => (None, Some(end)),
            None => (None, None),
        };
        if open {
            let farthest = search.within(solved.near.clone(), FARTHEST);
            let arrived = arrived.filter(|_| !search.near).map(|arrived| {
                let value = dependent.iter().map(|&k| arrived.x[k]);
                search.about(value.collect())
            });
            let mut places = arrived.into_iter().chain([farthest]);
            if places.any(|next| search.finds(solved, next)) {
                return Missing::default();
            }
        }
        Missing {
            nowhere,
            broken: self.broken_conditions(inverse, (y, to)),
            end,
        }
    }

    /// Is it known that there is no solution, in the region or beyond?
    fn nowhere(
        &self,
        search: &Search,
        solved: &Found,
        (inverse, there): (&Inverse, (&[f64], &Spot)),
    ) -> Option<Nowhere> {
        let mut line = vec![Interval::ALL; search.dependent.len()];
        let contradiction = !search
            .equations
            .contract(&mut line, &mut Scratch::default());
        if contradiction || search.is_all() && solved.searched.has_all() {
            return Some(Nowhere::Proven);
        }
        self.is_not_real(inverse, there).then_some(Nowhere::NotReal)
    }

    /// The values of the branches of a closed form, that of the start first unless it was asked near what; then by distance.
    fn closed_values(
        &self,
        search: &Search,
        near: &[f64],
        (inverse, start): (&Inverse, Option<&Spot>),
        (y, to): (&[f64], &Spot),
    ) -> Vec<Vec<f64>> {
        let dependent = search.dependent;
        let own = start.filter(|_| !search.near).and_then(|start| {
            let value: Vec<f64> = dependent.iter().map(|&k| start.x[k]).collect();
            self.branch_of(inverse, (&self.levels_at(start), start), dependent, &value)
        });
        let mut list: Vec<(bool, f64, Vec<f64>)> = Vec::new();
        for (place, branch) in inverse.branches().iter().enumerate() {
            let functions = branch.functions.iter();
            let value: Vec<f64> = functions.map(|g| to.value(&self.system, y, *g)).collect();
            if value.iter().all(|v| v.is_finite()) {
                list.push((own != Some(place), distance(&value, near), value));
            }
        }
        list.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        list.into_iter().map(|(_, _, value)| value).collect()
    }

    /// A solution with the derivatives of g and the proven box there.
    fn value_of_inverse(
        &self,
        problem: &Levels,
        inverse: &Inverse,
        (y, here): (&[f64], &Spot),
        (value, proven): Solution,
    ) -> InverseValue {
        let system = &self.system;
        let dependent = problem.dependent.as_slice();
        let (t, x) = (here.t, here.x.as_slice());
        let verdict = self.theorem.verdict(system, (t, x), &[], dependent);
        let j = &verdict.local.value;
        let block = verdict.holds().then(|| j.select_columns(dependent));
        let by_y = block.and_then(DMatrix::try_inverse);
        let f_t = DVector::from_fn(j.nrows(), |b, _| {
            here.value(system, &[], self.equations.f_t[b])
        });
        let neighbourhood = self.neighbourhood_of(&verdict, (t, x), dependent);
        let domain = verdict
            .holds()
            .then(|| self.domain_of_g((t, x), dependent, neighbourhood.as_ref()));
        InverseValue {
            branch: self.branch_of(inverse, (y, here), dependent, &value),
            enclosure: proven.as_deref().map(ends),
            variations: by_y.as_ref().map_or_else(Vec::new, |by_y| {
                self.level_variations(problem, (y, here), by_y)
            }),
            by_x: by_y
                .as_ref()
                .map(|by_y| -by_y * j.select_columns(&problem.independent)),
            by_t: by_y.as_ref().map(|by_y| -by_y * f_t),
            by_y,
            value,
            neighbourhood,
            domain,
        }
    }

    /// The branch of a closed inverse that has this value.
    fn branch_of(
        &self,
        inverse: &Inverse,
        (y, here): (&[f64], &Spot),
        dependent: &[usize],
        value: &[f64],
    ) -> Option<usize> {
        let system = &self.system;
        let off = |branch: &Branch| {
            let functions = branch.functions.iter().zip(value).zip(dependent);
            let parts = functions.map(|((g, v), &k)| {
                let period = branch.period(k).map(|e| here.value(system, y, e));
                let off = within_a_turn(here.value(system, y, *g) - v, period);
                off.abs() / v.abs().max(1.0)
            });
            parts.fold(0.0, f64::max)
        };
        let known = |(_, branch): &(usize, &Branch)| {
            let values = branch.functions.iter().map(|g| here.value(system, y, *g));
            values.into_iter().all(f64::is_finite)
        };
        let branches = inverse.branches().iter().enumerate().filter(known);
        let offs = branches.map(|(place, branch)| (place, off(branch)));
        let nearest = offs.min_by(|a, b| a.1.total_cmp(&b.1))?;
        (nearest.1 <= AGREES).then_some(nearest.0)
    }

    /// Moves the level of one constraint after the other, the independent coordinates and t kept.
    fn level_variations(
        &self,
        problem: &Levels,
        (y, here): (&[f64], &Spot),
        by_y: &DMatrix<f64>,
    ) -> Vec<LevelVariation> {
        let system = &self.system;
        let pool = &system.pool;
        let slopes = DVector::from_fn(problem.dependent.len(), |i, _| {
            let by = system.coordinates[problem.dependent[i]].x;
            let slope = pool.derivative(system.lagrangian, by);
            -here.value(system, y, slope)
        });
        let multipliers = by_y.transpose() * slopes;
        (0..y.len())
            .map(|b| {
                // what a unit of the coordinates makes of the level
                let column = by_y.column(b);
                let unit = unit(&here.x);
                let sizes = problem.dependent.iter().map(|&k| here.x[k].abs().max(unit));
                let least = column
                    .iter()
                    .zip(sizes)
                    .map(|(slope, size)| size / slope.abs())
                    .fold(f64::INFINITY, f64::min);
                let by = MOVE * if least.is_finite() { least } else { 1.0 };
                let energy = |step: f64| {
                    let mut moved = y.to_vec();
                    moved[b] += step;
                    let (x, t) = (&here.x, here.t);
                    let x = problem.follow(&moved, x, t, column.scale(step).as_slice())?;
                    // V = -L at rest
                    Some(-Spot { t, x }.value(system, &[], system.lagrangian))
                };
                let central = |step: f64| Some((energy(step)? - energy(-step)?) / (2.0 * step));
                let rate = central(by).zip(central(0.5 * by));
                LevelVariation {
                    constraint: b,
                    by,
                    multiplier: multipliers[b],
                    rate: rate.map(|(whole, half)| (4.0 * half - whole) / 3.0),
                }
            })
            .collect()
    }
}

/// The unit of the file, or the largest coordinate where all are far smaller.
fn unit(x: &[f64]) -> f64 {
    let most = largest(x);
    if most > 0.0 && most < SMALL {
        most
    } else {
        1.0
    }
}

/// What is known where nothing was found.
#[derive(Default)]
struct Missing {
    end: Option<End>,
    broken: Vec<BrokenCondition>,
    nowhere: Option<Nowhere>,
}

/// f(x_D) = y with the independent coordinates and t as constants.
struct Levels {
    dependent: Vec<usize>,
    independent: Vec<usize>,
    equations: Equations,
    /// Bounds on the parameters, the same at every step.
    parameters: Vec<Interval>,
}

impl Levels {
    fn new(model: &Model, dependent: &[usize], independent: &[usize]) -> Self {
        let system = &model.system;
        let pool = &system.pool;
        let x = |k: &usize| system.coordinates[*k].x;
        let unknowns: Vec<Expr> = dependent.iter().map(x).collect();
        // in the order of [`Levels::at`]
        let symbols = independent
            .iter()
            .map(x)
            .chain([system.t])
            .chain(system.constraints.iter().map(|c| c.level))
            .chain(system.parameters.iter().map(|p| p.symbol));
        let constants: Vec<(Expr, Interval)> = symbols.map(|s| (s, Interval::ALL)).collect();
        let list: Vec<Expr> = system
            .constraints
            .iter()
            .map(|c| pool.sub(c.f, c.level))
            .collect();
        Self {
            equations: Equations::new(pool, &unknowns, &constants, &list),
            dependent: dependent.to_vec(),
            independent: independent.to_vec(),
            parameters: system.parameter_bounds(),
        }
    }

    fn at(&self, y: &[f64], x: &[f64], t: f64) -> Equations {
        let mut equations = self.equations.clone();
        let values = self
            .independent
            .iter()
            .map(|&k| x[k])
            .chain([t])
            .chain(y.iter().copied())
            .map(Interval::nearest)
            .chain(self.parameters.iter().copied());
        let values: Vec<Interval> = values.collect();
        equations.set_constants(&values);
        equations
    }

    /// The position with the same independent coordinates at other levels, by Newton's method from a first
    /// step.
    fn follow(&self, y: &[f64], x: &[f64], t: f64, step: &[f64]) -> Option<Vec<f64>> {
        let equations = self.at(y, x, t);
        let mut position = x.to_vec();
        for (&k, s) in self.dependent.iter().zip(step) {
            position[k] += s;
        }
        let unit = unit(x);
        let size = |k: usize| x[k].abs().max(unit);
        let pairs = self.dependent.iter().zip(step);
        // what does not move at first does by squares
        let longest = pairs
            .clone()
            .map(|(&k, s)| s.abs() / size(k))
            .fold(0.0, f64::max);
        let sides: Region = pairs
            .map(|(&k, s)| {
                let reach = (1e-6 + 100.0 * longest.powi(2)) * size(k) + 100.0 * s.abs();
                Interval::new(position[k] - reach, position[k] + reach)
            })
            .collect();
        let begin = self.dependent.iter().map(|&k| position[k]).collect();
        let found = project(&equations, &sides, begin, &mut Scratch::default())?;
        for (&k, v) in self.dependent.iter().zip(found) {
            position[k] = v;
        }
        Some(position)
    }
}
