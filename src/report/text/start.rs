//! What is said of a start: what was solved for, and other configurations.

use super::page::Page;
use super::{count, joined, number, only_if, some};
use crate::report::zero;
use crate::solver::{Assembly, Placed};

/// Values that are listed.
const VALUES: usize = 6;
/// Other configurations that are listed.
const OTHERS: usize = 2;

/// The values without what rounding leaves.
fn shown(list: &[Placed]) -> Vec<f64> {
    let values: Vec<f64> = list.iter().map(|p| p.value).collect();
    zero::of_unit_size(&values)
}

/// `y = -0.8, z = 2`; the first of them, and how many are left out.
fn values(list: &[Placed]) -> String {
    let parts = list.iter().zip(shown(list));
    let parts = parts.map(|(p, value)| format!("{} = {}", p.name, number(value)));
    some(parts, VALUES)
}

/// What was found, of which so many could have been given.
fn found(list: &[Placed], free: usize) -> String {
    let values = values(list);
    if free >= list.len() {
        return format!("start: {values} by the `guess` (0 where it has none)");
    }
    let nearest = format!(", the nearest to the guess: the constraints leave {free} of them free");
    format!("start: found {values}{}", only_if(free > 0, nearest))
}

/// The values of another configuration that are not those of the one taken; all where none is.
fn differing(taken: &[Placed], other: &[Placed]) -> Vec<Placed> {
    let both = shown(taken).into_iter().zip(shown(other)).zip(other);
    let near = |a: f64, b: f64| number(a) == number(b);
    let own: Vec<Placed> = both
        .filter(|((a, b), _)| !near(*a, *b))
        .map(|(_, p)| p.clone())
        .collect();
    if own.is_empty() { other.to_vec() } else { own }
}

/// The coordinates that were left out, and what else was found for them.
pub(super) fn positions(page: &mut Page, account: &Assembly) {
    if account.solved.is_empty() {
        return;
    }
    page.prose(2, &found(&account.solved, account.free));
    for other in account.others.iter().take(OTHERS) {
        let guess = other.guess.iter();
        let guess = joined(guess.map(|p| format!("{}: {}", p.name, p.value)));
        let told = differing(&account.solved, &other.values);
        let same = only_if(told.len() < other.values.len(), " and the rest as above");
        let values = values(&told);
        page.prose(
            4,
            &format!("also found: {values}{same}, from guess: {{{guess}}}"),
        );
    }
    if account.others.len() > OTHERS {
        let rest = count(account.others.len() - OTHERS, "more configuration");
        page.prose(4, &format!("and {rest} (--json has all)"));
    }
}

/// The velocities that were left out, where they are not all zero.
pub(super) fn velocities(page: &mut Page, account: &Assembly) {
    if shown(&account.solved_velocities).iter().all(|v| *v == 0.0) {
        return;
    }
    page.prose(
        2,
        &found(&account.solved_velocities, account.free_velocities),
    );
}
