//! Motions against published states, exact solutions and each other.
#![allow(clippy::unreadable_literal, clippy::doc_markdown)]

mod bounds;
mod flags;
mod motions;
mod rank;
mod starts;
mod stiff;
mod structured;
mod systems;

use std::sync::atomic::AtomicBool;

use super::*;
use systems::names;

pub static GO_ON: AtomicBool = AtomicBool::new(false);

/// A problem of one stem of names.
pub struct Case<D> {
    pub dynamics: D,
    pub coordinates: Vec<String>,
    pub constraints: Vec<String>,
    pub dependent: Option<Vec<usize>>,
}

impl<D: Dynamics> Case<D> {
    pub fn new(dynamics: D, dependent: Option<&[usize]>) -> Self {
        let (n, m) = (dynamics.coordinates(), dynamics.constraints());
        Self {
            dynamics,
            coordinates: names("x", n),
            constraints: names("f", m),
            dependent: dependent.map(<[usize]>::to_vec),
        }
    }

    pub fn problem(&self) -> Problem<'_> {
        Problem {
            dynamics: &self.dynamics,
            dependent: self.dependent.clone(),
            coordinates: &self.coordinates,
            constraints: &self.constraints,
        }
    }

    pub fn run(&self, x: &[f64], v: &[f64], options: &Options) -> Motion {
        let start = Start {
            t: 0.0,
            x: x.to_vec(),
            v: v.to_vec(),
            correction: vec![0.0; x.len()],
            notes: Vec::new(),
            rough: None,
        };
        simulate(&self.problem(), &start, options, &GO_ON)
    }
}

pub fn options(until: f64, method: Method, tolerance: f64) -> Options {
    Options {
        until,
        method,
        rtol: tolerance,
        atol: tolerance * 1e-3,
        samples: 10,
        ..Options::default()
    }
}

/// The largest difference relative to max(1, |b|).
pub fn apart(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter()
        .zip(b)
        .map(|(a, b)| (a - b).abs() / b.abs().max(1.0))
        .fold(0.0, f64::max)
}

/// Every method with both steppers.
pub fn each() -> impl Iterator<Item = (Method, Stiff)> {
    Method::ALL
        .into_iter()
        .flat_map(|method| [(method, Stiff::Never), (method, Stiff::Always)])
}

/// These options with that stepper.
#[allow(clippy::needless_pass_by_value)]
pub fn with(stiff: Stiff, options: Options) -> Options {
    Options { stiff, ..options }
}
