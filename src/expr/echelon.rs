//! Gauss-Jordan elimination in exact numbers.

use super::number::Number;

/// Rows in reduced echelon form: each has a 1 at a place of its own where all others have 0.
#[derive(Debug, Default)]
pub(super) struct Echelon {
    /// The place of the 1, and the row.
    pub(super) rows: Vec<(usize, Vec<Number>)>,
}

impl Echelon {
    /// Adds a row, where it does not depend on those before it.
    pub(super) fn add(&mut self, mut row: Vec<Number>) {
        for (place, pivot) in &self.rows {
            eliminate(&mut row, pivot, *place);
        }
        let place = row.iter().position(|k| !k.is_zero());
        let Some((place, inverse)) = place.and_then(|place| Some((place, row[place].recip()?)))
        else {
            return;
        };
        for k in &mut row {
            *k = k.mul(&inverse);
        }
        for (_, other) in &mut self.rows {
            eliminate(other, &row, place);
        }
        self.rows.push((place, row));
    }
}

/// The reduced echelon form of rows, in the order of the places of their ones.
pub(crate) fn reduced(rows: impl IntoIterator<Item = Vec<Number>>) -> Vec<(usize, Vec<Number>)> {
    let mut echelon = Echelon::default();
    rows.into_iter().for_each(|row| echelon.add(row));
    echelon.rows.sort_by_key(|(place, _)| *place);
    echelon.rows
}

/// Subtracts a multiple of another row, which has a 1 at this place.
fn eliminate(row: &mut [Number], pivot: &[Number], place: usize) {
    let factor = row[place].neg();
    if factor.is_zero() {
        return;
    }
    for (k, l) in row.iter_mut().zip(pivot) {
        if !l.is_zero() {
            *k = k.add(&l.mul(&factor));
        }
    }
}
