//! The start of a file, with single values replaced.

use super::{Model, Overrides, RequestError};
use crate::solver::{self, Given, Missing, Placed, Problem, SolverError};
use crate::system::{Diagnostic, Unvalued};

impl Model {
    /// What the file gives of the start, with single values replaced.
    pub fn given(&self, overrides: &Overrides) -> Given {
        let start = &self.system.start;
        let mut given = Given {
            t: overrides.t.unwrap_or(start.t),
            x: start.x.clone(),
            v: start.v.clone(),
            guess_x: self.system.guess.x.clone(),
            guess_v: self.system.guess.v.clone(),
        };
        for &(k, value) in &overrides.x {
            given.x[k] = Some(value);
        }
        for &(k, value) in &overrides.v {
            given.v[k] = Some(value);
        }
        given
    }

    /// Have all values of the start that are not replaced a finite number?
    ///
    /// # Errors
    /// Those that have none.
    pub fn unvalued(&self, overrides: &Overrides) -> Result<(), SolverError> {
        let given = |list: &[(usize, f64)], k: usize| list.iter().any(|(own, _)| *own == k);
        let stands = |of: Unvalued| match of {
            Unvalued::Time => overrides.t.is_none(),
            Unvalued::Coordinate(k) => !given(&overrides.x, k),
            Unvalued::Velocity(k) => !given(&overrides.v, k),
        };
        let faults = self.system.start.faults.iter();
        let faults = faults.filter(|(of, _)| stands(*of));
        let faults: Vec<Diagnostic> = faults.map(|(_, fault)| fault.clone()).collect();
        if faults.is_empty() {
            return Ok(());
        }
        Err(SolverError::Unvalued { faults })
    }

    /// A time and a place to look about, and why they are not the start where it cannot be made: then they are what is
    /// given of it, and where its search would begin.
    pub fn around(&self, overrides: &Overrides) -> ((f64, Vec<f64>), Option<RequestError>) {
        match self.site(overrides) {
            Ok(site) => ((site.t, site.x), None),
            Err(why) => {
                let given = self.given(overrides);
                let places = given.x.iter().zip(&given.guess_x);
                let x = places.map(|(x, guess)| x.unwrap_or(*guess));
                ((given.t, x.collect()), Some(why))
            }
        }
    }

    /// The consistent start.
    pub fn start(&self, overrides: &Overrides) -> Result<solver::Start, SolverError> {
        self.unvalued(overrides)?;
        let start = solver::consistent_start(&self.unwatched(), &self.given(overrides));
        let mut start = start.map_err(|error| {
            let error = self.located(self.off_contact(error), overrides);
            let error = self.contradicted(error, overrides);
            self.blamed_at_start(error, overrides)
        })?;
        let place = (start.t, start.x.as_slice());
        let rough = self.theorem.rough(&self.system, place, &start.correction);
        start.rough = rough.map(|rough| rough.constraint);
        Ok(start)
    }

    /// The same with the values of the file that miss a constraint: where they stand, and which stand beside replaced ones.
    fn located(&self, mut error: SolverError, overrides: &Overrides) -> SolverError {
        if let SolverError::Missed {
            by, kept, place, ..
        } = &mut error
        {
            if overrides.is_empty() {
                *place = self.system.start.place.clone().map(Box::new);
            } else if *by == Missing::Position {
                *kept = self.kept(overrides);
            }
        }
        error
    }

    /// The coordinates that stand as the file has them where others were replaced.
    pub(super) fn kept(&self, overrides: &Overrides) -> Vec<Placed> {
        let is_given = |k: usize| overrides.x.iter().any(|(own, _)| *own == k);
        let own = self.system.start.x.iter().enumerate();
        let own = own.filter(|(k, _)| !overrides.x.is_empty() && !is_given(*k));
        own.filter_map(|(k, value)| {
            Some(Placed {
                name: self.coordinate_names()[k].clone(),
                value: (*value)?,
            })
        })
        .collect()
    }

    /// The same with what is proven of constraints that nothing near by meets.
    fn contradicted(&self, mut error: SolverError, overrides: &Overrides) -> SolverError {
        let had_none = matches!(error, SolverError::NoStart { .. });
        let found = match &mut error {
            SolverError::NoStart { contradiction, .. } => contradiction,
            SolverError::Missed {
                by: Missing::Position,
                nearest,
                contradiction,
                ..
            } if nearest.is_empty() => contradiction,
            _ => return error,
        };
        let list = self.contradiction(overrides.t.unwrap_or(self.system.start.t));
        *found = self.constraints_named(&list);
        if let SolverError::NoStart {
            constraint,
            contradiction,
            place,
            ..
        }
        | SolverError::Missed {
            constraint,
            contradiction,
            place,
            ..
        } = &mut error
            && (had_none || !contradiction.is_empty())
        {
            let told = contradiction.first().unwrap_or(constraint);
            let mut all = self.system.constraints.iter();
            *place = all.find(|c| c.name == *told).and_then(|c| c.place.clone());
        }
        error
    }

    /// Values on the free side of a one-sided constraint miss no more than its contact.
    fn off_contact(&self, mut error: SolverError) -> SolverError {
        let sided = |name: &str| {
            let mut names = self.constraint_names().iter();
            let own = names.position(|own| own == name);
            own.is_some_and(|b| self.system.is_one_sided(b))
        };
        if let SolverError::Missed {
            by: by @ Missing::Position,
            constraint,
            residual,
            ..
        } = &mut error
            && *residual > 0.0
            && sided(constraint)
        {
            *by = Missing::Contact;
        }
        error
    }

    /// The account of a start made of these values: what was moved, solved for, and found beside it.
    pub fn assembly(&self, overrides: &Overrides, start: &solver::Start) -> solver::Assembly {
        solver::assembly(
            &self.unwatched(),
            &self.given(overrides),
            start,
            self.angles(),
        )
    }

    /// The problem of a start, which watches no determinant.
    pub(super) fn unwatched(&self) -> Problem<'_> {
        Problem {
            dependent: None,
            ..self.problem(self.base(), &[])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::System;

    #[test]
    fn off_a_one_sided_constraint_is_no_contact_and_beyond_it_is_missed() {
        for (y, wanted) in [(1, Missing::Contact), (-1, Missing::Position)] {
            let text = format!(
                "coordinates: [x, y]\nkinetic: (x'^2 + y'^2)/2\npotential: y\n\
                 constraints: {{floor: {{f: y - x^2, side: '>='}}}}\nstart: {{x: 0, y: {y}}}\n"
            );
            let model = Model::new(System::parse(&text, "test.yaml", &[]).unwrap());
            let error = model.start(&Overrides::default()).unwrap_err();
            assert!(
                matches!(error, SolverError::Missed { by, .. } if by == wanted),
                "{error}"
            );
        }
    }
}
