//! The choice of dependent coordinates: the block with the largest |det `J_D`| / sqrt(det J J^T).
//!
//! The sum of the squares of that number over all choices is one (Cauchy and Binet), so the best is
//! never worse than 1 / sqrt(C(n, m)). An exchange of a dependent coordinate d with an independent
//! one i multiplies det `J_D` by the entry (d, i) of `J_D`^-1 `J_I`: where none of these exceeds one in
//! size, no single exchange helps.

use nalgebra::DMatrix;

use super::linear::Lu;
use crate::geometry::{binomial, largest, next_choice};

/// Up to this many choices all are compared; beyond it, pivoted elimination improved by exchanges.
pub(super) const EXHAUSTIVE: usize = 5000;
/// A chart is left once another one, an exchange away, has a determinant this much larger: large
/// enough that none is left and entered again for nothing (the way back needs the same gain).
pub(super) const GAIN: f64 = 1.5;
/// A chart that cannot be used for a step is changed before the step if another one, an exchange
/// away, has a determinant this much larger there; else the step is shortened.
pub(super) const BETTER: f64 = 1.1;
/// A unit is taken anew where the kinetic energy of it has become so many times larger or smaller.
const ANEW: f64 = 16.0;
/// Where charts are compared, coordinates without mass go so many times as far as the others: that costs no energy. So they are
/// dependent wherever the constraints say where they are, and what has the inertia is integrated.
pub(super) const LIGHT: f64 = 1e18;
/// Determinants that differ by less than this part are equal: the order of the coordinates decides.
const TIE: f64 = 1e-9;

/// The best conditioned choice of dependent coordinates for a Jacobian (m by n), ascending; none where
/// its rows are dependent. Ties go to the first in the order of the coordinates; beyond 5000 choices
/// a good one instead of the best.
pub fn best_choice(jacobian: &DMatrix<f64>) -> Option<Vec<usize>> {
    let (m, n) = jacobian.shape();
    let mut rows = vec![0.0; m * n];
    for (k, column) in jacobian.as_slice().chunks_exact(m.max(1)).enumerate() {
        for (b, e) in column.iter().enumerate() {
            rows[b * n + k] = *e;
        }
    }
    best(rows, n, m)
}

/// The same for a Jacobian given by rows.
pub(super) fn best(mut rows: Vec<f64>, n: usize, m: usize) -> Option<Vec<usize>> {
    if m == 0 {
        return Some(Vec::new());
    }
    if m > n || rows.iter().any(|e| !e.is_finite()) {
        return None;
    }
    // rows of size one: determinants keep their ratios and do not overflow
    for row in rows.chunks_exact_mut(n) {
        let most = largest(&*row);
        if most == 0.0 {
            return None;
        }
        for e in row {
            *e /= most;
        }
    }
    if binomial(n, m) <= EXHAUSTIVE {
        exhaustive(&rows, n, m)
    } else {
        exchanged(&rows, n, m)
    }
}

/// What coordinates are measured in.
#[derive(Clone, Debug)]
pub(super) struct Scales {
    pub(super) each: Vec<f64>,
    /// One over each.
    pub(super) inverse: Vec<f64>,
}

impl Scales {
    pub(super) fn of(each: Vec<f64>) -> Self {
        let inverse = each.iter().map(|unit| unit.recip()).collect();
        Self { each, inverse }
    }
}

/// Powers of two in which coordinates are measured where charts and bases are compared: the way of each that has a kinetic
/// energy of about one, whatever its own unit is. Where T = (v, M v) / 2 is measured so, what the constraints leave of it is
/// as far from singular as it can be, and next to a zero of a coordinate nothing is special.
#[derive(Clone, Debug)]
pub(super) struct Units {
    pub(super) scales: Scales,
    /// How far each coordinate goes.
    ways: Vec<f64>,
    /// Those without mass go so many times as far as the others at most go with one energy, by these ways.
    light: f64,
    /// Which these are.
    massless: Vec<bool>,
    /// Whether they are those of some place;
    taken: bool,
    /// and whether they are given, whatever the energy is.
    given: bool,
}

impl Units {
    /// One for all of n; coordinates without mass are to go so many times as far as the others.
    pub(super) fn equal(n: usize, light: f64) -> Self {
        Self {
            scales: Scales::of(vec![1.0; n]),
            ways: vec![1.0; n],
            light,
            massless: vec![false; n],
            taken: false,
            given: false,
        }
    }

    /// These from here on; whether that is new. Coordinates without mass stay dependent: along them alone a motion has no
    /// inertia, and would be carried over the end of its set.
    pub(super) fn become_those_of(&mut self, other: &Scales) -> bool {
        let most = other.each.iter().copied().fold(0.0, f64::max);
        let pairs = self.massless.iter().zip(&other.each);
        let own = pairs.map(|(massless, unit)| if *massless { self.light * most } else { *unit });
        self.scales = Scales::of(own.collect());
        !std::mem::replace(&mut self.given, true)
    }

    /// Coordinates go so far from here on.
    pub(super) fn measure_by(&mut self, ways: &[f64]) {
        self.ways.copy_from_slice(ways);
        self.taken = false;
    }

    /// Whether they are those of some place.
    pub(super) fn are_taken(&self) -> bool {
        self.taken
    }

    /// Takes them anew where they no longer fit this diagonal of M; whether it did. Coordinates that are linked by velocity
    /// constraints have the inertia of others, also without mass of their own.
    pub(super) fn measure(
        &mut self,
        mass: impl Fn(usize) -> f64,
        linked: impl Fn(usize) -> bool,
    ) -> bool {
        let fits = |(k, unit): (usize, &f64)| {
            let own = mass(k).abs();
            own == 0.0 || (ANEW.recip()..=ANEW).contains(&(own * unit * unit))
        };
        if self.given || self.taken && self.scales.each.iter().enumerate().all(fits) {
            return false;
        }
        self.taken = true;
        let own = |k: usize| mass(k).abs().sqrt().recip();
        let massive = (0..self.ways.len()).filter(|k| mass(*k) != 0.0);
        let times = massive.map(|k| own(k) / self.ways[k]);
        let times = times.filter(|times| times.is_finite()).fold(0.0, f64::max);
        for (k, way) in self.ways.iter().enumerate() {
            self.massless[k] = mass(k) == 0.0 && !linked(k);
            let unit = match mass(k) {
                0.0 if linked(k) => times * way,
                0.0 => self.light * times * way,
                _ => own(k),
            };
            let power = unit.log2().round().exp2();
            let usable = power > 0.0 && power.is_finite();
            self.scales.each[k] = if usable { power } else { 1.0 };
            self.scales.inverse[k] = self.scales.each[k].recip();
        }
        true
    }
}

/// |det `J_D`|, of small blocks in closed form.
fn determinant(lu: &mut Option<Lu>, rows: &[f64], n: usize, choice: &[usize]) -> f64 {
    if let &[i] = choice {
        return rows[i].abs();
    }
    if let &[i, j] = choice {
        return (rows[i] * rows[n + j] - rows[j] * rows[n + i]).abs();
    }
    let lu = lu.get_or_insert_with(|| Lu::new(choice.len()));
    lu.determinant_of(choice, |b, k| rows[b * n + k]).abs()
}

fn exhaustive(rows: &[f64], n: usize, m: usize) -> Option<Vec<usize>> {
    let mut lu = None;
    let mut choice: Vec<usize> = (0..m).collect();
    let mut best = choice.clone();
    let mut largest = 0.0;
    loop {
        let size = determinant(&mut lu, rows, n, &choice);
        if size > largest * (1.0 + TIE) {
            largest = size;
            best.copy_from_slice(&choice);
        }
        if !next_choice(&mut choice, n) {
            return (largest > 0.0).then_some(best);
        }
    }
}

fn exchanged(rows: &[f64], n: usize, m: usize) -> Option<Vec<usize>> {
    // Gauss-Jordan with pivots over the whole matrix: what is left is J_D^-1 J
    let mut work = rows.to_vec();
    let mut dependent = vec![usize::MAX; m];
    let mut tops: Vec<(usize, f64)> = work.chunks_exact(n).map(top).collect();
    let largest = |tops: &[(usize, f64)], taken: &dyn Fn(usize) -> bool, least: f64| {
        let mut pivot = (0, 0, least);
        for (b, &(k, size)) in tops.iter().enumerate() {
            if taken(b) && size > pivot.2 * (1.0 + TIE) {
                pivot = (b, k, size);
            }
        }
        (pivot.2 > least).then_some((pivot.0, pivot.1))
    };
    for _ in 0..m {
        let pivot = largest(&tops, &|b| dependent[b] == usize::MAX, 0.0)?;
        eliminate((&mut work, &mut tops), n, pivot);
        dependent[pivot.0] = pivot.1;
    }
    for _ in 0..10 * n {
        let Some(pivot) = largest(&tops, &|_| true, 1.0) else {
            break;
        };
        eliminate((&mut work, &mut tops), n, pivot);
        dependent[pivot.0] = pivot.1;
    }
    dependent.sort_unstable();
    Some(dependent)
}

/// The place and size of the largest entry of a row.
fn top(row: &[f64]) -> (usize, f64) {
    let sizes = row.iter().map(|e| e.abs()).enumerate();
    sizes.fold((0, 0.0), |top, (k, size)| {
        if size > top.1 * (1.0 + TIE) {
            (k, size)
        } else {
            top
        }
    })
}

/// Makes column k the unit vector b, and keeps the largest entry of each row.
fn eliminate((work, tops): (&mut [f64], &mut [(usize, f64)]), n: usize, (b, k): (usize, usize)) {
    let inverse = work[b * n + k].recip();
    let row: Vec<f64> = work[b * n..(b + 1) * n]
        .iter()
        .map(|e| e * inverse)
        .collect();
    for (c, (other, largest)) in work.chunks_exact_mut(n).zip(tops).enumerate() {
        let factor = other[k];
        if c == b {
            other.copy_from_slice(&row);
        } else if factor == 0.0 {
            continue;
        } else {
            for (e, r) in other.iter_mut().zip(&row) {
                *e -= factor * r;
            }
        }
        *largest = top(other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_block_is_chosen_and_ties_go_to_the_first() {
        let j = DMatrix::from_row_slice(1, 3, &[1.0, -3.0, 3.0]);
        assert_eq!(best_choice(&j), Some(vec![1]));
        let j = DMatrix::from_row_slice(2, 3, &[1.0, 0.0, 0.0, 0.0, 1e-3, 5.0]);
        assert_eq!(best_choice(&j), Some(vec![0, 2]));
        assert_eq!(
            best_choice(&DMatrix::from_row_slice(
                2,
                3,
                &[1.0, 2.0, 3.0, 0.0, 0.0, 0.0]
            )),
            None
        );
        assert_eq!(best_choice(&DMatrix::zeros(0, 3)), Some(vec![]));
    }

    #[test]
    fn exchanges_find_a_block_that_no_single_exchange_improves() {
        let (n, m) = (12, 5);
        let rows: Vec<f64> = (0..n * m)
            .map(|i| ((i as f64 * 7.31 + 0.4).sin() * 43_758.545).fract())
            .collect();
        let all = exhaustive(&rows, n, m).unwrap();
        let some = exchanged(&rows, n, m).unwrap();
        let mut lu = None;
        let (best, good) = (
            determinant(&mut lu, &rows, n, &all),
            determinant(&mut lu, &rows, n, &some),
        );
        assert!(
            good <= best * (1.0 + 1e-9) && good > 0.5 * best,
            "{good} of {best}"
        );
        for slot in 0..m {
            for k in (0..n).filter(|k| !some.contains(k)) {
                let mut other = some.clone();
                other[slot] = k;
                assert!(determinant(&mut lu, &rows, n, &other) <= good * (1.0 + 1e-8));
            }
        }
    }

    #[test]
    fn counts_of_choices_do_not_overflow() {
        assert_eq!(binomial(10, 3), 120);
        assert!(binomial(400, 200) > EXHAUSTIVE);
        assert_eq!(binomial(4, 4), 1);
    }
}
