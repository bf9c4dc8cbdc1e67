//! A tape as machine code: x86-64, one double in a register, the same operations in the same order, so that the results are
//! those of the interpreter to the last bit.
//!
//! Values stay in the sixteen registers; where there are too few, the one that is wanted last goes to memory. Inputs and
//! constants are read where they are used. Functions are called.
//!
//! # Safety
//!
//! This is the one file with `unsafe` in it. The code that it makes reads `inputs`, `constants` and `spills`, and writes `spills`
//! and `out`, each at offsets that are smaller than the lengths that [`MachineCode::run`] compares before it jumps; it
//! keeps the registers and the alignment of the stack that the System V convention asks for, and calls two functions of that
//! convention that do not unwind. The buffer is mapped for as long as the [`MachineCode`] lives.
#![allow(unsafe_code)]
// in what the macro makes of its operands
#![allow(
    clippy::useless_conversion,
    clippy::used_underscore_binding,
    clippy::semicolon_if_nothing_returned,
    clippy::cast_possible_wrap
)]

use super::function::Function;
use super::tape::Op;
use dynasmrt::mmap::MutableBuffer;
use dynasmrt::x64::X64Relocation;
use dynasmrt::{DynasmApi, ExecutableBuffer, VecAssembler, dynasm};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::Arc;

/// Registers for doubles.
const REGISTERS: usize = 16;
/// Bytes of a double.
const DOUBLE: i32 = 8;
/// The numbers of the registers that hold addresses.
const RBX: u8 = 3;
const RBP: u8 = 5;
const R14: u8 = 14;
const R15: u8 = 15;
/// Constants that every tape has: the bit of the sign, and all others.
const MASKS: [f64; 2] = [-0.0, f64::from_bits(!(1 << 63))];

/// Machine code of a tape.
#[derive(Debug)]
pub(super) struct MachineCode {
    enter: Entry,
    /// What `enter` stands in.
    _code: Arc<ExecutableBuffer>,
    constants: Vec<f64>,
    inputs: usize,
    outputs: usize,
    spills: usize,
}

/// Code that a thread keeps mapped: runs that differ in the values of parameters have the same instructions, their constants
/// stand beside them.
const KEPT: usize = 32;

thread_local! {
    static MAPPED: RefCell<VecDeque<(Vec<u8>, Arc<ExecutableBuffer>)>> = RefCell::default();
}

/// Instructions where they can be run, the last ones at hand.
fn mapped(instructions: Vec<u8>) -> Option<Arc<ExecutableBuffer>> {
    MAPPED.with_borrow_mut(|kept| {
        if let Some((_, code)) = kept.iter().find(|(own, _)| *own == instructions) {
            return Some(Arc::clone(code));
        }
        let mut buffer = MutableBuffer::new(instructions.len()).ok()?;
        buffer.set_len(instructions.len());
        buffer.copy_from_slice(&instructions);
        let code = Arc::new(buffer.make_exec().ok()?);
        kept.truncate(KEPT - 1);
        kept.push_front((instructions, Arc::clone(&code)));
        Some(code)
    })
}

type Entry = extern "sysv64" fn(*const f64, *mut f64, *mut f64, *const f64);

/// What [`Op::Powi`], [`Op::Pow`], [`Op::Atan2`] and, n the place of the function, [`Op::Apply`] say.
extern "sysv64" fn apply(which: u32, n: i32, a: f64, b: f64) -> f64 {
    match which {
        0 => a.powi(n),
        1 => a.powf(b),
        2 => a.atan2(b),
        _ => (Function::ALL.get(n.cast_unsigned() as usize)).map_or(f64::NAN, |f| f.value(a, 0.0)),
    }
}

impl MachineCode {
    /// The code of these instructions, instruction i giving value i, with these results; none where the system does
    /// not let us have it.
    pub(super) fn new(code: &[Op], results: &[u32]) -> Option<Self> {
        let fused = |op: &Op| matches!(op, Op::FusedAdd(..) | Op::FusedSub(..));
        if code.iter().any(fused) && !is_x86_feature_detected!("fma") {
            return None;
        }
        let mut writer = Writer::new(code, results)?;
        let entry = writer.assembler.offset();
        let ops = &mut writer.assembler;
        dynasm!(ops ; .arch x64
            ; push rbx ; push rbp ; push r14 ; push r15 ; sub rsp, 8
            ; mov rbx, rdi ; mov rbp, rsi ; mov r14, rdx ; mov r15, rcx
        );
        for (i, op) in code.iter().enumerate() {
            writer.instruction(i, *op);
        }
        // results that are inputs or constants, or that stand twice
        for (place, &result) in results.iter().enumerate() {
            let home = Home::Out(place);
            if writer.memory[result as usize] != Some(home) {
                let from = writer.in_register(result as usize, code.len());
                writer.store(from, home);
            }
        }
        let ops = &mut writer.assembler;
        dynasm!(ops ; .arch x64
            ; add rsp, 8 ; pop r15 ; pop r14 ; pop rbp ; pop rbx
            ; ret
        );
        let Writer {
            assembler,
            constants,
            spills,
            ..
        } = writer;
        let inputs = inputs_used(code);
        let code = mapped(assembler.finalize().ok()?)?;
        // SAFETY: the buffer holds a function of this type from `entry` on, and is kept beside it; all it reads and writes
        // lies within the four arrays (see above)
        let enter: Entry = unsafe { std::mem::transmute(code.ptr(entry)) };
        Some(Self {
            enter,
            _code: code,
            constants,
            inputs,
            outputs: results.len(),
            spills,
        })
    }

    /// Evaluates; whether the arguments are long enough for that.
    pub(super) fn run(&self, inputs: &[f64], spills: &mut Vec<f64>, out: &mut [f64]) -> bool {
        if inputs.len() < self.inputs || out.len() < self.outputs {
            return false;
        }
        if spills.len() < self.spills {
            spills.resize(self.spills, 0.0);
        }
        (self.enter)(
            inputs.as_ptr(),
            spills.as_mut_ptr(),
            out.as_mut_ptr(),
            self.constants.as_ptr(),
        );
        true
    }
}

/// How many inputs these instructions use: one more than the last of them.
fn inputs_used(code: &[Op]) -> usize {
    let inputs = code.iter().map(|op| match op {
        Op::Input(input) => *input as usize + 1,
        _ => 0,
    });
    inputs.max().unwrap_or(0)
}

/// Where in memory a value stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Home {
    Input(usize),
    Spill(usize),
    Out(usize),
    Constant(usize),
}

impl Home {
    /// The register that has the address of its array, and the place in it in bytes.
    #[allow(clippy::cast_possible_wrap)] // all lengths are compared in Writer::new
    fn address(self) -> (u8, i32) {
        let (base, place) = match self {
            Self::Input(place) => (RBX, place),
            Self::Spill(place) => (RBP, place),
            Self::Out(place) => (R14, place),
            Self::Constant(place) => (R15, place),
        };
        (base, DOUBLE * place as i32)
    }
}

/// What a register holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Held {
    Nothing,
    Value(usize),
    /// What an instruction is working on.
    Work,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Operation {
    Add,
    Sub,
    Mul,
    Div,
}

/// What is written so far.
struct Writer {
    assembler: VecAssembler<X64Relocation>,
    constants: Vec<f64>,
    /// How often each value is still used, and the next instruction that does so.
    uses: Vec<(u32, u32)>,
    /// Instruction by instruction, where each operand is used next.
    after: Vec<[u32; 3]>,
    /// Where in the results a value stands.
    result: Vec<Option<usize>>,
    register: Vec<Option<u8>>,
    memory: Vec<Option<Home>>,
    holds: [Held; REGISTERS],
    spills: usize,
    free: Vec<usize>,
}

impl Writer {
    fn new(code: &[Op], results: &[u32]) -> Option<Self> {
        let end = u32::try_from(code.len()).ok()?;
        let mut uses = vec![(0, u32::MAX); code.len()];
        let mut after = vec![[u32::MAX; 3]; code.len()];
        let mut result = vec![None; code.len()];
        for (place, &r) in results.iter().enumerate() {
            let (count, next) = uses.get_mut(r as usize)?;
            (*count, *next) = (*count + 1, end);
            result[r as usize] = Some(place);
        }
        for (op, i) in code.iter().zip(0..end).rev() {
            let operands = op.operands().into_iter().zip(&mut after[i as usize]);
            for (operand, after) in operands {
                let Some(operand) = operand else { continue };
                let (count, next) = uses.get_mut(operand as usize)?;
                *after = *next;
                (*count, *next) = (*count + 1, i);
            }
            if let Op::Input(input) = op {
                i32::try_from(*input).ok()?.checked_mul(DOUBLE)?;
            }
        }
        // no array is longer than this
        let length = code.len().max(results.len()) + MASKS.len();
        i32::try_from(length).ok()?.checked_mul(DOUBLE)?;
        Some(Self {
            assembler: VecAssembler::new(0),
            constants: MASKS.to_vec(),
            uses,
            after,
            result,
            register: vec![None; code.len()],
            memory: vec![None; code.len()],
            holds: [Held::Nothing; REGISTERS],
            spills: 0,
            free: Vec::new(),
        })
    }

    fn instruction(&mut self, i: usize, op: Op) {
        match op {
            Op::Input(input) => self.memory[i] = Some(Home::Input(input as usize)),
            Op::Constant(c) => {
                self.constants.push(c);
                self.memory[i] = Some(Home::Constant(self.constants.len() - 1));
            }
            Op::Add(a, b) => self.arithmetic(i, Operation::Add, (a, b)),
            Op::Sub(a, b) => self.arithmetic(i, Operation::Sub, (a, b)),
            Op::Mul(a, b) => self.arithmetic(i, Operation::Mul, (a, b)),
            Op::Div(a, b) => self.arithmetic(i, Operation::Div, (a, b)),
            Op::MulAdd(a, b, c) => {
                let product = self.combined(i, Operation::Mul, (a, b));
                self.operate(i, Operation::Add, (product, c));
                self.define(i, product);
            }
            Op::MulSub(a, b, c) => {
                let product = self.combined(i, Operation::Mul, (a, b));
                let target = self.copy(c as usize, i);
                self.registers(Operation::Sub, (target, product));
                self.holds[usize::from(product)] = Held::Nothing;
                self.define(i, target);
            }
            Op::FusedAdd(a, b, c) => self.fused(i, Operation::Add, (a, b, c)),
            Op::FusedSub(a, b, c) => self.fused(i, Operation::Sub, (a, b, c)),
            Op::Neg(a) => self.masked(i, a, 0),
            Op::Apply(Function::Abs, a) => self.masked(i, a, 1),
            Op::Sqrt(a) => {
                let target = self.copy(a as usize, i);
                let ops = &mut self.assembler;
                dynasm!(ops ; .arch x64 ; sqrtsd Rx(target), Rx(target));
                self.define(i, target);
            }
            Op::Apply(f, a) => self.call(i, (3, f as i32), &[a]),
            Op::Powi(a, n) => self.call(i, (0, n), &[a]),
            Op::Pow(a, b) => self.call(i, (1, 0), &[a, b]),
            Op::Atan2(a, b) => self.call(i, (2, 0), &[a, b]),
        }
        for (slot, operand) in op.operands().into_iter().enumerate() {
            if let Some(operand) = operand {
                self.forget(operand as usize, self.after[i][slot]);
            }
        }
    }

    fn arithmetic(&mut self, i: usize, operation: Operation, operands: (u32, u32)) {
        let target = self.combined(i, operation, operands);
        self.define(i, target);
    }

    /// A register with the operation on both in it.
    fn combined(&mut self, i: usize, operation: Operation, (a, b): (u32, u32)) -> u8 {
        let commutes = matches!(operation, Operation::Add | Operation::Mul);
        let last = |value: u32| self.uses[value as usize].0 == 1;
        let (a, b) = if commutes && !last(a) && last(b) && self.register[b as usize].is_some() {
            (b, a)
        } else {
            (a, b)
        };
        let target = self.copy(a as usize, i);
        self.operate(i, operation, (target, b));
        target
    }

    /// c plus or minus a b, in the register of c or a copy of it.
    fn fused(&mut self, i: usize, operation: Operation, (a, b, c): (u32, u32, u32)) {
        let target = self.copy(c as usize, i);
        // what stands in memory alone is read from there
        let stands = |value: u32| self.register[value as usize].is_some();
        let (a, b) = if stands(a) || !stands(b) {
            (a, b)
        } else {
            (b, a)
        };
        let a = self.in_register(a as usize, i);
        let home = self.memory[b as usize].filter(|_| self.register[b as usize].is_none());
        let Some((base, offset)) = home.map(Home::address) else {
            let b = self.in_register(b as usize, i);
            let ops = &mut self.assembler;
            if operation == Operation::Add {
                dynasm!(ops ; .arch x64 ; vfmadd231sd Rx(target), Rx(a), Rx(b));
            } else {
                dynasm!(ops ; .arch x64 ; vfnmadd231sd Rx(target), Rx(a), Rx(b));
            }
            return self.define(i, target);
        };
        let ops = &mut self.assembler;
        if operation == Operation::Add {
            dynasm!(ops ; .arch x64 ; vfmadd231sd Rx(target), Rx(a), QWORD [Rq(base) + offset]);
        } else {
            dynasm!(ops ; .arch x64 ; vfnmadd231sd Rx(target), Rx(a), QWORD [Rq(base) + offset]);
        }
        self.define(i, target);
    }

    /// target = target operation b.
    fn operate(&mut self, i: usize, operation: Operation, (target, b): (u8, u32)) {
        let value = b as usize;
        let home = self.memory[value]
            .filter(|_| self.register[value].is_none() && self.uses[value].0 == 1);
        let Some(home) = home else {
            let by = self.in_register(value, i);
            return self.registers(operation, (target, by));
        };
        let (base, offset) = home.address();
        let ops = &mut self.assembler;
        match operation {
            Operation::Add => {
                dynasm!(ops ; .arch x64 ; addsd Rx(target), QWORD [Rq(base) + offset])
            }
            Operation::Sub => {
                dynasm!(ops ; .arch x64 ; subsd Rx(target), QWORD [Rq(base) + offset])
            }
            Operation::Mul => {
                dynasm!(ops ; .arch x64 ; mulsd Rx(target), QWORD [Rq(base) + offset])
            }
            Operation::Div => {
                dynasm!(ops ; .arch x64 ; divsd Rx(target), QWORD [Rq(base) + offset])
            }
        }
    }

    /// target = target operation by.
    fn registers(&mut self, operation: Operation, (target, by): (u8, u8)) {
        let ops = &mut self.assembler;
        match operation {
            Operation::Add => dynasm!(ops ; .arch x64 ; addsd Rx(target), Rx(by)),
            Operation::Sub => dynasm!(ops ; .arch x64 ; subsd Rx(target), Rx(by)),
            Operation::Mul => dynasm!(ops ; .arch x64 ; mulsd Rx(target), Rx(by)),
            Operation::Div => dynasm!(ops ; .arch x64 ; divsd Rx(target), Rx(by)),
        }
    }

    /// The sign turned (mask 0) or taken away (mask 1).
    fn masked(&mut self, i: usize, a: u32, mask: usize) {
        let a = self.in_register(a as usize, i);
        let target = self.take(i);
        self.load(target, Home::Constant(mask));
        let ops = &mut self.assembler;
        if mask == 0 {
            dynasm!(ops ; .arch x64 ; xorpd Rx(target), Rx(a));
        } else {
            dynasm!(ops ; .arch x64 ; andpd Rx(target), Rx(a));
        }
        self.define(i, target);
    }

    fn call(&mut self, i: usize, (which, n): (i32, i32), arguments: &[u32]) {
        self.arguments(arguments);
        let (ops, address) = (&mut self.assembler, apply as *const () as i64);
        dynasm!(ops ; .arch x64
            ; mov edi, which ; mov esi, n
            ; mov rax, QWORD address ; call rax
        );
        self.define(i, 0);
    }

    /// Puts arguments where a function looks for them, and everything else out of its way.
    fn arguments(&mut self, arguments: &[u32]) {
        for register in 0..REGISTERS as u8 {
            if let Held::Value(value) = self.holds[usize::from(register)] {
                self.keep(value, register);
                self.register[value] = None;
            }
        }
        self.holds = [Held::Nothing; REGISTERS];
        for (register, &argument) in arguments.iter().enumerate() {
            if let Some(home) = self.memory[argument as usize] {
                self.load(register as u8, home);
            }
        }
    }

    /// A value has been used once, and is used `next` then: where that was the last time, its place is free.
    fn forget(&mut self, value: usize, next: u32) {
        let (count, own) = &mut self.uses[value];
        *count -= 1;
        // an operand that stands twice is told twice, the later use first
        if *count == 0 || next > *own {
            *own = next;
        }
        if *count == 0 {
            if let Some(r) = self.register[value].take() {
                self.holds[usize::from(r)] = Held::Nothing;
            }
            if let Some(Home::Spill(s)) = self.memory[value].take() {
                self.free.push(s);
            }
        }
    }

    /// Value i stands in this register.
    fn define(&mut self, i: usize, register: u8) {
        if self.uses[i].0 == 0 {
            self.holds[usize::from(register)] = Held::Nothing;
            return;
        }
        self.register[i] = Some(register);
        self.holds[usize::from(register)] = Held::Value(i);
        if let Some(place) = self.result[i] {
            self.store(register, Home::Out(place));
            self.memory[i] = Some(Home::Out(place));
        }
    }

    fn store(&mut self, register: u8, home: Home) {
        let (base, offset) = home.address();
        let ops = &mut self.assembler;
        dynasm!(ops ; .arch x64 ; movsd QWORD [Rq(base) + offset], Rx(register));
    }

    fn load(&mut self, register: u8, home: Home) {
        let (base, offset) = home.address();
        let ops = &mut self.assembler;
        dynasm!(ops ; .arch x64 ; movsd Rx(register), QWORD [Rq(base) + offset]);
    }

    /// A register for instruction i to work in: a free one, or that of the value that is wanted last.
    fn take(&mut self, i: usize) -> u8 {
        let wanted = |held: &Held| match held {
            Held::Nothing => usize::MAX,
            Held::Work => 0,
            Held::Value(value) => match self.uses[*value].1 as usize {
                // what this instruction works on stays
                next if next == i => 0,
                next => next,
            },
        };
        let last = self
            .holds
            .iter()
            .enumerate()
            .max_by_key(|(_, held)| wanted(held));
        let register = last.map_or(0, |(r, _)| r as u8);
        if let Held::Value(value) = self.holds[usize::from(register)] {
            self.keep(value, register);
            self.register[value] = None;
        }
        self.holds[usize::from(register)] = Held::Work;
        register
    }

    /// Sees to it that a value in a register stands in memory too.
    fn keep(&mut self, value: usize, register: u8) {
        if self.memory[value].is_none() && self.uses[value].0 > 0 {
            let slot = self.free.pop().unwrap_or_else(|| {
                self.spills += 1;
                self.spills - 1
            });
            self.memory[value] = Some(Home::Spill(slot));
            self.store(register, Home::Spill(slot));
        }
    }

    /// The register that a value stands in, or is brought into.
    fn in_register(&mut self, value: usize, i: usize) -> u8 {
        if let Some(register) = self.register[value] {
            return register;
        }
        let register = self.take(i);
        if let Some(home) = self.memory[value] {
            self.load(register, home);
        }
        self.register[value] = Some(register);
        self.holds[usize::from(register)] = Held::Value(value);
        register
    }

    /// A register with a value in it that instruction i may change.
    fn copy(&mut self, value: usize, i: usize) -> u8 {
        let Some(from) = self.register[value] else {
            let target = self.take(i);
            if let Some(home) = self.memory[value] {
                self.load(target, home);
            }
            return target;
        };
        if self.uses[value].0 == 1 {
            self.register[value] = None;
            self.holds[usize::from(from)] = Held::Work;
            return from;
        }
        let target = self.take(i);
        let ops = &mut self.assembler;
        dynasm!(ops ; .arch x64 ; movapd Rx(target), Rx(from));
        target
    }
}

#[cfg(test)]
mod tests {
    use super::super::tape::{Builder, Workspace};
    use super::*;

    /// The machine and the interpreter agree to the last bit on random programs with more values alive than there
    /// are registers.
    #[test]
    fn agrees_with_the_interpreter_to_the_last_bit() {
        for seed in 0..300 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut builder = Builder::default();
            let mut places: Vec<u32> = (0..5).map(|k| builder.push(Op::Input(k))).collect();
            places.push(builder.constant(random.f64() - 0.5));
            for _ in 0..random.usize(1..200) {
                let mut any = || places[random.usize(..places.len())];
                let (a, b, c) = (any(), any(), any());
                let function = Function::ALL[random.usize(..Function::ALL.len())];
                places.push(builder.push(match random.u8(..19) {
                    0..3 => Op::Add(a, b),
                    3..5 => Op::Sub(a, b),
                    5..8 => Op::Mul(a, b),
                    8 => Op::Div(a, b),
                    9 | 10 => Op::MulAdd(a, b, c),
                    11 => Op::MulSub(a, b, c),
                    12 => Op::Neg(a),
                    13 => Op::Apply(Function::Abs, a),
                    14 if function != Function::Atan2 => Op::Apply(function, a),
                    14 => Op::Atan2(a, b),
                    15 => [Op::Sqrt(a), Op::Powi(a, 5), Op::Pow(a, b)][random.usize(..3)],
                    16 => Op::FusedSub(a, b, c),
                    _ => Op::FusedAdd(a, b, c),
                }));
            }
            let results: Vec<u32> = (0..random.usize(1..30))
                .map(|_| places[random.usize(..places.len())])
                .collect();
            let tape = builder.finish(&results, 5);
            let (code, last) = tape.assigned_once();
            let machine = MachineCode::new(&code, &last).unwrap();
            let inputs: Vec<f64> = (0..5).map(|_| 4.0 * random.f64() - 2.0).collect();
            let (mut by_code, mut spills) = (vec![0.0; results.len()], Vec::new());
            assert!(machine.run(&inputs, &mut spills, &mut by_code));
            let mut interpreted = vec![0.0; results.len()];
            tape.interpret(&inputs, &mut Workspace::default(), &mut interpreted);
            for (a, b) in by_code.iter().zip(&interpreted) {
                let same = a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
                assert!(same, "seed {seed}: {a} {b}");
            }
            assert!(!machine.run(&inputs[..0], &mut spills, &mut by_code) || machine.inputs == 0);
        }
    }
}
