//! What is left of a zero is shown as 0; JSON and CSV keep the number.

use crate::analysis::Model;
use crate::expr::Interval;
use crate::solver::Motion;
use crate::statics::{Enclosure, Equilibrium};

/// What rounding leaves of a zero, in parts of the largest number of its kind.
const ROUNDING: f64 = 1e-14;
/// What Newton's method leaves of a coordinate at a double root.
const NEWTON: f64 = 1e-6;
/// What it leaves of one that is proven.
const PROVEN: f64 = 1e-12;

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most: f64, v| most.max(v.abs()))
}

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

/// A place that Newton's method found.
pub fn near(x: &[f64]) -> Vec<f64> {
    without(x, NEWTON * largest(x).max(1.0))
}

/// A place that is proven to lie near.
pub(super) fn proven(x: &[f64]) -> Vec<f64> {
    without(x, PROVEN)
}

/// What rounding leaves of a zero in a column of a motion, of which these are the values at all samples.
///
/// Coordinates and velocities are of one kind, multipliers and forces of another, anything else is its own; and a time
/// is known to its last digits, which the column changes by.
pub fn rounding_of_column(model: &Model, motion: &Motion, (name, values): (&str, &[f64])) -> f64 {
    let samples = &motion.samples;
    let most = |own: fn(&crate::solver::Sample) -> [&[f64]; 2]| {
        let sizes = samples.iter().flat_map(own).map(largest);
        sizes.fold(0.0, f64::max)
    };
    let force = ["lambda_", "R_", "F_"]
        .iter()
        .any(|head| name.starts_with(head));
    let kind = if model
        .system
        .coordinate(name.trim_end_matches('\''))
        .is_some()
    {
        most(|s| [&s.x, &s.v])
    } else if force {
        most(|s| [&s.lambda, &s.reaction])
    } else {
        0.0
    };
    let rates = samples
        .windows(2)
        .zip(values.windows(2))
        .map(|(s, v)| (v[1] - v[0]) / (s[1].t - s[0].t));
    let rate = rates
        .map(f64::abs)
        .filter(|v| v.is_finite())
        .fold(0.0, f64::max);
    let time = motion
        .ends()
        .map_or(0.0, |(from, to)| from.abs().max(to.abs()));
    ROUNDING * kind.max(largest(values)) + 4.0 * f64::EPSILON * time * rate
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
