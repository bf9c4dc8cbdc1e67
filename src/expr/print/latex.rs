//! A formula in LaTeX, math mode (amsmath).
//!
//! Parentheses grow (`\left( \right)`) only around what is taller than a line.

use super::Style;
use super::line::begins_with_digit;
use super::tree::{Fence, Tree};
use std::slice;

/// The text of a formula.
pub(super) fn text(tree: &Tree) -> String {
    text_and_height(tree).0
}

/// The text of a formula, and whether it is taller than a line.
pub(super) fn text_and_height(tree: &Tree) -> (String, bool) {
    let mut latex = Latex::default();
    let tall = latex.write(tree);
    (latex.out, tall)
}

/// Factors one after the other.
pub(super) fn row_text<'t>(factors: impl IntoIterator<Item = &'t Tree>) -> String {
    let mut latex = Latex::default();
    latex.row(factors);
    latex.out
}

/// What stands between two factors.
pub(super) fn between(left: &Tree, right: &Tree) -> &'static str {
    if begins_with_digit(right) {
        " \\cdot "
    } else if is_word(left) || is_word(right) {
        " \\, "
    } else {
        " "
    }
}

#[derive(Default)]
struct Latex {
    out: String,
}

impl Latex {
    fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// Writes a formula and says whether it is taller than a line.
    fn write(&mut self, tree: &Tree) -> bool {
        match tree {
            Tree::Text(text) => self.push(text),
            Tree::Scientific(digits, exponent) => {
                self.push(&format!("{digits} \\cdot 10^{{{exponent}}}"));
            }
            Tree::Row(factors) => return self.row(factors),
            Tree::Sum(terms) => {
                let mut tall = false;
                for (i, (sign, term)) in terms.iter().enumerate() {
                    self.push(&sign.before(i == 0, Style::Latex));
                    tall |= self.write(term);
                }
                return tall;
            }
            Tree::Signed(sign, inside) => {
                self.push(sign.written(Style::Latex));
                return self.write(inside);
            }
            Tree::Fraction(top, bottom) => {
                self.push("\\frac{");
                self.write(top);
                self.push("}{");
                self.write(bottom);
                self.push("}");
                return true;
            }
            Tree::Root(inside) => {
                self.push("\\sqrt{");
                let tall = self.write(inside);
                self.push("}");
                return tall;
            }
            Tree::Power(base, exponent) => {
                let tall = self.write(base);
                self.push("^{");
                let raised = self.write(exponent);
                self.push("}");
                return tall || raised;
            }
            Tree::Fenced(fence, inside) => {
                let fences = match fence {
                    Fence::Round => ["(", ")"],
                    Fence::Bars => ["\\lvert ", " \\rvert"],
                };
                return self.fenced(fences, slice::from_ref(inside));
            }
            Tree::Call(function, exponent, arguments) => {
                self.push(function.row().latex);
                if let Some(exponent) = exponent {
                    self.push(&format!("^{{{exponent}}}"));
                }
                return self.fenced(["(", ")"], arguments);
            }
        }
        false
    }

    fn row<'t>(&mut self, factors: impl IntoIterator<Item = &'t Tree>) -> bool {
        let mut tall = false;
        let mut before: Option<&Tree> = None;
        for factor in factors {
            self.push(before.map_or("", |b| between(b, factor)));
            tall |= self.write(factor);
            before = Some(factor);
        }
        tall
    }

    /// Parts between delimiters that grow where one of the parts is taller than a line.
    fn fenced(&mut self, [open, close]: [&str; 2], inside: &[Tree]) -> bool {
        let start = self.out.len();
        self.push(open);
        let mut tall = false;
        for (i, part) in inside.iter().enumerate() {
            self.push(if i > 0 { ", " } else { "" });
            tall |= self.write(part);
        }
        if tall {
            self.out.insert_str(start, "\\left");
            self.push(&format!("\\right{}", close.trim_start()));
        } else {
            self.push(close);
        }
        tall
    }
}

/// Does a factor need a space to its neighbours: is it a name of several letters or a function?
pub(super) fn is_word(tree: &Tree) -> bool {
    match tree {
        Tree::Text(name) => {
            let bare = name
                .trim_start_matches("\\dot{")
                .trim_start_matches("\\ddot{");
            ["\\mathrm", "\\text", "\\delta "]
                .iter()
                .any(|w| bare.starts_with(w))
        }
        Tree::Power(base, _) => is_word(base),
        Tree::Call(..) => true,
        _ => false,
    }
}
