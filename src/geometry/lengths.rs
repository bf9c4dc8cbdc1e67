//! The length scale of each coordinate: what is a long way for it.
//!
//! A coordinate that is not zero goes as far as it is large. How far another goes follows from the rows: with w_j the ways
//! known so far, row b changes by
//!
//! ```text
//! F_b = max_j (|f_b(x + w_j e_j) - f_b(x)|, |W_bj| w_j)
//! ```
//!
//! and a coordinate goes until what it changes of f_b, or of W_bj w_j, is about as much, and no farther than the rows are
//! mostly linear. Where all are zero the first go until entries are about twice as large. No unit comes in but that of
//! a coordinate of a set for which no length is known at all.

use super::{Blurred, Constraints, Rows};
use crate::sparse::is_large;
use nalgebra::{DMatrix, DVector};
use std::cell::RefCell;
use std::rc::Rc;

/// A coordinate that is zero, or nearly so, is taken for this part of the largest.
const PART: f64 = 0.01;
/// A coordinate that is no more times what it is unknown by is nothing.
const KNOWN: f64 = 1e3;
/// A residual that changes by no more than this part of its terms does not change.
const NOTHING: f64 = 1e-12;
/// A way is found in so many trials, none of them farther from the last than that.
const TRIALS: usize = 20;
const FARTHEST: f64 = 1e6;
/// A change that is so many times larger or smaller than what is asked for is about as much.
const ABOUT: f64 = 3.0;
/// A change that goes with a lower power of the way than this does not follow it.
const FOLLOWS: f64 = 0.25;
/// A part of no period.
const PART_OF_A_TURN: f64 = 0.3819;
/// Rows are bent where this part of a change is not linear; of a bounded function all is, far away, and no more.
const BENT: f64 = 0.75;
/// A way that leads out of where the rows are defined is shortened to this part.
const BACK: f64 = 1e-3;

/// The size of the largest of some numbers; 0 of none.
pub fn largest<'a>(list: impl IntoIterator<Item = &'a f64>) -> f64 {
    list.into_iter().fold(0.0, |most: f64, e| most.max(e.abs()))
}

/// The size of some coordinates: that of the largest, or one where all of them are 0.
pub fn size_of<'a>(list: impl IntoIterator<Item = &'a f64>) -> f64 {
    match largest(list) {
        0.0 => 1.0,
        size => size,
    }
}

/// The size of each coordinate, for steps off a point: its own, or a part of the largest.
pub fn sizes(x: &[f64]) -> Vec<f64> {
    let most = largest(x);
    let least = if most > 0.0 { PART * most } else { 1.0 };
    x.iter().map(|e| e.abs().max(least)).collect()
}

/// The ways of coordinates that are known to `reach`, and that of t behind them. `w` is W at the point; of a large one the
/// ways are [`sizes`].
pub fn length_scales(
    set: &dyn Constraints,
    (t, x): (f64, &[f64]),
    (w, reach): (&Blurred, &[f64]),
) -> Vec<f64> {
    let own = |v: f64| if v == 0.0 { 1.0 } else { v.abs() };
    let (m, n) = w.value.shape();
    if is_large(m, n) {
        let mut list = sizes(x);
        list.push(own(t));
        return list;
    }
    let mut search = LengthSearch::new(set, (t, x), w);
    for k in 0..n {
        if x[k].abs() > KNOWN * reach[k] {
            search.set(k, x[k].abs());
        }
    }
    if !set.may_move() {
        search.ways[n] = Some(own(t));
    }
    for (k, own) in x.iter().enumerate() {
        // what changes nothing at all, as beside a kink, is not looked at where it does
        let plays_no_part = || search.certain.column(k).amax() == 0.0;
        let small = |change: f64| change < PART / ABOUT && !(change == 0.0 && plays_no_part());
        if search.ways[k].is_some()
            && search.change(k, *own).is_some_and(small)
            && let Some(way) = until(own.abs(), |by| Some(search.change(k, by)? / PART))
        {
            search.set(k, way);
        }
    }
    let start = |k: usize| own(if k < n { x[k] } else { t });
    while let Some(first) = search.ways.iter().position(Option::is_none) {
        let left = || (first..=n).filter(|k| search.ways[*k].is_none());
        let follow = |k| Some((k, until(start(k), |by| search.change(k, by))?));
        let bend = |k| Some((k, until(start(k), |by| search.bend(k, by))?));
        let mut found: Vec<(usize, f64)> = left().filter_map(follow).collect();
        if found.is_empty() {
            found = left().filter_map(bend).collect();
        }
        if found.is_empty() {
            found.push((first, start(first)));
        }
        for (k, way) in found {
            search.set(k, way);
        }
    }
    for k in 0..if set.may_move() { n + 1 } else { n } {
        let Some(long) = search.ways[k] else { continue };
        let others = search.across(&search.certain_entries, k);
        let curved = |way: f64| search.curved((k, &others), way);
        let bent = |way: f64| curved(way).is_none_or(|part| part > BENT);
        let mut way = long;
        if bent(way) {
            way = until(way, curved).map_or(way, |found| found.min(way));
        }
        for _ in 0..TRIALS {
            if !bent(way) {
                break;
            }
            way *= 0.5;
        }
        search.ways[k] = Some(way);
    }
    search.ways.into_iter().flatten().collect()
}

/// How far a variable goes until a change is about 1, from a first guess, or until it does not follow the way any more (that of
/// a cosine is bounded); `None` where nothing changes.
fn until(first: f64, change: impl Fn(f64) -> Option<f64>) -> Option<f64> {
    // the first guess may be a whole turn
    let shorter = PART_OF_A_TURN * first;
    let mut way = match (change(shorter), change(first)) {
        (Some(short), Some(whole)) if short > whole => shorter,
        _ => first,
    };
    let mut before: Option<(f64, f64)> = None;
    for _ in 0..TRIALS {
        let Some(change) = change(way) else {
            way *= BACK;
            continue;
        };
        if (ABOUT.recip()..=ABOUT).contains(&change) {
            return Some(way);
        }
        if change == 0.0 {
            way *= FARTHEST;
            continue;
        }
        if let Some((last, was)) = before
            && (change / was).ln() / (way / last).ln() < FOLLOWS
        {
            return Some(last);
        }
        before = Some((way, change));
        way *= change.sqrt().recip().clamp(FARTHEST.recip(), FARTHEST);
    }
    before.map(|(way, _)| way)
}

struct LengthSearch<'a> {
    set: &'a dyn Constraints,
    at: (f64, &'a [f64]),
    w: &'a Blurred,
    /// W without what is zero as far as is known.
    certain: DMatrix<f64>,
    certain_entries: Entries,
    residual: DVector<f64>,
    scale: DVector<f64>,
    /// Those known so far.
    ways: Vec<Option<f64>>,
    /// F.
    levels: DVector<f64>,
    /// What the way of each variable that was looked at last changes.
    last: RefCell<Vec<(f64, Change)>>,
}

/// Of the residuals and of the entries; `None` where one is not finite.
type Change = Option<Rc<(DVector<f64>, Entries)>>;

/// The entries of a matrix that are not zero: their rows, their columns and their sizes.
type Entries = Vec<(usize, usize, f64)>;

/// Those of the difference of two matrices.
fn differences(a: &DMatrix<f64>, b: &DMatrix<f64>) -> Entries {
    let m = a.nrows().max(1);
    let columns = a
        .as_slice()
        .chunks_exact(m)
        .zip(b.as_slice().chunks_exact(m));
    let mut entries = Entries::new();
    // most columns are the same
    for (j, (a, b)) in columns.enumerate().filter(|(_, (a, b))| a != b) {
        for (i, (a, b)) in a.iter().zip(b).enumerate() {
            if a != b {
                entries.push((i, j, (a - b).abs()));
            }
        }
    }
    entries
}

impl<'a> LengthSearch<'a> {
    fn new(set: &'a dyn Constraints, at: (f64, &'a [f64]), w: &'a Blurred) -> Self {
        let Rows {
            residual, scale, ..
        } = set.rows(at.0, at.1);
        let certain = w
            .value
            .zip_map(&w.blur, |w, blur| if w.abs() > blur { w } else { 0.0 });
        Self {
            set,
            at,
            w,
            certain_entries: differences(
                &certain,
                &DMatrix::zeros(certain.nrows(), certain.ncols()),
            ),
            certain,
            levels: DVector::zeros(residual.len()),
            residual,
            scale,
            ways: vec![None; at.1.len() + 1],
            last: vec![(f64::NAN, None); at.1.len() + 1].into(),
        }
    }

    /// What a way changes.
    fn beside(&self, k: usize, by: f64) -> Change {
        let known = &mut self.last.borrow_mut()[k];
        // a way is first found, then looked at
        if known.0 != by {
            *known = (by, self.look(k, by).map(Rc::new));
        }
        known.1.clone()
    }

    fn look(&self, k: usize, by: f64) -> Option<(DVector<f64>, Entries)> {
        let (mut t, mut place) = (self.at.0, self.at.1.to_vec());
        match place.get_mut(k) {
            Some(x) => *x += by,
            None => t += by,
        }
        let Rows {
            mut residual,
            scale,
            gradients,
            rates,
        } = self.set.rows(t, &place);
        let finite = |list: &DVector<f64>| list.as_slice().iter().all(|e| e.is_finite());
        // at the point all entries are
        let changes = differences(&gradients, &self.w.value);
        if ![&residual, &scale, &rates].into_iter().all(finite)
            || changes.iter().any(|(.., change)| !change.is_finite())
        {
            return None;
        }
        let scales = scale.as_slice().iter().zip(self.scale.as_slice());
        let here = self.residual.as_slice().iter().zip(scales);
        for (f, (here, (scale, other))) in residual.as_mut_slice().iter_mut().zip(here) {
            let change = *f - here;
            let told = change.abs() > scale.max(*other) * NOTHING;
            *f = if told { change } else { 0.0 };
        }
        Some((residual, changes))
    }

    /// The largest of the entries of each row, each times the way of its column, but for column k.
    fn across(&self, entries: &Entries, k: usize) -> DVector<f64> {
        let mut most = DVector::zeros(self.residual.len());
        for &(b, j, size) in entries.iter().filter(|(_, j, _)| *j != k) {
            if let Some(way) = self.ways[j] {
                most[b] = (size * way).max(most[b]);
            }
        }
        most
    }

    fn set(&mut self, k: usize, way: f64) {
        self.ways[k] = Some(way);
        let entries = (k < self.at.1.len()).then(|| self.certain.column(k).abs() * way);
        let moved = self.beside(k, way).map(|e| e.0.abs());
        for change in entries.into_iter().chain(moved) {
            self.levels = self.levels.sup(&change);
        }
    }

    /// What a way changes of rows, in parts of what the known ones do.
    fn change(&self, k: usize, by: f64) -> Option<f64> {
        let (levels, entries) = &*self.beside(k, by)?;
        let levels = levels.abs().sup(&self.across(entries, k));
        let parts = levels.iter().zip(&self.levels).filter(|e| *e.1 > 0.0);
        Some(
            parts
                .map(|(change, level)| change / level)
                .fold(0.0, f64::max),
        )
    }

    /// What a way changes of the entries that are no zeros, in parts of these.
    fn bend(&self, k: usize, by: f64) -> Option<f64> {
        let (_, entries) = &*self.beside(k, by)?;
        let parts = entries.iter().map(|&(b, j, change)| {
            let certain = self.certain[(b, j)].abs();
            if certain > 0.0 { change / certain } else { 0.0 }
        });
        Some(parts.fold(0.0, f64::max))
    }

    /// What a way changes of rows beside their linear part, in parts of what that is over the ways; `others` is what the
    /// entries of the other columns are [`Self::across`].
    fn curved(&self, (k, others): (usize, &DVector<f64>), by: f64) -> Option<f64> {
        let (changes, entries) = &*self.beside(k, by)?;
        let cross = self.across(entries, k);
        let is_time = k == self.at.1.len();
        let way = self.ways.get(k).copied().flatten().unwrap_or(by);
        let mut most = 0.0_f64;
        for (b, other) in others.iter().enumerate() {
            let own = if is_time { 0.0 } else { self.certain[(b, k)] };
            let bent = changes[b] - own * by;
            let (short, long) = (other.max(own.abs() * by), other.max(own.abs() * way));
            if short > 0.0 {
                most = most.max(bent.abs() / short).max(cross[b] / long);
            }
        }
        Some(most)
    }
}
