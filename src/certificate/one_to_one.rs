//! That F is one-to-one on a box, in steps: block by block of J_D, a matrix A for which A J_D(x) is a P-matrix on all of it,
//! or a determinant without zero where only one row of the block is not constant.

use super::claims::{Angles, Judged, Matrix, Means, Piece, Rows, Sides};
use crate::analysis::{Model, simplified};
use crate::expr::{Expr, Interval, Node, Number, block_triangular, is_over};
use crate::interval::{
    By, Equations, IntervalMatrix, Region, Scratch, Step, halved, middle_of, share,
};
use crate::theorem::Chart;
use nalgebra::DMatrix;

/// Parts that a box may be cut into: all ways to judge a block are tried with few before one is with many.
const PARTS: [usize; 3] = [20, 500, 10_000];
/// Determinants of larger blocks are not written out.
const WRITTEN_UP_TO: usize = 6;
/// An angle has to stay within less than a turn.
const TURN: f64 = 0.999 * std::f64::consts::TAU;
/// Larger blocks have no weights: a P-matrix has so many minors.
const WEIGHED_UP_TO: usize = 10;

/// A choice of dependent coordinates, prepared for claims on boxes of the coordinates and t.
pub struct OneToOne<'a> {
    equations: &'a Equations,
    dependent: &'a [usize],
    chart: Chart,
    /// the diagonal blocks of J_D; of each the determinant, where that tells
    blocks: Vec<(Rows, Option<Det>)>,
}

/// A block of which the determinant tells: one row is not constant, its equations are quadratic, or sums of functions of one
/// angle each.
struct Det {
    value: Equations,
    /// Those angles, a row each, and the inverse matrix.
    angles: Option<Angles>,
}

impl Det {
    /// Of a block of these constraints and coordinates.
    fn new(model: &Model, rows: &[usize], columns: &[usize]) -> Option<Self> {
        if rows.len() > WRITTEN_UP_TO {
            return None;
        }
        let pool = &model.system.pool;
        let bounds = model.bounds();
        let x: Vec<Expr> = model.system.positions_of(columns);
        let own = |i: &usize| {
            let row = &model.equations.gradients[*i];
            columns.iter().map(|k| row[*k])
        };
        let varies = |i: &&usize| own(i).any(|e| pool.contains_any(e, &bounds.variables));
        let by = |e: Expr| x.iter().map(move |x| pool.derivative(e, *x));
        let vanish = |e: Expr| pool.simplify(e) == pool.zero();
        let angles = if rows.iter().filter(varies).count() <= 1
            || rows
                .iter()
                .flat_map(own)
                .flat_map(by)
                .flat_map(by)
                .all(vanish)
        {
            None
        } else {
            Some(angles(model, rows, &x)?)
        };
        // as it comes, and multiplied out: who checks has no other form but that of derivatives of functions
        let level = |i: &usize| model.system.constraints[*i].f;
        let slopes = |x: &Expr| rows.iter().map(|i| pool.derivative(level(i), *x)).collect();
        let transposed: crate::expr::Matrix = x.iter().map(slopes).collect();
        let det = pool.expanded_determinant(&transposed);
        let mut forms = vec![det, pool.multiplied_out(det)];
        forms.extend(simplified(pool, det));
        let value = bounds.in_sums(pool, &forms);
        Some(Self { value, angles })
    }

    /// Is every angle in less than one turn on a box?
    fn tells(&self, sides: &[Interval]) -> bool {
        self.angles.as_ref().is_none_or(|Angles { angles, .. }| {
            let widths =
                nalgebra::DVector::from_iterator(sides.len(), sides.iter().map(|s| s.width()));
            (angles.abs() * widths).max() < TURN
        })
    }
}

/// The angles of which sines and cosines are taken in a block, if there are as many as coordinates, and the equations are sums of
/// functions of one of them each; with the inverse matrix.
fn angles(model: &Model, rows: &[usize], x: &[Expr]) -> Option<Angles> {
    let pool = &model.system.pool;
    let mut found: Vec<Vec<f64>> = Vec::new();
    let list: Vec<Expr> = rows
        .iter()
        .map(|i| model.system.constraints[*i].f)
        .collect();
    let mut other = false;
    pool.visit(&list, &mut |_, node| {
        if let Node::Apply(_, args) = node {
            let slopes = args
                .iter()
                .flat_map(|e| x.iter().map(|x| pool.derivative(*e, *x)));
            let row: Option<Vec<f64>> = slopes
                .map(|e| Some(Interval::of_number(&pool.as_number(e)?).middle()))
                .collect();
            match row {
                Some(row) => {
                    let turned: Vec<f64> = row.iter().map(|v| -v).collect();
                    let new = !found.contains(&row) && !found.contains(&turned);
                    if new && row.iter().any(|v| *v != 0.0) {
                        found.push(row);
                    }
                }
                None => other = true,
            }
        }
    });
    let n = x.len();
    if other || found.len() != n {
        return None;
    }
    let angles = DMatrix::from_fn(n, n, |k, j| found[k][j]);
    let by = angles.clone().try_inverse()?.map(f64::round);
    if &angles * &by != DMatrix::identity(n, n) {
        return None;
    }
    let along = |e: Expr, k: usize| {
        let terms = x.iter().enumerate().map(|(j, x)| {
            let factor = Number::from_f64(by[(j, k)]).unwrap_or(Number::ZERO);
            pool.scale(pool.derivative(e, *x), &factor)
        });
        pool.sum(terms.collect::<Vec<Expr>>())
    };
    let vanishes = |e: Expr| pool.simplify(e) == pool.zero();
    let split = (0..n).all(|k| {
        let first: Vec<Expr> = list.iter().map(|e| along(*e, k)).collect();
        let third: Vec<Expr> = first.iter().map(|e| along(along(*e, k), k)).collect();
        let mixed = first
            .iter()
            .flat_map(|e| (0..n).filter(|i| *i != k).map(|i| along(*e, i)));
        let mut sums = first.iter().zip(&third).map(|(a, b)| pool.add(*a, *b));
        mixed.into_iter().all(vanishes)
            && (third.iter().all(|e| vanishes(*e)) || sums.all(vanishes))
    });
    split.then_some(Angles { angles, by })
}

impl<'a> OneToOne<'a> {
    /// `None` where J_D is singular by its pattern.
    pub fn new(model: &'a Model, dependent: &'a [usize]) -> Option<Self> {
        let prepared = |b: Rows| {
            let det = Det::new(model, &b.rows, &b.columns);
            (b, det)
        };
        let blocks = blocks(model, dependent)?.into_iter();
        Some(Self {
            equations: model.bounds().as_checked(&model.system.pool),
            dependent,
            chart: model.chart(dependent),
            blocks: blocks.map(prepared).collect(),
        })
    }

    /// The claim of the first of boxes for which a simple reason is found.
    pub fn claim(&self, boxes: &[Region]) -> Option<Piece> {
        let each = |parts| boxes.iter().find_map(|own| self.in_parts(own, parts));
        PARTS.into_iter().find_map(each)
    }

    /// The claim of a box that need not be cut.
    pub fn at_once(&self, region: &[Interval]) -> Option<Piece> {
        self.in_parts(region, 1)
    }

    fn in_parts(&self, region: &[Interval], parts: usize) -> Option<Piece> {
        let mut work = Scratch::default();
        let middle = middle_of(region);
        let block = |sides: &[Interval], b: &Rows| {
            let (all, _) = self.equations.jacobian(sides, &mut Scratch::default());
            all.block(&b.rows, &b.columns)
        };
        // the ways to judge each block, the likeliest first
        let ways = |(b, det): &(Rows, Option<Det>)| -> Option<Vec<Means>> {
            let sides: Region = b.columns.iter().map(|k| region[*k]).collect();
            let det = det.as_ref().filter(|det| det.tells(&sides));
            let det = det.map(|det| Means::Det {
                angles: det.angles.clone(),
            });
            let mut list = Vec::from_iter(det);
            let size = b.rows.len();
            if size == 1 || size > WEIGHED_UP_TO {
                return (!list.is_empty()).then_some(list);
            }
            let own = block(&middle, b).middle()?;
            let wide = block(region, b);
            let of_all = wide.middle().and_then(nalgebra::Matrix::try_inverse);
            let inverses = of_all.into_iter().chain(own.clone().try_inverse());
            let widths: Vec<f64> = sides.iter().map(|side| side.width()).collect();
            let weights = inverses.chain([wide.turned(&own, &widths)]);
            list.extend(weights.map(|a| Means::Weights { a: Matrix(a) }));
            Some(list)
        };
        let ways: Vec<Vec<Means>> = self.blocks.iter().map(ways).collect::<Option<_>>()?;
        let most = ways.iter().map(Vec::len).max().unwrap_or(0);
        (0..most.max(1)).find_map(|turn| {
            let chosen: Vec<&Means> = ways
                .iter()
                .filter_map(|w| w.get(turn).or(w.last()))
                .collect();
            let steps = self.cut(region, &chosen, (parts, &mut work))?;
            let told = self.blocks.iter().zip(chosen);
            let told = told.map(|((block, _), way)| Judged {
                block: block.clone(),
                means: way.clone(),
            });
            Some(Piece {
                dependent: self.dependent.to_vec(),
                sides: Sides(region.to_vec()),
                blocks: told.collect(),
                steps,
            })
        })
    }

    /// The steps, if the blocks can be judged on so many parts of the box at most.
    fn cut(
        &self,
        region: &[Interval],
        ways: &[&Means],
        (most, work): (usize, &mut Scratch),
    ) -> Option<Vec<Step>> {
        let mut steps = Vec::new();
        let mut queue = vec![region.to_vec()];
        let mut looked = 0;
        while let Some(part) = queue.pop() {
            looked += 1;
            if looked > most || is_over() {
                return None;
            }
            let smooth = self.equations.is_smooth(&part, work);
            let (jacobian, also) = self.equations.jacobian(&part, work);
            let holds = smooth && also && {
                let mut each = self.blocks.iter().zip(ways);
                each.all(|((b, det), way)| match (way, det) {
                    (Means::Weights { a }, _) => {
                        is_p_matrix(&jacobian.block(&b.rows, &b.columns).weighed(&a.0))
                    }
                    (Means::Det { .. }, Some(det)) => has_no_zero(&det.value, &part, work),
                    (Means::Det { .. }, None) => false,
                })
            };
            if holds {
                steps.push(Step::Holds);
                continue;
            }
            let matters = |k: usize| !smooth || self.chart.varies_with(k);
            let share = |k: usize| {
                if matters(k) {
                    share(part[k], region[k])
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
            steps.push(Step::Cut(k, low[k].hi));
            queue.extend([high, low]);
        }
        Some(steps)
    }
}

/// The diagonal blocks of J_D.
pub fn blocks(model: &Model, dependent: &[usize]) -> Option<Vec<Rows>> {
    let zero = model.system.pool.zero();
    let entry = |i: usize, j: usize| model.equations.gradients[i][dependent[j]];
    let found = block_triangular(dependent.len(), |i, j| entry(i, j) != zero)?;
    let told = found.into_iter().map(|b| Rows {
        rows: b.rows,
        columns: b.columns.iter().map(|j| dependent[*j]).collect(),
    });
    Some(told.collect())
}

/// Has a function, in one of its forms, no zero on a box?
fn has_no_zero(e: &Equations, part: &[Interval], work: &mut Scratch) -> bool {
    let mut forms = (0..e.len()).map(By::Equation);
    forms.any(|form| e.has_no_zero((part, 0..part.len()), &form, work))
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
