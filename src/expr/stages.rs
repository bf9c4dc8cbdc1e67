//! All stages of an explicit Runge-Kutta step and its end in one piece of code: what they are combined of, and the
//! accelerations that are solved for at each.
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

use super::lagrange::{Accelerations, Corrections, Scratch};
use super::landing::Landing;
use super::native::{Native, Straight};
use super::tape::{Builder, Op};
use crate::effort::calculate;
use std::ops::Range;

/// Code of more instructions than this leaves the first cache: stages one by one are as good.
const LONGEST: usize = 4000;

/// The entries of a row of a tableau that are not zero: a stage and its coefficient.
pub type TableauRow = &'static [(usize, f64)];

/// What the stages of a step are made of: accelerations, and in a chart what leads back onto the constraints.
#[derive(Clone, Copy, Debug)]
pub struct SolvedEquations<'a> {
    /// The accelerations.
    pub accelerations: &'a Accelerations,
    /// The way back of each stage.
    pub corrections: Option<&'a Corrections>,
    /// Newton's corrections of positions, of the first stage and of the others.
    pub times: [usize; 2],
    /// The end of the step, and its way back.
    pub landing: Option<(&'a Landing, &'a Corrections)>,
}

/// The stages of a step and where there is a way back its end, as a function of what the accelerations are a function of and,
/// behind it, h, the time at the end and the derivatives at the beginning.
#[derive(Clone, Debug)]
pub struct Stages {
    nodes: &'static [f64],
    rows: &'static [TableauRow],
    errors: [TableauRow; 2],
    native: Native,
    coordinates: usize,
    /// Where in the results stands what is known beside the accelerations, the end of the step, what is zero where all is
    /// well,
    beside: Range<usize>,
    landing: Option<Range<usize>>,
    lost: usize,
    /// and in a chart what [`EvaluatedStages::settled`] has, with the determinants of the blocks of J_D.
    settled: Option<([Range<usize>; 5], Range<usize>)>,
    outputs: usize,
    length: usize,
}

/// What the stages of a step gave, beside what a stepper keeps.
#[derive(Clone, Copy, Debug)]
pub struct EvaluatedStages<'a> {
    /// What is known beside the accelerations, stage by stage.
    pub beside: &'a [f64],
    /// In a chart, stage by stage: x, and what [`Corrections::eval`] gives there of it: dx, the residuals and the sizes of
    /// their terms; the columns of -J_D^-1 J_I. And the sign of det J_D, the same at all of them.
    pub settled: Option<([&'a [f64]; 5], f64)>,
    /// Whether the end of the step came with them.
    pub landed: bool,
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
            landing,
        } = parts;
        let [n, _, slopes] = accelerations.sizes;
        let count = nodes.len().checked_sub(1).filter(|count| *count > 0)?;
        let entries = rows.iter().chain(&errors);
        let solved = |corrections: &Corrections| {
            (first + (count - 1) * others + count) * corrections.tape.len()
        };
        let length = count * accelerations.tape.len()
            + corrections.map_or(0, solved)
            + entries.map(|row| 2 * n * row.len()).sum::<usize>();
        let landed = |(_, way): (_, &Corrections)| Landing::length(accelerations, way);
        let landing = landing.filter(|own| length + landed(*own) <= LONGEST);
        let length = length + landing.map_or(0, landed);

        let mut end = 0;
        let mut next = |size: usize| {
            end += size;
            end - size..end
        };
        // what the stepper keeps
        next((count + 4) * 2 * n);
        let beside = next(count * accelerations.beside);
        let landing = landing.map(|(own, _)| next(own.outputs(accelerations)));
        let lost = next(1).start;
        let settled = corrections.map(|corrections| {
            let [dx, _, residuals, scales] = corrections.sizes;
            let sizes = [n, dx, residuals, scales, slopes];
            let lists = sizes.map(|size| next(count * size));
            (lists, next(corrections.blocks()))
        });
        (length <= LONGEST).then_some(Self {
            nodes,
            rows,
            errors,
            native: Native::default(),
            coordinates: n,
            beside,
            landing,
            lost,
            settled,
            outputs: next(0).end,
            length,
        })
    }

    /// None where the stages are left to be evaluated one by one: the code is not compiled, or one of them is not as good as
    /// it should be. What a stepper keeps goes to the beginning of `out`: the derivatives at all stages but the first, the state at the last one and at the end of the step, and the
    /// two estimates without h.
    pub fn eval<'a>(
        &self,
        parts: SolvedEquations<'_>,
        inputs: &[f64],
        (out, scratch): (&'a mut [f64], &mut Scratch),
    ) -> Option<EvaluatedStages<'a>> {
        calculate(self.length);
        let code = || self.code(parts);
        if !self.native.run(code, inputs, &mut scratch.work.0, out) {
            return None;
        }
        if out[self.lost] != 0.0 {
            // the stages are evaluated one by one, from the beginning
            return None;
        }
        if let (Some(own), Some((landing, _))) = (&self.landing, parts.landing) {
            landing.take(&out[own.clone()], scratch);
        }
        let settled = self.settled.as_ref().zip(parts.corrections);
        let settled = settled.map(|((lists, determinants), own)| {
            let lists = lists.each_ref().map(|own| &out[own.clone()]);
            (lists, own.sign(&out[determinants.clone()]))
        });
        Some(EvaluatedStages {
            beside: &out[self.beside.clone()],
            settled,
            landed: self.landing.is_some(),
        })
    }

    /// How many results there are.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// The instructions.
    fn code(&self, parts: SolvedEquations<'_>) -> Straight {
        let SolvedEquations {
            accelerations,
            corrections,
            times,
            landing,
        } = parts;
        let (n, mut code) = (self.coordinates, Builder::default());
        let (own, results) = accelerations.tape.assigned_once();
        let count = accelerations.inputs();
        let inputs = code.inputs(count + 2 + 2 * n);
        let (place, more) = inputs.split_at(count);
        let (start, t, others) = (&place[..2 * n], place[2 * n], &place[2 * n + 1..]);
        let (h, t_new) = (more[0], more[1]);
        let mut slopes = vec![more[2..].to_vec()];
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
            lost = accelerations.lost(&mut code, &found, lost);
            if corrections.is_some() {
                let [_, multipliers, columns] = accelerations.sizes;
                let (multipliers, rest) = found[n..].split_at(multipliers);
                lost = code.finite(multipliers, lost);
                settled[4].extend(&rest[..columns]);
            }
            beside.extend_from_slice(&found[found.len() - accelerations.beside..]);
        }
        let end = code.moved(start, h, (end[0], &slopes));
        let landed = self.landing.as_ref().and(landing).map(|(landing, way)| {
            let at = [&end[..], &[t_new], others].concat();
            landing.code(&mut code, (accelerations, way), at)
        });
        let [fifth, third] = self.errors.map(|row| code.weighed((row, &slopes), 2 * n));
        let slopes = slopes.split_off(1).concat();
        let kept = [slopes, last, end, fifth, third].concat();
        let own = [beside, landed.unwrap_or_default(), vec![lost]].concat();
        let settled = [settled.concat(), determinants.unwrap_or_default()].concat();
        let results = [kept, own, settled].concat();
        code.finish(&results, inputs.len()).assigned_once()
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
                    Some(sum) => self.push(Op::FusedAdd(a, k, sum)),
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
        all.map(|(y, sum)| self.push(Op::FusedAdd(h, sum, *y)))
            .collect()
    }
}
