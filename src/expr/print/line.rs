//! A formula on one line, [`Style::Plain`] or [`Style::Pretty`].

use super::Style;
use super::tree::{Fence, Tree};
use crate::expr::function::Function;

/// The text of a formula whose parentheses are those of one line.
pub(super) fn text(tree: &Tree, style: Style) -> String {
    let mut line = Line {
        out: String::new(),
        style,
    };
    line.write(tree);
    line.out
}

/// A whole exponent as superscript digits, where it has few.
pub(super) fn superscript(exponent: &str) -> Option<String> {
    let digits = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    if exponent.len() > 3 {
        return None;
    }
    let raised = exponent.chars().map(|c| match c {
        '-' => Some('⁻'),
        _ => c.to_digit(10).and_then(|d| digits.get(d as usize).copied()),
    });
    raised.collect()
}

/// The name of a function with its exponent.
pub(super) fn called(function: Function, exponent: Option<&str>) -> String {
    let raised = exponent.map(|n| superscript(n).unwrap_or_else(|| format!("^{n}")));
    format!("{}{}", function.name(), raised.unwrap_or_default())
}

/// `2.5·10⁻¹²`.
pub(super) fn scientific(digits: &str, exponent: &str) -> String {
    superscript(exponent).map_or_else(
        || format!("{digits}e{exponent}"),
        |raised| format!("{digits}·10{raised}"),
    )
}

/// What stands between two factors: a blank, or a dot where `√x y` or `2 3²` could be misread.
pub(super) fn between(left: &Tree, right: &Tree) -> &'static str {
    let open_root = |tree: &Tree| matches!(tree, Tree::Root(inside) if bare(inside));
    if open_root(left) || begins_with_digit(right) {
        "·"
    } else {
        " "
    }
}

/// Does a formula begin with a digit?
pub(super) fn begins_with_digit(tree: &Tree) -> bool {
    match tree {
        Tree::Text(text) => text.starts_with(|c: char| c.is_ascii_digit()),
        Tree::Scientific(..) => true,
        Tree::Power(base, _) => begins_with_digit(base),
        Tree::Row(list) => list.first().is_some_and(begins_with_digit),
        _ => false,
    }
}

/// Is a root of this written `√x`, without parentheses?
pub(super) fn bare(inside: &Tree) -> bool {
    matches!(inside, Tree::Text(_))
}

struct Line {
    out: String,
    style: Style,
}

impl Line {
    fn plain(&self) -> bool {
        self.style == Style::Plain
    }

    fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn parenthesised(&mut self, tree: &Tree) {
        self.push("(");
        self.write(tree);
        self.push(")");
    }

    fn write(&mut self, tree: &Tree) {
        match tree {
            Tree::Text(text) => self.push(text),
            Tree::Scientific(digits, exponent) if self.plain() => {
                self.push(&format!("{digits}e{exponent}"));
            }
            Tree::Scientific(digits, exponent) => self.push(&scientific(digits, exponent)),
            Tree::Row(factors) => {
                let mut before: Option<&Tree> = None;
                for factor in factors {
                    if let Some(before) = before {
                        let sign = if self.plain() {
                            "*"
                        } else {
                            between(before, factor)
                        };
                        self.push(sign);
                    }
                    self.write(factor);
                    before = Some(factor);
                }
            }
            Tree::Sum(terms) => {
                for (i, (sign, term)) in terms.iter().enumerate() {
                    self.push(&sign.before(i == 0, self.style));
                    self.write(term);
                }
            }
            Tree::Signed(sign, tree) => {
                self.push(sign.written(self.style));
                self.write(tree);
            }
            Tree::Fraction(top, bottom) => self.fraction(top, bottom),
            Tree::Root(inside) if self.plain() => {
                self.push("sqrt");
                self.parenthesised(inside);
            }
            Tree::Root(inside) if bare(inside) => {
                self.push("√");
                self.write(inside);
            }
            Tree::Root(inside) => {
                self.push("√");
                self.parenthesised(inside);
            }
            Tree::Power(base, exponent) => self.power(base, exponent),
            Tree::Fenced(Fence::Round, inside) => self.parenthesised(inside),
            Tree::Fenced(Fence::Bars, inside) => self.bars(inside),
            Tree::Call(function, exponent, arguments) => {
                self.push(&called(*function, exponent.as_deref()));
                self.push("(");
                for (i, argument) in arguments.iter().enumerate() {
                    self.push(if i > 0 { ", " } else { "" });
                    self.write(argument);
                }
                self.push(")");
            }
        }
    }

    fn fraction(&mut self, top: &Tree, bottom: &Tree) {
        let start = self.out.len();
        self.write(top);
        let middle = self.out.len();
        self.push("/");
        self.write(bottom);
        // `a b / (c d)`
        if !self.plain() && self.out.get(start..).is_some_and(|t| t.contains(' ')) {
            self.out.replace_range(middle..=middle, " / ");
        }
    }

    fn power(&mut self, base: &Tree, exponent: &Tree) {
        self.write(base);
        if !self.plain()
            && let Tree::Text(digits) = exponent
            && let Some(raised) = superscript(digits)
        {
            self.push(&raised);
            return;
        }
        self.push("^");
        self.write(exponent);
    }

    /// `|u|`; `abs(u)` where u has bars of its own.
    fn bars(&mut self, inside: &Tree) {
        let start = self.out.len();
        self.push("|");
        self.write(inside);
        if self.out.get(start + 1..).is_some_and(|t| t.contains('|')) {
            self.out.replace_range(start..=start, "abs(");
            self.push(")");
        } else {
            self.push("|");
        }
    }
}
