//! Constraints that no position meets together.

use super::Model;
use crate::expr::Interval;
use crate::interval::{Region, has_none, largest};
use crate::theorem::period_of;

/// Coordinates that are no angles are looked at up to this size.
pub const FARTHEST: f64 = 1e12;
/// Larger systems are not asked.
const MOST: usize = 12;
/// Boxes that are looked at.
const BOXES: usize = 400;
/// A box is not cut below this width.
const NARROW: f64 = 1e-6;

impl Model {
    /// Constraints that are proven to have no position in common at a time, none of them to spare; empty where there are none, or
    /// it is not proven. Of an angle one turn is looked at, of other coordinates those up to [`FARTHEST`].
    pub(super) fn contradiction(&self, t: f64) -> Vec<usize> {
        let sided = self.system.one_sided();
        let m = self.system.constraints.len();
        let mut left: Vec<usize> = (0..m).filter(|b| !sided.contains(b)).collect();
        let is_asked = m.max(self.system.coordinates.len()) <= MOST;
        if !is_asked || !self.ranging_parameters().is_empty() || !self.contradict(&left, t) {
            return Vec::new();
        }
        for b in left.clone() {
            let others: Vec<usize> = left.iter().copied().filter(|other| *other != b).collect();
            if self.contradict(&others, t) {
                left = others;
            }
        }
        left
    }

    /// Is it proven that no position meets these constraints?
    fn contradict(&self, list: &[usize], t: f64) -> bool {
        let bounds = self.bounds();
        let equations = bounds.of(&self.system.pool, list);
        let n = self.system.coordinates.len();
        let side = |k: usize| match period_of(self.angles(), k) {
            Some(period) => Interval::new(0.0, period.next_up()),
            None => Interval::new(-FARTHEST, FARTHEST),
        };
        let mut start: Region = (0..n).map(side).collect();
        start.push(Interval::point(t));
        has_none(&equations, start, BOXES, |part| {
            let (widest, width) = largest(0..n, |k| part[*k].width())?;
            (width > NARROW).then_some(widest)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::System;

    fn contradicting(coordinates: &str, constraints: &str) -> Vec<usize> {
        let text = format!(
            "coordinates: [{coordinates}]\nlagrangian: x'^2\nconstraints: {{{constraints}}}\n"
        );
        let model = Model::new(System::parse(&text, "test.yaml", &[]).unwrap());
        model.contradiction(0.5)
    }

    #[test]
    fn only_what_no_position_meets_is_a_contradiction() {
        let circle_and_line = "a: x^2 + y^2 = 1, b: x + y = 5, c: z = x*y";
        assert_eq!(contradicting("x, y, z", circle_and_line), [0, 1]);
        assert_eq!(contradicting("x, y", "a: x = 1, b: x = 2"), [0, 1]);
        assert_eq!(contradicting("x, y", "a: x = y, b: x^2 = -1 - y^2"), [1]);
        // a linkage whose longest link is longer than all others, and one that just closes
        let linkage = |longest: &str| {
            let closed =
                format!("c: cos(x) + cos(y) + cos(z) = {longest}, s: sin(x) + sin(y) + sin(z) = 0");
            contradicting("x, y, z", &closed)
        };
        assert_eq!(linkage("3.5"), [0]);
        assert!(linkage("2.9").is_empty());
        // neither two of three are, and no box tells: their sum is
        let three = "a: x + y + z = 1, b: x - y = 0.3, c: 2*x + z = 1.4";
        assert_eq!(contradicting("x, y, z", three), [0, 1, 2]);
        assert!(contradicting("x, y, z", &three.replace("1.4", "1.3")).is_empty());
        // of times only the one that is asked about counts, here 0.5; and what is far away is met there
        assert_eq!(contradicting("x, y", "a: x = t, b: x = 1"), [0, 1]);
        assert!(contradicting("x, y", "a: x = t, b: 2*x = 1").is_empty());
        assert!(contradicting("x, y", "a: x = 2*y, b: y = 3e5").is_empty());
    }

    #[test]
    fn what_a_planted_position_meets_is_none() {
        let mut random = fastrand::Rng::with_seed(20_261_127);
        for _ in 0..300 {
            let x: Vec<f64> = (0..3).map(|_| 6.0 * random.f64() - 3.0).collect();
            let level = |random: &mut fastrand::Rng| {
                let (i, j) = (random.usize(0..3), random.usize(0..3));
                let a = f64::from(random.i8(-4..=4)) / 2.0;
                let [u, v] = [i, j].map(|k| ["x", "y", "z"][k]);
                let (text, value) = match random.u8(0..5) {
                    0 => (format!("{u}^2 + {a}*{v}"), x[i] * x[i] + a * x[j]),
                    1 => (
                        format!("sin({u}) + {a}*cos({v})"),
                        x[i].sin() + a * x[j].cos(),
                    ),
                    2 => (
                        format!("exp({u}) - {a}*{v}^3"),
                        x[i].exp() - a * x[j].powi(3),
                    ),
                    3 => (
                        format!("{u}*{v} + sqrt({v}^2 + 1)"),
                        x[i] * x[j] + (x[j] * x[j] + 1.0).sqrt(),
                    ),
                    _ => (format!("abs({u}) + {a}*{v}"), x[i].abs() + a * x[j]),
                };
                format!("{text} = {value:?}")
            };
            let (a, b) = (level(&mut random), level(&mut random));
            // one that is the other, or one coordinate in both: rounding alone may part them
            let both = |name: &str| a.contains(name) || b.contains(name);
            if ["x", "y", "z"].iter().filter(|name| both(name)).count() < 3 {
                continue;
            }
            let found = contradicting("x, y, z", &format!("a: {a}, b: {b}"));
            assert!(found.is_empty(), "{a}, {b}");
        }
    }
}
