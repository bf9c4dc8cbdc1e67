//! A list of expressions compiled to straight-line code.
//!
//! Every distinct subexpression is computed once, into a numbered slot; slots are used again once
//! their value is not needed any more, so that the working set stays in the first cache.

use super::calculus::whole;
use super::function::Function;
use super::native::Native;
use super::number::Number;
use super::pool::{Expr, Node, Pool, SymbolKind};
use crate::effort::calculate;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;
use std::mem::{Discriminant, discriminant};

/// One instruction; operands are slots.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Op {
    Constant(f64),
    Input(u32),
    Add(u32, u32),
    Sub(u32, u32),
    Mul(u32, u32),
    /// a * b + c, rounded twice
    MulAdd(u32, u32, u32),
    /// c - a * b, rounded twice
    MulSub(u32, u32, u32),
    /// a * b + c, rounded once. Only where nothing rests on a difference of equal products being zero: in what solves equations
    /// and combines steps, not in what a user wrote
    FusedAdd(u32, u32, u32),
    /// c - a * b, rounded once
    FusedSub(u32, u32, u32),
    Div(u32, u32),
    Neg(u32),
    Sqrt(u32),
    Powi(u32, i32),
    Pow(u32, u32),
    Apply(Function, u32),
    Atan2(u32, u32),
}

impl Op {
    pub(crate) fn operands(self) -> [Option<u32>; 3] {
        let mut all = [None; 3];
        let mut places = all.iter_mut();
        self.renamed(|slot| {
            if let Some(place) = places.next() {
                *place = Some(slot);
            }
            slot
        });
        all
    }

    fn renamed(self, mut slot: impl FnMut(u32) -> u32) -> Self {
        match self {
            Self::Constant(_) | Self::Input(_) => self,
            Self::Add(a, b) => Self::Add(slot(a), slot(b)),
            Self::Sub(a, b) => Self::Sub(slot(a), slot(b)),
            Self::Mul(a, b) => Self::Mul(slot(a), slot(b)),
            Self::MulAdd(a, b, c) => Self::MulAdd(slot(a), slot(b), slot(c)),
            Self::MulSub(a, b, c) => Self::MulSub(slot(a), slot(b), slot(c)),
            Self::FusedAdd(a, b, c) => Self::FusedAdd(slot(a), slot(b), slot(c)),
            Self::FusedSub(a, b, c) => Self::FusedSub(slot(a), slot(b), slot(c)),
            Self::Div(a, b) => Self::Div(slot(a), slot(b)),
            Self::Neg(a) => Self::Neg(slot(a)),
            Self::Sqrt(a) => Self::Sqrt(slot(a)),
            Self::Powi(a, n) => Self::Powi(slot(a), n),
            Self::Pow(a, b) => Self::Pow(slot(a), slot(b)),
            Self::Apply(f, a) => Self::Apply(f, slot(a)),
            Self::Atan2(a, b) => Self::Atan2(slot(a), slot(b)),
        }
    }
}

/// Compiled expressions: `outputs` functions of `inputs` numbers.
#[derive(Clone, Debug, Default)]
pub struct Tape {
    code: Vec<(Op, u32)>,
    results: Vec<u32>,
    slots: usize,
    inputs: usize,
    native: Native,
}

/// The same code before slots are shared: instruction i gives value i. Powers stay whole, so that an
/// interval is not multiplied by itself, and constants that a double does not hold are told.
#[derive(Clone, Debug, Default)]
pub(crate) struct Program {
    /// The instructions; operands are instructions before.
    pub code: Vec<Op>,
    /// Which instruction gives each output.
    pub results: Vec<u32>,
    /// Bits of the constants that are rounded to nearest.
    pub rounded: FxHashSet<u64>,
}

impl Program {
    /// As [`Tape::new`].
    pub fn new(pool: &Pool, inputs: &[Expr], outputs: &[Expr]) -> Self {
        let mut builder = Builder {
            whole_powers: true,
            ..Builder::default()
        };
        let results = builder.outputs(pool, inputs, outputs);
        Self {
            results,
            code: builder.code,
            rounded: builder.rounded,
        }
    }
}

/// Operations on numbers that an instruction takes, on average.
const INSTRUCTION: usize = 3;

/// Working memory of a tape, kept by the caller so that evaluating allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct Workspace(pub(super) Vec<f64>);

impl Tape {
    /// Compiles `outputs` as functions of the symbols `inputs`, in their order. A symbol that is no
    /// input (and not pi) evaluates to NaN.
    pub fn new(pool: &Pool, inputs: &[Expr], outputs: &[Expr]) -> Self {
        let mut builder = Builder::default();
        let results = builder.outputs(pool, inputs, outputs);
        builder.finish(&results, inputs.len())
    }

    /// How many numbers it takes.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// How many numbers it gives.
    pub fn outputs(&self) -> usize {
        self.results.len()
    }

    /// How many instructions it has.
    pub fn len(&self) -> usize {
        self.code.len()
    }

    /// Has it no instruction?
    pub fn is_empty(&self) -> bool {
        self.code.is_empty()
    }

    /// Evaluates: `inputs` as many as [`Tape::inputs`], `out` as many as [`Tape::outputs`]; numbers
    /// missing from `inputs` are NaN, places missing from `out` are left out.
    pub fn eval(&self, inputs: &[f64], work: &mut Workspace, out: &mut [f64]) {
        calculate(INSTRUCTION * self.code.len());
        if !self
            .native
            .run(|| self.assigned_once(), inputs, &mut work.0, out)
        {
            self.interpret(inputs, work, out);
        }
    }

    /// The instructions and the results as they were before slots were shared: instruction i gives value i.
    pub(super) fn assigned_once(&self) -> (Vec<Op>, Vec<u32>) {
        let mut holds = vec![0_u32; self.slots];
        let mut code = Vec::with_capacity(self.code.len());
        for (&(op, target), i) in self.code.iter().zip(0..) {
            code.push(op.renamed(|slot| holds[slot as usize]));
            holds[target as usize] = i;
        }
        let results = self.results.iter().map(|slot| holds[*slot as usize]);
        (code, results.collect())
    }

    /// As [`Tape::eval`], instruction by instruction.
    pub(super) fn interpret(&self, inputs: &[f64], work: &mut Workspace, out: &mut [f64]) {
        if work.0.len() < self.slots {
            work.0.resize(self.slots, 0.0);
        }
        let s = work.0.as_mut_slice();
        for &(op, target) in &self.code {
            let at = |i: u32| s[i as usize];
            let value = match op {
                Op::Constant(c) => c,
                Op::Input(i) => inputs.get(i as usize).copied().unwrap_or(f64::NAN),
                Op::Add(a, b) => at(a) + at(b),
                Op::Sub(a, b) => at(a) - at(b),
                Op::Mul(a, b) => at(a) * at(b),
                Op::MulAdd(a, b, c) => at(a) * at(b) + at(c),
                Op::MulSub(a, b, c) => at(c) - at(a) * at(b),
                Op::FusedAdd(a, b, c) => at(a).mul_add(at(b), at(c)),
                Op::FusedSub(a, b, c) => (-at(a)).mul_add(at(b), at(c)),
                Op::Div(a, b) => at(a) / at(b),
                Op::Neg(a) => -at(a),
                Op::Sqrt(a) => at(a).sqrt(),
                Op::Powi(a, n) => at(a).powi(n),
                Op::Pow(a, b) => at(a).powf(at(b)),
                Op::Apply(f, a) => f.value(at(a), 0.0),
                Op::Atan2(a, b) => at(a).atan2(at(b)),
            };
            s[target as usize] = value;
        }
        for (place, &slot) in out.iter_mut().zip(&self.results) {
            *place = s[slot as usize];
        }
    }

    /// As [`Tape::eval`], into a new vector.
    pub fn values(&self, inputs: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.outputs()];
        self.eval(inputs, &mut Workspace::default(), &mut out);
        out
    }
}

/// Code in single-assignment form: instruction i gives value i. What is computed already is not computed again, and
/// what is known is not computed at all.
#[derive(Clone, Debug, Default)]
pub(super) struct Builder {
    code: Vec<Op>,
    places: FxHashMap<Expr, u32>,
    /// Where the value of an instruction stands.
    known: FxHashMap<Meaning, u32>,
    /// Inputs whose values stand fast.
    bound: FxHashMap<Expr, f64>,
    /// are powers left as they are?
    whole_powers: bool,
    /// bits of the constants that are rounded
    rounded: FxHashSet<u64>,
}

/// What makes two instructions the same.
type Meaning = (Discriminant<Op>, [Option<u32>; 3], u64);

impl Builder {
    /// One for functions of which these inputs have values that stand fast.
    pub(super) fn bound(bound: FxHashMap<Expr, f64>) -> Self {
        Self {
            bound,
            ..Self::default()
        }
    }

    /// Adds the code of `outputs` as functions of `inputs`; gives the places of their values.
    pub(super) fn outputs(&mut self, pool: &Pool, inputs: &[Expr], outputs: &[Expr]) -> Vec<u32> {
        let places: FxHashMap<Expr, u32> = inputs.iter().copied().zip(0..).collect();
        pool.visit(outputs, &mut |e, node| self.node(pool, &places, e, node));
        outputs.iter().map(|e| self.place(*e)).collect()
    }

    /// How many instructions there are.
    pub(super) fn len(&self) -> usize {
        self.code.len()
    }

    /// The places of so many inputs.
    pub(super) fn inputs(&mut self, count: usize) -> Vec<u32> {
        (0..count as u32)
            .map(|input| self.push(Op::Input(input)))
            .collect()
    }

    /// Adds code in which instruction i gives value i, for inputs that stand at these places; gives the places of its
    /// results.
    pub(super) fn inlined(&mut self, code: &[Op], inputs: &[u32], results: &[u32]) -> Vec<u32> {
        let mut places: Vec<u32> = Vec::with_capacity(code.len());
        for op in code {
            places.push(match op {
                Op::Input(input) => inputs[*input as usize],
                _ => self.push(op.renamed(|value| places[value as usize])),
            });
        }
        results
            .iter()
            .map(|value| places[*value as usize])
            .collect()
    }

    /// The value at a place, where it is a constant.
    pub(super) fn value(&self, place: u32) -> Option<f64> {
        match self.code.get(place as usize) {
            Some(Op::Constant(c)) => Some(*c),
            _ => None,
        }
    }

    /// Adds an instruction, or finds what gives the same.
    #[allow(clippy::cast_possible_truncation)] // bounded by the size of the pool
    pub(super) fn push(&mut self, op: Op) -> u32 {
        let op = match self.shortened(op) {
            Ok(place) => return place,
            Err(op) => op,
        };
        let [mut a, mut b, c] = op.operands();
        if matches!(
            op,
            Op::Add(..)
                | Op::Mul(..)
                | Op::MulAdd(..)
                | Op::MulSub(..)
                | Op::FusedAdd(..)
                | Op::FusedSub(..)
        ) && a > b
        {
            (a, b) = (b, a);
        }
        let more = match op {
            Op::Constant(c) => c.to_bits(),
            Op::Input(i) => u64::from(i),
            Op::Powi(_, n) => u64::from(n.cast_unsigned()),
            Op::Apply(f, _) => f as u64,
            _ => 0,
        };
        let place = self.code.len() as u32;
        let known = self.known.entry((discriminant(&op), [a, b, c], more));
        if let Entry::Occupied(known) = known {
            return *known.get();
        }
        known.insert_entry(place);
        self.code.push(op);
        place
    }

    /// An instruction with what is known put in: a place that has its value, or what is left to be done. The
    /// value stays the same to the last bit.
    fn shortened(&mut self, op: Op) -> Result<u32, Op> {
        if self.whole_powers {
            return Err(op);
        }
        let value = |p: u32| self.value(p);
        let folded = match op {
            Op::Add(a, b) => value(a).zip(value(b)).map(|(a, b)| a + b),
            Op::Sub(a, b) => value(a).zip(value(b)).map(|(a, b)| a - b),
            Op::Mul(a, b) => value(a).zip(value(b)).map(|(a, b)| a * b),
            Op::Div(a, b) => value(a).zip(value(b)).map(|(a, b)| a / b),
            Op::Neg(a) => value(a).map(|a| -a),
            Op::Sqrt(a) => value(a).map(f64::sqrt),
            _ => None,
        };
        if let Some(value) = folded {
            return Ok(self.constant(value));
        }
        let is = |p: u32, c: f64| value(p) == Some(c);
        match op {
            Op::Mul(a, b) | Op::Div(b, a) if is(a, 1.0) => Ok(b),
            Op::Mul(a, b) if is(b, 1.0) => Ok(a),
            Op::Mul(a, b) | Op::Div(b, a) if is(a, -1.0) => Ok(self.push(Op::Neg(b))),
            Op::Mul(a, b) if is(b, -1.0) => Ok(self.push(Op::Neg(a))),
            Op::MulAdd(a, b, c) | Op::FusedAdd(a, b, c) if is(a, 1.0) => {
                Ok(self.push(Op::Add(b, c)))
            }
            Op::MulAdd(a, b, c) | Op::FusedAdd(a, b, c) if is(b, 1.0) => {
                Ok(self.push(Op::Add(a, c)))
            }
            Op::MulSub(a, b, c) | Op::FusedSub(a, b, c) if is(a, 1.0) => {
                Ok(self.push(Op::Sub(c, b)))
            }
            Op::MulSub(a, b, c) | Op::FusedSub(a, b, c) if is(b, 1.0) => {
                Ok(self.push(Op::Sub(c, a)))
            }
            _ => Err(op),
        }
    }

    fn place(&self, e: Expr) -> u32 {
        self.places.get(&e).copied().unwrap_or(0)
    }

    fn number(&mut self, n: &Number) -> u32 {
        let value = n.to_f64();
        if self.whole_powers && Number::from_f64(value).as_ref() != Some(n) {
            self.rounded.insert(value.to_bits());
        }
        self.constant(value)
    }

    pub(super) fn constant(&mut self, value: f64) -> u32 {
        self.push(Op::Constant(value))
    }

    fn times(&mut self, a: u32, b: u32) -> u32 {
        self.push(Op::Mul(a, b))
    }

    fn power(&mut self, a: u32, n: i32) -> u32 {
        match n {
            1 => a,
            _ if self.whole_powers => self.push(Op::Powi(a, n)),
            2 => self.times(a, a),
            3 | 4 => {
                let square = self.power(a, 2);
                let other = if n == 3 { a } else { square };
                self.times(square, other)
            }
            _ => self.push(Op::Powi(a, n)),
        }
    }

    fn node(&mut self, pool: &Pool, inputs: &FxHashMap<Expr, u32>, e: Expr, node: &Node) {
        let place = match node {
            Node::Number(n) => self.number(n),
            Node::Symbol(_) => match inputs.get(&e) {
                Some(_) if self.bound.contains_key(&e) => self.constant(self.bound[&e]),
                Some(&i) => self.push(Op::Input(i)),
                None if pool.symbol_kind(e) == Some(SymbolKind::Pi) => {
                    self.rounded.insert(std::f64::consts::PI.to_bits());
                    self.constant(std::f64::consts::PI)
                }
                None => self.constant(f64::NAN),
            },
            Node::Sum(constant, terms) => self.sum(constant, terms),
            Node::Product(coefficient, factors) => self.product(pool, coefficient, factors),
            Node::Apply(f, args) => {
                let a = self.place(args[0]);
                match args.get(1) {
                    Some(b) => {
                        let b = self.place(*b);
                        self.push(Op::Atan2(a, b))
                    }
                    None => self.push(Op::Apply(*f, a)),
                }
            }
        };
        self.places.insert(e, place);
    }

    fn sum(&mut self, constant: &Number, terms: &[(Expr, Number)]) -> u32 {
        // positive terms first: one of them starts the sum without a negation
        let mut ordered: Vec<&(Expr, Number)> = terms.iter().collect();
        ordered.sort_by_key(|(_, k)| (k.is_negative(), !k.is_one()));
        let mut total = (!constant.is_zero()).then(|| self.number(constant));
        for (e, k) in ordered {
            let value = self.place(*e);
            let size = k.abs();
            total = Some(match (total, size.is_one(), k.is_negative()) {
                (None, true, false) => value,
                (None, true, true) => self.push(Op::Neg(value)),
                (None, false, _) => {
                    let factor = self.number(k);
                    self.times(value, factor)
                }
                (Some(t), true, false) => self.push(Op::Add(t, value)),
                (Some(t), true, true) => self.push(Op::Sub(t, value)),
                (Some(t), false, negative) => {
                    let factor = self.number(&size);
                    self.push(if negative {
                        Op::MulSub(value, factor, t)
                    } else {
                        Op::MulAdd(value, factor, t)
                    })
                }
            });
        }
        total.unwrap_or_else(|| self.constant(0.0))
    }

    fn product(&mut self, pool: &Pool, coefficient: &Number, factors: &[(Expr, Expr)]) -> u32 {
        let mut above: Vec<u32> = Vec::new();
        let mut below: Vec<u32> = Vec::new();
        for (base, exponent) in factors {
            let b = self.place(*base);
            let q = pool.as_number(*exponent);
            let (value, inverted) = match &q {
                Some(q) if q.is_integer() && whole(q).is_some_and(|n| n.abs() <= 1024) => {
                    let n = whole(q).unwrap_or(1);
                    (self.power(b, n.abs()), n < 0)
                }
                Some(q) if q.abs() == Number::HALF => (self.push(Op::Sqrt(b)), q.is_negative()),
                Some(q) => {
                    let x = self.number(&q.abs());
                    (self.push(Op::Pow(b, x)), q.is_negative())
                }
                None => {
                    let x = self.place(*exponent);
                    (self.push(Op::Pow(b, x)), false)
                }
            };
            if inverted {
                below.push(value);
            } else {
                above.push(value);
            }
        }
        let scale = (!coefficient.abs().is_one()).then(|| self.number(coefficient));
        let mut top = None;
        for value in above.into_iter().chain(scale) {
            top = Some(match top {
                None => value,
                Some(t) => self.times(t, value),
            });
        }
        let bottom = below.into_iter().reduce(|a, b| self.times(a, b));
        let result = match (top, bottom) {
            (Some(t), None) => t,
            (Some(t), Some(b)) => self.push(Op::Div(t, b)),
            (None, Some(b)) => {
                let one = self.constant(1.0);
                self.push(Op::Div(one, b))
            }
            (None, None) => self.constant(1.0),
        };
        if scale.is_none() && coefficient.is_negative() {
            self.push(Op::Neg(result))
        } else {
            result
        }
    }

    /// Gives every value a slot, using those again whose value has been used up.
    #[allow(clippy::cast_possible_truncation)]
    pub(super) fn finish(self, results: &[u32], inputs: usize) -> Tape {
        let count = self.code.len();
        let mut last_use = vec![None; count];
        for &r in results {
            if let Some(place) = last_use.get_mut(r as usize) {
                *place = Some(usize::MAX);
            }
        }
        // what nothing is made of any more is left out
        for (i, op) in self.code.iter().enumerate().rev() {
            if last_use[i].is_some() {
                for operand in op.operands().into_iter().flatten() {
                    last_use[operand as usize].get_or_insert(i);
                }
            }
        }
        let mut slot_of = vec![0_u32; count];
        let mut free: Vec<u32> = Vec::new();
        let mut slots = 0_u32;
        let mut code = Vec::with_capacity(count);
        for (i, op) in self.code.iter().enumerate() {
            if last_use[i].is_none() {
                continue;
            }
            let renamed = op.renamed(|v| slot_of[v as usize]);
            for operand in op.operands().into_iter().flatten() {
                if last_use[operand as usize] == Some(i) {
                    last_use[operand as usize] = Some(usize::MAX); // freed once
                    free.push(slot_of[operand as usize]);
                }
            }
            let target = free.pop().unwrap_or_else(|| {
                slots += 1;
                slots - 1
            });
            slot_of[i] = target;
            code.push((renamed, target));
        }
        Tape {
            code,
            results: results
                .iter()
                .map(|r| slot_of.get(*r as usize).copied().unwrap_or(0))
                .collect(),
            slots: (slots as usize).max(1),
            inputs,
            native: Native::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_plain_evaluation() {
        let p = Pool::new();
        let x = p.symbol("x", SymbolKind::Coordinate { index: 0, order: 0 });
        let y = p.symbol("y", SymbolKind::Coordinate { index: 1, order: 0 });
        let s = p.apply(Function::Sin, p.mul(x, y));
        let e1 = p.sum([
            p.mul(p.number(3), p.powi(x, 3)),
            p.neg(p.div(s, p.sqrt(p.add(x, y)))),
            p.number(-2),
        ]);
        let e2 = p.derivative(e1, x);
        let e3 = p.pow(x, y);
        let e4 = p.derivative(e3, y);
        let tape = Tape::new(&p, &[x, y], &[e1, e2, e3, e4, x]);
        let at = [0.7, 1.3];
        let values = tape.values(&at);
        for (e, v) in [e1, e2, e3, e4, x].iter().zip(&values) {
            let plain = p.evaluate(*e, &|kind| match kind {
                SymbolKind::Coordinate { index, .. } => at[index],
                _ => f64::NAN,
            });
            assert!((plain - v).abs() < 1e-14, "{plain} {v}");
        }
        let h = 1e-6;
        let near = |d: f64| tape.values(&[at[0] + d, at[1]])[0];
        assert!(((near(h) - near(-h)) / (2.0 * h) - values[1]).abs() < 1e-8);
    }
}
