//! The end of a step in one piece of code: two of Newton's corrections back onto the constraints, and the accelerations there.
//!
//! ```text
//! x_1 = x - dx(x, v),    v_1 = v - dv(x, v),    v_2 = v_1 - dv(x_1, v_1),    a(t, x_1, v_2)
//! ```
//!
//! An explicit step ends so near to the constraints that one correction of the positions leaves rounding; the second one tells.

use super::lagrange::{Accelerations, Corrections, Scratch};
use super::tape::{Builder, Op, Tape};
use std::ops::Range;
use std::sync::OnceLock;

/// To compile code of more instructions than this takes longer than most motions would save by it.
const LONGEST: usize = 4000;

/// What is left of a position once it is on the constraints.
#[derive(Clone, Copy, Debug)]
pub struct Rounded {
    /// Residuals are rounding that are no more than this part of their terms.
    pub residual: f64,
    /// The square of a correction is, that is no more than this part of the state.
    pub correction: f64,
}

/// The end of a step, as a function of what [`Accelerations`] are a function of, near the constraints.
#[derive(Clone, Debug)]
pub struct Landing {
    rounded: Rounded,
    /// Of the results: the state, the determinants of the blocks of J_D, and what is zero where all is well; then come those
    /// of the accelerations.
    state: Range<usize>,
    determinants: Range<usize>,
    lost: usize,
    /// Evaluated alone; none where the code would be too long.
    alone: OnceLock<Option<Tape>>,
}

impl Landing {
    /// One that ends where no more than this is left.
    pub fn new(corrections: &Corrections, rounded: Rounded) -> Self {
        let [n, ..] = corrections.sizes;
        let lost = 2 * n + corrections.blocks();
        Self {
            rounded,
            state: 0..2 * n,
            determinants: 2 * n..lost,
            lost,
            alone: OnceLock::new(),
        }
    }

    /// Instructions of its code, about.
    pub(super) fn length(accelerations: &Accelerations, corrections: &Corrections) -> usize {
        2 * corrections.tape.len() + accelerations.tape.len()
    }

    /// How many results there are.
    pub(super) fn outputs(&self, accelerations: &Accelerations) -> usize {
        self.lost + 1 + accelerations.tape.outputs()
    }

    /// The code, of a place; its results.
    pub(super) fn code(
        &self,
        code: &mut Builder,
        (accelerations, corrections): (&Accelerations, &Corrections),
        mut at: Vec<u32>,
    ) -> Vec<u32> {
        let [n, ..] = corrections.sizes;
        let (mut lost, mut signs) = (code.constant(0.0), Vec::new());
        let parts = [0..2 * n, n..2 * n];
        let last = corrections.corrected(code, &mut at, &parts, &mut |code, found| {
            if signs.is_empty() {
                signs = corrections.determinants(found).to_vec();
            }
            lost = corrections.lost(code, (found, &signs), lost);
        });
        lost = self.left(code, (corrections, &last, &at[..2 * n]), lost);
        let (own, results) = accelerations.tape.assigned_once();
        let solution = code.inlined(&own, &at, &results);
        lost = accelerations.lost(code, &solution, lost);
        let [accelerated, multipliers, _] = accelerations.sizes;
        lost = code.finite(&solution[accelerated..][..multipliers], lost);
        [&at[..2 * n], &signs, &[lost], &solution].concat()
    }

    /// Adds to a sum what is zero where the residuals at the last correction are rounding, and it moves positions and
    /// velocities by so little that its square is.
    fn left(
        &self,
        code: &mut Builder,
        (corrections, last, state): (&Corrections, &[u32], &[u32]),
        mut sum: u32,
    ) -> u32 {
        let [dx, dv, residuals, scales] = corrections.sizes;
        let (moves, rest) = last.split_at(dx + dv);
        let part = code.constant(self.rounded.residual);
        for (residual, scale) in rest[..residuals].iter().zip(&rest[residuals..][..scales]) {
            let size = code.size(*residual);
            let most = code.push(Op::Mul(part, *scale));
            let margin = code.push(Op::Sub(most, size));
            let none = code.below(margin);
            sum = code.push(Op::Add(sum, none));
        }
        let part = code.constant(self.rounded.correction);
        for own in [0..dx, dx..dx + dv] {
            let [moved, all] = [moves, state].map(|list| code.sizes(&list[own.clone()]));
            let most = code.push(Op::Mul(part, all));
            let margin = code.push(Op::Sub(most, moved));
            let none = code.below(margin);
            sum = code.push(Op::Add(sum, none));
        }
        sum
    }

    /// x and x' where a step ends, one after the other, and what [`Accelerations::eval`] gives there; and the sign of det J_D (1
    /// without a chart). None where the code would be too long, or the way does not end.
    pub fn eval<'a>(
        &self,
        parts: (&Accelerations, &Corrections),
        inputs: &[f64],
        scratch: &'a mut Scratch,
    ) -> Option<([&'a [f64]; 4], f64)> {
        let alone = self.alone.get_or_init(|| self.alone(parts)).as_ref()?;
        scratch.evaluate(alone, inputs, self.lost + 1);
        self.read(parts, scratch)
    }

    fn alone(&self, parts: (&Accelerations, &Corrections)) -> Option<Tape> {
        let (accelerations, corrections) = parts;
        if Self::length(accelerations, corrections) > LONGEST {
            return None;
        }
        let mut code = Builder::default();
        let count = accelerations.inputs();
        let at = code.inputs(count);
        let results = self.code(&mut code, parts, at);
        Some(code.finish(&results, count))
    }

    /// Takes the results among others that were evaluated, for what is read next.
    pub(super) fn take(&self, results: &[f64], scratch: &mut Scratch) {
        scratch.out.clear();
        scratch.out.extend_from_slice(results);
        scratch.solution = self.lost + 1;
    }

    /// The same of what was evaluated; none where the way does not end.
    pub fn read<'a>(
        &self,
        (accelerations, corrections): (&Accelerations, &Corrections),
        scratch: &'a Scratch,
    ) -> Option<([&'a [f64]; 4], f64)> {
        let out = scratch.out.as_slice();
        if *out.get(self.lost)? != 0.0 {
            return None;
        }
        let [a, lambda, slopes] = accelerations.solution(&out[self.lost + 1..])?;
        let state = &out[self.state.clone()];
        let sign = corrections.sign(&out[self.determinants.clone()]);
        Some(([state, a, lambda, slopes], sign))
    }
}
