//! Numbers as they are read.

use crate::plot;

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

/// A number to its last digit, for an end that is proven.
pub fn exact(value: f64) -> String {
    if value == 0.0 || (1e-4..1e7).contains(&value.abs()) {
        value.to_string()
    } else {
        format!("{value:e}")
    }
}
