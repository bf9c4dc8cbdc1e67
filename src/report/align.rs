//! Equations in LaTeX (amsmath), lined up at their signs where there is room for that, at their beginning
//! where not; long ones are broken into rows.

use super::text::linked;
use crate::expr::{Expr, Pool, Room, text_width};

/// Points of a line of text in `article` at ten points, less a little: widths are estimates.
const LINE: f64 = 330.0;
/// A sign of equality with its blanks.
const SIGN: f64 = 14.0;
/// `(mod )` with the blank before it.
const MOD: f64 = 45.0;
/// How far the rows after the first are moved in.
const QUAD: f64 = 10.0;
/// The least blank between an equation and its condition.
const GAP: f64 = 20.0;
/// What ends a row and begins the next of the same equation.
const BREAK: &str = " \\\\\n  &\\quad ";

/// `left = e = right`, where `condition`.
pub(super) struct Equation {
    /// Nothing where the expression itself stands on the left.
    pub left: Option<String>,
    /// The expression.
    pub e: Expr,
    /// What it equals besides.
    pub right: Option<String>,
    /// It repeats with this period.
    pub period: Option<String>,
    /// Where it holds.
    pub condition: Option<String>,
}

impl Equation {
    /// The width of what stands before the sign, and of what stands behind it.
    fn halves(&self, pool: &Pool) -> (f64, f64) {
        let e = pool.latex_width(self.e);
        let right = self.right.as_ref().map_or(0.0, |r| SIGN + text_width(r));
        let period = self.period.as_ref().map_or(0.0, |p| MOD + text_width(p));
        let right = right + period;
        match &self.left {
            Some(left) => (text_width(left), SIGN + e + right),
            None => (e, right),
        }
    }

    /// Its rows, lined up with those of the others at a sign that stands this far in, or at the
    /// beginning; its condition before it where that stands apart.
    fn text(&self, pool: &Pool, at_sign: Option<f64>, apart: bool) -> String {
        let own = self.left.as_ref().map_or(0.0, |l| text_width(l) + SIGN);
        // rows after the first begin a quad behind what they are lined up at
        let room = match at_sign {
            // it stands before the sign, and whole
            Some(_) if self.left.is_none() => Room {
                before: 0.0,
                width: LINE,
            },
            Some(sign) => Room {
                before: -QUAD,
                width: LINE - sign - SIGN - QUAD,
            },
            None => Room {
                before: own - QUAD,
                width: LINE - QUAD,
            },
        };
        let body = pool.latex_rows(self.e, room).join(BREAK);
        let (start, sign) = match at_sign {
            Some(_) => ("", "&="),
            None => ("&", "="),
        };
        let right = self.right.as_ref();
        let period = self.period.as_ref();
        let period = period.map_or(String::new(), |p| format!(" \\pmod{{{p}}}"));
        let equation = if let Some(left) = &self.left {
            let right = right.map_or(String::new(), |r| format!(" = {r}"));
            format!("{start}{left} {sign} {body}{right}{period}")
        } else {
            let right = right.map_or(String::new(), |r| format!(" {sign} {r}"));
            format!("{start}{body}{right}{period}")
        };
        match &self.condition {
            Some(condition) if apart => format!("&{condition} \\\\\n  {equation}"),
            Some(condition) => format!("{equation} && {condition}"),
            None => equation,
        }
    }
}

/// The equations as an `align*`; nothing where there is none.
pub(super) fn aligned(pool: &Pool, equations: &[Equation]) -> String {
    if equations.is_empty() {
        return String::new();
    }
    let halves: Vec<(f64, f64)> = equations.iter().map(|e| e.halves(pool)).collect();
    let widest = |of: fn(&(f64, f64)) -> f64| halves.iter().map(of).fold(0.0, f64::max);
    let (before, behind) = (widest(|h| h.0), widest(|h| h.1));
    // what stands behind the sign can be broken there, what stands before it cannot
    let nameless = equations.iter().filter(|e| e.left.is_none()).count();
    let at_sign = if nameless == 0 {
        before <= LINE / 4.0
    } else {
        // `L =` far to the right over `... = 0` would look lost
        nameless == equations.len() && before + behind <= LINE
    };
    let conditions = equations.iter().filter_map(|e| e.condition.as_ref());
    let condition = conditions.map(|c| text_width(c)).fold(0.0, f64::max);
    let apart = before + behind + GAP + condition > LINE;
    let rows = equations
        .iter()
        .map(|e| e.text(pool, at_sign.then_some(before), apart));
    let rows = linked(" \\\\\n  ", rows);
    format!("\\begin{{align*}}\n  {rows}\n\\end{{align*}}\n")
}
