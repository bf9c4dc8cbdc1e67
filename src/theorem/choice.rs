//! Choices of dependent coordinates, best conditioned first.
//!
//! The measure is |det J_D| / sqrt(det J J^T): 1 where the constraints fix the coordinates D alone,
//! 0 where they fail. All choices are tried while there are at most [`ALL_UP_TO`]; beyond that a
//! pivoted elimination gives a good one, which single exchanges improve.

use super::numbers::LocalJacobian;
use crate::geometry::{binomial, combinations};
use crate::sparse::{Lu, Sparse};

/// Up to this many choices all are ranked.
pub const ALL_UP_TO: usize = 5000;
/// Beyond [`ALL_UP_TO`] this many are listed.
pub const LISTED: usize = 8;
/// Measures closer than this (relative) are a tie.
const TIE: f64 = 1e-12;

/// Choices at which the theorem holds, best first.
#[derive(Clone, Debug, Default)]
pub struct Ranking {
    /// The choices, each ascending.
    pub choices: Vec<Vec<usize>>,
    /// Are there others that were not tried?
    pub more: bool,
}

/// Ranks the choices of m dependent coordinates at a point, those whose determinant counts as zero left out.
pub fn ranked(local: &LocalJacobian) -> Ranking {
    ranked_from(local, 0.0)
}

/// The first of [`ranked`], without looking at those that cannot be it.
pub fn best(local: &LocalJacobian) -> Option<Vec<usize>> {
    let first = |least| ranked_from(local, least).choices.into_iter().next();
    // an exchange that makes the determinant smaller is no tie with the best
    first(1.0 - 1e-9).or_else(|| first(0.0))
}

/// As [`ranked`]; where not all choices are tried, exchanges that change the determinant by less
/// than the factor `least` are left out.
fn ranked_from(local: &LocalJacobian, least: f64) -> Ranking {
    let (m, n) = local.value.shape();
    if m > n {
        return Ranking::default();
    }
    let mut measured: Vec<(f64, Vec<usize>)> = Vec::new();
    let consider = |choice: Vec<usize>| {
        let minor = local.minor(&choice);
        if !minor.is_zero {
            measured.push((minor.scaled.abs(), choice));
        }
    };
    let all = binomial(n, m) <= ALL_UP_TO;
    if all {
        combinations(n, m).for_each(consider);
    } else {
        let few = good_choices(&local.sparse(), least);
        few.into_iter().for_each(consider);
    }
    // the volume is the same for all: the determinants rank
    measured.sort_by(|a, b| {
        if (a.0 - b.0).abs() <= TIE * a.0.max(b.0) {
            a.1.cmp(&b.1)
        } else {
            b.0.total_cmp(&a.0)
        }
    });
    let mut choices: Vec<Vec<usize>> = measured.into_iter().map(|(_, c)| c).collect();
    if !all {
        choices.truncate(LISTED);
    }
    Ranking {
        choices,
        more: !all,
    }
}

/// A few good choices: columns by pivoted elimination, then its best single exchanges.
fn good_choices(j: &Sparse, least: f64) -> Vec<Vec<usize>> {
    let (m, n) = (j.rows.len(), j.columns);
    let Some(mut best) = j.pivoted() else {
        return Vec::new();
    };
    let columns = j.transposed();
    let mut list = Vec::new();
    for _ in 0..8 {
        let Some(factors) = Lu::new(&j.select(&best)) else {
            break;
        };
        // J_D^-1 J: the factor by which the determinant changes when column best[r] becomes column c
        let mut exchanges: Vec<(f64, usize, usize)> = Vec::new();
        let mut column = vec![0.0; m];
        for c in (0..n).filter(|c| best.binary_search(c).is_err()) {
            column.fill(0.0);
            for &(b, v) in &columns.rows[c] {
                column[b] = v;
            }
            let along = factors.solve(&column).into_iter().enumerate();
            exchanges.extend(along.map(|(r, f)| (f.abs(), r, c)));
        }
        let order = |a: &(f64, usize, usize), b: &(f64, usize, usize)| {
            b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2)))
        };
        if exchanges.len() > LISTED {
            exchanges.select_nth_unstable_by(LISTED, order);
            exchanges.truncate(LISTED);
        }
        exchanges.sort_by(order);
        let exchanged = |&(_, r, c): &(f64, usize, usize)| {
            let mut other = best.clone();
            other[r] = c;
            other.sort_unstable();
            other
        };
        match exchanges.first() {
            Some(top) if top.0 > 1.0 + 1e-9 => best = exchanged(top),
            _ => {
                list.push(best.clone());
                let kept = exchanges.iter().filter(|e| e.0 >= least);
                list.extend(kept.map(exchanged));
                break;
            }
        }
    }
    if list.is_empty() {
        list.push(best);
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::DMatrix;

    #[test]
    fn exchanges_find_the_best_block_of_a_small_matrix() {
        let j = DMatrix::from_row_slice(2, 4, &[1.0, 0.1, 3.0, 0.0, 0.2, 2.0, 2.9, 0.1]);
        let found = good_choices(&Sparse::new(&j), 0.0);
        let det = |c: &[usize]| (j[(0, c[0])] * j[(1, c[1])] - j[(0, c[1])] * j[(1, c[0])]).abs();
        let best = (0..4)
            .flat_map(|a| (a + 1..4).map(move |b| vec![a, b]))
            .max_by(|p, q| det(p).total_cmp(&det(q)))
            .unwrap();
        assert_eq!(found[0], best);
    }
}
