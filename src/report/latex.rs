//! The equations as LaTeX (amsmath), one `align*` a group. Long equations are broken before a `+` or `-`.

use crate::analysis::{Derived, Model, condition_text};
use crate::expr::{Expr, Pool, Style};
use std::fmt::Write;

/// About how many letters a row holds.
const WIDTH: usize = 72;

/// An equation to be set: `left &= right`, or `expression &= 0`.
struct Equation {
    /// Before the sign that the rows line up at; nothing where the expression itself stands there.
    left: String,
    rows: Vec<String>,
    /// What stands behind.
    tail: String,
}

impl Equation {
    fn new(pool: &Pool, left: String, right: Expr) -> Self {
        Self {
            left,
            rows: pool.latex_rows(right, WIDTH),
            tail: String::new(),
        }
    }

    fn zero(pool: &Pool, e: Expr) -> Self {
        Self::equal(pool, e, "0")
    }

    fn equal(pool: &Pool, e: Expr, right: &str) -> Self {
        Self {
            left: String::new(),
            rows: pool.latex_rows(e, WIDTH),
            tail: right.to_owned(),
        }
    }

    /// The rows, lined up with those of the others: at their sign, or, where one of the group is broken
    /// on the left of it, at their beginning.
    fn lines(&self, at_beginning: bool) -> String {
        let body = self.rows.join(" \\\\\n  &\\quad ");
        match (self.left.is_empty(), at_beginning) {
            (true, true) => format!("&{body} = {}", self.tail),
            (true, false) => format!("{body} &= {}", self.tail),
            (false, true) => format!("&{} = {body}{}", self.left, self.tail),
            (false, false) => format!("{} &= {body}{}", self.left, self.tail),
        }
    }
}

/// `derive --latex`.
pub fn derive_latex(model: &Model, derived: &Derived) -> String {
    let system = &model.system;
    let pool = &system.pool;
    let tex = |e: Expr| pool.print_as(e, Style::Latex);
    let zero = |list: &[Expr]| list.iter().map(|e| Equation::zero(pool, *e)).collect();
    let multipliers = |list: &[Expr]| -> Vec<Equation> {
        system
            .constraints
            .iter()
            .zip(list)
            .map(|(c, e)| Equation::new(pool, tex(c.multiplier), *e))
            .collect()
    };
    let mut out = String::new();
    let mut group = |title: &str, equations: Vec<Equation>| {
        if equations.is_empty() {
            return;
        }
        let at_beginning = equations
            .iter()
            .any(|e| e.left.is_empty() && e.rows.len() > 1);
        let lines: Vec<String> = equations.iter().map(|e| e.lines(at_beginning)).collect();
        let _ = writeln!(
            out,
            "% {title}\n\\begin{{align*}}\n  {}\n\\end{{align*}}",
            lines.join(" \\\\\n  ")
        );
    };
    group(
        "Lagrangian",
        vec![Equation::new(pool, "L".to_owned(), system.lagrangian)],
    );
    group(
        "Constraints",
        system
            .constraints
            .iter()
            .map(|c| Equation::equal(pool, c.f, &tex(c.c)))
            .collect(),
    );
    group("Usual form", zero(&derived.standard));
    if let Some(list) = &derived.derivation.multipliers {
        group("Multipliers", multipliers(list));
    }
    if let Some(list) = &derived.derivation.reduced
        && !system.constraints.is_empty()
    {
        group("Reduced equations", zero(list));
    }
    for b in derived.inverse.branches() {
        let condition = condition_text(system, &b.conditions, Style::Latex);
        let lines = derived
            .derivation
            .dependent
            .iter()
            .zip(&b.functions)
            .map(|(&k, &g)| {
                let mut equation = Equation::new(pool, tex(system.coordinates[k].x), g);
                if !b.conditions.is_empty() {
                    equation.tail = format!(" && {condition}");
                }
                equation
            })
            .collect();
        group("Inverse functions", lines);
    }
    for b in derived.in_branches.iter().flatten() {
        if system.constraints.is_empty() {
            break;
        }
        let mut lines: Vec<Equation> = zero(&b.equations);
        lines.extend(multipliers(&b.multipliers));
        let title = if b.conditions.is_empty() {
            "In the independent coordinates alone".to_owned()
        } else {
            format!(
                "In the independent coordinates alone, where {}",
                condition_text(system, &b.conditions, Style::Plain)
            )
        };
        group(&title, lines);
    }
    group(
        "Energy",
        vec![Equation::new(pool, "H".to_owned(), model.equations.energy)],
    );
    out
}
