//! Equations in LaTeX (amsmath), lined up at their signs; long ones are broken before a `+` or `-`.

use crate::expr::{Expr, Pool};

/// About how many letters a row holds.
const WIDTH: usize = 72;

/// `left = e = right`, where `condition`.
pub(super) struct Equation {
    /// Nothing where the expression itself stands on the left.
    pub left: Option<String>,
    /// The rows of the expression.
    pub rows: Vec<String>,
    /// What it equals besides.
    pub right: Option<String>,
    /// What stands behind.
    pub condition: Option<String>,
}

impl Equation {
    /// An expression alone.
    pub fn alone(pool: &Pool, e: Expr) -> Self {
        Self {
            left: None,
            rows: pool.latex_rows(e, WIDTH),
            right: None,
            condition: None,
        }
    }

    /// Its rows, lined up with those of the others at the sign, or at the beginning.
    fn text(&self, at_beginning: bool) -> String {
        let body = self.rows.join(" \\\\\n  &\\quad ");
        let start = if at_beginning { "&" } else { "" };
        let sign = if at_beginning { "=" } else { "&=" };
        let right = self.right.as_ref();
        let condition = self.condition.as_ref();
        let condition = condition.map_or(String::new(), |c| format!(" && {c}"));
        let Some(left) = &self.left else {
            let right = right.map_or(String::new(), |r| format!(" {sign} {r}"));
            return format!("{start}{body}{right}{condition}");
        };
        let right = right.map_or(String::new(), |r| format!(" = {r}"));
        format!("{start}{left} {sign} {body}{right}{condition}")
    }
}

/// The equations as an `align*`; nothing where there is none. Where one is broken on the left of its
/// sign all line up at their beginning.
pub(super) fn aligned(equations: &[Equation]) -> String {
    if equations.is_empty() {
        return String::new();
    }
    let at_beginning = equations
        .iter()
        .any(|e| e.left.is_none() && e.rows.len() > 1);
    let rows: Vec<String> = equations.iter().map(|e| e.text(at_beginning)).collect();
    format!(
        "\\begin{{align*}}\n  {}\n\\end{{align*}}\n",
        rows.join(" \\\\\n  ")
    )
}
