//! Lists in a sentence: `x1 = 0.5, x2 = 1, and 3 more`.

use super::number::number;
use std::fmt::{Display, Write};

/// All of them.
pub fn joined(items: impl IntoIterator<Item = impl Display>) -> String {
    linked(", ", items)
}

/// Items in a row with this between them.
pub fn linked(between: &str, items: impl IntoIterator<Item = impl Display>) -> String {
    let mut text = String::new();
    for (place, item) in items.into_iter().enumerate() {
        let _ = write!(text, "{}{item}", only_if(place > 0, between));
    }
    text
}

/// The side of a box: `x 0.5..1`, or `x = 0.5` where that says as much.
pub fn side(name: &str, (lo, hi): (f64, f64)) -> String {
    /// A side that is shorter than this part of its size is a number.
    const THIN: f64 = 1e-6;
    let (low, high) = (number(lo), number(hi));
    if low == high || hi - lo <= THIN * lo.abs().max(hi.abs()) {
        format!("{name} = {}", number(f64::midpoint(lo, hi)))
    } else {
        format!("{name} {low}..{high}")
    }
}

/// `0 <= x <= 1`, or `x >= 0` where the other end is open; nothing where both are.
pub fn between(name: &str, ends: [Option<String>; 2]) -> Option<String> {
    match ends {
        [None, None] => None,
        [Some(lo), None] => Some(format!("{name} >= {lo}")),
        [None, Some(hi)] => Some(format!("{name} <= {hi}")),
        [Some(lo), Some(hi)] => Some(format!("{lo} <= {name} <= {hi}")),
    }
}

/// A clause that is said only where it applies.
pub fn only_if<T: Default>(applies: bool, clause: T) -> T {
    if applies { clause } else { T::default() }
}

/// The first of them, and how many are left out.
pub fn some(items: impl IntoIterator<Item = String>, most: usize) -> String {
    let mut items = items.into_iter();
    let mut list: Vec<String> = items.by_ref().take(most).collect();
    let more = items.count();
    if more > 0 {
        list.push(format!("and {more} more"));
    }
    list.join(", ")
}

/// `(1, -0.5)`, a position.
pub fn place(x: &[f64]) -> String {
    format!("({})", joined(x.iter().map(|v| number(*v))))
}

/// `x1 = 0.5`, one a name.
pub fn values(names: &[String], values: &[f64]) -> impl Iterator<Item = String> {
    let pairs = names.iter().zip(values);
    pairs.map(|(name, v)| format!("{name} = {}", number(*v)))
}

/// `-1 <= x1 <= 2`, one a name.
pub fn sides(names: &[String], ranges: &[(f64, f64)]) -> impl Iterator<Item = String> {
    let pairs = names.iter().zip(ranges);
    pairs.filter_map(|(name, (lo, hi))| between(name, [lo, hi].map(|end| Some(number(*end)))))
}

/// `1 step`, `12 steps`, `4 small boxes`, `2 equilibria`.
pub fn count(number: usize, noun: &str) -> String {
    format!("{number} {}", nouns(number, noun))
}

/// A noun as it stands behind a number.
pub fn nouns(number: usize, noun: &str) -> String {
    match (number, noun.strip_suffix("um")) {
        (1, _) => noun.to_owned(),
        (_, Some(stem)) => format!("{stem}a"),
        _ if noun.ends_with(['x', 'h']) => format!("{noun}es"),
        _ => format!("{noun}s"),
    }
}
