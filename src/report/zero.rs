//! What is left of a zero is shown as 0; JSON and CSV keep the number.

use crate::analysis::{Model, largest};
use crate::expr::Interval;
use crate::solver::{Motion, Sample};
use crate::statics::{Enclosure, Equilibrium};

/// What rounding leaves of a zero, in parts of the largest number of its kind.
const ROUNDING: f64 = 1e-14;
/// What Newton's method leaves of a coordinate at a double root.
const NEWTON: f64 = 1e-6;
/// What it leaves of one that is proven.
const PROVEN: f64 = 1e-12;

/// Numbers, 0 where they are no more than what rounding leaves.
pub fn without(values: &[f64], least: f64) -> Vec<f64> {
    let shown = |v: &f64| if v.abs() <= least { 0.0 } else { *v };
    values.iter().map(shown).collect()
}

/// Numbers of one kind and one unit.
pub fn without_rounding(values: &[f64]) -> Vec<f64> {
    without(values, ROUNDING * largest(values))
}

/// Numbers of which nothing else is known; a unit is taken to be a size of theirs.
pub fn of_unit_size(values: &[f64]) -> Vec<f64> {
    without(values, ROUNDING * largest(values).max(1.0))
}

/// Numbers that are sums of terms of these sizes.
pub fn of_terms(values: &[f64], terms: &[f64]) -> Vec<f64> {
    without(values, ROUNDING * largest(terms).max(largest(values)))
}

/// A number beside what it was left over of.
pub fn beside(value: f64, scale: f64) -> f64 {
    if value.abs() <= ROUNDING * scale {
        0.0
    } else {
        value
    }
}

/// A place that Newton's method found, in a neighbourhood of this size.
pub fn near(x: &[f64], size: f64) -> Vec<f64> {
    without(x, NEWTON * largest(x).max(size))
}

/// A place that is proven to lie near.
pub(super) fn proven(x: &[f64]) -> Vec<f64> {
    without(x, PROVEN)
}

/// How large what a motion has of each kind is for half of it: what leaves every bound at its end says nothing of the rest.
pub struct Sizes {
    positions: f64,
    velocities: f64,
    /// Multipliers and forces.
    force: f64,
    /// Its ends.
    time: f64,
}

impl Sizes {
    /// Those of a motion.
    pub fn of(motion: &Motion) -> Self {
        let middle = |own: fn(&Sample) -> f64| {
            let mut sizes: Vec<f64> = motion.samples.iter().map(own).collect();
            sizes.sort_by(f64::total_cmp);
            sizes.get(sizes.len() / 2).copied().unwrap_or(0.0)
        };
        let ends = motion.ends();
        let positions = middle(|s| largest(&s.x));
        let span = ends.map_or(0.0, |(from, to)| (to - from).abs());
        // what takes a coordinate nowhere is no velocity
        let drift = if span > 0.0 { positions / span } else { 0.0 };
        Self {
            positions,
            velocities: middle(|s| largest(&s.v)).max(drift),
            force: middle(|s| largest(&s.lambda).max(largest(&s.reaction))),
            time: ends.map_or(0.0, |(from, to)| from.abs().max(to.abs())),
        }
    }

    /// What rounding leaves of a zero in a column, of which these are the times and values all along.
    ///
    /// What is of neither kind is of its own; and a time is known to its last digits, which the column changes by.
    pub fn rounding(&self, model: &Model, name: &str, along: &[[f64; 2]]) -> f64 {
        let force = ["lambda_", "R_", "F_"];
        let is_coordinate = |name: &str| model.system.coordinate(name).is_some();
        let kind = if is_coordinate(name) {
            self.positions
        } else if name.strip_suffix('\'').is_some_and(is_coordinate) {
            self.velocities
        } else if force.iter().any(|head| name.starts_with(head)) {
            self.force
        } else {
            0.0
        };
        let finite = |most: f64, v: f64| {
            if v.is_finite() {
                most.max(v.abs())
            } else {
                most
            }
        };
        let own = along.iter().map(|at| at[1]).fold(kind, finite);
        let rates = along.windows(2);
        let rates = rates.map(|two| (two[1][1] - two[0][1]) / (two[1][0] - two[0][0]));
        let rate = rates.fold(0.0, finite);
        ROUNDING * own + 4.0 * f64::EPSILON * self.time * rate
    }
}

/// Numbers with what they are proven to lie in: 0 where that does not tell them from it.
fn enclosed(values: &[f64], sides: &[Interval]) -> Option<Vec<f64>> {
    let shown = |(v, side): (&f64, &Interval)| if side.contains(0.0) { 0.0 } else { *v };
    (values.len() == sides.len()).then(|| values.iter().zip(sides).map(shown).collect())
}

/// The numbers of an equilibrium as they are shown.
pub struct Shown {
    /// The coordinates.
    pub x: Vec<f64>,
    /// The multipliers.
    pub multipliers: Vec<f64>,
    /// The reactions.
    pub reaction: Vec<f64>,
}

impl Shown {
    /// Those of an equilibrium.
    pub fn of(e: &Equilibrium) -> Self {
        let proof = e.proof.as_ref();
        let known = |values, sides: Option<&[Interval]>| {
            let known = sides.and_then(|sides| enclosed(values, sides));
            known.unwrap_or_else(|| of_unit_size(values))
        };
        let multipliers = known(&e.multipliers, proof.map(Enclosure::lambda));
        let reaction = if multipliers.iter().all(|l| *l == 0.0) {
            vec![0.0; e.reaction.len()]
        } else {
            without_rounding(&e.reaction)
        };
        Self {
            x: known(&e.x, proof.map(Enclosure::x)),
            multipliers,
            reaction,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_shown_as_0_where_it_is_not_told_from_it() {
        assert_eq!(
            without_rounding(&[1e-30, 3e-17, 0.0, 2e-13]),
            [0.0, 3e-17, 0.0, 2e-13]
        );
        assert_eq!(of_unit_size(&[3e-17, 2e-13]), [0.0, 2e-13]);
        let sides = [Interval::new(-1e-3, 1e-2), Interval::new(1e-20, 2e-20)];
        assert_eq!(enclosed(&[1e-3, 1.5e-20], &sides), Some(vec![0.0, 1.5e-20]));
    }
}
