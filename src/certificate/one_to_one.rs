//! That F is one-to-one on a box, in steps: block by block of J_D, a matrix A for which A J_D(x) is a P-matrix on all of it,
//! or a determinant without zero where only one row of the block is not constant.

use super::plain::{hex, sides};
use super::steps::matrix;
use crate::analysis::Model;
use crate::expr::{Block, Expr, Interval, block_triangular, is_over};
use crate::interval::{Equations, IntervalMatrix, Region, Scratch, halved};
use crate::theorem::Chart;
use nalgebra::DMatrix;
use serde_json::{Value, json};

/// Parts that a box may be cut into.
const PARTS: usize = 10_000;
/// Determinants of larger blocks are not written out.
const WRITTEN_UP_TO: usize = 6;
/// Larger blocks have no weights: a P-matrix has so many minors.
const WEIGHED_UP_TO: usize = 10;

/// How a block is judged.
enum Means {
    /// By its determinant: one row is not constant.
    Row,
    /// By A.
    Weights(DMatrix<f64>),
}

/// A choice of dependent coordinates, prepared for claims on boxes of the coordinates and t.
pub struct OneToOne<'a> {
    equations: &'a Equations,
    dependent: &'a [usize],
    chart: Chart,
    /// the diagonal blocks of J_D; of each the determinant, where one row is not constant
    blocks: Vec<(Block, Option<Equations>)>,
}

impl<'a> OneToOne<'a> {
    /// `None` where J_D is singular by its pattern.
    pub fn new(model: &'a Model, dependent: &'a [usize]) -> Option<Self> {
        let pool = &model.system.pool;
        let bounds = model.bounds();
        let entry = |i: usize, j: usize| model.equations.gradients[i][dependent[j]];
        let blocks = block_triangular(dependent.len(), |i, j| entry(i, j) != pool.zero())?;
        let prepared = |b: Block| {
            let varies = |i: &&usize| {
                let mut entries = b.columns.iter().map(|j| entry(**i, *j));
                entries.any(|e| pool.contains_any(e, &bounds.variables))
            };
            let one_row = b.rows.iter().filter(varies).count() <= 1;
            let det = (one_row && b.rows.len() <= WRITTEN_UP_TO).then(|| {
                let columns: Vec<usize> = b.columns.iter().map(|j| dependent[*j]).collect();
                let det = determinant(model, &b.rows, &columns);
                Equations::new(pool, &bounds.variables, &bounds.constants, &[det])
            });
            (b, det)
        };
        Some(Self {
            equations: &bounds.equations,
            dependent,
            chart: model.chart(dependent),
            blocks: blocks.into_iter().map(prepared).collect(),
        })
    }

    /// The claim of a box; `None` where no simple reason is found.
    pub fn claim(&self, region: &[Interval]) -> Option<Value> {
        let mut work = Scratch::default();
        let middle: Region = region.iter().map(|s| Interval::point(s.middle())).collect();
        let (there, _) = self.equations.jacobian(&middle, &mut work);
        let (wide, _) = self.equations.jacobian(region, &mut work);
        let (there, wide) = (
            there.of_columns(self.dependent),
            wide.of_columns(self.dependent),
        );
        // the ways to judge each block, the likeliest first
        let ways = |(b, det): &(Block, Option<Equations>)| -> Option<Vec<Means>> {
            let mut list = Vec::from_iter(det.as_ref().map(|_| Means::Row));
            let size = b.rows.len();
            if size == 1 || size > WEIGHED_UP_TO {
                return (!list.is_empty()).then_some(list);
            }
            let own = there.block(&b.rows, &b.columns).middle()?;
            let wide = wide.block(&b.rows, &b.columns);
            let of_all = wide.middle().and_then(nalgebra::Matrix::try_inverse);
            let inverses = of_all.into_iter().chain(own.clone().try_inverse());
            list.extend(inverses.map(Means::Weights));
            // neither units of coordinates nor of constraints matter
            let unit = |j: usize| {
                let side = region[self.dependent[b.columns[j]]];
                side.width().max(f64::MIN_POSITIVE)
            };
            let length = |i: usize| -> f64 {
                let entries = (0..size).map(|j| (wide.at(i, j).magnitude() * unit(j)).powi(2));
                entries.sum()
            };
            let turned = DMatrix::from_fn(size, size, |i, j| own[(j, i)] * unit(i) / length(j));
            list.push(Means::Weights(turned));
            Some(list)
        };
        let ways: Vec<Vec<Means>> = self.blocks.iter().map(ways).collect::<Option<_>>()?;
        let most = ways.iter().map(Vec::len).max().unwrap_or(0);
        (0..most.max(1)).find_map(|turn| {
            let means: Vec<&Means> = ways
                .iter()
                .filter_map(|w| w.get(turn).or(w.last()))
                .collect();
            let steps = self.cut(region, &means, &mut work)?;
            let told = self.blocks.iter().zip(&means).map(|((b, _), means)| {
                let columns: Vec<usize> = b.columns.iter().map(|j| self.dependent[*j]).collect();
                match means {
                    Means::Row => json!({"rows": b.rows, "columns": columns, "kind": "row"}),
                    Means::Weights(a) => {
                        json!({"rows": b.rows, "columns": columns, "kind": "P", "A": matrix(a)})
                    }
                }
            });
            Some(json!({
                "claim": "one-to-one",
                "dependent": self.dependent,
                "box": sides(region),
                "blocks": told.collect::<Vec<Value>>(),
                "steps": steps,
            }))
        })
    }

    /// The steps, if the blocks can be judged on the parts of the box.
    fn cut(&self, region: &[Interval], means: &[&Means], work: &mut Scratch) -> Option<Vec<Value>> {
        let mut steps = Vec::new();
        let mut queue = vec![region.to_vec()];
        let mut looked = 0;
        while let Some(part) = queue.pop() {
            looked += 1;
            if looked > PARTS || is_over() {
                return None;
            }
            let smooth = self.equations.is_smooth(&part, work);
            let (jacobian, also) = self.equations.jacobian(&part, work);
            let holds = smooth && also && {
                let jacobian = jacobian.of_columns(self.dependent);
                let mut each = self.blocks.iter().zip(means);
                each.all(|((b, det), means)| match (means, det) {
                    (Means::Weights(a), _) => {
                        is_p_matrix(&product(a, &jacobian.block(&b.rows, &b.columns)))
                    }
                    (Means::Row, Some(det)) => has_no_zero(det, &part, work),
                    (Means::Row, None) => false,
                })
            };
            if holds {
                steps.push(json!(["holds"]));
                continue;
            }
            let share = |k: usize| {
                let all = region[k].width();
                let matters = !smooth || self.chart.varies_with(k);
                if all > 0.0 && matters {
                    part[k].width() / all
                } else {
                    0.0
                }
            };
            let k =
                (0..part.len()).max_by(|a, b| share(*a).total_cmp(&share(*b)).then(b.cmp(a)))?;
            if share(k) < 1e-9 {
                return None;
            }
            let (low, high) = halved(part, k).ok()?;
            steps.push(json!(["cut", k, hex(low[k].hi)]));
            queue.extend([high, low]);
        }
        Some(steps)
    }
}

/// Has a function no zero on a box: by its bounds, or by the mean value theorem about the corner where it is least or
/// largest?
fn has_no_zero(e: &Equations, part: &[Interval], work: &mut Scratch) -> bool {
    let mut values = Vec::new();
    let mut at = |sides: &[Interval], work: &mut Scratch| {
        e.values(sides, work, &mut values);
        values.first().copied().unwrap_or(Interval::ALL)
    };
    let free = |v: Interval| v.lo > 0.0 || v.hi < 0.0;
    if free(at(part, work)) {
        return true;
    }
    let (slopes, _) = e.jacobian(part, work);
    [true, false].into_iter().any(|least| {
        let corner = part.iter().enumerate().map(|(k, side)| {
            let slope = slopes.at(0, k);
            let rises = slope.lo >= 0.0;
            Interval::point(match (rises, slope.hi <= 0.0) {
                (false, false) => side.middle(),
                _ if rises == least => side.lo,
                _ => side.hi,
            })
        });
        let corner: Region = corner.collect();
        let there = at(&corner, work);
        let sides = part.iter().zip(&corner).enumerate();
        free(sides.fold(there, |sum, (k, (side, from))| {
            sum.add(slopes.at(0, k).mul(side.sub(*from)))
        }))
    })
}

/// det of rows and columns of J by expansion, nothing simplified.
pub fn determinant(model: &Model, left: &[usize], columns: &[usize]) -> Expr {
    let pool = &model.system.pool;
    let Some((&column, others)) = columns.split_first() else {
        return pool.one();
    };
    let terms = left.iter().enumerate().map(|(place, &i)| {
        let rest: Vec<usize> = left.iter().copied().filter(|k| *k != i).collect();
        let entry = model.equations.gradients[i][column];
        if entry == pool.zero() {
            return entry;
        }
        let term = pool.mul(entry, determinant(model, &rest, others));
        if place % 2 == 0 { term } else { pool.neg(term) }
    });
    pool.sum(terms)
}

fn product(weights: &DMatrix<f64>, block: &IntervalMatrix) -> IntervalMatrix {
    let size = block.shape().0;
    IntervalMatrix::from_fn(size, size, |i, j| {
        (0..size).fold(Interval::ZERO, |sum, k| {
            sum.add(Interval::point(weights[(i, k)]).mul(block.at(k, j)))
        })
    })
}

/// Is every matrix in these bounds a P-matrix: a > 0, and both what is left without the first row and column and the Schur
/// complement of a are?
fn is_p_matrix(b: &IntervalMatrix) -> bool {
    let Some(size) = b.shape().0.checked_sub(1) else {
        return true;
    };
    let a = b.at(0, 0);
    let rest = |i: usize, j: usize| b.at(i + 1, j + 1);
    let schur = |i: usize, j: usize| {
        let moved = b.at(i + 1, 0).div(a).mul(b.at(0, j + 1));
        rest(i, j).sub(moved)
    };
    a.lo > 0.0
        && is_p_matrix(&IntervalMatrix::from_fn(size, size, rest))
        && is_p_matrix(&IntervalMatrix::from_fn(size, size, schur))
}
