//! Points where the gradients of the constraints are dependent: found, or proven not to be there.

use super::{Acting, BLUR, Ground, Root, clean};
use crate::interval::middles;
use crate::statics::numeric::{Numeric, Settled};
use crate::statics::search::Suspects;

/// A coordinate of less than this part of the region is none.
const NOTHING: f64 = 1e-13;

impl Ground<'_> {
    /// Finds the singular points that branch and prune suspects. Where multipliers hold the forces all the same they are places, else
    /// they are singular. What is given is suspected, and no point was found there.
    pub(super) fn singular(
        &self,
        numeric: &Numeric,
        acting: &Acting,
        effort: usize,
        (places, singular): (&mut Vec<Root>, &mut Vec<Vec<f64>>),
    ) -> Suspects {
        let mut found = self.dependent(acting, effort);
        let mut points: Vec<Vec<f64>> = Vec::new();
        for part in &found.boxes {
            if points.iter().any(|point| self.covers(point, part)) {
                continue;
            }
            let middle = middles(part);
            let Some(point) = numeric.singular_at(&middle, &self.widths) else {
                continue;
            };
            let mut x = point.x.clone();
            for (k, v) in x.iter_mut().enumerate() {
                *v = clean(*v + self.turns(k, *v));
                if v.abs() < NOTHING * self.unit(k, *v) {
                    *v = 0.0;
                }
            }
            points.push(point.x);
            let Some(lambda) = point.held else {
                self.keep_apart(singular, [x]);
                continue;
            };
            if places
                .iter()
                .all(|p| self.distance(&p.settled.x, &x) > BLUR)
            {
                places.push(Root::met(Settled {
                    correction: vec![0.0; x.len()],
                    lambda,
                    x,
                }));
            }
        }
        found
            .boxes
            .retain(|part| points.iter().all(|point| !self.covers(point, part)));
        found
    }
}
