//! Linear systems solved in straight-line code, without exchanges; what is zero in all configurations is not computed.

use super::matrix::{Block, block_triangular, parity};
use super::tape::{Builder, Op, Tape};

/// Beyond so many instructions a solution in a loop is as good.
const INSTRUCTIONS: usize = 20_000;

/// A value: none where it is zero in all configurations.
pub(super) type Value = Option<u32>;

/// Code to which arithmetic is added.
#[derive(Clone, Debug)]
pub(super) struct Code(pub(super) Builder);

/// Rows and columns of a block with its entries, and one over its determinant.
type SolvableBlock = (Block, Vec<Vec<Value>>, u32);

/// J_D in block triangular form, blocks of one and two.
pub(super) struct Blocks {
    list: Vec<SolvableBlock>,
    /// J_D.
    entries: Vec<Vec<Value>>,
    pub(super) determinants: Vec<u32>,
    pub(super) pivots: Vec<[u32; 2]>,
    pub(super) sign: f64,
}

impl Blocks {
    pub(super) fn new(code: &mut Code, rows: &[Vec<Value>], dependent: &[usize]) -> Option<Self> {
        let entries: Vec<Vec<Value>> = rows
            .iter()
            .map(|row| dependent.iter().map(|&d| row[d]).collect())
            .collect();
        let forms = block_triangular(entries.len(), |r, c| entries[r][c].is_some())?;
        let order = |side: fn(&Block) -> &[usize]| -> Vec<usize> {
            forms
                .iter()
                .flat_map(|block| side(block).to_vec())
                .collect()
        };
        let sign = parity(&order(|block| &block.rows)) * parity(&order(|block| &block.columns));
        let one = code.0.constant(1.0);
        let (mut determinants, mut pivots) = (Vec::new(), Vec::new());
        let mut list = Vec::with_capacity(forms.len());
        for form in forms {
            let own: Vec<Vec<Value>> = form
                .rows
                .iter()
                .map(|&r| form.columns.iter().map(|&c| entries[r][c]).collect())
                .collect();
            let determinant = match &own[..] {
                [row] => {
                    let entry = row[0]?;
                    if code.0.value(entry).is_none() {
                        pivots.push([code.0.size(entry); 2]);
                    }
                    entry
                }
                [first, second] => {
                    let products = [
                        code.times(first[0], second[1]),
                        code.times(first[1], second[0]),
                    ];
                    let determinant = code.difference(products[0], products[1])?;
                    let size = code.sum_of_sizes(None, products[0]);
                    let size = code.sum_of_sizes(size, products[1])?;
                    pivots.push([code.0.size(determinant), size]);
                    determinant
                }
                _ => return None,
            };
            if code.0.value(determinant) == Some(0.0) {
                return None;
            }
            determinants.push(determinant);
            list.push((form, own, code.0.push(Op::Div(one, determinant))));
        }
        Some(Self {
            list,
            entries,
            determinants,
            pivots,
            sign: f64::from(sign),
        })
    }

    /// J_D^-1 b.
    pub(super) fn solution(&self, code: &mut Code, b: &[Value]) -> Vec<Value> {
        solved(code, (&self.list, &self.entries), b)
    }

    /// J_D^-T b.
    pub(super) fn transposed(&self, code: &mut Code, b: &[Value]) -> Vec<Value> {
        let blocks = self.list.iter().rev().map(|(form, own, inverse)| {
            let form = Block {
                rows: form.columns.clone(),
                columns: form.rows.clone(),
            };
            (form, turned(own), *inverse)
        });
        let list: Vec<_> = blocks.collect();
        solved(code, (&list, &turned(&self.entries)), b)
    }
}

/// What a matrix in block triangular form takes to b.
fn solved(
    code: &mut Code,
    (list, entries): (&[SolvableBlock], &[Vec<Value>]),
    b: &[Value],
) -> Vec<Value> {
    let mut out = vec![None; b.len()];
    for (form, own, inverse) in list {
        let rest = form.rows.iter().map(|&r| {
            let known = (0..b.len()).filter(|c| !form.columns.contains(c));
            known.fold(b[r], |rest, c| code.minus(rest, (entries[r][c], out[c])))
        });
        let rest: Vec<Value> = rest.collect();
        for (&c, value) in form.columns.iter().zip(code.small(own, *inverse, &rest)) {
            out[c] = value;
        }
    }
    out
}

fn turned(rows: &[Vec<Value>]) -> Vec<Vec<Value>> {
    let column = |c: usize| rows.iter().map(|row| row[c]).collect();
    (0..rows.len()).map(column).collect()
}

/// A symmetric matrix L D L^T, eliminated in an order.
pub(super) struct Factors {
    order: Vec<usize>,
    /// Below the diagonal, in the order.
    lower: Vec<Vec<(usize, u32)>>,
    inverse: Vec<u32>,
    /// Each pivot that is no constant, and what it was.
    pub(super) pivots: Vec<[u32; 2]>,
}

impl Code {
    pub(super) fn entry(&self, place: u32) -> Value {
        (self.0.value(place) != Some(0.0)).then_some(place)
    }

    pub(super) fn times(&mut self, a: Value, b: Value) -> Value {
        Some(self.0.push(Op::Mul(a?, b?)))
    }

    /// c + a b
    pub(super) fn plus(&mut self, c: Value, (a, b): (Value, Value)) -> Value {
        match (c, a, b) {
            (Some(c), Some(a), Some(b)) => Some(self.0.push(Op::MulAdd(a, b, c))),
            (None, a, b) => self.times(a, b),
            _ => c,
        }
    }

    /// c - a b
    pub(super) fn minus(&mut self, c: Value, (a, b): (Value, Value)) -> Value {
        match (c, a, b) {
            (Some(c), Some(a), Some(b)) => Some(self.0.push(Op::MulSub(a, b, c))),
            (None, Some(a), Some(b)) => {
                let product = self.0.push(Op::Mul(a, b));
                Some(self.0.push(Op::Neg(product)))
            }
            _ => c,
        }
    }

    /// The factors of a symmetric matrix, the rows with the fewest entries first.
    pub(super) fn factored(&mut self, mut a: Vec<Vec<Value>>) -> Option<Factors> {
        let n = a.len();
        let mut left: Vec<usize> = (0..n).collect();
        let diagonal: Vec<Value> = (0..n).map(|k| a[k][k]).collect();
        let mut factors = Factors {
            order: Vec::with_capacity(n),
            lower: Vec::with_capacity(n),
            inverse: Vec::with_capacity(n),
            pivots: Vec::new(),
        };
        let one = self.0.constant(1.0);
        while !left.is_empty() {
            let entries = |k: usize| left.iter().filter(|&&i| a[i][k].is_some()).count();
            let (at, k) = left
                .iter()
                .copied()
                .enumerate()
                .min_by_key(|&(_, k)| entries(k))?;
            left.remove(at);
            let pivot = a[k][k]?;
            match self.0.value(pivot) {
                Some(value) if value > 0.0 => {}
                Some(_) => return None,
                None => factors.pivots.push([pivot, diagonal[k]?]),
            }
            let inverse = self.0.push(Op::Div(one, pivot));
            let column: Vec<(usize, u32)> =
                left.iter().filter_map(|&i| Some((i, a[i][k]?))).collect();
            let mut lower = Vec::with_capacity(column.len());
            for (p, &(i, entry)) in column.iter().enumerate() {
                let l = self.0.push(Op::Mul(entry, inverse));
                lower.push((i, l));
                for &(j, other) in &column[..=p] {
                    let value = self.minus(a[i][j], (Some(l), Some(other)));
                    a[i][j] = value;
                    a[j][i] = value;
                }
            }
            factors.order.push(k);
            factors.lower.push(lower);
            factors.inverse.push(inverse);
            self.short()?;
        }
        Some(factors)
    }

    /// L^-1 b.
    pub(super) fn forward(&mut self, factors: &Factors, mut b: Vec<Value>) -> Vec<Value> {
        for (&k, lower) in factors.order.iter().zip(&factors.lower) {
            for &(i, l) in lower {
                b[i] = self.minus(b[i], (Some(l), b[k]));
            }
        }
        b
    }

    /// D^-1 b.
    pub(super) fn divided(&mut self, factors: &Factors, b: &[Value]) -> Vec<Value> {
        let mut out = vec![None; b.len()];
        for (&k, &inverse) in factors.order.iter().zip(&factors.inverse) {
            out[k] = self.times(b[k], Some(inverse));
        }
        out
    }

    /// L^-T b.
    pub(super) fn backward(&mut self, factors: &Factors, mut b: Vec<Value>) -> Vec<Value> {
        for (&k, lower) in factors.order.iter().zip(&factors.lower).rev() {
            for &(i, l) in lower {
                b[k] = self.minus(b[k], (Some(l), b[i]));
            }
        }
        b
    }

    /// What the factored matrix takes to b.
    pub(super) fn solution(&mut self, factors: &Factors, b: Vec<Value>) -> Vec<Value> {
        let b = self.forward(factors, b);
        let b = self.divided(factors, &b);
        self.backward(factors, b)
    }

    /// The products of each row of one matrix with each of another, where that is symmetric.
    pub(super) fn gram(&mut self, a: &[Vec<Value>], b: &[Vec<Value>]) -> Vec<Vec<Value>> {
        let mut gram = vec![vec![None; a.len()]; a.len()];
        for (i, row) in a.iter().enumerate() {
            for (j, other) in b.iter().enumerate().take(i + 1) {
                let sum = self.product(row.iter().copied().zip(other.iter().copied()));
                gram[i][j] = sum;
                gram[j][i] = sum;
            }
        }
        gram
    }

    pub(super) fn difference(&mut self, a: Value, b: Value) -> Value {
        match (a, b) {
            (Some(a), Some(b)) => Some(self.0.push(Op::Sub(a, b))),
            (None, Some(b)) => Some(self.0.push(Op::Neg(b))),
            (a, None) => a,
        }
    }

    /// Whether the code is short enough still.
    pub(super) fn short(&self) -> Option<()> {
        (self.0.len() <= INSTRUCTIONS).then_some(())
    }

    pub(super) fn finish(self, results: &[u32], inputs: usize) -> Option<Tape> {
        self.short()?;
        Some(self.0.finish(results, inputs))
    }

    pub(super) fn or_zero(&mut self, value: Value) -> u32 {
        value.unwrap_or_else(|| self.0.constant(0.0))
    }

    /// The sum of the products of pairs.
    pub(super) fn product(&mut self, pairs: impl Iterator<Item = (Value, Value)>) -> Value {
        pairs.fold(None, |sum, pair| self.plus(sum, pair))
    }

    /// The solution of one equation or two, with one over their determinant.
    fn small(&mut self, own: &[Vec<Value>], inverse: u32, b: &[Value]) -> Vec<Value> {
        let [first, second] = own else {
            return b.iter().map(|b| self.times(*b, Some(inverse))).collect();
        };
        let pairs = [
            [(second[1], b[0]), (first[1], b[1])],
            [(first[0], b[1]), (second[0], b[0])],
        ];
        pairs
            .map(|[(p, q), taken]| {
                let product = self.times(p, q);
                let rest = self.minus(product, taken);
                self.times(rest, Some(inverse))
            })
            .to_vec()
    }

    pub(super) fn sum(&mut self, a: Value, b: Value) -> Value {
        match (a, b) {
            (Some(a), Some(b)) => Some(self.0.push(Op::Add(a, b))),
            (a, None) => a,
            (None, b) => b,
        }
    }

    pub(super) fn sum_of_sizes(&mut self, sum: Value, part: Value) -> Value {
        let size = part.map(|p| self.0.size(p));
        self.sum(sum, size)
    }
}
