//! Equations of another number than their unknowns: that they have no solution, or a member of the family that they have.

use super::{Case, Finder};
use crate::expr::{Expr, Interval, is_over};
use crate::geometry::LeastSquares;
use crate::interval::{Equations, Newton, Scratch};
use crate::statics::bounds::independent_columns;
use crate::theorem::scattered;
use nalgebra::DVector;

/// Boxes looked at to prove that equations of another number than the unknowns have no solution.
const BOXES: usize = 400;
/// Points from which a member of a family is looked for,
const MEMBERS: usize = 6;
/// Newton steps from each,
const NEWTON: usize = 40;
/// and unknowns of it at most.
const MOST_OF_A_FAMILY: usize = 20;

impl Finder<'_> {
    /// More unknowns than equations: a solution with a regular Jacobian lies on a set of solutions of as many dimensions as
    /// there are unknowns left over (implicit function theorem). One is looked for from scattered points.
    pub(super) fn member(&mut self, case: &Case, unknowns: &[Expr], absent: &[Expr]) {
        let (size, count) = (unknowns.len(), case.equations.len());
        if size < count || count == 0 || size > MOST_OF_A_FAMILY {
            return;
        }
        let equations = self.over_boxes(unknowns, &case.equations);
        let mut work = Scratch::default();
        // a solution that another case has shown may lie on it
        let known = self.outcome.solutions.iter().take(MEMBERS).map(|solution| {
            let of = |u: &Expr| {
                let place = self.wanted.x.iter().position(|x| x == u);
                place.map_or(0.0, |k| solution.x[k].middle())
            };
            unknowns.iter().map(of).collect::<Vec<f64>>()
        });
        let anywhere = (0..MEMBERS as u64).map(|index| {
            let coordinates = unknowns.iter().enumerate();
            coordinates
                .map(|(k, u)| {
                    let side = self.side(*u);
                    if side.is_bounded() {
                        side.lo + scattered(index, k) * (side.hi - side.lo)
                    } else {
                        2.0 * scattered(index, k) - 1.0
                    }
                })
                .collect::<Vec<f64>>()
        });
        let starts: Vec<Vec<f64>> = known.chain(anywhere).collect();
        for start in starts {
            let Some((point, solved)) = nearest(&equations, start, &mut work) else {
                continue;
            };
            let mut part: Vec<Interval> = point.iter().map(|v| Interval::point(*v)).collect();
            for &k in &solved {
                let reach = 1e-9 * point[k].abs().max(1.0);
                part[k] = Interval::new(point[k] - reach, point[k] + reach);
            }
            if equations.newton(&mut part, &solved, &mut work) != Newton::Unique {
                continue;
            }
            let values: Vec<(Expr, Interval)> =
                unknowns.iter().copied().zip(part.iter().copied()).collect();
            let before = self.outcome.solutions.len();
            self.record(case, &values, absent, size - count);
            if self.outcome.solutions.len() > before {
                return;
            }
        }
    }

    /// Can equations of another number than their unknowns be proven to have no solution?
    pub(super) fn is_empty(&self, equations: &[Expr], unknowns: &[Expr]) -> bool {
        let compiled = self.over_boxes(unknowns, equations);
        let mut work = Scratch::default();
        let mut queue = vec![unknowns.iter().map(|u| self.side(*u)).collect::<Vec<_>>()];
        let mut looked = 0;
        while let Some(mut part) = queue.pop() {
            looked += 1;
            if looked > BOXES || is_over() {
                return false;
            }
            if !compiled.contract(&mut part, &mut work) {
                continue;
            }
            let widest = (0..part.len())
                .filter(|k| part[*k].is_bounded())
                .max_by(|a, b| part[*a].width().total_cmp(&part[*b].width()));
            let Some(k) = widest
                .filter(|k| part[*k].width() > 1e-6 * self.side(unknowns[*k]).width().min(1.0))
            else {
                return false;
            };
            let middle = part[k].middle();
            let (mut left, mut right) = (part.clone(), part);
            left[k].hi = middle;
            right[k].lo = middle;
            queue.push(right);
            queue.push(left);
        }
        true
    }
}

/// The solution nearest to a point, by Newton's method of least norm, and unknowns for which its Jacobian is regular.
fn nearest(
    equations: &Equations,
    mut point: Vec<f64>,
    work: &mut Scratch,
) -> Option<(Vec<f64>, Vec<usize>)> {
    let (size, count) = (equations.variables(), equations.len());
    let mut values = Vec::new();
    for _ in 0..NEWTON {
        let at: Vec<Interval> = point.iter().map(|v| Interval::point(*v)).collect();
        if !equations.values(&at, work, &mut values) {
            return None;
        }
        let jacobian = equations.jacobian(&at, work).0.middle()?;
        let right = DVector::from_fn(count, |i, _| values[i].middle());
        let step = LeastSquares::new(&jacobian)?.shortest(&right, 1e-12)?;
        for (v, s) in point.iter_mut().zip(step.iter()) {
            *v -= s;
        }
        let size_of = |k: usize| point[k].abs().max(1e-3);
        if (0..size).all(|k| step[k].abs() <= 1e-13 * size_of(k)) {
            let solved = independent_columns(&jacobian, &vec![1.0; size]);
            return (solved.len() == count).then_some((point, solved));
        }
        if point.iter().any(|v| !v.is_finite() || v.abs() > 1e12) {
            return None;
        }
    }
    None
}
