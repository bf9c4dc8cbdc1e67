//! What the steppers have in common: tolerances, what comes of a step, what was done, and the first step.

/// What a stepper did in a motion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Work {
    /// Its name: `dop853` or `radau`.
    pub stepper: &'static str,
    /// The order of its steps.
    pub order: usize,
    /// Steps taken.
    pub steps: usize,
    /// Steps tried and not taken.
    pub rejected: usize,
    /// Evaluations of the whole system at an instant.
    pub evaluations: usize,
    /// Jacobians of the right-hand side taken.
    pub jacobians: usize,
    /// Matrices factored for its linear systems, real and complex.
    pub factorisations: usize,
}

/// What came of an attempted step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Attempt<E> {
    /// `y_new` stands; it waits for [`super::stepper::Stepper::accept`].
    Proposed,
    /// The error was too large (or not a number); a smaller step is set.
    Rejected,
    /// The right-hand side could not be evaluated; half the step is set.
    Failed(E),
}

/// Tolerances: a component of size |y| may be wrong by atol + rtol |y| in a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Tolerance {
    pub rtol: f64,
    pub atol: f64,
}

impl Tolerance {
    /// What a component of this size may be wrong by.
    pub(super) fn of(self, size: f64) -> f64 {
        self.atol + self.rtol * size.abs()
    }
}

/// The first step towards `end` from (t, y) with derivative `slope` (Hairer's rule), by one more
/// evaluation; `exponent` is one over the order of the error estimate plus one.
pub(super) fn first_step<E>(
    (t, y, slope): (f64, &[f64], &[f64]),
    (end, tolerance): (f64, Tolerance),
    exponent: f64,
    (stage, there): (&mut [f64], &mut [f64]),
    f: &mut impl FnMut(f64, &[f64], &mut [f64]) -> Result<(), E>,
) -> f64 {
    let n = y.len();
    let span = end - t;
    let norm = |values: &mut dyn Iterator<Item = f64>| {
        (values.map(|e| e * e).sum::<f64>() / n.max(1) as f64).sqrt()
    };
    let scale: Vec<f64> = y.iter().map(|e| tolerance.of(*e)).collect();
    let size = norm(&mut y.iter().zip(&scale).map(|(e, s)| e / s));
    let steep = norm(&mut slope.iter().zip(&scale).map(|(e, s)| e / s));
    let mut first = if size < 1e-5 || steep < 1e-5 {
        1e-6
    } else {
        0.01 * size / steep
    };
    first = first.min(span.abs());
    for (i, s) in stage.iter_mut().enumerate() {
        *s = y[i] + first * span.signum() * slope[i];
    }
    let step = match f(t + first * span.signum(), stage, there) {
        Ok(()) => {
            let bend = norm(&mut (0..n).map(|i| (there[i] - slope[i]) / scale[i])) / first;
            let steepest = steep.max(bend);
            let second = if steepest <= 1e-15 {
                (first * 1e-3).max(1e-6)
            } else {
                (0.01 / steepest).powf(exponent)
            };
            second.min(100.0 * first)
        }
        Err(_) => first * 1e-2,
    };
    step.min(span.abs()).max(f64::MIN_POSITIVE) * span.signum()
}
