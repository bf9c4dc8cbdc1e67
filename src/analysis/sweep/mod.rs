//! Many runs of one system: which, and what is kept of each.

mod plan;
mod reduction;
mod sobol;

pub use plan::{
    Axis, Design, Drawn, Plan, PlanError, Range, RangeFault, RangedAxis, Shard, table as read_table,
};
pub use reduction::{ColumnReduction, Unreduced};

use super::{ColumnFault, Model, Overrides, Request, RequestError};
use crate::solver::{Motion, SolverError};
use crate::system::{Changes, Diagnostic, System};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A system, and what is asked of every run of it.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// The text of its file.
    pub text: String,
    /// The name of that.
    pub file: String,
    /// Parameters that have one value in all runs, and those made coordinates.
    pub changes: Changes,
    /// Which runs.
    pub plan: Plan,
    /// How each is computed; start values that are the same in all.
    pub request: Request,
    /// What ends each, before the time of the request: `x=0`, or `x<0` where that begins.
    pub event: Option<String>,
    /// What is kept of each.
    pub report: Vec<String>,
    /// Models that wait for their next run.
    pub waiting: Waiting,
}

/// Models of a sweep that are used for one run after the other, with other values of their parameters: one a thread, none
/// where runs share no model.
#[derive(Clone, Debug, Default)]
pub struct Waiting(Arc<Mutex<Vec<Option<Common>>>>);

/// A model, and what is kept of its motions.
type Common = (Model, Vec<ColumnReduction>);

impl Waiting {
    fn all(&self) -> MutexGuard<'_, Vec<Option<Common>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What came of one run.
#[derive(Clone, Debug)]
pub struct SweepRow {
    /// The values of the axes.
    pub place: Vec<f64>,
    /// How it ended.
    pub outcome: Outcome,
    /// Whether the theorem holds all the way; nothing where there is no way or no constraint.
    pub holds: Option<bool>,
    /// The times at which the theorem fails on the way, in the order of the motion.
    pub failures: Vec<f64>,
    /// What is kept, a number a reduction; NaN where there is none.
    pub values: Vec<f64>,
}

/// How a run ended.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// It came to its end.
    Done,
    /// It did not.
    Unfinished(SolverError),
    /// With these values the file describes no system.
    File(Vec<Diagnostic>),
    /// It has no start, or cannot be run as asked.
    Refused(RequestError),
}

impl Outcome {
    /// The exit code that `simulate` has for such a run.
    pub fn code(&self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Unfinished(_) => 3,
            Self::File(_) | Self::Refused(_) => 2,
        }
    }

    /// Was it called off?
    pub fn is_cancelled(&self) -> bool {
        matches!(self, Self::Unfinished(SolverError::Cancelled { .. }))
    }
}

impl Sweep {
    /// The model of a run.
    ///
    /// # Errors
    ///
    /// The file with these values describes no system.
    pub fn model(&self, place: &[f64]) -> Result<Model, Vec<Diagnostic>> {
        let mut changes = self.changes.clone();
        for (axis, value) in self.plan.axes().iter().zip(place) {
            if axis.is_parameter {
                changes.set.retain(|(name, _)| *name != axis.name);
                changes.set.push((axis.name.clone(), format!("{value:?}")));
            }
        }
        System::changed(&self.text, &self.file, &changes)
            .and_then(System::with_start)
            .map(Model::new)
    }

    /// Does one run of the plan.
    pub fn run(&self, number: u64, cancel: &AtomicBool) -> SweepRow {
        let place = self.plan.place(number);
        let mut row = SweepRow {
            outcome: Outcome::Done,
            holds: None,
            failures: Vec::new(),
            values: vec![f64::NAN; self.report.len()],
            place,
        };
        let waiting = self.waiting.all().pop();
        let mut common = waiting.unwrap_or_else(|| self.common());
        row.outcome = match self.ready(&mut common, &row.place) {
            Some(common) => self.outcome(common, &mut row, cancel),
            None => match self.model(&row.place) {
                Ok(model) => self
                    .reductions(&model)
                    .and_then(|list| self.outcome(&(model, list), &mut row, cancel)),
                Err(errors) => Ok(Outcome::File(errors)),
            },
        }
        .unwrap_or_else(Outcome::Refused);
        self.waiting.all().push(common);
        row
    }

    /// The common model with the values of this run, where that is possible.
    fn ready<'a>(&self, common: &'a mut Option<Common>, place: &[f64]) -> Option<&'a Common> {
        let common = common.as_mut()?;
        let values = self.values(&common.0, place)?;
        common.0.set_parameters(&values).then_some(&*common)
    }

    /// The model that all runs share but for the values of parameters: that of the first one, whatever part of the plan is
    /// computed here.
    fn common(&self) -> Option<Common> {
        let place = self.plan.place(0);
        let model = self.model(&place).ok()?;
        let values = self.values(&model, &place)?;
        let parameters: Vec<usize> = values.iter().map(|(parameter, _)| *parameter).collect();
        let model = model.changing(&parameters);
        let reductions = self.reductions(&model).ok()?;
        Some((model, reductions))
    }

    /// The parameters that are axes, and their values; none where one is a coordinate.
    fn values(&self, model: &Model, place: &[f64]) -> Option<Vec<(usize, f64)>> {
        let parameters = &model.system.parameters;
        let axes = self.plan.axes().iter().zip(place);
        axes.filter(|(axis, _)| axis.is_parameter)
            .map(|(axis, value)| {
                let index = parameters.iter().position(|p| p.name == axis.name)?;
                Some((index, *value))
            })
            .collect()
    }

    /// Runs it and keeps what is asked for.
    fn outcome(
        &self,
        (model, reductions): &Common,
        row: &mut SweepRow,
        cancel: &AtomicBool,
    ) -> Result<Outcome, RequestError> {
        let mut request = self.request.clone();
        let own = self.start_values(&row.place);
        let own = Overrides::new(&model.system, &own)?;
        request.overrides.t = own.t.or(request.overrides.t);
        request.overrides.x.extend(own.x);
        request.overrides.v.extend(own.v);
        if let Some(event) = &self.event {
            request = model.ended_by(request, event, cancel)?;
        }
        let (from, until) = model.span(&request);
        for (reduction, text) in reductions.iter().zip(&self.report) {
            let moment = reduction.moments(model).flatten().unwrap_or(from);
            let within = (moment - from) * (moment - until) <= 0.0;
            // what an event cuts off is missing
            if !within && self.event.is_none() {
                return Err(RequestError::Column {
                    text: text.clone(),
                    why: ColumnFault::Beyond([from, until]),
                });
            }
        }
        // no more samples than are made use of
        let few = reductions
            .iter()
            .all(|reduction| reduction.moments(model).is_some());
        let all = request.clone();
        if few {
            request.samples = Some(1);
            request.brief = true;
            request.times = times(model, &request, reductions);
        }
        let mut motion: Motion = if few {
            model.simulate(&request, cancel)?
        } else {
            model.simulate_closely(&request, cancel)?
        };
        // where it did not come to its end, that is known from samples
        if few && !reductions.is_empty() && motion.because.is_some() {
            motion = model.simulate_closely(&all, cancel)?;
        }
        row.holds = model.holds_along(&motion);
        row.failures.extend(motion.flags.iter().map(|flag| flag.t));
        let values = reductions.iter();
        row.values = values
            .map(|reduction| reduction.of(model, &motion, &request))
            .collect();
        Ok(motion.because.map_or(Outcome::Done, Outcome::Unfinished))
    }

    fn start_values(&self, place: &[f64]) -> Vec<(String, f64)> {
        let axes = self.plan.axes().iter().zip(place);
        axes.filter(|(axis, _)| !axis.is_parameter)
            .map(|(axis, value)| (axis.name.clone(), *value))
            .collect()
    }

    /// What is kept, in terms of a model.
    ///
    /// # Errors
    ///
    /// One of the texts is no reduction of a column.
    pub fn reductions(&self, model: &Model) -> Result<Vec<ColumnReduction>, RequestError> {
        let texts = self.report.iter();
        texts
            .map(|text| ColumnReduction::read(model, text))
            .collect()
    }
}

/// The times at which columns are asked for, in the order of the motion.
fn times(model: &Model, request: &Request, list: &[ColumnReduction]) -> Vec<f64> {
    let (from, until) = model.span(request);
    let moments = list.iter().filter_map(|own| own.moments(model));
    let times = moments.flatten();
    let times = times.filter(|t| (t - from) * (t - until) < 0.0);
    model.in_order(request, times.collect())
}
