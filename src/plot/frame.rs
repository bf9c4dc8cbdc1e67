//! The map between numbers and places: one for curves, ticks, marks and the cursor.
//!
//! The value at the left end of a range is the centre of the first dot, the value at the right end the
//! centre of the last one; a cell is the place of the dots in it.

use super::charset::Charset;
use super::range::Range;
use super::scale::Scale;
use super::ticks::Ticks;

/// A place in dots: x right, y down, dot (0, 0) centred on (0, 0).
pub(super) type Dot = [f64; 2];

/// Columns between ticks of x in a roomy plot.
const CALM: f64 = 8.0;
/// Rows between ticks of y: closer ones only where these would be fewer than three.
const TICK_ROWS: [f64; 3] = [2.0, 1.5, 1.0];

/// A place further away than this many dots is drawn as if it were this far.
const FAR: f64 = 1e9;

/// The cells that hold the curves, and the values they stand for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Column of the canvas where the curves begin.
    pub left: u16,
    /// Row of the canvas where the curves begin.
    pub top: u16,
    /// Columns.
    pub cols: u16,
    /// Rows.
    pub rows: u16,
    /// Values at the left and right end.
    pub x: Range,
    /// Values at the lower and upper end.
    pub y: Range,
    /// How the values lie between the ends of x and of y.
    pub scales: (Scale, Scale),
    /// Dots across and down in a cell.
    pub dots: (u16, u16),
}

impl Frame {
    /// The ticks of the axis that points up.
    pub(super) fn y_ticks(&self) -> Ticks {
        let mut ticks = Ticks::default();
        for apart in TICK_ROWS {
            let closer = Ticks::on(self.scales.1, self.y, self.rows, |_| apart);
            if closer.at.len() > ticks.at.len() {
                ticks = closer;
            }
            if ticks.at.len() >= 3 {
                break;
            }
        }
        // one number alone does not say how high anything is
        if ticks.at.len() < 2 && self.scales.1 == Scale::Linear {
            let outer = Ticks::outermost(self.y, self.rows);
            if outer.at.len() > ticks.at.len() {
                return outer;
            }
        }
        ticks
    }

    /// The ticks of the axis to the right.
    pub(super) fn x_ticks(&self) -> Ticks {
        let calm = if self.cols >= 40 { CALM } else { 0.0 };
        let apart = |width: usize| (width as f64 + 2.0).max(calm);
        Ticks::on(self.scales.0, self.x, self.cols, apart)
    }

    /// The column of the canvas in which `x` is drawn; `None` outside the range.
    pub fn column_at_x(&self, x: f64) -> Option<u16> {
        let dot = self.place((self.x, self.scales.0), x, self.last_dots().0, false)?;
        Some(self.left + dot / self.dots.0.max(1))
    }

    /// The row of the canvas in which `y` is drawn; `None` outside the range.
    pub fn row_at_y(&self, y: f64) -> Option<u16> {
        let last = self.last_dots().1;
        let dot = self.place((self.y, self.scales.1), y, last, true)?;
        Some(self.top + dot / self.dots.1.max(1))
    }

    /// The value of x in the middle of a column of the canvas; `None` beside the curves.
    pub fn x_at_column(&self, col: u16) -> Option<f64> {
        let cell = col.checked_sub(self.left).filter(|&c| c < self.cols)?;
        let axis = (self.x, self.scales.0);
        Some(value(axis, cell, self.dots.0, self.last_dots().0))
    }

    /// The value of y in the middle of a row of the canvas; `None` above or below the curves.
    pub fn y_at_row(&self, row: u16) -> Option<f64> {
        let cell = row.checked_sub(self.top).filter(|&r| r < self.rows)?;
        let from_below = self.rows - 1 - cell;
        let axis = (self.y, self.scales.1);
        Some(value(axis, from_below, self.dots.1, self.last_dots().1))
    }

    /// The same cells, with the shorter of the two ranges widened so that a unit of x is as long on the
    /// screen as a unit of y.
    #[must_use]
    pub(super) fn with_equal_aspect(self, charset: Charset) -> Self {
        let (across, down) = self.last_dots();
        let width = f64::from(across.max(1));
        let height = f64::from(down.max(1)) * charset.dot_aspect();
        let (x, y) = equal_aspect((self.x, self.y), self.scales, (width, height));
        Self { x, y, ..self }
    }

    /// A sample in dots; `None` where it is not finite.
    pub(super) fn dot(&self, point: [f64; 2]) -> Option<Dot> {
        let along = [self.scales.0.along(point[0]), self.scales.1.along(point[1])];
        if !along[0].is_finite() || !along[1].is_finite() {
            return None;
        }
        let (across, down) = self.last_dots();
        let ends = (self.scales.0.ends(self.x), self.scales.1.ends(self.y));
        let x = (along[0] - ends.0.lo) / ends.0.span() * f64::from(across);
        let y = (ends.1.hi - along[1]) / ends.1.span() * f64::from(down);
        Some([x.clamp(-FAR, FAR), y.clamp(-FAR, FAR)])
    }

    /// Numbers of the last dots across and down.
    fn last_dots(&self) -> (u16, u16) {
        (
            (self.cols.saturating_mul(self.dots.0)).saturating_sub(1),
            (self.rows.saturating_mul(self.dots.1)).saturating_sub(1),
        )
    }

    /// The dot of `value`, if it is one of the frame's; counted from the upper end where it is `turned`, as curves are: half-way
    /// values round to the same dot.
    fn place(
        &self,
        (range, scale): (Range, Scale),
        value: f64,
        last: u16,
        turned: bool,
    ) -> Option<u16> {
        let single = last == 0 && !range.contains(value);
        if self.cols == 0 || self.rows == 0 || single || !value.is_finite() {
            return None;
        }
        let ends = scale.ends(range);
        let along = scale.along(value);
        let from_end = if turned {
            ends.hi - along
        } else {
            along - ends.lo
        };
        let dot = (from_end / ends.span() * f64::from(last)).round();
        (0.0..=f64::from(last)).contains(&dot).then_some(dot as u16)
    }
}

/// The value in the middle of a cell.
fn value((range, scale): (Range, Scale), cell: u16, dots: u16, last: u16) -> f64 {
    let middle = f64::from(cell) * f64::from(dots) + (f64::from(dots) - 1.0) / 2.0;
    let ends = scale.ends(range);
    let value = scale.value(ends.lo + middle / f64::from(last.max(1)) * ends.span());
    value.clamp(range.lo, range.hi)
}

/// The ranges of x and y, the shorter one widened so that on a field of this `width` and `height` (in any
/// unit of length) equal differences, or equal ratios on two logarithmic axes, are equally long. Axes of
/// two different scales have nothing to compare.
pub(super) fn equal_aspect(
    (x, y): (Range, Range),
    scales: (Scale, Scale),
    (width, height): (f64, f64),
) -> (Range, Range) {
    if scales.0 != scales.1 {
        return (x, y);
    }
    let (across, up) = (scales.0.ends(x), scales.1.ends(y));
    let unit = (across.span() / width).max(up.span() / height);
    (
        scales.0.values(across.widened(unit * width)),
        scales.1.values(up.widened(unit * height)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_column_is_the_column_of_its_value(
            cols in 1_u16..200, rows in 1_u16..60, lo in -1e6..1e6, span in 1e-3..1e6,
        ) {
            for charset in [Charset::Braille, Charset::Blocks, Charset::Ascii] {
                let range = Range { lo, hi: lo + span };
                let frame =
                    Frame {
                        left: 3, top: 2, cols, rows, x: range, y: range,
                        scales: (Scale::Linear, Scale::Linear), dots: charset.dots(),
                    };
                for col in 3..3 + cols {
                    let x = frame.x_at_column(col).unwrap();
                    prop_assert_eq!(frame.column_at_x(x), Some(col));
                }
                for row in 2..2 + rows {
                    let y = frame.y_at_row(row).unwrap();
                    prop_assert_eq!(frame.row_at_y(y), Some(row));
                }
                prop_assert_eq!(frame.x_at_column(2), None);
                prop_assert_eq!(frame.y_at_row(2 + rows), None);
                prop_assert_eq!(frame.column_at_x(lo - span), None);
            }
        }
    }
}
