//! Square symbolic matrices: block triangular form, determinants and linear systems.
//!
//! The rows are matched with the columns (a non-zero entry each), and the strongly connected
//! components of the matched graph are the diagonal blocks. A determinant is the product of the
//! blocks' determinants, a linear system is solved block after block; nothing is expanded across
//! blocks, so a chain of N links costs N blocks of size one. Blocks up to [`LARGEST_BLOCK`] are
//! expanded; larger ones are left to numbers.

use super::number::Number;
use super::pool::{Expr, Pool};

/// The largest diagonal block whose determinant is written out.
pub const LARGEST_BLOCK: usize = 5;

/// A matrix of expressions by rows.
pub type Matrix = Vec<Vec<Expr>>;

/// A diagonal block: rows and columns of the matrix, as many of each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its rows, ascending.
    pub rows: Vec<usize>,
    /// Its columns, ascending.
    pub columns: Vec<usize>,
}

/// The block triangular form of a square pattern: the equations of each block contain only the
/// unknowns of that block and of blocks before it. `None` where no matching exists (the
/// determinant is identically zero). `entry(r, c)` tells whether the entry is not identically zero.
pub fn block_triangular(size: usize, entry: impl Fn(usize, usize) -> bool) -> Option<Vec<Block>> {
    let columns_of: Vec<Vec<usize>> = (0..size)
        .map(|r| (0..size).filter(|&c| entry(r, c)).collect())
        .collect();
    let row_of = matching(&columns_of, size)?;
    // column c leads to the other unknowns of its equation
    let next: Vec<&[usize]> = row_of.iter().map(|&r| columns_of[r].as_slice()).collect();
    Some(
        components(&next)
            .into_iter()
            .map(|mut columns| {
                columns.sort_unstable();
                let mut rows: Vec<usize> = columns.iter().map(|&c| row_of[c]).collect();
                rows.sort_unstable();
                Block { rows, columns }
            })
            .collect(),
    )
}

/// A perfect matching as the row of each column, by augmenting paths (breadth first).
fn matching(columns_of: &[Vec<usize>], size: usize) -> Option<Vec<usize>> {
    let mut row_of = vec![None; size];
    let mut rows = 0..size;
    let all = rows.all(|r| placed(r, columns_of, &mut row_of, &mut vec![false; size]));
    all.then(|| row_of.into_iter().collect())?
}

/// Gives a row a column that was not seen yet; a row that has it may move to another one.
fn placed(
    row: usize,
    columns_of: &[Vec<usize>],
    row_of: &mut [Option<usize>],
    seen: &mut [bool],
) -> bool {
    columns_of[row].iter().any(|&c| {
        let free = !std::mem::replace(&mut seen[c], true)
            && match row_of[c] {
                Some(other) => placed(other, columns_of, row_of, seen),
                None => true,
            };
        if free {
            row_of[c] = Some(row);
        }
        free
    })
}

/// Strongly connected components, each after all those it leads to (Tarjan, without recursion).
fn components(next: &[&[usize]]) -> Vec<Vec<usize>> {
    const NEW: usize = usize::MAX;
    let n = next.len();
    let mut order = vec![NEW; n];
    let mut low = vec![0; n];
    let mut on_stack = vec![false; n];
    let (mut stack, mut found, mut count) = (Vec::new(), Vec::new(), 0);
    for root in 0..n {
        if order[root] != NEW {
            continue;
        }
        let mut calls = vec![(root, 0_usize)];
        while let Some((v, place)) = calls.pop() {
            if place == 0 {
                order[v] = count;
                low[v] = count;
                count += 1;
                stack.push(v);
                on_stack[v] = true;
            }
            if let Some(&w) = next[v].get(place) {
                calls.push((v, place + 1));
                if order[w] == NEW {
                    calls.push((w, 0));
                } else if on_stack[w] {
                    low[v] = low[v].min(order[w]);
                }
                continue;
            }
            if low[v] == order[v] {
                let mut component = Vec::new();
                while let Some(w) = stack.pop() {
                    on_stack[w] = false;
                    component.push(w);
                    if w == v {
                        break;
                    }
                }
                found.push(component);
            }
            if let Some(&(parent, _)) = calls.last() {
                low[parent] = low[parent].min(low[v]);
            }
        }
    }
    found
}

/// The sign of the permutation that sends place i to `order[i]`.
pub fn parity(order: &[usize]) -> i8 {
    let mut seen = vec![false; order.len()];
    let mut sign = 1;
    for start in 0..order.len() {
        let (mut at, mut length) = (start, 0);
        while !seen[at] {
            seen[at] = true;
            at = order[at];
            length += 1;
        }
        if length > 0 && length % 2 == 0 {
            sign = -sign;
        }
    }
    sign
}

/// The determinant of a square matrix in its block triangular form.
#[derive(Clone, Debug)]
pub struct Determinant {
    /// +1 or -1, or 0 where the pattern alone makes it zero.
    pub sign: i64,
    /// The diagonal blocks with their determinants, `None` for one too large to write out.
    pub blocks: Vec<(Block, Option<Expr>)>,
}

impl Determinant {
    /// All of it but for its sign; `None` where a block is too large to write out.
    pub fn unsigned(&self, pool: &Pool) -> Option<Expr> {
        if self.sign == 0 {
            return Some(pool.zero());
        }
        let blocks: Option<Vec<Expr>> = self.blocks.iter().map(|(_, e)| *e).collect();
        Some(pool.product(blocks?))
    }
}

impl Pool {
    /// The derivatives of expressions, a row each.
    pub fn jacobian(&self, list: &[Expr], by: &[Expr]) -> Matrix {
        let row = |e: &Expr| by.iter().map(|x| self.derivative(*e, *x)).collect();
        list.iter().map(row).collect()
    }

    /// The entries that are not zero, row by row: their places, and what they are.
    pub fn nonzero(&self, matrix: &[Vec<Expr>]) -> (Vec<(usize, usize)>, Vec<Expr>) {
        let rows = matrix.iter().enumerate();
        let entries = rows.flat_map(|(i, row)| row.iter().zip(0..).map(move |(e, j)| ((i, j), *e)));
        entries.filter(|(_, e)| *e != self.zero()).unzip()
    }

    /// The determinant, block by block; each block simplified.
    pub fn determinant(&self, matrix: &Matrix) -> Determinant {
        let size = matrix.len();
        let zero = self.zero();
        let Some(blocks) = block_triangular(size, |r, c| matrix[r][c] != zero) else {
            return Determinant {
                sign: 0,
                blocks: Vec::new(),
            };
        };
        let rows: Vec<usize> = blocks.iter().flat_map(|b| b.rows.clone()).collect();
        let columns: Vec<usize> = blocks.iter().flat_map(|b| b.columns.clone()).collect();
        let blocks = blocks
            .into_iter()
            .map(|b| {
                let det = (b.rows.len() <= LARGEST_BLOCK).then(|| {
                    let inner = block_of(matrix, &b);
                    self.simplify(self.expanded_determinant(&inner))
                });
                (b, det)
            })
            .collect();
        Determinant {
            sign: i64::from(parity(&rows) * parity(&columns)),
            blocks,
        }
    }

    /// The determinant by expansion along the first row, nothing simplified.
    pub fn expanded_determinant(&self, matrix: &Matrix) -> Expr {
        match matrix.len() {
            0 => self.one(),
            1 => matrix[0][0],
            size => {
                let parts: Vec<Expr> = (0..size)
                    .filter(|&c| matrix[0][c] != self.zero())
                    .map(|c| {
                        let minor = self.expanded_determinant(&without(matrix, 0, c));
                        let term = self.mul(matrix[0][c], minor);
                        if c % 2 == 0 { term } else { self.neg(term) }
                    })
                    .collect();
                self.sum(parts)
            }
        }
    }

    /// Solves `matrix * unknowns = right` block by block, unsimplified; `None` where the determinant
    /// is zero, a block is too large, or the solution, written out, would take more than `largest` operations
    /// in all. `right` has one row an equation and any number of columns.
    pub fn solve_linear(&self, matrix: &Matrix, right: &Matrix, largest: usize) -> Option<Matrix> {
        let size = matrix.len();
        let zero = self.zero();
        let width = right.first().map_or(0, Vec::len);
        let blocks = block_triangular(size, |r, c| matrix[r][c] != zero)?;
        let mut unknowns: Matrix = vec![vec![zero; width]; size];
        let mut written = 0_usize;
        for block in &blocks {
            if block.rows.len() > LARGEST_BLOCK {
                return None;
            }
            let inner = block_of(matrix, block);
            let (det, cofactors) = self.cofactors(&inner);
            if det == zero {
                return None;
            }
            for k in 0..width {
                let rest: Vec<Expr> = block
                    .rows
                    .iter()
                    .map(|&r| {
                        let known = (0..size)
                            .filter(|c| matrix[r][*c] != zero && !block.columns.contains(c))
                            .map(|c| {
                                let term = self.mul(matrix[r][c], unknowns[c][k]);
                                self.scale(term, &Number::MINUS_ONE)
                            });
                        self.sum(known.chain([right[r][k]]).collect::<Vec<_>>())
                    })
                    .collect();
                for (i, &c) in block.columns.iter().enumerate() {
                    let parts: Vec<Expr> = rest
                        .iter()
                        .enumerate()
                        .filter(|(_, e)| **e != zero)
                        .map(|(j, &e)| self.mul(cofactors[j][i], e))
                        .collect();
                    unknowns[c][k] = self.div(self.sum(parts), det);
                    written = written.saturating_add(self.size(unknowns[c][k]));
                    if written > largest {
                        return None;
                    }
                }
            }
        }
        Some(unknowns)
    }

    /// The determinant and the matrix of cofactors of a small matrix, simplified.
    pub fn cofactors(&self, matrix: &Matrix) -> (Expr, Matrix) {
        let size = matrix.len();
        let det = self.simplify(self.expanded_determinant(matrix));
        let cofactor = |r: usize, c: usize| {
            let minor = self.expanded_determinant(&without(matrix, r, c));
            let minor = self.simplify(minor);
            if (r + c).is_multiple_of(2) {
                minor
            } else {
                self.neg(minor)
            }
        };
        let cofactors = (0..size)
            .map(|r| (0..size).map(|c| cofactor(r, c)).collect())
            .collect();
        (det, cofactors)
    }
}

/// The entries of a block.
pub fn block_of(matrix: &Matrix, block: &Block) -> Matrix {
    block
        .rows
        .iter()
        .map(|&r| block.columns.iter().map(|&c| matrix[r][c]).collect())
        .collect()
}

fn without(matrix: &Matrix, row: usize, column: usize) -> Matrix {
    matrix
        .iter()
        .enumerate()
        .filter(|(r, _)| *r != row)
        .map(|(_, list)| {
            list.iter()
                .enumerate()
                .filter(|(c, _)| *c != column)
                .map(|(_, e)| *e)
                .collect()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::SymbolKind;

    #[test]
    fn a_chain_has_blocks_of_one_and_a_loop_is_one_block() {
        let chain = block_triangular(4, |r, c| c == r || c + 1 == r).unwrap();
        assert_eq!(chain.len(), 4);
        assert_eq!(chain[0].columns, [0]);
        let ring = block_triangular(3, |r, c| c == r || c == (r + 1) % 3).unwrap();
        assert_eq!(ring.len(), 1);
        assert!(block_triangular(2, |_, c| c == 0).is_none());
        // needs an augmenting path
        assert!(
            block_triangular(3, |r, c| matches!((r, c), (0, 0 | 1) | (1, 0) | (2, 1 | 2)))
                .is_some()
        );
    }

    #[test]
    fn determinant_and_solution_agree_with_numbers() {
        let p = Pool::new();
        let names: Vec<Expr> = (0..9)
            .map(|i| p.symbol(&format!("a{i}"), SymbolKind::Other(i)))
            .collect();
        for zeros in [
            vec![],
            vec![(0, 1), (0, 2)],
            vec![(0, 0), (2, 1)],
            vec![(1, 1), (0, 0), (2, 2)],
        ] {
            let mut matrix: Matrix = names.chunks(3).map(<[Expr]>::to_vec).collect();
            for (r, c) in zeros {
                matrix[r][c] = p.zero();
            }
            let value = |i: usize| f64::from(i32::try_from(i * i + 2 * i + 3).unwrap()).sqrt();
            let at = |e: Expr| {
                p.evaluate(e, &|k| match k {
                    SymbolKind::Other(i) => value(i),
                    _ => f64::NAN,
                })
            };
            let numeric = nalgebra::DMatrix::from_fn(3, 3, |r, c| at(matrix[r][c]));
            let det = p.determinant(&matrix);
            let product: f64 = det
                .blocks
                .iter()
                .map(|(_, d)| at(d.unwrap()))
                .product::<f64>()
                * f64::from(i32::try_from(det.sign).unwrap());
            assert!((product - numeric.determinant()).abs() < 1e-9);
            let right: Matrix = vec![vec![p.one()], vec![p.number(2)], vec![p.number(-1)]];
            let solved = p.solve_linear(&matrix, &right, usize::MAX).unwrap();
            let x = nalgebra::DVector::from_fn(3, |i, _| at(solved[i][0]));
            let residual = numeric * x - nalgebra::DVector::from_vec(vec![1.0, 2.0, -1.0]);
            assert!(residual.norm() < 1e-9);
        }
    }
}
