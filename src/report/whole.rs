//! The map F as a whole, the derivatives of its inverse, and all equations together: sections 4 to 6 of the report.

use super::forms::form;
use super::formula::{Form, Formula, Grid, Left, Part, styled};
use super::text::{joined, only_if};
use super::theory::told;
use crate::analysis::{Derived, Model};
use crate::expr::{Expr, Style};
use crate::mechanics::MapF;
use crate::theorem::SymbolicDeterminant;

/// More coordinates than this make a matrix that nobody reads.
const MOST: usize = 9;

/// The Jacobian of F, and its determinant in one step from det J_D.
pub(super) fn map(model: &Model, derived: &Derived) -> Option<Form> {
    let d = &derived.derivation;
    let system = &model.system;
    if system.coordinates.len() > MOST || d.dependent.len() != system.constraints.len() {
        return None;
    }
    let map = MapF::new(system, &model.equations, d);
    let list = model.system.positions_of(&d.dependent);
    let sign = if map.sign < 0 { "-" } else { "" };
    let step = styled(|style| {
        let names = joined(list.iter().map(|e| system.pool.print_as(*e, style)));
        match style {
            Style::Latex => format!("\\det dF = {sign}\\det J_{{{names}}}"),
            _ => format!("det dF = {sign}det J[{names}]"),
        }
    });
    let det = SymbolicDeterminant::new(system, &model.equations, &d.dependent);
    let formulas = det
        .whole
        .map(|whole| Formula::new(Left::Determinant(list), whole));
    let matrix = Part::Matrix(Grid {
        head: "dF",
        rows: map.rows,
        columns: map.columns,
        cells: map.jacobian,
    });
    let text = "The rows of $x_I$ and $t$ have a single 1 each; expanded along them, {}:{}";
    Some(Form::new(
        "Jacobian of $F = (f, x_I, t)$",
        told(text, [step, matrix]),
        formulas.into_iter().collect(),
    ))
}

/// dg/dy, dg/dx_I and, where constraints depend on it, dg/dt.
pub(super) fn derivatives(model: &Model, derived: &Derived) -> Form {
    let d = &derived.derivation;
    let system = &model.system;
    let pool = &system.pool;
    let x = |k: usize| system.coordinates[k].x;
    let mut formulas = Vec::new();
    let by_levels = d.by_levels(system, &model.equations);
    let by_independent = d.displacements.as_ref();
    let levels: Vec<Expr> = system.constraints.iter().map(|c| c.level).collect();
    let independent = model.system.positions_of(&d.independent);
    let tables = [
        (by_levels, &levels),
        (
            by_independent.filter(|_| derived.inverse.exists()),
            &independent,
        ),
    ];
    for (rows, by) in tables {
        for (&a, row) in d.dependent.iter().zip(rows.into_iter().flatten()) {
            for (&by, &e) in by.iter().zip(row).filter(|(_, e)| **e != pool.zero()) {
                formulas.push(Formula::new(Left::Partial(x(a), by), e));
            }
        }
    }
    if let Some(rows) = by_levels.filter(|_| model.rheonomic()) {
        for (&a, row) in d.dependent.iter().zip(rows) {
            let terms = row.iter().zip(&model.equations.f_t);
            let sum = pool.sum(terms.map(|(&g, &f_t)| pool.neg(pool.mul(g, f_t))));
            let e = crate::mechanics::readable(pool, sum);
            if e != pool.zero() {
                formulas.push(Formula::new(Left::Partial(x(a), system.t), e));
            }
        }
    }
    form(
        "Derivatives of g: $∂g/∂y = J_D⁻¹$, $∂g/∂x_I = -J_D⁻¹ J_I$",
        formulas,
    )
}

/// The equations of the multipliers and those of the independent coordinates as one system.
pub(super) fn together(model: &Model, derived: &Derived) -> Form {
    let system = &model.system;
    let list = derived
        .derivation
        .together(system, &model.equations)
        .unwrap_or_default();
    let formulas = list
        .iter()
        .map(|own| Formula::new(Left::Nothing, own.sum).equal(own.equals));
    let rolls = !system.velocity_constraints.is_empty();
    let less = only_if(rolls, "; E less the forces of the velocity constraints");
    let text = format!(
        "Row by row, $Σ_k E_k ∂x_k/∂z$ is $λ_b$ for $z = y_b$ (eq. 4), and 0 for $z = x_j$ independent (eq. 2), at $y = c${less}."
    );
    let name = "All equations together (eq. 5)";
    Form::new(name, told(&text, []), formulas.collect())
}
