//! A choice of dependent coordinates, prepared for the question: is F one-to-one on a box?
//!
//! F = (f, x_I, t) is, where f is C^1 on all of the box X and every diagonal block of the block
//! triangular form of J_D passes one of three tests:
//!
//! * the interval matrix J_D(X) of the block is regular. By the mean value theorem f(x) = f(x') makes a
//!   matrix whose rows are gradients at points of their own annihilate x_D - x_D'; that the determinant
//!   has no zero is not enough.
//! * at most one row of the block is not constant, and the block's determinant, by its factors, has no zero
//!   on X. All rows are then taken at the point of that one, and the matrix that annihilates the difference
//!   has the determinant at a point of X.
//! * the block's determinant has no zero on X, and A J_D(x) is a P-matrix (all its principal minors are
//!   positive) at every point x of X, for one constant regular A: A f is then one-to-one in the columns of
//!   the block on a rectangle (D. Gale and H. Nikaido, Math. Annalen 159 (1965) 81, theorem 4). A is the
//!   transpose of J_D in the middle, which makes the Gram matrix of its columns there: they may turn by less
//!   than a right angle, however near to each other they lie.
//!
//! The last is a statement on the block alone. In a block triangular J_D it is the columns of blocks before
//! that are equal first, so the blocks together make F one-to-one.

use crate::expr::{Expr, Interval, Pool, block_triangular};
use crate::interval::{Equations, Scratch, middle_of, misses_zero};
use rustc_hash::FxHashSet;

/// Blocks up to this size have their determinant written out.
const WRITTEN_UP_TO: usize = 4;

/// A choice of dependent coordinates, as many as equations.
#[derive(Clone, Debug)]
pub struct Chart {
    /// The dependent coordinates.
    pub dependent: Vec<usize>,
    /// The diagonal blocks; `None` where J_D is singular by its pattern.
    blocks: Option<Vec<Diagonal>>,
    /// the variables that J_D depends on
    varying: Vec<bool>,
}

#[derive(Clone, Debug)]
struct Diagonal {
    rows: Vec<usize>,
    columns: Vec<usize>,
    /// the factors of the determinant, of a small block
    factors: Option<Equations>,
    /// at most one row is not constant
    one_row: bool,
}

impl Chart {
    /// Prepares a choice. `gradients` are df/dx, rows the constraints, columns the coordinates; `variables`
    /// and `constants` those of the equations.
    pub fn new(
        pool: &Pool,
        variables: &[Expr],
        constants: &[(Expr, Interval)],
        gradients: &[Vec<Expr>],
        dependent: &[usize],
    ) -> Self {
        let entry = |i: usize, j: usize| gradients[i][dependent[j]];
        let places = block_triangular(dependent.len(), |i, j| entry(i, j) != pool.zero());
        let blocks = places.map(|places| {
            places
                .into_iter()
                .map(|place| {
                    let varies = |&&i: &&usize| {
                        place
                            .columns
                            .iter()
                            .any(|&j| pool.contains_any(entry(i, j), variables))
                    };
                    let varying = place.rows.iter().filter(varies).count();
                    let factors = (place.rows.len() <= WRITTEN_UP_TO)
                        .then(|| {
                            let rows: Vec<Vec<Expr>> = place
                                .rows
                                .iter()
                                .map(|&i| place.columns.iter().map(|&j| entry(i, j)).collect())
                                .collect();
                            factors_of(pool, &rows)
                        })
                        .flatten()
                        .map(|list| Equations::of_values(pool, variables, constants, &list));
                    Diagonal {
                        columns: place.columns.iter().map(|&j| dependent[j]).collect(),
                        rows: place.rows,
                        factors,
                        one_row: varying <= 1,
                    }
                })
                .collect()
        });
        let mut inside: FxHashSet<Expr> = FxHashSet::default();
        for row in gradients {
            let entries = dependent.iter().map(|&j| row[j]);
            for e in entries.filter(|e| *e != pool.zero()) {
                inside.extend(pool.symbols_of(e).iter());
            }
        }
        Self {
            dependent: dependent.to_vec(),
            blocks,
            varying: variables.iter().map(|x| inside.contains(x)).collect(),
        }
    }

    /// Does J_D depend on this variable?
    pub fn varies_with(&self, variable: usize) -> bool {
        self.varying.get(variable).copied().unwrap_or(true)
    }

    /// What one test costs, in instructions, besides the equations.
    pub fn cost(&self) -> usize {
        let blocks = self.blocks.iter().flatten();
        blocks
            .map(|b| match &b.factors {
                Some(f) => f.cost(),
                None => 8 * b.rows.len().pow(3),
            })
            .sum()
    }

    /// Is F proven to be one-to-one on this box? `equations` are f.
    pub fn is_one_to_one(&self, equations: &Equations, x: &[Interval], work: &mut Scratch) -> bool {
        equations.is_smooth(x, work) && self.is_regular(equations, x, work)
    }

    /// Do the diagonal blocks of J_D pass one of the tests each on this box, where f is C^1?
    fn is_regular(&self, equations: &Equations, x: &[Interval], work: &mut Scratch) -> bool {
        let Some(blocks) = &self.blocks else {
            return false;
        };
        let mut jacobian = None;
        blocks.iter().all(|block| {
            let zero_free = block.factors.as_ref().map(|factors| {
                let (values, defined) = factors.values(x, work);
                defined && values.iter().all(|factor| misses_zero(*factor))
            });
            if zero_free == Some(true) && block.one_row {
                return true;
            }
            if zero_free == Some(false) && block.rows.len() == 1 {
                return false;
            }
            let (matrix, smooth) = jacobian.get_or_insert_with(|| equations.jacobian(x, work));
            if !*smooth {
                return false;
            }
            let matrix = matrix.block(&block.rows, &block.columns);
            matrix.is_regular()
                || zero_free == Some(true) && {
                    let (there, _) = equations.jacobian(&middle_of(x), work);
                    let widths: Vec<f64> = block.columns.iter().map(|&k| x[k].width()).collect();
                    matrix.is_made_p_matrix(&there.block(&block.rows, &block.columns), &widths)
                }
        })
    }
}

/// The factors whose product is the determinant of a block up to a non-zero constant; `None` where it is
/// zero.
fn factors_of(pool: &Pool, rows: &[Vec<Expr>]) -> Option<Vec<Expr>> {
    let det = pool.determinant(&rows.to_vec());
    let mut list = Vec::new();
    if det.sign == 0 {
        return None;
    }
    for (_, value) in det.blocks {
        let value = value?;
        if value == pool.zero() {
            return None;
        }
        let found = pool.factors(value);
        list.push(found.unit);
        list.extend(found.factors.iter().map(|(factor, _)| *factor));
    }
    Some(list)
}
