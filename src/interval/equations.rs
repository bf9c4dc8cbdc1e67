//! Equations f = 0 with their derivatives, over boxes.

use super::function::{BoxFunction, Domain, Trace};
use super::matrix::{Combination, IntervalMatrix, combinations, misses_zero, pivots, weighed};
use super::middles;
use super::region::{as_box, middle_of};
use crate::expr::{Expr, INTERVAL, Interval, Pool, calculate, is_over};
use nalgebra::DMatrix;

/// Equations f(x) = 0 in variables x; constants may be thick (a parameter known to half an ulp).
#[derive(Clone, Debug)]
pub struct Equations {
    values: BoxFunction,
    slopes: BoxFunction,
    /// places of J that are not identically zero
    pattern: Vec<(usize, usize)>,
    variables: usize,
    constants: Vec<Interval>,
}

/// Working memory.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    trace: Trace,
    inputs: Vec<Interval>,
    outputs: Vec<Interval>,
}

impl Scratch {
    fn set_inputs(&mut self, x: &[Interval], constants: &[Interval]) {
        self.inputs.clear();
        self.inputs.extend_from_slice(x);
        self.inputs.extend_from_slice(constants);
    }

    /// Bounds on a function of variables and constants over a box, and whether it is C^1 on all of it.
    fn bounds(
        &mut self,
        function: &BoxFunction,
        x: &[Interval],
        constants: &[Interval],
    ) -> (&[Interval], bool) {
        self.set_inputs(x, constants);
        self.outputs.clear();
        self.outputs.resize(function.outputs(), Interval::ALL);
        let smooth = function.eval(&self.inputs, &mut self.trace, &mut self.outputs);
        (&self.outputs, smooth)
    }
}

/// What the interval Newton operator says of a box.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Newton {
    /// No solution in it.
    Empty,
    /// For every value of the other variables in the box exactly one solution; the box is narrowed to
    /// where it is.
    Unique,
    /// Nothing proven; the box may have become smaller.
    Open,
}

impl Equations {
    /// Compiles f (and df/dx) as functions of `variables`; every other symbol is one of `constants`.
    pub fn new(
        pool: &Pool,
        variables: &[Expr],
        constants: &[(Expr, Interval)],
        equations: &[Expr],
    ) -> Self {
        let gradients = pool.jacobian(equations, variables);
        Self::with_gradients(pool, variables, constants, equations, &gradients)
    }

    /// Functions over boxes, without their derivatives.
    pub fn of_values(
        pool: &Pool,
        variables: &[Expr],
        constants: &[(Expr, Interval)],
        functions: &[Expr],
    ) -> Self {
        Self::with_gradients(pool, variables, constants, functions, &[])
    }

    /// The same where df/dx is known, a row an equation.
    pub fn with_gradients(
        pool: &Pool,
        variables: &[Expr],
        constants: &[(Expr, Interval)],
        equations: &[Expr],
        gradients: &[Vec<Expr>],
    ) -> Self {
        let mut inputs = variables.to_vec();
        inputs.extend(constants.iter().map(|(symbol, _)| *symbol));
        let (pattern, slopes) = pool.nonzero(gradients);
        Self {
            values: BoxFunction::new(pool, &inputs, equations),
            slopes: BoxFunction::new(pool, &inputs, &slopes),
            pattern,
            variables: variables.len(),
            constants: constants.iter().map(|(_, value)| *value).collect(),
        }
    }

    /// How many equations.
    pub fn len(&self) -> usize {
        self.values.outputs()
    }

    /// Are there no equations?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many variables.
    pub fn variables(&self) -> usize {
        self.variables
    }

    /// Instructions of an evaluation of f and J.
    pub fn cost(&self) -> usize {
        self.values.cost() + self.slopes.cost()
    }

    /// Does any equation depend on this variable?
    pub fn contains(&self, variable: usize) -> bool {
        self.pattern.iter().any(|(_, j)| *j == variable)
    }

    /// The same equations with the last variable as a constant.
    #[must_use]
    pub fn at_last(&self, value: Interval) -> Self {
        let mut same = self.clone();
        same.variables -= 1;
        same.constants.insert(0, value);
        let pattern = &self.pattern;
        let kept: Vec<usize> = (0..pattern.len())
            .filter(|place| pattern[*place].1 < same.variables)
            .collect();
        same.pattern = kept.iter().map(|place| pattern[*place]).collect();
        same.slopes = self.slopes.only(&kept);
        same
    }

    /// Other values of the constants, in their order.
    pub fn set_constants(&mut self, values: &[Interval]) {
        self.constants.clear();
        self.constants.extend_from_slice(values);
    }

    /// Bounds on f over a box, and whether every equation is C^1 on all of it.
    pub fn values(&self, x: &[Interval], work: &mut Scratch) -> (Vec<Interval>, bool) {
        let (values, smooth) = work.bounds(&self.values, x, &self.constants);
        (values.to_vec(), smooth)
    }

    /// Bounds on J over a box, and whether J is defined and continuous on all of it.
    pub fn jacobian(&self, x: &[Interval], work: &mut Scratch) -> (IntervalMatrix, bool) {
        let (slopes, smooth) = work.bounds(&self.slopes, x, &self.constants);
        let mut matrix = IntervalMatrix::zeros(self.len(), self.variables);
        for (&(i, j), value) in self.pattern.iter().zip(slopes) {
            matrix.set(i, j, *value);
        }
        (matrix, smooth)
    }

    /// J in numbers in the middle of a box; `None` where it is without bound there.
    pub fn in_middle(&self, sides: &[Interval], work: &mut Scratch) -> Option<DMatrix<f64>> {
        self.jacobian(&middle_of(sides), work).0.middle()
    }

    /// As many variables as equations, those that the equations determine best in a box.
    pub fn determined(&self, sides: &[Interval], work: &mut Scratch) -> Option<Vec<usize>> {
        pivots(&self.in_middle(sides, work)?, sides)
    }

    /// What of the change of the equations over a box each side makes: the parts of each equation, summed.
    pub(crate) fn changes(&self, sides: &[Interval], work: &mut Scratch) -> Vec<f64> {
        let (jacobian, _) = self.jacobian(sides, work);
        let mut weight = vec![0.0; sides.len()];
        for i in 0..self.len() {
            let term = |k: usize| match jacobian.at(i, k).magnitude() {
                0.0 => 0.0,
                slope => slope * sides[k].width(),
            };
            let row: Vec<f64> = (0..sides.len()).map(term).collect();
            let all: f64 = row.iter().sum();
            if all > 0.0 && all.is_finite() {
                for (weight, part) in weight.iter_mut().zip(row) {
                    *weight += part / all;
                }
            }
        }
        weight
    }

    /// Is every equation C^1 on all of a box?
    pub fn is_smooth(&self, x: &[Interval], work: &mut Scratch) -> bool {
        work.bounds(&self.values, x, &self.constants).1
    }

    /// How a box lies to the domain of the equations.
    pub fn domain(&self, x: &[Interval], work: &mut Scratch) -> Domain {
        work.set_inputs(x, &self.constants);
        self.values.forward(&work.inputs, &mut work.trace)
    }

    /// How what is about a point lies to the domain: as far as `part` of the sides of a region.
    pub fn domain_round(
        &self,
        point: &[f64],
        (region, part): (&[Interval], f64),
        work: &mut Scratch,
    ) -> Domain {
        let about = point.iter().zip(region).map(|(v, side)| {
            let reach = part * side.width() + 4.0 * f64::EPSILON * v.abs();
            if reach.is_finite() && reach > 0.0 {
                Interval::new(v - reach, v + reach)
            } else {
                Interval::point(*v)
            }
        });
        let about: Vec<Interval> = about.collect();
        self.domain(&about, work)
    }

    /// Narrows a box without losing a solution; false where it holds none.
    pub fn contract(&self, x: &mut [Interval], work: &mut Scratch) -> bool {
        work.set_inputs(x, &self.constants);
        let targets = vec![Interval::ZERO; self.len()];
        let Scratch { trace, inputs, .. } = work;
        let possible = self.values.contract(inputs, &targets, trace);
        if possible {
            x.copy_from_slice(&inputs[..self.variables]);
        }
        possible
    }

    /// Narrows a box by combinations of the equations, each for a variable that it is solved for in the middle of the box, or, where
    /// equations depend on each other there, for none; false where it holds no solution.
    pub fn combine(&self, x: &mut [Interval], work: &mut Scratch) -> bool {
        calculate(INTERVAL * self.len() * self.len() * self.variables);
        let (slopes, smooth) = self.jacobian(x, work);
        let there = smooth.then(|| slopes.middle()).flatten();
        let Some(there) = there else {
            return true;
        };
        let middle = middle_of(x);
        let (values, _) = self.values(&middle, work);
        for Combination { weights, column } in combinations(&there, x) {
            let slope = |k: usize| weighed(&weights, |i| slopes.at(i, k));
            let rest = (0..x.len()).filter(|k| Some(*k) != column);
            let rest = rest.fold(weighed(&weights, |i| values[i]), |sum, k| {
                sum.add(slope(k).mul(x[k].sub(middle[k])))
            });
            match column {
                _ if !rest.is_bounded() => {}
                None if misses_zero(rest) => return false,
                Some(k) if misses_zero(slope(k)) => {
                    x[k] = middle[k].sub(rest.div(slope(k))).meet(x[k]);
                    if x[k].is_empty() {
                        return false;
                    }
                }
                _ => {}
            }
        }
        true
    }

    /// The interval Newton operator with Gauss-Seidel steps (Hansen and Sengupta, 1981) in `unknowns`, as
    /// many as equations; the other variables are parameters that range over their sides. Narrows the
    /// sides of `unknowns` without losing a solution.
    ///
    /// [`Newton::Unique`] needs the image of every unknown to fall into the interior of its side, and f
    /// to be C^1 on all of the box.
    pub fn newton(&self, x: &mut [Interval], unknowns: &[usize], work: &mut Scratch) -> Newton {
        let size = unknowns.len();
        if size == 0 {
            return Newton::Open;
        }
        if !self.is_smooth(x, work) {
            return Newton::Open;
        }
        let parameters: Vec<usize> = (0..self.variables)
            .filter(|k| !unknowns.contains(k) && x[*k].lo < x[*k].hi)
            .collect();
        // counted before it is done: of a large system one step may be more than is left
        calculate(INTERVAL * size * size * (size + parameters.len()));
        if is_over() {
            return Newton::Open;
        }
        let (jacobian, smooth) = self.jacobian(x, work);
        if !smooth {
            return Newton::Open;
        }
        let of_unknowns = jacobian.of_columns(unknowns);
        let Some(inverse) = of_unknowns.middle().and_then(nalgebra::Matrix::try_inverse) else {
            return Newton::Open;
        };
        // f at the middle of the unknowns over all parameters: the mean value form, and as it stands
        let middle = middles(x);
        let mut at: Vec<Interval> = x.to_vec();
        for &u in unknowns {
            at[u] = Interval::point(middle[u]);
        }
        let (plain, _) = self.values(&at, work);
        let mut centre = plain.clone();
        let mut slopes = None;
        if !parameters.is_empty() {
            centre = self.values(&as_box(&middle), work).0;
            slopes = Some(self.jacobian(&at, work).0);
        }
        let moved = |k: usize| x[k].sub(Interval::point(middle[k]));
        let right: Vec<Interval> = (0..size)
            .map(|i| {
                let natural = weighed(inverse.row(i), |k| plain[k]);
                let Some(slopes) = &slopes else {
                    return natural;
                };
                // C f(centre) + sum over parameters of (C J_p) (p - p0)
                let start = weighed(inverse.row(i), |k| centre[k]);
                let mean = parameters.iter().fold(start, |sum, &p| {
                    sum.add(weighed(inverse.row(i), |k| slopes.at(k, p)).mul(moved(p)))
                });
                natural.meet(mean)
            })
            .collect();
        let block = of_unknowns.weighed(&inverse);
        let mut inside = true;
        for i in 0..size {
            let u = unknowns[i];
            let sum = (0..size).filter(|j| *j != i).fold(right[i], |sum, j| {
                let k = unknowns[j];
                sum.add(block.at(i, j).mul(x[k].sub(Interval::point(middle[k]))))
            });
            let old = x[u];
            let pivot = block.at(i, i);
            if pivot.contains(0.0) {
                inside = false;
                let step = sum
                    .neg()
                    .div_within(pivot, old.sub(Interval::point(middle[u])));
                let new = step.add(Interval::point(middle[u])).meet(old);
                if new.is_empty() || step.is_empty() {
                    return Newton::Empty;
                }
                x[u] = new;
                continue;
            }
            let image = Interval::point(middle[u]).sub(sum.div(pivot));
            inside &= image.is_inside(old);
            x[u] = image.meet(old);
            if x[u].is_empty() {
                return Newton::Empty;
            }
        }
        if inside { Newton::Unique } else { Newton::Open }
    }
}
