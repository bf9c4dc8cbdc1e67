//! What is asked for: names, values in the place of those of a file, and what is wrong with them.

use crate::expr::ParseError;
use crate::solver::SolverError;
use crate::system::System;
use thiserror::Error;

/// A request that a system cannot meet.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum RequestError {
    /// A name that is no coordinate.
    NoCoordinate {
        /// The name.
        name: String,
        /// Those that there are.
        known: Vec<String>,
    },
    /// A name that is no coordinate and no parameter.
    NoVariable {
        /// The name.
        name: String,
        /// Those that there are.
        known: Vec<String>,
    },
    /// Not as many dependent coordinates as constraints.
    WrongCount {
        /// How many were named.
        given: usize,
        /// How many there must be.
        wanted: usize,
    },
    /// A coordinate named twice.
    Twice {
        /// The coordinate.
        name: String,
    },
    /// A column that is neither a column of the motion nor an expression.
    Column {
        /// As asked for.
        text: String,
        /// What is wrong with it.
        why: ColumnFault,
    },
    /// What was to end the motion does not happen on it.
    Never {
        /// That.
        condition: String,
    },
    /// The start or the motion.
    Solver(#[from] SolverError),
}

/// Why a column, or a reduction of one, cannot be used.
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnFault {
    /// It is no expression of the columns.
    Expression(ParseError),
    /// It is no reduction.
    NoReduction,
    /// An equation is wanted in it.
    NoEquation,
    /// A time is wanted in it.
    NoTime,
    /// What stands there for a time has no value.
    Untimely(String),
    /// The time is not on the motion, which goes from one to the other.
    Beyond([f64; 2]),
}

/// Values that replace those of a file's start.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overrides {
    /// The time.
    pub t: Option<f64>,
    /// Coordinates by index.
    pub x: Vec<(usize, f64)>,
    /// Velocities by index.
    pub v: Vec<(usize, f64)>,
}

impl Overrides {
    /// Reads `name = value` pairs: `t`, coordinates, velocities with a prime.
    pub fn new(system: &System, pairs: &[(String, f64)]) -> Result<Self, RequestError> {
        let mut overrides = Self::default();
        for (name, value) in pairs {
            if name == "t" {
                overrides.t = Some(*value);
            } else if let Some(bare) = name.strip_suffix('\'') {
                overrides.v.push((coordinate(system, bare)?, *value));
            } else {
                overrides.x.push((coordinate(system, name)?, *value));
            }
        }
        Ok(overrides)
    }

    /// Is nothing replaced?
    pub fn is_empty(&self) -> bool {
        self.t.is_none() && self.x.is_empty() && self.v.is_empty()
    }
}

/// The index of a coordinate by name.
pub fn coordinate(system: &System, name: &str) -> Result<usize, RequestError> {
    system.coordinate(name).ok_or_else(|| {
        let names = system.coordinates.iter().map(|c| c.name.clone());
        RequestError::NoCoordinate {
            name: name.to_owned(),
            known: names.collect(),
        }
    })
}

/// What is said of a name that is no coordinate and no parameter.
pub fn no_variable(system: &System, name: &str) -> RequestError {
    let coordinates = system.coordinates.iter().map(|c| c.name.clone());
    let names = coordinates.chain(system.parameters.iter().map(|p| p.name.clone()));
    RequestError::NoVariable {
        name: name.to_owned(),
        known: names.collect(),
    }
}

/// The indices of dependent coordinates by name, as many as constraints and distinct.
pub fn dependent_indices(system: &System, names: &[String]) -> Result<Vec<usize>, RequestError> {
    let mut list = Vec::new();
    for name in names {
        let k = coordinate(system, name)?;
        if list.contains(&k) {
            return Err(RequestError::Twice { name: name.clone() });
        }
        list.push(k);
    }
    if list.len() != system.constraints.len() {
        return Err(RequestError::WrongCount {
            given: list.len(),
            wanted: system.constraints.len(),
        });
    }
    Ok(list)
}
