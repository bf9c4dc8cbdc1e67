//! What the steppers have in common: tolerances, what comes of a step, what was done, and the first step.

use serde::Serialize;

/// What a stepper did in a motion.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
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

/// A correction is judged by the tolerance, or by this part of its coordinate where that is
/// more: times what a stage may be off by, a few units in the last place.
const NOISE: f64 = 2e4 * f64::EPSILON;
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

    /// What a coordinate of this size may be corrected by before that counts.
    fn of_correction(self, size: f64) -> f64 {
        larger(self.of(size), NOISE * size.abs())
    }

    /// Are corrections of a position within this part of what it may be wrong by?
    pub(super) fn allows(self, part: f64, (corrections, x): (&[f64], &[f64])) -> bool {
        // without a way out between: several side by side
        let all = corrections.iter().zip(x);
        all.fold(true, |all, (dx, x)| {
            all & (dx.abs() <= part * self.of_correction(*x))
        })
    }

    /// The largest correction of a position, in parts of what it may be wrong by.
    pub(super) fn parts(self, (corrections, x): (&[f64], &[f64])) -> f64 {
        let all = corrections.iter().zip(x);
        all.fold(0.0, |most: f64, (dx, x)| {
            most.max(dx.abs() / self.of_correction(*x))
        })
    }

    /// Whether two positions are within so many times that of each other, in coordinates of these sizes.
    pub(super) fn are_near(self, (a, b): (&[f64], &[f64]), sizes: &[f64], times: f64) -> bool {
        let mut pairs = a.iter().zip(b).zip(sizes);
        pairs.all(|((a, b), size)| (a - b).abs() <= times * self.of(*size))
    }
}

/// A state or a rate that is no more of what it may be wrong by, the rate over the whole run, is none.
const NOTHING: f64 = 1e-5;
/// Where nothing is known, a trial step is this part of the run,
const TRIAL: f64 = 1e-6;
/// else this part of the time in which the state changes by its size.
const PART: f64 = 0.01;

/// An end of a step.
#[derive(Clone, Copy)]
pub(super) struct Knot<'a> {
    /// The time.
    pub(super) t: f64,
    /// y there.
    pub(super) y: &'a [f64],
    /// y' there; at the end of a step once it is accepted.
    pub(super) slope: &'a [f64],
}

impl<'a> Knot<'a> {
    pub(super) fn new(t: f64, y: &'a [f64], slope: &'a [f64]) -> Self {
        Self { t, y, slope }
    }
}

/// A step in memory: from when to when it goes, what came of it, and what is tried next.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Step {
    /// Where it starts,
    pub(super) t: f64,
    /// and ends.
    pub(super) t_new: f64,
    /// h of it.
    pub(super) taken: f64,
    /// h to be tried next.
    pub(super) next: f64,
    /// Whether it was taken.
    pub(super) accepted: bool,
    /// Whether one was refused since the last that was.
    pub(super) after_rejection: bool,
}

/// A run begins far from t = 0 where its t is so many times what is left of it.
const FAR: f64 = 1e4;

impl Step {
    /// Nothing was tried from t on; the last step says which way.
    pub(super) fn restart(&mut self, t: f64) {
        (self.t, self.t_new) = (t, t);
        (self.accepted, self.after_rejection) = (false, false);
    }

    /// The time at a part of it.
    pub(super) fn time(&self, part: f64) -> f64 {
        self.t + part * self.taken
    }

    /// The step to be tried towards `end`, which the last one ends at; whether it is that.
    pub(super) fn set_out(&mut self, end: f64) -> bool {
        if self.accepted {
            self.t = self.t_new;
            self.accepted = false;
        }
        let left = end - self.t;
        let last = self.next.abs() * (1.0 + 1e-6) >= left.abs();
        self.t_new = if last { end } else { self.t + self.next };
        self.taken = if last {
            left
        } else if self.t.abs() > FAR * left.abs() {
            // the next time is rounded by more than the errors of a step
            self.t_new - self.t
        } else {
            self.next
        };
        last
    }

    /// The step is taken.
    pub(super) fn accept(&mut self) {
        self.accepted = true;
        self.after_rejection = false;
    }

    /// It is not: that of this size is tried instead.
    pub(super) fn reject(&mut self, next: f64) {
        self.next = next;
        self.after_rejection = true;
    }

    /// It is taken back: half of it is tried next.
    pub(super) fn refuse(&mut self) {
        self.reject(0.5 * self.taken);
        self.accepted = false;
    }

    /// It is taken back: the same one is tried again, with another right-hand side.
    pub(super) fn again(&mut self) {
        self.next = self.taken;
        self.accepted = false;
    }

    /// The next step is no longer than this.
    pub(super) fn limit(&mut self, h: f64) {
        if self.next.abs() > h.abs() {
            self.next = h;
        }
    }
}

/// The first step towards `end` from (t, y) with derivative `slope`, by one more evaluation; `exponent` is one over the
/// order of the error estimate plus one. With T the time in which y changes by its size, and all in parts of what may be
/// wrong, it is T (1 / max(|y'| T, |y''| T^2))^exponent and no longer than T: much as Hairer has it where T is 1, and the
/// same in every unit of time.
pub(super) fn first_step<E>(
    Knot { t, y, slope }: Knot<'_>,
    (end, tolerance): (f64, Tolerance),
    exponent: f64,
    (stage, there): (&mut [f64], &mut [f64]),
    f: &mut impl FnMut(f64, &[f64], &mut [f64]) -> Result<(), E>,
) -> f64 {
    let n = y.len();
    let (span, sign) = ((end - t).abs(), (end - t).signum());
    let norm = |values: &mut dyn Iterator<Item = f64>| {
        (values.map(|e| e * e).sum::<f64>() / n.max(1) as f64).sqrt()
    };
    let scale: Vec<f64> = y.iter().map(|e| tolerance.of(*e)).collect();
    let size = norm(&mut y.iter().zip(&scale).map(|(e, s)| e / s));
    let steep = norm(&mut slope.iter().zip(&scale).map(|(e, s)| e / s));
    let trial = if size < NOTHING || steep * span < NOTHING {
        TRIAL * span
    } else {
        (PART * size / steep).min(span)
    };
    for (i, s) in stage.iter_mut().enumerate() {
        *s = y[i] + trial * sign * slope[i];
    }
    let time = trial / PART;
    let step = match f(t + trial * sign, stage, there) {
        Ok(()) => {
            let bend = norm(&mut (0..n).map(|i| (there[i] - slope[i]) / scale[i])) / trial;
            let most = (steep * time).max(bend * time * time);
            time * most.recip().powf(exponent).min(1.0)
        }
        Err(_) => PART * trial,
    };
    step.min(span).max(f64::MIN_POSITIVE) * sign
}

/// list -= by.
pub(super) fn subtract(list: &mut [f64], by: &[f64]) {
    for (e, d) in list.iter_mut().zip(by) {
        *e -= d;
    }
}

/// The larger one of two numbers; the first where the second is none. One instruction, which [`f64::max`] is not.
pub(super) fn larger(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

/// Takes into the largest sizes so far those of these coordinates.
pub(super) fn grow(sizes: &mut [f64], x: &[f64]) {
    for (size, x) in sizes.iter_mut().zip(x) {
        *size = larger(*size, x.abs());
    }
}

/// The smaller one; the first where the second is none.
pub(super) fn smaller(a: f64, b: f64) -> f64 {
    if b < a { b } else { a }
}

/// A right-hand side that does not move the end of a step.
#[cfg(test)]
pub(super) fn still<E>(
    f: &mut impl FnMut(f64, &[f64], &mut [f64]) -> Result<(), E>,
) -> impl FnMut(f64, &mut [f64], &mut [f64]) -> Result<(), E> {
    |t, y, dy| f(t, y, dy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_unit_of_time_changes_no_first_step() {
        let step = |unit: f64, y: [f64; 2]| {
            let mut f = |_: f64, y: &[f64], dy: &mut [f64]| -> Result<(), ()> {
                dy.copy_from_slice(&[unit * (y[1] + 1e-3), -unit * y[0] * y[1]]);
                Ok(())
            };
            let mut slope = [0.0; 2];
            f(0.0, &y, &mut slope).unwrap();
            let tolerance = Tolerance {
                rtol: 1e-9,
                atol: 1e-12,
            };
            let memory = (&mut [0.0; 2][..], &mut [0.0; 2][..]);
            let end = (10.0 / unit, tolerance);
            unit * first_step(Knot::new(0.0, &y, &slope), end, 0.125, memory, &mut f)
        };
        for y in [[0.3, 2.0], [1e6, 2e-6], [0.0, 0.0], [0.0, -1e-3]] {
            let one = step(1.0, y);
            assert!(one > 0.0 && one <= 10.0, "{one}");
            for power in [-60, -20, 7, 40] {
                assert_eq!(step(f64::from(power).exp2(), y), one, "{power} {y:?}");
            }
        }
    }
}
