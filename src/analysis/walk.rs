//! A point that walks along the constraint set at one time.
//!
//! ```text
//! J s = 0, |s| = 1        the direction, of those that the set allows the one nearest to where it was headed
//! x + h s                 the step, then Newton's method of least norm back to f = c
//! ```
//!
//! Lengths are measured in parts of a region, so that a step looks equally long whatever the units of the
//! coordinates. The set may turn back in a coordinate (a fold): the direction goes on smoothly there.

use super::Model;
use crate::expr::Interval;
use crate::geometry;
use crate::interval::Scratch;
use crate::theorem::project;
use nalgebra::{DMatrix, DVector};

/// A step is halved so often where it does not lead back to the set.
const HALVINGS: usize = 8;
/// A step that came back to the set moved by this part of its length at least, and by that at most.
const MOVED: (f64, f64) = (0.3, 2.0);
/// Directions shorter than this are none.
const NONE: f64 = 1e-6;
/// Newton's method may lead so many regions away.
const FAR: f64 = 1.0;

/// A point on the constraint set, and where it is headed.
#[derive(Clone, Debug, PartialEq)]
pub struct Walker {
    /// The time, which stands still.
    pub t: f64,
    /// The position.
    pub x: Vec<f64>,
    /// The direction of the last step, in parts of the region.
    pub heading: Vec<f64>,
}

impl Walker {
    /// A walker at a position, headed along one of the coordinates.
    pub fn new(t: f64, x: &[f64], along: usize) -> Self {
        let unit = |k| if k == along { 1.0 } else { 0.0 };
        Self {
            t,
            x: x.to_vec(),
            heading: (0..x.len()).map(unit).collect(),
        }
    }
}

impl Model {
    /// Walks by `length` parts of a region: on, or back where that is negative; towards `aim` where there are
    /// several ways to go. `None` where there is no way.
    pub fn walk(
        &self,
        walker: &Walker,
        units: &[f64],
        (length, aim): (f64, Option<usize>),
    ) -> Option<Walker> {
        let n = self.system.coordinates.len();
        if walker.x.len() != n || units.len() != n || !units.iter().all(|u| *u > 0.0) {
            return None;
        }
        let free = self.directions((walker.t, &walker.x), units)?;
        let heading = DVector::from_column_slice(&walker.heading);
        let wanted = match aim {
            Some(k) if free.ncols() > 1 => DVector::from_fn(n, |i, _| f64::from(u8::from(i == k))),
            _ => heading,
        };
        let mut way = &free * (free.transpose() * &wanted);
        if way.norm() < NONE {
            // square to where it was headed: any way the set goes
            way = free.column(0).into_owned();
        }
        let way = way.normalize();
        let mut step = length;
        for _ in 0..HALVINGS {
            let ahead: Vec<f64> = (0..n)
                .map(|k| walker.x[k] + step * way[k] * units[k])
                .collect();
            if let Some(x) = self.back_to_constraints(walker.t, units, ahead) {
                let went = DVector::from_fn(n, |k, _| (x[k] - walker.x[k]) / units[k]);
                let part = went.norm() / step.abs();
                if (MOVED.0..=MOVED.1).contains(&part) && went.dot(&way) * step > 0.0 {
                    let heading = (went * step.signum()).normalize();
                    return Some(Walker {
                        t: walker.t,
                        x,
                        heading: heading.iter().copied().collect(),
                    });
                }
            }
            step /= 2.0;
        }
        None
    }

    /// The point of the constraint set that Newton's method of least norm finds from here.
    pub fn back_to_constraints(&self, t: f64, units: &[f64], x: Vec<f64>) -> Option<Vec<f64>> {
        if x.iter().any(|v| !v.is_finite()) {
            return None;
        }
        let n = x.len();
        // sides as wide for each coordinate as its unit says
        let sides = x.iter().zip(units);
        let sides = sides.map(|(v, unit)| Interval::new(v - FAR * unit, v + FAR * unit));
        let region: Vec<Interval> = sides.chain([Interval::point(t)]).collect();
        let mut point = x;
        point.push(t);
        let bounds = self.bounds();
        // the second time ends at rounding
        for _ in 0..2 {
            point = project(&bounds.equations, &region, point, &mut Scratch::default())?;
        }
        point.truncate(n);
        Some(point)
    }

    /// An orthonormal basis of the directions that the constraints leave, in these units of the coordinates;
    /// `None` where they leave none.
    pub(super) fn directions(&self, (t, x): (f64, &[f64]), units: &[f64]) -> Option<DMatrix<f64>> {
        let n = x.len();
        if self.system.constraints.is_empty() {
            return Some(DMatrix::identity(n, n));
        }
        let mut rows = self.theorem.local(&self.system, t, x, &[]).blurred();
        for (k, unit) in units.iter().enumerate() {
            rows.value.column_mut(k).scale_mut(*unit);
            rows.blur.column_mut(k).scale_mut(*unit);
        }
        if !rows.is_finite() {
            return None;
        }
        let free = geometry::orthonormal(&rows.kernel());
        (free.ncols() > 0).then_some(free)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::System;

    fn model(text: &str) -> Model {
        Model::new(System::parse(text, "test", &[]).unwrap())
    }

    #[test]
    fn a_walk_round_a_circle_passes_both_folds_and_comes_back() {
        let model = model(
            "coordinates: [x, y]\nlagrangian: 1/2*(x'^2 + y'^2)\nconstraints: {rod: x^2 + y^2 = 1}\n",
        );
        let mut walker = Walker::new(0.0, &[1.0, 0.0], 1);
        let mut angle = 0.0;
        let mut turned = 0.0;
        let mut steps = 0;
        while turned < 2.0 * std::f64::consts::PI {
            walker = model.walk(&walker, &[2.0, 2.0], (0.02, None)).unwrap();
            let (x, y) = (walker.x[0], walker.x[1]);
            assert!((x * x + y * y - 1.0).abs() < 1e-14);
            let now = y.atan2(x);
            let by = (now - angle).rem_euclid(2.0 * std::f64::consts::PI);
            // a step of 0.02 regions is 0.04 along the arc
            assert!((by - 0.04).abs() < 1e-4);
            (angle, turned, steps) = (now, turned + by, steps + 1);
        }
        assert_eq!(steps, 158);
        let back = model.walk(&walker, &[2.0, 2.0], (-0.02, None)).unwrap();
        let again = model.walk(&back, &[2.0, 2.0], (0.02, None)).unwrap();
        assert!((again.x[0] - walker.x[0]).abs() < 1e-4);
    }

    #[test]
    fn on_a_surface_it_goes_where_it_is_sent_and_nowhere_on_a_point() {
        let sphere = model(
            "coordinates: [x, y, z]\nlagrangian: 1/2*(x'^2 + y'^2 + z'^2)\nconstraints: {s: x^2 + y^2 + z^2 = 1}\n",
        );
        let walker = Walker::new(0.0, &[0.0, 0.0, 1.0], 0);
        for k in 0..2 {
            let next = sphere.walk(&walker, &[1.0; 3], (0.1, Some(k))).unwrap();
            assert!(next.x[k] > 0.09 && next.x[1 - k].abs() < 1e-12);
            assert!((next.x.iter().map(|v| v * v).sum::<f64>() - 1.0).abs() < 1e-14);
        }
        let fixed = model(
            "coordinates: [x, y]\nlagrangian: 1/2*(x'^2 + y'^2)\nconstraints: {a: x - 1, b: y - 2}\n",
        );
        let walker = Walker::new(0.0, &[1.0, 2.0], 0);
        assert_eq!(fixed.walk(&walker, &[1.0; 2], (0.1, None)), None);
    }
}
