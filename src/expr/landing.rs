//! The end of a step in one piece of code: two of Newton's corrections back onto the constraints, and the accelerations there.
//!
//! ```text
//! x_1 = x - dx(x, v),    v_1 = v - dv(x, v),    v_2 = v_1 - dv(x_1, v_1),    a(t, x_1, v_2)
//! ```
//!
//! An explicit step ends so near to the constraints that one correction of the positions leaves rounding; the second one tells.

use super::lagrange::{Accelerations, Corrections, Scratch};
use super::tape::{Builder, Tape};

/// To compile code of more instructions than this takes longer than most motions would save by it.
const LONGEST: usize = 1000;

/// The end of a step, as a function of what [`Accelerations`] are a function of, near the constraints.
#[derive(Clone, Debug)]
pub struct Landing {
    tape: Tape,
    coordinates: usize,
    /// How many results belong to the second correction.
    corrections: usize,
}

/// Where a step ends.
#[derive(Clone, Copy, Debug)]
pub struct Landed<'a> {
    /// x, then x'.
    pub state: &'a [f64],
    /// What [`Corrections::eval`] gives at the second correction, of which the velocities were corrected.
    pub corrections: ([&'a [f64]; 4], f64),
    /// What [`Accelerations::eval`] gives.
    pub solution: [&'a [f64]; 3],
}

impl Landing {
    /// None where the code would be too long.
    pub fn new(accelerations: &Accelerations, corrections: &Corrections) -> Option<Self> {
        let [n, ..] = corrections.sizes;
        let length = 2 * corrections.tape.len() + accelerations.tape.len();
        if length > LONGEST {
            return None;
        }
        let mut code = Builder::default();
        let count = accelerations.tape.inputs();
        let mut at = code.inputs(count);
        let parts = [0..2 * n, n..2 * n];
        let last = corrections.corrected(&mut code, &mut at, &parts, &mut |_, _| {});
        let (own, results) = accelerations.tape.assigned_once();
        let solution = code.inlined(&own, &at, &results);
        let results = [&at[..2 * n], &last, &solution].concat();
        Some(Self {
            tape: code.finish(&results, count),
            coordinates: n,
            corrections: last.len(),
        })
    }

    /// Evaluates; none where the equations are nearly singular there.
    pub fn eval<'a>(
        &self,
        (accelerations, corrections): (&Accelerations, &Corrections),
        inputs: &[f64],
        scratch: &'a mut Scratch,
    ) -> Option<Landed<'a>> {
        let state = 2 * self.coordinates;
        scratch.evaluate(&self.tape, inputs, state + self.corrections);
        let (state, rest) = scratch.out.split_at_checked(state)?;
        let (last, solution) = rest.split_at_checked(self.corrections)?;
        Some(Landed {
            state,
            corrections: corrections.read(last)?,
            solution: accelerations.read(solution, &mut scratch.before)?,
        })
    }
}
