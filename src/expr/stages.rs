//! All stages of an explicit Runge-Kutta step in one piece of code: what they are combined of, and the accelerations that
//! are solved for at each.
//!
//! ```text
//! y_s = y + h sum_r a_sr k_r,    k_s = (v_s, a(t + c_s h, y_s)),    y = (x, v)
//! ```
//!
//! In a chart a stage is brought back onto the constraints before, by so many of Newton's corrections as it takes as a rule;
//! the caller is told what is left to be corrected.
//!
//! In small systems most of the time of a stage is its way through the program and not its arithmetic. Each operation is the
//! one that is done stage by stage, in the same order: the results are the same to the last bit.

use super::lagrange::{Accelerations, Corrections, Scratch, shared};
use super::native::{Native, Straight};
use super::tape::{Builder, Op, inputs_used};
use crate::effort::calculate;

/// Code of more instructions than this leaves the first cache: stages one by one are as good.
const LONGEST: usize = 4000;

/// The entries of a row of a tableau that are not zero: a stage and its coefficient.
pub type TableauRow = &'static [(usize, f64)];

/// What the stages of a step are made of: accelerations, and in a chart what leads back onto the constraints.
#[derive(Clone, Copy, Debug)]
pub struct SolvedEquations<'a> {
    /// The accelerations.
    pub accelerations: &'a Accelerations,
    /// The way back.
    pub corrections: Option<&'a Corrections>,
    /// Newton's corrections of positions, of the first stage and of the others.
    pub times: [usize; 2],
}

/// The stages of a step, as a function of x, v, t, h, the derivatives at the beginning, the inertia forces that are remembered
/// there, and what other inputs the accelerations have.
#[derive(Clone, Debug)]
pub struct Stages {
    nodes: &'static [f64],
    rows: &'static [TableauRow],
    errors: [TableauRow; 2],
    native: Native,
    coordinates: usize,
    /// How many inertia forces are remembered.
    remembered: usize,
    /// The lengths of what [`Stages::eval`] gives, in its order, of what tells that all is well, and of what is remembered.
    sizes: [usize; 14],
    length: usize,
}

/// What the stages of a step gave.
#[derive(Clone, Copy, Debug)]
pub struct EvaluatedStages<'a> {
    /// The derivatives at all stages but the first.
    pub slopes: &'a [f64],
    /// The state at the last one.
    pub last: &'a [f64],
    /// The state at the end of the step.
    pub end: &'a [f64],
    /// The two estimates, without h.
    pub errors: [&'a [f64]; 2],
    /// What is known beside the accelerations, stage by stage.
    pub beside: &'a [f64],
    /// In a chart, stage by stage: x, and what [`Corrections::eval`] gives there of it: dx, the residuals and the sizes of
    /// their terms; the columns of -J_D^-1 J_I.
    pub settled: [&'a [f64]; 5],
    /// The sign of det J_D, the same at all of them; 1 without a chart.
    pub sign: f64,
}

impl Stages {
    /// Those of an explicit method: where in the step each of its s stages stands; what each is combined of and at last the
    /// end of the step, s + 1 rows; two estimates of the error. None where the code would be too long.
    pub fn new(
        parts: SolvedEquations<'_>,
        (nodes, rows): (&'static [f64], &'static [TableauRow]),
        errors: [TableauRow; 2],
    ) -> Option<Self> {
        let SolvedEquations {
            accelerations,
            corrections,
            times: [first, others],
        } = parts;
        let tape = &accelerations.tape;
        let [n, _, slopes] = accelerations.sizes;
        let count = nodes.len().checked_sub(1).filter(|count| *count > 0)?;
        let entries = rows.iter().chain(&errors);
        let solved = |corrections: &Corrections| {
            (first + (count - 1) * others + count) * corrections.tape.len()
        };
        let length = count * tape.len()
            + corrections.map_or(0, solved)
            + entries.map(|row| 2 * n * row.len()).sum::<usize>();
        let (state, beside) = (2 * n, count * accelerations.beside);
        let [x, dx, residuals, scales, columns, determinants] =
            corrections.map_or([0; 6], |corrections| {
                let [dx, _, residuals, scales] = corrections.sizes.map(|size| count * size);
                let blocks = corrections.tape.outputs() - corrections.sizes.iter().sum::<usize>();
                let blocks = blocks - 2 * corrections.pivots;
                [count * n, dx, residuals, scales, count * slopes, blocks]
            });
        let remembered = accelerations.balances();
        let sizes = [
            count * state,
            state,
            state,
            state,
            state,
            beside,
            x,
            dx,
            residuals,
            scales,
            columns,
            determinants,
            1,
            remembered,
        ];
        (length <= LONGEST).then_some(Self {
            nodes,
            rows,
            errors,
            native: Native::default(),
            coordinates: n,
            remembered,
            sizes,
            length,
        })
    }

    /// None where the stages are left to be evaluated one by one: the code is not compiled, or one of them is not as good as
    /// it should be. Of the inputs those that are remembered are written here.
    pub fn eval<'a>(
        &self,
        parts: SolvedEquations<'_>,
        inputs: &mut [f64],
        scratch: &'a mut Scratch,
    ) -> Option<EvaluatedStages<'a>> {
        calculate(self.length);
        let Scratch {
            work,
            stages: out,
            before,
            ..
        } = scratch;
        before.resize(self.remembered, 0.0);
        let memory = 4 * self.coordinates + 2;
        inputs[memory..memory + self.remembered].copy_from_slice(before);
        out.resize(self.sizes.iter().sum(), 0.0);
        let code = || self.code(parts);
        if !self.native.run(code, inputs, &mut work.0, out) {
            return None;
        }
        let (
            [
                slopes,
                last,
                end,
                fifth,
                third,
                beside,
                settled @ ..,
                determinants,
                lost,
                remembered,
            ],
            _,
        ) = shared(out, self.sizes)?;
        if lost != [0.0] {
            // the stages are evaluated one by one, from the beginning
            return None;
        }
        before.copy_from_slice(remembered);
        let sign = parts.corrections.map_or(1.0, |own| own.sign(determinants));
        Some(EvaluatedStages {
            slopes,
            last,
            end,
            errors: [fifth, third],
            beside,
            settled,
            sign,
        })
    }

    /// The instructions.
    fn code(&self, parts: SolvedEquations<'_>) -> Straight {
        let SolvedEquations {
            accelerations,
            corrections,
            times,
        } = parts;
        let (n, mut code) = (self.coordinates, Builder::default());
        let (own, results) = accelerations.tape.assigned_once();
        // parameters that stand in the code are no inputs of it
        let way_back = corrections.map(|own| own.tape.assigned_once().0);
        let used = inputs_used(&own).max(inputs_used(way_back.as_deref().unwrap_or_default()));
        let used = used.max(2 * n + 1);
        let inputs = code.inputs(used + 1 + 2 * n + self.remembered);
        let (start, others) = inputs.split_at(2 * n);
        let (t, h, (first, others)) = (others[0], others[1], others[2..].split_at(2 * n));
        let (remembered, others) = others.split_at(self.remembered);
        let mut remembered = remembered.to_vec();
        let mut slopes = vec![first.to_vec()];
        let mut beside = Vec::new();
        let mut settled: [Vec<u32>; 5] = Default::default();
        let mut determinants: Option<Vec<u32>> = None;
        let mut lost = code.constant(0.0);
        let (stages, end) = self.rows.split_at(self.nodes.len());
        let mut last = start.to_vec();
        for (row, node) in stages.iter().zip(self.nodes).skip(1) {
            last = code.moved(start, h, (row, &slopes));
            let node = code.constant(*node);
            let ahead = code.push(Op::Mul(node, h));
            let mut at = last.clone();
            at.push(code.push(Op::Add(t, ahead)));
            at.extend(others);
            if let Some(corrections) = corrections {
                let mut parts = vec![0..n; times[slopes.len().min(2) - 1]];
                parts.push(n..2 * n);
                let found =
                    corrections.corrected(&mut code, &mut at, &parts, &mut |code, found| {
                        let signs = determinants
                            .get_or_insert_with(|| corrections.determinants(found).to_vec());
                        lost = corrections.lost(code, (found, signs), lost);
                    });
                let [dx, dv, residuals, scales] = corrections.sizes;
                settled[0].extend(&at[..n]);
                settled[1].extend(&found[..dx]);
                let rest = &found[dx + dv..];
                settled[2].extend(&rest[..residuals]);
                settled[3].extend(&rest[residuals..residuals + scales]);
            }
            let found: Vec<u32> = code.inlined(&own, &at, &results);
            slopes.push([&at[n..2 * n], &found[..n]].concat());
            lost = accelerations.lost(&mut code, (&found, &mut remembered), lost);
            if corrections.is_some() {
                let [_, multipliers, columns] = accelerations.sizes;
                let (multipliers, rest) = found[n..].split_at(multipliers);
                lost = code.finite(multipliers, lost);
                settled[4].extend(&rest[..columns]);
            }
            beside.extend_from_slice(&found[found.len() - accelerations.beside..]);
        }
        let end = code.moved(start, h, (end[0], &slopes));
        let [fifth, third] = self.errors.map(|row| code.weighed((row, &slopes), 2 * n));
        let slopes = slopes.split_off(1).concat();
        let known = [slopes, last, end, fifth, third, beside].concat();
        let settled = settled.concat();
        let determinants = determinants.unwrap_or_default();
        let results = [known, settled, determinants, vec![lost], remembered].concat();
        (code.instructions(), results)
    }
}

impl Builder {
    /// sum `a_r` `k_r` over the row, in a state of so many components.
    fn weighed(&mut self, (row, slopes): (TableauRow, &[Vec<u32>]), size: usize) -> Vec<u32> {
        let sum = |i: usize| {
            let mut sum = None;
            for &(stage, a) in row {
                let a = self.constant(a);
                let k = slopes[stage][i];
                sum = Some(match sum {
                    None => self.push(Op::Mul(a, k)),
                    Some(sum) => self.push(Op::MulAdd(a, k, sum)),
                });
            }
            sum.unwrap_or_else(|| self.constant(0.0))
        };
        (0..size).map(sum).collect()
    }

    /// y + h sum `a_r` `k_r` over the row.
    fn moved(&mut self, y: &[u32], h: u32, terms: (TableauRow, &[Vec<u32>])) -> Vec<u32> {
        let sums = self.weighed(terms, y.len());
        let all = y.iter().zip(sums);
        all.map(|(y, sum)| self.push(Op::MulAdd(h, sum, *y)))
            .collect()
    }
}
