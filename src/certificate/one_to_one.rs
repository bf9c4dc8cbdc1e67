//! That F is one-to-one on a box, in steps: block by block of J_D, a matrix A for which A J_D(x) is a P-matrix on all of it,
//! or a determinant without zero where only one row of the block is not constant.

use super::plain::{hex, sides};
use super::steps::hexes;
use crate::analysis::Model;
use crate::expr::{Block, Expr, Interval, block_triangular, is_over};
use crate::interval::{Equations, IntervalMatrix, Region, Scratch, halved};
use nalgebra::DMatrix;
use serde_json::{Value, json};

/// Parts that a box may be cut into.
const PARTS: usize = 2000;
/// Determinants of larger blocks are not written out.
const WRITTEN_UP_TO: usize = 6;
/// Blocks up to this size may be judged by their minors.
const MINORS_UP_TO: usize = 4;

/// How a block is judged.
#[derive(Clone)]
enum Means {
    /// One row is not constant: the determinant and its slopes.
    Row(Box<Equations>),
    /// A, and the scales of the columns.
    Weights(DMatrix<f64>, Vec<f64>),
}

/// A claim on a box of the coordinates and t; `None` where no simple reason is found.
pub fn one_to_one(model: &Model, dependent: &[usize], region: &[Interval]) -> Option<Value> {
    let pool = &model.system.pool;
    let bounds = model.bounds();
    let entry = |i: usize, j: usize| model.equations.gradients[i][dependent[j]];
    let blocks = block_triangular(dependent.len(), |i, j| entry(i, j) != pool.zero())?;
    let mut work = Scratch::default();
    let middle: Region = region.iter().map(|s| Interval::point(s.middle())).collect();
    let (there, _) = bounds.equations.jacobian(&middle, &mut work);
    let there = there.of_columns(dependent);
    let varies = |i: usize, b: &Block| {
        let mut entries = b.columns.iter().map(|j| entry(i, *j));
        entries.any(|e| pool.contains_any(e, &bounds.variables))
    };
    // the ways to judge each block, the likeliest first
    let ways = |b: &Block| -> Option<Vec<Means>> {
        let own = there.block(&b.rows, &b.columns).middle()?;
        let size = b.rows.len();
        let ones = vec![1.0; size];
        let mut list = Vec::new();
        if b.rows.iter().filter(|i| varies(**i, b)).count() <= 1 && size <= WRITTEN_UP_TO {
            let columns: Vec<usize> = b.columns.iter().map(|j| dependent[*j]).collect();
            let det = determinant(model, &b.rows, &columns);
            let det = Equations::new(pool, &bounds.variables, &bounds.constants, &[det]);
            list.push(Means::Row(Box::new(det)));
        }
        if size == 1 {
            return Some(list);
        }
        let (wide, _) = bounds.equations.jacobian(region, &mut Scratch::default());
        let wide = wide.of_columns(dependent).block(&b.rows, &b.columns);
        let of_all = wide.middle().and_then(nalgebra::Matrix::try_inverse);
        for inverse in of_all.into_iter().chain(own.clone().try_inverse()) {
            let scale = perron(&product(&inverse, &wide));
            list.push(Means::Weights(inverse.clone(), scale));
            list.push(Means::Weights(inverse, ones.clone()));
        }
        let unit = |i: usize| own.row(i).norm().max(f64::MIN_POSITIVE);
        let turned = DMatrix::from_fn(size, size, |i, j| own[(j, i)] / unit(j));
        list.push(Means::Weights(turned, ones));
        Some(list)
    };
    let ways: Vec<Vec<Means>> = blocks.iter().map(ways).collect::<Option<_>>()?;
    let most = ways.iter().map(Vec::len).max().unwrap_or(0);
    (0..most.max(1)).find_map(|turn| {
        let means: Vec<&Means> = ways.iter().filter_map(|w| w.get(turn).or(w.last())).collect();
        let steps = cut(model, dependent, region, (&blocks, &means))?;
        let told = blocks.iter().zip(&means).map(|(b, means)| {
            let columns: Vec<usize> = b.columns.iter().map(|j| dependent[*j]).collect();
            match means {
                Means::Row(_) => json!({"rows": b.rows, "columns": columns, "kind": "row"}),
                Means::Weights(a, scale) => {
                    let a: Vec<Value> = (a.row_iter())
                        .map(|row| row.iter().map(|w| hex(*w)).collect())
                        .collect();
                    json!({"rows": b.rows, "columns": columns, "kind": "P", "A": a, "scale": hexes(scale)})
                }
            }
        });
        Some(json!({
            "claim": "one-to-one",
            "dependent": dependent,
            "box": sides(region),
            "blocks": told.collect::<Vec<Value>>(),
            "steps": steps,
        }))
    })
}

/// The steps, if the blocks can be judged on the parts of the box.
fn cut(
    model: &Model,
    dependent: &[usize],
    region: &[Interval],
    (blocks, means): (&[Block], &[&Means]),
) -> Option<Vec<Value>> {
    let equations = &model.bounds().equations;
    let chart = model.chart(dependent);
    let mut work = Scratch::default();
    let mut steps = Vec::new();
    let mut queue = vec![region.to_vec()];
    let mut looked = 0;
    while let Some(part) = queue.pop() {
        looked += 1;
        if looked > PARTS || is_over() {
            return None;
        }
        let smooth = equations.is_smooth(&part, &mut work);
        let (jacobian, also) = equations.jacobian(&part, &mut work);
        let holds = smooth && also && {
            let jacobian = jacobian.of_columns(dependent);
            let mut each = blocks.iter().zip(means);
            each.all(|(b, means)| is_regular(&jacobian.block(&b.rows, &b.columns), means, &part))
        };
        if holds {
            steps.push(json!(["holds"]));
            continue;
        }
        let share = |k: usize| {
            let all = region[k].width();
            let matters = !smooth || chart.varies_with(k);
            if all > 0.0 && matters {
                part[k].width() / all
            } else {
                0.0
            }
        };
        let k = (0..part.len()).max_by(|a, b| share(*a).total_cmp(&share(*b)).then(b.cmp(a)))?;
        if share(k) < 1e-9 {
            return None;
        }
        let (low, high) = halved(part, k).ok()?;
        steps.push(json!(["cut", k, hex(low[k].hi)]));
        queue.extend([high, low]);
    }
    Some(steps)
}

/// Has a function no zero on a box? Along variables in which it is monotone its bounds are at the ends.
fn has_no_zero(e: &Equations, part: &[Interval]) -> bool {
    let mut work = Scratch::default();
    let (slopes, _) = e.jacobian(part, &mut work);
    let (mut low, mut high) = (part.to_vec(), part.to_vec());
    for (k, side) in part.iter().enumerate() {
        let (lo, hi) = (Interval::point(side.lo), Interval::point(side.hi));
        let slope = slopes.at(0, k);
        if slope.lo >= 0.0 {
            (low[k], high[k]) = (lo, hi);
        } else if slope.hi <= 0.0 {
            (low[k], high[k]) = (hi, lo);
        }
    }
    let mut at = |sides: &[Interval]| {
        let mut values = Vec::new();
        e.values(sides, &mut work, &mut values);
        values.first().copied().unwrap_or(Interval::ALL)
    };
    at(&low).lo > 0.0 || at(&high).hi < 0.0
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

/// Scales of the columns that make a matrix near 1 dominant by its diagonal, if any do.
fn perron(near_one: &IntervalMatrix) -> Vec<f64> {
    let size = near_one.shape().0;
    let mut v = vec![1.0; size];
    for _ in 0..12 {
        let image = |i: usize| -> f64 {
            let rest = |j: usize| {
                let one = if i == j {
                    Interval::ONE
                } else {
                    Interval::ZERO
                };
                near_one.at(i, j).sub(one).magnitude()
            };
            (0..size).map(|j| rest(j) * v[j]).sum()
        };
        let image: Vec<f64> = (0..size).map(image).collect();
        let top = image.iter().copied().fold(0.0, f64::max);
        if !(top > 0.0 && top.is_finite()) {
            break;
        }
        v = image.iter().map(|new| (new / top).max(1e-6)).collect();
    }
    v
}

fn is_regular(block: &IntervalMatrix, means: &Means, part: &[Interval]) -> bool {
    let size = block.shape().0;
    let (weights, scale) = match means {
        Means::Weights(weights, scale) => (weights, scale),
        Means::Row(det) => return has_no_zero(det, part),
    };
    let product = product(weights, block);
    // a little more than is needed
    let dominant = |i: usize| {
        let others = (0..size).filter(|j| *j != i);
        let rest: f64 = others
            .map(|j| product.at(i, j).magnitude() * scale[j])
            .sum();
        product.at(i, i).lo * scale[i] > rest * (1.0 + 1e-12)
    };
    let minors = || {
        (1..1_usize << size).all(|which| {
            let chosen: Vec<usize> = (0..size).filter(|k| which >> k & 1 == 1).collect();
            product.block(&chosen, &chosen).determinant().lo > 0.0
        })
    };
    (0..size).all(dominant) || size <= MINORS_UP_TO && minors()
}
