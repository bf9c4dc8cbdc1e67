//! Cholesky's factors of a symmetric matrix of fixed pattern, for the pivots alone.
//!
//! Of W W^T the pivot of a row is the square of its distance from the span of the rows before it. The order is that
//! of least degree, found once.

use std::collections::BTreeSet;

/// A symmetric matrix by its lower half, in the order of elimination.
#[derive(Clone, Debug)]
pub struct Cholesky {
    /// The row of the matrix that is eliminated at each step.
    order: Vec<usize>,
    /// The earlier steps in which each row has entries, ascending.
    below: Vec<Vec<usize>>,
    /// The values there, of L.
    values: Vec<Vec<f64>>,
    pivots: Vec<f64>,
    work: Vec<f64>,
}

impl Cholesky {
    /// For rows that meet these others: `neighbours[a]` has b where entry (a, b) is not identically zero.
    pub fn new(neighbours: &[BTreeSet<usize>]) -> Self {
        let n = neighbours.len();
        let mut graph: Vec<BTreeSet<usize>> = neighbours.to_vec();
        for (a, list) in graph.iter_mut().enumerate() {
            list.remove(&a);
        }
        let mut queue: BTreeSet<(usize, usize)> = graph
            .iter()
            .enumerate()
            .map(|(a, l)| (l.len(), a))
            .collect();
        let mut order = Vec::with_capacity(n);
        let mut step = vec![0; n];
        let mut filled = Vec::with_capacity(n);
        while let Some((_, a)) = queue.pop_first() {
            step[a] = order.len();
            order.push(a);
            let list = std::mem::take(&mut graph[a]);
            for &b in &list {
                queue.remove(&(graph[b].len(), b));
                graph[b].remove(&a);
                graph[b].extend(list.iter().filter(|c| **c != b));
                queue.insert((graph[b].len(), b));
            }
            filled.push(list);
        }
        let mut below = vec![Vec::new(); n];
        for (k, list) in filled.iter().enumerate() {
            for &b in list {
                below[step[b]].push(k);
            }
        }
        Self {
            values: below.iter().map(|list| vec![0.0; list.len()]).collect(),
            pivots: vec![0.0; n],
            work: vec![0.0; n],
            order,
            below,
        }
    }

    /// Factors; the pivots, in the order of elimination. From the first that is not positive on they are 0, or NaN
    /// where entries are not numbers.
    pub fn factor(&mut self, entry: impl Fn(usize, usize) -> f64) -> &[f64] {
        let n = self.order.len();
        self.pivots.fill(0.0);
        for i in 0..n {
            let row = self.order[i];
            for &k in &self.below[i] {
                self.work[k] = entry(row, self.order[k]);
            }
            let mut pivot = entry(row, row);
            for place in 0..self.below[i].len() {
                let k = self.below[i][place];
                // entry (i, k) less what the steps before k have taken
                let mut value = self.work[k];
                for (slot, &j) in self.below[k].iter().enumerate() {
                    if let Ok(own) = self.below[i].binary_search(&j) {
                        value -= self.values[i][own] * self.values[k][slot] * self.pivots[j];
                    }
                }
                let factor = value / self.pivots[k];
                self.values[i][place] = factor;
                pivot -= factor * value;
            }
            self.pivots[i] = pivot;
            if pivot.is_nan() || pivot <= 0.0 {
                let verdict = if pivot.is_nan() { f64::NAN } else { 0.0 };
                self.pivots[i..].fill(verdict);
                break;
            }
        }
        &self.pivots
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::DMatrix;

    #[test]
    fn the_product_of_the_pivots_is_the_determinant_and_dependent_rows_have_none() {
        // a ring of rods: row b has entries in columns b and b + 1
        let n = 12;
        let ring = |last: f64| {
            DMatrix::from_fn(n, n, |b, k| match k {
                k if k == b => 1.0 + 0.1 * b as f64,
                k if k == (b + 1) % n => {
                    if b + 1 == n {
                        last
                    } else {
                        -0.7
                    }
                }
                _ => 0.0,
            })
        };
        for last in [0.3, -0.9] {
            let w = ring(last);
            let gram = &w * w.transpose();
            let neighbours: Vec<BTreeSet<usize>> = (0..n)
                .map(|a| (0..n).filter(|&b| gram[(a, b)] != 0.0).collect())
                .collect();
            let mut factors = Cholesky::new(&neighbours);
            let product: f64 = factors.factor(|a, b| gram[(a, b)]).iter().product();
            let known = gram.determinant();
            assert!((product / known - 1.0).abs() < 1e-10, "{product} {known}");
        }
        // a ring whose rows add up to nothing
        let w = DMatrix::from_fn(n, n, |b, k| {
            f64::from(u8::from(k == b)) - f64::from(u8::from(k == (b + 1) % n))
        });
        let gram = &w * w.transpose();
        let neighbours: Vec<BTreeSet<usize>> = (0..n)
            .map(|a| (0..n).filter(|&b| gram[(a, b)] != 0.0).collect())
            .collect();
        let mut factors = Cholesky::new(&neighbours);
        let least = factors
            .factor(|a, b| gram[(a, b)])
            .iter()
            .fold(f64::INFINITY, |least, p| least.min(*p));
        assert!(least.abs() < 1e-12, "{least}");
    }
}
