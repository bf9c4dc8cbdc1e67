//! The equations of statics over boxes, and equilibria proven by them.
//!
//! Krawczyk's operator on G(x, lambda) = (S - J^T lambda, f - c), with numbers z~ near a solution, C near the inverse of DG(z~)
//! and Z = z~ +- r:
//!
//! ```text
//! |C G(z~)| + |1 - C DG(Z)| r < r      a solution lies in z~ +- (left side), and Z has no other
//! ```
//!
//! L, its derivatives, f and J are asked to be smooth (so defined) on all of Z: a pole or an edge proves nothing.

use super::enclosed::{Enclosed, distance_to_one, inverse_of};
use super::equations::{Output, Outputs, Statics, Values};
use super::flat::{Point, Symbols};
use super::value::Value;
use crate::expr::{Expr, Interval};
use crate::geometry::independent_columns;
use crate::interval::{Equations, Scratch, as_box, largest};
use crate::system::System;
use nalgebra::{DMatrix, DVector};

/// Newton steps before the proof.
const POLISH: usize = 4;
/// How often the box is widened.
const WIDENED: usize = 6;
/// Velocities count as zero up to this: L must be smooth there too.
const AT_REST: f64 = 1e-30;
/// Beside underflow.
const TINY: f64 = 1e-250;

/// The equations compiled for intervals.
#[derive(Debug)]
pub struct Bounds {
    function: Equations,
    outputs: Outputs,
    /// L, and what constraints and forces are made of
    domain: Equations,
    n: usize,
}

/// Their values over a box.
pub type Ranges = Values<Interval>;

/// An equilibrium that exists: its coordinates and multipliers lie in these. Made by proofs only.
#[derive(Clone, Debug)]
pub struct Enclosure {
    x: Vec<Interval>,
    lambda: Vec<Interval>,
}

impl Enclosure {
    /// Where the coordinates are.
    pub fn x(&self) -> &[Interval] {
        &self.x
    }

    /// Where the multipliers are.
    pub fn lambda(&self) -> &[Interval] {
        &self.lambda
    }
}

impl Ranges {
    /// dS/dx - sum lambda_b d2f_b - sum mu_b dA_b/dx.
    pub fn stiffness(&self, lambda: &[Interval]) -> Option<Enclosed> {
        let mut k = self.slopes.clone();
        self.each_bend(|b, i, j, v| k[(i, j)] = k[(i, j)].sub(lambda[b].mul(v)));
        Enclosed::new(&k)
    }

    fn residual(&self, lambda: &[Interval]) -> Option<Enclosed> {
        let balances = (0..self.force.len()).map(|k| {
            let pushes = lambda.iter().enumerate();
            pushes.fold(self.force[k], |sum, (b, l)| {
                sum.sub(l.mul(self.jacobian[(b, k)]))
            })
        });
        let list: Vec<Interval> = balances.chain(self.level.iter().copied()).collect();
        Enclosed::new(&DMatrix::from_vec(list.len(), 1, list))
    }

    /// DG.
    fn slopes(&self, lambda: &[Interval]) -> Option<Enclosed> {
        let (m, n) = self.jacobian.shape();
        let mut whole = Enclosed::exact(DMatrix::zeros(n + m, n + m));
        let pushes = Enclosed::new(&self.jacobian)?.neg().transpose();
        whole.put((0, 0), &self.stiffness(lambda)?);
        whole.put((0, n), &pushes);
        whole.put((n, 0), &Enclosed::new(&self.climbs)?);
        Some(whole)
    }
}

/// A box of this part of the region is a point.
const KINK: f64 = 1e-9;

impl Bounds {
    /// Compiles the equations of these constraints at one time.
    pub fn new(system: &System, statics: &Statics, rows: &[usize], t: f64) -> Self {
        let pool = &system.pool;
        let mut all = statics.outputs(system, rows);
        let n = system.coordinates.len();
        for (k, j) in (0..n).flat_map(|k| (0..n).map(move |j| (k, j))) {
            all.push((Output::Mass(k, j), statics.mass[k][j]));
            all.push((Output::Damping(k, j), statics.damping[k][j]));
            all.push((Output::Applied(k, j), statics.applied[k][j]));
        }
        let (outputs, list) = Outputs::new(system, rows, all);
        let x: Vec<Expr> = system.positions();
        let parameters = system.parameters.iter().map(|p| p.symbol);
        let mut constants: Vec<(Expr, Interval)> =
            parameters.zip(system.parameter_bounds()).collect();
        constants.push((system.t, Interval::nearest(t)));
        let function = Equations::of_values(pool, &x, &constants, &list);
        let slow = Interval::new(-AT_REST, AT_REST);
        constants.extend(system.coordinates.iter().map(|c| (c.v, slow)));
        Self {
            function,
            domain: Equations::of_values(pool, &x, &constants, &[system.lagrangian]),
            outputs,
            n,
        }
    }

    /// The values over a box; `None` where something is not smooth on all of it.
    pub fn over(&self, x: &[Interval]) -> Option<Ranges> {
        let (values, _, smooth) = self.evaluated(x);
        smooth.then(|| self.outputs.read(&values, Interval::ZERO))
    }

    /// The outputs over a box, L there at rest, and whether all is smooth on all of it.
    fn evaluated(&self, x: &[Interval]) -> (Vec<Interval>, Interval, bool) {
        let mut work = Scratch::default();
        let (values, smooth) = self.function.values(x, &mut work);
        let (lagrangian, defined) = self.domain.values(x, &mut work);
        (values, lagrangian[0], smooth && defined)
    }

    /// Is everything smooth on all of a box?
    pub fn is_smooth(&self, x: &[Interval]) -> bool {
        self.over(x).is_some()
    }

    /// Small boxes in which something is not smooth, though the Lagrangian and the constraints have values there, and where no
    /// balance is seen to be broken: an apex, a kink between two slopes. Those that can be told apart within so many looks,
    /// none where there are more (a crease).
    pub fn kinks(&self, region: &[Interval], looks: usize) -> Vec<Vec<Interval>> {
        let size = |x: &[Interval], k: usize| x[k].width() / region[k].width();
        let mut left = vec![region.to_vec()];
        let mut found = Vec::new();
        for _ in 0..looks {
            let Some(part) = left.pop() else {
                return found;
            };
            let (values, lagrangian, smooth) = self.evaluated(&part);
            if smooth || self.is_unbalanced(&part, &values, lagrangian) {
                continue;
            }
            let sides = (0..part.len()).filter(|&k| size(&part, k) > KINK);
            let Some((k, _)) = largest(sides, |&k| size(&part, k)) else {
                found.push(part);
                continue;
            };
            // kinks like to be in the middle
            let cut = part[k].lo + 0.4913 * part[k].width();
            for side in [
                Interval::new(part[k].lo, cut),
                Interval::new(cut, part[k].hi),
            ] {
                let mut half = part.clone();
                half[k] = side;
                left.push(half);
            }
        }
        Vec::new()
    }

    /// Is no equilibrium in a box, whether it is smooth there or not: a constraint is not met, what no constraint
    /// holds is not in balance, or the Lagrangian or a constraint has no bounds, as at a pole?
    fn is_unbalanced(&self, x: &[Interval], values: &[Interval], lagrangian: Interval) -> bool {
        let small = |k: usize| x[k].width() < 1e-3;
        if (0..self.n).all(small) && !lagrangian.is_bounded() {
            return true;
        }
        let held = |k: usize| {
            let mut gradients = self.outputs.with(values);
            gradients.any(|(output, _)| matches!(output, Output::Gradient(_, j) if *j == k))
        };
        self.outputs.with(values).any(|(output, v)| match output {
            Output::Level(_) => !v.contains(0.0),
            Output::Force(k) => !v.is_empty() && !v.contains(0.0) && !held(*k),
            _ => false,
        })
    }

    /// The equilibrium near these numbers, where Krawczyk's test proves that there is one and only one. The coordinates `held`
    /// stay as they are, and their balances are left out: the caller knows that these follow from the others.
    pub fn prove(&self, x: &[f64], lambda: &DVector<f64>, held: &[usize]) -> Option<Enclosure> {
        let n = self.n;
        let open: Vec<usize> = (0..n + lambda.len())
            .filter(|k| !held.contains(k))
            .collect();
        let size = open.len();
        let mut z: Vec<f64> = x.iter().chain(lambda.iter()).copied().collect();
        let slopes_at = |ranges: &Ranges, lambda: &[Interval]| -> Option<Enclosed> {
            Some(ranges.slopes(lambda)?.rows(&open).columns(&open))
        };
        let mut last = f64::INFINITY;
        let mut inverse = None;
        let mut residual = None;
        for round in 0..=POLISH {
            let at = as_box(&z);
            let ranges = self.over(&at[..n])?;
            let g = ranges.residual(&at[n..])?.rows(&open);
            if inverse.is_none() || round < POLISH {
                inverse = Some(inverse_of(&slopes_at(&ranges, &at[n..])?)?);
            }
            let step = inverse.as_ref()? * &g.middle;
            let length = open
                .iter()
                .zip(step.iter())
                .map(|(k, s)| s.abs() / (z[*k].abs() + 1e-3 * s.abs()).max(f64::MIN_POSITIVE))
                .fold(0.0, f64::max);
            residual = Some(g);
            // no nearer than rounding lets it
            if length.is_nan() || length < 1e-15 || length >= 0.5 * last || round == POLISH {
                break;
            }
            last = length;
            for (k, s) in open.iter().zip(step.iter()) {
                z[*k] -= s;
            }
        }
        let (inverse, residual) = (inverse?, residual?);
        let miss = Enclosed::exact(inverse.clone()).times(&residual);
        let own = DVector::from_fn(size, |i, _| {
            (miss.middle[(i, 0)].abs() + miss.radius[(i, 0)]) * (1.0 + 1e-15) + TINY
        });
        let mut reach = DVector::from_fn(size, |i, _| {
            2.0 * own[i] + 4.0 * f64::EPSILON * z[open[i]].abs()
        });
        for _ in 0..WIDENED {
            if reach.iter().any(|r| !r.is_finite()) {
                return None;
            }
            let around = |reach: &DVector<f64>| -> Vec<Interval> {
                let mut sides = as_box(&z);
                for (k, r) in open.iter().zip(reach.iter()) {
                    sides[*k] = sides[*k].add(Interval::new(-r, *r));
                }
                sides
            };
            let part = around(&reach);
            let slopes = slopes_at(&self.over(&part[..n])?, &part[n..])?;
            let rest = distance_to_one(&inverse, &slopes);
            let image = (&own + rest * &reach) * (1.0 + 1e-14 * (size as f64 + 4.0));
            if (0..size).all(|i| image[i] < reach[i]) {
                let found = around(&image);
                return Some(Enclosure {
                    x: found[..n].to_vec(),
                    lambda: found[n..].to_vec(),
                });
            }
            reach = DVector::from_fn(size, |i, _| (3.0 * image[i]).max(reach[i]));
        }
        None
    }

    /// An equilibrium whose coordinates are proven to lie in these: with its multipliers, J_D^T lambda = S_D for the
    /// coordinates D in which J is best conditioned. `None` where they are not shown to be unique.
    pub fn completed(&self, x: &[Interval]) -> Option<Enclosure> {
        let m = self.outputs.constraints();
        let ranges = self.over(x)?;
        let jacobian = Enclosed::new(&ranges.jacobian)?;
        let chosen = independent_columns(&jacobian.middle, &vec![1.0; self.n]);
        if chosen.len() != m {
            return None;
        }
        let right = Enclosed::new(&DMatrix::from_fn(m, 1, |i, _| ranges.force[chosen[i]]))?;
        let lambda = jacobian.columns(&chosen).transpose().solve(&right)?;
        Some(Enclosure {
            x: x.to_vec(),
            lambda: (0..m).map(|b| lambda.at(b, 0)).collect(),
        })
    }

    /// Is it shown that a box has at most one equilibrium? The multipliers of all in it are enclosed by [`Self::completed`], and DG is regular
    /// on all of that (the mean value theorem takes each row at another point).
    pub fn has_one_at_most(&self, x: &[Interval]) -> bool {
        let around = self.completed(x);
        let slopes = around.and_then(|own| self.over(&own.x)?.slopes(&own.lambda));
        slopes.is_some_and(|slopes| {
            let nothing = Enclosed::exact(DMatrix::zeros(slopes.middle.nrows(), 1));
            slopes.solve(&nothing).is_some()
        })
    }

    /// The equilibrium at these exact numbers, where algebra shows that there is one.
    pub fn exact(&self, symbols: &Symbols, x: Vec<Value>) -> Option<(Enclosure, Point)> {
        let ranges = |list: &[Value]| list.iter().map(Value::range).collect::<Vec<_>>();
        // a guess that is off is seen in numbers
        let near = self.completed(&ranges(&x))?;
        let rest = self.over(&near.x)?.residual(&near.lambda)?;
        if (0..rest.middle.nrows()).any(|i| !rest.at(i, 0).contains(0.0)) {
            return None;
        }
        let (point, exact) = symbols.solved(x)?;
        let found = Enclosure {
            x: ranges(&point.x),
            lambda: ranges(&point.lambda),
        };
        exact.then_some((found, point))
    }
}
