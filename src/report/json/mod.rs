//! The interface's JSON objects. Numbers that are not finite are `null`; no control character leaves unescaped.
//!
//! Where the multipliers of `derive` would be too long in closed form, or a block of J_D is too large to
//! solve in symbols, `multipliers` and `reduced` are `null` and two keys are added:
//! `multipliers_recursive` lists the blocks of J_D^T lambda = E_D in the order of solution, each with its
//! `constraints`, its `coordinates`, its `multipliers` in the `lambda_NAME` of blocks before (`null` where
//! the block is too large), and its `equations`, zero along every motion; `reduced_recursive` has the
//! equations of the independent coordinates in all `lambda_NAME`.

mod compare;
mod derive;
mod inverse;
mod library;
mod motion;
mod theorem;
mod verify;

pub(super) use compare::column_name;
pub use compare::compare_json;
pub use derive::derive_json;
pub use inverse::inverse_json;
pub use library::{list_json, show_json};
pub(super) use motion::flags;
pub use motion::write_motion_json;
pub use theorem::check_json;
pub use verify::verify_json;

use crate::analysis::Model;
use crate::expr::{Expr, Extent, Interval};
use nalgebra::DMatrix;
use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter};
use serde_json::{Serializer, Value, json};
use std::borrow::Borrow;
use std::io::{self, Write};

/// The version of what `docs/schema.json` says of every object.
const SCHEMA: u32 = 1;

/// An object that says which version of the schema it keeps.
#[derive(Serialize)]
struct Versioned<'a, T: Serialize> {
    #[serde(flatten)]
    object: &'a T,
    schema: u32,
}

/// Writes one object, with the version of its schema, and a line end.
pub fn write_json(out: &mut dyn Write, object: &impl Serialize) -> io::Result<()> {
    let schema = SCHEMA;
    let versioned = Versioned { object, schema };
    versioned.serialize(&mut Serializer::with_formatter(&mut *out, Escaped))?;
    out.write_all(b"\n")
}

/// Compact JSON in which the control characters beyond ASCII are escaped as well.
struct Escaped;

impl Formatter for Escaped {
    fn write_string_fragment<W>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()>
    where
        W: ?Sized + Write,
    {
        let mut rest = fragment;
        while let Some((at, c)) = rest.char_indices().find(|(_, c)| c.is_control()) {
            CompactFormatter.write_string_fragment(writer, &rest[..at])?;
            write!(writer, "\\u{:04x}", u32::from(c))?;
            rest = &rest[at + c.len_utf8()..];
        }
        CompactFormatter.write_string_fragment(writer, rest)
    }
}

/// An object of these entries.
pub(super) fn object<V: Serialize>(entries: impl IntoIterator<Item = (impl ToString, V)>) -> Value {
    let entries = entries.into_iter();
    let entries = entries.map(|(name, value)| (name.to_string(), json!(value)));
    Value::Object(entries.collect())
}

/// Values by name.
pub(super) fn by_name<V: Serialize>(
    names: impl IntoIterator<Item = impl ToString>,
    values: impl IntoIterator<Item = V>,
) -> Value {
    object(names.into_iter().zip(values))
}

/// Coordinates and their values.
pub(super) fn point_json(model: &Model, x: &[f64]) -> Value {
    by_name(model.coordinate_names(), x)
}

/// Expressions by name.
pub(super) fn expressions(
    model: &Model,
    names: impl IntoIterator<Item = impl ToString>,
    list: impl IntoIterator<Item = impl Borrow<Expr>>,
) -> Value {
    let pool = &model.system.pool;
    by_name(names, list.into_iter().map(|e| pool.print(*e.borrow())))
}

/// A list of what is told of each.
pub(super) fn each<T, V: Into<Value>>(
    list: impl IntoIterator<Item = T>,
    entry: impl FnMut(T) -> V,
) -> Value {
    list.into_iter().map(entry).collect()
}

/// The rows of a matrix.
pub(super) fn matrix(matrix: &DMatrix<f64>) -> Value {
    each(matrix.row_iter(), |row| {
        row.iter().copied().collect::<Vec<f64>>()
    })
}

/// The ends of an interval.
pub(super) fn ends(side: &Interval) -> [f64; 2] {
    [side.lo, side.hi]
}

/// `"extent": "cut_short"` where the effort for a question did not suffice.
fn tell_extent(object: &mut Value, list: &[Extent]) {
    if list.contains(&Extent::CutShort) {
        object["extent"] = json!("cut_short");
    }
}

pub(super) fn printed(model: &Model, list: &[Expr]) -> Vec<String> {
    list.iter().map(|e| model.system.pool.print(*e)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped_and_numbers_that_are_not_finite_are_null() {
        let mut out = Vec::new();
        let value = json!({"a\u{9b}b": "\u{85}\u{1b}\u{7f}é", "v": f64::NAN});
        write_json(&mut out, &value).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(
            text,
            "{\"a\\u009bb\":\"\\u0085\\u001b\\u007fé\",\"v\":null,\"schema\":1}\n"
        );
        let back: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(back["a\u{9b}b"], "\u{85}\u{1b}\u{7f}é");
    }
}
