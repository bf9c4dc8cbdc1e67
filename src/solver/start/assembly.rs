//! The account of a start: what was moved, what was solved for, and other configurations.
//!
//! Where the coordinates left out are determined by those given (J, restricted to them, has full column
//! rank, or they are at a double root), the constraints may have other solutions: the assembly modes of a mechanism. They are looked for
//! from mirror images of the solution and from scattered points, the same in every run. What is found is
//! a solution; that there are no more is not claimed.

use std::f64::consts::TAU;

use super::{Given, Start, StartSearch};
use crate::geometry::{ATOL, Blurred, Constraints, largest, number, size_of, spread};
use crate::solver::dynamics::Problem;
use crate::solver::error::Placed;
use crate::sparse::is_large;

/// Products that the search for other configurations may cost, and the fewest and most steps taken for it.
const WORK: usize = 1_500_000;
const FEWEST: usize = 40;
const MOST: usize = 400;
/// Points that it begins from.
const POINTS: usize = 24;
/// Configurations that are named.
const NAMED: usize = 8;
/// An isolated solution stays one where entries change by this part of them; on a fold two solutions meet, and points beside it tell.
const ISOLATED: f64 = 1e-6;
/// Solutions that differ by less, relative to the size of the coordinates, are one.
const SAME: f64 = 1e-6;
/// A guess for each of more coordinates is given whole.
const SINGLE: usize = 4;
/// Significant digits of a guess, the first that will do.
const DIGITS: [i32; 3] = [1, 3, 16];
/// Turns after which an angle is looked at again.
const TURNS: [f64; 3] = [1.0, 2.0, 4.0];

/// A given value that was moved on to the constraints.
#[derive(Debug, Clone, PartialEq)]
pub struct Moved {
    /// The coordinate, with a prime for a velocity.
    pub name: String,
    /// As given.
    pub from: f64,
    /// As used.
    pub to: f64,
}

/// Another configuration with the given values.
#[derive(Debug, Clone, PartialEq)]
pub struct Configuration {
    /// The coordinates that were left out.
    pub values: Vec<Placed>,
    /// Guesses that lead there.
    pub guess: Vec<Placed>,
}

/// What was made of a start.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Assembly {
    /// Given values that were moved.
    pub moved: Vec<Moved>,
    /// Coordinates that were left out, as they were found.
    pub solved: Vec<Placed>,
    /// The size of the largest coordinate, 1 where all are 0.
    pub size: f64,
    /// Velocities that were left out, as they were found.
    pub solved_velocities: Vec<Placed>,
    /// Of the coordinates left out so many more could be given: the nearest to the guess were taken.
    pub free: usize,
    /// Of the velocities left out so many more could be given.
    pub free_velocities: usize,
    /// Other configurations that were found, the nearest first.
    pub others: Vec<Configuration>,
}

/// The account of a start that was made of what was given; `angles` are the coordinates in which the constraints
/// repeat, with their periods.
pub fn assembly(
    problem: &Problem<'_>,
    given: &Given,
    start: &Start,
    angles: &[(usize, f64)],
) -> Assembly {
    let n = problem.dynamics.coordinates();
    let lists = [&given.x, &given.v].map(Vec::len);
    if lists != [n, n] || [&start.x, &start.v].map(Vec::len) != [n, n] {
        return Assembly::default();
    }
    let speed = |k: usize| format!("{}'", problem.coordinate(k));
    let mut account = Assembly {
        size: size_of(&start.x),
        ..Assembly::default()
    };
    let mut moved = |given: Option<f64>, to: f64, name: String| {
        if let Some(from) = given.filter(|from| *from != to) {
            account.moved.push(Moved { name, from, to });
        }
    };
    for k in 0..n {
        moved(given.x[k], start.x[k], problem.coordinate(k));
    }
    for k in 0..n {
        moved(given.v[k], start.v[k], speed(k));
    }
    let left_out =
        |list: &[Option<f64>]| -> Vec<usize> { (0..n).filter(|&k| list[k].is_none()).collect() };
    let (unknown, slow) = (left_out(&given.x), left_out(&given.v));
    let place = |k: usize, value: f64| Placed {
        name: problem.coordinate(k),
        value,
    };
    account.solved = unknown.iter().map(|&k| place(k, start.x[k])).collect();
    let speeds = slow.iter().map(|&k| Placed {
        name: speed(k),
        value: start.v[k],
    });
    account.solved_velocities = speeds.collect();
    let mut search = StartSearch::new(problem, start.t);
    search.at(&start.x);
    let reach = spread(&start.x, &start.correction);
    let both = search.set().blurred((start.t, &start.x), &reach);
    let own: Vec<usize> = (0..search.m).collect();
    account.free = search.freedom(&start.x, &unknown, &both.select(&own).columns(&unknown));
    account.free_velocities = free(&both.columns(&slow));
    // where a given value was moved the others would not be those of the same values
    if account.free == 0 && !unknown.is_empty() && account.moved.is_empty() {
        account.others = search
            .others(given, &start.x, (&unknown, angles))
            .into_iter()
            .map(|(x, guess)| Configuration {
                values: unknown.iter().map(|&k| place(k, x[k])).collect(),
                guess: guess
                    .into_iter()
                    .map(|(k, value)| place(k, value))
                    .collect(),
            })
            .collect();
    }
    account
}

/// A configuration and the guesses that lead there.
type Found = (Vec<f64>, Vec<(usize, f64)>);

impl StartSearch<'_> {
    /// Are these coordinates determined at the value last looked at, that of x, and clearly so?
    fn is_isolated(&mut self, x: &[f64], unknown: &[usize]) -> bool {
        let value = self.value.jacobian.select_columns(unknown);
        let blur = value.abs() * ISOLATED;
        let rows = Blurred { value, blur };
        rows.rank() == unknown.len() || {
            let reach = spread(x, &self.judge(x, unknown));
            let both = self.set().blurred((self.t, x), &reach);
            let own: Vec<usize> = (0..self.m).collect();
            self.freedom(x, unknown, &both.select(&own).columns(unknown)) == 0
        }
    }

    /// Other solutions than x, only `unknown` different, the nearest first.
    fn others(
        &mut self,
        given: &Given,
        x: &[f64],
        (unknown, angles): (&[usize], &[(usize, f64)]),
    ) -> Vec<Found> {
        let steps = WORK / (10 * self.m * self.m * self.n).max(1);
        if steps < FEWEST || is_large(self.m, unknown.len()) {
            return Vec::new();
        }
        let first: Vec<f64> = (0..self.n)
            .map(|k| given.x[k].unwrap_or(given.guess_x[k]))
            .collect();
        let period = |k: &usize| angles.iter().find(|(angle, _)| angle == k);
        let turns = unknown.iter().map(|k| period(k).and_then(|p| turn(p.1)));
        let turns: Vec<Option<f64>> = turns.collect();
        let reach = size_of(x);
        let mut found: Vec<Vec<f64>> = vec![x.to_vec()];
        self.left = steps.min(MOST);
        for point in 0..POINTS {
            if self.left <= 1 {
                break;
            }
            let mut trial = x.to_vec();
            for (i, (&k, turn)) in unknown.iter().zip(&turns).enumerate() {
                trial[k] = if point == 0 {
                    -x[k]
                } else if point <= unknown.len() && unknown.len() <= SINGLE {
                    if i + 1 == point { -x[k] } else { x[k] }
                } else if let Some(turn) = turn {
                    x[k] + 0.5 * turn * number(i, point)
                } else {
                    x[k] + 2.0 * reach * number(i, point)
                };
            }
            if !self.descend(&mut trial, unknown) {
                continue;
            }
            for (&k, turn) in unknown.iter().zip(&turns) {
                if let Some(turn) = turn {
                    trial[k] -= turn * ((trial[k] - x[k]) / turn).round();
                }
            }
            self.dust(&first, &mut trial, unknown);
            self.at(&trial);
            let isolated = self.value.not_finite().is_none()
                && self.is_isolated(&trial, unknown)
                && trial.iter().all(|e| e.is_finite());
            if isolated
                && !found
                    .iter()
                    .any(|other| same(other, &trial, &turns, unknown))
            {
                found.push(trial);
            }
        }
        let mut list = found.split_off(1);
        let distance =
            |other: &[f64]| -> f64 { other.iter().zip(x).map(|(a, b)| (a - b).powi(2)).sum() };
        list.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
        list.into_iter()
            .take(NAMED)
            .filter_map(|other| {
                let guess = self.guess(&first, &other, (unknown, &turns))?;
                Some((other, guess))
            })
            .collect()
    }

    /// Guesses that lead from `first` to a configuration: of one coordinate where that does, of all that
    /// are unknown otherwise, in few digits.
    fn guess(
        &mut self,
        first: &[f64],
        x: &[f64],
        (unknown, turns): (&[usize], &[Option<f64>]),
    ) -> Option<Vec<(usize, f64)>> {
        let mut sets: Vec<Vec<usize>> = Vec::new();
        if unknown.len() <= SINGLE {
            sets.extend(unknown.iter().map(|&k| vec![k]));
        }
        if sets.len() != 1 {
            sets.push(unknown.to_vec());
        }
        for set in sets {
            for digits in DIGITS {
                let mut trial = first.to_vec();
                for &k in &set {
                    trial[k] = rounded(x[k], digits);
                }
                let guess = set.iter().map(|&k| (k, trial[k])).collect();
                self.left = MOST;
                // as the search for a start begins
                if let Some(there) = self.from(&trial, unknown)
                    && same(&there, x, turns, unknown)
                {
                    return Some(guess);
                }
            }
        }
        None
    }
}

/// How many coordinates the rows leave free as far as their gradients show it.
pub(super) fn free(rows: &Blurred) -> usize {
    let (count, coordinates) = rows.value.shape();
    if is_large(count, coordinates) {
        // taken for full: an elimination would cost too much here
        return coordinates.saturating_sub(count);
    }
    coordinates - rows.rank()
}

/// The whole turns after which what repeats with a period is where it was: a bar that is turned by half of one
/// may meet its constraints again, and stands otherwise.
fn turn(period: f64) -> Option<f64> {
    TURNS.into_iter().map(|turns| turns * TAU).find(|turn| {
        let times = turn / period;
        (times - times.round()).abs() <= 1e-9 * times
    })
}

/// Are two solutions one, up to turns?
fn same(a: &[f64], b: &[f64], turns: &[Option<f64>], unknown: &[usize]) -> bool {
    let size = largest(a);
    unknown.iter().zip(turns).all(|(&k, turn)| {
        let apart = a[k] - b[k];
        let apart = turn.map_or(apart, |turn| apart - turn * (apart / turn).round());
        apart.abs() <= (SAME * size).max(ATOL)
    })
}

/// A number in so many significant digits.
fn rounded(value: f64, digits: i32) -> f64 {
    if value == 0.0 || digits >= 16 {
        return value;
    }
    let text = format!("{value:.*e}", usize::try_from(digits - 1).unwrap_or(0));
    text.parse().unwrap_or(value)
}
