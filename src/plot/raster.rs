//! Dots, and who set them.
//!
//! A curve is first reduced, then stroked. Reduced: of the consecutive samples that fall into one
//! dot column the first, the lowest, the highest and the last are kept, in their order (with straight
//! lines between samples the picture is the same, so this loses nothing however many samples there are
//! and whichever way x runs). Stroked: each line is clipped to the raster and drawn dot by dot along
//! its longer side.

use super::canvas::{Canvas, CellStyle};
use super::charset::Charset;
use super::frame::Dot;

/// Owners beyond this number share the last bit.
const OWNERS: usize = 32;

/// A turn of the curve by less than this many dots is not a peak.
const PEAK: f64 = 0.5;

/// What a line looks like and to whom it belongs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pen {
    /// Index of its [`Ink`].
    pub owner: usize,
    /// Solid, dashed, ...
    pub pattern: Pattern,
}

/// What a cell that an owner has dots in looks like.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ink {
    pub style: CellStyle,
    /// In plain ASCII.
    pub letter: char,
}

/// Which dots of a line are set, by their place along it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pattern {
    bits: u16,
    period: i64,
    /// Two dots wide.
    wide: bool,
}

impl Pattern {
    pub const SOLID: Self = Self::thin(1, 1);
    pub const DOTTED: Self = Self::thin(0b0001, 4);
    const DASHED: Self = Self::thin(0b00_1111, 6);
    const DASH_DOT: Self = Self::thin(0b00_0100_1111, 10);
    const WIDE: Self = Self {
        wide: true,
        ..Self::SOLID
    };
    const WIDE_DASHED: Self = Self {
        wide: true,
        ..Self::DASHED
    };
    const SPARSE: Self = Self::thin(0b00_0001, 6);
    const SHORT_DASHED: Self = Self::thin(0b0011, 4);

    const fn thin(bits: u16, period: i64) -> Self {
        Self {
            bits,
            period,
            wide: false,
        }
    }

    /// The pattern of a series. In plain ASCII letters tell the series apart, all are solid.
    pub fn of(role: u8, charset: Charset) -> Self {
        if charset == Charset::Ascii {
            return Self::SOLID;
        }
        [
            Self::SOLID,
            Self::DASHED,
            Self::DOTTED,
            Self::DASH_DOT,
            Self::WIDE,
            Self::SHORT_DASHED,
            Self::SPARSE,
            Self::WIDE_DASHED,
        ][usize::from(role % 8)]
    }

    fn sets(self, place: i64) -> bool {
        self.bits >> place.rem_euclid(self.period) & 1 == 1
    }
}

/// `cols` x `rows` cells of dots.
#[derive(Debug)]
pub(super) struct Raster {
    charset: Charset,
    cols: u16,
    rows: u16,
    /// Dots of each cell, bit `across * row + column`.
    dots: Vec<u8>,
    /// Bit set of the owners of each cell.
    owners: Vec<u32>,
}

impl Raster {
    pub fn new(cols: u16, rows: u16, charset: Charset) -> Self {
        let cells = usize::from(cols) * usize::from(rows);
        Self {
            charset,
            cols,
            rows,
            dots: vec![0; cells],
            owners: vec![0; cells],
        }
    }

    pub fn is_blank(&self) -> bool {
        self.dots.iter().all(|&dots| dots == 0)
    }

    fn size(&self) -> (i64, i64) {
        let (across, down) = self.charset.dots();
        (
            i64::from(self.cols) * i64::from(across),
            i64::from(self.rows) * i64::from(down),
        )
    }

    fn set(&mut self, x: i64, y: i64, owner: usize) {
        let (width, height) = self.size();
        if !(0..width).contains(&x) || !(0..height).contains(&y) {
            return;
        }
        let (across, down) = self.charset.dots();
        let (across, down) = (i64::from(across), i64::from(down));
        let cell = (y / down * i64::from(self.cols) + x / across) as usize;
        self.dots[cell] |= 1 << (y % down * across + x % across);
        self.owners[cell] |= 1 << owner.min(OWNERS - 1);
    }

    /// Draws the curve through these places; `None` breaks it.
    pub fn stroke(&mut self, places: impl Iterator<Item = Option<Dot>>, pen: Pen) {
        let mut stroke = Stroke {
            raster: self,
            pen,
            last: None,
            alone: false,
            rising: None,
        };
        thin(places, |place| match place {
            Some(place) => stroke.join(place),
            None => stroke.lift(),
        });
    }

    /// Fills the rectangle with these corners in the way of a series: of rectangles side by side each dot is in one.
    pub fn fill(&mut self, (a, b): (Dot, Dot), (owner, role): (usize, u8)) {
        let (width, height) = self.size();
        let charset = self.charset;
        let range = |k: usize, size: i64| {
            let end = |v: f64| {
                if v >= (size - 1) as f64 {
                    size
                } else {
                    (v.ceil() as i64).max(0)
                }
            };
            end(a[k].min(b[k]))..end(a[k].max(b[k]))
        };
        for y in range(1, height) {
            for x in range(0, width).filter(|x| hatched(role, charset, (*x, y))) {
                self.set(x, y, owner);
            }
        }
    }

    /// The line from `a` to `b`.
    fn line(&mut self, a: Dot, b: Dot, pen: Pen) {
        let (width, height) = self.size();
        let corner = [width as f64 - 0.5, height as f64 - 0.5];
        let Some((a, b)) = clip(a, b, corner) else {
            return;
        };
        let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
        // Along the longer side, so that no dot of the line is missing.
        let along = usize::from(dx.abs() < dy.abs());
        let length = b[along] - a[along];
        let (first, last) = (a[along].round() as i64, b[along].round() as i64);
        for place in first.min(last)..=first.max(last) {
            if !pen.pattern.sets(place) {
                continue;
            }
            let part = if length == 0.0 {
                0.0
            } else {
                ((place as f64 - a[along]) / length).clamp(0.0, 1.0)
            };
            let dot = if along == 0 {
                [place, (a[1] + part * dy).round() as i64]
            } else {
                [(a[0] + part * dx).round() as i64, place]
            };
            // The clipped edge lies half a dot outside.
            let dot = [dot[0].clamp(0, width - 1), dot[1].clamp(0, height - 1)];
            self.set(dot[0], dot[1], pen.owner);
            if pen.pattern.wide {
                let (right, down) = if along == 0 { (0, 1) } else { (1, 0) };
                self.set(dot[0] + right, dot[1] + down, pen.owner);
            }
        }
    }

    /// Sets one dot whatever the pattern.
    fn dot(&mut self, place: Dot, pen: Pen) {
        self.set(place[0].round() as i64, place[1].round() as i64, pen.owner);
    }

    /// Writes the cells that have dots, with the upper left cell at (`left`, `top`).
    ///
    /// The dots of a cell are those of all its owners. Its colour is the first owner's. In plain ASCII,
    /// which has one letter for the cell, owners take turns along the row: curves that coincide show as
    /// `*o*o*o`.
    pub fn write(&self, canvas: &mut Canvas, left: u16, top: u16, inks: &[Ink]) {
        for row in 0..self.rows {
            for col in 0..self.cols {
                let cell = usize::from(row) * usize::from(self.cols) + usize::from(col);
                let owners = self.owners[cell];
                if self.dots[cell] == 0 || owners == 0 {
                    continue;
                }
                let turn = match self.charset {
                    Charset::Ascii => u32::from(col) % owners.count_ones(),
                    Charset::Braille | Charset::Blocks | Charset::Sextants => 0,
                };
                let Some(ink) = inks.get(nth_bit(owners, turn)) else {
                    continue;
                };
                let symbol = self.charset.symbol(self.dots[cell], ink.letter);
                canvas.put(left + col, top + row, symbol, ink.style);
            }
        }
    }
}

/// Is this dot of an area set? Far apart, in lines, all, every second. In plain ASCII letters tell the series apart.
fn hatched(role: u8, charset: Charset, (x, y): (i64, i64)) -> bool {
    let (across, down) = charset.dots();
    let (across, down) = (i64::from(across), i64::from(down));
    match role % 4 {
        0 => x % (3 * across) == 0 && y % down == 0,
        1 => y % down == down / 2,
        2 => true,
        _ => across == 1 || (x + y) % 2 == 0,
    }
}

/// The place of the `n`-th set bit, from 0.
fn nth_bit(bits: u32, n: u32) -> usize {
    let rest = (0..n).fold(bits, |bits, _| bits & bits.wrapping_sub(1));
    rest.trailing_zeros() as usize
}

/// The part of the line within half a dot of the raster (Liang and Barsky).
fn clip(a: Dot, b: Dot, corner: Dot) -> Option<(Dot, Dot)> {
    let d = [b[0] - a[0], b[1] - a[1]];
    let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
    for axis in 0..2 {
        if d[axis] == 0.0 {
            if a[axis] < -0.5 || a[axis] > corner[axis] {
                return None;
            }
            continue;
        }
        let to_lo = (-0.5 - a[axis]) / d[axis];
        let to_hi = (corner[axis] - a[axis]) / d[axis];
        enter = enter.max(to_lo.min(to_hi));
        leave = leave.min(to_lo.max(to_hi));
    }
    let at = |part: f64| [a[0] + part * d[0], a[1] + part * d[1]];
    let start = if enter > 0.0 { at(enter) } else { a };
    let end = if leave < 1.0 { at(leave) } else { b };
    (enter <= leave).then_some((start, end))
}

/// The places of a curve that show: of consecutive ones in one column the first, the lowest, the highest and
/// the last, in their order. `None` breaks the curve and comes at its end.
pub(super) fn thin(places: impl Iterator<Item = Option<Dot>>, mut each: impl FnMut(Option<Dot>)) {
    let mut run: Option<Run> = None;
    for place in places {
        match (&mut run, place) {
            (Some(run), Some(place)) if run.column == place[0].round() as i64 => run.add(place),
            _ => {
                for place in run.take().iter().flat_map(Run::places) {
                    each(Some(place));
                }
                run = place.map(Run::new);
                if run.is_none() {
                    each(None);
                }
            }
        }
    }
    for place in run.iter().flat_map(Run::places) {
        each(Some(place));
    }
    each(None);
}

/// Whether a place is repeated, to the bit.
fn same(a: Dot, b: Dot) -> bool {
    a.map(f64::to_bits) == b.map(f64::to_bits)
}

/// Consecutive samples in one dot column.
#[derive(Debug)]
struct Run {
    column: i64,
    first: Dot,
    top: Dot,
    bottom: Dot,
    last: Dot,
    top_came_first: bool,
}

impl Run {
    fn new(place: Dot) -> Self {
        Self {
            column: place[0].round() as i64,
            first: place,
            top: place,
            bottom: place,
            last: place,
            top_came_first: true,
        }
    }

    fn places(&self) -> [Dot; 4] {
        let (early, late) = if self.top_came_first {
            (self.top, self.bottom)
        } else {
            (self.bottom, self.top)
        };
        [self.first, early, late, self.last]
    }

    fn add(&mut self, place: Dot) {
        if place[1] < self.top[1] {
            self.top = place;
            self.top_came_first = false;
        }
        if place[1] > self.bottom[1] {
            self.bottom = place;
            self.top_came_first = true;
        }
        self.last = place;
    }
}

/// A curve being drawn.
struct Stroke<'a> {
    raster: &'a mut Raster,
    pen: Pen,
    last: Option<Dot>,
    /// Whether `last` is joined to nothing.
    alone: bool,
    rising: Option<bool>,
}

impl Stroke<'_> {
    fn join(&mut self, place: Dot) {
        let Some(last) = self.last else {
            self.last = Some(place);
            self.alone = true;
            return;
        };
        if same(last, place) {
            return;
        }
        self.raster.line(last, place, self.pen);
        let rise = last[1] - place[1];
        if rise.abs() >= PEAK {
            // The tip of a spike is set even where a dashed line has its gap.
            if self.rising.is_some_and(|rising| rising != (rise > 0.0)) {
                self.raster.dot(last, self.pen);
            }
            self.rising = Some(rise > 0.0);
        }
        self.last = Some(place);
        self.alone = false;
    }

    fn lift(&mut self) {
        if let (Some(last), true) = (self.last, self.alone) {
            self.raster.dot(last, self.pen);
        }
        self.last = None;
        self.alone = false;
        self.rising = None;
    }
}
