//! The built-in systems: the objects of `list` and `show`.

use crate::system::{Builtin, sanitize};
use serde_json::{Map, Value, json};

/// The interface's `list` object.
pub fn list_json(systems: &[Builtin]) -> Value {
    json!({"systems": systems.iter().map(builtin).collect::<Vec<_>>()})
}

/// A built-in system with its file.
pub fn show_json(system: &Builtin) -> Value {
    let mut object = builtin(system);
    object["text"] = json!(system.text);
    object
}

fn builtin(system: &Builtin) -> Value {
    let mut map = Map::new();
    map.insert("name".to_owned(), json!(system.name));
    map.insert("title".to_owned(), json!(sanitize(&system.title())));
    let source = system.source().map(|source| sanitize(&source));
    map.insert("source".to_owned(), json!(source));
    map.insert("group".to_owned(), json!(system.group));
    map.insert("shows".to_owned(), json!(system.shows));
    Value::Object(map)
}
