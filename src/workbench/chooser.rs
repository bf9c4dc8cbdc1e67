//! What of the chooser of systems is shown.

use super::state::Entry;

/// The entries whose name or title contains every word of `text`, whatever the case.
pub fn shown<'a>(entries: &'a [Entry], text: &str) -> Vec<&'a Entry> {
    let text = text.to_lowercase();
    let found = |entry: &&Entry| {
        let names = format!("{} {}", entry.name, entry.title).to_lowercase();
        text.split_whitespace().all(|word| names.contains(word))
    };
    entries.iter().filter(found).collect()
}

/// The place among all entries of the one that is number `chosen` of those shown.
pub fn place(entries: &[Entry], text: &str, chosen: usize) -> Option<usize> {
    let entry = *shown(entries, text).get(chosen)?;
    entries.iter().position(|other| std::ptr::eq(other, entry))
}
