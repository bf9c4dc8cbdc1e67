//! Lagrange's equations solved in straight-line code.
//!
//! ```text
//! [ M  W^T ] [    a    ]   [  -h   ]
//! [ W   0  ] [ -lambda ] = [ gamma ]
//! ```
//!
//! Without a chart M = L D L^T is eliminated first, then S = W M^-1 W^T; in a chart (the report's way) J_D is eliminated
//! block by block, then B^T M B. All of it without exchanges, in an order that keeps what is zero in all configurations zero; so a
//! chain of links costs as many operations as it has links. Where M is not positive definite, or S or J_D nearly singular, that
//! is no good: each pivot comes beside the sizes of the terms that it is the sum of, and the caller is told where it is lost in
//! them. The ratio knows no units.

use super::elimination::{Blocks, Code, Row, Value, columns, list, row};
use super::function::Function;
use super::pool::{Expr, Pool};
use super::tape::{Builder, Op, Tape, Workspace};
use std::ops::Range;
use std::sync::OnceLock;

/// Of more equations than this the matrices that they are written in are too large.
const LARGEST: usize = 10_000;
/// A pivot is lost that is this part of its terms: the solution has two digits fewer than it could.
const LOST: f64 = 1e-2;
/// Forces that are so many times the inertia forces they cancel to want a solution that is corrected.
const CANCELS: f64 = 1e4;
/// Of more equations than this the solution is always corrected, in the same code: along a chain of n links forces are n^2 times the
/// least inertia forces.
const CORRECTED: usize = 100;
/// What a step leaves of the memory of inertia forces.
const REMEMBERED: f64 = 0.99;

/// The parts of the equations, as functions of the same inputs.
#[derive(Debug, Clone, Copy)]
pub struct Parts<'a> {
    /// M, n by n.
    pub mass: &'a [Vec<Expr>],
    /// h, of length n.
    pub bias: &'a [Expr],
    /// J by rows, m by n; then A, p by n.
    pub rows: &'a [Vec<Expr>],
    /// gamma, of length m + p.
    pub gamma: &'a [Expr],
    /// f - c, of length m.
    pub residuals: &'a [Expr],
    /// The size of its terms, of length m.
    pub scales: &'a [Expr],
    /// J x' + f_t, of length m.
    pub rates: &'a [Expr],
    /// What is to be known beside the accelerations.
    pub beside: &'a [Expr],
}

/// The equations in straight-line code, nothing solved yet.
#[derive(Clone, Debug)]
pub struct Lagrange {
    code: Code,
    inputs: usize,
    mass: Vec<Row>,
    bias: Vec<Value>,
    rows: Vec<Row>,
    gamma: Vec<Value>,
    residuals: Vec<u32>,
    scales: Vec<u32>,
    rates: Vec<Value>,
    beside: Vec<u32>,
}

/// Accelerations and multipliers as functions of the inputs.
#[derive(Clone, Debug)]
pub struct Accelerations {
    pub(super) tape: Tape,
    /// How many accelerations, multipliers, slopes and pivots there are, and what beside them.
    pub(super) sizes: [usize; 3],
    pivots: usize,
    pub(super) beside: usize,
    /// The pivots alone.
    margins: OnceLock<Tape>,
    /// What is known beside the accelerations alone.
    others: OnceLock<Tape>,
    /// All but the balance of forces.
    unweighed: OnceLock<Tape>,
}

/// What leads back onto the constraints: dx, dv with J dx = f - c and J dv = J x' + f_t, in a chart (only dependent coordinates
/// move) or by the shortest way.
#[derive(Clone, Debug)]
pub struct Corrections {
    pub(super) tape: Tape,
    /// How many there are of each result, then of pivots.
    pub(super) sizes: [usize; 4],
    pub(super) pivots: usize,
    /// The sign of the permutation that brings J_D into its blocks.
    sign: f64,
}

/// Working memory of [`Accelerations`] and [`Corrections`], kept by the caller.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    pub(super) work: Workspace,
    pub(super) out: Vec<f64>,
    /// Where in it the results of [`Accelerations`] begin.
    pub(super) solution: usize,
}

impl Scratch {
    /// Evaluates a tape of which the accelerations begin at this place.
    pub(super) fn evaluate(&mut self, tape: &Tape, inputs: &[f64], solution: usize) {
        self.out.resize(tape.outputs(), 0.0);
        self.solution = solution;
        tape.eval(inputs, &mut self.work, &mut self.out);
    }
}

impl Lagrange {
    /// The code of the parts, with the inputs of `bound` at their values; none where it would be too long.
    pub fn new(
        pool: &Pool,
        (inputs, bound): (&[Expr], &[(Expr, f64)]),
        parts: &Parts,
    ) -> Option<Self> {
        let (n, all) = (parts.bias.len(), parts.gamma.len());
        if n + all > LARGEST {
            return None;
        }
        let entries = |row: &'_ Vec<Expr>| -> Vec<(usize, Expr)> {
            let all = row.iter().copied().enumerate();
            all.filter(|(_, e)| *e != pool.zero()).collect()
        };
        let tables = [parts.mass, parts.rows];
        let lists = [
            parts.bias,
            parts.gamma,
            parts.rates,
            parts.residuals,
            parts.scales,
            parts.beside,
        ];
        let written = tables.into_iter().flatten().flat_map(entries);
        let every: Vec<Expr> = written.map(|(_, e)| e).chain(lists.concat()).collect();
        let builder = Builder::bound(bound.iter().copied().collect());
        let mut code = Code::new(builder, n + all);
        let mut places = code.builder.outputs(pool, inputs, &every).into_iter();
        let mut placed = |row: &Vec<Expr>| -> Row {
            let own = entries(row).into_iter().zip(&mut places);
            let own = own.map(|((k, _), place)| (k, place));
            own.filter(|(_, place)| code.entry(*place).is_some())
                .collect()
        };
        let [mass, rows] = tables.map(|rows| rows.iter().map(&mut placed).collect());
        let [bias, gamma, rates, residuals, scales, beside] =
            lists.map(|list| places.by_ref().take(list.len()).collect::<Vec<u32>>());
        let entries = |list: Vec<u32>| list.into_iter().map(|e| code.entry(e)).collect();
        Some(Self {
            mass,
            rows,
            bias: entries(bias),
            gamma: entries(gamma),
            rates: entries(rates),
            residuals,
            scales,
            beside,
            inputs: inputs.len(),
            code,
        })
    }

    /// Accelerations and multipliers, in a chart (its dependent coordinates) or without one; none where the code would be too
    /// long, M or J_D has no inverse whatever the configuration, or a chart has blocks that want exchanges or velocity
    /// constraints.
    pub fn accelerations(&self, chart: Option<&[usize]>) -> Option<Accelerations> {
        let mut code = self.code.clone();
        let solution = match chart {
            Some(dependent) => self.reduced(&mut code, dependent)?,
            None => self.augmented(&mut code)?,
        };
        let pivots = solution.pivots.len();
        let parts = [solution.a, solution.lambda, solution.slopes];
        let sizes = [0, 1, 2].map(|part: usize| parts[part].len());
        let mut results = code.results(parts);
        results.extend(solution.pivots.iter().chain(&solution.balance).flatten());
        results.extend(&self.beside);
        Some(Accelerations {
            tape: code.finish(&results, self.inputs)?,
            sizes,
            pivots,
            beside: self.beside.len(),
            margins: OnceLock::new(),
            others: OnceLock::new(),
            unweighed: OnceLock::new(),
        })
    }

    /// What leads back onto the constraints, in a chart or by the shortest way; none as for [`Lagrange::accelerations`].
    pub fn corrections(&self, chart: Option<&[usize]>) -> Option<Corrections> {
        let (n, m) = (self.bias.len(), self.residuals.len());
        if m == 0 || m < self.rows.len() {
            return None;
        }
        let mut code = self.code.clone();
        let residuals: Vec<Value> = self.residuals.iter().map(|&e| code.entry(e)).collect();
        let rights = [residuals, self.rates.clone()];
        let (moves, pivots, (determinants, sign)) = if let Some(dependent) = chart {
            let blocks = Blocks::new(&mut code, &self.rows, dependent)?;
            let moves = rights.map(|right| {
                let own = blocks.solution(&mut code, &right);
                placed(n, dependent, own)
            });
            (moves, blocks.pivots, (blocks.determinants, blocks.sign))
        } else {
            let across = columns(&self.rows, n);
            let gram = code.gram(&self.rows, (&self.rows, &across))?;
            let gram = code.factored(gram)?;
            let moves = rights.map(|right| {
                let shares = code.solution(&gram, right);
                across
                    .iter()
                    .map(|column| code.along(column, &shares))
                    .collect()
            });
            (moves, gram.pivots, (Vec::new(), 1.0))
        };
        let mut results = code.results(moves);
        results.extend(self.residuals.iter().chain(&self.scales));
        results.extend(pivots.iter().flatten().chain(&determinants));
        Some(Corrections {
            tape: code.finish(&results, self.inputs)?,
            sizes: [n, n, m, m],
            pivots: pivots.len(),
            sign,
        })
    }

    /// M a + h.
    fn forces(&self, code: &mut Code, a: &[Value]) -> Vec<Value> {
        let mut forces = self.inertia(code, a);
        for (f, h) in forces.iter_mut().zip(&self.bias) {
            *f = code.sum(*f, *h);
        }
        forces
    }

    /// M a row after the other times a vector.
    fn inertia(&self, code: &mut Code, a: &[Value]) -> Vec<Value> {
        self.mass.iter().map(|row| code.along(row, a)).collect()
    }

    /// In a chart: a = a_0 + B a_I, (B^T M B) a_I = -B^T (M a_0 + h), lambda = J_D^-T E_D.
    fn reduced(&self, code: &mut Code, dependent: &[usize]) -> Option<Solution> {
        let (n, m) = (self.bias.len(), self.residuals.len());
        if m < self.rows.len() {
            return None;
        }
        let blocks = Blocks::new(code, &self.rows, dependent)?;
        let independent: Vec<usize> = (0..n).filter(|k| !dependent.contains(k)).collect();
        // the columns of B, and a_0
        let mut basis: Vec<Vec<Value>> = Vec::with_capacity(independent.len());
        let mut slopes = Vec::new();
        let one = code.builder.constant(1.0);
        let across = columns(&self.rows, n);
        for &i in &independent {
            let right = list(&across[i], self.rows.len());
            let mut column = vec![None; n];
            column[i] = Some(one);
            for (&d, value) in dependent.iter().zip(blocks.solution(code, &right)) {
                column[d] = code.difference(None, value);
                slopes.push(column[d]);
            }
            basis.push(column);
            code.short()?;
        }
        let mut a = placed(n, dependent, blocks.solution(code, &self.gamma));
        let force = self.forces(code, &a);
        let mut moved = Vec::with_capacity(basis.len());
        for column in &basis {
            moved.push(self.inertia(code, column));
            code.short()?;
        }
        let sparse =
            |lists: &[Vec<Value>]| -> Vec<Row> { lists.iter().map(|list| row(list)).collect() };
        let moved = sparse(&moved);
        let reduced = code.gram(&sparse(&basis), (&moved, &columns(&moved, n)))?;
        let reduced = code.factored(reduced)?;
        let right = basis.iter().map(|column| {
            let work = code.product(column.iter().copied().zip(force.iter().copied()));
            code.difference(None, work)
        });
        let right = right.collect();
        let free = code.solution(&reduced, right);
        for (column, value) in basis.iter().zip(&free) {
            for (a, c) in a.iter_mut().zip(column) {
                *a = code.plus(*a, (*c, *value));
            }
        }
        let expressions = self.forces(code, &a);
        let own: Vec<Value> = dependent.iter().map(|&d| expressions[d]).collect();
        let lambda = blocks.transposed(code, &own);
        Some(Solution {
            a,
            lambda,
            slopes,
            pivots: blocks.pivots.into_iter().chain(reduced.pivots).collect(),
            balance: Vec::new(),
        })
    }

    /// Without a chart: S lambda = gamma + W M^-1 h, M a = W^T lambda - h.
    fn augmented(&self, code: &mut Code) -> Option<Solution> {
        let inertia = code.factored(self.mass.clone())?;
        let force = code.forward(&inertia, self.bias.clone());
        let (mut scaled, mut forces) = (Vec::new(), Vec::new());
        let mut right = self.gamma.clone();
        for (own, right) in self.rows.iter().zip(&mut right) {
            let column = code.forward(&inertia, list(own, force.len()));
            let divided = code.divided(&inertia, &column);
            for (p, q) in divided.iter().zip(&force) {
                *right = code.plus(*right, (*p, *q));
            }
            scaled.push(row(&divided));
            forces.push(row(&column));
            code.short()?;
        }
        let pushes = columns(&forces, force.len());
        let gram = code.gram(&scaled, (&forces, &pushes))?;
        let gram = code.factored(gram)?;
        let mut lambda = code.solution(&gram, right);
        let corrected = force.len() + lambda.len() > CORRECTED;

        // forces against what they leave over: an acceleration across the constraints that is small is found by exchanges
        // only, from the constraints
        let mut balance = Vec::new();
        let mut rest = Vec::with_capacity(force.len());
        for (column, f) in pushes.iter().zip(&force) {
            let (mut sum, mut terms) = (None, None);
            for &(b, e) in column {
                let part = code.times(Some(e), lambda[b]);
                sum = code.sum(sum, part);
                if !corrected {
                    terms = code.sum_of_sizes(terms, part);
                }
            }
            let left = code.difference(sum, *f);
            if let (Some(left), Some(_)) = (left, terms) {
                balance.extend(code.sum_of_sizes(terms, *f).map(|terms| [left, terms]));
            }
            rest.push(left);
        }
        let mut a = code.accelerated(&inertia, &rest);
        if corrected {
            let missed = self.rows.iter().zip(&self.gamma).map(|(row, gamma)| {
                let terms = row.iter();
                terms.fold(*gamma, |sum, &(k, e)| code.minus(sum, (Some(e), a[k])))
            });
            let missed = missed.collect();
            let shares = code.solution(&gram, missed);
            let pushed = pushes.iter().map(|column| code.along(column, &shares));
            let pushed: Vec<Value> = pushed.collect();
            let moved = code.accelerated(&inertia, &pushed);
            for (own, more) in a.iter_mut().zip(moved).chain(lambda.iter_mut().zip(shares)) {
                *own = code.sum(*own, more);
            }
        }
        Some(Solution {
            a,
            lambda,
            slopes: Vec::new(),
            pivots: inertia.pivots.into_iter().chain(gram.pivots).collect(),
            balance,
        })
    }
}

/// Is each pivot a fair part of what it was?
fn regular(pivots: &[f64]) -> bool {
    let (pairs, _) = pivots.as_chunks::<2>();
    let own = pairs.iter().map(|[pivot, terms]| *pivot > LOST * terms);
    own.fold(true, |all, own| all & own)
}

impl Accelerations {
    /// How many inertia forces are looked at beside what they are left over of.
    fn balances(&self) -> usize {
        let others = self.sizes.iter().sum::<usize>() + 2 * self.pivots + self.beside;
        (self.tape.outputs() - others) / 2
    }

    /// How many numbers it is a function of.
    pub fn inputs(&self) -> usize {
        self.tape.inputs()
    }

    /// Code that adds to a sum what is zero where [`Accelerations::eval`] gives these results: places of the results, and of
    /// the sum.
    pub(super) fn lost(&self, code: &mut Builder, found: &[u32], sum: u32) -> u32 {
        let (solution, rest) = found.split_at(self.sizes.iter().sum());
        let sum = code.finite(&solution[..self.sizes[0]], sum);
        code.regular(&rest[..2 * self.pivots], sum)
    }

    /// The pivots at these inputs, as [`Accelerations::pivots`] has them and evaluated alone; none where one is not regular.
    pub fn pivots_at<'a>(&self, inputs: &[f64], scratch: &'a mut Scratch) -> Option<&'a [f64]> {
        let first = self.sizes.iter().sum::<usize>();
        let own = first..first + 2 * self.pivots;
        let tape = self.margins.get_or_init(|| self.part(&[own]));
        scratch.evaluate(tape, inputs, 0);
        regular(&scratch.out).then_some(&scratch.out)
    }

    /// What was asked for beside the accelerations at these inputs, as [`Accelerations::beside`] has it and evaluated alone.
    pub fn beside_at<'a>(&self, inputs: &[f64], scratch: &'a mut Scratch) -> &'a [f64] {
        let all = self.tape.outputs();
        let own = all - self.beside..all;
        let tape = self.others.get_or_init(|| self.part(&[own]));
        scratch.evaluate(tape, inputs, 0);
        &scratch.out
    }

    /// The code of some of the results alone.
    fn part(&self, own: &[Range<usize>]) -> Tape {
        let (code, results) = self.tape.assigned_once();
        let mut alone = Builder::default();
        let inputs = alone.inputs(self.tape.inputs());
        let own: Vec<u32> = own
            .iter()
            .flat_map(|own| &results[own.clone()])
            .copied()
            .collect();
        let places = alone.inlined(&code, &inputs, &own);
        alone.finish(&places, inputs.len())
    }

    /// The pivots evaluated last, each with the size of its terms, those left out that are the same everywhere.
    pub fn pivots<'a>(&self, scratch: &'a Scratch) -> &'a [f64] {
        let first = scratch.solution + self.sizes.iter().sum::<usize>();
        let own = scratch.out.get(first..first + 2 * self.pivots);
        own.unwrap_or_default()
    }

    /// What was asked for beside them, evaluated last.
    pub fn beside<'a>(&self, scratch: &'a Scratch) -> &'a [f64] {
        let own = scratch.out.len().checked_sub(self.beside);
        own.map_or(&[], |first| &scratch.out[first..])
    }

    /// a, lambda and (in a chart) the columns of -J_D^-1 J_I at these inputs; none where they are not as good as equations of
    /// this condition allow, unless forces cancel ([`Accelerations::are_balanced`]).
    pub fn eval<'a>(&self, inputs: &[f64], scratch: &'a mut Scratch) -> Option<[&'a [f64]; 3]> {
        self.solved(&self.tape, inputs, scratch)
    }

    /// The same where nobody asks how forces cancel: code that is a sixth shorter for a chain of links.
    pub fn eval_unweighed<'a>(
        &self,
        inputs: &[f64],
        scratch: &'a mut Scratch,
    ) -> Option<[&'a [f64]; 3]> {
        let balances = self.balances();
        if balances == 0 {
            return self.eval(inputs, scratch);
        }
        let all = self.tape.outputs();
        let (known, beside) = (all - self.beside - 2 * balances, all - self.beside);
        let part = || self.part(&[0..known, beside..all]);
        self.solved(self.unweighed.get_or_init(part), inputs, scratch)
    }

    /// What a tape gives of them, where it is good.
    fn solved<'a>(
        &self,
        tape: &Tape,
        inputs: &[f64],
        scratch: &'a mut Scratch,
    ) -> Option<[&'a [f64]; 3]> {
        scratch.evaluate(tape, inputs, 0);
        let (outs, rest) = shared(&scratch.out, self.sizes)?;
        regular(rest.get(..2 * self.pivots)?).then_some(outs)
    }

    /// Whether the forces where it was evaluated last and the inertia forces that they cancel to are of sizes that go together:
    /// else these are found by exchanges only, from the constraints. One that was larger a while `before` only passes zero;
    /// takes the inertia forces for the next time.
    pub fn are_balanced(&self, scratch: &Scratch, before: &mut Vec<f64>) -> bool {
        let first = scratch.solution + self.sizes.iter().sum::<usize>() + 2 * self.pivots;
        let own = scratch.out.get(first..first + 2 * self.balances());
        let (pairs, _) = own.unwrap_or_default().as_chunks::<2>();
        before.resize(pairs.len(), 0.0);
        let mut all = true;
        for ([rest, terms], before) in pairs.iter().zip(before) {
            let (rest, kept) = (rest.abs(), REMEMBERED * *before);
            *before = if kept > rest { kept } else { rest };
            all &= *terms <= CANCELS * *before || rest == 0.0;
        }
        all
    }

    /// The same of results that are known to be good.
    pub(super) fn solution<'a>(&self, out: &'a [f64]) -> Option<[&'a [f64]; 3]> {
        Some(shared(out, self.sizes)?.0)
    }
}

/// Code that adds to a sum what is zero where all is well.
impl Builder {
    pub(super) fn size(&mut self, a: u32) -> u32 {
        self.push(Op::Apply(Function::Abs, a))
    }

    /// The sum of the sizes of some values.
    pub(super) fn sizes(&mut self, list: &[u32]) -> u32 {
        let sizes: Vec<u32> = list.iter().map(|e| self.size(*e)).collect();
        let sum = sizes.into_iter().reduce(|a, b| self.push(Op::Add(a, b)));
        sum.unwrap_or_else(|| self.constant(0.0))
    }

    /// Twice what a margin is below zero.
    pub(super) fn below(&mut self, margin: u32) -> u32 {
        let size = self.size(margin);
        self.push(Op::Sub(size, margin))
    }

    /// Zero where all of these are finite, else not a number.
    pub(super) fn finite(&mut self, list: &[u32], mut sum: u32) -> u32 {
        for own in list {
            let none = self.push(Op::Sub(*own, *own));
            sum = self.push(Op::Add(sum, none));
        }
        sum
    }

    /// Zero where each pivot is a fair part of what it was.
    fn regular(&mut self, pivots: &[u32], mut sum: u32) -> u32 {
        let lost = self.constant(LOST);
        for pair in pivots.chunks_exact(2) {
            let margin = self.push(Op::MulSub(lost, pair[1], pair[0]));
            let none = self.below(margin);
            sum = self.push(Op::Add(sum, none));
        }
        sum
    }

    /// Zero where values have the signs of others.
    fn alike(&mut self, (a, b): (&[u32], &[u32]), mut sum: u32) -> u32 {
        for (a, b) in a.iter().zip(b) {
            let sizes = [self.size(*a), self.size(*b)];
            let both = self.push(Op::Add(*a, *b));
            let both = self.size(both);
            let sizes = self.push(Op::Add(sizes[0], sizes[1]));
            let none = self.push(Op::Sub(sizes, both));
            sum = self.push(Op::Add(sum, none));
        }
        sum
    }
}

impl Corrections {
    /// Code that corrects a place among its inputs: each time these parts of (x, x'). Gives what was found the last time.
    pub(super) fn corrected(
        &self,
        code: &mut Builder,
        at: &mut [u32],
        parts: &[Range<usize>],
        found: &mut impl FnMut(&mut Builder, &[u32]),
    ) -> Vec<u32> {
        let (own, results) = self.tape.assigned_once();
        let mut last = Vec::new();
        for part in parts {
            last = code.inlined(&own, at, &results);
            found(code, &last);
            for k in part.clone() {
                at[k] = code.push(Op::Sub(at[k], last[k]));
            }
        }
        last
    }

    /// Code that adds to a sum what is zero where [`Corrections::eval`] gives these results, finite ones, and the determinants
    /// have the signs of others.
    pub(super) fn lost(
        &self,
        code: &mut Builder,
        (found, determinants): (&[u32], &[u32]),
        sum: u32,
    ) -> u32 {
        let sum = code.finite(&found[..self.sizes[0] + self.sizes[1]], sum);
        let first = self.sizes.iter().sum();
        let sum = code.regular(&found[first..first + 2 * self.pivots], sum);
        code.alike((self.determinants(found), determinants), sum)
    }

    /// Those of the blocks of J_D, of all results.
    pub(super) fn determinants<'a, T>(&self, found: &'a [T]) -> &'a [T] {
        &found[self.sizes.iter().sum::<usize>() + 2 * self.pivots..]
    }

    /// How many blocks those are.
    pub(super) fn blocks(&self) -> usize {
        self.tape.outputs() - self.sizes.iter().sum::<usize>() - 2 * self.pivots
    }

    /// The sign of det J_D, of the determinants of its blocks.
    pub(super) fn sign(&self, determinants: &[f64]) -> f64 {
        let signs = determinants.iter();
        signs.fold(self.sign, |sign, d| sign * d.signum())
    }

    /// Of dx and dv, one after the other, as they were evaluated last, these entries.
    pub fn moves(scratch: &Scratch, part: Range<usize>) -> &[f64] {
        scratch.out.get(part).unwrap_or_default()
    }

    /// dx, dv, the residuals and the sizes of their terms at these inputs; and the sign of det J_D (1 without a chart). None
    /// where the constraints are nearly dependent.
    pub fn eval<'a>(
        &self,
        inputs: &[f64],
        scratch: &'a mut Scratch,
    ) -> Option<([&'a [f64]; 4], f64)> {
        scratch.evaluate(&self.tape, inputs, 0);
        let (outs, rest) = shared(&scratch.out, self.sizes)?;
        let (pivots, determinants) = rest.split_at_checked(2 * self.pivots)?;
        regular(pivots).then_some((outs, self.sign(determinants)))
    }
}

/// The first parts of a list, of these lengths, and the rest of it.
fn shared<const N: usize>(all: &[f64], sizes: [usize; N]) -> Option<([&[f64]; N], &[f64])> {
    let (mut parts, mut rest) = ([&all[..0]; N], all);
    for (part, size) in parts.iter_mut().zip(sizes) {
        (*part, rest) = rest.split_at_checked(size)?;
    }
    Some((parts, rest))
}

/// The values of some coordinates among all, none of the others.
fn placed(all: usize, coordinates: &[usize], values: Vec<Value>) -> Vec<Value> {
    let mut out = vec![None; all];
    for (&k, value) in coordinates.iter().zip(values) {
        out[k] = value;
    }
    out
}

/// What solves the equations.
struct Solution {
    a: Vec<Value>,
    lambda: Vec<Value>,
    slopes: Vec<Value>,
    /// Each pivot, and the size of the terms that it is the sum of.
    pivots: Vec<[u32; 2]>,
    /// The inertia force of each coordinate, and the size of the forces that cancel to it.
    balance: Vec<[u32; 2]>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{Function, SymbolKind};
    use nalgebra::{DMatrix, DVector};

    /// With and without charts, the code gives what dense elimination with exchanges gives, and says where it would not.
    #[test]
    #[allow(clippy::too_many_lines)] // one random system, looked at from all sides
    fn agrees_with_dense_elimination_where_it_says_so() {
        let (mut good, mut refused) = (0, 0);
        for seed in 0..400 {
            let mut random = fastrand::Rng::with_seed(seed);
            let (n, m) = (random.usize(1..6), random.usize(0..4));
            let m = m.min(n);
            let pool = Pool::new();
            let x: Vec<Expr> = (0..n)
                .map(|index| {
                    pool.symbol(
                        &format!("x{index}"),
                        SymbolKind::Coordinate { index, order: 0 },
                    )
                })
                .collect();
            let sparse = random.f64();
            let mut entry = |diagonal: f64| {
                if diagonal == 0.0 && random.f64() < sparse {
                    return pool.zero();
                }
                let k = random.usize(..n);
                let wave = pool.apply(Function::Sin, pool.mul(pool.number(random.i64(1..5)), x[k]));
                pool.add(wave, pool.number(diagonal as i64))
            };
            let lower: Vec<Vec<Expr>> = (0..n)
                .map(|i| {
                    (0..=i)
                        .map(|k| entry(if i == k { 3.0 } else { 0.0 }))
                        .collect()
                })
                .collect();
            let mass: Vec<Vec<Expr>> = (0..n)
                .map(|i| (0..n).map(|k| lower[i.max(k)][i.min(k)]).collect())
                .collect();
            let mut list = |size: usize| -> Vec<Expr> { (0..size).map(|_| entry(0.0)).collect() };
            let rows: Vec<Vec<Expr>> = (0..m).map(|_| list(n)).collect();
            let [bias, gamma, residuals, rates] = [n, m, m, m].map(&mut list);
            let parts = Parts {
                mass: &mass,
                bias: &bias,
                rows: &rows,
                gamma: &gamma,
                residuals: &residuals,
                scales: &residuals,
                rates: &rates,
                beside: &[],
            };
            let Some(lagrange) = Lagrange::new(&pool, (&x, &[]), &parts) else {
                continue;
            };
            let at: Vec<f64> = (0..n).map(|_| 3.0 * random.f64()).collect();
            let value = |e: Expr| Tape::new(&pool, &x, &[e]).values(&at)[0];
            let mut matrix = DMatrix::zeros(n + m, n + m);
            for i in 0..n {
                for k in 0..n {
                    matrix[(i, k)] = value(mass[i][k]);
                }
                for (b, row) in rows.iter().enumerate() {
                    matrix[(n + b, i)] = value(row[i]);
                    matrix[(i, n + b)] = -value(row[i]);
                }
            }
            let right = bias
                .iter()
                .map(|e| -value(*e))
                .chain(gamma.iter().map(|e| value(*e)));
            let right = DVector::from_iterator(n + m, right);
            let expected = matrix.clone().lu().solve(&right);
            let mut dependent: Vec<usize> = (0..n).collect();
            random.shuffle(&mut dependent);
            dependent.truncate(m);
            for chart in [None, Some(dependent.as_slice())] {
                let mut scratch = Scratch::default();
                let code = lagrange.accelerations(chart);
                let found = code.as_ref().and_then(|code| code.eval(&at, &mut scratch));
                if let Some([a, lambda, slopes]) = found
                    && slopes.iter().all(|s| s.abs() < 1e3)
                {
                    let expected = expected.as_ref().unwrap_or_else(|| panic!("seed {seed}"));
                    let size = expected.amax().max(1.0);
                    for (e, found) in expected.iter().zip(a.iter().chain(lambda)) {
                        assert!((e - found).abs() < 1e-8 * size, "seed {seed}: {e} {found}");
                    }
                    good += 1;
                } else {
                    refused += 1;
                }
                let Some(code) = lagrange.corrections(chart) else {
                    continue;
                };
                let Some(([dx, dv, ..], sign)) = code.eval(&at, &mut scratch) else {
                    continue;
                };
                if let Some(dependent) = chart {
                    let block = DMatrix::from_fn(m, m, |b, i| value(rows[b][dependent[i]]));
                    assert_eq!(sign, block.determinant().signum(), "seed {seed}");
                }
                for (moves, right) in [(dx, &residuals), (dv, &rates)] {
                    for (row, right) in rows.iter().zip(right) {
                        let sum: f64 = row.iter().zip(moves).map(|(e, d)| value(*e) * d).sum();
                        let size = moves.iter().fold(1.0, |most: f64, d| most.max(d.abs()));
                        assert!((sum - value(*right)).abs() < 1e-9 * size, "seed {seed}");
                    }
                }
            }
        }
        assert!(good > 250 && refused > 20, "{good} {refused}");
    }
}
