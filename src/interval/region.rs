//! Boxes of numbers.

use crate::expr::Interval;
use std::cmp::Ordering;

/// A box of numbers.
pub type Region = Vec<Interval>;

/// A point as a box.
pub fn as_box(x: &[f64]) -> Region {
    x.iter().map(|v| Interval::point(*v)).collect()
}

/// The ends of sides as a box.
pub fn box_of(ends: &[(f64, f64)]) -> Region {
    ends.iter()
        .map(|(lo, hi)| Interval::new(*lo, *hi))
        .collect()
}

/// The ends of the sides of a box.
pub fn ends(sides: &[Interval]) -> Vec<(f64, f64)> {
    sides.iter().map(|side| (side.lo, side.hi)).collect()
}

/// The middle of a box.
pub fn middles(sides: &[Interval]) -> Vec<f64> {
    sides.iter().map(|side| side.middle()).collect()
}

/// A point of a tight box about a number: 0 for each side that holds 0, or its middle.
pub fn representative(sides: &[Interval]) -> Vec<f64> {
    let middle = |side: &Interval| {
        if side.contains(0.0) {
            0.0
        } else {
            side.middle()
        }
    };
    sides.iter().map(middle).collect()
}

/// The middle of a box, as a box.
pub fn middle_of(sides: &[Interval]) -> Region {
    as_box(&middles(sides))
}

/// Does all of a box lie in another?
pub fn lies_within(a: &[Interval], b: &[Interval]) -> bool {
    a.iter().zip(b).all(|(p, q)| p.is_within(*q))
}

/// Do boxes share no point?
pub fn apart(a: &[Interval], b: &[Interval]) -> bool {
    a.iter().zip(b).any(|(p, q)| p.meet(*q).is_empty())
}

/// What boxes share, if they share anything.
pub fn common(a: &[Interval], b: &[Interval]) -> Option<Region> {
    let both: Region = a.iter().zip(b).map(|(p, q)| p.meet(*q)).collect();
    both.iter().all(|side| !side.is_empty()).then_some(both)
}

/// The smallest box round two.
pub fn hull_of(a: &[Interval], b: &[Interval]) -> Region {
    a.iter().zip(b).map(|(p, q)| p.hull(*q)).collect()
}

/// Boxes that meet become one: the smallest round them.
pub fn joined(
    list: impl IntoIterator<Item = Region>,
    meet: impl Fn(&Region, &Region) -> bool,
) -> Vec<Region> {
    let mut result: Vec<Region> = Vec::new();
    for mut one in list {
        while let Some(place) = result.iter().position(|other| meet(other, &one)) {
            one = hull_of(&one, &result.remove(place));
        }
        result.push(one);
    }
    result
}

/// The part that a box takes of the whole; all of a whole that is a point.
pub fn part_of(part: &[Interval], whole: &[Interval]) -> f64 {
    let sides = part
        .iter()
        .zip(whole)
        .map(|(side, all)| (side.width(), all.width()));
    sides
        .map(|(own, all)| if all > 0.0 { own / all } else { 1.0 })
        .product()
}

/// The part that a side is of the whole; none of a whole that is a point.
pub fn share(side: Interval, whole: Interval) -> f64 {
    match whole.width() {
        all if all > 0.0 => side.width() / all,
        _ => 0.0,
    }
}

/// The longest side in parts of the region's.
pub fn longest(part: &[Interval], region: &[Interval]) -> f64 {
    let shares = part.iter().zip(region);
    shares.map(|(p, q)| share(*p, *q)).fold(0.0, f64::max)
}

/// The first of the longest of these sides, and how long it is; 0 of the first where none is longer.
pub fn widest(lengths: impl IntoIterator<Item = f64>) -> (usize, f64) {
    let lengths = lengths.into_iter().enumerate();
    lengths.fold(
        (0, 0.0),
        |best, one| if one.1 > best.1 { one } else { best },
    )
}

/// Of these what is largest, the last of those, and how large it is.
pub fn largest<T>(all: impl IntoIterator<Item = T>, size: impl Fn(&T) -> f64) -> Option<(T, f64)> {
    let sized = all.into_iter().map(|one| (size(&one), one));
    let largest = sized.max_by(|a, b| a.0.total_cmp(&b.0));
    largest.map(|(size, one)| (one, size))
}

/// Boxes by their places: numbers taken of the sides decide, the first that differ.
pub fn in_order(a: &[Interval], b: &[Interval], of: impl Fn(&Interval) -> f64) -> Ordering {
    let mut orders = a.iter().zip(b).map(|(p, q)| of(p).total_cmp(&of(q)));
    orders.find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
}

/// A box cut in two across a side, off the middle: solutions like to sit there. The box itself where the side
/// is too short to be cut.
pub fn halved(part: Region, side: usize) -> Result<(Region, Region), Region> {
    let Interval { lo, hi } = part[side];
    let cut = lo + 0.493 * (hi - lo);
    if !(cut > lo && cut < hi) {
        return Err(part);
    }
    let (mut low, mut high) = (part.clone(), part);
    low[side].hi = cut;
    high[side].lo = cut;
    Ok((low, high))
}
