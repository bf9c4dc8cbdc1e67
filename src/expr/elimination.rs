//! Linear systems solved in straight-line code, without exchanges; what is zero in all configurations is not computed.

use super::matrix::{Block, block_triangular, parity};
use super::tape::{Builder, Op, Tape};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Beyond so many instructions a solution in a loop is as good,
const INSTRUCTIONS: usize = 20_000;
/// or beyond so many an equation, of which a link of a chain takes a third: where what is eliminated does not fill up.
const EACH: usize = 120;

/// A value: none where it is zero in all configurations.
pub(super) type Value = Option<u32>;

/// A row of a matrix: the entries that are not zero in all configurations, by their columns, which ascend.
pub(super) type Row = Vec<(usize, u32)>;

/// Code to which arithmetic is added.
#[derive(Clone, Debug)]
pub(super) struct Code {
    pub(super) builder: Builder,
    longest: usize,
}

/// Rows and columns of a block with its entries, and one over its determinant.
type SolvableBlock = (Block, Vec<Vec<Value>>, u32);

/// J_D in block triangular form, blocks of one and two.
pub(super) struct Blocks {
    list: Vec<SolvableBlock>,
    /// J_D.
    entries: Vec<Row>,
    pub(super) determinants: Vec<u32>,
    pub(super) pivots: Vec<[u32; 2]>,
    pub(super) sign: f64,
}

impl Blocks {
    pub(super) fn new(code: &mut Code, rows: &[Row], dependent: &[usize]) -> Option<Self> {
        let place: FxHashMap<usize, usize> = dependent.iter().copied().zip(0..).collect();
        let block = |row: &Row| {
            let own = row.iter().filter_map(|(k, e)| Some((*place.get(k)?, *e)));
            let mut own: Row = own.collect();
            own.sort_unstable();
            own
        };
        let entries: Vec<Row> = rows.iter().map(block).collect();
        let forms = block_triangular(entries.len(), |r, c| entry(&entries[r], c).is_some())?;
        let order = |side: fn(&Block) -> &[usize]| -> Vec<usize> {
            forms
                .iter()
                .flat_map(|block| side(block).to_vec())
                .collect()
        };
        let sign = parity(&order(|block| &block.rows)) * parity(&order(|block| &block.columns));
        let one = code.builder.constant(1.0);
        let (mut determinants, mut pivots) = (Vec::new(), Vec::new());
        let mut list = Vec::with_capacity(forms.len());
        for form in forms {
            let own: Vec<Vec<Value>> = form
                .rows
                .iter()
                .map(|&r| {
                    form.columns
                        .iter()
                        .map(|&c| entry(&entries[r], c))
                        .collect()
                })
                .collect();
            let determinant = match &own[..] {
                [row] => {
                    let entry = row[0]?;
                    if code.builder.value(entry).is_none() {
                        pivots.push([code.builder.size(entry); 2]);
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
                    pivots.push([code.builder.size(determinant), size]);
                    determinant
                }
                _ => return None,
            };
            if code.builder.value(determinant) == Some(0.0) {
                return None;
            }
            determinants.push(determinant);
            list.push((form, own, code.builder.push(Op::Div(one, determinant))));
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
        solved(code, (&list, &columns(&self.entries, b.len())), b)
    }
}

/// What a matrix in block triangular form takes to b.
fn solved(code: &mut Code, (list, entries): (&[SolvableBlock], &[Row]), b: &[Value]) -> Vec<Value> {
    let mut out = vec![None; b.len()];
    for (form, own, inverse) in list {
        let rest = form.rows.iter().map(|&r| {
            let known = entries[r].iter().filter(|(c, _)| !form.columns.contains(c));
            known.fold(b[r], |rest, &(c, e)| code.minus(rest, (Some(e), out[c])))
        });
        let rest: Vec<Value> = rest.collect();
        for (&c, value) in form.columns.iter().zip(code.small(own, *inverse, &rest)) {
            out[c] = value;
        }
    }
    out
}

/// An entry of a row.
fn entry(row: &Row, column: usize) -> Value {
    let place = row.binary_search_by_key(&column, |(k, _)| *k).ok()?;
    Some(row[place].1)
}

/// The columns of a matrix by its rows.
pub(super) fn columns(rows: &[Row], count: usize) -> Vec<Row> {
    let mut columns = vec![Row::new(); count];
    for (b, row) in rows.iter().enumerate() {
        for &(k, e) in row {
            columns[k].push((b, e));
        }
    }
    columns
}

/// The entries of a list as a row.
pub(super) fn row(list: &[Value]) -> Row {
    let own = list.iter().enumerate();
    own.filter_map(|(k, e)| Some((k, (*e)?))).collect()
}

/// The entries of a row as a list.
pub(super) fn list(row: &Row, length: usize) -> Vec<Value> {
    let mut list = vec![None; length];
    for &(k, e) in row {
        list[k] = Some(e);
    }
    list
}

fn turned(rows: &[Vec<Value>]) -> Vec<Vec<Value>> {
    let column = |c: usize| rows.iter().map(|row| row[c]).collect();
    (0..rows.len()).map(column).collect()
}

/// A symmetric matrix L D L^T, eliminated in an order.
pub(super) struct Factors {
    order: Vec<usize>,
    /// Below the diagonal, in the order.
    lower: Vec<Row>,
    inverse: Vec<u32>,
    /// Each pivot that is no constant, and what it was.
    pub(super) pivots: Vec<[u32; 2]>,
}

impl Code {
    /// Code that is added to, for so many equations.
    pub(super) fn new(builder: Builder, equations: usize) -> Self {
        Self {
            builder,
            longest: INSTRUCTIONS.max(EACH * equations),
        }
    }

    pub(super) fn entry(&self, place: u32) -> Value {
        (self.builder.value(place) != Some(0.0)).then_some(place)
    }

    pub(super) fn times(&mut self, a: Value, b: Value) -> Value {
        Some(self.builder.push(Op::Mul(a?, b?)))
    }

    /// c + a b
    pub(super) fn plus(&mut self, c: Value, (a, b): (Value, Value)) -> Value {
        match (c, a, b) {
            (Some(c), Some(a), Some(b)) => Some(self.builder.push(Op::FusedAdd(a, b, c))),
            (None, a, b) => self.times(a, b),
            _ => c,
        }
    }

    /// c - a b
    pub(super) fn minus(&mut self, c: Value, (a, b): (Value, Value)) -> Value {
        match (c, a, b) {
            (Some(c), Some(a), Some(b)) => Some(self.builder.push(Op::FusedSub(a, b, c))),
            (None, Some(a), Some(b)) => {
                let product = self.builder.push(Op::Mul(a, b));
                Some(self.builder.push(Op::Neg(product)))
            }
            _ => c,
        }
    }

    /// The factors of a symmetric matrix, the rows with the fewest entries first.
    pub(super) fn factored(&mut self, rows: Vec<Row>) -> Option<Factors> {
        let n = rows.len();
        let mut a: Vec<BTreeMap<usize, u32>> = rows
            .into_iter()
            .map(|row| row.into_iter().collect())
            .collect();
        let diagonal: Vec<Value> = (0..n).map(|k| a[k].get(&k).copied()).collect();
        let mut left: BTreeSet<(usize, usize)> = a.iter().map(BTreeMap::len).zip(0..).collect();
        let mut factors = Factors {
            order: Vec::with_capacity(n),
            lower: Vec::with_capacity(n),
            inverse: Vec::with_capacity(n),
            pivots: Vec::new(),
        };
        let one = self.builder.constant(1.0);
        while let Some((_, k)) = left.pop_first() {
            let mut column = std::mem::take(&mut a[k]);
            let pivot = column.remove(&k)?;
            match self.builder.value(pivot) {
                Some(value) if value > 0.0 => {}
                Some(_) => return None,
                None => factors.pivots.push([pivot, diagonal[k]?]),
            }
            let inverse = self.builder.push(Op::Div(one, pivot));
            let column: Row = column.into_iter().collect();
            for &(i, _) in &column {
                left.remove(&(a[i].len(), i));
                a[i].remove(&k);
            }
            let mut lower = Vec::with_capacity(column.len());
            for (p, &(i, entry)) in column.iter().enumerate() {
                let l = self.builder.push(Op::Mul(entry, inverse));
                lower.push((i, l));
                for &(j, other) in &column[..=p] {
                    let value = self.minus(a[i].get(&j).copied(), (Some(l), Some(other)));
                    a[i].extend(value.map(|value| (j, value)));
                    a[j].extend(value.map(|value| (i, value)));
                }
            }
            left.extend(column.iter().map(|&(i, _)| (a[i].len(), i)));
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

    /// M^-1 L f, of a factored M = L D L^T.
    pub(super) fn accelerated(&mut self, factors: &Factors, f: &[Value]) -> Vec<Value> {
        let divided = self.divided(factors, f);
        self.backward(factors, divided)
    }

    /// What the factored matrix takes to b.
    pub(super) fn solution(&mut self, factors: &Factors, b: Vec<Value>) -> Vec<Value> {
        let b = self.forward(factors, b);
        self.accelerated(factors, &b)
    }

    /// The products of each row of one matrix with each of another (by its rows and its columns), where that is symmetric.
    pub(super) fn gram(&mut self, a: &[Row], (b, across): (&[Row], &[Row])) -> Option<Vec<Row>> {
        let mut gram = vec![Row::new(); a.len()];
        for (i, row) in a.iter().enumerate() {
            let others = row.iter().flat_map(|(k, _)| &across[*k]).map(|(j, _)| *j);
            let others: BTreeSet<usize> = others.filter(|j| *j <= i).collect();
            for j in others {
                let pairs = row.iter().map(|&(k, e)| (Some(e), entry(&b[j], k)));
                let Some(sum) = self.product(pairs) else {
                    continue;
                };
                gram[i].push((j, sum));
                if j < i {
                    gram[j].push((i, sum));
                }
            }
            self.short()?;
        }
        Some(gram)
    }

    pub(super) fn difference(&mut self, a: Value, b: Value) -> Value {
        match (a, b) {
            (Some(a), Some(b)) => Some(self.builder.push(Op::Sub(a, b))),
            (None, Some(b)) => Some(self.builder.push(Op::Neg(b))),
            (a, None) => a,
        }
    }

    /// Whether the code is short enough still.
    pub(super) fn short(&self) -> Option<()> {
        (self.builder.len() <= self.longest).then_some(())
    }

    pub(super) fn finish(self, results: &[u32], inputs: usize) -> Option<Tape> {
        self.short()?;
        Some(self.builder.finish(results, inputs))
    }

    /// The places of lists one after the other, what is zero in all configurations among them.
    pub(super) fn results(&mut self, lists: impl IntoIterator<Item = Vec<Value>>) -> Vec<u32> {
        let all = lists.into_iter().flatten();
        all.map(|value| value.unwrap_or_else(|| self.builder.constant(0.0)))
            .collect()
    }

    /// The product of a row with a list.
    pub(super) fn along(&mut self, row: &Row, list: &[Value]) -> Value {
        self.product(row.iter().map(|&(k, e)| (Some(e), list[k])))
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
            (Some(a), Some(b)) => Some(self.builder.push(Op::Add(a, b))),
            (a, None) => a,
            (None, b) => b,
        }
    }

    pub(super) fn sum_of_sizes(&mut self, sum: Value, part: Value) -> Value {
        let size = part.map(|p| self.builder.size(p));
        self.sum(sum, size)
    }
}
