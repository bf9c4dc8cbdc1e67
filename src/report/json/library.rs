//! The built-in systems: the objects of `list` and `show`.

use super::each;
use crate::system::{Builtin, sanitize};
use serde_json::{Value, json};

/// The interface's `list` object.
pub fn list_json(systems: &[Builtin]) -> Value {
    json!({"systems": each(systems, builtin)})
}

/// A built-in system with its file.
pub fn show_json(system: &Builtin) -> Value {
    let mut object = builtin(system);
    object["text"] = json!(system.text);
    object
}

fn builtin(system: &Builtin) -> Value {
    json!({
        "name": system.name,
        "title": sanitize(&system.title()),
        "source": system.source().map(|source| sanitize(&source)),
        "group": system.group,
        "shows": system.shows,
    })
}
