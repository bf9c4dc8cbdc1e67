//! What is said of a start: what was solved for, and other configurations.

use super::page::Page;
use super::{count, joined, number, some};
use crate::report::zero;
use crate::solver::{Assembly, Placed};

/// Values that are listed.
const VALUES: usize = 6;
/// Other configurations that are listed.
const OTHERS: usize = 3;

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

/// The coordinates that were left out, and what else was found for them.
pub(super) fn positions(page: &mut Page, account: &Assembly) {
    if account.solved.is_empty() {
        return;
    }
    let mut text = format!("start: found {}", values(&account.solved));
    if account.free > 0 {
        text = format!(
            "{text}, the nearest to the guess ({} of what was left out could be given)",
            account.free
        );
    }
    page.prose(2, &text);
    for other in account.others.iter().take(OTHERS) {
        let guess = other.guess.iter();
        let guess = joined(guess.map(|p| format!("{}: {}", p.name, p.value)));
        page.prose(
            4,
            &format!(
                "also found: {}, from guess: {{{guess}}}",
                values(&other.values)
            ),
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
    let mut text = format!("start: found {}", values(&account.solved_velocities));
    if account.free_velocities > 0 {
        text = format!(
            "{text}, the nearest to the guess ({} of what was left out could be given)",
            account.free_velocities
        );
    }
    page.prose(2, &text);
}
