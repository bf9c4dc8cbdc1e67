//! Expressions evaluated over boxes, and boxes narrowed to where expressions can have given values.

use crate::expr::{Expr, Function, INTERVAL, Interval, Op, Pool, Program, Smooth, calculate};

/// How often a contraction goes over its equations again while it pays.
const SWEEPS: usize = 8;
/// A sweep pays where some side became shorter by this part.
const PAYS: f64 = 0.1;

/// How a box lies to the domain of expressions; the worst of what stands in them counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Domain {
    /// All of it is inside: they and all their derivatives are defined.
    Inside,
    /// They are defined; the argument of an `abs` or a `sign` may be zero there.
    Kink,
    /// It meets the end of a domain: a root of what may be zero or negative, `asin` or `acos` of what may be
    /// 1 or beyond, the cut of `atan2`.
    Edge,
    /// It may hold a pole: a division by zero, a pole of `tan`, the logarithm of zero.
    Pole,
}

/// Expressions compiled for intervals: `outputs` functions of `inputs` numbers.
#[derive(Clone, Debug, Default)]
pub struct BoxFunction {
    program: Program,
    constants: Vec<Interval>,
    /// operations on numbers that an evaluation takes
    operations: usize,
}

/// Operations on intervals that an instruction takes.
fn weight(op: &Op) -> usize {
    match op {
        Op::Constant(_) | Op::Input(_) => 0,
        Op::Add(..) | Op::Sub(..) | Op::Neg(_) => 1,
        Op::Mul(..) | Op::Div(..) => 2,
        Op::MulAdd(..) | Op::MulSub(..) | Op::FusedAdd(..) | Op::FusedSub(..) | Op::Sqrt(_) => 3,
        Op::Powi(..) => 5,
        Op::Pow(..) | Op::Apply(..) | Op::Atan2(..) => 10,
    }
}

/// Working memory, kept by the caller.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// the value of each instruction
    values: Vec<Interval>,
    /// was it made smaller by what uses it?
    narrowed: Vec<bool>,
}

impl Trace {
    fn at(&self, k: u32) -> Interval {
        self.values[k as usize]
    }

    /// Narrows a value; false where it becomes empty.
    fn narrow(&mut self, k: u32, by: Interval) -> bool {
        let old = self.at(k);
        let new = old.meet(by);
        if new != old {
            self.values[k as usize] = new;
            self.narrowed[k as usize] = true;
        }
        !new.is_empty()
    }
}

impl BoxFunction {
    /// Compiles `outputs` as functions of the symbols `inputs`, in their order.
    pub fn new(pool: &Pool, inputs: &[Expr], outputs: &[Expr]) -> Self {
        let program = Program::new(pool, inputs, outputs);
        let constants = program
            .code
            .iter()
            .map(|op| match op {
                Op::Constant(c) if c.is_nan() => Interval::ALL,
                Op::Constant(c) if program.rounded.contains(&c.to_bits()) => {
                    Interval::new(c.next_down(), c.next_up())
                }
                Op::Constant(c) => Interval::point(*c),
                _ => Interval::ALL,
            })
            .collect();
        Self {
            operations: INTERVAL * program.code.iter().map(weight).sum::<usize>(),
            program,
            constants,
        }
    }

    /// The same with some of the outputs only.
    #[must_use]
    pub(super) fn only(&self, outputs: &[usize]) -> Self {
        let mut same = self.clone();
        same.program.results = outputs.iter().map(|k| self.program.results[*k]).collect();
        same
    }

    /// How many it gives.
    pub fn outputs(&self) -> usize {
        self.program.results.len()
    }

    /// How many instructions it has.
    pub fn cost(&self) -> usize {
        self.program.code.len()
    }

    /// Bounds on the outputs over a box, each over the part of the box in its domain. True where every
    /// function on the way is C^1 on the whole box (so that it is defined there).
    pub fn eval(&self, inputs: &[Interval], trace: &mut Trace, out: &mut [Interval]) -> bool {
        let domain = self.forward(inputs, trace);
        for (i, place) in out.iter_mut().enumerate().take(self.outputs()) {
            *place = self.output(trace, i);
        }
        domain == Domain::Inside
    }

    /// Output `i` after an evaluation.
    fn output(&self, trace: &Trace, i: usize) -> Interval {
        let at = |r: &u32| trace.values.get(*r as usize).copied();
        let result = self.program.results.get(i).and_then(at);
        result.unwrap_or(Interval::ALL)
    }

    /// The value of each instruction, and how the box lies to the domain.
    pub(super) fn forward(&self, inputs: &[Interval], trace: &mut Trace) -> Domain {
        let code = &self.program.code;
        calculate(self.operations);
        trace.values.clear();
        trace.values.reserve(code.len());
        let (mut worst, mut empty) = (Domain::Inside, false);
        let mut unless = |inside: bool, else_: Domain| {
            if !inside {
                worst = worst.max(else_);
            }
        };
        for (i, &op) in code.iter().enumerate() {
            let at = |k: u32| trace.at(k);
            let value = match op {
                Op::Constant(_) => self.constants[i],
                Op::Input(k) => inputs.get(k as usize).copied().unwrap_or(Interval::ALL),
                Op::Add(a, b) => at(a).add(at(b)),
                Op::Sub(a, b) => at(a).sub(at(b)),
                Op::Mul(a, b) if a == b => at(a).powi(2),
                Op::Mul(a, b) => at(a).mul(at(b)),
                Op::MulAdd(a, b, c) | Op::FusedAdd(a, b, c) => at(a).mul(at(b)).add(at(c)),
                Op::MulSub(a, b, c) | Op::FusedSub(a, b, c) => at(c).sub(at(a).mul(at(b))),
                Op::Div(a, b) => {
                    unless(!at(b).contains(0.0), Domain::Pole);
                    at(a).div(at(b))
                }
                Op::Neg(a) => at(a).neg(),
                Op::Sqrt(a) => {
                    unless(at(a).lo > 0.0, Domain::Edge);
                    at(a).sqrt()
                }
                Op::Powi(a, n) => {
                    unless(n > 0 || !at(a).contains(0.0), Domain::Pole);
                    at(a).powi(n)
                }
                Op::Pow(a, b) => {
                    let rises = at(b).lo > 0.0;
                    let end = if rises { Domain::Edge } else { Domain::Pole };
                    unless(at(a).lo > 0.0, end);
                    self.power(at(a), b, at(b))
                }
                Op::Apply(f, a) => {
                    let end = match f.smooth() {
                        Smooth::BetweenPoles | Smooth::Positive => Domain::Pole,
                        Smooth::NotZero => Domain::Kink,
                        Smooth::Everywhere | Smooth::InsideUnit | Smooth::OffCut => Domain::Edge,
                    };
                    unless(is_smooth(f, at(a)), end);
                    at(a).apply(f)
                }
                Op::Atan2(a, b) => {
                    unless(at(a).misses_cut(at(b)), Domain::Edge);
                    at(a).atan2(at(b))
                }
            };
            empty |= value.is_empty();
            trace.values.push(value);
        }
        // an empty part: nothing of the box is in the domain
        unless(!empty, Domain::Edge);
        worst
    }

    /// A power; a constant exponent is a rational number rounded.
    fn power(&self, base: Interval, place: u32, exponent: Interval) -> Interval {
        match self.program.code.get(place as usize) {
            Some(Op::Constant(c)) if c.fract() == 0.0 => base.pow(Interval::point(*c)),
            Some(Op::Constant(c)) => base.powf(*c),
            _ => base.pow(exponent),
        }
    }

    /// Narrows a box to the part where every output can lie in its target; false where no part can.
    /// Nothing of {x in the box: output(x) in target} is lost.
    pub fn contract(&self, x: &mut [Interval], targets: &[Interval], trace: &mut Trace) -> bool {
        for _ in 0..SWEEPS {
            let before: Vec<f64> = x.iter().map(|side| side.width()).collect();
            if !self.sweep(x, targets, trace) {
                return false;
            }
            let paid = x.iter().zip(&before).any(|(side, old)| {
                let new = side.width();
                new < (1.0 - PAYS) * old || old.is_infinite() && new.is_finite()
            });
            if !paid {
                break;
            }
        }
        true
    }

    /// Forward, then backward: HC4 (Benhamou, Goualard, Granvilliers, Puget, 1999). An instruction of which nothing was narrowed
    /// narrows nothing: its operands are within what its value allows, but for those outside its domain.
    fn sweep(&self, x: &mut [Interval], targets: &[Interval], trace: &mut Trace) -> bool {
        self.forward(x, trace);
        trace.narrowed.clear();
        trace.narrowed.resize(self.cost(), false);
        for (place, target) in self.program.results.iter().zip(targets) {
            if !trace.narrow(*place, *target) {
                return false;
            }
        }
        calculate(self.operations);
        for (i, &op) in self.program.code.iter().enumerate().rev() {
            let z = trace.values[i];
            if z.is_empty() {
                return false;
            }
            let touched = trace.narrowed[i];
            let needed = match op {
                Op::Constant(_) | Op::Atan2(..) => false,
                Op::Sqrt(_) | Op::Pow(..) => true,
                Op::Apply(f, _) => touched || f.smooth() != Smooth::Everywhere,
                Op::Input(_) | Op::Neg(_) | Op::Powi(..) => touched,
                _ => {
                    let mut operands = op.operands().into_iter().flatten();
                    touched || operands.any(|k| trace.narrowed[k as usize])
                }
            };
            if !needed {
                continue;
            }
            if let Op::Input(k) = op {
                if let Some(side) = x.get_mut(k as usize) {
                    *side = side.meet(z);
                    if side.is_empty() {
                        return false;
                    }
                }
                continue;
            }
            if !self.backward(op, z, trace) {
                return false;
            }
        }
        true
    }

    /// Narrows the operands of one instruction whose value is z; false where one becomes empty.
    fn backward(&self, op: Op, z: Interval, v: &mut Trace) -> bool {
        match op {
            Op::Constant(_) | Op::Input(_) | Op::Atan2(..) => true,
            Op::Add(a, b) => {
                let (x, y) = (v.at(a), v.at(b));
                v.narrow(a, z.sub(y)) && v.narrow(b, z.sub(x))
            }
            Op::Sub(a, b) => {
                let (x, y) = (v.at(a), v.at(b));
                v.narrow(a, z.add(y)) && v.narrow(b, x.sub(z))
            }
            Op::Mul(a, b) if a == b => v.narrow(a, root_within(z, 2, v.at(a))),
            Op::Mul(a, b) => product_backward(v, (a, b), z),
            Op::MulAdd(a, b, c) | Op::FusedAdd(a, b, c) => {
                let (x, y, w) = (v.at(a), v.at(b), v.at(c));
                v.narrow(c, z.sub(x.mul(y))) && product_backward(v, (a, b), z.sub(w))
            }
            Op::MulSub(a, b, c) | Op::FusedSub(a, b, c) => {
                let (x, y, w) = (v.at(a), v.at(b), v.at(c));
                v.narrow(c, z.add(x.mul(y))) && product_backward(v, (a, b), w.sub(z))
            }
            Op::Div(a, b) => {
                let (x, y) = (v.at(a), v.at(b));
                // x = z y; where z may be without bound and y zero, anything
                let top = if y.contains(0.0) && !z.is_bounded() {
                    Interval::ALL
                } else {
                    z.mul(y)
                };
                v.narrow(a, top) && v.narrow(b, x.div_within(z, y))
            }
            Op::Neg(a) => v.narrow(a, z.neg()),
            Op::Sqrt(a) => v.narrow(a, not_negative(z).powi(2)),
            Op::Powi(a, n) => {
                let (x, positive) = (v.at(a), if n > 0 { z } else { z.recip() });
                if n == 0 || n == i32::MIN || positive.is_empty() {
                    return n == 0 || !positive.is_empty();
                }
                v.narrow(a, root_within(positive, n.unsigned_abs(), x))
            }
            Op::Pow(a, b) => {
                let Some(Op::Constant(p)) = self.program.code.get(b as usize) else {
                    return true;
                };
                let p = *p;
                if p.fract() == 0.0 {
                    return true;
                }
                let z = not_negative(z);
                if z.is_empty() {
                    return false;
                }
                // x = z^(1/p); the reciprocal of the exponent is off by an ulp more
                v.narrow(a, z.powf(1.0 / p))
            }
            Op::Apply(f, a) => v.narrow(a, inverse_image(f, z, v.at(a))),
        }
    }
}

/// x y = z narrowed in x and y.
fn product_backward(v: &mut Trace, (a, b): (u32, u32), z: Interval) -> bool {
    let (x, y) = (v.at(a), v.at(b));
    v.narrow(a, z.div_within(y, x)) && v.narrow(b, z.div_within(x, y))
}

/// The numbers of `within` whose n-th power can be in z.
fn root_within(z: Interval, n: u32, within: Interval) -> Interval {
    let root = |v: Interval| match n {
        1 => v,
        2 => v.sqrt(),
        _ => v.powf(1.0 / f64::from(n)),
    };
    if n % 2 == 1 {
        let above = root(not_negative(z));
        let below = root(not_negative(z.neg())).neg();
        return match (above.is_empty(), below.is_empty()) {
            (false, _) | (_, false) => above.hull(below).meet(within),
            _ => Interval::EMPTY,
        };
    }
    of_either_sign(root(not_negative(z)), within)
}

/// The part of an interval that is not negative.
fn not_negative(z: Interval) -> Interval {
    z.meet(Interval::new(0.0, f64::INFINITY))
}

/// The numbers of `within` of these absolute values.
fn of_either_sign(size: Interval, within: Interval) -> Interval {
    if size.is_empty() {
        return Interval::EMPTY;
    }
    size.meet(within).hull(size.neg().meet(within))
}

/// The numbers of `within` at which a function can have a value in z.
fn inverse_image(f: Function, z: Interval, within: Interval) -> Interval {
    let half = Interval::PI.mul(Interval::point(0.5));
    let quarter_turns = Interval::new(-half.hi, half.hi);
    match f {
        Function::Sin => z.asin_within(within),
        Function::Cos => {
            // cos x = sin(x + pi/2)
            let turned = z.asin_within(within.add(half));
            turned.sub(half).meet(within)
        }
        Function::Tan => z.atan_within(within),
        Function::Asin => z.meet(quarter_turns).apply(Function::Sin),
        Function::Acos => z.apply(Function::Cos),
        Function::Atan => {
            let inside = z.meet(quarter_turns);
            if inside.is_empty() {
                Interval::EMPTY
            } else {
                inside.apply(Function::Tan)
            }
        }
        Function::Exp => z.apply(Function::Log),
        Function::Log => z.apply(Function::Exp),
        Function::Abs => of_either_sign(not_negative(z), within),
        Function::Cosh => {
            // x = +-log(z + sqrt(z^2 - 1))
            let z = z.meet(Interval::new(1.0, f64::INFINITY));
            if z.is_empty() {
                return Interval::EMPTY;
            }
            let root = z.powi(2).sub(Interval::ONE).sqrt();
            of_either_sign(z.add(root).apply(Function::Log).abs(), within)
        }
        Function::Atan2 | Function::Sinh | Function::Tanh | Function::Erf | Function::Sign => {
            Interval::ALL
        }
    }
}

/// Is a function of one argument C^1 on an interval?
pub fn is_smooth(f: Function, x: Interval) -> bool {
    match f.smooth() {
        Smooth::Everywhere => true,
        Smooth::NotZero => !x.contains(0.0),
        Smooth::Positive => x.lo > 0.0,
        Smooth::InsideUnit => x.is_inside(Interval::new(-1.0, 1.0)) && !x.is_empty(),
        Smooth::BetweenPoles => x.has_no_pole(),
        Smooth::OffCut => false,
    }
}
