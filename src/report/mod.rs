//! What both faces say: the answers of [`crate::analysis`] as text for people, JSON and CSV.
//!
//! JSON names are those of the interface and do not change. Text puts the verdict first, lines up
//! its numbers and stays in ASCII, so that it can be piped anywhere.

mod check;
mod compare;
mod derive;
mod list;
mod motion;
mod table;

pub use check::{check_json, check_text};
pub use compare::{compare_json, compare_text};
pub use derive::{derive_json, derive_latex, derive_text};
pub use list::{list_json, list_text};
pub use motion::{flag_line, motion_csv, motion_json, motion_text};

use crate::analysis::Model;
use crate::expr::Expr;
use crate::plot;
use crate::system::sanitize;
use serde_json::{Map, Value, json};

/// A number for reading: six significant digits.
pub fn number(value: f64) -> String {
    if value.is_finite() {
        plot::number(value, 6)
    } else if value.is_nan() {
        "undefined".to_owned()
    } else {
        value.to_string()
    }
}

/// The title of a system, fit for a terminal.
pub fn title(model: &Model) -> String {
    sanitize(&model.system.name)
}

/// `(1, -0.5)`, a position.
pub fn place(x: &[f64]) -> String {
    let parts: Vec<String> = x.iter().map(|v| number(*v)).collect();
    format!("({})", parts.join(", "))
}

/// Coordinates and their values as a JSON object.
fn point(model: &Model, x: &[f64]) -> Value {
    let mut map = Map::new();
    for (name, value) in model.coordinate_names().iter().zip(x) {
        map.insert(name.clone(), json!(value));
    }
    Value::Object(map)
}

/// Names and expressions as a JSON object.
fn expressions<'a>(model: &Model, list: impl IntoIterator<Item = (&'a String, Expr)>) -> Value {
    let mut map = Map::new();
    for (name, e) in list {
        map.insert(name.clone(), json!(model.system.pool.print(e)));
    }
    Value::Object(map)
}
