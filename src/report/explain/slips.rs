//! Slips of the sources where the handout comes to what they print.

use crate::analysis::Model;
use crate::expr::Expr;
use crate::report::formula::Part;
use crate::report::theory::told;

/// The report's section 10 prints the Jacobian of its wire without the sign.
pub(super) fn of_jacobian(model: &Model, determinant: Option<Expr>) -> Vec<Part> {
    let system = &model.system;
    let source = system.source.as_deref().unwrap_or_default();
    let pool = &system.pool;
    let (Some(first), Some(constraint)) = (system.coordinates.first(), system.constraints.first())
    else {
        return Vec::new();
    };
    let ours = pool.mul(pool.number(-2), first.x);
    if !source.contains("6001, section 10") || determinant != Some(ours) {
        return Vec::new();
    }
    told(
        "The report prints it as {} in its section 10: the derivative of {} has the sign that stands here. ",
        [pool.neg(ours), constraint.f].map(Part::Math),
    )
}
