//! Claims on the points of the constraints where det J_D = 0: some block of J_D has a combination of its rows that vanishes, face
//! by face of what its multipliers may be.

use super::case::Case;
use super::claims::{Claim, Given, More};
use super::equilibria::units;
use super::one_to_one::blocks;
use super::plain::{fraction, written};
use super::steps::Prover;
use super::{BOXES, EFFORT, is_near, told, zeros};
use crate::analysis::Model;
use crate::expr::{Expr, Interval};
use crate::interval::{Region, apart};
use crate::statics::Numbers;

/// That these points in a region are all, up to turns of angles, in units of the multipliers.
pub fn singular(
    model: &Model,
    (t, dependent): (f64, &[usize]),
    region: &[Interval],
    (wanted, scale): (&[Vec<f64>], i64),
) -> Option<Claim> {
    let (system, pool) = (&model.system, &model.system.pool);
    let Numbers { exact, rounded } = Numbers::new(&model.system, t);
    let x: Vec<Expr> = system.positions();
    let n = x.len();
    let u: Vec<Expr> = system.multipliers().collect();
    let scales = units(u.len(), scale);
    let levels: Vec<Expr> = system.residuals().collect();
    let blocks = blocks(model, dependent)?;
    let mut seen = vec![false; wanted.len()];
    let (mut faces, mut places) = (Vec::new(), Vec::<(bool, Region)>::new());
    for block in &blocks {
        let balance = block.columns.iter().map(|k| {
            let of = |i: &usize| {
                let slope = model.equations.gradients[*i][*k];
                pool.scale(pool.mul(u[*i], slope), &scales[*i].neg())
            };
            pool.multiplied_out(pool.sum(block.rows.iter().map(of).collect::<Vec<Expr>>()))
        });
        let list: Vec<Expr> = levels.iter().copied().chain(balance).collect();
        for &one in &block.rows {
            let mut by = exact.clone();
            by.insert(u[one], pool.one());
            let others = block.rows.iter().filter(|i| **i != one).map(|i| u[*i]);
            let unknowns: Vec<Expr> = x.iter().copied().chain(others).collect();
            let mut sides = region.to_vec();
            sides.resize(unknowns.len(), Interval::new(-1.0, 1.0));
            let list = pool.substitute_all(&list, &by);
            let case = Case::new((pool, &rounded), &unknowns, None, list);
            let boxes = BOXES.min(EFFORT / case.equations.cost().max(1));
            let mut prover = Prover::of_case(&case, &sides, boxes);
            if !prover.run() {
                return None;
            }
            for root in &prover.roots {
                // where a multiplier is larger than the one that is 1 it belongs to another face
                if apart(&root.place[n..], &sides[n..]) {
                    continue;
                }
                if root.free.iter().any(|k| *k >= n) {
                    return None;
                }
                let mut known = apart(&root.at, &sides);
                for (seen, x) in seen.iter_mut().zip(wanted) {
                    if is_near(root, x, model.angles(), region) {
                        (*seen, known) = (true, true);
                    }
                }
                let (place, family) = (root.place[..n].to_vec(), !root.free.is_empty());
                let twice = |(also, own): &(bool, Region)| {
                    !(apart(own, &place) || family && *also && *own != place)
                };
                if !known || places.iter().any(twice) {
                    return None;
                }
                places.push((family, place));
            }
            faces.push(told(prover, Some(one + 1), &[]));
        }
    }
    if !seen.iter().all(|seen| *seen) {
        return None;
    }
    let more = More::Singular {
        dependent: dependent.to_vec(),
        blocks,
        scales: scales.iter().map(fraction).collect(),
    };
    let of = ("singular points", Given::Fraction(written(t)));
    Some(zeros(of, region, (true, places.len()), faces, more))
}
