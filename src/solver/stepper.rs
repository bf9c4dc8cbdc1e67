//! The steppers behind one face: an explicit one of order 8 ([`Dop853`]) and an implicit one for stiff
//! motions ([`Radau`]); and a [`Passage`] of a singular configuration, which is looked at as a step is.

use super::dop853::Dop853;
use super::dynamics::Beginning;
use super::passage::Passage;
use super::polynomial::quintic;
use super::radau::Radau;
use super::step::{Attempt, Knot, Work};

/// The sign of a multiplier is known so many times nearer to a singular configuration than accelerations are.
const NARROWER: f64 = 16.0;

/// The stepper in use.
pub(super) enum Stepper {
    Explicit(Box<Dop853>),
    Implicit(Box<Radau>),
    /// A step that was taken by a passage; there is no next one.
    Across(Box<Passage>),
}

/// Passes a call on to the stepper in use.
macro_rules! either {
    ($self:expr, $stepper:ident => $call:expr) => {
        match $self {
            Stepper::Explicit($stepper) => $call,
            Stepper::Implicit($stepper) => $call,
            Stepper::Across($stepper) => $call,
        }
    };
    // across there is nothing to be done
    ($self:expr, $stepper:ident => $call:expr, else $nothing:expr) => {
        match $self {
            Stepper::Explicit($stepper) => $call,
            Stepper::Implicit($stepper) => $call,
            Stepper::Across(_) => $nothing,
        }
    };
}

impl Stepper {
    /// Tries a step towards `end` with the step size that is set.
    pub(super) fn attempt<E>(
        &mut self,
        end: f64,
        f: &mut impl FnMut(f64, &[f64], &mut [f64]) -> Result<(), E>,
    ) -> Attempt<E> {
        either!(self, stepper => stepper.attempt(end, f), else Attempt::Rejected)
    }

    /// The same with all stages at once, if there is code for that.
    pub(super) fn attempt_at_once<E>(
        &mut self,
        end: f64,
        stages: impl FnOnce(Beginning<'_>) -> Option<()>,
    ) -> Option<Attempt<E>> {
        match self {
            Self::Explicit(dop853) => dop853.attempt_at_once(end, stages),
            Self::Implicit(_) | Self::Across(_) => None,
        }
    }

    /// Takes the proposed step: `f` may move its end, and gives the derivative there.
    pub(super) fn accept<E>(
        &mut self,
        f: &mut impl FnMut(f64, &mut [f64], &mut [f64]) -> Result<(), E>,
    ) -> Result<(), E> {
        either!(self, stepper => stepper.accept(f), else Ok(()))
    }

    /// Takes back the step in memory: half of it is tried next.
    pub(super) fn refuse(&mut self) {
        match self {
            Self::Explicit(dop853) => dop853.step.refuse(),
            Self::Implicit(radau) => radau.refuse(),
            Self::Across(_) => {}
        }
    }

    /// Takes back the step in memory: the same one is tried again, with another right-hand side.
    pub(super) fn again(&mut self) {
        match self {
            Self::Explicit(dop853) => dop853.step.again(),
            Self::Implicit(radau) => radau.again(),
            Self::Across(_) => {}
        }
    }

    /// The next step is no longer than this.
    pub(super) fn limit(&mut self, h: f64) {
        either!(self, stepper => stepper.step.limit(h), else {});
    }

    /// Begins again at (t, y), with the first step given, towards `end`.
    pub(super) fn restart<E>(
        &mut self,
        start: (f64, &[f64]),
        (end, first): (f64, f64),
        f: &mut impl FnMut(f64, &[f64], &mut [f64]) -> Result<(), E>,
    ) -> Result<(), E> {
        match self {
            Self::Explicit(dop853) => {
                dop853.begin(start, end, f)?;
                dop853.step.limit(first);
                Ok(())
            }
            Self::Implicit(radau) => radau.begin(start, (end, Some(first)), f),
            Self::Across(_) => Ok(()),
        }
    }

    /// The right-hand side is another one from here on; it depends on these coordinates.
    pub(super) fn depends_on(&mut self, own: &[usize]) {
        if let Self::Implicit(radau) = self {
            radau.depends_on(Some(own));
        }
    }

    /// Prepares the dense output of the accepted step.
    pub(super) fn prepare<E>(
        &mut self,
        f: &mut impl FnMut(f64, &[f64], &mut [f64]) -> Result<(), E>,
    ) -> Result<(), E> {
        match self {
            Self::Explicit(dop853) => dop853.prepare(f),
            Self::Implicit(_) | Self::Across(_) => Ok(()),
        }
    }

    /// y at the part `part` (0 to 1) of the step, or as many components of it as `out` takes, by the dense output that was
    /// prepared.
    pub(super) fn interpolate(&self, part: f64, out: &mut [f64]) {
        either!(self, stepper => stepper.interpolate(part, out));
    }

    /// The same, these components at least.
    pub(super) fn interpolate_some(&self, part: f64, components: &[usize], out: &mut [f64]) {
        match self {
            Self::Explicit(dop853) => dop853.interpolate_some(part, components, out),
            _ => self.interpolate(part, out),
        }
    }

    /// The same before it is prepared; without a polynomial at hand positions alone, by the quintic through x, x', x''
    /// at both ends.
    pub(super) fn glance(&self, part: f64, out: &mut [f64]) {
        match self {
            Self::Explicit(dop853) => {
                let (from, to) = (dop853.start(), dop853.end());
                let (n, h) = (out.len() / 2, dop853.step.taken);
                for (k, x) in out.iter_mut().enumerate().take(n) {
                    let knot =
                        |own: &Knot<'_>| [own.y[k], h * own.y[n + k], h * h * own.slope[n + k]];
                    [*x, ..] = quintic(part, knot(&from), knot(&to));
                }
            }
            Self::Implicit(radau) => radau.interpolate(part, out),
            Self::Across(passage) => passage.interpolate(part, out),
        }
    }

    /// The parts of the step next to singular configurations, in which the signs of multipliers are rounding.
    pub(super) fn cores(&self) -> Vec<[f64; 2]> {
        match self {
            Self::Explicit(_) | Self::Implicit(_) => Vec::new(),
            Self::Across(passage) => passage.cores(NARROWER).collect(),
        }
    }

    /// Whether the evaluations of the step in memory are those of [`super::dop853`].
    pub(super) fn is_explicit(&self) -> bool {
        matches!(self, Self::Explicit(_))
    }

    /// (t, y, y') at the start of the step in memory.
    pub(super) fn start(&self) -> Knot<'_> {
        either!(self, stepper => stepper.start())
    }

    /// (t, y, y') at the end of the step in memory; y' once it is accepted.
    pub(super) fn end(&self) -> Knot<'_> {
        either!(self, stepper => stepper.end())
    }

    /// The time at a part of the step in memory.
    pub(super) fn time(&self, part: f64) -> f64 {
        either!(self, stepper => stepper.step.time(part))
    }

    /// h of the step in memory.
    pub(super) fn taken(&self) -> f64 {
        either!(self, stepper => stepper.step.taken)
    }

    /// h that is tried next.
    pub(super) fn next(&self) -> f64 {
        either!(self, stepper => stepper.step.next)
    }

    /// Whether stability and not accuracy sets the steps; asked once of each that was taken. `a` gives the accelerations of a
    /// state next to the constraints.
    pub(super) fn is_stiff<E>(
        &mut self,
        a: &mut impl FnMut(f64, &[f64], &mut [f64]) -> Result<(), E>,
    ) -> bool {
        match self {
            Self::Explicit(dop853) => dop853.is_stiff(a),
            Self::Implicit(_) | Self::Across(_) => false,
        }
    }

    /// Nothing done yet.
    pub(super) fn work(&self) -> Work {
        let (stepper, order) = match self {
            Self::Explicit(_) => ("dop853", 8),
            Self::Implicit(radau) => ("radau", radau.order()),
            Self::Across(_) => ("passage", 16),
        };
        Work {
            stepper,
            order,
            ..Work::default()
        }
    }

    /// Jacobians taken and matrices factored so far.
    pub(super) fn counts(&self) -> (usize, usize) {
        match self {
            Self::Explicit(_) | Self::Across(_) => (0, 0),
            Self::Implicit(radau) => radau.counts(),
        }
    }
}
