//! Keys that a table of a file does not have, and what is meant by them.

use super::KEYS;
use super::conditions::RUN_KEYS;
use super::outputs::PICTURE_KEYS;
use crate::system::names::nearest;
use crate::system::quote;
use crate::system::schema::{Node, Scalar, Value};

/// The entries of a table.
type Entries<'n> = [(&'n Scalar, &'n Node)];

/// What other programs call the keys of a file, or of `run`.
const SYNONYMS: [(&str, &[&str]); 20] = [
    ("name", &["title"]),
    ("about", &["description", "comment", "note", "notes"]),
    (
        "coordinates",
        &["variables", "vars", "unknowns", "dof", "dofs", "q"],
    ),
    ("parameters", &["constants", "consts"]),
    ("define", &["definitions", "let", "where"]),
    ("lagrangian", &["lagrange", "L"]),
    ("kinetic", &["kinetic_energy"]),
    ("potential", &["potential_energy"]),
    ("objective", &["minimize", "minimise", "cost"]),
    ("bodies", &["body", "masses", "particles"]),
    ("constraints", &["holonomic", "holonomic_constraints"]),
    (
        "velocity_constraints",
        &["nonholonomic", "nonholonomic_constraints"],
    ),
    (
        "dissipation",
        &["rayleigh", "rayleigh_function", "dissipation_function"],
    ),
    ("forces", &["loads", "generalized_forces", "applied_forces"]),
    (
        "start",
        &[
            "initial",
            "initial_conditions",
            "initial_values",
            "initial_state",
            "init",
            "ic",
        ],
    ),
    (
        "run",
        &["time", "simulate", "simulation", "integrate", "integration"],
    ),
    (
        "until",
        &[
            "end", "t_end", "tend", "t_max", "tmax", "tf", "time", "duration",
        ],
    ),
    ("rtol", &["tol", "tolerance", "reltol"]),
    ("atol", &["abstol"]),
    ("method", &["solver", "integrator"]),
];

/// Names of energies that may be written as the Lagrangian's parts.
const ENERGIES: [&str; 6] = ["T", "V", "U", "K", "Ek", "Ep"];
/// What loses energy.
const LOSSES: [&str; 4] = ["friction", "damping", "damper", "dampers"];

/// What is meant by an unknown key.
pub struct Meant<'k> {
    /// The key that is meant, where its value may be that.
    pub key: Option<&'k str>,
    pub help: String,
}

/// What is meant by an entry of a table whose keys are known; `None` where nobody knows.
pub fn meant<'k>(
    (key, value): (&Scalar, &Node),
    entries: &Entries,
    known: &[&'k str],
) -> Option<Meant<'k>> {
    let name = key.value.as_str();
    let help = elsewhere(name, known).or_else(|| no_key(name, entries, known));
    if let Some(help) = help {
        return Some(Meant { key: None, help });
    }
    let meant = synonym(name, known).or_else(|| slip(name, known))?;
    if let ("run", Value::Scalar(scalar)) = (meant, &value.value)
        && !value.is_nothing()
    {
        let help = until(scalar);
        return Some(Meant { key: None, help });
    }
    Some(Meant {
        key: Some(meant),
        help: format!("did you mean `{meant}`?"),
    })
}

/// How to write the end of a motion.
pub fn until(value: &Scalar) -> String {
    format!("write `run: {{until: {}}}`", quote(&value.value))
}

/// What to do about the name of an energy that nobody declared.
pub fn energy(name: &str) -> Option<String> {
    ENERGIES.contains(&name).then(|| {
        format!("say what `{name}` is under `define`, or write `kinetic: …` and `potential: …` in place of `lagrangian`")
    })
}

/// The key that is called so elsewhere.
fn synonym<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    let name = name.replace([' ', '-'], "_");
    let mut own = SYNONYMS.iter().filter(|(key, _)| known.contains(key));
    let (meant, _) = own.find(|(_, others)| others.contains(&name.as_str()))?;
    known.iter().copied().find(|key| key == meant)
}

/// The key that an unknown one is a slip of, or short for: `params`.
fn slip<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    /// Fewer letters are short for nothing.
    const LETTERS: usize = 4;
    nearest(name, known.iter().copied()).or_else(|| {
        let stem = name.trim_end_matches('s');
        let mut long = known.iter().filter(|known| known.starts_with(stem));
        let first = long.next().filter(|_| stem.len() >= LETTERS)?;
        long.next().is_none().then_some(*first)
    })
}

/// What to do about a key of a table of the file that stands beside that table.
fn elsewhere(name: &str, known: &[&str]) -> Option<String> {
    let mut inner = [("run", &RUN_KEYS[..]), ("picture", &PICTURE_KEYS[..])].into_iter();
    let (table, _) = inner.find(|(_, keys)| known == KEYS && keys.contains(&name))?;
    Some(format!(
        "it belongs under `{table}`: `{table}: {{{name}: …}}`"
    ))
}

/// What to do about what has no key at all.
fn no_key(name: &str, entries: &Entries, known: &[&str]) -> Option<String> {
    if known == RUN_KEYS && ["dt", "step", "h"].contains(&name) {
        let help = "steps are chosen by `rtol` and `atol`; `samples: 1000` says how many times are printed";
        return Some(help.to_owned());
    }
    if known != KEYS {
        return None;
    }
    if ["units", "unit"].contains(&name) {
        let help =
            "there are no units: give all numbers in units that go together, such as kg, m and s";
        return Some(help.to_owned());
    }
    if LOSSES.contains(&name) {
        let is_list =
            |name: &str| name == "coordinates" || synonym(name, known) == Some("coordinates");
        let own = entries.iter().find(|(key, _)| is_list(&key.value));
        let first = match own.map(|(_, node)| &node.value) {
            Some(Value::Sequence(items)) => items.first(),
            _ => None,
        };
        let x = match first.map(|item| &item.value) {
            Some(Value::Scalar(name)) => quote(&name.value),
            _ => "x".to_owned(),
        };
        return Some(format!(
            "it is a force: `forces: {{{x}: -c*{x}'}}` is a damper, and so is `dissipation: 1/2*c*{x}'^2`"
        ));
    }
    ENERGIES
        .contains(&name)
        .then(|| format!("write `kinetic: …` and `potential: …`, or put `{name}` under `define`"))
}
