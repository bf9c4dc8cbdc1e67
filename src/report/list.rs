//! What `list` says.

use super::table::left;
use crate::system::{Builtin, sanitize};
use serde_json::{Value, json};

/// The interface's `list` object.
pub fn list_json(systems: &[Builtin]) -> Value {
    let list: Vec<Value> = systems
        .iter()
        .map(|s| {
            json!({
                "name": s.name,
                "title": sanitize(&s.title()),
                "source": s.source().map(|source| sanitize(&source)),
            })
        })
        .collect();
    json!({"systems": list})
}

/// `list` as text: name, title, source.
pub fn list_text(systems: &[Builtin]) -> String {
    let rows: Vec<Vec<String>> = systems
        .iter()
        .map(|s| {
            vec![
                s.name.to_string(),
                sanitize(&s.title()),
                s.source()
                    .map(|source| sanitize(&source))
                    .unwrap_or_default(),
            ]
        })
        .collect();
    left(&rows).join("\n") + "\n"
}
