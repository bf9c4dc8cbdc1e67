//! The methods against each other: the same start, every method, how far they differ.
//!
//! Each method also runs at a tenth of the tolerance. Ten times the largest change which that makes in a
//! column is what the column may differ by (and rounding, and the tolerance itself). Where that exceeds
//! [`CHAOS`] of the column's size the motion does not remember its start any more: the comparison ends
//! at that time.

use std::sync::atomic::AtomicBool;

use super::dynamics::Problem;
use super::error::SolverError;
use super::events::FlagKind;
use super::method::Method;
use super::motion::{Motion, Options, Sample};
use super::simulate::simulate;
use super::start::Start;

/// A column may change by this part of its size when the tolerance changes.
pub const CHAOS: f64 = 1e-3;
/// A column may differ by this many times the change that a tenth of the tolerance makes.
const ALLOWED: f64 = 10.0;

/// A quantity that the methods are compared by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Column {
    /// Coordinate k.
    Coordinate(usize),
    /// The velocity of coordinate k.
    Velocity(usize),
    /// The multiplier of constraint b.
    Multiplier(usize),
    /// The constraint force on coordinate k.
    Reaction(usize),
}

impl Column {
    /// Its value at a sample.
    pub fn of(self, sample: &Sample) -> f64 {
        match self {
            Self::Coordinate(k) => sample.x[k],
            Self::Velocity(k) => sample.v[k],
            Self::Multiplier(b) => sample.lambda[b],
            Self::Reaction(k) => sample.reaction[k],
        }
    }
}

/// How far the methods differ in a column.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// The column.
    pub column: Column,
    /// The largest difference between two methods at a sample.
    pub max: f64,
    /// When that is.
    pub t: f64,
    /// What it may be.
    pub tolerance: f64,
}

/// The methods against each other.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The methods, in the order of `motions`.
    pub methods: Vec<Method>,
    /// Their motions, at the tolerance asked for.
    pub motions: Vec<Motion>,
    /// Column by column, up to `until`.
    pub differences: Vec<Difference>,
    /// Whether every difference is within its tolerance and every method came to the end.
    pub agree: bool,
    /// The time up to which they were compared.
    pub until: f64,
    /// Whether the comparison ends there because the motion is chaotic.
    pub chaotic: bool,
    /// Whether it ends there for the same reason, next to or behind a place where the gradients are dependent: a motion that
    /// comes by one forgets its start without being chaotic.
    pub singular: bool,
    /// Why a method did not come to the end.
    pub because: Option<SolverError>,
}

/// Runs every method on the same start. `options.method` is ignored.
pub fn compare(
    problem: &Problem<'_>,
    start: &Start,
    options: &Options,
    cancel: &AtomicBool,
) -> Comparison {
    let motions_at = |part: f64| -> Vec<Motion> {
        let run = |method| {
            let options = Options {
                method,
                rtol: options.rtol * part,
                atol: options.atol * part,
                ..options.clone()
            };
            simulate(problem, start, &options, cancel)
        };
        Method::ALL.into_iter().map(run).collect()
    };
    let motions = motions_at(1.0);
    let finer = motions_at(0.1);
    let (n, m) = problem.shape();
    let m = m + problem.dynamics.velocity_constraints();
    let columns: Vec<Column> = (0..n)
        .map(Column::Coordinate)
        .chain((0..n).map(Column::Velocity))
        .chain((0..m).map(Column::Multiplier))
        .chain((0..n).map(Column::Reaction))
        .collect();
    let rows = motions
        .iter()
        .chain(&finer)
        .map(|motion| motion.samples.len())
        .min()
        .unwrap_or(0);
    let mut differences: Vec<Difference> = columns
        .iter()
        .map(|&column| Difference {
            column,
            max: 0.0,
            t: start.t,
            tolerance: 0.0,
        })
        .collect();
    let mut sizes = vec![0.0_f64; columns.len()];
    let (mut until, mut lost) = (start.t, false);
    // each method may have stopped at a time of its own
    let together = |row: &usize| {
        let mut others = motions.iter().chain(&finer);
        others.all(|motion| motion.samples[*row].t == motions[0].samples[*row].t)
    };
    for row in (0..rows).take_while(together) {
        let values = |set: &[Motion], column: Column| -> Vec<f64> {
            set.iter()
                .map(|motion| column.of(&motion.samples[row]))
                .collect()
        };
        let mut next = differences.clone();
        for ((difference, size), &column) in next.iter_mut().zip(&mut sizes).zip(&columns) {
            let (coarse, fine) = (values(&motions, column), values(&finer, column));
            for (i, a) in coarse.iter().enumerate() {
                *size = size.max(a.abs());
                let floor = options.atol + options.rtol * *size;
                let change = ALLOWED * (a - fine[i]).abs().max(floor);
                difference.tolerance = difference.tolerance.max(change);
                for b in &coarse[..i] {
                    if (a - b).abs() > difference.max {
                        difference.max = (a - b).abs();
                        difference.t = motions[0].samples[row].t;
                    }
                }
            }
            let allowed = CHAOS * size.max(options.atol / options.rtol);
            lost |= difference.tolerance
                > allowed.max(2.0 * ALLOWED * (options.atol + options.rtol * *size));
        }
        if lost {
            break;
        }
        differences = next;
        until = motions[0].samples[row].t;
    }
    let because = motions
        .iter()
        .chain(&finer)
        .find_map(|motion| motion.because.clone());
    let mut flags = motions
        .iter()
        .chain(&finer)
        .flat_map(|motion| &motion.flags);
    let singular = lost && flags.any(|flag| flag.kind == FlagKind::Rank);
    let agree = because.is_none() && differences.iter().all(|d| d.max <= d.tolerance);
    Comparison {
        methods: Method::ALL.to_vec(),
        motions,
        differences,
        agree,
        until,
        chaotic: lost && !singular,
        singular,
        because,
    }
}
