//! All stages of an explicit Runge-Kutta step in one piece of code: what they are combined of, and the accelerations that
//! are solved for at each.
//!
//! ```text
//! y_s = y + h sum_r a_sr k_r,    k_s = (v_s, a(t + c_s h, y_s)),    y = (x, v)
//! ```
//!
//! In small systems most of the time of a stage is its way through the program and not its arithmetic. Each operation is the
//! one that is done stage by stage, in the same order: the results are the same to the last bit.

use super::lagrange::{Accelerations, Scratch, shared};
use super::native::{Native, Straight};
use super::tape::{Builder, Op};
use crate::effort::calculate;

/// Code of more instructions than this leaves the first cache: stages one by one are as good.
const LONGEST: usize = 4000;

/// The entries of a row of a tableau that are not zero: a stage and its coefficient.
pub type TableauRow = &'static [(usize, f64)];

/// The stages of a step with these accelerations, as a function of x, v, t, h, the accelerations at the beginning, the inertia
/// forces that are remembered there, and what other inputs these have.
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
    sizes: [usize; 8],
    length: usize,
}

impl Stages {
    /// Those of an explicit method: where in the step each of its s stages stands; what each is combined of and at last the
    /// end of the step, s + 1 rows; two estimates of the error. None where the code would be too long.
    pub fn new(
        accelerations: &Accelerations,
        (nodes, rows): (&'static [f64], &'static [TableauRow]),
        errors: [TableauRow; 2],
    ) -> Option<Self> {
        let tape = &accelerations.tape;
        let [n, ..] = accelerations.sizes;
        let count = nodes.len().checked_sub(1).filter(|count| *count > 0)?;
        let entries = rows.iter().chain(&errors);
        let length = count * tape.len() + entries.map(|row| 2 * n * row.len()).sum::<usize>();
        let (state, beside) = (2 * n, count * accelerations.beside);
        let remembered = accelerations.balances();
        let sizes = [
            count * state,
            state,
            state,
            state,
            state,
            beside,
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

    /// The derivatives at all stages but the first, the states at the last one and at the end of the step, the two estimates
    /// (without h), and what is known beside the accelerations, stage by stage. None where these are left to be evaluated one by
    /// one: the code is not compiled, or one of them is not as good as it should be. Of the inputs those that are remembered
    /// are written here.
    pub fn eval<'a>(
        &self,
        accelerations: &Accelerations,
        inputs: &mut [f64],
        scratch: &'a mut Scratch,
    ) -> Option<[&'a [f64]; 6]> {
        calculate(self.length);
        let Scratch {
            work,
            stages: out,
            before,
            ..
        } = scratch;
        before.resize(self.remembered, 0.0);
        let memory = 3 * self.coordinates + 2;
        inputs[memory..memory + self.remembered].copy_from_slice(before);
        out.resize(self.sizes.iter().sum(), 0.0);
        let code = || self.code(accelerations);
        if !self.native.run(code, inputs, &mut work.0, out) {
            return None;
        }
        let (parts, _) = shared(out, self.sizes)?;
        let [slopes, last, end, fifth, third, beside, lost, remembered] = parts;
        if lost != [0.0] {
            // the stages are evaluated one by one, from the beginning
            return None;
        }
        before.copy_from_slice(remembered);
        Some([slopes, last, end, fifth, third, beside])
    }

    /// The instructions.
    fn code(&self, accelerations: &Accelerations) -> Straight {
        let (n, mut code) = (self.coordinates, Builder::default());
        let (own, results) = accelerations.tape.assigned_once();
        // parameters that stand in the code are no inputs of it
        let used = own.iter().map(|op| match op {
            Op::Input(input) => *input as usize + 1,
            _ => 0,
        });
        let used = used.max().unwrap_or(0).max(2 * n + 1);
        let inputs = code.inputs(used + 1 + n + self.remembered);
        let (start, others) = inputs.split_at(2 * n);
        let (t, h, (first, others)) = (others[0], others[1], others[2..].split_at(n));
        let (remembered, others) = others.split_at(self.remembered);
        let mut remembered = remembered.to_vec();
        let mut slopes = vec![[&start[n..], first].concat()];
        let mut beside = Vec::new();
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
            let found: Vec<u32> = code.inlined(&own, &at, &results);
            slopes.push([&last[n..], &found[..n]].concat());
            lost = accelerations.lost(&mut code, (&found, &mut remembered), lost);
            beside.extend_from_slice(&found[found.len() - accelerations.beside..]);
        }
        let end = code.moved(start, h, (end[0], &slopes));
        let errors = self.errors.map(|row| code.weighed((row, &slopes), 2 * n));
        let slopes = slopes.split_off(1).concat();
        let [fifth, third] = errors;
        let results = [
            slopes,
            last,
            end,
            fifth,
            third,
            beside,
            vec![lost],
            remembered,
        ]
        .concat();
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
