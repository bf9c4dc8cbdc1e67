//! What `list` says.

use super::table::left;
use crate::system::{Builtin, sanitize};

/// Name, title and source of each system.
pub fn list_text(systems: &[Builtin]) -> String {
    let rows: Vec<Vec<String>> = systems
        .iter()
        .map(|s| {
            let source = s.source().unwrap_or_default();
            vec![s.name.to_owned(), sanitize(&s.title()), sanitize(&source)]
        })
        .collect();
    left(&rows).join("\n") + "\n"
}
