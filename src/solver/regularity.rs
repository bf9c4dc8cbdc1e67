//! How far the rows of W = [J; A] are from being linearly dependent, in numbers that know no chart and no units.
//!
//! Rows and columns are scaled so that their largest entries, and what these change by where the coordinates move by
//! their sizes, are about one. The *regularity*
//!
//! ```text
//! q(x; t) = min over b of d_b/e_b        d_b the distance of row b from the span of the rows before it
//! ```
//!
//! with e_b that distance at a place where bearings are taken, is zero where the rows are dependent and nowhere else. Where the smooth continuation of a motion passes a simple
//! crossing of two branches of the constraint set it falls to zero like |t - t*| and grows again; where several
//! constraints become dependent at once it does the same. A turn of ker W does not move it.
//!
//! Small systems take Householder's triangle, large ones Cholesky's factors of the sparse W W^T, whose pivots are the
//! squares of these distances (to the root of the rounding unit).

use super::dynamics::{ConstraintValue, VelocityValue, gather};
use super::rank::InUse;
use crate::geometry::{LeastNorm, Orthogonal, dot, number};
use crate::sparse::Cholesky;
use nalgebra::{DMatrix, DVector};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Up to this many coordinates W is dense.
const DENSE: usize = 64;
/// Directions in which the change of the rows is looked at, and how far, in sizes of the coordinates.
const DIRECTIONS: usize = 6;
const STEP: f64 = 1e-4;
/// Rounds of scaling rows and columns.
const EQUILIBRATIONS: usize = 4;

/// W at a place, with its scales.
pub(super) struct Regularity<'a> {
    set: InUse<'a>,
    value: ConstraintValue,
    speeds: VelocityValue,
    /// The entries of W that are not identically zero, or all of a small system: those of row b in `starts[b]..starts[b + 1]`,
    /// their columns beside.
    pub(super) entries: Vec<f64>,
    starts: Vec<usize>,
    places: Vec<usize>,
    /// What each row is multiplied by.
    pub(super) weights: Vec<f64>,
    /// What each column is multiplied by.
    pub(super) columns: Vec<f64>,
    /// The distance of each row from those before it, as measured last.
    distances: Vec<f64>,
    /// The distances that count as one.
    reference: Vec<f64>,
    /// When bearings were taken last on the way,
    stood: Option<f64>,
    /// and the distances there before rows were scaled.
    earlier: Vec<f64>,
    wide: Wide,
    factors: Factors,
}

/// Memory for bearings: entries, their sizes, a place, scales.
#[derive(Default)]
struct Wide {
    here: Vec<f64>,
    size: Vec<f64>,
    moved: Vec<f64>,
    columns: Vec<f64>,
}

enum Factors {
    Dense(Orthogonal),
    Sparse(Gram),
}

/// W W^T by its entries that are not identically zero.
struct Gram(Cholesky);

impl Gram {
    fn new(columns: &[Vec<usize>]) -> Self {
        let mut touching: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (b, list) in columns.iter().enumerate() {
            for &k in list {
                touching.entry(k).or_default().push(b);
            }
        }
        let mut neighbours = vec![BTreeSet::new(); columns.len()];
        for (list, own) in columns.iter().zip(&mut neighbours) {
            let rows = list.iter().filter_map(|k| touching.get(k));
            own.extend(rows.flatten().copied());
        }
        Self(Cholesky::new(&neighbours))
    }

    /// The squares of the distances, for rows that begin at these places in the entries.
    fn distances(&mut self, starts: &[usize], places: &[usize], entries: &[f64]) -> &[f64] {
        let row = |b: usize| {
            let own = starts[b]..starts[b + 1];
            (&places[own.clone()], &entries[own])
        };
        self.0.factor(|a, b| {
            let ((left, x), (right, y)) = (row(a), row(b));
            let mut from = 0;
            let terms = left.iter().zip(x).map(|(k, x)| {
                while right.get(from).is_some_and(|other| other < k) {
                    from += 1;
                }
                let meets = right.get(from) == Some(k);
                if meets { x * y[from] } else { 0.0 }
            });
            terms.sum()
        })
    }
}

impl<'a> Regularity<'a> {
    /// For the constraints in use; none where there are none, or more than coordinates.
    pub(super) fn new(set: InUse<'a>) -> Option<Self> {
        let (dynamics, (n, m), count) = (set.dynamics(), set.problem.shape(), set.count());
        if count == 0 || count > n {
            return None;
        }
        let (columns, factors) = match dynamics.pattern() {
            Some(pattern) if n > DENSE && set.velocity.is_empty() => {
                let mut columns = vec![Vec::new(); m];
                for &(b, k) in &pattern.jacobian {
                    if let Some(list) = columns.get_mut(b) {
                        list.push(k);
                    }
                }
                for list in &mut columns {
                    list.sort_unstable();
                }
                let own: Vec<Vec<usize>> = set.rows.iter().map(|&b| columns[b].clone()).collect();
                let factors = Factors::Sparse(Gram::new(&own));
                (own, factors)
            }
            _ => {
                let all = vec![(0..n).collect(); count];
                (all, Factors::Dense(Orthogonal::new(n, count)))
            }
        };
        let mut starts = vec![0];
        for list in &columns {
            starts.extend(starts.last().map(|start| start + list.len()));
        }
        let places = columns.concat();
        Some(Self {
            set,
            value: ConstraintValue::of(dynamics),
            speeds: VelocityValue::of(dynamics),
            entries: vec![0.0; places.len()],
            weights: vec![1.0; count],
            columns: vec![1.0; n],
            distances: vec![0.0; count],
            reference: vec![1.0; count],
            stood: None,
            earlier: vec![0.0; count],
            wide: Wide {
                here: vec![0.0; places.len()],
                size: vec![0.0; places.len()],
                moved: vec![0.0; n],
                columns: vec![1.0; n],
            },
            starts,
            places,
            factors,
        })
    }

    /// f - c, `f_t` and the size of the terms of each at the place last looked at; of velocity constraints b alone.
    pub(super) fn values(&self) -> Vec<[f64; 3]> {
        let value = &self.value;
        let positions = self.set.rows.iter();
        let positions = positions.map(|b| [value.residual[*b], value.f_t[*b], value.scale[*b]]);
        let velocity = self
            .set
            .velocity
            .iter()
            .map(|j| [0.0, self.speeds.b[*j], 0.0]);
        positions.chain(velocity).collect()
    }

    /// The entries of a row, with their columns.
    fn row(&self, b: usize) -> impl Iterator<Item = (usize, f64)> {
        let own = self.span(b);
        let places = self.places[own.clone()].iter().copied();
        places.zip(self.entries[own].iter().copied())
    }

    /// The slopes of a row in entries that were looked at in these scales, with their columns.
    pub(super) fn slopes<'b>(
        &'b self,
        b: usize,
        entries: [&'b [f64]; 2],
    ) -> impl Iterator<Item = (usize, [f64; 2])> + 'b {
        let places = self.span(b).map(|place| (place, self.places[place]));
        places.map(move |(place, k)| {
            let unit = self.weights[b] * self.columns[k];
            (k, entries.map(|own| own[place] / unit))
        })
    }

    /// Where the entries of a row stand.
    pub(super) fn span(&self, b: usize) -> Range<usize> {
        self.starts[b]..self.starts[b + 1]
    }

    /// W at a place, scaled.
    pub(super) fn look(&mut self, t: f64, x: &[f64]) {
        let InUse { rows, velocity, .. } = self.set;
        self.set.dynamics().constraint(t, x, &mut self.value);
        let m = self.value.residual.len();
        let jacobian = self.value.jacobian.as_slice();
        for (&b, own) in rows.iter().zip(self.starts.windows(2)) {
            let own = own[0]..own[1];
            for (e, &k) in self.entries[own.clone()].iter_mut().zip(&self.places[own]) {
                *e = jacobian[k * m + b];
            }
        }
        if !velocity.is_empty() {
            self.set.dynamics().velocity(t, x, &mut self.speeds);
            let own = &mut self.entries[self.starts[rows.len()]..];
            gather(&self.speeds.rows, velocity, own);
        }
        for (weight, own) in self.weights.iter().zip(self.starts.windows(2)) {
            let own = own[0]..own[1];
            for (e, &k) in self.entries[own.clone()].iter_mut().zip(&self.places[own]) {
                *e *= weight * self.columns[k];
            }
        }
    }

    /// f - c at the place last looked at, in the scale of the rows; 0 for velocity constraints.
    pub(super) fn residual(&self) -> DVector<f64> {
        let own = self.set.rows.iter().zip(&self.weights);
        let mut list: Vec<f64> = own
            .map(|(&b, weight)| self.value.residual[b] * weight)
            .collect();
        list.resize(self.weights.len(), 0.0);
        DVector::from_vec(list)
    }

    /// W x' + (f_t; b) at the place last looked at, in the scale of the rows.
    pub(super) fn speed(&self, v: &[f64]) -> DVector<f64> {
        let rates = self.set.rates(&self.value, &self.speeds);
        let all = rates.zip(&self.weights).enumerate();
        let list = all.map(|(b, (rate, weight))| {
            let terms = self.row(b).map(|(k, e)| e / self.columns[k] * v[k]);
            terms.sum::<f64>() + rate * weight
        });
        DVector::from_iterator(self.weights.len(), list)
    }

    /// The shortest solution, in the scale of the columns, of W dx = r at the place last looked at, r in the scale of the
    /// rows; directions with singular values below `cut` are left out.
    pub(super) fn shortest(&self, right: &DVector<f64>, cut: f64) -> Option<Vec<f64>> {
        let found = LeastNorm::new(&self.matrix())?.solve(right, cut)?;
        let parts = found.iter().zip(&self.columns);
        Some(parts.map(|(e, column)| e * column).collect())
    }

    /// The smallest singular value of W at the place last looked at, in parts of the largest; 1 of a single row.
    pub(super) fn least(&self) -> Option<f64> {
        Some(LeastNorm::new(&self.matrix())?.least())
    }

    fn matrix(&self) -> DMatrix<f64> {
        let mut w = DMatrix::zeros(self.weights.len(), self.columns.len());
        for b in 0..self.weights.len() {
            self.row(b).for_each(|(k, e)| w[(b, k)] = e);
        }
        w
    }

    /// q at a place.
    pub(super) fn at(&mut self, t: f64, x: &[f64]) -> f64 {
        self.look(t, x);
        self.here()
    }

    /// q of the rows last looked at.
    fn here(&mut self) -> f64 {
        let mut least = f64::INFINITY;
        if !self.measure() {
            return f64::NAN;
        }
        for (d, known) in self.distances.iter().zip(&self.reference) {
            least = least.min(d / known);
        }
        least
    }

    /// The distance of each row from those before it, of the rows last looked at; false where they are not numbers.
    fn measure(&mut self) -> bool {
        match &mut self.factors {
            Factors::Dense(orthogonal) => {
                let relative = orthogonal.factor(&self.entries);
                if relative == 0.0 {
                    // from the first that depends on those before it
                    self.distances.fill(0.0);
                } else {
                    let diagonal = orthogonal.diagonal();
                    let slots = self.distances.iter_mut().zip(diagonal);
                    slots.for_each(|(slot, d)| *slot = d.abs());
                }
                !relative.is_nan()
            }
            Factors::Sparse(gram) => {
                let squares = gram.distances(&self.starts, &self.places, &self.entries);
                let slots = self.distances.iter_mut().zip(squares);
                slots.for_each(|(slot, d)| *slot = d.sqrt());
                !self.distances.iter().any(|d| d.is_nan())
            }
        }
    }

    /// The distance of each row from those before it, in an order of its own that is always the same; NaN where they are
    /// not numbers.
    pub(super) fn each(&mut self, t: f64, x: &[f64]) -> &[f64] {
        self.look(t, x);
        if !self.measure() {
            self.distances.fill(f64::NAN);
        }
        &self.distances
    }

    /// Takes the distances of the rows last looked at as ones; whether they are independent.
    fn refer(&mut self) -> bool {
        self.reference.fill(1.0);
        let regular = self.measure() && self.distances.iter().all(|d| *d > 0.0 && d.is_finite());
        if regular {
            self.reference.copy_from_slice(&self.distances);
        }
        regular
    }

    /// Takes its bearings at a place, where q is one, columns keeping their scale; whether the rows are independent.
    pub(super) fn stand(&mut self, t: f64, x: &[f64]) -> bool {
        self.weights.fill(1.0);
        self.look(t, x);
        for (weight, own) in self.weights.iter_mut().zip(self.starts.windows(2)) {
            let row = &mut self.entries[own[0]..own[1]];
            let length = dot(row, row).sqrt();
            if !(length.is_finite() && length > 0.0) {
                return false;
            }
            *weight = length.recip();
            for e in row {
                *e *= *weight;
            }
        }
        self.refer()
    }

    /// Whether bearings were taken on the way at this time.
    pub(super) fn stood_at(&self, t: f64) -> bool {
        self.stood == Some(t)
    }

    /// The same on a way; and how long it takes from here to q = 0, if q goes on as from where bearings were taken on
    /// the way before. Infinite where it does not fall, or nothing is known.
    pub(super) fn stand_on_way(&mut self, t: f64, x: &[f64]) -> Option<f64> {
        if !self.stand(t, x) {
            self.stood = None;
            return None;
        }
        let mut part = f64::INFINITY;
        let own = self.reference.iter().zip(&self.weights);
        for ((distance, weight), old) in own.zip(&mut self.earlier) {
            let new = distance / weight;
            part = part.min(new / *old);
            *old = new;
        }
        let before = self.stood.replace(t);
        Some(match before {
            Some(earlier) if part < 1.0 => (t - earlier).abs() * part / (1.0 - part),
            _ => f64::INFINITY,
        })
    }

    /// Bearings that hold next to a place where rows vanish or become dependent, too: an entry counts with what it
    /// changes by where each coordinate moves by its size, and t by the `pace` in which they do.
    pub(super) fn stand_wide(&mut self, (t, x): (f64, &[f64]), sizes: &[f64], pace: f64) {
        let n = x.len();
        self.columns.copy_from_slice(sizes);
        self.weights.fill(1.0);
        self.reference.fill(1.0);
        self.stood = None;
        self.look(t, x);
        let Wide {
            mut here,
            mut size,
            mut moved,
            mut columns,
        } = std::mem::take(&mut self.wide);
        here.copy_from_slice(&self.entries);
        size.clear();
        size.extend(here.iter().map(|e| e.abs()));
        for direction in 0..DIRECTIONS {
            for (k, slot) in moved.iter_mut().enumerate() {
                *slot = x[k] + STEP * sizes[k] * number(k, direction);
            }
            self.look(t + STEP * pace * number(n, direction), &moved);
            for ((size, new), old) in size.iter_mut().zip(&self.entries).zip(&here) {
                let change = (new - old).abs() / STEP;
                if change.is_finite() {
                    *size = size.max(change);
                }
            }
        }
        columns.fill(1.0);
        let usable = |most: f64| most > 0.0 && most.is_finite();
        for _ in 0..EQUILIBRATIONS {
            let rows = self.starts.windows(2).zip(&mut self.weights);
            for (own, weight) in rows {
                let own = own[0]..own[1];
                let entries = size[own.clone()].iter().zip(&self.places[own]);
                let most = entries.fold(0.0_f64, |most, (e, &k)| most.max(e * columns[k]));
                *weight = if usable(most) { most.recip() } else { 1.0 };
            }
            columns.fill(0.0);
            for (own, weight) in self.starts.windows(2).zip(&self.weights) {
                let own = own[0]..own[1];
                for (e, &k) in size[own.clone()].iter().zip(&self.places[own]) {
                    columns[k] = columns[k].max(e * weight);
                }
            }
            for column in &mut columns {
                *column = if usable(*column) { column.recip() } else { 1.0 };
            }
        }
        for (column, by) in self.columns.iter_mut().zip(&columns) {
            *column *= by;
        }
        self.wide = Wide {
            here,
            size,
            moved,
            columns,
        };
    }
}
