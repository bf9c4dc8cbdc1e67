//! What is asked for: names, values in the place of those of a file, and what is wrong with them.

use crate::solver::SolverError;
use crate::system::System;
use thiserror::Error;

/// A request that a system cannot meet.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum RequestError {
    /// A name that is no coordinate.
    #[error("`{name}` is no coordinate of this system; {help}")]
    NoCoordinate {
        /// The name.
        name: String,
        /// The nearest coordinate, or all.
        help: String,
    },
    /// A name that is no coordinate and no parameter.
    #[error("`{name}` is no coordinate and no parameter of this system; {help}")]
    NoVariable {
        /// The name.
        name: String,
        /// The nearest of both, or all.
        help: String,
    },
    /// Not as many dependent coordinates as constraints.
    #[error("{given} named as dependent, where there must be as many as constraints: {wanted}")]
    WrongCount {
        /// How many were named.
        given: usize,
        /// How many there must be.
        wanted: usize,
    },
    /// A coordinate named twice.
    #[error("`{name}` is named twice among the dependent coordinates")]
    Twice {
        /// The coordinate.
        name: String,
    },
    /// A column that is neither a column of the motion nor an expression.
    #[error("column `{text}`: {why}")]
    Column {
        /// As asked for.
        text: String,
        /// What is wrong with it.
        why: String,
    },
    /// The start or the motion.
    #[error("{}", .0.at_length())]
    Solver(#[from] SolverError),
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
        let names = system.coordinates.iter().map(|c| c.name.as_str());
        RequestError::NoCoordinate {
            name: crate::system::sanitize(name),
            help: crate::system::nearest_or_all(name, names),
        }
    })
}

/// What is said of a name that is no coordinate and no parameter.
pub fn no_variable(system: &System, name: &str) -> RequestError {
    let coordinates = system.coordinates.iter().map(|c| c.name.as_str());
    let names = coordinates.chain(system.parameters.iter().map(|p| p.name.as_str()));
    RequestError::NoVariable {
        name: crate::system::sanitize(name),
        help: crate::system::nearest_or_all(name, names),
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
