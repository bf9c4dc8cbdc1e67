//! `holonom schema`.

use super::{CommandError, print_json, print_text};
use crate::system::{nearest, quote};
use clap::Args;
use serde_json::{Map, Value, json};

/// What all commands print.
const SCHEMA: &str = include_str!("../../docs/schema.json");

/// Commands that print other objects beside their own.
const OTHERS: [(&str, &str); 3] = [
    ("check", "design"),
    ("map", "design"),
    ("atlas", "branches"),
];

/// Options of `schema`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  holonom schema check > check.schema.json
  holonom schema > holonom.schema.json")]
pub struct SchemaArgs {
    /// The command whose --json is described; without it all of them
    pub command: Option<String>,
}

/// The JSON schema of what a command prints.
pub fn schema(args: &SchemaArgs) -> Result<u8, CommandError> {
    let Some(command) = &args.command else {
        print_text(SCHEMA)?;
        return Ok(0);
    };
    let all: Value = serde_json::from_str(SCHEMA).unwrap_or_default();
    let mut known: Vec<&str> = Vec::new();
    for reference in all["anyOf"].as_array().into_iter().flatten() {
        known.extend(target(reference));
    }
    let commands = super::Command::names();
    known.retain(|name| commands.iter().any(|own| own == name));
    if !known.contains(&command.as_str()) {
        let why = match nearest(command, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("those that do are {}", known.join(", ")),
        };
        return Err(CommandError::option(
            "schema",
            format!("`{}` prints no JSON; {why}", quote(command)),
        ));
    }
    let others = OTHERS.iter().filter(|(of, _)| of == command);
    let forms = std::iter::once(command.as_str()).chain(others.map(|(_, name)| *name));
    let forms: Vec<Value> = forms
        .map(|name| json!({ "$ref": format!("#/$defs/{name}") }))
        .collect();
    let mut needed = Map::new();
    for form in &forms {
        gather(&all, form, &mut needed);
    }
    print_json(&json!({
        "$schema": all["$schema"],
        "title": format!("What `holonom {command} --json` prints"),
        "description": all["description"],
        "anyOf": forms,
        "$defs": needed,
    }))?;
    Ok(0)
}

/// The name that a reference is to.
fn target(value: &Value) -> Option<&str> {
    value.get("$ref")?.as_str()?.strip_prefix("#/$defs/")
}

/// All definitions that a schema refers to.
fn gather(all: &Value, schema: &Value, needed: &mut Map<String, Value>) {
    if let Some(name) = target(schema).filter(|name| !needed.contains_key(*name)) {
        let definition = &all["$defs"][name];
        needed.insert(name.to_owned(), definition.clone());
        gather(all, definition, needed);
    }
    match schema {
        Value::Array(list) => list.iter().for_each(|inner| gather(all, inner, needed)),
        Value::Object(object) => object.values().for_each(|inner| gather(all, inner, needed)),
        _ => {}
    }
}
