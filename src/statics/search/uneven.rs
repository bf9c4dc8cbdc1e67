//! Equations of another number than their unknowns: that they have no solution, or a member of the family that they have.

use super::{Case, Finder};
use crate::expr::{Expr, Interval};
use crate::geometry::{Evaluation, NewtonBack, Next, Step, independent_columns};
use crate::interval::{Equations, Newton, Scratch, as_box, has_none, largest, middles};
use crate::theorem::scattered;
use nalgebra::DVector;

/// Boxes looked at to prove that equations of another number than the unknowns have no solution.
const BOXES: usize = 400;
/// Points from which a member of a family is looked for,
const MEMBERS: usize = 6;
/// Newton steps from each,
const NEWTON: usize = 40;
/// the last of them of this part of the sides of the region, none of so many times them,
const SETTLED: f64 = 1e-13;
const FAR: f64 = 1e12;
/// without directions of singular values below this part of the largest,
const CUT: f64 = 1e-12;
/// A solution is proven to be alone within this part of them,
const ALONE: f64 = 1e-9;
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
        let width = |u: &Expr| self.side(*u).width();
        let widths = unknowns.iter().map(|u| match width(u) {
            width if width.is_normal() => width,
            _ => 1.0,
        });
        let widths: Vec<f64> = widths.collect();
        for start in starts {
            let Some((point, solved)) = nearest(&equations, (start, &widths), &mut work) else {
                continue;
            };
            let mut part = as_box(&point);
            for &k in &solved {
                let reach = ALONE * widths[k];
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
        let start = self.sides(unknowns);
        has_none(&compiled, start.clone(), BOXES, |part| {
            let bounded = (0..part.len()).filter(|k| part[*k].is_bounded());
            let (widest, width) = largest(bounded, |k| part[*k].width())?;
            (width > 1e-6 * start[widest].width().min(1.0)).then_some(widest)
        })
    }
}

/// The solution nearest to a point in units of these widths, and unknowns for which its Jacobian is regular.
fn nearest(
    equations: &Equations,
    (start, widths): (Vec<f64>, &[f64]),
    work: &mut Scratch,
) -> Option<(Vec<f64>, Vec<usize>)> {
    let mut look = |x: &[f64]| {
        let at = as_box(x);
        let (values, smooth) = equations.values(&at, work);
        if !smooth {
            return None;
        }
        Some(Evaluation {
            residual: DVector::from_vec(middles(&values)),
            gradients: equations.jacobian(&at, work).0.middle()?,
        })
    };
    let newton = NewtonBack {
        widths,
        longest: f64::INFINITY,
        cut: CUT,
        steps: NEWTON,
    };
    let settled = |step: &Step<'_>| match step.length {
        length if length <= SETTLED => Next::There,
        length if length > FAR => Next::Lost,
        _ => Next::Go,
    };
    let point = newton.run(start, &mut look, settled)?.x;
    let solved = independent_columns(&look(&point)?.gradients, widths);
    (solved.len() == equations.len()).then_some((point, solved))
}
