//! A motion: from a consistent start, step by step, to samples and flags.

use std::sync::atomic::AtomicBool;

use super::chart;
use super::dynamics::{ConstraintValue, Instant, Problem};
use super::error::{Dependent, Halt, Missing, Needs, Quantity, SolverError};
use super::events::Flag;
use super::integration::{Departure, Grid, Integration};
use super::method::{Method, RightHandSide};
use super::motion::{InForce, Motion, Options, Outside, Released, Sample};
use super::note::Note;
use super::rank::{self, InUse, Structure};
use super::start::{MOVABLE, Start};
use super::step::Tolerance;
use crate::geometry::{Constraints, null_vectors};
use crate::system::Release;
use nalgebra::{DMatrix, DVector};

/// The smallest atol of use: a component that is zero but for rounding must not set the step.
const LEAST_ATOL: f64 = 1e-18;
/// The smallest rtol of use: below it the error estimate is rounding.
const LEAST_RTOL: f64 = 1e-14;

/// Runs a motion from a consistent start. Never fails: what was computed is in the motion, with the
/// reason where it ended early.
pub fn simulate(
    problem: &Problem<'_>,
    start: &Start,
    options: &Options,
    cancel: &AtomicBool,
) -> Motion {
    simulate_into(problem, start, options, Outside::calling_off(cancel))
}

/// The same with its samples handed on: what is left of them in the motion is its end.
pub fn simulate_into(
    problem: &Problem<'_>,
    start: &Start,
    options: &Options,
    mut outside: Outside<'_>,
) -> Motion {
    let mut motion = Motion {
        method: options.method,
        notes: start.notes.clone(),
        ..Motion::default()
    };
    motion.because = run(problem, start, options, (&mut outside, &mut motion)).err();
    motion.finished = motion.because.is_none();
    motion
}

fn check(problem: &Problem<'_>, start: &Start, options: &Options) -> Result<(), SolverError> {
    let (n, m) = problem.shape();
    let dependent = problem.dependent.as_ref().map_or(m, Vec::len);
    let lists = [
        ("start coordinates", n, start.x.len()),
        ("start velocities", n, start.v.len()),
        ("start corrections", n, start.correction.len()),
        ("dependent coordinates", m, dependent),
    ];
    for (what, expected, found) in lists {
        if expected != found {
            return Err(SolverError::Shape {
                what,
                expected,
                found,
            });
        }
    }
    for k in problem.dependent.iter().flatten() {
        if *k >= n {
            return Err(SolverError::Shape {
                what: "largest dependent index",
                expected: n,
                found: *k,
            });
        }
    }
    if !start.t.is_finite() {
        let what = Quantity::StartTime;
        return Err(SolverError::NotFinite { what, t: start.t });
    }
    let fraction = options.rtol > 0.0 && options.rtol < 1.0;
    let not_negative = options.atol.is_finite() && options.atol >= 0.0;
    let numbers = [
        ("rtol", options.rtol, Needs::Fraction, fraction),
        ("atol", options.atol, Needs::NotNegative, not_negative),
        (
            "until",
            options.until,
            Needs::Time,
            options.until.is_finite(),
        ),
    ];
    if let Some((option, value, needs, _)) = numbers.into_iter().find(|number| !number.3) {
        return Err(SolverError::Option {
            option,
            value,
            needs,
        });
    }
    if let Some(k) = (0..n).find(|&k| !(start.x[k].is_finite() && start.v[k].is_finite())) {
        return Err(SolverError::NotFinite {
            what: Quantity::Start(problem.coordinate(k)),
            t: start.t,
        });
    }
    let value = ConstraintValue::at(problem.dynamics, start.t, &start.x);
    if let Some(b) = value.not_finite() {
        return Err(problem.not_finite(b, start.t));
    }
    let all: Vec<usize> = (0..m).collect();
    let set = InUse::positions(problem, &all);
    // what the tolerance allows, and what a position that was solved for is known to
    let slack = start.correction.iter().map(|c| c.max(options.atol));
    let missed = set
        .rows(start.t, &start.x)
        .missed(&slack.collect::<Vec<_>>());
    if missed.relative > MOVABLE {
        return Err(SolverError::Missed {
            by: Missing::Position,
            constraint: problem.constraint(missed.row),
            residual: missed.residual,
            relative: missed.relative,
            nearest: Vec::new(),
            contradiction: Vec::new(),
            kept: Vec::new(),
            place: None,
        });
    }
    Ok(())
}

/// The tolerance of use, with a note where it is not the one asked for.
fn tolerance(options: &Options, notes: &mut Vec<Note>) -> Tolerance {
    if options.rtol < LEAST_RTOL {
        notes.push(Note::Tolerance {
            asked: options.rtol,
            used: LEAST_RTOL,
        });
    }
    Tolerance {
        rtol: options.rtol.max(LEAST_RTOL),
        atol: options.atol.max(LEAST_ATOL),
    }
}

fn run(
    problem: &Problem<'_>,
    start: &Start,
    options: &Options,
    (outside, motion): (&mut Outside<'_>, &mut Motion),
) -> Result<(), SolverError> {
    check(problem, start, options)?;
    let (n, _) = problem.shape();
    let tolerance = tolerance(options, &mut motion.notes);
    let here = ConstraintValue::at(problem.dynamics, start.t, &start.x);
    let own = problem
        .dependent
        .clone()
        .or_else(|| chart::best_choice(&here.jacobian))
        .unwrap_or_default();
    motion.dependent.clone_from(&own);

    if let Some(b) = start.rough {
        motion.samples.push(bare(problem, start, &here));
        return Err(SolverError::RoughStart {
            constraint: problem.constraint(b),
            t: start.t,
        });
    }
    if !options.brief && has_negative_kinetic_energy(problem, start) {
        motion.notes.push(Note::NegativeKineticEnergy);
    }
    let mut grid = Grid::new(start.t, options);
    let mut start = start.clone();
    let mut released = Vec::new();
    let mut rows = None;
    let mut method = options.method;
    // each leg but the last ends with a release, or where other rows take over
    loop {
        let (leg, chosen) = match rows.take() {
            Some((rows, place)) => {
                let leg = of_rows(problem, (start.t, released), rows);
                (leg, Some((start.t, place)))
            }
            None => (in_force(problem, (&start, released), &own, motion)?, None),
        };
        let Some(release) = travel(
            problem,
            (&start, &leg, chosen),
            (options, &mut *outside),
            (&own, (method, tolerance)),
            (&mut grid, motion),
        )?
        else {
            return Ok(());
        };
        let Departure {
            t,
            x,
            v,
            constraints,
            ends,
            rows: others,
            method: other,
        } = release;
        if let Some(by) = other {
            motion.notes.push(Note::Rounded { t });
            method = by;
        }
        for &constraint in &constraints {
            motion.notes.push(Note::Released {
                constraint,
                t,
                release: if ends { Release::Stop } else { Release::Go },
            });
            motion.releases.push(Released {
                t,
                constraint,
                x: x.clone(),
            });
        }
        start = Start {
            t,
            x,
            v,
            correction: vec![0.0; n],
            notes: Vec::new(),
            rough: None,
        };
        if ends || start.t == options.until {
            return Ok(());
        }
        released = leg.released;
        released.extend(constraints);
        rows = others;
    }
}

/// Whether 1/2 v . M v < 0 for some virtual displacements v at the start, by more than rounding. Of large systems it is not asked.
fn has_negative_kinetic_energy(problem: &Problem<'_>, start: &Start) -> bool {
    /// Coordinates up to which M is decomposed: less than a millisecond.
    const LARGEST: usize = 60;
    /// Eigenvalues of M, in units of its diagonal, that count as 0.
    const NOTHING: f64 = 1e-10;
    let n = problem.dynamics.coordinates();
    if n > LARGEST {
        return false;
    }
    let at = Instant::at(problem.dynamics, (start.t, &start.x, &start.v));
    if at.mass.clone().cholesky().is_some() {
        return false;
    }
    let unit = |k: usize| match at.mass[(k, k)].abs().sqrt() {
        size if size > 0.0 => size.recip(),
        _ => 1.0,
    };
    let units = DVector::from_fn(n, |k, _| unit(k));
    let (j, a) = (&at.constraint.jacobian, &at.velocity.rows);
    let mut rows = DMatrix::zeros(j.nrows() + a.nrows(), n);
    for (b, own) in j.row_iter().chain(a.row_iter()).enumerate() {
        let mut row = rows.row_mut(b);
        row.copy_from(&own.component_mul(&units.transpose()));
        let _ = row.try_normalize_mut(0.0);
    }
    let Some(virtual_displacements) = null_vectors(&rows, NOTHING) else {
        return false;
    };
    let mass = DMatrix::from_fn(n, n, |i, k| units[i] * at.mass[(i, k)] * units[k]);
    let reduced = virtual_displacements.tr_mul(&mass) * &virtual_displacements;
    reduced.iter().all(|entry| entry.is_finite())
        && reduced
            .symmetric_eigenvalues()
            .iter()
            .any(|value| *value < -NOTHING)
}

/// What is in force from a time on where these rows are known to imply the others, numbered as all are.
fn of_rows(
    problem: &Problem<'_>,
    (from, released): (f64, Vec<usize>),
    rows: Vec<usize>,
) -> InForce {
    let m = problem.dynamics.constraints();
    let (rows, velocity): (Vec<usize>, Vec<usize>) = rows.into_iter().partition(|row| *row < m);
    InForce {
        from,
        rows,
        velocity: velocity.into_iter().map(|row| row - m).collect(),
        released,
    }
}

/// Those of some constraints, by their numbers there, that the motion uses: all, or as many as are independent, with a
/// flag. Where they are dependent at the start alone the motion has no more than that.
fn independent(
    set: InUse<'_>,
    (start, here, own): (&Start, &ConstraintValue, &[usize]),
    motion: &mut Motion,
) -> Result<Vec<usize>, SolverError> {
    let t = start.t;
    let constraints = set.count();
    if !set.problem.dynamics.may_lose_rank() {
        return Ok((0..constraints).collect());
    }
    let structure = rank::structure(set, (t, &start.x), &start.correction)?;
    // once a motion
    let is_first = motion.legs.is_empty();
    if is_first && structure != Structure::Regular {
        motion.flags.push(Flag::rank(t, own, &start.x));
    }
    match structure {
        Structure::Regular => Ok((0..constraints).collect()),
        Structure::Redundant { rows, others } => {
            if is_first {
                motion.redundant.extend(others);
            }
            Ok(rows)
        }
        Structure::Singular { rank, around } => {
            motion.samples.push(bare(set.problem, start, here));
            Err(if set.velocity.is_empty() {
                SolverError::SingularConfiguration {
                    t,
                    rank,
                    around,
                    constraints,
                }
            } else {
                SolverError::DependentStart {
                    t,
                    rank,
                    constraints,
                }
            })
        }
    }
}

/// What is in force on the leg of a motion that begins at a start.
fn in_force(
    problem: &Problem<'_>,
    (start, released): (&Start, Vec<usize>),
    own: &[usize],
    motion: &mut Motion,
) -> Result<InForce, SolverError> {
    let here = ConstraintValue::at(problem.dynamics, start.t, &start.x);
    let all = 0..problem.dynamics.constraints();
    let all: Vec<usize> = all.filter(|b| !released.contains(b)).collect();
    let set = InUse::positions(problem, &all);
    let rows = independent(set, (start, &here, own), motion)?;
    let mut leg = InForce {
        from: start.t,
        rows: rows.iter().map(|b| all[*b]).collect(),
        velocity: (0..problem.dynamics.velocity_constraints()).collect(),
        released,
    };
    if !leg.velocity.is_empty() {
        let both = independent(leg.set(problem), (start, &here, own), motion)?;
        // those on positions are independent
        let others = both.iter().filter_map(|b| b.checked_sub(leg.rows.len()));
        leg.velocity = others.collect();
    }
    Ok(leg)
}

/// The motion on a leg, up to its end or a release.
fn travel(
    problem: &Problem<'_>,
    (start, leg, chosen): (&Start, &InForce, Option<(f64, f64)>),
    (options, outside): (&Options, &mut Outside<'_>),
    (own, (method, tolerance)): (&[usize], (Method, Tolerance)),
    (grid, motion): (&mut Grid, &mut Motion),
) -> Result<Option<Departure>, SolverError> {
    let m = problem.dynamics.constraints();
    let (set, rows) = (leg.set(problem), &leg.rows);
    motion.legs.push(leg.clone());
    let here = ConstraintValue::at(problem.dynamics, start.t, &start.x);
    let first = if rows.len() == m && own.len() == m {
        own.to_vec()
    } else {
        chart::best_choice(&here.jacobian.select_rows(rows)).unwrap_or_default()
    };
    if first.len() != rows.len() {
        return Err(SolverError::RankLost {
            of: Dependent::Gradients,
            t: start.t,
            ratio: 0.0,
            halt: Halt::NotDecided,
        });
    }
    let rhs = RightHandSide::new(set, (method, tolerance), &first);
    let leg = (set, own, leg.released.as_slice());
    let mut integration = Integration::new(leg, rhs, (tolerance, options));
    integration.chosen = chosen;
    let outcome = match integration.pull_at(start) {
        // a motion that ends as it begins is its start
        Some(release) if release.ends => integration.begin(start, motion).map(|()| Some(release)),
        Some(release) => Ok(Some(release)),
        None => integration.begin(start, motion).and_then(|()| {
            if options.until == start.t {
                Ok(None)
            } else {
                let end = integration.travel(start, (options, outside), grid, motion);
                if let Err(because) = &end
                    && !because.is_within_a_step()
                {
                    integration.end_here(because, motion);
                }
                integration.settle_accounts(motion);
                end
            }
        }),
    };
    motion.evaluations += integration.evaluations();
    outcome
}

/// The start alone, where nothing more can be said of it.
fn bare(problem: &Problem<'_>, start: &Start, here: &ConstraintValue) -> Sample {
    let (n, m) = problem.shape();
    let at = Instant::at(problem.dynamics, (start.t, &start.x, &start.v));
    let m = m + problem.dynamics.velocity_constraints();
    Sample {
        t: start.t,
        x: start.x.clone(),
        v: start.v.clone(),
        a: vec![f64::NAN; n],
        lambda: vec![f64::NAN; m],
        reaction: vec![f64::NAN; n],
        determinant: 0.0,
        energy: at.energy,
        residual: here.largest(),
    }
}
