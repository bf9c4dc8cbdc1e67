//! Lists of things that are counted: the factors of a product with their powers.

use std::borrow::Cow;

/// Counts a thing so many times more; one that was not there is added at the end.
pub(super) fn tally<T: Clone + PartialEq>(
    counts: &mut Vec<(T, u32)>,
    thing: Cow<'_, T>,
    times: u32,
) {
    let own: &T = &thing;
    match counts.iter_mut().find(|(known, _)| known == own) {
        Some((_, count)) => *count += times,
        None => counts.push((thing.into_owned(), times)),
    }
}
