//! Slips of the sources where the handout comes to what they print.

use crate::analysis::Model;
use crate::expr::Expr;
use crate::report::formula::{Part, said, words};

/// The report's section 10 prints the Jacobian of its wire without the sign.
pub(super) fn of_jacobian(model: &Model, determinant: Option<Expr>) -> Vec<Part> {
    let source = model.system.source.as_deref().unwrap_or_default();
    let pool = &model.system.pool;
    let Some(first) = model.system.coordinates.first().map(|c| c.x) else {
        return Vec::new();
    };
    let ours = pool.mul(pool.number(-2), first);
    if !source.contains("6001, section 10") || determinant != Some(ours) {
        return Vec::new();
    }
    vec![
        words("The report prints it as "),
        said("2 x1", "2 x₁", "2 x_1"),
        words(" in its section 10: the derivative of "),
        said("x2 - x1^2", "x₂ - x₁²", "x_2 - x_1^2"),
        words(" has the sign that stands here. "),
    ]
}
