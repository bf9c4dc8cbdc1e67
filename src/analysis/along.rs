//! How far the methods differ along a motion, relative to what they may differ by.

use crate::solver::{Comparison, Method, Motion};

/// Two methods along a motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// The methods.
    pub methods: [Method; 2],
    /// In each part of the time the largest difference in a column, relative to what that column may differ by.
    pub parts: Vec<f64>,
}

/// The methods against each other along a motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Along {
    /// The ends of the parts of the time, the first one the start.
    pub t: Vec<f64>,
    /// Every two methods.
    pub pairs: Vec<Pair>,
}

/// How far every two methods differ, in so many parts of the time compared or fewer.
pub fn along(comparison: &Comparison, parts: usize) -> Along {
    let motions = &comparison.motions;
    let way = motions.iter().map(Motion::way).fold(1.0, f64::min);
    let within = |t: f64| way * t <= way * comparison.until;
    let rows = motions
        .iter()
        .map(|m| m.samples.iter().take_while(|s| within(s.t)).count())
        .min()
        .unwrap_or(0);
    // the start, then parts of nearly as many rows each
    let parts = parts.clamp(1, rows.max(2) - 1);
    let ends: Vec<usize> = if rows > 1 {
        let part = |i: usize| i * (rows - 1) / parts;
        (0..=parts).map(part).collect()
    } else {
        (0..rows).collect()
    };
    let t = ends.iter().map(|&row| motions[0].samples[row].t).collect();
    let differ = |i: usize, k: usize, row: usize| -> f64 {
        let (a, b) = (&motions[i].samples[row], &motions[k].samples[row]);
        comparison
            .differences
            .iter()
            .map(|d| {
                let (a, b) = (d.column.of(a), d.column.of(b));
                let apart = (a - b).abs();
                // next to a singular configuration neither may have a multiplier
                if apart == 0.0 || a.is_nan() && b.is_nan() {
                    0.0
                } else {
                    apart / d.tolerance
                }
            })
            .fold(0.0, larger)
    };
    let mut pairs = Vec::new();
    for k in 1..motions.len() {
        for i in 0..k {
            let parts = ends.iter().enumerate().map(|(part, &end)| {
                let first = part.checked_sub(1).map_or(end, |before| ends[before] + 1);
                (first..=end).map(|row| differ(i, k, row)).fold(0.0, larger)
            });
            pairs.push(Pair {
                methods: [comparison.methods[i], comparison.methods[k]],
                parts: parts.collect(),
            });
        }
    }
    Along { t, pairs }
}

/// The least and the greatest of numbers.
pub fn extremes(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let none = (f64::INFINITY, f64::NEG_INFINITY);
    values.fold(none, |(low, high), v| (low.min(v), high.max(v)))
}

/// The larger of two; not a number where one is none.
pub(super) fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        f64::NAN
    } else {
        a.max(b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{Model, Request};
    use crate::system::System;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn the_largest_part_along_the_motion_is_that_of_the_differences() {
        let text = "coordinates: [x, y]\nlagrangian: 1/2*(x'^2 + y'^2) - 9.81*y\nconstraints: {rod: x^2 + y^2 = 1}\nstart: {x: 1, y: 0}\n";
        let model = Model::new(System::parse(text, "test", &[]).unwrap());
        for until in [3.0, -3.0] {
            let request = Request {
                until: Some(until),
                ..Request::default()
            };
            let comparison = model.compare(&request, &AtomicBool::new(false)).unwrap();
            assert!(comparison.agree && comparison.until == until);
            let differences = comparison.differences.iter();
            let worst = differences.map(|d| d.max / d.tolerance).fold(0.0, f64::max);
            for parts in [1, 7, 100, 5000] {
                let along = along(&comparison, parts);
                assert_eq!(along.t.len(), parts.min(1000) + 1);
                assert_eq!((along.t[0], along.t[along.t.len() - 1]), (0.0, until));
                assert_eq!(along.pairs.len(), 3);
                let all = along.pairs.iter().flat_map(|p| &p.parts);
                assert!(along.pairs.iter().all(|p| p.parts.len() == along.t.len()));
                let most = all.fold(0.0_f64, |most, e| most.max(*e));
                assert!(worst > 0.0 && (most - worst).abs() <= 1e-12 * worst);
            }
        }
    }
}
