//! What the commands print as JSON is what `docs/schema.json` says: every name told, none missing.

#![allow(clippy::unwrap_used, clippy::panic)]

use assert_cmd::Command;
use holonom::system::builtin;
use serde_json::Value;
use std::collections::BTreeMap;

/// What a value breaks of a schema, by place. These are the words of JSON Schema that ours uses; a library for all of
/// them brings fifty others.
fn broken(root: &Value, schema: &Value, value: &Value, place: &str, found: &mut Vec<String>) {
    if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
        let target = root.pointer(&name[1..]).unwrap();
        return broken(root, target, value, place, found);
    }
    if let Some(options) = schema.get("anyOf").and_then(Value::as_array) {
        let tries: Vec<Vec<String>> = options
            .iter()
            .map(|option| {
                let mut own = Vec::new();
                broken(root, option, value, place, &mut own);
                own
            })
            .collect();
        if !tries.iter().any(Vec::is_empty) {
            found.extend(tries.into_iter().next().unwrap());
        }
        return;
    }
    let one_of = |list: &Value| list.as_array().unwrap().contains(value);
    if schema.get("enum").is_some_and(|list| !one_of(list))
        || schema.get("const").is_some_and(|one| one != value)
    {
        found.push(format!("{place} is {value}"));
    }
    let is = |name: &str| match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("no type {other}"),
    };
    let fits = match schema.get("type") {
        None => true,
        Some(Value::String(name)) => is(name),
        Some(names) => names
            .as_array()
            .unwrap()
            .iter()
            .any(|n| is(n.as_str().unwrap())),
    };
    if !fits {
        found.push(format!("{place} is {value}"));
        return;
    }
    match value {
        Value::Object(object) => {
            for name in schema
                .get("required")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
            {
                if !object.contains_key(name.as_str().unwrap()) {
                    found.push(format!("{place} has no {name}"));
                }
            }
            for (name, inner) in object {
                let place = format!("{place}.{name}");
                match (
                    schema.pointer(&format!("/properties/{name}")),
                    schema.get("additionalProperties"),
                ) {
                    (Some(own), _) => broken(root, own, inner, &place, found),
                    (None, Some(Value::Bool(false))) => found.push(format!("{place} is not told")),
                    (None, Some(all)) => broken(root, all, inner, &place, found),
                    (None, None) => {}
                }
            }
        }
        Value::Array(list) => {
            let bound = |name: &str| schema.get(name).and_then(Value::as_u64);
            if bound("minItems").is_some_and(|n| (list.len() as u64) < n)
                || bound("maxItems").is_some_and(|n| list.len() as u64 > n)
            {
                found.push(format!("{place} has {} items", list.len()));
            }
            for inner in list {
                if let Some(items) = schema.get("items") {
                    broken(root, items, inner, &format!("{place}[]"), found);
                }
            }
        }
        _ => {}
    }
}

/// A command, and what comes behind the system.
const COMMANDS: [&str; 20] = [
    "check",
    "derive",
    "derive --statics",
    "derive --solve",
    "inverse",
    "atlas",
    "map",
    "map --levels",
    "equilibria",
    "equilibria --linearise",
    "verify",
    "compare --until 1",
    "simulate --until 1 --samples 9",
    "simulate --until 1 --samples 9 --stiff",
    "simulate --until 1 --samples 9 --hold-chart",
    "simulate --until 1e300 --samples 3",
    "plot --until 1",
    "vary --until 0.3 --samples 60",
    "continue --over g=5:10",
    "continue --over g=5:10 --certify",
];

/// Commands that are asked of every system.
const QUICK: [&str; 4] = ["check", "derive", "inverse", "verify"];

const SYSTEMS: [&str; 10] = [
    "bead_on_parabola",
    "rotating_rod",
    "ladder",
    "hemisphere",
    "knife_edge",
    "minimum_on_surface",
    "rotating_hoop",
    "hoop_radius_freed",
    "four_bar",
    "bead_on_wire",
];

/// What `holonom schema COMMAND` prints.
fn printed(command: &str) -> Value {
    let output = Command::cargo_bin("holonom")
        .unwrap()
        .args(["schema", command])
        .output()
        .unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn json_is_as_the_schema_tells_it() {
    let mut lines: Vec<String> = vec![
        "list".into(),
        "show pendulum".into(),
        "check bead_on_parabola --at x1=0,x2=0".into(),
        "check bead_on_parabola --at x1=1,x2=7".into(),
        "derive andrews".into(),
    ];
    for system in SYSTEMS {
        for line in COMMANDS {
            let (command, rest) = line.split_once(' ').unwrap_or((line, ""));
            lines.push(format!("{command} {system} {rest}"));
        }
    }
    let others = builtin().iter().filter(|b| !SYSTEMS.contains(&b.name));
    for other in others {
        lines.extend(QUICK.map(|command| format!("{command} {}", other.name)));
    }
    assert!(are_told(&lines) > 200);
}

#[test]
#[ignore = "every command on every built-in system: minutes"]
fn json_of_all_systems_is_as_the_schema_tells_it() {
    let mut lines: Vec<String> = Vec::new();
    for system in builtin() {
        for line in COMMANDS {
            let (command, rest) = line.split_once(' ').unwrap_or((line, ""));
            lines.push(format!("{command} {} {rest}", system.name));
        }
    }
    assert!(are_told(&lines) > 400);
}

/// How many of some commands print what the schema of their command tells.
fn are_told(lines: &[String]) -> usize {
    let mut schemas: BTreeMap<&str, Value> = BTreeMap::new();
    let mut looked_at = 0;
    for line in lines {
        let output = Command::cargo_bin("holonom")
            .unwrap()
            .args(line.split_whitespace())
            .arg("--json")
            .output()
            .unwrap();
        if output.status.code() == Some(2) {
            assert!(output.stdout.is_empty(), "{line}");
            continue;
        }
        let value: Value = serde_json::from_slice(&output.stdout).unwrap();
        let command = line.split(' ').next().unwrap();
        let mut found = Vec::new();
        let schema = schemas.entry(command).or_insert_with(|| printed(command));
        broken(schema, schema, &value, command, &mut found);
        found.dedup();
        assert!(found.is_empty(), "{line}: {found:#?}");
        looked_at += 1;
    }
    looked_at
}

/// What no built-in system has: damped and gyroscopic modes, and what is too long to write out.
#[test]
fn json_of_what_is_rare_is_as_the_schema_tells_it() {
    let links = 12;
    let names = |what: &str| {
        (1..=links)
            .map(|i| format!("{what}{i}"))
            .collect::<Vec<_>>()
    };
    let (x, y) = (names("x"), names("y"));
    let of_all =
        |one: &dyn Fn(usize) -> String, by: &str| (0..links).map(one).collect::<Vec<_>>().join(by);
    let before = |list: &[String], i: usize| {
        if i == 0 {
            "0".to_owned()
        } else {
            list[i - 1].clone()
        }
    };
    let chain = format!(
        "coordinates: [{}, {}]\nlagrangian: 1/2*({}) - 9.81*({})\nconstraints:\n{}\nstart: {{{}}}\nguess: {{{}}}\n",
        x.join(", "),
        y.join(", "),
        of_all(&|i| format!("{}'^2 + {}'^2", x[i], y[i]), " + "),
        y.join(" + "),
        of_all(
            &|i| format!(
                "  k{i}: ({} - {})^2 + ({} - {})^2 = 1",
                x[i],
                before(&x, i),
                y[i],
                before(&y, i)
            ),
            "\n"
        ),
        of_all(&|i| format!("{}: {}", x[i], 0.8 * (i + 1) as f64), ", "),
        of_all(&|i| format!("{}: {}", y[i], -0.6 * (i + 1) as f64), ", "),
    );
    let damped = "coordinates: [th]\nlagrangian: th'^2/2 + cos(th)\nforces: {th: -th'/5}\n";
    let folder = std::env::temp_dir().join(format!("holonom-schema-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut lines = Vec::new();
    // a determinant that is too large to be written out, on a motion that meets a singular configuration
    let cranks = "coordinates: [a, b, c, X, Y, p]\nlagrangian: 1/2*(a'^2 + b'^2 + c'^2 + X'^2 + Y'^2 + p'^2) - Y\n\
        constraints:\n  x1: cos(a) = X\n  y1: sin(a) = Y\n  x2: 2 + cos(b) = X + 2*cos(p)\n  y2: sin(b) = Y + 2*sin(p)\n  \
        x3: 4 + cos(c) = X + 4*cos(p)\n  y3: sin(c) = Y + 4*sin(p)\nstart: {a: 1, b: 1, c: 1, p: 0, a': 0}\nrun: {until: 1}\n";
    let cone = "coordinates: [x, y]\nlagrangian: x'^2 + y'^2\nconstraints: {cone: sqrt(x^2) = y}\nstart: {x: 0}\n";
    for (name, text, commands) in [
        ("damped.yaml", damped, &["equilibria"][..]),
        ("cranks.yaml", cranks, &["simulate"]),
        ("cone.yaml", cone, &["check"]),
        ("chain.yaml", &chain, &["derive", "inverse", "check"]),
    ] {
        let file = folder.join(name);
        std::fs::write(&file, text).unwrap();
        lines.extend(
            commands
                .iter()
                .map(|command| format!("{command} {}", file.display())),
        );
    }
    let claims = [
        "atlas pendulum --assert covers",
        "equilibria pendulum --assert count=3",
        "simulate pendulum --assert max(y)<2",
    ];
    lines.extend(claims.map(str::to_owned));
    assert_eq!(are_told(&lines), lines.len());
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn ranges_and_branches_are_as_the_schema_tells_them() {
    for (line, name) in [
        (
            "check slider_crank --dependent phi,x --box a=1:1.4",
            "design",
        ),
        (
            "map slider_crank --dependent phi,x --x a --y l --size 8x4",
            "design",
        ),
        ("map slider_crank --x a --y theta --size 8x4", "map"),
        ("atlas slider_crank --box a=0.4:1.1", "atlas"),
        ("atlas slider_crank --along theta=0:2*pi", "branches"),
        ("atlas four_bar --along a=0:2*pi", "branches"),
    ] {
        let output = Command::cargo_bin("holonom")
            .unwrap()
            .args(line.split(' '))
            .arg("--json")
            .output()
            .unwrap();
        let value: Value = serde_json::from_slice(&output.stdout).unwrap();
        let mut found = Vec::new();
        let root = printed(line.split(' ').next().unwrap());
        let schema = root.pointer(&format!("/$defs/{name}")).unwrap();
        broken(&root, schema, &value, name, &mut found);
        assert!(found.is_empty(), "{line}: {found:#?}");
    }
}

#[test]
fn a_line_of_a_sweep_is_as_the_schema_tells_it() {
    let root = printed("sweep");
    let schema = root.pointer("/$defs/sweep").unwrap();
    let line = "sweep pendulum --over l=1,0 --report max(x),when(x=5,y) --until 1 --json";
    let output = Command::cargo_bin("holonom")
        .unwrap()
        .args(line.split(' '))
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().count(), 2, "{text}");
    for line in text.lines() {
        let mut found = Vec::new();
        let value: Value = serde_json::from_str(line).unwrap();
        broken(&root, schema, &value, "sweep", &mut found);
        assert!(found.is_empty(), "{line}: {found:#?}");
    }
}

#[test]
fn a_command_without_json_is_said() {
    let said = |command: &str| {
        let mut program = Command::cargo_bin("holonom").unwrap();
        let output = program.args(["schema", command]).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(said("chek").contains("did you mean `check`?"));
    assert!(said("gather").contains("`gather` prints no JSON"));
}
