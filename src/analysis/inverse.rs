//! The inverse as a function to evaluate: x_D = g(y, x_I; t) at given values, with its derivatives, every
//! other solution near, what is certified of it, and the multipliers as rates at which the energy answers
//! when the level of a constraint is moved.

use super::check::search_region;
use super::{BrokenCondition, DomainOfG, End, Model, Overrides, RequestError, Spot};
use crate::expr::{Expr, Interval, asked};
use crate::geometry::largest;
use crate::interval::{
    Domain, Equations, Region, Roots, Scratch, as_box, box_of, ends, middles, representative, roots,
};
use crate::theorem::{
    Branch, Inverse, Neighbourhood, SymbolicDeterminant, half_turn, period_of, periods, project,
    within_a_turn,
};
use nalgebra::{DMatrix, DVector};
use std::f64::consts::TAU;

/// Instructions that the search may cost.
const EFFORT: usize = 40_000_000;
/// A level is moved by this part of what its gradient makes of a unit of the coordinates.
const MOVE: f64 = 1e-3;
/// What is as near as this, in parts of the region, is one point.
const POINT: f64 = 1e-6;
/// As far about a point that Newton's method found f has to be defined, in parts of the region.
const ABOUT: f64 = 1e-9;
/// A closed form belongs to the solution where it agrees so far.
const AGREES: f64 = 1e-9;
/// Coordinates that are all below this are measured by the largest of them.
const SMALL: f64 = 1e-2;
/// Steps that polish a solution which is not proven: at a double root each halves what is left.
const POLISH: usize = 100;

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

/// A place that Newton's method or the search for solutions led to, and that is none: f is not C^1 about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Excluded {
    /// Its dependent coordinates.
    pub value: Vec<f64>,
    /// Has f a pole there, or does its domain end?
    pub pole: bool,
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
    /// Where no solution was found: where g ends on the way there from the start.
    pub end: Option<End>,
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
        let near: Vec<f64> = dependent.iter().map(|&k| x[k]).collect();
        let mut region = search_region(&near);
        for &(place, period) in &periods {
            let middle = x[dependent[place]];
            region[place] = (middle - half_turn(period), middle + half_turn(period));
        }
        // in a region that was asked for each counts, however often it repeats
        let mut turning = periods.clone();
        for &(k, side) in &request.region {
            if let Some(place) = dependent.iter().position(|d| *d == k) {
                region[place] = side;
                turning.retain(|(own, _)| *own != place);
            }
        }
        let determinant = SymbolicDeterminant::new(system, &self.equations, &dependent);
        let inverse = Inverse::new(system, &determinant, &dependent);
        let Solved {
            searched,
            mut solutions,
            excluded,
        } = if inverse.exists() {
            solved(&equations, &region, &near)
        } else {
            Solved::default()
        };
        once_a_period(&mut solutions, &turning);
        let distance = |value: &[f64]| {
            let pairs = value.iter().zip(&near);
            let parts = pairs.map(|(a, b)| ((a - b) / b.abs().max(1.0)).powi(2));
            parts.sum::<f64>()
        };
        let nearest = (0..solutions.len())
            .min_by(|a, b| distance(&solutions[*a].0).total_cmp(&distance(&solutions[*b].0)));
        let found = nearest.map(|place| {
            let solution = solutions.remove(place);
            for (&k, v) in dependent.iter().zip(&solution.0) {
                x[k] = *v;
            }
            let here = Spot { t, x: x.clone() };
            self.value_of_inverse(&problem, &inverse, (&y, &here), solution)
        });
        let (mut end, mut broken) = (None, Vec::new());
        if found.is_none() && inverse.exists() {
            let to = Spot { t, x: x.clone() };
            end = start.and_then(|from| self.end_on_the_way(&from, &dependent, (&y, &to)));
            broken = self.broken_conditions(&inverse, (&y, &to));
        }
        Ok(InverseAnswer {
            end,
            broken,
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

/// A solution, and where it is proven a box that holds it.
type Solution = (Vec<f64>, Option<Region>);

/// What was found in a region.
#[derive(Default)]
struct Solved {
    searched: Roots,
    solutions: Vec<Solution>,
    excluded: Vec<Excluded>,
}

/// The solutions in a region: what branch and prune proves, and what Newton's method finds where it could not
/// decide, or where it found nothing, from `near`. A place about which f is not defined counts as none.
fn solved(equations: &Equations, region: &[(f64, f64)], near: &[f64]) -> Solved {
    let sides = box_of(region);
    let mut work = Scratch::default();
    // before the search, which may take all that a question may cost
    let next = project(equations, &sides, near.to_vec(), &mut work);
    let searched = if near.is_empty() {
        Roots::default()
    } else {
        roots(equations, &sides, EFFORT)
    };
    let proven = searched.proven.iter();
    let mut solutions: Vec<Solution> = proven
        .map(|root| (representative(root), Some(root.clone())))
        .collect();
    let mut excluded: Vec<Excluded> = Vec::new();
    let mut starts: Vec<Vec<f64>> = Vec::new();
    let mut scratch = Scratch::default();
    for part in &searched.undecided {
        let middle = middles(part);
        let mut all = part.iter().zip(&sides);
        let small = all.all(|(side, whole)| side.width() <= POINT * whole.width());
        match equations.domain(part, &mut scratch) {
            domain @ (Domain::Pole | Domain::Edge) if small => excluded.push(Excluded {
                value: middle,
                pole: domain == Domain::Pole,
            }),
            _ => starts.push(middle),
        }
    }
    let same = |a: &[f64], b: &[f64]| {
        let pairs = a.iter().zip(b).zip(region);
        let mut off = pairs.map(|((p, q), (lo, hi))| (p - q).abs() / (hi - lo));
        off.all(|off| off <= POINT)
    };
    let next = next.filter(|_| solutions.is_empty());
    let met = starts
        .into_iter()
        .filter_map(|begin| project(equations, &sides, begin, &mut work));
    for point in met.chain(next) {
        if solutions.iter().any(|(known, _)| same(known, &point))
            || excluded.iter().any(|known| same(&known.value, &point))
        {
            continue;
        }
        match equations.domain_round(&point, (&sides, ABOUT), &mut scratch) {
            Domain::Inside | Domain::Kink => {
                solutions.push((polished((equations, &sides), point, &mut scratch), None));
            }
            domain => excluded.push(Excluded {
                value: point,
                pole: domain == Domain::Pole,
            }),
        }
    }
    Solved {
        searched,
        solutions,
        excluded,
    }
}

/// A solution that was found to the accuracy of the region, by Newton's method as long as its steps become shorter: next to a double
/// root they halve.
fn polished(
    (equations, sides): (&Equations, &[Interval]),
    mut point: Vec<f64>,
    work: &mut Scratch,
) -> Vec<f64> {
    // it leads nowhere else
    let mut last = sides
        .iter()
        .fold(0.0, |most: f64, s| most.max(POINT * s.width()));
    // without a constraint there is nothing to solve
    let steps = if point.is_empty() { 0 } else { POLISH };
    for _ in 0..steps {
        let at = as_box(&point);
        let (values, _) = equations.values(&at, work);
        let (jacobian, _) = equations.jacobian(&at, work);
        let off = DVector::from_fn(values.len(), |i, _| values[i].middle());
        let step = jacobian.middle().and_then(|rows| rows.lu().solve(&off));
        let Some(step) = step.filter(|step| step.norm() < 0.9 * last) else {
            break;
        };
        last = step.norm();
        let next = point.iter().zip(step.iter()).map(|(x, dx)| x - dx);
        point = next.collect();
    }
    point
}

/// Solutions a whole number of periods apart are one; others are not, however near.
fn once_a_period(solutions: &mut Vec<Solution>, periods: &[(usize, f64)]) {
    let mut kept: Vec<Solution> = Vec::new();
    for (value, proven) in solutions.drain(..) {
        let again = kept.iter().any(|(known, _)| {
            let pairs = || known.iter().zip(&value).enumerate();
            let turned = |(k, (a, b)): (usize, (&f64, &f64))| {
                period_of(periods, k).is_some_and(|period| (a - b).abs() > 0.5 * period)
            };
            pairs().any(turned)
                && pairs().all(|(k, (a, b))| {
                    let off = within_a_turn(a - b, period_of(periods, k));
                    off.abs() < 1e-9 * a.abs().max(TAU)
                })
        });
        if !again {
            kept.push((value, proven));
        }
    }
    *solutions = kept;
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
